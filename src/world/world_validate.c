// See world_validate.h.
#include "world/world_validate.h"
#include "base/assert.h"

#ifdef SN_VALIDATE
#include <stdlib.h>

static void validate_slots(const sn_slots *slots, int count) {
    int taken = 0, listed = 0;
    SN_ASSERT(slots->count >= 0 && slots->count <= slots->capacity);
    for (int i = 0; i < slots->count; i++) {
        SN_ASSERT(slots->at[i].gen != 0);
        taken += slots->at[i].item != NULL;
    }
    for (int i = slots->free; i >= 0; i = slots->at[i].next_free) {
        SN_ASSERT(i < slots->count && !slots->at[i].item);
        SN_ASSERT(++listed <= slots->count); // no cycle
    }
    SN_ASSERT(taken == count && taken + listed == slots->count);
}

void sn_world_validate(const sn_world *world) {
    for (int k = 0; k < sn_kind_count; k++) {
        validate_slots(sn_kinds[k]->slots(world->systems[k]), sn_kinds[k]->count(world->systems[k]));
        if (sn_kinds[k]->validate) sn_kinds[k]->validate(world->systems[k]);
    }
    for (int i = 0; i < sn_coupling_count; i++)
        if (sn_couplings[i]->validate) sn_couplings[i]->validate(world->couplings[i], world);
}

// ---- sleep

static double sum_of_points(const sn_world *world, sn_body body) {
    const int count = sn_body_get_points(world, body, NULL, 0);
    sn_vec3 *points = malloc(((size_t)count + 1) * sizeof *points);
    double sum = 0;
    if (points) sn_body_get_points(world, body, points, count);
    for (int i = 0; points && i < count; i++)
        sum += (double)points[i].x + 3 * (double)points[i].y + 7 * (double)points[i].z;
    free(points);
    return sum;
}

double *sn_validate_sleepers(const sn_world *world) {
    const int count = world->numbered_bodies;
    double *sums = malloc(((size_t)count + 1) * sizeof *sums);
    for (int i = 0; sums && i < count; i++) {
        const sn_sleep_state *state = sn_world_sleep_state(world, i);
        const int row = sn_world_row_of_body(world, i);
        sums[i] = 0.0 / 0.0; // not asleep
        if (state && state->asleep)
            sums[i] = sum_of_points(world, sn_body_handle(world, row, i - sn_world_first_body(world, row)));
    }
    return sums;
}

void sn_validate_slept(const sn_world *world, double *sums) {
    for (int i = 0; sums && i < world->numbered_bodies; i++) {
        const sn_sleep_state *state = sn_world_sleep_state(world, i);
        const int row = sn_world_row_of_body(world, i);
        if (sums[i] != sums[i] || !state || !state->asleep) continue;
        SN_ASSERT(sums[i] == sum_of_points(world, sn_body_handle(world, row, i - sn_world_first_body(world, row))));
    }
    free(sums);
}
#else
typedef int sn_validate_is_off; // a C file must declare something
#endif
