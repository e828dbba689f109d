// Implicit Euler for the chain, with one Newton step for all of its points at once. A segment of stiffness k, length d,
// rest length l0 and direction n has the force and stiffness matrix
//
//     F = k (d - l0) n,     K = k [g I + (1 - g) n n^T],     g = max(0, 1 - l0/d),
//
// and the displacements x of the points solve the block tridiagonal system (3 x 3 blocks; y: inertial prediction)
//
//     (m_i/h^2 + K_i-1 + K_i) x_i - K_i-1 x_i-1 - K_i x_i+1 = -m_i (p_i - y_i)/h^2 + F_i - F_i-1.
//
// Most of the transverse stiffness comes from tension, g k. With constraints, solved one by one or directly in their
// multipliers, it would depend on the step and the number of iterations.
//
// The lowest mode of the chain oscillates with w^2 = mode * g k. Implicit Euler lowers its frequency and damps it. Both
// effects are known exactly: with H = (h w')^2 for the stiffness used and velocities scaled by v, amplitudes obey
//
//     (1 + H) z^2 - (1 + v) z + v = 0,     |z|^2 = v / (1 + H),     2 |z| cos(arg z) = (1 + v) / (1 + H),
//
// so the requested motion, arg z = w h and |z|^2 = D = exp(-c h), needs
//
//     1 + H = 1 / (2 sqrt(D) cos(w h) - D),     v = D (1 + H).
//
// v must be <= 1. If implicit Euler alone damps more than requested, v = 1 and H = tan^2(w h).
#include "kinds/implicit_muscle/muscle_chain.h"
#include "base/math/trig.h"

// Numbers per point in the solver: the inverse of its block (6), the block to the next point (6), the right side (3).
enum { BLOCK = 15 };

sn_status sn_muscle_chain_init(sn_muscle_chain *chain, sn_memory *memory, int points) {
    *chain = (sn_muscle_chain){.points = points};
    const size_t n = (size_t)points;
    chain->mass = sn_alloc(memory, n, sizeof *chain->mass);
    chain->rest = sn_alloc(memory, n, sizeof *chain->rest);
    chain->stiff = sn_alloc(memory, n, sizeof *chain->stiff);
    chain->work = sn_alloc(memory, n * BLOCK, sizeof *chain->work);
    if (chain->mass && chain->rest && chain->stiff && chain->work) return SN_OK;
    sn_muscle_chain_free(chain, memory);
    return SN_ERR_MEMORY;
}

void sn_muscle_chain_free(sn_muscle_chain *chain, sn_memory *memory) {
    const size_t n = (size_t)chain->points;
    sn_free(memory, chain->mass, n, sizeof *chain->mass);
    sn_free(memory, chain->rest, n, sizeof *chain->rest);
    sn_free(memory, chain->stiff, n, sizeof *chain->stiff);
    sn_free(memory, chain->work, n * BLOCK, sizeof *chain->work);
    *chain = (sn_muscle_chain){0};
}

// The lowest eigenvalue of M^-1 L, where L x = 2 x_i - x_i-1 - x_i+1 is a chain of unit transverse stiffness. Inverse
// iteration with a tridiagonal solve each.
static double lowest_mode(const sn_muscle_chain *chain) {
    const int inner = chain->points - 2;
    double *x = chain->work, *c = x + chain->points, *y = c + chain->points, value = 0;
    if (inner < 1) return 1;
    for (int i = 0; i < inner; i++) x[i] = 1;
    for (int iteration = 0; iteration < 40; iteration++) {
        double over = 0, under = 0;
        for (int i = 0; i < inner; i++) {
            const double pivot = 1 / (2 - (i > 0 ? c[i - 1] : 0));
            const double right = (double)chain->mass[i + 1] * x[i] + (i > 0 ? y[i - 1] : 0);
            c[i] = pivot, y[i] = right * pivot;
        }
        for (int i = inner - 2; i >= 0; --i) y[i] += c[i] * y[i + 1];
        for (int i = 0; i < inner; i++) { // L y = M x: the Rayleigh quotient of y
            over += (double)chain->mass[i + 1] * x[i] * y[i];
            under += (double)chain->mass[i + 1] * y[i] * y[i];
        }
        value = over / under;
        const double norm = 1 / __builtin_sqrt(under);
        for (int i = 0; i < inner; i++) x[i] = y[i] * norm;
    }
    return value;
}

void sn_muscle_chain_build(sn_muscle_chain *chain, const sn_vec3 *axis, const sn_real *thickness, sn_real mass,
                           sn_real slack, sn_real tendon) {
    const int last = chain->points - 1;
    double length = 0, at = 0, thick = 0, all = 0;
    for (int i = 0; i < last; i++) length += (double)sn_length(sn_sub(axis[i + 1], axis[i]));
    for (int i = 1; i < last; i++) thick += (double)thickness[i];
    // Points where the muscle is thin would be almost massless: use at least a twentieth of the mean.
    for (int i = 1; i < last; i++) {
        const double share = thick > 0 ? (double)thickness[i] / thick * (last - 1) : 1;
        chain->mass[i] = (sn_real)(share > 0.05 ? share : 0.05);
        all += (double)chain->mass[i];
    }
    for (int i = 1; i < last; i++) chain->mass[i] *= (sn_real)((double)mass / all);
    chain->mass[0] = chain->mass[last] = 0;
    chain->slack = slack;
    for (int i = 0; i < last; i++) {
        const double d = (double)sn_length(sn_sub(axis[i + 1], axis[i]));
        const double middle = length > 0 ? (at + 0.5 * d) / length : 0.5;
        const bool stiff = middle < (double)tendon || middle > 1 - (double)tendon;
        chain->rest[i] = (sn_real)d * (stiff ? 1 : slack);
        chain->stiff[i] = stiff ? 100 : 1;
        at += d;
    }
    chain->mode = (sn_real)lowest_mode(chain);
}

sn_muscle_tuning sn_muscle_chain_tune(const sn_muscle_chain *chain, sn_real hertz, sn_real c, sn_real h) {
    // More than a radian per step cannot be resolved; the muscle is then as stiff as the step allows.
    sn_real sine, cosine;
    const sn_real angle = sn_min(2 * SN_PI * hertz * h, 1), root = sn_exp((sn_real)-0.5 * c * h);
    sn_sincos(angle, &sine, &cosine);
    sn_real big, scale; // 1 + H; v
    if (root <= cosine) {
        big = 1 / (2 * root * cosine - root * root);
        scale = root * root * big;
    } else {
        big = 1 / (cosine * cosine);
        scale = 1;
    }
    // Near H = 0 the subtraction loses all precision; there H is w^2 h^2 (+ c^2 h^2 / 4) to well within a percent.
    sn_real square = big - 1;
    const sn_real plain = angle * angle + (sn_real)0.25 * c * c * h * h;
    if (plain < (sn_real)1e-3) square = plain;
    return (sn_muscle_tuning){square / (h * h * chain->mode * (1 - chain->slack)), sn_min(scale, 1)};
}

// Symmetric 3 x 3 matrices: xx yy zz xy xz yz.
static void invert(const double m[6], double out[6]) {
    const double a = m[1] * m[2] - m[5] * m[5], b = m[4] * m[5] - m[3] * m[2], c = m[3] * m[5] - m[4] * m[1];
    const double k = 1 / (m[0] * a + m[3] * b + m[4] * c);
    out[0] = k * a, out[3] = k * b, out[4] = k * c;
    out[1] = k * (m[0] * m[2] - m[4] * m[4]);
    out[2] = k * (m[0] * m[1] - m[3] * m[3]);
    out[5] = k * (m[3] * m[4] - m[0] * m[5]);
}

static void times(const double m[6], const double v[3], double out[3]) {
    out[0] = m[0] * v[0] + m[3] * v[1] + m[4] * v[2];
    out[1] = m[3] * v[0] + m[1] * v[1] + m[5] * v[2];
    out[2] = m[4] * v[0] + m[5] * v[1] + m[2] * v[2];
}

// a b a for symmetric a and b, which is symmetric.
static void sandwich(const double a[6], const double b[6], double out[6]) {
    double column[3][3], t[3], r[3];
    const double e[3][3] = {{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}};
    for (int k = 0; k < 3; k++) {
        times(b, e[k], t);
        times(a, t, r);
        for (int i = 0; i < 3; i++) column[k][i] = r[i];
    }
    out[0] = column[0][0], out[1] = column[1][1], out[2] = column[2][2];
    out[3] = column[1][0], out[4] = column[2][0], out[5] = column[2][1];
}

void sn_muscle_chain_solve(const sn_muscle_chain *chain, sn_real stiffness, sn_real h, const sn_vec3 *predicted,
                           sn_vec3 *p) {
    const int last = chain->points - 1;
    const double inverse_h2 = 1 / ((double)h * (double)h);
    double block[6] = {0}, force[3] = {0}; // of the previous segment
    for (int i = 0; i < last; i++) {
        const double e[3] = {(double)(p[i + 1].x - p[i].x), (double)(p[i + 1].y - p[i].y),
                             (double)(p[i + 1].z - p[i].z)};
        const double d = __builtin_sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), over = d > 0 ? 1 / d : 0;
        const double n[3] = {e[0] * over, e[1] * over, e[2] * over};
        const double k = (double)(stiffness * chain->stiff[i]), l0 = (double)chain->rest[i];
        double g = 1 - l0 * over;
        if (g < 0 || d == 0) g = 0;
        const double side = k * g, along = k * (1 - g);
        const double own[6] = {side + along * n[0] * n[0], side + along * n[1] * n[1], side + along * n[2] * n[2],
                               along * n[0] * n[1],        along * n[0] * n[2],        along * n[1] * n[2]};
        const double pull[3] = {k * (d - l0) * n[0], k * (d - l0) * n[1], k * (d - l0) * n[2]};
        double *work = chain->work + i * BLOCK;
        if (i > 0) {
            const double m = (double)chain->mass[i] * inverse_h2;
            double diagonal[6], right[3] = {m * (double)(predicted[i].x - p[i].x) + pull[0] - force[0],
                                            m * (double)(predicted[i].y - p[i].y) + pull[1] - force[1],
                                            m * (double)(predicted[i].z - p[i].z) + pull[2] - force[2]};
            for (int c = 0; c < 6; c++) diagonal[c] = block[c] + own[c] + (c < 3 ? m : 0);
            if (i > 1) { // eliminate the previous point
                const double *before = work - BLOCK;
                double less[6], t[3], r[3];
                sandwich(block, before, less);
                for (int c = 0; c < 6; c++) diagonal[c] -= less[c];
                times(before, before + 12, t);
                times(block, t, r);
                for (int c = 0; c < 3; c++) right[c] += r[c];
            }
            invert(diagonal, work);
            for (int c = 0; c < 6; c++) work[6 + c] = own[c];
            for (int c = 0; c < 3; c++) work[12 + c] = right[c];
        }
        for (int c = 0; c < 6; c++) block[c] = own[c];
        for (int c = 0; c < 3; c++) force[c] = pull[c];
    }
    double next[3] = {0};
    for (int i = last - 1; i > 0; --i) {
        const double *work = chain->work + i * BLOCK;
        double right[3], x[3], t[3];
        times(work + 6, next, t);
        for (int c = 0; c < 3; c++) right[c] = work[12 + c] + (i < last - 1 ? t[c] : 0);
        times(work, right, x);
        p[i].x += (sn_real)x[0], p[i].y += (sn_real)x[1], p[i].z += (sn_real)x[2];
        for (int c = 0; c < 3; c++) next[c] = x[c];
    }
}

double sn_muscle_chain_energy(const sn_muscle_chain *chain, sn_real stiffness, const sn_vec3 *p) {
    double energy = 0;
    for (int i = 0; i + 1 < chain->points; i++) {
        const double over = (double)(sn_length(sn_sub(p[i + 1], p[i])) - chain->rest[i]);
        energy += 0.5 * (double)(stiffness * chain->stiff[i]) * over * over;
    }
    return energy;
}
