// Implicit skins as programs use them: made of samples or restored from bytes, led by bones, with muscles of a world
// under them; what is wrong is said, and nothing depends on workers, lanes or the way it was saved.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define R(x) ((sn_real)(x))
enum { RINGS = 41, AROUND = 16, VERTICES = (RINGS + 1) * AROUND, SAMPLES = 42, CENTRES = 2 * SAMPLES };
static const double radius = 0.05, half = 0.3;

typedef struct {
    sn_vec3 vertices[VERTICES], centres[CENTRES], normals[CENTRES];
    int influences[VERTICES][SN_SKIN_INFLUENCES], triangles[2 * RINGS * AROUND][3], under[1];
    sn_real weights[VERTICES][SN_SKIN_INFLUENCES];
    sn_implicit_bone bones[2];
    sn_implicit_muscle_def muscle;
    sn_implicit_asset asset;
} tube;

// Two bones along x; the joint is at 0.3 m. The last ring is in the place of the one before, as seams are.
static tube *make_tube(void) {
    tube *t = calloc(1, sizeof *t);
    for (int i = 0; i < VERTICES; i++) {
        const int ring = i / AROUND < RINGS ? i / AROUND : RINGS - 1;
        const double x = 2 * half * ring / (RINGS - 1), turn = 6.283185307179586 * (i % AROUND) / AROUND;
        const double second = fmin(fmax((x - half) / 0.06 + 0.5, 0), 1);
        t->vertices[i] = (sn_vec3){R(x), R(radius * cos(turn)), R(radius * sin(turn))};
        t->influences[i][1] = 1;
        t->weights[i][0] = R(2 * (1 - second)), t->weights[i][1] = R(2 * second); // scaled to 1
    }
    for (int i = 0, k = 0; i < VERTICES - AROUND; ++i, k += 2) {
        const int next = i % AROUND == AROUND - 1 ? i + 1 - AROUND : i + 1;
        memcpy(t->triangles[k], (int[]){i, next, i + AROUND}, sizeof t->triangles[k]);
        memcpy(t->triangles[k + 1], (int[]){next, next + AROUND, i + AROUND}, sizeof t->triangles[k]);
    }
    for (int i = 0; i < CENTRES; i++) {
        const int k = i % SAMPLES, end = k - (SAMPLES - 2);
        const double x = half * (0.1 + 0.8 * k / (SAMPLES - 3)), turn = 2.39996323 * k;
        t->centres[i] = (sn_vec3){R(x), R(radius * cos(turn)), R(radius * sin(turn))};
        t->normals[i] = (sn_vec3){0, R(cos(turn)), R(sin(turn))};
        if (end >= 0) t->centres[i] = (sn_vec3){R(end ? half + radius : -radius), 0, 0};
        if (end >= 0) t->normals[i] = (sn_vec3){R(end ? 1 : -1), 0, 0};
    }
    for (int b = 0; b < 2; b++)
        t->bones[b] = (sn_implicit_bone){.parent = b - 1,
                                         .kind = b ? SN_FOLD_ELBOW : SN_FOLD_UNION,
                                         .rest = {{R(b * half), 0, 0}, {0, 0, 0, 1}},
                                         .first_centre = b * SAMPLES,
                                         .centre_count = SAMPLES,
                                         .reach = R(radius),
                                         .radius = R(radius)};
    t->muscle = sn_implicit_muscle_def_default();
    t->muscle.bone[1] = 1;
    t->muscle.end[0] = (sn_vec3){R(0.04), R(0.02), 0}, t->muscle.end[1] = (sn_vec3){R(0.05), R(0.02), 0};
    t->muscle.volume = R(1.5e-4);
    t->asset = (sn_implicit_asset){.bone_count = 2,
                                   .bones = t->bones,
                                   .centre_count = CENTRES,
                                   .centres = t->centres,
                                   .normals = t->normals,
                                   .vertex_count = VERTICES,
                                   .vertices = t->vertices,
                                   .influences = t->influences,
                                   .weights = t->weights,
                                   .triangle_count = 2 * RINGS * AROUND,
                                   .triangles = t->triangles,
                                   .muscle_count = 1,
                                   .muscles = &t->muscle,
                                   .muscle_bones = t->under};
    return t;
}

static void hear(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)level, (void)code;
    if (*(char *)user == 0) snprintf(user, 256, "%s: %s", field, text); // the first
}

static sn_implicit_model *make_model(const tube *t, int lanes, char said[256]) {
    sn_implicit_model_def def = sn_implicit_model_def_default();
    sn_implicit_model *model = NULL;
    def.asset = &t->asset, def.lanes = lanes, def.log = hear, def.log_user = said;
    said[0] = 0;
    sn_implicit_model_create(&def, &model);
    return model;
}

static void pose(double degrees, sn_transform out[2]) {
    const double angle = degrees * 3.14159265358979 / 180;
    out[0] = (sn_transform){{0, 0, 0}, {0, 0, 0, 1}};
    out[1] = (sn_transform){{R(half), 0, 0}, {0, 0, R(sin(angle / 2)), R(cos(angle / 2))}};
}

typedef struct {
    sn_world *world;
    sn_body muscles;
    sn_implicit_skin *skin;
    sn_vec3 positions[VERTICES], normals[VERTICES];
    sn_implicit_tracked tracked;
} run;

static bool start(run *r, sn_implicit_model *model, int workers) {
    sn_world_def def = sn_world_def_default();
    const sn_implicit_muscles_def muscles = sn_implicit_model_muscles(model);
    *r = (run){0};
    def.worker_count = workers;
    return sn_world_create(&def, &r->world) == SN_OK &&
           sn_implicit_muscles_create(r->world, &muscles, &r->muscles) == SN_OK &&
           sn_implicit_skin_create(model, &r->skin) == SN_OK;
}

static void end(run *r) {
    sn_implicit_skin_destroy(r->skin);
    sn_world_destroy(r->world);
}

static void bend(run *r, int from, int to) {
    const sn_implicit_output out = {&r->positions[0].x, sizeof *r->positions, &r->normals[0].x, sizeof *r->normals};
    for (int i = from; i < to; i++) {
        sn_transform poses[2];
        pose(3 * (i + 1), poses);
        const sn_implicit_muscle_keys keys = {R(fmin(0.03 * (i + 1), 1)), 1, -1};
        sn_implicit_muscles_move(r->world, r->muscles, poses, 2);
        sn_implicit_muscles_set_keys(r->world, r->muscles, 0, &keys);
        sn_world_step(r->world, R(1.0 / 60), 1);
        // Bones of the muscles are those of the model, so their poses need not be said again.
        CHECK_INT(sn_implicit_skin_update(r->skin, r->world, r->muscles, i % 2 ? poses : NULL, &out, &r->tracked),
                  SN_OK);
    }
}

TEST(a_skin_of_samples_folds_and_its_muscle_shows) {
    char said[256];
    tube *t = make_tube();
    sn_implicit_model *model = make_model(t, 0, said);
    run r;
    REQUIRE(model && start(&r, model, 1));
    sn_implicit_output out = {&r.positions[0].x, sizeof *r.positions, NULL, 0};
    CHECK_INT(sn_implicit_skin_read(r.skin, &out), SN_OK);
    for (int v = 0; v < VERTICES; v++) CHECK(memcmp(&r.positions[v], &t->vertices[v], sizeof(sn_vec3)) == 0);
    bend(&r, 0, 40); // 120 degrees
    CHECK_INT(r.tracked.missed, 0);
    CHECK(r.tracked.contacts > 10);
    double top = 0, across = 0;
    for (int v = 0; v < VERTICES; v++) {
        const double x = (double)r.positions[v].x - half, y = (double)r.positions[v].y;
        const int ring = v / AROUND;
        if (ring < RINGS / 2 - 4) top = fmax(top, y);
        // The plane that halves the bend, at its inner side: either half stays on its side.
        const double side = x * sin(60 * 3.14159265 / 180) - y * cos(60 * 3.14159265 / 180), inner = y > 0;
        if (inner > 0 && ring < RINGS / 2 - 1) across = fmax(across, side);
        // Normals are of length 1.
        const sn_vec3 n = r.normals[v];
        CHECK_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-5);
    }
    CHECK(top > 1.05 * radius); // the biceps
    CHECK(across < 0.02 * radius);
    // The seam stays closed.
    CHECK(memcmp(r.positions + (RINGS - 1) * AROUND, r.positions + RINGS * AROUND, AROUND * sizeof(sn_vec3)) == 0);
    CHECK_INT(sn_implicit_model_destroy(model), SN_ERR_BUSY);
    end(&r);
    CHECK_INT(sn_implicit_model_destroy(model), SN_OK);
    free(t);
}

TEST(workers_lanes_and_saved_models_give_the_same_bits) {
    char said[256];
    tube *t = make_tube();
    run plain;
    sn_implicit_model *model = make_model(t, 1, said);
    if (!model) model = make_model(t, 0, said); // a build may have one width only
    REQUIRE(model && start(&plain, model, 1));
    bend(&plain, 0, 12);
    const size_t size = sn_implicit_model_save(model, NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(sn_implicit_model_save(model, bytes, size) == size);
    for (int k = 0; k < 3; k++) {
        sn_implicit_model *other = NULL;
        const sn_implicit_model_def def = sn_implicit_model_def_default();
        if (k < 2)
            other = make_model(t, 0, said);
        else
            CHECK_INT(sn_implicit_model_restore(&def, bytes, size, &other), SN_OK);
        run r;
        REQUIRE(other && start(&r, other, 1 + k % 2));
        bend(&r, 0, 12);
        CHECK(memcmp(r.positions, plain.positions, sizeof r.positions) == 0);
        CHECK(memcmp(r.normals, plain.normals, sizeof r.normals) == 0);
        end(&r);
        sn_implicit_model_destroy(other);
    }
    for (size_t cut = 0; cut < size; cut += size / 37 + 1) {
        const sn_implicit_model_def def = sn_implicit_model_def_default();
        sn_implicit_model *other = NULL;
        CHECK_INT(sn_implicit_model_restore(&def, bytes, cut, &other), SN_ERR_FORMAT);
        bytes[cut] ^= 0x41; // and damaged in one place
        CHECK_INT(sn_implicit_model_restore(&def, bytes, size, &other), SN_ERR_FORMAT);
        bytes[cut] ^= 0x41;
        CHECK(!other);
    }
    free(bytes);
    end(&plain);
    sn_implicit_model_destroy(model);
    free(t);
}

TEST(a_copy_goes_back_to_where_it_was) {
    char said[256];
    tube *t = make_tube();
    t->asset.muscle_count = 0;
    sn_implicit_model *model = make_model(t, 0, said);
    sn_implicit_skin *skin = NULL;
    REQUIRE(model && sn_implicit_skin_create(model, &skin) == SN_OK);
    static sn_vec3 before[VERTICES], after[VERTICES];
    sn_implicit_output out = {&before[0].x, sizeof *before, NULL, 0};
    const sn_body none = {0};
    sn_transform poses[2];
    for (int i = 1; i <= 20; i++) {
        pose(4 * i, poses);
        CHECK_INT(sn_implicit_skin_update(skin, NULL, none, poses, &out, NULL), SN_OK);
    }
    const size_t size = sn_implicit_skin_save(skin, NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(sn_implicit_skin_save(skin, bytes, size) == size);
    pose(5, poses);
    out.positions = &after[0].x;
    CHECK_INT(sn_implicit_skin_update(skin, NULL, none, poses, &out, NULL), SN_OK);
    CHECK(memcmp(before, after, sizeof before) != 0);
    CHECK_INT(sn_implicit_skin_restore(skin, bytes, size - 1), SN_ERR_FORMAT);
    CHECK_INT(sn_implicit_skin_restore(skin, bytes, size), SN_OK);
    CHECK_INT(sn_implicit_skin_read(skin, &out), SN_OK);
    CHECK(memcmp(before, after, sizeof before) == 0);
    // A cut: as skinning has it, which is exact far from the joint.
    pose(60, poses);
    CHECK_INT(sn_implicit_skin_place(skin, poses, SN_BLEND_LINEAR), SN_OK);
    CHECK_INT(sn_implicit_skin_read(skin, &out), SN_OK);
    const sn_vec3 tip = after[RINGS * AROUND], was = t->vertices[RINGS * AROUND];
    const double x = (double)was.x - half, y = (double)was.y;
    CHECK_NEAR(tip.x, half + x * 0.5 - y * sqrt(0.75), 1e-6);
    CHECK_NEAR(tip.y, x * sqrt(0.75) + y * 0.5, 1e-6);
    free(bytes);
    sn_implicit_skin_destroy(skin);
    sn_implicit_model_destroy(model);
    free(t);
}

TEST(bytes_that_are_not_of_a_skin_leave_it_as_it_was) {
    char said[256];
    tube *t = make_tube();
    sn_implicit_model *model = make_model(t, 0, said);
    run r;
    REQUIRE(model && start(&r, model, 1));
    bend(&r, 0, 5);
    const size_t size = sn_implicit_skin_save(r.skin, NULL, 0);
    unsigned char *bytes = malloc(size), *after = malloc(size);
    REQUIRE(bytes && after);
    const sn_real wrong[] = {R(NAN), R(INFINITY), R(sizeof(sn_real) == 8 ? -1e300 : -3e38)};
    const size_t whole = (size - 8) / sizeof(sn_real), each = (whole - 2 * 7) / 3; // numbers, and those of an array
    const size_t places[] = {0, 2 * 7, 2 * 7 + each, 2 * 7 + 2 * each, whole - 2}; // in poses, points, turns, points
    for (int k = 0; k < 15; k++) {
        CHECK(sn_implicit_skin_save(r.skin, bytes, size) == size);
        memcpy(after, bytes, size);
        memcpy(bytes + 8 + places[k % 5] * sizeof(sn_real), &wrong[k / 5], sizeof(sn_real));
        said[0] = 0;
        CHECK_INT(sn_implicit_skin_restore(r.skin, bytes, size), SN_ERR_FORMAT);
        CHECK(strstr(said, "damaged") != NULL);
        CHECK(sn_implicit_skin_save(r.skin, bytes, size) == size);
        CHECK(memcmp(bytes, after, size) == 0);
    }
    CHECK_INT(sn_implicit_skin_restore(r.skin, bytes, size - 1), SN_ERR_FORMAT);
    free(bytes), free(after);
    end(&r);
    sn_implicit_model_destroy(model);
    free(t);
}

// A muscle that is not bowed has no place to go by, whatever its definition says there.
TEST(what_is_said_in_vain_does_not_get_into_saved_models) {
    char said[256];
    tube *t = make_tube();
    t->muscle.bowed = false, t->muscle.via = (sn_vec3){R(NAN), R(INFINITY), 0};
    sn_implicit_model *model = make_model(t, 0, said), *copy = NULL;
    REQUIRE(model);
    const sn_implicit_model_def def = sn_implicit_model_def_default();
    const size_t size = sn_implicit_model_save(model, NULL, 0);
    unsigned char *bytes = malloc(size);
    REQUIRE(bytes && sn_implicit_model_save(model, bytes, size) == size);
    CHECK_INT(sn_implicit_model_restore(&def, bytes, size, &copy), SN_OK);
    free(bytes);
    sn_implicit_model_destroy(copy);
    sn_implicit_model_destroy(model);
    free(t);
}

TEST(a_bundle_of_rods_drives_a_muscle) {
    char said[256];
    tube *t = make_tube();
    sn_implicit_model *model = make_model(t, 0, said);
    run r;
    REQUIRE(model && start(&r, model, 1));
    enum { RODS = 4, POINTS = 9 };
    sn_body rods[RODS];
    sn_vec3 points[POINTS], axis[30];
    sn_real radii[30];
    for (int i = 0; i < RODS; i++) {
        sn_rod_def def = sn_rod_def_default();
        const double y = i % 2 ? 0.01 : -0.01, z = i / 2 ? 0.01 : -0.01;
        for (int k = 0; k < POINTS; k++) points[k] = (sn_vec3){R(0.05 + 0.2 * k / (POINTS - 1)), R(0.02 + y), R(z)};
        def.points = points, def.point_count = POINTS, def.radius = R(0.01), def.collide = false;
        def.clamp_first = def.clamp_last = true;
        REQUIRE(sn_rod_create(r.world, &def, &rods[i]) == SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = rods, def.rod_count = RODS;
    sn_bundle bundle;
    REQUIRE(sn_bundle_create(r.world, &def, &bundle) == SN_OK);
    CHECK_INT(sn_implicit_muscles_set_bundle(r.world, r.muscles, 1, bundle), SN_ERR_RANGE);
    CHECK_INT(sn_implicit_muscles_set_bundle(r.world, r.muscles, 0, (sn_bundle){9, 9}), SN_ERR_STALE_ID);
    CHECK_INT(sn_implicit_muscles_set_bundle(r.world, r.muscles, 0, bundle), SN_OK);
    CHECK(sn_implicit_muscles_get_bundle(r.world, r.muscles, 0).slot1 == bundle.slot1);
    sn_world_set_gravity(r.world, (sn_vec3){0, 0, 0});
    bend(&r, 0, 4);
    // Its axis is the middle of the rods, its radius that of all of them together: 4 times the area of one.
    REQUIRE(sn_implicit_muscles_get_axis(r.world, r.muscles, 0, axis, 30) == 30);
    sn_implicit_muscles_get_radii(r.world, r.muscles, 0, radii, 30);
    for (int i = 0; i < 30; i++) {
        CHECK_NEAR(axis[i].x, 0.05 + 0.2 * i / 29, 1e-3);
        CHECK_NEAR(axis[i].y, 0.02, 1e-3);
        CHECK_NEAR(radii[i], 0.02, 1e-3);
    }
    CHECK_NEAR(sn_implicit_muscles_volume(r.world, r.muscles, 0) / sn_bundle_volume(r.world, bundle), 1, 0.02);
    const sn_vec3 out = {R(0.15), R(0.06), 0};
    CHECK_NEAR(sn_implicit_muscles_field(r.world, r.muscles, 0, out, NULL), 0.02, 1e-3);
    // Saved, restored and stepped on it is the same.
    const size_t size = sn_world_save(r.world, NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(sn_world_save(r.world, bytes, size) == size);
    sn_world_def world_def = sn_world_def_default();
    sn_world *again = NULL;
    REQUIRE(sn_world_restore(&world_def, bytes, size, &again) == SN_OK);
    CHECK(sn_world_hash(again) == sn_world_hash(r.world));
    sn_bundle_set_activation(r.world, bundle, R(0.5)), sn_bundle_set_activation(again, bundle, R(0.5));
    for (int i = 0; i < 5; i++) sn_world_step(r.world, R(1.0 / 60), 2), sn_world_step(again, R(1.0 / 60), 2);
    CHECK(sn_world_hash(again) == sn_world_hash(r.world));
    sn_world_destroy(again);
    free(bytes);
    // Gone, the muscle moves by itself again, between its own ends.
    CHECK_INT(sn_bundle_destroy(r.world, bundle), SN_OK);
    bend(&r, 4, 8);
    CHECK(sn_implicit_muscles_get_bundle(r.world, r.muscles, 0).slot1 == 0);
    sn_implicit_muscles_get_axis(r.world, r.muscles, 0, axis, 30);
    CHECK_NEAR(axis[0].x, 0.04, 1e-6);
    CHECK_NEAR(sn_implicit_muscles_volume(r.world, r.muscles, 0) / 1.5e-4, 1, 0.02);
    end(&r);
    sn_implicit_model_destroy(model);
    free(t);
}

// An allocator that counts.
typedef struct {
    long long allocations, live;
} counter;

static void *take(void *user, size_t size, size_t alignment) {
    counter *c = user;
    ++c->allocations, ++c->live;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void give(void *user, void *memory, size_t size, size_t alignment) {
    counter *c = user;
    (void)size, (void)alignment;
    --c->live;
    free(memory);
}

// A muscle that is flung about stays under the skin that covers it, and the model is kept as long.
TEST(covered_muscles_stay_under_the_skin) {
    char said[256];
    tube *t = make_tube();
    t->muscle.hertz = 1, t->muscle.damping = 0, t->muscle.collide_bones = false;
    sn_implicit_model *model = make_model(t, 0, said);
    double highest[2] = {0, 0};
    for (int covered = 0; covered < 2; covered++) {
        run r;
        REQUIRE(model && start(&r, model, 1));
        if (covered) {
            CHECK_INT(sn_implicit_model_cover(model, r.world, (sn_body){0}, NULL), SN_ERR_STALE_ID);
            CHECK_INT(sn_implicit_model_cover(model, r.world, r.muscles, (const int[]){0, 2}), SN_ERR_RANGE);
            CHECK_INT(sn_implicit_model_cover(model, r.world, r.muscles, NULL), SN_OK);
        }
        for (int i = 0; i < 40; i++) { // both bones jump up and down by 12 cm
            sn_transform poses[2];
            pose(0, poses);
            const double y = i % 8 < 4 ? 0.03 * (i % 4) : 0.12 - 0.03 * (i % 4);
            poses[0].position.y = poses[1].position.y = R(y);
            sn_implicit_muscles_move(r.world, r.muscles, poses, 2);
            sn_world_step(r.world, R(1.0 / 60), 1);
            sn_vec3 axis[30];
            sn_implicit_muscles_get_axis(r.world, r.muscles, 0, axis, 30);
            for (int k = 0; k < 30; k++) highest[covered] = fmax(highest[covered], fabs((double)axis[k].y - y));
        }
        sn_implicit_skin_destroy(r.skin);
        CHECK_INT(sn_implicit_model_destroy(covered ? model : NULL), covered ? SN_ERR_BUSY : SN_OK);
        sn_world_destroy(r.world);
    }
    CHECK(highest[0] > 1.1 * radius);
    CHECK(highest[1] < 1.02 * radius);
    CHECK_INT(sn_implicit_model_destroy(model), SN_OK);
    free(t);
}

TEST(a_warmed_update_allocates_nothing) {
    char said[256];
    tube *t = make_tube();
    counter counted = {0, 0};
    sn_implicit_model_def def = sn_implicit_model_def_default();
    sn_implicit_model *model = NULL;
    def.asset = &t->asset, def.allocator = (sn_allocator){take, give, &counted}, def.log = hear, def.log_user = said;
    REQUIRE(sn_implicit_model_create(&def, &model) == SN_OK);
    run r;
    REQUIRE(start(&r, model, 1));
    bend(&r, 0, 2);
    const long long before = counted.allocations;
    bend(&r, 2, 10);
    CHECK_INT(counted.allocations, before);
    end(&r);
    sn_implicit_model_destroy(model);
    CHECK_INT(counted.live, 0);
    free(t);
}

TEST(errors_are_said_with_the_field_and_the_place) {
    static const struct {
        const char *words;
    } cases[] = {{"vertex 7 has no bone"},
                 {"vertex 9 has bone 4"},
                 {"triangle 3 has vertex 99999"},
                 {"vertex 5 is not finite"},
                 {"bone 1 has 42 centres"},
                 {"bone 0: cannot fit a field"},
                 {"muscle 0 lies under bone 2"},
                 {"alphas and betas"},
                 {"bone 1 has the parent 1"},
                 {"reach (-1)"},
                 {"muscle 0: volume"},
                 {"bone 0: position, reach, radius and box"},
                 {"centre 3, its normal"},
                 {"1 to 512 bones"}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        char said[256];
        tube *t = make_tube();
        switch (i) {
        case 0:
            t->weights[7][0] = t->weights[7][1] = 0;
            break;
        case 1:
            t->influences[9][0] = 4;
            break;
        case 2:
            t->triangles[3][1] = 99999;
            break;
        case 3:
            t->vertices[5].y = R(NAN);
            break;
        case 4:
            t->bones[1].first_centre = SAMPLES + 1;
            break;
        case 5:
            t->centres[1] = t->centres[0];
            break;
        case 6:
            t->under[0] = 2;
            break;
        case 7:
            t->asset.normals = NULL;
            break;
        case 8:
            t->bones[1].parent = 1;
            break;
        case 9:
            t->bones[1].reach = -1;
            break;
        case 10:
            t->muscle.volume = 0;
            break;
        case 11:
            t->bones[0].high.y = R(INFINITY);
            break;
        case 12:
            t->normals[3].z = R(NAN);
            break;
        default:
            t->asset.bone_count = 0;
            break;
        }
        sn_implicit_model *model = make_model(t, 0, said);
        CHECK(!model);
        if (!CHECK(strstr(said, cases[i].words) != NULL)) fprintf(stderr, "case %d said: %s\n", i, said);
        sn_implicit_model_destroy(model);
        free(t);
    }
    char said[256];
    tube *t = make_tube();
    sn_implicit_model *model = make_model(t, 0, said);
    run r;
    REQUIRE(model && start(&r, model, 1));
    sn_implicit_settings settings = sn_implicit_settings_default();
    CHECK_INT(sn_implicit_skin_set(r.skin, &settings), SN_OK);
    settings.tolerance = 0;
    CHECK_INT(sn_implicit_skin_set(r.skin, &settings), SN_ERR_RANGE);
    CHECK_INT(sn_implicit_skin_set(r.skin, &(sn_implicit_settings){.tolerance = 1}), SN_ERR_RANGE); // no mark
    sn_transform poses[2];
    pose(10, poses);
    poses[1].rotation.w = 3;
    CHECK_INT(sn_implicit_skin_update(r.skin, r.world, r.muscles, poses, NULL, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_implicit_skin_update(r.skin, r.world, (sn_body){0}, poses, NULL, NULL), SN_ERR_STALE_ID);
    const sn_implicit_output narrow = {&r.positions[0].x, 4, NULL, 0};
    CHECK_INT(sn_implicit_skin_read(r.skin, &narrow), SN_ERR_RANGE);
    CHECK_INT(sn_implicit_skin_update(NULL, NULL, r.muscles, NULL, NULL, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_implicit_model_create(&(sn_implicit_model_def){0}, &(sn_implicit_model *){NULL}), SN_ERR_DEF);
    end(&r);
    sn_implicit_model_destroy(model);
    free(t);
}
