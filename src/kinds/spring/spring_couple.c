// Implicit mass-spring bodies in the common solve (base/solve.h). The potential of a substep, whose minimum is implicit
// Euler:
//
//     E(x) = sum m/(2 h^2) |x - x0 - h w - h^2 (g + load/m)|^2 + m drag/(2 h) |x - x0|^2       points
//          + sum k/2 (l - l0)^2 + c/(2 h) (r . (dx_b - dx_a))^2                                springs, dx = x - x0
//          + sum bulk/2 (V - V0)^2 / V0                                                        tetrahedra
//
// w is the velocity at the start; a damper acts along r where E was linearised. The gradient and the matrix are those of
// a further Newton step (spring_implicit.h), in positions instead of velocities: with its right side b and its matrix A,
//
//     -grad E = b / h          Hess E = A / h^2
//
// A is not factored. M has its 3 x 3 diagonal blocks and the couplings' stiffness N of nodes: good for fast motion
// between neighbours. Slow motion is there from the start, since the state begins where the body's own solver came to
// without couplings. Mp is the true product,
//
//     Mp = (A / h^2 + N) p - f,        f: the part of p's constraint forces (SN_COUPLE_CORRECT)
//
// so that couplings subtract N as of any other nodal body. The state is the body's x and v themselves. Sums are over
// chunks of fixed size in a fixed order.
#include "base/solve.h"
#include "kinds/spring/spring_kernels.h"
#include "kinds/spring/spring_system.h"
#include "kinds/spring/spring_volume.h"
#include <math.h>
#include <string.h>

enum { LARGE = 3, ROW = SN_SPRING_ROW };

// Explicit integrators do not react.
bool sn_springs_couples(void *system, int slot) {
    const sn_springs_body *b = sn_springs_in(system, slot);
    return b && b->integrator == SN_SPRING_IMPLICIT_EULER;
}

// Vectors, in the scratch of the body's own solver, which is done.
enum { R, R_OLD, Z, P, MP, D, Z_FORCE, P_FORCE, TRIAL };
_Static_assert((int)TRIAL < (int)SN_SPRING_SCRATCH, "the body has scratch for all vectors");

typedef struct {
    sn_springs_body *b;
    sn_spring_body *body;
    const sn_solve *solve;
    sn_pool *pool;
    int number, slot, island; // slot: of its first point
    sn_real h;
    bool with_force;
    const sn_real *at; // positions that energy is measured at
    sn_real scalar;
} job;

static sn_real *vector(const job *j, int which) {
    return j->body->scratch[which];
}
static sn_vec3 get(const job *j, int which, int i) {
    return sn_spring_quad(j->body->scratch[which], i);
}
static void put(const job *j, int which, int i, sn_vec3 v) {
    sn_spring_set_quad(j->body->scratch[which], i, v);
}
static sn_vec3 force_on(const job *j, int i) {
    return sn_spring_quad(j->solve->force, j->slot + i);
}
static void set_step(const job *j, int i, sn_vec3 v) {
    sn_spring_set_quad(j->solve->step, j->slot + i, v);
}
static sn_spring_span span_of(const sn_spring_body *body, int chunk) {
    return (sn_spring_span){body, chunk * SN_SPRING_CHUNK / ROW, sn_spring_chunk_end(body, chunk) / ROW};
}
static int end_of(const sn_spring_body *body, int chunk) {
    const int end = sn_spring_chunk_end(body, chunk);
    return end < body->count ? end : body->count;
}
#define EACH_POINT(i, body, chunk) for (int i = (chunk)*SN_SPRING_CHUNK, end_ = end_of(body, chunk); i < end_; i++)

static void run(job *j, sn_iteration_fn *fn) {
    sn_spring_run(j->body, j->pool, fn, j);
}
static double total(const sn_spring_body *body, int which) {
    double sum = 0;
    for (int c = 0; c < body->chunks; c++) sum += body->partial[2 * c + which];
    return sum;
}
static double largest(const sn_spring_body *body, int which) {
    double max = 0;
    for (int c = 0; c < body->chunks; c++) max = sn_max(max, body->partial[2 * c + which]);
    return max;
}

// ---- energy

// What a chunk's share of points, springs and tetrahedra has, and the sum of their stiffness.
static void energy_task(void *context, int chunk, int worker) {
    const job *j = context;
    const sn_springs_body *b = j->b;
    const sn_spring_body *body = j->body;
    const double h = (double)j->h, inv_h2 = 1 / (h * h);
    const double g[3] = {(double)body->gravity.x, (double)body->gravity.y, (double)body->gravity.z};
    double energy = 0, stiff = 0;
    (void)worker;
    EACH_POINT(i, body, chunk) {
        const double m = (double)body->mass[i];
        if (!(m > 0)) continue;
        for (size_t k = 0; k < 3; k++) {
            const size_t at = 4 * (size_t)i + k;
            const double moved = (double)j->at[at] - (double)b->start[at];
            const double off = moved - h * (double)b->target[at] - h * h * (g[k] + (double)body->load[at] / m);
            energy += 0.5 * m * (inv_h2 * off * off + (double)body->drag / h * moved * moved);
        }
        stiff += inv_h2 * m;
    }
    const int64_t springs = body->spring_count, tets = sn_spring_has_volumes(body) ? body->volumes.count : 0;
    for (int64_t s = springs * chunk / body->chunks; s < springs * (chunk + 1) / body->chunks; s++) {
        const size_t xa = 4 * (size_t)body->springs[s].a, xb = 4 * (size_t)body->springs[s].b;
        const int entry = body->rows.entry[2 * s];
        const double k = (double)body->rows.stiffness[entry], c = (double)body->rows.damping[entry];
        double length2 = 0, then2 = 0, rate = 0;
        for (size_t n = 0; n < 3; n++) {
            const double d = (double)j->at[xb + n] - (double)j->at[xa + n];
            const double then = (double)body->x[xb + n] - (double)body->x[xa + n];
            const double start = (double)b->start[xb + n] - (double)b->start[xa + n];
            length2 += d * d, then2 += then * then;
            rate += then * (d - start);
        }
        const double longer = sqrt(length2) - (double)body->rows.rest[entry];
        energy += 0.5 * k * longer * longer;
        if (c > 0 && then2 > 0) energy += 0.5 * c / h * rate * rate / then2;
        stiff += k + c / h;
    }
    for (int64_t t = tets * chunk / body->chunks; t < tets * (chunk + 1) / body->chunks; t++) {
        sn_vec3 corner[4];
        for (int k = 0; k < 4; k++) corner[k] = sn_spring_quad(j->at, body->volumes.corner[t][k]);
        const double rest = (double)body->volumes.rest[t], more = (double)sn_spring_tet_volume(corner) - rest;
        energy += 0.5 * (double)body->volumes.bulk * more * more / rest;
    }
    body->partial[2 * chunk] = energy, body->partial[2 * chunk + 1] = stiff;
}

// Coordinates are rounded by e at random, so that energy is off by about 2 sqrt(E N / n) + N for n points, with N the sum
// of k e^2 / 2.
static void measure_energy(job *j, const sn_real *at, double size) {
    j->at = at;
    run(j, energy_task);
    const double energy = total(j->body, 0), digit = (double)SN_REAL_EPSILON * size;
    const double noise = 0.5 * total(j->body, 1) * digit * digit;
    j->solve->energy[j->number] = (sn_real)energy;
    j->solve->noise[j->number] = (sn_real)(2 * sqrt(energy * noise / j->body->count) + noise);
}

// Held points do not count: they go where they are driven.
static void measure_start(job *j) {
    const sn_spring_body *body = j->body;
    for (int i = 0; i < body->count; i++)
        put(j, TRIAL, i, sn_spring_quad(body->inverse[i] > 0 ? j->b->start : body->x, i));
    measure_energy(j, vector(j, TRIAL), 0);
}

// ---- linearisation

static void add_node_stiffness(const job *j, int i) {
    static const int from[6] = {0, 4, 7, 1, 2, 5}; // xx yy zz xy xz yz
    const sn_real *n = j->solve->node_stiffness + (size_t)(j->slot + i) * SN_NODE_STIFFNESS;
    sn_real *block = j->body->precondition + ((size_t)(i / ROW) * 6 * ROW + (size_t)(i % ROW));
    for (int k = 0; k < 6; k++) block[k * ROW] += j->h * j->h * n[from[k]];
}

static void linearise_task(void *context, int chunk, int worker) {
    const job *j = context;
    sn_spring_body *body = j->body;
    const int begin = chunk * SN_SPRING_CHUNK, end = sn_spring_chunk_end(body, chunk);
    (void)worker;
    body->kernels->tangent(span_of(body, chunk), j->h, j->h, true, j->b->target, body->force);
    if (sn_spring_has_volumes(body)) {
        sn_spring_volume_add(body, begin, end, NULL, body->force);
        sn_spring_volume_diagonal(body, begin, end, j->h);
    }
    EACH_POINT(i, body, chunk) add_node_stiffness(j, i);
    body->kernels->invert(span_of(body, chunk));
    for (int k = 0; k <= (int)P_FORCE; k++)
        memset(vector(j, k) + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(sn_real));
    const sn_real rate = 1 / j->h;
    EACH_POINT(i, body, chunk) put(j, R, i, sn_add(sn_mul(rate, sn_spring_quad(body->force, i)), force_on(j, i)));
}

static void linearise(job *j) {
    if (sn_spring_has_volumes(j->body)) sn_spring_volume_impulses(j->body, j->body->x, NULL, j->h, j->pool);
    run(j, linearise_task);
    measure_energy(j, j->body->x, 0);
}

// ---- the inner iteration

// M^-1 r of a point.
static sn_vec3 preconditioned(const job *j, int i, sn_vec3 r) {
    const sn_real *m = j->body->precondition + ((size_t)(i / ROW) * 6 * ROW + (size_t)(i % ROW)), h2 = j->h * j->h;
    return sn_v3(h2 * (m[0] * r.x + m[3 * ROW] * r.y + m[4 * ROW] * r.z),
                 h2 * (m[3 * ROW] * r.x + m[ROW] * r.y + m[5 * ROW] * r.z),
                 h2 * (m[4 * ROW] * r.x + m[5 * ROW] * r.y + m[2 * ROW] * r.z));
}

static void precondition_task(void *context, int chunk, int worker) {
    const job *j = context;
    const sn_vec3 zero = sn_v3(0, 0, 0);
    (void)worker;
    EACH_POINT(i, j->body, chunk) {
        const sn_vec3 f = j->with_force ? force_on(j, i) : zero;
        put(j, Z_FORCE, i, f);
        put(j, Z, i, preconditioned(j, i, sn_add(get(j, R, i), f)));
        set_step(j, i, get(j, Z, i));
    }
}

static void column_task(void *context, int chunk, int worker) {
    const job *j = context;
    (void)worker;
    EACH_POINT(i, j->body, chunk) set_step(j, i, preconditioned(j, i, force_on(j, i)));
}

static void products_task(void *context, int chunk, int worker) {
    const job *j = context;
    double rz = 0, old = 0;
    (void)worker;
    EACH_POINT(i, j->body, chunk) {
        const sn_vec3 z = get(j, Z, i);
        rz += (double)sn_dot(get(j, R, i), z), old += (double)sn_dot(get(j, R_OLD, i), z);
    }
    j->body->partial[2 * chunk] = rz, j->body->partial[2 * chunk + 1] = old;
}

static void direction_task(void *context, int chunk, int worker) {
    const job *j = context;
    const sn_real beta = j->scalar;
    (void)worker;
    EACH_POINT(i, j->body, chunk) {
        put(j, P, i, sn_mul_add(get(j, Z, i), beta, get(j, P, i)));
        put(j, P_FORCE, i, sn_mul_add(get(j, Z_FORCE, i), beta, get(j, P_FORCE, i)));
        set_step(j, i, get(j, P, i));
    }
}

static void shift_task(void *context, int chunk, int worker) {
    const job *j = context;
    (void)worker;
    EACH_POINT(i, j->body, chunk) {
        put(j, P_FORCE, i, force_on(j, i));
        put(j, P, i, preconditioned(j, i, force_on(j, i)));
        set_step(j, i, get(j, P, i));
    }
}

static void multiply_task(void *context, int chunk, int worker) {
    const job *j = context;
    const sn_spring_body *body = j->body;
    const sn_real inv_h2 = 1 / (j->h * j->h);
    double pmp = 0, pr = 0;
    (void)worker;
    body->kernels->multiply(span_of(body, chunk), j->h, vector(j, P), vector(j, MP));
    if (sn_spring_has_volumes(body))
        sn_spring_volume_add(body, chunk * SN_SPRING_CHUNK, sn_spring_chunk_end(body, chunk), NULL, vector(j, MP));
    EACH_POINT(i, body, chunk) {
        const sn_real *n = j->solve->node_stiffness + (size_t)(j->slot + i) * SN_NODE_STIFFNESS;
        const sn_vec3 p = get(j, P, i);
        const sn_vec3 np = {n[0] * p.x + n[1] * p.y + n[2] * p.z, n[1] * p.x + n[4] * p.y + n[5] * p.z,
                            n[2] * p.x + n[5] * p.y + n[7] * p.z};
        const sn_vec3 mp = sn_sub(sn_mul_add(np, inv_h2, get(j, MP, i)), get(j, P_FORCE, i));
        put(j, MP, i, mp);
        pmp += (double)sn_dot(p, mp), pr += (double)sn_dot(p, get(j, R, i));
    }
    body->partial[2 * chunk] = pmp, body->partial[2 * chunk + 1] = pr;
}

static void multiply(job *j) {
    if (sn_spring_has_volumes(j->body)) sn_spring_volume_spread(j->body, vector(j, P), j->h, j->pool);
    run(j, multiply_task);
    j->solve->pmp[j->number] = (sn_real)total(j->body, 0);
    j->solve->pr[j->number] = (sn_real)total(j->body, 1);
}

static void advance_task(void *context, int chunk, int worker) {
    const job *j = context;
    const sn_real alpha = j->scalar;
    (void)worker;
    EACH_POINT(i, j->body, chunk) {
        const sn_vec3 r = get(j, R, i);
        put(j, R_OLD, i, r);
        put(j, D, i, sn_mul_add(get(j, D, i), alpha, get(j, P, i)));
        put(j, R, i, sn_mul_add(sn_add(r, force_on(j, i)), -alpha, get(j, MP, i)));
    }
}

// ---- moving

static void move_task(void *context, int chunk, int worker) {
    const job *j = context;
    const sn_real share = j->scalar;
    sn_real far2 = 0, size2 = 0;
    (void)worker;
    EACH_POINT(i, j->body, chunk) {
        const sn_vec3 d = sn_mul(share, get(j, D, i)), x = sn_add(sn_spring_point(j->body, i), d);
        put(j, TRIAL, i, x);
        set_step(j, i, d);
        far2 = sn_max(far2, sn_length2(d)), size2 = sn_max(size2, sn_length2(x));
    }
    j->body->partial[2 * chunk] = (double)far2, j->body->partial[2 * chunk + 1] = (double)size2;
}

static void move(job *j) {
    run(j, move_task);
    j->solve->displacement[j->number] = (sn_real)(sqrt(largest(j->body, 0)) / (double)j->b->radius);
    measure_energy(j, vector(j, TRIAL), sqrt(largest(j->body, 1)));
}

static void accept(const job *j, sn_real share) {
    if (!(share > 0)) return;
    const sn_real rate = share / j->h;
    for (int i = 0; i < j->body->count; i++) {
        sn_spring_add_quad(j->body->v, i, sn_mul(rate, get(j, D, i)));
        sn_spring_set_quad(j->body->x, i, get(j, TRIAL, i));
    }
}

// What couplings moved it by: mass times the way of its points, less that of their own momentum and of forces on
// them.
static void measure_received(const job *j) {
    const sn_spring_body *body = j->body;
    double *out = j->solve->received + 4 * (size_t)j->number;
    const double h = (double)j->h, drag = 1 + h * (double)body->drag;
    const double g[3] = {(double)body->gravity.x, (double)body->gravity.y, (double)body->gravity.z};
    for (int k = 0; k < 4; k++) out[k] = 0;
    for (int i = 0; i < body->count; i++) {
        const double m = (double)body->mass[i];
        for (size_t k = 0; k < 3; k++) {
            const size_t at = 4 * (size_t)i + k;
            const double moved = j->solve->failed[j->island] ? 0 : h * (double)body->v[at];
            out[k] += m * (drag * moved - h * (double)j->b->target[at] - h * h * g[k]) - h * h * (double)body->load[at];
        }
        out[3] += body->inverse[i] > 0 ? drag * m : INFINITY;
    }
}

// Back to the start, at rest. A body that is not finite is left to 'finish'.
static void stay(const job *j) {
    sn_spring_body *body = j->body;
    if (!sn_spring_is_finite(body)) return;
    for (int i = 0; i < body->count; i++) {
        if (!(body->inverse[i] > 0)) continue;
        sn_spring_set_quad(body->x, i, sn_spring_quad(j->b->start, i));
        sn_spring_set_quad(body->v, i, sn_v3(0, 0, 0));
    }
    memset(body->gain, 0, 4 * (size_t)body->padded * sizeof(sn_real));
}

static void end(const job *j) {
    sn_spring_body *body = j->body;
    const double *balance = j->solve->balance + 3 * (size_t)j->island;
    const sn_vec3 more = {(sn_real)balance[0], (sn_real)balance[1], (sn_real)balance[2]};
    if (j->solve->failed[j->island]) {
        stay(j);
        return;
    }
    for (int i = 0; i < body->count; i++) {
        if (!(body->inverse[i] > 0)) continue;
        sn_spring_add_quad(body->x, i, more);
        sn_spring_add_quad(body->v, i, sn_mul(1 / j->h, more));
    }
    sn_springs_constrain(j->b, j->h);
}

// ---- operations

// What islands that have converged leave out.
static bool is_of_iteration(sn_couple_op op) {
    return op == SN_COUPLE_LINEARISE || op == SN_COUPLE_PRECONDITION || op == SN_COUPLE_CORRECT ||
           op == SN_COUPLE_PRODUCTS || op == SN_COUPLE_DIRECTION || op == SN_COUPLE_MOVE || op == SN_COUPLE_ACCEPT;
}

static void couple_body(job *j, sn_couple_op op) {
    const sn_solve *solve = j->solve;
    const bool iterating = solve->iterating[j->island];
    if (!iterating && is_of_iteration(op)) return;
    switch (op) {
    case SN_COUPLE_BEGIN:
    case SN_COUPLE_KINETIC:
        break;
    case SN_COUPLE_LINEARISE:
        linearise(j);
        break;
    case SN_COUPLE_PRECONDITION:
    case SN_COUPLE_CORRECT:
        j->with_force = op == SN_COUPLE_CORRECT;
        run(j, precondition_task);
        break;
    case SN_COUPLE_COLUMN:
        run(j, column_task);
        break;
    case SN_COUPLE_PRODUCTS:
        run(j, products_task);
        solve->rz[j->number] = (sn_real)total(j->body, 0);
        solve->rz_old[j->number] = (sn_real)total(j->body, 1);
        break;
    case SN_COUPLE_SHIFT:
        run(j, shift_task);
        multiply(j);
        break;
    case SN_COUPLE_DIRECTION:
        j->scalar = solve->beta[j->island];
        run(j, direction_task);
        multiply(j);
        break;
    case SN_COUPLE_ADVANCE:
        j->scalar = iterating ? solve->alpha[j->island] : 0;
        run(j, advance_task);
        break;
    case SN_COUPLE_MOVE:
        j->scalar = solve->share[j->island];
        move(j);
        break;
    case SN_COUPLE_ENERGY:
        measure_energy(j, j->body->x, 0);
        break;
    case SN_COUPLE_START_ENERGY:
        measure_start(j);
        break;
    case SN_COUPLE_ACCEPT:
        accept(j, solve->share[j->island]);
        break;
    case SN_COUPLE_MOMENTUM:
        measure_received(j);
        break;
    case SN_COUPLE_END:
        end(j);
        break;
    }
}

typedef struct {
    sn_springs_system *system;
    const sn_stage *stage;
    const sn_solve *solve;
    int first_body, first_node;
    sn_couple_op op;
} all_job;

static void couple_slot(const all_job *a, int slot, sn_pool *pool) {
    sn_springs_body *b = sn_springs_in(a->system, slot);
    const int number = a->first_body + slot;
    job j = {.b = b,
             .body = b->body,
             .solve = a->solve,
             .pool = pool,
             .number = number,
             .slot = a->first_node + b->first_node + a->solve->shift[number],
             .island = a->solve->island[number],
             .h = a->stage->h};
    couple_body(&j, a->op);
}

static bool is_coupled(const all_job *a, int slot, bool large) {
    const sn_springs_body *b = sn_springs_in(a->system, slot);
    return b && b->coupled && (b->body->chunks >= LARGE) == large;
}

static void small_task(void *context, int slot, int worker) {
    const all_job *a = context;
    (void)worker;
    if (is_coupled(a, slot, false)) couple_slot(a, slot, NULL);
}

bool sn_springs_couple(void *system, const sn_stage *stage, const sn_solve *solve, int first_body, int first_node,
                       int op) {
    sn_springs_system *s = system;
    all_job a = {s, stage, solve, first_body, first_node, (sn_couple_op)op};
    if (op == SN_COUPLE_BEGIN) {
        for (int i = 0; i < s->slots.count; i++) {
            sn_springs_body *b = sn_springs_in(s, i);
            if (b) b->coupled = !b->base.sleep.asleep && solve->coupled[first_body + i] && sn_springs_couples(s, i);
        }
        return true;
    }
    sn_parallel_for(stage->pool, s->slots.count, 1, small_task, &a);
    for (int i = 0; i < s->slots.count; i++)
        if (is_coupled(&a, i, true)) couple_slot(&a, i, stage->pool);
    return true;
}
