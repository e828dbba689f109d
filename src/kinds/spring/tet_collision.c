// Collision of tetrahedral bodies. See tet_meet.h.
//
// Everything is asked of the spatial hash of Q's tetrahedra: the tetrahedron that holds a point, the boundary faces
// that an edge goes through, and the tetrahedra that one meets.
#include "kinds/spring/tet_collision.h"
#include "geometry/triangle.h"
#include "kinds/spring/spring_body.h"
#include "kinds/spring/spring_volume.h"
#include "kinds/spring/tet_embedding.h"
#include <string.h>

// --- shapes ---

static bool find_neighbours(sn_tet_shape *shape) {
    int use_count = 0;
    sn_edge_use *uses = sn_edge_uses(shape->memory, shape->count, &shape->tets[0][0], 4, shape->tet_count, &use_count);
    if (!uses) return false;
    int edges = 0;
    for (int i = 0; i < use_count; i++) edges += sn_edge_is_new(uses, i);
    shape->neighbour_count = 2 * edges;
    shape->neighbours = sn_alloc(shape->memory, 2 * (size_t)edges, sizeof *shape->neighbours);
    if (shape->neighbours) {
        for (int i = 0; i < use_count; i++)
            if (sn_edge_is_new(uses, i)) ++shape->first[uses[i].a], ++shape->first[uses[i].b];
        for (int i = 0, sum = 0; i <= shape->count; i++) shape->first[i] = sum += shape->first[i];
        for (int i = use_count - 1; i >= 0; --i) {
            if (!sn_edge_is_new(uses, i)) continue;
            shape->neighbours[--shape->first[uses[i].a]] = uses[i].b;
            shape->neighbours[--shape->first[uses[i].b]] = uses[i].a;
        }
    }
    sn_free(shape->memory, uses, (size_t)use_count, sizeof *uses);
    return shape->neighbours != NULL;
}

sn_status sn_tet_shape_create(sn_memory *memory, int count, const int (*tets)[4], int tet_count, sn_tet_shape **out) {
    *out = NULL;
    if (count < 4 || tet_count < 1 || !tets) return SN_ERR_RANGE;
    for (int k = 0; k < 4 * tet_count; k++)
        if (tets[k / 4][k % 4] < 0 || tets[k / 4][k % 4] >= count) return SN_ERR_RANGE;
    sn_tet_shape *shape = sn_alloc(memory, 1, sizeof *shape);
    if (!shape) return SN_ERR_MEMORY;
    shape->memory = memory;
    shape->count = count;
    shape->tet_count = tet_count;
    shape->tets = sn_alloc(memory, (size_t)tet_count, sizeof *shape->tets);
    shape->face_of = sn_alloc(memory, 4 * (size_t)tet_count, sizeof *shape->face_of);
    shape->first = sn_alloc(memory, (size_t)count + 1, sizeof *shape->first);
    shape->faces = sn_tet_faces(memory, count, tets, tet_count, &shape->face_count);
    bool good = shape->tets && shape->face_of && shape->first && shape->faces;
    if (good) {
        memcpy(shape->tets, tets, (size_t)tet_count * sizeof *shape->tets);
        good = find_neighbours(shape);
        for (int k = 0; k < 4 * tet_count; k++) shape->face_of[k] = -1;
        for (int f = 0; f < shape->face_count; f++) {
            const sn_tet_face *face = &shape->faces[f];
            for (int k = 0; k < 4; k++) {
                const int corner = tets[face->tet][k];
                if (corner != face->corner[0] && corner != face->corner[1] && corner != face->corner[2])
                    shape->face_of[4 * face->tet + k] = f;
            }
        }
    }
    if (!good) {
        sn_tet_shape_destroy(shape);
        return SN_ERR_MEMORY;
    }
    *out = shape;
    return SN_OK;
}

void sn_tet_shape_destroy(sn_tet_shape *shape) {
    if (!shape) return;
    sn_memory *memory = shape->memory;
    const size_t n = (size_t)shape->tet_count;
    sn_free(memory, shape->tets, n, sizeof *shape->tets);
    sn_free(memory, shape->face_of, 4 * n, sizeof *shape->face_of);
    sn_free(memory, shape->faces, 4 * n, sizeof *shape->faces);
    sn_free(memory, shape->first, (size_t)shape->count + 1, sizeof *shape->first);
    sn_free(memory, shape->neighbours, (size_t)shape->neighbour_count, sizeof *shape->neighbours);
    sn_free(memory, shape, 1, sizeof *shape);
}

// --- do two tetrahedra meet ---

typedef struct {
    double x, y, z;
} wide;

static wide wide_sub(sn_vec3 a, sn_vec3 b) {
    return (wide){(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
}
static wide wide_minus(wide a, wide b) {
    return (wide){a.x - b.x, a.y - b.y, a.z - b.z};
}
static wide wide_cross(wide a, wide b) {
    return (wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double wide_dot(wide a, wide b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool separates(wide axis, const wide a[4], const wide b[4]) {
    double a_low = wide_dot(axis, a[0]), a_high = a_low, b_low = wide_dot(axis, b[0]), b_high = b_low;
    for (int k = 1; k < 4; k++) {
        const double on_a = wide_dot(axis, a[k]), on_b = wide_dot(axis, b[k]);
        a_low = on_a < a_low ? on_a : a_low, a_high = on_a > a_high ? on_a : a_high;
        b_low = on_b < b_low ? on_b : b_low, b_high = on_b > b_high ? on_b : b_high;
    }
    return a_high < b_low || b_high < a_low;
}

static const int edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

bool sn_tets_meet(const sn_vec3 a[4], const sn_vec3 b[4]) {
    wide u[4], v[4], edge_u[6], edge_v[6];
    for (int k = 0; k < 4; k++) u[k] = wide_sub(a[k], a[0]), v[k] = wide_sub(b[k], a[0]);
    for (int k = 0; k < 4; k++) {
        const int *f = face_corners[k];
        if (separates(wide_cross(wide_minus(u[f[1]], u[f[0]]), wide_minus(u[f[2]], u[f[0]])), u, v)) return false;
        if (separates(wide_cross(wide_minus(v[f[1]], v[f[0]]), wide_minus(v[f[2]], v[f[0]])), u, v)) return false;
    }
    for (int k = 0; k < 6; k++) {
        edge_u[k] = wide_minus(u[edge_ends[k][1]], u[edge_ends[k][0]]);
        edge_v[k] = wide_minus(v[edge_ends[k][1]], v[edge_ends[k][0]]);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (separates(wide_cross(edge_u[i], edge_v[j]), u, v)) return false;
    return true;
}

// --- the four phases ---

void sn_tet_meet_init(sn_tet_meet *meet, sn_memory *memory) {
    *meet = (sn_tet_meet){.memory = memory};
    sn_tet_grid_init(&meet->grid, memory);
}

void sn_tet_meet_free(sn_tet_meet *meet) {
    sn_memory *memory = meet->memory;
    sn_tet_grid_free(&meet->grid);
    sn_free(memory, meet->pairs, (size_t)meet->pair_room, sizeof *meet->pairs);
    sn_free(memory, meet->sunk, (size_t)meet->sunk_room, sizeof *meet->sunk);
    sn_free(memory, meet->normals, (size_t)meet->normal_room, sizeof *meet->normals);
    sn_free(memory, meet->queue, (size_t)meet->queue_room, sizeof *meet->queue);
    sn_tet_meet_init(meet, memory);
}

static void corners_at(const sn_real *x, const int at[4], sn_vec3 corner[4]) {
    for (int k = 0; k < 4; k++) corner[k] = sn_spring_quad(x, at[k]);
}

typedef struct {
    sn_tet_meet *meet;
    const sn_tet_shape *q;
    const sn_real *xq;
    int tet; // of P
    sn_vec3 corner[4];
    bool failed;
} pairing;

static bool note_pair(void *context, int tet) {
    pairing *w = context;
    sn_tet_meet *meet = w->meet;
    sn_vec3 corner[4];
    corners_at(w->xq, w->q->tets[tet], corner);
    if (!sn_tets_meet(w->corner, corner)) return true;
    if (!sn_reserve(meet->memory, (void **)&meet->pairs, &meet->pair_room, meet->pair_count + 1, sizeof *meet->pairs)) {
        w->failed = true;
        return false;
    }
    meet->pairs[meet->pair_count++] = (sn_tet_pair){w->tet, tet};
    return true;
}

sn_status sn_tet_meet_pairs(sn_tet_meet *meet, const sn_tet_shape *p, const sn_real *xp, const sn_tet_shape *q,
                            const sn_real *xq) {
    pairing w = {.meet = meet, .q = q, .xq = xq};
    meet->pair_count = 0;
    if (!sn_tet_grid_build(&meet->grid, xq, (const int(*)[4])q->tets, q->tet_count)) return SN_ERR_MEMORY;
    for (w.tet = 0; w.tet < p->tet_count && !w.failed; w.tet++) {
        corners_at(xp, p->tets[w.tet], w.corner);
        const sn_tet_box box = sn_tet_box_of(xp, p->tets[w.tet]);
        sn_tet_grid_visit(&meet->grid, &box, note_pair, &w);
    }
    return w.failed ? SN_ERR_MEMORY : SN_OK;
}

// Phase 1.
typedef struct {
    const sn_tet_shape *q;
    const sn_real *xq;
    sn_vec3 point;
    sn_tet_sunk *sunk;
} containing;

static bool holds(void *context, int tet) {
    const containing *w = context;
    sn_vec3 corner[4];
    double weight[4];
    corners_at(w->xq, w->q->tets[tet], corner);
    if (!sn_tet_weights(corner, w->point, weight)) return true;
    if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0 || weight[3] < 0) return true;
    w->sunk->tet = tet;
    for (int k = 0; k < 4; k++) w->sunk->weight[k] = (sn_real)weight[k];
    return false;
}

static void find_inside(sn_tet_meet *meet, const sn_tet_shape *p, const sn_real *xp, const sn_tet_shape *q,
                        const sn_real *xq) {
    for (int i = 0; i < p->count; i++) {
        meet->sunk[i] = (sn_tet_sunk){.tet = -1, .round = -1};
        containing w = {q, xq, sn_spring_quad(xp, i), &meet->sunk[i]};
        const sn_tet_box box = {w.point, w.point};
        sn_tet_grid_visit(&meet->grid, &box, holds, &w);
        meet->inside += meet->sunk[i].tet >= 0;
    }
}

static void find_normals(sn_tet_meet *meet, const sn_tet_shape *q, const sn_real *xq) {
    memset(meet->normals, 0, (size_t)q->count * sizeof *meet->normals);
    for (int f = 0; f < q->face_count; f++) {
        const int *c = q->faces[f].corner;
        const sn_vec3 a = sn_spring_quad(xq, c[0]);
        const sn_vec3 n = sn_cross(sn_sub(sn_spring_quad(xq, c[1]), a), sn_sub(sn_spring_quad(xq, c[2]), a));
        for (int k = 0; k < 3; k++) meet->normals[c[k]] = sn_add(meet->normals[c[k]], n);
    }
    for (int i = 0; i < q->count; i++) meet->normals[i] = sn_normalize(meet->normals[i], sn_v3(0, 0, 0));
}

// Phase 2: an edge of P from a point inside Q to one outside, and where it goes through the boundary nearest to the
// inner end.
typedef struct {
    const sn_tet_meet *meet;
    const sn_tet_shape *q;
    const sn_real *xq;
    sn_vec3 from, to;
    sn_real t; // above 1: not found
    sn_vec3 normal;
} crossing;

static bool crosses(void *context, int tet) {
    crossing *w = context;
    for (int f = 0; f < 4; f++) {
        const int number = w->q->face_of[4 * tet + f];
        if (number < 0) continue;
        const int *c = w->q->faces[number].corner;
        const sn_triangle triangle = {sn_spring_quad(w->xq, c[0]), sn_spring_quad(w->xq, c[1]),
                                      sn_spring_quad(w->xq, c[2])};
        sn_real t, beta, gamma;
        if (!sn_segment_through_triangle(w->from, w->to, &triangle, &t, &beta, &gamma) || t >= w->t) continue;
        const sn_vec3 *normal = w->meet->normals;
        w->t = t;
        w->normal = sn_mul(1 - beta - gamma, normal[c[0]]);
        w->normal = sn_mul_add(sn_mul_add(w->normal, beta, normal[c[1]]), gamma, normal[c[2]]);
    }
    return true;
}

// The nearest to 0 that a distance counts as: weights are its inverse.
static sn_real weight_of(sn_vec3 way) {
    const sn_real length = sn_length(way), least = sizeof(sn_real) == 4 ? (sn_real)1e-12 : (sn_real)1e-30;
    return 1 / sn_max(length, least);
}

// Turns the sums of a point (weights, depths, directions) into its depth and direction.
static void settle(sn_tet_sunk *sunk, const sn_real sum[5], int round) {
    sunk->depth = sn_max(0, sum[1] / sum[0]);
    sunk->direction = sn_normalize(sn_v3(sum[2], sum[3], sum[4]), sn_v3(0, 0, 0));
    sunk->round = round;
}

static void gather(sn_real sum[5], sn_real weight, sn_real depth, sn_vec3 direction) {
    sum[0] += weight, sum[1] += weight * depth;
    sum[2] += weight * direction.x, sum[3] += weight * direction.y, sum[4] += weight * direction.z;
}

// Phases 2 and 3: a border point takes its depth and direction from all its crossings.
static void settle_border(sn_tet_meet *meet, const sn_tet_shape *p, const sn_real *xp, const sn_tet_shape *q,
                          const sn_real *xq) {
    for (int i = 0; i < p->count; i++) {
        if (meet->sunk[i].tet < 0) continue;
        sn_real sum[5] = {0};
        for (int n = p->first[i]; n < p->first[i + 1]; n++) {
            if (meet->sunk[p->neighbours[n]].tet >= 0) continue;
            crossing w = {.meet = meet, .q = q, .xq = xq, .t = 2};
            w.from = sn_spring_quad(xp, i), w.to = sn_spring_quad(xp, p->neighbours[n]);
            const int ends[4] = {i, p->neighbours[n], i, i};
            const sn_tet_box box = sn_tet_box_of(xp, ends);
            sn_tet_grid_visit(&meet->grid, &box, crosses, &w);
            if (w.t > 1) continue;
            const sn_vec3 way = sn_mul(w.t, sn_sub(w.to, w.from)), normal = sn_normalize(w.normal, sn_v3(0, 0, 0));
            gather(sum, weight_of(way), sn_dot(way, normal), normal);
        }
        if (!(sum[0] > 0)) continue;
        settle(&meet->sunk[i], sum, 0);
        meet->queue[meet->border++] = i;
    }
}

// Phase 4: a round takes the inner neighbours of the last round's points. They look at earlier rounds only, so their
// order does not matter.
static void settle_inner(sn_tet_meet *meet, const sn_tet_shape *p, const sn_real *xp) {
    int begin = 0, end = meet->border;
    for (int round = 1; begin < end; round++) {
        int next = end;
        for (int k = begin; k < end; k++) {
            const int from = meet->queue[k];
            for (int n = p->first[from]; n < p->first[from + 1]; n++) {
                sn_tet_sunk *sunk = &meet->sunk[p->neighbours[n]];
                if (sunk->tet < 0 || sunk->round >= 0) continue;
                sunk->round = round;
                meet->queue[next++] = p->neighbours[n];
            }
        }
        for (int k = end; k < next; k++) {
            const int i = meet->queue[k];
            sn_real sum[5] = {0};
            for (int n = p->first[i]; n < p->first[i + 1]; n++) {
                const sn_tet_sunk *known = &meet->sunk[p->neighbours[n]];
                if (known->round < 0 || known->round >= round) continue;
                const sn_vec3 way = sn_sub(sn_spring_quad(xp, p->neighbours[n]), sn_spring_quad(xp, i));
                gather(sum, weight_of(way), sn_dot(way, known->direction) + known->depth, known->direction);
            }
            settle(&meet->sunk[i], sum, round);
        }
        begin = end, end = next;
    }
}

// The nearest place on Q's surface.
static void settle_naive(sn_tet_meet *meet, int point, const sn_real *xp, const sn_tet_shape *q, const sn_real *xq) {
    const sn_vec3 x = sn_spring_quad(xp, point);
    sn_real best = -1;
    sn_vec3 out = {0, 0, 0};
    for (int f = 0; f < q->face_count; f++) {
        const int *c = q->faces[f].corner;
        const sn_triangle triangle = {sn_spring_quad(xq, c[0]), sn_spring_quad(xq, c[1]), sn_spring_quad(xq, c[2])};
        sn_real beta, gamma;
        sn_vec3 offset;
        const sn_real distance2 = sn_point_triangle(x, &triangle, &beta, &gamma, &offset);
        if (best >= 0 && distance2 >= best) continue;
        best = distance2, out = sn_mul(-1, offset);
    }
    meet->sunk[point].depth = best > 0 ? sn_sqrt(best) : 0;
    meet->sunk[point].direction = sn_normalize(out, sn_v3(0, 0, 0));
}

sn_status sn_tet_meet_find(sn_tet_meet *meet, const sn_tet_shape *p, const sn_real *xp, const sn_tet_shape *q,
                           const sn_real *xq, sn_tet_response response) {
    sn_memory *memory = meet->memory;
    meet->inside = meet->border = 0;
    if (!sn_reserve(memory, (void **)&meet->sunk, &meet->sunk_room, p->count, sizeof *meet->sunk) ||
        !sn_reserve(memory, (void **)&meet->queue, &meet->queue_room, p->count, sizeof *meet->queue) ||
        !sn_reserve(memory, (void **)&meet->normals, &meet->normal_room, q->count, sizeof *meet->normals) ||
        !sn_tet_grid_build(&meet->grid, xq, (const int(*)[4])q->tets, q->tet_count))
        return SN_ERR_MEMORY;
    find_inside(meet, p, xp, q, xq);
    if (meet->inside == 0) return SN_OK;
    if (response == SN_TET_CONSISTENT) {
        find_normals(meet, q, xq);
        settle_border(meet, p, xp, q, xq);
        settle_inner(meet, p, xp);
    }
    for (int i = 0; i < p->count; i++)
        if (meet->sunk[i].tet >= 0 && meet->sunk[i].round < 0) settle_naive(meet, i, xp, q, xq);
    return SN_OK;
}

void sn_tet_meet_push(const sn_tet_meet *meet, const sn_tet_shape *p, const sn_tet_shape *q, sn_real stiffness,
                      sn_real *force_p, sn_real *force_q) {
    for (int i = 0; i < p->count && meet->inside > 0; i++) {
        const sn_tet_sunk *sunk = &meet->sunk[i];
        if (sunk->tet < 0) continue;
        const sn_vec3 force = sn_mul(stiffness * sunk->depth, sunk->direction);
        sn_spring_add_quad(force_p, i, force);
        for (int k = 0; k < 4; k++) sn_spring_add_quad(force_q, q->tets[sunk->tet][k], sn_mul(-sunk->weight[k], force));
    }
}
