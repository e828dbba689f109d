// What the parts of the glTF reader share. gltf_read.c: chunks and JSON; gltf_read_buffer.c: buffers and accessors;
// gltf_read_rig.c: nodes, skins and clips; gltf_read_mesh.c: meshes.
#ifndef SN_FORMATS_GLTF_READ_H
#define SN_FORMATS_GLTF_READ_H

#include "formats/json_where.h"
#include "formats/mesh_reader.h"
#include <jansson.h>

typedef struct {
    const unsigned char *bytes;
    size_t size;
    unsigned char *owned; // to be freed; null if the bytes are in the file itself
} gltf_buffer;

typedef struct {
    mesh_reader *r;
    size_t text_at, text_size;   // the JSON in the file
    const unsigned char *binary; // the binary chunk, or null
    size_t binary_size;
    const file_source *files; // may be null
    json_t *root;
    gltf_buffer *buffer;
    int buffer_count;
    int *node_of; // our index of each node of the file
    int *mesh_of; // of our nodes: the file's mesh, -1: none
    int *skin_of; // of our nodes: its skin, -1: none
    bool *shown;  // of our nodes: it is in the file's scene
} gltf;

// Reports "path: message" at the value that the path names, and returns false.
__attribute__((format(printf, 3, 4))) bool gltf_fail(gltf *g, const json_path *path, const char *format, ...);

// Read values of an object by key. False: the value is wrong, or it is missing and `fallback` is GLTF_NEEDED; the error
// is set.
#define GLTF_NEEDED INT64_MIN
bool gltf_whole(gltf *g, const json_t *object, const json_path *path, const char *key, int64_t min, int64_t max,
                int64_t fallback, int64_t *out);
bool gltf_list(gltf *g, const json_t *object, const json_path *path, const char *key, json_t **out); // null: missing
bool gltf_numbers(gltf *g, const json_t *object, const json_path *path, const char *key, int count, float *out);
bool gltf_objects(gltf *g, const json_t *list, const json_path *path); // whether all elements of a list are objects
void gltf_name(const json_t *object, char out[MESH_NAME_SIZE]);
// A list at the top level of the file; null: missing.
json_t *gltf_top(const gltf *g, const char *key);

// An accessor: rows of numbers in a buffer.
typedef struct {
    const unsigned char *at; // null: all zero
    size_t stride;
    int count, width; // rows, and numbers in each
    int component;    // 5120 to 5126, as glTF counts types
    bool normalised;
    // Sparse rows, which replace others: sparse_count indices and their rows.
    const unsigned char *sparse_place, *sparse_row;
    int sparse_count, sparse_component;
} gltf_rows;

// Parses the JSON, checks its lists and opens the buffers. Close it whatever came of it.
bool gltf_open(gltf *g);
void gltf_close(gltf *g);

bool gltf_open_buffers(gltf *g);
void gltf_close_buffers(gltf *g);
// Reads a file beside the glTF file, or in a folder below.
bool gltf_open_file(gltf *g, const json_path *path, const char *uri, gltf_buffer *out);

// The accessor with an index; `user` names it, for errors.
bool gltf_accessor(gltf *g, int64_t index, const json_path *user, gltf_rows *out);
double gltf_value(const gltf_rows *rows, int row, int column); // ignores sparse rows
// Reads all rows as floats, sparse ones included; the first `width` numbers of each. False: one is not finite; the
// error is set.
bool gltf_floats(gltf *g, const gltf_rows *rows, const json_path *user, int width, float *out);

bool gltf_read_nodes(gltf *g);
bool gltf_read_skins(gltf *g);
bool gltf_read_clips(gltf *g);
bool gltf_read_meshes(gltf *g);

#endif
