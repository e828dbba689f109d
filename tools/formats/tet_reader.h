// Shared by the readers of tetrahedra, in addition to mesh_reader.h.
#ifndef SN_FORMATS_TET_READER_H
#define SN_FORMATS_TET_READER_H

#include "formats/mesh_reader.h"
#include "formats/tet_file.h"
#include <stdio.h>

typedef struct {
    mesh_reader text;
    tet_file *out;
} tet_reader;

// The next word, whole number, or number, on any line. `what` goes into the error if the file ends. `at` (may be null)
// gets its offset.
bool tet_word(tet_reader *r, text_word *out, const char *what);
bool tet_whole(tet_reader *r, int64_t *out, size_t *at, const char *what);
bool tet_real(tet_reader *r, double *out, const char *what);

// Reads the number of items that take at least `min_bytes` bytes each in the file.
bool tet_count(tet_reader *r, int64_t *out, size_t min_bytes, const char *what);

// Allocate vertices and tetrahedra. A second call is an error.
bool tet_make_vertices(tet_reader *r, int64_t count, size_t at);
bool tet_make_tets(tet_reader *r, int64_t count, size_t at);

// The numbers that a file gives its vertices, which may be arbitrary.
typedef struct {
    int64_t *name; // sorted
    int *vertex;
    int count;
    bool plain; // name[i] = name[0] + i, and that is vertex i
} tet_names;
bool tet_names_make(tet_reader *r, tet_names *names, const int64_t *given, int count);
int tet_names_find(const tet_names *names, int64_t name); // -1: none
void tet_names_free(tet_reader *r, tet_names *names);

bool tet_msh_read(tet_reader *r);
bool tet_medit_read(tet_reader *r);
bool tet_vtk_read(tet_reader *r);
bool tet_tetgen_read(tet_reader *nodes, tet_reader *elements);

void tet_msh_write(FILE *out, const sn_tet_mesh *mesh);
void tet_medit_write(FILE *out, const sn_tet_mesh *mesh);
void tet_vtk_write(FILE *out, const sn_tet_mesh *mesh);
void tet_node_write(FILE *out, const sn_tet_mesh *mesh);
void tet_ele_write(FILE *out, const sn_tet_mesh *mesh);

#endif
