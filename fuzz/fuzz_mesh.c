// Fuzzes the readers of meshes: the first byte chooses the format, the rest is the file. Whatever it says, reading must
// not crash, leak, or take more than 50 times its size of memory, and what was read must be sound enough to be posed and
// cared for; a rigid body of its triangles is touched, stepped, saved, restored and stepped again. glTF is mutated as what
// it is: a tree of values, of which one is changed, left out or there twice, and a buffer. It needs no corpus: an input
// too short to be a file is replaced by a good one. See README.md for how to build and run it.
// covers: tools/formats/mesh_*.c tools/formats/gltf_read*.c
// beyond: mesh_name_is_known mesh_read: files on disk
#include "counted_memory.h"
#include "formats/mesh_file.h"
#include "formats/mesh_pose.h"
#include "fuzz_world.h"
#include "mesh/mesh_repair.h"
#include "mesh_bytes.h"
#include <jansson.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"x.obj", "x.ply", "x.stl", "x.off", "x.glb", "x.gltf"};
enum { FORMATS = sizeof names / sizeof *names, GLB = 4, GLTF = 5 };

static void check(bool good, const char *text, const char *error) {
    if (good) return;
    fprintf(stderr, "not so: %s (%s)\n", text, error);
    abort();
}

static bytes sample(unsigned seed, uint8_t *format) {
    sn_mesh mesh = seed & 1 ? shape_cube(0, 1) : shape_ball(3, 4);
    bytes b = {0};
    static const uint8_t formats[] = {0, 1, 1, 1, 2, 2, 3, 4, 4, 5};
    const unsigned which = seed / 2 % (sizeof formats);
    *format = formats[which];
    switch (which) {
    case 0:
        b = as_obj(&mesh);
        break;
    case 1:
    case 2:
    case 3:
        b = as_ply(&mesh, (ply_way)(which - 1));
        break;
    case 4:
    case 5:
        b = as_stl(&mesh, which == 4);
        break;
    case 6:
        b = as_off(&mesh);
        break;
    case 7:
        b = as_mesh_glb(&mesh, ",\"scale\":[1,-2,3]");
        break;
    case 8:
        b = as_rig_glb();
        break;
    default:
        b = as_mesh_gltf(&mesh);
    }
    sn_mesh_free(&mesh);
    return b;
}

// --- glTF as a tree

static unsigned below(unsigned *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

static json_t *any_value(unsigned *seed, const json_t *old) {
    static const double numbers[] = {0,    1,    2,    3,    4,     5121,  5123,       5125,       5126,
                                     -1,   16,   95,   96,   0.5,   1e-30, 2147483647, 4294967295, 4294967296,
                                     1e30, 1e15, -0.5, 1e38, 34962, 65536, -1e6,       1e300,      7};
    static const char *const words[] = {"SCALAR", "VEC2",   "VEC3",        "VEC4",     "MAT4",      "STEP",
                                        "LINEAR", "scale",  "CUBICSPLINE", "rotation", "POSITION",  "data:,AAAA",
                                        "",       "sparse", "translation", "weights",  "WEIGHTS_0", "a%20b.bin"};
    const double number = numbers[below(seed, sizeof numbers / sizeof *numbers)];
    switch (below(seed, 12)) {
    case 0:
        return json_boolean(below(seed, 2));
    case 1:
        return json_string(words[below(seed, sizeof words / sizeof *words)]);
    case 2:
        return json_object();
    case 3:
        return json_array();
    default:
        break;
    }
    if (json_is_string(old)) return json_string(words[below(seed, sizeof words / sizeof *words)]);
    if (json_is_integer(old) && below(seed, 3)) // another index or offset that there may be
        return json_integer(json_integer_value(old) + (json_int_t)below(seed, 9) - 4);
    if (json_is_real(old) || fabs(number) > 1e15 || number != floor(number)) return json_real(number);
    return json_integer((json_int_t)number);
}

// Keys that readers know, and that the samples may lack.
static void add_key(unsigned *seed, json_t *object) {
    static const char *const keys[] = {"byteOffset",
                                       "byteStride",
                                       "normalized",
                                       "sparse",
                                       "matrix",
                                       "translation",
                                       "rotation",
                                       "scale",
                                       "children",
                                       "mesh",
                                       "skin",
                                       "mode",
                                       "scene",
                                       "indices",
                                       "COLOR_0",
                                       "NORMAL",
                                       "TEXCOORD_0",
                                       "JOINTS_0",
                                       "WEIGHTS_0",
                                       "JOINTS_1",
                                       "joints",
                                       "skeleton",
                                       "targets",
                                       "material",
                                       "inverseBindMatrices",
                                       "extensionsRequired",
                                       "uri",
                                       "name",
                                       "count",
                                       "byteLength",
                                       "bufferView",
                                       "buffer"};
    static const char sparse[] = "{\"count\": 2, \"indices\": {\"bufferView\": 1, \"componentType\": 5123}, "
                                 "\"values\": {\"bufferView\": 0}}";
    static const char *const values[] = {"[0, 1, 2]",
                                         "[1, 1, 1, 1]",
                                         "[0, 0, 0, 1]",
                                         "{\"a\": 1}",
                                         "[]",
                                         "{}",
                                         "[1,0,0,0, 0,1,0,0, 0,0,1,0, 1,2,3,1]",
                                         "[{\"POSITION\": 0}]",
                                         "[\"KHR_draco_mesh_compression\"]",
                                         sparse};
    const char *value = values[below(seed, sizeof values / sizeof *values)];
    json_object_set_new(object, keys[below(seed, sizeof keys / sizeof *keys)],
                        below(seed, 2) ? json_integer(below(seed, 6)) : json_loads(value, JSON_DECODE_ANY, NULL));
}

// Changes one value somewhere below.
static void change(unsigned *seed, json_t *in) {
    const size_t count = json_is_array(in) ? json_array_size(in) : json_object_size(in);
    if (json_is_object(in) && (count == 0 || below(seed, 12) == 0)) {
        add_key(seed, in);
        return;
    }
    if (count == 0) return;
    const unsigned nth = below(seed, (unsigned)count), what = below(seed, 10);
    if (json_is_array(in)) {
        json_t *item = json_array_get(in, nth);
        if (what < 7 && (json_is_object(item) || json_is_array(item)))
            change(seed, item);
        else if (what == 7)
            json_array_remove(in, nth);
        else if (what == 8)
            json_array_append_new(in, json_deep_copy(item));
        else
            json_array_set_new(in, nth, any_value(seed, item));
        return;
    }
    void *at = json_object_iter(in);
    for (unsigned i = 0; i < nth; i++) at = json_object_iter_next(in, at);
    json_t *item = json_object_iter_value(at);
    if (what < 8 && (json_is_object(item) || json_is_array(item)))
        change(seed, item);
    else if (what == 8)
        json_object_del(in, json_object_iter_key(at));
    else
        json_object_iter_set_new(in, at, any_value(seed, item));
}

static unsigned word_at(const uint8_t *data) {
    uint32_t word;
    memcpy(&word, data, 4);
    return word;
}

// The tree of a .glb or .gltf and the buffer behind it; null: it has none.
static json_t *load_gltf(const uint8_t *data, size_t size, bool is_glb, bytes *buffer) {
    enum { HEAD = 20 };
    if (!is_glb) return json_loadb((const char *)data, size, 0, NULL);
    if (size < HEAD || word_at(data + 12) > size - HEAD) return NULL;
    const size_t text = word_at(data + 12), at = HEAD + text + 8;
    if (at < size) bytes_add(buffer, data + at, size - at);
    return json_loadb((const char *)data + HEAD, text, JSON_DISABLE_EOF_CHECK, NULL);
}

// The input behind the first byte; its size, or 0 if it is no glTF.
static size_t mutate_gltf(uint8_t *data, size_t size, size_t most, unsigned seed) {
    const bool is_glb = data[0] % FORMATS == GLB;
    bytes buffer = {0};
    json_t *root = load_gltf(data + 1, size - 1, is_glb, &buffer);
    if (!json_is_object(root)) {
        json_decref(root);
        bytes_free(&buffer);
        return 0;
    }
    for (unsigned i = below(&seed, 3); i > 0; i--) change(&seed, root);
    if (buffer.size >= 4 && below(&seed, 3) == 0) {
        static const float numbers[] = {0, 1, -1, 1e30f, NAN, INFINITY, 1e-38f, 255};
        const unsigned at = below(&seed, (unsigned)(buffer.size / 4)) * 4, which = below(&seed, 12);
        const uint32_t index = below(&seed, 40);
        if (which < 8)
            memcpy(buffer.at + at, &numbers[which], 4);
        else
            memcpy(buffer.at + at, &index, 4);
    }
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    bytes json = {0}, file = {0};
    if (text) bytes_add(&json, text, strlen(text));
    free(text);
    if (is_glb)
        file = as_glb(&json, &buffer);
    else
        bytes_add(&file, json.at, json.size);
    const bool fits = file.size + 1 <= most;
    const size_t length = file.size + 1;
    if (fits) memcpy(data + 1, file.at, file.size);
    bytes_free(&json), bytes_free(&buffer), bytes_free(&file);
    return fits ? length : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if ((size < 30 || seed % 50 == 0) && most > 1) {
        bytes b = sample(seed / 50, data);
        size = b.size + 1 < most ? b.size + 1 : most;
        memcpy(data + 1, b.at, size - 1);
        bytes_free(&b);
    }
    const unsigned format = size > 0 ? data[0] % FORMATS : 0;
    const size_t made = (format == GLB || format == GLTF) && seed % 8 ? mutate_gltf(data, size, most, seed) : 0;
    return made ? made : LLVMFuzzerMutate(data, size, most);
}

// A rigid body of the triangles; it may be refused.
static void step_body(const sn_mesh *mesh) {
    enum { MAX = 1000 };
    static sn_vec3 vertices[MAX];
    if (mesh->vertex_count > MAX || mesh->triangle_count > MAX || mesh->triangle_count < 1) return;
    sn_rigid_def def = sn_rigid_def_default();
    for (int v = 0; v < mesh->vertex_count; v++)
        vertices[v] =
            (sn_vec3){(sn_real)mesh->position[v][0], (sn_real)mesh->position[v][1], (sn_real)mesh->position[v][2]};
    def.geometry = SN_GEOMETRY_MESH, def.vertices = vertices, def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangle[0], def.triangle_count = mesh->triangle_count;
    sn_world *world = fuzz_world();
    sn_body body = {0};
    sn_rigid_create(world, &def, &body);
    fuzz_try(world, body);
}

// Poses and care: sanitizers tell whether an index was wrong.
static void use(mesh_file *file) {
    float(*world)[16] = malloc(((size_t)file->node_count + 1) * sizeof *world);
    for (int c = -1; c < file->clip_count && world; c++) {
        mesh_pose(file, c < 0 ? NULL : &file->clip[c], c < 0 ? 0 : file->clip[c].duration / 3, world);
        for (int i = 0; i < file->mesh_count; i++) {
            float(*out)[3] = malloc(((size_t)file->mesh[i].mesh.vertex_count + 1) * sizeof *out);
            if (out) mesh_pose_vertices(file, &file->mesh[i], (const float(*)[16])world, out);
            free(out);
        }
    }
    free(world);
    sn_mesh all, repaired;
    mesh_repair_report report;
    const mesh_repair_options options = mesh_repair_options_default();
    if (!mesh_file_merge(file, &all)) return;
    if (mesh_repair(&all, &options, &repaired, NULL, &report)) sn_mesh_free(&repaired);
    step_body(&all);
    sn_mesh_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const size_t length = size - 1;
    uint8_t *file_bytes = malloc(length ? length : 1); // of just this size, so that a byte too much is seen
    if (!file_bytes) return 0;
    memcpy(file_bytes, data + 1, length);
    tool_error error = {0};
    mesh_file file;
    listen();
    live = peak = 0;
    counting = true;
    const bool good = mesh_parse(names[data[0] % FORMATS], file_bytes, length, NULL, &file, &error);
    counting = false;
    check(peak <= 50 * (length > 128 ? length : 128), "at most 50 times the size of memory", error.text);
    check(good == (error.text[0] == '\0') && (good || strstr(error.text, "error: ")), "a file, or a sentence",
          error.text);
    if (good) use(&file);
    counting = true;
    mesh_file_free(&file);
    counting = false;
    check(live == 0, "nothing is left behind", error.text);
    free(file_bytes);
    return 0;
}
