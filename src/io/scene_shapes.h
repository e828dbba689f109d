// Shapes of scene files: what stands still and is bumped into.
#ifndef SN_IO_SCENE_SHAPES_H
#define SN_IO_SCENE_SHAPES_H

#include "io/scene.h"

sn_surface scene_surface(const surface_spec *spec);

// Lists mistakes that the tables cannot see.
void scene_shapes_check(sn_scene *scene);

sn_status scene_shapes_build(const sn_scene *scene, sn_world *world);

#endif
