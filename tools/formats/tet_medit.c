// Medit's .mesh: "MeshVersionFormatted 2", "Dimension 3", then sections: a keyword, a count, and that many lines.
// Vertices are x y z and a mark; tetrahedra four vertices, from 1, and a mark. Other sections are skipped; each has a
// known number of words per line.
#include "formats/tet_reader.h"

static const struct {
    const char *name;
    int words; // of a line
    bool elements;
} sections[] = {{"edges", 3, true},
                {"triangles", 4, true},
                {"quadrilaterals", 5, true},
                {"hexahedra", 9, true},
                {"prisms", 7, true},
                {"pyramids", 6, true},
                {"corners", 1, false},
                {"requiredvertices", 1, false},
                {"ridges", 1, false},
                {"requirededges", 1, false},
                {"requiredtriangles", 1, false},
                {"normals", 3, false},
                {"normalatvertices", 2, false},
                {"tangents", 3, false},
                {"tangentatvertices", 2, false},
                {"subdomainfrommesh", 4, false}};

static bool read_vertices(tet_reader *r, size_t at) {
    int64_t count;
    double x;
    if (!tet_count(r, &count, 6, "the count of vertices") || !tet_make_vertices(r, count, at)) return false;
    for (int64_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            if (!tet_real(r, &r->out->mesh.position[i][k], "a vertex")) return false;
        if (!tet_real(r, &x, "the mark of a vertex")) return false;
    }
    return true;
}

static bool read_tets(tet_reader *r, size_t at) {
    int64_t count, index;
    if (!r->out->mesh.position) return reader_fail(&r->text, at, "tetrahedra come before their vertices");
    if (!tet_count(r, &count, 8, "the count of tetrahedra") || !tet_make_tets(r, count, at)) return false;
    for (int64_t i = 0; i < count; i++) {
        size_t where = 0;
        for (int k = 0; k < 4; k++) {
            if (!tet_whole(r, &index, &where, "a corner")) return false;
            if (index < 1 || index > r->out->mesh.vertex_count)
                return reader_fail(&r->text, where, "a tetrahedron names vertex %lld; the file has 1 to %d",
                                   (long long)index, r->out->mesh.vertex_count);
            r->out->mesh.tet[i][k] = (int)index - 1;
        }
        if (!tet_whole(r, &index, NULL, "the mark of a tetrahedron")) return false;
    }
    return true;
}

static bool skip_section(tet_reader *r, text_word word) {
    char quoted[128];
    const int kinds = (int)(sizeof sections / sizeof *sections);
    int which = 0;
    while (which < kinds && !text_is(&r->text, word, sections[which].name)) which++;
    if (which == kinds)
        return reader_fail(&r->text, word.start, "%s is not a known section", text_quote(&r->text, word, quoted));
    int64_t count;
    if (!tet_count(r, &count, 2 * (size_t)sections[which].words, "the count of a section")) return false;
    for (int64_t i = 0; i < count * sections[which].words; i++)
        if (!tet_word(r, &word, "a number")) return false;
    if (sections[which].elements) r->out->skipped += (int)count;
    return true;
}

bool tet_medit_read(tet_reader *r) {
    text_word word;
    char quoted[128];
    int64_t number;
    size_t at = 0;
    r->out->words = "Medit";
    if (!tet_word(r, &word, "\"MeshVersionFormatted\"")) return false;
    if (!text_is(&r->text, word, "meshversionformatted"))
        return reader_fail(&r->text, word.start, "%s where \"MeshVersionFormatted\" is expected",
                           text_quote(&r->text, word, quoted));
    if (!tet_whole(r, &number, NULL, "the version")) return false;
    while (text_next_anywhere(&r->text, &word) && !text_is(&r->text, word, "end")) {
        if (text_is(&r->text, word, "dimension")) {
            if (!tet_whole(r, &number, &at, "the dimension")) return false;
            if (number != 3) return reader_fail(&r->text, at, "the dimension must be 3, is %lld", (long long)number);
        } else if (text_is(&r->text, word, "vertices")) {
            if (!read_vertices(r, word.start)) return false;
        } else if (text_is(&r->text, word, "tetrahedra")) {
            if (!read_tets(r, word.start)) return false;
        } else if (!skip_section(r, word)) {
            return false;
        }
    }
    return true;
}

void tet_medit_write(FILE *out, const sn_tet_mesh *mesh) {
    fprintf(out, "MeshVersionFormatted 2\nDimension 3\n\nVertices\n%d\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->position[v];
        fprintf(out, "%.17g %.17g %.17g 0\n", p[0], p[1], p[2]);
    }
    fprintf(out, "\nTetrahedra\n%d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *v = mesh->tet[t];
        fprintf(out, "%d %d %d %d 1\n", v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
    }
    fprintf(out, "\nEnd\n");
}
