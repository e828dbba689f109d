// What the readers of meshes share: where an error is, how much memory may be taken, and words and numbers of texts.
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
    size_t memory; // bytes that may still be taken; see mesh_reader.c
    mesh_file *out;
    bool failed; // the error is set
    tool_error *error;
} mesh_reader;

// Says what is wrong at byte 'at' and returns false. The first error is kept.
__attribute__((format(printf, 3, 4))) bool reader_fail(mesh_reader *r, size_t at, const char *format, ...);
bool reader_fail_list(mesh_reader *r, size_t at, const char *format, va_list words);

// Zeroed memory within the limit. Null: none, and it has been said. Free it with reader_free, which gives it back to
// the limit, or leave it in the mesh_file.
void *reader_alloc(mesh_reader *r, size_t count, size_t size);
void reader_free(mesh_reader *r, void *block, size_t count, size_t size);
bool reader_charge(mesh_reader *r, size_t bytes); // takes from the limit what is allocated elsewhere

// Appends a mesh with these arrays to the file. Null: no memory, and it has been said.
mesh_item *reader_add_mesh(mesh_reader *r, int vertices, int triangles, unsigned parts);

// Names: cut where a character ends, without control characters.
void reader_name(char out[MESH_NAME_SIZE], const void *from, size_t length);

// Polygons on their way to triangles: begin each with its count of corners, then give them. Without a mesh triangles
// are only counted; with one it has room for them, and its positions are there.
typedef struct {
    sn_mesh *mesh;
    int triangles;
    int announced, have;
    int corner[POLYGON_MAX_EARS]; // of larger ones the first and the last are kept, in [0] and [1]
} polygon_sink;
void sink_begin(polygon_sink *sink, int corners);
void sink_corner(polygon_sink *sink, int vertex);

// A word of a text: from 'start' up to 'end', offsets.
typedef struct {
    size_t start, end;
} text_word;

// Words of the line: false at its end. A word that begins with '#' begins a comment; a backslash at a line's end joins
// it to the next.
bool text_next(mesh_reader *r, text_word *out);
bool text_next_anywhere(mesh_reader *r, text_word *out); // also in the lines that follow
void text_skip_line(mesh_reader *r);
bool text_is(const mesh_reader *r, text_word word, const char *what);
// The word for a message, in quotes.
const char *text_quote(const mesh_reader *r, text_word word, char out[128]);

// A finite number that a float can hold, or a whole one. False: it is none, and it has been said.
bool text_real(mesh_reader *r, text_word word, double *out);
bool text_whole(mesh_reader *r, text_word word, int64_t *out);

// Colours of files are as screens want them (sRGB); ours are linear.
float colour_linear(double screen);

bool obj_read(mesh_reader *r);
bool ply_read(mesh_reader *r);
bool stl_read(mesh_reader *r);
bool off_read(mesh_reader *r);
bool gltf_read(mesh_reader *r, const file_source *files);

#endif
