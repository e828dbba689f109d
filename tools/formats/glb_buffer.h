// The parts of a .glb file while it is written: text that grows in memory, and the binary buffer in a temporary file,
// with the lists of its views and accessors.
#ifndef SN_FORMATS_GLB_BUFFER_H
#define SN_FORMATS_GLB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Growing text. After a failure nothing more is added.
typedef struct {
    char *data;
    size_t size, capacity;
    bool failed;
} glb_text;

__attribute__((format(printf, 2, 3))) void glb_print(glb_text *text, const char *format, ...);
void glb_print_string(glb_text *text, const char *string); // in quotes, escaped
void glb_print_comma(glb_text *text, int count);           // unless count is 0
void glb_append(glb_text *text, const glb_text *more);

enum { GLB_BYTE = 5121, GLB_SHORT = 5122, GLB_UNSIGNED_SHORT = 5123, GLB_UNSIGNED_INT = 5125, GLB_FLOAT = 5126 };
enum { GLB_VERTICES = 34962, GLB_INDICES = 34963 };

typedef struct {
    FILE *file;
    size_t size; // of the binary buffer
    int error;   // errno of the first failure, or 0
    glb_text views, accessors;
    int view_count, accessor_count;
} glb_buffer;

void glb_write_int(glb_buffer *buffer, uint64_t value, int size); // little-endian
void glb_write_float(glb_buffer *buffer, double value);

// Whether floats at an offset of the buffer are the same as these.
bool glb_has_floats(glb_buffer *buffer, size_t offset, const float *values, size_t count);

// Adds a view from `start` to the end of the buffer and returns its index. `target` may be 0.
int glb_end_view(glb_buffer *buffer, size_t start, int target);

// Adds an accessor and returns its index. The text of it stays open for further keys until glb_end_accessor.
int glb_add_accessor(glb_buffer *buffer, int view, size_t offset, int component, bool normalized, const char *type,
                     size_t count);
void glb_end_accessor(glb_buffer *buffer);

// Adds vectors with a view and an accessor of their own; on request with minimum and maximum.
int glb_add_vectors(glb_buffer *buffer, const float (*vectors)[3], int count, bool bounds);

// Writes header, text and binary buffer as a file. False: the temporary file cannot be read, errno is set. Errors of
// `out` are left to its owner.
bool glb_write_chunks(FILE *out, const glb_text *json, glb_buffer *buffer);

void glb_buffer_free(glb_buffer *buffer);

#endif
