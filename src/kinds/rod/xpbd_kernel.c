// The paper's own solver: every strain of rod_lanes.h is a compliant constraint (XPBD), visited one after the other.
//
//     a = 1/(k h^2)        dl = -(C + a l) / (grad C M^-1 grad C^T + a)        x += M^-1 grad C^T dl,   l += dl
//
// (the signs of the notes: the draft's l is -h^2 times ours). Gauss-Seidel applies each correction at once. Jacobi gathers
// the corrections of a sweep; so that they do not overshoot, each constraint sees the mass of an unknown split among the
// n constraints that touch it: n times the inverse mass in the denominator, the plain inverse mass in the correction. Unlike
// averaging, this keeps momentum and converges to the same state.
//
// These are here to compare with. Stiff rods need hundreds of sweeps where the direct solver needs one step.
#include "kinds/rod/rod_lanes.h"

// Multipliers of a block's constraints.
enum {
    L_U,
    L_V,
    L_W,
    L_STRETCH,
    L_VOLUME,
    L_SECTION,
    L_GRADIENT,
    L_BEND_U,
    L_BEND_V,
    L_BEND_W,
    L_VB_U,
    L_VB_V,
    L_SCALEBEND,
    L_ROWS
};
// Corrections gathered by Jacobi: c, s, theta.
enum { D_ROWS = 7 };

typedef struct {
    sn_packet *packet;
    sn_real *lambda;
    sn_real *gather; // Jacobi only
    sn_real inv_h2;
} sweep;

// Inverse masses of a block as a constraint sees them.
typedef struct {
    vreal c, s, across, along; // of the centre, scale, and frame about u, v and w
    v3 w;
} inverse_masses;

SN_INLINE vreal inverse(vreal mass) {
    return v_select(v_less(mass, v_set(SN_IS_HELD)), K(1) / mass, v_set(0));
}

SN_INLINE inverse_masses inverse_masses_of(const sn_packet *packet, int i, vq q, vreal mean_s) {
    vreal shrink = K(1) / (mean_s * mean_s);
    return (inverse_masses){inverse(param(packet, i, P_MASS)), inverse(param(packet, i, P_MASS_S)),
                            shrink * inverse(param(packet, i, P_INERTIA_T)),
                            shrink * inverse(param(packet, i, P_INERTIA_W)), vq_axis_z(q)};
}
SN_INLINE v3 apply_inverse_inertia(inverse_masses y, v3 g) { // I^-1 g
    vreal along = (y.along - y.across) * v3_dot(g, y.w);
    return (v3){y.across * g.x + along * y.w.x, y.across * g.y + along * y.w.y, y.across * g.z + along * y.w.z};
}

// The change of a multiplier; 'give' is grad C M^-1 grad C^T. A stiffness of 0 gives none.
SN_INLINE vreal pull(const sweep *s, int i, int row, vreal k, vreal c, vreal give) {
    sn_real *at = ROW(s->lambda, L_ROWS, i, row);
    vreal kh = k / s->inv_h2; // k h^2
    vreal l = v_load(at);
    vreal dl = -(c * kh + l) / (give * kh + K(1));
    v_store(at, l + dl);
    return dl;
}

SN_INLINE void shift(const sweep *s, int i, v3 dc, vreal ds, v3 dt, const bool jacobi) {
    if (jacobi) {
        store3(s->gather, D_ROWS, i, 0, v3_add(load3(s->gather, D_ROWS, i, 0), dc));
        v_store(ROW(s->gather, D_ROWS, i, 3), v_load(ROW(s->gather, D_ROWS, i, 3)) + ds);
        store3(s->gather, D_ROWS, i, 4, v3_add(load3(s->gather, D_ROWS, i, 4), dt));
        return;
    }
    block_state x = load_state(s->packet->x, i);
    move_centre(&x, dc);
    x.s = v_max(x.s + ds, v_set(SN_MIN_SCALE));
    x.q = vq_nudge(dt, x.q);
    store_state(s->packet->x, i, x);
}

// How many constraints touch an unknown of block i (an upper bound, from the number of segments at its point).
typedef struct {
    vreal c, s, t;
} crowd;
SN_INLINE crowd crowd_of(const sn_topology *t, int i, const bool jacobi) {
    if (!jacobi) return (crowd){v_set(1), v_set(1), v_set(1)};
    sn_real degree = (sn_real)t->degree[i];
    return (crowd){v_set(5 * degree), v_set(3 * degree + 8 * degree), v_set(4 + 5 * (degree + 1))};
}

SN_INLINE void segment_rows(const sweep *s, int i, int p, const bool jacobi) {
    const sn_packet *packet = s->packet;
    const sn_topology *t = packet->topology;
    crowd ni = crowd_of(t, i, jacobi), np = crowd_of(t, p, jacobi);
    vreal inv_l = param(packet, i, P_INV_L);
    v3 none = {v_set(0), v_set(0), v_set(0)};
    for (int axis = 0; axis < 5; axis++) { // shear along u, v, w; stretch; volume
        block_state x = load_state(packet->x, i), y = load_state(packet->x, p);
        segment_strain e = measure_segment(packet, i, x, y);
        inverse_masses yi = inverse_masses_of(packet, i, x.q, e.s), yp = inverse_masses_of(packet, p, y.q, y.s);
        v3 a = axis == 2 ? e.w : e.along;
        if (axis == 0)
            a = (v3){K(1) - K(2) * (x.q.y * x.q.y + x.q.z * x.q.z), K(2) * (x.q.x * x.q.y + x.q.w * x.q.z),
                     K(2) * (x.q.x * x.q.z - x.q.w * x.q.y)};
        if (axis == 1)
            a = (v3){K(2) * (x.q.x * x.q.y - x.q.w * x.q.z), K(1) - K(2) * (x.q.x * x.q.x + x.q.z * x.q.z),
                     K(2) * (x.q.y * x.q.z + x.q.w * x.q.x)};
        vreal c = v3_dot(a, e.d), k = param(packet, i, P_SHEAR), gs = v_set(0), size = v_set(1);
        v3 gt = axis < 3 ? v3_cross(a, e.d) : none;
        if (axis == 2) c = v3_dot(a, e.shear), a = v3_sub(a, e.along);
        if (axis == 3) c = e.stretch - param(packet, i, P_REST), k = param(packet, i, P_STRETCH);
        if (axis == 4) c = e.volume, k = param(packet, i, P_VOLUME), gs = e.s * e.stretch, size = e.s * e.s;
        v3 gc = v3_mul(size * inv_l, a), rotation = apply_inverse_inertia(yi, gt);
        vreal give = (ni.c * yi.c + np.c * yp.c) * v3_dot(gc, gc) + ni.t * v3_dot(gt, rotation) +
                     (ni.s * yi.s + np.s * yp.s) * gs * gs;
        vreal dl = pull(s, i, L_U + axis, k, c, give);
        shift(s, i, v3_mul(yi.c * dl, gc), yi.s * dl * gs, v3_mul(dl, rotation), jacobi);
        shift(s, p, v3_mul(-yp.c * dl, gc), yp.s * dl * gs, none, jacobi);
    }
    for (int row = 0; row < 2; row++) { // section, gradient
        vreal si = v_load(ROW(packet->x, X_ROWS, i, X_S)), sp = v_load(ROW(packet->x, X_ROWS, p, X_S));
        vreal wi = inverse(param(packet, i, P_MASS_S)), wp = inverse(param(packet, p, P_MASS_S));
        vreal c = row ? si - sp : K(0.5) * (si + sp) - K(1), gi = v_set(row ? K(1) : K(0.5)),
              gp = v_set(row ? K(-1) : K(0.5));
        vreal k = param(packet, i, row ? P_GRADIENT : P_SECTION);
        vreal give = ni.s * wi * gi * gi + np.s * wp * gp * gp;
        vreal dl = pull(s, i, row ? L_GRADIENT : L_SECTION, k, c, give);
        shift(s, i, none, wi * gi * dl, none, jacobi);
        shift(s, p, none, wp * gp * dl, none, jacobi);
    }
}

SN_INLINE void joint_rows(const sweep *s, int i, int p, const bool jacobi) {
    const sn_packet *packet = s->packet;
    const sn_topology *t = packet->topology;
    crowd ni = crowd_of(t, i, jacobi), np = crowd_of(t, p, jacobi);
    v3 none = {v_set(0), v_set(0), v_set(0)};
    int rows = t->volume_bend ? 5 : 3;
    for (int row = 0; row < rows; row++) { // bend u, bend v, twist, volume in bending u, v
        block_state x = load_state(packet->x, i), y = load_state(packet->x, p);
        joint_strain b = measure_joint(packet, i, x.q, y.q, y.s);
        vreal j[3][3];
        joint_jacobian(b.z, x.q, j);
        int axis = row % 3;
        vreal slope = axis == 0 ? b.slope.x : axis == 1 ? b.slope.y : b.slope.z;
        vreal kappa = axis == 0 ? b.kappa.x : axis == 1 ? b.kappa.y : b.kappa.z;
        vreal power = row < 3 ? y.s : y.s * y.s * y.s, dpower = row < 3 ? v_set(1) : K(3) * y.s * y.s;
        vreal c = power * slope - kappa, gs = dpower * slope, half = K(0.5) * power;
        v3 gt = {half * j[axis][0], half * j[axis][1], half * j[axis][2]};
        vreal k = param(packet, i, row == 2 ? P_TWIST : row < 2 ? P_BEND : P_VOLBEND);
        int g = t->parent[p];
        vreal si = K(0.5) * (x.s + y.s), sp = g < 0 ? y.s : K(0.5) * (y.s + v_load(ROW(packet->x, X_ROWS, g, X_S)));
        inverse_masses yi = inverse_masses_of(packet, i, x.q, si), yp = inverse_masses_of(packet, p, y.q, sp);
        v3 rotation_i = apply_inverse_inertia(yi, gt), rotation_p = apply_inverse_inertia(yp, gt);
        vreal give = ni.t * v3_dot(gt, rotation_i) + np.t * v3_dot(gt, rotation_p) + np.s * yp.s * gs * gs;
        vreal dl = pull(s, i, L_BEND_U + row, k, c, give);
        shift(s, i, none, v_set(0), v3_mul(dl, rotation_i), jacobi);
        shift(s, p, none, yp.s * gs * dl, v3_mul(-dl, rotation_p), jacobi);
    }
    int g = t->parent[p];
    if (!t->scale_bend || g < 0) return;
    vreal up = param(packet, i, P_SB_CHILD), down = param(packet, i, P_SB_PARENT);
    vreal c = measure_scale_bend(packet, i, v_load(ROW(packet->x, X_ROWS, i, X_S)),
                                 v_load(ROW(packet->x, X_ROWS, p, X_S)), v_load(ROW(packet->x, X_ROWS, g, X_S)));
    const int block[3] = {i, p, g};
    const vreal weight[3] = {up, -(up + down), down};
    vreal w[3], give = v_set(0);
    for (int n = 0; n < 3; n++) {
        w[n] = inverse(param(packet, block[n], P_MASS_S));
        give += crowd_of(t, block[n], jacobi).s * w[n] * weight[n] * weight[n];
    }
    vreal dl = pull(s, i, L_SCALEBEND, param(packet, i, P_SCALEBEND), c, give);
    for (int n = 0; n < 3; n++) shift(s, block[n], none, w[n] * weight[n] * dl, none, jacobi);
}

// Eq. 23: the load of torque turns the frame that sweeps start from. They know no forces, only where masses would go; so
// here, unlike in the direct solver, a strong torque on a thin rod wraps around (rod_motion_kernel.c).
static void add_torques(const sn_packet *packet, sn_real h2) {
    const sn_topology *t = packet->topology;
    for (int i = 0; i < t->blocks; i++) {
        const int p = t->parent[i] < 0 ? i : t->parent[i];
        block_state x = load_state(packet->x, i);
        inverse_masses y = inverse_masses_of(packet, i, x.q, K(0.5) * (x.s + v_load(ROW(packet->x, X_ROWS, p, X_S))));
        v3 torque = load3(packet->load, V_ROWS, i, V_WX);
        v3 rotation = v3_mul(v_set(h2), apply_inverse_inertia(y, torque));
        vmask rotations = v_less(v_set(0), v_abs(torque.x) + v_abs(torque.y) + v_abs(torque.z)) &
                          v_less(param(packet, i, P_INERTIA_T), v_set(SN_IS_HELD)); // others stay to the last bit
        x.q = vq_select(rotations, vq_tidy(vq_mul(vq_exp(rotation), x.q)), x.q);
        store_state(packet->x, i, x);
    }
}

SN_INLINE void solve(sn_packet *packet, const sn_substep *step, sn_real *scratch, const bool jacobi) {
    const sn_topology *t = packet->topology;
    packet->measured = false;
    sweep s = {packet, scratch, scratch + (size_t)t->blocks * L_ROWS * SN_LANES, 1 / (step->h * step->h)};
    for (size_t k = 0; k < (size_t)t->blocks * X_ROWS; k++)
        v_store(packet->x + k * SN_LANES, v_load(packet->xh + k * SN_LANES));
    for (int i = 0; i < t->blocks; i++) {
        sn_real *scale = ROW(packet->x, X_ROWS, i, X_S);
        v_store(scale, v_max(v_load(scale), v_set(SN_MIN_SCALE)));
    }
    if (packet->loaded) add_torques(packet, step->h * step->h);
    for (size_t k = 0; k < (size_t)t->blocks * (L_ROWS + D_ROWS); k++) v_store(scratch + k * SN_LANES, v_set(0));
    for (int n = 0; n < step->iterations; n++) {
        for (int i = t->loop ? 0 : 1; i < t->blocks; i++) {
            segment_rows(&s, i, t->parent[i], jacobi);
            joint_rows(&s, i, t->parent[i], jacobi);
        }
        if (!jacobi) continue;
        for (int i = 0; i < t->blocks; i++) {
            shift(&s, i, load3(s.gather, D_ROWS, i, 0), v_load(ROW(s.gather, D_ROWS, i, 3)),
                  load3(s.gather, D_ROWS, i, 4), false);
            for (int r = 0; r < D_ROWS; r++) v_store(ROW(s.gather, D_ROWS, i, r), v_set(0));
        }
    }
}

sn_verdict SN_LANE_NAME(sn_rod_xpbd)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_xpbd)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    solve(packet, step, scratch, false);
    return (sn_verdict){0, 0};
}

sn_verdict SN_LANE_NAME(sn_rod_jacobi)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_jacobi)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    solve(packet, step, scratch, true);
    return (sn_verdict){0, 0};
}

size_t SN_LANE_NAME(sn_rod_xpbd_scratch)(const sn_topology *topology);
size_t SN_LANE_NAME(sn_rod_xpbd_scratch)(const sn_topology *topology) {
    return (size_t)topology->blocks * (L_ROWS + D_ROWS) * SN_LANES;
}
