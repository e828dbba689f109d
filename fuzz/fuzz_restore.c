// Fuzzes what restores saved bytes: worlds, models of implicit skins, and skins. The first byte says which; headers are
// always right, so that what is behind them gets read. Whatever the bytes say, they are refused, with a line in the log,
// or something comes of them that steps, hands out nothing but numbers, and can be saved and restored again. It needs no
// corpus: an input too short is replaced by one that was saved. See README.md for how to build and run it.
// covers: src/world/world_save.c src/kinds/*_save.c src/skin/implicit/implicit_state.c src/skin/implicit/implicit_asset.c src/skin/implicit/implicit_model.c src/base/stream.c
#include "any_calls.h"
#include "base/hash.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_SIZE = 32, MARK_SIZE = 16 }; // see base/seal.c: letters, version, size of a number
enum { MODEL, SKIN, WORLD, SUBJECTS = 10 };

static int subject_of(uint8_t byte) {
    return byte % SUBJECTS < WORLD ? byte % SUBJECTS : WORLD;
}

// What the harness of the tests would say.
bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (good) return true;
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    if (a != b) fprintf(stderr, "%lld is not %lld: ", a, b);
    return sn_test_check(a == b, file, line, text);
}

// --- something to begin with ---

static saved bytes_of_model(const sn_implicit_model *model) {
    saved s = {NULL, sn_implicit_model_save(model, NULL, 0)};
    s.bytes = malloc(s.size);
    if (!s.bytes || sn_implicit_model_save(model, s.bytes, s.size) != s.size) abort();
    return s;
}

// A model of a limb with a muscle, made once.
static any_world limb(void) {
    static choices none = {NULL, 0, 7};
    sn_world_def def = sn_world_def_default();
    any_world any;
    if (!any_begin(&any, &def, &none, 1)) abort();
    while (!any.implicit || sn_implicit_model_asset(any.implicit)->muscle_count == 0) {
        any_end(&any);
        if (!any_begin(&any, &def, &none, 1)) abort();
        make_implicit(&any);
    }
    return any;
}

// A world of a few bodies of any kinds, or the model, or a skin of it.
static saved sample(int subject, unsigned seed) {
    if (subject != WORLD) {
        any_world any = limb();
        saved bytes = {NULL, sn_implicit_skin_save(any.cover, NULL, 0)};
        if (subject == MODEL) {
            bytes = bytes_of_model(any.implicit);
        } else {
            bytes.bytes = malloc(bytes.size);
            if (!bytes.bytes || sn_implicit_skin_save(any.cover, bytes.bytes, bytes.size) != bytes.size) abort();
        }
        any_end(&any);
        return bytes;
    }
    sn_world_def def = sn_world_def_default();
    choices c = {NULL, 0, seed + 1};
    any_world any;
    if (!any_begin(&any, &def, &c, 1)) abort();
    if (seed % 4 == 0)
        pile_build(any.world);
    else
        for (unsigned i = 0; i < 2 + seed % 4; i++) any_make(&any);
    for (unsigned i = 0; i < seed % 5; i++) sn_world_step(any.world, R(1.0 / 60), 1);
    any_change(&any);
    saved bytes = save_of(any.world);
    any_end(&any);
    return bytes;
}

// Words that hurt, counts and numbers, where words are: what lies around them stays what it was, so that they are reached.
static void hurt(uint8_t *data, size_t size, unsigned seed) {
    static const float reals[] = {0,    -1,   0.5f, 1,     2,     1e-30f, 1e-12f, 1e-7f, 1e-3f, 1e3f,
                                  1e6f, 1e7f, 1e9f, 1e12f, 7e12f, 1e15f,  1e19f,  1e25f, 3e38f, -1e6f};
    static const int32_t counts[] = {-1, 0, 1, 2, 3, 4, 5, 7, 8, 64, 1000, 1000000, INT32_MAX, INT32_MIN};
    uint64_t random = seed;
    for (int k = 1 + random_below(&random, 3); k > 0; --k) {
        const size_t at = 1 + (size_t)random_below(&random, (int)size - 5);
        const float real = reals[random_below(&random, sizeof reals / sizeof *reals)];
        const int32_t count = counts[random_below(&random, sizeof counts / sizeof *counts)];
        if (random_below(&random, 3))
            memcpy(data + at, &real, 4);
        else
            memcpy(data + at, &count, 4);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (size < 100 || seed % 50 == 0) {
        const int subject = subject_of((uint8_t)(seed / 50));
        saved bytes = sample(subject, seed);
        const size_t head = subject == SKIN ? 0 : HEADER_SIZE, body = bytes.size - head;
        size = body + 1 < most ? body + 1 : most;
        data[0] = (uint8_t)subject;
        memcpy(data + 1, bytes.bytes + head, size - 1);
        free(bytes.bytes);
    }
    if (seed % 2) return LLVMFuzzerMutate(data, size, most);
    hurt(data, size, seed);
    return size;
}

// --- trying them ---

// The bytes behind a header that is right.
static saved with_header(int subject, const uint8_t *data, size_t size) {
    static unsigned char marks[SUBJECTS][MARK_SIZE];
    saved s = {malloc(HEADER_SIZE + size), HEADER_SIZE + size};
    const uint64_t length = size, hash = sn_hash_bytes(0, data, size);
    if (!s.bytes) abort();
    if (!marks[subject][0]) {
        saved good = sample(subject, 0);
        memcpy(marks[subject], good.bytes, MARK_SIZE);
        free(good.bytes);
    }
    memcpy(s.bytes, marks[subject], MARK_SIZE);
    memcpy(s.bytes + 16, &length, 8);
    memcpy(s.bytes + 24, &hash, 8);
    if (size > 0) memcpy(s.bytes + HEADER_SIZE, data, size);
    return s;
}

static int said; // errors in the log
static void listen(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)code, (void)field;
    said += level == SN_LOG_ERROR && text[0] != 0;
}

static void try_world(const uint8_t *data, size_t size) {
    saved s = with_header(WORLD, data, size);
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory), def.log = listen;
    sn_world *world = NULL;
    said = 0;
    const sn_status status = sn_world_restore(&def, s.bytes, s.size, &world);
    CHECK(status == SN_OK || status == SN_ERR_FORMAT);
    CHECK((status == SN_OK) == (world != NULL));
    CHECK(status == SN_OK || said > 0);
    CHECK(memory.largest < 100000 + 4000 * size);
    if (world) {
        read_world(world);
        for (int i = 0; i < 2; i++) sn_world_step(world, R(0.01), 1 + i);
        read_world(world);
        for (int i = 0; i < sn_world_kind_count(world, SN_KIND_ROD); i++) {
            const sn_body id = sn_world_kind_at(world, SN_KIND_ROD, i);
            sn_rod_hold(world, id, 1, SN_HOLD_CENTRE | SN_HOLD_FRAME);
            sn_rod_set_segment(world, id, 1, 2, R(0.5));
        }
        sn_world_step(world, R(0.01), 1);
        read_world(world);
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
    free(s.bytes);
}

// A skin bends, and hands out numbers.
static void bend(sn_implicit_skin *skin, int bones, int vertices) {
    enum { MOST_BONES = 64, MOST_VERTICES = 1000 };
    static sn_vec3 positions[MOST_VERTICES], normals[MOST_VERTICES];
    const sn_implicit_output out = {&positions[0].x, sizeof *positions, &normals[0].x, sizeof *normals};
    sn_transform poses[MOST_BONES];
    if (bones > MOST_BONES || vertices > MOST_VERTICES) return;
    for (int round = 0; round < 4; round++) {
        for (int b = 0; b < bones; b++) poses[b] = (sn_transform){{R(0.5) * (sn_real)b, 0, 0}, {0, 0, 0, 1}};
        if (round > 1) poses[bones - 1].rotation = (sn_quat){0, 0, R(0.6), R(0.8)};
        if (round > 0) { // a model with muscles wants them to be there
            const sn_status status = sn_implicit_skin_update(skin, NULL, (sn_body){0}, poses, &out, NULL);
            CHECK(status == SN_OK || status == SN_ERR_STALE_ID);
        }
        CHECK_INT(sn_implicit_skin_read(skin, &out), SN_OK);
        for (int v = 0; v < vertices; v++) CHECK(finite3(positions[v]) && finite3(normals[v]));
    }
}

static void try_model(const uint8_t *data, size_t size) {
    saved s = with_header(MODEL, data, size);
    counter memory = {0};
    sn_implicit_model_def def = sn_implicit_model_def_default();
    def.allocator = counted(&memory), def.log = listen;
    sn_implicit_model *model = NULL;
    said = 0;
    const sn_status status = sn_implicit_model_restore(&def, s.bytes, s.size, &model);
    CHECK(status == SN_OK || status == SN_ERR_FORMAT);
    CHECK((status == SN_OK) == (model != NULL));
    CHECK(status == SN_OK || said > 0);
    if (model) {
        const sn_implicit_asset *asset = sn_implicit_model_asset(model);
        sn_implicit_skin *skin = NULL;
        CHECK_INT(sn_implicit_skin_create(model, &skin), SN_OK);
        bend(skin, asset->bone_count, asset->vertex_count);
        sn_implicit_skin_destroy(skin);
        saved again = bytes_of_model(model);
        sn_implicit_model *copy = NULL;
        CHECK_INT(sn_implicit_model_restore(&def, again.bytes, again.size, &copy), SN_OK);
        CHECK_INT(sn_implicit_model_destroy(copy), SN_OK);
        free(again.bytes);
        CHECK_INT(sn_implicit_model_destroy(model), SN_OK);
    }
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    free(s.bytes);
}

static void try_skin(const uint8_t *data, size_t size) {
    static sn_implicit_model *model;
    if (!model) { // one without muscles, which want a world to be in
        any_world any = limb();
        sn_implicit_asset asset = *sn_implicit_model_asset(any.implicit);
        asset.muscle_count = 0;
        sn_implicit_model_def def = sn_implicit_model_def_default();
        def.asset = &asset;
        CHECK_INT(sn_implicit_model_create(&def, &model), SN_OK);
        any_end(&any);
    }
    sn_implicit_skin *skin = NULL;
    CHECK_INT(sn_implicit_skin_create(model, &skin), SN_OK);
    uint8_t *bytes = malloc(size + 1); // a copy, where bytes lie as saved ones do
    if (!bytes) abort();
    if (size > 0) memcpy(bytes, data, size);
    const sn_status status = sn_implicit_skin_restore(skin, bytes, size);
    CHECK(status == SN_OK || status == SN_ERR_FORMAT);
    free(bytes);
    const sn_implicit_asset *asset = sn_implicit_model_asset(model);
    bend(skin, asset->bone_count, asset->vertex_count);
    sn_implicit_skin_destroy(skin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const int subject = subject_of(data[0]);
    if (subject == MODEL)
        try_model(data + 1, size - 1);
    else if (subject == SKIN)
        try_skin(data + 1, size - 1);
    else
        try_world(data + 1, size - 1);
    return 0;
}
