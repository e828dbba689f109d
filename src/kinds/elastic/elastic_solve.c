// The iterations of a step: local in full space, global in the subspace. See body.h.
#include "kinds/elastic/elastic_accelerate.h"
#include "kinds/elastic/elastic_kernels.h"
#include "kinds/elastic/elastic_run.h"
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
    if (j->local.law)
        j->space->kernels->local_law(&j->local, chunk);
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
                                 sn_elastic_is_projective(b) ? NULL : &b->law};
    sn_elastic_run(pool, b->space->chunk_count, 1, local_chunk, &j);
}

static void gather_all(const sn_elastic_body *b, sn_pool *pool) {
    job j = {.space = b->space};
    j.gather = (sn_elastic_gather){.space = b->space, .x = b->x, .target = b->target, .force = b->force};
    j.gather.extra = b->push_count > 0 ? b->extra : NULL;
    j.gather.inertia = b->def.density / (b->h * b->h);
    j.gather.gradient = b->gradient, j.gather.sums = b->sums;
    sn_elastic_run(pool, b->space->patch_count, 2, gather_patch, &j);
}

// ---- pushes

static sn_real stiffness_of(const sn_elastic_body *b, int place) {
    return (b->shear + b->bulk) * b->def.ghost * b->space->skin[place];
}

sn_status sn_elastic_body_push(sn_elastic_body *b, const sn_elastic_push *pushes, int count) {
    const sn_elastic_space *s = b->space;
    if (count < 0 || (count > 0 && !(b->def.ghost > 0))) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) {
        const sn_elastic_push *p = &pushes[i];
        if (p->vertex < 0 || p->vertex >= s->vertex_count || !(s->skin[s->place[p->vertex]] > 0)) return SN_ERR_RANGE;
        if (!sn_finite3(p->target) || !sn_finite3(p->normal) || !(p->weight >= 0 && p->weight <= 1))
            return SN_ERR_RANGE;
    }
    if (!b->extra) b->extra = sn_alloc(b->memory, 4 * (size_t)s->row_count * ROW, sizeof *b->extra);
    if (!b->extra ||
        !sn_reserve(b->memory, (void **)&b->pushes, &b->push_capacity, b->push_count + count, sizeof *pushes))
        return SN_ERR_MEMORY;
    if (b->push_count == 0) memset(b->extra, 0, 4 * (size_t)s->row_count * ROW * sizeof *b->extra);
    memcpy(b->pushes + b->push_count, pushes, (size_t)count * sizeof *pushes);
    b->push_count += count;
    return SN_OK;
}

// What pushes add to the gradient (later ones take the place of earlier ones), and their energy.
static double push_all(const sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    double energy = 0;
    for (int i = 0; i < b->push_count; i++) {
        const sn_elastic_push *p = &b->pushes[i];
        const int place = s->place[p->vertex];
        const sn_real *at = b->x + 4 * (size_t)place, k = p->weight * stiffness_of(b, place);
        sn_vec3 d = sn_sub(sn_v3(at[0], at[1], at[2]), sn_sub(p->target, b->origin));
        const sn_real length2 = sn_length2(p->normal);
        if (length2 > 0) d = sn_mul(sn_min(sn_dot(d, p->normal), 0) / length2, p->normal);
        sn_real *to = b->extra + 4 * (size_t)place;
        to[0] = k * d.x, to[1] = k * d.y, to[2] = k * d.z;
        energy += 0.5 * (double)k * (double)sn_length2(d);
    }
    return energy;
}

// ---- global

// What the patches left for each handle, with the sign of a step down, in the order of A. In double: a handle of a
// large body sums over many patches.
static void collect(sn_elastic_body *b, double total[3]) {
    const sn_elastic_space *s = b->space;
    total[0] = total[1] = total[2] = 0;
    for (int handle = 0; handle < s->asset->handle_count; handle++) {
        const int first = s->column[handle], columns = s->column[handle + 1] - first;
        for (int k = 0; k < 3; k++) {
            double sum[SN_ELASTIC_QUADRATIC] = {0};
            for (int i = s->reach_first[handle]; i < s->reach_first[handle + 1]; i++) {
                const sn_real *from = b->sums + 3 * (size_t)s->touch_column[s->reach[i]] + (size_t)(k * columns);
                for (int c = 0; c < columns; c++) sum[c] += (double)from[c];
            }
            total[k] -= sum[0];
            sn_real *to = b->right + (size_t)k * (size_t)b->row_stride + s->reduced.where[first];
            for (int c = 0; c < columns; c++) to[c] = (sn_real)-sum[c]; // a handle's rows lie together
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

// A free body's centre of mass goes where the whole of the gradient says, m/h^2 (change) = -total, whatever the
// factor's rounding made of it: what is missing goes to all translations alike.
static void keep_momentum(sn_elastic_body *b, const double total[3]) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++) {
        const double wanted = total[k] * (double)b->h * (double)b->h / (double)b->def.density;
        const sn_real missing = (sn_real)((wanted - sn_elastic_moved(b, b->change, k)) / s->volume);
        for (int j = 0; j < s->asset->handle_count; j++)
            if (!b->factor->out[s->reduced.where[s->column[j]]]) b->change[k * s->columns + s->column[j]] += missing;
    }
}

// The energy that iterations make less, J.
static double energy_of(const sn_elastic_body *b, double pushes) {
    const sn_elastic_space *s = b->space;
    double energy = pushes, inertia = 0;
    for (int i = 0; i < s->chunk_count; i++) energy += b->energy[i];
    for (int p = 0; p < s->vertex_count; p++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)b->x[4 * p + k] - (double)b->target[4 * p + k];
            square += d * d;
        }
        inertia += (double)s->share[p] * square;
    }
    return energy + 0.5 * (double)b->def.density / ((double)b->h * (double)b->h) * inertia;
}

// E at q; x and force are then of there.
static double look(sn_elastic_body *b, sn_pool *pool) {
    sn_elastic_shift(b, b->q);
    sn_elastic_lift_all(b, b->shifted, b->base, b->x, pool);
    sn_elastic_local_all(b, true, pool);
    return energy_of(b, push_all(b));
}

// Moves the body's centre of mass from that of 'start' to that of another state.
static void carry(sn_elastic_body *b, const sn_real *to) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++) {
        const double moved = sn_elastic_moved(b, to, k) - sn_elastic_moved(b, b->start, k);
        for (int j = 0; j < s->asset->handle_count; j++)
            b->q[k * s->columns + s->column[j]] += (sn_real)(moved / s->volume);
    }
}

// Iterations begin where inertia alone would go. After a violent motion that may be so far out of shape that they do not
// come back in a step, and the body would gain energy: then they begin with the shape that it has, and only its centre of
// mass flies on. To find out takes looks at all tetrahedra, so it is only done where strains are large. 'energy' is E at
// q; returns E where they begin.
static double choose_start(sn_elastic_body *b, double energy, sn_pool *pool) {
    const size_t count = 3 * (size_t)b->space->columns;
    b->fresh = false;
    if (energy <= 1e-3 * (double)b->law.mu * b->space->volume) return energy;
    memcpy(b->change, b->q, count * sizeof *b->q); // (free until the global step)
    memcpy(b->q, b->start, count * sizeof *b->q);
    if (!b->space->stay) carry(b, b->change);
    const double here = look(b, pool);
    if (!(here >= energy)) return here;
    memcpy(b->q, b->change, count * sizeof *b->q);
    return look(b, pool);
}

// What the last iteration took has not been looked at yet.
static void look_back(sn_elastic_body *b, sn_pool *pool) {
    for (int looks = 0; looks < 6; looks++) {
        if (!sn_elastic_step_back(b, look(b, pool))) return;
    }
    sn_elastic_give_up(b);
}

sn_real sn_elastic_body_solve(sn_elastic_body *b, int iterations, sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    const int columns = s->columns;
    sn_real most = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
        sn_elastic_shift(b, b->q);
        sn_elastic_lift_all(b, b->shifted, b->base, b->x, pool);
        sn_elastic_local_all(b, b->past != NULL, pool);
        const double pushes = push_all(b);
        double energy = b->past ? energy_of(b, pushes) : 0;
        if (b->fresh && !sn_elastic_is_projective(b)) energy = choose_start(b, energy, pool);
        gather_all(b, pool);
        double total[3];
        collect(b, total);
        if (b->past) sn_elastic_remember(b);
        sn_elastic_substitute(b);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < columns; c++)
                b->change[k * columns + c] = b->right[k * b->row_stride + s->reduced.where[c]];
        if (!s->stay && b->push_count == 0) keep_momentum(b, total);
        most = 0;
        for (int j = 0; j < s->asset->handle_count; j++) {
            const sn_real *d = b->change + s->column[j];
            most = sn_max(most, sn_length2(sn_v3(d[0], d[columns], d[2 * columns])));
        }
        if (b->past)
            sn_elastic_accelerate(b, energy);
        else
            for (int i = 0; i < 3 * columns; i++) b->q[i] += b->change[i];
    }
    if (!sn_elastic_is_projective(b)) look_back(b, pool);
    return sn_sqrt(most);
}
