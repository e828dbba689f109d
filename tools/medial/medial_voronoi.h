// The inner Voronoi diagram of a surface's vertices: the raw medial axis.
#ifndef SN_MEDIAL_MEDIAL_VORONOI_H
#define SN_MEDIAL_MEDIAL_VORONOI_H

#include "medial/medial_mesh.h"
#include "mesh/error.h"
#include "mesh/mesh_query.h"
#include "mesh/winding.h"

typedef struct {
    int tets;                       // of the Delaunay triangulation
    int pieces;                     // of the axis as it came
    int bridges;                    // cones added to make it one for each body
    int crumbs;                     // pieces left out, since others hold their spheres
    double delaunay, inside, build; // seconds
} medial_voronoi_report;

typedef struct {
    const sn_mesh *surface; // within a box of diagonal 1 around the origin
    const sn_winding *winding;
    const sn_mesh_query *closed; // the surface, if it is closed and does not cross itself: rays are quicker. Else null
    const int *piece; // of each vertex; vertices of the same piece are of one body. Null: as the surface hangs together
} medial_voronoi_input;

// False: 'why' says in a sentence why there is none.
bool medial_voronoi(const medial_voronoi_input *in, sn_medial_mesh *out, medial_voronoi_report *report,
                    tool_error *error);

// Whether the straight way between two points is inside of the solid, as far as a few samples tell.
bool medial_segment_is_inside(const sn_winding *winding, const double a[3], const double b[3]);

#endif
