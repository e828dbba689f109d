// Poses of frames, and vertices from them.
#include "view/recording.h"
#include "base/math/vec.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Frames there should be room for next; 0: there may not be more.
static int next_capacity(const recording *take) {
    const size_t joints = (size_t)take->joint_count, vertices = (size_t)take->vertex_count;
    const size_t bytes = take->most_bytes ? take->most_bytes : RECORDING_MOST_BYTES;
    size_t capacity = take->frame_capacity ? 2 * (size_t)take->frame_capacity : 64;
    const size_t most = vertices ? bytes / sizeof *take->vertices / vertices : INT32_MAX;
    capacity = capacity < most ? capacity : most;
    if (joints && capacity > SIZE_MAX / sizeof(joint_pose) / joints) return 0;
    return capacity > (size_t)take->frame_count ? (int)capacity : 0;
}

static bool more_room(recording *take) {
    const int frames = next_capacity(take);
    const size_t capacity = (size_t)frames;
    if (frames == 0) return false;
    double *times = realloc(take->times, capacity * sizeof *times);
    if (times) take->times = times;
    joint_pose *poses = realloc(take->poses, ((size_t)take->joint_count * capacity + 1) * sizeof *poses);
    if (poses) take->poses = poses;
    if (!times || !poses) return false;
    if (take->vertex_count > 0) {
        float(*vertices)[3] = realloc(take->vertices, (size_t)take->vertex_count * capacity * sizeof *vertices);
        if (!vertices) return false;
        take->vertices = vertices;
    }
    take->frame_capacity = frames;
    return true;
}

joint_pose *recording_add(recording *take, double t) {
    if (take->frame_count == take->frame_capacity && !more_room(take)) return NULL;
    take->times[take->frame_count] = t;
    return take->poses + (size_t)take->joint_count * (size_t)take->frame_count++;
}

const joint_pose *recording_frame(const recording *take, int frame) {
    return take->poses + (size_t)take->joint_count * (size_t)frame;
}

float (*recording_frame_vertices(const recording *take, int frame))[3] {
    return take->vertices ? take->vertices + (size_t)take->vertex_count * (size_t)frame : NULL;
}

void recording_settle(recording *take) {
    if (take->frame_count < 2) return;
    joint_pose *now = take->poses + (size_t)take->joint_count * (size_t)(take->frame_count - 1);
    const joint_pose *before = now - take->joint_count;
    for (int i = 0; i < take->joint_count; i++) {
        const sn_quat a = before[i].rotation, b = now[i].rotation;
        if (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0) now[i].rotation = (sn_quat){-b.x, -b.y, -b.z, -b.w};
    }
}

bool recording_moves(const recording *take, int body) {
    const recorded_shape *shape = &take->shapes[take->bodies[body].shape];
    return shape->deforming || shape->joint_count > 0;
}

int64_t recording_vertex_count(const recording *take) {
    int64_t count = 0;
    for (int i = 0; i < take->body_count; i++) {
        if (recording_moves(take, i)) count += take->shapes[take->bodies[i].shape].mesh.vertex_count;
    }
    return count;
}

sn_real joint_pose_scale(const joint_pose *pose) {
    return sn_max(pose->scale.x, sn_max(pose->scale.y, pose->scale.z));
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

// Normals go with the cofactors of what moves the surface, so they stay at right angles to it.
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
    const sn_vec3 v = sn_q_rotate(sn_q_conj(rest->rotation), axis), a = rest->scale, b = now->scale;
    return sn_q_rotate(now->rotation, sn_v3(v.x * b.x / a.x, v.y * b.y / a.y, v.z * b.z / a.z));
}

static joint_move move_of(const joint_pose *rest, const joint_pose *now) {
    const columns by = {column(rest, now, sn_v3(1, 0, 0)), column(rest, now, sn_v3(0, 1, 0)),
                        column(rest, now, sn_v3(0, 0, 1))};
    return (joint_move){rest->position, now->position, by};
}

// The cross product of two edges is as long as the triangle is large.
static void add_triangle(const float (*x)[3], const int *corner, float (*normals)[3]) {
    const sn_vec3 a = vec(x[corner[0]]), b = vec(x[corner[1]]), c = vec(x[corner[2]]);
    const sn_vec3 n = sn_cross(sn_sub(b, a), sn_sub(c, a));
    for (int k = 0; k < 3; k++) put(normals[corner[k]], sn_add(vec(normals[corner[k]]), n));
}

static void deformed(const recording *take, int frame, int body, float (*positions)[3], float (*normals)[3]) {
    const sn_mesh *mesh = &take->shapes[take->bodies[body].shape].mesh;
    const size_t size = (size_t)mesh->vertex_count * sizeof *positions;
    memcpy(positions, recording_frame_vertices(take, frame) + take->bodies[body].first, size);
    if (!normals) return;
    memset(normals, 0, size);
    for (int t = 0; t < mesh->triangle_count; t++)
        add_triangle((const float(*)[3])positions, mesh->triangle[t], normals);
    for (int v = 0; v < mesh->vertex_count; v++) put(normals[v], sn_normalize(vec(normals[v]), sn_v3(0, 1, 0)));
}

bool recording_vertices(const recording *take, int frame, int body, float (*positions)[3], float (*normals)[3]) {
    const recorded_shape *shape = &take->shapes[take->bodies[body].shape];
    const sn_mesh *mesh = &shape->mesh;
    if (shape->deforming) {
        deformed(take, frame, body, positions, normals);
        return true;
    }
    const joint_pose *poses = recording_frame(take, frame) + take->bodies[body].first;
    joint_move *moves = malloc(((size_t)shape->joint_count + 1) * sizeof *moves);
    if (!moves) return false;
    for (int j = 0; j < shape->joint_count; j++) moves[j] = move_of(&shape->rest[j], &poses[j]);
    for (int v = 0; v < mesh->vertex_count; v++) {
        sn_vec3 x = vec(mesh->position[v]), n = vec(mesh->normal[v]), sum = sn_v3(0, 0, 0);
        columns by = {sum, sum, sum};
        for (int k = 0; k < 4 && shape->joint_count; k++) {
            const sn_real w = (sn_real)mesh->weight[v][k];
            if (w == 0) continue;
            const joint_move *move = &moves[mesh->joint[v][k]];
            sum = sn_mul_add(sum, w, sn_add(move->at, apply(&move->by, sn_sub(x, move->from))));
            by.x = sn_mul_add(by.x, w, move->by.x);
            by.y = sn_mul_add(by.y, w, move->by.y);
            by.z = sn_mul_add(by.z, w, move->by.z);
        }
        put(positions[v], shape->joint_count ? sum : x);
        if (normals) put(normals[v], shape->joint_count ? sn_normalize(apply_cofactors(&by, n), n) : n);
    }
    free(moves);
    return true;
}

void recording_free(recording *take) {
    for (int i = 0; i < take->shape_count; i++) {
        sn_mesh_free(&take->shapes[i].mesh);
        free(take->shapes[i].rest);
        free(take->shapes[i].parents);
        free(take->shapes[i].radii);
    }
    free(take->shapes);
    free(take->bodies);
    free(take->planes);
    free(take->times);
    free(take->poses);
    free(take->vertices);
    *take = (recording){0};
}
