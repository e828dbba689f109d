// Colliders: geometry of infinite mass, static or with a prescribed motion.
//
//     a step      origin ------------------------> to
//     a substep              from ---> until
#ifndef SN_GEOMETRY_COLLIDER_H
#define SN_GEOMETRY_COLLIDER_H

#include "geometry/pill.h"
#include "geometry/triangle_bvh.h"
#include "sinew/surface.h"

typedef struct sn_collider {
    sn_geometry_kind kind;
    sn_transform now, to;     // 'to' at the end of the next step
    sn_transform from, until; // of the running substep
    sn_transform origin;      // at the start of the step
    bool moves;               // in this step
    bool disabled;            // it does not collide; joints may still hold it
    sn_vec3 ends[2];
    sn_real radii[2];
    sn_vec3 half;
    sn_triangle_bvh bvh;
    sn_surface surface;
    double force[3], torque[3]; // what it bore in the last step: means; the torque about 'to'
} sn_collider;

// The pill of a sphere or pill collider in a pose.
sn_pill sn_collider_pill(const sn_collider *collider, const sn_transform *pose);
// How far what is at a point, and moves with a collider, goes from one of its poses to another.
sn_vec3 sn_collider_motion(const sn_transform *from, const sn_transform *to, sn_vec3 point);
// Adds a force that it bears at a point, in a part of the step.
void sn_collider_add_force(sn_collider *collider, sn_vec3 point, sn_vec3 force, double share);
void sn_collider_add_torque(sn_collider *collider, sn_vec3 torque, double share);
// A bounding sphere of the collider for the whole step; radius -1: it is empty.
sn_sphere sn_collider_bound(const sn_collider *collider);
// Contact points of a pill with the collider in a pose, at most 'margin' apart; at most two.
int sn_collider_contacts(const sn_collider *collider, const sn_transform *pose, const sn_pill *pill, sn_real margin,
                         sn_contact_point out[2]);

#endif
