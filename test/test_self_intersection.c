// links: tools
// Crossings: pairs of triangles are counted, all and none else.
#include "base/math/vec.h"
#include "geometry/triangle.h"
#include "mesh/self_intersection.h"
#include "test.h"
#include "zoo/damage.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdlib.h>

static sn_mesh triangles(int vertices, const float (*position)[3], int count, const int (*triangle)[3]) {
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, vertices, count, 0)) abort();
    memcpy(mesh.position, position, (size_t)vertices * sizeof *position);
    memcpy(mesh.triangle, triangle, (size_t)count * sizeof *triangle);
    return mesh;
}

static long long pairs_of(int vertices, const float (*position)[3], int count, const int (*triangle)[3]) {
    sn_mesh mesh = triangles(vertices, position, count, triangle);
    sn_self_intersections report;
    CHECK(sn_self_intersection_find(&mesh, &report, NULL));
    CHECK(report.complete);
    sn_mesh_free(&mesh);
    return report.pairs;
}

TEST(good_surfaces_do_not_cross_themselves) {
    for (int kind = 0; kind < ZOO_SURFACE_KINDS; kind++) {
        sn_mesh mesh;
        sn_self_intersections report;
        REQUIRE(zoo_surface((zoo_surface_kind)kind, zoo_surface_min_triangles((zoo_surface_kind)kind), &mesh));
        REQUIRE(sn_self_intersection_find(&mesh, &report, NULL));
        CHECK_INT(report.pairs, 0);
        sn_mesh_free(&mesh);
    }
    sn_mesh mesh;
    sn_self_intersections report;
    REQUIRE(zoo_surface(ZOO_CREATURE, 0, &mesh));
    REQUIRE(sn_self_intersection_find(&mesh, &report, NULL));
    CHECK_INT(report.pairs, 0);
    CHECK_INT(report.first[0], -1);
    sn_mesh_free(&mesh);
}

TEST(neighbours_are_not_crossings_unless_folded) {
    // Two triangles on the edge 0 1.
    const float at[5][3] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 1, 0}, {0.5f, -1, 0}, {0.4f, 0.7f, 0}};
    CHECK_INT(pairs_of(5, at, 2, (const int[2][3]){{0, 1, 2}, {1, 0, 3}}), 0);
    CHECK_INT(pairs_of(5, at, 2, (const int[2][3]){{0, 1, 2}, {1, 0, 4}}), 1); // folded onto each other
    const float bent[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 1, 0}, {0.5f, 1, 1e-7f}};
    CHECK_INT(pairs_of(4, bent, 2, (const int[2][3]){{0, 1, 2}, {1, 0, 3}}), 0); // nearly
    CHECK_INT(pairs_of(5, at, 2, (const int[2][3]){{0, 1, 2}, {1, 2, 0}}), 1);   // there twice
}

TEST(triangles_with_a_common_corner_cross_beyond_it) {
    const float at[8][3] = {{0, 0, 0},  {2, 1, 0},  {2, -1, 0},  {1, 0, 1},
                            {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}, {1, 0, 0.5f}};
    CHECK_INT(pairs_of(8, at, 2, (const int[2][3]){{0, 1, 2}, {0, 3, 4}}), 1); // one goes through the other
    CHECK_INT(pairs_of(8, at, 2, (const int[2][3]){{0, 1, 2}, {0, 5, 6}}), 0); // on the other side
    CHECK_INT(pairs_of(8, at, 2, (const int[2][3]){{0, 1, 2}, {0, 3, 7}}), 0); // above
    // In one plane: beside each other, and one over the other.
    const float flat[7][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {-2, 1, 0}, {2, 1, 0}, {1, 2, 0}};
    CHECK_INT(pairs_of(7, flat, 2, (const int[2][3]){{0, 1, 2}, {0, 3, 4}}), 0);
    CHECK_INT(pairs_of(7, flat, 2, (const int[2][3]){{0, 1, 2}, {0, 5, 6}}), 1);
}

TEST(contact_counts_and_missing_by_a_hair_does_not) {
    const float touching[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}};
    CHECK_INT(pairs_of(6, touching, 2, (const int[2][3]){{0, 1, 2}, {3, 4, 5}}), 1);
    const float above[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 1e-30f}, {1, 1, 1}, {2, 1, 1}};
    CHECK_INT(pairs_of(6, above, 2, (const int[2][3]){{0, 1, 2}, {3, 4, 5}}), 0);
    // Without area: left out.
    const float needle[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 0}, {1, 1, 1}};
    CHECK_INT(pairs_of(6, needle, 2, (const int[2][3]){{0, 1, 2}, {3, 4, 5}}), 0);
}

TEST(every_pair_is_found) {
    // Triangles in a heap, compared with asking for each pair.
    enum { N = 300 };
    sn_mesh mesh;
    unsigned random = 7;
    REQUIRE(sn_mesh_alloc(&mesh, 3 * N, N, 0));
    for (int v = 0; v < 3 * N; v++) {
        mesh.triangle[v / 3][v % 3] = v;
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            mesh.position[v][k] =
                (v % 3 ? mesh.position[v - v % 3][k] : 0) + (float)(random >> 8) / 16777216.0f * (v % 3 ? 0.25f : 1.0f);
        }
    }
    long long expected = 0;
    unsigned char *marks = calloc(N, 1), *asked = calloc(N, 1);
    sn_triangle t[2];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            for (int s = 0; s < 2; s++) {
                const float(*p)[3] = (const float(*)[3])mesh.position + 3 * (s ? j : i);
                t[s] = (sn_triangle){sn_v3(p[0][0], p[0][1], p[0][2]), sn_v3(p[1][0], p[1][1], p[1][2]),
                                     sn_v3(p[2][0], p[2][1], p[2][2])};
            }
            if (!sn_triangle_triangle(&t[0], &t[1])) continue;
            expected++;
            asked[i] = asked[j] = 1;
        }
    sn_self_intersections report;
    REQUIRE(sn_self_intersection_find(&mesh, &report, marks));
    CHECK(expected > 50);
    CHECK_INT(report.pairs, expected);
    CHECK(memcmp(marks, asked, N) == 0);
    free(marks), free(asked);
    sn_mesh_free(&mesh);
}

TEST(a_heap_of_thousands_ends) {
    // All through one point: every pair crosses. Counting is given up before the night.
    enum { N = 4000 };
    sn_mesh mesh;
    unsigned random = 3;
    REQUIRE(sn_mesh_alloc(&mesh, 3 * N, N, 0));
    for (int t = 0; t < N; t++) {
        double sum[3] = {0};
        for (int c = 0; c < 3; c++) {
            mesh.triangle[t][c] = 3 * t + c;
            for (int k = 0; k < 3; k++) {
                random = random * 1664525u + 1013904223u;
                mesh.position[3 * t + c][k] = c < 2 ? (float)(random >> 8) / 8388608.0f - 1 : (float)-sum[k];
                sum[k] += (double)mesh.position[3 * t + c][k];
            }
        }
    }
    sn_self_intersections report;
    REQUIRE(sn_self_intersection_find(&mesh, &report, NULL));
    CHECK(!report.complete);
    CHECK(report.pairs > 100000);
    sn_mesh_free(&mesh);
}

TEST(damage_that_crosses_is_seen) {
    sn_mesh mesh;
    sn_self_intersections report;
    REQUIRE(zoo_surface(ZOO_CREATURE, 5000, &mesh));
    REQUIRE(zoo_damage(&mesh, ZOO_CROSSING, 1));
    REQUIRE(sn_self_intersection_find(&mesh, &report, NULL));
    CHECK(report.complete && report.pairs > 100 && report.triangles > 100);
    CHECK(report.first[0] >= 0 && report.first[1] >= 0);
    sn_mesh_free(&mesh);
}
