// links: tools
// Small balls with strings that fall on one another: bodies most of whose medial spheres are no handles, so that contacts
// push handles through them. A ball is a cube of cells with columns of cells, its strings, on every other cell of its faces.
#include "bake/elastic_bake.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R(x) ((sn_real)(x))

enum { CORE = 5, LENGTH = 6, SPAN = CORE + 2 * LENGTH, CORNERS = SPAN + 1, STRINGS = 6 * 9 };
static const double cell = 0.03;

typedef struct {
    sn_tet_mesh tets;
    sn_medial_mesh medial;
    int handle[7 + 2 * STRINGS], handle_count;
    int number[CORNERS][CORNERS][CORNERS];
    bool filled[SPAN][SPAN][SPAN];
} hairy;

static void place(double i, double j, double k, double out[3]) {
    out[0] = cell * (i - 0.5 * SPAN), out[1] = cell * (j - 0.5 * SPAN), out[2] = cell * (k - 0.5 * SPAN);
}

// The cells of a string: face 0 to 5, string 0 to 8 of it, step outward from 0.
static void string_cell(int face, int string, double step, double out[3]) {
    const int axis = face / 2;
    out[(axis + 1) % 3] = LENGTH + 2 * (string % 3), out[(axis + 2) % 3] = LENGTH + 2 * (string / 3);
    out[axis] = face % 2 ? LENGTH + CORE + step : LENGTH - 1 - step;
}

static void fill_cells(hairy *h) {
    for (int i = 0; i < CORE * CORE * CORE; i++)
        h->filled[LENGTH + i / (CORE * CORE)][LENGTH + i / CORE % CORE][LENGTH + i % CORE] = true;
    for (int n = 0; n < STRINGS * LENGTH; n++) {
        double c[3];
        string_cell(n / LENGTH / 9, n / LENGTH % 9, n % LENGTH, c);
        h->filled[(int)c[0]][(int)c[1]][(int)c[2]] = true;
    }
}

// Six tetrahedra around a diagonal of each cell, all diagonals alike, so that neighbours fit.
static bool make_tets(hairy *h) {
    static const int way[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
    int vertices = 0, cells = 0;
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++)
        h->number[i / (CORNERS * CORNERS)][i / CORNERS % CORNERS][i % CORNERS] = -1;
    if (!sn_tet_mesh_alloc(&h->tets, CORNERS * CORNERS * CORNERS, 6 * SPAN * SPAN * SPAN)) return false;
    for (int n = 0; n < SPAN * SPAN * SPAN; n++) {
        const int at[3] = {n / (SPAN * SPAN), n / SPAN % SPAN, n % SPAN};
        if (!h->filled[at[0]][at[1]][at[2]]) continue;
        for (int t = 0; t < 6; t++) {
            int corner[4][3], *tet = h->tets.tet[6 * cells + t];
            for (int c = 0; c < 4; c++)
                for (int k = 0; k < 3; k++)
                    corner[c][k] = at[k] + (c == 3 || (c > 0 && way[t][0] == k) || (c > 1 && way[t][1] == k));
            for (int c = 0; c < 4; c++) {
                int *number = &h->number[corner[c][0]][corner[c][1]][corner[c][2]];
                if (*number < 0) {
                    *number = vertices;
                    place(corner[c][0], corner[c][1], corner[c][2], h->tets.position[vertices++]);
                }
                tet[c] = *number;
            }
            double(*p)[3] = h->tets.position;
            if (sn_tet_volume(p[tet[0]], p[tet[1]], p[tet[2]], p[tet[3]]) > 0) continue;
            const int swapped = tet[1];
            tet[1] = tet[2], tet[2] = swapped;
        }
        cells++;
    }
    h->tets.vertex_count = vertices, h->tets.tet_count = 6 * cells;
    return true;
}

// Handles: in the middle of the cube, behind its faces, in the middle and at the tip of each string. The cube is shown
// by slabs on its faces, a string by two cones.
static bool make_medial(hairy *h) {
    static const int corner_of[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    sn_medial_mesh *m = &h->medial;
    if (!sn_medial_mesh_alloc(m, 15 + 3 * STRINGS, 6 + 2 * STRINGS, 12)) return false;
    const double middle = 0.5 * SPAN, inset = 0.75;
    int cones = 0;
    for (int i = 0; i < 7; i++) {
        double at[3] = {middle, middle, middle};
        if (i > 0) at[(i - 1) / 2] += (i % 2 ? 0.25 : -0.25) * CORE;
        place(at[0], at[1], at[2], m->centre[i]);
        m->radius[i] = 0.2 * CORE * cell;
        h->handle[h->handle_count++] = i;
        if (i > 0) m->cone[cones][0] = 0, m->cone[cones++][1] = i;
    }
    for (int i = 0; i < 8; i++) {
        const double away = 0.5 * CORE - inset;
        place(middle + (i & 4 ? away : -away), middle + (i & 2 ? away : -away), middle + (i & 1 ? away : -away),
              m->centre[7 + i]);
        m->radius[7 + i] = inset * cell;
    }
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) m->slab[i][k] = 7 + corner_of[i / 2][i % 2 ? (k + 2) % 4 : k];
    for (int n = 0; n < STRINGS; n++)
        for (int k = 0; k < 3; k++) {
            const int i = 15 + 3 * n + k;
            double at[3];
            string_cell(n / 9, n % 9, k == 0 ? -1 : k == 1 ? 0.5 * LENGTH - 0.5 : LENGTH - 1, at);
            place(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5, m->centre[i]);
            m->radius[i] = 0.5 * cell;
            if (k > 0) m->cone[cones][0] = i - 1, m->cone[cones++][1] = i, h->handle[h->handle_count++] = i;
        }
    return true;
}

static sn_elastic_model *model_of_hairy(void) {
    hairy *h = calloc(1, sizeof *h);
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_asset asset = {0};
    sn_elastic_model *model = NULL;
    elastic_report report;
    tool_error error = {0};
    if (!h) return NULL;
    fill_cells(h);
    bool good = make_tets(h) && make_medial(h);
    const elastic_source source = {NULL, &h->tets, &h->medial, h->handle, h->handle_count};
    elastic_bake_options options = elastic_bake_default();
    options.quadratic = ELASTIC_QUADRATIC_NONE;
    good = good && elastic_bake(&memory, &source, &options, &asset, &report, &error);
    CHECK_STRING(error.text, "");
    if (good) {
        CHECK(asset.handle_count > 2 * STRINGS && asset.handle_count < asset.sphere_count);
        sn_elastic_model_def def = sn_elastic_model_def_default();
        def.asset = &asset;
        CHECK_INT(sn_elastic_model_create(&def, &model), SN_OK);
        sn_elastic_asset_free(&memory, &asset);
    }
    sn_tet_mesh_free(&h->tets);
    sn_medial_mesh_free(&h->medial);
    free(h);
    return model;
}

static sn_body ball_at(sn_world *world, sn_elastic_model *model, sn_vec3 position, sn_vec3 velocity, double damping) {
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.position = position, def.velocity = velocity;
    def.young = R(2e4), def.density = 300, def.damping = R(damping), def.iterations = 1;
    sn_body id = {0};
    CHECK_INT(sn_elastic_create(world, &def, &id), SN_OK);
    return id;
}

static sn_world *world_of(double gravity, int workers) {
    sn_world_def def = sn_world_def_default();
    def.worker_count = workers, def.gravity = (sn_vec3){0, R(gravity), 0};
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

static sn_vec3 middle_of(const sn_world *world, sn_body id) {
    sn_vec3 at[15 + 3 * STRINGS];
    sn_body_get_points(world, id, at, 15 + 3 * STRINGS);
    return at[0];
}

static double apart(const sn_world *world, sn_body a, sn_body b) {
    const sn_vec3 x = middle_of(world, a), y = middle_of(world, b);
    return sqrt((double)((x.x - y.x) * (x.x - y.x) + (x.y - y.y) * (x.y - y.y) + (x.z - y.z) * (x.z - y.z)));
}

// The lowest place of the cube's shell.
static double bottom_of(const sn_world *world, sn_body id) {
    sn_vec3 at[15 + 3 * STRINGS];
    sn_real radius[15 + 3 * STRINGS];
    sn_body_get_points(world, id, at, 15 + 3 * STRINGS);
    sn_elastic_get_radii(world, id, radius, 15 + 3 * STRINGS);
    double low = 10;
    for (int i = 7; i < 15; i++) low = fmin(low, (double)at[i].y - (double)radius[i]);
    return low;
}

// One is thrown at another that falls to the ground, hard enough to bend all strings between them. Cubes that do not sink
// into each other are at least their size apart, however they lie.
TEST(balls_with_strings_rest_on_one_another) {
    sn_elastic_model *model = model_of_hairy();
    REQUIRE(model != NULL);
    sn_world *world = world_of(-9.81, 1);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    CHECK_INT(sn_rigid_create(world, &ground, &plane), SN_OK);
    const double size = CORE * cell;
    const sn_body low = ball_at(world, model, (sn_vec3){0, R(0.3), 0}, (sn_vec3){0, 0, 0}, 2);
    const sn_body high = ball_at(world, model, (sn_vec3){R(0.03), R(0.9), R(0.02)}, (sn_vec3){0, -8, 0}, 2);
    double nearest = 10, lowest = 10;
    for (int i = 0; i < 60; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
        nearest = fmin(nearest, apart(world, low, high));
        lowest = fmin(lowest, fmin(bottom_of(world, low), bottom_of(world, high)));
    }
    CHECK(nearest > 0.95 * size);
    CHECK(lowest > -0.05 * size);
    CHECK(nearest < 3 * size); // they have come to touch
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
}

// In free space what one loses the other gains, and no number of workers makes a difference.
TEST(strings_that_collide_keep_momentum) {
    sn_elastic_model *model = model_of_hairy();
    REQUIRE(model != NULL);
    uint64_t hash[2];
    for (int workers = 0; workers < 2; workers++) {
        sn_world *world = world_of(0, 1 + workers);
        ball_at(world, model, (sn_vec3){R(-0.28), 0, 0}, (sn_vec3){R(1.5), 0, 0}, 0);
        const sn_body other = ball_at(world, model, (sn_vec3){R(0.28), R(0.05), R(0.03)}, (sn_vec3){R(-0.5), 0, 0}, 0);
        const sn_momentum before = sn_world_momentum(world);
        const sn_vec3 start = middle_of(world, other);
        int touched = 0;
        for (int i = 0; i < 20; i++) {
            CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
            touched += sn_world_profile(world).contacts > 0;
        }
        const sn_momentum after = sn_world_momentum(world);
        CHECK(touched > 5);
        CHECK(middle_of(world, other).x > start.x - R(0.5 * 20 / 60.0) + R(0.02)); // it was pushed back
        for (int k = 0; k < 3; k++) CHECK_NEAR(after.linear[k], before.linear[k], 1e-5 * fabs(before.linear[0]));
        hash[workers] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    sn_elastic_model_destroy(model);
}
