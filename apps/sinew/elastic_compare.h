// What the subspace of a baked body costs: the body at rest under its weight, in the full space, in its own, and
// hyper-reduced.
#ifndef SN_APP_ELASTIC_COMPARE_H
#define SN_APP_ELASTIC_COMPARE_H

#include "bake/elastic_settle.h"

typedef struct {
    elastic_weight weight;
    int samples;         // of the hyper-reduced one; 0: twenty for each handle
    const char *picture; // .png
    int threads;
    bool quiet;
} compare_order;

// Prints what comes out and writes the picture. Returns an exit code; what stands against it has been said.
int elastic_compare(const sn_elastic_asset *asset, const compare_order *order);

#endif
