// The four steps of mesh_repair.h, then the report.
//
// Orientation. Triangles connected over edges with two triangles form a patch; the minority of a patch is flipped to
// agree with the majority. The patch's volume decides whether it faces outward: V = 1/6 sum det(a - c, b - c, d - c)
// over its triangles. For a closed patch V does not depend on c. For an open one c is the mean of its boundary, and V
// is the volume with the holes closed by cones to c. A patch that is almost flat has almost no volume and is left
// alone.
//
// Holes. A sheet has a boundary too, and must not be closed. A flat sheet with a boundary of length P has at most the
// area P^2 / (4 pi) of a disc, so a patch with clearly more area bulges, and its boundary surrounds a hole.
#include "mesh/mesh_repair.h"
#include "base/math/double3.h"
#include "mesh/array.h"
#include "mesh/maths.h"
#include "mesh/mesh_repair_internal.h"
#include "mesh/polygon.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mesh_repair_options mesh_repair_options_default(void) {
    return (mesh_repair_options){.weld = 1e-6, .orient = true, .fill_edges = 8};
}

static void *allocate(int count, size_t size) {
    return calloc((size_t)count + 1, size);
}

static void corners_from(const sn_mesh *mesh, int t, const double c[3], double out[3][3]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) out[k][i] = mesh->position[mesh->triangle[t][k]][i] - c[i];
}

static double triangle_volume(const sn_mesh *mesh, int t, const double c[3]) {
    double p[3][3], n[3];
    corners_from(mesh, t, c, p);
    d3_cross(p[1], p[2], n);
    return d3_dot(p[0], n) / 6;
}

static void flip_triangle(int triangle[3]) {
    const int first = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = first;
}

// --- 1 and 2: weld and drop ------------------------------------------------------------------------------------------

typedef struct {
    int corner[3]; // sorted
    int index;
} sorted_triangle;

static int compare_triangles(const void *one, const void *two) {
    const sorted_triangle *a = one, *b = two;
    for (int k = 0; k < 3; k++)
        if (a->corner[k] != b->corner[k]) return a->corner[k] < b->corner[k] ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Whether a triangle's corners are an even permutation of the sorted ones.
static bool is_even_order(const int triangle[3]) {
    return (triangle[0] < triangle[1]) + (triangle[1] < triangle[2]) + (triangle[2] < triangle[0]) == 2;
}

// Of triangles with the same corners keeps one for each orientation; two that remain are partners.
static void choose_equal(const sorted_triangle *list, int count, const int (*welded)[3], int *partner, char *keep) {
    int found[2] = {-1, -1};
    for (int i = 0; i < count; i++) {
        int *same = &found[is_even_order(welded[list[i].index])];
        if (*same >= 0) continue;
        *same = list[i].index;
        keep[list[i].index] = 1;
    }
    if (found[0] >= 0 && found[1] >= 0) partner[found[0]] = found[1], partner[found[1]] = found[0];
}

// Marks triangles to keep. 'welded' has all triangles with their welded corners. False: out of memory.
static bool choose_triangles(const int (*welded)[3], int triangles, char *keep, mesh_repair_report *report) {
    sorted_triangle *list = allocate(triangles, sizeof *list);
    int *partner = allocate(triangles, sizeof *partner), count = 0;
    bool good = list && partner;
    for (int t = 0; t < triangles && good; t++) {
        int a = welded[t][0], b = welded[t][1], c = welded[t][2], swap;
        partner[t] = -1;
        if (a == b || b == c || c == a) {
            report->degenerate++;
            continue;
        }
        if (a > b) swap = a, a = b, b = swap;
        if (b > c) swap = b, b = c, c = swap;
        if (a > b) swap = a, a = b, b = swap;
        list[count++] = (sorted_triangle){{a, b, c}, t};
    }
    if (good) {
        qsort(list, (size_t)count, sizeof *list, compare_triangles);
        for (int i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && memcmp(list[end].corner, list[i].corner, sizeof list[i].corner) == 0;
                 ++end) {
            }
            choose_equal(list + i, end - i, welded, partner, keep);
        }
        good = choose_back_to_back(welded, triangles, partner, keep);
        report->duplicate = count;
        for (int t = 0; t < triangles; t++) report->duplicate -= keep[t];
    }
    free(list), free(partner);
    return good;
}

static unsigned parts_of(const sn_mesh *mesh) {
    return (mesh->normal ? MESH_NORMAL : 0u) | (mesh->uv ? MESH_UV : 0u) | (mesh->colour ? MESH_COLOUR : 0u) |
           (mesh->joint && mesh->weight ? MESH_SKIN : 0u);
}

static void copy_vertex(const sn_mesh *from, int v, sn_mesh *to, int n) {
    memcpy(to->position[n], from->position[v], sizeof *to->position);
    if (to->uv) memcpy(to->uv[n], from->uv[v], sizeof *to->uv);
    if (to->colour) memcpy(to->colour[n], from->colour[v], sizeof *to->colour);
    if (to->joint) memcpy(to->joint[n], from->joint[v], sizeof *to->joint);
    if (to->weight) memcpy(to->weight[n], from->weight[v], sizeof *to->weight);
}

static void mean_normals(const sn_mesh *from, const int *new_vertex, sn_mesh *to) {
    for (int v = 0; v < from->vertex_count; v++)
        for (int k = 0; k < 3 && new_vertex[v] >= 0; k++) to->normal[new_vertex[v]][k] += from->normal[v][k];
    for (int n = 0; n < to->vertex_count; n++) {
        double length = 0;
        for (int k = 0; k < 3; k++) length += (double)to->normal[n][k] * to->normal[n][k];
        length = sqrt(length);
        for (int k = 0; k < 3; k++) to->normal[n][k] = length > 0 ? (float)(to->normal[n][k] / length) : k == 1;
    }
}

// 'new_vertex' becomes the new vertex of each old one.
static bool weld_and_drop(const sn_mesh *mesh, double distance, sn_mesh *out, int *new_vertex,
                          mesh_repair_report *report) {
    int *welded_to = allocate(mesh->vertex_count, sizeof *welded_to);
    int(*welded)[3] = allocate(mesh->triangle_count, sizeof *welded);
    char *keep = allocate(mesh->triangle_count, 1);
    bool good = welded_to && welded && keep &&
                weld_vertices((const float(*)[3])mesh->position, mesh->vertex_count, distance, welded_to);
    for (int i = 0; i < 3 * mesh->triangle_count && good; i++)
        welded[i / 3][i % 3] = welded_to[mesh->triangle[i / 3][i % 3]];
    good = good && choose_triangles((const int(*)[3])welded, mesh->triangle_count, keep, report);
    int vertices = 0, triangles = 0;
    if (good) {
        for (int v = 0; v < mesh->vertex_count; v++) new_vertex[v] = -1;
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3 && keep[t]; k++) new_vertex[welded_to[mesh->triangle[t][k]]] = 0;
        for (int v = 0; v < mesh->vertex_count; v++) {
            if (welded_to[v] == v) {
                report->unused += new_vertex[v] < 0;
                if (new_vertex[v] >= 0) new_vertex[v] = vertices++;
            } else {
                report->welded++;
                new_vertex[v] = new_vertex[welded_to[v]];
            }
        }
        for (int t = 0; t < mesh->triangle_count; t++) triangles += keep[t];
    }
    good = good && sn_mesh_alloc(out, vertices, triangles, parts_of(mesh));
    if (good) {
        memcpy(out->name, mesh->name, sizeof out->name);
        for (int v = 0; v < mesh->vertex_count; v++)
            if (welded_to[v] == v && new_vertex[v] >= 0) copy_vertex(mesh, v, out, new_vertex[v]);
        if (out->normal) mean_normals(mesh, new_vertex, out);
        for (int t = 0, n = 0; t < mesh->triangle_count; t++)
            if (keep[t]) {
                for (int k = 0; k < 3; k++) out->triangle[n][k] = new_vertex[mesh->triangle[t][k]];
                n++;
            }
    }
    free(welded_to), free(welded), free(keep);
    return good;
}

// --- 3: orient -------------------------------------------------------------------------------------------------------

typedef struct {
    int first, triangles, flipped; // first: start of its triangles in 'order'
    int boundary;                  // half-edges without a twin
    double centre[3];              // mean of its boundary; of a closed patch the low corner of its box
    double volume, area;
    float low[3], high[3];
} patch;

// Flood fill over edges with two triangles. flip[t]: it must be flipped to agree with the first triangle of its patch.
// 'order' becomes the list of all triangles, patch after patch. Returns the number of patches.
static int find_patches(const sn_mesh *mesh, const int *twin, int *patch_of, char *flip, int *order) {
    int patches = 0, count = 0, visited = 0;
    for (int t = 0; t < mesh->triangle_count; t++) patch_of[t] = -1;
    for (int first = 0; first < mesh->triangle_count; first++) {
        if (patch_of[first] >= 0) continue;
        order[count++] = first;
        patch_of[first] = patches;
        for (; visited < count; visited++)
            for (int h = 3 * order[visited]; h < 3 * order[visited] + 3; h++) {
                const int other = twin[h] < 0 ? -1 : twin[h] / 3;
                if (other < 0 || patch_of[other] >= 0) continue;
                const bool agree = mesh_edge_start(mesh, h) == mesh_edge_end(mesh, twin[h]);
                patch_of[other] = patches;
                flip[other] = agree ? flip[order[visited]] : !flip[order[visited]];
                order[count++] = other;
            }
        patches++;
    }
    return patches;
}

static void measure_patches(const sn_mesh *mesh, const int *twin, const int *patch_of, patch *list, int patches) {
    for (int i = 0; i < patches; i++)
        for (int k = 0; k < 3; k++) list[i].low[k] = INFINITY, list[i].high[k] = -INFINITY;
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        patch *p = &list[patch_of[h / 3]];
        const float *at = mesh->position[mesh_edge_start(mesh, h)];
        for (int k = 0; k < 3; k++) {
            p->low[k] = fminf(p->low[k], at[k]);
            p->high[k] = fmaxf(p->high[k], at[k]);
            if (twin[h] < 0) p->centre[k] += at[k];
        }
        p->boundary += twin[h] < 0;
    }
    for (int i = 0; i < patches; i++)
        for (int k = 0; k < 3; k++)
            list[i].centre[k] = list[i].boundary ? list[i].centre[k] / list[i].boundary : (double)list[i].low[k];
    for (int t = 0; t < mesh->triangle_count; t++) {
        patch *p = &list[patch_of[t]];
        p->triangles++;
        p->volume += triangle_volume(mesh, t, p->centre);
        p->area += sn_mesh_triangle_area(mesh, t);
    }
}

// The winding number of a closed patch: the solid angle of its triangles over 4 pi (Van Oosterom and Strackee).
static double winding(const sn_mesh *mesh, const int *order, const patch *outer, const double point[3]) {
    double sum = 0;
    for (int i = outer->first; i < outer->first + outer->triangles; i++) {
        double p[3][3], n[3], length[3];
        corners_from(mesh, order[i], point, p);
        for (int k = 0; k < 3; k++) length[k] = sqrt(d3_dot(p[k], p[k]));
        d3_cross(p[1], p[2], n);
        sum += 2 * own_atan2(d3_dot(p[0], n), length[0] * length[1] * length[2] + d3_dot(p[0], p[1]) * length[2] +
                                                  d3_dot(p[1], p[2]) * length[0] + d3_dot(p[2], p[0]) * length[1]);
    }
    return sum / (4 * 3.14159265358979323846);
}

// Limit on the triangles tested for cavities: in a cloud of thousands of pieces they do not matter.
#define MAX_CAVITY_WORK 3e7

// Whether a patch lies inside of an odd number of larger closed patches.
static bool is_inside(const sn_mesh *mesh, const int *order, const patch *list, int patches, const patch *inner,
                      double *work) {
    const float *corner = mesh->position[mesh->triangle[order[inner->first]][0]];
    const double point[3] = {corner[0], corner[1], corner[2]};
    bool inside = false;
    *work += patches;
    for (int i = 0; i < patches && *work < MAX_CAVITY_WORK; i++) {
        const patch *outer = &list[i];
        bool around = outer != inner && outer->boundary == 0 && fabs(outer->volume) > fabs(inner->volume);
        for (int k = 0; k < 3; k++)
            around = around && outer->low[k] <= inner->low[k] && outer->high[k] >= inner->high[k];
        if (!around) continue;
        *work += outer->triangles;
        if (fabs(winding(mesh, order, outer, point)) > 0.5) inside = !inside;
    }
    return inside && *work < MAX_CAVITY_WORK;
}

static void face_outward(sn_mesh *mesh, const int *twin, const int *patch_of, const int *order, char *flip, patch *list,
                         int patches, mesh_repair_report *report) {
    for (int t = 0; t < mesh->triangle_count; t++) ++list[patch_of[t]].triangles, list[patch_of[t]].flipped += flip[t];
    for (int t = 0; t < mesh->triangle_count; t++) { // keep the majority of each patch
        const patch *p = &list[patch_of[t]];
        if (2 * p->flipped > p->triangles) flip[t] = !flip[t];
        if (flip[t]) flip_triangle(mesh->triangle[t]);
    }
    memset(list, 0, (size_t)patches * sizeof *list);
    measure_patches(mesh, twin, patch_of, list, patches);
    for (int i = 1; i < patches; i++) list[i].first = list[i - 1].first + list[i - 1].triangles;
    double work = 0;
    for (int i = 0; i < patches; i++) {
        patch *p = &list[i];
        const bool inside_out = p->volume < -1e-3 * own_pow(p->area, 1.5) || (p->boundary == 0 && p->volume < 0);
        if (!inside_out) continue;
        if (p->boundary == 0 && work < MAX_CAVITY_WORK && is_inside(mesh, order, list, patches, p, &work))
            report->cavities++;
        else
            p->flipped = 1;
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (list[patch_of[t]].flipped) {
            flip_triangle(mesh->triangle[t]);
            flip[t] = !flip[t];
        }
        report->flipped += flip[t];
    }
}

static bool orient(sn_mesh *mesh, mesh_repair_report *report) {
    int non_manifold, *twin = find_half_edge_twins(mesh, &non_manifold);
    int *patch_of = allocate(mesh->triangle_count, sizeof *patch_of);
    int *order = allocate(mesh->triangle_count, sizeof *order);
    char *flip = allocate(mesh->triangle_count, 1);
    patch *list = NULL;
    bool good = twin && patch_of && order && flip;
    if (good) {
        const int patches = find_patches(mesh, twin, patch_of, flip, order);
        good = (list = allocate(patches, sizeof *list)) != NULL;
        if (good) face_outward(mesh, twin, patch_of, order, flip, list, patches, report);
    }
    free(twin), free(patch_of), free(order), free(flip), free(list);
    return good;
}

// --- 4: holes --------------------------------------------------------------------------------------------------------

static double half_edge_length(const sn_mesh *mesh, int h) {
    const float *a = mesh->position[mesh_edge_start(mesh, h)], *b = mesh->position[mesh_edge_end(mesh, h)];
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
    return sqrt(sum);
}

static double loop_length(const sn_mesh *mesh, const boundary_loops *boundary, int loop) {
    double sum = 0;
    for (int i = boundary->start[loop]; i < boundary->start[loop + 1]; i++)
        sum += half_edge_length(mesh, boundary->edge[i]);
    return sum;
}

// Whether a loop is closed, has few edges, and surrounds a hole of its patch.
static bool is_plain_hole(const sn_mesh *mesh, const boundary_loops *boundary, int loop, int max_edges,
                          double patch_area) {
    const int first = boundary->start[loop], count = boundary->start[loop + 1] - first;
    if (count < 3 || count > max_edges || count > POLYGON_MAX) return false;
    if (mesh_edge_end(mesh, boundary->edge[first + count - 1]) != mesh_edge_start(mesh, boundary->edge[first]))
        return false;
    const double length = loop_length(mesh, boundary, loop);
    return length * length < 0.9 * 4 * 3.14159265358979323846 * patch_area;
}

// Fills a loop with triangles. There must be space for them. False: out of memory.
static bool fill_loop(sn_mesh *mesh, const boundary_loops *boundary, int loop) {
    const int first = boundary->start[loop], count = boundary->start[loop + 1] - first;
    float corner[POLYGON_MAX][3];
    int vertex[POLYGON_MAX];
    bool good = true;
    for (int i = 0; i < count; i++) {
        vertex[i] = mesh_edge_end(mesh, boundary->edge[first + count - 1 - i]);
        memcpy(corner[i], mesh->position[vertex[i]], sizeof *corner);
    }
    int(*out)[3] = mesh->triangle + mesh->triangle_count;
    if (count <= POLYGON_MAX_EARS)
        polygon_triangulate((const float(*)[3])corner, count, out);
    else
        good = polygon_fill((const float(*)[3])corner, count, out);
    for (int t = 0; t < count - 2 && good; t++)
        for (int k = 0; k < 3; k++) out[t][k] = vertex[out[t][k]];
    if (good) mesh->triangle_count += count - 2;
    return good;
}

static bool fill_holes(sn_mesh *mesh, int max_edges, mesh_repair_report *report) {
    int non_manifold, *twin = find_half_edge_twins(mesh, &non_manifold);
    int *patch_of = allocate(mesh->triangle_count, sizeof *patch_of);
    int *order = allocate(mesh->triangle_count, sizeof *order);
    char *plain = NULL; // loops to fill
    char *flip = allocate(mesh->triangle_count, 1);
    double *area = allocate(mesh->triangle_count, sizeof *area);
    boundary_loops boundary = {0};
    bool good = twin && patch_of && order && flip && area && boundary_loops_find(mesh, twin, &boundary) &&
                (plain = allocate(boundary.loops, 1)) != NULL;
    if (good) {
        const int before = mesh->triangle_count;
        int more = 0;
        find_patches(mesh, twin, patch_of, flip, order);
        for (int t = 0; t < before; t++) area[patch_of[t]] += sn_mesh_triangle_area(mesh, t);
        for (int i = 0; i < boundary.loops; i++) {
            const double around = area[patch_of[boundary.edge[boundary.start[i]] / 3]];
            plain[i] = is_plain_hole(mesh, &boundary, i, max_edges, around);
            if (plain[i]) more += boundary.start[i + 1] - boundary.start[i];
        }
        good = array_resize(&mesh->triangle, (size_t)mesh->triangle_count + (size_t)more + 1, sizeof *mesh->triangle);
        for (int i = 0; i < boundary.loops && good; i++) {
            if (!plain[i]) continue;
            good = fill_loop(mesh, &boundary, i);
            report->filled += good;
        }
    }
    free(twin), free(patch_of), free(order), free(plain), free(flip), free(area);
    boundary_loops_free(&boundary);
    return good;
}

// --- report ----------------------------------------------------------------------------------------------------------

// Pieces are connected over vertices, fans over edges; a vertex with two fans is non-manifold.
static void count_pieces(const sn_mesh *mesh, const int *twin, int *set, int *seen, mesh_repair_report *report) {
    for (int v = 0; v < mesh->vertex_count; v++) set[v] = v;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 1; k < 3; k++) sn_union(set, mesh->triangle[t][0], mesh->triangle[t][k]);
    for (int v = 0; v < mesh->vertex_count; v++) report->components += sn_find_root(set, v) == v;
    for (int h = 0; h < 3 * mesh->triangle_count; h++) set[h] = h;
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        if (twin[h] < 0 || twin[h] < h) continue;
        const int other = twin[h], agree = mesh_edge_start(mesh, h) == mesh_edge_end(mesh, other);
        sn_union(set, h, agree ? half_edge_next(other) : other);
        sn_union(set, half_edge_next(h), agree ? other : half_edge_next(other));
    }
    for (int v = 0; v < mesh->vertex_count; v++) seen[v] = 0;
    for (int h = 0; h < 3 * mesh->triangle_count; h++)
        if (sn_find_root(set, h) == h) report->non_manifold_vertices += ++seen[mesh_edge_start(mesh, h)] == 2;
}

static bool measure(const sn_mesh *mesh, mesh_repair_report *report) {
    int *twin = find_half_edge_twins(mesh, &report->non_manifold_edges);
    const int corners = 3 * mesh->triangle_count;
    int *set = allocate(corners > mesh->vertex_count ? corners : mesh->vertex_count, sizeof *set);
    int *seen = allocate(mesh->vertex_count, sizeof *seen);
    boundary_loops boundary = {0};
    const bool good = twin && set && seen && boundary_loops_find(mesh, twin, &boundary);
    if (good) {
        report->vertices = mesh->vertex_count;
        report->triangles = mesh->triangle_count;
        sn_mesh_box(mesh, report->low, report->high);
        const double size = sn_mesh_diagonal(mesh);
        for (int t = 0; t < mesh->triangle_count; t++) {
            const double area = sn_mesh_triangle_area(mesh, t);
            report->area += area;
            report->zero_area_triangles += area <= 1e-14 * size * size;
        }
        report->holes = boundary.loops;
        for (int i = 0; i < boundary.loops; i++) {
            const double length = loop_length(mesh, &boundary, i);
            const int edges = boundary.start[i + 1] - boundary.start[i];
            if (edges > report->hole_edges) report->hole_edges = edges;
            report->boundary_length += length;
            report->longest_hole = fmax(report->longest_hole, length);
        }
        for (int h = 0; h < corners; h++)
            report->inconsistent_edges += twin[h] > h && mesh_edge_start(mesh, h) == mesh_edge_start(mesh, twin[h]);
        count_pieces(mesh, twin, set, seen, report);
        report->closed = mesh->triangle_count > 0 && boundary.loops == 0 && report->non_manifold_edges == 0 &&
                         report->inconsistent_edges == 0;
        report->volume = report->closed ? sn_mesh_volume(mesh) : 0;
    }
    free(twin), free(set), free(seen);
    boundary_loops_free(&boundary);
    return good;
}

bool mesh_repair(const sn_mesh *mesh, const mesh_repair_options *options, sn_mesh *out, int **vertex_of,
                 mesh_repair_report *report) {
    int *new_vertex = allocate(mesh->vertex_count, sizeof *new_vertex);
    *report = (mesh_repair_report){0};
    *out = (sn_mesh){0};
    bool good = new_vertex && weld_and_drop(mesh, options->weld * sn_mesh_diagonal(mesh), out, new_vertex, report) &&
                (!options->orient || orient(out, report)) &&
                (options->fill_edges < 3 || fill_holes(out, options->fill_edges, report)) && measure(out, report) &&
                (!out->normal || report->flipped == 0 || sn_mesh_make_normals(out));
    if (!good) sn_mesh_free(out);
    if (good && vertex_of)
        *vertex_of = new_vertex;
    else
        free(new_vertex);
    return good;
}

bool mesh_is_solid(const mesh_repair_report *report, tool_error *error) {
    const int edges = report->non_manifold_edges;
    if (report->closed && report->volume > 0) return true;
    if (report->triangles == 0) return tool_error_set(error, "the mesh has no triangles");
    if (edges)
        return tool_error_set(error,
                              "%d edge%s by more than two triangles: walls inside the body, or pieces glued "
                              "together; separate them",
                              edges, edges == 1 ? " is shared" : "s are shared");
    if (report->inconsistent_edges)
        return tool_error_set(error, "the surface has only one side (like a Moebius strip), so it has no inside");
    if (report->holes)
        return tool_error_set(
            error, "the surface has %d hole%s, the longest %.4g around, so it has no inside; close %s", report->holes,
            report->holes == 1 ? "" : "s", report->longest_hole, report->holes == 1 ? "it" : "them");
    return tool_error_set(error, "the surface encloses no volume");
}

// People, animals and their muscles are a few centimetres to a few metres long.
mesh_unit mesh_unit_guess(double longest, bool usually_millimetres) {
    if (usually_millimetres && longest >= 10) return (mesh_unit){"millimetres", 0.001};
    if (longest < 5) return (mesh_unit){"metres", 1};
    if (longest < 40) return (mesh_unit){"decimetres", 0.1};
    if (longest < 400) return (mesh_unit){"centimetres", 0.01};
    return (mesh_unit){"millimetres", 0.001};
}
