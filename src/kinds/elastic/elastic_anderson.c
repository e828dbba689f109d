// See elastic_anderson.h. The history is a ring of differences; the newest has index (history_count - 1) mod m.
#include "kinds/elastic/elastic_anderson.h"
#include "kinds/elastic/elastic_internal.h"
#include <string.h>

enum { DF, DG, DR, DIFFERENCES };

static sn_real *difference(const sn_elastic_body *b, int slot, int part) {
    return b->history + (size_t)(slot * DIFFERENCES + part) * 3 * (size_t)b->space->columns;
}
static sn_real *last(const sn_elastic_body *b, int part) {
    return difference(b, b->def.anderson_window, part);
}
static sn_real *now(const sn_elastic_body *b) {
    return difference(b, b->def.anderson_window + 1, 0);
}

static double dot(const sn_real *a, const sn_real *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

void sn_anderson_record_gradient(sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    sn_real *to = now(b);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < s->columns; c++)
            to[k * s->columns + c] = b->right[k * b->row_stride + s->reduced.row_of_column[c]];
}

void sn_anderson_solve(int width, double *m, double *t, int n, double tiny) {
    bool dropped[SN_ANDERSON_SOLVE_MAX];
    for (int i = 0; i < n; i++) {
        double *row = m + i * width;
        const double was = row[i];
        for (int j = 0; j <= i; j++) {
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * m[j * width + k];
            if (j < i)
                row[j] = dropped[j] ? 0 : sum / m[j * width + j];
            else
                dropped[i] = !(sum > tiny * was), row[i] = dropped[i] ? 1 : __builtin_sqrt(sum);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) t[i] -= m[i * width + k] * t[k];
        t[i] = dropped[i] ? 0 : t[i] / m[i * width + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; k++) t[i] -= m[k * width + i] * t[k];
        t[i] = dropped[i] ? 0 : t[i] / m[i * width + i];
    }
}

bool sn_anderson_backtrack(sn_elastic_body *b, double energy) {
    const size_t count = 3 * (size_t)b->space->columns;
    const bool projective = sn_elastic_is_projective(b);
    // Without slack, rounding would stop the other materials before they converge.
    const double slack = projective ? 0 : (sizeof(sn_real) == 4 ? 1e-6 : 1e-13) * __builtin_fabs(b->last_energy);
    if (b->history_count <= (projective ? 1 : 0) || energy <= b->last_energy + slack) return false;
    if (!projective && b->history_count == 1) b->step_scale *= (sn_real)0.5; // even the unaccelerated step was too long
    for (size_t i = 0; i < count; i++) b->q[i] = last(b, DG)[i] - (1 - b->step_scale) * last(b, DF)[i];
    b->history_count = projective ? 0 : 1;
    return true;
}

void sn_anderson_revert(sn_elastic_body *b) {
    for (size_t i = 0; i < 3 * (size_t)b->space->columns; i++) b->q[i] = last(b, DG)[i] - last(b, DF)[i];
    b->history_count = 0;
}

void sn_anderson_step(sn_elastic_body *b, double energy) {
    const size_t count = 3 * (size_t)b->space->columns;
    const int window = b->def.anderson_window;
    sn_real *f = b->change, *r = now(b), *q = b->q;
    if (sn_anderson_backtrack(b, energy)) return;
    b->last_energy = energy, b->step_scale = 1;
    if (b->history_count > 0) {
        const int slot = (b->history_count - 1) % window;
        sn_real *df = difference(b, slot, DF), *dg = difference(b, slot, DG), *dr = difference(b, slot, DR);
        for (size_t i = 0; i < count; i++) {
            df[i] = f[i] - last(b, DF)[i];
            dg[i] = (q[i] + f[i]) - last(b, DG)[i];
            dr[i] = r[i] - last(b, DR)[i];
        }
    }
    memcpy(last(b, DF), f, count * sizeof *f);
    memcpy(last(b, DR), r, count * sizeof *r);
    for (size_t i = 0; i < count; i++) last(b, DG)[i] = q[i] += f[i];
    const int n = b->history_count < window ? b->history_count : window;
    b->history_count++;
    double m[SN_ANDERSON_MAX][SN_ANDERSON_MAX], t[SN_ANDERSON_MAX];
    for (int i = 0; i < n; i++) {
        // Newest first, so that older ones are dropped if they are linearly dependent.
        const int a = (b->history_count - 2 - i) % window;
        t[i] = dot(difference(b, a, DF), r, count);
        for (int j = 0; j <= i; j++)
            m[i][j] = dot(difference(b, a, DF), difference(b, (b->history_count - 2 - j) % window, DR), count);
    }
    sn_anderson_solve(SN_ANDERSON_MAX, &m[0][0], t, n, 1e-6);
    for (int i = 0; i < n; i++) {
        const sn_real *dg = difference(b, (b->history_count - 2 - i) % window, DG), k = (sn_real)t[i];
        for (size_t c = 0; c < count; c++) q[c] -= k * dg[c];
    }
}
