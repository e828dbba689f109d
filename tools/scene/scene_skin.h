// Skins of bodies: meshes that are drawn instead of them. Goes through the table of kinds (scene_kinds.h).
#ifndef SN_SCENE_SCENE_SKIN_H
#define SN_SCENE_SCENE_SKIN_H

#include "scene/scene_kinds.h"

// --- skins of pills: meshes with weights for their points ---

// The mesh file that an entry of "bodies" has as its skin. Null: none.
const char *scene_skin_file(const sn_scene *scene, int entry);

// Whether an entry (-1: none) has a skin, and whether two entries have the same one.
bool scene_has_skin(const sn_scene *scene, int entry);
bool scene_same_skin(const sn_scene *scene, int a, int b);

// Makes the skin around pills of n points, before they are placed. A glTF skin with a joint for each point keeps its
// weights. False: the error is set.
bool scene_make_skin(view_mesh *out, const sn_scene *scene, int entry, const sn_vec3 *local, const sn_real *radii,
                     const int *parents, int n, double scale, tool_error *error);

// --- skins of solids: fine meshes embedded in tetrahedra ---

// The mesh of an entry (-1: none), or null.
const sn_mesh *scene_embedded_skin(const sn_scene *scene, int entry);

// Where its vertices lie between the points of the body; the caller frees it. Null: out of memory.
view_place *scene_embedded_places(const sn_scene *scene, int entry);

#endif
