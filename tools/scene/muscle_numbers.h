// Numbers of an implicit muscle that a scene can animate and a slider of the page can change.
#ifndef SN_SCENE_MUSCLE_NUMBERS_H
#define SN_SCENE_MUSCLE_NUMBERS_H

#include "scene/calls.h"

// In the order of docs/session-protocol.md. Those before MUSCLE_ORIGIN have sliders.
typedef enum {
    MUSCLE_ALPHA,        // 2 to 9, of the profile at rest
    MUSCLE_BETA,         //
    MUSCLE_ACTIVE_ALPHA, // of the active profile
    MUSCLE_ACTIVE_BETA,  //
    MUSCLE_ECCENTRICITY, // 0 to 0.99
    MUSCLE_WIDTH,        // a factor on the width that follows from its volume
    MUSCLE_ACTIVATION,   // 0 to 1
    MUSCLE_HERTZ,        // natural frequency
    MUSCLE_DAMPING,      // 1/s
    MUSCLE_ORIGIN,       // m, in the axes of its bone
    MUSCLE_INSERTION,    //
    MUSCLE_NUMBERS,
} muscle_number;

// The name and range of a number in scenes and pages. False: there is no such number.
bool muscle_number_range(int number, const char **name, float *low, float *high);

// Sets a number of a muscle (three values if it is a place). SN_ERR_RANGE: out of range.
sn_status muscle_number_set(sn_world *world, sn_body muscles, int muscle, int number, const float value[3]);

// Makes the calls of muscles and their bones.
sn_status muscle_call(sn_world *world, const scene_call *call);

// The current value of a number that is not a place.
float muscle_number_get(const sn_world *world, sn_body muscles, int muscle, int number);

#endif
