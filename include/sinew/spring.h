// Mass-spring bodies: points with mass, joined by springs with dampers. Chains, cloth, surfaces with a thickness, and
// solids of tetrahedra. They touch everything else in the world.
//
// The quick way: sn_springs_make_cloth and its like count points and springs for you; sn_springs_def_of turns what they
// made into a definition.
#ifndef SINEW_SPRING_H
#define SINEW_SPRING_H

#include "body.h"

// One spring. It pulls its ends together with stiffness * (length - rest), or with stiffness * (length - rest) / rest
// where the law is relative, and its damper with damping * (how fast it gets longer).
typedef struct {
    int a, b;          // points
    sn_real stiffness; // N/m, or N where the law is relative
    sn_real damping;   // N s/m
    sn_real rest;      // m
} sn_spring;

// How a spring's force grows.
typedef enum {
    SN_SPRING_ABSOLUTE = 0, // with its elongation
    SN_SPRING_RELATIVE = 1, // with its elongation over its rest length: halves of a spring then pull like the whole
} sn_spring_law;

// How a body moves in time. All but the first are explicit: they are stable only if substeps are short for the stiffest
// spring, about 2 / sqrt(k / m) (see docs/springs.md), and some of them never.
typedef enum {
    SN_SPRING_IMPLICIT_EULER = 0,   // always stable; damps
    SN_SPRING_EXPLICIT_EULER = 1,   // gains energy always
    SN_SPRING_SYMPLECTIC_EULER = 2, //
    SN_SPRING_RUNGE_KUTTA_2 = 3,    //
    SN_SPRING_RUNGE_KUTTA_4 = 4,    //
    SN_SPRING_VERLET = 5,           // as if the substep before had been as long as this one
    SN_SPRING_VERLET_CORRECTED = 6, // knows how long it was
} sn_spring_integrator;

// Two points kept apart by just so much, or by no more: put upon the points after each substep, whatever the forces.
typedef struct {
    int a, b;
    sn_real length; // m
    bool is_max;    // it may be shorter
} sn_spring_distance;

// How a body of springs is made. Start from sn_springs_def_default() or sn_springs_def_of(). Arrays are copied.
typedef struct {
    const sn_vec3 *points;     // m
    const sn_vec3 *velocities; // m/s; or null: at rest. Those of held points do not count
    const sn_real *masses;     // kg; 0: the point is held, and moves only by sn_springs_move
    int point_count;           // 1 or more
    const sn_spring *springs;  //
    int spring_count;          //
    sn_spring_law law;         // default SN_SPRING_ABSOLUTE
    const int32_t *tets;       // four points each, of positive volume: (b - a) x (c - a) . (d - a) > 0; or null
    int tet_count;             //
    sn_real bulk;              // Pa: tetrahedra resist a change of their volume; default 0 = they do not
    const int32_t *triangles;  // three points each: the surface, for contact, wind and drawing. Null: the faces of
                               // tetrahedra that no other shares. Without either, springs are what touches, and a
                               // point that has none touches nothing
    int triangle_count;        //
    sn_real radius;            // m, half the thickness: how far from points and triangles things touch; default 0.005
    sn_spring_integrator integrator; // default SN_SPRING_IMPLICIT_EULER
    sn_real tolerance;               // implicit: of the solver, relative; default 1e-3
    int iterations;                  // implicit: of the solver, at most; default 200
    bool exact;                      // implicit: no safeguard for pressed springs unless it is needed; default false
    sn_real drag;                    // 1/s: every point loses this part of its speed a second; default 0
    sn_vec3 wind;                    // m/s; default 0
    sn_real air;                     // kg/m^3: density of the air that triangles move in; default 0; air has 1.2
    const sn_spring_distance *distances; // or null
    int distance_count;                  //
    bool keep_volumes;                   // tetrahedra keep their volumes after each substep, whatever the forces
    sn_real strain; // no spring gets longer than (1 + strain) times its rest length; default 0 = it may
    int rounds;     // of distances, volumes and strain, 1 to 1000; default 10
    // N/m: pushes out points that are within tetrahedra of another body that has a penalty too; these bodies have no
    // other contact with each other. Default 0 = they touch like everything else.
    sn_real penalty;
    bool penalty_naive; // each the nearest way out, which may be the wrong one: only to compare with
    sn_surface surface; // friction and the like; default sn_surface_default()
    bool collide;       // with other bodies and shapes; default true
    bool self_collide;  // also its own triangles (without any: springs), save those that share a point; default false
    uint32_t family;    // bodies of springs of the same family do not touch each other; default 0 = none
    uint64_t label;     // yours; reported when the body diverges
    uint32_t init_mark; // set by sn_springs_def_default, always checked
} sn_springs_def;

// The defaults named above.
SN_API sn_springs_def sn_springs_def_default(void);

// Makes a body. Mistakes: SN_ERR_DEF and a log line for every bad field, naming it; the id is then null.
SN_API sn_status sn_springs_create(sn_world *world, const sn_springs_def *def, sn_body *out);

// How many points, springs, triangles and tetrahedra the body has; 0 if the id is stale.
SN_API int sn_springs_spring_count(const sn_world *world, sn_body springs);
SN_API int sn_springs_triangle_count(const sn_world *world, sn_body springs);
SN_API int sn_springs_tet_count(const sn_world *world, sn_body springs);

// Readers. They write at most 'capacity' elements (three numbers a triangle, four a tetrahedron) and return how many
// there are, 0 if the id is stale.
SN_API int sn_springs_get_springs(const sn_world *world, sn_body springs, sn_spring *out, int capacity);
SN_API int sn_springs_get_triangles(const sn_world *world, sn_body springs, int32_t *out, int capacity);
SN_API int sn_springs_get_tets(const sn_world *world, sn_body springs, int32_t *out, int capacity);

// Half the thickness, as given.
SN_API sn_real sn_springs_radius(const sn_world *world, sn_body springs);

// Puts one point somewhere, with some velocity. A held point stays there, whatever the velocity.
SN_API sn_status sn_springs_put(sn_world *world, sn_body springs, int point, sn_vec3 position, sn_vec3 velocity);

// Puts all points or gives them velocities (count = the number of points). Not for use in every step: to lead a body
// along, hold points and move them.
SN_API sn_status sn_springs_set_points(sn_world *world, sn_body springs, const sn_vec3 *points, int count);
SN_API sn_status sn_springs_set_velocities(sn_world *world, sn_body springs, const sn_vec3 *velocities, int count);

// Changes the mass of a point, kg. 0 holds it where it is; more than 0 frees it.
SN_API sn_status sn_springs_set_mass(sn_world *world, sn_body springs, int point, sn_real mass);
SN_API sn_status sn_springs_get_mass(const sn_world *world, sn_body springs, int point, sn_real *out);

// Where a held point is to be at the end of the next step; substeps move it there evenly. SN_ERR_RANGE if it is not
// held.
SN_API sn_status sn_springs_move(sn_world *world, sn_body springs, int point, sn_vec3 to);
SN_API sn_status sn_springs_get_target(const sn_world *world, sn_body springs, int point, sn_vec3 *out);

// Changes a spring while running: see sn_spring.
SN_API sn_status sn_springs_set_spring(sn_world *world, sn_body springs, int spring, sn_real stiffness, sn_real damping,
                                       sn_real rest);
SN_API sn_status sn_springs_get_spring(const sn_world *world, sn_body springs, int spring, sn_spring *out);

// An external force on a point, N; it stays until changed.
SN_API sn_status sn_springs_set_force(sn_world *world, sn_body springs, int point, sn_vec3 force);
SN_API sn_status sn_springs_get_force(const sn_world *world, sn_body springs, int point, sn_vec3 *out);

// A blow to a point, N s: its velocity changes by impulse / mass. SN_ERR_RANGE if it is held.
SN_API sn_status sn_springs_add_impulse(sn_world *world, sn_body springs, int point, sn_vec3 impulse);

// Changes the wind, m/s, and the density of the air, kg/m^3 (0: no air). The air presses on a triangle with
// density/2 (its velocity along the triangle's normal, relative to it)^2.
SN_API sn_status sn_springs_set_wind(sn_world *world, sn_body springs, sn_vec3 wind, sn_real air);
SN_API sn_status sn_springs_get_wind(const sn_world *world, sn_body springs, sn_vec3 *wind, sn_real *air);

// What the implicit solver did in the last step.
typedef struct {
    int solves;      // linear systems
    int iterations;  // of conjugate gradients, all together
    int guarded;     // solves in which the safeguard had to be used although 'exact' was asked for
    double residual; // the largest that was left, relative, as in tolerance
} sn_springs_stats;

// All zero before the first step, for explicit integrators, for a body asleep, and if the id is stale.
SN_API sn_springs_stats sn_springs_last_solve(const sn_world *world, sn_body springs);

// ---- what bodies are made of

// How a kind of springs of a net feels. Both 0: there are none.
typedef struct {
    sn_real stiffness, damping;
} sn_spring_params;

// A net: the arrays of a body, counted and numbered. They are yours to change (mass 0 holds a point), and to free with
// sn_spring_net_free.
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
    const char *mistake;    // after SN_ERR_RANGE: what cannot be, and what would be right; else null
    sn_allocator allocator; // where the arrays come from
} sn_spring_net;

// Points in a straight line, the mass shared so that ends have half as much as others.
typedef struct {
    sn_vec3 from, to;      // m; default from the origin 1 m along x
    int count;             // points, 2 or more; default 11
    sn_real mass;          // kg, of all; default 0.1
    sn_spring_params feel; // default 1000 N/m, 0.1 N s/m
} sn_spring_chain;

// columns x rows points in a parallelogram, row after row. Structural springs join neighbours, shear springs cross each
// cell, bend springs reach over one point:
//
//     structural  o---o        shear  o . . o      bend  o---o---o
//                 |   |               .  X  .            `-------'
//                 o---o               o . . o
typedef struct {
    sn_vec3 corner;              // m; default the origin
    sn_vec3 across, down;        // the two sides from there, m; default 1 m along x and along z
    int columns, rows;           // 2 or more each; default 21
    sn_real mass;                // kg, of all; default 0.2
    sn_spring_params structural; // default 500 N/m, 0.05 N s/m
    sn_spring_params shear;      // default 200 N/m, 0.05 N s/m
    sn_spring_params bend;       // default 20 N/m, 0.01 N s/m
} sn_spring_cloth;

// Any triangle mesh as cloth: springs on edges, and bend springs between the corners on either side of an edge (they
// resist shear too), unless those two are joined already. With 'shells' more than 0 the surface gets virtual shells:
// copies at 'spacing' along the vertex normals (negative: inside), each with its own edges, each joined to the one
// before by a spring from point to copy and by two diagonal springs an edge. They give a surface a thickness, so that
// it keeps its shape.
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

// Tetrahedra: a spring on every edge, and density times volume spread equally over the corners of each.
typedef struct {
    const sn_vec3 *points;
    int count;
    const int32_t *tets; // four points each
    int tet_count;
    sn_real density;       // kg/m^3; default 1000
    sn_spring_params edge; // default 500 N/m, 0.5 N s/m
    bool volumes;          // the tetrahedra are part of the net: for bulk, penalty, and its surface; default true
} sn_spring_solid;

// The defaults named above.
SN_API sn_spring_chain sn_spring_chain_default(void);
SN_API sn_spring_cloth sn_spring_cloth_default(void);
SN_API sn_spring_surface sn_spring_surface_default(void);
SN_API sn_spring_solid sn_spring_solid_default(void);

// Makers of nets. 'allocator' may be null: malloc and free. SN_ERR_RANGE: out->mistake says what cannot be;
// SN_ERR_MEMORY; after either the net is empty. Points are in the order given, and rest lengths are those between them.
SN_API sn_status sn_springs_make_chain(const sn_spring_chain *chain, const sn_allocator *allocator, sn_spring_net *out);
SN_API sn_status sn_springs_make_cloth(const sn_spring_cloth *cloth, const sn_allocator *allocator, sn_spring_net *out);
SN_API sn_status sn_springs_make_surface(const sn_spring_surface *surface, const sn_allocator *allocator,
                                         sn_spring_net *out);
SN_API sn_status sn_springs_make_solid(const sn_spring_solid *solid, const sn_allocator *allocator, sn_spring_net *out);

// Frees a net's arrays and empties it. An empty one is fine.
SN_API void sn_spring_net_free(sn_spring_net *net);

// A definition with the defaults and the arrays of a net, valid as long as the net is not freed.
SN_API sn_springs_def sn_springs_def_of(const sn_spring_net *net);

#endif
