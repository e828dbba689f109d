// Contact: what bodies bump into, how their surfaces meet, and what touches what.
//
// Every segment of a rod is a pill, a capsule with a taper. Pills touch pills of other bodies (of their own too, if
// asked), and shapes: planes, balls, pills, boxes and triangle meshes that stand still or are moved by you, as if of
// infinite mass.
#ifndef SINEW_CONTACT_H
#define SINEW_CONTACT_H

#include "rod.h"

// Changes how a rod touches: see surface, touches and touches_itself in sn_rod_def.
SN_API sn_status sn_rod_set_contact(sn_world *world, sn_rod rod, const sn_surface *surface, bool touches, bool self);

// How it touches now; each of the three may be null. SN_ERR_STALE_ID leaves them as they are.
SN_API sn_status sn_rod_get_contact(const sn_world *world, sn_rod rod, sn_surface *surface, bool *touches, bool *self);

// A shape in a world. All zero names none.
typedef struct {
    uint32_t slot1, gen;
} sn_shape;

// What a shape is.
typedef enum {
    SN_SHAPE_PLANE = 0,  // solid below: the plane through 'position' whose normal is the shape's y axis
    SN_SHAPE_SPHERE = 1, // radii[0]
    SN_SHAPE_PILL = 2,   // from ends[0] to ends[1] with radii[0] and radii[1]
    SN_SHAPE_BOX = 3,    // solid, half[] from its middle
    SN_SHAPE_MESH = 4,   // triangles, two-sided
} sn_shape_kind;

// How a shape is made. Start from sn_shape_def_default(). Arrays are copied.
typedef struct {
    sn_shape_kind kind;       // default plane
    sn_vec3 position;         // m; default the origin
    sn_quat rotation;         // default none
    sn_vec3 ends[2];          // pill, in the shape's own axes, m
    sn_real radii[2];         // ball, pill, m
    sn_vec3 half;             // box, m
    const sn_vec3 *vertices;  // mesh, in the shape's own axes, m
    int vertex_count;         //
    const int32_t *triangles; // mesh: three vertex numbers a triangle
    int triangle_count;       //
    sn_surface surface;       // default sn_surface_default()
    uint64_t label;           // yours
    uint32_t init_mark;       // set by sn_shape_def_default, always checked
} sn_shape_def;

// The defaults named above.
SN_API sn_shape_def sn_shape_def_default(void);

// Makes a shape. Mistakes: SN_ERR_DEF and a log line for every bad field; the id is then null.
SN_API sn_status sn_shape_create(sn_world *world, const sn_shape_def *def, sn_shape *out);

// Removes a shape; its id is stale from then on.
SN_API sn_status sn_shape_destroy(sn_world *world, sn_shape shape);

// Whether the id names a living shape.
SN_API bool sn_shape_exists(const sn_world *world, sn_shape shape);

// Where the shape is to be at the end of the next step; it moves there evenly and drags along what sticks to it.
SN_API sn_status sn_shape_move(sn_world *world, sn_shape shape, sn_vec3 position, sn_quat rotation);

// Where the shape is now.
SN_API sn_status sn_shape_pose(const sn_world *world, sn_shape shape, sn_vec3 *position, sn_quat *rotation);

// Its surface, and another one from now on.
SN_API sn_status sn_shape_get_surface(const sn_world *world, sn_shape shape, sn_surface *surface);
SN_API sn_status sn_shape_set_surface(sn_world *world, sn_shape shape, const sn_surface *surface);

// The id of the i-th living shape in order of slots, 0 <= i < sn_world_shape_count; null outside.
SN_API int sn_world_shape_count(const sn_world *world);
SN_API sn_shape sn_world_shape_at(const sn_world *world, int i);

// How hard the contact solver works: sweeps over all contacts per iteration, 1 to 100; default 8.
SN_API sn_status sn_world_set_contact_sweeps(sn_world *world, int sweeps);

#endif
