// Which bone holds which, how their joints bend, and which bones hold a muscle.
//
// Bones form trees: the one nearest to the trunk is the root, and each further one is held by the bone of the tree with
// which it has a joint known by name, or else with the smallest gap. How a joint moves is known by name, or is read from
// the surfaces (joint_fit.h); where it is and about which axis always is.
#include "anatomy.h"
#include "base/math/double3.h"
#include "command.h"
#include "formats/quote.h"
#include "mesh/maths.h"
#include "messages.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
// Bones farther than this from each other have no joint; a joint's surfaces are those within 'reach' more than the gap.
// Bones that are not known to move and farther than 'widest_joint' from each other are fixed.
static const double largest_gap = 0.02, reach_of_joint = 0.006, widest_joint = 0.008; // m

static bool is_bone(const anatomy_item *item) {
    return item->kind == ANATOMY_BONE;
}

static bool sides_fit(const anatomy_item *a, const anatomy_item *b) {
    return !a->side || !b->side || a->side == b->side;
}

static int find_named(const anatomy *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->item[i].name, name) == 0) return i;
    return -1;
}

static const joint_choice *choice_of(const anatomy *a, const anatomy_item *child) {
    for (int i = 0; i < a->choices.joints.count; i++) {
        const joint_choice *choice = (const joint_choice *)a->choices.joints.items + i;
        if (strcmp(choice->head.key, child->name) == 0) return choice;
    }
    return NULL;
}

// ---- the tree

// How well a bone could be held by another: the smaller the better; infinite: not at all.
static double cost_of_joint(const anatomy *a, const anatomy_item *parent, anatomy_item *child) {
    const joint_choice *choice = choice_of(a, child);
    if (choice && fields_has(choice, "parent")) return strcmp(choice->parent, parent->name) == 0 ? -1 : INFINITY;
    if (!sides_fit(parent, child)) return INFINITY;
    const bool known = anatomy_joint_of(parent->name, child->name) != NULL;
    const double gap = joint_gap(&parent->bone, &child->bone, largest_gap);
    if (!(gap < largest_gap)) return INFINITY;
    return known ? gap - largest_gap : gap;
}

// The bone that is nearest to the trunk; of equals the larger.
static int next_root(const anatomy *a, const bool *placed) {
    int best = -1;
    for (int i = 0; i < a->count; i++) {
        if (!is_bone(&a->item[i]) || placed[i]) continue;
        const int rank = anatomy_rank_of(a->item[i].name),
                  best_rank = best < 0 ? 0 : anatomy_rank_of(a->item[best].name);
        if (best < 0 || rank < best_rank || (rank == best_rank && a->item[i].volume > a->item[best].volume)) best = i;
    }
    return best;
}

static bool grow_trees(anatomy *a) {
    const size_t n = (size_t)a->count;
    bool *placed = calloc(n + 1, sizeof *placed);
    double *cost = malloc((n + 1) * sizeof *cost);
    if (!placed || !cost) {
        free(placed), free(cost);
        return false;
    }
    for (int i = 0; i < a->count; i++) cost[i] = INFINITY;
    for (;;) {
        int next = -1;
        for (int i = 0; i < a->count; i++)
            if (!placed[i] && cost[i] < INFINITY && (next < 0 || cost[i] < cost[next])) next = i;
        if (next < 0) next = next_root(a, placed);
        if (next < 0) break;
        placed[next] = true;
        for (int i = 0; i < a->count; i++) {
            if (!is_bone(&a->item[i]) || placed[i]) continue;
            const double c = cost_of_joint(a, &a->item[next], &a->item[i]);
            if (c < cost[i]) cost[i] = c, a->item[i].parent = next;
        }
    }
    free(placed), free(cost);
    return true;
}

// ---- the joints

static void apply_choice(const joint_choice *choice, anatomy_item *child) {
    if (fields_has(choice, "kind")) child->joint = (anatomy_joint_kind)choice->kind, child->joint_from = "the file";
    if (fields_has(choice, "centre")) memcpy(child->centre, choice->centre, sizeof child->centre);
    if (fields_has(choice, "axis")) {
        const double size = sqrt(d3_dot(choice->axis, choice->axis));
        for (int k = 0; k < 3 && size > 0; k++) child->axis[k] = choice->axis[k] / size;
    }
    if (fields_has(choice, "degrees")) child->degrees = choice->degrees;
}

static void fit_joint(anatomy *a, anatomy_item *child) {
    anatomy_item *parent = &a->item[child->parent];
    const anatomy_joint *known = anatomy_joint_of(parent->name, child->name);
    const joint_choice *choice = choice_of(a, child);
    joint_fit fit;
    child->gap = joint_gap(&parent->bone, &child->bone, 1);
    const bool fitted = joint_fit_surfaces(&parent->bone, &child->bone, child->gap + reach_of_joint, &fit);
    child->joint = JOINT_FIXED, child->joint_from = "no surfaces that face each other";
    if (fitted) {
        memcpy(child->centre, fit.centre, sizeof child->centre), memcpy(child->axis, fit.axis, sizeof child->axis);
        const bool near = child->gap < widest_joint;
        child->joint = !near ? JOINT_FIXED : fit.roundness > 0.5 ? JOINT_BALL : JOINT_HINGE;
        child->joint_from = near ? "the surfaces" : "a wide gap";
        child->degrees = 90;
        if (known) child->joint = known->kind, child->degrees = known->degrees, child->joint_from = "its name";
    }
    if (choice) apply_choice(choice, child);
    if (child->joint == JOINT_FIXED) return;
    const double radius = fmin(0.35 * child->extent, 0.08);
    for (int side = 0; side < 2; side++)
        child->range[side] = joint_range(&parent->bone, &child->bone, child->centre, child->axis, side ? -1 : 1,
                                         fmax(fabs(child->degrees), 10), radius);
}

int anatomy_find_joints(anatomy *a) {
    char quoted[QUOTE_SIZE];
    for (int i = 0; i < a->choices.joints.count; i++) {
        const joint_choice *choice = (const joint_choice *)a->choices.joints.items + i;
        if (find_named(a, choice->head.key) < 0)
            warn("%s: there is no bone %s", a->request->with, quote(choice->head.key, quoted));
        if (fields_has(choice, "parent") && find_named(a, choice->parent) < 0)
            return bad_file(a->request->with, "joints: there is no bone %s", quote(choice->parent, quoted));
    }
    if (!grow_trees(a)) return out_of_memory();
    for (int i = 0; i < a->count; i++)
        if (is_bone(&a->item[i]) && a->item[i].parent >= 0) fit_joint(a, &a->item[i]);
    return EXIT_DONE;
}

// ---- attachments

static double distance_to(const anatomy_item *bone, const double p[3]) {
    sn_mesh_hit hit;
    return sn_mesh_query_closest_point(bone->bone.query, p, INFINITY, &hit) ? hit.distance : INFINITY;
}

// The nearest bone of the muscle's side. If none is near, the muscle's tendon is missing, and the bone that lies in the
// direction in which the end points is the likelier one: what lies ahead is taken as eight times nearer.
static void attach_end(const anatomy *a, anatomy_item *muscle, int end, int except) {
    const double near_enough = 0.02;
    double best = INFINITY;
    muscle->end_bone[end] = -1, muscle->end_gap[end] = INFINITY;
    for (int i = 0; i < a->count; i++) {
        if (!is_bone(&a->item[i]) || i == except || !sides_fit(muscle, &a->item[i])) continue;
        const double gap = distance_to(&a->item[i], muscle->end[end]);
        if (gap < muscle->end_gap[end]) muscle->end_gap[end] = gap, muscle->end_bone[end] = i;
    }
    for (int i = 0; i < a->count && muscle->end_gap[end] > near_enough; i++) {
        if (!is_bone(&a->item[i]) || i == except || !sides_fit(muscle, &a->item[i])) continue;
        for (int v = 0; v < a->item[i].surface.vertex_count; v++) {
            double d[3];
            for (int k = 0; k < 3; k++) d[k] = (double)a->item[i].surface.position[v][k] - muscle->end[end][k];
            const double ahead = d3_dot(d, muscle->onward[end]);
            const double aside = sqrt(fmax(d3_dot(d, d) - ahead * ahead, 0));
            const double cost = aside + (ahead > 0 ? ahead / 8 : -ahead);
            if (cost < best) best = cost, muscle->end_bone[end] = i;
        }
    }
    if (muscle->end_bone[end] >= 0)
        muscle->end_gap[end] = distance_to(&a->item[muscle->end_bone[end]], muscle->end[end]);
}

// Both ends at one bone move nothing: if another bone is near to one of the ends, it holds that.
static void separate_ends(const anatomy *a, anatomy_item *muscle) {
    const double near_enough = 0.04;
    const int both = muscle->end_bone[0];
    const double gap[2] = {muscle->end_gap[0], muscle->end_gap[1]};
    if (both < 0 || both != muscle->end_bone[1]) return;
    attach_end(a, muscle, 0, both), attach_end(a, muscle, 1, both);
    const int move = muscle->end_gap[0] < muscle->end_gap[1] ? 0 : 1;
    const bool taken = muscle->end_gap[move] < near_enough;
    for (int end = 0; end < 2; end++)
        if (!taken || end != move) muscle->end_bone[end] = both, muscle->end_gap[end] = gap[end];
}

int anatomy_attach(anatomy *a) {
    for (int i = 0; i < a->count; i++) {
        anatomy_item *muscle = &a->item[i];
        if (muscle->kind != ANATOMY_MUSCLE || muscle->failed) continue;
        for (int end = 0; end < 2; end++) attach_end(a, muscle, end, -1);
        separate_ends(a, muscle);
        for (int end = 0; end < 2 && muscle->choice; end++) {
            const char *name = end ? muscle->choice->last : muscle->choice->first;
            char quoted[QUOTE_SIZE];
            if (!fields_has(muscle->choice, end ? "last" : "first")) continue;
            const int bone = find_named(a, name);
            if (bone < 0 || !is_bone(&a->item[bone]))
                return bad_file(a->request->with, "surfaces: there is no bone %s", quote(name, quoted));
            muscle->end_bone[end] = bone, muscle->end_gap[end] = distance_to(&a->item[bone], muscle->end[end]);
        }
    }
    return EXIT_DONE;
}

// ---- motion

static void multiply_quaternions(const double p[4], const double q[4], double out[4]) {
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

static void rotate(const double q[4], const double v[3], double out[3]) {
    double t[3], u[3];
    d3_cross(q + 1, v, t);
    for (int k = 0; k < 3; k++) t[k] = 2 * t[k];
    d3_cross(q + 1, t, u);
    for (int k = 0; k < 3; k++) out[k] = v[k] + q[0] * t[k] + u[k];
}

void anatomy_pose_point(const anatomy *a, int bone, const bone_pose *pose, const double p[3], double out[3]) {
    double d[3];
    d3_sub(p, a->item[bone].centre, d);
    rotate(pose->rotation, d, out);
    for (int k = 0; k < 3; k++) out[k] += pose->to[k];
}

// A chain of bones is at most as long as there are bones.
bone_pose anatomy_pose(const anatomy *a, int bone, const double *degrees) {
    const anatomy_item *item = &a->item[bone];
    bone_pose pose = {{1, 0, 0, 0}, {item->centre[0], item->centre[1], item->centre[2]}};
    if (item->parent >= 0) {
        const bone_pose parent = anatomy_pose(a, item->parent, degrees);
        anatomy_pose_point(a, item->parent, &parent, item->centre, pose.to);
        memcpy(pose.rotation, parent.rotation, sizeof pose.rotation);
    }
    if (item->phase < 0) return pose;
    const double angle = degrees[item->phase] * pi / 180;
    const double own[4] = {own_cos(0.5 * angle), own_sin(0.5 * angle) * item->axis[0],
                           own_sin(0.5 * angle) * item->axis[1], own_sin(0.5 * angle) * item->axis[2]};
    double both[4];
    multiply_quaternions(pose.rotation, own, both);
    memcpy(pose.rotation, both, sizeof both);
    return pose;
}

static bool is_held_by(const anatomy *a, int bone, int holder) {
    for (; bone >= 0; bone = a->item[bone].parent)
        if (bone == holder) return true;
    return false;
}

bool anatomy_crosses(const anatomy *a, const anatomy_item *muscle, int bone) {
    if (muscle->kind != ANATOMY_MUSCLE || muscle->failed || muscle->end_bone[0] < 0 || muscle->end_bone[1] < 0)
        return false;
    return is_held_by(a, muscle->end_bone[0], bone) != is_held_by(a, muscle->end_bone[1], bone);
}

double anatomy_shortening(const anatomy *a, const anatomy_item *muscle, int bone, double degrees) {
    const anatomy_item *joint = &a->item[bone];
    const double angle = degrees * pi / 180;
    const double turned[4] = {own_cos(0.5 * angle), own_sin(0.5 * angle) * joint->axis[0],
                              own_sin(0.5 * angle) * joint->axis[1], own_sin(0.5 * angle) * joint->axis[2]};
    double end[2][3], line[3], moved[3];
    for (int e = 0; e < 2; e++) {
        double d[3];
        memcpy(end[e], muscle->end[e], sizeof end[e]);
        if (!is_held_by(a, muscle->end_bone[e], bone)) continue;
        d3_sub(muscle->end[e], joint->centre, d);
        rotate(turned, d, end[e]);
        for (int k = 0; k < 3; k++) end[e][k] += joint->centre[k];
    }
    d3_sub(muscle->end[1], muscle->end[0], line);
    d3_sub(end[1], end[0], moved);
    const double length = sqrt(d3_dot(line, line));
    return length > 0 ? 1 - sqrt(d3_dot(moved, moved)) / length : 0;
}

// How strongly a muscle would turn the bone about its joint: its volume times its lever, a vector along the axis.
static void add_torque(const anatomy *a, const anatomy_item *muscle, int bone, double torque[3]) {
    const int mine = is_held_by(a, muscle->end_bone[1], bone) ? 1 : 0;
    double line[3], lever[3], moment[3];
    d3_sub(muscle->end[1 - mine], muscle->end[mine], line);
    d3_sub(muscle->end[mine], a->item[bone].centre, lever);
    d3_cross(lever, line, moment);
    const double length = sqrt(d3_dot(line, line));
    for (int k = 0; k < 3 && length > 0; k++) torque[k] += muscle->volume * moment[k] / length;
}

// A joint bends to the side to which its flexors pull it, known by their names; else to the side where the bones leave it
// more room; if they say nothing, to that of the stronger muscles. A ball bends about the axis of their pull.
static void choose_direction(anatomy *a, int bone) {
    anatomy_item *joint = &a->item[bone];
    const joint_choice *choice = choice_of(a, joint);
    const anatomy_joint *known = anatomy_joint_of(a->item[joint->parent].name, joint->name);
    double torque[3] = {0}, flexors[3] = {0};
    bool named = false;
    for (int i = 0; i < a->count; i++) {
        if (!anatomy_crosses(a, &a->item[i], bone)) continue;
        add_torque(a, &a->item[i], bone, torque);
        if (!known || !anatomy_is_flexor(known, a->item[i].name)) continue;
        add_torque(a, &a->item[i], bone, flexors);
        named = true;
    }
    if (named) memcpy(torque, flexors, sizeof torque);
    const double size = sqrt(d3_dot(torque, torque));
    if (joint->joint == JOINT_BALL && size > 0 && !(choice && fields_has(choice, "axis")))
        for (int k = 0; k < 3; k++) joint->axis[k] = torque[k] / size;
    if (choice && fields_has(choice, "degrees")) return;
    const double freer = joint->range[0] - joint->range[1], pull = d3_dot(torque, joint->axis);
    const double sign = named || fabs(freer) < 30 ? pull : freer;
    const double free_range = joint->range[sign < 0];
    // Surfaces that touch at rest say little: known joints bend as they do, and of others some motion is shown.
    const double far = known ? fabs(joint->degrees) : fmax(free_range, 0.4 * fabs(joint->degrees));
    joint->degrees = (sign < 0 ? -0.7 : 0.7) * far;
}

int anatomy_plan_motion(anatomy *a) {
    enum { MAX_PHASES = 12 };
    for (int rank = 0; rank < 200; rank++)
        for (int i = 0; i < a->count; i++) {
            anatomy_item *item = &a->item[i];
            if (!is_bone(item) || anatomy_rank_of(item->name) != rank || item->parent < 0) continue;
            if (item->joint == JOINT_FIXED || a->phases == MAX_PHASES) continue;
            bool moved = false;
            for (int m = 0; m < a->count; m++) moved = moved || anatomy_crosses(a, &a->item[m], i);
            if (!moved) continue;
            choose_direction(a, i);
            item->phase = a->phases++;
        }
    return EXIT_DONE;
}
