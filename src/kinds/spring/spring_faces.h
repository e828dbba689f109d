// Edges of triangles and tetrahedra, each once, and the boundary faces of tetrahedra.
#ifndef SN_KINDS_SPRING_SPRING_FACES_H
#define SN_KINDS_SPRING_SPRING_FACES_H

#include "base/memory.h"

// An element's use of an edge. Lists are sorted by (a, b), then by element: uses of one edge are neighbours.
typedef struct {
    int a, b; // a < b
    int element;
    int opposite; // the first corner that is not on the edge
} sn_edge_use;

// The edges of 'count' elements with 'corners' (3 or 4) corners each, indices below 'points'. Null: out of memory.
// *use_count is their number; free with sn_free(memory, uses, *use_count, sizeof *uses).
sn_edge_use *sn_edge_uses(sn_memory *memory, int points, const int *elements, int corners, int count, int *use_count);

// Whether this use is the first of its edge.
static inline bool sn_edge_is_new(const sn_edge_use *uses, int i) {
    return i == 0 || uses[i].a != uses[i - 1].a || uses[i].b != uses[i - 1].b;
}

// A boundary face, counter-clockwise seen from outside (if volumes are positive).
typedef struct {
    int corner[3];
    int tet;
} sn_tet_face;

// In order of tetrahedra. Null: out of memory. Free with sn_free(memory, faces, 4 * count, sizeof *faces).
sn_tet_face *sn_tet_faces(sn_memory *memory, int points, const int (*tets)[4], int count, int *face_count);

#endif
