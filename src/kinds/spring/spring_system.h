// All mass-spring bodies of a world: slots with generations, and for each body what the world stores besides its points
// and springs (spring_body.h).
//
// A substep. x and v belong to the body; 'start' has the positions at the start, 'target' the velocities that points
// would have without forces.
//
//     predict    start = x, target = v; held points get the velocity to where they are driven; wind and penalty forces
//                become loads
//     solve      first pass: the integrator's step. Further passes: the implicit integrator solves again
//                (sn_spring_implicit_again), unless the body takes part in the common solve. Then constraints, if any
//     couple     implicit bodies that touch something or are joined: the common solve goes on from there
//                (spring_couple.c)
//     apply      of other bodies, contacts moved a point by d: x += d, v += d/h, target += d/h; a shift moves only x
//                and start
//     finish     a body that is not finite returns to its start, at rest
#ifndef SN_KINDS_SPRING_SPRING_SYSTEM_H
#define SN_KINDS_SPRING_SPRING_SYSTEM_H

#include "base/host.h"
#include "base/slots.h"
#include "geometry/contact_surface.h"
#include "geometry/proxy.h"
#include "kinds/spring/spring_constraints.h"
#include "kinds/spring/spring_implicit.h"
#include "kinds/spring/tet_collision.h"
#include "sinew/spring.h"

typedef struct {
    sn_body_base base;
    sn_spring_body *body;
    // as defined
    sn_spring_integrator integrator;
    sn_spring_solver solver;
    sn_real radius;
    sn_vec3 *home;  // by point: where it was created
    sn_real extent; // m, of home: from end to end
    int (*tets)[4];
    int tet_count;
    int (*triangles)[3];
    int triangle_count;
    sn_vec3 wind;
    sn_real air;
    sn_spring_distance *distances;
    int distance_count;
    bool keep_volumes;
    sn_real strain;
    int rounds;
    sn_real penalty;
    bool naive;
    sn_tet_collider *collider; // if it has a penalty
    double rest_volume;
    uint32_t family; // as defined
    // changed by calls
    sn_vec3 *applied_force; // by point: external force, N
    sn_vec3 *to;            // by point: where it is driven if it is held
    sn_vec3 *from;          // where it was at the start of the step
    int *held;              // points
    int held_count;         //
    // state besides that of the body
    bool woken;              // asleep until the next step
    sn_real *start, *target; // quads, of the substep
    bool moved;              // the first pass of the substep is done
    bool coupled;            // the common solve goes on from there (spring_couple.c)
    bool diverged;           // in the last step
    sn_springs_stats solved;
    // proxies
    int first_node, first_slab;
    int *pill_from;       // by point: the other end of the pill that ends there; -1: none
    uint32_t *owns;       // by triangle: see sn_node_slab
    sn_vec3 *triangle_at; // scratch for the wind: the force on each triangle
    int *triangle_first;  // by point, one extra at the end: triangles around it
    int *triangle_list;
} sn_springs_body;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    sn_slots slots; // of sn_springs_body
    int body_count;
    int64_t dofs;
    sn_tet_contacts contacts; // scratch for penalties
    const sn_stage *stage;    // of the current loop
} sn_springs_system;

// The body in a slot; null: free.
static inline sn_springs_body *sn_springs_in(const sn_springs_system *system, int slot) {
    return system->slots.at[slot].item;
}

extern const sn_kind_ops sn_spring_kind;

static inline sn_springs_system *sn_world_springs(const sn_world *world) {
    return sn_world_system(world, SN_KIND_SPRING);
}

// spring_read.c: operations of the kind's table that read one body.
int sn_springs_get_points(void *system, int slot, sn_vec3 *out, int capacity);
int sn_springs_get_velocities(void *system, int slot, sn_vec3 *out, int capacity);
int sn_springs_get_masses(void *system, int slot, sn_real *out, int capacity);
double sn_springs_mass(void *system, int slot);
double sn_springs_volume(void *system, int slot, bool at_rest);
sn_energy sn_springs_energy(void *system, int slot, sn_vec3 gravity);
sn_box3 sn_springs_bounds(void *system, int slot);
int sn_springs_check_attachment(void *system, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                                const sn_log *log);
bool sn_springs_attachment_pill(void *system, int slot, const sn_attachment *at, sn_attachment_pill *out);
sn_attachment_state sn_springs_attachment_state(void *system, int slot, const sn_attachment *at, bool start);

// The body of a handle; null if it is stale.
sn_springs_body *sn_springs_find(const sn_springs_system *system, sn_body id);
// Takes ownership of the body.
sn_status sn_springs_add(sn_springs_system *system, sn_springs_body *body, sn_body *id);
void sn_springs_put_slot(sn_springs_system *system, sn_springs_body *body, int slot); // into a free one
void sn_springs_remove(void *system, int slot);

// spring_model.c: creates a body from a definition. Errors: SN_ERR_DEF and a line for each.
sn_status sn_springs_model(sn_memory *memory, const sn_log *log, int lanes, const sn_springs_def *def,
                           sn_springs_body **out);
void sn_springs_body_free(sn_memory *memory, sn_springs_body *body);
// Lists held points again after masses have changed.
void sn_springs_list_held(sn_springs_body *body);

// spring_work.c: work of loads, of the wind and of held points that move, in the substep.
double sn_springs_work(void *system, const sn_stage *stage);
// spring_wind.c: adds the wind to the loads of a body for a substep.
void sn_springs_add_wind(sn_springs_body *body, sn_real h, sn_pool *pool);
// tet_penalty.c: adds the forces between bodies with a penalty to their loads.
void sn_springs_add_penalties(sn_springs_system *system, const sn_stage *stage);

// spring_proxy.c
int sn_springs_count_nodes(void *system, int *colliding);
int sn_springs_count_slabs(void *system);
void sn_springs_write_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool);
void sn_springs_update_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool start);
void sn_springs_apply(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool shift);
bool sn_springs_self_collides(void *system, int body, int a, int b);
sn_sleep_state *sn_springs_rest(void *system, int body);
sn_real sn_springs_normalised_speed(const sn_springs_body *body, sn_real gravity);
void sn_springs_normalised_speeds(void *system, sn_real gravity, sn_real *out);

// spring_couple.c
bool sn_springs_couples(void *system, int slot);
bool sn_springs_couple(void *system, const sn_stage *stage, const struct sn_solve *solve, int first_body,
                       int first_node, int op);
void sn_springs_constrain(sn_springs_body *body, sn_real h); // spring_system.c
// After an implicit step: shortens it if it gained energy. spring_descent.c
void sn_springs_descend(sn_springs_body *body, sn_real h, sn_pool *pool);

// spring_energy.c
double sn_springs_volume_of(const sn_springs_body *body, const sn_vec3 *points); // points null: current
void sn_springs_measure(void *system, sn_vec3 gravity, sn_totals *totals);
uint64_t sn_springs_hash(void *system, uint64_t hash);
void sn_springs_save(void *system, sn_stream *stream);

#endif
