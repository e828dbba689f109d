// links: tools
// Meshes from files: every format brings the same mesh, and what is damaged is named with its place.
#include "formats/mesh_file.h"
#include "mesh/mesh_repair.h"
#include "mesh/polygon.h"
#include "mesh_bytes.h"
#include "test.h"

static bool parse(const char *name, const bytes *from, mesh_file *out) {
    tool_error error = {0};
    const bool good = mesh_parse(name, from->at, from->size, NULL, out, &error);
    CHECK_STRING(error.text, "");
    return good;
}

static bool parse_text(const char *name, const char *text, mesh_file *out) {
    const bytes b = {.at = (unsigned char *)text, .size = strlen(text)};
    return parse(name, &b, out);
}

static void check_same(const sn_mesh *a, const sn_mesh *b) {
    CHECK_INT(a->vertex_count, b->vertex_count);
    CHECK_INT(a->triangle_count, b->triangle_count);
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count) return;
    CHECK(memcmp(a->position, b->position, (size_t)a->vertex_count * sizeof *a->position) == 0);
    CHECK(memcmp(a->triangle, b->triangle, (size_t)a->triangle_count * sizeof *a->triangle) == 0);
}

static void check_indexed(const char *name, bytes from, const sn_mesh *shape) {
    mesh_file file;
    if (parse(name, &from, &file)) {
        CHECK_INT(file.mesh_count, 1);
        check_same(&file.mesh[0].mesh, shape);
    }
    mesh_file_free(&file);
    bytes_free(&from);
}

// Three vertices for each triangle, in the order of the triangles.
static void check_soup(bytes from, const sn_mesh *shape) {
    mesh_file file;
    if (parse("x.stl", &from, &file)) {
        const sn_mesh *mesh = &file.mesh[0].mesh;
        CHECK_INT(mesh->vertex_count, 3 * shape->triangle_count);
        CHECK_INT(mesh->triangle_count, shape->triangle_count);
        for (int t = 0; t < shape->triangle_count && t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++)
                CHECK(memcmp(mesh->position[mesh->triangle[t][k]], shape->position[shape->triangle[t][k]], 12) == 0);
    }
    mesh_file_free(&file);
    bytes_free(&from);
}

static void check_formats(sn_mesh shape) {
    check_indexed("x.obj", as_obj(&shape), &shape);
    check_indexed("x.off", as_off(&shape), &shape);
    check_indexed("x.ply", as_ply(&shape, PLY_TEXT), &shape);
    check_indexed("x.ply", as_ply(&shape, PLY_LITTLE), &shape);
    check_indexed("x.ply", as_ply(&shape, PLY_BIG), &shape);
    check_indexed("x.glb", as_mesh_glb(&shape, ""), &shape);
    check_indexed("x.gltf", as_mesh_gltf(&shape), &shape);
    check_soup(as_stl(&shape, true), &shape);
    check_soup(as_stl(&shape, false), &shape);
    sn_mesh_free(&shape);
}

TEST(a_cube_is_the_same_in_every_format) {
    check_formats(shape_cube(-0.3f, 1.7f));
}

TEST(a_ball_is_the_same_in_every_format) {
    check_formats(shape_ball(9, 12));
}

TEST(obj_faces_accept_every_form_of_corner) {
    mesh_file file;
    REQUIRE(parse_text("x.obj",
                       "v 0 0 0\r\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 2\n"
                       "usemtl paint\ns off\n"
                       "o quad\nf 1/1/1 2/2/1 \\\n 3/3/1 4/4/1 # a comment\n"
                       "o from the end\nf -4//-1 -3//-1 -2//-1\n"
                       "o seam\nf 1/1 2/2 3/3\nf 1/2 3/3 4/4\n",
                       &file));
    REQUIRE(file.mesh_count == 3);
    const sn_mesh *quad = &file.mesh[0].mesh, *end = &file.mesh[1].mesh, *seam = &file.mesh[2].mesh;
    CHECK_STRING(quad->name, "quad");
    CHECK_STRING(end->name, "from the end");
    CHECK_INT(quad->vertex_count, 4);
    CHECK_INT(quad->triangle_count, 2);
    REQUIRE(quad->uv && quad->normal && end->normal && !end->uv && seam->uv && !seam->normal);
    CHECK_NEAR(quad->uv[2][0], 1, 0); // v goes up in the file, down in memory
    CHECK_NEAR(quad->uv[2][1], 0, 0);
    CHECK_NEAR(quad->normal[3][2], 1, 0); // made unit
    CHECK_INT(end->vertex_count, 3);
    CHECK_NEAR(end->position[2][0] + end->position[2][1], 2, 0);
    CHECK_INT(seam->vertex_count, 5); // vertex 1 has two texture places
    mesh_file_free(&file);
}

TEST(obj_names_that_come_again_are_one_mesh) {
    mesh_file file;
    REQUIRE(parse_text("x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 2 3\ng b\nf 1 2 4\ng a\nf 2 3 4\nl 1 2\n",
                       &file));
    REQUIRE(file.mesh_count == 2);
    CHECK_INT(file.mesh[0].mesh.triangle_count, 2);
    CHECK_INT(file.mesh[1].mesh.triangle_count, 1);
    CHECK_INT(file.mesh[1].mesh.vertex_count, 3);
    CHECK_INT(file.skipped, 1);
    sn_mesh all;
    REQUIRE(mesh_file_merge(&file, &all));
    CHECK_INT(all.vertex_count, 7);
    CHECK_INT(all.triangle_count, 3);
    sn_mesh_free(&all);
    mesh_file_free(&file);
}

TEST(colours_become_linear) {
    mesh_file file;
    REQUIRE(parse_text("x.obj", "v 0 0 0 1 0.5 0\nv 1 0 0 1 1 1\nv 0 1 0 0 0 0\nf 1 2 3\n", &file));
    REQUIRE(file.mesh[0].mesh.colour != NULL);
    CHECK_NEAR(file.mesh[0].mesh.colour[0][0], 1, 0);
    CHECK_NEAR(file.mesh[0].mesh.colour[0][1], 0.2140411, 1e-6); // sRGB of one half
    mesh_file_free(&file);
    REQUIRE(parse_text("x.ply",
                       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                       "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"
                       "property list uchar int vertex_index\nend_header\n0 0 0 255 0 128\n1 0 0 0 0 0\n0 1 0 0 0 0\n"
                       "3 0 1 2\n",
                       &file));
    REQUIRE(file.mesh[0].mesh.colour != NULL);
    CHECK_NEAR(file.mesh[0].mesh.colour[0][0], 1, 0);
    CHECK_NEAR(file.mesh[0].mesh.colour[0][2], 0.2158605, 1e-6);
    mesh_file_free(&file);
}

TEST(tristrips_become_triangles) {
    mesh_file file;
    const int expected[4][3] = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 1, 0}};
    REQUIRE(parse_text("x.ply",
                       "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int vertex_indices\n"
                       "element vertex 5\nproperty double x\nproperty double y\nproperty double z\nend_header\n"
                       "11 0 1 2 3 4 -1 4 1 0 0 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n",
                       &file));
    const sn_mesh *mesh = &file.mesh[0].mesh;
    CHECK_INT(mesh->vertex_count, 5);
    CHECK_INT(mesh->triangle_count, 4); // those with two equal corners only join strips
    for (int t = 0; t < 4 && t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) CHECK_INT(mesh->triangle[t][k], expected[t][k]);
    CHECK_NEAR(mesh->position[4][1], 2, 0);
    mesh_file_free(&file);
}

static double area_of(const float (*p)[3], const int (*t)[3], int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const float *a = p[t[i][0]], *b = p[t[i][1]], *c = p[t[i][2]];
        const double area =
            ((double)b[0] - a[0]) * ((double)c[1] - a[1]) - ((double)b[1] - a[1]) * ((double)c[0] - a[0]);
        CHECK(area > 0); // none is turned or empty
        sum += area / 2;
    }
    return sum;
}

TEST(concave_polygons_are_cut_inside) {
    const float arrow[4][3] = {{0, 0, 0}, {2, -1, 0}, {0.5f, 0, 0}, {2, 1, 0}};
    const float corner[6][3] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
    int t[4][3];
    for (int shift = 0; shift < 6; shift++) {
        float p[6][3];
        for (int i = 0; i < 6; i++) memcpy(p[i], corner[(i + shift) % 6], sizeof *p);
        polygon_triangulate((const float(*)[3])p, 6, t);
        CHECK_NEAR(area_of((const float(*)[3])p, (const int(*)[3])t, 4), 5, 1e-12);
    }
    for (int shift = 0; shift < 4; shift++) {
        float p[4][3];
        for (int i = 0; i < 4; i++) memcpy(p[i], arrow[(i + shift) % 4], sizeof *p);
        polygon_triangulate((const float(*)[3])p, 4, t);
        CHECK_NEAR(area_of((const float(*)[3])p, (const int(*)[3])t, 2), 0.5, 1e-12);
    }
}

TEST(polygons_of_many_corners_are_fans) {
    bytes b = {0};
    mesh_file file;
    for (int i = 0; i < 1000; i++)
        bytes_print(&b, "v %.9g %.9g 0\n", cos(i * 0.002 * 3.14159265), sin(i * 0.002 * 3.14159265));
    bytes_print(&b, "f");
    for (int i = 0; i < 1000; i++) bytes_print(&b, " %d", i + 1);
    REQUIRE(parse("x.obj", &b, &file));
    CHECK_INT(file.mesh[0].mesh.triangle_count, 998);
    CHECK_NEAR(area_of((const float(*)[3])file.mesh[0].mesh.position, (const int(*)[3])file.mesh[0].mesh.triangle, 998),
               500 * sin(0.002 * 3.14159265), 1e-5);
    mesh_file_free(&file);
    bytes_free(&b);
}

// Numbers as files write them, against what the C library makes of them.
TEST(numbers_are_read_to_the_last_bit) {
    static const char *const numbers[] = {"0",
                                          "-0.0",
                                          "1",
                                          "+1.5",
                                          ".25",
                                          "3.",
                                          "1e-3",
                                          "1E+10",
                                          "123456789",
                                          "0.1",
                                          "-2.5e-7",
                                          "3.4028234e38",
                                          "1.17549435e-38",
                                          "1e-45",
                                          "0.30000000000000004",
                                          "9007199254740993",
                                          "123456789012345678901234567890e-20",
                                          "0.000000000000000000000000000001234567"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[200];
        mesh_file file;
        snprintf(text, sizeof text, "v %s 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", numbers[i]);
        REQUIRE(parse_text("x.obj", text, &file));
        CHECK(file.mesh[0].mesh.position[0][0] == strtof(numbers[i], NULL));
        mesh_file_free(&file);
    }
}

// --- errors --------------------------------------------------------------------------------------------------------

static void check_refused(const char *name, const void *from, size_t size, const char *expected) {
    tool_error error = {0};
    mesh_file file;
    CHECK(!mesh_parse(name, from, size, NULL, &file, &error));
    CHECK(file.mesh_count == 0 && !file.mesh);
    if (!strstr(error.text, expected)) CHECK_STRING(error.text, expected);
    mesh_file_free(&file);
}

TEST(errors_in_texts_have_line_and_column) {
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
                              "float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    static const struct {
        const char *name, *text, *expected;
    } cases[] = {
        {"x.obj", "v 0 0 0\nv 1 0 0\nv 0 1\nf 1 2 3\n", "x.obj:3:6: error: a vertex has 2 numbers; it needs 3"},
        {"x.obj", "v 0 0 0\nv 1 zero 0\n", "x.obj:2:5: error: \"zero\" is not a number"},
        {"x.obj", "v 0 0 nan\n", "x.obj:1:7: error: \"nan\" is not a number"},
        {"x.obj", "v 0 0 1e39\n", "x.obj:1:7: error: \"1e39\" is too large"},
        {"x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "x.obj:4:7: error: a face names vertex 4"},
        {"x.obj", "v 0 0 0\nf 1 2 0\n", "x.obj:2:5: error: a face names vertex 2"},
        {"x.obj", "v 0 0 0\nf 1 1 0\n", "indices start at 1"},
        {"x.obj", "v 0 0 0\nf -1 -2 -1\n", "x.obj:2:6: error: a face names vertex -2"},
        {"x.obj", "v 0 0 0\nf 1 1\n", "x.obj:2:1: error: a face of 2 corners"},
        {"x.obj", "v 0 0 0\nf 1/2/3/4 1 1\n", "x.obj:2:3: error: a corner is"},
        {"x.obj", "v 0 0 0\nvx 1\n", "x.obj:2:1: error: \"vx\" is not a keyword"},
        {"x.obj", "# \xc3\xa4\n\xc3\xa4 1\n", "x.obj:2:1: error:"},
        {"x.obj", "", "x.obj:1:1: error: the file has no faces"},
        {"x.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 zero\n",
         "x.stl:6:12: error: \"zero\" is not a number"},
        {"x.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
         "x.stl:6:1: error: \"endloop\" where \"vertex\" is expected"},
        {"x.stl", "solid a\nfacet normal 0 0\nouter loop\n", "x.stl:2:17: error: a normal has 2 numbers"},
        {"x.stl", "solid a\n", "the file ends where \"facet\" or \"endsolid\" is expected"},
        {"x.stl", "solid a\nendsolid a\n", "the file has no triangles"},
        {"x.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "x.off:6:7: error: a face names vertex 3"},
        {"x.off", "OFF\n300000000 1 0\n0 0 0\n", "do not fit into a file of"},
        {"x.off", "COFF\n3 1 0\n", "x.off:1:1: error: \"COFF\" where \"OFF\" is expected"},
        {"x.ply", "plyx\n", "x.ply:1:1: error: not a PLY file: it must start with a line \"ply\""},
        {"x.ply", "ply\nformat wide 1.0\n",
         "x.ply:2:8: error: the format must be ascii, binary_little_endian or binary_big_endian, is \"wide\""},
        {"x.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty floaty x\n",
         "x.ply:4:10: error: \"floaty\" is not a type"},
        {"x.ply", "ply\nformat ascii 1.0\nproperty float x\n", "x.ply:3:1: error: a property comes before"},
        {"x.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "before \"end_header\""},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\n \"nodes\":[{\"mesh\":0}]}",
         "x.gltf:2:19: error: nodes[0].mesh: 0; the file has none"},
        {"x.gltf", "{\"asset\":{\"version\":\"1.0\"},\n \"nodes\":[]}",
         "asset.version: glTF version 1.0; only version 2 can be read"},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\n \"nodes\":[}", "x.gltf:2:"},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\n \"nodes\":[{\"children\":[0]}]}", "a node is its own ancestor"},
        {"x.gltf",
         "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[1,2]},{\"children\":[2]},{\"name\":\"c\"}]}",
         "nodes[1].children[0]: node 2 has two parents"},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
         "needs KHR_draco_mesh_compression, which is not supported"},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4,\"uri\":\"../x.bin\"}]}",
         "../x.bin is not in the folder of the file"},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4,\"uri\":\"%2e%2e/x.bin\"}]}",
         "is not in the folder of the file"},
        {"x.gltf", "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4,\"uri\":\"x.bin\"}]}",
         "the buffer is in another file"},
        {"x.fbx", "", "x.fbx: error: unknown file type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].expected);
    static const struct {
        const char *body, *expected;
    } bodies[] = {{"0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "x.ply:13:7: error: a face names vertex 3"},
                  {"0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "the file ends early"},
                  {"0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "a face of 2 corners"},
                  {"0 0 0\n1 0 0\n0 1 0\n9 0 1 2\n", "x.ply:13:1: error: a list of 9 numbers"},
                  {"0 0 x\n1 0 0\n0 1 0\n3 0 1 2\n", "x.ply:10:5: error: \"x\" is not a number"}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        bytes b = {0};
        bytes_print(&b, "%s%s", ply, bodies[i].body);
        check_refused("x.ply", b.at, b.size, bodies[i].expected);
        bytes_free(&b);
    }
}

TEST(errors_in_binary_files_have_an_offset) {
    sn_mesh cube = shape_cube(0, 1);
    bytes stl = as_stl(&cube, false), ply = as_ply(&cube, PLY_BIG), glb = as_mesh_glb(&cube, "");
    check_refused("x.stl", stl.at, stl.size - 10,
                  "x.stl:offset 674: error: the file ends early: the header announces 12 triangles, the file has 11");
    memset(stl.at + 84 + 50 + 12, 0xff, 4); // the first number of triangle 1 becomes a NaN
    check_refused("x.stl", stl.at, stl.size, "x.stl:offset 146: error: triangle 1 has a corner that is not finite");
    check_refused("x.ply", ply.at, ply.size - 3, "a list of 3 numbers; the file ends before that");
    const size_t last = ply.size - 4;
    ply.at[last + 3] = 8;
    char expected[100];
    snprintf(expected, sizeof expected, "x.ply:offset %zu: error: a face names vertex 8; the file has 0 to 7", last);
    check_refused("x.ply", ply.at, ply.size, expected);
    check_refused("x.glb", glb.at, glb.size - 4, "error: the file ends early");
    check_refused("x.glb", glb.at, 15, "x.glb:offset 15: error: the file ends in its header");
    glb.at[glb.size - 4] = 8;
    check_refused("x.glb", glb.at, glb.size,
                  "meshes[0].primitives[0].indices: index 35 is 8; there are vertices 0 to 7");
    const unsigned char *wrong = (const unsigned char *)strstr((const char *)glb.at + 20, "\"VEC3\"");
    REQUIRE(wrong != NULL);
    glb.at[wrong - glb.at + 4] = '9';
    check_refused("x.glb", glb.at, glb.size, "error: accessors[0]: its \"type\" must be SCALAR");
    bytes_free(&stl), bytes_free(&ply), bytes_free(&glb);
    sn_mesh_free(&cube);
}

TEST(what_repeats_without_end_is_refused) {
    // Ten thousand nodes that show the same mesh of many triangles: a small file that asks for gigabytes.
    bytes b = {0}, buffer = {0};
    sn_mesh ball = shape_ball(60, 60);
    bytes one = as_mesh_glb(&ball, "");
    bytes_print(&b, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}");
    for (int i = 0; i < 10000; i++) bytes_print(&b, ",{\"mesh\":0}");
    const char *rest = strstr((const char *)one.at + 20, "],\"meshes\"");
    REQUIRE(rest != NULL);
    size_t length = 0;
    memcpy(&length, one.at + 12, 4);
    bytes_add(&b, rest, length - (size_t)(rest - (const char *)one.at - 20));
    buffer = mesh_buffer(&ball);
    bytes file = as_glb(&b, &buffer);
    check_refused("x.glb", file.at, file.size, "more than 48 times its size in memory");
    bytes_free(&b), bytes_free(&buffer), bytes_free(&one), bytes_free(&file);
    sn_mesh_free(&ball);
    for (int i = 0; i < 10000; i++) bytes_print(&b, "%s{}", i ? "," : "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    bytes_print(&b, "]}");
    check_refused("x.gltf", b.at, b.size, "more than 48 times its size in memory");
    bytes_free(&b);
}

TEST(files_that_are_not_there_are_named) {
    tool_error error = {0};
    mesh_file file;
    CHECK(!mesh_read("no/such/file.obj", &disk_files, &file, &error));
    CHECK(strstr(error.text, "no/such/file.obj: error: cannot be opened: ") == error.text);
    CHECK(!mesh_read("something.doc", &disk_files, &file, &error));
    CHECK(strstr(error.text, "something.doc: error: unknown file type; it must be .obj, ") == error.text);
}
