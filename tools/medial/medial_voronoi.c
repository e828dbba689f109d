// The raw medial axis from a Delaunay tetrahedralisation. The circumsphere of a Delaunay tetrahedron of points on a
// surface touches the surface in four points and contains no other; if its centre is inside of the solid, it is close
// to a maximal inscribed sphere. So
//
//     sphere    of each tetrahedron whose centre is inside
//     cone      of each pair of neighbours, both inside                  (a Voronoi edge)
//     slabs     of each edge with all its tetrahedra inside              (a Voronoi polygon, as a fan)
//
// form the medial axis of the solid, with many spikes towards the surface, which the simplification removes first.
// Neighbours with the same sphere (common for points on a grid) are merged.
//
// In thin parts centres fall outside and break the axis. Pieces of one body are connected again: a piece whose spheres
// all lie within the primitives of others (a crumb) is dropped; the others get a cone to the nearest sphere that
// is reached inside the solid.
#include "medial/medial_voronoi.h"
#include "base/union_find.h"
#include "mesh/array.h"
#include "mesh/clock.h"
#include "mesh/maths.h"
#include "tets/delaunay.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double same_sphere = 1e-6; // times the diagonal
static const double crumb_depth = 2e-3; // how far a crumb may stick out

typedef struct {
    const medial_voronoi_input *in;
    const sn_mesh *surface;
    double (*point)[3];
    sn_delaunay delaunay;
    double (*centre)[4]; // and radius, of each tetrahedron
    int *sphere;         // of each tetrahedron; -1: outside
    int *body;           // of each sphere: pieces of the surface that bound one solid
    sn_medial_mesh axis;
    int cone_capacity, slab_capacity;
} voronoi;

// ---- spheres

// The circumsphere of four points. False: they are nearly coplanar, or it is too large.
static bool circumsphere(const double *a, const double *b, const double *c, const double *d, double out[4]) {
    double u[3], v[3], w[3], vw[3], wu[3], uv[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        vw[k] = v[i] * w[j] - v[j] * w[i];
        wu[k] = w[i] * u[j] - w[j] * u[i];
        uv[k] = u[i] * v[j] - u[j] * v[i];
    }
    const double det = 2 * (u[0] * vw[0] + u[1] * vw[1] + u[2] * vw[2]);
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (!(fabs(det) > 1e-13 * sqrt(uu * vv * ww))) return false;
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        const double x = (uu * vw[k] + vv * wu[k] + ww * uv[k]) / det;
        out[k] = a[k] + x;
        r2 += x * x;
    }
    out[3] = sqrt(r2);
    return out[3] < 1;
}

static bool is_inside(const medial_voronoi_input *in, const double p[3]) {
    if (!in->closed) return sn_winding_evaluate(in->winding, p) > 0.5;
    const double direction[3] = {0.2871, 0.9274, 0.2398};
    const sn_ray_crossings c = sn_mesh_query_count_crossings(in->closed, p, direction);
    return c.leaving > c.entering;
}

static void find_spheres(voronoi *v) {
    float low[3], high[3];
    sn_mesh_box(v->surface, low, high);
    for (int t = 0; t < v->delaunay.tet_count; t++) {
        const int *c = v->delaunay.tet[t];
        double *s = v->centre[t];
        bool inside = circumsphere(v->point[c[0]], v->point[c[1]], v->point[c[2]], v->point[c[3]], s);
        for (int k = 0; k < 3 && inside; k++) inside = s[k] > (double)low[k] && s[k] < (double)high[k];
        v->sphere[t] = inside && is_inside(v->in, s) ? 0 : -1;
    }
}

// Gives the spheres indices; neighbours with the same sphere share one.
static bool index_spheres(voronoi *v) {
    const int n = v->delaunay.tet_count;
    int *parent = malloc(((size_t)n + 1) * sizeof *parent), count = 0;
    if (!parent) return false;
    for (int t = 0; t < n; t++) parent[t] = t;
    for (int t = 0; t < n; t++) {
        for (int k = 0; k < 4; k++) {
            const int other = v->delaunay.neighbour[t][k];
            if (other < t || v->sphere[t] < 0 || v->sphere[other] < 0) continue;
            double d2 = 0;
            for (int i = 0; i < 4; i++) d2 += own_pow(v->centre[t][i] - v->centre[other][i], 2);
            if (d2 < same_sphere * same_sphere) sn_union(parent, t, other);
        }
    }
    for (int t = 0; t < n; t++) // roots come first
        if (v->sphere[t] >= 0) v->sphere[t] = parent[t] == t ? count++ : v->sphere[sn_find_root(parent, t)];
    free(parent);
    if (!sn_medial_mesh_alloc(&v->axis, count, 0, 0)) return false;
    for (int t = n - 1; t >= 0; --t) {
        if (v->sphere[t] < 0) continue;
        memcpy(v->axis.centre[v->sphere[t]], v->centre[t], sizeof *v->axis.centre);
        v->axis.radius[v->sphere[t]] = v->centre[t][3];
    }
    return true;
}

// ---- cones and slabs

static bool add_cone(voronoi *v, int a, int b) {
    if (!ARRAY_RESERVE(v->axis.cone, v->cone_capacity, v->axis.cone_count + 1)) return false;
    int *cone = v->axis.cone[v->axis.cone_count++];
    cone[0] = a < b ? a : b, cone[1] = a < b ? b : a;
    return true;
}

static bool add_slab(voronoi *v, int a, int b, int c) {
    if (!ARRAY_RESERVE(v->axis.slab, v->slab_capacity, v->axis.slab_count + 1)) return false;
    int *slab = v->axis.slab[v->axis.slab_count++];
    slab[0] = a, slab[1] = b, slab[2] = c;
    return true;
}

enum { MAX_POLYGON = 4096 };

// The Voronoi polygon around the edge between corners i and j of a tetrahedron: its distinct spheres. 0: part of it is
// outside, or another tetrahedron of the ring reports it.
static int polygon_around(const voronoi *v, int first, int i, int j, int *polygon) {
    const sn_delaunay *d = &v->delaunay;
    const int a = d->tet[first][i], b = d->tet[first][j];
    int count = 0, now = first, into = -1; // into: the corner opposite to the next face
    for (int k = 0; k < 4; k++)
        if (k != i && k != j) into = k;
    int leave = d->tet[first][into];
    for (;;) {
        if (v->sphere[now] < 0 || now < first || count == MAX_POLYGON) return 0;
        if (count == 0 || polygon[count - 1] != v->sphere[now]) polygon[count++] = v->sphere[now];
        int across = -1, stay = -1; // go through the face opposite to 'leave'
        for (int k = 0; k < 4; k++) {
            const int corner = d->tet[now][k];
            if (corner == leave) across = k;
            if (corner != leave && corner != a && corner != b) stay = corner;
        }
        const int next = d->neighbour[now][across];
        if (next < 0) return 0;
        if (next == first) break;
        leave = stay; // in the next tetrahedron: the shared corner beside the edge
        now = next;
    }
    while (count > 1 && polygon[count - 1] == polygon[0]) --count;
    return count >= 3 ? count : 0;
}

static bool build_cells(voronoi *v) {
    const sn_delaunay *d = &v->delaunay;
    int polygon[MAX_POLYGON];
    for (int t = 0; t < d->tet_count; t++) {
        if (v->sphere[t] < 0) continue;
        for (int k = 0; k < 4; k++) {
            const int other = d->neighbour[t][k];
            if (other < t || v->sphere[other] < 0 || v->sphere[other] == v->sphere[t]) continue;
            if (!add_cone(v, v->sphere[t], v->sphere[other])) return false;
        }
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++) {
                const int count = polygon_around(v, t, i, j, polygon);
                for (int k = 2; k < count; k++) {
                    const int x = polygon[0], y = polygon[k - 1], z = polygon[k];
                    if (x == y || y == z || z == x) continue;
                    if (!add_slab(v, x, y, z) || !add_cone(v, x, y) || !add_cone(v, y, z) || !add_cone(v, z, x))
                        return false;
                }
            }
    }
    sn_medial_mesh_sort_cones(&v->axis);
    return true;
}

// ---- bodies

// The body of each sphere: pieces of the surface belong together if an inner sphere touches both.
static bool find_bodies(voronoi *v) {
    const sn_mesh *s = v->surface;
    int *parent = malloc(((size_t)s->vertex_count + 1) * sizeof *parent);
    v->body = malloc(((size_t)v->axis.sphere_count + 1) * sizeof *v->body);
    if (!parent || !v->body) {
        free(parent);
        return false;
    }
    for (int i = 0; i < s->vertex_count; i++) parent[i] = i;
    for (int i = 0; i < s->vertex_count; i++) sn_union(parent, i, v->delaunay.duplicate_of[i]);
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 1; k < 3; k++) sn_union(parent, s->triangle[t][0], s->triangle[t][k]);
    for (int i = 0; i < s->vertex_count && v->in->piece; i++) sn_union(parent, i, v->in->piece[i]);
    for (int t = 0; t < v->delaunay.tet_count; t++)
        for (int k = 1; k < 4 && v->sphere[t] >= 0; k++) sn_union(parent, v->delaunay.tet[t][0], v->delaunay.tet[t][k]);
    for (int t = 0; t < v->delaunay.tet_count; t++)
        if (v->sphere[t] >= 0) v->body[v->sphere[t]] = sn_find_root(parent, v->delaunay.tet[t][0]);
    free(parent);
    return true;
}

bool medial_segment_is_inside(const sn_winding *winding, const double a[3], const double b[3]) {
    enum { SAMPLES = 9 };
    for (int i = 1; i < SAMPLES; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = a[k] + (b[k] - a[k]) * i / SAMPLES;
        if (sn_winding_evaluate(winding, p) < 0.5) return false;
    }
    return true;
}

typedef struct {
    int part, count; // its spheres
} part_size;

static int compare_parts(const void *a, const void *b) {
    const part_size *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

// A sphere that may be an end of a bridge, and the nearest sphere that is already connected.
typedef struct {
    int sphere, part, to;
    double d2;
} bridge_end;

// Marks a piece as connected: the ends of all other pieces may now reach it.
static void connect_piece(const voronoi *v, const int *component, int part, const char *in, bridge_end *ends,
                          int count) {
    const sn_medial_mesh *m = &v->axis;
    for (int j = 0; j < m->sphere_count; j++) {
        if (component[j] != part) continue;
        for (int i = 0; i < count; i++) {
            if (in[ends[i].part] || v->body[ends[i].sphere] != v->body[j]) continue;
            const double *a = m->centre[ends[i].sphere], *b = m->centre[j];
            const double d2 =
                (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
            if (d2 < ends[i].d2) ends[i].d2 = d2, ends[i].to = j;
        }
    }
}

// Of the ends of a piece the one with the shortest bridge inside the solid, else the shortest. -1: none.
static int best_end(const voronoi *v, const bridge_end *ends, int count, int part) {
    int best = -1, shortest = -1;
    for (int i = 0; i < count; i++) {
        if (ends[i].part != part || ends[i].to < 0) continue;
        if (shortest < 0 || ends[i].d2 < ends[shortest].d2) shortest = i;
        if (best >= 0 && ends[i].d2 >= ends[best].d2) continue;
        const double *a = v->axis.centre[ends[i].sphere], *b = v->axis.centre[ends[i].to];
        if (medial_segment_is_inside(v->in->winding, a, b)) best = i;
    }
    if (best >= 0 && ends[best].d2 > 4 * ends[shortest].d2) best = -1; // a long detour is no bridge
    return best >= 0 ? best : shortest;
}

// Chooses the ends of all pieces: few enough that the search takes about a second at most.
static int make_ends(const voronoi *v, const int *component, const int *members, const char *keep, int parts,
                     bridge_end *ends, int *seen, int each) {
    int count = 0;
    memset(seen, 0, (size_t)parts * sizeof *seen);
    for (int i = 0; i < v->axis.sphere_count; i++) { // evenly among the spheres of each piece
        const int part = component[i], n = members[part], wanted = n < each ? n : each, index = seen[part]++;
        if (!keep[i] || (int64_t)index * wanted / n == (int64_t)(index - 1) * wanted / n) {
            if (!(keep[i] && index == 0)) continue;
        }
        ends[count++] = (bridge_end){i, part, -1, INFINITY};
    }
    return count;
}

// Connects the pieces of each body, always the one nearest to those already connected. 'members': spheres of each
// piece; 'keep': whether a sphere counts; 'size': the pieces that count, the largest first.
static bool build_bridges(voronoi *v, const int *component, const int *members, const char *keep, const part_size *size,
                          int left, int parts, int *bridges) {
    const double affordable = 4e8 / ((double)v->axis.sphere_count * left);
    const int each = affordable < 1 ? 1 : affordable > 32 ? 32 : (int)affordable;
    bridge_end *ends = malloc(((size_t)left * (size_t)each + (size_t)left + 1) * sizeof *ends);
    int *seen = malloc(((size_t)parts + 1) * sizeof *seen);
    char *in = calloc((size_t)parts + 1, 1), *started = calloc((size_t)v->surface->vertex_count + 1, 1);
    bool good = ends && seen && in && started;
    const int count = good ? make_ends(v, component, members, keep, parts, ends, seen, each) : 0;
    // start with the largest piece of each body
    for (int i = 0; i < count; i++) seen[ends[i].part] = v->body[ends[i].sphere];
    for (int p = 0; p < left && good; p++) {
        const int body = seen[size[p].part];
        if (started[body]) continue;
        started[body] = in[size[p].part] = 1;
        connect_piece(v, component, size[p].part, in, ends, count);
    }
    while (good) {
        int next = -1;
        for (int i = 0; i < count; i++)
            if (!in[ends[i].part] && ends[i].to >= 0 && (next < 0 || ends[i].d2 < ends[next].d2)) next = i;
        if (next < 0) break;
        const int part = ends[next].part, chosen = best_end(v, ends, count, part);
        good = add_cone(v, ends[chosen].sphere, ends[chosen].to);
        ++*bridges;
        in[part] = 1;
        connect_piece(v, component, part, in, ends, count);
    }
    free(ends);
    free(seen);
    free(in);
    free(started);
    return good;
}

// Finds the pieces whose spheres are all within the primitives of the largest pieces.
static void find_crumbs(const voronoi *v, const int *component, const part_size *size, int parts,
                        const sn_medial_field *field, char *crumb) {
    for (int i = 0; i < parts; i++) crumb[size[i].part] = size[i].count <= 1000 && i > 0;
    for (int i = 0; i < v->axis.sphere_count; i++) {
        if (!crumb[component[i]]) continue;
        const double *c = v->axis.centre[i], r = v->axis.radius[i];
        if (sn_medial_field_evaluate(field, c, NULL) > crumb_depth - r) crumb[component[i]] = 0;
    }
}

// Removes the spheres that are not kept, with their cones and slabs.
static bool keep_spheres(sn_medial_mesh *mesh, int *body, const char *keep) {
    int *index = malloc(((size_t)mesh->sphere_count + 1) * sizeof *index), count = 0, cones = 0, slabs = 0;
    if (!index) return false;
    for (int i = 0; i < mesh->sphere_count; i++) {
        index[i] = keep[i] ? count : -1;
        if (!keep[i]) continue;
        memmove(mesh->centre[count], mesh->centre[i], sizeof *mesh->centre);
        if (body) body[count] = body[i];
        mesh->radius[count++] = mesh->radius[i];
    }
    for (int e = 0; e < mesh->cone_count; e++) {
        const int a = index[mesh->cone[e][0]], b = index[mesh->cone[e][1]];
        if (a >= 0 && b >= 0) mesh->cone[cones][0] = a, mesh->cone[cones++][1] = b;
    }
    for (int f = 0; f < mesh->slab_count; f++) {
        const int a = index[mesh->slab[f][0]], b = index[mesh->slab[f][1]], c = index[mesh->slab[f][2]];
        if (a >= 0 && b >= 0 && c >= 0) mesh->slab[slabs][0] = a, mesh->slab[slabs][1] = b, mesh->slab[slabs++][2] = c;
    }
    mesh->sphere_count = count, mesh->cone_count = cones, mesh->slab_count = slabs;
    free(index);
    return true;
}

static bool join_pieces(voronoi *v, medial_voronoi_report *report) {
    const int n = v->axis.sphere_count;
    int *component = malloc(((size_t)n + 1) * sizeof *component);
    const int parts = component ? sn_medial_mesh_components(&v->axis, component) : -1;
    report->pieces = parts;
    part_size *size = calloc((size_t)parts + 1, sizeof *size);
    char *in = calloc((size_t)parts + 1, 1), *keep = calloc((size_t)n + 1, 1);
    bool good = parts >= 0 && size && in && keep;
    if (good && parts > 1) {
        for (int p = 0; p < parts; p++) size[p].part = p;
        for (int i = 0; i < n; i++) size[component[i]].count++;
        qsort(size, (size_t)parts, sizeof *size, compare_parts);
        // keep the pieces that are not crumbs of the large ones
        for (int i = 0; i < n; i++) keep[i] = 1;
        sn_medial_mesh large = {0};
        good = sn_medial_mesh_copy(&v->axis, &large);
        const int threshold = size[0].count > 2000 ? 1000 : size[0].count / 2;
        int *count_of = good ? malloc((size_t)parts * sizeof *count_of) : NULL;
        good = good && count_of;
        for (int p = 0; p < parts && good; p++) count_of[size[p].part] = size[p].count;
        for (int i = 0; i < n && good; i++) keep[i] = count_of[component[i]] > threshold;
        good = good && keep_spheres(&large, NULL, keep);
        sn_medial_field *field = good ? sn_medial_field_make(&large) : NULL;
        good = good && field;
        if (good) find_crumbs(v, component, size, parts, field, in); // 'in' holds the crumbs here
        for (int i = 0; i < n && good; i++) keep[i] = !in[component[i]];
        int left = 0;
        for (int p = 0; p < parts && good; p++) {
            report->crumbs += in[size[p].part];
            if (!in[size[p].part]) size[left++] = size[p];
        }
        good = good && build_bridges(v, component, count_of, keep, size, left, parts, &report->bridges);
        good = good && keep_spheres(&v->axis, v->body, keep);
        sn_medial_field_free(field);
        sn_medial_mesh_free(&large);
        free(count_of);
    }
    if (good) sn_medial_mesh_sort_cones(&v->axis);
    free(component);
    free(size);
    free(in);
    free(keep);
    return good;
}

// ---- the axis

static bool make(voronoi *v, medial_voronoi_report *report, tool_error *error) {
    const int n = v->surface->vertex_count;
    if (!(v->point = malloc(((size_t)n + 1) * sizeof *v->point))) return tool_error_out_of_memory(error);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) v->point[i][k] = (double)v->surface->position[i][k];
    double start = tool_clock();
    const delaunay_result result = sn_delaunay_make((const double(*)[3])v->point, n, &v->delaunay);
    report->delaunay = tool_clock() - start;
    report->tets = v->delaunay.tet_count;
    if (result == DELAUNAY_FLAT)
        return tool_error_set(error,
                              "all vertices lie in one plane; a medial mesh needs a surface that encloses something");
    if (result == DELAUNAY_RANGE) return tool_error_set(error, "it has vertices that are not finite");
    if (result != DELAUNAY_OK) return tool_error_out_of_memory(error);
    start = tool_clock();
    v->centre = malloc((size_t)v->delaunay.tet_count * sizeof *v->centre);
    v->sphere = malloc((size_t)v->delaunay.tet_count * sizeof *v->sphere);
    if (!v->centre || !v->sphere) return tool_error_out_of_memory(error);
    find_spheres(v);
    report->inside = tool_clock() - start;
    start = tool_clock();
    if (!index_spheres(v)) return tool_error_out_of_memory(error);
    if (v->axis.sphere_count == 0)
        return tool_error_set(
            error, "nothing is inside of it; close the surface, turn it the right side out, or use --from lattice");
    const bool good = build_cells(v) && find_bodies(v) && join_pieces(v, report);
    report->build = tool_clock() - start;
    return good ? true : tool_error_out_of_memory(error);
}

bool medial_voronoi(const medial_voronoi_input *in, sn_medial_mesh *out, medial_voronoi_report *report,
                    tool_error *error) {
    voronoi v = {.in = in, .surface = in->surface};
    *report = (medial_voronoi_report){0};
    const bool good = make(&v, report, error);
    *out = (sn_medial_mesh){0};
    if (good)
        *out = v.axis;
    else
        sn_medial_mesh_free(&v.axis);
    sn_delaunay_free(&v.delaunay);
    free(v.point);
    free(v.centre);
    free(v.sphere);
    free(v.body);
    return good;
}
