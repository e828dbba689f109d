// The history: saved states to go back to. One is saved every few steps. When they exceed the memory limit, every second
// one is dropped and the interval doubles, so that the history always covers the whole run.
#include "session/session_internal.h"
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BYTES ((size_t)64 << 20)
#define EVERY         0.1 // s

static void drop(session *s, int i) {
    s->past_bytes -= s->past[i].size + s->past[i].skins_size;
    free(s->past[i].bytes);
    free(s->past[i].skins);
}

void session_drop_future(session *s) {
    while (s->past_count > 0 && s->past[s->past_count - 1].step > s->step) drop(s, --s->past_count);
}

void session_clear_history(session *s) {
    while (s->past_count > 0) drop(s, --s->past_count);
    free(s->past);
    s->past = NULL;
    s->past_capacity = 0;
}

// The first state stays: it is the start.
static void thin_out(session *s) {
    int left = 0;
    for (int i = 0; i < s->past_count; i++) {
        if (i % 2 == 0)
            s->past[left++] = s->past[i];
        else
            drop(s, i);
    }
    s->past_count = left;
    s->past_stride *= 2;
}

// Also true after going back: later states are kept.
static bool is_saved(const session *s) {
    return s->past_count > 0 && s->past[s->past_count - 1].step >= s->step;
}

bool session_save_state(session *s, bool now) {
    if (s->past_stride == 0) {
        const double steps = EVERY / s->page->step;
        s->past_stride = steps < 1 ? 1 : steps > 1e6 ? 1000000 : (uint32_t)(steps + 0.5);
    }
    if ((!now && s->step % s->past_stride != 0) || is_saved(s)) return true;
    session_past *more = realloc(s->past, ((size_t)s->past_count + 1) * sizeof *more);
    if (!more) return false;
    s->past = more;
    session_past *past = &s->past[s->past_count];
    *past = (session_past){.step = s->step, .size = sn_world_save(s->world, NULL, 0), .hand = s->hand};
    past->bytes = malloc(past->size);
    if (!past->bytes) return false;
    if (s->characters && !s->character_ops->save(s->characters, &past->skins, &past->skins_size)) {
        free(past->bytes);
        return false;
    }
    sn_world_save(s->world, past->bytes, past->size);
    memcpy(past->set, s->set, sizeof past->set);
    s->past_count++;
    s->past_bytes += past->size + past->skins_size;
    const size_t max = s->options.history_bytes ? s->options.history_bytes : DEFAULT_BYTES;
    while (s->past_bytes > max && s->past_count > 3) thin_out(s);
    return true;
}

sn_status session_restore_state(session *s, uint32_t step, bool edits) {
    int i = s->past_count - 1;
    while (i > 0 && s->past[i].step > step) i--;
    if (i < 0) return SN_ERR_RANGE;
    const session_past *past = &s->past[i];
    sn_world_def def = sn_world_def_default();
    def.worker_count = s->options.workers > 0 ? s->options.workers : 1;
    sn_world *world;
    sn_status status = sn_world_restore(&def, past->bytes, past->size, &world);
    if (status != SN_OK) return status;
    sn_world_destroy(s->world);
    s->world = world;
    s->step = past->step;
    memcpy(s->set, past->set, sizeof s->set);
    if (s->characters) s->character_ops->restore(s->characters, world, past->skins, past->skins_size, edits);
    s->hand = past->hand; // a body may have been held then
    session_release(s);
    session_find_calls(s);
    return SN_OK;
}
