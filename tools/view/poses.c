// Dispatch to the kinds, and the joints that no kind defines. Joints of a muscle are its cross-sections: position,
// rotation, and a scale along the axes in which they flatten. The rotation of a joint of a chain is the shortest one from the direction of its lines at the
// start, the mean over those that meet.
#include "view/poses.h"
#include "base/math/vec.h"
#include "view/view_joints.h"
#include <stdlib.h>
#include <string.h>

view_poses *poses_new(void) {
    return calloc(1, sizeof(view_poses));
}

void poses_free(view_poses *poses) {
    if (!poses) return;
    for (int i = 0; i < poses->count; i++) {
        sn_skin_instance_destroy(poses->bodies[i].skin);
        free(poses->bodies[i].start_rotations);
        free(poses->bodies[i].radii);
        free(poses->bodies[i].chain);
        free(poses->bodies[i].parents);
        free(poses->bodies[i].directions);
    }
    for (int i = 0; i < poses->skin_count; i++) sn_skin_destroy(poses->skins[i]);
    free(poses->skins);
    free(poses->bodies);
    free(poses->handles);
    free(poses->sections);
    free(poses->points);
    free(poses->frames);
    free(poses->scales);
    free(poses->parents);
    free(poses);
}

static bool grow(void *array, size_t count, size_t size) {
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, (count ? count : 1) * size);
    if (grown) memcpy(array, &grown, sizeof grown);
    return grown;
}

static bool allocate(view_poses *poses, int points) {
    if (poses->count == poses->body_capacity) {
        const int more = poses->body_capacity ? 2 * poses->body_capacity : 16;
        if (!grow(&poses->bodies, (size_t)more, sizeof *poses->bodies)) return false;
        poses->body_capacity = more;
    }
    if (points <= poses->capacity) return true;
    const size_t n = (size_t)points;
    if (!grow(&poses->handles, n, sizeof *poses->handles) || !grow(&poses->points, n, sizeof *poses->points) ||
        !grow(&poses->frames, n, sizeof *poses->frames) || !grow(&poses->scales, n, sizeof *poses->scales) ||
        !grow(&poses->parents, n, sizeof *poses->parents) || !grow(&poses->sections, n, sizeof *poses->sections))
        return false;
    poses->capacity = points;
    return true;
}

sn_skin *poses_skin(view_poses *poses, int count) {
    for (int i = 0; i < poses->skin_count; i++)
        if (sn_skin_handle_count(poses->skins[i]) == count) return poses->skins[i];
    if (!grow(&poses->skins, (size_t)poses->skin_count + 1, sizeof(sn_skin *))) return NULL;
    const sn_vec3 at = {0, 0, 0};
    const uint16_t handles[SN_SKIN_INFLUENCES] = {0};
    const float weights[SN_SKIN_INFLUENCES] = {1};
    sn_skin_def def = sn_skin_def_default();
    def.positions = &at, def.vertex_count = 1;
    def.handles = handles, def.weights = weights, def.handle_count = count;
    sn_skin *made = NULL;
    if (sn_skin_create(&def, &made) == SN_OK) poses->skins[poses->skin_count++] = made;
    return made;
}

// Cross-sections at rest, in the mesh's space.
static bool start_muscle(view_poses *poses, const sn_world *world, posed_body *muscle) {
    const pose_body *is = &muscle->is;
    const int n = sn_bundle_get_sections(world, is->bundle, poses->sections, poses->capacity);
    for (int k = 0; is->fill_rest && k < n; k++) {
        const sn_vec3 rest = sn_q_rotate(sn_q_conj(is->rotation), sn_sub(poses->sections[k].rest, is->position));
        is->rest[k] = (sn_joint_pose){rest, sn_q_identity(), {1, 1, 1}, sn_q_identity()};
    }
    return n > 0;
}

static void read_points(view_poses *poses, const sn_world *world, const posed_body *chain) {
    view_kind_of(chain->is.body)->points(world, chain->is.body, poses->points, poses->capacity);
}

// The direction of line k now.
static sn_vec3 chain_direction(const view_poses *poses, const posed_body *chain, int k) {
    const sn_vec3 from = poses->points[chain->chain[chain->parents[k]]], to = poses->points[chain->chain[k]];
    return sn_normalize(sn_sub(to, from), sn_v3(0, 1, 0));
}

static bool start_chain(view_poses *poses, const sn_world *world, posed_body *chain) {
    chain->directions = calloc((size_t)chain->count, sizeof *chain->directions);
    if (!chain->directions) return false;
    read_points(poses, world, chain);
    for (int k = 0; k < chain->count; k++)
        if (chain->parents[k] >= 0) chain->directions[k] = chain_direction(poses, chain, k);
    return true;
}

bool poses_add(view_poses *poses, const sn_world *world, const pose_body *is) {
    posed_body body = {.is = *is};
    const view_kind *kind = view_kind_of(is->body);
    if (is->bundle.slot1)
        body.count = sn_bundle_get_sections(world, is->bundle, NULL, 0);
    else if (kind && kind->joints)
        body.count = kind->points(world, is->body, NULL, 0);
    else
        body.count = view_chain(world, is->body, &body.chain, &body.parents);
    if (body.count <= 0 || !allocate(poses, body.count)) {
        free(body.chain);
        free(body.parents);
        return false;
    }
    const bool good = is->bundle.slot1 ? start_muscle(poses, world, &body)
                      : body.chain     ? start_chain(poses, world, &body)
                                       : kind->joints->start(poses, world, &body);
    poses->bodies[poses->count++] = body; // even if incomplete, so that it is freed
    return good;
}

int poses_count(const view_poses *poses) {
    return poses->count;
}

const pose_body *poses_body(const view_poses *poses, int i) {
    return &poses->bodies[i].is;
}

int poses_joints(const view_poses *poses, int i) {
    return poses->bodies[i].count;
}

const int32_t *poses_chain(const view_poses *poses, int i) {
    return poses->bodies[i].chain;
}

const int32_t *poses_parents(const view_poses *poses, int i) {
    return poses->bodies[i].parents;
}

sn_quat poses_add_rotation(sn_quat sum, sn_real k, sn_quat q) {
    if (sn_q_dot(sum, q) < 0) k = -k;
    return (sn_quat){sum.x + k * q.x, sum.y + k * q.y, sum.z + k * q.z, sum.w + k * q.w};
}

static void read_muscle(view_poses *poses, const sn_world *world, const posed_body *muscle, sn_joint_pose *own,
                        sn_real *scales) {
    const int n = sn_bundle_get_sections(world, muscle->is.bundle, poses->sections, poses->capacity);
    for (int k = 0; k < n && n == muscle->count; k++) {
        const sn_section *s = &poses->sections[k];
        const bool flat = s->wide > (sn_real)1.0001; // of what is round the axes are any
        const sn_quat axes = flat ? sn_q_normalize(sn_q_mul(sn_q_conj(muscle->is.rotation), s->axes)) : sn_q_identity();
        own[k] = (sn_joint_pose){s->centre,
                                 sn_q_normalize(sn_q_mul(s->rotation, muscle->is.rotation)),
                                 {flat ? s->scale * s->wide : s->scale, flat ? s->scale / s->wide : s->scale, s->scale},
                                 axes};
        if (scales) scales[k] = s->scale;
    }
}

// The number of points does not change while a body lives.
static void read_chain(view_poses *poses, const sn_world *world, const posed_body *chain, sn_joint_pose *own,
                       sn_real *scales) {
    if (view_kind_of(chain->is.body)->points(world, chain->is.body, NULL, 0) == 0) return;
    read_points(poses, world, chain);
    for (int k = 0; k < chain->count; k++) {
        own[k] = (sn_joint_pose){poses->points[chain->chain[k]], {0, 0, 0, 0}, {1, 1, 1}, sn_q_identity()};
        if (scales) scales[k] = 1;
    }
    for (int k = 0; k < chain->count; k++) {
        const int parent = chain->parents[k];
        if (parent < 0) continue;
        const sn_quat rotation = sn_q_between(chain->directions[k], chain_direction(poses, chain, k));
        own[k].rotation = poses_add_rotation(own[k].rotation, 1, rotation);
        own[parent].rotation = poses_add_rotation(own[parent].rotation, 1, rotation);
    }
    for (int k = 0; k < chain->count; k++) own[k].rotation = sn_q_normalize(own[k].rotation);
}

void poses_read(view_poses *poses, const sn_world *world, sn_joint_pose *out, sn_real *scales) {
    for (int i = 0; i < poses->count; i++) {
        const posed_body *body = &poses->bodies[i];
        sn_joint_pose *own = out + body->is.first;
        sn_real *scale = scales ? scales + body->is.first : NULL;
        if (body->is.bundle.slot1)
            read_muscle(poses, world, body, own, scale);
        else if (body->chain)
            read_chain(poses, world, body, own, scale);
        else
            view_kind_of(body->is.body)->joints->read(poses, world, body, own, scale);
    }
}
