// Functions shared by the files of the elastic bake; see elastic_bake.c.
#ifndef SN_BAKE_ELASTIC_INTERNAL_H
#define SN_BAKE_ELASTIC_INTERNAL_H

#include "bake/elastic_bake.h"
#include "bake/elastic_weights.h"

// Sorts vertices and tetrahedra along a Morton curve, so that neighbours in the body are neighbours in memory. False:
// no memory.
bool elastic_sort_morton(sn_tet_mesh *mesh);

// The handles, and the vertices whose weights they prescribe.
typedef struct {
    int count;
    int *sphere;                      // of each handle
    unsigned char *few_neighbours;    // of each handle
    int *vertex, *handle, hold_count; // held vertices and the handle of each, -1: anchored
    int lost;                         // spheres that could not become handles because no vertex was left to hold
} elastic_handles;

// Chooses the handles: the source's list, or at most 'max_handles' spheres (0: all). False: no memory.
bool elastic_handles_choose(const sn_medial_mesh *medial, const elastic_source *source, int max_handles,
                            elastic_handles *out);
// Chooses the held vertices: the corners of the tetrahedron around each sphere's centre, or the nearest free one of
// them. A handle without a free corner is lost, or kept without a held vertex if 'keep_unheld'. Anchored vertices
// ('anchored' may be null) are held too. False: no memory.
bool elastic_handles_place(const sn_medial_mesh *medial, const sn_tet_mesh *mesh, const unsigned char *anchored,
                           bool keep_unheld, elastic_handles *handles);
void elastic_handles_free(elastic_handles *handles);

#endif
