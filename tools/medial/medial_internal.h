// The steps from a simplified medial mesh to one that fits and encloses, for medial.c: each is a file of its own. All
// are about a surface within a box of diagonal 1.
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

// About 'count' of them, the same for the same mesh. False: no memory. medial_error.c
bool medial_samples_make(const sn_mesh *surface, int count, medial_samples *out);
void medial_samples_free(medial_samples *samples);

// Adds spheres of the raw axis where samples are more than 'reach' outside, up to 'most' spheres in all, and joins each
// to the mesh. False: no memory. medial_cover.c
bool medial_cover(sn_medial_mesh *mesh, const sn_medial_mesh *axis, const medial_samples *samples,
                  const sn_winding *winding, double reach, int max_distance, int *added);

// Takes out slabs and cones that are as good as lines drawn twice (within 'flat'), and slabs that are outside of the
// surface by more than 'most'; spheres stay, and what was connected stays connected. False: no memory. medial_prune.c
bool medial_prune(sn_medial_mesh *mesh, const sn_winding *winding, const sn_mesh_query *query, double flat,
                  double max_distance);

// Moves and resizes spheres so that the samples lie on the surface of the mesh as well as they can, in the sense of
// least squares. False: no memory. medial_fit.c
bool medial_fit(sn_medial_mesh *mesh, const medial_samples *samples, int rounds);

// Makes radii larger, by as little as can be, until every point is at least 'margin' inside. False: no memory.
// medial_enclose.c
bool medial_enclose(sn_medial_mesh *mesh, const double (*points)[3], int count, double margin, int *outside,
                    double *farthest);

// How far surface and mesh are from each other: from the samples to the mesh, and from points of the mesh's surface to
// the surface. False: no memory. medial_error.c
typedef struct {
    double surface_mean, surface_max; // from the surface to the mesh
    double mesh_mean, mesh_max;       // from the mesh to the surface
} medial_distances;
bool medial_measure(const sn_medial_mesh *mesh, const medial_samples *samples, const sn_mesh_query *query, int count,
                    medial_distances *out);

#endif
