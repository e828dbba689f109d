// Implicit muscles as a kind of the world: slots with a system of muscles each (swept_system.h). They move once a step, in
// substeps of their own, at its start; contacts see them as swept_proxy.c tells.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_IMPLICIT_MUSCLE_H
#define SN_KINDS_IMPLICIT_MUSCLE_IMPLICIT_MUSCLE_H

#include "base/host.h"
#include "base/slots.h"
#include "geometry/proxy.h"
#include "kinds/implicit_muscle/muscle_proxy.h"
#include "kinds/implicit_muscle/muscle_system.h"
#include "sinew/implicit_muscle.h"

// A bundle of rods in the place of a muscle.
typedef struct {
    sn_bundle bundle; // null: none
    int count;        // cross-sections
    sn_real *radii;   // of them, when the bundle was made
} sn_muscle_lead;

typedef struct {
    sn_body_base base; // implicit muscles never sleep
    sn_swept_system *system;
    sn_transform *to; // where bones are led
    // as defined
    sn_transform *rest;
    int bone_count;
    sn_implicit_muscle_bone *bones;
    int shape_count;
    sn_implicit_muscle_def *muscles;
    sn_muscle_lead *leads; // of each muscle
    int muscle_count;
    int led; // muscles that have a bundle
    sn_vec3 gravity;
    int substeps, passes;
    // What keeps the muscles under a skin, and who gives it back; null: nothing.
    void *cover_of, *cover_owner;
    void (*uncover)(void *cover, void *owner);
    bool diverged;
    // for contacts
    sn_real cover; // what is over bones and muscles, m
    sn_swept_node *nodes;
    int node_count, first_node;
    sn_real part_before, part; // of the step that is done at the start and the end of the substep
    bool was_moved;            // contacts have moved it in this step
} sn_muscles_item;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    sn_slots slots; // of sn_muscles_item
    int body_count;
    int64_t dofs;
} sn_implicit_muscle_kind_system;

// Who is in a slot, null: nobody.
static inline sn_muscles_item *sn_muscles_in(const sn_implicit_muscle_kind_system *system, int slot) {
    return system->slots.at[slot].item;
}

extern const sn_kind_ops sn_implicit_muscle_kind;

static inline sn_implicit_muscle_kind_system *sn_world_implicit_muscles(const sn_world *world) {
    return sn_world_system(world, SN_KIND_IMPLICIT_MUSCLE);
}

sn_muscles_item *sn_implicit_muscles_find(const sn_implicit_muscle_kind_system *system, sn_body id);
sn_status sn_muscles_add(sn_implicit_muscle_kind_system *system, const sn_implicit_muscles_def *def, sn_body *id);
void sn_muscles_remove(void *system, int slot);

// Takes away what keeps an item's muscles under a skin.
#define SN_MOST_COVER 1000 // m
void sn_muscles_uncover(sn_muscles_item *item);

// Puts cross-sections with these radii (copied) in the place of a muscle, or none.
sn_status sn_muscles_lead(sn_implicit_muscle_kind_system *system, sn_muscles_item *item, int muscle, sn_bundle bundle,
                          const sn_real *radii, int count);

// swept_proxy.c: how many nodes an item has; where they are before and after the step that muscles make by themselves; what
// the world's contacts ask for; and what they did is done to the muscles.
int sn_muscles_node_count(const sn_muscles_item *item);
void sn_muscles_before(sn_muscles_item *item);
void sn_muscles_after(sn_muscles_item *item);
int sn_muscles_get_points(void *system, int slot, sn_vec3 *out, int capacity);
sn_box3 sn_muscles_bounds(void *system, int slot);
int sn_muscles_check_attachment(void *system, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                                const sn_log *log);
bool sn_muscles_attachment_pill(void *system, int slot, const sn_attachment *at, sn_attachment_pill *out);
sn_attachment_state sn_muscles_attachment_state(void *system, int slot, const sn_attachment *at, bool start);
int sn_muscles_count_nodes(void *system, int *colliding);
void sn_muscles_write_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool);
void sn_muscles_update_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool start);
void sn_muscles_apply(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool shift);
void sn_muscles_give_way(sn_muscles_item *item);

// A public definition as the room has it, and public ones as streams.
sn_swept_bone sn_swept_bone_of(const sn_implicit_muscle_bone *bone);
void sn_muscle_def_visit(sn_stream *stream, sn_implicit_muscle_def *def);
// Empties what a definition says in vain: that is never checked, may be anything, and is not to be kept.
void sn_muscle_def_trim(sn_implicit_muscle_def *def);
void sn_muscle_bone_visit(sn_stream *stream, sn_implicit_muscle_bone *bone);

#endif
