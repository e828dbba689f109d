// Mass-spring bodies in a world, through the public API: what they keep, how they are held, saved, hashed, put back.
// compilers: all
#include "base/platform.h"
#include "springs_world.h"

// ---- physics

TEST(free_bodies_keep_their_momentum) {
    const sn_spring_integrator integrators[] = {SN_SPRING_IMPLICIT_EULER, SN_SPRING_SYMPLECTIC_EULER,
                                                SN_SPRING_RUNGE_KUTTA_4, SN_SPRING_VERLET};
    for (int k = 0; k < 4; k++) {
        sn_world *world = world_with(0, 1, 0);
        sn_body id = cloth_in(world, (cloth_plan){.side = 8, .integrator = integrators[k]});
        sn_vec3 v[64];
        for (int i = 0; i < 64; i++) v[i] = vec(0.3 * sin(i), 0.2 + 0.3 * cos(3 * i), 0.5 * sin(7 * i));
        CHECK_INT(sn_springs_set_velocities(world, id, v, 64), SN_OK);
        const sn_momentum before = sn_world_momentum(world);
        run(world, 30, 1e-2, 10);
        const sn_momentum after = sn_world_momentum(world);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(after.linear[i], before.linear[i], WIDE ? 1e-15 : 1e-7);
            // Implicit Euler damps turns; Runge-Kutta and Verlet's velocities keep them to their order.
            if (k > 0) CHECK_NEAR(after.angular[i], before.angular[i], k > 1 ? 1e-7 : WIDE ? 1e-15 : 2e-8);
        }
        sn_world_destroy(world);
    }
}

TEST(bodies_fall_like_anything_else) {
    for (int integrator = 0; integrator <= SN_SPRING_VERLET_CORRECTED; integrator++) {
        sn_world *world = world_with(10, 1, 0);
        sn_body id =
            cloth_in(world, (cloth_plan){.side = 5, .at = {0, 5, 0}, .integrator = (sn_spring_integrator)integrator});
        run(world, 50, 0.01, 50);
        CHECK_NEAR(point_of(world, id, 12).y, 5 - 0.5 * 10 * 0.25, 0.5 * 10 * 0.5 * 0.0002 + 1e-4);
        const sn_energy energy = sn_body_energy(world, id), all = sn_world_energy(world);
        CHECK_NEAR(energy.kinetic, 0.5 * 0.2 * 25, 1e-3);
        CHECK_NEAR(energy.kinetic, all.kinetic, 1e-12);
        CHECK_NEAR(energy.elastic, 0, 1e-8);
        CHECK_NEAR(energy.potential, 0.2 * 10 * (double)point_of(world, id, 12).y, 1e-5);
        sn_world_destroy(world);
    }
}

TEST(energy_of_an_oscillator_is_kept_by_verlet) {
    sn_world *world = world_with(0, 1, 0);
    const sn_vec3 points[2] = {{0, 0, 0}, {(sn_real)1.1, 0, 0}};
    const sn_real masses[2] = {0, 1};
    const sn_spring spring = {0, 1, 100, 0, 1};
    sn_springs_def def = sn_springs_def_default();
    def.points = points, def.masses = masses, def.point_count = 2;
    def.springs = &spring, def.spring_count = 1;
    def.integrator = SN_SPRING_VERLET;
    const sn_body id = make(world, &def);
    // omega h = 0.1: a period is 62.8 steps. The energy swings, and comes back each time.
    double most[2] = {0, 0}, least[2] = {1, 1};
    for (int i = 0; i < 630; i++) {
        run(world, 1, 0.01, 1);
        const sn_energy e = sn_body_energy(world, id);
        const int late = i >= 315;
        most[late] = fmax(most[late], e.kinetic + e.elastic), least[late] = fmin(least[late], e.kinetic + e.elastic);
    }
    CHECK_NEAR(most[0], 0.5, 0.005);
    CHECK_NEAR(least[0], 0.5, 0.005);
    CHECK_NEAR(most[1], most[0], 1e-5);
    CHECK_NEAR(least[1], least[0], 1e-5);
    sn_world_destroy(world);
}

TEST(held_points_go_where_they_are_moved) {
    for (int integrator = 0; integrator <= SN_SPRING_VERLET_CORRECTED; integrator++) {
        sn_world *world = world_with(10, 1, 0);
        sn_body id =
            cloth_in(world, (cloth_plan){.side = 5, .held = true, .integrator = (sn_spring_integrator)integrator});
        CHECK_INT(sn_springs_move(world, id, 7, vec(0, 0, 0)), SN_ERR_RANGE); // not held
        CHECK_INT(sn_springs_move(world, id, 0, (sn_vec3){(sn_real)-0.5, (sn_real)0.03, (sn_real)-0.5}), SN_OK);
        run(world, 1, 0.01, 50);
        CHECK_NEAR(point_of(world, id, 0).y, (sn_real)0.03, 0); // exactly
        CHECK_NEAR(point_of(world, id, 4).y, 0, 0);
        sn_vec3 v[25];
        sn_body_get_velocities(world, id, v, 25);
        CHECK_NEAR(v[0].y, 3, 1e-4);
        run(world, 1, 0.01, 50); // and stay there
        sn_body_get_velocities(world, id, v, 25);
        CHECK_NEAR(v[0].y, 0, 0);
        CHECK_NEAR(point_of(world, id, 0).y, (sn_real)0.03, 0);
        CHECK_INT(sn_springs_set_mass(world, id, 0, (sn_real)0.01), SN_OK);
        CHECK_INT(sn_springs_set_mass(world, id, 20, 0), SN_OK);
        const sn_vec3 there = point_of(world, id, 20);
        run(world, 10, 0.01, 50);
        CHECK(point_of(world, id, 0).y < (sn_real)0.01); // free
        CHECK_NEAR(point_of(world, id, 20).y, there.y, 0);
        sn_world_destroy(world);
    }
}

// k h^2 / m = 1e4 with h = 1/30. One turn of Newton's method is stable, though cloth that is bent at once is stretched
// for a while; two turns leave no trace of that.
TEST(stiff_cloth_is_stable_at_thirty_steps_a_second) {
    for (int turns = 1; turns <= 2; turns++) {
        sn_world *world = world_with(9.81, 1, 0);
        CHECK_INT(sn_world_set_solver(world, SN_SOLVER_DIRECT, turns), SN_OK);
        sn_spring_cloth plan = sn_spring_cloth_default();
        plan.columns = plan.rows = 20;
        const double m = 0.2 / (19 * 19), k = 1e4 * m * 30 * 30;
        plan.structural = plan.shear = plan.bend = (sn_spring_params){(sn_real)k, 0};
        sn_spring_net net;
        REQUIRE(sn_springs_make_cloth(&plan, NULL, &net) == SN_OK);
        net.masses[0] = net.masses[19] = 0;
        const sn_springs_def def = sn_springs_def_of(&net);
        const sn_body id = make(world, &def);
        double most = 0, fastest = 0;
        for (int i = 0; i < 100; i++) {
            run(world, 1, 1.0 / 30, 1);
            const sn_energy e = sn_world_energy(world);
            most = fmax(most, e.kinetic + e.elastic + e.potential);
            fastest = fmax(fastest, e.kinetic);
        }
        CHECK(most < (turns == 1 ? 5 : 1e-3)); // it began at height 0 and at rest
        CHECK(fastest < 0.2 * 9.81 * 0.5);     // no more than its fall gives
        const sn_energy e = sn_world_energy(world);
        CHECK(e.potential < -0.2 * 9.81 * 0.4); // it hangs
        CHECK(e.elastic < 0.05);
        CHECK(sn_springs_last_solve(world, id).residual < 2e-3);
        CHECK(sn_springs_last_solve(world, id).solves <= turns);
        sn_spring_net_free(&net);
        sn_world_destroy(world);
    }
}

// ---- wind, loads, changes

TEST(wind_grows_as_its_square_and_moves_a_sheet) {
    sn_world *world = world_with(0, 1, 0);
    const sn_body id = cloth_in(world, (cloth_plan){.side = 6});
    CHECK_INT(sn_springs_set_wind(world, id, vec(0, 10, 0), (sn_real)1.2), SN_OK);
    // 60 Pa on 1 m^2 of 0.2 kg; after h the air is slower by 1/(1 + c h r), c = 0.6/0.2.
    run(world, 1, 1e-3, 1);
    CHECK_NEAR(sn_world_momentum(world).linear[1], 0.2 * (10 - 10 / (1 + 3 * 1e-3 * 10)), 1e-4);
    CHECK_NEAR(sn_world_momentum(world).linear[1], 60 * 1e-3, 60 * 1e-3 * 0.04);
    run(world, 200, 0.05, 1); // and never faster than the air, though steps are long
    const sn_vec3 *points;
    sn_vec3 v[36];
    CHECK_INT(points_of(world, id, &points), 36);
    sn_body_get_velocities(world, id, v, 36);
    for (int i = 0; i < 36; i++) CHECK_NEAR(v[i].y, 9.97, 0.05); // 10 - 1/(c t)
    // Along the sheet there is no pressure.
    CHECK_INT(sn_springs_set_wind(world, id, vec(10, 9.97, 0), (sn_real)1.2), SN_OK);
    run(world, 10, 0.01, 1);
    CHECK_NEAR(sn_world_momentum(world).linear[0], 0, 1e-3);
    CHECK_INT(sn_springs_set_wind(world, id, vec(10, 0, 0), -1), SN_ERR_RANGE);
    CHECK_INT(sn_springs_set_wind(world, id, vec(NAN, 0, 0), 1), SN_ERR_RANGE);
    sn_world_destroy(world);
}

TEST(forces_impulses_and_drag_change_momentum_as_expected) {
    for (int integrator = 0; integrator <= SN_SPRING_VERLET_CORRECTED; integrator++) {
        sn_world *world = world_with(0, 1, 0);
        const sn_body id = cloth_in(world, (cloth_plan){.side = 5, .integrator = (sn_spring_integrator)integrator});
        CHECK_INT(sn_springs_set_force(world, id, 3, vec(0, 0, 0.5)), SN_OK);
        run(world, 10, 0.01, 50);
        CHECK_NEAR(sn_world_momentum(world).linear[2], 0.05, 1e-4);
        CHECK_INT(sn_springs_set_force(world, id, 3, vec(0, 0, 0)), SN_OK);
        CHECK_INT(sn_springs_add_impulse(world, id, 8, vec(0.01, 0, 0)), SN_OK);
        run(world, 3, 0.01, 50);
        CHECK_NEAR(sn_world_momentum(world).linear[0], 0.01, 1e-5);
        CHECK_NEAR(sn_world_momentum(world).linear[2], 0.05, 1e-4);
        CHECK_INT(sn_springs_set_mass(world, id, 8, 0), SN_OK);
        CHECK_INT(sn_springs_add_impulse(world, id, 8, vec(1, 0, 0)), SN_ERR_RANGE); // held
        CHECK_INT(sn_springs_set_force(world, id, 25, vec(1, 0, 0)), SN_ERR_RANGE);
        CHECK_INT(sn_springs_set_force(world, id, 0, vec(INFINITY, 0, 0)), SN_ERR_RANGE);
        sn_world_destroy(world);
    }
}

TEST(springs_can_be_changed_while_running) {
    sn_world *world = world_with(0, 1, 0);
    const sn_body id = chain_in(world, vec(0, 0, 0), vec(1, 0, 0), 2, 2, 100, 0.01, 0);
    CHECK_INT(sn_springs_set_spring(world, id, 0, 100, 5, (sn_real)0.5), SN_OK);
    run(world, 300, 0.02, 1);
    CHECK_NEAR(point_of(world, id, 1).x - point_of(world, id, 0).x, 0.5, 1e-4);
    sn_spring springs[1];
    CHECK_INT(sn_springs_get_springs(world, id, springs, 1), 1);
    CHECK_NEAR(springs[0].rest, 0.5, 0);
    CHECK_INT(sn_springs_set_spring(world, id, 0, -1, 0, 1), SN_ERR_RANGE);
    CHECK_INT(sn_springs_set_spring(world, id, 1, 1, 0, 1), SN_ERR_RANGE);
    CHECK_INT(sn_springs_set_spring(world, id, 0, 1, 0, (sn_real)NAN), SN_ERR_RANGE);
    sn_world_destroy(world);
}

TEST(constraints_hold_whatever_pulls) {
    const sn_spring_integrator integrators[] = {SN_SPRING_VERLET, SN_SPRING_IMPLICIT_EULER, SN_SPRING_SYMPLECTIC_EULER};
    for (int k = 0; k < 3; k++) {
        sn_world *world = world_with(10, 1, 0);
        CHECK_INT(sn_world_set_solver(world, SN_SOLVER_DIRECT, 2), SN_OK); // turns: constraints stay met
        const sn_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
        const sn_real masses[3] = {0, 1, 5};
        const sn_spring_distance distances[2] = {{0, 1, 1, false}, {1, 2, 1, true}};
        sn_springs_def def = sn_springs_def_default();
        def.points = points, def.masses = masses, def.point_count = 3;
        def.distances = distances, def.distance_count = 2;
        def.integrator = integrators[k];
        def.rounds = 50;
        const sn_body id = make(world, &def);
        for (int i = 0; i < 100; i++) {
            run(world, 1, 0.01, 4);
            for (int n = 0; n < 2; n++) {
                const sn_vec3 a = point_of(world, id, n), b = point_of(world, id, n + 1);
                const double length = hypot((double)(b.x - a.x), (double)(b.y - a.y));
                CHECK_NEAR(length, 1, 0.01);
            }
        }
        CHECK(point_of(world, id, 2).y < (sn_real)-0.5); // it swings all the same
        sn_world_destroy(world);
    }
}

TEST(a_strain_limit_keeps_weak_springs_short) {
    sn_world *world = world_with(10, 1, 0);
    sn_spring_chain plan = sn_spring_chain_default();
    plan.params.stiffness = 1; // would be metres longer
    sn_spring_net net;
    REQUIRE(sn_springs_make_chain(&plan, NULL, &net) == SN_OK);
    net.masses[0] = 0;
    sn_springs_def def = sn_springs_def_of(&net);
    def.strain = (sn_real)0.1;
    def.rounds = 100;
    const sn_body id = make(world, &def);
    run(world, 600, 0.01, 2);
    CHECK_NEAR(point_of(world, id, 10).y, -1.1, 0.06);
    sn_spring_net_free(&net);
    sn_world_destroy(world);
}

// ---- solids

TEST(a_solid_keeps_its_volume_and_has_a_surface) {
    sn_world *world = world_with(0, 1, 0);
    sn_spring_net net = block_net(2, 1, vec(0, 0, 0), 100, 100, 5);
    CHECK_INT(net.count, 27);
    CHECK_INT(net.tet_count, 40);
    CHECK_INT(net.triangle_count, 48);
    sn_springs_def def = sn_springs_def_of(&net);
    def.triangles = NULL, def.triangle_count = 0; // found anew
    def.bulk = 1e6;
    const sn_body id = make(world, &def);
    CHECK_INT(sn_springs_triangle_count(world, id), 48);
    CHECK_INT(sn_springs_tet_count(world, id), 40);
    CHECK_NEAR(sn_body_volume(world, id), 1, 1e-6);
    CHECK_NEAR(sn_body_rest_volume(world, id), 1, 1e-6);
    // Pulled apart at opposite faces, it gets thinner.
    for (int i = 0; i < 27; i++)
        if (i % 3 != 1) CHECK_INT(sn_springs_set_force(world, id, i, vec(i % 3 == 0 ? -20 : 20, 0, 0)), SN_OK);
    run(world, 100, 0.05, 2);
    const sn_vec3 left = point_of(world, id, 12), right = point_of(world, id, 14);
    CHECK((double)(right.x - left.x) > 1.1);
    CHECK_NEAR(sn_body_volume(world, id), 1, 0.01);
    sn_spring_net_free(&net);
    sn_world_destroy(world);
}

TEST(solids_with_a_penalty_part_and_keep_momentum) {
    sn_world *world = world_with(0, 1, 0);
    sn_body ids[2];
    for (int k = 0; k < 2; k++) {
        sn_spring_net net = block_net(2, 1, vec(0.85 * k, 0.05 * k, 0.03 * k), 100, 2000, 5);
        sn_springs_def def = sn_springs_def_of(&net);
        def.penalty = 5000;
        def.radius = (sn_real)0.001;
        ids[k] = make(world, &def);
        sn_spring_net_free(&net);
    }
    const double before = (double)(middle_of(world, ids[1]).x - middle_of(world, ids[0]).x);
    run(world, 100, 0.02, 2);
    CHECK((double)(middle_of(world, ids[1]).x - middle_of(world, ids[0]).x) > 1);
    CHECK(before < 0.9);
    const sn_momentum m = sn_world_momentum(world);
    for (int k = 0; k < 3; k++) CHECK_NEAR(m.linear[k], 0, WIDE ? 1e-10 : 2e-3); // of 100 kg
    sn_world_destroy(world);
}

// ---- the world's promises

static sn_world *mixed_world(int workers, int lanes) {
    sn_world_def world_def = sn_world_def_default();
    world_def.worker_count = workers;
    world_def.lanes = lanes;
    world_def.log = listen_to;
    sn_world *world = NULL;
    if (sn_world_create(&world_def, &world) != SN_OK) return NULL;
    ground(world, 0.5);
    // Several chunks of points; loosely solved, for time.
    cloth_in(world, (cloth_plan){.side = 33, .at = {0, (sn_real)0.45, 0}, .iterations = 6});
    for (int k = 0; k <= SN_SPRING_VERLET_CORRECTED; k++) {
        const sn_body id = cloth_in(world, (cloth_plan){.side = 4,
                                                        .size = 0.3,
                                                        .at = {(sn_real)(0.3 * (k - 3)), (sn_real)0.8, 0},
                                                        .held = k % 2 == 0,
                                                        .self = k == 0,
                                                        .soft = k > 0 ? 0.0005 : 1, // or they fly apart
                                                        .integrator = (sn_spring_integrator)k});
        if (k == 2) sn_springs_set_wind(world, id, vec(3, 1, 2), (sn_real)1.2);
        if (k == 4) sn_springs_set_force(world, id, 15, vec(0.01, 0.02, 0));
    }
    for (int k = 0; k < 2; k++) {
        sn_spring_net net = block_net(2, 0.2, vec(0.1 * k, 0.2 + 0.15 * k, 0.05 * k), 300, 500, 0.1);
        sn_springs_def def = sn_springs_def_of(&net);
        def.penalty = 100;
        def.bulk = 1000;
        make(world, &def);
        sn_spring_net_free(&net);
    }
    chain_in(world, vec(0, 0.9, 0.1), vec(0.4, 0.95, 0.2), 9, 0.1, 200, 0.02, 0.3);
    return world;
}

static void mixed_run(sn_world *world, int from, int to) {
    for (int i = from; i < to; i++) {
        const sn_body led = sn_world_kind_at(world, SN_KIND_SPRING, 1);
        sn_springs_move(world, led, 0, vec(-1 + 0.01 * i, 0.8 + 0.002 * i, -0.15));
        if (i == 6) sn_springs_set_spring(world, led, 2, 50, (sn_real)0.1, (sn_real)0.15);
        sn_world_step(world, (sn_real)0.02, 1 + i % 2);
    }
}

TEST(the_answer_is_the_same_for_any_workers_and_lanes) {
    sn_world *world = mixed_world(1, 0);
    mixed_run(world, 0, 12);
    const uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    const int lanes[] = {1, 4, 8, 16};
    for (int k = 0; k < 4; k++)
        for (int workers = 1 + k % 2; workers <= 2; workers += 2) {
            sn_world_def def = sn_world_def_default();
            def.lanes = lanes[k];
            if (sn_world_create(&def, &world) != SN_OK) continue; // not here
            sn_world_destroy(world);
            world = mixed_world(workers, lanes[k]);
            mixed_run(world, 0, 12);
            CHECK(sn_world_hash(world) == hash);
            sn_world_destroy(world);
        }
}

TEST(a_saved_world_goes_on_bit_by_bit) {
    sn_world *world = mixed_world(1, 0);
    const sn_body gone = sn_world_kind_at(world, SN_KIND_SPRING, 3);
    CHECK_INT(sn_body_destroy(world, gone), SN_OK);
    mixed_run(world, 0, 12);
    const size_t size = sn_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    REQUIRE(bytes && sn_world_save(world, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    def.worker_count = 2;
    sn_world *again = NULL;
    REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
    CHECK(sn_world_hash(again) == sn_world_hash(world));
    CHECK(!sn_body_exists(again, gone));
    CHECK_INT(sn_world_kind_count(again, SN_KIND_SPRING), sn_world_kind_count(world, SN_KIND_SPRING));
    CHECK_INT(sn_body_label(again, sn_world_kind_at(again, SN_KIND_SPRING, 0)), 77);
    CHECK_NEAR(sn_body_rest_volume(again, sn_world_kind_at(again, SN_KIND_SPRING, 8)),
               sn_body_rest_volume(world, sn_world_kind_at(world, SN_KIND_SPRING, 8)), 0);
    for (int i = 12; i < 21; i += 3) {
        mixed_run(world, i, i + 3);
        mixed_run(again, i, i + 3);
        CHECK(sn_world_hash(again) == sn_world_hash(world));
    }
    // Saved again they are the same, to the byte.
    const size_t later = sn_world_save(world, NULL, 0);
    void *one = malloc(later), *other = malloc(later);
    REQUIRE(one && other && sn_world_save(world, one, later) == later && sn_world_save(again, other, later) == later);
    CHECK(memcmp(one, other, later) == 0);
    free(one);
    sn_world_destroy(again);
    sn_world_destroy(world);
    free(other);
    free(bytes);
}

typedef struct {
    long calls, live, fail_at;
} counter;

static void *count_in(void *user, size_t size, size_t alignment) {
    counter *c = user;
    if (++c->calls == c->fail_at) return NULL;
    c->live++;
    return sn_platform_allocate(size, alignment);
}
static void count_out(void *user, void *block, size_t size, size_t alignment) {
    (void)size, (void)alignment;
    --((counter *)user)->live;
    sn_platform_release(block);
}

TEST(a_warmed_step_allocates_nothing) {
    for (int workers = 1; workers <= 2; workers++) {
        counter memory = {0};
        sn_world_def def = sn_world_def_default();
        def.allocator = (sn_allocator){count_in, count_out, &memory};
        def.worker_count = workers;
        sn_world *world = NULL;
        REQUIRE(sn_world_create(&def, &world) == SN_OK);
        sn_world_set_sleeping(world, false);
        ground(world, 0.5);
        cloth_in(world, (cloth_plan){.side = 33, .at = {0, (sn_real)0.005, 0}, .iterations = 6});
        for (int k = 0; k <= SN_SPRING_VERLET_CORRECTED; k++) {
            const sn_body id = cloth_in(world, (cloth_plan){.side = 4,
                                                            .size = 0.3,
                                                            .at = {0, (sn_real)(1 + 0.5 * k), 0},
                                                            .held = true,
                                                            .soft = k > 0 ? 0.0005 : 1,
                                                            .integrator = (sn_spring_integrator)k});
            sn_springs_set_wind(world, id, vec(3, 1, 2), (sn_real)1.2);
        }
        for (int k = 0; k < 2; k++) {
            sn_spring_net net = block_net(2, 0.2, vec(3 + 0.15 * k, 0.105, 0.05 * k), 300, 500, 0.1);
            sn_springs_def block = sn_springs_def_of(&net);
            block.penalty = 100, block.bulk = 1000;
            make(world, &block);
            sn_spring_net_free(&net);
        }
        run(world, 10, 0.01, 2);
        const long before = memory.calls;
        run(world, 10, 0.01, 2);
        CHECK_INT(memory.calls, before);
        sn_world_energy(world), sn_world_momentum(world), sn_world_hash(world);
        CHECK_INT(memory.calls, before);
        sn_world_destroy(world);
        CHECK_INT(memory.live, 0);
    }
}

TEST(running_out_of_memory_leaves_the_world_as_it_was) {
    sn_spring_net net = block_net(2, 1, vec(0, 0, 0), 100, 100, 5);
    sn_springs_def def = sn_springs_def_of(&net);
    def.penalty = 10;
    counter memory = {0};
    sn_world_def world_def = sn_world_def_default();
    world_def.allocator = (sn_allocator){count_in, count_out, &memory};
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&world_def, &world) == SN_OK);
    sn_body id;
    int failed = 0;
    for (;; failed++) {
        const long live = memory.live;
        const uint64_t hash = sn_world_hash(world);
        memory.fail_at = memory.calls + 1 + failed;
        const sn_status status = sn_springs_create(world, &def, &id);
        if (status == SN_OK) break;
        CHECK_INT(status, SN_ERR_MEMORY);
        CHECK_INT(id.slot1, 0);
        CHECK(sn_world_hash(world) == hash);
        if (failed < 60) CHECK(memory.live <= live + 1); // the list of slots may have grown
        if (failed > 200) break;
    }
    CHECK(failed > 30 && failed < 200);
    memory.fail_at = 0;
    CHECK_INT(sn_world_step(world, (sn_real)0.01, 1), SN_OK);
    sn_world_destroy(world);
    CHECK_INT(memory.live, 0);
    sn_spring_net_free(&net);
}

TEST(a_body_that_diverges_is_named_and_put_back) {
    sn_world *world = world_with(10, 1, 0);
    const sn_body bad = cloth_in(world, (cloth_plan){.side = 5, .integrator = SN_SPRING_EXPLICIT_EULER});
    const sn_body good = cloth_in(world, (cloth_plan){.side = 5, .at = {0, 0, 3}});
    sn_springs_put(world, bad, 3, vec(0.2, 0.3, 0.1), vec(0, 0, 0));
    int steps = 0;
    sn_status status = SN_OK;
    while (status == SN_OK && ++steps < 500) status = sn_world_step(world, (sn_real)0.02, 1);
    CHECK_INT(status, SN_WARN_DIVERGED);
    uint64_t label = 0;
    CHECK_INT(sn_world_diverged(world, &label, 1), 1);
    CHECK_INT(label, 77);
    CHECK_INT(sn_world_profile(world).diverged, 1);
    const sn_vec3 *points;
    for (int i = points_of(world, bad, &points); i-- > 0;) CHECK(isfinite((double)points[i].y));
    CHECK(isfinite((double)point_of(world, good, 3).y));
    sn_world_destroy(world);
}

// ---- errors

TEST(errors_in_a_definition_are_named_each) {
    sn_world *world = world_with(10, 1, 0);
    const sn_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, (sn_real)NAN, 0}};
    const sn_vec3 velocities[3] = {{0, 0, 0}, {(sn_real)INFINITY, 0, 0}, {0, 0, 0}};
    const sn_real masses[3] = {-1, 1, 1};
    const sn_spring springs[2] = {{0, 7, -1, (sn_real)NAN, -2}, {1, 1, 1, 0, 1}};
    const int32_t tets[4] = {0, 1, 2, 3}, triangles[6] = {0, 1, 9, 1, 1, 2};
    const sn_spring_distance distances[1] = {{0, 0, -1, false}};
    sn_body id = {5, 5, 5};
    sn_springs_def def = sn_springs_def_default();
    CHECK_INT(sn_springs_create(world, &def, &id), SN_ERR_DEF);
    CHECK_STRING(said, "point_count masses ");
    CHECK_INT(id.slot1, 0);
    said[0] = 0;
    def.points = points, def.velocities = velocities, def.masses = masses, def.point_count = 3;
    def.springs = springs, def.spring_count = 2;
    def.tets = tets, def.tet_count = 1;
    def.triangles = triangles, def.triangle_count = 2;
    def.distances = distances, def.distance_count = 1;
    def.law = (sn_spring_law)9;
    def.integrator = (sn_spring_integrator)-1;
    def.bulk = def.radius = def.tolerance = def.drag = def.strain = def.penalty = -1;
    def.wind = vec(1, 0, 0);
    def.iterations = def.rounds = 0;
    def.family = UINT32_MAX;
    def.surface.friction_static = -1;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_ERR_DEF);
    CHECK_STRING(said, "law integrator bulk radius tolerance iterations drag air strain rounds penalty family "
                       "surface.friction_static surface.friction_dynamic masses[0] velocities[1] points[2] "
                       "springs[0].b springs[0].stiffness springs[0].damping springs[0].rest springs[1].b tets[0] "
                       "triangles[0] triangles[1] distances[0] distances[0].length ");
    said[0] = 0;
    def.init_mark = 1;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_ERR_DEF);
    CHECK_STRING(said, "init_mark ");
    said[0] = 0;
    def = sn_springs_def_default();
    def.points = points, def.masses = masses, def.point_count = 3;
    def.spring_count = 2, def.triangle_count = -1;
    def.air = -1;
    def.penalty = 1, def.keep_volumes = true;
    def.wind = vec(INFINITY, 0, 0);
    CHECK_INT(sn_springs_create(world, &def, &id), SN_ERR_DEF);
    CHECK_STRING(said, "wind air penalty keep_volumes springs triangle_count ");
    CHECK_INT(sn_world_kind_count(world, SN_KIND_SPRING), 0);
    CHECK_INT(sn_springs_create(world, NULL, &id), SN_ERR_RANGE);
    CHECK_INT(sn_springs_create(NULL, &def, &id), SN_ERR_RANGE);
    sn_world_destroy(world);
}

TEST(makers_report_errors) {
    sn_spring_net net;
    sn_spring_chain chain = sn_spring_chain_default();
    chain.count = 1;
    CHECK_INT(sn_springs_make_chain(&chain, NULL, &net), SN_ERR_RANGE);
    CHECK(net.error && strstr(net.error, "count") && !net.points);
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.mass = 0;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_ERR_RANGE);
    CHECK(net.error && strstr(net.error, "mass"));
    cloth = sn_spring_cloth_default();
    cloth.columns = cloth.rows = 100000;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_ERR_RANGE);
    const sn_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t bad[4] = {0, 1, 2, 4}, same[4] = {0, 1, 2, 2};
    sn_spring_surface surface = sn_spring_surface_default();
    surface.points = points, surface.count = 4, surface.triangles = bad + 1, surface.triangle_count = 1;
    CHECK_INT(sn_springs_make_surface(&surface, NULL, &net), SN_ERR_RANGE);
    CHECK(net.error && strstr(net.error, "triangles"));
    sn_spring_solid solid = sn_spring_solid_default();
    solid.points = points, solid.count = 4, solid.tets = same, solid.tet_count = 1;
    CHECK_INT(sn_springs_make_solid(&solid, NULL, &net), SN_ERR_RANGE);
    CHECK(net.error && strstr(net.error, "tets"));
    CHECK_INT(sn_springs_make_solid(NULL, NULL, &net), SN_ERR_RANGE);
    CHECK_INT(sn_springs_make_chain(&chain, NULL, NULL), SN_ERR_RANGE);
    sn_spring_net_free(&net);
    sn_spring_net_free(NULL);
}

TEST(stale_ids_are_refused) {
    sn_world *world = world_with(10, 1, 0);
    const sn_body id = cloth_in(world, (cloth_plan){.side = 3});
    CHECK(sn_body_exists(world, id));
    CHECK_INT(sn_world_body_count(world), 1);
    CHECK_INT(sn_world_dof_count(world), 27);
    CHECK_INT(sn_body_destroy(world, id), SN_OK);
    CHECK(!sn_body_exists(world, id));
    CHECK_INT(sn_body_destroy(world, id), SN_ERR_STALE_ID);
    CHECK_INT(sn_body_point_count(world, id), 0);
    CHECK_INT(sn_springs_set_force(world, id, 0, vec(0, 0, 0)), SN_ERR_STALE_ID);
    CHECK_INT(sn_body_get_contact(world, id, NULL, NULL, NULL), SN_ERR_STALE_ID);
    const sn_body next = cloth_in(world, (cloth_plan){.side = 3});
    CHECK_INT(next.slot1, id.slot1);
    CHECK(next.gen != id.gen);
    CHECK_INT(sn_world_kind_at(world, SN_KIND_SPRING, 0).gen, next.gen);
    CHECK_INT(sn_world_kind_at(world, SN_KIND_SPRING, 1).slot1, 0);
    CHECK_INT(sn_world_body_count(world), 1);
    sn_world_destroy(world);
}
