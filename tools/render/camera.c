// A camera that sees everything: it looks slightly down from the side, just far enough away that every joint with the
// mesh around it and every deforming vertex is in the picture in every frame.
#include "base/math/vec.h"
#include "render/render.h"
#include <stdlib.h>

// Distance from the target at which a ball is inside the view, looking along 'forward'.
static double required_distance(sn_vec3 offset, double radius, sn_vec3 forward, sn_vec3 right, sn_vec3 up, double tan_x,
                                double tan_y) {
    double along = (double)sn_dot(offset, forward), x = fabs((double)sn_dot(offset, right)),
           y = fabs((double)sn_dot(offset, up));
    double by_x = x / tan_x + radius * sqrt(1 + 1 / (tan_x * tan_x)) - along;
    double by_y = y / tan_y + radius * sqrt(1 + 1 / (tan_y * tan_y)) - along;
    return by_x > by_y ? by_x : by_y;
}

// Radius around joint k of a mesh.
static double joint_radius(const view_mesh *mesh, int k) {
    if (mesh->radii) return (double)mesh->radii[k];
    double largest = 0;
    for (int v = 0; v < mesh->mesh.vertex_count; v++) {
        if (mesh->mesh.joint[v][0] != k) continue;
        const float *p = mesh->mesh.position[v];
        double offset = (double)sn_length(sn_sub(sn_v3(p[0], p[1], p[2]), mesh->rest[k].position));
        largest = offset > largest ? offset : largest;
    }
    return largest;
}

typedef struct {
    sn_vec3 low, high;
    bool any;
} extent;

static void include(extent *box, sn_vec3 p) {
    const sn_vec3 a = box->low, b = box->high;
    box->low = box->any ? sn_v3(sn_min(a.x, p.x), sn_min(a.y, p.y), sn_min(a.z, p.z)) : p;
    box->high = box->any ? sn_v3(sn_max(b.x, p.x), sn_max(b.y, p.y), sn_max(b.z, p.z)) : p;
    box->any = true;
}

static sn_vec3 vec(const float v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

// Distance from the target at which everything in a frame is inside the view.
typedef struct {
    const view_model *model;
    const double *radii; // of each joint, at rest
    sn_vec3 target, forward, right, up;
    double tan_x, tan_y;
} fit;

static double frame_distance(const fit *f, const view_frame *frame) {
    double distance = 0;
    for (int j = 0; j < f->model->joint_count; j++) {
        const joint_pose *pose = &frame->poses[j];
        const sn_vec3 off = sn_sub(pose->position, f->target);
        const double size = f->radii[j] * (double)joint_pose_scale(pose);
        const double d = required_distance(off, size, f->forward, f->right, f->up, f->tan_x, f->tan_y);
        distance = d > distance ? d : distance;
    }
    for (int v = 0; v < f->model->vertex_count; v++) {
        const sn_vec3 off = sn_sub(vec(frame->vertices[v]), f->target);
        const double d = required_distance(off, 0, f->forward, f->right, f->up, f->tan_x, f->tan_y);
        distance = d > distance ? d : distance;
    }
    return distance;
}

static void include_frame(extent *box, const view_model *model, const view_frame *frame) {
    for (int j = 0; j < model->joint_count; j++) include(box, frame->poses[j].position);
    for (int v = 0; v < model->vertex_count; v++) include(box, vec(frame->vertices[v]));
}

static double *joint_radii(const view_model *model) {
    double *radii = calloc((size_t)model->joint_count + 1, sizeof *radii);
    for (int b = 0; radii && b < model->body_count; b++) {
        const view_mesh *mesh = &model->meshes[model->bodies[b].mesh];
        for (int k = 0; k < mesh->joint_count; k++) radii[model->bodies[b].first + k] = joint_radius(mesh, k);
    }
    return radii;
}

// Reads every step-th frame twice: for the bounding box, then for the distance.
bool render_camera_fit(const view_model *model, const view_spool *frames, int width, int height, render_camera *out) {
    render_camera camera = {.up = {0, 1, 0}, .degrees = 35};
    const int count = view_spool_count(frames), step = count > 60 ? count / 60 : 1;
    view_frame frame = {0};
    double *radii = joint_radii(model), distance = 0;
    bool good = radii && view_frame_alloc(&frame, model);
    extent box = {.any = false};
    for (int i = 0; good && i < count; i += step) {
        good = view_spool_read(frames, i, &frame);
        if (good) include_frame(&box, model, &frame);
    }
    camera.target = sn_lerp(box.low, box.high, (sn_real)0.5);
    const sn_vec3 forward = sn_normalize(sn_v3((sn_real)-0.42, (sn_real)-0.36, -1), sn_v3(0, 0, -1));
    const sn_vec3 right = sn_normalize(sn_cross(forward, camera.up), sn_v3(1, 0, 0)), up = sn_cross(right, forward);
    const double tan_y = tan(camera.degrees * 3.14159265358979323846 / 360), tan_x = tan_y * width / height;
    const fit f = {model, radii, camera.target, forward, right, up, 0.9 * tan_x, 0.9 * tan_y};
    for (int i = 0; good && i < count; i += step) {
        good = view_spool_read(frames, i, &frame);
        const double d = good ? frame_distance(&f, &frame) : 0;
        distance = d > distance ? d : distance;
    }
    if (!(distance > 0)) distance = 3;
    camera.eye = sn_mul_add(camera.target, -(sn_real)distance, forward);
    view_frame_free(&frame);
    free(radii);
    *out = camera;
    return good;
}
