// What was set can be got: every setter of a body has a getter that returns the same numbers, and both refuse a stale handle
// and a body of another kind.
#include "all_kinds.h"

typedef struct {
    double v[8];
} numbers;

static sn_vec3 vec_of(const numbers *n) {
    return (sn_vec3){R(n->v[0]), R(n->v[1]), R(n->v[2])};
}
static sn_quat quat_of(const numbers *n, int at) {
    return (sn_quat){R(n->v[at]), R(n->v[at + 1]), R(n->v[at + 2]), R(n->v[at + 3])};
}
static void put_vec(numbers *n, sn_vec3 v) {
    n->v[0] = (double)v.x, n->v[1] = (double)v.y, n->v[2] = (double)v.z;
}
static void put_quat(numbers *n, int at, sn_quat q) {
    n->v[at] = (double)q.x, n->v[at + 1] = (double)q.y, n->v[at + 2] = (double)q.z, n->v[at + 3] = (double)q.w;
}
// Readers of arrays return a count, 0 for a stale handle and for another kind.
static sn_status of_count(const sn_world *w, sn_body b, int count) {
    return count > 0 ? SN_OK : sn_body_exists(w, b) ? SN_ERR_KIND : SN_ERR_STALE_ID;
}

#define SETTER(name) static sn_status set_##name(sn_world *w, sn_body b, const numbers *n)
#define GETTER(name) static sn_status get_##name(const sn_world *w, sn_body b, numbers *n)

// ---- rods: point 3, segment 3; point 0 is clamped

// A vector or a number for point 3; a setter of an array refuses a wrong count only after a wrong body.
#define POINTS 7
SETTER(rod_velocities) {
    sn_vec3 all[POINTS] = {{0, 0, 0}};
    all[3] = vec_of(n);
    return sn_rod_set_velocities(w, b, all, POINTS);
}
GETTER(rod_velocities) {
    sn_vec3 all[64];
    const int count = b.kind == SN_KIND_ROD ? sn_body_get_velocities(w, b, all, 64) : 0;
    if (count > 3) put_vec(n, all[3]);
    return of_count(w, b, count);
}
SETTER(rod_spins) {
    sn_vec3 all[POINTS] = {{0, 0, 0}};
    all[3] = vec_of(n);
    return sn_rod_set_spins(w, b, all, POINTS);
}
GETTER(rod_spins) {
    sn_vec3 all[POINTS];
    const int count = sn_rod_get_spins(w, b, all, POINTS);
    if (count > 3) put_vec(n, all[3]);
    return of_count(w, b, count);
}
SETTER(rod_scales) {
    sn_real all[POINTS] = {1, 1, 1, R(n->v[0]), 1, 1, 1};
    return sn_rod_set_scales(w, b, all, POINTS);
}
GETTER(rod_scales) {
    sn_real all[POINTS];
    const int count = sn_rod_get_scales(w, b, all, POINTS);
    if (count > 3) n->v[0] = (double)all[3];
    return of_count(w, b, count);
}
SETTER(rod_scale_rates) {
    sn_real all[POINTS] = {0, 0, 0, R(n->v[0])};
    return sn_rod_set_scale_rates(w, b, all, POINTS);
}
GETTER(rod_scale_rates) {
    sn_real all[POINTS];
    const int count = sn_rod_get_scale_rates(w, b, all, POINTS);
    if (count > 3) n->v[0] = (double)all[3];
    return of_count(w, b, count);
}
SETTER(rod_force) {
    return sn_rod_set_force(w, b, 3, vec_of(n));
}
GETTER(rod_force) {
    sn_vec3 v = {0, 0, 0};
    const sn_status status = sn_rod_get_force(w, b, 3, &v);
    put_vec(n, v);
    return status;
}
SETTER(rod_torque) {
    return sn_rod_set_torque(w, b, 3, vec_of(n));
}
GETTER(rod_torque) {
    sn_vec3 v = {0, 0, 0};
    const sn_status status = sn_rod_get_torque(w, b, 3, &v);
    put_vec(n, v);
    return status;
}
SETTER(rod_radial_force) {
    return sn_rod_set_radial_force(w, b, 3, R(n->v[0]));
}
GETTER(rod_radial_force) {
    sn_real force = 0;
    const sn_status status = sn_rod_get_radial_force(w, b, 3, &force);
    n->v[0] = (double)force;
    return status;
}
SETTER(rod_segment) {
    return sn_rod_set_segment(w, b, 3, R(n->v[0]), R(n->v[1]));
}
GETTER(rod_segment) {
    sn_real stiffness = 0, length = 0;
    const sn_status status = sn_rod_get_segment(w, b, 3, &stiffness, &length);
    n->v[0] = (double)stiffness, n->v[1] = (double)length;
    return status;
}
SETTER(rod_centre_target) {
    const sn_status status = sn_rod_hold(w, b, 3, SN_HOLD_CENTRE | SN_HOLD_SCALE | SN_HOLD_FRAME);
    return status == SN_OK ? sn_rod_move_centre(w, b, 3, vec_of(n)) : status;
}
GETTER(rod_centre_target) {
    sn_vec3 v = {0, 0, 0};
    const sn_status status = sn_rod_get_centre_target(w, b, 3, &v);
    put_vec(n, v);
    return status;
}
SETTER(rod_scale_target) {
    return sn_rod_move_scale(w, b, 3, R(n->v[0]));
}
GETTER(rod_scale_target) {
    sn_real scale = 0;
    const sn_status status = sn_rod_get_scale_target(w, b, 3, &scale);
    n->v[0] = (double)scale;
    return status;
}
// Rotations are the same with the other sign.
static void put_rotation(numbers *n, int at, sn_quat q) {
    const double sign = q.w < 0 ? -1 : 1;
    put_quat(n, at, q);
    for (int k = 0; k < 4; k++) n->v[at + k] *= sign;
}
SETTER(rod_frame_target) {
    return sn_rod_move_frame(w, b, 3, quat_of(n, 0));
}
GETTER(rod_frame_target) {
    sn_quat q = {0, 0, 0, 1};
    const sn_status status = sn_rod_get_frame_target(w, b, 3, &q);
    put_rotation(n, 0, q);
    return status;
}
SETTER(rod_clamp_target) {
    return sn_rod_move_clamp(w, b, 0, quat_of(n, 0));
}
GETTER(rod_clamp_target) {
    sn_quat q = {0, 0, 0, 1};
    const sn_status status = sn_rod_get_clamp_target(w, b, 0, &q);
    put_rotation(n, 0, q);
    return status;
}

// ---- springs: point 7, spring 2; point 0 is held

SETTER(springs_mass) {
    return sn_springs_set_mass(w, b, 7, R(n->v[0]));
}
GETTER(springs_mass) {
    sn_real mass = 0;
    const sn_status status = sn_springs_get_mass(w, b, 7, &mass);
    n->v[0] = (double)mass;
    return status;
}
SETTER(springs_target) {
    return sn_springs_move(w, b, 0, vec_of(n));
}
GETTER(springs_target) {
    sn_vec3 v = {0, 0, 0};
    const sn_status status = sn_springs_get_target(w, b, 0, &v);
    put_vec(n, v);
    return status;
}
SETTER(springs_spring) {
    return sn_springs_set_spring(w, b, 2, R(n->v[0]), R(n->v[1]), R(n->v[2]));
}
GETTER(springs_spring) {
    sn_spring s = {0};
    const sn_status status = sn_springs_get_spring(w, b, 2, &s);
    n->v[0] = (double)s.stiffness, n->v[1] = (double)s.damping, n->v[2] = (double)s.rest;
    return status;
}
SETTER(springs_force) {
    return sn_springs_set_force(w, b, 7, vec_of(n));
}
GETTER(springs_force) {
    sn_vec3 v = {0, 0, 0};
    const sn_status status = sn_springs_get_force(w, b, 7, &v);
    put_vec(n, v);
    return status;
}
SETTER(springs_wind) {
    return sn_springs_set_wind(w, b, vec_of(n), R(n->v[3]));
}
GETTER(springs_wind) {
    sn_vec3 wind = {0, 0, 0};
    sn_real air = 0;
    const sn_status status = sn_springs_get_wind(w, b, &wind, &air);
    put_vec(n, wind), n->v[3] = (double)air;
    return status;
}

// ---- elastic bodies, muscles, rigid bodies

SETTER(elastic_force) {
    return sn_elastic_set_force(w, b, 5, vec_of(n));
}
GETTER(elastic_force) {
    sn_vec3 v = {0, 0, 0};
    const sn_status status = sn_elastic_get_force(w, b, 5, &v);
    put_vec(n, v);
    return status;
}
SETTER(elastic_anchors) {
    return sn_elastic_move_anchors(w, b, vec_of(n), quat_of(n, 3));
}
GETTER(elastic_anchors) {
    sn_vec3 v = {0, 0, 0};
    sn_quat q = {0, 0, 0, 1};
    const sn_status status = sn_elastic_get_anchor_target(w, b, &v, &q);
    put_vec(n, v), put_quat(n, 3, q);
    return status;
}
SETTER(muscles_target) {
    const sn_transform to = {vec_of(n), quat_of(n, 3)};
    return sn_implicit_muscles_move_bone(w, b, 1, &to);
}
GETTER(muscles_target) {
    sn_transform to[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{0, 0, 0}, {0, 0, 0, 1}}};
    const int count = sn_implicit_muscles_get_targets(w, b, to, 2);
    put_vec(n, to[1].position), put_quat(n, 3, to[1].rotation);
    return of_count(w, b, count);
}
SETTER(muscles_keys) {
    const sn_implicit_muscle_keys keys = {R(n->v[0]), R(n->v[1]), R(n->v[2])};
    return sn_implicit_muscles_set_keys(w, b, 0, &keys);
}
GETTER(muscles_keys) {
    sn_implicit_muscle_keys keys = {0, 0, 0};
    const sn_status status = sn_implicit_muscles_get_keys(w, b, 0, &keys);
    n->v[0] = (double)keys.activation, n->v[1] = (double)keys.exaggeration, n->v[2] = (double)keys.eccentricity;
    return status;
}
SETTER(muscles_muscle) {
    sn_implicit_muscle_def def = sn_implicit_muscle_def_default();
    const sn_status status = sn_implicit_muscles_get_muscle(w, b, 0, &def);
    def.hertz = R(n->v[0]), def.damping = R(n->v[1]);
    return status == SN_OK ? sn_implicit_muscles_set_muscle(w, b, 0, &def) : status;
}
GETTER(muscles_muscle) {
    sn_implicit_muscle_def def = sn_implicit_muscle_def_default();
    const sn_status status = sn_implicit_muscles_get_muscle(w, b, 0, &def);
    n->v[0] = (double)def.hertz, n->v[1] = (double)def.damping;
    return status;
}
SETTER(rigid_target) {
    return sn_rigid_move(w, b, vec_of(n), quat_of(n, 3));
}
GETTER(rigid_target) {
    sn_vec3 v = {0, 0, 0};
    sn_quat q = {0, 0, 0, 1};
    const sn_status status = sn_rigid_get_target(w, b, &v, &q);
    put_vec(n, v), put_quat(n, 3, q);
    return status;
}

typedef struct {
    const char *name;
    uint32_t kind;
    sn_status (*set)(sn_world *, sn_body, const numbers *);
    sn_status (*get)(const sn_world *, sn_body, numbers *);
    numbers value;
} setting;

#define ROW(name, kind, ...)                                                                                           \
    {                                                                                                                  \
#name, kind, set_##name, get_##name, {                                                                         \
            { __VA_ARGS__ }                                                                                            \
        }                                                                                                              \
    }
static const setting settings[] = {
    ROW(rod_velocities, SN_KIND_ROD, 0.5, -0.25, 2),
    ROW(rod_spins, SN_KIND_ROD, 0.5, -0.25, 3),
    ROW(rod_scales, SN_KIND_ROD, 1.5),
    ROW(rod_scale_rates, SN_KIND_ROD, -0.5),
    ROW(rod_force, SN_KIND_ROD, 1, 2, 3),
    ROW(rod_torque, SN_KIND_ROD, 0.5, 0.25, -0.125),
    ROW(rod_radial_force, SN_KIND_ROD, 0.375),
    ROW(rod_segment, SN_KIND_ROD, 2, 0.75),
    ROW(rod_centre_target, SN_KIND_ROD, 0.25, 1, 0.125),
    ROW(rod_scale_target, SN_KIND_ROD, 1.25),
    ROW(rod_frame_target, SN_KIND_ROD, 0.36, 0.48, 0, 0.8),
    ROW(rod_clamp_target, SN_KIND_ROD, 0, 0, 0.6, 0.8),
    ROW(springs_mass, SN_KIND_SPRING, 0.5),
    ROW(springs_target, SN_KIND_SPRING, 0.25, 1, 2),
    ROW(springs_spring, SN_KIND_SPRING, 400, 0.5, 0.25),
    ROW(springs_force, SN_KIND_SPRING, 1, 2, 3),
    ROW(springs_wind, SN_KIND_SPRING, 4, 5, 6, 1.25),
    ROW(elastic_force, SN_KIND_ELASTIC, 1, 2, 3),
    ROW(elastic_anchors, SN_KIND_ELASTIC, 0.5, 1, 4, 0, 0, 0.6, 0.8),
    ROW(muscles_target, SN_KIND_IMPLICIT_MUSCLE, 0.375, 1, 6, 0, 0, 0.6, 0.8),
    ROW(muscles_keys, SN_KIND_IMPLICIT_MUSCLE, 0.5, 1.25, 0.25),
    ROW(muscles_muscle, SN_KIND_IMPLICIT_MUSCLE, 8, 10),
    ROW(rigid_target, SN_KIND_RIGID, 0.5, 0.25, 0.125, 0, 0, 0.6, 0.8),
};
enum { SETTINGS = sizeof settings / sizeof *settings };

TEST(get_what_was_set) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int i = 0; i < SETTINGS; i++) {
        const setting *s = &settings[i];
        for (int k = 0; k < ALL_KINDS; k++) {
            numbers got = {{0}};
            if (all.body[k].kind != s->kind) continue;
            bool good = CHECK_INT(s->set(all.world, all.body[k], &s->value), SN_OK);
            good = CHECK_INT(s->get(all.world, all.body[k], &got), SN_OK) && good;
            for (int c = 0; c < 8; c++) good = CHECK_NEAR(got.v[c], s->value.v[c], 1e-6) && good;
            if (!good) printf("%s\n", s->name);
        }
    }
    all_kinds_end(&all);
}

TEST(refuse_other_kinds_and_stale_handles) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int i = 0; i < SETTINGS; i++) {
        const setting *s = &settings[i];
        numbers got = {{0}};
        bool good = true;
        for (int k = 0; k < ALL_KINDS; k++) {
            const sn_body b = all.body[k], stale = {b.kind, b.slot1, b.gen + 1};
            if (b.kind != s->kind) {
                good = CHECK_INT(s->set(all.world, b, &s->value), SN_ERR_KIND) && good;
                good = CHECK_INT(s->get(all.world, b, &got), SN_ERR_KIND) && good;
            }
            good = CHECK_INT(s->set(all.world, stale, &s->value), SN_ERR_STALE_ID) && good;
            good = CHECK_INT(s->get(all.world, stale, &got), SN_ERR_STALE_ID) && good;
        }
        good = CHECK(s->set(NULL, all.body[0], &s->value) != SN_OK) && good;
        good = CHECK(s->get(NULL, all.body[0], &got) != SN_OK) && good;
        if (!good) printf("%s\n", s->name);
    }
    all_kinds_end(&all);
}

// What is not held has no target, and no index beyond the end is read.
TEST(targets_only_of_what_is_held) {
    all_kinds all;
    sn_vec3 v;
    sn_quat q;
    sn_real s, t;
    sn_spring spring;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    const sn_world *w = all.world;
    CHECK_INT(sn_rod_get_centre_target(w, all.rod, 3, &v), SN_ERR_RANGE);
    CHECK_INT(sn_rod_get_scale_target(w, all.rod, 3, &s), SN_ERR_RANGE);
    CHECK_INT(sn_rod_get_frame_target(w, all.rod, 3, &q), SN_ERR_RANGE);
    CHECK_INT(sn_rod_get_clamp_target(w, all.rod, 6, &q), SN_ERR_RANGE);
    CHECK_INT(sn_springs_get_target(w, all.springs, 1, &v), SN_ERR_RANGE);
    for (int i = -1; i <= 1000; i += 1001) {
        CHECK_INT(sn_rod_get_centre_target(w, all.rod, i, &v), SN_ERR_RANGE);
        CHECK_INT(sn_rod_get_force(w, all.rod, i, &v), SN_ERR_RANGE);
        CHECK_INT(sn_rod_get_torque(w, all.rod, i, &v), SN_ERR_RANGE);
        CHECK_INT(sn_rod_get_segment(w, all.rod, i, &s, &t), SN_ERR_RANGE);
        CHECK_INT(sn_springs_get_spring(w, all.springs, i, &spring), SN_ERR_RANGE);
        CHECK_INT(sn_springs_get_mass(w, all.springs, i, &s), SN_ERR_RANGE);
        CHECK_INT(sn_springs_get_force(w, all.springs, i, &v), SN_ERR_RANGE);
        CHECK_INT(sn_elastic_get_force(w, all.elastic, i, &v), SN_ERR_RANGE);
    }
    CHECK_INT(sn_rod_get_torque(w, all.rod, 0, &v), SN_ERR_RANGE); // the root has no segment
    CHECK_INT(sn_rod_get_force(w, all.rod, 0, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_rigid_get_target(w, all.rigid, NULL, &q), SN_ERR_RANGE);
    all_kinds_end(&all);
}

TEST(settings_of_the_world_joints_and_skins) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    CHECK_INT(sn_world_set_gravity(all.world, (sn_vec3){1, 2, 3}), SN_OK);
    CHECK(sn_world_gravity(all.world).x == 1 && sn_world_gravity(all.world).z == 3);
    CHECK_INT(sn_world_set_solver(all.world, SN_SOLVER_XPBD, 7), SN_OK);
    CHECK(sn_world_solver(all.world) == SN_SOLVER_XPBD && sn_world_iterations(all.world) == 7);
    CHECK_INT(sn_world_set_sleeping(all.world, false), SN_OK);
    CHECK(!sn_world_sleeping(all.world));
    CHECK_INT(sn_world_set_contact_sweeps(all.world, 5), SN_OK);
    CHECK_INT(sn_world_contact_sweeps(all.world), 5);
    CHECK_INT(sn_world_set_max_pairs(all.world, 5000), SN_OK);
    CHECK_INT(sn_world_max_pairs(all.world), 5000);
    CHECK_INT(sn_bundle_set_activation(all.world, all.bundle, R(0.5)), SN_OK);
    CHECK_NEAR(sn_bundle_activation(all.world, all.bundle), 0.5, 0);
    sn_joint_def joint;
    CHECK_INT(sn_joint_move(all.world, all.joint, (sn_vec3){R(0.5), 1, 0}), SN_OK);
    CHECK_INT(sn_joint_get_def(all.world, all.joint, &joint), SN_OK);
    CHECK(joint.position.x == R(0.5) && joint.body_a.slot1 == all.rod.slot1);
    CHECK_INT(sn_joint_rotate(all.world, all.joint, (sn_quat){0, 0, R(0.6), R(0.8)}), SN_OK);
    CHECK_NEAR(sn_joint_rotation(all.world, all.joint).z, 0.6, 1e-6);
    CHECK_INT(sn_joint_get_def(all.world, (sn_joint){1, 99}, &joint), SN_ERR_STALE_ID);
    CHECK_INT(sn_skin_instance_blend(all.instance), SN_BLEND_LINEAR);
    CHECK_INT(sn_skin_instance_set_blend(all.instance, SN_BLEND_DUAL), SN_OK);
    CHECK_INT(sn_skin_instance_blend(all.instance), SN_BLEND_DUAL);
    CHECK_INT(sn_implicit_muscles_set_bundle(all.world, all.muscles, 0, all.bundle), SN_OK);
    CHECK_INT(sn_implicit_muscles_get_bundle(all.world, all.muscles, 0).slot1, all.bundle.slot1);
    CHECK_INT(sn_implicit_skin_get(NULL, NULL), SN_ERR_RANGE);
    all_kinds_end(&all);
}
