// What joints leave free: limits, motors, friction; sliders, distances and ropes; on rigid bodies.
#include "base/math/vec.h"
#include "known.h"
#include <stdlib.h>

#define R(x)                  ((sn_real)(x))
#define CHECK_REL(a, b, part) CHECK_NEAR(a, b, (part)*fabs((double)(b)))

// A rod of 1 m and 2 kg from the origin along x, pinned there by a joint to space or to a body.
typedef struct {
    sn_world *world;
    sn_body rod;
    sn_joint joint;
} pendulum;

static sn_body add_link(sn_world *world, sn_vec3 from, sn_vec3 to, double mass) {
    sn_rigid_def def = sn_rigid_def_default();
    sn_body body = {0};
    def.dynamic = true, def.geometry = SN_GEOMETRY_PILL, def.position = from, def.ends[1] = sn_sub(to, from);
    def.radii[0] = def.radii[1] = R(0.01), def.mass = R(mass);
    def.surface.mask = 0;
    CHECK_INT(sn_rigid_create(world, &def, &body), SN_OK);
    return body;
}

static pendulum make(double gravity, const sn_joint_def *like) {
    pendulum p = {.world = world_with(gravity)};
    p.rod = add_link(p.world, vec(0, 0, 0), vec(1, 0, 0), 2);
    sn_joint_def def = *like;
    def.body_a = p.rod;
    CHECK_INT(sn_joint_create(p.world, &def, &p.joint), SN_OK);
    return p;
}

static sn_joint_def hinge(void) {
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_DIRECTION, def.axis = vec(0, 0, 1);
    return def;
}

// About one of its ends, from its own angular momentum.
static double moment_about_end(const pendulum *p) {
    sn_vec3 before, momentum, centre;
    sn_rigid_get_angular_momentum(p->world, p->rod, &before);
    sn_rigid_get_centre(p->world, p->rod, &centre);
    sn_rigid_set_velocity(p->world, p->rod, vec(0, 0, 0), vec(0, 0, 1));
    sn_rigid_get_angular_momentum(p->world, p->rod, &momentum);
    sn_rigid_set_velocity(p->world, p->rod, vec(0, 0, 0), vec(0, 0, 0));
    return (double)momentum.z + 2 * (double)(centre.x * centre.x);
}

static double spin_of(const pendulum *p) {
    sn_vec3 v, w;
    sn_rigid_get_velocity(p->world, p->rod, &v, &w);
    return (double)w.z;
}

// A motor that cannot reach its speed pulls with all its torque: alpha = torque / I.
TEST(a_hinge_motor_turns_a_rod_with_its_torque) {
    sn_joint_def def = hinge();
    def.motor = (sn_joint_motor){.damping = R(1e6), .speed = 1000, .max_force = R(0.3)};
    pendulum p = make(0, &def);
    const double expected = 0.3 / moment_about_end(&p);
    steps(p.world, 1.0 / 60, 60);
    CHECK_REL(spin_of(&p), expected, 0.005);
    sn_vec3 force, torque;
    CHECK_INT(sn_joint_get_reaction(p.world, p.joint, &force, &torque, NULL), SN_OK);
    CHECK_REL(torque.z, -0.3, 0.005);                                            // on space
    CHECK_REL(sn_joint_coordinate(p.world, p.joint), expected * 61 / 120, 0.01); // implicit Euler: h (1 + ... + 60) h
    sn_world_destroy(p.world);
}

TEST(a_hinge_motor_keeps_its_speed_over_many_turns) {
    sn_joint_def def = hinge();
    def.motor = (sn_joint_motor){.damping = R(1e4), .speed = 10};
    pendulum p = make(-9.81, &def);
    steps(p.world, 1.0 / 60, 120);
    CHECK_REL(spin_of(&p), 10, 0.005);
    CHECK_REL(sn_joint_coordinate(p.world, p.joint), 20, 0.01);
    sn_world_destroy(p.world);
}

// A spring holds the rod where stiffness x angle is its weight; the sag does not depend on the step.
TEST(a_hinge_spring_holds_a_rod) {
    for (int substeps = 1; substeps <= 8; substeps += 7) {
        sn_joint_def def = hinge();
        def.motor = (sn_joint_motor){.stiffness = 100, .damping = 10, .target = R(0.2)};
        pendulum p = make(-9.81, &def);
        for (int i = 0; i < 300; i++) sn_world_step(p.world, R(1.0 / 60), substeps);
        const double q = (double)sn_joint_coordinate(p.world, p.joint);
        CHECK_NEAR(100 * (0.2 - q), 2 * 9.81 * 0.5 * cos(q), 0.02);
        sn_world_destroy(p.world);
    }
}

// It falls onto its limit, rests there and bears its weight; no energy is made.
TEST(a_hinge_limit_holds) {
    sn_joint_def def = hinge();
    def.limited = true, def.lower = R(-0.5), def.upper = 1;
    pendulum p = make(-9.81, &def);
    CHECK_INT(sn_world_set_energy_check(p.world, true), SN_OK);
    double least = 0;
    for (int i = 0; i < 120; i++) {
        CHECK_INT(sn_world_step(p.world, R(1.0 / 60), 1), SN_OK);
        least = fmin(least, (double)sn_joint_coordinate(p.world, p.joint));
    }
    CHECK_NEAR(least, -0.5, 2e-3);
    CHECK_NEAR(sn_joint_coordinate(p.world, p.joint), -0.5, 1e-4);
    CHECK_NEAR(spin_of(&p), 0, 1e-4);
    CHECK_REL(sn_joint_torque(p.world, p.joint), 2 * 9.81 * 0.5 * cos(0.5), 1e-3);
    // It only pushes: a lift takes the rod off.
    sn_rigid_set_velocity(p.world, p.rod, vec(0.2, 0.5, 0), vec(0, 0, 1));
    CHECK_INT(sn_world_step(p.world, R(1.0 / 60), 1), SN_OK);
    CHECK(spin_of(&p) > 0.5);
    CHECK_NEAR(sn_joint_torque(p.world, p.joint), 0, 1e-3);
    sn_world_destroy(p.world);
}

TEST(friction_holds_a_hinge_and_brakes_it) {
    for (int slips = 0; slips < 2; slips++) {
        sn_joint_def def = hinge();
        const double weight = 2 * 9.81 * 0.5, friction = weight * (slips ? 0.6 : 1.05);
        def.friction = R(friction);
        pendulum p = make(-9.81, &def);
        const double moment = moment_about_end(&p);
        steps(p.world, 1.0 / 60, slips ? 6 : 120);
        if (slips)
            CHECK_REL(spin_of(&p), -(weight - friction) / moment * 0.1, 0.02);
        else
            CHECK_NEAR(sn_joint_coordinate(p.world, p.joint), 0, 1e-5);
        sn_world_destroy(p.world);
    }
}

// A ball joint with a cone of 30 degrees about the rod's axis, and a twist from -0.2 to 0.3.
TEST(a_ball_joint_stays_in_its_cone_and_twist) {
    sn_joint_def def = sn_joint_def_default();
    def.axis = vec(1, 0, 0), def.swing = R(PI / 6), def.limited = true, def.lower = R(-0.2), def.upper = R(0.3);
    pendulum p = make(-9.81, &def);
    CHECK_INT(sn_rigid_set_velocity(p.world, p.rod, vec(0, 0, -1), vec(2, 2, 0)), SN_OK);
    double most = 0, least = 0, twist = 0;
    for (int i = 0; i < 300; i++) {
        CHECK_INT(sn_world_step(p.world, R(1.0 / 60), 1), SN_OK);
        sn_vec3 at;
        sn_quat q;
        sn_rigid_get_pose(p.world, p.rod, &at, &q);
        most = fmax(most, acos(fmin(1, (double)sn_q_axis_x(q).x)));
        const double now = (double)sn_joint_coordinate(p.world, p.joint);
        least = fmin(least, now), twist = fmax(twist, now);
        CHECK(sn_length(at) < R(1e-4));
    }
    CHECK_NEAR(most, PI / 6, 5e-3);
    CHECK_NEAR(twist, 0.3, 5e-3);
    CHECK(least > -0.205);
    sn_world_destroy(p.world);
}

// Down a slope of 30 degrees, without friction: g sin; then against its limit.
TEST(a_slider_slides) {
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_SLIDER, def.axis = vec(cos(PI / 6), -0.5, 0), def.limited = true, def.lower = -1, def.upper = 2;
    def.position = vec(0.3, 0.4, 0);
    pendulum p = make(-9.81, &def);
    steps(p.world, 1.0 / 60, 30);
    const double h = 1.0 / 60;
    CHECK_REL(sn_joint_coordinate(p.world, p.joint), 0.5 * 9.81 * h * h * 30 * 31 / 2, 1e-3);
    sn_vec3 at, force, torque;
    sn_quat q;
    sn_rigid_get_pose(p.world, p.rod, &at, &q);
    CHECK_NEAR(at.x * 0.5 + at.y * cos(PI / 6), 0, 1e-5);
    CHECK_NEAR(q.w, 1, 1e-6);
    CHECK_INT(sn_joint_get_reaction(p.world, p.joint, &force, &torque, NULL), SN_OK);
    CHECK_REL(sn_length(force), 2 * 9.81 * cos(PI / 6), 1e-3);
    steps(p.world, 1.0 / 60, 60);
    CHECK_NEAR(sn_joint_coordinate(p.world, p.joint), 2, 1e-4);
    CHECK_REL(sn_joint_force(p.world, p.joint), 2 * 9.81, 1e-3);
    sn_world_destroy(p.world);
}

// A weight on a rope of 1 m falls until it is taut; on a rod it stays; on a spring it hangs.
TEST(a_distance_is_a_rope_a_rod_or_a_spring) {
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_DISTANCE, def.limited = true, def.upper = 1;
    for (int kind = 0; kind < 3; kind++) {
        sn_world *world = world_with(-9.81);
        sn_rigid_def ball = sn_rigid_def_default();
        ball.dynamic = true, ball.geometry = SN_GEOMETRY_SPHERE, ball.radii[0] = R(0.05), ball.mass = 3;
        ball.position = vec(0, -0.5, 0);
        sn_joint_def like = def;
        like.position = ball.position, like.position_b = vec(0, 0, 0);
        CHECK_INT(sn_rigid_create(world, &ball, &like.body_a), SN_OK);
        if (kind > 0) like.limited = false;
        if (kind == 2) like.motor = (sn_joint_motor){.stiffness = 200, .damping = 20, .target = R(0.5)};
        sn_joint joint;
        CHECK_INT(sn_joint_create(world, &like, &joint), SN_OK);
        CHECK_NEAR(sn_joint_coordinate(world, joint), 0.5, 1e-6);
        steps(world, 1.0 / 60, 300);
        sn_vec3 at;
        sn_quat q;
        sn_rigid_get_pose(world, like.body_a, &at, &q);
        const double expected = kind == 0 ? -1 : kind == 1 ? -0.5 : -0.5 - 3 * 9.81 / 200;
        CHECK_NEAR(at.y, expected, 1e-3);
        CHECK_REL(sn_joint_force(world, joint), 3 * 9.81, 0.01);
        sn_world_destroy(world);
    }
}

// Two welded rods are one: they fall and turn as it does.
TEST(welded_bodies_are_one) {
    sn_world *world = world_with(0);
    sn_joint_def def = sn_joint_def_default();
    def.kind = SN_JOINT_WELD, def.position = vec(0.5, 0, 0);
    def.body_a = add_link(world, vec(0, 0, 0), vec(0.5, 0, 0), 1),
    def.body_b = add_link(world, vec(0.5, 0, 0), vec(1, 0, 0), 1);
    sn_joint joint;
    CHECK_INT(sn_joint_create(world, &def, &joint), SN_OK);
    CHECK_INT(sn_rigid_apply_impulse(world, def.body_a, vec(0, 2, 0), vec(0, 0, 0)), SN_OK);
    steps(world, 1.0 / 60, 60);
    sn_vec3 v[2], w[2];
    sn_rigid_get_velocity(world, def.body_a, &v[0], &w[0]), sn_rigid_get_velocity(world, def.body_b, &v[1], &w[1]);
    CHECK_NEAR(w[0].z, w[1].z, 1e-4);
    CHECK_NEAR(v[0].y + v[1].y, 2, 1e-3);
    CHECK(w[0].z < -4);
    sn_world_destroy(world);
}

TEST(a_double_pendulum_never_gains_energy) {
    sn_world *world = world_with(-9.81);
    sn_joint_def def = hinge();
    sn_joint joint;
    const sn_body upper = add_link(world, vec(0, 0, 0), vec(1, 0, 0), 2),
                  lower = add_link(world, vec(1, 0, 0), vec(1, 1, 0), 2);
    def.body_a = upper;
    CHECK_INT(sn_joint_create(world, &def, &joint), SN_OK);
    def.body_a = lower, def.body_b = upper, def.position = vec(1, 0, 0);
    CHECK_INT(sn_joint_create(world, &def, &joint), SN_OK);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    for (int i = 0; i < 600; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 1), SN_OK);
    const sn_energy_balance e = sn_world_energy_balance(world);
    CHECK(e.rise <= 1e-4 * e.scale);
    CHECK(e.rise_time < 0);
    sn_world_destroy(world);
}

// A disc on a massless axle of 0.2 m, its tip held: precession m g r / (I3 w).
TEST(a_fast_top_precesses) {
    sn_world *world = world_with(-9.81);
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = vec(0.1, 0.02, 0.1), def.mass = 1;
    def.position = vec(0.2, 0, 0), def.rotation = (sn_quat){0, 0, R(-sqrt(0.5)), R(sqrt(0.5))}; // its y axis along x
    const double i3 = (0.04 + 0.04) / 12, w = 300, precession = 9.81 * 0.2 / (i3 * w);
    def.angular_velocity = vec(w, precession, 0), def.velocity = vec(0, 0, -0.2 * precession);
    sn_joint_def joint = sn_joint_def_default();
    CHECK_INT(sn_rigid_create(world, &def, &joint.body_a), SN_OK);
    sn_joint made;
    CHECK_INT(sn_joint_create(world, &joint, &made), SN_OK);
    const int count = 120;
    steps(world, 1.0 / 240, count);
    sn_vec3 at;
    sn_quat q;
    sn_rigid_get_centre(world, joint.body_a, &at);
    const double angle = atan2(-(double)at.z, (double)at.x);
    CHECK_REL(angle, precession * count / 240, 0.03);
    CHECK_NEAR(at.y, 0, 0.01);
    sn_rigid_get_pose(world, joint.body_a, &at, &q);
    sn_world_destroy(world);
}

TEST(a_saved_joint_goes_on_with_its_motor_and_limit) {
    sn_joint_def def = hinge();
    def.limited = true, def.lower = -1, def.upper = 7, def.friction = R(0.1);
    def.motor = (sn_joint_motor){.stiffness = 20, .damping = 3, .target = R(6.5), .max_force = 30};
    pendulum p = make(-9.81, &def);
    steps(p.world, 1.0 / 60, 40);
    const size_t size = sn_world_save(p.world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(sn_world_save(p.world, bytes, size) == size);
    sn_world_def empty = sn_world_def_default();
    sn_world *copy = NULL;
    REQUIRE(sn_world_restore(&empty, bytes, size, &copy) == SN_OK);
    steps(p.world, 1.0 / 60, 60), steps(copy, 1.0 / 60, 60);
    CHECK(sn_world_hash(copy) == sn_world_hash(p.world));
    CHECK_NEAR(sn_joint_coordinate(copy, p.joint), sn_joint_coordinate(p.world, p.joint), 0);
    free(bytes);
    sn_world_destroy(copy), sn_world_destroy(p.world);
}

TEST(joints_that_leave_nothing_free_refuse_motors) {
    sn_joint_def def = sn_joint_def_default();
    pendulum p = make(0, &def);
    sn_joint_motor motor = {.stiffness = 1};
    CHECK_INT(sn_joint_set_motor(p.world, p.joint, &motor), SN_ERR_RANGE);
    CHECK_NEAR(sn_joint_coordinate(p.world, p.joint), 0, 0);
    def.body_a = p.rod;
    sn_joint made;
    def.limited = true;
    CHECK_INT(sn_joint_create(p.world, &def, &made), SN_ERR_DEF); // no axis
    def = hinge(), def.body_a = p.rod, def.kind = SN_JOINT_WELD;
    CHECK_INT(sn_joint_create(p.world, &def, &made), SN_ERR_DEF);
    def = hinge(), def.body_a = p.rod, def.limited = true, def.lower = 1;
    CHECK_INT(sn_joint_create(p.world, &def, &made), SN_ERR_DEF);
    def = hinge(), def.body_a = p.rod, def.motor.stiffness = -1;
    CHECK_INT(sn_joint_create(p.world, &def, &made), SN_ERR_DEF);
    sn_world_destroy(p.world);
}
