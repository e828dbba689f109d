// Joints against known answers: what they hold, how far they yield, and that they keep momentum.
#include "known.h"

static sn_body make_rod(sn_world *world, int points, sn_vec3 from, sn_vec3 to, double radius, sn_material material,
                        bool clamp) {
    sn_vec3 centres[MOST_POINTS];
    line(centres, points, from, to);
    sn_rod_def def = sn_rod_def_default();
    def.points = centres, def.point_count = points;
    def.radius = (sn_real)radius;
    def.material = material;
    def.clamp_first = clamp;
    return add_rod(world, &def);
}

static sn_joint tie(sn_world *world, const sn_joint_def *def) {
    sn_joint joint;
    CHECK_INT(sn_joint_create(world, def, &joint), SN_OK);
    return joint;
}

// A joint of the end of one rod with the beginning of another.
static sn_joint_def end_to_end(sn_world *world, sn_body a, sn_body b, sn_joint_kind kind) {
    sn_joint_def def = sn_joint_def_default();
    def.kind = kind;
    def.body_a = b, def.segment_a = 1, def.along_a = 0;
    def.body_b = a, def.segment_b = sn_body_point_count(world, a) - 1, def.along_b = 1;
    return def;
}

static double far(sn_vec3 a, sn_vec3 b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

// The angle between two frames.
static double angle_between(sn_quat a, sn_quat b) {
    double dot = fabs((double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z +
                      (double)a.w * (double)b.w);
    return 2 * acos(fmin(dot, 1));
}

static sn_quat frame_of(const sn_world *world, sn_body rod, int segment) {
    sn_quat all[MOST_POINTS];
    sn_rod_get_frames(world, rod, all, MOST_POINTS);
    return all[segment];
}

// ---- points

// Two uniform rods of length l, one hanging from the other: w^2 = (3 -+ 6/sqrt 7) g/l. It starts in the slower mode.
TEST(a_double_pendulum_swings_as_it_should) {
    const double l = 0.5, g = 9.81, h = 1.0 / 1000;
    const double square = (3 - 6 / sqrt(7)) * g / l;
    // of 4/3 x'' + 1/2 y'' = -3/2 x, 1/2 x'' + 1/3 y'' = -1/2 y (times l/g): y/x of the mode
    const double k = square * l / g, ratio = (1.5 - 4.0 / 3 * k) / (0.5 * k);
    sn_world *world = world_with(-g);
    CHECK_INT(sn_world_set_solver(world, SN_SOLVER_DIRECT, 3), SN_OK);
    const int n = 17;
    double x = 0.02, y = ratio * x;
    sn_vec3 top = vec(0, 0, 0), middle = vec(l * sin(x), -l * cos(x), 0);
    sn_vec3 end = vec((double)middle.x + l * sin(y), (double)middle.y - l * cos(y), 0);
    sn_material m = stuff(1e8, 1000);
    sn_body a = make_rod(world, n, top, middle, 0.01, m, false), b = make_rod(world, n, middle, end, 0.01, m, false);
    sn_joint_def hang = sn_joint_def_default();
    hang.body_a = a;
    tie(world, &hang);
    sn_joint_def between = end_to_end(world, a, b, SN_JOINT_POINT);
    tie(world, &between);
    enum { COUNT = 1200 };
    double way[COUNT], most = 0;
    for (int i = 0; i < COUNT; i++) {
        steps(world, h, 1);
        way[i] = (double)tip_of(world, b).x;
        most = fmax(most, fmax(far(point_of(world, a, 0), top), far(tip_of(world, a), point_of(world, b, 0))));
    }
    CHECK_NEAR(frequency_of(way, COUNT, h), sqrt(square), 0.02 * sqrt(square));
    CHECK(most < 2e-4 * l);
    sn_world_destroy(world);
}

TEST(a_soft_joint_stretches_by_force_times_compliance) {
    const double compliances[] = {1e-4, 1e-3, 1e-2};
    for (int k = 0; k < 3; k++)
        for (int substeps = 1; substeps <= 4; substeps *= 4) {
            sn_world *world = world_with(-9.81);
            sn_material m = stuff(1e7, 1000);
            m.damping = 8;
            sn_body rod = make_rod(world, 5, vec(0, 0, 0), vec(0, -0.5, 0), 0.02, m, false);
            sn_joint_def def = sn_joint_def_default();
            def.body_a = rod;
            def.compliance = (sn_real)compliances[k];
            sn_joint joint = tie(world, &def);
            for (int i = 0; i < 400; i++) sn_world_step(world, (sn_real)(1.0 / 60), substeps);
            double mass = 0;
            sn_real masses[5];
            sn_body_get_masses(world, rod, masses, 5);
            for (int i = 0; i < 5; i++) mass += (double)masses[i];
            double weight = 9.81 * mass;
            CHECK_NEAR(sn_joint_force(world, joint), weight, 0.01 * weight);
            CHECK_NEAR(-(double)point_of(world, rod, 0).y, weight * compliances[k], 0.01 * weight * compliances[k]);
            sn_world_destroy(world);
        }
}

// ---- momentum

TEST(joined_rods_keep_their_momentum) {
    for (int kind = SN_JOINT_POINT; kind <= SN_JOINT_WELD; kind++)
        for (int offset = 0; offset < 2; offset++) {
            sn_world *world = world_with(0);
            sn_material m = stuff(1e6, 1000);
            sn_vec3 pa[9], pb[9];
            line(pa, 9, vec(0, 0, 0), vec(1, 0, 0));
            line(pb, 9, vec(1, offset ? 0.2 : 0, 0), vec(1.5, 0.7, 0.3));
            sn_rod_def def = sn_rod_def_default();
            def.point_count = 9, def.material = m, def.radius = (sn_real)0.05, def.collide = false;
            sn_body a, b;
            def.points = pa;
            CHECK_INT(sn_rod_create(world, &def, &a), SN_OK);
            def.points = pb, def.velocity = vec(0.5, -1, 2);
            CHECK_INT(sn_rod_create(world, &def, &b), SN_OK);
            sn_vec3 swing[9];
            for (int i = 0; i < 9; i++) swing[i] = vec(0, 0.4 * i - 1, 0.1 * i);
            CHECK_INT(sn_rod_set_velocities(world, a, swing, 9), SN_OK);
            sn_joint_def joint = end_to_end(world, a, b, (sn_joint_kind)kind);
            joint.keep_offset = offset;
            tie(world, &joint);
            sn_momentum before = sn_world_momentum(world);
            double p = 0, l = 0, worst_p = 0, worst_l = 0;
            for (int k = 0; k < 3; k++)
                p += before.linear[k] * before.linear[k], l += before.angular[k] * before.angular[k];
            for (int i = 0; i < 60; i++) sn_world_step(world, (sn_real)(1.0 / 60), 1);
            sn_momentum after = sn_world_momentum(world);
            for (int k = 0; k < 3; k++) {
                worst_p = fmax(worst_p, fabs(after.linear[k] - before.linear[k]) / sqrt(p));
                worst_l = fmax(worst_l, fabs(after.angular[k] - before.angular[k]) / sqrt(l));
            }
            // a position of a metre is known to half an ulp, its speed to that over h: 4e-6 m/s in float
            CHECK(worst_p < (sizeof(sn_real) == 4 ? 2e-5 : 1e-12));
            CHECK(worst_l < 0.1); // Euler's own loss at this step, see known answer 21
            CHECK(sn_world_energy(world).kinetic > 0);
            sn_world_destroy(world);
        }
}

// ---- directions and twist

// Tip of a clamped rod of length 1 under its weight, in one piece, or welded of two in the middle; and how far the tip
// turns under a torque about the rod.
typedef struct {
    double sag, twist;
} bent;

static bent bend(int pieces, sn_joint_kind kind, bool to_shape) {
    const int segments = 16 / pieces;
    sn_world *world = world_with(-0.5);
    CHECK_INT(sn_world_set_solver(world, SN_SOLVER_DIRECT, 4), SN_OK);
    sn_material m = stuff(1e6, 1000);
    m.damping = 5;
    sn_body rods[2];
    for (int i = 0; i < pieces; i++)
        rods[i] = make_rod(world, segments + 1, vec((double)i / pieces, 0, 0), vec((double)(i + 1) / pieces, 0, 0),
                           0.05, m, i == 0 && !to_shape);
    if (pieces == 2) {
        sn_joint_def def = end_to_end(world, rods[0], rods[1], kind);
        tie(world, &def);
    }
    if (to_shape) {
        sn_rigid_def box = sn_rigid_def_default();
        sn_body shape;
        box.geometry = SN_GEOMETRY_BOX;
        box.half = vec(0.1, 0.1, 0.1), box.position = vec(-0.1, 0, 0);
        CHECK_INT(sn_rigid_create(world, &box, &shape), SN_OK);
        sn_joint_def def = sn_joint_def_default();
        def.kind = kind, def.body_a = rods[0], def.body_b = shape;
        tie(world, &def);
    }
    sn_body last = rods[pieces - 1];
    sn_quat start = frame_of(world, last, segments);
    if (pieces == 1 || kind != SN_JOINT_POINT)
        CHECK_INT(sn_rod_set_torque(world, last, segments, vec(1.5, 0, 0)), SN_OK);
    for (int i = 0; i < 240; i++) sn_world_step(world, (sn_real)(1.0 / 60), 4);
    bent out = {-(double)tip_of(world, last).y, 0};
    // the twist alone: what is left after the tip's segment has been bent back to x
    sn_quat end = frame_of(world, last, segments);
    sn_quat q = {end.w * -start.x + end.x * start.w + end.y * -start.z - end.z * -start.y,
                 end.w * -start.y - end.x * -start.z + end.y * start.w + end.z * -start.x,
                 end.w * -start.z + end.x * -start.y - end.y * -start.x + end.z * start.w,
                 end.w * start.w + end.x * start.x + end.y * start.y + end.z * start.z};
    out.twist = 2 * atan2(fabs((double)q.x), fabs((double)q.w));
    sn_world_destroy(world);
    return out;
}

TEST(a_welded_rod_is_like_one_longer_rod) {
    bent one = bend(1, SN_JOINT_POINT, false), free = bend(2, SN_JOINT_POINT, false),
         two = bend(2, SN_JOINT_WELD, false);
    CHECK(one.sag > 0.05 && one.twist > 0.05);
    CHECK(free.sag > 2 * one.sag); // a mere point lets the second half hang
    CHECK_NEAR(two.sag, one.sag, 0.05 * one.sag);
    CHECK_NEAR(two.twist, one.twist, 0.05 * one.twist);
}

TEST(a_rod_welded_to_a_box_is_like_a_clamped_one) {
    bent clamped = bend(1, SN_JOINT_POINT, false), welded = bend(1, SN_JOINT_WELD, true);
    CHECK_NEAR(welded.sag, clamped.sag, 0.08 * clamped.sag);
    CHECK_NEAR(welded.twist, clamped.twist, 0.08 * clamped.twist);
}

TEST(a_joint_that_holds_the_direction_lets_it_twist) {
    bent one = bend(1, SN_JOINT_POINT, false), two = bend(2, SN_JOINT_DIRECTION, false);
    CHECK_NEAR(two.sag, one.sag, 0.1 * one.sag); // it spins, and so sags a little less
    CHECK(fabs(two.twist - one.twist) > 0.3);    // nothing resists the torque
}

// A free short rod, held in its middle by a weld to space that yields, under a torque: the angle is torque times
// compliance, about the rod and across it.
TEST(a_soft_weld_rotates_by_torque_times_compliance) {
    for (int axis = 0; axis < 3; axis++) {
        sn_world *world = world_with(0);
        sn_material m = stuff(1e6, 1000);
        m.damping = 10;
        sn_body rod = make_rod(world, 2, vec(-0.1, 0, 0), vec(0.1, 0, 0), 0.05, m, false);
        sn_joint_def def = sn_joint_def_default();
        def.kind = SN_JOINT_WELD, def.body_a = rod, def.along_a = (sn_real)0.5, def.angular_compliance = (sn_real)0.5;
        sn_joint joint = tie(world, &def);
        sn_quat start = frame_of(world, rod, 1);
        CHECK_INT(sn_rod_set_torque(world, rod, 1, vec(0.4 * (axis == 0), 0.4 * (axis == 1), 0.4 * (axis == 2))),
                  SN_OK);
        for (int i = 0; i < 300; i++) sn_world_step(world, (sn_real)(1.0 / 60), 4);
        CHECK_NEAR(angle_between(start, frame_of(world, rod, 1)), 0.2, 0.005);
        CHECK_NEAR(sn_joint_torque(world, joint), 0.4, 0.005);
        CHECK(sn_joint_force(world, joint) < 1e-3);
        sn_world_destroy(world);
    }
}

// A weld to space that is turned by a quarter and moved takes the rod along: a hand that holds a stick.
TEST(a_hand_rotates_what_it_holds) {
    sn_world *world = world_with(0);
    sn_material m = stuff(1e6, 1000);
    m.damping = 5; // the hand stops at once: what swings on is not what is asked
    sn_body rod = make_rod(world, 5, vec(0, 0, 0), vec(0.4, 0, 0), 0.03, m, false);
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_WELD, def.body_a = rod;
    sn_joint joint = tie(world, &def);
    for (int i = 1; i <= 180; i++) {
        double t = fmin(i / 120.0, 1), angle = 0.25 * PI * t;
        CHECK_INT(sn_joint_move(world, joint, vec(0, t, 0)), SN_OK);
        CHECK_INT(sn_joint_rotate(world, joint, (sn_quat){0, 0, (sn_real)sin(angle), (sn_real)cos(angle)}), SN_OK);
        sn_world_step(world, (sn_real)(1.0 / 60), 4);
    }
    CHECK(far(point_of(world, rod, 0), vec(0, 1, 0)) < 1e-3);
    CHECK(far(tip_of(world, rod), vec(0, 1.4, 0)) < 0.005);
    CHECK_INT(sn_joint_rotate(world, joint, (sn_quat){0, 0, 0, 0}), SN_ERR_RANGE);
    sn_world_destroy(world);
}

// ---- limits

TEST(a_joint_breaks_when_it_bears_too_much) {
    for (int k = 0; k < 2; k++) {
        sn_world *world = world_with(-9.81);
        sn_material m = stuff(1e6, 1000);
        m.damping = 5;
        sn_body rod = make_rod(world, 5, vec(0, 0, 0), vec(0, -0.5, 0), 0.02, m, false);
        double weight = 9.81 * 1000 * PI * 0.02 * 0.02 * 0.5;
        sn_joint_def def = sn_joint_def_default();
        def.body_a = rod;
        def.break_force = (sn_real)((k ? 0.9 : 1.5) * weight);
        def.compliance = (sn_real)1e-3;
        sn_joint joint = tie(world, &def);
        // a constant pull down that grows, so that it starts at rest
        for (int i = 0; i <= 120; i++) {
            CHECK_INT(sn_world_set_gravity(world, vec(0, -9.81 * fmin(i / 100.0, 1), 0)), SN_OK);
            sn_world_step(world, (sn_real)(1.0 / 60), 4);
        }
        CHECK(sn_joint_exists(world, joint) == (k == 0));
        CHECK(k == 0 || (double)point_of(world, rod, 0).y < -0.05);
        sn_world_destroy(world);
    }
}

TEST(a_limited_joint_never_pulls_harder) {
    sn_world *world = world_with(0);
    sn_body rod = make_rod(world, 5, vec(0, 0, 0), vec(0, -0.5, 0), 0.05, stuff(1e6, 1000), false);
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod, def.max_force = 3, def.position = vec(10, 0, 0);
    tie(world, &def);
    for (int i = 0; i < 60; i++) sn_world_step(world, (sn_real)(1.0 / 60), 2);
    CHECK_NEAR(sn_world_momentum(world).linear[0], 3 * 1.0, 0.01); // force times time
    sn_world_destroy(world);
}

TEST(welds_with_errors_are_refused) {
    sn_world *world = world_with(0);
    sn_body rod = make_rod(world, 5, vec(0, 0, 0), vec(0.5, 0, 0), 0.02, stuff(1e6, 1000), false);
    const double bad[] = {-1, NAN, INFINITY};
    sn_joint joint;
    for (int k = 0; k < 3; k++) {
        sn_joint_def def = sn_joint_def_default();
        def.body_a = rod, def.angular_compliance = (sn_real)bad[k];
        CHECK_INT(sn_joint_create(world, &def, &joint), SN_ERR_DEF);
        def.angular_compliance = 0, def.break_force = (sn_real)bad[k];
        CHECK_INT(sn_joint_create(world, &def, &joint), SN_ERR_DEF);
        def.break_force = 0, def.kind = (sn_joint_kind)(k ? 4 + k : -1);
        CHECK_INT(sn_joint_create(world, &def, &joint), SN_ERR_DEF);
        def.kind = SN_JOINT_WELD, def.body_b = rod; // segment 1 to itself
        CHECK_INT(sn_joint_create(world, &def, &joint), SN_ERR_DEF);
        def.segment_b = 2;
        CHECK_INT(sn_joint_create(world, &def, &joint), SN_OK);
        CHECK_INT(sn_joint_rotate(world, joint, (sn_quat){0, 0, 0, 1}), SN_ERR_RANGE); // not to space
        CHECK_INT(sn_joint_destroy(world, joint), SN_OK);
        CHECK_INT(sn_joint_rotate(world, joint, (sn_quat){0, 0, 0, 1}), SN_ERR_STALE_ID);
        CHECK_NEAR(sn_joint_torque(world, joint), 0, 0);
    }
    sn_world_destroy(world);
}

// A welded pair in motion, saved and restored in its middle, goes on bit by bit.
TEST(welds_are_saved) {
    sn_world *world = world_with(-9.81), *copy = NULL;
    sn_material m = stuff(1e6, 1000);
    sn_body a = make_rod(world, 9, vec(0, 0, 0), vec(0.5, 0, 0), 0.03, m, false);
    sn_body b = make_rod(world, 9, vec(0.5, 0.1, 0), vec(0.5, 0.6, 0), 0.03, m, false);
    sn_joint_def weld = end_to_end(world, a, b, SN_JOINT_WELD), hand = sn_joint_def_default();
    weld.keep_offset = true, weld.angular_compliance = (sn_real)0.01;
    tie(world, &weld);
    hand.kind = SN_JOINT_DIRECTION, hand.body_a = a;
    sn_joint joint = tie(world, &hand);
    for (int i = 0; i < 40; i++) {
        if (i == 20) {
            char bytes[1 << 16];
            size_t size = sn_world_save(world, bytes, sizeof bytes);
            sn_world_def def = sn_world_def_default();
            REQUIRE(size < sizeof bytes);
            CHECK_INT(sn_world_restore(&def, bytes, size, &copy), SN_OK);
            REQUIRE(copy);
        }
        for (int k = 0; k < 2; k++) {
            sn_world *one = k ? copy : world;
            if (!one) continue;
            sn_joint_rotate(one, joint, (sn_quat){0, (sn_real)sin(0.02 * i), 0, (sn_real)cos(0.02 * i)});
            sn_joint_move(one, joint, vec(0, 0.01 * i, 0));
            CHECK_INT(sn_world_step(one, (sn_real)(1.0 / 60), 3), SN_OK);
        }
        if (copy) CHECK(sn_world_hash(copy) == sn_world_hash(world));
    }
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

// Rods of a tenth of a millimetre have tiny masses, whose inverses multiplied do not fit into a float.
TEST(thin_rods_are_held_too) {
    sn_world *world = world_with(0);
    sn_material m = stuff(1e3, 1000);
    m.damping = 20;
    sn_body rod = make_rod(world, 3, vec(0, 0, 0), vec(0.002, 0, 0), 1e-4, m, false);
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_WELD, def.body_a = rod;
    sn_joint joint = tie(world, &def);
    for (int i = 1; i <= 120; i++) {
        double half = 0.25 * fmin(i / 60.0, 1);
        CHECK_INT(sn_joint_rotate(world, joint, (sn_quat){0, 0, (sn_real)sin(half), (sn_real)cos(half)}), SN_OK);
        sn_world_step(world, (sn_real)(1.0 / 60), 8);
    }
    sn_vec3 tip = tip_of(world, rod);
    CHECK_NEAR(atan2((double)tip.y, (double)tip.x), 0.5, 0.05);
    sn_world_destroy(world);
}
