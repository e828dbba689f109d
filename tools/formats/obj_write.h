// Meshes as Wavefront .obj.
#ifndef SN_FORMATS_OBJ_WRITE_H
#define SN_FORMATS_OBJ_WRITE_H

#include "mesh/mesh.h"
#include <stdio.h>

// Writes positions (with colours, if the mesh has some), texture coordinates, normals and triangles. Numbers read back
// as they were. False: the stream has an error.
bool sn_obj_write(FILE *out, const sn_mesh *mesh);

#endif
