// See tet_reader.h.
#include "formats/tet_reader.h"
#include <stdlib.h>
#include <string.h>

bool tet_word(tet_reader *r, text_word *out, const char *what) {
    if (text_next_anywhere(&r->text, out)) return true;
    return reader_fail(&r->text, r->text.size, "the file ends where %s is expected", what);
}

bool tet_whole(tet_reader *r, int64_t *out, size_t *at, const char *what) {
    text_word word;
    if (!tet_word(r, &word, what)) return false;
    if (at) *at = word.start;
    return text_whole(&r->text, word, out);
}

bool tet_real(tet_reader *r, double *out, const char *what) {
    text_word word;
    return tet_word(r, &word, what) && text_real(&r->text, word, out);
}

bool tet_count(tet_reader *r, int64_t *out, size_t min_bytes, const char *what) {
    size_t at = 0;
    if (!tet_whole(r, out, &at, what)) return false;
    if (*out < 0 || *out > INT32_MAX / 8)
        return reader_fail(&r->text, at, "%lld where %s is expected", (long long)*out, what);
    if ((size_t)*out > r->text.size / min_bytes)
        return reader_fail(&r->text, at, "%s: %lld do not fit into a file of %zu bytes", what, (long long)*out,
                           r->text.size);
    return true;
}

bool tet_make_vertices(tet_reader *r, int64_t count, size_t at) {
    if (r->out->mesh.position) return reader_fail(&r->text, at, "vertices appear twice");
    r->out->mesh.position = reader_alloc(&r->text, (size_t)count, sizeof *r->out->mesh.position);
    r->out->mesh.vertex_count = r->out->mesh.position ? (int)count : 0;
    return r->out->mesh.position != NULL;
}

bool tet_make_tets(tet_reader *r, int64_t count, size_t at) {
    if (r->out->mesh.tet) return reader_fail(&r->text, at, "tetrahedra appear twice");
    r->out->mesh.tet = reader_alloc(&r->text, (size_t)count, sizeof *r->out->mesh.tet);
    r->out->mesh.tet_count = r->out->mesh.tet ? (int)count : 0;
    return r->out->mesh.tet != NULL;
}

// --- names ---

typedef struct {
    int64_t name;
    int vertex;
} named;

static int compare(const void *a, const void *b) {
    const named *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

bool tet_names_make(tet_reader *r, tet_names *names, const int64_t *given, int count) {
    *names = (tet_names){.count = count, .plain = true};
    for (int i = 1; i < count && names->plain; i++) names->plain = given[i] == given[0] + i;
    names->name = reader_alloc(&r->text, (size_t)count, sizeof *names->name);
    if (!names->name) return false;
    if (names->plain) {
        if (count) memcpy(names->name, given, (size_t)count * sizeof *given);
        return true;
    }
    named *list = reader_alloc(&r->text, (size_t)count, sizeof *list);
    names->vertex = reader_alloc(&r->text, (size_t)count, sizeof *names->vertex);
    const bool good = list && names->vertex;
    for (int i = 0; i < count && good; i++) list[i] = (named){given[i], i};
    if (good) qsort(list, (size_t)count, sizeof *list, compare);
    for (int i = 0; i < count && good; i++) names->name[i] = list[i].name, names->vertex[i] = list[i].vertex;
    reader_free(&r->text, list, (size_t)count, sizeof *list);
    if (!good) tet_names_free(r, names);
    return good;
}

int tet_names_find(const tet_names *names, int64_t name) {
    if (names->count == 0) return -1;
    if (names->plain) {
        const int64_t i = name - names->name[0];
        return i >= 0 && i < names->count ? (int)i : -1;
    }
    int low = 0, high = names->count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (names->name[middle] < name)
            low = middle + 1;
        else
            high = middle;
    }
    return names->name[low] == name ? names->vertex[low] : -1;
}

void tet_names_free(tet_reader *r, tet_names *names) {
    reader_free(&r->text, names->name, (size_t)names->count, sizeof *names->name);
    reader_free(&r->text, names->vertex, (size_t)names->count, sizeof *names->vertex);
    *names = (tet_names){0};
}
