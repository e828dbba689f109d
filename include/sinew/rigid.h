// Rigid bodies: static and kinematic colliders of infinite mass. The geometry is a plane, sphere, pill (tapered capsule), box
// or triangle mesh.
#ifndef SINEW_RIGID_H
#define SINEW_RIGID_H

#include "body.h"

// The definition of a rigid body. Start from sn_rigid_def_default(). Arrays are copied.
typedef struct {
    sn_geometry_kind geometry; // default plane
    sn_vec3 position;          // m; default the origin
    sn_quat rotation;          // default none
    sn_vec3 ends[2];           // pill, in the body's frame, m
    sn_real radii[2];          // sphere, pill, m
    sn_vec3 half;              // box, m
    const sn_vec3 *vertices;   // mesh, in the body's frame, m
    int vertex_count;          //
    const int32_t *triangles;  // mesh: three vertex indices per triangle
    int triangle_count;        //
    sn_surface surface;        // default sn_surface_default()
    uint64_t label;            // yours
    uint32_t init_mark;        // set by sn_rigid_def_default, always checked
} sn_rigid_def;

// Returns the defaults named above.
SN_API sn_rigid_def sn_rigid_def_default(void);

// Creates a rigid body. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null.
SN_API sn_status sn_rigid_create(sn_world *world, const sn_rigid_def *def, sn_body *out);

// Sets the pose at the end of the next step. The body moves there evenly over the substeps and moves other bodies by contact
// and friction.
SN_API sn_status sn_rigid_move(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation);

// Returns the pose now.
SN_API sn_status sn_rigid_get_pose(const sn_world *world, sn_body body, sn_vec3 *position, sn_quat *rotation);

// Returns the pose that sn_rigid_move set.
SN_API sn_status sn_rigid_get_target(const sn_world *world, sn_body body, sn_vec3 *position, sn_quat *rotation);

#endif
