// Joints that coincide: bodies that are joined to a third, or to space, at one place.
//
//      a \   / c
//         \ /          a and c are joined to b at the same place, but not to each other. Their balls overlap there, and
//     b ---o---        the joints hold them so: contacts between them would fight both joints for good.
//
// So for the joint contact filter there is a joint between a and c, too, with the distance of their points as its
// offset. It holds nothing. Ends are sorted by what they are joined to and then along x, so that those which may coincide are
// next to each other.
#include "couplings/joint/joint_filter.h"

// A side of a joint, by what the other side of the joint is.
typedef struct {
    int64_t partner; // a body, a collider, or space
    sn_vec3 place;
    sn_real radius;
    int32_t joint, side;
} joint_end;

static bool is_before(const joint_end *a, const joint_end *b) {
    if (a->partner != b->partner) return a->partner < b->partner;
    if (a->place.x != b->place.x) return a->place.x < b->place.x;
    return a->joint != b->joint ? a->joint < b->joint : a->side < b->side;
}

static void sift_down(joint_end *ends, int from, int count) {
    const joint_end moved = ends[from];
    for (int child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && is_before(&ends[child], &ends[child + 1])) child++;
        if (!is_before(&moved, &ends[child])) break;
        ends[from] = ends[child];
    }
    ends[from] = moved;
}

static void sort_ends(joint_end *ends, int count) {
    for (int i = count / 2 - 1; i >= 0; i--) sift_down(ends, i, count);
    for (int n = count - 1; n > 0; n--) {
        const joint_end last = ends[n];
        ends[n] = ends[0], ends[0] = last;
        sift_down(ends, 0, n);
    }
}

// A rigid body is held anywhere: its point has no ball of its own.
static joint_end end_of(const sn_contacts *c, const sn_joint_body *joint, int number, int side, int64_t partner) {
    joint_end e = {.partner = partner, .joint = number, .side = side};
    e.place = sn_joint_point(c, joint, side, &e.radius);
    if (joint->has_anchor[side]) e.radius = 0;
    return e;
}

// The ends of joint 'number'. Returns how many.
static int list_ends(const sn_joints *s, const sn_contacts *c, int number, joint_end out[2]) {
    const sn_joint_body *joint = &s->items[number];
    int count = 0;
    if (sn_joint_holds_in_space(c, joint)) {
        out[count++] = end_of(c, joint, number, 0, -1);
    } else if (sn_joint_is_between(joint)) {
        const int64_t other = joint->pill_b < 0 ? -2 - joint->collider : c->proxies.pills[joint->pill_b].body;
        out[count++] = end_of(c, joint, number, 0, other);
        if (joint->pill_b >= 0) out[count++] = end_of(c, joint, number, 1, c->proxies.pills[joint->pill_a].body);
    }
    return count;
}

static const sn_contact_settings *settings_of(const sn_joints *s, const sn_contacts *c, const joint_end *end) {
    const sn_joint_body *joint = &s->items[end->joint];
    return &c->settings[c->proxies.pills[end->side ? joint->pill_b : joint->pill_a].surface];
}

// Whether the bodies of two ends would touch there. Two rigid bodies are left alone: they may be far from the place.
static bool coincide(const sn_joints *s, const sn_contacts *c, const joint_end *a, const joint_end *b) {
    const sn_contact_settings *x = settings_of(s, c, a), *y = settings_of(s, c, b);
    const sn_real reach = a->radius + b->radius;
    if (!x->collide || !y->collide || (x->family != 0 && x->family == y->family)) return false;
    return sn_length2(sn_sub(a->place, b->place)) < reach * reach;
}

static sn_joint_body coincident_of(const sn_joints *s, const joint_end *a, const joint_end *b) {
    const joint_end *ends[2] = {a, b};
    sn_joint_body m = {.alive = true, .gen = s->items[a->joint].gen, .collider = -1, .arm = sn_sub(a->place, b->place)};
    for (int k = 0; k < 2; k++) {
        const sn_joint_body *joint = &s->items[ends[k]->joint];
        const int side = ends[k]->side, pill = side ? joint->pill_b : joint->pill_a;
        if (k)
            m.pill_b = pill;
        else
            m.pill_a = pill;
        m.along[k] = joint->along[side], m.is_point[k] = joint->is_point[side];
        m.has_anchor[k] = joint->has_anchor[side], m.anchor_arm[k] = joint->anchor_arm[side];
    }
    return m;
}

bool sn_joints_list_coincident(const sn_joints *s, sn_contacts *c, sn_implied_joints *out) {
    if (s->alive == 0) return true;
    joint_end *ends = sn_arena_alloc(&c->arena, 2 * (size_t)s->count, sizeof *ends);
    if (!ends) return false;
    int count = 0;
    sn_real widest = 0;
    for (int i = 0; i < s->count; i++) {
        const int listed = list_ends(s, c, i, ends + count);
        for (int k = 0; k < listed; k++, count++) widest = sn_max(widest, ends[count].radius);
    }
    sort_ends(ends, count);
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count && ends[k].partner == ends[i].partner; k++) {
            if (!(ends[k].place.x - ends[i].place.x <= ends[i].radius + widest)) break;
            if (!coincide(s, c, &ends[i], &ends[k])) continue;
            if (out->items) out->items[out->count] = coincident_of(s, &ends[i], &ends[k]);
            out->count++;
        }
    return true;
}
