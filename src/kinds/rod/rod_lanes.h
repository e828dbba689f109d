// The strains of a rod in lanes: what every solver kernel measures (the table in docs/rods.md; paper eqs. 11-15, 18-20).
//
// Segment between parent p and child i, rest length l:  d = (c_i - c_p)/l,  w = third axis of the frame,  s = mean scale.
//     stretch  |d| - g        shear  d - |d| w        section  s - 1        gradient  s_i - s_p        volume  s^2 |d| - 1
// The paper measures stretch and volume along the frame, by w.d, and shear across it: the same to first order in shear. But
// then a frame that tilts away from a drawn segment saves more stretch than it pays shear as soon as the axial stress exceeds the
// shear stiffness, and the rod folds up. Measured along the segment, stretch and volume do not see the frame at all.
// Rest scale is 1 everywhere: a varying rest radius lives in the stiffnesses, so no term needs a rest gradient.
//
// Joint between the parent's frame and the child's at the parent's point, with rest rotation 'rel':
//     Z = q_p rel   (where the child's frame would be without strain)      b = Im(Z* q_i), nearest sign
//     bend and twist  s b + (s - 1) k,   k = Im(rel)   (s Omega - Omega_rest of eq. 14, times l/2, measured from the rest
//     pose: the same to first order for smooth rods, and exact for any rest angle, so branches may leave at right angles).
#ifndef SN_KINDS_ROD_ROD_LANES_H
#define SN_KINDS_ROD_ROD_LANES_H

#include "base/simd/lane_math.h"
#include "kinds/rod/rod_layout.h"

// Row r of block i in an array of 'rows' rows a block.
#define ROW(array, rows, i, r) ((array) + ((size_t)(i) * (rows) + (size_t)(r)) * SN_LANES)

SN_INLINE v3 load3(const sn_real *array, int rows, int i, int r) {
    return (v3){v_load(ROW(array, rows, i, r)), v_load(ROW(array, rows, i, r + 1)), v_load(ROW(array, rows, i, r + 2))};
}
SN_INLINE vq load4(const sn_real *array, int rows, int i, int r) {
    return (vq){v_load(ROW(array, rows, i, r)), v_load(ROW(array, rows, i, r + 1)), v_load(ROW(array, rows, i, r + 2)),
                v_load(ROW(array, rows, i, r + 3))};
}
SN_INLINE void store3(sn_real *array, int rows, int i, int r, v3 v) {
    v_store(ROW(array, rows, i, r), v.x);
    v_store(ROW(array, rows, i, r + 1), v.y);
    v_store(ROW(array, rows, i, r + 2), v.z);
}
SN_INLINE void store4(sn_real *array, int rows, int i, int r, vq q) {
    v_store(ROW(array, rows, i, r), q.x);
    v_store(ROW(array, rows, i, r + 1), q.y);
    v_store(ROW(array, rows, i, r + 2), q.z);
    v_store(ROW(array, rows, i, r + 3), q.w);
}
SN_INLINE vreal param(const sn_packet *packet, int i, int r) {
    return v_load(ROW(packet->param, P_ROWS, i, r));
}

// State of one block.
typedef struct {
    v3 c;
    vreal s;
    vq q;
    v3 low; // what rounding left of c
} block_state;

SN_INLINE block_state load_state(const sn_real *x, int i) {
    return (block_state){load3(x, X_ROWS, i, X_CX), v_load(ROW(x, X_ROWS, i, X_S)), load4(x, X_ROWS, i, X_QX),
                         load3(x, X_ROWS, i, X_LX)};
}
SN_INLINE void store_state(sn_real *x, int i, block_state b) {
    store3(x, X_ROWS, i, X_CX, b.c);
    v_store(ROW(x, X_ROWS, i, X_S), b.s);
    store4(x, X_ROWS, i, X_QX, b.q);
    store3(x, X_ROWS, i, X_LX, b.low);
}

// Moves the centre by d, keeping what rounds off (Kahan). Where d is larger than c, that is only as good as d itself.
SN_INLINE void move_centre(block_state *b, v3 d) {
    v3 c = b->c, more = v3_add(b->low, d);
    b->c = v3_add(c, more);
    b->low = v3_sub(more, v3_sub(b->c, c));
}
// From the centre of b to that of a, with the digits that were kept.
SN_INLINE v3 displacement_between(block_state a, block_state b) {
    return v3_add(v3_sub(a.c, b.c), v3_sub(a.low, b.low));
}

// Radii never vanish: a scale below this is put back to it.
#define SN_MIN_SCALE K(0.02)
// Below this a segment has no direction.
#define SN_MIN_STRETCH K(1e-12)

typedef struct {
    v3 d, w;
    vreal stretch; // |d|
    vreal inverse; // 1 / |d|
    v3 along;      // d / |d|
    v3 shear;      // d - |d| w
    vreal s;       // mean scale
    vreal volume;  // s^2 |d| - 1
} segment_strain;

SN_INLINE segment_strain measure_segment(const sn_packet *packet, int i, block_state child, block_state parent) {
    segment_strain e;
    e.d = v3_mul(param(packet, i, P_INV_L), displacement_between(child, parent));
    e.w = vq_axis_z(child.q);
    e.stretch = v_sqrt(v3_dot(e.d, e.d));
    e.inverse = K(1) / v_max(e.stretch, v_set(SN_MIN_STRETCH));
    e.along = v3_mul(e.inverse, e.d);
    e.shear = v3_sub(e.d, v3_mul(e.stretch, e.w));
    e.s = K(0.5) * (child.s + parent.s);
    e.volume = e.s * e.s * e.stretch - K(1);
    return e;
}

// The axial force times the length, of a segment with this stretch, volume strain and squared scale.
SN_INLINE vreal axial_force(const sn_packet *packet, int i, vreal stretch, vreal volume, vreal s2) {
    return param(packet, i, P_STRETCH) * (stretch - param(packet, i, P_REST)) +
           param(packet, i, P_VOLUME) * volume * s2;
}

typedef struct {
    vq z;     // the parent's frame turned by the rest rotation, with the sign that is nearer to the child's
    v3 b;     // Im(z* q)
    v3 slope; // d(bend)/d(s) = b + k
    v3 bend;  // s b + (s - 1) k
    v3 kappa; // k
} joint_strain;

SN_INLINE joint_strain measure_joint(const sn_packet *packet, int i, vq child, vq parent, vreal s) {
    joint_strain e;
    vq rel = load4(packet->param, P_ROWS, i, P_REL_X);
    vq z = vq_mul(parent, rel);
    vmask far = v_less(vq_dot(z, child), v_set(0));
    e.z = (vq){v_negate_if(far, z.x), v_negate_if(far, z.y), v_negate_if(far, z.z), v_negate_if(far, z.w)};
    z = e.z;
    e.b = (v3){z.w * child.x - child.w * z.x - (z.y * child.z - z.z * child.y),
               z.w * child.y - child.w * z.y - (z.z * child.x - z.x * child.z),
               z.w * child.z - child.w * z.z - (z.x * child.y - z.y * child.x)};
    vreal with = param(packet, i, P_KAPPA);
    e.kappa = (v3){with * rel.x, with * rel.y, with * rel.z};
    e.slope = v3_add(e.b, e.kappa);
    e.bend = (v3){s * e.slope.x - e.kappa.x, s * e.slope.y - e.kappa.y, s * e.slope.z - e.kappa.z};
    return e;
}

// 2 db/d(theta_child - theta_parent), row by row: (q.w z.w - q.z) 1 + q z^T + z q^T - [q.w z + z.w q]x.
SN_INLINE void joint_jacobian(vq z, vq q, vreal j[3][3]) {
    vreal t = q.w * z.w - (q.x * z.x + q.y * z.y + q.z * z.z);
    v3 m = {q.w * z.x + z.w * q.x, q.w * z.y + z.w * q.y, q.w * z.z + z.w * q.z};
    vreal xy = q.x * z.y + z.x * q.y, xz = q.x * z.z + z.x * q.z, yz = q.y * z.z + z.y * q.z;
    vreal xx = q.x * z.x, yy = q.y * z.y, zz = q.z * z.z;
    j[0][0] = t + (xx + xx), j[0][1] = xy + m.z, j[0][2] = xz - m.y;
    j[1][0] = xy - m.z, j[1][1] = t + (yy + yy), j[1][2] = yz + m.x;
    j[2][0] = xz + m.y, j[2][1] = yz - m.x, j[2][2] = t + (zz + zz);
}

// Second difference of scales at the parent's point (eq. 15, with the factor that eq. 39 lacks).
SN_INLINE vreal measure_scale_bend(const sn_packet *packet, int i, vreal s, vreal s_parent, vreal s_grand) {
    return param(packet, i, P_SB_CHILD) * (s - s_parent) - param(packet, i, P_SB_PARENT) * (s_parent - s_grand);
}

// Elastic energy of a block's segment and joint. 'volume_bend' is a constant at each call.
SN_INLINE vreal elastic_energy(const sn_packet *packet, int i, block_state child, block_state parent,
                               const bool volume_bend) {
    segment_strain e = measure_segment(packet, i, child, parent);
    joint_strain j = measure_joint(packet, i, child.q, parent.q, parent.s);
    vreal stretch = e.stretch - param(packet, i, P_REST);
    vreal section = e.s - K(1), gradient = child.s - parent.s;
    vreal sum = param(packet, i, P_STRETCH) * stretch * stretch + param(packet, i, P_SHEAR) * v3_dot(e.shear, e.shear) +
                param(packet, i, P_SECTION) * section * section + param(packet, i, P_GRADIENT) * gradient * gradient +
                param(packet, i, P_VOLUME) * e.volume * e.volume +
                param(packet, i, P_BEND) * (j.bend.x * j.bend.x + j.bend.y * j.bend.y) +
                param(packet, i, P_TWIST) * j.bend.z * j.bend.z;
    if (volume_bend) {
        vreal s3 = parent.s * parent.s * parent.s;
        vreal u = s3 * j.slope.x - j.kappa.x, v = s3 * j.slope.y - j.kappa.y;
        sum += param(packet, i, P_VOLBEND) * (u * u + v * v);
    }
    return K(0.5) * sum;
}

// The turn from frame p to frame q, 2 Im(q p*), as 2 Im((q - p) p*): exactly 0 where they are equal. Otherwise the noise of
// rounding, times the inertia of a held frame, would swamp the energy.
SN_INLINE v3 rotation_between(vq q, vq p) {
    vq d = {K(2) * (q.x - p.x), K(2) * (q.y - p.y), K(2) * (q.z - p.z), K(2) * (q.w - p.w)};
    vq rotation = vq_mul(d, vq_conj(p));
    return (v3){rotation.x, rotation.y, rotation.z};
}

// The work of a block's load of torque on the way from the start of the substep: t . log(q q0*), less than half a turn.
// A held frame goes where it is led, whatever the torque.
SN_INLINE vreal torque_work(const sn_packet *packet, int i, vq q) {
    vq start = load4(packet->x0, X_ROWS, i, X_QX);
    vreal work = v3_dot(load3(packet->load, V_ROWS, i, V_WX), vq_log(vq_mul(q, vq_conj(start))));
    return v_select(v_less(param(packet, i, P_INERTIA_T), v_set(SN_IS_HELD)), work, v_set(0));
}

// Twice the energy of a frame that rotates so, where the scale is 1.
SN_INLINE vreal spin_inertia(const sn_packet *packet, int i, vq q, v3 rotation) {
    vreal across = param(packet, i, P_INERTIA_T), along = param(packet, i, P_INERTIA_W);
    vreal tw = v3_dot(vq_axis_z(q), rotation);
    return across * (v3_dot(rotation, rotation) - tw * tw) + along * tw * tw;
}

// Inertia of a block's frame about u, v and w, with the cross-section as large as it is now; less the work of its torque. Loads of
// centres and scales are in the prediction.
SN_INLINE vreal inertia_energy(const sn_packet *packet, int i, block_state x, block_state predicted, vreal mean_s,
                               sn_real inv_h2) {
    v3 dc = displacement_between(x, predicted);
    vreal ds = x.s - predicted.s;
    v3 dt = rotation_between(x.q, predicted.q);
    vreal spin = spin_inertia(packet, i, x.q, dt);
    vreal energy =
        K(0.5) * inv_h2 *
        (param(packet, i, P_MASS) * v3_dot(dc, dc) + param(packet, i, P_MASS_S) * ds * ds + mean_s * mean_s * spin);
    return packet->loaded ? energy - torque_work(packet, i, x.q) : energy;
}

#endif
