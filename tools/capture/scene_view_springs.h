// What is drawn of bodies of springs besides their own surface.
#ifndef SN_CAPTURE_SCENE_VIEW_SPRINGS_H
#define SN_CAPTURE_SCENE_VIEW_SPRINGS_H

#include "scene/scene_spring.h"
#include "view/surfaces.h"

// The fine surface that a solid was made of, if it is to be drawn; else null.
const sn_mesh *springs_skin(const scene_body *body);

// Where its vertices lie between the points of the body, to be freed; one a vertex. Null: no memory.
surface_place *springs_skin_places(const scene_body *body);

#endif
