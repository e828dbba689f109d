// Touches: the contacts of a substep. Every pair is measured at the start of the substep, many at once; those that motion may close
// become contacts, up to two a pair so that pills lying along each other do not rock. A fast body is stopped by the plane it
// faces at the start (a speculative contact) and cannot tunnel.
#include "contact/pack.h"

static sn_vec3 get3(sn_block_row rows[3], int lane) {
    return sn_v3(rows[0][lane], rows[1][lane], rows[2][lane]);
}

// ---- where the pills are, and how far they go in the substep

typedef struct {
    sn_contacts *contacts;
    sn_pill *at;
    bool start;
} placing;

static void place_chunk(void *context, int index, int worker) {
    (void)worker;
    const placing *p = context;
    const sn_contacts *c = p->contacts;
    for (int i = index * SN_TOUCH_CHUNK; i < c->proxies.count && i < (index + 1) * SN_TOUCH_CHUNK; ++i)
        if (c->proxies.pills[i].a >= 0) p->at[i] = sn_proxy_pill(&c->proxies, i, p->start);
}

void sn_contacts_place_pills(sn_contacts *c, sn_pill *at, bool start) {
    placing p = {c, at, start};
    sn_parallel_for(c->pool, (c->proxies.count + SN_TOUCH_CHUNK - 1) / SN_TOUCH_CHUNK, 4, place_chunk, &p);
}

static int slab_of(const sn_contact_split *split, sn_vec3 p) {
    const sn_real x = (&p.x)[split->axis];
    int slab = 0;
    for (int k = 0; k < split->slabs - 1; ++k) slab += x >= split->edge[k];
    return slab;
}

static void start_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    for (int i = index * SN_TOUCH_CHUNK; i < c->proxies.count && i < (index + 1) * SN_TOUCH_CHUNK; ++i) {
        const sn_node_pill *pill = &c->proxies.pills[i];
        if (pill->a < 0) continue;
        const sn_node *a = &c->proxies.nodes[pill->a], *b = &c->proxies.nodes[pill->b];
        const sn_pill here = sn_proxy_pill(&c->proxies, i, true), before = c->pill_at[i];
        sn_real gone2 = sn_max(sn_length2(sn_sub(here.a, before.a)), sn_length2(sn_sub(here.b, before.b)));
        c->travel[i] = sn_sqrt(gone2) + sn_max(sn_max(here.ra - before.ra, here.rb - before.rb), 0);
        c->pill_at[i] = here;
        sn_real way = sn_sqrt(sn_max(sn_length2(sn_sub(a->c, a->c0)), sn_length2(sn_sub(b->c, b->c0))));
        sn_real swell = sn_max((a->s - a->s0) * a->radius, (b->s - b->s0) * b->radius);
        // With some room, so that a contact is there before it is needed.
        c->room[i] = way + sn_max(swell, 0) + c->fall + (sn_real)0.02 * sn_max(here.ra, here.rb);
        int x = slab_of(&c->split, here.a), y = slab_of(&c->split, here.b);
        c->slab_low[i] = (unsigned char)(x < y ? x : y), c->slab_high[i] = (unsigned char)(x < y ? y : x);
    }
}

// ---- which pairs touch

static int group_of(const sn_contacts *c, sn_pair pair) {
    int low = c->slab_low[pair.a], high = c->slab_high[pair.a];
    if (pair.b < c->proxies.count) {
        low = c->slab_low[pair.b] < low ? c->slab_low[pair.b] : low;
        high = c->slab_high[pair.b] > high ? c->slab_high[pair.b] : high;
    }
    int phase = high == low ? 0 : high == low + 1 ? 1 + low % 2 : 3, first, groups;
    sn_groups_of_phase(&c->split, phase, &first, &groups);
    return first + (phase == 0 ? low : phase < 3 ? low / 2 : 0);
}

static int note(const sn_contacts *c, sn_found_touch *out, int pair, const sn_touch *touch, int count) {
    if (count == 0) return 0;
    const sn_pair who = c->pairs[pair];
    sn_contacts_touch_body(c, who.a);
    if (who.b < c->proxies.count) sn_contacts_touch_body(c, who.b);
    for (int k = 0; k < count; ++k)
        out[k] = (sn_found_touch){.pair = pair,
                                  .which = k,
                                  .group = group_of(c, who),
                                  .alpha = touch[k].alpha,
                                  .beta = touch[k].beta,
                                  .distance = touch[k].distance,
                                  .normal = touch[k].normal};
    return count;
}

// A touch at the end a of a pill is one of the ball there, which the pill that ends at that node has too; its own touch with the
// same other is at least as deep. So the first is left out, unless there is no such pill.
static bool has_own_pill(const sn_contacts *c, int pill) {
    return c->proxies.pills[c->proxies.pills[pill].a].a >= 0;
}

static int once_a_node(const sn_contacts *c, int pill, sn_touch *touch, int count) {
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (touch[k].alpha > 0 || !has_own_pill(c, pill)) touch[kept++] = touch[k];
    return kept;
}

// The same for two pills of different bodies.
static int once_a_ball(const sn_contacts *c, sn_pair pair, sn_touch *touch, int count) {
    if (c->proxies.pills[pair.a].body == c->proxies.pills[pair.b].body) return count;
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if ((touch[k].alpha > 0 || !has_own_pill(c, pair.a)) && (touch[k].beta > 0 || !has_own_pill(c, pair.b)))
            touch[kept++] = touch[k];
    return kept;
}

static int touch_shape(const sn_contacts *c, int pill, const sn_shape_body *shape, sn_touch touch[2]) {
    sn_real moved = shape->moves ? sn_length(sn_sub(shape->until.position, shape->from.position)) : 0;
    int count = sn_shape_touches(shape, &shape->from, &c->pill_at[pill], c->room[pill] + moved, touch);
    return shape->kind == SN_SHAPE_PLANE ? once_a_node(c, pill, touch, count) : count;
}

// Pairs that may have come near are measured together, then looked at one by one.
static void search_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_touch_search *s = context;
    sn_contacts *c = s->contacts;
    const int pills = c->proxies.count, first = index * SN_TOUCH_CHUNK;
    const int end = first + SN_TOUCH_CHUNK < c->pair_count ? first + SN_TOUCH_CHUNK : c->pair_count;
    sn_found_touch *out = s->found + (size_t)index * 2 * SN_TOUCH_CHUNK;
    sn_real alpha[SN_TOUCH_CHUNK], beta[SN_TOUCH_CHUNK], distance[SN_TOUCH_CHUNK], nx[SN_TOUCH_CHUNK],
        ny[SN_TOUCH_CHUNK], nz[SN_TOUCH_CHUNK];
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    sn_pair near[SN_TOUCH_CHUNK];
    int number[SN_TOUCH_CHUNK], near_count = 0, count = 0;
    for (int i = first; i < end; ++i) {
        const sn_pair pair = c->pairs[i];
        if (pair.b >= pills) continue;
        c->apart[i] -= c->travel[pair.a] + c->travel[pair.b];
        if (c->apart[i] > c->room[pair.a] + c->room[pair.b]) continue;
        number[near_count] = i;
        near[near_count++] = pair;
    }
    if (near_count > 0) c->measure(c->pill_at, near, near_count, &rows);
    for (int k = 0; k < near_count; ++k) {
        const int a = near[k].a, b = near[k].b;
        sn_real margin = c->room[a] + c->room[b];
        c->apart[number[k]] = distance[k];
        if (distance[k] > margin) continue;
        sn_touch touch[2] = {
            {.alpha = alpha[k], .beta = beta[k], .distance = distance[k], .normal = {nx[k], ny[k], nz[k]}}};
        int touches = sn_pill_pill_more_touches(&c->pill_at[a], &c->pill_at[b], margin, touch);
        count += note(c, out + count, number[k], touch, once_a_ball(c, near[k], touch, touches));
    }
    for (int i = first; i < end; ++i) {
        const sn_pair pair = c->pairs[i];
        sn_touch touch[2];
        if (pair.b >= pills)
            count += note(c, out + count, i, touch, touch_shape(c, pair.a, &c->shapes[pair.b - pills], touch));
    }
    s->found_count[index] = count;
}

// ---- what a contact is

// Impacts slower than this, in m/s, do not bounce.
#define SLOWEST_BOUNCE ((sn_real)0.2)

// How the gap opens (negative: closes) in the substep if nothing stops it.
static sn_real opening(const sn_contacts *c, sn_contact_block *b, int i) {
    const sn_real weight[4] = {1 - b->alpha[i], b->alpha[i], b->beta[i] - 1, -b->beta[i]};
    sn_vec3 way = b->both ? sn_v3(0, 0, 0) : sn_mul(-1, get3(b->drift, i));
    for (int k = 0; k < (b->both ? 4 : 2); ++k) {
        const sn_node *n = &c->proxies.nodes[b->node[k][i]];
        way = sn_mul_add(way, weight[k], sn_sub(n->c, n->c0));
    }
    return sn_dot(way, get3(b->n, i));
}

static sn_real radius_at(const sn_pill *pill, sn_real t) {
    return (1 - t) * pill->ra + t * pill->rb;
}

static void fill(sn_contacts *c, const sn_found_touch *f) {
    sn_contact_block *b = &c->blocks[c->groups[f->group].first + f->place / SN_BLOCK];
    const int i = f->place % SN_BLOCK, pills = c->proxies.count, pill = c->pairs[f->pair].a,
              other = c->pairs[f->pair].b;
    const sn_touching *mine = &c->touching[c->proxies.pills[pill].surface];
    const sn_surface *theirs;
    int32_t nodes[4] = {0};
    int count = sn_contact_nodes(c, c->pairs[f->pair], nodes);
    for (int k = 0; k < count; ++k) {
        b->node[k][i] = nodes[k];
        b->slot[k][i] = sn_contacts_slot(c, nodes[k]);
        b->w[k][i] = c->proxies.nodes[nodes[k]].w;
    }
    b->memory[i] = 2 * f->pair + f->which;
    b->pill[0][i] = pill;
    b->alpha[i] = f->alpha, b->beta[i] = f->beta;
    b->start_gap[i] = f->distance;
    sn_vec3 normal = f->normal;
    sn_real radius = radius_at(&c->pill_at[pill], f->alpha);
    b->radius[0][i] = b->least[i] = radius;
    if (b->both) {
        const sn_touching *touching = &c->touching[c->proxies.pills[other].surface];
        theirs = &touching->surface;
        b->pill[1][i] = other, b->shape[i] = -1;
        b->radius[1][i] = radius_at(&c->pill_at[other], f->beta);
        b->least[i] = sn_min(radius, b->radius[1][i]);
    } else {
        const sn_shape_body *shape = &c->shapes[other - pills];
        theirs = &shape->surface;
        b->pill[1][i] = -1, b->shape[i] = other - pills;
        const sn_pill *at = &c->pill_at[pill];
        sn_vec3 before = sn_mul_add(sn_lerp(at->a, at->b, f->alpha), -(radius + f->distance), normal);
        sn_vec3 anchor = before;
        if (shape->moves) {
            anchor = sn_pose_point(&shape->until, sn_pose_local(&shape->from, before));
            normal = sn_q_rotate(shape->until.rotation, sn_q_rotate(sn_q_conj(shape->from.rotation), normal));
        }
        sn_block_put(b->anchor, i, anchor);
        sn_block_put(b->drift, i, sn_sub(anchor, before));
    }
    sn_block_put(b->n, i, normal);
    const sn_carried *carried = &c->carried[b->memory[i]];
    b->push[i] = carried->push;
    sn_block_put(b->drag, i, sn_mul_add(carried->drag, -sn_dot(carried->drag, normal), normal));
    b->stick[i] = sn_sqrt(mine->surface.friction_static * theirs->friction_static);
    b->slide[i] = sn_sqrt(mine->surface.friction_dynamic * theirs->friction_dynamic);
    b->compliance[i] = (mine->surface.compliance + theirs->compliance) / (c->h * c->h);
    sn_real floor = sn_min(f->distance, 0);
    b->goal[i] = floor;
    sn_real bounce = sn_max(mine->surface.restitution, theirs->restitution);
    if (bounce > 0) {
        sn_real way = opening(c, b, i);
        if (way < -SLOWEST_BOUNCE * c->h && f->distance + way < 0)
            b->goal[i] = sn_max(b->goal[i], f->distance - bounce * way);
    }
    b->bounce[i] = b->goal[i] - floor;
}

static void fill_chunk(void *context, int index, int worker) {
    (void)worker;
    const sn_touch_search *s = context;
    const sn_found_touch *f = s->found + (size_t)index * 2 * SN_TOUCH_CHUNK;
    for (int i = 0; i < s->found_count[index]; ++i) fill(s->contacts, &f[i]);
}

static sn_status arrange(sn_contacts *c) {
    const int chunks = (c->pair_count + SN_TOUCH_CHUNK - 1) / SN_TOUCH_CHUNK;
    sn_touch_search s = {.contacts = c};
    s.found = sn_arena_take(&c->arena, (size_t)chunks * 2 * SN_TOUCH_CHUNK + 1, sizeof *s.found);
    s.found_count = sn_arena_take(&c->arena, (size_t)chunks + 1, sizeof *s.found_count);
    if (!s.found || !s.found_count) return SN_ERR_MEMORY;
    sn_parallel_for(c->pool, chunks, 1, search_chunk, &s);
    sn_status status = sn_contacts_pack(c, &s, chunks);
    if (status == SN_OK) sn_parallel_for(c->pool, chunks, 1, fill_chunk, &s);
    return status;
}

sn_status sn_contacts_meet(sn_contacts *c) {
    for (int i = 0; i < c->touching_count; ++i) c->active[i] = false;
    sn_joints_touch(c);
    c->moved.count = c->row_count = c->block_count = 0;
    sn_parallel_for(c->pool, (c->proxies.count + SN_TOUCH_CHUNK - 1) / SN_TOUCH_CHUNK, 4, start_chunk, c);
    sn_status status = arrange(c);
    if (status != SN_OK) { // joints still work
        c->row_count = c->block_count = 0;
        sn_contacts_activate(c);
        for (int g = 0; g < SN_GROUPS; ++g) c->groups[g] = (sn_contact_group){0};
    }
    if (c->row_count > c->most_contacts) c->most_contacts = c->row_count;
    return status;
}

// ---- the same contacts, where the bodies have got to

// A normal that turned farther than this is another side of things: the contact then stays as it was at the start.
#define SAME_SIDE ((sn_real)0.5)

static void refresh_shape(sn_contacts *c, sn_contact_block *b, int i) {
    const sn_shape_body *shape = &c->shapes[b->shape[i]];
    if (shape->kind == SN_SHAPE_PLANE || shape->kind == SN_SHAPE_MESH) return; // flat: the normal stays
    const sn_pill *a = &c->pill_now[b->pill[0][i]];
    sn_touch touch[2];
    int count = sn_shape_touches(shape, &shape->until, a, a->ra + a->rb, touch);
    for (int k = 0; k < count; ++k) {
        sn_real aside = touch[k].alpha - b->alpha[i];
        if (sn_dot(touch[k].normal, get3(b->n, i)) < SAME_SIDE || aside * aside > (sn_real)0.0625) continue;
        b->alpha[i] = touch[k].alpha;
        sn_block_put(b->n, i, touch[k].normal);
        sn_real out = radius_at(a, touch[k].alpha) + touch[k].distance;
        sn_block_put(b->anchor, i, sn_mul_add(sn_lerp(a->a, a->b, touch[k].alpha), -out, touch[k].normal));
        return;
    }
}

static void refresh_pills(sn_contacts *c, sn_contact_block *b) {
    sn_pill pills[2 * SN_BLOCK];
    sn_pair pairs[SN_BLOCK];
    sn_block_row alpha, beta, distance, nx, ny, nz;
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    for (int i = 0; i < b->count; ++i) {
        const sn_pill *a = &c->pill_now[b->pill[0][i]];
        sn_pill *p = &pills[2 * i];
        pairs[i] = (sn_pair){2 * i, 2 * i + 1};
        p[0] = *a, p[1] = c->pill_now[b->pill[1][i]];
        if (b->memory[i] & 1) { // the second of two: its sphere of pill a stays, the nearest of pill b is found again
            p[0].a = p[0].b = sn_lerp(a->a, a->b, b->alpha[i]);
            p[0].ra = p[0].rb = radius_at(a, b->alpha[i]);
        }
    }
    c->measure(pills, pairs, b->count, &rows);
    for (int i = 0; i < b->count; ++i) {
        sn_vec3 normal = sn_v3(nx[i], ny[i], nz[i]);
        if (!(sn_dot(normal, get3(b->n, i)) >= SAME_SIDE)) continue;
        sn_block_put(b->n, i, normal);
        b->beta[i] = beta[i];
        if (!(b->memory[i] & 1)) b->alpha[i] = alpha[i];
    }
}

// How fast deep overlap may be opened by contacts, m/s.
#define CALM ((sn_real)1)

static void refresh_block(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    sn_contact_block *b = &c->blocks[index];
    if (b->both)
        refresh_pills(c, b);
    else
        for (int i = 0; i < b->count; ++i) refresh_shape(c, b, i);
    c->kernels->prepare(b, 1, &c->proxies, CALM * c->h);
}

void sn_contacts_refresh(sn_contacts *c) {
    sn_contacts_place_pills(c, c->pill_now, false);
    sn_parallel_for(c->pool, c->block_count, 4, refresh_block, c);
}

sn_real sn_contacts_depth(sn_contacts *c) {
    sn_real worst = 0;
    sn_contacts_place_pills(c, c->pill_at, false);
    for (int i = 0; i < c->pair_count; ++i) {
        int a = c->pairs[i].a, b = c->pairs[i].b;
        sn_touch touch[2];
        const sn_pill *p = &c->pill_at[a];
        sn_real least;
        int count;
        if (b < c->proxies.count) {
            touch[0] = sn_pill_pill(p, &c->pill_at[b]);
            least = sn_min(radius_at(p, touch[0].alpha), radius_at(&c->pill_at[b], touch[0].beta));
            count = 1;
        } else {
            const sn_shape_body *shape = &c->shapes[b - c->proxies.count];
            count = sn_shape_touches(shape, &shape->now, p, 0, touch);
            least = count ? radius_at(p, touch[0].alpha) : 1;
        }
        if (count && touch[0].distance < 0) worst = sn_max(worst, -touch[0].distance / least);
    }
    return worst;
}
