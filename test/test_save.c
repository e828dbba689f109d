// Saved worlds: they go on bit by bit, ids keep their meaning, and no bytes whatever break anything.
#include "base/hash.h"
#include "mixed_world.h"

enum { HEADER_SIZE = 32, LENGTH_AT = 16, HASH_AT = 24 }; // see world/save.c

static const sn_solver solvers[3] = {SN_SOLVER_DIRECT, SN_SOLVER_XPBD, SN_SOLVER_JACOBI};

// A mixed world in the middle of its story, with holes among its slots. m names the living.
static sn_world *middle(int solver, mixed *m, sn_body *gone) {
    sn_world_def def = sn_world_def_default();
    def.solver = solvers[solver];
    def.iterations = 3;
    def.gravity = (sn_vec3){R(0.1), R(-9), R(0.2)};
    sn_world *world = make_world(&def);
    if (!world) return NULL;
    *m = mixed_build(world);
    mixed_run(world, m, 0, 20);
    *gone = m->id[17];
    CHECK_INT(sn_body_destroy(world, m->id[3]), SN_OK);
    CHECK_INT(sn_body_destroy(world, m->id[17]), SN_OK);
    for (int i = 17; i + 1 < m->count; i++) m->id[i] = m->id[i + 1], m->kind[i] = m->kind[i + 1];
    m->count -= 1;
    for (int i = 3; i + 1 < m->count; i++) m->id[i] = m->id[i + 1], m->kind[i] = m->kind[i + 1];
    m->count -= 1;
    return world;
}

static void check_same_world(const sn_world *a, const sn_world *b, const mixed *m) {
    CHECK(sn_world_hash(a) == sn_world_hash(b));
    CHECK_INT(sn_world_body_count(a), sn_world_body_count(b));
    CHECK_INT(sn_world_dof_count(a), sn_world_dof_count(b));
    CHECK_INT(sn_world_step_count(a), sn_world_step_count(b));
    CHECK(sn_world_time(a) == sn_world_time(b));
    for (int i = 0; i < m->count; i++) {
        CHECK(same_state(a, m->id[i], b, m->id[i]));
        CHECK(sn_body_label(a, m->id[i]) == sn_body_label(b, m->id[i]));
        CHECK(sn_body_rest_volume(a, m->id[i]) == sn_body_rest_volume(b, m->id[i]));
        int n = sn_body_point_count(a, m->id[i]), pa[MIXED_POINTS_MOST], pb[MIXED_POINTS_MOST];
        sn_real ma[MIXED_POINTS_MOST], mb[MIXED_POINTS_MOST];
        sn_rod_get_parents(a, m->id[i], pa, n), sn_rod_get_parents(b, m->id[i], pb, n);
        sn_body_get_masses(a, m->id[i], ma, n), sn_body_get_masses(b, m->id[i], mb, n);
        for (int k = 0; k < n; k++)
            CHECK(pa[k] == pb[k] && ma[k] == mb[k] && sn_rod_held(a, m->id[i], k) == sn_rod_held(b, m->id[i], k));
    }
}

TEST(a_restored_world_goes_on_bit_by_bit) {
    int widths[4], count = lane_widths(widths);
    for (int solver = 0; solver < 3; solver++) {
        for (int k = 0; k < count + 1; k++) {
            mixed m;
            sn_body gone;
            sn_world *world = middle(solver, &m, &gone), *copy = NULL;
            REQUIRE(world);
            mixed_run(world, &m, 20, 30);
            mixed_drive(world, &m, 30); // things are led and loaded, but have not moved yet
            saved bytes = save_of(world);
            sn_world_def def = sn_world_def_default();
            def.gravity = (sn_vec3){1, 2, 3}; // comes from the bytes, as do these
            def.solver = SN_SOLVER_JACOBI;
            def.iterations = 7;
            def.lanes = k < count ? widths[k] : 0;
            def.worker_count = k < count ? 1 : 3;
            CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &copy), SN_OK);
            REQUIRE(copy);
            CHECK_INT(sn_world_workers(copy), def.worker_count);
            check_same_world(world, copy, &m);
            CHECK(unchanged(copy, bytes));
            for (int step = 30; step < 60; step++) {
                if (step > 30) mixed_drive(world, &m, step), mixed_drive(copy, &m, step);
                CHECK_INT(sn_world_step(world, R(1.0 / 60), 1 + step % 3), SN_OK);
                CHECK_INT(sn_world_step(copy, R(1.0 / 60), 1 + step % 3), SN_OK);
                CHECK(sn_world_hash(world) == sn_world_hash(copy));
            }
            check_same_world(world, copy, &m);
            CHECK(unchanged(copy, save_of(world)));
            sn_world_destroy(world);
            sn_world_destroy(copy);
        }
    }
}

// The same with contacts, joints, moving shapes and sleepers.
TEST(a_restored_pile_goes_on_bit_by_bit) {
    int widths[4], count = lane_widths(widths);
    for (int k = 0; k < count + 1; k++) {
        sn_world_def def = sn_world_def_default();
        def.iterations = 2;
        sn_world *world = make_world(&def), *copy = NULL;
        REQUIRE(world);
        pile p = pile_build(world);
        pile_run(world, &p, 0, 30);
        CHECK(sn_world_get_contacts(world, NULL, 0) > 5);
        pile_drive(world, &p, 30);
        saved bytes = save_of(world);
        def.lanes = k < count ? widths[k] : 0;
        def.worker_count = k < count ? 1 : 3;
        CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &copy), SN_OK);
        REQUIRE(copy);
        CHECK(unchanged(copy, bytes));
        for (int step = 30; step < 90; step++) {
            if (step > 30) pile_drive(world, &p, step), pile_drive(copy, &p, step);
            CHECK_INT(sn_world_step(world, R(1.0 / 60), 1 + step % 2), SN_OK);
            CHECK_INT(sn_world_step(copy, R(1.0 / 60), 1 + step % 2), SN_OK);
            if (!CHECK(sn_world_hash(world) == sn_world_hash(copy))) break;
        }
        CHECK(unchanged(copy, save_of(world)));
        sn_world_destroy(world);
        sn_world_destroy(copy);
    }
}

TEST(ids_mean_the_same_after_restoring) {
    mixed m;
    sn_body gone, next[2][3];
    sn_world *world[2] = {middle(0, &m, &gone), NULL};
    REQUIRE(world[0]);
    saved bytes = save_of(world[0]);
    sn_world_def def = sn_world_def_default();
    CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &world[1]), SN_OK);
    free(bytes.bytes);
    REQUIRE(world[1]);
    for (int k = 0; k < 2; k++) {
        CHECK(!sn_body_exists(world[k], gone));
        for (int i = 0; i < 3; i++) { // new ids too: slots are reused in the same order
            sn_vec3 points[4];
            sn_rod_def rod = chain_def(points, 4);
            CHECK_INT(sn_rod_create(world[k], &rod, &next[k][i]), SN_OK);
        }
        CHECK(!sn_body_exists(world[k], gone));
        CHECK(next[k][0].slot1 == gone.slot1 && next[k][0].gen != gone.gen);
    }
    for (int i = 0; i < 3; i++) CHECK(next[0][i].slot1 == next[1][i].slot1 && next[0][i].gen == next[1][i].gen);
    for (int k = 0; k < 2; k++) CHECK_INT(sn_world_step(world[k], R(1.0 / 60), 1), SN_OK);
    CHECK(sn_world_hash(world[0]) == sn_world_hash(world[1]));
    sn_world_destroy(world[0]);
    sn_world_destroy(world[1]);
}

TEST(an_empty_world_can_be_saved) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def), *copy = NULL;
    REQUIRE(world);
    saved bytes = save_of(world);
    CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &copy), SN_OK);
    CHECK(sn_world_hash(world) == sn_world_hash(copy));
    free(bytes.bytes);
    sn_world_destroy(world);
    sn_world_destroy(copy);
}

TEST(too_small_a_buffer_is_left_alone) {
    mixed m;
    sn_body gone;
    sn_world *world = middle(0, &m, &gone);
    REQUIRE(world);
    size_t size = sn_world_save(world, NULL, 0);
    CHECK(size > HEADER_SIZE);
    CHECK_INT(sn_world_save(world, NULL, 1 << 20), size);
    unsigned char *bytes = malloc(size + 8);
    REQUIRE(bytes);
    const size_t room[] = {0, 1, HEADER_SIZE, size / 2, size - 1};
    for (int k = 0; k < 5; k++) {
        memset(bytes, 0xEE, size + 8);
        CHECK_INT(sn_world_save(world, bytes, room[k]), size);
        for (size_t i = 0; i < size + 8; i++) CHECK(bytes[i] == 0xEE);
    }
    CHECK_INT(sn_world_save(world, bytes, size + 8), size);
    for (size_t i = size; i < size + 8; i++) CHECK(bytes[i] == 0xEE);
    free(bytes);
    sn_world_destroy(world);
}

// ---- damaged bytes

// Small worlds with something of everything, so that every byte can be tried: rods, and what touches and ties them.
enum { RODS, TOUCHING, SMALL_WORLDS };

static saved small_bytes(int which) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    if (!world) abort();
    if (which == RODS) {
        mixed m = {0};
        mixed_add(world, &m, MIXED_DUMBBELL, 1);
        mixed_add(world, &m, MIXED_BRIDGE, 2);
        mixed_add(world, &m, MIXED_LOOP_BRANCH, 3);
        mixed_add(world, &m, MIXED_DUMBBELL, 4);
        mixed_run(world, &m, 0, 5);
        CHECK_INT(sn_body_destroy(world, m.id[0]), SN_OK);
    } else {
        pile p = pile_build(world);
        for (int i = 2; i < 7; i++) CHECK_INT(sn_body_destroy(world, p.rod[i]), SN_OK);
        CHECK_INT(sn_body_destroy(world, p.rod[8]), SN_OK);
        CHECK_INT(sn_body_destroy(world, p.shape[SN_GEOMETRY_PILL]), SN_OK);
        sn_joint_def joint = sn_joint_def_default();
        joint.body_a = p.rod[0], joint.body_b = p.shape[SN_GEOMETRY_BOX];
        CHECK_INT(sn_joint_create(world, &joint, &p.joint[1]), SN_OK);
        for (int step = 0; step < 20; step++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 1), SN_OK);
        CHECK(sn_world_get_contacts(world, NULL, 0) > 0);
    }
    saved bytes = save_of(world);
    sn_world_destroy(world);
    return bytes;
}

static sn_status try_bytes(const void *bytes, size_t size, counter *memory, sn_world **out) {
    sn_world_def def = sn_world_def_default();
    def.lanes = 1;
    def.allocator = counted(memory);
    sn_world *world = (sn_world *)memory;
    sn_status status = sn_world_restore(&def, bytes, size, &world);
    CHECK((status == SN_OK) == (world != NULL));
    if (status != SN_OK) CHECK_INT(memory->live, 0);
    CHECK_INT(memory->wrong, 0);
    *out = world;
    return status;
}

static void expect_format(const void *bytes, size_t size) {
    counter memory = {0};
    sn_world *world;
    CHECK_INT(try_bytes(bytes, size, &memory, &world), SN_ERR_FORMAT);
    sn_world_destroy(world);
}

static void check_shortened(saved whole) {
    for (size_t size = 0; size < whole.size; size++) {
        unsigned char *part = malloc(size + 1); // of exactly this size, for the sanitizer
        REQUIRE(part);
        memcpy(part + 1, whole.bytes, size);
        expect_format(part + 1, size);
        free(part);
    }
    unsigned char *more = calloc(1, whole.size + 8);
    REQUIRE(more);
    memcpy(more, whole.bytes, whole.size);
    expect_format(more, whole.size + 1);
    expect_format(more, whole.size + 8);
    free(more);
    free(whole.bytes);
}

TEST(every_shortened_file_is_refused) {
    for (int which = 0; which < SMALL_WORLDS; which++) check_shortened(small_bytes(which));
}

static void check_changed(saved whole) {
    for (size_t i = 0; i < whole.size; i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            whole.bytes[i] ^= (unsigned char)(1 << bit);
            expect_format(whole.bytes, whole.size);
            whole.bytes[i] ^= (unsigned char)(1 << bit);
        }
    }
    counter memory = {0};
    sn_world *world;
    CHECK_INT(try_bytes(whole.bytes, whole.size, &memory, &world), SN_OK);
    sn_world_destroy(world);
    CHECK_INT(memory.live, 0);
    free(whole.bytes);
}

TEST(every_changed_byte_is_noticed) {
    for (int which = 0; which < SMALL_WORLDS; which++) check_changed(small_bytes(which));
}

static void put_u64(unsigned char *at, uint64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (unsigned char)(value >> (8 * i));
}

// Makes length and hash right again, as somebody with bad intentions would.
static void forge(unsigned char *bytes, size_t size) {
    put_u64(bytes + LENGTH_AT, size - HEADER_SIZE);
    put_u64(bytes + HASH_AT, sn_hash_bytes(0, bytes + HEADER_SIZE, size - HEADER_SIZE));
}

static bool all_finite(const sn_world *world) {
    bool finite = true;
    for (int i = 0; i < sn_world_kind_count(world, SN_KIND_ROD); i++) {
        sn_body id = sn_world_kind_at(world, SN_KIND_ROD, i);
        int n = sn_body_point_count(world, id);
        sn_vec3 *v = malloc((size_t)n * sizeof *v);
        sn_quat *q = malloc((size_t)n * sizeof *q);
        if (!v || !q) abort();
        sn_body_get_points(world, id, v, n);
        for (int k = 0; k < n; k++) finite = finite && isfinite(v[k].x + v[k].y + v[k].z);
        sn_body_get_velocities(world, id, v, n);
        for (int k = 0; k < n; k++) finite = finite && isfinite(v[k].x) && isfinite(v[k].y) && isfinite(v[k].z);
        sn_rod_get_frames(world, id, q, n);
        for (int k = 0; k < n; k++) finite = finite && isfinite(q[k].x + q[k].y + q[k].z + q[k].w);
        free(v), free(q);
    }
    return finite;
}

// Restores forged bytes; if they are taken, the world must work: step, change, save, free.
static sn_status try_forged(unsigned char *bytes, size_t size) {
    counter memory = {0};
    sn_world *world;
    forge(bytes, size);
    sn_status status = try_bytes(bytes, size, &memory, &world);
    CHECK(status == SN_OK || status == SN_ERR_FORMAT);
    // What it claimed is bounded by what it is: kernels want the most scratch, some 2,000 numbers a block.
    CHECK(memory.most_bytes < 20000 + 400 * size);
    if (!world) return status;
    for (int step = 0; step < 2; step++) {
        sn_status stepped = sn_world_step(world, R(0.01), 1 + step);
        CHECK(stepped == SN_OK || stepped == SN_WARN_DIVERGED);
    }
    CHECK(all_finite(world));
    sn_energy energy = sn_world_energy(world);
    (void)energy;
    sn_world_momentum(world);
    sn_world_hash(world);
    sn_vec3 points[3];
    sn_rod_def def = chain_def(points, 3);
    for (int i = 0; i < 3; i++) {
        sn_body id;
        CHECK_INT(sn_rod_create(world, &def, &id), SN_OK);
        CHECK(sn_body_exists(world, id));
    }
    for (int i = sn_world_kind_count(world, SN_KIND_ROD) - 1; i >= 0; --i) {
        sn_body id = sn_world_kind_at(world, SN_KIND_ROD, i);
        int parents[MIXED_POINTS_MOST];
        sn_rod_get_parents(world, id, parents, MIXED_POINTS_MOST);
        sn_rod_hold(world, id, 0, SN_HOLD_CENTRE | SN_HOLD_CLAMP);
        sn_rod_move_clamp(world, id, 0, (sn_quat){0, 0, 0, 1});
        sn_rod_hold(world, id, sn_body_point_count(world, id) - 1, SN_HOLD_CLAMP);
        sn_rod_set_segment(world, id, 1, 2, R(0.5));
        if (i % 2) CHECK_INT(sn_body_destroy(world, id), SN_OK);
    }
    sn_world_step(world, R(0.01), 1);
    free(save_of(world).bytes);
    sn_world_destroy(world);
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    return status;
}

static void check_forged(saved whole) {
    unsigned char *bytes = malloc(whole.size);
    REQUIRE(bytes);
    uint64_t seed = 12345;
    int taken = 0, refused = 0;
    // Every 32-bit word in turn gets values that hurt: counts, indices, flags and numbers are all words.
    const uint32_t hurts[] = {0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0, 1, 0x00010000, 0x7F7FFFFF, 0x7FC00000};
    for (size_t at = HEADER_SIZE; at + 4 <= whole.size; at += SN_FEWER_ROUNDS) {
        memcpy(bytes, whole.bytes, whole.size);
        uint32_t word = hurts[random_below(&seed, 8)];
        memcpy(bytes + at, &word, 4);
        try_forged(bytes, whole.size) == SN_OK ? ++taken : ++refused;
    }
    // Random damage of a few bytes.
    for (int round = 0; round < ROUNDS(2000); round++) {
        memcpy(bytes, whole.bytes, whole.size);
        for (int k = 1 + random_below(&seed, 4); k > 0; --k)
            bytes[HEADER_SIZE + random_below(&seed, (int)whole.size - HEADER_SIZE)] = (unsigned char)random_u32(&seed);
        try_forged(bytes, whole.size) == SN_OK ? ++taken : ++refused;
    }
    CHECK(taken > 100 && refused > 100); // else the damage was too mild or too wild to say anything
    free(bytes);
    free(whole.bytes);
}

TEST(forged_bytes_break_nothing) {
    for (int which = 0; which < SMALL_WORLDS; which++) check_forged(small_bytes(which));
}

static void check_forged_lengths(saved whole) {
    uint64_t seed = 99;
    for (int round = 0; round < ROUNDS(300); round++) { // cut short, with a header that agrees
        size_t size = HEADER_SIZE + (size_t)random_below(&seed, (int)whole.size - HEADER_SIZE);
        unsigned char *part = malloc(size);
        REQUIRE(part);
        memcpy(part, whole.bytes, size);
        CHECK_INT(try_forged(part, size), SN_ERR_FORMAT);
        free(part);
    }
    for (int round = 0; round < ROUNDS(300); round++) { // pieces taken out or doubled
        size_t at = HEADER_SIZE + (size_t)random_below(&seed, (int)whole.size - HEADER_SIZE - 64);
        size_t piece = 1 + (size_t)random_below(&seed, 64);
        unsigned char *other = malloc(whole.size + piece);
        REQUIRE(other);
        memcpy(other, whole.bytes, at);
        memcpy(other + at, whole.bytes + at + (round % 2 ? piece : 0), whole.size - at - (round % 2 ? piece : 0));
        size_t size = round % 2 ? whole.size - piece : whole.size + piece;
        if (round % 2 == 0) memcpy(other + at + piece, whole.bytes + at, whole.size - at);
        try_forged(other, size);
        free(other);
    }
    free(whole.bytes);
}

TEST(forged_lengths_break_nothing) {
    for (int which = 0; which < SMALL_WORLDS; which++) check_forged_lengths(small_bytes(which));
}

TEST(bytes_of_something_else_are_refused) {
    static const char text[200] = "SINEWSAV but not really a world: somebody wrote a letter into it";
    expect_format(text, sizeof text);
    saved whole = small_bytes(RODS);
    const size_t fields[] = {0, 8, 12}; // the word, the version, the size of a number
    for (int k = 0; k < 3; k++) {
        whole.bytes[fields[k]] += 1;
        forge(whole.bytes, whole.size);
        expect_format(whole.bytes, whole.size);
        whole.bytes[fields[k]] -= 1;
    }
    CHECK_INT(whole.bytes[12], sizeof(sn_real));
    free(whole.bytes);
}

TEST(a_bad_definition_is_refused_with_good_bytes) {
    saved whole = small_bytes(RODS);
    sn_world_def def = sn_world_def_default();
    sn_world *world = (sn_world *)&def;
    lines log = {0};
    def.worker_count = 0, def.log = remember_line, def.log_user = &log;
    CHECK_INT(sn_world_restore(&def, whole.bytes, whole.size, &world), SN_ERR_DEF);
    CHECK(world == NULL);
    CHECK_INT(lines_about(&log, "worker_count"), 1);
    CHECK_INT(sn_world_restore(NULL, whole.bytes, whole.size, &world), SN_ERR_RANGE);
    CHECK(world == NULL);
    free(whole.bytes);
}
