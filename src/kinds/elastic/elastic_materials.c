// Isotropic materials: Psi depends only on the singular values s of F = U diag(s) V^T. With I1 = |F|^2,
// I2 = (I1^2 - |F^T F|^2) / 2 and J = det F:
//
//     projective        mu sum (s_i - 1)^2 + 3/2 lambda sum (s_i - d_i)^2,  d the closest with d_1 d_2 d_3 = 1
//     corotational      mu sum (s_i - 1)^2 + lambda/2 (sum (s_i - 1))^2
//     StVK              mu |E|^2 + lambda/2 (tr E)^2,  E = (F^T F - 1) / 2
//     Neo-Hookean       mu/2 (I1 - 3) - mu (J - 1) + k/2 (J - 1)^2,                          k = lambda + mu
//     Mooney-Rivlin     c10 (I1 - 3) + c01 (I2 - 3) - (2 c10 + 4 c01)(J - 1) + k/2 (J - 1)^2, k = lambda + 2 c10
//     Arruda-Boyce      f(I1) - f(3) - 2 f'(3) (J - 1) + k/2 (J - 1)^2,                      k = lambda + mu - 4 f''(3)
//                       f the five-term series of the inverse Langevin function, 2 f'(3) = mu
//
// The last three are polynomials in J, not in its logarithm: they are finite for flat and inverted elements and bitwise
// the same on every platform. The terms in J - 1 make the stress vanish at rest, and k is chosen such that the second
// derivatives there are those of linear elasticity: with s_i = 1 + e_i, I1 - 3 - 2 (J - 1) is
// 2 sum e^2 - (sum e)^2 and I2 - 3 - 4 (J - 1) is 2 sum e^2, to second order.
//
// The tangent is block diagonal in the axes of U and V (Stomakhin et al. 2012; Smith et al. 2019): the 3 x 3 matrix
// d2Psi/ds_i ds_j for changes of s, and for each pair i < j two numbers, for the symmetric and the antisymmetric part
// of the two off-diagonal elements,
//
//     (Psi_i - Psi_j) / (s_i - s_j)      and      (Psi_i + Psi_j) / (s_i + s_j).
//
// To make it definite, set their negative eigenvalues to 0.
#include "kinds/elastic/elastic_materials.h"
#include "base/math/jacobi.h"
#include "kinds/elastic/elastic_project.h"

const char *sn_elastic_law_name(sn_elastic_law law) {
    static const char *const names[SN_LAW_COUNT] = {"projective",  "corotational",  "stvk",
                                                    "neo-hookean", "mooney-rivlin", "arruda-boyce"};
    return (unsigned)law < SN_LAW_COUNT ? names[law] : NULL;
}

// The sum of c[i] x^(i+1), or its first or second derivative.
static double series_at(const double c[5], double x, int derivative) {
    double sum = 0;
    for (int i = 4; i >= (derivative == 2 ? 1 : 0); --i)
        sum = sum * x + c[i] * (derivative == 0 ? 1 : derivative == 1 ? i + 1 : (i + 1) * i);
    return derivative == 0 ? sum * x : sum;
}

bool sn_hyper_init(sn_elastic_law model, double young, double poisson, double parameter, sn_hyper *out) {
    if ((unsigned)model >= SN_LAW_COUNT || !(young > 0 && young < 1e30) || !(poisson > -1 && poisson < 0.5) ||
        (model == SN_LAW_PROJECTIVE && poisson < 0))
        return false;
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    sn_hyper m = {.model = model, .mu = mu, .lambda = lambda};
    if (model == SN_LAW_NEO_HOOKEAN) {
        m.c10 = mu / 2, m.slope = -mu, m.spring = lambda + mu;
    } else if (model == SN_LAW_MOONEY_RIVLIN) {
        const double part = parameter == 0 ? 0.8 : parameter;
        if (!(part > 0 && part <= 1)) return false;
        m.c10 = part * mu / 2, m.c01 = (1 - part) * mu / 2;
        m.slope = -(2 * m.c10 + 4 * m.c01), m.spring = lambda + 2 * m.c10;
    } else if (model == SN_LAW_ARRUDA_BOYCE) {
        static const double chain[5] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
        const double lock = parameter == 0 ? 3 : parameter;
        if (!(lock > 1 && lock < 1e3)) return false;
        double power = 1;
        for (int i = 0; i < 5; ++i, power /= lock * lock) m.series[i] = chain[i] * power;
        const double scale = mu / (2 * series_at(m.series, 3, 1));
        for (int i = 0; i < 5; i++) m.series[i] *= scale;
        m.slope = -mu, m.spring = lambda + mu - 4 * series_at(m.series, 3, 2);
    }
    *out = m;
    return true;
}

// I1 - 3 = 2 tr E and I2 - 3 = 4 tr E + 4 I2(E); f's Taylor series about 3 has the powers.
bool sn_hyper_get_series(const sn_hyper *m, sn_hyper_series *out) {
    *out = (sn_hyper_series){.strain = -m->slope, .volume = m->spring};
    switch (m->model) {
    case SN_LAW_STVK: // |E|^2 = (tr E)^2 - 2 I2(E)
        *out = (sn_hyper_series){.cross = -2 * m->mu, .power[0] = m->mu + 0.5 * m->lambda};
        return true;
    case SN_LAW_NEO_HOOKEAN:
        return true;
    case SN_LAW_MOONEY_RIVLIN:
        out->cross = 4 * m->c01;
        return true;
    case SN_LAW_ARRUDA_BOYCE:
        for (int i = 1; i < 5; i++) { // I1^(i+1) = (3 + 2 tr E)^(i+1)
            double chosen = 1;        // i + 1 over n
            for (int n = 0; n <= i + 1; n++) {
                double product = m->series[i] * chosen;
                for (int k = 0; k < i + 1; k++) product *= k < n ? 2 : 3;
                if (n >= 2) out->power[n - 2] += product;
                chosen *= (double)(i + 1 - n) / (n + 1);
            }
        }
        return true;
    default:
        return false;
    }
}

// ---- in singular values

typedef struct {
    double energy, d[3], dd[3][3];
} by_stretch;

// The terms in J: slope (J - 1) + spring / 2 (J - 1)^2.
static void add_volume(const sn_hyper *m, const double s[3], by_stretch *out) {
    const double j = s[0] * s[1] * s[2], first = m->slope + m->spring * (j - 1);
    out->energy += (m->slope + 0.5 * m->spring * (j - 1)) * (j - 1);
    const double c[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int a = 0; a < 3; a++) {
        out->d[a] += first * c[a];
        for (int b = 0; b < 3; b++) out->dd[a][b] += m->spring * c[a] * c[b] + (a == b ? 0 : first * s[3 - a - b]);
    }
}

// Adds a function of I1, given its value and two derivatives.
static void add_first_invariant(double value, double first, double second, const double s[3], by_stretch *out) {
    out->energy += value;
    for (int a = 0; a < 3; a++) {
        out->d[a] += first * 2 * s[a];
        for (int b = 0; b < 3; b++) out->dd[a][b] += second * 4 * s[a] * s[b] + (a == b ? 2 * first : 0);
    }
}

static void add_second_invariant(double c, const double s[3], by_stretch *out) {
    const double q[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]}, all = q[0] + q[1] + q[2];
    out->energy += c * (q[0] * q[1] + q[1] * q[2] + q[2] * q[0] - 3);
    for (int a = 0; a < 3; a++) {
        out->d[a] += c * 2 * s[a] * (all - q[a]);
        for (int b = 0; b < 3; b++) out->dd[a][b] += c * (a == b ? 2 * (all - q[a]) : 4 * s[a] * s[b]);
    }
}

// d satisfies s - d = t (1/d_1, 1/d_2, 1/d_3), so a change of s by e changes it by w (e - t' /d) with w = 1/(1 - t/d^2)
// and t' such that the product stays 1.
static void add_projective(const sn_hyper *m, const double s[3], by_stretch *out) {
    double d[3], c[3], w[3], t = 0, sum = 0, all = 0;
    sn_elastic_unit_volume(s, d);
    for (int a = 0; a < 3; a++) c[a] = 1 / d[a], t += (s[a] - d[a]) * c[a], all += c[a] * c[a];
    t /= all;
    for (int a = 0; a < 3; a++) {
        const double under = 1 - t * c[a] * c[a];
        w[a] = 1 / (__builtin_fabs(under) > 1e-9 ? under : 1e-9);
        sum += w[a] * c[a] * c[a];
    }
    for (int a = 0; a < 3; a++) {
        const double stretch = s[a] - 1, press = s[a] - d[a];
        out->energy += m->mu * stretch * stretch + 1.5 * m->lambda * press * press;
        out->d[a] += 2 * m->mu * stretch + 3 * m->lambda * press;
        for (int b = 0; b < 3; b++) {
            const double follows = (a == b ? w[a] : 0) - w[a] * c[a] * c[b] * w[b] / sum;
            out->dd[a][b] += (a == b ? 2 * m->mu + 3 * m->lambda : 0) - 3 * m->lambda * follows;
        }
    }
}

static void evaluate(const sn_hyper *m, const double s[3], by_stretch *out) {
    *out = (by_stretch){0};
    const double i1 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    switch (m->model) {
    case SN_LAW_PROJECTIVE:
        add_projective(m, s, out);
        break;
    case SN_LAW_COROTATIONAL: {
        const double trace = s[0] + s[1] + s[2] - 3;
        out->energy = 0.5 * m->lambda * trace * trace;
        for (int a = 0; a < 3; a++) {
            out->energy += m->mu * (s[a] - 1) * (s[a] - 1);
            out->d[a] = 2 * m->mu * (s[a] - 1) + m->lambda * trace;
            for (int b = 0; b < 3; b++) out->dd[a][b] = m->lambda + (a == b ? 2 * m->mu : 0);
        }
        break;
    }
    case SN_LAW_STVK: {
        const double trace = 0.5 * (i1 - 3);
        out->energy = 0.5 * m->lambda * trace * trace;
        for (int a = 0; a < 3; a++) {
            const double e = 0.5 * (s[a] * s[a] - 1);
            out->energy += m->mu * e * e;
            out->d[a] = s[a] * (2 * m->mu * e + m->lambda * trace);
            for (int b = 0; b < 3; b++)
                out->dd[a][b] =
                    m->lambda * s[a] * s[b] + (a == b ? 2 * m->mu * (e + s[a] * s[a]) + m->lambda * trace : 0);
        }
        break;
    }
    case SN_LAW_ARRUDA_BOYCE:
        add_first_invariant(series_at(m->series, i1, 0) - series_at(m->series, 3, 0), series_at(m->series, i1, 1),
                            series_at(m->series, i1, 2), s, out);
        add_volume(m, s, out);
        break;
    default: // Neo-Hookean is Mooney-Rivlin without c01
        add_first_invariant(m->c10 * (i1 - 3), m->c10, 0, s, out);
        if (m->c01 != 0) add_second_invariant(m->c01, s, out);
        add_volume(m, s, out);
        break;
    }
}

// ---- singular values

// Rotates columns p and q of a, and of v, so that they are orthogonal (Hestenes' one-sided Jacobi).
static bool rotate_columns(double a[9], double v[9], int p, int q) {
    double pp = 0, qq = 0, pq = 0;
    for (int i = 0; i < 3; i++) {
        pp += a[3 * i + p] * a[3 * i + p];
        qq += a[3 * i + q] * a[3 * i + q];
        pq += a[3 * i + p] * a[3 * i + q];
    }
    if (pq * pq <= 1e-32 * pp * qq) return false;
    const double z = (qq - pp) / (2 * pq), root = __builtin_sqrt(1 + z * z);
    const double t = z >= 0 ? 1 / (z + root) : -1 / (root - z), c = 1 / __builtin_sqrt(1 + t * t), s = c * t;
    for (int i = 0; i < 3; i++) {
        double x = a[3 * i + p], y = a[3 * i + q];
        a[3 * i + p] = c * x - s * y, a[3 * i + q] = s * x + c * y;
        x = v[3 * i + p], y = v[3 * i + q];
        v[3 * i + p] = c * x - s * y, v[3 * i + q] = s * x + c * y;
    }
    return true;
}

static void swap_columns(double a[9], int p, int q, double sign) {
    for (int i = 0; i < 3; i++) {
        const double x = a[3 * i + p];
        a[3 * i + p] = a[3 * i + q], a[3 * i + q] = sign * x;
    }
}

static double column_length(const double a[9], int k) {
    return __builtin_sqrt(a[k] * a[k] + a[3 + k] * a[3 + k] + a[6 + k] * a[6 + k]);
}

// Sets column `to` to the cross product of two others.
static void cross_columns(double u[9], int a, int b, int to) {
    u[to] = u[3 + a] * u[6 + b] - u[6 + a] * u[3 + b];
    u[3 + to] = u[6 + a] * u[b] - u[a] * u[6 + b];
    u[6 + to] = u[a] * u[3 + b] - u[3 + a] * u[b];
}

// Sets column 1 to a unit vector orthogonal to column 0.
static void set_orthogonal(double u[9]) {
    int smallest = 0;
    for (int i = 1; i < 3; i++)
        if (__builtin_fabs(u[3 * i]) < __builtin_fabs(u[3 * smallest])) smallest = i;
    const double along = u[3 * smallest];
    for (int i = 0; i < 3; i++) u[3 * i + 1] = (i == smallest ? 1 : 0) - along * u[3 * i];
    const double length = column_length(u, 1);
    for (int i = 0; i < 3; i++) u[3 * i + 1] /= length;
}

void sn_hyper_svd(const double f[9], double u[9], double s[3], double v[9]) {
    double a[9], length[3];
    for (int i = 0; i < 9; i++) a[i] = f[i], v[i] = i % 4 == 0;
    for (int sweep = 0; sweep < 12; sweep++) {
        const bool x = rotate_columns(a, v, 0, 1), y = rotate_columns(a, v, 0, 2), z = rotate_columns(a, v, 1, 2);
        if (!x && !y && !z) break;
    }
    for (int k = 0; k < 3; k++) length[k] = column_length(a, k);
    for (int k = 0; k < 2; k++) // sort descending; swapping with a sign keeps v a rotation
        for (int i = 0; i < 2; i++) {
            if (length[i] >= length[i + 1]) continue;
            const double x = length[i];
            length[i] = length[i + 1], length[i + 1] = x;
            swap_columns(a, i, i + 1, -1), swap_columns(v, i, i + 1, -1);
        }
    // The third axis follows from the others, and so does the sign of its singular value.
    const double small = 1e-14 * length[0];
    for (int i = 0; i < 3; i++) u[3 * i] = length[0] > 0 ? a[3 * i] / length[0] : i == 0;
    if (length[1] > small) {
        double along = 0;
        for (int i = 0; i < 3; i++) along += u[3 * i] * a[3 * i + 1];
        for (int i = 0; i < 3; i++) u[3 * i + 1] = a[3 * i + 1] - along * u[3 * i];
        const double rest = column_length(u, 1);
        for (int i = 0; i < 3; i++) u[3 * i + 1] /= rest;
    } else
        set_orthogonal(u);
    cross_columns(u, 0, 1, 2);
    s[0] = length[0], s[1] = length[1];
    s[2] = u[2] * a[2] + u[5] * a[5] + u[8] * a[8];
}

// ---- back to F

double sn_hyper_energy(const sn_hyper *m, const double f[9]) {
    double u[9], s[3], v[9];
    by_stretch at;
    sn_hyper_svd(f, u, s, v);
    evaluate(m, s, &at);
    return at.energy;
}

static void stress_of(const by_stretch *at, const double u[9], const double v[9], double stress[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += u[3 * i + k] * at->d[k] * v[3 * j + k];
            stress[3 * i + j] = sum;
        }
}

void sn_hyper_stress(const sn_hyper *m, const double f[9], double stress[9]) {
    double u[9], s[3], v[9];
    by_stretch at;
    sn_hyper_svd(f, u, s, v);
    evaluate(m, s, &at);
    stress_of(&at, u, v, stress);
}

// Eigenvalues and eigenvectors (columns of q) of a symmetric matrix by Jacobi rotations.
static void eigen(double a[3][3], double q[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) q[i][j] = i == j;
    for (int sweep = 0; sweep < 16; sweep++) {
        const double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        const double all = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if (off <= 1e-32 * all) return;
        for (int p = 0; p < 2; p++)
            for (int r = p + 1; r < 3; r++) sn_jacobi_rotate(3, *a, *q, p, r);
    }
}

static void make_definite(double a[3][3]) {
    double q[3][3], d[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d[i][j] = a[i][j];
    eigen(d, q);
    if (d[0][0] >= 0 && d[1][1] >= 0 && d[2][2] >= 0) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            a[i][j] = 0;
            for (int k = 0; k < 3; k++) a[i][j] += d[k][k] > 0 ? q[i][k] * d[k][k] * q[j][k] : 0;
        }
}

// The two numbers of a pair. Where the divisor vanishes, the first has a limit. The second has none (the element is
// being inverted) and is replaced by a large finite number.
static void pair_of(const by_stretch *at, const double s[3], int i, int j, bool definite, double out[2]) {
    const double gap = s[i] - s[j], sum = s[i] + s[j], size = __builtin_fabs(s[i]) + __builtin_fabs(s[j]) + 1e-30;
    out[0] = __builtin_fabs(gap) > 1e-6 * size ? (at->d[i] - at->d[j]) / gap
                                               : 0.5 * (at->dd[i][i] + at->dd[j][j]) - at->dd[i][j];
    const double min = 1e-6 * (size + 1);
    out[1] = (at->d[i] + at->d[j]) / (__builtin_fabs(sum) > min ? sum : sum >= 0 ? min : -min);
    for (int k = 0; k < 2 && definite; k++) out[k] = out[k] > 0 ? out[k] : 0;
}

void sn_hyper_tangent(const sn_hyper *m, const double f[9], bool definite, double tangent[81], double stress[9],
                      double *energy) {
    double u[9], s[3], v[9], inner[9][9] = {{0}};
    by_stretch at;
    sn_hyper_svd(f, u, s, v);
    evaluate(m, s, &at);
    if (energy) *energy = at.energy;
    if (stress) stress_of(&at, u, v, stress);
    double stretch[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) stretch[i][j] = at.dd[i][j];
    if (definite) make_definite(stretch);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inner[4 * i][4 * j] = stretch[i][j];
    for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++) {
            double pair[2];
            pair_of(&at, s, i, j, definite, pair);
            const int a = 3 * i + j, b = 3 * j + i;
            inner[a][a] = inner[b][b] = 0.5 * (pair[0] + pair[1]);
            inner[a][b] = inner[b][a] = 0.5 * (pair[0] - pair[1]);
        }
    // dF in the axes is U^T dF V: column kl of `basis` is element kl in F.
    double basis[9][9], half[9][9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) basis[3 * i + j][3 * k + l] = u[3 * i + k] * v[3 * j + l];
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++) {
            double sum = 0;
            for (int c = 0; c < 9; c++) sum += basis[a][c] * inner[c][b];
            half[a][b] = sum;
        }
    for (int a = 0; a < 9; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int c = 0; c < 9; c++) sum += half[a][c] * basis[b][c];
            tangent[9 * a + b] = tangent[9 * b + a] = sum;
        }
}
