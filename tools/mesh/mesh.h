// A triangle mesh in memory, as files bring it, the zoo makes it and skins use it.
#ifndef SN_MESH_MESH_H
#define SN_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    float (*position)[3]; // metres
    float (*normal)[3];   // unit; null: none
    float (*uv)[2];       // null: none
    float (*colour)[3];   // linear, 0 to 1; null: none
    int (*joint)[4];      // painted skin: joints and weights of each vertex, weights add up to 1; null: none
    float (*weight)[4];
    int vertex_count;
    int (*triangle)[3]; // counter-clockwise seen from outside
    int triangle_count;
    char name[64];
} sn_mesh;

// Which of the optional arrays sn_mesh_alloc makes.
enum { MESH_NORMAL = 1, MESH_UV = 2, MESH_COLOUR = 4, MESH_SKIN = 8 };

// Makes the arrays, zeroed. False: no memory, and the mesh is empty. sn_mesh_free takes any mesh, also an empty one, and
// leaves it empty.
bool sn_mesh_alloc(sn_mesh *mesh, int vertices, int triangles, unsigned parts);
void sn_mesh_free(sn_mesh *mesh);

// Normals from the triangles, weighted by their angles at the vertex; makes the array if it is missing.
bool sn_mesh_make_normals(sn_mesh *mesh);

// The volume enclosed (signed; of open meshes meaningless), and the box around all vertices.
double sn_mesh_volume(const sn_mesh *mesh);
void sn_mesh_box(const sn_mesh *mesh, float low[3], float high[3]);

#endif
