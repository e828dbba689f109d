// One table of the asset's arrays drives writing, measuring and reading. Reading checks, in this order: the header and
// its size, the checksum, the counts against the size (so that memory stays in proportion to the bytes), the lists of
// offsets. Only then it allocates the arrays, fills them, and checks the asset as a whole. See elastic_format.h.
#include "assets/elastic_format.h"
#include "base/hash.h"
#include "kinds/elastic/elastic_system.h"
#include "sinew/asset.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, COUNTS = 12, COUNTS_OFFSET = 32, HEAD = COUNTS_OFFSET + 4 * COUNTS };
_Static_assert((int)HEAD == (int)SN_ELASTIC_HEAD_SIZE, "the header ends with the counts");
static const char magic[8] = {'s', 'i', 'n', 'e', 'w', 'E', 'L', '\n'};

typedef enum { INTS, REALS, BYTES } array_type;

typedef struct {
    const char *name; // as sn_elastic_asset_check calls it
    array_type type;
    size_t count; // of numbers
    size_t rows;  // of the asset's array, and their size
    size_t size;
    void **at;
} array;

enum { ARRAYS = 19 };
_Static_assert(sizeof(sn_vec3) == 3 * sizeof(sn_real), "vectors are three numbers");

// The arrays of an asset with these counts, in the order of the bytes.
static void list_arrays(sn_elastic_asset *a, const int count[COUNTS], array out[ARRAYS]) {
    const size_t n = (size_t)count[0], tets = (size_t)count[1], triangles = (size_t)count[2],
                 spheres = (size_t)count[3], cones = (size_t)count[4], slabs = (size_t)count[5],
                 handles = (size_t)count[6], pairs = (size_t)count[7], sphere_pairs = (size_t)count[8],
                 drawn = (size_t)count[10], drawn_triangles = (size_t)count[11];
    const array all[ARRAYS] = {
        {"rest", REALS, 3 * n, n, sizeof *a->rest, (void **)&a->rest},
        {"tets", INTS, 4 * tets, tets, sizeof *a->tets, (void **)&a->tets},
        {"triangles", INTS, 3 * triangles, triangles, sizeof *a->triangles, (void **)&a->triangles},
        {"centre", REALS, 3 * spheres, spheres, sizeof *a->centre, (void **)&a->centre},
        {"radius", REALS, spheres, spheres, sizeof *a->radius, (void **)&a->radius},
        {"cones", INTS, 2 * cones, cones, sizeof *a->cones, (void **)&a->cones},
        {"slabs", INTS, 3 * slabs, slabs, sizeof *a->slabs, (void **)&a->slabs},
        {"handle_sphere", INTS, handles, handles, sizeof *a->handle_sphere, (void **)&a->handle_sphere},
        {"handle_quadratic", BYTES, handles, handles, sizeof *a->handle_quadratic, (void **)&a->handle_quadratic},
        {"first", INTS, n + 1, n + 1, sizeof *a->first, (void **)&a->first},
        {"handle", INTS, pairs, pairs, sizeof *a->handle, (void **)&a->handle},
        {"weights of vertex", REALS, pairs, pairs, sizeof *a->weight, (void **)&a->weight},
        {"sphere_first", INTS, spheres + 1, spheres + 1, sizeof *a->sphere_first, (void **)&a->sphere_first},
        {"sphere_handle", INTS, sphere_pairs, sphere_pairs, sizeof *a->sphere_handle, (void **)&a->sphere_handle},
        {"weights of sphere", REALS, sphere_pairs, sphere_pairs, sizeof *a->sphere_weight, (void **)&a->sphere_weight},
        {"vertex", BYTES, count[9] ? n : 0, count[9] ? n : 0, sizeof *a->anchored, (void **)&a->anchored},
        {"drawn_corner", INTS, 4 * drawn, drawn, sizeof *a->drawn_corner, (void **)&a->drawn_corner},
        {"drawn_weight", REALS, 4 * drawn, drawn, sizeof *a->drawn_weight, (void **)&a->drawn_weight},
        {"drawn_triangles", INTS, 3 * drawn_triangles, drawn_triangles, sizeof *a->drawn_triangles,
         (void **)&a->drawn_triangles},
    };
    memcpy(out, all, sizeof all);
}

// In the file, padded.
static size_t file_size(const array *a) {
    return a->type == BYTES ? (a->count + 3) & ~(size_t)3 : 4 * a->count;
}

// ---- numbers

static void put_u32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static void put_u64(unsigned char *at, uint64_t value) {
    put_u32(at, (uint32_t)value), put_u32(at + 4, (uint32_t)(value >> 32));
}

static uint32_t get_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get_u64(const unsigned char *at) {
    return (uint64_t)get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

static void put_array(unsigned char *at, const array *a) {
    if (a->type == BYTES) {
        if (a->count) memcpy(at, *a->at, a->count);
        return;
    }
    for (size_t i = 0; i < a->count; i++) {
        uint32_t bits;
        const float number = a->type == REALS ? (float)((const sn_real *)*a->at)[i] : 0;
        if (a->type == REALS)
            memcpy(&bits, &number, sizeof bits);
        else
            bits = (uint32_t)((const int *)*a->at)[i];
        put_u32(at + 4 * i, bits);
    }
}

static void get_array(const unsigned char *at, const array *a) {
    if (a->type == BYTES) {
        if (a->count) memcpy(*a->at, at, a->count);
        return;
    }
    for (size_t i = 0; i < a->count; i++) {
        const uint32_t bits = get_u32(at + 4 * i);
        float number;
        memcpy(&number, &bits, sizeof number);
        if (a->type == REALS)
            ((sn_real *)*a->at)[i] = (sn_real)number;
        else
            ((int *)*a->at)[i] = (int)bits;
    }
}

// ---- writing

void sn_elastic_asset_sign(void *bytes, size_t size) {
    unsigned char *head = bytes;
    put_u64(head + 24, sn_hash_bytes(1, head + COUNTS_OFFSET, size - COUNTS_OFFSET));
}

size_t sn_elastic_asset_write(const sn_elastic_asset *asset, void *dst, size_t capacity) {
    sn_elastic_asset copy = *asset;
    const int count[COUNTS] = {copy.vertex_count,
                               copy.tet_count,
                               copy.triangle_count,
                               copy.sphere_count,
                               copy.cone_count,
                               copy.slab_count,
                               copy.handle_count,
                               copy.first[copy.vertex_count],
                               copy.sphere_first[copy.sphere_count],
                               copy.anchored ? 1 : 0,
                               copy.drawn_count,
                               copy.drawn_triangle_count};
    array arrays[ARRAYS];
    size_t size = HEAD;
    list_arrays(&copy, count, arrays);
    for (int i = 0; i < ARRAYS; i++) size += file_size(&arrays[i]);
    if (!dst || size > capacity) return size;
    unsigned char *bytes = dst;
    memset(bytes, 0, size); // padding
    memcpy(bytes, magic, sizeof magic);
    put_u32(bytes + 8, VERSION);
    put_u32(bytes + 12, 4);
    put_u64(bytes + 16, size);
    for (int i = 0; i < COUNTS; i++) put_u32(bytes + COUNTS_OFFSET + 4 * i, (uint32_t)count[i]);
    size_t at = HEAD;
    for (int i = 0; i < ARRAYS; i++) {
        put_array(bytes + at, &arrays[i]);
        at += file_size(&arrays[i]);
    }
    sn_elastic_asset_sign(bytes, size);
    return size;
}

// ---- reading

typedef struct {
    const unsigned char *bytes;
    size_t size;
    sn_asset_error *error;
} reader;

// Describes the error at an offset; returns false.
__attribute__((format(printf, 3, 4))) static bool fail(reader *r, size_t offset, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    r->error->offset = offset;
    vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_head(reader *r) {
    if (r->size < sizeof magic || memcmp(r->bytes, magic, sizeof magic) != 0)
        return fail(r, 0, "this is not a baked elastic body");
    if (r->size < HEAD) return fail(r, r->size, "the file ends within its header of %d bytes", HEAD);
    const uint32_t version = get_u32(r->bytes + 8), real = get_u32(r->bytes + 12);
    if (version != VERSION)
        return fail(r, 8, "version %u is not supported, only %d; bake the body again", (unsigned)version, VERSION);
    if (real != 4) return fail(r, 12, "numbers of %u bytes are not supported, only 4", (unsigned)real);
    const uint64_t size = get_u64(r->bytes + 16);
    if (size != r->size)
        return fail(r, 16, "the header says %llu bytes, but there are %zu", (unsigned long long)size, r->size);
    if (get_u64(r->bytes + 24) != sn_hash_bytes(1, r->bytes + COUNTS_OFFSET, r->size - COUNTS_OFFSET))
        return fail(r, 24, "the checksum does not match: the file is damaged");
    return true;
}

static bool check_counts(reader *r, int count[COUNTS]) {
    static const char *const what[COUNTS] = {
        "vertices", "tetrahedra",          "triangles",          "spheres",          "cones",        "slabs",
        "handles",  "weights of vertices", "weights of spheres", "lists of anchors", "drawn points", "drawn triangles"};
    for (int i = 0; i < COUNTS; i++) {
        const size_t at = COUNTS_OFFSET + 4 * (size_t)i;
        const uint32_t value = get_u32(r->bytes + at),
                       max = i == 9 ? 1 : (uint32_t)(r->size < 0x7fffffff / 8 ? r->size : 0x7fffffff / 8);
        if (value > max)
            return fail(r, at, "%u %s do not fit into a file of %zu bytes", (unsigned)value, what[i], r->size);
        count[i] = (int)value;
    }
    return true;
}

// Firsts rise from 0 to the number of weights.
static bool check_firsts(reader *r, size_t at, const array *a, int pairs) {
    uint32_t last = 0;
    for (size_t i = 0; i < a->count; i++) {
        const uint32_t value = get_u32(r->bytes + at + 4 * i);
        if (value < last || value > (uint32_t)pairs || (i == 0 && value != 0) ||
            (i + 1 == a->count && value != (uint32_t)pairs))
            return fail(r, at + 4 * i, "%s[%zu] is %u; it must rise from 0 to %d", a->name, i, (unsigned)value, pairs);
        last = value;
    }
    return true;
}

// The offset of the array that a message of sn_elastic_asset_check is about.
static size_t find_offset(const array *arrays, const char *message) {
    size_t at = HEAD;
    for (int i = 0; i < ARRAYS; i++) {
        const size_t length = strlen(arrays[i].name);
        if (strncmp(message, arrays[i].name, length) == 0 && (message[length] == '[' || message[length] == ' '))
            return at;
        at += file_size(&arrays[i]);
    }
    return COUNTS_OFFSET;
}

// Allocates and fills the arrays.
static bool read_arrays(reader *r, sn_memory *memory, array arrays[ARRAYS]) {
    size_t at = HEAD;
    bool good = true;
    for (int i = 0; i < ARRAYS && good; i++) {
        const bool wanted = arrays[i].rows > 0;
        if (wanted) good = (*arrays[i].at = sn_alloc(memory, arrays[i].rows, arrays[i].size)) != NULL;
        if (good && wanted) get_array(r->bytes + at, &arrays[i]);
        at += file_size(&arrays[i]);
    }
    if (good) return true;
    for (int i = 0; i < ARRAYS; i++) sn_free(memory, *arrays[i].at, arrays[i].rows, arrays[i].size);
    r->error->out_of_memory = true;
    return fail(r, 0, "out of memory");
}

bool sn_elastic_asset_read(const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                           sn_asset_error *error) {
    reader r = {bytes, size, error};
    int count[COUNTS];
    array arrays[ARRAYS];
    sn_elastic_asset asset = {0};
    *out = asset;
    *error = (sn_asset_error){0};
    if (!check_head(&r) || !check_counts(&r, count)) return false;
    list_arrays(&asset, count, arrays);
    size_t total = HEAD, at = HEAD;
    for (int i = 0; i < ARRAYS; i++) total += file_size(&arrays[i]);
    if (total != size) return fail(&r, COUNTS_OFFSET, "the counts need %zu bytes, but there are %zu", total, size);
    for (int i = 0; i < ARRAYS; i++) {
        if ((strcmp(arrays[i].name, "first") == 0 && !check_firsts(&r, at, &arrays[i], count[7])) ||
            (strcmp(arrays[i].name, "sphere_first") == 0 && !check_firsts(&r, at, &arrays[i], count[8])))
            return false;
        at += file_size(&arrays[i]);
    }
    if (!read_arrays(&r, memory, arrays)) return false;
    asset.vertex_count = count[0], asset.tet_count = count[1], asset.triangle_count = count[2];
    asset.sphere_count = count[3], asset.cone_count = count[4], asset.slab_count = count[5];
    asset.handle_count = count[6], asset.drawn_count = count[10], asset.drawn_triangle_count = count[11];
    char message[SN_ELASTIC_ERROR_SIZE];
    if (!sn_elastic_asset_check(&asset, message)) {
        sn_elastic_asset_free(memory, &asset);
        return fail(&r, find_offset(arrays, message), "%s", message);
    }
    *out = asset;
    return true;
}

// ---- models

sn_status sn_elastic_model_load(const sn_elastic_model_def *def, const void *bytes, size_t size,
                                sn_elastic_model **out) {
    if (out) *out = NULL;
    if (!def || !bytes || !out) return SN_ERR_RANGE;
    sn_elastic_model *model;
    const sn_log log = {def->log, def->log_user};
    const sn_status status = sn_elastic_model_begin(def, &model);
    if (status != SN_OK) return status;
    sn_asset_error error;
    if (sn_elastic_asset_read(bytes, size, &model->memory, &model->asset, &error)) {
        *out = model;
        return SN_OK;
    }
    sn_elastic_model_destroy(model);
    if (error.out_of_memory) return SN_ERR_MEMORY;
    sn_log_line(&log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes", "offset %zu: %s", error.offset, error.text);
    return SN_ERR_FORMAT;
}

size_t sn_elastic_model_save(const sn_elastic_model *model, void *dst, size_t capacity) {
    return model ? sn_elastic_asset_write(&model->asset, dst, capacity) : 0;
}
