// Fuzzes what comes over the wire of the viewer: baked scenes for session_open (when the first byte is even), and messages to
// a run (when it is odd). A small scene is baked at the start: it is what baked inputs are made from and messages act on.
// The marks and sums of a baked scene are put right, as an enemy would, so that what is behind them gets read.
// See README.md for how to build and run it.
#include "base/hash.h"
#include "scene/scene.h"
#include "session/page_format.h"
#include "session/page_pack.h"
#include "session/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    prepare();
    if (seed % 20 == 0 && baked.size + 1 <= most) {
        data[0] = 0;
        memcpy(data + 1, baked.bytes, baked.size);
        size = baked.size + 1;
    }
    return LLVMFuzzerMutate(data, size, most);
}

static void use(session *at) {
    size_t size = 0;
    session_advance(at, 0.05, 0.2);
    const void *frame = session_frame(at, &size);
    if (!frame || size < 53 * 4) abort();
    session_changed(at);
}

// Messages: a type, then words; each is a byte of its own or four bytes.
static void talk(session *at, const uint8_t *data, size_t size) {
    const uint8_t *end = data + size;
    for (int said = 0; data < end && said < 40; said++) {
        uint32_t words[12] = {*data++ % 15u};
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
        if (words[0] == 6 && words[1] <= 3) continue; // substeps and the like only make it slow
        session_message(at, words, 4 * count);
        if (said % 3 == 0) use(at);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    prepare();
    if (size < 2) return 0;
    const session_options options = {.workers = 1, .history_bytes = 1 << 20, .clock = tick};
    session *at = NULL;
    if (data[0] % 2) {
        if (session_open(baked.bytes, baked.size, &options, &at) != SN_OK) abort();
        talk(at, data + 1, size - 1);
    } else {
        uint8_t *bytes = malloc(size - 1);
        if (!bytes) return 0;
        memcpy(bytes, data + 1, size - 1);
        mend(bytes, size - 1);
        const sn_status status = session_open(bytes, size - 1, &options, &at);
        if ((status == SN_OK) != (at != NULL)) abort();
        free(bytes);
    }
    if (at) use(at);
    session_close(at);
    return 0;
}
