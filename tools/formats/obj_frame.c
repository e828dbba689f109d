// One frame as a Wavefront OBJ, vertices with normals and, where there are some, texture coordinates. Positions have nine digits, enough to read the same float back.
//
// A body is an object; beside a vertex cache it is a group of one object, because importers make a mesh of each object, and
// the cache has the vertices of all.
#include "formats/vertex_cache.h"
#include <stdlib.h>

static void write_name(FILE *out, char what, const char *name) {
    fprintf(out, "%c ", what);
    for (const char *c = name; *c; c++) fputc((unsigned char)*c <= ' ' ? '_' : *c, out);
    fputc('\n', out);
}

// Indices of texture coordinates count apart from those of vertices and normals, because only some bodies have them.
static void write_face(FILE *out, const sn_mesh *mesh, int triangle, int64_t first, int64_t first_uv) {
    fputc('f', out);
    for (int k = 0; k < 3; k++) {
        const long long corner = mesh->triangle[triangle][k], v = first + corner;
        if (mesh->uv)
            fprintf(out, " %lld/%lld/%lld", v, first_uv + corner, v);
        else
            fprintf(out, " %lld//%lld", v, v);
    }
    fputc('\n', out);
}

static bool write_body(FILE *out, const view_model *model, const view_frame *frame, int body, int64_t first,
                       int64_t first_uv, char what) {
    const sn_mesh *mesh = &model->meshes[model->bodies[body].mesh].mesh;
    size_t count = (size_t)mesh->vertex_count;
    float(*positions)[3] = malloc((count + 1) * sizeof *positions),
    (*normals)[3] = malloc((count + 1) * sizeof *normals);
    bool good = positions && normals && view_body_vertices(model, frame, body, positions, normals);
    if (good) {
        write_name(out, what, model->bodies[body].name);
        for (size_t v = 0; v < count; v++) {
            const float *p = positions[v];
            fprintf(out, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
        }
        for (size_t v = 0; v < count; v++) {
            const float *n = normals[v];
            fprintf(out, "vn %.4g %.4g %.4g\n", (double)n[0], (double)n[1], (double)n[2]);
        }
        for (size_t v = 0; v < count && mesh->uv; v++)
            fprintf(out, "vt %.9g %.9g\n", (double)mesh->uv[v][0], 1 - (double)mesh->uv[v][1]);
        for (int t = 0; t < mesh->triangle_count; t++) write_face(out, mesh, t, first, first_uv);
    }
    free(positions);
    free(normals);
    return good;
}

bool obj_frame_write(FILE *out, const view_model *model, const view_frame *frame, bool still) {
    int64_t first = 1, first_uv = 1; // indices start at 1
    bool good = true;
    if (!still) write_name(out, 'o', "simulation");
    for (int pass = 0; pass <= still; pass++) {
        for (int i = 0; good && i < model->body_count && !ferror(out); i++) {
            if (view_body_moves(model, i) == (pass == 1)) continue;
            const sn_mesh *mesh = &model->meshes[model->bodies[i].mesh].mesh;
            good = write_body(out, model, frame, i, first, first_uv, still ? 'o' : 'g');
            first += mesh->vertex_count;
            if (mesh->uv) first_uv += mesh->vertex_count;
        }
    }
    return good;
}
