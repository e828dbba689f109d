// Rigid bodies: static colliders, and kinematic ones that the user moves. Their mass is infinite.
#ifndef SN_KINDS_RIGID_RIGID_H
#define SN_KINDS_RIGID_RIGID_H

#include "base/kind.h"
#include "geometry/collider.h"
#include "sinew/rigid.h"

typedef struct {
    sn_body_base base;
    sn_collider collider;
} sn_rigid_body;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    sn_slots slots; // of sn_rigid_body
    int body_count;
} sn_rigid_system;

extern const sn_kind_ops sn_rigid_kind;

static inline sn_rigid_body *sn_rigid_in(const sn_rigid_system *system, int slot) {
    return system->slots.at[slot].item;
}

// Logs a line for every bad field of a definition except its rotation and the arrays of a mesh; returns their number.
int sn_rigid_errors(const sn_log *log, const sn_rigid_def *def);
void sn_rigid_free(sn_rigid_system *system, sn_rigid_body *body);
// Puts a body into a new slot; -1: no memory.
int sn_rigid_add(sn_rigid_system *system, sn_rigid_body *body);

// rigid_save.c
void sn_rigid_save(void *system, sn_stream *stream);

#endif
