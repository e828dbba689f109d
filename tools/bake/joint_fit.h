// Joints of bones, from their surfaces: where two bones meet, and how they may move there.
#ifndef SN_BAKE_JOINT_FIT_H
#define SN_BAKE_JOINT_FIT_H

#include "mesh/mesh.h"
#include "mesh/mesh_query.h"
#include "mesh/winding.h"

typedef struct {
    const sn_mesh *mesh; // with normals
    const sn_mesh_query *query;
    const sn_winding *winding;
} joint_bone;

typedef struct {
    double gap;       // smallest distance of the surfaces
    int contacts;     // vertices of the parent that face the child
    double centre[3]; // of rotation: nearest to all lines along the contacts' normals
    double axis[3];   // unit length: that of a hinge, to which normals are orthogonal
    double roundness; // 0: a cylinder around the axis; 1: a sphere
} joint_fit;

// The smallest distance from one surface's vertices to the other's triangles, at most 'limit'.
double joint_gap(const joint_bone *a, const joint_bone *b, double limit);

// Fits a joint to the surfaces that face each other within 'reach'. False: out of memory, or they do not meet.
bool joint_fit_surfaces(const joint_bone *parent, const joint_bone *child, double reach, joint_fit *out);

// How far the child can be rotated about an axis through the centre, in degrees, in steps of 10 up to 'limit': until
// it would go into the parent. 'sign' is the direction, 1 or -1. Only what lies within 'radius' of the centre counts.
double joint_range(const joint_bone *parent, const joint_bone *child, const double centre[3], const double axis[3],
                   double sign, double limit, double radius);

#endif
