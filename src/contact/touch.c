// Touches: the contacts of a substep. Every pair is measured at the start of the substep, many at once; those that motion may close
// become contacts, up to two a pair so that pills lying along each other do not rock. A fast body is stopped by the plane it
// faces at the start (a speculative contact) and cannot tunnel.
//
// Contacts that share no node can be solved at the same time: by several workers, for which they are sorted into groups
// (contact.h), and in the lanes of a block (block.h), for which those of a group are packed in order, each into the first open
// block that has none of its nodes; those between pills first and those with shapes after, so that sweeps end with the ground. The order
// of everything is that of the pairs, so nothing depends on the number of workers or lanes.
#include "contact/contact.h"

enum { CHUNK = 128, OPEN_BLOCKS = 64 };

// A touch of a pair, before it has its place in a block.
typedef struct {
    int32_t pair, which;
    sn_real alpha, beta, distance;
    sn_vec3 normal;
    int32_t group, place; // place: block * SN_BLOCK + lane, within the group
} found_touch;

typedef struct {
    sn_contacts *contacts;
    found_touch *found;    // 2 * CHUNK a chunk
    int *found_count;      // by chunk
    found_touch **touches; // sorted by group
    uint64_t *used[SN_PHASES][2];
    unsigned char *lanes; // by touch: how many lanes the block of that number in its group has
    unsigned char *both;  // and whether it is of pills
} search;

static void put3(sn_block_row rows[3], int lane, sn_vec3 v) {
    rows[0][lane] = v.x, rows[1][lane] = v.y, rows[2][lane] = v.z;
}

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
    for (int i = index * CHUNK; i < c->proxies.count && i < (index + 1) * CHUNK; ++i)
        if (c->proxies.pills[i].a >= 0) p->at[i] = sn_proxy_pill(&c->proxies, i, p->start);
}

void sn_contacts_place_pills(sn_contacts *c, sn_pill *at, bool start) {
    placing p = {c, at, start};
    sn_parallel_for(c->pool, (c->proxies.count + CHUNK - 1) / CHUNK, 4, place_chunk, &p);
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
    for (int i = index * CHUNK; i < c->proxies.count && i < (index + 1) * CHUNK; ++i) {
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

static int note(const sn_contacts *c, found_touch *out, int pair, const sn_touch *touch, int count) {
    if (count == 0) return 0;
    const sn_pair who = c->pairs[pair];
    sn_contacts_touch_body(c, who.a);
    if (who.b < c->proxies.count) sn_contacts_touch_body(c, who.b);
    for (int k = 0; k < count; ++k)
        out[k] = (found_touch){.pair = pair,
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
    search *s = context;
    sn_contacts *c = s->contacts;
    const int pills = c->proxies.count, first = index * CHUNK;
    const int end = first + CHUNK < c->pair_count ? first + CHUNK : c->pair_count;
    found_touch *out = s->found + (size_t)index * 2 * CHUNK;
    sn_real alpha[CHUNK], beta[CHUNK], distance[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    sn_pair near[CHUNK];
    int number[CHUNK], near_count = 0, count = 0;
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

// ---- slabs

// A slab for so many pairs; and no slab is thinner than a long pill, as far as can be told.
#define PAIRS_A_SLAB 768

void sn_contacts_split(sn_contacts *c) {
    enum { BINS = 256 };
    int slabs = c->pair_count / PAIRS_A_SLAB;
    c->split = (sn_contact_split){0, slabs < 1 ? 1 : slabs > SN_SLABS ? SN_SLABS : slabs, {0}};
    if (c->split.slabs == 1) return;
    sn_vec3 low = sn_v3(0, 0, 0), high = low;
    sn_real longest = 0;
    for (int i = 0; i < c->pair_count; ++i) {
        const sn_pill *p = &c->pill_at[c->pairs[i].a];
        if (i == 0) low = high = p->b;
        low = sn_v3(sn_min(low.x, p->b.x), sn_min(low.y, p->b.y), sn_min(low.z, p->b.z));
        high = sn_v3(sn_max(high.x, p->b.x), sn_max(high.y, p->b.y), sn_max(high.z, p->b.z));
        longest = sn_max(longest, sn_length2(sn_sub(p->b, p->a)));
    }
    sn_vec3 size = sn_sub(high, low);
    c->split.axis = size.x >= size.y && size.x >= size.z ? 0 : size.z >= size.y ? 2 : 1;
    const sn_real start = (&low.x)[c->split.axis], length = (&size.x)[c->split.axis];
    if (!(length > 2 * sn_sqrt(longest)) || !sn_finite(length)) {
        c->split.slabs = 1;
        return;
    }
    int bins[BINS] = {0};
    const sn_real scale = BINS / length;
    for (int i = 0; i < c->pair_count; ++i) {
        sn_real x = (&c->pill_at[c->pairs[i].a].b.x)[c->split.axis];
        int bin = (int)((x - start) * scale);
        ++bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin];
    }
    int slab = 0, seen = 0;
    for (int k = 0; k < BINS && slab < c->split.slabs - 1; ++k) {
        seen += bins[k];
        while (slab < c->split.slabs - 1 && (int64_t)seen * c->split.slabs >= (int64_t)(slab + 1) * c->pair_count)
            c->split.edge[slab++] = start + (sn_real)(k + 1) / scale;
    }
    while (slab < c->split.slabs - 1) c->split.edge[slab++] = start + length;
}

// ---- their places

bool sn_contacts_make_room(sn_contacts *c) {
    const size_t nodes = (size_t)c->proxies.count, bodies = (size_t)c->touching_count;
    c->room = sn_arena_take(&c->arena, nodes, sizeof *c->room);
    c->travel = sn_arena_take(&c->arena, nodes, sizeof *c->travel);
    c->slab_low = sn_arena_take(&c->arena, nodes, 1);
    c->slab_high = sn_arena_take(&c->arena, nodes, 1);
    c->pill_now = sn_arena_take(&c->arena, nodes, sizeof *c->pill_now);
    c->body_end = sn_arena_take(&c->arena, bodies, sizeof *c->body_end);
    c->body_shift = sn_arena_take(&c->arena, bodies, sizeof *c->body_shift);
    c->active = sn_arena_take(&c->arena, bodies, sizeof *c->active);
    c->used = sn_arena_take(&c->arena, 2 * SN_PHASES * nodes, sizeof *c->used);
    sn_real *quads[3], *spins[3];
    bool good = c->room && c->travel && c->slab_low && c->slab_high && c->pill_now && c->body_end && c->body_shift &&
                c->active && c->used;
    for (int k = 0; k < 3; ++k) {
        quads[k] = sn_arena_take(&c->arena, nodes, 4 * sizeof(sn_real));
        spins[k] = sn_arena_take(&c->arena, nodes, sizeof(sn_real));
        good = good && quads[k] && spins[k];
    }
    if (!good) {
        c->body_shift = NULL;
        return false;
    }
    for (size_t i = 0; i < bodies; ++i) c->body_end[i] = 0, c->body_shift[i] = INT32_MIN;
    for (size_t i = 0; i < nodes; ++i) c->body_end[c->proxies.pills[i].body] = (int32_t)i + 1;
    for (size_t i = 1; i < bodies; ++i) // bodies without nodes
        if (c->body_end[i] < c->body_end[i - 1]) c->body_end[i] = c->body_end[i - 1];
    for (size_t i = 0; i < 2 * SN_PHASES * nodes; ++i) c->used[i] = 0; // packing leaves it so
    c->moved = (sn_displacements){quads[0], spins[0], quads[1], quads[2], spins[1], spins[2], 0};
    return true;
}

// Bodies that something touches get displacements for all their nodes.
void sn_contacts_activate(sn_contacts *c) {
    sn_displacements *d = &c->moved;
    d->count = 0;
    int node = 0;
    for (int body = 0; body < c->touching_count; ++body) {
        const int end = c->body_end[body];
        c->body_shift[body] = c->active[body] ? d->count - node : INT32_MIN;
        if (c->active[body]) d->count += end - node;
        node = end;
    }
}

static int nodes_of(const sn_contacts *c, sn_pair pair, int32_t nodes[4]) {
    const sn_node_pill *a = &c->proxies.pills[pair.a];
    nodes[0] = a->a, nodes[1] = a->b;
    if (pair.b >= c->proxies.count) return 2;
    const sn_node_pill *b = &c->proxies.pills[pair.b];
    nodes[2] = b->a, nodes[3] = b->b;
    return 4;
}

// Sorts the touches by group.
static sn_status sort_touches(sn_contacts *c, search *s, int chunks) {
    for (int g = 0; g < SN_GROUPS; ++g) c->groups[g] = (sn_contact_group){0};
    for (int k = 0; k < chunks; ++k) {
        const found_touch *f = s->found + (size_t)k * 2 * CHUNK;
        for (int i = 0; i < s->found_count[k]; ++i) ++c->groups[f[i].group].touch_count;
    }
    int at[SN_GROUPS], total = 0;
    for (int g = 0; g < SN_GROUPS; ++g) {
        at[g] = c->groups[g].first_touch = total;
        total += c->groups[g].touch_count;
    }
    c->row_count = total;
    s->touches = sn_arena_take(&c->arena, (size_t)total + 1, sizeof *s->touches);
    s->lanes = sn_arena_take(&c->arena, (size_t)total + 1, 1);
    s->both = sn_arena_take(&c->arena, (size_t)total + 1, 1);
    if (!s->touches || !s->lanes || !s->both) return SN_ERR_MEMORY;
    for (int k = 0; k < chunks; ++k) {
        found_touch *f = s->found + (size_t)k * 2 * CHUNK;
        for (int i = 0; i < s->found_count[k]; ++i, ++f) s->touches[at[f->group]++] = f;
    }
    return SN_OK;
}

// Blocks that still have a lane free: their number in the group and the nodes they have, one bit of 'used' each.
typedef struct {
    int number[OPEN_BLOCKS];
    int32_t nodes[OPEN_BLOCKS][4 * SN_BLOCK];
    int node_count[OPEN_BLOCKS];
} open_blocks;

static void close_block(open_blocks *open, uint64_t *used, int k) {
    for (int i = 0; i < open->node_count[k]; ++i) used[open->nodes[k][i]] &= ~((uint64_t)1 << k);
    open->node_count[k] = 0;
    open->number[k] = -1;
}

// Packs the touches of pills, or those with shapes, of a group into blocks, from number 'first' on; returns how many there are then.
static int pack(const search *s, const sn_contact_group *group, uint64_t *used, bool both, int first) {
    const sn_contacts *c = s->contacts;
    open_blocks open;
    for (int k = 0; k < OPEN_BLOCKS; ++k) open.number[k] = -1, open.node_count[k] = 0;
    found_touch **touches = s->touches + group->first_touch;
    unsigned char *lanes = s->lanes + group->first_touch, *is_both = s->both + group->first_touch;
    for (int i = 0; i < group->touch_count; ++i) {
        found_touch *f = touches[i];
        int32_t nodes[4];
        const int count = nodes_of(c, c->pairs[f->pair], nodes);
        if ((count == 4) != both) continue;
        uint64_t taken = 0;
        for (int k = 0; k < count; ++k) taken |= used[nodes[k]];
        if (!~taken) { // every open block has one of its nodes: a block of its own
            lanes[first] = 1, is_both[first] = both;
            f->place = SN_BLOCK * first++;
            continue;
        }
        const int pick = __builtin_ctzll(~taken);
        if (open.number[pick] < 0) {
            lanes[first] = 0, is_both[first] = both;
            open.number[pick] = first++;
        }
        const int number = open.number[pick];
        f->place = SN_BLOCK * number + lanes[number]++;
        for (int k = 0; k < count; ++k) {
            used[nodes[k]] |= (uint64_t)1 << pick;
            open.nodes[pick][open.node_count[pick]++] = nodes[k];
        }
        if (lanes[number] == SN_BLOCK) close_block(&open, used, pick);
    }
    for (int k = 0; k < OPEN_BLOCKS; ++k) close_block(&open, used, k);
    return first;
}

static int phase_of(const sn_contact_split *split, int group) {
    int phase = SN_PHASES - 1, first, count;
    for (; phase > 0; --phase) {
        sn_groups_of_phase(split, phase, &first, &count);
        if (group >= first) break;
    }
    return phase;
}

static void pack_group(void *context, int index, int worker) {
    (void)worker;
    const search *s = context;
    sn_contact_group *group = &s->contacts->groups[index];
    if (group->touch_count == 0) return;
    const int phase = phase_of(&s->contacts->split, index);
    group->count = pack(s, group, s->used[phase][0], true, 0);
    group->count = pack(s, group, s->used[phase][1], false, group->count);
}

// Lanes without a contact are computed along, and never written: they need numbers that are there, and nothing to do.
static void begin_block(sn_contact_block *b, int lanes, bool both) {
    b->count = lanes;
    b->both = both;
    for (int i = lanes; i < SN_BLOCK; ++i) {
        for (int k = 0; k < 4; ++k) b->node[k][i] = b->slot[k][i] = 0;
        b->pill[0][i] = b->pill[1][i] = 0;
        b->push[i] = b->start_gap[i] = b->least[i] = 0;
        put3(b->n, i, sn_v3(0, 0, 0));
    }
}

static sn_status make_blocks(sn_contacts *c, const search *s) {
    int blocks = 0;
    for (int g = 0; g < SN_GROUPS; ++g) {
        c->groups[g].first = blocks;
        blocks += c->groups[g].count;
    }
    if (blocks > c->block_capacity) { // with room, or every substep of a fall would take anew
        c->block_capacity = blocks + blocks / 4 + 16;
        c->blocks = sn_arena_take(&c->arena, (size_t)c->block_capacity, sizeof *c->blocks);
        if (!c->blocks) {
            c->block_capacity = 0;
            return SN_ERR_MEMORY;
        }
    }
    for (int g = 0; g < SN_GROUPS; ++g) {
        const sn_contact_group *group = &c->groups[g];
        for (int i = 0; i < group->count; ++i) {
            int at = group->first_touch + i;
            begin_block(&c->blocks[group->first + i], s->lanes[at], s->both[at]);
        }
    }
    c->block_count = blocks;
    return SN_OK;
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

static void fill(sn_contacts *c, const found_touch *f) {
    sn_contact_block *b = &c->blocks[c->groups[f->group].first + f->place / SN_BLOCK];
    const int i = f->place % SN_BLOCK, pills = c->proxies.count, pill = c->pairs[f->pair].a,
              other = c->pairs[f->pair].b;
    const sn_touching *mine = &c->touching[c->proxies.pills[pill].surface];
    const sn_surface *theirs;
    int32_t nodes[4] = {0};
    int count = nodes_of(c, c->pairs[f->pair], nodes);
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
        put3(b->anchor, i, anchor);
        put3(b->drift, i, sn_sub(anchor, before));
    }
    put3(b->n, i, normal);
    const sn_carried *carried = &c->carried[b->memory[i]];
    b->push[i] = carried->push;
    put3(b->drag, i, sn_mul_add(carried->drag, -sn_dot(carried->drag, normal), normal));
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
    const search *s = context;
    const found_touch *f = s->found + (size_t)index * 2 * CHUNK;
    for (int i = 0; i < s->found_count[index]; ++i) fill(s->contacts, &f[i]);
}

static sn_status arrange(sn_contacts *c) {
    const int chunks = (c->pair_count + CHUNK - 1) / CHUNK;
    search s = {.contacts = c};
    s.found = sn_arena_take(&c->arena, (size_t)chunks * 2 * CHUNK + 1, sizeof *s.found);
    s.found_count = sn_arena_take(&c->arena, (size_t)chunks + 1, sizeof *s.found_count);
    if (!s.found || !s.found_count) return SN_ERR_MEMORY;
    for (int phase = 0; phase < SN_PHASES; ++phase)
        for (int k = 0; k < 2; ++k) s.used[phase][k] = c->used + (size_t)(2 * phase + k) * (size_t)c->proxies.count;
    sn_parallel_for(c->pool, chunks, 1, search_chunk, &s);
    sn_contacts_activate(c);
    sn_status status = sort_touches(c, &s, chunks);
    if (status != SN_OK) return status;
    sn_parallel_for(c->pool, SN_GROUPS, 1, pack_group, &s);
    status = make_blocks(c, &s);
    if (status == SN_OK) sn_parallel_for(c->pool, chunks, 1, fill_chunk, &s);
    return status;
}

sn_status sn_contacts_meet(sn_contacts *c) {
    for (int i = 0; i < c->touching_count; ++i) c->active[i] = false;
    sn_joints_touch(c);
    c->moved.count = c->row_count = c->block_count = 0;
    sn_parallel_for(c->pool, (c->proxies.count + CHUNK - 1) / CHUNK, 4, start_chunk, c);
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
        put3(b->n, i, touch[k].normal);
        sn_real out = radius_at(a, touch[k].alpha) + touch[k].distance;
        put3(b->anchor, i, sn_mul_add(sn_lerp(a->a, a->b, touch[k].alpha), -out, touch[k].normal));
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
        put3(b->n, i, normal);
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
