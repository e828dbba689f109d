// Scenes of spheres, and all pairs of them by looking at every pair.
#ifndef SN_TEST_GRID_CASES_H
#define SN_TEST_GRID_CASES_H

#include "geometry/grid.h"
#include "pill_cases.h"
#include <stdlib.h>

#ifdef SLOW_BUILD
#define SCENE_SPHERES 600
#else
#define SCENE_SPHERES 1500
#endif

static inline bool overlap(const sn_sphere *a, const sn_sphere *b) {
    sn_real x = a->centre.x - b->centre.x, y = a->centre.y - b->centre.y, z = a->centre.z - b->centre.z;
    sn_real sum = a->radius + b->radius;
    return x * x + y * y + z * z <= sum * sum;
}

enum {
    SCENE_EVEN,
    SCENE_ALL_SIZES,
    SCENE_CLUSTERS,
    SCENE_ONE_PLACE,
    SCENE_POINTS,
    SCENE_LINE,
    SCENE_LATTICE,
    SCENE_GIANT,
    SCENE_FAR_APART,
    SCENE_COUNT
};

static inline void make_scene(rng *r, int kind, sn_sphere *s, int count) {
    sn_vec3 hub[5];
    for (int i = 0; i < 5; i++) hub[i] = in_cube(r, 500);
    for (int i = 0; i < count; i++) {
        s[i].centre = in_cube(r, 5);
        s[i].radius = (sn_real)between(r, 0.1, 0.4);
        switch (kind) {
        case SCENE_ALL_SIZES:
            s[i] = (sn_sphere){in_cube(r, 100), (sn_real)magnitude(r, 1e-3, i % 50 ? 3 : 1e2)};
            break;
        case SCENE_CLUSTERS:
            s[i] = (sn_sphere){sn_add(hub[i % 5], in_cube(r, magnitude(r, 0.01, 5))), (sn_real)magnitude(r, 1e-3, 0.2)};
            break;
        case SCENE_ONE_PLACE:
            s[i].centre = sn_v3(7, 8, 9);
            if (i % 2) s[i].radius = (sn_real)magnitude(r, 1e-3, 1e2);
            break;
        case SCENE_POINTS: // of no size, on a coarse lattice so that some coincide
            s[i].centre = sn_v3((sn_real)below(r, 9), (sn_real)below(r, 9), (sn_real)below(r, 9));
            s[i].radius = i % 2 ? 0 : (sn_real)0.5;
            break;
        case SCENE_LINE:
            s[i].centre = sn_v3((sn_real)between(r, 0, 0.2 * count), 0, 0);
            break;
        case SCENE_LATTICE: // touching exactly
            s[i].centre = sn_v3((sn_real)(i % 10), (sn_real)(i / 10 % 10), (sn_real)(i / 100));
            s[i].radius = (sn_real)0.5;
            break;
        case SCENE_GIANT:
            if (i == count / 2) s[i] = (sn_sphere){{0, 0, 0}, 300};
            s[i].radius *= i % 3 ? 1 : (sn_real)0.01;
            break;
        case SCENE_FAR_APART: // more cells than a cell's number has bits for
            s[i].centre =
                sn_add(in_cube(r, 0.01), sn_v3((sn_real)(below(r, 3) * 1e6), (sn_real)(below(r, 2) * 1e6), 0));
            s[i].radius = (sn_real)magnitude(r, 1e-4, 1e-3);
            break;
        default:
            break;
        }
    }
}

static inline int by_pair(const void *a, const void *b) {
    const sn_pair *p = a, *q = b;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

// Row by row what looking at every pair finds; returns how many.
static inline int all_pairs(const sn_grid_items *items, sn_pair *out, int capacity) {
    int count = 0;
    for (int a = 0; a < items->count; a++) {
        for (int b = a + 1; b < items->count; b++) {
            if (!overlap(&items->spheres[a], &items->spheres[b])) continue;
            if (items->body && !items->same_body && items->body[a] == items->body[b]) continue;
            if (items->groups && (!(items->groups[a] & items->masks[b]) || !(items->groups[b] & items->masks[a])))
                continue;
            if (items->keep && !items->keep(items->user, a, b)) continue;
            if (count < capacity) out[count] = (sn_pair){a, b};
            count++;
        }
    }
    return count;
}

typedef struct {
    sn_memory memory;
    sn_arena arena;
    sn_pool *pool;
    sn_grid grid;
} grid_setup;

static inline void grid_start(grid_setup *g, int workers) {
    *g = (grid_setup){.pool = NULL};
    sn_memory_init(&g->memory, NULL);
    sn_arena_init(&g->arena, &g->memory);
    sn_pool_create(&g->memory, NULL, workers, &g->pool);
}

static inline void grid_stop(grid_setup *g) {
    sn_arena_free(&g->arena);
    sn_pool_destroy(&g->memory, g->pool);
    CHECK_INT(g->memory.used_bytes, 0);
}

// The grid against every pair, for every lane width.
static inline void check_scene(const sn_grid_items *items) {
    const int capacity = 3000000;
    sn_pair *expected = malloc(sizeof *expected * (size_t)capacity);
    int expected_count = all_pairs(items, expected, capacity);
    grid_setup g;
    grid_start(&g, 2);
    for (const int *lanes = runnable_lanes(); *lanes; lanes++) {
        sn_pair *pairs;
        int count;
        sn_arena_reset(&g.arena);
        CHECK_INT(sn_grid_pairs(&g.grid, items, *lanes, g.pool, &g.arena, &pairs, &count), SN_OK);
        CHECK_INT(count, expected_count);
        if (count != expected_count || count > capacity) break;
        if (count > 0) qsort(pairs, (size_t)count, sizeof *pairs, by_pair);
        CHECK(count == 0 || memcmp(pairs, expected, sizeof *pairs * (size_t)count) == 0);
    }
    grid_stop(&g);
    free(expected);
}

static inline void check_all_scenes(int count) {
    rng r = {17};
    sn_sphere *s = malloc(sizeof *s * (size_t)count);
    for (int kind = 0; kind < SCENE_COUNT; kind++) {
        for (int far = 0; far < 2; far++) {
            make_scene(&r, kind, s, count);
            for (int i = 0; far && i < count; i++) s[i].centre = sn_add(s[i].centre, sn_v3(-9000, 20000, 12345));
            check_scene(&(sn_grid_items){.spheres = s, .count = count});
        }
    }
    free(s);
}

#endif
