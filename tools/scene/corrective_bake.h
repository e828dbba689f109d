// Bakes the implicit skin of a character into pose-driven corrective shapes (sinew/corrective.h).
#ifndef SN_SCENE_CORRECTIVE_BAKE_H
#define SN_SCENE_CORRECTIVE_BAKE_H

#include "scene/character.h"
#include "sinew/corrective.h"

typedef struct {
    int targets;        // at most
    const char *unseen; // a clip that the shapes must not be made for, to measure them in it; null: none
} corrective_options;

// Distances of vertices to the implicit skin, m.
typedef struct {
    double mean, p95, max; // p95: 95 % of the vertices are nearer
} corrective_error;

typedef struct {
    sn_correctives set; // in the space and the units of the file's mesh; joints are the bones of the character
    sn_corrective_target *targets;
    sn_corrective_row *rows;
    int frames; // of the comparison with the skin
    corrective_error baked, linear;
    bool from_clips; // frames are those of the file's clips; else of random poses
} corrective_bake;

// False: the error is set, and `out` is empty.
bool corrective_bake_make(character *c, const corrective_options *options, corrective_bake *out, tool_error *error);
void corrective_bake_free(corrective_bake *bake);

#endif
