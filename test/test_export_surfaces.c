// links: tools
// Bodies that deform, in views and files: vertices come back as they were, normals are perpendicular to the triangles,
// and a .glb holds the same as joints (few vertices) or morph targets (many).
#include "base/math/vec.h"
#include "capture/scene_view.h"
#include "formats/glb_write.h"
#include "formats/vertex_cache.h"
#include "scene_text.h"
#include "test.h"
#include "view_frames.h"
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// --- a flag that waves, from frame 'start' on ---

typedef struct {
    view_model model;
    view_spool *frames;
    float (*vertices)[3]; // of all frames
} flag;

static void wave(float (*x)[3], int frame, int side, int start) {
    const double t = frame < start ? 0 : 0.13 * (frame - start);
    for (int i = 0; i < side * side; i++) {
        const double u = (double)(i % side) / (side - 1), v = (double)(i / side) / (side - 1);
        x[i][0] = (float)(u + 0.05 * sin(3 * t) * u);
        x[i][1] = (float)v;
        x[i][2] = (float)(0.3 * u * sin(6 * u - 5 * t) - 0.3 * u * sin(6 * u));
    }
}

static bool flag_make(flag *out, int side, int frames, int start) {
    const int cells = side - 1, n = side * side;
    *out = (flag){.model = {.mesh_count = 1, .body_count = 1, .vertex_count = n}};
    view_model *model = &out->model;
    model->meshes = calloc(1, sizeof *model->meshes);
    model->bodies = calloc(1, sizeof *model->bodies);
    out->vertices = calloc((size_t)frames * (size_t)n, sizeof *out->vertices);
    out->frames = view_spool_create(model, NULL);
    if (!model->meshes || !model->bodies || !out->vertices || !out->frames) return false;
    view_mesh *cloth = &model->meshes[0];
    cloth->deforming = cloth->open = true;
    if (!sn_mesh_alloc(&cloth->mesh, n, 2 * cells * cells, MESH_NORMAL)) return false;
    for (int c = 0; c < cells * cells; c++) {
        const int a = c / cells * side + c % cells;
        const int corners[2][3] = {{a, a + 1, a + side}, {a + 1, a + side + 1, a + side}};
        memcpy(cloth->mesh.triangle[2 * c], corners, sizeof corners);
    }
    snprintf(model->bodies[0].name, sizeof model->bodies[0].name, "flag");
    for (int f = 0; f < frames; f++) {
        const view_frame frame = {f / 30.0, NULL, out->vertices + (size_t)f * (size_t)n};
        wave(frame.vertices, f, side, start);
        if (!view_spool_write(out->frames, &frame)) return false;
    }
    return frame_vertices(model, out->frames, 0, 0, cloth->mesh.position, cloth->mesh.normal);
}

static void flag_free(flag *f) {
    view_model_free(&f->model);
    view_spool_free(f->frames);
    free(f->vertices);
}

// The vertices that were written in a frame.
static float (*written(const flag *f, int frame))[3] {
    return f->vertices + (size_t)frame * (size_t)f->model.vertex_count;
}

// --- views ---

TEST(vertices_that_deform_come_back_with_normals_of_their_triangles) {
    enum { SIDE = 30, N = SIDE * SIDE };
    flag cloth;
    REQUIRE(flag_make(&cloth, SIDE, 30, 0));
    float x[N][3], normals[N][3];
    CHECK(view_body_moves(&cloth.model, 0));
    CHECK_INT(view_moving_vertex_count(&cloth.model), N);
    REQUIRE(frame_vertices(&cloth.model, cloth.frames, 17, 0, x, normals));
    CHECK(memcmp(x, written(&cloth, 17), sizeof x) == 0);
    const double t = 0.13 * 17, off = 1e-4;
    double worst = 0;
    for (int i = 0; i < N; i++) { // the normal of the graph z(u): (-dz, 0, dx), by finite differences
        const int column = i % SIDE, row = i / SIDE;
        if (column == 0 || column == SIDE - 1 || row == 0 || row == SIDE - 1) continue;
        const double u = (double)column / (SIDE - 1);
        double z[2];
        for (int k = 0; k < 2; k++) {
            const double p = u + (2 * k - 1) * off;
            z[k] = 0.3 * p * sin(6 * p - 5 * t) - 0.3 * p * sin(6 * p);
        }
        const double dz = (z[1] - z[0]) / (2 * off), dx = 1 + 0.05 * sin(3 * t), size = hypot(dx, dz);
        worst = fmax(worst, fabs((double)normals[i][0] + dz / size) + fabs((double)normals[i][2] - dx / size));
        CHECK_NEAR(hypot(hypot((double)normals[i][0], (double)normals[i][1]), (double)normals[i][2]), 1, 1e-5);
    }
    CHECK_NEAR(worst, 0, 0.02);
    flag_free(&cloth);
}

// Joints and vertices of any frame come back as they were, a frame at a time and a joint at a time.
TEST(a_spool_gives_back_what_it_got) {
    enum { JOINTS = 7, VERTICES = 5, FRAMES = 150 };
    const view_model model = {.joint_count = JOINTS, .vertex_count = VERTICES};
    view_spool *frames = view_spool_create(&model, NULL);
    view_frame frame;
    REQUIRE(frames && view_frame_alloc(&frame, &model));
    for (int f = 0; f < FRAMES; f++) {
        frame.time = f / 30.0;
        for (int j = 0; j < JOINTS; j++) frame.poses[j].position = sn_v3((sn_real)f, (sn_real)j, 0);
        for (int v = 0; v < VERTICES; v++) frame.vertices[v][1] = (float)(10 * f + v);
        REQUIRE(view_spool_write(frames, &frame));
    }
    CHECK_INT(view_spool_count(frames), FRAMES);
    CHECK(view_spool_times(frames)[37] == 37 / 30.0);
    REQUIRE(view_spool_read(frames, 37, &frame));
    CHECK(frame.time == 37 / 30.0 && frame.poses[6].position.x == 37 && frame.vertices[4][1] == 374);
    static joint_pose tracks[3][FRAMES];
    REQUIRE(view_spool_tracks_at_once(frames) == JOINTS);
    REQUIRE(view_spool_read_tracks(frames, 2, 3, tracks[0]));
    for (int j = 0; j < 3; j++)
        for (int f = 0; f < FRAMES; f++)
            CHECK(tracks[j][f].position.x == (sn_real)f && tracks[j][f].position.y == (sn_real)(2 + j));
    view_frame_free(&frame);
    view_spool_free(frames);
}

// --- .glb ---

typedef struct {
    char *bytes;
    size_t size, binary; // where the buffer starts
    json_t *json;
} glb;

static bool glb_make(const flag *f, glb *out, tool_error *error) {
    *out = (glb){0};
    FILE *to = open_memstream(&out->bytes, &out->size);
    bool good = to && glb_write(to, &f->model, f->frames, "flag", GLB_TOLERANCE, false, error);
    if (to) fclose(to);
    if (!good || out->size < 20) return false;
    uint32_t length;
    memcpy(&length, out->bytes + 12, 4);
    out->json = json_loadb(out->bytes + 20, length, 0, NULL);
    out->binary = 20 + length + 8;
    return out->json != NULL;
}

static void glb_free(glb *file) {
    json_decref(file->json);
    free(file->bytes);
}

static json_t *item(const glb *file, const char *list, json_int_t i) {
    return json_array_get(json_object_get(file->json, list), (size_t)i);
}

static json_int_t number(json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

// The floats of an accessor; its count of elements.
static const float *floats(const glb *file, json_int_t accessor, json_int_t *count) {
    json_t *a = item(file, "accessors", accessor), *view = item(file, "bufferViews", number(a, "bufferView"));
    *count = number(a, "count");
    if (!CHECK_INT(number(a, "componentType"), 5126)) return NULL;
    return (const float *)(const void *)(file->bytes + file->binary + number(view, "byteOffset") +
                                         number(a, "byteOffset"));
}

static bool bounds_hold(const glb *file, json_int_t accessor) {
    json_int_t count;
    const float *v = floats(file, accessor, &count);
    json_t *a = item(file, "accessors", accessor);
    bool good = v && json_array_size(json_object_get(a, "min")) == 3;
    for (json_int_t i = 0; good && i < 3 * count; i++) {
        const double low = json_number_value(json_array_get(json_object_get(a, "min"), (size_t)(i % 3)));
        const double high = json_number_value(json_array_get(json_object_get(a, "max"), (size_t)(i % 3)));
        good = v[i] >= (float)low && v[i] <= (float)high; // nine digits are a float
    }
    return good;
}

// Still for a while, then waving: frames that are not needed are left out, and the mesh plus the target of a frame that
// is kept is that frame.
TEST(a_large_body_becomes_morph_targets) {
    enum { SIDE = 18, N = SIDE * SIDE, FRAMES = 20, START = 8 };
    flag cloth;
    glb file;
    tool_error error;
    REQUIRE(flag_make(&cloth, SIDE, FRAMES, START));
    REQUIRE(glb_make(&cloth, &file, &error));
    CHECK(json_object_get(file.json, "skins") == NULL);
    json_t *primitive = json_array_get(json_object_get(item(&file, "meshes", 0), "primitives"), 0);
    json_t *targets = json_object_get(primitive, "targets"), *attributes = json_object_get(primitive, "attributes");
    CHECK_INT(json_array_size(targets), FRAMES - START); // frames 8 to 19; those before are the first one
    CHECK(json_is_true(json_object_get(item(&file, "materials", 0), "doubleSided")));
    json_t *animation = item(&file, "animations", 0);
    json_t *sampler = json_array_get(json_object_get(animation, "samplers"), 0);
    json_t *target = json_object_get(json_array_get(json_object_get(animation, "channels"), 0), "target");
    CHECK_STRING(json_string_value(json_object_get(target, "path")), "weights");
    CHECK(json_object_get(item(&file, "nodes", number(target, "node")), "mesh") != NULL);
    json_int_t times, weights, count;
    const float *t = floats(&file, number(sampler, "input"), &times);
    const float *w = floats(&file, number(sampler, "output"), &weights);
    const float *base = floats(&file, number(attributes, "POSITION"), &count);
    const float *normals = floats(&file, number(attributes, "NORMAL"), &count);
    REQUIRE(t && w && base && normals && count == N);
    const json_int_t n = (json_int_t)json_array_size(targets);
    CHECK_INT(times, n + 1);
    CHECK_INT(weights, times * n);
    double off = 0, turned = 0;
    for (json_int_t key = 0; key < times; key++) {
        const int frame = (int)lround((double)t[key] * 30);
        float x[N][3], m[N][3], y[N][3] = {{0}}, q[N][3] = {{0}};
        REQUIRE(frame_vertices(&cloth.model, cloth.frames, frame, 0, x, m));
        memcpy(y, base, sizeof y), memcpy(q, normals, sizeof q);
        for (json_int_t k = 0; k < n; k++) {
            const float weight = w[key * n + k];
            CHECK(weight == (k + 1 == key ? 1 : 0));
            json_t *parts = json_array_get(targets, (size_t)k);
            const float *d = floats(&file, number(parts, "POSITION"), &count);
            const float *e = floats(&file, number(parts, "NORMAL"), &count);
            REQUIRE(d && e && count == N);
            for (int i = 0; i < 3 * N; i++) y[i / 3][i % 3] += weight * d[i], q[i / 3][i % 3] += weight * e[i];
        }
        for (int i = 0; i < 3 * N; i++) {
            off = fmax(off, fabs((double)(y[i / 3][i % 3] - x[i / 3][i % 3])));
            turned = fmax(turned, fabs((double)(q[i / 3][i % 3] - m[i / 3][i % 3])));
        }
    }
    CHECK(off < 1e-6);
    CHECK(turned < 1e-6);
    CHECK(bounds_hold(&file, number(attributes, "POSITION")));
    CHECK(bounds_hold(&file, number(json_array_get(targets, 3), "POSITION")));
    glb_free(&file);
    flag_free(&cloth);
}

// A joint in each vertex; at every key it is where the vertex was, turned as its normal.
TEST(a_small_body_becomes_joints) {
    enum { SIDE = 6, N = SIDE * SIDE, FRAMES = 12 };
    flag cloth;
    glb file;
    tool_error error;
    REQUIRE(flag_make(&cloth, SIDE, FRAMES, 0));
    REQUIRE(glb_make(&cloth, &file, &error));
    json_t *joints = json_object_get(item(&file, "skins", 0), "joints");
    CHECK_INT(json_array_size(joints), N);
    CHECK(json_object_get(json_array_get(json_object_get(item(&file, "meshes", 0), "primitives"), 0), "targets") ==
          NULL);
    json_t *animation = item(&file, "animations", 0), *channel;
    size_t at;
    int checked = 0;
    double off = 0;
    json_array_foreach(json_object_get(animation, "channels"), at, channel) {
        json_t *target = json_object_get(channel, "target");
        if (strcmp(json_string_value(json_object_get(target, "path")), "translation") != 0) continue;
        int vertex = 0;
        while (json_integer_value(json_array_get(joints, (size_t)vertex)) != number(target, "node")) vertex++;
        json_t *sampler = json_array_get(json_object_get(animation, "samplers"), (size_t)number(channel, "sampler"));
        json_int_t times, count;
        const float *t = floats(&file, number(sampler, "input"), &times);
        const float *x = floats(&file, number(sampler, "output"), &count);
        REQUIRE(t && x && times == count);
        for (json_int_t key = 0; key < times; key++, checked++)
            for (int k = 0; k < 3; k++)
                off = fmax(
                    off, fabs((double)(x[3 * key + k] - written(&cloth, (int)lround((double)t[key] * 30))[vertex][k])));
    }
    CHECK(off == 0);
    CHECK(checked > N * FRAMES / 2);
    glb_free(&file);
    flag_free(&cloth);
}

TEST(too_many_frames_for_a_glb_are_refused_with_advice) {
    flag cloth;
    glb file;
    tool_error error = {.text = ""};
    REQUIRE(flag_make(&cloth, 17, GLB_MAX_TARGETS + 30, 0));
    CHECK(!glb_make(&cloth, &file, &error));
    CHECK(strstr(error.text, "flag deforms in") && strstr(error.text, "--fps") && strstr(error.text, ".pc2"));
    CHECK(strlen(error.text) < 159); // it is told with the file's name before it
    glb_free(&file);
    flag_free(&cloth);
}

// --- vertex caches ---

TEST(caches_and_meshes_have_what_deforms) {
    enum { SIDE = 5, N = SIDE * SIDE, FRAMES = 3 };
    flag cloth;
    REQUIRE(flag_make(&cloth, SIDE, FRAMES, 0));
    char *bytes = NULL, *text = NULL;
    size_t size = 0, length = 0;
    FILE *out = open_memstream(&bytes, &size), *mesh = open_memstream(&text, &length);
    vertex_cache *cache = vertex_cache_open(out, CACHE_PC2, &cloth.model, NULL);
    view_frame frame = {.time = 0};
    for (int f = 0; f < FRAMES; f++) {
        frame.vertices = written(&cloth, f);
        CHECK(cache && vertex_cache_write(cache, &frame));
    }
    CHECK(vertex_cache_finish(cache) && obj_frame_write(mesh, &cloth.model, &frame, false));
    fclose(out), fclose(mesh);
    REQUIRE(size == 32 + 12 * N * FRAMES);
    CHECK(memcmp(bytes + 32, cloth.vertices, 12 * N * FRAMES) == 0);
    int vertices = 0, faces = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        float p[3];
        if (sscanf(line, "v %f %f %f", &p[0], &p[1], &p[2]) == 3) {
            CHECK(memcmp(p, written(&cloth, 2)[vertices], sizeof p) == 0);
            vertices++;
        }
        faces += line[0] == 'f';
    }
    CHECK_INT(vertices, N);
    CHECK_INT(faces, 2 * (SIDE - 1) * (SIDE - 1));
    free(bytes), free(text);
    flag_free(&cloth);
}

// --- scenes ---

static const char soft_scene[] =
    "{\"substeps\": 2, \"bodies\": ["
    "{\"kind\": \"spring\", \"name\": \"cloth\", \"cloth\": {\"across\": [1, 0, 0], \"down\": [0, 0, 1], \"columns\": "
    "5, "
    "\"rows\": 4}, \"hold\": [{\"points\": [0]}]},"
    "{\"kind\": \"spring\", \"name\": \"rope\", \"chain\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"points\": 6}, "
    "\"radius\": "
    "0.05, \"position\": [0, 2, 0], \"hold\": [{\"points\": [0]}]},"
    "{\"kind\": \"spring\", \"name\": \"ring\", \"solid\": {\"zoo\": \"torus\", \"cell\": 0.12, \"skin\": true}, "
    "\"position\": [5, 0, 0], \"angular_velocity\": [0, 3, 0], \"material\": \"jelly\"}]}";

// Bodies of springs are drawn where the world has them; a solid's skin is carried along: turning as a whole
// it stays in the same place to the tetrahedra's corners, and keeps its size.
TEST(views_follow_bodies_of_springs) {
    sn_scene *scene;
    sn_world *world = scene_world(soft_scene, &scene);
    tool_error error = {.text = ""};
    REQUIRE(world != NULL);
    scene_view *view = scene_view_new(scene, world, true, &error);
    if (!CHECK(view != NULL)) fprintf(stderr, "%s\n", error.text);
    REQUIRE(view);
    const view_model *model = scene_view_model(view);
    view_spool *frames = view_spool_create(model, NULL);
    for (int f = 0; f < 12; f++) {
        const view_frame *frame = scene_view_read(view, world, f / 60.0);
        REQUIRE(frame && view_spool_write(frames, frame));
        if (f < 11) CHECK_INT(sn_world_step(world, 1.0f / 60, 2), SN_OK);
    }
    REQUIRE(model->body_count == 3 && model->joint_count == 6);
    CHECK_STRING(model->bodies[0].name, "rope"); // what has joints comes first
    CHECK_STRING(model->bodies[1].name, "cloth");
    CHECK_STRING(model->bodies[2].name, "ring");
    sn_vec3 points[20];
    float x[20][3];
    CHECK_INT(sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_SPRING, 0), points, 20), 20);
    REQUIRE(frame_vertices(model, frames, 11, 1, x, NULL));
    for (int i = 0; i < 20; i++) CHECK(x[i][0] == points[i].x && x[i][1] == points[i].y && x[i][2] == points[i].z);
    CHECK(model->meshes[model->bodies[1].mesh].open && !model->meshes[model->bodies[2].mesh].open);
    // The rope's joints are its points, and its tube is around them.
    CHECK_INT(sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_SPRING, 1), points, 20), 6);
    for (int k = 0; k < 6; k++) CHECK(sn_length(sn_sub(frame_pose(frames, 11, k).position, points[k])) == 0);
    const sn_mesh *tube = &model->meshes[model->bodies[0].mesh].mesh;
    float(*t)[3] = malloc((size_t)tube->vertex_count * sizeof *t);
    REQUIRE(t && frame_vertices(model, frames, 11, 0, t, NULL));
    for (int v = 0; v < tube->vertex_count; v++) {
        double least = 1e9;
        for (int k = 0; k < 5; k++) {
            const sn_vec3 p = sn_v3(t[v][0], t[v][1], t[v][2]), d = sn_sub(points[k + 1], points[k]);
            const sn_real f = sn_clamp(sn_dot(sn_sub(p, points[k]), d) / sn_dot(d, d), 0, 1);
            least = fmin(least, (double)sn_length(sn_sub(p, sn_mul_add(points[k], f, d))));
        }
        CHECK_NEAR(least, 0.05, 0.02); // it bends
    }
    free(t);
    // The ring: its skin falls and turns with it.
    const sn_mesh *skin = &model->meshes[model->bodies[2].mesh].mesh;
    const int n = skin->vertex_count, m = sn_body_point_count(world, sn_world_kind_at(world, SN_KIND_SPRING, 2));
    float(*a)[3] = malloc((size_t)n * sizeof *a), (*b)[3] = malloc((size_t)n * sizeof *b);
    REQUIRE(a && b && frame_vertices(model, frames, 0, 2, a, NULL) && frame_vertices(model, frames, 11, 2, b, NULL));
    CHECK(n > 2 * m / 3); // finer than what carries it
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, fall = 0;
    for (int v = 0; v < n; v++) {
        const double r[2] = {hypot((double)a[v][0] - 5, (double)a[v][2]), hypot((double)b[v][0] - 5, (double)b[v][2])};
        for (int k = 0; k < 2; k++) low[k] = fmin(low[k], r[k]), high[k] = fmax(high[k], r[k]);
        fall += (double)(a[v][1] - b[v][1]) / n;
    }
    const double seconds = 11 / 60.0;
    CHECK_NEAR(fall, 0.5 * 9.81 * seconds * seconds, 0.02);
    CHECK_NEAR(high[1], high[0], 0.15 * high[0]); // it is soft, and turns
    CHECK_NEAR(low[1], low[0], 0.1 * high[0]);
    CHECK(hypot((double)(b[0][0] - a[0][0]), (double)(b[0][2] - a[0][2])) > 0.2 * low[0]); // it turned by half a radian
    free(a), free(b);
    view_spool_free(frames);
    scene_view_free(view);
    sn_world_destroy(world);
    scene_free(scene);
}
