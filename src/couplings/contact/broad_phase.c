// The broad phase: finds the elements (pills and slabs) that may collide with each other or with colliders during the
// step. Every element has a bounding sphere, grown by how far its nodes may move, and so has every collider; the grid
// finds the spheres that overlap. Planes have no sphere: every element is tested against them.
#include "base/host.h"
#include "couplings/contact/contact.h"
#include "geometry/leaf_pairs.h"
#include "geometry/pill_batch.h"

typedef struct {
    sn_contacts *contacts;
    const sn_real *reach;
    const sn_vec3 *displacement;
    sn_sphere *spheres;
    int64_t *owner; // body and surface of an element; of a collider one of its own
} pair_search;

enum { CHUNK = 256 };

// How far the nodes of an element may move.
static sn_real reach_of(const pair_search *s, int element) {
    int32_t nodes[3];
    sn_real max = 0;
    for (int k = sn_element_nodes(s->contacts, element, nodes) - 1; k >= 0; --k) max = sn_max(max, s->reach[nodes[k]]);
    return max;
}

// The mean motion of an element's nodes, and how far any of them may deviate from it.
static sn_vec3 motion_of(const pair_search *s, int element, sn_real *deviation) {
    int32_t nodes[3];
    const int count = sn_element_nodes(s->contacts, element, nodes);
    sn_vec3 mean = sn_v3(0, 0, 0);
    for (int k = 0; k < count; k++) mean = sn_mul_add(mean, 1 / (sn_real)count, s->displacement[nodes[k]]);
    *deviation = 0;
    for (int k = 0; k < count; k++) {
        const sn_vec3 motion = s->displacement[nodes[k]];
        const sn_real unsure = sn_max(s->reach[nodes[k]] - sn_length(motion), 0);
        *deviation = sn_max(*deviation, sn_length(sn_sub(motion, mean)) + unsure);
    }
    return mean;
}

// How far two elements may approach each other in the step. A rigid body falls on when what falls beside it is stopped.
static sn_real approach_of(const pair_search *s, int a, int b) {
    sn_real deviation_a, deviation_b;
    const sn_vec3 motion_a = motion_of(s, a, &deviation_a), motion_b = motion_of(s, b, &deviation_b);
    sn_real approach = sn_length(sn_sub(motion_a, motion_b));
    if (sn_contacts_is_solid(s->contacts, a) || sn_contacts_is_solid(s->contacts, b))
        approach = sn_max(approach, sn_max(sn_length(motion_a), sn_length(motion_b)));
    return approach + deviation_a + deviation_b;
}

static void bound_chunk(void *context, int index, int worker) {
    (void)worker;
    const pair_search *s = context;
    const sn_contacts *c = s->contacts;
    const sn_proxies *p = &c->proxies;
    for (int i = index * CHUNK; i < c->elements && i < (index + 1) * CHUNK; i++) {
        const sn_contact_settings *settings = &c->settings[sn_element_surface(c, i)];
        s->spheres[i] = (sn_sphere){sn_v3(0, 0, 0), -1};
        s->owner[i] = (int64_t)sn_element_body(c, i) << 32 | sn_element_surface(c, i);
        int32_t nodes[3];
        if (sn_element_nodes(c, i, nodes) == 0 || !settings->collide) continue;
        if (sn_is_slab(c, i)) {
            sn_slab slab = sn_proxy_slab(p, i - p->count, false);
            const sn_real under = sn_element_slab(c, i)->under;
            s->spheres[i] = sn_slab_ball(&slab);
            if (under > 0) s->spheres[i].radius = sn_sqrt(s->spheres[i].radius * s->spheres[i].radius + under * under);
        } else {
            if (p->nodes[nodes[0]].contact_disabled != 0 || p->nodes[nodes[1]].contact_disabled != 0) continue;
            sn_pill pill = sn_proxy_pill(p, i, false);
            s->spheres[i] = sn_pill_sphere_bound(&pill);
        }
        s->spheres[i].radius += reach_of(s, i);
    }
}

// Whether a body's elements a and b may collide: its kind decides.
static bool self_collides(const sn_contacts *c, int body, int a, int b) {
    const int row = sn_world_row_of_body(c->world, body);
    const int pills = c->proxies.count, slabs = pills + c->first_slab[row];
    return sn_kinds[row]->self_collides(sn_world_row_system(c->world, row), body - sn_world_first_body(c->world, row),
                                        a < pills ? a - c->first_node[row] : ~(a - slabs),
                                        b < pills ? b - c->first_node[row] : ~(b - slabs));
}

static const sn_surface *surface_of(const sn_contacts *c, int item) {
    if (item >= c->elements) return &c->colliders[item - c->elements]->surface;
    return &c->settings[sn_element_surface(c, item)].surface;
}

// Whether elements of the bodies of a and b, or a collider b, may collide. Drops pairs of colliders, and those within a body unless
// it collides with itself.
static bool keep_bodies(void *user, int a, int b) {
    const pair_search *s = user;
    const sn_contacts *c = s->contacts;
    if (a >= c->elements) return false;
    const sn_surface *of_a = surface_of(c, a), *of_b = surface_of(c, b);
    if (!(of_a->group & of_b->mask) || !(of_b->group & of_a->mask)) return false;
    if (b >= c->elements) return true;
    const sn_contact_settings *x = &c->settings[sn_element_surface(c, a)], *y = &c->settings[sn_element_surface(c, b)];
    if (x->asleep && y->asleep) return false;
    if (sn_element_body(c, a) == sn_element_body(c, b)) return x->self_collide;
    return x->family == 0 || x->family != y->family;
}

// Drops pairs that a joint excludes, and neighbours within a body.
static bool keep(void *user, int a, int b) {
    const pair_search *s = user;
    const sn_contacts *c = s->contacts;
    if (sn_contacts_excluded(c, a, b)) return false;
    if (b >= c->elements) return true;
    const int body = sn_element_body(c, a);
    if (body != sn_element_body(c, b)) return true;
    int32_t of_a[3], of_b[3];
    const int count_a = sn_element_nodes(c, a, of_a), count_b = sn_element_nodes(c, b, of_b);
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++)
            if (of_a[i] == of_b[k]) return false;
    if (sn_is_slab(c, b)) { // spheres include the whole motion; relative motion within a body is smaller
        const sn_sphere *x_ball = &s->spheres[a], *y_ball = &s->spheres[b];
        const sn_real near = x_ball->radius - reach_of(s, a) + y_ball->radius - reach_of(s, b) + approach_of(s, a, b);
        if (sn_length2(sn_sub(x_ball->centre, y_ball->centre)) > near * near) return false;
    }
    return self_collides(c, body, a, b);
}

static bool plane_near(const sn_collider *collider, const sn_sphere *ball) {
    sn_real nearest = 0;
    for (int k = 0; k < 1 + collider->moves; k++) {
        const sn_transform *pose = k ? &collider->to : &collider->origin;
        sn_real d = sn_dot(sn_q_axis_y(pose->rotation), sn_sub(ball->centre, pose->position));
        nearest = k == 0 || d < nearest ? d : nearest;
    }
    return nearest <= ball->radius;
}

// ---- exact distances
// The spheres of long pills overlap long before the pills do. Drops the pairs that cannot collide in this step.

typedef struct {
    const pair_search *search;
    sn_pair *pairs;
    sn_real *separation; // by pair
    int count;
    int *kept; // by chunk
    sn_pill_pairs_fn *measure;
} thinning;

// Puts the edge first in a pair of a slab and an edge: blocks only have that form.
static sn_pair edge_first(const sn_contacts *c, sn_pair pair) {
    if (pair.b >= c->elements || !sn_element_third(c, pair.a) || sn_element_third(c, pair.b)) return pair;
    return (sn_pair){pair.b, pair.a};
}

static void thin_chunk(void *context, int index, int worker) {
    (void)worker;
    const thinning *t = context;
    const sn_contacts *c = t->search->contacts;
    const int first = index * CHUNK, end = first + CHUNK < t->count ? first + CHUNK : t->count;
    sn_real alpha[CHUNK], beta[CHUNK], distance[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    int kept = first;
    for (int i = first; i < end;) {
        int run = i;
        while (run < end && t->pairs[run].b < c->proxies.count) run++;
        if (run > i) t->measure(c->pill_at, t->pairs + i, run - i, &rows);
        for (int k = i; k < run; k++) {
            const sn_node_pill *a = &c->proxies.pills[t->pairs[k].a], *b = &c->proxies.pills[t->pairs[k].b];
            const sn_real *reach = t->search->reach;
            if (distance[k - i] > sn_max(reach[a->a], reach[a->b]) + sn_max(reach[b->a], reach[b->b])) continue;
            t->separation[kept] = distance[k - i];
            t->pairs[kept++] = t->pairs[k];
        }
        for (i = run; i < end && t->pairs[i].b >= c->proxies.count; i++) {
            const sn_pair pair = edge_first(c, t->pairs[i]);
            if (pair.b < c->elements) {
                const sn_real max = approach_of(t->search, pair.a, pair.b);
                const sn_real separation = sn_contacts_slab_gap(c, pair, max);
                if (separation > max) continue;
                t->separation[kept] = separation;
            }
            t->pairs[kept++] = pair;
        }
    }
    t->kept[index] = kept - first;
}

static sn_status thin_out(const pair_search *s, sn_pair *pairs, int *count) {
    sn_contacts *c = s->contacts;
    const int chunks = (*count + CHUNK - 1) / CHUNK;
    c->separation = sn_arena_alloc(&c->arena, (size_t)*count + 1, sizeof *c->separation);
    thinning t = {s,
                  pairs,
                  c->separation,
                  *count,
                  sn_arena_alloc(&c->arena, (size_t)chunks + 1, sizeof(int)),
                  sn_pill_pairs_for(c->lanes)};
    if (!t.kept || !t.separation) return SN_ERR_MEMORY;
    sn_contacts_place(c, c->pill_at, c->slab_at, false);
    sn_parallel_for(c->pool, chunks, 1, thin_chunk, &t);
    int total = 0;
    for (int k = 0; k < chunks; k++)
        for (int i = 0; i < t.kept[k]; i++, total++) {
            pairs[total] = pairs[k * CHUNK + i];
            c->separation[total] = c->separation[k * CHUNK + i];
        }
    *count = total;
    return SN_OK;
}

sn_status sn_contacts_broad_phase(sn_contacts *c, const sn_real *reach, const sn_vec3 *displacement) {
    const int elements = c->elements, items = elements + c->collider_count;
    c->pairs = NULL, c->pair_count = 0;
    pair_search s = {c, reach, displacement, NULL, NULL};
    s.spheres = sn_arena_alloc(&c->arena, (size_t)items, sizeof *s.spheres);
    s.owner = sn_arena_alloc(&c->arena, (size_t)items, sizeof *s.owner);
    if (!s.spheres || !s.owner) return SN_ERR_MEMORY;
    if (c->hooks && c->hooks->find_filter(c->hook_user, c) != SN_OK) return SN_ERR_MEMORY;
    sn_parallel_for(c->pool, (elements + CHUNK - 1) / CHUNK, 1, bound_chunk, &s);
    int planes = 0;
    for (int i = 0; i < c->collider_count; i++) {
        const sn_collider *collider = c->colliders[i];
        const bool on = collider && !collider->disabled, plane = on && collider->kind == SN_GEOMETRY_PLANE;
        planes += plane;
        s.spheres[elements + i] = on && !plane ? sn_collider_bound(collider) : (sn_sphere){sn_v3(0, 0, 0), -1};
        s.owner[elements + i] = -1 - i;
    }
    // Spheres that overlap are more than pairs that may touch, but take an eightieth of their memory.
    const sn_leaf_items list = {s.spheres, items, s.owner, keep_bodies, keep, &s, 8 * (int64_t)c->pair_limit};
    sn_pair *found = NULL;
    int count = 0;
    sn_status status = sn_leaf_pairs(&c->grid, &list, c->lanes, c->pool, &c->arena, &found, &count);
    c->pair_count = status == SN_ERR_PAIRS ? count : 0;
    if (status == SN_OK) status = thin_out(&s, found, &count);
    if (status != SN_OK) return status;

    // Planes come last, so that sweeps end with the ground.
    c->pairs = found, c->pair_count = count;
    if (planes == 0) return SN_OK;
    sn_pair *all = sn_arena_alloc(&c->arena, (size_t)count + (size_t)planes * (size_t)elements, sizeof *all);
    if (!all) return SN_ERR_MEMORY;
    for (int i = 0; i < count; i++) all[i] = found[i];
    for (int k = 0; k < c->collider_count; k++) {
        const sn_collider *collider = c->colliders[k];
        for (int i = 0; collider && !collider->disabled && collider->kind == SN_GEOMETRY_PLANE && i < elements; i++)
            if (s.spheres[i].radius >= 0 && plane_near(collider, &s.spheres[i]) && keep_bodies(&s, i, elements + k) &&
                !sn_contacts_excluded(c, i, elements + k))
                all[count++] = (sn_pair){i, elements + k};
    }
    c->pairs = all, c->pair_count = count;
    return SN_OK;
}
