// Chooses the reader of a file by its name; functions on any mesh_file.
#include "formats/mesh_file.h"
#include "formats/mesh_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *ending;
    mesh_format format;
} endings[] = {{".obj", MESH_OBJ}, {".ply", MESH_PLY},  {".stl", MESH_STL},
               {".off", MESH_OFF}, {".glb", MESH_GLTF}, {".gltf", MESH_GLTF}};

static bool ends_with(const char *name, const char *ending) {
    const size_t n = strlen(name), m = strlen(ending);
    for (size_t i = 0; i < m; i++) {
        if (n < m) return false;
        char c = name[n - m + i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != ending[i]) return false;
    }
    return true;
}

static int find_format(const char *file) {
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(file, endings[i].ending)) return (int)endings[i].format;
    return -1;
}

bool mesh_name_is_known(const char *file) {
    return find_format(file) >= 0;
}

bool mesh_parse(const char *name, const void *bytes, size_t size, const file_source *files, mesh_file *out,
                tool_error *error) {
    const int format = find_format(name);
    *out = (mesh_file){.format = (mesh_format)(format < 0 ? 0 : format), .words = "", .size = size};
    mesh_reader r = {.name = name, .bytes = bytes, .size = size, .memory = 48 * size + 256, .out = out, .error = error};
    bool good = false;
    switch (format) {
    case MESH_OBJ:
        good = obj_read(&r);
        break;
    case MESH_PLY:
        good = ply_read(&r);
        break;
    case MESH_STL:
        good = stl_read(&r);
        break;
    case MESH_OFF:
        good = off_read(&r);
        break;
    case MESH_GLTF:
        good = gltf_read(&r, files);
        break;
    default:
        tool_error_set(error, "%.300s: error: unknown file type; it must be .obj, .ply, .stl, .off, .glb or .gltf",
                       name);
    }
    if (!good) mesh_file_free(out);
    return good;
}

bool mesh_read(const char *file, const file_source *files, mesh_file *out, tool_error *error) {
    tool_error reason;
    char *bytes;
    size_t size;
    *out = (mesh_file){.words = ""};
    if (!mesh_name_is_known(file)) return mesh_parse(file, "", 0, NULL, out, error);
    if (!file_text_read(file, files, (size_t)1 << 30, &bytes, &size, &reason))
        return tool_error_set(error, "%.300s: error: %s", file, reason.text);
    const bool good = mesh_parse(file, bytes, size, files, out, error);
    free(bytes);
    return good;
}

void mesh_file_free(mesh_file *file) {
    for (int i = 0; i < file->mesh_count; i++) sn_mesh_free(&file->mesh[i].mesh), free(file->mesh[i].bare);
    for (int i = 0; i < file->skin_count; i++) free(file->skin[i].joint), free(file->skin[i].inverse_bind);
    for (int i = 0; i < file->clip_count; i++) {
        for (int k = 0; k < file->clip[i].channel_count; k++)
            free(file->clip[i].channel[k].time), free(file->clip[i].channel[k].value);
        free(file->clip[i].channel);
    }
    free(file->mesh), free(file->node), free(file->skin), free(file->clip);
    *file = (mesh_file){.words = ""};
}

static void copy_rows(void *to, const void *from, int at, int count, size_t size) {
    if (to && count > 0) memcpy((char *)to + (size_t)at * size, from, (size_t)count * size);
}

bool mesh_file_merge(const mesh_file *file, sn_mesh *out) {
    long long vertices = 0, triangles = 0;
    unsigned parts = MESH_NORMAL | MESH_UV | MESH_COLOUR | MESH_SKIN;
    for (int i = 0; i < file->mesh_count; i++) {
        const sn_mesh *mesh = &file->mesh[i].mesh;
        vertices += mesh->vertex_count, triangles += mesh->triangle_count;
        if (!mesh->normal) parts &= ~(unsigned)MESH_NORMAL;
        if (!mesh->uv) parts &= ~(unsigned)MESH_UV;
        if (!mesh->colour) parts &= ~(unsigned)MESH_COLOUR;
        if (!mesh->weight || file->mesh[i].skin != file->mesh[0].skin) parts &= ~(unsigned)MESH_SKIN;
    }
    *out = (sn_mesh){0};
    if (vertices > 0x7fffffff / 4 || triangles > 0x7fffffff / 4) return false;
    if (!sn_mesh_alloc(out, (int)vertices, (int)triangles, parts)) return false;
    int v = 0, t = 0;
    for (int i = 0; i < file->mesh_count; i++) {
        const sn_mesh *mesh = &file->mesh[i].mesh;
        const int n = mesh->vertex_count;
        copy_rows(out->position, mesh->position, v, n, sizeof *out->position);
        copy_rows(out->normal, mesh->normal, v, n, sizeof *out->normal);
        copy_rows(out->uv, mesh->uv, v, n, sizeof *out->uv);
        copy_rows(out->colour, mesh->colour, v, n, sizeof *out->colour);
        copy_rows(out->joint, mesh->joint, v, n, sizeof *out->joint);
        copy_rows(out->weight, mesh->weight, v, n, sizeof *out->weight);
        for (int k = 0; k < mesh->triangle_count; k++, t++)
            for (int c = 0; c < 3; c++) out->triangle[t][c] = mesh->triangle[k][c] + v;
        v += n;
    }
    if (file->mesh_count > 0) memcpy(out->name, file->mesh[0].mesh.name, sizeof out->name);
    return true;
}
