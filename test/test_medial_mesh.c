// links: tools
// Distances to cones and slabs, compared with spheres sampled all over them; and the tree, compared with every primitive.
#include "medial/medial_mesh.h"
#include "medial/medial_surface.h"
#include "mesh_check.h"
#include "scene/random.h"
#include "test.h"
#include <math.h>

static sn_medial_mesh mesh;

static void random_mesh(random_stream *stream, int spheres, int cones, int slabs, double spread) {
    if (!CHECK(sn_medial_mesh_alloc(&mesh, spheres, cones, slabs))) return;
    for (int i = 0; i < spheres; i++) {
        for (int k = 0; k < 3; k++) mesh.centre[i][k] = spread * random_unit(stream);
        mesh.radius[i] = 0.3 * random_unit(stream);
    }
    for (int e = 0; e < cones; e++) {
        mesh.cone[e][0] = (int)(random_unit(stream) * (spheres - 1));
        mesh.cone[e][1] = mesh.cone[e][0] + 1;
    }
    for (int f = 0; f < slabs; f++) {
        const int a = (int)(random_unit(stream) * (spheres - 2));
        mesh.slab[f][0] = a, mesh.slab[f][1] = a + 1, mesh.slab[f][2] = a + 2;
    }
}

static void random_point(random_stream *stream, double spread, double p[3]) {
    for (int k = 0; k < 3; k++) p[k] = spread * (2 * random_unit(stream) - 0.5);
}

// |p - c| - r of the sphere with these weights.
static double at_weights(const double w[3], const double p[3]) {
    double d2 = 0, r = 0;
    for (int i = 0; i < 3; i++) r += w[i] * mesh.radius[i];
    for (int k = 0; k < 3; k++) {
        double d = p[k];
        for (int i = 0; i < 3; i++) d -= w[i] * mesh.centre[i][k];
        d2 += d * d;
    }
    return sqrt(d2) - r;
}

TEST(the_distance_is_the_minimum_over_all_spheres) {
    random_stream stream = random_start(5, 1);
    for (int n = 0; n < 600; n++) {
        random_mesh(&stream, 3, 0, 0, n % 4 == 0 ? 0.2 : 1); // near ones swallow each other
        double p[3], weight[3], t, best_cone = INFINITY, best_slab = INFINITY;
        random_point(&stream, 1, p);
        enum { STEPS = 60 };
        for (int i = 0; i <= STEPS; i++) {
            const double u = (double)i / STEPS;
            best_cone = fmin(best_cone, at_weights((const double[3]){1 - u, u, 0}, p));
            for (int j = 0; j <= STEPS - i; j++) {
                const double v = (double)j / STEPS;
                best_slab = fmin(best_slab, at_weights((const double[3]){1 - u - v, u, v}, p));
            }
        }
        const double cone = sn_medial_cone_distance(&mesh, 0, 1, p, &t);
        CHECK(cone <= best_cone + 1e-12 && cone > best_cone - 0.02);
        CHECK_NEAR(cone, at_weights((const double[3]){1 - t, t, 0}, p), 1e-12);
        const double slab = sn_medial_slab_distance(&mesh, (const int[3]){0, 1, 2}, p, weight);
        CHECK(slab <= best_slab + 1e-12 && slab > best_slab - 0.03);
        CHECK_NEAR(slab, at_weights(weight, p), 1e-12);
        CHECK_NEAR(weight[0] + weight[1] + weight[2], 1, 1e-12);
        CHECK(weight[0] >= -1e-12 && weight[1] >= 0 && weight[2] >= 0);
        sn_medial_mesh_free(&mesh);
    }
}

TEST(tangent_planes_touch_all_three_spheres) {
    random_stream stream = random_start(6, 1);
    int have = 0;
    for (int n = 0; n < 300; n++) {
        random_mesh(&stream, 3, 0, 0, 1);
        double normal[2][3];
        if (sn_medial_slab_normals(&mesh, (const int[3]){0, 1, 2}, normal)) {
            have++;
            for (int side = 0; side < 2; side++) {
                double height[3];
                for (int i = 0; i < 3; i++)
                    height[i] = normal[side][0] * mesh.centre[i][0] + normal[side][1] * mesh.centre[i][1] +
                                normal[side][2] * mesh.centre[i][2] + mesh.radius[i];
                CHECK_NEAR(height[1], height[0], 1e-9);
                CHECK_NEAR(height[2], height[0], 1e-9);
                CHECK_NEAR(hypot(hypot(normal[side][0], normal[side][1]), normal[side][2]), 1, 1e-9);
            }
        }
        sn_medial_mesh_free(&mesh);
    }
    CHECK(have > 200);
}

TEST(the_tree_finds_what_a_search_of_all_finds) {
    random_stream stream = random_start(7, 1);
    random_mesh(&stream, 80, 60, 40, 4);
    sn_medial_field *field = sn_medial_field_make(&mesh);
    REQUIRE(field);
    sn_medial_hit again = {0};
    for (int n = 0; n < 1000; n++) {
        double p[3], best = INFINITY, w[3];
        random_point(&stream, 4, p);
        for (int i = 0; i < mesh.sphere_count; i++) best = fmin(best, sn_medial_sphere_distance(&mesh, i, p));
        for (int e = 0; e < mesh.cone_count; e++)
            best = fmin(best, sn_medial_cone_distance(&mesh, mesh.cone[e][0], mesh.cone[e][1], p, NULL));
        for (int f = 0; f < mesh.slab_count; f++) best = fmin(best, sn_medial_slab_distance(&mesh, mesh.slab[f], p, w));
        sn_medial_hit hit;
        CHECK_NEAR(sn_medial_field_evaluate(field, p, &hit), best, 1e-12);
        CHECK_NEAR(hit.distance, best, 1e-12);
        CHECK_NEAR(hit.weight[0] + hit.weight[1] + hit.weight[2], 1, 1e-12);
        CHECK_NEAR(sn_medial_field_reevaluate(field, p, &again), best, 1e-12);
        CHECK_INT(sn_medial_field_contains(field, p, 0.05), best < -0.05);
    }
    sn_medial_field_free(field);
    sn_medial_mesh_free(&mesh);
}

TEST(pieces_are_counted) {
    REQUIRE(sn_medial_mesh_alloc(&mesh, 6, 3, 0));
    const int cone[3][2] = {{0, 3}, {1, 4}, {3, 4}};
    int part[6];
    memcpy(mesh.cone, cone, sizeof cone);
    CHECK_INT(sn_medial_mesh_components(&mesh, part), 3);
    CHECK(part[0] == 0 && part[1] == 0 && part[2] == 1 && part[3] == 0 && part[4] == 0 && part[5] == 2);
    sn_medial_mesh_free(&mesh);
}

// Triangles for looking at lie on the primitives, and face outward.
TEST(samples_lie_on_the_primitives) {
    random_stream stream = random_start(9, 1);
    random_mesh(&stream, 3, 2, 1, 2);
    for (int e = 0; e < 2; e++) mesh.cone[e][0] = e, mesh.cone[e][1] = e + 1;
    sn_mesh shape;
    REQUIRE(medial_surface_spheres(&mesh, &shape));
    mesh_facts facts = mesh_check(&shape);
    CHECK_INT(facts.open, 0);
    CHECK_INT(facts.euler, 6); // three closed spheres
    CHECK(facts.smallest > 0.9);
    sn_mesh_free(&shape);
    REQUIRE(medial_surface_cones(&mesh, &shape));
    for (int v = 0; v < shape.vertex_count; v++) {
        const double p[3] = {(double)shape.position[v][0], (double)shape.position[v][1], (double)shape.position[v][2]};
        const int e = v < shape.vertex_count / 2 ? 0 : 1;
        CHECK_NEAR(sn_medial_cone_distance(&mesh, e, e + 1, p, NULL), 0, 1e-5);
    }
    facts = mesh_check(&shape);
    CHECK(facts.smallest > 0.9);
    sn_mesh_free(&shape);
    REQUIRE(medial_surface_slabs(&mesh, &shape));
    CHECK_INT(shape.triangle_count, 2);
    for (int v = 0; v < shape.vertex_count; v++) {
        double w[3];
        const double p[3] = {(double)shape.position[v][0], (double)shape.position[v][1], (double)shape.position[v][2]};
        CHECK_NEAR(sn_medial_slab_distance(&mesh, mesh.slab[0], p, w), 0, 1e-5);
    }
    facts = mesh_check(&shape);
    CHECK(facts.smallest > 0.99);
    sn_mesh_free(&shape);
    sn_medial_mesh_free(&mesh);
}
