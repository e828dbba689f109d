// Bounds computed from the handles alone.
//
// A vertex at rest position X is assigned to a primitive: its sphere with weights t is centred at c = sum_s t_s C_s,
// and |X - c| - r is at most the primitive's slack. In the current pose the vertex is at x and that sphere at y,
//
//     x = sum_j w_j T_j(X),    y = sum_s t_s sum_j w_sj T_j(C_s),
//
// where j runs over the handles and the anchors (the identity), so that weights add up to 1. Relative to the
// primitive's middle M (the paper takes the origin, which makes the bound depend on the body's position),
//
//     T_j(X) = B_j + A_j (X - M) + S_j (X - M)~ + Q_j (X - M)^,
//
// ~ the squares of the coordinates, ^ their mixed products. With W_j = sum_s t_s w_sj, M = 0 for short:
//
//     x - y = sum_j shift_j B_j + A_j linear_j + S_j square_j + Q_j mixed_j
//     shift_j  = w_j - W_j
//     linear_j = w_j X - sum_s t_s w_sj C_s,     and so on.
//
// These numbers of a vertex, ten for each handle, are its row. The rows of a primitive's vertices are similar. They are
// written as a mean, a part linear in n = X - c, and a few more common shapes (modes; elastic_bounds_build.c finds
// them, as many as necessary):
//
//     row(X) = mode_0 + n_x mode_1 + n_y mode_2 + n_z mode_3 + part_4 mode_4 + ... + rest
//
// Applied to the handles' maps, with signs, each mode is a vector: u_0, the columns of a matrix L, u_4, ... So
//
//     x - y = L n + u_0 + part_4 u_4 + ... + rest,      |rest| <= sum_j shift_j |B_j - p| + linear_j |A_j - R| + ...
//
// where only the rest, which is small, uses the triangle inequality over handles. It adds up to 0 over j like the
// shifts (weights add up to 1), so any vector p may be subtracted from all B_j there, and any matrix R from all A_j:
// the means over the primitive's handles, which removes the motion of the primitive as a whole. A pure rotation has
// L = R and |L n| = |n|, and costs nothing. Handles that cancel each other, as they do near anchors and wherever there
// are more of them than the motion needs, cancel in the modes.
//
// For a cluster of neighbouring vertices, u = u_0 + part_4 u_4 + ... with the mid-range of their parts; |u_k| times
// half the range of each is the remainder. |L n + u|^2 = n L'L n + 2 n L'u + u^2. With n = |n| d, the first term is at
// most |n|^2 (1 + E : dd), E = L'L - 1; over the cluster that is E : (mean of dd) plus |E| times the deviation of a
// vertex, or the largest singular value. The second is at most the support of the box of all d along L'u. The sum is
// convex in |n| and largest at the minimum or maximum |n| of the cluster. A primitive grows by the maximum over its
// clusters. Their number is limited, so the cost does not depend on the resolution of the surface.
//
// Displacement bounding, for comparison, is eqs. 10 to 16: displacements, B_j - M and A_j - 1, each by its norm.
#include "medial/elastic_bounds.h"
#include "medial/medial_bvh.h"
#include <string.h>

// ---- matrices, as columns

typedef struct {
    sn_vec3 c[3];
} columns3;

// An upper bound of the largest singular value. With G = AᵀA = m + G', m a third of its trace, the eigenvalues of G'
// solve x^3 - p x - q = 0, and the largest is at most 2 sqrt(p/3). From there Newton's method descends to it and never
// below.
static sn_real norm_of(const columns3 *a) {
    sn_real xx = sn_dot(a->c[0], a->c[0]), yy = sn_dot(a->c[1], a->c[1]), zz = sn_dot(a->c[2], a->c[2]);
    sn_real xy = sn_dot(a->c[0], a->c[1]), yz = sn_dot(a->c[1], a->c[2]), zx = sn_dot(a->c[2], a->c[0]);
    sn_real m = (xx + yy + zz) / 3;
    if (!(m > 0)) return 0;
    xx -= m, yy -= m, zz -= m;
    sn_real off = xy * xy + yz * yz + zx * zx;
    sn_real p = (xx * xx + yy * yy + zz * zz) / 2 + off;
    sn_real q = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx);
    sn_real min = sn_sqrt(p / 3), root = 2 * min;
    for (int i = 0; i < 4; i++) {
        sn_real slope = 3 * root * root - p;
        if (!(slope > SN_REAL_EPSILON * p)) break;
        root -= ((root * root - p) * root - q) / slope;
    }
    root = sn_max(root, min);
    return sn_sqrt(m + root) * (1 + 8 * SN_REAL_EPSILON);
}

static columns3 difference(const columns3 *a, const columns3 *b) {
    return (columns3){{sn_sub(a->c[0], b->c[0]), sn_sub(a->c[1], b->c[1]), sn_sub(a->c[2], b->c[2])}};
}

static const columns3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// ---- handles

// A handle's map expanded about a point: T(X) = position + linear (X - point) + squares + mixed.
typedef struct {
    sn_vec3 position;
    columns3 linear, square, mixed;
    bool quadratic;
} local_map;

static inline sn_vec3 column(const sn_elastic_pose *pose, int index) {
    const sn_real *at = pose->q + (ptrdiff_t)index * pose->column;
    return sn_v3(at[0], at[pose->axis], at[2 * (ptrdiff_t)pose->axis]);
}

static inline local_map expand_map(const sn_elastic_bounds *b, const sn_elastic_pose *pose, int handle, sn_vec3 point) {
    local_map m;
    m.quadratic = false;
    if (handle < 0) {
        sn_quat rotation = pose->anchor_rotation;
        m.position = sn_add(sn_q_rotate(rotation, point), pose->anchor_position);
        m.linear = (columns3){{sn_q_axis_x(rotation), sn_q_axis_y(rotation), sn_q_axis_z(rotation)}};
        return m;
    }
    int first = b->first_column[handle];
    sn_vec3 o = sn_sub(point, sn_elastic_handle_centre(b->asset, handle));
    for (int k = 0; k < 3; k++) m.linear.c[k] = column(pose, first + 1 + k);
    m.position = column(pose, first);
    m.position = sn_mul_add(m.position, o.x, m.linear.c[0]);
    m.position = sn_mul_add(m.position, o.y, m.linear.c[1]);
    m.position = sn_mul_add(m.position, o.z, m.linear.c[2]);
    if (!b->asset->handle_quadratic[handle]) return m;
    m.quadratic = true;
    for (int k = 0; k < 3; k++) {
        m.square.c[k] = column(pose, first + 4 + k);
        m.mixed.c[k] = column(pose, first + 7 + k); // xy, yz, zx
    }
    const sn_real at[3] = {o.x, o.y, o.z};
    for (int k = 0; k < 3; k++) {
        int next = k < 2 ? k + 1 : 0; // mixed.c[k] goes with coordinates k and next
        m.position = sn_mul_add(m.position, at[k] * at[k], m.square.c[k]);
        m.position = sn_mul_add(m.position, at[k] * at[next], m.mixed.c[k]);
        m.linear.c[k] = sn_mul_add(sn_mul_add(m.linear.c[k], 2 * at[k], m.square.c[k]), at[next], m.mixed.c[k]);
        m.linear.c[next] = sn_mul_add(m.linear.c[next], at[k], m.mixed.c[k]);
    }
    return m;
}

// ---- update

typedef struct {
    const sn_elastic_bounds *bounds;
    sn_elastic_pose pose;
    sn_bounds_mode mode;
    sn_elastic_bounds_state *state;
} update;

enum { SPHERES_PER_TASK = 64, PRIMITIVES_PER_TASK = 16 };

static void update_spheres(void *context, int index, int worker) {
    (void)worker;
    const update *u = context;
    const sn_elastic_asset *asset = u->bounds->asset;
    int last =
        (index + 1) * SPHERES_PER_TASK < asset->sphere_count ? (index + 1) * SPHERES_PER_TASK : asset->sphere_count;
    for (int s = index * SPHERES_PER_TASK; s < last; s++) {
        const int first = asset->sphere_first[s], count = asset->sphere_first[s + 1] - first;
        const double divisor = sn_elastic_weight_divisor(asset->sphere_weight + first, count);
        sn_vec3 y = {0, 0, 0};
        double left = 1;
        for (int k = first; k < first + count; k++) {
            const double w = (double)asset->sphere_weight[k] / divisor;
            local_map m = expand_map(u->bounds, &u->pose, asset->sphere_handle[k], asset->centre[s]);
            y = sn_mul_add(y, (sn_real)w, m.position);
            left -= w;
        }
        // Ignore the rounding error of weights that add up to 1.
        if (left > 1e-6 || left < -1e-6) {
            y = sn_mul_add(y, (sn_real)left, expand_map(u->bounds, &u->pose, -1, asset->centre[s]).position);
        }
        u->state->centre[s] = y;
    }
}

// The modes of a primitive applied to its handles, by coordinate.
typedef struct {
    sn_real x[SN_BOUNDS_MAX_MODES], y[SN_BOUNDS_MAX_MODES], z[SN_BOUNDS_MAX_MODES];
} mode_vectors;

static inline void add_column(mode_vectors *u, const sn_real *numbers, int modes, sn_vec3 column) {
    for (int m = 0; m < modes; m++) {
        u->x[m] += numbers[m] * column.x;
        u->y[m] += numbers[m] * column.y;
        u->z[m] += numbers[m] * column.z;
    }
}

// Adds the contribution of one handle; positions are relative to p. Returns the numbers of the next handle.
static const sn_real *add_modes(mode_vectors *u, const sn_real *numbers, int modes, const local_map *m, sn_vec3 p) {
    add_column(u, numbers, modes, sn_sub(m->position, p)), numbers += modes;
    for (int k = 0; k < 3; ++k, numbers += modes) add_column(u, numbers, modes, m->linear.c[k]);
    if (!m->quadratic) return numbers;
    for (int k = 0; k < 3; ++k, numbers += modes) add_column(u, numbers, modes, m->square.c[k]);
    for (int k = 0; k < 3; ++k, numbers += modes) add_column(u, numbers, modes, m->mixed.c[k]);
    return numbers;
}

static inline sn_vec3 mode_at(const mode_vectors *u, int m) {
    return sn_v3(u->x[m], u->y[m], u->z[m]);
}

// What all clusters of a primitive share.
typedef struct {
    columns3 l;
    sn_real e[6], size, norm; // L'L - 1 (xx, yy, zz, xy, yz, zx), its length, and |L|
} stretch;

static stretch stretch_of(const mode_vectors *u) {
    stretch s = {.l = {{mode_at(u, 1), mode_at(u, 2), mode_at(u, 3)}}};
    for (int k = 0; k < 3; k++) {
        s.e[k] = sn_dot(s.l.c[k], s.l.c[k]) - 1;
        s.e[3 + k] = sn_dot(s.l.c[k], s.l.c[k < 2 ? k + 1 : 0]);
        s.size += s.e[k] * s.e[k] + 2 * s.e[3 + k] * s.e[3 + k];
    }
    s.size = sn_sqrt(s.size) * (1 + 8 * SN_REAL_EPSILON);
    s.norm = norm_of(&s.l);
    return s;
}

static sn_real max_along(sn_vec3 lo, sn_vec3 hi, sn_vec3 g) {
    return sn_max(lo.x * g.x, hi.x * g.x) + sn_max(lo.y * g.y, hi.y * g.y) + sn_max(lo.z * g.z, hi.z * g.z);
}

// The maximum of |L n + u| - |n| over a cluster.
static sn_real max_stretch(const sn_elastic_cluster *c, const stretch *s, sn_vec3 u) {
    sn_real wide = c->direction_deviation * s->size;
    for (int k = 0; k < 6; k++) wide += (k < 3 ? 1 : 2) * c->direction[k] * s->e[k];
    const sn_real a = sn_max(sn_min(s->norm * s->norm - 1, wide), -1) + 1 + 32 * SN_REAL_EPSILON * (1 + s->size);
    const sn_vec3 g = {sn_dot(s->l.c[0], u), sn_dot(s->l.c[1], u), sn_dot(s->l.c[2], u)};
    const sn_real reach = sn_length(g) * (1 + 8 * SN_REAL_EPSILON);
    const sn_real along = sn_min(max_along(c->lo, c->hi, g) + 8 * SN_REAL_EPSILON * reach, reach);
    const sn_real b = sn_max(sn_dot(u, u), along * along / a); // keeps it convex
    sn_real max = -HUGE_VALF;
    for (int k = 0; k < 2; k++) {
        const sn_real n = k ? c->reach : c->reach_min;
        max = sn_max(max, sn_sqrt(sn_max((a * n + 2 * along) * n + b, 0)) * (1 + 8 * SN_REAL_EPSILON) - n);
    }
    return max;
}

// u of the clusters of a primitive, by coordinate, and the remainder for the triangle inequality.
typedef struct {
    sn_real x[SN_BOUNDS_MAX_CLUSTERS], y[SN_BOUNDS_MAX_CLUSTERS], z[SN_BOUNDS_MAX_CLUSTERS],
        width[SN_BOUNDS_MAX_CLUSTERS];
} cluster_vectors;

static void add_mode(cluster_vectors *at, const sn_real *restrict part, int clusters, sn_vec3 u) {
    for (int c = 0; c < clusters; c++) {
        at->x[c] += part[c] * u.x;
        at->y[c] += part[c] * u.y;
        at->z[c] += part[c] * u.z;
    }
}

// An upper bound of how far a primitive's vertices are outside of it, from the modes.
static sn_real mode_growth(const sn_elastic_bounds *b, int primitive, const mode_vectors *u) {
    const int first = b->first_cluster[primitive], clusters = b->first_cluster[primitive + 1] - first;
    const bool wide = sn_elastic_bounds_is_clustered(b, primitive);
    const sn_real *part = b->parts + b->first_part[primitive];
    const stretch s = stretch_of(u);
    sn_real max = -HUGE_VALF, rounding = 0;
    cluster_vectors at;
    for (int c = 0; c < clusters; c++) at.x[c] = u->x[0], at.y[c] = u->y[0], at.z[c] = u->z[0], at.width[c] = 0;
    for (int m = 4; m < b->mode_count[primitive]; ++m, part += clusters) {
        const sn_real length = sn_length(mode_at(u, m)) * (1 + 8 * SN_REAL_EPSILON);
        add_mode(&at, part, clusters, mode_at(u, m));
        rounding += SN_REAL_EPSILON * length; // parts are at most 1
        if (!wide) continue;
        part += clusters;
        for (int c = 0; c < clusters; c++) at.width[c] += part[c] * length;
    }
    for (int c = 0; c < clusters; c++) {
        const sn_elastic_cluster *cluster = &b->clusters[first + c];
        const sn_vec3 shift = {at.x[c], at.y[c], at.z[c]};
        const sn_real base = cluster->slack + at.width[c] * (1 + 32 * SN_REAL_EPSILON) + rounding;
        // Skip the cluster if |L| |n| + |u| - |n| is already less than the maximum.
        const sn_real spare = max - base - (s.norm - 1) * (s.norm > 1 ? cluster->reach : cluster->reach_min);
        if (spare > 0 && sn_dot(shift, shift) * (1 + 32 * SN_REAL_EPSILON) < spare * spare) continue;
        max = sn_max(max, base + max_stretch(cluster, &s, shift));
    }
    return max;
}

static void grow(const update *u, int primitive) {
    const sn_elastic_bounds *b = u->bounds;
    const int *handle = b->term_handle + b->first_term[primitive];
    const sn_real *weight = b->term_weight + b->first_term[primitive];
    const sn_elastic_deviation *rest = b->rest + b->first_term[primitive];
    const sn_elastic_deviation *max = b->displaced + b->first_term[primitive];
    const sn_real *numbers = b->numbers + b->first_number[primitive];
    int count = b->first_term[primitive + 1] - b->first_term[primitive], modes = b->mode_count[primitive];
    sn_vec3 middle = b->middle[primitive];
    bool displaced = u->mode == SN_BOUNDS_DISPLACEMENT;

    columns3 mean = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    sn_vec3 position = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        local_map m = expand_map(b, &u->pose, handle[i], middle);
        position = sn_mul_add(position, weight[i], m.position);
        for (int k = 0; k < 3; k++) mean.c[k] = sn_mul_add(mean.c[k], weight[i], m.linear.c[k]);
    }
    if (count == 0) position = middle, mean = identity; // no triangles
    memcpy(u->state->map[primitive], mean.c, sizeof mean.c);
    if (displaced) position = middle, mean = identity;

    mode_vectors vectors = {{0}, {0}, {0}};
    sn_real growth = 0, all = 0; // by the triangle inequality: the rest, and the total
    for (int i = 0; i < count; i++) {
        const local_map m = expand_map(b, &u->pose, handle[i], middle);
        const columns3 off = difference(&m.linear, &mean);
        const sn_real away = sn_length(sn_sub(m.position, position)), bent = norm_of(&off);
        growth += rest[i].shift * away + rest[i].linear * bent;
        all += max[i].shift * away + max[i].linear * bent;
        if (m.quadratic) {
            const sn_real squares = norm_of(&m.square), mixes = norm_of(&m.mixed);
            growth += rest[i].square * squares + rest[i].mixed * mixes;
            all += max[i].square * squares + max[i].mixed * mixes;
        }
        if (!displaced) numbers = add_modes(&vectors, numbers, modes, &m, position);
    }
    if (displaced) growth = all;
    growth += 128 * SN_REAL_EPSILON * all; // rounding errors of handles that cancel each other
    if (displaced && count > 0) {
        sn_real slack = -HUGE_VALF;
        for (int c = b->first_cluster[primitive]; c < b->first_cluster[primitive + 1]; c++)
            slack = sn_max(slack, b->clusters[c].slack);
        growth += slack;
    } else if (count > 0) {
        growth += mode_growth(b, primitive, &vectors);
    }

    // Rounding errors, here and of the vertices.
    const int *s = b->spheres[primitive];
    sn_vec3 y = u->state->centre[s[0]];
    growth += 64 * SN_REAL_EPSILON * (sn_abs(y.x) + sn_abs(y.y) + sn_abs(y.z) + b->size);
    u->state->growth[primitive] = growth;
    for (int k = 0; k < 3; k++) {
        u->state->slab[primitive].c[k] = u->state->centre[s[k]];
        u->state->slab[primitive].r[k] = sn_max(b->asset->radius[s[k]] + growth, 0);
    }
}

static void grow_primitives(void *context, int index, int worker) {
    (void)worker;
    const update *u = context;
    int count = u->bounds->primitive_count;
    int last = (index + 1) * PRIMITIVES_PER_TASK < count ? (index + 1) * PRIMITIVES_PER_TASK : count;
    for (int i = index * PRIMITIVES_PER_TASK; i < last; i++) grow(u, i);
}

static void run(sn_pool *pool, int count, sn_iteration_fn *fn, void *context) {
    if (pool) {
        sn_parallel_for(pool, count, 1, fn, context);
    } else {
        for (int i = 0; i < count; i++) fn(context, i, 0);
    }
}

void sn_elastic_bounds_update(const sn_elastic_bounds *bounds, sn_elastic_pose pose, sn_bounds_mode mode, sn_pool *pool,
                              sn_elastic_bounds_state *state) {
    update u = {bounds, pose, mode, state};
    int spheres = bounds->asset->sphere_count, primitives = bounds->primitive_count;
    run(pool, (spheres + SPHERES_PER_TASK - 1) / SPHERES_PER_TASK, update_spheres, &u);
    run(pool, (primitives + PRIMITIVES_PER_TASK - 1) / PRIMITIVES_PER_TASK, grow_primitives, &u);
    for (int s = 0; s < spheres; s++) state->radius[s] = 0;
    for (int i = 0; i < primitives; i++) {
        for (int k = 0; k < 3; k++) {
            int s = bounds->spheres[i][k];
            state->radius[s] = sn_max(state->radius[s], state->slab[i].r[k]);
        }
    }
}

sn_status sn_elastic_bounds_state_init(sn_memory *memory, const sn_elastic_bounds *bounds,
                                       sn_elastic_bounds_state *out) {
    size_t spheres = (size_t)bounds->asset->sphere_count, primitives = (size_t)bounds->primitive_count;
    *out = (sn_elastic_bounds_state){
        .centre = sn_alloc(memory, spheres, sizeof *out->centre),
        .radius = sn_alloc(memory, spheres, sizeof *out->radius),
        .growth = sn_alloc(memory, primitives, sizeof *out->growth),
        .map = sn_alloc(memory, primitives, sizeof *out->map),
        .slab = sn_alloc(memory, primitives, sizeof *out->slab),
    };
    if (out->centre && out->radius && out->growth && out->map && out->slab) return SN_OK;
    sn_elastic_bounds_state_free(memory, bounds, out);
    return SN_ERR_MEMORY;
}

void sn_elastic_bounds_state_free(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_bounds_state *state) {
    size_t spheres = (size_t)(bounds->asset ? bounds->asset->sphere_count : 0);
    size_t primitives = (size_t)bounds->primitive_count;
    sn_free(memory, state->centre, spheres, sizeof *state->centre);
    sn_free(memory, state->radius, spheres, sizeof *state->radius);
    sn_free(memory, state->growth, primitives, sizeof *state->growth);
    sn_free(memory, state->map, primitives, sizeof *state->map);
    sn_free(memory, state->slab, primitives, sizeof *state->slab);
    *state = (sn_elastic_bounds_state){0};
}
