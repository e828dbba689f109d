// Binary glTF 2.0: skinned meshes with an animation, and morph targets for large bodies that deform.
#ifndef SN_FORMATS_GLB_WRITE_H
#define SN_FORMATS_GLB_WRITE_H

#include "mesh/error.h"
#include "view/view_spool.h"
#include <stdio.h>

// Allowed error as a fraction of a body's size: keyframes are dropped, and rotations stored in 16 bits, where no vertex
// moves by more than about that.
#define GLB_TOLERANCE 3e-6

// Limits of each large body that deforms: a morph target takes 24 bytes a vertex, and programs slow down where there are
// many.
#define GLB_MAX_TARGETS      1000
#define GLB_MAX_TARGET_BYTES 5e8

// Writes all frames of the spool (one at least). `title` is null or goes into the file. With `shared_joints` one node
// holds the joints of all bodies, else each body has its own. Memory hardly depends on the
// number of frames: tracks are read a few at a time, and the binary part is collected in a temporary file. False: out
// of memory or disk, or more than a .glb can hold; `error` says which and what to do. Errors of `out` are left to its
// owner.
bool glb_write(FILE *out, const view_model *model, const view_spool *frames, const char *title, double tolerance,
               bool shared_joints, tool_error *error);

#endif
