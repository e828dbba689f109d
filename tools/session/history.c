// States to go back to. One is kept every few steps; when they fill the memory they may take, every second one is
// dropped and they are kept half as often, so that the whole run can always be gone through.
#include "session/session_internal.h"
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BYTES ((size_t)64 << 20)
#define EVERY         0.1 // s

static void drop(live *at, int i) {
    at->past_bytes -= at->past[i].size + at->past[i].skins_size;
    free(at->past[i].bytes);
    free(at->past[i].skins);
}

void live_forget_later(live *at) {
    while (at->past_count > 0 && at->past[at->past_count - 1].step > at->step) drop(at, --at->past_count);
}

void live_forget_all(live *at) {
    while (at->past_count > 0) drop(at, --at->past_count);
    free(at->past);
    at->past = NULL;
    at->past_capacity = 0;
}

// The first state stays: it is the start.
static void thin_out(live *at) {
    int left = 0;
    for (int i = 0; i < at->past_count; i++) {
        if (i % 2 == 0)
            at->past[left++] = at->past[i];
        else
            drop(at, i);
    }
    at->past_count = left;
    at->past_stride *= 2;
}

// Also when one has gone back: what came later is still there.
static bool kept_already(const live *at) {
    return at->past_count > 0 && at->past[at->past_count - 1].step >= at->step;
}

bool live_keep(live *at, bool now) {
    if (at->past_stride == 0) {
        const double steps = EVERY / at->bake->step;
        at->past_stride = steps < 1 ? 1 : steps > 1e6 ? 1000000 : (uint32_t)(steps + 0.5);
    }
    if ((!now && at->step % at->past_stride != 0) || kept_already(at)) return true;
    live_past *room = realloc(at->past, ((size_t)at->past_count + 1) * sizeof *room);
    if (!room) return false;
    at->past = room;
    live_past *past = &at->past[at->past_count];
    *past = (live_past){.step = at->step, .size = sn_world_save(at->world, NULL, 0), .hand = at->hand};
    past->bytes = malloc(past->size);
    if (!past->bytes) return false;
    if (!live_characters_save(at->characters, &past->skins, &past->skins_size)) {
        free(past->bytes);
        return false;
    }
    sn_world_save(at->world, past->bytes, past->size);
    memcpy(past->set, at->set, sizeof past->set);
    at->past_count++;
    at->past_bytes += past->size + past->skins_size;
    const size_t most = at->options.history_bytes ? at->options.history_bytes : DEFAULT_BYTES;
    while (at->past_bytes > most && at->past_count > 3) thin_out(at);
    return true;
}

sn_status live_return(live *at, uint32_t step, bool edits) {
    int i = at->past_count - 1;
    while (i > 0 && at->past[i].step > step) i--;
    if (i < 0) return SN_ERR_RANGE;
    const live_past *past = &at->past[i];
    sn_world_def def = sn_world_def_default();
    def.worker_count = at->options.workers > 0 ? at->options.workers : 1;
    sn_world *world;
    sn_status status = sn_world_restore(&def, past->bytes, past->size, &world);
    if (status != SN_OK) return status;
    sn_world_destroy(at->world);
    at->world = world;
    at->step = past->step;
    memcpy(at->set, past->set, sizeof at->set);
    live_characters_return(at->characters, world, past->skins, past->skins_size, edits);
    at->hand = past->hand; // somebody may have held on to a body then
    live_let_go(at);
    live_find_calls(at);
    return SN_OK;
}
