// Meshes of tetrahedra in files: Gmsh (.msh, 2 and 4, text), Medit (.mesh, text), TetGen (.node with .ele beside it)
// and legacy VTK (.vtk, text). Whatever the bytes, reading ends with a mesh or with a sentence that says where and
// what, in time proportional to the file and in at most 50 times its size of memory.
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
    int turned;        // tetrahedra that were inside out: their last two corners were swapped
    int skipped;       // other elements, such as triangles, which are not read
} tet_file;

// Whether a file's name ends like one of a format that is read and written here.
bool tet_name_is_known(const char *file);

// Reads a file; the ending of its name says the format, and .node and .ele stand for both. Indices of the mesh are
// right; corners may be equal, and volumes zero. False: nothing was read; the error is "file:line:column: error: ...".
bool tet_read(const char *file, const file_source *files, tet_file *out, tool_error *error);

// The same for bytes in memory. 'elements' are those of the .ele when the name ends in .node, else not used.
bool tet_parse(const char *name, const void *bytes, size_t size, const void *elements, size_t elements_size,
               tet_file *out, tool_error *error);

// Takes any file, also an empty one, and leaves it empty.
void tet_file_free(tet_file *file);

// Writes a file, whole or not at all (TetGen's two are put under their names when both are whole). Numbers have all
// their digits.
bool tet_write(const char *file, const sn_tet_mesh *mesh, tool_error *error);

#endif
