// Steps of mesh_repair.c in files of their own: welding, back-to-back triangles, and edge adjacency.
#ifndef SN_MESH_MESH_REPAIR_INTERNAL_H
#define SN_MESH_MESH_REPAIR_INTERNAL_H

#include "base/union_find.h"
#include "mesh/half_edge.h"

// Finds the vertex that each vertex is welded to: the first within 'distance' that is not itself welded to another, so
// welded_to[v] <= v. False: out of memory. mesh_repair_weld.c
bool weld_vertices(const float (*position)[3], int count, double distance, int *welded_to);

// Decides which of two back-to-back triangles to keep. partner[t]: the triangle on the same corners that faces the
// other way, -1: none. 'keep' is 1 on entry for all triangles that matter. False: out of memory. mesh_repair_pairs.c
bool choose_back_to_back(const int (*triangle)[3], int count, const int *partner, char *keep);

// Half-edge 3 t + k of a mesh goes from corner k of triangle t to the next corner.
enum { EDGE_BOUNDARY = -1, EDGE_NON_MANIFOLD = -2 };
static inline int mesh_edge_start(const sn_mesh *mesh, int h) {
    return mesh->triangle[h / 3][h % 3];
}
static inline int mesh_edge_end(const sn_mesh *mesh, int h) {
    return mesh->triangle[h / 3][(h + 1) % 3];
}

// The opposite half-edge of each, EDGE_BOUNDARY, or EDGE_NON_MANIFOLD where three triangles or more share the edge.
// *non_manifold: the number of such edges. Null: out of memory. mesh_repair_edges.c
int *find_half_edge_twins(const sn_mesh *mesh, int *non_manifold);

// Boundary loops: 'edge' has all boundary half-edges in walking order, those of loop i from start[i] to start[i + 1]. A
// loop that reaches a non-manifold edge ends there.
typedef struct {
    int *edge, *start;
    int loops;
} boundary_loops;
bool boundary_loops_find(const sn_mesh *mesh, const int *twin, boundary_loops *out);
void boundary_loops_free(boundary_loops *loops);

#endif
