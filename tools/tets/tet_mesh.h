// A tetrahedral mesh in memory: measures, boundary, components.
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

// Allocates the arrays, zeroed. False: out of memory, and the mesh is empty. sn_tet_mesh_free accepts any mesh, also an
// empty one, and leaves it empty.
bool sn_tet_mesh_alloc(sn_tet_mesh *mesh, int vertices, int tets);
void sn_tet_mesh_free(sn_tet_mesh *mesh);

// (b - a) x (c - a) . (d - a) / 6.
double sn_tet_volume(const double a[3], const double b[3], const double c[3], const double d[3]);

// 6 sqrt(2) V / (longest edge)^3: 1 for a regular tetrahedron, 0 for a flat one, negative for an inverted one.
double sn_tet_quality(const double a[3], const double b[3], const double c[3], const double d[3]);

// The smallest and the largest of the six dihedral angles, degrees.
void sn_tet_dihedral(const double a[3], const double b[3], const double c[3], const double d[3], double *min_angle,
                     double *max_angle);

// Volume, quality and angles of a mesh.
typedef struct {
    double volume; // total
    double min_quality, mean_quality;
    double min_angle, max_angle; // dihedral, degrees
    int inverted;                // tetrahedra without positive volume
    double low[3], high[3];
} sn_tet_report;
sn_tet_report sn_tet_mesh_measure(const sn_tet_mesh *mesh);

// Whether the mesh is conforming: all indices are in range, no tetrahedron has a corner twice, no face belongs to more
// than two tetrahedra, and two tetrahedra at a face lie on opposite sides. If not, the error names the first defect.
bool sn_tet_mesh_is_conforming(const sn_tet_mesh *mesh, tool_error *error);

// Extracts the boundary: faces of only one tetrahedron, facing outward. vertex_of and tet_of (may be null) become
// lists, to be freed: the mesh vertex of each surface vertex, and the tetrahedron of each triangle. False: out of
// memory.
bool sn_tet_mesh_boundary(const sn_tet_mesh *mesh, sn_mesh *out, int **vertex_of, int **tet_of);

// Components: sets of tetrahedra connected over faces (a common corner or edge is only a hinge), sorted by volume, the
// largest first. component (tet_count long) gets the component of each tetrahedron. Returns their number; -1: out of
// memory.
int sn_tet_mesh_components(const sn_tet_mesh *mesh, int *component);

// Removes all tetrahedra for which keep is false, and unused vertices; the order is preserved. False: out of memory,
// and the mesh is unchanged.
bool sn_tet_mesh_keep(sn_tet_mesh *mesh, const bool *keep);

#endif
