// Elastic bodies in scene files: an entry of kind "elastic".
#ifndef SN_SCENE_SCENE_ELASTIC_H
#define SN_SCENE_SCENE_ELASTIC_H

#include "scene/scene_kinds.h"

// Exactly one of zoo and file is given.
typedef struct {
    body_spec body;
    const char *zoo;            // a body of the zoo
    const char *file;           // baked, or a surface that is baked; beside the scene
    int spheres, tets, handles; // 0: default
    vec_list anchor;            // a box, in the body's coordinates, whose vertices are held: two corners
    const char *material;
    int law; // a sn_elastic_law
    double mooney, lock;
    int iterations;
    int family;
    double velocity[3], angular_velocity[3];
    surface_spec surface;
    bool collide, self_collide;
} elastic_spec;

extern const field_table scene_elastic_table;

// The fields of an elastic body, null for other kinds.
const elastic_spec *scene_elastic_of(const scene_body *body);

#endif
