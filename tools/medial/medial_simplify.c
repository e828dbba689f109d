// Q-MAT (Li, Wang, Sun, Guo, Zhang: Q-MAT: Computing Medial Axis Transform by Quadratic Error Minimization, 2015), with
// some changes for robustness.
//
// A sphere is a point m = (c, r) in four dimensions. The plane that touches every sphere of a slab on one side has an
// outward unit normal n with n . c + r = const; so with n^ = (n, 1) the square (n^ . (m - m0))^2 measures how far a
// sphere m is from touching that plane. Each sphere carries the sum of these squares over the two planes of each of its
// slabs: a quadric m A m - 2 b m + c. Further planes:
//
//     an edge with one slab      one plane outward of the slab, weight 0.1 rho^2: preserves the boundaries of sheets
//     an edge without slabs      four planes around the cone, weight 1, and one across at free ends, 0.1 rho^2
//
// Collapsing an edge adds the quadrics of its ends. The new sphere minimises the sum (pulled slightly towards the
// edge's midpoint, since the quadric is often flat in some direction); the cost is (E + k) rho^2. Here
//
//     rho = (|c1 - c2| - |r1 - r2|) / |c1 - c2|
//
// is small if one sphere is almost inside of the other: such edges are spikes towards the surface, which contribute
// nothing to the shape, and cost almost nothing.
//
// A loop of three edges without a slab is not collapsed if its centre is outside of the solid and of its spheres: it
// goes around a handle.
#include "medial/medial_simplify.h"
#include "mesh/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double flat_cost = 1e-5; // k
static const double boundary_weight = 0.1;
static const double midpoint_weight = 1e-3; // times the trace of A

typedef struct {
    double a[10]; // upper triangle, row-major
    double b[4], c;
} quadric;

typedef struct {
    int *at;
    int count, capacity;
} list;

typedef struct {
    double m[4];
    quadric q;
    list next;   // adjacent spheres
    list slabs;  // its slabs
    int version; // number of changes; -1: deleted
} vertex;

typedef struct {
    double cost;
    int u, v, u_version, v_version;
} heap_entry;

struct medial_simplifier {
    const sn_winding *winding;
    vertex *vertex;
    int vertex_count, remaining_count;
    int (*slab)[3]; // first corner -1: deleted
    int slab_count;
    heap_entry *heap;
    int heap_count, heap_capacity;
    int *mark; // of each vertex, to merge lists
    int mark_value;
};

// ---- lists

static bool list_add(list *l, int value) {
    if (l->count == l->capacity) { // most lists stay short: grow by less than ARRAY_RESERVE does
        const int capacity = l->capacity ? 2 * l->capacity : 6;
        if (!array_resize(&l->at, (size_t)capacity, sizeof *l->at)) return false;
        l->capacity = capacity;
    }
    l->at[l->count++] = value;
    return true;
}

static void list_drop(list *l, int value) {
    for (int i = 0; i < l->count; i++)
        if (l->at[i] == value) {
            l->at[i] = l->at[--l->count];
            return;
        }
}

// ---- quadrics

static void add_plane(vertex *v, const double n[3], double weight) {
    const double p[4] = {n[0], n[1], n[2], 1};
    const double h = p[0] * v->m[0] + p[1] * v->m[1] + p[2] * v->m[2] + v->m[3];
    for (int i = 0, k = 0; i < 4; i++) {
        for (int j = i; j < 4; j++) v->q.a[k++] += weight * p[i] * p[j];
        v->q.b[i] += weight * h * p[i];
    }
    v->q.c += weight * h * h;
}

static quadric sum_of(const quadric *x, const quadric *y) {
    quadric out;
    for (int i = 0; i < 10; i++) out.a[i] = x->a[i] + y->a[i];
    for (int i = 0; i < 4; i++) out.b[i] = x->b[i] + y->b[i];
    out.c = x->c + y->c;
    return out;
}

static double value_at(const quadric *q, const double m[4]) {
    double sum = q->c;
    for (int i = 0, k = 0; i < 4; i++) {
        sum -= 2 * q->b[i] * m[i];
        for (int j = i; j < 4; j++, k++) sum += (i == j ? 1 : 2) * q->a[k] * m[i] * m[j];
    }
    return sum > 0 ? sum : 0;
}

// Minimises q + l |m - middle|^2: (A + l) m = b + l middle, by Cholesky. False: A is zero.
static bool minimise_quadric(const quadric *q, double l, const double middle[4], double m[4]) {
    double g[4][4];
    for (int i = 0, k = 0; i < 4; i++)
        for (int j = i; j < 4; j++, k++) g[j][i] = q->a[k] + (i == j ? l : 0);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j <= i; j++) {
            double x = g[i][j];
            for (int k = 0; k < j; k++) x -= g[i][k] * g[j][k];
            if (i == j && !(x > 0)) return false;
            g[i][j] = i == j ? sqrt(x) : x / g[j][j];
        }
    }
    for (int i = 0; i < 4; i++) {
        double x = q->b[i] + l * middle[i];
        for (int k = 0; k < i; k++) x -= g[i][k] * m[k];
        m[i] = x / g[i][i];
    }
    for (int i = 3; i >= 0; --i) {
        double x = m[i];
        for (int k = i + 1; k < 4; k++) x -= g[k][i] * m[k];
        m[i] = x / g[i][i];
    }
    return true;
}

static double stability(const double a[4], const double b[4]) {
    const double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2], d = sqrt(x * x + y * y + z * z);
    const double gap = d - fabs(b[3] - a[3]);
    return gap > 0 ? gap / d : 0;
}

// The cost of merging two spheres, and the merged sphere.
static double cost_of(const vertex *u, const vertex *v, double m[4]) {
    const quadric q = sum_of(&u->q, &v->q);
    double middle[4];
    for (int i = 0; i < 4; i++) middle[i] = 0.5 * (u->m[i] + v->m[i]);
    const double trace = q.a[0] + q.a[4] + q.a[7] + q.a[9];
    double error;
    if (trace > 0 && minimise_quadric(&q, midpoint_weight * trace, middle, m) && m[3] >= 0) {
        error = value_at(&q, m);
    } else {
        const double *choice[3] = {middle, u->m, v->m};
        error = INFINITY;
        for (int i = 0; i < 3; i++) {
            const double e = value_at(&q, choice[i]);
            if (e >= error) continue;
            error = e;
            memcpy(m, choice[i], 4 * sizeof *m);
        }
    }
    const double rho = stability(u->m, v->m);
    return (error + flat_cost) * rho * rho;
}

// ---- the heap
// Smallest cost first, ties by index. Nodes have four children: fewer cache misses than with two.

static bool before(const heap_entry *x, const heap_entry *y) {
    if (x->cost != y->cost) return x->cost < y->cost;
    if (x->u != y->u) return x->u < y->u;
    return x->v < y->v;
}

static bool heap_insert(medial_simplifier *s, int u, int v) {
    if (!ARRAY_RESERVE(s->heap, s->heap_capacity, s->heap_count + 1)) return false;
    double m[4];
    if (u > v) {
        const int first = u;
        u = v, v = first;
    }
    const heap_entry entry = {cost_of(&s->vertex[u], &s->vertex[v], m), u, v, s->vertex[u].version,
                              s->vertex[v].version};
    int i = s->heap_count++;
    for (; i > 0 && before(&entry, &s->heap[(i - 1) / 4]); i = (i - 1) / 4) s->heap[i] = s->heap[(i - 1) / 4];
    s->heap[i] = entry;
    return true;
}

static heap_entry pop(medial_simplifier *s) {
    const heap_entry top = s->heap[0], last = s->heap[--s->heap_count];
    int i = 0;
    for (;;) {
        const int first = 4 * i + 1, end = first + 4 < s->heap_count ? first + 4 : s->heap_count;
        int child = first;
        if (first >= s->heap_count) break;
        for (int k = first + 1; k < end; k++)
            if (before(&s->heap[k], &s->heap[child])) child = k;
        if (!before(&s->heap[child], &last)) break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    if (s->heap_count > 0) s->heap[i] = last;
    return top;
}

// ---- initialisation

static void unit(double v[3]) {
    const double l = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] = l > 0 ? v[k] / l : 0;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// The normal of the plane that touches the cone from a to b on the side of 'out', a unit vector orthogonal to its axis.
static bool cone_normal(const double a[4], const double b[4], const double axis[3], double length, const double out[3],
                        double n[3]) {
    const double sine = (a[3] - b[3]) / length, cosine2 = 1 - sine * sine;
    if (!(cosine2 > 0)) return false;
    for (int k = 0; k < 3; k++) n[k] = sine * axis[k] + sqrt(cosine2) * out[k];
    return true;
}

// Adds the planes of an edge. 'third': the other corner of its only slab, -1: no slab.
static void add_edge_planes(medial_simplifier *s, int i, int j, int third) {
    vertex *a = &s->vertex[i], *b = &s->vertex[j];
    double axis[3], out[3], side[3], n[3], length = 0;
    for (int k = 0; k < 3; k++) axis[k] = b->m[k] - a->m[k], length += axis[k] * axis[k];
    length = sqrt(length);
    if (!(length > 1e-12)) return;
    unit(axis);
    const double rho = stability(a->m, b->m), weight = boundary_weight * rho * rho;
    if (third >= 0) {
        double along = 0;
        for (int k = 0; k < 3; k++) along += (a->m[k] - s->vertex[third].m[k]) * axis[k];
        for (int k = 0; k < 3; k++) out[k] = a->m[k] - s->vertex[third].m[k] - along * axis[k];
        unit(out);
        if (cone_normal(a->m, b->m, axis, length, out, n)) add_plane(a, n, weight), add_plane(b, n, weight);
        return;
    }
    const double pole[3] = {fabs(axis[0]) < 0.6, fabs(axis[0]) >= 0.6, 0};
    cross(axis, pole, out);
    unit(out);
    cross(axis, out, side);
    for (int quarter = 0; quarter < 4; quarter++) {
        if (cone_normal(a->m, b->m, axis, length, quarter & 1 ? side : out, n)) add_plane(a, n, 1), add_plane(b, n, 1);
        for (int k = 0; k < 3 && quarter & 1; k++) out[k] = -out[k], side[k] = -side[k];
    }
    for (int end = 0; end < 2; end++) {
        vertex *v = end ? b : a;
        for (int k = 0; k < 3; k++) n[k] = end ? axis[k] : -axis[k];
        if (v->next.count == 1) add_plane(v, n, weight);
    }
}

static int common_slabs(const medial_simplifier *s, int u, int v, int *third) {
    int count = 0;
    const list *slabs = &s->vertex[u].slabs;
    for (int i = 0; i < slabs->count; i++) {
        const int *c = s->slab[slabs->at[i]];
        for (int k = 0; k < 3; k++)
            if (c[k] == v) {
                count++;
                *third = c[0] + c[1] + c[2] - u - v;
            }
    }
    return count;
}

static bool initialise(medial_simplifier *s, const sn_medial_mesh *mesh) {
    bool good = true;
    for (int i = 0; i < mesh->sphere_count; i++) {
        memcpy(s->vertex[i].m, mesh->centre[i], sizeof *mesh->centre);
        s->vertex[i].m[3] = mesh->radius[i];
    }
    for (int f = 0; f < mesh->slab_count && good; f++) {
        double normal[2][3];
        memcpy(s->slab[f], mesh->slab[f], sizeof *s->slab);
        const bool planes = sn_medial_slab_normals(mesh, mesh->slab[f], normal);
        for (int k = 0; k < 3; k++) {
            vertex *v = &s->vertex[mesh->slab[f][k]];
            good = good && list_add(&v->slabs, f);
            for (int side = 0; side < 2 && planes; side++) add_plane(v, normal[side], 1);
        }
    }
    for (int e = 0; e < mesh->cone_count && good; e++) {
        const int a = mesh->cone[e][0], b = mesh->cone[e][1];
        good = list_add(&s->vertex[a].next, b) && list_add(&s->vertex[b].next, a);
    }
    for (int e = 0; e < mesh->cone_count && good; e++) {
        int third = -1;
        const int slabs = common_slabs(s, mesh->cone[e][0], mesh->cone[e][1], &third);
        if (slabs < 2) add_edge_planes(s, mesh->cone[e][0], mesh->cone[e][1], third);
    }
    for (int e = 0; e < mesh->cone_count && good; e++) good = heap_insert(s, mesh->cone[e][0], mesh->cone[e][1]);
    return good;
}

medial_simplifier *medial_simplifier_create(const sn_medial_mesh *mesh, const sn_winding *winding) {
    medial_simplifier *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->winding = winding;
    s->vertex_count = s->remaining_count = mesh->sphere_count;
    s->slab_count = mesh->slab_count;
    s->vertex = calloc((size_t)mesh->sphere_count + 1, sizeof *s->vertex);
    s->slab = malloc(((size_t)mesh->slab_count + 1) * sizeof *s->slab);
    s->mark = calloc((size_t)mesh->sphere_count + 1, sizeof *s->mark);
    if (s->vertex && s->slab && s->mark && initialise(s, mesh)) return s;
    medial_simplifier_free(s);
    return NULL;
}

void medial_simplifier_free(medial_simplifier *s) {
    if (!s) return;
    for (int i = 0; i < s->vertex_count && s->vertex; i++) {
        free(s->vertex[i].next.at);
        free(s->vertex[i].slabs.at);
    }
    free(s->vertex);
    free(s->slab);
    free(s->heap);
    free(s->mark);
    free(s);
}

// ---- collapsing

// Whether the loop u v w goes around a handle: its centre is in none of its spheres and outside of the solid.
static bool is_handle(const medial_simplifier *s, int u, int v, int w) {
    const double *m[3] = {s->vertex[u].m, s->vertex[v].m, s->vertex[w].m};
    double middle[3], d2;
    for (int k = 0; k < 3; k++) middle[k] = (m[0][k] + m[1][k] + m[2][k]) / 3;
    for (int i = 0; i < 3; i++) {
        d2 = 0;
        for (int k = 0; k < 3; k++) d2 += (middle[k] - m[i][k]) * (middle[k] - m[i][k]);
        if (d2 < m[i][3] * m[i][3]) return false;
    }
    return sn_winding_evaluate(s->winding, middle) < 0.5;
}

static bool have_slab(const medial_simplifier *s, int u, int v, int w) {
    const list *slabs = &s->vertex[u].slabs;
    for (int i = 0; i < slabs->count; i++) {
        const int *c = s->slab[slabs->at[i]];
        if ((c[0] == v || c[1] == v || c[2] == v) && (c[0] == w || c[1] == w || c[2] == w)) return true;
    }
    return false;
}

static bool can_collapse(medial_simplifier *s, int u, int v) {
    const int now = ++s->mark_value;
    for (int i = 0; i < s->vertex[u].next.count; i++) s->mark[s->vertex[u].next.at[i]] = now;
    for (int i = 0; i < s->vertex[v].next.count; i++) {
        const int w = s->vertex[v].next.at[i];
        if (w != u && s->mark[w] == now && !have_slab(s, u, v, w) && is_handle(s, u, v, w)) return false;
    }
    return true;
}

static bool same_corners(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] != b[0] && a[i] != b[1] && a[i] != b[2]) return false;
    return true;
}

static void drop_slab(medial_simplifier *s, int f) {
    for (int k = 0; k < 3; k++) list_drop(&s->vertex[s->slab[f][k]].slabs, f);
    s->slab[f][0] = -1;
}

// Merges v into u, at m.
static bool collapse(medial_simplifier *s, int u, int v, const double m[4]) {
    vertex *a = &s->vertex[u], *b = &s->vertex[v];
    bool good = true;
    a->q = sum_of(&a->q, &b->q);
    memcpy(a->m, m, sizeof a->m);
    // slabs: delete those with both corners; replace v by u in the others, unless such a slab exists
    while (b->slabs.count && good) {
        const int f = b->slabs.at[b->slabs.count - 1];
        int *c = s->slab[f], replaced[3];
        for (int k = 0; k < 3; k++) replaced[k] = c[k] == v ? u : c[k];
        bool drop = c[0] == u || c[1] == u || c[2] == u;
        const list *shortest = &a->slabs; // search the shortest list that could contain it
        for (int k = 0; k < 3; k++)
            if (s->vertex[replaced[k]].slabs.count < shortest->count) shortest = &s->vertex[replaced[k]].slabs;
        for (int i = 0; i < shortest->count && !drop; i++) drop = same_corners(replaced, s->slab[shortest->at[i]]);
        if (drop) {
            drop_slab(s, f);
        } else {
            list_drop(&b->slabs, f);
            memcpy(c, replaced, sizeof replaced);
            good = list_add(&a->slabs, f);
        }
    }
    // edges
    int first_new = -1; // start of u's new edges
    list_drop(&a->next, v);
    const int now = ++s->mark_value;
    for (int i = 0; i < a->next.count; i++) s->mark[a->next.at[i]] = now;
    for (int i = 0; i < b->next.count && good; i++) {
        const int w = b->next.at[i];
        if (w == u) continue;
        list_drop(&s->vertex[w].next, v);
        if (s->mark[w] == now) continue;
        good = list_add(&a->next, w) && list_add(&s->vertex[w].next, u);
        first_new = first_new < 0 ? a->next.count - 1 : first_new;
    }
    free(b->next.at);
    free(b->slabs.at);
    b->next = b->slabs = (list){0};
    b->version = -1;
    a->version++;
    s->remaining_count--;
    for (int i = first_new; i >= 0 && i < a->next.count && good; i++) good = heap_insert(s, u, a->next.at[i]);
    return good;
}

// Refills the empty heap with all edges: some that were refused may be possible now.
static bool refill_heap(medial_simplifier *s) {
    for (int u = 0; u < s->vertex_count; u++)
        for (int i = 0; i < s->vertex[u].next.count; i++)
            if (s->vertex[u].next.at[i] > u && !heap_insert(s, u, s->vertex[u].next.at[i])) return false;
    return true;
}

int medial_simplifier_run(medial_simplifier *s, int spheres) {
    int before = -1; // spheres at the last refill
    while (s->remaining_count > spheres) {
        if (s->heap_count == 0) {
            if (before == s->remaining_count) break;
            before = s->remaining_count;
            if (!refill_heap(s)) return -1;
            if (s->heap_count == 0) break;
        }
        const heap_entry e = pop(s);
        const vertex *u = &s->vertex[e.u], *v = &s->vertex[e.v];
        if (u->version < 0 || v->version < 0) continue;
        if (u->version != e.u_version ||
            v->version != e.v_version) { // stale; costs mostly grow, so it suffices to push it again now
            if (!heap_insert(s, e.u, e.v)) return -1;
            continue;
        }
        if (!can_collapse(s, e.u, e.v)) continue;
        double m[4];
        cost_of(u, v, m);
        if (!collapse(s, e.u, e.v, m)) return -1;
    }
    return s->remaining_count;
}

bool medial_simplifier_get_mesh(const medial_simplifier *s, sn_medial_mesh *out) {
    int *index = malloc(((size_t)s->vertex_count + 1) * sizeof *index), spheres = 0, cones = 0, slabs = 0;
    *out = (sn_medial_mesh){0};
    if (!index) return false;
    for (int i = 0; i < s->vertex_count; i++) {
        index[i] = s->vertex[i].version < 0 ? -1 : spheres++;
        cones += s->vertex[i].next.count;
    }
    for (int f = 0; f < s->slab_count; f++) slabs += s->slab[f][0] >= 0;
    const bool good = sn_medial_mesh_alloc(out, spheres, cones / 2, slabs);
    cones = slabs = 0;
    for (int i = 0; i < s->vertex_count && good; i++) {
        const vertex *v = &s->vertex[i];
        if (v->version < 0) continue;
        memcpy(out->centre[index[i]], v->m, sizeof *out->centre);
        out->radius[index[i]] = v->m[3];
        for (int k = 0; k < v->next.count; k++) {
            if (v->next.at[k] < i) continue;
            out->cone[cones][0] = index[i];
            out->cone[cones++][1] = index[v->next.at[k]];
        }
    }
    for (int f = 0; f < s->slab_count && good; f++) {
        if (s->slab[f][0] < 0) continue;
        for (int k = 0; k < 3; k++) out->slab[slabs][k] = index[s->slab[f][k]];
        slabs++;
    }
    free(index);
    return good;
}
