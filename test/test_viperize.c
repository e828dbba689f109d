// Muscles from surfaces: rods preserve the volume, stay inside, do not cross and have the requested number; the skin is
// bound to the slices by its level; bad surfaces give a result with a warning, or an error that says what to do. Also
// the parts: matching, levels and slices.
// links: tools
#include "bake/slices.h"
#include "bake/viperize.h"
#include "bake/viperize_internal.h"
#include "fields/harmonic.h"
#include "mesh_bytes.h"
#include "mesh_check.h"
#include "sinew/sinew.h"
#include "test.h"
#include "zoo/bones.h"
#include "zoo/distance_fields.h"
#include "zoo/isosurface.h"
#include "zoo/muscles.h"
#include "zoo/tube.h"
#include <string.h>

static const double pi = 3.14159265358979323846;

static double noise(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

// --- matching ---

// The minimum cost over all permutations.
static double min_cost(const double *cost, int count, int row, unsigned used) {
    double best = row == count ? 0 : INFINITY;
    for (int column = 0; column < count && row < count; column++)
        if (!(used >> column & 1))
            best = fmin(best, cost[count * row + column] + min_cost(cost, count, row + 1, used | 1u << column));
    return best;
}

TEST(matchings_have_minimum_cost) {
    uint32_t seed = 7;
    for (int round = 0; round < 60; round++) {
        const int count = 1 + round % 7;
        double cost[49], sum = 0;
        int match[7];
        unsigned used = 0;
        for (int i = 0; i < count * count; i++) cost[i] = round % 3 ? noise(&seed) : floor(4 * noise(&seed)) - 1;
        REQUIRE(sn_hungarian(cost, count, match));
        for (int i = 0; i < count; i++) sum += cost[count * i + match[i]], used |= 1u << match[i];
        CHECK_INT((int)used, (1 << count) - 1);
        CHECK_NEAR(sum, min_cost(cost, count, 0, 0), 1e-12);
    }
}

// --- levels and slices ---

// A field on the tetrahedra of a ball of radius 1.
static double *fill_ball(sn_tet_mesh *tets) {
    sn_mesh ball = shape_ball(40, 60);
    sn_mesh_query *query = sn_mesh_query_build(&ball);
    sn_winding *winding = sn_winding_make(&ball);
    const sn_tet_lattice_options options = {.spacing = 0.1, .threads = 1};
    sn_tet_lattice_report report;
    tool_error error;
    double *field = NULL;
    if (CHECK(query && winding && sn_tet_lattice(&ball, query, winding, &options, tets, &report, &error)))
        field = calloc((size_t)tets->vertex_count, sizeof *field);
    sn_mesh_query_free(query), sn_winding_free(winding), sn_mesh_free(&ball);
    return field;
}

TEST(a_linear_field_has_the_ball_s_own_lengths_volumes_and_slices) {
    sn_tet_mesh tets;
    sn_level_profile profile;
    sn_slice slice;
    double *field = fill_ball(&tets);
    REQUIRE(field);
    for (int v = 0; v < tets.vertex_count; v++) field[v] = 2 * tets.position[v][0]; // length is half of the level
    REQUIRE(sn_level_profile_make(&tets, field, &profile));
    const double volume = sn_tet_mesh_measure(&tets).volume;
    CHECK_NEAR(sn_level_profile_volume(&profile, 2), volume, 1e-9);
    CHECK_NEAR(sn_level_profile_length(&profile, 1) - sn_level_profile_length(&profile, -1), 1, 0.002);
    CHECK_NEAR(sn_level_profile_volume(&profile, 0), 0.5 * volume, 0.005 * volume);
    CHECK_NEAR(sn_level_profile_volume(&profile, 1) / volume, 0.84375, 0.005); // a ball up to x = 1/2
    CHECK_NEAR(sn_level_profile_level(&profile, sn_level_profile_length(&profile, 0.3)), 0.3, 1e-9);
    REQUIRE(sn_slice_level(&tets, field, 1, 500, &slice)); // at x = 1/2
    CHECK(slice.count >= 500);
    CHECK_NEAR(slice.area, 0.75 * pi, 0.03);
    CHECK_NEAR(slice.centroid[0], 0.5, 1e-6);
    CHECK_NEAR(slice.centroid[1], 0, 0.01);
    CHECK_NEAR(slice.covariance[1][1], 0.75 / 4, 0.005); // of a disc: r^2 / 4
    const double p[3] = {0.7, 0.2, -0.1};
    double nearest[3];
    sn_slice_nearest(&slice, p, nearest);
    CHECK_NEAR(nearest[0], 0.5, 1e-6);
    CHECK_NEAR(nearest[1], 0.2, 1e-6);
    sn_slice_free(&slice);
    REQUIRE(sn_slice_level(&tets, field, 5, 500, &slice)); // outside
    CHECK_INT(slice.count, 0);
    sn_slice_free(&slice);
    sn_level_profile_free(&profile);
    for (int v = 0; v < tets.vertex_count; v++) field[v] = 1;
    CHECK(!sn_level_profile_make(&tets, field, &profile)); // constant field
    sn_tet_mesh_free(&tets);
    free(field);
}

TEST(planes_cut_what_is_inside) {
    sn_mesh ball = shape_ball(40, 60);
    sn_winding *winding = sn_winding_make(&ball);
    sn_slice slice;
    const double point[3] = {0.3, 0.4, 0}, normal[3] = {0.6, 0.8, 0}; // half a radius from the centre
    REQUIRE(winding && sn_slice_plane(&ball, winding, point, normal, 2000, &slice));
    CHECK_NEAR(slice.area, 0.75 * pi, 0.05);
    CHECK_NEAR(slice.centroid[0], 0.3, 0.01);
    CHECK_NEAR(slice.centroid[2], 0, 0.01);
    sn_slice_free(&slice);
    sn_winding_free(winding);
    sn_mesh_free(&ball);
}

TEST(slices_are_matched_to_each_other) {
    // A long and a short ellipse in planes tilted against each other.
    sn_slice a = {.centroid = {1, 2, 3}, .covariance = {{4, 1, 0}, {1, 2, 0}, {0, 0, 0.01}}};
    sn_slice b = {.centroid = {0, 0, 1}, .covariance = {{1, 0.2, 0.1}, {0.2, 3, 0}, {0.1, 0, 0.2}}};
    const sn_slice_map map = sn_slice_transport(&a, &b);
    double there[3], carried[3][3] = {{0}};
    sn_slice_map_apply(&map, a.centroid, there);
    for (int k = 0; k < 3; k++) CHECK_NEAR(there[k], b.centroid[k], 1e-12);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    carried[i][j] += map.map[i][k] * (a.covariance[k][l] + (k == l) * 0.003 * 6.01) * map.map[j][l];
            CHECK_NEAR(carried[i][j], b.covariance[i][j] + (i == j) * 0.003 * 4.2, 1e-9);
            CHECK_NEAR(map.map[i][j], map.map[j][i], 1e-9); // no rotation
        }
}

// --- muscles ---

static double distance_between(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// Properties of every muscle.
static void check_viper(const sn_mesh *surface, const sn_viper *v, int rods, int slices, double volume) {
    sn_winding *winding = sn_winding_make(surface);
    int inside = 0, swaps = 0, bad = 0;
    REQUIRE(winding);
    CHECK_INT(v->rods, rods);
    CHECK_INT(v->slices, slices);
    CHECK_NEAR(sn_viper_volume(v) / volume, 1, 0.05);
    CHECK_NEAR(v->volume / volume, 1, 0.05);
    for (int i = 0; i < rods * slices; i++) inside += sn_winding_evaluate(winding, v->point[i]) > 0.5;
    CHECK(inside >= 0.99 * rods * slices);
    for (int i = 0; i < rods * slices; i++) CHECK(v->radius[i] > 0);
    for (int k = 0; k + 1 < slices; k++)
        for (int i = 0; i < rods; i++)
            for (int j = 0; j < i; j++) {
                const double *a = v->point[i * slices + k], *b = v->point[j * slices + k];
                swaps += distance_between(a, b + 3) + distance_between(b, a + 3) <
                         distance_between(a, a + 3) + distance_between(b, b + 3) - 1e-12;
            }
    CHECK_INT(swaps, 0);
    for (int n = 0; n < v->skin.vertex_count; n++) {
        double sum = 0, level = 0;
        for (int k = 0; k < 4; k++) {
            bad += v->weight[n][k] < 0 || v->section[n][k] < 0 || v->section[n][k] >= slices;
            sum += v->weight[n][k], level += v->weight[n][k] * v->section[n][k];
        }
        bad += fabs(sum - 1) > 1e-9 || fabs(level - v->level[n]) > 1e-9;
    }
    CHECK_INT(bad, 0);
    sn_winding_free(winding);
}

static bool viperize(const sn_mesh *surface, int rods, int slices, sn_viper *out, sn_viper_report *report,
                     tool_error *error) {
    sn_viper_options options = sn_viper_options_default();
    options.rods = rods, options.slices = slices;
    return sn_viperize(surface, &options, out, report, error);
}

static bool has_warning(const sn_viper_report *report, const char *text) {
    for (int i = 0; i < report->warnings; i++)
        if (strstr(report->warning[i], text)) return true;
    return false;
}

// Red and blue vertices, as in files.
static unsigned char *paint_of(const sn_mesh *mesh) {
    unsigned char *painted = calloc((size_t)mesh->vertex_count + 1, 1);
    for (int v = 0; v < mesh->vertex_count && painted; v++) {
        const float *c = mesh->colour[v];
        painted[v] = c[1] > 0.5f ? 0 : c[0] > 0.5f ? VIPER_SOURCE : VIPER_SINK;
    }
    return painted;
}

static void check_zoo_muscle(zoo_muscle_kind kind, double source_y, double sink_y) {
    sn_mesh mesh;
    sn_viper viper;
    sn_viper_report report;
    sn_viper_options options = sn_viper_options_default();
    tool_error error = {0};
    REQUIRE(zoo_muscle(kind, 0, &mesh));
    unsigned char *painted = paint_of(&mesh);
    options.painted = painted;
    options.rods = 10, options.slices = 12;
    if (!CHECK(sn_viperize(&mesh, &options, &viper, &report, &error))) printf("%s\n", error.text);
    check_viper(&mesh, &viper, 10, 12, sn_mesh_volume(&mesh));
    if (kind != ZOO_BIPENNATE) // its fibres leave out its tails
        CHECK_INT(report.warnings, 0);
    CHECK(!report.planes);
    CHECK(report.coverage > 0.93 && report.coverage < 1.03); // radii hardly changed
    CHECK_NEAR(viper.source[1], source_y, 0.02);
    CHECK_NEAR(viper.sink[1], sink_y, 0.02);
    sn_viper_free(&viper);
    sn_mesh_free(&mesh);
    free(painted);
}

TEST(the_biceps_becomes_rods) {
    check_zoo_muscle(ZOO_BICEPS_LONG, 0.03, -0.335);
    check_zoo_muscle(ZOO_BICEPS_SHORT, 0.012, -0.333);
}

TEST(the_brachialis_and_the_triceps_become_rods) {
    check_zoo_muscle(ZOO_BRACHIALIS, -0.148, -0.327);
    check_zoo_muscle(ZOO_TRICEPS, -0.015, -0.285);
}

TEST(the_deltoid_becomes_rods) {
    check_zoo_muscle(ZOO_DELTOID, 0.032, -0.133);
}

TEST(the_pectoral_becomes_a_fan) {
    check_zoo_muscle(ZOO_PECTORAL, -0.07, -0.064);
}

TEST(the_bipennate_muscle_becomes_a_feather) {
    check_zoo_muscle(ZOO_BIPENNATE, -0.645, -0.77);
}

TEST(the_rods_of_a_round_muscle_lie_in_a_ring) {
    const zoo_tube tube = zoo_tube_default(ZOO_MUSCLE);
    sn_mesh mesh;
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    REQUIRE(zoo_tube_skin(&tube, &mesh) && viperize(&mesh, 7, 13, &v, &report, &error));
    check_viper(&mesh, &v, 7, 13, sn_mesh_volume(&mesh));
    CHECK_INT(report.warnings, 0);
    CHECK(v.source[0] < 0.01 && v.sink[0] > 0.29); // the end with smaller x is the source
    for (int k = 0; k < 13; k++) {
        double x = 0, distance = 0;
        for (int i = 0; i < 7; i++) {
            const double *p = v.point[i * 13 + k];
            x += p[0] / 7, distance = fmax(distance, hypot(p[1], p[2]));
        }
        CHECK_NEAR(x, v.source[0] + k * (v.sink[0] - v.source[0]) / 12, 0.012); // equally spaced
        const double t = x / 0.3, radius = 0.01 + 0.025 * 0.5 * (1 - cos(2 * pi * t));
        if (k > 0 && k < 12) CHECK_NEAR(v.radius[k] * sqrt(7) / radius, 1, 0.08);         // divide the cross-section
        if (k > 0 && k < 12) CHECK(distance > 0.45 * radius && distance < 0.85 * radius); // spread over it
    }
    for (int n = 0; n < v.skin.vertex_count; n++) { // levels increase along it
        const double t = ((double)v.skin.position[n][0] - v.source[0]) / (v.sink[0] - v.source[0]) * 12;
        if (fabs(v.level[n] - fmin(fmax(t, 0), 12)) > 0.6)
            CHECK(!"the level of a vertex is where it is along the axis");
    }
    sn_viper_free(&v);
    sn_mesh_free(&mesh);
}

TEST(the_engine_makes_a_bundle_of_the_same_volume) {
    enum { RODS = 5, SLICES = 9 };
    sn_mesh mesh;
    sn_viper v;
    sn_viper_report report;
    sn_world *world;
    sn_body rods[RODS];
    sn_bundle bundle;
    tool_error error = {0};
    REQUIRE(zoo_muscle(ZOO_BICEPS_SHORT, 0, &mesh) && viperize(&mesh, RODS, SLICES, &v, &report, &error));
    sn_world_def world_def = sn_world_def_default();
    world_def.gravity = (sn_vec3){0, 0, 0};
    REQUIRE(sn_world_create(&world_def, &world) == SN_OK);
    for (int i = 0; i < RODS; i++) {
        sn_rod_def def = sn_rod_def_default();
        sn_vec3 points[SLICES];
        sn_real radii[SLICES];
        for (int k = 0; k < SLICES; k++) {
            const double *p = v.point[i * SLICES + k];
            points[k] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
            radii[k] = (sn_real)v.radius[i * SLICES + k];
        }
        def.points = points, def.radii = radii, def.point_count = SLICES, def.clamp_first = true;
        REQUIRE(sn_rod_create(world, &def, &rods[i]) == SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = rods, def.rod_count = RODS;
    REQUIRE(sn_bundle_create(world, &def, &bundle) == SN_OK);
    CHECK_NEAR(sn_bundle_rest_volume(world, bundle) / sn_mesh_volume(&mesh), 1, 0.01);
    sn_section section[SLICES];
    CHECK_INT(sn_bundle_get_sections(world, bundle, section, SLICES), SLICES);
    CHECK_NEAR((double)section[0].centre.y, v.source[1], 1e-4);
    CHECK_NEAR((double)section[SLICES - 1].centre.y, v.sink[1], 1e-4);
    for (int step = 0; step < 10; step++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 1), SN_OK);
    CHECK_NEAR(sn_bundle_volume(world, bundle) / sn_mesh_volume(&mesh), 1, 0.01); // at rest
    sn_bundle_get_sections(world, bundle, section, SLICES);
    CHECK_NEAR((double)section[SLICES - 1].centre.y, v.sink[1], 1e-4);
    sn_world_destroy(world);
    sn_viper_free(&v);
    sn_mesh_free(&mesh);
}

TEST(the_result_does_not_depend_on_threads) {
    sn_mesh mesh;
    sn_viper v[2];
    sn_viper_report report;
    tool_error error = {0};
    REQUIRE(zoo_muscle(ZOO_BRACHIALIS, 0, &mesh));
    for (int n = 0; n < 2; n++) {
        sn_viper_options options = sn_viper_options_default();
        options.threads = 1 + 2 * n;
        REQUIRE(sn_viperize(&mesh, &options, &v[n], &report, &error));
    }
    CHECK(memcmp(v[0].point, v[1].point, 8 * 16 * sizeof *v[0].point) == 0);
    CHECK(memcmp(v[0].weight, v[1].weight, (size_t)v[0].skin.vertex_count * sizeof *v[0].weight) == 0);
    sn_viper_free(&v[0]), sn_viper_free(&v[1]);
    sn_mesh_free(&mesh);
}

TEST(ends_are_where_they_are_given) {
    const zoo_tube tube = zoo_tube_default(ZOO_MUSCLE);
    sn_viper_options options = sn_viper_options_default();
    sn_viper v;
    sn_viper_report report;
    sn_mesh mesh;
    tool_error error = {0};
    REQUIRE(zoo_tube_skin(&tube, &mesh));
    options.end[0] = (sn_viper_end){.kind = VIPER_END_BALL, .point = {0.31, 0, 0}, .radius = 0.03};
    options.end[1] = (sn_viper_end){.kind = VIPER_END_PLANE, .normal = {-1, 0, 0}, .offset = -0.05};
    REQUIRE(sn_viperize(&mesh, &options, &v, &report, &error));
    CHECK_NEAR(v.source[0], 0.28, 0.012);
    CHECK_NEAR(v.sink[0], 0.05, 0.012);
    CHECK_NEAR(sn_viper_volume(&v), sn_mesh_volume(&mesh), 0.01 * sn_mesh_volume(&mesh));
    sn_viper_free(&v);
    options.end[1].offset = 1;
    CHECK(!sn_viperize(&mesh, &options, &v, &report, &error));
    CHECK(strstr(error.text, "no part of the surface is beyond the sink's plane"));
    options.end[1] = (sn_viper_end){.kind = VIPER_END_PAINTED};
    CHECK(!sn_viperize(&mesh, &options, &v, &report, &error));
    CHECK(strstr(error.text, "no vertex is painted as sink"));
    options.end[1] = (sn_viper_end){.kind = VIPER_END_BALL, .point = {0, 0, 0}, .radius = 9};
    options.end[0] = options.end[1];
    CHECK(!sn_viperize(&mesh, &options, &v, &report, &error));
    CHECK(strstr(error.text, "source and sink coincide"));
    options.rods = 0;
    CHECK(!sn_viperize(&mesh, &options, &v, &report, &error));
    CHECK(strstr(error.text, "0 rods; 1 to 256 are allowed"));
    sn_mesh_free(&mesh);
}

TEST(planes_do_without_tetrahedra) {
    const zoo_tube tube = zoo_tube_default(ZOO_MUSCLE);
    sn_viper_options options = sn_viper_options_default();
    sn_viper v;
    sn_viper_report report;
    sn_mesh mesh;
    tool_error error = {0};
    REQUIRE(zoo_tube_skin(&tube, &mesh));
    options.planes = true;
    REQUIRE(sn_viperize(&mesh, &options, &v, &report, &error));
    check_viper(&mesh, &v, 8, 16, sn_mesh_volume(&mesh));
    CHECK(report.planes);
    CHECK_INT(report.tets, 0);
    CHECK(v.source[0] < v.sink[0]);
    sn_viper_free(&v);
    sn_mesh_free(&mesh);
}

TEST(a_muscle_too_thin_for_tetrahedra_is_cut_by_planes) {
    sn_mesh mesh = shape_ball(40, 60); // 0.6 x 0.2 x 0.0016 m
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    for (int n = 0; n < mesh.vertex_count; n++)
        mesh.position[n][0] *= 0.3f, mesh.position[n][1] *= 0.1f, mesh.position[n][2] *= 0.0008f;
    REQUIRE(viperize(&mesh, 8, 12, &v, &report, &error)); // by a field on the surface
    check_viper(&mesh, &v, 8, 12, sn_mesh_volume(&mesh));
    CHECK(!report.planes && report.tets == 0);
    CHECK(report.quality.span > 0.97);
    sn_viper_free(&v);
    sn_viper_options options = sn_viper_options_default(); // given ends need tetrahedra, or planes
    options.rods = 8, options.slices = 12;
    options.end[0] = (sn_viper_end){.kind = VIPER_END_PLANE, .normal = {-1, 0, 0}, .offset = 0.29};
    REQUIRE(sn_viperize(&mesh, &options, &v, &report, &error));
    check_viper(&mesh, &v, 8, 12, sn_mesh_volume(&mesh));
    CHECK(report.planes);
    CHECK(has_warning(&report, "slices are planes along a straight axis"));
    CHECK_NEAR(v.sink[0] - v.source[0], 0.6 * 0.96, 0.01);
    sn_viper_free(&v);
    sn_mesh_free(&mesh);
}

// --- heads and tendons ---

// A belly with a long and a short head above, and two tendons below.
static const double tips[4][3] = {{-0.02, 0.14, 0}, {0.035, 0.07, 0}, {-0.02, -0.19, 0}, {0.02, -0.19, 0}};

static double forked_field(const void *context, const double p[3]) {
    (void)context;
    double d[5];
    for (int i = 0; i < 5; i++) {
        zoo_pill pill = {{0, 0, 0}, 0.015, {0, -0.08, 0}, 0.015};
        if (i < 4) {
            memcpy(pill.a, tips[i], sizeof pill.a);
            pill.ra = 0.004, pill.b[1] = i < 2 ? 0.005 : -0.085, pill.rb = 0.009;
        }
        d[i] = zoo_pill_distance(&pill, p);
    }
    return zoo_smooth_union(d, 5, 0.001);
}

TEST(each_head_and_tendon_has_its_own_rods) {
    const zoo_iso iso = {.field = forked_field,
                         .low = {-0.06, -0.22, -0.03},
                         .high = {0.06, 0.17, 0.03},
                         .cell = 0.0025,
                         .smoothing_passes = 4};
    sn_mesh mesh;
    tool_error error = {0};
    REQUIRE(zoo_isosurface(&iso, &mesh));
    for (int rods = 4; rods <= 12; rods += 4)
        for (int slices = 8; slices <= 24; slices += 8) {
            sn_viper v;
            sn_viper_report report;
            REQUIRE(viperize(&mesh, rods, slices, &v, &report, &error));
            check_viper(&mesh, &v, rods, slices, sn_mesh_volume(&mesh));
            CHECK_INT(report.heads[0], 2);
            CHECK_INT(report.heads[1], 2);
            CHECK(report.quality.bend < 62);
            CHECK(report.quality.span > 0.97);
            CHECK(report.quality.contained > 0.95);
            for (int tip = 0; tip < 4; tip++) {
                double nearest = INFINITY;
                for (int i = 0; i < rods; i++)
                    nearest =
                        fmin(nearest, distance_between(v.point[i * slices + (tip < 2 ? 0 : slices - 1)], tips[tip]));
                CHECK(nearest < 0.006);
            }
            sn_viper_free(&v);
        }
    sn_viper v;
    sn_viper_report report;
    REQUIRE(viperize(&mesh, 1, 12, &v, &report, &error)); // one rod cannot be in two heads
    check_viper(&mesh, &v, 1, 12, sn_mesh_volume(&mesh));
    sn_viper_free(&v);
    sn_mesh_free(&mesh);
}

// --- how good it is ---

// A rod of two pills with a right angle between them when 'bent', and the skin of a straight cylinder along x.
static void measure_rod(bool bent, double radius, sn_viper_quality *out) {
    double point[3][3] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}}, radii[3] = {radius, radius, radius};
    sn_viper v = {.rods = 1, .slices = 3, .point = point, .radius = radii, .skin = shape_ball(60, 80)};
    if (bent) point[2][0] = 0.5, point[2][1] = 0.5;
    for (int n = 0; n < v.skin.vertex_count; n++) { // the ball's halves are moved apart
        float *p = v.skin.position[n];
        const float side = p[0] < 0 ? 0.0f : 1.0f;
        p[0] = 0.1f * p[0] + side, p[1] *= 0.1f, p[2] *= 0.1f;
    }
    v.volume = sn_mesh_volume(&v.skin);
    CHECK(sn_viper_measure(&v, out));
    sn_mesh_free(&v.skin);
}

TEST(rods_are_measured_against_their_surface) {
    sn_viper_quality q;
    measure_rod(false, 0.1, &q); // the pill is the surface
    CHECK_NEAR(q.length, 1.2, 0.01);
    CHECK_NEAR(q.radius, sqrt(0.01 + 4.0 / 3 * 0.001) / sqrt(1.2), 0.001);
    CHECK(q.surface_mean < 0.001 && q.surface_largest < 0.003);
    CHECK_NEAR(q.span, 1, 0.01);
    CHECK_NEAR(q.contained, 1, 1e-9);
    CHECK_NEAR(q.bend, 0, 1e-6);
    CHECK_INT(q.sharp_bends, 0);
    measure_rod(false, 0.06, &q); // too thin by 4 cm
    CHECK_NEAR(q.surface_mean, 0.04, 0.001);
    CHECK_NEAR(q.surface_95, 0.04, 0.001);
    CHECK_NEAR(q.span, 1.12 / 1.2, 0.01);
    CHECK_NEAR(q.volume, 0.36 / 1.133, 0.01);
    measure_rod(true, 0.1, &q); // half of it points away
    CHECK_NEAR(q.bend, 90, 1e-6);
    CHECK_INT(q.sharp_bends, 1);
    CHECK_NEAR(q.contained, 0.6, 0.07);
    CHECK_NEAR(q.span, 0.7 / 1.2, 0.01);
    CHECK_NEAR(q.surface_largest, 0.5, 0.01);
}

// --- bad surfaces ---

// Keeps triangles whose centroid is between two heights.
static void keep_between(sn_mesh *mesh, float low, float high) {
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangle[t];
        const float y = (mesh->position[c[0]][1] + mesh->position[c[1]][1] + mesh->position[c[2]][1]) / 3;
        if (y > low && y < high) memmove(mesh->triangle[kept++], c, sizeof *mesh->triangle);
    }
    mesh->triangle_count = kept;
}

TEST(open_and_flipped_surfaces_give_a_warning) {
    sn_mesh mesh;
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    REQUIRE(zoo_muscle(ZOO_BICEPS_SHORT, 0, &mesh));
    const double volume = sn_mesh_volume(&mesh);
    for (int t = 0; t < mesh.triangle_count; t += 5) {
        const int swap = mesh.triangle[t][0];
        mesh.triangle[t][0] = mesh.triangle[t][1], mesh.triangle[t][1] = swap;
    }
    REQUIRE(viperize(&mesh, 6, 10, &v, &report, &error));
    check_viper(&v.skin, &v, 6, 10, volume);
    CHECK(has_warning(&report, "faced the wrong way"));
    sn_viper_free(&v);
    keep_between(&mesh, -0.31f, -0.01f); // no ends left
    REQUIRE(viperize(&mesh, 6, 10, &v, &report, &error));
    check_viper(&v.skin, &v, 6, 10, v.volume);
    CHECK(v.volume > 0.9 * volume && v.volume < volume);
    CHECK(has_warning(&report, "the surface has 2 holes"));
    sn_viper_free(&v);
    sn_mesh_free(&mesh);
}

// The mesh twice, the second one moved.
static sn_mesh twice(const sn_mesh *mesh, float by) {
    sn_mesh out;
    const int n = mesh->vertex_count, t = mesh->triangle_count;
    if (!CHECK(sn_mesh_alloc(&out, 2 * n, 2 * t, 0))) return out; // empty
    for (int v = 0; v < 2 * n; v++)
        for (int k = 0; k < 3; k++) out.position[v][k] = mesh->position[v % n][k] + (v < n || k ? 0 : by);
    for (int i = 0; i < 2 * t; i++)
        for (int k = 0; k < 3; k++) out.triangle[i][k] = mesh->triangle[i % t][k] + (i < t ? 0 : n);
    return out;
}

TEST(a_surface_through_itself_counts_its_volume_once) {
    sn_mesh mesh;
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    REQUIRE(zoo_muscle(ZOO_BICEPS_SHORT, 0, &mesh));
    sn_mesh crossing = twice(&mesh, 0.008f);
    REQUIRE(viperize(&crossing, 6, 10, &v, &report, &error));
    check_viper(&crossing, &v, 6, 10, v.volume);
    CHECK(has_warning(&report, "overlaps itself"));
    CHECK(v.volume > 1.1 * sn_mesh_volume(&mesh) && v.volume < 1.7 * sn_mesh_volume(&mesh));
    sn_viper_free(&v);
    sn_mesh_free(&mesh), sn_mesh_free(&crossing);
}

TEST(two_muscles_at_once_are_refused) {
    sn_mesh mesh;
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    REQUIRE(zoo_muscle(ZOO_BICEPS_SHORT, 0, &mesh));
    sn_mesh two = twice(&mesh, 0.2f);
    CHECK(!viperize(&two, 6, 10, &v, &report, &error));
    CHECK(strstr(error.text, "one muscle at a time"));
    CHECK(!v.point);
    sn_mesh_free(&mesh), sn_mesh_free(&two);
}

TEST(a_crumb_beside_the_muscle_is_left_out) {
    sn_mesh mesh, both;
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    REQUIRE(zoo_muscle(ZOO_BICEPS_SHORT, 0, &mesh));
    both = twice(&mesh, 0.2f);
    for (int n = mesh.vertex_count; n < both.vertex_count; n++)
        for (int k = 0; k < 3; k++) both.position[n][k] *= 0.4f;
    REQUIRE(viperize(&both, 6, 10, &v, &report, &error));
    CHECK(has_warning(&report, "the largest was used"));
    CHECK_NEAR(v.volume / sn_mesh_volume(&mesh), 1, 0.02);
    sn_viper_free(&v);
    sn_mesh_free(&mesh), sn_mesh_free(&both);
}

TEST(a_few_triangles_are_enough_and_none_are_refused) {
    sn_mesh ball = shape_ball(3, 5), sheet = shape_cube(0, 1), nothing = {0}; // a ball of about twenty triangles
    sn_viper v;
    sn_viper_report report;
    tool_error error = {0};
    for (int n = 0; n < ball.vertex_count; n++) ball.position[n][1] *= 4;
    REQUIRE(viperize(&ball, 5, 8, &v, &report, &error));
    check_viper(&ball, &v, 5, 8, sn_mesh_volume(&ball));
    CHECK(has_warning(&report, "the surface has only"));
    sn_viper_free(&v);
    sheet.triangle_count = 2;
    CHECK(!viperize(&sheet, 5, 8, &v, &report, &error));
    CHECK(strstr(error.text, "has no inside"));
    CHECK(!viperize(&nothing, 5, 8, &v, &report, &error));
    CHECK(strstr(error.text, "all triangles are degenerate"));
    ball.triangle_count = 3;
    ball.position[1][1] = NAN;
    CHECK(!viperize(&ball, 5, 8, &v, &report, &error));
    CHECK(strstr(error.text, "vertex 1 is not finite"));
    sn_mesh_free(&ball), sn_mesh_free(&sheet);
}

// --- the zoo's muscles and bones ---

static void check_model(const sn_mesh *mesh, int wanted, double worst) {
    const mesh_facts facts = mesh_check(mesh);
    CHECK_INT(facts.open, 0);
    CHECK_INT(facts.pinched, 0);
    CHECK_INT(facts.unused, 0);
    CHECK_INT(facts.euler, 2);
    if (!CHECK(facts.worst > worst)) printf("%s %g\n", mesh->name, facts.worst);
    CHECK(mesh->normal && mesh->uv);
    CHECK_NEAR((double)mesh->triangle_count / wanted, 1, 0.1);
    CHECK(sn_mesh_volume(mesh) > 0);
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 2; k++)
            if (!(mesh->uv[v][k] >= 0 && mesh->uv[v][k] <= 1)) CHECK(!"texture coordinates are from 0 to 1");
}

TEST(muscles_of_the_zoo_are_closed_and_painted) {
    for (int kind = 0; kind < ZOO_MUSCLE_KINDS; kind++)
        for (int n = 0; n < 2; n++) {
            sn_mesh mesh;
            REQUIRE(zoo_muscle((zoo_muscle_kind)kind, n ? 8000 : 0, &mesh));
            check_model(&mesh, n ? 8000 : ZOO_MUSCLE_DEFAULT_TRIANGLES, 0.02);
            unsigned char *painted = paint_of(&mesh);
            int source = 0, sink = 0;
            for (int v = 0; v < mesh.vertex_count; v++) source += painted[v] == 1, sink += painted[v] == 2;
            CHECK(source > 10 && source < 0.5 * mesh.vertex_count);
            CHECK(sink > 10 && sink < 0.3 * mesh.vertex_count);
            free(painted);
            sn_mesh_free(&mesh);
        }
    sn_mesh mesh;
    CHECK(!zoo_muscle(ZOO_TRICEPS, 100, &mesh) && !mesh.position);
}

TEST(bones_of_the_zoo_are_closed_and_do_not_intersect) {
    // the lowest and the highest point of each
    static const double low[ZOO_BONE_KINDS] = {-0.305, -0.563, -0.561, -0.93, -1.312},
                        high[ZOO_BONE_KINDS] = {0.023, -0.307, -0.270, -0.477, -0.935};
    sn_mesh bone[ZOO_BONE_KINDS];
    for (int kind = 0; kind < ZOO_BONE_KINDS; kind++) {
        float from[3], to[3];
        REQUIRE(zoo_bone((zoo_bone_kind)kind, 0, &bone[kind]));
        check_model(&bone[kind], ZOO_BONE_DEFAULT_TRIANGLES, 0.2);
        sn_mesh_box(&bone[kind], from, to);
        CHECK_NEAR((double)from[1], low[kind], 0.006);
        CHECK_NEAR((double)to[1], high[kind], 0.006);
    }
    for (int a = 0; a < ZOO_BONE_KINDS; a++) {
        sn_winding *winding = sn_winding_make(&bone[a]);
        REQUIRE(winding);
        int within = 0;
        for (int b = 0; b < ZOO_BONE_KINDS; b++)
            for (int v = 0; v < bone[b].vertex_count && a != b; v++) {
                const float *p = bone[b].position[v];
                within +=
                    sn_winding_evaluate(winding, (const double[3]){(double)p[0], (double)p[1], (double)p[2]}) > 0.5;
            }
        if (!CHECK_INT(within, 0)) printf("%s\n", bone[a].name);
        sn_winding_free(winding);
    }
    for (int kind = 0; kind < ZOO_BONE_KINDS; kind++) sn_mesh_free(&bone[kind]);
}
