// A triangle mesh in memory.
#ifndef SN_MESH_MESH_H
#define SN_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sn_mesh {
    float (*position)[3]; // metres
    float (*normal)[3];   // unit length; null: none
    float (*uv)[2];       // (0, 0) is the upper left corner of a picture, as in glTF; null: none
    float (*colour)[3];   // linear, 0 to 1; null: none
    int (*joint)[4];      // skin: joints and weights of each vertex, weights add up to 1; null: none
    float (*weight)[4];
    int vertex_count;
    int (*triangle)[3]; // counter-clockwise seen from outside
    int triangle_count;
    char name[64];
} sn_mesh;

// Which optional arrays sn_mesh_alloc allocates.
enum { MESH_NORMAL = 1, MESH_UV = 2, MESH_COLOUR = 4, MESH_SKIN = 8 };

// Allocates the arrays, zeroed. False: out of memory, and the mesh is empty. sn_mesh_free leaves the mesh empty; an
// empty one is fine.
bool sn_mesh_alloc(sn_mesh *mesh, int vertices, int triangles, unsigned parts);
void sn_mesh_free(sn_mesh *mesh);

// Computes vertex normals, weighted by the triangles' angles; allocates the array if there is none. False: out of
// memory.
bool sn_mesh_make_normals(sn_mesh *mesh);

// Twice the area vector of a triangle: (b - a) x (c - a).
void sn_mesh_area_vector(const sn_mesh *mesh, int triangle, double out[3]);
double sn_mesh_triangle_area(const sn_mesh *mesh, int triangle);
double sn_mesh_area(const sn_mesh *mesh);

// The enclosed volume: signed, and meaningless for open meshes.
double sn_mesh_volume(const sn_mesh *mesh);

// The bounding box of all vertices, and the length of its diagonal.
void sn_mesh_box(const sn_mesh *mesh, float low[3], float high[3]);
double sn_mesh_diagonal(const sn_mesh *mesh);

#endif
