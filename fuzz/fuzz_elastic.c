// Fuzzes the reader of baked elastic bodies: the bytes are a file whose checksum is put right, as an enemy would.
// Whatever they say, reading must not crash, leak, or take more than 50 times its size of memory, and what was read
// must be sound and give the same file again; a body of it is touched, stepped, saved, restored and stepped again. It
// needs no corpus: an input too short to be a file is replaced by a good one, a tetrahedron with one handle. See
// README.md for how to build and run it.
// covers: src/assets/elastic_format.c src/kinds/elastic/elastic_asset.c tools/formats/elastic_file.c
// beyond: elastic_file_write elastic_file_read elastic_name_is_known elastic_file_id: files on disk
#include "assets/elastic_format.h"
#include "counted_memory.h"
#include "formats/elastic_file.h"
#include "fuzz_world.h"
#include "sinew/asset.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 80 };

static void check(bool good, const char *text, const char *error) {
    if (good) return;
    fprintf(stderr, "not so: %s (%s)\n", text, error);
    abort();
}

// The smallest body, with something in every array.
static unsigned char *sample(size_t *size) {
    static sn_vec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static int tets[1][4] = {{0, 1, 2, 3}}, triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static sn_vec3 centre[3] = {{0.2f, 0.2f, 0.2f}, {0.3f, 0.2f, 0.2f}, {0.2f, 0.3f, 0.2f}};
    static sn_real radius[3] = {0.1f, 0.1f, 0.1f};
    static int cones[1][2] = {{0, 1}}, slabs[1][3] = {{0, 1, 2}}, handle_sphere[1] = {0};
    static unsigned char quadratic[1] = {0}, anchored[4] = {1, 0, 0, 0};
    static int first[5] = {0, 0, 1, 2, 3}, handle[3] = {0, 0, 0};
    static sn_real weight[3] = {1, 1, 1};
    static int sphere_first[4] = {0, 1, 2, 3}, sphere_handle[3] = {0, 0, 0};
    static sn_real sphere_weight[3] = {1, 1, 1};
    static int drawn_corner[3][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}, drawn_triangles[1][3] = {{0, 1, 2}};
    static sn_real drawn_weight[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    const sn_elastic_asset asset = {4,
                                    rest,
                                    1,
                                    tets,
                                    4,
                                    triangles,
                                    3,
                                    centre,
                                    radius,
                                    1,
                                    cones,
                                    1,
                                    slabs,
                                    1,
                                    handle_sphere,
                                    quadratic,
                                    first,
                                    handle,
                                    weight,
                                    sphere_first,
                                    sphere_handle,
                                    sphere_weight,
                                    anchored,
                                    3,
                                    drawn_corner,
                                    drawn_weight,
                                    1,
                                    drawn_triangles};
    return elastic_file_bytes(&asset, size);
}

// Keeps the size in the head right, most of the time: nothing else would be reached.
static void mend(uint8_t *data, size_t size, unsigned seed) {
    if (size < HEAD || seed % 8 == 0) return;
    for (int i = 0; i < 8; i++) data[16 + i] = (uint8_t)((uint64_t)size >> (8 * i));
    sn_elastic_asset_sign(data, size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (size < HEAD || seed % 50 == 0) {
        size_t whole = 0;
        unsigned char *bytes = sample(&whole);
        if (!bytes) abort();
        size = whole < most ? whole : most;
        memcpy(data, bytes, size);
        free(bytes);
    }
    size = LLVMFuzzerMutate(data, size, most);
    mend(data, size, seed / 50);
    return size;
}

// Bodies of a small model are stepped.
static void use_model(sn_elastic_model *model) {
    const sn_elastic_asset *asset = sn_elastic_model_asset(model);
    if (asset->tet_count > 2000 || asset->handle_count > 40) return;
    sn_world *world = fuzz_world();
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.self_collide = true;
    sn_body body = {0};
    sn_elastic_create(world, &def, &body); // may be refused: its tetrahedra may be flat
    fuzz_try(world, body);
}

// The public call agrees, and its model gives the same bytes.
static void load_model(const unsigned char *bytes, size_t size, bool good) {
    const sn_elastic_model_def def = sn_elastic_model_def_default();
    sn_elastic_model *model = NULL;
    const sn_status status = sn_elastic_model_load(&def, bytes, size, &model);
    check(status == (good ? SN_OK : SN_ERR_FORMAT) && good == (model != NULL), "a model, or none",
          "sn_elastic_model_load");
    check(sn_elastic_model_save(model, NULL, 0) == (good ? size : 0), "it has the same size", "sn_elastic_model_save");
    if (model) use_model(model);
    check(sn_elastic_model_destroy(model) == SN_OK, "it can be destroyed", "sn_elastic_model_destroy");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tool_error error = {0};
    unsigned char *bytes = malloc(size ? size : 1);
    sn_memory memory;
    sn_elastic_asset asset;
    if (!bytes) abort();
    memcpy(bytes, data, size);
    sn_memory_init(&memory, NULL);
    listen();
    live = peak = 0;
    counting = true;
    const bool good = elastic_file_parse("x.elastic", bytes, size, &memory, &asset, &error);
    counting = false;
    check(peak <= 50 * (size > 128 ? size : 128), "at most 50 times the size of memory", error.text);
    check(good == (error.text[0] == '\0') && (good || strstr(error.text, "error: ")), "a body, or a sentence",
          error.text);
    if (good) {
        char words[SN_ELASTIC_ERROR_SIZE];
        size_t again = 0;
        check(sn_elastic_asset_check(&asset, words), "it is sound", words);
        unsigned char *back = elastic_file_bytes(&asset, &again);
        check(back && again == size, "it is as long when it is written again", error.text);
        free(back);
    }
    counting = true;
    if (good) sn_elastic_asset_free(&memory, &asset);
    counting = false;
    check(memory.used_bytes == 0 && live == 0, "nothing is left behind", error.text);
    load_model(bytes, size, good);
    free(bytes);
    return 0;
}
