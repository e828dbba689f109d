// A muscle rig (NAME.rig.json): rods, and a skin that is bound to their cross-sections. `sinew viperize` writes it and
// scenes use it.
//
//     { "sinew": "muscle", "version": 1, "name": "biceps",
//       "rods": [ { "points": [[x, y, z], ...], "radii": [r, ...] }, ... ],   point k of all rods: cross-section k
//       "skin": { "vertices": [[x, y, z], ...], "triangles": [[a, b, c], ...],
//                 "sections": [[k, k, k, k], ...], "weights": [[w, w, w, w], ...] } }    of each vertex; may be missing
//
// Other keys ("mesh", "volume", "ends", ...) are for people and other tools.
#ifndef SN_FORMATS_MUSCLE_RIG_H
#define SN_FORMATS_MUSCLE_RIG_H

#include "formats/file_text.h"
#include "mesh/mesh.h"

// Limits of a file.
#define RIG_MAX_RODS   1000
#define RIG_MAX_SLICES 1000

typedef struct muscle_rig {
    int rod_count, slice_count;
    double (*points)[3]; // rod after rod, slice_count each
    double *radii;       // likewise
    sn_mesh skin;        // joints are cross-sections; no vertices: no skin
} muscle_rig;

// Allocates the rods. False: out of memory, and the rig is empty.
bool muscle_rig_alloc(muscle_rig *rig, int rods, int slices);

// Leaves the rig empty. An empty one is fine.
void muscle_rig_free(muscle_rig *rig);

// Reads a file. False: the error is "file:line:column: what is wrong", and the rig is empty.
bool muscle_rig_read(const char *file, const file_source *files, muscle_rig *out, tool_error *error);

// The same for a text in memory under a name.
bool muscle_rig_parse(const char *name, const char *text, size_t size, muscle_rig *out, tool_error *error);

#endif
