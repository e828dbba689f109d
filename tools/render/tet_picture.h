// A picture of tetrahedra, cut open.
#ifndef SN_RENDER_TET_PICTURE_H
#define SN_RENDER_TET_PICTURE_H

#include "tets/tet_mesh.h"

// Draws a PNG file of the tetrahedra on the far side of a plane through the middle that faces the eye. Those that the
// plane meets are whole, so their shapes are seen. False: 'why' says why, and no file was left.
bool tet_picture(const char *file, const sn_tet_mesh *mesh, int width, int height, int threads, char why[256]);

#endif
