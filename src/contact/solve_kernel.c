// The contact solve in SIMD lanes: one visit of projected Gauss-Seidel to each contact of a block.
//
// Along the normal (eq. 31 as an inequality; both positions and radii yield, so a contact can squeeze a rod):
//     dl = -(gap - goal + a l)/(sum w a_i^2 + sum w_s (a_i r_i)^2 + a),   l + dl >= 0
// Across it (Coulomb): the slip of the two surfaces since the start of the substep, rolling of the pills about their axes
// included, is taken back by a drag of at most stick * l; beyond that the contact slides with slide * l.
// A push along the normal does not change the slip and a drag not the gap, so both are found from one look at the nodes.
#include "base/lane_gather.h"
#include "base/lane_math.h"
#include "contact/block.h"

void SN_LANE_NAME(sn_contact_prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies, sn_real calm);
void SN_LANE_NAME(sn_contact_start)(sn_contact_block *blocks, int count, const sn_displacements *d);
void SN_LANE_NAME(sn_contact_sweep)(sn_contact_block *blocks, int count, const sn_displacements *d, sn_real beta);
void SN_LANE_NAME(sn_contact_shift)(sn_contact_block *blocks, int count, const sn_displacements *d,
                                    const sn_take_back *how);
void SN_LANE_NAME(sn_contact_shifted)(sn_contact_block *blocks, int count, const sn_displacements *d);
sn_real SN_LANE_NAME(sn_contact_norm)(const sn_contact_block *blocks, int count);

// Rows of the lanes that start at 'at' in a block.
#define LOAD(row)       v_load((row) + at)
#define LOAD3(rows)     ((v3){LOAD((rows)[0]), LOAD((rows)[1]), LOAD((rows)[2])})
#define STORE(row, v)   v_store((row) + at, v)
#define STORE3(rows, v) (STORE((rows)[0], (v).x), STORE((rows)[1], (v).y), STORE((rows)[2], (v).z))

SN_INLINE int lanes_in(const sn_contact_block *b, int at) {
    return b->count - at < SN_LANES ? b->count - at : SN_LANES;
}

// Weights of the four nodes; side b's are negative.
SN_INLINE void weights_of(const sn_contact_block *b, int at, vreal weight[4]) {
    vreal alpha = LOAD(b->alpha), beta = LOAD(b->beta);
    weight[0] = K(1) - alpha, weight[1] = alpha;
    weight[2] = beta - K(1), weight[3] = -beta;
}

typedef struct {
    vreal quad[4][4]; // dx dy dz ds of each node
} vmoved;

SN_INLINE vmoved look(const sn_contact_block *b, int at, const sn_displacements *d, int nodes) {
    vmoved m;
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) gather_quads(d->moved, 4, b->slot[k] + at, m.quad[k]);
    return m;
}

SN_INLINE v3 relative(const vmoved *m, const vreal weight[4], int nodes) {
    v3 rel = {v_set(0), v_set(0), v_set(0)};
    SN_UNROLL
    for (int k = 0; k < nodes; ++k)
        rel = v3_add(rel, v3_mul(weight[k], (v3){m->quad[k][0], m->quad[k][1], m->quad[k][2]}));
    return rel;
}

// The nodes yield to an impulse, and their scales to its part along the normal.
SN_INLINE void yield_to(const sn_contact_block *b, int at, const sn_displacements *d, int nodes, int here, vmoved *m,
                        const vreal weight[4], v3 impulse, vreal along) {
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) {
        vreal w = weight[k] * LOAD(b->w[k]), squeeze = v_abs(weight[k]) * LOAD(b->rws[k]);
        m->quad[k][0] += w * impulse.x;
        m->quad[k][1] += w * impulse.y;
        m->quad[k][2] += w * impulse.z;
        m->quad[k][3] -= squeeze * along;
        scatter_quads(d->moved, 4, b->slot[k] + at, here, m->quad[k]);
    }
}

SN_INLINE void visit(sn_contact_block *b, int at, const sn_displacements *d, int nodes, vreal beta) {
    const int here = lanes_in(b, at);
    const bool both = nodes == 4;
    vreal weight[4];
    weights_of(b, at, weight);
    vmoved m = look(b, at, d, nodes);
    v3 n = LOAD3(b->n), rel = relative(&m, weight, nodes);

    vreal gap = LOAD(b->gap) + v3_dot(n, rel);
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) gap -= v_abs(weight[k]) * LOAD(b->r[k]) * m.quad[k][3];
    vreal way = beta * LOAD(b->way), push = LOAD(b->push) + way, compliance = LOAD(b->compliance);
    STORE(b->way, way + LOAD(b->change));
    vreal give = LOAD(b->give);
    vreal dl = v_max(-(gap + compliance * push) * give, -push);
    push += dl;
    STORE(b->push, push);
    STORE(b->change, dl);

    v3 arm_a = LOAD3(b->arm_a), arm_b = arm_a;
    vreal turn_a = LOAD(b->turn_a), turn_b = turn_a;
    vreal spin_a = gather_reals(d->spin, b->slot[1] + at), spin_b = spin_a;
    v3 slip = v3_add(v3_add(LOAD3(b->slip), rel), v3_mul(spin_a, arm_a));
    if (both) {
        arm_b = LOAD3(b->arm_b), turn_b = LOAD(b->turn_b);
        spin_b = gather_reals(d->spin, b->slot[3] + at);
        slip = v3_sub(slip, v3_mul(spin_b, arm_b));
    }
    slip = v3_sub(slip, v3_mul(v3_dot(slip, n), n));
    vreal size2 = v3_dot(slip, slip), zero = v_set(0), one = v_set(1), yield_c = LOAD(b->yield_c);
    vmask slips = v_less(zero, size2);
    vreal turning = turn_a * v3_dot(arm_a, slip) * v3_dot(arm_a, slip);
    if (both) turning += turn_b * v3_dot(arm_b, slip) * v3_dot(arm_b, slip);
    // yield along the slip: yield_c + sum w_turn (arm.slip)^2 / slip^2
    vreal yield = yield_c + turning / v_select(slips, size2, one);
    vmask yields = v_less(zero, yield);
    v3 drag_way = v3_mul(beta, LOAD3(b->drag_way)), old = v3_add(LOAD3(b->drag), drag_way);
    drag_way = v3_add(drag_way, LOAD3(b->drag_change));
    STORE3(b->drag_way, drag_way);
    vreal share = v_select(slips & yields, -one / v_select(yields, yield, one), zero);
    v3 drag = v3_add(old, v3_mul(share, slip));
    vreal drag2 = v3_dot(drag, drag), most = LOAD(b->stick) * push;
    vmask slides = v_less(most * most, drag2);
    vreal scale = LOAD(b->slide) * push / v_sqrt(v_select(slides, drag2, one));
    drag = v3_select(slides, v3_mul(scale, drag), drag);
    v3 change = v3_sub(drag, old);
    STORE3(b->drag, drag);
    STORE3(b->drag_change, change);
    STORE(b->norm, dl * dl / give + v3_dot(change, change) * yield_c);

    yield_to(b, at, d, nodes, here, &m, weight, v3_add(v3_mul(dl, n), change), dl);
    scatter_reals(d->spin, b->slot[1] + at, here, spin_a + turn_a * v3_dot(arm_a, change));
    if (both) scatter_reals(d->spin, b->slot[3] + at, here, spin_b - turn_b * v3_dot(arm_b, change));
}

void SN_LANE_NAME(sn_contact_sweep)(sn_contact_block *blocks, int count, const sn_displacements *d, sn_real beta) {
    for (int i = 0; i < count; ++i)
        for (int at = 0; at < blocks[i].count; at += SN_LANES) {
            if (blocks[i].both)
                visit(&blocks[i], at, d, 4, v_set(beta));
            else
                visit(&blocks[i], at, d, 2, v_set(beta));
        }
}

// ---- before the sweeps

SN_INLINE void prepare_lanes(sn_contact_block *b, int at, const sn_proxies *p, int nodes, sn_real calm) {
    const bool both = nodes == 4;
    vreal weight[4], now[4][4], start[4][4], mass[4][4];
    weights_of(b, at, weight);
    const sn_real *base = &p->nodes->c.x;
    enum { STRIDE = sizeof(sn_node) / sizeof(sn_real) };
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) {
        gather_quads(base, STRIDE, b->node[k] + at, now[k]);
        gather_quads(base + 4, STRIDE, b->node[k] + at, start[k]);
        gather_quads(base + 8, STRIDE, b->node[k] + at, mass[k]);
    }
    v3 n = LOAD3(b->n);
    // Positions relative to the anchor, or to the first node of side b: exact far from the origin.
    v3 origin = both ? (v3){now[2][0], now[2][1], now[2][2]} : LOAD3(b->anchor);
    v3 apart = {v_set(0), v_set(0), v_set(0)}, slip = apart;
    if (!both) slip = v3_sub(slip, LOAD3(b->drift));
    vreal gap = -LOAD(b->goal), yield_c = v_set(0), yield_s = v_set(0);
    vreal radius_a = v_set(0), radius_b = v_set(0);
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) {
        v3 c = {now[k][0], now[k][1], now[k][2]}, c0 = {start[k][0], start[k][1], start[k][2]};
        apart = v3_add(apart, v3_mul(weight[k], v3_sub(c, origin)));
        slip = v3_add(slip, v3_mul(weight[k], v3_sub(c, c0)));
        vreal size = v_abs(weight[k]), w = mass[k][0], ws = mass[k][1], r = mass[k][2];
        if (k < 2)
            radius_a += size * now[k][3] * r;
        else
            radius_b += size * now[k][3] * r;
        yield_c += w * weight[k] * weight[k];
        yield_s += ws * (size * r) * (size * r);
        STORE(b->w[k], w);
        STORE(b->r[k], r);
        STORE(b->rws[k], r * ws);
    }
    gap += v3_dot(n, apart) - radius_a - radius_b;
    // What lies deep in each other is not thrown apart: see block.h.
    vmask deep = v_less(LOAD(b->start_gap), -K(SN_DEEP) * LOAD(b->least));
    STORE(b->gap, v_select(deep, v_max(gap, v_set(-calm)), gap));
    vreal one = v_set(1), all = yield_c + yield_s + LOAD(b->compliance);
    STORE(b->give, one / v_select(v_less(v_set(0), all), all, one));
    STORE(b->yield_c, yield_c);

    enum { PILL = sizeof(sn_node_pill) / sizeof(sn_real), AXIS = offsetof(sn_node_pill, axis) / sizeof(sn_real) };
    const sn_real *pills = (const sn_real *)p->pills + AXIS;
    vreal axis[4], turn[4];
    for (int side = 0; side < nodes / 2; ++side) {
        gather_quads(pills, PILL, b->pill[side] + at, axis);
        gather_quads(pills + 4, PILL, b->pill[side] + at, turn);
        vreal radius = side ? radius_b : radius_a;
        v3 arm = v3_mul(side ? radius : -radius, v3_cross((v3){axis[0], axis[1], axis[2]}, n));
        if (side) {
            STORE3(b->arm_b, arm);
            STORE(b->turn_b, axis[3]);
            slip = v3_sub(slip, v3_mul(turn[0], arm));
        } else {
            STORE3(b->arm_a, arm);
            STORE(b->turn_a, axis[3]);
            slip = v3_add(slip, v3_mul(turn[0], arm));
        }
    }
    STORE3(b->slip, slip);
    STORE(b->radius[0], radius_a);
    STORE(b->radius[1], radius_b);
    vreal zero = v_set(0);
    v3 none = {zero, zero, zero};
    STORE(b->way, zero);
    STORE(b->change, zero);
    STORE3(b->drag_way, none);
    STORE3(b->drag_change, none);
}

void SN_LANE_NAME(sn_contact_prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies, sn_real calm) {
    for (int i = 0; i < count; ++i)
        for (int at = 0; at < blocks[i].count; at += SN_LANES) {
            if (blocks[i].both)
                prepare_lanes(&blocks[i], at, proxies, 4, calm);
            else
                prepare_lanes(&blocks[i], at, proxies, 2, calm);
        }
}

SN_INLINE void start_lanes(sn_contact_block *b, int at, const sn_displacements *d, int nodes) {
    vreal weight[4], push = LOAD(b->push);
    if (!v_any(v_less(v_set(0), push))) return;
    weights_of(b, at, weight);
    vmoved m = look(b, at, d, nodes);
    vreal zero = v_set(0); // a drag may be left over whose square is none; without a push it must not count
    v3 drag = v3_select(v_less(zero, push), LOAD3(b->drag), (v3){zero, zero, zero});
    const int here = lanes_in(b, at);
    yield_to(b, at, d, nodes, here, &m, weight, v3_add(v3_mul(push, LOAD3(b->n)), drag), push);
    vreal spin = gather_reals(d->spin, b->slot[1] + at);
    scatter_reals(d->spin, b->slot[1] + at, here, spin + LOAD(b->turn_a) * v3_dot(LOAD3(b->arm_a), drag));
    if (nodes == 2) return;
    spin = gather_reals(d->spin, b->slot[3] + at);
    scatter_reals(d->spin, b->slot[3] + at, here, spin - LOAD(b->turn_b) * v3_dot(LOAD3(b->arm_b), drag));
}

void SN_LANE_NAME(sn_contact_start)(sn_contact_block *blocks, int count, const sn_displacements *d) {
    for (int i = 0; i < count; ++i)
        for (int at = 0; at < blocks[i].count; at += SN_LANES) {
            if (blocks[i].both)
                start_lanes(&blocks[i], at, d, 4);
            else
                start_lanes(&blocks[i], at, d, 2);
        }
}

// ---- old overlap: a mere shift, so every node that can move counts alike, whatever its mass

SN_INLINE vreal start_gap(const sn_contact_block *b, int at, const vmoved *m, const vreal weight[4], int nodes) {
    return LOAD(b->start_gap) + v3_dot(LOAD3(b->n), relative(m, weight, nodes));
}

SN_INLINE void shift_lanes(sn_contact_block *b, int at, const sn_displacements *d, int nodes, const sn_take_back *how) {
    vreal weight[4], zero = v_set(0), one = v_set(1);
    weights_of(b, at, weight);
    vmoved m = look(b, at, d, nodes);
    vreal depth = -start_gap(b, at, &m, weight, nodes) - how->left * LOAD(b->least);
    vreal back = v_min(how->part * v_max(depth, zero), v_set(how->fastest));
    if (!v_any(v_less(zero, back))) return;
    vreal free[4], sum = zero;
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) {
        free[k] = v_select(v_less(zero, LOAD(b->w[k])), weight[k], zero);
        sum += free[k] * weight[k];
    }
    vmask can = v_less(zero, sum);
    v3 way = v3_mul(v_select(can, back / v_select(can, sum, one), zero), LOAD3(b->n));
    SN_UNROLL
    for (int k = 0; k < nodes; ++k) {
        m.quad[k][0] += free[k] * way.x;
        m.quad[k][1] += free[k] * way.y;
        m.quad[k][2] += free[k] * way.z;
        scatter_quads(d->moved, 4, b->slot[k] + at, lanes_in(b, at), m.quad[k]);
    }
}

void SN_LANE_NAME(sn_contact_shift)(sn_contact_block *blocks, int count, const sn_displacements *d,
                                    const sn_take_back *how) {
    for (int i = 0; i < count; ++i)
        for (int at = 0; at < blocks[i].count; at += SN_LANES) {
            if (blocks[i].both)
                shift_lanes(&blocks[i], at, d, 4, how);
            else
                shift_lanes(&blocks[i], at, d, 2, how);
        }
}

SN_INLINE void shifted_lanes(sn_contact_block *b, int at, const sn_displacements *d, int nodes) {
    vreal weight[4];
    weights_of(b, at, weight);
    vmoved m = look(b, at, d, nodes);
    vreal gap = start_gap(b, at, &m, weight, nodes);
    STORE(b->start_gap, gap);
    STORE(b->goal, v_min(gap, v_set(0)) + LOAD(b->bounce));
}

void SN_LANE_NAME(sn_contact_shifted)(sn_contact_block *blocks, int count, const sn_displacements *d) {
    for (int i = 0; i < count; ++i)
        for (int at = 0; at < blocks[i].count; at += SN_LANES) {
            if (blocks[i].both)
                shifted_lanes(&blocks[i], at, d, 4);
            else
                shifted_lanes(&blocks[i], at, d, 2);
        }
}

// ---- how much the last sweep changed; the sum is in the same order for every width

sn_real SN_LANE_NAME(sn_contact_norm)(const sn_contact_block *blocks, int count) {
    _Alignas(64) sn_block_row sum = {0};
    for (int i = 0; i < count; ++i) {
        if (blocks[i].count == SN_BLOCK) {
            for (int at = 0; at < SN_BLOCK; at += SN_LANES) STORE(sum, LOAD(sum) + LOAD(blocks[i].norm));
            continue;
        }
        for (int k = 0; k < blocks[i].count; ++k) sum[k] += blocks[i].norm[k];
    }
    sn_real total = 0;
    for (int k = 0; k < SN_BLOCK; ++k) total += sum[k];
    return total;
}
