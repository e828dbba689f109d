// Bodies that deform, for .glb files. Small ones become skinned bodies: a joint in each vertex, that moves with it and
// turns with its normal, so that vertices and normals are exact in every program and only frames that are needed are
// kept, joint by joint. Large ones are for morph targets, one for each frame that is needed.
#ifndef SN_FORMATS_GLB_DEFORM_H
#define SN_FORMATS_GLB_DEFORM_H

#include "view/recording.h"

// Vertices of a body that may become joints: programs slow down where there are many of them.
enum { GLB_MOST_JOINTS = 256 };

// Whether there are small bodies that deform.
bool glb_any_skinned(const recording *take);

// Makes a recording in which small bodies that deform are skinned. It borrows all other shapes from 'take'. False: no
// memory. glb_skinned_free frees what is its own, also of one that was not finished.
typedef struct {
    recording take;
    bool *own_shape; // which shapes have arrays of their own
} glb_skinned;

bool glb_skinned_make(const recording *take, glb_skinned *out);
void glb_skinned_free(glb_skinned *skinned);

// Marks in keep[0..frame_count) the frames of a deforming body that are needed, so that every vertex of every other is
// within 'tolerance' (m) of what linear interpolation gives. Returns how many; 0 when nothing ever leaves the first
// frame by more. 'stack' has room for 4 * frame_count numbers.
int glb_choose_targets(const recording *take, int body, double tolerance, bool *keep, int *stack);

#endif
