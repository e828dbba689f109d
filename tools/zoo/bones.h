// Procedural bones of an arm and a leg, in one frame shared with the muscles (muscles.h). Metres; y up, +z front; a
// left arm and leg, so the body's centre is at -x:
//
//     shoulder (0, 0, 0)    elbow (0, -0.30, 0)      wrist (0, -0.56, 0)
//     hip (-0.13, -0.50, 0) knee (-0.115, -0.93, 0)  ankle (-0.12, -1.31, 0)
//
// The arm hangs, palm forward. Gaps between the bones leave space for cartilage.
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

// Makes the surface with about 'triangles' triangles (0: the default), with normals, and texture coordinates projected
// from the front. False: no memory, or out of range; the mesh is empty.
bool zoo_bone(zoo_bone_kind kind, int triangles, sn_mesh *out);

#endif
