// Bytes that were bent, of worlds of every kind of body: whatever they say, they are refused with a line in the log, or
// come to a world that steps, hands out nothing but numbers, and can be saved again. Rods and what touches them have
// every word of theirs bent in test_save.c, and a small bundle here; of the rest it is a sample. fuzz/fuzz_restore.c
// goes on where this ends.
#include "any_calls.h"
#include "base/hash.h"

enum { HEADER_SIZE = 32, LENGTH_AT = 16, HASH_AT = 24 }; // see world/save.c

typedef void make_fn(any_world *any);

static void of_springs(any_world *any) {
    while (sn_world_kind_count(any->world, SN_KIND_SPRING) < 3) make_springs(any);
    make_joint(any);
}
static void of_elastic(any_world *any) {
    while (sn_world_kind_count(any->world, SN_KIND_ELASTIC) < 1) make_elastic(any);
}
static void of_bundles(any_world *any) {
    while (sn_world_bundle_count(any->world) < 1) make_bundle(any);
}
static void of_muscles(any_world *any) {
    while (sn_world_kind_count(any->world, SN_KIND_IMPLICIT_MUSCLE) < 1) make_muscles(any);
}
static void of_shapes(any_world *any) {
    sn_body rod;
    make_rod(any, (sn_vec3){0, 0, 0}, &rod);
    for (int i = 0; i < 5; i++) make_shape(any), make_joint(any);
}
static make_fn *const kinds[] = {of_springs, of_elastic, of_bundles, of_muscles, of_shapes};
enum { KINDS = sizeof kinds / sizeof *kinds };

static saved bytes_of(int kind) {
    sn_world_def def = sn_world_def_default();
    choices c = {NULL, 0, (uint64_t)kind + 5};
    any_world any;
    if (!any_begin(&any, &def, &c, 1)) abort();
    kinds[kind](&any);
    for (int i = 0; i < 3; i++) sn_world_step(any.world, R(1.0 / 60), 1);
    saved bytes = save_of(any.world);
    any_end(&any);
    return bytes;
}

// Makes length and hash right again.
static void forge(unsigned char *bytes, size_t size) {
    const uint64_t length = size - HEADER_SIZE, hash = sn_hash_bytes(0, bytes + HEADER_SIZE, size - HEADER_SIZE);
    memcpy(bytes + LENGTH_AT, &length, 8);
    memcpy(bytes + HASH_AT, &hash, 8);
}

// Puts a rod through the middle of each body, so that whatever contacts assume of a body is used.
static void touch_all(sn_world *world) {
    const int count = sn_world_body_count(world);
    for (int i = 0; i < count && i < 8; i++) {
        const sn_box3 box = sn_body_bounds(world, sn_world_body_at(world, i));
        const sn_vec3 at = {R(0.5) * (box.min.x + box.max.x), R(0.5) * (box.min.y + box.max.y),
                            R(0.5) * (box.min.z + box.max.z)};
        sn_vec3 points[3];
        sn_rod_def rod = chain_def(points, 3);
        line_of(points, 3, at, R(0.1));
        rod.radius = R(0.05);
        sn_body id;
        sn_rod_create(world, &rod, &id);
    }
}

static sn_status try_forged(unsigned char *bytes, size_t size) {
    counter memory = {0};
    lines log = {0};
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory), def.log = remember_line, def.log_user = &log;
    forge(bytes, size);
    const sn_status status = sn_world_restore(&def, bytes, size, &world);
    CHECK(status == SN_OK || (status == SN_ERR_FORMAT && lines_about(&log, "bytes") == 1));
    CHECK((status == SN_OK) == (world != NULL));
    CHECK(memory.largest < 100000 + 4000 * size);
    if (world) {
        read_world(world);
        sn_world_step(world, R(0.01), 1);
        read_world(world);
        saved again = save_of(world);
        sn_world *copy = NULL;
        CHECK_INT(sn_world_restore(&def, again.bytes, again.size, &copy), SN_OK);
        CHECK(sn_world_hash(copy) == sn_world_hash(world));
        sn_world_destroy(copy);
        sn_world_destroy(world);
        free(again.bytes);
    }
    static int taken; // one in so many: it takes as long as all the rest
    if (world && taken++ % 16 == 0 && sn_world_restore(&def, bytes, size, &world) == SN_OK) {
        log.count = 0;
        touch_all(world);
        for (int i = 0; i < 2; i++) sn_world_step(world, R(0.01), 1);
        read_world(world);
        sn_world_destroy(world);
    }
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    return status;
}

TEST(bent_words_of_every_kind_break_nothing) {
    static const uint32_t hurts[] = {0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0,          1,          0x00010000,
                                     0x7F7FFFFF, 0x7FC00000, 0x5F000000, 0x7E967699, 0x00000001, 0x33D6BF95};
    for (int kind = 0; kind < KINDS; kind++) {
        saved whole = bytes_of(kind);
        unsigned char *bytes = malloc(whole.size);
        uint64_t seed = 77;
        int taken = 0, refused = 0;
        REQUIRE(bytes);
        CHECK_INT(try_forged(whole.bytes, whole.size), SN_OK);
        for (int round = 0; round < 1000; round++) {
            memcpy(bytes, whole.bytes, whole.size);
            for (int k = 1 + random_below(&seed, 2); k > 0; --k)
                memcpy(bytes + HEADER_SIZE + random_below(&seed, (int)whole.size - HEADER_SIZE - 4),
                       &hurts[random_below(&seed, sizeof hurts / sizeof *hurts)], 4);
            try_forged(bytes, whole.size) == SN_OK ? ++taken : ++refused;
        }
        CHECK(taken > 20 && refused > 20); // else the damage was too mild or too wild to say anything
        free(bytes);
        free(whole.bytes);
    }
}

// A rod said that one of its points weighs nothing, and its section had no centre. What a rod weighs follows from its
// shape now, and is not in the bytes.
TEST(no_word_of_a_bundle_leaves_a_section_without_a_place) {
    static const sn_real hurts[] = {0, -1, R(1e19), R(3e38)};
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    sn_vec3 points[3] = {{0, 1, 0}, {R(0.1), 1, 0}, {R(0.2), 1, 0}};
    sn_rod_def rod_def = sn_rod_def_default();
    rod_def.points = points, rod_def.point_count = 3;
    sn_body rod;
    sn_bundle_def bundle_def = sn_bundle_def_default();
    bundle_def.rods = &rod, bundle_def.rod_count = 1;
    sn_bundle bundle;
    REQUIRE(world);
    CHECK_INT(sn_rod_create(world, &rod_def, &rod), SN_OK);
    CHECK_INT(sn_bundle_create(world, &bundle_def, &bundle), SN_OK);
    saved whole = save_of(world);
    unsigned char *bytes = malloc(whole.size);
    REQUIRE(bytes);
    for (size_t at = HEADER_SIZE; at + sizeof *hurts <= whole.size; at++)
        for (size_t k = 0; k < sizeof hurts / sizeof *hurts; k++) {
            memcpy(bytes, whole.bytes, whole.size);
            memcpy(bytes + at, &hurts[k], sizeof *hurts);
            try_forged(bytes, whole.size);
        }
    free(bytes);
    free(whole.bytes);
    sn_world_destroy(world);
}

TEST(worlds_of_every_kind_that_are_cut_short_are_refused) {
    for (int kind = 0; kind < KINDS; kind++) {
        saved whole = bytes_of(kind);
        const size_t step = whole.size / 150 + 1;
        for (size_t size = HEADER_SIZE; size < whole.size; size += step) {
            unsigned char *part = malloc(size); // of exactly this size, for the sanitizer
            REQUIRE(part);
            memcpy(part, whole.bytes, size);
            CHECK_INT(try_forged(part, size), SN_ERR_FORMAT);
            free(part);
        }
        free(whole.bytes);
    }
}

// Where some numbers are in bytes, one after the other; 0 if they are not.
static size_t place_of(saved whole, const sn_real *numbers, size_t count) {
    const size_t size = count * sizeof *numbers;
    for (size_t at = HEADER_SIZE; at + size <= whole.size; at++)
        if (memcmp(whole.bytes + at, numbers, size) == 0) return at;
    return 0;
}

TEST(a_rigid_body_with_a_zero_rotation_is_refused) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    sn_rigid_def box = sn_rigid_def_default();
    box.geometry = SN_GEOMETRY_BOX, box.half = (sn_vec3){1, 1, 1}, box.position = (sn_vec3){R(1.25), R(2.5), 5};
    sn_body id;
    REQUIRE(world);
    CHECK_INT(sn_rigid_create(world, &box, &id), SN_OK);
    saved whole = save_of(world);
    const sn_real pose[7] = {R(1.25), R(2.5), 5, 0, 0, 0, 1}, longer = R(1.004);
    const size_t at = place_of(whole, pose, 7);
    REQUIRE(at > 0);
    CHECK_INT(try_forged(whole.bytes, whole.size), SN_OK);
    memcpy(whole.bytes + at + 6 * sizeof longer, &longer, sizeof longer);
    CHECK_INT(try_forged(whole.bytes, whole.size), SN_ERR_FORMAT);
    free(whole.bytes);
    sn_world_destroy(world);
}
