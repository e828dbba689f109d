// See elastic_asset_commands.h.
#include "command.h"
#include "elastic_asset_commands.h"
#include "formats/elastic_file.h"
#include "messages.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int quadratic, anchored;
    double volume, low[3], high[3];
} elastic_facts;

static double tet_volume(const sn_elastic_asset *a, const int c[4]) {
    double e[3][3];
    const sn_vec3 o = a->rest[c[0]];
    for (int k = 0; k < 3; k++) {
        const sn_vec3 p = a->rest[c[k + 1]];
        e[k][0] = (double)p.x - (double)o.x, e[k][1] = (double)p.y - (double)o.y, e[k][2] = (double)p.z - (double)o.z;
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static elastic_facts measure(const sn_elastic_asset *a) {
    elastic_facts f = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int h = 0; h < a->handle_count; h++) f.quadratic += a->handle_quadratic[h];
    for (int t = 0; t < a->tet_count; t++) f.volume += tet_volume(a, a->tets[t]);
    for (int v = 0; v < a->vertex_count; v++) {
        const double p[3] = {(double)a->rest[v].x, (double)a->rest[v].y, (double)a->rest[v].z};
        for (int k = 0; k < 3; k++) f.low[k] = fmin(f.low[k], p[k]), f.high[k] = fmax(f.high[k], p[k]);
        f.anchored += a->anchored && a->anchored[v];
    }
    return f;
}

static int print_json(const char *name, const sn_elastic_asset *a, const elastic_facts *f) {
    json_t *object = json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:[[f,f,f],[f,f,f]]}", "file",
        name, "format", "elastic body", "vertices", a->vertex_count, "tets", a->tet_count, "triangles",
        a->triangle_count, "spheres", a->sphere_count, "cones", a->cone_count, "slabs", a->slab_count, "handles",
        a->handle_count, "quadratic", f->quadratic, "unknowns", 3 * (4 * a->handle_count + 6 * f->quadratic), "weights",
        a->first[a->vertex_count], "anchored", f->anchored, "drawn_triangles", a->drawn_triangle_count, "volume",
        f->volume, "box", f->low[0], f->low[1], f->low[2], f->high[0], f->high[1], f->high[2]);
    char *text = object ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(object);
    if (!text) return fail(EXIT_RUN_FAILED, "out of memory, or the file name is not valid UTF-8");
    printf("%s\n", text);
    free(text);
    return EXIT_DONE;
}

static void print_text(const char *name, const sn_elastic_asset *a, const elastic_facts *f) {
    printf("%-12s %s: elastic body\n", "file", name);
    printf("%-12s %d vertices, %d tetrahedra, %d boundary triangles, volume %.6g\n", "tetrahedra", a->vertex_count,
           a->tet_count, a->triangle_count, f->volume);
    printf("%-12s %d spheres, %d cones, %d slabs\n", "medial mesh", a->sphere_count, a->cone_count, a->slab_count);
    printf("%-12s %d, %d of them quadratic: %d unknowns\n", "handles", a->handle_count, f->quadratic,
           3 * (4 * a->handle_count + 6 * f->quadratic));
    printf("%-12s %.2f per vertex\n", "weights", (double)a->first[a->vertex_count] / a->vertex_count);
    if (f->anchored) printf("%-12s %d vertices\n", "anchored", f->anchored);
    if (a->drawn_count) printf("%-12s %d vertices, %d triangles\n", "drawn", a->drawn_count, a->drawn_triangle_count);
    print_box(f->low, f->high);
}

int elastic_info(const char *name, bool json) {
    tool_error error;
    sn_memory memory;
    sn_elastic_asset asset;
    sn_memory_init(&memory, NULL);
    if (!elastic_file_read(name, &disk_files, &memory, &asset, &error)) return bad_input(error.text);
    const elastic_facts f = measure(&asset);
    int code = EXIT_DONE;
    if (json)
        code = print_json(name, &asset, &f);
    else
        print_text(name, &asset, &f);
    sn_elastic_asset_free(&memory, &asset);
    return code;
}
