// See glb_deform.h. A joint's turn is the shortest one that takes the vertex's normal in the first frame to that of
// now: it has no say in where the vertex is, which lies in the joint.
#include "formats/glb_deform.h"
#include "base/math/vec.h"
#include "formats/keyframes.h"
#include <stdlib.h>
#include <string.h>

static bool is_small(const recorded_shape *shape) {
    return shape->deforming && shape->mesh.vertex_count <= GLB_MOST_JOINTS;
}

bool glb_any_skinned(const recording *take) {
    for (int i = 0; i < take->shape_count; i++)
        if (is_small(&take->shapes[i])) return true;
    return false;
}

static sn_vec3 vec(const float v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

// The mesh as it is in the first frame, every vertex on a joint of its own. Triangles are borrowed.
static bool skin_shape(const recording *take, int body, recorded_shape *out) {
    const recorded_shape *from = &take->shapes[take->bodies[body].shape];
    const size_t n = (size_t)from->mesh.vertex_count;
    *out = (recorded_shape){
        .mesh = from->mesh, .joint_count = from->mesh.vertex_count, .skinned = true, .open = from->open};
    sn_mesh *mesh = &out->mesh;
    mesh->position = malloc((n + 1) * sizeof *mesh->position);
    mesh->normal = malloc((n + 1) * sizeof *mesh->normal);
    mesh->joint = calloc(n + 1, sizeof *mesh->joint);
    mesh->weight = calloc(n + 1, sizeof *mesh->weight);
    out->rest = malloc((n + 1) * sizeof *out->rest);
    if (!mesh->position || !mesh->normal || !mesh->joint || !mesh->weight || !out->rest) return false;
    if (!recording_vertices(take, 0, body, mesh->position, mesh->normal)) return false;
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->joint[v][0] = v;
        mesh->weight[v][0] = 1;
        out->rest[v] = (joint_pose){vec(mesh->position[v]), sn_q_identity(), {1, 1, 1}};
    }
    return true;
}

static void pose_joints(const sn_mesh *mesh, const float (*x)[3], const float (*normals)[3], joint_pose *out) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        const sn_quat turn = sn_q_between(vec(mesh->normal[v]), vec(normals[v]));
        out[v] = (joint_pose){vec(x[v]), turn, {1, 1, 1}};
    }
}

// Joints of all bodies in all frames: those there were, then those of small bodies.
static bool pose_all(const recording *take, recording *out) {
    float(*x)[3] = malloc(GLB_MOST_JOINTS * sizeof *x), (*normals)[3] = malloc(GLB_MOST_JOINTS * sizeof *normals);
    bool good = x && normals;
    out->poses = NULL, out->vertices = NULL, out->times = NULL;
    out->frame_count = out->frame_capacity = 0, out->vertex_count = 0;
    for (int f = 0; good && f < take->frame_count; f++) {
        joint_pose *poses = recording_add(out, take->times[f]);
        good = poses != NULL;
        if (good && take->joint_count)
            memcpy(poses, recording_frame(take, f), (size_t)take->joint_count * sizeof *poses);
        for (int i = 0; good && i < take->body_count; i++) {
            if (!is_small(&take->shapes[take->bodies[i].shape])) continue;
            good = recording_vertices(take, f, i, x, normals);
            const sn_mesh *mesh = &out->shapes[out->bodies[i].shape].mesh;
            if (good) pose_joints(mesh, (const float(*)[3])x, (const float(*)[3])normals, poses + out->bodies[i].first);
        }
        if (good) recording_settle(out);
    }
    out->vertices = take->vertices, out->vertex_count = take->vertex_count; // of those that stay as they are
    free(x);
    free(normals);
    return good;
}

bool glb_skinned_make(const recording *take, glb_skinned *out) {
    const size_t shapes = (size_t)take->shape_count + 1, bodies = (size_t)take->body_count + 1;
    out->take = *take;
    out->take.poses = NULL, out->take.times = NULL;
    out->take.shapes = malloc(shapes * sizeof *out->take.shapes);
    out->take.bodies = malloc(bodies * sizeof *out->take.bodies);
    out->own_shape = calloc(shapes, sizeof *out->own_shape);
    if (!out->take.shapes || !out->take.bodies || !out->own_shape) return false;
    memcpy(out->take.shapes, take->shapes, (shapes - 1) * sizeof *out->take.shapes);
    memcpy(out->take.bodies, take->bodies, (bodies - 1) * sizeof *out->take.bodies);
    for (int i = 0; i < take->body_count; i++) {
        recorded_body *body = &out->take.bodies[i];
        if (!is_small(&take->shapes[body->shape])) continue;
        out->own_shape[body->shape] = true;
        if (!skin_shape(take, i, &out->take.shapes[body->shape])) return false;
        body->first = out->take.joint_count;
        out->take.joint_count += out->take.shapes[body->shape].joint_count;
    }
    return pose_all(take, &out->take);
}

void glb_skinned_free(glb_skinned *skinned) {
    for (int i = 0; skinned->own_shape && i < skinned->take.shape_count; i++) {
        recorded_shape *shape = &skinned->take.shapes[i];
        if (!skinned->own_shape[i]) continue;
        free(shape->mesh.position);
        free(shape->mesh.normal);
        free(shape->mesh.joint);
        free(shape->mesh.weight);
        free(shape->rest);
    }
    free(skinned->own_shape);
    free(skinned->take.shapes);
    free(skinned->take.bodies);
    free(skinned->take.times);
    free(skinned->take.poses);
    *skinned = (glb_skinned){0};
}

// How far the vertices of a frame are at most from what frames a and b give at its time.
typedef struct {
    const recording *take;
    int body;
} body_value;

static double miss(const void *value, int a, int b, int frame) {
    const recording *take = ((const body_value *)value)->take;
    const int body = ((const body_value *)value)->body;
    const int first = take->bodies[body].first, n = take->shapes[take->bodies[body].shape].mesh.vertex_count;
    const float(*at)[3] = (const float(*)[3])recording_frame_vertices(take, frame) + first;
    const float(*from)[3] = (const float(*)[3])recording_frame_vertices(take, a) + first;
    const float(*to)[3] = (const float(*)[3])recording_frame_vertices(take, b) + first;
    const double span = take->times[b] - take->times[a];
    const float f = span > 0 ? (float)((take->times[frame] - take->times[a]) / span) : 0;
    float most = 0;
    for (int v = 0; v < n; v++) {
        float square = 0;
        for (int k = 0; k < 3; k++) {
            const float off = from[v][k] + f * (to[v][k] - from[v][k]) - at[v][k];
            square += off * off;
        }
        most = square > most ? square : most;
    }
    return sqrt((double)most);
}

int glb_choose_targets(const recording *take, int body, double tolerance, bool *keep, int *stack) {
    const body_value value = {take, body};
    return keyframes_thin(miss, &value, take->frame_count - 1, tolerance, keep, stack);
}
