// Fuzzes sn_world_restore with bytes whose header is always right, so that what is behind it gets read. It needs no
// corpus: an input too short to be a world is replaced by a saved one. See README.md for how to build and run it.
#include "any_calls.h"
#include "base/hash.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_SIZE = 32 }; // see world/save.c

// What the harness of the tests would say.
bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (good) return true;
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    return sn_test_check(a == b, file, line, text);
}

// A world of a few bodies of any kinds.
static saved sample(unsigned seed) {
    sn_world_def def = sn_world_def_default();
    choices c = {NULL, 0, seed + 1};
    any_world any;
    if (!any_begin(&any, &def, &c, 1)) abort();
    if (seed % 4 == 0)
        pile_build(any.world);
    else
        for (unsigned i = 0; i < 2 + seed % 4; ++i) any_make(&any);
    for (unsigned i = 0; i < seed % 5; ++i) sn_world_step(any.world, R(1.0 / 60), 1);
    any_change(&any);
    saved bytes = save_of(any.world);
    any_end(&any);
    return bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (size < 100 || seed % 50 == 0) {
        saved bytes = sample(seed);
        size = bytes.size - HEADER_SIZE < most ? bytes.size - HEADER_SIZE : most;
        memcpy(data, bytes.bytes + HEADER_SIZE, size);
        free(bytes.bytes);
    }
    return LLVMFuzzerMutate(data, size, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(HEADER_SIZE + size);
    if (!bytes) return 0;
    const uint64_t length = size, hash = sn_hash_bytes(0, data, size);
    static unsigned char head[16]; // magic, version, size of a number
    if (!head[0]) {
        saved empty = sample(0);
        memcpy(head, empty.bytes, sizeof head);
        free(empty.bytes);
    }
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + 16, &length, 8);
    memcpy(bytes + 24, &hash, 8);
    if (size > 0) memcpy(bytes + HEADER_SIZE, data, size);
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory);
    sn_world *world = NULL;
    sn_status status = sn_world_restore(&def, bytes, HEADER_SIZE + size, &world);
    CHECK(status == SN_OK || status == SN_ERR_FORMAT);
    CHECK((status == SN_OK) == (world != NULL));
    CHECK(memory.largest < 100000 + 4000 * size);
    if (world) {
        for (int i = 0; i < 2; ++i) sn_world_step(world, R(0.01), 1 + i);
        for (int i = 0; i < sn_world_rod_count(world); ++i) {
            sn_rod id = sn_world_rod_at(world, i);
            sn_vec3 c[MIXED_POINTS_MOST];
            int n = sn_rod_get_centres(world, id, c, MIXED_POINTS_MOST);
            for (int k = 0; k < n && k < MIXED_POINTS_MOST; ++k)
                CHECK(isfinite(c[k].x) && isfinite(c[k].y) && isfinite(c[k].z));
            sn_rod_hold(world, id, 1, SN_HOLD_CENTRE | SN_HOLD_FRAME);
            sn_rod_set_segment(world, id, 1, 2, R(0.5));
        }
        sn_world_step(world, R(0.01), 1);
        saved again = save_of(world); // what was read can be written and read again
        sn_world *copy = NULL;
        CHECK_INT(sn_world_restore(&def, again.bytes, again.size, &copy), SN_OK);
        CHECK(sn_world_hash(copy) == sn_world_hash(world));
        sn_world_destroy(copy);
        free(again.bytes);
        sn_world_destroy(world);
    }
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    free(bytes);
    return 0;
}
