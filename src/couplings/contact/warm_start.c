// Memory of contacts: a contact that lasts starts each substep with the push and drag it ended the last one with, so that the sweeps go on
// converging from substep to substep and step to step. It changes where Gauss-Seidel starts, not where it ends: pushes that are
// too large are given back by the same sweeps.
//
// Pairs of two steps are matched by the numbers of their pills, through a hash table of those that pushed.
#include "couplings/contact/contact.h"

// The part of both that is carried over: a little less than all, so that what rests on too few sweeps dies out.
#define CARRIED ((sn_real)0.95)

void sn_contacts_turn_page(sn_contacts *c) {
    sn_arena arena = c->arena;
    c->arena = c->last;
    c->last = arena;
    sn_arena_reset(&c->arena);
    c->last_pairs = c->pairs, c->last_carried = c->carried, c->last_count = c->carried ? c->pair_count : 0;
    c->pairs = NULL, c->carried = NULL, c->pair_count = 0;
}

static bool pushed(const sn_carried *carried, int pair) {
    return carried[2 * pair].push > 0 || carried[2 * pair + 1].push > 0;
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

static void recall_chunk(void *context, int index, int worker) {
    (void)worker;
    const recalling *r = context;
    sn_contacts *c = r->contacts;
    for (int i = index * CHUNK; i < c->pair_count && i < (index + 1) * CHUNK; i++) {
        const sn_pair p = c->pairs[i];
        c->carried[2 * i] = c->carried[2 * i + 1] = (sn_carried){0};
        for (uint32_t at = scatter(p) & r->mask; r->table[at] >= 0; at = (at + 1) & r->mask) {
            const int k = r->table[at];
            if (p.a != c->last_pairs[k].a || p.b != c->last_pairs[k].b) continue;
            c->carried[2 * i] = c->last_carried[2 * k];
            c->carried[2 * i + 1] = c->last_carried[2 * k + 1];
            break;
        }
    }
}

sn_status sn_contacts_recall(sn_contacts *c) {
    int pushing = 0;
    for (int k = 0; k < c->last_count; k++) pushing += pushed(c->last_carried, k);
    uint32_t size = 16;
    while (size < 2 * (uint32_t)pushing) size *= 2;
    c->carried = sn_arena_take(&c->arena, 2 * (size_t)c->pair_count + 1, sizeof *c->carried);
    recalling r = {c, sn_arena_take(&c->arena, size, sizeof *r.table), size - 1};
    if (!c->carried || !r.table) {
        c->carried = NULL;
        return SN_ERR_MEMORY;
    }
    for (uint32_t k = 0; k < size; k++) r.table[k] = -1;
    for (int k = 0; k < c->last_count; k++) {
        if (!pushed(c->last_carried, k)) continue;
        uint32_t at = scatter(c->last_pairs[k]) & r.mask;
        while (r.table[at] >= 0) at = (at + 1) & r.mask;
        r.table[at] = k;
    }
    sn_parallel_for(c->pool, (c->pair_count + CHUNK - 1) / CHUNK, 1, recall_chunk, &r);
    return SN_OK;
}

void sn_contacts_remember(sn_contacts *c) {
    for (int i = 0; i < 2 * c->pair_count; i++) c->carried[i] = (sn_carried){0};
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count; k++) {
            const sn_vec3 drag = sn_mul(CARRIED, sn_v3(b->drag[0][k], b->drag[1][k], b->drag[2][k]));
            if (!sn_finite(b->push[k]) || !sn_finite3(drag)) continue; // of a body that was put back: it starts anew
            c->carried[b->memory[k]] = (sn_carried){CARRIED * b->push[k], drag};
        }
    }
}
