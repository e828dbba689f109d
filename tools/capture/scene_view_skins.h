// Skins of rods: meshes with weights for their points. False: `error` says why.
#ifndef SN_CAPTURE_SCENE_VIEW_SKINS_H
#define SN_CAPTURE_SCENE_VIEW_SKINS_H

#include "scene/scene.h"
#include "view/view_model.h"

// The octopus of the zoo, in the size that the scene gives it.
bool octopus_skin_make(view_mesh *out, const octopus_spec *spec, double scale, char error[256]);

// A mesh that the scene names, around the rod of n points as it lies before it is placed. A glTF skin that has a joint
// for each point keeps its painted weights.
bool file_skin_make(view_mesh *out, const sn_scene *scene, const char *file, const sn_vec3 *local, const sn_real *radii,
                    const int *parents, int n, double scale, char error[256]);

#endif
