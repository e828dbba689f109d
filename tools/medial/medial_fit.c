// Least-squares fit of the spheres. A sample p has the signed distance d = |p - c| - r to the sphere (c, r) of the mesh
// that reaches farthest towards it, an interpolation of two or three spheres with weights w. When these move by (dc,
// dr) the distance becomes, to first order,
//
//     d - sum of w (n . dc + dr),        n = (p - c) / |p - c|
//
// (the weights may be held fixed, since d is stationary with respect to them). The sum of squares is reduced by a few
// damped Gauss-Newton steps, each solved by conjugate gradients. Distances outside are weighted more than those inside,
// since enclosing them later enlarges everything around.
#include "medial/medial_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double outside_weight = 4;
static const double damping = 0.05; // times the mean diagonal

typedef struct {
    int sphere[3];
    double along[3][4]; // w (n, 1) of each
    double d, weight;
    sn_medial_hit hit;
} row;

// y = (J^T W J + l) x
static void apply(const row *rows, int count, double l, const double (*x)[4], double (*y)[4], int spheres) {
    for (int i = 0; i < spheres; i++)
        for (int k = 0; k < 4; k++) y[i][k] = l * x[i][k];
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        double sum = 0;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) sum += r->along[j][k] * x[r->sphere[j]][k];
        sum *= r->weight;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) y[r->sphere[j]][k] += r->along[j][k] * sum;
    }
}

static double product(const double (*x)[4], const double (*y)[4], int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) sum += x[i][k] * y[i][k];
    return sum;
}

// Conjugate gradients with a Jacobi preconditioner. 'space' holds five vectors; the result is in the first.
static void solve(const row *rows, int count, double l, const double (*diagonal)[4], const double (*b)[4],
                  double (*space)[4], int n, int steps) {
    double(*x)[4] = space, (*r)[4] = x + n, (*z)[4] = r + n, (*p)[4] = z + n, (*q)[4] = p + n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            x[i][k] = 0;
            r[i][k] = b[i][k];
            p[i][k] = z[i][k] = r[i][k] / diagonal[i][k];
        }
    double rz = product((const double(*)[4])r, (const double(*)[4])z, n);
    const double enough = 1e-8 * rz;
    for (int step = 0; step < steps && rz > enough; step++) {
        apply(rows, count, l, (const double(*)[4])p, q, n);
        const double pq = product((const double(*)[4])p, (const double(*)[4])q, n);
        if (!(pq > 0)) break;
        const double alpha = rz / pq, before = rz;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 4; k++) {
                x[i][k] += alpha * p[i][k];
                r[i][k] -= alpha * q[i][k];
                z[i][k] = r[i][k] / diagonal[i][k];
            }
        rz = product((const double(*)[4])r, (const double(*)[4])z, n);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 4; k++) p[i][k] = z[i][k] + rz / before * p[i][k];
    }
}

// Linearises at the current mesh. Returns the weighted sum of squares; negative: out of memory.
static double make_rows(const sn_medial_mesh *mesh, const medial_samples *samples, row *rows, bool again) {
    sn_medial_field *field = sn_medial_field_make(mesh);
    double sum = 0;
    if (!field) return -1;
    for (int i = 0; i < samples->count; i++) {
        row *r = &rows[i];
        double n[3], length = 0;
        r->d = again ? sn_medial_field_reevaluate(field, samples->point[i], &r->hit)
                     : sn_medial_field_evaluate(field, samples->point[i], &r->hit);
        const sn_medial_hit hit = r->hit;
        for (int k = 0; k < 3; k++) {
            n[k] = samples->point[i][k];
            for (int j = 0; j < 3; j++) n[k] -= hit.weight[j] * mesh->centre[hit.sphere[j]][k];
            length += n[k] * n[k];
        }
        length = sqrt(length);
        for (int j = 0; j < 3; j++) {
            r->sphere[j] = hit.sphere[j];
            for (int k = 0; k < 3; k++) r->along[j][k] = length > 0 ? hit.weight[j] * n[k] / length : 0;
            r->along[j][3] = hit.weight[j];
        }
        r->weight = r->d > 0 ? outside_weight : 1;
        sum += r->weight * r->d * r->d;
    }
    sn_medial_field_free(field);
    return sum;
}

bool medial_fit(sn_medial_mesh *mesh, const medial_samples *samples, int rounds) {
    const int n = mesh->sphere_count;
    if (n == 0 || samples->count == 0) return true;
    row *rows = malloc((size_t)samples->count * sizeof *rows);
    double(*b)[4] = malloc((size_t)n * sizeof *b), (*diagonal)[4] = malloc((size_t)n * sizeof *diagonal);
    double(*space)[4] = malloc(5 * (size_t)n * sizeof *space), (*old)[4] = malloc((size_t)n * sizeof *old);
    bool good = rows && b && diagonal && space && old;
    double error = good ? make_rows(mesh, samples, rows, false) : -1, damp = damping;
    good = good && error >= 0;
    for (int round = 0; round < rounds && good; round++) {
        double trace = 0;
        memset(b, 0, (size_t)n * sizeof *b);
        memset(diagonal, 0, (size_t)n * sizeof *diagonal);
        for (int i = 0; i < samples->count; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 4; k++) {
                    const double x = rows[i].along[j][k] * rows[i].weight;
                    b[rows[i].sphere[j]][k] += x * rows[i].d;
                    diagonal[rows[i].sphere[j]][k] += x * rows[i].along[j][k];
                    trace += x * rows[i].along[j][k];
                }
        const double l = damp * trace / (4.0 * n) + 1e-12;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 4; k++) diagonal[i][k] += l;
        solve(rows, samples->count, l, (const double(*)[4])diagonal, (const double(*)[4])b, space, n, 40);
        for (int i = 0; i < n; i++) {
            memcpy(old[i], mesh->centre[i], sizeof *mesh->centre);
            old[i][3] = mesh->radius[i];
            double length = 0, max_distance = 0.5 * mesh->radius[i] + 0.005; // limit the step
            for (int k = 0; k < 4; k++) length += space[i][k] * space[i][k];
            const double scale = length > max_distance * max_distance ? max_distance / sqrt(length) : 1;
            for (int k = 0; k < 3; k++) mesh->centre[i][k] += scale * space[i][k];
            mesh->radius[i] = fmax(0.1 * mesh->radius[i], mesh->radius[i] + scale * space[i][3]);
        }
        const double now = make_rows(mesh, samples, rows, true);
        good = now >= 0;
        if (now < error) {
            if (now > 0.98 * error) round = rounds; // converged
            error = now;
            damp = fmax(0.3 * damp, 1e-3);
        } else {
            damp *= 8;
            for (int i = 0; i < n; i++) {
                memcpy(mesh->centre[i], old[i], sizeof *mesh->centre);
                mesh->radius[i] = old[i][3];
            }
            good = good && make_rows(mesh, samples, rows, true) >= 0;
        }
    }
    free(rows);
    free(b);
    free(diagonal);
    free(space);
    free(old);
    return good;
}
