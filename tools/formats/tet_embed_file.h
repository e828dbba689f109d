// An embedding (tet_embed.h) in a file, as text:
//
//     sinew-embedding 1
//     POINTS TETRAHEDRA
//     tet w0 w1 w2 w3       for each point: a tetrahedron, counted from 0, and the weights of its corners
//
// A line that begins with # is a comment.
#ifndef SN_FORMATS_TET_EMBED_FILE_H
#define SN_FORMATS_TET_EMBED_FILE_H

#include "formats/mesh_file.h"
#include "tets/tet_embed.h"

// Writes a file, whole or not at all. False: 'why' says why.
bool tet_embed_write(const char *file, const sn_tet_point *places, int count, int tet_count, char why[MESH_WHY_SIZE]);

// Reads it; *places is to be freed. False: 'why' is "file:line:column: error: ...".
bool tet_embed_read(const char *file, sn_tet_point **places, int *count, int *tet_count, char why[MESH_WHY_SIZE]);
bool tet_embed_parse(const char *name, const void *bytes, size_t size, sn_tet_point **places, int *count,
                     int *tet_count, char why[MESH_WHY_SIZE]);

#endif
