// Mass-spring bodies that touch: rest, friction, what is thrown at them, themselves, rods, sleep.
#include "springs_world.h"

// ---- rest

TEST(cloth_and_chains_rest_on_the_ground) {
    sn_world *world = world_with(9.81, 1, 0);
    ground(world, 0.5);
    const sn_body cloth = cloth_in(world, (cloth_plan){.side = 12, .at = {0, (sn_real)0.1, 0}, .radius = 0.01});
    const sn_body chain = chain_in(world, vec(2, 0.2, 0), vec(3, 0.3, 0), 12, 0.2, 500, 0.02, 0);
    double deepest = 0;
    for (int i = 0; i < 90; i++) {
        run(world, 1, 1.0 / 60, 2);
        deepest = fmax(deepest, sn_world_penetration(world));
    }
    CHECK(deepest < 0.05);
    const sn_vec3 *points;
    for (int i = points_of(world, cloth, &points); i-- > 0;) CHECK_NEAR(points[i].y, 0.01, 0.0005);
    for (int i = points_of(world, chain, &points); i-- > 0;) CHECK_NEAR(points[i].y, 0.02, 0.001);
    sn_world_destroy(world);
}

TEST(cloth_lies_over_a_ball_a_box_and_a_pill) {
    for (int kind = SN_GEOMETRY_SPHERE; kind <= SN_GEOMETRY_BOX; kind++) {
        sn_world *world = world_with(9.81, 1, 0);
        sn_rigid_def def = sn_rigid_def_default();
        sn_body shape;
        def.geometry = (sn_geometry_kind)kind;
        def.radii[0] = def.radii[1] = (sn_real)0.25;
        def.ends[0] = vec(-0.3, 0, 0), def.ends[1] = vec(0.3, 0, 0);
        def.half = vec(0.2, 0.25, 0.2);
        def.surface.friction_static = def.surface.friction_dynamic = 1;
        CHECK_INT(sn_rigid_create(world, &def, &shape), SN_OK);
        const sn_body cloth =
            cloth_in(world, (cloth_plan){.side = 13, .at = {0, (sn_real)0.3, 0}, .radius = 0.02, .friction = 1});
        double deepest = 0;
        for (int i = 0; i < 100; i++) {
            run(world, 1, 1.0 / 60, 4);
            if (i >= 50) deepest = fmax(deepest, sn_world_penetration(world)); // it has come to lie
        }
        CHECK(deepest < 0.05);
        // Its middle lies on top, perhaps in a fold; its rim hangs.
        CHECK_NEAR(point_of(world, cloth, 6 * 13 + 6).y, 0.284, 0.015);
        CHECK(lowest_of(world, cloth) < 0.1);
        sn_world_destroy(world);
    }
}

TEST(a_solid_rests_on_the_ground) {
    sn_world *world = world_with(9.81, 1, 0);
    ground(world, 0.5);
    sn_spring_net net = block_net(3, 0.3, vec(0, 0.3, 0), 500, 4000, 20);
    sn_springs_def def = sn_springs_def_of(&net);
    def.radius = (sn_real)0.01;
    def.bulk = 1e5;
    const sn_body id = make(world, &def);
    double deepest = 0;
    for (int i = 0; i < 120; i++) {
        run(world, 1, 1.0 / 60, 4);
        deepest = fmax(deepest, sn_world_penetration(world));
    }
    CHECK(deepest < 0.05);
    CHECK_NEAR(lowest_of(world, id), 0.01, 0.0005);
    CHECK_NEAR(sn_body_volume(world, id), 0.027, 0.027 * 0.05);
    CHECK(sn_world_energy(world).kinetic < 1e-4);
    sn_spring_net_free(&net);
    sn_world_destroy(world);
}

// ---- friction

// A slope is level ground under gravity that is turned: x is downhill.
static double slides(double angle, double mu, bool cloth) {
    sn_world *world = world_with(0, 1, 0);
    CHECK_INT(sn_world_set_gravity(world, vec(9.81 * sin(angle), -9.81 * cos(angle), 0)), SN_OK);
    sn_world_set_sleeping(world, false);
    ground(world, mu);
    const sn_body id =
        cloth ? cloth_in(
                    world,
                    (cloth_plan){.side = 5, .size = 0.4, .at = {0, (sn_real)0.01, 0}, .radius = 0.01, .friction = mu})
              : chain_in(world, vec(-0.2, 0.01, 0), vec(0.2, 0.01, 0), 5, 0.2, 500, 0.01, mu);
    run(world, 60, 1.0 / 60, 4);
    const double way = (double)middle_of(world, id).x;
    sn_world_destroy(world);
    return way;
}

TEST(bodies_stick_below_the_angle_of_friction_and_slide_above) {
    const double frictions[] = {0.2, 0.5, 1};
    for (int k = 0; k < 3; k++)
        for (int cloth = 0; cloth < 2; cloth++) {
            const double mu = frictions[k], above = atan(1.02 * mu);
            CHECK(fabs(slides(atan(0.98 * mu), mu, cloth)) < 1e-3);
            const double expected = 0.5 * 9.81 * (sin(above) - mu * cos(above));
            CHECK_NEAR(slides(above, mu, cloth), expected, 0.15 * expected + 1e-3);
        }
}

// ---- what is thrown

TEST(what_flies_at_cloth_does_not_pass_it) {
    for (int k = 0; k < 4; k++) { // at a corner of triangles, at an edge, in a face, at a slant
        sn_world *world = world_with(0, 1, 0);
        const sn_body cloth = cloth_in(world, (cloth_plan){.side = 9, .held = true});
        for (int i = 0; i < 81; i++)
            if (i % 9 == 0 || i % 9 == 8 || i < 9 || i > 71) sn_springs_set_mass(world, cloth, i, 0);
        const double x[] = {0, 0.06, 0.03, 0.04}, z[] = {0, 0, 0.04, 0.02};
        const sn_body shot =
            chain_in(world, vec(x[k], 0.5, z[k]), vec(x[k] + 0.001, 0.51, z[k]), 2, 0.01, 1000, 0.005, 0);
        const sn_vec3 v[2] = {vec(k == 3 ? 3 : 0, -10, 0), vec(k == 3 ? 3 : 0, -10, 0)};
        CHECK_INT(sn_springs_set_velocities(world, shot, v, 2), SN_OK);
        double lowest = 1;
        for (int i = 0; i < 60; i++) {
            run(world, 1, 1.0 / 120, 1);
            // The net may sag, but what was above it stays above.
            const sn_vec3 *points;
            double sag = 0;
            for (int n = points_of(world, cloth, &points); n-- > 0;) sag = fmin(sag, (double)points[n].y);
            lowest = fmin(lowest, (double)middle_of(world, shot).y - sag);
        }
        CHECK(lowest > -0.005);
        sn_world_destroy(world);
    }
}

TEST(what_flies_at_a_solid_does_not_pass_it) {
    sn_world *world = world_with(0, 1, 0);
    sn_spring_net net = block_net(2, 0.3, vec(0, 0, 0), 1000, 5000, 5);
    for (int i = 0; i < net.count; i++)
        if (net.points[i].y < (sn_real)-0.1) net.masses[i] = 0;
    sn_springs_def def = sn_springs_def_of(&net);
    make(world, &def);
    const sn_body shot = chain_in(world, vec(0.04, 0.5, 0.03), vec(0.04, 0.51, 0.03), 2, 0.05, 1000, 0.005, 0);
    const sn_vec3 v[2] = {{0, -10, 0}, {0, -10, 0}};
    sn_springs_set_velocities(world, shot, v, 2);
    for (int i = 0; i < 60; i++) {
        run(world, 1, 1.0 / 120, 1);
        CHECK((double)middle_of(world, shot).y > 0.08);
    }
    sn_spring_net_free(&net);
    sn_world_destroy(world);
}

TEST(a_rod_that_hits_cloth_keeps_momentum) {
    sn_world *world = world_with(0, 1, 0);
    cloth_in(world, (cloth_plan){.side = 9, .radius = 0.01});
    const sn_vec3 points[4] = {vec(-0.15, 0.1, 0.02), vec(-0.05, 0.1, 0.01), vec(0.05, 0.1, 0.01), vec(0.15, 0.1, 0)};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 4;
    def.velocity = vec(0.5, -2, 0.2);
    def.material.damping = 0;
    sn_body rod;
    CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    const sn_momentum before = sn_world_momentum(world);
    int contacts = 0;
    for (int i = 0; i < 40; i++) {
        run(world, 1, 1.0 / 120, 1);
        contacts += sn_world_profile(world).contacts;
    }
    CHECK(contacts > 0);
    const sn_momentum after = sn_world_momentum(world);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after.linear[k], before.linear[k], WIDE ? 1e-12 : 1e-5);
    sn_vec3 centres[4];
    sn_body_get_points(world, rod, centres, 4);
    const sn_body cloth = sn_world_kind_at(world, SN_KIND_SPRING, 0);
    CHECK(point_of(world, cloth, 40).y < centres[1].y); // it is carried along in front
    sn_world_destroy(world);
}

// ---- themselves

// A sheet falls on a bar and its halves swing together: they must not pass each other.
TEST(cloth_does_not_pass_itself) {
    sn_world *world = world_with(9.81, 1, 0);
    const sn_body cloth = cloth_in(world, (cloth_plan){.side = 11, .size = 0.5, .radius = 0.01, .self = true});
    for (int i = 0; i < 11; i++) sn_springs_set_mass(world, cloth, i * 11 + 5, 0); // the middle line is held
    for (int i = 0; i < 150; i++) {
        run(world, 1, 1.0 / 60, 3);
        const sn_vec3 *points;
        points_of(world, cloth, &points);
        // Point k left of the line and its mirror image stay on their sides.
        for (int r = 0; r < 11; r++)
            for (int c = 0; c < 5; c++) CHECK(points[r * 11 + 10 - c].x - points[r * 11 + c].x > (sn_real)0.015);
    }
    CHECK(lowest_of(world, cloth) < -0.2);
    CHECK(sn_world_penetration(world) < 0.1);
    sn_world_destroy(world);
}

// ---- sleep

TEST(cloth_at_rest_sleeps_until_it_is_hit) {
    sn_world *world = world_with(9.81, 1, 0);
    ground(world, 0.5);
    const sn_body cloth = cloth_in(world, (cloth_plan){.side = 8, .at = {0, (sn_real)0.02, 0}, .radius = 0.01});
    run(world, 90, 1.0 / 60, 2);
    CHECK_INT(sn_world_profile(world).asleep, 1);
    const sn_vec3 before = point_of(world, cloth, 27);
    run(world, 10, 1.0 / 60, 2);
    CHECK(memcmp(&before,
                 &(sn_vec3){point_of(world, cloth, 27).x, point_of(world, cloth, 27).y, point_of(world, cloth, 27).z},
                 sizeof before) == 0);
    CHECK_NEAR(sn_world_energy(world).kinetic, 0, 0);
    const sn_body shot = chain_in(world, vec(-0.1, 0.3, 0), vec(0.1, 0.3, 0), 3, 0.3, 500, 0.02, 0);
    const sn_vec3 v[3] = {{1, -2, 0}, {1, -2, 0}, {1, -2, 0}};
    sn_springs_set_velocities(world, shot, v, 3);
    bool woke = false;
    for (int i = 0; i < 30; i++) {
        run(world, 1, 1.0 / 60, 2);
        woke = woke || sn_world_profile(world).asleep == 0;
    }
    CHECK(woke);
    run(world, 120, 1.0 / 60, 2);
    CHECK_INT(sn_world_profile(world).asleep, 2);
    CHECK_INT(sn_springs_set_wind(world, cloth, vec(0, 0, 0), 0), SN_OK); // any change wakes
    run(world, 1, 1.0 / 60, 2);
    CHECK_INT(sn_world_profile(world).asleep, 1);
    sn_world_destroy(world);
}

TEST(families_and_bodies_without_contact_pass_each_other) {
    for (int k = 0; k < 3; k++) { // they touch; the same family; one touches nothing
        sn_world *world = world_with(0, 1, 0);
        sn_body ids[2];
        for (int i = 0; i < 2; i++) {
            sn_spring_chain plan = sn_spring_chain_default();
            plan.from = i ? vec(0, 0.1, -0.2) : vec(-0.2, 0, 0), plan.to = i ? vec(0, 0.1, 0.2) : vec(0.2, 0, 0);
            sn_spring_net net;
            REQUIRE(sn_springs_make_chain(&plan, NULL, &net) == SN_OK);
            sn_springs_def def = sn_springs_def_of(&net);
            def.family = k == 1 ? 3 : 0;
            def.collide = k != 2 || i == 0;
            ids[i] = make(world, &def);
            sn_spring_net_free(&net);
        }
        sn_vec3 v[11];
        for (int i = 0; i < 11; i++) v[i] = vec(0, -1, 0);
        sn_springs_set_velocities(world, ids[1], v, 11);
        run(world, 30, 0.01, 1);
        const bool passed = point_of(world, ids[1], 5).y < point_of(world, ids[0], 5).y;
        CHECK_INT(passed, k > 0);
        sn_world_destroy(world);
    }
}
