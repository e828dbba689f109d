// Saving, restoring and hashing a world.
//
//     "SINEWSAV"  format version  bytes of a number  length of the body  hash of the body  |  body: settings, then each kind
#include "base/float_mode.h"
#include "base/hash.h"
#include "world/world.h"
#include <string.h>

#define FORMAT_VERSION 9
static const unsigned char magic[8] = {'S', 'I', 'N', 'E', 'W', 'S', 'A', 'V'};
enum { HEADER_SIZE = 8 + 4 + 4 + 8 + 8 };

// What of a world is being read, for whoever is told that it is damaged; null: nothing is wrong.
static const char *visit_world(sn_stream *stream, sn_world *world) {
    int solver = (int)world->solver;
    sn_visit_reals(stream, &world->gravity.x, 3);
    sn_visit_int(stream, &solver);
    sn_visit_int(stream, &world->iterations);
    sn_visit_double(stream, &world->time);
    sn_visit_u64(stream, &world->steps);
    sn_visit_bool(stream, &world->never_sleep);
    sn_stream_check(stream, solver >= SN_SOLVER_DIRECT && solver <= SN_SOLVER_JACOBI && world->iterations >= 1 &&
                                world->iterations <= 1000);
    world->solver = (sn_solver)solver;
    if (stream->bad) return "settings";
    for (int k = 0; k < KIND_COUNT; ++k) {
        sn_kinds[k]->save(world->systems[k], stream);
        if (stream->bad) return sn_kinds[k]->name;
    }
    sn_contacts_save(&world->contacts, stream);
    if (stream->mode == SN_STREAM_READ && !stream->bad) sn_stream_check(stream, sn_world_joints_are_fine(world));
    if (stream->bad) return "shapes and joints";
    sn_bundles_save(&world->bundles, sn_rods(world), stream);
    return stream->bad ? "bundles" : NULL;
}

static void visit_header(sn_stream *stream, uint64_t *length, uint64_t *hash) {
    unsigned char word[8];
    uint32_t version = FORMAT_VERSION, number = sizeof(sn_real);
    memcpy(word, magic, sizeof word);
    sn_visit_bytes(stream, word, sizeof word);
    sn_visit_u32(stream, &version);
    sn_visit_u32(stream, &number);
    sn_visit_u64(stream, length);
    sn_visit_u64(stream, hash);
    sn_stream_check(stream,
                    memcmp(word, magic, sizeof word) == 0 && version == FORMAT_VERSION && number == sizeof(sn_real));
}

size_t sn_world_save(const sn_world *world, void *dst, size_t capacity) {
    if (!world) return 0;
    // Counting and writing leave the world as it is; visiting takes it non-const because reading shares the code.
    sn_world *same = (sn_world *)(uintptr_t)world;
    sn_stream stream = {.mode = SN_STREAM_COUNT};
    visit_world(&stream, same);
    uint64_t length = stream.at, hash = 0;
    size_t size = HEADER_SIZE + stream.at;
    if (!dst || capacity < size) return size;
    stream = (sn_stream){.mode = SN_STREAM_WRITE, .write = dst, .at = HEADER_SIZE, .end = size};
    visit_world(&stream, same);
    hash = sn_hash_bytes(0, (unsigned char *)dst + HEADER_SIZE, (size_t)length);
    stream.at = 0;
    visit_header(&stream, &length, &hash);
    return size;
}

// Reads the bytes into a world that is empty.
static sn_status fill(sn_world *world, const void *bytes, size_t size) {
    sn_stream stream = {.mode = SN_STREAM_READ, .read = bytes, .end = size};
    uint64_t length = 0, hash = 0;
    const char *text = NULL;
    visit_header(&stream, &length, &hash);
    if (stream.bad)
        text = "these are not the bytes of a world that this version of the library has saved";
    else if (length != size - HEADER_SIZE)
        text = "the bytes are cut short, or more than were saved";
    else if (sn_hash_bytes(0, (const unsigned char *)bytes + HEADER_SIZE, (size_t)length) != hash)
        text = "the bytes are damaged: their sum is not what it was";
    if (text) {
        sn_say(&world->log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "%s", text);
        return SN_ERR_FORMAT;
    }
    sn_float_mode callers = sn_float_mode_enter(); // parameters are computed anew
    const char *part = visit_world(&stream, world);
    sn_float_mode_leave(callers);
    if (stream.starved) return SN_ERR_MEMORY;
    if (!part && stream.at == size) return SN_OK;
    sn_say(&world->log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "the bytes are damaged at %zu of %zu, in: %s", stream.at,
           size, part ? part : "what is behind the world");
    return SN_ERR_FORMAT;
}

sn_status sn_world_restore(const sn_world_def *def, const void *bytes, size_t size, sn_world **out) {
    if (!out) return SN_ERR_RANGE;
    *out = NULL;
    if (!bytes) return SN_ERR_RANGE;
    sn_world *world;
    sn_status status = sn_world_create(def, &world);
    if (status != SN_OK) return status;
    status = fill(world, bytes, size);
    if (status == SN_OK)
        *out = world;
    else
        sn_world_destroy(world);
    return status;
}

uint64_t sn_world_hash(const sn_world *world) {
    if (!world) return 0;
    uint64_t hash = sn_hash_u64(0, world->steps);
    for (int k = 0; k < KIND_COUNT; ++k) hash = sn_kinds[k]->hash(world->systems[k], hash);
    for (int i = 0; i < world->contacts.shape_count; ++i) {
        const sn_shape_body *shape = &world->contacts.shapes[i];
        const sn_pose *p = &shape->now;
        const sn_real pose[7] = {p->position.x, p->position.y, p->position.z, p->rotation.x,
                                 p->rotation.y, p->rotation.z, p->rotation.w};
        if (shape->alive) hash = sn_hash_reals(hash, pose, 7);
    }
    return hash;
}
