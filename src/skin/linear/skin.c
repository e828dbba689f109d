// Creates a skin: validates the definition, normalises weights, sorts vertices into batches.
#include "skin/linear/skin.h"
#include "base/float_mode.h"
#include "base/log.h"
#include "base/simd/lanes.h"
#include <stdio.h>

#define SKIN_MARK 0x51AE0401u

enum { MAX_VERTICES = 100000000, MAX_COMPLAINTS = 20, I = SN_SKIN_INFLUENCES };

sn_skin_def sn_skin_def_default(void) {
    return (sn_skin_def){.init_mark = SKIN_MARK};
}

// ---- validation

static int wrong_vertex(const sn_skin_def *def, const sn_log *log, int v) {
    char field[64];
    int wrong = 0;
    if (!sn_finite3(def->positions[v])) {
        snprintf(field, sizeof field, "positions[%d]", v);
        wrong += sn_def_error(log, field, "must be finite numbers");
    }
    if (def->normals && !sn_finite3(def->normals[v])) {
        snprintf(field, sizeof field, "normals[%d]", v);
        wrong += sn_def_error(log, field, "must be finite numbers");
    }
    double sum = 0;
    for (int i = 0; i < I; i++) {
        const float w = def->weights[(size_t)v * I + i];
        const int h = def->handles[(size_t)v * I + i];
        if (!(w >= 0 && w <= 1e6f)) { // NaN too
            snprintf(field, sizeof field, "weights[%d]", v * I + i);
            sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, field, "of vertex %d must be from 0 to 1e6, is %g", v,
                        (double)w);
            return wrong + 1;
        }
        if (w > 0 && h >= def->handle_count) {
            snprintf(field, sizeof field, "handles[%d]", v * I + i);
            wrong += sn_def_error(log, field, "of vertex %d must be less than handle_count (%d), is %d", v,
                                  def->handle_count, h);
        }
        sum += (double)w;
    }
    if (!(sum > 1e-6)) {
        snprintf(field, sizeof field, "weights[%d]", v * I);
        wrong += sn_def_error(log, field, "of vertex %d add up to %g: must be above 0", v, sum);
    }
    return wrong;
}

static int wrong_fields(const sn_skin_def *def, const sn_log *log) {
    int wrong = 0;
    const struct {
        const char *name;
        const void *array;
    } needed[] = {{"positions", def->positions}, {"handles", def->handles}, {"weights", def->weights}};
    for (int i = 0; i < 3; i++)
        if (!needed[i].array) wrong += sn_def_error(log, needed[i].name, "must not be null");
    if (def->vertex_count < 1 || def->vertex_count > MAX_VERTICES)
        wrong += sn_def_error(log, "vertex_count", "must be from 1 to %d, is %d", MAX_VERTICES, def->vertex_count);
    if (def->handle_count < 1 || def->handle_count > 65535)
        wrong += sn_def_error(log, "handle_count", "must be from 1 to 65535, is %d", def->handle_count);
    wrong += sn_def_lanes_error(log, def->lanes);
    wrong += sn_def_allocator_error(log, &def->allocator);
    if (wrong) return wrong;
    for (int v = 0; v < def->vertex_count && wrong < MAX_COMPLAINTS; v++) wrong += wrong_vertex(def, log, v);
    return wrong;
}

// ---- batches

// A vertex with normalised influences: those in use first, sorted by handle; the rest repeat the first with weight 0.
typedef struct {
    uint64_t key; // the handles, 16 bits each
    sn_real weight[I];
    int vertex, count;
} vertex_entry;

static vertex_entry tidy(const sn_skin_def *def, int v) {
    vertex_entry e = {.vertex = v};
    uint16_t handle[I];
    double weight[I], sum = 0;
    for (int i = 0; i < I; i++) {
        const double w = (double)def->weights[(size_t)v * I + i];
        const uint16_t h = def->handles[(size_t)v * I + i];
        if (!(w > 0)) continue;
        int at = 0;
        while (at < e.count && handle[at] < h) at++;
        sum += w;
        if (at < e.count && handle[at] == h) { // painted twice
            weight[at] += w;
            continue;
        }
        for (int k = e.count++; k > at; --k) handle[k] = handle[k - 1], weight[k] = weight[k - 1];
        handle[at] = h, weight[at] = w;
    }
    for (int i = 0; i < I; i++) {
        e.key = e.key << 16 | handle[i < e.count ? i : 0];
        e.weight[i] = i < e.count ? (sn_real)(weight[i] / sum) : 0;
    }
    // The largest weight absorbs the rounding error: otherwise positions far from the origin would be off.
    sn_real others = 0;
    int largest = 0;
    for (int i = 1; i < e.count; i++)
        if (e.weight[i] > e.weight[largest]) largest = i;
    for (int i = 0; i < e.count; i++) others += i == largest ? 0 : e.weight[i];
    e.weight[largest] = 1 - others;
    return e;
}

// Stable radix sort by key, eight passes. `other` is scratch; the result is in `entries`.
static void sort(vertex_entry *entries, vertex_entry *other, int count) {
    for (int byte = 0; byte < 8; byte++) {
        int starts[257] = {0};
        for (int i = 0; i < count; i++) ++starts[(entries[i].key >> (8 * byte) & 255) + 1];
        for (int k = 0; k < 256; k++) starts[k + 1] += starts[k];
        for (int i = 0; i < count; i++) other[starts[entries[i].key >> (8 * byte) & 255]++] = entries[i];
        vertex_entry *swap = entries;
        entries = other, other = swap;
    }
}

// Moves full batches of each run of equal keys to the front, the remainders behind them. Returns the number of vertices
// in full batches.
static int split(const vertex_entry *sorted, int count, int lanes, vertex_entry *out) {
    int full = 0, rest = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && sorted[end].key == sorted[i].key;) end++;
            const int whole = (end - i) / lanes * lanes;
            for (int k = i; k < i + whole && pass == 0; k++) out[full++] = sorted[k];
            for (int k = i + whole; k < end && pass == 1; k++) out[full + rest++] = sorted[k];
        }
    return full;
}

static void fill_lane(sn_skin *skin, const sn_skin_def *def, const vertex_entry *e, int batch, int lane) {
    const size_t lanes = (size_t)skin->lanes, b = (size_t)batch, l = (size_t)lane;
    sn_real *row = skin->rows + b * K_ROWS * lanes + l;
    const sn_vec3 p = sn_sub(def->positions[e->vertex], skin->origin);
    const sn_vec3 n = def->normals ? def->normals[e->vertex] : sn_v3(0, 0, 0);
    row[K_PX * lanes] = p.x, row[K_PY * lanes] = p.y, row[K_PZ * lanes] = p.z;
    row[K_NX * lanes] = n.x, row[K_NY * lanes] = n.y, row[K_NZ * lanes] = n.z;
    for (size_t i = 0; i < I; i++) {
        row[(K_W + i) * lanes] = e->weight[i];
        skin->handle[(b * I + i) * lanes + l] = (uint16_t)(e->key >> (16 * (I - 1 - i)));
    }
    skin->vertex[b * lanes + l] = e->vertex;
    if (skin->counts[b] < e->count) skin->counts[b] = (unsigned char)e->count;
}

static void find_origin(sn_skin *skin, const sn_skin_def *def) {
    sn_vec3 low = def->positions[0], high = low;
    for (int v = 1; v < def->vertex_count; v++) {
        const sn_vec3 p = def->positions[v];
        low = sn_v3(sn_min(low.x, p.x), sn_min(low.y, p.y), sn_min(low.z, p.z));
        high = sn_v3(sn_max(high.x, p.x), sn_max(high.y, p.y), sn_max(high.z, p.z));
    }
    skin->origin = sn_mul((sn_real)0.5, sn_add(low, high));
}

static sn_status fill(sn_skin *skin, const sn_skin_def *def) {
    const size_t lanes = (size_t)skin->lanes, batches = (size_t)skin->batches, n = (size_t)def->vertex_count;
    skin->rows = sn_alloc(&skin->memory, batches * lanes, K_ROWS * sizeof *skin->rows);
    skin->vertex = sn_alloc(&skin->memory, batches * lanes, sizeof *skin->vertex);
    skin->handle = sn_alloc(&skin->memory, batches * lanes, I * sizeof *skin->handle);
    skin->counts = sn_alloc(&skin->memory, batches, sizeof *skin->counts);
    vertex_entry *entries = sn_alloc(&skin->memory, n, sizeof *entries);
    vertex_entry *other = sn_alloc(&skin->memory, n, sizeof *other);
    bool good = skin->rows && skin->vertex && skin->handle && skin->counts && entries && other;
    if (good) {
        find_origin(skin, def);
        for (int v = 0; v < def->vertex_count; v++) entries[v] = tidy(def, v);
        sort(entries, other, def->vertex_count);
        skin->uniform = split(entries, def->vertex_count, skin->lanes, other) / skin->lanes;
        const int last = def->vertex_count - 1;
        for (int i = 0; i < skin->batches * skin->lanes; i++)
            fill_lane(skin, def, &other[i < last ? i : last], i / skin->lanes, i % skin->lanes);
    }
    sn_free(&skin->memory, entries, n, sizeof *entries);
    sn_free(&skin->memory, other, n, sizeof *other);
    return good ? SN_OK : SN_ERR_MEMORY;
}

// ---- public

sn_status sn_skin_create(const sn_skin_def *def, sn_skin **out) {
    if (out) *out = NULL;
    if (!def || !out) return SN_ERR_RANGE;
    if (def->init_mark != SKIN_MARK) return SN_ERR_DEF; // the log may be invalid too
    sn_log log = {def->log, def->log_user};
    if (wrong_fields(def, &log)) return SN_ERR_DEF;
    sn_memory memory;
    sn_memory_init(&memory, &def->allocator);
    sn_skin *skin = sn_alloc(&memory, 1, sizeof *skin);
    if (!skin) return SN_ERR_MEMORY;
    skin->memory = memory;
    atomic_init(&skin->instances, 0);
    skin->vertices = def->vertex_count;
    skin->handles = def->handle_count;
    skin->normals = def->normals != NULL;
    skin->lanes = def->lanes ? def->lanes : sn_best_lanes_here();
    skin->batches = (def->vertex_count + skin->lanes - 1) / skin->lanes;
    sn_skin_kernels(skin->lanes, skin->blends);
    sn_float_mode callers = sn_float_mode_enter();
    sn_status status = fill(skin, def);
    sn_float_mode_leave(callers);
    if (status != SN_OK) {
        sn_skin_destroy(skin);
        return status;
    }
    *out = skin;
    return SN_OK;
}

sn_status sn_skin_destroy(sn_skin *skin) {
    if (!skin) return SN_OK;
    if (atomic_load(&skin->instances) > 0) return SN_ERR_BUSY;
    const size_t lanes = (size_t)skin->lanes, batches = (size_t)skin->batches;
    sn_free(&skin->memory, skin->rows, batches * lanes, K_ROWS * sizeof *skin->rows);
    sn_free(&skin->memory, skin->vertex, batches * lanes, sizeof *skin->vertex);
    sn_free(&skin->memory, skin->handle, batches * lanes, I * sizeof *skin->handle);
    sn_free(&skin->memory, skin->counts, batches, sizeof *skin->counts);
    sn_memory memory = skin->memory; // a copy, to free the skin itself last
    sn_free(&memory, skin, 1, sizeof *skin);
    return SN_OK;
}

int sn_skin_vertex_count(const sn_skin *skin) {
    return skin ? skin->vertices : 0;
}

int sn_skin_handle_count(const sn_skin *skin) {
    return skin ? skin->handles : 0;
}
