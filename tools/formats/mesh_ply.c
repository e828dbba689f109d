// PLY: a text header that lists elements (vertex, face, ...) with their number and properties, then the values: as
// text, or binary in either byte order. A property is a number of one of eight types, or a list: a count and that many
// numbers. We read the positions, normals, texture coordinates and colours of vertices; the corners of faces; and
// tristrips, a list in which each vertex makes a triangle with the two before it, every other one flipped, and -1
// starts a new strip. Everything else is skipped.
#include "formats/mesh_reader.h"
#include <limits.h>
#include <math.h>
#include <string.h>

typedef enum {
    TYPE_INT8,
    TYPE_UINT8,
    TYPE_INT16,
    TYPE_UINT16,
    TYPE_INT32,
    TYPE_UINT32,
    TYPE_FLOAT,
    TYPE_DOUBLE
} ply_type;
static const size_t type_size[] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char *const type_names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                            {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                            {"float", "float32"}, {"double", "float64"}};

// What we use a property for.
typedef enum {
    USE_NOTHING,
    USE_X,
    USE_Y,
    USE_Z,
    USE_NX,
    USE_NY,
    USE_NZ,
    USE_U,
    USE_V,
    USE_RED,
    USE_GREEN,
    USE_BLUE,
    USE_CORNERS,
    USE_STRIPS,
    USE_COUNT
} ply_use;

typedef struct {
    bool list;
    ply_type type, count_type;
    ply_use use;
} ply_property;

typedef enum { ELEMENT_OTHER, ELEMENT_VERTEX, ELEMENT_FACE, ELEMENT_STRIPS } ply_kind;

typedef struct {
    ply_kind kind;
    int64_t count;
    int first, properties; // in the list of all
} ply_element;

enum { MAX_ELEMENTS = 32, MAX_PROPERTIES = 256 };

typedef struct {
    mesh_reader *r;
    bool ascii, big;
    int element_count, property_count;
    ply_element element[MAX_ELEMENTS];
    ply_property property[MAX_PROPERTIES];
    int64_t vertices;
    unsigned uses; // bit of each ply_use that some property has
    size_t body;
} ply;

// --- header ----------------------------------------------------------------------------------------------------------

static bool read_type(ply *p, ply_type *out) {
    text_word word;
    char quoted[128];
    if (!text_next(p->r, &word)) return reader_fail(p->r, word.start, "a property has a type and a name");
    for (int i = 0; i <= TYPE_DOUBLE; i++)
        if (text_is(p->r, word, type_names[i][0]) || text_is(p->r, word, type_names[i][1])) {
            *out = (ply_type)i;
            return true;
        }
    return reader_fail(p->r, word.start,
                       "%s is not a type; types are char, uchar, short, ushort, int, uint, float and double",
                       text_quote(p->r, word, quoted));
}

static ply_use use_of(const mesh_reader *r, ply_kind kind, bool list, text_word name) {
    static const struct {
        const char *name;
        ply_use use;
    } known[] = {{"x", USE_X},     {"y", USE_Y},         {"z", USE_Z},         {"nx", USE_NX},
                 {"ny", USE_NY},   {"nz", USE_NZ},       {"u", USE_U},         {"v", USE_V},
                 {"s", USE_U},     {"t", USE_V},         {"texture_u", USE_U}, {"texture_v", USE_V},
                 {"red", USE_RED}, {"green", USE_GREEN}, {"blue", USE_BLUE}};
    if (list && (text_is(r, name, "vertex_indices") || text_is(r, name, "vertex_index")))
        return kind == ELEMENT_FACE ? USE_CORNERS : kind == ELEMENT_STRIPS ? USE_STRIPS : USE_NOTHING;
    for (size_t i = 0; i < sizeof known / sizeof *known && kind == ELEMENT_VERTEX && !list; i++)
        if (text_is(r, name, known[i].name)) return known[i].use;
    return USE_NOTHING;
}

static bool read_property(ply *p, text_word line) {
    mesh_reader *r = p->r;
    if (p->element_count == 0) return reader_fail(r, line.start, "a property comes before the first element");
    if (p->property_count == MAX_PROPERTIES)
        return reader_fail(r, line.start, "more than %d properties", MAX_PROPERTIES);
    ply_element *element = &p->element[p->element_count - 1];
    ply_property *property = &p->property[p->property_count++];
    element->properties++;
    *property = (ply_property){.list = false};
    const size_t before = r->at;
    text_word word;
    if (text_next(r, &word) && text_is(r, word, "list")) {
        property->list = true;
        if (!read_type(p, &property->count_type)) return false;
        if (property->count_type >= TYPE_FLOAT)
            return reader_fail(r, word.start, "the length of a list must be a whole number");
    } else {
        r->at = before;
    }
    if (!read_type(p, &property->type)) return false;
    if (!text_next(r, &word)) return reader_fail(r, word.start, "a property has a type and a name");
    property->use = use_of(r, element->kind, property->list, word);
    if (property->use == USE_NOTHING) return true;
    if (p->uses >> property->use & 1) {
        char quoted[128];
        return reader_fail(r, word.start, "%s appears twice", text_quote(r, word, quoted));
    }
    p->uses |= 1u << property->use;
    return true;
}

static bool read_element(ply *p, text_word line) {
    mesh_reader *r = p->r;
    text_word name, count;
    if (p->element_count == MAX_ELEMENTS) return reader_fail(r, line.start, "more than %d elements", MAX_ELEMENTS);
    if (!text_next(r, &name) || !text_next(r, &count))
        return reader_fail(r, line.start, "an element has a name and a count");
    ply_element *element = &p->element[p->element_count++];
    *element = (ply_element){.first = p->property_count};
    if (text_is(r, name, "vertex")) element->kind = ELEMENT_VERTEX;
    if (text_is(r, name, "face")) element->kind = ELEMENT_FACE;
    if (text_is(r, name, "tristrips")) element->kind = ELEMENT_STRIPS;
    if (!text_whole(r, count, &element->count)) return false;
    if (element->count < 0 || element->count > INT_MAX / 4)
        return reader_fail(r, count.start, "%lld elements", (long long)element->count);
    if (element->kind == ELEMENT_VERTEX) {
        if (p->vertices) return reader_fail(r, name.start, "vertices appear twice");
        p->vertices = element->count;
    }
    return true;
}

static bool read_format(ply *p, text_word line) {
    text_word word;
    char quoted[128];
    if (!text_next(p->r, &word))
        return reader_fail(p->r, line.start, "the format must be ascii, binary_little_endian or binary_big_endian");
    p->ascii = text_is(p->r, word, "ascii");
    p->big = text_is(p->r, word, "binary_big_endian");
    p->r->out->words = p->ascii ? "PLY, text" : p->big ? "PLY, binary, big-endian" : "PLY, binary";
    return p->ascii || p->big || text_is(p->r, word, "binary_little_endian") ||
           reader_fail(p->r, word.start, "the format must be ascii, binary_little_endian or binary_big_endian, is %s",
                       text_quote(p->r, word, quoted));
}

static bool read_header(ply *p) {
    mesh_reader *r = p->r;
    text_word word;
    char quoted[128];
    bool format = false;
    if (!text_next(r, &word) || !text_is(r, word, "ply"))
        return reader_fail(r, 0, "not a PLY file: it must start with a line \"ply\"");
    for (;;) {
        text_skip_line(r);
        if (r->at >= r->size) return reader_fail(r, r->size, "the file ends in its header, before \"end_header\"");
        if (!text_next(r, &word)) continue;
        if (text_is(r, word, "end_header")) break;
        if (text_is(r, word, "comment") || text_is(r, word, "obj_info")) continue;
        if (text_is(r, word, "format")) {
            if (!read_format(p, word)) return false;
            format = true;
        } else if (text_is(r, word, "element")) {
            if (!read_element(p, word)) return false;
        } else if (text_is(r, word, "property")) {
            if (!read_property(p, word)) return false;
        } else {
            return reader_fail(r, word.start, "%s is not a keyword of PLY headers", text_quote(r, word, quoted));
        }
    }
    const size_t end = word.start;
    text_skip_line(r);
    p->body = r->at;
    const unsigned place = 1u << USE_X | 1u << USE_Y | 1u << USE_Z;
    if (!format) return reader_fail(r, end, "the header has no \"format\"");
    if (p->vertices == 0) return reader_fail(r, end, "the header has no \"element vertex\", or 0 of them");
    if ((p->uses & place) != place) return reader_fail(r, end, "vertices need properties x, y and z");
    if (!(p->uses & (1u << USE_CORNERS | 1u << USE_STRIPS)))
        return reader_fail(
            r, end, "the header has no faces: \"element face\" or \"element tristrips\" with a list vertex_indices");
    return true;
}

// Checks that the file has at least the bytes that its counts need, before anything is allocated.
static bool check_counts(ply *p) {
    size_t left = p->r->size - p->body;
    for (int e = 0; e < p->element_count; e++) {
        const ply_element *element = &p->element[e];
        size_t size = 0;
        for (int i = element->first; i < element->first + element->properties; i++)
            size += p->ascii ? 2 : type_size[p->property[i].list ? p->property[i].count_type : p->property[i].type];
        const size_t max = left + (p->ascii ? 1 : 0); // the last number of a text needs no space after it
        if (size > 0 && (size_t)element->count > max / size)
            return reader_fail(
                p->r, p->ascii ? 0 : p->r->size,
                "the file ends early: the header announces %lld %s of at least %zu bytes each, and %zu bytes are left",
                (long long)element->count,
                element->kind == ELEMENT_VERTEX ? "vertices"
                : element->kind == ELEMENT_FACE ? "faces"
                                                : "elements",
                size, left);
        left -= size * (size_t)element->count < left ? size * (size_t)element->count : left;
    }
    return true;
}

// --- values ----------------------------------------------------------------------------------------------------------

static bool read_value(ply *p, ply_type type, double *out, size_t *where) {
    mesh_reader *r = p->r;
    if (p->ascii) {
        text_word word;
        if (!text_next_anywhere(r, &word)) return reader_fail(r, r->size, "the file ends early");
        *where = word.start;
        return text_real(r, word, out);
    }
    const size_t size = type_size[type];
    *where = r->at;
    if (r->size - r->at < size) return reader_fail(r, r->size, "the file ends early");
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits |= (uint64_t)r->bytes[r->at + i] << 8 * (p->big ? size - 1 - i : i);
    r->at += size;
    switch (type) {
    case TYPE_INT8:
        *out = (int8_t)bits;
        break;
    case TYPE_INT16:
        *out = (int16_t)bits;
        break;
    case TYPE_INT32:
        *out = (int32_t)bits;
        break;
    case TYPE_FLOAT: {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, 4);
        *out = value;
        break;
    }
    case TYPE_DOUBLE:
        memcpy(out, &bits, 8);
        break;
    default:
        *out = (double)bits;
    }
    return true;
}

static bool read_count(ply *p, ply_property property, int64_t *out) {
    double count = 0;
    size_t where = 0;
    if (!read_value(p, property.count_type, &count, &where)) return false;
    const size_t left = p->r->size - p->r->at, size = p->ascii ? 2 : type_size[property.type];
    if (!(count >= 0) || count != floor(count) || count > (double)(left / size + (p->ascii ? 1 : 0)))
        return reader_fail(p->r, where, "a list of %g numbers; the file ends before that", count);
    *out = (int64_t)count;
    return true;
}

static bool read_index(ply *p, ply_type type, int min, int *out) {
    double index = 0;
    size_t where = 0;
    if (!read_value(p, type, &index, &where)) return false;
    if (!(index >= min && index < (double)p->vertices) || index != floor(index))
        return reader_fail(p->r, where, "a face names vertex %g; the file has 0 to %lld", index,
                           (long long)p->vertices - 1);
    *out = (int)index;
    return true;
}

static void strip_corner(polygon_sink *sink, int vertex) {
    if (vertex < 0) {
        sink->have = 0;
        return;
    }
    int *last = sink->corner;
    if (sink->have >= 2) {
        const bool turned = sink->have & 1;
        const int triangle[3] = {last[turned], last[!turned], vertex};
        if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0]) {
            if (sink->mesh) memcpy(sink->mesh->triangle[sink->triangles], triangle, sizeof triangle);
            sink->triangles++;
        }
        last[0] = last[1];
        last[1] = vertex;
    } else {
        last[sink->have] = vertex;
    }
    sink->have++;
}

static bool read_list(ply *p, ply_property property, polygon_sink *sink) {
    int64_t count = 0;
    const size_t at = p->r->at;
    if (!read_count(p, property, &count)) return false;
    const bool strips = property.use == USE_STRIPS;
    if (property.use == USE_CORNERS && count < 3)
        return reader_fail(p->r, at, "a face of %lld corners; it needs 3 or more", (long long)count);
    sink_begin(sink, (int)count);
    for (int64_t i = 0; i < count; i++) {
        double ignored = 0;
        size_t where = 0;
        int vertex = 0;
        if (property.use == USE_NOTHING ? !read_value(p, property.type, &ignored, &where)
                                        : !read_index(p, property.type, strips ? -1 : 0, &vertex))
            return false;
        if (property.use == USE_CORNERS) sink_corner(sink, vertex);
        if (strips) strip_corner(sink, vertex);
    }
    return true;
}

static bool set_vertex(ply *p, const double *value, size_t at, int64_t i, sn_mesh *mesh) {
    for (int k = 0; k < 3; k++) {
        mesh->position[i][k] = (float)value[USE_X + k];
        if (!isfinite(mesh->position[i][k])) return reader_fail(p->r, at, "vertex %lld is not finite", (long long)i);
        if (mesh->colour) mesh->colour[i][k] = colour_linear(value[USE_RED + k]);
    }
    if (mesh->normal) {
        const double *n = value + USE_NX, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const bool good = length > 0 && isfinite(length);
        for (int k = 0; k < 3; k++) mesh->normal[i][k] = good ? (float)(n[k] / length) : k == 1;
    }
    for (int k = 0; k < 2 && mesh->uv; k++) {
        const float given = (float)(k ? 1 - value[USE_U + k] : value[USE_U + k]); // v goes up in this format
        mesh->uv[i][k] = isfinite(given) ? given : 0;
    }
    return true;
}

// Reads all elements. With a null mesh it only counts triangles. Faces may come before the vertices, so vertices have a
// pass of their own.
static bool read_elements(ply *p, ply_kind what, polygon_sink *sink) {
    p->r->at = p->body;
    for (int e = 0; e < p->element_count; e++) {
        const ply_element *element = &p->element[e];
        if (element->properties == 0) continue;
        for (int64_t i = 0; i < element->count; i++) {
            double value[USE_COUNT] = {0};
            const size_t at = p->r->at;
            for (int k = element->first; k < element->first + element->properties; k++) {
                ply_property property = p->property[k];
                if (element->kind != what && !(what == ELEMENT_FACE && element->kind == ELEMENT_STRIPS))
                    property.use = USE_NOTHING;
                double number = 0;
                size_t where = 0;
                if (property.list) {
                    if (!read_list(p, property, sink)) return false;
                } else {
                    if (!read_value(p, property.type, &number, &where)) return false;
                    if (property.use >= USE_RED && property.use <= USE_BLUE && property.type < TYPE_FLOAT)
                        number /= property.type == TYPE_UINT8 ? 255 : property.type == TYPE_UINT16 ? 65535 : 1;
                    value[property.use] = number;
                }
            }
            if (what == ELEMENT_VERTEX && element->kind == what && !set_vertex(p, value, at, i, sink->mesh))
                return false;
        }
    }
    return true;
}

static bool read_body(ply *p) {
    mesh_reader *r = p->r;
    const unsigned normal = 7u << USE_NX, uv = 3u << USE_U, colour = 7u << USE_RED;
    polygon_sink count = {.mesh = NULL};
    if (!check_counts(p) || !read_elements(p, ELEMENT_FACE, &count)) return false;
    if (count.triangles == 0) return reader_fail(r, r->size, "the file has no faces");
    const unsigned parts = ((p->uses & normal) == normal ? MESH_NORMAL : 0u) | ((p->uses & uv) == uv ? MESH_UV : 0u) |
                           ((p->uses & colour) == colour ? MESH_COLOUR : 0u);
    mesh_item *item = reader_add_mesh(r, (int)p->vertices, count.triangles, parts);
    if (!item) return false;
    polygon_sink sink = {.mesh = &item->mesh};
    return read_elements(p, ELEMENT_VERTEX, &sink) && (sink.triangles = 0, read_elements(p, ELEMENT_FACE, &sink));
}

bool ply_read(mesh_reader *r) {
    r->text = true;
    r->out->words = "PLY";
    if (r->size > INT_MAX / 2) return reader_fail(r, 0, "larger than 1 GB");
    ply p = {.r = r};
    if (!read_header(&p)) return false;
    r->text = p.ascii;
    return read_body(&p);
}
