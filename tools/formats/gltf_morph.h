// Writes a glTF file again, as .glb, with more morph targets on its skinned meshes and with their weights in its clips.
// Everything else stays as it is in the file: it is the file's own text and bytes that are written, with additions.
#ifndef SN_FORMATS_GLTF_MORPH_H
#define SN_FORMATS_GLTF_MORPH_H

#include "formats/mesh_file.h"
#include "sinew/corrective.h"
#include <stdio.h>

// Weights of all targets at a time of a clip; clip -1: with the nodes as they are without a clip. False: the error is set.
typedef bool gltf_weights_fn(void *user, int clip, double seconds, float *weights, tool_error *error);

typedef struct {
    const sn_correctives *set; // rows count the vertices of all meshes of the file, as mesh_file_merge does
    const char (*names)[MESH_NAME_SIZE];
    gltf_weights_fn *weights;
    void *user;
    double fps; // of the weights in clips
} gltf_targets;

// `path` is the file that `file` was read from; meshes without a source get no targets. False: the error is set; errors of
// `out` are left to its owner.
bool gltf_morph_write(const char *path, const file_source *files, const mesh_file *file, const gltf_targets *targets,
                      FILE *out, tool_error *error);

#endif
