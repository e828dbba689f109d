// Shapes of scene files: what is bumped into, standing still or on a course.
#ifndef SN_IO_SCENE_SHAPES_H
#define SN_IO_SCENE_SHAPES_H

#include "io/scene.h"

sn_surface scene_surface(const surface_spec *spec);

// Lists mistakes that the tables cannot see; without any, spreads copies: scene->spec.shapes then has one entry for
// each.
void scene_shapes_check(sn_scene *scene);

// The first shape of the entry with a name, and how many copies it has; -1: no entry has it.
int scene_find_shape(const sn_scene *scene, const char *name, int *copies);

sn_status scene_shapes_build(sn_scene *scene, sn_world *world);

// Leads what moves to where it is at time t.
sn_status scene_shapes_drive(sn_scene *scene, sn_world *world, double t);

#endif
