// Procedural muscles at their anatomical position (see bones.h for the frame). Closed and in one piece; painted red
// where fibres begin, blue where they end and white between, as 'sinew viperize' expects.
#ifndef SN_ZOO_MUSCLES_H
#define SN_ZOO_MUSCLES_H

#include "mesh/mesh.h"

typedef enum {
    ZOO_BICEPS_LONG,  // over the front of the humeral head, down to the radius
    ZOO_BICEPS_SHORT, // beside it, from the shoulder blade
    ZOO_BRACHIALIS,   // under both, from the humerus to the ulna
    ZOO_TRICEPS,      // at the back, to the tip of the elbow
    ZOO_DELTOID,      // over the shoulder: broad and curved
    ZOO_PECTORAL,     // a fan from the breastbone to the humerus
    ZOO_BIPENNATE,    // of the thigh: fibres run from both flanks into a central tendon, like a feather
    ZOO_MUSCLE_KINDS
} zoo_muscle_kind;

// "biceps-long", "biceps-short", ...
const char *zoo_muscle_name(zoo_muscle_kind kind);

enum {
    ZOO_MUSCLE_MIN_TRIANGLES = 1500,
    ZOO_MUSCLE_DEFAULT_TRIANGLES = 3000,
    ZOO_MUSCLE_MAX_TRIANGLES = 1000000
}; // triangles

// Makes the surface with about 'triangles' triangles (0: the default), with normals, texture coordinates (u around,
// mirrored, v along) and colours. False: no memory, or out of range; the mesh is empty.
bool zoo_muscle(zoo_muscle_kind kind, int triangles, sn_mesh *out);

#endif
