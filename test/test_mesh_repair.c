// links: tools
// Care for meshes: known shapes, damaged in known ways, become what they were, or are said not to be solids.
#include "formats/mesh_file.h"
#include "mesh/mesh_repair.h"
#include "mesh_bytes.h"
#include "test.h"

static mesh_repair_report report;
static sn_mesh repaired;

static bool repair(const sn_mesh *mesh, int **vertex_of) {
    const mesh_repair_options options = mesh_repair_options_default();
    return CHECK(mesh_repair(mesh, &options, &repaired, vertex_of, &report));
}

static void turn(sn_mesh *mesh, int t) {
    const int first = mesh->triangle[t][1];
    mesh->triangle[t][1] = mesh->triangle[t][2];
    mesh->triangle[t][2] = first;
}

// Appends b to a, and frees b.
static void append(sn_mesh *a, sn_mesh b) {
    sn_mesh all;
    if (!sn_mesh_alloc(&all, a->vertex_count + b.vertex_count, a->triangle_count + b.triangle_count, 0)) abort();
    memcpy(all.position, a->position, (size_t)a->vertex_count * 12);
    memcpy(all.position + a->vertex_count, b.position, (size_t)b.vertex_count * 12);
    memcpy(all.triangle, a->triangle, (size_t)a->triangle_count * 12);
    for (int i = 0; i < 3 * b.triangle_count; i++)
        all.triangle[a->triangle_count + i / 3][i % 3] = b.triangle[i / 3][i % 3] + a->vertex_count;
    sn_mesh_free(a), sn_mesh_free(&b);
    *a = all;
}

static sn_mesh sheet(int side) {
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, (side + 1) * (side + 1), 2 * side * side, 0)) abort();
    for (int v = 0; v < mesh.vertex_count; v++)
        mesh.position[v][0] = (float)(v % (side + 1)), mesh.position[v][1] = (float)(v / (side + 1));
    for (int i = 0, t = 0; i < side * side; i++) {
        const int v = i / side * (side + 1) + i % side, w = v + side + 1;
        const int two[2][3] = {{v, v + 1, w + 1}, {v, w + 1, w}};
        memcpy(mesh.triangle[t], two, sizeof two);
        t += 2;
    }
    return mesh;
}

TEST(an_stl_cube_is_welded) {
    sn_mesh cube = shape_cube(3, 2);
    bytes b = as_stl(&cube, false);
    mesh_file file;
    tool_error error;
    REQUIRE(mesh_parse("x.stl", b.at, b.size, NULL, &file, &error));
    int *vertex_of = NULL;
    REQUIRE(repair(&file.mesh[0].mesh, &vertex_of));
    CHECK_INT(report.vertices, 8);
    CHECK_INT(report.triangles, 12);
    CHECK_INT(report.welded, 28);
    CHECK_INT(report.components, 1);
    CHECK_INT(report.flipped, 0);
    CHECK(report.closed && mesh_is_solid(&report, NULL));
    CHECK_NEAR(report.volume, 8, 0);
    CHECK_NEAR(report.area, 24, 0);
    for (int v = 0; v < file.mesh[0].mesh.vertex_count; v++) // the list says where each went
        CHECK(memcmp(file.mesh[0].mesh.position[v], repaired.position[vertex_of[v]], 12) == 0);
    free(vertex_of);
    sn_mesh_free(&repaired), sn_mesh_free(&cube);
    mesh_file_free(&file);
    bytes_free(&b);
}

TEST(near_vertices_are_welded_and_others_are_not) {
    sn_mesh ball = shape_ball(20, 30), soup;
    REQUIRE(sn_mesh_alloc(&soup, 3 * ball.triangle_count, ball.triangle_count, 0));
    for (int i = 0; i < 3 * ball.triangle_count; i++) {
        soup.triangle[i / 3][i % 3] = i;
        for (int k = 0; k < 3; k++) // within a few millionths, as rounded texts are
            soup.position[i][k] =
                ball.position[ball.triangle[i / 3][i % 3]][k] + 1e-6f * (float)((i * 7 + k) % 3 - 1) * 0.4f;
    }
    REQUIRE(repair(&soup, NULL));
    CHECK_INT(report.vertices, ball.vertex_count);
    CHECK_INT(report.triangles, ball.triangle_count);
    CHECK(report.closed);
    CHECK_NEAR(report.volume, sn_mesh_volume(&ball), 1e-4);
    sn_mesh_free(&repaired);
    const mesh_repair_options exact = {.weld = 0, .orient = true};
    REQUIRE(mesh_repair(&soup, &exact, &repaired, NULL, &report));
    CHECK(report.vertices > ball.vertex_count && !report.closed);
    sn_mesh_free(&repaired), sn_mesh_free(&soup), sn_mesh_free(&ball);
}

TEST(flipped_triangles_are_turned) {
    sn_mesh ball = shape_ball(8, 10);
    int turned = 0;
    for (int t = 0; t < ball.triangle_count; t += 3) turn(&ball, t), ++turned;
    REQUIRE(repair(&ball, NULL));
    CHECK_INT(report.flipped, turned);
    CHECK(report.closed && report.volume > 3);
    sn_mesh_free(&repaired);
    sn_mesh whole = shape_ball(8, 10);
    for (int t = 0; t < whole.triangle_count; t++) turn(&whole, t);
    REQUIRE(repair(&whole, NULL));
    CHECK_INT(report.flipped, whole.triangle_count);
    CHECK(report.volume > 3);
    sn_mesh_free(&repaired), sn_mesh_free(&whole), sn_mesh_free(&ball);
}

TEST(open_bodies_are_turned_outward_too) {
    sn_mesh ball = shape_ball(12, 16);
    ball.triangle_count -= 16; // without the cap at the end: a hole of 16 edges
    for (int t = 0; t < ball.triangle_count; t++) turn(&ball, t);
    REQUIRE(repair(&ball, NULL));
    CHECK_INT(report.flipped, ball.triangle_count);
    CHECK_INT(report.holes, 1);
    CHECK_INT(report.filled, 0);
    CHECK_NEAR(report.longest_hole, 32 * sin(3.14159265 / 16) * sin(3.14159265 * 11 / 12), 1e-5);
    tool_error error;
    CHECK(!mesh_is_solid(&report, &error));
    CHECK(strstr(error.text, "1 hole, the longest 1.6") != NULL);
    sn_mesh_free(&repaired), sn_mesh_free(&ball);
}

TEST(cavities_stay_and_pieces_inside_stay) {
    sn_mesh body = shape_cube(0, 10), hollow = shape_cube(2, 2);
    for (int t = 0; t < 12; t++) turn(&hollow, t);
    append(&body, hollow);
    append(&body, shape_cube(6, 2)); // something solid inside
    REQUIRE(repair(&body, NULL));
    CHECK_INT(report.components, 3);
    CHECK_INT(report.cavities, 1);
    CHECK_INT(report.flipped, 0);
    CHECK_NEAR(report.volume, 1000 - 8 + 8, 1e-9);
    sn_mesh_free(&repaired), sn_mesh_free(&body);
    sn_mesh two = shape_cube(0, 1), beside = shape_cube(5, 1); // inside out, but not inside of anything
    for (int t = 0; t < 12; t++) turn(&beside, t);
    append(&two, beside);
    REQUIRE(repair(&two, NULL));
    CHECK_INT(report.cavities, 0);
    CHECK_INT(report.flipped, 12);
    CHECK_NEAR(report.volume, 2, 1e-9);
    sn_mesh_free(&repaired), sn_mesh_free(&two);
}

TEST(small_holes_are_closed_and_sheets_are_not) {
    sn_mesh cube = shape_cube(0, 1);
    cube.triangle_count = 10; // a side is missing
    REQUIRE(repair(&cube, NULL));
    CHECK_INT(report.filled, 1);
    CHECK_INT(report.triangles, 12);
    CHECK(report.closed);
    CHECK_NEAR(report.volume, 1, 0);
    sn_mesh_free(&repaired), sn_mesh_free(&cube);
    sn_mesh square = sheet(1), grid = sheet(2);
    REQUIRE(repair(&square, NULL));
    CHECK_INT(report.filled, 0);
    CHECK_INT(report.triangles, 2);
    CHECK_INT(report.holes, 1);
    CHECK_NEAR(report.boundary_length, 4, 0);
    CHECK_INT(report.flipped, 0);
    sn_mesh_free(&repaired);
    REQUIRE(repair(&grid, NULL));
    CHECK_INT(report.filled, 0);
    CHECK_NEAR(report.boundary_length, 8, 0);
    sn_mesh_free(&repaired), sn_mesh_free(&square), sn_mesh_free(&grid);
}

TEST(what_is_nothing_is_dropped) {
    sn_mesh cube = shape_cube(0, 1), more;
    REQUIRE(sn_mesh_alloc(&more, 10, 15, 0));
    memcpy(more.position, cube.position, 8 * 12);
    memcpy(more.triangle, cube.triangle, 12 * 12);
    const int extra[3][3] = {{0, 0, 1}, {2, 3, 0}, {5, 5, 5}}; // two without area, one that is there already
    memcpy(more.triangle[12], extra, sizeof extra);
    more.position[8][0] = more.position[9][1] = 7; // nobody's
    REQUIRE(repair(&more, NULL));
    CHECK_INT(report.degenerate, 2);
    CHECK_INT(report.duplicate, 1);
    CHECK_INT(report.unused, 2);
    CHECK_INT(report.vertices, 8);
    CHECK(report.closed);
    CHECK_NEAR(report.high[0], 1, 0);
    sn_mesh_free(&repaired), sn_mesh_free(&more), sn_mesh_free(&cube);
}

TEST(walls_between_glued_bodies_go_and_sheets_keep_a_side) {
    sn_mesh two = shape_cube(0, 1), right = shape_cube(0, 1);
    for (int v = 0; v < 8; v++) right.position[v][0] += 1;
    // The right cube's wall is cut along the other diagonal unless it is given the same corners as the left one's.
    const int left_wall[2][3] = {{1, 3, 7}, {1, 7, 5}}, right_wall[2][3] = {{0, 6, 2}, {0, 4, 6}};
    memcpy(two.triangle[10], left_wall, sizeof left_wall);
    memcpy(right.triangle[8], right_wall, sizeof right_wall);
    append(&two, right);
    REQUIRE(repair(&two, NULL));
    CHECK_INT(report.duplicate, 4);
    CHECK_INT(report.non_manifold_edges, 0);
    CHECK(report.closed);
    CHECK_NEAR(report.volume, 2, 1e-12);
    sn_mesh_free(&repaired), sn_mesh_free(&two);
    sn_mesh front = sheet(3), back = sheet(3);
    for (int t = 0; t < back.triangle_count; t++) turn(&back, t);
    append(&front, back);
    REQUIRE(repair(&front, NULL));
    CHECK_INT(report.triangles, 18);
    CHECK_INT(report.holes, 1);
    sn_mesh_free(&repaired), sn_mesh_free(&front);
    sn_mesh crumb = shape_cube(0, 1); // a cube and two triangles back to back beside it
    sn_mesh pair;
    REQUIRE(sn_mesh_alloc(&pair, 3, 2, 0));
    pair.position[0][0] = pair.position[1][0] = pair.position[2][0] = 4;
    pair.position[1][1] = pair.position[2][2] = 0.1f;
    const int both[2][3] = {{0, 1, 2}, {1, 0, 2}};
    memcpy(pair.triangle, both, sizeof both);
    append(&crumb, pair);
    REQUIRE(repair(&crumb, NULL));
    CHECK_INT(report.triangles, 12);
    CHECK_INT(report.components, 1);
    CHECK(report.closed);
    sn_mesh_free(&repaired), sn_mesh_free(&crumb);
}

TEST(one_sided_and_crowded_surfaces_are_no_solids) {
    tool_error error;
    enum { N = 24 };
    sn_mesh strip;
    REQUIRE(sn_mesh_alloc(&strip, 2 * N, 2 * N, 0));
    for (int i = 0; i < N; i++) { // a strip with half a twist
        const double a = 2 * 3.14159265358979 * i / N;
        for (int side = 0; side < 2; side++) {
            const double w = side ? 0.3 : -0.3, r = 1 + w * cos(a / 2);
            strip.position[2 * i + side][0] = (float)(r * cos(a));
            strip.position[2 * i + side][1] = (float)(r * sin(a));
            strip.position[2 * i + side][2] = (float)(w * sin(a / 2));
        }
        const int next = (i + 1) % N, cross = next == 0; // the twist: the last pair meets the first the other way round
        const int two[2][3] = {{2 * i, 2 * next + cross, 2 * i + 1}, {2 * i + 1, 2 * next + cross, 2 * next + !cross}};
        memcpy(strip.triangle[2 * i], two, sizeof two);
    }
    REQUIRE(repair(&strip, NULL));
    CHECK_INT(report.holes >= 1, 1);
    CHECK(report.inconsistent_edges > 0);
    CHECK(!mesh_is_solid(&report, &error) && strstr(error.text, "only one side"));
    sn_mesh_free(&repaired), sn_mesh_free(&strip);

    sn_mesh fan = shape_cube(0, 1), fin;
    REQUIRE(sn_mesh_alloc(&fin, 3, 1, 0));
    memcpy(fin.position[0], fan.position[0], 12), memcpy(fin.position[1], fan.position[1], 12);
    fin.position[2][1] = -3;
    fin.triangle[0][1] = 1, fin.triangle[0][2] = 2;
    append(&fan, fin);
    REQUIRE(repair(&fan, NULL));
    CHECK_INT(report.non_manifold_edges, 1);
    CHECK(!mesh_is_solid(&report, &error) && strstr(error.text, "1 edge is shared by more than two triangles"));
    sn_mesh_free(&repaired), sn_mesh_free(&fan);
}

TEST(surfaces_that_share_a_point_are_counted) {
    sn_mesh two = shape_cube(0, 1), up = shape_cube(1, 1);
    append(&two, up); // they share the corner (1,1,1)
    REQUIRE(repair(&two, NULL));
    CHECK_INT(report.non_manifold_vertices, 1);
    CHECK_INT(report.components, 1);
    CHECK_INT(report.vertices, 15);
    CHECK(report.closed);
    CHECK_NEAR(report.volume, 2, 1e-12);
    sn_mesh_free(&repaired), sn_mesh_free(&two);
}

TEST(parts_of_vertices_are_kept) {
    sn_mesh cube = shape_cube(0, 1), mesh;
    REQUIRE(sn_mesh_alloc(&mesh, 36, 12, MESH_NORMAL | MESH_UV | MESH_COLOUR | MESH_SKIN));
    for (int i = 0; i < 36; i++) {
        mesh.triangle[i / 3][i % 3] = i;
        memcpy(mesh.position[i], cube.position[cube.triangle[i / 3][i % 3]], 12);
        mesh.normal[i][i % 3] = 1;
        mesh.uv[i][0] = (float)i, mesh.colour[i][1] = 0.5f;
        mesh.joint[i][0] = 3, mesh.weight[i][0] = 1;
    }
    REQUIRE(repair(&mesh, NULL));
    REQUIRE(repaired.vertex_count == 8 && repaired.uv && repaired.colour && repaired.joint && repaired.weight &&
            repaired.normal);
    CHECK_NEAR(repaired.uv[0][0], 0, 0);
    for (int v = 0; v < 8; v++) {
        const float *n = repaired.normal[v];
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-6);
        CHECK_INT(repaired.joint[v][0], 3);
        CHECK_NEAR(repaired.colour[v][1], 0.5, 0);
    }
    sn_mesh_free(&repaired), sn_mesh_free(&mesh), sn_mesh_free(&cube);
}

TEST(units_are_guessed_by_size) {
    CHECK_STRING(mesh_unit_guess(1.8, false).name, "metres");
    CHECK_STRING(mesh_unit_guess(17, false).name, "decimetres");
    CHECK_STRING(mesh_unit_guess(180, false).name, "centimetres");
    CHECK_STRING(mesh_unit_guess(1800, false).name, "millimetres");
    CHECK_STRING(mesh_unit_guess(260, true).name, "millimetres"); // a muscle in an STL file
    CHECK_STRING(mesh_unit_guess(0.3, true).name, "metres");
}

TEST(an_empty_mesh_is_survived) {
    sn_mesh none;
    tool_error error;
    REQUIRE(sn_mesh_alloc(&none, 0, 0, 0));
    REQUIRE(repair(&none, NULL));
    CHECK_INT(report.triangles, 0);
    CHECK(!mesh_is_solid(&report, &error));
    sn_mesh_free(&repaired), sn_mesh_free(&none);
}
