// Mesh files that commands read and write. These functions print errors and return an exit code, EXIT_DONE on success.
#ifndef SN_APP_MESH_FILES_H
#define SN_APP_MESH_FILES_H

#include "formats/mesh_file.h"

// Reads everything in a file.
int read_mesh_file(const char *name, mesh_file *out);

// Reads all meshes of a file as one. Skinned meshes are posed by their joints at rest.
int read_merged_mesh(const char *name, sn_mesh *out);

int write_obj(const char *name, const sn_mesh *mesh);

#endif
