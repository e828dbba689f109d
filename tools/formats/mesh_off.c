// OFF: "OFF", the number of vertices, faces and edges, then x y z of each vertex and "n a b c ..." of each face, with
// indices from 0. The rest of a line is a colour and is skipped. NOFF, COFF and the like have more numbers per vertex
// and are refused.
#include "formats/mesh_reader.h"
#include <limits.h>

static bool next_whole(mesh_reader *r, int64_t *out, size_t *at, const char *what) {
    text_word word;
    if (!text_next_anywhere(r, &word)) return reader_fail(r, r->size, "the file ends where %s is expected", what);
    *at = word.start;
    return text_whole(r, word, out);
}

// With a null mesh it counts; else it reads.
static bool read_faces(mesh_reader *r, int64_t faces, int64_t vertices, sn_mesh *mesh, int *triangles) {
    polygon_sink sink = {.mesh = mesh};
    size_t at = 0;
    for (int64_t f = 0; f < faces; f++) {
        int64_t corners, index;
        if (!next_whole(r, &corners, &at, "a face")) return false;
        if (corners < 3 || (size_t)corners > r->size)
            return reader_fail(r, at, "a face of %lld corners; it needs 3 or more", (long long)corners);
        sink_begin(&sink, (int)corners);
        for (int i = 0; i < corners; i++) {
            if (!next_whole(r, &index, &at, "a corner")) return false;
            if (index < 0 || index >= vertices)
                return reader_fail(r, at, "a face names vertex %lld; the file has 0 to %lld", (long long)index,
                                   (long long)vertices - 1);
            sink_corner(&sink, (int)index);
        }
        text_skip_line(r);
    }
    *triangles = sink.triangles;
    return true;
}

bool off_read(mesh_reader *r) {
    text_word word;
    char quoted[128];
    int64_t vertices, faces, edges;
    size_t at = 0;
    r->text = true;
    r->out->words = "OFF";
    if (r->size > INT_MAX / 2) return reader_fail(r, 0, "larger than 1 GB");
    if (!text_next_anywhere(r, &word)) return reader_fail(r, r->size, "the file ends where \"OFF\" is expected");
    if (!text_is(r, word, "off"))
        return reader_fail(r, word.start, "%s where \"OFF\" is expected", text_quote(r, word, quoted));
    if (!next_whole(r, &vertices, &at, "the count of vertices") || !next_whole(r, &faces, &at, "the count of faces") ||
        !next_whole(r, &edges, &at, "the count of edges"))
        return false;
    if (vertices < 0 || (size_t)vertices > r->size / 6 || faces < 0 || (size_t)faces > r->size / 8)
        return reader_fail(r, at, "%lld vertices and %lld faces do not fit into a file of %zu bytes",
                           (long long)vertices, (long long)faces, r->size);
    if (faces == 0) return reader_fail(r, r->at, "the file has no faces");
    const size_t start = r->at;
    for (int64_t i = 0; i < 3 * vertices; i++)
        if (!text_next_anywhere(r, &word)) return reader_fail(r, r->size, "the file ends among its vertices");
    const size_t body = r->at;
    int triangles;
    if (!read_faces(r, faces, vertices, NULL, &triangles)) return false;
    mesh_item *item = reader_add_mesh(r, (int)vertices, triangles, 0);
    if (!item) return false;
    r->at = start;
    for (int64_t i = 0; i < 3 * vertices; i++) {
        double value;
        if (!text_next_anywhere(r, &word) || !text_real(r, word, &value)) return false;
        item->mesh.position[i / 3][i % 3] = (float)value;
    }
    r->at = body;
    return read_faces(r, faces, vertices, &item->mesh, &triangles);
}
