// Pairs with overlapping boxes are found by traversing the BVH against itself. Two triangles intersect when an edge of
// one intersects the other. A segment p q intersects the triangle a b c when p and q are not strictly on one side of
// its plane, and the three volumes (p q a b), (p q b c), (p q c a) do not differ in sign. If everything is coplanar,
// the same test is done with areas, projected along an axis in which the triangle is not degenerate. All signs are
// exact.
//
// Neighbours: with one common corner only the edges opposite to it are tested; with two common corners the triangles
// intersect when they are coplanar and on the same side of their edge.
#include "mesh/self_intersection.h"
#include "mesh/bvh.h"
#include "mesh/exact_predicates.h"
#include <stdlib.h>
#include <string.h>

// Limit on box overlaps: a surface has about 25 for each triangle.
#define MAX_TESTS(triangles) (2000000 + 100LL * (triangles))

typedef struct {
    const sn_mesh *mesh;
    mesh_bvh tree;
    unsigned char *crossing;
    sn_self_intersections *report;
    long long tests;
} search;

// The sign of the area of a b c, projected along an axis.
static int orient2d(const double a[3], const double b[3], const double c[3], int axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double p[3] = {a[u], a[v], 0}, q[3] = {b[u], b[v], 0}, r[3] = {c[u], c[v], 0}, up[3] = {a[u], a[v], 1};
    return exact_orient3d(p, q, r, up);
}

// An axis along which the triangle has area, -1: degenerate.
static int open_axis(const double t[3][3]) {
    for (int axis = 0; axis < 3; axis++)
        if (orient2d(t[0], t[1], t[2], axis) != 0) return axis;
    return -1;
}

static bool between(double a, double b, double x) {
    return (a <= x && x <= b) || (b <= x && x <= a);
}

// Whether c, which is on the line through a and b, is between them.
static bool on_segment(const double a[3], const double b[3], const double c[3]) {
    for (int k = 0; k < 3; k++)
        if (!between(a[k], b[k], c[k])) return false;
    return true;
}

static bool segments_intersect(const double a[3], const double b[3], const double p[3], const double q[3], int axis) {
    const int s = orient2d(a, b, p, axis), t = orient2d(a, b, q, axis), u = orient2d(p, q, a, axis),
              v = orient2d(p, q, b, axis);
    if (s * t < 0 && u * v < 0) return true;
    return (s == 0 && on_segment(a, b, p)) || (t == 0 && on_segment(a, b, q)) || (u == 0 && on_segment(p, q, a)) ||
           (v == 0 && on_segment(p, q, b));
}

static bool point_in(const double t[3][3], const double p[3], int axis) {
    int min_sign = 1, max_sign = -1;
    for (int k = 0; k < 3; k++) {
        const int s = orient2d(t[k], t[(k + 1) % 3], p, axis);
        min_sign = s < min_sign ? s : min_sign;
        max_sign = s > max_sign ? s : max_sign;
    }
    return !(min_sign < 0 && max_sign > 0);
}

static bool segment_intersects(const double p[3], const double q[3], const double t[3][3]) {
    const int above = exact_orient3d(t[0], t[1], t[2], p), below = exact_orient3d(t[0], t[1], t[2], q);
    if (above * below > 0) return false;
    if (above == 0 && below == 0) {
        const int axis = open_axis(t);
        if (axis < 0) return false;
        for (int k = 0; k < 3; k++)
            if (segments_intersect(t[k], t[(k + 1) % 3], p, q, axis)) return true;
        return point_in(t, p, axis);
    }
    int min_sign = 1, max_sign = -1;
    for (int k = 0; k < 3; k++) {
        const int s = exact_orient3d(p, q, t[k], t[(k + 1) % 3]);
        min_sign = s < min_sign ? s : min_sign;
        max_sign = s > max_sign ? s : max_sign;
    }
    return !(min_sign < 0 && max_sign > 0);
}

static void corners_of(const sn_mesh *mesh, const int c[3], double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i][k] = mesh->position[c[i]][k];
}

// Moves shared corners to the front, in the same order in both. Returns their number.
static int sort_shared(int a[3], int b[3]) {
    int shared = 0;
    for (int i = 0; i < 3; i++)
        for (int j = shared; j < 3; j++) {
            if (a[i] != b[j]) continue;
            const int x = a[i], y = a[shared], z = b[shared];
            a[i] = y, a[shared] = x;
            b[j] = z, b[shared] = x;
            shared++;
            break;
        }
    return shared;
}

static bool triangles_intersect(const sn_mesh *mesh, int s, int t) {
    int a[3], b[3];
    double p[3][3], q[3][3];
    memcpy(a, mesh->triangle[s], sizeof a);
    memcpy(b, mesh->triangle[t], sizeof b);
    const int shared = sort_shared(a, b);
    corners_of(mesh, a, p);
    corners_of(mesh, b, q);
    const int axis = open_axis((const double(*)[3])p);
    if (axis < 0 || open_axis((const double(*)[3])q) < 0) return false;
    if (shared == 3) return true;
    if (shared == 2)
        return exact_orient3d(p[0], p[1], p[2], q[2]) == 0 &&
               orient2d(p[0], p[1], p[2], axis) == orient2d(p[0], p[1], q[2], axis);
    for (int k = 0; k < 3; k++) {
        if (shared == 1 && k != 1) continue; // only the edge opposite to the shared corner
        if (segment_intersects(p[k], p[(k + 1) % 3], (const double(*)[3])q)) return true;
        if (segment_intersects(q[k], q[(k + 1) % 3], (const double(*)[3])p)) return true;
    }
    return false;
}

static bool overlap(const bvh_box *a, const bvh_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

// The box of one triangle; leaves hold several.
static bvh_box box_of(const search *s, int position) {
    bvh_box box = bvh_box_empty();
    for (int k = 0; k < 3; k++) bvh_box_grow(&box, s->tree.corner[position][k]);
    return box;
}

static void test_leaves(search *s, const bvh_node *a, const bvh_node *b) {
    for (int i = a->first; i < a->first + a->count; i++) {
        const bvh_box box = box_of(s, i);
        for (int j = a == b ? i + 1 : b->first; j < b->first + b->count; j++) {
            const bvh_box other = box_of(s, j);
            if (!overlap(&box, &other)) continue;
            const int x = s->tree.bvh.index[i], y = s->tree.bvh.index[j];
            s->tests++;
            if (!triangles_intersect(s->mesh, x, y)) continue;
            if (s->report->pairs++ == 0) s->report->first[0] = x, s->report->first[1] = y;
            s->crossing[x] = s->crossing[y] = 1;
        }
    }
}

static void descend(search *s, int m, int n) {
    const bvh_node *a = &s->tree.bvh.node[m], *b = &s->tree.bvh.node[n];
    if (s->tests > MAX_TESTS(s->mesh->triangle_count) || !overlap(&a->bound, &b->bound)) return;
    if (a->count && b->count) {
        test_leaves(s, a, b);
    } else if (m == n) {
        descend(s, a->first, a->first);
        descend(s, a->first, a->first + 1);
        descend(s, a->first + 1, a->first + 1);
    } else if (b->count || (!a->count && m < n)) {
        descend(s, a->first, n);
        descend(s, a->first + 1, n);
    } else {
        descend(s, m, b->first);
        descend(s, m, b->first + 1);
    }
}

bool sn_self_intersection_find(const sn_mesh *mesh, sn_self_intersections *out, unsigned char *crossing) {
    search s = {.mesh = mesh, .report = out};
    *out = (sn_self_intersections){.complete = true, .first = {-1, -1}};
    s.crossing = crossing ? crossing : malloc((size_t)mesh->triangle_count + 1);
    if (!s.crossing) return false;
    memset(s.crossing, 0, (size_t)mesh->triangle_count);
    const bool good = mesh_bvh_build(&s.tree, mesh);
    if (good && s.tree.bvh.node_count > 0) descend(&s, 0, 0);
    out->complete = s.tests <= MAX_TESTS(mesh->triangle_count);
    for (int t = 0; t < mesh->triangle_count && good; t++) out->triangles += s.crossing[t];
    if (good) mesh_bvh_free(&s.tree);
    if (!crossing) free(s.crossing);
    return good;
}
