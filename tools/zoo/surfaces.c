// The surfaces of surfaces.h: zero levels of distance fields, except the puffer ball. The cell size for a given number
// of triangles is found by trial: the number is proportional to the inverse square of the cell size, so a coarse
// attempt predicts the right size.
#include "zoo/surfaces.h"
#include "mesh/maths.h"
#include "zoo/distance_fields.h"
#include "zoo/isosurface.h"
#include "zoo/puffer_body.h"
#include <stdlib.h>
#include <string.h>

static double marshmallow_field(const void *context, const double p[3]) {
    (void)context;
    const double bulge = 0.02 * own_cos(3.0 * zoo_clamp(p[1], -0.4, 0.4));
    return zoo_corner_distance(own_hypot(p[0], p[2]) - 0.48 - bulge, fabs(p[1]) - 0.4, 0.14) / 1.01;
}

static double torus_field(const void *context, const double p[3]) {
    (void)context;
    return own_hypot(own_hypot(p[0], p[2]) - 0.35, p[1]) - 0.15;
}

static const struct {
    const char *name;
    int min_triangles, default_triangles;
    double (*field)(const void *context, const double p[3]); // null: built by hand
    double low[3], high[3];                                  // bounding box
} kinds[ZOO_SURFACE_KINDS] = {
    [ZOO_CREATURE] = {"creature", 3000, 12000, zoo_creature_field, {-0.88, -0.08, -0.35}, {0.87, 1.2, 0.35}},
    [ZOO_CACTUS] = {"cactus", 4000, 20000, zoo_cactus_field, {-0.6, -0.06, -0.6}, {0.6, 1.6, 0.6}},
    [ZOO_PUFFER] = {"puffer", 36000, 50000, NULL, {0}, {0}},
    [ZOO_SHIP] = {"ship", 12000, 30000, zoo_ship_field, {-1.2, -0.1, -0.7}, {1.2, 1.2, 0.7}},
    [ZOO_MARSHMALLOW] = {"marshmallow", 100, 6000, marshmallow_field, {-0.62, -0.52, -0.62}, {0.62, 0.52, 0.62}},
    [ZOO_TORUS] = {"torus", 200, 6000, torus_field, {-0.62, -0.27, -0.62}, {0.62, 0.27, 0.62}},
};

const char *zoo_surface_name(zoo_surface_kind kind) {
    return kinds[kind].name;
}

int zoo_surface_default_triangles(zoo_surface_kind kind) {
    return kinds[kind].default_triangles;
}

int zoo_surface_min_triangles(zoo_surface_kind kind) {
    return kinds[kind].min_triangles;
}

// Tries a grid with this cell size, or slightly finer ones if two sheets of the surface share a cell.
static bool try_cell(zoo_surface_kind kind, double cell, int smoothing_passes, sn_mesh *out) {
    zoo_iso iso = {kinds[kind].field, NULL, NULL, {0}, {0}, cell, smoothing_passes};
    bool good = false;
    for (int k = 0; k < 3; k++) {
        iso.low[k] = kinds[kind].low[k] - 1.5 * cell;
        iso.high[k] = kinds[kind].high[k] + 1.5 * cell;
    }
    for (int attempt = 0; attempt < 4 && !good; attempt++) {
        good = zoo_isosurface(&iso, out);
        iso.cell *= 0.97;
    }
    return good;
}

static bool make_from_field(zoo_surface_kind kind, int triangles, sn_mesh *out) {
    const double target = triangles;
    double cell = sqrt(12 / fmax(0.3 * target, 4000)); // an area of about 4
    bool good = try_cell(kind, cell, 0, out);
    for (int attempt = 0; attempt < 3 && good; attempt++) {
        cell *= sqrt(out->triangle_count / target);
        sn_mesh_free(out);
        good = try_cell(kind, cell, 12, out);
        if (good && fabs(out->triangle_count / target - 1) < 0.05) break;
    }
    return good;
}

// Moves the mesh onto the ground and projects texture coordinates from the side: u along the longer horizontal side, v
// up.
static bool finish(zoo_surface_kind kind, sn_mesh *mesh) {
    float low[3], high[3];
    sn_mesh_box(mesh, low, high);
    const int across = high[2] - low[2] > 1.001f * (high[0] - low[0]) ? 2 : 0;
    mesh->uv = calloc((size_t)mesh->vertex_count, sizeof *mesh->uv);
    if (!mesh->uv || !sn_mesh_make_normals(mesh)) return false;
    for (int v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->position[v];
        mesh->uv[v][0] = (p[across] - low[across]) / (high[across] - low[across]);
        mesh->uv[v][1] = (p[1] - low[1]) / (high[1] - low[1]);
        p[1] -= low[1];
    }
    strcpy(mesh->name, kinds[kind].name);
    return true;
}

bool zoo_surface(zoo_surface_kind kind, int triangles, sn_mesh *out) {
    *out = (sn_mesh){0};
    if (triangles == 0) triangles = kinds[kind].default_triangles;
    if (triangles < kinds[kind].min_triangles || triangles > ZOO_SURFACE_MAX_TRIANGLES) return false;
    const bool good = kinds[kind].field ? make_from_field(kind, triangles, out) : zoo_puffer(triangles, out);
    if (good && finish(kind, out)) return true;
    sn_mesh_free(out);
    return false;
}
