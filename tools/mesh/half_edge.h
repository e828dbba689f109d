// A surface whose edges can be split, collapsed and flipped: what resampling and decimation stand on.
//
// Half-edge 3 t + k goes from corner k of triangle t to the next one; its twin goes the other way in the neighbour.
// Where a surface is not a plain sheet (edges with three triangles, surfaces that meet in a point, neighbours that face
// opposite ways) it is cut open: vertices there become several, which stay where they are, and are one again in what is
// written. So everything here is about sheets with rims, and any mesh whatever can be taken.
#ifndef SN_MESH_HALF_EDGE_H
#define SN_MESH_HALF_EDGE_H

#include "mesh/mesh.h"

typedef struct {
    double (*position)[3];
    int *first;           // a half-edge that starts at each vertex, on a rim the first one counter-clockwise; -1: gone
    int *origin;          // the vertex that it was, -1: made by a split
    unsigned char *fixed; // must not move or go
    int vertex_count, vertex_capacity;
    int (*triangle)[3];    // first corner -1: gone
    int *twin;             // of each half-edge, -1: on a rim
    unsigned char *crease; // of each half-edge: is to stay an edge
    int triangle_count, triangle_capacity;
    int live_count; // triangles that are not gone
    int *mark, mark_value;
} half_edge_mesh;

// False: no memory; the result is then empty.
bool half_edge_mesh_build(const sn_mesh *mesh, half_edge_mesh *out);
void half_edge_mesh_free(half_edge_mesh *mesh);

// Writes what is there: positions and triangles.
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
// The half-edge from the same vertex in the next triangle counter-clockwise, -1: there is none, the rim was reached.
// All around v: for (h = first[v]; h >= 0; h = half_edge_next_around(mesh, v, h)).
static inline int half_edge_next_around(const half_edge_mesh *mesh, int v, int h) {
    const int next = mesh->twin[half_edge_prev(h)];
    return next == mesh->first[v] ? -1 : next;
}

// More triangles than this around a vertex, and nothing that has to look at all of them is done there.
#define HALF_EDGE_MAX_VALENCE 256

// Puts a vertex on the middle of an edge. Returns it, -1: no memory.
int half_edge_split(half_edge_mesh *mesh, int h);

// Whether the edge's two ends can become one without changing what hangs together; and that, the end going into the
// start, which stays where it is. Look first.
bool half_edge_can_collapse(half_edge_mesh *mesh, int h);
void half_edge_collapse(half_edge_mesh *mesh, int h);

// Whether the edge can be replaced by the one between the two corners opposite to it, and that. Creases cannot.
bool half_edge_can_flip(const half_edge_mesh *mesh, int h);
void half_edge_flip(half_edge_mesh *mesh, int h);

// Triangles around a vertex, at most HALF_EDGE_MAX_VALENCE + 1; whether it is on a rim; and its creases (and rims).
int half_edge_valence(const half_edge_mesh *mesh, int v);
bool half_edge_on_boundary(const half_edge_mesh *mesh, int v);
int half_edge_count_creases(const half_edge_mesh *mesh, int v);

// Twice the area vector of a triangle, with corner v (-1: none) at 'place' instead of where it is.
void half_edge_area_vector(const half_edge_mesh *mesh, int triangle, int v, const double place[3], double out[3]);

// Whether a vertex may be at 'place' as far as its triangles are concerned: none but those that have 'without' for a
// corner (-1: none) turns by more than about 75 degrees, or becomes nearly flat unless it was so before.
bool half_edge_can_move(const half_edge_mesh *mesh, int v, const double place[3], int without);

#endif
