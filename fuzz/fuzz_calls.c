// Fuzzes the calls on a world: the bytes say which are made, with which arguments, numbers taken from them bit by bit
// (test/any_calls.h). Whatever they say, the library must not crash, leak, or hand out anything that is not a number.
// See README.md for how to build and run it.
// covers: src/kinds/*.c src/couplings/*.c src/world/*.c src/query/*.c src/draw/*.c src/geometry/*.c src/skin/*.c
#include "any_calls.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Now and then a long story of any bytes: they choose every call alike.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    if (size >= 50 && random_below(&random, 20)) return LLVMFuzzerMutate(data, size, most);
    size = most < 1500 ? most : 1500;
    for (size_t i = 0; i < size; i++) data[i] = (uint8_t)random_below(&random, 256);
    return size;
}

static char said[256]; // the last log line
static void listen(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level;
    snprintf(said, sizeof said, "%s: %s: %s", sn_status_name(code), field, text);
}

bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (good) return true;
    fprintf(stderr, "%s:%d: %s; the world said: %s\n", file, line, text, said);
    abort();
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    if (a != b) fprintf(stderr, "%lld is not %lld: ", a, b);
    return sn_test_check(a == b, file, line, text);
}

// What needs no world, or none that is sound.
static void call_without(choices *c) {
    const int preset = choose(c, 256);
    const char *name = sn_preset_name((sn_preset)preset);
    CHECK((name != NULL) == (preset < SN_PRESET_COUNT));
    CHECK(sn_version() > 0 && sn_best_lanes() >= 1);
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    def.gravity = vector(c, 10), def.iterations = choose(c, 3), def.worker_count = choose(c, 3);
    def.lanes = choose(c, 17), def.solver = (sn_solver)choose(c, 4);
    if (chance(c, 10)) def.init_mark = 0;
    const sn_status status = sn_world_create(&def, &world);
    CHECK((status == SN_OK) == (world != NULL));
    CHECK(!world || (sn_world_lanes(world) >= 1 && sn_world_workers(world) == def.worker_count));
    sn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    choices c = {data, size, 0};
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    static const double sizes[4] = {1, 0.01, 100, 1};
    def.allocator = counted(&memory), def.log = listen;
    any_world any;
    const double scale = sizes[choose(&c, 4)];
    if (!any_begin(&any, &def, &c, scale)) return 0;
    for (int calls = 0; c.left > 0 && calls < 150; calls++) {
        const int what = choose(&c, 16);
        if (what < 4) {
            const sn_real dt = number(&c, 1e-3, 0.05);
            const bool right = dt >= R(1e-7) && dt <= 1;
            if (right)
                any_step(&any, (double)dt, 1 + choose(&c, 2));
            else
                CHECK_INT(sn_world_step(any.world, dt, 1), SN_ERR_RANGE);
        } else if (what < 8)
            any_make(&any);
        else if (what == 15 && chance(&c, 8))
            call_without(&c);
        else if (what == 14 && chance(&c, 4))
            any_restore(&any); // whatever came of it can be saved and read again
        else
            any_change(&any);
    }
    any_restore(&any);
    any_end(&any);
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    return 0;
}
