// The contact solve: accelerated sweeps of projected Gauss-Seidel over the blocks (contact_solve_kernel.c).
//
// Plain sweeps converge slowly where a light node is pinched between heavy ones: they need about as many sweeps as the
// mass ratio. So between sweeps the multipliers continue along a search direction, as in conjugate gradients (Fletcher
// and Reeves; the nonsmooth nonlinear conjugate gradients of Silcowitz-Hansen, Niebe and Erleben 2010):
//
//     g_k: change by sweep k               beta = |g_k|^2 / |g_k-1|^2, or 0 if that is above 1
//     l   += beta p                        p   = beta p + g_k
//
// Nodes are linear in the multipliers, so they move by their own p; only the projection of the next sweep sees
// inequalities.
#include "couplings/contact/contact.h"

typedef void group_fn(sn_contacts *c, sn_contact_group *group, const void *how);

typedef struct {
    sn_contacts *contacts;
    int first;
    group_fn *fn;
    const void *how;
} phase_work;

static void run_group(void *context, int index, int worker) {
    (void)worker;
    const phase_work *w = context;
    sn_contact_group *group = &w->contacts->groups[w->first + index];
    if (group->count > 0) w->fn(w->contacts, group, w->how);
}

// Runs phase after phase; workers share the groups of a phase.
static void over_groups(sn_contacts *c, group_fn *fn, const void *how) {
    for (int phase = 0; phase < SN_PHASES; phase++) {
        phase_work work = {c, 0, fn, how};
        int count, busy = 0;
        sn_groups_of_phase(&c->split, phase, &work.first, &count);
        for (int k = 0; k < count; k++) busy += c->groups[work.first + k].count > 0;
        if (busy > 1)
            sn_parallel_for(c->pool, count, 1, run_group, &work);
        else
            for (int k = 0; k < count; k++) run_group(&work, k, 0);
    }
}

static void start_group(sn_contacts *c, sn_contact_group *group, const void *how) {
    (void)how;
    c->kernels->start(c->blocks + group->first, group->count, &c->moved);
}

static void sweep_group(sn_contacts *c, sn_contact_group *group, const void *how) {
    c->kernels->sweep(c->blocks + group->first, group->count, &c->moved, *(const sn_real *)how);
    group->norm = c->kernels->norm(c->blocks + group->first, group->count);
}

// ---- acceleration

enum { SLOTS = 512 };

typedef struct {
    sn_displacements *d;
    sn_real beta;
} search_step;

static void accelerate(sn_real *x, sn_real *last, sn_real *direction, int from, int to, sn_real beta) {
    for (int i = from; i < to; i++) {
        sn_real change = x[i] - last[i], further = beta * direction[i];
        last[i] = x[i] = x[i] + further;
        direction[i] = further + change;
    }
}

static void accelerate_chunk(void *context, int index, int worker) {
    (void)worker;
    const search_step *s = context;
    sn_displacements *d = s->d;
    const int from = index * SLOTS, to = from + SLOTS < d->count ? from + SLOTS : d->count;
    accelerate(d->moved, d->moved_last, d->moved_search, 4 * from, 4 * to, s->beta);
    accelerate(d->spin, d->spin_last, d->spin_search, from, to, s->beta);
}

static void clear_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_displacements *d = context;
    const int from = index * SLOTS, to = from + SLOTS < d->count ? from + SLOTS : d->count;
    for (int i = 4 * from; i < 4 * to; i++) d->moved[i] = 0;
    for (int i = from; i < to; i++) d->spin[i] = 0;
}

static void begin_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_displacements *d = context;
    const int from = index * SLOTS, to = from + SLOTS < d->count ? from + SLOTS : d->count;
    for (int i = 4 * from; i < 4 * to; i++) d->moved_last[i] = d->moved[i], d->moved_search[i] = 0;
    for (int i = from; i < to; i++) d->spin_last[i] = d->spin[i], d->spin_search[i] = 0;
}

static void over_slots(sn_contacts *c, sn_iteration_fn *fn, void *context) {
    sn_parallel_for(c->pool, (c->moved.count + SLOTS - 1) / SLOTS, 1, fn, context);
}

void sn_contacts_solve(sn_contacts *c, sn_real share, bool first) {
    sn_displacements *d = &c->moved;
    over_slots(c, clear_chunk, d);
    if (first) over_groups(c, start_group, NULL);
    over_slots(c, begin_chunk, d);
    if (c->hooks) c->hooks->begin_search(c->hook_user);
    sn_real beta = 0, last = 0;
    for (int k = 0; k < c->sweeps; k++) {
        search_step step = {d, beta};
        if (k > 0) {
            over_slots(c, accelerate_chunk, &step);
            if (c->hooks) c->hooks->accelerate(c->hook_user, beta);
        }
        if (c->hooks) c->hooks->sweep(c->hook_user, c, share);
        over_groups(c, sweep_group, &beta);
        sn_real norm = 0;
        for (int g = 0; g < SN_GROUPS; g++) norm += c->groups[g].norm;
        beta = last > 0 && norm < last ? norm / last : 0;
        last = norm;
    }
}

// ---- old overlap

// Each substep corrects this part of the overlap, except for a small rest over the smaller radius. The rest is larger
// after the first substep of a step, where small corrections are not worth their cost.
#define CORRECTION  ((sn_real)0.2)
#define LEFT_ALONE  ((sn_real)0.00005)
#define LEFT_WITHIN ((sn_real)0.005)
#define FASTEST     ((sn_real)3) // m/s
enum { SHIFT_SWEEPS = 3 };

static void overlap_group(sn_contacts *c, sn_contact_group *group, const void *how_here) {
    const sn_real left = ((const sn_overlap_correction *)how_here)->left;
    group->shifted = false;
    for (int i = 0; i < group->count && !group->shifted; i++) {
        const sn_contact_block *b = &c->blocks[group->first + i];
        for (int k = 0; k < b->count; k++) group->shifted = group->shifted || b->start_gap[k] < -left * b->min[k];
    }
}

static void shift_group(sn_contacts *c, sn_contact_group *group, const void *how_here) {
    c->kernels->shift(c->blocks + group->first, group->count, &c->moved, how_here);
}

static void shifted_group(sn_contacts *c, sn_contact_group *group, const void *how_here) {
    (void)how_here;
    c->kernels->shifted(c->blocks + group->first, group->count, &c->moved);
}

// Many contacts may shift one node. Together they move it no faster than one alone, or overlapping bodies would be torn
// apart.
typedef struct {
    sn_displacements *d;
    sn_real max;
} limit;

static void limit_chunk(void *context, int index, int worker) {
    (void)worker;
    const limit *l = context;
    const int from = index * SLOTS, to = from + SLOTS < l->d->count ? from + SLOTS : l->d->count;
    for (int i = from; i < to; i++) {
        sn_real *d = &l->d->moved[4 * i], size2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (size2 <= l->max * l->max) continue;
        sn_real scale = l->max / sn_sqrt(size2);
        for (int k = 0; k < 3; k++) d[k] *= scale;
    }
}

bool sn_contacts_stabilize(sn_contacts *c, bool first) {
    const sn_overlap_correction here = {CORRECTION, first ? LEFT_ALONE : LEFT_WITHIN, FASTEST * c->h};
    bool any = false;
    over_groups(c, overlap_group, &here);
    for (int g = 0; g < SN_GROUPS; g++) any = any || c->groups[g].shifted;
    if (!any) return false;
    over_slots(c, clear_chunk, &c->moved);
    for (int k = 0; k < SHIFT_SWEEPS; k++) over_groups(c, shift_group, &here);
    limit max = {&c->moved, here.fastest};
    over_slots(c, limit_chunk, &max);
    over_groups(c, shifted_group, NULL);
    return true;
}

// ---- readers

sn_vec3 sn_contacts_centre(const sn_contacts *c, int node) {
    const int slot = sn_contacts_slot(c, node);
    sn_vec3 at = c->proxies.nodes[node].c;
    if (slot < 0) return at;
    const sn_real *d = &c->moved.moved[4 * slot];
    return sn_add(at, sn_v3(d[0], d[1], d[2]));
}

sn_real sn_contacts_gap(const sn_contacts *c, const sn_contact_block *b, int i) {
    sn_real weight[4] = {1 - b->alpha[i], b->alpha[i], b->beta[i] - 1, -b->beta[i]};
    sn_real gap = b->gap[i] + b->goal[i];
    for (int side = 0; side < 2; side++) {
        if (!sn_form_third(b->form, side)) continue;
        const sn_real *d = &c->moved.moved[4 * b->third_slot[side][i]], third = b->third[side][i];
        const sn_real along = b->n[0][i] * d[0] + b->n[1][i] * d[1] + b->n[2][i] * d[2];
        weight[2 * side] += side ? third : -third;
        gap += (side ? -third : third) * along - third * b->third_r[side][i] * d[3];
    }
    for (int k = 0; k < (sn_form_both(b->form) ? 4 : 2); k++) {
        const sn_real *d = &c->moved.moved[4 * b->slot[k][i]];
        gap += weight[k] * (b->n[0][i] * d[0] + b->n[1][i] * d[1] + b->n[2][i] * d[2]);
        gap -= sn_abs(weight[k]) * b->r[k][i] * d[3];
    }
    return gap;
}
