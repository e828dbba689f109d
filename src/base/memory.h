// Memory: every allocation of the library goes through here, to the user's hook or to malloc. Blocks are zeroed and
// aligned to 64 bytes for SIMD rows. The counts let a test prove that a warmed step allocates nothing.
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include "base/log.h"
#include <stdatomic.h>

#define SN_ALIGNMENT 64

typedef struct {
    sn_allocator hook;
    _Atomic(size_t) used_bytes;    // current
    _Atomic(uint64_t) allocations; // since the start
    _Atomic(bool) failed;          // an allocation failed since sn_memory_clear_failure
} sn_memory;

// Sets the hook; if both functions are null, malloc and free.
void sn_memory_init(sn_memory *memory, const sn_allocator *hook);

// Logs what is wrong with a definition's hook and returns 1, or returns 0.
int sn_def_allocator_error(const sn_log *log, const sn_allocator *hook);

// Allocates count * size zeroed bytes; null if out of memory or on overflow. A count of 0 gives a valid block.
void *sn_alloc(sn_memory *memory, size_t count, size_t size);

// Whether an allocation failed since it was cleared. A step asks once at the end of each stage, so that none of its allocations can
// fail unnoticed.
static inline bool sn_memory_failed(const sn_memory *memory) {
    return atomic_load_explicit(&memory->failed, memory_order_relaxed);
}
// For what cannot be had for other reasons, such as more pairs than can be counted.
static inline void sn_memory_fail(sn_memory *memory) {
    atomic_store_explicit(&memory->failed, true, memory_order_relaxed);
}
static inline void sn_memory_clear_failure(sn_memory *memory) {
    atomic_store_explicit(&memory->failed, false, memory_order_relaxed);
}

// Frees a block of sn_alloc with the same count and size. Null is fine.
void sn_free(sn_memory *memory, void *block, size_t count, size_t size);

// Grows *array from *capacity to at least 'needed' elements and zeroes the new ones. Returns false, changing nothing,
// if out of memory. Grows by half, so that appending one by one is linear.
bool sn_reserve(sn_memory *memory, void **array, int *capacity, int needed, size_t size);

// A stack of scratch memory for one step. When it overflows it allocates separate blocks and keeps count;
// sn_arena_reset then grows it, so that the next step of the same size allocates nothing.
typedef struct sn_arena sn_arena;
struct sn_arena {
    sn_memory *memory;
    unsigned char *base;
    size_t capacity, used, wanted; // wanted: high-water mark since the reset, with overflow blocks
    void *overflow;                // list of separate blocks
};

void sn_arena_init(sn_arena *arena, sn_memory *memory);
void sn_arena_free(sn_arena *arena);
// Returns count * size bytes, aligned to 64, not zeroed; null if out of memory. Valid until the next reset.
void *sn_arena_alloc(sn_arena *arena, size_t count, size_t size);
// Frees everything allocated from the arena and grows it to the high-water mark.
void sn_arena_reset(sn_arena *arena);

#endif
