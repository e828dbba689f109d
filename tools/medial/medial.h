// From a surface to its medial mesh.
#ifndef SN_MEDIAL_MEDIAL_H
#define SN_MEDIAL_MEDIAL_H

#include "medial/medial_mesh.h"
#include "mesh/error.h"
#include "mesh/mesh_repair.h"

// The source of the raw axis.
typedef enum {
    MEDIAL_AUTO,    // the surface itself if it is a well resolved solid, else a lattice
    MEDIAL_DIRECT,  // the surface itself
    MEDIAL_LATTICE, // the boundary of a lattice of tetrahedra that fills the inside, by the winding number
} medial_source;

typedef struct {
    int spheres;  // max; 0: see error
    double error; // use as few spheres as reach this mean two-sided error, a fraction of the largest side
    medial_source source;
    bool open;   // do not enclose the surface: best fit
    double cell; // lattice spacing, a fraction of the largest side; 0: automatic
    int threads; // 0: one; the result does not depend on it
} medial_options;

// 100 spheres, enclosing.
medial_options medial_options_default(void);

#define MEDIAL_MAX_SPHERES 5000

// Lengths are fractions of the largest side of the surface's box.
typedef struct {
    mesh_repair_report repair;               // of the input surface
    bool lattice;                            // whether the raw axis comes from a lattice
    char lattice_reason[160];                // and why
    double cell;                             // of the lattice
    int surface_vertices, surface_triangles; // of the source of the raw axis
    int tets, raw_spheres, raw_cones, raw_slabs, pieces, crumbs, bridges;
    int simplified, added; // spheres left by the simplification; added by covering
    int bodies;            // connected components of the medial mesh
    int outside;           // vertices outside before enclosing
    double outside_max;
    double surface_mean, surface_max; // distance from the surface to the medial mesh
    double mesh_mean, mesh_max;       // and back
    double largest_side;              // in the units of the file
    double seconds_repair, seconds_lattice, seconds_delaunay, seconds_inside, seconds_build, seconds_simplify,
        seconds_fit, seconds_measure;
} medial_report;

// The mean two-sided error: the larger of the two means.
double medial_two_sided_error(const medial_report *report);

// Makes the medial mesh of any surface.
bool sn_medial_make(const sn_mesh *surface, const medial_options *options, sn_medial_mesh *out, medial_report *report,
                    tool_error *error);

#endif
