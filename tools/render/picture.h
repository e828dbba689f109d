// Pictures of assets, each a model that does not move: a medial mesh, a muscle turned into rods, a cut through
// tetrahedra. Written as a .glb file or a .png file.
#ifndef SN_RENDER_PICTURE_H
#define SN_RENDER_PICTURE_H

#include "bake/viperize.h"
#include "medial/medial_mesh.h"
#include "render/render.h"
#include "tets/tet_mesh.h"

// The functions that fill a model return false if there is no memory. Free it with view_model_free.

// From left to right: the surface; the spheres, cones and slabs at their true size; the same as thin lines and sheets,
// which shows how they are connected.
bool medial_picture_make(const sn_mesh *surface, const sn_medial_mesh *mesh, bool z_up, view_model *out);

// The muscle upright with its source on top and its broad side facing the camera. From left to right: the surface,
// coloured by level from red at the source to blue at the sink; the rods at their true size; the rods as thin lines
// with a ball in each slice.
bool viper_picture_make(const sn_viper *viper, view_model *out);

// A camera that sees a whole picture, from slightly above and to the side.
render_camera picture_camera(const view_model *picture, int width, int height);

// The same from the direction 'back' with a vertical field of view of 'degrees'. Only meshes count, not joints.
render_camera picture_camera_from(const view_model *picture, sn_vec3 back, double degrees, int width, int height);

// Write the model with its joints at rest. A file is complete or absent. False: the error is set.
bool picture_write_glb(const char *name, const view_model *picture, const char *title, tool_error *error);
bool picture_write_png(const char *name, const view_model *picture, const render_settings *settings, tool_error *error);

// Writes a PNG file of the tetrahedra on the far side of a plane through the centre that faces the camera. Tetrahedra
// that the plane intersects are drawn whole, so that their form is visible. False: the error is set and no file is left
// behind.
bool tet_picture_write(const char *file, const sn_tet_mesh *mesh, int width, int height, int threads,
                       tool_error *error);

#endif
