// An elastic body in the subspace of its handles, stepped by semi-reduced projective dynamics (paper, sections 4.2 and
// 4.3).
//
// Implicit Euler minimises
//
//     E(q) = 1/(2h^2) |x - x*|^2_M + sum over tetrahedra of W(F(x)),      x = Û q                          (eq. 5)
//     x* = x_t + h v_t + h^2 (g + f/m)
//
// An iteration evaluates the gradient of E in the full space over all tetrahedra (local), reduces it to the handles,
// and solves with the constant matrix A of reduced.h (global):
//
//     q <- q - A^-1 Û^T grad E
//
// This is eq. 8, written for the change of q: solving for q itself would have a rounding error relative to all of q. x*
// stays in full space too, so no mass matrix is inverted, and gravity and vertex forces need no reduction. Every
// iteration decreases E.
//
// Other material models (elastic_materials.h) have other W but use the same matrix: near rest it bounds their tangents
// as well. At large strains it may not, and a step could increase E; it is then shortened (elastic_anderson.h).
//
// The state between steps is q and its rate only: 3 x columns numbers each, coordinate after coordinate.
//
// A step is
//
//     set_step(h)        when h has changed: gets its factor, shared by all bodies of the space with this material
//     predict            x* and the start of the iterations
//     [ solve            a few iterations
//       move_spheres ]*  applies displacements by contacts
//     finish             rates
//
// Functions with a pool run in parallel, with the same result for any number of workers. A null pool runs serially, so
// that many bodies may step at the same time.
#ifndef SN_KINDS_ELASTIC_ELASTIC_BODY_H
#define SN_KINDS_ELASTIC_ELASTIC_BODY_H

#include "kinds/elastic/elastic_kernels.h"
#include "sinew/world.h"

typedef struct {
    sn_real young;              // Pa
    sn_real poisson;            // 0 <= poisson < 0.5
    sn_elastic_law law;         // material model
    sn_real material_parameter; // of Mooney-Rivlin and Arruda-Boyce, see sn_hyper_init; 0: default
    sn_real density;            // kg/m^3
    sn_real damping;            // velocities decay as exp(-damping t), 1/s
    // Stiffness of pins (sn_elastic_body_pin) relative to the stiffness of the surface itself. It is part of the matrix
    // even without pins and slows convergence; 0 for bodies that only contacts of spheres move.
    sn_real ghost;
    // Iterations in the history of Anderson acceleration, 0 to SN_ANDERSON_MAX; at least 1 for materials that are not
    // projective, which need it to backtrack.
    int anderson_window;
    // Initial pose: rest positions are rotated, then translated. Velocity of the origin of the rest positions, and
    // angular velocity (rad/s, world axes).
    sn_vec3 position;
    sn_quat rotation;
    sn_vec3 velocity, spin;
} sn_elastic_body_def;

enum { SN_ANDERSON_MAX = 6 };

// Soft rubber: 1e5 Pa, 0.4, 1000 kg/m^3, undamped, no ghosts, a window of 5, at the origin.
sn_elastic_body_def sn_elastic_body_def_default(void);

// Pulls a surface vertex to a target (normal 0) or, if it is below it, to the plane through the target with this
// normal.
typedef struct {
    int vertex; // the asset's
    sn_vec3 target;
    sn_vec3 normal;
    sn_real weight; // 0 to 1, of the vertex's ghost stiffness
} sn_elastic_pin;

typedef struct sn_elastic_body {
    sn_memory *memory;
    sn_elastic_space *space;
    sn_elastic_body_def def;
    sn_real shear, bulk;                    // 2 mu, 3 lambda
    sn_elastic_material_constants material; // unless projective
    sn_real h;                              // step length
    sn_real velocity_scale;                 // exp(-damping h)
    sn_reduced_factor *factor;

    sn_real *q, *rate; // the state
    sn_real *start;    // q at the start of the step
    sn_real *shifted;  // q relative to the origin
    sn_real *change;   // of an iteration
    sn_real *history;  // of Anderson acceleration, see elastic_anderson.c; null: none
    int history_count;
    double last_energy;
    bool first_iteration;  // of this step is still to come
    sn_real step_scale;    // fraction of the last step to try, see elastic_anderson.c
    sn_vec3 origin;        // a point in the body; x and target are relative to it for precision
    double free_motion[3]; // of a free body: volume times displacement of its centre of mass in this step, m^4

    sn_real *base; // quads by sorted vertex: the anchored part of x, relative to the origin; null: no anchors
    sn_quat anchor_rotation;
    sn_vec3 anchor_position;
    sn_real *x, *target; // quads by sorted vertex, relative to the origin
    sn_real *local_x, *force, *gradient, *sums;
    sn_real *right, *panel; // of the solve: three rows, see elastic_solve.c
    double *energy;         // by chunk
    int row_stride, panel_stride;

    sn_elastic_pin *pins;
    int pin_count, pin_capacity;
    sn_real *extra; // forces of pins: quads by sorted vertex; null until the first pin
} sn_elastic_body;

// SN_ERR_RANGE: a number of the definition is out of range or not finite.
sn_status sn_elastic_body_create(sn_memory *memory, sn_elastic_space *space, const sn_elastic_body_def *def,
                                 sn_elastic_body **out);
void sn_elastic_body_destroy(sn_elastic_body *body);

// Call it before the first step and whenever h changes, not while other bodies of the space step. Bodies with the same
// material share a factor; creating it takes time. SN_ERR_RANGE, SN_ERR_MEMORY: nothing changes.
sn_status sn_elastic_body_set_step(sn_elastic_body *body, sn_real h);

// `loads`: a force (N) for each vertex of the asset, or null. Removes all pins.
void sn_elastic_body_predict(sn_elastic_body *body, sn_vec3 gravity, const sn_vec3 *loads, sn_pool *pool);

// Adds pins until the end of the step; the last pin of a vertex counts. SN_ERR_RANGE: no ghosts, no such surface
// vertex, or not finite. Allocates only when there are more pins than ever before.
sn_status sn_elastic_body_pin(sn_elastic_body *body, const sn_elastic_pin *pins, int count);

// Iterates. Each iteration evaluates every tetrahedron once; materials that are not projective need one more evaluation
// at the end. Returns the largest change of a handle's translation in the last iteration, m.
sn_real sn_elastic_body_solve(sn_elastic_body *body, int iterations, sn_pool *pool);

// Updates rates, with damping. False: the body had become non-finite; it is reset to the start of the step, at rest.
bool sn_elastic_body_finish(sn_elastic_body *body);

// Whether every number of the state is finite, including the cubes for volumes and the squares for energies.
bool sn_elastic_body_is_valid(const sn_elastic_body *body);

// Sets the state.
void sn_elastic_body_restore(sn_elastic_body *body, const sn_real *q, const sn_real *rate);

// Mixes the state into a hash.
uint64_t sn_elastic_body_hash(const sn_elastic_body *body, uint64_t hash);

// Moves the anchored vertices: rest positions are rotated, then translated.
void sn_elastic_body_move_anchors(sn_elastic_body *body, sn_quat rotation, sn_vec3 position);

// ---- getters (elastic_energy.c)

// These change nothing in the body: their work arrays are allocated by each call. False: out of memory.

// Positions of all vertices of the asset, m; velocities, m/s.
bool sn_elastic_body_vertices(const sn_elastic_body *body, sn_vec3 *out, sn_pool *pool);
bool sn_elastic_body_velocities(const sn_elastic_body *body, sn_vec3 *out, sn_pool *pool);

// Adds the current energies (J; that of gravity is 0 at the origin) and momentum.
bool sn_elastic_body_add_energy(const sn_elastic_body *body, sn_vec3 gravity, sn_energy *energy, sn_momentum *momentum,
                                sn_pool *pool);

// ---- medial spheres (medial_spheres.c): the collision nodes

// One medial sphere now.
sn_vec3 sn_elastic_body_sphere(const sn_elastic_body *body, int sphere, sn_real *radius);
// Centres now and at the start of the step, and radii now; any may be null. A radius scales with the volume around its
// centre.
void sn_elastic_body_spheres(const sn_elastic_body *body, sn_vec3 *centre, sn_vec3 *start, sn_real *radius);

// Inverse masses of spheres for contacts, 1/kg, see sn_elastic_body_move_spheres. 0 for fully anchored spheres.
void sn_elastic_body_sphere_inverse_masses(const sn_elastic_body *body, sn_real *out);

// Moves spheres within a step by impulses. Each moves its sphere by `moved` (m) through the translations of its
// handles, in the metric of their masses; the body keeps the velocity change. With `shift` the start of the step moves
// too, and velocities do not change. Impulses are moved / (inverse_mass h), and momentum changes by their sum.
void sn_elastic_body_move_spheres(sn_elastic_body *body, const sn_vec3 *moved, bool shift, sn_pool *pool);

#endif
