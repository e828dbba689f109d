// Memory: alignment, zeroes, counts, a hook that fails, growing arrays, and an arena that stops allocating once warm.
#include "base/memory.h"
#include "test.h"
#include <limits.h>
#include <stdlib.h>

// A hook that counts, checks that blocks come back with the size they were asked with, and fails at the n-th call.
typedef struct {
    int calls, fail_at; // fail_at: 1 for the first call; 0 never
    int live;
    size_t used_bytes;
    bool misaligned;
} hook_state;

static void *hook_allocate(void *user, size_t size, size_t alignment) {
    hook_state *state = user;
    state->calls++;
    if (state->calls == state->fail_at) return NULL;
    state->live++;
    state->used_bytes += size;
    char *block = aligned_alloc(alignment, size + alignment);
    memset(block, 0xAB, size + alignment);
    return state->misaligned ? block + 8 : block;
}

static void hook_release(void *user, void *memory, size_t size, size_t alignment) {
    hook_state *state = user;
    CHECK_INT(alignment, SN_ALIGNMENT);
    --state->live;
    state->used_bytes -= size;
    free(state->misaligned ? (char *)memory - 8 : memory);
}

static sn_memory hooked(hook_state *state) {
    sn_memory memory;
    sn_memory_init(&memory, &(sn_allocator){hook_allocate, hook_release, state});
    return memory;
}

static bool all_zero(const void *block, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (((const unsigned char *)block)[i] != 0) return false;
    }
    return true;
}

TEST(blocks_are_zeroed_aligned_and_counted) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    for (size_t count = 0; count < 300; count += 7) {
        unsigned char *block = sn_alloc(&memory, count, 3);
        REQUIRE(block != NULL);
        CHECK_INT((uintptr_t)block % SN_ALIGNMENT, 0);
        CHECK(all_zero(block, 3 * count));
        CHECK(memory.used_bytes >= 3 * count);
        sn_free(&memory, block, count, 3);
        CHECK_INT(memory.used_bytes, 0);
    }
    CHECK_INT(memory.allocations, 43);
    sn_free(&memory, NULL, 5, 5);
}

TEST(blocks_of_the_hook_are_zeroed_and_returned_with_their_size) {
    hook_state state = {0};
    sn_memory memory = hooked(&state);
    void *a = sn_alloc(&memory, 10, 10), *b = sn_alloc(&memory, 1, 1000);
    REQUIRE(a && b);
    CHECK(all_zero(a, 100) && all_zero(b, 1000));
    CHECK_INT(state.live, 2);
    sn_free(&memory, a, 10, 10);
    sn_free(&memory, b, 1, 1000);
    CHECK_INT(state.live, 0);
    CHECK_INT(state.used_bytes, 0);
}

TEST(impossible_sizes_give_null) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    CHECK(sn_alloc(&memory, SIZE_MAX, 2) == NULL);
    CHECK(sn_alloc(&memory, SIZE_MAX / 2, 2) == NULL);
    CHECK(sn_alloc(&memory, SIZE_MAX - 10, 1) == NULL);
    CHECK_INT(memory.used_bytes, 0);
    CHECK_INT(memory.allocations, 0);
}

TEST(misaligned_blocks_are_refused) {
    hook_state state = {.misaligned = true};
    sn_memory memory = hooked(&state);
    CHECK(sn_alloc(&memory, 4, 4) == NULL);
    CHECK_INT(state.live, 0);
}

TEST(reserve_keeps_what_is_there_and_grows_by_half) {
    hook_state state = {0};
    sn_memory memory = hooked(&state);
    int *array = NULL, capacity = 0;
    for (int i = 0; i < 10000; i++) {
        REQUIRE(sn_reserve(&memory, (void **)&array, &capacity, i + 1, sizeof *array));
        CHECK_INT(array[i], 0);
        array[i] = i;
    }
    for (int i = 0; i < 10000; i++) CHECK_INT(array[i], i);
    for (int i = 10000; i < capacity; i++) CHECK_INT(array[i], 0);
    CHECK(state.calls < 40);
    sn_free(&memory, array, (size_t)capacity, sizeof *array);
    CHECK_INT(state.live, 0);
}

TEST(reserve_changes_nothing_when_memory_is_out) {
    hook_state state = {.fail_at = 2};
    sn_memory memory = hooked(&state);
    int *array = NULL, capacity = 0;
    REQUIRE(sn_reserve(&memory, (void **)&array, &capacity, 4, sizeof *array));
    array[3] = 7;
    const int *before = array;
    CHECK(!sn_reserve(&memory, (void **)&array, &capacity, 1000, sizeof *array));
    CHECK(array == before);
    CHECK_INT(capacity, 4);
    CHECK_INT(array[3], 7);
    CHECK(!sn_reserve(&memory, (void **)&array, &capacity, INT_MAX, (size_t)1 << 60));
    CHECK_INT(array[3], 7);
    sn_free(&memory, array, (size_t)capacity, sizeof *array);
    CHECK_INT(state.live, 0);
}

// One step's worth of scratch memory; every block is written and must not overlap another.
static void use_arena(sn_arena *arena, int blocks) {
    unsigned char *taken[64];
    for (int i = 0; i < blocks; i++) {
        taken[i] = sn_arena_alloc(arena, (size_t)(i + 1) * 13, 2);
        REQUIRE(taken[i] != NULL);
        CHECK_INT((uintptr_t)taken[i] % SN_ALIGNMENT, 0);
        memset(taken[i], i, (size_t)(i + 1) * 26);
    }
    for (int i = 0; i < blocks; i++) {
        for (int k = 0; k < (i + 1) * 26; k++) REQUIRE(taken[i][k] == i);
    }
}

TEST(arena_regrows_and_then_allocates_nothing) {
    hook_state state = {0};
    sn_memory memory = hooked(&state);
    sn_arena arena;
    sn_arena_init(&arena, &memory);
    use_arena(&arena, 20);
    CHECK_INT(state.live, 20); // all overflow: there is nothing yet
    sn_arena_reset(&arena);
    CHECK_INT(state.live, 1);
    uint64_t warm = memory.allocations;
    for (int step = 0; step < 5; step++) {
        use_arena(&arena, 20);
        sn_arena_reset(&arena);
    }
    CHECK_INT(memory.allocations, warm);
    use_arena(&arena, 40); // a larger step overflows once
    sn_arena_reset(&arena);
    warm = memory.allocations;
    use_arena(&arena, 40);
    sn_arena_reset(&arena);
    CHECK_INT(memory.allocations, warm);
    sn_arena_free(&arena);
    CHECK_INT(state.live, 0);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(arena_survives_every_failed_allocation) {
    for (int k = 1; k < 30; k++) {
        hook_state state = {.fail_at = k};
        sn_memory memory = hooked(&state);
        sn_arena arena;
        sn_arena_init(&arena, &memory);
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i < 10; i++) {
                unsigned char *block = sn_arena_alloc(&arena, 100, 3);
                if (block) memset(block, 1, 300);
            }
            sn_arena_reset(&arena);
        }
        sn_arena_free(&arena);
        CHECK_INT(state.live, 0);
    }
}

TEST(arena_refuses_impossible_sizes) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_arena arena;
    sn_arena_init(&arena, &memory);
    CHECK(sn_arena_alloc(&arena, SIZE_MAX, 2) == NULL);
    CHECK(sn_arena_alloc(&arena, (size_t)PTRDIFF_MAX - 100, 1) == NULL);
    CHECK(sn_arena_alloc(&arena, 0, 4) != NULL);
    sn_arena_free(&arena);
}
