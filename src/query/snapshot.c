// Taking a snapshot: the proxies that kinds write for contacts, and the geometry of rigid bodies as it was defined.
#include "query/snapshot.h"
#include "base/float_mode.h"
#include "couplings/contact/contact.h"

// ---- one body

static void free_body(sn_memory *memory, sn_query_body *b) {
    if (!b) return;
    sn_free(memory, b->elements, (size_t)b->capacity, sizeof *b->elements);
    sn_free(memory, b->element_bounds, (size_t)b->capacity, sizeof *b->element_bounds);
    sn_free(memory, b->nodes, 2 * (size_t)b->capacity, sizeof *b->nodes);
    sn_free(memory, b, 1, sizeof *b);
}

static bool reserve(sn_memory *memory, sn_query_body *b, int count) {
    b->count = b->node_count = 0;
    if (count <= b->capacity) return true;
    sn_query_body larger = *b;
    larger.elements = sn_alloc(memory, (size_t)count, sizeof *b->elements);
    larger.element_bounds = sn_alloc(memory, (size_t)count, sizeof *b->element_bounds);
    larger.nodes = sn_alloc(memory, 2 * (size_t)count, sizeof *b->nodes);
    const bool good = larger.elements && larger.element_bounds && larger.nodes;
    sn_query_body *drop = good ? b : &larger;
    sn_free(memory, drop->elements, (size_t)(good ? b->capacity : count), sizeof *b->elements);
    sn_free(memory, drop->element_bounds, (size_t)(good ? b->capacity : count), sizeof *b->element_bounds);
    sn_free(memory, drop->nodes, 2 * (size_t)(good ? b->capacity : count), sizeof *b->nodes);
    if (!good) return false;
    larger.capacity = count;
    *b = larger;
    return true;
}

// Builds the tree over the elements, and puts them into the order of its leaves.
static bool build(sn_memory *memory, sn_query_body *b) {
    const size_t count = (size_t)b->count;
    sn_box_item *items = sn_alloc(memory, count, sizeof *items);
    sn_query_element *sorted = sn_alloc(memory, count, sizeof *sorted);
    if (items && sorted) {
        for (int i = 0; i < b->count; i++)
            items[i] = (sn_box_item){.bounds = sn_query_bounds(&b->elements[i].primitive), .source = i};
        b->node_count = sn_box_tree_build(items, b->count, b->nodes);
        for (int i = 0; i < b->count; i++) sorted[i] = b->elements[items[i].source];
        for (int i = 0; i < b->count; i++) b->elements[i] = sorted[i];
    }
    const bool good = items && sorted;
    sn_free(memory, items, count, sizeof *items);
    sn_free(memory, sorted, count, sizeof *sorted);
    return good;
}

static void refit(sn_query_body *b) {
    for (int i = 0; i < b->count; i++) b->element_bounds[i] = sn_query_bounds(&b->elements[i].primitive);
    sn_box_tree_refit(b->nodes, b->node_count, b->element_bounds);
    b->bounds = b->nodes[0].bounds;
}

// ---- rigid bodies

static bool primitive_of(const sn_collider *c, sn_query_primitive *out) {
    switch (c->kind) {
    case SN_GEOMETRY_PLANE:
        *out = (sn_query_primitive){SN_QUERY_PLANE, {.plane = {c->now.position, sn_q_axis_y(c->now.rotation)}}};
        return true;
    case SN_GEOMETRY_SPHERE:
    case SN_GEOMETRY_PILL:
        *out = (sn_query_primitive){SN_QUERY_PILL, {.pill = sn_collider_pill(c, &c->now)}};
        return true;
    case SN_GEOMETRY_BOX:
        *out = (sn_query_primitive){SN_QUERY_BOX, {.box = {c->now.position, c->now.rotation, c->half}}};
        return true;
    default:
        return false;
    }
}

static bool fill_simple(sn_memory *memory, sn_query_body *b, const sn_query_primitive *primitive) {
    const bool first = b->count != 1 || b->is_local;
    if (first && !reserve(memory, b, 1)) return false;
    b->is_local = b->points = false, b->count = 1;
    b->elements[0] = (sn_query_element){.primitive = *primitive, .source = INT32_MIN, .segment = -1};
    if (first && !build(memory, b)) return false;
    refit(b);
    return true;
}

// A box that holds a box in a frame.
static sn_bounds turned(const sn_bounds *b, const sn_transform *pose) {
    const sn_vec3 half = sn_mul((sn_real)0.5, sn_sub(b->hi, b->lo));
    const sn_vec3 centre = sn_transform_point(pose, sn_lerp(b->lo, b->hi, (sn_real)0.5));
    const sn_query_primitive box = {SN_QUERY_BOX, {.box = {centre, pose->rotation, half}}};
    return sn_query_bounds(&box);
}

static bool fill_mesh(sn_memory *memory, sn_query_body *b, const sn_collider *c) {
    const sn_triangle_bvh *mesh = &c->bvh;
    if (!b->is_local || b->count != mesh->triangle_count) {
        if (!reserve(memory, b, mesh->triangle_count)) return false;
        for (int i = 0; i < mesh->triangle_count; i++)
            b->elements[i] = (sn_query_element){.primitive = {SN_QUERY_TRIANGLE, {.triangle = mesh->triangles[i]}},
                                                .number = mesh->source[i],
                                                .source = INT32_MIN,
                                                .segment = -1};
        for (int i = 0; i < mesh->node_count; i++) b->nodes[i] = mesh->nodes[i];
        b->count = mesh->triangle_count, b->node_count = mesh->node_count;
    }
    b->is_local = true, b->points = false, b->pose = c->now;
    if (b->count > 0) b->bounds = turned(&b->nodes[0].bounds, &b->pose);
    return true;
}

static bool fill_collider(sn_memory *memory, sn_query_body *b, const sn_collider *c) {
    sn_query_primitive primitive;
    return c->kind == SN_GEOMETRY_MESH ? fill_mesh(memory, b, c)
                                       : !primitive_of(c, &primitive) || fill_simple(memory, b, &primitive);
}

// ---- bodies with proxies

// The proxies of a body.
typedef struct {
    int first_node, first_slab; // INT32_MAX: none
    int count;                  // that collide
} body_part;

static bool finite_nodes(const sn_contacts *c, int element) {
    int32_t nodes[3];
    const int count = sn_element_nodes(c, element, nodes);
    for (int k = 0; k < count; k++) {
        const sn_node *n = &c->proxies.nodes[nodes[k]];
        if (!sn_finite3(n->c) || !sn_finite(n->s) || n->contact_disabled != 0) return false;
    }
    return count > 0;
}

static sn_query_primitive element_primitive(const sn_contacts *c, int element) {
    const sn_proxies *p = &c->proxies;
    if (!sn_is_slab(c, element)) return (sn_query_primitive){SN_QUERY_PILL, {.pill = sn_proxy_pill(p, element, false)}};
    return (sn_query_primitive){SN_QUERY_SLAB, {.slab = sn_proxy_slab(p, element - p->count, false)}};
}

// The element of a source; -1: it does not collide any more.
static int element_of(const sn_contacts *c, const body_part *part, int32_t source) {
    const int element = source < 0 ? c->proxies.count + part->first_slab + ~source : part->first_node + source;
    return element < c->elements && finite_nodes(c, element) ? element : -1;
}

static bool fit_again(const sn_contacts *c, sn_query_body *b, const body_part *part) {
    if (b->is_local || !b->points || b->count != part->count || b->count == 0) return false;
    for (int i = 0; i < b->count; i++) {
        const int element = element_of(c, part, b->elements[i].source);
        if (element < 0) return false;
        b->elements[i].primitive = element_primitive(c, element);
    }
    refit(b);
    return true;
}

static void add_element(const sn_contacts *c, sn_query_body *b, const body_part *part, int element) {
    const bool slab = sn_is_slab(c, element);
    sn_query_element *e = &b->elements[b->count];
    *e = (sn_query_element){.primitive = element_primitive(c, element), .number = b->count, .segment = -1};
    b->count++;
    e->source = slab ? ~(element - c->proxies.count - part->first_slab) : element - part->first_node;
    int32_t nodes[3];
    sn_element_nodes(c, element, nodes);
    for (int k = 0; k < 3; k++) e->node[k] = nodes[k] - part->first_node;
    if (!slab && sn_kinds[b->row]->segment_of)
        e->segment = sn_kinds[b->row]->segment_of(sn_world_row_system(c->world, b->row), b->slot,
                                                  element - c->first_node[b->row]);
}

static bool fill_proxies(const sn_contacts *c, sn_memory *memory, sn_query_body *b, const body_part *part, int number) {
    if (fit_again(c, b, part)) return true;
    if (!reserve(memory, b, part->count)) return false;
    b->is_local = false, b->points = true;
    if (part->count == 0) return true;
    const sn_proxies *p = &c->proxies;
    for (int i = part->first_node; i < p->count && p->pills[i].body == number; i++)
        if (finite_nodes(c, i)) add_element(c, b, part, i);
    for (int i = part->first_slab; i < p->slab_count && p->slabs[i].body == number; i++)
        if (finite_nodes(c, p->count + i)) add_element(c, b, part, p->count + i);
    if (!build(memory, b)) return false;
    refit(b);
    return true;
}

// ---- all bodies

static int order_of(const sn_query_body *b, int row, int slot) {
    return b->row != row ? b->row - row : b->slot - slot;
}

typedef struct {
    sn_snapshot *snapshot;
    sn_contacts *contacts;
    body_part *parts; // by body
    int old;          // the next of the bodies of the last update
} copying;

// The body of the last update, or a new one.
static sn_query_body *body_for(copying *t, int row, int slot, sn_body body) {
    sn_snapshot *s = t->snapshot;
    while (t->old < s->count && order_of(s->bodies[t->old], row, slot) < 0) t->old++;
    if (t->old < s->count && order_of(s->bodies[t->old], row, slot) == 0 && s->bodies[t->old]->body.gen == body.gen) {
        sn_query_body *b = s->bodies[t->old];
        s->bodies[t->old++] = NULL;
        return b;
    }
    sn_query_body *b = sn_alloc(&s->memory, 1, sizeof *b);
    if (b) *b = (sn_query_body){.body = body, .row = row, .slot = slot};
    return b;
}

static bool copy_body(copying *t, int row, int slot) {
    const sn_contacts *c = t->contacts;
    sn_snapshot *s = t->snapshot;
    void *system = sn_world_row_system(c->world, row);
    const sn_body handle = sn_body_handle(c->world, row, slot);
    const int number = sn_world_first_body(c->world, row) + slot;
    if (!handle.slot1) return true;
    const sn_contact_settings *settings = &sn_body_base_at(sn_kinds[row]->slots(system), slot)->contact;
    const sn_collider *fixed = sn_kinds[row]->collider ? sn_kinds[row]->collider(system, slot) : NULL;
    const sn_collider *exact = !fixed && sn_kinds[row]->geometry ? sn_kinds[row]->geometry(system, slot) : NULL;
    const sn_collider *collider = fixed ? fixed : exact && exact->kind != SN_GEOMETRY_HULL ? exact : NULL;
    if (fixed ? fixed->disabled : !settings->collide) return true;
    if (!collider && t->parts[number].count == 0) return true;
    sn_query_body *b = body_for(t, row, slot, handle);
    if (!b) return false;
    s->next[s->next_count++] = b; // from here on the snapshot's, whatever happens
    b->asleep = sn_body_base_at(sn_kinds[row]->slots(system), slot)->sleep.asleep, b->moves = !fixed;
    b->group = fixed ? fixed->surface.group : settings->surface.group;
    return collider ? fill_collider(&s->memory, b, collider)
                    : fill_proxies(c, &s->memory, b, &t->parts[number], number);
}

static void count_parts(const sn_contacts *c, body_part *parts) {
    for (int i = 0; i < c->body_count; i++) parts[i] = (body_part){INT32_MAX, INT32_MAX, 0};
    for (int i = 0; i < c->elements; i++) {
        body_part *part = &parts[sn_element_body(c, i)];
        int *first = sn_is_slab(c, i) ? &part->first_slab : &part->first_node;
        const int at = sn_is_slab(c, i) ? i - c->proxies.count : i;
        if (at < *first) *first = at;
        part->count += finite_nodes(c, i);
    }
}

static bool build_world(sn_snapshot *s) {
    if (!sn_reserve(&s->memory, (void **)&s->items, &s->item_capacity, s->count, sizeof *s->items) ||
        !sn_reserve(&s->memory, (void **)&s->nodes, &s->node_capacity, 2 * s->count, sizeof *s->nodes) ||
        !sn_reserve(&s->memory, (void **)&s->planes, &s->plane_capacity, s->count, sizeof *s->planes))
        return false;
    s->item_count = s->plane_count = 0;
    for (int i = 0; i < s->count; i++) {
        const sn_query_body *b = s->bodies[i];
        if (b->count == 0) continue;
        if (!b->is_local && b->elements[0].primitive.form == SN_QUERY_PLANE)
            s->planes[s->plane_count++] = i;
        else
            s->items[s->item_count++] = (sn_box_item){.bounds = b->bounds, .source = i};
    }
    s->node_count = sn_box_tree_build(s->items, s->item_count, s->nodes);
    return true;
}

static void empty(sn_snapshot *s) {
    for (int i = 0; i < s->count; i++) free_body(&s->memory, s->bodies[i]);
    s->count = s->item_count = s->node_count = s->plane_count = 0;
}

static sn_status copy(sn_contacts *c, void *user) {
    sn_snapshot *s = user;
    copying t = {s, c, sn_arena_alloc(&c->arena, (size_t)c->body_count + 1, sizeof(body_part)), 0};
    bool good = t.parts && sn_reserve(&s->memory, (void **)&s->next, &s->next_capacity, c->body_count, sizeof *s->next);
    if (good) count_parts(c, t.parts);
    s->next_count = 0;
    for (int row = 0; good && row < sn_kind_count; row++) {
        const int slots = sn_kinds[row]->slots(sn_world_row_system(c->world, row))->count;
        for (int slot = 0; good && slot < slots; slot++) good = copy_body(&t, row, slot);
    }
    empty(s); // of what is left
    sn_query_body **spare = s->bodies;
    const int spare_capacity = s->capacity;
    s->bodies = s->next, s->capacity = s->next_capacity, s->count = s->next_count;
    s->next = spare, s->next_capacity = spare_capacity;
    if (good && build_world(s)) return SN_OK;
    empty(s);
    return SN_ERR_MEMORY;
}

// ---- public calls

sn_status sn_snapshot_update(sn_snapshot *s, sn_world *world) {
    if (!s || !world) return SN_ERR_RANGE;
    const sn_status busy = sn_world_check_edit(world);
    if (busy != SN_OK) return busy;
    const sn_float_mode callers = sn_float_mode_enter();
    const sn_status status = sn_contacts_query(sn_world_contacts(world), false, copy, s);
    sn_float_mode_leave(callers);
    if (status != SN_OK) empty(s);
    return status;
}

sn_status sn_snapshot_create(sn_world *world, sn_snapshot **out) {
    if (out) *out = NULL;
    if (!world || !out) return SN_ERR_RANGE;
    sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_memory memory;
    sn_memory_init(&memory, &sn_world_memory(world)->hook);
    sn_snapshot *s = sn_alloc(&memory, 1, sizeof *s);
    if (!s) return SN_ERR_MEMORY;
    *s = (sn_snapshot){0};
    sn_memory_init(&s->memory, &memory.hook);
    status = sn_snapshot_update(s, world);
    if (status == SN_OK)
        *out = s;
    else
        sn_snapshot_destroy(s);
    return status;
}

void sn_snapshot_destroy(sn_snapshot *s) {
    if (!s) return;
    empty(s);
    sn_free(&s->memory, s->bodies, (size_t)s->capacity, sizeof *s->bodies);
    sn_free(&s->memory, s->next, (size_t)s->next_capacity, sizeof *s->next);
    sn_free(&s->memory, s->items, (size_t)s->item_capacity, sizeof *s->items);
    sn_free(&s->memory, s->nodes, (size_t)s->node_capacity, sizeof *s->nodes);
    sn_free(&s->memory, s->planes, (size_t)s->plane_capacity, sizeof *s->planes);
    sn_memory memory;
    sn_memory_init(&memory, &s->memory.hook);
    sn_free(&memory, s, 1, sizeof *s);
}

int sn_snapshot_body_count(const sn_snapshot *s) {
    return s ? s->count : 0;
}

int sn_snapshot_element_count(const sn_snapshot *s) {
    int count = 0;
    for (int i = 0; s && i < s->count; i++) count += s->bodies[i]->count;
    return count;
}
