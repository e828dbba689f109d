// Bones of an arm and a leg, of our own, in one frame, which the muscles (muscles.h) share. Metres; y is up, +z the
// front; it is a left arm and leg, so the body's middle is at -x:
//
//     shoulder (0, 0, 0)    elbow (0, -0.30, 0)      wrist (0, -0.56, 0)
//     hip (-0.13, -0.50, 0) knee (-0.115, -0.93, 0)  ankle (-0.12, -1.31, 0)
//
// The arm hangs, palm forward. Bones do not touch: there is room for cartilage.
#ifndef SN_ZOO_BONES_H
#define SN_ZOO_BONES_H

#include "mesh/mesh.h"

typedef enum { ZOO_HUMERUS, ZOO_RADIUS, ZOO_ULNA, ZOO_FEMUR, ZOO_TIBIA, ZOO_BONE_KINDS } zoo_bone_kind;

// "humerus", "radius", ...
const char *zoo_bone_name(zoo_bone_kind kind);

enum {
    ZOO_BONE_MIN_TRIANGLES = 1500,
    ZOO_BONE_DEFAULT_TRIANGLES = 3000,
    ZOO_BONE_MAX_TRIANGLES = 1000000
}; // triangles

// Makes the surface of about so many triangles (0: the usual), with normals, and texture coordinates as seen from the
// front. False: no memory, or a number out of range; the mesh is then empty.
bool zoo_bone(zoo_bone_kind kind, int triangles, sn_mesh *out);

#endif
