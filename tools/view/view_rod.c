// Rods are pills. A joint at each point; without a skin its rotation is
//
//     (rotation of the segments since the start) (rotation of the placement),
//
// the mean over the segments that meet in the point, so at rest it is the identity. Thick segments weigh more: a thin arm
// does not rotate the head that it grows from. Such joints scale by the rod's scale in all directions, as its pills do.
// A skin also stretches along the rod: its joints are the handles of sn_skin_update.
#include "base/math/vec.h"
#include "view/view_joints.h"
#include <stdlib.h>
#include <string.h>

static int points(const sn_world *world, sn_body body, sn_vec3 *out, int capacity) {
    return sn_body_get_points(world, body, out, capacity);
}

static int radii(const sn_world *world, sn_body body, sn_real *out, int capacity) {
    return sn_rod_get_radii(world, body, out, capacity);
}

static int scales(const sn_world *world, sn_body body, sn_real *out, int capacity) {
    return sn_rod_get_scales(world, body, out, capacity);
}

static int parents(const sn_world *world, sn_body body, int *out, int capacity) {
    return sn_rod_get_parents(world, body, out, capacity);
}

static bool is_solid(const sn_world *world, sn_body body) {
    (void)world, (void)body;
    return true;
}

// --- joints ---

static bool start_skinned(view_poses *poses, const sn_world *world, posed_body *body) {
    sn_skin *skin = poses_skin(poses, body->count);
    const sn_placement placement = {body->is.position, body->is.rotation, 1};
    const sn_body rod = body->is.body;
    if (!skin || sn_skin_instance_create(skin, &body->skin) != SN_OK) return false;
    if (sn_skin_instance_bind(body->skin, world, &rod, 1, &placement) != SN_OK) return false;
    if (body->is.fill_rest) sn_skin_instance_get_joints(body->skin, world, body->is.rest, NULL, body->count);
    return true;
}

static bool start(view_poses *poses, const sn_world *world, posed_body *body) {
    if (body->is.skinned) return start_skinned(poses, world, body);
    const sn_body rod = body->is.body;
    const size_t n = (size_t)body->count;
    body->start_rotations = malloc(n * sizeof *body->start_rotations);
    body->radii = malloc(n * sizeof *body->radii);
    if (!body->start_rotations || !body->radii) return false;
    sn_rod_get_frames(world, rod, poses->frames, body->count);
    sn_rod_get_radii(world, rod, body->radii, body->count);
    sn_rod_get_scales(world, rod, poses->scales, body->count);
    for (int i = 0; i < body->count; i++) {
        body->start_rotations[i] = sn_q_mul(sn_q_conj(poses->frames[i]), body->is.rotation);
        body->radii[i] /= poses->scales[i];
    }
    return true;
}

static sn_real along(const sn_real s[6], sn_vec3 d) {
    return s[0] * d.x * d.x + s[1] * d.y * d.y + s[2] * d.z * d.z +
           2 * (s[3] * d.x * d.y + s[4] * d.x * d.z + s[5] * d.y * d.z);
}

// Joints from handles, in the axes of the mesh: those of a copy may differ where a rod is alike in all directions.
static void read_skinned(view_poses *poses, const sn_world *world, const posed_body *body, sn_joint_pose *out) {
    const int n = sn_skin_instance_get_handles(body->skin, world, poses->handles, poses->capacity);
    for (int k = 0; k < n; k++) {
        const sn_handle *h = &poses->handles[k];
        const sn_quat axes = body->is.rest[k].rotation;
        const sn_vec3 scale = {along(h->stretch, sn_q_axis_x(axes)), along(h->stretch, sn_q_axis_y(axes)),
                               along(h->stretch, sn_q_axis_z(axes))};
        out[k] = (sn_joint_pose){h->centre, sn_q_normalize(sn_q_mul(h->rotation, axes)), scale, sn_q_identity()};
    }
}

static void read_plain(view_poses *poses, const sn_world *world, const posed_body *body, sn_joint_pose *out) {
    const sn_body rod = body->is.body;
    sn_body_get_points(world, rod, poses->points, body->count);
    sn_rod_get_frames(world, rod, poses->frames, body->count);
    sn_rod_get_parents(world, rod, poses->parents, body->count);
    for (int k = 0; k < body->count; k++) {
        const sn_real s = poses->scales[k];
        out[k] = (sn_joint_pose){poses->points[k], {0, 0, 0, 0}, {s, s, s}, sn_q_identity()};
    }
    for (int k = 0; k < body->count; k++) {
        const int parent = poses->parents[k];
        if (parent < 0) continue;
        const sn_quat rotation = sn_q_mul(poses->frames[k], body->start_rotations[k]);
        const sn_real radius = body->radii[k] + body->radii[parent];
        out[k].rotation = poses_add_rotation(out[k].rotation, radius * radius, rotation);
        out[parent].rotation = poses_add_rotation(out[parent].rotation, radius * radius, rotation);
    }
    for (int k = 0; k < body->count; k++) out[k].rotation = sn_q_normalize(out[k].rotation);
}

static void read(view_poses *poses, const sn_world *world, const posed_body *body, sn_joint_pose *out, sn_real *scale) {
    if (sn_rod_get_scales(world, body->is.body, poses->scales, poses->capacity) != body->count) return;
    if (body->is.skinned)
        read_skinned(poses, world, body, out);
    else
        read_plain(poses, world, body, out);
    if (scale) memcpy(scale, poses->scales, (size_t)body->count * sizeof *scale);
}

static const view_joints joints = {start, read};

// --- sliders ---

typedef struct {
    sn_surface surface;
    bool collide, self;
    int count;
    sn_material materials[]; // at each point
} rod_settings;

static void *copy_settings(const sn_world *world, sn_body body) {
    const int count = sn_body_point_count(world, body);
    rod_settings *copy = malloc(sizeof *copy + (size_t)count * sizeof *copy->materials);
    if (!copy) return NULL;
    copy->count = count;
    sn_rod_get_materials(world, body, copy->materials, count);
    sn_body_get_contact(world, body, &copy->surface, &copy->collide, &copy->self);
    return copy;
}

static void scale_settings(sn_world *world, sn_body body, const void *settings, const view_factors *factors) {
    const rod_settings *of = settings;
    sn_material *m = malloc((size_t)of->count * sizeof *m);
    for (int k = 0; m && k < of->count; k++) {
        const float stiff = factors->stiffness;
        m[k] = of->materials[k];
        m[k].young *= stiff, m[k].shear *= stiff, m[k].transverse *= stiff, m[k].scale_bend *= stiff;
        m[k].volume *= stiff * factors->volume;
        m[k].damping += factors->damping;
    }
    if (m) sn_rod_set_materials(world, body, m, of->count);
    free(m);
    sn_surface surface = of->surface;
    surface.friction_static *= factors->friction;
    surface.friction_dynamic *= factors->friction;
    sn_body_set_contact(world, body, &surface, of->collide, of->self);
}

static void contract(sn_world *world, sn_body body, float length) {
    const int count = sn_body_point_count(world, body);
    for (int k = 0; k < count; k++) sn_rod_set_segment(world, body, k, 1, length);
}

const view_kind view_rod = {.kind = SN_KIND_ROD,
                            .form = VIEW_PILLS,
                            .points = points,
                            .radii = radii,
                            .scales = VIEW_FOR_FILES(scales),
                            .is_solid = VIEW_FOR_FILES(is_solid),
                            .parents = parents,
                            .length = VIEW_FOR_FILES(sn_rod_length),
                            .joints = &joints,
                            .copy_settings = copy_settings,
                            .scale_settings = scale_settings,
                            .contract = contract};
