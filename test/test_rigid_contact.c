// Dynamic rigid bodies in contact and in joints, with known answers.
#include "base/math/vec.h"
#include "known.h"

#define R(x)                  ((sn_real)(x))
#define CHECK_REL(a, b, part) CHECK_NEAR(a, b, (part)*fabs((double)(b)))

static sn_body add(sn_world *world, const sn_rigid_def *def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, def, &body), SN_OK);
    return body;
}

static sn_surface rough(double friction) {
    sn_surface s = sn_surface_default();
    s.friction_static = s.friction_dynamic = R(friction);
    return s;
}

// Level ground under gravity that is turned: x is downhill.
static sn_world *slope(double angle, double friction) {
    sn_world_def def = sn_world_def_default();
    def.gravity = vec(9.81 * sin(angle), -9.81 * cos(angle), 0);
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    sn_rigid_def ground = sn_rigid_def_default();
    ground.surface = rough(friction);
    add(world, &ground);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    return world;
}

static sn_rigid_def sphere_def(double r) {
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(r);
    return def;
}

static sn_rigid_def box_def(double x, double y, double z) {
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = vec(x, y, z);
    return def;
}

static sn_vec3 velocity_of(const sn_world *world, sn_body body) {
    sn_vec3 v, w;
    CHECK_INT(sn_rigid_get_velocity(world, body, &v, &w), SN_OK);
    return v;
}
static sn_vec3 place_of(const sn_world *world, sn_body body) {
    sn_vec3 c = {0, 0, 0};
    CHECK_INT(sn_rigid_get_centre(world, body, &c), SN_OK);
    return c;
}

static void run(sn_world *world, double seconds) {
    bool good = true;
    for (int i = 0; i < (int)(seconds * 60 + 0.5); i++) good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good;
    CHECK(good);
}

// Acceleration along x from 1 to 2 s.
static double acceleration(sn_world *world, sn_body body) {
    run(world, 1);
    const double early = (double)velocity_of(world, body).x;
    run(world, 1);
    return (double)velocity_of(world, body).x - early;
}

TEST(a_sphere_rolls_down_a_slope) {
    const double angle = 0.3;
    sn_world *world = slope(angle, 0.8);
    sn_rigid_def def = sphere_def(0.2);
    def.position = vec(0, 0.2, 0), def.surface = rough(0.8);
    CHECK_REL(acceleration(world, add(world, &def)), 5.0 / 7 * 9.81 * sin(angle), 0.01);
    sn_world_destroy(world);
}

TEST(a_sphere_slips_without_enough_friction) {
    const double angle = 0.6, mu = 0.1;
    sn_world *world = slope(angle, mu);
    sn_rigid_def def = sphere_def(0.2);
    def.position = vec(0, 0.2, 0), def.surface = rough(mu);
    CHECK_REL(acceleration(world, add(world, &def)), 9.81 * (sin(angle) - mu * cos(angle)), 0.01);
    sn_world_destroy(world);
}

// I / (m r^2) of a cylinder is 1/2, and of a sphere 2/5: a pill is between them.
TEST(a_pill_rolls_down_a_slope) {
    const double angle = 0.3, r = 0.1, length = 1;
    sn_world *world = slope(angle, 0.8);
    sn_rigid_def def = sphere_def(r);
    def.geometry = SN_GEOMETRY_PILL, def.radii[1] = R(r);
    def.ends[0] = vec(0, 0, -0.5 * length), def.ends[1] = vec(0, 0, 0.5 * length);
    def.position = vec(0, r, 0), def.surface = rough(0.8);
    const double tube = length, caps = 4.0 / 3 * r, part = (0.5 * tube + 0.4 * caps) / (tube + caps);
    CHECK_REL(acceleration(world, add(world, &def)), 9.81 * sin(angle) / (1 + part), 0.01);
    sn_world_destroy(world);
}

TEST(a_box_sticks_and_slides) {
    const double frictions[] = {0.2, 0.5};
    for (int k = 0; k < 2; k++) {
        const double mu = frictions[k];
        double angle = atan(0.98 * mu);
        sn_world *world = slope(angle, mu);
        sn_rigid_def def = box_def(0.2, 0.1, 0.2);
        def.position = vec(0, 0.1, 0), def.surface = rough(mu);
        sn_body box = add(world, &def);
        run(world, 2);
        CHECK(fabs((double)place_of(world, box).x) < 1e-3);
        sn_world_destroy(world);
        angle = atan(1.02 * mu);
        world = slope(angle, mu);
        box = add(world, &def);
        CHECK_REL(acceleration(world, box), 9.81 * (sin(angle) - mu * cos(angle)), 0.05);
        sn_world_destroy(world);
    }
}

// Zero crossings of a pendulum's swing.
TEST(a_physical_pendulum_swings) {
    const double h = 1.0 / 240, length = 1, r = 0.02;
    sn_world *world = world_with(-9.81);
    sn_rigid_def def = sphere_def(r);
    def.geometry = SN_GEOMETRY_PILL, def.radii[1] = R(r);
    const double swing = 0.05;
    def.ends[1] = vec(length * sin(swing), -length * cos(swing), 0);
    const sn_body pill = add(world, &def);
    sn_joint_def joint = sn_joint_def_default();
    sn_joint id;
    joint.body_a = pill;
    CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
    const double tube = length, caps = 4.0 / 3 * r, whole = tube + caps;
    // Moments about the joint: of the tube, and of the halves of a ball at both ends, over density times pi r^2.
    const double moment = tube * (length * length / 3 + r * r / 4) + 0.4 * caps * r * r +
                          0.5 * caps * (length * length + 2 * length * 3.0 / 8 * r);
    const double period = 2 * PI * sqrt(moment / (whole * 9.81 * 0.5 * length));
    double last = 0, first_cross = -1, cross = 0;
    int crossings = 0;
    for (int i = 1; i < 240 * 9; i++) {
        CHECK_INT(sn_world_step(world, R(h), 1), SN_OK);
        const double x = (double)place_of(world, pill).x;
        if (i > 1 && last > 0 && x <= 0) {
            cross = h * (i - x / (x - last));
            if (first_cross < 0)
                first_cross = cross;
            else
                crossings++;
        }
        last = x;
    }
    CHECK_REL((cross - first_cross) / crossings, period, 0.005);
    const sn_vec3 centre = place_of(world, pill);
    CHECK_REL(sn_length(centre), 0.5 * length, 1e-4);
    sn_world_destroy(world);
}

TEST(spheres_exchange_momentum_with_a_rod) {
    sn_world *world = world_with(0);
    sn_vec3 points[MOST_POINTS];
    line(points, 9, vec(-0.4, 0, 0), vec(0.4, 0, 0));
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 9, rod.radius = R(0.05), rod.material = stuff(1e6, 1000);
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    sn_rigid_def def = sphere_def(0.1);
    def.position = vec(0.1, 0.4, 0.02), def.velocity = vec(0, -2, 0);
    const sn_body ball = add(world, &def);
    const sn_momentum before = sn_world_momentum(world);
    run(world, 0.5);
    const sn_momentum after = sn_world_momentum(world);
    const double size = fabs(before.linear[1]);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after.linear[k], before.linear[k], 1e-5 * size);
    CHECK((double)velocity_of(world, ball).y > -1.9);
    sn_world_destroy(world);
}

TEST(two_spheres_and_a_pill_exchange_momentum) {
    sn_world *world = world_with(0);
    sn_rigid_def def = sphere_def(0.1);
    def.velocity = vec(3, 0, 0), def.position = vec(-0.5, 0.03, 0);
    add(world, &def);
    def.velocity = vec(-1, 0, 0), def.position = vec(0.5, 0, 0.02);
    add(world, &def);
    def.geometry = SN_GEOMETRY_PILL, def.ends[0] = vec(0, -0.3, 0), def.ends[1] = vec(0, 0.3, 0),
    def.radii[1] = R(0.05);
    def.velocity = vec(0, 0, 0), def.position = vec(0, 0.1, 0);
    add(world, &def);
    const sn_momentum before = sn_world_momentum(world);
    run(world, 0.5);
    const sn_momentum after = sn_world_momentum(world);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after.linear[k], before.linear[k], 1e-5 * fabs(before.linear[0]));
    sn_world_destroy(world);
}

// A box lies at rest where its faces are.
TEST(a_box_rests_on_its_face) {
    sn_world *world = slope(0, 0.5);
    sn_rigid_def def = box_def(0.3, 0.2, 0.1);
    def.position = vec(0, 0.25, 0);
    const sn_body box = add(world, &def);
    run(world, 2);
    CHECK_NEAR(place_of(world, box).y, 0.2, 1e-4);
    CHECK(sn_length(velocity_of(world, box)) < R(1e-3));
    sn_world_destroy(world);
}

// A door on a vertical hinge at one edge: it does not sag, and a torque turns it as its moment about the hinge says.
TEST(a_door_turns_on_its_hinge) {
    sn_world *world = world_with(-9.81);
    sn_rigid_def def = box_def(0.4, 1, 0.02);
    def.position = vec(0.4, 0, 0);
    const sn_body door = add(world, &def);
    sn_joint_def joint = sn_joint_def_default();
    sn_joint id;
    joint.kind = SN_JOINT_DIRECTION, joint.body_a = door, joint.axis = vec(0, 2, 0);
    CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
    CHECK_INT(sn_rigid_set_load(world, door, vec(0, 0, 0), vec(0, 5, 0)), SN_OK);
    run(world, 1);
    sn_vec3 v, w;
    CHECK_INT(sn_rigid_get_velocity(world, door, &v, &w), SN_OK);
    const double mass = 8 * 0.4 * 0.02 * 1000, moment = mass * ((0.16 + 0.0004) / 3 + 0.16);
    CHECK_REL(w.y, 5 / moment, 0.01);
    CHECK(fabs((double)w.x) + fabs((double)w.z) < 1e-3);
    CHECK_NEAR(place_of(world, door).y, 0, 1e-4);
    CHECK_REL(sn_length(place_of(world, door)), 0.4, 1e-3);
    joint.kind = SN_JOINT_WELD;
    CHECK_INT(sn_joint_create(world, &joint, &id), SN_ERR_DEF);
    sn_world_destroy(world);
}

// Two boxes welded end to end move as one: they fly and turn without bending.
TEST(welded_boxes_are_one) {
    sn_world *world = world_with(0);
    sn_rigid_def def = box_def(0.2, 0.05, 0.05);
    def.angular_velocity = vec(0, 0, 3), def.position = vec(-0.2, 0, 0), def.velocity = vec(0, -0.6, 0);
    const sn_body left = add(world, &def);
    def.position = vec(0.2, 0, 0), def.velocity = vec(0, 0.6, 0);
    const sn_body right = add(world, &def);
    sn_joint_def joint = sn_joint_def_default();
    sn_joint id;
    joint.kind = SN_JOINT_WELD, joint.body_a = left, joint.body_b = right;
    CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
    const sn_momentum before = sn_world_momentum(world);
    for (int i = 0; i < 120; i++) CHECK_INT(sn_world_step(world, R(1.0 / 240), 1), SN_OK);
    sn_vec3 at[2];
    sn_quat q[2];
    sn_rigid_get_pose(world, left, &at[0], &q[0]), sn_rigid_get_pose(world, right, &at[1], &q[1]);
    CHECK_NEAR(sn_q_dot(q[0], q[1]), 1, 1e-5);
    CHECK_REL(sn_length(sn_sub(at[0], at[1])), 0.4, 1e-4);
    CHECK_REL(sn_world_momentum(world).angular[2], before.angular[2], 0.02);
    sn_world_destroy(world);
}

// A ball comes up to e^2, e^4, e^6 of its height, and to rest.
TEST(a_ball_bounces_with_its_restitution) {
    for (int n = 0; n < 2; n++) {
        const double e = n ? 0.8 : 0.6;
        sn_world *world = world_with(-9.81);
        sn_rigid_def floor = sn_rigid_def_default(), def = sn_rigid_def_default();
        def.dynamic = true, def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.1), def.mass = 1;
        def.position = vec(0, 1.1, 0), def.surface.restitution = R(e);
        sn_body body, plane;
        CHECK_INT(sn_rigid_create(world, &floor, &plane), SN_OK);
        CHECK_INT(sn_rigid_create(world, &def, &body), SN_OK);
        double height[3] = {0}, before = 0;
        int bounces = 0;
        for (int i = 0; i < 360; i++) {
            CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
            sn_vec3 v, w, at;
            sn_rigid_get_velocity(world, body, &v, &w);
            sn_rigid_get_centre(world, body, &at);
            if (before > 0 && v.y <= 0 && bounces < 3) height[bounces++] = (double)at.y - 0.1;
            before = (double)v.y;
            if (i == 359) CHECK_NEAR(v.y, 0, 1e-3);
            if (i == 359) CHECK_NEAR(at.y, 0.1, 1e-3);
        }
        REQUIRE(bounces == 3);
        for (int k = 0; k < 3; k++) CHECK_REL(height[k], pow(e, 2 * (k + 1)), 0.12);
        sn_world_destroy(world);
    }
}

TEST(balls_that_meet_part_with_their_restitution) {
    sn_world *world = world_with(0);
    sn_body ball[2];
    sn_vec3 v[2], w;
    for (int i = 0; i < 2; i++) {
        sn_rigid_def def = sn_rigid_def_default();
        def.dynamic = true, def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.1), def.mass = i ? 3 : 1;
        def.position = vec(i ? 0.5 : -0.5, 0, 0), def.velocity = vec(i ? -1 : 2, 0, 0),
        def.surface.restitution = R(0.5);
        CHECK_INT(sn_rigid_create(world, &def, &ball[i]), SN_OK);
    }
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
    for (int i = 0; i < 2; i++) sn_rigid_get_velocity(world, ball[i], &v[i], &w);
    CHECK_NEAR(v[0].x + 3 * v[1].x, 2 - 3, 1e-5);
    CHECK_REL(v[1].x - v[0].x, 0.5 * 3, 0.02);
    sn_world_destroy(world);
}
