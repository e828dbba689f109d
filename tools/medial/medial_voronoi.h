// The inner Voronoi diagram of a surface's vertices: the raw medial axis.
#ifndef SN_MEDIAL_MEDIAL_VORONOI_H
#define SN_MEDIAL_MEDIAL_VORONOI_H

#include "medial/medial_mesh.h"
#include "mesh/error.h"
#include "mesh/mesh_query.h"
#include "mesh/winding.h"

typedef struct {
    int tets;                       // of the Delaunay triangulation
    int pieces;                     // of the axis before connecting
    int bridges;                    // cones added to connect each body
    int crumbs;                     // pieces dropped, since others contain their spheres
    double delaunay, inside, build; // seconds
} medial_voronoi_report;

typedef struct {
    const sn_mesh *surface; // in a box of diagonal 1 around the origin
    const sn_winding *winding;
    const sn_mesh_query *closed; // the surface, if it is closed without self-intersections: rays are faster; else null
    const int *piece;            // of each vertex; a piece is one body. Null: the connected pieces of the surface
} medial_voronoi_input;

// Computes the raw medial axis. On failure out is empty.
bool medial_voronoi(const medial_voronoi_input *in, sn_medial_mesh *out, medial_voronoi_report *report,
                    tool_error *error);

// Whether the segment between two points is inside of the solid, tested at a few samples.
bool medial_segment_is_inside(const sn_winding *winding, const double a[3], const double b[3]);

#endif
