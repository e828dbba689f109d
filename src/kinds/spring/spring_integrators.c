// Explicit integrators. See spring_integrators.h. Each is a sequence of force evaluations with loops over points
// between.
#include "kinds/spring/spring_integrators.h"

typedef struct {
    const sn_spring_body *body;
    sn_real h, previous;
    const sn_real *x0, *v0, *x, *v, *force;
    sn_real *x_to, *v_to, *x_sum, *v_sum;
    sn_real weight;
} job;

#define EACH_NUMBER(i)                                                                                                 \
    (void)worker;                                                                                                      \
    const int end = sn_spring_chunk_end(j->body, index);                                                               \
    for (int p = index * SN_SPRING_CHUNK; p < end; p++)                                                                \
        for (size_t i = 4 * (size_t)p; i < 4 * (size_t)p + 4; i++)

// Both Euler methods, in place.
static void euler_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_real h = j->h;
    EACH_NUMBER(i) {
        j->x_to[i] = j->x[i] + h * j->v[i];
        j->v_to[i] = j->v[i] + h * j->body->inverse[p] * j->force[i];
    }
}
static void symplectic_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_real h = j->h;
    EACH_NUMBER(i) {
        const sn_real v = j->v[i] + h * j->body->inverse[p] * j->force[i];
        j->v_to[i] = v;
        j->x_to[i] = j->x[i] + h * v;
    }
}

// A stage of Runge-Kutta: adds the weighted derivatives at (x, v) to the sums, and steps from the start along them by
// h.
static void stage_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_real h = j->h, weight = j->weight;
    EACH_NUMBER(i) {
        const sn_real rate = j->v[i], accel = j->body->inverse[p] * j->force[i];
        j->x_sum[i] += weight * rate;
        j->v_sum[i] += weight * accel;
        j->x_to[i] = j->x0[i] + h * rate;
        j->v_to[i] = j->v0[i] + h * accel;
    }
}
static void copy_task(void *context, int index, int worker) {
    const job *j = context;
    EACH_NUMBER(i) {
        j->x_to[i] = j->x_sum[i] = j->x[i];
        j->v_to[i] = j->v_sum[i] = j->v[i];
    }
}

// x - x_before is stored, not computed from the positions, where it would lose most of its digits.
static void verlet_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_real h = j->h, ratio = h / j->previous, half = (h + j->previous) / 2 * h, late = h / 2, rate = 1 / h;
    sn_real *displacements = j->x_sum;
    EACH_NUMBER(i) {
        const sn_real accel = j->body->inverse[p] * j->force[i];
        const bool held = !(j->body->inverse[p] > 0);
        const sn_real displacement = held ? h * j->v[i] : ratio * displacements[i] + half * accel;
        displacements[i] = displacement;
        j->x_to[i] = j->x[i] + displacement;
        j->v_to[i] = held ? j->v[i] : displacement * rate + late * accel;
    }
}
static void first_verlet_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_real h = j->h;
    sn_real *displacements = j->x_sum;
    EACH_NUMBER(i) {
        const sn_real accel = j->body->inverse[p] * j->force[i], displacement = h * (j->v[i] + h / 2 * accel);
        displacements[i] = displacement;
        j->x_to[i] = j->x[i] + displacement;
        j->v_to[i] = j->v[i] + h * accel;
    }
}

static void runge_kutta(sn_spring_body *body, int stages, sn_real h, sn_pool *pool) {
    // The step of each stage from the start, and its weight in the sum.
    static const double to2[] = {0.5, 0}, weight2[] = {0, 1}, to4[] = {0.5, 0.5, 1, 0}, weight4[] = {1, 2, 2, 1};
    const double *to = stages == 2 ? to2 : to4, *weight = stages == 2 ? weight2 : weight4;
    sn_real *x0 = body->scratch[0], *v0 = body->scratch[1], *x_sum = body->scratch[2], *v_sum = body->scratch[3];
    job j = {.body = body, .x = body->x, .v = body->v, .x_to = x0, .v_to = v0, .x_sum = x_sum, .v_sum = v_sum};
    sn_spring_run(body, pool, copy_task, &j);
    j.x0 = x0, j.v0 = v0, j.x_to = body->x, j.v_to = body->v, j.force = body->force;
    for (int s = 0; s < stages; s++) {
        sn_spring_forces(body, body->x, body->v, body->force, pool);
        j.h = h * (sn_real)to[s];
        j.weight = h * (sn_real)(weight[s] / (stages == 2 ? 1 : 6));
        sn_spring_run(body, pool, stage_task, &j);
    }
    // The sums started from the initial state.
    job last = {.body = body, .x = x_sum, .v = v_sum, .x_to = body->x, .v_to = body->v, .x_sum = x0, .v_sum = v0};
    sn_spring_run(body, pool, copy_task, &last);
}

void sn_spring_step(sn_spring_body *body, sn_spring_integrator integrator, sn_real h, sn_pool *pool) {
    job j = {.body = body, .h = h, .x = body->x, .v = body->v, .x_to = body->x, .v_to = body->v, .force = body->force};
    switch (integrator) {
    case SN_SPRING_IMPLICIT_EULER:
        break;
    case SN_SPRING_EXPLICIT_EULER:
    case SN_SPRING_SYMPLECTIC_EULER:
        sn_spring_forces(body, body->x, body->v, body->force, pool);
        sn_spring_run(body, pool, integrator == SN_SPRING_EXPLICIT_EULER ? euler_task : symplectic_task, &j);
        body->displacement_h = 0;
        break;
    case SN_SPRING_RUNGE_KUTTA_2:
    case SN_SPRING_RUNGE_KUTTA_4:
        runge_kutta(body, integrator == SN_SPRING_RUNGE_KUTTA_2 ? 2 : 4, h, pool);
        body->displacement_h = 0;
        break;
    case SN_SPRING_VERLET:
    case SN_SPRING_VERLET_CORRECTED:
        sn_spring_forces(body, body->x, body->v, body->force, pool);
        j.x_sum = body->displacement;
        j.previous = integrator == SN_SPRING_VERLET ? h : body->displacement_h;
        sn_spring_run(body, pool, body->displacement_h > 0 ? verlet_task : first_verlet_task, &j);
        body->displacement_h = h;
        break;
    }
}

double sn_spring_frequency2(const sn_spring_body *body) {
    // The row of K for a point is at most 2 sum k over its springs in any direction (a stretched spring is less stiff
    // across its axis).
    double max = 0;
    for (int g = 0; g < body->rows.group_count; g++)
        for (int k = 0; k < SN_SPRING_ROW; k++) {
            double sum = 0;
            for (int slot = body->rows.first[g]; slot < body->rows.first[g + 1]; slot++)
                sum += (double)body->rows.stiffness[slot * SN_SPRING_ROW + k];
            sum *= 2 * (double)body->inverse[g * SN_SPRING_ROW + k];
            max = sum > max ? sum : max;
        }
    return max;
}
