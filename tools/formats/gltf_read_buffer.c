// Buffers of a glTF file and the accessors that read them. An accessor names a view, and a view a part of a buffer.
// Both are checked on use: the rows must lie within the view, and the view within its buffer.
#include "formats/base64.h"
#include "formats/file_text.h"
#include "formats/gltf_read.h"
#include "system/system.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool decode_base64(gltf *g, const json_path *path, const char *text, gltf_buffer *out) {
    size_t letter;
    out->owned = reader_alloc(g->r, strlen(text) / 4 * 3 + 3, 1);
    if (!out->owned) return false;
    const int64_t size = base64_decode(text, out->owned, &letter);
    if (size < 0) return gltf_fail(g, path, "character %zu of its base64 is invalid", letter);
    out->size = (size_t)size;
    out->bytes = out->owned;
    return true;
}

// The path of a URI: the folder of the file, then the URI with escapes such as %20 decoded. Null: out of memory.
static char *path_beside(const char *file, const char *uri) {
    const size_t folder = (size_t)(system_file_name(file) - file), length = strlen(uri);
    char *path = malloc(folder + length + 1), *to = path;
    if (!path) return NULL;
    memcpy(to, file, folder);
    to += folder;
    for (size_t i = 0; i < length; i++) {
        unsigned code;
        if (uri[i] == '%' && i + 2 < length && sscanf(uri + i + 1, "%2x", &code) == 1 && code > 0) {
            *to++ = (char)code;
            i += 2;
        } else {
            *to++ = uri[i];
        }
    }
    *to = '\0';
    return path;
}

// Only files in the folder of the .gltf or below it: an untrusted file must not make us read others.
static bool is_below(const char *path) {
    if (system_is_absolute(path) || strchr(path, '\\') || strstr(path, "://")) return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    }
    return true;
}

bool gltf_open_file(gltf *g, const json_path *path, const char *uri, gltf_buffer *out) {
    char *name = path_beside("", uri), *bytes = NULL;
    tool_error reason;
    const bool below = name && is_below(name);
    free(name);
    if (!below) return gltf_fail(g, path, "%.100s is not in the folder of the file", uri);
    if (!g->files) return gltf_fail(g, path, "the buffer is in another file, %.100s", uri);
    if (!(name = path_beside(g->r->name, uri))) return gltf_fail(g, path, "out of memory");
    const bool good = file_text_read(name, g->files, (size_t)1 << 30, &bytes, &out->size, &reason);
    free(name);
    if (!good) return gltf_fail(g, path, "%.100s %s", uri, reason.text);
    out->bytes = out->owned = (unsigned char *)bytes;
    g->r->memory += 48 * out->size; // it counts as part of the file, so the limit grows too
    g->r->out->size += out->size;
    return true;
}

static bool open_buffer(gltf *g, const json_path *path, const json_t *buffer, bool first, gltf_buffer *out) {
    const char *uri = json_string_value(json_object_get(buffer, "uri"));
    const json_path uri_path = {path, "uri", 0}, size_path = {path, "byteLength", 0};
    int64_t size;
    if (!gltf_whole(g, buffer, path, "byteLength", 1, INT_MAX, GLTF_NEEDED, &size)) return false;
    if (!uri) {
        if (!first || !g->binary) return gltf_fail(g, path, "has no \"uri\", and the file has no binary chunk for it");
        out->bytes = g->binary;
        out->size = g->binary_size;
    } else if (strncmp(uri, "data:", 5) == 0) {
        const char *comma = strstr(uri, ";base64,");
        if (!comma) return gltf_fail(g, &uri_path, "data that is not base64");
        if (!decode_base64(g, &uri_path, comma + 8, out)) return false;
    } else if (!gltf_open_file(g, &uri_path, uri, out)) {
        return false;
    }
    if ((uint64_t)size > out->size)
        return gltf_fail(g, &size_path, "%lld bytes, but the buffer has %zu", (long long)size, out->size);
    out->size = (size_t)size;
    return true;
}

bool gltf_open_buffers(gltf *g) {
    const json_t *list = gltf_top(g, "buffers");
    const json_path buffers = {NULL, "buffers", 0};
    if (json_array_size(list) == 0) return true;
    g->buffer = reader_alloc(g->r, json_array_size(list), sizeof *g->buffer);
    if (!g->buffer) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_path path = {&buffers, NULL, i};
        g->buffer_count = (int)i + 1;
        if (!open_buffer(g, &path, json_array_get(list, i), i == 0, &g->buffer[i])) return false;
    }
    return true;
}

void gltf_close_buffers(gltf *g) {
    for (int i = 0; i < g->buffer_count; i++) free(g->buffer[i].owned);
    free(g->buffer);
}

static size_t component_size(int64_t component) {
    static const size_t size[] = {1, 1, 2, 2, 0, 4, 4};
    return component >= 5120 && component <= 5126 ? size[component - 5120] : 0;
}

// Finds `count` rows of `row` bytes in the view that an object names. The stride is the view's; by default the rows are
// contiguous.
static bool rows_in_view(gltf *g, const json_t *object, const json_path *path, int64_t count, size_t row,
                         size_t *stride, const unsigned char **out) {
    const json_t *views = gltf_top(g, "bufferViews");
    const json_path list = {NULL, "bufferViews", 0};
    int64_t index, shift, buffer, start, length, step;
    if (!gltf_whole(g, object, path, "bufferView", 0, (int64_t)json_array_size(views) - 1, GLTF_NEEDED, &index) ||
        !gltf_whole(g, object, path, "byteOffset", 0, INT_MAX, 0, &shift))
        return false;
    const json_path view_path = {&list, NULL, (size_t)index};
    const json_t *view = json_array_get(views, (size_t)index);
    if (!gltf_whole(g, view, &view_path, "buffer", 0, g->buffer_count - 1, GLTF_NEEDED, &buffer) ||
        !gltf_whole(g, view, &view_path, "byteOffset", 0, INT_MAX, 0, &start) ||
        !gltf_whole(g, view, &view_path, "byteLength", 1, INT_MAX, GLTF_NEEDED, &length) ||
        !gltf_whole(g, view, &view_path, "byteStride", 4, 252, (int64_t)row, &step))
        return false;
    if ((uint64_t)(start + length) > g->buffer[buffer].size)
        return gltf_fail(g, &view_path, "ends at byte %lld of a buffer of %zu", (long long)(start + length),
                         g->buffer[buffer].size);
    if (count > 0 && shift + (count - 1) * step + (int64_t)row > length)
        return gltf_fail(g, path, "%lld rows do not fit into their view of %lld bytes", (long long)count,
                         (long long)length);
    *stride = (size_t)step;
    *out = g->buffer[buffer].bytes + start + shift;
    return true;
}

static bool read_sparse(gltf *g, const json_t *accessor, const json_path *path, gltf_rows *out) {
    const json_t *sparse = json_object_get(accessor, "sparse");
    if (!sparse) return true;
    const json_path here = {path, "sparse", 0}, places = {&here, "indices", 0}, rows = {&here, "values", 0};
    int64_t count, component;
    size_t stride;
    const json_t *place = json_object_get(sparse, "indices");
    if (!gltf_whole(g, sparse, &here, "count", 0, out->count, GLTF_NEEDED, &count) ||
        !gltf_whole(g, place, &places, "componentType", 5121, 5125, GLTF_NEEDED, &component))
        return false;
    const size_t size = component_size(component);
    if (component == 5122 || size == 0) return gltf_fail(g, &places, "indices must be of type 5121, 5123 or 5125");
    const size_t row = (size_t)out->width * component_size(out->component);
    if (!rows_in_view(g, place, &places, count, size, &stride, &out->sparse_place) ||
        !rows_in_view(g, json_object_get(sparse, "values"), &rows, count, row, &stride, &out->sparse_row))
        return false;
    out->sparse_count = (int)count;
    out->sparse_component = (int)component;
    return true;
}

bool gltf_accessor(gltf *g, int64_t index, const json_path *user, gltf_rows *out) {
    static const struct {
        const char *name;
        int width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const json_t *list = gltf_top(g, "accessors"), *accessor = json_array_get(list, (size_t)index);
    const json_path accessors = {NULL, "accessors", 0}, path = {&accessors, NULL, (size_t)index};
    *out = (gltf_rows){0};
    if (!accessor)
        return gltf_fail(g, user, "accessor %lld; the file has %zu", (long long)index, json_array_size(list));
    const char *type = json_string_value(json_object_get(accessor, "type"));
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0) out->width = types[i].width;
    if (out->width == 0) return gltf_fail(g, &path, "its \"type\" must be SCALAR, VEC2, VEC3, VEC4 or MAT4");
    int64_t component, count;
    if (!gltf_whole(g, accessor, &path, "componentType", 5120, 5126, GLTF_NEEDED, &component) ||
        !gltf_whole(g, accessor, &path, "count", 1, INT_MAX / 16, GLTF_NEEDED, &count))
        return false;
    const json_path component_path = {&path, "componentType", 0};
    if (component_size(component) == 0) return gltf_fail(g, &component_path, "there is no type 5124");
    out->component = (int)component;
    out->count = (int)count;
    out->normalised = json_is_true(json_object_get(accessor, "normalized"));
    if (json_object_get(accessor, "bufferView") &&
        !rows_in_view(g, accessor, &path, count, (size_t)out->width * component_size(component), &out->stride,
                      &out->at))
        return false;
    return read_sparse(g, accessor, &path, out);
}

static double component_value(const unsigned char *at, int component, bool normalised) {
    const size_t size = component_size(component);
    uint32_t bits = 0;
    float real;
    for (size_t i = 0; i < size; i++) bits |= (uint32_t)at[i] << 8 * i;
    switch (component) {
    case 5120:
        return normalised ? fmax((int8_t)bits / 127.0, -1) : (int8_t)bits;
    case 5121:
        return normalised ? bits / 255.0 : bits;
    case 5122:
        return normalised ? fmax((int16_t)bits / 32767.0, -1) : (int16_t)bits;
    case 5123:
        return normalised ? bits / 65535.0 : bits;
    case 5126:
        memcpy(&real, &bits, sizeof real);
        return real;
    default:
        return bits;
    }
}

double gltf_value(const gltf_rows *rows, int row, int column) {
    if (!rows->at) return 0;
    return component_value(rows->at + (size_t)row * rows->stride + (size_t)column * component_size(rows->component),
                           rows->component, rows->normalised);
}

bool gltf_floats(gltf *g, const gltf_rows *rows, const json_path *user, int width, float *out) {
    for (int i = 0; i < rows->count; i++)
        for (int k = 0; k < width; k++) {
            const size_t to = (size_t)i * (size_t)width + (size_t)k;
            out[to] = (float)gltf_value(rows, i, k);
            if (!isfinite(out[to])) return gltf_fail(g, user, "row %d of its accessor is not finite", i);
        }
    const size_t size = component_size(rows->component), place_size = component_size(rows->sparse_component);
    for (int i = 0; i < rows->sparse_count; i++) {
        const double place =
            component_value(rows->sparse_place + (size_t)i * place_size, rows->sparse_component, false);
        if (place >= rows->count) return gltf_fail(g, user, "a sparse row is beyond the end of its accessor");
        for (int k = 0; k < width; k++) {
            const size_t to = (size_t)place * (size_t)width + (size_t)k;
            const unsigned char *at = rows->sparse_row + ((size_t)i * (size_t)rows->width + (size_t)k) * size;
            out[to] = (float)component_value(at, rows->component, rows->normalised);
            if (!isfinite(out[to])) return gltf_fail(g, user, "a sparse row of its accessor is not finite");
        }
    }
    return true;
}
