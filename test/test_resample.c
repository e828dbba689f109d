// links: tools
// Resampling: triangles of the wanted size, on the old surface, hanging together as before.
#include "mesh/half_edge.h"
#include "mesh/mesh_query.h"
#include "mesh/resample.h"
#include "mesh/self_intersection.h"
#include "mesh_check.h"
#include "test.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdio.h>

static tool_error error;

static double mean_edge(const sn_mesh *mesh) {
    double sum = 0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const float *a = mesh->position[mesh->triangle[i / 3][i % 3]],
                    *b = mesh->position[mesh->triangle[i / 3][(i + 1) % 3]];
        double square = 0;
        for (int k = 0; k < 3; k++) square += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
        sum += sqrt(square) / (3 * mesh->triangle_count);
    }
    return sum;
}

static void check_resampled(const sn_mesh *mesh, double edge, int euler) {
    sn_mesh out;
    sn_self_intersections crossing;
    const sn_resample_options options = sn_resample_options_default(edge);
    REQUIRE(sn_resample(mesh, &options, &out, &error));
    const mesh_facts facts = mesh_check(&out);
    CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
    CHECK_INT(facts.euler, euler);
    CHECK(facts.mean > 0.95);
    CHECK(facts.worst > 0.2);
    CHECK(facts.longest < 1.75 * edge);
    CHECK_NEAR(mean_edge(&out) / edge, 1, 0.08);
    CHECK(mesh_farthest(&out, mesh) < 1e-5);
    CHECK_NEAR(sn_mesh_volume(&out) / sn_mesh_volume(mesh), 1, 0.03);
    REQUIRE(sn_self_intersection_find(&out, &crossing, NULL));
    CHECK_INT(crossing.pairs, 0);
    CHECK(out.normal != NULL); // the old one has them
    sn_mesh_free(&out);
}

TEST(surfaces_become_coarser_and_finer) {
    sn_mesh mesh;
    REQUIRE(zoo_surface(ZOO_TORUS, 3000, &mesh));
    check_resampled(&mesh, 0.06, 0);
    check_resampled(&mesh, 0.015, 0);
    sn_mesh_free(&mesh);
    REQUIRE(zoo_surface(ZOO_CREATURE, 6000, &mesh));
    check_resampled(&mesh, 0.035, 2);
    sn_mesh_free(&mesh);
}

static sn_mesh box(void) {
    static const int triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, 8, 12, 0)) abort();
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) mesh.position[v][k] = (float)(v >> k & 1) * (k == 0 ? 3 : 1);
    memcpy(mesh.triangle, triangles, sizeof triangles);
    return mesh;
}

TEST(a_box_stays_a_box) {
    sn_mesh mesh = box(), out;
    const sn_resample_options options = sn_resample_options_default(0.1);
    REQUIRE(sn_resample(&mesh, &options, &out, &error));
    const mesh_facts facts = mesh_check(&out);
    CHECK_INT(facts.open + facts.pinched, 0);
    CHECK_INT(facts.euler, 2);
    CHECK(facts.mean > 0.93);
    CHECK_NEAR(sn_mesh_volume(&out), 3, 1e-6); // edges and corners are sharp still
    double area = 0;
    for (int t = 0; t < out.triangle_count; t++) {
        double n[3];
        mesh_triangle_normal(&out, t, n);
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    CHECK_NEAR(area, 14, 1e-5);
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}

TEST(a_box_from_fine_to_coarse_keeps_its_edges) {
    sn_mesh mesh = box(), fine, out;
    sn_resample_options options = sn_resample_options_default(0.06);
    REQUIRE(sn_resample(&mesh, &options, &fine, &error));
    options.edge = 0.3;
    REQUIRE(sn_resample(&fine, &options, &out, &error));
    CHECK(out.triangle_count < fine.triangle_count / 10);
    CHECK_INT(mesh_check(&out).euler, 2);
    CHECK_NEAR(sn_mesh_volume(&out), 3, 1e-5);
    sn_mesh_free(&out), sn_mesh_free(&fine), sn_mesh_free(&mesh);
}

TEST(rims_stay_where_they_are) {
    // A square sheet.
    sn_mesh mesh, out;
    REQUIRE(sn_mesh_alloc(&mesh, 4, 2, 0));
    mesh.position[1][0] = mesh.position[2][0] = mesh.position[2][1] = mesh.position[3][1] = 1;
    const int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    memcpy(mesh.triangle, triangles, sizeof triangles);
    const sn_resample_options options = sn_resample_options_default(0.08);
    REQUIRE(sn_resample(&mesh, &options, &out, &error));
    double area = 0;
    for (int t = 0; t < out.triangle_count; t++) {
        double n[3];
        mesh_triangle_normal(&out, t, n);
        area += 0.5 * n[2]; // all upward
        CHECK(n[2] > 0);
    }
    CHECK_NEAR(area, 1, 1e-6);
    const mesh_facts facts = mesh_check(&out);
    CHECK(facts.mean > 0.93);
    CHECK_INT(out.vertex_count - (3 * out.triangle_count + facts.open) / 2 + out.triangle_count, 1); // a disc
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}

TEST(sheets_that_share_an_edge_still_do) {
    // Three squares on one edge, like an open book.
    sn_mesh mesh, out;
    REQUIRE(sn_mesh_alloc(&mesh, 8, 6, 0));
    mesh.position[1][2] = 1;
    for (int i = 0; i < 3; i++) {
        const float x = cosf(2.0944f * (float)i), y = sinf(2.0944f * (float)i);
        for (int k = 0; k < 2; k++)
            mesh.position[2 + 2 * i + k][0] = x, mesh.position[2 + 2 * i + k][1] = y,
                                      mesh.position[2 + 2 * i + k][2] = (float)k;
        const int two[2][3] = {{0, 2 + 2 * i, 3 + 2 * i}, {0, 3 + 2 * i, 1}};
        memcpy(mesh.triangle[2 * i], two, sizeof two);
    }
    const sn_resample_options options = sn_resample_options_default(0.2);
    REQUIRE(sn_resample(&mesh, &options, &out, &error));
    CHECK(out.triangle_count > 12);
    int places[2] = {0};
    for (int v = 0; v < out.vertex_count; v++) // the two ends of the common edge are there, once
        for (int end = 0; end < 2; end++)
            places[end] += out.position[v][0] == 0 && out.position[v][1] == 0 && out.position[v][2] == (float)end;
    CHECK_INT(places[0], 1);
    CHECK_INT(places[1], 1);
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}

TEST(impossible_lengths_are_refused) {
    sn_mesh mesh = box(), out;
    sn_resample_options options = sn_resample_options_default(1e-6);
    CHECK(!sn_resample(&mesh, &options, &out, &error) && strstr(error.text, "triangles, more than 20000000"));
    CHECK(out.position == NULL);
    options.edge = 0;
    CHECK(!sn_resample(&mesh, &options, &out, &error) && strstr(error.text, "greater than 0"));
    options.edge = NAN;
    CHECK(!sn_resample(&mesh, &options, &out, &error));
    options = sn_resample_options_default(100); // as coarse as it can be
    REQUIRE(sn_resample(&mesh, &options, &out, &error));
    CHECK_INT(mesh_check(&out).euler, 2);
    sn_mesh_free(&out), sn_mesh_free(&mesh);
}

// Every half-edge's twin comes back, and every vertex finds all its triangles.
static void check_edges(const half_edge_mesh *mesh) {
    int corners = 0, around = 0, bad = 0;
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        if (mesh->triangle[h / 3][0] < 0) continue;
        const int o = mesh->twin[h];
        corners++;
        if (o >= 0)
            bad += mesh->twin[o] != h || half_edge_start(mesh, o) != half_edge_end(mesh, h) ||
                   half_edge_end(mesh, o) != half_edge_start(mesh, h) || mesh->crease[o] != mesh->crease[h];
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (mesh->first[v] < 0) continue;
        bad += half_edge_start(mesh, mesh->first[v]) != v;
        around += half_edge_valence(mesh, v);
    }
    CHECK_INT(bad, 0);
    CHECK_INT(around, corners);
    CHECK_INT(corners, 3 * mesh->remaining_count);
}

TEST(edges_are_split_collapsed_and_flipped_soundly) {
    sn_mesh whole, mesh;
    REQUIRE(zoo_surface(ZOO_TORUS, 600, &whole));
    for (int open = 0; open < 2; open++) {
        half_edge_mesh edges;
        mesh = whole;
        if (open) mesh.triangle_count -= 40; // with rims
        REQUIRE(half_edge_mesh_build(&mesh, &edges));
        check_edges(&edges);
        unsigned random = 1;
        for (int i = 0; i < 2000; i++) {
            random = random * 1664525u + 1013904223u;
            const int h = (int)(random >> 8) % (3 * edges.triangle_count);
            if (edges.triangle[h / 3][0] < 0) continue;
            if (i % 3 == 0) CHECK(half_edge_split(&edges, h) >= 0);
            if (i % 3 == 1 && half_edge_can_collapse(&edges, h)) half_edge_collapse(&edges, h);
            if (i % 3 == 2 && half_edge_can_flip(&edges, h)) half_edge_flip(&edges, h);
            if (i % 50 == 0) check_edges(&edges);
        }
        check_edges(&edges);
        sn_mesh out;
        REQUIRE(half_edge_mesh_write(&edges, &out));
        CHECK_INT(out.triangle_count, edges.remaining_count);
        const mesh_facts facts = mesh_check(&out);
        CHECK_INT(facts.pinched, 0);
        if (!open) CHECK_INT(facts.open, 0);
        if (!open) CHECK_INT(facts.euler, 0);
        sn_mesh_free(&out);
        half_edge_mesh_free(&edges);
    }
    sn_mesh_free(&whole);
}
