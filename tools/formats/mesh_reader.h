// Shared by the readers of meshes: errors with their places, a memory limit, and the words and numbers of texts.
#ifndef SN_FORMATS_MESH_READER_H
#define SN_FORMATS_MESH_READER_H

#include "formats/mesh_file.h"
#include "mesh/polygon.h"
#include <stdarg.h>
#include <stdint.h>

typedef struct {
    const char *name; // as the user named it
    const unsigned char *bytes;
    size_t size;
    size_t at;     // the next byte to read
    bool text;     // errors have a line and a column, else an offset
    size_t memory; // bytes that may still be allocated; see mesh_reader.c
    mesh_file *out;
    bool failed; // the error is set
    tool_error *error;
} mesh_reader;

// Sets the error, at byte `at`, and returns false. The first error is kept.
__attribute__((format(printf, 3, 4))) bool reader_fail(mesh_reader *r, size_t at, const char *format, ...);
bool reader_fail_list(mesh_reader *r, size_t at, const char *format, va_list words);

// Zeroed memory within the limit. Null: the error is set. Free it with reader_free, which returns it to the limit, or
// leave it in the mesh_file.
void *reader_alloc(mesh_reader *r, size_t count, size_t size);
void reader_free(mesh_reader *r, void *block, size_t count, size_t size);
bool reader_charge(mesh_reader *r, size_t bytes); // for memory that is allocated elsewhere

// Appends a mesh with these arrays to the file. Null: the error is set.
mesh_item *reader_add_mesh(mesh_reader *r, int vertices, int triangles, unsigned parts);

// Copies a name: truncated at a character, without control characters.
void reader_name(char out[MESH_NAME_SIZE], const void *from, size_t length);

// Triangulates polygons: begin each with its number of corners, then add them. Without a mesh it only counts triangles;
// a mesh must have its positions and space for the triangles.
typedef struct {
    sn_mesh *mesh;
    int triangles;
    int announced, have;
    int corner[POLYGON_MAX_EARS]; // of larger ones only the first and the last, in [0] and [1]
} polygon_sink;
void sink_begin(polygon_sink *sink, int corners);
void sink_corner(polygon_sink *sink, int vertex);

// A word of a text: offsets of its start and end.
typedef struct {
    size_t start, end;
} text_word;

// The next word of the line; false at its end. '#' begins a comment; a backslash at the end of a line joins it to the
// next.
bool text_next(mesh_reader *r, text_word *out);
bool text_next_anywhere(mesh_reader *r, text_word *out); // in the following lines too
void text_skip_line(mesh_reader *r);
bool text_is(const mesh_reader *r, text_word word, const char *what);
// The word for a message, in quotes.
const char *text_quote(const mesh_reader *r, text_word word, char out[128]);

// Reads a finite number that fits into a float, or a whole number. False: the error is set.
bool text_real(mesh_reader *r, text_word word, double *out);
bool text_whole(mesh_reader *r, text_word word, int64_t *out);

// Colours of files are sRGB; ours are linear.
float colour_linear(double screen);

bool obj_read(mesh_reader *r);
bool ply_read(mesh_reader *r);
bool stl_read(mesh_reader *r);
bool off_read(mesh_reader *r);
bool gltf_read(mesh_reader *r, const file_source *files);

#endif
