// What of an implicit muscle can be led in time by a scene, and moved by a slider of the page while it runs.
#ifndef SN_SCENE_MUSCLE_NUMBERS_H
#define SN_SCENE_MUSCLE_NUMBERS_H

#include "scene/calls.h"

// In the order of docs/live-protocol.md; sliders have those before MUSCLE_ORIGIN.
typedef enum {
    MUSCLE_ALPHA,        // 2 to 9, of the shape at rest
    MUSCLE_BETA,         //
    MUSCLE_ACTIVE_ALPHA, // of the shape when it is active
    MUSCLE_ACTIVE_BETA,  //
    MUSCLE_ECCENTRICITY, // 0 to 0.99
    MUSCLE_WIDTH,        // times what its volume asks for
    MUSCLE_ACTIVATION,   // 0 to 1
    MUSCLE_HERTZ,        // of jiggling
    MUSCLE_DAMPING,      // 1/s
    MUSCLE_ORIGIN,       // m, in the axes of its bone
    MUSCLE_INSERTION,    //
    MUSCLE_NUMBERS,
} muscle_number;

// The name that scenes and pages have for it, and its range; false: there is no such number.
bool muscle_number_range(int number, const char **name, float *low, float *high);

// Puts a number of a muscle to a value (of three, where it is a place). SN_ERR_RANGE: it is out of its range.
sn_status muscle_number_set(sn_world *world, sn_body muscles, int muscle, int number, const float value[3]);

// The calls that are about muscles and their bones.
sn_status muscle_call(sn_world *world, const scene_call *call);

// The number as it is now, of those that are not places.
float muscle_number_get(const sn_world *world, sn_body muscles, int muscle, int number);

#endif
