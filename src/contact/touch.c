// Touches: the contacts of a substep. Every pair is measured at the start of the substep, many at once; those that motion may close
// become contacts, up to two a pair so that pills lying along each other do not rock. The normal and the weights then stay for the
// substep: a fast body is stopped by the plane it faces at the start (a speculative contact) and cannot tunnel.
//
// Contacts that share no node can be solved at the same time. A greedy colouring in the order of the pairs splits them into such sets;
// the order of everything is that of the pairs, so nothing depends on the number of workers.
#include "contact/contact.h"
#include "shape/pill_batch.h"
#include <string.h>

enum { CHUNK = 128, COLOURS = 62 };

typedef struct {
    sn_contacts *contacts;
    sn_contact_row *found; // 2 * CHUNK a chunk
    int *found_count;      // by chunk
    sn_pill_pairs_fn *measure;
} search;

void sn_contacts_place_pills(sn_contacts *c, bool start) {
    for (int i = 0; i < c->proxies.count; ++i)
        if (c->proxies.pills[i].a >= 0) c->pill_at[i] = sn_proxy_pill(&c->proxies, i, start);
}

// How far the ends of a pill go in this substep.
static sn_real motion(const sn_contacts *c, int pill) {
    const sn_node *a = &c->proxies.nodes[c->proxies.pills[pill].a], *b = &c->proxies.nodes[c->proxies.pills[pill].b];
    return sn_sqrt(sn_max(sn_length2(sn_sub(a->c, a->c0)), sn_length2(sn_sub(b->c, b->c0)))) + c->fall;
}

// The same with some room, so that a contact is there before it is needed.
static sn_real room(const sn_contacts *c, int pill) {
    const sn_pill *p = &c->pill_at[pill];
    return motion(c, pill) + (sn_real)0.02 * sn_max(p->ra, p->rb);
}

static void fill_side(sn_contacts *c, sn_contact_row *row, int side, int pill, sn_real t) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    const sn_node *a = &c->proxies.nodes[p->a], *b = &c->proxies.nodes[p->b];
    row->node[2 * side] = p->a, row->node[2 * side + 1] = p->b;
    const sn_real w[2] = {1 - t, t};
    row->weight[2 * side] = w[0], row->weight[2 * side + 1] = w[1];
    row->radius[side] = w[0] * a->s * a->radius + w[1] * b->s * b->radius;
    row->yield_c += a->w * w[0] * w[0] + b->w * w[1] * w[1];
    row->yield += a->ws * w[0] * w[0] * a->radius * a->radius + b->ws * w[1] * w[1] * b->radius * b->radius;
}

static void mix_surfaces(const sn_contacts *c, sn_contact_row *row, const sn_surface *a, const sn_surface *b) {
    row->stick = sn_sqrt(a->friction_static * b->friction_static);
    row->slide = sn_sqrt(a->friction_dynamic * b->friction_dynamic);
    row->compliance = (a->compliance + b->compliance) / (c->h * c->h);
}

// Speed at which the gap opens (negative: closes) if nothing stops it, times h.
static sn_real closing(const sn_contacts *c, const sn_contact_row *row) {
    sn_vec3 way = sn_mul(-1, row->drift);
    for (int k = 0; k < (row->shape < 0 ? 4 : 2); ++k) {
        const sn_node *n = &c->proxies.nodes[row->node[k]];
        way = sn_mul_add(way, k < 2 ? row->weight[k] : -row->weight[k], sn_sub(n->c, n->c0));
    }
    return sn_dot(way, row->normal);
}

// Impacts slower than this, in m/s, do not bounce.
#define SLOWEST_BOUNCE ((sn_real)0.2)

static bool make_row(sn_contacts *c, int pair, int which, const sn_touch *touch, sn_contact_row *row) {
    const int pills = c->proxies.count, a = c->pairs[pair].a, other = c->pairs[pair].b;
    memset(row, 0, sizeof *row);
    row->memory = 2 * pair + which;
    row->stiff = c->touching[c->proxies.pills[a].surface].stiff ||
                 (other < pills && c->touching[c->proxies.pills[other].surface].stiff);
    if (!row->stiff) row->push = c->pair_push[row->memory];
    row->pill_a = a, row->pill_b = other < pills ? other : -1, row->shape = other < pills ? -1 : other - pills;
    row->normal = touch->normal;
    row->gap = touch->distance;
    fill_side(c, row, 0, a, touch->alpha);
    const sn_surface *mine = &c->touching[c->proxies.pills[a].surface].surface, *theirs;
    if (row->shape < 0) {
        theirs = &c->touching[c->proxies.pills[other].surface].surface;
        fill_side(c, row, 1, other, touch->beta);
    } else {
        const sn_shape_body *shape = &c->shapes[row->shape];
        theirs = &shape->surface;
        const sn_node *x = &c->proxies.nodes[row->node[0]], *y = &c->proxies.nodes[row->node[1]];
        sn_vec3 centre = sn_lerp(x->c0, y->c0, touch->alpha);
        sn_vec3 before = sn_mul_add(centre, -(row->radius[0] + touch->distance), touch->normal);
        row->anchor = sn_pose_point(&shape->until, sn_pose_local(&shape->from, before));
        row->drift = sn_sub(row->anchor, before);
        row->normal = sn_q_rotate(shape->until.rotation, sn_q_rotate(sn_q_conj(shape->from.rotation), touch->normal));
    }
    row->yield += row->yield_c;
    if (!(row->yield > 0)) return false; // nothing can give way
    mix_surfaces(c, row, mine, theirs);
    row->goal = sn_min(row->gap + (row->stiff ? sn_contact_take_back(c, row) : 0), 0);
    sn_real bounce = sn_max(mine->restitution, theirs->restitution), speed = closing(c, row);
    if (bounce > 0 && speed < -SLOWEST_BOUNCE * c->h && row->gap + speed < 0)
        row->goal = sn_max(row->goal, row->gap - bounce * speed);
    return true;
}

// Batches of pill pairs: measured together, then looked at one by one.
static void search_chunk(void *context, int index, int worker) {
    (void)worker;
    search *s = context;
    sn_contacts *c = s->contacts;
    const int pills = c->proxies.count, first = index * CHUNK;
    const int end = first + CHUNK < c->pair_count ? first + CHUNK : c->pair_count;
    sn_contact_row *out = s->found + (size_t)index * 2 * CHUNK;
    sn_real alpha[CHUNK], beta[CHUNK], distance[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    sn_pill_rows rows = {alpha, beta, distance, nx, ny, nz};
    int count = 0;
    for (int i = first; i < end;) {
        int run = i; // pairs with shapes may stand among those of pills
        while (run < end && c->pairs[run].b < pills) ++run;
        if (run > i) s->measure(c->pill_at, c->pairs + i, run - i, &rows);
        for (int k = i; k < run; ++k) {
            int a = c->pairs[k].a, b = c->pairs[k].b;
            sn_real margin = room(c, a) + room(c, b);
            if (distance[k - i] > margin) continue;
            sn_touch touch[2];
            int touches = sn_pill_pill_touches(&c->pill_at[a], &c->pill_at[b], margin, touch);
            for (int t = 0; t < touches; ++t) count += make_row(c, k, t, &touch[t], &out[count]);
        }
        for (i = run; i < end && c->pairs[i].b >= pills; ++i) {
            int a = c->pairs[i].a, b = c->pairs[i].b;
            const sn_shape_body *shape = &c->shapes[b - pills];
            sn_touch touch[2];
            sn_real moved = sn_length(sn_sub(shape->until.position, shape->from.position));
            int touches = sn_shape_touches(shape, &shape->from, &c->pill_at[a], room(c, a) + moved, touch);
            for (int t = 0; t < touches; ++t) count += make_row(c, i, t, &touch[t], &out[count]);
        }
    }
    s->found_count[index] = count;
}

// Gives every contact the first colour that none of its nodes has; the last colour takes what is left and is solved in order.
static sn_status colour(sn_contacts *c, const search *s, int chunks) {
    uint64_t *used = sn_arena_take(&c->arena, (size_t)c->proxies.count, sizeof *used);
    int total = 0;
    for (int k = 0; k < chunks; ++k) total += s->found_count[k];
    unsigned char *chosen = sn_arena_take(&c->arena, (size_t)total + 1, 1);
    c->rows = sn_arena_take(&c->arena, (size_t)total + 1, sizeof *c->rows);
    c->colour_first = sn_arena_take(&c->arena, COLOURS + 2, sizeof *c->colour_first);
    c->row_count = 0, c->colour_count = 0;
    if (!used || !chosen || !c->rows || !c->colour_first) return SN_ERR_MEMORY;
    memset(used, 0, (size_t)c->proxies.count * sizeof *used);
    int size[COLOURS + 1] = {0}, n = 0;
    for (int k = 0; k < chunks; ++k) {
        const sn_contact_row *row = s->found + (size_t)k * 2 * CHUNK;
        for (int i = 0; i < s->found_count[k]; ++i, ++row, ++n) {
            int nodes = row->shape < 0 ? 4 : 2, pick = 0;
            uint64_t taken = 0;
            for (int m = 0; m < nodes; ++m) taken |= used[row->node[m]];
            pick = ~taken ? __builtin_ctzll(~taken) : COLOURS;
            if (pick > COLOURS) pick = COLOURS;
            for (int m = 0; m < nodes && pick < COLOURS; ++m) used[row->node[m]] |= (uint64_t)1 << pick;
            chosen[n] = (unsigned char)pick;
            ++size[pick];
            if (pick >= c->colour_count) c->colour_count = pick + 1;
        }
    }
    int at[COLOURS + 1];
    for (int k = 0, sum = 0; k <= COLOURS; ++k) {
        at[k] = sum;
        if (k <= c->colour_count) c->colour_first[k] = sum;
        sum += size[k];
    }
    c->colour_first[c->colour_count] = total;
    n = 0;
    for (int k = 0; k < chunks; ++k)
        for (int i = 0; i < s->found_count[k]; ++i, ++n)
            c->rows[at[chosen[n]]++] = s->found[(size_t)k * 2 * CHUNK + (size_t)i];
    c->row_count = total;
    return SN_OK;
}

sn_status sn_contacts_meet(sn_contacts *c) {
    sn_contacts_place_pills(c, true);
    const int chunks = (c->pair_count + CHUNK - 1) / CHUNK;
    search s = {c, NULL, NULL, sn_pill_pairs_for(c->lanes)};
    s.found = sn_arena_take(&c->arena, (size_t)chunks * 2 * CHUNK, sizeof *s.found);
    s.found_count = sn_arena_take(&c->arena, (size_t)chunks + 1, sizeof *s.found_count);
    c->row_count = c->colour_count = 0;
    if (!s.found || !s.found_count) return SN_ERR_MEMORY;
    sn_parallel_for(c->pool, chunks, 1, search_chunk, &s);
    sn_status status = colour(c, &s, chunks);
    if (c->row_count > c->most_contacts) c->most_contacts = c->row_count;
    return status;
}

// ---- the same contacts, where the bodies have got to

// A normal that turned farther than this is another side of things: the contact then stays as it was at the start.
#define SAME_SIDE ((sn_real)0.5)

static void refresh_sides(sn_contacts *c, sn_contact_row *row, sn_real alpha, sn_real beta, sn_vec3 normal) {
    row->yield = row->yield_c = 0;
    fill_side(c, row, 0, row->pill_a, alpha);
    if (row->shape < 0) fill_side(c, row, 1, row->pill_b, beta);
    row->yield += row->yield_c;
    row->normal = normal;
}

static void refresh_row(sn_contacts *c, sn_contact_row *row) {
    sn_pill a = sn_proxy_pill(&c->proxies, row->pill_a, false);
    if (row->shape >= 0) {
        const sn_shape_body *shape = &c->shapes[row->shape];
        if (shape->kind == SN_SHAPE_PLANE || shape->kind == SN_SHAPE_MESH) return; // flat: the normal stays
        sn_touch touch[2];
        int count = sn_shape_touches(shape, &shape->until, &a, a.ra + a.rb, touch);
        for (int k = 0; k < count; ++k) {
            sn_real side = touch[k].alpha - row->weight[1];
            if (sn_dot(touch[k].normal, row->normal) < SAME_SIDE || side * side > (sn_real)0.0625) continue;
            refresh_sides(c, row, touch[k].alpha, 0, touch[k].normal);
            sn_vec3 centre = sn_lerp(a.a, a.b, touch[k].alpha);
            row->anchor = sn_mul_add(centre, -(row->radius[0] + touch[k].distance), touch[k].normal);
            return;
        }
        return;
    }
    sn_pill b = sn_proxy_pill(&c->proxies, row->pill_b, false);
    sn_touch touch;
    if (row->memory & 1) { // the second of two: its sphere of pill a stays, the nearest of pill b is found again
        sn_real alpha = row->weight[1];
        sn_pill ball = {sn_lerp(a.a, a.b, alpha), sn_lerp(a.a, a.b, alpha), row->radius[0], row->radius[0]};
        touch = sn_pill_pill(&ball, &b);
        touch.alpha = alpha;
    } else
        touch = sn_pill_pill(&a, &b);
    if (sn_dot(touch.normal, row->normal) >= SAME_SIDE) refresh_sides(c, row, touch.alpha, touch.beta, touch.normal);
}

static void refresh_chunk(void *context, int index, int worker) {
    (void)worker;
    sn_contacts *c = context;
    for (int i = index * CHUNK; i < c->row_count && i < (index + 1) * CHUNK; ++i) refresh_row(c, &c->rows[i]);
}

void sn_contacts_refresh(sn_contacts *c) {
    sn_parallel_for(c->pool, (c->row_count + CHUNK - 1) / CHUNK, 1, refresh_chunk, c);
}

sn_real sn_contacts_depth(sn_contacts *c) {
    sn_real worst = 0;
    sn_contacts_place_pills(c, false);
    for (int i = 0; i < c->pair_count; ++i) {
        int a = c->pairs[i].a, b = c->pairs[i].b;
        sn_touch touch[2];
        const sn_pill *p = &c->pill_at[a];
        sn_real least;
        int count;
        if (b < c->proxies.count) {
            touch[0] = sn_pill_pill(p, &c->pill_at[b]);
            const sn_pill *q = &c->pill_at[b];
            sn_real ra = p->ra + touch[0].alpha * (p->rb - p->ra), rb = q->ra + touch[0].beta * (q->rb - q->ra);
            least = sn_min(ra, rb);
            count = 1;
        } else {
            const sn_shape_body *shape = &c->shapes[b - c->proxies.count];
            count = sn_shape_touches(shape, &shape->now, p, 0, touch);
            least = count ? p->ra + touch[0].alpha * (p->rb - p->ra) : 1;
        }
        if (count && touch[0].distance < 0) worst = sn_max(worst, -touch[0].distance / least);
    }
    return worst;
}
