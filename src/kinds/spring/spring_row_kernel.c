// The loops over the rows of springs (spring_body.h) and over vectors of the conjugate gradients (spring_implicit.h),
// in lanes: each lane is a point and sums over its springs in order.
//
// For a spring with elongation law k and unit direction r, the derivative of its force is
//
//     df_i = -k ((1 - l0/l) I + (l0/l) r r^T) (dx_i - dx_j),
//
// so an entry of the tangent is a number and a vector, B = a I + s s^T, with the damper's h c r r^T in s as well. A p
// does not need the diagonal blocks: (A p)_i = m_i p_i + sum B (p_i - p_j), which is exactly M p for a rigid
// translation.
#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "kinds/spring/spring_kernels.h"

enum { L = SN_LANES, ROW = SN_SPRING_ROW };

// The lanes of a part of a row.
typedef struct {
    int point; // the first
    int32_t index[SN_LANES];
} lanes_at;

SN_INLINE lanes_at lanes_of(int group, int part) {
    lanes_at at = {.point = group * ROW + part};
    for (int lane = 0; lane < L; lane++) at.index[lane] = at.point + lane;
    return at;
}

SN_INLINE v3 own(const sn_real *quads, const lanes_at *at) {
    vreal row[4];
    gather_quads(quads, 4, at->index, row);
    return (v3){row[0], row[1], row[2]};
}

SN_INLINE v3 others(const sn_real *quads, const int32_t *index) {
    vreal row[4];
    gather_quads(quads, 4, index, row);
    return (v3){row[0], row[1], row[2]};
}

SN_INLINE void write_own(sn_real *quads, const lanes_at *at, v3 value) {
    const vreal row[4] = {value.x, value.y, value.z, v_set(0)};
    scatter_quads(quads, 4, at->index, L, row);
}

// 1 / |d|, or 0 if the ends coincide: the spring then has no direction.
SN_INLINE vreal inverse_length(v3 d, vreal *length2) {
    *length2 = v3_dot(d, d);
    vmask is_long = v_less(v_set(sizeof(sn_real) == 4 ? K(1e-30) : (sn_real)1e-200), *length2);
    return v_select(is_long, K(1) / v_sqrt(v_select(is_long, *length2, v_set(1))), v_set(0));
}

// Forces on a point other than springs.
SN_INLINE v3 outer_force(const sn_spring_body *body, const lanes_at *at, v3 v) {
    vreal mass = v_load(body->mass + at->point), drag = mass * body->drag;
    v3 load = own(body->load, at);
    return (v3){load.x + mass * body->gravity.x - drag * v.x, load.y + mass * body->gravity.y - drag * v.y,
                load.z + mass * body->gravity.z - drag * v.z};
}

SN_INLINE void forces_of(sn_spring_span span, const sn_real *x, const sn_real *v, sn_real *force, bool damped) {
    const sn_spring_rows *rows = &span.body->rows;
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            const lanes_at at = lanes_of(g, part);
            v3 xi = own(x, &at), vi = own(v, &at), f = outer_force(span.body, &at, vi);
            for (int slot = rows->first[g]; slot < rows->first[g + 1]; slot++) {
                const size_t entry = (size_t)slot * ROW + (size_t)part;
                v3 d = v3_sub(others(x, rows->other + entry), xi);
                vreal length2, inverse = inverse_length(d, &length2);
                vreal pull = v_load(rows->stiffness + entry) * (K(1) - v_load(rows->rest + entry) * inverse);
                if (damped) {
                    v3 away = v3_sub(others(v, rows->other + entry), vi);
                    pull += v_load(rows->damping + entry) * v3_dot(away, d) * (inverse * inverse);
                }
                f = v3_add(f, v3_mul(pull, d));
            }
            write_own(force, &at, f);
        }
}

void SN_LANE_NAME(sn_spring_forces)(sn_spring_span span, const sn_real *x, const sn_real *v, sn_real *force);
void SN_LANE_NAME(sn_spring_forces)(sn_spring_span span, const sn_real *x, const sn_real *v, sn_real *force) {
    if (span.body->damped)
        forces_of(span, x, v, force, true);
    else
        forces_of(span, x, v, force, false);
}

void SN_LANE_NAME(sn_spring_tangent)(sn_spring_span span, sn_real h, sn_real damper, bool safe, const sn_real *target,
                                     sn_real *right);
void SN_LANE_NAME(sn_spring_tangent)(sn_spring_span span, sn_real h, sn_real damper, bool safe, const sn_real *target,
                                     sn_real *right) {
    const sn_spring_body *body = span.body;
    const sn_spring_rows *rows = &body->rows;
    const vreal zero = v_set(0), h2 = v_set(h * h);
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            const lanes_at at = lanes_of(g, part);
            v3 xi = own(body->x, &at), vi = own(body->v, &at), f = outer_force(body, &at, vi);
            v3 change = {zero, zero, zero}; // h^2 K v
            vreal m = v_load(body->mass + at.point) * (K(1) + h * body->drag);
            vreal xx = m, yy = m, zz = m, xy = zero, xz = zero, yz = zero;
            for (int slot = rows->first[g]; slot < rows->first[g + 1]; slot++) {
                const size_t entry = (size_t)slot * ROW + (size_t)part;
                v3 d = v3_sub(others(body->x, rows->other + entry), xi);
                v3 away = v3_sub(others(body->v, rows->other + entry), vi);
                vreal length2, inverse = inverse_length(d, &length2), along = v3_dot(away, d);
                vreal k = v_load(rows->stiffness + entry), c = v_load(rows->damping + entry);
                vreal share = v_load(rows->rest + entry) * inverse; // l0 / l
                vreal inverse2 = inverse * inverse;
                f = v3_add(f, v3_mul(k * (K(1) - share) + c * along * inverse2, d));
                if (safe) share = v_min(share, v_set(1)); // compressed: none across the axis, not negative
                vreal across = h2 * k * (K(1) - share), lengthwise = h2 * k * share * inverse2;
                change = v3_add(change, v3_add(v3_mul(across, away), v3_mul(lengthwise * along, d)));
                v3 s = v3_mul(v_sqrt(lengthwise + damper * c * inverse2), d);
                sn_real *to = body->tangent + ((size_t)slot * 4 * ROW + (size_t)part);
                v_store(to, across);
                v_store(to + ROW, s.x);
                v_store(to + 2 * ROW, s.y);
                v_store(to + 3 * ROW, s.z);
                xx += across + s.x * s.x, yy += across + s.y * s.y, zz += across + s.z * s.z;
                xy += s.x * s.y, xz += s.x * s.z, yz += s.y * s.z;
            }
            if (target) change = v3_mul(v_load(body->mass + at.point), v3_sub(own(target, &at), vi));
            write_own(right, &at, v3_add(v3_mul(v_set(h), f), change));
            sn_real *diagonal = body->precondition + ((size_t)g * 6 * ROW + (size_t)part);
            v_store(diagonal, xx);
            v_store(diagonal + ROW, yy);
            v_store(diagonal + 2 * ROW, zz);
            v_store(diagonal + 3 * ROW, xy);
            v_store(diagonal + 4 * ROW, xz);
            v_store(diagonal + 5 * ROW, yz);
        }
}

void SN_LANE_NAME(sn_spring_invert)(sn_spring_span span);
void SN_LANE_NAME(sn_spring_invert)(sn_spring_span span) {
    const sn_spring_body *body = span.body;
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            sn_real *m = body->precondition + ((size_t)g * 6 * ROW + (size_t)part);
            vreal xx = v_load(m), yy = v_load(m + ROW), zz = v_load(m + 2 * ROW);
            vreal xy = v_load(m + 3 * ROW), xz = v_load(m + 4 * ROW), yz = v_load(m + 5 * ROW);
            vmask held = ~v_less(v_set(0), v_load(body->inverse + g * ROW + part));
            // Scaled to a unit diagonal first: the determinant of light points' blocks would underflow.
            vreal size = K(1) / v_select(held, v_set(1), v_max(v_max(v_abs(xx), v_abs(yy)), v_abs(zz)));
            xx *= size, yy *= size, zz *= size, xy *= size, xz *= size, yz *= size;
            vreal cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
            vreal det = xx * cxx + xy * cxy + xz * cxz;
            // Without the safeguard, or for a block that rounding makes singular: the inverse of its diagonal, which is
            // positive.
            vmask poor = ~v_less(v_set(16 * SN_REAL_EPSILON), det) | ~v_less(v_set(0), xx) | ~v_less(v_set(0), cxx);
            vreal k = v_select(held, v_set(0), v_select(poor, size, size / v_select(poor, v_set(1), det)));
            v_store(m, k * v_select(poor, v_set(1), cxx));
            v_store(m + ROW, k * v_select(poor, v_set(1), xx * zz - xz * xz));
            v_store(m + 2 * ROW, k * v_select(poor, v_set(1), xx * yy - xy * xy));
            v_store(m + 3 * ROW, k * v_select(poor, v_set(0), cxy));
            v_store(m + 4 * ROW, k * v_select(poor, v_set(0), cxz));
            v_store(m + 5 * ROW, k * v_select(poor, v_set(0), xy * xz - xx * yz));
        }
}

SN_INLINE v3 preconditioned(const sn_spring_body *body, int group, int part, v3 r) {
    const sn_real *m = body->precondition + ((size_t)group * 6 * ROW + (size_t)part);
    vreal xy = v_load(m + 3 * ROW), xz = v_load(m + 4 * ROW), yz = v_load(m + 5 * ROW);
    return (v3){v_load(m) * r.x + xy * r.y + xz * r.z, xy * r.x + v_load(m + ROW) * r.y + yz * r.z,
                xz * r.x + yz * r.y + v_load(m + 2 * ROW) * r.z};
}

// The partial sum of a dot product: one number for each of the sixteen points of a group, whatever the lanes, added in
// order at the end.
typedef struct {
    vreal part[SN_SPRING_ROW / SN_LANES];
} sum;

SN_INLINE sum sum_zero(void) {
    sum s;
    for (int i = 0; i < ROW / L; i++) s.part[i] = v_set(0);
    return s;
}
SN_INLINE double sum_all(const sum *s) {
    double all = 0;
    for (int i = 0; i < ROW / L; i++)
        for (int lane = 0; lane < L; lane++) all += (double)v_lane(s->part[i], lane);
    return all;
}

double SN_LANE_NAME(sn_spring_multiply)(sn_spring_span span, sn_real h, const sn_real *from, sn_real *to);
double SN_LANE_NAME(sn_spring_multiply)(sn_spring_span span, sn_real h, const sn_real *from, sn_real *to) {
    const sn_spring_body *body = span.body;
    const sn_spring_rows *rows = &body->rows;
    sum dot = sum_zero();
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            const lanes_at at = lanes_of(g, part);
            v3 p = own(from, &at), q = v3_mul(v_load(body->mass + at.point) * (K(1) + h * body->drag), p);
            for (int slot = rows->first[g]; slot < rows->first[g + 1]; slot++) {
                const sn_real *b = body->tangent + ((size_t)slot * 4 * ROW + (size_t)part);
                v3 u = v3_sub(p, others(from, rows->other + ((size_t)slot * ROW + (size_t)part)));
                v3 s = {v_load(b + ROW), v_load(b + 2 * ROW), v_load(b + 3 * ROW)};
                q = v3_add(q, v3_add(v3_mul(v_load(b), u), v3_mul(v3_dot(s, u), s)));
            }
            write_own(to, &at, q);
            dot.part[part / L] += v3_dot(p, q);
        }
    return sum_all(&dot);
}

void SN_LANE_NAME(sn_spring_residual)(sn_spring_span span, const sn_real *right, sn_real *r, sn_real *q, double out[2]);
void SN_LANE_NAME(sn_spring_residual)(sn_spring_span span, const sn_real *right, sn_real *r, sn_real *q,
                                      double out[2]) {
    sum whole = sum_zero(), rest = sum_zero();
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            const lanes_at at = lanes_of(g, part);
            v3 b = own(right, &at), left = v3_sub(b, own(q, &at));
            v3 z = preconditioned(span.body, g, part, left);
            whole.part[part / L] += v3_dot(b, preconditioned(span.body, g, part, b));
            rest.part[part / L] += v3_dot(left, z);
            write_own(r, &at, left);
            write_own(q, &at, z);
        }
    out[0] = sum_all(&whole), out[1] = sum_all(&rest);
}

double SN_LANE_NAME(sn_spring_update)(sn_spring_span span, sn_real a, const sn_real *p, sn_real *u, sn_real *r,
                                      sn_real *q);
double SN_LANE_NAME(sn_spring_update)(sn_spring_span span, sn_real a, const sn_real *p, sn_real *u, sn_real *r,
                                      sn_real *q) {
    sum dot = sum_zero();
    const vreal step = v_set(a);
    // Quads as stored, for operations number by number; then transposed to lanes for the blocks.
    for (size_t i = (size_t)span.begin * 4 * ROW; i < (size_t)span.end * 4 * ROW; i += L) {
        v_store(u + i, v_load(u + i) + step * v_load(p + i));
        v_store(r + i, v_load(r + i) - step * v_load(q + i));
    }
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            const lanes_at at = lanes_of(g, part);
            v3 left = own(r, &at), z = preconditioned(span.body, g, part, left);
            dot.part[part / L] += v3_dot(left, z);
            write_own(q, &at, z);
        }
    return sum_all(&dot);
}

void SN_LANE_NAME(sn_spring_direction)(sn_spring_span span, sn_real b, const sn_real *q, const int32_t *of,
                                       const sn_real *motion, sn_real *p);
void SN_LANE_NAME(sn_spring_direction)(sn_spring_span span, sn_real b, const sn_real *q, const int32_t *of,
                                       const sn_real *motion, sn_real *p) {
    const vreal keep = v_set(b);
    if (!motion) {
        for (size_t i = (size_t)span.begin * 4 * ROW; i < (size_t)span.end * 4 * ROW; i += L)
            v_store(p + i, v_load(q + i) + keep * v_load(p + i));
        return;
    }
    for (int g = span.begin; g < span.end; g++)
        for (int part = 0; part < ROW; part += L) {
            const lanes_at at = lanes_of(g, part);
            const vmask is_free = v_less(v_set(0), v_load(span.body->inverse + at.point));
            const v3 still = {v_set(0), v_set(0), v_set(0)},
                     along = v3_select(is_free, others(motion, of + at.point), still);
            write_own(p, &at, v3_add(v3_add(own(q, &at), along), v3_mul(keep, own(p, &at))));
        }
}
