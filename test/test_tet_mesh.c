// Meshes of tetrahedra: volume, quality, angles, faces and pieces of shapes that are known.
// links: tools
#include "mesh_check.h"
#include "test.h"
#include "tets/tet_mesh.h"

// A cube of six tetrahedra around a diagonal.
static sn_tet_mesh cube(double x, int copies) {
    static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    sn_tet_mesh mesh;
    if (!sn_tet_mesh_alloc(&mesh, 8 * copies, 6 * copies)) abort();
    for (int c = 0; c < copies; c++) {
        for (int v = 0; v < 8; v++)
            for (int k = 0; k < 3; k++) mesh.position[8 * c + v][k] = (v >> k & 1) * (1 + c) + (k == 0 ? x * c : 0);
        for (int t = 0; t < 6; t++) {
            int *tet = mesh.tet[6 * c + t], at = 0;
            tet[0] = 8 * c;
            for (int i = 0; i < 3; i++) tet[i + 1] = 8 * c + (at |= 1 << path[t][i]);
            if (t >= 3) { // odd permutations are turned the other way
                const int swapped = tet[2];
                tet[2] = tet[3], tet[3] = swapped;
            }
        }
    }
    return mesh;
}

TEST(a_regular_tetrahedron_has_quality_1) {
    const double a[3] = {1, 1, 1}, b[3] = {-1, -1, 1}, c[3] = {-1, 1, -1}, d[3] = {1, -1, -1};
    double least, most;
    const double volume = sn_tet_volume(a, b, c, d);
    CHECK_NEAR(fabs(volume), 8.0 / 3, 1e-14);
    CHECK_NEAR(fabs(sn_tet_quality(a, b, c, d)), 1, 1e-14);
    CHECK_NEAR(sn_tet_quality(a, b, c, d), -sn_tet_quality(b, a, c, d), 1e-15);
    CHECK((volume > 0) == (sn_tet_quality(a, b, c, d) > 0));
    sn_tet_dihedral(a, b, c, d, &least, &most);
    CHECK_NEAR(least, 70.528779365509, 1e-9);
    CHECK_NEAR(most, 70.528779365509, 1e-9);
    const double flat[3] = {-1.0 / 3, 1.0 / 3, 1.0 / 3};
    CHECK_NEAR(sn_tet_quality(a, b, c, flat), 0, 1e-15);
}

TEST(a_right_angled_one_has_right_angles) {
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, d[3] = {0, 0, 1};
    double least, most;
    CHECK_NEAR(sn_tet_volume(a, b, c, d), 1.0 / 6, 1e-15);
    CHECK_NEAR(sn_tet_quality(a, b, c, d), 6 * sqrt(2.0) / 6 / (2 * sqrt(2.0)), 1e-15);
    sn_tet_dihedral(a, b, c, d, &least, &most);
    CHECK_NEAR(least, 54.735610317245, 1e-9);
    CHECK_NEAR(most, 90, 1e-9);
}

TEST(a_cube_has_a_cubes_boundary) {
    sn_tet_mesh mesh = cube(0, 1);
    sn_mesh surface;
    tool_error error;
    int *vertex_of, *tet_of;
    CHECK(sn_tet_mesh_is_conforming(&mesh, &error));
    const sn_tet_report r = sn_tet_mesh_measure(&mesh);
    CHECK_NEAR(r.volume, 1, 1e-14);
    CHECK_INT(r.inverted, 0);
    CHECK_NEAR(r.min_angle, 45, 1e-9);
    CHECK_NEAR(r.max_angle, 90, 1e-9);
    REQUIRE(sn_tet_mesh_boundary(&mesh, &surface, &vertex_of, &tet_of));
    CHECK_INT(surface.triangle_count, 12);
    CHECK_INT(surface.vertex_count, 8);
    CHECK_NEAR(sn_mesh_volume(&surface), 1, 1e-6); // so it faces outward
    CHECK_INT(mesh_check(&surface).open, 0);
    for (int t = 0; t < 12; t++) { // each triangle is a face of its tetrahedron
        for (int k = 0; k < 3; k++) {
            bool found = false;
            for (int l = 0; l < 4; l++) found = found || mesh.tet[tet_of[t]][l] == vertex_of[surface.triangle[t][k]];
            CHECK(found);
        }
    }
    free(vertex_of), free(tet_of);
    sn_mesh_free(&surface);
    sn_tet_mesh_free(&mesh);
}

TEST(what_does_not_conform_is_named) {
    tool_error error;
    sn_tet_mesh mesh = cube(0, 1);
    mesh.tet[2][1] = 8;
    CHECK(!sn_tet_mesh_is_conforming(&mesh, &error));
    CHECK_STRING(error.text, "tetrahedron 2 names vertex 8; there are 0 to 7");
    mesh.tet[2][1] = mesh.tet[2][0];
    CHECK(!sn_tet_mesh_is_conforming(&mesh, &error));
    CHECK_STRING(error.text, "tetrahedron 2 has vertex 0 twice");
    sn_tet_mesh_free(&mesh);
    mesh = cube(0, 1);
    memcpy(mesh.tet[5], mesh.tet[4], sizeof *mesh.tet); // the same one again
    CHECK(!sn_tet_mesh_is_conforming(&mesh, &error));
    CHECK(strstr(error.text, "belongs to 3") || strstr(error.text, "same side"));
    sn_tet_mesh_free(&mesh);
}

TEST(pieces_are_counted_from_the_largest) {
    sn_tet_mesh mesh = cube(5, 3); // cubes of sides 1, 2 and 3
    int part[18];
    bool keep[18];
    CHECK_INT(sn_tet_mesh_components(&mesh, part), 3);
    for (int t = 0; t < 18; t++) CHECK_INT(part[t], 2 - t / 6);
    for (int t = 0; t < 18; t++) keep[t] = part[t] == 0;
    REQUIRE(sn_tet_mesh_keep(&mesh, keep));
    CHECK_INT(mesh.tet_count, 6);
    CHECK_INT(mesh.vertex_count, 8);
    CHECK_NEAR(sn_tet_mesh_measure(&mesh).volume, 27, 1e-12);
    CHECK_INT(sn_tet_mesh_components(&mesh, part), 1);
    sn_tet_mesh_free(&mesh);
}

TEST(a_shared_corner_holds_nothing_together) {
    sn_tet_mesh mesh = cube(5, 2);
    int part[12];
    for (int t = 6; t < 12; t++)
        for (int k = 0; k < 4; k++)
            if (mesh.tet[t][k] == 8) mesh.tet[t][k] = 7;
    CHECK_INT(sn_tet_mesh_components(&mesh, part), 2);
    sn_tet_mesh_free(&mesh);
}
