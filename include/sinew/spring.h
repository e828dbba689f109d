// Mass-spring bodies: points with mass, joined by damped springs. Chains, cloth, thick surfaces, and solids of tetrahedra.
//
// The quick way: sn_springs_make_cloth and the like create the points and springs; sn_springs_def_of turns them into a
// definition.
#ifndef SINEW_SPRING_H
#define SINEW_SPRING_H

#include "body.h"

// A spring. Its force is stiffness * (length - rest), or stiffness * (length - rest) / rest with the relative law, plus
// damping * d(length)/dt.
typedef struct {
    int a, b;          // points
    sn_real stiffness; // N/m; N with the relative law
    sn_real damping;   // N s/m
    sn_real rest;      // rest length, m
} sn_spring;

// The law of a spring's force.
typedef enum {
    SN_SPRING_ABSOLUTE = 0, // proportional to the elongation
    SN_SPRING_RELATIVE = 1, // proportional to the elongation over the rest length: independent of the resolution
} sn_spring_law;

// Time integrators. All but the first are explicit: stable only if substeps are shorter than about 2 / sqrt(k / m) of the
// stiffest spring (see docs/springs.md), or never.
typedef enum {
    SN_SPRING_IMPLICIT_EULER = 0,   // unconditionally stable; damps
    SN_SPRING_EXPLICIT_EULER = 1,   // always gains energy
    SN_SPRING_SYMPLECTIC_EULER = 2, //
    SN_SPRING_RUNGE_KUTTA_2 = 3,    //
    SN_SPRING_RUNGE_KUTTA_4 = 4,    //
    SN_SPRING_VERLET = 5,           // assumes constant substeps
    SN_SPRING_VERLET_CORRECTED = 6, // corrected for substeps that change
} sn_spring_integrator;

// A hard constraint on the distance of two points, enforced on positions after each substep.
typedef struct {
    int a, b;
    sn_real length; // m
    bool is_max;    // the distance may be shorter
} sn_spring_distance;

// The definition of a mass-spring body. Start from sn_springs_def_default() or sn_springs_def_of(). Arrays are copied.
typedef struct {
    const sn_vec3 *points;     // m
    const sn_vec3 *velocities; // m/s; null: at rest. Ignored for held points
    const sn_real *masses;     // kg; 0: the point is held and moves only by sn_springs_move
    int point_count;           // 1 or more
    const sn_spring *springs;  //
    int spring_count;          //
    sn_spring_law law;         // default SN_SPRING_ABSOLUTE
    const int32_t *tets;       // four points each, of positive volume: (b - a) x (c - a) . (d - a) > 0; or null
    int tet_count;             //
    sn_real bulk;              // bulk modulus of the tetrahedra, Pa; default 0 = none
    const int32_t
        *triangles;     // three points each: the surface, for contact, wind and drawing. Null: the boundary of the
                        // tetrahedra. Without either, the springs collide; points without springs do not
    int triangle_count; //
    sn_real radius;     // contact radius: half the thickness, m; default 0.005
    sn_spring_integrator integrator;     // default SN_SPRING_IMPLICIT_EULER
    sn_real tolerance;                   // implicit: relative tolerance of the linear solver; default 1e-3
    int iterations;                      // implicit: maximum iterations of the linear solver; default 200
    bool exact;                          // implicit: safeguard compressed springs only if needed; default false
    sn_real drag;                        // linear drag: a force -drag m v on every point, 1/s; default 0
    sn_vec3 wind;                        // m/s; default 0
    sn_real air;                         // density of the air, kg/m^3; default 0 = none; about 1.2 in nature
    const sn_spring_distance *distances; // or null
    int distance_count;                  //
    bool keep_volumes;                   // hard constraint: tetrahedra keep their volumes; enforced after each substep
    sn_real strain; // hard limit: springs are no longer than (1 + strain) times their rest length; default 0 = no limit
    int rounds;     // iterations over distances, volumes and strain, 1 to 1000; default 10
    // Penalty stiffness, N/m, for points inside tetrahedra of another body that has a penalty too; such bodies have no other
    // contact with each other. Default 0 = contact as with every other body.
    sn_real penalty;
    bool penalty_naive; // penalty along the shortest exit, which may be wrong; for comparison
    sn_surface surface; // default sn_surface_default()
    bool collide;       // with other bodies; default true
    bool self_collide;  // with its own triangles (or springs) that share no point; default false
    uint32_t family;    // mass-spring bodies of the same family do not collide with each other; default 0 = none
    uint64_t label;     // yours; reported when the body diverges
    uint32_t init_mark; // set by sn_springs_def_default, always checked
} sn_springs_def;

// Returns the defaults named above.
SN_API sn_springs_def sn_springs_def_default(void);

// Creates a body. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null.
SN_API sn_status sn_springs_create(sn_world *world, const sn_springs_def *def, sn_body *out);

// The number of springs, triangles and tetrahedra; 0 if the handle is stale.
SN_API int sn_springs_spring_count(const sn_world *world, sn_body springs);
SN_API int sn_springs_triangle_count(const sn_world *world, sn_body springs);
SN_API int sn_springs_tet_count(const sn_world *world, sn_body springs);

// These getters write at most 'capacity' elements (three indices per triangle, four per tetrahedron) and return how many there
// are; 0 if the handle is stale.
SN_API int sn_springs_get_springs(const sn_world *world, sn_body springs, sn_spring *out, int capacity);
SN_API int sn_springs_get_triangles(const sn_world *world, sn_body springs, int32_t *out, int capacity);
SN_API int sn_springs_get_tets(const sn_world *world, sn_body springs, int32_t *out, int capacity);

// The contact radius given at creation.
SN_API sn_real sn_springs_radius(const sn_world *world, sn_body springs);

// Sets the position and velocity of a point. A held point ignores the velocity.
SN_API sn_status sn_springs_put(sn_world *world, sn_body springs, int point, sn_vec3 position, sn_vec3 velocity);

// Sets the positions or velocities of all points; count = the number of points. Not meant for every step: to drive a body,
// hold points and move them.
SN_API sn_status sn_springs_set_points(sn_world *world, sn_body springs, const sn_vec3 *points, int count);
SN_API sn_status sn_springs_set_velocities(sn_world *world, sn_body springs, const sn_vec3 *velocities, int count);

// Sets the mass of a point, kg. 0 holds it in place; a positive mass releases it.
SN_API sn_status sn_springs_set_mass(sn_world *world, sn_body springs, int point, sn_real mass);
SN_API sn_status sn_springs_get_mass(const sn_world *world, sn_body springs, int point, sn_real *out);

// Sets the position of a held point at the end of the next step; substeps move it there evenly. SN_ERR_RANGE if it is not
// held.
SN_API sn_status sn_springs_move(sn_world *world, sn_body springs, int point, sn_vec3 to);
SN_API sn_status sn_springs_get_target(const sn_world *world, sn_body springs, int point, sn_vec3 *out);

// Changes a spring; see sn_spring.
SN_API sn_status sn_springs_set_spring(sn_world *world, sn_body springs, int spring, sn_real stiffness, sn_real damping,
                                       sn_real rest);
SN_API sn_status sn_springs_get_spring(const sn_world *world, sn_body springs, int spring, sn_spring *out);

// Sets the external force on a point, N; it persists until changed.
SN_API sn_status sn_springs_set_force(sn_world *world, sn_body springs, int point, sn_vec3 force);
SN_API sn_status sn_springs_get_force(const sn_world *world, sn_body springs, int point, sn_vec3 *out);

// Applies an impulse to a point, N s: its velocity changes by impulse / mass. SN_ERR_RANGE if it is held.
SN_API sn_status sn_springs_add_impulse(sn_world *world, sn_body springs, int point, sn_vec3 impulse);

// Sets the wind, m/s, and the density of the air, kg/m^3 (0: no air). The pressure on a triangle is density/2 times the square
// of the air's relative velocity along its normal.
SN_API sn_status sn_springs_set_wind(sn_world *world, sn_body springs, sn_vec3 wind, sn_real air);
SN_API sn_status sn_springs_get_wind(const sn_world *world, sn_body springs, sn_vec3 *wind, sn_real *air);

// Statistics of the implicit solver in the last step.
typedef struct {
    int solves;      // linear systems
    int iterations;  // conjugate gradient iterations in all
    int guarded;     // solves that needed the safeguard although 'exact' was set
    double residual; // the largest final relative residual
} sn_springs_stats;

// All zero before the first step, for explicit integrators, for sleeping bodies, and if the handle is stale.
SN_API sn_springs_stats sn_springs_last_solve(const sn_world *world, sn_body springs);

// ---- nets: the points and springs of common bodies

// The parameters of one kind of springs of a net. Both 0: none are created.
typedef struct {
    sn_real stiffness, damping;
} sn_spring_params;

// The arrays of a mass-spring body. You may change them (mass 0 holds a point); free them with sn_spring_net_free.
typedef struct {
    sn_vec3 *points;
    sn_real *masses;
    int count, point_capacity, mass_capacity;
    sn_spring *springs;
    int spring_count, spring_capacity;
    int32_t *tets; // four points each
    int tet_count, tet_capacity;
    int32_t *triangles; // three points each
    int triangle_count, triangle_capacity;
    const char *error;      // after SN_ERR_RANGE: the error message; else null
    sn_allocator allocator; // of the arrays
} sn_spring_net;

// Points on a straight line; the end points have half the mass of the others.
typedef struct {
    sn_vec3 from, to;        // m; default from the origin 1 m along x
    int count;               // points, 2 or more; default 11
    sn_real mass;            // kg, of all; default 0.1
    sn_spring_params params; // default 1000 N/m, 0.1 N s/m
} sn_spring_chain;

// columns x rows points in a parallelogram, row by row. Structural springs join neighbours, shear springs cross each cell,
// bend springs skip one point:
//
//     structural  o---o        shear  o . . o      bend  o---o---o
//                 |   |               .  X  .            `-------'
//                 o---o               o . . o
typedef struct {
    sn_vec3 corner;              // m; default the origin
    sn_vec3 across, down;        // the two sides from the corner, m; default 1 m along x and along z
    int columns, rows;           // 2 or more each; default 21
    sn_real mass;                // kg, of all; default 0.2
    sn_spring_params structural; // default 500 N/m, 0.05 N s/m
    sn_spring_params shear;      // default 200 N/m, 0.05 N s/m
    sn_spring_params bend;       // default 20 N/m, 0.01 N s/m
} sn_spring_cloth;

// Any triangle mesh as cloth: springs on edges, and bend springs between the two vertices opposite an edge (they resist shear
// too), unless an edge joins these already. 'shells' adds virtual shells: copies offset by 'spacing' along the vertex
// normals (negative: inwards), each with its own edges, and each joined to the previous one by a straight spring per point
// and two diagonal springs per edge. They give the surface a thickness that resists bending.
//
//     o-------o       surface
//     | .   . |
//     |   X   |       straight and diagonal springs
//     | .   . |
//     o-------o       shell
typedef struct {
    const sn_vec3 *points;
    int count;
    const int32_t *triangles; // three points each
    int triangle_count;
    sn_real density;           // kg/m^2, of all shells together; default 0.2
    sn_spring_params edge;     // default 500 N/m, 0.05 N s/m
    sn_spring_params bend;     // default 20 N/m, 0.01 N s/m
    int shells;                // default 0
    sn_real spacing;           // m; default -0.02
    sn_spring_params straight; // from point to copy; default 500 N/m, 0.05 N s/m
    sn_spring_params diagonal; // default 500 N/m, 0.05 N s/m
} sn_spring_surface;

// Tetrahedra: a spring on every edge; the mass of each tetrahedron is shared equally by its corners.
typedef struct {
    const sn_vec3 *points;
    int count;
    const int32_t *tets; // four points each
    int tet_count;
    sn_real density;       // kg/m^3; default 1000
    sn_spring_params edge; // default 500 N/m, 0.5 N s/m
    bool volumes;          // include the tetrahedra, for bulk, penalty and the surface; default true
} sn_spring_solid;

// Returns the defaults named above.
SN_API sn_spring_chain sn_spring_chain_default(void);
SN_API sn_spring_cloth sn_spring_cloth_default(void);
SN_API sn_spring_surface sn_spring_surface_default(void);
SN_API sn_spring_solid sn_spring_solid_default(void);

// Create nets. 'allocator' may be null: malloc and free. Points are in the order given; rest lengths are the distances between
// them. On SN_ERR_RANGE (out->error is the message) and SN_ERR_MEMORY the net is empty.
SN_API sn_status sn_springs_make_chain(const sn_spring_chain *chain, const sn_allocator *allocator, sn_spring_net *out);
SN_API sn_status sn_springs_make_cloth(const sn_spring_cloth *cloth, const sn_allocator *allocator, sn_spring_net *out);
SN_API sn_status sn_springs_make_surface(const sn_spring_surface *surface, const sn_allocator *allocator,
                                         sn_spring_net *out);
SN_API sn_status sn_springs_make_solid(const sn_spring_solid *solid, const sn_allocator *allocator, sn_spring_net *out);

// Frees a net's arrays and empties it.
SN_API void sn_spring_net_free(sn_spring_net *net);

// Returns a definition with the defaults and the arrays of a net; valid until the net is freed.
SN_API sn_springs_def sn_springs_def_of(const sn_spring_net *net);

#endif
