// glTF 2: a JSON text that describes nodes, meshes, skins and animations, whose numbers lie in buffers. A .glb file
// holds both: "glTF", version and length, then chunks (length, type, bytes), the first JSON and the second the buffer.
// The buffers of a .gltf file are other files beside it, or base64 in the text.
//
// Jansson allocates some hundred bytes even for an empty object. Its memory is therefore estimated, generously, and
// charged to the limit before it parses the text.
#include "formats/gltf_read.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t load32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool gltf_fail(gltf *g, const json_path *path, const char *format, ...) {
    const unsigned char *text = g->r->bytes + g->text_at;
    char words[400], where[160];
    json_place place;
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    json_where((const char *)text, g->text_size, path, false, &place);
    size_t at = 0; // offset of the place
    for (int line = 1, column = 1; at < g->text_size && line <= place.line; at++) {
        const bool starts = (text[at] & 0xC0) != 0x80; // of a character
        if (starts && line == place.line && column >= place.column) break;
        column += starts;
        if (text[at] == '\n') ++line, column = 1;
    }
    if (!path) return reader_fail(g->r, g->text_at + at, "%s", words);
    json_path_text(path, where, sizeof where);
    return reader_fail(g->r, g->text_at + at, "%s: %s", where, words);
}

bool gltf_whole(gltf *g, const json_t *object, const json_path *path, const char *key, int64_t min, int64_t max,
                int64_t fallback, int64_t *out) {
    const json_t *value = json_object_get(object, key);
    if (!value) {
        if (fallback == GLTF_NEEDED) return gltf_fail(g, path, "needs \"%s\"", key);
        *out = fallback;
        return true;
    }
    const json_path here = {path, key, 0};
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(number == floor(number))) return gltf_fail(g, &here, "must be a whole number");
    if (number < (double)min || number > (double)max) {
        if (max < min) return gltf_fail(g, &here, "%.0f; the file has none", number);
        return gltf_fail(g, &here, "must be %lld to %lld, is %.0f", (long long)min, (long long)max, number);
    }
    *out = (int64_t)number;
    return true;
}

bool gltf_list(gltf *g, const json_t *object, const json_path *path, const char *key, json_t **out) {
    const json_path here = {path, key, 0};
    *out = json_object_get(object, key);
    return !*out || json_is_array(*out) || gltf_fail(g, &here, "must be a list");
}

bool gltf_numbers(gltf *g, const json_t *object, const json_path *path, const char *key, int count, float *out) {
    json_t *list;
    const json_path here = {path, key, 0};
    if (!gltf_list(g, object, path, key, &list)) return false;
    if (!list) return true;
    if (json_array_size(list) != (size_t)count)
        return gltf_fail(g, &here, "must have %d numbers, has %zu", count, json_array_size(list));
    for (int i = 0; i < count; i++) {
        const json_path item = {&here, NULL, (size_t)i};
        const json_t *value = json_array_get(list, (size_t)i);
        out[i] = (float)json_number_value(value);
        if (!json_is_number(value) || !isfinite(out[i])) return gltf_fail(g, &item, "must be a number");
    }
    return true;
}

bool gltf_objects(gltf *g, const json_t *list, const json_path *path) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_path here = {path, NULL, i};
        if (!json_is_object(json_array_get(list, i))) return gltf_fail(g, &here, "must be an object");
    }
    return true;
}

void gltf_name(const json_t *object, char out[MESH_NAME_SIZE]) {
    const json_t *name = json_object_get(object, "name");
    reader_name(out, json_string_value(name), json_string_length(name));
}

json_t *gltf_top(const gltf *g, const char *key) {
    return json_object_get(g->root, key);
}

// An upper estimate of the bytes that Jansson needs for the text.
static size_t json_cost(const unsigned char *text, size_t size) {
    size_t cost = 3 * size;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        if (in_string) {
            if (text[i] == '\\')
                i++;
            else
                in_string = text[i] != '"';
            continue;
        }
        switch (text[i]) {
        case '"':
            in_string = true;
            break;
        case '{':
            cost += 280;
            break;
        case '[':
            cost += 120;
            break;
        case ':':
            cost += 130;
            break;
        case ',':
            cost += 60;
            break;
        }
    }
    return cost;
}

// Finds JSON and buffer in a .glb file.
static bool find_chunks(gltf *g) {
    mesh_reader *r = g->r;
    if (r->size < 20) return reader_fail(r, r->size, "the file ends in its header, which has 20 bytes");
    if (load32(r->bytes + 4) != 2)
        return reader_fail(r, 4, "glTF version %u; only version 2 can be read", load32(r->bytes + 4));
    const size_t length = load32(r->bytes + 8);
    if (length > r->size)
        return reader_fail(r, r->size, "the file ends early: the header announces %zu bytes, the file has %zu", length,
                           r->size);
    size_t at = 12;
    for (int chunk = 0; at + 8 <= length; chunk++) {
        const size_t size = load32(r->bytes + at), type = load32(r->bytes + at + 4);
        if (size > length - at - 8) return reader_fail(r, at, "a chunk of %zu bytes exceeds the file", size);
        if (chunk == 0 && type != 0x4E4F534A) return reader_fail(r, at + 4, "the first chunk is not JSON");
        if (chunk == 0) g->text_at = at + 8, g->text_size = size;
        if (chunk > 0 && type == 0x004E4942 && !g->binary) g->binary = r->bytes + at + 8, g->binary_size = size;
        at += 8 + size;
    }
    if (g->text_size == 0) return reader_fail(r, 12, "the JSON chunk is empty");
    return true;
}

static bool load_json(gltf *g) {
    mesh_reader *r = g->r;
    const unsigned char *text = r->bytes + g->text_at;
    size_t size = g->text_size;
    r->at = g->text_at;
    static const char smallest[] = "{\"asset\":{\"version\":\"2.0\"}}";
    if (size < sizeof smallest - 1)
        return reader_fail(r, g->text_at, "too short to be glTF; the shortest file is %s", smallest);
    if (memchr(text, 0, size)) {
        const size_t at = (size_t)((const unsigned char *)memchr(text, 0, size) - text);
        return reader_fail(r, g->text_at + at, "a NUL byte in the JSON");
    }
    if (!reader_charge(r, json_cost(text, size))) return false;
    json_error_t error;
    g->root = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES, &error);
    if (g->root) return true;
    for (char *c = error.text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '?';
    const size_t at = error.position > 0 ? (size_t)error.position : 0;
    return reader_fail(r, g->text_at + (at < size ? at : size), "not JSON: %s", error.text);
}

// What to do about an extension that cannot be read.
static const char *advice(const char *name) {
    const bool packed = name && (strstr(name, "draco") || strstr(name, "meshopt"));
    return packed ? "export it without compression, or unpack it: npx @gltf-transform/cli copy IN.glb OUT.glb"
                  : "export it without compression";
}

// Checks the version, the required extensions, and that lists contain objects.
static bool check_top(gltf *g) {
    static const char *const known[] = {"KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform",
                                        "KHR_lights_punctual",   "EXT_texture_webp",    "KHR_texture_basisu"};
    static const char *const lists[] = {"buffers", "bufferViews", "accessors",  "meshes",
                                        "nodes",   "skins",       "animations", "scenes"};
    json_t *required;
    const json_t *asset = json_object_get(g->root, "asset");
    const char *version = json_string_value(json_object_get(asset, "version"));
    if (!json_is_object(g->root)) return gltf_fail(g, NULL, "not glTF: the JSON is not an object");
    if (!version) return gltf_fail(g, NULL, "not glTF: asset.version is missing");
    if (strncmp(version, "2.", 2) != 0) {
        const json_path top = {NULL, "asset", 0}, here = {&top, "version", 0};
        return gltf_fail(g, &here, "glTF version %.20s; only version 2 can be read", version);
    }
    if (!gltf_list(g, g->root, NULL, "extensionsRequired", &required)) return false;
    for (size_t i = 0; i < json_array_size(required); i++) {
        const json_path list = {NULL, "extensionsRequired", 0}, here = {&list, NULL, i};
        const char *name = json_string_value(json_array_get(required, i));
        bool found = false;
        for (size_t k = 0; name && k < sizeof known / sizeof *known; k++) found = found || strcmp(name, known[k]) == 0;
        if (!found)
            return gltf_fail(g, &here, "the file needs %.100s, which is not supported; %s",
                             name ? name : "an extension", advice(name));
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const json_path here = {NULL, lists[i], 0};
        json_t *list;
        if (!gltf_list(g, g->root, NULL, lists[i], &list) || !gltf_objects(g, list, &here)) return false;
        if (json_array_size(list) > 0x7fffffff / 8) return gltf_fail(g, &here, "too many");
    }
    return true;
}

bool gltf_open(gltf *g) {
    mesh_reader *r = g->r;
    const bool chunks = r->size >= 4 && memcmp(r->bytes, "glTF", 4) == 0;
    bool good = true;
    g->text_size = r->size;
    r->text = !chunks;
    r->out->words = chunks ? "glTF, binary" : "glTF, text";
    if (r->size > 0x7fffffff / 2) return reader_fail(r, 0, "larger than 1 GB");
    if (chunks) {
        good = find_chunks(g);
    } else {
        if (r->size >= 3 && memcmp(r->bytes, "\xEF\xBB\xBF", 3) == 0) g->text_at = 3, g->text_size -= 3;
        size_t first = g->text_at;
        while (first < r->size && r->bytes[first] <= ' ') first++;
        if (first < r->size && r->bytes[first] != '{')
            good = reader_fail(r, first, "not glTF: it starts neither with \"glTF\" nor with \"{\"");
    }
    return good && load_json(g) && check_top(g) && gltf_open_buffers(g);
}

void gltf_close(gltf *g) {
    gltf_close_buffers(g);
    free(g->node_of), free(g->mesh_of), free(g->skin_of), free(g->shown);
    json_decref(g->root);
}

bool gltf_read(mesh_reader *r, const file_source *files) {
    gltf g = {.r = r, .files = files};
    const bool good =
        gltf_open(&g) && gltf_read_nodes(&g) && gltf_read_skins(&g) && gltf_read_clips(&g) && gltf_read_meshes(&g);
    gltf_close(&g);
    if (!good) reader_fail(r, r->at, "out of memory");
    return good;
}
