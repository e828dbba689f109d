// STL: a list of separate triangles. Binary: 80 arbitrary bytes, a count, and 50 bytes for each triangle: normal, three
// corners (little-endian floats) and two arbitrary bytes. Text: "solid NAME / facet normal x y z / outer loop / vertex
// x y z (three times) / endloop / endfacet / ... / endsolid NAME", possibly several solids.
//
// Some binary files start with "solid" too, so a file of exactly the length that its count implies is binary. Normals
// are ignored: they are redundant with the order of the corners, or contradict it.
#include "formats/mesh_reader.h"
#include <limits.h>
#include <math.h>
#include <string.h>

enum { HEADER = 84, FACET = 50 };

static uint32_t load32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool read_binary(mesh_reader *r) {
    r->text = false;
    r->out->words = "STL, binary";
    if (r->size < HEADER) return reader_fail(r, r->size, "the file ends in its header, which has 84 bytes");
    const size_t count = load32(r->bytes + 80), have = (r->size - HEADER) / FACET;
    if (count > have)
        return reader_fail(r, r->size, "the file ends early: the header announces %zu triangles, the file has %zu",
                           count, have);
    if (count == 0) return reader_fail(r, 80, "the file has no triangles");
    if (count > INT_MAX / 4) return reader_fail(r, 80, "too many triangles: %zu", count);
    mesh_item *item = reader_add_mesh(r, (int)count * 3, (int)count, 0);
    if (!item) return false;
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < 9; k++) {
            const size_t at = HEADER + t * FACET + 12 + 4 * k;
            const uint32_t bits = load32(r->bytes + at);
            const size_t v = 3 * t + k / 3;
            memcpy(&item->mesh.position[v][k % 3], &bits, 4);
            if (!isfinite(item->mesh.position[v][k % 3]))
                return reader_fail(r, at, "triangle %zu has a corner that is not finite", t);
            item->mesh.triangle[t][k / 3] = (int)v;
        }
    return true;
}

static bool expect(mesh_reader *r, const char *what) {
    text_word word;
    char quoted[128];
    if (!text_next_anywhere(r, &word)) return reader_fail(r, r->size, "the file ends where \"%s\" is expected", what);
    return text_is(r, word, what) ||
           reader_fail(r, word.start, "%s where \"%s\" is expected", text_quote(r, word, quoted), what);
}

static bool expect_vector(mesh_reader *r, float out[3]) {
    for (int k = 0; k < 3; k++) {
        text_word word;
        double value;
        if (!text_next_anywhere(r, &word)) return reader_fail(r, r->size, "the file ends where a number is expected");
        if (!text_real(r, word, &value)) return false;
        out[k] = (float)value;
    }
    return true;
}

// Skips a normal, which may be anything, even "nan".
static bool skip_normal(mesh_reader *r) {
    text_word word;
    for (int k = 0; k < 3; k++)
        if (!text_next(r, &word)) return reader_fail(r, word.start, "a normal has %d numbers; it needs 3", k);
    return true;
}

// The facets of one solid. With a null mesh it counts; else it reads.
static bool read_facets(mesh_reader *r, sn_mesh *mesh, int *count) {
    text_word word;
    char quoted[128];
    for (*count = 0;; ++*count) {
        float corner[3][3];
        if (!text_next_anywhere(r, &word))
            return reader_fail(r, r->size, "the file ends where \"facet\" or \"endsolid\" is expected");
        if (text_is(r, word, "endsolid")) break;
        if (!text_is(r, word, "facet"))
            return reader_fail(r, word.start, "%s where \"facet\" or \"endsolid\" is expected",
                               text_quote(r, word, quoted));
        if (!expect(r, "normal") || !skip_normal(r) || !expect(r, "outer") || !expect(r, "loop")) return false;
        for (int k = 0; k < 3; k++)
            if (!expect(r, "vertex") || !expect_vector(r, corner[k])) return false;
        if (!expect(r, "endloop") || !expect(r, "endfacet")) return false;
        for (int k = 0; k < 3 && mesh; k++) {
            memcpy(mesh->position[3 * *count + k], corner[k], sizeof corner[k]);
            mesh->triangle[*count][k] = 3 * *count + k;
        }
    }
    text_skip_line(r); // the name again
    return true;
}

static bool read_text(mesh_reader *r) {
    text_word word;
    r->text = true;
    r->out->words = "STL, text";
    int solids = 0;
    for (; text_next_anywhere(r, &word); solids++) {
        char quoted[128];
        if (!text_is(r, word, "solid"))
            return reader_fail(r, word.start, "%s where \"solid\" is expected", text_quote(r, word, quoted));
        size_t start = r->at, end;
        text_skip_line(r);
        for (end = r->at; end > start && r->bytes[end - 1] <= ' '; --end) {
        }
        while (start < end && r->bytes[start] <= ' ') start++;
        const size_t body = r->at;
        int count;
        if (!read_facets(r, NULL, &count)) return false;
        if (count == 0) continue;
        mesh_item *item = reader_add_mesh(r, 3 * count, count, 0);
        if (!item) return false;
        reader_name(item->mesh.name, r->bytes + start, end - start);
        r->at = body;
        if (!read_facets(r, &item->mesh, &count)) return false;
    }
    if (r->out->mesh_count == 0) return reader_fail(r, r->size, "the file has no triangles");
    return true;
}

bool stl_read(mesh_reader *r) {
    if (r->size > INT_MAX / 2) return reader_fail(r, 0, "larger than 1 GB");
    text_word word;
    const bool solid = text_next_anywhere(r, &word) && text_is(r, word, "solid");
    const bool fits =
        r->size >= HEADER && (r->size - HEADER) / FACET == load32(r->bytes + 80) && (r->size - HEADER) % FACET == 0;
    r->at = 0;
    const size_t shown = r->size < 512 ? r->size : 512; // a text has no NUL near its start
    return solid && !fits && !memchr(r->bytes, 0, shown) ? read_text(r) : read_binary(r);
}
