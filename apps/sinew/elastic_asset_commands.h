// What commands print about baked elastic bodies.
#ifndef SN_APP_ELASTIC_ASSET_COMMANDS_H
#define SN_APP_ELASTIC_ASSET_COMMANDS_H

#include "reference/equilibrium.h"

// 'sinew info' of a baked elastic body. Returns an exit code.
int elastic_info(const char *name, bool json);

typedef struct {
    equilibrium_load load;
    int samples;         // tetrahedra of the hyper-reduced solve; 0: twenty per handle
    const char *picture; // .png
    int threads;
    bool quiet;
} compare_request;

// 'sinew elastic --compare': solves for the body's equilibrium under gravity in the full space, in the subspace of its
// handles and hyper-reduced, prints how far the three differ and writes a picture of them. Prints errors and returns an
// exit code.
int elastic_compare(const sn_elastic_asset *asset, const compare_request *request);

#endif
