// links: tools
// Exported animations: meshes of pills are closed and as large as the pills, views follow the world, dropped
// frames come back by interpolation, .glb files have the structure that the format asks for, vertex caches read back
// as they were.
#include "base/math/vec.h"
#include "capture/scene_view.h"
#include "formats/glb_write.h"
#include "formats/keyframes.h"
#include "formats/vertex_cache.h"
#include "scene_text.h"
#include "test.h"
#include "view/pill_mesh.h"
#include "view_frames.h"
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

// --- views ---

static const char swinging[] =
    "{\"bodies\": [{\"kind\": \"rod\", \"name\": \"a\", \"line\": {\"to\": [1, 0, 0], \"segments\": 6},"
    " \"radii\": [0.1, 0.05], \"material\": \"jelly\", \"clamp_first\": true, \"rotation\": {\"axis\": [0, 1, 0], "
    "\"degrees\": 30},"
    " \"repeat\": {\"count\": [1, 1, 2], \"spacing\": [0, 0, 1]}},"
    " {\"kind\": \"rod\", \"circle\": {\"radius\": 0.5, \"segments\": 12}, \"radius\": 0.04}],"
    " \"rigid_bodies\": [{\"plane\": true, \"position\": [0, -1, 0]}, {\"box\": {\"half\": [1, 0.1, 1]}, \"position\": "
    "[0, "
    "-0.9, 0]}]}";

typedef struct {
    sn_scene *scene;
    sn_world *world;
    scene_view *view;
    const view_model *model;
    view_spool *frames;
} recorded;

static void add_frame(recorded *made, double time) {
    const view_frame *frame = scene_view_read(made->view, made->world, time);
    CHECK(frame && view_spool_write(made->frames, frame));
}

static recorded record(const char *text, int frames) {
    recorded made = {0};
    tool_error error;
    made.world = scene_world(text, &made.scene);
    if (!CHECK(made.world != NULL)) return made;
    made.view = scene_view_new(made.scene, made.world, true, &error);
    if (!CHECK(made.view != NULL)) return made;
    made.model = scene_view_model(made.view);
    made.frames = view_spool_create(made.model, NULL);
    for (int i = 0; i < frames; i++) {
        add_frame(&made, i / 60.0);
        CHECK(sn_world_step(made.world, 1.0f / 60, 2) == SN_OK);
    }
    return made;
}

static bool vertices_at(const recorded *made, int frame, int body, float (*positions)[3], float (*normals)[3]) {
    return frame_vertices(made->model, made->frames, frame, body, positions, normals);
}

static void release(recorded *made) {
    view_spool_free(made->frames);
    scene_view_free(made->view);
    sn_world_destroy(made->world);
    scene_free(made->scene);
}

TEST(copies_share_a_mesh_and_have_their_own_place) {
    recorded made = record(swinging, 1);
    if (made.model) {
        CHECK_INT(made.model->body_count, 4); // two rods, a loop, a box
        CHECK_INT(made.model->mesh_count, 3); // the rods share theirs
        CHECK_INT(made.model->plane_count, 1);
        CHECK_INT(made.model->bodies[0].mesh, made.model->bodies[1].mesh);
        CHECK_STRING(made.model->bodies[1].name, "a-1");
        // At the start each vertex is at a distance from the axis that is its radius.
        const sn_mesh *mesh = &made.model->meshes[0].mesh;
        float(*x)[3] = malloc((size_t)mesh->vertex_count * sizeof *x),
        (*y)[3] = malloc((size_t)mesh->vertex_count * sizeof *y);
        CHECK(vertices_at(&made, 0, 0, x, NULL) && vertices_at(&made, 0, 1, y, NULL));
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
    recorded made = record(swinging, 30);
    if (made.model) {
        // Rings at a point stay around it: the mean of all vertices that only hang on point 6 is near where that point
        // went.
        const view_mesh *shape = &made.model->meshes[0];
        float(*x)[3] = malloc((size_t)shape->mesh.vertex_count * sizeof *x);
        CHECK(vertices_at(&made, 29, 0, x, NULL));
        const joint_pose end = frame_pose(made.frames, 29, 6);
        const sn_vec3 tip = end.position;
        CHECK((double)tip.y < -0.2); // it has swung
        int found = 0;
        for (int v = 0; v < shape->mesh.vertex_count; v++) {
            if (shape->mesh.joint[v][0] != 6 || shape->mesh.weight[v][0] < 1) continue;
            double d = (double)sn_length(sn_sub(sn_v3(x[v][0], x[v][1], x[v][2]), tip));
            CHECK_NEAR(d, (double)joint_pose_scale(&end) * 0.05, 1e-4);
            found++;
        }
        CHECK(found > 16);
        free(x);
    }
    release(&made);
}

TEST(an_octopus_wears_its_skin) {
    recorded made = record(
        "{\"bodies\": [{\"kind\": \"rod\", \"octopus\": {\"size\": 0.5}, \"scale\": 2, \"position\": [3, 0, 0]}]}", 1);
    if (made.model) {
        const view_mesh *shape = &made.model->meshes[0];
        CHECK(shape->skinned);
        CHECK(shape->mesh.vertex_count > 1000);
        float low[3], high[3];
        sn_mesh_box(&shape->mesh, low, high);
        CHECK((double)(high[0] - low[0]) > 3 && (double)(high[0] - low[0]) < 5); // 4 m from arm to arm
    }
    release(&made);
}

// Two octopuses of another size, put differently, hang by their mantles: the view has their vertices and normals
// where sn_skin_update has them, stretched arms included.
TEST(skins_of_a_view_are_those_of_the_engine) {
    recorded made =
        record("{\"materials\": {\"soft\": {\"young\": 3e4}}, \"bodies\": [{\"kind\": \"rod\", \"octopus\": {}, "
               "\"material\": \"soft\", \"scale\": 1.5, \"position\": [3, 4, 1], "
               "\"rotation\": {\"axis\": [1, 2, 0.5], \"degrees\": 50}, \"hold\": [{\"point\": 5}], "
               "\"repeat\": {\"count\": [2, 1, 1], \"spacing\": [9, 0, 0]}}]}",
               30);
    const view_mesh *shape = made.model ? &made.model->meshes[0] : NULL;
    if (!CHECK(shape && shape->skinned && made.model->mesh_count == 1)) return;
    // The last frame is one step behind the world, so record this one too.
    add_frame(&made, 0.5);
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
        CHECK(vertices_at(&made, 30, i, x, normals));
        double off = 0, turned = 0;
        for (int v = 0; v < n; v++) {
            off = fmax(off, (double)sn_length(sn_sub(at[v], sn_v3(x[v][0], x[v][1], x[v][2]))));
            turned =
                fmax(turned, (double)sn_length(sn_sub(normal[v], sn_v3(normals[v][0], normals[v][1], normals[v][2]))));
        }
        CHECK(off < 2e-5); // of 6 m
        CHECK(turned < 1e-4);
        for (int k = 0; k < shape->joint_count; k++) {
            const sn_vec3 scale = frame_pose(made.frames, 30, made.model->bodies[i].first + k).scale;
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

static joint_track fill_joint(joint_pose *poses, double *times, int frames, double (*height)(int)) {
    for (int i = 0; i < frames; i++) {
        double angle = 0.02 * i;
        times[i] = i / 30.0;
        poses[i] = (joint_pose){{0, (sn_real)height(i), 0},
                                {0, 0, (sn_real)sin(angle / 2), (sn_real)cos(angle / 2)},
                                {1, 1, 1},
                                {0, 0, 0, 1}};
    }
    return (joint_track){poses, times, frames};
}

static double bent(int i) {
    return i < 40 ? 0.1 * i : 4 - 0.05 * (i - 40);
}

static double parabola(int i) {
    return 0.01 * i * i;
}

TEST(frames_that_interpolation_brings_back_are_dropped) {
    joint_pose poses[100];
    double times[100];
    bool keep[100];
    int stack[400];
    joint_track track = fill_joint(poses, times, 100, bent);
    CHECK_INT(keyframes_choose(&track, CHANNEL_POSITION, 1e-5, keep, stack), 3);
    CHECK(keep[0] && keep[40] && keep[99]);
    CHECK_INT(keyframes_choose(&track, CHANNEL_SCALE, 1e-5, keep, stack), 0);    // it never changes
    CHECK_INT(keyframes_choose(&track, CHANNEL_ROTATION, 1e-5, keep, stack), 2); // an even turn along an arc
    track = fill_joint(poses, times, 100, parabola);
    int fine = keyframes_choose(&track, CHANNEL_POSITION, 1e-4, keep, stack);
    int coarse = keyframes_choose(&track, CHANNEL_POSITION, 0.5, keep, stack);
    CHECK_INT(fine, 100);
    CHECK(coarse > 2 && coarse < 20);
    for (int i = 1, from = 0; i < 100; i++) { // what was dropped is within the tolerance
        int to = i;
        while (!keep[to]) to++;
        double f = to > from ? (double)(i - from) / (to - from) : 0;
        CHECK_NEAR(parabola(from) + f * (parabola(to) - parabola(from)), parabola(i), 0.5001);
        if (keep[i]) from = i;
    }
}

// --- files ---

TEST(a_glb_has_its_chunks_and_shares_what_is_equal) {
    recorded made = record(swinging, 20);
    char *bytes = NULL;
    tool_error error;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (made.model && CHECK(glb_write(out, made.model, made.frames, "a \"title\"", GLB_TOLERANCE, false, &error))) {
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
                      4 - (made.model->bodies[0].colour[0] == made.model->bodies[1].colour[0]));
            const json_t *skins = json_object_get(json, "skins");
            CHECK_INT(json_integer_value(json_object_get(json_array_get(skins, 0), "inverseBindMatrices")),
                      json_integer_value(json_object_get(json_array_get(skins, 1), "inverseBindMatrices")));
            CHECK_INT(
                json_integer_value(json_object_get(json_array_get(json_object_get(json, "buffers"), 0), "byteLength")),
                binary);
            CHECK_INT(json_array_size(json_object_get(json, "animations")), 1);
            const json_t *material = json_array_get(json_object_get(json, "materials"), 0);
            const char *name = json_string_value(json_object_get(material, "name"));
            CHECK(name && strcmp(name, made.model->bodies[0].name) == 0); // of the first body that has it
        }
        json_decref(json);
    } else {
        fclose(out);
    }
    free(bytes);
    release(&made);
}

// The chunks of a file that is written of what was recorded; the caller frees both.
static json_t *written(const recorded *made, bool shared_joints, char **bytes, size_t *size) {
    tool_error error;
    FILE *out = open_memstream(bytes, size);
    CHECK(glb_write(out, made->model, made->frames, NULL, GLB_TOLERANCE, shared_joints, &error));
    fclose(out);
    return json_loadb(*bytes + 20, word_at(*bytes, 12, false), 0, NULL);
}

static const char *node_name(const json_t *file, const json_t *node) {
    const json_t *nodes = json_object_get(file, "nodes");
    return json_string_value(json_object_get(json_array_get(nodes, (size_t)json_integer_value(node)), "name"));
}

static const json_t *channel_node(const json_t *file, size_t i) {
    const json_t *channels = json_object_get(json_array_get(json_object_get(file, "animations"), 0), "channels");
    return json_object_get(json_object_get(json_array_get(channels, i), "target"), "node");
}

TEST(shared_joints_have_one_parent_and_the_same_motion) {
    recorded made = record(swinging, 20);
    if (!made.model) return;
    char *bytes[2];
    size_t size[2];
    json_t *each = written(&made, false, &bytes[0], &size[0]), *shared = written(&made, true, &bytes[1], &size[1]);
    const uint32_t text[2] = {word_at(bytes[0], 12, false), word_at(bytes[1], 12, false)};
    CHECK_INT(size[0] - text[0], size[1] - text[1]); // all numbers are the same
    CHECK(memcmp(bytes[0] + 20 + text[0], bytes[1] + 20 + text[1], size[0] - 20 - text[0]) == 0);

    // Three bodies have joints: two nodes less hold them, and the one that is left is the parent of all.
    const json_t *nodes = json_object_get(shared, "nodes"), *skins = json_object_get(shared, "skins");
    CHECK_INT(json_array_size(nodes), json_array_size(json_object_get(each, "nodes")) - 2);
    const json_t *joints = json_object_get(json_array_get(nodes, 0), "children");
    size_t all = 0;
    for (size_t s = 0; s < json_array_size(skins); s++) {
        const json_t *skin = json_array_get(skins, s), *own = json_object_get(skin, "joints");
        const json_t *before = json_object_get(json_array_get(json_object_get(each, "skins"), s), "joints");
        CHECK_INT(json_integer_value(json_object_get(skin, "skeleton")), 0);
        CHECK_INT(json_array_size(own), json_array_size(before));
        for (size_t k = 0; k < json_array_size(own); k++) {
            CHECK(strcmp(node_name(shared, json_array_get(own, k)), node_name(each, json_array_get(before, k))) == 0);
            CHECK_INT(json_integer_value(json_array_get(own, k)), json_integer_value(json_array_get(joints, all)));
            all++;
        }
    }
    CHECK_INT(all, json_array_size(joints));

    const json_t *channels = json_object_get(json_array_get(json_object_get(each, "animations"), 0), "channels");
    CHECK(json_array_size(channels) > 3);
    for (size_t i = 0; i < json_array_size(channels); i++)
        CHECK(strcmp(node_name(shared, channel_node(shared, i)), node_name(each, channel_node(each, i))) == 0);
    json_decref(each), json_decref(shared);
    free(bytes[0]), free(bytes[1]);
    release(&made);
}

TEST(a_still_scene_has_no_animation) {
    recorded made = record(
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 3}}]}",
        3);
    char *bytes = NULL;
    tool_error error;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (made.model) CHECK(glb_write(out, made.model, made.frames, NULL, GLB_TOLERANCE, false, &error));
    fclose(out);
    CHECK(size > 20 && strstr(bytes + 20, "\"animations\"") == NULL); // the text ends before the first zero byte
    CHECK(size > 20 && strstr(bytes + 20, "\"skins\"") != NULL);
    free(bytes);
    release(&made);
}

static void write_cache(const recorded *made, FILE *out, vertex_cache_format format) {
    view_frame frame;
    REQUIRE(view_frame_alloc(&frame, made->model));
    vertex_cache *cache = vertex_cache_open(out, format, made->model, NULL);
    REQUIRE(cache != NULL);
    for (int i = 0; i < view_spool_count(made->frames); i++)
        CHECK(view_spool_read(made->frames, i, &frame) && vertex_cache_write(cache, &frame));
    CHECK(vertex_cache_finish(cache));
    view_frame_free(&frame);
}

static void check_cache(const recorded *made, bool big_endian) {
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    write_cache(made, out, big_endian ? CACHE_MDD : CACHE_PC2);
    fclose(out);
    size_t points = (size_t)view_moving_vertex_count(made->model), frames = (size_t)view_spool_count(made->frames);
    size_t head = big_endian ? 8 + 4 * frames : 32;
    REQUIRE(size == head + 12 * points * frames);
    CHECK_INT(word_at(bytes, big_endian ? 4 : 16, big_endian), points);
    CHECK_INT(word_at(bytes, big_endian ? 0 : 28, big_endian), frames);
    if (!big_endian) CHECK(memcmp(bytes, "POINTCACHE2\0\1\0\0\0", 16) == 0);
    for (size_t f = 0; f < frames; f++) {
        size_t at = head + 12 * points * f;
        if (big_endian) CHECK_NEAR(float_at(bytes, 8 + 4 * f, true), view_spool_times(made->frames)[f], 1e-6);
        for (int b = 0; b < made->model->body_count; b++) {
            if (!view_body_moves(made->model, b)) continue;
            int count = made->model->meshes[made->model->bodies[b].mesh].mesh.vertex_count, wrong = 0;
            float(*x)[3] = malloc((size_t)count * sizeof *x);
            CHECK(vertices_at(made, (int)f, b, x, NULL));
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
    recorded made = record(swinging, 4);
    if (made.model) {
        check_cache(&made, false);
        check_cache(&made, true);
    }
    release(&made);
}

TEST(the_mesh_beside_a_cache_has_its_vertices_in_the_same_order) {
    recorded made = record(swinging, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    view_frame frame = {0};
    if (made.model && CHECK(view_frame_alloc(&frame, made.model) && view_spool_read(made.frames, 0, &frame)))
        CHECK(obj_frame_write(out, made.model, &frame, false));
    view_frame_free(&frame);
    fclose(out);
    int vertices = 0, faces = 0, most = 0, body = 0, v = 0;
    float(*x)[3] = malloc(100000 * sizeof *x);
    if (made.model) CHECK(vertices_at(&made, 0, 0, x, NULL));
    for (const char *line = text; made.model && line && *line; line = strchr(line, '\n') + 1) {
        float p[3];
        int a, b, c;
        if (sscanf(line, "v %f %f %f", &p[0], &p[1], &p[2]) == 3) {
            if (v == made.model->meshes[made.model->bodies[body].mesh].mesh.vertex_count) {
                v = 0;
                CHECK(vertices_at(&made, 0, ++body, x, NULL));
            }
            for (int k = 0; k < 3; k++) CHECK(p[k] == x[v][k]);
            v++, vertices++;
        } else if (sscanf(line, "f %d//%*d %d//%*d %d//", &a, &b, &c) == 3) {
            faces++;
            most = a > most ? a : most;
        }
    }
    if (made.model) CHECK_INT(vertices, view_moving_vertex_count(made.model));
    CHECK_INT(most, vertices);
    CHECK(faces > vertices);
    free(x);
    free(text);
    release(&made);
}
