// The world itself: definitions and arguments that are wrong, what it tells about itself, and calls on no world at all.
// compilers: all
#include "mixed_world.h"
#include <limits.h>

static const double wild[3] = {NAN, INFINITY, -INFINITY};

static void refuse(sn_world_def def, const char *field) {
    lines log = {0};
    counter memory = {0};
    sn_world *world = (sn_world *)&log;
    def.log = remember_line;
    def.log_user = &log;
    if (!def.allocator.allocate && !def.allocator.release) def.allocator = counted(&memory);
    bool good = CHECK_INT(sn_world_create(&def, &world), SN_ERR_DEF);
    good = CHECK(world == NULL) && good;
    good = CHECK_INT(log.count, 1) && good;
    good = CHECK_INT(lines_about(&log, field), 1) && good;
    good = CHECK_INT(memory.calls, 0) && good;
    if (!good) printf("about %s; the log said: %s: %s\n", field, log.field[0], log.text[0]);
}

static void *no_task(void *user, sn_task_fn *fn, void *task) {
    (void)user;
    fn(task);
    return NULL;
}

TEST(definitions_with_errors_are_refused) {
    const sn_world_def good = sn_world_def_default();
    sn_world_def def = good;
    for (int w = 0; w < 3; w++)
        for (int k = 0; k < 3; k++) def = good, ((sn_real *)&def.gravity)[k] = R(wild[w]), refuse(def, "gravity");
    const int solvers[] = {-1, 3, INT_MAX}, iterations[] = {0, -1, 1001, INT_MIN}, workers[] = {0, -1, 65, INT_MAX},
              lanes[] = {-1, 2, 3, 5, 17, 32, INT_MIN};
    for (int i = 0; i < 3; i++) def = good, def.solver = (sn_solver)solvers[i], refuse(def, "solver");
    for (int i = 0; i < 4; i++) def = good, def.iterations = iterations[i], refuse(def, "iterations");
    for (int i = 0; i < 4; i++) def = good, def.worker_count = workers[i], refuse(def, "worker_count");
    for (int i = 0; i < 7; i++) def = good, def.lanes = lanes[i], refuse(def, "lanes");
    def = good, def.tasks.enqueue = no_task, refuse(def, "tasks");
    def = good, def.allocator.allocate = counted_allocate, refuse(def, "allocator");
    def = good, def.allocator.release = counted_release, refuse(def, "allocator");
}

TEST(every_bad_field_gets_its_line) {
    lines log = {0};
    sn_world_def def = sn_world_def_default();
    sn_world *world;
    def.log = remember_line, def.log_user = &log;
    def.gravity.y = R(NAN), def.iterations = 0, def.worker_count = 0, def.lanes = 3, def.tasks.enqueue = no_task;
    CHECK_INT(sn_world_create(&def, &world), SN_ERR_DEF);
    CHECK_INT(log.count, 5);
    const char *fields[] = {"gravity", "iterations", "worker_count", "lanes", "tasks"};
    for (int i = 0; i < 5; i++) CHECK_INT(lines_about(&log, fields[i]), 1);
}

TEST(a_definition_without_its_mark_is_refused) {
    lines log = {0};
    sn_world_def def = sn_world_def_default();
    sn_world *world = (sn_world *)&log;
    def.log = remember_line, def.log_user = &log;
    def.init_mark = 0;
    CHECK_INT(sn_world_create(&def, &world), SN_ERR_DEF);
    CHECK(world == NULL);
    sn_world_def zero; // as if forgotten: nothing in it may be used, the log least
    memset(&zero, 0x5A, sizeof zero);
    world = (sn_world *)&log;
    CHECK_INT(sn_world_create(&zero, &world), SN_ERR_DEF);
    CHECK(world == NULL);
}

TEST(null_pointers_are_refused) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = (sn_world *)&def;
    CHECK_INT(sn_world_create(NULL, &world), SN_ERR_RANGE);
    CHECK(world == NULL);
    CHECK_INT(sn_world_create(&def, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_world_step(NULL, R(0.01), 1), SN_ERR_RANGE);
    CHECK_INT(sn_world_set_gravity(NULL, (sn_vec3){0, 0, 0}), SN_ERR_RANGE);
    CHECK_INT(sn_world_set_solver(NULL, SN_SOLVER_DIRECT, 1), SN_ERR_RANGE);
    world = (sn_world *)&def;
    CHECK_INT(sn_world_restore(&def, NULL, 100, &world), SN_ERR_RANGE);
    CHECK(world == NULL);
    CHECK_INT(sn_world_restore(&def, &def, sizeof def, NULL), SN_ERR_RANGE);
    sn_world_destroy(NULL);
    CHECK_INT(sn_world_body_count(NULL), 0);
    CHECK_INT(sn_world_dof_count(NULL), 0);
    CHECK_INT(sn_world_lanes(NULL), 0);
    CHECK_INT(sn_world_workers(NULL), 0);
    CHECK_INT(sn_world_step_count(NULL), 0);
    CHECK_INT(sn_world_diverged(NULL, NULL, 0), 0);
    CHECK_INT(sn_world_save(NULL, NULL, 0), 0);
    CHECK(sn_world_hash(NULL) == 0);
    CHECK_NEAR(sn_world_time(NULL), 0, 0);
    CHECK_NEAR(sn_world_energy(NULL).kinetic, 0, 0);
    CHECK_NEAR(sn_world_momentum(NULL).linear[0], 0, 0);
    CHECK_NEAR(sn_world_profile(NULL).step_ms, 0, 0);
}

TEST(steps_and_settings_out_of_range_change_nothing) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_vec3 points[5];
    sn_rod_def rod = chain_def(points, 5);
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    saved before = save_of(world);
    const double times[] = {0, -0.01, 1e-8, 1.001, 1e30, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) CHECK_INT(sn_world_step(world, R(times[i]), 1), SN_ERR_RANGE);
    const int parts[] = {-1, 1001, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) CHECK_INT(sn_world_step(world, R(0.01), parts[i]), SN_ERR_RANGE);
    for (int w = 0; w < 3; w++)
        for (int k = 0; k < 3; k++) {
            sn_vec3 gravity = {0, 0, 0};
            ((sn_real *)&gravity)[k] = R(wild[w]);
            CHECK_INT(sn_world_set_gravity(world, gravity), SN_ERR_RANGE);
        }
    const int iterations[] = {0, -1, 1001, INT_MIN};
    for (int i = 0; i < 4; i++) CHECK_INT(sn_world_set_solver(world, SN_SOLVER_DIRECT, iterations[i]), SN_ERR_RANGE);
    CHECK_INT(sn_world_set_solver(world, (sn_solver)3, 1), SN_ERR_RANGE);
    CHECK_INT(sn_world_set_solver(world, (sn_solver)-1, 1), SN_ERR_RANGE);
    CHECK(unchanged(world, before));
    CHECK_INT(sn_world_step_count(world), 1);
    CHECK_NEAR(sn_world_time(world), 0.01, 1e-9);
    sn_world_destroy(world);
}

// The ends of what is allowed, for rods with held things too: their mass over h^2 must still be a number. Velocities
// are differences of positions over h, so with the shortest ones they are noise; but no body is lost.
TEST(the_shortest_and_longest_steps_work) { // once
    const double times[] = {1e-7, 1e-7, 1e-5, 1, 1};
    const int parts[] = {1, 1000, 1, 1000, 60};
    for (int i = 0; i < 5; i++) {
        sn_world_def def = sn_world_def_default();
        def.iterations = 2;
        sn_world *world = make_world(&def);
        REQUIRE(world);
        mixed_build(world);
        if (!CHECK_INT(sn_world_step(world, R(times[i]), parts[i]), SN_OK)) printf("%g s in %d\n", times[i], parts[i]);
        sn_world_destroy(world);
    }
}

TEST(a_world_tells_what_it_is_made_of) {
    sn_world_def def = sn_world_def_default();
    def.worker_count = 3;
    def.lanes = sn_best_lanes();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    CHECK_INT(sn_world_lanes(world), sn_best_lanes());
    CHECK_INT(sn_world_workers(world), 3);
    CHECK_INT(sn_world_body_count(world), 0);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK); // nothing in it is fine
    sn_vec3 points[10];
    sn_rod_def rod = chain_def(points, 10);
    sn_body a, b;
    CHECK_INT(sn_rod_create(world, &rod, &a), SN_OK);
    circle_of(points, 10, 0.3);
    rod.closed = true;
    CHECK_INT(sn_rod_create(world, &rod, &b), SN_OK);
    CHECK_INT(sn_world_body_count(world), 2);
    CHECK_INT(sn_world_dof_count(world), (10 * 4 + 9 * 3) + (10 * 7));
    CHECK_INT(sn_body_destroy(world, a), SN_OK);
    CHECK_INT(sn_world_body_count(world), 1);
    CHECK_INT(sn_world_dof_count(world), 70);
    CHECK_NEAR(sn_world_profile(world).diverged, 0, 0);
    CHECK_INT(sn_world_step_count(world), 1);
    sn_world_destroy(world);
    def.lanes = 0;
    world = make_world(&def);
    REQUIRE(world);
    CHECK_INT(sn_world_lanes(world), sn_best_lanes());
    sn_world_destroy(world);
}

TEST(the_profile_names_its_stages_and_adds_up) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    mixed m = mixed_build(world);
    mixed_run(world, &m, 0, 3);
    sn_profile profile = sn_world_profile(world);
    double sum = 0;
    int named = 0;
    for (int i = 0; i < SN_STAGE_CAPACITY; i++) {
        if (sn_profile_stage_name(i)) named++;
        CHECK(sn_profile_stage_name(i) || profile.stage_ms[i] == 0);
        CHECK(profile.stage_ms[i] >= 0);
        sum += profile.stage_ms[i];
    }
    CHECK(named > 2);
    CHECK(profile.step_ms > 0);
    CHECK_NEAR(sum, profile.step_ms, 0.05 * profile.step_ms + 0.01);
    CHECK(sn_profile_stage_name(-1) == NULL);
    CHECK(sn_profile_stage_name(SN_STAGE_CAPACITY) == NULL);
    sn_world_destroy(world);
}

TEST(gravity_and_solver_change_from_the_next_step_on) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0};
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_vec3 points[2], v[2];
    sn_rod_def rod = chain_def(points, 2);
    rod.material.damping = 0;
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    CHECK_INT(sn_world_step(world, R(0.1), 1), SN_OK);
    sn_body_get_velocities(world, id, v, 2);
    CHECK_NEAR(v[0].z, 0, 1e-6);
    for (int solver = 0; solver < 3; solver++) {
        CHECK_INT(sn_world_set_gravity(world, (sn_vec3){0, 0, R(solver + 1)}), SN_OK);
        CHECK_INT(sn_world_set_solver(world, (sn_solver)solver, 2), SN_OK);
        CHECK_INT(sn_world_step(world, R(0.1), 1), SN_OK);
    }
    sn_body_get_velocities(world, id, v, 2);
    CHECK_NEAR(v[0].z, 0.1 + 0.2 + 0.3, 1e-5);
    sn_world_destroy(world);
}

TEST(worlds_share_nothing) {
    sn_world_def def = sn_world_def_default();
    sn_world *a = make_world(&def), *b = make_world(&def);
    REQUIRE(a && b);
    mixed ma = mixed_build(a), mb = mixed_build(b);
    for (int step = 0; step < 10; step++) { // in turns
        mixed_run(a, &ma, step, step + 1);
        mixed_run(b, &mb, step, step + 1);
    }
    CHECK(sn_world_hash(a) == sn_world_hash(b));
    sn_world *c = make_world(&def);
    REQUIRE(c);
    mixed mc = mixed_build(c);
    mixed_run(c, &mc, 0, 10);
    CHECK(sn_world_hash(a) == sn_world_hash(c));
    sn_world_destroy(a);
    mixed_run(b, &mb, 10, 12);
    sn_world_destroy(b);
    sn_world_destroy(c);
}

TEST(names_and_presets_are_complete) {
    for (int status = SN_OK; status <= SN_WARN_ENERGY; status++) {
        CHECK(sn_status_name((sn_status)status)[0] != 0);
        for (int other = SN_OK; other < status; other++)
            CHECK(strcmp(sn_status_name((sn_status)status), sn_status_name((sn_status)other)) != 0);
    }
    CHECK(sn_status_name((sn_status)99) != NULL && sn_status_name((sn_status)-1) != NULL);
    CHECK_INT(sn_version(), SN_VERSION_MAJOR * 10000 + SN_VERSION_MINOR * 100 + SN_VERSION_PATCH);
    for (int i = 0; i < SN_PRESET_COUNT; i++) {
        sn_material m = sn_material_preset((sn_preset)i);
        CHECK(sn_preset_name((sn_preset)i)[0] != 0);
        CHECK(m.density > 0 && m.young > 0 && m.shear > 0 && m.transverse > 0 && m.volume > 0);
    }
    CHECK(sn_preset_name((sn_preset)-1) == NULL && sn_preset_name(SN_PRESET_COUNT) == NULL);
    CHECK(sn_material_preset((sn_preset)-1).young == sn_material_preset(SN_PRESET_RUBBER).young);
    sn_material m = sn_material_make(R(1e6), R(0.3), 1000); // a rod's ratio: 2 kv / (K + 4 kv) with K = 2 G
    CHECK_NEAR(2 * (double)m.volume / (2 * (double)m.shear + 4 * (double)m.volume), 0.3, 1e-6);
    CHECK_NEAR(m.shear, 1e6 / 2.6, 1);
}

// Given 0 substeps, a step takes as many as its fastest approach needs: one at rest, several where a rod flies at another, no more
// than a budget; and always the same number.
TEST(a_step_chooses_its_substeps) {
    int found[2] = {0, 0};
    for (int round = 0; round < 2; round++) {
        sn_world_def def = sn_world_def_default();
        sn_world *world = make_world(&def);
        REQUIRE(world);
        const sn_vec3 still[2] = {{-1, 0, 0}, {1, 0, 0}}, above[2] = {{0, 1, -1}, {0, 1, 1}};
        sn_rod_def rod = sn_rod_def_default();
        sn_body target, bullet;
        rod.points = still, rod.point_count = 2, rod.radius = R(0.02);
        CHECK_INT(sn_rod_create(world, &rod, &target), SN_OK);
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
        CHECK_INT(sn_world_profile(world).substeps, 1);
        rod.points = above, rod.velocity = (sn_vec3){0, -100, 0};
        CHECK_INT(sn_rod_create(world, &rod, &bullet), SN_OK);
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
        found[round] = sn_world_profile(world).substeps;
        CHECK(found[round] > 4 && found[round] <= 32);
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 7), SN_OK);
        CHECK_INT(sn_world_profile(world).substeps, 7);
        sn_world_destroy(world);
    }
    CHECK_INT(found[0], found[1]);
}
