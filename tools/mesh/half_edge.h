// A half-edge mesh, whose edges can be split, collapsed and flipped. Resampling and decimation use it.
//
// Half-edge 3 t + k goes from corner k of triangle t to the next corner; its twin goes the other way in the neighbour.
// Where a surface is not a manifold (edges with three triangles, surfaces that meet in a point, neighbours with
// opposite orientation) it is cut open: a vertex there becomes several at the same position, which are merged again on
// writing. So this mesh is always a manifold with boundary, and any input is accepted.
#ifndef SN_MESH_HALF_EDGE_H
#define SN_MESH_HALF_EDGE_H

#include "mesh/mesh.h"

typedef struct {
    double (*position)[3];
    int *first;  // a half-edge that starts at each vertex, at a boundary the first counter-clockwise; -1: deleted
    int *origin; // the input vertex, -1: created by a split
    unsigned char *fixed; // must not be moved or deleted
    int vertex_count, vertex_capacity;
    int (*triangle)[3];    // first corner -1: deleted
    int *twin;             // of each half-edge, -1: boundary
    unsigned char *crease; // of each half-edge: 1 if the edge must be kept
    int triangle_count, triangle_capacity;
    int remaining_count; // triangles that are not deleted
    int *mark, mark_value;
} half_edge_mesh;

// False: out of memory, and the result is empty.
bool half_edge_mesh_build(const sn_mesh *mesh, half_edge_mesh *out);
void half_edge_mesh_free(half_edge_mesh *mesh);

// Writes positions and triangles. False: out of memory.
bool half_edge_mesh_write(const half_edge_mesh *mesh, sn_mesh *out);

static inline int half_edge_next(int h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}
static inline int half_edge_prev(int h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}
static inline int half_edge_start(const half_edge_mesh *mesh, int h) {
    return mesh->triangle[h / 3][h % 3];
}
static inline int half_edge_end(const half_edge_mesh *mesh, int h) {
    return mesh->triangle[h / 3][(h + 1) % 3];
}
// The half-edge that starts at the same vertex in the next triangle counter-clockwise, -1: none left, or the boundary
// is reached. To visit all half-edges of v: for (h = first[v]; h >= 0; h = half_edge_next_around(mesh, v, h)).
static inline int half_edge_next_around(const half_edge_mesh *mesh, int v, int h) {
    const int next = mesh->twin[half_edge_prev(h)];
    return next == mesh->first[v] ? -1 : next;
}

// Operations that visit all triangles of a vertex are refused when there are more than this.
#define HALF_EDGE_MAX_VALENCE 256

// Splits an edge at its midpoint. Returns the new vertex, -1: out of memory.
int half_edge_split(half_edge_mesh *mesh, int h);

// Collapses an edge: its end is merged into its start, which does not move. Call half_edge_can_collapse first; it is
// false if the collapse would change the topology.
bool half_edge_can_collapse(half_edge_mesh *mesh, int h);
void half_edge_collapse(half_edge_mesh *mesh, int h);

// Flips an edge: replaces it by the edge between the two opposite corners. Creases cannot be flipped.
bool half_edge_can_flip(const half_edge_mesh *mesh, int h);
void half_edge_flip(half_edge_mesh *mesh, int h);

// The number of triangles around a vertex, at most HALF_EDGE_MAX_VALENCE + 1; whether it is on the boundary; and the
// number of its crease and boundary edges.
int half_edge_valence(const half_edge_mesh *mesh, int v);
bool half_edge_on_boundary(const half_edge_mesh *mesh, int v);
int half_edge_count_creases(const half_edge_mesh *mesh, int v);

// Twice the area vector of a triangle, with corner v (-1: none) moved to 'target'.
void half_edge_area_vector(const half_edge_mesh *mesh, int triangle, int v, const double target[3], double out[3]);

// Whether a vertex can be moved to 'target': no triangle of it may rotate by more than about 75 degrees, or become
// nearly degenerate unless it was so before. Triangles with the corner 'without' (-1: none) are ignored.
bool half_edge_can_move(const half_edge_mesh *mesh, int v, const double target[3], int without);

#endif
