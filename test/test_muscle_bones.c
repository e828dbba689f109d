// Muscles that move bones: Hill's force, and rigid bodies that ends are joined to.
#include "base/math/vec.h"
#include "known.h"
#include <stdlib.h>

#define R(x) ((sn_real)(x))

#define MUSCLE 5e4 // Young's modulus at rest, Pa

enum { RODS = 5, POINTS = 9, MAX_ENDS = 2 * RODS };

typedef struct {
    sn_world *world;
    sn_bundle bundle;
    sn_body rods[RODS], bone[2];
    sn_joint joint[2][RODS];
} muscle;

// Five rods side by side from a to b; ends are joined to a body, or where it is null to space.
static void add_muscle(muscle *m, sn_vec3 a, sn_vec3 b, double radius, double young, const sn_bundle_def *like) {
    const sn_vec3 along = sn_normalize(sn_sub(b, a), sn_v3(1, 0, 0));
    sn_vec3 across[2], points[POINTS];
    sn_tangents(along, &across[0], &across[1]);
    for (int i = 0; i < RODS; i++) {
        const sn_real y = R(i ? 2.1 * radius * cos(PI / 2 * i) : 0), z = R(i ? 2.1 * radius * sin(PI / 2 * i) : 0);
        const sn_vec3 off = sn_add(sn_mul(y, across[0]), sn_mul(z, across[1]));
        line(points, POINTS, sn_add(a, off), sn_add(b, off));
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.point_count = POINTS, def.radius = R(radius);
        def.material = sn_material_make(R(young), R(0.495), 1060);
        def.material.damping = 0; // of momentum
        m->rods[i] = add_rod(m->world, &def);
        for (int end = 0; end < 2; end++) {
            sn_joint_def joint = sn_joint_def_default();
            joint.body_a = m->rods[i], joint.segment_a = end ? POINTS - 1 : 1, joint.along_a = R(end);
            joint.body_b = m->bone[end], joint.position = points[end ? POINTS - 1 : 0];
            CHECK_INT(sn_joint_create(m->world, &joint, &m->joint[end][i]), SN_OK);
        }
    }
    sn_bundle_def def = *like;
    def.rods = m->rods, def.rod_count = RODS, def.activate = SN_ACTIVATE_FORCE;
    CHECK_INT(sn_bundle_create(m->world, &def, &m->bundle), SN_OK);
}

// What an end exerts on what it is joined to.
static sn_vec3 pull_of(const muscle *m, int end) {
    sn_vec3 sum = {0, 0, 0}, force, torque;
    for (int i = 0; i < RODS; i++) {
        CHECK_INT(sn_joint_get_reaction(m->world, m->joint[end][i], &force, &torque, NULL), SN_OK);
        sum = sn_add(sum, force);
    }
    return sum;
}

static sn_body add_box(sn_world *world, sn_vec3 at, double half, double mass) {
    sn_rigid_def def = sn_rigid_def_default();
    sn_body body = {0};
    def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = vec(half, half, half), def.mass = R(mass);
    def.position = at;
    CHECK_INT(sn_rigid_create(world, &def, &body), SN_OK);
    return body;
}

// Activation x specific tension x physiological cross-section x force-length curve, at both ends.
TEST(a_muscle_of_fixed_length_pulls_with_its_cross_section) {
    const double length[] = {1, 0.8, 1.25}, activation[] = {1, 0.5, 0.7}, radius = 0.006;
    for (int i = 0; i < 3; i++) {
        muscle m = {.world = world_with(0)};
        sn_bundle_def like = sn_bundle_def_default();
        like.optimal = R(1 / length[i]);
        add_muscle(&m, vec(0, 0, 0), vec(0.2, 0, 0), radius, MUSCLE, &like);
        CHECK_INT(sn_bundle_set_activation(m.world, m.bundle, R(activation[i])), SN_OK);
        steps(m.world, 1.0 / 60, 120);
        const double section = RODS * PI * radius * radius * length[i], curve = (double)sn_length_tension(R(length[i]));
        const double expected = activation[i] * 3e5 * section * curve;
        CHECK_NEAR(pull_of(&m, 0).x / expected, 1, 0.02);
        CHECK_NEAR(pull_of(&m, 1).x / expected, -1, 0.02);
        sn_muscle_state state;
        CHECK_INT(sn_bundle_get_state(m.world, m.bundle, &state), SN_OK);
        CHECK_NEAR(state.force / expected, 1, 0.01);
        CHECK_NEAR(state.length, 0.2, 1e-4);
        CHECK_NEAR(state.full_force / (3e5 * section), 1, 1e-4);
        sn_world_destroy(m.world);
    }
}

TEST(activation_rises_and_falls_with_its_times) {
    muscle m = {.world = world_with(0)};
    sn_bundle_def like = sn_bundle_def_default();
    like.rise = R(0.02), like.fall = R(0.05);
    add_muscle(&m, vec(0, 0, 0), vec(0.2, 0, 0), 0.006, MUSCLE, &like);
    sn_muscle_state state;
    CHECK_INT(sn_bundle_set_activation(m.world, m.bundle, R(0.8)), SN_OK);
    steps(m.world, 0.004, 5);
    sn_bundle_get_state(m.world, m.bundle, &state);
    CHECK_NEAR(state.activation, 0.8 * (1 - exp(-1)), 1e-5);
    steps(m.world, 0.004, 200);
    CHECK_INT(sn_bundle_set_activation(m.world, m.bundle, 0), SN_OK);
    steps(m.world, 0.01, 5);
    sn_bundle_get_state(m.world, m.bundle, &state);
    CHECK_NEAR(state.activation, 0.8 * exp(-1), 1e-5);
    CHECK_NEAR(sn_bundle_activation(m.world, m.bundle), 0, 0);
    sn_world_destroy(m.world);
}

// The speed at which a weight is lifted is that of Hill's hyperbola, whatever the step.
TEST(a_weight_is_lifted_at_the_speed_of_the_force_velocity_curve) {
    const double radius = 0.006, full = 3e5 * RODS * PI * radius * radius, load = 0.4;
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        muscle m = {.world = world_with(-9.81)};
        sn_bundle_def like = sn_bundle_def_default();
        like.max_speed = 2, like.optimal = R(0.9), like.rise = 0;
        m.bone[1] = add_box(m.world, vec(0, -0.03, 0), 0.02, load * full / 9.81);
        add_muscle(&m, vec(0, 0.2, 0), vec(0, 0, 0), radius, MUSCLE, &like);
        CHECK_INT(sn_bundle_set_activation(m.world, m.bundle, 1), SN_OK);
        sn_muscle_state state = {0};
        while ((double)state.length > 0.9 * 0.2 || state.length == 0) {
            CHECK_INT(sn_world_step(m.world, R(1.0 / 60), substeps), SN_OK);
            CHECK_INT(sn_bundle_get_state(m.world, m.bundle, &state), SN_OK);
            REQUIRE(sn_world_step_count(m.world) < 200);
        }
        const double v = (1 - load) / (1 + 4 * load); // (1 - v) / (1 + 4 v) = load
        CHECK_NEAR(state.speed, v * 2 * 0.9 * 0.2, 0.06 * v * 2 * 0.9 * 0.2);
        sn_world_destroy(m.world);
    }
}

// Nothing but the muscle acts on two free boxes: what it gives one it takes from the other.
TEST(a_muscle_between_two_bodies_exchanges_their_momentum) {
    muscle m = {.world = world_with(0)};
    sn_bundle_def like = sn_bundle_def_default();
    m.bone[0] = add_box(m.world, vec(-0.05, 0.01, 0), 0.04, 2),
    m.bone[1] = add_box(m.world, vec(0.25, 0, 0.02), 0.04, 0.5);
    add_muscle(&m, vec(0, 0, 0), vec(0.2, 0, 0), 0.006, MUSCLE, &like);
    CHECK_INT(sn_bundle_set_activation(m.world, m.bundle, 1), SN_OK);
    double most = 0;
    for (int i = 0; i < 60; i++) {
        CHECK_INT(sn_world_step(m.world, R(1.0 / 60), 1), SN_OK);
        sn_vec3 v, w;
        sn_rigid_get_velocity(m.world, m.bone[0], &v, &w);
        most = fmax(most, 2 * (double)sn_length(v));
        const sn_momentum now = sn_world_momentum(m.world);
        for (int k = 0; k < 3; k++) CHECK_NEAR(now.linear[k], 0, 1e-5 * most + 1e-9);
    }
    CHECK(most > 0.2);
    sn_world_destroy(m.world);
}

typedef struct {
    muscle m;
    sn_body forearm;
    sn_joint elbow;
} arm;

// A forearm of 0.3 m and 2 kg, level, on a hinge about z at the origin; a muscle from 0.25 m above to 4 cm along it.
static arm make_arm(double young) {
    arm a = {.m.world = world_with(-9.81)};
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_PILL, def.ends[1] = vec(0.3, 0, 0), def.mass = 2;
    def.radii[0] = def.radii[1] = R(0.01);
    CHECK_INT(sn_rigid_create(a.m.world, &def, &a.forearm), SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.kind = SN_JOINT_DIRECTION, joint.axis = vec(0, 0, 1), joint.body_a = a.forearm;
    CHECK_INT(sn_joint_create(a.m.world, &joint, &a.elbow), SN_OK);
    a.m.bone[1] = a.forearm;
    sn_bundle_def like = sn_bundle_def_default();
    like.stress = R(6e5);
    add_muscle(&a.m, vec(0, 0.25, 0), vec(0.04, 0.005, 0), 0.004, young, &like);
    return a;
}

static double angle_of(const arm *a) {
    sn_vec3 at;
    sn_quat q;
    sn_rigid_get_pose(a->m.world, a->forearm, &at, &q);
    const sn_vec3 x = sn_q_rotate(q, sn_v3(1, 0, 0));
    return atan2((double)x.y, (double)x.x);
}

TEST(a_forearm_stands_where_moment_arm_times_force_is_its_weight) {
    arm a = make_arm(2e3); // so soft that only what is active counts
    CHECK_INT(sn_bundle_set_activation(a.m.world, a.m.bundle, R(0.5)), SN_OK);
    steps(a.m.world, 1.0 / 60, 600);
    sn_vec3 v, w, centre, force = pull_of(&a.m, 1), torque, at;
    sn_rigid_get_velocity(a.m.world, a.forearm, &v, &w);
    CHECK_NEAR(w.z, 0, 2e-3);
    sn_rigid_get_centre(a.m.world, a.forearm, &centre);
    const double weight = 2 * 9.81 * (double)centre.x;
    double moment = 0;
    for (int i = 0; i < RODS; i++) {
        sn_joint_get_reaction(a.m.world, a.m.joint[1][i], &force, &torque, &at);
        moment += (double)(at.x * force.y - at.y * force.x);
    }
    CHECK_NEAR(moment / weight, 1, 0.02);
    // A line muscle between the same places, with the same curves.
    sn_muscle_state state;
    sn_bundle_get_state(a.m.world, a.m.bundle, &state);
    const double q = angle_of(&a);
    const sn_vec3 end = vec(0.04 * cos(q) - 0.005 * sin(q), 0.04 * sin(q) + 0.005 * cos(q), 0);
    const sn_vec3 line = sn_sub(vec(0, 0.25, 0), end);
    const double lever = (double)(end.x * line.y - end.y * line.x) / (double)sn_length(line);
    CHECK_NEAR(lever * (double)state.force / weight, 1, 0.02);
    sn_world_destroy(a.m.world);
}

// Lifted slowly, the muscle's work is what the weight and the material gain; hardly anything is lost.
TEST(a_muscle_does_the_work_of_what_it_lifts) {
    arm a = make_arm(MUSCLE);
    CHECK_INT(sn_bundle_set_activation(a.m.world, a.m.bundle, R(0.5)), SN_OK);
    steps(a.m.world, 1.0 / 60, 600);
    const double before = angle_of(&a);
    CHECK_INT(sn_world_set_energy_check(a.m.world, true), SN_OK);
    for (int i = 0; i < 240; i++) {
        CHECK_INT(sn_bundle_set_activation(a.m.world, a.m.bundle, R(0.5 + 0.2 * i / 240)), SN_OK);
        CHECK_INT(sn_world_step(a.m.world, R(1.0 / 60), 1), SN_OK);
    }
    const sn_energy_balance e = sn_world_energy_balance(a.m.world);
    const double gained = e.kinetic + e.elastic + e.potential + e.contact - e.start;
    CHECK(angle_of(&a) > before + 0.3);
    CHECK_NEAR(gained / e.work, 1, 0.05);
    CHECK(gained <= e.work && e.rise_time < 0);
    sn_world_destroy(a.m.world);
}

// In the middle of a contraction, with activation on its way.
TEST(a_saved_muscle_goes_on) {
    arm a = make_arm(MUSCLE);
    CHECK_INT(sn_bundle_set_activation(a.m.world, a.m.bundle, R(0.9)), SN_OK);
    steps(a.m.world, 0.004, 3);
    const size_t size = sn_world_save(a.m.world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(sn_world_save(a.m.world, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    sn_world *copy = NULL;
    REQUIRE(sn_world_restore(&def, bytes, size, &copy) == SN_OK);
    steps(a.m.world, 0.004, 30), steps(copy, 0.004, 30);
    CHECK(sn_world_hash(copy) == sn_world_hash(a.m.world));
    free(bytes);
    sn_world_destroy(copy), sn_world_destroy(a.m.world);
}
