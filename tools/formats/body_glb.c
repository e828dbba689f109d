// The file: a header, a chunk of JSON, and a chunk of numbers, in this order:
//
//     positions  normals  texture coordinates  joints  weights  triangles | inverse bind matrices | of each clip:
//     times, positions of the root, rotations of every bone
//
// Bones have no rotation at rest: the node of a joint has only a translation, and so has its inverse bind matrix.
#include "formats/body_glb.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 60 }; // keys a second

typedef struct {
    const zoo_body *body;
    double size;
    unsigned char *bytes; // the chunk of numbers
    size_t count, capacity;
    char *text; // the JSON
    size_t text_count, text_capacity;
    int views, accessors;
    char *view_text, *accessor_text; // lists for the JSON, while they grow
    size_t view_count, view_capacity, accessor_count, accessor_capacity;
    bool good;
} writer;

static bool reserve(char **text, size_t *capacity, size_t wanted) {
    if (wanted <= *capacity) return true;
    const size_t more = 2 * wanted + 256;
    char *grown = realloc(*text, more);
    if (!grown) return false;
    *text = grown, *capacity = more;
    return true;
}

__attribute__((format(printf, 5, 6))) static void append_text(writer *w, char **text, size_t *count, size_t *capacity,
                                                              const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    w->good =
        w->good && length >= 0 && (size_t)length < sizeof line && reserve(text, capacity, *count + (size_t)length + 1);
    if (!w->good) return;
    memcpy(*text + *count, line, (size_t)length + 1);
    *count += (size_t)length;
}

#define JSON(...)     append_text(w, &w->text, &w->text_count, &w->text_capacity, __VA_ARGS__)
#define VIEW(...)     append_text(w, &w->view_text, &w->view_count, &w->view_capacity, __VA_ARGS__)
#define ACCESSOR(...) append_text(w, &w->accessor_text, &w->accessor_count, &w->accessor_capacity, __VA_ARGS__)

// --- numbers ---

typedef struct {
    const char *type;                    // "VEC3"
    int width, component, count, target; // component: 5126 float, 5123 and 5125 whole numbers; target: 0 none
} rows;

// Appends rows of four-byte or two-byte numbers and returns the index of the accessor. `bounds` adds the minimum and
// maximum of floats.
static int append(writer *w, rows r, const void *data, bool bounds) {
    const size_t one = r.component == 5123 ? 2 : 4, size = (size_t)r.count * (size_t)r.width * one;
    const size_t padded = (size + 3) / 4 * 4;
    char *bytes = (char *)w->bytes;
    w->good = w->good && reserve(&bytes, &w->capacity, w->count + padded);
    w->bytes = (unsigned char *)bytes;
    if (!w->good) return 0;
    memcpy(w->bytes + w->count, data, size);
    memset(w->bytes + w->count + size, 0, padded - size);
    VIEW("%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", w->views ? "," : "", w->count, size);
    if (r.target) VIEW(",\"target\":%d", r.target);
    VIEW("}");
    w->count += padded;
    ACCESSOR("%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"", w->accessors ? "," : "",
             w->views, r.component, r.count, r.type);
    for (int high = 0; bounds && high < 2; high++) {
        ACCESSOR(",\"%s\":[", high ? "max" : "min");
        for (int k = 0; k < r.width; k++) {
            const float *values = data;
            float edge = values[k];
            for (int i = 1; i < r.count; i++) {
                const float v = values[i * r.width + k];
                edge = high ? fmaxf(edge, v) : fminf(edge, v);
            }
            ACCESSOR("%s%.9g", k ? "," : "", (double)edge);
        }
        ACCESSOR("]");
    }
    ACCESSOR("}");
    w->views++;
    return w->accessors++;
}

// --- mesh ---

typedef struct {
    int position, normal, uv, joints, weights, triangles;
} mesh_accessors;

static mesh_accessors append_mesh(writer *w) {
    const sn_mesh *mesh = &w->body->mesh;
    const int n = mesh->vertex_count;
    mesh_accessors a = {0};
    float(*position)[3] = malloc((size_t)n * sizeof *position);
    uint16_t(*joint)[4] = malloc((size_t)n * sizeof *joint);
    w->good = w->good && position && joint;
    for (int v = 0; w->good && v < n; v++) {
        for (int k = 0; k < 3; k++) position[v][k] = (float)(w->size * (double)mesh->position[v][k]);
        for (int k = 0; k < 4; k++) joint[v][k] = (uint16_t)mesh->joint[v][k];
    }
    if (w->good) {
        a.position = append(w, (rows){"VEC3", 3, 5126, n, 34962}, position, true);
        a.normal = append(w, (rows){"VEC3", 3, 5126, n, 34962}, mesh->normal, false);
        a.uv = append(w, (rows){"VEC2", 2, 5126, n, 34962}, mesh->uv, false);
        a.joints = append(w, (rows){"VEC4", 4, 5123, n, 34962}, joint, false);
        a.weights = append(w, (rows){"VEC4", 4, 5126, n, 34962}, mesh->weight, false);
        a.triangles = append(w, (rows){"SCALAR", 1, 5125, 3 * mesh->triangle_count, 34963}, mesh->triangle, false);
    }
    free(position);
    free(joint);
    return a;
}

static int append_binds(writer *w) {
    const int bones = w->body->bone_count;
    float(*bind)[16] = calloc((size_t)bones, sizeof *bind);
    w->good = w->good && bind;
    for (int b = 0; w->good && b < bones; b++) {
        for (int k = 0; k < 4; k++) bind[b][5 * k] = 1;
        for (int k = 0; k < 3; k++) bind[b][12 + k] = (float)(-w->size * w->body->bones[b].joint[k]);
    }
    const int accessor = w->good ? append(w, (rows){"MAT4", 16, 5126, bones, 0}, bind, false) : 0;
    free(bind);
    return accessor;
}

// --- clips ---

typedef struct {
    int times, root, rotations; // accessors; those of rotations follow each other, one for each bone
} clip_accessors;

// The rotation of a bone relative to its parent, with the sign that is closest to the key before.
static void local_rotation(const zoo_body *body, const sn_transform *poses, int bone, const float *before,
                           float out[4]) {
    const int parent = body->bones[bone].parent;
    sn_quat q = poses[bone].rotation;
    if (parent >= 0) q = sn_q_mul(sn_q_conj(poses[parent].rotation), q);
    q = sn_q_normalize(q);
    float sign = 1;
    if (before && (float)q.x * before[0] + (float)q.y * before[1] + (float)q.z * before[2] + (float)q.w * before[3] < 0)
        sign = -1;
    out[0] = sign * (float)q.x, out[1] = sign * (float)q.y, out[2] = sign * (float)q.z, out[3] = sign * (float)q.w;
}

static clip_accessors append_clip(writer *w, zoo_motion motion) {
    const zoo_body *body = w->body;
    const int bones = body->bone_count, keys = (int)(zoo_motion_duration(motion) * RATE + 0.5) + 1;
    clip_accessors a = {0};
    float *time = malloc((size_t)keys * sizeof *time), (*root)[3] = malloc((size_t)keys * sizeof *root);
    float(*rotation)[4] = malloc((size_t)keys * (size_t)bones * sizeof *rotation);
    sn_transform *poses = malloc((size_t)bones * sizeof *poses);
    w->good = w->good && time && root && rotation && poses;
    for (int i = 0; w->good && i < keys; i++) {
        time[i] = (float)(i / (double)RATE);
        zoo_body_pose(body, motion, i / (double)RATE, poses);
        root[i][0] = (float)(w->size * (double)poses[0].position.x);
        root[i][1] = (float)(w->size * (double)poses[0].position.y);
        root[i][2] = (float)(w->size * (double)poses[0].position.z);
        for (int b = 0; b < bones; b++)
            local_rotation(body, poses, b, i ? rotation[b * keys + i - 1] : NULL, rotation[b * keys + i]);
    }
    if (w->good) {
        a.times = append(w, (rows){"SCALAR", 1, 5126, keys, 0}, time, true);
        a.root = append(w, (rows){"VEC3", 3, 5126, keys, 0}, root, false);
        a.rotations = w->accessors;
        for (int b = 0; b < bones; b++) append(w, (rows){"VEC4", 4, 5126, keys, 0}, rotation[b * keys], false);
    }
    free(time);
    free(root);
    free(rotation);
    free(poses);
    return a;
}

static void write_clip(writer *w, const char *name, clip_accessors a, bool first) {
    const int bones = w->body->bone_count;
    JSON("%s{\"name\":\"%s\",\"samplers\":[{\"input\":%d,\"output\":%d}", first ? "" : ",", name, a.times, a.root);
    for (int b = 0; b < bones; b++) JSON(",{\"input\":%d,\"output\":%d}", a.times, a.rotations + b);
    JSON("],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}");
    for (int b = 0; b < bones; b++)
        JSON(",{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"rotation\"}}", b + 1, b + 1);
    JSON("]}");
}

// --- nodes: the mesh is node 0, bone b node b + 1 ---

static void write_nodes(writer *w) {
    const zoo_body *body = w->body;
    JSON("\"nodes\":[{\"name\":\"%s\",\"mesh\":0,\"skin\":0}", body->name);
    for (int b = 0; b < body->bone_count; b++) {
        const zoo_joint *bone = &body->bones[b];
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = w->size * (bone->joint[k] - (bone->parent < 0 ? 0 : body->bones[bone->parent].joint[k]));
        JSON(",{\"name\":\"%s\",\"translation\":[%.9g,%.9g,%.9g]", bone->name, at[0], at[1], at[2]);
        bool any = false;
        for (int c = b + 1; c < body->bone_count; c++) {
            if (body->bones[c].parent != b) continue;
            JSON("%s%d", any ? "," : ",\"children\":[", c + 1);
            any = true;
        }
        JSON("%s}", any ? "]" : "");
    }
    JSON("],");
}

static void write_json(writer *w) {
    const zoo_body *body = w->body;
    const mesh_accessors m = append_mesh(w);
    const int bind = append_binds(w);
    JSON("{\"asset\":{\"version\":\"2.0\",\"generator\":\"sinew zoo\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],");
    write_nodes(w);
    JSON(
        "\"meshes\":[{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d,"
        "\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"indices\":%d,\"material\":0}]}],",
        body->name, m.position, m.normal, m.uv, m.joints, m.weights, m.triangles);
    JSON("\"materials\":[{\"name\":\"skin\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.62,0.44,0.34,1],"
         "\"metallicFactor\":0,\"roughnessFactor\":0.55}}],");
    JSON("\"skins\":[{\"name\":\"%s\",\"inverseBindMatrices\":%d,\"skeleton\":1,\"joints\":[", body->name, bind);
    for (int b = 0; b < body->bone_count; b++) JSON("%s%d", b ? "," : "", b + 1);
    JSON("]}],\"animations\":[");
    bool first = true;
    for (int i = 0; i < ZOO_MOTION_KINDS; i++) {
        if (!zoo_motion_is_supported(body, (zoo_motion)i)) continue;
        write_clip(w, zoo_motion_name((zoo_motion)i), append_clip(w, (zoo_motion)i), first);
        first = false;
    }
    JSON("],\"bufferViews\":[");
}

static void put32(FILE *out, size_t value) {
    for (int k = 0; k < 4; k++) fputc((int)(value >> (8 * k) & 255), out);
}

bool body_write_glb(FILE *out, const zoo_body *body, double size, tool_error *error) {
    writer state = {.body = body, .size = size, .good = true}, *w = &state;
    write_json(w);
    // The lists of views and accessors go last.
    w->good = w->good && reserve(&w->text, &w->text_capacity, w->text_count + w->view_count + w->accessor_count + 256);
    if (w->good) {
        memcpy(w->text + w->text_count, w->view_text, w->view_count + 1);
        w->text_count += w->view_count;
        JSON("],\"accessors\":[");
        reserve(&w->text, &w->text_capacity, w->text_count + w->accessor_count + 256);
        memcpy(w->text + w->text_count, w->accessor_text, w->accessor_count + 1);
        w->text_count += w->accessor_count;
        JSON("],\"buffers\":[{\"byteLength\":%zu}]}", w->count);
        while (w->good && w->text_count % 4) JSON(" ");
    }
    if (w->good) {
        put32(out, 0x46546C67);
        put32(out, 2);
        put32(out, 12 + 8 + w->text_count + 8 + w->count);
        put32(out, w->text_count);
        put32(out, 0x4E4F534A);
        fwrite(w->text, 1, w->text_count, out);
        put32(out, w->count);
        put32(out, 0x004E4942);
        fwrite(w->bytes, 1, w->count, out);
    } else {
        tool_error_out_of_memory(error);
    }
    free(w->bytes);
    free(w->text);
    free(w->view_text);
    free(w->accessor_text);
    return w->good;
}
