// Lists of unknown length, written by the iterations of a parallel loop. Chunks are claimed from an atomic counter but
// chained to their iteration, so reading by iteration is deterministic.
#ifndef SN_MEDIAL_CHUNKED_LIST_H
#define SN_MEDIAL_CHUNKED_LIST_H

#include "base/memory.h"
#include <stdatomic.h>
#include <string.h>

enum { SN_CHUNKED_LIST_CHUNK = 32 }; // items

typedef struct {
    unsigned char *items;
    int *next; // by chunk, -1: the last
    atomic_int claimed;
    int chunks;
    size_t size;               // of an item
    int *first, *last, *count; // by iteration; count includes items beyond the capacity
    int iterations;
} sn_chunked_list;

// False: out of memory.
static inline bool sn_chunked_list_begin(sn_chunked_list *g, sn_arena *arena, int iterations, size_t size, int chunks) {
    size_t n = (size_t)iterations;
    g->size = size;
    g->chunks = chunks;
    g->iterations = iterations;
    g->items = sn_arena_alloc(arena, (size_t)chunks * SN_CHUNKED_LIST_CHUNK, size);
    g->next = sn_arena_alloc(arena, (size_t)chunks, sizeof *g->next);
    g->first = sn_arena_alloc(arena, n, sizeof *g->first);
    g->last = sn_arena_alloc(arena, n, sizeof *g->last);
    g->count = sn_arena_alloc(arena, n, sizeof *g->count);
    atomic_init(&g->claimed, 0);
    return g->items && g->next && g->first && g->last && g->count;
}

// Call it at the start of an iteration.
static inline void sn_chunked_list_open(sn_chunked_list *g, int iteration) {
    g->first[iteration] = g->last[iteration] = -1;
    g->count[iteration] = 0;
}

static inline void sn_chunked_list_append(sn_chunked_list *g, int iteration, const void *item) {
    int at = g->count[iteration]++ % SN_CHUNKED_LIST_CHUNK;
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
    memcpy(g->items + ((size_t)chunk * SN_CHUNKED_LIST_CHUNK + (size_t)at) * g->size, item, g->size);
}

// After the loop: the number of chunks needed. If it exceeds the capacity, begin again with that many.
static inline int sn_chunked_list_wanted(const sn_chunked_list *g) {
    return atomic_load(&g->claimed);
}

// All items in the order of the iterations; null: out of memory.
static inline void *sn_chunked_list_join(const sn_chunked_list *g, sn_arena *arena, int *count) {
    int sum = 0;
    for (int i = 0; i < g->iterations; i++) sum += g->count[i];
    unsigned char *all = sn_arena_alloc(arena, (size_t)sum, g->size), *to = all;
    *count = all ? sum : 0;
    for (int i = 0; all && i < g->iterations; i++) {
        int left = g->count[i];
        for (int chunk = g->first[i]; left > 0; chunk = g->next[chunk]) {
            int some = left < SN_CHUNKED_LIST_CHUNK ? left : SN_CHUNKED_LIST_CHUNK;
            memcpy(to, g->items + (size_t)chunk * SN_CHUNKED_LIST_CHUNK * g->size, (size_t)some * g->size);
            to += (size_t)some * g->size;
            left -= some;
        }
    }
    return all;
}

#endif
