// What the files behind sinew/implicit_skin.h share.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_MODEL_H
#define SN_SKIN_IMPLICIT_IMPLICIT_MODEL_H

#include "kinds/implicit_muscle/implicit_muscle.h"
#include "skin/implicit/implicit_edges.h"
#include "skin/implicit/implicit_muscles.h"
#include "skin/implicit/implicit_skin.h"
#include <stdatomic.h>

struct sn_implicit_model {
    sn_memory memory;
    sn_log log;
    int lanes;
    sn_implicit_asset asset; // a copy
    sn_transform *rest;      // of all bones
    sn_implicit_edges edges;
    sn_implicit_rig *rig;      // of welded vertices, bound to the muscles at rest
    sn_muscle_system *muscles; // at rest; null: none
    atomic_int skins;
};

struct sn_implicit_skin {
    sn_implicit_model *model;
    sn_memory memory; // counts separately; the allocator is the model's
    sn_implicit_state *state;
    sn_skin_muscles *muscles; // of the system it followed last; null: none
    const sn_muscle_system *seen;
    sn_implicit_options options;
    sn_transform *poses;
    sn_vec3 *points, *normals; // of welded vertices
};

// implicit_asset.c: copies an asset (false: out of memory), frees it, and streams it. Reading allocates arrays; free
// the asset even if the stream is bad.
bool sn_implicit_asset_copy(sn_memory *memory, const sn_implicit_asset *from, sn_implicit_asset *out);
void sn_implicit_asset_free(sn_memory *memory, sn_implicit_asset *asset);
void sn_implicit_asset_visit(sn_memory *memory, sn_implicit_asset *asset, sn_stream *stream);

// Validates counts, arrays, and everything that nothing else checks; logs a line for each error.
bool sn_implicit_asset_check(const sn_log *log, const sn_implicit_asset *asset);

#endif
