// Gmsh's .msh, as text, versions 2 and 4. Sections are "$Name ... $EndName"; those other than MeshFormat, Nodes and
// Elements are skipped.
//
//     2: Nodes      count, then "tag x y z"
//        Elements   count, then "tag type tags... corners"
//     4: Nodes      "blocks count min max", then blocks "dimension entity parametric n", n tags, n times x y z
//        Elements   "blocks count min max", then blocks "dimension entity type n", n times "tag corners"
//
// (4.0 has the entity before the dimension and tags beside coordinates.) Tags may be any numbers. Type 4 is a
// tetrahedron.
#include "formats/tet_reader.h"
#include <string.h>

enum { GMSH_TETRAHEDRON = 4, GMSH_TETRAHEDRON_OF_10 = 11, TYPES = 32 };

// Corners of Gmsh's element types; 0: unknown.
static const int corners_of[TYPES] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                      8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};

typedef struct {
    tet_reader *r;
    double version;
    tet_names names;
    int tets, capacity;
} msh;

static bool skip_to_end(tet_reader *r, const char *name, size_t at) {
    text_word word;
    char end[80] = "$end";
    strncat(end, name, sizeof end - 5);
    for (char *c = end; *c; c++) *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    while (text_next_anywhere(&r->text, &word))
        if (text_is(&r->text, word, end)) return true;
    return reader_fail(&r->text, at, "the section \"$%s\" has no end", name);
}

static bool expect_end(tet_reader *r, const char *end) {
    text_word word;
    char quoted[128];
    if (!tet_word(r, &word, end)) return false;
    return text_is(&r->text, word, end) ||
           reader_fail(&r->text, word.start, "%s where the section should end", text_quote(&r->text, word, quoted));
}

static bool read_format(msh *m) {
    tet_reader *r = m->r;
    int64_t binary;
    size_t at = r->text.at;
    if (!tet_real(r, &m->version, "the version")) return false;
    if (!(m->version >= 2 && m->version < 3) && !(m->version >= 4 && m->version < 5))
        return reader_fail(&r->text, at + 1, "Gmsh version %g; only versions 2 and 4 can be read", m->version);
    if (!tet_whole(r, &binary, &at, "0 for text")) return false;
    if (binary != 0)
        return reader_fail(&r->text, at, "binary Gmsh files cannot be read; save the mesh as text (ASCII)");
    r->out->words = m->version < 3 ? "Gmsh 2, text" : "Gmsh 4, text";
    return skip_to_end(r, "MeshFormat", at);
}

static bool read_place(tet_reader *r, int64_t vertex) {
    for (int k = 0; k < 3; k++)
        if (!tet_real(r, &r->out->mesh.position[vertex][k], "a node's coordinate")) return false;
    return true;
}

// Reads a block of version 4, from vertex `first` on.
static bool read_node_block(msh *m, int64_t *tags, int64_t first, int64_t all, int64_t *count) {
    tet_reader *r = m->r;
    int64_t a, b, parametric;
    double u;
    size_t at = 0;
    if (!tet_whole(r, &a, NULL, "a block of nodes") || !tet_whole(r, &b, NULL, "a block of nodes") ||
        !tet_whole(r, &parametric, &at, "0 or 1") || !tet_count(r, count, 8, "a count of nodes"))
        return false;
    const int64_t dimension = m->version < 4.05 ? b : a;
    if (parametric < 0 || parametric > 1 || dimension < 0 || dimension > 3)
        return reader_fail(&r->text, at, "a block of nodes in dimension %lld, parametric %lld", (long long)dimension,
                           (long long)parametric);
    if (*count > all - first)
        return reader_fail(&r->text, at, "blocks have more than the %lld nodes of the header", (long long)all);
    const bool beside = m->version < 4.05;
    for (int64_t i = 0; i < *count && !beside; i++)
        if (!tet_whole(r, &tags[first + i], NULL, "a node's tag")) return false;
    for (int64_t i = 0; i < *count; i++) {
        if (beside && !tet_whole(r, &tags[first + i], NULL, "a node's tag")) return false;
        if (!read_place(r, first + i)) return false;
        for (int64_t k = 0; k < (parametric ? dimension : 0); k++)
            if (!tet_real(r, &u, "a parameter")) return false;
    }
    return true;
}

static bool read_nodes(msh *m, size_t at) {
    tet_reader *r = m->r;
    int64_t count, blocks = 0, unused, got = 0, n = 0;
    const bool four = m->version >= 4;
    if (four && !tet_count(r, &blocks, 4, "the count of blocks")) return false;
    if (!tet_count(r, &count, 7, "the count of nodes")) return false;
    if (m->version >= 4.05 &&
        (!tet_whole(r, &unused, NULL, "the smallest tag") || !tet_whole(r, &unused, NULL, "the largest tag")))
        return false;
    if (!tet_make_vertices(r, count, at)) return false;
    int64_t *tags = reader_alloc(&r->text, (size_t)count, sizeof *tags);
    bool good = tags != NULL;
    for (int64_t b = 0; b < blocks && good; b++) {
        good = read_node_block(m, tags, got, count, &n);
        got += n;
    }
    for (; !four && got < count && good; got++)
        good = tet_whole(r, &tags[got], NULL, "a node's tag") && read_place(r, got);
    if (good && got != count)
        good = reader_fail(&r->text, r->text.at, "blocks have %lld nodes, the header announces %lld", (long long)got,
                           (long long)count);
    good = good && tet_names_make(r, &m->names, tags, (int)count);
    reader_free(&r->text, tags, (size_t)count, sizeof *tags);
    return good && expect_end(r, "$endnodes");
}

// Reads the corners of an element and keeps tetrahedra.
static bool read_corners(msh *m, int64_t type, size_t at) {
    tet_reader *r = m->r;
    int64_t tag;
    int corner[4] = {0};
    if (type < 1 || type >= TYPES) return reader_fail(&r->text, at, "unknown element type %lld", (long long)type);
    if (type == GMSH_TETRAHEDRON_OF_10)
        return reader_fail(&r->text, at,
                           "tetrahedra with 10 corners cannot be read; save the mesh with elements of order 1");
    for (int k = 0; k < corners_of[type]; k++) {
        size_t where = 0;
        if (!tet_whole(r, &tag, &where, "a corner")) return false;
        const int vertex = tet_names_find(&m->names, tag);
        if (vertex < 0)
            return reader_fail(&r->text, where, "an element names node %lld, which does not exist", (long long)tag);
        if (k < 4) corner[k] = vertex;
    }
    if (type != GMSH_TETRAHEDRON) {
        r->out->skipped++;
        return true;
    }
    memcpy(r->out->mesh.tet[m->tets++], corner, sizeof corner); // there are at most as many as elements
    return true;
}

static bool read_elements(msh *m, size_t at) {
    tet_reader *r = m->r;
    int64_t count, blocks = 0, type, tags, unused, n, got = 0;
    size_t where = 0;
    const bool four = m->version >= 4;
    if (!r->out->mesh.position) return reader_fail(&r->text, at, "elements come before their nodes");
    if (four && !tet_count(r, &blocks, 4, "the count of blocks")) return false;
    if (!tet_count(r, &count, 4, "the count of elements")) return false;
    if (m->version >= 4.05 &&
        (!tet_whole(r, &unused, NULL, "the smallest tag") || !tet_whole(r, &unused, NULL, "the largest tag")))
        return false;
    if (!tet_make_tets(r, count, at)) return false;
    for (int64_t b = 0; b < blocks; b++) {
        if (!tet_whole(r, &unused, NULL, "a block of elements") ||
            !tet_whole(r, &unused, NULL, "a block of elements") || !tet_whole(r, &type, &where, "the elements' type") ||
            !tet_count(r, &n, 4, "a count of elements"))
            return false;
        if (n > count - got)
            return reader_fail(&r->text, where, "blocks have more than the %lld elements of the header",
                               (long long)count);
        for (int64_t i = 0; i < n; i++)
            if (!tet_whole(r, &unused, NULL, "an element's tag") || !read_corners(m, type, where)) return false;
        got += n;
    }
    for (; !four && got < count; got++) {
        if (!tet_whole(r, &unused, NULL, "an element's tag") || !tet_whole(r, &type, &where, "an element's type") ||
            !tet_count(r, &tags, 2, "the count of tags"))
            return false;
        for (int64_t k = 0; k < tags; k++)
            if (!tet_whole(r, &unused, NULL, "a tag")) return false;
        if (!read_corners(m, type, where)) return false;
    }
    if (got != count)
        return reader_fail(&r->text, r->text.at, "blocks have %lld elements, the header announces %lld", (long long)got,
                           (long long)count);
    r->out->mesh.tet_count = m->tets;
    return expect_end(r, "$endelements");
}

static bool read_sections(msh *m) {
    tet_reader *r = m->r;
    text_word word;
    char quoted[128];
    while (text_next_anywhere(&r->text, &word)) {
        const bool format = text_is(&r->text, word, "$meshformat");
        if (r->text.bytes[word.start] != '$' || word.end - word.start < 2 || word.end - word.start > 60)
            return reader_fail(&r->text, word.start, "%s where a section such as \"$Nodes\" is expected",
                               text_quote(&r->text, word, quoted));
        if (!format && !(m->version > 0))
            return reader_fail(&r->text, word.start, "%s where \"$MeshFormat\" is expected",
                               text_quote(&r->text, word, quoted));
        if (format) {
            if (!read_format(m)) return false;
        } else if (text_is(&r->text, word, "$nodes")) {
            if (!read_nodes(m, word.start)) return false;
        } else if (text_is(&r->text, word, "$elements")) {
            if (!read_elements(m, word.start)) return false;
        } else {
            char name[64] = {0};
            memcpy(name, r->text.bytes + word.start + 1, word.end - word.start - 1);
            if (!skip_to_end(r, name, word.start)) return false;
        }
    }
    return true;
}

bool tet_msh_read(tet_reader *r) {
    msh m = {.r = r};
    r->out->words = "Gmsh";
    const bool good = read_sections(&m);
    tet_names_free(r, &m.names);
    return good;
}

void tet_msh_write(FILE *out, const sn_tet_mesh *mesh) {
    fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->position[v];
        fprintf(out, "%d %.17g %.17g %.17g\n", v + 1, p[0], p[1], p[2]);
    }
    fprintf(out, "$EndNodes\n$Elements\n%d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *v = mesh->tet[t];
        fprintf(out, "%d 4 2 1 1 %d %d %d %d\n", t + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
    }
    fprintf(out, "$EndElements\n");
}
