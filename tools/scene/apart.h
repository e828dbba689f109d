// Copies of a rod that do not overlap each other: what is placed already, as pills.
#ifndef SN_SCENE_APART_H
#define SN_SCENE_APART_H

#include "base/memory.h"
#include "geometry/primitives.h"

typedef struct {
    sn_pill *pills;
    sn_bounds *bounds; // of copies
    const int *parents;
    int per_copy, copies;
} apart;

enum { APART_TRIES = 10000 }; // places that a copy may be tried at

// Room for so many copies of a rod with so many points; parents null: each point follows the one before it.
bool apart_begin(apart *a, sn_arena *arena, int copies, int points, const int *parents);

// Adds a copy if it overlaps none of those before it.
bool apart_add(apart *a, const sn_vec3 *points, const sn_real *radii);

#endif
