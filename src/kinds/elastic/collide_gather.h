// Lists of unknown length, written by the iterations of a parallel loop: chunks are claimed from a counter, whoever
// comes first, but chained to their iteration, so that read by iteration the order is always the same.
#ifndef SN_KINDS_ELASTIC_COLLIDE_GATHER_H
#define SN_KINDS_ELASTIC_COLLIDE_GATHER_H

#include "base/memory.h"
#include <stdatomic.h>
#include <string.h>

enum { SN_GATHER_CHUNK = 32 }; // items

typedef struct {
    unsigned char *items;
    int *next; // by chunk, -1: the last
    atomic_int claimed;
    int chunks;
    size_t size;               // of an item
    int *first, *last, *count; // by iteration; count: also of those that found no room
    int iterations;
} sn_gather;

// False: no memory.
static inline bool sn_gather_begin(sn_gather *g, sn_arena *arena, int iterations, size_t size, int chunks) {
    size_t n = (size_t)iterations;
    g->size = size;
    g->chunks = chunks;
    g->iterations = iterations;
    g->items = sn_arena_take(arena, (size_t)chunks * SN_GATHER_CHUNK, size);
    g->next = sn_arena_take(arena, (size_t)chunks, sizeof *g->next);
    g->first = sn_arena_take(arena, n, sizeof *g->first);
    g->last = sn_arena_take(arena, n, sizeof *g->last);
    g->count = sn_arena_take(arena, n, sizeof *g->count);
    atomic_init(&g->claimed, 0);
    return g->items && g->next && g->first && g->last && g->count;
}

// At the start of an iteration.
static inline void sn_gather_open(sn_gather *g, int iteration) {
    g->first[iteration] = g->last[iteration] = -1;
    g->count[iteration] = 0;
}

static inline void sn_gather_push(sn_gather *g, int iteration, const void *item) {
    int at = g->count[iteration]++ % SN_GATHER_CHUNK;
    if (at == 0) {
        int chunk = atomic_fetch_add_explicit(&g->claimed, 1, memory_order_relaxed);
        if (chunk < g->chunks) {
            g->next[chunk] = -1;
            if (g->last[iteration] >= 0) {
                g->next[g->last[iteration]] = chunk;
            } else {
                g->first[iteration] = chunk;
            }
        }
        g->last[iteration] = chunk;
    }
    int chunk = g->last[iteration];
    if (chunk >= g->chunks) return;
    memcpy(g->items + ((size_t)chunk * SN_GATHER_CHUNK + (size_t)at) * g->size, item, g->size);
}

// After the loop: how many chunks it wanted. More than there were: begin again with that many.
static inline int sn_gather_wanted(const sn_gather *g) {
    return atomic_load(&g->claimed);
}

// All items in the order of the iterations; null: no memory.
static inline void *sn_gather_join(const sn_gather *g, sn_arena *arena, int *count) {
    int sum = 0;
    for (int i = 0; i < g->iterations; i++) sum += g->count[i];
    unsigned char *all = sn_arena_take(arena, (size_t)sum, g->size), *to = all;
    *count = all ? sum : 0;
    for (int i = 0; all && i < g->iterations; i++) {
        int left = g->count[i];
        for (int chunk = g->first[i]; left > 0; chunk = g->next[chunk]) {
            int some = left < SN_GATHER_CHUNK ? left : SN_GATHER_CHUNK;
            memcpy(to, g->items + (size_t)chunk * SN_GATHER_CHUNK * g->size, (size_t)some * g->size);
            to += (size_t)some * g->size;
            left -= some;
        }
    }
    return all;
}

#endif
