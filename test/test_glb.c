// links: tools
// Exported animations: meshes of pills are closed and as large as the pills, recordings follow the world, dropped
// frames come back by interpolation, .glb files have the structure that the format asks for, vertex caches read back
// as they were.
#include "base/math/vec.h"
#include "capture/recording_scene.h"
#include "formats/glb_write.h"
#include "formats/keyframes.h"
#include "formats/vertex_cache.h"
#include "scene_text.h"
#include "test.h"
#include "view/pill_mesh.h"
#include <jansson.h>
#include <math.h>

static uint32_t word_at(const char *bytes, size_t at, bool big_endian) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) {
        word |= (uint32_t)(unsigned char)bytes[at + (size_t)i] << (big_endian ? 24 - 8 * i : 8 * i);
    }
    return word;
}

static float float_at(const char *bytes, size_t at, bool big_endian) {
    uint32_t word = word_at(bytes, at, big_endian);
    float value;
    memcpy(&value, &word, 4);
    return value;
}

// --- meshes ---

// Every edge belongs to two triangles that run along it in opposite directions.
static bool closed(const sn_mesh *mesh) {
    for (int t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            int a = mesh->triangle[t][k], b = mesh->triangle[t][(k + 1) % 3], found = 0;
            for (int u = 0; u < mesh->triangle_count; u++) {
                for (int c = 0; c < 3; c++) {
                    int p = mesh->triangle[u][c], q = mesh->triangle[u][(c + 1) % 3];
                    if (p == a && q == b && u != t) return false;
                    found += p == b && q == a;
                }
            }
            if (found != 1) return false;
        }
    }
    return true;
}

TEST(a_pill_mesh_is_closed_and_as_large_as_the_pill) {
    sn_mesh mesh;
    const double r = 0.2, length = 1, pi = 3.14159265358979;
    REQUIRE(pill_mesh_pill(&mesh, sn_v3(1, 2, 3), sn_v3(1, 2, 4), (sn_real)r, (sn_real)r));
    CHECK(closed(&mesh));
    double volume = pi * r * r * length + 4.0 / 3 * pi * r * r * r;
    CHECK_NEAR(sn_mesh_volume(&mesh), volume, 0.05 * volume); // 16 sides are a little less than round
    CHECK(sn_mesh_volume(&mesh) < volume);
    sn_mesh_free(&mesh);
    REQUIRE(pill_mesh_pill(&mesh, sn_v3(0, 1, 0), sn_v3(0, 1, 0), 1, 1));
    CHECK(closed(&mesh));
    CHECK_NEAR(sn_mesh_volume(&mesh), 4.0 / 3 * pi, 0.07 * 4.2);
    sn_mesh_free(&mesh);
    REQUIRE(pill_mesh_box(&mesh, sn_v3(0, 0, 0), sn_q_identity(), sn_v3(1, 2, 3)));
    CHECK_NEAR(sn_mesh_volume(&mesh), 48, 1e-4);
    sn_mesh_free(&mesh);
}

TEST(meshes_of_chains_loops_and_trees_are_closed) {
    const sn_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {2, -1, 0}, {3, 1, 0}, {3, 2, 1}};
    const sn_real radii[] = {0.1f, 0.2f, 0.1f, 0.1f, 0.05f, 0.05f};
    const int chain[] = {-1, 0, 1, 2, 3, 4}, tree[] = {-1, 0, 1, 1, 2, 2}, loop[] = {5, 0, 1, 2, 3, 4};
    const int *const parents[] = {chain, tree, loop};
    for (int i = 0; i < 3; i++) {
        sn_mesh mesh;
        REQUIRE(pill_mesh_rod(&mesh, points, radii, parents[i], 6));
        CHECK(closed(&mesh));
        CHECK(sn_mesh_volume(&mesh) > 0); // the outside is outside
        for (int v = 0; v < mesh.vertex_count; v++) {
            CHECK_NEAR(mesh.weight[v][0] + mesh.weight[v][1], 1, 1e-6);
            for (int k = 0; k < 4; k++) CHECK(mesh.weight[v][k] > 0 || mesh.joint[v][k] == 0);
        }
        sn_mesh_free(&mesh);
    }
}

// --- recordings ---

static const char swinging[] =
    "{\"bodies\": [{\"kind\": \"rod\", \"name\": \"a\", \"line\": {\"to\": [1, 0, 0], \"segments\": 6},"
    " \"radii\": [0.1, 0.05], \"material\": \"jelly\", \"clamp_first\": true, \"rotation\": {\"axis\": [0, 1, 0], "
    "\"degrees\": 30},"
    " \"repeat\": {\"count\": [1, 1, 2], \"spacing\": [0, 0, 1]}},"
    " {\"kind\": \"rod\", \"circle\": {\"radius\": 0.5, \"segments\": 12}, \"radius\": 0.04}],"
    " \"shapes\": [{\"plane\": true, \"position\": [0, -1, 0]}, {\"box\": {\"half\": [1, 0.1, 1]}, \"position\": [0, "
    "-0.9, 0]}]}";

typedef struct {
    sn_scene *scene;
    sn_world *world;
    scene_recorder *recorder;
    const recording *take;
} taken;

static taken record(const char *text, int frames) {
    taken made = {0};
    char why[256];
    made.world = scene_world(text, &made.scene);
    if (!CHECK(made.world != NULL)) return made;
    made.recorder = scene_recorder_new(made.scene, made.world, true, why);
    if (!CHECK(made.recorder != NULL)) return made;
    for (int i = 0; i < frames; i++) {
        CHECK(scene_recorder_add(made.recorder, made.world, i / 60.0));
        CHECK(sn_world_step(made.world, 1.0f / 60, 2) == SN_OK);
    }
    made.take = scene_recorder_take(made.recorder);
    return made;
}

static void release(taken *made) {
    scene_recorder_free(made->recorder);
    sn_world_destroy(made->world);
    scene_free(made->scene);
}

TEST(copies_share_a_shape_and_stand_where_they_were_put) {
    taken made = record(swinging, 1);
    if (made.take) {
        CHECK_INT(made.take->body_count, 4);  // two rods, a loop, a box
        CHECK_INT(made.take->shape_count, 3); // the rods share theirs
        CHECK_INT(made.take->plane_count, 1);
        CHECK_INT(made.take->bodies[0].shape, made.take->bodies[1].shape);
        CHECK_STRING(made.take->bodies[1].name, "a-1");
        // At the start each vertex is at a distance from the axis that is its radius.
        const sn_mesh *mesh = &made.take->shapes[0].mesh;
        float(*x)[3] = malloc((size_t)mesh->vertex_count * sizeof *x),
        (*y)[3] = malloc((size_t)mesh->vertex_count * sizeof *y);
        CHECK(recording_vertices(made.take, 0, 0, x, NULL) && recording_vertices(made.take, 0, 1, y, NULL));
        for (int v = 0; v < mesh->vertex_count; v++) {
            for (int k = 0; k < 3; k++) CHECK_NEAR(y[v][k] - x[v][k], k == 2, 1e-5);
        }
        double along = cos(3.14159265358979 / 6), across = -sin(3.14159265358979 / 6), most = 0;
        for (int v = 0; v < mesh->vertex_count; v++) {
            double t = x[v][0] * along + x[v][2] * across;
            double dx = x[v][0] - t * along, dz = x[v][2] - t * across;
            double off = sqrt(dx * dx + dz * dz + (double)x[v][1] * x[v][1]);
            CHECK(off < 0.1001);
            most = off > most ? off : most;
        }
        CHECK_NEAR(most, 0.1, 2e-3);
        free(x);
        free(y);
    }
    release(&made);
}

TEST(vertices_follow_the_rod) {
    taken made = record(swinging, 30);
    if (made.take) {
        // Rings at a point stay around it: the mean of all vertices that only hang on point 6 is near where that point
        // went.
        const recorded_shape *shape = &made.take->shapes[0];
        float(*x)[3] = malloc((size_t)shape->mesh.vertex_count * sizeof *x);
        CHECK(recording_vertices(made.take, 29, 0, x, NULL));
        const sn_vec3 tip = recording_frame(made.take, 29)[6].position;
        CHECK((double)tip.y < -0.2); // it has swung
        int found = 0;
        for (int v = 0; v < shape->mesh.vertex_count; v++) {
            if (shape->mesh.joint[v][0] != 6 || shape->mesh.weight[v][0] < 1) continue;
            double d = (double)sn_length(sn_sub(sn_v3(x[v][0], x[v][1], x[v][2]), tip));
            CHECK_NEAR(d, (double)joint_pose_scale(&recording_frame(made.take, 29)[6]) * 0.05, 1e-4);
            found++;
        }
        CHECK(found > 16);
        free(x);
    }
    release(&made);
}

TEST(an_octopus_wears_its_skin) {
    taken made = record(
        "{\"bodies\": [{\"kind\": \"rod\", \"octopus\": {\"size\": 0.5}, \"scale\": 2, \"position\": [3, 0, 0]}]}", 1);
    if (made.take) {
        const recorded_shape *shape = &made.take->shapes[0];
        CHECK(shape->skinned);
        CHECK(shape->mesh.vertex_count > 1000);
        float low[3], high[3];
        sn_mesh_box(&shape->mesh, low, high);
        CHECK((double)(high[0] - low[0]) > 3 && (double)(high[0] - low[0]) < 5); // 4 m from arm to arm
    }
    release(&made);
}

// Two octopuses of another size, put differently, hang by their mantles: the recording has their vertices and normals
// where sn_skin_update has them, stretched arms included.
TEST(recorded_skins_are_those_of_the_engine) {
    taken made =
        record("{\"materials\": {\"soft\": {\"young\": 3e4}}, \"bodies\": [{\"kind\": \"rod\", \"octopus\": {}, "
               "\"material\": \"soft\", \"scale\": 1.5, \"position\": [3, 4, 1], "
               "\"rotation\": {\"axis\": [1, 2, 0.5], \"degrees\": 50}, \"hold\": [{\"point\": 5}], "
               "\"repeat\": {\"count\": [2, 1, 1], \"spacing\": [9, 0, 0]}}]}",
               30);
    const recorded_shape *shape = made.take ? &made.take->shapes[0] : NULL;
    if (!CHECK(shape && shape->skinned && made.take->shape_count == 1)) return;
    // The last frame is one step behind the world, so record this one too.
    CHECK(scene_recorder_add(made.recorder, made.world, 0.5));
    const int n = shape->mesh.vertex_count;
    const size_t room = (size_t)n;
    sn_vec3 *at = malloc(room * sizeof *at), *normal = malloc(room * sizeof *normal);
    uint16_t *handles = malloc(4 * room * sizeof *handles);
    float(*x)[3] = malloc(room * sizeof *x), (*normals)[3] = malloc(room * sizeof *normals);
    REQUIRE(at && normal && handles && x && normals);
    for (int v = 0; v < n; v++) {
        const float *p = shape->mesh.position[v], *q = shape->mesh.normal[v];
        at[v] = sn_v3(p[0], p[1], p[2]), normal[v] = sn_v3(q[0], q[1], q[2]);
        for (int k = 0; k < 4; k++) handles[4 * v + k] = (uint16_t)shape->mesh.joint[v][k];
    }
    sn_skin_def def = sn_skin_def_default();
    def.positions = at, def.normals = normal, def.vertex_count = n;
    def.handles = handles, def.weights = &shape->mesh.weight[0][0], def.handle_count = shape->joint_count;
    sn_skin *skin;
    REQUIRE(sn_skin_create(&def, &skin) == SN_OK);
    double strained = 0;
    for (int i = 0; i < 2; i++) {
        sn_skin_instance *copy;
        const double half = 50 * 3.14159265358979 / 360, s = sin(half) / sqrt(5.25);
        const sn_placement put = {
            {3 + 9 * (sn_real)i, 4, 1}, {(sn_real)s, (sn_real)(2 * s), (sn_real)(0.5 * s), (sn_real)cos(half)}, 1};
        const sn_body rod = sn_world_kind_at(made.world, SN_KIND_ROD, i);
        REQUIRE(sn_skin_instance_create(skin, &copy) == SN_OK);
        REQUIRE(sn_skin_instance_bind(copy, made.world, &rod, 1, &put) == SN_OK);
        const sn_skin_output out = {copy, &at[0].x, sizeof *at, &normal[0].x, sizeof *normal};
        REQUIRE(sn_skin_update(made.world, &out, 1) == SN_OK);
        CHECK(recording_vertices(made.take, 30, i, x, normals));
        double off = 0, turned = 0;
        for (int v = 0; v < n; v++) {
            off = fmax(off, (double)sn_length(sn_sub(at[v], sn_v3(x[v][0], x[v][1], x[v][2]))));
            turned =
                fmax(turned, (double)sn_length(sn_sub(normal[v], sn_v3(normals[v][0], normals[v][1], normals[v][2]))));
        }
        CHECK(off < 2e-5); // of 6 m
        CHECK(turned < 1e-4);
        for (int k = 0; k < shape->joint_count; k++) {
            const sn_vec3 scale = recording_frame(made.take, 30)[made.take->bodies[i].first + k].scale;
            strained = fmax(strained, (double)fabsf((float)(scale.x - scale.z)));
        }
        sn_skin_instance_destroy(copy);
    }
    CHECK(strained > 0.02); // else this would say nothing
    sn_skin_destroy(skin);
    free(at), free(normal), free(handles), free(x), free(normals);
    release(&made);
}

// --- keyframes ---

static void fill_joint(recording *take, int frames, double (*height)(int)) {
    take->joint_count = 1;
    for (int i = 0; i < frames; i++) {
        joint_pose *pose = recording_add(take, i / 30.0);
        if (!CHECK(pose != NULL)) return;
        double angle = 0.02 * i;
        *pose = (joint_pose){
            {0, (sn_real)height(i), 0}, {0, 0, (sn_real)sin(angle / 2), (sn_real)cos(angle / 2)}, {1, 1, 1}};
    }
}

static double bent(int i) {
    return i < 40 ? 0.1 * i : 4 - 0.05 * (i - 40);
}

static double parabola(int i) {
    return 0.01 * i * i;
}

TEST(frames_that_interpolation_brings_back_are_dropped) {
    recording take = {0};
    bool keep[100];
    int stack[400];
    fill_joint(&take, 100, bent);
    CHECK_INT(keyframes_choose(&take, 0, CHANNEL_POSITION, 1e-5, keep, stack), 3);
    CHECK(keep[0] && keep[40] && keep[99]);
    CHECK_INT(keyframes_choose(&take, 0, CHANNEL_SCALE, 1e-5, keep, stack), 0); // it never changes
    CHECK_INT(keyframes_choose(&take, 0, CHANNEL_TURN, 1e-5, keep, stack), 2);  // an even turn along an arc
    recording_free(&take);
    fill_joint(&take, 100, parabola);
    int fine = keyframes_choose(&take, 0, CHANNEL_POSITION, 1e-4, keep, stack);
    int coarse = keyframes_choose(&take, 0, CHANNEL_POSITION, 0.5, keep, stack);
    CHECK_INT(fine, 100);
    CHECK(coarse > 2 && coarse < 20);
    for (int i = 1, from = 0; i < 100; i++) { // what was dropped is within the tolerance
        int to = i;
        while (!keep[to]) to++;
        double f = to > from ? (double)(i - from) / (to - from) : 0;
        CHECK_NEAR(parabola(from) + f * (parabola(to) - parabola(from)), parabola(i), 0.5001);
        if (keep[i]) from = i;
    }
    recording_free(&take);
}

// --- files ---

TEST(a_glb_has_its_chunks_and_shares_what_is_equal) {
    taken made = record(swinging, 20);
    char *bytes = NULL, why[256];
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (made.take && CHECK(glb_write(out, made.take, "a \"title\"", GLB_TOLERANCE, why))) {
        fclose(out);
        CHECK(memcmp(bytes, "glTF", 4) == 0);
        CHECK_INT(word_at(bytes, 4, false), 2);
        CHECK_INT(word_at(bytes, 8, false), size);
        uint32_t text = word_at(bytes, 12, false), binary = word_at(bytes, 20 + text, false);
        CHECK_INT(text % 4, 0);
        CHECK_INT(20 + text + 8 + binary, size);
        json_t *json = json_loadb(bytes + 20, text, 0, NULL);
        if (CHECK(json != NULL)) {
            CHECK_INT(json_array_size(json_object_get(json, "skins")), 3);
            CHECK_INT(json_array_size(json_object_get(json, "meshes")),
                      4 - (made.take->bodies[0].colour[0] == made.take->bodies[1].colour[0]));
            const json_t *skins = json_object_get(json, "skins");
            CHECK_INT(json_integer_value(json_object_get(json_array_get(skins, 0), "inverseBindMatrices")),
                      json_integer_value(json_object_get(json_array_get(skins, 1), "inverseBindMatrices")));
            CHECK_INT(
                json_integer_value(json_object_get(json_array_get(json_object_get(json, "buffers"), 0), "byteLength")),
                binary);
            CHECK_INT(json_array_size(json_object_get(json, "animations")), 1);
        }
        json_decref(json);
    } else {
        fclose(out);
    }
    free(bytes);
    release(&made);
}

TEST(a_still_scene_has_no_animation) {
    taken made = record(
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 3}}]}",
        3);
    char *bytes = NULL, why[256];
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (made.take) CHECK(glb_write(out, made.take, NULL, GLB_TOLERANCE, why));
    fclose(out);
    CHECK(size > 20 && strstr(bytes + 20, "\"animations\"") == NULL); // the text ends before the first zero byte
    CHECK(size > 20 && strstr(bytes + 20, "\"skins\"") != NULL);
    free(bytes);
    release(&made);
}

static void check_cache(const taken *made, bool big_endian) {
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    CHECK(big_endian ? mdd_write(out, made->take) : pc2_write(out, made->take));
    fclose(out);
    size_t points = (size_t)recording_vertex_count(made->take), frames = (size_t)made->take->frame_count;
    size_t head = big_endian ? 8 + 4 * frames : 32;
    REQUIRE(size == head + 12 * points * frames);
    CHECK_INT(word_at(bytes, big_endian ? 4 : 16, big_endian), points);
    CHECK_INT(word_at(bytes, big_endian ? 0 : 28, big_endian), frames);
    if (!big_endian) CHECK(memcmp(bytes, "POINTCACHE2\0\1\0\0\0", 16) == 0);
    for (size_t f = 0; f < frames; f++) {
        size_t at = head + 12 * points * f;
        if (big_endian) CHECK_NEAR(float_at(bytes, 8 + 4 * f, true), made->take->times[f], 1e-6);
        for (int b = 0; b < made->take->body_count; b++) {
            if (!recording_moves(made->take, b)) continue;
            int count = made->take->shapes[made->take->bodies[b].shape].mesh.vertex_count, wrong = 0;
            float(*x)[3] = malloc((size_t)count * sizeof *x);
            CHECK(recording_vertices(made->take, (int)f, b, x, NULL));
            for (int v = 0; v < count; v++) {
                for (int k = 0; k < 3; k++, at += 4) wrong += float_at(bytes, at, big_endian) != x[v][k];
            }
            CHECK_INT(wrong, 0);
            free(x);
        }
    }
    free(bytes);
}

TEST(vertex_caches_read_back_exactly) {
    taken made = record(swinging, 4);
    if (made.take) {
        check_cache(&made, false);
        check_cache(&made, true);
    }
    release(&made);
}

TEST(the_mesh_beside_a_cache_has_its_vertices_in_the_same_order) {
    taken made = record(swinging, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (made.take) CHECK(obj_frame_write(out, made.take, 0, false));
    fclose(out);
    int vertices = 0, faces = 0, most = 0, body = 0, v = 0;
    float(*x)[3] = malloc(100000 * sizeof *x);
    if (made.take) CHECK(recording_vertices(made.take, 0, 0, x, NULL));
    for (const char *line = text; made.take && line && *line; line = strchr(line, '\n') + 1) {
        float p[3];
        int a, b, c;
        if (sscanf(line, "v %f %f %f", &p[0], &p[1], &p[2]) == 3) {
            if (v == made.take->shapes[made.take->bodies[body].shape].mesh.vertex_count) {
                v = 0;
                CHECK(recording_vertices(made.take, 0, ++body, x, NULL));
            }
            for (int k = 0; k < 3; k++) CHECK(p[k] == x[v][k]);
            v++, vertices++;
        } else if (sscanf(line, "f %d//%*d %d//%*d %d//", &a, &b, &c) == 3) {
            faces++;
            most = a > most ? a : most;
        }
    }
    if (made.take) CHECK_INT(vertices, recording_vertex_count(made.take));
    CHECK_INT(most, vertices);
    CHECK(faces > vertices);
    free(x);
    free(text);
    release(&made);
}
