// links: tools
// Decimation: as few triangles as asked for, and the shape as it was.
#include "mesh/decimate.h"
#include "mesh/mesh_query.h"
#include "mesh_check.h"
#include "test.h"
#include "zoo/surfaces.h"
#include <math.h>

TEST(fewer_triangles_keep_the_shape) {
    sn_mesh mesh, out;
    double error = 0;
    REQUIRE(zoo_surface(ZOO_CREATURE, 12000, &mesh));
    for (int triangles = 4000; triangles >= 400; triangles /= 3) {
        REQUIRE(sn_decimate(&mesh, &(sn_decimate_options){triangles, 0}, &out));
        const mesh_facts facts = mesh_check(&out);
        CHECK(out.triangle_count <= triangles && out.triangle_count >= triangles - 2);
        CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
        CHECK_INT(facts.euler, 2);
        CHECK(facts.worst > 0.05);
        const double now = fmax(mesh_farthest(&mesh, &out), mesh_farthest(&out, &mesh));
        CHECK(now > 0.5 * error);                       // coarser is not nearer
        CHECK(now < (triangles > 1000 ? 0.008 : 0.03)); // of 1.5 m
        error = now;
        CHECK_NEAR(sn_mesh_volume(&out) / sn_mesh_volume(&mesh), 1, 0.04);
        sn_mesh_free(&out);
    }
    sn_mesh_free(&mesh);
}

// A cube whose sides are grids of 2 n^2 triangles.
static sn_mesh fine_cube(int n) {
    sn_mesh mesh;
    const int side = n + 1;
    if (!sn_mesh_alloc(&mesh, 6 * side * side, 12 * n * n, 0)) abort();
    for (int f = 0, v = 0, t = 0; f < 6; f++)
        for (int i = 0; i < side * side; i++, v++) {
            const int axis = f / 2, a = i % side, b = i / side;
            mesh.position[v][axis] = (float)(f % 2);
            mesh.position[v][(axis + 1) % 3] = (float)a / (float)n;
            mesh.position[v][(axis + 2) % 3] = (float)b / (float)n;
            if (a == n || b == n) continue;
            const int two[2][3] = {{v, v + 1, v + side + 1}, {v, v + side + 1, v + side}};
            for (int k = 0; k < 2; k++, t++) {
                memcpy(mesh.triangle[t], two[k], sizeof two[k]);
                if (f % 2 == 0) mesh.triangle[t][1] = two[k][2], mesh.triangle[t][2] = two[k][1];
            }
        }
    // vertices at the same place are one
    for (int v = 0; v < mesh.vertex_count; v++)
        for (int w = 0; w < v; w++)
            if (memcmp(mesh.position[v], mesh.position[w], sizeof *mesh.position) == 0) {
                for (int i = 0; i < 3 * mesh.triangle_count; i++)
                    if (mesh.triangle[i / 3][i % 3] == v) mesh.triangle[i / 3][i % 3] = w;
                break;
            }
    return mesh;
}

TEST(a_fine_cube_becomes_twelve_triangles) {
    sn_mesh mesh = fine_cube(8), out;
    CHECK_INT(mesh.triangle_count, 768);
    REQUIRE(sn_decimate(&mesh, &(sn_decimate_options){12, 0}, &out));
    CHECK_INT(out.triangle_count, 12);
    CHECK_INT(out.vertex_count, 8);
    CHECK_NEAR(sn_mesh_volume(&out), 1, 1e-5);
    sn_mesh_free(&out);
    // Flat parts cost nothing: with a bound on the error it goes as far, and no farther.
    REQUIRE(sn_decimate(&mesh, &(sn_decimate_options){4, 1e-4}, &out));
    CHECK_NEAR(sn_mesh_volume(&out), 1, 1e-3);
    CHECK(out.triangle_count < 60);
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}

TEST(rims_keep_their_line) {
    enum { N = 20 };
    sn_mesh mesh, out; // a sheet
    REQUIRE(sn_mesh_alloc(&mesh, (N + 1) * (N + 1), 2 * N * N, 0));
    for (int v = 0; v < mesh.vertex_count; v++)
        mesh.position[v][0] = (float)(v % (N + 1)), mesh.position[v][1] = (float)(v / (N + 1));
    for (int i = 0; i < N * N; i++) {
        const int v = i / N * (N + 1) + i % N, w = v + N + 1;
        const int two[2][3] = {{v, v + 1, w + 1}, {v, w + 1, w}};
        memcpy(mesh.triangle[2 * i], two, sizeof two);
    }
    REQUIRE(sn_decimate(&mesh, &(sn_decimate_options){20, 0}, &out));
    CHECK(out.triangle_count <= 20 && out.triangle_count > 1);
    double area = 0;
    for (int t = 0; t < out.triangle_count; t++) {
        double n[3];
        mesh_triangle_normal(&out, t, n);
        area += 0.5 * n[2];
    }
    CHECK_NEAR(area, N * N, 1e-2);
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}

TEST(what_is_small_enough_stays) {
    sn_mesh mesh, out;
    REQUIRE(zoo_surface(ZOO_TORUS, 500, &mesh));
    REQUIRE(sn_decimate(&mesh, &(sn_decimate_options){1000000, 0}, &out));
    CHECK_INT(out.triangle_count, mesh.triangle_count);
    CHECK(memcmp(out.triangle, mesh.triangle, (size_t)mesh.triangle_count * sizeof *mesh.triangle) == 0);
    CHECK(mesh_farthest(&out, &mesh) < 1e-6);
    sn_mesh_free(&out);
    // A torus cannot go below seven vertices and stay one.
    REQUIRE(sn_decimate(&mesh, &(sn_decimate_options){4, 0}, &out));
    CHECK(out.triangle_count >= 14);
    CHECK_INT(mesh_check(&out).euler, 0);
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}
