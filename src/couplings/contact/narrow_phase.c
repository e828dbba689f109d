// Narrow phase: the contacts of a substep. Every pair is measured at the start of the substep, many at once; those that motion may
// close become contacts, several a pair (features, contact.h) so that pills lying along each other do not rock. A fast body is stopped by the plane it
// faces at the start (a speculative contact) and cannot tunnel.
#include "base/host.h"
#include "couplings/contact/contact_pack.h"
#include <math.h>

static sn_vec3 get3(sn_block_row rows[3], int lane) {
    return sn_v3(rows[0][lane], rows[1][lane], rows[2][lane]);
}

// ---- where the pills are, and how far they go in the substep

// Contacts are made where the predicted motion, which does not know of gravity yet, brings two pills within a part of the smaller
// radius, and of how far the fastest node of the two bodies, or of those near them, moves: what is hit takes over the speed of what
// hits it, and what it bends elsewhere moves as fast. 99.9 % of the contacts that come to press in a heap are within NEAR_MOTION of
// that, and FAST of its square over the radius. Those within all of the motion of the two pills, or of pills near them, wait in
// blocks of their own until they come near: something that falls beside them may be stopped.
#define NEAR_GAP    ((sn_real)0.02)
#define WAIT_GAP    ((sn_real)0.1)
#define NEAR_MOTION ((sn_real)0.3)
#define FAST        ((sn_real)1.5)
#define MAX_NEAR    ((sn_real)0.3)  // of the larger radius
#define SLACK       ((sn_real)0.15) // of the radius of what meets a collider: how far away contacts are made

typedef struct {
    sn_contacts *contacts;
    sn_pill *at;
    sn_slab *slabs;
    bool start;
} placing;

static void place_chunk(void *context, int index, int worker) {
    (void)worker;
    const placing *p = context;
    const sn_contacts *c = p->contacts;
    const int pills = c->proxies.count;
    for (int i = index * SN_CONTACT_CHUNK; i < c->elements && i < (index + 1) * SN_CONTACT_CHUNK; i++) {
        if (i >= pills)
            p->slabs[i - pills] = sn_proxy_slab(&c->proxies, i - pills, p->start);
        else if (c->proxies.pills[i].a >= 0)
            p->at[i] = sn_proxy_pill(&c->proxies, i, p->start);
    }
}

void sn_contacts_place(sn_contacts *c, sn_pill *pills, sn_slab *slabs, bool start) {
    placing p = {c, pills, slabs, start};
    sn_parallel_for(c->pool, (c->elements + SN_CONTACT_CHUNK - 1) / SN_CONTACT_CHUNK, 4, place_chunk, &p);
}

static int slab_of(const sn_contact_split *split, sn_vec3 p) {
    const sn_real x = sn_along(p, split->axis);
    int slab = 0;
    for (int k = 0; k < split->strips - 1; k++) slab += x >= split->edge[k];
    return slab;
}

// How an element goes in this substep, and went in the last: see contact.h.
static void start_relative(sn_contacts *c, int i, const sn_vec3 *before, const sn_vec3 *here, sn_real swell,
                           sn_real grown) {
    int32_t nodes[3];
    const int count = sn_element_nodes(c, i, nodes);
    sn_vec3 motion = sn_v3(0, 0, 0), previous_motion = motion;
    for (int k = 0; k < count; k++) {
        const sn_node *node = &c->proxies.nodes[nodes[k]];
        motion = sn_mul_add(motion, 1 / (sn_real)count, sn_sub(node->c, node->c0));
        previous_motion = sn_mul_add(previous_motion, 1 / (sn_real)count, sn_sub(here[k], before[k]));
    }
    sn_real deviation = 0, previous_deviation = 0;
    for (int k = 0; k < count; k++) {
        const sn_node *node = &c->proxies.nodes[nodes[k]];
        deviation = sn_max(deviation, sn_length(sn_sub(sn_sub(node->c, node->c0), motion)));
        previous_deviation = sn_max(previous_deviation, sn_length(sn_sub(sn_sub(here[k], before[k]), previous_motion)));
    }
    c->motion[i] = motion, c->previous_motion[i] = previous_motion;
    c->swing[i] = deviation;
    c->deviation[i] = deviation + swell, c->previous_deviation[i] = previous_deviation + grown;
}

static void start_slab(sn_contacts *c, int i) {
    const int number = i - c->proxies.count;
    const sn_slab here = sn_proxy_slab(&c->proxies, number, true), before = c->slab_at[number];
    const sn_node_slab *who = &c->proxies.slabs[number];
    sn_real gone2 = 0, displacement2 = 0, grown = 0, swell = 0, thick = 0;
    int low = SN_STRIPS, high = 0;
    for (int k = 0; k < 3; k++) {
        const sn_node *node = &c->proxies.nodes[who->node[k]];
        gone2 = sn_max(gone2, sn_length2(sn_sub(here.c[k], before.c[k])));
        grown = sn_max(grown, here.r[k] - before.r[k]);
        displacement2 = sn_max(displacement2, sn_length2(sn_sub(node->c, node->c0)));
        swell = sn_max(swell, (node->s - node->s0) * node->radius);
        thick = sn_max(thick, here.r[k]);
        for (int i_driver = 0; i_driver < (who->driven ? SN_DRIVERS : 1);
             i_driver++) { // where those are that it may move
            const int32_t driver = who->driven ? c->proxies.drivers[who->node[k]].node[i_driver] : who->node[k];
            const int slab = slab_of(&c->split, c->proxies.nodes[driver].c0);
            low = slab < low ? slab : low, high = slab > high ? slab : high;
        }
    }
    c->travel[i] = sn_sqrt(gone2) + grown;
    c->slack[i] = 0;
    c->slab_at[number] = here;
    c->margin[i] = sn_sqrt(displacement2) + swell + c->fall + (sn_real)0.02 * thick;
    c->strip_low[i] = (unsigned char)low, c->strip_high[i] = (unsigned char)high;
    start_relative(c, i, before.c, here.c, swell + (sn_real)0.02 * thick, grown);
}

static void start_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    for (int i = index * SN_CONTACT_CHUNK; i < c->elements && i < (index + 1) * SN_CONTACT_CHUNK; i++) {
        if (sn_is_slab(c, i)) {
            start_slab(c, i);
            continue;
        }
        const sn_node_pill *pill = &c->proxies.pills[i];
        if (pill->a < 0) continue;
        const sn_node *a = &c->proxies.nodes[pill->a], *b = &c->proxies.nodes[pill->b];
        const sn_pill here = sn_proxy_pill(&c->proxies, i, true), before = c->pill_at[i];
        sn_real gone2 = sn_max(sn_length2(sn_sub(here.a, before.a)), sn_length2(sn_sub(here.b, before.b)));
        c->travel[i] = sn_sqrt(gone2) + sn_max(sn_max(here.ra - before.ra, here.rb - before.rb), 0);
        const sn_real max = sn_max(here.ra, here.rb);
        const sn_real slack = sn_min(SLACK * max, (sn_real)0.05 * max + (sn_real)0.5 * c->unrest[pill->body]);
        const sn_real larger = sn_max((a->s - a->s0) * a->radius, (b->s - b->s0) * b->radius);
        start_relative(c, i, (const sn_vec3[2]){before.a, before.b}, (const sn_vec3[2]){here.a, here.b},
                       sn_max(larger, 0), sn_max(sn_max(here.ra - before.ra, here.rb - before.rb), 0));
        c->pill_at[i] = here;
        sn_real direction = sn_sqrt(sn_max(sn_length2(sn_sub(a->c, a->c0)), sn_length2(sn_sub(b->c, b->c0))));
        sn_real swell = sn_max((a->s - a->s0) * a->radius, (b->s - b->s0) * b->radius);
        c->slack[i] = slack;
        c->margin[i] = direction + sn_max(swell, 0) + c->fall + slack;
        int x = slab_of(&c->split, here.a), y = slab_of(&c->split, here.b);
        c->strip_low[i] = (unsigned char)(x < y ? x : y), c->strip_high[i] = (unsigned char)(x < y ? y : x);
    }
}

// How far the fastest node of each body, or of a body near it, moves in the substep, and the same of elements. A body that is hit
// takes over the speed of what hits it, and what it bends elsewhere moves as fast.
static void measure_unrest(sn_contacts *c) {
    sn_real *motion = c->body_motion, *unrest = c->unrest, *by_element = c->element_motion, *near = c->element_unrest;
    for (int b = 0; b < c->body_count; b++) motion[b] = 0;
    for (int i = 0; i < c->proxies.count; i++) {
        const sn_node *node = &c->proxies.nodes[i];
        sn_real *largest = &motion[c->proxies.pills[i].body];
        *largest = sn_max(*largest, sn_length2(sn_sub(node->c, node->c0)));
    }
    for (int i = 0; i < c->elements; i++) {
        int32_t nodes[3];
        sn_real largest = 0;
        for (int k = sn_element_nodes(c, i, nodes) - 1; k >= 0; --k) {
            const sn_node *node = &c->proxies.nodes[nodes[k]];
            largest = sn_max(largest, sn_length2(sn_sub(node->c, node->c0)));
        }
        by_element[i] = near[i] = sn_sqrt(largest);
    }
    for (int b = 0; b < c->body_count; b++) {
        motion[b] = c->nodal[sn_world_row_of_body(c->world, b)] > 0 ? INFINITY : sn_sqrt(motion[b]);
        unrest[b] = motion[b];
    }
    for (int i = 0; i < c->pair_count; i++) {
        const sn_pair pair = c->pairs[i];
        const int a = sn_element_body(c, pair.a);
        if (pair.b >= c->elements) {
            if (c->colliders[pair.b - c->elements]->moves) unrest[a] = INFINITY;
            continue;
        }
        const int b = sn_element_body(c, pair.b);
        near[pair.a] = sn_max(near[pair.a], by_element[pair.b]);
        near[pair.b] = sn_max(near[pair.b], by_element[pair.a]);
        if (a == b) continue;
        unrest[a] = sn_max(unrest[a], motion[b]);
        unrest[b] = sn_max(unrest[b], motion[a]);
    }
}

// ---- which pairs touch

static int group_of(const sn_contacts *c, sn_pair pair) {
    int low = c->strip_low[pair.a], high = c->strip_high[pair.a];
    if (pair.b < c->elements) {
        low = c->strip_low[pair.b] < low ? c->strip_low[pair.b] : low;
        high = c->strip_high[pair.b] > high ? c->strip_high[pair.b] : high;
    }
    int phase = high == low ? 0 : high == low + 1 ? 1 + low % 2 : 3, first, groups;
    sn_groups_of_phase(&c->split, phase, &first, &groups);
    return first + (phase == 0 ? low : phase < 3 ? low / 2 : 0);
}

// The nearest points of two pills, or of a pill and a collider, where an end's feature stands in for them.
static bool is_at_end(const sn_contacts *c, sn_pair pair, const sn_contact_point *contact) {
    if (!(contact->alpha > 0 && contact->alpha < 1)) return true;
    return pair.b < c->elements && !(contact->beta > 0 && contact->beta < 1);
}

// How far the bodies of a pair, or those near them, move at most, and its elements, or those near them; the smaller and the larger
// radius.
typedef struct {
    sn_real body, element, min, max;
} unrest;

static unrest unrest_of(const sn_contacts *c, sn_pair pair) {
    const sn_pill *a = &c->pill_at[pair.a];
    unrest u = {c->unrest[c->proxies.pills[pair.a].body], c->element_unrest[pair.a], sn_min(a->ra, a->rb),
                sn_max(a->ra, a->rb)};
    if (pair.b < c->elements) {
        const sn_pill *b = &c->pill_at[pair.b];
        u.min = sn_min(u.min, sn_min(b->ra, b->rb)), u.max = sn_max(u.max, sn_max(b->ra, b->rb));
        u.body = sn_max(u.body, c->unrest[c->proxies.pills[pair.b].body]);
        u.element = sn_max(u.element, c->element_unrest[pair.b]);
    }
    return u;
}

// Within this of the predicted motion a contact takes part from the start; within that it waits.
static sn_real near_slack(const sn_contacts *c, const unrest *u) {
    return sn_min(NEAR_GAP * u->min + c->fall + u->body * (NEAR_MOTION + FAST * u->body / u->min), MAX_NEAR * u->max);
}
static sn_real far_slack(const sn_contacts *c, const unrest *u) {
    const sn_real wait = u->body < INFINITY ? WAIT_GAP * u->min + c->fall + u->element : u->body;
    return sn_min(sn_max(wait, near_slack(c, u)), MAX_NEAR * u->max);
}

static sn_real slack_of(const sn_contacts *c, sn_pair pair) {
    const unrest u = unrest_of(c, pair);
    return far_slack(c, &u);
}

// The gap of a contact where the sides are predicted to go, if that is smaller.
static sn_real predicted_gap(const sn_contacts *c, sn_pair pair, const sn_contact_point *contact) {
    const int elements[2] = {pair.a, pair.b};
    sn_vec3 rel = sn_v3(0, 0, 0);
    for (int side = 0; side < (pair.b < c->elements ? 2 : 1); side++) {
        const sn_node_pill *p = &c->proxies.pills[elements[side]];
        const sn_node *a = &c->proxies.nodes[p->a], *b = &c->proxies.nodes[p->b];
        const sn_real t = side ? contact->beta : contact->alpha, sign = side ? -1 : 1;
        rel = sn_mul_add(rel, sign * (1 - t), sn_sub(a->c, a->c0));
        rel = sn_mul_add(rel, sign * t, sn_sub(b->c, b->c0));
    }
    return contact->distance + sn_min(sn_dot(rel, contact->normal), 0);
}

typedef enum { AWAY, FAR, NEAR } reach;

// Whether a contact of two pills, or of a pill and a collider, may come to press.
static reach reach_of(const sn_contacts *c, sn_pair pair, const sn_contact_point *contact) {
    if (pair.b >= c->elements && c->colliders[pair.b - c->elements]->moves) return NEAR;
    const unrest u = unrest_of(c, pair);
    const sn_real gap = predicted_gap(c, pair, contact);
    return gap <= near_slack(c, &u) ? NEAR : gap <= far_slack(c, &u) ? FAR : AWAY;
}

static int note(const sn_contacts *c, sn_found_contact *out, int pair, const sn_contact_point *contact,
                const int *which, int count, bool alone) {
    if (count == 0) return 0;
    const sn_pair who = c->pairs[pair];
    const bool slab = sn_is_slab(c, who.a) || (who.b < c->elements && sn_is_slab(c, who.b));
    int noted = 0, covered = 0;
    for (int k = 0; k < count; k++) {
        const int feature = which ? which[k] : k;
        const bool at_end = !slab && !alone && feature == 0 && is_at_end(c, who, &contact[k]);
        const reach how = slab ? NEAR : at_end ? AWAY : reach_of(c, who, &contact[k]);
        if (how == AWAY && !(c->pressing[pair] & 1u << feature)) continue; // what pressed hands its force over
        covered |= 1 << feature;
        c->found[pair] |= (unsigned char)(1u << feature);
        out[noted++] = (sn_found_contact){.pair = pair,
                                          .which = feature,
                                          .group = group_of(c, who),
                                          .alpha = contact[k].alpha,
                                          .beta = contact[k].beta,
                                          .distance = contact[k].distance,
                                          .normal = contact[k].normal,
                                          .covered = alone || slab ? 0
                                                     : at_end      ? SN_COVERED_ALWAYS
                                                                   : covered,
                                          .far = how != NEAR};
    }
    if (noted == 0) return 0;
    sn_contacts_activate_body(c, who.a);
    if (who.b < c->elements) sn_contacts_activate_body(c, who.b);
    return noted;
}

// Of an edge both its later corners are one.
static void fold(const sn_contacts *c, int element, sn_real weight[3]) {
    int32_t nodes[3];
    if (sn_element_nodes(c, element, nodes) == 2) weight[1] += weight[2], weight[2] = 0;
}

static int note_slab(const sn_contacts *c, sn_found_contact *out, int pair) {
    sn_slab_contact found[2];
    const int count = sn_contacts_slab_contacts(c, c->pairs[pair], found, &c->separation[pair]);
    sn_contact_point contact[2] = {0};
    for (int k = 0; k < count; k++) {
        fold(c, c->pairs[pair].a, found[k].a);
        if (c->pairs[pair].b < c->elements) fold(c, c->pairs[pair].b, found[k].b);
        contact[k] = (sn_contact_point){
            .alpha = found[k].a[1], .beta = found[k].b[1], .distance = found[k].distance, .normal = found[k].normal};
    }
    note(c, out, pair, contact, NULL, count, false);
    for (int k = 0; k < count; k++) {
        out[k].third[0] = found[k].a[2], out[k].third[1] = found[k].b[2];
        const sn_pair who = c->pairs[pair];
        if (sn_is_slab(c, who.a)) sn_contacts_find_drivers(c, who.a, found[k].a, out[k].driver[0]);
        if (who.b < c->elements && sn_is_slab(c, who.b))
            sn_contacts_find_drivers(c, who.b, found[k].b, out[k].driver[1]);
    }
    return count;
}

// One side of a feature: the pill, or the ball at one of its ends.
static sn_pill feature_side(const sn_pill *pill, int feature, int side) {
    if (feature <= 0 || (feature > 2) != (side == 1)) return *pill;
    const bool end_b = feature == 2 || feature == 4;
    const sn_vec3 centre = end_b ? pill->b : pill->a;
    const sn_real radius = end_b ? pill->rb : pill->ra;
    return (sn_pill){centre, centre, radius, radius};
}

// The parameter of the ball on its pill.
static void set_feature_end(int feature, sn_real *alpha, sn_real *beta) {
    if (feature == 1 || feature == 2) *alpha = feature == 2;
    if (feature == 3 || feature == 4) *beta = feature == 4;
}

// Nearest points between the ends count where they are deeper than the balls at the ends, by this part of the smaller radius.
#define DEEPER ((sn_real)0.002)
// Nearest points on two neighbours that are both within this part of the length from their common end are one.
#define AT_END ((sn_real)0.25)

// Whether a pill takes part in the contacts of its neighbours' balls.
static bool is_neighbour(const sn_contacts *c, int pill) {
    return pill < c->proxies.count && c->proxies.pills[pill].a >= 0 && c->proxies.nodes[pill].contact_disabled == 0;
}

// Whether the nearest point of a ball on a pill is the pill's to count: of two neighbours only the nearer has it.
static bool is_of_pill(const sn_contacts *c, const sn_pill *ball, int pill, sn_real where) {
    const int before = c->proxies.pills[pill].a, after = pill + 1;
    if (where < AT_END && sn_has_own_pill(c, pill)) {
        if (!(where > 0)) return false;
        const sn_contact_point last = sn_pill_pill(ball, &c->pill_at[before]);
        return !(last.beta < 1 && last.beta > 1 - AT_END) ||
               sn_pill_pill(ball, &c->pill_at[pill]).distance < last.distance;
    }
    if (where > 1 - AT_END && is_neighbour(c, after) && c->proxies.pills[after].a == pill) {
        const sn_contact_point next = sn_pill_pill(ball, &c->pill_at[after]);
        if (!(next.beta > 0)) return true;
        return where < 1 && (!(next.beta < AT_END) || sn_pill_pill(ball, &c->pill_at[pill]).distance <= next.distance);
    }
    return true;
}

// Pills whose axes are inclined by less lie along each other: they touch at the balls of their ends as well.
#define PARALLEL ((sn_real)0.1) // sine

static bool are_parallel(const sn_pill *a, const sn_pill *b) {
    const sn_vec3 x = sn_sub(a->b, a->a), y = sn_sub(b->b, b->a);
    return sn_length2(sn_cross(x, y)) < PARALLEL * PARALLEL * sn_length2(x) * sn_length2(y);
}

// Whether two pills that cross touch at the ball at an end: there it is nearest, and the next pill along is not nearer elsewhere.
// 'where': of the nearest point on the ball's pill.
static bool crosses_at(const sn_contacts *c, int pill, bool end_b, sn_real where, const sn_pill *other) {
    if (end_b ? where < 1 : where > 0) return false;
    if (!end_b || !is_neighbour(c, pill + 1) || c->proxies.pills[pill + 1].a != pill) return true;
    return !(sn_pill_pill(&c->pill_at[pill + 1], other).alpha > 0);
}

// Two that lie along each other, and slide by less than this part of the smaller radius in the substep, have each contact once.
// Those that cross or move more keep all features: what is nearest at the end may be another than at the start.
#define TOUCHES ((sn_real)0.02)
#define SLIDES  ((sn_real)0.1)
#define DEEP    ((sn_real)0.3) // such an overlap is of bodies that were put into each other

static sn_real slide_of(const sn_contacts *c, int a, int b) {
    return sn_length(sn_sub(c->motion[a], c->motion[b])) + c->swing[a] + c->swing[b];
}

// Two pills that are within the margin of each other, and the features of theirs that are to be measured.
typedef struct {
    sn_pair pair;
    int number;
    sn_contact_point nearest;
    sn_real margin, min; // min: the smaller radius
    bool near, parallel, once;
    int count, which[SN_FEATURES];
} pill_pair;

// Which balls at the ends may touch the other pill. A ball belongs to the pill that ends there with its end b.
static void list_features(const sn_contacts *c, pill_pair *p) {
    const sn_pill *pill[2] = {&c->pill_at[p->pair.a], &c->pill_at[p->pair.b]};
    const int element[2] = {p->pair.a, p->pair.b};
    const bool self = c->proxies.pills[p->pair.a].body == c->proxies.pills[p->pair.b].body;
    p->near = self || sn_contacts_excluded_near(c, p->pair.a, p->pair.b);
    p->parallel = are_parallel(pill[0], pill[1]);
    p->min = sn_min(pill[0]->rb, pill[1]->rb);
    p->once = !sn_is_nodal(c, p->pair.a) && !sn_is_nodal(c, p->pair.b) &&
              (p->parallel || p->nearest.distance < -DEEP * p->min) && p->nearest.distance < TOUCHES * p->min &&
              slide_of(c, p->pair.a, p->pair.b) < SLIDES * p->min;
    p->count = 0;
    for (int f = 1; f < SN_PAIR_FEATURES; f++) {
        const int side = f > 2; // of the ball
        const bool end_b = f == 2 || f == 4;
        if (!end_b && !p->near && sn_has_own_pill(c, element[side])) continue;
        if (p->once && !p->parallel &&
            !crosses_at(c, element[side], end_b, side ? p->nearest.beta : p->nearest.alpha, pill[!side]))
            continue;
        p->which[p->count++] = f;
    }
}

// Those that touch, from how they were measured, and the nearest points.
static int choose_features(const sn_contacts *c, const pill_pair *p, const sn_contact_point *measured,
                           sn_contact_point *contact, int *which) {
    const sn_contact_point *nearest = &p->nearest;
    const int element[2] = {p->pair.a, p->pair.b};
    bool between = nearest->alpha > 0 && nearest->alpha < 1 && nearest->beta > 0 && nearest->beta < 1,
         both_ends = false;
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        sn_contact_point found = measured[k];
        const int f = p->which[k], side = f > 2;
        if (found.distance > p->margin) continue;
        if (p->once && found.distance < nearest->distance + DEEPER * p->min) between = false;
        const sn_real where = side ? found.alpha : found.beta;
        if (p->once && !p->near) {
            const sn_pill ball = feature_side(&c->pill_at[element[side]], f, side);
            if (!is_of_pill(c, &ball, element[!side], where)) continue;
        }
        if (f == 2) both_ends = !(where < 1);
        if (p->once && f == 4 && both_ends && !(where < 1)) continue; // the same two balls
        set_feature_end(f, &found.alpha, &found.beta);
        contact[count] = found, which[count++] = f;
    }
    if (between || !p->once) contact[count] = *nearest, which[count++] = 0;
    return count;
}

// Notes the contacts of pairs of pills, all features measured at once.
enum { BATCH = 32 };

static int note_pills(const sn_contacts *c, sn_found_contact *out, pill_pair *pairs, int pair_count) {
    enum { MAX = BATCH * (SN_FEATURES - 1) };
    sn_pill pills[2 * MAX];
    sn_pair sides[MAX];
    sn_real alpha[MAX], beta[MAX], distance[MAX], nx[MAX], ny[MAX], nz[MAX];
    const sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    int count = 0, noted = 0;
    for (int i = 0; i < pair_count; i++) {
        pill_pair *p = &pairs[i];
        list_features(c, p);
        for (int k = 0; k < p->count; k++, count++) {
            pills[2 * count] = feature_side(&c->pill_at[p->pair.a], p->which[k], 0);
            pills[2 * count + 1] = feature_side(&c->pill_at[p->pair.b], p->which[k], 1);
            sides[count] = (sn_pair){2 * count, 2 * count + 1};
        }
    }
    if (count > 0) c->measure(pills, sides, count, &rows);
    count = 0;
    for (int i = 0; i < pair_count; i++) {
        const pill_pair *p = &pairs[i];
        sn_contact_point measured[SN_FEATURES] = {0}, contact[SN_FEATURES];
        int which[SN_FEATURES];
        for (int k = 0; k < p->count; k++, count++)
            measured[k] = (sn_contact_point){.alpha = alpha[count],
                                             .beta = beta[count],
                                             .distance = distance[count],
                                             .normal = {nx[count], ny[count], nz[count]}};
        const int chosen = choose_features(c, p, measured, contact, which);
        noted += note(c, out + noted, p->number, contact, which, chosen, p->once);
    }
    return noted;
}

// Normals of a pill's nearest point and of a ball at its end that differ by less are of the same flat side of a collider.
#define SAME_NORMAL ((sn_real)1e-5)

// How far a collider moves in the substep, at the ends of a pill.
static sn_real collider_motion(const sn_contacts *c, const sn_collider *collider, int pill) {
    if (!collider->moves) return 0;
    const sn_pill *p = &c->pill_at[pill];
    return sn_sqrt(sn_max(sn_length2(sn_collider_motion(&collider->from, &collider->until, p->a)),
                          sn_length2(sn_collider_motion(&collider->from, &collider->until, p->b))));
}

// The features of a pill and a collider that are within the margin.
static int collider_features(const sn_contacts *c, int pill, int number, sn_contact_point *contact, int *which,
                             bool *alone) {
    const sn_collider *collider = c->colliders[number];
    const sn_real moved = collider_motion(c, collider, pill);
    const sn_real margin = c->margin[pill] + moved;
    const bool plane = collider->kind == SN_GEOMETRY_PLANE, mesh = collider->kind == SN_GEOMETRY_MESH;
    const bool own = sn_has_own_pill(c, pill) && !sn_contacts_excluded_near(c, pill, c->elements + number);
    const bool round = collider->kind == SN_GEOMETRY_PILL || collider->kind == SN_GEOMETRY_SPHERE;
    const sn_pill core = round ? sn_collider_pill(collider, &collider->from) : (sn_pill){0};
    const bool parallel = round && are_parallel(&c->pill_at[pill], &core);
    static const int second[3] = {3, 5, 4}; // of a mesh
    int count = 0;
    bool once = false, at_end[2] = {false, false}; // the ends where the whole pill touches
    sn_contact_point found[2];
    sn_real nearest = 1;
    sn_vec3 normal = sn_v3(0, 0, 0);
    for (int f = plane ? 1 : 0; f < 3; f++) {
        if (f == 1 && own) continue;
        const sn_pill side = feature_side(&c->pill_at[pill], f, 0);
        int n = sn_collider_contacts(collider, &collider->from, &side, margin, found);
        if (n == 0 && f == 0) return 0; // the whole pill is too far away
        if (f == 0) {
            const sn_real min = sn_min(c->pill_at[pill].ra, c->pill_at[pill].rb);
            const sn_contact_point *deepest = &found[n > 1 && found[1].distance < found[0].distance];
            if (round) found[0] = *deepest, n = 1;
            nearest = deepest->alpha, normal = deepest->normal;
            for (int k = 0; k < n; k++) {
                at_end[0] = at_end[0] || !(found[k].alpha > 0);
                at_end[1] = at_end[1] || !(found[k].alpha < 1);
            }
            once = !sn_is_nodal(c, pill) && deepest->distance < TOUCHES * min &&
                   sn_length(c->motion[pill]) + c->swing[pill] + moved < SLIDES * min;
        }
        // A ball counts where it is nearest, or where the pill lies along the collider: not where it lies across.
        const bool is_end = f > 0 && at_end[f - 1];
        if (once && f > 0 && round && !parallel && !crosses_at(c, pill, f == 2, nearest, &core)) continue;
        const bool flat = plane || mesh || round;
        const bool box = collider->kind == SN_GEOMETRY_BOX;
        for (int k = 0; k < n && (k == 0 || mesh || (box && f == 0)); k++) {
            const bool between = found[k].alpha > 0 && found[k].alpha < 1;
            if ((once || mesh || k > 0) && f == 0 && !between) continue; // the balls'
            if (once && f > 0 && !flat && !is_end &&
                sn_length2(sn_sub(found[0].normal, normal)) > SAME_NORMAL * SAME_NORMAL)
                continue;
            set_feature_end(f, &found[k].alpha, &found[k].beta);
            contact[count] = found[k], which[count++] = k ? second[f] : f;
        }
    }
    *alone = once;
    return count;
}

// Pairs that may have come near are measured together if they are of pills, then looked at one by one.
static void search_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_contact_search *s = context;
    sn_contacts *c = s->contacts;
    const int first = index * SN_CONTACT_CHUNK;
    const int end = first + SN_CONTACT_CHUNK < c->pair_count ? first + SN_CONTACT_CHUNK : c->pair_count;
    sn_found_contact *out = s->found + (size_t)index * SN_FEATURES * SN_CONTACT_CHUNK;
    for (int i = first; i < end; i++) c->found[i] = 0;
    sn_real alpha[SN_CONTACT_CHUNK], beta[SN_CONTACT_CHUNK], distance[SN_CONTACT_CHUNK], nx[SN_CONTACT_CHUNK],
        ny[SN_CONTACT_CHUNK], nz[SN_CONTACT_CHUNK];
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    sn_pair near[SN_CONTACT_CHUNK];
    int number[SN_CONTACT_CHUNK], near_count = 0, count = 0;
    for (int i = first; i < end; i++) {
        const sn_pair pair = c->pairs[i];
        if (pair.b >= c->elements) continue;
        if (sn_is_slab(c, pair.a) || sn_is_slab(c, pair.b)) {
            const sn_vec3 closer = sn_sub(c->previous_motion[pair.a], c->previous_motion[pair.b]);
            c->separation[i] -= sn_length(closer) + c->previous_deviation[pair.a] + c->previous_deviation[pair.b];
            if (c->separation[i] <= sn_contacts_slab_margin(c, pair)) count += note_slab(c, out + count, i);
            continue;
        }
        const sn_vec3 closer = sn_sub(c->previous_motion[pair.a], c->previous_motion[pair.b]);
        c->separation[i] -= sn_length(closer) + c->previous_deviation[pair.a] + c->previous_deviation[pair.b];
        if (c->separation[i] > sn_contacts_margin(c, pair) + slack_of(c, pair)) continue;
        number[near_count] = i;
        near[near_count++] = pair;
    }
    if (near_count > 0) c->measure(c->pill_at, near, near_count, &rows);
    pill_pair batch[BATCH];
    int in_batch = 0;
    for (int k = 0; k < near_count; k++) {
        const sn_real margin = sn_contacts_margin(c, near[k]) + slack_of(c, near[k]);
        c->separation[number[k]] = distance[k];
        if (distance[k] > margin) continue;
        batch[in_batch++] = (pill_pair){
            .pair = near[k],
            .number = number[k],
            .nearest = {.alpha = alpha[k], .beta = beta[k], .distance = distance[k], .normal = {nx[k], ny[k], nz[k]}},
            .margin = margin};
        if (in_batch == BATCH) count += note_pills(c, out + count, batch, in_batch), in_batch = 0;
    }
    count += note_pills(c, out + count, batch, in_batch);
    for (int i = first; i < end; i++) {
        const sn_pair pair = c->pairs[i];
        sn_contact_point contact[SN_FEATURES];
        int which[SN_FEATURES];
        if (pair.b < c->elements) continue;
        if (sn_is_slab(c, pair.a)) {
            count += note_slab(c, out + count, i);
            continue;
        }
        bool alone = false;
        const int contact_count = collider_features(c, pair.a, pair.b - c->elements, contact, which, &alone);
        count += note(c, out + count, i, contact, which, contact_count, alone);
    }
    s->found_count[index] = count;
}

// ---- what a contact is

// Impacts slower than this, in m/s, do not bounce.
#define SLOWEST_BOUNCE ((sn_real)0.2)

// How the gap opens (negative: closes) in the substep if nothing stops it.
static sn_real opening(const sn_contacts *c, sn_contact_block *b, int i) {
    const bool both = sn_form_both(b->form);
    const sn_real alpha = sn_form_third(b->form, 0) ? b->spot[0][0][i] : b->alpha[i];
    const sn_real beta = sn_form_third(b->form, 1) ? b->spot[1][0][i] : b->beta[i];
    const sn_real weight[4] = {1 - alpha, alpha, beta - 1, -beta};
    sn_vec3 direction = both ? sn_v3(0, 0, 0) : sn_mul(-1, get3(b->drift, i));
    for (int k = 0; k < (both ? 4 : 2); k++) {
        const sn_node *n = &c->proxies.nodes[b->node[k][i]];
        direction = sn_mul_add(direction, weight[k], sn_sub(n->c, n->c0));
    }
    for (int side = 0; side < 2; side++) {
        if (!sn_form_third(b->form, side)) continue;
        const sn_node *n = &c->proxies.nodes[b->third_node[side][i]], *first = &c->proxies.nodes[b->node[2 * side][i]];
        sn_vec3 more = sn_sub(sn_sub(n->c, n->c0), sn_sub(first->c, first->c0));
        direction = sn_mul_add(direction, side ? -b->spot[1][1][i] : b->spot[0][1][i], more);
    }
    return sn_dot(direction, get3(b->n, i));
}

// The gap at the end of the substep of what bounces in it with the restitution e; 0: nothing bounces. What comes at v towards a surface at
// the distance d leaves it from where it is, with u. It should come up to e^2 times the height it fell from. With the gravity g towards
// the surface, in steps of h (free fall gains and loses speed before it moves):
//
//     v (v - g h) / 2g + d  =  the height it fell from        d + u^2 / 2g + u h / 2  =  the height it comes up to
//
// All times h below. Without gravity u = e v.
static sn_real bounce_of(const sn_contacts *c, sn_contact_block *b, int i, sn_real distance, sn_real restitution) {
    if (!(restitution > 0)) return 0;
    const sn_real speed = -opening(c, b, i), d = sn_max(distance, 0);
    if (!(speed > SLOWEST_BOUNCE * c->h && distance < speed)) return 0;
    const sn_real along = -sn_dot(sn_world_gravity(c->world), get3(b->n, i)) * c->h * c->h;
    const sn_real g = sn_form_both(b->form) ? 0 : sn_max(along, 0);
    const sn_real left = restitution * restitution * (sn_max(speed - g, 0) * speed + 2 * g * d) - 2 * g * d;
    if (!(left > 0)) return 0;
    return distance + (sn_real)0.5 * (sn_sqrt(g * g + 4 * left) - g);
}

static sn_real radius_at(const sn_pill *pill, sn_real t) {
    return (1 - t) * pill->ra + t * pill->rb;
}

// The ball of an element at a touch, at the start of the substep.
static sn_sphere ball_at(const sn_contacts *c, int element, sn_real second, sn_real third) {
    if (!sn_is_slab(c, element)) {
        const sn_pill *p = &c->pill_at[element];
        return (sn_sphere){sn_lerp(p->a, p->b, second), radius_at(p, second)};
    }
    const sn_slab *s = &c->slab_at[element - c->proxies.count];
    const sn_vec3 to = sn_mul(second, sn_sub(s->c[1], s->c[0])), further = sn_mul(third, sn_sub(s->c[2], s->c[0]));
    return (sn_sphere){sn_add(s->c[0], sn_add(to, further)),
                       s->r[0] + second * (s->r[1] - s->r[0]) + third * (s->r[2] - s->r[0])};
}

// A node of a side, and who moves there.
static void fill_node(const sn_contacts *c, int32_t node, int32_t driver, int i, sn_block_ints nodes,
                      sn_block_ints drivers, sn_block_ints slots) {
    nodes[i] = node, drivers[i] = driver;
    slots[i] = sn_contacts_slot(c, driver);
}

static void fill(sn_contacts *c, const sn_found_contact *f) {
    sn_contact_block *b = &c->blocks[c->groups[f->group].first + f->place / SN_BLOCK];
    if (f->place % SN_BLOCK == 0) b->far_start = f->far;
    const int i = f->place % SN_BLOCK, side[2] = {c->pairs[f->pair].a, c->pairs[f->pair].b}, other = side[1];
    const bool both = sn_form_both(b->form);
    const sn_contact_settings *mine = &c->settings[sn_element_surface(c, side[0])];
    const sn_surface *theirs;
    for (int s = 0; s < (both ? 2 : 1); s++) {
        int32_t nodes[3];
        sn_element_nodes(c, side[s], nodes);
        const int32_t *driver = sn_is_slab(c, side[s]) ? f->driver[s] : nodes;
        for (int k = 0; k < 2; k++)
            fill_node(c, nodes[k], driver[k], i, b->node[2 * s + k], b->driver[2 * s + k], b->slot[2 * s + k]);
        b->nodal[s][i] = c->nodal[sn_world_row_of_body(c->world, sn_element_body(c, side[s]))];
        const sn_real second = s ? f->beta : f->alpha, third = f->third[s];
        (s ? b->beta : b->alpha)[i] = second, b->third[s][i] = third;
        b->spot[s][0][i] = second, b->spot[s][1][i] = third;
        if (!sn_element_third(c, side[s])) continue;
        sn_real weight[3];
        fill_node(c, nodes[2], driver[2], i, b->third_node[s], b->third_driver[s], b->third_slot[s]);
        sn_contacts_weigh_drivers(c, side[s], (const sn_real[3]){1 - second - third, second, third}, driver, weight);
        (s ? b->beta : b->alpha)[i] = weight[1], b->third[s][i] = weight[2];
    }
    b->warm_start[i] = SN_FEATURES * f->pair + f->which;
    b->covered[i] = f->covered;
    b->pill[0][i] = side[0];
    b->start_gap[i] = f->distance;
    sn_vec3 normal = f->normal;
    const sn_sphere ball = ball_at(c, side[0], f->alpha, f->third[0]);
    const sn_real radius = ball.radius;
    b->radius[0][i] = b->min[i] = radius;
    if (both) {
        const sn_contact_settings *contacting = &c->settings[sn_element_surface(c, other)];
        theirs = &contacting->surface;
        b->pill[1][i] = other, b->collider[i] = -1;
        b->radius[1][i] = ball_at(c, other, f->beta, f->third[1]).radius;
        b->min[i] = sn_min(radius, b->radius[1][i]);
    } else {
        const sn_collider *collider = c->colliders[other - c->elements];
        theirs = &collider->surface;
        b->pill[1][i] = -1, b->collider[i] = other - c->elements;
        sn_vec3 before = sn_mul_add(ball.centre, -(radius + f->distance), normal);
        sn_vec3 anchor = before;
        if (collider->moves) {
            anchor = sn_transform_point(&collider->until, sn_transform_inverse_point(&collider->from, before));
            normal = sn_q_rotate(collider->until.rotation, sn_q_rotate(sn_q_conj(collider->from.rotation), normal));
        }
        sn_block_put(b->anchor, i, anchor);
        sn_block_put(b->drift, i, sn_sub(anchor, before));
    }
    sn_block_put(b->n, i, normal);
    const sn_warm_start *warm = &c->warm_starts[b->warm_start[i]];
    b->load[i] = warm->load;
    b->start_load[i] = warm->load;
    b->strength[i] = warm->strength;
    b->start_k[i] = warm->stiffness, b->start_target[i] = warm->target;
    sn_block_put(b->stretch, i, sn_mul_add(warm->stretch, -sn_dot(warm->stretch, normal), normal));
    sn_block_put(b->rotation, i, warm->rotation);
    b->stick[i] = sn_sqrt(mine->surface.friction_static * theirs->friction_static);
    b->slide[i] = sn_sqrt(mine->surface.friction_dynamic * theirs->friction_dynamic);
    b->compliance[i] = mine->surface.compliance + theirs->compliance;
    b->gap_now[i] = f->distance;
    b->force[i] = b->pre[i] = b->friction_k[i] = b->friction_max[i] = b->k[i] = b->target[i] = 0;
    b->bounce[i] = bounce_of(c, b, i, f->distance, sn_max(mine->surface.restitution, theirs->restitution));
}

static void fill_block(void *context, int index, int worker) {
    (void)worker;
    const sn_contact_search *s = context;
    for (int i = 0; i < s->contacts->blocks[index].count; i++)
        fill(s->contacts, s->placed[(size_t)index * SN_BLOCK + (size_t)i]);
}

static sn_status arrange(sn_contacts *c) {
    const int chunks = (c->pair_count + SN_CONTACT_CHUNK - 1) / SN_CONTACT_CHUNK;
    sn_contact_search s = {.contacts = c};
    s.found = sn_arena_alloc(&c->arena, (size_t)chunks * SN_FEATURES * SN_CONTACT_CHUNK + 1, sizeof *s.found);
    s.found_count = sn_arena_alloc(&c->arena, (size_t)chunks + 1, sizeof *s.found_count);
    if (!s.found || !s.found_count) return SN_ERR_MEMORY;
    sn_parallel_for(c->pool, chunks, 1, search_chunk, &s);
    sn_status status = sn_contacts_hand_over(c, &s, chunks);
    if (status == SN_OK) status = sn_contacts_pack(c, &s, chunks);
    if (status == SN_OK) sn_parallel_for(c->pool, c->block_count, 8, fill_block, &s);
    if (status == SN_OK && !sn_contacts_number_nodes(c)) status = SN_ERR_MEMORY;
    return status;
}

sn_status sn_contacts_narrow_phase(sn_contacts *c) {
    for (int i = 0; i < c->body_count; i++) c->active[i] = sn_contacts_assembled(c, i);
    if (c->hooks) c->hooks->activate(c->hook_user, c);
    c->slots = c->row_count = c->block_count = 0;
    measure_unrest(c);
    sn_parallel_for(c->pool, (c->elements + SN_CONTACT_CHUNK - 1) / SN_CONTACT_CHUNK, 4, start_chunk, c);
    sn_status status = arrange(c);
    if (status != SN_OK) { // joints still work
        c->row_count = c->block_count = 0;
        sn_contacts_activate(c);
        for (int g = 0; g < SN_GROUPS; g++) c->groups[g] = (sn_contact_group){0};
    }
    if (c->row_count > c->max_contacts) c->max_contacts = c->row_count;
    return status;
}

// ---- the same contacts, where the bodies have got to

// A normal that turned farther than this is another side of things: the contact then stays as it was at the start.
#define SAME_SIDE ((sn_real)0.5)
#define CROSSED   ((sn_real)-0.2)

static sn_pill pill_now(const sn_contacts *c, int element) {
    if (!sn_is_slab(c, element)) return c->pill_now[element];
    const sn_slab *edge = &c->slab_now[element - c->proxies.count];
    return (sn_pill){edge->c[0], edge->c[1], edge->r[0], edge->r[1]};
}

static void refresh_collider(sn_contacts *c, sn_contact_block *b, int i) {
    const sn_collider *collider = c->colliders[b->collider[i]];
    if (collider->kind == SN_GEOMETRY_PLANE || collider->kind == SN_GEOMETRY_MESH) return; // flat: the normal stays
    const int feature = sn_contact_feature(c, b, i);
    const sn_pill now = pill_now(c, b->pill[0][i]), side = feature_side(&now, feature, 0);
    sn_contact_point contact[2];
    const int count = sn_collider_contacts(collider, &collider->until, &side, now.ra + now.rb, contact);
    if (count == 0) return;
    const sn_real before = b->alpha[i]; // of two points this one is the nearer
    sn_contact_point *to = &contact[count > 1 && sn_abs(contact[1].alpha - before) < sn_abs(contact[0].alpha - before)];
    if (sn_dot(to->normal, get3(b->n, i)) < SAME_SIDE) return;
    const sn_real out = radius_at(&side, to->alpha) + to->distance;
    sn_block_put(b->anchor, i, sn_mul_add(sn_lerp(side.a, side.b, to->alpha), -out, to->normal));
    set_feature_end(feature, &to->alpha, &to->beta);
    b->alpha[i] = to->alpha;
    sn_block_put(b->n, i, to->normal);
}

static void refresh_pills(sn_contacts *c, sn_contact_block *b) {
    sn_pill pills[2 * SN_BLOCK];
    sn_pair pairs[SN_BLOCK];
    sn_block_row alpha, beta, distance, nx, ny, nz, alpha_of_second;
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    for (int i = 0; i < b->count; i++) {
        const int feature = sn_contact_feature(c, b, i);
        const sn_pill first = pill_now(c, b->pill[0][i]), second = pill_now(c, b->pill[1][i]);
        pairs[i] = (sn_pair){2 * i, 2 * i + 1};
        pills[2 * i] = feature_side(&first, feature, 0), pills[2 * i + 1] = feature_side(&second, feature, 1);
        if (feature < 0 && b->warm_start[i] % SN_FEATURES == 1) { // the second of two: its ball of side a stays
            pills[2 * i].a = pills[2 * i].b = sn_lerp(first.a, first.b, b->alpha[i]);
            pills[2 * i].ra = pills[2 * i].rb = radius_at(&first, b->alpha[i]);
            alpha_of_second[i] = b->alpha[i];
        } else
            alpha_of_second[i] = -1;
    }
    c->measure(pills, pairs, b->count, &rows);
    for (int i = 0; i < b->count; i++) {
        const sn_vec3 now = sn_v3(nx[i], ny[i], nz[i]);
        const sn_real turned = sn_dot(now, get3(b->n, i));
        // Where axes have crossed, the side that the bodies came from counts.
        if (turned < CROSSED)
            sn_block_put(b->n, i, sn_mul(-1, now));
        else
            sn_block_put(b->n, i, now);
        set_feature_end(sn_contact_feature(c, b, i), &alpha[i], &beta[i]);
        b->alpha[i] = alpha_of_second[i] >= 0 ? alpha_of_second[i] : alpha[i], b->beta[i] = beta[i];
    }
}

static void refresh_block(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    sn_contact_block *b = &c->blocks[index];
    if (b->far) return;
    if (b->form == SN_PILL_PILL)
        refresh_pills(c, b);
    else if (b->form == SN_PILL_COLLIDER)
        for (int i = 0; i < b->count; i++) refresh_collider(c, b, i);
    else
        sn_contacts_refresh_slabs(c, b, SAME_SIDE);
}

void sn_contacts_refresh(sn_contacts *c) {
    sn_contacts_place(c, c->pill_now, c->slab_now, false);
    sn_parallel_for(c->pool, c->block_count, 4, refresh_block, c);
}

sn_real sn_contacts_depth(sn_contacts *c) {
    sn_real worst = 0;
    sn_contacts_place(c, c->pill_at, c->slab_at, false);
    for (int i = 0; i < c->pair_count; i++) {
        int a = c->pairs[i].a, b = c->pairs[i].b;
        if (sn_is_slab(c, a) || (b < c->elements && sn_is_slab(c, b))) {
            worst = sn_max(worst, sn_contacts_slab_depth(c, c->pairs[i]));
            continue;
        }
        sn_contact_point contact[2];
        const sn_pill *p = &c->pill_at[a];
        sn_real min;
        int count;
        if (b < c->proxies.count) {
            contact[0] = sn_pill_pill(p, &c->pill_at[b]);
            min = sn_min(radius_at(p, contact[0].alpha), radius_at(&c->pill_at[b], contact[0].beta));
            count = 1;
        } else {
            const sn_collider *collider = c->colliders[b - c->elements];
            count = sn_collider_contacts(collider, &collider->now, p, 0, contact);
            min = count ? radius_at(p, contact[0].alpha) : 1;
        }
        if (count && contact[0].distance < 0) worst = sn_max(worst, -contact[0].distance / min);
    }
    return worst;
}
