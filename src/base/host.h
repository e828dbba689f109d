// The services of a world for the public calls of its kinds and couplings. Implemented in world/host.c.
#ifndef SN_BASE_HOST_H
#define SN_BASE_HOST_H

#include "base/coupling.h"

// The system of a kind or of a coupling; null: the library was built without it, or the world is null.
void *sn_world_system(const sn_world *world, uint32_t kind);
void *sn_world_coupling(const sn_world *world, const sn_coupling_ops *ops);
// The row of a kind in the table of kinds, -1: no such kind; and the system of a row.
int sn_kind_row(uint32_t kind);
void *sn_world_row_system(const sn_world *world, int row);

// SN_OK if bodies may be changed; SN_ERR_RANGE for a null world, SN_ERR_BUSY while it steps.
sn_status sn_world_check_edit(const sn_world *world);
bool sn_world_is_stepping(const sn_world *world);
// The running step cannot happen, for this reason: no stage runs any more, and the world is put back. The caller logs why.
void sn_world_refuse_step(sn_world *world, sn_status reason);

// Finds the item of a body; null and an error if there is none. 'edit' fails while the world steps, and wakes the body.
void *sn_body_find(const sn_world *world, sn_body body, uint32_t kind);
sn_status sn_body_edit(sn_world *world, sn_body body, uint32_t kind, void **item);
sn_status sn_body_read(const sn_world *world, sn_body body, uint32_t kind, void **item);

// The slot of a body of any kind and its row in the table of kinds; -1: stale.
int sn_body_slot(const sn_world *world, sn_body body, int *row);
// The handle of a slot, null if it is free.
sn_body sn_body_handle(const sn_world *world, int row, int slot);

// Body numbers run over all kinds and are valid during a step: the number of a row's first slot, and back.
int sn_world_first_body(const sn_world *world, int row);
int sn_world_row_of_body(const sn_world *world, int number);
// The sleep state of a body by its number; null: a free slot.
sn_sleep_state *sn_world_sleep_state(const sn_world *world, int number);
// Wakes a body by its number, in a step; one that is put back in this step stays asleep (world/divergence.c).
void sn_world_wake(const sn_world *world, int number);
// Speeds of all bodies as sleep knows them, by number: over that of a fall by their size. Returns what is still.
sn_real sn_world_normalised_speeds(const sn_world *world, sn_real *out);
// Numbers the bodies again, for a query between steps.
void sn_world_number_bodies(sn_world *world);

sn_memory *sn_world_memory(const sn_world *world);
const sn_log *sn_world_log(const sn_world *world);
sn_pool *sn_world_pool(const sn_world *world);
// Borrows the pool for a reader of a const world; null while the world steps or another reader has it: the reader then
// works alone. Return what was borrowed.
sn_pool *sn_world_lend_pool(const sn_world *world);
void sn_world_return_pool(const sn_world *world, sn_pool *pool);
int sn_world_lane_count(const sn_world *world);
// Around readers that allocate and return no status: 'end' logs a line if they ran out of memory.
void sn_world_begin_read(const sn_world *world);
void sn_world_end_read(const sn_world *world);

// Tells couplings that a call changed the definition of a body.
void sn_world_body_edited(sn_world *world);

// Wakes every body, after a change to something that any body may rest on.
void sn_world_wake_all(sn_world *world);

#endif
