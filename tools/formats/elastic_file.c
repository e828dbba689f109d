// One table of the asset's arrays drives writing, measuring and reading. A file is read in this order: the head and its
// size, the checksum, counts against the size (so that no more memory is taken than the file is long), lists of firsts,
// and only then the arrays; at last the asset is checked as a whole.
#include "formats/elastic_file.h"
#include "base/hash.h"
#include "formats/atomic_file.h"
#include "formats/file_text.h"
#include "formats/mesh_reader.h"
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, COUNTS = 12, COUNTS_AT = 32, HEAD = COUNTS_AT + 4 * COUNTS };
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

enum { ARRAYS = 20 };
_Static_assert(sizeof(sn_vec3) == 3 * sizeof(sn_real), "vectors are three numbers");

// The arrays of an asset with these counts, in the order of the file. Returns how many.
static int list_arrays(sn_elastic_asset *a, const int count[COUNTS], array out[ARRAYS]) {
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
    return ARRAYS - 1;
}

// In the file, padded.
static size_t file_size(const array *a) {
    return a->type == BYTES ? (a->count + 3) & ~(size_t)3 : 4 * a->count;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

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

// --- writing ---------------------------------------------------------------------------------------------------------

void elastic_file_sign(unsigned char *bytes, size_t size) {
    put_u64(bytes + 24, sn_hash_bytes(1, bytes + COUNTS_AT, size - COUNTS_AT));
}

unsigned char *elastic_file_bytes(const sn_elastic_asset *asset, size_t *size) {
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
    const int arrays_count = list_arrays(&copy, count, arrays);
    size_t at = HEAD;
    for (int i = 0; i < arrays_count; i++) at += file_size(&arrays[i]);
    unsigned char *bytes = calloc(at, 1);
    if (!bytes) return NULL;
    *size = at;
    memcpy(bytes, magic, sizeof magic);
    put_u32(bytes + 8, VERSION);
    put_u32(bytes + 12, 4);
    put_u64(bytes + 16, at);
    for (int i = 0; i < COUNTS; i++) put_u32(bytes + COUNTS_AT + 4 * i, (uint32_t)count[i]);
    at = HEAD;
    for (int i = 0; i < arrays_count; i++) {
        put_array(bytes + at, &arrays[i]);
        at += file_size(&arrays[i]);
    }
    elastic_file_sign(bytes, at);
    return bytes;
}

bool elastic_file_write(const char *name, const sn_elastic_asset *asset, char why[MESH_WHY_SIZE]) {
    size_t size;
    atomic_file file;
    unsigned char *bytes = elastic_file_bytes(asset, &size);
    if (!bytes) {
        snprintf(why, MESH_WHY_SIZE, "cannot write %.300s: out of memory", name);
        return false;
    }
    bool good = atomic_file_open(&file, name);
    if (good) {
        fwrite(bytes, 1, size, file.out); // errors come back at the commit
        good = atomic_file_commit(&file);
    }
    if (!good) snprintf(why, MESH_WHY_SIZE, "%s", file.why);
    atomic_file_abort(&file);
    free(bytes);
    return good;
}

bool elastic_name_is_known(const char *name) {
    const size_t length = strlen(name);
    return length > 8 && strcmp(name + length - 8, ".elastic") == 0;
}

// --- reading ---------------------------------------------------------------------------------------------------------

static bool check_head(mesh_reader *r) {
    if (r->size < sizeof magic || memcmp(r->bytes, magic, sizeof magic) != 0)
        return reader_fail(r, 0, "it does not begin as a baked elastic body does");
    if (r->size < HEAD) return reader_fail(r, r->size, "the file ends within its head, which has %d bytes", HEAD);
    const uint32_t version = get_u32(r->bytes + 8), real = get_u32(r->bytes + 12);
    if (version != VERSION)
        return reader_fail(r, 8, "its version is %u, and %d is read; bake it anew", (unsigned)version, VERSION);
    if (real != 4) return reader_fail(r, 12, "its numbers have %u bytes, and 4 are read", (unsigned)real);
    const uint64_t size = get_u64(r->bytes + 16);
    if (size != r->size)
        return reader_fail(r, 16, "it says to have %llu bytes, and has %zu", (unsigned long long)size, r->size);
    if (get_u64(r->bytes + 24) != sn_hash_bytes(1, r->bytes + COUNTS_AT, r->size - COUNTS_AT))
        return reader_fail(r, 24, "the checksum is not that of the bytes: the file is damaged");
    return true;
}

static bool check_counts(mesh_reader *r, int count[COUNTS]) {
    static const char *const what[COUNTS] = {
        "vertices", "tetrahedra",          "triangles",          "spheres",          "cones",        "slabs",
        "handles",  "weights of vertices", "weights of spheres", "lists of anchors", "drawn points", "drawn triangles"};
    for (int i = 0; i < COUNTS; i++) {
        const size_t at = COUNTS_AT + 4 * (size_t)i;
        const uint32_t value = get_u32(r->bytes + at),
                       most = i == 9 ? 1 : (uint32_t)(r->size < 0x7fffffff / 8 ? r->size : 0x7fffffff / 8);
        if (value > most)
            return reader_fail(r, at, "%u %s do not fit into a file of %zu bytes", (unsigned)value, what[i], r->size);
        count[i] = (int)value;
    }
    return true;
}

// Firsts rise from 0 to the number of weights.
static bool check_firsts(mesh_reader *r, size_t at, const array *a, int pairs) {
    uint32_t last = 0;
    for (size_t i = 0; i < a->count; i++) {
        const uint32_t value = get_u32(r->bytes + at + 4 * i);
        if (value < last || value > (uint32_t)pairs || (i == 0 && value != 0) ||
            (i + 1 == a->count && value != (uint32_t)pairs))
            return reader_fail(r, at + 4 * i, "%s[%zu] is %u; it rises from 0 to %d", a->name, i, (unsigned)value,
                               pairs);
        last = value;
    }
    return true;
}

// Where the array is that a sentence of sn_elastic_asset_check is about.
static size_t where(const array *arrays, int count, const char *words) {
    size_t at = HEAD;
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(arrays[i].name);
        if (strncmp(words, arrays[i].name, length) == 0 && (words[length] == '[' || words[length] == ' ')) return at;
        at += file_size(&arrays[i]);
    }
    return COUNTS_AT;
}

bool elastic_file_parse(const char *name, const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                        char why[MESH_WHY_SIZE]) {
    mesh_reader r = {.name = name, .bytes = bytes, .size = size, .why = why};
    int count[COUNTS];
    array arrays[ARRAYS];
    sn_elastic_asset made = {0};
    *out = made;
    why[0] = '\0';
    if (!check_head(&r) || !check_counts(&r, count)) return false;
    const int arrays_count = list_arrays(&made, count, arrays);
    size_t total = HEAD, at = HEAD;
    for (int i = 0; i < arrays_count; i++) total += file_size(&arrays[i]);
    if (total != size)
        return reader_fail(&r, COUNTS_AT, "its counts ask for %zu bytes, and there are %zu", total, size);
    for (int i = 0; i < arrays_count; i++) {
        if ((strcmp(arrays[i].name, "first") == 0 && !check_firsts(&r, at, &arrays[i], count[7])) ||
            (strcmp(arrays[i].name, "sphere_first") == 0 && !check_firsts(&r, at, &arrays[i], count[8])))
            return false;
        at += file_size(&arrays[i]);
    }
    bool good = true;
    at = HEAD;
    for (int i = 0; i < arrays_count && good; i++) {
        const bool wanted = arrays[i].rows > 0;
        if (wanted) good = (*arrays[i].at = sn_alloc(memory, arrays[i].rows, arrays[i].size)) != NULL;
        if (good && wanted) get_array(r.bytes + at, &arrays[i]);
        at += file_size(&arrays[i]);
    }
    if (!good) { // what is freed must be what was made
        for (int i = 0; i < arrays_count; i++) sn_free(memory, *arrays[i].at, arrays[i].rows, arrays[i].size);
        return reader_fail(&r, 0, "out of memory");
    }
    made.vertex_count = count[0], made.tet_count = count[1], made.triangle_count = count[2];
    made.sphere_count = count[3], made.cone_count = count[4], made.slab_count = count[5];
    made.handle_count = count[6], made.drawn_count = count[10], made.drawn_triangle_count = count[11];
    char words[SN_ELASTIC_ERROR_SIZE];
    if (!sn_elastic_asset_check(&made, words)) {
        sn_elastic_asset_free(memory, &made);
        return reader_fail(&r, where(arrays, arrays_count, words), "%s", words);
    }
    *out = made;
    return true;
}

bool elastic_file_read(const char *name, sn_memory *memory, sn_elastic_asset *out, char why[MESH_WHY_SIZE]) {
    char *text, words[256];
    size_t size;
    *out = (sn_elastic_asset){0};
    if (!file_text_read(name, (size_t)1 << 32, &text, &size, words, sizeof words)) {
        snprintf(why, MESH_WHY_SIZE, "%.300s: error: %s", name, words);
        return false;
    }
    const bool good = elastic_file_parse(name, text, size, memory, out, why);
    free(text);
    return good;
}
