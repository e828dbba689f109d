// Rigid bodies: static and kinematic colliders of infinite mass, and dynamic ones that forces, contacts and joints move. The geometry
// is a plane, sphere, pill (tapered capsule), box, convex hull or triangle mesh; of a dynamic body also several of these.
#ifndef SINEW_RIGID_H
#define SINEW_RIGID_H

#include "body.h"

// One geometry of several: a sphere, pill, box, hull or closed mesh. All 0 but what it needs is fine.
typedef struct {
    sn_geometry_kind geometry;
    sn_vec3 position;         // in the body's frame, m
    sn_quat rotation;         // all 0: none
    sn_vec3 ends[2];          // as in sn_rigid_def, in the part's own frame
    sn_real radii[2];         //
    sn_vec3 half;             //
    const sn_vec3 *vertices;  //
    int vertex_count;         //
    const int32_t *triangles; //
    int triangle_count;       //
    sn_real density;          // kg/m^3; 0: the body's
} sn_rigid_part;

// The definition of a rigid body. Start from sn_rigid_def_default(). Arrays are copied.
typedef struct {
    sn_geometry_kind geometry; // default plane
    sn_vec3 position;          // m; default the origin
    sn_quat rotation;          // default none
    sn_vec3 ends[2];           // pill, in the body's frame, m
    sn_real radii[2];          // sphere, pill, m
    sn_vec3 half;              // box, m
    const sn_vec3 *vertices;   // mesh, hull, in the body's frame, m. A hull of more than 64 keeps the outermost
    int vertex_count;          //
    const int32_t *triangles;  // mesh: three vertex indices per triangle
    int triangle_count;        //
    // Of a dynamic body: its geometries, instead of 'geometry' and what belongs to it. Mass, centre and inertia are sums over them: where
    // two overlap, the space counts twice.
    const sn_rigid_part *parts;
    int part_count;
    sn_surface surface; // default sn_surface_default()
    uint64_t label;     // yours
    bool dynamic;       // default false: static or kinematic. All but planes can be dynamic
    sn_real density;    // of a dynamic body, kg/m^3; default 1000
    sn_real mass;       // of a dynamic body, kg; default 0: volume times density
    sn_vec3 inertia;    // its moments about its centre of mass, along the body's axes, kg m^2; default 0: of the
                        // geometry, uniformly filled
    sn_real
        rounding; // of dynamic boxes and hulls, m: radius of edges and corners; faces stay where they are. Default 0: 2 %
                  // of half of what is thinnest
    sn_vec3 velocity;         // of a dynamic body's centre of mass, m/s; default 0
    sn_vec3 angular_velocity; // in the world, rad/s; default 0
    uint32_t init_mark;       // set by sn_rigid_def_default, always checked
} sn_rigid_def;

// Returns the defaults named above.
SN_API sn_rigid_def sn_rigid_def_default(void);

// Creates a rigid body. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null.
SN_API sn_status sn_rigid_create(sn_world *world, const sn_rigid_def *def, sn_body *out);

// Sets the pose at the end of the next step. The body moves there evenly over the substeps and moves other bodies by contact
// and friction. A dynamic body is put there at once and keeps its velocity; it must be within 1e12 m.
SN_API sn_status sn_rigid_move(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation);

// Returns the pose now.
SN_API sn_status sn_rigid_get_pose(const sn_world *world, sn_body body, sn_vec3 *position, sn_quat *rotation);

// Returns the pose that sn_rigid_move set.
SN_API sn_status sn_rigid_get_target(const sn_world *world, sn_body body, sn_vec3 *position, sn_quat *rotation);

// What a static or kinematic body bore in the last step, from contacts and joints: the mean force (N) and the mean torque (N m) about where
// its 'position' is now. Times the length of the step they are the impulses that everything else lost to it, so a host that moves the
// body can apply them to its own. SN_ERR_KIND for a dynamic body: what moves it is in its velocity.
SN_API sn_status sn_rigid_get_reaction(const sn_world *world, sn_body body, sn_vec3 *force, sn_vec3 *torque);

// Returns whether the body is dynamic; false if the handle is stale.
SN_API bool sn_rigid_is_dynamic(const sn_world *world, sn_body body);

// The calls below are for dynamic bodies and return SN_ERR_KIND for others. Vectors are in the world's axes.

// The velocity of the centre of mass (m/s) and the angular velocity (rad/s).
SN_API sn_status sn_rigid_get_velocity(const sn_world *world, sn_body body, sn_vec3 *velocity,
                                       sn_vec3 *angular_velocity);
SN_API sn_status sn_rigid_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 angular_velocity);

// The centre of mass (m), and the angular momentum about it (kg m^2/s).
SN_API sn_status sn_rigid_get_centre(const sn_world *world, sn_body body, sn_vec3 *centre);
SN_API sn_status sn_rigid_get_angular_momentum(const sn_world *world, sn_body body, sn_vec3 *momentum);

// Adds an impulse (N s) at a point of the world; the velocity changes at once.
SN_API sn_status sn_rigid_apply_impulse(sn_world *world, sn_body body, sn_vec3 impulse, sn_vec3 point);

// Sets the force (N) at the centre of mass and the torque (N m) that act on the body until they are set again.
SN_API sn_status sn_rigid_set_load(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 torque);
SN_API sn_status sn_rigid_get_load(const sn_world *world, sn_body body, sn_vec3 *force, sn_vec3 *torque);

#endif
