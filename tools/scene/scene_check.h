// Checks that tables of keys cannot make: names, counts, and references between entries.
#ifndef SN_SCENE_SCENE_CHECK_H
#define SN_SCENE_SCENE_CHECK_H

#include "scene/scene.h"

// Lists every error, and fills scene->bodies, body_count and point_count.
void scene_check(sn_scene *scene);

// The entry of "bodies" with a name, or null.
const scene_body *scene_find_body(const sn_scene *scene, const char *name);

#endif
