// What is read is what the engine assumes: assets, files of them and saved worlds whose words were bent are refused, or their
// bodies step in contact with others without reading or writing past anything.
#include "any_calls.h"
#include "assets/elastic_format.h"
#include "base/hash.h"
#include "implicit_tube.h"

static const uint32_t hurts[] = {0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0,          1,          2,          3,
                                 7,          0x00010000, 0x7F7FFFFF, 0x7FC00000, 0x5F000000, 0x7E967699, 0x00000001,
                                 0x33D6BF95, 0x3F800000, 0x71000000, 0xF1000000, 0xBF800000};
enum { HURTS = sizeof hurts / sizeof *hurts };

#ifdef SN_FEWER_ROUNDS
enum { STRIDE = 7 * SN_FEWER_ROUNDS };
#else
enum { STRIDE = 7 };
#endif

static void *grown(sn_memory *memory, void *from, int count, int more, size_t size) {
    void *to = bar_array(memory, count + more, size);
    memcpy(to, from, (size_t)count * size);
    sn_free(memory, from, (size_t)count, size);
    return to;
}

// A bar with five handles in a row and a sphere between each two of them, which four handles drive.
static void driven_bar(sn_memory *memory, sn_elastic_asset *a) {
    enum { HANDLES = 5, BETWEEN = HANDLES - 1 };
    const bar_def plan = {{5, 1, 1}, 0.1, {HANDLES, 1, 1}, false, false, false};
    bar_make(memory, &plan, a);
    const int weights = a->sphere_first[HANDLES];
    a->centre = grown(memory, a->centre, HANDLES, BETWEEN, sizeof *a->centre);
    a->radius = grown(memory, a->radius, HANDLES, BETWEEN, sizeof *a->radius);
    a->sphere_first = grown(memory, a->sphere_first, HANDLES + 1, BETWEEN, sizeof *a->sphere_first);
    a->sphere_handle = grown(memory, a->sphere_handle, weights, 4 * BETWEEN, sizeof *a->sphere_handle);
    a->sphere_weight = grown(memory, a->sphere_weight, weights, 4 * BETWEEN, sizeof *a->sphere_weight);
    for (int i = 0; i < BETWEEN; i++) {
        const int sphere = HANDLES + i;
        a->centre[sphere] = sn_lerp(a->centre[i], a->centre[i + 1], R(0.5)), a->radius[sphere] = a->radius[i];
        for (int k = 0; k < 4; k++) {
            a->sphere_handle[weights + 4 * i + k] = (i + k) % HANDLES;
            a->sphere_weight[weights + 4 * i + k] = R(k < 2 ? 0.4 : 0.1);
        }
        a->sphere_first[sphere + 1] = weights + 4 * (i + 1);
    }
    a->sphere_count = HANDLES + BETWEEN;
    a->cone_count = BETWEEN;
    a->cones = bar_array(memory, a->cone_count, sizeof *a->cones);
    for (int i = 0; i < BETWEEN; i++) a->cones[i][0] = i, a->cones[i][1] = HANDLES + i;
    a->slab_count = BETWEEN - 1;
    a->slabs = bar_array(memory, a->slab_count, sizeof *a->slabs);
    for (int i = 0; i < a->slab_count; i++)
        a->slabs[i][0] = HANDLES + i, a->slabs[i][1] = i + 1, a->slabs[i][2] = HANDLES + i + 1;
    a->drawn_count = 1;
    a->drawn_corner = bar_array(memory, 1, sizeof *a->drawn_corner);
    a->drawn_weight = bar_array(memory, 1, sizeof *a->drawn_weight);
    for (int k = 0; k < 4; k++) a->drawn_corner[0][k] = k, a->drawn_weight[0][k] = R(0.25);
}

// Drops a rod on whatever a world has, and a plane under it.
static void put_in_contact(sn_world *world, sn_vec3 at) {
    sn_vec3 points[4];
    sn_rod_def rod = chain_def(points, 4);
    for (int i = 0; i < 4; i++) points[i] = (sn_vec3){at.x + R(0.1 * i), at.y, at.z};
    rod.radius = R(0.05);
    sn_body body;
    sn_rod_create(world, &rod, &body);
    sn_rigid_def ground = sn_rigid_def_default();
    ground.position.y = at.y - R(0.1);
    sn_rigid_create(world, &ground, &body);
}

// Whatever is read of an elastic body is finite.
static void read_bar(const sn_world *world, sn_body body) {
    static sn_vec3 points[256];
    int (*const getters[])(const sn_world *, sn_body, sn_vec3 *, int) = {sn_body_get_points, sn_elastic_get_vertices,
                                                                         sn_elastic_get_drawn};
    for (int k = 0; k < 3; k++) {
        const int count = getters[k](world, body, points, 256);
        for (int i = 0; i < count && i < 256; i++) CHECK(sn_finite3(points[i]));
    }
    CHECK(isfinite(sn_body_energy(world, body).elastic));
}

static sn_status step_model(sn_elastic_model *model) {
    sn_world_def world_def = sn_world_def_default();
    sn_world *world = make_world(&world_def);
    if (!world) return SN_ERR_MEMORY;
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.self_collide = true;
    sn_body body;
    sn_status status = sn_elastic_create(world, &def, &body);
    put_in_contact(world, (sn_vec3){R(0.1), R(0.1), R(0.05)});
    for (int i = 0; i < 3 && status == SN_OK; i++) status = sn_world_step(world, R(1.0 / 60), 1);
    if (body.slot1) read_bar(world, body);
    sn_world_destroy(world);
    return status;
}

// Creates a model and steps a body of it in contact.
static sn_status try_asset(const sn_elastic_asset *asset, lines *log) {
    sn_elastic_model_def def = sn_elastic_model_def_default();
    sn_elastic_model *model = NULL;
    def.asset = asset, def.log = remember_line, def.log_user = log;
    const sn_status status = sn_elastic_model_create(&def, &model);
    if (model) step_model(model);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
    return status;
}

// Contacts move three different handles of a slab; four handles on one sphere are one node to them, and the third was read
// from before the list.
TEST(handles_have_a_sphere_each) {
    sn_memory memory;
    sn_elastic_asset asset;
    lines log = {0};
    sn_memory_init(&memory, NULL);
    driven_bar(&memory, &asset);
    CHECK_INT(try_asset(&asset, &log), SN_OK);
    CHECK_INT(log.count, 0);
    for (int i = 1; i < asset.handle_count; i++) asset.handle_sphere[i] = asset.handle_sphere[0];
    CHECK_INT(try_asset(&asset, &log), SN_ERR_DEF);
    CHECK_INT(lines_about(&log, "asset"), 1);
    sn_elastic_asset_free(&memory, &asset);
}

// Weights that cancel each other are no weights: their squares are the inverse masses of spheres.
TEST(weights_are_bounded) {
    sn_memory memory;
    sn_elastic_asset asset;
    lines log = {0};
    sn_memory_init(&memory, NULL);
    driven_bar(&memory, &asset);
    const int at = asset.sphere_first[6];
    asset.sphere_weight[at] = R(1e20), asset.sphere_weight[at + 1] = R(-1e20);
    asset.sphere_weight[at + 2] = 1, asset.sphere_weight[at + 3] = 0;
    CHECK_INT(try_asset(&asset, &log), SN_ERR_DEF);
    sn_elastic_asset_free(&memory, &asset);
}

TEST(bent_words_of_elastic_files_break_nothing) {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_memory_init(&memory, NULL);
    driven_bar(&memory, &asset);
    const size_t size = sn_elastic_asset_write(&asset, NULL, 0);
    unsigned char *whole = malloc(size), *bytes = malloc(size);
    REQUIRE(whole && bytes);
    sn_elastic_asset_write(&asset, whole, size);
    int taken = 0, refused = 0;
    size_t round = 0;
    for (size_t at = 32; at + 4 <= size; at += 4)
        for (size_t k = 0; k < HURTS; k++) {
            if (round++ % STRIDE) continue;
            memcpy(bytes, whole, size);
            memcpy(bytes + at, &hurts[k], 4);
            sn_elastic_asset_sign(bytes, size);
            sn_elastic_model_def def = sn_elastic_model_def_default();
            sn_elastic_model *model = NULL;
            const sn_status status = sn_elastic_model_load(&def, bytes, size, &model);
            CHECK(status == SN_OK || status == SN_ERR_FORMAT);
            status == SN_OK ? ++taken : ++refused;
            if (model) step_model(model);
            CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
        }
    CHECK(taken > 20 && refused > 20);
    free(bytes), free(whole);
    sn_elastic_asset_free(&memory, &asset);
}

// ---- implicit skins and the muscles under them

// Steps a model's muscles in contact with a rod, and puts its skin over them.
static void use_model(sn_implicit_model *model) {
    sn_world_def world_def = sn_world_def_default();
    sn_world *world = make_world(&world_def);
    sn_body muscles = {0};
    sn_implicit_skin *skin = NULL;
    if (!world) return;
    sn_implicit_muscles_def def = sn_implicit_model_muscles(model);
    def.collide = true;
    if (def.muscle_count > 0) sn_implicit_muscles_create(world, &def, &muscles);
    put_in_contact(world, (sn_vec3){R(0.1), R(0.05), 0});
    for (int i = 0; i < 2; i++) sn_world_step(world, R(1.0 / 60), 1);
    if (sn_implicit_skin_create(model, &skin) == SN_OK) {
        static sn_vec3 out[TUBE_VERTICES + 8];
        const int count = sn_implicit_model_asset(model)->vertex_count;
        sn_transform poses[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{R(0.2), R(0.05), 0}, {0, 0, R(0.6), R(0.8)}}};
        const sn_implicit_output to = {&out[0].x, sizeof *out, NULL, 0};
        if (count <= TUBE_VERTICES && sn_implicit_model_asset(model)->bone_count == 2 &&
            sn_implicit_skin_update(skin, world, muscles, muscles.slot1 ? NULL : poses, &to, NULL) == SN_OK)
            for (int i = 0; i < count; i++) CHECK(sn_finite3(out[i]));
        sn_implicit_skin_destroy(skin);
    }
    sn_world_destroy(world);
}

// Makes length and hash of saved bytes right again (base/file_header.h).
static void sign(unsigned char *bytes, size_t size) {
    enum { HEADER = 32 };
    const uint64_t length = size - HEADER, hash = sn_hash_bytes(0, bytes + HEADER, size - HEADER);
    memcpy(bytes + 16, &length, 8);
    memcpy(bytes + 24, &hash, 8);
}

TEST(bent_words_of_implicit_models_break_nothing) {
    sn_implicit_model *model = NULL;
    REQUIRE(tube_model(NULL, &model) == SN_OK);
    const size_t size = sn_implicit_model_save(model, NULL, 0);
    unsigned char *whole = malloc(size), *bytes = malloc(size);
    REQUIRE(whole && bytes);
    sn_implicit_model_save(model, whole, size);
    use_model(model);
    CHECK_INT(sn_implicit_model_destroy(model), SN_OK);
    int taken = 0, refused = 0;
    size_t round = 0;
    for (size_t at = 32; at + 4 <= size; at++)
        for (size_t k = 0; k < HURTS; k++) {
            if (round++ % (13 * STRIDE)) continue;
            memcpy(bytes, whole, size);
            memcpy(bytes + at, &hurts[k], 4);
            sign(bytes, size);
            sn_implicit_model_def def = sn_implicit_model_def_default();
            const sn_status status = sn_implicit_model_restore(&def, bytes, size, &model);
            CHECK(status == SN_OK || status == SN_ERR_FORMAT);
            status == SN_OK ? ++taken : ++refused;
            if (model) use_model(model);
            CHECK_INT(sn_implicit_model_destroy(model), SN_OK);
        }
    CHECK(taken > 20 && refused > 20);
    free(bytes), free(whole);
}
