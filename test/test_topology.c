// Topology: random trees and loops in any numbering come out as blocks in preorder, and nothing else comes in.
#include "kinds/rod/rod_body.h"
#include "mixed_world.h"

enum { MOST = 40 };

typedef struct {
    sn_rod_order order;
    int tables[3 * (MOST + 1)];
    const char *field;
} result;

static const char *order_of(result *r, int n, const int *parents, bool clamp_first, bool clamp_last) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_rod_def def = sn_rod_def_default();
    def.point_count = n, def.parents = parents, def.clamp_first = clamp_first, def.clamp_last = clamp_last;
    memset(r, 0x55, sizeof *r);
    r->order.parent = r->tables;
    r->order.point_of_block = r->tables + MOST + 1;
    r->order.block_of_point = r->tables + 2 * (MOST + 1);
    const char *wrong = sn_rod_order_points(&memory, &def, &r->order, &r->field);
    CHECK_INT(memory.used_bytes, 0);
    return wrong;
}

// A random tree over points numbered at random; the parent of each, -1 for the root.
static void random_tree(uint64_t *seed, int n, int *parents) {
    int name[MOST];
    for (int i = 0; i < n; i++) name[i] = i;
    for (int i = n - 1; i > 0; --i) {
        int k = random_below(seed, i + 1), swap = name[i];
        name[i] = name[k], name[k] = swap;
    }
    parents[name[0]] = -1;
    int shape = random_below(seed, 3); // bushy, in the middle, or almost a chain
    for (int i = 1; i < n; i++) {
        int back = shape == 0 ? i : shape == 1 ? 3 : 1 + random_below(seed, 10) / 9;
        parents[name[i]] = name[i - 1 - random_below(seed, back < i ? back : i)];
    }
}

static int degree_of(int n, const int *parents, int point) {
    int degree = parents[point] >= 0;
    for (int i = 0; i < n; i++) degree += parents[i] == point;
    return degree;
}

static bool joined(const int *parents, int a, int b) {
    return parents[a] == b || parents[b] == a;
}

// What every order must fulfil.
static void check_order(const result *r, int n, const int *parents, bool loop) {
    const sn_rod_order *o = &r->order;
    int ghosts = o->ghost >= 0;
    CHECK_INT(o->blocks, n + ghosts);
    for (int p = 0; p < n; p++) {
        int b = o->block_of_point[p];
        REQUIRE(b >= 0 && b < o->blocks);
        CHECK_INT(o->point_of_block[b], p);
    }
    for (int b = 1; b < o->blocks; b++) {
        CHECK(o->parent[b] >= 0 && o->parent[b] < b); // parents first
        if (b == o->ghost) {
            CHECK_INT(o->parent[b], b - 1);
            CHECK_INT(o->point_of_block[b], -1);
            continue;
        }
        CHECK(joined(parents, o->point_of_block[b],
                     o->point_of_block[o->parent[b]])); // every segment is one that was given
    }
    // In preorder a block's parent is the block before it, or one of that block's ancestors.
    for (int b = 1; b < o->blocks; b++) {
        int a = b - 1;
        while (a > 0 && a != o->parent[b]) a = o->parent[a];
        CHECK_INT(a, o->parent[b]);
    }
    if (loop) {
        CHECK_INT(o->point_of_block[0], 0);
        CHECK_INT(o->point_of_block[o->parent[0]], parents[0]);
        CHECK(o->parent[0] > 1);
    } else {
        CHECK_INT(o->parent[0], -1);
        CHECK_INT(degree_of(n, parents, o->point_of_block[0]), 1); // the root is a tip
    }
}

static void check_tables(const sn_rod_order *o) {
    sn_topology t;
    int tables[4 * (MOST + 1)];
    REQUIRE(sn_topology_tables(o->blocks) <= sizeof tables / sizeof *tables);
    sn_topology_build(&t, tables, o->blocks, o->parent);
    CHECK_INT(t.blocks, o->blocks);
    CHECK(t.loop == (o->parent[0] >= 0));
    int stores = 0, cycle = 0, walk = 0;
    for (int b = 0; b < t.blocks; b++) {
        int degree = o->parent[b] >= 0, far_children = 0;
        for (int c = 0; c < t.blocks; c++) {
            degree += o->parent[c] == b;
            far_children += c > 0 && o->parent[c] == b && c != b + 1;
        }
        CHECK_INT(t.parent[b], o->parent[b]);
        CHECK_INT(t.degree[b], degree);
        CHECK((t.store[b] >= 0) == (far_children > 0)); // a place for children that are not the next block
        if (t.store[b] >= 0) stores++;
        CHECK(t.store[b] < t.stores);
        for (int c = 0; c < b; c++) CHECK(t.store[b] < 0 || t.store[b] != t.store[c]);
        cycle += t.on_cycle[b];
    }
    CHECK_INT(t.stores, stores);
    if (t.loop)
        for (int b = o->parent[0]; b != 0; b = o->parent[b]) {
            CHECK(t.on_cycle[b]);
            walk++;
        }
    CHECK_INT(cycle, walk);
}

TEST(random_trees_come_out_in_preorder) {
    uint64_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        int n = 2 + random_below(&seed, MOST - 2), parents[MOST];
        random_tree(&seed, n, parents);
        bool first = degree_of(n, parents, 0) == 1 && round % 2;
        bool last = degree_of(n, parents, n - 1) == 1 && round % 3 == 0;
        result r;
        const char *wrong = order_of(&r, n, parents, first, last);
        if (wrong) { // only because the last point had to be the root: with no clamp there it must do
            CHECK_STRING(r.field, "clamp_last");
            CHECK(order_of(&r, n, parents, first, false) == NULL);
        } else
            CHECK((r.order.ghost >= 0) == last);
        check_order(&r, n, parents, false);
        check_tables(&r.order);
        if (first) CHECK_INT(r.order.point_of_block[0], 0);
    }
}

TEST(random_loops_with_branches_come_out_in_preorder) {
    uint64_t seed = 8;
    for (int round = 0; round < 3000; round++) {
        int n = 3 + random_below(&seed, MOST - 3), parents[MOST], name[MOST];
        int cycle = 3 + random_below(&seed, n - 2);
        for (int i = 0; i < n; i++) name[i] = i;
        for (int i = n - 1; i > 1; --i) { // point 0 stays on the cycle
            int k = 1 + random_below(&seed, i), swap = name[i];
            name[i] = name[k], name[k] = swap;
        }
        for (int i = 0; i < cycle; i++) parents[name[i]] = name[(i + 1) % cycle];
        for (int i = cycle; i < n; i++) parents[name[i]] = name[random_below(&seed, i)];
        result r;
        REQUIRE(order_of(&r, n, parents, false, false) == NULL);
        check_order(&r, n, parents, true);
        check_tables(&r.order);
        int length = 1;
        for (int b = r.order.parent[0]; b != 0; b = r.order.parent[b]) length++;
        CHECK_INT(length, cycle);
        CHECK(order_of(&r, n, parents, true, false) != NULL);
        CHECK_STRING(r.field, "clamp_first");
    }
}

// Any numbers at all as parents: either refused, or a tree or loop that holds what it must.
TEST(random_numbers_as_parents_break_nothing) {
    uint64_t seed = 9;
    int good = 0;
    for (int round = 0; round < 200000; round++) {
        int n = 2 + random_below(&seed, 5), parents[MOST], roots = 0;
        for (int i = 0; i < n; i++)
            parents[i] = random_below(&seed, n + 1) - 1 + (random_below(&seed, 200) == 0 ? 3 : 0);
        for (int i = 0; i < n; i++) roots += parents[i] == -1;
        result r;
        if (order_of(&r, n, parents, false, false) != NULL) {
            CHECK_STRING(r.field, "parents");
            continue;
        }
        good++;
        CHECK(roots <= 1);
        check_order(&r, n, parents, roots == 0);
        check_tables(&r.order);
    }
    CHECK(good > 1000);
}

TEST(a_long_chain_is_ordered_in_linear_time) {
    enum { LONG = 200000 };
    int *parents = malloc(LONG * sizeof *parents), *tables = malloc(3 * (LONG + 1) * sizeof *tables);
    REQUIRE(parents && tables);
    for (int kind = 0; kind < 2; kind++) { // a chain backwards, a star
        for (int i = 0; i < LONG; i++) parents[i] = kind == 0 ? (i + 1 < LONG ? i + 1 : -1) : (i == 0 ? -1 : 0);
        sn_memory memory;
        sn_memory_init(&memory, NULL);
        sn_rod_def def = sn_rod_def_default();
        def.point_count = LONG, def.parents = parents;
        sn_rod_order order = {0, tables, tables + LONG + 1, tables + 2 * (LONG + 1), -1};
        const char *field;
        CHECK(sn_rod_order_points(&memory, &def, &order, &field) == NULL);
        CHECK_INT(order.blocks, LONG);
    }
    free(parents);
    free(tables);
}
