// The laws of elastic bodies in lanes and in worlds: against the formulas in double, against Newton's method, against what
// a bar does when it is pulled; and what every body promises, workers, lanes, saving and memory.
// compilers: all
#include "elastic_asset_util.h"
#include "kinds/elastic/elastic_body.h"
#include "kinds/elastic/elastic_kernels.h"
#include "mixed_world.h"
#include "reference/newton.h"
#include "test.h"
#include <stdlib.h>

enum { FLOAT = sizeof(sn_real) == 4 };
#define R(x) ((sn_real)(x))

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_space *space;
    sn_elastic_body *body;
    sn_elastic_newton *newton;
} bar;

static bool open_bar(bar *b, const bar_def *def, int law, double poisson, int lanes) {
    *b = (bar){0};
    sn_memory_init(&b->memory, NULL);
    bar_make(&b->memory, def, &b->asset);
    sn_elastic_body_def body = sn_elastic_body_def_default();
    body.law = (sn_elastic_law)law, body.poisson = R(poisson);
    sn_elastic_newton_def newton = sn_elastic_newton_def_default();
    newton.iterations = 60, newton.inner = 400, newton.tolerance = 1e-12;
    return CHECK(sn_hyper_init(body.law, (double)body.young, poisson, 0, &newton.material)) &&
           CHECK_INT(sn_elastic_newton_create(&b->memory, &b->asset, NULL, &newton, &b->newton), SN_OK) &&
           CHECK_INT(sn_elastic_space_create(&b->memory, &b->asset, &(sn_elastic_space_def){.lanes = lanes}, &b->space),
                     SN_OK) &&
           CHECK_INT(sn_elastic_body_create(&b->memory, b->space, &body, &b->body), SN_OK) &&
           CHECK_INT(sn_elastic_body_set_step(b->body, R(0.02)), SN_OK);
}

static void close_bar(bar *b) {
    sn_elastic_body_destroy(b->body);
    sn_elastic_space_destroy(b->space);
    sn_elastic_newton_destroy(b->newton);
    sn_elastic_asset_free(&b->memory, &b->asset);
    CHECK_INT(b->memory.used_bytes, 0);
}

static void stir(sn_real *to, int count, double size) {
    uint32_t seed = 7;
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] += R(size * ((double)(seed >> 8) / 8388608.0 - 1));
    }
}

static void step(sn_elastic_body *body, sn_vec3 gravity, int iterations) {
    sn_elastic_body_predict(body, gravity, NULL, NULL);
    sn_elastic_body_solve(body, iterations, NULL);
    CHECK(sn_elastic_body_finish(body));
}

static const bar_def small = {.cells = {6, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .quadratic = true};
static const sn_vec3 down = {0, R(-9.81), 0}, nowhere = {0, 0, 0};

TEST(energy_in_lanes_is_that_of_the_formula) {
    for (int law = 0; law < SN_LAW_COUNT; law++)
        for (int k = 0; k < 4; k++) { // small strains, ordinary ones, large ones, inside out
            static const double size[4] = {1e-3, 0.05, 0.3, 1.5};
            bar b;
            if (!open_bar(&b, &small, law, 0.3, 0)) return;
            stir(b.body->q, 3 * b.space->columns, size[k]);
            const double exact = sn_elastic_newton_energy(b.newton, b.body->q, NULL);
            sn_energy energy = {0};
            sn_momentum momentum = {{0}, {0}};
            sn_elastic_body_add_energy(b.body, nowhere, &energy, &momentum, NULL);
            CHECK(exact > 0);
            // rounding of positions makes strains of 1e-7 and more
            CHECK_NEAR(energy.elastic / exact, 1, FLOAT ? (k == 0 ? 2e-3 : 1e-4) : 1e-9);
            close_bar(&b);
        }
}

// A wild step: after enough iterations it is where Newton's method goes.
TEST(iterations_converge_to_newtons_step) {
    for (int law = 0; law < SN_LAW_COUNT; law++) {
        static sn_real q[3 * 64], rate[3 * 64];
        bar b;
        if (!open_bar(&b, &small, law, 0.3, 0) || !CHECK(b.space->columns <= 64)) return;
        const int count = 3 * b.space->columns;
        stir(b.body->rate, count, 2);
        memcpy(q, b.body->q, (size_t)count * sizeof *q);
        memcpy(rate, b.body->rate, (size_t)count * sizeof *rate);
        CHECK_INT(sn_elastic_newton_step(b.newton, q, rate, R(0.02), down, NULL, NULL), SN_OK);
        step(b.body, down, 150);
        double apart = 0, moved = 0;
        for (int v = 0; v < b.asset.vertex_count; v++) {
            const sn_vec3 a = sn_elastic_newton_vertex(b.newton, q, v);
            const sn_vec3 c = sn_elastic_newton_vertex(b.newton, b.body->q, v);
            apart = fmax(apart, (double)sn_length(sn_sub(a, c)));
            moved = fmax(moved, (double)sn_length(sn_sub(a, b.asset.rest[v])));
        }
        CHECK(moved > 0.03);
        CHECK_NEAR(apart, 0, (FLOAT ? 2e-3 : 1e-5) * moved);
        close_bar(&b);
    }
}

// Thrown out of shape so that the constant matrix is too soft by far: what is lost of energy must be less than nothing.
TEST(no_law_gains_energy) {
    for (int law = 1; law < SN_LAW_COUNT; law++) {
        bar b;
        sn_energy before = {0}, after = {0};
        sn_momentum still = {{0}, {0}}, flown = {{0}, {0}};
        if (!open_bar(&b, &small, law, 0.4, 0)) return;
        stir(b.body->rate, 3 * b.space->columns, 20);
        sn_elastic_body_add_energy(b.body, nowhere, &before, &still, NULL);
        for (int i = 0; i < 30; i++) {
            step(b.body, nowhere, 4);
            after = (sn_energy){0}, flown = (sn_momentum){{0}, {0}};
            sn_elastic_body_add_energy(b.body, nowhere, &after, &flown, NULL);
            CHECK(after.kinetic + after.elastic < 1.01 * (before.kinetic + before.elastic));
        }
        CHECK(after.kinetic + after.elastic < 0.5 * (before.kinetic + before.elastic));
        for (int k = 0; k < 3; k++) CHECK_NEAR(flown.linear[k], still.linear[k], FLOAT ? 2e-2 : 1e-9);
        close_bar(&b);
    }
}

TEST(same_bits_for_every_lane_width) {
    for (int law = 1; law < SN_LAW_COUNT; law++)
        for (int hard = 0; hard < 2; hard++) {
            uint64_t first = 0;
            for (int lanes = 1; lanes <= 16; lanes *= 2) {
                bar b;
                if (lanes == 2 || !sn_elastic_kernels_for(lanes)) continue;
                if (!open_bar(&b, &small, law, 0.4, lanes)) return;
                stir(b.body->rate, 3 * b.space->columns, hard ? 30 : 2);
                for (int i = 0; i < 3; i++) step(b.body, down, 4);
                const uint64_t hash = sn_elastic_body_hash(b.body, 0);
                if (first == 0) first = hash;
                CHECK(hash == first);
                close_bar(&b);
            }
        }
}

// ---- in a world

// How far a bar of the law stretches when its ends are pulled with this force over their area at rest, and what its sides
// become: from the formula alone.
static void known_stretch(const sn_hyper *m, double pull, double *along, double *side) {
    double low = 1, high = 3, p[9];
    for (int i = 0; i < 60; i++) {
        double from = 0.3, to = 1.5;
        *along = 0.5 * (low + high);
        for (int k = 0; k < 60; k++) {
            *side = 0.5 * (from + to);
            const double f[9] = {*along, 0, 0, 0, *side, 0, 0, 0, *side};
            sn_hyper_stress(m, f, p);
            *(p[4] > 0 ? &to : &from) = *side;
        }
        *(p[0] > pull ? &high : &low) = *along;
    }
}

// One affine handle has this deformation exactly.
TEST(a_pulled_bar_stretches_by_its_law) {
    const bar_def def = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {1, 1, 1}};
    const double young = 1e5, poisson = 0.35, area = 0.04;
    for (int law = 0; law < SN_LAW_COUNT; law++)
        for (int far = 0; far < 2; far++) {
            const double pull = (far ? 0.35 : 0.002) * young;
            sn_elastic_model *model = bar_model(&def, def.cell);
            REQUIRE(model != NULL);
            sn_world_def world_def = sn_world_def_default();
            world_def.gravity = nowhere, world_def.worker_count = 1;
            sn_world *world;
            REQUIRE(sn_world_create(&world_def, &world) == SN_OK);
            sn_elastic_def body = sn_elastic_def_default();
            body.model = model, body.law = (sn_elastic_law)law, body.iterations = 10;
            body.young = R(young), body.poisson = R(poisson), body.damping = 20;
            body.mooney = R(0.6), body.lock = 2;
            sn_body id;
            REQUIRE(sn_elastic_create(world, &body, &id) == SN_OK);
            const sn_elastic_asset *a = sn_elastic_model_asset(model);
            sn_vec3 *load = calloc((size_t)a->vertex_count, sizeof *load),
                    *x = calloc((size_t)a->vertex_count, sizeof *x);
            for (int i = 0; i < a->triangle_count; i++) { // a third of each triangle's to its corners
                const int *t = a->triangles[i];
                const sn_real end = a->rest[t[0]].x;
                if (end != a->rest[t[1]].x || end != a->rest[t[2]].x) continue;
                for (int c = 0; c < 3; c++) load[t[c]].x += R((end > 0 ? 1 : -1) * pull * area / 8 / 3);
            }
            for (int v = 0; v < a->vertex_count; v++) sn_elastic_set_force(world, id, v, load[v]);
            for (int i = 0; i < 150; i++) sn_world_step(world, R(0.02), 1);
            REQUIRE(sn_elastic_get_vertices(world, id, x, a->vertex_count) == a->vertex_count);
            double stretch[3], along, side;
            const int end[3] = {bar_vertex(&def, 4, 0, 0), bar_vertex(&def, 0, 2, 0), bar_vertex(&def, 0, 0, 2)};
            for (int k = 0; k < 3; k++) // along edges: the bar may have turned a little
                stretch[k] = (double)sn_length(sn_sub(x[end[k]], x[0])) / (k ? 0.2 : 0.4);
            sn_hyper m;
            const double shape = law == SN_LAW_MOONEY_RIVLIN ? 0.6 : law == SN_LAW_ARRUDA_BOYCE ? 2 : 0;
            REQUIRE(sn_hyper_init((sn_elastic_law)law, young, poisson, shape, &m));
            known_stretch(&m, pull, &along, &side);
            if (!far) { // Hooke
                CHECK_NEAR(along - 1, pull / young, 0.01 * pull / young);
                CHECK_NEAR(side - 1, -poisson * pull / young, 0.01 * pull / young);
            } else {
                CHECK(along > 1.1);
            }
            const double near = far ? 2e-3 : 2e-5;
            CHECK_NEAR(stretch[0], along, near);
            CHECK_NEAR(stretch[1], side, near);
            CHECK_NEAR(stretch[2], side, near);
            free(load), free(x);
            sn_world_destroy(world);
            CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
        }
}

// A bar of each law falls to the ground, one upon the other.
static sn_world *heap(sn_elastic_model *model, int workers, counter *memory) {
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(memory);
    def.worker_count = workers, def.iterations = 2;
    sn_world *world = NULL;
    sn_world_create(&def, &world);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    sn_rigid_create(world, &ground, &plane);
    for (int law = 0; law < SN_LAW_COUNT; law++) {
        sn_elastic_def body = sn_elastic_def_default();
        body.model = model, body.law = (sn_elastic_law)law;
        body.position = (sn_vec3){R(0.2 * (law % 2)), R(0.12 + 0.22 * law), R(0.05 * law)};
        body.spin = (sn_vec3){1, 2, R(0.5 * law)};
        sn_body id;
        CHECK_INT(sn_elastic_create(world, &body, &id), SN_OK);
    }
    return world;
}

TEST(a_heap_of_all_laws_is_the_same_on_two_workers_and_after_a_restore) {
    sn_elastic_model *model = bar_model(&small, small.cell);
    REQUIRE(model != NULL);
    counter memory = {0}, other = {0};
    sn_world *one = heap(model, 1, &memory), *two = heap(model, 2, &other), *again = NULL;
    long warm = 0;
    int most = 0;
    for (int i = 0; i < 40; i++) {
        sn_world_step(one, R(1.0 / 60), 2), sn_world_step(two, R(1.0 / 60), 2);
        most = most > (int)sn_world_profile(one).contacts ? most : (int)sn_world_profile(one).contacts;
        if (i == 30) warm = memory.calls;
    }
    CHECK_INT(memory.calls - warm, 0);
    CHECK_INT(sn_world_profile(one).diverged, 0);
    CHECK(most > 5);
    CHECK(sn_world_hash(one) == sn_world_hash(two));
    const size_t size = sn_world_save(one, NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(sn_world_save(one, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
    for (int i = 0; i < 10; i++) sn_world_step(one, R(1.0 / 60), 2), sn_world_step(again, R(1.0 / 60), 2);
    CHECK(sn_world_hash(one) == sn_world_hash(again));
    for (int i = 0; i < 6; i++) {
        const sn_body id = sn_world_kind_at(one, SN_KIND_ELASTIC, i);
        CHECK_NEAR(sn_body_volume(one, id) / sn_body_rest_volume(one, id), 1, 0.1);
    }
    free(bytes);
    sn_world_destroy(one), sn_world_destroy(two), sn_world_destroy(again);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
}

TEST(laws_have_names_and_their_numbers_are_checked) {
    for (int law = 0; law < SN_LAW_COUNT; law++) CHECK(sn_elastic_law_name((sn_elastic_law)law) != NULL);
    CHECK(sn_elastic_law_name(SN_LAW_COUNT) == NULL);
    sn_elastic_model *model = bar_model(&small, small.cell);
    sn_world_def world_def = sn_world_def_default();
    sn_world *world;
    REQUIRE(model && sn_world_create(&world_def, &world) == SN_OK);
    for (int k = 0; k < 4; k++) {
        sn_elastic_def def = sn_elastic_def_default();
        sn_body id;
        def.model = model;
        if (k == 0) def.law = SN_LAW_COUNT;
        if (k == 1) def.mooney = 0;
        if (k == 2) def.lock = 1;
        CHECK_INT(sn_elastic_create(world, &def, &id), k == 3 ? SN_OK : SN_ERR_DEF);
    }
    sn_world_destroy(world);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
}
