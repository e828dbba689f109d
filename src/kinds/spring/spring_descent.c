// Implicit Euler without gain. One linear solve finds the minimum of the substep's potential only where the forces are nearly
// linear and the solver has converged; with stiffness spread over many magnitudes it may end far above where it began. A step
//
//     x = x0 + h v        must have        K(v) + U(x) <= K(v0) + U(x0)
//
// with held points where they are driven and loads in U. One that has not is shortened but for the motion as a whole,
//
//     x = x0 + h V + a (h v - h V)        V: mean velocity of a free body, else 0;    a = 1/2, 1/4, ...
//
// which ends, since for a = 0 nothing is stretched more than before and less kinetic energy is left, and keeps momentum. From there a
// few more of Newton's iterations are tried, as long as they keep to it.
#include "kinds/spring/spring_system.h"
#include "kinds/spring/spring_volume.h"
#include <math.h>
#include <string.h>

enum { HALVINGS = 24, NEWTON_MORE = 3 };
#define TOLERANCE 1e-3 // of the energies before

typedef struct {
    const sn_spring_body *body;
    const sn_real *x, *v;
} state;

static double square(const sn_real *a, const sn_real *b) {
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += ((double)b[k] - (double)a[k]) * ((double)b[k] - (double)a[k]);
    return sum;
}

// A chunk's share of K + U, and of what of it is never negative.
static void energy_task(void *context, int chunk, int worker) {
    const state *at = context;
    const sn_spring_body *body = at->body;
    const double g[3] = {(double)body->gravity.x, (double)body->gravity.y, (double)body->gravity.z};
    double own = 0, outer = 0;
    (void)worker;
    const int points = sn_spring_chunk_end(body, chunk) < body->count ? sn_spring_chunk_end(body, chunk) : body->count;
    for (int i = chunk * SN_SPRING_CHUNK; i < points; i++) {
        const double m = (double)body->mass[i];
        for (size_t k = 4 * (size_t)i, end = k + 3; m > 0 && k < end; k++) {
            own += 0.5 * m * (double)at->v[k] * (double)at->v[k];
            outer -= (m * g[k % 4] + (double)body->load[k]) * (double)at->x[k];
        }
    }
    const int64_t springs = body->spring_count, tets = sn_spring_has_volumes(body) ? body->volumes.count : 0;
    for (int64_t s = springs * chunk / body->chunks; s < springs * (chunk + 1) / body->chunks; s++) {
        const int entry = body->rows.entry[2 * s];
        const double length =
            sqrt(square(at->x + 4 * (size_t)body->springs[s].a, at->x + 4 * (size_t)body->springs[s].b));
        const double longer = length - (double)body->rows.rest[entry];
        own += 0.5 * (double)body->rows.stiffness[entry] * longer * longer;
    }
    for (int64_t t = tets * chunk / body->chunks; t < tets * (chunk + 1) / body->chunks; t++) {
        sn_vec3 corner[4];
        for (int k = 0; k < 4; k++) corner[k] = sn_spring_quad(at->x, body->volumes.corner[t][k]);
        const double rest = (double)body->volumes.rest[t], more = (double)sn_spring_tet_volume(corner) - rest;
        own += 0.5 * (double)body->volumes.bulk * more * more / rest;
    }
    body->partial[2 * chunk] = own + outer, body->partial[2 * chunk + 1] = own;
}

// K + U of a state, loads among U; 'own': K and the springs' part of U.
static double energy_of(const sn_spring_body *body, const sn_real *x, const sn_real *v, double *own, sn_pool *pool) {
    state at = {body, x, v};
    double sum = 0;
    *own = 0;
    sn_spring_run(body, pool, energy_task, &at);
    for (int c = 0; c < body->chunks; c++) sum += body->partial[2 * c], *own += body->partial[2 * c + 1];
    return sum;
}

// By how much energies are off because coordinates are rounded.
static double rounding_of(const sn_spring_body *body, double own) {
    double size = 0, stiff = 0;
    for (int i = 0; i < body->count; i++) size = fmax(size, (double)sn_length2(sn_spring_point(body, i)));
    for (int s = 0; s < body->spring_count; s++) stiff += (double)body->rows.stiffness[body->rows.entry[2 * s]];
    const double digit = (double)SN_REAL_EPSILON, noise = stiff * digit * digit * size;
    return 2 * sqrt(own * noise) + noise;
}

static sn_vec3 mean_velocity(const sn_spring_body *body) {
    double sum[3] = {0, 0, 0}, mass = 0;
    for (int i = 0; i < body->count; i++) {
        if (!(body->inverse[i] > 0)) return (sn_vec3){0, 0, 0};
        for (size_t k = 0; k < 3; k++) sum[k] += (double)body->mass[i] * (double)body->v[4 * (size_t)i + k];
        mass += (double)body->mass[i];
    }
    return (sn_vec3){(sn_real)(sum[0] / mass), (sn_real)(sum[1] / mass), (sn_real)(sum[2] / mass)};
}

// Halves the motion of free points, but for the mean.
static void halve(const sn_springs_body *b, sn_vec3 mean, sn_real h, sn_real share) {
    sn_spring_body *body = b->body;
    for (int i = 0; i < body->count; i++) {
        if (!(body->inverse[i] > 0)) continue;
        const sn_vec3 v = sn_add(mean, sn_mul(share, sn_sub(sn_spring_velocity(body, i), mean)));
        sn_spring_set_quad(body->v, i, v);
        sn_spring_set_quad(body->x, i, sn_add(sn_spring_quad(b->start, i), sn_mul(h, v)));
    }
}

static bool is_above(const sn_spring_body *body, double allowed, sn_pool *pool) {
    double own;
    return !(energy_of(body, body->x, body->v, &own, pool) <= allowed);
}

void sn_springs_descend(sn_springs_body *b, sn_real h, sn_pool *pool) {
    sn_spring_body *body = b->body;
    const size_t bytes = 4 * (size_t)body->padded * sizeof(sn_real);
    // The start, with held points where they are driven.
    sn_real *x0 = body->scratch[4], *x = body->scratch[5], *v = body->scratch[6];
    memcpy(x0, b->start, bytes);
    for (int k = 0; k < b->held_count; k++) sn_spring_set_quad(x0, b->held[k], sn_spring_point(body, b->held[k]));
    double own;
    double allowed = energy_of(body, x0, b->target, &own, pool);
    allowed += TOLERANCE * own;
    if (!is_above(body, allowed, pool)) return;
    allowed += rounding_of(body, own);
    if (!is_above(body, allowed, pool)) return;
    const sn_vec3 mean = sn_spring_is_finite(body) ? mean_velocity(body) : (sn_vec3){0, 0, 0};
    for (int k = 0; k <= HALVINGS && is_above(body, allowed, pool); k++)
        halve(b, mean, h, k < HALVINGS ? (sn_real)0.5 : 0);
    for (int k = 0; k < NEWTON_MORE; k++) {
        memcpy(x, body->x, bytes), memcpy(v, body->v, bytes);
        sn_spring_implicit_again(body, h, b->target, &b->solver, pool);
        if (sn_spring_is_finite(body) && !is_above(body, allowed, pool)) continue;
        memcpy(body->x, x, bytes), memcpy(body->v, v, bytes);
        break;
    }
    memset(body->gain, 0, bytes); // no start for the next solve
}
