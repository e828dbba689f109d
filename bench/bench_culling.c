// Culling: a creature among eight cacti (Medial Elastics, Figs. 15 and 16). How many tests of bounds it takes for each
// pair of triangles that cross, by medial primitives under their tree (elastic/medial_tree.h), and by trees of boxes and
// of spheres over the triangles, which are cut off where they are as tight as the medial mesh ('as tight'), or where
// they have as many leaves as it has primitives ('as many'). Every test counts, of the trees' inner nodes too. And how
// tight the bounds are, deformed. Medial primitives remember from frame to frame what was apart by how much; 'afresh'
// they do not.
//
// Twice: as the scene 'cacti' goes, where contacts hold the bodies apart (medial.cacti); and with fine surfaces that
// are pushed into each other (medial.tests).
//
// Tightness is the mean distance from the outside of a bound to the surface, at rest, in hundredths of the body's size.
#include "base/math/real.h"
#include "bench.h"
#include "geometry/triangle.h"
#include "geometry/triangle_bvh.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"
#include "medial/elastic_collide.h"
#include "zoo/elastic_bodies.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACTI = 8, BODIES = CACTI + 1, FRAMES = 8, SAMPLES = 1500 };

// --- random numbers ---

typedef struct {
    uint64_t state;
} dice;

static double roll(dice *d, double lo, double hi) {
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return lo + (hi - lo) * (double)(d->state >> 11) * 0x1p-53;
}

static sn_vec3 roll_direction(dice *d) {
    for (;;) {
        sn_vec3 v;
        v.x = (sn_real)roll(d, -1, 1);
        v.y = (sn_real)roll(d, -1, 1);
        v.z = (sn_real)roll(d, -1, 1);
        sn_real length2 = sn_length2(v);
        if (length2 > 0.01f && length2 < 1) return sn_mul(1 / sn_sqrt(length2), v);
    }
}

// --- models and bodies ---

typedef struct {
    sn_elastic_asset asset;
    sn_elastic_bounds bounds;
    sn_elastic_hull hull;
    sn_triangle_bvh surface;   // at rest
    sn_medial_bvh tree;        // over the triangles
    int *level;                // of its nodes
    int box_level, ball_level; // where it is as tight as the medial mesh
    int same_level;            // where it has as many leaves
    double error[5];           // medial, boxes and spheres as tight, boxes and spheres as many
} model;

typedef struct {
    const model *model;
    sn_elastic_bounds_state bound;
    sn_real *q; // columns of three
    sn_vec3 *x;
    sn_bounds *boxes; // of the triangles' tree
    sn_sphere *balls;
} body;

static void box_of(const model *m, const sn_vec3 *x, int triangle, sn_bounds *box) {
    const int *c = m->asset.triangles[triangle];
    *box = (sn_bounds){x[c[0]], x[c[0]]};
    for (int k = 1; k < 3; k++) {
        sn_vec3 v = x[c[k]];
        box->lo = sn_v3(sn_min(box->lo.x, v.x), sn_min(box->lo.y, v.y), sn_min(box->lo.z, v.z));
        box->hi = sn_v3(sn_max(box->hi.x, v.x), sn_max(box->hi.y, v.y), sn_max(box->hi.z, v.z));
    }
}

// The sphere of a node: about the middle of its box, around all of its triangles.
static sn_real ball_radius2(const model *m, const sn_vec3 *x, int node, sn_vec3 centre) {
    const sn_medial_node *n = &m->tree.nodes[node];
    if (n->item < 0) {
        return sn_max(ball_radius2(m, x, node + 1, centre), ball_radius2(m, x, n->other, centre));
    }
    sn_real most = 0;
    for (int k = 0; k < 3; k++) {
        most = sn_max(most, sn_length2(sn_sub(x[m->asset.triangles[n->item][k]], centre)));
    }
    return most;
}

static bool fit_trees(const model *m, const sn_vec3 *x, int deepest, sn_bounds *boxes, sn_sphere *balls) {
    sn_bounds *items = malloc((size_t)m->asset.triangle_count * sizeof *items);
    if (!items) return false;
    for (int t = 0; t < m->asset.triangle_count; t++) box_of(m, x, t, &items[t]);
    sn_medial_bvh_refit(&m->tree, items, boxes);
    free(items);
    for (int i = 0; i < m->tree.node_count; i++) {
        if (m->level[i] > deepest) continue;
        sn_vec3 centre = sn_lerp(boxes[i].lo, boxes[i].hi, 0.5f);
        balls[i] = (sn_sphere){centre, sn_sqrt(ball_radius2(m, x, i, centre)) * (1 + 4 * SN_REAL_EPSILON)};
    }
    return true;
}

// --- tightness ---

static double distance_to_surface(const model *m, sn_vec3 p) {
    sn_triangle_bvh_hit hit;
    return sn_triangle_bvh_nearest(&m->surface, p, 4 * m->bounds.size, &hit) ? hit.distance : 0;
}

// The mean over points on the outside of the union of slabs; 'slabs' as they are at rest.
static double slab_error(const model *m, const sn_slab *slabs) {
    dice d = {11};
    double sum = 0;
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int p = (int)roll(&d, 0, m->bounds.primitive_count);
        double u = roll(&d, 0, 1), v = roll(&d, 0, 1);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const sn_slab *s = &slabs[p];
        sn_vec3 direction = roll_direction(&d);
        sn_real w[3] = {(sn_real)(1 - u - v), (sn_real)u, (sn_real)v},
                r = w[0] * s->r[0] + w[1] * s->r[1] + w[2] * s->r[2];
        sn_vec3 x = sn_add(sn_add(sn_mul(w[0], s->c[0]), sn_mul(w[1], s->c[1])),
                           sn_mul_add(sn_mul(w[2], s->c[2]), r, direction));
        bool outside = true;
        for (int k = 0; k < m->bounds.primitive_count && outside; k++) {
            outside = sn_slab_distance(&slabs[k], x, NULL) > -1e-3f * m->bounds.size;
        }
        if (!outside) continue;
        sum += distance_to_surface(m, x);
        count++;
    }
    return count ? sum / count / m->bounds.size : 0;
}

static bool is_leaf(const model *m, int node, int level) {
    return m->tree.nodes[node].item >= 0 || m->level[node] >= level;
}

// The same for the boxes or balls of a tree that is cut off at a level.
static double tree_error(const model *m, int level, const sn_bounds *boxes, const sn_sphere *balls, int *leaf) {
    int leaves = 0;
    for (int i = 0; i < m->tree.node_count; i++) {
        bool parent_is_leaf = m->level[i] > level;
        if (!parent_is_leaf && is_leaf(m, i, level)) leaf[leaves++] = i;
    }
    dice d = {12};
    double sum = 0;
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int own = leaf[(int)roll(&d, 0, leaves)];
        sn_vec3 x;
        if (balls) {
            x = sn_mul_add(balls[own].centre, balls[own].radius, roll_direction(&d));
        } else {
            const sn_bounds *b = &boxes[own];
            sn_real at[3] = {(sn_real)roll(&d, 0, 1), (sn_real)roll(&d, 0, 1), (sn_real)roll(&d, 0, 1)};
            int side = (int)roll(&d, 0, 6);
            at[side % 3] = (sn_real)(side / 3);
            x = sn_v3(b->lo.x + at[0] * (b->hi.x - b->lo.x), b->lo.y + at[1] * (b->hi.y - b->lo.y),
                      b->lo.z + at[2] * (b->hi.z - b->lo.z));
        }
        bool outside = true;
        for (int k = 0; k < leaves && outside; k++) {
            if (leaf[k] == own) continue;
            const sn_bounds *b = &boxes[leaf[k]];
            outside = balls ? sn_length(sn_sub(x, balls[leaf[k]].centre)) > balls[leaf[k]].radius * 0.999f
                            : !(x.x > b->lo.x && x.x < b->hi.x && x.y > b->lo.y && x.y < b->hi.y && x.z > b->lo.z &&
                                x.z < b->hi.z);
        }
        if (!outside) continue;
        sum += distance_to_surface(m, x);
        count++;
    }
    return count ? sum / count / m->bounds.size : 0;
}

// The first level at which boxes and balls are as tight as the medial mesh.
static bool find_levels(model *m) {
    int nodes = m->tree.node_count, deepest = 0;
    sn_bounds *boxes = malloc((size_t)nodes * sizeof *boxes);
    sn_sphere *balls = malloc((size_t)nodes * sizeof *balls);
    sn_slab *slabs = malloc((size_t)m->bounds.primitive_count * sizeof *slabs);
    int *leaf = malloc((size_t)nodes * sizeof *leaf);
    bool good = boxes && balls && slabs && leaf;
    for (int i = 0; i < nodes; i++) deepest = m->level[i] > deepest ? m->level[i] : deepest;
    good = good && fit_trees(m, m->asset.rest, deepest, boxes, balls);
    if (good) {
        for (int i = 0; i < m->bounds.primitive_count; i++) {
            sn_real slack = -HUGE_VALF;
            for (int c = m->bounds.first_cluster[i]; c < m->bounds.first_cluster[i + 1]; c++) {
                slack = sn_max(slack, m->bounds.clusters[c].slack);
            }
            if (m->bounds.first_cluster[i] == m->bounds.first_cluster[i + 1]) slack = 0;
            for (int k = 0; k < 3; k++) {
                slabs[i].c[k] = m->asset.centre[m->bounds.spheres[i][k]];
                slabs[i].r[k] = sn_max(m->asset.radius[m->bounds.spheres[i][k]] + slack, 0);
            }
        }
        m->error[0] = slab_error(m, slabs);
        for (m->box_level = 6; m->box_level < deepest; m->box_level++) {
            m->error[1] = tree_error(m, m->box_level, boxes, NULL, leaf);
            if (m->error[1] <= m->error[0]) break;
        }
        for (m->ball_level = 6; m->ball_level < deepest; m->ball_level++) {
            m->error[2] = tree_error(m, m->ball_level, boxes, balls, leaf);
            if (m->error[2] <= m->error[0]) break;
        }
        while (1 << m->same_level < m->bounds.primitive_count) m->same_level++;
        m->error[3] = tree_error(m, m->same_level, boxes, NULL, leaf);
        m->error[4] = tree_error(m, m->same_level, boxes, balls, leaf);
    }
    free(boxes);
    free(balls);
    free(slabs);
    free(leaf);
    return good;
}

static bool copy_array(sn_memory *memory, const void *from, size_t count, size_t size, void *to) {
    void *copy = sn_alloc(memory, count, size);
    if (copy && count) memcpy(copy, from, count * size);
    memcpy(to, &copy, sizeof copy);
    return copy != NULL;
}

// The weights of a drawn point: those of its tetrahedron's corners, mixed. Returns how many.
static int drawn_weights(const sn_elastic_asset *a, int point, int *handle, double *weight, int room) {
    int count = 0;
    for (int k = 0; k < 4; k++) {
        int v = a->drawn_corner[point][k];
        for (int i = a->first[v]; i < a->first[v + 1]; i++) {
            int at = 0;
            while (at < count && handle[at] != a->handle[i]) at++;
            if (at == room) continue;
            if (at == count) handle[count] = a->handle[i], weight[count++] = 0;
            weight[at] += (double)a->drawn_weight[point][k] * (double)a->weight[i];
        }
    }
    return count;
}

// The drawn surface as a body of its own: finer than the tetrahedra's boundary, moved by the same handles.
static bool make_drawn(sn_memory *memory, const sn_elastic_asset *a, sn_elastic_asset *out) {
    enum { ROOM = 64 };
    int handle[ROOM];
    double weight[ROOM];
    *out = (sn_elastic_asset){.vertex_count = a->drawn_count,
                              .triangle_count = a->drawn_triangle_count,
                              .sphere_count = a->sphere_count,
                              .cone_count = a->cone_count,
                              .slab_count = a->slab_count,
                              .handle_count = a->handle_count};
    size_t vertices = (size_t)out->vertex_count, spheres = (size_t)a->sphere_count, handles = (size_t)a->handle_count;
    size_t sphere_weights = (size_t)a->sphere_first[spheres];
    bool good = copy_array(memory, a->drawn_triangles, (size_t)a->drawn_triangle_count, sizeof *out->triangles,
                           &out->triangles) &&
                copy_array(memory, a->centre, spheres, sizeof *out->centre, &out->centre) &&
                copy_array(memory, a->radius, spheres, sizeof *out->radius, &out->radius) &&
                copy_array(memory, a->cones, (size_t)a->cone_count, sizeof *out->cones, &out->cones) &&
                copy_array(memory, a->slabs, (size_t)a->slab_count, sizeof *out->slabs, &out->slabs) &&
                copy_array(memory, a->handle_sphere, handles, sizeof *out->handle_sphere, &out->handle_sphere) &&
                copy_array(memory, a->handle_quadratic, handles, 1, &out->handle_quadratic) &&
                copy_array(memory, a->sphere_first, spheres + 1, sizeof *out->sphere_first, &out->sphere_first) &&
                copy_array(memory, a->sphere_handle, sphere_weights, sizeof *out->sphere_handle, &out->sphere_handle) &&
                copy_array(memory, a->sphere_weight, sphere_weights, sizeof *out->sphere_weight, &out->sphere_weight);
    out->rest = sn_alloc(memory, vertices, sizeof *out->rest);
    out->first = sn_alloc(memory, vertices + 1, sizeof *out->first);
    good = good && out->rest && out->first;
    for (int pass = 0; good && pass < 2; pass++) { // count, then write
        int n = 0;
        for (int v = 0; v < out->vertex_count; v++) {
            sn_vec3 x = {0, 0, 0};
            for (int k = 0; k < 4; k++) x = sn_mul_add(x, a->drawn_weight[v][k], a->rest[a->drawn_corner[v][k]]);
            out->rest[v] = x;
            out->first[v] = n;
            int count = drawn_weights(a, v, handle, weight, ROOM);
            for (int i = 0; pass && i < count; i++)
                out->handle[n + i] = handle[i], out->weight[n + i] = (sn_real)weight[i];
            n += count;
        }
        out->first[out->vertex_count] = n;
        if (pass) break;
        out->handle = sn_alloc(memory, (size_t)n, sizeof *out->handle);
        out->weight = sn_alloc(memory, (size_t)n, sizeof *out->weight);
        good = out->handle && out->weight;
    }
    return good;
}

// From m->asset, which is there already.
static bool finish_model(sn_memory *memory, model *m) {
    int triangles = m->asset.triangle_count;
    sn_bounds *boxes = malloc((size_t)triangles * sizeof *boxes);
    bool good = boxes && sn_elastic_bounds_init(memory, &m->asset, &m->bounds) == SN_OK &&
                sn_elastic_hull_init(memory, &m->bounds, &m->hull) == SN_OK &&
                sn_triangle_bvh_build(memory, m->asset.rest, m->asset.vertex_count, &m->asset.triangles[0][0],
                                      triangles, &m->surface) == SN_OK;
    if (good) {
        for (int t = 0; t < triangles; t++) box_of(m, m->asset.rest, t, &boxes[t]);
        good = sn_medial_bvh_build(memory, boxes, triangles, &m->tree) == SN_OK;
        m->level = calloc((size_t)m->tree.node_count, sizeof *m->level);
        good = good && m->level;
        for (int i = 0; good && i < m->tree.node_count; i++) {
            if (m->tree.nodes[i].item >= 0) continue;
            m->level[i + 1] = m->level[m->tree.nodes[i].other] = m->level[i] + 1;
        }
    }
    free(boxes);
    return good && find_levels(m);
}

static bool make_model(sn_memory *memory, zoo_elastic_kind kind, bool quick, model *m, tool_error *error) {
    *m = (model){0};
    bool creature = kind == ZOO_ELASTIC_CREATURE;
    sn_mesh surface;
    if (!zoo_surface(creature ? ZOO_CREATURE : ZOO_CACTUS, quick ? 8000 : (creature ? 62000 : 40000), &surface))
        return false;
    elastic_source source = {.surface = &surface};
    elastic_bake_options options = zoo_elastic_options(kind);
    options.tets = quick ? 4000 : 30000;
    elastic_report report;
    sn_elastic_asset baked;
    bool good = elastic_bake(memory, &source, &options, &baked, &report, error);
    sn_mesh_free(&surface);
    if (!good) return false;
    tool_error_out_of_memory(error); // if the rest fails
    good = make_drawn(memory, &baked, &m->asset);
    sn_elastic_asset_free(memory, &baked);
    return good && finish_model(memory, m);
}

static void free_model(sn_memory *memory, model *m) {
    free(m->level);
    sn_medial_bvh_free(memory, &m->tree);
    sn_triangle_bvh_free(memory, &m->surface);
    sn_elastic_hull_free(memory, &m->hull);
    sn_elastic_bounds_free(memory, &m->bounds);
    sn_elastic_asset_free(memory, &m->asset);
}

static bool make_body(sn_memory *memory, const model *m, body *b) {
    *b = (body){.model = m};
    size_t columns = (size_t)m->bounds.first_column[m->asset.handle_count];
    b->q = malloc(columns * 3 * sizeof *b->q);
    b->x = malloc((size_t)m->asset.vertex_count * sizeof *b->x);
    b->boxes = malloc((size_t)m->tree.node_count * sizeof *b->boxes);
    b->balls = malloc((size_t)m->tree.node_count * sizeof *b->balls);
    return b->q && b->x && b->boxes && b->balls && sn_elastic_bounds_state_init(memory, &m->bounds, &b->bound) == SN_OK;
}

static void free_body(sn_memory *memory, body *b) {
    free(b->q);
    free(b->x);
    free(b->boxes);
    free(b->balls);
    if (b->model) sn_elastic_bounds_state_free(memory, &b->model->bounds, &b->bound);
}

// --- motion ---

// Bent along the height by angles that grow with it, turned about the height, and moved.
typedef struct {
    double lean[2], turn, at[3];
} motion;

static void moved(const motion *m, const double p[3], double out[3]) {
    double x = p[0], y = p[1], z = p[2];
    for (int k = 0; k < 2; k++) { // an arc in the plane of the height and x, then z
        double a = m->lean[k] * y, *side = k ? &z : &x;
        if (fabs(m->lean[k]) > 1e-6) {
            double r = 1 / m->lean[k] - *side;
            *side = 1 / m->lean[k] - r * cos(a);
            y = r * sin(a);
        }
    }
    out[0] = cos(m->turn) * x + sin(m->turn) * z + m->at[0];
    out[1] = y + m->at[1];
    out[2] = -sin(m->turn) * x + cos(m->turn) * z + m->at[2];
}

// Handles follow to first order (and second where they can, squares only), vertices the handles.
static void move_body(body *b, const motion *m) {
    const sn_elastic_asset *a = &b->model->asset;
    const double e = 1e-3;
    for (int h = 0; h < a->handle_count; h++) {
        sn_vec3 c = sn_elastic_handle_centre(a, h);
        double o[3] = {c.x, c.y, c.z}, f[3];
        sn_real *q = b->q + 3 * (ptrdiff_t)b->model->bounds.first_column[h];
        moved(m, o, f);
        for (int i = 0; i < 3; i++) q[i] = (sn_real)f[i];
        for (int k = 0; k < 3; k++) {
            double up[3], down[3], at[3] = {o[0], o[1], o[2]};
            at[k] += e, moved(m, at, up);
            at[k] -= 2 * e, moved(m, at, down);
            for (int i = 0; i < 3; i++) {
                q[3 * (1 + k) + i] = (sn_real)((up[i] - down[i]) / (2 * e));
                if (!a->handle_quadratic[h]) continue;
                q[3 * (4 + k) + i] = (sn_real)((up[i] - 2 * f[i] + down[i]) / (2 * e * e));
                q[3 * (7 + k) + i] = 0;
            }
        }
    }
    for (int v = 0; v < a->vertex_count; v++) {
        sn_vec3 rest = a->rest[v], x = {0, 0, 0};
        const double whole = sn_elastic_weight_divisor(a->weight + a->first[v], a->first[v + 1] - a->first[v]);
        sn_real left = 1;
        for (int i = a->first[v]; i < a->first[v + 1]; i++) {
            int h = a->handle[i];
            const sn_real *q = b->q + 3 * (ptrdiff_t)b->model->bounds.first_column[h];
            const sn_real w = (sn_real)((double)a->weight[i] / whole);
            sn_vec3 d = sn_sub(rest, sn_elastic_handle_centre(a, h));
            const sn_real basis[7] = {1, d.x, d.y, d.z, d.x * d.x, d.y * d.y, d.z * d.z};
            for (int k = 0; k < (a->handle_quadratic[h] ? 7 : 4); k++) {
                x = sn_mul_add(x, w * basis[k], sn_v3(q[3 * k], q[3 * k + 1], q[3 * k + 2]));
            }
            left -= w;
        }
        if (sn_abs(left) > 1e-5f) {
            double p[3] = {rest.x, rest.y, rest.z}, at[3];
            motion foot = *m;
            foot.lean[0] = foot.lean[1] = 0;
            moved(&foot, p, at);
            x = sn_mul_add(x, left, sn_v3((sn_real)at[0], (sn_real)at[1], (sn_real)at[2]));
        }
        b->x[v] = x;
    }
}

static sn_elastic_pose pose_of(const body *b, const motion *m) {
    sn_quat turn = {0, (sn_real)sin(0.5 * m->turn), 0, (sn_real)cos(0.5 * m->turn)};
    return (sn_elastic_pose){b->q, 3, 1, turn, sn_v3((sn_real)m->at[0], (sn_real)m->at[1], (sn_real)m->at[2])};
}

// The creature falls through a ring of cacti, which lean away.
static motion motion_of(int index, int frame, dice *d) {
    double t = (double)frame / (FRAMES - 1);
    if (index == 0) return (motion){{0.15 * sin(3 * t), 0.1 * t}, 0.4, {-0.1, 1.2 - 1.1 * t, 0}};
    int i = index - 1;
    double x = 0.55 * (i % 4 - 1.5), z = i / 4 ? 0.42 : -0.42;
    return (motion){{0.25 * t * (x > 0 ? 1 : -1) + roll(d, -0.1, 0.1), 0.5 * t * (z > 0 ? 1 : -1)}, 1.1 * i, {x, 0, z}};
}

// --- counting ---

typedef struct {
    int64_t tests, leaf_pairs, crossing;
} count;

static bool overlap(const body *a, int i, const body *b, int j, bool balls) {
    if (!balls) return sn_bounds_overlap(&a->boxes[i], &b->boxes[j]);
    sn_real reach = a->balls[i].radius + b->balls[j].radius;
    return sn_length2(sn_sub(a->balls[i].centre, b->balls[j].centre)) <= reach * reach;
}

// Two trees cut off at their levels; with exact = true down to the triangles, whose crossings are counted.
static void descend(const body *a, int i, int level_a, const body *b, int j, int level_b, bool balls, bool exact,
                    count *c) {
    c->tests++;
    if (!overlap(a, i, b, j, balls)) return;
    const sn_medial_node *p = &a->model->tree.nodes[i], *q = &b->model->tree.nodes[j];
    bool leaf_a = exact ? p->item >= 0 : is_leaf(a->model, i, level_a);
    bool leaf_b = exact ? q->item >= 0 : is_leaf(b->model, j, level_b);
    if (leaf_a && leaf_b) {
        c->leaf_pairs++;
        if (!exact) return;
        const int *s = a->model->asset.triangles[p->item], *t = b->model->asset.triangles[q->item];
        sn_triangle ta = {a->x[s[0]], a->x[s[1]], a->x[s[2]]}, tb = {b->x[t[0]], b->x[t[1]], b->x[t[2]]};
        c->crossing += sn_triangle_triangle(&ta, &tb);
    } else if (leaf_b || (!leaf_a && a->model->level[i] <= b->model->level[j])) {
        descend(a, i + 1, level_a, b, j, level_b, balls, exact, c);
        descend(a, p->other, level_a, b, j, level_b, balls, exact, c);
    } else {
        descend(a, i, level_a, b, j + 1, level_b, balls, exact, c);
        descend(a, i, level_a, b, q->other, level_b, balls, exact, c);
    }
}

// The mean over primitives of how much larger the bound is than it would have to be, in body sizes.
static double bound_error(const body *b) {
    const sn_elastic_bounds *s = &b->model->bounds;
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->primitive_count; i++) {
        if (s->first_vertex[i] == s->first_vertex[i + 1]) continue;
        sn_real outside = -HUGE_VALF;
        for (int k = s->first_vertex[i]; k < s->first_vertex[i + 1]; k++) {
            outside = sn_max(outside, sn_slab_distance(&b->bound.slab[i], b->x[s->vertices[k]], NULL));
        }
        sum -= outside;
        n++;
    }
    return n ? sum / n / s->size : 0;
}

static bool outside_anywhere(const body *b) {
    const sn_elastic_bounds *s = &b->model->bounds;
    for (int i = 0; i < s->primitive_count; i++) {
        for (int k = s->first_vertex[i]; k < s->first_vertex[i + 1]; k++) {
            if (sn_slab_distance(&b->bound.slab[i], b->x[s->vertices[k]], NULL) > 0) return true;
        }
    }
    return false;
}

enum { AS_TIGHT_BOXES, AS_TIGHT_BALLS, AS_MANY_BOXES, AS_MANY_BALLS, TREES };

typedef struct {
    count trees[TREES], exact;
    sn_elastic_collide_stats stats, afresh;
    int64_t contacts;
    int frames;
    double deformation, displacement; // sums over bodies and frames
    double update_s, detect_s;        // best, and of the last frame
    bool escaped;
} totals;

// Bodies whose vertices are where they should be.
static bool count_frame(body *bodies, const sn_elastic_pose *pose, sn_elastic_detector *detector,
                        sn_elastic_detector *afresh, totals *sum) {
    sn_elastic_collider all[BODIES];
    bool good = true;
    for (int i = 0; i < BODIES && good; i++) {
        body *b = &bodies[i];
        sn_elastic_bounds_update(&b->model->bounds, pose[i], SN_BOUNDS_DISPLACEMENT, NULL, &b->bound);
        sum->displacement += bound_error(b);
        all[i] = (sn_elastic_collider){&b->model->hull, &b->bound, b->x, false};
        const int deepest = b->model->ball_level > b->model->same_level ? b->model->ball_level : b->model->same_level;
        good = fit_trees(b->model, b->x, deepest, b->boxes, b->balls);
    }
    double start = bench_clock();
    for (int i = 0; i < BODIES; i++)
        sn_elastic_bounds_update(&bodies[i].model->bounds, pose[i], SN_BOUNDS_DEFORMATION, NULL, &bodies[i].bound);
    const double update = bench_clock() - start;
    sum->update_s = sum->frames ? fmin(sum->update_s, update) : update;
    for (int i = 0; i < BODIES; i++) {
        sum->deformation += bound_error(&bodies[i]);
        sum->escaped = sum->escaped || outside_anywhere(&bodies[i]);
    }
    start = bench_clock();
    good = good && sn_elastic_detect(detector, all, BODIES, NULL) == SN_OK;
    sum->detect_s = bench_clock() - start;
    good = good && sn_elastic_detect(afresh, all, BODIES, NULL) == SN_OK;
    good = good && afresh->contact_count == detector->contact_count;
    sum->afresh.boxes += afresh->stats.boxes;
    sum->afresh.slabs += afresh->stats.slabs;
    sum->afresh.overlaps += afresh->stats.overlaps;
    sum->stats.boxes += detector->stats.boxes;
    sum->stats.slabs += detector->stats.slabs;
    sum->stats.overlaps += detector->stats.overlaps;
    sum->contacts += detector->contact_count;
    for (int i = 0; i < BODIES && good; i++) {
        for (int j = i + 1; j < BODIES; j++) {
            const body *a = &bodies[i], *b = &bodies[j];
            const model *m = a->model, *n = b->model;
            descend(a, 0, m->box_level, b, 0, n->box_level, false, false, &sum->trees[AS_TIGHT_BOXES]);
            descend(a, 0, m->ball_level, b, 0, n->ball_level, true, false, &sum->trees[AS_TIGHT_BALLS]);
            descend(a, 0, m->same_level, b, 0, n->same_level, false, false, &sum->trees[AS_MANY_BOXES]);
            descend(a, 0, m->same_level, b, 0, n->same_level, true, false, &sum->trees[AS_MANY_BALLS]);
            descend(a, 0, 0, b, 0, 0, false, true, &sum->exact);
        }
    }
    sum->frames++;
    return good;
}

// Fine surfaces, pushed into each other.
static bool run_pushed(sn_memory *memory, bool quick, model *models, body *bodies, totals *sum, tool_error *error) {
    bool good = make_model(memory, ZOO_ELASTIC_CREATURE, quick, &models[0], error) &&
                make_model(memory, ZOO_ELASTIC_CACTUS, quick, &models[1], error);
    for (int i = 0; i < BODIES && good; i++) good = make_body(memory, &models[i > 0], &bodies[i]);
    sn_elastic_detector detector, afresh;
    sn_elastic_detector_init(&detector, memory);
    sn_elastic_detector_init(&afresh, memory);
    afresh.cache_disabled = true;
    dice d = {5};
    for (int frame = 0; frame < FRAMES && good; frame++) {
        sn_elastic_pose pose[BODIES];
        for (int i = 0; i < BODIES; i++) {
            const motion m = motion_of(i, frame, &d);
            move_body(&bodies[i], &m);
            pose[i] = pose_of(&bodies[i], &m);
        }
        good = count_frame(bodies, pose, &detector, &afresh, sum);
    }
    sn_elastic_detector_free(&detector);
    sn_elastic_detector_free(&afresh);
    return good;
}

// The scene, step by step from the first contacts on.
static bool run_scene(sn_memory *memory, bool quick, model *models, body *bodies, totals *sum, tool_error *error) {
    enum { FROM = 40, TO = 80 };
    bench_stage *stage = bench_stage_cacti(2);
    sn_world *world = stage ? bench_stage_world(stage) : NULL;
    if (!world || sn_world_kind_count(world, SN_KIND_ELASTIC) != BODIES) {
        tool_error_set(error, "the scene cannot be made");
        bench_stage_free(stage);
        return false;
    }
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        const sn_elastic_model *from = sn_elastic_get_model(world, sn_world_kind_at(world, SN_KIND_ELASTIC, i));
        good = sn_elastic_asset_copy(memory, sn_elastic_model_asset(from), &models[i].asset) == SN_OK &&
               finish_model(memory, &models[i]);
    }
    for (int i = 0; i < BODIES && good; i++) good = make_body(memory, &models[i > 0], &bodies[i]);
    sn_elastic_detector detector, afresh;
    sn_elastic_detector_init(&detector, memory);
    sn_elastic_detector_init(&afresh, memory);
    afresh.cache_disabled = true;
    for (int step = 0; step < (quick ? 2 : TO) && good; step++) {
        sn_elastic_pose pose[BODIES];
        good = sn_world_step(world, (sn_real)(1.0 / 60), 1) == SN_OK;
        if (!quick && step < FROM) continue;
        for (int i = 0; i < BODIES; i++) {
            const sn_body id = sn_world_kind_at(world, SN_KIND_ELASTIC, i);
            sn_elastic_get_vertices(world, id, bodies[i].x, models[i > 0].asset.vertex_count);
            pose[i] = sn_elastic_pose_of(sn_elastic_find(sn_world_elastics(world), id)->body);
        }
        good = good && count_frame(bodies, pose, &detector, &afresh, sum);
    }
    sn_elastic_detector_free(&detector);
    sn_elastic_detector_free(&afresh);
    bench_stage_free(stage);
    return good;
}

static int leaves_of(const model *m, int level) {
    int leaves = 0;
    for (int i = 0; i < m->tree.node_count; i++) leaves += m->level[i] <= level && is_leaf(m, i, level);
    return leaves;
}

static void print_row(const char *name, const model *m, const int leaves[2], int error, double tests, double overlaps,
                      double pairs) {
    printf("  %-18s %7d %7d   %5.2f %5.2f %11.0f %10.3g %10.0f %10.3g\n", name, leaves[0], leaves[1],
           100 * m[0].error[error], 100 * m[1].error[error], tests, tests / pairs, overlaps, overlaps / pairs);
}

static void print_table(const char *title, const model *models, const totals *sum, double ours, double afresh,
                        double pairs) {
    static const char *const names[TREES] = {"boxes, as tight", "spheres, as tight", "boxes, as many",
                                             "spheres, as many"};
    const int primitives[2] = {models[0].bounds.primitive_count, models[1].bounds.primitive_count};
    printf("%s: %d frames, %lld pairs of triangles cross, %lld contacts\n", title, sum->frames,
           (long long)sum->exact.crossing, (long long)sum->contacts);
    printf("  %-18s %15s   %11s %11s %10s %10s %10s\n", "creature, cactus", "leaves", "error, %", "tests", "a pair",
           "overlaps", "a pair");
    print_row("medial primitives", models, primitives, 0, ours, (double)sum->stats.overlaps, pairs);
    print_row("  afresh", models, primitives, 0, afresh, (double)sum->afresh.overlaps, pairs);
    for (int k = 0; k < TREES; k++) {
        int leaves[2];
        for (int i = 0; i < 2; i++) {
            const model *m = &models[i];
            const int tight = k == AS_TIGHT_BOXES ? m->box_level : m->ball_level;
            leaves[i] = leaves_of(m, k <= AS_TIGHT_BALLS ? tight : m->same_level);
        }
        print_row(names[k], models, leaves, k + 1, (double)sum->trees[k].tests, (double)sum->trees[k].leaf_pairs,
                  pairs);
    }
}

static void report(bench *b, const char *group, const char *title, const model *models, const totals *sum) {
    static const char *const keys[2 + TREES] = {"slabs", "afresh", "boxes", "spheres", "boxes.many", "spheres.many"};
    const double pairs = sum->exact.crossing ? (double)sum->exact.crossing : 1;
    const double ours = (double)(sum->stats.boxes + sum->stats.slabs);
    const double afresh = (double)(sum->afresh.boxes + sum->afresh.slabs);
    if (b->announce) print_table(title, models, sum, ours, afresh, pairs);
    for (int k = 0; k < 2 + TREES; k++) {
        char name[48];
        snprintf(name, sizeof name, "%s.%s", group, keys[k]);
        const double tests = k == 0 ? ours : k == 1 ? afresh : (double)sum->trees[k - 2].tests;
        if (bench_wanted(b, name)) bench_add(b, name, tests / pairs, "tests a pair", "lower");
    }
}

typedef bool run_fn(sn_memory *memory, bool quick, model *models, body *bodies, totals *sum, tool_error *error);

// False: it failed, and was said.
static bool run_all(bench *b, const char *group, const char *title, run_fn *run, totals *sum) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    tool_error error = {.text = "out of memory"};
    model models[2] = {0};
    body bodies[BODIES] = {0};
    *sum = (totals){0};
    bool good = run(&memory, b->quick, models, bodies, sum, &error);
    if (good && sum->escaped) {
        good = false;
        tool_error_set(&error, "a vertex is outside of its bound");
    }
    if (good) {
        report(b, group, title, models, sum);
    } else {
        fprintf(stderr, "sinew bench: %s: %s\n", group, error.text);
        b->failed = true;
    }
    for (int i = 0; i < BODIES; i++) free_body(&memory, &bodies[i]);
    for (int i = 0; i < 2; i++) free_model(&memory, &models[i]);
    return good;
}

static bool any_wanted(const bench *b, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bench_wanted(b, names[i])) return true;
    return false;
}

void bench_culling(bench *b) {
    static const char *const pushed[] = {
        "medial.tests.slabs",      "medial.tests.afresh",       "medial.tests.boxes",       "medial.tests.spheres",
        "medial.tests.boxes.many", "medial.tests.spheres.many", "medial.error.deformation", "medial.error.displacement",
        "medial.update.t1",        "medial.detect.t1"};
    static const char *const scene[] = {"medial.cacti.slabs",   "medial.cacti.afresh",     "medial.cacti.boxes",
                                        "medial.cacti.spheres", "medial.cacti.boxes.many", "medial.cacti.spheres.many"};
    totals sum;
    if (any_wanted(b, pushed, sizeof pushed / sizeof *pushed) &&
        run_all(b, "medial.tests", "a creature pushed through 8 cacti", run_pushed, &sum)) {
        const double each = 100.0 / (sum.frames * BODIES);
        if (bench_wanted(b, "medial.error.deformation"))
            bench_add(b, "medial.error.deformation", each * sum.deformation, "% of the size", "lower");
        if (bench_wanted(b, "medial.error.displacement"))
            bench_add(b, "medial.error.displacement", each * sum.displacement, "% of the size", "lower");
        if (bench_wanted(b, "medial.update.t1")) bench_add(b, "medial.update.t1", 1e3 * sum.update_s, "ms", "lower");
        if (bench_wanted(b, "medial.detect.t1")) bench_add(b, "medial.detect.t1", 1e3 * sum.detect_s, "ms", "lower");
    }
    if (b->quick && b->wanted_count == 0) return; // baking takes longer than a smoke test should
    if (any_wanted(b, scene, sizeof scene / sizeof *scene))
        run_all(b, "medial.cacti", "the scene 'cacti'", run_scene, &sum);
}
