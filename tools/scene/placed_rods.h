// Copies of a rod that do not overlap each other: what is placed already, as pills.
#ifndef SN_SCENE_PLACED_RODS_H
#define SN_SCENE_PLACED_RODS_H

#include "base/memory.h"
#include "geometry/primitives.h"

typedef struct {
    sn_pill *pills;
    sn_bounds *bounds; // of copies
    const int *parents;
    int per_copy, copies;
} placed_rods;

// Places that a copy is tried at: where overlap is an error, and where it may overlap after all.
enum { PLACE_TRIES = 10000, PLACE_TRIES_USUAL = 100 };

// Room for so many copies of a rod with so many points; parents null: each point follows the one before it.
bool placed_rods_begin(placed_rods *a, sn_arena *arena, int copies, int points, const int *parents);

// Adds a copy if it overlaps none of those before it.
bool placed_rods_add(placed_rods *a, const sn_vec3 *points, const sn_real *radii);

// Adds a copy whatever it overlaps.
void placed_rods_put(placed_rods *a, const sn_vec3 *points, const sn_real *radii);

#endif
