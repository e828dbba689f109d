// A step happens or says why not: whichever of its allocations fails, it returns SN_ERR_MEMORY with one line in the log, leaves the
// world as it was bit by bit, and the next step goes on as if nothing had been.
#include "all_kinds.h"
#include "kinds/elastic/elastic_system.h"

enum { AFTER = 2 }; // steps that go on
static const sn_real dt = R(1.0 / 60);

// ---- worlds

// A rod through whatever lies at a place, and another across it.
static void put_rods(sn_world *world, sn_vec3 at) {
    for (int k = 0; k < 2; k++) {
        sn_vec3 points[4];
        sn_rod_def rod = chain_def(points, 4);
        for (int i = 0; i < 4; i++) {
            const sn_real along = R(0.1 * i);
            points[i] = k ? (sn_vec3){at.x + R(0.1), at.y + R(0.08), at.z + along - R(0.15)}
                          : (sn_vec3){at.x + along, at.y, at.z};
        }
        rod.radius = R(0.04), rod.label = 70 + (uint64_t)k;
        sn_body id;
        CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    }
}

static void put_ground(sn_world *world, double height) {
    sn_rigid_def ground = sn_rigid_def_default();
    ground.position.y = R(height);
    sn_body id;
    CHECK_INT(sn_rigid_create(world, &ground, &id), SN_OK);
}

static void make_pile(sn_world *world) {
    pile_build(world);
}

// One of each kind, with rods through them, over a ball that moves.
static void make_all(sn_world *world) {
    all_kinds all = {.world = world};
    sn_vec3 points[7];
    sn_rod_def rod = chain_def(points, 7);
    for (int i = 0; i < 7; i++) points[i].y = 1;
    CHECK_INT(sn_rod_create(world, &rod, &all.rod), SN_OK);
    all_kinds_make_springs(&all), all_kinds_make_elastic(&all), all_kinds_make_muscles(&all);
    sn_elastic_model_release(all.model); // freed with the last body
    put_rods(world, (sn_vec3){R(0.2), R(1.02), R(2.3)}), put_rods(world, (sn_vec3){R(0.1), R(1.1), R(4.05)});
    put_rods(world, (sn_vec3){R(0.1), R(1.1), 6});
    put_ground(world, 0.95);
    sn_rigid_def ball = sn_rigid_def_default();
    ball.geometry = SN_GEOMETRY_SPHERE, ball.radii[0] = R(0.1), ball.position = (sn_vec3){R(0.3), R(1.1), 0};
    sn_body id;
    CHECK_INT(sn_rigid_create(world, &ball, &id), SN_OK);
    CHECK_INT(sn_rigid_move(world, id, (sn_vec3){R(0.4), R(1.1), 0}, (sn_quat){0, R(0.6), 0, R(0.8)}), SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = all.rod, joint.segment_a = 6, joint.along_a = 1, joint.position = (sn_vec3){R(0.6), 1, 0};
    joint.break_force = R(0.01);
    sn_joint joint_id;
    CHECK_INT(sn_joint_create(world, &joint, &joint_id), SN_OK);
}

// Fibres that pull between two bones, one of which moves, and an implicit muscle that they drive.
static void make_muscle(sn_world *world) {
    sn_body bones[2], fibres[3], muscles;
    sn_bundle bundle;
    for (int i = 0; i < 2; i++) {
        sn_rigid_def bone = sn_rigid_def_default();
        bone.geometry = SN_GEOMETRY_BOX, bone.half = (sn_vec3){R(0.05), R(0.05), R(0.05)};
        bone.position = (sn_vec3){R(-0.08 + 0.66 * i), 1, 0};
        CHECK_INT(sn_rigid_create(world, &bone, &bones[i]), SN_OK);
    }
    for (int i = 0; i < 3; i++) {
        sn_vec3 points[6];
        sn_rod_def def = chain_def(points, 6);
        for (int k = 0; k < 6; k++) points[k] = (sn_vec3){R(0.1 * k), 1 + R(0.03) * R(i == 1), R(0.02 * i)};
        def.radius = R(0.02), def.clamp_first = true;
        CHECK_INT(sn_rod_create(world, &def, &fibres[i]), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = fibres, def.rod_count = 3, def.activate = SN_ACTIVATE_FORCE;
    def.bone_first = bones[0], def.bone_last = bones[1];
    CHECK_INT(sn_bundle_create(world, &def, &bundle), SN_OK);
    CHECK_INT(sn_bundle_set_activation(world, bundle, R(0.5)), SN_OK);
    CHECK_INT(sn_rigid_move(world, bones[1], (sn_vec3){R(0.6), R(1.02), 0}, (sn_quat){0, 0, R(0.28), R(0.96)}), SN_OK);
    all_kinds all = {.world = world};
    all_kinds_make_muscles(&all), muscles = all.muscles;
    CHECK_INT(sn_implicit_muscles_set_bundle(world, muscles, 0, bundle), SN_OK);
    put_rods(world, (sn_vec3){R(0.2), R(1.05), 0}), put_ground(world, 0.9);
}

// The same, and the bundle is gone: its muscle forgets it in the next step.
static void make_orphan(sn_world *world) {
    make_muscle(world);
    sn_bundle bundle = sn_world_bundle_at(world, 0);
    CHECK_INT(sn_bundle_destroy(world, bundle), SN_OK);
}

// Cubes of tetrahedra that push each other by penalties, and a cloth that collides with itself.
static void make_solids(sn_world *world) {
    for (int i = 0; i < 2; i++) {
        sn_vec3 points[8];
        static const int cube[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                       {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
        sn_spring_solid solid = sn_spring_solid_default();
        sn_spring_net net;
        for (int k = 0; k < 8; k++)
            points[k] = (sn_vec3){R(0.1 * (k & 1) + 0.03 * i), R(0.09 * i + 0.1 * (k >> 1 & 1)), R(0.1 * (k >> 2))};
        solid.points = points, solid.count = 8, solid.tets = cube[0], solid.tet_count = 6;
        CHECK_INT(sn_springs_make_solid(&solid, NULL, &net), SN_OK);
        sn_springs_def def = sn_springs_def_of(&net);
        def.penalty = 1000, def.collide = false;
        sn_body id;
        CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
        sn_spring_net_free(&net);
    }
    sn_spring_cloth cloth = sn_spring_cloth_default();
    sn_spring_net net;
    cloth.corner = (sn_vec3){0, R(0.22), 0}, cloth.columns = cloth.rows = 4;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    sn_springs_def def = sn_springs_def_of(&net);
    def.self_collide = true;
    sn_body id;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
    put_rods(world, (sn_vec3){R(0.1), R(0.24), R(0.2)}), put_ground(world, -0.02);
}

static sn_body put_link(sn_world *world, sn_vec3 at) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_PILL, def.position = at, def.dynamic = true;
    def.ends[1] = (sn_vec3){R(0.18), 0, 0}, def.radii[0] = def.radii[1] = R(0.03);
    sn_body id = {0};
    CHECK_INT(sn_rigid_create(world, &def, &id), SN_OK);
    return id;
}

// Dynamic rigid bodies in a row, by a joint of each kind with limits, motors and friction, over the ground, with a muscle along them.
static void make_limb(sn_world *world) {
    enum { LINKS = 6, POINTS = 6 };
    sn_body link[LINKS], rod;
    sn_joint id;
    for (int i = 0; i < LINKS; i++) {
        link[i] = put_link(world, (sn_vec3){R(0.2 * i), R(0.05), 0});
        sn_joint_def d = sn_joint_def_default();
        d.kind = (sn_joint_kind)(i % 5);
        d.body_a = link[i], d.body_b = i > 0 ? link[i - 1] : (sn_body){0};
        d.position = (sn_vec3){R(0.2 * i), R(0.05), 0}, d.position_b = (sn_vec3){R(0.2 * i - 0.05), R(0.05), 0};
        d.axis = d.kind == SN_JOINT_WELD || d.kind == SN_JOINT_DISTANCE ? (sn_vec3){0} : (sn_vec3){0, 0, 1};
        if (d.kind != SN_JOINT_WELD) {
            d.limited = true, d.lower = i % 2 ? R(-0.2) : 0, d.upper = R(0.2);
            d.motor = (sn_joint_motor){.stiffness = 5, .damping = 1, .target = R(0.3), .max_force = 2};
            d.friction = R(0.1), d.swing = d.kind == SN_JOINT_POINT ? R(0.5) : 0;
        }
        CHECK_INT(sn_joint_create(world, &d, &id), SN_OK);
    }
    sn_vec3 points[POINTS];
    sn_rod_def def = chain_def(points, POINTS);
    for (int k = 0; k < POINTS; k++) points[k] = (sn_vec3){R(0.2 * k), R(0.15), 0};
    CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    for (int end = 0; end < 2; end++) {
        sn_joint_def d = sn_joint_def_default();
        d.body_a = rod, d.segment_a = end ? POINTS - 1 : 1, d.along_a = (sn_real)end, d.keep_offset = true;
        d.body_b = link[end ? LINKS - 1 : 0], d.position = points[end ? POINTS - 1 : 0];
        CHECK_INT(sn_joint_create(world, &d, &id), SN_OK);
    }
    sn_bundle_def muscle = sn_bundle_def_default();
    muscle.rods = &rod, muscle.rod_count = 1, muscle.activate = SN_ACTIVATE_FORCE;
    sn_bundle bundle;
    CHECK_INT(sn_bundle_create(world, &muscle, &bundle), SN_OK);
    CHECK_INT(sn_bundle_set_activation(world, bundle, 1), SN_OK);
    CHECK_INT(sn_world_set_contact_events(world, UINT32_MAX, UINT32_MAX, NULL, NULL), SN_OK);
    put_rods(world, (sn_vec3){R(0.2), R(0.1), 0}), put_ground(world, 0.01);
}

typedef struct {
    const char *name;
    void (*make)(sn_world *world);
    int substeps;
    bool energy; // is checked
} case_of;
static const case_of cases[] = {
    {"pile", make_pile, 2, false},     {"pile, checked", make_pile, 0, true}, {"all kinds", make_all, 2, true},
    {"all kinds", make_all, 1, false}, {"muscle", make_muscle, 2, true},      {"orphan", make_orphan, 1, false},
    {"solids", make_solids, 2, false}, {"limb", make_limb, 2, true},
};
enum { CASES = sizeof cases / sizeof *cases };

// ---- what is compared

enum { CONTACTS = 200 };
typedef struct {
    saved bytes;
    uint64_t hash, diverged;
    sn_profile profile;
    sn_energy_balance balance;
    sn_contact contacts[CONTACTS];
    int contact_count;
} picture;

static picture picture_of(const sn_world *world) {
    picture p;
    memset(&p, 0, sizeof p);
    p.bytes = save_of(world), p.hash = sn_world_hash(world), p.profile = sn_world_profile(world);
    p.balance = sn_world_energy_balance(world);
    p.contact_count = sn_world_get_contacts(world, p.contacts, CONTACTS);
    return p;
}

static bool same_picture(const picture *a, const picture *b) {
    return a->bytes.size == b->bytes.size && memcmp(a->bytes.bytes, b->bytes.bytes, a->bytes.size) == 0 &&
           a->hash == b->hash && memcmp(&a->profile, &b->profile, sizeof a->profile) == 0 &&
           memcmp(&a->balance, &b->balance, sizeof a->balance) == 0 && a->contact_count == b->contact_count &&
           memcmp(a->contacts, b->contacts, sizeof a->contacts) == 0;
}

// ---- attempts

typedef struct {
    counter memory;
    int lines; // of errors in the log
    sn_world *world;
} scarce;

static void count_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)field, (void)text;
    *(int *)user += level == SN_LOG_ERROR && code == SN_ERR_MEMORY;
}

// The case's world, after a few steps if it is restored from bytes.
static bool begin(scarce *s, const case_of *c, int workers, const saved *bytes) {
    *s = (scarce){0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&s->memory), def.log = count_line, def.log_user = &s->lines, def.worker_count = workers;
    if (bytes) {
        CHECK_INT(sn_world_restore(&def, bytes->bytes, bytes->size, &s->world), SN_OK);
    } else {
        s->world = make_world(&def);
        if (s->world) c->make(s->world);
    }
    if (s->world && c->energy) CHECK_INT(sn_world_set_energy_check(s->world, true), SN_OK);
    return s->world != NULL;
}

static void end(scarce *s) {
    sn_world_destroy(s->world);
    CHECK_INT(s->memory.live, 0);
    CHECK_INT(s->memory.used_bytes, 0);
    CHECK_INT(s->memory.wrong, 0);
}

// Steps with the k-th allocation failing, or all from it on. False: none failed.
static bool step_without(scarce *s, const case_of *c, long k, bool all) {
    picture before = picture_of(s->world);
    s->lines = 0;
    s->memory.calls = 0;
    s->memory.fail_at = all ? 0 : k, s->memory.fail_from = all ? k : 0;
    const sn_status status = sn_world_step(s->world, dt, c->substeps);
    const bool failed = s->memory.calls >= k;
    s->memory.fail_at = s->memory.fail_from = 0;
    if (failed) {
        picture after = picture_of(s->world);
        bool good = CHECK_INT(status, SN_ERR_MEMORY);
        good = CHECK_INT(s->lines, 1) && good;
        good = CHECK(same_picture(&before, &after)) && good;
        if (!good) printf("%s: allocation %ld\n", c->name, k);
        free(after.bytes.bytes);
    } else {
        CHECK(status == SN_OK || status == SN_WARN_DIVERGED || status == SN_WARN_ENERGY);
    }
    free(before.bytes.bytes);
    return failed;
}

// The hashes of the steps that follow when nothing fails.
static void go_on(scarce *s, const case_of *c, int from, uint64_t hashes[AFTER]) {
    for (int i = from; i < AFTER; i++) {
        sn_world_step(s->world, dt, c->substeps);
        hashes[i] = sn_world_hash(s->world);
    }
}

// Each allocation of a step of a world that has just been made or restored fails, in turn.
static int try_each(const case_of *c, int workers, const saved *bytes) {
    uint64_t expected[AFTER], got[AFTER];
    scarce s;
    if (!begin(&s, c, workers, bytes)) return 0;
    go_on(&s, c, 0, expected);
    end(&s);
    int failures = 0;
    for (bool failed = true; failed && failures < 3000; failures += failed) {
        if (!begin(&s, c, workers, bytes)) return 0;
        failed = step_without(&s, c, failures + 1, failures % 3 == 2);
        if (!failed) got[0] = sn_world_hash(s.world);
        if (!failed || failures % 5 == 0) { // it takes most of the time
            go_on(&s, c, !failed, got);
            if (!CHECK(memcmp(got, expected, sizeof got) == 0))
                printf("%s: after allocation %d\n", c->name, failures + 1);
        }
        end(&s);
    }
    return failures;
}

TEST(no_allocation_of_a_first_step_fails_unnoticed) {
    for (int i = 0; i < CASES; i++) CHECK(try_each(&cases[i], 1 + i % 2, NULL) > 10);
}

TEST(no_allocation_of_a_later_step_fails_unnoticed) {
    for (int i = 0; i < CASES; i++) {
        scarce s;
        REQUIRE(begin(&s, &cases[i], 1, NULL));
        for (int k = 0; k < 8; k++) sn_world_step(s.world, dt, cases[i].substeps);
        saved bytes = save_of(s.world);
        end(&s);
        CHECK(try_each(&cases[i], 1, &bytes) > 10);
        free(bytes.bytes);
    }
}

// A world that runs: step after step is tried until it has what it needs, and the contacts of the step before stay readable.
TEST(a_step_is_tried_until_there_is_memory) {
    for (int i = 0; i < CASES; i++) {
        scarce s, plain;
        REQUIRE(begin(&s, &cases[i], 1, NULL) && begin(&plain, &cases[i], 1, NULL));
        int failures = 0;
        for (int k = 0; k < 6; k++) {
            if (k == 3) put_rods(s.world, (sn_vec3){0, R(1.2), 0}), put_rods(plain.world, (sn_vec3){0, R(1.2), 0});
            long at = 1;
            while (step_without(&s, &cases[i], at, at % 2 == 0)) at += 1 + at / 8, failures++;
            sn_world_step(plain.world, dt, cases[i].substeps);
            if (!CHECK(sn_world_hash(s.world) == sn_world_hash(plain.world))) printf("%s: step %d\n", cases[i].name, k);
        }
        CHECK(failures > 5);
        saved bytes = save_of(plain.world);
        CHECK(unchanged(s.world, bytes));
        end(&s), end(&plain);
    }
}

// A rod fell through the floor while the allocator refused everything, and every step was said to be fine.
TEST(nothing_falls_through_the_floor_without_memory) {
    scarce s;
    const case_of rod = {"rod", make_pile, 1, false};
    REQUIRE(begin(&s, &rod, 1, NULL));
    saved before = save_of(s.world);
    s.memory.calls = 0, s.memory.fail_from = 1;
    for (int i = 0; i < 120; i++) CHECK_INT(sn_world_step(s.world, dt, 0), SN_ERR_MEMORY);
    CHECK_INT(s.lines, 120);
    s.memory.fail_from = 0;
    CHECK(unchanged(s.world, before));
    CHECK_INT(sn_world_step(s.world, dt, 0), SN_OK);
    end(&s);
}

// Pairs have a budget. A step that finds more does not happen, and goes on when it is raised.
TEST(a_step_with_too_many_pairs_does_not_happen) {
    scarce s, plain;
    const case_of c = {"pile", make_pile, 2, false};
    REQUIRE(begin(&s, &c, 1, NULL) && begin(&plain, &c, 1, NULL));
    for (int i = 0; i < 4; i++) {
        saved before = save_of(s.world);
        CHECK_INT(sn_world_set_max_pairs(s.world, 3), SN_OK);
        CHECK_INT(sn_world_max_pairs(s.world), 3);
        CHECK_INT(sn_world_step(s.world, dt, 2), SN_ERR_PAIRS);
        CHECK(unchanged(s.world, before));
        CHECK_INT(sn_world_set_max_pairs(s.world, 100000), SN_OK);
        CHECK_INT(sn_world_step(s.world, dt, 2), SN_OK);
        CHECK_INT(sn_world_step(plain.world, dt, 2), SN_OK);
        CHECK(sn_world_profile(plain.world).pairs > 3);
        CHECK(sn_world_hash(s.world) == sn_world_hash(plain.world));
    }
    CHECK_INT(sn_world_set_max_pairs(s.world, 0), SN_ERR_RANGE);
    CHECK_INT(s.lines, 0); // none about memory
    end(&s), end(&plain);
}

// Planes that jump far through 14 bodies push them all into one heap, where everything is near everything.
TEST(teleporting_shapes_take_the_memory_of_their_budget) {
    enum { PLANES = 6, RODS = 7, POINTS = 100 };
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory), def.max_pairs = 20000;
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    sn_body planes[PLANES], id;
    for (int i = 0; i < RODS; i++) {
        sn_vec3 points[POINTS];
        for (int k = 0; k < POINTS; k++) points[k] = (sn_vec3){R(0.02 * k - 1), R(0.6 * i), R(0.02 * i)};
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.point_count = POINTS;
        CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
        sn_spring_cloth plan = sn_spring_cloth_default();
        plan.columns = plan.rows = 20, plan.corner.y = R(0.6 * i + 0.3);
        sn_spring_net net;
        CHECK_INT(sn_springs_make_cloth(&plan, NULL, &net), SN_OK);
        const sn_springs_def cloth = sn_springs_def_of(&net);
        CHECK_INT(sn_springs_create(world, &cloth, &id), SN_OK);
        sn_spring_net_free(&net);
    }
    sn_rigid_def plane = sn_rigid_def_default();
    for (int i = 0; i < PLANES; i++) {
        plane.position = (sn_vec3){0, R(-20 - i), 0};
        CHECK_INT(sn_rigid_create(world, &plane, &planes[i]), SN_OK);
    }
    uint64_t seed = 1;
    int refused = 0;
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < PLANES; i++)
            sn_rigid_move(world, planes[i], (sn_vec3){0, random_real(&seed, -50, 50), 0}, (sn_quat){0, 0, 0, 1});
        const sn_status status = sn_world_step(world, R(1.0 / 60), 0);
        CHECK(status == SN_OK || status == SN_WARN_DIVERGED || status == SN_ERR_PAIRS);
        refused += status == SN_ERR_PAIRS;
    }
    CHECK(refused > 0);
    CHECK(memory.most_bytes < (size_t)100 << 20);
    sn_world_destroy(world);
    CHECK_INT(memory.live, 0);
}
