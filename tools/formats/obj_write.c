// Wavefront .obj: a line for each position, texture coordinate, normal and triangle; indices start at 1.
#include "formats/obj_write.h"

bool sn_obj_write(FILE *out, const sn_mesh *mesh) {
    if (mesh->name[0]) {
        fputs("o ", out);
        for (const char *c = mesh->name; *c; c++) fputc(*c > ' ' ? *c : '_', out); // a name ends at a space
        fputc('\n', out);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->position[v];
        fprintf(out, "v %.9g %.9g %.9g", (double)p[0], (double)p[1], (double)p[2]);
        if (mesh->colour) {
            const float *c = mesh->colour[v];
            fprintf(out, " %.9g %.9g %.9g", (double)c[0], (double)c[1], (double)c[2]);
        }
        fputc('\n', out);
    }
    for (int v = 0; mesh->uv && v < mesh->vertex_count; v++)
        fprintf(out, "vt %.9g %.9g\n", (double)mesh->uv[v][0], 1 - (double)mesh->uv[v][1]);
    for (int v = 0; mesh->normal && v < mesh->vertex_count; v++) {
        const float *n = mesh->normal[v];
        fprintf(out, "vn %.9g %.9g %.9g\n", (double)n[0], (double)n[1], (double)n[2]);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        fputc('f', out);
        for (int k = 0; k < 3; k++) {
            const int i = mesh->triangle[t][k] + 1;
            if (mesh->uv && mesh->normal)
                fprintf(out, " %d/%d/%d", i, i, i);
            else if (mesh->uv)
                fprintf(out, " %d/%d", i, i);
            else if (mesh->normal)
                fprintf(out, " %d//%d", i, i);
            else
                fprintf(out, " %d", i);
        }
        fputc('\n', out);
    }
    return !ferror(out);
}
