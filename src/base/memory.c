// Memory from the user's hook or from malloc: zeroed, aligned to a cache line, counted. See memory.h.
//
// Used only on threads that call the API. Several may read a world at the same time, so the counts are atomic.
#include "base/memory.h"
#include "base/platform.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void *system_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return sn_platform_allocate(size, alignment);
}

static void system_release(void *user, void *memory, size_t size, size_t alignment) {
    (void)user, (void)size, (void)alignment;
    sn_platform_release(memory);
}

void sn_memory_init(sn_memory *memory, const sn_allocator *hook) {
    *memory = (sn_memory){.hook = {system_allocate, system_release, NULL}};
    if (hook && hook->allocate && hook->release) memory->hook = *hook;
}

int sn_def_allocator_error(const sn_log *log, const sn_allocator *hook) {
    if ((hook->allocate == NULL) == (hook->release == NULL)) return 0;
    return sn_def_error(log, "allocator", "allocate and release must both be set or both be null");
}

// Bytes for count elements in whole cache lines, so that a SIMD row past the last element stays inside; 0 on overflow.
static size_t block_bytes(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - SN_ALIGNMENT) return 0;
    if (bytes == 0) return SN_ALIGNMENT;
    return (bytes + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
}

static void *fail(sn_memory *memory) {
    sn_memory_fail(memory);
    return NULL;
}

void *sn_alloc(sn_memory *memory, size_t count, size_t size) {
    size_t bytes = block_bytes(count, size);
    if (bytes == 0) return fail(memory);
    void *block = memory->hook.allocate(memory->hook.user, bytes, SN_ALIGNMENT);
    if (!block) return fail(memory);
    if ((uintptr_t)block % SN_ALIGNMENT != 0) { // a hook that ignores the alignment would crash an aligned load later
        memory->hook.release(memory->hook.user, block, bytes, SN_ALIGNMENT);
        return fail(memory);
    }
    memset(block, 0, bytes);
    atomic_fetch_add_explicit(&memory->used_bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&memory->allocations, 1, memory_order_relaxed);
    return block;
}

void sn_free(sn_memory *memory, void *block, size_t count, size_t size) {
    if (!block) return;
    size_t bytes = block_bytes(count, size);
    atomic_fetch_sub_explicit(&memory->used_bytes, bytes, memory_order_relaxed);
    memory->hook.release(memory->hook.user, block, bytes, SN_ALIGNMENT);
}

bool sn_reserve(sn_memory *memory, void **array, int *capacity, int needed, size_t size) {
    if (needed <= *capacity) return true;
    int grown = *capacity <= INT_MAX - *capacity / 2 ? *capacity + *capacity / 2 : INT_MAX;
    if (grown < needed) grown = needed;
    void *larger = sn_alloc(memory, (size_t)grown, size);
    if (!larger) return false;
    if (*capacity > 0) memcpy(larger, *array, (size_t)*capacity * size);
    sn_free(memory, *array, (size_t)*capacity, size);
    *array = larger;
    *capacity = grown;
    return true;
}

// ---- arena

// In front of each block that did not fit; a whole cache line, to keep the block aligned.
typedef union overflow_block overflow_block;
union overflow_block {
    struct {
        overflow_block *next;
        size_t bytes; // of the whole block
    } link;
    unsigned char line[SN_ALIGNMENT];
};

static void free_overflow(sn_arena *arena) {
    overflow_block *block = arena->overflow;
    while (block) {
        overflow_block *next = block->link.next;
        sn_free(arena->memory, block, block->link.bytes, 1);
        block = next;
    }
    arena->overflow = NULL;
}

void sn_arena_init(sn_arena *arena, sn_memory *memory) {
    *arena = (sn_arena){.memory = memory};
}

void sn_arena_free(sn_arena *arena) {
    free_overflow(arena);
    sn_free(arena->memory, arena->base, arena->capacity, 1);
    *arena = (sn_arena){.memory = arena->memory};
}

void *sn_arena_alloc(sn_arena *arena, size_t count, size_t size) {
    size_t bytes = block_bytes(count, size);
    if (bytes == 0) return fail(arena->memory);
    if (bytes <= arena->capacity - arena->used) {
        void *taken = arena->base + arena->used;
        arena->used += bytes;
        arena->wanted += bytes;
        return taken;
    }
    if (bytes > PTRDIFF_MAX - 2 * SN_ALIGNMENT) return fail(arena->memory);
    overflow_block *block = sn_alloc(arena->memory, bytes + sizeof(overflow_block), 1);
    if (!block) return NULL;
    block->link.next = arena->overflow;
    block->link.bytes = bytes + sizeof(overflow_block);
    arena->overflow = block;
    arena->wanted += bytes;
    return block + 1;
}

void sn_arena_reset(sn_arena *arena) {
    free_overflow(arena);
    if (arena->wanted > arena->capacity) {
        size_t grown = arena->capacity + arena->capacity / 2; // headroom, so that slow growth rarely reallocates
        if (grown < arena->wanted) grown = arena->wanted;
        unsigned char *larger = sn_alloc(arena->memory, grown, 1);
        if (larger) { // else keep the old one; the next step overflows again
            sn_free(arena->memory, arena->base, arena->capacity, 1);
            arena->base = larger;
            arena->capacity = grown;
        }
    }
    arena->used = 0;
    arena->wanted = 0;
}
