// The world's insides, for the files of this room.
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "base/kind.h"
#include "base/vec.h"
#include "rod/body.h"

enum { KIND_ROD, KIND_COUNT };

// The tables of all kinds, in the order above.
extern const sn_kind *const sn_kinds[KIND_COUNT];

struct sn_world {
    sn_memory memory;
    sn_log log;
    sn_pool *pool;
    int lanes;
    void *systems[KIND_COUNT];
    sn_vec3 gravity;
    sn_solver solver;
    int iterations;
    double time;
    uint64_t steps;
    sn_profile profile;
    bool stepping;
};

static inline sn_rod_system *sn_rods(const sn_world *world) {
    return world->systems[KIND_ROD];
}

// Checks a definition; logs a line for every bad field.
sn_status sn_world_check(const sn_world_def *def);

#endif
