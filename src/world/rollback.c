// Keeps the state of all kinds and couplings in one block, as plain copies of their arrays. See rollback.h.
//
// The block grows before anything moves and is there when it is needed: putting the state back allocates nothing.
#include "world/rollback.h"

// The arrays by body are of one step only, and may be allocated again in it.
static void visit_energy_check(sn_energy_check *e, sn_stream *stream) {
    sn_energy_check state = *e;
    sn_visit_bytes(stream, &state, sizeof state);
    if (stream->mode != SN_STREAM_READ) return;
    state.now = e->now, state.before = e->before, state.capacity = e->capacity;
    *e = state;
}

static void visit_state(sn_world *world, sn_stream *stream) {
    sn_visit_bytes(stream, &world->time, sizeof world->time);
    sn_visit_bytes(stream, &world->steps, sizeof world->steps);
    sn_visit_bytes(stream, &world->profile, sizeof world->profile);
    sn_visit_bytes(stream, world->first_body, sizeof world->first_body); // readers of the last step's contacts use them
    sn_visit_bytes(stream, &world->numbered_bodies, sizeof world->numbered_bodies);
    visit_energy_check(&world->energy_check, stream);
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->visit_state) sn_kinds[k]->visit_state(world->systems[k], stream);
    for (int c = 0; c < sn_coupling_count; c++)
        if (sn_couplings[c]->visit_state) sn_couplings[c]->visit_state(world->couplings[c], stream);
}

bool sn_rollback_keep(sn_world *world) {
    sn_stream stream = {.mode = SN_STREAM_COUNT};
    visit_state(world, &stream);
    const size_t size = stream.at;
    if (size > world->kept_capacity) {
        const size_t grown = size + size / 4;
        unsigned char *larger = sn_alloc(&world->memory, grown, 1);
        if (!larger) return false;
        sn_rollback_free(world);
        world->kept = larger, world->kept_capacity = grown;
    }
    world->kept_size = size;
    stream = (sn_stream){.mode = SN_STREAM_WRITE, .write = world->kept, .end = size};
    visit_state(world, &stream);
    return true;
}

void sn_rollback_restore(sn_world *world) {
    sn_stream stream = {.mode = SN_STREAM_READ, .read = world->kept, .end = world->kept_size};
    visit_state(world, &stream);
}

void sn_rollback_free(sn_world *world) {
    sn_free(&world->memory, world->kept, world->kept_capacity, 1);
    world->kept = NULL, world->kept_capacity = 0;
}
