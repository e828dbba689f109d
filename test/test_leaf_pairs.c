// Pairs of spheres in two levels against every pair: all scenes, spheres that follow each other, owners, invalid spheres, order.
// compilers: all
#include "geometry/leaf_pairs.h"
#include "grid_cases.h"
#include "scarce_memory.h"

enum { COUNT = 1300, CAPACITY = 900000 };

static int find(const sn_leaf_items *items, int lanes, int workers, sn_pair *out) {
    grid_setup g;
    sn_pair *pairs;
    int count;
    grid_start(&g, workers);
    CHECK_INT(sn_leaf_pairs(&g.grid, items, lanes, g.pool, &g.arena, &pairs, &count), SN_OK);
    if (count <= CAPACITY)
        for (int i = 0; i < count; i++) out[i] = pairs[i];
    grid_stop(&g);
    return count;
}

// Against every pair; the same order for every lane width and number of workers.
static void check(const sn_leaf_items *items) {
    static sn_pair expected[CAPACITY], found[CAPACITY], first[CAPACITY];
    int wanted = 0;
    for (int a = 0; a < items->count; a++)
        for (int b = a + 1; b < items->count; b++) {
            if (!(items->spheres[a].radius >= 0) || !(items->spheres[b].radius >= 0)) continue;
            if (!overlap(&items->spheres[a], &items->spheres[b])) continue;
            if (items->keep_owners && !items->keep_owners(items->user, a, b)) continue;
            if (items->keep && !items->keep(items->user, a, b)) continue;
            if (wanted < CAPACITY) expected[wanted] = (sn_pair){a, b};
            wanted++;
        }
    REQUIRE(wanted <= CAPACITY);
    int reference = -1;
    for (const int *lanes = runnable_lanes(); *lanes; lanes++)
        for (int workers = 1; workers <= 3; workers += 2) {
            const int count = find(items, *lanes, workers, found);
            CHECK_INT(count, wanted);
            if (count != wanted) return;
            if (reference < 0)
                for (int i = 0; i < count; i++) first[i] = found[i];
            reference = count;
            CHECK(memcmp(found, first, sizeof *found * (size_t)count) == 0);
            qsort(found, (size_t)count, sizeof *found, by_pair);
            CHECK(memcmp(found, expected, sizeof *found * (size_t)count) == 0);
        }
}

static int64_t owner[COUNT];
static sn_sphere spheres[COUNT];

static void own(int run) {
    for (int i = 0; i < COUNT; i++) owner[i] = i / run - 3;
}

TEST(all_scenes_in_no_order) {
    rng r = {31};
    own(38);
    for (int kind = 0; kind < SCENE_COUNT; kind++) {
        make_scene(&r, kind, spheres, COUNT);
        check(&(sn_leaf_items){.spheres = spheres, .count = COUNT, .owner = owner});
    }
}

// Spheres along curves, as pills along rods are; also far from the origin.
TEST(chains_of_spheres) {
    for (int run = 1; run <= 50; run += 7)
        for (int far = 0; far < 2; far++) {
            rng r = {(uint64_t)run};
            own(run);
            sn_vec3 at = sn_v3(0, 0, 0);
            for (int i = 0; i < COUNT; i++) {
                if (i % run == 0) at = sn_add(in_cube(&r, 3), far ? sn_v3(-9000, 20000, 12345) : sn_v3(0, 0, 0));
                at = sn_add(at, in_cube(&r, 0.1));
                spheres[i] = (sn_sphere){at, (sn_real)between(&r, 0.03, 0.1)};
            }
            check(&(sn_leaf_items){.spheres = spheres, .count = COUNT, .owner = owner});
        }
}

static bool others_only(void *user, int a, int b) {
    (void)user;
    return owner[a] != owner[b] && (owner[a] + owner[b]) % 3 != 0;
}

static bool odd_sum(void *user, int a, int b) {
    (void)user;
    return (a + b) % 2 == 1;
}

TEST(owners_and_pairs_are_filtered) {
    rng r = {7};
    own(10);
    make_scene(&r, SCENE_EVEN, spheres, COUNT);
    check(&(sn_leaf_items){.spheres = spheres, .count = COUNT, .owner = owner, .keep_owners = others_only});
    check(&(sn_leaf_items){
        .spheres = spheres, .count = COUNT, .owner = owner, .keep_owners = others_only, .keep = odd_sum});
}

TEST(invalid_spheres_are_in_no_pair) {
    const sn_real odd[3] = {(sn_real)NAN, -1, (sn_real)-INFINITY};
    rng r = {8};
    own(20);
    make_scene(&r, SCENE_EVEN, spheres, COUNT);
    for (int i = 0; i < COUNT; i += 3) spheres[i].radius = odd[i % 9 / 3];
    check(&(sn_leaf_items){.spheres = spheres, .count = COUNT, .owner = owner});
    for (int i = 0; i < COUNT; i++) spheres[i].radius = -1;
    check(&(sn_leaf_items){.spheres = spheres, .count = COUNT, .owner = owner});
    check(&(sn_leaf_items){.spheres = spheres, .count = 1, .owner = owner});
    check(&(sn_leaf_items){.spheres = spheres, .count = 0, .owner = owner});
}
