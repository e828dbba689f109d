// Packing: the order in which contacts are solved.
//
// Contacts that share no node can be solved by several workers at the same time: they are sorted into groups by strips of space
// (contact.h). Those of a group go into blocks (block.h) in their order, those between pills first and those with colliders after.
// Kernels add the forces of a block contact by contact, so its contacts may share nodes. The order of everything is that of the
// pairs, so nothing depends on the number of workers or lanes.
#include "couplings/contact/contact_pack.h"

// ---- slabs

// A slab for so many pairs; and no slab is thinner than a long pill, as far as can be told.
#define PAIRS_A_SLAB 768

// A corner of an element; the square of its length, if that is longer than what was known.
static sn_vec3 place_of(const sn_contacts *c, int element, sn_real *longest) {
    if (sn_is_slab(c, element)) {
        const sn_slab *s = &c->slab_at[element - c->proxies.count];
        for (int k = 0; k < 3; k++) *longest = sn_max(*longest, sn_length2(sn_sub(s->c[(k + 1) % 3], s->c[k])));
        return s->c[0];
    }
    const sn_pill *p = &c->pill_at[element];
    *longest = sn_max(*longest, sn_length2(sn_sub(p->b, p->a)));
    return p->b;
}

void sn_contacts_split(sn_contacts *c) {
    enum { BINS = 256 };
    int slabs = c->pair_count / PAIRS_A_SLAB;
    c->split = (sn_contact_split){0, slabs < 1 ? 1 : slabs > SN_STRIPS ? SN_STRIPS : slabs, {0}};
    if (c->split.strips == 1) return;
    sn_vec3 low = sn_v3(0, 0, 0), high = low;
    sn_real longest = 0;
    for (int i = 0; i < c->pair_count; i++) {
        const sn_vec3 p = place_of(c, c->pairs[i].a, &longest);
        if (i == 0) low = high = p;
        low = sn_v3(sn_min(low.x, p.x), sn_min(low.y, p.y), sn_min(low.z, p.z));
        high = sn_v3(sn_max(high.x, p.x), sn_max(high.y, p.y), sn_max(high.z, p.z));
    }
    sn_vec3 size = sn_sub(high, low);
    c->split.axis = size.x >= size.y && size.x >= size.z ? 0 : size.z >= size.y ? 2 : 1;
    const sn_real start = sn_along(low, c->split.axis), length = sn_along(size, c->split.axis);
    if (!(length > 2 * sn_sqrt(longest)) || !sn_finite(length)) {
        c->split.strips = 1;
        return;
    }
    int bins[BINS] = {0};
    const sn_real scale = BINS / length;
    for (int i = 0; i < c->pair_count; i++) {
        const sn_vec3 p = place_of(c, c->pairs[i].a, &longest);
        sn_real x = sn_along(p, c->split.axis);
        int bin = (int)((x - start) * scale);
        bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
    }
    int slab = 0, seen = 0;
    for (int k = 0; k < BINS && slab < c->split.strips - 1; k++) {
        seen += bins[k];
        while (slab < c->split.strips - 1 && (int64_t)seen * c->split.strips >= (int64_t)(slab + 1) * c->pair_count)
            c->split.edge[slab++] = start + (sn_real)(k + 1) / scale;
    }
    while (slab < c->split.strips - 1) c->split.edge[slab++] = start + length;
}

// ---- their places

bool sn_contacts_reserve(sn_contacts *c) {
    const size_t nodes = (size_t)c->proxies.count, bodies = (size_t)c->body_count;
    const size_t elements = (size_t)c->elements;
    c->margin = sn_arena_alloc(&c->arena, elements, sizeof *c->margin);
    c->element_motion = sn_arena_alloc(&c->arena, elements, sizeof *c->element_motion);
    c->element_unrest = sn_arena_alloc(&c->arena, elements, sizeof *c->element_unrest);
    c->slack = sn_arena_alloc(&c->arena, elements, sizeof *c->slack);
    c->travel = sn_arena_alloc(&c->arena, elements, sizeof *c->travel);
    c->strip_low = sn_arena_alloc(&c->arena, elements, 1);
    c->strip_high = sn_arena_alloc(&c->arena, elements, 1);
    c->slab_now = sn_arena_alloc(&c->arena, elements - nodes + 1, sizeof *c->slab_now);
    const size_t relative = elements;
    c->motion = sn_arena_alloc(&c->arena, relative, sizeof *c->motion);
    c->previous_motion = sn_arena_alloc(&c->arena, relative, sizeof *c->previous_motion);
    c->deviation = sn_arena_alloc(&c->arena, relative, sizeof *c->deviation);
    c->previous_deviation = sn_arena_alloc(&c->arena, relative, sizeof *c->previous_deviation);
    c->swing = sn_arena_alloc(&c->arena, relative, sizeof *c->swing);
    c->pill_now = sn_arena_alloc(&c->arena, nodes, sizeof *c->pill_now);
    c->body_end = sn_arena_alloc(&c->arena, bodies, sizeof *c->body_end);
    c->body_shift = sn_arena_alloc(&c->arena, bodies, sizeof *c->body_shift);
    c->active = sn_arena_alloc(&c->arena, bodies, sizeof *c->active);
    c->deep_count = sn_arena_alloc(&c->arena, bodies + 1, sizeof *c->deep_count);
    c->inverse_mass = sn_arena_alloc(&c->arena, bodies, sizeof *c->inverse_mass);
    c->heaviest = sn_arena_alloc(&c->arena, bodies, sizeof *c->heaviest);
    c->body_motion = sn_arena_alloc(&c->arena, bodies, sizeof *c->body_motion);
    c->unrest = sn_arena_alloc(&c->arena, bodies, sizeof *c->unrest);
    c->zero_share = sn_arena_alloc(&c->arena, bodies + 1, sizeof *c->zero_share);
    c->iterating_alpha = sn_arena_alloc(&c->arena, bodies + 1, sizeof *c->iterating_alpha);
    const bool good = c->swing && c->motion && c->previous_motion && c->deviation && c->previous_deviation &&
                      c->slab_now && c->margin && c->slack && c->element_motion && c->element_unrest && c->travel &&
                      c->strip_low && c->strip_high && c->pill_now && c->body_end && c->body_shift && c->active &&
                      c->inverse_mass && c->heaviest && c->zero_share && c->body_motion && c->unrest &&
                      c->iterating_alpha;
    if (!good) {
        c->body_shift = NULL;
        return false;
    }
    for (size_t i = 0; i < bodies; i++) c->body_end[i] = 0, c->body_shift[i] = INT32_MIN;
    for (size_t i = 0; i < nodes; i++) c->body_end[c->proxies.pills[i].body] = (int32_t)i + 1;
    for (size_t i = 1; i < bodies; i++) // bodies without nodes
        if (c->body_end[i] < c->body_end[i - 1]) c->body_end[i] = c->body_end[i - 1];
    c->slots = 0;
    for (size_t i = 0; i < bodies; i++) c->inverse_mass[i] = 0;
    for (size_t i = 0; i < nodes; i++)
        if (c->proxies.nodes[i].w > 0) c->inverse_mass[c->proxies.pills[i].body] += 1 / c->proxies.nodes[i].w;
    for (size_t i = 0; i < bodies; i++) c->inverse_mass[i] = c->inverse_mass[i] > 0 ? 1 / c->inverse_mass[i] : 0;
    return true;
}

// Bodies that something touches get displacements for all their nodes.
void sn_contacts_activate(sn_contacts *c) {
    c->slots = 0;
    int node = 0;
    for (int body = 0; body < c->body_count; body++) {
        const int end = c->body_end[body];
        c->body_shift[body] = c->active[body] ? c->slots - node : INT32_MIN;
        if (c->active[body]) c->slots += end - node;
        node = end;
    }
}

sn_contact_form sn_contact_form_of(const sn_contacts *c, const sn_found_contact *contact) {
    const sn_pair pair = c->pairs[contact->pair];
    const bool third_a = sn_element_third(c, pair.a);
    if (pair.b >= c->elements) return third_a ? SN_SLAB_COLLIDER : SN_PILL_COLLIDER;
    return third_a ? SN_SLAB_SLAB : sn_element_third(c, pair.b) ? SN_PILL_SLAB : SN_PILL_PILL;
}

// With fewer contacts than this all take part from the start: none waits until it comes near.
enum { FEW = 1000 };

// Sorts the contacts by group.
static sn_status sort_contacts(sn_contacts *c, sn_contact_search *s, int chunks) {
    for (int g = 0; g < SN_GROUPS; g++) c->groups[g] = (sn_contact_group){0};
    for (int k = 0; k < chunks; k++) {
        const sn_found_contact *f = s->found + (size_t)k * SN_FEATURES * SN_CONTACT_CHUNK;
        for (int i = 0; i < s->found_count[k]; i++) ++c->groups[f[i].group].contact_count;
    }
    int at[SN_GROUPS], total = 0;
    for (int g = 0; g < SN_GROUPS; g++) {
        at[g] = c->groups[g].first_contact = total;
        total += c->groups[g].contact_count;
    }
    c->row_count = total;
    const bool none_waits = total < FEW;
    s->sorted = sn_arena_alloc(&c->arena, (size_t)total + 1, sizeof *s->sorted);
    s->lanes = sn_arena_alloc(&c->arena, (size_t)total + 1, 1);
    s->form = sn_arena_alloc(&c->arena, (size_t)total + 1, 1);
    if (!s->sorted || !s->lanes || !s->form) return SN_ERR_MEMORY;
    for (int k = 0; k < chunks; k++) {
        sn_found_contact *f = s->found + (size_t)k * SN_FEATURES * SN_CONTACT_CHUNK;
        for (int i = 0; i < s->found_count[k]; i++, f++) {
            if (none_waits) f->far = false;
            s->sorted[at[f->group]++] = f;
        }
    }
    return SN_OK;
}

// Puts the contacts of a form, of a group, into blocks, from number 'first' on; returns how many there are then.
static int pack(const sn_contact_search *s, const sn_contact_group *group, sn_contact_form form, bool far, int first) {
    sn_found_contact **contact = s->sorted + group->first_contact;
    unsigned char *lanes = s->lanes + group->first_contact, *forms = s->form + group->first_contact;
    int place = SN_BLOCK * first;
    for (int i = 0; i < group->contact_count; i++) {
        sn_found_contact *f = contact[i];
        if (f->far != far || sn_contact_form_of(s->contacts, f) != form) continue;
        f->place = place++;
        lanes[f->place / SN_BLOCK] = (unsigned char)(f->place % SN_BLOCK + 1);
        forms[f->place / SN_BLOCK] = (unsigned char)form;
    }
    return (place + SN_BLOCK - 1) / SN_BLOCK;
}

static void pack_group(void *context, int index, int worker) {
    (void)worker;
    const sn_contact_search *s = context;
    sn_contact_group *group = &s->contacts->groups[index];
    if (group->contact_count == 0) return;
    static const sn_contact_form order[] = {SN_PILL_PILL, SN_PILL_SLAB, SN_SLAB_SLAB, SN_PILL_COLLIDER,
                                            SN_SLAB_COLLIDER};
    const bool slabs = s->contacts->proxies.slab_count > 0;
    for (int k = 0; k < SN_CONTACT_FORM_COUNT; k++)
        if (slabs || order[k] == SN_PILL_PILL || order[k] == SN_PILL_COLLIDER)
            for (int far = 0; far < 2; far++) group->count = pack(s, group, order[k], far, group->count);
}

// Lanes without a contact are computed along, and never written: they need numbers that are there, and nothing to do.
static void begin_block(sn_contact_block *b, int lanes, sn_contact_form form) {
    b->count = lanes;
    b->far = false;
    b->form = form;
    for (int i = lanes; i < SN_BLOCK; i++) {
        for (int k = 0; k < 4; k++) b->node[k][i] = b->slot[k][i] = b->driver[k][i] = 0;
        for (int k = 0; k < 2; k++)
            b->pill[k][i] = b->third_node[k][i] = b->third_slot[k][i] = b->third_driver[k][i] = 0;
        b->load[i] = b->start_gap[i] = b->min[i] = b->k[i] = b->target[i] = b->gap_now[i] = b->friction_max[i] = 0;
        b->island[i] = 0;
        sn_block_put(b->n, i, sn_v3(0, 0, 0));
    }
}

// Which contact is in which lane of a block: blocks are filled one after the other, each while it is in the cache.
static sn_status list_places(const sn_contacts *c, sn_contact_search *s) {
    s->placed = sn_arena_alloc(&s->contacts->arena, (size_t)c->block_count * SN_BLOCK + 1, sizeof *s->placed);
    if (!s->placed) return SN_ERR_MEMORY;
    for (int i = 0; i < c->row_count; i++) {
        sn_found_contact *f = s->sorted[i];
        s->placed[(size_t)c->groups[f->group].first * SN_BLOCK + (size_t)f->place] = f;
    }
    return SN_OK;
}

static sn_status make_blocks(sn_contacts *c, const sn_contact_search *s) {
    int blocks = 0;
    for (int g = 0; g < SN_GROUPS; g++) {
        c->groups[g].first = blocks;
        blocks += c->groups[g].count;
    }
    if (blocks > c->block_capacity) { // with room, or every substep of a fall would take anew
        c->block_capacity = blocks + blocks / 4 + 16;
        c->blocks = sn_arena_alloc(&c->arena, (size_t)c->block_capacity, sizeof *c->blocks);
        c->block_sums = sn_arena_alloc(&c->arena, (size_t)c->block_capacity, sizeof *c->block_sums);
        if (!c->blocks || !c->block_sums) {
            c->block_capacity = 0;
            return SN_ERR_MEMORY;
        }
    }
    for (int g = 0; g < SN_GROUPS; g++) {
        const sn_contact_group *group = &c->groups[g];
        for (int i = 0; i < group->count; i++) {
            int at = group->first_contact + i;
            begin_block(&c->blocks[group->first + i], s->lanes[at], (sn_contact_form)s->form[at]);
        }
    }
    c->block_count = blocks;
    return SN_OK;
}

sn_status sn_contacts_pack(sn_contacts *c, sn_contact_search *s, int chunks) {
    sn_contacts_activate(c);
    sn_status status = sort_contacts(c, s, chunks);
    if (status != SN_OK) return status;
    sn_parallel_for(c->pool, SN_GROUPS, 1, pack_group, s);
    status = make_blocks(c, s);
    return status == SN_OK ? list_places(c, s) : status;
}
