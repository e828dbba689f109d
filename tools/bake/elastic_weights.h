// Weights of the handles at each vertex of an elastic body: localised biharmonic weights.
#ifndef SN_BAKE_ELASTIC_WEIGHTS_H
#define SN_BAKE_ELASTIC_WEIGHTS_H

#include "fields/biharmonic.h"
#include "mesh/error.h"

enum {
    ELASTIC_MAX_WEIGHTS = 8,    // per vertex
    ELASTIC_LIST_CAPACITY = 12, // per vertex before normalisation, including the anchors
};

// The largest weights of a vertex in descending order. The handle index handle_count stands for the anchors.
typedef struct {
    int count;
    int handle[ELASTIC_LIST_CAPACITY];
    float weight[ELASTIC_LIST_CAPACITY];
} elastic_weight_list;

typedef struct {
    int threads;       // 1 to 64; does not affect the result
    int patch;         // approximate vertices per patch; 0: 12000, or the whole mesh if that costs no more
    int rings;         // cells around a group that belong to its patch; 0: 2
    int patch_count;   // output: number of patches
    int largest_patch; // output: vertices of the largest patch
    void (*progress)(void *context, double fraction);
    void *context;
} elastic_weight_options;

// Computes biharmonic weights as sn_biharmonic_weights does, but each only near its handle: in the cell of vertices
// nearest to the handle (through the body) and in cells up to 'rings' away. Elsewhere they are 0. Keeps only the
// largest positive weights of each vertex.
bool elastic_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *holds, elastic_weight_options *options,
                     elastic_weight_list *out, tool_error *error);

// Adds a weight to a list if it is among the largest.
void elastic_weight_list_add(elastic_weight_list *list, int handle, double weight);

// Turns a list into final weights: at most 'max_weights' positive ones that, together with the anchors' weight, sum to
// 1. To stay continuous when a weight enters or leaves the list, the largest omitted weight (at least 'floor') is
// subtracted from all. 'drop' (may be null) marks handles to leave out. Returns the number of weights; 0: none is left,
// or the anchors take all.
int elastic_weight_list_finish(const elastic_weight_list *list, int handle_count, int max_weights, double floor,
                               const bool *drop, int handle[ELASTIC_MAX_WEIGHTS], double weight[ELASTIC_MAX_WEIGHTS]);

#endif
