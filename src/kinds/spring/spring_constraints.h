// Position constraints, applied to a body after a step: distances, maximum distances, planes and spheres as obstacles,
// and volumes of tetrahedra. Each is satisfied exactly by moving its points along the gradient, in proportion to their
// inverse masses:
//
//     distance:   d = (|x_b - x_a| - l) / (w_a + w_b),   x_a += w_a d r,   x_b -= w_b d r     (w: inverse masses)
//
// Where several share a point, satisfying one violates another: they are projected one after the other, for several
// rounds. Velocities change by the displacements divided by the step; Verlet needs no more than that.
#ifndef SN_KINDS_SPRING_SPRING_CONSTRAINTS_H
#define SN_KINDS_SPRING_SPRING_CONSTRAINTS_H

#include "kinds/spring/spring_body.h"

// Points stay where normal . x >= offset. The normal is a unit vector.
typedef struct {
    sn_vec3 normal;
    sn_real offset;
} sn_plane_obstacle;

// Points stay outside, or inside if 'around' is set.
typedef struct {
    sn_vec3 centre;
    sn_real radius;
    bool around;
} sn_sphere_obstacle;

typedef struct {
    const sn_spring_distance *distances;
    int distance_count;
    const sn_plane_obstacle *planes;
    int plane_count;
    const sn_sphere_obstacle *spheres;
    int sphere_count;
    sn_real margin; // m, distance that points keep from obstacles
    bool volumes;   // the body's tetrahedra keep their volumes
    sn_real strain; // > 0: no spring gets longer than (1 + strain) times its rest length
    int rounds;     // 1 or more
    sn_real *also;  // quads that change as the velocities do; or null
} sn_constraints;

// Applies the constraints to a body after a step of h. Obstacles are last in each round, so they hold exactly. Returns
// the largest relative error of a distance or volume before the last round. Held points do not move.
sn_real sn_spring_constrain(sn_spring_body *body, const sn_constraints *constraints, sn_real h);

#endif
