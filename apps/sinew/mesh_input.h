// Meshes that commands are given.
#ifndef SN_APP_MESH_INPUT_H
#define SN_APP_MESH_INPUT_H

#include "prepare/mesh.h"

// All meshes of a file as one, skins where their joints at rest put them. What goes wrong is said, and told as an exit
// code; else EXIT_DONE.
int read_whole_mesh(const char *command, const char *name, sn_mesh *out);

#endif
