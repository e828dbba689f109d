// What the calls on rods promise in motion: held things stay and arrive, loads accelerate, shapes without strain rest,
// muscles bulge, and energy is lost, not made.
#include "mixed_world.h"

#ifdef SN_DOUBLE
static const double rest_speed = 1e-9;
#else
static const double rest_speed = 2e-5; // a unit in the last place of a coordinate, over a sixtieth of a second
#endif

static sn_world *empty_world(double gravity_y, int solver, int iterations) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, R(gravity_y), 0};
    def.solver = (sn_solver)solver;
    def.iterations = iterations;
    return make_world(&def);
}

static sn_body add(sn_world *world, const sn_rod_def *def) {
    sn_body id = {0};
    CHECK_INT(sn_rod_create(world, def, &id), SN_OK);
    return id;
}

static void steps(sn_world *world, int count, int substeps) {
    for (int i = 0; i < count; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), substeps), SN_OK);
}

static double fastest(const sn_world *world, sn_body id) {
    sn_vec3 v[256];
    int n = sn_body_get_velocities(world, id, v, 256);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, distance(v[i], (sn_vec3){0, 0, 0}));
    return most;
}

static sn_quat frame_at(const sn_world *world, sn_body id, int segment) {
    sn_quat q[256] = {{0, 0, 0, 0}};
    sn_rod_get_frames(world, id, q, 256);
    return q[segment];
}

static sn_real scale_at(const sn_world *world, sn_body id, int point) {
    sn_real s[256] = {0};
    sn_rod_get_scales(world, id, s, 256);
    return s[point];
}

// ---- holds

TEST(held_things_do_not_move_at_all) {
    for (int solver = 0; solver < 3; solver++) {
        sn_world *world = empty_world(-9.81, solver, 4);
        REQUIRE(world);
        sn_vec3 points[9];
        sn_rod_def def = chain_def(points, 9);
        for (int i = 0; i < 9; i++) points[i].y = R(0.013) * (sn_real)(i * i % 7), points[i].z = R(0.3);
        sn_body id = add(world, &def);
        CHECK_INT(sn_rod_hold(world, id, 2, SN_HOLD_CENTRE), SN_OK);
        CHECK_INT(sn_rod_hold(world, id, 4, SN_HOLD_SCALE | SN_HOLD_FRAME), SN_OK);
        CHECK_INT(sn_rod_hold(world, id, 7, SN_HOLD_CENTRE | SN_HOLD_SCALE | SN_HOLD_FRAME), SN_OK);
        sn_quat q4 = frame_at(world, id, 4), q7 = frame_at(world, id, 7);
        for (int i = 0; i < 40; i++) {
            steps(world, 1, 1 + i % 3);
            sn_vec3 a = centre_of(world, id, 2), b = centre_of(world, id, 7);
            CHECK(a.x == points[2].x && a.y == points[2].y && a.z == points[2].z);
            CHECK(b.x == points[7].x && b.y == points[7].y && b.z == points[7].z);
            CHECK(scale_at(world, id, 4) == 1 && scale_at(world, id, 7) == 1);
            sn_quat f = frame_at(world, id, 4), g = frame_at(world, id, 7);
            CHECK(f.x == q4.x && f.y == q4.y && f.z == q4.z && f.w == q4.w);
            CHECK(g.x == q7.x && g.y == q7.y && g.z == q7.z && g.w == q7.w);
        }
        CHECK(centre_of(world, id, 0).y < points[0].y - R(0.01)); // the rest hangs
        sn_world_destroy(world);
    }
}

TEST(moved_things_arrive_exactly_with_any_substeps) {
    const int parts[] = {1, 2, 3, 7, 10, 64};
    for (int solver = 0; solver < 3; solver++) {
        for (int k = 0; k < 6; k++) {
            sn_world *world = empty_world(-9.81, solver, 3);
            REQUIRE(world);
            sn_vec3 points[7];
            sn_rod_def def = chain_def(points, 7);
            def.clamp_first = def.clamp_last = true;
            sn_body id = add(world, &def);
            CHECK_INT(sn_rod_hold(world, id, 3, SN_HOLD_CENTRE | SN_HOLD_SCALE | SN_HOLD_FRAME), SN_OK);
            sn_vec3 to = {R(0.31), R(0.017), R(-0.023)}, end = {R(0.61), R(0.01), 0};
            sn_quat turn = turn_about(0.6, 0, 0.8, 0.2), q = frame_at(world, id, 3);
            sn_quat aim = {turn.w * q.x + turn.x * q.w + turn.y * q.z - turn.z * q.y,
                           turn.w * q.y - turn.x * q.z + turn.y * q.w + turn.z * q.x,
                           turn.w * q.z + turn.x * q.y - turn.y * q.x + turn.z * q.w,
                           turn.w * q.w - turn.x * q.x - turn.y * q.y - turn.z * q.z};
            CHECK_INT(sn_rod_move_centre(world, id, 3, to), SN_OK);
            CHECK_INT(sn_rod_move_scale(world, id, 3, R(1.07)), SN_OK);
            CHECK_INT(sn_rod_move_frame(world, id, 3, aim), SN_OK);
            CHECK_INT(sn_rod_move_centre(world, id, 6, end), SN_OK);
            steps(world, 1, parts[k]);
            sn_vec3 c = centre_of(world, id, 3), e = centre_of(world, id, 6);
            CHECK(c.x == to.x && c.y == to.y && c.z == to.z);
            CHECK(e.x == end.x && e.y == end.y && e.z == end.z);
            CHECK(scale_at(world, id, 3) == R(1.07));
            sn_quat f = frame_at(world, id, 3);
            double same = (double)(f.x * aim.x + f.y * aim.y + f.z * aim.z + f.w * aim.w);
            CHECK_NEAR(fabs(same), 1, 1e-6);
            steps(world, 1, parts[k]); // and stay there
            c = centre_of(world, id, 3);
            CHECK(c.x == to.x && c.y == to.y && c.z == to.z);
            sn_world_destroy(world);
        }
    }
}

TEST(a_driven_point_has_the_velocity_of_its_driver) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 2);
    REQUIRE(world);
    sn_vec3 points[4], v[4];
    sn_rod_def def = chain_def(points, 4);
    def.material.damping = 0;
    sn_body id = add(world, &def);
    CHECK_INT(sn_rod_hold(world, id, 0, SN_HOLD_CENTRE), SN_OK);
    for (int i = 1; i <= 30; i++) {
        CHECK_INT(sn_rod_move_centre(world, id, 0, (sn_vec3){0, R(0.01) * (sn_real)i, 0}), SN_OK);
        steps(world, 1, 4);
        sn_body_get_velocities(world, id, v, 4);
        CHECK_NEAR(v[0].y, 0.6, 1e-4);
    }
    CHECK_INT(sn_rod_hold(world, id, 0, SN_HOLD_NONE), SN_OK); // let go, it flies on
    sn_momentum before = sn_world_momentum(world);
    steps(world, 30, 4);
    sn_momentum after = sn_world_momentum(world);
    CHECK(before.linear[1] > 0);
    CHECK_NEAR(after.linear[1], before.linear[1], 1e-4 * before.linear[1]);
    sn_world_destroy(world);
}

TEST(an_interrupted_motion_goes_on) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 2);
    REQUIRE(world);
    sn_vec3 points[5], to = {R(0.2), R(0.01), 0};
    sn_real scales[5] = {1, 1, 1, 1, 1};
    sn_rod_def def = chain_def(points, 5);
    sn_body id = add(world, &def);
    CHECK_INT(sn_rod_hold(world, id, 2, SN_HOLD_CENTRE), SN_OK);
    CHECK_INT(sn_rod_move_centre(world, id, 2, to), SN_OK);
    CHECK_INT(sn_rod_hold(world, id, 2, SN_HOLD_CENTRE | SN_HOLD_SCALE), SN_OK); // holds more of it
    CHECK_INT(sn_rod_move_scale(world, id, 2, R(1.1)), SN_OK);
    CHECK_INT(sn_rod_set_scales(world, id, scales, 5), SN_OK); // puts scales, also that one
    steps(world, 1, 2);
    CHECK(centre_of(world, id, 2).y == to.y);
    CHECK(scale_at(world, id, 2) == 1);
    CHECK_INT(sn_rod_move_scale(world, id, 2, R(1.1)), SN_OK);
    CHECK_INT(sn_rod_set_centres(world, id, points, 5), SN_OK);
    steps(world, 1, 2);
    CHECK(centre_of(world, id, 2).y == 0);
    CHECK(scale_at(world, id, 2) == R(1.1));
    sn_world_destroy(world);
}

TEST(a_rotated_clamp_rotates_the_rod_at_either_end) {
    const double angle = 0.5;
    for (int last = 0; last < 2; last++) {
        sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        sn_vec3 points[9];
        sn_rod_def def = chain_def(points, 9);
        def.clamp_first = !last, def.clamp_last = last;
        def.material.damping = 5;
        sn_body id = add(world, &def);
        int end = last ? 8 : 0;
        for (int i = 1; i <= 30; i++) {
            CHECK_INT(sn_rod_move_clamp(world, id, end, turn_about(0, 0, 1, angle * i / 30)), SN_OK);
            steps(world, 1, 2);
        }
        steps(world, 400, 2);
        // straight again, turned about the clamped end
        sn_vec3 pivot = points[end], tip = centre_of(world, id, 8 - end);
        double sign = last ? -1 : 1;
        CHECK_NEAR(tip.x, (double)pivot.x + sign * 0.8 * cos(angle), 2e-3);
        CHECK_NEAR(tip.y, sign * 0.8 * sin(angle), 2e-3);
        CHECK_NEAR(tip.z, 0, 1e-4);
        sn_world_destroy(world);
    }
}

TEST(a_clamp_twists_the_rod) {
    for (int last = 0; last < 2; last++) {
        sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        sn_vec3 points[9];
        sn_rod_def def = chain_def(points, 9);
        def.clamp_first = def.clamp_last = true;
        def.material.damping = 5;
        sn_body id = add(world, &def);
        sn_quat before[9], after[9];
        sn_rod_get_frames(world, id, before, 9);
        for (int i = 1; i <= 60; i++) {
            CHECK_INT(sn_rod_move_clamp(world, id, last ? 8 : 0, turn_about(1, 0, 0, 0.8 * i / 60)), SN_OK);
            steps(world, 1, 1);
        }
        steps(world, 200, 1);
        sn_rod_get_frames(world, id, after, 9);
        for (int k = 1; k < 9; k++) { // the twist is spread evenly: half cells at the clamps
            double w = fabs((double)(before[k].x * after[k].x + before[k].y * after[k].y + before[k].z * after[k].z +
                                     before[k].w * after[k].w));
            double share = (k - 0.5) / 8;
            CHECK_NEAR(2 * acos(fmin(1, w)), 0.8 * (last ? share : 1 - share), 4e-3);
        }
        sn_world_destroy(world);
    }
}

TEST(a_freed_clamp_lets_the_rod_swing) {
    for (int last = 0; last < 2; last++) {
        double dropped[3];
        for (int how = 0; how < 3; how++) { // clamped, pinned, free
            sn_world *world = empty_world(-9.81, SN_SOLVER_DIRECT, 3);
            REQUIRE(world);
            sn_vec3 points[6];
            sn_rod_def def = chain_def(points, 6);
            def.material = sn_material_preset(SN_PRESET_STEEL);
            def.clamp_first = !last, def.clamp_last = last;
            sn_body id = add(world, &def);
            int end = last ? 5 : 0;
            if (how == 1) CHECK_INT(sn_rod_hold(world, id, end, SN_HOLD_CENTRE), SN_OK);
            if (how == 2) CHECK_INT(sn_rod_hold(world, id, end, SN_HOLD_NONE), SN_OK);
            steps(world, 12, 4);
            dropped[how] = -(double)centre_of(world, id, 5 - end).y;
            if (how == 1) { // a rod on a hinge: the tip falls 3/2 as fast as a stone
                CHECK(centre_of(world, id, end).y == 0);
                CHECK_NEAR(dropped[1], 1.5 * 0.5 * 9.81 * 0.04, 0.03);
                CHECK_INT(sn_rod_hold(world, id, end, SN_HOLD_CENTRE | SN_HOLD_CLAMP), SN_OK); // clamped again
                steps(world, 120, 4);
                CHECK_NEAR(centre_of(world, id, 5 - end).y, 0, 0.01);
            }
            sn_world_destroy(world);
        }
        CHECK(dropped[0] < 0.001);
        CHECK_NEAR(dropped[2], 0.5 * 9.81 * 0.04, 0.01);
    }
}

// ---- states that are set

TEST(states_that_are_set_can_be_read_back) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 1);
    REQUIRE(world);
    sn_vec3 points[6], v[6], c[6], u[6];
    sn_real s[6], t[6], radii[6], now[6];
    uint64_t seed = 5;
    sn_rod_def def = chain_def(points, 6);
    for (int i = 0; i < 6; i++) {
        radii[i] = R(0.02) + R(0.001) * (sn_real)i;
        c[i] = random_vec(&seed, 1), v[i] = random_vec(&seed, 3), s[i] = random_real(&seed, 0.5, 2);
    }
    def.radii = radii;
    sn_body id = add(world, &def);
    CHECK_INT(sn_rod_set_centres(world, id, c, 6), SN_OK);
    CHECK_INT(sn_rod_set_velocities(world, id, v, 6), SN_OK);
    CHECK_INT(sn_rod_set_scales(world, id, s, 6), SN_OK);
    CHECK_INT(sn_body_get_points(world, id, points, 6), 6);
    CHECK_INT(sn_body_get_velocities(world, id, u, 6), 6);
    CHECK_INT(sn_rod_get_scales(world, id, t, 6), 6);
    CHECK_INT(sn_rod_get_radii(world, id, now, 6), 6);
    double length = 0, volume = 0;
    for (int i = 0; i < 6; i++) {
        CHECK(points[i].x == c[i].x && points[i].y == c[i].y && points[i].z == c[i].z);
        CHECK(u[i].x == v[i].x && u[i].y == v[i].y && u[i].z == v[i].z);
        CHECK(t[i] == s[i]);
        CHECK_NEAR(now[i], s[i] * radii[i], 1e-8);
        if (i == 0) continue;
        // the frame of segment i points along it
        sn_quat q = frame_at(world, id, i);
        double l = distance(c[i], c[i - 1]);
        double w[3] = {2 * (double)(q.x * q.z + q.w * q.y), 2 * (double)(q.y * q.z - q.w * q.x),
                       1 - 2 * (double)(q.x * q.x + q.y * q.y)};
        double along = w[0] * (double)(c[i].x - c[i - 1].x) + w[1] * (double)(c[i].y - c[i - 1].y) +
                       w[2] * (double)(c[i].z - c[i - 1].z);
        CHECK_NEAR(along, l, 1e-5);
        double r = 0.25 * (double)(radii[i] + radii[i - 1]) * (double)(s[i] + s[i - 1]);
        length += l, volume += 3.14159265358979 * r * r * l;
    }
    CHECK_NEAR(sn_rod_length(world, id), length, 1e-5);
    CHECK_NEAR(sn_body_volume(world, id), volume, 1e-5 * volume);
    sn_world_destroy(world);
}

TEST(an_angular_velocity_rotates_the_frames) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 2);
    REQUIRE(world);
    sn_vec3 points[5], spins[5];
    sn_rod_def def = chain_def(points, 5);
    def.material.damping = 0;
    sn_body id = add(world, &def);
    for (int i = 0; i < 5; i++) spins[i] = (sn_vec3){3, 0, 0}; // about itself
    sn_quat before = frame_at(world, id, 2);
    CHECK_INT(sn_rod_set_spins(world, id, spins, 5), SN_OK);
    steps(world, 30, 2);
    sn_quat after = frame_at(world, id, 2);
    double w = fabs((double)(before.x * after.x + before.y * after.y + before.z * after.z + before.w * after.w));
    CHECK_NEAR(2 * acos(fmin(1, w)), 1.5, 2e-3);
    CHECK_NEAR(sn_rod_length(world, id), 0.4, 1e-4);
    sn_world_destroy(world);
}

TEST(a_scale_rate_swells_the_rod) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 2);
    REQUIRE(world);
    sn_vec3 points[5];
    sn_real rates[5] = {10, 10, 10, 10, 10};
    sn_rod_def def = chain_def(points, 5);
    def.material.shear = def.material.volume = 0; // nothing against it
    sn_body id = add(world, &def);
    CHECK_INT(sn_rod_set_scale_rates(world, id, rates, 5), SN_OK);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    for (int i = 0; i < 5; i++) CHECK_NEAR(scale_at(world, id, i), 1.1, 1e-3);
    sn_world_destroy(world);
}

// ---- loads

TEST(forces_accelerate_by_force_over_mass) {
    for (int solver = 0; solver < 3; solver++) {
        sn_world *world = empty_world(0, solver, 4);
        REQUIRE(world);
        sn_vec3 points[6], v[6];
        sn_real m[6], total = 0;
        sn_rod_def def = chain_def(points, 6);
        def.material.damping = 0;
        sn_body id = add(world, &def);
        CHECK_INT(sn_body_get_masses(world, id, m, 6), 6);
        for (int i = 0; i < 6; i++) {
            total += m[i];
            CHECK_INT(sn_rod_set_force(world, id, i, (sn_vec3){0, 2 * m[i], -m[i]}), SN_OK);
        }
        CHECK_NEAR(total, 1100 * sn_body_rest_volume(world, id), 1e-5 * (double)total);
        steps(world, 60, 1);
        sn_body_get_velocities(world, id, v, 6);
        for (int i = 0; i < 6; i++) {
            CHECK_NEAR(v[i].x, 0, 1e-3);
            CHECK_NEAR(v[i].y, 2, 1e-3);
            CHECK_NEAR(v[i].z, -1, 1e-3);
        }
        for (int i = 0; i < 6; i++) CHECK_INT(sn_rod_set_force(world, id, i, (sn_vec3){0, 0, 0}), SN_OK);
        steps(world, 10, 1);
        sn_body_get_velocities(world, id, v, 6);
        CHECK_NEAR(v[3].y, 2, 1e-3);
        sn_world_destroy(world);
    }
}

TEST(a_force_and_a_torque_give_momentum) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
    REQUIRE(world);
    sn_vec3 points[7];
    sn_rod_def def = chain_def(points, 7);
    line_of(points, 7, (sn_vec3){R(-0.3), 0, 0}, R(0.1));
    def.material = sn_material_preset(SN_PRESET_ROPE);
    def.material.damping = 0;
    sn_body id = add(world, &def);
    CHECK_INT(sn_rod_set_torque(world, id, 3, (sn_vec3){0, 0, R(0.01)}), SN_OK);
    steps(world, 30, 4);
    sn_momentum p = sn_world_momentum(world);
    CHECK_NEAR(p.angular[2], 0.01 * 0.5, 0.01 * 0.5 * 0.02);
    CHECK_NEAR(p.linear[0], 0, 1e-5);
    CHECK_NEAR(p.linear[1], 0, 1e-5);
    CHECK(centre_of(world, id, 6).y > R(0.001) && centre_of(world, id, 0).y < R(-0.001)); // it turns about its middle
    CHECK_INT(sn_rod_set_torque(world, id, 3, (sn_vec3){0, 0, 0}), SN_OK);
    CHECK_INT(sn_rod_set_force(world, id, 6, (sn_vec3){0, R(0.1), 0}), SN_OK);
    steps(world, 30, 4);
    p = sn_world_momentum(world);
    CHECK_NEAR(p.linear[1], 0.1 * 0.5, 0.1 * 0.5 * 0.01);
    sn_world_destroy(world);
}

TEST(a_radial_force_swells_and_shrinks) {
    double scale[3];
    const double force[3] = {-2, 0, 2};
    for (int k = 0; k < 3; k++) {
        sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        sn_vec3 points[7];
        sn_rod_def def = chain_def(points, 7);
        def.material.damping = 20;
        sn_body id = add(world, &def);
        CHECK_INT(sn_rod_set_radial_force(world, id, 3, R(force[k])), SN_OK);
        steps(world, 120, 2);
        scale[k] = (double)scale_at(world, id, 3);
        CHECK(fastest(world, id) < 1e-3);
        sn_world_destroy(world);
    }
    CHECK(scale[0] < 0.999 && scale[2] > 1.001);
    CHECK_NEAR(scale[1], 1, 1e-5);
    CHECK_NEAR(scale[2] - 1, 1 - scale[0], 0.1 * (scale[2] - 1));
}

// ---- muscles

// The stretch d and scale s that a segment told to contract to 'length' settles at: the least of
// E (d - length)^2 + K (s - 1)^2 + kv (s^2 d - 1)^2 with free ends.
static void contracted(const sn_material *m, double length, double *d, double *s) {
    const double young = (double)m->young, k = 2 * (double)m->shear, kv = (double)m->volume;
    *d = length, *s = 1;
    for (int i = 0; i < 200; i++) { // each in turn: both are convex near here
        for (int n = 0; n < 20; n++) {
            double v = *s * *s * *d - 1, g = k * (*s - 1) + 2 * kv * v * *s * *d;
            double h = k + 2 * kv * (2 * *s * *s * *d * *d + v * *d);
            *s -= g / h;
        }
        *d = (young * length + kv * *s * *s) / (young + kv * *s * *s * *s * *s);
    }
}

TEST(a_contracted_muscle_shortens_and_bulges_at_constant_volume) {
    const double lengths[] = {0.9, 0.7, 0.5};
    for (int k = 0; k < 3; k++) {
        sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        sn_vec3 points[9];
        sn_rod_def def = chain_def(points, 9);
        def.material = sn_material_preset(SN_PRESET_MUSCLE);
        def.material.damping = 10;
        sn_body id = add(world, &def);
        for (int i = 1; i <= 60; i++) {
            for (int segment = 1; segment < 9; segment++)
                CHECK_INT(sn_rod_set_segment(world, id, segment, 1, R(1 + (lengths[k] - 1) * i / 60)), SN_OK);
            steps(world, 1, 2);
        }
        steps(world, 240, 2);
        double d, s;
        contracted(&def.material, lengths[k], &d, &s);
        CHECK_NEAR(sn_rod_length(world, id), 0.8 * d, 0.8 * 2e-3);
        for (int i = 0; i < 9; i++) CHECK_NEAR(scale_at(world, id, i), s, 5e-3);
        CHECK_NEAR(sn_body_volume(world, id), sn_body_rest_volume(world, id), 0.02 * sn_body_rest_volume(world, id));
        for (int segment = 1; segment < 9; segment++)
            CHECK_INT(sn_rod_set_segment(world, id, segment, 1, 1), SN_OK); // relaxes
        steps(world, 300, 2);
        CHECK_NEAR(sn_rod_length(world, id), 0.8, 1e-3);
        CHECK_NEAR(scale_at(world, id, 4), 1, 1e-3);
        sn_world_destroy(world);
    }
}

TEST(a_segment_without_stiffness_stretches) {
    double sag[2];
    for (int k = 0; k < 2; k++) {
        sn_world *world = empty_world(-9.81, SN_SOLVER_DIRECT, 2);
        REQUIRE(world);
        sn_vec3 points[5];
        sn_rod_def def = chain_def(points, 5);
        def.clamp_first = true;
        def.material.damping = 5;
        sn_body id = add(world, &def);
        if (k) CHECK_INT(sn_rod_set_segment(world, id, 2, R(0.1), 1), SN_OK);
        steps(world, 200, 2);
        sag[k] = -(double)centre_of(world, id, 4).y;
        sn_world_destroy(world);
    }
    CHECK(sag[1] > 1.2 * sag[0]);
}

// ---- shapes without strain rest

static void check_rests(const sn_rod_def *def, const char *what) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 1);
    REQUIRE(world);
    sn_body id = add(world, def);
    double start = sn_world_energy(world).elastic;
    double scale = (double)def->material.young * sn_body_rest_volume(world, id); // energy of a strain of 1
    bool good = CHECK(start >= 0 && start < 1e-10 * scale);
    double speed = 0, moved = 0;
    for (int i = 0; i < 100; i++) {
        steps(world, 1, 1 + i % 2);
        speed = fmax(speed, fastest(world, id));
    }
    for (int i = 0; i < def->point_count; i++) moved = fmax(moved, distance(centre_of(world, id, i), def->points[i]));
    good = CHECK(speed < rest_speed) && good;
    good = CHECK(moved < 1e-4) && good;
    if (!good) printf("%s: energy %g of %g, speed %g, moved %g\n", what, start, scale, speed, moved);
    sn_world_destroy(world);
}

static void star_shape(sn_vec3 *points, int *parents, int arms, int per) {
    points[0] = (sn_vec3){0, 0, 0}, parents[0] = -1; // the middle
    for (int a = 0; a < arms; a++)
        for (int k = 0; k < per; k++) {
            int i = 1 + a * per + k;
            double angle = 2 * 3.14159265358979 * a / arms, r = 0.1 * (k + 1);
            points[i] = (sn_vec3){R(r * cos(angle)), R(0.02 * a * k), R(r * sin(angle))};
            parents[i] = k == 0 ? 0 : i - 1;
        }
}

TEST(unstrained_rods_stay_at_rest) {
    sn_vec3 points[64];
    int parents[64];
    sn_rod_def def = chain_def(points, 20);
    check_rests(&def, "a straight rod");
    for (int i = 0; i < 20; i++) points[i] = (sn_vec3){R(0.2 * cos(0.5 * i)), R(0.03 * i), R(0.2 * sin(0.5 * i))};
    check_rests(&def, "a helix");
    def.clamp_first = def.clamp_last = true;
    check_rests(&def, "a helix, clamped");
    def.clamp_first = def.clamp_last = false;
    def.material.volume_in_bend = true;
    check_rests(&def, "a helix, with volume in bending");
    def.material.volume_in_bend = false;
    def.material.scale_bend = 10;
    check_rests(&def, "a helix, with scale bending");
    def.material.scale_bend = 0;
    def.rest_twist = 5;
    check_rests(&def, "a helix, twisted");
    line_of(points, 20, (sn_vec3){0, 0, 0}, R(0.1));
    check_rests(&def, "a straight rod, twisted");
    def.rest_twist = 40; // more than half a turn a segment
    check_rests(&def, "a straight rod, twisted hard");
    def.rest_twist = 0;

    for (int n = 3; n <= 40; n += 37) {
        circle_of(points, n, 0.3);
        def.point_count = n, def.closed = true;
        check_rests(&def, "a circle");
        def.rest_twist = 7;
        check_rests(&def, "a circle, twisted");
        def.rest_twist = 0;
        def.material.scale_bend = 10;
        check_rests(&def, "a circle, with scale bending");
        def.material.scale_bend = 0;
    }
    def.closed = false;
    def.parents = parents;
    star_shape(points, parents, 3, 4);
    def.point_count = 13;
    check_rests(&def, "a Y");
    star_shape(points, parents, 8, 5);
    def.point_count = 41;
    check_rests(&def, "a star of eight arms");
}

TEST(a_swollen_circle_stays_round) {
    enum { COUNT = 16 };
    for (int grow = -1; grow <= 1; grow += 2) {
        sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        sn_vec3 points[COUNT];
        sn_real scales[COUNT];
        sn_rod_def def = chain_def(points, COUNT);
        circle_of(points, COUNT, 0.3);
        def.closed = true;
        def.radius = R(0.05);
        for (int i = 0; i < COUNT; i++) scales[i] = R(1 + 0.2 * grow);
        sn_body id = add(world, &def);
        CHECK_INT(sn_rod_set_scales(world, id, scales, COUNT), SN_OK);
        for (int k = 0; k < 30; k++) {
            steps(world, 1, 1);
            for (int i = 0; i < COUNT; i++) {
                sn_vec3 c = centre_of(world, id, i), first = centre_of(world, id, 0);
                CHECK_NEAR(distance(c, (sn_vec3){0, 0, 0}), distance(first, (sn_vec3){0, 0, 0}), 1e-4);
            }
        }
        sn_world_destroy(world);
    }
}

// ---- numbering

// The same star with its points numbered otherwise. new_of[i]: the new number of point i.
static void renumber(const sn_rod_def *from, const int *new_of, sn_vec3 *points, int *parents) {
    for (int i = 0; i < from->point_count; i++) {
        points[new_of[i]] = from->points[i];
        parents[new_of[i]] = from->parents[i] < 0 ? -1 : new_of[from->parents[i]];
    }
}

TEST(numbering_points_otherwise_changes_nothing) {
    enum { COUNT = 25 };
    uint64_t seed = 11;
    sn_vec3 points[COUNT], other_points[COUNT];
    int parents[COUNT], other_parents[COUNT], new_of[COUNT];
    star_shape(points, parents, 8, 3);
    // rooted at the tip of the first arm: 3 - 2 - 1 - 0 - others
    parents[3] = -1, parents[2] = 3, parents[1] = 2, parents[0] = 1;
    sn_rod_def def = chain_def(other_points, 2);
    def.points = points, def.parents = parents, def.point_count = COUNT;
    for (int round = 0; round < 12; round++) {
        sn_world *world = empty_world(-9.81, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        for (int i = 0; i < COUNT; i++) new_of[i] = i;
        for (int i = COUNT - 1; i > 0; --i) {
            int k = random_below(&seed, i + 1), swap = new_of[i];
            new_of[i] = new_of[k], new_of[k] = swap;
        }
        // Point 0 becomes the root if it is a tip: keep it the tip of the first arm, or no tip at all.
        for (int i = 0; i < COUNT; i++)
            if (new_of[i] == 0 && i > 3 && i % 3 == 0) new_of[i] = new_of[3], new_of[3] = 0;
        renumber(&def, new_of, other_points, other_parents);
        sn_rod_def other = def;
        other.points = other_points, other.parents = other_parents;
        sn_body a = add(world, &def), b = add(world, &other);
        const sn_surface mine = sn_surface_default();
        CHECK_INT(sn_body_set_contact(world, a, &mine, false, false), SN_OK); // they are in one place
        CHECK_INT(sn_body_set_contact(world, b, &mine, false, false), SN_OK);
        CHECK_INT(sn_rod_hold(world, a, 3, SN_HOLD_CENTRE), SN_OK);
        CHECK_INT(sn_rod_hold(world, b, new_of[3], SN_HOLD_CENTRE), SN_OK);
        CHECK_INT(sn_rod_set_force(world, a, 12, (sn_vec3){0, R(0.5), R(0.1)}), SN_OK);
        CHECK_INT(sn_rod_set_force(world, b, new_of[12], (sn_vec3){0, R(0.5), R(0.1)}), SN_OK);
        steps(world, 60, 2);
        double apart = 0;
        for (int i = 0; i < COUNT; i++)
            apart = fmax(apart, distance(centre_of(world, a, i), centre_of(world, b, new_of[i])));
        CHECK(apart < (sizeof(sn_real) == 4 ? 2e-3 : 1e-9));
        CHECK(distance(centre_of(world, a, 15), points[15]) > 0.1); // it did move
        sn_world_destroy(world);
    }
}

// ---- rest shapes

TEST(a_rod_made_out_of_its_rest_shape_goes_there) {
    const double stretch[] = {0.8, 1.2, 1.5};
    for (int k = 0; k < 3; k++) {
        sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
        REQUIRE(world);
        sn_vec3 points[11], rest[11];
        sn_rod_def def = chain_def(points, 11);
        memcpy(rest, points, sizeof rest);
        for (int i = 0; i < 11; i++) points[i].x *= R(stretch[k]);
        def.rest_points = rest;
        def.material.damping = 5;
        sn_body id = add(world, &def);
        CHECK_NEAR(sn_rod_length(world, id), stretch[k], 1e-5);
        CHECK_NEAR(sn_body_rest_volume(world, id), 3.14159265 * 0.0004, 1e-7);
        CHECK(sn_world_energy(world).elastic > 1);
        steps(world, 300, 2);
        CHECK_NEAR(sn_rod_length(world, id), 1, 2e-3);
        CHECK_NEAR(scale_at(world, id, 5), 1, 2e-3);
        sn_world_destroy(world);
    }
}

TEST(a_straight_rod_with_a_bent_rest_shape_bends) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, 3);
    REQUIRE(world);
    sn_vec3 points[11], rest[11];
    sn_rod_def def = chain_def(points, 11);
    for (int i = 0; i < 11; i++) { // a quarter of a circle of the same segments
        double angle = 0.5 * 3.14159265 * i / 10, r = 0.05 / sin(0.025 * 3.14159265);
        rest[i] = (sn_vec3){R(r * sin(angle)), R(r * (1 - cos(angle))), 0};
    }
    def.rest_points = rest;
    def.material.damping = 5;
    sn_body id = add(world, &def);
    steps(world, 600, 2);
    CHECK_NEAR(distance(centre_of(world, id, 0), centre_of(world, id, 10)), distance(rest[0], rest[10]), 2e-3);
    CHECK_NEAR(sn_rod_length(world, id), 1, 2e-3);
    sn_world_destroy(world);
}

// ---- energy and momentum

static double total_energy(const sn_world *world) {
    sn_energy e = sn_world_energy(world);
    return e.kinetic + e.elastic + e.potential;
}

// A kicked rod without gravity only ever loses energy, and keeps its momentum.
static void check_kick(mixed_kind kind, uint64_t seed, double speed, int iterations, int count) {
    sn_world *world = empty_world(0, SN_SOLVER_DIRECT, iterations);
    REQUIRE(world);
    mixed_rod rod;
    mixed_fill(&rod, kind, seed);
    rod.def.clamp_first = rod.def.clamp_last = false;
    rod.def.material.damping = 0;
    for (int i = 0; i < MIXED_POINTS_MOST; i++) rod.materials[i].damping = 0;
    sn_body id = add(world, &rod.def);
    sn_vec3 v[MIXED_POINTS_MOST];
    for (int i = 0; i < rod.def.point_count; i++) v[i] = random_vec(&seed, speed);
    CHECK_INT(sn_rod_set_velocities(world, id, v, rod.def.point_count), SN_OK);
    double start = total_energy(world), most = 0, mass = 0;
    sn_real m[MIXED_POINTS_MOST];
    sn_body_get_masses(world, id, m, MIXED_POINTS_MOST);
    for (int i = 0; i < rod.def.point_count; i++) mass += (double)m[i];
    sn_momentum before = sn_world_momentum(world);
    for (int i = 0; i < count; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 1), SN_OK);
        most = fmax(most, total_energy(world));
    }
    sn_momentum after = sn_world_momentum(world);
    bool good = CHECK(most <= start * 1.1);
    good = CHECK(total_energy(world) < 0.999 * start) && good;
    for (int k = 0; k < 3; k++) good = CHECK_NEAR(before.linear[k], after.linear[k], 0.01 * mass * speed) && good;
    if (!good)
        printf("kind %d at %g m/s, %d iterations: energy %g J, at most %g\n", kind, speed, iterations, start, most);
    sn_world_destroy(world);
}

TEST(a_kick_is_never_amplified) { // once
    for (int kind = 0; kind < MIXED_KINDS; kind++)
        for (int k = 0; k < 2; k++) check_kick((mixed_kind)kind, (uint64_t)kind + 1, k ? 2 : 0.3, 1, 1000);
}

TEST(a_hard_kick_is_never_amplified) {
    for (int kind = 0; kind < MIXED_KINDS; kind++) check_kick((mixed_kind)kind, (uint64_t)kind + 20, 20, 1, 200);
}
