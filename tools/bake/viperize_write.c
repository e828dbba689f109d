// The rig file, JSON:
//
//     { "sinew": "muscle", "version": 1, "name", "mesh", "volume",
//       "rods": [{ "points": [[x, y, z], ...], "radii": [...] }, ...], "ends": { "source", "sink" },
//       "skin": { "vertices", "triangles", "sections", "weights" } }
//
// One line per rod and vertex, so that files can be compared with diff.
#include "bake/viperize.h"

static void write_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void write_numbers(FILE *out, const double *values, int count) {
    fputc('[', out);
    for (int i = 0; i < count; i++) fprintf(out, "%s%.9g", i ? ", " : "", values[i]);
    fputc(']', out);
}

static void write_rod(FILE *out, const sn_viper *viper, int rod) {
    fprintf(out, "    { \"points\": [");
    for (int k = 0; k < viper->slices; k++) {
        if (k) fprintf(out, ", ");
        write_numbers(out, viper->point[(long long)rod * viper->slices + k], 3);
    }
    fprintf(out, "],\n      \"radii\": ");
    write_numbers(out, viper->radius + (long long)rod * viper->slices, viper->slices);
    fprintf(out, " }%s\n", rod + 1 < viper->rods ? "," : "");
}

void sn_viper_write(FILE *out, const sn_viper *viper, const char *name, const char *mesh) {
    const sn_mesh *skin = &viper->skin;
    fprintf(out, "{\n  \"sinew\": \"muscle\",\n  \"version\": 1,\n  \"name\": ");
    write_text(out, name);
    fprintf(out, ",\n  \"mesh\": ");
    write_text(out, mesh);
    fprintf(out, ",\n  \"volume\": %.9g,\n  \"rods\": [\n", viper->volume);
    for (int i = 0; i < viper->rods; i++) write_rod(out, viper, i);
    fprintf(out, "  ],\n  \"ends\": { \"source\": ");
    write_numbers(out, viper->source, 3);
    fprintf(out, ", \"sink\": ");
    write_numbers(out, viper->sink, 3);
    fprintf(out, " },\n  \"skin\": {\n    \"vertices\": [\n");
    for (int v = 0; v < skin->vertex_count; v++)
        fprintf(out, "      [%.9g, %.9g, %.9g]%s\n", (double)skin->position[v][0], (double)skin->position[v][1],
                (double)skin->position[v][2], v + 1 < skin->vertex_count ? "," : "");
    fprintf(out, "    ],\n    \"triangles\": [\n");
    for (int t = 0; t < skin->triangle_count; t++)
        fprintf(out, "      [%d, %d, %d]%s\n", skin->triangle[t][0], skin->triangle[t][1], skin->triangle[t][2],
                t + 1 < skin->triangle_count ? "," : "");
    fprintf(out, "    ],\n    \"sections\": [\n");
    for (int v = 0; v < skin->vertex_count; v++)
        fprintf(out, "      [%d, %d, %d, %d]%s\n", viper->section[v][0], viper->section[v][1], viper->section[v][2],
                viper->section[v][3], v + 1 < skin->vertex_count ? "," : "");
    fprintf(out, "    ],\n    \"weights\": [\n");
    for (int v = 0; v < skin->vertex_count; v++) {
        fprintf(out, "      ");
        write_numbers(out, viper->weight[v], 4);
        fprintf(out, "%s\n", v + 1 < skin->vertex_count ? "," : "");
    }
    fprintf(out, "    ]\n  }\n}\n");
}
