// Resistance to rolling and to turning, with known answers; and a hoop.
#include "base/math/vec.h"
#include "known.h"

#define R(x)                  ((sn_real)(x))
#define CHECK_REL(a, b, part) CHECK_NEAR(a, b, (part)*fabs((double)(b)))

static sn_body add(sn_world *world, const sn_rigid_def *def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, def, &body), SN_OK);
    return body;
}

// Level ground under gravity that is turned: x is downhill.
static sn_world *slope(double angle) {
    sn_world_def def = sn_world_def_default();
    def.gravity = vec(9.81 * sin(angle), -9.81 * cos(angle), 0);
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    sn_rigid_def ground = sn_rigid_def_default();
    ground.surface.friction_static = ground.surface.friction_dynamic = R(0.8);
    add(world, &ground);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    return world;
}

static sn_rigid_def sphere_def(double radius, double rolling, double torsion) {
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(radius), def.position.y = R(radius);
    def.surface.friction_static = def.surface.friction_dynamic = R(0.8);
    def.surface.rolling = R(rolling), def.surface.torsion = R(torsion);
    return def;
}

static void run(sn_world *world, double seconds) {
    bool good = true;
    for (int i = 0; i < (int)(seconds * 60 + 0.5); i++) good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good;
    CHECK(good);
}

static void motion_of(const sn_world *world, sn_body body, sn_vec3 *v, sn_vec3 *w) {
    CHECK_INT(sn_rigid_get_velocity(world, body, v, w), SN_OK);
}

// A ball that rolls is slowed down by (c g / r) / (1 + 2/5), and stops.
TEST(a_ball_rolls_to_a_stop) {
    const double r = 0.2, c = 0.01;
    sn_world *world = slope(0);
    sn_rigid_def def = sphere_def(r, c, 0);
    def.velocity = vec(2, 0, 0), def.angular_velocity = vec(0, 0, -2 / r);
    const sn_body ball = add(world, &def);
    sn_vec3 v, w;
    run(world, 1);
    motion_of(world, ball, &v, &w);
    const double early = (double)v.x;
    run(world, 2);
    motion_of(world, ball, &v, &w);
    CHECK_REL((early - (double)v.x) / 2, c * 9.81 / r / 1.4, 0.02);
    run(world, 6);
    motion_of(world, ball, &v, &w);
    CHECK(sn_length(v) < R(1e-3));
    sn_world_destroy(world);
}

// On a slope it stays up to tan = c / r, and rolls above by g (sin - c/r cos) / 1.4.
TEST(a_ball_stays_on_a_slope_that_is_not_too_steep) {
    const double r = 0.1, c = 0.005;
    for (int steep = 0; steep < 2; steep++) {
        const double angle = atan((steep ? 1.5 : 0.95) * c / r);
        sn_world *world = slope(angle);
        const sn_rigid_def def = sphere_def(r, c, 0);
        const sn_body ball = add(world, &def);
        sn_vec3 v, w, at;
        run(world, 3);
        motion_of(world, ball, &v, &w);
        CHECK_INT(sn_rigid_get_centre(world, ball, &at), SN_OK);
        if (steep)
            CHECK_REL(v.x, 3 * 9.81 * (sin(angle) - c / r * cos(angle)) / 1.4, 0.03);
        else
            CHECK(sn_abs(at.x) < R(1e-3));
        sn_world_destroy(world);
    }
}

// A ball that spins about the vertical is slowed down by c g / (2/5 r^2).
TEST(a_spinning_ball_stops_by_torsion) {
    const double r = 0.2, c = 0.02;
    sn_world *world = slope(0);
    sn_rigid_def def = sphere_def(r, 0, c);
    def.angular_velocity = vec(0, 40, 0);
    const sn_body ball = add(world, &def);
    sn_vec3 v, w;
    run(world, 1);
    motion_of(world, ball, &v, &w);
    const double early = (double)w.y;
    run(world, 1);
    motion_of(world, ball, &v, &w);
    CHECK_REL(early - (double)w.y, c * 9.81 / (0.4 * r * r), 0.02);
    run(world, 4);
    motion_of(world, ball, &v, &w);
    CHECK(sn_length(w) < R(1e-2));
    CHECK(sn_length(v) < R(1e-3));
    sn_world_destroy(world);
}

// A ball that spins on another one hands its angular momentum over: what the two have about the axis stays.
TEST(torsion_between_two_balls_keeps_angular_momentum) {
    sn_world *world = world_with(0);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    sn_body ball[2];
    for (int i = 0; i < 2; i++) {
        sn_rigid_def def = sphere_def(0.1, 0, 0.05);
        def.position = vec(0, i ? 0.201 : 0, 0), def.angular_velocity = vec(0, i ? 30 : 0, 0), def.mass = 1;
        ball[i] = add(world, &def);
        CHECK_INT(sn_rigid_set_load(world, ball[i], vec(0, i ? -5 : 5, 0), vec(0, 0, 0)), SN_OK);
    }
    run(world, 3);
    sn_vec3 l[2], v, w[2];
    for (int i = 0; i < 2; i++) {
        CHECK_INT(sn_rigid_get_angular_momentum(world, ball[i], &l[i]), SN_OK);
        motion_of(world, ball[i], &v, &w[i]);
    }
    CHECK_REL(l[0].y + l[1].y, 0.4 * 0.01 * 30, 1e-4);
    CHECK_REL(w[0].y, 15, 0.01);
    CHECK_REL(w[1].y, 15, 0.01);
    sn_world_destroy(world);
}

// A turntable takes what stands on it along, by torsion alone.
TEST(a_turntable_turns_what_stands_on_it) {
    sn_world *world = slope(0);
    sn_rigid_def table = sn_rigid_def_default();
    table.geometry = SN_GEOMETRY_BOX, table.half = vec(1, 0.1, 1), table.position.y = R(0.1);
    sn_body disc = add(world, &table), ball;
    sn_rigid_def def = sphere_def(0.1, 0.001, 0.05);
    def.position.y = R(0.3);
    ball = add(world, &def);
    bool good = true;
    for (int i = 0; i < 180; i++) {
        const double half = 0.5 * 2 * (i + 1) / 60.0; // 2 rad/s
        CHECK_INT(sn_rigid_move(world, disc, vec(0, 0.1, 0), (sn_quat){0, R(sin(half)), 0, R(cos(half))}), SN_OK);
        good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good;
    }
    CHECK(good);
    sn_vec3 v, w, force, torque;
    motion_of(world, ball, &v, &w);
    CHECK_REL(w.y, 2, 0.01);
    CHECK_INT(sn_rigid_get_reaction(world, disc, &force, &torque), SN_OK);
    CHECK_NEAR(torque.y, 0, 1e-3);
    sn_world_destroy(world);
}

// A hoop's mass is all at its radius: a = g sin / 2. A wheel of two rims and a hub between has what is given.
TEST(a_hoop_rolls_down_a_slope) {
    const double angle = 0.2, r = 0.25;
    sn_world *world = slope(angle);
    sn_rigid_def def = sphere_def(r, 0, 0);
    const sn_rigid_part rims[2] = {{.geometry = SN_GEOMETRY_SPHERE, .radii = {R(r)}, .position = vec(0, 0, 0.3)},
                                   {.geometry = SN_GEOMETRY_SPHERE, .radii = {R(r)}, .position = vec(0, 0, -0.3)}};
    def.parts = rims, def.part_count = 2, def.mass = 2, def.inertia = vec(2 * r * r, 2 * r * r, 2 * r * r);
    const sn_body hoop = add(world, &def);
    sn_vec3 v, w;
    run(world, 1);
    motion_of(world, hoop, &v, &w);
    const double early = (double)v.x;
    run(world, 1);
    motion_of(world, hoop, &v, &w);
    CHECK_REL((double)v.x - early, 9.81 * sin(angle) / 2, 0.01);
    CHECK_REL(-(double)w.z * r, v.x, 0.01);
    sn_world_destroy(world);
}
