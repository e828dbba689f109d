// Rigid bodies: static colliders, kinematic ones that the user moves, and dynamic ones. The mass of the first two is infinite.
#ifndef SN_KINDS_RIGID_RIGID_H
#define SN_KINDS_RIGID_RIGID_H

#include "base/kind.h"
#include "base/solve.h"
#include "geometry/collider.h"
#include "geometry/hull.h"
#include "sinew/rigid.h"

// The mass of a solid: about its centre, along the axes of the geometry.
typedef struct {
    double mass, centre[3];
    double inertia[3][3];
} sn_rigid_mass;

// A convex part of a body, in the frame of the body.
typedef struct {
    sn_hull hull; // no vertices: a pill
    sn_vec3 ends[2];
    sn_real radii[2];
} sn_rigid_convex;

// What contacts see of a dynamic body: spheres, pills between two of them and slabs between three, relative to the centre of mass.
// The first two nodes are the frame: the centre of mass, and a point on the body's z axis; joints hold the pill between them, and it
// does not collide.
enum { SN_RIGID_FRAME_NODES = 2 };
typedef struct {
    int node_count, slab_count;
    sn_vec3 *node;
    sn_real *radius;
    int32_t *pill_from; // by node: the other end of the pill that ends there; -1: none
    int32_t (*slab)[3];
    uint32_t *owns; // by slab: see sn_node_slab
    // The convex parts with slabs: one after the other, each up to slab_end, around the node 'core'. By slab.
    int32_t *slab_first, *slab_end, *core;
    sn_real *under; // by slab: see sn_node_slab
} sn_rigid_solid;

// Where a body is and how it moves: place and velocity of its centre of mass, angular momentum about it.
typedef struct {
    double place[3], rotation[4];
    double velocity[3], momentum[3];
} sn_rigid_state;

// Six unknowns: displacement, rotation vector.
typedef double sn_rigid_vector[6];

typedef struct {
    sn_rigid_mass mass;
    double inverse_inertia[3][3];
    double volume;              // m^3
    double force[3], torque[3]; // loads
    sn_real extent;             // distance of the farthest point of the surface from the centre of mass, m
    sn_real thickness;          // half of what is thinnest of it, m
    sn_rigid_solid solid;
    sn_rigid_state now;
    // ---- the running substep
    sn_rigid_state start, goal; // goal: where it would go without contacts and joints
    double goal_inertia[3][3];  // in the world
    int first_node, first_slab; // of the kind
    bool diverged;
    // ---- in the common solve
    bool coupled;
    sn_solve_limit limit; // of its island
    double trial_place[3], trial_rotation[4];
    sn_rigid_vector r, r_old, z, p, mp, d;
    double factor[6][6]; // L of L L^T
} sn_rigid_dynamic;

typedef struct {
    sn_body_base base;
    sn_collider collider;      // of a dynamic body only its geometry: a hull stands for its parts
    sn_rigid_convex *convex;   // parts of a dynamic body that is no sphere, pill or box
    int convex_count;          //
    sn_real rounding;          //
    sn_rigid_dynamic *dynamic; // null: static or kinematic
} sn_rigid_body;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    sn_slots slots; // of sn_rigid_body
    int body_count, dynamic_count;
} sn_rigid_system;

extern const sn_kind_ops sn_rigid_kind;

static inline sn_rigid_body *sn_rigid_in(const sn_rigid_system *system, int slot) {
    return system->slots.at[slot].item;
}
// Null: a free slot, or a body that is not dynamic.
static inline sn_rigid_dynamic *sn_rigid_dynamic_in(const sn_rigid_system *system, int slot) {
    const sn_rigid_body *body = sn_rigid_in(system, slot);
    return body ? body->dynamic : NULL;
}

// Logs a line for every bad field of a definition except its rotation and the arrays of a mesh; returns their number.
int sn_rigid_errors(const sn_log *log, const sn_rigid_def *def);
#define SN_RIGID_FAR 1e12 // m: a dynamic body is nearer
bool sn_rigid_is_place(sn_vec3 position);
// Whether a body may move so fast.
bool sn_rigid_is_speed(sn_vec3 velocity, sn_vec3 angular_velocity);
void sn_rigid_free(sn_rigid_system *system, sn_rigid_body *body);
// Puts a body into a new slot; -1: no memory.
int sn_rigid_add(sn_rigid_system *system, sn_rigid_body *body);

// rigid_mass.c: of a solid geometry of density 1.
sn_rigid_mass sn_rigid_mass_of(const sn_collider *geometry);
// The same of closed triangles, one after the other, facing outward or all inward.
typedef struct {
    sn_vec3 origin; // near them
    double mass, first[3], second[3][3];
} sn_rigid_mass_sum;
void sn_rigid_mass_triangle(sn_rigid_mass_sum *sum, const sn_vec3 corner[3]);
sn_rigid_mass sn_rigid_mass_end(const sn_rigid_mass_sum *sum);
// Adds 'more' times a density.
void sn_rigid_mass_add(sn_rigid_mass *to, const sn_rigid_mass *more, double density);
// Whether a mass and its moments of inertia are positive, and not more than an sn_real holds.
bool sn_rigid_is_mass(const sn_rigid_mass *mass);
// The inverse of a symmetric matrix.
void sn_rigid_invert(double m[3][3], double out[3][3]);

// rigid_convex.c: how many parts the body of a definition has; 0: its geometry is that of its collider.
int sn_rigid_part_count(const sn_rigid_def *def);
int sn_rigid_part_errors(const sn_log *log, const sn_rigid_def *def);
// body->convex, with mass and inertia for the definition's density of 1.
sn_status sn_rigid_build_parts(sn_memory *memory, const sn_log *log, const sn_rigid_def *def, sn_rigid_body *body,
                               sn_rigid_mass *mass, double *volume);
void sn_rigid_free_parts(sn_memory *memory, sn_rigid_body *body);

// rigid_solid.c: makes a body with a geometry dynamic, from the rest of its definition.
// The nodes, pills and slabs of body->dynamic, from its geometry and mass; false: no memory.
bool sn_rigid_build_solid(sn_memory *memory, sn_rigid_body *body);
sn_status sn_rigid_make_dynamic(sn_rigid_system *system, sn_rigid_body *body, const sn_rigid_def *def);
void sn_rigid_free_dynamic(sn_memory *memory, sn_rigid_dynamic *body);

// rigid_motion.c
void sn_rigid_rotate(const double q[4], const double v[3], double out[3]);
void sn_rigid_rotate_by(const double q[4], const double by[3], double out[4]); // rotates q by a small rotation vector
void sn_rigid_inertia(const sn_rigid_dynamic *body, const double q[4], double out[3][3]);
void sn_rigid_angular_velocity(const sn_rigid_dynamic *body, const sn_rigid_state *state, double out[3]);
// Twice the vector part of the rotation from q to p, and its scalar part, which is not negative.
void sn_rigid_rotation_error(const double p[4], const double q[4], double twice[3], double *scalar);
double sn_rigid_spin_energy(const sn_rigid_dynamic *body, const sn_rigid_state *state);
// The velocity and the momentum of a coupled body whose place and rotation the substep of h came to.
void sn_rigid_set_velocity_of(const sn_rigid_dynamic *body, double h, sn_rigid_state *state);
double sn_rigid_kinetic_energy(const sn_rigid_dynamic *body, const sn_rigid_state *state);
void sn_rigid_predict(sn_rigid_dynamic *body, double h, sn_vec3 gravity);
void sn_rigid_finish(sn_rigid_dynamic *body, double h);
sn_transform sn_rigid_pose(const sn_rigid_dynamic *body, const sn_rigid_state *state); // of the geometry's frame
void sn_rigid_place(sn_rigid_dynamic *body, const sn_transform *pose);

// rigid_proxy.c
int sn_rigid_count_nodes(void *system, int *colliding);
int sn_rigid_count_slabs(void *system);
void sn_rigid_write_proxies(void *system, const struct sn_proxy_writer *writer, sn_pool *pool);
void sn_rigid_update_proxies(void *system, const struct sn_proxy_writer *writer, sn_pool *pool, bool start);

// rigid_couple.c
bool sn_rigid_couple(void *system, const sn_stage *stage, const struct sn_solve *solve, int first_body, int first_node,
                     int op);

// rigid_save.c
void sn_rigid_save(void *system, sn_stream *stream);

#endif
