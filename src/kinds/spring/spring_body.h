// A mass-spring body: points with mass, springs with dampers, and optionally tetrahedra that resist a change of volume.
//
// A spring between points i and j, with d = x_j - x_i, l = |d|, r = d / l, pulls i towards j with
//
//     f = k (l - l0) r     +  c ((v_j - v_i) . r) r       absolute elongation, k in N/m
//     f = k (l - l0)/l0 r  +  c ((v_j - v_i) . r) r       relative elongation, k in N
//
// and j with the opposite force. Both ends compute the same numbers up to their sign, so the sum of all spring forces
// is 0 up to the rounding of sums.
//
// Every point sums over its own springs in the given order. That computes each spring twice, but no thread writes what
// another reads: no colouring, no locks, and the result does not depend on the number of workers. Groups of 16 points
// are processed together:
//
//     group of 16 points    slot 0:  other[16]  stiffness[16]  rest[16]  damping[16]     the first spring of each
//                           slot 1:  other[16]  ...                                      the second, and so on
//
// A point with fewer springs than others of its group has empty slots: springs of stiffness 0 to itself.
#ifndef SN_KINDS_SPRING_SPRING_BODY_H
#define SN_KINDS_SPRING_SPRING_BODY_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "sinew/spring.h"

enum {
    SN_SPRING_ROW = 16,    // points per group, the widest lanes
    SN_SPRING_CHUNK = 512, // points per task, and per partial sum of a dot product
    SN_SPRING_SCRATCH = 9, // vectors for integrators
};

// The definition of a body. Arrays are copied. A mass of 0 means that the point is held: it moves with its velocity,
// whatever forces act on it.
typedef struct {
    const sn_vec3 *points;
    const sn_vec3 *velocities; // null: at rest
    const sn_real *masses;     // kg
    int count;
    const sn_spring *springs;
    int spring_count;
    sn_spring_law law;
    const int (*tets)[4]; // that resist a change of volume: see spring_volume.h; may be null
    int tet_count;
    sn_real bulk; // Pa, of the tetrahedra's volume springs
    int lanes;    // width of the kernels: 1, 4, 8 or 16; 0: the widest this build and machine have
} sn_spring_def;

// The springs in the layout for kernels, see above.
typedef struct {
    int group_count;
    int *first;     // first slot of each group; one extra at the end
    int32_t *other; // the other end of each entry, slot after slot
    sn_real *stiffness, *rest, *damping;
    int *entry; // two per spring: its entries at the ends a and b
} sn_spring_rows;

// Tetrahedra with volume springs, and those around each point.
typedef struct {
    int count;
    int (*corner)[4];
    sn_real *rest; // m^3
    sn_real bulk;
    int *first;       // by point; one extra at the end
    int *at;          // 4 * tet + corner
    sn_real *slope;   // 4 quads per tetrahedron: the derivatives of its volume by its corners
    sn_real *elastic; // by tetrahedron: along its derivatives, see spring_volume.h
} sn_spring_volumes;

struct sn_spring_kernels;
typedef struct sn_spring_coarse sn_spring_coarse;

typedef struct {
    sn_memory *memory;
    int count;  // points
    int padded; // count rounded up to whole groups; the extra points are held and have no springs
    int chunks;
    // Quads: x, y, z, 0 of each point, so that they can be loaded whole and transposed to lanes.
    sn_real *x, *v;
    sn_real *load;             // N, external forces; set by the user of this file
    sn_real *force;            // N, of the last evaluation
    sn_real *mass, *inverse;   // kg; 1/kg, 0: held
    sn_real drag;              // 1/s, the air's force is -m drag v; set by the user of this file
    sn_vec3 gravity;           // m/s^2; set by the user of this file
    sn_spring *springs;        // as given
    int spring_count;          //
    sn_spring_law law;         //
    sn_spring_rows rows;       //
    sn_spring_volumes volumes; //
    bool damped;               // some spring has a damper
    sn_real *displacement;     // Verlet: displacement in the last step,
    sn_real displacement_h;    // and the length of that step; 0: not known
    sn_real *gain;             // implicit: the change of velocity in the last step
    double whole;              // implicit: squared reference for the step's residuals
    sn_real *scratch[SN_SPRING_SCRATCH];
    sn_real *tangent;         // implicit: 4 numbers per entry, see spring_implicit.h
    sn_real *precondition;    // implicit: 6 numbers per point, by groups
    double *partial;          // 2 per chunk
    sn_spring_coarse *coarse; // implicit: second level of the preconditioner, see spring_coarse.h; or null
    const struct sn_spring_kernels *kernels;
} sn_spring_body;

// Creates a body. SN_ERR_RANGE: an invalid index, mass, stiffness, damping or rest length (negative, not finite, a rest
// length of 0 with the relative law, a tetrahedron without volume), or the build does not have these lanes; 'what' (may
// be null) is then a static string that says what is wrong, and 'which' its index.
sn_status sn_spring_body_create(sn_memory *memory, const sn_spring_def *def, sn_spring_body **out, const char **what,
                                int *which);
void sn_spring_body_destroy(sn_spring_body *body);

// The state by points.
sn_vec3 sn_spring_point(const sn_spring_body *body, int i);
sn_vec3 sn_spring_velocity(const sn_spring_body *body, int i);
// Moves a point and sets its velocity. Call this whenever a point is moved: integrators store previous positions.
void sn_spring_put(sn_spring_body *body, int i, sn_vec3 point, sn_vec3 velocity);
// Holds a point (mass 0), or frees it.
void sn_spring_set_mass(sn_spring_body *body, int i, sn_real mass);
// Changes a spring while running. The caller checks the values.
void sn_spring_set(sn_spring_body *body, int spring, sn_real stiffness, sn_real damping, sn_real rest);

// Computes the forces of all springs, volumes, gravity, drag and loads at positions x and velocities v (quads, 'padded'
// of them) into 'force'. The pool may be null.
void sn_spring_forces(sn_spring_body *body, const sn_real *x, const sn_real *v, sn_real *force, sn_pool *pool);

// The current energy and momentum.
typedef struct {
    double kinetic, elastic, gravity; // J; gravity: relative to height 0
    double momentum[3];               // kg m/s, of the free points
    double spin[3];                   // kg m^2/s, angular momentum about the origin
} sn_spring_totals;
sn_spring_totals sn_spring_measure(const sn_spring_body *body, sn_vec3 gravity);

// Whether every position and velocity is finite.
bool sn_spring_is_finite(const sn_spring_body *body);

// ---- for the files of this room

// Runs fn for every chunk.
void sn_spring_run(const sn_spring_body *body, sn_pool *pool, sn_iteration_fn *fn, void *context);
void sn_spring_run_count(sn_pool *pool, int count, sn_iteration_fn *fn, void *context);
static inline int sn_spring_chunk_end(const sn_spring_body *body, int chunk) {
    const int end = (chunk + 1) * SN_SPRING_CHUNK;
    return end < body->padded ? end : body->padded;
}
static inline sn_vec3 sn_spring_quad(const sn_real *quads, int i) {
    return (sn_vec3){quads[4 * (size_t)i], quads[4 * (size_t)i + 1], quads[4 * (size_t)i + 2]};
}
static inline void sn_spring_set_quad(sn_real *quads, int i, sn_vec3 to) {
    quads[4 * (size_t)i] = to.x, quads[4 * (size_t)i + 1] = to.y, quads[4 * (size_t)i + 2] = to.z;
}
static inline void sn_spring_add_quad(sn_real *quads, int i, sn_vec3 more) {
    quads[4 * (size_t)i] += more.x, quads[4 * (size_t)i + 1] += more.y, quads[4 * (size_t)i + 2] += more.z;
}

#endif
