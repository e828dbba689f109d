// Contacts in the common solve (base/solve.h), in SIMD lanes.
//
//     E = 1/2 k (target - gap)+^2 + F(|slip|),     F' = min(k |slip|, bound)
//
// Friction is Coulomb's with an elastic stick: a contact stretches like a spring of stiffness k until the force comes to stick
// times the normal force; then it slides with slide times that, its spring no further stretched. The bound is that of the normal
// force which the last Newton iteration came to; bodies' matrices have the secant stiffness friction_k of the linearisation.
//
// What bodies' matrices know of a contact (M of base/solve.h): of a side with an exact matrix k j j^T over its nodes; of a nodal
// side the block diagonal that dominates it, sum |a_i| k j_i j_i^T.
#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "couplings/contact/contact_block.h"

// Contacts that are nearer than this part of the smaller radius to pressing stand in the bodies' matrices as well: they may come to
// press in the inner iteration, which then needs no other preconditioner.
#define NEARLY_PRESSES ((sn_real)0.1)

void SN_LANE_NAME(sn_contact_prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies);
void SN_LANE_NAME(sn_contact_linearise)(sn_contact_block *blocks, int count, const sn_node_vector *force);
void SN_LANE_NAME(sn_contact_rates)(sn_contact_block *blocks, int count, const sn_node_vector *step);
void SN_LANE_NAME(sn_contact_slope)(sn_contact_block *blocks, int count, const sn_real *alpha);
void SN_LANE_NAME(sn_contact_advance)(sn_contact_block *blocks, int count, const sn_node_vector *step,
                                      const sn_node_vector *force, const sn_real *alpha);
void SN_LANE_NAME(sn_contact_energy)(sn_contact_block *blocks, int count, const sn_real *share);

// Rows of the lanes that start at 'at' in a block.
#define LOAD(row)       v_load((row) + at)
#define LOAD3(rows)     ((v3){LOAD((rows)[0]), LOAD((rows)[1]), LOAD((rows)[2])})
#define STORE(row, v)   v_store((row) + at, v)
#define STORE3(rows, v) (STORE((rows)[0], (v).x), STORE((rows)[1], (v).y), STORE((rows)[2], (v).z))

SN_INLINE int lanes_in(const sn_contact_block *b, int at) {
    return b->count - at < SN_LANES ? b->count - at : SN_LANES;
}

// Nodes are numbered: ends of side a 0, 1, ends of side b 2, 3, third corners of slabs 4 and 5. Forms are constants where
// these are called, so loops over the nodes unroll to those that a form has.
enum { NODES = 6 };
SN_INLINE bool has(sn_contact_form form, int k) {
    return k < 2 || (k < 4 ? sn_form_both(form) : sn_form_third(form, k - 4));
}
SN_INLINE bool on_side_a(int k) {
    return k < 2 || k == 4;
}
#define OF_NODE(b, rows, third_rows, k) ((k) < 4 ? (b)->rows[(k)&3] : (b)->third_rows[(k)&1])

// Weights of the nodes; side b's are negative.
SN_INLINE void weights_of(const sn_contact_block *b, int at, sn_contact_form form, vreal weight[NODES]) {
    vreal alpha = LOAD(b->alpha), beta = LOAD(b->beta);
    weight[0] = K(1) - alpha, weight[1] = alpha;
    weight[2] = beta - K(1), weight[3] = -beta;
    if (sn_form_third(form, 0)) weight[4] = LOAD(b->third[0]), weight[0] -= weight[4];
    if (sn_form_third(form, 1)) weight[5] = -LOAD(b->third[1]), weight[2] -= weight[5];
}

// The same of where it is touched.
SN_INLINE void spots_of(const sn_contact_block *b, int at, sn_contact_form form, vreal weight[NODES]) {
    weights_of(b, at, form, weight);
    if (sn_form_third(form, 0)) {
        weight[1] = LOAD(b->spot[0][0]), weight[4] = LOAD(b->spot[0][1]);
        weight[0] = K(1) - weight[1] - weight[4];
    }
    if (sn_form_third(form, 1)) {
        weight[3] = -LOAD(b->spot[1][0]), weight[5] = -LOAD(b->spot[1][1]);
        weight[2] = -K(1) - weight[3] - weight[5];
    }
}

typedef struct {
    vreal quad[NODES][4]; // dx dy dz ds of each node
} vmoved;

SN_INLINE vmoved look(const sn_contact_block *b, int at, const sn_node_vector *d, sn_contact_form form) {
    vmoved m;
    SN_UNROLL
    for (int k = 0; k < NODES; k++)
        if (has(form, k)) gather_quads(d->quads, 4, OF_NODE(b, slot, third_slot, k) + at, m.quad[k]);
    return m;
}

// Calls fn for the lanes of every block, with its form as a constant.
#define FOR_LANES(i, blocks, count, fn, ...)                                                                           \
    for (int i = 0; i < (count); i++)                                                                                  \
        for (int at = (blocks)[i].far && SKIPS_FAR ? (blocks)[i].count : 0; at < (blocks)[i].count; at += SN_LANES)    \
            switch ((blocks)[i].form) {                                                                                \
            case SN_PILL_PILL:                                                                                         \
                fn(&(blocks)[i], at, SN_PILL_PILL, __VA_ARGS__);                                                       \
                break;                                                                                                 \
            case SN_PILL_COLLIDER:                                                                                     \
                fn(&(blocks)[i], at, SN_PILL_COLLIDER, __VA_ARGS__);                                                   \
                break;                                                                                                 \
            case SN_SLAB_COLLIDER:                                                                                     \
                fn(&(blocks)[i], at, SN_SLAB_COLLIDER, __VA_ARGS__);                                                   \
                break;                                                                                                 \
            case SN_PILL_SLAB:                                                                                         \
                fn(&(blocks)[i], at, SN_PILL_SLAB, __VA_ARGS__);                                                       \
                break;                                                                                                 \
            default:                                                                                                   \
                fn(&(blocks)[i], at, SN_SLAB_SLAB, __VA_ARGS__);                                                       \
            }

#define SKIPS_FAR true

// Adds forces to the nodes: 'push' along the weights, 'squeeze' (a force along the normal) on the scales, and 'own' of each node by
// itself (null: none).
SN_INLINE void add_forces(const sn_contact_block *b, int at, const sn_node_vector *f, sn_contact_form form, int here,
                          const vreal weight[NODES], const v3 force_on_a[2], const vreal squeeze[2],
                          const vreal (*own)[4]) {
    vreal node[NODES][4];
    const int32_t *slot[NODES];
    int nodes = 0;
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        const int side = on_side_a(k) ? 0 : 1;
        vreal *to = node[nodes];
        to[0] = weight[k] * force_on_a[side].x, to[1] = weight[k] * force_on_a[side].y;
        to[2] = weight[k] * force_on_a[side].z;
        to[3] = -(v_abs(weight[k]) * LOAD(OF_NODE(b, r, third_r, k)) * squeeze[side]);
        if (own) SN_UNROLL for (int m = 0; m < 4; m++) to[m] += own[k][m];
        slot[nodes++] = OF_NODE(b, slot, third_slot, k) + at;
    }
    add_quads(f->quads, nodes, slot, here, node);
}

SN_INLINE bool spins(sn_contact_form form, int side) {
    return !sn_form_third(form, side) && (side == 0 || sn_form_both(form));
}

// Adds torques about the pills' axes, contact by contact.
SN_INLINE void add_spins(const sn_contact_block *b, int at, const sn_node_vector *f, sn_contact_form form, int here,
                         const vreal torque[2]) {
    for (int lane = 0; lane < here; lane++)
        for (int side = 0; side < 2; side++)
            if (spins(form, side)) f->spin[b->slot[2 * side + 1][at + lane]] += v_lane(torque[side], lane);
}

SN_INLINE vreal normal_force(const sn_contact_block *b, int at, vreal gap) {
    return v_max(LOAD(b->k) * (LOAD(b->target) - gap), v_set(0));
}

// Friction: a spring of stiffness k up to 'bound', its secant stiffness at a slip of this size.
SN_INLINE vreal friction_secant(vreal k, vreal bound, vreal size) {
    vmask slides = v_less(bound, k * size);
    return v_select(slides, bound / v_select(slides, size, v_set(1)), k);
}

// How the friction's slope changes along a rate of slip.
SN_INLINE vreal friction_rate(vreal k, vreal bound, v3 slip, v3 rate) {
    vreal size2 = v3_dot(slip, slip), along = v3_dot(slip, rate), secant = friction_secant(k, bound, v_sqrt(size2));
    vreal slides = v_select(v_less(secant, k), along * along / v_max(size2, v_set((sn_real)1e-30)), v_set(0));
    return secant * v_max(v3_dot(rate, rate) - slides, v_set(0));
}

// ---- linearisation

SN_INLINE void linearise_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_node_vector *f) {
    vreal zero = v_set(0), weight[NODES];
    weights_of(b, at, form, weight);
    vreal gap = LOAD(b->gap), force = normal_force(b, at, gap);
    vmask presses = v_less(gap, LOAD(b->target) + v_set(NEARLY_PRESSES) * LOAD(b->min));
    STORE(b->force, force);
    STORE(b->gap_now, gap);
    STORE(b->pre, v_select(presses, LOAD(b->k), zero));
    v3 n = LOAD3(b->n), slip = LOAD3(b->slip);
    STORE3(b->slip_now, slip);
    // friction: bounded by the normal force that the last iteration came to
    vreal load = LOAD(b->load), k = LOAD(b->k);
    vreal size = v_sqrt(v3_dot(slip, slip)), held = LOAD(b->stick) * load;
    vreal bound = v_select(v_less(k * size, held), held, LOAD(b->slide) * load);
    STORE(b->friction_max, bound);
    vreal friction_k = v_select(v_less(zero, bound), friction_secant(k, bound, size), zero);
    STORE(b->friction_k, friction_k);
    const v3 force_on_a = v3_sub(v3_mul(force, n), v3_mul(friction_k, slip));
    const v3 forces[2] = {force_on_a, force_on_a};
    const vreal squeezes[2] = {force, force};
    const int here = lanes_in(b, at);
    add_forces(b, at, f, form, here, weight, forces, squeezes, NULL);
    vreal torque[2] = {zero, zero};
    if (spins(form, 0)) torque[0] = -friction_k * v3_dot(LOAD3(b->arm_a), slip);
    if (spins(form, 1)) torque[1] = friction_k * v3_dot(LOAD3(b->arm_b), slip);
    add_spins(b, at, f, form, here, torque);
}

void SN_LANE_NAME(sn_contact_linearise)(sn_contact_block *blocks, int count, const sn_node_vector *force) {
    FOR_LANES(i, blocks, count, linearise_lanes, force)
}

// ---- along a direction

// The motion of a side along p: how it opens the gap, how it slips, and what its body's matrix knows of the squares of both.
typedef struct {
    vreal open, known;
    v3 slip;
} side_rate;

SN_INLINE side_rate rate_of(const sn_contact_block *b, int at, sn_contact_form form, int side, const vmoved *m,
                            const vreal weight[NODES], const sn_node_vector *step, v3 n) {
    vreal zero = v_set(0);
    side_rate o = {zero, zero, {zero, zero, zero}};
    vreal nodal_n = zero, nodal_t = zero, pre = LOAD(b->pre), friction_k = LOAD(b->friction_k);
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k) || on_side_a(k) != (side == 0)) continue;
        v3 p = {m->quad[k][0], m->quad[k][1], m->quad[k][2]};
        vreal along = v3_dot(n, p), size = v_abs(weight[k]);
        vreal squeeze = LOAD(OF_NODE(b, r, third_r, k)) * m->quad[k][3];
        o.open += weight[k] * along - size * squeeze;
        o.slip = v3_add(o.slip, v3_mul(weight[k], v3_sub(p, v3_mul(along, n))));
        vreal opens = (side ? -along : along) - squeeze;
        v3 across = v3_sub(p, v3_mul(along, n));
        nodal_n += size * opens * opens;
        nodal_t += size * v3_dot(across, across);
    }
    vreal exact_t = zero;
    if (spins(form, side)) {
        v3 arm = side ? v3_mul(-v_set(1), LOAD3(b->arm_b)) : LOAD3(b->arm_a);
        v3 spin = v3_mul(gather_reals(step->spin, b->slot[2 * side + 1] + at), arm);
        o.slip = v3_add(o.slip, spin);
        nodal_t = K(2) * (nodal_t + v3_dot(spin, spin));
    }
    exact_t = v3_dot(o.slip, o.slip);
    vmask nodal = v_less(zero, LOAD(b->nodal[side]));
    o.known = pre * v_select(nodal, nodal_n, o.open * o.open) + friction_k * v_select(nodal, nodal_t, exact_t);
    return o;
}

SN_INLINE void rates_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_node_vector *step) {
    vreal weight[NODES];
    weights_of(b, at, form, weight);
    vmoved m = look(b, at, step, form);
    v3 n = LOAD3(b->n);
    side_rate a = rate_of(b, at, form, 0, &m, weight, step, n), other = a;
    STORE(b->rate[0], a.open);
    STORE3(b->slip_rate_a, a.slip);
    v3 slip = a.slip;
    vreal known = a.known;
    if (sn_form_both(form)) {
        other = rate_of(b, at, form, 1, &m, weight, step, n);
        slip = v3_add(slip, other.slip);
        known += other.known;
        STORE(b->rate[1], other.open);
        STORE3(b->slip_rate_b, other.slip);
    } else {
        v3 none = {v_set(0), v_set(0), v_set(0)};
        STORE(b->rate[1], v_set(0));
        STORE3(b->slip_rate_b, none);
    }
    STORE(b->slope_rate, -known);
    vreal j = LOAD(b->rate[0]) + LOAD(b->rate[1]);
    vreal zero = v_set(0), pressed = normal_force(b, at, LOAD(b->gap_now));
    STORE(b->slope, v_select(v_less(zero, pressed), LOAD(b->k) * j * j, zero) +
                        friction_rate(LOAD(b->k), LOAD(b->friction_max), LOAD3(b->slip_now), slip));
}

void SN_LANE_NAME(sn_contact_rates)(sn_contact_block *blocks, int count,
                                    const sn_node_vector *step){FOR_LANES(i, blocks, count, rates_lanes, step)}

SN_INLINE vreal by_island(const sn_contact_block *b, int at, const sn_real *scalars) {
    return gather_reals(scalars, b->island + at);
}

void SN_LANE_NAME(sn_contact_slope)(sn_contact_block *blocks, int count, const sn_real *alpha) {
    for (int i = 0; i < count; i++) {
        sn_contact_block *b = &blocks[i];
        if (b->far) continue;
        for (int at = 0; at < b->count; at += SN_LANES) {
            vreal j = LOAD(b->rate[0]) + LOAD(b->rate[1]), gap = LOAD(b->gap_now);
            vreal now = normal_force(b, at, gap), then = normal_force(b, at, gap + by_island(b, at, alpha) * j);
            vreal k = LOAD(b->k), bound = LOAD(b->friction_max), t = by_island(b, at, alpha);
            v3 slip = LOAD3(b->slip_now), rate = v3_add(LOAD3(b->slip_rate_a), LOAD3(b->slip_rate_b));
            v3 moved = v3_add(slip, v3_mul(t, rate));
            vreal secant_now = friction_secant(k, bound, v_sqrt(v3_dot(slip, slip)));
            vreal secant = friction_secant(k, bound, v_sqrt(v3_dot(moved, moved)));
            STORE(b->slope, secant * v3_dot(moved, rate) - secant_now * v3_dot(slip, rate) - j * (then - now));
            STORE(b->slope_rate,
                  friction_rate(k, bound, moved, rate) + v_select(v_less(v_set(0), then), k * j * j, v_set(0)));
        }
    }
}

SN_INLINE void advance_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_node_vector *step,
                             const sn_node_vector *f, const sn_real *alphas) {
    vreal weight[NODES], alpha = by_island(b, at, alphas), zero = v_set(0);
    weights_of(b, at, form, weight);
    const bool both = sn_form_both(form);
    const int here = lanes_in(b, at);
    vreal rate_a = LOAD(b->rate[0]), rate_b = LOAD(b->rate[1]), gap = LOAD(b->gap_now);
    v3 slip_a = LOAD3(b->slip_rate_a), slip_b = LOAD3(b->slip_rate_b);
    vreal then = gap + alpha * (rate_a + rate_b);
    vreal change = normal_force(b, at, then) - normal_force(b, at, gap), pre = alpha * LOAD(b->pre);
    vreal friction = alpha * LOAD(b->friction_k);
    STORE(b->gap_now, then);
    v3 slip = v3_add(slip_a, slip_b), n = LOAD3(b->n);
    v3 slip_now = LOAD3(b->slip_now), slip_then = v3_add(slip_now, v3_mul(alpha, slip));
    STORE3(b->slip_now, slip_then);
    vreal stiff = LOAD(b->k), bound = LOAD(b->friction_max);
    vreal secant_now = friction_secant(stiff, bound, v_sqrt(v3_dot(slip_now, slip_now)));
    vreal secant_then = friction_secant(stiff, bound, v_sqrt(v3_dot(slip_then, slip_then)));
    v3 rubbing = v3_sub(v3_mul(secant_then, slip_then), v3_mul(secant_now, slip_now));
    vmask nodal[2] = {v_less(zero, LOAD(b->nodal[0])), v_less(zero, LOAD(b->nodal[1]))};
    // Given back: what the matrix of the side knew.
    vreal known_n[2] = {v_select(nodal[0], zero, pre * rate_a), v_select(nodal[1], zero, pre * rate_b)};
    v3 none = {zero, zero, zero};
    v3 known_t[2] = {v3_select(nodal[0], none, v3_mul(friction, slip_a)),
                     v3_select(nodal[1], none, v3_mul(friction, slip_b))};
    vreal squeeze[2] = {change + known_n[0], change + known_n[1]};
    v3 rub[2] = {v3_sub(known_t[0], rubbing), v3_sub(known_t[1], rubbing)};
    v3 force_on_a[2] = {v3_add(v3_mul(squeeze[0], n), rub[0]), v3_add(v3_mul(squeeze[1], n), rub[1])};
    vreal own[NODES][4];
    const bool any_nodal = v_any(nodal[0]) || (both && v_any(nodal[1]));
    if (any_nodal) {
        vmoved m = look(b, at, step, form);
        SN_UNROLL
        for (int k = 0; k < NODES; k++) {
            if (!has(form, k)) continue;
            const int side = on_side_a(k) ? 0 : 1;
            v3 p = {m.quad[k][0], m.quad[k][1], m.quad[k][2]};
            vreal along = v3_dot(n, p), size = v_select(nodal[side], v_abs(weight[k]), zero);
            vreal r = LOAD(OF_NODE(b, r, third_r, k));
            vreal opens = size * pre * ((side ? -along : along) - r * m.quad[k][3]);
            vreal rubs = size * friction * (spins(form, side) ? K(2) : K(1));
            v3 across = v3_sub(p, v3_mul(along, n));
            own[k][0] = (side ? -opens : opens) * n.x + rubs * across.x;
            own[k][1] = (side ? -opens : opens) * n.y + rubs * across.y;
            own[k][2] = (side ? -opens : opens) * n.z + rubs * across.z;
            own[k][3] = -opens * r;
        }
    }
    add_forces(b, at, f, form, here, weight, force_on_a, squeeze, any_nodal ? (const vreal(*)[4])own : NULL);
    vreal torque[2] = {zero, zero};
    for (int side = 0; side < 2; side++) {
        if (!spins(form, side)) continue;
        v3 arm = side ? v3_mul(-v_set(1), LOAD3(b->arm_b)) : LOAD3(b->arm_a);
        vreal spin = gather_reals(step->spin, b->slot[2 * side + 1] + at);
        vreal own_spin = v_select(nodal[side], K(2) * friction * spin * v3_dot(arm, arm), zero);
        torque[side] = v3_dot(arm, rub[side]) + own_spin;
    }
    add_spins(b, at, f, form, here, torque);
}

void SN_LANE_NAME(sn_contact_advance)(sn_contact_block *blocks, int count, const sn_node_vector *step,
                                      const sn_node_vector *force, const sn_real *alpha) {
    FOR_LANES(i, blocks, count, advance_lanes, step, force, alpha)
}

void SN_LANE_NAME(sn_contact_energy)(sn_contact_block *blocks, int count, const sn_real *share) {
    for (int i = 0; i < count; i++) {
        sn_contact_block *b = &blocks[i];
        if (b->far) continue;
        for (int at = 0; at < b->count; at += SN_LANES) {
            vreal t = by_island(b, at, share), gap = LOAD(b->gap), k = LOAD(b->k);
            vreal depth = v_max(LOAD(b->target) - (gap + t * (LOAD(b->gap_now) - gap)), v_set(0));
            v3 slip = LOAD3(b->slip), to = LOAD3(b->slip_now);
            slip = v3_add(slip, v3_mul(t, v3_sub(to, slip)));
            vreal size2 = v3_dot(slip, slip), size = v_sqrt(size2), bound = LOAD(b->friction_max);
            vreal rubs = v_select(v_less(k * size, bound), K(0.5) * k * size2,
                                  bound * (size - K(0.5) * bound / v_max(k, v_set((sn_real)1e-30))));
            STORE(b->slope, K(0.5) * k * depth * depth + rubs);
        }
    }
}

// ---- gap, slip and arms where the bodies are now

#undef SKIPS_FAR
#define SKIPS_FAR false

SN_INLINE void prepare_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_proxies *p) {
    const bool both = sn_form_both(form);
    vreal spot[NODES], squeeze[NODES], now[NODES][4], start[NODES][4], rest[NODES][4], mass[NODES][4];
    spots_of(b, at, form, spot);
    const sn_real *base = &p->nodes->c.x;
    enum { STRIDE = sizeof(sn_node) / sizeof(sn_real) };
    const bool driven = sn_form_third(form, 0) || sn_form_third(form, 1);
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        const int32_t *node = OF_NODE(b, node, third_node, k) + at;
        gather_quads(base, STRIDE, node, now[k]);
        gather_quads(base + 4, STRIDE, node, start[k]);
        gather_quads(base + 8, STRIDE, node, rest[k]);
        gather_quads(base + 8, STRIDE, driven ? OF_NODE(b, driver, third_driver, k) + at : node, mass[k]);
        vreal extra[4];
        gather_quads(base + 12, STRIDE, driven ? OF_NODE(b, driver, third_driver, k) + at : node, extra);
        squeeze[k] = extra[0];
    }
    v3 n = LOAD3(b->n);
    // Positions relative to the anchor, or to the first node of side b: exact far from the origin.
    v3 origin = both ? (v3){now[2][0], now[2][1], now[2][2]} : LOAD3(b->anchor);
    v3 separation = {v_set(0), v_set(0), v_set(0)}, slip = LOAD3(b->stretch);
    if (!both) slip = v3_sub(slip, LOAD3(b->drift));
    vreal radius_a = v_set(0), radius_b = v_set(0);
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        v3 c = {now[k][0], now[k][1], now[k][2]}, c0 = {start[k][0], start[k][1], start[k][2]};
        separation = v3_add(separation, v3_mul(spot[k], v3_sub(c, origin)));
        slip = v3_add(slip, v3_mul(spot[k], v3_sub(c, c0)));
        if (on_side_a(k))
            radius_a += v_abs(spot[k]) * now[k][3] * rest[k][2];
        else
            radius_b += v_abs(spot[k]) * now[k][3] * rest[k][2];
        // A scale that cannot change is not squeezed.
        STORE(OF_NODE(b, r, third_r, k), v_select(v_less(v_set(0), mass[k][1]), squeeze[k] * mass[k][2], v_set(0)));
    }
    STORE(b->gap, v3_dot(n, separation) - radius_a - radius_b);
    enum { PILL = sizeof(sn_node_pill) / sizeof(sn_real), AXIS = offsetof(sn_node_pill, axis) / sizeof(sn_real) };
    const sn_real *pills = (const sn_real *)p->pills + AXIS;
    vreal axis[4], rotation[4];
    vreal zero = v_set(0);
    v3 none = {zero, zero, zero};
    for (int side = 0; side < (both ? 2 : 1); side++) {
        if (sn_form_third(form, side)) { // slabs do not spin
            STORE3(side ? b->arm_b : b->arm_a, none);
            continue;
        }
        // a pill has the number of the node at its end b; an edge that is no pill has no axis there
        gather_quads(pills, PILL, b->node[2 * side + 1] + at, axis);
        gather_quads(pills + 4, PILL, b->node[2 * side + 1] + at, rotation);
        vreal radius = side ? radius_b : radius_a;
        v3 arm = v3_mul(side ? radius : -radius, v3_cross((v3){axis[0], axis[1], axis[2]}, n));
        arm = v3_select(v_less(zero, axis[3]), arm, none); // one that cannot spin
        if (side) {
            STORE3(b->arm_b, arm);
            slip = v3_sub(slip, v3_mul(rotation[0], arm));
        } else {
            STORE3(b->arm_a, arm);
            slip = v3_add(slip, v3_mul(rotation[0], arm));
        }
    }
    slip = v3_sub(slip, v3_mul(v3_dot(slip, n), n));
    STORE3(b->slip, slip);
    STORE(b->radius[0], radius_a);
    STORE(b->radius[1], radius_b);
}

void SN_LANE_NAME(sn_contact_prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies) {
    FOR_LANES(i, blocks, count, prepare_lanes, proxies)
}
