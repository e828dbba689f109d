// Parts of baking that are in files of their own: see elastic_bake.c.
#ifndef SN_BAKE_ELASTIC_INTERNAL_H
#define SN_BAKE_ELASTIC_INTERNAL_H

#include "bake/elastic_bake.h"
#include "bake/elastic_weights.h"

// Vertices and tetrahedra along a curve that fills space, so that what is near in the body is near in memory.
bool elastic_sort_morton(sn_tet_mesh *mesh);

// Handles: at which spheres, and what holds them.
typedef struct {
    int count;
    int *sphere;                      // of each handle
    unsigned char *few_neighbours;    // of each: whether it has few neighbours
    int *vertex, *handle, hold_count; // vertices of the tetrahedra and the handle that holds each, -1: anchored
    int lost;                         // spheres that should have been handles and have no vertex of their own
} elastic_handles;

// Chooses the spheres: those of the source's list, or at most so many (0: all). False: no memory.
bool elastic_handles_choose(const sn_medial_mesh *medial, const elastic_source *source, int max_handles,
                            elastic_handles *out);
// Finds vertices that hold them: the corners of the tetrahedron around the sphere's centre, or the nearest of these
// that is free; a handle without any is lost, or kept without a hold. Anchored vertices (may be null) are held, too.
// False: no memory.
bool elastic_handles_place(const sn_medial_mesh *medial, const sn_tet_mesh *mesh, const unsigned char *anchored,
                           bool keep_unheld, elastic_handles *handles);
void elastic_handles_free(elastic_handles *handles);

#endif
