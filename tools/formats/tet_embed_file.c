// See tet_embed_file.h.
#include "formats/tet_embed_file.h"
#include "formats/atomic_file.h"
#include "formats/tet_reader.h"
#include <math.h>
#include <stdlib.h>

bool tet_embed_write(const char *file, const sn_tet_point *places, int count, int tet_count, tool_error *error) {
    atomic_file out;
    bool good = atomic_file_open(&out, file);
    if (good) {
        fprintf(out.out, "sinew-embedding 1\n%d %d\n", count, tet_count);
        for (int i = 0; i < count; i++) {
            const double *w = places[i].weight;
            fprintf(out.out, "%d %.17g %.17g %.17g %.17g\n", places[i].tet, w[0], w[1], w[2], w[3]);
        }
        good = atomic_file_commit(&out);
    }
    if (!good && error) *error = out.error;
    atomic_file_abort(&out);
    return good;
}

static bool read_places(tet_reader *r, sn_tet_point **places, int *count, int *tets_of) {
    text_word word;
    char quoted[128];
    int64_t version, points, tets, tet;
    size_t at = 0;
    if (!tet_word(r, &word, "\"sinew-embedding\"")) return false;
    if (!text_is(&r->text, word, "sinew-embedding"))
        return reader_fail(&r->text, word.start, "%s where \"sinew-embedding\" is expected",
                           text_quote(&r->text, word, quoted));
    if (!tet_whole(r, &version, &at, "the version")) return false;
    if (version != 1) return reader_fail(&r->text, at, "version %lld; only version 1 can be read", (long long)version);
    if (!tet_count(r, &points, 10, "the count of points") || !tet_whole(r, &tets, &at, "the count of tetrahedra"))
        return false;
    if (tets < 0 || tets > INT32_MAX)
        return reader_fail(&r->text, at, "%lld is not a number of tetrahedra", (long long)tets);
    *places = reader_alloc(&r->text, (size_t)points, sizeof **places);
    if (!*places) return false;
    for (int64_t i = 0; i < points; i++) {
        double sum = 0;
        if (!tet_whole(r, &tet, &at, "a tetrahedron")) return false;
        if (tet < 0 || tet >= tets)
            return reader_fail(&r->text, at, "tetrahedron %lld; there are 0 to %lld", (long long)tet,
                               (long long)tets - 1);
        (*places)[i].tet = (int)tet;
        for (int k = 0; k < 4; k++) {
            if (!tet_real(r, &(*places)[i].weight[k], "a weight")) return false;
            sum += (*places)[i].weight[k];
        }
        if (!(fabs(sum - 1) < 1e-6)) return reader_fail(&r->text, at, "weights must add up to 1, add up to %.9g", sum);
    }
    *count = (int)points, *tets_of = (int)tets;
    return true;
}

bool tet_embed_parse(const char *name, const void *bytes, size_t size, sn_tet_point **places, int *count, int *tets_of,
                     tool_error *error) {
    tet_reader r = {
        {.name = name, .bytes = bytes, .size = size, .memory = 48 * size + 256, .text = true, .error = error}, NULL};
    *places = NULL, *count = 0, *tets_of = 0;
    if (read_places(&r, places, count, tets_of)) return true;
    free(*places);
    *places = NULL;
    return false;
}

bool tet_embed_read(const char *file, const file_source *files, sn_tet_point **places, int *count, int *tets_of,
                    tool_error *error) {
    tool_error reason;
    char *bytes;
    size_t size;
    *places = NULL;
    if (!file_text_read(file, files, (size_t)1 << 30, &bytes, &size, &reason))
        return tool_error_set(error, "%.300s: error: %s", file, reason.text);
    const bool good = tet_embed_parse(file, bytes, size, places, count, tets_of, error);
    free(bytes);
    return good;
}
