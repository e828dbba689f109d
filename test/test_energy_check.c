// The balance of energy: what is done on a world from outside is work, to the joule; without it there is none, and what rises all the
// same is named.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>

#define R(x) ((sn_real)(x))

typedef struct {
    sn_world *world;
    int warnings; // log lines about energy
} bench;

static void listen(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)level, (void)field, (void)text;
    if (code == SN_WARN_ENERGY) ++*(int *)user;
}

static void set_up(bench *b, double gravity) {
    b->warnings = 0;
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, R(-gravity), 0};
    def.log = listen, def.log_user = &b->warnings;
    CHECK_INT(sn_world_create(&def, &b->world), SN_OK);
}

enum { POINTS = 11 };

// A rod of 1 m along x at a height.
static sn_body rod_at(const bench *b, double y, uint64_t label) {
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) points[i] = (sn_vec3){R(0.1 * i), R(y), 0};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = R(0.02), def.label = label;
    def.material.damping = 0;
    sn_body rod;
    CHECK_INT(sn_rod_create(b->world, &def, &rod), SN_OK);
    return rod;
}

static sn_body floor_at(const bench *b, double y) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_PLANE, def.position.y = R(y);
    sn_body body;
    CHECK_INT(sn_rigid_create(b->world, &def, &body), SN_OK);
    return body;
}

static void begin(const bench *b) {
    CHECK_INT(sn_world_set_energy_check(b->world, true), SN_OK);
}

static bool step(const bench *b, int substeps) {
    return CHECK_INT(sn_world_step(b->world, R(1.0 / 60), substeps), SN_OK);
}

static double total(const sn_energy_balance *a) {
    return a->kinetic + a->elastic + a->potential + a->contact;
}

TEST(without_anything_from_outside_there_is_no_work) {
    bench b;
    set_up(&b, 9.81);
    floor_at(&b, 0);
    for (int i = 0; i < 4; i++) rod_at(&b, 0.1 + 0.1 * i, 1);
    begin(&b);
    for (int i = 0; i < 120 && step(&b, 0); i++) {
    }
    const sn_energy_balance a = sn_world_energy_balance(b.world);
    CHECK(a.work == 0);
    CHECK(a.rise_time < 0 && a.rise <= 1e-3 * a.scale);
    CHECK(total(&a) < a.start - 1);
    CHECK_INT(b.warnings, 0);
    sn_world_destroy(b.world);
}

TEST(balance_is_only_kept_when_asked_for) {
    bench b;
    set_up(&b, 9.81);
    rod_at(&b, 0, 1);
    CHECK(!sn_world_energy_check(b.world));
    step(&b, 1);
    CHECK(sn_world_energy_balance(b.world).start == 0 && sn_world_energy_balance(b.world).rise_time < 0);
    begin(&b);
    CHECK(sn_world_energy_check(b.world) && sn_world_energy_balance(b.world).start != 0);
    sn_world_destroy(b.world);
}

TEST(led_point_does_the_work_that_a_stretched_rod_stores) {
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        bench b;
        set_up(&b, 0);
        const sn_body rod = rod_at(&b, 0, 1);
        sn_rod_hold(b.world, rod, 0, SN_HOLD_CENTRE);
        sn_rod_hold(b.world, rod, POINTS - 1, SN_HOLD_CENTRE);
        begin(&b);
        for (int i = 1; i <= 300; i++) {
            sn_rod_move_centre(b.world, rod, POINTS - 1, (sn_vec3){R(1 + 0.2 * i / 300), 0, 0});
            if (!step(&b, substeps)) break;
        }
        const sn_energy_balance a = sn_world_energy_balance(b.world);
        CHECK(a.elastic > 0.1);
        CHECK_NEAR(a.work / total(&a), 1, 0.02);
        CHECK(a.rise <= 1e-3 * a.scale);
        sn_world_destroy(b.world);
    }
}

TEST(loads_do_the_work_that_a_free_rod_gains) {
    bench b;
    set_up(&b, 0);
    const sn_body rod = rod_at(&b, 0, 1);
    for (int i = 0; i < POINTS; i++) sn_rod_set_force(b.world, rod, i, (sn_vec3){0, 0, i % (POINTS - 1) ? 1 : R(0.5)});
    begin(&b);
    for (int i = 0; i < 200 && step(&b, 1); i++) {
    }
    const sn_energy_balance a = sn_world_energy_balance(b.world);
    CHECK_NEAR(a.kinetic / a.work, 200.0 / 201, 1e-3); // as implicit Euler has it
    sn_world_destroy(b.world);
}

TEST(rigid_body_that_rises_lifts_what_lies_on_it) {
    bench b;
    set_up(&b, 9.81);
    const sn_body ground = floor_at(&b, 0), rod = rod_at(&b, 0.021, 1);
    sn_world_set_sleeping(b.world, false);
    for (int i = 0; i < 60; i++) step(&b, 1);
    begin(&b);
    for (int i = 1; i <= 120; i++) {
        sn_rigid_move(b.world, ground, (sn_vec3){0, R(0.5 * i / 120), 0}, (sn_quat){0, 0, 0, 1});
        if (!step(&b, 1)) break;
    }
    const sn_energy_balance a = sn_world_energy_balance(b.world);
    const double lifted = sn_body_mass(b.world, rod) * 9.81 * 0.5;
    CHECK_NEAR(a.work / (lifted + a.kinetic), 1, 0.03);
    CHECK_NEAR((total(&a) - a.start) / (lifted + a.kinetic), 1, 0.02);
    sn_world_destroy(b.world);
}

TEST(joint_that_is_moved_lifts_what_hangs_on_it) {
    bench b;
    set_up(&b, 9.81);
    const sn_body rod = rod_at(&b, 0, 1);
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod, def.segment_a = POINTS / 2, def.along_a = 1, def.position = (sn_vec3){R(0.5), 0, 0};
    sn_joint joint;
    CHECK_INT(sn_joint_create(b.world, &def, &joint), SN_OK);
    sn_world_set_sleeping(b.world, false);
    for (int i = 0; i < 120; i++) step(&b, 1);
    begin(&b);
    for (int i = 1; i <= 120; i++) {
        sn_joint_move(b.world, joint, (sn_vec3){R(0.5), R(0.5 * i / 120), 0});
        if (!step(&b, 2)) break;
    }
    const sn_energy_balance a = sn_world_energy_balance(b.world);
    const double gained = total(&a) - a.start;
    CHECK(gained > 0.8 * sn_body_mass(b.world, rod) * 9.81 * 0.5);
    CHECK_NEAR(a.work / gained, 1, 0.05);
    sn_world_destroy(b.world);
}

TEST(calls_between_steps_bring_energy_in) {
    bench b;
    set_up(&b, 9.81);
    const sn_body rod = rod_at(&b, 0, 1);
    const double mass = sn_body_mass(b.world, rod);
    begin(&b);
    step(&b, 1);
    const double before = sn_world_energy_balance(b.world).work;
    CHECK(before == 0);
    const sn_body other = rod_at(&b, 1, 2);
    CHECK_NEAR(sn_world_energy_balance(b.world).work, mass * 9.81, 1e-3);
    step(&b, 1);
    sn_body_destroy(b.world, other);
    CHECK_NEAR(sn_world_energy_balance(b.world).work, 0, 0.1);
    sn_vec3 fast[POINTS];
    for (int i = 0; i < POINTS; i++) fast[i] = (sn_vec3){0, 10, 0};
    step(&b, 1);
    const double work = sn_world_energy_balance(b.world).work;
    sn_rod_set_velocities(b.world, rod, fast, POINTS);
    CHECK_NEAR(sn_world_energy_balance(b.world).work - work, 0.5 * mass * 100, 0.5 * mass);
    CHECK(step(&b, 1)); // and the step takes it for what it is
    sn_world_destroy(b.world);
}

TEST(activation_is_work) {
    bench b;
    set_up(&b, 0);
    const sn_body rod = rod_at(&b, 0, 1);
    begin(&b);
    for (int i = 1; i < POINTS; i++) sn_rod_set_segment(b.world, rod, i, 1, R(0.8));
    const double stored = sn_world_energy(b.world).elastic;
    CHECK(stored > 0.1);
    for (int i = 0; i < 60 && step(&b, 1); i++) {
    }
    CHECK_NEAR(sn_world_energy_balance(b.world).work, stored, 1e-6 * stored);
    sn_world_destroy(b.world);
}

TEST(wind_and_held_points_of_cloth_are_work) {
    bench b;
    set_up(&b, 9.81);
    sn_spring_cloth cloth = sn_spring_cloth_default();
    sn_spring_net net;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    for (int i = 0; i < cloth.columns; i++) net.masses[i] = 0;
    sn_springs_def def = sn_springs_def_of(&net);
    def.wind = (sn_vec3){3, 1, 8}, def.air = R(1.2);
    sn_body body;
    CHECK_INT(sn_springs_create(b.world, &def, &body), SN_OK);
    begin(&b);
    for (int i = 1; i <= 90; i++) {
        for (int k = 0; k < cloth.columns; k++) {
            const sn_vec3 at = net.points[k];
            sn_springs_move(b.world, body, k, (sn_vec3){at.x, at.y + R(0.005 * i), at.z});
        }
        if (!step(&b, 2)) break;
    }
    const sn_energy_balance a = sn_world_energy_balance(b.world);
    CHECK(a.work > 0.1 && a.rise <= 1e-3 * a.scale);
    sn_spring_net_free(&net);
    sn_world_destroy(b.world);
}

// Explicit Euler makes energy: the first step in which it shows says so, with the body's label.
TEST(energy_from_nowhere_is_named) {
    bench b;
    set_up(&b, 0);
    rod_at(&b, 1, 3);
    const sn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}}, velocities[2] = {{0, -1, 0}, {0, 1, 0}};
    const sn_real masses[2] = {1, 1};
    const sn_spring spring = {.a = 0, .b = 1, .stiffness = 100, .rest = 1};
    sn_springs_def def = sn_springs_def_default();
    def.points = points, def.velocities = velocities, def.masses = masses, def.point_count = 2;
    def.springs = &spring, def.spring_count = 1, def.integrator = SN_SPRING_EXPLICIT_EULER, def.label = 7;
    def.collide = false;
    sn_body body;
    CHECK_INT(sn_springs_create(b.world, &def, &body), SN_OK);
    begin(&b);
    sn_status status = SN_OK;
    int steps = 0;
    for (; steps < 60 && status == SN_OK; steps++) status = sn_world_step(b.world, R(1.0 / 60), 1);
    CHECK_INT(status, SN_WARN_ENERGY);
    const sn_energy_balance a = sn_world_energy_balance(b.world);
    CHECK(a.work == 0 && a.rise > 0 && a.climb >= a.rise);
    CHECK_NEAR(a.rise_time, steps / 60.0, 1e-6);
    CHECK_INT(a.rise_label, 7);
    CHECK_INT(b.warnings, 1);
    sn_world_destroy(b.world);
}
