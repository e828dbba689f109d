// All mass-spring bodies of a world: slots with generations, and for each body what the world knows of it besides its
// points and springs (body.h).
//
// A substep goes as follows. x and v are the body's own; 'start' is where points were, 'wish' the velocity that they
// would have without forces.
//
//     predict    start = x, wish = v; held points get the velocity that takes them where they are led; wind and
//                penalty forces become loads
//     solve      turn 0: the integrator's step. Further turns: the implicit one answers to what contacts did
//                (sn_spring_implicit_again). Constraints, if any, follow
//     take       contacts moved a point by d: x += d, v += d/h, wish += d/h; a mere shift moves x and start
//     finish     a body that is not finite goes back to its start, at rest
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
    sn_vec3 *home;  // by point: where it was made
    sn_real extent; // m, of that: from end to end
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
    sn_tet_collider *collider; // with a penalty
    double rest_volume;
    uint32_t family; // as given
    // changed by calls
    sn_vec3 *applied_force; // by point: external force, N
    sn_vec3 *to;            // by point: where it is led if it is held
    sn_vec3 *from;          // and where it was at the start of the step
    int *held;              // points
    int held_count;         //
    // the state besides that of the body
    bool woken;              // asleep until the next step
    sn_real *start, *target; // quads, of the substep
    bool moved;              // turn 0 of the substep is over
    bool diverged;           // in the last step
    sn_springs_stats solved;
    // as contacts see it
    int first_node, first_slab;
    int *pill_from;       // by point: the other end of the pill that ends there; -1: none
    uint32_t *owns;       // by triangle: see sn_node_slab
    sn_vec3 *triangle_at; // scratch of the wind: the force on each triangle
    int *triangle_first;  // by point, one more at the end: triangles that meet there
    int *triangle_list;
} sn_springs_body;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    sn_slots slots; // of sn_springs_body
    int body_count;
    int64_t dofs;
    sn_tet_contacts contacts; // work space of penalties
    const sn_stage *stage;    // of the running loop
} sn_springs_system;

// Who is in a slot, null: nobody.
static inline sn_springs_body *sn_springs_in(const sn_springs_system *system, int slot) {
    return system->slots.at[slot].item;
}

extern const sn_kind_ops sn_spring_kind;

static inline sn_springs_system *sn_world_springs(const sn_world *world) {
    return sn_world_system(world, SN_KIND_SPRING);
}

// spring_read.c: the rows of the kind's table that are about one body.
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

// The body of an id, null if it is stale.
sn_springs_body *sn_springs_find(const sn_springs_system *system, sn_body id);
// Takes the body over.
sn_status sn_springs_add(sn_springs_system *system, sn_springs_body *body, sn_body *id);
void sn_springs_put_slot(sn_springs_system *system, sn_springs_body *body, int slot); // into a free one
void sn_springs_remove(void *system, int slot);

// model.c: a body from a definition. Mistakes: SN_ERR_DEF and a line for each.
sn_status sn_springs_model(sn_memory *memory, const sn_log *log, int lanes, const sn_springs_def *def,
                           sn_springs_body **out);
void sn_springs_body_free(sn_memory *memory, sn_springs_body *body);
// Lists what is held anew, after masses have changed.
void sn_springs_list_held(sn_springs_body *body);

// wind.c: adds what the air does to the loads of a body for a substep.
void sn_springs_blow(sn_springs_body *body, sn_real h, sn_pool *pool);
// penalty.c: adds the forces between bodies with a penalty to their loads.
void sn_springs_part(sn_springs_system *system, const sn_stage *stage);

// proxy.c
int sn_springs_count_nodes(void *system, int *colliding);
int sn_springs_count_slabs(void *system);
void sn_springs_write_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool);
void sn_springs_update_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool start);
void sn_springs_apply(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool shift);
bool sn_springs_self_collides(void *system, int body, int a, int b);
sn_sleep_state *sn_springs_rest(void *system, int body);
sn_real sn_springs_normalised_speed(const sn_springs_body *body, sn_real gravity);
void sn_springs_normalised_speeds(void *system, sn_real gravity, sn_real *out);

// account.c
double sn_springs_volume_of(const sn_springs_body *body, const sn_vec3 *points); // points null: as they are now
void sn_springs_measure(void *system, sn_vec3 gravity, sn_totals *totals);
uint64_t sn_springs_hash(void *system, uint64_t hash);
void sn_springs_save(void *system, sn_stream *stream);

#endif
