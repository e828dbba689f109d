// Closest points and rays: known answers, against every triangle in turn, and rays that meet edges and corners exactly.
// links: tools
#include "mesh/mesh_query.h"
#include "mesh_bytes.h"
#include "test.h"

static double distance_to(const sn_mesh_query *query, double x, double y, double z, sn_mesh_hit *hit) {
    const double p[3] = {x, y, z};
    return sn_mesh_query_closest_point(query, p, INFINITY, hit) ? hit->distance : -1;
}

TEST(the_cube_is_as_far_as_it_is) {
    sn_mesh cube = shape_cube(0, 1);
    sn_mesh_query *query = sn_mesh_query_build(&cube);
    sn_mesh_hit hit;
    REQUIRE(query);
    CHECK_NEAR(distance_to(query, 0.5, 0.4, 1.25, &hit), 0.25, 1e-15); // a face
    CHECK_NEAR(hit.point[1], 0.4, 1e-15);
    CHECK_NEAR(distance_to(query, 1.3, 1.4, 0.5, &hit), 0.5, 1e-15); // an edge
    CHECK_NEAR(distance_to(query, -2, -1, -2, &hit), 3, 1e-15);      // a corner
    CHECK_NEAR(hit.bary[0] + hit.bary[1] + hit.bary[2], 1, 1e-15);
    CHECK_NEAR(distance_to(query, 0.5, 0.5, 0.9, &hit), 0.1, 1e-15); // from within
    const double p[3] = {0.5, 0.5, 1.5};
    CHECK(!sn_mesh_query_closest_point(query, p, 0.49, &hit));
    CHECK(sn_mesh_query_closest_point(query, p, 0.5, &hit));
    sn_mesh_query_free(query);
    sn_mesh_free(&cube);
}

// A mesh without order: triangles anywhere, some of them flat.
static sn_mesh soup(int triangles, unsigned seed) {
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, 3 * triangles, triangles, 0)) abort();
    for (int i = 0; i < 9 * triangles; i++) {
        seed = seed * 1664525u + 1013904223u;
        const float around = (float)((seed >> 8) % 1000) / 1000;
        const int v = i / 3;
        mesh.position[v][i % 3] = v % 3 ? mesh.position[v - v % 3][i % 3] + 0.2f * (around - 0.5f) : around;
    }
    for (int t = 0; t < triangles; t++)
        for (int k = 0; k < 3; k++) mesh.triangle[t][k] = 3 * t + (t % 17 == 0 && k == 2 ? 1 : k);
    return mesh;
}

TEST(no_triangle_is_nearer) {
    sn_mesh mesh = soup(400, 7);
    sn_mesh_query *query = sn_mesh_query_build(&mesh);
    REQUIRE(query);
    for (int i = 0; i < 60; i++) {
        const double p[3] = {fmod(0.71 * i, 1.4) - 0.2, fmod(0.37 * i, 1.4) - 0.2, fmod(0.93 * i, 1.4) - 0.2};
        sn_mesh_hit hit, one;
        REQUIRE(sn_mesh_query_closest_point(query, p, INFINITY, &hit));
        double best = INFINITY, off = 0;
        for (int t = 0; t < mesh.triangle_count; t++) {
            sn_mesh single = mesh;
            single.triangle = mesh.triangle + t, single.triangle_count = 1;
            sn_mesh_query *alone = sn_mesh_query_build(&single);
            REQUIRE(alone);
            if (sn_mesh_query_closest_point(alone, p, INFINITY, &one)) best = fmin(best, one.distance);
            sn_mesh_query_free(alone);
        }
        CHECK_NEAR(hit.distance, best, 1e-15);
        // No place on the triangle is nearer, and the coordinates say where it is.
        const int *v = mesh.triangle[hit.triangle];
        for (int a = 0; a <= 12; a++)
            for (int b = 0; a + b <= 12; b++) {
                double d = 0;
                for (int k = 0; k < 3; k++) {
                    const double x = (a * mesh.position[v[0]][k] + b * mesh.position[v[1]][k] +
                                      (12 - a - b) * (double)mesh.position[v[2]][k]) /
                                     12;
                    d += (x - p[k]) * (x - p[k]);
                }
                CHECK(sqrt(d) >= hit.distance - 1e-7);
            }
        for (int k = 0; k < 3; k++) off += (hit.point[k] - p[k]) * (hit.point[k] - p[k]);
        CHECK_NEAR(sqrt(off), hit.distance, 1e-7);
    }
    sn_mesh_query_free(query);
    sn_mesh_free(&mesh);
}

TEST(rays_hit_what_is_first) {
    sn_mesh cube = shape_cube(0, 1);
    sn_mesh_query *query = sn_mesh_query_build(&cube);
    sn_mesh_hit hit;
    REQUIRE(query);
    const double from[3] = {0.4, 0.3, -2}, up[3] = {0, 0, 4}, down[3] = {0, 0, -1}, nowhere[3] = {0, 0, 0};
    REQUIRE(sn_mesh_query_cast_ray(query, from, up, INFINITY, &hit));
    CHECK_NEAR(hit.distance, 2, 1e-15);
    CHECK_NEAR(hit.point[2], 0, 1e-15);
    CHECK_NEAR(hit.point[0], 0.4, 1e-7);
    CHECK(!sn_mesh_query_cast_ray(query, from, up, 1.9, &hit));
    CHECK(!sn_mesh_query_cast_ray(query, from, down, INFINITY, &hit));
    CHECK(!sn_mesh_query_cast_ray(query, from, nowhere, INFINITY, &hit));
    const sn_ray_crossings all = sn_mesh_query_count_crossings(query, from, up),
                           none = sn_mesh_query_count_crossings(query, from, down);
    CHECK_INT(all.entering, 1);
    CHECK_INT(all.leaving, 1);
    CHECK_INT(none.entering + none.leaving, 0);
    sn_mesh_query_free(query);
    sn_mesh_free(&cube);
}

TEST(no_ray_slips_through_edges_and_corners) {
    // Rays from the middle through every vertex and every middle of an edge, which floats hold exactly.
    sn_mesh cube = shape_cube(-1, 2);
    sn_mesh_query *query = sn_mesh_query_build(&cube);
    REQUIRE(query);
    const double middle[3] = {0, 0, 0};
    for (int i = 0; i < 125; i++) {
        const double towards[3] = {i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2};
        sn_mesh_hit hit;
        if (i == 62) continue;
        CHECK(sn_mesh_query_cast_ray(query, middle, towards, INFINITY, &hit));
        const sn_ray_crossings c = sn_mesh_query_count_crossings(query, middle, towards);
        CHECK_INT(c.leaving, 1);
        CHECK_INT(c.entering, 0);
    }
    // From outside along faces and edges: in as often as out.
    for (int i = 0; i < 25; i++) {
        const double from[3] = {i % 5 - 2, i / 5 - 2, -5}, up[3] = {0, 0, 1};
        const sn_ray_crossings c = sn_mesh_query_count_crossings(query, from, up);
        CHECK_INT(c.leaving, c.entering);
    }
    sn_mesh_query_free(query);
    sn_mesh_free(&cube);
}

TEST(counting_tells_inside_from_outside) {
    sn_mesh ball = shape_ball(20, 30);
    sn_mesh_query *query = sn_mesh_query_build(&ball);
    REQUIRE(query);
    for (int i = 0; i < 300; i++) {
        const double r = i % 3 ? 0.9 * i / 300 : 1.05 + i / 100.0, a = 2.4 * i, b = 1.3 * i;
        const double p[3] = {r * cos(a) * cos(b), r * sin(a) * cos(b), r * sin(b)}, along[3] = {1, 0.2 * i - 30, 0.5};
        const sn_ray_crossings c = sn_mesh_query_count_crossings(query, p, along);
        CHECK_INT(c.leaving - c.entering, i % 3 ? 1 : 0);
    }
    sn_mesh_query_free(query);
    sn_mesh_free(&ball);
}

TEST(nothing_is_never_near) {
    sn_mesh empty = {0};
    sn_mesh_query *query = sn_mesh_query_build(&empty);
    sn_mesh_hit hit;
    const double p[3] = {0, 0, 0}, along[3] = {1, 0, 0};
    REQUIRE(query);
    CHECK(!sn_mesh_query_closest_point(query, p, INFINITY, &hit));
    CHECK(!sn_mesh_query_cast_ray(query, p, along, INFINITY, &hit));
    CHECK_INT(sn_mesh_query_count_crossings(query, p, along).leaving, 0);
    sn_mesh_query_free(query);
    sn_mesh_query_free(NULL);
    // A thousand triangles at one place make no deep tree.
    sn_mesh heap = soup(1, 3);
    sn_mesh many;
    REQUIRE(sn_mesh_alloc(&many, 3, 100000, 0));
    memcpy(many.position, heap.position, 3 * sizeof *many.position);
    for (int t = 0; t < 100000; t++)
        for (int k = 0; k < 3; k++) many.triangle[t][k] = k;
    query = sn_mesh_query_build(&many);
    REQUIRE(query);
    CHECK(sn_mesh_query_closest_point(query, p, INFINITY, &hit));
    sn_mesh_query_free(query);
    sn_mesh_free(&many);
    sn_mesh_free(&heap);
}
