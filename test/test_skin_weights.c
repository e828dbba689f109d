// links: tools
// Weights from distances: they sum to 1, are local, smooth, independent of the mesh resolution, and robust to bad
// meshes; and skins with them keep their volume.
#include "bake/skin_weights.h"
#include "mesh_check.h"
#include "sinew/sinew.h"
#include "test.h"
#include "zoo/octopus.h"
#include "zoo/tube.h"
#include <stdio.h>

enum { OCTOPUS = 38, MAX_POINTS = 1001 };

typedef struct {
    double points[MAX_POINTS][3], radii[MAX_POINTS];
    int parents[MAX_POINTS], count;
} rods;

static sn_weight_rods weight_rods(const rods *r) {
    return (sn_weight_rods){(const double(*)[3])r->points, r->radii, r->parents, r->count};
}

static bool weigh(sn_mesh *mesh, const rods *r) {
    tool_error error = {0};
    sn_weight_rods given = weight_rods(r);
    const bool good = sn_skin_weights(mesh, &given, NULL, &error);
    if (!good) printf("%s\n", error.text);
    return good;
}

static rods octopus_rods(void) {
    rods r = {.count = OCTOPUS};
    zoo_octopus octopus = zoo_octopus_default();
    zoo_octopus_fill(&octopus, r.points, r.radii, r.parents);
    return r;
}

static rods tube_rods(const zoo_tube *tube) {
    rods r = {.count = zoo_tube_points(tube)};
    zoo_tube_fill(tube, r.points, r.radii);
    for (int i = 0; i < r.count; i++) r.parents[i] = i ? i - 1 : tube->kind == ZOO_BAND ? r.count - 1 : -1;
    return r;
}

static void check_sums(const sn_mesh *mesh, int points) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            const float w = mesh->weight[v][k];
            sum += (double)w;
            if (!(w >= 0 && w <= 1) || mesh->joint[v][k] < 0 || mesh->joint[v][k] >= points)
                CHECK(!"weights are from 0 to 1, joints are points");
            if (k && w > mesh->weight[v][k - 1]) CHECK(!"the heaviest come first");
            if (w > 0 && w < 0.0099f * mesh->weight[v][0]) CHECK(!"what hardly counts is dropped");
        }
        if (fabs(sum - 1) > 1e-6) CHECK_NEAR(sum, 1, 1e-6);
    }
}

// 0: the head, 1 to 8: an arm.
static int limb(int point) {
    return point < 6 ? 0 : (point - 6) / 4 + 1;
}

TEST(an_octopuss_arms_hang_on_themselves) {
    zoo_octopus octopus = zoo_octopus_default();
    rods r = octopus_rods();
    sn_mesh mesh;
    REQUIRE(zoo_octopus_skin(&octopus, &mesh));
    REQUIRE(weigh(&mesh, &r));
    check_sums(&mesh, OCTOPUS);
    int arm_vertices = 0, strangers = 0, on_head = 0;
    for (int v = 0; v < mesh.vertex_count; v++) {
        const double x = (double)mesh.position[v][0], y = (double)mesh.position[v][1], z = (double)mesh.position[v][2];
        if (hypot(x, z) < 1.02 || y > 0.5) continue; // beyond an arm's first segment
        arm_vertices++;
        const int mine =
            (int)floor(fmod(atan2(z, x) + 2 * 3.14159265358979, 2 * 3.14159265358979) / (3.14159265358979 / 4)) + 1;
        for (int k = 0; k < 4; k++) {
            if (mesh.weight[v][k] == 0) continue;
            const int other = limb(mesh.joint[v][k]);
            strangers += other != 0 && other != mine;
            on_head += other == 0 && hypot(x, z) > 1.2;
        }
    }
    CHECK(arm_vertices > 1000);
    CHECK_INT(strangers, 0);
    CHECK_INT(on_head, 0);
    // Smooth: along an edge weights change by a fraction.
    double steepest = 0;
    for (int t = 0; t < mesh.triangle_count; t++)
        for (int e = 0; e < 3; e++) {
            const int a = mesh.triangle[t][e], b = mesh.triangle[t][(e + 1) % 3];
            double change = 0;
            for (int k = 0; k < 4; k++) {
                double other = 0;
                for (int j = 0; j < 4; j++)
                    if (mesh.joint[b][j] == mesh.joint[a][k] && mesh.weight[b][j] > 0)
                        other = (double)mesh.weight[b][j];
                change = fmax(change, fabs((double)mesh.weight[a][k] - other));
            }
            steepest = fmax(steepest, change);
        }
    CHECK(steepest < 0.45);
    sn_mesh_free(&mesh);
}

TEST(coarse_and_fine_meshes_get_the_same_weights) {
    zoo_tube tube = zoo_tube_default(ZOO_CYLINDER);
    rods r = tube_rods(&tube);
    sn_mesh coarse, fine;
    tube.around = 16, tube.along = 49;
    REQUIRE(zoo_tube_skin(&tube, &coarse) && weigh(&coarse, &r));
    tube.around = 48, tube.along = 145;
    REQUIRE(zoo_tube_skin(&tube, &fine) && weigh(&fine, &r));
    // ring k of the coarse one is ring 3k of the fine one, after the rings of the end
    double largest = 0;
    for (int ring = 2; ring < 47; ring++) {
        const int a = (ring + 4) * 16, b = (3 * ring + 4) * 48;
        for (int i = 0; i < r.count; i++) {
            double wa = 0, wb = 0;
            for (int k = 0; k < 4; k++) {
                if (coarse.joint[a][k] == i) wa += (double)coarse.weight[a][k];
                if (fine.joint[b][k] == i) wb += (double)fine.weight[b][k];
            }
            largest = fmax(largest, fabs(wa - wb));
        }
    }
    CHECK_NEAR(largest, 0, 0.02);
    sn_mesh_free(&coarse);
    sn_mesh_free(&fine);
}

TEST(bad_meshes_get_weights_too) {
    zoo_tube tube = zoo_tube_default(ZOO_MUSCLE);
    rods r = tube_rods(&tube);
    sn_mesh part, mesh;
    REQUIRE(zoo_tube_skin(&tube, &part) && weigh(&part, &r));
    // Two copies far apart, the second with unshared vertices, plus an isolated vertex and degenerate triangles.
    const int n = part.vertex_count, t = part.triangle_count;
    REQUIRE(sn_mesh_alloc(&mesh, n + 3 * t + 1, 2 * t + 3, 0));
    for (int v = 0; v < n; v++) memcpy(mesh.position[v], part.position[v], sizeof part.position[v]);
    for (int i = 0; i < t; i++)
        for (int k = 0; k < 3; k++) {
            mesh.triangle[i][k] = part.triangle[i][k];
            memcpy(mesh.position[n + 3 * i + k], part.position[part.triangle[i][k]], sizeof part.position[0]);
            mesh.position[n + 3 * i + k][1] += 0.2f;
            mesh.triangle[t + i][k] = n + 3 * i + k;
        }
    mesh.position[n + 3 * t][2] = 0.5f;
    const int flat[3][3] = {{0, 0, 0}, {0, 1, 1}, {0, 1, 0}};
    memcpy(mesh.triangle[2 * t], flat, sizeof flat);
    REQUIRE(weigh(&mesh, &r));
    check_sums(&mesh, r.count);
    for (int v = 0; v < n; v++) // the first is as without the second
        for (int k = 0; k < 4; k++)
            if (fabs((double)mesh.weight[v][k] - (double)part.weight[v][k]) > 1e-4)
                CHECK(!"parts do not disturb each other");
    for (int i = 0; i < t; i++) // the second is not torn
        for (int k = 0; k < 3; k++)
            if (mesh.triangle[i][k] == mesh.triangle[0][0])
                CHECK(memcmp(mesh.weight[n + 3 * i + k], mesh.weight[n], sizeof mesh.weight[0]) == 0);
    sn_mesh_free(&mesh);

    REQUIRE(sn_mesh_alloc(&mesh, 3, 0, 0)); // no triangles at all
    mesh.position[1][0] = 0.3f;
    REQUIRE(weigh(&mesh, &r));
    CHECK_INT(mesh.joint[0][0], 0);
    CHECK_INT(mesh.joint[1][0], r.count - 1);
    sn_mesh_free(&mesh);
    sn_mesh_free(&part);
}

TEST(needles_do_not_spoil_weights) {
    zoo_tube tube = zoo_tube_default(ZOO_CYLINDER);
    rods r = tube_rods(&tube);
    sn_mesh mesh;
    REQUIRE(zoo_tube_skin(&tube, &mesh));
    for (int j = 0; j < tube.around; j++)
        mesh.position[20 * tube.around + j][0] = mesh.position[21 * tube.around + j][0] - 1e-7f;
    REQUIRE(weigh(&mesh, &r));
    check_sums(&mesh, r.count);
    sn_mesh_free(&mesh);
}

TEST(bad_input_gives_an_error) {
    zoo_tube tube = zoo_tube_default(ZOO_MUSCLE);
    rods r = tube_rods(&tube);
    sn_mesh mesh;
    tool_error error = {0};
    REQUIRE(zoo_tube_skin(&tube, &mesh));
    sn_weight_rods given = weight_rods(&r);
    mesh.position[7][1] = NAN;
    CHECK(!sn_skin_weights(&mesh, &given, NULL, &error));
    CHECK_STRING(error.text, "vertex 7 of the mesh is not finite");
    mesh.position[7][1] = 0;
    mesh.triangle[3][2] = mesh.vertex_count;
    CHECK(!sn_skin_weights(&mesh, &given, NULL, &error));
    CHECK_STRING(error.text, "triangle 3 of the mesh refers to vertex 2306; there are 2306");
    mesh.triangle[3][2] = 0;
    given.count = 1; // an isolated point
    CHECK(!sn_skin_weights(&mesh, &given, NULL, &error));
    CHECK_STRING(error.text, "the rods have no segment");
    CHECK(mesh.joint == NULL && mesh.weight == NULL);
    sn_mesh_free(&mesh);
}

// --- skins with these weights ---

typedef struct {
    sn_mesh mesh, now;
    rods rods;
    sn_world *world;
    sn_body rod;
    sn_skin *skin;
    sn_skin_instance *copy;
} model;

static sn_skin *skin_of(const sn_mesh *mesh, int points) {
    sn_skin_def def = sn_skin_def_default();
    sn_skin *skin = NULL;
    uint16_t *handles = malloc((size_t)mesh->vertex_count * 4 * sizeof *handles);
    for (int i = 0; i < 4 * mesh->vertex_count; i++) handles[i] = (uint16_t)mesh->joint[i / 4][i % 4];
    def.positions = (const sn_vec3 *)mesh->position, def.normals = (const sn_vec3 *)mesh->normal;
    def.vertex_count = mesh->vertex_count;
    def.handles = handles, def.weights = mesh->weight[0], def.handle_count = points;
    CHECK_INT(sn_skin_create(&def, &skin), SN_OK);
    free(handles);
    return skin;
}

// A model from a mesh and rods; takes ownership of the mesh.
static model *make_model(const sn_mesh *mesh, const rods *r, bool closed, bool hold_ends) {
    model *m = calloc(1, sizeof *m);
    sn_world_def world_def = sn_world_def_default();
    sn_rod_def def = sn_rod_def_default();
    sn_vec3 points[MAX_POINTS];
    float radii[MAX_POINTS];
    m->mesh = *mesh, m->rods = *r;
    CHECK(weigh(&m->mesh, r));
    for (int i = 0; i < r->count; i++) {
        points[i] = (sn_vec3){(float)r->points[i][0], (float)r->points[i][1], (float)r->points[i][2]};
        radii[i] = (float)r->radii[i];
    }
    def.points = points, def.radii = radii, def.point_count = r->count;
    if (closed)
        def.closed = true;
    else if (r->count == OCTOPUS)
        def.parents = r->parents;
    def.material = sn_material_make(1e6f, 0.49f, 1000);
    def.material.transverse = 1e6f;
    def.material.damping = 2;
    def.collide = false;
    world_def.gravity = (sn_vec3){0, 0, 0};
    world_def.iterations = 4;
    CHECK_INT(sn_world_create(&world_def, &m->world), SN_OK);
    CHECK_INT(sn_rod_create(m->world, &def, &m->rod), SN_OK);
    if (hold_ends) {
        sn_rod_hold(m->world, m->rod, 0, SN_HOLD_CENTRE);
        sn_rod_hold(m->world, m->rod, r->count - 1, SN_HOLD_CENTRE);
    }
    m->skin = skin_of(&m->mesh, r->count);
    CHECK_INT(sn_skin_instance_create(m->skin, &m->copy), SN_OK);
    CHECK_INT(sn_skin_instance_bind(m->copy, m->world, &m->rod, 1, NULL), SN_OK);
    CHECK(sn_mesh_alloc(&m->now, m->mesh.vertex_count, m->mesh.triangle_count, MESH_NORMAL));
    memcpy(m->now.triangle, m->mesh.triangle, (size_t)m->mesh.triangle_count * sizeof *m->now.triangle);
    return m;
}

static void update(model *m) {
    sn_skin_output out = {m->copy, m->now.position[0], 12, m->now.normal[0], 12};
    CHECK_INT(sn_skin_update(m->world, &out, 1), SN_OK);
}

static void free_model(model *m) {
    sn_skin_instance_destroy(m->copy);
    CHECK_INT(sn_skin_destroy(m->skin), SN_OK);
    sn_world_destroy(m->world);
    sn_mesh_free(&m->mesh);
    sn_mesh_free(&m->now);
    free(m);
}

static model *tube_model(zoo_tube_kind kind, bool hold_ends) {
    zoo_tube tube = zoo_tube_default(kind);
    rods r = tube_rods(&tube);
    sn_mesh mesh;
    CHECK(zoo_tube_skin(&tube, &mesh));
    return make_model(&mesh, &r, kind == ZOO_BAND, hold_ends);
}

// Triangles whose skinned normals point into them.
static int inverted(const model *m) {
    int count = 0;
    for (int t = 0; t < m->now.triangle_count; t++) {
        double n[3], dot = 0;
        mesh_triangle_normal(&m->now, t, n);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) dot += n[i] * (double)m->now.normal[m->now.triangle[t][k]][i];
        count += dot <= 0;
    }
    return count;
}

TEST(a_stretched_tapered_cylinder_keeps_its_volume) {
    model *m = tube_model(ZOO_CYLINDER, true);
    const double rest = sn_mesh_volume(&m->mesh);
    update(m);
    CHECK_NEAR(sn_mesh_volume(&m->now) / rest, 1, 1e-5);
    // Stretched to one and a half times its length until it is at rest: the radius follows the rod.
    for (int i = 1; i <= 120; i++) {
        sn_rod_move_centre(m->world, m->rod, m->rods.count - 1,
                           (sn_vec3){1 + 0.5f * (i < 60 ? (float)i / 60 : 1), 0, 0});
        CHECK_INT(sn_world_step(m->world, 1.0f / 60, 1), SN_OK);
    }
    update(m);
    CHECK_NEAR(sn_rod_length(m->world, m->rod), 1.5, 0.01);
    CHECK_NEAR(sn_mesh_volume(&m->now) / rest, 1, 0.02);
    float low[3], high[3];
    sn_mesh_box(&m->now, low, high);
    CHECK_NEAR(high[0] - low[0], 1.5, 0.02);
    CHECK_INT(inverted(m), 0);
    free_model(m);
}

TEST(a_muscle_that_shortens_bulges_and_keeps_its_volume) {
    model *m = tube_model(ZOO_MUSCLE, false);
    const double rest = sn_mesh_volume(&m->mesh);
    for (int i = 1; i < m->rods.count; i++) CHECK_INT(sn_rod_set_segment(m->world, m->rod, i, 1, 0.75f), SN_OK);
    for (int i = 0; i < 120; i++) CHECK_INT(sn_world_step(m->world, 1.0f / 60, 1), SN_OK);
    update(m);
    float low[3], high[3];
    sn_mesh_box(&m->now, low, high);
    CHECK(high[0] - low[0] < 0.85f * 0.32f);
    CHECK((high[1] - low[1]) > 1.1f * 0.07f);
    CHECK_NEAR(sn_mesh_volume(&m->now) / rest, 1, 0.02);
    CHECK_INT(inverted(m), 0);
    free_model(m);
}

TEST(bends_and_twists_invert_nothing) {
    const double pi = 3.14159265358979323846;
    model *m = tube_model(ZOO_CYLINDER, false);
    const double rest = sn_mesh_volume(&m->mesh);
    sn_vec3 points[MAX_POINTS];
    for (int i = 0; i < m->rods.count; i++) { // half a circle
        const double angle = pi * i / (m->rods.count - 1);
        points[i] = (sn_vec3){(float)(sin(angle) / pi), (float)((1 - cos(angle)) / pi), 0};
    }
    CHECK_INT(sn_rod_set_centres(m->world, m->rod, points, m->rods.count), SN_OK);
    update(m);
    CHECK_INT(inverted(m), 0);
    CHECK_NEAR(sn_mesh_volume(&m->now) / rest, 1, 0.05);
    // One full twist from end to end, straight.
    for (int i = 0; i < m->rods.count; i++) points[i] = (sn_vec3){(float)m->rods.points[i][0], 0, 0};
    CHECK_INT(sn_rod_set_centres(m->world, m->rod, points, m->rods.count), SN_OK);
    sn_quat frames[MAX_POINTS];
    sn_rod_get_frames(m->world, m->rod, frames, m->rods.count);
    for (int i = 0; i < m->rods.count; i++) {
        CHECK_INT(sn_rod_hold(m->world, m->rod, i, SN_HOLD_CENTRE | (i ? SN_HOLD_FRAME : 0)), SN_OK);
        if (i == 0) continue;
        const double half = pi * i / (m->rods.count - 1), s = sin(half), c = cos(half);
        const sn_quat q = frames[i]; // rotated about its own z
        const sn_quat to = {(float)((double)q.x * c + (double)q.y * s), (float)((double)q.y * c - (double)q.x * s),
                            (float)((double)q.z * c + (double)q.w * s), (float)((double)q.w * c - (double)q.z * s)};
        CHECK_INT(sn_rod_move_frame(m->world, m->rod, i, to), SN_OK);
    }
    CHECK_INT(sn_world_step(m->world, 0.01f, 1), SN_OK);
    for (int blend = 0; blend < 2; blend++) {
        sn_skin_instance_set_blend(m->copy, (sn_blend)blend);
        update(m);
        CHECK_INT(inverted(m), 0);
        CHECK_NEAR(sn_mesh_volume(&m->now) / rest, 1, blend == SN_BLEND_DUAL ? 0.01 : 0.08);
    }
    // Compressed in the middle.
    sn_real scales[MAX_POINTS];
    for (int i = 0; i < m->rods.count; i++) scales[i] = i == m->rods.count / 2 ? 0.6f : 1;
    CHECK_INT(sn_rod_set_scales(m->world, m->rod, scales, m->rods.count), SN_OK);
    update(m);
    CHECK_INT(inverted(m), 0);
    CHECK(sn_mesh_volume(&m->now) < 0.99 * rest);
    free_model(m);
}

TEST(a_band_follows_its_loop) {
    model *m = tube_model(ZOO_BAND, false);
    const double rest = sn_mesh_volume(&m->mesh);
    sn_rod_hold(m->world, m->rod, 0, SN_HOLD_CENTRE);
    sn_rod_hold(m->world, m->rod, 64, SN_HOLD_CENTRE);
    for (int i = 1; i <= 60; i++) {
        sn_rod_move_centre(m->world, m->rod, 0, (sn_vec3){0.08f + 0.04f * (float)i / 60, 0, 0});
        sn_rod_move_centre(m->world, m->rod, 64, (sn_vec3){-0.08f - 0.04f * (float)i / 60, 0, 0});
        CHECK_INT(sn_world_step(m->world, 1.0f / 60, 1), SN_OK);
    }
    update(m);
    CHECK_INT(inverted(m), 0);
    CHECK_NEAR(sn_mesh_volume(&m->now) / rest, sn_body_volume(m->world, m->rod) / sn_body_rest_volume(m->world, m->rod),
               0.02);
    free_model(m);
}

TEST(an_octopus_that_waves_stays_whole) {
    zoo_octopus octopus = zoo_octopus_default();
    rods r = octopus_rods();
    sn_mesh mesh;
    REQUIRE(zoo_octopus_skin(&octopus, &mesh));
    model *m = make_model(&mesh, &r, false, false);
    update(m);
    double worst = 0;
    for (int v = 0; v < m->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs((double)m->now.position[v][k] - (double)m->mesh.position[v][k]));
    CHECK_NEAR(worst, 0, 3e-6);
    sn_world_set_gravity(m->world, (sn_vec3){0, -9.81f, 0});
    sn_rod_hold(m->world, m->rod, 4, SN_HOLD_CENTRE); // by the mantle; arms hang down
    for (int i = 0; i < 30; i++) CHECK_INT(sn_world_step(m->world, 1.0f / 60, 1), SN_OK);
    update(m);
    float low[3], high[3];
    sn_mesh_box(&m->now, low, high);
    CHECK(low[1] < -0.1f); // they do
    CHECK_INT(inverted(m), 0);
    CHECK_NEAR(sn_mesh_volume(&m->now) / sn_mesh_volume(&m->mesh), 1, 0.1);
    free_model(m);
}

// Weights painted by an artist are used unchanged.
TEST(painted_weights_are_used) {
    zoo_tube tube = zoo_tube_default(ZOO_MUSCLE);
    sn_mesh mesh;
    float now[3000][3];
    REQUIRE(zoo_tube_skin(&tube, &mesh) && mesh.vertex_count <= 3000);
    mesh.joint = calloc((size_t)mesh.vertex_count, sizeof *mesh.joint);
    mesh.weight = calloc((size_t)mesh.vertex_count, sizeof *mesh.weight);
    for (int v = 0; v < mesh.vertex_count; v++) {
        mesh.joint[v][0] = 1, mesh.joint[v][1] = 2;
        mesh.weight[v][0] = 0.25f, mesh.weight[v][1] = 0.75f;
    }
    sn_skin *skin = skin_of(&mesh, 3);
    sn_skin_instance *copy;
    sn_handle handles[3];
    for (int i = 0; i < 3; i++)
        handles[i] = sn_handle_similarity((sn_vec3){0, 0, 0}, (sn_vec3){(float)i, 0, 0}, (sn_quat){0, 0, 0, 1}, 1);
    REQUIRE(sn_skin_instance_create(skin, &copy) == SN_OK);
    CHECK_INT(sn_skin_instance_set_handles(copy, handles, 3), SN_OK);
    sn_skin_output out = {copy, now[0], 12, NULL, 0};
    CHECK_INT(sn_skin_update(NULL, &out, 1), SN_OK);
    for (int v = 0; v < mesh.vertex_count; v++) CHECK_NEAR(now[v][0], mesh.position[v][0] + 1.75f, 1e-6);
    sn_skin_instance_destroy(copy);
    sn_skin_destroy(skin);
    sn_mesh_free(&mesh);
}
