// The contact solve in SIMD lanes: one visit of projected Gauss-Seidel to each contact of a block.
//
// Along the normal (eq. 31 as an inequality; positions and radii both respond, so a contact can squeeze a rod):
//     dl = -(gap - goal + a l)/(sum w a_i^2 + sum w_s (a_i r_i)^2 + a),   l + dl >= 0
// Across it (Coulomb): a friction impulse of at most stick * l undoes the slip of the two surfaces since the start of
// the substep (rolling of the pills about their axes included); beyond that the contact slides with slide * l. The
// normal impulse does not change the slip and the friction impulse not the gap, so one read of the nodes gives both.
#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "couplings/contact/contact_block.h"

void SN_LANE_NAME(sn_contact_prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies,
                                      sn_real max_opening);
void SN_LANE_NAME(sn_contact_start)(sn_contact_block *blocks, int count, const sn_displacements *d);
void SN_LANE_NAME(sn_contact_sweep)(sn_contact_block *blocks, int count, const sn_displacements *d, sn_real beta);
void SN_LANE_NAME(sn_contact_shift)(sn_contact_block *blocks, int count, const sn_displacements *d,
                                    const sn_overlap_correction *how);
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

// Indices of nodes: ends of side a 0 and 1, ends of side b 2 and 3, third corners of slabs 4 and 5. Forms are constants
// where these are called, so loops over the nodes unroll to those that a form has.
enum { NODES = 6 };
SN_INLINE bool has(sn_contact_form form, int k) {
    return k < 2 || (k < 4 ? sn_form_both(form) : sn_form_third(form, k - 4));
}
SN_INLINE bool on_side_a(int k) {
    return k < 2 || k == 4;
}
#define OF_NODE(b, rows, third_rows, k) ((k) < 4 ? (b)->rows[(k)&3] : (b)->third_rows[(k)&1])

// Weights of the nodes that move; negative for side b.
SN_INLINE void weights_of(const sn_contact_block *b, int at, sn_contact_form form, vreal weight[NODES]) {
    vreal alpha = LOAD(b->alpha), beta = LOAD(b->beta);
    weight[0] = K(1) - alpha, weight[1] = alpha;
    weight[2] = beta - K(1), weight[3] = -beta;
    if (sn_form_third(form, 0)) weight[4] = LOAD(b->third[0]), weight[0] -= weight[4];
    if (sn_form_third(form, 1)) weight[5] = -LOAD(b->third[1]), weight[2] -= weight[5];
}

// Weights of the contact point.
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

SN_INLINE vmoved look(const sn_contact_block *b, int at, const sn_displacements *d, sn_contact_form form) {
    vmoved m;
    SN_UNROLL
    for (int k = 0; k < NODES; k++)
        if (has(form, k)) gather_quads(d->moved, 4, OF_NODE(b, slot, third_slot, k) + at, m.quad[k]);
    return m;
}

SN_INLINE v3 relative(const vmoved *m, const vreal weight[NODES], sn_contact_form form) {
    v3 rel = {v_set(0), v_set(0), v_set(0)};
    SN_UNROLL
    for (int k = 0; k < NODES; k++)
        if (has(form, k)) rel = v3_add(rel, v3_mul(weight[k], (v3){m->quad[k][0], m->quad[k][1], m->quad[k][2]}));
    return rel;
}

// Moves a node and writes it. Lanes where 'moves' (null: all) is not set keep their node. Adding 0 times the motion
// would not do: with NaN or infinity the result of a contact would depend on those in the lanes beside it.
SN_INLINE void move_node(const sn_contact_block *b, int at, const sn_displacements *d, int here, int k,
                         const vmask *moves, vreal node[4], const vreal by[4]) {
    SN_UNROLL
    for (int r = 0; r < 4; r++) {
        const vreal moved = node[r] + by[r];
        node[r] = moves ? v_select(*moves, moved, node[r]) : moved;
    }
    scatter_quads(d->moved, 4, OF_NODE(b, slot, third_slot, k) + at, here, node);
}

// Applies an impulse to the nodes, and its part along the normal to their scales.
SN_INLINE void apply_impulse(const sn_contact_block *b, int at, const sn_displacements *d, sn_contact_form form,
                             int here, const vmask *moves, vmoved *m, const vreal weight[NODES], v3 impulse,
                             vreal along) {
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        vreal w = weight[k] * LOAD(OF_NODE(b, w, third_w, k));
        vreal squeeze = v_abs(weight[k]) * LOAD(OF_NODE(b, rws, third_rws, k));
        const vreal by[4] = {w * impulse.x, w * impulse.y, w * impulse.z, -(squeeze * along)};
        move_node(b, at, d, here, k, moves, m->quad[k], by);
    }
}

// Calls fn for the lanes of every block, with its form as a constant.
#define FOR_LANES(i, blocks, count, fn, ...)                                                                           \
    for (int i = 0; i < (count); i++)                                                                                  \
        for (int at = 0; at < (blocks)[i].count; at += SN_LANES) switch ((blocks)[i].form) {                           \
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

SN_INLINE void visit(sn_contact_block *b, int at, sn_contact_form form, const sn_displacements *d, vreal beta) {
    const int here = lanes_in(b, at);
    const bool both = sn_form_both(form);
    vreal weight[NODES];
    weights_of(b, at, form, weight);
    vmoved m = look(b, at, d, form);
    v3 n = LOAD3(b->n), rel = relative(&m, weight, form);

    vreal gap = LOAD(b->gap) + v3_dot(n, rel);
    SN_UNROLL
    for (int k = 0; k < NODES; k++)
        if (has(form, k)) gap -= v_abs(weight[k]) * LOAD(OF_NODE(b, r, third_r, k)) * m.quad[k][3];
    vreal direction = beta * LOAD(b->direction), normal_impulse = LOAD(b->normal_impulse) + direction,
          compliance = LOAD(b->compliance);
    STORE(b->direction, direction + LOAD(b->change));
    vreal give = LOAD(b->give);
    vreal dl = v_max(-(gap + compliance * normal_impulse) * give, -normal_impulse);
    normal_impulse += dl;
    STORE(b->normal_impulse, normal_impulse);
    STORE(b->change, dl);

    v3 arm_a = LOAD3(b->arm_a), arm_b = arm_a;
    vreal spin_w_a = LOAD(b->spin_w_a), spin_w_b = spin_w_a;
    vreal spin_a = gather_reals(d->spin, b->slot[1] + at), spin_b = spin_a;
    v3 slip = v3_add(v3_add(LOAD3(b->slip), rel), v3_mul(spin_a, arm_a));
    if (both) {
        arm_b = LOAD3(b->arm_b), spin_w_b = LOAD(b->spin_w_b);
        spin_b = gather_reals(d->spin, b->slot[3] + at);
        slip = v3_sub(slip, v3_mul(spin_b, arm_b));
    }
    slip = v3_sub(slip, v3_mul(v3_dot(slip, n), n));
    vreal size2 = v3_dot(slip, slip), zero = v_set(0), one = v_set(1), inverse_mass_c = LOAD(b->inverse_mass_c);
    vmask slips = v_less(zero, size2);
    vreal spin_term = spin_w_a * v3_dot(arm_a, slip) * v3_dot(arm_a, slip);
    if (both) spin_term += spin_w_b * v3_dot(arm_b, slip) * v3_dot(arm_b, slip);
    // inverse mass along the slip: inverse_mass_c + sum w_spin (arm.slip)^2 / slip^2
    vreal inverse_mass = inverse_mass_c + spin_term / v_select(slips, size2, one);
    vmask movable = v_less(zero, inverse_mass);
    v3 friction_search = v3_mul(beta, LOAD3(b->friction_search)),
       old = v3_add(LOAD3(b->friction_impulse), friction_search);
    friction_search = v3_add(friction_search, LOAD3(b->friction_change));
    STORE3(b->friction_search, friction_search);
    vreal share = v_select(slips & movable, -one / v_select(movable, inverse_mass, one), zero);
    v3 friction_impulse = v3_add(old, v3_mul(share, slip));
    vreal friction2 = v3_dot(friction_impulse, friction_impulse), max = LOAD(b->stick) * normal_impulse;
    vmask slides = v_less(max * max, friction2);
    vreal scale = LOAD(b->slide) * normal_impulse / v_sqrt(v_select(slides, friction2, one));
    friction_impulse = v3_select(slides, v3_mul(scale, friction_impulse), friction_impulse);
    v3 change = v3_sub(friction_impulse, old);
    STORE3(b->friction_impulse, friction_impulse);
    STORE3(b->friction_change, change);
    STORE(b->norm, dl * dl / give + v3_dot(change, change) * inverse_mass_c);

    apply_impulse(b, at, d, form, here, NULL, &m, weight, v3_add(v3_mul(dl, n), change), dl);
    scatter_reals(d->spin, b->slot[1] + at, here, spin_a + spin_w_a * v3_dot(arm_a, change));
    if (both) scatter_reals(d->spin, b->slot[3] + at, here, spin_b - spin_w_b * v3_dot(arm_b, change));
}

void SN_LANE_NAME(sn_contact_sweep)(sn_contact_block *blocks, int count, const sn_displacements *d,
                                    sn_real beta){FOR_LANES(i, blocks, count, visit, d, v_set(beta))}

// ---- before the sweeps

SN_INLINE
    void prepare_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_proxies *p, sn_real max_opening) {
    const bool both = sn_form_both(form);
    const bool driven = sn_form_third(form, 0) || sn_form_third(form, 1);
    vreal weight[NODES], spot[NODES], now[NODES][4], start[NODES][4], mass[NODES][4], rest[NODES][4];
    weights_of(b, at, form, weight);
    spots_of(b, at, form, spot);
    const sn_real *base = &p->nodes->c.x;
    enum { STRIDE = sizeof(sn_node) / sizeof(sn_real) };
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        const int32_t *node = OF_NODE(b, node, third_node, k) + at;
        gather_quads(base, STRIDE, node, now[k]);
        gather_quads(base + 4, STRIDE, node, start[k]);
        gather_quads(base + 8, STRIDE, node, rest[k]);
        gather_quads(base + 8, STRIDE, driven ? OF_NODE(b, driver, third_driver, k) + at : node, mass[k]);
    }
    v3 n = LOAD3(b->n);
    // Positions relative to the anchor, or to the first node of side b: exact far from the origin.
    v3 origin = both ? (v3){now[2][0], now[2][1], now[2][2]} : LOAD3(b->anchor);
    v3 separation = {v_set(0), v_set(0), v_set(0)}, slip = separation;
    if (!both) slip = v3_sub(slip, LOAD3(b->drift));
    vreal gap = -LOAD(b->goal), inverse_mass_c = v_set(0), inverse_mass_s = v_set(0);
    vreal radius_a = v_set(0), radius_b = v_set(0);
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        v3 c = {now[k][0], now[k][1], now[k][2]}, c0 = {start[k][0], start[k][1], start[k][2]};
        separation = v3_add(separation, v3_mul(spot[k], v3_sub(c, origin)));
        slip = v3_add(slip, v3_mul(spot[k], v3_sub(c, c0)));
        vreal size = v_abs(weight[k]), w = mass[k][0], ws = mass[k][1], r = mass[k][2];
        if (on_side_a(k))
            radius_a += v_abs(spot[k]) * now[k][3] * rest[k][2];
        else
            radius_b += v_abs(spot[k]) * now[k][3] * rest[k][2];
        inverse_mass_c += w * weight[k] * weight[k];
        inverse_mass_s += ws * (size * r) * (size * r);
        STORE(OF_NODE(b, w, third_w, k), w);
        STORE(OF_NODE(b, r, third_r, k), r);
        STORE(OF_NODE(b, rws, third_rws, k), r * ws);
    }
    gap += v3_dot(n, separation) - radius_a - radius_b;
    // Deep overlap does not throw bodies apart: see contact_block.h.
    vmask deep = v_less(LOAD(b->start_gap), -K(SN_DEEP) * LOAD(b->min));
    STORE(b->gap, v_select(deep, v_max(gap, v_set(-max_opening)), gap));
    vreal one = v_set(1), all = inverse_mass_c + inverse_mass_s + LOAD(b->compliance);
    STORE(b->give, one / v_select(v_less(v_set(0), all), all, one));
    STORE(b->inverse_mass_c, inverse_mass_c);

    enum { PILL = sizeof(sn_node_pill) / sizeof(sn_real), AXIS = offsetof(sn_node_pill, axis) / sizeof(sn_real) };
    const sn_real *pills = (const sn_real *)p->pills + AXIS;
    vreal axis[4], rotation[4];
    vreal zero = v_set(0);
    v3 none = {zero, zero, zero};
    for (int side = 0; side < (both ? 2 : 1); side++) {
        if (sn_form_third(form, side)) { // slabs do not roll
            STORE3(side ? b->arm_b : b->arm_a, none);
            STORE(side ? b->spin_w_b : b->spin_w_a, zero);
            continue;
        }
        // A pill has the index of the node at its end b; an edge that is not a pill has no axis there.
        gather_quads(pills, PILL, b->node[2 * side + 1] + at, axis);
        gather_quads(pills + 4, PILL, b->node[2 * side + 1] + at, rotation);
        vreal radius = side ? radius_b : radius_a;
        v3 arm = v3_mul(side ? radius : -radius, v3_cross((v3){axis[0], axis[1], axis[2]}, n));
        if (side) {
            STORE3(b->arm_b, arm);
            STORE(b->spin_w_b, axis[3]);
            slip = v3_sub(slip, v3_mul(rotation[0], arm));
        } else {
            STORE3(b->arm_a, arm);
            STORE(b->spin_w_a, axis[3]);
            slip = v3_add(slip, v3_mul(rotation[0], arm));
        }
    }
    STORE3(b->slip, slip);
    STORE(b->radius[0], radius_a);
    STORE(b->radius[1], radius_b);
    STORE(b->direction, zero);
    STORE(b->change, zero);
    STORE3(b->friction_search, none);
    STORE3(b->friction_change, none);
}

void SN_LANE_NAME(sn_contact_prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies,
                                      sn_real max_opening){
    FOR_LANES(i, blocks, count, prepare_lanes, proxies, max_opening)}

SN_INLINE void start_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_displacements *d) {
    vreal weight[NODES], normal_impulse = LOAD(b->normal_impulse);
    const vmask presses = v_less(v_set(0), normal_impulse); // without a normal impulse there is no friction impulse
    if (!v_any(presses)) return;
    weights_of(b, at, form, weight);
    vmoved m = look(b, at, d, form);
    const v3 friction_impulse = LOAD3(b->friction_impulse);
    const int here = lanes_in(b, at);
    apply_impulse(b, at, d, form, here, &presses, &m, weight,
                  v3_add(v3_mul(normal_impulse, LOAD3(b->n)), friction_impulse), normal_impulse);
    vreal spin = gather_reals(d->spin, b->slot[1] + at);
    vreal spun = spin + LOAD(b->spin_w_a) * v3_dot(LOAD3(b->arm_a), friction_impulse);
    scatter_reals(d->spin, b->slot[1] + at, here, v_select(presses, spun, spin));
    if (!sn_form_both(form)) return;
    spin = gather_reals(d->spin, b->slot[3] + at);
    spun = spin - LOAD(b->spin_w_b) * v3_dot(LOAD3(b->arm_b), friction_impulse);
    scatter_reals(d->spin, b->slot[3] + at, here, v_select(presses, spun, spin));
}

void SN_LANE_NAME(sn_contact_start)(sn_contact_block *blocks, int count,
                                    const sn_displacements *d){FOR_LANES(i, blocks, count, start_lanes, d)}

// ---- old overlap: a shift without velocity, so every node that can move counts the same, whatever its mass

SN_INLINE vreal
    start_gap(const sn_contact_block *b, int at, const vmoved *m, const vreal weight[NODES], sn_contact_form form) {
    return LOAD(b->start_gap) + v3_dot(LOAD3(b->n), relative(m, weight, form));
}

SN_INLINE void shift_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_displacements *d,
                           const sn_overlap_correction *how) {
    vreal weight[NODES], zero = v_set(0), one = v_set(1);
    weights_of(b, at, form, weight);
    vmoved m = look(b, at, d, form);
    vreal depth = -start_gap(b, at, &m, weight, form) - how->left * LOAD(b->min);
    vreal back = v_min(how->part * v_max(depth, zero), v_set(how->fastest));
    const vmask shifts = v_less(zero, back);
    if (!v_any(shifts)) return;
    vreal free[NODES], sum = zero;
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        free[k] = v_select(v_less(zero, LOAD(OF_NODE(b, w, third_w, k))), weight[k], zero);
        sum += free[k] * weight[k];
    }
    vmask can = v_less(zero, sum);
    v3 direction = v3_mul(v_select(can, back / v_select(can, sum, one), zero), LOAD3(b->n));
    SN_UNROLL
    for (int k = 0; k < NODES; k++) {
        if (!has(form, k)) continue;
        const vreal by[4] = {free[k] * direction.x, free[k] * direction.y, free[k] * direction.z, zero};
        move_node(b, at, d, lanes_in(b, at), k, &shifts, m.quad[k], by);
    }
}

void SN_LANE_NAME(sn_contact_shift)(sn_contact_block *blocks, int count, const sn_displacements *d,
                                    const sn_overlap_correction *how){FOR_LANES(i, blocks, count, shift_lanes, d, how)}

SN_INLINE void shifted_lanes(sn_contact_block *b, int at, sn_contact_form form, const sn_displacements *d) {
    vreal weight[NODES];
    weights_of(b, at, form, weight);
    vmoved m = look(b, at, d, form);
    vreal gap = start_gap(b, at, &m, weight, form);
    STORE(b->start_gap, gap);
    STORE(b->goal, v_min(gap, v_set(0)) + LOAD(b->bounce));
}

void SN_LANE_NAME(sn_contact_shifted)(sn_contact_block *blocks, int count,
                                      const sn_displacements *d){FOR_LANES(i, blocks, count, shifted_lanes, d)}

// ---- norm of the last sweep's change, summed in the same order for every width

sn_real SN_LANE_NAME(sn_contact_norm)(const sn_contact_block *blocks, int count) {
    _Alignas(64) sn_block_row sum = {0};
    for (int i = 0; i < count; i++) {
        if (blocks[i].count == SN_BLOCK) {
            for (int at = 0; at < SN_BLOCK; at += SN_LANES) STORE(sum, LOAD(sum) + LOAD(blocks[i].norm));
            continue;
        }
        for (int k = 0; k < blocks[i].count; k++) sum[k] += blocks[i].norm[k];
    }
    sn_real total = 0;
    for (int k = 0; k < SN_BLOCK; k++) total += sum[k];
    return total;
}
