// Places the copies of a body: its own position, rotation and scale, then a grid or a random scatter.
#ifndef SN_SCENE_PLACEMENT_H
#define SN_SCENE_PLACEMENT_H

#include "scene/scene_spec.h"
#include "sinew/types.h"

// x -> position + rotation (scale x).
typedef struct {
    double position[3], rotation[4], scale; // rotation: a quaternion, w last
} placement;

// The number of copies of a body, which may be far too large.
double placement_copies(const body_spec *body);

// Whether copies are at random places.
bool placement_is_random(const body_spec *body);

// Lists errors of repeat, scatter and rotation.
void placement_check(const body_spec *body, error_list *errors, const json_path *path);

// The placement of a copy of body `number` of the scene. Random ones are a function of seed, number and copy.
placement placement_of_copy(const body_spec *body, uint64_t scene_seed, int number, int copy);

// The same at another try, from 1 on, of those that random places have.
placement placement_retry(const body_spec *body, uint64_t scene_seed, int number, int copy, int attempt);

sn_vec3 placement_apply(const placement *at, const double point[3]);

// A rotation as a quaternion.
void rotation_quaternion(const rotation_spec *rotation, double out[4]);

// A quaternion from a rotation vector: axis times angle in radians.
void quaternion_of_vector(const double vector[3], double out[4]);

#endif
