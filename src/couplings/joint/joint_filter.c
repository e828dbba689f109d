// The joint contact filter: the two sides of a joint do not collide at the joint. A joint pulls a point of one body to
// a point of another, often into it; contacts would press it out at the same time, and the two would never agree. So
// pairs of elements that are both at the joint are excluded, as neighbours on one body are. Elsewhere the two bodies
// collide.
//
//          ____________
//         /   o=====.  \     o  the joint, in the middle of a body b
//        |           \  |    === at the joint: within REACH L of it along body a
//         \___________\/
//                      \___  here a collides with b
//
// How far "at the joint" goes follows from how deep the joint holds a in b. A path that leaves the joint at a right
// angle to an element of radius r, whose axis is at distance d, is clear of it after
//     l = sqrt((r + r_a)^2 - d^2)
// with r_a the radius of a there. L is the largest such exit distance over the elements around the joint, of b for a
// and of a for b. If there is none, a is held outside of b, and nothing is excluded. REACH is above 1 so that a body
// may bend before it leaves the other one.
//
// A point that is held, as a trunk's lowest, or joined to a point of space, and overlaps a static or kinematic body there is as joined to it: it stands in it.
//
// Bodies that are joined to a third at one place are as joined to each other there (joint_coincident.c).
//
// In a rigid body with faces L is at least the distance to its farthest corner, if the joint is inside of it.
//
// Paths are measured along the bodies at the start of the step, from node to node: a scarf that is joined to a neck and
// wound around it is near the joint, but not at it. Parts of a body that no elements connect to the joint's point
// (another muscle of the character, the skin of a solid around an interior point) are measured through space. A point
// without elements is inside something hollow: its path out goes through the nearest element.
#include "couplings/joint/joint_filter.h"
#include "base/assert.h"
#include "base/union_find.h"

#define REACH ((sn_real)1.5)
#define FAR   ((sn_real)1e30)
#define WHOLE ((sn_real)1e6) // m: rigid bodies in a joint do not collide with each other at all

typedef struct sn_filter_mark {
    const struct sn_filter_mark *next; // of the same node
    int32_t joint, side;
    sn_real path; // length of the path from the joint to the node
} mark;

typedef struct {
    sn_vec3 place; // where on this body the other one is held
    sn_real other; // radius of the other one there
    int32_t body, pill;
    int32_t part; // the connected part of its body that it is in
} filter_side;

typedef struct {
    filter_side side[2];
    uint32_t gen;     // of the joint
    int32_t collider; // instead of side 1; -1: none
    sn_real reach;    // REACH L
    int32_t next[2];
} filter_joint;

struct sn_joint_filter {
    int joint_count;           // and behind the joints
    sn_implied_joints implied; // points that stand in something, places where joints coincide
    const mark **marks;        // by node
    int32_t *loose;            // by body: its first joint that is not connected to all of it, 2 joint + side; -1: none
    filter_joint *joints;      // by joint; reach 0: it excludes nothing
    int *part;                 // by node: its connected part (union-find)
    int32_t *start, *at;       // by node: its elements
    int32_t *first_slab;       // by body
    int32_t *end_slab;         //
    int32_t *first_node;       //
    int32_t *end_node;         //
    sn_real *thickest;         // by body: its largest radius
    bool *several;             // by body: it has more than one part
    sn_real *path;             // scratch of a search, by node; FAR between searches
    int32_t *queue, *all;      //
    bool *queued;              //
};

typedef struct sn_joint_filter filter;

static sn_slab slab_of(const sn_contacts *c, int element) {
    if (sn_is_slab(c, element)) return sn_proxy_slab(&c->proxies, element - c->proxies.count, false);
    const sn_pill p = sn_proxy_pill(&c->proxies, element, false);
    return (sn_slab){{p.a, p.b, p.b}, {p.ra, p.rb, p.rb}};
}

// The distance of a point from an element's axis, and the element's radius there.
static sn_real axis_distance(const sn_contacts *c, int element, sn_vec3 point, sn_real *radius) {
    const sn_slab slab = slab_of(c, element);
    sn_real weight[3];
    const sn_real distance = sn_slab_distance(&slab, point, weight);
    *radius = weight[0] * slab.r[0] + weight[1] * slab.r[1] + weight[2] * slab.r[2];
    return distance + *radius;
}

// ---- the two sides of a joint

bool sn_joint_is_between(const sn_joint_body *joint) {
    const bool collides = joint->def.collide || joint->def.kind == SN_JOINT_DISTANCE;
    if (!joint->alive || collides || joint->pill_a < 0) return false;
    return joint->pill_b >= 0 || joint->collider >= 0;
}

static bool collides(const sn_contacts *c, int pill) {
    return c->settings[c->proxies.pills[pill].surface].collide;
}

sn_vec3 sn_joint_point(const sn_contacts *c, const sn_joint_body *joint, int side, sn_real *radius) {
    const int pill = side ? joint->pill_b : joint->pill_a;
    const sn_node *b = &c->proxies.nodes[pill], *a = b;
    if (!joint->is_point[side] && c->proxies.pills[pill].a >= 0) a = &c->proxies.nodes[c->proxies.pills[pill].a];
    const sn_real t = joint->along[side];
    *radius = (1 - t) * a->s * a->radius + t * b->s * b->radius;
    return sn_add(sn_lerp(a->c, b->c, t), joint->anchor_arm[side]);
}

// ---- points that stand in something

static sn_real depth_in_collider(const sn_collider *collider, sn_vec3 place, sn_real radius);

static bool may_root(const sn_contacts *c, int node) {
    const sn_node *n = &c->proxies.nodes[node];
    const sn_contact_settings *settings = &c->settings[c->proxies.pills[node].surface];
    return c->proxies.pills[node].held && settings->collide && n->contact_disabled == 0 && n->s * n->radius > 0;
}

static bool is_rooted_in(const sn_contacts *c, sn_vec3 place, sn_real radius, int collider) {
    const sn_collider *in = c->colliders[collider];
    if (!in || in->disabled) return false;
    if (in->kind != SN_GEOMETRY_PLANE) {
        const sn_sphere bound = sn_collider_bound(in);
        const sn_real reach = bound.radius + radius;
        if (!(sn_length2(sn_sub(place, bound.centre)) < reach * reach)) return false;
    }
    return depth_in_collider(in, place, radius) > 0;
}

bool sn_joint_holds_in_space(const sn_contacts *c, const sn_joint_body *joint) {
    const sn_joint_def *d = &joint->def;
    const bool soft =
        d->compliance > 0 || d->max_force > 0 || d->kind == SN_JOINT_DISTANCE || d->kind == SN_JOINT_SLIDER;
    return joint->alive && !soft && !d->collide && joint->pill_a >= 0 && joint->pill_b < 0 && joint->collider < 0 &&
           !joint->on_bone && !joint->has_anchor[0] && collides(c, joint->pill_a);
}

// Adds a joint for every collider that 'root' is rooted in at a place.
static void add_roots(const sn_contacts *c, sn_joint_body root, sn_vec3 place, sn_real radius, sn_implied_joints *out) {
    for (int k = 0; k < c->collider_count; k++) {
        if (!is_rooted_in(c, place, radius, k)) continue;
        root.alive = true, root.pill_b = -1, root.collider = k, root.arm = sn_v3(0, 0, 0);
        root.local = sn_transform_inverse_point(&c->colliders[k]->origin, place);
        if (out->items) out->items[out->count] = root;
        out->count++;
    }
}

// Of held points and the bodies that they are rooted in.
static void list_rooted(const sn_joints *s, const sn_contacts *c, sn_implied_joints *out) {
    for (int i = 0; i < c->proxies.count && c->used_colliders > 0; i++) {
        if (!may_root(c, i)) continue;
        const sn_node *n = &c->proxies.nodes[i];
        const sn_joint_body root = {.pill_a = i, .is_point = {true}, .along = {1}};
        add_roots(c, root, n->c, n->s * n->radius, out);
    }
    for (int i = 0; i < s->count && c->used_colliders > 0; i++) {
        if (!sn_joint_holds_in_space(c, &s->items[i])) continue;
        sn_real radius;
        const sn_vec3 place = sn_joint_point(c, &s->items[i], 0, &radius);
        add_roots(c, s->items[i], place, radius, out);
    }
}

// Twice the same: to count, and to list.
static bool list_implied(const sn_joints *s, sn_contacts *c, sn_implied_joints *out) {
    *out = (sn_implied_joints){NULL, 0};
    for (int listing = 0; listing < 2; listing++) {
        const int count = out->count;
        if (listing && count == 0) return true;
        if (listing && !(out->items = sn_arena_alloc(&c->arena, (size_t)count, sizeof *out->items))) return false;
        out->count = 0;
        list_rooted(s, c, out);
        if (!sn_joints_list_coincident(s, c, out)) return false;
    }
    return true;
}

static const sn_joint_body *joint_at(const sn_joints *s, const filter *t, int number) {
    return number < t->joint_count ? &s->items[number] : &t->implied.items[number - t->joint_count];
}

// ---- bodies as graphs of nodes

static bool alloc_tables(sn_contacts *c, filter *t, int joint_count) {
    const size_t nodes = (size_t)c->proxies.count, bodies = (size_t)c->body_count;
    sn_arena *arena = &c->arena;
    t->marks = sn_arena_alloc(arena, nodes, sizeof *t->marks);
    t->loose = sn_arena_alloc(arena, bodies, sizeof *t->loose);
    t->joints = sn_arena_alloc(arena, (size_t)joint_count, sizeof *t->joints);
    t->part = sn_arena_alloc(arena, nodes, sizeof *t->part);
    t->start = sn_arena_alloc(arena, nodes + 1, sizeof *t->start);
    t->first_slab = sn_arena_alloc(arena, bodies, sizeof *t->first_slab);
    t->end_slab = sn_arena_alloc(arena, bodies, sizeof *t->end_slab);
    t->first_node = sn_arena_alloc(arena, bodies, sizeof *t->first_node);
    t->end_node = sn_arena_alloc(arena, bodies, sizeof *t->end_node);
    t->thickest = sn_arena_alloc(arena, bodies, sizeof *t->thickest);
    t->several = sn_arena_alloc(arena, bodies, sizeof *t->several);
    t->path = sn_arena_alloc(arena, nodes, sizeof *t->path);
    t->queue = sn_arena_alloc(arena, nodes, sizeof *t->queue);
    t->all = sn_arena_alloc(arena, nodes, sizeof *t->all);
    t->queued = sn_arena_alloc(arena, nodes, sizeof *t->queued);
    if (!t->marks || !t->loose || !t->joints || !t->part || !t->start || !t->first_slab || !t->end_slab ||
        !t->first_node || !t->end_node || !t->thickest || !t->several || !t->path || !t->queue || !t->all || !t->queued)
        return false;
    for (size_t i = 0; i < nodes; i++)
        t->marks[i] = NULL, t->part[i] = (int)i, t->start[i] = 0, t->path[i] = FAR, t->queued[i] = false;
    t->start[nodes] = 0;
    for (size_t i = 0; i < bodies; i++) {
        t->loose[i] = -1, t->thickest[i] = -1, t->several[i] = false; // thickest -1: it has no joint
        t->first_slab[i] = t->first_node[i] = INT32_MAX, t->end_slab[i] = t->end_node[i] = 0;
    }
    return true;
}

// Lists the elements at each node of bodies with joints, and finds their connected parts.
static bool find_parts(sn_contacts *c, filter *t) {
    const sn_proxies *p = &c->proxies;
    int32_t nodes[3];
    for (int i = 0; i < c->elements; i++) {
        const int body = sn_element_body(c, i);
        if (t->thickest[body] < 0) continue;
        const bool slab = sn_is_slab(c, i);
        int32_t *first = slab ? t->first_slab : t->first_node, *end = slab ? t->end_slab : t->end_node;
        first[body] = i < first[body] ? i : first[body], end[body] = i + 1;
        if (!slab) t->thickest[body] = sn_max(t->thickest[body], p->nodes[i].s * p->nodes[i].radius);
        const int count = sn_element_nodes(c, i, nodes);
        for (int k = 0; k < count; k++) {
            ++t->start[nodes[k]];
            if (k > 0) sn_union(t->part, nodes[0], nodes[k]);
        }
    }
    int total = 0;
    for (int i = 0; i <= p->count; i++) {
        const int count = i < p->count ? t->start[i] : 0;
        t->start[i] = total, total += count;
    }
    t->at = sn_arena_alloc(&c->arena, (size_t)total + 1, sizeof *t->at);
    if (!t->at) return false;
    for (int i = 0; i < p->count; i++) t->queue[i] = t->start[i];
    for (int i = 0; i < c->elements; i++) {
        if (t->thickest[sn_element_body(c, i)] < 0) continue;
        for (int k = sn_element_nodes(c, i, nodes) - 1; k >= 0; --k) t->at[t->queue[nodes[k]]++] = i;
    }
    for (int i = 0; i < p->count; i++) t->part[i] = sn_find_root(t->part, i);
    for (int body = 0; body < c->body_count; body++) {
        int32_t part = -1;
        for (int i = t->first_node[body]; i < t->end_node[body]; i++) {
            if (t->start[i + 1] == t->start[i]) continue;
            const int32_t root = t->part[i];
            t->several[body] = t->several[body] || (part >= 0 && root != part);
            part = root;
        }
    }
    return true;
}

// ---- paths

typedef struct {
    int first, count; // of the queue, a ring
    int found;        // nodes in t->all
} search;

static void reach_node(const sn_contacts *c, filter *t, search *s, int node, sn_real path) {
    if (!(path < t->path[node])) return;
    if (t->path[node] == FAR) t->all[s->found++] = node;
    t->path[node] = path;
    if (t->queued[node]) return;
    t->queued[node] = true;
    t->queue[(s->first + s->count++) % c->proxies.count] = node;
}

// Finds the nodes within 'max' of a joint along its body, and those next to them; returns their number.
static int walk(const sn_contacts *c, filter *t, const sn_joint_body *joint, int side, sn_real max) {
    const sn_node *nodes = c->proxies.nodes;
    const int pill = side ? joint->pill_b : joint->pill_a, before = c->proxies.pills[pill].a;
    search s = {0};
    if (!joint->is_point[side] && before >= 0) {
        const sn_real length = sn_length(sn_sub(nodes[pill].c, nodes[before].c));
        reach_node(c, t, &s, before, joint->along[side] * length);
        reach_node(c, t, &s, pill, (1 - joint->along[side]) * length);
    } else
        reach_node(c, t, &s, pill, 0);
    while (s.count > 0) {
        const int node = t->queue[s.first];
        s.first = (s.first + 1) % c->proxies.count, --s.count;
        t->queued[node] = false;
        if (t->path[node] > max) continue;
        for (int i = t->start[node]; i < t->start[node + 1]; i++) {
            int32_t of[3];
            for (int k = sn_element_nodes(c, t->at[i], of) - 1; k >= 0; --k) {
                const sn_real path = t->path[node] + sn_length(sn_sub(nodes[of[k]].c, nodes[node].c));
                reach_node(c, t, &s, of[k], path);
            }
        }
    }
    return s.found;
}

// ---- depths

static sn_real exit_distance2(const sn_contacts *c, int element, const filter_side *side) {
    sn_real radius, d = axis_distance(c, element, side->place, &radius);
    return (radius + side->other) * (radius + side->other) - d * d;
}

static sn_real longest(sn_real a, sn_real b) {
    return b > a ? b : a;
}

// The largest exit distance over elements that are not connected to the joint; in something hollow, the distance to the
// nearest of them.
static sn_real deep_among(sn_contacts *c, filter *t, const filter_side *side, bool hollow, sn_real offset) {
    sn_real out2 = 0, nearest = FAR;
    for (int slabs = 0; slabs < 2; slabs++) {
        const int first = (slabs ? t->first_slab : t->first_node)[side->body];
        const int end = (slabs ? t->end_slab : t->end_node)[side->body];
        for (int i = first; i < end; i++) {
            int32_t nodes[3];
            if (sn_element_nodes(c, i, nodes) == 0 || t->part[nodes[0]] == side->part) continue;
            sn_real radius;
            const sn_real d = axis_distance(c, i, side->place, &radius) + radius;
            if (d < nearest) nearest = d;
            out2 = longest(out2, exit_distance2(c, i, side));
        }
    }
    const sn_real out = sn_sqrt(out2);
    return hollow && nearest < FAR ? longest(out, nearest + side->other - offset) : out;
}

// How deep a joint holds its body in a collider.
static sn_real depth_in_collider(const sn_collider *collider, sn_vec3 place, sn_real radius) {
    const sn_pill point = {place, place, 0, 0};
    sn_contact_point contact[2];
    const int count = sn_collider_contacts(collider, &collider->origin, &point, radius, contact);
    sn_real nearest = FAR;
    for (int k = 0; k < count; k++)
        if (contact[k].distance < nearest) nearest = contact[k].distance;
    return count ? radius - nearest : 0;
}

// A rigid body with faces is solid: what is held inside of it may have to go to its farthest corner before it is out.
static sn_real depth_in_solid(const sn_contacts *c, const filter *t, int pill, sn_vec3 place) {
    const int body = c->proxies.pills[pill].body;
    const sn_vec3 centre = c->proxies.nodes[c->proxies.pills[pill].a].c; // of the frame that joints hold
    sn_real farthest2 = 0;
    for (int i = t->first_slab[body]; i < t->end_slab[body]; i++) {
        const sn_slab s = slab_of(c, i);
        const sn_vec3 n = sn_cross(sn_sub(s.c[1], s.c[0]), sn_sub(s.c[2], s.c[0])), from = sn_sub(s.c[0], centre);
        const sn_real side = sn_dot(n, sn_sub(place, s.c[0]));
        if (sn_dot(n, from) < 0 ? side <= 0 : side >= 0) return 0; // outside
        for (int k = 0; k < 3; k++) farthest2 = longest(farthest2, sn_length2(sn_sub(s.c[k], place)));
    }
    return sn_sqrt(farthest2);
}

static sn_status add_joint(sn_contacts *c, filter *t, const sn_joint_body *joint, int number) {
    filter_joint *entry = &t->joints[number];
    const int sides = joint->pill_b >= 0 ? 2 : 1;
    sn_real radius[2] = {0, 0}, out = 0;
    sn_vec3 at[2];
    for (int k = 0; k < sides; k++) at[k] = sn_joint_point(c, joint, k, &radius[k]);
    const sn_vec3 arm = joint->arm;
    const sn_real offset = sn_length(arm);
    if (sides == 1) {
        const sn_collider *collider = c->colliders[joint->collider];
        at[1] = sn_transform_point(&collider->origin, joint->local);
        out = joint->has_anchor[0] ? WHOLE : depth_in_collider(collider, sn_add(at[1], arm), radius[0]);
        if (!(out > 0)) return SN_OK;
    }
    bool hollow[2] = {false, false};
    sn_real thickest = 0;
    for (int k = 0; k < sides; k++) {
        filter_side *side = &entry->side[k];
        const int pill = k ? joint->pill_b : joint->pill_a, body = c->proxies.pills[pill].body;
        const sn_vec3 place = k ? sn_add(at[1], arm) : sn_sub(at[0], arm);
        *side = (filter_side){place, radius[1 - k], body, pill, t->part[pill]};
        hollow[k] = t->start[pill + 1] == t->start[pill];
        thickest += t->thickest[body];
        if (joint->has_anchor[k]) out = longest(out, depth_in_solid(c, t, pill, at[k]));
        if (!hollow[k] && !t->several[body]) continue;
        out = longest(out, deep_among(c, t, side, hollow[k], offset));
        entry->next[k] = t->loose[body];
        t->loose[body] = 2 * number + k;
    }
    const sn_real max = REACH * (sides == 2 ? longest(out, thickest) : out); // upper bound of the reach
    for (int k = 0; k < sides; k++) {
        const sn_real aside = k ? offset : 0;
        const int found = walk(c, t, joint, k, max + aside);
        for (int i = 0; i < found && sides == 2; i++)
            for (int e = t->start[t->all[i]]; e < t->start[t->all[i] + 1]; e++) {
                const sn_real out2 = exit_distance2(c, t->at[e], &entry->side[k]);
                if (out2 > out * out) out = sn_sqrt(out2);
            }
        mark *new_marks = sn_arena_alloc(&c->arena, (size_t)found + 1, sizeof *new_marks);
        if (!new_marks) return SN_ERR_MEMORY;
        for (int i = 0; i < found; i++) {
            const int node = t->all[i];
            new_marks[i] = (mark){t->marks[node], number, k, longest(t->path[node] - aside, 0)};
            t->marks[node] = &new_marks[i];
            t->path[node] = FAR;
        }
    }
    if (joint->has_anchor[0] && joint->has_anchor[1]) out = WHOLE;
    entry->reach = REACH * out;
    return SN_OK;
}

sn_status sn_joints_find_filter(void *what, sn_contacts *c) {
    sn_joints *s = what;
    int count = 0;
    sn_implied_joints implied;
    for (int i = 0; s->alive > 0 && i < s->count; i++) count += sn_joint_is_between(&s->items[i]);
    if (!list_implied(s, c, &implied)) return SN_ERR_MEMORY;
    if (count + implied.count == 0) return SN_OK;
    filter *t = sn_arena_alloc(&c->arena, 1, sizeof *t);
    if (!t) return SN_ERR_MEMORY;
    *t = (filter){.joint_count = s->count, .implied = implied};
    const int all = s->count + implied.count;
    if (!alloc_tables(c, t, all)) return SN_ERR_MEMORY;
    for (int i = 0; i < all; i++) {
        const sn_joint_body *joint = joint_at(s, t, i);
        t->joints[i] = (filter_joint){.gen = joint->gen, .collider = -1, .next = {-1, -1}};
        if (!sn_joint_is_between(joint)) continue;
        if (joint->pill_b < 0) t->joints[i].collider = joint->collider;
        t->thickest[c->proxies.pills[joint->pill_a].body] = 0;
        if (joint->pill_b >= 0) t->thickest[c->proxies.pills[joint->pill_b].body] = 0;
    }
    if (!find_parts(c, t)) return SN_ERR_MEMORY;
    for (int i = 0; i < all; i++) {
        const sn_joint_body *joint = joint_at(s, t, i);
        if (!sn_joint_is_between(joint) || !collides(c, joint->pill_a) ||
            (joint->pill_b >= 0 && !collides(c, joint->pill_b)))
            continue;
        const sn_status status = add_joint(c, t, joint, i);
        if (status != SN_OK) return status;
    }
    s->filter = t;
    return SN_OK;
}

// ---- excluded pairs

// Whether an element of the body on side 'which' is at the joint.
static bool is_at(const filter *t, const sn_contacts *c, int element, int joint, int which) {
    const filter_joint *entry = &t->joints[joint];
    const filter_side *side = &entry->side[which];
    if (element == side->pill) return true;
    int32_t nodes[3];
    const int count = sn_element_nodes(c, element, nodes);
    bool along = false;
    for (int k = 0; k < count; k++)
        for (const mark *m = t->marks[nodes[k]]; m; m = m->next) {
            if (m->joint != joint || m->side != which) continue;
            if (m->path <= entry->reach) return true;
            along = true; // it may still be thick enough to contain the joint
        }
    if (!along && t->part[nodes[0]] == side->part) return false;
    sn_real radius;
    const sn_real d = axis_distance(c, element, side->place, &radius);
    return (!along && d <= entry->reach) || d < radius;
}

// Whether it, or an element that shares a node with it, is at the joint.
static bool is_around(const filter *t, const sn_contacts *c, int element, int joint, int which) {
    if (is_at(t, c, element, joint, which)) return true;
    int32_t nodes[3];
    for (int k = sn_element_nodes(c, element, nodes) - 1; k >= 0; --k)
        for (int i = t->start[nodes[k]]; i < t->start[nodes[k] + 1]; i++)
            if (is_at(t, c, t->at[i], joint, which)) return true;
    return false;
}

typedef bool at_fn(const filter *t, const sn_contacts *c, int element, int joint, int which);

// Whether elements a and b (or collider b - elements) are both at a joint, a on its side 'which'.
static bool both_at(const filter *t, const sn_contacts *c, int a, int b, int joint, int which, at_fn *at) {
    const filter_joint *entry = &t->joints[joint];
    if (!(entry->reach > 0) || entry->side[which].body != sn_element_body(c, a)) return false;
    if (b >= c->elements) return entry->collider == b - c->elements && at(t, c, a, joint, which);
    if (entry->collider >= 0 || entry->side[1 - which].body != sn_element_body(c, b)) return false;
    return at(t, c, a, joint, which) && at(t, c, b, joint, 1 - which);
}

// Tests the joints near a.
static bool any_joint(const filter *t, const sn_contacts *c, int a, int b, at_fn *at) {
    int32_t nodes[3];
    for (int k = sn_element_nodes(c, a, nodes) - 1; k >= 0; --k)
        for (const mark *m = t->marks[nodes[k]]; m; m = m->next)
            if (both_at(t, c, a, b, m->joint, m->side, at)) return true;
    for (int32_t i = t->loose[sn_element_body(c, a)]; i >= 0; i = t->joints[i / 2].next[i % 2])
        if (both_at(t, c, a, b, i / 2, i % 2, at)) return true;
    return false;
}

bool sn_joints_exclude(const void *what, const sn_contacts *c, int a, int b) {
    const sn_joints *s = what;
    return s->filter && any_joint(s->filter, c, a, b, is_at);
}

bool sn_joints_exclude_near(const void *what, const sn_contacts *c, int a, int b) {
    const sn_joints *s = what;
    return s->filter && any_joint(s->filter, c, a, b, is_around);
}

// ---- invariants
#ifdef SN_VALIDATE

// An entry that excludes pairs belongs to a joint whose sides do not collide, and has its pills and its collider. The
// joint may have broken at the end of the step.
static void validate_joint(const sn_contacts *c, const filter *t, const sn_joint_body *joint, int number) {
    const filter_joint *entry = &t->joints[number];
    SN_ASSERT(entry->reach >= 0);
    if (!(entry->reach > 0)) return;
    SN_ASSERT(joint->alive == (joint->gen == entry->gen));
    if (!joint->alive) return;
    SN_ASSERT(sn_joint_is_between(joint));
    SN_ASSERT(entry->collider == (joint->pill_b < 0 ? joint->collider : -1));
    for (int k = 0; k < (joint->pill_b < 0 ? 1 : 2); k++) {
        const filter_side *side = &entry->side[k];
        SN_ASSERT(side->pill == (k ? joint->pill_b : joint->pill_a));
        SN_ASSERT(side->body == c->proxies.pills[side->pill].body && side->part == t->part[side->pill]);
        SN_ASSERT(collides(c, side->pill));
    }
}

// The lists of a node: marks of joints on its body, from the last joint to the first; the elements that it is in,
// ascending.
static void validate_node(const sn_contacts *c, const filter *t, int node) {
    const int body = c->proxies.pills[node].body;
    for (const mark *m = t->marks[node]; m; m = m->next) {
        SN_ASSERT(m->joint >= 0 && m->joint < t->joint_count + t->implied.count);
        SN_ASSERT(m->side == 0 || m->side == 1);
        SN_ASSERT(t->joints[m->joint].side[m->side].body == body);
        SN_ASSERT(m->path >= 0);
        if (m->next) SN_ASSERT(2 * m->next->joint + m->next->side < 2 * m->joint + m->side);
    }
    SN_ASSERT(t->path[node] == FAR && !t->queued[node]);
    SN_ASSERT(t->start[node] <= t->start[node + 1]);
    for (int i = t->start[node]; i < t->start[node + 1]; i++) {
        int32_t nodes[3];
        bool has = false;
        SN_ASSERT(t->at[i] >= 0 && t->at[i] < c->elements && (i == t->start[node] || t->at[i] > t->at[i - 1]));
        for (int k = sn_element_nodes(c, t->at[i], nodes) - 1; k >= 0; --k) has = has || nodes[k] == node;
        SN_ASSERT(has && sn_element_body(c, t->at[i]) == body);
    }
}

static bool has_mark(const filter *t, const sn_contacts *c, int element, int joint, int side) {
    int32_t nodes[3];
    for (int k = sn_element_nodes(c, element, nodes) - 1; k >= 0; --k)
        for (const mark *m = t->marks[nodes[k]]; m; m = m->next)
            if (m->joint == joint && m->side == side && m->path <= t->joints[joint].reach) return true;
    return false;
}

// The pair is not at both sides of a joint by its marks. Distances through space have changed since the broad phase.
static void validate_pair(const filter *t, const sn_contacts *c, sn_pair pair) {
    int32_t nodes[3];
    for (int k = sn_element_nodes(c, pair.a, nodes) - 1; k >= 0; --k)
        for (const mark *m = t->marks[nodes[k]]; m; m = m->next) {
            const filter_joint *entry = &t->joints[m->joint];
            if (!(entry->reach > 0) || m->path > entry->reach) continue;
            if (pair.b >= c->elements)
                SN_ASSERT(entry->collider != pair.b - c->elements);
            else
                SN_ASSERT(!has_mark(t, c, pair.b, m->joint, 1 - m->side));
        }
}

void sn_joints_validate_filter(const sn_joints *s, const sn_contacts *c) {
    const filter *t = s->filter;
    if (!t) { // without pairs, there may have been no memory for it
        for (int i = 0; i < s->count && c->pair_count > 0; i++) SN_ASSERT(!sn_joint_is_between(&s->items[i]));
        return;
    }
    SN_ASSERT(t->joint_count == s->count);
    for (int i = 0; i < s->count + t->implied.count; i++) validate_joint(c, t, joint_at(s, t, i), i);
    for (int i = 0; i < c->proxies.count; i++) validate_node(c, t, i);
    for (int body = 0; body < c->body_count; body++)
        for (int32_t i = t->loose[body]; i >= 0; i = t->joints[i / 2].next[i % 2]) {
            SN_ASSERT(i < 2 * (s->count + t->implied.count) && t->joints[i / 2].side[i % 2].body == body);
            SN_ASSERT(t->joints[i / 2].next[i % 2] < i);
        }
    for (int i = 0; i < c->pair_count; i++) validate_pair(t, c, c->pairs[i]);
}
#endif
