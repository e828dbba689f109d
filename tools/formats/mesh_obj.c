// Wavefront OBJ: lines of text. "v x y z [r g b]", "vt u v" and "vn x y z" are lists. A face "f a b c ..." is a polygon
// of corners v, v/vt, v//vn or v/vt/vn, with indices from 1, or negative from the end. "o" and "g" name what follows.
//
// The first pass counts, so that every list is allocated once; the second reads. Each name becomes a mesh. Corners with
// equal indices become one vertex, in the order of the file's positions.
#include "formats/mesh_reader.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int v, vt, vn; // from 0; -1: none
} obj_corner;

typedef struct {
    int first, count; // corners
    int part;
} obj_face;

typedef struct {
    text_word name;
    int faces, corners, triangles; // how many
    bool uv, normal;               // every corner has one
} obj_part;

typedef struct {
    mesh_reader *r;
    size_t positions, uvs, normals, corners, faces, names; // of the whole file
    float (*position)[3], (*colour)[3], (*uv)[2], (*normal)[3];
    obj_corner *corner;
    obj_face *face;
    obj_part *part;
    int *slot; // hash of names -> part + 1
    size_t slots;
    int part_count, current; // the part that gets the faces; -1: none yet
    text_word name;
    size_t have_positions, have_uvs, have_normals, have_corners, have_faces;
} obj;

static size_t power_above(size_t n) {
    size_t power = 4;
    while (power < n) power *= 2;
    return power;
}

static void count_all(obj *o) {
    mesh_reader *r = o->r;
    text_word word;
    for (r->at = 0; r->at < r->size; text_skip_line(r)) {
        if (!text_next(r, &word)) continue;
        if (text_is(r, word, "v")) o->positions++;
        if (text_is(r, word, "vt")) o->uvs++;
        if (text_is(r, word, "vn")) o->normals++;
        if (text_is(r, word, "o") || text_is(r, word, "g")) o->names++;
        if (text_is(r, word, "f") || text_is(r, word, "fo")) {
            o->faces++;
            while (text_next(r, &word)) o->corners++;
        }
    }
    r->at = 0;
}

// Reads `min` to `max` numbers of the line and returns how many; -1: the error is set.
static int read_numbers(mesh_reader *r, double *out, int min, int max, const char *what) {
    text_word word;
    int n = 0;
    for (; n < max && text_next(r, &word); n++)
        if (!text_real(r, word, &out[n])) return -1;
    if (n >= min) return n;
    text_next(r, &word);
    reader_fail(r, word.start, "%s has %d numbers; it needs %d", what, n, min);
    return -1;
}

static bool read_position(obj *o) {
    double n[6];
    const int count = read_numbers(o->r, n, 3, 6, "a vertex");
    if (count < 0) return false;
    for (int k = 0; k < 3; k++) o->position[o->have_positions][k] = (float)n[k];
    if (count == 6 && !o->colour) {
        if (!(o->colour = reader_alloc(o->r, o->positions, sizeof *o->colour))) return false;
        for (size_t i = 0; i < o->positions; i++) o->colour[i][0] = o->colour[i][1] = o->colour[i][2] = 1;
    }
    for (int k = 0; k < 3 && count == 6; k++) o->colour[o->have_positions][k] = colour_linear(n[3 + k]);
    o->have_positions++;
    return true;
}

static bool read_uv(obj *o) {
    double n[2] = {0, 0};
    if (read_numbers(o->r, n, 1, 2, "a texture coordinate") < 0) return false;
    o->uv[o->have_uvs][0] = (float)n[0];
    o->uv[o->have_uvs++][1] = (float)(1 - n[1]); // v goes up in this format
    return true;
}

static bool read_normal(obj *o) {
    double n[3];
    if (read_numbers(o->r, n, 3, 3, "a normal") < 0) return false;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) o->normal[o->have_normals][k] = length > 0 ? (float)(n[k] / length) : k == 1;
    o->have_normals++;
    return true;
}

// The part with the current name: a name that appears twice is one part.
static bool find_part(obj *o) {
    const unsigned char *bytes = o->r->bytes;
    const size_t length = o->name.end - o->name.start;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = o->name.start; i < o->name.end; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    size_t s = (size_t)(hash ^ hash >> 32) & (o->slots - 1);
    for (; o->slot[s]; s = (s + 1) & (o->slots - 1)) {
        const text_word other = o->part[o->slot[s] - 1].name;
        if (other.end - other.start != length) continue;
        if (length && memcmp(bytes + other.start, bytes + o->name.start, length) != 0) continue;
        o->current = o->slot[s] - 1;
        return true;
    }
    o->part[o->part_count] = (obj_part){.name = o->name, .uv = true, .normal = true};
    o->current = o->part_count++;
    o->slot[s] = o->part_count;
    return true;
}

// Reads one index of a corner, from `at` to a slash or the end.
static bool read_index(obj *o, text_word word, size_t have, size_t total, const char *what, int *out) {
    int64_t index;
    if (!text_whole(o->r, word, &index)) return false;
    if (index < 0 ? -index > (int64_t)have : index == 0 || index > (int64_t)total)
        return reader_fail(o->r, word.start, "a face names %s %lld; %s", what, (long long)index,
                           index == 0  ? "indices start at 1"
                           : index < 0 ? "there are not that many before it"
                                       : "the file has fewer");
    *out = (int)(index < 0 ? (int64_t)have + index : index - 1);
    return true;
}

static bool read_corner(obj *o, text_word word, obj_corner *out) {
    const unsigned char *bytes = o->r->bytes;
    text_word part[3];
    int parts = 0;
    for (size_t start = word.start, i = word.start; i <= word.end; i++) {
        if (i < word.end && bytes[i] != '/') continue;
        if (parts == 3) return reader_fail(o->r, word.start, "a corner is v, v/vt, v//vn or v/vt/vn");
        part[parts++] = (text_word){start, i};
        start = i + 1;
    }
    *out = (obj_corner){-1, -1, -1};
    return read_index(o, part[0], o->have_positions, o->positions, "vertex", &out->v) &&
           (parts < 2 || part[1].start == part[1].end ||
            read_index(o, part[1], o->have_uvs, o->uvs, "texture coordinate", &out->vt)) &&
           (parts < 3 || part[2].start == part[2].end ||
            read_index(o, part[2], o->have_normals, o->normals, "normal", &out->vn));
}

static bool read_face(obj *o, text_word line) {
    text_word word;
    if (o->current < 0 && !find_part(o)) return false;
    obj_part *part = &o->part[o->current];
    obj_face *face = &o->face[o->have_faces++];
    *face = (obj_face){(int)o->have_corners, 0, o->current};
    while (text_next(o->r, &word)) {
        obj_corner *corner = &o->corner[o->have_corners];
        if (!read_corner(o, word, corner)) return false;
        part->uv = part->uv && corner->vt >= 0;
        part->normal = part->normal && corner->vn >= 0;
        o->have_corners++;
        face->count++;
    }
    if (face->count < 3)
        return reader_fail(o->r, line.start, "a face of %d corner%s; it needs 3 or more", face->count,
                           face->count == 1 ? "" : "s");
    part->faces++;
    part->corners += face->count;
    part->triangles += face->count - 2;
    return true;
}

static bool is_other_word(const mesh_reader *r, text_word word) {
    static const char *const others[] = {"s",          "usemtl",   "mtllib",   "usemap", "maplib", "vp",   "cstype",
                                         "deg",        "bmat",     "step",     "curv",   "curv2",  "surf", "parm",
                                         "trim",       "hole",     "scrv",     "sp",     "end",    "con",  "mg",
                                         "bevel",      "lod",      "ctech",    "stech",  "call",   "csh",  "c_interp",
                                         "shadow_obj", "d_interp", "trace_obj"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (text_is(r, word, others[i])) return true;
    return false;
}

static bool read_line(obj *o, text_word word) {
    mesh_reader *r = o->r;
    char quoted[128];
    if (text_is(r, word, "v")) return read_position(o);
    if (text_is(r, word, "vt")) return read_uv(o);
    if (text_is(r, word, "vn")) return read_normal(o);
    if (text_is(r, word, "f") || text_is(r, word, "fo")) return read_face(o, word);
    if (text_is(r, word, "o") || text_is(r, word, "g")) {
        o->name = (text_word){word.end, word.end};
        for (bool first = true; text_next(r, &word); first = false) {
            if (first) o->name.start = word.start;
            o->name.end = word.end;
        }
        o->current = -1;
        return true;
    }
    if (text_is(r, word, "l") || text_is(r, word, "p")) {
        r->out->skipped++;
        return true;
    }
    return is_other_word(r, word) ||
           reader_fail(r, word.start, "%s is not a keyword of OBJ files", text_quote(r, word, quoted));
}

// A vertex: a corner whose indices no earlier corner has.
typedef struct {
    int v, order;
    const obj_corner *corner;
} obj_vertex;

static int compare_vertices(const void *one, const void *two) {
    const obj_vertex *a = one, *b = two;
    if (a->v != b->v) return a->v < b->v ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

typedef struct {
    int *slot;          // hash -> vertex + 1
    int *of_corner;     // vertex of each corner of the part
    int *place;         // index of a vertex after sorting
    obj_vertex *vertex; // each has the size of the largest part
} obj_work;

static int find_vertex(const obj *o, const obj_part *part, obj_work *work, size_t slots, int *count, int corner) {
    const obj_corner *c = &o->corner[corner];
    const int vt = part->uv ? c->vt : -1, vn = part->normal ? c->vn : -1;
    uint64_t hash = (uint64_t)(unsigned)c->v * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29 ^ (unsigned)vt) * UINT64_C(0xBF58476D1CE4E5B9);
    hash = (hash ^ hash >> 32 ^ (unsigned)vn) * UINT64_C(0x94D049BB133111EB);
    size_t s = (size_t)(hash >> 30) & (slots - 1);
    for (; work->slot[s]; s = (s + 1) & (slots - 1)) {
        const obj_corner *d = work->vertex[work->slot[s] - 1].corner;
        if (d->v == c->v && (!part->uv || d->vt == vt) && (!part->normal || d->vn == vn)) return work->slot[s] - 1;
    }
    work->vertex[*count] = (obj_vertex){c->v, *count, c};
    work->slot[s] = ++*count;
    return *count - 1;
}

static void fill_mesh(const obj *o, const obj_part *part, const obj_work *work, const int *faces, sn_mesh *mesh) {
    for (int i = 0; i < mesh->vertex_count; i++) {
        const obj_corner *c = work->vertex[i].corner;
        memcpy(mesh->position[i], o->position[c->v], sizeof *mesh->position);
        if (mesh->colour) memcpy(mesh->colour[i], o->colour[c->v], sizeof *mesh->colour);
        if (mesh->uv) memcpy(mesh->uv[i], o->uv[c->vt], sizeof *mesh->uv);
        if (mesh->normal) memcpy(mesh->normal[i], o->normal[c->vn], sizeof *mesh->normal);
    }
    polygon_sink sink = {.mesh = mesh};
    int k = 0;
    for (int f = 0; f < part->faces; f++) {
        const int corners = o->face[faces[f]].count;
        sink_begin(&sink, corners);
        for (int i = 0; i < corners; i++) sink_corner(&sink, work->place[work->of_corner[k++]]);
    }
}

static bool make_mesh(obj *o, const obj_part *part, obj_work *work, const int *faces) {
    const size_t slots = power_above((size_t)part->corners * 2);
    int count = 0, k = 0;
    memset(work->slot, 0, slots * sizeof *work->slot);
    for (int f = 0; f < part->faces; f++)
        for (int i = 0; i < o->face[faces[f]].count; i++)
            work->of_corner[k++] = find_vertex(o, part, work, slots, &count, o->face[faces[f]].first + i);
    qsort(work->vertex, (size_t)count, sizeof *work->vertex, compare_vertices);
    for (int i = 0; i < count; i++) work->place[work->vertex[i].order] = i;
    const unsigned parts =
        (part->uv ? MESH_UV : 0u) | (part->normal ? MESH_NORMAL : 0u) | (o->colour ? MESH_COLOUR : 0u);
    mesh_item *item = reader_add_mesh(o->r, count, part->triangles, parts);
    if (!item) return false;
    reader_name(item->mesh.name, o->r->bytes + part->name.start, part->name.end - part->name.start);
    fill_mesh(o, part, work, faces, &item->mesh);
    return true;
}

// Sorts faces by part, then makes a mesh of each.
static bool make_meshes(obj *o) {
    mesh_reader *r = o->r;
    int largest = 0;
    for (int p = 0; p < o->part_count; p++)
        if (o->part[p].corners > largest) largest = o->part[p].corners;
    const size_t slots = power_above((size_t)largest * 2), parts = (size_t)o->part_count, capacity = (size_t)largest;
    obj_work work = {0};
    int *sorted = reader_alloc(r, o->have_faces, sizeof *sorted), *first = reader_alloc(r, parts, sizeof *first);
    bool good = sorted && first && (work.slot = reader_alloc(r, slots, sizeof *work.slot)) &&
                (work.of_corner = reader_alloc(r, capacity, sizeof *work.of_corner)) &&
                (work.place = reader_alloc(r, capacity, sizeof *work.place)) &&
                (work.vertex = reader_alloc(r, capacity, sizeof *work.vertex));
    if (good) {
        for (int p = 1; p < o->part_count; p++) first[p] = first[p - 1] + o->part[p - 1].faces;
        for (size_t f = 0; f < o->have_faces; f++) sorted[first[o->face[f].part]++] = (int)f;
    }
    for (int p = 0; p < o->part_count && good; p++)
        good = make_mesh(o, &o->part[p], &work, sorted + first[p] - o->part[p].faces);
    reader_free(r, sorted, o->have_faces, sizeof *sorted);
    reader_free(r, first, parts, sizeof *first);
    reader_free(r, work.slot, slots, sizeof *work.slot);
    reader_free(r, work.of_corner, capacity, sizeof *work.of_corner);
    reader_free(r, work.place, capacity, sizeof *work.place);
    reader_free(r, work.vertex, capacity, sizeof *work.vertex);
    return good;
}

static bool read_all(obj *o) {
    mesh_reader *r = o->r;
    text_word word;
    const size_t parts = (o->names < o->faces ? o->names : o->faces) + 1;
    o->slots = power_above(parts * 2);
    if (!(o->position = reader_alloc(r, o->positions, sizeof *o->position)) ||
        !(o->uv = reader_alloc(r, o->uvs, sizeof *o->uv)) ||
        !(o->normal = reader_alloc(r, o->normals, sizeof *o->normal)) ||
        !(o->corner = reader_alloc(r, o->corners, sizeof *o->corner)) ||
        !(o->face = reader_alloc(r, o->faces, sizeof *o->face)) ||
        !(o->part = reader_alloc(r, parts, sizeof *o->part)) || !(o->slot = reader_alloc(r, o->slots, sizeof *o->slot)))
        return false;
    for (; r->at < r->size; text_skip_line(r)) {
        if (text_next(r, &word) && !read_line(o, word)) return false;
    }
    if (o->have_faces == 0) return reader_fail(r, r->size, "the file has no faces (lines \"f a b c\")");
    return make_meshes(o);
}

bool obj_read(mesh_reader *r) {
    obj o = {.r = r, .current = -1};
    r->text = true;
    r->out->words = "OBJ";
    if (r->size > INT_MAX / 2) return reader_fail(r, 0, "larger than 1 GB");
    count_all(&o);
    const bool good = read_all(&o);
    free(o.position), free(o.colour), free(o.uv), free(o.normal);
    free(o.corner), free(o.face), free(o.part), free(o.slot);
    return good;
}
