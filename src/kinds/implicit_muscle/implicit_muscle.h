// Implicit muscles as a kind of the world. Each slot holds the muscles of one character (muscle_system.h). They step
// once at the start of a world step, in their own substeps; muscle_proxy.c describes them to the contacts.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_IMPLICIT_MUSCLE_H
#define SN_KINDS_IMPLICIT_MUSCLE_IMPLICIT_MUSCLE_H

#include "base/host.h"
#include "base/slots.h"
#include "geometry/proxy.h"
#include "kinds/implicit_muscle/muscle_system.h"
#include "sinew/implicit_muscle.h"

// A bundle of rods that drives a muscle.
typedef struct {
    sn_bundle bundle; // null: none
    int count;        // of cross-sections
    sn_real *radii;   // of the cross-sections when the bundle was created
} sn_muscle_driver;

// A collision node of a character: the end of a bone's pill or a point of a muscle's axis.
typedef struct {
    sn_body_base base;       // implicit muscles never sleep
    sn_vec3 from, to;        // at the start of the step, and after the muscles' own step
    sn_vec3 moved;           // displacement by contacts in this step
    sn_vec3 velocity_change; // by contacts in this step
} sn_muscle_node;

typedef struct {
    sn_body_base base; // implicit muscles never sleep
    sn_muscle_system *system;
    sn_transform *to; // target poses of the bones
    // The definition.
    sn_transform *rest;
    int bone_count;
    sn_implicit_muscle_bone *bones;
    int collider_count;
    sn_implicit_muscle_def *muscles;
    sn_muscle_driver *drivers; // one per muscle
    int muscle_count;
    int driven_count; // muscles driven by a bundle
    sn_vec3 gravity;
    int substeps, passes;
    // The skin that contains the muscles, and the function that releases it; null: none.
    void *cover_of, *cover_owner;
    void (*uncover)(void *cover, void *owner);
    bool diverged;
    double work; // of the bones in this step, if energy is checked
    // proxies
    sn_real cover; // thickness of skin and fat over bones and muscles, m
    sn_muscle_node *nodes;
    int node_count, first_node;
    sn_real fraction_before, fraction; // of the step that is over at the start and the end of the substep
    bool was_moved;                    // by contacts in this step
} sn_muscles_item;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    sn_slots slots; // of sn_muscles_item
    int body_count;
    int64_t dofs;
} sn_implicit_muscle_kind_system;

// The item in a slot, or null.
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

#define SN_MAX_COVER 1000 // m

// Detaches the skin that contains an item's muscles.
void sn_muscles_uncover(sn_muscles_item *item);

// Drives a muscle by cross-sections with these radii (copied), or by none.
sn_status sn_muscles_drive(sn_implicit_muscle_kind_system *system, sn_muscles_item *item, int muscle, sn_bundle bundle,
                           const sn_real *radii, int count);

// muscle_proxy.c: the number of collision nodes of an item; records them before and after the muscles' own step; the
// operations of the kind's table for contacts and joints; applies the displacements by contacts to the muscles.
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
void sn_muscles_apply_contacts(sn_muscles_item *item);

sn_muscle_obstacle sn_muscle_obstacle_from_bone(const sn_implicit_muscle_bone *bone);
void sn_muscle_def_visit(sn_stream *stream, sn_implicit_muscle_def *def);
// Clears the fields that a definition does not use: nothing checks them, so they may contain anything.
void sn_muscle_def_trim(sn_implicit_muscle_def *def);
bool sn_muscle_flesh_is_valid(const sn_implicit_muscle_bone *bone);
void sn_muscle_bone_visit(sn_stream *stream, sn_implicit_muscle_bone *bone);

#endif
