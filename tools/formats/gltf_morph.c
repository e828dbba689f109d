// See gltf_morph.h.
//
// The buffers of the file follow each other in the binary chunk, then come the targets: of each primitive a sparse accessor
//
//     POSITION of vertex = offset, for the vertices that the target moves; 0 for all others
//
// and for each clip the times and weights, keys in steps of 1 / fps. A file that has targets keeps them, before ours; a
// clip that animates them keeps their values at its own keys and gets them in between.
#include "formats/gltf_morph.h"
#include "formats/gltf_read.h"
#include "system/system.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TARGETS = 4096, MAX_KEYS = 100000 };

typedef struct {
    unsigned char *at;
    size_t size, capacity;
} binary;

typedef struct {
    gltf g;
    mesh_reader reader;
    mesh_file scratch; // of the reader
    const mesh_file *file;
    const gltf_targets *targets;
    const char *path;
    binary bin;
    tool_error *error;
} morph;

// ---- the binary chunk

static bool add_bytes(morph *m, const void *from, size_t size) {
    binary *b = &m->bin;
    if (size > b->capacity - b->size) {
        const size_t capacity = 2 * (b->size + size) + 4096;
        unsigned char *more = capacity < INT_MAX ? realloc(b->at, capacity) : NULL;
        if (!more) return tool_error_out_of_memory(m->error);
        b->at = more, b->capacity = capacity;
    }
    if (size > 0) memcpy(b->at + b->size, from, size);
    b->size += size;
    return true;
}

static bool align(morph *m) {
    return add_bytes(m, "\0\0\0", (4 - m->bin.size % 4) % 4);
}

static bool add_word(morph *m, uint32_t word) {
    const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8), (unsigned char)(word >> 16),
                                    (unsigned char)(word >> 24)};
    return add_bytes(m, bytes, 4);
}

static bool add_float(morph *m, float value) {
    uint32_t word;
    memcpy(&word, &value, 4);
    return add_word(m, word);
}

// ---- JSON

// A list or an object of an object, which is made if it is not there.
static json_t *list_of(json_t *object, const char *key) {
    json_t *list = json_object_get(object, key);
    if (!json_is_array(list)) json_object_set_new(object, key, list = json_array());
    return list;
}

static json_t *object_of(json_t *object, const char *key) {
    json_t *inner = json_object_get(object, key);
    if (!json_is_object(inner)) json_object_set_new(object, key, inner = json_object());
    return inner;
}

static int append(json_t *list, json_t *value) {
    json_array_append_new(list, value);
    return (int)json_array_size(list) - 1;
}

// A whole number of an object that the reader has taken; -1: none.
static int whole(const json_t *object, const char *key) {
    const double value = json_number_value(json_object_get(object, key));
    return json_object_get(object, key) && value >= 0 && value < INT_MAX ? (int)value : -1;
}

// A view of what has been added since `start`.
static int add_view(morph *m, size_t start) {
    return append(list_of(m->g.root, "bufferViews"),
                  json_pack("{s:i,s:I,s:I}", "buffer", 0, "byteOffset", (json_int_t)start, "byteLength",
                            (json_int_t)(m->bin.size - start)));
}

static int add_accessor(morph *m, int view, int count, const char *type) {
    json_t *accessor = json_pack("{s:i,s:i,s:s}", "componentType", 5126, "count", count, "type", type);
    if (view >= 0) json_object_set_new(accessor, "bufferView", json_integer(view));
    return append(list_of(m->g.root, "accessors"), accessor);
}

static json_t *accessor(const morph *m, int index) {
    return json_array_get(json_object_get(m->g.root, "accessors"), (size_t)index);
}

static void set_bounds(json_t *of, int width, const float *low, const float *high) {
    json_t *min = json_array(), *max = json_array();
    for (int k = 0; k < width; k++) {
        json_array_append_new(min, json_real((double)low[k]));
        json_array_append_new(max, json_real((double)high[k]));
    }
    json_object_set_new(of, "min", min);
    json_object_set_new(of, "max", max);
}

// ---- what was in the file

// All buffers become one.
static bool join_buffers(morph *m) {
    json_t *root = m->g.root, *views = json_object_get(root, "bufferViews");
    size_t *start = calloc((size_t)m->g.buffer_count + 1, sizeof *start);
    bool good = start || tool_error_out_of_memory(m->error);
    for (int i = 0; i < m->g.buffer_count && good; i++) {
        start[i] = m->bin.size;
        good = add_bytes(m, m->g.buffer[i].bytes, m->g.buffer[i].size) && align(m);
    }
    for (size_t i = 0; i < json_array_size(views) && good; i++) {
        json_t *view = json_array_get(views, i);
        const int buffer = whole(view, "buffer"), offset = whole(view, "byteOffset");
        if (buffer < 0 || buffer >= m->g.buffer_count) continue;
        const size_t at = start[buffer] + (size_t)(offset > 0 ? offset : 0);
        json_object_set_new(view, "buffer", json_integer(0));
        json_object_set_new(view, "byteOffset", json_integer((json_int_t)at));
    }
    free(start);
    return good;
}

static const char *image_type(const char *uri) {
    static const char *const types[][2] = {{".png", "image/png"},
                                           {".jpg", "image/jpeg"},
                                           {".jpeg", "image/jpeg"},
                                           {".webp", "image/webp"},
                                           {".ktx2", "image/ktx2"}};
    const char *dot = strrchr(uri, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++) {
        size_t k = 0;
        while (dot[k] && (dot[k] | 32) == types[i][0][k]) k++;
        if (!dot[k] && !types[i][0][k]) return types[i][1];
    }
    return NULL;
}

// Images in files of their own move into the file.
static bool embed_images(morph *m) {
    json_t *images = json_object_get(m->g.root, "images");
    const json_path list = {NULL, "images", 0};
    for (size_t i = 0; i < json_array_size(images); i++) {
        json_t *image = json_array_get(images, i);
        const json_path path = {&list, NULL, i}, here = {&path, "uri", 0};
        const char *uri = json_string_value(json_object_get(image, "uri"));
        if (!uri || strncmp(uri, "data:", 5) == 0) continue;
        gltf_buffer bytes = {0};
        const char *type = image_type(uri);
        if (!type) return gltf_fail(&m->g, &here, "an image must be .png, .jpg, .webp or .ktx2");
        if (!gltf_open_file(&m->g, &here, uri, &bytes)) return false;
        const size_t start = m->bin.size;
        const bool good = add_bytes(m, bytes.bytes, bytes.size);
        free(bytes.owned);
        if (!good) return false;
        json_object_set_new(image, "bufferView", json_integer(add_view(m, start)));
        json_object_set_new(image, "mimeType", json_string(type));
        json_object_del(image, "uri");
        if (!align(m)) return false;
    }
    return true;
}

// ---- targets

// The offsets of a shape for the vertices from `first` on, `count` of them. A null shape, or one that moves none: all 0.
static int add_target(morph *m, const sn_corrective_target *target, int first, int count) {
    const sn_corrective_row *rows = m->targets->set->rows;
    const int begin = target ? target->first : 0, end = target ? begin + target->count : 0;
    const size_t start = m->bin.size;
    float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    int moved = 0;
    for (int i = begin; i < end; i++) {
        const int v = rows[i].vertex - first;
        if (v < 0 || v >= count) continue;
        if (!add_word(m, (uint32_t)v)) return -1;
        moved++;
    }
    const int index = add_accessor(m, -1, count, "VEC3");
    json_t *out = accessor(m, index);
    if (moved > 0) {
        const int indices = add_view(m, start);
        const size_t values = m->bin.size;
        for (int i = begin; i < end; i++) {
            const int v = rows[i].vertex - first;
            if (v < 0 || v >= count) continue;
            for (int k = 0; k < 3; k++) {
                const float x = target->scale * (float)rows[i].offset[k];
                low[k] = fminf(low[k], x), high[k] = fmaxf(high[k], x);
                if (!add_float(m, x)) return -1;
            }
        }
        if (moved == count) // no vertex has the 0 that others have
            for (int k = 0; k < 3; k++) {
                low[k] = INFINITY, high[k] = -INFINITY;
                for (int i = begin; i < end; i++) {
                    const int v = rows[i].vertex - first;
                    if (v < 0 || v >= count) continue;
                    const float x = target->scale * (float)rows[i].offset[k];
                    low[k] = fminf(low[k], x), high[k] = fmaxf(high[k], x);
                }
            }
        json_object_set_new(out, "sparse",
                            json_pack("{s:i,s:{s:i,s:i},s:{s:i}}", "count", moved, "indices", "bufferView", indices,
                                      "componentType", 5125, "values", "bufferView", add_view(m, values)));
    }
    set_bounds(out, 3, low, high);
    return index;
}

static const char *const attributes_that_matter[] = {"POSITION",  "NORMAL",    "TEXCOORD_0", "COLOR_0",
                                                     "JOINTS_0",  "JOINTS_1",  "JOINTS_2",   "JOINTS_3",
                                                     "WEIGHTS_0", "WEIGHTS_1", "WEIGHTS_2",  "WEIGHTS_3"};

// Whether two primitives share vertices, as the reader sees it.
static bool same_attributes(const json_t *a, const json_t *b) {
    for (size_t i = 0; i < sizeof attributes_that_matter / sizeof *attributes_that_matter; i++)
        if (whole(a, attributes_that_matter[i]) != whole(b, attributes_that_matter[i])) return false;
    return true;
}

static bool add_targets_to(morph *m, json_t *primitive, int first, int count) {
    json_t *targets = list_of(primitive, "targets");
    const json_t *like = json_array_get(targets, 0);
    for (int k = 0; k < m->targets->set->target_count; k++) {
        const int index = add_target(m, first < 0 ? NULL : &m->targets->set->targets[k], first, count);
        if (index < 0) return false;
        json_t *target = json_pack("{s:i}", "POSITION", index);
        static const char *const others[] = {"NORMAL", "TANGENT"}; // all targets have the same attributes
        for (int i = 0; i < 2; i++)
            if (json_object_get(like, others[i])) {
                const int zeros = add_accessor(m, -1, count, "VEC3");
                json_object_set_new(target, others[i], json_integer(zeros));
            }
        append(targets, target);
    }
    return true;
}

// The number of targets that a mesh has without ours.
static int own_targets(const json_t *mesh) {
    return (int)json_array_size(json_object_get(json_array_get(json_object_get(mesh, "primitives"), 0), "targets"));
}

static void extend_weights(json_t *of, int own, const float *weights, int count) {
    json_t *list = list_of(of, "weights");
    while ((int)json_array_size(list) < own) json_array_append_new(list, json_real(0));
    for (int k = 0; k < count; k++) json_array_append_new(list, json_real((double)weights[k]));
}

static bool add_targets(morph *m, int index, int first, const float *weights) {
    json_t *mesh = json_array_get(json_object_get(m->g.root, "meshes"), (size_t)index);
    json_t *primitives = json_object_get(mesh, "primitives");
    const int own = own_targets(mesh), targets = m->targets->set->target_count;
    const json_t *before = NULL; // attributes of the primitive before
    int at = first, last = first;
    for (size_t i = 0; i < json_array_size(primitives); i++) {
        json_t *primitive = json_array_get(primitives, i);
        const json_t *attributes = json_object_get(primitive, "attributes");
        const int mode = whole(primitive, "mode"), position = whole(attributes, "POSITION");
        const int count = whole(accessor(m, position), "count");
        const bool skipped = (mode >= 0 && mode < 4) || position < 0;
        if ((int)json_array_size(json_object_get(primitive, "targets")) != own)
            return tool_error_set(m->error, "the primitives of a mesh have different numbers of morph targets");
        if (skipped) {
            before = NULL;
            if (position >= 0 && !add_targets_to(m, primitive, -1, count)) return false;
            continue;
        }
        const bool shares = before && same_attributes(before, attributes);
        if (!shares) last = at, at += count;
        if (!add_targets_to(m, primitive, last, count)) return false;
        before = attributes;
    }
    extend_weights(mesh, own, weights, targets);
    json_t *names = list_of(object_of(mesh, "extras"), "targetNames");
    char name[32];
    for (int k = (int)json_array_size(names); k < own; k++) {
        snprintf(name, sizeof name, "target %d", k);
        json_array_append_new(names, json_string(name));
    }
    for (int k = 0; k < targets; k++) json_array_append_new(names, json_string(m->targets->names[k]));
    return true;
}

// ---- clips

typedef struct {
    float *times, *weights;
    int count;
} key_list;

static int by_time(const void *one, const void *two) {
    const float a = *(const float *)one, b = *(const float *)two;
    return a < b ? -1 : a > b;
}

// Times in steps of 1 / fps to the end of a clip, and those of `more`.
static bool make_times(const morph *m, double duration, const float *more, int more_count, key_list *out) {
    const double steps = ceil(duration * m->targets->fps - 1e-6);
    if (!(steps < MAX_KEYS)) return tool_error_set(m->error, "a clip is too long: %.0f s", duration);
    const int count = (int)steps + 1;
    out->times = malloc(((size_t)count + (size_t)more_count) * sizeof *out->times);
    if (!out->times) return tool_error_out_of_memory(m->error);
    for (int i = 0; i < count; i++) out->times[i] = (float)fmin(i / m->targets->fps, duration);
    if (more_count > 0) memcpy(out->times + count, more, (size_t)more_count * sizeof *more);
    qsort(out->times, (size_t)(count + more_count), sizeof *out->times, by_time);
    out->count = 0;
    for (int i = 0; i < count + more_count; i++)
        if (out->count == 0 || out->times[i] > out->times[out->count - 1]) out->times[out->count++] = out->times[i];
    return true;
}

// Weights of `own` targets of the file, interpolated at a time, then ours.
static bool make_weights(morph *m, int clip, int own, const float *times, const float *values, int keys,
                         key_list *out) {
    const int targets = m->targets->set->target_count, width = own + targets;
    out->weights = calloc((size_t)out->count * (size_t)width + 1, sizeof *out->weights);
    if (!out->weights) return tool_error_out_of_memory(m->error);
    for (int i = 0; i < out->count; i++) {
        float *row = out->weights + (size_t)i * (size_t)width;
        const float t = out->times[i];
        int k = 0;
        while (k < keys - 1 && times[k + 1] <= t) k++;
        const bool between = keys > 0 && k < keys - 1 && t > times[k];
        const float x = between ? (t - times[k]) / (times[k + 1] - times[k]) : 0;
        for (int j = 0; j < own && keys > 0; j++) {
            const float a = values[(size_t)k * (size_t)own + (size_t)j];
            const float b = between ? values[(size_t)(k + 1) * (size_t)own + (size_t)j] : a;
            row[j] = a + x * (b - a);
        }
        if (!m->targets->weights(m->targets->user, clip, (double)t, row + own, m->error)) return false;
    }
    return true;
}

static bool add_keys(morph *m, const key_list *keys, int width, json_t *sampler) {
    size_t start = m->bin.size;
    for (int i = 0; i < keys->count; i++)
        if (!add_float(m, keys->times[i])) return false;
    const int input = add_accessor(m, add_view(m, start), keys->count, "SCALAR");
    set_bounds(accessor(m, input), 1, &keys->times[0], &keys->times[keys->count - 1]);
    start = m->bin.size;
    for (size_t i = 0; i < (size_t)keys->count * (size_t)width; i++)
        if (!add_float(m, keys->weights[i])) return false;
    const int output = add_accessor(m, add_view(m, start), keys->count * width, "SCALAR");
    json_object_set_new(sampler, "input", json_integer(input));
    json_object_set_new(sampler, "output", json_integer(output));
    json_object_set_new(sampler, "interpolation", json_string("LINEAR"));
    return true;
}

// The channel of a clip that animates the weights of a node; null: none.
static json_t *find_channel(const json_t *clip, int node) {
    json_t *channels = json_object_get(clip, "channels");
    for (size_t i = 0; i < json_array_size(channels); i++) {
        json_t *channel = json_array_get(channels, i), *target = json_object_get(channel, "target");
        const char *path = json_string_value(json_object_get(target, "path"));
        if (path && strcmp(path, "weights") == 0 && whole(target, "node") == node) return channel;
    }
    return NULL;
}

// Reads the keys of the file's own targets, which are linear (or held: their steps become steep).
static bool read_weights(morph *m, const json_t *clip, const json_t *channel, int own, float **times, float **values,
                         int *count) {
    const json_t *sampler = json_array_get(json_object_get(clip, "samplers"), (size_t)whole(channel, "sampler"));
    const char *how = json_string_value(json_object_get(sampler, "interpolation"));
    const bool cubic = how && strcmp(how, "CUBICSPLINE") == 0;
    gltf_rows input, output;
    gltf_buffer joined = {m->bin.at, m->bin.size, NULL}; // where the views point to now
    gltf_buffer *const before = m->g.buffer;
    m->g.buffer = &joined;
    const bool found = gltf_accessor(&m->g, whole(sampler, "input"), NULL, &input) &&
                       gltf_accessor(&m->g, whole(sampler, "output"), NULL, &output);
    m->g.buffer = before;
    if (!found) return false;
    const int per_key = own * (cubic ? 3 : 1);
    if (input.width != 1 || output.width != 1 || output.count != (int64_t)input.count * per_key)
        return tool_error_set(m->error, "a clip has %d weights for %d times and %d morph targets", output.count,
                              input.count, own);
    float *all = malloc((size_t)output.count * sizeof *all);
    *times = malloc((size_t)input.count * sizeof **times);
    *values = malloc((size_t)input.count * (size_t)own * sizeof **values);
    bool good = (all && *times && *values) || tool_error_out_of_memory(m->error);
    good = good && gltf_floats(&m->g, &input, NULL, 1, *times) && gltf_floats(&m->g, &output, NULL, 1, all);
    for (int i = 0; i < input.count && good; i++) // of cubic keys the values without their tangents
        memcpy(*values + (size_t)i * (size_t)own, all + (size_t)i * (size_t)per_key + (cubic ? own : 0),
               (size_t)own * sizeof **values);
    *count = input.count;
    free(all);
    return good;
}

// The weights of the file's own targets that a node has without a clip, as a key at time 0.
static bool rest_weights(morph *m, int node, int own, float **times, float **values) {
    const json_t *nodes = json_object_get(m->g.root, "nodes"), *meshes = json_object_get(m->g.root, "meshes");
    const json_t *object = json_array_get(nodes, (size_t)node), *list = json_object_get(object, "weights");
    if (!list) list = json_object_get(json_array_get(meshes, (size_t)whole(object, "mesh")), "weights");
    *times = calloc(1, sizeof **times);
    *values = calloc((size_t)own, sizeof **values);
    if (!*times || !*values) return tool_error_out_of_memory(m->error);
    for (int j = 0; j < own; j++) (*values)[j] = (float)json_number_value(json_array_get(list, (size_t)j));
    return true;
}

static bool animate_node(morph *m, json_t *clip, int index, int node, int own) {
    json_t *channel = find_channel(clip, node);
    float *times = NULL, *values = NULL;
    int count = 0;
    key_list keys = {0};
    double duration = m->file->clip[index].duration;
    bool good = own == 0 || (channel ? read_weights(m, clip, channel, own, &times, &values, &count)
                                     : rest_weights(m, node, own, &times, &values));
    if (good && count > 0) duration = fmax(duration, (double)times[count - 1]);
    good = good && make_times(m, duration, times, count, &keys) &&
           make_weights(m, index, own, times, values, count > 0 ? count : own > 0, &keys);
    if (good) {
        json_t *sampler = json_object();
        good = add_keys(m, &keys, own + m->targets->set->target_count, sampler);
        const int number = append(list_of(clip, "samplers"), sampler);
        if (channel)
            json_object_set_new(channel, "sampler", json_integer(number));
        else
            append(list_of(clip, "channels"),
                   json_pack("{s:i,s:{s:i,s:s}}", "sampler", number, "target", "node", node, "path", "weights"));
    }
    free(times);
    free(values);
    free(keys.times);
    free(keys.weights);
    return good;
}

// ---- all of it

// The first vertex of a mesh of the file among all; -1: it gets no targets.
static int first_vertex(const morph *m, int mesh) {
    int first = 0;
    for (int i = 0; i < m->file->mesh_count; i++) {
        if (m->file->mesh[i].source == mesh) return first;
        first += m->file->mesh[i].mesh.vertex_count;
    }
    return -1;
}

static bool add_all(morph *m) {
    json_t *nodes = json_object_get(m->g.root, "nodes"), *meshes = json_object_get(m->g.root, "meshes");
    json_t *clips = json_object_get(m->g.root, "animations");
    const int targets = m->targets->set->target_count, count = (int)json_array_size(meshes);
    int *own = calloc((size_t)count + 1, sizeof *own);
    float *weights = calloc((size_t)targets + 1, sizeof *weights);
    bool good = (own && weights) || tool_error_out_of_memory(m->error);
    good = good && m->targets->weights(m->targets->user, -1, 0, weights, m->error);
    for (int i = 0; i < count && good; i++) {
        const int first = first_vertex(m, i);
        own[i] = own_targets(json_array_get(meshes, (size_t)i));
        if (own[i] > MAX_TARGETS) good = tool_error_set(m->error, "a mesh has %d morph targets", own[i]);
        if (good && first >= 0) good = add_targets(m, i, first, weights);
    }
    for (size_t n = 0; n < json_array_size(nodes) && good; n++) {
        json_t *node = json_array_get(nodes, n);
        const int mesh = whole(node, "mesh");
        if (mesh < 0 || mesh >= count || first_vertex(m, mesh) < 0) continue;
        if (json_object_get(node, "weights")) extend_weights(node, own[mesh], weights, targets);
        for (size_t i = 0; i < json_array_size(clips) && (int)i < m->file->clip_count && good; i++)
            good = animate_node(m, json_array_get(clips, i), (int)i, (int)n, own[mesh]);
    }
    free(own);
    free(weights);
    return good;
}

static bool write_chunks(morph *m, FILE *out) {
    if (!align(m)) return false;
    json_object_set_new(m->g.root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)m->bin.size));
    char *text = json_dumps(m->g.root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) return tool_error_out_of_memory(m->error);
    const size_t size = strlen(text), padding = (4 - size % 4) % 4;
    const size_t words[] = {0x46546C67, 2, 28 + size + padding + m->bin.size, size + padding, 0x4E4F534A};
    const size_t binary_words[] = {m->bin.size, 0x004E4942};
    for (int i = 0; i < 20; i++) putc((int)(words[i / 4] >> (8 * (i % 4)) & 255), out);
    fwrite(text, 1, size, out);
    fwrite("   ", 1, padding, out);
    for (int i = 0; i < 8; i++) putc((int)(binary_words[i / 4] >> (8 * (i % 4)) & 255), out);
    fwrite(m->bin.at, 1, m->bin.size, out);
    free(text);
    return true;
}

bool gltf_morph_write(const char *path, const file_source *files, const mesh_file *file, const gltf_targets *targets,
                      FILE *out, tool_error *error) {
    morph m = {.file = file, .targets = targets, .path = path, .error = error};
    tool_error reason;
    char *bytes;
    size_t size;
    if (file->format != MESH_GLTF) return tool_error_set(error, "%.300s is no glTF file", path);
    if (!file_text_read(path, files, (size_t)1 << 30, &bytes, &size, &reason))
        return tool_error_set(error, "%.300s: error: %s", path, reason.text);
    m.scratch = (mesh_file){.words = ""};
    m.reader = (mesh_reader){.name = path,
                             .bytes = (const unsigned char *)bytes,
                             .size = size,
                             .memory = 48 * size + 256,
                             .out = &m.scratch,
                             .error = error};
    m.g = (gltf){.r = &m.reader, .files = files};
    const bool good = gltf_open(&m.g) && join_buffers(&m) && embed_images(&m) && add_all(&m) && write_chunks(&m, out);
    gltf_close(&m.g);
    free(m.bin.at);
    free(bytes);
    return good;
}
