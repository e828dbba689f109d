// An elastic body in the subspace of its handles, moved by semi-reduced projective dynamics (paper, sections 4.2 and
// 4.3).
//
// Implicit Euler is the least value of
//
//     E(q) = 1/(2h^2) |x - x*|^2_M + sum over tetrahedra of W(F(x)),      x = Û q                          (eq. 5)
//     x* = x_t + h v_t + h^2 (g + f/m)
//
// An iteration evaluates the gradient of E in the full space, by all tetrahedra (local), takes it to the handles, and
// solves with the constant matrix A of reduced.h (global):
//
//     q <- q - A^-1 Û^T grad E
//
// which is eq. 8, written for the change of q: for the rest, the numbers of q itself would be found again and again
// with the rounding error of the whole. x* stays in full space too, so that no mass matrix is ever inverted, and
// gravity and forces at vertices need no reduction. Every iteration makes E less.
//
// Other laws (materials.h) have other W, and the same matrix: near rest it bounds their tangents as well. Where strains
// are large it may not, and a step could make E more; such a step is taken back and a shorter one tried (accelerate.h).
//
// The state between steps is q and its rate alone: 3 x columns numbers each, coordinate after coordinate.
//
// A step is
//
//     set_step(h)   when h is new: the factor for it, shared by all bodies of the space with this material
//     predict       x*, and a start
//     [ solve       a few iterations
//       take ]*     what contacts have moved, if anything
//     finish        rates
//
// Functions with a pool share their work out, and give the same for any number of workers; a null pool is the caller
// alone, so that many bodies may step at the same time.
#ifndef SN_KINDS_ELASTIC_ELASTIC_BODY_H
#define SN_KINDS_ELASTIC_ELASTIC_BODY_H

#include "kinds/elastic/elastic_kernels.h"
#include "sinew/world.h"

typedef struct {
    sn_real young;   // Pa
    sn_real poisson; // 0 <= poisson < 0.5
    sn_elastic_law law;
    sn_real law_shape; // of Mooney-Rivlin and Arruda-Boyce, see sn_hyper_make; 0: the usual
    sn_real density;   // kg/m^3
    sn_real damping;   // velocities fade by exp(-damping t), 1/s
    // How stiffly the surface can be pushed by sn_elastic_body_push, over how stiffly the body holds it itself. It is
    // part of the matrix whether anything pushes or not and slows convergence down; 0 for bodies that only contacts of
    // spheres move.
    sn_real ghost;
    // Past iterations that speed up the next (Anderson's acceleration), 0 to SN_ELASTIC_MEMORY; at least 1 for laws that
    // are not projective, which have to look back.
    int memory;
    // Where it starts: rest positions are turned, then moved. Velocity of the origin of the rest positions, and spin
    // (rad/s, world axes).
    sn_vec3 position;
    sn_quat rotation;
    sn_vec3 velocity, spin;
} sn_elastic_body_def;

enum { SN_ELASTIC_MEMORY = 6 };

// Soft rubber: 1e5 Pa, 0.4, 1000 kg/m^3, not damped, no ghosts, a memory of 5, at the origin.
sn_elastic_body_def sn_elastic_body_def_default(void);

// A surface vertex held towards a place (normal 0) or, where it is below it, towards a plane with this normal through
// it.
typedef struct {
    int vertex; // the asset's
    sn_vec3 target;
    sn_vec3 normal;
    sn_real weight; // 0 to 1, of the vertex's ghost stiffness
} sn_elastic_push;

typedef struct sn_elastic_body {
    sn_memory *memory;
    sn_elastic_space *space;
    sn_elastic_body_def def;
    sn_real shear, bulk;        // 2 mu, 3 lambda
    sn_elastic_law_numbers law; // if it is not projective
    sn_real h, fade;            // of set_step; exp(-damping h)
    sn_reduced_factor *factor;

    sn_real *q, *rate; // the state
    sn_real *start;    // q at the start of the step
    sn_real *shifted;  // q about the origin
    sn_real *change;   // of an iteration
    sn_real *past;     // of the memory: see accelerate.c; null without
    int past_count;
    double past_energy;
    bool fresh;       // no iteration of this step has been made
    sn_real back;     // how much of the last step that made the energy less is tried: see accelerate.c
    sn_vec3 origin;   // somewhere in the body, for single precision's sake
    double course[3]; // of a free body: its volume times the way that its centre of mass goes in this step, m^4

    sn_real *base; // quads by place: what does not move, about the origin; null: nothing is anchored
    sn_quat anchor_rotation;
    sn_vec3 anchor_position;
    sn_real *x, *target; // quads by place, about the origin
    sn_real *local_x, *force, *gradient, *sums;
    sn_real *right, *panel; // of the solve: three rows, see solve.c
    double *energy;         // by chunk
    int row_stride, panel_stride;

    sn_elastic_push *pushes;
    int push_count, push_capacity;
    sn_real *extra; // quads by place; null until something pushes
} sn_elastic_body;

// SN_ERR_RANGE: a number of the definition is out of range or not finite.
sn_status sn_elastic_body_create(sn_memory *memory, sn_elastic_space *space, const sn_elastic_body_def *def,
                                 sn_elastic_body **out);
void sn_elastic_body_destroy(sn_elastic_body *body);

// Must come before the first step and whenever h changes, not while other bodies of the space step. Bodies with the
// same law share a factor; the first takes its time. SN_ERR_RANGE, SN_ERR_MEMORY: as it was.
sn_status sn_elastic_body_set_step(sn_elastic_body *body, sn_real h);

// 'loads': a force (N) for each vertex of the asset, or null. Forgets all pushes.
void sn_elastic_body_predict(sn_elastic_body *body, sn_vec3 gravity, const sn_vec3 *loads, sn_pool *pool);

// From now to the end of the step; the vertex's last push counts. SN_ERR_RANGE: no ghosts, no such vertex at the
// surface, or not finite. Takes memory only when there are more than ever before.
sn_status sn_elastic_body_push(sn_elastic_body *body, const sn_elastic_push *pushes, int count);

// Iterations; each one looks at every tetrahedron once, and with laws that are not projective there is a last look.
// Returns the length of the last change of q's translations, the largest of all handles (m).
sn_real sn_elastic_body_solve(sn_elastic_body *body, int iterations, sn_pool *pool);

// Rates, with damping. False: the body has become non-finite; it is put back to the start of the step, at rest.
bool sn_elastic_body_finish(sn_elastic_body *body);

// Whether every number of the state is finite, and the cubes that volumes are made of, and the squares of energies.
bool sn_elastic_body_is_sound(const sn_elastic_body *body);

// A state, as q and rate have it: to go on from there.
void sn_elastic_body_restore(sn_elastic_body *body, const sn_real *q, const sn_real *rate);

// Mixes the state.
uint64_t sn_elastic_body_hash(const sn_elastic_body *body, uint64_t hash);

// Where anchored vertices are held from now on: rest positions turned, then moved.
void sn_elastic_body_move_anchors(sn_elastic_body *body, sn_quat rotation, sn_vec3 position);

// ---- reading (read.c)

// Every vertex of the asset, m; velocities, m/s.
void sn_elastic_body_vertices(sn_elastic_body *body, sn_vec3 *out, sn_pool *pool);
void sn_elastic_body_velocities(sn_elastic_body *body, sn_vec3 *out, sn_pool *pool);

// Adds energies (J; gravity's is 0 at the origin) and momentum, as of now.
void sn_elastic_body_measure(sn_elastic_body *body, sn_vec3 gravity, sn_energy *energy, sn_momentum *momentum,
                             sn_pool *pool);

// ---- spheres (spheres.c): the nodes that others touch

// Centres now and at the start of the step, radii now; any may be null. A radius follows the volume around its centre.
// One medial sphere as it is now.
sn_vec3 sn_elastic_body_sphere(const sn_elastic_body *body, int sphere, sn_real *radius);
void sn_elastic_body_spheres(const sn_elastic_body *body, sn_vec3 *centre, sn_vec3 *start, sn_real *radius);

// Inverse masses of spheres as contacts feel them, 1/kg: see sn_elastic_body_take. 0 where only anchors hold.
void sn_elastic_body_sphere_yield(const sn_elastic_body *body, sn_real *out);

// Moves spheres within a step: by impulses, each of which moves its sphere by 'moved' (m) through the translations of
// the handles it follows, in the metric of their masses; the body then flies on with these impulses. As a mere shift
// ('shift') the start of the step moves along, so that no velocity comes of it. Impulses are moved / (yield h), and
// momentum changes by their sum.
void sn_elastic_body_take(sn_elastic_body *body, const sn_vec3 *moved, bool shift, sn_pool *pool);

#endif
