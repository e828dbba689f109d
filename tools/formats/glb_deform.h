// Bodies that deform, in .glb files. Small ones become skinned bodies with a joint in each vertex, which moves with it
// and rotates with its normal: exact in every program, and keyframes are chosen joint by joint. Large ones become morph
// targets, one for each frame that is kept.
#ifndef SN_FORMATS_GLB_DEFORM_H
#define SN_FORMATS_GLB_DEFORM_H

#include "view/view_spool.h"

// Bodies with more vertices do not become skinned bodies: programs slow down where there are many joints.
enum { GLB_MAX_JOINTS = 256 };

// Whether the model has small bodies that deform.
bool glb_any_skinned(const view_model *model);

// A model in which small bodies that deform are skinned, and the poses of its frames (without vertices). It borrows all
// other meshes from the original.
typedef struct {
    view_model model;
    view_spool *frames;
    bool *own_mesh; // which meshes have arrays of their own
} glb_skinned;

// False: out of memory or disk, errno is set. glb_skinned_free also frees one that is incomplete.
bool glb_skinned_make(const view_model *model, const view_spool *frames, glb_skinned *out);
void glb_skinned_free(glb_skinned *skinned);

// Marks in keep[0..count) the frames of a deforming body to keep, so that every vertex of every other frame is within
// `tolerance` (m) of linear interpolation. Returns how many, or max + 1 as soon as it would be more than `max`; 0 if
// nothing leaves the first frame by more than the tolerance; -1: out of memory, or the frames cannot be read. `stack`
// holds 4 * count numbers.
int glb_choose_targets(const view_model *model, const view_spool *frames, int body, double tolerance, int max,
                       bool *keep, int *stack);

#endif
