// Memory: a warmed step asks for none, whatever fails to be given leaves the world as it was, and all of it comes back.
#include "mixed_world.h"

static sn_world *counted_world(counter *memory, int workers, sn_solver solver) {
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(memory);
    def.worker_count = workers;
    def.solver = solver;
    def.iterations = 3;
    return make_world(&def);
}

static void let_go(sn_world *world, const counter *memory) {
    sn_world_destroy(world);
    CHECK_INT(memory->live, 0);
    CHECK_INT(memory->used_bytes, 0);
    CHECK_INT(memory->wrong, 0);
}

TEST(a_warmed_step_allocates_nothing) {
    for (int workers = 1; workers <= 2; workers++) {
        for (int solver = 0; solver < 3; solver++) {
            counter memory = {0};
            sn_world *world = counted_world(&memory, workers, (sn_solver)solver);
            REQUIRE(world);
            mixed m = mixed_build(world);
            mixed_run(world, &m, 0, 4); // of one, two and three substeps
            long calls = memory.calls;
            mixed_run(world, &m, 4, 20); // holds, leads, loads and contractions need none either
            CHECK_INT(memory.calls, calls);
            for (int k = 0; k < 3; k++) { // nor do the other solvers
                CHECK_INT(sn_world_set_solver(world, (sn_solver)k, 3), SN_OK);
                CHECK_INT(sn_world_step(world, R(0.01), 3), SN_OK);
            }
            sn_world_energy(world), sn_world_momentum(world), sn_world_hash(world);
            CHECK_INT(memory.calls, calls);
            let_go(world, &memory);
        }
    }
}

TEST(a_warmed_step_of_a_pile_allocates_nothing) {
    for (int workers = 1; workers <= 2; workers++) {
        counter memory = {0};
        sn_world *world = counted_world(&memory, workers, SN_SOLVER_DIRECT);
        REQUIRE(world);
        pile p = pile_build(world);
        CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
        pile_run(world, &p, 0, 100);
        long calls = memory.calls;
        for (int step = 0; step < 60; step++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 2), SN_OK);
        CHECK(sn_world_get_contacts(world, NULL, 0) > 5);
        CHECK_INT(memory.calls, calls);
        let_go(world, &memory);
    }
}

TEST(a_warmed_step_of_boxes_allocates_nothing) {
    for (int workers = 1; workers <= 2; workers++) {
        counter memory = {0};
        sn_world *world = counted_world(&memory, workers, SN_SOLVER_DIRECT);
        REQUIRE(world);
        sn_rigid_def def = sn_rigid_def_default();
        sn_body box = {0}, before = {0};
        CHECK_INT(sn_rigid_create(world, &def, &box), SN_OK);
        def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = (sn_vec3){R(0.1), R(0.1), R(0.1)};
        for (int i = 0; i < 12; i++) {
            def.position = (sn_vec3){R(0.02 * (i % 2)), R(0.1 + 0.2 * (i % 6)), R(0.5 * (i / 6))};
            CHECK_INT(sn_rigid_create(world, &def, &box), SN_OK);
            sn_joint_def joint = sn_joint_def_default();
            sn_joint id;
            joint.body_a = box, joint.body_b = before, joint.position = def.position;
            if (i > 6) CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
            before = box;
        }
        CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
        for (int step = 0; step < 120; step++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 2), SN_OK);
        const long calls = memory.calls;
        for (int step = 0; step < 60; step++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 2), SN_OK);
        CHECK_INT(memory.calls, calls);
        let_go(world, &memory);
    }
}

TEST(rods_that_come_and_go_reuse_their_places) {
    counter memory = {0};
    sn_world *world = counted_world(&memory, 1, SN_SOLVER_DIRECT);
    REQUIRE(world);
    mixed m = mixed_build(world);
    mixed_run(world, &m, 0, 4);
    size_t bytes = memory.used_bytes;
    long live = memory.live;
    for (int round = 0; round < 20; round++) {
        sn_body id;
        mixed_rod rod;
        mixed_fill(&rod, m.kind[round], sn_body_label(world, m.id[round]));
        CHECK_INT(sn_body_destroy(world, m.id[round]), SN_OK);
        CHECK_INT(sn_rod_create(world, &rod.def, &id), SN_OK);
        CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    }
    CHECK_INT(memory.live, live);
    CHECK_INT(memory.used_bytes, bytes);
    let_go(world, &memory);
}

// Calls 'attempt' with the first, second, ... allocation failing until it needs no more; it returns what it got.
typedef sn_status attempt(counter *memory, void *context);

static int fail_at_every_call(attempt *fn, void *context) {
    int failures = 0;
    for (long k = 1; k < 100000; k++) {
        counter memory = {.fail_at = k};
        sn_status status = fn(&memory, context);
        CHECK_INT(memory.live, 0);
        CHECK_INT(memory.used_bytes, 0);
        CHECK_INT(memory.wrong, 0);
        if (memory.calls < k) { // nothing failed
            CHECK_INT(status, SN_OK);
            return failures;
        }
        failures++;
        if (!CHECK_INT(status, SN_ERR_MEMORY)) printf("at call %ld\n", k);
    }
    return failures;
}

static sn_status create_world(counter *memory, void *context) {
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(memory);
    def.worker_count = *(int *)context;
    sn_world *world = (sn_world *)memory;
    sn_status status = sn_world_create(&def, &world);
    CHECK((status == SN_OK) == (world != NULL));
    sn_world_destroy(world);
    return status;
}

TEST(a_world_without_memory_is_not_made) {
    for (int workers = 1; workers <= 3; workers++) CHECK(fail_at_every_call(create_world, &workers) >= 2);
}

// Makes a rod of some kind in a world that already has others, with failures counted from there on.
static sn_status create_rod(counter *memory, void *context) {
    mixed_kind kind = *(mixed_kind *)context;
    long fail_at = memory->fail_at;
    memory->fail_at = 0;
    sn_world *world = counted_world(memory, 2, SN_SOLVER_DIRECT);
    if (!world) return SN_ERR_RANGE;
    mixed m = {0};
    mixed_add(world, &m, MIXED_DUMBBELL, 1);
    mixed_add(world, &m, MIXED_CLAMPED, 2);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);

    mixed_rod rod;
    mixed_fill(&rod, kind, 3);
    saved before = save_of(world);
    sn_body id = {9, 9, 9};
    memory->calls = 0;
    memory->fail_at = fail_at;
    sn_status status = sn_rod_create(world, &rod.def, &id);
    long calls = memory->calls;
    memory->fail_at = 0;
    CHECK((status == SN_OK) == (id.slot1 != 0));
    if (status == SN_OK)
        free(before.bytes);
    else {
        CHECK(unchanged(world, before));
        CHECK_INT(sn_world_body_count(world), 2);
        CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK); // and the world still works
        CHECK_INT(sn_rod_create(world, &rod.def, &id), SN_OK);
    }
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    CHECK_INT(sn_body_destroy(world, id), SN_OK);
    sn_world_destroy(world);
    memory->calls = calls;
    return status;
}

TEST(a_rod_without_memory_is_not_made) {
    for (int kind = 0; kind < MIXED_KINDS; kind++) CHECK(fail_at_every_call(create_rod, &kind) >= 4);
}

static sn_status restore_world(counter *memory, void *context) {
    const saved *bytes = context;
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(memory);
    sn_world *world = (sn_world *)memory;
    sn_status status = sn_world_restore(&def, bytes->bytes, bytes->size, &world);
    CHECK((status == SN_OK) == (world != NULL));
    long calls = memory->calls;
    memory->fail_at = 0;
    if (world) CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    memory->calls = calls;
    sn_world_destroy(world);
    return status;
}

TEST(a_world_without_memory_is_not_restored) {
    counter memory = {0};
    sn_world *world = counted_world(&memory, 1, SN_SOLVER_DIRECT);
    REQUIRE(world);
    mixed m = {0};
    for (int kind = 0; kind < MIXED_KINDS; kind++) mixed_add(world, &m, (mixed_kind)kind, (uint64_t)kind + 1);
    CHECK_INT(sn_body_destroy(world, m.id[2]), SN_OK);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    saved bytes = save_of(world);
    CHECK(fail_at_every_call(restore_world, &bytes) >= MIXED_KINDS);
    free(bytes.bytes);
    let_go(world, &memory);
}

TEST(a_pile_without_memory_is_not_restored) {
    counter memory = {0};
    sn_world *world = counted_world(&memory, 1, SN_SOLVER_DIRECT);
    REQUIRE(world);
    pile p = pile_build(world);
    pile_run(world, &p, 0, 20);
    saved bytes = save_of(world);
    CHECK(fail_at_every_call(restore_world, &bytes) >= PILE_RODS + PILE_SHAPES);
    free(bytes.bytes);
    let_go(world, &memory);
}

// Shapes, of which meshes need the most, and joints.
static sn_status create_shape_and_joint(counter *memory, void *context) {
    (void)context;
    static const sn_vec3 corners[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    static const int32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    long fail_at = memory->fail_at;
    memory->fail_at = 0;
    sn_world *world = counted_world(memory, 1, SN_SOLVER_DIRECT);
    if (!world) return SN_ERR_RANGE;
    mixed m = {0};
    mixed_add(world, &m, MIXED_CHAIN, 1);
    sn_rigid_def shape = sn_rigid_def_default();
    shape.geometry = SN_GEOMETRY_MESH;
    shape.vertices = corners, shape.vertex_count = 4, shape.triangles = triangles, shape.triangle_count = 2;
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = m.id[0];
    sn_body shape_id = {9, 9, 9};
    sn_joint joint_id = {9, 9};
    saved before = save_of(world);
    memory->calls = 0;
    memory->fail_at = fail_at;
    sn_status status = sn_rigid_create(world, &shape, &shape_id);
    CHECK((status == SN_OK) == (shape_id.slot1 != 0));
    if (status == SN_OK) {
        free(before.bytes);
        before = save_of(world);
        status = sn_joint_create(world, &joint, &joint_id);
        CHECK((status == SN_OK) == (joint_id.slot1 != 0));
    }
    long calls = memory->calls;
    memory->fail_at = 0;
    if (status == SN_OK)
        free(before.bytes);
    else
        CHECK(unchanged(world, before));
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    sn_world_destroy(world);
    memory->calls = calls;
    return status;
}

TEST(rigid_bodies_and_joints_without_memory_are_not_made) {
    CHECK(fail_at_every_call(create_shape_and_joint, NULL) >= 3);
}

// A hook that does not align as it must is refused, not crashed on.
static void *misaligned_allocate(void *user, size_t size, size_t alignment) {
    (void)alignment;
    ++*(int *)user;
    char *block = aligned_alloc(64, (size + 127) / 64 * 64);
    return block ? block + 8 : NULL;
}
static void misaligned_release(void *user, void *memory, size_t size, size_t alignment) {
    (void)size, (void)alignment;
    --*(int *)user;
    free((char *)memory - 8);
}

TEST(a_hook_that_does_not_align_is_refused) {
    int live = 0;
    sn_world_def def = sn_world_def_default();
    def.allocator = (sn_allocator){misaligned_allocate, misaligned_release, &live};
    sn_world *world = (sn_world *)&live;
    CHECK_INT(sn_world_create(&def, &world), SN_ERR_MEMORY);
    CHECK(world == NULL);
    CHECK_INT(live, 0);
}
