// links: tools
// glTF: what a rig file holds comes back exactly, and its joints move as the format says.
#include "formats/mesh_file.h"
#include "formats/mesh_pose.h"
#include "mesh_bytes.h"
#include "test.h"
#include <unistd.h>

static mesh_file file;

static bool open_rig(void) {
    tool_error error = {0};
    bytes b = as_rig_glb();
    const bool good = mesh_parse("rig.glb", b.at, b.size, NULL, &file, &error);
    CHECK_STRING(error.text, "");
    bytes_free(&b);
    return good;
}

static int find_node(const char *name) {
    for (int i = 0; i < file.node_count; i++)
        if (strcmp(file.node[i].name, name) == 0) return i;
    return -1;
}

static void check_vector(const float *a, double x, double y, double z, double to) {
    CHECK_NEAR(a[0], x, to);
    CHECK_NEAR(a[1], y, to);
    CHECK_NEAR(a[2], z, to);
}

TEST(nodes_come_with_parents_first) {
    REQUIRE(open_rig());
    CHECK_INT(file.node_count, 4);
    for (int i = 0; i < file.node_count; i++) CHECK(file.node[i].parent < i);
    const int root = find_node("root"), base = find_node("base"), tip = find_node("tip");
    REQUIRE(root >= 0 && base >= 0 && tip >= 0);
    CHECK_INT(file.node[root].parent, -1);
    CHECK_INT(file.node[base].parent, root);
    CHECK_INT(file.node[tip].parent, base);
    check_vector(file.node[tip].translation, 0, 0.75, 0, 0);
    check_vector(file.node[tip].scale, 1, 2, 1, 0);
    // The root's matrix is a quarter turn about y and a shift.
    const float *q = file.node[root].rotation;
    check_vector(file.node[root].translation, 5, 6, 7, 0);
    check_vector(file.node[root].scale, 1, 1, 1, 0);
    check_vector(q, 0, sqrt(0.5), 0, 1e-7);
    CHECK_NEAR(q[3], sqrt(0.5), 1e-7);
    float again[16];
    matrix_compose(file.node[root].translation, q, file.node[root].scale, again);
    for (int k = 0; k < 16; k++) CHECK_NEAR(again[k], file.node[root].local[k], 1e-7);
    mesh_file_free(&file);
}

TEST(skins_come_back_exactly) {
    REQUIRE(open_rig());
    REQUIRE(file.mesh_count == 1 && file.skin_count == 1);
    const mesh_item *item = &file.mesh[0];
    const mesh_skin *skin = &file.skin[0];
    CHECK_INT(item->skin, 0);
    CHECK_STRING(item->mesh.name, "box");
    CHECK_STRING(skin->name, "skin");
    CHECK_INT(skin->joint_count, 2);
    CHECK_INT(skin->joint[0], find_node("base"));
    CHECK_INT(skin->joint[1], find_node("tip"));
    CHECK_NEAR(skin->inverse_bind[0][13], 0.25, 0);
    CHECK_NEAR(skin->inverse_bind[1][13], -0.5, 0);
    CHECK_NEAR(skin->inverse_bind[1][10], 1, 0);
    REQUIRE(item->mesh.joint && item->mesh.weight);
    CHECK_INT(item->mesh.joint[3][1], 1);
    CHECK_NEAR(item->mesh.weight[3][0], 0.8, 1e-7);
    CHECK_NEAR(item->mesh.weight[3][1], 0.2, 1e-7);
    CHECK_NEAR(item->mesh.weight[4][0], 1, 0);
    CHECK_INT(item->mesh.joint[4][0], 1);
    mesh_file_free(&file);
}

TEST(clips_come_back_exactly) {
    REQUIRE(open_rig());
    REQUIRE(file.clip_count == 1);
    const mesh_clip *clip = &file.clip[0];
    CHECK_STRING(clip->name, "move");
    CHECK_NEAR(clip->duration, 3, 0);
    REQUIRE(clip->channel_count == 4);
    for (int i = 1; i < 4; i++) CHECK(clip->channel[i].node >= clip->channel[i - 1].node);
    for (int i = 0; i < 4; i++) {
        const mesh_channel *channel = &clip->channel[i];
        const bool cubic = channel->interpolation == MESH_CUBIC;
        CHECK_INT(channel->key_count, cubic ? 2 : 3);
        float v[4];
        if (channel->interpolation == MESH_STEP) {
            CHECK_INT(channel->path, MESH_SCALE);
            mesh_channel_sample(channel, 0.999, v);
            check_vector(v, 1, 1, 1, 0);
            mesh_channel_sample(channel, 1, v);
            check_vector(v, 2, 2, 2, 0);
            mesh_channel_sample(channel, 2.9, v);
            check_vector(v, 2, 2, 2, 0);
        } else if (cubic) { // the curve of Hermite: from (0,1,0) with slope (3,0,0) to (4,1,0) with none, in 2 seconds
            mesh_channel_sample(channel, 1, v);
            check_vector(v, 0.125 * 2 * 3 + 0.5 * 4, 1, 0, 1e-6);
            mesh_channel_sample(channel, 0, v);
            check_vector(v, 0, 1, 0, 0);
            mesh_channel_sample(channel, 2, v);
            check_vector(v, 4, 1, 0, 0);
        } else if (channel->path == MESH_TRANSLATION) {
            mesh_channel_sample(channel, -1, v);
            check_vector(v, 0, 0, 0, 0);
            mesh_channel_sample(channel, 0.5, v);
            check_vector(v, 0.5, 1, 1.5, 0);
            mesh_channel_sample(channel, 2, v);
            check_vector(v, 1, 2, 4, 0);
            mesh_channel_sample(channel, 99, v);
            check_vector(v, 1, 2, 5, 0);
        } else { // a rotation at constant speed: 90 degrees in the first second, 90 more in the next two
            mesh_channel_sample(channel, 1.0 / 3, v);
            CHECK_NEAR(v[2], sin(3.14159265358979 / 12), 1e-6);
            mesh_channel_sample(channel, 2, v);
            CHECK_NEAR(v[2], sin(3.14159265358979 * 3 / 8), 1e-6);
            CHECK_NEAR(v[3], cos(3.14159265358979 * 3 / 8), 1e-6);
        }
    }
    mesh_file_free(&file);
}

TEST(a_pose_moves_vertices_through_joints) {
    REQUIRE(open_rig());
    float world[4][16], out[8][3];
    mesh_pose(&file, NULL, 0, world);
    // The tip at rest: turned by the root (x to -z, z to x) and shifted.
    check_vector(world[find_node("tip")] + 12, 5, 6.75, 7, 1e-6);
    REQUIRE(mesh_pose_vertices(&file, &file.mesh[0], (const float(*)[16])world, out));
    // Vertex 0 = (0,0,0) on the base: raised by its inverse bind matrix, then by the root. The mesh's own node has no
    // say.
    check_vector(out[0], 5, 6.25, 7, 1e-6);
    // Vertex 7 = (1,1,1) on the tip: (1, 0.5, 1), twice as high, up by 0.75, turned: x' = 5 + z, z' = 7 - x.
    check_vector(out[7], 6, 6 + 1.75, 6, 1e-6);
    // Vertex 3 = (1,1,0): four fifths on the base, one on the tip.
    check_vector(out[3], 5, 6 + 0.8 * 1.25 + 0.2 * 1.75, 6, 1e-6);
    mesh_pose(&file, &file.clip[0], 2, world);
    // The base moved to (1,2,4) and doubled; the tip stands in it at (4,1,0).
    check_vector(world[find_node("base")] + 12, 5 + 4, 6 + 2, 7 - 1, 1e-6);
    check_vector(world[find_node("tip")] + 12, 5 + 4, 6 + 2 + 2, 7 - 1 - 8, 1e-5);
    mesh_file_free(&file);
}

TEST(nodes_place_meshes_and_mirrors_keep_the_outside) {
    sn_mesh cube = shape_cube(0, 1);
    tool_error error = {0};
    bytes b = as_mesh_glb(&cube, ",\"scale\":[-2,1,1],\"translation\":[10,0,0]");
    REQUIRE(mesh_parse("x.glb", b.at, b.size, NULL, &file, &error));
    float low[3], high[3];
    sn_mesh_box(&file.mesh[0].mesh, low, high);
    check_vector(low, 8, 0, 0, 0);
    check_vector(high, 10, 1, 1, 0);
    CHECK_NEAR(sn_mesh_volume(&file.mesh[0].mesh), 2, 1e-6);
    mesh_file_free(&file);
    bytes_free(&b);
    sn_mesh_free(&cube);
}

static void write_file(const char *name, const bytes *b) {
    FILE *out = fopen(name, "wb");
    if (!CHECK(out != NULL)) return;
    CHECK(fwrite(b->at, 1, b->size, out) == b->size);
    fclose(out);
}

TEST(buffers_may_lie_beside_the_text) {
    char folder[] = "/tmp/sinew-test-XXXXXX", text[64], data[64];
    tool_error error;
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(text, sizeof text, "%s/a.gltf", folder);
    snprintf(data, sizeof data, "%s/a b.bin", folder);
    sn_mesh cube = shape_cube(0, 1);
    bytes buffer = mesh_buffer(&cube), json = mesh_json(&cube, "a%20b.bin", NULL, "");
    write_file(text, &json);
    CHECK(!mesh_read(text, &disk_files, &file, &error));
    CHECK(strstr(error.text, "a.gltf:1:") && strstr(error.text, "buffers[0].uri: a%20b.bin cannot be opened"));
    write_file(data, &buffer);
    if (CHECK(mesh_read(text, &disk_files, &file, &error))) CHECK_NEAR(sn_mesh_volume(&file.mesh[0].mesh), 1, 1e-12);
    mesh_file_free(&file);
    buffer.size -= 1;
    write_file(data, &buffer);
    CHECK(!mesh_read(text, &disk_files, &file, &error));
    CHECK(strstr(error.text, "buffers[0].byteLength: 240 bytes, but the buffer has 239"));
    unlink(text), unlink(data), rmdir(folder);
    bytes_free(&buffer), bytes_free(&json);
    sn_mesh_free(&cube);
}

TEST(sparse_rows_replace_others) {
    // Three vertices at zero (no view), two of them set by sparse rows.
    tool_error error = {0};
    bytes buffer = {0}, json = {0};
    bytes_number(&buffer, 1, 2, false), bytes_number(&buffer, 2, 2, false);
    const float rows[6] = {1, 0, 0, 0, 2, 0};
    for (int i = 0; i < 6; i++) bytes_float(&buffer, rows[i], false);
    bytes_print(&json,
                "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
                "\"indices\":{\"bufferView\":0,\"componentType\":5123},\"values\":{\"bufferView\":1}}}],"
                "\"bufferViews\":[{\"buffer\":0,\"byteLength\":4},{\"buffer\":0,\"byteOffset\":4,\"byteLength\":24}],"
                "\"buffers\":[{\"byteLength\":28}]}");
    bytes b = as_glb(&json, &buffer);
    if (CHECK(mesh_parse("x.glb", b.at, b.size, NULL, &file, &error))) {
        check_vector(file.mesh[0].mesh.position[0], 0, 0, 0, 0);
        check_vector(file.mesh[0].mesh.position[1], 1, 0, 0, 0);
        check_vector(file.mesh[0].mesh.position[2], 0, 2, 0, 0);
    }
    mesh_file_free(&file);
    bytes_free(&buffer), bytes_free(&json), bytes_free(&b);
}

// Two primitives of the same vertices, one a strip and one a fan, their positions and colours side by side in 28 bytes.
TEST(strips_fans_and_strides_are_read) {
    tool_error error = {0};
    bytes buffer = {0}, json = {0};
    for (int v = 0; v < 5; v++) {
        const float row[7] = {(float)(v % 2), (float)(v / 2), 0, 0.25f * (float)v, 2, -1, 1};
        for (int k = 0; k < 7; k++) bytes_float(&buffer, row[k], false);
    }
    static const unsigned char fan[5] = {0, 1, 3, 2, 4};
    bytes_add(&buffer, fan, sizeof fan);
    bytes_print(&json, "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":["
                       "{\"attributes\":{\"POSITION\":0,\"COLOR_0\":1},\"mode\":5},"
                       "{\"attributes\":{\"POSITION\":0,\"COLOR_0\":1},\"mode\":6,\"indices\":2},"
                       "{\"attributes\":{\"POSITION\":0},\"mode\":1}]}],");
    bytes_print(&json, "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\"},"
                       "{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":5,\"type\":\"VEC4\"},"
                       "{\"bufferView\":1,\"componentType\":5121,\"count\":5,\"type\":\"SCALAR\"}],"
                       "\"bufferViews\":[{\"buffer\":0,\"byteLength\":140,\"byteStride\":28},"
                       "{\"buffer\":0,\"byteOffset\":140,\"byteLength\":5}],\"buffers\":[{\"byteLength\":145}]}");
    bytes b = as_glb(&json, &buffer);
    const int expected[6][3] = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {0, 1, 3}, {0, 3, 2}, {0, 2, 4}};
    if (CHECK(mesh_parse("x.glb", b.at, b.size, NULL, &file, &error))) {
        const sn_mesh *mesh = &file.mesh[0].mesh;
        CHECK_INT(mesh->vertex_count, 5);
        CHECK_INT(mesh->triangle_count, 6);
        for (int i = 0; i < 18 && mesh->triangle_count == 6; i++)
            CHECK_INT(mesh->triangle[i / 3][i % 3], expected[i / 3][i % 3]);
        CHECK_INT(file.skipped, 1); // the lines
        check_vector(mesh->position[3], 1, 1, 0, 0);
        if (CHECK(mesh->colour != NULL)) check_vector(mesh->colour[3], 0.75, 1, 0, 0); // kept within 0 and 1
    }
    mesh_file_free(&file);
    bytes_free(&buffer), bytes_free(&json), bytes_free(&b);
}

TEST(of_many_influences_the_largest_four_are_kept) {
    tool_error error = {0};
    bytes buffer = {0}, json = {0};
    static const float weights[8] = {0.1f, 0, 0.2f, 0.05f, 0.3f, 0.05f, 0.2f, 0.1f};
    for (int i = 0; i < 9; i++) bytes_float(&buffer, i == 3 || i == 7, false); // 0: a triangle
    for (int set = 0; set < 2; set++)                                          // 36 and 48: joints 0 to 3 and 4 to 7
        for (int v = 0; v < 3; v++)
            for (int k = 0; k < 4; k++) bytes_number(&buffer, (uint64_t)(4 * set + k), 1, false);
    for (int set = 0; set < 2; set++) // 60 and 108
        for (int v = 0; v < 3; v++)
            for (int k = 0; k < 4; k++) bytes_float(&buffer, weights[4 * set + k], false);
    bytes_print(&json,
                "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"skin\":0},{},{},{},{},{},{},{}],"
                "\"skins\":[{\"joints\":[0,1,2,3,4,5,6,7]}],\"meshes\":[{\"primitives\":[{\"attributes\":"
                "{\"POSITION\":0,\"JOINTS_0\":1,\"JOINTS_1\":2,\"WEIGHTS_0\":3,\"WEIGHTS_1\":4}}]}],\"accessors\":[");
    static const struct {
        int offset, type;
        const char *shape;
    } rows[5] = {{0, 5126, "VEC3"}, {36, 5121, "VEC4"}, {48, 5121, "VEC4"}, {60, 5126, "VEC4"}, {108, 5126, "VEC4"}};
    for (int i = 0; i < 5; i++)
        bytes_print(&json, "%s{\"bufferView\":0,\"byteOffset\":%d,\"componentType\":%d,\"count\":3,\"type\":\"%s\"}",
                    i ? "," : "", rows[i].offset, rows[i].type, rows[i].shape);
    bytes_print(&json, "],\"bufferViews\":[{\"buffer\":0,\"byteLength\":156}],\"buffers\":[{\"byteLength\":156}]}");
    bytes b = as_glb(&json, &buffer);
    if (CHECK(mesh_parse("x.glb", b.at, b.size, NULL, &file, &error))) {
        const sn_mesh *mesh = &file.mesh[0].mesh;
        double sum = 0, of[8] = {0};
        for (int k = 0; k < 4; k++) {
            sum += mesh->weight[1][k];
            of[mesh->joint[1][k]] += mesh->weight[1][k];
        }
        CHECK_NEAR(sum, 1, 1e-6);
        CHECK_NEAR(of[4], 0.3 / 0.8, 1e-6);
        CHECK_NEAR(of[2], 0.2 / 0.8, 1e-6);
        CHECK_NEAR(of[6], 0.2 / 0.8, 1e-6);
        CHECK_NEAR(of[0] + of[7], 0.1 / 0.8, 1e-6);
    } else {
        CHECK_STRING(error.text, "");
    }
    mesh_file_free(&file);
    bytes_free(&buffer), bytes_free(&json), bytes_free(&b);
}
