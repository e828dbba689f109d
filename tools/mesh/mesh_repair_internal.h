// Parts of mesh_repair.c that stand in files of their own: welding, and who is whose neighbour.
#ifndef SN_MESH_MESH_REPAIR_INTERNAL_H
#define SN_MESH_MESH_REPAIR_INTERNAL_H

#include "base/union_find.h"
#include "mesh/half_edge.h"

// The first vertex within 'distance' of each vertex that is not itself welded to another: place[v] <= v. False: no
// memory.
bool weld_vertices(const float (*position)[3], int count, double distance, int *place);

// Which of triangles that face their partner (-1: none) on the same corners to keep; see mesh_care_pairs.c. 'keep' is 1
// for all triangles that matter. False: no memory.
bool choose_back_to_back(const int (*triangle)[3], int count, const int *partner, char *keep);

// Edges as triangles see them: half-edge 3 t + k goes from corner k of triangle t to the next one.
enum { EDGE_BOUNDARY = -1, EDGE_NON_MANIFOLD = -2 };
static inline int mesh_edge_start(const sn_mesh *mesh, int h) {
    return mesh->triangle[h / 3][h % 3];
}
static inline int mesh_edge_end(const sn_mesh *mesh, int h) {
    return mesh->triangle[h / 3][(h + 1) % 3];
}

// The half-edge on the other side of each, EDGE_BOUNDARY at rims and EDGE_NON_MANIFOLD where three triangles or more meet. Null:
// no memory. *crowded: edges with three or more.
int *find_half_edge_twins(const sn_mesh *mesh, int *crowded);

// Rims: half-edges without a twin in loops, as one walks along. 'edge' has all, those of loop i from start[i] to
// start[i + 1]. A loop that meets a crowded edge ends there.
typedef struct {
    int *edge, *start;
    int loops;
} boundary_loops;
bool boundary_loops_find(const sn_mesh *mesh, const int *twin, boundary_loops *out);
void boundary_loops_free(boundary_loops *rims);

#endif
