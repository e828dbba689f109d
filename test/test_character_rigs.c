// links: tools
// Characters from files whose rigs are not as they should be: vertices without weights, meshes without skins or with
// skins of their own, joints in one place, scales. Each is put right or refused, with words that name what it is about;
// and files that were damaged at random never do harm.
#include "mesh_bytes.h"
#include "scene/character.h"
#include "scene/corrective_write.h"
#include "scene/scene.h"
#include "scene/scene_drive.h"
#include "test.h"
#include <unistd.h>

enum { RINGS = 33, AROUND = 16, VERTICES = RINGS * AROUND, TRIANGLES = 2 * (RINGS - 1) * AROUND };

// What is wrong with it.
typedef struct {
    int bare_from, bare_count; // vertices whose weights are 0
    bool twin; // the same mesh again, beside it, with a skin of its own that has its joints the other way round
    const char *twin_joints; // its joints; null: both
    const char *hat_parent;  // a mesh without a skin, a child of this node
    bool knot;               // a joint more, where the forearm's is
    const char *scale;       // of the forearm's node
    float bind_scale;        // along x, of the forearm's inverse bind matrix
} fault;

static void add_floats(bytes *b, const float *v, int count) {
    for (int i = 0; i < count; i++) bytes_float(b, v[i], false);
}

// A tube along y from 0.8 down to 0, on joints at 0.8 and 0.4.
static void add_tube(bytes *b, const fault *f) {
    for (int v = 0; v < VERTICES; v++) {
        const double turn = 6.283185307 * (v % AROUND) / AROUND;
        add_floats(b,
                   (float[]){(float)(0.05 * cos(turn)), 0.8f * (float)(RINGS - 1 - v / AROUND) / (RINGS - 1),
                             (float)(0.05 * sin(turn))},
                   3);
    }
    for (int v = 0; v < VERTICES; v++) {
        const double y = 0.8 * (RINGS - 1 - v / AROUND) / (RINGS - 1), w = fmin(fmax((y - 0.4) / 0.06 + 0.5, 0), 1);
        const bool bare = v >= f->bare_from && v < f->bare_from + f->bare_count;
        add_floats(b, (float[]){bare ? 0 : (float)w, bare ? 0 : (float)(1 - w), 0, 0}, 4);
    }
    for (int v = 0; v < VERTICES; v++) bytes_add(b, (unsigned char[]){0, 1, 0, 0}, 4);
    for (int i = 0; i < VERTICES - AROUND; i++) {
        const int next = i % AROUND == AROUND - 1 ? i + 1 - AROUND : i + 1;
        const int t[6] = {i, next, i + AROUND, next, next + AROUND, i + AROUND};
        for (int k = 0; k < 6; k++) bytes_number(b, (uint64_t)t[k], 4, false);
    }
}

static void add_bind(bytes *b, float y, float scale) {
    add_floats(b, (float[]){scale, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1}, 16);
}

static bytes make_glb(const fault *f) {
    bytes bin = {0}, json = {0}, all = {0};
    const int places = 0, weights = 12 * VERTICES, joints = weights + 16 * VERTICES, index = joints + 4 * VERTICES;
    add_tube(&bin, f);
    const int binds = (int)bin.size;
    add_bind(&bin, 0.8f, 1), add_bind(&bin, 0.4f, f->bind_scale), add_bind(&bin, 0.4f, 1);
    const int back = (int)bin.size; // the forearm first
    add_bind(&bin, 0.4f, 1), add_bind(&bin, 0.8f, 1);
    const int hat = (int)bin.size; // a triangle beside the elbow
    add_floats(&bin, (float[]){0.1f, 0, 0, 0.2f, 0, 0, 0.1f, 0.1f, 0}, 9);
    bytes_print(&json, "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0, 3]}],");
    bytes_print(&json, "\"nodes\": [{\"name\": \"upper\", \"translation\": [0, 0.8, 0], \"children\": [1%s]},",
                f->hat_parent && strcmp(f->hat_parent, "upper") == 0 ? ", 4" : "");
    bytes_print(&json,
                "{\"name\": \"fore\", \"translation\": [0, -0.4, 0]%s%s, \"children\": [2%s]}, {\"name\": \"knot\"},",
                f->scale ? ", \"scale\": " : "", f->scale ? f->scale : "",
                f->hat_parent && strcmp(f->hat_parent, "fore") == 0 ? ", 4" : "");
    bytes_print(&json, "{\"name\": \"world\", \"children\": [5%s%s]},", f->twin ? ", 6" : "",
                f->hat_parent && strcmp(f->hat_parent, "world") == 0 ? ", 4" : "");
    bytes_print(&json, "{\"name\": \"hat\", \"mesh\": 1}, {\"mesh\": 0, \"skin\": 0}, {\"mesh\": 2, \"skin\": 1}],");
    bytes_print(&json,
                "\"skins\": [{\"joints\": [0, 1%s], \"inverseBindMatrices\": 4}, {\"joints\": %s, "
                "\"inverseBindMatrices\": 5}],",
                f->knot ? ", 2" : "", f->twin_joints ? f->twin_joints : "[1, 0]");
    bytes_print(&json, "\"meshes\": [{\"name\": \"tube\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, "
                       "\"WEIGHTS_0\": 1, \"JOINTS_0\": 2}, \"indices\": 3}]},");
    bytes_print(&json, "{\"name\": \"hat\", \"primitives\": [{\"attributes\": {\"POSITION\": 6}}]},");
    bytes_print(&json, "{\"name\": \"twin\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, \"WEIGHTS_0\": 1, "
                       "\"JOINTS_0\": 2}, \"indices\": 3}]}],");
    bytes_print(&json, "\"buffers\": [{\"byteLength\": %zu}], \"bufferViews\": [", bin.size);
    const int starts[] = {places, weights, joints, index, binds, back, hat};
    for (int i = 0; i < 7; i++)
        bytes_print(&json, "%s{\"buffer\": 0, \"byteOffset\": %d, \"byteLength\": %d}", i ? ", " : "", starts[i],
                    (i < 6 ? starts[i + 1] : (int)bin.size) - starts[i]);
    bytes_print(&json,
                "], \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\"},",
                VERTICES);
    bytes_print(&json, "{\"bufferView\": 1, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC4\"},", VERTICES);
    bytes_print(&json, "{\"bufferView\": 2, \"componentType\": 5121, \"count\": %d, \"type\": \"VEC4\"},", VERTICES);
    bytes_print(&json, "{\"bufferView\": 3, \"componentType\": 5125, \"count\": %d, \"type\": \"SCALAR\"},",
                3 * TRIANGLES);
    bytes_print(&json, "{\"bufferView\": 4, \"componentType\": 5126, \"count\": %d, \"type\": \"MAT4\"},", 3);
    bytes_print(&json, "{\"bufferView\": 5, \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"},");
    bytes_print(&json, "{\"bufferView\": 6, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}]}");
    while (json.size % 4) bytes_print(&json, " ");
    bytes_add(&all, "glTF", 4);
    bytes_number(&all, 2, 4, false);
    bytes_number(&all, 12 + 8 + json.size + 8 + bin.size, 4, false);
    bytes_number(&all, json.size, 4, false);
    bytes_add(&all, "JSON", 4);
    bytes_add(&all, json.at, json.size);
    bytes_number(&all, bin.size, 4, false);
    bytes_add(&all, "BIN\0", 4);
    bytes_add(&all, bin.at, bin.size);
    bytes_free(&bin);
    bytes_free(&json);
    return all;
}

typedef struct {
    char folder[64], file[96];
} place;

static bool place_make(place *p) {
    snprintf(p->folder, sizeof p->folder, "/tmp/sinew-rigs-XXXXXX");
    if (!mkdtemp(p->folder)) return false;
    snprintf(p->file, sizeof p->file, "%s/x.glb", p->folder);
    return true;
}

static void place_remove(const place *p) {
    unlink(p->file);
    rmdir(p->folder);
}

static bool put(const place *p, const bytes *b) {
    FILE *f = fopen(p->file, "wb");
    const bool good = f && fwrite(b->at, 1, b->size, f) == b->size;
    return f && fclose(f) == 0 && good;
}

// Reads a character with a fault. What was said about it, or why it is none, must have the words.
static bool read_with(const fault *f, character *out, const char *words) {
    place p;
    tool_error error = {0};
    if (!place_make(&p)) return false;
    bytes b = make_glb(f);
    const bool good = put(&p, &b) && character_from_file(p.file, &disk_files, 1, out, &error);
    bool said = words == NULL;
    for (int i = 0; good && words && i < out->notes.count; i++) said = said || strstr(out->notes.text[i], words);
    if (!good) said = words && strstr(error.text, words) != NULL;
    if (!said) fprintf(stderr, "said: %s; %s\n", error.text, good && out->notes.count ? out->notes.text[0] : "nothing");
    bytes_free(&b);
    place_remove(&p);
    CHECK(said);
    return good;
}

// Whether it gets a skin, and how many vertices.
static int skin_of(const character *c) {
    tool_error error = {0};
    sn_implicit_model *model = NULL;
    int *bone_of = NULL, count = -1;
    if (character_model(c, NULL, NULL, &model, &bone_of, &error))
        count = sn_implicit_model_asset(model)->vertex_count;
    else
        fprintf(stderr, "%s\n", error.text);
    sn_implicit_model_destroy(model);
    free(bone_of);
    return count;
}

TEST(a_good_rig_is_taken_without_a_word) {
    character c;
    REQUIRE(read_with(&(fault){.bind_scale = 1}, &c, NULL));
    CHECK_INT(c.notes.count, 0);
    CHECK_INT(c.bone_count, 2);
    CHECK_INT(c.bones[1].parent, 0);
    CHECK_INT(skin_of(&c), VERTICES);
    character_free(&c);
}

TEST(vertices_without_weights_go_with_their_neighbours) {
    character c;
    REQUIRE(read_with(&(fault){.bind_scale = 1, .bare_from = VERTICES - 40, .bare_count = 30}, &c,
                      "30 of 528 vertices have no weights, the first is 488"));
    for (int v = VERTICES - 40; v < VERTICES - 10; v++) // far down on the forearm, not on joint 0
        CHECK(c.mesh.joint[v][1] == 1 && c.mesh.weight[v][1] > 0.99f);
    CHECK_INT(skin_of(&c), VERTICES);
    character_free(&c);
    CHECK(!read_with(&(fault){.bind_scale = 1, .bare_count = VERTICES}, &c, "hardly any vertex has weights"));
}

TEST(meshes_without_a_skin_hang_on_the_joint_above_or_are_left_out) {
    character c;
    REQUIRE(read_with(&(fault){.bind_scale = 1, .hat_parent = "fore"}, &c, "bound to joint \"fore\""));
    CHECK_INT(c.mesh.vertex_count, VERTICES + 3);
    int found = 0;
    for (int v = 0; v < c.mesh.vertex_count; v++) {
        const float *x = c.mesh.position[v];
        if (x[0] < 0.09f) continue;
        found++; // 0.4 up from where it is in its node
        CHECK(c.mesh.joint[v][0] == 1 && c.mesh.weight[v][0] == 1);
        CHECK(x[1] > 0.399f && x[1] < 0.501f);
    }
    CHECK_INT(found, 3);
    CHECK_INT(skin_of(&c), VERTICES + 3);
    character_free(&c);
    REQUIRE(read_with(&(fault){.bind_scale = 1, .hat_parent = "world"}, &c, "no joint above it; it was left out"));
    CHECK_INT(c.mesh.vertex_count, VERTICES);
    character_free(&c);
}

TEST(skins_on_the_same_joints_are_one) {
    character c;
    REQUIRE(read_with(&(fault){.bind_scale = 1, .twin = true}, &c, "was merged with the others"));
    CHECK_INT(c.mesh.vertex_count, 2 * VERTICES);
    // The twin's joints are the other way round, so its upper half hangs on the forearm.
    CHECK_INT(c.mesh.joint[VERTICES][0], 1);
    character_free(&c);
    CHECK(!read_with(&(fault){.bind_scale = 1, .twin = true, .twin_joints = "[1, 3]"}, &c, "joint \"world\""));
    CHECK(!read_with(&(fault){.bind_scale = 1, .twin = true, .twin_joints = "[0, 1]"}, &c, "different bind poses"));
}

TEST(joints_in_one_place_are_told_and_taken) {
    character c;
    REQUIRE(read_with(&(fault){.bind_scale = 1, .knot = true}, &c, "joints \"fore\" and \"knot\" coincide"));
    CHECK_INT(c.bone_count, 3);
    CHECK_INT(skin_of(&c), VERTICES);
    character_free(&c);
}

TEST(scales_that_rigid_bones_cannot_follow_are_refused_with_the_joint) {
    character c;
    tool_error error = {0};
    CHECK(!read_with(&(fault){.bind_scale = 1.5f}, &c, "joint \"fore\""));
    sn_transform poses[2];
    REQUIRE(read_with(&(fault){.bind_scale = 1, .scale = "[1, 2, 1]"}, &c, NULL));
    CHECK(!character_pose(&c, 0, false, poses, &error));
    CHECK(strstr(error.text, "joint \"fore\"") && strstr(error.text, "1, 2, 1"));
    character_free(&c);
}

// A skin becomes morph targets of the file, which can be read again, and bytes for the library; at the bind pose all weights are 0.
TEST(its_skin_becomes_shapes_of_the_file) {
    place p;
    character c, again;
    tool_error error = {0};
    corrective_bake bake;
    char path[128], names[2][1024];
    const fault hat = {.bind_scale = 1, .hat_parent = "fore"};
    REQUIRE(place_make(&p));
    bytes b = make_glb(&hat);
    REQUIRE(put(&p, &b) && character_from_file(p.file, &disk_files, 1, &c, &error));
    const corrective_options options = {.targets = 6};
    REQUIRE(corrective_bake_make(&c, &options, &bake, &error));
    CHECK(bake.set.target_count > 0 && bake.set.target_count <= 6 && bake.set.vertex_count == VERTICES + 3);
    CHECK(!bake.from_clips && bake.frames > 10 && bake.baked.mean < 0.7 * bake.linear.mean);
    snprintf(path, sizeof path, "%s/out.glb", p.folder);
    REQUIRE(corrective_write(p.file, &disk_files, &c, &bake, path, names, &error));
    REQUIRE(character_from_file(path, &disk_files, 1, &again, &error));
    CHECK_INT(again.mesh.vertex_count, c.mesh.vertex_count);
    CHECK(memcmp(again.mesh.position, c.mesh.position, (size_t)c.mesh.vertex_count * sizeof *c.mesh.position) == 0);
    CHECK_INT(again.file.skipped, bake.set.target_count); // morph targets are not read
    sn_transform poses[2];
    float weights[6] = {1, 1, 1, 1, 1, 1};
    character_rest(&again, poses);
    CHECK_INT(sn_correctives_weights(&bake.set, poses, 2, weights), SN_OK);
    for (int k = 0; k < bake.set.target_count; k++) CHECK_NEAR(weights[k], 0, 1e-6);
    FILE *f = fopen(names[0], "rb");
    unsigned char *saved = malloc(1 << 20);
    sn_correctives open;
    REQUIRE(f && saved);
    CHECK_INT(sn_correctives_open(saved, fread(saved, 1, 1 << 20, f), &open), SN_OK);
    CHECK_INT(open.row_count, bake.set.row_count);
    fclose(f);
    free(saved);
    unlink(path), unlink(names[0]), unlink(names[1]);
    corrective_bake_free(&bake);
    CHECK(!corrective_bake_make(&c, &(corrective_options){1, "hop"}, &bake, &error) && strstr(error.text, "hop"));
    character_free(&c);
    character_free(&again);
    bytes_free(&b);
    place_remove(&p);
}

// A character of a file has bones and flesh without being asked: what falls on it stays on it, or goes through if it may.
TEST(what_falls_on_a_character_of_a_file_stays_on_it) {
    place p;
    char path[128];
    const fault none = {.bind_scale = 1};
    REQUIRE(place_make(&p));
    bytes b = make_glb(&none);
    REQUIRE(put(&p, &b));
    snprintf(path, sizeof path, "%s/scene.json", p.folder);
    for (int contact = 0; contact < 2; contact++) {
        FILE *f = fopen(path, "w");
        REQUIRE(f);
        fprintf(
            f,
            "{\"bodies\": [{\"kind\": \"character\", \"file\": \"x.glb\", \"body_contact\": %s}, {\"kind\": \"rod\", "
            "\"position\": [0, 1, 0], \"line\": {\"from\": [-0.2, 0, 0], \"to\": [0.2, 0, 0], \"segments\": 4}, "
            "\"radius\": 0.02}]}",
            contact ? "true" : "false");
        fclose(f);
        sn_scene *scene = scene_read(path, &disk_files);
        sn_world_def def = sn_world_def_default();
        sn_world *world = NULL;
        sn_vec3 points[5] = {{0, 0, 0}};
        const bool good = scene && scene->errors.count == 0 && scene_build(scene, &def, &world) == SN_OK;
        CHECK(good);
        for (int i = 0; good && i < 18; i++) {
            CHECK_INT(scene_drive(scene, world, i / 60.0, 1 / 60.0), SN_OK);
            CHECK(sn_world_step(world, (sn_real)(1 / 60.0), 4) == SN_OK);
        }
        if (good) CHECK_INT(sn_body_get_points(world, scene->ids[1], points, 5), 5);
        if (contact)
            CHECK(points[2].y > (sn_real)0.84 && points[2].y < (sn_real)0.9); // the tube ends at 0.8, with a ball
        if (!contact) CHECK(points[2].y < (sn_real)0.65);
        sn_world_destroy(world);
        scene_free(scene);
    }
    unlink(path);
    bytes_free(&b);
    place_remove(&p);
}

// Bytes changed at random: whatever comes of it, it is a character or a sentence.
TEST(damaged_rigs_do_no_harm) {
    const fault all = {
        .bind_scale = 1, .twin = true, .hat_parent = "fore", .knot = true, .bare_from = 100, .bare_count = 20};
    place p;
    REQUIRE(place_make(&p));
    uint64_t random = 7;
    int taken = 0, refused = 0;
    for (int round = 0; round < 150; round++) {
        bytes b = make_glb(&all);
        for (int k = 0; k < 1 + round % 4; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            // Half of the changes in the words, where they do more.
            const size_t range = round % 2 ? 3200 : b.size - 20;
            b.at[20 + (size_t)(random >> 33) % range] = (unsigned char)(random >> 25);
        }
        character c;
        tool_error error = {0};
        if (put(&p, &b) && character_from_file(p.file, &disk_files, 1, &c, &error)) {
            sn_implicit_model *model = NULL;
            int *bone_of = NULL;
            sn_transform *poses = malloc((size_t)c.bone_count * sizeof *poses);
            if (round % 10 == 0 && character_model(&c, NULL, NULL, &model, &bone_of, &error)) taken++;
            character_pose(&c, 0.1, true, poses, &error);
            sn_implicit_model_destroy(model);
            free(bone_of);
            free(poses);
            character_free(&c);
        } else {
            CHECK(error.text[0] != 0);
            refused++;
        }
        bytes_free(&b);
    }
    CHECK(taken > 2 && refused > 20);
    place_remove(&p);
}
