// The same answer everywhere: one story of a mixed world gives one hash for any lanes, workers and scheduler, and a
// rod's motion depends on itself alone, not on what lives beside it.
// compilers: all
#include "mixed_world.h"
#include <fenv.h>
#include <pthread.h>

static const sn_solver solvers[3] = {SN_SOLVER_DIRECT, SN_SOLVER_XPBD, SN_SOLVER_JACOBI};
static const int iterations[3] = {3, 6, 6};
enum { STEPS = 60 };

static uint64_t story(sn_world_def def, int solver, int steps) {
    def.solver = solvers[solver];
    def.iterations = iterations[solver];
    sn_world *world = make_world(&def);
    if (!world) return 0;
    mixed m = mixed_build(world);
    uint64_t hash = 0;
    for (int step = 0; step < steps; step++) { // every step counts, not only the last
        mixed_run(world, &m, step, step + 1);
        hash = hash * 31 + sn_world_hash(world);
    }
    sn_world_destroy(world);
    return hash;
}

static uint64_t plain_story(int solver, int steps) {
    sn_world_def def = sn_world_def_default();
    def.lanes = 1;
    return story(def, solver, steps);
}

static void check_lanes(int solver) {
    int widths[4], count = lane_widths(widths);
    uint64_t first = plain_story(solver, STEPS);
    for (int i = 0; i < count; i++) {
        sn_world_def def = sn_world_def_default();
        def.lanes = widths[i];
        if (!CHECK(story(def, solver, STEPS) == first)) printf("with %d lanes\n", widths[i]);
    }
}

TEST(direct_does_not_depend_on_lanes) {
    check_lanes(0);
}

TEST(xpbd_does_not_depend_on_lanes) {
    check_lanes(1);
}

TEST(jacobi_does_not_depend_on_lanes) {
    check_lanes(2);
}

TEST(several_newton_iterations_do_not_depend_on_lanes) {
    int widths[4], count = lane_widths(widths);
    uint64_t first = 0;
    for (int i = 0; i < count; i++) {
        sn_world_def def = sn_world_def_default();
        def.lanes = widths[i];
        sn_world *world = make_world(&def);
        REQUIRE(world);
        CHECK_INT(sn_world_set_solver(world, SN_SOLVER_DIRECT, 4), SN_OK);
        mixed m = mixed_build(world);
        mixed_run(world, &m, 0, 30);
        if (i == 0) first = sn_world_hash(world);
        CHECK(sn_world_hash(world) == first);
        sn_world_destroy(world);
    }
}

TEST(workers_do_not_matter) {
    for (int solver = 0; solver < 3; solver++) {
        uint64_t first = plain_story(solver, 20);
        for (int workers = 2; workers <= 4; workers += 2) {
            sn_world_def def = sn_world_def_default();
            def.worker_count = workers;
            CHECK(story(def, solver, 20) == first);
        }
    }
}

// A scheduler that runs tasks at once, one that runs them when they are waited for, and one with a thread for each.
typedef struct {
    sn_task_fn *fn;
    void *task;
    pthread_t thread;
} job;
typedef struct {
    job jobs[64];
    int count;
} queue;

static void *run_at_once(void *user, sn_task_fn *fn, void *task) {
    (void)user;
    fn(task);
    return NULL;
}
static void never_called(void *user, void *handle) {
    (void)user, (void)handle;
    CHECK(false);
}
static void *run_later(void *user, sn_task_fn *fn, void *task) {
    queue *q = user;
    job *j = &q->jobs[q->count++ % 64];
    *j = (job){.fn = fn, .task = task};
    return j;
}
static void run_now(void *user, void *handle) {
    (void)user;
    job *j = handle;
    j->fn(j->task);
}
static void *thread_main(void *argument) {
    job *j = argument;
    j->fn(j->task);
    return NULL;
}
static void *run_on_thread(void *user, sn_task_fn *fn, void *task) {
    job *j = run_later(user, fn, task);
    if (pthread_create(&j->thread, NULL, thread_main, j) == 0) return j;
    fn(task);
    return NULL;
}
static void join_thread(void *user, void *handle) {
    (void)user;
    pthread_join(((job *)handle)->thread, NULL);
}

TEST(the_users_scheduler_does_not_matter) {
    queue q = {.count = 0};
    const sn_tasks hooks[3] = {
        {run_at_once, never_called, NULL}, {run_later, run_now, &q}, {run_on_thread, join_thread, &q}};
    uint64_t first = plain_story(0, 12);
    for (int i = 0; i < 3; i++) {
        sn_world_def def = sn_world_def_default();
        def.worker_count = 4;
        def.tasks = hooks[i];
        q.count = 0;
        CHECK(story(def, 0, 12) == first);
    }
}

TEST(a_pile_does_not_depend_on_lanes_or_workers) {
    int widths[4], count = lane_widths(widths);
    for (int solver = 0; solver < 3; solver++) {
        uint64_t first = 0;
        for (int k = 0; k < 2 * count; k++) {
            sn_world_def def = sn_world_def_default();
            def.solver = solvers[solver];
            def.iterations = iterations[solver];
            def.lanes = widths[k / 2];
            def.worker_count = k % 2 ? 3 : 1;
            sn_world *world = make_world(&def);
            REQUIRE(world);
            pile p = pile_build(world);
            uint64_t hash = 0;
            for (int step = 0; step < STEPS; step++) {
                pile_run(world, &p, step, step + 1);
                hash = hash * 31 + sn_world_hash(world);
            }
            CHECK(sn_world_get_contacts(world, NULL, 0) > 5);
            if (k == 0) first = hash;
            if (!CHECK(hash == first))
                printf("solver %d with %d lanes, %d workers\n", solver, def.lanes, def.worker_count);
            sn_world_destroy(world);
        }
    }
}

// Makes rods of the mixed world in any order, some others between them that are destroyed before or while it runs, and
// returns whether the chosen rods move as they do alone.
static void check_company(int solver, int lanes, uint64_t seed) {
    enum { CHOSEN = 2 * MIXED_KINDS };
    sn_world_def def = sn_world_def_default();
    def.solver = solvers[solver];
    def.iterations = iterations[solver];
    def.lanes = lanes;
    sn_world *crowd = make_world(&def), *alone = make_world(&def);
    REQUIRE(crowd && alone);

    mixed m = {0}, other = {0};
    int order[CHOSEN];
    for (int i = 0; i < CHOSEN; i++) order[i] = i;
    for (int i = CHOSEN - 1; i > 0; --i) {
        int k = random_below(&seed, i + 1), swap = order[i];
        order[i] = order[k], order[k] = swap;
    }
    sn_body chosen[CHOSEN], single[CHOSEN];
    for (int i = 0; i < CHOSEN; i++) {
        int which = order[i];
        m.count = 0;
        mixed_add(crowd, &m, (mixed_kind)(which % MIXED_KINDS), (uint64_t)which + 1);
        chosen[which] = m.id[0];
        if (other.count < MIXED_RODS_MOST)
            mixed_add(crowd, &other, (mixed_kind)(which % MIXED_KINDS), (uint64_t)which + 500);
        if (i % 5 == 4) CHECK_INT(sn_body_destroy(crowd, other.id[--other.count]), SN_OK);
    }
    for (int i = 0; i < CHOSEN; i++) {
        m.count = 0;
        mixed_add(alone, &m, (mixed_kind)(i % MIXED_KINDS), (uint64_t)i + 1);
        single[i] = m.id[0];
    }
    for (int step = 0; step < 30; step++) {
        for (int i = 0; i < CHOSEN; i++) {
            mixed_drive_one(crowd, chosen[i], (mixed_kind)(i % MIXED_KINDS), i, step);
            mixed_drive_one(alone, single[i], (mixed_kind)(i % MIXED_KINDS), i, step);
        }
        for (int i = 0; i < other.count; i++) // loads beside a rod without any
            CHECK_INT(sn_rod_set_force(crowd, other.id[i], 1, (sn_vec3){R(0.1), 0, R(0.01 * i)}), SN_OK);
        if (step % 6 == 5 && other.count > 0) CHECK_INT(sn_body_destroy(crowd, other.id[--other.count]), SN_OK);
        CHECK_INT(sn_world_step(crowd, R(1.0 / 60), 2), SN_OK);
        CHECK_INT(sn_world_step(alone, R(1.0 / 60), 2), SN_OK);
        for (int i = 0; i < CHOSEN; i++)
            if (!CHECK(same_state(crowd, chosen[i], alone, single[i])))
                printf("kind %d at step %d with %d lanes, solver %d\n", i % MIXED_KINDS, step, lanes, solver);
    }
    sn_world_destroy(crowd);
    sn_world_destroy(alone);
}

TEST(a_rod_moves_the_same_in_any_company) {
    int widths[4], count = lane_widths(widths);
    for (int solver = 0; solver < 3; solver++)
        for (int i = 0; i < count; i++) check_company(solver, widths[i], (uint64_t)(7 * solver + i + 1));
}

// A rod created out of its rest shape has its step shortened; the others in its packet must not notice.
TEST(a_shortened_step_beside_a_rod_does_not_change_it) {
    int widths[4], count = lane_widths(widths);
    for (int k = 0; k < count; k++) {
        sn_world_def def = sn_world_def_default();
        def.lanes = widths[k];
        sn_world *world = make_world(&def), *quiet = make_world(&def);
        REQUIRE(world && quiet);
        sn_vec3 points[9], far[9];
        sn_body calm, lonely, wild;
        sn_rod_def rod = chain_def(points, 9);
        rod.clamp_first = true;
        rod.collide = false;
        CHECK_INT(sn_rod_create(world, &rod, &calm), SN_OK);
        CHECK_INT(sn_rod_create(quiet, &rod, &lonely), SN_OK);
        CHECK_INT(sn_rod_create(world, &rod, &wild), SN_OK);
        for (int i = 0; i < 9; i++)
            far[i] = (sn_vec3){R(0.3) * (sn_real)(i % 2), R(0.2) * (sn_real)(i % 3), R(-0.1) * (sn_real)i};
        int searches = 0;
        for (int step = 0; step < 40; step++) {
            if (step % 4 == 0) CHECK_INT(sn_rod_set_centres(world, wild, far, 9), SN_OK);
            sn_world_step(world, R(1.0 / 60), 1);
            sn_world_step(quiet, R(1.0 / 60), 1);
            searches += sn_world_profile(world).line_searches;
            CHECK(same_state(world, calm, quiet, lonely));
        }
        CHECK(searches > 0); // else this test says nothing
        sn_world_destroy(world);
        sn_world_destroy(quiet);
    }
}

// Programs that flush denormals or round otherwise get the same world.
TEST(the_callers_rounding_mode_does_not_matter) {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD)
    const int modes[2] = {FE_UPWARD, FE_DOWNWARD};
    uint64_t first = 0;
    for (int k = 0; k < 3; k++) {
        sn_world_def def = sn_world_def_default();
        def.lanes = 1;
        sn_world *world = make_world(&def);
        REQUIRE(world);
        mixed_rod rods[MIXED_KINDS];
        sn_body id[MIXED_KINDS];
        for (int i = 0; i < MIXED_KINDS; i++) mixed_fill(&rods[i], (mixed_kind)i, (uint64_t)i + 1);
        sn_vec3 bent[2] = {{R(0.1), R(0.3), R(0.7)}, {R(0.13), R(0.37), R(0.71)}};
        if (k > 0) fesetround(modes[k - 1]);
        for (int i = 0; i < MIXED_KINDS; i++) sn_rod_create(world, &rods[i].def, &id[i]);
        sn_rod_set_centres(world, id[MIXED_DUMBBELL], bent, 2);
        sn_rod_set_segment(world, id[MIXED_CLAMPED], 2, R(1.1), R(0.7));
        sn_rod_move_clamp(world, id[MIXED_BRIDGE], 0, (sn_quat){R(0.1), R(0.2), R(0.3), R(0.9)});
        sn_rod_hold(world, id[MIXED_SHAPED], 3, SN_HOLD_FRAME);
        sn_rod_move_frame(world, id[MIXED_SHAPED], 3, (sn_quat){R(0.1), R(0.7), R(0.3), R(0.3)});
        for (int step = 0; step < 10; step++) sn_world_step(world, R(0.017), 3);
        bool kept = k == 0 || fegetround() == modes[k - 1];
        fesetround(FE_TONEAREST);
        CHECK(kept);
        if (k == 0) first = sn_world_hash(world);
        CHECK(sn_world_hash(world) == first);
        sn_world_destroy(world);
    }
#endif
}
