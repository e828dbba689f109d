// The connectivity of a surface for tracking: welded vertices, the neighbours of each, and edge weights.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_EDGES_H
#define SN_SKIN_IMPLICIT_IMPLICIT_EDGES_H

#include "base/math/vec.h"
#include "base/memory.h"

typedef struct {
    int count;           // of welded vertices
    int *welded;         // of each vertex: its welded index
    int *vertex;         // the first vertex of each welded vertex
    int (*triangles)[3]; // by welded vertices, without degenerate ones
    int triangle_count;
    int *first;           // count + 1: those around i are first[i] <= k < first[i + 1], ascending
    int *other;           // welded vertices
    sn_real *cotangents;  // half the sum of the cotangents of the angles across the edge, 0.001 to 100
    sn_real *mean_values; // mean value coordinates: add up to 1 over a ring; all 0 at borders and folded rings
    // sizes, for freeing
    sn_memory *memory;
    size_t vertices, given, edges;
} sn_implicit_edges;

// Triangles must have valid indices. False: out of memory; out is then empty.
bool sn_implicit_edges_make(sn_memory *memory, const sn_vec3 *vertices, int count, const int (*triangles)[3],
                            int triangle_count, sn_implicit_edges *out);
void sn_implicit_edges_free(sn_implicit_edges *edges);

#endif
