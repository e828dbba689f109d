// The world's insides, for the files of this room.
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "base/kind.h"
#include "base/math/vec.h"
#include "couplings/bundle/bundle.h"
#include "couplings/contact/contact.h"
#include "kinds/elastic/elastic_system.h"
#include "kinds/implicit_muscle/implicit_muscle.h"
#include "kinds/rod/rod_body.h"
#include "kinds/spring/spring_system.h"

enum { KIND_ROD, KIND_SPRINGS, KIND_ELASTIC, KIND_MUSCLES, KIND_COUNT };

// The tables of all kinds, in the order above.
extern const sn_kind *const sn_kinds[KIND_COUNT];

struct sn_world {
    sn_memory memory;
    sn_log log;
    sn_pool *pool;
    int lanes;
    void *systems[KIND_COUNT];
    sn_vec3 gravity;
    sn_solver solver;
    int iterations;
    double time;
    uint64_t steps;
    sn_profile profile;
    bool stepping;
    sn_contacts contacts;
    sn_bundles bundles;
    sn_show show; // what all kinds share of it
    bool never_sleep;
    int first_node[KIND_COUNT], first_slab[KIND_COUNT], first_body[KIND_COUNT];
};

static inline sn_rod_system *sn_rods(const sn_world *world) {
    return world->systems[KIND_ROD];
}

static inline sn_muscles_kind_system *sn_world_muscles(const sn_world *world) {
    return world->systems[KIND_MUSCLES];
}

static inline sn_elastic_system *sn_world_elastics(const sn_world *world) {
    return world->systems[KIND_ELASTIC];
}

static inline sn_springs_system *sn_world_springs(const sn_world *world) {
    return world->systems[KIND_SPRINGS];
}

// The kind that a body of the running step's proxies is of; its slot is counted from that kind's first.
static inline int sn_kind_of_body(const sn_world *world, int body) {
    int kind = KIND_COUNT - 1;
    while (kind > 0 && body < world->first_body[kind]) --kind;
    return kind;
}

// The number of a joint's side (0 or 1) among the pills of the running step, -1 if it is no body or gone, -2 if its
// body has no such point any more; notes in the joint where on the pill it is.
int sn_world_joint_pill(const sn_world *world, sn_joint_row *joint, int side);
// Its offset, in the world; after its pills.
sn_vec3 sn_world_joint_arm(const sn_world *world, const sn_joint_row *joint);
// Before a substep: how the segments that joints hold stand.
void sn_world_joints_substep(sn_world *world);

// Whether every joint ties what it says it does, for a world that was read.
bool sn_world_joints_are_fine(const sn_world *world);

// Forgets joints whose rod or shape is gone.
void sn_world_drop_joints(sn_world *world);

// bundle_api.c: the bundle of an id, null if it is stale; starts fibres where bones take them; fits all sections to
// where the rods are now; the same, and tells them.
sn_bundle_body *sn_world_bundle(const sn_world *world, sn_bundle id);
void sn_world_lead_bundles(sn_world *world, const sn_stage *stage);
void sn_world_fit_bundle(const sn_world *world, sn_bundle_body *bundle);
int sn_world_sections(const sn_world *world, sn_bundle_body *bundle, sn_section *out, int capacity);

// muscles_api.c: shapes muscles by the bundles that have taken their place.
void sn_world_lead_muscles(sn_world *world);

// Checks a definition; logs a line for every bad field.
sn_status sn_world_check(const sn_world_def *def);

#endif
