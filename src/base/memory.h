// Memory: every byte of the library comes through here, from the user's hook or from malloc. Blocks are zeroed and aligned
// to 64 bytes, so SIMD rows may start anywhere in them. Counts are kept so that a test can prove that a warmed step
// allocates nothing.
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include "base/log.h"
#include <stdatomic.h>

#define SN_ALIGNMENT 64

typedef struct {
    sn_allocator hook;
    _Atomic(size_t) used_bytes;    // now
    _Atomic(uint64_t) allocations; // ever
} sn_memory;

// Takes the hook; both functions null means malloc and free.
void sn_memory_init(sn_memory *memory, const sn_allocator *hook);

// Says what is wrong with a definition's hook; returns 1 then.
int sn_def_allocator_error(const sn_log *log, const sn_allocator *hook);

// count * size zeroed bytes, or null (also when the product overflows). A count of 0 gives a valid block.
void *sn_alloc(sn_memory *memory, size_t count, size_t size);

// Gives back what sn_alloc returned for the same count and size. Null is fine.
void sn_free(sn_memory *memory, void *block, size_t count, size_t size);

// Makes room for 'needed' elements in *array of *capacity, keeping what is there; the new part is zero. False: no memory,
// nothing changed. Grows by half so that pushing one by one is linear.
bool sn_reserve(sn_memory *memory, void **array, int *capacity, int needed, size_t size);

// A stack of scratch memory for one step. When it overflows it hands out separate blocks, remembers how much was wanted,
// and sn_arena_reset regrows it, so that the next step of the same size allocates nothing.
typedef struct sn_arena sn_arena;
struct sn_arena {
    sn_memory *memory;
    unsigned char *base;
    size_t capacity, used, wanted; // wanted: high-water mark of this round, overflow blocks included
    void *overflow;                // list of separate blocks
};

void sn_arena_init(sn_arena *arena, sn_memory *memory);
void sn_arena_free(sn_arena *arena);
// count * size bytes, 64-byte aligned, not zeroed; null when out of memory. Valid until the next reset.
void *sn_arena_alloc(sn_arena *arena, size_t count, size_t size);
// Forgets everything taken; regrows to the high-water mark.
void sn_arena_reset(sn_arena *arena);

#endif
