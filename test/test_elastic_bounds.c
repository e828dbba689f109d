// links: tools
// Bounds of elastic bodies: they enclose every vertex, always, and are tight when the body has moved far but bent
// little.
#include "elastic_asset_util.h"
#include "elastic_bodies.h"
#include "kinds/elastic/elastic_internal.h"
#include "medial/elastic_bounds.h"

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_bounds bounds;
    sn_elastic_bounds_state now;
    sn_real *q;
    sn_vec3 *x;
} body;

static bool body_ready(body *b) {
    int columns = shape_columns(&b->asset);
    b->q = sn_alloc(&b->memory, (size_t)columns, 3 * sizeof *b->q);
    b->x = sn_alloc(&b->memory, (size_t)b->asset.vertex_count, sizeof *b->x);
    return b->q && b->x && sn_elastic_bounds_init(&b->memory, &b->asset, &b->bounds) == SN_OK &&
           sn_elastic_bounds_state_init(&b->memory, &b->bounds, &b->now) == SN_OK;
}

// The fine tube has more vertices than its primitives have clusters.
enum { TUBE, STRAIGHT_HANDLES, ANCHORED_TUBE, PLATE, FINE_TUBE, KINDS };

static bool make_body(body *b, int kind) {
    *b = (body){0};
    sn_memory_init(&b->memory, NULL);
    bool made = kind == PLATE           ? make_plate(&b->memory, &b->asset, 4, 16, 0.06, 3)
                : kind == FINE_TUBE     ? make_tube(&b->memory, &b->asset, 5, 120, 24, 1, 0.12, 1, 2, -1e9)
                : kind == ANCHORED_TUBE ? make_tube(&b->memory, &b->asset, 9, 40, 12, 1, 0.08, 1, 3, 0.2)
                : kind == TUBE          ? make_tube(&b->memory, &b->asset, 13, 60, 12, 1, 0.06, 2, 2, -1e9)
                                        : make_tube(&b->memory, &b->asset, 13, 60, 12, 1, 0.06, 1, 0, -1e9);
    return made && body_ready(b);
}

static void free_body(body *b) {
    size_t columns = (size_t)shape_columns(&b->asset);
    sn_free(&b->memory, b->q, columns, 3 * sizeof *b->q);
    sn_free(&b->memory, b->x, (size_t)b->asset.vertex_count, sizeof *b->x);
    sn_elastic_bounds_state_free(&b->memory, &b->bounds, &b->now);
    sn_elastic_bounds_free(&b->memory, &b->bounds);
    sn_elastic_asset_free(&b->memory, &b->asset);
    CHECK_INT(b->memory.used_bytes, 0);
}

static void update(body *b, sn_bounds_mode mode) {
    sn_elastic_bounds_update(&b->bounds, interleaved(b->q), mode, NULL, &b->now);
    place_vertices(&b->asset, &b->bounds, b->q, b->x);
}

// How far the worst vertex is outside of a primitive that it belongs to (negative: none is). Grown by sphere, or each
// primitive by itself.
static double worst_outside(const body *b, bool by_sphere) {
    double worst = -HUGE_VAL;
    for (int i = 0; i < b->bounds.primitive_count; i++) {
        sn_slab slab = b->now.slab[i];
        for (int k = 0; by_sphere && k < 3; k++) slab.r[k] = b->now.radius[b->bounds.spheres[i][k]];
        for (int k = b->bounds.first_vertex[i]; k < b->bounds.first_vertex[i + 1]; k++) {
            worst = fmax(worst, sn_slab_distance(&slab, b->x[b->bounds.vertices[k]], NULL));
        }
    }
    return worst;
}

// The growth that the vertices really need, primitive by primitive, for the mean error of the bound.
static double mean_error(const body *b) {
    double sum = 0;
    for (int i = 0; i < b->bounds.primitive_count; i++) {
        sn_slab slab = b->now.slab[i];
        double outside = -HUGE_VAL;
        for (int k = b->bounds.first_vertex[i]; k < b->bounds.first_vertex[i + 1]; k++) {
            outside = fmax(outside, sn_slab_distance(&slab, b->x[b->bounds.vertices[k]], NULL));
        }
        sum += -outside;
    }
    return sum / b->bounds.primitive_count / b->bounds.size;
}

TEST(every_triangle_has_one_primitive) {
    for (int kind = 0; kind < KINDS; kind++) {
        body b;
        REQUIRE(make_body(&b, kind));
        const sn_elastic_bounds *s = &b.bounds;
        int *seen = calloc((size_t)b.asset.triangle_count, sizeof *seen);
        CHECK_INT(s->first_triangle[s->primitive_count], b.asset.triangle_count);
        for (int i = 0; i < b.asset.triangle_count; i++) ++seen[s->triangles[i]];
        for (int i = 0; i < b.asset.triangle_count; i++) CHECK_INT(seen[i], 1);
        // All corners of a primitive's triangles are among its vertices.
        for (int i = 0; i < s->primitive_count; i++) {
            for (int t = s->first_triangle[i]; t < s->first_triangle[i + 1]; t++) {
                for (int k = 0; k < 3; k++) {
                    bool found = false;
                    for (int v = s->first_vertex[i]; v < s->first_vertex[i + 1]; v++) {
                        found = found || s->vertices[v] == b.asset.triangles[s->triangles[t]][k];
                    }
                    CHECK(found);
                }
            }
        }
        CHECK_INT(s->surface_count, b.asset.vertex_count);
        CHECK(kind == PLATE ? s->primitive_count == b.asset.slab_count : s->primitive_count == b.asset.cone_count);
        free(seen);
        free_body(&b);
    }
}

TEST(at_rest_and_turned_nothing_grows) {
    dice d = {7};
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == ANCHORED_TUBE) continue; // cannot turn
        body b;
        REQUIRE(make_body(&b, kind));
        for (int i = 0; i < 20; i++) {
            motion m = i ? random_motion(&d, 0) : no_motion();
            follow_motion(&b.asset, &m, b.q);
            update(&b, SN_BOUNDS_DEFORMATION);
            for (int p = 0; p < b.bounds.primitive_count; p++) {
                sn_real slack = -HUGE_VALF;
                for (int c = b.bounds.first_cluster[p]; c < b.bounds.first_cluster[p + 1]; c++) {
                    slack = sn_max(slack, b.bounds.clusters[c].slack);
                }
                CHECK_NEAR(b.now.growth[p], slack, 1e-4 * b.bounds.size);
            }
            CHECK(worst_outside(&b, false) <= 0);
            CHECK(worst_outside(&b, false) > -1e-4);
        }
        free_body(&b);
    }
}

// Row 36: smooth motions, and handles shaken so that nothing is smooth any more.
TEST(encloses_every_vertex_always) {
    dice d = {2024};
    for (int kind = 0; kind < KINDS; kind++) {
        body b;
        REQUIRE(make_body(&b, kind));
        double worst = -HUGE_VAL;
        for (int i = 0; i < 60; i++) {
            motion m = random_motion(&d, roll(&d));
            follow_motion(&b.asset, &m, b.q);
            if (i % 2) shake(&b.asset, &d, i % 4 == 1 ? 0.01 : 1, b.q);
            for (int mode = 0; mode < 2; mode++) {
                update(&b, mode ? SN_BOUNDS_DISPLACEMENT : SN_BOUNDS_DEFORMATION);
                worst = fmax(worst, worst_outside(&b, false));
                CHECK(worst_outside(&b, false) <= 0);
                CHECK(worst_outside(&b, true) <= 0);
            }
        }
        free_body(&b);
    }
}

// The paper's Figs. 7 and 8: deformation bounding stays within a few hundredths of the body's size, displacement
// bounding is many times looser.
TEST(deformation_is_tight_displacement_is_not) {
    dice d = {99};
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == ANCHORED_TUBE) continue;
        body b;
        REQUIRE(make_body(&b, kind));
        double deformation = 0, displacement = 0;
        enum { TIMES = 40 };
        for (int i = 0; i < TIMES; i++) {
            motion m = random_motion(&d, kind == PLATE ? 0.3 : 0.7); // a plate that is twisted is torn
            follow_motion(&b.asset, &m, b.q);
            update(&b, SN_BOUNDS_DEFORMATION);
            deformation += mean_error(&b) / TIMES;
            update(&b, SN_BOUNDS_DISPLACEMENT);
            displacement += mean_error(&b) / TIMES;
        }
        printf("shape %d: mean error %.2f %% of the size; displacement bounding %.1f %%\n", kind, 100 * deformation,
               100 * displacement);
        CHECK(deformation < 0.03);
        CHECK(displacement > 5 * deformation);
        free_body(&b);
    }
}

// Bounds know nothing of where the body lies or how it is turned.
TEST(growth_does_not_depend_on_the_place) {
    dice d = {5};
    body b;
    REQUIRE(make_body(&b, TUBE));
    motion m = random_motion(&d, 1);
    sn_real growth[2][16];
    REQUIRE(b.bounds.primitive_count <= 16);
    for (int i = 0; i < 2; i++) {
        if (i) {
            random_turn(&d, m.turn);
            for (int k = 0; k < 3; k++) m.shift[k] += 10;
        }
        follow_motion(&b.asset, &m, b.q);
        update(&b, SN_BOUNDS_DEFORMATION);
        memcpy(growth[i], b.now.growth, (size_t)b.bounds.primitive_count * sizeof *growth[i]);
    }
    for (int p = 0; p < b.bounds.primitive_count; p++) CHECK_NEAR(growth[0][p], growth[1][p], 1e-3);
    free_body(&b);
}

TEST(workers_and_repeated_updates_change_no_bit) {
    body b;
    REQUIRE(make_body(&b, PLATE));
    dice d = {12};
    motion m = random_motion(&d, 1);
    follow_motion(&b.asset, &m, b.q);
    sn_slab *before = malloc((size_t)b.bounds.primitive_count * sizeof *before);
    update(&b, SN_BOUNDS_DEFORMATION);
    memcpy(before, b.now.slab, (size_t)b.bounds.primitive_count * sizeof *before);
    uint64_t allocations = b.memory.allocations;
    for (int workers = 1; workers <= 3; workers++) {
        sn_pool *pool;
        sn_memory apart;
        sn_memory_init(&apart, NULL);
        REQUIRE(sn_pool_create(&apart, &(sn_tasks){0}, workers, &pool) == SN_OK);
        sn_elastic_bounds_update(&b.bounds, interleaved(b.q), SN_BOUNDS_DEFORMATION, pool, &b.now);
        CHECK(memcmp(before, b.now.slab, (size_t)b.bounds.primitive_count * sizeof *before) == 0);
        sn_pool_destroy(&apart, pool);
    }
    CHECK_INT(b.memory.allocations, allocations);
    free(before);
    free_body(&b);
}

// Bars that swing, fall and are thrown about, as the solver moves them: free, anchored, and with anchors that are
// moved.
TEST(encloses_every_vertex_of_simulated_bodies) {
    for (int kind = 0; kind < 4; kind++) {
        sn_memory memory;
        sn_memory_init(&memory, NULL);
        bar_def bar = {
            .cells = {18, 3, 3}, .cell = 0.05, .handles = {7, 1, 1}, .quadratic = kind % 3 == 0, .anchored = kind > 0};
        sn_elastic_asset asset;
        bar_make(&memory, &bar, &asset);
        asset.cone_count = asset.sphere_count - 1;
        asset.cones = sn_alloc(&memory, (size_t)asset.cone_count, sizeof *asset.cones);
        REQUIRE(asset.cones != NULL);
        for (int i = 0; i < asset.cone_count; i++) asset.cones[i][0] = i, asset.cones[i][1] = i + 1;
        char fault[SN_ELASTIC_ERROR_SIZE] = "";
        CHECK(sn_elastic_asset_check(&asset, fault));
        CHECK_STRING(fault, "");

        sn_elastic_space *space;
        sn_elastic_body *simulated;
        sn_elastic_body_def def = sn_elastic_body_def_default();
        def.young = 3e5f;
        def.spin = kind ? sn_v3(0, 0, 0) : sn_v3(1, 2, 9);
        def.rotation = sn_q_normalize((sn_quat){0.1f, 0.3f, -0.2f, 1});
        def.position = sn_v3(1, 2, -1);
        REQUIRE(sn_elastic_space_create(&memory, &asset, NULL, &space) == SN_OK);
        REQUIRE(sn_elastic_body_create(&memory, space, &def, &simulated) == SN_OK);
        REQUIRE(sn_elastic_body_set_step(simulated, 1.0f / 60) == SN_OK);
        sn_elastic_bounds bounds;
        sn_elastic_bounds_state now;
        REQUIRE(sn_elastic_bounds_init(&memory, &asset, &bounds) == SN_OK);
        REQUIRE(sn_elastic_bounds_state_init(&memory, &bounds, &now) == SN_OK);
        sn_vec3 *x = sn_alloc(&memory, (size_t)asset.vertex_count, sizeof *x);
        sn_vec3 *centre = sn_alloc(&memory, (size_t)asset.sphere_count, sizeof *centre);
        REQUIRE(x && centre);

        double error = 0, moved = 0;
        enum { STEPS = 60 };
        for (int step = 0; step < STEPS; step++) {
            if (kind >= 2) {
                sn_quat turn = sn_q_normalize((sn_quat){0, 0, 0.01f * (sn_real)step, 1});
                sn_elastic_body_move_anchors(simulated, sn_q_mul(turn, def.rotation),
                                             sn_v3(1 + 0.01f * (sn_real)step, 2, -1));
            }
            sn_elastic_body_predict(simulated, sn_v3(0, -9.81f, 0), NULL, NULL);
            sn_elastic_body_solve(simulated, 6, NULL);
            CHECK(sn_elastic_body_finish(simulated));
            sn_elastic_body_vertices(simulated, x, NULL);
            sn_elastic_body_spheres(simulated, centre, NULL, NULL);
            sn_elastic_bounds_update(&bounds, sn_elastic_pose_of(simulated), SN_BOUNDS_DEFORMATION, NULL, &now);
            for (int s = 0; s < asset.sphere_count; s++) {
                CHECK_NEAR(sn_length(sn_sub(centre[s], now.centre[s])), 0, 1e-4);
            }
            for (int i = 0; i < bounds.primitive_count; i++) {
                sn_real outside = -HUGE_VALF;
                for (int k = bounds.first_vertex[i]; k < bounds.first_vertex[i + 1]; k++) {
                    outside = sn_max(outside, sn_slab_distance(&now.slab[i], x[bounds.vertices[k]], NULL));
                }
                CHECK(outside <= 0);
                error -= outside / bounds.size / (STEPS * bounds.primitive_count);
            }
            moved = fmax(moved, sn_length(sn_sub(x[asset.vertex_count - 1], asset.rest[asset.vertex_count - 1])));
        }
        printf("bar %d: mean error %.2f %% of the size\n", kind, 100 * error);
        CHECK(error < 0.03);
        CHECK(moved > 0.1);

        sn_free(&memory, x, (size_t)asset.vertex_count, sizeof *x);
        sn_free(&memory, centre, (size_t)asset.sphere_count, sizeof *centre);
        sn_elastic_bounds_state_free(&memory, &bounds, &now);
        sn_elastic_bounds_free(&memory, &bounds);
        sn_elastic_body_destroy(simulated);
        sn_elastic_space_destroy(space);
        sn_elastic_asset_free(&memory, &asset);
        CHECK_INT(memory.used_bytes, 0);
    }
}
