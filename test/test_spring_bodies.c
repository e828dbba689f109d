// What mass-spring bodies are made of: chains, cloth, surfaces with shells, solids; volumes, embedded surfaces,
// constraints.
// compilers: all
#include "kinds/spring/spring_constraints.h"
#include "kinds/spring/spring_faces.h"
#include "kinds/spring/spring_implicit.h"
#include "kinds/spring/spring_integrators.h"
#include "kinds/spring/spring_topology.h"
#include "kinds/spring/spring_volume.h"
#include "kinds/spring/tet_collision.h"
#include "kinds/spring/tet_embedding.h"
#include "scarce_memory.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define WIDE (sizeof(sn_real) == 8)

static sn_memory memory;
static sn_spring_net net;

static void begin(void) {
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_spring_net_init(&net, &memory.hook);
}

static sn_spring_body *make(sn_real bulk) {
    sn_spring_def def = sn_spring_net_def(&net);
    def.bulk = bulk;
    const char *what = "";
    int which = 0;
    sn_spring_body *body = NULL;
    if (!CHECK_INT(sn_spring_body_create(&memory, &def, &body, &what, &which), SN_OK)) CHECK_STRING(what, "");
    return body;
}

static void end(sn_spring_body *body) {
    sn_spring_body_destroy(body);
    sn_spring_net_free(&net);
    CHECK_INT(memory.used_bytes, 0);
}

static double mass_of_net(void) {
    double sum = 0;
    for (int i = 0; i < net.count; i++) sum += (double)net.masses[i];
    return sum;
}

TEST(chain_hangs_by_its_weight) {
    begin();
    CHECK_INT(sn_spring_net_chain(&net, &(sn_spring_chain){(sn_vec3){0, 0, 0}, (sn_vec3){0, -2, 0}, 5, 4, {1000, 5}}),
              0);
    CHECK_INT(net.spring_count, 4);
    CHECK_NEAR(mass_of_net(), 4, 1e-6);
    net.masses[0] = 0;
    sn_spring_body *body = make(0);
    body->gravity.y = -10;
    body->drag = 2;
    const sn_spring_solver solver = {.tolerance = (sn_real)1e-5, .iterations = 100};
    for (int i = 0; i < 300; i++) sn_spring_implicit_step(body, (sn_real)0.05, &solver, NULL);
    // Springs carry 3.5, 2.5, 1.5 and 0.5 kg.
    for (int i = 0; i < 4; i++) {
        const double length = (double)(sn_spring_point(body, i).y - sn_spring_point(body, i + 1).y);
        CHECK_NEAR(length, 0.5 + (3.5 - i) * 10 / 1000, 1e-4);
    }
    end(body);
}

TEST(cloth_has_its_springs_and_mass) {
    begin();
    const sn_spring_cloth plan = {.across = {2, 0, 0},
                                  .down = {0, 0, 1},
                                  .columns = 100,
                                  .rows = 100,
                                  .mass = 3,
                                  .structural = {1, 0},
                                  .shear = {1, 0},
                                  .bend = {1, 0}};
    CHECK_INT(sn_spring_net_cloth(&net, &plan), 0);
    CHECK_INT(net.count, 10000);
    CHECK_INT(net.spring_count, 2 * 99 * 100 + 2 * 99 * 99 + 2 * 98 * 100);
    CHECK_NEAR(mass_of_net(), 3, 1e-4);
    CHECK_NEAR(net.masses[0] * 4, net.masses[5050], 1e-9);
    CHECK_NEAR(net.springs[0].rest, 2.0 / 99, 1e-6);
    // Rows of 16 points waste little.
    sn_spring_body *body = make(0);
    CHECK(body->rows.first[body->rows.group_count] * SN_SPRING_ROW < 2 * net.spring_count * 102 / 100);
    end(body);
}

// --- an octahedron, refined: a sphere ---

enum { SPHERE_POINTS = 66, SPHERE_TRIANGLES = 128 };
static sn_vec3 sphere[SPHERE_POINTS];
static int sphere_triangles[SPHERE_TRIANGLES][3];

static int middle_of(int a, int b, int *count) {
    const sn_vec3 m = sn_normalize(sn_add(sphere[a], sphere[b]), (sn_vec3){0, 0, 1});
    for (int i = 0; i < *count; i++)
        if (sn_length2(sn_sub(sphere[i], m)) < (sn_real)1e-6) return i;
    sphere[*count] = m;
    return (*count)++;
}

static void make_sphere(void) {
    static const int octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    static int finer[SPHERE_TRIANGLES][3];
    const sn_vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int points = 6, triangles = 8;
    memcpy(sphere, axes, sizeof axes);
    memcpy(sphere_triangles, octahedron, sizeof octahedron);
    for (int round = 0; round < 2; round++) {
        for (int t = 0; t < triangles; t++) {
            const int *c = sphere_triangles[t];
            const int m[3] = {middle_of(c[0], c[1], &points), middle_of(c[1], c[2], &points),
                              middle_of(c[2], c[0], &points)};
            const int four[4][3] = {{c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
            memcpy(finer[4 * t], four, sizeof four);
        }
        triangles *= 4;
        memcpy(sphere_triangles, finer, sizeof finer);
    }
    CHECK_INT(points, SPHERE_POINTS);
    CHECK_INT(triangles, SPHERE_TRIANGLES);
}

static sn_spring_surface sphere_surface(int shells) {
    return (sn_spring_surface){.points = sphere,
                               .count = SPHERE_POINTS,
                               .triangles = &sphere_triangles[0][0],
                               .triangle_count = SPHERE_TRIANGLES,
                               .density = 1,
                               .edge = {200, 1},
                               .shells = shells,
                               .spacing = (sn_real)-0.25,
                               .straight = {200, 1},
                               .diagonal = {200, 1}};
}

TEST(surface_has_edges_bends_and_shells) {
    make_sphere();
    const int edges = SPHERE_TRIANGLES * 3 / 2;
    double area = 0;
    for (int t = 0; t < SPHERE_TRIANGLES; t++) {
        const int *c = sphere_triangles[t];
        area +=
            0.5 * (double)sn_length(sn_cross(sn_sub(sphere[c[1]], sphere[c[0]]), sn_sub(sphere[c[2]], sphere[c[0]])));
    }
    for (int shells = 0; shells < 3; shells++) {
        begin();
        sn_spring_surface surface = sphere_surface(shells);
        CHECK_INT(sn_spring_net_surface(&net, &surface), 0);
        CHECK_INT(net.count, (shells + 1) * SPHERE_POINTS);
        CHECK_INT(net.spring_count, (shells + 1) * edges + shells * (SPHERE_POINTS + 2 * edges));
        CHECK_NEAR(mass_of_net(), area, 1e-4);
        if (shells) CHECK_NEAR(sn_length(net.points[SPHERE_POINTS]), 0.75, 1e-4);
        end(NULL);
    }
    begin();
    sn_spring_surface surface = sphere_surface(0);
    surface.bend = (sn_spring_params){1, 0};
    CHECK_INT(sn_spring_net_surface(&net, &surface), 0);
    CHECK_INT(net.spring_count,
              2 * edges); // one over each edge, for a sphere like this has no two that are joined already
    end(NULL);
    // In a tetrahedron all are.
    begin();
    const sn_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    surface = (sn_spring_surface){.points = corners,
                                  .count = 4,
                                  .triangles = &faces[0][0],
                                  .triangle_count = 4,
                                  .density = 1,
                                  .edge = {1, 0},
                                  .bend = {1, 0}};
    CHECK_INT(sn_spring_net_surface(&net, &surface), 0);
    CHECK_INT(net.spring_count, 6);
    end(NULL);
}

// How high the sphere still is after lying on the ground for a while.
static double height_on_ground(int shells) {
    begin();
    make_sphere();
    const sn_spring_surface surface = sphere_surface(shells);
    CHECK_INT(sn_spring_net_surface(&net, &surface), 0);
    sn_spring_body *body = make(0);
    body->gravity.z = -10;
    body->drag = 3;
    const sn_plane_obstacle ground = {{0, 0, 1}, -1};
    const sn_constraints keep = {.planes = &ground, .plane_count = 1, .rounds = 1};
    const sn_spring_solver solver = sn_spring_solver_default();
    for (int i = 0; i < 200; i++) {
        sn_spring_implicit_step(body, (sn_real)0.02, &solver, NULL);
        sn_spring_constrain(body, &keep, (sn_real)0.02);
    }
    double high = -1;
    for (int i = 0; i < SPHERE_POINTS; i++) high = fmax(high, (double)sn_spring_point(body, i).z);
    CHECK(sn_spring_is_finite(body));
    end(body);
    return high + 1;
}

TEST(shells_keep_the_shape_of_a_surface) {
    const double none = height_on_ground(0), one = height_on_ground(1), two = height_on_ground(2);
    CHECK(none < 1.2); // of 2: the surface alone caves in
    CHECK(one > 1.6);
    CHECK(two > one);
}

// --- solids ---

// A cube of side 1 at the origin, cut into six tetrahedra.
static const sn_vec3 cube[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int cube_tets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

static void cube_quads(sn_real x[32], sn_vec3 (*map)(sn_vec3)) {
    memset(x, 0, 32 * sizeof *x);
    for (int i = 0; i < 8; i++) sn_spring_set_quad(x, i, map ? map(cube[i]) : cube[i]);
}

static sn_vec3 shear_and_turn(sn_vec3 p) {
    return (sn_vec3){(sn_real)1.5 * p.x + (sn_real)0.3 * p.y + 2, -p.z + (sn_real)0.2 * p.x, (sn_real)0.7 * p.y};
}

TEST(volumes_sum_exactly_and_do_not_rotate) {
    double sum = 0;
    for (int t = 0; t < 6; t++) {
        sn_vec3 corner[4], turned[4], slope[4];
        for (int k = 0; k < 4; k++) corner[k] = cube[cube_tets[t][k]];
        const double volume = (double)sn_spring_tet_volume(corner);
        sum += volume;
        CHECK_NEAR(volume, 1.0 / 6, 1e-7);
        const sn_quat turn = sn_q_normalize((sn_quat){1, 2, (sn_real)-0.5, 3});
        for (int k = 0; k < 4; k++) turned[k] = sn_add(sn_q_rotate(turn, corner[k]), (sn_vec3){3, -4, 5});
        CHECK_NEAR(sn_spring_tet_volume(turned), volume, WIDE ? 1e-14 : 1e-6);
        // The slopes are the derivatives.
        sn_spring_tet_slopes(turned, slope);
        for (int k = 0; k < 4; k++) {
            sn_vec3 moved[4];
            memcpy(moved, turned, sizeof moved);
            moved[k].y += (sn_real)0.25; // the volume is linear in each corner
            CHECK_NEAR(sn_spring_tet_volume(moved) - sn_spring_tet_volume(turned), slope[k].y * (sn_real)0.25,
                       WIDE ? 1e-13 : 2e-6);
        }
    }
    CHECK_NEAR(sum, 1, WIDE ? 1e-15 : 1e-6);
}

TEST(solid_has_its_edges_and_mass) {
    begin();
    const sn_spring_solid solid = {.points = cube,
                                   .count = 8,
                                   .tets = &cube_tets[0][0],
                                   .tet_count = 6,
                                   .density = 1000,
                                   .edge = {1, 0},
                                   .volumes = true};
    CHECK_INT(sn_spring_net_solid(&net, &solid), 0);
    CHECK_INT(sn_spring_net_solid(&net, &solid), 8); // a second part
    CHECK_INT(net.spring_count, 2 * (12 + 6 + 1));
    CHECK_NEAR(mass_of_net(), 2000, 1e-2);
    sn_spring_body *body = make(1);
    CHECK_NEAR(sn_spring_volume(body), 2, 1e-5);
    CHECK_NEAR(sn_spring_rest_volume(body), 2, 1e-5);
    CHECK_INT(body->volumes.corner[6][0], 8);
    end(body);
    int faces = 0;
    sn_tet_face *boundary = sn_tet_faces(&memory, 8, cube_tets, 6, &faces);
    REQUIRE(boundary != NULL);
    CHECK_INT(faces, 12);
    for (int f = 0; f < faces; f++) { // outward: away from the middle
        const sn_vec3 a = cube[boundary[f].corner[0]], b = cube[boundary[f].corner[1]], c = cube[boundary[f].corner[2]];
        const sn_vec3 half = {(sn_real)0.5, (sn_real)0.5, (sn_real)0.5};
        CHECK(sn_dot(sn_cross(sn_sub(b, a), sn_sub(c, a)), sn_sub(a, half)) > 0);
    }
    sn_free(&memory, boundary, 4 * 6, sizeof *boundary);
}

// The volume left of a cube that is pressed flat by a weight on its top.
static double volume_under_weight(sn_real bulk, bool constrained, int explicit_steps) {
    begin();
    const sn_spring_solid solid = {.points = cube,
                                   .count = 8,
                                   .tets = &cube_tets[0][0],
                                   .tet_count = 6,
                                   .density = 8,
                                   .edge = {40, 2},
                                   .volumes = true};
    CHECK_INT(sn_spring_net_solid(&net, &solid), 0);
    sn_spring_body *body = make(bulk);
    for (int i = 0; i < 8; i++) body->load[4 * i + 2] = i < 4 ? 10 : -10;
    body->drag = 2;
    const sn_constraints keep = {.volumes = true, .rounds = 20};
    const sn_spring_solver solver = {.tolerance = (sn_real)1e-4, .iterations = 100};
    for (int i = 0; i < 400 * (explicit_steps ? explicit_steps : 1); i++) {
        const sn_real h = (sn_real)0.02 / (sn_real)(explicit_steps ? explicit_steps : 1);
        if (explicit_steps)
            sn_spring_step(body, SN_SPRING_VERLET, h, NULL);
        else
            sn_spring_implicit_step(body, h, &solver, NULL);
        if (constrained) sn_spring_constrain(body, &keep, h);
    }
    const double volume = sn_spring_volume(body);
    end(body);
    return volume;
}

TEST(volume_springs_and_constraints_keep_volume) {
    const double soft = volume_under_weight(0, false, 0), stiff = volume_under_weight(4000, false, 0);
    CHECK(soft < 0.93);
    CHECK(fabs(stiff - 1) < 0.02);
    CHECK_NEAR(volume_under_weight(4000, false, 10), stiff, 2e-3); // explicit comes to the same rest
    CHECK_NEAR(volume_under_weight(0, true, 2), 1, 1e-3);
}

TEST(embedded_points_follow_their_tetrahedra) {
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_real x[32];
    cube_quads(x, NULL);
    enum { COUNT = 200 };
    static sn_vec3 points[COUNT], moved[COUNT];
    static sn_spring_place places[COUNT];
    uint32_t seed = 5;
    int expected = 0;
    for (int i = 0; i < COUNT; i++) {
        sn_real p[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            p[k] = (sn_real)((double)(seed >> 8) / 16777216.0 * 1.4 - 0.2);
        }
        points[i] = (sn_vec3){p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++)
            if (p[k] < 0 || p[k] > 1) {
                expected++;
                break;
            }
    }
    int outside = 0;
    REQUIRE(sn_spring_embed(&memory, x, 8, cube_tets, 6, points, COUNT, places, &outside) == SN_OK);
    CHECK_INT(outside, expected);
    CHECK_INT(memory.used_bytes, 0);
    for (int i = 0; i < COUNT; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += (double)places[i].weight[k];
        CHECK_NEAR(sum, 1, 1e-5);
    }
    // What is linear in the tetrahedra is linear for the points, inside and out.
    cube_quads(x, shear_and_turn);
    sn_spring_embed_move(x, places, COUNT, moved, NULL);
    for (int i = 0; i < COUNT; i++)
        CHECK(sn_length(sn_sub(moved[i], shear_and_turn(points[i]))) < (WIDE ? (sn_real)1e-13 : (sn_real)2e-5));
    CHECK_INT(sn_spring_embed(&memory, x, 8, NULL, 0, points, COUNT, places, &outside), SN_ERR_RANGE);
}

// --- constraints ---

TEST(distance_constraint_makes_a_pendulum) {
    // Let go at 90 degrees: a quarter of the period, 1.18034 times that of small swings, takes it to the bottom.
    begin();
    CHECK_INT(sn_spring_net_chain(&net, &(sn_spring_chain){(sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0}, 2, 2, {0, 0}}), 0);
    CHECK_INT(net.spring_count, 0);
    net.masses[0] = 0;
    sn_spring_body *body = make(0);
    body->gravity.y = -10;
    const sn_spring_distance rod = {0, 1, 1, false};
    const sn_constraints keep = {.distances = &rod, .distance_count = 1, .rounds = 1};
    const int steps = 1000;
    const double h = 1.18034 * 0.5 * 3.14159265358979 * sqrt(0.1) / steps;
    for (int i = 0; i < steps; i++) {
        sn_spring_step(body, SN_SPRING_VERLET, (sn_real)h, NULL);
        sn_spring_constrain(body, &keep, (sn_real)h);
        CHECK_NEAR(sn_length(sn_spring_point(body, 1)), 1, 1e-6);
    }
    CHECK_NEAR(sn_spring_point(body, 1).x, 0, 0.01);
    CHECK_NEAR(sn_spring_velocity(body, 1).x, -sqrt(20), 0.03);
    CHECK_NEAR(sn_length(sn_spring_point(body, 0)), 0, 0);
    end(body);
}

TEST(distance_constraints_in_a_row_are_satisfied_in_order) {
    begin();
    CHECK_INT(sn_spring_net_chain(&net, &(sn_spring_chain){(sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0}, 6, 1, {0, 0}}), 0);
    net.masses[0] = 0;
    sn_spring_body *body = make(0);
    body->gravity.y = -10;
    sn_spring_distance links[5];
    for (int i = 0; i < 5; i++) links[i] = (sn_spring_distance){i, i + 1, (sn_real)0.2, false};
    for (int more = 0; more < 2; more++) {
        const sn_constraints keep = {.distances = links, .distance_count = 5, .rounds = more ? 100 : 2};
        double worst = 0;
        for (int i = 0; i < 200; i++) {
            sn_spring_step(body, SN_SPRING_VERLET, (sn_real)0.004, NULL);
            sn_spring_constrain(body, &keep, (sn_real)0.004);
            for (int k = 0; k < 5; k++) {
                const sn_vec3 d = sn_sub(sn_spring_point(body, k + 1), sn_spring_point(body, k));
                worst = fmax(worst, fabs((double)sn_length(d) / 0.2 - 1));
            }
        }
        CHECK(more ? worst < 1e-4 : worst > 1e-3);
    }
    end(body);
}

TEST(max_distances_and_strain_limits_only_hold_back) {
    begin();
    CHECK_INT(sn_spring_net_chain(&net, &(sn_spring_chain){(sn_vec3){0, 0, 0}, (sn_vec3){0, -1, 0}, 2, 2, {5, 0}}), 0);
    net.masses[0] = 0;
    sn_spring_body *body = make(0);
    body->gravity.y = -10; // alone it would sag by 2
    const sn_constraints limit = {.strain = (sn_real)0.1, .rounds = 3};
    double longest = 0;
    for (int i = 0; i < 300; i++) {
        sn_spring_step(body, SN_SPRING_VERLET_CORRECTED, (sn_real)(i % 2 ? 0.004 : 0.008), NULL);
        sn_spring_constrain(body, &limit, (sn_real)(i % 2 ? 0.004 : 0.008));
        longest = fmax(longest, -(double)sn_spring_point(body, 1).y);
    }
    CHECK_NEAR(longest, 1.1, 1e-5);
    // A leash of 2 leaves a point at a distance of 1 alone.
    sn_spring_put(body, 1, (sn_vec3){0, -1, 0}, (sn_vec3){0, 0, 0});
    const sn_spring_distance leash = {0, 1, 2, true};
    const sn_constraints keep = {.distances = &leash, .distance_count = 1, .rounds = 1};
    CHECK_NEAR(sn_spring_constrain(body, &keep, 1), 0, 0);
    CHECK_NEAR(sn_spring_point(body, 1).y, -1, 0);
    end(body);
}

TEST(obstacles_are_not_entered) {
    begin();
    const sn_spring_cloth plan = {.corner = {(sn_real)-0.5, (sn_real)0.6, (sn_real)-0.5},
                                  .across = {1, 0, 0},
                                  .down = {0, 0, 1},
                                  .columns = 12,
                                  .rows = 12,
                                  .mass = (sn_real)0.2,
                                  .structural = {50, (sn_real)0.05},
                                  .shear = {50, (sn_real)0.05}};
    CHECK_INT(sn_spring_net_cloth(&net, &plan), 0);
    sn_spring_body *body = make(0);
    body->gravity.y = -10;
    body->drag = 1;
    const sn_plane_obstacle ground = {{0, 1, 0}, (sn_real)-0.2};
    const sn_sphere_obstacle balls[2] = {{{0, 0, 0}, (sn_real)0.4, false}, {{0, 0, 0}, (sn_real)0.9, true}};
    const sn_constraints keep = {
        .planes = &ground, .plane_count = 1, .spheres = balls, .sphere_count = 2, .margin = (sn_real)0.01, .rounds = 2};
    const sn_spring_solver solver = sn_spring_solver_default();
    for (int i = 0; i < 120; i++) {
        sn_spring_implicit_step(body, (sn_real)(1.0 / 60), &solver, NULL);
        sn_spring_constrain(body, &keep, (sn_real)(1.0 / 60));
        for (int p = 0; p < body->count; p++) {
            const sn_vec3 x = sn_spring_point(body, p);
            REQUIRE(sn_length(x) > (sn_real)0.4 && sn_length(x) < (sn_real)0.9);
        }
    }
    double touching = 0;
    for (int p = 0; p < body->count; p++) touching += sn_length(sn_spring_point(body, p)) < (sn_real)0.42;
    CHECK(touching > 20); // lies over the ball
    end(body);
}

// --- memory ---

static int blocks_left;

// Everything that takes memory, with so many blocks to be had. True: that was enough.
static bool build_with(int blocks) {
    blocks_left = blocks;
    sn_memory_init(&memory, &SCARCE(&blocks_left));
    sn_spring_net_init(&net, &memory.hook);
    const sn_spring_solid solid = {.points = cube,
                                   .count = 8,
                                   .tets = &cube_tets[0][0],
                                   .tet_count = 6,
                                   .density = 8,
                                   .edge = {40, 2},
                                   .volumes = true};
    const sn_spring_surface surface = sphere_surface(1);
    sn_spring_body *body = NULL;
    sn_tet_collider *shape = NULL;
    sn_tet_contacts meet;
    sn_tet_contacts_init(&meet, &memory);
    bool good = sn_spring_net_solid(&net, &solid) == 0 && sn_spring_net_surface(&net, &surface) == 8;
    if (good) {
        const sn_spring_def def = sn_spring_net_def(&net);
        const sn_status status = sn_spring_body_create(&memory, &def, &body, NULL, NULL);
        good = status == SN_OK;
        CHECK(good ? body != NULL : status == SN_ERR_MEMORY && body == NULL);
    }
    if (good) {
        sn_spring_place place;
        int outside = 0;
        const sn_vec3 point = {(sn_real)0.5, (sn_real)0.4, (sn_real)0.3};
        const sn_status status = sn_spring_embed(&memory, body->x, 8, cube_tets, 6, &point, 1, &place, &outside);
        CHECK(status == SN_OK || status == SN_ERR_MEMORY);
        good = status == SN_OK && sn_tet_collider_create(&memory, 8, cube_tets, 6, &shape) == SN_OK;
    }
    if (good) good = sn_tet_contacts_pairs(&meet, shape, body->x, shape, body->x) == SN_OK;
    if (good) good = sn_tet_contacts_find(&meet, shape, body->x, shape, body->x, SN_TET_CONSISTENT) == SN_OK;
    sn_tet_contacts_free(&meet);
    sn_tet_collider_destroy(shape);
    end(body);
    return good;
}

TEST(running_out_of_memory_leaves_nothing_behind) {
    make_sphere();
    int blocks = 0;
    while (blocks < 1000 && !build_with(blocks)) blocks++;
    CHECK(blocks > 50 && blocks < 1000);
}
