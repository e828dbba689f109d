// The memory limit: a reader may hold 48 bytes for each byte of the file and 256 more, with 16 for every block. Usual
// files stay far below it (a vertex of a binary file is as large in memory). Only files that repeat a reference over
// and over, or that are made to exhaust memory, reach it.
#include "formats/mesh_reader.h"
#include "formats/quote.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16 }; // overhead of an allocation

bool reader_fail_list(mesh_reader *r, size_t at, const char *format, va_list words) {
    if (r->failed) return false;
    r->failed = true;
    char text[TOOL_ERROR_SIZE];
    vsnprintf(text, sizeof text, format, words);
    if (r->text) {
        int line = 1, column = 1;
        for (size_t i = 0; i < at && i < r->size; i++) {
            column += (r->bytes[i] & 0xC0) != 0x80;
            if (r->bytes[i] == '\n') ++line, column = 1;
        }
        return tool_error_set(r->error, "%.300s:%d:%d: error: %s", r->name, line, column, text);
    }
    return tool_error_set(r->error, "%.300s:offset %zu: error: %s", r->name, at, text);
}

bool reader_fail(mesh_reader *r, size_t at, const char *format, ...) {
    va_list words;
    va_start(words, format);
    reader_fail_list(r, at, format, words);
    va_end(words);
    return false;
}

bool reader_charge(mesh_reader *r, size_t bytes) {
    if (bytes > r->memory) return reader_fail(r, r->at, "reading the file needs more than 48 times its size in memory");
    r->memory -= bytes;
    return true;
}

void *reader_alloc(mesh_reader *r, size_t count, size_t size) {
    if (count == 0) count = 1;
    if (count > SIZE_MAX / 2 / size || !reader_charge(r, count * size + BLOCK)) {
        reader_fail(r, r->at, "reading the file needs too much memory");
        return NULL;
    }
    void *block = calloc(count, size);
    if (!block) reader_fail(r, r->at, "out of memory");
    return block;
}

void reader_free(mesh_reader *r, void *block, size_t count, size_t size) {
    if (!block) return;
    r->memory += (count ? count : 1) * size + BLOCK;
    free(block);
}

mesh_item *reader_add_mesh(mesh_reader *r, int vertices, int triangles, unsigned parts) {
    mesh_file *out = r->out;
    if (out->mesh_count == out->mesh_capacity) {
        int capacity = out->mesh_capacity + out->mesh_capacity / 2 + 1;
        mesh_item *more = reader_alloc(r, (size_t)capacity, sizeof *more);
        if (!more) return NULL;
        if (out->mesh_count) memcpy(more, out->mesh, (size_t)out->mesh_count * sizeof *more);
        reader_free(r, out->mesh, (size_t)out->mesh_capacity, sizeof *more);
        out->mesh = more;
        out->mesh_capacity = capacity;
    }
    const size_t vertex = 12 + (parts & MESH_NORMAL ? 12 : 0) + (parts & MESH_UV ? 8 : 0) +
                          (parts & MESH_COLOUR ? 12 : 0) + (parts & MESH_SKIN ? 32 : 0);
    if (!reader_charge(r, (size_t)vertices * vertex + (size_t)triangles * 12 + 7 * BLOCK)) return NULL;
    mesh_item *item = &out->mesh[out->mesh_count];
    *item = (mesh_item){.skin = -1, .node = -1, .source = -1};
    if (!sn_mesh_alloc(&item->mesh, vertices, triangles, parts)) {
        reader_fail(r, r->at, "out of memory");
        return NULL;
    }
    out->mesh_count++;
    return item;
}

void reader_name(char out[MESH_NAME_SIZE], const void *from, size_t length) {
    const unsigned char *bytes = from;
    if (length > MESH_NAME_SIZE - 1) {
        length = MESH_NAME_SIZE - 1;
        while (length > 0 && (bytes[length] & 0xC0) == 0x80) --length;
    }
    for (size_t i = 0; i < length; i++) out[i] = bytes[i] < 32 || bytes[i] == 127 ? '?' : (char)bytes[i];
    out[length] = '\0';
}

void sink_begin(polygon_sink *sink, int corners) {
    sink->announced = corners;
    sink->have = 0;
}

void sink_corner(polygon_sink *sink, int vertex) {
    const int i = sink->have++, count = sink->announced;
    if (count > POLYGON_MAX_EARS) { // a fan, made on the fly
        if (i >= 2) {
            const int triangle[3] = {sink->corner[0], sink->corner[1], vertex};
            if (sink->mesh) memcpy(sink->mesh->triangle[sink->triangles], triangle, sizeof triangle);
            sink->triangles++;
        }
        sink->corner[i > 0] = vertex;
        return;
    }
    sink->corner[i] = vertex;
    if (sink->have < count || count < 3) return;
    if (sink->mesh) {
        float place[POLYGON_MAX_EARS][3];
        int(*out)[3] = sink->mesh->triangle + sink->triangles;
        for (int k = 0; k < count; k++) memcpy(place[k], sink->mesh->position[sink->corner[k]], sizeof *place);
        polygon_triangulate((const float(*)[3])place, count, out);
        for (int t = 0; t < count - 2; t++)
            for (int k = 0; k < 3; k++) out[t][k] = sink->corner[out[t][k]];
    }
    sink->triangles += count - 2;
}

static bool is_blank(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool text_next(mesh_reader *r, text_word *out) {
    for (; r->at < r->size; r->at++) {
        if (is_blank(r->bytes[r->at])) continue;
        if (r->bytes[r->at] != '\\') break; // a backslash continues the line
        size_t next = r->at + 1;
        while (next < r->size && r->bytes[next] == '\r') next++;
        if (next >= r->size || r->bytes[next] != '\n') break;
        r->at = next;
    }
    out->start = r->at;
    if (r->at < r->size && r->bytes[r->at] == '#') // the rest is a comment
        while (r->at < r->size && r->bytes[r->at] != '\n') r->at++;
    if (r->at >= r->size || r->bytes[r->at] == '\n') {
        out->end = out->start;
        return false;
    }
    while (r->at < r->size && !is_blank(r->bytes[r->at]) && r->bytes[r->at] != '\n') r->at++;
    out->end = r->at;
    return true;
}

bool text_next_anywhere(mesh_reader *r, text_word *out) {
    while (!text_next(r, out)) {
        if (r->at >= r->size) return false;
        r->at++;
    }
    return true;
}

void text_skip_line(mesh_reader *r) {
    const unsigned char *end = r->at < r->size ? memchr(r->bytes + r->at, '\n', r->size - r->at) : NULL;
    r->at = end ? (size_t)(end - r->bytes) + 1 : r->size;
}

bool text_is(const mesh_reader *r, text_word word, const char *what) {
    const size_t length = strlen(what);
    if (word.end - word.start != length) return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = r->bytes[word.start + i];
        if (c >= 'A' && c <= 'Z') c = (unsigned char)(c - 'A' + 'a');
        if (c != (unsigned char)what[i]) return false;
    }
    return true;
}

const char *text_quote(const mesh_reader *r, text_word word, char out[128]) {
    char copy[100];
    size_t length = word.end - word.start < sizeof copy - 1 ? word.end - word.start : sizeof copy - 1;
    for (size_t i = 0; i < length; i++) copy[i] = r->bytes[word.start + i] ? (char)r->bytes[word.start + i] : '?';
    copy[length] = '\0';
    return quote(copy, out);
}

bool text_whole(mesh_reader *r, text_word word, int64_t *out) {
    char quoted[128];
    size_t i = word.start;
    const bool negative = i < word.end && r->bytes[i] == '-';
    if (i < word.end && (r->bytes[i] == '-' || r->bytes[i] == '+')) i++;
    int64_t value = 0;
    const size_t first = i;
    for (; i < word.end && r->bytes[i] >= '0' && r->bytes[i] <= '9' && value < INT64_C(100000000000); i++)
        value = 10 * value + (r->bytes[i] - '0');
    if (i == first || i < word.end)
        return reader_fail(r, word.start, "%s is not a whole number", text_quote(r, word, quoted));
    *out = negative ? -value : value;
    return true;
}

// Integers up to 2^53 and powers of ten up to 10^22 are exact in a double, so one multiplication or division of them is
// correctly rounded. The few other numbers go to strtod.
static bool parse_real(const unsigned char *text, size_t length, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t i = 0, digits = 0;
    uint64_t mantissa = 0;
    int exponent = 0;
    bool exact = true;
    const bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) i = 1;
    for (bool point = false; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9') break;
        digits++;
        if (mantissa < UINT64_C(1000000000000000000)) {
            mantissa = 10 * mantissa + (uint64_t)(text[i] - '0');
            exponent -= point;
        } else {
            exponent += !point;
            exact = false;
        }
        if (digits > 400) return false;
    }
    if (digits == 0) return false;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        int sign = 1, power = 0;
        if (i < length && (text[i] == '-' || text[i] == '+')) sign = text[i++] == '-' ? -1 : 1;
        const size_t first = i;
        for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
            if (power < 10000) power = 10 * power + (text[i] - '0');
        if (i == first) return false;
        exponent += sign * power;
    }
    if (i < length) return false;
    double value;
    if (mantissa == 0) {
        value = 0;
    } else if (exact && mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        value = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    } else {
        char plain[64]; // digits and an exponent, so that the locale's decimal point does not matter
        snprintf(plain, sizeof plain, "%llue%d", (unsigned long long)mantissa, exponent);
        value = strtod(plain, NULL);
    }
    *out = negative ? -value : value;
    return true;
}

bool text_real(mesh_reader *r, text_word word, double *out) {
    char quoted[128];
    if (!parse_real(r->bytes + word.start, word.end - word.start, out))
        return reader_fail(r, word.start, "%s is not a number", text_quote(r, word, quoted));
    if (!isfinite((float)*out)) return reader_fail(r, word.start, "%s is too large", text_quote(r, word, quoted));
    return true;
}

float colour_linear(double screen) {
    if (!(screen > 0)) return 0;
    if (screen >= 1) return 1;
    return (float)(screen <= 0.04045 ? screen / 12.92 : own_pow((screen + 0.055) / 1.055, 2.4));
}
