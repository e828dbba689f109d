// A rod in the world: its blocks, the packet and lane that hold its state, and the system of all rods.
#ifndef SN_KINDS_ROD_ROD_BODY_H
#define SN_KINDS_ROD_ROD_BODY_H

#include "base/host.h"
#include "base/math/vec.h"
#include "base/slots.h"
#include "geometry/proxy.h"
#include "kinds/rod/rod_layout.h"
#include "sinew/rod.h"

// A block at rest, and the settings that calls have changed since.
typedef struct {
    sn_real length;         // rest length of the segment to the parent; 0: the root of a tree, or a ghost
    sn_real radius;         // rest radius at the point
    sn_real contact_radius; // the same for contacts: less where overlaps were shrunk, 0: it does not collide
    sn_quat rel;            // rest rotation from the parent's frame
    sn_vec3 bend;           // rest curvature and twist beyond that, in the segment's axes, rad/m
    sn_material material;   // of the segment
    sn_real stiffness;      // multiples set by sn_rod_set_segment
    sn_real contraction;    //
    sn_real mass;           // of the point
    sn_real scale_mass;     // inertia of its scale
    sn_real cap_inertia;    // about the point, of the half ball that rounds off an end; 0: none
    int segments;           // that end at the point
    bool smooth;            // no branch at the parent's point: two segments end there
    int hold;               // sum of sn_hold
    bool ghost;             // holds the frame of a clamped tip
    sn_vec3 rest;           // position of the point in the rest shape
} sn_rod_block;

// The prescribed motion of a held block over the step.
typedef struct {
    sn_real from[X_ROWS], to[X_ROWS];
} sn_rod_driver;

typedef struct {
    sn_body_base base;
    int points, blocks;
    int *parent;         // of blocks
    int *block_of_point; //
    sn_rod_block *block;
    sn_rod_driver *driver; // by block, used where something is held
    int *held;             // the blocks where something is held
    int held_count;
    bool end_caps;
    int clamp[2];           // ghost block that clamps the first and the last point, -1: none
    sn_quat clamp_frame[2]; // its frame at creation
    sn_real damping;        // 1/s
    sn_real rest_volume;
    bool assembled; // the common solve moves it together with other rods
    uint32_t *
        may_self_collide; // self-contact: bit i * blocks + j is set if segments i and j are apart at rest; null: not yet needed
    int group, packet, lane;
    int first_node; // among the proxies of the running step
} sn_rod_body;

// Rods may be tied so firmly to each other that they are one body to the common solve: bundles. For their lanes rods measure
// gradients (r), matrices (terms) and energies; whoever ties them does the rest of each operation (base/solve.h) for all of
// them, after the rods have done theirs, keeps their volume (P_VOLUME is 0), and
// says where they are in the states that energies are measured of.
typedef struct {
    void *user;
    void (*couple)(void *user, const sn_stage *stage, const sn_solve *solve, int first_body, sn_couple_op op);
    // Before rods do their part of SN_COUPLE_MOVE, _START_ENERGY and _END: writes the state that is meant into xn.
    void (*prepare)(void *user, const sn_stage *stage, const sn_solve *solve, sn_couple_op op);
    double (*energy)(void *user, int slot); // a rod's share of what rods do not measure, J: that of volume
} sn_rod_assembler;

// Rods that run in lockstep.
typedef struct {
    sn_topology topology;
    int *tables; // the arrays of the topology, in one block of memory
    size_t table_count;
    sn_packet *packets;
    int packet_count, packet_capacity;
    int rods;      // lanes in use
    int *occupant; // body slot of each lane, packet after packet; -1: free
    int occupant_capacity;
} sn_rod_group;

// A packet's place, for the flat list that workers share.
typedef struct {
    int group, packet;
} sn_rod_place;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    const sn_rod_kernels *kernels;
    int lanes, workers;
    sn_slots slots; // of sn_rod_body
    int body_count;
    int64_t dofs;
    sn_rod_group *groups;
    int group_count, group_capacity;
    sn_rod_place *places;
    int place_count, place_capacity;
    sn_verdict *verdicts; // by place, collected over the substeps
    int verdict_capacity;
    sn_real **scratch; // by worker
    size_t scratch_size;
    sn_rod_assembler assembler;
    sn_real fade_h; // the length of the substep that the packets' fade rows are for; 0: none
    // the running stage, for the workers
    const sn_stage *stage;
} sn_rod_system;

// The rod in a slot; null: the slot is free.
static inline sn_rod_body *sn_rod_in(const sn_rod_system *system, int slot) {
    return system->slots.at[slot].item;
}

extern const sn_kind_ops sn_rod_kind;

static inline sn_rod_system *sn_rods(const sn_world *world) {
    return sn_world_system(world, SN_KIND_ROD);
}

// rod_read.c: the operations of sn_kind_ops on one body.
int sn_rod_get_points(void *system, int slot, sn_vec3 *out, int capacity);
int sn_rod_get_velocities(void *system, int slot, sn_vec3 *out, int capacity);
int sn_rod_get_masses(void *system, int slot, sn_real *out, int capacity);
double sn_rod_mass(void *system, int slot);
double sn_rod_volume(void *system, int slot, bool at_rest);
sn_energy sn_rod_energy(void *system, int slot, sn_vec3 gravity);
sn_box3 sn_rod_bounds(void *system, int slot);
int sn_rod_segment_of(void *system, int slot, int pill);
int sn_rod_node_range(void *system, int slot, int *first);
void sn_rod_set_contact_radii(void *system, int slot, const sn_real *radii);
int sn_rod_check_attachment(void *system, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                            const sn_log *log);
// By which angle over torque a joint at 'along' of block i's segment yields, if the rod ends on that side: the joint's frame is that
// of the segment's middle, and the rod bends and twists from there to the joint, as it does up to a clamp.
void sn_rod_end_compliance(const sn_rod_body *body, int i, sn_real along, sn_real *bend, sn_real *twist);
bool sn_rod_attachment_pill(void *system, int slot, const sn_attachment *at, sn_attachment_pill *out);
sn_attachment_state sn_rod_attachment_state(void *system, int slot, const sn_attachment *at, bool start);
// Length and volume of a body's segments, with the cross-section in the middle of each.
void sn_rod_add_up(const sn_rod_system *system, const sn_rod_body *body, double *length, double *volume);

// rod_topology.c: orders the points of a definition into blocks. The arrays of 'out' hold point_count + 1 (a ghost).
// Returns null, or a message; *field is then the bad field of the definition, or null if there was no memory.
typedef struct {
    int blocks;
    int *parent;         // of block
    int *point_of_block; // -1: ghost
    int *block_of_point;
    int ghost; // block of the ghost of the last point, -1
} sn_rod_order;
const char *sn_rod_order_points(sn_memory *memory, const sn_rod_def *def, sn_rod_order *out, const char **field);
// Fills the tables of a topology for a parent array; 'tables' has room for sn_topology_tables(blocks) ints.
size_t sn_topology_tables(int blocks);
void sn_topology_build(sn_topology *topology, int *tables, int blocks, const int *parent);

// rod_model.c: makes a body and its starting state (X_ROWS + V_ROWS numbers per block) from a definition, and
// parameters from a body.
sn_status sn_rod_model(sn_memory *memory, const sn_log *log, const sn_rod_def *def, sn_rod_body **body,
                       sn_real **start);
void sn_rod_body_free(sn_memory *memory, sn_rod_body *body);
sn_rod_body *sn_rod_body_alloc(sn_memory *memory, int points, int blocks);
double sn_rod_volume_stiffness(const sn_rod_body *body, int block); // pi r^2 kv l of its segment, J
// The largest rest rotation of a joint that can be set, rad.
#define SN_ROD_MAX_BEND 2
// The length over which a joint at the parent's point bends, m; 0: there is no parent.
sn_real sn_rod_joint_length(const sn_rod_body *body, int block);
void sn_rod_block_params(const sn_rod_body *body, int block, sn_real out[P_ROWS]);
// Computes what follows from a body's lengths, radii and materials: mass, scale_mass, segments and smooth of its
// blocks, its damping and rest volume. A block must be lighter than SN_IS_HELD, or it would count as held.
void sn_rod_weigh(sn_rod_body *body);
bool sn_rod_is_light(const sn_rod_block *block);
// Checks whether a body may change to these materials, one per point: returns the number of errors logged. The change
// itself: afterwards, all its parameters must be written.
bool sn_rod_material_is_fine(const sn_material *material);
int sn_rod_check_materials(const sn_log *log, const sn_rod_body *body, const sn_material *materials);
void sn_rod_change_materials(sn_rod_body *body, const sn_material *materials);
// Whether eq. 15, and eqs. 19 and 20, are used anywhere.
bool sn_rod_uses_scale_bend(const sn_rod_body *body);
bool sn_rod_uses_volume_bend(const sn_rod_body *body);

// rod_system.c: adds bodies to packets and removes them.
sn_status sn_rod_system_add(sn_rod_system *system, sn_rod_body *body, const sn_real *start, sn_body *id);
sn_rod_body *sn_rod_find(const sn_rod_system *system, sn_body id); // null if stale
void sn_rod_remove(void *system, int slot);
void sn_rod_write_params(sn_rod_system *system, sn_rod_body *body, int block); // after a change
// After a change of a block's hold or stiffness: joints up to three segments away see it.
void sn_rod_write_params_near(sn_rod_system *system, sn_rod_body *body, int block);
sn_packet *sn_rod_packet_of(const sn_rod_system *system, const sn_rod_body *body);
// One number of a body: row r of block i in one of its packet's arrays.
static inline sn_real *sn_rod_at(const sn_rod_system *system, const sn_rod_body *body, sn_real *array, int rows, int i,
                                 int r) {
    return array + ((size_t)i * (size_t)rows + (size_t)r) * (size_t)system->lanes + (size_t)body->lane;
}
void sn_rod_get(const sn_rod_system *system, const sn_rod_body *body, sn_real *array, int rows, int i, sn_real *out);
void sn_rod_put(const sn_rod_system *system, const sn_rod_body *body, sn_real *array, int rows, int i,
                const sn_real *in);
void sn_rod_set_hold(sn_rod_system *system, sn_rod_body *body, int block, int hold);
int64_t sn_rod_dofs(const sn_rod_body *body);

// rod_energy.c: sums over all rods; rod_save.c: their hash and their saved form.
void sn_rod_measure(void *system, sn_vec3 gravity, sn_totals *totals);
uint64_t sn_rod_hash(void *system, uint64_t hash);
void sn_rod_save(void *system, sn_stream *stream);
sn_status sn_rod_restore_slot(sn_rod_system *system, sn_rod_body *body, const sn_real *start, int slot);

// rod_proxy.c: rods as contacts see them.
int sn_rod_count_nodes(void *system, int *colliding);
void sn_rod_write_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool);
void sn_rod_update_proxies(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool start);
void sn_rod_apply(void *system, const sn_proxy_writer *writer, sn_pool *pool, bool shift);
bool sn_rod_self_collides(void *system, int slot, int a, int b);
void sn_rod_normalised_speeds(void *system, sn_real gravity, sn_real *out);
sn_status sn_rod_set_contact(sn_rod_system *system, sn_rod_body *body, const sn_contact_settings *settings);
size_t sn_rod_collide_table_size(int blocks);

// rod_work.c: work of loads, and of what is held and moved, in the substep.
double sn_rod_work(void *system, const sn_stage *stage);

// rod_energy.c: elastic energies of a body, term by term, in double: the reference for every solver.
enum { E_STRETCH, E_SHEAR, E_SECTION, E_GRADIENT, E_BEND, E_TWIST, E_SCALEBEND, E_VOLUME, E_VOLUME_BEND, E_TERMS };
typedef void sn_rod_state_fn(const void *from, int block, double x[X_ROWS]);
void sn_rod_energy_terms(const sn_rod_body *body, sn_rod_state_fn *state, const void *from, double terms[E_TERMS]);
void sn_rod_energy_now(const sn_rod_system *system, const sn_rod_body *body, double terms[E_TERMS]);

#endif
