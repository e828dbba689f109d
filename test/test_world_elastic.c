// Elastic bodies as a kind of the world: they rest, touch other kinds, keep momentum, sleep, are hashed, saved and tied.
#include "elastic_asset_util.h"
#include "sinew/sinew.h"
#include "test.h"
#include <stdlib.h>

#define R(x) ((sn_real)(x))

// A bar of 0.4 x 0.1 x 0.1 m with five handles along it; its medial mesh is the cones between them.
static sn_elastic_model *small_bar(bool anchored) {
    const bar_def def = {.cells = {8, 2, 2}, .cell = 0.05, .handles = {5, 1, 1}, .anchored = anchored};
    return bar_model(&def, 0.05);
}

static sn_world *world_with(int workers, int iterations, double gravity) {
    sn_world_def def = sn_world_def_default();
    def.worker_count = workers, def.iterations = iterations;
    def.gravity = (sn_vec3){0, R(gravity), 0};
    sn_world *world = NULL;
    sn_world_create(&def, &world);
    return world;
}

static sn_body bar_at(sn_world *world, sn_elastic_model *model, sn_vec3 position) {
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.position = position;
    sn_body id = {0};
    sn_elastic_create(world, &def, &id);
    return id;
}

static sn_vec3 lowest(const sn_world *world, sn_body id) {
    sn_vec3 at[16], low = {0, R(1e9), 0};
    const int count = sn_body_get_points(world, id, at, 16);
    for (int i = 0; i < count && i < 16; i++)
        if (at[i].y < low.y) low = at[i];
    return low;
}

TEST(a_bar_comes_to_rest_on_a_plane_and_sleeps) {
    sn_elastic_model *model = small_bar(false);
    REQUIRE(model != NULL);
    sn_world *world = world_with(1, 2, -9.81);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    sn_rigid_create(world, &ground, &plane);
    const sn_body bar = bar_at(world, model, (sn_vec3){0, R(0.2), 0});
    REQUIRE(bar.slot1 != 0);
    for (int i = 0; i < 240; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 2), SN_OK);
    sn_real radius[16];
    sn_elastic_get_radii(world, bar, radius, 16);
    CHECK_NEAR(lowest(world, bar).y, radius[0], 0.05 * (double)radius[0]);
    CHECK(sn_world_penetration(world) < 0.05);
    CHECK_INT(sn_world_profile(world).asleep, 1);
    CHECK_NEAR(sn_body_volume(world, bar) / sn_body_rest_volume(world, bar), 1, 0.02);
    sn_world_destroy(world);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
}

TEST(bodies_of_three_kinds_collide_and_momentum_stays) {
    sn_elastic_model *model = small_bar(false);
    REQUIRE(model != NULL);
    sn_world *world = world_with(1, 4, 0);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.damping = 0;
    def.velocity = (sn_vec3){0, R(-1), 0}, def.position = (sn_vec3){0, R(0.12), 0};
    sn_body bar;
    REQUIRE(sn_elastic_create(world, &def, &bar) == SN_OK);
    sn_vec3 points[8]; // a rod across it, below
    for (int i = 0; i < 8; i++) points[i] = (sn_vec3){R(0.1), R(0.0), R(-0.2 + 0.06 * i)};
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 8, rod.radius = R(0.02), rod.material.damping = 0;
    sn_body id;
    REQUIRE(sn_rod_create(world, &rod, &id) == SN_OK);
    sn_spring_cloth cloth = sn_spring_cloth_default(); // and cloth below its other end
    cloth.corner = (sn_vec3){R(0.2), 0, R(-0.15)};
    cloth.across = (sn_vec3){R(0.3), 0, 0}, cloth.down = (sn_vec3){0, 0, R(0.3)};
    cloth.columns = cloth.rows = 9;
    sn_spring_net net;
    sn_springs_make_cloth(&cloth, NULL, &net);
    sn_springs_def body = sn_springs_def_of(&net);
    sn_body towel;
    REQUIRE(sn_springs_create(world, &body, &towel) == SN_OK);
    sn_spring_net_free(&net);
    const sn_momentum before = sn_world_momentum(world);
    double most = 0;
    for (int i = 0; i < 30; i++) {
        sn_world_step(world, R(1.0 / 60), 2);
        most = fmax(most, (double)sn_world_profile(world).contacts);
    }
    const sn_momentum after = sn_world_momentum(world);
    CHECK(most > 2);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(after.linear[k], before.linear[k], (sizeof(sn_real) == 8 ? 1e-9 : 1e-5) * fabs(before.linear[1]));
    sn_vec3 v[81];
    sn_body_get_velocities(world, towel, v, 81);
    double down = 0;
    for (int i = 0; i < 81; i++) down += (double)v[i].y / 81;
    CHECK(down < -0.2); // it was struck
    sn_world_destroy(world);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
}

static sn_world *pile(sn_elastic_model *model, int workers) {
    sn_world *world = world_with(workers, 2, -9.81);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    sn_rigid_create(world, &ground, &plane);
    sn_body last = {0};
    for (int i = 0; i < 3; i++) {
        const sn_body bar = bar_at(world, model, (sn_vec3){R(0.05 * i), R(0.1 + 0.13 * i), R(0.02 * i)});
        if (i == 2) last = bar;
    }
    sn_vec3 points[5];
    for (int i = 0; i < 5; i++) points[i] = (sn_vec3){R(0.1), R(0.6 + 0.05 * i), 0};
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 5;
    sn_body id;
    sn_rod_create(world, &rod, &id);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = id, joint.body_b = last, joint.point_b = 1;
    sn_joint tie;
    if (sn_joint_create(world, &joint, &tie) != SN_OK) CHECK(false);
    return world;
}

TEST(a_pile_has_the_same_hash_on_two_workers_and_after_a_restore) {
    sn_elastic_model *model = small_bar(false);
    REQUIRE(model != NULL);
    sn_world *one = pile(model, 1), *two = pile(model, 2);
    for (int i = 0; i < 40; i++) {
        sn_world_step(one, R(1.0 / 60), 2);
        sn_world_step(two, R(1.0 / 60), 2);
    }
    CHECK(sn_world_hash(one) == sn_world_hash(two));
    const size_t size = sn_world_save(one, NULL, 0);
    unsigned char *bytes = malloc(size), *again_bytes = malloc(size);
    CHECK(sn_world_save(one, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    sn_world *again = NULL;
    REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
    CHECK(sn_world_save(again, again_bytes, size) == size);
    CHECK(memcmp(bytes, again_bytes, size) == 0);
    for (int i = 0; i < 20; i++) {
        sn_world_step(one, R(1.0 / 60), 2);
        sn_world_step(again, R(1.0 / 60), 2);
    }
    CHECK(sn_world_hash(one) == sn_world_hash(again));
    for (size_t cut = 0; cut < size; cut += size / 37 + 1) { // whatever is missing is noticed
        sn_world *half = NULL;
        CHECK(sn_world_restore(&def, bytes, cut, &half) != SN_OK);
    }
    free(bytes);
    free(again_bytes);
    sn_world_destroy(again);
    CHECK_INT(sn_elastic_model_destroy(model), SN_ERR_BUSY);
    sn_world_destroy(one);
    sn_world_destroy(two);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
}

TEST(anchors_are_moved_and_the_body_follows) {
    sn_elastic_model *model = small_bar(true);
    REQUIRE(model != NULL);
    sn_world *world = world_with(1, 1, -9.81);
    const sn_body bar = bar_at(world, model, (sn_vec3){0, 1, 0});
    REQUIRE(bar.slot1 != 0);
    for (int i = 1; i <= 60; i++) {
        sn_elastic_move_anchors(world, bar, (sn_vec3){R(0.005 * i), 1, 0}, (sn_quat){0, 0, 0, 1});
        sn_world_step(world, R(1.0 / 60), 2);
    }
    for (int i = 0; i < 120; i++) sn_world_step(world, R(1.0 / 60), 2);
    const sn_elastic_asset *a = sn_elastic_model_asset(sn_elastic_get_model(world, bar));
    sn_vec3 *x = malloc((size_t)a->vertex_count * sizeof *x);
    REQUIRE(sn_elastic_get_vertices(world, bar, x, a->vertex_count) == a->vertex_count);
    double tip = 0;
    for (int i = 0; i < a->vertex_count; i++) {
        if (a->anchored[i]) CHECK_NEAR(x[i].x, (double)a->rest[i].x + 0.3, 1e-5);
        tip = fmin(tip, (double)(x[i].y - a->rest[i].y) - 1);
    }
    CHECK(tip < -0.005 && tip > -0.3); // it bends, and hangs on
    free(x);
    sn_world_destroy(world);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
}

static int lines;
static void hear(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code, (void)field, (void)text;
    lines++;
}

TEST(errors_in_definitions_are_named) {
    sn_world_def world_def = sn_world_def_default();
    world_def.log = hear;
    sn_world *world;
    REQUIRE(sn_world_create(&world_def, &world) == SN_OK);
    sn_elastic_def def = sn_elastic_def_default();
    def.young = 0, def.poisson = R(0.5), def.iterations = 0, def.surface.restitution = 2;
    sn_body id;
    lines = 0;
    CHECK_INT(sn_elastic_create(world, &def, &id), SN_ERR_DEF);
    CHECK_INT(lines, 5); // the model too
    sn_elastic_model_def model_def = sn_elastic_model_def_default();
    sn_elastic_asset empty = {0};
    model_def.asset = &empty, model_def.log = hear;
    sn_elastic_model *model;
    lines = 0;
    CHECK_INT(sn_elastic_model_create(&model_def, &model), SN_ERR_DEF);
    CHECK_INT(lines, 1);
    CHECK(!sn_body_exists(world, (sn_body){SN_KIND_ROD, 1, 1}));
    CHECK_INT(sn_body_destroy(world, (sn_body){SN_KIND_ROD, 1, 1}), SN_ERR_STALE_ID);
    sn_world_destroy(world);
}
