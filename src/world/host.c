// The services of a world for its kinds and couplings: see base/host.h.
#include "world/world.h"

int sn_kind_row(uint32_t kind) {
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->id == kind) return k;
    return -1;
}

const char *sn_kind_name(uint32_t kind) {
    const int row = sn_kind_row(kind);
    return row < 0 ? NULL : sn_kinds[row]->name;
}

void *sn_world_row_system(const sn_world *world, int row) {
    return world->systems[row];
}

void *sn_world_system(const sn_world *world, uint32_t kind) {
    const int row = sn_kind_row(kind);
    return world && row >= 0 ? world->systems[row] : NULL;
}

void *sn_world_coupling(const sn_world *world, const sn_coupling_ops *ops) {
    for (int i = 0; world && i < sn_coupling_count; i++)
        if (sn_couplings[i] == ops) return world->couplings[i];
    return NULL;
}

bool sn_world_is_stepping(const sn_world *world) {
    return world->stepping;
}

sn_status sn_world_check_edit(const sn_world *world) {
    if (!world) return SN_ERR_RANGE;
    return world->stepping ? SN_ERR_BUSY : SN_OK;
}

int sn_body_slot(const sn_world *world, sn_body body, int *row) {
    const int k = world ? sn_kind_row(body.kind) : -1;
    if (row) *row = k;
    if (k < 0 || !sn_slots_find(sn_kinds[k]->slots(world->systems[k]), body.slot1, body.gen)) return -1;
    return (int)body.slot1 - 1;
}

void *sn_body_find(const sn_world *world, sn_body body, uint32_t kind) {
    if (body.kind != kind) return NULL;
    int row;
    const int slot = sn_body_slot(world, body, &row);
    return slot < 0 ? NULL : sn_kinds[row]->slots(world->systems[row])->at[slot].item;
}

sn_status sn_body_read(const sn_world *world, sn_body body, uint32_t kind, void **item) {
    *item = NULL;
    if (!world) return SN_ERR_RANGE;
    *item = sn_body_find(world, body, kind);
    if (*item) return SN_OK;
    return sn_body_exists(world, body) ? SN_ERR_KIND : SN_ERR_STALE_ID;
}

sn_status sn_body_edit(sn_world *world, sn_body body, uint32_t kind, void **item) {
    *item = NULL;
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    *item = sn_body_find(world, body, kind);
    if (!*item) return sn_body_exists(world, body) ? SN_ERR_KIND : SN_ERR_STALE_ID;
    ((sn_body_base *)*item)->sleep = (sn_sleep_state){false, 0}; // a change wakes the body
    return SN_OK;
}

sn_body sn_body_handle(const sn_world *world, int row, int slot) {
    const sn_slots *slots = sn_kinds[row]->slots(world->systems[row]);
    if (slot < 0 || slot >= slots->count || !slots->at[slot].item) return (sn_body){0};
    return (sn_body){sn_kinds[row]->id, (uint32_t)slot + 1, slots->at[slot].gen};
}

void sn_world_number_bodies(sn_world *world) {
    world->numbered_bodies = 0;
    for (int k = 0; k < sn_kind_count; k++) {
        world->first_body[k] = world->numbered_bodies;
        world->numbered_bodies += sn_kinds[k]->slots(world->systems[k])->count;
    }
}

int sn_world_first_body(const sn_world *world, int row) {
    return world->first_body[row];
}

int sn_world_row_of_body(const sn_world *world, int number) {
    int row = sn_kind_count - 1;
    while (row > 0 && number < world->first_body[row]) row--;
    return row;
}

sn_sleep_state *sn_world_sleep_state(const sn_world *world, int number) {
    const int row = sn_world_row_of_body(world, number);
    sn_body_base *base = sn_body_base_at(sn_kinds[row]->slots(world->systems[row]), number - world->first_body[row]);
    return base ? &base->sleep : NULL;
}

void sn_world_wake(const sn_world *world, int number) {
    sn_sleep_state *sleep = sn_world_sleep_state(world, number);
    if (sleep && !world->divergence.is_frozen[number]) *sleep = (sn_sleep_state){false, 0};
}

sn_memory *sn_world_memory(const sn_world *world) {
    return (sn_memory *)(uintptr_t)&world->memory;
}

const sn_log *sn_world_log(const sn_world *world) {
    return &world->log;
}

sn_pool *sn_world_pool(const sn_world *world) {
    return world->pool;
}

sn_pool *sn_world_lend_pool(const sn_world *world) {
    if (!world || world->stepping) return NULL;
    return atomic_flag_test_and_set(&((sn_world *)(uintptr_t)world)->pool_is_lent) ? NULL : world->pool;
}

void sn_world_return_pool(const sn_world *world, sn_pool *pool) {
    if (pool) atomic_flag_clear(&((sn_world *)(uintptr_t)world)->pool_is_lent);
}

void sn_world_refuse_step(sn_world *world, sn_status reason) {
    world->refused = reason;
}

void sn_world_begin_read(const sn_world *world) {
    if (world && !world->stepping) sn_memory_clear_failure(sn_world_memory(world));
}

void sn_world_end_read(const sn_world *world) {
    if (world && !world->stepping && sn_memory_failed(&world->memory))
        sn_log_line(&world->log, SN_LOG_ERROR, SN_ERR_MEMORY, "", "out of memory: what was read is missing");
}

int sn_world_lane_count(const sn_world *world) {
    return world->lanes;
}

void sn_world_body_edited(sn_world *world) {
    for (int i = 0; i < sn_coupling_count; i++)
        if (sn_couplings[i]->body_edited) sn_couplings[i]->body_edited(world->couplings[i]);
}

void sn_world_wake_all(sn_world *world) {
    for (int k = 0; k < sn_kind_count; k++) {
        sn_slots *slots = sn_kinds[k]->slots(world->systems[k]);
        for (int i = 0; i < slots->count; i++)
            if (slots->at[i].item) sn_body_base_at(slots, i)->sleep = (sn_sleep_state){false, 0};
    }
}
