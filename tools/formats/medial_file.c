// Reading and writing medial meshes: see medial_file.h.
#include "formats/medial_file.h"
#include "formats/mesh_reader.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void medial_file_write(FILE *out, const sn_medial_mesh *mesh) {
    fprintf(out, "%d %d %d\n", mesh->sphere_count, mesh->cone_count, mesh->slab_count);
    for (int i = 0; i < mesh->sphere_count; i++)
        fprintf(out, "v %.10g %.10g %.10g %.10g\n", mesh->centre[i][0], mesh->centre[i][1], mesh->centre[i][2],
                mesh->radius[i]);
    for (int i = 0; i < mesh->cone_count; i++) fprintf(out, "e %d %d\n", mesh->cone[i][0], mesh->cone[i][1]);
    for (int i = 0; i < mesh->slab_count; i++)
        fprintf(out, "f %d %d %d\n", mesh->slab[i][0], mesh->slab[i][1], mesh->slab[i][2]);
}

// The counts of the first line.
static bool read_counts(mesh_reader *r, int count[3]) {
    static const char *const what[3] = {"spheres", "cones", "slabs"};
    for (int k = 0; k < 3; k++) {
        text_word word;
        int64_t value;
        if (!(k == 0 ? text_next_anywhere(r, &word) : text_next(r, &word)))
            return reader_fail(r, r->at, "the count of %s is missing; the first line is \"spheres cones slabs\"",
                               what[k]);
        if (!text_whole(r, word, &value)) return false;
        if (value < 0 || (uint64_t)value > r->size / 6 || value > INT_MAX / 8)
            return reader_fail(r, word.start, "%lld %s do not fit into a file of %zu bytes", (long long)value, what[k],
                               r->size);
        count[k] = (int)value;
    }
    if (count[0] == 0) return reader_fail(r, 0, "a medial mesh has at least one sphere");
    return true;
}

// Reads the first word of a line, which must be `kind`.
static bool begin_line(mesh_reader *r, const char *kind, const char *what, int number, int count) {
    text_word word;
    char quoted[128];
    if (!text_next_anywhere(r, &word))
        return reader_fail(r, r->size, "the file ends where \"%s\" of %s %d of %d is expected", kind, what, number,
                           count);
    if (!text_is(r, word, kind))
        return reader_fail(r, word.start, "%s where \"%s\" of %s %d of %d is expected", text_quote(r, word, quoted),
                           kind, what, number, count);
    return true;
}

static bool end_line(mesh_reader *r) {
    text_word word;
    char quoted[128];
    if (!text_next(r, &word)) return true;
    return reader_fail(r, word.start, "%s where the line should end", text_quote(r, word, quoted));
}

static bool read_spheres(mesh_reader *r, sn_medial_mesh *out) {
    for (int i = 0; i < out->sphere_count; i++) {
        if (!begin_line(r, "v", "sphere", i, out->sphere_count)) return false;
        for (int k = 0; k < 4; k++) {
            text_word word;
            double value;
            if (!text_next(r, &word)) return reader_fail(r, r->at, "a sphere is \"v x y z radius\"");
            if (!text_real(r, word, &value)) return false;
            if (k == 3 && value < 0) return reader_fail(r, word.start, "a radius must be at least 0, is %g", value);
            *(k < 3 ? &out->centre[i][k] : &out->radius[i]) = value;
        }
        if (!end_line(r)) return false;
    }
    return true;
}

// Reads lines of `size` sphere indices each.
static bool read_lists(mesh_reader *r, const char *kind, const char *what, int size, int count, int spheres, int *out) {
    for (int i = 0; i < count; i++) {
        if (!begin_line(r, kind, what, i, count)) return false;
        for (int k = 0; k < size; k++) {
            text_word word;
            int64_t value;
            if (!text_next(r, &word)) return reader_fail(r, r->at, "a %s names %d spheres", what, size);
            if (!text_whole(r, word, &value)) return false;
            if (value < 0 || value >= spheres)
                return reader_fail(r, word.start, "a %s names sphere %lld; the file has 0 to %d", what,
                                   (long long)value, spheres - 1);
            for (int j = 0; j < k; j++)
                if (out[size * i + j] == value)
                    return reader_fail(r, word.start, "a %s names sphere %lld twice", what, (long long)value);
            out[size * i + k] = (int)value;
        }
        if (!end_line(r)) return false;
    }
    return true;
}

// Adds the edges of slabs to the cones, sorts their indices, and removes duplicates.
static void put_cones_right(sn_medial_mesh *mesh) {
    for (int f = 0; f < mesh->slab_count; f++)
        for (int k = 0; k < 3; k++) {
            int *cone = mesh->cone[mesh->cone_count++];
            cone[0] = mesh->slab[f][k], cone[1] = mesh->slab[f][(k + 1) % 3];
        }
    for (int e = 0; e < mesh->cone_count; e++) {
        const int a = mesh->cone[e][0], b = mesh->cone[e][1];
        if (a > b) mesh->cone[e][0] = b, mesh->cone[e][1] = a;
    }
    sn_medial_mesh_sort_cones(mesh);
}

bool medial_file_parse(const char *name, const void *bytes, size_t size, sn_medial_mesh *out, tool_error *error) {
    mesh_reader r = {
        .name = name, .bytes = bytes, .size = size, .text = true, .memory = 48 * size + 256, .error = error};
    int count[3];
    text_word word;
    char quoted[128];
    *out = (sn_medial_mesh){0};
    if (!read_counts(&r, count) || !end_line(&r)) return false;
    bool good = sn_medial_mesh_alloc(out, count[0], count[1] + 3 * count[2], count[2]);
    if (!good) return reader_fail(&r, 0, "out of memory");
    out->cone_count = count[1];
    good = read_spheres(&r, out) && read_lists(&r, "e", "cone", 2, count[1], count[0], &out->cone[0][0]) &&
           read_lists(&r, "f", "slab", 3, count[2], count[0], &out->slab[0][0]);
    if (good && text_next_anywhere(&r, &word))
        good = reader_fail(&r, word.start, "%s where the file should end", text_quote(&r, word, quoted));
    if (good)
        put_cones_right(out);
    else
        sn_medial_mesh_free(out);
    return good;
}

bool medial_file_read(const char *file, const file_source *files, sn_medial_mesh *out, tool_error *error) {
    tool_error reason;
    char *text;
    size_t size;
    *out = (sn_medial_mesh){0};
    if (!file_text_read(file, files, (size_t)1 << 30, &text, &size, &reason))
        return tool_error_set(error, "%.300s: error: %s", file, reason.text);
    const bool good = medial_file_parse(file, text, size, out, error);
    free(text);
    return good;
}
