// The public calls that work for bodies of every kind.
#include "base/float_mode.h"
#include "geometry/contact_surface.h"
#include "world/world.h"

// A body that was found.
typedef struct {
    const sn_kind_ops *kind; // null: stale
    void *system;
    int slot;
    sn_body_base *base;
} found_body;

static found_body find(const sn_world *world, sn_body body) {
    int row;
    const int slot = sn_body_slot(world, body, &row);
    if (slot < 0) return (found_body){0};
    void *system = world->systems[row];
    return (found_body){sn_kinds[row], system, slot, sn_body_base_at(sn_kinds[row]->slots(system), slot)};
}

static sn_status edit(sn_world *world, sn_body body, found_body *out) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    *out = find(world, body);
    return out->kind ? SN_OK : SN_ERR_STALE_ID;
}

bool sn_body_exists(const sn_world *world, sn_body body) {
    return find(world, body).kind != NULL;
}

sn_status sn_body_destroy(sn_world *world, sn_body body) {
    found_body f;
    const sn_status status = edit(world, body, &f);
    if (status != SN_OK) return status;
    f.kind->remove(f.system, f.slot);
    for (int i = 0; i < sn_coupling_count; i++)
        if (sn_couplings[i]->body_removed) sn_couplings[i]->body_removed(world->couplings[i]);
    sn_world_wake_all(world); // others may have rested on it
    return SN_OK;
}

// ---- label, user pointer

uint64_t sn_body_label(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    return f.kind ? f.base->label : 0;
}

sn_status sn_body_set_label(sn_world *world, sn_body body, uint64_t label) {
    found_body f;
    const sn_status status = edit(world, body, &f);
    if (status == SN_OK) f.base->label = label;
    return status;
}

void *sn_body_user(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    return f.kind ? f.base->user : NULL;
}

sn_status sn_body_set_user(sn_world *world, sn_body body, void *user) {
    found_body f;
    const sn_status status = edit(world, body, &f);
    if (status == SN_OK) f.base->user = user;
    return status;
}

// ---- iteration

int sn_world_body_count(const sn_world *world) {
    int count = 0;
    for (int k = 0; world && k < sn_kind_count; k++) count += sn_kinds[k]->count(world->systems[k]);
    return count;
}

static sn_body nth(const sn_world *world, int row, int i) {
    const sn_slots *slots = sn_kinds[row]->slots(world->systems[row]);
    const int count = sn_kinds[row]->count(world->systems[row]);
    if (i < 0 || i >= count) return (sn_body){0};
    return sn_body_handle(world, row,
                          count == slots->count ? i : sn_slots_nth(slots, i)); // without free slots: the index itself
}

sn_body sn_world_body_at(const sn_world *world, int i) {
    for (int k = 0; world && i >= 0 && k < sn_kind_count; k++) {
        const int count = sn_kinds[k]->count(world->systems[k]);
        if (i < count) return nth(world, k, i);
        i -= count;
    }
    return (sn_body){0};
}

int sn_world_kind_count(const sn_world *world, uint32_t kind) {
    const int row = world ? sn_kind_row(kind) : -1;
    return row < 0 ? 0 : sn_kinds[row]->count(world->systems[row]);
}

sn_body sn_world_kind_at(const sn_world *world, uint32_t kind, int i) {
    const int row = world ? sn_kind_row(kind) : -1;
    return row < 0 ? (sn_body){0} : nth(world, row, i);
}

// ---- points

int sn_body_point_count(const sn_world *world, sn_body body) {
    return sn_body_get_points(world, body, NULL, 0);
}

int sn_body_get_points(const sn_world *world, sn_body body, sn_vec3 *out, int capacity) {
    const found_body f = find(world, body);
    return f.kind && f.kind->get_points ? f.kind->get_points(f.system, f.slot, out, capacity) : 0;
}

int sn_body_get_velocities(const sn_world *world, sn_body body, sn_vec3 *out, int capacity) {
    const found_body f = find(world, body);
    return f.kind && f.kind->get_velocities ? f.kind->get_velocities(f.system, f.slot, out, capacity) : 0;
}

int sn_body_get_masses(const sn_world *world, sn_body body, sn_real *out, int capacity) {
    const found_body f = find(world, body);
    return f.kind && f.kind->get_masses ? f.kind->get_masses(f.system, f.slot, out, capacity) : 0;
}

double sn_body_mass(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    return f.kind && f.kind->mass ? f.kind->mass(f.system, f.slot) : 0;
}

double sn_body_volume(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    sn_world_begin_read(world);
    const double volume = f.kind && f.kind->volume ? f.kind->volume(f.system, f.slot, false) : 0;
    sn_world_end_read(world);
    return volume;
}

double sn_body_rest_volume(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    return f.kind && f.kind->volume ? f.kind->volume(f.system, f.slot, true) : 0;
}

sn_energy sn_body_energy(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    sn_world_begin_read(world);
    const sn_energy energy =
        f.kind && f.kind->energy ? f.kind->energy(f.system, f.slot, world->gravity) : (sn_energy){0};
    sn_world_end_read(world);
    return energy;
}

sn_box3 sn_body_bounds(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    if (f.kind && f.kind->bounds) return f.kind->bounds(f.system, f.slot);
    const sn_real far = (sn_real)1e30;
    return (sn_box3){sn_v3(far, far, far), sn_v3(-far, -far, -far)};
}

// ---- contact settings, sleep

sn_status sn_body_set_contact(sn_world *world, sn_body body, const sn_surface *surface, bool collide,
                              bool self_collide) {
    if (!surface) return SN_ERR_RANGE;
    found_body f;
    sn_status status = edit(world, body, &f);
    if (status != SN_OK) return status;
    if (sn_surface_errors(&world->log, surface)) return SN_ERR_DEF;
    sn_contact_settings settings = f.base->contact;
    settings.surface = *surface, settings.collide = collide, settings.self_collide = self_collide;
    const sn_float_mode callers = sn_float_mode_enter();
    if (f.kind->set_contact)
        status = f.kind->set_contact(f.system, f.slot, &settings);
    else
        f.base->contact = settings;
    sn_float_mode_leave(callers);
    if (status != SN_OK) return status;
    f.base->sleep = (sn_sleep_state){false, 0};
    if (f.kind->collider) sn_world_wake_all(world); // others may rest on it
    return SN_OK;
}

sn_status sn_body_get_contact(const sn_world *world, sn_body body, sn_surface *surface, bool *collide,
                              bool *self_collide) {
    if (!world) return SN_ERR_RANGE;
    const found_body f = find(world, body);
    if (!f.kind) return SN_ERR_STALE_ID;
    if (surface) *surface = f.base->contact.surface;
    if (collide) *collide = f.base->contact.collide;
    if (self_collide) *self_collide = f.base->contact.self_collide;
    return SN_OK;
}

sn_status sn_body_set_surface(sn_world *world, sn_body body, const sn_surface *surface) {
    if (!world || !surface) return SN_ERR_RANGE;
    const found_body f = find(world, body);
    if (!f.kind) return world->stepping ? SN_ERR_BUSY : SN_ERR_STALE_ID;
    return sn_body_set_contact(world, body, surface, f.base->contact.collide, f.base->contact.self_collide);
}

sn_status sn_body_get_surface(const sn_world *world, sn_body body, sn_surface *surface) {
    return surface ? sn_body_get_contact(world, body, surface, NULL, NULL) : SN_ERR_RANGE;
}

sn_status sn_body_wake(sn_world *world, sn_body body) {
    found_body f;
    const sn_status status = edit(world, body, &f);
    if (status == SN_OK) f.base->sleep = (sn_sleep_state){false, 0};
    return status;
}

bool sn_body_asleep(const sn_world *world, sn_body body) {
    const found_body f = find(world, body);
    return f.kind && f.base->sleep.asleep;
}
