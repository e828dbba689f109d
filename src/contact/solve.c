// The contact solve: projected Gauss-Seidel over coloured contacts.
//
// Along the normal (eq. 31 as an inequality; both positions and radii yield, so a contact can squeeze a rod):
//     gap = n.(sum a_i c_i - sum b_j c_j) - sum a_i s_i r_i - sum b_j s_j r_j  >=  goal
//     dl = -(gap - goal + a l)/(sum w a_i^2 + sum w_s (a_i r_i)^2 + a),   l + dl >= 0
// Across it (Coulomb): the slip of the two surfaces since the start of the substep, rolling of the pills about their axes
// included, is taken back by a drag of at most stick * l; beyond that the contact slides with slide * l.
#include "contact/contact.h"

static sn_real gap_of(const sn_contacts *c, const sn_contact_row *row, bool start) {
    const sn_node *nodes = c->proxies.nodes, *a0 = &nodes[row->node[0]], *a1 = &nodes[row->node[1]];
    sn_vec3 p0 = start ? a0->c0 : a0->c, p1 = start ? a1->c0 : a1->c;
    sn_real radii = row->weight[0] * a0->s * a0->radius + row->weight[1] * a1->s * a1->radius;
    if (row->shape >= 0) {
        sn_vec3 anchor = start ? sn_sub(row->anchor, row->drift) : row->anchor;
        sn_vec3 between =
            sn_add(sn_mul(row->weight[0], sn_sub(p0, anchor)), sn_mul(row->weight[1], sn_sub(p1, anchor)));
        return sn_dot(row->normal, between) - radii;
    }
    const sn_node *b0 = &nodes[row->node[2]], *b1 = &nodes[row->node[3]];
    sn_vec3 q0 = start ? b0->c0 : b0->c, q1 = start ? b1->c0 : b1->c; // relative to q0: exact far from the origin
    radii += row->weight[2] * b0->s * b0->radius + row->weight[3] * b1->s * b1->radius;
    sn_vec3 between = sn_add(sn_mul(row->weight[0], sn_sub(p0, q0)), sn_mul(row->weight[1], sn_sub(p1, q0)));
    between = sn_mul_add(between, -row->weight[3], sn_sub(q1, q0));
    return sn_dot(row->normal, between) - radii;
}

sn_real sn_contacts_gap(const sn_contacts *c, const sn_contact_row *row) {
    return gap_of(c, row, false);
}

// Moves the nodes by an impulse along a direction: + on side a, - on side b.
static void push_nodes(sn_node *nodes, const sn_contact_row *row, sn_vec3 impulse) {
    for (int k = 0; k < (row->shape < 0 ? 4 : 2); ++k) {
        sn_node *n = &nodes[row->node[k]];
        n->c = sn_mul_add(n->c, (k < 2 ? n->w : -n->w) * row->weight[k], impulse);
    }
}

// Along the normal, by both positions and radii.
static void push_apart(sn_contacts *c, const sn_contact_row *row, sn_real dl) {
    sn_node *nodes = c->proxies.nodes;
    push_nodes(nodes, row, sn_mul(dl, row->normal));
    for (int k = 0; k < (row->shape < 0 ? 4 : 2); ++k) {
        sn_node *n = &nodes[row->node[k]];
        n->s = sn_max(n->s - n->ws * row->weight[k] * n->radius * dl, (sn_real)0.02);
    }
}

static void solve_normal(sn_contacts *c, sn_contact_row *row) {
    sn_real gap = gap_of(c, row, false);
    sn_real dl = -(gap - row->goal + row->compliance * row->push) / (row->yield + row->compliance);
    dl = sn_max(dl, -row->push);
    if (dl == 0) return;
    row->push += dl;
    push_apart(c, row, dl);
}

static void solve_friction(sn_contacts *c, sn_contact_row *row) {
    sn_node *nodes = c->proxies.nodes;
    const bool both = row->shape < 0;
    sn_vec3 slip = sn_mul(-1, row->drift);
    for (int k = 0; k < (both ? 4 : 2); ++k) {
        const sn_node *n = &nodes[row->node[k]];
        slip = sn_mul_add(slip, k < 2 ? row->weight[k] : -row->weight[k], sn_sub(n->c, n->c0));
    }
    // Rolling: a turn about a pill's axis moves its surface at the contact by 'arm'.
    sn_node_pill *a = &c->proxies.pills[row->pill_a], *b = both ? &c->proxies.pills[row->pill_b] : NULL;
    sn_vec3 arm_a = sn_mul(-row->radius[0], sn_cross(a->axis, row->normal)), arm_b = sn_v3(0, 0, 0);
    slip = sn_mul_add(slip, a->turn, arm_a);
    if (both) {
        arm_b = sn_mul(row->radius[1], sn_cross(b->axis, row->normal));
        slip = sn_mul_add(slip, -b->turn, arm_b);
    }
    slip = sn_mul_add(slip, -sn_dot(slip, row->normal), row->normal);
    sn_vec3 old = row->drag;
    sn_real size = sn_length(slip);
    if (size > 0) {
        sn_vec3 along = sn_mul(1 / size, slip);
        sn_real ra = sn_dot(arm_a, along), yield = row->yield_c + a->w_turn * ra * ra;
        if (both) {
            sn_real rb = sn_dot(arm_b, along);
            yield += b->w_turn * rb * rb;
        }
        if (yield > 0) row->drag = sn_mul_add(row->drag, -1 / yield, slip);
    }
    sn_real drag = sn_length(row->drag);
    if (drag > row->stick * row->push) row->drag = sn_mul(row->slide * row->push / drag, row->drag);
    sn_vec3 change = sn_sub(row->drag, old);
    push_nodes(nodes, row, change);
    sn_real turn = a->w_turn * sn_dot(arm_a, change);
    a->turn += turn, a->turned += turn;
    if (both) {
        turn = -b->w_turn * sn_dot(arm_b, change);
        b->turn += turn, b->turned += turn;
    }
}

// ---- sweeps

typedef struct {
    sn_contacts *contacts;
    int first;
    void (*one)(sn_contacts *contacts, sn_contact_row *row);
    int end;
} stretch;

enum { CHUNK = 64 };

static void run_chunk(void *context, int index, int worker) {
    (void)worker;
    const stretch *s = context;
    int from = s->first + index * CHUNK, to = from + CHUNK < s->end ? from + CHUNK : s->end;
    for (int i = from; i < to; ++i) s->one(s->contacts, &s->contacts->rows[i]);
}

static void sweep(sn_contacts *c, void (*one)(sn_contacts *, sn_contact_row *)) {
    for (int k = 0; k < c->colour_count; ++k) {
        stretch s = {c, c->colour_first[k], one, c->colour_first[k + 1]};
        int count = s.end - s.first;
        if (k == 62 || count <= 2 * CHUNK) { // the last colour may share nodes; small ones are not worth a hand-over
            for (int i = s.first; i < s.end; ++i) one(c, &c->rows[i]);
            continue;
        }
        sn_parallel_for(c->pool, (count + CHUNK - 1) / CHUNK, 1, run_chunk, &s);
    }
}

static void solve_row(sn_contacts *c, sn_contact_row *row) {
    solve_normal(c, row);
    if (row->push > 0 || sn_length2(row->drag) > 0) solve_friction(c, row);
}

static void start_row(sn_contacts *c, sn_contact_row *row) {
    if (row->push > 0) push_apart(c, row, row->push);
}

void sn_contacts_solve(sn_contacts *c, sn_real share, bool first) {
    if (first) sweep(c, start_row);
    for (int k = 0; k < c->sweeps; ++k) {
        sn_joints_solve(c, share);
        sweep(c, solve_row);
    }
}

// ---- old overlap

// It is taken back by and by: a part of it each substep, leaving a little alone (as a part of the radius), and never so fast that it
// would throw the bodies apart.
#define TAKE_BACK         ((sn_real)0.2)
#define LEFT_ALONE        ((sn_real)0.002)
#define FASTEST_TAKE_BACK ((sn_real)1)
#define SHIFT_SWEEPS      3

static sn_real take_back(const sn_contacts *c, const sn_contact_row *row, sn_real gap) {
    sn_real least = row->shape < 0 ? sn_min(row->radius[0], row->radius[1]) : row->radius[0];
    return sn_min(TAKE_BACK * sn_max(-gap - LEFT_ALONE * least, 0), FASTEST_TAKE_BACK * c->h);
}

sn_real sn_contact_take_back(const sn_contacts *c, const sn_contact_row *row) {
    return take_back(c, row, row->gap);
}

static void shift_row(sn_contacts *c, sn_contact_row *row) {
    sn_real back = take_back(c, row, gap_of(c, row, true));
    if (row->stiff || !(back > 0) || !(row->yield_c > 0)) return;
    for (int k = 0; k < (row->shape < 0 ? 4 : 2); ++k) {
        sn_node *n = &c->proxies.nodes[row->node[k]];
        sn_vec3 way = sn_mul((k < 2 ? n->w : -n->w) * row->weight[k] * back / row->yield_c, row->normal);
        n->c = sn_add(n->c, way);
        n->c0 = sn_add(n->c0, way);
    }
}

static void renew_goal(sn_contacts *c, sn_contact_row *row) {
    if (row->stiff) return;
    sn_real gap = gap_of(c, row, true), bounce = row->goal - sn_min(row->gap, 0);
    row->gap = gap;
    row->goal = sn_min(gap, 0) + bounce;
}

bool sn_contacts_stabilize(sn_contacts *c) {
    sn_real worst = 0;
    for (int i = 0; i < c->row_count; ++i) worst = sn_min(worst, c->rows[i].gap);
    if (worst == 0) return false;
    for (int k = 0; k < SHIFT_SWEEPS; ++k) sweep(c, shift_row);
    for (int i = 0; i < c->row_count; ++i) renew_goal(c, &c->rows[i]);
    return true;
}
