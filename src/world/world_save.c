// Saving, restoring and hashing a world: a head (seal.h), the settings, then each kind.
#include "base/file_header.h"
#include "base/float_mode.h"
#include "base/hash.h"
#include "world/world.h"

static const sn_seal seal = {"SINEWSAV", 12, "a world"};

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
    for (int k = 0; k < KIND_COUNT; k++) {
        sn_kinds[k]->save(world->systems[k], stream);
        if (stream->bad) return sn_kinds[k]->name;
    }
    sn_contacts_save(&world->contacts, stream);
    if (stream->mode == SN_STREAM_READ && !stream->bad) sn_stream_check(stream, sn_world_joints_are_fine(world));
    if (stream->bad) return "shapes and joints";
    sn_bundles_save(&world->bundles, sn_rods(world), stream);
    return stream->bad ? "bundles" : NULL;
}

static void visit(void *world, sn_stream *stream) {
    visit_world(stream, world);
}

size_t sn_world_save(const sn_world *world, void *dst, size_t capacity) {
    // Counting and writing leave the world as it is; visiting takes it non-const because reading shares the code.
    return world ? sn_seal_save(&seal, visit, (sn_world *)(uintptr_t)world, dst, capacity) : 0;
}

// Reads the bytes into a world that is empty.
static sn_status fill(sn_world *world, const void *bytes, size_t size) {
    sn_stream stream;
    const sn_status status = sn_seal_open(&seal, &world->log, bytes, size, &stream);
    if (status != SN_OK) return status;
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
    for (int k = 0; k < KIND_COUNT; k++) hash = sn_kinds[k]->hash(world->systems[k], hash);
    for (int i = 0; i < world->contacts.shape_count; i++) {
        const sn_shape_body *shape = &world->contacts.shapes[i];
        const sn_pose *p = &shape->now;
        const sn_real pose[7] = {p->position.x, p->position.y, p->position.z, p->rotation.x,
                                 p->rotation.y, p->rotation.z, p->rotation.w};
        if (shape->alive) hash = sn_hash_reals(hash, pose, 7);
    }
    return hash;
}
