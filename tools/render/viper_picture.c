// The picture of a muscle turned into rods: see picture.h.
#include "base/math/double3.h"
#include "base/math/vec.h"
#include "render/picture.h"
#include "view/pill_mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float palette[][3] = {
    {0.84f, 0.18f, 0.12f}, {0.05f, 0.37f, 0.42f}, {0.92f, 0.50f, 0.10f}, {0.14f, 0.18f, 0.52f},
    {0.78f, 0.22f, 0.34f}, {0.16f, 0.48f, 0.24f}, {0.90f, 0.66f, 0.22f}, {0.34f, 0.16f, 0.46f},
};
enum { COLOURS = sizeof palette / sizeof *palette };

// Axes of the picture in the muscle's space: right, up (from sink to source), and towards the camera.
typedef struct {
    double axis[3][3], half_wide;
} viper_pose;

static void unit(double v[3], const double otherwise[3]) {
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] = size > 0 ? v[k] / size : otherwise[k];
}

// Half of the skin's extent along a direction.
static double half_width(const sn_mesh *skin, const double direction[3]) {
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < skin->vertex_count; v++) {
        const double p[3] = {(double)skin->position[v][0], (double)skin->position[v][1], (double)skin->position[v][2]};
        low = fmin(low, d3_dot(p, direction)), high = fmax(high, d3_dot(p, direction));
    }
    return 0.5 * (high - low);
}

// Right is the direction in which the muscle is widest.
static viper_pose pose_of(const sn_viper *viper) {
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    viper_pose pose = {.half_wide = -1};
    double up[3], side[2][3];
    for (int k = 0; k < 3; k++) up[k] = viper->source[k] - viper->sink[k];
    unit(up, y);
    for (int k = 0; k < 3; k++) side[0][k] = fabs(up[0]) < 0.9 ? x[k] - up[0] * up[k] : y[k] - up[1] * up[k];
    unit(side[0], x);
    d3_cross(side[0], up, side[1]);
    for (int step_index = 0; step_index < 12; step_index++) {
        double across[3];
        const double angle = 3.14159265358979323846 * step_index / 12;
        for (int k = 0; k < 3; k++) across[k] = cos(angle) * side[0][k] + sin(angle) * side[1][k];
        const double half_wide = half_width(&viper->skin, across);
        if (!(half_wide > 1.02 * pose.half_wide)) continue;
        pose.half_wide = half_wide;
        memcpy(pose.axis[0], across, sizeof across), memcpy(pose.axis[1], up, sizeof up);
        d3_cross(across, up, pose.axis[2]);
    }
    return pose;
}

// Maps a point into the picture, in the panel at 'offset_x'.
static sn_vec3 place(const sn_viper *viper, const viper_pose *pose, const double p[3], double offset_x) {
    double d[3], at[3];
    for (int k = 0; k < 3; k++) d[k] = p[k] - 0.5 * (viper->source[k] + viper->sink[k]);
    for (int k = 0; k < 3; k++) at[k] = d3_dot(pose->axis[k], d);
    return sn_v3((sn_real)(at[0] + offset_x), (sn_real)at[1], (sn_real)at[2]);
}

static double lowest(const sn_viper *viper, const viper_pose *pose) {
    double low = INFINITY;
    for (int v = 0; v < viper->skin.vertex_count; v++) {
        const float *at = viper->skin.position[v];
        const double p[3] = {(double)at[0], (double)at[1], (double)at[2]};
        low = fmin(low, (double)place(viper, pose, p, 0).y);
    }
    return low;
}

static void add(view_model *model, sn_mesh *mesh, const char *name, const float colour[3]) {
    view_mesh *skin = &model->meshes[model->mesh_count];
    view_body *body = &model->bodies[model->body_count++];
    free(mesh->joint), free(mesh->weight); // it is static
    mesh->joint = NULL, mesh->weight = NULL;
    *skin = (view_mesh){.mesh = *mesh};
    *body = (view_body){.mesh = model->mesh_count++, .colour = {colour[0], colour[1], colour[2]}};
    snprintf(body->name, sizeof body->name, "%s", name);
}

static bool add_surface(view_model *model, const sn_viper *viper, const viper_pose *pose, double offset_x) {
    static const float source[3] = {0.80f, 0.07f, 0.05f}, centre[3] = {0.80f, 0.74f, 0.62f},
                       sink[3] = {0.06f, 0.14f, 0.62f}, white[3] = {1, 1, 1};
    const sn_mesh *skin = &viper->skin;
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, skin->vertex_count, skin->triangle_count, MESH_COLOUR)) return false;
    memcpy(mesh.triangle, skin->triangle, (size_t)skin->triangle_count * sizeof *mesh.triangle);
    for (int v = 0; v < skin->vertex_count; v++) {
        const double p[3] = {(double)skin->position[v][0], (double)skin->position[v][1], (double)skin->position[v][2]};
        const sn_vec3 at = place(viper, pose, p, offset_x);
        const float t = (float)(2 * viper->level[v] / (viper->slices - 1)); // 0 to 2
        mesh.position[v][0] = (float)at.x, mesh.position[v][1] = (float)at.y, mesh.position[v][2] = (float)at.z;
        for (int k = 0; k < 3; k++)
            mesh.colour[v][k] =
                t < 1 ? source[k] + t * (centre[k] - source[k]) : centre[k] + (t - 1) * (sink[k] - centre[k]);
    }
    if (!sn_mesh_make_normals(&mesh)) {
        sn_mesh_free(&mesh);
        return false;
    }
    add(model, &mesh, "surface", white);
    return true;
}

static bool add_rod(view_model *model, const sn_viper *viper, const viper_pose *pose, int rod, double offset_x,
                    double line_radius, sn_vec3 *points, sn_real *radii, int *parents) {
    char name[64];
    sn_mesh mesh;
    for (int k = 0; k < viper->slices; k++) {
        points[k] = place(viper, pose, viper->point[(long long)rod * viper->slices + k], offset_x);
        radii[k] = (sn_real)(line_radius > 0 ? line_radius : viper->radius[(long long)rod * viper->slices + k]);
        parents[k] = k - 1;
    }
    if (!pill_mesh_rod(&mesh, points, radii, parents, viper->slices)) return false;
    snprintf(name, sizeof name, "%s %d", line_radius > 0 ? "line" : "rod", rod);
    add(model, &mesh, name, palette[rod % COLOURS]);
    for (int k = 0; k < viper->slices && line_radius > 0; k++) {
        if (!pill_mesh_pill(&mesh, points[k], points[k], (sn_real)(2.2 * line_radius), (sn_real)(2.2 * line_radius)))
            return false;
        snprintf(name, sizeof name, "point %d.%d", rod, k);
        add(model, &mesh, name, palette[rod % COLOURS]);
    }
    return true;
}

bool viper_picture_make(const sn_viper *viper, view_model *out) {
    const size_t slices = (size_t)viper->slices, bodies = 1 + (size_t)viper->rods * (2 + slices);
    const viper_pose pose = pose_of(viper);
    const double half_tall = half_width(&viper->skin, pose.axis[1]), ground = lowest(viper, &pose) - 0.01 * half_tall,
                 step = 2 * pose.half_wide + 0.25 * half_tall;
    sn_vec3 *points = malloc(slices * sizeof *points);
    sn_real *radii = malloc(slices * sizeof *radii);
    int *parents = malloc(slices * sizeof *parents);
    *out = (view_model){.meshes = calloc(bodies, sizeof *out->meshes),
                        .bodies = calloc(bodies, sizeof *out->bodies),
                        .planes = calloc(1, sizeof *out->planes)};
    bool good = points && radii && parents && out->meshes && out->bodies && out->planes;
    if (good) out->planes[out->plane_count++] = (view_plane){sn_v3(0, (sn_real)ground, 0), sn_v3(0, 1, 0)};
    good = good && add_surface(out, viper, &pose, -step);
    for (int rod = 0; rod < viper->rods && good; rod++)
        good = add_rod(out, viper, &pose, rod, 0, 0, points, radii, parents) &&
               add_rod(out, viper, &pose, rod, step, 0.006 * half_tall, points, radii, parents);
    free(points), free(radii), free(parents);
    if (!good) view_model_free(out);
    return good;
}
