// Vertices from poses; see view_model.h.
#include "view/view_model.h"
#include "base/math/vec.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool view_frame_alloc(view_frame *frame, const view_model *model) {
    *frame = (view_frame){.poses = calloc((size_t)model->joint_count + 1, sizeof *frame->poses),
                          .vertices = calloc((size_t)model->vertex_count + 1, sizeof *frame->vertices)};
    if (frame->poses && frame->vertices) return true;
    view_frame_free(frame);
    return false;
}

void view_frame_free(view_frame *frame) {
    free(frame->poses);
    free(frame->vertices);
    *frame = (view_frame){0};
}

void view_frame_align(view_frame *frame, const view_frame *before, int joint_count) {
    for (int i = 0; i < joint_count; i++) {
        const sn_quat a = before->poses[i].rotation, b = frame->poses[i].rotation;
        if (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0)
            frame->poses[i].rotation = (sn_quat){-b.x, -b.y, -b.z, -b.w};
    }
}

bool view_body_moves(const view_model *model, int body) {
    const view_mesh *mesh = &model->meshes[model->bodies[body].mesh];
    return mesh->deforming || mesh->joint_count > 0;
}

int64_t view_moving_vertex_count(const view_model *model) {
    int64_t count = 0;
    for (int i = 0; i < model->body_count; i++) {
        if (view_body_moves(model, i)) count += model->meshes[model->bodies[i].mesh].mesh.vertex_count;
    }
    return count;
}

sn_real joint_pose_scale(const joint_pose *pose) {
    return sn_max(pose->scale.x, sn_max(pose->scale.y, pose->scale.z));
}

sn_vec3 joint_pose_scaled(const joint_pose *pose, sn_vec3 x) {
    const sn_vec3 s = pose->scale;
    const sn_quat q = pose->axes;
    if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0) return sn_v3(s.x * x.x, s.y * x.y, s.z * x.z);
    const sn_vec3 v = sn_q_rotate(sn_q_conj(q), x);
    return sn_q_rotate(q, sn_v3(s.x * v.x, s.y * v.y, s.z * v.z));
}

static sn_quat axes_of(const joint_pose *pose) {
    const sn_quat q = pose->axes;
    return q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0 ? sn_q_identity() : q;
}

joint_pose joint_pose_outer(const joint_pose *pose) {
    return (joint_pose){pose->position, sn_q_normalize(sn_q_mul(pose->rotation, axes_of(pose))), pose->scale,
                        sn_q_identity()};
}

joint_pose joint_pose_inner(const joint_pose *pose) {
    return (joint_pose){{0, 0, 0}, sn_q_conj(axes_of(pose)), {1, 1, 1}, sn_q_identity()};
}

static sn_vec3 vec(const float v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static void put(float out[3], sn_vec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

// A matrix by its columns.
typedef struct {
    sn_vec3 x, y, z;
} columns;

static sn_vec3 apply(const columns *m, sn_vec3 v) {
    return sn_add(sn_add(sn_mul(v.x, m->x), sn_mul(v.y, m->y)), sn_mul(v.z, m->z));
}

// Normals transform with the cofactor matrix, so they stay perpendicular to the surface.
static sn_vec3 apply_cofactors(const columns *m, sn_vec3 n) {
    const columns cofactors = {sn_cross(m->y, m->z), sn_cross(m->z, m->x), sn_cross(m->x, m->y)};
    return apply(&cofactors, n);
}

// From rest to now: x -> at + by (x - from).
typedef struct {
    sn_vec3 from, at;
    columns by;
} joint_move;

static sn_vec3 column(const joint_pose *rest, const joint_pose *now, sn_vec3 axis) {
    const sn_vec3 v = sn_q_rotate(sn_q_conj(rest->rotation), axis), a = rest->scale;
    return sn_q_rotate(now->rotation, joint_pose_scaled(now, sn_v3(v.x / a.x, v.y / a.y, v.z / a.z)));
}

static joint_move move_of(const joint_pose *rest, const joint_pose *now) {
    const columns by = {column(rest, now, sn_v3(1, 0, 0)), column(rest, now, sn_v3(0, 1, 0)),
                        column(rest, now, sn_v3(0, 0, 1))};
    return (joint_move){rest->position, now->position, by};
}

// Adds the cross product of two edges, whose length is twice the triangle's area.
static void add_triangle(const float (*x)[3], const int *corner, float (*normals)[3]) {
    const sn_vec3 a = vec(x[corner[0]]), b = vec(x[corner[1]]), c = vec(x[corner[2]]);
    const sn_vec3 n = sn_cross(sn_sub(b, a), sn_sub(c, a));
    for (int k = 0; k < 3; k++) put(normals[corner[k]], sn_add(vec(normals[corner[k]]), n));
}

void view_mesh_normals(const sn_mesh *mesh, const float (*positions)[3], float (*normals)[3]) {
    memset(normals, 0, (size_t)mesh->vertex_count * sizeof *normals);
    for (int t = 0; t < mesh->triangle_count; t++) add_triangle(positions, mesh->triangle[t], normals);
    for (int v = 0; v < mesh->vertex_count; v++) put(normals[v], sn_normalize(vec(normals[v]), sn_v3(0, 1, 0)));
}

bool view_body_vertices(const view_model *model, const view_frame *frame, int body, float (*positions)[3],
                        float (*normals)[3]) {
    const view_mesh *skin = &model->meshes[model->bodies[body].mesh];
    const sn_mesh *mesh = &skin->mesh;
    const int first = model->bodies[body].first;
    if (skin->deforming) {
        memcpy(positions, frame->vertices + first, (size_t)mesh->vertex_count * sizeof *positions);
        if (normals) view_mesh_normals(mesh, (const float(*)[3])positions, normals);
        return true;
    }
    const joint_pose *poses = frame->poses + first;
    joint_move *moves = malloc(((size_t)skin->joint_count + 1) * sizeof *moves);
    if (!moves) return false;
    for (int j = 0; j < skin->joint_count; j++) moves[j] = move_of(&skin->rest[j], &poses[j]);
    for (int v = 0; v < mesh->vertex_count; v++) {
        sn_vec3 x = vec(mesh->position[v]), n = vec(mesh->normal[v]), sum = sn_v3(0, 0, 0);
        columns by = {sum, sum, sum};
        for (int k = 0; k < 4 && skin->joint_count; k++) {
            const sn_real w = (sn_real)mesh->weight[v][k];
            if (w == 0) continue;
            const joint_move *move = &moves[mesh->joint[v][k]];
            sum = sn_mul_add(sum, w, sn_add(move->at, apply(&move->by, sn_sub(x, move->from))));
            by.x = sn_mul_add(by.x, w, move->by.x);
            by.y = sn_mul_add(by.y, w, move->by.y);
            by.z = sn_mul_add(by.z, w, move->by.z);
        }
        put(positions[v], skin->joint_count ? sum : x);
        if (normals) put(normals[v], skin->joint_count ? sn_normalize(apply_cofactors(&by, n), n) : n);
    }
    free(moves);
    return true;
}

void view_model_free(view_model *model) {
    for (int i = 0; i < model->mesh_count; i++) {
        sn_mesh_free(&model->meshes[i].mesh);
        free(model->meshes[i].rest);
        free(model->meshes[i].parents);
        free(model->meshes[i].radii);
    }
    free(model->meshes);
    free(model->bodies);
    free(model->planes);
    *model = (view_model){0};
}
