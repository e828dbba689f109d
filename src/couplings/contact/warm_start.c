// Warm starts: a contact that lasts starts each substep with the normal force, the stored slip and the stiffness that it ended
// the last one with.
//
// Pairs of two steps are matched by the numbers of their pills, through a hash table of those that pushed.
#include "couplings/contact/contact.h"

static void reset_to(sn_arena *arena, size_t wanted) {
    if (arena->wanted < wanted) arena->wanted = wanted;
    sn_arena_reset(arena);
}

// Broad phases of a step take turns with two arenas. That of the step before stays as it is, so that a step that fails can be
// taken back: the second broad phase puts it aside.
void sn_contacts_swap_warm_starts(sn_contacts *c) {
    const sn_arena arena = c->arena, last = c->last;
    const bool second = c->searches++ == 1;
    c->arena = second ? c->spare : last;
    c->last = arena;
    if (second) c->spare = last;
    if (c->wanted < c->last.wanted) c->wanted = c->last.wanted + c->last.wanted / 4; // with room for what comes later
    reset_to(&c->arena, c->wanted);
    if (c->searches == 1) reset_to(&c->spare, c->wanted);
    c->last_pairs = c->pairs, c->last_warm_starts = c->warm_starts, c->last_count = c->warm_starts ? c->pair_count : 0;
    c->pairs = NULL, c->warm_starts = NULL, c->pair_count = 0;
}

bool sn_warm_starts_press(const sn_warm_start *warm_starts, int pair) {
    for (int k = 0; k < SN_FEATURES; k++)
        if (warm_starts[SN_FEATURES * pair + k].load > 0) return true;
    return false;
}

static uint32_t scatter(sn_pair pair) {
    uint64_t key = ((uint64_t)(uint32_t)pair.a << 32 | (uint32_t)pair.b) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(key >> 32);
}

// Pairs of the step before that pushed, by a hash of their pills: open addressing, -1 is empty.
typedef struct {
    sn_contacts *contacts;
    int32_t *table;
    uint32_t mask;
} recalling;

enum { CHUNK = 512 };

static void load_chunk(void *context, int index, int worker) {
    (void)worker;
    const recalling *r = context;
    sn_contacts *c = r->contacts;
    for (int i = index * CHUNK; i < c->pair_count && i < (index + 1) * CHUNK; i++) {
        const sn_pair p = c->pairs[i];
        for (int k = 0; k < SN_FEATURES; k++) c->warm_starts[SN_FEATURES * i + k] = (sn_warm_start){0};
        c->pressing[i] = 0;
        for (uint32_t at = scatter(p) & r->mask; r->table[at] >= 0; at = (at + 1) & r->mask) {
            const int k = r->table[at];
            if (p.a != c->last_pairs[k].a || p.b != c->last_pairs[k].b) continue;
            for (int n = 0; n < SN_FEATURES; n++) {
                c->warm_starts[SN_FEATURES * i + n] = c->last_warm_starts[SN_FEATURES * k + n];
                if (c->warm_starts[SN_FEATURES * i + n].load > 0) c->pressing[i] |= (unsigned char)(1u << n);
                c->pressing[i] |= SN_STORED;
            }
            break;
        }
    }
}

sn_status sn_contacts_load_warm_starts(sn_contacts *c) {
    int pushing = 0;
    for (int k = 0; k < c->last_count; k++) pushing += sn_warm_starts_press(c->last_warm_starts, k);
    uint32_t size = 16;
    while (size < 2 * (uint32_t)pushing) size *= 2;
    c->warm_starts = sn_arena_alloc(&c->arena, SN_FEATURES * (size_t)c->pair_count + 1, sizeof *c->warm_starts);
    c->pressing = sn_arena_alloc(&c->arena, (size_t)c->pair_count + 1, sizeof *c->pressing);
    c->found = sn_arena_alloc(&c->arena, (size_t)c->pair_count + 1, sizeof *c->found);
    recalling r = {c, sn_arena_alloc(&c->arena, size, sizeof *r.table), size - 1};
    if (!c->warm_starts || !c->pressing || !c->found || !r.table) {
        c->warm_starts = NULL;
        return SN_ERR_MEMORY;
    }
    for (uint32_t k = 0; k < size; k++) r.table[k] = -1;
    for (int k = 0; k < c->last_count; k++) {
        if (!sn_warm_starts_press(c->last_warm_starts, k)) continue;
        uint32_t at = scatter(c->last_pairs[k]) & r.mask;
        while (r.table[at] >= 0) at = (at + 1) & r.mask;
        r.table[at] = k;
    }
    sn_parallel_for(c->pool, (c->pair_count + CHUNK - 1) / CHUNK, 1, load_chunk, &r);
    return SN_OK;
}

static void clear_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    const int first = index * CHUNK, end = first + CHUNK < c->pair_count ? first + CHUNK : c->pair_count;
    for (int i = first; i < end; i++) {
        if (c->found[i] == 0 && c->pressing[i] == 0) continue; // clear already
        for (int k = 0; k < SN_FEATURES; k++) c->warm_starts[SN_FEATURES * i + k] = (sn_warm_start){0};
        c->pressing[i] = c->found[i] ? SN_STORED : 0;
    }
}

static void store_block(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    const sn_contact_block *b = &c->blocks[index];
    for (int k = 0; k < b->count; k++) {
        const sn_warm_start warm = sn_contact_warm_start(b, k);
        if (!sn_finite(warm.load) || !sn_finite3(warm.stretch) || !sn_finite3(warm.rotation) ||
            !sn_finite(warm.strength) || !sn_finite(warm.stiffness) || !sn_finite(warm.target))
            continue; // of a body that was put back: it starts anew
        c->warm_starts[b->warm_start[k]] = warm;
        if (warm.load > 0) // other features of the pair may be in the block of another worker
            __atomic_fetch_or(&c->pressing[b->warm_start[k] / SN_FEATURES],
                              (unsigned char)(1u << b->warm_start[k] % SN_FEATURES), __ATOMIC_RELAXED);
    }
}

void sn_contacts_store_warm_starts(sn_contacts *c) {
    if (!c->warm_starts) return; // there was no memory for them
    sn_parallel_for(c->pool, (c->pair_count + CHUNK - 1) / CHUNK, 1, clear_chunk, c);
    sn_parallel_for(c->pool, c->block_count, 8, store_block, c);
}
