// Slices of a muscle that may be in several parts: where a muscle has heads or several tendons, a level of the field
// cuts each of them, and each is a part.
//
//     source  o---o---o              parts are the connected sets of cut edges of one level; two parts of neighbouring
//                      \o---o  sink  levels are linked if the body connects them between the levels
//     source  o---o---o/
//
// Parts that lead nowhere, as those of a dent, are left out. Rods follow the links from the first slice to the last. How
// many go through a part is decided one rod after the other: each takes the path that lessens the squared differences
// between the rods of each part and its share of the area the most, and parts without any rod come first.
#include "bake/viperize_internal.h"
#include "base/math/double3.h"
#include "base/union_find.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int samples_for(int rods) {
    const int each = rods > 64 ? 24 : 60;
    return rods * each < 900 ? 900 : rods * each;
}

// The cut edges of a level: the part of each edge, or -1.
typedef struct {
    double level;
    int *part_of_edge;
    int parts;
} level_cut;

static bool is_cut(const viper_job *job, int edge, double level) {
    const int *v = job->body.edge[edge];
    return (job->field[v[0]] < level) != (job->field[v[1]] < level);
}

// Labels the cut edges with their parts, numbered by their first edge.
static void label_parts(const viper_job *job, level_cut *cut, int *up) {
    const viper_body *body = &job->body;
    const int each = body->corners == 3 ? 3 : 6;
    for (int e = 0; e < body->edge_count; e++) up[e] = e, cut->part_of_edge[e] = -1;
    for (int s = 0; s < body->simplex_count; s++) {
        int first = -1;
        for (int k = 0; k < each; k++) {
            const int e = body->edge_of[(long long)s * each + k];
            if (!is_cut(job, e, cut->level)) continue;
            if (first < 0)
                first = e;
            else
                sn_union(up, first, e);
        }
    }
    cut->parts = 0;
    for (int e = 0; e < body->edge_count; e++) {
        if (!is_cut(job, e, cut->level)) continue;
        const int root = sn_find_root(up, e);
        cut->part_of_edge[e] = root == e ? cut->parts++ : cut->part_of_edge[root];
    }
}

static void cut_point(const viper_job *job, int edge, double level, double out[3]) {
    const int *v = job->body.edge[edge];
    const double a = job->field[v[0]], t = (level - a) / (job->field[v[1]] - a);
    for (int k = 0; k < 3; k++)
        out[k] = job->body.position[v[0]][k] + t * (job->body.position[v[1]][k] - job->body.position[v[0]][k]);
}

// ---- slices of a surface: closed curves

// The two triangles at each cut edge, and the next cut edge within them.
typedef struct {
    int (*next)[2]; // of each edge; -1: none
    bool *used;
} curve_links;

static void link_curves(const viper_job *job, double level, curve_links *links) {
    const viper_body *body = &job->body;
    for (int e = 0; e < body->edge_count; e++) links->next[e][0] = links->next[e][1] = -1, links->used[e] = false;
    for (int s = 0; s < body->simplex_count; s++) {
        int cut[3], count = 0;
        for (int k = 0; k < 3; k++)
            if (is_cut(job, body->edge_of[3 * (long long)s + k], level))
                cut[count++] = body->edge_of[3 * (long long)s + k];
        for (int k = 0; k < 2 && count == 2; k++) {
            int *next = links->next[cut[k]];
            next[next[0] < 0 ? 0 : 1] = cut[1 - k];
        }
    }
}

// Follows the curve of an edge; the points become 'loop'. Returns their number, 0 if it is not closed.
static int follow_curve(const viper_job *job, double level, int start, curve_links *links, double (*loop)[3]) {
    int count = 0, from = -1;
    for (int e = start; !links->used[e];) {
        links->used[e] = true;
        cut_point(job, e, level, loop[count++]);
        const int *next = links->next[e];
        if (next[0] < 0 || next[1] < 0) return 0;
        const int onward = from < 0 || next[1] == from ? next[0] : next[1];
        from = e, e = onward;
    }
    return count;
}

// Whether a curve is the outline of a solid, and not of a dent: points just within it are inside of the surface.
static bool is_outline(const viper_job *job, double (*loop)[3], int count) {
    double area[3] = {0};
    for (int i = 0; i < count; i++) {
        double a[3], b[3], n[3];
        d3_sub(loop[i], loop[0], a);
        d3_sub(loop[(i + 1) % count], loop[0], b);
        d3_cross(a, b, n);
        for (int k = 0; k < 3; k++) area[k] += 0.5 * n[k];
    }
    const double size = sqrt(d3_dot(area, area));
    if (!(size > 0)) return false;
    int inside = 0, asked = 0;
    for (int i = 0; i < count; i += 1 + count / 16) {
        const double *a = loop[i], *b = loop[(i + 1) % count];
        double along[3], inward[3], p[3];
        d3_sub(b, a, along);
        d3_cross(area, along, inward);
        const double length = sqrt(d3_dot(inward, inward));
        if (!(length > 0)) continue;
        for (int k = 0; k < 3; k++) p[k] = 0.5 * (a[k] + b[k]) + 0.02 * sqrt(size) * inward[k] / length;
        inside += sn_winding_evaluate(job->winding, p) > 0.5;
        asked++;
    }
    return 2 * inside > asked;
}

// Slices of all parts of a level of a surface. Parts that are no outline stay empty.
static bool fill_curves(const viper_job *job, const level_cut *cut, curve_links *links, double (*loop)[3],
                        viper_slice *out) {
    link_curves(job, cut->level, links);
    for (int e = 0; e < job->body.edge_count; e++) {
        const int part = cut->part_of_edge[e];
        if (part < 0 || links->used[e]) continue;
        const int count = follow_curve(job, cut->level, e, links, loop);
        if (count < 3 || out->part[part].slice.count || !is_outline(job, loop, count)) continue;
        if (!sn_slice_polygon((const double(*)[3])loop, count, samples_for(job->options->rods), &out->part[part].slice))
            return false;
    }
    return true;
}

// ---- slices of tetrahedra

static bool fill_tets(const viper_job *job, const level_cut *cut, int *part_of_tet, viper_slice *out) {
    const viper_body *body = &job->body;
    for (int t = 0; t < body->simplex_count; t++) {
        part_of_tet[t] = -1;
        for (int k = 0; k < 6; k++) {
            const int part = cut->part_of_edge[body->edge_of[6 * (long long)t + k]];
            if (part >= 0) part_of_tet[t] = part;
        }
    }
    for (int p = 0; p < cut->parts; p++)
        if (!sn_slice_level_part(&job->tets, job->field, cut->level, part_of_tet, p, samples_for(job->options->rods),
                                 &out->part[p].slice))
            return false;
    return true;
}

// ---- links

// Links the parts of two levels that the body connects between them.
static bool link_slices(const viper_job *job, const level_cut *low, const level_cut *high, viper_slice *slice) {
    const viper_body *body = &job->body;
    const int first = body->vertex_count, second = first + low->parts, all = second + high->parts;
    int *up = malloc(((size_t)all + 1) * sizeof *up);
    slice->linked = calloc((size_t)low->parts * (size_t)high->parts + 1, sizeof *slice->linked);
    if (!up || !slice->linked) {
        free(up);
        return false;
    }
    for (int i = 0; i < all; i++) up[i] = i;
    for (int e = 0; e < body->edge_count; e++) {
        int node[4], nodes = 0;
        for (int k = 0; k < 2; k++) {
            const double value = job->field[body->edge[e][k]];
            if (value >= low->level && value < high->level) node[nodes++] = body->edge[e][k];
        }
        if (low->part_of_edge[e] >= 0) node[nodes++] = first + low->part_of_edge[e];
        if (high->part_of_edge[e] >= 0) node[nodes++] = second + high->part_of_edge[e];
        for (int k = 1; k < nodes; k++) sn_union(up, node[0], node[k]);
    }
    for (int a = 0; a < low->parts; a++)
        for (int b = 0; b < high->parts; b++)
            slice->linked[a * high->parts + b] = sn_find_root(up, first + a) == sn_find_root(up, second + b);
    free(up);
    return true;
}

// Removes a part of slice k, with its links.
static void drop_part(viper_job *job, int k, int part) {
    viper_slice *slice = &job->slice[k], *before = k > 0 ? slice - 1 : NULL;
    const int next = k + 1 < job->options->slices ? slice[1].count : 0, count = slice->count;
    sn_slice_free(&slice->part[part].slice);
    memmove(slice->part + part, slice->part + part + 1, (size_t)(count - part - 1) * sizeof *slice->part);
    if (slice->linked)
        memmove(slice->linked + part * next, slice->linked + (part + 1) * next,
                (size_t)((count - part - 1) * next) * sizeof *slice->linked);
    for (int a = 0, to = 0; before && before->linked && a < before->count; a++)
        for (int b = 0; b < count; b++)
            if (b != part) before->linked[to++] = before->linked[a * count + b];
    slice->count--;
}

static bool goes_on(const viper_job *job, int k, int part) {
    if (k + 1 == job->options->slices) return true;
    const int next = job->slice[k + 1].count;
    for (int b = 0; b < next; b++)
        if (job->slice[k].linked[part * next + b]) return true;
    return false;
}

static bool comes_from(const viper_job *job, int k, int part) {
    if (k == 0) return true;
    for (int a = 0; a < job->slice[k - 1].count; a++)
        if (job->slice[k - 1].linked[a * job->slice[k].count + part]) return true;
    return false;
}

// Leaves out parts that are empty, tiny, or lead nowhere.
static void drop_dead_ends(viper_job *job) {
    const int slices = job->options->slices;
    bool changed = true;
    for (int k = 0; k < slices; k++) {
        double area = 0;
        for (int p = 0; p < job->slice[k].count; p++) area += job->slice[k].part[p].slice.area;
        for (int p = job->slice[k].count - 1; p >= 0; p--)
            if (job->slice[k].part[p].slice.count == 0 || job->slice[k].part[p].slice.area < 0.004 * area)
                drop_part(job, k, p);
    }
    while (changed) {
        changed = false;
        for (int k = 0; k < slices; k++)
            for (int p = job->slice[k].count - 1; p >= 0; p--)
                if (!goes_on(job, k, p) || !comes_from(job, k, p)) drop_part(job, k, p), changed = true;
    }
}

// ---- cutting

bool viper_slice_of_one(viper_slice *slice, int rods, const sn_slice *of, double volume) {
    slice->part = calloc(1, sizeof *slice->part);
    slice->linked = calloc(1, sizeof *slice->linked);
    if (!slice->part || !slice->linked) return false;
    slice->count = 1, slice->linked[0] = true;
    slice->part[0] = (viper_part){*of, volume, rods};
    return true;
}

void viper_free_slices(viper_job *job) {
    for (int k = 0; k < job->options->slices && job->slice; k++) {
        for (int p = 0; p < job->slice[k].count; p++) sn_slice_free(&job->slice[k].part[p].slice);
        free(job->slice[k].part), free(job->slice[k].linked);
        job->slice[k] = (viper_slice){0};
    }
}

// The volume around a slice goes to its parts by their areas.
static void share_volume(viper_slice *slice, double volume) {
    double area = 0;
    for (int p = 0; p < slice->count; p++) area += slice->part[p].slice.area;
    for (int p = 0; p < slice->count && area > 0; p++)
        slice->part[p].volume = volume * slice->part[p].slice.area / area;
}

typedef struct {
    level_cut cut[2];
    int *up, *part_of_tet;
    curve_links links;
    double (*loop)[3];
} cut_work;

static void free_work(cut_work *w) {
    free(w->cut[0].part_of_edge), free(w->cut[1].part_of_edge), free(w->up), free(w->part_of_tet);
    free(w->links.next), free(w->links.used), free(w->loop);
}

static bool alloc_work(const viper_body *body, cut_work *w) {
    const size_t edges = (size_t)body->edge_count + 1;
    for (int i = 0; i < 2; i++) w->cut[i].part_of_edge = malloc(edges * sizeof(int));
    w->up = malloc(edges * sizeof *w->up);
    w->part_of_tet = malloc(((size_t)body->simplex_count + 1) * sizeof *w->part_of_tet);
    w->links = (curve_links){malloc(edges * sizeof *w->links.next), malloc(edges * sizeof *w->links.used)};
    w->loop = malloc(edges * sizeof *w->loop);
    return w->cut[0].part_of_edge && w->cut[1].part_of_edge && w->up && w->part_of_tet && w->links.next &&
           w->links.used && w->loop;
}

static bool cut_slices(viper_job *job, cut_work *w) {
    const int slices = job->options->slices;
    for (int k = 0; k < slices; k++) {
        level_cut *cut = &w->cut[k % 2];
        viper_slice *slice = &job->slice[k];
        cut->level = sn_level_profile_level(&job->profile, job->at[k]);
        label_parts(job, cut, w->up);
        slice->part = calloc((size_t)cut->parts + 1, sizeof *slice->part);
        if (!slice->part) return false;
        slice->count = cut->parts;
        const bool good = job->body.corners == 3 ? fill_curves(job, cut, &w->links, w->loop, slice)
                                                 : fill_tets(job, cut, w->part_of_tet, slice);
        if (!good || (k > 0 && !link_slices(job, &w->cut[1 - k % 2], cut, slice - 1))) return false;
        viper_report_progress(job, 0.6 + 0.1 * k / slices, "slices");
    }
    return true;
}

bool viper_cut_parts(viper_job *job) {
    const int slices = job->options->slices;
    cut_work w = {0};
    const bool good = alloc_work(&job->body, &w) && cut_slices(job, &w);
    free_work(&w);
    if (!good) return viper_fail_memory(job);
    drop_dead_ends(job);
    for (int k = 0; k < slices; k++) {
        if (job->slice[k].count == 0)
            return tool_error_set(job->error, "slice %d of %d has no area; use fewer slices", k, slices);
        const double low = k > 0 ? 0.5 * (job->at[k - 1] + job->at[k]) : job->at[0],
                     high = k + 1 < slices ? 0.5 * (job->at[k] + job->at[k + 1]) : job->at[k];
        double volume = 0;
        if (job->body.corners == 4)
            volume = sn_level_profile_volume(&job->profile, sn_level_profile_level(&job->profile, high)) -
                     sn_level_profile_volume(&job->profile, sn_level_profile_level(&job->profile, low));
        else
            for (int p = 0; p < job->slice[k].count; p++) volume += job->slice[k].part[p].slice.area * (high - low);
        share_volume(&job->slice[k], volume);
    }
    return viper_share_rods(job);
}

// ---- rods through parts

// What one more rod through a part costs.
static double cost_of_rod(const viper_slice *slice, int part, double area, int rods) {
    const double share = rods * slice->part[part].slice.area / area, have = slice->part[part].rods;
    return 2 * (have - share) + 1 - (have == 0 ? 1e6 : 0);
}

// One rod takes the cheapest path; best[k][p] is the cost from the first slice to the part.
static void add_rod(viper_job *job, const double *area, double *best, int *from, int stride) {
    const int slices = job->options->slices, rods = job->options->rods;
    for (int k = 0; k < slices; k++)
        for (int p = 0; p < job->slice[k].count; p++) {
            double min_cost = k == 0 ? 0 : INFINITY;
            from[k * stride + p] = -1;
            for (int q = 0; k > 0 && q < job->slice[k - 1].count; q++) {
                if (!job->slice[k - 1].linked[q * job->slice[k].count + p]) continue;
                if (best[(k - 1) * stride + q] >= min_cost) continue;
                min_cost = best[(k - 1) * stride + q], from[k * stride + p] = q;
            }
            best[k * stride + p] = min_cost + cost_of_rod(&job->slice[k], p, area[k], rods);
        }
    int part = 0;
    for (int p = 1; p < job->slice[slices - 1].count; p++)
        if (best[(slices - 1) * stride + p] < best[(slices - 1) * stride + part]) part = p;
    for (int k = slices - 1; k >= 0; k--) {
        job->slice[k].part[part].rods++;
        part = from[k * stride + part];
    }
}

bool viper_share_rods(viper_job *job) {
    const int slices = job->options->slices;
    int stride = 1, without = 0;
    double *area = calloc((size_t)slices, sizeof *area);
    for (int k = 0; k < slices; k++) stride = job->slice[k].count > stride ? job->slice[k].count : stride;
    double *best = malloc((size_t)slices * (size_t)stride * sizeof *best);
    int *from = malloc((size_t)slices * (size_t)stride * sizeof *from);
    const bool good = area && best && from;
    for (int k = 0; k < slices && good; k++)
        for (int p = 0; p < job->slice[k].count; p++) {
            area[k] += job->slice[k].part[p].slice.area;
            job->slice[k].part[p].rods = 0;
        }
    for (int i = 0; i < job->options->rods && good; i++) add_rod(job, area, best, from, stride);
    free(area), free(best), free(from);
    if (!good) return viper_fail_memory(job);
    for (int k = 0; k < slices; k++)
        for (int p = job->slice[k].count - 1; p >= 0; p--)
            if (job->slice[k].part[p].rods == 0) drop_part(job, k, p), without++;
    if (without)
        viper_warn(job, "the muscle has up to %d heads side by side, more than %d rods: use more rods (%d)", stride,
                   job->options->rods, 2 * stride);
    return true;
}
