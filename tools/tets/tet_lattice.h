// Tetrahedra inside of any surface: a regular lattice, cut along the surface. On clean surfaces dihedral angles come
// out between 13 and 152 degrees and the quality is 0.15 or better: measured, not proved; sn_tet_mesh_measure tells.
#ifndef SN_TETS_TET_LATTICE_H
#define SN_TETS_TET_LATTICE_H

#include "mesh/error.h"
#include "mesh/mesh_query.h"
#include "mesh/winding.h"
#include "tets/tet_mesh.h"

// Beyond these a mesh is refused: points of the lattice in the surface's box, and tetrahedra.
#define TET_LATTICE_MAX_POINTS 400000000.0
#define TET_LATTICE_MAX_TETS   20000000.0

typedef struct {
    double spacing; // edge of the lattice's cubes; there are 12 tetrahedra for each
    int threads;    // 1 to 64; the result does not depend on it
    // Told now and then, by the calling thread, how much is done, 0 to 1; may be null.
    void (*progress)(void *context, double done);
    void *context;
} sn_tet_lattice_options;

typedef struct {
    double inside_seconds, cut_seconds;  // which points are inside; where edges are cut
    double tet_seconds, improve_seconds; // cutting the tetrahedra; moving vertices of bad ones
    double lattice_points, evaluated;    // in the box, and for how many of them the winding number was computed
    double overlap;                      // volume that the surface encloses a second time (and a third ...), about
    int moved;                           // vertices
    int cut_edges, uncertain;            // edges that leave the solid; of these, where not just one triangle is crossed
} sn_tet_lattice_report;

// Fills the inside of a surface, that is, where its winding number is more than a half. 'near' and 'winding' are of the
// same mesh. Parts thinner than the spacing may come out in pieces or vanish. False: 'why' says error, in a sentence
// that says what to do.
bool sn_tet_lattice(const sn_mesh *mesh, const sn_mesh_query *query, const sn_winding *winding,
                    const sn_tet_lattice_options *options, sn_tet_mesh *out, sn_tet_lattice_report *report,
                    tool_error *error);

#endif
