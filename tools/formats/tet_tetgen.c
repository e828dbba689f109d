// TetGen's pair of files. The .node: "count dimension attributes marks", then lines "number x y z attributes marks".
// The .ele: "count corners attributes", then "number corners attributes"; of ten corners, the first four are those of
// the tetrahedron. Numbers start at 0 or 1, like those of the vertices.
#include "formats/tet_reader.h"

static bool read_nodes(tet_reader *r, int64_t *first) {
    int64_t count, dimension, attributes, marks, number;
    size_t at = 0;
    text_word word;
    if (!tet_count(r, &count, 8, "the count of vertices") || !tet_whole(r, &dimension, &at, "the dimension"))
        return false;
    if (dimension != 3) return reader_fail(&r->text, at, "the dimension must be 3, is %lld", (long long)dimension);
    if (!tet_whole(r, &attributes, &at, "the count of attributes") || !tet_whole(r, &marks, &at, "0 or 1 for marks"))
        return false;
    if (attributes < 0 || attributes > 1000 || marks < 0 || marks > 1)
        return reader_fail(&r->text, at, "%lld attributes and %lld marks of a vertex; there may be up to 1000 and 1",
                           (long long)attributes, (long long)marks);
    if (!tet_make_vertices(r, count, at)) return false;
    for (int64_t i = 0; i < count; i++) {
        if (!tet_whole(r, &number, &at, "the number of a vertex")) return false;
        if (i == 0) *first = number;
        if (number != *first + i || *first < 0 || *first > 1)
            return reader_fail(&r->text, at,
                               "vertex %lld where %lld is expected; numbers start at 0 or 1 and are consecutive",
                               (long long)number, (long long)(*first == 0 || *first == 1 ? *first + i : 0));
        for (int k = 0; k < 3; k++)
            if (!tet_real(r, &r->out->mesh.position[i][k], "a vertex")) return false;
        for (int64_t k = 0; k < attributes + marks; k++)
            if (!tet_word(r, &word, "an attribute")) return false;
    }
    return true;
}

bool tet_tetgen_read(tet_reader *nodes, tet_reader *r) {
    int64_t count, corners, attributes, number, index, first = 0;
    size_t at = 0;
    text_word word;
    nodes->out->words = "TetGen";
    if (!read_nodes(nodes, &first)) return false;
    if (!tet_count(r, &count, 8, "the count of tetrahedra") || !tet_whole(r, &corners, &at, "the count of corners"))
        return false;
    if (corners != 4 && corners != 10)
        return reader_fail(&r->text, at, "tetrahedra must have 4 or 10 corners, have %lld", (long long)corners);
    if (!tet_whole(r, &attributes, &at, "the count of attributes")) return false;
    if (attributes < 0 || attributes > 1000)
        return reader_fail(&r->text, at, "%lld attributes; there may be up to 1000", (long long)attributes);
    if (!tet_make_tets(r, count, at)) return false;
    for (int64_t i = 0; i < count; i++) {
        if (!tet_whole(r, &number, &at, "the number of a tetrahedron")) return false;
        for (int64_t k = 0; k < corners; k++) {
            if (!tet_whole(r, &index, &at, "a corner")) return false;
            if (index < first || index >= first + r->out->mesh.vertex_count)
                return reader_fail(&r->text, at, "a tetrahedron names vertex %lld; the .node has %lld to %lld",
                                   (long long)index, (long long)first,
                                   (long long)first + r->out->mesh.vertex_count - 1);
            if (k < 4) r->out->mesh.tet[i][k] = (int)(index - first);
        }
        for (int64_t k = 0; k < attributes; k++)
            if (!tet_word(r, &word, "an attribute")) return false;
    }
    return true;
}

void tet_node_write(FILE *out, const sn_tet_mesh *mesh) {
    fprintf(out, "%d 3 0 0\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *p = mesh->position[v];
        fprintf(out, "%d %.17g %.17g %.17g\n", v, p[0], p[1], p[2]);
    }
}

void tet_ele_write(FILE *out, const sn_tet_mesh *mesh) {
    fprintf(out, "%d 4 0\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int *v = mesh->tet[t];
        fprintf(out, "%d %d %d %d %d\n", t, v[0], v[1], v[2], v[3]);
    }
}
