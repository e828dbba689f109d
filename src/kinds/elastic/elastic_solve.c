// The iterations of a step: local in full space, global in the subspace. See elastic_body.h.
#include "kinds/elastic/elastic_anderson.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_kernels.h"
#include <string.h>

enum { ROW = SN_ELASTIC_ROW };

typedef struct {
    const sn_elastic_space *space;
    sn_elastic_local local;
    sn_elastic_gather gather;
} job;

static void local_chunk(void *context, int chunk, int worker) {
    (void)worker;
    const job *j = context;
    if (j->local.material)
        j->space->kernels->local_material(&j->local, chunk);
    else
        j->space->kernels->local(&j->local, chunk);
}

static void gather_patch(void *context, int patch, int worker) {
    (void)worker;
    const job *j = context;
    j->space->kernels->gather(&j->gather, patch);
}

void sn_elastic_local_all(const sn_elastic_body *b, bool energy, sn_pool *pool) {
    job j = {.space = b->space};
    j.local = (sn_elastic_local){b->space,
                                 b->x,
                                 b->local_x,
                                 b->force,
                                 energy ? b->energy : NULL,
                                 b->shear,
                                 b->bulk,
                                 sn_elastic_is_projective(b) ? NULL : &b->material};
    sn_elastic_parallel_for(pool, b->space->chunk_count, 1, local_chunk, &j);
}

static void gather_all(const sn_elastic_body *b, sn_pool *pool) {
    job j = {.space = b->space};
    j.gather = (sn_elastic_gather){.space = b->space, .x = b->x, .target = b->target, .force = b->force};
    j.gather.extra = b->pin_count > 0 ? b->extra : NULL;
    j.gather.inertia = b->def.density / (b->h * b->h);
    j.gather.gradient = b->gradient, j.gather.sums = b->sums;
    sn_elastic_parallel_for(pool, b->space->patch_count, 2, gather_patch, &j);
}

// ---- pins

static sn_real stiffness_of(const sn_elastic_body *b, int index) {
    return (b->shear + b->bulk) * b->def.ghost * b->space->surface_stiffness[index];
}

sn_status sn_elastic_body_pin(sn_elastic_body *b, const sn_elastic_pin *pins, int count) {
    const sn_elastic_space *s = b->space;
    if (count < 0 || (count > 0 && !(b->def.ghost > 0))) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) {
        const sn_elastic_pin *p = &pins[i];
        if (p->vertex < 0 || p->vertex >= s->vertex_count || !(s->surface_stiffness[s->sorted_index[p->vertex]] > 0))
            return SN_ERR_RANGE;
        if (!sn_finite3(p->target) || !sn_finite3(p->normal) || !(p->weight >= 0 && p->weight <= 1))
            return SN_ERR_RANGE;
    }
    if (!b->extra) b->extra = sn_alloc(b->memory, 4 * (size_t)s->row_count * ROW, sizeof *b->extra);
    if (!b->extra || !sn_reserve(b->memory, (void **)&b->pins, &b->pin_capacity, b->pin_count + count, sizeof *pins))
        return SN_ERR_MEMORY;
    if (b->pin_count == 0) memset(b->extra, 0, 4 * (size_t)s->row_count * ROW * sizeof *b->extra);
    memcpy(b->pins + b->pin_count, pins, (size_t)count * sizeof *pins);
    b->pin_count += count;
    return SN_OK;
}

// Computes the gradient of the pins (later ones replace earlier ones) and returns their energy.
static double apply_pins(const sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    double energy = 0;
    for (int i = 0; i < b->pin_count; i++) {
        const sn_elastic_pin *p = &b->pins[i];
        const int index = s->sorted_index[p->vertex];
        const sn_real *at = b->x + 4 * (size_t)index, k = p->weight * stiffness_of(b, index);
        sn_vec3 d = sn_sub(sn_v3(at[0], at[1], at[2]), sn_sub(p->target, b->origin));
        const sn_real length2 = sn_length2(p->normal);
        if (length2 > 0) d = sn_mul(sn_min(sn_dot(d, p->normal), 0) / length2, p->normal);
        sn_real *to = b->extra + 4 * (size_t)index;
        to[0] = k * d.x, to[1] = k * d.y, to[2] = k * d.z;
        energy += 0.5 * (double)k * (double)sn_length2(d);
    }
    return energy;
}

// ---- global

// Sums the partial gradients of the patches for each handle, negated, in the order of A. In double: a handle of a large
// body sums over many patches.
static void collect(sn_elastic_body *b, double total[3]) {
    const sn_elastic_space *s = b->space;
    total[0] = total[1] = total[2] = 0;
    for (int handle = 0; handle < s->asset->handle_count; handle++) {
        const int first = s->column[handle], columns = s->column[handle + 1] - first;
        for (int k = 0; k < 3; k++) {
            double sum[SN_ELASTIC_QUADRATIC] = {0};
            for (int i = s->handle_partial_first[handle]; i < s->handle_partial_first[handle + 1]; i++) {
                const sn_real *from =
                    b->sums + 3 * (size_t)s->partial_column[s->handle_partial[i]] + (size_t)(k * columns);
                for (int c = 0; c < columns; c++) sum[c] += (double)from[c];
            }
            total[k] -= sum[0];
            sn_real *to = b->right + (size_t)k * (size_t)b->row_stride + s->reduced.row_of_column[first];
            for (int c = 0; c < columns; c++) to[c] = (sn_real)-sum[c]; // a handle's rows are contiguous
        }
    }
}

void sn_elastic_substitute(sn_elastic_body *b) {
    const sn_reduced *r = &b->space->reduced;
    const sn_elastic_kernels *kernels = b->space->kernels;
    const int stride = b->panel_stride, whole = b->row_stride;
    sn_real *in = b->panel, *out = b->panel + 3 * (size_t)stride, *right = b->right;
    for (int p = 0; p < r->panel_count; p++) {
        const int first = r->panel_first[p], width = r->panel_first[p + 1] - first;
        const int begin = r->panel_below_first[p], below = r->panel_below_first[p + 1] - begin;
        const int rows = (width + below + ROW - 1) / ROW * ROW;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < width; i++) in[k * stride + i] = right[k * whole + first + i];
        kernels->down(b->factor->s + r->panel_at[p], rows, width, in, out, stride);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < width; i++) right[k * whole + first + i] = out[k * stride + i];
            for (int i = 0; i < below; i++) right[k * whole + r->below[begin + i]] += out[k * stride + width + i];
        }
    }
    for (int p = r->panel_count - 1; p >= 0; --p) {
        const int first = r->panel_first[p], width = r->panel_first[p + 1] - first;
        const int begin = r->panel_below_first[p], below = r->panel_below_first[p + 1] - begin;
        const int rows = (width + below + ROW - 1) / ROW * ROW;
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < width; i++) in[k * stride + i] = right[k * whole + first + i];
            for (int i = 0; i < below; i++) in[k * stride + width + i] = right[k * whole + r->below[begin + i]];
            for (int i = width + below; i < rows; i++) in[k * stride + i] = 0;
        }
        kernels->up(b->factor->s + r->panel_at[p], rows, width, in, out, stride);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < width; i++) right[k * whole + first + i] = out[k * stride + i];
    }
}

// The centre of mass of a free body moves by the total gradient, m/h^2 (change) = -total. Corrects the factor's
// rounding error by distributing it evenly over all translations.
static void conserve_momentum(sn_elastic_body *b, const double total[3]) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++) {
        const double expected = total[k] * (double)b->h * (double)b->h / (double)b->def.density;
        const sn_real missing = (sn_real)((expected - sn_elastic_first_moment(b, b->change, k)) / s->volume);
        for (int j = 0; j < s->asset->handle_count; j++)
            if (!b->factor->dropped[s->reduced.row_of_column[s->column[j]]])
                b->change[k * s->columns + s->column[j]] += missing;
    }
}

// The energy that iterations minimise, J.
static double energy_of(const sn_elastic_body *b, double pins) {
    const sn_elastic_space *s = b->space;
    double energy = pins, inertia = 0;
    for (int i = 0; i < s->chunk_count; i++) energy += b->energy[i];
    for (int p = 0; p < s->vertex_count; p++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)b->x[4 * p + k] - (double)b->target[4 * p + k];
            square += d * d;
        }
        inertia += (double)s->vertex_volume[p] * square;
    }
    return energy + 0.5 * (double)b->def.density / ((double)b->h * (double)b->h) * inertia;
}

// Evaluates E at q; leaves x and force evaluated there.
static double evaluate(sn_elastic_body *b, sn_pool *pool) {
    sn_elastic_recentre(b, b->q);
    sn_elastic_lift_all(b, b->shifted, b->base, b->x, pool);
    sn_elastic_local_all(b, true, pool);
    return energy_of(b, apply_pins(b));
}

// Moves the body's centre of mass from that of `start` to that of another state.
static void move_centre(sn_elastic_body *b, const sn_real *to) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++) {
        const double moved = sn_elastic_first_moment(b, to, k) - sn_elastic_first_moment(b, b->start, k);
        for (int j = 0; j < s->asset->handle_count; j++)
            b->q[k * s->columns + s->column[j]] += (sn_real)(moved / s->volume);
    }
}

// Chooses the start of the iterations. It is the inertial prediction. After a violent motion that may be so deformed
// that the iterations do not converge in a step and the body would gain energy: then they start with the previous
// shape, and only the centre of mass is predicted. Comparing them evaluates all tetrahedra, so it is only done at large
// strains. `energy` is E at q; returns E at the start.
static double choose_start(sn_elastic_body *b, double energy, sn_pool *pool) {
    const size_t count = 3 * (size_t)b->space->columns;
    b->first_iteration = false;
    if (energy <= 1e-3 * (double)b->material.mu * b->space->volume) return energy;
    memcpy(b->change, b->q, count * sizeof *b->q); // unused until the global step
    memcpy(b->q, b->start, count * sizeof *b->q);
    if (!b->space->anchor_weight) move_centre(b, b->change);
    const double here = evaluate(b, pool);
    if (!(here >= energy)) return here;
    memcpy(b->q, b->change, count * sizeof *b->q);
    return evaluate(b, pool);
}

// Backtracks from the last iteration, which has not been evaluated yet.
static void backtrack_last(sn_elastic_body *b, sn_pool *pool) {
    for (int attempt = 0; attempt < 6; attempt++) {
        if (!sn_anderson_backtrack(b, evaluate(b, pool))) return;
    }
    sn_anderson_revert(b);
}

sn_real sn_elastic_body_solve(sn_elastic_body *b, int iterations, sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    const int columns = s->columns;
    sn_real max = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
        sn_elastic_recentre(b, b->q);
        sn_elastic_lift_all(b, b->shifted, b->base, b->x, pool);
        sn_elastic_local_all(b, b->history != NULL, pool);
        const double pins = apply_pins(b);
        double energy = b->history ? energy_of(b, pins) : 0;
        if (b->first_iteration && !sn_elastic_is_projective(b)) energy = choose_start(b, energy, pool);
        gather_all(b, pool);
        double total[3];
        collect(b, total);
        if (b->history) sn_anderson_record_gradient(b);
        sn_elastic_substitute(b);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < columns; c++)
                b->change[k * columns + c] = b->right[k * b->row_stride + s->reduced.row_of_column[c]];
        if (!s->anchor_weight && b->pin_count == 0) conserve_momentum(b, total);
        max = 0;
        for (int j = 0; j < s->asset->handle_count; j++) {
            const sn_real *d = b->change + s->column[j];
            max = sn_max(max, sn_length2(sn_v3(d[0], d[columns], d[2 * columns])));
        }
        if (b->history)
            sn_anderson_step(b, energy);
        else
            for (int i = 0; i < 3 * columns; i++) b->q[i] += b->change[i];
    }
    if (!sn_elastic_is_projective(b)) backtrack_last(b, pool);
    return sn_sqrt(max);
}
