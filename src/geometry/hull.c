// The hull grows point by point from a tetrahedron, always by the point that is farthest outside. Faces that the point sees are
// replaced by a fan from it to their border:
//
//          p                        A face is seen if p is above it by more than rounding; the border is of the edges that only
//         /|\                       one of two neighbours sees. Those that a face sees are found by walking from the face that p is
//        / | \                      farthest above, so the fan is one piece.
//       a--b--c
//
// With all points taken the hull is exact; it ends at SN_HULL_VERTICES, inside of the exact one.
#include "geometry/hull.h"
#include "base/math/double3.h"
#include <math.h>

#define FLAT     1e-5 // of the size: points within this of one plane have no hull
#define ROUNDING 1e-6 // of the size: points that are less far outside count as inside

typedef struct {
    int v[3];
    double normal[3], at; // above: normal . x > at
} face;

typedef struct {
    const sn_vec3 *points;
    int count;
    double origin[3], size;
    face faces[SN_HULL_FACES];
    int face_count;
} builder;

static void point_at(const builder *b, int i, double out[3]) {
    out[0] = (double)b->points[i].x - b->origin[0];
    out[1] = (double)b->points[i].y - b->origin[1];
    out[2] = (double)b->points[i].z - b->origin[2];
}

static face make_face(const builder *b, int i, int j, int k) {
    face f = {.v = {i, j, k}};
    double p[3], q[3], r[3], u[3], v[3];
    point_at(b, i, p), point_at(b, j, q), point_at(b, k, r);
    d3_sub(q, p, u), d3_sub(r, p, v);
    d3_cross(u, v, f.normal);
    const double length = sqrt(d3_dot(f.normal, f.normal));
    for (int x = 0; x < 3; x++) f.normal[x] /= length > 0 ? length : 1;
    f.at = d3_dot(f.normal, p);
    return f;
}

static double above(const builder *b, const face *f, int point) {
    double p[3];
    point_at(b, point, p);
    return d3_dot(f->normal, p) - f->at;
}

// ---- the first tetrahedron

typedef double distance_fn(const builder *b, const int *corner, int point);

static double from_point(const builder *b, const int *corner, int point) {
    double p[3], q[3], d[3];
    point_at(b, corner[0], p), point_at(b, point, q), d3_sub(q, p, d);
    return sqrt(d3_dot(d, d));
}
static double from_line(const builder *b, const int *corner, int point) {
    double p[3], q[3], r[3], u[3], v[3], n[3];
    point_at(b, corner[0], p), point_at(b, corner[1], q), point_at(b, point, r);
    d3_sub(q, p, u), d3_sub(r, p, v), d3_cross(u, v, n);
    return sqrt(d3_dot(n, n) / d3_dot(u, u));
}
static double from_plane(const builder *b, const int *corner, int point) {
    const face f = make_face(b, corner[0], corner[1], corner[2]);
    return fabs(above(b, &f, point));
}

static bool start(builder *b) {
    static distance_fn *const distance[3] = {from_point, from_line, from_plane};
    int corner[4] = {0};
    for (int k = 0; k < 3; k++) {
        double max = -1;
        for (int i = 0; i < b->count; i++) {
            const double d = distance[k](b, corner, i);
            if (d > max) max = d, corner[k + 1] = i;
        }
        if (k == 0) b->size = max;
        if (!(max > FLAT * b->size)) return false;
    }
    const face base = make_face(b, corner[0], corner[1], corner[2]);
    if (above(b, &base, corner[3]) > 0) {
        const int swap = corner[1];
        corner[1] = corner[2], corner[2] = swap;
    }
    static const int side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int k = 0; k < 4; k++)
        b->faces[b->face_count++] = make_face(b, corner[side[k][0]], corner[side[k][1]], corner[side[k][2]]);
    return true;
}

// ---- growing

// The face with an edge from i to j; -1: none.
static int face_of_edge(const builder *b, int i, int j) {
    for (int f = 0; f < b->face_count; f++)
        for (int k = 0; k < 3; k++)
            if (b->faces[f].v[k] == i && b->faces[f].v[(k + 1) % 3] == j) return f;
    return -1;
}

// The point that is farthest above a face; false: none.
static bool farthest(const builder *b, int *point, int *seen) {
    double max = ROUNDING * b->size;
    *point = -1;
    for (int i = 0; i < b->count; i++)
        for (int f = 0; f < b->face_count; f++) {
            const double d = above(b, &b->faces[f], i);
            if (d > max) max = d, *point = i, *seen = f;
        }
    return *point >= 0;
}

// False: the point does not see one piece with a simple border.
static bool add_point(builder *b, int point, int first) {
    bool seen[SN_HULL_FACES] = {false};
    int queue[SN_HULL_FACES], count = 1, border[SN_HULL_FACES][2], edges = 0;
    queue[0] = first, seen[first] = true;
    for (int n = 0; n < count; n++)
        for (int k = 0; k < 3; k++) {
            const int *v = b->faces[queue[n]].v, next = face_of_edge(b, v[(k + 1) % 3], v[k]);
            if (next < 0) return false;
            if (seen[next] || !(above(b, &b->faces[next], point) > 0)) continue;
            seen[next] = true, queue[count++] = next;
        }
    for (int n = 0; n < count; n++)
        for (int k = 0; k < 3; k++) {
            const int *v = b->faces[queue[n]].v, from = v[k], to = v[(k + 1) % 3];
            if (seen[face_of_edge(b, to, from)]) continue;
            if (edges == SN_HULL_FACES) return false;
            border[edges][0] = from, border[edges++][1] = to;
        }
    if (b->face_count - count + edges > SN_HULL_FACES) return false;
    int kept = 0;
    for (int f = 0; f < b->face_count; f++)
        if (!seen[f]) b->faces[kept++] = b->faces[f];
    for (int e = 0; e < edges; e++) b->faces[kept++] = make_face(b, border[e][0], border[e][1], point);
    b->face_count = kept;
    return true;
}

// ---- results

static bool reserve(sn_memory *memory, int vertices, int faces, sn_hull *out) {
    *out = (sn_hull){.vertex_count = vertices, .face_count = faces};
    out->vertices = sn_alloc(memory, (size_t)vertices, sizeof *out->vertices);
    out->faces = sn_alloc(memory, (size_t)faces, sizeof *out->faces);
    if (out->vertices && out->faces) return true;
    sn_hull_free(memory, out);
    return false;
}

void sn_hull_free(sn_memory *memory, sn_hull *hull) {
    sn_free(memory, hull->vertices, (size_t)hull->vertex_count, sizeof *hull->vertices);
    sn_free(memory, hull->faces, (size_t)hull->face_count, sizeof *hull->faces);
    *hull = (sn_hull){0};
}

sn_status sn_hull_copy(sn_memory *memory, const sn_hull *from, sn_hull *out) {
    if (!reserve(memory, from->vertex_count, from->face_count, out)) return SN_ERR_MEMORY;
    for (int i = 0; i < from->vertex_count; i++) out->vertices[i] = from->vertices[i];
    for (int i = 0; i < 3 * from->face_count; i++) out->faces[i / 3][i % 3] = from->faces[i / 3][i % 3];
    return SN_OK;
}

static sn_status write(sn_memory *memory, const builder *b, sn_hull *out) {
    int used[SN_HULL_FACES * 3], count = 0;
    int32_t number[SN_HULL_FACES][3];
    for (int f = 0; f < b->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int at = 0;
            while (at < count && used[at] != b->faces[f].v[k]) at++;
            if (at == count) used[count++] = b->faces[f].v[k];
            number[f][k] = at;
        }
    sn_vec3 vertices[SN_HULL_FACES * 3];
    for (int i = 0; i < count; i++) vertices[i] = b->points[used[i]];
    const sn_hull hull = {vertices, number, count, b->face_count};
    return sn_hull_is_convex(&hull) ? sn_hull_copy(memory, &hull, out) : SN_ERR_RANGE;
}

sn_status sn_hull_build(sn_memory *memory, const sn_vec3 *points, int count, sn_hull *out) {
    *out = (sn_hull){0};
    for (int i = 0; i < count; i++)
        if (!sn_finite3(points[i])) return SN_ERR_RANGE;
    if (count < 4) return SN_ERR_RANGE;
    builder b = {
        .points = points, .count = count, .origin = {(double)points[0].x, (double)points[0].y, (double)points[0].z}};
    if (!start(&b)) return SN_ERR_RANGE;
    int point, seen;
    for (int vertices = 4; vertices < SN_HULL_VERTICES && farthest(&b, &point, &seen); vertices++)
        if (!add_point(&b, point, seen)) break;
    return write(memory, &b, out);
}

bool sn_hull_is_convex(const sn_hull *hull) {
    if (hull->vertex_count < 4 || hull->vertex_count > SN_HULL_VERTICES || hull->face_count > SN_HULL_FACES ||
        hull->face_count != 2 * hull->vertex_count - 4)
        return false;
    for (int i = 0; i < hull->vertex_count; i++)
        if (!sn_finite3(hull->vertices[i])) return false;
    builder b = {.points = hull->vertices, .count = hull->vertex_count};
    b.origin[0] = (double)hull->vertices[0].x, b.origin[1] = (double)hull->vertices[0].y;
    b.origin[2] = (double)hull->vertices[0].z;
    for (int f = 0; f < hull->face_count; f++) {
        for (int k = 0; k < 3; k++)
            if (hull->faces[f][k] < 0 || hull->faces[f][k] >= hull->vertex_count) return false;
        b.faces[b.face_count++] = make_face(&b, hull->faces[f][0], hull->faces[f][1], hull->faces[f][2]);
    }
    const int corner = 0;
    for (int i = 0; i < b.count; i++) b.size = fmax(b.size, from_point(&b, &corner, i));
    for (int f = 0; f < b.face_count; f++) {
        if (!(d3_dot(b.faces[f].normal, b.faces[f].normal) > 0.5)) return false;
        for (int k = 0; k < 3; k++)
            if (face_of_edge(&b, b.faces[f].v[(k + 1) % 3], b.faces[f].v[k]) < 0) return false;
        for (int i = 0; i < b.count; i++)
            if (above(&b, &b.faces[f], i) > 10 * FLAT * b.size) return false;
    }
    return true;
}
