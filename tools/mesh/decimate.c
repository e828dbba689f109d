// Quadric edge collapse. Every vertex carries a quadric Q(x) = x.A x + 2 b.x + c: the squared distances of x from the
// planes of the triangles it represents, weighted by their areas. The cost of an edge is the minimum of the sum of its
// ends' quadrics, and the new vertex goes to the minimiser. Cheapest edges are collapsed first.
//
// On flat regions the minimiser is not unique, so Q(x) + w |x - middle|^2 with a small w is minimised: it puts the
// vertex to the edge's midpoint there, and makes long edges slightly more expensive. Boundary edges add planes through
// them at right angles to the surface.
#include "mesh/decimate.h"
#include "base/math/double3.h"
#include "mesh/array.h"
#include "mesh/half_edge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double a[6], b[3], c, area; // a: xx xy xz yy yz zz
} quadric;

typedef struct {
    double cost;
    int half, start, end;
    unsigned versions; // sum of both ends: an entry is stale when either has changed
} candidate;

typedef struct {
    half_edge_mesh mesh;
    quadric *quadric;
    unsigned *version;
    candidate *heap;
    int count, capacity;
    double max_cost; // squared length
    bool good;
} decimation;

static void add_plane(quadric *q, const double n[3], const double p[3], double weight) {
    const double d = -d3_dot(n, p);
    q->a[0] += weight * n[0] * n[0], q->a[1] += weight * n[0] * n[1], q->a[2] += weight * n[0] * n[2];
    q->a[3] += weight * n[1] * n[1], q->a[4] += weight * n[1] * n[2], q->a[5] += weight * n[2] * n[2];
    for (int k = 0; k < 3; k++) q->b[k] += weight * d * n[k];
    q->c += weight * d * d;
    q->area += weight;
}

static quadric sum_of(const quadric *p, const quadric *q) {
    quadric sum = *p;
    for (int i = 0; i < 6; i++) sum.a[i] += q->a[i];
    for (int k = 0; k < 3; k++) sum.b[k] += q->b[k];
    sum.c += q->c, sum.area += q->area;
    return sum;
}

static double value_at(const quadric *q, const double x[3]) {
    const double ax[3] = {q->a[0] * x[0] + q->a[1] * x[1] + q->a[2] * x[2],
                          q->a[1] * x[0] + q->a[3] * x[1] + q->a[4] * x[2],
                          q->a[2] * x[0] + q->a[4] * x[1] + q->a[5] * x[2]};
    return fmax(0, d3_dot(x, ax) + 2 * d3_dot(q->b, x) + q->c);
}

// Minimises Q(x) + w |x - target|^2.
static void minimise_quadric(const quadric *q, const double target[3], double w, double out[3]) {
    const double a = q->a[0] + w, b = q->a[1], c = q->a[2], d = q->a[3] + w, e = q->a[4], f = q->a[5] + w;
    const double r[3] = {w * target[0] - q->b[0], w * target[1] - q->b[1], w * target[2] - q->b[2]};
    const double i00 = d * f - e * e, i01 = c * e - b * f, i02 = b * e - c * d, i11 = a * f - c * c,
                 i12 = b * c - a * e, i22 = a * d - b * b, det = a * i00 + b * i01 + c * i02;
    memcpy(out, target, 3 * sizeof *out);
    if (!(det > 0)) return;
    const double x[3] = {(i00 * r[0] + i01 * r[1] + i02 * r[2]) / det, (i01 * r[0] + i11 * r[1] + i12 * r[2]) / det,
                         (i02 * r[0] + i12 * r[1] + i22 * r[2]) / det};
    if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2])) memcpy(out, x, sizeof x);
}

// Computes the position of the merged vertex. Returns the cost.
static double plan_collapse(const decimation *d, int half, double target[3]) {
    const int a = half_edge_start(&d->mesh, half), b = half_edge_end(&d->mesh, half);
    const double *p = d->mesh.position[a], *q = d->mesh.position[b];
    const quadric both = sum_of(&d->quadric[a], &d->quadric[b]);
    const double w = 1e-6 * (both.a[0] + both.a[3] + both.a[5]) + 1e-30;
    double middle[3], length = 0, off = 0;
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (p[k] + q[k]), length += (p[k] - q[k]) * (p[k] - q[k]);
    if (d->mesh.fixed[a])
        memcpy(target, p, 3 * sizeof *target);
    else if (d->mesh.fixed[b])
        memcpy(target, q, 3 * sizeof *target);
    else
        minimise_quadric(&both, middle, w, target);
    for (int k = 0; k < 3; k++) off += (target[k] - middle[k]) * (target[k] - middle[k]);
    // Nearly singular quadrics have distant minimisers; limit the move to the edge's length.
    if (off > length) memcpy(target, middle, 3 * sizeof *target);
    return value_at(&both, target) + w * length;
}

// --- the heap --------------------------------------------------------------------------------------------------------

static bool before(const candidate *a, const candidate *b) {
    return a->cost != b->cost ? a->cost < b->cost : a->half < b->half; // deterministic order
}

static void heap_insert(decimation *d, candidate item) {
    if (!ARRAY_RESERVE(d->heap, d->capacity, d->count + 1)) {
        d->good = false;
        return;
    }
    int i = d->count++;
    for (; i > 0 && before(&item, &d->heap[(i - 1) / 2]); i = (i - 1) / 2) d->heap[i] = d->heap[(i - 1) / 2];
    d->heap[i] = item;
}

static candidate pop(decimation *d) {
    const candidate top = d->heap[0], last = d->heap[--d->count];
    int i = 0;
    for (int child; (child = 2 * i + 1) < d->count; i = child) {
        if (child + 1 < d->count && before(&d->heap[child + 1], &d->heap[child])) child++;
        if (!before(&d->heap[child], &last)) break;
        d->heap[i] = d->heap[child];
    }
    if (d->count > 0) d->heap[i] = last;
    return top;
}

static void insert_edge(decimation *d, int half) {
    double target[3];
    const int a = half_edge_start(&d->mesh, half), b = half_edge_end(&d->mesh, half);
    if (d->mesh.fixed[a] && d->mesh.fixed[b]) return;
    heap_insert(d, (candidate){plan_collapse(d, half, target), half, a, b, d->version[a] + d->version[b]});
}

// --- collapsing ------------------------------------------------------------------------------------------------------

static void start(decimation *d) {
    half_edge_mesh *mesh = &d->mesh;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double n[3];
        half_edge_area_vector(mesh, t, -1, NULL, n);
        const double size = sqrt(d3_dot(n, n));
        for (int k = 0; k < 3 && size > 0; k++) n[k] /= size;
        for (int k = 0; k < 3 && size > 0; k++) {
            const int v = mesh->triangle[t][k], h = 3 * t + k;
            add_plane(&d->quadric[v], n, mesh->position[v], size / 6);
            if (mesh->twin[h] >= 0) continue;
            const int w = half_edge_end(mesh, h);
            double e[3], across[3];
            for (int i = 0; i < 3; i++) e[i] = mesh->position[w][i] - mesh->position[v][i];
            for (int i = 0; i < 3; i++) across[i] = e[(i + 1) % 3] * n[(i + 2) % 3] - e[(i + 2) % 3] * n[(i + 1) % 3];
            const double length = sqrt(d3_dot(across, across));
            for (int i = 0; i < 3 && length > 0; i++) across[i] /= length;
            add_plane(&d->quadric[v], across, mesh->position[v], length * length);
            add_plane(&d->quadric[w], across, mesh->position[v], length * length);
        }
    }
    for (int h = 0; h < 3 * mesh->triangle_count; h++)
        if (mesh->twin[h] < h) insert_edge(d, h); // each edge once
}

static bool is_stale(const decimation *d, const candidate *c) {
    const half_edge_mesh *mesh = &d->mesh;
    return mesh->triangle[c->half / 3][0] < 0 || half_edge_start(mesh, c->half) != c->start ||
           half_edge_end(mesh, c->half) != c->end || d->version[c->start] + d->version[c->end] != c->versions;
}

static void collapse(decimation *d, const candidate *c) {
    half_edge_mesh *mesh = &d->mesh;
    double target[3];
    int half = c->half, a = c->start, b = c->end;
    plan_collapse(d, half, target);
    if (mesh->fixed[b]) { // the fixed end must stay: collapse the twin instead
        half = mesh->twin[half];
        if (half < 0) return;
        a = c->end, b = c->start;
    }
    // Keep a boundary vertex on the boundary.
    const bool boundary_a = half_edge_on_boundary(mesh, a), boundary_b = half_edge_on_boundary(mesh, b);
    if (boundary_a != boundary_b) memcpy(target, mesh->position[boundary_a ? a : b], sizeof target);
    if (mesh->fixed[a] && boundary_b && !boundary_a) return;
    if (!half_edge_can_move(mesh, a, target, b) || !half_edge_can_move(mesh, b, target, a) ||
        !half_edge_can_collapse(mesh, half))
        return;
    const quadric both = sum_of(&d->quadric[a], &d->quadric[b]);
    if (d->max_cost > 0 && value_at(&both, target) > d->max_cost * both.area) return;
    d->quadric[a] = both;
    memcpy(mesh->position[a], target, sizeof target);
    half_edge_collapse(mesh, half);
    d->version[a]++;
    int last = -1;
    for (int h = mesh->first[a]; h >= 0; h = half_edge_next_around(mesh, a, h)) {
        insert_edge(d, h);
        last = h;
    }
    if (last >= 0 && mesh->twin[half_edge_prev(last)] < 0)
        insert_edge(d, half_edge_prev(last)); // the other boundary edge
}

bool sn_decimate(const sn_mesh *mesh, const sn_decimate_options *options, sn_mesh *out) {
    decimation d = {.max_cost = options->error * options->error, .good = true};
    *out = (sn_mesh){0};
    if (!half_edge_mesh_build(mesh, &d.mesh)) return false;
    // Centre the box at the origin, so that quadrics keep their precision.
    float low[3], high[3];
    double middle[3];
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * ((double)low[k] + (double)high[k]);
    for (int v = 0; v < d.mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) d.mesh.position[v][k] -= middle[k];
    d.quadric = calloc((size_t)d.mesh.vertex_count + 1, sizeof *d.quadric);
    d.version = calloc((size_t)d.mesh.vertex_count + 1, sizeof *d.version);
    d.good = d.quadric && d.version;
    if (d.good) start(&d);
    const int min_triangles = options->triangles > 4 ? options->triangles : 4;
    while (d.good && d.count > 0 && d.mesh.remaining_count > min_triangles) {
        const candidate c = pop(&d);
        if (!is_stale(&d, &c)) collapse(&d, &c);
    }
    for (int v = 0; v < d.mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) d.mesh.position[v][k] += middle[k];
    const bool good = d.good && half_edge_mesh_write(&d.mesh, out) && (!mesh->normal || sn_mesh_make_normals(out));
    if (good)
        memcpy(out->name, mesh->name, sizeof out->name);
    else
        sn_mesh_free(out);
    half_edge_mesh_free(&d.mesh);
    free(d.quadric), free(d.version), free(d.heap);
    return good;
}
