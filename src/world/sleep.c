// Sleep. Bodies that press on each other or are joined form islands (union-find; couplings join them). A body is still
// while its normalised speed, speed over sqrt(g r), is below STILL. An island that presses on something and has been
// still for LONG_ENOUGH falls asleep as a whole: its bodies keep their state bitwise, cost nothing, and act as static
// bodies for others. A sleeping body wakes when a body that is not still presses on it or is about to strike it, when a
// collider moves near it, or when a call changes it.
#include "base/union_find.h"
#include "world/world.h"

#define STILL       ((sn_real)0.03)
#define LONG_ENOUGH ((sn_real)0.5)
#define WEIGHTLESS  ((sn_real)0.004) // m/s^2: where nothing falls, nothing presses, and what creeps is not still

sn_real sn_world_normalised_speeds(const sn_world *world, sn_real *out) {
    const sn_real gravity = sn_length(world->gravity) > 0 ? sn_length(world->gravity) : WEIGHTLESS;
    for (int i = 0; i < world->numbered_bodies; i++) out[i] = 0;
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->normalised_speeds)
            sn_kinds[k]->normalised_speeds(world->systems[k], gravity, out + world->first_body[k]);
    return STILL;
}

void sn_sleep_update(sn_world *world, sn_real dt) {
    if (world->never_sleep) return;
    const int bodies = world->numbered_bodies;
    sn_arena_reset(&world->arena);
    int *up = sn_arena_alloc(&world->arena, (size_t)bodies + 1, sizeof *up);
    sn_real *speed = sn_arena_alloc(&world->arena, (size_t)bodies + 1, sizeof *speed);
    // By island: how long all its bodies have been still.
    sn_real *still = sn_arena_alloc(&world->arena, (size_t)bodies + 1, sizeof *still);
    bool *pressed = sn_arena_alloc(&world->arena, (size_t)bodies + 1, sizeof *pressed);
    if (!up || !speed || !still || !pressed) return;
    for (int i = 0; i < bodies; i++) up[i] = i, pressed[i] = false, still[i] = (sn_real)1e30;
    sn_world_normalised_speeds(world, speed);

    sn_islands islands = {.body_count = bodies, .up = up, .pressed = pressed, .speed = speed, .still_speed = STILL};
    bool may_sleep = false;
    for (int i = 0; i < sn_coupling_count; i++)
        if (sn_couplings[i]->join_islands && sn_couplings[i]->join_islands(world->couplings[i], &islands))
            may_sleep = true;
    if (!may_sleep) return;
    for (int i = 0; i < bodies; i++) {
        sn_sleep_state *state = sn_world_sleep_state(world, i);
        if (!state || state->asleep) continue;
        state->still = speed[i] < STILL && pressed[i] ? state->still + dt : 0;
        const int root = sn_find_root(up, i);
        still[root] = sn_min(still[root], state->still);
    }
    for (int i = 0; i < bodies; i++) {
        sn_sleep_state *state = sn_world_sleep_state(world, i);
        if (state && !state->asleep && still[sn_find_root(up, i)] >= LONG_ENOUGH) state->asleep = true;
        if (state && state->asleep) world->profile.asleep++;
    }
}
