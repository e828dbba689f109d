// The steps of medial.c after the simplification, each in a file of its own. The surface is in a box of diagonal 1.
#ifndef SN_MEDIAL_MEDIAL_INTERNAL_H
#define SN_MEDIAL_MEDIAL_INTERNAL_H

#include "medial/medial_mesh.h"
#include "mesh/mesh_query.h"
#include "mesh/winding.h"

// Points spread evenly over a surface.
typedef struct {
    double (*point)[3];
    int count;
} medial_samples;

// Makes about 'count' samples, deterministically. False: out of memory. medial_error.c
bool medial_samples_make(const sn_mesh *surface, int count, medial_samples *out);
void medial_samples_free(medial_samples *samples);

// Adds spheres of the raw axis where samples are more than 'reach' outside, up to 'max_spheres' in all, and connects
// each to the mesh. False: out of memory. medial_cover.c
bool medial_cover(sn_medial_mesh *mesh, const sn_medial_mesh *axis, const medial_samples *samples,
                  const sn_winding *winding, double reach, int max_distance, int *added);

// Removes slabs and cones that are degenerate within 'flat', and slabs that stick out of the surface by more than
// 'max_distance'. Keeps spheres and connectivity. False: out of memory. medial_prune.c
bool medial_prune(sn_medial_mesh *mesh, const sn_winding *winding, const sn_mesh_query *query, double flat,
                  double max_distance);

// Moves and resizes spheres to fit the samples, by least squares. False: out of memory. medial_fit.c
bool medial_fit(sn_medial_mesh *mesh, const medial_samples *samples, int rounds);

// Enlarges radii as little as possible until every point is at least 'margin' inside. False: out of memory.
// medial_enclose.c
bool medial_enclose(sn_medial_mesh *mesh, const double (*points)[3], int count, double margin, int *outside,
                    double *farthest);

// Measures the distances from the samples to the mesh, and from points of the mesh's surface to the surface. False: out
// of memory. medial_error.c
typedef struct {
    double surface_mean, surface_max; // from the surface to the mesh
    double mesh_mean, mesh_max;       // from the mesh to the surface
} medial_distances;
bool medial_measure(const sn_medial_mesh *mesh, const medial_samples *samples, const sn_mesh_query *query, int count,
                    medial_distances *out);

#endif
