// The surface of an asset as contacts see it: each surface vertex belongs to a medial sphere, the one with the largest weight at the nearest
// point of the medial mesh. A contact at a sphere acts on a vertex of its own, see medial_spheres.c.
#ifndef SN_KINDS_ELASTIC_SURFACE_POINTS_H
#define SN_KINDS_ELASTIC_SURFACE_POINTS_H

#include "base/memory.h"
#include "sinew/elastic.h"

typedef struct {
    int *first; // by sphere, one more at the end: its vertices
    int *vertex;
    int vertex_count, sphere_count, capacity;
    int max_handles; // of a vertex
    // Where the surface is beyond the ball of a sphere, as at faces and rims, or does not move as the sphere, some of its vertices touch
    // by themselves: patches.
    int patch_count, patch_capacity;
    int *patch_vertex, *patch_sphere;
    bool *has_patches; // by sphere
    sn_real *beyond;   // by sphere: how far its vertices are beyond its radius
} sn_surface_points;

// 'elements' are the slabs of the medial mesh; cones have their second sphere twice.
sn_status sn_surface_points_create(sn_memory *memory, const sn_elastic_asset *asset, const int (*elements)[3],
                                   int element_count, sn_surface_points *out);
void sn_surface_points_free(sn_memory *memory, sn_surface_points *points);

#endif
