// See glb_deform.h. The rotation of a joint is the shortest one from the vertex's normal in the first frame to its
// normal now. It does not affect the vertex, which is at the joint's origin.
#include "formats/glb_deform.h"
#include "base/math/vec.h"
#include <stdlib.h>
#include <string.h>

static bool is_small(const view_mesh *mesh) {
    return mesh->deforming && mesh->mesh.vertex_count <= GLB_MAX_JOINTS;
}

bool glb_any_skinned(const view_model *model) {
    for (int i = 0; i < model->mesh_count; i++)
        if (is_small(&model->meshes[i])) return true;
    return false;
}

static sn_vec3 vec(const float v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

// The mesh of the first frame, every vertex on a joint of its own. Triangles are borrowed.
static bool skin_mesh(const view_model *model, const view_frame *first, int body, view_mesh *out) {
    const view_mesh *from = &model->meshes[model->bodies[body].mesh];
    const size_t n = (size_t)from->mesh.vertex_count;
    *out = (view_mesh){.mesh = from->mesh, .joint_count = from->mesh.vertex_count, .skinned = true, .open = from->open};
    sn_mesh *mesh = &out->mesh;
    mesh->position = malloc((n + 1) * sizeof *mesh->position);
    mesh->normal = malloc((n + 1) * sizeof *mesh->normal);
    mesh->joint = calloc(n + 1, sizeof *mesh->joint);
    mesh->weight = calloc(n + 1, sizeof *mesh->weight);
    out->rest = malloc((n + 1) * sizeof *out->rest);
    if (!mesh->position || !mesh->normal || !mesh->joint || !mesh->weight || !out->rest) return false;
    if (!view_body_vertices(model, first, body, mesh->position, mesh->normal)) return false;
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->joint[v][0] = v;
        mesh->weight[v][0] = 1;
        out->rest[v] = (joint_pose){vec(mesh->position[v]), sn_q_identity(), {1, 1, 1}, sn_q_identity()};
    }
    return true;
}

// Meshes and bodies of the skinned model.
static bool make_model(const view_model *model, const view_frame *first, glb_skinned *out) {
    const size_t meshes = (size_t)model->mesh_count, bodies = (size_t)model->body_count;
    out->model = *model;
    out->model.vertex_count = 0;
    out->model.meshes = malloc((meshes + 1) * sizeof *out->model.meshes);
    out->model.bodies = malloc((bodies + 1) * sizeof *out->model.bodies);
    out->own_mesh = calloc(meshes + 1, sizeof *out->own_mesh);
    if (!out->model.meshes || !out->model.bodies || !out->own_mesh) return false;
    memcpy(out->model.meshes, model->meshes, meshes * sizeof *out->model.meshes);
    memcpy(out->model.bodies, model->bodies, bodies * sizeof *out->model.bodies);
    for (int i = 0; i < model->body_count; i++) {
        view_body *body = &out->model.bodies[i];
        if (!is_small(&model->meshes[body->mesh])) continue;
        out->own_mesh[body->mesh] = true;
        if (!skin_mesh(model, first, i, &out->model.meshes[body->mesh])) return false;
        body->first = out->model.joint_count;
        out->model.joint_count += out->model.meshes[body->mesh].joint_count;
    }
    return true;
}

static void pose_joints(const sn_mesh *mesh, const float (*x)[3], const float (*normals)[3], joint_pose *out) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        const sn_quat rotation = sn_q_between(vec(mesh->normal[v]), vec(normals[v]));
        out[v] = (joint_pose){vec(x[v]), rotation, {1, 1, 1}, sn_q_identity()};
    }
}

// Poses of a frame: those it has, then those of small bodies.
static bool pose_frame(const view_model *model, const view_frame *frame, const view_model *skinned, view_frame *out) {
    float x[GLB_MAX_JOINTS][3], normals[GLB_MAX_JOINTS][3];
    out->time = frame->time;
    memcpy(out->poses, frame->poses, (size_t)model->joint_count * sizeof *out->poses);
    for (int i = 0; i < model->body_count; i++) {
        if (!is_small(&model->meshes[model->bodies[i].mesh])) continue;
        if (!view_body_vertices(model, frame, i, x, normals)) return false;
        const view_body *body = &skinned->bodies[i];
        pose_joints(&skinned->meshes[body->mesh].mesh, (const float(*)[3])x, (const float(*)[3])normals,
                    out->poses + body->first);
    }
    return true;
}

bool glb_skinned_make(const view_model *model, const view_spool *frames, glb_skinned *out) {
    view_frame from = {.time = 0}, two[2] = {from, from};
    *out = (glb_skinned){0};
    bool good = view_frame_alloc(&from, model) && view_spool_read(frames, 0, &from) && make_model(model, &from, out);
    good = good && view_frame_alloc(&two[0], &out->model) && view_frame_alloc(&two[1], &out->model);
    out->frames = good ? view_spool_create_like(frames, &out->model) : NULL;
    good = good && out->frames;
    for (int f = 0; good && f < view_spool_count(frames); f++) {
        view_frame *now = &two[f % 2];
        good = view_spool_read(frames, f, &from) && pose_frame(model, &from, &out->model, now);
        if (good && f > 0) view_frame_align(now, &two[(f + 1) % 2], out->model.joint_count);
        good = good && view_spool_write(out->frames, now);
    }
    view_frame_free(&from);
    view_frame_free(&two[0]);
    view_frame_free(&two[1]);
    return good;
}

void glb_skinned_free(glb_skinned *skinned) {
    for (int i = 0; skinned->own_mesh && i < skinned->model.mesh_count; i++) {
        view_mesh *mesh = &skinned->model.meshes[i];
        if (!skinned->own_mesh[i]) continue;
        free(mesh->mesh.position);
        free(mesh->mesh.normal);
        free(mesh->mesh.joint);
        free(mesh->mesh.weight);
        free(mesh->rest);
    }
    free(skinned->own_mesh);
    free(skinned->model.meshes);
    free(skinned->model.bodies);
    view_spool_free(skinned->frames);
    *skinned = (glb_skinned){0};
}

// --- morph targets ---

// Frames of one body: the two that interpolation starts from, and the one between.
typedef struct {
    const view_spool *frames;
    const double *times;
    int first, count; // of its vertices
    float (*from)[3], (*to)[3], (*at)[3];
} target_search;

static bool read_body(const target_search *s, int frame, float (*out)[3]) {
    return view_spool_read_vertices(s->frames, frame, s->first, s->count, out);
}

// The largest distance of a vertex of s->at from the interpolation between s->from and s->to.
static double deviation(const target_search *s, int a, int b, int frame) {
    const double span = s->times[b] - s->times[a];
    const float f = span > 0 ? (float)((s->times[frame] - s->times[a]) / span) : 0;
    float max = 0;
    for (int v = 0; v < s->count; v++) {
        float square = 0;
        for (int k = 0; k < 3; k++) {
            const float off = s->from[v][k] + f * (s->to[v][k] - s->from[v][k]) - s->at[v][k];
            square += off * off;
        }
        max = square > max ? square : max;
    }
    return sqrt((double)max);
}

// The frame between a and b that deviates most, if by more than the tolerance; else a. -1: cannot be read.
static int worst_frame(const target_search *s, int a, int b, double tolerance) {
    int worst = a;
    double max = tolerance;
    if (!read_body(s, a, s->from) || !read_body(s, b, s->to)) return -1;
    for (int i = a + 1; i < b; i++) {
        if (!read_body(s, i, s->at)) return -1;
        const double by = deviation(s, a, b, i);
        if (by > max) max = by, worst = i;
    }
    return worst;
}

// Whether all frames equal the first; -1: cannot be read.
static int is_still(const target_search *s, int count, double tolerance) {
    if (!read_body(s, 0, s->from) || !read_body(s, 0, s->to)) return -1;
    for (int i = 1; i < count; i++) {
        if (!read_body(s, i, s->at)) return -1;
        if (deviation(s, 0, 0, i) > tolerance) return 0;
    }
    return 1;
}

// Douglas and Peucker as in keyframes.c, but level by level: each level reads the file once from start to end.
// `stack` holds the pairs of frames of this level and of the next.
static int split(const target_search *s, int count, double tolerance, int max, bool *keep, int *stack) {
    int *level = stack, *next = stack + 2 * count, pairs = 1, kept = 2;
    keep[0] = keep[count - 1] = true;
    level[0] = 0, level[1] = count - 1;
    while (pairs > 0 && kept <= max) {
        int more = 0;
        for (int p = 0; p < pairs && kept <= max; p++) {
            const int a = level[2 * p], b = level[2 * p + 1], worst = worst_frame(s, a, b, tolerance);
            if (worst < 0) return -1;
            if (worst == a) continue;
            keep[worst] = true;
            kept++;
            next[2 * more] = a, next[2 * more + 1] = worst;
            next[2 * more + 2] = worst, next[2 * more + 3] = b;
            more += 2;
        }
        int *done = level;
        level = next, next = done, pairs = more;
    }
    return kept;
}

int glb_choose_targets(const view_model *model, const view_spool *frames, int body, double tolerance, int max,
                       bool *keep, int *stack) {
    const int count = view_spool_count(frames), n = model->meshes[model->bodies[body].mesh].mesh.vertex_count;
    const size_t size = ((size_t)n + 1) * 3 * sizeof(float);
    target_search s = {frames,      view_spool_times(frames), model->bodies[body].first, n, malloc(size), malloc(size),
                       malloc(size)};
    memset(keep, 0, (size_t)count * sizeof *keep);
    int kept = -1;
    if (s.from && s.to && s.at) kept = is_still(&s, count, tolerance);
    if (kept >= 0) kept = kept ? 0 : split(&s, count, tolerance, max, keep, stack);
    free(s.from);
    free(s.to);
    free(s.at);
    return kept;
}
