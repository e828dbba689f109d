// Saving contacts: the number of sweeps, the warm starts for the next step, who touches whom.
#include "couplings/contact/contact.h"
#include <string.h>

// The warm starts of pairs with a normal impulse.
static void visit_warm_starts(sn_stream *stream, sn_contacts *c) {
    int count = 0;
    for (int i = 0; c->warm_starts && i < c->pair_count; i++) count += sn_warm_starts_press(c->warm_starts, i);
    sn_visit_int(stream, &count);
    const size_t min = 2 * sizeof(int32_t) + SN_FEATURES * sizeof(sn_warm_start);
    if (!sn_stream_check(stream, count >= 0 && sn_stream_holds(stream, (size_t)count, min))) return;
    if (stream->mode == SN_STREAM_READ) {
        c->pairs = sn_arena_alloc(&c->arena, (size_t)count, sizeof *c->pairs);
        c->warm_starts = sn_arena_alloc(&c->arena, SN_FEATURES * (size_t)count, sizeof *c->warm_starts);
        if (!sn_stream_need(stream, c->pairs && c->warm_starts)) return;
        c->pair_count = count;
        memset(c->pairs, 0, (size_t)count * sizeof *c->pairs);
        memset(c->warm_starts, 0, SN_FEATURES * (size_t)count * sizeof *c->warm_starts);
    }
    for (int i = 0; c->warm_starts && i < c->pair_count && !stream->bad; i++) {
        sn_warm_start *warm_starts = &c->warm_starts[SN_FEATURES * i];
        if (stream->mode != SN_STREAM_READ && !sn_warm_starts_press(c->warm_starts, i)) continue;
        int a = c->pairs[i].a, b = c->pairs[i].b;
        sn_visit_int(stream, &a);
        sn_visit_int(stream, &b);
        sn_visit_reals(stream, &warm_starts->load, SN_FEATURES * (int)(sizeof(sn_warm_start) / sizeof(sn_real)));
        for (int k = 0; k < SN_FEATURES; k++)
            sn_stream_check(stream, warm_starts[k].load >= 0 && warm_starts[k].stiffness >= 0);
        c->pairs[i] = (sn_pair){a, b};
    }
}

void sn_contacts_save(void *what, sn_stream *stream) {
    sn_contacts *c = what;
    sn_visit_int(stream, &c->sweeps);
    if (!sn_stream_check(stream, c->sweeps >= 1 && c->sweeps <= 100)) return;
    visit_warm_starts(stream, c);
    if (!stream->bad) sn_body_pairs_visit(c, stream);
}
