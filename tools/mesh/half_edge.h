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
    int vertex_count, vertex_room;
    int (*triangle)[3];    // first corner -1: gone
    int *twin;             // of each half-edge, -1: on a rim
    unsigned char *crease; // of each half-edge: is to stay an edge
    int triangle_count, triangle_capacity;
    int live; // triangles that are not gone
    int *mark, mark_now;
} edge_mesh;

// False: no memory; the result is then empty.
bool edge_mesh_make(const sn_mesh *mesh, edge_mesh *out);
void edge_mesh_free(edge_mesh *mesh);

// Writes what is there: positions and triangles.
bool edge_mesh_write(const edge_mesh *mesh, sn_mesh *out);

static inline int edge_next(int h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}
static inline int edge_back(int h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}
static inline int edge_start(const edge_mesh *mesh, int h) {
    return mesh->triangle[h / 3][h % 3];
}
static inline int edge_end(const edge_mesh *mesh, int h) {
    return mesh->triangle[h / 3][(h + 1) % 3];
}
// The half-edge from the same vertex in the next triangle counter-clockwise, -1: there is none, the rim was reached.
// All around v: for (h = first[v]; h >= 0; h = edge_turn(mesh, v, h)).
static inline int edge_turn(const edge_mesh *mesh, int v, int h) {
    const int next = mesh->twin[edge_back(h)];
    return next == mesh->first[v] ? -1 : next;
}

// More triangles than this around a vertex, and nothing that has to look at all of them is done there.
#define EDGE_CROWD 256

// Puts a vertex on the middle of an edge. Returns it, -1: no memory.
int edge_split(edge_mesh *mesh, int h);

// Whether the edge's two ends can become one without changing what hangs together; and that, the end going into the
// start, which stays where it is. Look first.
bool edge_can_collapse(edge_mesh *mesh, int h);
void edge_collapse(edge_mesh *mesh, int h);

// Whether the edge can be replaced by the one between the two corners opposite to it, and that. Creases cannot.
bool edge_can_flip(const edge_mesh *mesh, int h);
void edge_flip(edge_mesh *mesh, int h);

// Triangles around a vertex, at most EDGE_CROWD + 1; whether it is on a rim; and its creases (and rims).
int edge_valence(const edge_mesh *mesh, int v);
bool edge_on_rim(const edge_mesh *mesh, int v);
int edge_creases(const edge_mesh *mesh, int v);

// Twice the area vector of a triangle, with corner v (-1: none) at 'place' instead of where it is.
void edge_normal(const edge_mesh *mesh, int triangle, int v, const double place[3], double out[3]);

// Whether a vertex may be at 'place' as far as its triangles are concerned: none but those that have 'without' for a
// corner (-1: none) turns by more than about 75 degrees, or becomes nearly flat unless it was so before.
bool edge_may_move(const edge_mesh *mesh, int v, const double place[3], int without);

#endif
