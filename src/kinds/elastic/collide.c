// Collisions of elastic bodies: from boxes to contacts. Where the surface is nearest to a vertex is in collide_place.h.
//
// A vertex may be in several primitives of the other body; it is looked up once, by the one that it is deepest in. So
// the pairs of primitives are put together by the primitive that has the vertices and the other body.
//
// Pairs of primitives, and of the nodes above them, that were apart are not tested again until they have moved by the
// gap: the answers are the same.
//
// Where no vertex of either primitive is inside the other body, edges may still have gone through each other's
// triangles. Their vertices are pushed along the normal of the primitives' deepest pair.
#include "kinds/elastic/collide.h"
#include "geometry/slab_part.h"
#include "geometry/triangle.h"
#include "kinds/elastic/collide_gather.h"
#include "kinds/elastic/collide_place.h"

// --- work ---

typedef struct {
    int a, b; // bodies
} body_pair;

typedef struct {
    int a, b;       // bodies
    int p, q;       // primitives
    int bodies;     // number of the pair of bodies
    sn_vec3 normal; // of the deepest pair, from q to p
    sn_real depth;
    int group[2];
} primitive_pair;

// A primitive q of another body, for the vertices of a primitive.
typedef struct {
    int q;
    sn_vec3 normal; // away from it
    sn_real top;    // how far it reaches along that
    sn_bounds box;
} facing_primitive;

// A primitive with vertices, another body (or its own), and the primitives of that which it overlaps.
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
    const sn_elastic_past *last;
    sn_elastic_past *now;
    const body_pair *body_pairs;
    primitive_pair *pairs;
    int pair_count;
    facing_primitive *facing;
    group *groups;
    sn_gather gather, notes;
    sn_elastic_effort *effort; // by iteration
} work;

static void run(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context) {
    if (pool) {
        sn_parallel_for(pool, count, grain, fn, context);
    } else {
        for (int i = 0; i < count; i++) fn(context, i, 0);
    }
}

// --- boxes ---

static void fit_body(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    const sn_elastic_collider *body = &w->bodies[index];
    const sn_medial_tree *tree = &body->hull->tree;
    for (int i = 0; i < tree->item_count; i++) {
        sn_bounds box = sn_slab_bounds(&body->bound->slab[i]);
        w->box[index] = i ? sn_bounds_join(&w->box[index], &box) : box;
    }
    sn_medial_tree_cover(tree, body->bound->slab, w->node_slabs[index]);
    // How far it has come. What was another body the last time has come far, and nothing is known about it.
    sn_real *path = w->now->path[index];
    const bool known = index < w->last->body_count && w->last->mark[index] == body->hull->mark;
    for (int i = 0; i < tree->node_count; i++) path[i] = known ? w->last->path[index][i] : 0;
    if (known) sn_medial_tree_move(tree, w->last->slab[index], body->bound->slab, path);
    if (tree->item_count > 0)
        memcpy(w->now->slab[index], body->bound->slab, (size_t)tree->item_count * sizeof(sn_slab));
    w->now->mark[index] = body->hull->mark;
}

static bool box_before(const work *w, int a, int b) {
    sn_real la = w->box[a].lo.x, lb = w->box[b].lo.x;
    return la < lb || (la == lb && a < b);
}

static bool pair_before(int a, int b, int c, int d) {
    return a < c || (a == c && b < d);
}

// Pairs of bodies whose boxes overlap, by a sweep along x, and bodies that may collide with themselves.
static const body_pair *find_body_pairs(work *w, int count, sn_arena *arena, int *pair_count, int64_t *tests) {
    int *order = sn_arena_take(arena, (size_t)count, sizeof *order), n = 0;
    *pair_count = 0;
    if (!order) return NULL;
    for (int i = 0; i < count; i++) {
        if (w->bodies[i].hull->tree.node_count > 0) order[n++] = i;
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
        if (pass == 0) pairs = sn_arena_take(arena, (size_t)found, sizeof *pairs);
        if (!pairs) return NULL;
        *pair_count = found;
    }
    for (int gap = *pair_count / 2; gap > 0; gap /= 2) { // in order, so that they are found again the next time
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

// --- primitives ---

typedef struct {
    work *w;
    int index;
    body_pair bodies;
} pair_visit;

static bool skipped(const sn_elastic_hull *h, int a, int b) {
    int lo = a < b ? a : b, hi = a < b ? b : a, first = h->first_skip[lo], last = h->first_skip[lo + 1];
    while (first < last) {
        int mid = first + (last - first) / 2;
        if (h->skip[mid] < hi) {
            first = mid + 1;
        } else {
            last = mid;
        }
    }
    return first < h->first_skip[lo + 1] && h->skip[first] == hi;
}

static void visit_primitives(void *user, int p, int q) {
    pair_visit *v = user;
    work *w = v->w;
    ++w->effort[v->index].overlaps;
    primitive_pair pair = {.a = v->bodies.a, .b = v->bodies.b, .p = p, .q = q, .bodies = v->index};
    sn_gather_push(&w->gather, v->index, &pair);
}

static bool never_meet(void *user, int p, int q) {
    const pair_visit *v = user;
    return skipped(v->w->bodies[v->bodies.a].hull, p, q);
}

static void keep_note(void *user, const sn_medial_note *note) {
    const pair_visit *v = user;
    sn_gather_push(&v->w->notes, v->index, note);
}

// What was found out about two bodies the last time, null: nothing.
static const sn_medial_note *last_notes(const work *w, body_pair pair) {
    const sn_elastic_past *last = w->last;
    int lo = 0, hi = last->pair_count;
    if (pair.a >= last->body_count || pair.b >= last->body_count) return NULL;
    if (last->mark[pair.a] != w->now->mark[pair.a] || last->mark[pair.b] != w->now->mark[pair.b]) return NULL;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        if (pair_before(last->pairs[mid][0], last->pairs[mid][1], pair.a, pair.b))
            lo = mid + 1;
        else
            hi = mid;
    }
    const bool found = lo < last->pair_count && last->pairs[lo][0] == pair.a && last->pairs[lo][1] == pair.b;
    return found ? last->notes + last->first_note[lo] : NULL;
}

static void find_primitives(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    pair_visit v = {w, index, w->body_pairs[index]};
    const int a = v.bodies.a, b = v.bodies.b;
    sn_gather_open(&w->gather, index);
    sn_gather_open(&w->notes, index);
    w->effort[index] = (sn_elastic_effort){0};
    const sn_medial_search search = {.a = {&w->bodies[a].hull->tree, w->node_slabs[a], w->now->path[a]},
                                     .b = {&w->bodies[b].hull->tree, w->node_slabs[b], w->now->path[b]},
                                     .skip = a == b ? never_meet : NULL,
                                     .visit = visit_primitives,
                                     .keep = keep_note,
                                     .user = &v,
                                     .last = w->detector->forgetful ? NULL : last_notes(w, v.bodies)};
    w->effort[index].slabs = sn_medial_tree_search(&search);
}

// --- vertices in the other primitive ---

// How far a slab reaches along n.
static sn_real reach_along(const sn_slab *s, sn_vec3 n) {
    sn_real most = sn_dot(n, s->c[0]) + s->r[0];
    most = sn_max(most, sn_dot(n, s->c[1]) + s->r[1]);
    return sn_max(most, sn_dot(n, s->c[2]) + s->r[2]);
}

static void find_deepest(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    primitive_pair *pair = &w->pairs[index];
    sn_slab_pair deepest;
    sn_slab_slab(&w->bodies[pair->a].bound->slab[pair->p], &w->bodies[pair->b].bound->slab[pair->q], &deepest);
    pair->normal = deepest.normal;
    pair->depth = sn_max(-deepest.gap, 0);
}

// Groups in the order of the pairs of bodies, and of the primitives in them: by counting.
static int make_groups(work *w, int body_pairs, sn_arena *arena) {
    int *base = sn_arena_take(arena, 2 * (size_t)body_pairs + 1, sizeof *base), keys = 0;
    if (!base) return -1;
    for (int i = 0; i < body_pairs; i++) {
        body_pair p = w->body_pairs[i];
        base[2 * i] = keys;
        keys += w->bodies[p.a].hull->bounds->primitive_count;
        base[2 * i + 1] = p.a == p.b ? base[2 * i] : keys; // of itself all primitives are alike
        if (p.a != p.b) keys += w->bodies[p.b].hull->bounds->primitive_count;
    }
    int *number = sn_arena_take(arena, (size_t)keys, sizeof *number), groups = 0, first = 0;
    if (!number) return -1;
    memset(number, 0, (size_t)keys * sizeof *number);
    for (int i = 0; i < w->pair_count; i++) {
        const primitive_pair *p = &w->pairs[i];
        ++number[base[2 * p->bodies] + p->p];
        ++number[base[2 * p->bodies + 1] + p->q];
    }
    for (int k = 0; k < keys; k++) groups += number[k] > 0;
    w->groups = sn_arena_take(arena, (size_t)groups, sizeof *w->groups);
    w->facing = sn_arena_take(arena, 2 * (size_t)w->pair_count, sizeof *w->facing);
    if (!w->groups || !w->facing) return -1;
    groups = 0;
    for (int k = 0; k < keys; k++) {
        if (number[k] == 0) continue;
        w->groups[groups] = (group){.first = first};
        first += number[k];
        number[k] = groups++;
    }
    for (int i = 0; i < w->pair_count; i++) {
        primitive_pair *p = &w->pairs[i];
        for (int side = 0; side < 2; side++) {
            int a = side ? p->b : p->a, b = side ? p->a : p->b, own = side ? p->q : p->p, q = side ? p->p : p->q;
            p->group[side] = number[base[2 * p->bodies + side] + own];
            group *g = &w->groups[p->group[side]];
            g->a = a, g->p = own, g->b = b;
            sn_vec3 normal = side ? sn_mul(-1, p->normal) : p->normal;
            const sn_slab *slab = &w->bodies[b].bound->slab[q];
            w->facing[g->first + g->count++] =
                (facing_primitive){q, normal, reach_along(slab, normal), sn_slab_bounds(slab)};
        }
    }
    return groups;
}

enum { READY_AT_ONCE = 24 };

static bool in_box(const sn_bounds *box, sn_vec3 x) {
    return x.x >= box->lo.x && x.x <= box->hi.x && x.y >= box->lo.y && x.y <= box->hi.y && x.z >= box->lo.z &&
           x.z <= box->hi.z;
}

// The primitive of the group that x is deepest in, -1: none; and the weights of the sphere nearest to x. The first of
// the slabs are ready.
static int deepest_in(const work *w, const group *g, const sn_slab_part *ready, sn_vec3 x, sn_real t[3]) {
    int deepest = -1;
    sn_real least = 0;
    for (int i = 0; i < g->count; i++) {
        const facing_primitive *f = &w->facing[g->first + i];
        if (!in_box(&f->box, x) || sn_dot(f->normal, x) > f->top) continue;
        sn_real weight[3];
        sn_real distance = i < READY_AT_ONCE ? sn_slab_part_distance(&ready[i], x, weight)
                                             : sn_slab_distance(&w->bodies[g->b].bound->slab[f->q], x, weight);
        if (!(distance <= least)) continue;
        least = distance, deepest = f->q;
        memcpy(t, weight, sizeof weight);
    }
    return deepest;
}

// Vertices of a group's primitive that are inside of its other body.
static void find_vertices(void *context, int index, int worker) {
    (void)worker;
    work *w = context;
    group *g = &w->groups[index];
    const sn_elastic_collider *body = &w->bodies[g->a], *other = &w->bodies[g->b];
    const sn_elastic_hull *hull = body->hull;
    sn_way_back back = {.primitive = -1};
    sn_slab_part ready[READY_AT_ONCE];
    sn_gather_open(&w->gather, index);
    w->effort[index] = (sn_elastic_effort){0};
    for (int i = 0; i < g->count && i < READY_AT_ONCE; i++) {
        sn_slab_ready(&other->bound->slab[w->facing[g->first + i].q], &ready[i]);
    }
    for (int i = hull->first_home[g->p]; i < hull->first_home[g->p + 1]; i++) {
        int v = hull->home[i];
        sn_vec3 x = body->x[v];
        sn_real t[3] = {0, 0, 0};
        int q = deepest_in(w, g, ready, x, t);
        if (q < 0) continue;
        ++w->effort[index].vertices;
        if (q != back.primitive) back = sn_way_back_of(other, q);
        int start = sn_collide_lookup(&back, x, t);
        if (start < 0) start = sn_collide_nearest(&back, x);
        if (start < 0) continue; // a primitive without triangles
        sn_place near = sn_collide_downhill(other, start, x);
        if (!sn_collide_is_behind(other, &near)) continue;
        if (g->a == g->b) { // not the vertex's own surroundings
            const int *corner = hull->bounds->asset->triangles[near.triangle];
            if (corner[0] == v || corner[1] == v || corner[2] == v) continue;
        }
        sn_real depth = sn_sqrt(near.distance2);
        sn_triangle now = sn_collide_triangle(other, near.triangle);
        sn_vec3 face = sn_normalize(sn_cross(sn_sub(now.b, now.a), sn_sub(now.c, now.a)), sn_v3(0, 1, 0));
        sn_elastic_contact contact = {
            .body = g->a, .vertex = v, .other = g->b, .triangle = near.triangle, .depth = depth};
        memcpy(contact.weight, near.weight, sizeof contact.weight);
        contact.normal = depth > 0 ? sn_mul(-1 / depth, near.offset) : face;
        sn_gather_push(&w->gather, index, &contact);
        g->found = true;
    }
}

// --- triangles that cross ---

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
    int most = r[1] > r[0] ? 1 : 0;
    most = r[2] > r[most] ? 2 : most;
    *reach = r[most];
    return most;
}

// The triangles of a primitive that come into a box and lie, at least with a corner, below 'top' along the normal.
// Begins with number *next of the primitive and leaves there where to go on; the end is -1.
static int triangles_in(const sn_elastic_collider *c, int primitive, const sn_bounds *box, sn_vec3 normal, sn_real top,
                        int *next, int *out, sn_bounds *boxes, int room) {
    const sn_elastic_bounds *b = c->hull->bounds;
    int count = 0, i = b->first_triangle[primitive] + *next;
    for (; i < b->first_triangle[primitive + 1] && count < room; i++) {
        sn_triangle t = sn_collide_triangle(c, b->triangles[i]);
        sn_real low = sn_min(sn_dot(normal, t.a), sn_min(sn_dot(normal, t.b), sn_dot(normal, t.c)));
        if (low > top) continue;
        boxes[count] = triangle_box(&t);
        if (!sn_bounds_overlap(&boxes[count], box)) continue;
        out[count++] = b->triangles[i];
    }
    *next = i < b->first_triangle[primitive + 1] ? i - b->first_triangle[primitive] : -1;
    return count;
}

static void push_crossing(work *w, int index, int a, int corner, const sn_triangle *at, int triangle_a, int b,
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
    sn_gather_push(&w->gather, index, &contact);
}

static void find_crossings(void *context, int index, int worker) {
    (void)worker;
    enum { ROOM = 128 };
    work *w = context;
    const primitive_pair *pair = &w->pairs[index];
    sn_gather_open(&w->gather, index);
    w->effort[index] = (sn_elastic_effort){0};
    if (w->groups[pair->group[0]].found || w->groups[pair->group[1]].found) return;
    sn_vec3 normal = pair->normal;
    const sn_elastic_collider *a = &w->bodies[pair->a], *b = &w->bodies[pair->b];
    const sn_slab *sa = &a->bound->slab[pair->p], *sb = &b->bound->slab[pair->q];
    sn_bounds box_a = sn_slab_bounds(sa), box_b = sn_slab_bounds(sb), boxes[2][ROOM];
    sn_vec3 against = sn_mul(-1, normal);
    sn_real top_b = reach_along(sb, normal), top_a = reach_along(sa, against);
    int list[2][ROOM];
    for (int next_a = 0; next_a >= 0;) {
        int count_a = triangles_in(a, pair->p, &box_b, normal, top_b, &next_a, list[0], boxes[0], ROOM);
        for (int next_b = 0; count_a > 0 && next_b >= 0;) {
            int count_b = triangles_in(b, pair->q, &box_a, against, top_a, &next_b, list[1], boxes[1], ROOM);
            for (int i = 0; i < count_a; i++) {
                for (int j = 0; j < count_b; j++) {
                    if (!sn_bounds_overlap(&boxes[0][i], &boxes[1][j])) continue;
                    sn_triangle ta = sn_collide_triangle(a, list[0][i]), tb = sn_collide_triangle(b, list[1][j]);
                    ++w->effort[index].triangles;
                    if (!sn_triangle_triangle(&ta, &tb)) continue;
                    sn_real low_a, high_b;
                    int ca = outermost(&ta, against, &low_a), cb = outermost(&tb, normal, &high_b);
                    sn_real depth = sn_clamp(high_b + low_a, 0, pair->depth);
                    push_crossing(w, index, pair->a, ca, &ta, list[0][i], pair->b, list[1][j], &tb, normal, depth);
                    push_crossing(w, index, pair->b, cb, &tb, list[1][j], pair->a, list[0][i], &ta, against, depth);
                }
            }
        }
    }
}

// --- one contact a vertex ---

// Of contacts with one body the nearer place is the right one, and being inside counts more than crossing; of different
// bodies the deeper.
static bool better(const sn_elastic_contact *next, const sn_elastic_contact *kept) {
    if (next->crossing != kept->crossing) return kept->crossing;
    return next->other == kept->other ? next->depth < kept->depth : next->depth > kept->depth;
}

// First those of vertices that are inside, then those of triangles that cross.
static bool keep_one_each(work *w, int count, sn_arena *arena, const sn_elastic_contact *inside, int inside_count,
                          const sn_elastic_contact *crossing, int crossing_count) {
    int **slot = sn_arena_take(arena, (size_t)count, sizeof *slot), kept = 0;
    sn_elastic_contact *contacts =
        sn_arena_take(arena, (size_t)inside_count + (size_t)crossing_count, sizeof *contacts);
    if (!slot || !contacts) return false;
    for (int i = 0; i < count; i++) slot[i] = NULL;
    for (int i = 0; i < inside_count + crossing_count; i++) {
        const sn_elastic_contact *c = i < inside_count ? &inside[i] : &crossing[i - inside_count];
        if (!slot[c->body]) {
            size_t vertices = (size_t)w->bodies[c->body].hull->bounds->asset->vertex_count;
            slot[c->body] = sn_arena_take(arena, vertices, sizeof **slot);
            if (!slot[c->body]) return false;
            memset(slot[c->body], -1, vertices * sizeof **slot);
        }
        int *at = &slot[c->body][c->vertex];
        if (*at < 0) {
            *at = kept;
            contacts[kept++] = *c;
        } else if (better(c, &contacts[*at])) {
            contacts[*at] = *c;
        }
    }
    w->detector->contacts = contacts;
    w->detector->contact_count = kept;
    return true;
}

// --- all together ---

// A loop whose iterations gather; again with more room if there was too little. 'note_hint' may be null: no notes.
static void *gathered(work *w, sn_arena *arena, int iterations, int grain, sn_iteration_fn *fn, size_t size, int *hint,
                      int *note_hint, sn_pool *pool, int *count) {
    *count = 0;
    w->effort = sn_arena_take(arena, (size_t)iterations, sizeof *w->effort);
    if (!w->effort) return NULL;
    for (;;) {
        if (!sn_gather_begin(&w->gather, arena, iterations, size, *hint)) return NULL;
        if (note_hint && !sn_gather_begin(&w->notes, arena, iterations, sizeof(sn_medial_note), *note_hint))
            return NULL;
        run(pool, iterations, grain, fn, w);
        const int wanted = sn_gather_wanted(&w->gather), noted = note_hint ? sn_gather_wanted(&w->notes) : 0;
        if (wanted <= *hint && (!note_hint || noted <= *note_hint)) break;
        if (wanted > *hint) *hint = wanted + wanted / 4;
        if (note_hint && noted > *note_hint) *note_hint = noted + noted / 4;
    }
    for (int i = 0; i < iterations; i++) {
        sn_elastic_effort *sum = &w->detector->effort, *e = &w->effort[i];
        sum->boxes += e->boxes, sum->slabs += e->slabs, sum->overlaps += e->overlaps;
        sum->vertices += e->vertices, sum->triangles += e->triangles;
    }
    return sn_gather_join(&w->gather, arena, count);
}

// Room for what this call leaves to the next. False: no memory.
static bool make_past(work *w, int count) {
    sn_elastic_past *now = w->now;
    const size_t n = (size_t)count;
    now->mark = sn_arena_take(&now->arena, n, sizeof *now->mark);
    now->slab = sn_arena_take(&now->arena, n, sizeof *now->slab);
    now->path = sn_arena_take(&now->arena, n, sizeof *now->path);
    bool good = now->mark && now->slab && now->path;
    for (int i = 0; i < count && good; i++) {
        const sn_medial_tree *tree = &w->bodies[i].hull->tree;
        now->slab[i] = sn_arena_take(&now->arena, (size_t)tree->item_count, sizeof **now->slab);
        now->path[i] = sn_arena_take(&now->arena, (size_t)tree->node_count, sizeof **now->path);
        good = now->slab[i] && now->path[i];
    }
    return good;
}

static bool keep_notes(work *w, int body_pairs) {
    sn_elastic_past *now = w->now;
    int notes;
    now->pairs = sn_arena_take(&now->arena, (size_t)body_pairs, sizeof *now->pairs);
    now->first_note = sn_arena_take(&now->arena, (size_t)body_pairs + 1, sizeof *now->first_note);
    now->notes = sn_gather_join(&w->notes, &now->arena, &notes);
    if (!now->pairs || !now->first_note || !now->notes) return false;
    now->first_note[0] = 0;
    for (int i = 0; i < body_pairs; i++) {
        now->pairs[i][0] = w->body_pairs[i].a, now->pairs[i][1] = w->body_pairs[i].b;
        now->first_note[i + 1] = now->first_note[i] + w->notes.count[i];
    }
    now->pair_count = body_pairs, now->body_count = w->body_count;
    return true;
}

static bool detect(work *w, const sn_elastic_collider *bodies, int count, sn_pool *pool) {
    sn_elastic_detector *d = w->detector;
    sn_arena *arena = &d->arena;
    if (!make_past(w, count)) return false;
    w->box = sn_arena_take(arena, (size_t)count, sizeof *w->box);
    w->node_slabs = sn_arena_take(arena, (size_t)count, sizeof *w->node_slabs);
    if (!w->box || !w->node_slabs) return false;
    for (int i = 0; i < count; i++) {
        w->node_slabs[i] = sn_arena_take(arena, (size_t)bodies[i].hull->tree.node_count, sizeof(sn_slab));
        if (!w->node_slabs[i]) return false;
    }
    run(pool, count, 1, fit_body, w);
    int body_pairs, inside_count, crossing_count;
    w->body_pairs = find_body_pairs(w, count, arena, &body_pairs, &d->effort.boxes);
    if (!w->body_pairs) return false;
    w->pairs = gathered(w, arena, body_pairs, 1, find_primitives, sizeof *w->pairs, &d->pair_hint, &d->note_hint, pool,
                        &w->pair_count);
    if (!w->pairs || !keep_notes(w, body_pairs)) return false;
    run(pool, w->pair_count, 16, find_deepest, w);
    int groups = make_groups(w, body_pairs, arena);
    if (groups < 0) return false;
    const size_t size = sizeof(sn_elastic_contact);
    const sn_elastic_contact *inside =
        gathered(w, arena, groups, 2, find_vertices, size, &d->contact_hint, NULL, pool, &inside_count);
    if (!inside) return false;
    const sn_elastic_contact *crossing =
        gathered(w, arena, w->pair_count, 8, find_crossings, size, &d->crossing_hint, NULL, pool, &crossing_count);
    return crossing && keep_one_each(w, count, arena, inside, inside_count, crossing, crossing_count);
}

sn_status sn_elastic_detect(sn_elastic_detector *detector, const sn_elastic_collider *bodies, int count,
                            sn_pool *pool) {
    detector->contacts = NULL;
    detector->contact_count = 0;
    detector->effort = (sn_elastic_effort){0};
    sn_arena_reset(&detector->arena);
    const sn_elastic_past last = detector->past[0];
    detector->past[0] = detector->past[1], detector->past[1] = last;
    sn_arena_reset(&detector->past[0].arena);
    detector->past[0] = (sn_elastic_past){.arena = detector->past[0].arena};
    work w = {.detector = detector,
              .bodies = bodies,
              .body_count = count,
              .last = &detector->past[1],
              .now = &detector->past[0]};
    if (detect(&w, bodies, count, pool)) return SN_OK;
    detector->past[0].body_count = detector->past[0].pair_count = 0;
    detector->contacts = NULL;
    detector->contact_count = 0;
    return SN_ERR_MEMORY;
}

void sn_elastic_detector_init(sn_elastic_detector *detector, sn_memory *memory) {
    *detector = (sn_elastic_detector){
        .memory = memory, .pair_hint = 16, .note_hint = 16, .contact_hint = 16, .crossing_hint = 16};
    sn_arena_init(&detector->arena, memory);
    for (int i = 0; i < 2; i++) sn_arena_init(&detector->past[i].arena, memory);
}

void sn_elastic_detector_free(sn_elastic_detector *detector) {
    sn_arena_free(&detector->arena);
    for (int i = 0; i < 2; i++) sn_arena_free(&detector->past[i].arena);
    *detector = (sn_elastic_detector){0};
}
