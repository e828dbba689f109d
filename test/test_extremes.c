// What abuse and fuzzing have found: worlds of extreme numbers, bodies that diverge beside others, and calls between steps.
#include "any_calls.h"
#include "test.h"

static sn_world *world_of(int lanes) {
    sn_world_def def = sn_world_def_default();
    def.lanes = lanes;
    return make_world(&def);
}

// The solver keeps what it measured of a rod for the next step, but not over a change of the rod: a second call that
// changes nothing makes it measure anew, and must make no difference.
TEST(a_rod_that_is_put_somewhere_is_measured_anew) {
    sn_world *worlds[2] = {world_of(1), world_of(1)};
    sn_rod rods[2];
    for (int w = 0; w < 2; ++w) {
        sn_vec3 points[6], centres[6];
        sn_real scales[6] = {1, R(1.1), R(0.9), 1, R(1.2), 1};
        sn_rod_def def = chain_def(points, 6);
        CHECK_INT(sn_rod_create(worlds[w], &def, &rods[w]), SN_OK);
        for (int i = 0; i < 5; ++i) CHECK_INT(sn_world_step(worlds[w], R(0.01), 1), SN_OK);
        sn_rod_get_centres(worlds[w], rods[w], centres, 6);
        for (int i = 0; i < 6; ++i) centres[i].y += R(0.02) * (sn_real)(i % 2);
        CHECK_INT(sn_rod_set_centres(worlds[w], rods[w], centres, 6), SN_OK);
        if (w == 1) CHECK_INT(sn_rod_set_segment(worlds[w], rods[w], 1, 1, 1), SN_OK);
        CHECK_INT(sn_world_step(worlds[w], R(0.01), 1), SN_OK);
        CHECK_INT(sn_rod_set_scales(worlds[w], rods[w], scales, 6), SN_OK);
        if (w == 1) CHECK_INT(sn_rod_set_segment(worlds[w], rods[w], 1, 1, 1), SN_OK);
        CHECK_INT(sn_world_step(worlds[w], R(0.01), 1), SN_OK);
    }
    CHECK(same_state(worlds[0], rods[0], worlds[1], rods[1]));
    for (int w = 0; w < 2; ++w) sn_world_destroy(worlds[w]);
}

// A bundle that bones lead starts elsewhere than where its rods would coast to. Whether another rod, far away, bears a
// load must not matter to it.
TEST(a_led_bundle_does_not_feel_what_other_rods_bear) {
    sn_world *worlds[2] = {world_of(0), world_of(0)};
    sn_rod rods[2][2];
    for (int w = 0; w < 2; ++w) {
        sn_shape_def ball = sn_shape_def_default();
        sn_shape bones[2];
        sn_rod far_away;
        sn_bundle bundle;
        ball.kind = SN_SHAPE_SPHERE, ball.radii[0] = R(0.01), ball.surface.mask = 0;
        for (int b = 0; b < 2; ++b) CHECK_INT(sn_shape_create(worlds[w], &ball, &bones[b]), SN_OK);
        for (int i = 0; i < 3; ++i) {
            sn_vec3 points[6];
            sn_rod_def def = chain_def(points, 6);
            for (int k = 0; k < 6; ++k) points[k].z += i < 2 ? R(0.05) * (sn_real)i : 50;
            CHECK_INT(sn_rod_create(worlds[w], &def, i < 2 ? &rods[w][i] : &far_away), SN_OK);
        }
        sn_bundle_def def = sn_bundle_def_default();
        def.rods = rods[w], def.rod_count = 2, def.bone_first = bones[0], def.bone_last = bones[1];
        CHECK_INT(sn_bundle_create(worlds[w], &def, &bundle), SN_OK);
        if (w == 1) CHECK_INT(sn_rod_set_force(worlds[w], far_away, 3, (sn_vec3){0, 1, 0}), SN_OK);
        for (int i = 0; i < 10; ++i) {
            CHECK_INT(
                sn_shape_move(worlds[w], bones[1], (sn_vec3){0, R(0.02 * i * i), 0}, turn_about(0, 0, 1, 0.1 * i)),
                SN_OK);
            CHECK_INT(sn_world_step(worlds[w], R(0.01), 2), SN_OK);
        }
    }
    for (int i = 0; i < 2; ++i) CHECK(same_state(worlds[0], rods[0][i], worlds[1], rods[1][i]));
    for (int w = 0; w < 2; ++w) sn_world_destroy(worlds[w]);
}

// Springs far too stiff for their explicit integrator, a long way off the others.
static void add_unstable(sn_world *world, sn_vec3 at) {
    sn_spring_chain plan = sn_spring_chain_default();
    sn_spring_net net;
    sn_springs id;
    plan.from = at, plan.to = (sn_vec3){at.x + 1, at.y, at.z}, plan.feel.stiffness = R(1e12);
    CHECK_INT(sn_springs_make_chain(&plan, NULL, &net), SN_OK);
    net.points[3].y += R(0.1);
    sn_springs_def def = sn_springs_def_of(&net);
    def.integrator = SN_SPRING_EXPLICIT_EULER, def.label = 99, def.touches = false;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
}

// A rod, a cloth and an elastic body on a floor are bit by bit the same with and without a body that diverges, which is
// told by name; and no reader says anything but numbers.
TEST(the_others_go_on_when_a_body_diverges) {
    enum { MOST = 64 };
    sn_vec3 at[2][3][MOST];
    int counts[3] = {0}, diverged = 0;
    for (int w = 0; w < 2; ++w) {
        choices none = {NULL, 0, 7};
        sn_world_def world_def = sn_world_def_default();
        any_world any;
        REQUIRE(any_begin(&any, &world_def, &none, 1));
        sn_world *world = any.world;
        sn_shape_def floor = sn_shape_def_default();
        sn_shape shape;
        CHECK_INT(sn_shape_create(world, &floor, &shape), SN_OK);
        sn_vec3 points[6];
        sn_rod_def rod_def = chain_def(points, 6);
        sn_rod rod;
        rod_def.label = 1;
        for (int i = 0; i < 6; ++i) points[i].y = R(0.1);
        CHECK_INT(sn_rod_create(world, &rod_def, &rod), SN_OK);
        sn_spring_cloth plan = sn_spring_cloth_default();
        sn_spring_net net;
        sn_springs cloth;
        plan.corner = (sn_vec3){3, R(0.2), 0}, plan.columns = plan.rows = 5;
        CHECK_INT(sn_springs_make_cloth(&plan, NULL, &net), SN_OK);
        sn_springs_def cloth_def = sn_springs_def_of(&net);
        cloth_def.label = 2;
        CHECK_INT(sn_springs_create(world, &cloth_def, &cloth), SN_OK);
        sn_spring_net_free(&net);
        sn_elastic_def elastic_def = sn_elastic_def_default();
        sn_elastic elastic;
        elastic_def.model = any_model(&any, 0), elastic_def.position = (sn_vec3){6, R(0.3), 0}, elastic_def.label = 3;
        CHECK_INT(sn_elastic_create(world, &elastic_def, &elastic), SN_OK);
        any.label = 99;
        if (w == 1) add_unstable(world, (sn_vec3){-20, 5, 0});
        for (int i = 0; i < 40; ++i) {
            uint64_t labels[8] = {0};
            any_step(&any, 0.01, 2);
            if (sn_world_diverged(world, labels, 8) == 0) continue;
            ++diverged;
            CHECK(w == 1 && sn_world_diverged(world, labels, 8) == 1 && labels[0] == 99);
        }
        counts[0] = sn_rod_get_centres(world, rod, at[w][0], MOST);
        counts[1] = sn_springs_get_points(world, cloth, at[w][1], MOST);
        counts[2] = sn_elastic_get_vertices(world, elastic, at[w][2], MOST);
        any_end(&any);
    }
    CHECK(diverged > 0);
    for (int k = 0; k < 3; ++k) CHECK(memcmp(at[0][k], at[1][k], (size_t)counts[k] * sizeof(sn_vec3)) == 0);
}

// Limits that are said in a definition's comment are allowed, also where the float nearest to them lies beyond.
TEST(a_limit_is_within_its_range) {
    choices none = {NULL, 0, 7};
    sn_world_def world_def = sn_world_def_default();
    any_world any;
    REQUIRE(any_begin(&any, &world_def, &none, 1));
    sn_elastic_def def = sn_elastic_def_default();
    sn_elastic id;
    def.model = any_model(&any, 0), def.poisson = R(0.499);
    CHECK_INT(sn_elastic_create(any.world, &def, &id), SN_OK);
    any_end(&any);
}

// An elastic body whose anchors stand at an angle: reading it must not round their turn once more.
TEST(anchors_are_restored_as_they_were) {
    choices none = {NULL, 0, 7};
    sn_world_def world_def = sn_world_def_default();
    any_world any;
    REQUIRE(any_begin(&any, &world_def, &none, 1));
    for (int i = 0; i < 8; ++i) {
        sn_elastic_def def = sn_elastic_def_default();
        sn_elastic id;
        def.model = any_model(&any, 2);
        CHECK_INT(sn_elastic_create(any.world, &def, &id), SN_OK);
        CHECK_INT(sn_elastic_move_anchors(any.world, id, (sn_vec3){0, 0, 0}, turn_about(0.6, 0, 0.8, 0.1 + 0.37 * i)),
                  SN_OK);
    }
    CHECK_INT(sn_world_step(any.world, R(0.01), 1), SN_OK);
    saved bytes = save_of(any.world);
    any_restore(&any);
    CHECK(unchanged(any.world, bytes));
    any_end(&any);
}
