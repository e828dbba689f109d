// The winding number is the solid angle of all triangles, seen from the point, over 4 pi. From far away a group of
// triangles is approximated by its moments about its centre c (Barill and others 2018, 'Fast winding numbers for soups
// and clouds'). With d = x - c on the triangles, their normals n, r = c - point and g(r) = r / |r|^3,
//
//     4 pi w = N_j g_j + M_aj (d_a g_j) + T_abj (d_a d_b g_j) / 2,
//     N_j = int n_j,   M_aj = int d_a n_j,   T_abj = int d_a d_b n_j,
//
// which, since g is the gradient of a harmonic function, needs only the symmetric parts S of M and T:
//
//     M_aj (d_a g_j)     = tr M / |r|^3 - 3 S_aj r_a r_j / |r|^5
//     T_abj (d_a d_b g_j) = -3 v.r / |r|^5 + 15 S_abj r_a r_b r_j / |r|^7,   v_k = 2 T_aka + T_aak.
//
// Groups closer than FAR_RATIO times their radius are opened, down to single triangles, for which the solid angle is
// exact (Van Oosterom and Strackee 1983): with the corners p, q, s relative to the point,
//
//     tan(half the angle) = p.(q x s) / (|p||q||s| + (p.q)|s| + (q.s)|p| + (s.p)|q|).
//
// Half angles are arguments of complex numbers, so they are summed by multiplying those and counting full rotations:
// one arctangent for each point instead of one for each triangle.
#include "mesh/winding.h"
#include "base/math/double3.h"
#include "mesh/bvh.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>

#define FAR_RATIO 2.0
#define TWO_PI    6.283185307179586

typedef struct {
    double centre[3], far_squared; // the group is approximated beyond this squared distance
    double n[3], trace, m[6];      // m: xx yy zz, xy yz zx of the symmetric part
    double v[3], t[10];            // t: xxx yyy zzz, xxy yyz zzx, xyy yzz zxx, xyz, with multiplicities
} group;

// All moments of a group about its centre, and its area.
typedef struct {
    double area, centre[3], n[3], m[3][3], t[3][3][3];
} moments;

struct sn_winding {
    mesh_bvh tree;
    group *group; // of each node
};

static moments triangle_moments(const float corner[3][3]) {
    moments out = {0};
    double a[3], b[3], d[3][3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)corner[1][k] - corner[0][k], b[k] = (double)corner[2][k] - corner[0][k];
        out.centre[k] = ((double)corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        for (int c = 0; c < 3; c++) d[c][k] = corner[c][k] - out.centre[k];
    }
    d3_cross(a, b, out.n);
    for (int k = 0; k < 3; k++) out.n[k] *= 0.5;
    out.area = sqrt(d3_dot(out.n, out.n));
    for (int k = 0; k < 3; k++) // the mean of d d over a triangle is the mean over its corners, divided by 4
        for (int l = 0; l < 3; l++)
            for (int j = 0; j < 3; j++)
                out.t[k][l][j] = (d[0][k] * d[0][l] + d[1][k] * d[1][l] + d[2][k] * d[2][l]) / 12 * out.n[j];
    return out;
}

// Adds the moments of a part, shifted to the centre of the sum.
static void add_moments(moments *sum, const moments *part) {
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = part->centre[k] - sum->centre[k];
    for (int j = 0; j < 3; j++) {
        sum->n[j] += part->n[j];
        for (int a = 0; a < 3; a++) {
            sum->m[a][j] += part->m[a][j] + s[a] * part->n[j];
            for (int b = 0; b < 3; b++)
                sum->t[a][b][j] +=
                    part->t[a][b][j] + s[a] * part->m[b][j] + s[b] * part->m[a][j] + s[a] * s[b] * part->n[j];
        }
    }
}

// Stores the moments with the factors of the formulas above.
static void set_moments(group *g, const moments *full) {
    const double(*m)[3] = full->m, (*t)[3][3] = full->t;
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3;
        g->centre[k] = full->centre[k];
        g->n[k] = full->n[k];
        g->m[k] = 3 * m[k][k], g->m[3 + k] = 3 * (m[k][l] + m[l][k]);
        g->v[k] = 1.5 * (2 * (t[0][k][0] + t[1][k][1] + t[2][k][2]) + t[0][0][k] + t[1][1][k] + t[2][2][k]);
        g->t[k] = 7.5 * t[k][k][k];
        g->t[3 + k] = 7.5 * (t[k][k][l] + 2 * t[k][l][k]);
        g->t[6 + k] = 7.5 * (t[l][l][k] + 2 * t[k][l][l]);
    }
    g->trace = m[0][0] + m[1][1] + m[2][2];
    g->t[9] = 15 * (t[0][1][2] + t[1][2][0] + t[2][0][1]);
}

static void set_radius(group *g, const bvh_node *node) {
    double reach = 0;
    for (int k = 0; k < 3; k++) {
        const double d = fmax(node->bound.high[k] - g->centre[k], g->centre[k] - node->bound.low[k]);
        reach += d * d;
    }
    g->far_squared = FAR_RATIO * FAR_RATIO * reach;
}

// Children come after their parents, so go from the last node to the first.
static void sum_groups(sn_winding *w, moments *full) {
    for (int i = w->tree.bvh.node_count - 1; i >= 0; --i) {
        const bvh_node *node = &w->tree.bvh.node[i];
        const int parts = node->count ? node->count : 2;
        moments single[BVH_LEAF_SIZE];
        const moments *part = node->count ? single : &full[node->first];
        for (int p = 0; p < node->count; p++)
            single[p] = triangle_moments((const float(*)[3])w->tree.corner[node->first + p]);
        full[i] = (moments){0};
        for (int p = 0; p < parts; p++) {
            full[i].area += part[p].area;
            for (int k = 0; k < 3; k++) full[i].centre[k] += part[p].area * part[p].centre[k];
        }
        for (int k = 0; k < 3; k++)
            full[i].centre[k] = full[i].area > 0 ? full[i].centre[k] / full[i].area
                                                 : 0.5 * ((double)node->bound.low[k] + node->bound.high[k]);
        for (int p = 0; p < parts; p++) add_moments(&full[i], &part[p]);
        set_moments(&w->group[i], &full[i]);
        set_radius(&w->group[i], node);
    }
}

sn_winding *sn_winding_make(const sn_mesh *mesh) {
    sn_winding *w = calloc(1, sizeof *w);
    moments *full = NULL;
    bool good = w && mesh_bvh_build(&w->tree, mesh);
    if (good) {
        const size_t nodes = (size_t)w->tree.bvh.node_count + 1;
        w->group = malloc(nodes * sizeof *w->group);
        full = malloc(nodes * sizeof *full);
        good = w->group && full;
    }
    if (good) {
        sum_groups(w, full);
    } else {
        sn_winding_free(w);
        w = NULL;
    }
    free(full);
    return w;
}

void sn_winding_free(sn_winding *w) {
    if (!w) return;
    mesh_bvh_free(&w->tree);
    free(w->group);
    free(w);
}

// A sum of half angles: the argument of (re, im), and full rotations.
typedef struct {
    double re, im;
    int rotations;
} half_angles;

static void add_triangle(half_angles *sum, const float corner[3][3], const double point[3]) {
    double p[3], q[3], s[3], n[3];
    for (int k = 0; k < 3; k++) {
        p[k] = corner[0][k] - point[k];
        q[k] = corner[1][k] - point[k];
        s[k] = corner[2][k] - point[k];
    }
    d3_cross(q, s, n);
    const double im = d3_dot(p, n);
    if (im == 0) return; // edge-on, or the point is on it and sees half of either side
    const double lp = sqrt(d3_dot(p, p)), lq = sqrt(d3_dot(q, q)), ls = sqrt(d3_dot(s, s));
    const double re = lp * lq * ls + d3_dot(p, q) * ls + d3_dot(q, s) * lp + d3_dot(s, p) * lq;
    const double scale = 1 / (fabs(re) + fabs(im)), a = re * scale, b = im * scale;
    const double r = sum->re * a - sum->im * b, i = sum->re * b + sum->im * a;
    if (sum->im > 0 && b > 0 && i < 0) sum->rotations++;
    if (sum->im < 0 && b < 0 && i > 0) --sum->rotations;
    const double again = 1 / (fabs(r) + fabs(i));
    sum->re = r * again, sum->im = i * again;
}

double sn_winding_evaluate(const sn_winding *w, const double point[3]) {
    if (w->tree.bvh.node_count == 0) return 0;
    half_angles exact = {1, 0, 0};
    double far = 0;
    int stack[BVH_MAX_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const int i = stack[--depth];
        const group *g = &w->group[i];
        const double r[3] = {g->centre[0] - point[0], g->centre[1] - point[1], g->centre[2] - point[2]};
        const double rr = d3_dot(r, r);
        if (rr > g->far_squared) {
            const double over = 1 / rr, x = r[0], y = r[1], z = r[2], *m = g->m, *t = g->t;
            const double two = x * (m[0] * x + m[3] * y) + y * (m[1] * y + m[4] * z) + z * (m[2] * z + m[5] * x);
            const double three = x * x * (t[0] * x + t[3] * y + t[8] * z) + y * y * (t[1] * y + t[4] * z + t[6] * x) +
                                 z * z * (t[2] * z + t[5] * x + t[7] * y) + t[9] * x * y * z;
            far += over / sqrt(rr) * (d3_dot(g->n, r) + g->trace - over * (two + d3_dot(g->v, r) - over * three));
            continue;
        }
        const bvh_node *node = &w->tree.bvh.node[i];
        for (int t = 0; t < node->count; t++)
            add_triangle(&exact, (const float(*)[3])w->tree.corner[node->first + t], point);
        if (node->count == 0) stack[depth++] = node->first + 1, stack[depth++] = node->first;
    }
    const double half = own_atan2(exact.im, exact.re) + TWO_PI * exact.rotations;
    return (2 * half + far) / (2 * TWO_PI);
}
