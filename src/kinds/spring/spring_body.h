// A mass-spring body: points with mass, joined by springs with dampers, and perhaps tetrahedra that keep their volume.
//
// A spring between points i and j, with d = x_j - x_i, l = |d|, r = d / l, pulls i towards j with
//
//     f = k (l - l0) r     +  c ((v_j - v_i) . r) r       absolute elongation, k in N/m
//     f = k (l - l0)/l0 r  +  c ((v_j - v_i) . r) r       relative elongation, k in N
//
// and j with the opposite. Both ends compute the same numbers up to their sign, so the sum of all spring forces is 0
// but for the rounding of sums.
//
// Every point sums over its own springs in the order they were given. That is each spring twice, but nobody writes what
// another reads: no colours, no locks, and the result does not depend on the number of workers. Rows of 16 points are
// worked on together:
//
//     group of 16 points    slot 0:  other[16]  stiffness[16]  rest[16]  damping[16]     the first spring of each
//                           slot 1:  other[16]  ...                                      the second, and so on
//
// A point with fewer springs than the fullest of its group has empty slots: springs of stiffness 0 to itself.
#ifndef SN_KINDS_SPRING_SPRING_BODY_H
#define SN_KINDS_SPRING_SPRING_BODY_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "sinew/spring.h"

enum {
    SN_SPRING_ROW = 16,    // points in a group, the widest lanes
    SN_SPRING_CHUNK = 512, // points in a task, and in a partial sum of a dot product
    SN_SPRING_SCRATCH = 6, // vectors that integrators may use
};

// How a body is made. Arrays are copied. A mass of 0 means that the point is held: it moves with its velocity, whatever
// pulls at it.
typedef struct {
    const sn_vec3 *points;
    const sn_vec3 *velocities; // null: at rest
    const sn_real *masses;     // kg
    int count;
    const sn_spring *springs;
    int spring_count;
    sn_spring_law law;
    const int (*tets)[4]; // that keep their volume: see volume.h; or null
    int tet_count;
    sn_real bulk; // Pa, of the tetrahedra's volume springs
    int lanes;    // width of the kernels: 1, 4, 8 or 16; 0: the widest this build and machine have
} sn_spring_def;

// The springs as the kernels want them, see above.
typedef struct {
    int group_count;
    int *first;     // slot of each group; one more at the end
    int32_t *other; // of each entry, slot after slot
    sn_real *stiffness, *rest, *damping;
    int *entry; // two of each spring: where it lies at its ends a and b
} sn_spring_rows;

// Tetrahedra with volume springs, and which of them meet at each point.
typedef struct {
    int count;
    int (*corner)[4];
    sn_real *rest; // m^3
    sn_real bulk;
    int *first;       // of each point, one more at the end
    int *at;          // 4 * tet + corner
    sn_real *slope;   // 4 quads each: the derivatives of its volume by its corners
    sn_real *elastic; // of each: along its slopes, see volume.h
} sn_spring_volumes;

struct sn_spring_kernels;
typedef struct sn_spring_coarse sn_spring_coarse;

typedef struct {
    sn_memory *memory;
    int count;  // points
    int padded; // to whole groups; the rest are held points without springs
    int chunks;
    // Quads: x, y, z, 0 of each point. So they can be loaded whole and turned into lanes.
    sn_real *x, *v;
    sn_real *load;             // N, external forces: yours to set
    sn_real *force;            // N, of the last evaluation
    sn_real *mass, *inverse;   // kg; 1/kg, 0: held
    sn_real drag;              // 1/s: the air takes m drag v; yours to set
    sn_vec3 gravity;           // m/s^2: yours to set
    sn_spring *springs;        // as given
    int spring_count;          //
    sn_spring_law law;         //
    sn_spring_rows rows;       //
    sn_spring_volumes volumes; //
    bool damped;               // some spring has a damper
    sn_real *displacement;     // Verlet: how far points went in the last step,
    sn_real displacement_h;    // and how long that was; 0: not known
    sn_real *gain;             // implicit: the change of velocity in the last step
    double whole;              // implicit: what residuals of the step are relative to, squared
    sn_real *scratch[SN_SPRING_SCRATCH];
    sn_real *tangent;         // implicit: 4 numbers an entry, see implicit.h
    sn_real *precondition;    // implicit: 6 numbers a point, by groups
    double *partial;          // 2 a chunk
    sn_spring_coarse *coarse; // implicit: a second level of the preconditioner, see coarse.h; or null
    const struct sn_spring_kernels *kernels;
} sn_spring_body;

// Makes a body. SN_ERR_RANGE: an index, a mass, a stiffness, a damping or a rest length cannot be (negative, not
// finite, a rest length of 0 with the relative law, a tetrahedron without volume), or the build has no such lanes;
// 'what' (may be null) then says what in words that live forever, and 'which' its number.
sn_status sn_spring_body_create(sn_memory *memory, const sn_spring_def *def, sn_spring_body **out, const char **what,
                                int *which);
void sn_spring_body_destroy(sn_spring_body *body);

// The state by points.
sn_vec3 sn_spring_point(const sn_spring_body *body, int i);
sn_vec3 sn_spring_velocity(const sn_spring_body *body, int i);
// Puts a point somewhere with some velocity. Whoever moves a point must say so here, for integrators remember where it
// was.
void sn_spring_put(sn_spring_body *body, int i, sn_vec3 point, sn_vec3 velocity);
// Holds a point (mass 0), or frees it.
void sn_spring_set_mass(sn_spring_body *body, int i, sn_real mass);
// Changes a spring while running; the values are as in a definition, and the caller's to check.
void sn_spring_set(sn_spring_body *body, int spring, sn_real stiffness, sn_real damping, sn_real rest);

// Forces of all springs, volumes, gravity, drag and loads at positions x and velocities v (quads, 'padded' of them)
// into 'force'. The pool may be null.
void sn_spring_forces(sn_spring_body *body, const sn_real *x, const sn_real *v, sn_real *force, sn_pool *pool);

// What the body has now.
typedef struct {
    double kinetic, elastic, gravity; // J; gravity: against height 0
    double momentum[3];               // kg m/s, of the free points
    double spin[3];                   // kg m^2/s, angular momentum about the origin
} sn_spring_totals;
sn_spring_totals sn_spring_measure(const sn_spring_body *body, sn_vec3 gravity);

// Whether every position and velocity is a number.
bool sn_spring_is_finite(const sn_spring_body *body);

// --- for the files of this room ---

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
