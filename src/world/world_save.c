// Saving, restoring and hashing a world: a header (file_header.h), the settings, then each kind that has bodies.
#include "base/file_header.h"
#include "base/float_mode.h"
#include "base/hash.h"
#include "world/world.h"

static const sn_file_header header = {"SINEWSAV", 18, "a world"};

// Whether a kind has or had bodies in this world. Other kinds are not saved, so that libraries built without them can
// restore the world.
static bool is_used(const sn_world *world, int row) {
    return sn_kinds[row]->slots(world->systems[row])->count > 0;
}

// Visits the id of a kind, then its system. A library built without the kind cannot read its bodies.
static const char *visit_kind(sn_stream *stream, sn_world *world, int row) {
    uint32_t id = stream->mode == SN_STREAM_READ ? 0 : sn_kinds[row]->id;
    sn_visit_u32(stream, &id);
    const int k = sn_kind_row(id);
    if (!sn_stream_check(stream, k >= 0)) return "a kind of body that this library was built without";
    if (stream->mode == SN_STREAM_READ && !sn_stream_check(stream, sn_kinds[k]->count(world->systems[k]) == 0))
        return sn_kinds[k]->name;
    sn_kinds[k]->save(world->systems[k], stream);
    return stream->bad ? sn_kinds[k]->name : NULL;
}

// Visits a world. Returns the name of the part that is damaged, for the error message; null: none.
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
    if (stream->mode == SN_STREAM_READ) world->solver = (sn_solver)solver;
    if (stream->bad) return "settings";
    const bool reading = stream->mode == SN_STREAM_READ;
    int kinds = 0;
    for (int i = 0; i < sn_kind_count; i++) kinds += is_used(world, i);
    sn_visit_int(stream, &kinds);
    if (!sn_stream_check(stream, kinds >= 0 && kinds <= SN_KIND_CAPACITY)) return "kinds";
    for (int i = 0; i < (reading ? kinds : sn_kind_count); i++) {
        if (!reading && !is_used(world, i)) continue;
        const char *failed = visit_kind(stream, world, i);
        if (failed) return failed;
    }
    for (int i = 0; i < sn_coupling_count; i++) {
        sn_couplings[i]->save(world->couplings[i], stream);
        if (stream->bad) return sn_couplings[i]->name;
    }
    return NULL;
}

static void visit(void *world, sn_stream *stream) {
    visit_world(stream, world);
}

size_t sn_world_save(const sn_world *world, void *dst, size_t capacity) {
    // Counting and writing do not change the world. The visitor takes it non-const because reading uses the same code.
    return world ? sn_file_header_save(&header, visit, (sn_world *)(uintptr_t)world, dst, capacity) : 0;
}

// Reads the bytes into an empty world.
static sn_status fill(sn_world *world, const void *bytes, size_t size) {
    sn_stream stream;
    const sn_status status = sn_file_header_open(&header, &world->log, bytes, size, &stream);
    if (status != SN_OK) return status;
    sn_float_mode callers = sn_float_mode_enter(); // reading recomputes parameters
    const char *part = visit_world(&stream, world);
    sn_float_mode_leave(callers);
    if (stream.starved) return SN_ERR_MEMORY;
    if (!part && stream.at == size) return SN_OK;
    sn_log_line(&world->log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "damaged at byte %zu of %zu, in: %s", stream.at,
                size, part ? part : "bytes after the world");
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
    for (int k = 0; k < sn_kind_count; k++) hash = sn_kinds[k]->hash(world->systems[k], hash);
    return hash;
}
