// See accelerate.h. The past is a ring of differences; the newest is number (past_count - 1) mod m.
#include "kinds/elastic/elastic_accelerate.h"
#include "kinds/elastic/elastic_run.h"
#include <string.h>

enum { DF, DG, DR, PARTS };

static sn_real *difference(const sn_elastic_body *b, int slot, int part) {
    return b->past + (size_t)(slot * PARTS + part) * 3 * (size_t)b->space->columns;
}
static sn_real *last(const sn_elastic_body *b, int part) {
    return difference(b, b->def.memory, part);
}
static sn_real *now(const sn_elastic_body *b) {
    return difference(b, b->def.memory + 1, 0);
}

static double dot(const sn_real *a, const sn_real *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

void sn_elastic_remember(sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    sn_real *to = now(b);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < s->columns; c++) to[k * s->columns + c] = b->right[k * b->row_stride + s->reduced.where[c]];
}

void sn_elastic_least(int width, double *m, double *t, int n, double tiny) {
    bool out[SN_ELASTIC_LEAST_MOST];
    for (int i = 0; i < n; i++) {
        double *row = m + i * width;
        const double was = row[i];
        for (int j = 0; j <= i; j++) {
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * m[j * width + k];
            if (j < i)
                row[j] = out[j] ? 0 : sum / m[j * width + j];
            else
                out[i] = !(sum > tiny * was), row[i] = out[i] ? 1 : __builtin_sqrt(sum);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) t[i] -= m[i * width + k] * t[k];
        t[i] = out[i] ? 0 : t[i] / m[i * width + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; k++) t[i] -= m[k * width + i] * t[k];
        t[i] = out[i] ? 0 : t[i] / m[i * width + i];
    }
}

bool sn_elastic_step_back(sn_elastic_body *b, double energy) {
    const size_t count = 3 * (size_t)b->space->columns;
    const bool projective = sn_elastic_is_projective(b);
    // (rounding alone would stop the others short of the end)
    const double slack = projective ? 0 : (sizeof(sn_real) == 4 ? 1e-6 : 1e-13) * __builtin_fabs(b->past_energy);
    if (b->past_count <= (projective ? 1 : 0) || energy <= b->past_energy + slack) return false;
    if (!projective && b->past_count == 1) b->back *= (sn_real)0.5; // even the plain step was too long
    for (size_t i = 0; i < count; i++) b->q[i] = last(b, DG)[i] - (1 - b->back) * last(b, DF)[i];
    b->past_count = projective ? 0 : 1;
    return true;
}

void sn_elastic_give_up(sn_elastic_body *b) {
    for (size_t i = 0; i < 3 * (size_t)b->space->columns; i++) b->q[i] = last(b, DG)[i] - last(b, DF)[i];
    b->past_count = 0;
}

void sn_elastic_accelerate(sn_elastic_body *b, double energy) {
    const size_t count = 3 * (size_t)b->space->columns;
    const int most = b->def.memory;
    sn_real *f = b->change, *r = now(b), *q = b->q;
    if (sn_elastic_step_back(b, energy)) return;
    b->past_energy = energy, b->back = 1;
    if (b->past_count > 0) {
        const int slot = (b->past_count - 1) % most;
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
    const int n = b->past_count < most ? b->past_count : most;
    b->past_count++;
    double m[SN_ELASTIC_MEMORY][SN_ELASTIC_MEMORY], t[SN_ELASTIC_MEMORY];
    for (int i = 0; i < n; i++) {
        // (k-th newest first, so that old ones are left out if they repeat it)
        const int a = (b->past_count - 2 - i) % most;
        t[i] = dot(difference(b, a, DF), r, count);
        for (int j = 0; j <= i; j++)
            m[i][j] = dot(difference(b, a, DF), difference(b, (b->past_count - 2 - j) % most, DR), count);
    }
    sn_elastic_least(SN_ELASTIC_MEMORY, &m[0][0], t, n, 1e-6);
    for (int i = 0; i < n; i++) {
        const sn_real *dg = difference(b, (b->past_count - 2 - i) % most, DG), k = (sn_real)t[i];
        for (size_t c = 0; c < count; c++) q[c] -= k * dg[c];
    }
}
