// Collision detection of elastic bodies, from boxes to contacts. elastic_closest.h finds closest surface points.
//
// A vertex may be in several primitives of the other body; it is looked up once, in the one that it is deepest in. So
// pairs of primitives are grouped by the primitive that owns the vertices and by the other body.
//
// Separated pairs of primitives, and of BVH nodes, are not tested again until they have moved by their gap; the results
// are the same.
//
// If no vertex of either primitive is inside the other body, edges may still intersect triangles. Their vertices get
// the normal of the primitives' deepest pair.
#include "medial/elastic_collide.h"
#include "geometry/slab_part.h"
#include "geometry/triangle.h"
#include "medial/chunked_list.h"
#include "medial/elastic_closest.h"

// ---- work

typedef struct {
    int a, b; // bodies
} body_pair;

typedef struct {
    int a, b;       // bodies
    int p, q;       // primitives
    int bodies;     // index of the pair of bodies
    sn_vec3 normal; // of the deepest pair of points, from q to p
    sn_real depth;
    int group[2];
} primitive_pair;

// A primitive q of another body, for the vertices of a primitive.
typedef struct {
    int q;
    sn_vec3 normal; // pointing away from it
    sn_real top;    // its support along the normal
    sn_bounds box;
} facing_primitive;

// A primitive with vertices, another body (or its own), and the primitives of that body which it overlaps.
typedef struct {
    int a, p, b;
    int first, count;
    bool found; // a vertex inside
} group;

typedef struct {
    sn_elastic_detector *detector;
    const sn_elastic_collider *bodies;
    int body_count;
    sn_bounds *box;       // by body
    sn_slab **node_slabs; // by body
    const sn_elastic_collide_cache *last;
    sn_elastic_collide_cache *now;
    const body_pair *body_pairs;
    primitive_pair *pairs;
    int pair_count;
    facing_primitive *facing;
    group *groups;
    sn_chunked_list found, gaps;
    sn_elastic_collide_stats *stats; // by iteration
} work;

static void run(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context) {
    if (pool) {
        sn_parallel_for(pool, count, grain, fn, context);
    } else {
        for (int i = 0; i < count; i++) fn(context, i, 0);
    }
}

// ---- boxes

static void fit_body(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    const sn_elastic_collider *body = &w->bodies[index];
    const sn_medial_bvh *bvh = &body->hull->bvh;
    for (int i = 0; i < bvh->item_count; i++) {
        sn_bounds box = sn_slab_bounds(&body->state->slab[i]);
        w->box[index] = i ? sn_bounds_join(&w->box[index], &box) : box;
    }
    sn_medial_bvh_fit_slabs(bvh, body->state->slab, w->node_slabs[index]);
    // Travelled paths; 0 for a body that was not the same in the last call.
    sn_real *path = w->now->path[index];
    const bool known = index < w->last->body_count && w->last->id[index] == body->hull->id;
    for (int i = 0; i < bvh->node_count; i++) path[i] = known ? w->last->path[index][i] : 0;
    if (known) sn_medial_bvh_add_motion(bvh, w->last->slab[index], body->state->slab, path);
    if (bvh->item_count > 0) memcpy(w->now->slab[index], body->state->slab, (size_t)bvh->item_count * sizeof(sn_slab));
    w->now->id[index] = body->hull->id;
}

static bool box_before(const work *w, int a, int b) {
    sn_real la = w->box[a].lo.x, lb = w->box[b].lo.x;
    return la < lb || (la == lb && a < b);
}

static bool pair_before(int a, int b, int c, int d) {
    return a < c || (a == c && b < d);
}

// Pairs of bodies with overlapping boxes, by sweep and prune along x, and bodies with self-collision.
static const body_pair *find_body_pairs(work *w, int count, sn_arena *arena, int *pair_count, int64_t *tests) {
    int *order = sn_arena_alloc(arena, (size_t)count, sizeof *order), n = 0;
    *pair_count = 0;
    if (!order) return NULL;
    for (int i = 0; i < count; i++) {
        if (w->bodies[i].hull->bvh.node_count > 0) order[n++] = i;
    }
    for (int gap = n / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < n; i++) {
            int body = order[i], j = i;
            for (; j >= gap && box_before(w, body, order[j - gap]); j -= gap) order[j] = order[j - gap];
            order[j] = body;
        }
    }
    body_pair *pairs = NULL;
    for (int pass = 0; pass < 2; pass++) { // count, then write
        int found = 0;
        for (int i = 0; i < n; i++) {
            int a = order[i];
            const sn_bounds *box = &w->box[a];
            if (w->bodies[a].self) {
                if (pass) pairs[found] = (body_pair){a, a};
                found++;
            }
            for (int j = i + 1; j < n && w->box[order[j]].lo.x <= box->hi.x; j++) {
                int b = order[j];
                *tests += pass;
                if (!sn_bounds_overlap(box, &w->box[b])) continue;
                if (pass) pairs[found] = (body_pair){a < b ? a : b, a < b ? b : a};
                found++;
            }
        }
        if (pass == 0) pairs = sn_arena_alloc(arena, (size_t)found, sizeof *pairs);
        if (!pairs) return NULL;
        *pair_count = found;
    }
    for (int gap = *pair_count / 2; gap > 0; gap /= 2) { // sort them for the search of the next call
        for (int i = gap; i < *pair_count; i++) {
            const body_pair pair = pairs[i];
            int j = i;
            for (; j >= gap && pair_before(pair.a, pair.b, pairs[j - gap].a, pairs[j - gap].b); j -= gap)
                pairs[j] = pairs[j - gap];
            pairs[j] = pair;
        }
    }
    return pairs;
}

// ---- primitives

typedef struct {
    work *w;
    int index;
    body_pair bodies;
} pair_visit;

static bool is_excluded(const sn_elastic_hull *h, int a, int b) {
    int lo = a < b ? a : b, hi = a < b ? b : a, first = h->first_excluded[lo], last = h->first_excluded[lo + 1];
    while (first < last) {
        int mid = first + (last - first) / 2;
        if (h->excluded[mid] < hi) {
            first = mid + 1;
        } else {
            last = mid;
        }
    }
    return first < h->first_excluded[lo + 1] && h->excluded[first] == hi;
}

static void visit_primitives(void *user, int p, int q) {
    pair_visit *v = user;
    work *w = v->w;
    ++w->stats[v->index].overlaps;
    primitive_pair pair = {.a = v->bodies.a, .b = v->bodies.b, .p = p, .q = q, .bodies = v->index};
    sn_chunked_list_append(&w->found, v->index, &pair);
}

static bool is_excluded_pair(void *user, int p, int q) {
    const pair_visit *v = user;
    return is_excluded(v->w->bodies[v->bodies.a].hull, p, q);
}

static void save_gap(void *user, const sn_medial_cached_gap *gap) {
    const pair_visit *v = user;
    sn_chunked_list_append(&v->w->gaps, v->index, gap);
}

// The gaps between two bodies from the last call, null: none.
static const sn_medial_cached_gap *cached_gaps(const work *w, body_pair pair) {
    const sn_elastic_collide_cache *last = w->last;
    int lo = 0, hi = last->pair_count;
    if (pair.a >= last->body_count || pair.b >= last->body_count) return NULL;
    if (last->id[pair.a] != w->now->id[pair.a] || last->id[pair.b] != w->now->id[pair.b]) return NULL;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        if (pair_before(last->pairs[mid][0], last->pairs[mid][1], pair.a, pair.b))
            lo = mid + 1;
        else
            hi = mid;
    }
    const bool found = lo < last->pair_count && last->pairs[lo][0] == pair.a && last->pairs[lo][1] == pair.b;
    return found ? last->gaps + last->first_gap[lo] : NULL;
}

static void find_primitives(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    pair_visit v = {w, index, w->body_pairs[index]};
    const int a = v.bodies.a, b = v.bodies.b;
    sn_chunked_list_open(&w->found, index);
    sn_chunked_list_open(&w->gaps, index);
    w->stats[index] = (sn_elastic_collide_stats){0};
    const sn_medial_search search = {.a = {&w->bodies[a].hull->bvh, w->node_slabs[a], w->now->path[a]},
                                     .b = {&w->bodies[b].hull->bvh, w->node_slabs[b], w->now->path[b]},
                                     .skip = a == b ? is_excluded_pair : NULL,
                                     .visit = visit_primitives,
                                     .save = save_gap,
                                     .user = &v,
                                     .last = w->detector->cache_disabled ? NULL : cached_gaps(w, v.bodies)};
    w->stats[index].slabs = sn_medial_bvh_search(&search);
}

// ---- vertices in the other primitive

// The support of a slab along n.
static sn_real support(const sn_slab *s, sn_vec3 n) {
    sn_real max = sn_dot(n, s->c[0]) + s->r[0];
    max = sn_max(max, sn_dot(n, s->c[1]) + s->r[1]);
    return sn_max(max, sn_dot(n, s->c[2]) + s->r[2]);
}

static void find_deepest(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    primitive_pair *pair = &w->pairs[index];
    sn_slab_pair deepest;
    sn_slab_slab(&w->bodies[pair->a].state->slab[pair->p], &w->bodies[pair->b].state->slab[pair->q], &deepest);
    pair->normal = deepest.normal;
    pair->depth = sn_max(-deepest.gap, 0);
}

// Counting sort of the pairs into groups, ordered by the pairs of bodies and the primitives in them.
static int build_groups(work *w, int body_pairs, sn_arena *arena) {
    int *base = sn_arena_alloc(arena, 2 * (size_t)body_pairs + 1, sizeof *base), keys = 0;
    if (!base) return -1;
    for (int i = 0; i < body_pairs; i++) {
        body_pair p = w->body_pairs[i];
        base[2 * i] = keys;
        keys += w->bodies[p.a].hull->bounds->primitive_count;
        base[2 * i + 1] = p.a == p.b ? base[2 * i] : keys; // self-collision: one range for both sides
        if (p.a != p.b) keys += w->bodies[p.b].hull->bounds->primitive_count;
    }
    int *group_of = sn_arena_alloc(arena, (size_t)keys, sizeof *group_of), groups = 0, first = 0;
    if (!group_of) return -1;
    memset(group_of, 0, (size_t)keys * sizeof *group_of);
    for (int i = 0; i < w->pair_count; i++) {
        const primitive_pair *p = &w->pairs[i];
        ++group_of[base[2 * p->bodies] + p->p];
        ++group_of[base[2 * p->bodies + 1] + p->q];
    }
    for (int k = 0; k < keys; k++) groups += group_of[k] > 0;
    w->groups = sn_arena_alloc(arena, (size_t)groups, sizeof *w->groups);
    w->facing = sn_arena_alloc(arena, 2 * (size_t)w->pair_count, sizeof *w->facing);
    if (!w->groups || !w->facing) return -1;
    groups = 0;
    for (int k = 0; k < keys; k++) {
        if (group_of[k] == 0) continue;
        w->groups[groups] = (group){.first = first};
        first += group_of[k];
        group_of[k] = groups++;
    }
    for (int i = 0; i < w->pair_count; i++) {
        primitive_pair *p = &w->pairs[i];
        for (int side = 0; side < 2; side++) {
            int a = side ? p->b : p->a, b = side ? p->a : p->b, own = side ? p->q : p->p, q = side ? p->p : p->q;
            p->group[side] = group_of[base[2 * p->bodies + side] + own];
            group *g = &w->groups[p->group[side]];
            g->a = a, g->p = own, g->b = b;
            sn_vec3 normal = side ? sn_mul(-1, p->normal) : p->normal;
            const sn_slab *slab = &w->bodies[b].state->slab[q];
            w->facing[g->first + g->count++] =
                (facing_primitive){q, normal, support(slab, normal), sn_slab_bounds(slab)};
        }
    }
    return groups;
}

enum { MAX_PREPARED = 24 };

static bool box_contains(const sn_bounds *box, sn_vec3 x) {
    return x.x >= box->lo.x && x.x <= box->hi.x && x.y >= box->lo.y && x.y <= box->hi.y && x.z >= box->lo.z &&
           x.z <= box->hi.z;
}

// The primitive of the group that x is deepest in, -1: none; and the weights of the sphere closest to x. The first
// MAX_PREPARED slabs are prepared.
static int deepest_in(const work *w, const group *g, const sn_slab_part *prepared, sn_vec3 x, sn_real t[3]) {
    int deepest = -1;
    sn_real min = 0;
    for (int i = 0; i < g->count; i++) {
        const facing_primitive *f = &w->facing[g->first + i];
        if (!box_contains(&f->box, x) || sn_dot(f->normal, x) > f->top) continue;
        sn_real weight[3];
        sn_real distance = i < MAX_PREPARED ? sn_slab_part_distance(&prepared[i], x, weight)
                                            : sn_slab_distance(&w->bodies[g->b].state->slab[f->q], x, weight);
        if (!(distance <= min)) continue;
        min = distance, deepest = f->q;
        memcpy(t, weight, sizeof weight);
    }
    return deepest;
}

// Finds the vertices of a group's primitive that are inside its other body.
static void find_vertices(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    group *g = &w->groups[index];
    const sn_elastic_collider *body = &w->bodies[g->a], *other = &w->bodies[g->b];
    const sn_elastic_hull *hull = body->hull;
    sn_rest_map map = {.primitive = -1};
    sn_slab_part prepared[MAX_PREPARED];
    sn_chunked_list_open(&w->found, index);
    w->stats[index] = (sn_elastic_collide_stats){0};
    for (int i = 0; i < g->count && i < MAX_PREPARED; i++) {
        sn_slab_ready(&other->state->slab[w->facing[g->first + i].q], &prepared[i]);
    }
    for (int i = hull->first_owned[g->p]; i < hull->first_owned[g->p + 1]; i++) {
        int v = hull->owned[i];
        sn_vec3 x = body->x[v];
        sn_real t[3] = {0, 0, 0};
        int q = deepest_in(w, g, prepared, x, t);
        if (q < 0) continue;
        ++w->stats[index].vertices;
        if (q != map.primitive) map = sn_rest_map_init(other, q);
        int start = sn_rest_map_lookup_triangle(&map, x, t);
        if (start < 0) start = sn_rest_map_closest_triangle(&map, x);
        if (start < 0) continue; // a primitive without triangles
        sn_elastic_surface_point closest = sn_elastic_closest_point(other, start, x);
        if (!sn_elastic_is_inside(other, &closest)) continue;
        if (g->a == g->b) { // not the vertex's own triangles
            const int *corner = hull->bounds->asset->triangles[closest.triangle];
            if (corner[0] == v || corner[1] == v || corner[2] == v) continue;
        }
        sn_real depth = sn_sqrt(closest.distance2);
        sn_triangle now = sn_elastic_triangle(other, closest.triangle);
        sn_vec3 face = sn_normalize(sn_cross(sn_sub(now.b, now.a), sn_sub(now.c, now.a)), sn_v3(0, 1, 0));
        sn_elastic_contact contact = {
            .body = g->a, .vertex = v, .other = g->b, .triangle = closest.triangle, .depth = depth};
        memcpy(contact.weight, closest.weight, sizeof contact.weight);
        contact.normal = depth > 0 ? sn_mul(-1 / depth, closest.offset) : face;
        sn_chunked_list_append(&w->found, index, &contact);
        g->found = true;
    }
}

// ---- intersecting triangles

static sn_bounds triangle_box(const sn_triangle *t) {
    return (sn_bounds){
        .lo = {sn_min(t->a.x, sn_min(t->b.x, t->c.x)), sn_min(t->a.y, sn_min(t->b.y, t->c.y)),
               sn_min(t->a.z, sn_min(t->b.z, t->c.z))},
        .hi = {sn_max(t->a.x, sn_max(t->b.x, t->c.x)), sn_max(t->a.y, sn_max(t->b.y, t->c.y)),
               sn_max(t->a.z, sn_max(t->b.z, t->c.z))},
    };
}

// The corner that lies farthest along the direction.
static int outermost(const sn_triangle *t, sn_vec3 direction, sn_real *reach) {
    sn_real r[3] = {sn_dot(direction, t->a), sn_dot(direction, t->b), sn_dot(direction, t->c)};
    int max = r[1] > r[0] ? 1 : 0;
    max = r[2] > r[max] ? 2 : max;
    *reach = r[max];
    return max;
}

// Lists the triangles of a primitive that overlap a box and have a corner below `top` along the normal. Starts at index
// *next of the primitive and updates it; -1 at the end.
static int triangles_in(const sn_elastic_collider *c, int primitive, const sn_bounds *box, sn_vec3 normal, sn_real top,
                        int *next, int *out, sn_bounds *boxes, int capacity) {
    const sn_elastic_bounds *b = c->hull->bounds;
    int count = 0, i = b->first_triangle[primitive] + *next;
    for (; i < b->first_triangle[primitive + 1] && count < capacity; i++) {
        sn_triangle t = sn_elastic_triangle(c, b->triangles[i]);
        sn_real low = sn_min(sn_dot(normal, t.a), sn_min(sn_dot(normal, t.b), sn_dot(normal, t.c)));
        if (low > top) continue;
        boxes[count] = triangle_box(&t);
        if (!sn_bounds_overlap(&boxes[count], box)) continue;
        out[count++] = b->triangles[i];
    }
    *next = i < b->first_triangle[primitive + 1] ? i - b->first_triangle[primitive] : -1;
    return count;
}

static void add_crossing(work *w, int index, int a, int corner, const sn_triangle *at, int triangle_a, int b,
                         int triangle_b, const sn_triangle *bt, sn_vec3 normal, sn_real depth) {
    sn_elastic_contact contact = {.body = a,
                                  .vertex = w->bodies[a].hull->bounds->asset->triangles[triangle_a][corner],
                                  .other = b,
                                  .triangle = triangle_b,
                                  .normal = normal,
                                  .depth = depth,
                                  .crossing = true};
    sn_vec3 offset, x = corner == 0 ? at->a : (corner == 1 ? at->b : at->c);
    sn_point_triangle(x, bt, &contact.weight[1], &contact.weight[2], &offset);
    contact.weight[0] = sn_max(1 - contact.weight[1] - contact.weight[2], 0);
    sn_chunked_list_append(&w->found, index, &contact);
}

static void find_crossings(void *context, int index, int worker) {
    (void)worker;
    enum { CAPACITY = 128 };
    work *w = context;
    const primitive_pair *pair = &w->pairs[index];
    sn_chunked_list_open(&w->found, index);
    w->stats[index] = (sn_elastic_collide_stats){0};
    if (w->groups[pair->group[0]].found || w->groups[pair->group[1]].found) return;
    sn_vec3 normal = pair->normal;
    const sn_elastic_collider *a = &w->bodies[pair->a], *b = &w->bodies[pair->b];
    const sn_slab *sa = &a->state->slab[pair->p], *sb = &b->state->slab[pair->q];
    sn_bounds box_a = sn_slab_bounds(sa), box_b = sn_slab_bounds(sb), boxes[2][CAPACITY];
    sn_vec3 against = sn_mul(-1, normal);
    sn_real top_b = support(sb, normal), top_a = support(sa, against);
    int list[2][CAPACITY];
    for (int next_a = 0; next_a >= 0;) {
        int count_a = triangles_in(a, pair->p, &box_b, normal, top_b, &next_a, list[0], boxes[0], CAPACITY);
        for (int next_b = 0; count_a > 0 && next_b >= 0;) {
            int count_b = triangles_in(b, pair->q, &box_a, against, top_a, &next_b, list[1], boxes[1], CAPACITY);
            for (int i = 0; i < count_a; i++) {
                for (int j = 0; j < count_b; j++) {
                    if (!sn_bounds_overlap(&boxes[0][i], &boxes[1][j])) continue;
                    sn_triangle ta = sn_elastic_triangle(a, list[0][i]), tb = sn_elastic_triangle(b, list[1][j]);
                    ++w->stats[index].triangles;
                    if (!sn_triangle_triangle(&ta, &tb)) continue;
                    sn_real low_a, high_b;
                    int ca = outermost(&ta, against, &low_a), cb = outermost(&tb, normal, &high_b);
                    sn_real depth = sn_clamp(high_b + low_a, 0, pair->depth);
                    add_crossing(w, index, pair->a, ca, &ta, list[0][i], pair->b, list[1][j], &tb, normal, depth);
                    add_crossing(w, index, pair->b, cb, &tb, list[1][j], pair->a, list[0][i], &ta, against, depth);
                }
            }
        }
    }
}

// ---- one contact per vertex

// Which of two contacts of a vertex to keep: one of a vertex inside rather than one of intersecting triangles; with the
// same body the one with the closer surface point, with different bodies the deeper one.
static bool is_better(const sn_elastic_contact *next, const sn_elastic_contact *kept) {
    if (next->crossing != kept->crossing) return kept->crossing;
    return next->other == kept->other ? next->depth < kept->depth : next->depth > kept->depth;
}

// Selects one contact per vertex: first those of vertices inside, then those of intersecting triangles.
static bool select_contacts(work *w, int count, sn_arena *arena, const sn_elastic_contact *inside, int inside_count,
                            const sn_elastic_contact *crossing, int crossing_count) {
    int **slot = sn_arena_alloc(arena, (size_t)count, sizeof *slot), kept = 0;
    sn_elastic_contact *contacts =
        sn_arena_alloc(arena, (size_t)inside_count + (size_t)crossing_count, sizeof *contacts);
    if (!slot || !contacts) return false;
    for (int i = 0; i < count; i++) slot[i] = NULL;
    for (int i = 0; i < inside_count + crossing_count; i++) {
        const sn_elastic_contact *c = i < inside_count ? &inside[i] : &crossing[i - inside_count];
        if (!slot[c->body]) {
            size_t vertices = (size_t)w->bodies[c->body].hull->bounds->asset->vertex_count;
            slot[c->body] = sn_arena_alloc(arena, vertices, sizeof **slot);
            if (!slot[c->body]) return false;
            memset(slot[c->body], -1, vertices * sizeof **slot);
        }
        int *at = &slot[c->body][c->vertex];
        if (*at < 0) {
            *at = kept;
            contacts[kept++] = *c;
        } else if (is_better(c, &contacts[*at])) {
            contacts[*at] = *c;
        }
    }
    w->detector->contacts = contacts;
    w->detector->contact_count = kept;
    return true;
}

// ---- detection

// Runs a loop whose iterations append to lists; repeats it with more capacity if it was too small. `gap_hint` may be
// null: no gaps.
static void *collect(work *w, sn_arena *arena, int iterations, int grain, sn_iteration_fn *fn, size_t size, int *hint,
                     int *gap_hint, sn_pool *pool, int *count) {
    *count = 0;
    w->stats = sn_arena_alloc(arena, (size_t)iterations, sizeof *w->stats);
    if (!w->stats) return NULL;
    for (;;) {
        if (!sn_chunked_list_begin(&w->found, arena, iterations, size, *hint)) return NULL;
        if (gap_hint && !sn_chunked_list_begin(&w->gaps, arena, iterations, sizeof(sn_medial_cached_gap), *gap_hint))
            return NULL;
        run(pool, iterations, grain, fn, w);
        const int wanted = sn_chunked_list_wanted(&w->found), gaps = gap_hint ? sn_chunked_list_wanted(&w->gaps) : 0;
        if (wanted <= *hint && (!gap_hint || gaps <= *gap_hint)) break;
        if (wanted > *hint) *hint = wanted + wanted / 4;
        if (gap_hint && gaps > *gap_hint) *gap_hint = gaps + gaps / 4;
    }
    for (int i = 0; i < iterations; i++) {
        sn_elastic_collide_stats *sum = &w->detector->stats, *e = &w->stats[i];
        sum->boxes += e->boxes, sum->slabs += e->slabs, sum->overlaps += e->overlaps;
        sum->vertices += e->vertices, sum->triangles += e->triangles;
    }
    return sn_chunked_list_join(&w->found, arena, count);
}

// Allocates the cache for the next call. False: out of memory.
static bool alloc_cache(work *w, int count) {
    sn_elastic_collide_cache *now = w->now;
    const size_t n = (size_t)count;
    now->id = sn_arena_alloc(&now->arena, n, sizeof *now->id);
    now->slab = sn_arena_alloc(&now->arena, n, sizeof *now->slab);
    now->path = sn_arena_alloc(&now->arena, n, sizeof *now->path);
    bool good = now->id && now->slab && now->path;
    for (int i = 0; i < count && good; i++) {
        const sn_medial_bvh *bvh = &w->bodies[i].hull->bvh;
        now->slab[i] = sn_arena_alloc(&now->arena, (size_t)bvh->item_count, sizeof **now->slab);
        now->path[i] = sn_arena_alloc(&now->arena, (size_t)bvh->node_count, sizeof **now->path);
        good = now->slab[i] && now->path[i];
    }
    return good;
}

static bool save_gaps(work *w, int body_pairs) {
    sn_elastic_collide_cache *now = w->now;
    int gaps;
    now->pairs = sn_arena_alloc(&now->arena, (size_t)body_pairs, sizeof *now->pairs);
    now->first_gap = sn_arena_alloc(&now->arena, (size_t)body_pairs + 1, sizeof *now->first_gap);
    now->gaps = sn_chunked_list_join(&w->gaps, &now->arena, &gaps);
    if (!now->pairs || !now->first_gap || !now->gaps) return false;
    now->first_gap[0] = 0;
    for (int i = 0; i < body_pairs; i++) {
        now->pairs[i][0] = w->body_pairs[i].a, now->pairs[i][1] = w->body_pairs[i].b;
        now->first_gap[i + 1] = now->first_gap[i] + w->gaps.count[i];
    }
    now->pair_count = body_pairs, now->body_count = w->body_count;
    return true;
}

static bool detect(work *w, const sn_elastic_collider *bodies, int count, sn_pool *pool) {
    sn_elastic_detector *d = w->detector;
    sn_arena *arena = &d->arena;
    if (!alloc_cache(w, count)) return false;
    w->box = sn_arena_alloc(arena, (size_t)count, sizeof *w->box);
    w->node_slabs = sn_arena_alloc(arena, (size_t)count, sizeof *w->node_slabs);
    if (!w->box || !w->node_slabs) return false;
    for (int i = 0; i < count; i++) {
        w->node_slabs[i] = sn_arena_alloc(arena, (size_t)bodies[i].hull->bvh.node_count, sizeof(sn_slab));
        if (!w->node_slabs[i]) return false;
    }
    run(pool, count, 1, fit_body, w);
    int body_pairs, inside_count, crossing_count;
    w->body_pairs = find_body_pairs(w, count, arena, &body_pairs, &d->stats.boxes);
    if (!w->body_pairs) return false;
    w->pairs = collect(w, arena, body_pairs, 1, find_primitives, sizeof *w->pairs, &d->pair_hint, &d->gap_hint, pool,
                       &w->pair_count);
    if (!w->pairs || !save_gaps(w, body_pairs)) return false;
    run(pool, w->pair_count, 16, find_deepest, w);
    int groups = build_groups(w, body_pairs, arena);
    if (groups < 0) return false;
    const size_t size = sizeof(sn_elastic_contact);
    const sn_elastic_contact *inside =
        collect(w, arena, groups, 2, find_vertices, size, &d->contact_hint, NULL, pool, &inside_count);
    if (!inside) return false;
    const sn_elastic_contact *crossing =
        collect(w, arena, w->pair_count, 8, find_crossings, size, &d->crossing_hint, NULL, pool, &crossing_count);
    return crossing && select_contacts(w, count, arena, inside, inside_count, crossing, crossing_count);
}

sn_status sn_elastic_detect(sn_elastic_detector *detector, const sn_elastic_collider *bodies, int count,
                            sn_pool *pool) {
    detector->contacts = NULL;
    detector->contact_count = 0;
    detector->stats = (sn_elastic_collide_stats){0};
    sn_arena_reset(&detector->arena);
    const sn_elastic_collide_cache last = detector->cache[0];
    detector->cache[0] = detector->cache[1], detector->cache[1] = last;
    sn_arena_reset(&detector->cache[0].arena);
    detector->cache[0] = (sn_elastic_collide_cache){.arena = detector->cache[0].arena};
    work w = {.detector = detector,
              .bodies = bodies,
              .body_count = count,
              .last = &detector->cache[1],
              .now = &detector->cache[0]};
    if (detect(&w, bodies, count, pool)) return SN_OK;
    detector->cache[0].body_count = detector->cache[0].pair_count = 0;
    detector->contacts = NULL;
    detector->contact_count = 0;
    return SN_ERR_MEMORY;
}

void sn_elastic_detector_init(sn_elastic_detector *detector, sn_memory *memory) {
    *detector = (sn_elastic_detector){
        .memory = memory, .pair_hint = 16, .gap_hint = 16, .contact_hint = 16, .crossing_hint = 16};
    sn_arena_init(&detector->arena, memory);
    for (int i = 0; i < 2; i++) sn_arena_init(&detector->cache[i].arena, memory);
}

void sn_elastic_detector_free(sn_elastic_detector *detector) {
    sn_arena_free(&detector->arena);
    for (int i = 0; i < 2; i++) sn_arena_free(&detector->cache[i].arena);
    *detector = (sn_elastic_detector){0};
}
