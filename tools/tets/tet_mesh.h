// A mesh of tetrahedra in memory, and what can be said about it.
#ifndef SN_TETS_TET_MESH_H
#define SN_TETS_TET_MESH_H

#include "mesh/error.h"
#include "mesh/mesh.h"

typedef struct {
    double (*position)[3];
    int vertex_count;
    int (*tet)[4]; // seen from the fourth corner the first three are counter-clockwise: volumes are positive
    int tet_count;
} sn_tet_mesh;

// Makes the arrays, zeroed. False: no memory, and the mesh is empty. sn_tet_mesh_free takes any mesh, also an empty
// one, and leaves it empty.
bool sn_tet_mesh_alloc(sn_tet_mesh *mesh, int vertices, int tets);
void sn_tet_mesh_free(sn_tet_mesh *mesh);

// (b - a) x (c - a) . (d - a) / 6.
double sn_tet_volume(const double a[3], const double b[3], const double c[3], const double d[3]);

// 6 sqrt(2) V / (longest edge)^3: 1 for a regular tetrahedron, 0 for a flat one, negative for one turned inside out.
double sn_tet_quality(const double a[3], const double b[3], const double c[3], const double d[3]);

// The smallest and the largest of the six angles between faces, degrees.
void sn_tet_dihedral(const double a[3], const double b[3], const double c[3], const double d[3], double *min_angle,
                     double *max_angle);

// What a mesh is like.
typedef struct {
    double volume; // of all
    double min_quality, mean_quality;
    double min_angle, max_angle; // dihedral, degrees
    int inverted;                // tetrahedra whose volume is not positive
    double low[3], high[3];
} sn_tet_report;
sn_tet_report sn_tet_mesh_measure(const sn_tet_mesh *mesh);

// Whether tetrahedra meet in whole faces: every index is a vertex, no tetrahedron has a corner twice, no face belongs
// to more than two, and two lie on its two sides. False: 'why' names the first that does not.
bool sn_tet_mesh_is_conforming(const sn_tet_mesh *mesh, tool_error *error);

// Faces that belong to one tetrahedron, facing outward. vertex_of and tet_of (may be null) become lists, to be freed:
// the tetrahedra's vertex for each vertex of the surface, and the tetrahedron of each triangle. False: no memory.
bool sn_tet_mesh_boundary(const sn_tet_mesh *mesh, sn_mesh *out, int **vertex_of, int **tet_of);

// Pieces that share no face (a corner or an edge is a hinge, which holds nothing), numbered from the one with the
// largest volume on: part_of (tet_count long) gets the piece of each tetrahedron. Returns how many; -1: no memory.
int sn_tet_mesh_components(const sn_tet_mesh *mesh, int *component);

// Keeps the tetrahedra for which keep is true and the vertices they use, in their order. False: no memory, and the mesh
// is as it was.
bool sn_tet_mesh_keep(sn_tet_mesh *mesh, const bool *keep);

#endif
