// Meshes that commands write.
#ifndef SN_APP_MESH_OUTPUT_H
#define SN_APP_MESH_OUTPUT_H

#include "mesh/mesh.h"

// As .obj. What goes wrong is said, and told as an exit code; else EXIT_DONE.
int write_obj(const char *name, const sn_mesh *mesh);

#endif
