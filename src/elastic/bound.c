// Bounds that follow from the handles alone.
//
// A vertex at X belongs to a primitive: its sphere with weights t is centred at c = sum_s t_s C_s, and |X - c| - r is
// at most the primitive's slack. Now the vertex is at x and that sphere at y,
//
//     x = sum_j w_j T_j(X),    y = sum_s t_s sum_j w_sj T_j(C_s),
//
// where j runs over the handles and over what is anchored (the identity), so that weights add up to 1. Seen from the
// primitive's middle M (the paper takes the origin, which makes the bound depend on where the body lies),
//
//     T_j(X) = B_j + A_j (X - M) + S_j (X - M)~ + Q_j (X - M)^,
//
// ~ the squares of the coordinates, ^ their mixed products. With W_j = sum_s t_s w_sj, M = 0 for short:
//
//     x - y = sum_j w_j A_j (X - c)  +  sum_j (w_j - W_j) B_j  +  sum_j A_j z_j  +  quadratic,
//     z_j   = w_j c - sum_s t_s w_sj C_s.
//
// The first sum is at most sum_j |w_j| |A_j| |X - c|, |A| the largest singular value: a mere turn has |A_j| = 1 and
// costs nothing, unlike in eq. 18, where |A_j - R| with one rotation R for all of them stands in that place.
//
// Neighbouring vertices have much the same w_j - W_j and z_j. For a cluster of them the sums with the mean of these
// numbers are taken as they are, signs and all; only for what a vertex differs from the mean does the triangle
// inequality have to do. These differences add up to 0 over j like the numbers themselves (weights add up to 1), so any
// vector p may be taken off all B_j there, and any matrix R off all A_j. They are chosen as the means over the
// primitive's handles: with them goes how the primitive has moved as a whole, and what is left is how it is bent. So
//
//     |x - y| - r <= slack + sum_j stretch_j (|A_j| - 1)+  +  | sum_j shift_j B_j + A_j linear_j + ... |
//                          + sum_j shift_off_j |B_j - p| + linear_off_j |A_j - R| + ...
//
// with factors that are known beforehand; bound_make.c makes them. A primitive grows by the most of its clusters.
//
// Displacement bounding, to compare with, is eqs. 10 to 16: displacements, B_j - M and A_j - 1, each by its norm.
#include "elastic/bound.h"
#include "elastic/medial_tree.h"
#include <string.h>

// --- matrices, as columns ---

typedef struct {
    sn_vec3 c[3];
} columns3;

// The largest singular value, from above. With G = AᵀA = m + G', m the third of its trace, the eigenvalues of G' solve
// x^3 - p x - q = 0, and the largest of them is at most 2 sqrt(p/3). From there Newton's method comes down to it and
// never below.
static sn_real norm_of(const columns3 *a) {
    sn_real xx = sn_dot(a->c[0], a->c[0]), yy = sn_dot(a->c[1], a->c[1]), zz = sn_dot(a->c[2], a->c[2]);
    sn_real xy = sn_dot(a->c[0], a->c[1]), yz = sn_dot(a->c[1], a->c[2]), zx = sn_dot(a->c[2], a->c[0]);
    sn_real m = (xx + yy + zz) / 3;
    if (!(m > 0)) return 0;
    xx -= m, yy -= m, zz -= m;
    sn_real off = xy * xy + yz * yz + zx * zx;
    sn_real p = (xx * xx + yy * yy + zz * zz) / 2 + off;
    sn_real q = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx);
    sn_real least = sn_sqrt(p / 3), root = 2 * least;
    for (int i = 0; i < 4; ++i) {
        sn_real slope = 3 * root * root - p;
        if (!(slope > SN_REAL_EPSILON * p)) break;
        root -= ((root * root - p) * root - q) / slope;
    }
    root = sn_max(root, least);
    return sn_sqrt(m + root) * (1 + 8 * SN_REAL_EPSILON);
}

static columns3 difference(const columns3 *a, const columns3 *b) {
    return (columns3){{sn_sub(a->c[0], b->c[0]), sn_sub(a->c[1], b->c[1]), sn_sub(a->c[2], b->c[2])}};
}

static const columns3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// --- handles ---

// A handle's map seen from a point: T(X) = place + linear (X - point) + squares + mixed.
typedef struct {
    sn_vec3 place;
    columns3 linear, square, mixed;
    bool quadratic;
} seen_map;

static inline sn_vec3 column(const sn_elastic_pose *pose, int number) {
    const sn_real *at = pose->q + (ptrdiff_t)number * pose->column;
    return sn_v3(at[0], at[pose->axis], at[2 * (ptrdiff_t)pose->axis]);
}

static inline seen_map seen_from(const sn_elastic_bounds *b, const sn_elastic_pose *pose, int handle, sn_vec3 point) {
    seen_map m;
    m.quadratic = false;
    if (handle < 0) {
        sn_quat turn = pose->anchor_rotation;
        m.place = sn_add(sn_q_rotate(turn, point), pose->anchor_position);
        m.linear = (columns3){{sn_q_axis_x(turn), sn_q_axis_y(turn), sn_q_axis_z(turn)}};
        return m;
    }
    int first = b->first_column[handle];
    sn_vec3 o = sn_sub(point, sn_elastic_handle_centre(b->asset, handle));
    for (int k = 0; k < 3; ++k) m.linear.c[k] = column(pose, first + 1 + k);
    m.place = column(pose, first);
    m.place = sn_mul_add(m.place, o.x, m.linear.c[0]);
    m.place = sn_mul_add(m.place, o.y, m.linear.c[1]);
    m.place = sn_mul_add(m.place, o.z, m.linear.c[2]);
    if (!b->asset->handle_quadratic[handle]) return m;
    m.quadratic = true;
    for (int k = 0; k < 3; ++k) {
        m.square.c[k] = column(pose, first + 4 + k);
        m.mixed.c[k] = column(pose, first + 7 + k); // xy, yz, zx
    }
    const sn_real at[3] = {o.x, o.y, o.z};
    for (int k = 0; k < 3; ++k) {
        int next = k < 2 ? k + 1 : 0; // mixed.c[k] goes with coordinates k and next
        m.place = sn_mul_add(m.place, at[k] * at[k], m.square.c[k]);
        m.place = sn_mul_add(m.place, at[k] * at[next], m.mixed.c[k]);
        m.linear.c[k] = sn_mul_add(sn_mul_add(m.linear.c[k], 2 * at[k], m.square.c[k]), at[next], m.mixed.c[k]);
        m.linear.c[next] = sn_mul_add(m.linear.c[next], at[k], m.mixed.c[k]);
    }
    return m;
}

// --- update ---

typedef struct {
    const sn_elastic_bounds *bounds;
    sn_elastic_pose pose;
    sn_bound_mode mode;
    sn_elastic_bound *bound;
} update;

enum { SPHERES_A_TASK = 64, PRIMITIVES_A_TASK = 16 };

static void place_spheres(void *context, int index, int worker) {
    (void)worker;
    const update *u = context;
    const sn_elastic_asset *asset = u->bounds->asset;
    int last = (index + 1) * SPHERES_A_TASK < asset->sphere_count ? (index + 1) * SPHERES_A_TASK : asset->sphere_count;
    for (int s = index * SPHERES_A_TASK; s < last; ++s) {
        sn_vec3 y = {0, 0, 0};
        sn_real left = 1;
        for (int k = asset->sphere_first[s]; k < asset->sphere_first[s + 1]; ++k) {
            seen_map m = seen_from(u->bounds, &u->pose, asset->sphere_handle[k], asset->centre[s]);
            y = sn_mul_add(y, asset->sphere_weight[k], m.place);
            left -= asset->sphere_weight[k];
        }
        // What rounding leaves of weights that add up to 1 is nothing.
        if (left > 16 * SN_REAL_EPSILON || left < -16 * SN_REAL_EPSILON) {
            y = sn_mul_add(y, left, seen_from(u->bounds, &u->pose, -1, asset->centre[s]).place);
        }
        u->bound->centre[s] = y;
    }
}

// What all clusters of a primitive share of one handle.
typedef struct {
    seen_map map;
    sn_real away, bent, stretched, squares, mixes; // |B - p|, |A - R|, (|A| - 1)+, of the quadratic parts
} term_now;

enum { TERMS_AT_ONCE = 48 }; // maps are kept on the stack; more handles than that are taken in turns

static sn_vec3 applied(const columns3 *a, sn_vec3 v) {
    return sn_add(sn_mul(v.x, a->c[0]), sn_add(sn_mul(v.y, a->c[1]), sn_mul(v.z, a->c[2])));
}

// What one handle adds to a cluster's growth, by the triangle inequality, and to 'sum', signs and all.
static sn_real pull(const sn_elastic_factor *f, const term_now *t, bool displaced, sn_vec3 middle, sn_vec3 *sum) {
    if (displaced) {
        sn_real moved = sn_length(sn_sub(t->map.place, middle));
        sn_real growth = (sn_abs(f->shift) + f->shift_off) * moved;
        growth += (sn_length(f->linear) + f->linear_off + f->stretch) * t->bent;
        if (!t->map.quadratic) return growth;
        return growth + (sn_length(f->square) + f->square_off) * t->squares +
               (sn_length(f->mixed) + f->mixed_off) * t->mixes;
    }
    *sum = sn_mul_add(*sum, f->shift, sn_sub(t->map.place, middle));
    *sum = sn_add(*sum, applied(&t->map.linear, f->linear));
    sn_real growth = f->shift_off * t->away + f->linear_off * t->bent + f->stretch * t->stretched;
    if (!t->map.quadratic) return growth;
    *sum = sn_add(*sum, sn_add(applied(&t->map.square, f->square), applied(&t->map.mixed, f->mixed)));
    return growth + f->square_off * t->squares + f->mixed_off * t->mixes;
}

static void grow(const update *u, int primitive) {
    const sn_elastic_bounds *b = u->bounds;
    const int *handle = b->term_handle + b->first_term[primitive];
    const sn_real *weight = b->term_weight + b->first_term[primitive];
    int count = b->first_term[primitive + 1] - b->first_term[primitive];
    sn_vec3 middle = b->middle[primitive];
    bool displaced = u->mode == SN_BOUND_DISPLACEMENT;

    columns3 mean = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    sn_vec3 place = {0, 0, 0};
    term_now term[TERMS_AT_ONCE];
    for (int i = 0; i < count; ++i) {
        seen_map m = seen_from(b, &u->pose, handle[i], middle);
        place = sn_mul_add(place, weight[i], m.place);
        for (int k = 0; k < 3; ++k) mean.c[k] = sn_mul_add(mean.c[k], weight[i], m.linear.c[k]);
        if (i < TERMS_AT_ONCE) term[i].map = m;
    }
    if (count == 0) place = middle, mean = identity; // no triangles
    memcpy(u->bound->map[primitive], mean.c, sizeof mean.c);
    if (displaced) place = middle, mean = identity;

    int first_cluster = b->first_cluster[primitive], clusters = b->first_cluster[primitive + 1] - first_cluster;
    sn_real growth[SN_BOUND_CLUSTERS];
    sn_vec3 sum[SN_BOUND_CLUSTERS];
    for (int c = 0; c < clusters; ++c) growth[c] = 0, sum[c] = sn_v3(0, 0, 0);
    for (int start = 0; start < count; start += TERMS_AT_ONCE) {
        int some = count - start < TERMS_AT_ONCE ? count - start : TERMS_AT_ONCE;
        for (int i = 0; i < some; ++i) {
            term_now *t = &term[i];
            if (start > 0) t->map = seen_from(b, &u->pose, handle[start + i], middle);
            columns3 off = difference(&t->map.linear, &mean);
            t->away = sn_length(sn_sub(t->map.place, place));
            t->bent = norm_of(&off);
            t->stretched = sn_max(norm_of(&t->map.linear) - 1, 0);
            t->squares = t->map.quadratic ? norm_of(&t->map.square) : 0;
            t->mixes = t->map.quadratic ? norm_of(&t->map.mixed) : 0;
        }
        for (int c = 0; c < clusters; ++c) {
            const sn_elastic_factor *f = b->factors + b->first_factor[first_cluster + c] + start;
            // Places are measured from the mean of the primitive: the shifts add up to 0.
            for (int i = 0; i < some; ++i) growth[c] += pull(&f[i], &term[i], displaced, place, &sum[c]);
        }
    }
    sn_real most = clusters ? -HUGE_VALF : 0;
    for (int c = 0; c < clusters; ++c) {
        most = sn_max(most, b->cluster_slack[first_cluster + c] +
                                (growth[c] + sn_length(sum[c])) * (1 + 32 * SN_REAL_EPSILON));
    }

    // Rounding, here and of the vertices elsewhere.
    const int *s = b->spheres[primitive];
    sn_vec3 y = u->bound->centre[s[0]];
    most += 16 * SN_REAL_EPSILON * (sn_abs(y.x) + sn_abs(y.y) + sn_abs(y.z) + b->size);
    u->bound->growth[primitive] = most;
    for (int k = 0; k < 3; ++k) {
        u->bound->slab[primitive].c[k] = u->bound->centre[s[k]];
        u->bound->slab[primitive].r[k] = sn_max(b->asset->radius[s[k]] + most, 0);
    }
}

static void grow_some(void *context, int index, int worker) {
    (void)worker;
    const update *u = context;
    int count = u->bounds->primitive_count;
    int last = (index + 1) * PRIMITIVES_A_TASK < count ? (index + 1) * PRIMITIVES_A_TASK : count;
    for (int i = index * PRIMITIVES_A_TASK; i < last; ++i) grow(u, i);
}

static void run(sn_pool *pool, int count, sn_iteration_fn *fn, void *context) {
    if (pool) {
        sn_parallel_for(pool, count, 1, fn, context);
    } else {
        for (int i = 0; i < count; ++i) fn(context, i, 0);
    }
}

void sn_elastic_bound_update(const sn_elastic_bounds *bounds, sn_elastic_pose pose, sn_bound_mode mode, sn_pool *pool,
                             sn_elastic_bound *bound) {
    update u = {bounds, pose, mode, bound};
    int spheres = bounds->asset->sphere_count, primitives = bounds->primitive_count;
    run(pool, (spheres + SPHERES_A_TASK - 1) / SPHERES_A_TASK, place_spheres, &u);
    run(pool, (primitives + PRIMITIVES_A_TASK - 1) / PRIMITIVES_A_TASK, grow_some, &u);
    for (int s = 0; s < spheres; ++s) bound->radius[s] = 0;
    for (int i = 0; i < primitives; ++i) {
        for (int k = 0; k < 3; ++k) {
            int s = bounds->spheres[i][k];
            bound->radius[s] = sn_max(bound->radius[s], bound->slab[i].r[k]);
        }
    }
}

sn_status sn_elastic_bound_make(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_bound *out) {
    size_t spheres = (size_t)bounds->asset->sphere_count, primitives = (size_t)bounds->primitive_count;
    *out = (sn_elastic_bound){
        .centre = sn_alloc(memory, spheres, sizeof *out->centre),
        .radius = sn_alloc(memory, spheres, sizeof *out->radius),
        .growth = sn_alloc(memory, primitives, sizeof *out->growth),
        .map = sn_alloc(memory, primitives, sizeof *out->map),
        .slab = sn_alloc(memory, primitives, sizeof *out->slab),
    };
    if (out->centre && out->radius && out->growth && out->map && out->slab) return SN_OK;
    sn_elastic_bound_free(memory, bounds, out);
    return SN_ERR_MEMORY;
}

void sn_elastic_bound_free(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_bound *bound) {
    size_t spheres = (size_t)(bounds->asset ? bounds->asset->sphere_count : 0);
    size_t primitives = (size_t)bounds->primitive_count;
    sn_free(memory, bound->centre, spheres, sizeof *bound->centre);
    sn_free(memory, bound->radius, spheres, sizeof *bound->radius);
    sn_free(memory, bound->growth, primitives, sizeof *bound->growth);
    sn_free(memory, bound->map, primitives, sizeof *bound->map);
    sn_free(memory, bound->slab, primitives, sizeof *bound->slab);
    *bound = (sn_elastic_bound){0};
}
