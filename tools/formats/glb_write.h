// Recordings as binary glTF 2.0: skinned meshes with an animation, and morph targets for large bodies that deform.
#ifndef SN_FORMATS_GLB_WRITE_H
#define SN_FORMATS_GLB_WRITE_H

#include "view/recording.h"
#include <stdio.h>

// What may be lost, as a fraction of a body's size: frames are left out, and turns stored in 16 bits, where no vertex
// moves by more than about that.
#define GLB_TOLERANCE 3e-6

// Of each large body that deforms: a morph target is 24 bytes a vertex, and programs slow down where there are many.
#define GLB_MOST_TARGETS      1000
#define GLB_MOST_TARGET_BYTES 5e8

// Writes the whole recording. 'title' goes into the file, or is null. False: out of memory, or more than
// a .glb can hold; 'why' says which and what to do. Errors of the stream are left to whoever closes it.
bool glb_write(FILE *out, const recording *take, const char *title, double tolerance, char why[256]);

#endif
