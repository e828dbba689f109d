// Mesh files made in memory: shapes with known answers, written in every format that is read.
#ifndef SN_TEST_MESH_BYTES_H
#define SN_TEST_MESH_BYTES_H

#include "mesh/mesh.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- bytes -----------------------------------------------------------------------------------------------------------

typedef struct {
    unsigned char *at;
    size_t size, room;
} bytes;

static inline void bytes_add(bytes *b, const void *from, size_t size) {
    if (b->size + size + 1 > b->room) {
        b->room = 2 * b->room + size + 64;
        b->at = realloc(b->at, b->room);
        if (!b->at) abort();
    }
    if (size) memcpy(b->at + b->size, from, size);
    b->size += size;
    b->at[b->size] = 0;
}

__attribute__((format(printf, 2, 3))) static inline void bytes_print(bytes *b, const char *format, ...) {
    char text[4096];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= sizeof text) abort();
    bytes_add(b, text, (size_t)n);
}

// The low 'size' bytes of a number, in either order.
static inline void bytes_number(bytes *b, uint64_t value, int size, bool big) {
    for (int i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)(value >> 8 * (big ? size - 1 - i : i));
        bytes_add(b, &byte, 1);
    }
}

static inline void bytes_float(bytes *b, float value, bool big) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bytes_number(b, bits, 4, big);
}

static inline void bytes_free(bytes *b) {
    free(b->at);
    *b = (bytes){0};
}

// --- shapes ----------------------------------------------------------------------------------------------------------

// A cube from 'low' to 'low + side' in every direction.
static inline sn_mesh shape_cube(float low, float side) {
    static const int triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, 8, 12, 0)) abort();
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) mesh.position[v][k] = low + (v >> k & 1 ? side : 0);
    memcpy(mesh.triangle, triangles, sizeof triangles);
    return mesh;
}

// A ball of radius 1 about the origin: two poles, and rings between them.
static inline sn_mesh shape_ball(int rings, int around) {
    sn_mesh mesh;
    const int last = 1 + (rings - 1) * around;
    if (!sn_mesh_alloc(&mesh, last + 1, 2 * around * (rings - 1), 0)) abort();
    mesh.position[0][2] = 1, mesh.position[last][2] = -1;
    int t = 0;
    for (int r = 1; r < rings; r++)
        for (int a = 0; a < around; a++) {
            const double up = 3.14159265358979 * r / rings, turn = 2 * 3.14159265358979 * a / around;
            const int v = 1 + (r - 1) * around + a, w = 1 + (r - 1) * around + (a + 1) % around;
            const float p[3] = {(float)(sin(up) * cos(turn)), (float)(sin(up) * sin(turn)), (float)cos(up)};
            memcpy(mesh.position[v], p, sizeof p);
            const int first[3] = {r == 1 ? 0 : v - around, v, w},
                      second[3] = {v, r == rings - 1 ? last : v + around, w};
            if (r == 1) memcpy(mesh.triangle[t++], first, sizeof first);
            memcpy(mesh.triangle[t++], second, sizeof second);
            if (r < rings - 1) {
                const int third[3] = {w, v + around, w + around};
                memcpy(mesh.triangle[t++], third, sizeof third);
            }
        }
    if (t != mesh.triangle_count) abort();
    return mesh;
}

// --- plain formats ---------------------------------------------------------------------------------------------------

static inline bytes as_obj(const sn_mesh *m) {
    bytes b = {0};
    bytes_print(&b, "# a comment\no shape\n");
    for (int v = 0; v < m->vertex_count; v++)
        bytes_print(&b, "v %.9g %.9g %.9g\n", (double)m->position[v][0], (double)m->position[v][1],
                    (double)m->position[v][2]);
    for (int t = 0; t < m->triangle_count; t++)
        bytes_print(&b, "f %d %d %d\n", m->triangle[t][0] + 1, m->triangle[t][1] + 1, m->triangle[t][2] + 1);
    return b;
}

static inline bytes as_off(const sn_mesh *m) {
    bytes b = {0};
    bytes_print(&b, "OFF\n%d %d 0\n", m->vertex_count, m->triangle_count);
    for (int v = 0; v < m->vertex_count; v++)
        bytes_print(&b, "%.9g %.9g %.9g\n", (double)m->position[v][0], (double)m->position[v][1],
                    (double)m->position[v][2]);
    for (int t = 0; t < m->triangle_count; t++)
        bytes_print(&b, "3 %d %d %d\n", m->triangle[t][0], m->triangle[t][1], m->triangle[t][2]);
    return b;
}

typedef enum { PLY_TEXT, PLY_LITTLE, PLY_BIG } ply_way;

static inline bytes as_ply(const sn_mesh *m, ply_way way) {
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    bytes b = {0};
    bytes_print(&b, "ply\nformat %s 1.0\ncomment made by a test\nelement vertex %d\n", formats[way], m->vertex_count);
    bytes_print(&b, "property float x\nproperty float y\nproperty float z\nproperty uchar quality\n");
    bytes_print(&b, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", m->triangle_count);
    for (int v = 0; v < m->vertex_count; v++) {
        const float *p = m->position[v];
        if (way == PLY_TEXT) bytes_print(&b, "%.9g %.9g %.9g 7\n", (double)p[0], (double)p[1], (double)p[2]);
        for (int k = 0; k < 3 && way != PLY_TEXT; k++) bytes_float(&b, p[k], way == PLY_BIG);
        if (way != PLY_TEXT) bytes_number(&b, 7, 1, false);
    }
    for (int t = 0; t < m->triangle_count; t++) {
        const int *c = m->triangle[t];
        if (way == PLY_TEXT)
            bytes_print(&b, "3 %d %d %d\n", c[0], c[1], c[2]);
        else
            bytes_number(&b, 3, 1, false);
        for (int k = 0; k < 3 && way != PLY_TEXT; k++) bytes_number(&b, (uint64_t)c[k], 4, way == PLY_BIG);
    }
    return b;
}

static inline bytes as_stl(const sn_mesh *m, bool text) {
    bytes b = {0};
    const char head[80] = "solid that is binary nevertheless";
    if (text) {
        bytes_print(&b, "solid a shape\n");
    } else {
        bytes_add(&b, head, sizeof head);
        bytes_number(&b, (uint64_t)m->triangle_count, 4, false);
    }
    for (int t = 0; t < m->triangle_count; t++) {
        if (text) bytes_print(&b, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3 && !text; k++) bytes_float(&b, 0, false);
        for (int k = 0; k < 3; k++) {
            const float *p = m->position[m->triangle[t][k]];
            if (text) bytes_print(&b, "      vertex %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
            for (int i = 0; i < 3 && !text; i++) bytes_float(&b, p[i], false);
        }
        if (text)
            bytes_print(&b, "    endloop\n  endfacet\n");
        else
            bytes_number(&b, 0, 2, false);
    }
    if (text) bytes_print(&b, "endsolid a shape\n");
    return b;
}

// --- glTF ------------------------------------------------------------------------------------------------------------

// A file of a JSON text and a buffer.
static inline bytes as_glb(const bytes *json, const bytes *buffer) {
    bytes b = {0};
    const size_t text = (json->size + 3) / 4 * 4, data = (buffer->size + 3) / 4 * 4;
    bytes_add(&b, "glTF", 4);
    bytes_number(&b, 2, 4, false);
    bytes_number(&b, 12 + 8 + text + 8 + data, 4, false);
    bytes_number(&b, text, 4, false);
    bytes_add(&b, "JSON", 4);
    bytes_add(&b, json->at, json->size);
    for (size_t i = json->size; i < text; i++) bytes_add(&b, " ", 1);
    bytes_number(&b, data, 4, false);
    bytes_add(&b, "BIN\0", 4);
    bytes_add(&b, buffer->at, buffer->size);
    for (size_t i = buffer->size; i < data; i++) bytes_add(&b, "\0", 1);
    return b;
}

// The same as text, the buffer in base64 within it: 'json' has %s where the "uri" goes.
static inline bytes as_base64(const bytes *from) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bytes b = {0};
    for (size_t i = 0; i < from->size; i += 3) {
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < from->size ? from->at[i + k] : 0u);
        for (size_t k = 0; k < 4; k++) {
            const char c = i + k > from->size ? '=' : letters[bits >> (18 - 6 * k) & 63];
            bytes_add(&b, &c, 1);
        }
    }
    return b;
}

static inline bytes mesh_buffer(const sn_mesh *m) {
    bytes buffer = {0};
    for (int i = 0; i < 3 * m->vertex_count; i++) bytes_float(&buffer, m->position[i / 3][i % 3], false);
    for (int i = 0; i < 3 * m->triangle_count; i++)
        bytes_number(&buffer, (uint64_t)m->triangle[i / 3][i % 3], 4, false);
    return buffer;
}

// The JSON of a mesh in a buffer; 'uri' as JSON (,"uri":"...") or empty, 'node' more of the node.
static inline bytes mesh_json(const sn_mesh *m, const char *uri_head, const bytes *uri, const char *node) {
    bytes b = {0};
    const int points = 12 * m->vertex_count, corners = 12 * m->triangle_count;
    bytes_print(&b,
                "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                "\"nodes\":[{\"mesh\":0,\"name\":\"node\"%s}],"
                "\"meshes\":[{\"name\":\"shape\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
                "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"},"
                "{\"bufferView\":1,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}],"
                "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%d},{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}],"
                "\"buffers\":[{\"byteLength\":%d",
                node, m->vertex_count, 3 * m->triangle_count, points, points, corners, points + corners);
    if (uri_head) {
        bytes_print(&b, ",\"uri\":\"%s", uri_head);
        if (uri) bytes_add(&b, uri->at, uri->size);
        bytes_print(&b, "\"");
    }
    bytes_print(&b, "}]}");
    return b;
}

static inline bytes as_mesh_glb(const sn_mesh *m, const char *node) {
    bytes buffer = mesh_buffer(m), json = mesh_json(m, NULL, NULL, node), file = as_glb(&json, &buffer);
    bytes_free(&buffer), bytes_free(&json);
    return file;
}

static inline bytes as_mesh_gltf(const sn_mesh *m) {
    bytes buffer = mesh_buffer(m), uri = as_base64(&buffer);
    bytes json = mesh_json(m, "data:application/octet-stream;base64,", &uri, "");
    bytes_free(&buffer), bytes_free(&uri);
    return json;
}

// A rig: a box of eight vertices on two joints, with a clip that has every kind of keys. Node 2 of the file is the root
// of the others, so their order must change. What is in it: test_mesh_gltf.c.
static inline bytes as_rig_glb(void) {
    static const unsigned char joints[8][4] = {{0}, {0}, {0, 1}, {0, 1}, {1}, {1}, {1}, {1}};
    static const float times[3] = {0, 1, 3};
    static const float slide[3][3] = {{0, 0, 0}, {1, 2, 3}, {1, 2, 5}};
    static const float step[3][3] = {{1, 1, 1}, {2, 2, 2}, {0.5f, 0.5f, 0.5f}};
    const float half = 0.70710678f;
    const float turn[3][4] = {{0, 0, 0, 1}, {0, 0, half, half}, {0, 0, 1, 0}};
    const float cubic[6][3] = {{0}, {0, 1, 0}, {3, 0, 0}, {0, 0, 0}, {4, 1, 0}, {0}}; // two keys: in, value, out
    bytes buffer = {0}, json = {0};
    sn_mesh cube = shape_cube(0, 1);
    for (int i = 0; i < 24; i++) bytes_float(&buffer, cube.position[i / 3][i % 3], false); // 0: positions, 96 bytes
    for (int i = 0; i < 36; i++)
        bytes_number(&buffer, (uint64_t)cube.triangle[i / 3][i % 3], 2, false); // 96: indices, 72
    bytes_add(&buffer, joints, sizeof joints);                                  // 168: joints, 32
    for (int v = 0; v < 8; v++)                                                 // 200: weights, 32
        for (int k = 0; k < 4; k++)
            bytes_number(&buffer,
                         k == 0                         ? (v == 2 || v == 3 ? 204 : 255)
                         : k == 1 && (v == 2 || v == 3) ? 51
                                                        : 0,
                         1, false);
    for (int j = 0; j < 2; j++) // 232: inverse bind matrices, 128
        for (int k = 0; k < 16; k++) bytes_float(&buffer, k % 5 == 0 ? 1 : k == 13 ? (j ? -0.5f : 0.25f) : 0, false);
    for (int i = 0; i < 3; i++) bytes_float(&buffer, times[i], false);             // 360: times, 12
    for (int i = 0; i < 9; i++) bytes_float(&buffer, slide[i / 3][i % 3], false);  // 372: slide, 36
    for (int i = 0; i < 9; i++) bytes_float(&buffer, step[i / 3][i % 3], false);   // 408: step, 36
    for (int i = 0; i < 12; i++) bytes_float(&buffer, turn[i / 4][i % 4], false);  // 444: turn, 48
    for (int i = 0; i < 18; i++) bytes_float(&buffer, cubic[i / 3][i % 3], false); // 492: cubic, 72
    for (int i = 0; i < 2; i++) bytes_float(&buffer, 2 * (float)i, false);         // 564: two times, 8
    sn_mesh_free(&cube);
    bytes_print(&json, "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[2]}],\"nodes\":["
                       "{\"name\":\"tip\",\"translation\":[0,0.75,0],\"scale\":[1,2,1]},"
                       "{\"name\":\"body\",\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]},"
                       "{\"name\":\"root\",\"children\":[1,3],\"matrix\":[0,0,-1,0,0,1,0,0,1,0,0,0,5,6,7,1]},"
                       "{\"name\":\"base\",\"children\":[0],\"rotation\":[0,0,0,1]}],");
    bytes_print(&json, "\"meshes\":[{\"name\":\"box\",\"primitives\":[{\"attributes\":"
                       "{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1}]}],"
                       "\"skins\":[{\"name\":\"skin\",\"joints\":[3,0],\"inverseBindMatrices\":4}],");
    bytes_print(&json, "\"animations\":[{\"name\":\"move\",\"channels\":["
                       "{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"translation\"}},"
                       "{\"sampler\":1,\"target\":{\"node\":3,\"path\":\"scale\"}},"
                       "{\"sampler\":2,\"target\":{\"node\":0,\"path\":\"rotation\"}},"
                       "{\"sampler\":3,\"target\":{\"node\":0,\"path\":\"translation\"}}],"
                       "\"samplers\":[{\"input\":5,\"output\":6},{\"input\":5,\"output\":7,\"interpolation\":\"STEP\"},"
                       "{\"input\":5,\"output\":8,\"interpolation\":\"LINEAR\"},"
                       "{\"input\":10,\"output\":9,\"interpolation\":\"CUBICSPLINE\"}]}],");
    static const struct {
        int offset, length, type, count;
        const char *shape, *more;
    } rows[] = {{0, 96, 5126, 8, "VEC3", ""},    {96, 72, 5123, 36, "SCALAR", ""},
                {168, 32, 5121, 8, "VEC4", ""},  {200, 32, 5121, 8, "VEC4", ",\"normalized\":true"},
                {232, 128, 5126, 2, "MAT4", ""}, {360, 12, 5126, 3, "SCALAR", ""},
                {372, 36, 5126, 3, "VEC3", ""},  {408, 36, 5126, 3, "VEC3", ""},
                {444, 48, 5126, 3, "VEC4", ""},  {492, 72, 5126, 6, "VEC3", ""},
                {564, 8, 5126, 2, "SCALAR", ""}};
    const int count = sizeof rows / sizeof *rows;
    bytes_print(&json, "\"accessors\":[");
    for (int i = 0; i < count; i++)
        bytes_print(&json, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"%s}", i ? "," : "", i,
                    rows[i].type, rows[i].count, rows[i].shape, rows[i].more);
    bytes_print(&json, "],\"bufferViews\":[");
    for (int i = 0; i < count; i++)
        bytes_print(&json, "%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}", i ? "," : "", rows[i].offset,
                    rows[i].length);
    bytes_print(&json, "],\"buffers\":[{\"byteLength\":%zu}]}", buffer.size);
    bytes file = as_glb(&json, &buffer);
    bytes_free(&json), bytes_free(&buffer);
    return file;
}

#endif
