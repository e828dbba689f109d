// Meshes that commands are given. What goes wrong is said, and told as an exit code; else EXIT_DONE.
#ifndef SN_APP_MESH_INPUT_H
#define SN_APP_MESH_INPUT_H

#include "formats/mesh_file.h"

// All that is in a file.
int read_mesh_file(const char *name, mesh_file *out);

// All meshes of a file as one, skins where their joints at rest put them.
int read_whole_mesh(const char *name, sn_mesh *out);

#endif
