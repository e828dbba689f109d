// Collision of tetrahedral bodies. See tet_collision.h.
//
// All queries use the spatial hash of Q's tetrahedra: the tetrahedron that contains a point, the boundary faces that an
// edge pierces, and the tetrahedra that overlap one.
#include "kinds/spring/tet_collision.h"
#include "geometry/triangle.h"
#include "kinds/spring/spring_body.h"
#include "kinds/spring/spring_volume.h"
#include "kinds/spring/tet_embedding.h"
#include <string.h>

// ---- colliders

static bool find_neighbours(sn_tet_collider *collider) {
    int use_count = 0;
    sn_edge_use *uses =
        sn_edge_uses(collider->memory, collider->count, &collider->tets[0][0], 4, collider->tet_count, &use_count);
    if (!uses) return false;
    int edges = 0;
    for (int i = 0; i < use_count; i++) edges += sn_edge_is_new(uses, i);
    collider->neighbour_count = 2 * edges;
    collider->neighbours = sn_alloc(collider->memory, 2 * (size_t)edges, sizeof *collider->neighbours);
    if (collider->neighbours) {
        for (int i = 0; i < use_count; i++)
            if (sn_edge_is_new(uses, i)) ++collider->first[uses[i].a], ++collider->first[uses[i].b];
        for (int i = 0, sum = 0; i <= collider->count; i++) collider->first[i] = sum += collider->first[i];
        for (int i = use_count - 1; i >= 0; --i) {
            if (!sn_edge_is_new(uses, i)) continue;
            collider->neighbours[--collider->first[uses[i].a]] = uses[i].b;
            collider->neighbours[--collider->first[uses[i].b]] = uses[i].a;
        }
    }
    sn_free(collider->memory, uses, (size_t)use_count, sizeof *uses);
    return collider->neighbours != NULL;
}

sn_status sn_tet_collider_create(sn_memory *memory, int count, const int (*tets)[4], int tet_count,
                                 sn_tet_collider **out) {
    *out = NULL;
    if (count < 4 || tet_count < 1 || !tets) return SN_ERR_RANGE;
    for (int k = 0; k < 4 * tet_count; k++)
        if (tets[k / 4][k % 4] < 0 || tets[k / 4][k % 4] >= count) return SN_ERR_RANGE;
    sn_tet_collider *collider = sn_alloc(memory, 1, sizeof *collider);
    if (!collider) return SN_ERR_MEMORY;
    collider->memory = memory;
    collider->count = count;
    collider->tet_count = tet_count;
    collider->tets = sn_alloc(memory, (size_t)tet_count, sizeof *collider->tets);
    collider->face_of = sn_alloc(memory, 4 * (size_t)tet_count, sizeof *collider->face_of);
    collider->first = sn_alloc(memory, (size_t)count + 1, sizeof *collider->first);
    collider->faces = sn_tet_faces(memory, count, tets, tet_count, &collider->face_count);
    bool good = collider->tets && collider->face_of && collider->first && collider->faces;
    if (good) {
        memcpy(collider->tets, tets, (size_t)tet_count * sizeof *collider->tets);
        good = find_neighbours(collider);
        for (int k = 0; k < 4 * tet_count; k++) collider->face_of[k] = -1;
        for (int f = 0; f < collider->face_count; f++) {
            const sn_tet_face *face = &collider->faces[f];
            for (int k = 0; k < 4; k++) {
                const int corner = tets[face->tet][k];
                if (corner != face->corner[0] && corner != face->corner[1] && corner != face->corner[2])
                    collider->face_of[4 * face->tet + k] = f;
            }
        }
    }
    if (!good) {
        sn_tet_collider_destroy(collider);
        return SN_ERR_MEMORY;
    }
    *out = collider;
    return SN_OK;
}

void sn_tet_collider_destroy(sn_tet_collider *collider) {
    if (!collider) return;
    sn_memory *memory = collider->memory;
    const size_t n = (size_t)collider->tet_count;
    sn_free(memory, collider->tets, n, sizeof *collider->tets);
    sn_free(memory, collider->face_of, 4 * n, sizeof *collider->face_of);
    sn_free(memory, collider->faces, 4 * n, sizeof *collider->faces);
    sn_free(memory, collider->first, (size_t)collider->count + 1, sizeof *collider->first);
    sn_free(memory, collider->neighbours, (size_t)collider->neighbour_count, sizeof *collider->neighbours);
    sn_free(memory, collider, 1, sizeof *collider);
}

// ---- whether two tetrahedra overlap

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

bool sn_tets_overlap(const sn_vec3 a[4], const sn_vec3 b[4]) {
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

// ---- the four phases

void sn_tet_contacts_init(sn_tet_contacts *contacts, sn_memory *memory) {
    *contacts = (sn_tet_contacts){.memory = memory};
    sn_tet_grid_init(&contacts->grid, memory);
}

void sn_tet_contacts_free(sn_tet_contacts *contacts) {
    sn_memory *memory = contacts->memory;
    sn_tet_grid_free(&contacts->grid);
    sn_free(memory, contacts->pairs, (size_t)contacts->pair_capacity, sizeof *contacts->pairs);
    sn_free(memory, contacts->sunk, (size_t)contacts->sunk_capacity, sizeof *contacts->sunk);
    sn_free(memory, contacts->normals, (size_t)contacts->normal_capacity, sizeof *contacts->normals);
    sn_free(memory, contacts->queue, (size_t)contacts->queue_capacity, sizeof *contacts->queue);
    sn_tet_contacts_init(contacts, memory);
}

static void corners_at(const sn_real *x, const int at[4], sn_vec3 corner[4]) {
    for (int k = 0; k < 4; k++) corner[k] = sn_spring_quad(x, at[k]);
}

typedef struct {
    sn_tet_contacts *contacts;
    const sn_tet_collider *q;
    const sn_real *xq;
    int tet; // of P
    sn_vec3 corner[4];
    bool failed;
} pairing;

static bool note_pair(void *context, int tet) {
    pairing *w = context;
    sn_tet_contacts *contacts = w->contacts;
    sn_vec3 corner[4];
    corners_at(w->xq, w->q->tets[tet], corner);
    if (!sn_tets_overlap(w->corner, corner)) return true;
    if (!sn_reserve(contacts->memory, (void **)&contacts->pairs, &contacts->pair_capacity, contacts->pair_count + 1,
                    sizeof *contacts->pairs)) {
        w->failed = true;
        return false;
    }
    contacts->pairs[contacts->pair_count++] = (sn_tet_pair){w->tet, tet};
    return true;
}

sn_status sn_tet_contacts_pairs(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                                const sn_tet_collider *q, const sn_real *xq) {
    pairing w = {.contacts = contacts, .q = q, .xq = xq};
    contacts->pair_count = 0;
    if (!sn_tet_grid_build(&contacts->grid, xq, (const int(*)[4])q->tets, q->tet_count)) return SN_ERR_MEMORY;
    for (w.tet = 0; w.tet < p->tet_count && !w.failed; w.tet++) {
        corners_at(xp, p->tets[w.tet], w.corner);
        const sn_tet_box box = sn_tet_box_of(xp, p->tets[w.tet]);
        sn_tet_grid_visit(&contacts->grid, &box, note_pair, &w);
    }
    return w.failed ? SN_ERR_MEMORY : SN_OK;
}

// Phase 1.
typedef struct {
    const sn_tet_collider *q;
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

static void find_inside(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                        const sn_tet_collider *q, const sn_real *xq) {
    for (int i = 0; i < p->count; i++) {
        contacts->sunk[i] = (sn_tet_sunk){.tet = -1, .round = -1};
        containing w = {q, xq, sn_spring_quad(xp, i), &contacts->sunk[i]};
        const sn_tet_box box = {w.point, w.point};
        sn_tet_grid_visit(&contacts->grid, &box, holds, &w);
        contacts->inside += contacts->sunk[i].tet >= 0;
    }
}

static void find_normals(sn_tet_contacts *contacts, const sn_tet_collider *q, const sn_real *xq) {
    memset(contacts->normals, 0, (size_t)q->count * sizeof *contacts->normals);
    for (int f = 0; f < q->face_count; f++) {
        const int *c = q->faces[f].corner;
        const sn_vec3 a = sn_spring_quad(xq, c[0]);
        const sn_vec3 n = sn_cross(sn_sub(sn_spring_quad(xq, c[1]), a), sn_sub(sn_spring_quad(xq, c[2]), a));
        for (int k = 0; k < 3; k++) contacts->normals[c[k]] = sn_add(contacts->normals[c[k]], n);
    }
    for (int i = 0; i < q->count; i++) contacts->normals[i] = sn_normalize(contacts->normals[i], sn_v3(0, 0, 0));
}

// Phase 2: an edge of P from a point inside Q to one outside, and where it crosses the boundary nearest to the inner
// end.
typedef struct {
    const sn_tet_contacts *contacts;
    const sn_tet_collider *q;
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
        const sn_vec3 *normal = w->contacts->normals;
        w->t = t;
        w->normal = sn_mul(1 - beta - gamma, normal[c[0]]);
        w->normal = sn_mul_add(sn_mul_add(w->normal, beta, normal[c[1]]), gamma, normal[c[2]]);
    }
    return true;
}

// The smallest distance used: weights are inverse distances.
static sn_real weight_of(sn_vec3 displacement) {
    const sn_real length = sn_length(displacement), min = sizeof(sn_real) == 4 ? (sn_real)1e-12 : (sn_real)1e-30;
    return 1 / sn_max(length, min);
}

// Converts the sums of a point (weights, depths, directions) to its depth and direction.
static void settle(sn_tet_sunk *sunk, const sn_real sum[5], int round) {
    sunk->depth = sn_max(0, sum[1] / sum[0]);
    sunk->direction = sn_normalize(sn_v3(sum[2], sum[3], sum[4]), sn_v3(0, 0, 0));
    sunk->round = round;
}

static void gather(sn_real sum[5], sn_real weight, sn_real depth, sn_vec3 direction) {
    sum[0] += weight, sum[1] += weight * depth;
    sum[2] += weight * direction.x, sum[3] += weight * direction.y, sum[4] += weight * direction.z;
}

// Phases 2 and 3: a border point gets its depth and direction from all its crossings.
static void settle_border(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                          const sn_tet_collider *q, const sn_real *xq) {
    for (int i = 0; i < p->count; i++) {
        if (contacts->sunk[i].tet < 0) continue;
        sn_real sum[5] = {0};
        for (int n = p->first[i]; n < p->first[i + 1]; n++) {
            if (contacts->sunk[p->neighbours[n]].tet >= 0) continue;
            crossing w = {.contacts = contacts, .q = q, .xq = xq, .t = 2};
            w.from = sn_spring_quad(xp, i), w.to = sn_spring_quad(xp, p->neighbours[n]);
            const int ends[4] = {i, p->neighbours[n], i, i};
            const sn_tet_box box = sn_tet_box_of(xp, ends);
            sn_tet_grid_visit(&contacts->grid, &box, crosses, &w);
            if (w.t > 1) continue;
            const sn_vec3 displacement = sn_mul(w.t, sn_sub(w.to, w.from)),
                          normal = sn_normalize(w.normal, sn_v3(0, 0, 0));
            gather(sum, weight_of(displacement), sn_dot(displacement, normal), normal);
        }
        if (!(sum[0] > 0)) continue;
        settle(&contacts->sunk[i], sum, 0);
        contacts->queue[contacts->border++] = i;
    }
}

// Phase 4: a round visits the inner neighbours of the last round's points. They read only earlier rounds, so their
// order does not matter.
static void settle_inner(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp) {
    int begin = 0, end = contacts->border;
    for (int round = 1; begin < end; round++) {
        int next = end;
        for (int k = begin; k < end; k++) {
            const int from = contacts->queue[k];
            for (int n = p->first[from]; n < p->first[from + 1]; n++) {
                sn_tet_sunk *sunk = &contacts->sunk[p->neighbours[n]];
                if (sunk->tet < 0 || sunk->round >= 0) continue;
                sunk->round = round;
                contacts->queue[next++] = p->neighbours[n];
            }
        }
        for (int k = end; k < next; k++) {
            const int i = contacts->queue[k];
            sn_real sum[5] = {0};
            for (int n = p->first[i]; n < p->first[i + 1]; n++) {
                const sn_tet_sunk *known = &contacts->sunk[p->neighbours[n]];
                if (known->round < 0 || known->round >= round) continue;
                const sn_vec3 displacement = sn_sub(sn_spring_quad(xp, p->neighbours[n]), sn_spring_quad(xp, i));
                gather(sum, weight_of(displacement), sn_dot(displacement, known->direction) + known->depth,
                       known->direction);
            }
            settle(&contacts->sunk[i], sum, round);
        }
        begin = end, end = next;
    }
}

// The nearest point on Q's surface.
static void settle_naive(sn_tet_contacts *contacts, int point, const sn_real *xp, const sn_tet_collider *q,
                         const sn_real *xq) {
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
    contacts->sunk[point].depth = best > 0 ? sn_sqrt(best) : 0;
    contacts->sunk[point].direction = sn_normalize(out, sn_v3(0, 0, 0));
}

sn_status sn_tet_contacts_find(sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_real *xp,
                               const sn_tet_collider *q, const sn_real *xq, sn_tet_response response) {
    sn_memory *memory = contacts->memory;
    contacts->inside = contacts->border = 0;
    if (!sn_reserve(memory, (void **)&contacts->sunk, &contacts->sunk_capacity, p->count, sizeof *contacts->sunk) ||
        !sn_reserve(memory, (void **)&contacts->queue, &contacts->queue_capacity, p->count, sizeof *contacts->queue) ||
        !sn_reserve(memory, (void **)&contacts->normals, &contacts->normal_capacity, q->count,
                    sizeof *contacts->normals) ||
        !sn_tet_grid_build(&contacts->grid, xq, (const int(*)[4])q->tets, q->tet_count))
        return SN_ERR_MEMORY;
    find_inside(contacts, p, xp, q, xq);
    if (contacts->inside == 0) return SN_OK;
    if (response == SN_TET_CONSISTENT) {
        find_normals(contacts, q, xq);
        settle_border(contacts, p, xp, q, xq);
        settle_inner(contacts, p, xp);
    }
    for (int i = 0; i < p->count; i++)
        if (contacts->sunk[i].tet >= 0 && contacts->sunk[i].round < 0) settle_naive(contacts, i, xp, q, xq);
    return SN_OK;
}

void sn_tet_contacts_response(const sn_tet_contacts *contacts, const sn_tet_collider *p, const sn_tet_collider *q,
                              sn_real stiffness, sn_real *force_p, sn_real *force_q) {
    for (int i = 0; i < p->count && contacts->inside > 0; i++) {
        const sn_tet_sunk *sunk = &contacts->sunk[i];
        if (sunk->tet < 0) continue;
        const sn_vec3 force = sn_mul(stiffness * sunk->depth, sunk->direction);
        sn_spring_add_quad(force_p, i, force);
        for (int k = 0; k < 4; k++) sn_spring_add_quad(force_q, q->tets[sunk->tet][k], sn_mul(-sunk->weight[k], force));
    }
}
