// Which handles move a vertex of an elastic body, and how much: biharmonic weights made local.
#ifndef SN_BAKE_ELASTIC_WEIGHTS_H
#define SN_BAKE_ELASTIC_WEIGHTS_H

#include "fields/biharmonic.h"
#include "mesh/error.h"

enum {
    ELASTIC_MAX_WEIGHTS = 8,    // of a vertex
    ELASTIC_LIST_CAPACITY = 12, // on the way there: the largest of each vertex, anchors among them
};

// The largest weights of a vertex, the largest first. The handle handle_count stands for the anchors.
typedef struct {
    int count;
    int handle[ELASTIC_LIST_CAPACITY];
    float weight[ELASTIC_LIST_CAPACITY];
} elastic_weight_list;

typedef struct {
    int threads;       // 1 to 64; the result does not depend on it
    int patch;         // vertices that are solved for together, about; 0: 12000, or all if that costs no more
    int rings;         // cells around a group that belong to its patch; 0: 2
    int patch_count;   // told: patches
    int largest_patch; // told: vertices of the largest
    void (*progress)(void *context, double fraction);
    void *context;
} elastic_weight_options;

// Biharmonic weights as sn_biharmonic_weights computes them, each within the part of the body that is around its
// handle: cells of vertices that are nearest to a handle (through the body), its own and those up to 'rings' cells
// away. Beyond, they are taken as 0. Only the largest of each vertex are kept; negative ones are not.
bool elastic_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *holds, elastic_weight_options *options,
                     elastic_weight_list *out, tool_error *error);

// Adds a handle's weight to a list if it is among the largest.
void elastic_weight_list_add(elastic_weight_list *list, int handle, double weight);

// What a list becomes: at most 'most' handles whose weights are positive and, with the anchors', add up to 1. What is
// not among the largest goes smoothly: the largest of the rest (at least 'floor') is taken off everything. 'drop' (may
// be null) marks handles that are left out. Returns how many; 0: none is left, or the anchors have it all.
int elastic_weight_list_finish(const elastic_weight_list *list, int handle_count, int max_weights, double floor,
                               const bool *drop, int handle[ELASTIC_MAX_WEIGHTS], double weight[ELASTIC_MAX_WEIGHTS]);

#endif
