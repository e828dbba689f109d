// Fuzzes what comes over the wire of the viewer. The first byte says which: baked scenes for session_open (even), messages
// to a run (odd), texts for the server (from TEXTS on, odd). A small scene is baked at the start: it is what baked inputs are
// made from and messages act on. The marks and sums of a baked scene are put right, as an enemy would, so that what is
// behind them gets read. Messages are mutated as messages, texts by the words of the protocol.
//
// Whatever is accepted is stepped, saved, restored and stepped again, and both runs must be the same.
// See README.md for how to build and run it.
// covers: tools/session/*.c
#include "base/hash.h"
#include "scene/scene.h"
#include "session/page_format.h"
#include "session/page_message.h"
#include "session/page_pack.h"
#include "session/page_text.h"
#include "session/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 0xF1 };

static const char scene_text[] =
    "{\"step\": 0.02, \"duration\": 0.2, \"bodies\": ["
    "{\"kind\": \"rod\", \"name\": \"a\", \"line\": {\"to\": [0.4, 0, 0], \"segments\": 3}, \"radius\": 0.05,"
    " \"clamp_first\": true, \"position\": [0, 0.3, 0]},"
    "{\"kind\": \"spring\", \"name\": \"c\", \"cloth\": {\"columns\": 3, \"rows\": 3, \"across\": [0.2, 0, 0],"
    " \"down\": [0, 0, 0.2]}, \"position\": [0, 0.2, 0]}],"
    "\"rigid_bodies\": [{\"plane\": true}, {\"sphere\": {\"radius\": 0.1}, \"motion\": {\"keys\": [{\"t\": 0, "
    "\"offset\":"
    " [0, 0, 0]}, {\"t\": 1, \"offset\": [0, 0.5, 0]}]}}],"
    "\"loads\": [{\"body\": \"a\", \"point\": -1, \"keys\": [{\"t\": 0, \"force\": [0, 0, 2]}]}]}";

static packed_page baked;

static void prepare(void) {
    if (baked.bytes) return;
    tool_error error = {0};
    sn_scene *scene = scene_parse("x.json", scene_text, sizeof scene_text - 1, NULL);
    if (!scene || !page_pack(scene, scene->body_count, &baked, &error)) {
        if (scene) errors_print(&scene->errors, stderr);
        fprintf(stderr, "the scene cannot be baked: %s\n", error.text);
        abort();
    }
    scene_free(scene);
}

// A clock that ticks when it is looked at, so that a run of many steps ends.
static double tick(void) {
    static double now;
    return now += 0.1;
}

static void mend(uint8_t *bytes, size_t size) {
    page_header h;
    enum { SAVED_HEAD = 32 }; // see world/save.c
    if (size < sizeof h) return;
    memcpy(&h, bytes, sizeof h);
    memcpy(h.magic, PAGE_MAGIC, sizeof h.magic);
    h.version = PAGE_VERSION, h.size = (uint32_t)size;
    memcpy(bytes, &h, sizeof h);
    if (h.world.offset > size || h.world.size > size - h.world.offset || h.world.size < SAVED_HEAD) return;
    uint8_t *world = bytes + h.world.offset;
    const uint64_t length = h.world.size - SAVED_HEAD, sum = sn_hash_bytes(0, world + SAVED_HEAD, (size_t)length);
    memcpy(world, baked.bytes + ((const page_header *)(const void *)baked.bytes)->world.offset, 16); // magic, version
    memcpy(world + 16, &length, 8);
    memcpy(world + 24, &sum, 8);
}

// --- mutation ---

static unsigned below(unsigned *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

// A word of a message, as `talk` reads it: a small integer, a small float, or four bytes of any value.
static size_t put_word(uint8_t *to, unsigned *seed) {
    static const uint32_t special[] = {0x7fc00000u, 0x7f800000u, 0x80000000u, 0x00000001u, 0x49742400u, // NaN to 1e6
                                       0x49742410u, 0xffffffffu, 0x80000001u, 0x40000000u, 0x40000001u, 0x3c23d70au};
    const unsigned way = below(seed, 8);
    if (way < 2) return *to = (uint8_t)below(seed, 32), 1;
    if (way < 6) return *to = (uint8_t)(32 + below(seed, 168)), 1;
    *to = 200;
    memcpy(to + 1, &special[below(seed, sizeof special / sizeof *special)], 4);
    return 5;
}

enum { LONGEST = 2 + 5 * MESSAGE_MAX_WORDS };

// A message of a type that there is, with as many words as it has.
static size_t put_message(uint8_t *to, unsigned *seed) {
    static const uint8_t words[MESSAGE_TYPES] = {0, 1, 1, 1, 0, 1, 2, 6, 3, 0, 8, 1, 1, 0, 4, 2};
    const unsigned type = 1 + below(seed, MESSAGE_TYPES - 1);
    size_t size = 2;
    to[0] = (uint8_t)type, to[1] = words[type];
    for (int i = 0; i < words[type]; i++) size += put_word(to + size, seed);
    return size;
}

// Where messages of an input start; returns how many there are.
static int find_messages(const uint8_t *data, size_t size, size_t starts[64]) {
    int count = 0;
    for (size_t at = 1; at < size && count < 63; count++) {
        starts[count] = at;
        const size_t words = at + 1 < size ? data[at + 1] % 12u : 0;
        at += 2;
        for (size_t i = 0; i < words && at < size; i++) at += data[at] < 200 ? 1 : 5;
    }
    starts[count] = size;
    return count;
}

// Puts `piece` in place of the bytes from `first` to `last`.
static size_t replace(uint8_t *data, size_t size, size_t most, size_t first, size_t last, const void *piece,
                      size_t length) {
    if (size - (last - first) + length > most) return size;
    memmove(data + first + length, data + last, size - last);
    memcpy(data + first, piece, length);
    return size - (last - first) + length;
}

static size_t mutate_messages(uint8_t *data, size_t size, size_t most, unsigned *seed) {
    size_t starts[64];
    uint8_t made[LONGEST];
    const int count = find_messages(data, size, starts);
    const size_t length = put_message(made, seed);
    const unsigned at = below(seed, (unsigned)count + 1), what = below(seed, 4);
    if (what < 2 || count == 0) return replace(data, size, most, starts[at], starts[at], made, length); // one more
    const unsigned one = at % (unsigned)count, other = below(seed, (unsigned)count);
    if (what == 2) return replace(data, size, most, starts[one], starts[one + 1], made, length);
    uint8_t again[4096]; // a message again, elsewhere
    const size_t its = starts[other + 1] - starts[other];
    if (its > sizeof again) return size;
    memcpy(again, data + starts[other], its);
    return replace(data, size, most, starts[one], starts[one], again, its);
}

static size_t mutate_text(uint8_t *data, size_t size, size_t most, unsigned *seed) {
    static const char *const tokens[] = {"{\"open\": \"stack\"}",
                                         "{\"drive\": true}",
                                         "\"open\"",
                                         "\"drive\"",
                                         ":",
                                         "true",
                                         "false",
                                         "null",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "\"",
                                         ",",
                                         "\\u0000",
                                         "\\ud800",
                                         "\\",
                                         "1e999",
                                         "-0.0",
                                         "[[[[[[[",
                                         "{\"open\":",
                                         "\xc3\xa9",
                                         "\xff",
                                         " ",
                                         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    const char *token = tokens[below(seed, sizeof tokens / sizeof *tokens)];
    const size_t first = 1 + below(seed, (unsigned)size), left = size - first;
    const size_t last = first + (below(seed, 2) && left ? below(seed, (unsigned)(left < 9 ? left : 9)) : 0);
    const size_t before = size;
    size = replace(data, size, most, first, last, token, strlen(token));
    for (unsigned i = below(seed, 12) ? 0 : 1 + below(seed, 300); i > 0 && size >= before; i--) // deep or long
        size = replace(data, size, most, first, first, token, strlen(token));
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    prepare();
    const unsigned what = below(&seed, 20);
    if (what == 0 && baked.size + 1 <= most) {
        data[0] = 0;
        memcpy(data + 1, baked.bytes, baked.size);
        return LLVMFuzzerMutate(data, baked.size + 1, most);
    }
    if (what <= 2 || size < 1) {
        if (most < 2) return LLVMFuzzerMutate(data, size, most);
        data[0] = what == 1 ? TEXTS : 1;
        size = size < 1 ? 1 : size;
    }
    if (what < 14 && data[0] % 2 && data[0] >= TEXTS) return mutate_text(data, size, most, &seed);
    if (what < 14 && data[0] % 2) return mutate_messages(data, size, most, &seed);
    return LLVMFuzzerMutate(data, size, most);
}

// --- trying ---

static void fail(const char *words) {
    fprintf(stderr, "%s\n", words);
    abort();
}

static void use(session *at) {
    size_t size = 0;
    session_advance(at, 0.05, 0.2);
    const void *frame = session_frame(at, &size);
    if (!frame || size < 53 * 4) fail("there is no frame");
    session_changed(at);
}

static uint32_t step_of(session *at) {
    size_t size;
    uint32_t step;
    const unsigned char *frame = session_frame(at, &size);
    if (!frame) fail("there is no frame");
    memcpy(&step, frame + 12, 4);
    return step;
}

static void say(session *at, uint32_t type, int words, uint32_t value) {
    const uint32_t message[2] = {type, value};
    if (session_message(at, message, 4 * (size_t)words) != SN_OK) fail("a plain message is refused");
}

static void do_steps(session *at, uint32_t count) {
    say(at, MESSAGE_STEP, 2, count);
    while (session_advance(at, 0, 1e9) > 0) {
    }
}

// Going back in the session, and saving and restoring its world, both lead to the same run.
static void compare(session *at) {
    enum { STEPS = 3 };
    say(at, MESSAGE_PLAY, 2, 0);
    say(at, MESSAGE_DROP, 1, 0);
    say(at, MESSAGE_SCRUB, 2, UINT32_MAX);
    const uint32_t step = step_of(at);
    const uint64_t start = sn_world_hash(session_world(at));
    do_steps(at, STEPS);
    const uint64_t end = sn_world_hash(session_world(at));
    say(at, MESSAGE_SCRUB, 2, step);
    if (step_of(at) == step) { // else that state was thinned out
        if (sn_world_hash(session_world(at)) != start) fail("another state after going back");
        do_steps(at, STEPS);
        if (sn_world_hash(session_world(at)) != end) fail("another run after going back");
    }
    sn_world *world = session_world(at), *twin = NULL;
    sn_world_def def = sn_world_def_default();
    def.worker_count = 1;
    const size_t size = sn_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    if (!bytes) return;
    if (sn_world_save(world, bytes, size) != size) fail("the world changes its size");
    if (sn_world_restore(&def, bytes, size, &twin) != SN_OK) fail("the world cannot be restored");
    free(bytes);
    for (int i = 0; i <= STEPS; i++) {
        if (sn_world_hash(world) != sn_world_hash(twin)) fail("the restored world is another one");
        const sn_status here = sn_world_step(world, (sn_real)0.02, 1), there = sn_world_step(twin, (sn_real)0.02, 1);
        if (here != there) fail("the restored world steps otherwise");
    }
    sn_world_destroy(twin);
}

// Messages: a type, then words; each is a byte of its own or four bytes.
static void talk(session *at, const uint8_t *data, size_t size) {
    const uint8_t *end = data + size;
    for (int said = 0; data < end && said < 40; said++) {
        uint32_t words[12] = {*data++ % (MESSAGE_TYPES + 1u)};
        size_t count = 1;
        const size_t most = data < end ? *data++ % 12u : 0;
        while (count <= most && count < 12 && data < end) {
            const uint8_t way = *data++;
            const float small = ((float)way - 64) / 16;
            if (way < 32)
                words[count] = way;
            else if (way < 200)
                memcpy(&words[count], &small, 4);
            else
                memcpy(&words[count], data, (size_t)(end - data) < 4 ? (size_t)(end - data) : 4),
                    data += (size_t)(end - data) < 4 ? (size_t)(end - data) : 4;
            count++;
        }
        if (words[0] == MESSAGE_SET && words[1] >= 1 && words[1] <= 3) continue; // these only make it slow
        page_message message;
        const bool valid = page_message_read(words, 4 * count, &message, NULL);
        const sn_status status = session_message(at, words, 4 * count);
        if (!valid && status != SN_ERR_FORMAT) fail("an invalid message is accepted");
        if (said % 3 == 0) use(at);
    }
}

static void read_text(const char *text, size_t size) {
    page_text said, again;
    tool_error error = {0};
    char *copy = malloc(size ? size : 1); // of just this size, so that a byte too much is seen
    if (!copy) return;
    memcpy(copy, text, size);
    const bool good = page_text_read(copy, size, &said, &error);
    free(copy);
    if (!good && !error.text[0]) fail("a refusal without a reason");
    if (!good) return;
    if (!said.open[0] && !said.drive) fail("a text that says nothing is accepted");
    if (strlen(said.open) >= sizeof said.open) fail("a name without an end");
    for (const char *c = said.open; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 32) return;
    char made[PAGE_TEXT_SCENE + 40];
    const int length = said.open[0] ? snprintf(made, sizeof made, "{\"open\": \"%s\"}", said.open)
                                    : snprintf(made, sizeof made, "{\"drive\": true}");
    if (!page_text_read(made, (size_t)length, &again, NULL) || strcmp(again.open, said.open) != 0)
        fail("a text does not survive being written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    if (size < 2) return 0;
    const session_options options = {.workers = 1, .history_bytes = 1 << 20, .clock = tick};
    session *at = NULL;
    if (data[0] % 2 && data[0] >= TEXTS) {
        read_text((const char *)data + 1, size - 1);
    } else if (data[0] % 2) {
        if (session_open(baked.bytes, baked.size, &options, &at) != SN_OK) fail("the scene cannot be opened");
        talk(at, data + 1, size - 1);
    } else {
        uint8_t *bytes = malloc(size - 1);
        if (!bytes) return 0;
        memcpy(bytes, data + 1, size - 1);
        mend(bytes, size - 1);
        const sn_status status = session_open(bytes, size - 1, &options, &at);
        if ((status == SN_OK) != (at != NULL)) fail("a session, or none");
        free(bytes);
    }
    if (at) use(at);
    if (at) compare(at);
    session_close(at);
    return 0;
}
