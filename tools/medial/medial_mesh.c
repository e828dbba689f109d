// Distances to spheres, cones and slabs, and a BVH over them: see medial_mesh.h.
//
// The distance of a point p to a primitive is the minimum of |p - c(t)| - r(t) over its spheres, a convex function of
// t. On a slab the minimum in the interior of the triangle is where p - c(t) is along the normal n of the tangent plane
// on p's side: where the line from p along -n intersects the triangle's plane. Otherwise the minimum is on an edge. On
// a cone the same holds with a line: with l the length of its axis and d = (rb - ra) / l, the projection of p moves
// along the axis by p's distance from it times d / sqrt(1 - d^2).
#include "medial/medial_mesh.h"
#include "base/math/double3.h"
#include "base/union_find.h"
#include "mesh/sort.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(int count, size_t size) {
    return calloc(count > 0 ? (size_t)count : 1, size);
}

bool sn_medial_mesh_alloc(sn_medial_mesh *mesh, int spheres, int cones, int slabs) {
    *mesh = (sn_medial_mesh){.sphere_count = spheres, .cone_count = cones, .slab_count = slabs};
    mesh->centre = allocate(spheres, sizeof *mesh->centre);
    mesh->radius = allocate(spheres, sizeof *mesh->radius);
    mesh->cone = allocate(cones, sizeof *mesh->cone);
    mesh->slab = allocate(slabs, sizeof *mesh->slab);
    if (mesh->centre && mesh->radius && mesh->cone && mesh->slab) return true;
    sn_medial_mesh_free(mesh);
    return false;
}

bool sn_medial_mesh_copy(const sn_medial_mesh *from, sn_medial_mesh *to) {
    if (!sn_medial_mesh_alloc(to, from->sphere_count, from->cone_count, from->slab_count)) return false;
    memcpy(to->centre, from->centre, (size_t)from->sphere_count * sizeof *to->centre);
    memcpy(to->radius, from->radius, (size_t)from->sphere_count * sizeof *to->radius);
    memcpy(to->cone, from->cone, (size_t)from->cone_count * sizeof *to->cone);
    memcpy(to->slab, from->slab, (size_t)from->slab_count * sizeof *to->slab);
    return true;
}

void sn_medial_mesh_free(sn_medial_mesh *mesh) {
    free(mesh->centre);
    free(mesh->radius);
    free(mesh->cone);
    free(mesh->slab);
    *mesh = (sn_medial_mesh){0};
}

static int compare_cones(const void *a, const void *b) {
    const int *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

void sn_medial_mesh_sort_cones(sn_medial_mesh *mesh) {
    qsort(mesh->cone, (size_t)mesh->cone_count, sizeof *mesh->cone, compare_cones);
    int kept = 0;
    for (int e = 0; e < mesh->cone_count; e++) {
        if (kept > 0 && compare_cones(mesh->cone[e], mesh->cone[kept - 1]) == 0) continue;
        memmove(mesh->cone[kept++], mesh->cone[e], sizeof *mesh->cone);
    }
    mesh->cone_count = kept;
}

int sn_medial_mesh_components(const sn_medial_mesh *mesh, int *component) {
    const int n = mesh->sphere_count;
    int *parent = allocate(n, sizeof *parent), count = 0;
    if (!parent) return -1;
    for (int i = 0; i < n; i++) parent[i] = i;
    for (int e = 0; e < mesh->cone_count; e++) sn_union(parent, mesh->cone[e][0], mesh->cone[e][1]);
    for (int i = 0; i < n; i++) { // roots come first
        parent[i] = sn_find_root(parent, i);
        count += parent[i] == i;
    }
    for (int i = 0, next = 0; i < n && component; i++) component[i] = parent[i] == i ? next++ : component[parent[i]];
    free(parent);
    return count;
}

// ---- distances

double sn_medial_sphere_distance(const sn_medial_mesh *mesh, int sphere, const double p[3]) {
    double d[3];
    d3_sub(p, mesh->centre[sphere], d);
    return sqrt(d3_dot(d, d)) - mesh->radius[sphere];
}

double sn_medial_cone_distance(const sn_medial_mesh *mesh, int a, int b, const double p[3], double *t) {
    const double ra = mesh->radius[a], dr = mesh->radius[b] - ra;
    double axis[3], d[3];
    d3_sub(mesh->centre[b], mesh->centre[a], axis);
    d3_sub(p, mesh->centre[a], d);
    const double l2 = d3_dot(axis, axis);
    double at = 0;
    if (l2 <= dr * dr) { // one end contains the other
        at = dr > 0;
    } else {
        const double foot = d3_dot(d, axis) / l2, away2 = d3_dot(d, d) - foot * foot * l2;
        at = foot + sqrt(away2 > 0 ? away2 : 0) * dr / sqrt(l2 * (l2 - dr * dr));
        at = at < 0 ? 0 : at > 1 ? 1 : at;
    }
    for (int k = 0; k < 3; k++) d[k] -= at * axis[k];
    if (t) *t = at;
    return sqrt(d3_dot(d, d)) - (ra + at * dr);
}

// The tangent planes' normals flat +- up: n . (cj - c0) = r0 - rj gives the part in the triangle's plane, unit length
// the rest. False: there are none.
static bool tangents(const double e[3], const double f[3], double re, double rf, double flat[3], double up[3]) {
    double n[3];
    d3_cross(e, f, n);
    const double area2 = d3_dot(n, n), ee = d3_dot(e, e), ef = d3_dot(e, f), ff = d3_dot(f, f);
    if (!(area2 > 1e-20 * ee * ff)) return false;
    const double x = (ff * re - ef * rf) / area2, y = (ee * rf - ef * re) / area2;
    for (int k = 0; k < 3; k++) flat[k] = x * e[k] + y * f[k];
    const double height_squared = 1 - d3_dot(flat, flat);
    if (!(height_squared > 0)) return false;
    const double h = sqrt(height_squared / area2);
    for (int k = 0; k < 3; k++) up[k] = h * n[k];
    return true;
}

bool sn_medial_slab_normals(const sn_medial_mesh *mesh, const int slab[3], double normal[2][3]) {
    double e[3], f[3], flat[3], up[3];
    const double r = mesh->radius[slab[0]];
    d3_sub(mesh->centre[slab[1]], mesh->centre[slab[0]], e);
    d3_sub(mesh->centre[slab[2]], mesh->centre[slab[0]], f);
    if (!tangents(e, f, r - mesh->radius[slab[1]], r - mesh->radius[slab[2]], flat, up)) return false;
    for (int k = 0; k < 3; k++) normal[0][k] = flat[k] + up[k], normal[1][k] = flat[k] - up[k];
    return true;
}

double sn_medial_slab_distance(const sn_medial_mesh *mesh, const int slab[3], const double p[3], double weight[3]) {
    const double r0 = mesh->radius[slab[0]], dr1 = mesh->radius[slab[1]] - r0, dr2 = mesh->radius[slab[2]] - r0;
    double e[3], f[3], d[3], flat[3], up[3];
    d3_sub(mesh->centre[slab[1]], mesh->centre[slab[0]], e);
    d3_sub(mesh->centre[slab[2]], mesh->centre[slab[0]], f);
    d3_sub(p, mesh->centre[slab[0]], d);
    if (tangents(e, f, -dr1, -dr2, flat, up)) {
        const double high = d3_dot(d, up), up2 = d3_dot(up, up); // n . N is |up|
        const double side = high < 0 ? -1 : 1, s = fabs(high) / up2;
        for (int k = 0; k < 3; k++) d[k] -= s * (flat[k] + side * up[k]); // now in the triangle's plane
        const double ee = d3_dot(e, e), ef = d3_dot(e, f), ff = d3_dot(f, f), de = d3_dot(d, e), df = d3_dot(d, f);
        const double area2 = ee * ff - ef * ef, v = (ff * de - ef * df) / area2, w = (ee * df - ef * de) / area2;
        if (v >= 0 && w >= 0 && v + w <= 1) {
            weight[0] = 1 - v - w, weight[1] = v, weight[2] = w;
            return s - (r0 + v * dr1 + w * dr2);
        }
    }
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        double t;
        const double distance = sn_medial_cone_distance(mesh, slab[k], slab[next], p, &t);
        if (distance >= best) continue;
        best = distance;
        weight[k] = 1 - t, weight[next] = t, weight[(k + 2) % 3] = 0;
    }
    return best;
}

// ---- the field

// A primitive: a sphere (b and c are -1), a cone (c is -1) or a slab.
typedef struct {
    int sphere[3];
    double low[3], high[3]; // of the centres
    double deepest;         // the largest radius
} primitive;

typedef struct {
    double low[3], high[3], deepest;
    int first, count; // leaf: its primitives; count 0: 'first' is the second child, the next node the first
} field_node;

struct sn_medial_field {
    sn_medial_mesh mesh;
    primitive *item;
    int item_count;
    field_node *node;
    int node_count;
};

static primitive primitive_of(const sn_medial_mesh *mesh, int a, int b, int c) {
    primitive out = {{a, b, c}, {0}, {0}, mesh->radius[a]};
    for (int k = 0; k < 3; k++) out.low[k] = INFINITY, out.high[k] = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const int s = out.sphere[i];
        if (s < 0) continue;
        const double r = mesh->radius[s];
        if (r > out.deepest) out.deepest = r;
        for (int k = 0; k < 3; k++) {
            out.low[k] = fmin(out.low[k], mesh->centre[s][k]);
            out.high[k] = fmax(out.high[k], mesh->centre[s][k]);
        }
    }
    return out;
}

static int compare_items(const void *a, const void *b, int k) {
    const primitive *x = a, *y = b;
    const double d = (x->low[k] + x->high[k]) - (y->low[k] + y->high[k]);
    if (d != 0) return d < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (x->sphere[i] != y->sphere[i]) return x->sphere[i] < y->sphere[i] ? -1 : 1;
    return 0;
}
static int compare_x(const void *a, const void *b) {
    return compare_items(a, b, 0);
}
static int compare_y(const void *a, const void *b) {
    return compare_items(a, b, 1);
}
static int compare_z(const void *a, const void *b) {
    return compare_items(a, b, 2);
}

enum { LEAF_SIZE = 4, MAX_DEPTH = 64 };

// Splits the list at the median along the longest side of its centres. Parents come before their children.
static int build(sn_medial_field *field, int first, int count) {
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    const int index = field->node_count++;
    field_node *node = &field->node[index];
    *node = (field_node){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, first, count};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = first; i < first + count; i++) {
        const primitive *p = &field->item[i];
        node->deepest = fmax(node->deepest, p->deepest);
        for (int k = 0; k < 3; k++) {
            node->low[k] = fmin(node->low[k], p->low[k]);
            node->high[k] = fmax(node->high[k], p->high[k]);
            low[k] = fmin(low[k], p->low[k] + p->high[k]);
            high[k] = fmax(high[k], p->low[k] + p->high[k]);
        }
    }
    if (count <= LEAF_SIZE) return index;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    qsort(field->item + first, (size_t)count, sizeof *field->item, compare[axis]);
    build(field, first, count / 2);
    const int second = build(field, first + count / 2, count - count / 2);
    field->node[index].first = second;
    field->node[index].count = 0;
    return index;
}

// Lists the primitives without those contained in larger ones: edges of slabs, ends of cones.
static bool list_primitives(sn_medial_field *field) {
    const sn_medial_mesh *m = &field->mesh;
    const size_t edges = 3 * (size_t)m->slab_count;
    uint64_t *covered = malloc((edges + 1) * sizeof *covered);
    bool *joined = calloc((size_t)m->sphere_count + 1, sizeof *joined);
    field->item =
        malloc(((size_t)m->slab_count + (size_t)m->cone_count + (size_t)m->sphere_count + 1) * sizeof *field->item);
    const bool good = covered && joined && field->item;
    for (int s = 0; s < m->slab_count && good; s++) {
        const int *v = m->slab[s];
        for (int k = 0; k < 3; k++) covered[3 * s + k] = edge_key(v[k], v[(k + 1) % 3]), joined[v[k]] = true;
        field->item[field->item_count++] = primitive_of(m, v[0], v[1], v[2]);
    }
    if (good) qsort(covered, edges, sizeof *covered, compare_uint64);
    for (int e = 0; e < m->cone_count && good; e++) {
        const uint64_t key = edge_key(m->cone[e][0], m->cone[e][1]);
        joined[m->cone[e][0]] = joined[m->cone[e][1]] = true;
        if (bsearch(&key, covered, edges, sizeof *covered, compare_uint64)) continue;
        field->item[field->item_count++] = primitive_of(m, m->cone[e][0], m->cone[e][1], -1);
    }
    for (int i = 0; i < m->sphere_count && good; i++)
        if (!joined[i]) field->item[field->item_count++] = primitive_of(m, i, -1, -1);
    free(covered);
    free(joined);
    return good;
}

sn_medial_field *sn_medial_field_make(const sn_medial_mesh *mesh) {
    sn_medial_field *field = calloc(1, sizeof *field);
    if (field && sn_medial_mesh_copy(mesh, &field->mesh) && list_primitives(field) &&
        (field->node = malloc((2 * (size_t)field->item_count + 1) * sizeof *field->node))) {
        if (field->item_count) build(field, 0, field->item_count);
        return field;
    }
    sn_medial_field_free(field);
    return NULL;
}

void sn_medial_field_free(sn_medial_field *field) {
    if (!field) return;
    sn_medial_mesh_free(&field->mesh);
    free(field->item);
    free(field->node);
    free(field);
}

// A lower bound of the distance from p to spheres with centres in the box and radii up to 'deepest'.
static double box_bound(const double low[3], const double high[3], double deepest, const double p[3]) {
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
        const double d = p[k] < low[k] ? low[k] - p[k] : p[k] > high[k] ? p[k] - high[k] : 0;
        d2 += d * d;
    }
    return sqrt(d2) - deepest;
}

static double bound(const field_node *node, const double p[3]) {
    return box_bound(node->low, node->high, node->deepest, p);
}

static double item_distance(const sn_medial_mesh *mesh, const primitive *item, const double p[3], double weight[3]) {
    weight[0] = 1, weight[1] = weight[2] = 0;
    if (item->sphere[2] >= 0) return sn_medial_slab_distance(mesh, item->sphere, p, weight);
    if (item->sphere[1] < 0) return sn_medial_sphere_distance(mesh, item->sphere[0], p);
    const double d = sn_medial_cone_distance(mesh, item->sphere[0], item->sphere[1], p, &weight[1]);
    weight[0] = 1 - weight[1];
    return d;
}

// The least distance below 'best'; returns early below 'enough'.
static double search(const sn_medial_field *field, const double p[3], double best, double enough, sn_medial_hit *hit) {
    double from[MAX_DEPTH], w[3];
    int stack[MAX_DEPTH], top = 0;
    if (field->item_count) stack[top] = 0, from[top++] = bound(&field->node[0], p);
    while (top > 0) {
        const int index = stack[--top];
        const field_node *node = &field->node[index];
        if (from[top] >= best) continue;
        if (node->count == 0) { // push the nearer child last, so that it is visited first
            const int a = index + 1, b = node->first;
            const double da = bound(&field->node[a], p), db = bound(&field->node[b], p);
            stack[top] = da < db ? b : a, from[top++] = da < db ? db : da;
            stack[top] = da < db ? a : b, from[top++] = da < db ? da : db;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            const primitive *item = &field->item[i];
            if (box_bound(item->low, item->high, item->deepest, p) >= best) continue;
            const double d = item_distance(&field->mesh, item, p, w);
            if (d >= best) continue;
            best = d;
            if (hit) {
                hit->distance = d;
                for (int k = 0; k < 3; k++) {
                    hit->sphere[k] = item->sphere[k] < 0 ? item->sphere[0] : item->sphere[k];
                    hit->weight[k] = w[k];
                }
            }
            if (best < enough) return best;
        }
    }
    return best;
}

double sn_medial_field_evaluate(const sn_medial_field *field, const double p[3], sn_medial_hit *hit) {
    return search(field, p, INFINITY, -INFINITY, hit);
}

double sn_medial_field_reevaluate(const sn_medial_field *field, const double p[3], sn_medial_hit *hit) {
    hit->distance = sn_medial_slab_distance(&field->mesh, hit->sphere, p, hit->weight);
    return search(field, p, hit->distance, -INFINITY, hit);
}

bool sn_medial_field_contains(const sn_medial_field *field, const double p[3], double depth) {
    return search(field, p, INFINITY, -depth, NULL) < -depth;
}
