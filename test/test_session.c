// links: tools
// A baked scene runs as the scene does, bit for bit; pages can hold, throw, shoot, set, and go back; nothing that comes over
// the wire does harm.
// compilers: all
#include "scene_text.h"
#include "session/page_format.h"
#include "session/page_pack.h"
#include "session/session.h"
#include "session_text.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

enum { FIXED = 54 }; // words of a frame before its joints

// A hanging rod with a clamp that is moved, a free one over a plane, a shape on its course, a load and a release.
static const char *const text =
    "{\"step\": 0.02, \"substeps\": 2, \"duration\": 1, \"bodies\": ["
    "{\"kind\": \"rod\", \"name\": \"led\", \"line\": {\"to\": [1, 0, 0], \"segments\": 8}, \"radius\": 0.05, "
    "\"clamp_first\": true, \"position\": [0, 2, 0]},"
    "{\"kind\": \"rod\", \"name\": \"free\", \"line\": {\"to\": [0.6, 0, 0], \"segments\": 4}, \"radius\": 0.08, "
    "\"position\": [3, 0.5, 0], \"hold\": [{\"point\": 0, \"what\": [\"centre\"]}]}],"
    "\"rigid_bodies\": [{\"plane\": true}, {\"sphere\": {\"radius\": 0.2}, \"position\": [0, 1, 0], \"motion\": "
    "{\"keys\": ["
    "{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": 1, \"offset\": [0, 0.5, 0]}]}}],"
    "\"motion\": [{\"body\": \"led\", \"point\": 0, \"what\": \"centre\", \"keys\": [{\"t\": 0, \"offset\": [0, 0, "
    "0]}, "
    "{\"t\": 0.5, \"offset\": [0, 0.3, 0]}]}],"
    "\"loads\": [{\"body\": \"led\", \"point\": -1, \"keys\": [{\"t\": 0, \"force\": [0, 0, 0]}, {\"t\": 0.4, "
    "\"force\": [0, 0, 2]}]}],"
    "\"release\": [{\"body\": \"free\", \"point\": 0, \"t\": 0.3}]}";

static packed_page bake(void) {
    return pack_text(text);
}

static session *open_session(void) {
    return open_text(text);
}

static sn_status say(session *at, uint32_t type, int words, const uint32_t *u) {
    uint32_t message[16] = {type};
    if (words) memcpy(message + 1, u, 4 * (size_t)words);
    return session_message(at, message, 4 * (size_t)(words + 1));
}

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static void steps(session *at, uint32_t n) {
    CHECK_INT(say(at, 3, 1, &n), SN_OK);
    CHECK_INT(session_advance(at, 0, 1e9), n);
}

static void set(session *at, uint32_t which, float value) {
    CHECK_INT(say(at, 6, 2, (uint32_t[]){which, bits(value)}), SN_OK);
}

static sn_vec3 centre(session *at, int body, int point) {
    sn_vec3 all[64];
    sn_world *world = session_world(at);
    sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_ROD, body), all, 64);
    return all[point];
}

TEST(a_baked_run_is_the_scenes_bit_for_bit) {
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    session *at = open_session();
    REQUIRE(world && at);
    for (int i = 0; i < 60; i++) { // longer than the scene lasts
        const double dt = scene->spec.step;
        if (i < 50) CHECK_INT(scene_drive(scene, world, i * dt, dt), SN_OK);
        CHECK_INT(sn_world_step(world, (sn_real)dt, scene->spec.substeps), SN_OK);
        steps(at, 1);
        if (!CHECK(sn_world_hash(world) == sn_world_hash(session_world(at)))) break;
    }
    session_close(at);
    sn_world_destroy(world);
    scene_free(scene);
}

TEST(a_frame_shows_the_state) {
    session *at = open_session();
    REQUIRE(at);
    steps(at, 10);
    CHECK_INT(say(at, 12, 1, (uint32_t[]){3}), SN_OK);
    size_t size;
    const unsigned char *bytes = session_frame(at, &size);
    REQUIRE(bytes != NULL);
    uint32_t u[FIXED];
    float f[FIXED];
    memcpy(u, bytes, sizeof u);
    memcpy(f, bytes, sizeof f);
    double time;
    memcpy(&time, bytes + 16, 8);
    CHECK_INT(u[0], 0x34464E53);
    CHECK_INT(u[3], 10);
    CHECK_NEAR(time, 0.2, 1e-12);
    CHECK(((uint64_t)u[7] << 32 | u[6]) == sn_world_hash(session_world(at)));
    CHECK_INT(u[8], 9 + 5 + 1);
    CHECK_INT(size, 4 * (FIXED + 15 * u[8] + 8 * u[9] + 7 * u[10]));
    CHECK_NEAR(f[30], 1, 0.2); // volume
    CHECK_INT(u[32], 0);
    CHECK_INT(u[33], 10);
    CHECK_NEAR(f[35], 9.81, 1e-5);
    CHECK_NEAR(f[36], 2, 0);
    const float *joints = (const float *)(const void *)(bytes + 4 * FIXED);
    for (int body = 0, first = 0; body < 2; body++)
        for (int k = 0; k < (body ? 5 : 9); k++, first++) {
            const sn_vec3 c = centre(at, body, k);
            CHECK(joints[15 * first] == c.x && joints[15 * first + 1] == c.y && joints[15 * first + 2] == c.z);
        }
    CHECK_NEAR(joints[15 * 14 + 1], 1.1, 1e-5); // the ball, on its way
    session_close(at);
}

TEST(time_passes_at_the_speed_asked_for) {
    session *at = open_session();
    REQUIRE(at);
    CHECK_INT(session_advance(at, 1, 1), 0); // paused
    CHECK_INT(say(at, 2, 1, (uint32_t[]){1}), SN_OK);
    int done = 0;
    for (int i = 0; i < 50; i++) done += session_advance(at, 0.01, 1);
    CHECK(done >= 24 && done <= 25);
    CHECK_INT(say(at, 5, 1, (uint32_t[]){bits(0.5f)}), SN_OK);
    done = 0;
    for (int i = 0; i < 40; i++) done += session_advance(at, 0.01, 1);
    CHECK(done >= 9 && done <= 11);
    CHECK_INT(say(at, 2, 1, (uint32_t[]){0}), SN_OK);
    CHECK_INT(session_advance(at, 1, 1), 0);
    session_close(at);
}

TEST(a_step_that_fails_stops_the_session_and_is_said) {
    session *at = open_session();
    REQUIRE(at);
    steps(at, 3);
    sn_rigid_def box = sn_rigid_def_default();
    sn_body id;
    box.geometry = SN_GEOMETRY_BOX, box.half = (sn_vec3){1, 1, 1}, box.position = (sn_vec3){R(4.3), R(0.5), 0};
    CHECK_INT(sn_rigid_create(session_world(at), &box, &id), SN_OK);
    CHECK_INT(sn_world_set_max_pairs(session_world(at), 1), SN_OK);
    const uint64_t before = sn_world_hash(session_world(at));
    uint32_t n = 5;
    CHECK_INT(say(at, 3, 1, &n), SN_OK);
    CHECK_INT(session_advance(at, 0, 1e9), 0);
    CHECK_INT(session_advance(at, 1, 1e9), 0); // it does not try for ever
    size_t size;
    const uint32_t *frame = session_frame(at, &size);
    CHECK_INT(frame[2] & 17, 16);
    CHECK_INT(frame[3], 3);
    CHECK(sn_world_hash(session_world(at)) == before);
    CHECK_INT(sn_world_set_max_pairs(session_world(at), 100000), SN_OK);
    steps(at, 1);
    frame = session_frame(at, &size);
    CHECK_INT(frame[2] & 17, 0);
    CHECK_INT(frame[3], 4);
    session_close(at);
}

TEST(going_back_restores_the_state_and_it_goes_on_the_same) {
    session *at = open_session();
    REQUIRE(at);
    uint64_t hash[50];
    for (int i = 0; i < 50; i++) {
        hash[i] = sn_world_hash(session_world(at));
        steps(at, 1);
    }
    const uint64_t end = sn_world_hash(session_world(at));
    CHECK_INT(say(at, 11, 1, (uint32_t[]){22}), SN_OK);
    CHECK(sn_world_hash(session_world(at)) == hash[20]); // states are kept every 0.1 s
    CHECK_INT(say(at, 11, 1, (uint32_t[]){1000}), SN_OK);
    CHECK(sn_world_hash(session_world(at)) == end);
    CHECK_INT(say(at, 11, 1, (uint32_t[]){0}), SN_OK);
    CHECK(sn_world_hash(session_world(at)) == hash[0]);
    steps(at, 50);
    CHECK(sn_world_hash(session_world(at)) == end);
    CHECK_INT(say(at, 4, 0, NULL), SN_OK);
    CHECK(sn_world_hash(session_world(at)) == hash[0]);
    session_close(at);
}

TEST(history_keeps_to_its_memory) {
    packed_page baked = bake();
    session *at = NULL;
    const session_options options = {.history_bytes = 100000};
    CHECK_INT(session_open(baked.bytes, baked.size, &options, &at), SN_OK);
    free(baked.bytes);
    REQUIRE(at);
    steps(at, 2000);
    size_t size, saved = sn_world_save(session_world(at), NULL, 0);
    uint32_t u[FIXED];
    memcpy(u, session_frame(at, &size), sizeof u);
    CHECK_INT(u[32], 0);
    CHECK(u[34] >= 3 && u[34] * saved <= 100000 + saved);
    session_close(at);
}

TEST(a_hand_pulls_a_body_and_a_throw_keeps_its_velocity) {
    session *at = open_session();
    REQUIRE(at);
    steps(at, 20); // 'free' is released and falls on the plane
    sn_vec3 from = centre(at, 1, 2);
    uint32_t grab[6] = {1, 2, bits(1), bits(from.x), bits(from.y), bits(from.z)};
    CHECK_INT(say(at, 7, 6, grab), SN_OK);
    for (int i = 1; i <= 25; i++) {
        const float y = from.y + 0.08f * (float)i;
        CHECK_INT(say(at, 8, 3, (uint32_t[]){bits(from.x), bits(y), bits(from.z)}), SN_OK);
        steps(at, 1);
    }
    CHECK(centre(at, 1, 2).y > from.y + 1);
    size_t size;
    const unsigned char *frame = session_frame(at, &size);
    uint32_t flags;
    memcpy(&flags, frame + 8, 4);
    CHECK(flags & 2);
    sn_vec3 v[5];
    sn_body_get_velocities(session_world(at), sn_world_kind_at(session_world(at), SN_KIND_ROD, 1), v, 5);
    const double speed = (double)v[2].y;
    CHECK(speed > 2);
    CHECK_INT(say(at, 9, 0, NULL), SN_OK);
    steps(at, 1);
    sn_body_get_velocities(session_world(at), sn_world_kind_at(session_world(at), SN_KIND_ROD, 1), v, 5);
    CHECK((double)v[2].y > 0.6 * speed - 0.3);
    session_close(at);
}

TEST(shot_pills_fly_and_the_oldest_go) {
    session *at = open_session();
    REQUIRE(at);
    uint32_t shot[8] = {bits(0), bits(5), bits(0), bits(0), bits(3), bits(0), bits(0.1f), bits(0)};
    for (int i = 0; i < 70; i++) CHECK_INT(say(at, 10, 8, shot), SN_OK);
    CHECK_INT(sn_world_kind_count(session_world(at), SN_KIND_ROD), 2 + 64);
    CHECK_INT(say(at, 13, 0, NULL), SN_OK);
    CHECK_INT(sn_world_kind_count(session_world(at), SN_KIND_ROD), 2);
    CHECK_INT(say(at, 10, 8, shot), SN_OK);
    steps(at, 5);
    size_t size;
    const unsigned char *frame = session_frame(at, &size);
    uint32_t joints, extra;
    memcpy(&joints, frame + 32, 4), memcpy(&extra, frame + 36, 4);
    REQUIRE(extra == 1);
    float pill[8];
    memcpy(pill, frame + 4 * (FIXED + 15 * joints), sizeof pill);
    CHECK_NEAR(0.5f * (pill[1] + pill[5]), 5 + 3 * 0.1 - 0.5 * 9.81 * 0.01, 0.02);
    CHECK_NEAR(pill[3], 0.1, 0.01);
    session_close(at);
}

TEST(every_parameter_changes_the_run_and_coming_back_leaves_no_trace) {
    const float other[10] = {3, 4, 3, 12, 0.2f, 0.1f, 5, 0, 1, 0};
    session *at = open_session();
    REQUIRE(at);
    steps(at, 40);
    const uint64_t plain = sn_world_hash(session_world(at));
    float start[10];
    size_t size;
    memcpy(start, (const unsigned char *)session_frame(at, &size) + 4 * 35, sizeof start);
    for (uint32_t i = 0; i < 9; i++) { // sleeping is not seen in so short a run
        if (i == 3) continue;          // nor are more sweeps where they converge
        CHECK_INT(say(at, 4, 0, NULL), SN_OK);
        set(at, i, other[i]);
        steps(at, 40);
        CHECK(sn_world_hash(session_world(at)) != plain);
        set(at, i, start[i]);
        CHECK_INT(say(at, 4, 0, NULL), SN_OK);
        steps(at, 40);
        CHECK(sn_world_hash(session_world(at)) == plain);
    }
    session_close(at);
}

TEST(nothing_over_the_wire_does_harm) {
    session *at = open_session();
    REQUIRE(at);
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        unsigned char bytes[48];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24);
        const uint32_t type = (seed >> 8) % 16;
        if (i % 4) memcpy(bytes, &type, 4);
        if (type == 3) memset(bytes + 5, 0, 3); // few steps
        session_message(at, bytes, (seed >> 16) % 44);
        if (i % 200 == 0) session_advance(at, 0.02, 1e9);
    }
    size_t size;
    CHECK(session_frame(at, &size) != NULL);
    sn_world *world = session_world(at);
    CHECK(isfinite(sn_world_energy(world).kinetic));
    session_close(at);
}

// --- bodies of springs ---

// A cloth over a plane, a rope that hangs, a cube of jelly, and a rod.
static const char *const soft_text =
    "{\"step\": 0.016666667, \"substeps\": 2, \"duration\": 1, \"rigid_bodies\": [{\"plane\": true}], \"bodies\": ["
    "{\"kind\": \"spring\", \"name\": \"cloth\", \"cloth\": {\"across\": [1, 0, 0], \"down\": [0, 0, 1], \"columns\": "
    "12, \"rows\": 10}, \"position\": [0, 1, 0], \"radius\": 0.01},"
    "{\"kind\": \"spring\", \"name\": \"rope\", \"chain\": {\"from\": [-1, 1.5, 0], \"to\": [-1, 1.5, 0.5], "
    "\"points\": "
    "8}, \"hold\": [{\"points\": [0]}], \"radius\": 0.02},"
    "{\"kind\": \"spring\", \"name\": \"jelly\", \"solid\": {\"box\": {\"half\": [0.1, 0.1, 0.1]}, \"cell\": 0.1}, "
    "\"position\": [2, 0.5, 0], \"material\": \"jelly\"},"
    "{\"kind\": \"rod\", \"line\": {\"to\": [0.3, 0, 0], \"segments\": 3}, \"position\": [4, 0.5, 0], \"radius\": "
    "0.05}]}";

static sn_body springs_at(session *at, int i) {
    return sn_world_kind_at(session_world(at), SN_KIND_SPRING, i);
}

static sn_vec3 point_at(session *at, int body, int point) {
    sn_vec3 all[256];
    sn_body_get_points(session_world(at), springs_at(at, body), all, 256);
    return all[point];
}

static double mean_height(session *at, int body) {
    sn_vec3 all[256];
    const int n = sn_body_get_points(session_world(at), springs_at(at, body), all, 256);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)all[i].y;
    return sum / n;
}

TEST(baked_springs_run_as_the_scene_does) {
    sn_scene *scene;
    sn_world *world = scene_world(soft_text, &scene);
    session *at = open_text(soft_text);
    REQUIRE(world && at);
    for (int i = 0; i < 40; i++) {
        CHECK_INT(scene_drive(scene, world, i * scene->spec.step, scene->spec.step), SN_OK);
        CHECK_INT(sn_world_step(world, (sn_real)scene->spec.step, scene->spec.substeps), SN_OK);
        steps(at, 1);
        if (!CHECK(sn_world_hash(world) == sn_world_hash(session_world(at)))) break;
    }
    session_close(at);
    sn_world_destroy(world);
    scene_free(scene);
}

// Vertices of the cloth and of the jelly's surface, to the step that the frame says; the rope has joints.
TEST(a_frame_has_the_vertices_of_what_deforms) {
    session *at = open_text(soft_text);
    REQUIRE(at);
    steps(at, 25);
    size_t size;
    const unsigned char *bytes = session_frame(at, &size);
    REQUIRE(bytes != NULL);
    uint32_t u[FIXED];
    memcpy(u, bytes, sizeof u);
    CHECK_INT(u[8], 4 + 8); // the rod's joints, then the rope's
    REQUIRE(u[51] == 2);
    const float *joints = (const float *)(const void *)(bytes + 4 * FIXED);
    for (int k = 0; k < 8; k++) {
        const sn_vec3 p = point_at(at, 1, k);
        CHECK(joints[15 * (4 + k)] == p.x && joints[15 * (4 + k) + 1] == p.y && joints[15 * (4 + k) + 2] == p.z);
    }
    const unsigned char *next = bytes + 4 * (FIXED + 15 * u[8] + 8 * u[9] + 7 * u[10]);
    uint32_t vertices = 0;
    for (int surface = 0; surface < 2; surface++) {
        const int body = surface ? 2 : 0, all = sn_body_point_count(session_world(at), springs_at(at, body));
        const uint32_t count = surface ? u[52] - 120 : 120; // every point of the cloth; of the jelly those outside
        CHECK(count <= (uint32_t)all);
        float box[6];
        memcpy(box, next, sizeof box);
        next += sizeof box;
        double worst = 0;
        for (uint32_t v = 0; v < count; v++, next += 6) {
            uint16_t place[3];
            memcpy(place, next, sizeof place);
            double nearest = 1e9; // of the jelly any point: its vertices are in the order of its points
            for (int p = surface ? 0 : (int)v; p < (surface ? all : (int)v + 1); p++) {
                const sn_vec3 x = point_at(at, body, p);
                const double off = fmax(fabs((double)(box[0] + box[3] * place[0] - x.x)),
                                        fmax(fabs((double)(box[1] + box[4] * place[1] - x.y)),
                                             fabs((double)(box[2] + box[5] * place[2] - x.z))));
                nearest = fmin(nearest, off);
            }
            worst = fmax(worst, nearest);
        }
        CHECK(worst <= 0.51 * fmax((double)box[3], fmax((double)box[4], (double)box[5])) + 2e-7);
        next += 6 * count % 4;
        vertices += count;
    }
    CHECK_INT(vertices, u[52]);
    CHECK_INT((size_t)(next - bytes), size);
    session_close(at);
}

// Each is lifted by a vertex, and lies a little below the hand once it hangs still; let go, it falls.
TEST(a_hand_lifts_cloth_jelly_and_rope) {
    const uint32_t names[3] = {0x40000000u, 0x40000001u, 1}, vertices[3] = {65, 3, 7};
    const int bodies[3] = {0, 2, 1};
    for (int i = 0; i < 3; i++) {
        session *at = open_text(soft_text);
        REQUIRE(at);
        steps(at, 60);
        const double start = mean_height(at, bodies[i]);
        const sn_vec3 from = {i == 1 ? 2 : i == 2 ? -1 : 0, R(0.5), 0};
        CHECK_INT(
            say(at, 7, 6, (uint32_t[]){names[i], vertices[i], bits(i == 2), bits(from.x), bits(from.y), bits(from.z)}),
            SN_OK);
        for (int k = 1; k <= 90; k++) { // up by 2 m in 1.5 s
            const float y = (float)from.y + 2 * (float)k / 90;
            CHECK_INT(say(at, 8, 3, (uint32_t[]){bits(from.x), bits(y), bits(from.z)}), SN_OK);
            steps(at, 1);
        }
        steps(at, 120);
        size_t size;
        float grip[6];
        uint32_t flags;
        const unsigned char *frame = session_frame(at, &size);
        memcpy(&flags, frame + 8, 4);
        memcpy(grip, frame + 4 * 45, sizeof grip);
        CHECK(flags & 2);
        if (i < 2) {
            CHECK(mean_height(at, bodies[i]) > start + 1);
            CHECK_NEAR(grip[0], grip[3], 0.02);
            CHECK_NEAR(grip[1], grip[4], 0.08);
        }
        CHECK_INT(say(at, 9, 0, NULL), SN_OK);
        const double high = mean_height(at, bodies[i]);
        steps(at, 20);
        memcpy(&flags, (const unsigned char *)session_frame(at, &size) + 8, 4);
        CHECK(!(flags & 2));
        CHECK(mean_height(at, bodies[i]) < high - 0.2 * (i < 2));
        session_close(at);
    }
}

TEST(sliders_change_springs_and_coming_back_leaves_no_trace) {
    session *at = open_text(soft_text);
    REQUIRE(at);
    steps(at, 40);
    const uint64_t plain = sn_world_hash(session_world(at));
    for (uint32_t i = 4; i < 8; i += 3) { // stiffness and friction
        CHECK_INT(say(at, 4, 0, NULL), SN_OK);
        set(at, i, 0.2f);
        steps(at, 40);
        CHECK(sn_world_hash(session_world(at)) != plain);
        set(at, i, 1);
        CHECK_INT(say(at, 4, 0, NULL), SN_OK);
        steps(at, 40);
        CHECK(sn_world_hash(session_world(at)) == plain);
    }
    CHECK_INT(say(at, 11, 1, (uint32_t[]){20}), SN_OK); // and so does going back
    steps(at, 40 - 18);
    CHECK(sn_world_hash(session_world(at)) == plain);
    session_close(at);
}

static void check_damaged(const char *of) {
    packed_page baked = pack_text(of);
    REQUIRE(baked.bytes);
    uint32_t seed = 3;
    unsigned char *copy = malloc(baked.size);
    REQUIRE(copy);
    for (int i = 0; i < 320; i++) {
        session *at = NULL;
        memcpy(copy, baked.bytes, baked.size);
        seed = seed * 1664525u + 1013904223u;
        copy[i < 112 ? (size_t)i : (seed >> 4) % baked.size] ^= (unsigned char)(1u << (seed >> 29));
        if (session_open(copy, baked.size, NULL, &at) == SN_OK) session_advance(at, 0.1, 1e9);
        session_close(at);
        CHECK(session_open(baked.bytes, (seed >> 4) % baked.size, NULL, &at) != SN_OK);
    }
    free(copy);
    free(baked.bytes);
}

TEST(damaged_bakes_are_refused) {
    check_damaged(text);
    check_damaged(soft_text);
}
