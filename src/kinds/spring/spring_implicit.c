// Implicit Euler with conjugate gradients. See spring_implicit.h; the loops over springs are in spring_row_kernel.c.
#include "kinds/spring/spring_implicit.h"
#include "kinds/spring/spring_coarse.h"
#include "kinds/spring/spring_kernels.h"
#include "kinds/spring/spring_volume.h"
#include <string.h>

sn_spring_solver sn_spring_solver_default(void) {
    return (sn_spring_solver){.tolerance = (sn_real)1e-3, .iterations = 200};
}

typedef struct {
    sn_spring_body *body;
    sn_real h, factor;
    bool safe;
    sn_real *right, *u, *r, *p, *q; // u: the change of velocity; q: A p, then P r
    const sn_real *from;
    const sn_real *target; // null: the first Newton step
    const sn_spring_coarse *coarse;
} job;

static sn_spring_span span_of(const sn_spring_body *body, int chunk) {
    return (sn_spring_span){body, chunk * SN_SPRING_CHUNK / SN_SPRING_ROW,
                            sn_spring_chunk_end(body, chunk) / SN_SPRING_ROW};
}

static void assemble_task(void *context, int index, int worker) {
    const job *j = context;
    sn_spring_body *body = j->body;
    (void)worker;
    const int begin = index * SN_SPRING_CHUNK, end = sn_spring_chunk_end(body, index);
    body->kernels->tangent(span_of(body, index), j->h, j->h, j->safe, j->target, j->right);
    if (sn_spring_has_volumes(body)) {
        sn_spring_volume_add(body, begin, end, NULL, j->right);
        sn_spring_volume_diagonal(body, begin, end, j->h);
    }
    body->kernels->invert(span_of(body, index));
}

static void multiply_task(void *context, int index, int worker) {
    const job *j = context;
    sn_spring_body *body = j->body;
    (void)worker;
    double dot = body->kernels->multiply(span_of(body, index), j->h, j->from, j->q);
    if (sn_spring_has_volumes(body))
        dot += sn_spring_volume_add(body, index * SN_SPRING_CHUNK, sn_spring_chunk_end(body, index), j->from, j->q);
    body->partial[2 * index] = dot;
}

static void residual_task(void *context, int index, int worker) {
    const job *j = context;
    sn_spring_body *body = j->body;
    (void)worker;
    const sn_spring_span span = span_of(body, index);
    body->kernels->residual(span, j->right, j->r, j->q, body->partial + 2 * index);
    const size_t first = (size_t)span.begin * 4 * SN_SPRING_ROW;
    memcpy(j->p + first, j->q + first, (size_t)(span.end - span.begin) * 4 * SN_SPRING_ROW * sizeof(sn_real));
}

static void update_task(void *context, int index, int worker) {
    const job *j = context;
    (void)worker;
    j->body->partial[2 * index] = j->body->kernels->update(span_of(j->body, index), j->factor, j->p, j->u, j->r, j->q);
}

static void direction_task(void *context, int index, int worker) {
    const job *j = context;
    (void)worker;
    const sn_spring_coarse *c = j->coarse;
    j->body->kernels->direction(span_of(j->body, index), j->factor, j->q, c ? c->of : NULL, c ? c->motion : NULL, j->p);
}

static void move_task(void *context, int index, int worker) {
    const job *j = context;
    sn_spring_body *body = j->body;
    const sn_real h = j->h;
    (void)worker;
    for (size_t i = (size_t)index * 4 * SN_SPRING_CHUNK; i < 4 * (size_t)sn_spring_chunk_end(body, index); i++) {
        body->v[i] += j->u[i];
        body->x[i] += h * (j->target ? j->u[i] : body->v[i]);
    }
}

static double total(const sn_spring_body *body, int which) {
    double sum = 0;
    for (int c = 0; c < body->chunks; c++) sum += body->partial[2 * c + which];
    return sum;
}

static double multiply(job *j, const sn_real *from, sn_pool *pool) {
    if (sn_spring_has_volumes(j->body)) sn_spring_volume_spread(j->body, from, j->h, pool);
    j->from = from;
    sn_spring_run(j->body, pool, multiply_task, j);
    return total(j->body, 0);
}

static void assemble(job *j, sn_pool *pool) {
    sn_spring_body *body = j->body;
    if (sn_spring_has_volumes(body)) sn_spring_volume_impulses(body, body->x, j->target ? NULL : body->v, j->h, pool);
    sn_spring_run(body, pool, assemble_task, j);
}

// The residual of gravity alone, as a reference: a body at rest is not solved for its rounding errors.
static double weight_of(const sn_spring_body *body, sn_real h) {
    const double g2 = (double)sn_length2(body->gravity);
    double sum = 0;
    if (g2 > 0)
        for (int i = 0; i < body->count; i++) {
            const sn_real *m = body->precondition + (size_t)(i / SN_SPRING_ROW) * 6 * SN_SPRING_ROW + i % SN_SPRING_ROW;
            const double impulse = (double)h * (double)body->mass[i];
            sum += impulse * impulse * g2 * (double)(m[0] + m[SN_SPRING_ROW] + m[2 * SN_SPRING_ROW]) / 3;
        }
    return sum;
}

static void begin_from_zero(job *j, sn_pool *pool) {
    const size_t bytes = 4 * (size_t)j->body->padded * sizeof(sn_real);
    memset(j->u, 0, bytes);
    memset(j->q, 0, bytes);
    sn_spring_run(j->body, pool, residual_task, j);
}

// Returns the squared residual at the start; 'enough' is where the solver may stop.
static double begin_solve(job *j, sn_real tolerance, double *enough, sn_pool *pool) {
    sn_spring_body *body = j->body;
    // With the second level, slow motion is found at once, and zero is as good a start as any. Without it the start is
    // the last change of velocity. Its residual is larger than that of zero, because it contains small fast motion; but
    // that takes only a few iterations, while the large slow motion, which would take hundreds, is already in it.
    // (Measured on cloth of 10,000 points: 200 iterations per step instead of 340; scaled to minimal energy: 360.)
    const bool zero = j->target || body->coarse;
    if (zero) {
        begin_from_zero(j, pool);
    } else {
        multiply(j, j->u, pool);
        sn_spring_run(body, pool, residual_task, j);
    }
    const double still = total(body, 0);
    if (!j->target) body->whole = still + weight_of(body, j->h);
    *enough = (double)tolerance * (double)tolerance * body->whole;
    // Nearly at rest: starting from the last change would only excite the body again.
    if (!zero && still <= 100 * *enough) begin_from_zero(j, pool);
    return total(body, 1);
}

// The search direction from the residual, with both levels. Returns residual . direction; 'rest' is that of the first
// level, 'before' the last result (0: none).
static double descend(job *j, double rest, double before, sn_pool *pool) {
    if (j->coarse) rest += sn_spring_coarse_solve(j->body, j->r, pool);
    j->factor = before > 0 ? (sn_real)(rest / before) : 0;
    sn_spring_run(j->body, pool, direction_task, j);
    return rest;
}

// False: found a direction of negative curvature.
static bool solve(job *j, const sn_spring_solver *solver, sn_spring_solved *out, sn_pool *pool) {
    sn_spring_body *body = j->body;
    double enough, rest = begin_solve(j, solver->tolerance, &enough, pool), slope = rest;
    const double whole = body->whole;
    out->iterations = 0;
    if (rest > enough && body->coarse && sn_spring_coarse_factor(body, j->h, pool)) {
        j->coarse = body->coarse;
        slope = descend(j, rest, 0, pool);
    }
    while (rest > enough && out->iterations < solver->iterations) {
        const double bend = multiply(j, j->p, pool);
        if (!(bend > 0)) {
            out->residual = sqrt(rest / whole);
            return false;
        }
        j->factor = (sn_real)(slope / bend);
        sn_spring_run(body, pool, update_task, j);
        rest = total(body, 0);
        out->iterations++;
        if (rest > enough && out->iterations < solver->iterations) slope = descend(j, rest, slope, pool);
    }
    out->converged = rest <= enough;
    out->residual = whole > 0 ? sqrt((rest > 0 ? rest : 0) / whole) : 0;
    return true;
}

// The remaining residual of a free body is a force on the body as a whole, which springs cannot balance: (A u)_i is m u
// for a common u. Applying it to all points conserves momentum, however early the solver stopped.
static void keep_momentum(const job *j) {
    const sn_spring_body *body = j->body;
    double left[3] = {0, 0, 0}, mass = 0;
    for (int i = 0; i < body->count; i++) {
        if (!(body->inverse[i] > 0)) return; // held: takes any momentum
        for (int k = 0; k < 3; k++) left[k] += (double)j->r[4 * (size_t)i + (size_t)k];
        mass += (double)body->mass[i];
    }
    mass *= 1 + (double)(j->h * body->drag);
    const sn_vec3 more = {(sn_real)(left[0] / mass), (sn_real)(left[1] / mass), (sn_real)(left[2] / mass)};
    for (int i = 0; i < body->count; i++) sn_spring_add_quad(j->u, i, more);
}

static sn_spring_solved newton_step(sn_spring_body *body, sn_real h, const sn_real *target,
                                    const sn_spring_solver *solver, sn_pool *pool) {
    sn_spring_solved out = {0};
    job j = {.body = body,
             .h = h,
             .safe = !solver->exact,
             .right = body->force,
             .u = target ? body->scratch[3] : body->gain, // the next step starts from the gain of a first Newton step
             .r = body->scratch[0],
             .p = body->scratch[1],
             .q = body->scratch[2],
             .target = target};
    assemble(&j, pool);
    if (!solve(&j, solver, &out, pool) && solver->exact) {
        const size_t bytes = 4 * (size_t)body->padded * sizeof(sn_real);
        memset(j.u, 0, bytes);
        j.safe = true;
        out.guarded = true;
        assemble(&j, pool);
        solve(&j, solver, &out, pool);
    }
    keep_momentum(&j);
    sn_spring_run(body, pool, move_task, &j);
    body->displacement_h = 0;
    return out;
}

sn_spring_solved sn_spring_implicit_step(sn_spring_body *body, sn_real h, const sn_spring_solver *solver,
                                         sn_pool *pool) {
    return newton_step(body, h, NULL, solver, pool);
}

sn_spring_solved sn_spring_implicit_again(sn_spring_body *body, sn_real h, const sn_real *target,
                                          const sn_spring_solver *solver, sn_pool *pool) {
    return newton_step(body, h, target, solver, pool);
}

static void stiffness_task(void *context, int index, int worker) {
    const job *j = context;
    (void)worker;
    j->body->kernels->tangent(span_of(j->body, index), 1, 0, j->safe, NULL, j->right);
}

void sn_spring_stiffness(sn_spring_body *body, bool exact, const sn_real *u, sn_real *y, sn_pool *pool) {
    // The step's matrix for h = 1, with zero masses.
    job j = {.body = body, .h = 1, .safe = !exact, .right = body->force, .q = y};
    sn_real *mass = body->mass;
    body->mass = body->scratch[3];
    memset(body->scratch[3], 0, (size_t)body->padded * sizeof(sn_real));
    if (sn_spring_has_volumes(body)) sn_spring_volume_impulses(body, body->x, NULL, 1, pool);
    sn_spring_run(body, pool, stiffness_task, &j);
    multiply(&j, u, pool);
    body->mass = mass;
}
