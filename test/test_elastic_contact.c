// Elastic bodies touch with all of their handles: contacts push, turn and squeeze them. Known answers of balls and cubes on slopes,
// and momentum, angular momentum and energy of exchanges.
#include "elastic_asset_util.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>

#define R(x) ((sn_real)(x))
static const double gravity = 9.81, degrees = 3.14159265358979 / 180;

// A ball of one affine handle: a block of cells whose layers become spheres. Its second sphere lies in the first.
static void ball_make(sn_memory *memory, double radius, int cells, sn_elastic_asset *a) {
    const bar_def def = {.cells = {cells, cells, cells}, .cell = 2 * radius / cells, .handles = {1, 1, 1}};
    bar_make(memory, &def, a);
    for (int i = 0; i < a->vertex_count; i++) {
        const double p[3] = {(double)a->rest[i].x - radius, (double)a->rest[i].y - radius,
                             (double)a->rest[i].z - radius};
        const double most = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2]));
        const double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), k = size > 0 ? most / size : 0;
        a->rest[i] = (sn_vec3){R(p[0] * k), R(p[1] * k), R(p[2] * k)};
    }
    sn_free(memory, a->centre, 1, sizeof *a->centre);
    sn_free(memory, a->radius, 1, sizeof *a->radius);
    sn_free(memory, a->sphere_first, 2, sizeof *a->sphere_first);
    sn_free(memory, a->sphere_handle, 1, sizeof *a->sphere_handle);
    sn_free(memory, a->sphere_weight, 1, sizeof *a->sphere_weight);
    a->sphere_count = 2, a->cone_count = 1;
    a->centre = sn_alloc(memory, 2, sizeof *a->centre), a->radius = sn_alloc(memory, 2, sizeof *a->radius);
    a->sphere_first = sn_alloc(memory, 3, sizeof *a->sphere_first);
    a->sphere_handle = sn_alloc(memory, 2, sizeof *a->sphere_handle);
    a->sphere_weight = sn_alloc(memory, 2, sizeof *a->sphere_weight);
    a->cones = sn_alloc(memory, 1, sizeof *a->cones);
    a->cones[0][1] = 1, a->centre[1].x = R(0.1 * radius);
    a->radius[0] = R(radius), a->radius[1] = R(0.5 * radius);
    for (int i = 0; i < 2; i++) a->sphere_weight[i] = 1, a->sphere_first[i + 1] = i + 1;
}

static sn_elastic_model *ball_model(double radius) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_asset asset = {0};
    ball_make(&memory, radius, 8, &asset);
    sn_elastic_model_def def = sn_elastic_model_def_default();
    def.asset = &asset;
    sn_elastic_model *model = NULL;
    CHECK_INT(sn_elastic_model_create(&def, &model), SN_OK);
    sn_elastic_asset_free(&memory, &asset);
    return model;
}

// The moment of inertia of the model's vertices over their mass, as the step sees it.
static double gyration2(const sn_elastic_model *model) {
    const sn_elastic_asset *a = sn_elastic_model_asset(model);
    double sum = 0, volume = 0;
    for (int t = 0; t < a->tet_count; t++) {
        double e[3][3];
        const sn_vec3 o = a->rest[a->tets[t][0]];
        for (int k = 0; k < 3; k++) {
            const sn_vec3 p = a->rest[a->tets[t][k + 1]];
            e[k][0] = (double)(p.x - o.x), e[k][1] = (double)(p.y - o.y), e[k][2] = (double)(p.z - o.z);
        }
        const double v =
            (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
            6;
        volume += v;
        for (int k = 0; k < 4; k++) {
            const sn_vec3 p = a->rest[a->tets[t][k]];
            sum += 0.25 * v * ((double)p.x * (double)p.x + (double)p.y * (double)p.y);
        }
    }
    return sum / volume;
}

static sn_world *world_with(double x, double y) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){R(x), R(y), 0};
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

static sn_body plane(sn_world *world, double friction) {
    sn_rigid_def def = sn_rigid_def_default();
    def.surface.friction_static = def.surface.friction_dynamic = R(friction);
    sn_body id = {0};
    CHECK_INT(sn_rigid_create(world, &def, &id), SN_OK);
    return id;
}

static sn_body put(sn_world *world, const sn_elastic_model *model, sn_vec3 at, double friction, double young) {
    sn_elastic_def def = sn_elastic_def_default();
    def.model = (sn_elastic_model *)model, def.position = at, def.damping = 0, def.young = R(young);
    def.surface.friction_static = def.surface.friction_dynamic = R(friction);
    sn_body id = {0};
    CHECK_INT(sn_elastic_create(world, &def, &id), SN_OK);
    return id;
}

static double total(const sn_world *world) {
    const sn_energy e = sn_world_energy(world);
    return e.kinetic + e.elastic + e.potential;
}

// How far a ball gets down a slope of 20 degrees in 1.5 s; the most that its energy was above that of the start.
static double way_down(double radius, double young, double friction, double *gained) {
    sn_elastic_model *model = ball_model(radius);
    const double slope = 20 * degrees;
    sn_world *world = world_with(gravity * sin(slope), -gravity * cos(slope));
    plane(world, friction);
    const sn_body ball = put(world, model, (sn_vec3){0, R(radius), 0}, friction, young);
    const double start = total(world);
    *gained = 0;
    for (int i = 0; i < 90; i++) {
        sn_world_step(world, R(1.0 / 60), 0);
        *gained = fmax(*gained, total(world) - start);
    }
    sn_vec3 at[2] = {{0, 0, 0}};
    sn_body_get_points(world, ball, at, 2);
    CHECK_NEAR((double)at[0].y, radius, 0.02 * radius);
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
    return (double)at[0].x;
}

TEST(a_ball_rolls_down_a_slope) {
    const double radius = 0.25, time = 1.5;
    sn_elastic_model *model = ball_model(radius);
    const double part = 1 / (1 + gyration2(model) / (radius * radius)); // 5/7 of a ball of very many vertices
    sn_elastic_model_destroy(model);
    CHECK_NEAR(part, 5.0 / 7, 0.02);
    double gained;
    const double way = 0.5 * gravity * sin(20 * degrees) * time * time;
    CHECK_NEAR(way_down(radius, 1e6, 0.9, &gained) / (part * way), 1, 0.03);
    CHECK(gained < 1e-3 * 640);
    CHECK_NEAR(way_down(radius, 1e6, 0, &gained) / way, 1, 0.02);
    CHECK(gained < 1e-3 * 640);
}

// The angular momentum of a world about its centre of mass.
static double spin_z(const sn_world *world) {
    return sn_world_momentum(world).angular[2];
}

TEST(a_ball_spins_on_without_forces) {
    sn_elastic_model *model = ball_model(0.25);
    sn_world *world = world_with(0, 0);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.damping = 0, def.young = R(1e6), def.spin = (sn_vec3){0, 0, 10};
    sn_body ball;
    REQUIRE(sn_elastic_create(world, &def, &ball) == SN_OK);
    const double spin = spin_z(world), energy = total(world);
    for (int i = 0; i < 120; i++) sn_world_step(world, R(1.0 / 60), 1);
    CHECK_NEAR(spin_z(world) / spin, 1, 1e-3);
    CHECK_NEAR(total(world) / energy, 1, 0.02);
    CHECK(total(world) < energy * 1.001);
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
}

// Two balls that graze each other with friction turn each other.
TEST(balls_that_graze_keep_momentum_and_angular_momentum) {
    sn_elastic_model *model = ball_model(0.25);
    sn_world *world = world_with(0, 0);
    const sn_body one = put(world, model, (sn_vec3){0, 0, 0}, 0.5, 1e6);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.damping = 0, def.young = R(1e6);
    def.surface.friction_static = def.surface.friction_dynamic = R(0.5);
    def.position = (sn_vec3){R(-0.6), R(0.3), 0}, def.velocity = (sn_vec3){2, 0, 0};
    sn_body other;
    REQUIRE(one.slot1 && sn_elastic_create(world, &def, &other) == SN_OK);
    const sn_momentum before = sn_world_momentum(world);
    const double energy = total(world);
    for (int i = 0; i < 60; i++) sn_world_step(world, R(1.0 / 60), 4);
    const sn_momentum after = sn_world_momentum(world);
    const double moved = fabs(before.linear[0]), turned = fabs(before.angular[2]);
    sn_body_destroy(world, other);
    CHECK(fabs(sn_world_momentum(world).linear[1]) > 0.05 * moved);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(after.linear[k], before.linear[k], 2e-5 * moved);
        CHECK_NEAR(after.angular[k], before.angular[k], 1e-2 * turned);
    }
    CHECK(total(world) < energy * 1.001);
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
}

// A post that stands deep in the ground, as its anchors hold it, does not fight the ground.
TEST(an_anchored_body_stands_in_the_ground_and_keeps_its_energy) {
    const bar_def plan = {.cells = {8, 2, 2}, .cell = 0.05, .handles = {5, 1, 1}, .anchored = true};
    sn_elastic_model *model = bar_model(&plan, 0.05);
    sn_world *world = world_with(0, -gravity);
    plane(world, 0.5);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.young = R(2e6), def.damping = 0;
    def.rotation = (sn_quat){0, 0, R(0.70710678), R(0.70710678)}, def.position = (sn_vec3){0, R(-0.02), 0};
    sn_body post;
    REQUIRE(sn_elastic_create(world, &def, &post) == SN_OK);
    const double start = total(world);
    double low = start, high = start;
    for (int i = 0; i < 60; i++) {
        sn_world_step(world, R(1.0 / 60), 1);
        low = fmin(low, total(world)), high = fmax(high, total(world));
    }
    CHECK_NEAR(high / start, 1, 0.01);
    CHECK_NEAR(low / start, 1, 0.01);
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
}

// The lowest vertex of a body.
static double lowest_of(const sn_world *world, sn_body body) {
    static sn_vec3 at[2000];
    const int count = sn_elastic_get_vertices(world, body, at, 2000);
    double low = HUGE_VAL;
    for (int i = 0; i < count && i < 2000; i++) low = fmin(low, (double)at[i].y);
    return low;
}

// A soft cube of eight handles falls on an edge, tumbles, and comes to lie on a face. Its surface stays above the ground, in the impact within
// a hundredth of its size; a ball around a handle could go through the ground with little elastic energy.
TEST(a_soft_cube_tumbles_and_does_not_sink) {
    const bar_def plan = {.cells = {5, 5, 5}, .cell = 0.06, .handles = {2, 2, 2}};
    const double size = 0.3;
    sn_elastic_model *model = bar_model(&plan, 0.06);
    sn_world *world = world_with(0, -gravity);
    plane(world, 0.5);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.young = R(3e4), def.density = 300, def.damping = R(0.6),
    def.position = (sn_vec3){0, R(0.4), 0};
    def.rotation = (sn_quat){0, 0, R(0.2588190), R(0.9659258)}; // by 30 degrees
    sn_body cube;
    REQUIRE(sn_elastic_create(world, &def, &cube) == SN_OK);
    sn_world_set_energy_check(world, true);
    const double start = total(world);
    double deepest = 0, deepest_at_rest = 0;
    for (int i = 0; i < 150; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
        const double low = lowest_of(world, cube);
        deepest = fmin(deepest, low);
        if (i > 110) deepest_at_rest = fmin(deepest_at_rest, low);
    }
    CHECK(deepest > -0.01 * size);
    CHECK(deepest_at_rest > -0.005 * size);
    CHECK(sn_world_energy_balance(world).climb < 1e-3 * start);
    const sn_box3 box = sn_body_bounds(world, cube);
    CHECK((double)box.max.y < 1.05 * size); // on a face: on an edge it would be 1.4 times its size
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
}
