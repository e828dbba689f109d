// The view of a world that was built from a scene.
#ifndef SN_CAPTURE_SCENE_VIEW_H
#define SN_CAPTURE_SCENE_VIEW_H

#include "mesh/error.h"
#include "scene/scene.h"
#include "view/poses.h"
#include "view/view_model.h"

typedef struct scene_view scene_view;

// Makes the model of a world that was just built. `skins`: draws the skins of muscles and models of the zoo, else the
// simulated rods. Null: the error is set. The scene must outlive the view.
scene_view *scene_view_new(const sn_scene *scene, const sn_world *world, bool skins, tool_error *error);

// The same with skins, and also with the rods under them: a user can grab those.
scene_view *scene_view_new_with_rods(const sn_scene *scene, const sn_world *world, tool_error *error);

const view_model *scene_view_model(const scene_view *view);

// Reads the world into the view's frame, which is valid until the next call. Null: out of memory.
const view_frame *scene_view_read(scene_view *view, const sn_world *world, double time);

// The bodies of the model: first the rods, chains and muscles of the poses, in order; then rigid bodies that move; last
// the surfaces (null past the end).
const view_poses *scene_view_poses(const scene_view *view);
const sn_body *scene_view_moving(const scene_view *view, int *count);
const view_surface *scene_view_surface(const scene_view *view, int i);

// Whether a body is a rod of a muscle whose skin is shown too.
bool scene_view_is_covered(const scene_view *view, int body);

// Null is fine.
void scene_view_free(scene_view *view);

#endif
