// A picture of a cut through tetrahedra. Its visible faces become a mesh with unshared corners, for flat shading: faces
// of the original boundary in one colour, faces exposed by the cut in shades that distinguish neighbours.
#include "base/math/vec.h"
#include "render/picture.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The cut is vertical, along the longer side; the camera is in front of it, to the right and above.
typedef struct {
    sn_vec3 facing, to_eye; // unit vectors
} cut_view;

static cut_view choose_view(const sn_tet_report *facts) {
    const bool along_x = facts->high[0] - facts->low[0] >= facts->high[2] - facts->low[2];
    const sn_vec3 to_eye = along_x ? sn_v3(0.40f, 0.33f, 0.855f) : sn_v3(0.855f, 0.33f, -0.40f);
    return (cut_view){along_x ? sn_v3(0, 0, 1) : sn_v3(1, 0, 0), to_eye};
}

// The corner of a tetrahedron that is not in a triangle of its boundary.
static int opposite(const sn_tet_mesh *mesh, int t, const int triangle[3], const int *vertex_of) {
    for (int k = 0; k < 4; k++) {
        bool within = false;
        for (int c = 0; c < 3; c++) within = within || vertex_of[triangle[c]] == mesh->tet[t][k];
        if (!within) return k;
    }
    return 0;
}

// Marks the faces of each tetrahedron on the boundary of the whole mesh: one bit per opposite corner.
static bool mark_boundary(const sn_tet_mesh *mesh, unsigned char *faces) {
    sn_mesh surface;
    int *vertex_of = NULL, *tet_of = NULL;
    if (!sn_tet_mesh_boundary(mesh, &surface, &vertex_of, &tet_of)) return false;
    for (int i = 0; i < surface.triangle_count; i++)
        faces[tet_of[i]] |= (unsigned char)(1 << opposite(mesh, tet_of[i], surface.triangle[i], vertex_of));
    free(vertex_of), free(tet_of);
    sn_mesh_free(&surface);
    return true;
}

// The tetrahedra behind the plane and their original indices; all vertices are kept.
static bool cut_open(const sn_tet_mesh *mesh, const sn_tet_report *facts, const cut_view *at, sn_tet_mesh *out,
                     int *source_tet) {
    if (!sn_tet_mesh_alloc(out, mesh->vertex_count, mesh->tet_count)) return false;
    memcpy(out->position, mesh->position, (size_t)mesh->vertex_count * sizeof *out->position);
    out->tet_count = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const double facing[3] = {(double)at->facing.x, (double)at->facing.y, (double)at->facing.z};
        double side = 0;
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                side += facing[c] * (mesh->position[mesh->tet[t][k]][c] - 0.5 * (facts->low[c] + facts->high[c]));
        if (side >= 0) continue;
        source_tet[out->tet_count] = t;
        memcpy(out->tet[out->tet_count++], mesh->tet[t], sizeof *out->tet);
    }
    return true;
}

static uint32_t mix(uint32_t x) {
    x ^= x >> 16, x *= 0x7feb352du;
    x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static bool make_faces(const sn_tet_mesh *mesh, const sn_tet_report *facts, const cut_view *at, sn_mesh *out) {
    static const float skin[3] = {0.16f, 0.32f, 0.50f}, flesh[3] = {0.85f, 0.38f, 0.16f};
    sn_tet_mesh half = {0};
    sn_mesh surface = {0};
    int *vertex_of = NULL, *tet_of = NULL, *source_tet = malloc(((size_t)mesh->tet_count + 1) * sizeof *source_tet);
    unsigned char *faces = calloc((size_t)mesh->tet_count + 1, 1);
    bool good =
        faces && source_tet && mark_boundary(mesh, faces) && cut_open(mesh, facts, at, &half, source_tet) &&
        sn_tet_mesh_boundary(&half, &surface, &vertex_of, &tet_of) &&
        sn_mesh_alloc(out, 3 * surface.triangle_count, surface.triangle_count, MESH_NORMAL | MESH_COLOUR | MESH_SKIN);
    for (int t = 0; t < surface.triangle_count && good; t++) {
        const int *v = surface.triangle[t];
        const bool old = faces[source_tet[tet_of[t]]] >> opposite(&half, tet_of[t], v, vertex_of) & 1;
        const float shade = old ? 1 : 0.72f + 0.5f * (float)(mix((uint32_t)tet_of[t]) % 1024) / 1024;
        for (int k = 0; k < 3; k++) {
            const int vertex = 3 * t + k;
            out->triangle[t][k] = vertex;
            out->weight[vertex][0] = 1;
            memcpy(out->position[vertex], surface.position[v[k]], sizeof *out->position);
            for (int c = 0; c < 3; c++) out->colour[vertex][c] = (old ? skin : flesh)[c] * shade;
        }
    }
    good = good && sn_mesh_make_normals(out);
    free(faces), free(source_tet), free(vertex_of), free(tet_of);
    sn_mesh_free(&surface);
    sn_tet_mesh_free(&half);
    return good;
}

// A static recording: one joint for all vertices, and one at the opposite corner of the box to define the size.
static void set_joints(view_model *model, const sn_tet_report *facts) {
    joint_pose *rest = model->meshes[0].rest;
    for (int i = 0; i < 2; i++) {
        const double *p = i ? facts->high : facts->low;
        rest[i] = (joint_pose){.position = {(float)p[0], (float)p[1], (float)p[2]}, .rotation = {0, 0, 0, 1}};
        rest[i].scale = (sn_vec3){1, 1, 1};
    }
}

// A camera as close as possible with everything in view.
static render_camera fit_camera(const sn_mesh *mesh, const cut_view *at, int width, int height) {
    const float degrees = 30, half = tanf(degrees * SN_PI / 360), margin = 0.88f;
    const sn_vec3 right = sn_normalize(sn_cross(sn_v3(0, 1, 0), at->to_eye), sn_v3(1, 0, 0)),
                  up = sn_cross(at->to_eye, right);
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, front = -INFINITY, distance = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        const sn_vec3 p = sn_v3(mesh->position[v][0], mesh->position[v][1], mesh->position[v][2]);
        const float projected[2] = {sn_dot(p, right), sn_dot(p, up)};
        for (int k = 0; k < 2; k++) low[k] = sn_min(low[k], projected[k]), high[k] = sn_max(high[k], projected[k]);
        front = sn_max(front, sn_dot(p, at->to_eye));
    }
    for (int k = 0; k < 2; k++) {
        const float extent = margin * half * (k == 0 ? (float)width / (float)height : 1);
        distance = sn_max(distance, (high[k] - low[k]) / 2 / extent);
    }
    const sn_vec3 target =
        sn_mul_add(sn_mul_add(sn_mul((low[0] + high[0]) / 2, right), (low[1] + high[1]) / 2, up), front, at->to_eye);
    return (render_camera){sn_mul_add(target, distance, at->to_eye), target, {0, 1, 0}, (double)degrees};
}

bool tet_picture_write(const char *file, const sn_tet_mesh *mesh, int width, int height, int threads,
                       tool_error *error) {
    const sn_tet_report facts = sn_tet_mesh_measure(mesh);
    const cut_view at = choose_view(&facts);
    joint_pose rest[2];
    view_mesh skin = {.joint_count = 2, .rest = rest, .skinned = true};
    view_body body = {.name = "tetrahedra", .colour = {1, 1, 1}};
    view_model model = {.meshes = &skin, .bodies = &body, .mesh_count = 1, .body_count = 1, .joint_count = 2};
    bool good = make_faces(mesh, &facts, &at, &skin.mesh) || tool_error_out_of_memory(error);
    if (good) {
        set_joints(&model, &facts);
        const render_settings settings = {width, height, 16, threads, fit_camera(&skin.mesh, &at, width, height)};
        good = picture_write_png(file, &model, &settings, error);
    }
    sn_mesh_free(&skin.mesh);
    return good;
}
