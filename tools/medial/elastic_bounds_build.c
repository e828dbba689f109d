// Builds the constant part of the bounds: primitives, their triangles, and the modes and deviations of
// elastic_bounds.c.
//
// Primitives are slabs, cones that are not an edge of one, and spheres that are in neither. A triangle is assigned to
// the primitive that minimises the distance of its farthest corner: all three corners are enclosed there, hence the
// triangle.
#include "medial/elastic_bounds.h"
#include "medial/medial_bvh.h"
#include <string.h>

// ---- primitives

static uint64_t edge_key(int a, int b) {
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

// Shellsort: needs no memory and is fast enough for some thousand edges.
static void sort_keys(uint64_t *keys, int count) {
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : (int)(gap / 2.2)) {
        for (int i = gap; i < count; i++) {
            uint64_t key = keys[i];
            int j = i;
            for (; j >= gap && keys[j - gap] > key; j -= gap) keys[j] = keys[j - gap];
            keys[j] = key;
        }
    }
}

static bool has_key(const uint64_t *keys, int count, uint64_t key) {
    int lo = 0, hi = count;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (keys[mid] < key) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < count && keys[lo] == key;
}

static bool make_primitives(sn_memory *memory, sn_elastic_bounds *b) {
    const sn_elastic_asset *asset = b->asset;
    int keys_count = 3 * asset->slab_count;
    uint64_t *keys = sn_alloc(memory, (size_t)keys_count, sizeof *keys);
    unsigned char *used = sn_alloc(memory, (size_t)asset->sphere_count, 1);
    bool good = keys && used;
    for (int i = 0; good && i < asset->slab_count; i++) {
        const int *s = asset->slabs[i];
        for (int k = 0; k < 3; k++) {
            keys[3 * i + k] = edge_key(s[k], s[(k + 1) % 3]);
            used[s[k]] = 1;
        }
    }
    if (good) sort_keys(keys, keys_count);
    int cones = 0, alone = 0;
    for (int i = 0; good && i < asset->cone_count; i++) {
        const int *s = asset->cones[i];
        if (!has_key(keys, keys_count, edge_key(s[0], s[1]))) cones++;
        used[s[0]] = used[s[1]] = 1;
    }
    for (int i = 0; good && i < asset->sphere_count; i++) alone += !used[i];
    int count = asset->slab_count + cones + alone, n = 0;
    if (good) b->spheres = sn_alloc(memory, (size_t)count, sizeof *b->spheres);
    good = good && b->spheres;
    if (good) {
        b->primitive_count = count;
        for (int i = 0; i < asset->slab_count; i++) memcpy(b->spheres[n++], asset->slabs[i], sizeof *b->spheres);
        for (int i = 0; i < asset->cone_count; i++) {
            const int *s = asset->cones[i];
            if (has_key(keys, keys_count, edge_key(s[0], s[1]))) continue;
            b->spheres[n][0] = s[0], b->spheres[n][1] = b->spheres[n][2] = s[1];
            n++;
        }
        for (int i = 0; i < asset->sphere_count; i++) {
            if (used[i]) continue;
            b->spheres[n][0] = b->spheres[n][1] = b->spheres[n][2] = i;
            n++;
        }
    }
    sn_free(memory, keys, (size_t)keys_count, sizeof *keys);
    sn_free(memory, used, (size_t)asset->sphere_count, 1);
    return good;
}

static sn_slab slab_at_rest(const sn_elastic_bounds *b, int primitive) {
    sn_slab slab;
    for (int k = 0; k < 3; k++) {
        slab.c[k] = b->asset->centre[b->spheres[primitive][k]];
        slab.r[k] = b->asset->radius[b->spheres[primitive][k]];
    }
    return slab;
}

// ---- the closest primitive

typedef struct {
    sn_medial_bvh bvh;
    sn_bounds *boxes; // of nodes
    sn_slab *slabs;   // of primitives, at rest
    sn_real max_radius;
} rest_field;

// A lower bound of the distance of p to the primitives in a box.
static sn_real min_distance(const sn_bounds *box, sn_vec3 p, sn_real max_radius) {
    sn_vec3 off = {sn_max(sn_max(box->lo.x - p.x, p.x - box->hi.x), 0),
                   sn_max(sn_max(box->lo.y - p.y, p.y - box->hi.y), 0),
                   sn_max(sn_max(box->lo.z - p.z, p.z - box->hi.z), 0)};
    sn_real distance2 = sn_dot(off, off);
    return distance2 > 0 ? sn_sqrt(distance2) : -max_radius;
}

static int closest_primitive(const rest_field *field, sn_vec3 p) {
    int stack[80], depth = 0, closest = 0;
    sn_real best = HUGE_VALF;
    stack[depth++] = 0;
    while (depth > 0) {
        int i = stack[--depth];
        if (!(min_distance(&field->boxes[i], p, field->max_radius) < best)) continue;
        const sn_medial_node *node = &field->bvh.nodes[i];
        if (node->item >= 0) {
            sn_real distance = sn_slab_distance(&field->slabs[node->item], p, NULL);
            if (distance < best) best = distance, closest = node->item;
            continue;
        }
        sn_real first = min_distance(&field->boxes[i + 1], p, field->max_radius);
        sn_real other = min_distance(&field->boxes[node->other], p, field->max_radius);
        stack[depth++] = first < other ? node->other : i + 1;
        stack[depth++] = first < other ? i + 1 : node->other;
    }
    return closest;
}

// Writes the primitive of each triangle to primitive_of.
static bool assign_triangles(sn_memory *memory, const sn_elastic_bounds *b, int *primitive_of) {
    const sn_elastic_asset *asset = b->asset;
    size_t count = (size_t)b->primitive_count, nodes = count ? 2 * count - 1 : 0;
    rest_field field = {.boxes = sn_alloc(memory, nodes, sizeof *field.boxes),
                        .slabs = sn_alloc(memory, count, sizeof *field.slabs)};
    sn_bounds *boxes = sn_alloc(memory, count, sizeof *boxes);
    int *closest = sn_alloc(memory, (size_t)asset->vertex_count, sizeof *closest);
    bool good = field.boxes && field.slabs && boxes && closest;
    for (int i = 0; good && i < b->primitive_count; i++) {
        field.slabs[i] = slab_at_rest(b, i);
        boxes[i] = sn_slab_bounds(&field.slabs[i]);
        for (int k = 0; k < 3; k++) field.max_radius = sn_max(field.max_radius, field.slabs[i].r[k]);
    }
    good = good && sn_medial_bvh_build(memory, boxes, b->primitive_count, &field.bvh) == SN_OK;
    if (good && b->primitive_count > 0) {
        sn_medial_bvh_refit(&field.bvh, boxes, field.boxes);
        for (int v = 0; v < asset->vertex_count; v++) closest[v] = -1;
        for (int t = 0; t < asset->triangle_count; t++) {
            const int *corner = asset->triangles[t];
            for (int k = 0; k < 3; k++) {
                int v = corner[k];
                if (closest[v] < 0) closest[v] = closest_primitive(&field, asset->rest[v]);
            }
            sn_real best = HUGE_VALF;
            for (int k = 0; k < 3; k++) {
                int candidate = closest[corner[k]];
                if (k > 0 && candidate == closest[corner[k - 1]]) continue;
                sn_real worst = -HUGE_VALF;
                for (int m = 0; m < 3; m++) {
                    worst = sn_max(worst, sn_slab_distance(&field.slabs[candidate], asset->rest[corner[m]], NULL));
                }
                if (worst < best) best = worst, primitive_of[t] = candidate;
            }
        }
    }
    sn_medial_bvh_free(memory, &field.bvh);
    sn_free(memory, field.boxes, nodes, sizeof *field.boxes);
    sn_free(memory, field.slabs, count, sizeof *field.slabs);
    sn_free(memory, boxes, count, sizeof *boxes);
    sn_free(memory, closest, (size_t)asset->vertex_count, sizeof *closest);
    return good;
}

// Lists of triangles and of vertices by primitive.
static bool make_lists(sn_memory *memory, sn_elastic_bounds *b, const int *primitive_of) {
    const sn_elastic_asset *asset = b->asset;
    size_t count = (size_t)b->primitive_count;
    b->first_triangle = sn_alloc(memory, count + 1, sizeof *b->first_triangle);
    b->triangles = sn_alloc(memory, (size_t)asset->triangle_count, sizeof *b->triangles);
    b->first_vertex = sn_alloc(memory, count + 1, sizeof *b->first_vertex);
    int *seen = sn_alloc(memory, (size_t)asset->vertex_count, sizeof *seen);
    bool good = b->first_triangle && b->triangles && b->first_vertex && seen;
    if (good) {
        for (int t = 0; t < asset->triangle_count; t++) ++b->first_triangle[primitive_of[t] + 1];
        for (size_t i = 0; i < count; i++) b->first_triangle[i + 1] += b->first_triangle[i];
        for (int t = 0; t < asset->triangle_count; t++) b->triangles[b->first_triangle[primitive_of[t]]++] = t;
        for (size_t i = count; i > 0; --i) b->first_triangle[i] = b->first_triangle[i - 1];
        b->first_triangle[0] = 0;
    }
    // Two passes over the triangles: count, then write. seen[v] is 1 + the last primitive that has listed v.
    for (int pass = 0; good && pass < 2; pass++) {
        memset(seen, 0, (size_t)asset->vertex_count * sizeof *seen);
        int n = 0;
        for (int i = 0; i < b->primitive_count; i++) {
            b->first_vertex[i] = n;
            for (int k = b->first_triangle[i]; k < b->first_triangle[i + 1]; k++) {
                for (int m = 0; m < 3; m++) {
                    int v = asset->triangles[b->triangles[k]][m];
                    if (seen[v] == i + 1) continue;
                    if (pass == 0 && seen[v] == 0) b->surface_count++;
                    seen[v] = i + 1;
                    if (pass == 1) b->vertices[n] = v;
                    n++;
                }
            }
        }
        b->first_vertex[b->primitive_count] = b->vertex_entries = n;
        if (pass == 0) b->vertices = sn_alloc(memory, (size_t)n, sizeof *b->vertices);
        good = b->vertices != NULL;
    }
    sn_free(memory, seen, (size_t)asset->vertex_count, sizeof *seen);
    return good;
}

// ---- clusters

// Sorts the vertices of a primitive so that neighbours in the list are neighbours in space: splits them in halves along
// the longest side of their box until there are `parts` of them.
static void sort_by_halves(const sn_vec3 *rest, int *vertices, int count, int parts) {
    if (parts < 2 || count < 2) return;
    sn_real lo[3] = {0}, hi[3] = {0};
    for (int i = 0; i < count; i++) {
        const sn_real x[3] = {rest[vertices[i]].x, rest[vertices[i]].y, rest[vertices[i]].z};
        for (int k = 0; k < 3; k++) {
            lo[k] = i ? sn_min(lo[k], x[k]) : x[k];
            hi[k] = i ? sn_max(hi[k], x[k]) : x[k];
        }
    }
    int axis = hi[1] - lo[1] > hi[0] - lo[0] ? 1 : 0;
    if (hi[2] - lo[2] > hi[axis] - lo[axis]) axis = 2;
    // A full sort instead of a selection: a primitive has some hundred vertices, and this runs once.
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; i++) {
            int v = vertices[i], j = i;
            const sn_real *at = &rest[v].x;
            for (; j >= gap; j -= gap) {
                const sn_real *before = &rest[vertices[j - gap]].x;
                if (before[axis] < at[axis] || (before[axis] == at[axis] && vertices[j - gap] < v)) break;
                vertices[j] = vertices[j - gap];
            }
            vertices[j] = v;
        }
    }
    int half = count / 2;
    sort_by_halves(rest, vertices, half, parts / 2);
    sort_by_halves(rest, vertices + half, count - half, parts / 2);
}

// Where most handles are quadratic there are more degrees of freedom than a motion needs: they cancel each other and
// must be resolved well. Elsewhere fewer clusters and modes suffice, in half the time.
enum { PLAIN_CLUSTERS = 128, PLAIN_MODES = 64 };

static int clusters_for(int vertices, bool plain) {
    const int max = plain ? PLAIN_CLUSTERS : SN_BOUNDS_MAX_CLUSTERS;
    return vertices < max ? vertices : max;
}

static int cluster_start(int count, int clusters, int index) {
    return (int)((int64_t)count * index / clusters);
}

// ---- factors

// The influence of a handle (the last: the anchors) on the current vertex. `now` lists those that are not 0.
typedef struct {
    double w, shift, linear[3], square[3], mixed[3];
    bool listed;
} share;

typedef struct {
    share *share;
    int *now;
    int count;
    int *slot;                           // of the handle among the primitive's terms, -1: none
    double *row, *part, *along, *weight; // of the current primitive, see below
    double *mode;
    size_t row_capacity, part_capacity, term_capacity;
} factor_work;

static share *share_of(factor_work *f, int handle) {
    share *s = &f->share[handle];
    if (!s->listed) {
        *s = (share){.listed = true};
        f->now[f->count++] = handle;
    }
    return s;
}

// Adds the weights of a point: of the vertex (k = 1), or of one of the spheres of c, which are subtracted (k = -t).
static void add_point(factor_work *f, const int *handle, const sn_real *weight, int count, int anchored, double k,
                      const double at[3]) {
    const double divisor = sn_elastic_weight_divisor(weight, count);
    double left = 1;
    for (int i = 0; i <= count; i++) {
        double w = i < count ? (double)weight[i] / divisor : left;
        left -= i < count ? w : 0;
        if (i == count && w < 1e-6 && w > -1e-6) continue; // rounding
        share *s = share_of(f, i < count ? handle[i] : anchored);
        if (k > 0) s->w += w;
        s->shift += k * w;
        for (int m = 0; m < 3; m++) {
            int next = m < 2 ? m + 1 : 0;
            s->linear[m] += k * w * at[m];
            s->square[m] += k * w * at[m] * at[m];
            s->mixed[m] += k * w * at[m] * at[next];
        }
    }
}

static double length3(double x, double y, double z) {
    return __builtin_sqrt(x * x + y * y + z * z);
}

typedef struct {
    sn_slab slab;
    double middle[3], at[3][3]; // the spheres' centres relative to the middle
    double scale;               // maximum of their distance plus radius
} rest_primitive;

static rest_primitive rest_primitive_of(const sn_elastic_bounds *b, int primitive) {
    rest_primitive p = {.slab = slab_at_rest(b, primitive)};
    p.middle[0] = b->middle[primitive].x, p.middle[1] = b->middle[primitive].y, p.middle[2] = b->middle[primitive].z;
    for (int k = 0; k < 3; k++) {
        p.at[k][0] = (double)p.slab.c[k].x - p.middle[0], p.at[k][1] = (double)p.slab.c[k].y - p.middle[1];
        p.at[k][2] = (double)p.slab.c[k].z - p.middle[2];
        const double reach = length3(p.at[k][0], p.at[k][1], p.at[k][2]) + (double)p.slab.r[k];
        p.scale = reach > p.scale ? reach : p.scale;
    }
    if (!(p.scale > 0)) p.scale = 1;
    return p;
}

// Computes the influence of every handle on a vertex into f, and n = X - c. Returns |n|; *radius is that of the sphere.
static double share_vertex(const sn_elastic_bounds *b, const rest_primitive *p, const int *sphere, int v,
                           factor_work *f, double n[3], double *radius) {
    const sn_elastic_asset *asset = b->asset;
    int anchored = asset->handle_count;
    sn_real t[3];
    sn_slab_distance(&p->slab, asset->rest[v], t);
    double x[3] = {(double)asset->rest[v].x - p->middle[0], (double)asset->rest[v].y - p->middle[1],
                   (double)asset->rest[v].z - p->middle[2]};
    double sum = (double)t[0] + (double)t[1] + (double)t[2], c[3] = {0, 0, 0};
    *radius = 0;
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 3; m++) c[m] += t[k] / sum * p->at[k][m];
        *radius += t[k] / sum * p->slab.r[k];
    }
    f->count = 0;
    add_point(f, asset->handle + asset->first[v], asset->weight + asset->first[v],
              asset->first[v + 1] - asset->first[v], anchored, 1, x);
    for (int k = 0; k < 3; k++) {
        int s = sphere[k], first = asset->sphere_first[s];
        if (t[k] == 0) continue;
        add_point(f, asset->sphere_handle + first, asset->sphere_weight + first, asset->sphere_first[s + 1] - first,
                  anchored, -t[k] / sum, p->at[k]);
    }
    for (int k = 0; k < f->count; k++) f->share[f->now[k]].listed = false;
    for (int m = 0; m < 3; m++) n[m] = x[m] - c[m];
    return length3(n[0], n[1], n[2]);
}

static void numbers_of(const share *s, double out[10]) {
    out[0] = s->shift;
    for (int m = 0; m < 3; m++) out[1 + m] = s->linear[m], out[4 + m] = s->square[m], out[7 + m] = s->mixed[m];
}

static void raise(sn_real *max, double value) {
    sn_real up = (sn_real)(value * (1 + 4 * (double)SN_REAL_EPSILON));
    if (up > *max) *max = up;
}

// ---- fitting the vertices of a primitive

// The rows of the vertices, ten numbers for each handle, and the modes found so far.
typedef struct {
    int count, terms, width; // width: numbers of a row
    int modes;
    double *row;   // scaled; without the modes found so far
    double *part;  // by vertex: 1, X - c, and its coefficients of the shapes
    double *mode;  // by mode: a row
    double *along; // work space of a row
    double scale;  // m; multiplies shifts to make them comparable to slopes
} fit_work;

static double *row_of(const fit_work *w, int i) {
    return w->row + (size_t)i * (size_t)w->width;
}

static double *mode_of(const fit_work *w, int i) {
    return w->mode + (size_t)i * (size_t)w->width;
}

static double *part_of(const fit_work *w, int i) {
    return w->part + (size_t)i * SN_BOUNDS_MAX_MODES;
}

static double scale_of(const fit_work *w, int index) {
    return index == 0 ? w->scale : index < 4 ? 1 : 1 / w->scale;
}

// Solves g x = b by Cholesky; g (xx, yy, zz, xy, yz, zx) is positive definite.
static void solve3(const double g[6], const double b[3], double x[3]) {
    const double l00 = __builtin_sqrt(g[0]), l10 = g[3] / l00, l20 = g[5] / l00;
    const double l11 = __builtin_sqrt(g[1] - l10 * l10), l21 = (g[4] - l20 * l10) / l11;
    const double l22 = __builtin_sqrt(g[2] - l20 * l20 - l21 * l21);
    const double y0 = b[0] / l00, y1 = (b[1] - l10 * y0) / l11, y2 = (b[2] - l20 * y0 - l21 * y1) / l22;
    x[2] = y2 / l22;
    x[1] = (y1 - l21 * x[2]) / l11;
    x[0] = (y0 - l10 * x[1] - l20 * x[2]) / l00;
}

// Fits the slopes (the change of rows with n = X - c) and the mean of the remainder. Slopes of the linear numbers start
// as the mean weights, so that they represent rotations exactly, however poorly the vertices determine slopes.
static void fit_slopes(fit_work *w, const double *weight) {
    double middle[3] = {0, 0, 0}, spread[6] = {0};
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < 3; k++) middle[k] += part_of(w, i)[1 + k] / w->count;
    for (int i = 0; i < w->count; i++) {
        const double *n = part_of(w, i) + 1, d[3] = {n[0] - middle[0], n[1] - middle[1], n[2] - middle[2]};
        for (int k = 0; k < 3; k++) spread[k] += d[k] * d[k], spread[3 + k] += d[k] * d[k < 2 ? k + 1 : 0];
    }
    const double min = 1e-3 * (spread[0] + spread[1] + spread[2]) + 1e-30;
    for (int k = 0; k < 3; k++) spread[k] += min;
    for (int c = 0; c < w->width; c++) {
        const int axis = c % 10 - 1; // of the linear numbers
        const double mean_weight = axis >= 0 && axis < 3 ? weight[c / 10] : 0;
        double against[3] = {0, 0, 0}, slope[3], mean = 0;
        for (int i = 0; i < w->count; i++) {
            const double *n = part_of(w, i) + 1;
            const double value = row_of(w, i)[c] - (mean_weight != 0 ? mean_weight * n[axis] : 0);
            for (int k = 0; k < 3; k++) against[k] += (n[k] - middle[k]) * value;
        }
        solve3(spread, against, slope);
        if (mean_weight != 0) slope[axis] += mean_weight;
        for (int i = 0; i < w->count; i++) {
            const double *n = part_of(w, i) + 1;
            row_of(w, i)[c] -= slope[0] * n[0] + slope[1] * n[1] + slope[2] * n[2];
            mean += row_of(w, i)[c] / w->count;
        }
        for (int i = 0; i < w->count; i++) row_of(w, i)[c] -= mean;
        mode_of(w, 0)[c] = mean;
        for (int k = 0; k < 3; k++) mode_of(w, 1 + k)[c] = slope[k];
    }
    w->modes = 4;
}

static double product(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// Makes the longest remaining row a mode and subtracts its projection from all rows. False: the remainder is
// negligible.
static bool fit_mode(fit_work *w) {
    double max = 0;
    const double *longest = NULL;
    for (int i = 0; i < w->count; i++) {
        const double length2 = product(row_of(w, i), row_of(w, i), w->width);
        if (length2 > max) max = length2, longest = row_of(w, i);
    }
    if (!longest || !(max > 1e-8 * w->scale * w->scale)) return false;
    memcpy(w->along, longest, (size_t)w->width * sizeof *w->along);
    for (int i = 0; i < w->count; i++) {
        const double part = product(row_of(w, i), w->along, w->width) / max;
        part_of(w, i)[w->modes] = part;
        for (int c = 0; c < w->width; c++) row_of(w, i)[c] -= part * w->along[c];
    }
    memcpy(mode_of(w, w->modes++), w->along, (size_t)w->width * sizeof *w->along);
    return true;
}

// Computes the directions of a cluster's vertices from their spheres; arbitrary for a vertex at its sphere's centre.
static void fit_directions(const fit_work *w, int start, int end, sn_elastic_cluster *out) {
    double mean[6] = {0}, d[3];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = start; i < end; i++) {
            const double *n = part_of(w, i) + 1, length = length3(n[0], n[1], n[2]);
            for (int k = 0; k < 3; k++) d[k] = length > 0 ? n[k] / length : k == 0;
            double off = 0;
            for (int k = 0; k < 6; k++) {
                const double product = k < 3 ? d[k] * d[k] : d[k - 3] * d[k < 5 ? k - 2 : 0];
                if (pass == 0) mean[k] += product / (end - start);
                off += (k < 3 ? 1 : 2) * (product - (double)out->direction[k]) * (product - (double)out->direction[k]);
            }
            if (pass) {
                raise(&out->direction_deviation, __builtin_sqrt(off));
                continue;
            }
            const sn_vec3 at = {(sn_real)d[0], (sn_real)d[1], (sn_real)d[2]};
            const bool more = i > start;
            out->lo = more ? sn_v3(sn_min(out->lo.x, at.x), sn_min(out->lo.y, at.y), sn_min(out->lo.z, at.z)) : at;
            out->hi = more ? sn_v3(sn_max(out->hi.x, at.x), sn_max(out->hi.y, at.y), sn_max(out->hi.z, at.z)) : at;
            raise(&out->reach, length);
            const sn_real below = (sn_real)(length * (1 - 4 * (double)SN_REAL_EPSILON));
            out->reach_min = more ? sn_min(out->reach_min, below) : below;
        }
        for (int k = 0; k < 6; k++) out->direction[k] = (sn_real)mean[k];
    }
}

// Fills the rows with the influence of the handles on the vertices of a primitive, scaled or not.
static void fill_rows(const sn_elastic_bounds *b, int primitive, factor_work *f, const fit_work *w, bool scaled,
                      sn_real *slack) {
    const rest_primitive p = rest_primitive_of(b, primitive);
    memset(w->row, 0, (size_t)w->count * (size_t)w->width * sizeof *w->row);
    for (int i = 0; i < w->count; i++) {
        double radius, numbers[10], n[3];
        const int v = b->vertices[b->first_vertex[primitive] + i];
        const double reach = share_vertex(b, &p, b->spheres[primitive], v, f, n, &radius);
        for (int k = 0; k < f->count; k++) {
            const int slot = f->slot[f->now[k]];
            numbers_of(&f->share[f->now[k]], numbers);
            for (int c = 0; c < 10; c++)
                row_of(w, i)[10 * slot + c] = scaled ? scale_of(w, c) * numbers[c] : numbers[c];
            if (scaled) f->weight[slot] += f->share[f->now[k]].w / w->count;
        }
        if (!scaled) continue;
        slack[i] = (sn_real)(reach - radius);
        part_of(w, i)[0] = 1;
        for (int k = 0; k < 3; k++) part_of(w, i)[1 + k] = n[k];
    }
}

static void raise_deviation(sn_elastic_deviation *max, const double r[10]) {
    raise(&max->shift, __builtin_fabs(r[0])), raise(&max->linear, length3(r[1], r[2], r[3]));
    raise(&max->square, length3(r[4], r[5], r[6])), raise(&max->mixed, length3(r[7], r[8], r[9]));
}

static int columns_of_term(const sn_elastic_bounds *b, int term) {
    const int handle = b->term_handle[term];
    return handle < 0 ? SN_ELASTIC_AFFINE : sn_elastic_columns(b->asset, handle);
}

// Writes the rounded modes and subtracts them from the unscaled rows: the remainder is the rest.
static void write_modes(sn_elastic_bounds *b, int primitive, factor_work *f, const fit_work *w) {
    const int first = b->first_term[primitive], stride = b->mode_count[primitive];
    sn_real *at = b->numbers + b->first_number[primitive];
    fill_rows(b, primitive, f, w, false, NULL);
    for (int j = 0; j < w->terms; j++) {
        const int columns = columns_of_term(b, first + j);
        for (int i = 0; i < w->count; i++) raise_deviation(&b->displaced[first + j], row_of(w, i) + 10 * j);
        for (int c = 0; c < columns; ++c, at += stride) {
            for (int m = 0; m < w->modes; m++) at[m] = (sn_real)(mode_of(w, m)[10 * j + c] / scale_of(w, c));
            for (int i = 0; i < w->count; i++)
                for (int m = 0; m < w->modes; m++) row_of(w, i)[10 * j + c] -= part_of(w, i)[m] * (double)at[m];
        }
        for (int i = 0; i < w->count; i++) raise_deviation(&b->rest[first + j], row_of(w, i) + 10 * j);
    }
}

static void write_clusters(sn_elastic_bounds *b, int primitive, const fit_work *w, const sn_real *slack) {
    const int parts = b->first_cluster[primitive + 1] - b->first_cluster[primitive];
    const int each = sn_elastic_bounds_is_clustered(b, primitive) ? 2 : 1;
    for (int c = 0; c < parts; c++) {
        const int start = cluster_start(w->count, parts, c), end = cluster_start(w->count, parts, c + 1);
        sn_elastic_cluster *cluster = &b->clusters[b->first_cluster[primitive] + c];
        sn_real *part = b->parts + b->first_part[primitive] + c;
        *cluster = (sn_elastic_cluster){.slack = slack[start]};
        for (int i = start; i < end; i++) cluster->slack = sn_max(cluster->slack, slack[i]);
        fit_directions(w, start, end, cluster);
        for (int m = 4; m < w->modes; m++) {
            double lo = part_of(w, start)[m], hi = lo;
            for (int i = start; i < end; i++) {
                const double at = part_of(w, i)[m];
                lo = at < lo ? at : lo, hi = at > hi ? at : hi;
            }
            const sn_real middle = (sn_real)(0.5 * (lo + hi));
            part[each * (m - 4) * parts] = middle;
            if (each == 1) continue;
            raise(&part[(each * (m - 4) + 1) * parts], hi - (double)middle);
            raise(&part[(each * (m - 4) + 1) * parts], (double)middle - lo);
        }
    }
}

// Finds the modes of a primitive. Returns their number.
static int fit_primitive(const sn_elastic_bounds *b, int primitive, factor_work *f, fit_work *w, sn_real *slack) {
    *w = (fit_work){.count = b->first_vertex[primitive + 1] - b->first_vertex[primitive],
                    .terms = b->first_term[primitive + 1] - b->first_term[primitive],
                    .row = f->row,
                    .part = f->part,
                    .mode = f->mode,
                    .along = f->along,
                    .scale = rest_primitive_of(b, primitive).scale};
    w->width = 10 * w->terms;
    memset(f->weight, 0, f->term_capacity * sizeof *f->weight);
    fill_rows(b, primitive, f, w, true, slack);
    fit_slopes(w, f->weight);
    while (w->modes < SN_BOUNDS_MAX_MODES && fit_mode(w)) {
    }
    return w->modes;
}

// Lists the handles with influence on a primitive in order of occurrence. Returns their number; writes them if `handle`
// is not null. Sets their slots in f.
static int list_terms(const sn_elastic_bounds *b, int primitive, factor_work *f, int *handle, sn_real *weight) {
    rest_primitive p = rest_primitive_of(b, primitive);
    int first = b->first_vertex[primitive], vertices = b->first_vertex[primitive + 1] - first, count = 0;
    for (int i = 0; i <= b->asset->handle_count; i++) f->slot[i] = -1;
    for (int i = 0; i < vertices; i++) {
        double radius, n[3];
        share_vertex(b, &p, b->spheres[primitive], b->vertices[first + i], f, n, &radius);
        for (int k = 0; k < f->count; k++) {
            int h = f->now[k];
            if (f->slot[h] < 0) {
                f->slot[h] = count++;
                if (handle) handle[f->slot[h]] = h == b->asset->handle_count ? -1 : h, weight[f->slot[h]] = 0;
            }
            if (handle) weight[f->slot[h]] += (sn_real)(f->share[h].w / vertices);
        }
    }
    return count;
}

static bool make_terms(sn_memory *memory, sn_elastic_bounds *b, factor_work *f) {
    int n = 0, clusters = 0;
    for (int i = 0; i < b->primitive_count; i++) {
        sn_slab slab = slab_at_rest(b, i);
        b->middle[i] = sn_mul((sn_real)1 / 3, sn_add(slab.c[0], sn_add(slab.c[1], slab.c[2])));
        int vertices = b->first_vertex[i + 1] - b->first_vertex[i];
        sort_by_halves(b->asset->rest, b->vertices + b->first_vertex[i], vertices, SN_BOUNDS_MAX_CLUSTERS);
        int terms = list_terms(b, i, f, NULL, NULL), quadratic = 0;
        for (int h = 0; h < b->asset->handle_count; h++) quadratic += f->slot[h] >= 0 && b->asset->handle_quadratic[h];
        b->mode_count[i] = 2 * quadratic > terms ? SN_BOUNDS_MAX_MODES : PLAIN_MODES; // upper limit
        int parts = clusters_for(vertices, 2 * quadratic <= terms);
        b->first_term[i] = n, b->first_cluster[i] = clusters;
        n += terms, clusters += parts;
        size_t v = (size_t)vertices, t = (size_t)terms;
        f->term_capacity = t > f->term_capacity ? t : f->term_capacity;
        f->part_capacity = v > f->part_capacity ? v : f->part_capacity;
        f->row_capacity = 10 * t * v > f->row_capacity ? 10 * t * v : f->row_capacity;
    }
    b->first_term[b->primitive_count] = n;
    b->first_cluster[b->primitive_count] = clusters;
    b->term_handle = sn_alloc(memory, (size_t)n, sizeof *b->term_handle);
    b->term_weight = sn_alloc(memory, (size_t)n, sizeof *b->term_weight);
    b->rest = sn_alloc(memory, (size_t)n, sizeof *b->rest);
    b->displaced = sn_alloc(memory, (size_t)n, sizeof *b->displaced);
    b->clusters = sn_alloc(memory, (size_t)clusters, sizeof *b->clusters);
    return b->term_handle && b->term_weight && b->rest && b->displaced && b->clusters;
}

// Two passes over the primitives: count the modes, then write them.
static bool make_modes(sn_memory *memory, sn_elastic_bounds *b, factor_work *f) {
    fit_work w;
    f->row = sn_alloc(memory, f->row_capacity, sizeof *f->row);
    f->part = sn_alloc(memory, SN_BOUNDS_MAX_MODES * f->part_capacity, sizeof *f->part);
    f->mode = sn_alloc(memory, 10 * SN_BOUNDS_MAX_MODES * f->term_capacity, sizeof *f->mode);
    f->along = sn_alloc(memory, 10 * f->term_capacity, sizeof *f->along);
    f->weight = sn_alloc(memory, f->term_capacity, sizeof *f->weight);
    sn_real *slack = sn_alloc(memory, f->part_capacity, sizeof *slack);
    bool good = f->row && f->part && f->mode && f->along && f->weight && slack;
    for (int pass = 0; good && pass < 2; pass++) {
        int numbers = 0, parts = 0;
        for (int i = 0; i < b->primitive_count; i++) {
            const int first = b->first_term[i], terms = b->first_term[i + 1] - first;
            list_terms(b, i, f, b->term_handle + first, b->term_weight + first);
            b->first_number[i] = numbers, b->first_part[i] = parts;
            if (terms == 0) continue; // no triangles
            const int modes = fit_primitive(b, i, f, &w, slack), padded = (modes + 3) / 4 * 4;
            b->mode_count[i] = padded;
            for (int j = 0; j < terms; j++) numbers += columns_of_term(b, first + j) * padded;
            const int each = sn_elastic_bounds_is_clustered(b, i) ? 2 : 1;
            parts += each * (b->first_cluster[i + 1] - b->first_cluster[i]) * (padded - 4);
            if (pass == 0) continue;
            write_modes(b, i, f, &w);
            write_clusters(b, i, &w, slack);
        }
        b->first_number[b->primitive_count] = numbers, b->first_part[b->primitive_count] = parts;
        if (pass) break;
        b->numbers = sn_alloc(memory, (size_t)numbers, sizeof *b->numbers);
        b->parts = sn_alloc(memory, (size_t)parts, sizeof *b->parts);
        good = b->numbers && b->parts;
    }
    sn_free(memory, f->row, f->row_capacity, sizeof *f->row);
    sn_free(memory, f->part, SN_BOUNDS_MAX_MODES * f->part_capacity, sizeof *f->part);
    sn_free(memory, f->mode, 10 * SN_BOUNDS_MAX_MODES * f->term_capacity, sizeof *f->mode);
    sn_free(memory, f->along, 10 * f->term_capacity, sizeof *f->along);
    sn_free(memory, f->weight, f->term_capacity, sizeof *f->weight);
    sn_free(memory, slack, f->part_capacity, sizeof *slack);
    return good;
}

static bool make_factors(sn_memory *memory, sn_elastic_bounds *b) {
    const sn_elastic_asset *asset = b->asset;
    size_t count = (size_t)b->primitive_count, handles = (size_t)asset->handle_count + 1;
    b->middle = sn_alloc(memory, count, sizeof *b->middle);
    b->first_term = sn_alloc(memory, count + 1, sizeof *b->first_term);
    b->first_cluster = sn_alloc(memory, count + 1, sizeof *b->first_cluster);
    b->mode_count = sn_alloc(memory, count, sizeof *b->mode_count);
    b->first_number = sn_alloc(memory, count + 1, sizeof *b->first_number);
    b->first_part = sn_alloc(memory, count + 1, sizeof *b->first_part);
    b->first_column = sn_alloc(memory, handles, sizeof *b->first_column);
    factor_work f = {.share = sn_alloc(memory, handles, sizeof *f.share),
                     .now = sn_alloc(memory, handles, sizeof *f.now),
                     .slot = sn_alloc(memory, handles, sizeof *f.slot)};
    bool good = b->middle && b->first_term && b->first_cluster && b->mode_count && b->first_number && b->first_part &&
                b->first_column && f.share && f.now && f.slot;
    for (int i = 0; good && i < asset->handle_count; i++) {
        b->first_column[i + 1] = b->first_column[i] + sn_elastic_columns(asset, i);
    }
    good = good && make_terms(memory, b, &f) && make_modes(memory, b, &f);
    sn_free(memory, f.share, handles, sizeof *f.share);
    sn_free(memory, f.now, handles, sizeof *f.now);
    sn_free(memory, f.slot, handles, sizeof *f.slot);
    return good;
}

static sn_real largest_side(const sn_elastic_asset *asset) {
    if (asset->vertex_count == 0) return 0;
    sn_vec3 lo = asset->rest[0], hi = lo;
    for (int v = 1; v < asset->vertex_count; v++) {
        sn_vec3 x = asset->rest[v];
        lo = sn_v3(sn_min(lo.x, x.x), sn_min(lo.y, x.y), sn_min(lo.z, x.z));
        hi = sn_v3(sn_max(hi.x, x.x), sn_max(hi.y, x.y), sn_max(hi.z, x.z));
    }
    return sn_max(hi.x - lo.x, sn_max(hi.y - lo.y, hi.z - lo.z));
}

sn_status sn_elastic_bounds_init(sn_memory *memory, const sn_elastic_asset *asset, sn_elastic_bounds *out) {
    *out = (sn_elastic_bounds){.asset = asset, .size = largest_side(asset)};
    if (asset->sphere_count == 0 && asset->triangle_count > 0)
        return SN_ERR_RANGE; // no primitives to assign triangles to
    int *primitive_of = sn_alloc(memory, (size_t)asset->triangle_count, sizeof *primitive_of);
    bool good = primitive_of && make_primitives(memory, out) && assign_triangles(memory, out, primitive_of) &&
                make_lists(memory, out, primitive_of) && make_factors(memory, out);
    sn_free(memory, primitive_of, (size_t)asset->triangle_count, sizeof *primitive_of);
    if (!good) sn_elastic_bounds_free(memory, out);
    return good ? SN_OK : SN_ERR_MEMORY;
}

void sn_elastic_bounds_free(sn_memory *memory, sn_elastic_bounds *b) {
    if (!b->asset) return;
    size_t count = (size_t)b->primitive_count;
    size_t terms = (size_t)(b->first_term ? b->first_term[count] : 0);
    size_t clusters = (size_t)(b->first_cluster ? b->first_cluster[count] : 0);
    sn_free(memory, b->spheres, count, sizeof *b->spheres);
    sn_free(memory, b->first_triangle, count + 1, sizeof *b->first_triangle);
    sn_free(memory, b->triangles, (size_t)b->asset->triangle_count, sizeof *b->triangles);
    sn_free(memory, b->first_vertex, count + 1, sizeof *b->first_vertex);
    sn_free(memory, b->vertices, (size_t)b->vertex_entries, sizeof *b->vertices);
    sn_free(memory, b->middle, count, sizeof *b->middle);
    sn_free(memory, b->term_handle, terms, sizeof *b->term_handle);
    sn_free(memory, b->term_weight, terms, sizeof *b->term_weight);
    sn_free(memory, b->rest, terms, sizeof *b->rest);
    sn_free(memory, b->displaced, terms, sizeof *b->displaced);
    sn_free(memory, b->first_term, count + 1, sizeof *b->first_term);
    sn_free(memory, b->clusters, clusters, sizeof *b->clusters);
    sn_free(memory, b->first_cluster, count + 1, sizeof *b->first_cluster);
    sn_free(memory, b->mode_count, count, sizeof *b->mode_count);
    if (b->numbers) sn_free(memory, b->numbers, (size_t)b->first_number[count], sizeof *b->numbers);
    sn_free(memory, b->first_number, count + 1, sizeof *b->first_number);
    if (b->parts) sn_free(memory, b->parts, (size_t)b->first_part[count], sizeof *b->parts);
    sn_free(memory, b->first_part, count + 1, sizeof *b->first_part);
    sn_free(memory, b->first_column, (size_t)b->asset->handle_count + 1, sizeof *b->first_column);
    *b = (sn_elastic_bounds){0};
}
