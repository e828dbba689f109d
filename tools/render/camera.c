// A camera that sees all: it looks down a little from the side, and stands just so far away that every joint of every
// frame, with the room around it, and every vertex that deforms is in the picture.
#include "base/math/vec.h"
#include "render/render.h"

// Distance from the target at which a ball is inside the view, seen along 'forward'.
static double required_distance(sn_vec3 offset, double radius, sn_vec3 forward, sn_vec3 right, sn_vec3 up, double tan_x,
                                double tan_y) {
    double along = (double)sn_dot(offset, forward), x = fabs((double)sn_dot(offset, right)),
           y = fabs((double)sn_dot(offset, up));
    double by_x = x / tan_x + radius * sqrt(1 + 1 / (tan_x * tan_x)) - along;
    double by_y = y / tan_y + radius * sqrt(1 + 1 / (tan_y * tan_y)) - along;
    return by_x > by_y ? by_x : by_y;
}

// The radius around joint k of a shape.
static double joint_radius(const recorded_shape *shape, int k) {
    if (shape->radii) return (double)shape->radii[k];
    double largest = 0;
    for (int v = 0; v < shape->mesh.vertex_count; v++) {
        if (shape->mesh.joint[v][0] != k) continue;
        const float *p = shape->mesh.position[v];
        double offset = (double)sn_length(sn_sub(sn_v3(p[0], p[1], p[2]), shape->rest[k].position));
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

render_camera render_camera_fit(const recording *rec, int width, int height) {
    render_camera camera = {.up = {0, 1, 0}, .degrees = 35};
    extent box = {.any = false};
    int step = rec->frame_count > 60 ? rec->frame_count / 60 : 1;
    for (int f = 0; f < rec->frame_count; f += step) {
        const joint_pose *poses = recording_frame(rec, f);
        const float(*vertices)[3] = (const float(*)[3])recording_frame_vertices(rec, f);
        for (int j = 0; j < rec->joint_count; j++) include(&box, poses[j].position);
        for (int v = 0; v < rec->vertex_count; v++) include(&box, vec(vertices[v]));
    }
    camera.target = sn_lerp(box.low, box.high, (sn_real)0.5);
    sn_vec3 forward = sn_normalize(sn_v3((sn_real)-0.42, (sn_real)-0.36, -1), sn_v3(0, 0, -1));
    sn_vec3 right = sn_normalize(sn_cross(forward, camera.up), sn_v3(1, 0, 0)), up = sn_cross(right, forward);
    double tan_y = tan(camera.degrees * 3.14159265358979323846 / 360), tan_x = tan_y * width / height, distance = 0;
    for (int b = 0; b < rec->body_count; b++) {
        const recorded_shape *shape = &rec->shapes[rec->bodies[b].shape];
        for (int k = 0; k < shape->joint_count; k++) {
            double radius = joint_radius(shape, k);
            for (int f = 0; f < rec->frame_count; f += step) {
                const joint_pose *pose = &recording_frame(rec, f)[rec->bodies[b].first + k];
                sn_vec3 offset = sn_sub(pose->position, camera.target);
                double size = radius * (double)joint_pose_scale(pose);
                double d = required_distance(offset, size, forward, right, up, 0.9 * tan_x, 0.9 * tan_y);
                distance = d > distance ? d : distance;
            }
        }
    }
    for (int f = 0; f < rec->frame_count; f += step) {
        const float(*vertices)[3] = (const float(*)[3])recording_frame_vertices(rec, f);
        for (int v = 0; v < rec->vertex_count; v++) {
            sn_vec3 offset = sn_sub(vec(vertices[v]), camera.target);
            double d = required_distance(offset, 0, forward, right, up, 0.9 * tan_x, 0.9 * tan_y);
            distance = d > distance ? d : distance;
        }
    }
    if (!(distance > 0)) distance = 3;
    camera.eye = sn_mul_add(camera.target, -(sn_real)distance, forward);
    return camera;
}
