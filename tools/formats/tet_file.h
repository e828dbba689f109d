// Meshes of tetrahedra in files: Gmsh (.msh, 2 and 4, text), Medit (.mesh, text), TetGen (.node with .ele beside it)
// and legacy VTK (.vtk, text). Whatever the bytes, reading returns a mesh or an error with its place, in time
// proportional to the size of the file and with at most 50 times its size in memory.
#ifndef SN_FORMATS_TET_FILE_H
#define SN_FORMATS_TET_FILE_H

#include "formats/mesh_file.h"
#include "tets/tet_mesh.h"

typedef enum { TET_MSH, TET_MEDIT, TET_TETGEN, TET_VTK } tet_format;

typedef struct {
    sn_tet_mesh mesh;
    tet_format format;
    const char *words; // what the format is called: "Gmsh 4.1"
    size_t size;       // bytes read
    int turned;        // inverted tetrahedra, whose last two corners were swapped
    int skipped;       // other elements, such as triangles, which are not read
} tet_file;

// Whether the ending of a file's name is that of a format that can be read and written.
bool tet_name_is_known(const char *file);

// Reads a file; the ending of its name says the format, and .node or .ele mean both files. Indices of the mesh are
// valid; corners may be equal, and volumes zero. False: nothing was read; the error is "file:line:column: error: ...".
bool tet_read(const char *file, const file_source *files, tet_file *out, tool_error *error);

// The same for bytes in memory. `elements` are those of the .ele file if the name ends in .node, else unused.
bool tet_parse(const char *name, const void *bytes, size_t size, const void *elements, size_t elements_size,
               tet_file *out, tool_error *error);

// Leaves the file empty. An empty one is fine.
void tet_file_free(tet_file *file);

// Writes a file, complete or not at all (TetGen's two are renamed when both are complete). Numbers read back as they
// were.
bool tet_write(const char *file, const sn_tet_mesh *mesh, tool_error *error);

#endif
