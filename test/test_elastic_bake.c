// links: tools
// Baking: what the solver requires of elastic bodies, for any input surface.
#include "assets/elastic_format.h"
#include "bake/elastic_bake.h"
#include "bake/elastic_weights.h"
#include "formats/elastic_file.h"
#include "kinds/elastic/elastic_asset.h"
#include "scene/elastic_cache.h"
#include "sinew/asset.h"
#include "test.h"
#include "zoo/elastic_bodies.h"
#include "zoo/surfaces.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    sn_memory memory;
    sn_mesh surface;
    sn_elastic_asset asset;
    elastic_report report;
} baked;

static elastic_bake_options small(void) {
    elastic_bake_options o = elastic_bake_default();
    o.tets = 4000, o.spheres = 12;
    return o;
}

static bool bake(baked *b, zoo_surface_kind kind, const elastic_bake_options *options) {
    tool_error error = {0};
    *b = (baked){0};
    sn_memory_init(&b->memory, NULL);
    if (!CHECK(zoo_surface(kind, kind == ZOO_CREATURE ? 3000 : 1500, &b->surface))) return false;
    const elastic_source source = {.surface = &b->surface};
    const bool good = elastic_bake(&b->memory, &source, options, &b->asset, &b->report, &error);
    return CHECK_STRING(good ? "" : error.text, "");
}

static void unbake(baked *b) {
    sn_elastic_asset_free(&b->memory, &b->asset);
    sn_mesh_free(&b->surface);
    CHECK_INT(b->memory.used_bytes, 0);
}

static double weight_sum(const sn_elastic_asset *a, int v) {
    double sum = 0;
    for (int i = a->first[v]; i < a->first[v + 1]; i++) sum += (double)a->weight[i];
    return sum;
}

static double volume_of(const sn_elastic_asset *a) {
    double sum = 0;
    for (int t = 0; t < a->tet_count; t++) {
        const sn_vec3 o = a->rest[a->tets[t][0]];
        sum += (double)sn_dot(sn_cross(sn_sub(a->rest[a->tets[t][1]], o), sn_sub(a->rest[a->tets[t][2]], o)),
                              sn_sub(a->rest[a->tets[t][3]], o));
    }
    return sum / 6;
}

TEST(weights_are_local_positive_and_add_up_to_one) {
    static baked b;
    elastic_bake_options o = small();
    if (!bake(&b, ZOO_TORUS, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    for (int v = 0; v < a->vertex_count; v++) {
        CHECK(a->first[v + 1] > a->first[v] && a->first[v + 1] - a->first[v] <= 8);
        for (int i = a->first[v]; i < a->first[v + 1]; i++) CHECK(a->weight[i] > 0 && a->weight[i] <= 1);
        CHECK_NEAR(weight_sum(a, v), 1, 1e-6);
    }
    CHECK(a->handle_count == b.report.handles && a->handle_count > 6);
    unbake(&b);
}

// At a handle's own sphere its weight is 1 and all others are 0, also at the corners around it.
TEST(handles_interpolate) {
    static baked b;
    elastic_bake_options o = small();
    if (!bake(&b, ZOO_TORUS, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    for (int h = 0; h < a->handle_count; h++) {
        const int s = a->handle_sphere[h];
        CHECK_INT(a->sphere_first[s + 1] - a->sphere_first[s], 1);
        CHECK_INT(a->sphere_handle[a->sphere_first[s]], h);
        CHECK(a->sphere_weight[a->sphere_first[s]] == 1);
        int best = 0; // the vertex nearest to the centre
        for (int v = 1; v < a->vertex_count; v++)
            if (sn_length2(sn_sub(a->rest[v], a->centre[s])) < sn_length2(sn_sub(a->rest[best], a->centre[s])))
                best = v;
        double own = 0;
        for (int i = a->first[best]; i < a->first[best + 1]; i++)
            if (a->handle[i] == h) own = (double)a->weight[i];
        CHECK(own > 0.9);
    }
    unbake(&b);
}

// Adjacent vertices have similar weights: dropping small ones must not tear the body.
TEST(weights_vary_smoothly) { // once
    static baked b;
    elastic_bake_options o = small();
    o.tets = 8000;
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    double *row = calloc((size_t)a->handle_count, sizeof *row), worst = 0, mean = 0;
    for (int t = 0; t < a->tet_count && row; t++) {
        for (int k = 0; k < 2; k++)
            for (int i = a->first[a->tets[t][k]]; i < a->first[a->tets[t][k] + 1]; i++)
                row[a->handle[i]] += (k ? -1 : 1) * (double)a->weight[i];
        double largest = 0;
        for (int h = 0; h < a->handle_count; h++) largest = fmax(largest, fabs(row[h])), row[h] = 0;
        worst = fmax(worst, largest), mean += largest / a->tet_count;
    }
    CHECK(worst < 0.8); // from a handle to the next vertex; a tear would be 1
    CHECK(mean < 0.12);
    free(row);
    unbake(&b);
}

// Weights computed in patches are close to those of a single factorization.
TEST(patches_give_the_weights_of_the_whole) { // once
    static baked b, c;
    elastic_bake_options o = small();
    o.spheres = 40, o.tets = 12000;
    if (!bake(&b, ZOO_CREATURE, &o)) return;
    o.patch = 900;
    if (!bake(&c, ZOO_CREATURE, &o)) return;
    CHECK_INT(b.report.patches, 1);
    CHECK(c.report.patches > 2);
    REQUIRE(b.asset.vertex_count == c.asset.vertex_count && b.asset.handle_count == c.asset.handle_count);
    double sum = 0, worst = 0;
    for (int v = 0; v < b.asset.vertex_count; v++) {
        double off = 0;
        for (int i = b.asset.first[v]; i < b.asset.first[v + 1]; i++) {
            double other = 0;
            for (int k = c.asset.first[v]; k < c.asset.first[v + 1]; k++)
                if (c.asset.handle[k] == b.asset.handle[i]) other = (double)c.asset.weight[k];
            off = fmax(off, fabs(other - (double)b.asset.weight[i]));
        }
        sum += off, worst = fmax(worst, off);
    }
    CHECK(sum / b.asset.vertex_count < 0.02);
    CHECK(worst < 0.3);
    unbake(&b), unbake(&c);
}

// Weights from a coarser lattice are close to those of the fine one.
TEST(coarse_weights_are_close) { // once
    static baked b, c;
    elastic_bake_options o = small();
    o.tets = 12000;
    if (!bake(&b, ZOO_TORUS, &o)) return;
    o.coarse = 1000;
    if (!bake(&c, ZOO_TORUS, &o)) return;
    CHECK_INT(b.report.coarse_tets, 0);
    CHECK(c.report.coarse_tets > 0 && c.report.coarse_tets < 0.6 * c.report.tets);
    REQUIRE(b.asset.vertex_count == c.asset.vertex_count && b.asset.handle_count == c.asset.handle_count);
    double sum = 0;
    for (int v = 0; v < b.asset.vertex_count; v++) {
        double off = 0;
        CHECK_NEAR(weight_sum(&c.asset, v), 1, 1e-6);
        for (int i = b.asset.first[v]; i < b.asset.first[v + 1]; i++) {
            double other = 0;
            for (int k = c.asset.first[v]; k < c.asset.first[v + 1]; k++)
                if (c.asset.handle[k] == b.asset.handle[i]) other = (double)c.asset.weight[k];
            off = fmax(off, fabs(other - (double)b.asset.weight[i]));
        }
        sum += off;
    }
    CHECK(sum / b.asset.vertex_count < 0.1);
    unbake(&b), unbake(&c);
}

TEST(anchored_vertices_have_no_weights) {
    static baked b;
    elastic_bake_options o = small();
    o.anchor_count = elastic_anchor_parse("plane:y<0.12", &o.anchor[0]);
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    REQUIRE(a->anchored != NULL);
    int anchored = 0;
    double top = 0;
    for (int v = 0; v < a->vertex_count; v++) {
        const bool below = (double)a->rest[v].y < 0.12;
        if (fabs((double)a->rest[v].y - 0.12) > 1e-6) CHECK_INT(a->anchored[v], below);
        if (a->anchored[v]) CHECK_INT(a->first[v + 1], a->first[v]);
        anchored += a->anchored[v];
        CHECK(weight_sum(a, v) < 1 + 1e-6);
        if ((double)a->rest[v].y > 0.6) top = fmax(top, fabs(weight_sum(a, v) - 1));
    }
    CHECK_INT(anchored, b.report.anchored);
    CHECK(anchored > 10);
    CHECK_NEAR(top, 0, 0.2); // far from the anchors the weights sum to 1
    unbake(&b);
}

TEST(anchors_as_they_are_written) {
    elastic_anchor a;
    CHECK(elastic_anchor_parse("plane:x>2", &a));
    CHECK(elastic_anchor_contains(&a, (double[3]){3, 0, 0}) && !elastic_anchor_contains(&a, (double[3]){1, 0, 0}));
    CHECK(elastic_anchor_parse("plane:0,2,0,1", &a));
    CHECK(elastic_anchor_contains(&a, (double[3]){0, 0.6, 0}) && !elastic_anchor_contains(&a, (double[3]){0, 0.4, 0}));
    CHECK(elastic_anchor_parse("1,2,3,0.5", &a));
    CHECK(elastic_anchor_contains(&a, (double[3]){1.4, 2, 3}) &&
          !elastic_anchor_contains(&a, (double[3]){1.4, 2.4, 3}));
    CHECK(elastic_anchor_parse("box:1,1,1,0,0,0", &a));
    CHECK(elastic_anchor_contains(&a, (double[3]){0.5, 0.5, 0.5}) &&
          !elastic_anchor_contains(&a, (double[3]){0.5, 2, 0.5}));
    static const char *const wrong[] = {"",          "plane:",    "plane:w<1",     "plane:y<",  "1,2,3", "1,2,3,-1",
                                        "1,2,3,nan", "box:1,2,3", "plane:0,0,0,1", "1,2,3,4,5", "y<0.1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!elastic_anchor_parse(wrong[i], &a));
}

// The surface is unchanged, its volume is about the tetrahedra's, and their boundary encloses it.
TEST(surface_and_boundary_belong_to_the_tetrahedra) {
    static baked b;
    elastic_bake_options o = small();
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    CHECK_INT(a->drawn_count, b.surface.vertex_count);
    CHECK_INT(a->drawn_triangle_count, b.surface.triangle_count);
    double off = 0, boundary = 0;
    for (int i = 0; i < a->drawn_count; i++) {
        sn_vec3 at = {0};
        for (int k = 0; k < 4; k++) at = sn_mul_add(at, a->drawn_weight[i][k], a->rest[a->drawn_corner[i][k]]);
        const float *p = b.surface.position[i];
        off = fmax(off, (double)sn_length(sn_sub(at, sn_v3(p[0], p[1], p[2]))));
    }
    CHECK(off < 1e-5);
    for (int t = 0; t < a->triangle_count; t++) {
        const sn_vec3 p = a->rest[a->triangles[t][0]], q = a->rest[a->triangles[t][1]], r = a->rest[a->triangles[t][2]];
        boundary += (double)sn_dot(p, sn_cross(q, r)) / 6;
    }
    CHECK_NEAR(boundary / volume_of(a), 1, 1e-4); // closed and facing outward
    CHECK_NEAR(volume_of(a) / sn_mesh_volume(&b.surface), 1, 0.05);
    unbake(&b);
}

// The paper's rule: handles with few neighbours are quadratic unless they move little.
TEST(quadratic_handles) {
    static baked b;
    elastic_bake_options o = small();
    if (!bake(&b, ZOO_CREATURE, &o)) return;
    int sparse = 0;
    for (int h = 0; h < b.asset.handle_count; h++) sparse += b.asset.handle_quadratic[h];
    CHECK_INT(sparse, b.report.quadratic);
    CHECK(sparse > 0 && sparse < b.asset.handle_count);
    CHECK_INT(b.report.columns, 4 * b.asset.handle_count + 6 * sparse);
    unbake(&b);
    o.quadratic = ELASTIC_QUADRATIC_NONE;
    if (!bake(&b, ZOO_CREATURE, &o)) return;
    CHECK_INT(b.report.quadratic, 0);
    unbake(&b);
}

TEST(fewer_handles_than_spheres) {
    static baked b;
    elastic_bake_options o = small();
    o.handles = 5;
    if (!bake(&b, ZOO_CREATURE, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    CHECK(a->handle_count <= 5 && a->handle_count >= 4);
    CHECK(a->sphere_count > 8);
    for (int s = 0; s < a->sphere_count; s++) { // all other spheres follow these
        double sum = 0;
        for (int i = a->sphere_first[s]; i < a->sphere_first[s + 1]; i++) sum += (double)a->sphere_weight[i];
        CHECK_NEAR(sum, 1, 1e-5);
    }
    unbake(&b);
}

// Round bodies: extra spheres are inside, apart from each other, and handles.
TEST(extra_spheres_spread_through_the_body) {
    static baked b;
    elastic_bake_options o = small();
    o.spheres = 1, o.extra = 8, o.tets = 6000;
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    const sn_elastic_asset *a = &b.asset;
    CHECK_INT(a->sphere_count, 9);
    CHECK_INT(a->handle_count, 9);
    CHECK_INT(a->cone_count, 8);
    for (int i = 0; i < a->sphere_count; i++) {
        CHECK(a->radius[i] > 0.02f);
        for (int k = 0; k < i; k++) CHECK(sn_length(sn_sub(a->centre[i], a->centre[k])) > 0.15f);
    }
    unbake(&b);
}

TEST(threads_do_not_matter) {
    static baked b, c;
    elastic_bake_options o = small();
    o.patch = 500;
    if (!bake(&b, ZOO_CREATURE, &o)) return;
    o.threads = 3;
    if (!bake(&c, ZOO_CREATURE, &o)) return;
    size_t n = 0, m = 0;
    unsigned char *x = elastic_file_bytes(&b.asset, &n), *y = elastic_file_bytes(&c.asset, &m);
    CHECK(x && y && n == m && memcmp(x, y, n) == 0);
    free(x), free(y);
    unbake(&b), unbake(&c);
}

TEST(bad_input_gives_an_error) {
    sn_memory memory;
    sn_elastic_asset asset;
    elastic_report report;
    tool_error error = {0};
    sn_mesh flat;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_mesh_alloc(&flat, 3, 1, 0));
    flat.position[1][0] = flat.position[2][1] = 1;
    flat.triangle[0][1] = 1, flat.triangle[0][2] = 2;
    elastic_bake_options o = small();
    elastic_source source = {.surface = &flat};
    CHECK(!elastic_bake(&memory, &source, &o, &asset, &report, &error));
    CHECK(strstr(error.text, "no inside") != NULL);
    source.surface = NULL;
    CHECK(!elastic_bake(&memory, &source, &o, &asset, &report, &error));
    sn_mesh_free(&flat);
    REQUIRE(zoo_surface(ZOO_MARSHMALLOW, 1500, &flat));
    source.surface = &flat;
    o.anchor_count = elastic_anchor_parse("plane:y>5", &o.anchor[0]);
    CHECK(!elastic_bake(&memory, &source, &o, &asset, &report, &error));
    CHECK(strstr(error.text, "inside the anchors") != NULL);
    o.anchor_count = elastic_anchor_parse("plane:y>-5", &o.anchor[0]);
    CHECK(!elastic_bake(&memory, &source, &o, &asset, &report, &error));
    CHECK(strstr(error.text, "nothing could move") != NULL);
    sn_mesh_free(&flat);
    CHECK_INT(memory.used_bytes, 0);
}

// --- files -----------------------------------------------------------------------------------------------------------

static uint64_t state = 7;

static uint32_t random_bits(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

TEST(files_come_back_as_they_were) {
    static baked b;
    elastic_bake_options o = small();
    o.tets = 1000;
    o.anchor_count = elastic_anchor_parse("plane:y<0.12", &o.anchor[0]);
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    size_t size = 0, again = 0;
    tool_error error;
    unsigned char *bytes = elastic_file_bytes(&b.asset, &size);
    sn_elastic_asset asset;
    REQUIRE(bytes && elastic_file_parse("x.elastic", bytes, size, &b.memory, &asset, &error));
    unsigned char *back = elastic_file_bytes(&asset, &again);
    CHECK(back && again == size && memcmp(bytes, back, size) == 0);
    CHECK_INT(asset.vertex_count, b.asset.vertex_count);
    CHECK(memcmp(asset.rest, b.asset.rest, (size_t)asset.vertex_count * sizeof *asset.rest) == 0);
    CHECK(memcmp(asset.tets, b.asset.tets, (size_t)asset.tet_count * sizeof *asset.tets) == 0);
    sn_elastic_asset_free(&b.memory, &asset);
    free(bytes), free(back);
    unbake(&b);
}

// For any bytes the result is a valid body or an error with an offset, and memory is bounded by the file's size.
TEST(damaged_files_are_refused) {
    static baked b;
    elastic_bake_options o = small();
    o.tets = 300, o.spheres = 4;
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    size_t size = 0;
    tool_error error;
    unsigned char *bytes = elastic_file_bytes(&b.asset, &size), *copy = malloc(size + 64);
    sn_elastic_asset asset;
    const size_t before = b.memory.used_bytes;
    REQUIRE(bytes && copy);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 997) {
        CHECK(!elastic_file_parse("x.elastic", bytes, cut, &b.memory, &asset, &error));
        CHECK(strstr(error.text, "x.elastic:offset ") == error.text && strstr(error.text, ": error: "));
    }
    for (int round = 0; round < 3000; round++) {
        memcpy(copy, bytes, size);
        const bool head = round % 2 == 0;
        const size_t at = head ? 8 + random_bits() % 72 : random_bits() % size;
        copy[at] ^= (unsigned char)(1u << random_bits() % 8);
        if (round % 4 < 2) sn_elastic_asset_sign(copy, size); // malicious values
        if (elastic_file_parse("x.elastic", copy, size, &b.memory, &asset, &error)) {
            char text[SN_ELASTIC_ERROR_SIZE];
            CHECK(sn_elastic_asset_check(&asset, text));
            sn_elastic_asset_free(&b.memory, &asset);
        } else {
            CHECK(strstr(error.text, "x.elastic:offset ") == error.text);
        }
        CHECK_INT(b.memory.used_bytes, before);
    }
    free(bytes), free(copy);
    unbake(&b);
}

static void keep_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)level;
    snprintf(user, 300, "%d %s: %s", (int)code, field, text);
}

// libsinew reads what the tools write.
TEST(models_load_from_bytes) {
    static baked b;
    char line[300] = "";
    elastic_bake_options o = small();
    o.tets = 300, o.spheres = 4;
    if (!bake(&b, ZOO_MARSHMALLOW, &o)) return;
    size_t size = 0;
    unsigned char *bytes = elastic_file_bytes(&b.asset, &size), *again = malloc(size);
    REQUIRE(bytes && again);
    sn_elastic_model_def def = sn_elastic_model_def_default();
    def.log = keep_line, def.log_user = line;
    sn_elastic_model *model = NULL;
    CHECK_INT(sn_elastic_model_load(&def, bytes, size, &model), SN_OK);
    CHECK_STRING(line, "");
    CHECK_INT(sn_elastic_model_save(model, NULL, 0), size);
    again[0] = 0;
    CHECK_INT(sn_elastic_model_save(model, again, size - 1), size);
    CHECK_INT(again[0], 0);
    CHECK_INT(sn_elastic_model_save(model, again, size), size);
    CHECK(memcmp(bytes, again, size) == 0);
    CHECK_INT(sn_elastic_model_save(NULL, again, size), 0);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);

    CHECK_INT(sn_elastic_model_load(&def, bytes, size - 4, &model), SN_ERR_FORMAT);
    CHECK(model == NULL && strstr(line, "6 bytes: offset 16: the header says") == line);
    bytes[size / 2] ^= 1;
    CHECK_INT(sn_elastic_model_load(&def, bytes, size, &model), SN_ERR_FORMAT);
    CHECK(model == NULL && strstr(line, "6 bytes: offset 24: the checksum") == line);
    CHECK_INT(sn_elastic_model_load(&def, NULL, size, &model), SN_ERR_RANGE);
    CHECK_INT(sn_elastic_model_load(NULL, bytes, size, &model), SN_ERR_RANGE);
    CHECK_INT(sn_elastic_model_load(&def, bytes, size, NULL), SN_ERR_RANGE);
    def.init_mark = 0;
    CHECK_INT(sn_elastic_model_load(&def, bytes, size, &model), SN_ERR_DEF);
    free(bytes), free(again);
    unbake(&b);
}

TEST(the_cache_bakes_once) {
    char folder[] = "/tmp/sinew-cache-XXXXXX", inner[64], name[512];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(inner, sizeof inner, "%s/a/b", folder);
    elastic_bake_options change = {.tets = 1200, .spheres = 6, .max_weights = 4, .threads = 1};
    elastic_origin origin;
    tool_error error = {0};
    const sn_elastic_asset *first = NULL;
    size_t size[2] = {0};
    unsigned char *bytes[2] = {NULL, NULL};
    for (int run = 0; run < 2; run++) {
        elastic_cache *cache = elastic_cache_new(inner);
        REQUIRE(cache != NULL);
        first = elastic_cache_zoo(cache, "torus", &change, &origin, NULL, &error);
        if (!CHECK_STRING(error.text, "") || !CHECK(first != NULL)) return;
        CHECK_INT(origin, run == 0 ? ELASTIC_BAKED : ELASTIC_FROM_FILE);
        bytes[run] = elastic_file_bytes(first, &size[run]);
        CHECK(elastic_cache_zoo(cache, "torus", &change, &origin, NULL, &error) == first);
        CHECK_INT(origin, ELASTIC_FROM_MEMORY);
        change.tets = 1300; // another body
        CHECK(elastic_cache_zoo(cache, "torus", &change, &origin, NULL, &error) != first);
        CHECK_INT(origin, run == 0 ? ELASTIC_BAKED : ELASTIC_FROM_FILE);
        change.tets = 1200;
        CHECK(elastic_cache_zoo(cache, "tortoise", &change, &origin, NULL, &error) == NULL);
        CHECK(strstr(error.text, "did you mean \"torus\"?") != NULL || strstr(error.text, "tortoise") != NULL);
        error.text[0] = '\0';
        elastic_cache_free(cache);
    }
    CHECK(size[0] == size[1] && bytes[0] && bytes[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    free(bytes[0]), free(bytes[1]);
    DIR *list = opendir(inner);
    REQUIRE(list != NULL);
    int files = 0;
    for (struct dirent *e; (e = readdir(list));) {
        if (e->d_name[0] == '.') continue;
        files++;
        snprintf(name, sizeof name, "%s/%s", inner, e->d_name);
        unlink(name);
    }
    closedir(list);
    CHECK_INT(files, 2);
    rmdir(inner);
    snprintf(inner, sizeof inner, "%s/a", folder);
    rmdir(inner), rmdir(folder);
}

TEST(a_cached_file_of_another_key_is_baked_anew) {
    char folder[] = "/tmp/sinew-cache-XXXXXX", names[2][512];
    REQUIRE(mkdtemp(folder) != NULL);
    elastic_bake_options change = {.tets = 1200, .spheres = 6, .max_weights = 4, .threads = 1};
    elastic_origin origin;
    tool_error error = {0};
    int tets[2] = {0};
    for (int i = 0; i < 2; i++) { // two bodies, each in a file
        elastic_cache *cache = elastic_cache_new(folder);
        change.tets = i ? 1900 : 1200;
        const sn_elastic_asset *asset = elastic_cache_zoo(cache, "torus", &change, &origin, NULL, &error);
        REQUIRE(asset != NULL);
        tets[i] = asset->tet_count;
        elastic_cache_free(cache);
    }
    CHECK(tets[0] != tets[1]);
    DIR *list = opendir(folder);
    int files = 0;
    REQUIRE(list != NULL);
    for (struct dirent *e; (e = readdir(list));)
        if (e->d_name[0] != '.' && files < 2) snprintf(names[files++], sizeof names[0], "%s/%s", folder, e->d_name);
    closedir(list);
    REQUIRE(files == 2);
    char other[64];
    snprintf(other, sizeof other, "%s/x", folder);
    REQUIRE(rename(names[0], other) == 0 && rename(names[1], names[0]) == 0 && rename(other, names[1]) == 0);
    for (int i = 0; i < 2; i++) {
        elastic_cache *cache = elastic_cache_new(folder);
        change.tets = i ? 1900 : 1200;
        const sn_elastic_asset *asset = elastic_cache_zoo(cache, "torus", &change, &origin, NULL, &error);
        REQUIRE(asset != NULL);
        CHECK_INT(asset->tet_count, tets[i]);
        CHECK_INT(origin, ELASTIC_BAKED);
        elastic_cache_free(cache);
    }
    unlink(names[0]), unlink(names[1]), rmdir(folder);
}

// --- the zoo ---------------------------------------------------------------------------------------------------------

TEST(the_puffer_ball_is_filled_by_hand) {
    zoo_elastic body;
    tool_error error = {.text = ""};
    REQUIRE(zoo_elastic_make(ZOO_ELASTIC_PUFFER, &body));
    const sn_tet_report r = sn_tet_mesh_measure(&body.tets);
    CHECK(sn_tet_mesh_is_conforming(&body.tets, &error));
    CHECK_STRING(error.text, "");
    int *part = malloc((size_t)body.tets.tet_count * sizeof *part);
    CHECK_INT(part ? sn_tet_mesh_components(&body.tets, part) : 0, 1);
    free(part);
    CHECK_INT(r.inverted, 0);
    CHECK(r.min_quality > 0.005);
    CHECK_NEAR(r.volume / sn_mesh_volume(&body.surface), 1, 0.01);
    // 642 strings with three spheres each, which are straight where strings are bent; and the ball in its shell
    CHECK_INT(body.medial.sphere_count, 7 + 92 + 3 * 642);
    CHECK_INT(body.medial.slab_count, 180);
    CHECK_INT(body.handle_count, 7 + 2 * 642);
    sn_medial_field *field = sn_medial_field_make(&body.medial);
    double farthest = 0, of_ball = 0;
    for (int v = 0; v < body.surface.vertex_count && field; v += 7) {
        const double p[3] = {body.surface.position[v][0], body.surface.position[v][1], body.surface.position[v][2]};
        sn_medial_hit hit;
        const double out = sn_medial_field_evaluate(field, p, &hit);
        farthest = fmax(farthest, out);
        if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 0.2501) of_ball = fmax(of_ball, out);
    }
    CHECK(farthest < 0.03);
    CHECK(of_ball < 0.01);
    sn_medial_field_free(field);
    zoo_elastic_free(&body);
}

TEST(bodies_of_the_zoo_have_names) {
    for (int i = 0; i < ZOO_ELASTIC_KINDS; i++) {
        CHECK_INT(zoo_elastic_find(zoo_elastic_name((zoo_elastic_kind)i)), i);
        const elastic_bake_options o = zoo_elastic_options((zoo_elastic_kind)i);
        CHECK(o.max_weights >= 1 && o.max_weights <= 8 && o.threads == 1);
    }
    CHECK_INT(zoo_elastic_find("dragon"), -1);
}
