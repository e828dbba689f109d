// Warm starting: a contact that lasts starts each substep with the normal and friction impulses it ended the last one
// with, so that sweeps keep converging from substep to substep and from step to step. This changes where Gauss-Seidel
// starts, not where it converges to: the same sweeps reduce impulses that are too large.
//
// Pairs of two steps are matched by the indices of their elements, through a hash table of the pairs with a normal
// impulse.
#include "couplings/contact/contact.h"

// The part of the impulses that is kept. A little less than all, so that errors of unconverged sweeps decay.
#define KEPT ((sn_real)0.95)

void sn_contacts_swap_warm_starts(sn_contacts *c) {
    sn_arena arena = c->arena;
    c->arena = c->last;
    c->last = arena;
    sn_arena_reset(&c->arena);
    c->last_pairs = c->pairs, c->last_warm_starts = c->warm_starts, c->last_count = c->warm_starts ? c->pair_count : 0;
    c->pairs = NULL, c->warm_starts = NULL, c->pair_count = 0;
}

static bool has_impulse(const sn_warm_start *warm_starts, int pair) {
    return warm_starts[2 * pair].normal_impulse > 0 || warm_starts[2 * pair + 1].normal_impulse > 0;
}

static uint32_t scatter(sn_pair pair) {
    uint64_t key = ((uint64_t)(uint32_t)pair.a << 32 | (uint32_t)pair.b) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(key >> 32);
}

// The last step's pairs with a normal impulse, by a hash of their elements: open addressing, -1 is empty.
typedef struct {
    sn_contacts *contacts;
    int32_t *table;
    uint32_t mask;
} warm_start_table;

enum { CHUNK = 512 };

static void load_chunk(void *context, int index, int worker) {
    (void)worker;
    const warm_start_table *r = context;
    sn_contacts *c = r->contacts;
    for (int i = index * CHUNK; i < c->pair_count && i < (index + 1) * CHUNK; i++) {
        const sn_pair p = c->pairs[i];
        c->warm_starts[2 * i] = c->warm_starts[2 * i + 1] = (sn_warm_start){0};
        for (uint32_t at = scatter(p) & r->mask; r->table[at] >= 0; at = (at + 1) & r->mask) {
            const int k = r->table[at];
            if (p.a != c->last_pairs[k].a || p.b != c->last_pairs[k].b) continue;
            c->warm_starts[2 * i] = c->last_warm_starts[2 * k];
            c->warm_starts[2 * i + 1] = c->last_warm_starts[2 * k + 1];
            break;
        }
    }
}

sn_status sn_contacts_load_warm_starts(sn_contacts *c) {
    int count = 0;
    for (int k = 0; k < c->last_count; k++) count += has_impulse(c->last_warm_starts, k);
    uint32_t size = 16;
    while (size < 2 * (uint32_t)count) size *= 2;
    c->warm_starts = sn_arena_alloc(&c->arena, 2 * (size_t)c->pair_count + 1, sizeof *c->warm_starts);
    warm_start_table r = {c, sn_arena_alloc(&c->arena, size, sizeof *r.table), size - 1};
    if (!c->warm_starts || !r.table) {
        c->warm_starts = NULL;
        return SN_ERR_MEMORY;
    }
    for (uint32_t k = 0; k < size; k++) r.table[k] = -1;
    for (int k = 0; k < c->last_count; k++) {
        if (!has_impulse(c->last_warm_starts, k)) continue;
        uint32_t at = scatter(c->last_pairs[k]) & r.mask;
        while (r.table[at] >= 0) at = (at + 1) & r.mask;
        r.table[at] = k;
    }
    sn_parallel_for(c->pool, (c->pair_count + CHUNK - 1) / CHUNK, 1, load_chunk, &r);
    return SN_OK;
}

void sn_contacts_store_warm_starts(sn_contacts *c) {
    for (int i = 0; i < 2 * c->pair_count; i++) c->warm_starts[i] = (sn_warm_start){0};
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count; k++) {
            const sn_vec3 friction_impulse =
                sn_mul(KEPT, sn_v3(b->friction_impulse[0][k], b->friction_impulse[1][k], b->friction_impulse[2][k]));
            if (!sn_finite(b->normal_impulse[k]) || !sn_finite3(friction_impulse))
                continue; // of a body that diverged and was reset: no warm start
            c->warm_starts[b->warm_start[k]] = (sn_warm_start){KEPT * b->normal_impulse[k], friction_impulse};
        }
    }
}
