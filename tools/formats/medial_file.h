// Medial meshes in text files (.ma):
//
//     spheres cones slabs        the counts
//     v x y z r                  a sphere: centre and radius
//     e i j                      a cone between two spheres, counted from 0
//     f i j k                    a slab between three
//
// '#' begins a comment. Edges of slabs that are not listed as cones are added when a file is read.
#ifndef SN_FORMATS_MEDIAL_FILE_H
#define SN_FORMATS_MEDIAL_FILE_H

#include "formats/mesh_file.h"
#include "medial/medial_mesh.h"
#include <stdio.h>

// Errors of the stream are left to its owner.
void medial_file_write(FILE *out, const sn_medial_mesh *mesh);

// False: nothing was read; the error is "file:line:column: error: ...".
bool medial_file_read(const char *file, const file_source *files, sn_medial_mesh *out, tool_error *error);
bool medial_file_parse(const char *name, const void *bytes, size_t size, sn_medial_mesh *out, tool_error *error);

#endif
