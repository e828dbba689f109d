// An embedding (tet_embed.h) in a text file:
//
//     sinew-embedding 1
//     POINTS TETRAHEDRA
//     tet w0 w1 w2 w3       for each point: a tetrahedron, from 0, and the weights of its corners
//
// A line that begins with # is a comment.
#ifndef SN_FORMATS_TET_EMBED_FILE_H
#define SN_FORMATS_TET_EMBED_FILE_H

#include "formats/mesh_file.h"
#include "tets/tet_embed.h"

// Writes a file, complete or not at all.
bool tet_embed_write(const char *file, const sn_tet_point *places, int count, int tet_count, tool_error *error);

// Reads a file. The caller frees *places. False: the error is "file:line:column: error: ...".
bool tet_embed_read(const char *file, const file_source *files, sn_tet_point **places, int *count, int *tet_count,
                    tool_error *error);
bool tet_embed_parse(const char *name, const void *bytes, size_t size, sn_tet_point **places, int *count,
                     int *tet_count, tool_error *error);

#endif
