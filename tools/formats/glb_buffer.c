// See glb_buffer.h.
#include "formats/glb_buffer.h"
#include "system/system.h"
#include "view/view_spool.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// --- text ---

static char *grow(glb_text *text, size_t count) {
    if (text->failed) return NULL;
    if (count > text->capacity - text->size) {
        size_t capacity = text->capacity > SIZE_MAX / 4 ? 0 : 2 * (text->size + count) + 4096;
        char *grown = capacity ? realloc(text->data, capacity) : NULL;
        if (!grown) {
            text->failed = true;
            return NULL;
        }
        text->data = grown;
        text->capacity = capacity;
    }
    text->size += count;
    return text->data + text->size - count;
}

static void put_char(glb_text *text, char c) {
    char *to = grow(text, 1);
    if (to) *to = c;
}

void glb_print(glb_text *text, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *to = grow(text, (size_t)length);
    if (to) memcpy(to, line, (size_t)length);
}

void glb_print_string(glb_text *text, const char *string) {
    put_char(text, '"');
    for (const char *c = string; *c; c++) {
        bool plain = *c != '"' && *c != '\\' && (unsigned char)*c >= 32;
        if (plain) put_char(text, *c);
        if (!plain) glb_print(text, "\\u%04x", (unsigned)(unsigned char)*c);
    }
    put_char(text, '"');
}

void glb_print_comma(glb_text *text, int count) {
    if (count) put_char(text, ',');
}

void glb_append(glb_text *text, const glb_text *more) {
    char *at = more->size ? grow(text, more->size) : NULL;
    if (at) memcpy(at, more->data, more->size);
    text->failed = text->failed || more->failed;
}

// --- the binary buffer ---

static void write_bytes(glb_buffer *buffer, const void *data, size_t size) {
    errno = 0;
    if (!buffer->error && fwrite(data, 1, size, buffer->file) != size) buffer->error = errno ? errno : EIO;
    buffer->size += size;
}

static void put_int(unsigned char *out, uint64_t value, int size) {
    for (int i = 0; i < size && i < 8; i++) out[i] = (unsigned char)(value >> (8 * i));
}

void glb_write_int(glb_buffer *buffer, uint64_t value, int size) {
    unsigned char bytes[8];
    put_int(bytes, value, size);
    write_bytes(buffer, bytes, (size_t)size);
}

void glb_write_float(glb_buffer *buffer, double value) {
    float number = (float)value;
    uint32_t word;
    memcpy(&word, &number, 4);
    glb_write_int(buffer, word, 4);
}

bool glb_has_floats(glb_buffer *buffer, size_t offset, const float *values, size_t count) {
    enum { AT_ONCE = 256 };
    if (fflush(buffer->file) != 0) return false;
    for (size_t done = 0; done < count;) {
        const size_t some = count - done < AT_ONCE ? count - done : AT_ONCE;
        unsigned char want[4 * AT_ONCE], have[4 * AT_ONCE];
        for (size_t i = 0; i < some; i++) {
            uint32_t word;
            memcpy(&word, &values[done + i], 4);
            put_int(want + 4 * i, word, 4);
        }
        if (!system_read_at(buffer->file, have, 4 * some, offset + 4 * done) || memcmp(want, have, 4 * some) != 0)
            return false;
        done += some;
    }
    return true;
}

int glb_end_view(glb_buffer *buffer, size_t start, int target) {
    glb_text *views = &buffer->views;
    glb_print_comma(views, buffer->view_count);
    glb_print(views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", start, buffer->size - start);
    if (target) glb_print(views, ",\"target\":%d", target);
    glb_print(views, "}");
    while (buffer->size % 4) glb_write_int(buffer, 0, 1);
    return buffer->view_count++;
}

int glb_add_accessor(glb_buffer *buffer, int view, size_t offset, int component, bool normalized, const char *type,
                     size_t count) {
    glb_text *accessors = &buffer->accessors;
    glb_print_comma(accessors, buffer->accessor_count);
    glb_print(accessors, "{\"bufferView\":%d,", view);
    if (offset) glb_print(accessors, "\"byteOffset\":%zu,", offset);
    glb_print(accessors, "\"componentType\":%d,%s\"count\":%zu,\"type\":\"%s\"", component,
              normalized ? "\"normalized\":true," : "", count, type);
    return buffer->accessor_count++;
}

void glb_end_accessor(glb_buffer *buffer) {
    put_char(&buffer->accessors, '}');
}

// %.9g of a float reads back as the same float.
int glb_add_vectors(glb_buffer *buffer, const float (*vectors)[3], int count, bool bounds) {
    size_t start = buffer->size;
    float low[3] = {0}, high[3] = {0};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            float x = vectors[i][k];
            glb_write_float(buffer, (double)x);
            low[k] = i == 0 || x < low[k] ? x : low[k];
            high[k] = i == 0 || x > high[k] ? x : high[k];
        }
    }
    int view = glb_end_view(buffer, start, GLB_VERTICES);
    int accessor = glb_add_accessor(buffer, view, 0, GLB_FLOAT, false, "VEC3", (size_t)count);
    for (int side = 0; bounds && side < 2; side++) {
        const float *v = side ? high : low;
        glb_print(&buffer->accessors, ",\"%s\":[%.9g,%.9g,%.9g]", side ? "max" : "min", (double)v[0], (double)v[1],
                  (double)v[2]);
    }
    glb_end_accessor(buffer);
    return accessor;
}

bool glb_write_chunks(FILE *out, const glb_text *json, glb_buffer *buffer) {
    unsigned char head[20];
    const size_t padding = (4 - json->size % 4) % 4, text = json->size + padding, binary = buffer->size;
    put_int(head, 0x46546C67, 4); // "glTF"
    put_int(head + 4, 2, 4);
    put_int(head + 8, 12 + 8 + text + (binary ? 8 + binary : 0), 4);
    put_int(head + 12, text, 4);
    put_int(head + 16, 0x4E4F534A, 4); // "JSON"
    fwrite(head, 1, 20, out);
    fwrite(json->data, 1, json->size, out);
    fwrite("   ", 1, padding, out);
    if (!binary) return true;
    put_int(head, binary, 4);
    put_int(head + 4, 0x004E4942, 4); // "BIN"
    fwrite(head, 1, 8, out);
    return scratch_file_copy(buffer->file, out);
}

void glb_buffer_free(glb_buffer *buffer) {
    if (buffer->file) fclose(buffer->file);
    free(buffer->views.data);
    free(buffer->accessors.data);
    *buffer = (glb_buffer){0};
}
