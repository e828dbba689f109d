// links: tools
// Characters in the viewer: a baked one moves as the scene's does and its skin follows; muscles are changed while they
// run, going back in time brings back what was, and nothing that comes over the wire does harm.
#include "scene/muscle_numbers.h"
#include "scene/scene_character.h"
#include "scene_text.h"
#include "session/page_format.h"
#include "session/page_pack.h"
#include "session/session.h"
#include "session_text.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

enum { FIXED = 54, EDIT = 4, MUSCLE = 14, MUSCLE_BACK = 15, BICEPS = 0 };

// An arm that hangs, and beside it one that bends and whose biceps is a bundle of rods.
static const char text[] =
    "{\"gravity\": [0, 0, 0], \"duration\": 1, \"substeps\": 2, \"bodies\": ["
    "{\"kind\": \"character\", \"zoo\": \"limb\", \"vertices\": 800},"
    "{\"kind\": \"character\", \"zoo\": \"limb\", \"vertices\": 800, \"motion\": \"biceps-curl\", \"position\": [0.5, "
    "0, 0], \"bundles\": [{\"muscle\": \"biceps\", \"rods\": 4, \"slices\": 8}]}]}";

static packed_page bake(void) {
    return pack_text(text);
}

static session *open_session(void) {
    return open_text(text);
}

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static sn_status say(session *at, uint32_t type, int words, const uint32_t *u) {
    uint32_t message[16] = {type};
    if (words) memcpy(message + 1, u, 4 * (size_t)words);
    return session_message(at, message, 4 * (size_t)(words + 1));
}

static sn_status change(session *at, uint32_t muscle, uint32_t number, float value) {
    return say(at, MUSCLE, 4, (uint32_t[]){0, muscle, number, bits(value)});
}

static void steps(session *at, uint32_t n) {
    CHECK_INT(say(at, 3, 1, &n), SN_OK);
    CHECK_INT(session_advance(at, 0, 1e9), n);
}

// The surfaces of a frame: where the n-th starts, with its box.
static const unsigned char *surface_of(const unsigned char *frame, const int *counts, int number) {
    uint32_t u[FIXED];
    memcpy(u, frame, sizeof u);
    size_t at = FIXED + 15 * (size_t)u[8] + 8 * (size_t)u[9] + 7 * (size_t)u[10] + EDIT * (size_t)u[53];
    for (int i = 0; i < number; i++) at += 6 + (3 * (size_t)counts[i] + 1) / 2;
    return frame + 4 * at;
}

static void vertex(const unsigned char *surface, int v, float out[3]) {
    float box[6];
    uint16_t place[3];
    memcpy(box, surface, sizeof box);
    memcpy(place, surface + sizeof box + 6 * (size_t)v, sizeof place);
    for (int k = 0; k < 3; k++) out[k] = box[k] + box[3 + k] * (float)place[k];
}

TEST(a_baked_character_is_the_scenes) {
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    session *at = open_session();
    REQUIRE(world && at);
    for (int i = 0; i < 45; i++) {
        const double dt = scene->spec.step;
        CHECK_INT(scene_drive(scene, world, i * dt, dt), SN_OK);
        CHECK_INT(sn_world_step(world, (sn_real)dt, scene->spec.substeps), SN_OK);
        steps(at, 1);
        if (!CHECK(sn_world_hash(world) == sn_world_hash(session_world(at)))) break;
    }
    size_t size;
    const unsigned char *frame = session_frame(at, &size);
    REQUIRE(frame != NULL);
    int counts[32], surfaces = 0, skin[2];
    for (int c = 0; c < 2; c++) {
        skin[c] = surfaces;
        counts[surfaces++] = scene_character_mesh(scene, c)->vertex_count;
        for (int m = 0; m < scene_character_muscle_count(scene, c); m++)
            counts[surfaces++] =
                sn_implicit_muscles_get_surface(world, scene_character_muscles(scene, c), m, 10, NULL, 0);
    }
    for (int c = 0; c < 2; c++) {
        float(*out)[3] = malloc((size_t)counts[skin[c]] * sizeof *out), most = 0;
        REQUIRE(scene_character_vertices(scene, world, c, out));
        for (int v = 0; v < counts[skin[c]]; v++) {
            float x[3];
            vertex(surface_of(frame, counts, skin[c]), v, x);
            for (int k = 0; k < 3; k++) most = fmaxf(most, fabsf(x[k] - out[v][k]));
        }
        CHECK(most < 1e-4f); // a step of the box, and a start that was not the same way
        free(out);
        // Rings of the biceps are around its axis, as far as it is thick.
        sn_vec3 axis[128];
        sn_real radii[128];
        const sn_body id = scene_character_muscles(scene, c);
        const int n = sn_implicit_muscles_get_axis(world, id, BICEPS, axis, 128);
        sn_implicit_muscles_get_radii(world, id, BICEPS, radii, 128);
        const unsigned char *tube = surface_of(frame, counts, skin[c] + 1);
        for (int v = 0; v < 10 * n; v++) {
            float x[3];
            vertex(tube, v, x);
            const double away = sqrt(pow((double)(x[0] - axis[v / 10].x), 2) + pow((double)(x[1] - axis[v / 10].y), 2) +
                                     pow((double)(x[2] - axis[v / 10].z), 2));
            CHECK_NEAR(away, radii[v / 10], 1e-4);
        }
    }
    session_close(at);
    sn_world_destroy(world);
    scene_free(scene);
}

static double thickest(session *at, int muscle) {
    sn_real radii[128];
    sn_world *world = session_world(at);
    const int n =
        sn_implicit_muscles_get_radii(world, sn_world_kind_at(world, SN_KIND_IMPLICIT_MUSCLE, 0), muscle, radii, 128);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, (double)radii[i]);
    return most;
}

// How far the skin of the first character reaches forward, where its biceps is.
static double front(session *at) {
    size_t size;
    const unsigned char *frame = session_frame(at, &size);
    float box[6];
    memcpy(box, surface_of(frame, NULL, 0), sizeof box);
    return (double)(box[2] + box[5] * 65535);
}

TEST(a_muscle_is_changed_while_it_runs_and_its_skin_follows) {
    session *at = open_session(), *plain = open_session();
    REQUIRE(at && plain);
    steps(at, 3), steps(plain, 3);
    const double before = thickest(at, BICEPS), skin = front(at);
    CHECK_INT(change(at, BICEPS, MUSCLE_WIDTH, 1.6f), SN_OK);
    steps(at, 10), steps(plain, 10);
    CHECK_NEAR(thickest(at, BICEPS) / before, 1.6, 0.05);
    CHECK(front(at) > skin + 0.25 * before);
    CHECK_NEAR(front(plain), skin, 0.1 * before);
    CHECK_NEAR(thickest(at, 1), thickest(plain, 1), 0.02 * before); // the others stay
    size_t size;
    uint32_t u[FIXED + EDIT];
    memcpy(u, session_frame(at, &size), sizeof u);
    CHECK_INT(u[53], 1);
    // It comes back, and leaves no trace but what moved meanwhile.
    CHECK_INT(say(at, MUSCLE_BACK, 2, (uint32_t[]){0, BICEPS}), SN_OK);
    steps(at, 10);
    steps(plain, 10);
    CHECK_NEAR(thickest(at, BICEPS), thickest(plain, BICEPS), 0.01 * before);
    CHECK_NEAR(front(at), front(plain), 0.05 * before);
    session_close(at);
    session_close(plain);
}

TEST(every_number_of_a_muscle_changes_the_run) {
    static const float values[MUSCLE_ORIGIN] = {6, 2.5f, 8, 2, 0.8f, 1.3f, 0.9f, 3, 1};
    session *at = open_session();
    REQUIRE(at);
    for (uint32_t k = 0; k < MUSCLE_ORIGIN; k++) {
        sn_world *world = session_world(at);
        const sn_body id = sn_world_kind_at(world, SN_KIND_IMPLICIT_MUSCLE, 0);
        CHECK_INT(change(at, UINT32_MAX, k, values[k]), SN_OK);
        steps(at, 12);
        for (int m = 0; m < sn_implicit_muscles_count(world, id); m++) {
            CHECK_NEAR(muscle_number_get(world, id, m, (int)k), values[k], 1e-6);
            // Whatever its shape, it keeps its volume.
            sn_implicit_muscle_def def;
            sn_implicit_muscles_get_muscle(world, id, m, &def);
            const double wide = k == MUSCLE_WIDTH ? 1.3 * 1.3 : 1;
            CHECK_NEAR(sn_implicit_muscles_volume(world, id, m) / (double)def.volume, wide, 0.03);
        }
        CHECK_INT(say(at, MUSCLE_BACK, 2, (uint32_t[]){0, UINT32_MAX}), SN_OK);
        CHECK_INT(say(at, 4, 0, NULL), SN_OK); // from the start
    }
    session_close(at);
}

TEST(going_back_brings_back_skins_and_muscles) {
    session *at = open_session();
    REQUIRE(at);
    steps(at, 12); // a state is kept every 0.1 s
    const double then = front(at);
    const uint64_t hash = sn_world_hash(session_world(at));
    CHECK_INT(change(at, BICEPS, MUSCLE_WIDTH, 1.8f), SN_OK);
    steps(at, 12);
    CHECK(front(at) != then);
    CHECK_INT(say(at, 11, 1, (uint32_t[]){12}), SN_OK);
    CHECK(sn_world_hash(session_world(at)) == hash);
    CHECK_NEAR(front(at), then, 0);
    size_t size;
    uint32_t u[FIXED];
    memcpy(u, session_frame(at, &size), sizeof u);
    CHECK_INT(u[53], 0); // it was not changed then
    // To the start, with what is set.
    CHECK_INT(change(at, BICEPS, MUSCLE_WIDTH, 1.5f), SN_OK);
    CHECK_INT(say(at, 4, 0, NULL), SN_OK);
    memcpy(u, session_frame(at, &size), sizeof u);
    CHECK_INT(u[3], 0);
    CHECK_INT(u[53], 1);
    sn_world *world = session_world(at);
    CHECK_NEAR(muscle_number_get(world, sn_world_kind_at(world, SN_KIND_IMPLICIT_MUSCLE, 0), BICEPS, MUSCLE_WIDTH), 1.5,
               1e-6);
    session_close(at);
}

TEST(wrong_words_about_muscles_change_nothing) {
    session *at = open_session();
    REQUIRE(at);
    const uint32_t width = MUSCLE_WIDTH, one = bits(1.2f);
    CHECK_INT(say(at, MUSCLE, 4, (uint32_t[]){2, 0, width, one}), SN_ERR_FORMAT);
    CHECK_INT(say(at, MUSCLE, 4, (uint32_t[]){0, 100, width, one}), SN_ERR_FORMAT);
    CHECK_INT(say(at, MUSCLE, 4, (uint32_t[]){0, 0, MUSCLE_ORIGIN, one}), SN_ERR_FORMAT);
    CHECK_INT(say(at, MUSCLE, 4, (uint32_t[]){0, 0, width, bits(NAN)}), SN_ERR_FORMAT);
    CHECK_INT(say(at, MUSCLE, 3, (uint32_t[]){0, 0, width}), SN_ERR_FORMAT);
    CHECK_INT(say(at, MUSCLE_BACK, 2, (uint32_t[]){9, 9}), SN_OK);
    CHECK_INT(change(at, BICEPS, width, 1e5f), SN_OK); // as far as it goes
    steps(at, 3);
    sn_world *world = session_world(at);
    CHECK_NEAR(muscle_number_get(world, sn_world_kind_at(world, SN_KIND_IMPLICIT_MUSCLE, 0), BICEPS, MUSCLE_WIDTH), 5,
               0);
    // A hand cannot take hold of what a motion leads.
    CHECK_INT(say(at, 7, 6, (uint32_t[]){0x40000000u, 5, 0, 0, 0, 0}), SN_OK);
    steps(at, 1);
    session_close(at);
}

TEST(damaged_characters_are_refused) {
    packed_page baked = bake();
    REQUIRE(baked.bytes != NULL);
    page_header header;
    memcpy(&header, baked.bytes, sizeof header);
    const struct {
        uint32_t at, value;
    } cases[] = {{header.characters.offset, 77},                      // muscles that are not there
                 {header.characters.offset + 8, 9},                   // no way to follow
                 {header.characters.offset + 12, header.models.size}, // a model behind the end
                 {header.characters.offset + 16, UINT32_MAX},         //
                 {header.characters.offset + 20, 400},                // bones
                 {header.characters.offset + 24, header.models.size}, //
                 {header.models.offset + 64, 0x7fffffff},             // a damaged model
                 {header.surfaces.offset + 4, 5},                     // the skin of a character that is not there
                 {header.surfaces.offset + 12, 7}};                   // with another number of vertices
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *copy = malloc(baked.size);
        memcpy(copy, baked.bytes, baked.size);
        memcpy(copy + cases[i].at, &cases[i].value, 4);
        session *at = NULL;
        CHECK(session_open(copy, baked.size, NULL, &at) != SN_OK && !at);
        session_close(at);
        free(copy);
    }
    free(baked.bytes);
}
