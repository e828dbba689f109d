// What bounds need to know of a body at rest: its primitives, which triangles belong to which, and the most that each
// handle can do to a vertex of each (the factors of bound.c).
//
// Primitives are slabs, cones that are not an edge of one, and spheres that are in neither. A triangle goes to the
// primitive that its farthest corner is least outside of: all three are enclosed there, hence the triangle.
#include "elastic/bound.h"
#include "elastic/medial_tree.h"
#include <string.h>

// --- primitives ---

static uint64_t edge_key(int a, int b) {
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

// Shell's sort: no memory, and some thousand edges are not many.
static void sort_keys(uint64_t *keys, int count) {
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : (int)(gap / 2.2)) {
        for (int i = gap; i < count; ++i) {
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
    for (int i = 0; good && i < asset->slab_count; ++i) {
        const int *s = asset->slabs[i];
        for (int k = 0; k < 3; ++k) {
            keys[3 * i + k] = edge_key(s[k], s[(k + 1) % 3]);
            used[s[k]] = 1;
        }
    }
    if (good) sort_keys(keys, keys_count);
    int cones = 0, alone = 0;
    for (int i = 0; good && i < asset->cone_count; ++i) {
        const int *s = asset->cones[i];
        if (!has_key(keys, keys_count, edge_key(s[0], s[1]))) ++cones;
        used[s[0]] = used[s[1]] = 1;
    }
    for (int i = 0; good && i < asset->sphere_count; ++i) alone += !used[i];
    int count = asset->slab_count + cones + alone, n = 0;
    if (good) b->spheres = sn_alloc(memory, (size_t)count, sizeof *b->spheres);
    good = good && b->spheres;
    if (good) {
        b->primitive_count = count;
        for (int i = 0; i < asset->slab_count; ++i) memcpy(b->spheres[n++], asset->slabs[i], sizeof *b->spheres);
        for (int i = 0; i < asset->cone_count; ++i) {
            const int *s = asset->cones[i];
            if (has_key(keys, keys_count, edge_key(s[0], s[1]))) continue;
            b->spheres[n][0] = s[0], b->spheres[n][1] = b->spheres[n][2] = s[1];
            ++n;
        }
        for (int i = 0; i < asset->sphere_count; ++i) {
            if (used[i]) continue;
            b->spheres[n][0] = b->spheres[n][1] = b->spheres[n][2] = i;
            ++n;
        }
    }
    sn_free(memory, keys, (size_t)keys_count, sizeof *keys);
    sn_free(memory, used, (size_t)asset->sphere_count, 1);
    return good;
}

static sn_slab slab_at_rest(const sn_elastic_bounds *b, int primitive) {
    sn_slab slab;
    for (int k = 0; k < 3; ++k) {
        slab.c[k] = b->asset->centre[b->spheres[primitive][k]];
        slab.r[k] = b->asset->radius[b->spheres[primitive][k]];
    }
    return slab;
}

// --- which primitive is nearest ---

typedef struct {
    sn_medial_tree tree;
    sn_bounds *boxes; // of nodes
    sn_slab *slabs;   // of primitives, at rest
    sn_real most_radius;
} rest_field;

static sn_real below_box(const sn_bounds *box, sn_vec3 p, sn_real most_radius) {
    sn_vec3 off = {sn_max(sn_max(box->lo.x - p.x, p.x - box->hi.x), 0),
                   sn_max(sn_max(box->lo.y - p.y, p.y - box->hi.y), 0),
                   sn_max(sn_max(box->lo.z - p.z, p.z - box->hi.z), 0)};
    sn_real distance2 = sn_dot(off, off);
    return distance2 > 0 ? sn_sqrt(distance2) : -most_radius;
}

static int nearest_primitive(const rest_field *field, sn_vec3 p) {
    int stack[80], depth = 0, nearest = 0;
    sn_real best = HUGE_VALF;
    stack[depth++] = 0;
    while (depth > 0) {
        int i = stack[--depth];
        if (!(below_box(&field->boxes[i], p, field->most_radius) < best)) continue;
        const sn_medial_node *node = &field->tree.nodes[i];
        if (node->item >= 0) {
            sn_real distance = sn_slab_distance(&field->slabs[node->item], p, NULL);
            if (distance < best) best = distance, nearest = node->item;
            continue;
        }
        sn_real first = below_box(&field->boxes[i + 1], p, field->most_radius);
        sn_real other = below_box(&field->boxes[node->other], p, field->most_radius);
        stack[depth++] = first < other ? node->other : i + 1;
        stack[depth++] = first < other ? i + 1 : node->other;
    }
    return nearest;
}

// primitive_of gets the primitive of each triangle.
static bool share_out(sn_memory *memory, const sn_elastic_bounds *b, int *primitive_of) {
    const sn_elastic_asset *asset = b->asset;
    size_t count = (size_t)b->primitive_count, nodes = count ? 2 * count - 1 : 0;
    rest_field field = {.boxes = sn_alloc(memory, nodes, sizeof *field.boxes),
                        .slabs = sn_alloc(memory, count, sizeof *field.slabs)};
    sn_bounds *boxes = sn_alloc(memory, count, sizeof *boxes);
    int *nearest = sn_alloc(memory, (size_t)asset->vertex_count, sizeof *nearest);
    bool good = field.boxes && field.slabs && boxes && nearest;
    for (int i = 0; good && i < b->primitive_count; ++i) {
        field.slabs[i] = slab_at_rest(b, i);
        boxes[i] = sn_slab_bounds(&field.slabs[i]);
        for (int k = 0; k < 3; ++k) field.most_radius = sn_max(field.most_radius, field.slabs[i].r[k]);
    }
    good = good && sn_medial_tree_build(memory, boxes, b->primitive_count, &field.tree) == SN_OK;
    if (good && b->primitive_count > 0) {
        sn_medial_tree_fit(&field.tree, boxes, field.boxes);
        for (int v = 0; v < asset->vertex_count; ++v) nearest[v] = -1;
        for (int t = 0; t < asset->triangle_count; ++t) {
            const int *corner = asset->triangles[t];
            for (int k = 0; k < 3; ++k) {
                int v = corner[k];
                if (nearest[v] < 0) nearest[v] = nearest_primitive(&field, asset->rest[v]);
            }
            sn_real best = HUGE_VALF;
            for (int k = 0; k < 3; ++k) {
                int candidate = nearest[corner[k]];
                if (k > 0 && candidate == nearest[corner[k - 1]]) continue;
                sn_real worst = -HUGE_VALF;
                for (int m = 0; m < 3; ++m) {
                    worst = sn_max(worst, sn_slab_distance(&field.slabs[candidate], asset->rest[corner[m]], NULL));
                }
                if (worst < best) best = worst, primitive_of[t] = candidate;
            }
        }
    }
    sn_medial_tree_free(memory, &field.tree);
    sn_free(memory, field.boxes, nodes, sizeof *field.boxes);
    sn_free(memory, field.slabs, count, sizeof *field.slabs);
    sn_free(memory, boxes, count, sizeof *boxes);
    sn_free(memory, nearest, (size_t)asset->vertex_count, sizeof *nearest);
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
        for (int t = 0; t < asset->triangle_count; ++t) ++b->first_triangle[primitive_of[t] + 1];
        for (size_t i = 0; i < count; ++i) b->first_triangle[i + 1] += b->first_triangle[i];
        for (int t = 0; t < asset->triangle_count; ++t) b->triangles[b->first_triangle[primitive_of[t]]++] = t;
        for (size_t i = count; i > 0; --i) b->first_triangle[i] = b->first_triangle[i - 1];
        b->first_triangle[0] = 0;
    }
    // Twice over the triangles: how many vertices, and which. seen[v] is 1 + the last primitive that has listed v.
    for (int pass = 0; good && pass < 2; ++pass) {
        memset(seen, 0, (size_t)asset->vertex_count * sizeof *seen);
        int n = 0;
        for (int i = 0; i < b->primitive_count; ++i) {
            b->first_vertex[i] = n;
            for (int k = b->first_triangle[i]; k < b->first_triangle[i + 1]; ++k) {
                for (int m = 0; m < 3; ++m) {
                    int v = asset->triangles[b->triangles[k]][m];
                    if (seen[v] == i + 1) continue;
                    if (pass == 0 && seen[v] == 0) ++b->surface_count;
                    seen[v] = i + 1;
                    if (pass == 1) b->vertices[n] = v;
                    ++n;
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

// --- clusters ---

// Orders the vertices of a primitive so that neighbours in the list are neighbours in space: halves by the longest side
// of their box, as often as it takes to make 'parts' of them.
static void halve(const sn_vec3 *rest, int *vertices, int count, int parts) {
    if (parts < 2 || count < 2) return;
    sn_real lo[3] = {0}, hi[3] = {0};
    for (int i = 0; i < count; ++i) {
        const sn_real x[3] = {rest[vertices[i]].x, rest[vertices[i]].y, rest[vertices[i]].z};
        for (int k = 0; k < 3; ++k) {
            lo[k] = i ? sn_min(lo[k], x[k]) : x[k];
            hi[k] = i ? sn_max(hi[k], x[k]) : x[k];
        }
    }
    int axis = hi[1] - lo[1] > hi[0] - lo[0] ? 1 : 0;
    if (hi[2] - lo[2] > hi[axis] - lo[axis]) axis = 2;
    // Insertion into the smaller half's end would do; a primitive has some hundred vertices, and this runs once.
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; ++i) {
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
    halve(rest, vertices, half, parts / 2);
    halve(rest, vertices + half, count - half, parts / 2);
}

enum { CLUSTER_LEAST = 4 }; // vertices

static int clusters_for(int vertices) {
    int clusters = vertices > 0 ? 1 : 0;
    while (clusters && 2 * clusters <= SN_BOUND_CLUSTERS && vertices >= 2 * clusters * CLUSTER_LEAST) clusters *= 2;
    return clusters;
}

// The same halves as above.
static int cluster_start(int count, int clusters, int index) {
    if (index == clusters) return count;
    int start = 0;
    for (int parts = clusters; parts > 1; parts /= 2) {
        int half = count / 2;
        if (index >= parts / 2) {
            start += half, count -= half, index -= parts / 2;
        } else {
            count = half;
        }
    }
    return start;
}

// --- factors ---

// What a handle (the last: what is anchored) does to the vertex at hand. 'now' lists those that are not nothing.
typedef struct {
    double w, shift, linear[3], square[3], mixed[3];
    bool listed;
} share;

typedef struct {
    share *share;
    int *now;
    int count;
    int *slot;          // of the handle among the primitive's terms, -1: none
    double (*mean)[10]; // by slot: the sums for the cluster
    int mean_room;
} factor_work;

static share *share_of(factor_work *f, int handle) {
    share *s = &f->share[handle];
    if (!s->listed) {
        *s = (share){.listed = true};
        f->now[f->count++] = handle;
    }
    return s;
}

// Adds a point's weights: those of the vertex (k = 1, seen at x, from the sphere at c), or those of one of the spheres
// that c is made of, which are taken off (k = -t).
static void add_point(factor_work *f, const int *handle, const sn_real *weight, int count, int anchored, double k,
                      const double at[3], const double linear_at[3]) {
    double left = 1;
    for (int i = 0; i <= count; ++i) {
        double w = i < count ? (double)weight[i] : left;
        left -= i < count ? w : 0;
        if (i == count && w < 1e-6 && w > -1e-6) continue; // rounding
        share *s = share_of(f, i < count ? handle[i] : anchored);
        if (k > 0) s->w += w;
        s->shift += k * w;
        for (int m = 0; m < 3; ++m) {
            int next = m < 2 ? m + 1 : 0;
            s->linear[m] += k * w * linear_at[m];
            s->square[m] += k * w * at[m] * at[m];
            s->mixed[m] += k * w * at[m] * at[next];
        }
    }
}

typedef struct {
    sn_slab slab;
    double middle[3], at[3][3]; // the spheres' centres relative to the middle
} rest_primitive;

static rest_primitive rest_primitive_of(const sn_elastic_bounds *b, int primitive) {
    rest_primitive p = {.slab = slab_at_rest(b, primitive)};
    p.middle[0] = b->middle[primitive].x, p.middle[1] = b->middle[primitive].y, p.middle[2] = b->middle[primitive].z;
    for (int k = 0; k < 3; ++k) {
        p.at[k][0] = (double)p.slab.c[k].x - p.middle[0], p.at[k][1] = (double)p.slab.c[k].y - p.middle[1];
        p.at[k][2] = (double)p.slab.c[k].z - p.middle[2];
    }
    return p;
}

static double length3(double x, double y, double z) {
    return __builtin_sqrt(x * x + y * y + z * z);
}

// Leaves in f what every handle does to a vertex. Returns |X - c|; *radius that of the sphere at c.
static double share_vertex(const sn_elastic_bounds *b, const rest_primitive *p, const int *sphere, int v,
                           factor_work *f, double *radius) {
    const sn_elastic_asset *asset = b->asset;
    int anchored = asset->handle_count;
    sn_real t[3];
    sn_slab_distance(&p->slab, asset->rest[v], t);
    double x[3] = {(double)asset->rest[v].x - p->middle[0], (double)asset->rest[v].y - p->middle[1],
                   (double)asset->rest[v].z - p->middle[2]};
    double sum = (double)t[0] + (double)t[1] + (double)t[2], c[3] = {0, 0, 0};
    *radius = 0;
    for (int k = 0; k < 3; ++k) {
        for (int m = 0; m < 3; ++m) c[m] += t[k] / sum * p->at[k][m];
        *radius += t[k] / sum * p->slab.r[k];
    }
    f->count = 0;
    add_point(f, asset->handle + asset->first[v], asset->weight + asset->first[v],
              asset->first[v + 1] - asset->first[v], anchored, 1, x, c);
    for (int k = 0; k < 3; ++k) {
        int s = sphere[k], first = asset->sphere_first[s];
        if (t[k] == 0) continue;
        add_point(f, asset->sphere_handle + first, asset->sphere_weight + first, asset->sphere_first[s + 1] - first,
                  anchored, -t[k] / sum, p->at[k], p->at[k]);
    }
    for (int k = 0; k < f->count; ++k) f->share[f->now[k]].listed = false;
    return length3(x[0] - c[0], x[1] - c[1], x[2] - c[2]);
}

static void numbers_of(const share *s, double out[10]) {
    out[0] = s->shift;
    for (int m = 0; m < 3; ++m) out[1 + m] = s->linear[m], out[4 + m] = s->square[m], out[7 + m] = s->mixed[m];
}

static void raise(sn_real *most, double value) {
    sn_real up = (sn_real)(value * (1 + 4 * (double)SN_REAL_EPSILON));
    if (up > *most) *most = up;
}

// The factors of one cluster, one a term.
static void make_cluster(const sn_elastic_bounds *b, int primitive, const int *vertices, int count, int terms,
                         factor_work *f, sn_elastic_factor *out, sn_real *slack) {
    rest_primitive p = rest_primitive_of(b, primitive);
    const int *sphere = b->spheres[primitive];
    double radius, numbers[10];
    memset(f->mean, 0, (size_t)terms * sizeof *f->mean);
    for (int i = 0; i < count; ++i) {
        share_vertex(b, &p, sphere, vertices[i], f, &radius);
        for (int k = 0; k < f->count; ++k) {
            numbers_of(&f->share[f->now[k]], numbers);
            for (int m = 0; m < 10; ++m) f->mean[f->slot[f->now[k]]][m] += numbers[m] / count;
        }
    }
    for (int i = 0; i < terms; ++i) {
        const double *n = f->mean[i];
        out[i] = (sn_elastic_factor){.shift = (sn_real)n[0],
                                     .linear = {(sn_real)n[1], (sn_real)n[2], (sn_real)n[3]},
                                     .square = {(sn_real)n[4], (sn_real)n[5], (sn_real)n[6]},
                                     .mixed = {(sn_real)n[7], (sn_real)n[8], (sn_real)n[9]}};
    }
    *slack = -HUGE_VALF;
    for (int i = 0; i < count; ++i) {
        double reach = share_vertex(b, &p, sphere, vertices[i], f, &radius), sum = 0;
        for (int k = 0; k < f->count; ++k) f->slot[f->now[k]] += terms; // marks it as seen
        for (int k = 0; k < f->count; ++k) {
            const share *s = &f->share[f->now[k]];
            sn_elastic_factor *o = &out[f->slot[f->now[k]] - terms];
            numbers_of(s, numbers);
            sum += __builtin_fabs(s->w);
            raise(&o->stretch, __builtin_fabs(s->w) * reach);
            raise(&o->shift_off, __builtin_fabs(numbers[0] - o->shift));
            raise(&o->linear_off,
                  length3(numbers[1] - o->linear.x, numbers[2] - o->linear.y, numbers[3] - o->linear.z));
            raise(&o->square_off,
                  length3(numbers[4] - o->square.x, numbers[5] - o->square.y, numbers[6] - o->square.z));
            raise(&o->mixed_off, length3(numbers[7] - o->mixed.x, numbers[8] - o->mixed.y, numbers[9] - o->mixed.z));
        }
        // Handles of the cluster that do not reach this vertex differ from the mean by all of it.
        for (int h = 0; h < terms; ++h) {
            int handle = b->term_handle[b->first_term[primitive] + h];
            int *slot = &f->slot[handle < 0 ? b->asset->handle_count : handle];
            if (*slot >= terms) {
                *slot -= terms;
                continue;
            }
            sn_elastic_factor *o = &out[h];
            raise(&o->shift_off, __builtin_fabs((double)o->shift));
            raise(&o->linear_off, length3(o->linear.x, o->linear.y, o->linear.z));
            raise(&o->square_off, length3(o->square.x, o->square.y, o->square.z));
            raise(&o->mixed_off, length3(o->mixed.x, o->mixed.y, o->mixed.z));
        }
        // Weights of either sign add up to more than 1.
        *slack = sn_max(*slack, (sn_real)(reach * (sum > 1 ? sum : 1) - radius));
    }
}

// The handles that reach a primitive, in the order in which they are met. Returns how many; writes them if 'handle' is
// not null. Leaves their slots in f.
static int list_terms(const sn_elastic_bounds *b, int primitive, factor_work *f, int *handle, sn_real *weight) {
    rest_primitive p = rest_primitive_of(b, primitive);
    int first = b->first_vertex[primitive], vertices = b->first_vertex[primitive + 1] - first, count = 0;
    for (int i = 0; i <= b->asset->handle_count; ++i) f->slot[i] = -1;
    for (int i = 0; i < vertices; ++i) {
        double radius;
        share_vertex(b, &p, b->spheres[primitive], b->vertices[first + i], f, &radius);
        for (int k = 0; k < f->count; ++k) {
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
    int n = 0, most = 0, clusters = 0, factors = 0;
    for (int i = 0; i < b->primitive_count; ++i) {
        sn_slab slab = slab_at_rest(b, i);
        b->middle[i] = sn_mul((sn_real)1 / 3, sn_add(slab.c[0], sn_add(slab.c[1], slab.c[2])));
        int vertices = b->first_vertex[i + 1] - b->first_vertex[i], parts = clusters_for(vertices);
        halve(b->asset->rest, b->vertices + b->first_vertex[i], vertices, parts);
        int terms = list_terms(b, i, f, NULL, NULL);
        b->first_term[i] = n, b->first_cluster[i] = clusters;
        n += terms, clusters += parts, factors += parts * terms;
        most = terms > most ? terms : most;
    }
    b->first_term[b->primitive_count] = n;
    b->first_cluster[b->primitive_count] = clusters;
    f->mean_room = most;
    f->mean = sn_alloc(memory, (size_t)most, sizeof *f->mean);
    b->term_handle = sn_alloc(memory, (size_t)n, sizeof *b->term_handle);
    b->term_weight = sn_alloc(memory, (size_t)n, sizeof *b->term_weight);
    b->cluster_slack = sn_alloc(memory, (size_t)clusters, sizeof *b->cluster_slack);
    b->first_factor = sn_alloc(memory, (size_t)clusters + 1, sizeof *b->first_factor);
    b->factors = sn_alloc(memory, (size_t)factors, sizeof *b->factors);
    b->factor_count = factors;
    return f->mean && b->term_handle && b->term_weight && b->cluster_slack && b->first_factor && b->factors;
}

static bool make_factors(sn_memory *memory, sn_elastic_bounds *b) {
    const sn_elastic_asset *asset = b->asset;
    size_t count = (size_t)b->primitive_count, handles = (size_t)asset->handle_count + 1;
    b->middle = sn_alloc(memory, count, sizeof *b->middle);
    b->first_term = sn_alloc(memory, count + 1, sizeof *b->first_term);
    b->first_cluster = sn_alloc(memory, count + 1, sizeof *b->first_cluster);
    b->first_column = sn_alloc(memory, handles, sizeof *b->first_column);
    factor_work f = {.share = sn_alloc(memory, handles, sizeof *f.share),
                     .now = sn_alloc(memory, handles, sizeof *f.now),
                     .slot = sn_alloc(memory, handles, sizeof *f.slot)};
    bool good = b->middle && b->first_term && b->first_cluster && b->first_column && f.share && f.now && f.slot;
    for (int i = 0; good && i < asset->handle_count; ++i) {
        b->first_column[i + 1] = b->first_column[i] + sn_elastic_columns(asset, i);
    }
    good = good && make_terms(memory, b, &f);
    int n = 0;
    for (int i = 0; good && i < b->primitive_count; ++i) {
        int first = b->first_term[i], terms = list_terms(b, i, &f, b->term_handle + first, b->term_weight + first);
        int parts = b->first_cluster[i + 1] - b->first_cluster[i];
        int vertices = b->first_vertex[i + 1] - b->first_vertex[i];
        for (int c = 0; c < parts; ++c) {
            int start = cluster_start(vertices, parts, c), end = cluster_start(vertices, parts, c + 1);
            b->first_factor[b->first_cluster[i] + c] = n;
            make_cluster(b, i, b->vertices + b->first_vertex[i] + start, end - start, terms, &f, b->factors + n,
                         &b->cluster_slack[b->first_cluster[i] + c]);
            n += terms;
        }
    }
    if (good) b->first_factor[b->first_cluster[b->primitive_count]] = n;
    sn_free(memory, f.share, handles, sizeof *f.share);
    sn_free(memory, f.now, handles, sizeof *f.now);
    sn_free(memory, f.slot, handles, sizeof *f.slot);
    sn_free(memory, f.mean, (size_t)f.mean_room, sizeof *f.mean);
    return good;
}

static sn_real largest_side(const sn_elastic_asset *asset) {
    if (asset->vertex_count == 0) return 0;
    sn_vec3 lo = asset->rest[0], hi = lo;
    for (int v = 1; v < asset->vertex_count; ++v) {
        sn_vec3 x = asset->rest[v];
        lo = sn_v3(sn_min(lo.x, x.x), sn_min(lo.y, x.y), sn_min(lo.z, x.z));
        hi = sn_v3(sn_max(hi.x, x.x), sn_max(hi.y, x.y), sn_max(hi.z, x.z));
    }
    return sn_max(hi.x - lo.x, sn_max(hi.y - lo.y, hi.z - lo.z));
}

sn_status sn_elastic_bounds_make(sn_memory *memory, const sn_elastic_asset *asset, sn_elastic_bounds *out) {
    *out = (sn_elastic_bounds){.asset = asset, .size = largest_side(asset)};
    if (asset->sphere_count == 0 && asset->triangle_count > 0) return SN_ERR_RANGE; // nothing to belong to
    int *primitive_of = sn_alloc(memory, (size_t)asset->triangle_count, sizeof *primitive_of);
    bool good = primitive_of && make_primitives(memory, out) && share_out(memory, out, primitive_of) &&
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
    sn_free(memory, b->first_term, count + 1, sizeof *b->first_term);
    sn_free(memory, b->term_handle, terms, sizeof *b->term_handle);
    sn_free(memory, b->term_weight, terms, sizeof *b->term_weight);
    sn_free(memory, b->first_cluster, count + 1, sizeof *b->first_cluster);
    sn_free(memory, b->cluster_slack, clusters, sizeof *b->cluster_slack);
    sn_free(memory, b->first_factor, clusters + 1, sizeof *b->first_factor);
    sn_free(memory, b->factors, (size_t)b->factor_count, sizeof *b->factors);
    sn_free(memory, b->first_column, (size_t)b->asset->handle_count + 1, sizeof *b->first_column);
    *b = (sn_elastic_bounds){0};
}
