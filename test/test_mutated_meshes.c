// links: tools
// A thousand broken meshes through everything that is done to meshes: nothing crashes or hangs, what comes out has
// finite vertices and triangles that name them, and every refusal is a sentence. Each tool gets its share, with seeds
// of its own.
#include "fields/smooth.h"
#include "medial/medial.h"
#include "mesh/decimate.h"
#include "mesh/mesh_repair.h"
#include "mesh/resample.h"
#include "mesh/self_intersection.h"
#include "test.h"
#include "tets/tet_lattice.h"
#include "zoo/damage.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint64_t next_random(void) {
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int any(int count) {
    return count > 0 ? (int)(next_random() % (uint64_t)count) : 0;
}

static float chance(void) { // -1 to 1
    return (float)((double)(next_random() >> 11) * 0x1p-52 - 1);
}

static sn_mesh whole(int kind) {
    static sn_mesh made[3];
    static const zoo_surface_kind kinds[3] = {ZOO_TORUS, ZOO_MARSHMALLOW, ZOO_TORUS};
    static const int sizes[3] = {200, 160, 500};
    if (!made[kind].position && !zoo_surface(kinds[kind], sizes[kind], &made[kind])) abort();
    sn_mesh copy;
    const sn_mesh *from = &made[kind];
    if (!sn_mesh_alloc(&copy, from->vertex_count, from->triangle_count, MESH_NORMAL)) abort();
    memcpy(copy.position, from->position, (size_t)from->vertex_count * sizeof *from->position);
    memcpy(copy.normal, from->normal, (size_t)from->vertex_count * sizeof *from->normal);
    memcpy(copy.triangle, from->triangle, (size_t)from->triangle_count * sizeof *from->triangle);
    return copy;
}

static void mutate_once(sn_mesh *mesh) {
    if (mesh->triangle_count == 0) return;
    int *t = mesh->triangle[any(mesh->triangle_count)];
    float *p = mesh->position[any(mesh->vertex_count)];
    switch (any(14)) {
    case 0: // triangles are missing
        mesh->triangle_count -= any(mesh->triangle_count / 3 + 1);
        break;
    case 1: // one is missing
        memmove(t, mesh->triangle[--mesh->triangle_count], sizeof *mesh->triangle);
        break;
    case 2: { // a vertex is moved, a little or far
        const float way = any(2) ? 0.05f : 5;
        for (int k = 0; k < 3; k++) p[k] += way * chance();
        break;
    }
    case 3: // a vertex is where another is
        memmove(p, mesh->position[any(mesh->vertex_count)], sizeof *mesh->position);
        break;
    case 4: { // a triangle is turned round
        const int first = t[0];
        t[0] = t[1], t[1] = first;
        break;
    }
    case 5: // it has other corners
        for (int k = 0; k < 3; k++) t[k] = any(mesh->vertex_count);
        break;
    case 6: // it has a corner twice
        t[any(3)] = t[0];
        break;
    case 7: // it is there twice
        memmove(mesh->triangle[any(mesh->triangle_count)], t, sizeof *mesh->triangle);
        break;
    case 8: // all is flat
        for (int v = 0, axis = any(3); v < mesh->vertex_count && any(4) == 0; v++) mesh->position[v][axis] = 0.25f;
        break;
    case 9: { // all is tiny, huge, or far away
        const float scale = any(2) ? 1e-12f : 1e12f;
        const float far = any(2) ? 1e6f : 0;
        if (any(4) == 0)
            for (int v = 0; v < mesh->vertex_count; v++)
                for (int k = 0; k < 3; k++) mesh->position[v][k] = scale * (mesh->position[v][k] + far);
        break;
    }
    case 10: // all is noise
        for (int v = 0; v < mesh->vertex_count && any(4) == 0; v++)
            for (int k = 0; k < 3; k++) mesh->position[v][k] += 0.1f * chance();
        break;
    case 11: // all is turned inside out
        for (int i = 0; i < mesh->triangle_count; i++) {
            const int first = mesh->triangle[i][0];
            mesh->triangle[i][0] = mesh->triangle[i][1], mesh->triangle[i][1] = first;
        }
        break;
    case 12: // hardly anything is left
        if (any(8) == 0) mesh->triangle_count = any(4);
        break;
    default: // what the zoo knows of damage
        zoo_damage(mesh, (zoo_damage_kind)any(ZOO_DAMAGE_KINDS), state);
        break;
    }
}

static sn_mesh mutated(uint64_t seed) {
    state = seed * UINT64_C(0xD6E8FEB86659FD93);
    sn_mesh mesh = whole(any(3));
    for (int i = any(6); i >= 0; --i) mutate_once(&mesh);
    return mesh;
}

static bool is_sound(const sn_mesh *mesh) {
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangle[i / 3][i % 3] < 0 || mesh->triangle[i / 3][i % 3] >= mesh->vertex_count) return false;
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->position[i / 3][i % 3])) return false;
    return true;
}

static bool is_sentence(const char *text) {
    return strlen(text) > 5 && strlen(text) < 256;
}

static double diagonal(const sn_mesh *mesh) {
    float low[3], high[3];
    double sum = 0;
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) sum += ((double)high[k] - low[k]) * ((double)high[k] - low[k]);
    return sqrt(sum);
}

// Every other mesh is cared for first, as the command line does.
static sn_mesh input(uint64_t seed) {
    sn_mesh mesh = mutated(seed), repaired;
    mesh_repair_report report;
    const mesh_repair_options options = mesh_repair_options_default();
    if (seed % 2 == 0) return mesh;
    if (!mesh_repair(&mesh, &options, &repaired, NULL, &report)) abort();
    sn_mesh_free(&mesh);
    return repaired;
}

TEST(repair_survives_444_broken_meshes) {
    for (uint64_t seed = 1; seed <= 444; seed++) {
        sn_mesh mesh = mutated(seed), repaired;
        mesh_repair_report report;
        mesh_repair_options options = mesh_repair_options_default();
        tool_error error;
        int *vertex_of = NULL;
        options.fill_edges = seed % 3 ? 8 : 100;
        REQUIRE(mesh_repair(&mesh, &options, &repaired, &vertex_of, &report));
        CHECK(is_sound(&repaired));
        CHECK_INT(report.triangles, repaired.triangle_count);
        CHECK(!report.closed || report.holes + report.non_manifold_edges + report.inconsistent_edges == 0);
        if (!mesh_is_solid(&report, &error)) CHECK(is_sentence(error.text));
        sn_self_intersections crossing;
        REQUIRE(sn_self_intersection_find(&repaired, &crossing, NULL));
        CHECK(crossing.triangles <= repaired.triangle_count);
        free(vertex_of);
        sn_mesh_free(&repaired), sn_mesh_free(&mesh);
    }
}

TEST(resampling_survives_200_broken_meshes) {
    for (uint64_t seed = 1001; seed <= 1000 + ROUNDS(200); seed++) {
        sn_mesh mesh = input(seed), out;
        tool_error error;
        sn_resample_options options = sn_resample_options_default(diagonal(&mesh) / 20);
        options.max_triangles = 20000;
        options.iterations = 4;
        if (sn_resample(&mesh, &options, &out, &error))
            CHECK(is_sound(&out));
        else
            CHECK(is_sentence(error.text) && !out.position);
        sn_mesh_free(&out), sn_mesh_free(&mesh);
    }
}

TEST(decimation_and_smoothing_survive_200_broken_meshes) {
    for (uint64_t seed = 2001; seed <= 2000 + ROUNDS(200); seed++) {
        sn_mesh mesh = input(seed), out;
        const sn_decimate_options options = {mesh.triangle_count / 4, seed % 3 ? 0 : 0.01 * diagonal(&mesh)};
        REQUIRE(sn_decimate(&mesh, &options, &out));
        CHECK(is_sound(&out));
        CHECK(out.triangle_count <= mesh.triangle_count);
        if (seed % 4 == 0) sn_smooth_positions(&out, 0.02 * diagonal(&mesh));
        CHECK(is_sound(&out));
        sn_mesh_free(&out), sn_mesh_free(&mesh);
    }
}

TEST(tetrahedra_survive_150_broken_meshes) {
    for (uint64_t seed = 3001; seed <= 3000 + ROUNDS(150); seed++) {
        sn_mesh mesh = input(seed);
        sn_mesh_query *query = sn_mesh_query_build(&mesh);
        sn_winding *winding = sn_winding_make(&mesh);
        REQUIRE(query && winding);
        const sn_tet_lattice_options options = {.spacing = diagonal(&mesh) / 12, .threads = 1};
        sn_tet_lattice_report report;
        sn_tet_mesh tets = {0};
        tool_error error = {.text = ""};
        if (sn_tet_lattice(&mesh, query, winding, &options, &tets, &report, &error)) {
            CHECK(sn_tet_mesh_is_conforming(&tets, &error));
            CHECK_INT(sn_tet_mesh_measure(&tets).inverted, 0);
        } else
            CHECK(is_sentence(error.text));
        sn_tet_mesh_free(&tets);
        sn_mesh_query_free(query), sn_winding_free(winding), sn_mesh_free(&mesh);
    }
}

TEST(medial_meshes_survive_6_broken_meshes) {
    for (uint64_t seed = 4001; seed <= 4000 + ROUNDS(6); seed++) {
        sn_mesh mesh = mutated(seed);
        medial_options options = medial_options_default();
        medial_report report;
        sn_medial_mesh medial;
        tool_error error = {.text = ""};
        memset(&medial, 0, sizeof medial);
        options.spheres = 12;
        options.cell = 0.08; // coarse: the time goes with its third power
        if (sn_medial_make(&mesh, &options, &medial, &report, &error)) {
            CHECK(isfinite(medial_two_sided_error(&report)));
            sn_medial_mesh_free(&medial);
        } else
            CHECK(is_sentence(error.text));
        sn_mesh_free(&mesh);
    }
}
