// The grid against every pair; its order, its filters, its memory.
// compilers: all
#include "base/hash.h"
#include "grid_cases.h"
#include "scarce_memory.h"

TEST(all_scenes) {
    check_all_scenes(SCENE_SPHERES);
    check_all_scenes(7);
    check_all_scenes(600); // more than a block
}

// Pairs of bodies with a callback, as contacts between rods would have.
static bool not_neighbours(void *user, int a, int b) {
    const int32_t *body = user;
    return body[a] != body[b] || b - a > 1;
}

TEST(filters) {
    enum { COUNT = 1200 };
    static sn_sphere s[COUNT];
    static int32_t body[COUNT];
    static uint32_t groups[COUNT], masks[COUNT];
    rng r = {5};
    make_scene(&r, SCENE_EVEN, s, COUNT);
    for (int i = 0; i < COUNT; i++) {
        body[i] = i / 10;
        groups[i] = 1u << below(&r, 4);
        masks[i] = (uint32_t)below(&r, 16);
    }
    check_scene(&(sn_grid_items){.spheres = s, .count = COUNT, .body = body});
    check_scene(&(sn_grid_items){.spheres = s, .count = COUNT, .body = body, .same_body = true});
    check_scene(&(sn_grid_items){.spheres = s, .count = COUNT, .groups = groups, .masks = masks});
    check_scene(&(sn_grid_items){.spheres = s,
                                 .count = COUNT,
                                 .body = body,
                                 .same_body = true,
                                 .groups = groups,
                                 .masks = masks,
                                 .keep = not_neighbours,
                                 .user = body});
}

TEST(spheres_without_contact) {
    enum { COUNT = 800 };
    static sn_sphere s[COUNT];
    rng r = {6};
    make_scene(&r, SCENE_EVEN, s, COUNT);
    for (int i = 0; i < COUNT; i += 7) {
        const sn_real odd[4] = {(sn_real)NAN, (sn_real)INFINITY, -1, (sn_real)-INFINITY};
        if (i % 2)
            s[i].radius = odd[i % 4];
        else
            *(i % 3 ? &s[i].centre.x : &s[i].centre.z) = odd[i % 4 == 2 ? 0 : i % 4];
    }
    static sn_pair expected[100000];
    int wanted = 0;
    for (int a = 0; a < COUNT; a++) {
        for (int b = a + 1; b < COUNT; b++) {
            bool odd = false;
            for (int k = 0; k < 2; k++) {
                const sn_sphere *x = &s[k ? b : a];
                odd = odd || !(x->radius >= 0) || !sn_finite(x->radius) || !sn_finite3(x->centre);
            }
            if (!odd && overlap(&s[a], &s[b])) expected[wanted++] = (sn_pair){a, b};
        }
    }
    grid_setup g;
    grid_start(&g, 1);
    sn_pair *pairs;
    int count;
    CHECK_INT(sn_grid_pairs(&g.grid, &(sn_grid_items){.spheres = s, .count = COUNT}, *runnable_lanes(), g.pool,
                            &g.arena, &pairs, &count),
              SN_OK);
    REQUIRE(count == wanted);
    qsort(pairs, (size_t)count, sizeof *pairs, by_pair);
    CHECK(memcmp(pairs, expected, sizeof *pairs * (size_t)count) == 0);
    for (int i = 0; i < COUNT; i++) s[i].radius = -1;
    CHECK_INT(sn_grid_pairs(&g.grid, &(sn_grid_items){.spheres = s, .count = COUNT}, *runnable_lanes(), g.pool,
                            &g.arena, &pairs, &count),
              SN_OK);
    CHECK_INT(count, 0);
    CHECK_INT(sn_grid_pairs(&g.grid, &(sn_grid_items){.spheres = s, .count = 0}, *runnable_lanes(), g.pool, &g.arena,
                            &pairs, &count),
              SN_OK);
    CHECK_INT(
        sn_grid_pairs(&g.grid, &(sn_grid_items){.spheres = s, .count = COUNT}, 3, g.pool, &g.arena, &pairs, &count),
        SN_ERR_RANGE);
    grid_stop(&g);
}

// The list itself, not only the set, is the same for every number of workers and every lane width.
TEST(order_does_not_depend_on_workers_or_lanes) {
    enum { COUNT = SCENE_SPHERES * 3 };
    static sn_sphere s[COUNT];
    rng r = {8};
    const int kinds[4] = {SCENE_EVEN, SCENE_ALL_SIZES, SCENE_CLUSTERS, SCENE_ONE_PLACE};
    const int counts[4] = {COUNT, COUNT, COUNT, 1300}; // the last: more than fit into the notes
    for (int k = 0; k < 4; k++) {
        make_scene(&r, kinds[k], s, counts[k]);
        sn_grid_items items = {.spheres = s, .count = counts[k]};
        sn_pair *first = NULL;
        int first_count = -1;
        for (int workers = 1; workers <= 4; workers++) {
            grid_setup g;
            grid_start(&g, workers);
            for (const int *lanes = runnable_lanes(); *lanes; lanes++) {
                for (int again = 0; again < 2; again++) {
                    sn_pair *pairs;
                    int count;
                    sn_arena_reset(&g.arena);
                    CHECK_INT(sn_grid_pairs(&g.grid, &items, *lanes, g.pool, &g.arena, &pairs, &count), SN_OK);
                    if (!first) {
                        first = malloc(sizeof *first * (size_t)count);
                        memcpy(first, pairs, sizeof *first * (size_t)count);
                        first_count = count;
                    }
                    CHECK_INT(count, first_count);
                    CHECK(count == first_count && memcmp(pairs, first, sizeof *first * (size_t)count) == 0);
                }
            }
            grid_stop(&g);
        }
        CHECK(first_count > 100);
        free(first);
    }
}

TEST(a_warmed_call_allocates_nothing) {
    enum { COUNT = 3000 };
    static sn_sphere s[COUNT];
    rng r = {9};
    make_scene(&r, SCENE_EVEN, s, COUNT);
    grid_setup g;
    grid_start(&g, 2);
    uint64_t before = 0;
    for (int step = 0; step < 20; step++) {
        if (step == 3) before = g.memory.allocations;
        sn_arena_reset(&g.arena);
        sn_pair *pairs;
        int count;
        CHECK_INT(sn_grid_pairs(&g.grid, &(sn_grid_items){.spheres = s, .count = COUNT}, *runnable_lanes(), g.pool,
                                &g.arena, &pairs, &count),
                  SN_OK);
        for (int i = 0; i < COUNT; i++) s[i].centre = sn_add(s[i].centre, in_cube(&r, 0.01));
    }
    CHECK_INT(g.memory.allocations, before);
    grid_stop(&g);
}

TEST(no_memory_gives_no_pairs) {
    enum { COUNT = 100 };
    static sn_sphere s[COUNT];
    rng r = {10};
    make_scene(&r, SCENE_ONE_PLACE, s, COUNT);
    bool done = false;
    for (int allowed = 0; allowed < 40 && !done; allowed++) {
        int left = 2;
        grid_setup g = {0};
        sn_memory_init(&g.memory, &SCARCE(&left));
        sn_arena_init(&g.arena, &g.memory);
        REQUIRE(sn_pool_create(&g.memory, NULL, 1, &g.pool) == SN_OK);
        left = allowed;
        sn_pair *pairs;
        int count;
        sn_status status = sn_grid_pairs(&g.grid, &(sn_grid_items){.spheres = s, .count = COUNT}, *runnable_lanes(),
                                         g.pool, &g.arena, &pairs, &count);
        done = status == SN_OK;
        CHECK_INT(count, done ? COUNT * (COUNT - 1) / 2 : 0);
        CHECK(done || (status == SN_ERR_MEMORY && !pairs));
        left = 1;
        grid_stop(&g);
    }
    CHECK(done);
}

// The order of the list with every compiler and on every platform.
TEST(golden_order) {
    enum { COUNT = 4000 };
    static sn_sphere s[COUNT];
    rng r = {11};
    make_scene(&r, SCENE_EVEN, s, COUNT);
    grid_setup g;
    grid_start(&g, 2);
    sn_pair *pairs;
    int count;
    sn_grid_items items = {.spheres = s, .count = COUNT};
    REQUIRE(sn_grid_pairs(&g.grid, &items, *runnable_lanes(), g.pool, &g.arena, &pairs, &count) == SN_OK);
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) hash = sn_hash_u64(hash, (uint64_t)pairs[i].a << 32 | (uint64_t)pairs[i].b);
    printf("golden hash %016llx of %d pairs\n", (unsigned long long)hash, count);
    CHECK(hash == 0xc9882f87f5956cccu);
    grid_stop(&g);
}
