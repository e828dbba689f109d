// A joint at each point of a rod. Of a rod without a skin a joint's turn is
//
//     (turn of the segments since the start) (turn of the placement),
//
// the mean over the segments that meet in the point, so that rest turns are all none. Thick segments count for more: a
// thin arm does not turn the head that it grows from. Such joints scale by the rod's scale in all directions, as the
// pills do that they stand for. A skin stretches along the rod too: its joints are the handles of sn_skin_update.
// Joints of a muscle are its cross-sections: placed, turned and scaled alike in all directions. Joints of a chain turn by
// the shortest way from where its lines pointed at the start, the mean over those that meet.
#include "view/poses.h"
#include "base/math/vec.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    pose_rod is;
    int points;
    sn_skin_instance *copy; // skinned
    sn_quat *start_turns;   // else of each point: (frame at the start)^-1 (turn of the placement)
    sn_real *radii;         // at rest
    int32_t *chain;         // of a chain: the point that each joint is,
    int32_t *hangs_on;      // the joint that each line goes to, or -1,
    sn_vec3 *ways;          // and where it pointed at the start
} posed_rod;

struct live_poses {
    posed_rod *rods;
    int count, capacity;
    sn_skin **skins; // one for each number of handles that was met
    int skin_count;
    int most; // points of the largest rod; room for one:
    sn_handle *handles;
    sn_section *sections;
    sn_vec3 *centres;
    sn_quat *frames;
    sn_real *scales;
    int *parents;
};

live_poses *poses_new(void) {
    return calloc(1, sizeof(live_poses));
}

void poses_free(live_poses *poses) {
    if (!poses) return;
    for (int i = 0; i < poses->count; i++) {
        sn_skin_instance_destroy(poses->rods[i].copy);
        free(poses->rods[i].start_turns);
        free(poses->rods[i].radii);
        free(poses->rods[i].chain);
        free(poses->rods[i].hangs_on);
        free(poses->rods[i].ways);
    }
    for (int i = 0; i < poses->skin_count; i++) sn_skin_destroy(poses->skins[i]);
    free(poses->skins);
    free(poses->rods);
    free(poses->handles);
    free(poses->sections);
    free(poses->centres);
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

static bool make_room(live_poses *poses, int points) {
    if (poses->count == poses->capacity) {
        const int more = poses->capacity ? 2 * poses->capacity : 16;
        if (!grow(&poses->rods, (size_t)more, sizeof *poses->rods)) return false;
        poses->capacity = more;
    }
    if (points <= poses->most) return true;
    const size_t n = (size_t)points;
    if (!grow(&poses->handles, n, sizeof *poses->handles) || !grow(&poses->centres, n, sizeof *poses->centres) ||
        !grow(&poses->frames, n, sizeof *poses->frames) || !grow(&poses->scales, n, sizeof *poses->scales) ||
        !grow(&poses->parents, n, sizeof *poses->parents) || !grow(&poses->sections, n, sizeof *poses->sections))
        return false;
    poses->most = points;
    return true;
}

// A skin of one vertex: only its handles matter, others have the vertices.
static sn_skin *skin_of_handles(live_poses *poses, int count) {
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

static bool add_skinned(live_poses *poses, const sn_world *world, posed_rod *rod) {
    sn_skin *skin = skin_of_handles(poses, rod->points);
    const sn_placement put = {rod->is.position, rod->is.turn, 1};
    if (!skin || sn_skin_instance_create(skin, &rod->copy) != SN_OK) return false;
    if (sn_skin_instance_bind(rod->copy, world, &rod->is.rod, 1, &put) != SN_OK) return false;
    if (rod->is.fill_rest) sn_skin_instance_get_joints(rod->copy, world, rod->is.rest, NULL, rod->points);
    return true;
}

static bool add_plain(live_poses *poses, const sn_world *world, posed_rod *rod) {
    const size_t n = (size_t)rod->points;
    rod->start_turns = malloc(n * sizeof *rod->start_turns);
    rod->radii = malloc(n * sizeof *rod->radii);
    if (!rod->start_turns || !rod->radii) return false;
    sn_rod_get_frames(world, rod->is.rod, poses->frames, rod->points);
    sn_rod_get_radii(world, rod->is.rod, rod->radii, rod->points);
    sn_rod_get_scales(world, rod->is.rod, poses->scales, rod->points);
    for (int i = 0; i < rod->points; i++) {
        rod->start_turns[i] = sn_q_mul(sn_q_conj(poses->frames[i]), rod->is.turn);
        rod->radii[i] /= poses->scales[i];
    }
    return true;
}

// Cross-sections at rest, in the mesh's space.
static bool add_muscle(live_poses *poses, const sn_world *world, posed_rod *muscle) {
    const pose_rod *is = &muscle->is;
    const int n = sn_bundle_get_sections(world, is->bundle, poses->sections, poses->most);
    for (int k = 0; is->fill_rest && k < n; k++) {
        const sn_vec3 rest = sn_q_rotate(sn_q_conj(is->turn), sn_sub(poses->sections[k].rest, is->position));
        is->rest[k] = (sn_joint_pose){rest, sn_q_identity(), {1, 1, 1}};
    }
    return n > 0;
}

static void read_points(live_poses *poses, const sn_world *world, const posed_rod *chain) {
    surface_kind_of(chain->is.chain)->points(world, chain->is.chain, poses->centres, poses->most);
}

// Where line k points now.
static sn_vec3 chain_way(const live_poses *poses, const posed_rod *chain, int k) {
    const sn_vec3 from = poses->centres[chain->chain[chain->hangs_on[k]]], to = poses->centres[chain->chain[k]];
    return sn_normalize(sn_sub(to, from), sn_v3(0, 1, 0));
}

static bool add_chain(live_poses *poses, const sn_world *world, posed_rod *chain) {
    chain->ways = calloc((size_t)chain->points, sizeof *chain->ways);
    if (!chain->ways) return false;
    read_points(poses, world, chain);
    for (int k = 0; k < chain->points; k++)
        if (chain->hangs_on[k] >= 0) chain->ways[k] = chain_way(poses, chain, k);
    return true;
}

// How many joints it will have.
static int count_joints(const sn_world *world, posed_rod *rod) {
    if (rod->is.bundle.slot1) return sn_bundle_get_sections(world, rod->is.bundle, NULL, 0);
    if (rod->is.chain.slot1) return surface_chain(world, rod->is.chain, &rod->chain, &rod->hangs_on);
    return sn_body_point_count(world, rod->is.rod);
}

bool poses_add(live_poses *poses, const sn_world *world, const pose_rod *is) {
    posed_rod rod = {.is = *is};
    rod.points = count_joints(world, &rod);
    if (rod.points <= 0 || !make_room(poses, rod.points)) {
        free(rod.chain);
        free(rod.hangs_on);
        return false;
    }
    const bool good = is->bundle.slot1  ? add_muscle(poses, world, &rod)
                      : is->chain.slot1 ? add_chain(poses, world, &rod)
                      : is->skinned     ? add_skinned(poses, world, &rod)
                                        : add_plain(poses, world, &rod);
    poses->rods[poses->count++] = rod; // also when half made: freeing finds it
    return good;
}

int poses_count(const live_poses *poses) {
    return poses->count;
}

const pose_rod *poses_rod(const live_poses *poses, int i) {
    return &poses->rods[i].is;
}

int poses_joints(const live_poses *poses, int i) {
    return poses->rods[i].points;
}

const int32_t *poses_chain(const live_poses *poses, int i) {
    return poses->rods[i].chain;
}

const int32_t *poses_parents(const live_poses *poses, int i) {
    return poses->rods[i].hangs_on;
}

static sn_real along(const sn_real s[6], sn_vec3 d) {
    return s[0] * d.x * d.x + s[1] * d.y * d.y + s[2] * d.z * d.z +
           2 * (s[3] * d.x * d.y + s[4] * d.x * d.z + s[5] * d.y * d.z);
}

// Joints from handles, in the axes of the mesh: those of a copy may differ where a rod is alike in all directions.
static void read_skinned(live_poses *poses, const sn_world *world, const posed_rod *rod, sn_joint_pose *own) {
    const int n = sn_skin_instance_get_handles(rod->copy, world, poses->handles, poses->most);
    for (int k = 0; k < n; k++) {
        const sn_handle *h = &poses->handles[k];
        const sn_quat axes = rod->is.rest[k].rotation;
        const sn_vec3 scale = {along(h->stretch, sn_q_axis_x(axes)), along(h->stretch, sn_q_axis_y(axes)),
                               along(h->stretch, sn_q_axis_z(axes))};
        own[k] = (sn_joint_pose){h->centre, sn_q_normalize(sn_q_mul(h->rotation, axes)), scale};
    }
}

static sn_quat add_turn(sn_quat sum, sn_real k, sn_quat q) {
    if (sn_q_dot(sum, q) < 0) k = -k;
    return (sn_quat){sum.x + k * q.x, sum.y + k * q.y, sum.z + k * q.z, sum.w + k * q.w};
}

static void read_plain(live_poses *poses, const sn_world *world, const posed_rod *rod, sn_joint_pose *own) {
    sn_body_get_points(world, rod->is.rod, poses->centres, rod->points);
    sn_rod_get_frames(world, rod->is.rod, poses->frames, rod->points);
    sn_rod_get_parents(world, rod->is.rod, poses->parents, rod->points);
    for (int k = 0; k < rod->points; k++) {
        const sn_real s = poses->scales[k];
        own[k] = (sn_joint_pose){poses->centres[k], {0, 0, 0, 0}, {s, s, s}};
    }
    for (int k = 0; k < rod->points; k++) {
        const int parent = poses->parents[k];
        if (parent < 0) continue;
        const sn_quat turn = sn_q_mul(poses->frames[k], rod->start_turns[k]);
        const sn_real radius = rod->radii[k] + rod->radii[parent];
        own[k].rotation = add_turn(own[k].rotation, radius * radius, turn);
        own[parent].rotation = add_turn(own[parent].rotation, radius * radius, turn);
    }
    for (int k = 0; k < rod->points; k++) own[k].rotation = sn_q_normalize(own[k].rotation);
}

static void read_muscle(live_poses *poses, const sn_world *world, const posed_rod *muscle, sn_joint_pose *own,
                        sn_real *scales) {
    const int n = sn_bundle_get_sections(world, muscle->is.bundle, poses->sections, poses->most);
    for (int k = 0; k < n && n == muscle->points; k++) {
        const sn_section *s = &poses->sections[k];
        own[k] = (sn_joint_pose){
            s->centre, sn_q_normalize(sn_q_mul(s->rotation, muscle->is.turn)), {s->scale, s->scale, s->scale}};
        if (scales) scales[k] = s->scale;
    }
}

// The number of points does not change while a body lives.
static void read_chain(live_poses *poses, const sn_world *world, const posed_rod *chain, sn_joint_pose *own,
                       sn_real *scales) {
    if (surface_kind_of(chain->is.chain)->points(world, chain->is.chain, NULL, 0) == 0) return;
    read_points(poses, world, chain);
    for (int k = 0; k < chain->points; k++) {
        own[k] = (sn_joint_pose){poses->centres[chain->chain[k]], {0, 0, 0, 0}, {1, 1, 1}};
        if (scales) scales[k] = 1;
    }
    for (int k = 0; k < chain->points; k++) {
        const int parent = chain->hangs_on[k];
        if (parent < 0) continue;
        const sn_quat turn = sn_q_between(chain->ways[k], chain_way(poses, chain, k));
        own[k].rotation = add_turn(own[k].rotation, 1, turn);
        own[parent].rotation = add_turn(own[parent].rotation, 1, turn);
    }
    for (int k = 0; k < chain->points; k++) own[k].rotation = sn_q_normalize(own[k].rotation);
}

void poses_read(live_poses *poses, const sn_world *world, sn_joint_pose *out, sn_real *scales) {
    for (int i = 0; i < poses->count; i++) {
        const posed_rod *rod = &poses->rods[i];
        if (rod->is.chain.slot1) {
            read_chain(poses, world, rod, out + rod->is.first, scales ? scales + rod->is.first : NULL);
            continue;
        }
        if (rod->is.bundle.slot1) {
            read_muscle(poses, world, rod, out + rod->is.first, scales ? scales + rod->is.first : NULL);
            continue;
        }
        if (sn_rod_get_scales(world, rod->is.rod, poses->scales, poses->most) != rod->points) continue;
        if (rod->is.skinned)
            read_skinned(poses, world, rod, out + rod->is.first);
        else
            read_plain(poses, world, rod, out + rod->is.first);
        if (scales) memcpy(scales + rod->is.first, poses->scales, (size_t)rod->points * sizeof *scales);
    }
}
