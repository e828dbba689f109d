// Going down the two trees of a snapshot: bodies, then their elements.
//
// Nothing is left out that could be better than the best so far, or as good: boxes are grown by what rounding may do to the gap of
// an element and to the box. So the answer is that of going through all elements, whatever the trees look like.
#include "base/float_mode.h"
#include "query/snapshot.h"

sn_query_filter sn_query_filter_default(void) {
    return (sn_query_filter){.groups = UINT32_MAX};
}

sn_probe sn_probe_ray(sn_vec3 from, sn_vec3 motion) {
    return (sn_probe){{from, from}, {0, 0}, motion};
}

sn_probe sn_probe_sphere(sn_vec3 centre, sn_real radius, sn_vec3 motion) {
    return (sn_probe){{centre, centre}, {radius, radius}, motion};
}

sn_probe sn_probe_pill(sn_vec3 a, sn_vec3 b, sn_real radius_a, sn_real radius_b, sn_vec3 motion) {
    return (sn_probe){{a, b}, {radius_a, radius_b}, motion};
}

#define FAR ((sn_real)1e12) // m: squares of differences are finite

static bool is_good(const sn_probe *p) {
    for (int k = 0; k < 2; k++)
        if (!(sn_length2(p->ends[k]) < FAR * FAR) || !(p->radii[k] >= 0 && p->radii[k] < FAR)) return false;
    return sn_length2(p->motion) < FAR * FAR;
}

static bool all_good(const sn_probe *probes, int count) {
    for (int i = 0; i < count; i++)
        if (!is_good(&probes[i])) return false;
    return true;
}

static bool keeps(const sn_query_filter *f, const sn_query_body *b) {
    if (!f) return true;
    if (!(b->group & f->groups)) return false;
    if (f->skip.kind == b->body.kind && f->skip.slot1 == b->body.slot1 && f->skip.gen == b->body.gen) return false;
    return !f->keep || f->keep(f->user, b->body);
}

// ---- frames

static sn_point rotated(sn_quat q, sn_point v) { // by the inverse of q
    const sn_point axis = {-(double)q.x, -(double)q.y, -(double)q.z};
    const sn_point t = sn_point_mul(2, sn_point_cross(axis, v));
    return sn_point_mul_add(sn_point_mul_add(v, (double)q.w, t), 1, sn_point_cross(axis, t));
}

// The probe in the frame of a body's elements; a null body: in the world.
static sn_query_probe probe_in(const sn_query_body *b, const sn_probe *p) {
    const sn_vec3 zero = {0, 0, 0};
    const bool local = b && b->is_local;
    const sn_vec3 origin = local ? b->pose.position : zero;
    sn_query_probe out = {sn_point_of(p->ends[0], origin), sn_point_of(p->ends[1], origin),
                          sn_point_of(p->motion, zero), p->radii[0], p->radii[1]};
    if (!local) return out;
    out.a = rotated(b->pose.rotation, out.a);
    out.b = rotated(b->pose.rotation, out.b);
    out.motion = rotated(b->pose.rotation, out.motion);
    return out;
}

static sn_vec3 point_of(const sn_query_body *b, sn_point p) {
    const sn_vec3 v = {(sn_real)p.x, (sn_real)p.y, (sn_real)p.z};
    return b->is_local ? sn_transform_point(&b->pose, v) : v;
}

// ---- boxes of the probe against boxes of a tree

typedef struct {
    double centre[3], half[3], motion[3];
} sweep;

static sweep sweep_from(const sn_query_probe *p) {
    const double a[3] = {p->a.x, p->a.y, p->a.z}, b[3] = {p->b.x, p->b.y, p->b.z}, ra = (double)p->ra,
                 rb = (double)p->rb;
    sweep s = {{0}, {0}, {p->motion.x, p->motion.y, p->motion.z}};
    for (int k = 0; k < 3; k++) {
        const double lo = a[k] - ra < b[k] - rb ? a[k] - ra : b[k] - rb;
        const double hi = a[k] + ra > b[k] + rb ? a[k] + ra : b[k] + rb;
        s.centre[k] = 0.5 * (lo + hi), s.half[k] = 0.5 * (hi - lo);
    }
    return s;
}

#define SLACK (64 * (double)SN_REAL_EPSILON)

// From the middle of the probe's box to the box grown by half the probe's, along each axis.
static void span(const sweep *s, const sn_bounds *b, double low[3], double high[3]) {
    const double lo[3] = {(double)b->lo.x, (double)b->lo.y, (double)b->lo.z};
    const double hi[3] = {(double)b->hi.x, (double)b->hi.y, (double)b->hi.z};
    double size = 0;
    for (int k = 0; k < 3; k++) {
        const double far = fabs(lo[k]) > fabs(hi[k]) ? fabs(lo[k]) : fabs(hi[k]);
        size += 2 * far + 2 * s->half[k];
    }
    for (int k = 0; k < 3; k++) {
        low[k] = lo[k] - s->half[k] - SLACK * size - s->centre[k];
        high[k] = hi[k] + s->half[k] + SLACK * size - s->centre[k];
    }
}

// When the probe enters a box; infinite: not by 'max'.
static double entry(const sweep *s, const sn_bounds *bounds, double max) {
    double low[3], high[3], from = 0, to = max;
    span(s, bounds, low, high);
    for (int k = 0; k < 3; k++) {
        const double d = s->motion[k];
        if (d == 0) {
            if (low[k] > 0 || high[k] < 0) return HUGE_VAL;
            continue;
        }
        const double t0 = (d > 0 ? low[k] : high[k]) / d, t1 = (d > 0 ? high[k] : low[k]) / d;
        if (t0 > from) from = t0;
        if (t1 < to) to = t1;
    }
    return from * (1 - 1e-12) <= to * (1 + 1e-12) ? from * (1 - 1e-12) : HUGE_VAL;
}

// A lower bound of the gap to what is in a box; -infinity: it may overlap.
static double separation(const sweep *s, const sn_bounds *bounds) {
    double low[3], high[3], sum = 0;
    span(s, bounds, low, high);
    for (int k = 0; k < 3; k++) {
        const double out = low[k] > 0 ? low[k] : high[k] < 0 ? -high[k] : 0;
        sum += out * out;
    }
    return sum > 0 ? sqrt(sum) * (1 - 1e-12) : -HUGE_VAL;
}

// ---- searching

// What is looked for: the least of a value, and of those that are equal the first body and element.
typedef struct {
    const sn_snapshot *snapshot;
    const sn_query_filter *filter;
    const sn_probe *probe;
    bool casts;   // the value is when they meet; else the gap
    double limit; // larger values do not count
    int body;     // found; -1: nothing
    int element;  // its place in the tree
    double value; //
    sn_query_contact meeting;
} search;

static bool is_better(const search *s, int body, int element, double value) {
    if (!(value <= s->limit)) return false;
    if (s->body < 0 || value != s->value) return s->body < 0 || value < s->value;
    if (body != s->body) return body < s->body;
    return s->snapshot->bodies[body]->elements[element].number < s->snapshot->bodies[body]->elements[s->element].number;
}

static double worst(const search *s) {
    return s->body < 0 ? s->limit : s->value;
}

static double bound_of(const search *s, const sweep *probe, const sn_bounds *bounds) {
    return s->casts ? entry(probe, bounds, worst(s)) : separation(probe, bounds);
}

static void try_element(search *s, int body, int element, const sn_query_probe *probe) {
    const sn_query_primitive *primitive = &s->snapshot->bodies[body]->elements[element].primitive;
    sn_query_contact m;
    if (!s->casts)
        sn_query_measure(primitive, probe, 0, &m);
    else if (!sn_query_cast(primitive, probe, worst(s), &m))
        return;
    const double value = s->casts ? m.at : (double)m.gap;
    if (is_better(s, body, element, value)) s->body = body, s->element = element, s->value = value, s->meeting = m;
}

typedef struct {
    int node;
    double from; // a lower bound of the value of what is in it
} waiting_node;

// Takes the next node that may have something; the nearer child of an inner one comes first. -1: none is left.
static int next_leaf(const search *s, const sweep *probe, const sn_box_node *nodes, waiting_node *stack, int *waiting) {
    while (*waiting > 0) {
        const waiting_node at = stack[--*waiting];
        if (!(at.from <= worst(s))) continue;
        const sn_box_node *node = &nodes[at.node];
        if (node->count > 0) return at.node;
        const waiting_node a = {at.node + 1, bound_of(s, probe, &nodes[at.node + 1].bounds)};
        const waiting_node b = {node->first, bound_of(s, probe, &nodes[node->first].bounds)};
        const bool swap = b.from < a.from;
        stack[(*waiting)++] = swap ? a : b;
        stack[(*waiting)++] = swap ? b : a;
    }
    return -1;
}

static int begin_at_root(const search *s, const sweep *probe, const sn_box_node *nodes, int count,
                         waiting_node *stack) {
    if (count == 0) return 0;
    stack[0] = (waiting_node){0, bound_of(s, probe, &nodes[0].bounds)};
    return 1;
}

static void search_body(search *s, int body) {
    const sn_query_body *b = s->snapshot->bodies[body];
    const sn_query_probe probe = probe_in(b, s->probe);
    const sweep box = sweep_from(&probe);
    waiting_node stack[SN_BOX_TREE_DEPTH + 2];
    int waiting = begin_at_root(s, &box, b->nodes, b->node_count, stack);
    for (int at; (at = next_leaf(s, &box, b->nodes, stack, &waiting)) >= 0;) {
        const sn_box_node *leaf = &b->nodes[at];
        for (int i = leaf->first; i < leaf->first + leaf->count; i++) try_element(s, body, i, &probe);
    }
}

// Planes have no box.
static void search_plane(search *s, int body) {
    const sn_query_probe probe = probe_in(s->snapshot->bodies[body], s->probe);
    try_element(s, body, 0, &probe);
}

static void search_all(search *s) {
    const sn_snapshot *snapshot = s->snapshot;
    for (int i = 0; i < snapshot->plane_count; i++)
        if (keeps(s->filter, snapshot->bodies[snapshot->planes[i]])) search_plane(s, snapshot->planes[i]);
    const sn_query_probe probe = probe_in(NULL, s->probe);
    const sweep box = sweep_from(&probe);
    waiting_node stack[SN_BOX_TREE_DEPTH + 2];
    int waiting = begin_at_root(s, &box, snapshot->nodes, snapshot->node_count, stack);
    for (int at; (at = next_leaf(s, &box, snapshot->nodes, stack, &waiting)) >= 0;) {
        const sn_box_node *leaf = &snapshot->nodes[at];
        for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
            const int body = snapshot->items[i].source;
            if (!(bound_of(s, &box, &snapshot->items[i].bounds) <= worst(s))) continue;
            if (keeps(s->filter, snapshot->bodies[body])) search_body(s, body);
        }
    }
}

static sn_hit hit_of(const search *s) {
    sn_hit hit = {.element = -1, .segment = -1, .nearest = -1};
    if (s->body < 0) return hit;
    const sn_query_body *b = s->snapshot->bodies[s->body];
    const sn_query_element *e = &b->elements[s->element];
    const sn_query_contact *m = &s->meeting;
    hit.body = b->body;
    hit.fraction = (sn_real)m->at;
    hit.distance = m->gap;
    hit.point = point_of(b, m->point);
    hit.normal = b->is_local ? sn_q_rotate(b->pose.rotation, m->normal) : m->normal;
    hit.element = e->number;
    hit.segment = e->segment;
    if (e->segment >= 0)
        hit.along = sn_clamp(m->weight[1], 0, 1);
    else if (b->points) {
        int heaviest = 0;
        for (int k = 1; k < 3; k++)
            if (m->weight[k] > m->weight[heaviest]) heaviest = k;
        hit.nearest = e->node[heaviest];
    }
    return hit;
}

static sn_hit find_one(const sn_snapshot *snapshot, const sn_probe *probe, const sn_query_filter *filter, bool casts,
                       double limit) {
    search s = {.snapshot = snapshot, .filter = filter, .probe = probe, .casts = casts, .limit = limit, .body = -1};
    search_all(&s);
    return hit_of(&s);
}

// ---- public calls

static sn_status find_each(const sn_snapshot *snapshot, const sn_probe *probes, int count,
                           const sn_query_filter *filter, bool casts, double limit, sn_hit *hits) {
    if (!snapshot || count < 0 || (count > 0 && (!probes || !hits)) || !all_good(probes, count)) return SN_ERR_RANGE;
    const sn_float_mode callers = sn_float_mode_enter();
    for (int i = 0; i < count; i++) hits[i] = find_one(snapshot, &probes[i], filter, casts, limit);
    sn_float_mode_leave(callers);
    return SN_OK;
}

sn_status sn_snapshot_cast(const sn_snapshot *snapshot, const sn_probe *probes, int count,
                           const sn_query_filter *filter, sn_hit *hits) {
    return find_each(snapshot, probes, count, filter, true, 1, hits);
}

sn_status sn_snapshot_nearest(const sn_snapshot *snapshot, const sn_probe *probes, int count, sn_real max,
                              const sn_query_filter *filter, sn_hit *hits) {
    if (!(max >= 0)) return SN_ERR_RANGE;
    return find_each(snapshot, probes, count, filter, false, (double)max, hits);
}

// Puts a hit into a sorted list, which keeps the first of them.
static void put_hit(sn_hit *out, int capacity, int count, const sn_hit *hit, bool by_fraction) {
    int at = count < capacity ? count : capacity;
    if (!by_fraction) {
        if (at < capacity) out[at] = *hit;
        return;
    }
    for (; at > 0 && out[at - 1].fraction > hit->fraction; at--)
        if (at < capacity) out[at] = out[at - 1];
    if (at < capacity) out[at] = *hit;
}

// One hit a body, bodies in their order.
static int find_bodies(const sn_snapshot *snapshot, const sn_probe *probe, const sn_query_filter *filter, bool casts,
                       sn_hit *out, int capacity) {
    if (!snapshot || !probe || !is_good(probe)) return 0;
    const sn_float_mode callers = sn_float_mode_enter();
    const sn_query_probe in_world = probe_in(NULL, probe);
    const sweep box = sweep_from(&in_world);
    int count = 0;
    for (int body = 0; body < snapshot->count; body++) {
        const sn_query_body *b = snapshot->bodies[body];
        search s = {
            .snapshot = snapshot, .filter = filter, .probe = probe, .casts = casts, .limit = casts ? 1 : 0, .body = -1};
        if (b->count == 0) continue;
        const bool plane = b->node_count == 1 && !b->is_local && b->elements[0].primitive.form == SN_QUERY_PLANE;
        if (!plane && !(bound_of(&s, &box, &b->bounds) <= s.limit)) continue;
        if (!keeps(filter, b)) continue;
        if (plane)
            search_plane(&s, body);
        else
            search_body(&s, body);
        if (s.body < 0) continue;
        const sn_hit hit = hit_of(&s);
        if (out) put_hit(out, capacity, count, &hit, casts);
        count++;
    }
    sn_float_mode_leave(callers);
    return count;
}

int sn_snapshot_cast_all(const sn_snapshot *snapshot, const sn_probe *probe, const sn_query_filter *filter, sn_hit *out,
                         int capacity) {
    return find_bodies(snapshot, probe, filter, true, out, capacity);
}

int sn_snapshot_overlap(const sn_snapshot *snapshot, const sn_probe *probe, const sn_query_filter *filter, sn_hit *out,
                        int capacity) {
    return find_bodies(snapshot, probe, filter, false, out, capacity);
}
