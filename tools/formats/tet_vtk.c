// Legacy VTK files of unstructured grids, as text: three lines of head, "DATASET UNSTRUCTURED_GRID", "POINTS n type"
// with the coordinates, "CELLS n size" and "CELL_TYPES n", of which 10 is a tetrahedron. Before version 5 CELLS lists
// each cell as its number of corners and the corners; since then there is a list of n offsets and a list of corners.
// The rest (data of points and cells) is not read.
#include "formats/tet_reader.h"
#include <string.h>

enum { VTK_TETRA = 10 };

typedef struct {
    size_t cells_at;     // offset of CELLS, after its two counts
    int64_t cells, size; // in new files: the number of cells plus one, and of all corners
    bool offsets;
} vtk_cells;

static bool expect(tet_reader *r, const char *what) {
    text_word word;
    char quoted[128], lower[32];
    size_t i = 0;
    for (; what[i] && i < sizeof lower - 1; i++)
        lower[i] = (char)(what[i] >= 'A' && what[i] <= 'Z' ? what[i] + 32 : what[i]);
    lower[i] = '\0';
    if (!tet_word(r, &word, what)) return false;
    if (text_is(&r->text, word, lower)) return true;
    return reader_fail(&r->text, word.start, "%s where \"%s\" is expected", text_quote(&r->text, word, quoted), what);
}

static bool read_head(tet_reader *r) {
    static const char head[] = "# vtk DataFile Version ";
    text_word word;
    char quoted[128];
    if (r->text.size < sizeof head || memcmp(r->text.bytes, head, sizeof head - 1) != 0)
        return reader_fail(&r->text, 0, "the file does not begin with \"%s\"", head);
    text_skip_line(&r->text);
    text_skip_line(&r->text); // the title
    if (!tet_word(r, &word, "\"ASCII\"")) return false;
    if (text_is(&r->text, word, "binary"))
        return reader_fail(&r->text, word.start, "binary VTK files cannot be read; save the mesh as text (ASCII)");
    if (!text_is(&r->text, word, "ascii"))
        return reader_fail(&r->text, word.start, "%s where \"ASCII\" is expected", text_quote(&r->text, word, quoted));
    return expect(r, "DATASET") && expect(r, "UNSTRUCTURED_GRID");
}

static bool read_points(tet_reader *r, size_t at) {
    int64_t count;
    text_word word;
    if (!tet_count(r, &count, 6, "the count of points") || !tet_make_vertices(r, count, at)) return false;
    if (!tet_word(r, &word, "the points' type")) return false;
    for (int64_t i = 0; i < 3 * count; i++)
        if (!tet_real(r, &r->out->mesh.position[i / 3][i % 3], "a point")) return false;
    return true;
}

// Skips the cells; they are read once their types are known.
static bool pass_cells(tet_reader *r, vtk_cells *out) {
    text_word word;
    if (!tet_count(r, &out->cells, 2, "the count of cells") || !tet_count(r, &out->size, 2, "the size of the cells"))
        return false;
    out->cells_at = r->text.at;
    if (!tet_word(r, &word, "cells")) return false;
    out->offsets = text_is(&r->text, word, "offsets");
    const int64_t words = out->offsets ? out->cells + 1 + 2 + out->size : out->size - 1;
    for (int64_t i = 0; i < words; i++)
        if (!tet_word(r, &word, "a number of the cells")) return false;
    if (out->offsets && out->cells > 0) --out->cells;
    return true;
}

static bool check_corner(tet_reader *r, int64_t index, size_t at, int *out) {
    if (index < 0 || index >= r->out->mesh.vertex_count)
        return reader_fail(&r->text, at, "a cell names point %lld; the file has 0 to %d", (long long)index,
                           r->out->mesh.vertex_count - 1);
    *out = (int)index;
    return true;
}

// Reads cells that list their number of corners and the corners.
static bool read_cells(tet_reader *r, const vtk_cells *cells, const unsigned char *is_tet) {
    int64_t corners, index, left = cells->size;
    size_t at = 0;
    int t = 0, unused;
    for (int64_t c = 0; c < cells->cells; c++) {
        if (!tet_whole(r, &corners, &at, "a cell")) return false;
        if (corners < 0 || corners >= left)
            return reader_fail(&r->text, at, "a cell of %lld corners, with %lld numbers of cells left",
                               (long long)corners, (long long)left);
        if (is_tet[c] && corners != 4)
            return reader_fail(&r->text, at, "a tetrahedron of %lld corners", (long long)corners);
        left -= corners + 1;
        for (int64_t k = 0; k < corners; k++) {
            if (!tet_whole(r, &index, &at, "a corner")) return false;
            if (!check_corner(r, index, at, is_tet[c] ? &r->out->mesh.tet[t][k] : &unused)) return false;
        }
        t += is_tet[c];
    }
    return true;
}

// Reads the offsets of all cells, then all corners.
static bool read_offset_cells(tet_reader *r, const vtk_cells *cells, const unsigned char *is_tet) {
    text_word word;
    int64_t before = 0, offset, index, *start = reader_alloc(&r->text, (size_t)cells->cells + 1, sizeof *start);
    size_t at = 0;
    bool good = start && tet_word(r, &word, "\"OFFSETS\"") && tet_word(r, &word, "the offsets' type");
    for (int64_t c = 0; c <= cells->cells && good; c++) {
        good = tet_whole(r, &offset, &at, "an offset");
        if (good && (offset < before || offset > cells->size || (c == 0 && offset != 0)))
            good = reader_fail(&r->text, at, "offset %lld after %lld; offsets increase from 0 to %lld",
                               (long long)offset, (long long)before, (long long)cells->size);
        if (good && c > 0 && is_tet[c - 1] && offset - before != 4)
            good = reader_fail(&r->text, at, "a tetrahedron of %lld corners", (long long)(offset - before));
        if (good) start[c] = before = offset;
    }
    good = good && expect(r, "CONNECTIVITY") && tet_word(r, &word, "the corners' type");
    int64_t c = 0;
    int t = 0, unused;
    for (int64_t i = 0; i < cells->size && good; i++) {
        while (c < cells->cells && start[c + 1] <= i) t += is_tet[c++];
        const bool tet = c < cells->cells && is_tet[c];
        good = tet_whole(r, &index, &at, "a corner") &&
               check_corner(r, index, at, tet ? &r->out->mesh.tet[t][i - start[c]] : &unused);
    }
    reader_free(&r->text, start, (size_t)cells->cells + 1, sizeof *start);
    return good;
}

static bool read_types(tet_reader *r, const vtk_cells *cells) {
    int64_t count, type, tets = 0;
    size_t at = r->text.at;
    if (!tet_count(r, &count, 2, "the count of cell types")) return false;
    if (count != cells->cells)
        return reader_fail(&r->text, at, "%lld cell types for %lld cells", (long long)count, (long long)cells->cells);
    unsigned char *is_tet = reader_alloc(&r->text, (size_t)count, 1);
    bool good = is_tet != NULL;
    for (int64_t c = 0; c < count && good; c++) {
        good = tet_whole(r, &type, &at, "a cell type");
        if (good) is_tet[c] = type == VTK_TETRA, tets += is_tet[c];
    }
    const size_t behind = r->text.at;
    good = good && tet_make_tets(r, tets, at);
    r->out->skipped = (int)(count - tets);
    r->text.at = cells->cells_at;
    good = good && (cells->offsets ? read_offset_cells(r, cells, is_tet) : read_cells(r, cells, is_tet));
    r->text.at = behind;
    reader_free(&r->text, is_tet, (size_t)count, 1);
    return good;
}

bool tet_vtk_read(tet_reader *r) {
    text_word word;
    vtk_cells cells = {0};
    bool have_cells = false;
    r->out->words = "VTK, text";
    if (!read_head(r)) return false;
    while (!r->out->mesh.tet) {
        char quoted[128];
        if (!tet_word(r, &word, "\"CELL_TYPES\"")) return false;
        if (text_is(&r->text, word, "points")) {
            if (!read_points(r, word.start)) return false;
        } else if (text_is(&r->text, word, "cells")) {
            if (have_cells) return reader_fail(&r->text, word.start, "cells appear twice");
            if (!r->out->mesh.position) return reader_fail(&r->text, word.start, "cells come before their points");
            if (!pass_cells(r, &cells)) return false;
            have_cells = true;
        } else if (text_is(&r->text, word, "cell_types")) {
            if (!have_cells) return reader_fail(&r->text, word.start, "cell types come before the cells");
            if (!read_types(r, &cells)) return false;
        } else if (text_is(&r->text, word, "metadata") || text_is(&r->text, word, "field")) {
            return reader_fail(&r->text, word.start, "%s before the cells cannot be read; save the mesh without it",
                               text_quote(&r->text, word, quoted));
        } else {
            return reader_fail(&r->text, word.start, "%s where \"POINTS\", \"CELLS\" or \"CELL_TYPES\" is expected",
                               text_quote(&r->text, word, quoted));
        }
    }
    return true;
}

void tet_vtk_write(FILE *out, const sn_tet_mesh *mesh) {
    fprintf(out, "# vtk DataFile Version 3.0\ntetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
            mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->position[v];
        fprintf(out, "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    fprintf(out, "CELLS %d %lld\n", mesh->tet_count, 5LL * mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *v = mesh->tet[t];
        fprintf(out, "4 %d %d %d %d\n", v[0], v[1], v[2], v[3]);
    }
    fprintf(out, "CELL_TYPES %d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) fputs("10\n", out);
}
