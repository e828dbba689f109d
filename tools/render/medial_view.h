// A medial mesh beside its surface, to be looked at: a recording of one frame, for .glb files and pictures.
#ifndef SN_RENDER_MEDIAL_VIEW_H
#define SN_RENDER_MEDIAL_VIEW_H

#include "medial/medial_mesh.h"
#include "render/render.h"
#include "view/recording.h"

// From left to right: the surface; spheres, cones and slabs at their size; the same as thin lines and sheets, which
// shows how they hang together. False: no memory. recording_free takes it.
bool medial_view_make(const sn_mesh *surface, const sn_medial_mesh *mesh, bool z_up, recording *out);

// A camera that sees all of it.
render_camera medial_view_camera(const recording *view, int width, int height);

// The same for any recording of meshes, from the direction 'back' and with a lens of so many degrees.
render_camera medial_view_camera_from(const recording *view, sn_vec3 back, double degrees, int width, int height);

#endif
