// What becomes of whatever a reader accepted: a world of it, a rod that falls on it and the ground below it. It is stepped, saved,
// restored, and stepped again; both runs must be the same, and all numbers finite.
#ifndef SN_FUZZ_WORLD_H
#define SN_FUZZ_WORLD_H

#include "sinew/sinew.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fuzz_fail(const char *text) {
    fprintf(stderr, "not so: %s\n", text);
    abort();
}

// Contacts may be more than the budget, and a body may be put back.
static inline bool fuzz_stepped(sn_status status) {
    return status == SN_OK || status == SN_WARN_DIVERGED || status == SN_WARN_ENERGY || status == SN_ERR_PAIRS;
}

// Three steps of the world and of what it was saved as.
static inline void fuzz_compare(sn_world *world) {
    enum { STEPS = 3 };
    sn_world_def def = sn_world_def_default();
    def.max_pairs = sn_world_max_pairs(world); // a limit of the process, not saved
    sn_world *twin = NULL;
    const size_t size = sn_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    if (!bytes) return;
    if (sn_world_save(world, bytes, size) != size) fuzz_fail("the world keeps its size");
    if (sn_world_restore(&def, bytes, size, &twin) != SN_OK) fuzz_fail("the world can be restored");
    free(bytes);
    for (int i = 0; i <= STEPS; i++) {
        if (sn_world_hash(world) != sn_world_hash(twin)) fuzz_fail("the restored world is the same");
        const sn_status here = sn_world_step(world, (sn_real)0.01, 1), there = sn_world_step(twin, (sn_real)0.01, 1);
        if (here != there || !fuzz_stepped(here)) {
            fprintf(stderr, "%s, %s: ", sn_status_name(here), sn_status_name(there));
            fuzz_fail("the restored world steps as well");
        }
    }
    const sn_energy energy = sn_world_energy(world);
    if (!isfinite(energy.kinetic) || !isfinite(energy.elastic)) fuzz_fail("its energy is a number");
    sn_world_destroy(twin);
}

// A short rod over a box, which touches it from above, and a plane that touches it from below.
static inline void fuzz_touch(sn_world *world, sn_box3 box) {
    const sn_vec3 low = box.min, high = box.max;
    const sn_real size = high.x - low.x + high.y - low.y + high.z - low.z, radius = (sn_real)0.02 * size;
    if (!(size > (sn_real)1e-4 && size < (sn_real)1e4)) return;
    const sn_real x = (sn_real)0.5 * (low.x + high.x), z = (sn_real)0.5 * (low.z + high.z);
    sn_vec3 points[4];
    for (int i = 0; i < 4; i++)
        points[i] = (sn_vec3){x + (sn_real)0.1 * size * (sn_real)(i - 1), high.y + (sn_real)0.9 * radius, z};
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 4, rod.radius = radius;
    sn_body body;
    sn_rod_create(world, &rod, &body);
    sn_rigid_def ground = sn_rigid_def_default();
    ground.position.y = low.y;
    sn_rigid_create(world, &ground, &body);
}

// The same for a body that was made of what was read.
static inline void fuzz_try(sn_world *world, sn_body body) {
    fuzz_touch(world, sn_body_bounds(world, body));
    for (int i = 0; i < 2; i++)
        if (!fuzz_stepped(sn_world_step(world, (sn_real)0.01, 1))) fuzz_fail("the world steps");
    fuzz_compare(world);
    sn_world_destroy(world);
}

static inline sn_world *fuzz_world(void) {
    const sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    if (sn_world_create(&def, &world) != SN_OK) fuzz_fail("a world");
    return world;
}

#endif
