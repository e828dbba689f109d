// What tracking needs of a surface: which vertices are one, the vertices around each, and how edges weigh.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_EDGES_H
#define SN_SKIN_IMPLICIT_IMPLICIT_EDGES_H

#include "base/math/vec.h"
#include "base/memory.h"

typedef struct {
    int count;           // places: vertices in one place are one
    int *place;          // of each vertex
    int *vertex;         // the first vertex of each place
    int (*triangles)[3]; // by places; those without area in this list are left out
    int triangle_count;
    int *first;          // count + 1: those around i are first[i] <= k < first[i + 1], in rising order
    int *other;          // places
    sn_real *cotangents; // half the sum of the cotangents of the angles across the edge, 0.001 to 100
    sn_real *rounds;     // mean value coordinates: add up to 1 over a ring; all 0 at borders and folded rings
    // sizes, for giving back
    sn_memory *memory;
    size_t vertices, given, edges;
} sn_implicit_edges;

// Triangles must be of vertices that are there. False: no memory; out is then empty.
bool sn_implicit_edges_make(sn_memory *memory, const sn_vec3 *vertices, int count, const int (*triangles)[3],
                            int triangle_count, sn_implicit_edges *out);
void sn_implicit_edges_free(sn_implicit_edges *edges);

#endif
