// Dynamic rigid bodies by themselves: mass, free flight, gyroscopic motion, saving.
#include "base/math/vec.h"
#include "kinds/rigid/rigid.h"
#include "known.h"
#include <stdlib.h>
#include <string.h>

#define R(x)                  ((sn_real)(x))
#define CHECK_REL(a, b, part) CHECK_NEAR(a, b, (part)*fabs((double)(b)))

static sn_body add(sn_world *world, const sn_rigid_def *def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, def, &body), SN_OK);
    return body;
}

static sn_rigid_def box_def(double x, double y, double z) {
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = vec(x, y, z);
    return def;
}

// Mass, centre and moments by summing a fine grid over the union of balls.
TEST(a_tapered_pill_weighs_what_it_fills) {
    sn_collider c = {.kind = SN_GEOMETRY_PILL, .ends = {{0, 0, 0}, {R(0.8), 0, 0}}, .radii = {R(0.3), R(0.12)}};
    const sn_rigid_mass m = sn_rigid_mass_of(&c);
    const int n = 400;
    double mass = 0, centre = 0, along = 0, across = 0;
    const double d = 1.4 / n;
    for (int i = 0; i < n; i++) { // slices of discs: the largest radius over the balls
        const double x = -0.35 + d * (i + 0.5);
        double s2 = 0;
        for (int k = 0; k <= 4000; k++) {
            const double t = k / 4000.0, r = 0.3 + t * (0.12 - 0.3), off = x - 0.8 * t;
            s2 = fmax(s2, r * r - off * off);
        }
        mass += PI * s2 * d, centre += PI * s2 * x * d;
        along += PI * s2 * s2 / 2 * d, across += PI * (s2 * s2 / 4 + s2 * x * x) * d;
    }
    CHECK_REL(m.mass, mass, 1e-4);
    CHECK_REL(m.mass * m.centre[0], centre, 1e-3);
    CHECK_REL(m.inertia[0][0], along, 1e-3);
    CHECK_REL(m.inertia[1][1], across - centre * centre / mass, 1e-3);
    CHECK_REL(m.inertia[2][2], m.inertia[1][1], 1e-12);
}

TEST(a_box_and_a_sphere_have_their_moments) {
    sn_world *world = world_with(0);
    sn_rigid_def def = box_def(0.1, 0.2, 0.3);
    def.density = 500, def.angular_velocity = vec(1, 2, 3);
    const sn_body box = add(world, &def);
    const double m = 500 * 8 * 0.1 * 0.2 * 0.3;
    sn_vec3 l;
    CHECK_REL(sn_body_mass(world, box), m, 1e-6);
    CHECK_INT(sn_rigid_get_angular_momentum(world, box, &l), SN_OK);
    CHECK_REL(l.x, m / 3 * (0.04 + 0.09) * 1, 1e-5);
    CHECK_REL(l.y, m / 3 * (0.01 + 0.09) * 2, 1e-5);
    CHECK_REL(l.z, m / 3 * (0.01 + 0.04) * 3, 1e-5);
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.2), def.mass = 3;
    CHECK_INT(sn_rigid_get_angular_momentum(world, add(world, &def), &l), SN_OK);
    CHECK_REL(l.z, 0.4 * 3 * 0.04 * 3, 1e-5);
    sn_world_destroy(world);
}

TEST(a_body_falls) {
    sn_world *world = world_with(-9.81);
    sn_rigid_def def = box_def(0.1, 0.2, 0.3);
    const sn_body box = add(world, &def);
    const double h = 1.0 / 60;
    steps(world, h, 60);
    sn_vec3 at;
    sn_quat rotation;
    CHECK_INT(sn_rigid_get_pose(world, box, &at, &rotation), SN_OK);
    CHECK_REL(at.y, -9.81 * h * h * 60 * 61 / 2, 1e-5);
    sn_world_destroy(world);
}

// Euler's equations in the body's frame, by RK4 with small steps: when the spin about the second axis first changes its sign.
static double flip_time(const double i[3], double w[3]) {
    const double h = 1e-5;
    for (int n = 0; n < 10000000; n++) {
        double k[4][3], at[3];
        for (int s = 0; s < 4; s++) {
            for (int a = 0; a < 3; a++) at[a] = w[a] + (s == 0 ? 0 : s == 3 ? h : 0.5 * h) * (s ? k[s - 1][a] : 0);
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                k[s][a] = (i[b] - i[c]) / i[a] * at[b] * at[c];
            }
        }
        const double before = w[1];
        for (int a = 0; a < 3; a++) w[a] += h / 6 * (k[0][a] + 2 * k[1][a] + 2 * k[2][a] + k[3][a]);
        if (before > 0 && w[1] <= 0) return h * n;
    }
    return 0;
}

TEST(the_intermediate_axis_turns_over) {
    sn_world *world = world_with(0);
    sn_rigid_def def = box_def(0.1, 0.2, 0.3); // I_x > I_y > I_z
    def.angular_velocity = vec(0.01, 10, 0.01);
    const sn_body box = add(world, &def);
    const double moments[3] = {0.13, 0.10, 0.05};
    double w[3] = {0.01, 10, 0.01};
    const double expected = flip_time(moments, w), h = 1.0 / 60;
    const double energy = sn_body_energy(world, box).kinetic;
    sn_vec3 l0, l, at, linear, spin;
    sn_quat q;
    sn_rigid_get_angular_momentum(world, box, &l0);
    double found = 0;
    for (int n = 0; n < 3000; n++) {
        CHECK_INT(sn_world_step(world, R(h), 1), SN_OK);
        sn_rigid_get_pose(world, box, &at, &q);
        sn_rigid_get_velocity(world, box, &linear, &spin);
        const double y = (double)sn_dot(sn_q_axis_y(q), spin);
        if (found == 0 && y <= 0) found = h * n;
    }
    CHECK_REL(found, expected, 0.02);
    sn_rigid_get_angular_momentum(world, box, &l);
    CHECK(sn_length(sn_sub(l, l0)) < R(1e-6) * sn_length(l0));
    CHECK_REL(sn_body_energy(world, box).kinetic, energy, 1e-6);
    sn_world_destroy(world);
}

TEST(an_impulse_moves_and_turns_a_body) {
    sn_world *world = world_with(0);
    sn_rigid_def def = box_def(0.1, 0.1, 0.1);
    const sn_body box = add(world, &def);
    sn_vec3 v, w;
    CHECK_INT(sn_rigid_apply_impulse(world, box, vec(16, 0, 0), vec(0, 0.1, 0)), SN_OK);
    CHECK_INT(sn_rigid_get_velocity(world, box, &v, &w), SN_OK);
    CHECK_REL(v.x, 2, 1e-6);
    CHECK_REL(w.z, -16 * 0.1 / (8.0 / 6 * 0.04), 1e-5);
    CHECK_INT(sn_rigid_set_load(world, box, vec(0, 8, 0), vec(0, 0, 0)), SN_OK);
    steps(world, 0.01, 100);
    CHECK_INT(sn_rigid_get_velocity(world, box, &v, &w), SN_OK);
    CHECK_REL(v.y, 1, 1e-5);
    sn_world_destroy(world);
}

TEST(a_static_body_refuses_the_calls_of_dynamic_ones) {
    sn_world *world = world_with(0);
    sn_rigid_def def = box_def(0.1, 0.1, 0.1);
    def.dynamic = false;
    const sn_body box = add(world, &def);
    const sn_vec3 zero = {0, 0, 0};
    sn_vec3 out[2];
    CHECK(!sn_rigid_is_dynamic(world, box));
    CHECK_INT(sn_rigid_get_velocity(world, box, &out[0], &out[1]), SN_ERR_KIND);
    CHECK_INT(sn_rigid_set_velocity(world, box, zero, zero), SN_ERR_KIND);
    CHECK_INT(sn_rigid_get_centre(world, box, &out[0]), SN_ERR_KIND);
    CHECK_INT(sn_rigid_get_angular_momentum(world, box, &out[0]), SN_ERR_KIND);
    CHECK_INT(sn_rigid_apply_impulse(world, box, zero, zero), SN_ERR_KIND);
    CHECK_INT(sn_rigid_set_load(world, box, zero, zero), SN_ERR_KIND);
    CHECK_INT(sn_rigid_get_load(world, box, &out[0], &out[1]), SN_ERR_KIND);
    sn_world_destroy(world);
}

// A saved world goes on as the one that was saved.
TEST(a_saved_body_moves_on) {
    sn_world *world = world_with(-9.81), *copy = NULL;
    sn_rigid_def def = box_def(0.1, 0.2, 0.3), floor = sn_rigid_def_default();
    def.position = vec(0, 0.5, 0), def.angular_velocity = vec(1, 5, 2), def.velocity = vec(1, 0, 0);
    floor.position = vec(0, 0, 0);
    add(world, &floor), add(world, &def);
    def.geometry = SN_GEOMETRY_PILL, def.ends[1] = vec(0.5, 0.13, 0.37), def.radii[0] = R(0.1), def.radii[1] = R(0.05);
    def.position = vec(0, 1.2, 0);
    add(world, &def);
    steps(world, 1.0 / 60, 30);
    const size_t size = sn_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(sn_world_save(world, bytes, size) == size);
    sn_world_def empty = sn_world_def_default();
    CHECK_INT(sn_world_restore(&empty, bytes, size, &copy), SN_OK);
    CHECK(sn_world_hash(copy) == sn_world_hash(world));
    steps(world, 1.0 / 60, 60), steps(copy, 1.0 / 60, 60);
    CHECK(sn_world_hash(copy) == sn_world_hash(world));
    free(bytes);
    sn_world_destroy(world), sn_world_destroy(copy);
}
