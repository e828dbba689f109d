// Fills any surface with tetrahedra: a regular lattice, cut along the surface. On clean surfaces dihedral angles are
// between 13 and 152 degrees and the quality is 0.15 or better. This is measured, not proved; see sn_tet_mesh_measure.
#ifndef SN_TETS_TET_LATTICE_H
#define SN_TETS_TET_LATTICE_H

#include "mesh/error.h"
#include "mesh/mesh_query.h"
#include "mesh/winding.h"
#include "tets/tet_mesh.h"

// Limits: lattice points in the surface's box, and tetrahedra.
#define TET_LATTICE_MAX_POINTS 400000000.0
#define TET_LATTICE_MAX_TETS   20000000.0

typedef struct {
    double spacing; // side of the lattice's cubes; each has 12 tetrahedra
    int threads;    // 1 to 64; the result does not depend on it
    // Called by the calling thread with the completed fraction, 0 to 1; may be null.
    void (*progress)(void *context, double fraction);
    void *context;
} sn_tet_lattice_options;

typedef struct {
    double inside_seconds, cut_seconds;  // inside test; edge cuts
    double tet_seconds, improve_seconds; // stencils; smoothing
    double lattice_points, evaluated;    // in the box; evaluations of the winding number
    double overlap;                      // approximate volume that the surface encloses more than once
    int moved;                           // vertices moved by smoothing
    int cut_edges, uncertain;            // edges that leave the solid; of these, not crossed by exactly one triangle
} sn_tet_lattice_report;

// Fills the inside of a surface: where its winding number is more than a half. 'query' and 'winding' must be built from
// the same mesh. Parts thinner than the spacing may break into pieces or vanish. 'report' may be null.
bool sn_tet_lattice(const sn_mesh *mesh, const sn_mesh_query *query, const sn_winding *winding,
                    const sn_tet_lattice_options *options, sn_tet_mesh *out, sn_tet_lattice_report *report,
                    tool_error *error);

#endif
