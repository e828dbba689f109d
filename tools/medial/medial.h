// From a surface to its medial mesh.
#ifndef SN_MEDIAL_MEDIAL_H
#define SN_MEDIAL_MEDIAL_H

#include "medial/medial_mesh.h"
#include "mesh/error.h"
#include "mesh/mesh_repair.h"

// What the raw axis is made from.
typedef enum {
    MEDIAL_AUTO,    // the surface itself if it is a solid of good resolution, else a lattice
    MEDIAL_DIRECT,  // the surface itself, as it is
    MEDIAL_LATTICE, // the boundary of tetrahedra that fill whatever the winding number says is inside
} medial_source;

typedef struct {
    int spheres;  // at most so many, 0: see error
    double error; // as few spheres as give this mean two-sided error, as a fraction of the largest side
    medial_source source;
    bool open;   // do not enclose: spheres as they fit best
    double cell; // of the lattice, as a fraction of the largest side; 0: by the mesh
    int threads; // 0: one; the result does not depend on it
} medial_options;

// 100 spheres, enclosing.
medial_options medial_options_default(void);

#define MEDIAL_MAX_SPHERES 5000

// Lengths are fractions of the largest side of the surface's box.
typedef struct {
    mesh_repair_report repair;               // of the surface as it was used
    bool lattice;                            // whether the raw axis was made from a lattice
    char lattice_reason[160];                // and why
    double cell;                             // of the lattice
    int surface_vertices, surface_triangles; // of what the raw axis was made from
    int tets, raw_spheres, raw_cones, raw_slabs, pieces, crumbs, bridges;
    int simplified, added; // spheres left by the simplification; added where it went too far
    int bodies;            // pieces of the mesh: one for each piece of the solid
    int outside;           // vertices outside before the mesh was made to enclose them
    double outside_max;
    double surface_mean, surface_max; // distance from the surface to the mesh
    double mesh_mean, mesh_max;       // and back
    double largest_side;              // in the unit of the file
    double seconds_repair, seconds_lattice, seconds_delaunay, seconds_inside, seconds_build, seconds_simplify,
        seconds_fit, seconds_measure;
} medial_report;

// The mean two-sided error: the larger of the two means.
double medial_two_sided_error(const medial_report *report);

// Makes the medial mesh of a surface as files bring it. False: 'why' says in a sentence what stands against it and what
// to do.
bool sn_medial_make(const sn_mesh *surface, const medial_options *options, sn_medial_mesh *out, medial_report *report,
                    tool_error *error);

#endif
