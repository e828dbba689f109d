// The public calls on contacts.
#include "base/float_mode.h"
#include "base/host.h"
#include "couplings/contact/contact.h"

sn_status sn_world_set_contact_sweeps(sn_world *world, int sweeps) {
    if (!world || sweeps < 1 || sweeps > 100) return SN_ERR_RANGE;
    const sn_status status = sn_world_check_edit(world);
    if (status == SN_OK) sn_world_contacts(world)->sweeps = sweeps;
    return status;
}

int sn_world_contact_sweeps(const sn_world *world) {
    return world ? sn_world_contacts(world)->sweeps : 0;
}

sn_status sn_world_set_max_pairs(sn_world *world, int pairs) {
    if (!world || pairs < 1) return SN_ERR_RANGE;
    const sn_status status = sn_world_check_edit(world);
    if (status == SN_OK) sn_world_contacts(world)->pair_limit = pairs;
    return status;
}

int sn_world_max_pairs(const sn_world *world) {
    return world ? sn_world_contacts(world)->pair_limit : 0;
}

// ---- contacts of the last substep

// The body that a pill or slab of the last step's proxies belongs to, and its segment. Null: it was destroyed since.
static sn_body body_of(const sn_contacts *c, int element, int *segment) {
    const int number = sn_element_body(c, element);
    const sn_body body = c->bodies[number];
    int row, first, now;
    const int slot = sn_body_slot(c->world, body, &row);
    *segment = -1;
    if (slot < 0) return (sn_body){0};
    if (!sn_kinds[row]->segment_of || !sn_kinds[row]->node_range || sn_is_slab(c, element)) return body;
    // Bodies that came or went since have moved the numbers of its nodes.
    for (first = element; first > 0 && c->proxies.pills[first - 1].body == number;) first--;
    sn_kinds[row]->node_range(sn_world_row_system(c->world, row), slot, &now);
    *segment = sn_kinds[row]->segment_of(sn_world_row_system(c->world, row), slot, now + element - first);
    return body;
}

sn_vec3 sn_contact_point_of(const sn_contacts *c, const sn_contact_block *b, int k) {
    const sn_vec3 normal = {b->n[0][k], b->n[1][k], b->n[2][k]};
    const sn_vec3 x = sn_contacts_centre(c, b->node[0][k]), y = sn_contacts_centre(c, b->node[1][k]);
    const bool third = sn_form_third(b->form, 0);
    sn_vec3 centre = sn_lerp(x, y, third ? b->spot[0][0][k] : b->alpha[k]);
    if (third) centre = sn_mul_add(centre, b->spot[0][1][k], sn_sub(sn_contacts_centre(c, b->third_node[0][k]), x));
    return sn_mul_add(centre, -(b->radius[0][k] + (sn_real)0.5 * b->gap_now[k]), normal);
}

// A spring of stiffness k up to the bound of the last linearisation.
sn_vec3 sn_contact_friction(const sn_contact_block *b, int k) {
    const sn_vec3 slip = sn_v3(b->slip_now[0][k], b->slip_now[1][k], b->slip_now[2][k]);
    const sn_real size = sn_length(slip), bound = b->friction_max[k];
    const sn_real stiffness = b->k[k] * size > bound ? bound / size : b->k[k];
    return sn_mul(-stiffness, slip);
}

static bool read_contact(const sn_contacts *c, const sn_contact_block *b, int k, sn_contact *out) {
    sn_contact o = {.normal = {b->n[0][k], b->n[1][k], b->n[2][k]}, .force = b->load[k]};
    o.depth = -b->gap_now[k];
    o.point = sn_contact_point_of(c, b, k);
    o.friction = sn_contact_friction(b, k);
    // A body that diverged and was reset has no contacts.
    if (!sn_finite3(o.point) || !sn_finite3(o.normal) || !sn_finite(o.force) || !sn_finite(o.depth)) return false;
    if (!sn_finite3(o.friction)) return false;
    o.body_a = body_of(c, b->pill[0][k], &o.segment_a);
    o.segment_b = -1;
    if (sn_form_both(b->form))
        o.body_b = body_of(c, b->pill[1][k], &o.segment_b);
    else
        o.body_b = c->collider_bodies[b->collider[k]];
    *out = o;
    return true;
}

static bool is_body(sn_body a, sn_body b) {
    return a.kind == b.kind && a.slot1 == b.slot1 && a.gen == b.gen;
}

void sn_contacts_each(const sn_world *world, sn_contact_fn *fn, const void *user) {
    const sn_contacts *c = sn_world_contacts(world);
    for (int i = 0; i < c->block_count * SN_BLOCK; i++) {
        const sn_contact_block *b = &c->blocks[i / SN_BLOCK];
        const int k = i % SN_BLOCK;
        sn_contact contact;
        if (k < b->count && b->load[k] > 0 && read_contact(c, b, k, &contact)) fn(user, &contact);
    }
}

// Null 'between': all.
static int get_contacts(const sn_world *world, const sn_body *between, sn_contact *out, int capacity) {
    if (!world) return 0;
    const sn_contacts *c = sn_world_contacts(world);
    int count = 0;
    for (int i = 0; i < c->block_count * SN_BLOCK; i++) {
        const sn_contact_block *b = &c->blocks[i / SN_BLOCK];
        const int k = i % SN_BLOCK;
        sn_contact o;
        if (k >= b->count || !(b->load[k] > 0) || !read_contact(c, b, k, &o)) continue;
        if (between && !(is_body(o.body_a, between[0]) && is_body(o.body_b, between[1])) &&
            !(is_body(o.body_a, between[1]) && is_body(o.body_b, between[0])))
            continue;
        if (out && count < capacity) out[count] = o;
        count++;
    }
    return count;
}

int sn_world_get_contacts(const sn_world *world, sn_contact *out, int capacity) {
    return get_contacts(world, NULL, out, capacity);
}

int sn_world_get_contacts_between(const sn_world *world, sn_body a, sn_body b, sn_contact *out, int capacity) {
    const sn_body both[2] = {a, b};
    return a.slot1 && b.slot1 ? get_contacts(world, both, out, capacity) : 0;
}

// ---- overlaps

static sn_status measure_depth(sn_contacts *c, void *out) {
    *(double *)out = (double)sn_contacts_depth(c);
    return SN_OK;
}

double sn_world_penetration(sn_world *world) {
    double depth = 0;
    if (sn_world_check_edit(world) != SN_OK) return 0;
    sn_world_begin_read(world);
    sn_contacts_query(sn_world_contacts(world), true, measure_depth, &depth);
    sn_world_end_read(world);
    return depth;
}

typedef struct {
    const sn_body *bodies;
    int count;
} body_list;

static sn_status shrink(sn_contacts *c, void *user) {
    const body_list *list = user;
    const size_t nodes = (size_t)c->proxies.count;
    bool *may_shrink = sn_arena_alloc(&c->arena, nodes, sizeof *may_shrink);
    sn_real *radii = sn_arena_alloc(&c->arena, nodes, sizeof *radii),
            *full = sn_arena_alloc(&c->arena, nodes, sizeof *full);
    if (!may_shrink || !full || !radii) return SN_ERR_MEMORY;
    for (size_t i = 0; i < nodes; i++) may_shrink[i] = false, full[i] = c->proxies.nodes[i].radius;
    for (int k = 0; k < list->count; k++) {
        int row, first;
        const int slot = sn_body_slot(c->world, list->bodies[k], &row);
        const int count = sn_kinds[row]->node_range(sn_world_row_system(c->world, row), slot, &first);
        for (int i = 0; i < count; i++) may_shrink[c->first_node[row] + first + i] = true;
    }
    sn_contacts_shrink_overlaps(c, may_shrink, full);
    for (size_t i = 0; i < nodes; i++) radii[i] = c->proxies.nodes[i].radius;
    for (int k = 0; k < list->count; k++) {
        int row, first;
        const int slot = sn_body_slot(c->world, list->bodies[k], &row);
        void *system = sn_world_row_system(c->world, row);
        sn_kinds[row]->node_range(system, slot, &first);
        sn_kinds[row]->set_contact_radii(system, slot, radii + c->first_node[row] + first);
    }
    return SN_OK;
}

sn_status sn_world_shrink_overlaps(sn_world *world, const sn_body *bodies, int count) {
    if (!world || count < 0 || (count > 0 && !bodies)) return SN_ERR_RANGE;
    sn_status status = sn_world_check_edit(world);
    for (int i = 0; i < count && status == SN_OK; i++) {
        int row;
        if (sn_body_slot(world, bodies[i], &row) < 0)
            status = SN_ERR_STALE_ID;
        else if (!sn_kinds[row]->set_contact_radii)
            status = SN_ERR_KIND;
    }
    if (status != SN_OK || count == 0) return status;
    const sn_float_mode callers = sn_float_mode_enter();
    for (int i = 0; i < count; i++) {
        int row;
        const int slot = sn_body_slot(world, bodies[i], &row);
        void *system = sn_world_row_system(world, row);
        sn_body_base_at(sn_kinds[row]->slots(system), slot)->sleep = (sn_sleep_state){false, 0};
        sn_kinds[row]->set_contact_radii(system, slot, NULL);
    }
    body_list list = {bodies, count};
    status = sn_contacts_query(sn_world_contacts(world), true, shrink, &list);
    sn_float_mode_leave(callers);
    return status;
}
