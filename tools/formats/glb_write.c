// The nodes of the file:
//
//     body ─┬─ joint 0        a node per body that holds its joints side by side, each with position, turn and scale
//           ├─ joint 1
//           └─ ...
//     mesh                    a node with the body's mesh and skin; it has no place of its own, joints say all
//
// A body that deforms is a mesh node without joints: the mesh is as in the first frame, every further frame that is
// needed is a morph target (what is added to positions and normals), and the animated weights go from one to the next.
// Those of few vertices are skinned like the others (glb_deform.h).
//
// Bodies of one shape share vertices and inverse bind matrices; those that also share a colour share the mesh. A joint
// stands where the first frame has it, and only what leaves that place is animated. The frames that each value needs
// are chosen one by one, and values that need the same frames share the list of times.
#include "formats/glb_write.h"
#include "base/math/vec.h"
#include "formats/glb_deform.h"
#include "formats/keyframes.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Bytes that grow. After a failure nothing more is added.
typedef struct {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} bytes;

static unsigned char *bytes_take(bytes *b, size_t count) {
    if (b->failed) return NULL;
    if (count > b->capacity - b->size) {
        size_t capacity = b->capacity > SIZE_MAX / 4 ? 0 : 2 * (b->size + count) + 4096;
        unsigned char *grown = capacity ? realloc(b->data, capacity) : NULL;
        if (!grown) {
            b->failed = true;
            return NULL;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    b->size += count;
    return b->data + b->size - count;
}

static void put_int(bytes *b, uint64_t value, int size) {
    unsigned char *to = bytes_take(b, (size_t)size);
    for (int i = 0; to && i < size; i++) to[i] = (unsigned char)(value >> (8 * i));
}

static void put_float(bytes *b, double value) {
    float number = (float)value;
    uint32_t word;
    memcpy(&word, &number, 4);
    put_int(b, word, 4);
}

__attribute__((format(printf, 2, 3))) static void print(bytes *b, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unsigned char *to = bytes_take(b, (size_t)length);
    if (to) memcpy(to, text, (size_t)length);
}

// Text in quotes.
static void print_text(bytes *b, const char *text) {
    put_int(b, '"', 1);
    for (const char *c = text; *c; c++) {
        bool plain = *c != '"' && *c != '\\' && (unsigned char)*c >= 32;
        if (plain) put_int(b, (unsigned char)*c, 1);
        if (!plain) print(b, "\\u%04x", (unsigned)(unsigned char)*c);
    }
    put_int(b, '"', 1);
}

// A float as the double that it is, so that readers get the same float back.
static void print_number(bytes *b, double value) {
    print(b, "%.9g", value);
}

enum { BYTE = 5121, SHORT = 5122, UNSIGNED_SHORT = 5123, UNSIGNED_INT = 5125, FLOAT = 5126 };
enum { VERTICES = 34962, INDICES = 34963 };

// One body's part of the file.
typedef struct {
    int position, normal, colour, joints, weights, indices, inverse; // accessors; -1: none
    double size, reach; // of the rest mesh: its diagonal; how far a vertex is from a joint that moves it
    int *kept;          // of what deforms: the frames that are needed, the first one is the mesh itself
    int kept_count;     // 0: it never moves
    int targets;        // the accessor of the first morph target; then its normals, the next one, ...
    bool open;          // both sides can be seen
} shape_part;

typedef struct {
    int shape;
    float colour[3];
} mesh_part;

// A list of times that some values share.
typedef struct {
    uint64_t hash;
    int accessor, count;
    size_t offset; // into key_frames
} time_list;

typedef struct {
    const recording *take;
    double tolerance;
    bytes binary, json, accessors, views, samplers, channels;
    int accessor_count, view_count, sampler_count, channel_count;
    shape_part *shapes;
    mesh_part *meshes;
    int *mesh_of_body;
    int mesh_count;
    bool *keep;
    int *stack;
    time_list *lists; // a hash table, at most half full
    size_t list_count, list_capacity;
    int *key_frames; // frames of all lists, one after the other
    size_t key_frame_count, key_frame_capacity;
    int keys_view, keys_size; // the view of all keys
    bool failed;
    char why[256]; // it failed, unless for want of memory
} writer;

// --- views and accessors ---

static void comma(bytes *b, int count) {
    if (count) put_int(b, ',', 1);
}

static void align(writer *w) {
    while (w->binary.size % 4 && !w->binary.failed) put_int(&w->binary, 0, 1);
}

// A view of the binary from 'start' to where it is now.
static int end_view(writer *w, size_t start, int target) {
    comma(&w->views, w->view_count);
    print(&w->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", start, w->binary.size - start);
    if (target) print(&w->views, ",\"target\":%d", target);
    print(&w->views, "}");
    align(w);
    return w->view_count++;
}

static int add_accessor(writer *w, int view, size_t offset, int component, bool normalized, const char *type,
                        size_t count) {
    comma(&w->accessors, w->accessor_count);
    print(&w->accessors, "{\"bufferView\":%d,", view);
    if (offset) print(&w->accessors, "\"byteOffset\":%zu,", offset);
    print(&w->accessors, "\"componentType\":%d,%s\"count\":%zu,\"type\":\"%s\"", component,
          normalized ? "\"normalized\":true," : "", count, type);
    return w->accessor_count++;
}

static void end_accessor(writer *w) {
    put_int(&w->accessors, '}', 1);
}

static int add_vectors(writer *w, const float (*vectors)[3], int count, bool bounds) {
    size_t start = w->binary.size;
    float low[3], high[3];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            float x = vectors[i][k];
            put_float(&w->binary, (double)x);
            low[k] = i == 0 || x < low[k] ? x : low[k];
            high[k] = i == 0 || x > high[k] ? x : high[k];
        }
    }
    int accessor = add_accessor(w, end_view(w, start, VERTICES), 0, FLOAT, false, "VEC3", (size_t)count);
    for (int side = 0; bounds && side < 2; side++) {
        print(&w->accessors, ",\"%s\":[", side ? "max" : "min");
        for (int k = 0; k < 3; k++) {
            comma(&w->accessors, k);
            print_number(&w->accessors, (double)(side ? high[k] : low[k]));
        }
        print(&w->accessors, "]");
    }
    end_accessor(w);
    return accessor;
}

static int add_joints(writer *w, const recorded_shape *shape) {
    size_t start = w->binary.size;
    int size = shape->joint_count <= 256 ? 1 : 2;
    for (int v = 0; v < shape->mesh.vertex_count; v++) {
        for (int k = 0; k < 4; k++) { // joints without weight are number 0
            put_int(&w->binary, shape->mesh.weight[v][k] > 0 ? (uint64_t)shape->mesh.joint[v][k] : 0, size);
        }
    }
    int view = end_view(w, start, VERTICES);
    int accessor =
        add_accessor(w, view, 0, size == 1 ? BYTE : UNSIGNED_SHORT, false, "VEC4", (size_t)shape->mesh.vertex_count);
    end_accessor(w);
    return accessor;
}

static int add_weights(writer *w, const recorded_shape *shape) {
    size_t start = w->binary.size;
    for (int v = 0; v < shape->mesh.vertex_count; v++) {
        for (int k = 0; k < 4; k++) put_float(&w->binary, (double)shape->mesh.weight[v][k]);
    }
    int view = end_view(w, start, VERTICES);
    int accessor = add_accessor(w, view, 0, FLOAT, false, "VEC4", (size_t)shape->mesh.vertex_count);
    end_accessor(w);
    return accessor;
}

static int add_indices(writer *w, const sn_mesh *mesh) {
    size_t start = w->binary.size;
    int size = mesh->vertex_count <= 65535 ? 2 : 4; // the largest number of a type is not allowed
    for (int t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) put_int(&w->binary, (uint64_t)mesh->triangle[t][k], size);
    }
    int view = end_view(w, start, INDICES);
    int accessor = add_accessor(w, view, 0, size == 2 ? UNSIGNED_SHORT : UNSIGNED_INT, false, "SCALAR",
                                3 * (size_t)mesh->triangle_count);
    end_accessor(w);
    return accessor;
}

// Matrices that take the mesh into each joint's own axes: column after column of (T R S)^-1.
static int add_inverses(writer *w, const recorded_shape *shape) {
    size_t start = w->binary.size;
    for (int j = 0; j < shape->joint_count; j++) {
        const joint_pose *rest = &shape->rest[j];
        sn_quat back = sn_q_conj(rest->rotation);
        sn_vec3 columns[4] = {sn_v3(1, 0, 0), sn_v3(0, 1, 0), sn_v3(0, 0, 1), sn_mul(-1, rest->position)};
        for (int c = 0; c < 4; c++) {
            sn_vec3 column = sn_q_rotate(back, columns[c]);
            column = sn_v3(column.x / rest->scale.x, column.y / rest->scale.y, column.z / rest->scale.z);
            put_float(&w->binary, (double)column.x);
            put_float(&w->binary, (double)column.y);
            put_float(&w->binary, (double)column.z);
            put_float(&w->binary, c == 3);
        }
    }
    int accessor = add_accessor(w, end_view(w, start, 0), 0, FLOAT, false, "MAT4", (size_t)shape->joint_count);
    end_accessor(w);
    return accessor;
}

// --- shapes ---

static void measure(const recorded_shape *shape, shape_part *part) {
    const sn_mesh *mesh = &shape->mesh;
    float low[3], high[3];
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) part->size += (double)(high[k] - low[k]) * (double)(high[k] - low[k]);
    part->size = sqrt(part->size);
    for (int v = 0; v < mesh->vertex_count && shape->joint_count; v++) {
        for (int k = 0; k < 4; k++) {
            if (!(mesh->weight[v][k] > 0)) continue;
            sn_vec3 at = {(sn_real)mesh->position[v][0], (sn_real)mesh->position[v][1], (sn_real)mesh->position[v][2]};
            double off = (double)sn_length(sn_sub(at, shape->rest[mesh->joint[v][k]].position));
            part->reach = off > part->reach ? off : part->reach;
        }
    }
}

// Which frames a deforming body needs. False: no memory, or there are too many: w->why has words.
static bool choose_frames(writer *w, int body, shape_part *part) {
    const recording *take = w->take;
    const sn_mesh *mesh = &take->shapes[take->bodies[body].shape].mesh;
    const double tolerance = w->tolerance * part->size;
    const int count = take->frame_count > 1 ? glb_choose_targets(take, body, tolerance, w->keep, w->stack) : 0;
    const double size = 24.0 * count * mesh->vertex_count;
    if (count > GLB_MOST_TARGETS || size > GLB_MOST_TARGET_BYTES) {
        snprintf(w->why, sizeof w->why,
                 "%.24s deforms in %d frames, %.0f MB; %d and %.0f MB fit: use a smaller --fps or --seconds, or .pc2",
                 take->bodies[body].name, count, size / 1e6, GLB_MOST_TARGETS, GLB_MOST_TARGET_BYTES / 1e6);
        return false;
    }
    part->kept = malloc(((size_t)count + 1) * sizeof *part->kept);
    if (!part->kept) return false;
    for (int f = 0; count && f < take->frame_count; f++)
        if (w->keep[f]) part->kept[part->kept_count++] = f;
    return true;
}

// The mesh in the first frame, and what is added to it in the others.
static bool add_deforming(writer *w, int body, shape_part *part) {
    const recording *take = w->take;
    const int n = take->shapes[take->bodies[body].shape].mesh.vertex_count;
    const size_t size = ((size_t)n + 1) * 3 * sizeof(float);
    float(*base)[3] = malloc(size), (*normals)[3] = malloc(size), (*x)[3] = malloc(size), (*m)[3] = malloc(size);
    bool good = base && normals && x && m && choose_frames(w, body, part);
    if (good) {
        recording_vertices(take, 0, body, base, normals);
        part->position = add_vectors(w, (const float(*)[3])base, n, true);
        part->normal = add_vectors(w, (const float(*)[3])normals, n, false);
    }
    for (int i = 1; good && i < part->kept_count; i++) {
        recording_vertices(take, part->kept[i], body, x, m);
        for (int k = 0; k < 3 * n; k++) x[k / 3][k % 3] -= base[k / 3][k % 3], m[k / 3][k % 3] -= normals[k / 3][k % 3];
        const int added = add_vectors(w, (const float(*)[3])x, n, true);
        if (i == 1) part->targets = added;
        add_vectors(w, (const float(*)[3])m, n, false);
    }
    free(base);
    free(normals);
    free(x);
    free(m);
    return good;
}

static int body_of_shape(const recording *take, int shape) {
    int body = 0;
    while (body < take->body_count && take->bodies[body].shape != shape) body++;
    return body;
}

static void add_shape(writer *w, int number) {
    const recorded_shape *shape = &w->take->shapes[number];
    const sn_mesh *mesh = &shape->mesh;
    shape_part *part = &w->shapes[number];
    *part = (shape_part){.colour = -1, .joints = -1, .weights = -1, .inverse = -1};
    measure(shape, part);
    part->open = shape->open;
    if (shape->deforming) {
        w->failed = !add_deforming(w, body_of_shape(w->take, number), part) || w->failed;
    } else {
        part->position = add_vectors(w, (const float(*)[3])mesh->position, mesh->vertex_count, true);
        part->normal = add_vectors(w, (const float(*)[3])mesh->normal, mesh->vertex_count, false);
    }
    if (mesh->colour) part->colour = add_vectors(w, (const float(*)[3])mesh->colour, mesh->vertex_count, false);
    part->indices = add_indices(w, mesh);
    if (!shape->joint_count) return;
    part->joints = add_joints(w, shape);
    part->weights = add_weights(w, shape);
    part->inverse = add_inverses(w, shape);
}

// The mesh of a body: its shape in its colour. Bodies of a kind follow each other, so few are looked at.
static int mesh_of(writer *w, const recorded_body *body) {
    int first = w->mesh_count > 64 ? w->mesh_count - 64 : 0;
    for (int i = first; i < w->mesh_count; i++) {
        const mesh_part *mesh = &w->meshes[i];
        if (mesh->shape == body->shape && memcmp(mesh->colour, body->colour, sizeof mesh->colour) == 0) return i;
    }
    mesh_part *mesh = &w->meshes[w->mesh_count];
    mesh->shape = body->shape;
    memcpy(mesh->colour, body->colour, sizeof mesh->colour);
    return w->mesh_count++;
}

// --- keys ---

static bool same_keys(const writer *w, const time_list *list) {
    const int *frames = w->key_frames + list->offset;
    for (int i = 0; i < list->count; i++) {
        if (!w->keep[frames[i]]) return false;
    }
    return true;
}

static bool grow_lists(writer *w) {
    size_t capacity = w->list_capacity ? 2 * w->list_capacity : 64;
    time_list *grown = calloc(capacity, sizeof *grown);
    if (!grown) return false;
    for (size_t i = 0; i < w->list_capacity; i++) {
        if (!w->lists[i].count) continue;
        size_t at = w->lists[i].hash % capacity;
        while (grown[at].count) at = (at + 1) % capacity;
        grown[at] = w->lists[i];
    }
    free(w->lists);
    w->lists = grown;
    w->list_capacity = capacity;
    return true;
}

static bool remember_keys(writer *w, int count) {
    if (w->key_frame_capacity - w->key_frame_count < (size_t)count) {
        size_t capacity = 2 * (w->key_frame_count + (size_t)count);
        int *grown = realloc(w->key_frames, capacity * sizeof *grown);
        if (!grown) return false;
        w->key_frames = grown;
        w->key_frame_capacity = capacity;
    }
    for (int i = 0; i < w->take->frame_count; i++) {
        if (w->keep[i]) w->key_frames[w->key_frame_count++] = i;
    }
    return true;
}

// The accessor of the times of the frames in w->keep; 'view_start' is where the view of all keys starts.
static int times_accessor(writer *w, int count, size_t view_start) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < w->take->frame_count; i++) hash = (hash ^ w->keep[i]) * 1099511628211u;
    if (2 * w->list_count >= w->list_capacity && !grow_lists(w)) {
        w->failed = true;
        return 0;
    }
    size_t at = hash % w->list_capacity;
    for (; w->lists[at].count; at = (at + 1) % w->list_capacity) {
        const time_list *list = &w->lists[at];
        if (list->hash == hash && list->count == count && same_keys(w, list)) return list->accessor;
    }
    size_t offset = w->key_frame_count, start = w->binary.size;
    if (!remember_keys(w, count)) {
        w->failed = true;
        return 0;
    }
    const int *frames = w->key_frames + offset;
    for (int i = 0; i < count; i++) put_float(&w->binary, w->take->times[frames[i]]);
    int accessor = add_accessor(w, w->keys_view, start - view_start, FLOAT, false, "SCALAR", (size_t)count);
    print(&w->accessors, ",\"min\":[%.9g],\"max\":[%.9g]", (double)(float)w->take->times[frames[0]],
          (double)(float)w->take->times[frames[count - 1]]);
    end_accessor(w);
    w->lists[at] = (time_list){hash, accessor, count, offset};
    w->list_count++;
    return accessor;
}

static int16_t small(sn_real x) {
    return (int16_t)lrint(32767 * (double)sn_clamp(x, -1, 1));
}

static void put_key(writer *w, const joint_pose *pose, joint_channel channel, bool short_turns) {
    const sn_real turn[4] = {pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
    if (channel == CHANNEL_TURN) {
        for (int k = 0; k < 4; k++) {
            if (short_turns) put_int(&w->binary, (uint16_t)small(turn[k]), 2);
            if (!short_turns) put_float(&w->binary, (double)turn[k]);
        }
        return;
    }
    sn_vec3 v = channel == CHANNEL_POSITION ? pose->position : pose->scale;
    put_float(&w->binary, (double)v.x);
    put_float(&w->binary, (double)v.y);
    put_float(&w->binary, (double)v.z);
}

static void add_channel(writer *w, int joint, int node, joint_channel channel, double tolerance, bool short_turns,
                        size_t view_start) {
    static const char *const paths[] = {"translation", "rotation", "scale"};
    int count = keyframes_choose(w->take, joint, channel, tolerance, w->keep, w->stack);
    if (count == 0) return;
    int times = times_accessor(w, count, view_start);
    size_t start = w->binary.size;
    bool turn = channel == CHANNEL_TURN;
    for (int i = 0; i < w->take->frame_count; i++) {
        if (w->keep[i]) put_key(w, &recording_frame(w->take, i)[joint], channel, short_turns);
    }
    int values = add_accessor(w, w->keys_view, start - view_start, turn && short_turns ? SHORT : FLOAT,
                              turn && short_turns, turn ? "VEC4" : "VEC3", (size_t)count);
    end_accessor(w);
    comma(&w->samplers, w->sampler_count);
    print(&w->samplers, "{\"input\":%d,\"output\":%d}", times, values);
    comma(&w->channels, w->channel_count++);
    print(&w->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", w->sampler_count++, node,
          paths[channel]);
}

// Weights of morph targets: at each frame that was kept one of them is 1, the others 0; none at the first.
static void add_weight_channel(writer *w, const shape_part *part, int node, size_t view_start) {
    const int count = part->kept_count;
    if (count == 0) return;
    memset(w->keep, 0, (size_t)w->take->frame_count * sizeof *w->keep);
    for (int i = 0; i < count; i++) w->keep[part->kept[i]] = true;
    const int times = times_accessor(w, count, view_start);
    const size_t start = w->binary.size;
    for (int i = 0; i < count; i++)
        for (int target = 1; target < count; target++) put_float(&w->binary, target == i);
    const int values =
        add_accessor(w, w->keys_view, start - view_start, FLOAT, false, "SCALAR", (size_t)count * (size_t)(count - 1));
    end_accessor(w);
    comma(&w->samplers, w->sampler_count);
    print(&w->samplers, "{\"input\":%d,\"output\":%d}", times, values);
    comma(&w->channels, w->channel_count++);
    print(&w->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"weights\"}}", w->sampler_count++, node);
}

// All keys are in one view, whose number is the next.
static void add_keys(writer *w) {
    int node = 0;
    size_t start = w->binary.size;
    w->keys_view = w->view_count;
    for (int i = 0; i < w->take->body_count && !w->binary.failed && !w->failed; i++) {
        const recorded_body *body = &w->take->bodies[i];
        const shape_part *part = &w->shapes[body->shape];
        double tolerance = w->tolerance * part->size, reach = part->reach;
        // A turn in 16 bits is off by up to 6e-5 rad.
        bool short_turns = 6.2e-5 * reach <= tolerance;
        add_weight_channel(w, part, node, start);
        node++;
        for (int k = 0; k < w->take->shapes[body->shape].joint_count; k++, node++) {
            int joint = body->first + k;
            double angle = reach > 0 ? tolerance / reach : 1e-3;
            add_channel(w, joint, node, CHANNEL_POSITION, tolerance, false, start);
            add_channel(w, joint, node, CHANNEL_TURN, angle, short_turns, start);
            add_channel(w, joint, node, CHANNEL_SCALE, angle, false, start);
        }
        node += w->take->shapes[body->shape].joint_count > 0;
    }
    if (w->sampler_count) end_view(w, start, 0);
}

// --- the text ---

static void print_joint(bytes *b, const recorded_body *body, int joint, const joint_pose *pose) {
    char name[96];
    snprintf(name, sizeof name, "%s-%d", body->name, joint);
    print(b, ",{\"name\":");
    print_text(b, name);
    print(b, ",\"translation\":[%.9g,%.9g,%.9g]", (double)pose->position.x, (double)pose->position.y,
          (double)pose->position.z);
    print(b, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)pose->rotation.x, (double)pose->rotation.y,
          (double)pose->rotation.z, (double)pose->rotation.w);
    print(b, ",\"scale\":[%.9g,%.9g,%.9g]}", (double)pose->scale.x, (double)pose->scale.y, (double)pose->scale.z);
}

// A moving body has a node for its joints, the joints, and one for its mesh; a still one only that of its mesh.
static void print_nodes(writer *w) {
    bytes *b = &w->json;
    int node = 0, skin = 0;
    const joint_pose *poses = recording_frame(w->take, 0);
    for (int i = 0; i < w->take->body_count; i++) {
        const recorded_body *body = &w->take->bodies[i];
        int joints = w->take->shapes[body->shape].joint_count;
        comma(b, i);
        if (joints) {
            print(b, "{\"name\":");
            char name[96];
            snprintf(name, sizeof name, "%s-joints", body->name);
            print_text(b, name);
            print(b, ",\"children\":[");
            for (int k = 0; k < joints; k++) print(b, "%s%d", k ? "," : "", node + 1 + k);
            print(b, "]}");
            for (int k = 0; k < joints; k++) print_joint(b, body, k, &poses[body->first + k]);
            print(b, ",");
            node += joints + 1;
        }
        print(b, "{\"name\":");
        print_text(b, body->name);
        print(b, ",\"mesh\":%d", w->mesh_of_body[i]);
        if (joints) print(b, ",\"skin\":%d", skin++);
        print(b, "}");
        node++;
    }
}

static void print_roots(writer *w) {
    int node = 0;
    for (int i = 0; i < w->take->body_count; i++) {
        int joints = w->take->shapes[w->take->bodies[i].shape].joint_count;
        if (joints) print(&w->json, "%s%d,%d", i ? "," : "", node, node + joints + 1);
        if (!joints) print(&w->json, "%s%d", i ? "," : "", node);
        node += joints ? joints + 2 : 1;
    }
}

static void print_skins(writer *w) {
    int node = 0;
    bool any = false;
    for (int i = 0; i < w->take->body_count; i++) {
        int shape = w->take->bodies[i].shape, joints = w->take->shapes[shape].joint_count;
        if (joints) {
            print(&w->json, any ? "," : ",\"skins\":[");
            print(&w->json, "{\"inverseBindMatrices\":%d,\"skeleton\":%d,\"joints\":[", w->shapes[shape].inverse, node);
            for (int k = 0; k < joints; k++) print(&w->json, "%s%d", k ? "," : "", node + 1 + k);
            print(&w->json, "]}");
            any = true;
        }
        node += joints ? joints + 2 : 1;
    }
    if (any) print(&w->json, "]");
}

static void print_meshes(writer *w) {
    for (int i = 0; i < w->mesh_count; i++) {
        const shape_part *part = &w->shapes[w->meshes[i].shape];
        comma(&w->json, i);
        print(&w->json, "{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", part->position,
              part->normal);
        if (part->colour >= 0) print(&w->json, ",\"COLOR_0\":%d", part->colour);
        if (part->joints >= 0) print(&w->json, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", part->joints, part->weights);
        print(&w->json, "},\"indices\":%d,\"material\":%d", part->indices, i);
        for (int k = 1; k < part->kept_count; k++) {
            const int target = part->targets + 2 * (k - 1);
            print(&w->json, "%s{\"POSITION\":%d,\"NORMAL\":%d}", k > 1 ? "," : ",\"targets\":[", target, target + 1);
        }
        print(&w->json, "%s}]}", part->kept_count > 1 ? "]" : "");
    }
}

static void print_materials(writer *w) {
    for (int i = 0; i < w->mesh_count; i++) {
        const float *c = w->meshes[i].colour;
        comma(&w->json, i);
        print(&w->json,
              "{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4g,%.4g,%.4g,1],\"metallicFactor\":0,"
              "\"roughnessFactor\":0.55}%s}",
              (double)c[0], (double)c[1], (double)c[2],
              w->shapes[w->meshes[i].shape].open ? ",\"doubleSided\":true" : "");
    }
}

static void append(bytes *to, const bytes *from) {
    unsigned char *at = from->size ? bytes_take(to, from->size) : NULL;
    if (at) memcpy(at, from->data, from->size);
    to->failed = to->failed || from->failed;
}

static void print_all(writer *w, const char *title) {
    bytes *b = &w->json;
    print(b, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sinew %d.%d.%d\"},\"scene\":0,\"scenes\":[{",
          SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
    if (title) print(b, "\"name\":"), print_text(b, title);
    if (w->take->body_count) {
        print(b, "%s\"nodes\":[", title ? "," : "");
        print_roots(w);
        print(b, "]}],\"nodes\":[");
        print_nodes(w);
        print(b, "],\"meshes\":[");
        print_meshes(w);
        print(b, "],\"materials\":[");
        print_materials(w);
        print(b, "]");
        print_skins(w);
        if (w->sampler_count) {
            print(b, ",\"animations\":[{\"name\":\"simulation\",\"samplers\":[");
            append(b, &w->samplers);
            print(b, "],\"channels\":[");
            append(b, &w->channels);
            print(b, "]}]");
        }
        print(b, ",\"accessors\":[");
        append(b, &w->accessors);
        print(b, "],\"bufferViews\":[");
        append(b, &w->views);
        print(b, "],\"buffers\":[{\"byteLength\":%zu}]}", w->binary.size);
    } else {
        print(b, "}]}");
    }
    while (b->size % 4 && !b->failed) put_int(b, ' ', 1);
}

// Header, then the text and the binary as chunks.
static void write_file(FILE *out, writer *w) {
    bytes head = {0};
    size_t binary = w->binary.size;
    put_int(&head, 0x46546C67, 4); // "glTF"
    put_int(&head, 2, 4);
    put_int(&head, 12 + 8 + w->json.size + (binary ? 8 + binary : 0), 4);
    put_int(&head, w->json.size, 4);
    put_int(&head, 0x4E4F534A, 4); // "JSON"
    w->failed = w->failed || head.failed;
    if (!w->failed) {
        fwrite(head.data, 1, head.size, out);
        fwrite(w->json.data, 1, w->json.size, out);
        head.size = 0;
        put_int(&head, binary, 4);
        put_int(&head, 0x004E4942, 4); // "BIN"
        if (binary) fwrite(head.data, 1, head.size, out);
        if (binary) fwrite(w->binary.data, 1, binary, out);
    }
    free(head.data);
}

static bool writer_take(writer *w) {
    size_t shapes = (size_t)w->take->shape_count + 1, bodies = (size_t)w->take->body_count + 1;
    size_t frames = (size_t)w->take->frame_count + 1;
    w->shapes = calloc(shapes, sizeof *w->shapes);
    w->meshes = calloc(bodies, sizeof *w->meshes);
    w->mesh_of_body = calloc(bodies, sizeof *w->mesh_of_body);
    w->keep = calloc(frames, sizeof *w->keep);
    w->stack = calloc(4 * frames, sizeof *w->stack);
    return w->shapes && w->meshes && w->mesh_of_body && w->keep && w->stack;
}

static void writer_free(writer *w) {
    bytes *all[] = {&w->binary, &w->json, &w->accessors, &w->views, &w->samplers, &w->channels};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]->data);
    for (int i = 0; w->shapes && i < w->take->shape_count; i++) free(w->shapes[i].kept);
    free(w->shapes);
    free(w->meshes);
    free(w->mesh_of_body);
    free(w->keep);
    free(w->stack);
    free(w->lists);
    free(w->key_frames);
}

static bool write_recording(FILE *out, const recording *take, const char *title, double tolerance, char why[256]) {
    writer w = {.take = take, .tolerance = tolerance};
    bool good = writer_take(&w);
    if (good) {
        for (int i = 0; i < take->shape_count && !w.failed; i++) add_shape(&w, i);
        for (int i = 0; i < take->body_count; i++) w.mesh_of_body[i] = mesh_of(&w, &take->bodies[i]);
        if (take->frame_count > 1) add_keys(&w);
        if (!w.failed) print_all(&w, title);
    }
    good = good && !w.failed && !w.binary.failed && !w.json.failed;
    if (!good) snprintf(why, 256, "%s", *w.why ? w.why : "out of memory");
    if (good && (double)w.binary.size + (double)w.json.size + 28 > 4294967295.0) {
        snprintf(why, 256, "a .glb holds at most 4 GB; use fewer frames (--fps) or a shorter run");
        good = false;
    }
    if (good) write_file(out, &w);
    if (good && w.failed) {
        snprintf(why, 256, "out of memory");
        good = false;
    }
    writer_free(&w);
    return good;
}

bool glb_write(FILE *out, const recording *take, const char *title, double tolerance, char why[256]) {
    if (!glb_any_skinned(take)) return write_recording(out, take, title, tolerance, why);
    glb_skinned skinned = {0};
    bool good = glb_skinned_make(take, &skinned);
    if (!good) snprintf(why, 256, "out of memory");
    good = good && write_recording(out, &skinned.take, title, tolerance, why);
    glb_skinned_free(&skinned);
    return good;
}
