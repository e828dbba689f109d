// Places the points of rods in the slices of a muscle, such that
//
// 1. each slice is divided evenly: every point is the centroid of the region nearest to it (Lloyd's iterations towards
//    a centroidal Voronoi diagram, restricted to the slice);
// 2. rods are short: a point is also attracted to where its neighbours on the rod would put it. Neighbours are first
//    mapped by the linear map between slices (slices.h), or all rods would creep to the axis where the muscle is thick;
// 3. rods do not cross: the points of adjacent slices are matched with minimal total length, so no two rods would get
//    shorter by swapping their ends.
//
// Placing and matching alternate until both converge; matching is last. Where a slice is in several parts
// (viperize_slices.c), each has its own points, and only points of linked parts are matched.
//
// At last the first and the last points are moved on along their rods to the surface, because the slices between do not
// reach the tips of a muscle.
#include "bake/viperize_internal.h"
#include "base/math/double3.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 120, MAX_ITERATIONS_MANY_RODS = 32, MIN_ITERATIONS = 12 };
static const double smoothing_weight =
    0.4; // weight of the neighbours on a rod against the centroid of the point's region

typedef struct {
    viper_job *job;
    int rods, slices;
    double (*point)[3];            // by slice, then rod
    int *part;                     // of each point
    sn_slice_map **onward, **back; // of each pair of parts of slices k and k + 1, there and back
    double *cost;
    int *match;
    double (*sum)[3], *mass, (*moved)[3];
    int *moved_part;
} placement;

static double distance2(const double a[3], const double b[3]) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

static double (*points_of(const placement *p, int slice))[3] {
    return p->point + (long long)slice * p->rods;
}

static int *parts_of(const placement *p, int slice) {
    return p->part + (long long)slice * p->rods;
}

static const sn_slice *part_slice(const placement *p, int k, int part) {
    return &p->job->slice[k].part[part].slice;
}

// Farthest-point sampling of a part: the first point is nearest to the centroid, each next one farthest from all before.
static bool seed(const placement *p, int k, int part) {
    const sn_slice *slice = part_slice(p, k, part);
    double(*point)[3] = points_of(p, k), *distance = malloc(((size_t)slice->count + 1) * sizeof *distance);
    bool first = true;
    if (!distance) return false;
    for (int s = 0; s < slice->count; s++) distance[s] = -distance2(slice->sample[s], slice->centroid);
    for (int i = 0; i < p->rods; i++) {
        if (parts_of(p, k)[i] != part) continue;
        int best = 0;
        for (int s = 1; s < slice->count; s++)
            if (distance[s] > distance[best]) best = s;
        memcpy(point[i], slice->sample[best], sizeof point[i]);
        for (int s = 0; s < slice->count; s++) {
            const double d = distance2(slice->sample[s], point[i]);
            if (first || d < distance[s]) distance[s] = d;
        }
        first = false;
    }
    free(distance);
    return true;
}

// Where the neighbour on the rod in slice 'other' would put point i of slice k: moved by the map between the parts if
// all rods of one go through the other, else where it is.
static void from_neighbour(const placement *p, int k, int other, int i, double out[3]) {
    const int mine = parts_of(p, k)[i], its = parts_of(p, other)[i];
    const bool whole = p->job->slice[k].part[mine].rods == p->job->slice[other].part[its].rods;
    const int low = k < other ? mine : its, high = k < other ? its : mine, band = k < other ? k : other;
    const int at = low * p->job->slice[band + 1].count + high;
    if (whole)
        sn_slice_map_apply(k < other ? &p->back[band][at] : &p->onward[band][at], points_of(p, other)[i], out);
    else
        memcpy(out, points_of(p, other)[i], 3 * sizeof *out);
}

// Adds the samples of a part to the sums of their nearest points; 'worst' becomes the sample farthest from its own.
static int gather(const placement *p, int k, int part) {
    const sn_slice *slice = part_slice(p, k, part);
    double(*point)[3] = points_of(p, k), worst_distance = -1;
    int worst = 0;
    for (int s = 0; s < slice->count; s++) {
        int best = -1;
        double best_distance = INFINITY;
        for (int i = 0; i < p->rods; i++) {
            const double d = distance2(slice->sample[s], point[i]);
            if (parts_of(p, k)[i] == part && d < best_distance) best_distance = d, best = i;
        }
        if (best_distance > worst_distance) worst_distance = best_distance, worst = s;
        p->mass[best] += slice->weight[s];
        for (int c = 0; c < 3; c++) p->sum[best][c] += slice->weight[s] * slice->sample[s][c];
    }
    return worst;
}

// One Lloyd iteration in one part; 'smoothing' is the weight of the neighbours on rods. Returns the largest motion of
// a point, relative to the mean point spacing.
static double place_part(const placement *p, int k, int part, double smoothing) {
    const sn_slice *slice = part_slice(p, k, part);
    double(*point)[3] = points_of(p, k), largest = 0;
    const int worst = gather(p, k, part);
    for (int i = 0; i < p->rods; i++) {
        if (parts_of(p, k)[i] != part) continue;
        double target[3], neighbour[3] = {0}, from[3];
        int neighbours = 0;
        for (int side = 0; side < 2 && smoothing > 0; side++) {
            const int other = k + (side ? 1 : -1);
            if (other < 0 || other >= p->slices) continue;
            from_neighbour(p, k, other, i, from);
            neighbours++;
            for (int c = 0; c < 3; c++) neighbour[c] += from[c];
        }
        const double weight = neighbours ? smoothing : 0;
        for (int c = 0; c < 3; c++) {
            const double centroid = p->mass[i] > 0 ? p->sum[i][c] / p->mass[i] : slice->sample[worst][c];
            target[c] = (1 - weight) * centroid + (weight > 0 ? weight * neighbour[c] / neighbours : 0);
        }
        sn_slice_nearest(slice, target, p->moved[i]);
    }
    for (int i = 0; i < p->rods; i++) {
        if (parts_of(p, k)[i] != part) continue;
        largest = fmax(largest, distance2(point[i], p->moved[i]));
        memcpy(point[i], p->moved[i], sizeof point[i]);
    }
    return sqrt(largest / (slice->area / p->job->slice[k].part[part].rods));
}

static double place(const placement *p, int k, double smoothing) {
    double largest = 0;
    memset(p->sum, 0, (size_t)p->rods * sizeof *p->sum), memset(p->mass, 0, (size_t)p->rods * sizeof *p->mass);
    for (int part = 0; part < p->job->slice[k].count; part++)
        largest = fmax(largest, place_part(p, k, part, smoothing));
    return largest;
}

// Matches the points of slice 'to' with those of 'from' and renumbers them accordingly. Returns how many changed; -1:
// no memory.
static int match_slices(const placement *p, int from, int to) {
    double(*a)[3] = points_of(p, from), (*b)[3] = points_of(p, to);
    const int *part = parts_of(p, from), low = from < to ? from : to, next = p->job->slice[low + 1].count;
    int *other = parts_of(p, to), changed = 0;
    double unlinked = 0; // dearer than all rods together
    for (int i = 0; i < p->rods; i++)
        for (int j = 0; j < p->rods; j++) unlinked += p->cost[(long long)p->rods * i + j] = sqrt(distance2(a[i], b[j]));
    for (int i = 0; i < p->rods; i++)
        for (int j = 0; j < p->rods; j++) {
            const int at = from < to ? part[i] * next + other[j] : other[j] * next + part[i];
            if (!p->job->slice[low].linked[at]) p->cost[(long long)p->rods * i + j] += unlinked;
        }
    if (!sn_hungarian(p->cost, p->rods, p->match)) return -1;
    for (int i = 0; i < p->rods; i++) {
        memcpy(p->moved[i], b[p->match[i]], sizeof p->moved[i]);
        p->moved_part[i] = other[p->match[i]];
        changed += p->match[i] != i;
    }
    memcpy(other, p->moved_part, (size_t)p->rods * sizeof *other);
    memcpy(b, p->moved, (size_t)p->rods * sizeof *b);
    return changed;
}

static int match_all_slices(const placement *p, int base) {
    int changed = 0, one = 0;
    for (int k = base; k + 1 < p->slices && one >= 0; k++) changed += one = match_slices(p, k, k + 1);
    for (int k = base; k > 0 && one >= 0; --k) changed += one = match_slices(p, k, k - 1);
    return one < 0 ? -1 : changed;
}

static double length_of(const placement *p) {
    double sum = 0;
    for (int k = 0; k + 1 < p->slices; k++)
        for (int i = 0; i < p->rods; i++) sum += sqrt(distance2(points_of(p, k)[i], points_of(p, k + 1)[i]));
    return sum;
}

// The first points of a slice's part: those of the slice before, if they go through one part there too; else by
// farthest-point sampling.
static bool start_part(const placement *p, int k, int from, int part) {
    const viper_slice *slice = &p->job->slice[k], *before = &p->job->slice[from];
    const int low = k < from ? k : from, next = p->job->slice[low + 1].count;
    int source = -1, sources = 0, to = -1;
    for (int q = 0; q < before->count; q++)
        if (p->job->slice[low].linked[k < from ? part * next + q : q * next + part]) source = q, sources++;
    if (sources != 1 || before->part[source].rods != slice->part[part].rods) return seed(p, k, part);
    for (int i = 0; i < p->rods; i++) {
        double target[3];
        if (parts_of(p, from)[i] != source) continue;
        do to++;
        while (parts_of(p, k)[to] != part);
        const int at = k < from ? part * next + source : source * next + part;
        sn_slice_map_apply(k < from ? &p->back[low][at] : &p->onward[low][at], points_of(p, from)[i], target);
        sn_slice_nearest(&slice->part[part].slice, target, points_of(p, k)[to]);
    }
    return true;
}

// Initial points: farthest-point sampling in slice 'base', then copied from slice to slice.
static bool start(const placement *p, int base) {
    for (int part = 0; part < p->job->slice[base].count; part++)
        if (!seed(p, base, part)) return false;
    for (int iteration = 0; iteration < 40; iteration++)
        if (place(p, base, 0) < 1e-3) break;
    for (int side = 0; side < 2; side++)
        for (int k = base; side ? k + 1 < p->slices : k > 0; k += side ? 1 : -1) {
            const int next = side ? k + 1 : k - 1;
            for (int part = 0; part < p->job->slice[next].count; part++)
                if (!start_part(p, next, k, part)) return false;
            for (int iteration = 0; iteration < 3; iteration++) place(p, next, 0);
            if (match_slices(p, k, next) < 0) return false;
        }
    return true;
}

// Points on the rim may lie slightly outside the surface because tetrahedra have flat faces. Moves them to the nearest
// sample inside.
static void move_inside(const placement *p) {
    for (int k = 0; k < p->slices; k++)
        for (int i = 0; i < p->rods; i++) {
            const sn_slice *slice = part_slice(p, k, parts_of(p, k)[i]);
            double *point = points_of(p, k)[i], reach = 0;
            if (sn_winding_evaluate(p->job->winding, point) > 0.5) continue;
            for (int attempt = 0; attempt < 32; attempt++) { // at increasing distance; there are few such points
                int best = -1;
                for (int s = 0; s < slice->count; s++) {
                    const double d = distance2(point, slice->sample[s]);
                    if (d > reach && (best < 0 || d < distance2(point, slice->sample[best]))) best = s;
                }
                if (best < 0) break;
                if (sn_winding_evaluate(p->job->winding, slice->sample[best]) > 0.5) {
                    memcpy(point, slice->sample[best], 3 * sizeof *point);
                    break;
                }
                reach = distance2(point, slice->sample[best]);
            }
        }
}

// Moves a point by a distance, or as much less as keeps it inside of the surface.
static void move_on(const placement *p, double point[3], const double along[3], double reach) {
    for (int attempt = 0; attempt < 5 && reach > 0; attempt++, reach *= 0.6) {
        double moved[3];
        for (int c = 0; c < 3; c++) moved[c] = point[c] + reach * along[c];
        if (sn_winding_evaluate(p->job->winding, moved) < 0.5) continue;
        memcpy(point, moved, sizeof moved);
        return;
    }
}

// Moves the first and the last points on along their rods: to the surface, less a part of the rod's width, but not
// farther than the vertices of the end reach, nor much farther than slices are from each other.
static void reach_ends(const placement *p) {
    for (int end = 0; end < 2; end++) {
        const int k = end ? p->slices - 1 : 0, before = end ? k - 1 : 1;
        const sn_viper_end_kind kind = p->job->options->end[end].kind;
        if (kind == VIPER_END_BALL || kind == VIPER_END_PLANE) continue; // rods end where they were told to
        for (int i = 0; i < p->rods; i++) {
            const viper_part *part = &p->job->slice[k].part[parts_of(p, k)[i]];
            const double width = sqrt(part->slice.area / (3.14159265358979323846 * part->rods));
            double *point = points_of(p, k)[i], along[3], reach = 0;
            d3_sub(point, points_of(p, before)[i], along);
            const double length = sqrt(d3_dot(along, along));
            if (!(length > 0)) continue;
            for (int c = 0; c < 3; c++) along[c] /= length;
            for (int v = 0; v < p->job->end_count[end]; v++) {
                double d[3];
                d3_sub(p->job->body.position[p->job->end[end][v]], point, d);
                const double at = d3_dot(d, along);
                if (at > reach && d3_dot(d, d) < 2 * at * at) reach = at; // ahead of it, not beside it
            }
            sn_mesh_hit hit;
            reach = fmin(reach, 1.5 * p->job->report->length / (p->slices - 1));
            if (reach > 0 && sn_mesh_query_cast_ray(p->job->query, point, along, 2 * reach, &hit))
                reach = fmin(reach, hit.distance);
            move_on(p, point, along, reach - 0.4 * width);
        }
    }
}

// Cosine of the bend at a point of a rod; 1 at its ends.
static double cosine_at(const placement *p, int k, int rod) {
    double before[3], after[3];
    if (k == 0 || k + 1 == p->slices) return 1;
    d3_sub(points_of(p, k)[rod], points_of(p, k - 1)[rod], before);
    d3_sub(points_of(p, k + 1)[rod], points_of(p, k)[rod], after);
    const double size = sqrt(d3_dot(before, before) * d3_dot(after, after));
    return size > 0 ? d3_dot(before, after) / size : -1;
}

// Where a rod bends sharply, as where heads meet within one slice, its points leave their slices: they move towards the
// middle of their neighbours, until the bend is spread over several of them. None leaves the surface, unless the rod
// turns back.
static void straighten(const placement *p) {
    enum { STRAIGHTEN_ITERATIONS = 200 };
    const double sharp = 0.5, back = 0.2, step = 0.35; // 60 and 78 degrees
    for (int iteration = 0; iteration < STRAIGHTEN_ITERATIONS; iteration++) {
        bool changed = false;
        for (int i = 0; i < p->rods; i++)
            for (int n = 1; n + 1 < p->slices; n++) {
                const int k = iteration % 2 ? p->slices - 1 - n : n;
                double *point = points_of(p, k)[i], moved[3];
                const double *before = points_of(p, k - 1)[i], *after = points_of(p, k + 1)[i];
                const double cosine = fmin(cosine_at(p, k, i), fmin(cosine_at(p, k - 1, i), cosine_at(p, k + 1, i)));
                if (cosine > sharp) continue;
                for (int c = 0; c < 3; c++) moved[c] = point[c] + step * (0.5 * (before[c] + after[c]) - point[c]);
                if (cosine > back && sn_winding_evaluate(p->job->winding, moved) < 0.5) continue;
                memcpy(point, moved, sizeof moved);
                changed = true;
            }
        if (!changed) break;
    }
}

static int largest_slice(const placement *p) {
    int base = 0;
    double largest = -1;
    for (int k = 0; k < p->slices; k++) {
        double area = 0;
        for (int part = 0; part < p->job->slice[k].count; part++) area += part_slice(p, k, part)->area;
        if (area > largest) largest = area, base = k;
    }
    return base;
}

static bool map_slices(placement *p) {
    for (int k = 0; k + 1 < p->slices; k++) {
        const viper_slice *low = &p->job->slice[k], *high = low + 1;
        const size_t pairs = (size_t)low->count * (size_t)high->count + 1;
        p->onward[k] = calloc(pairs, sizeof **p->onward), p->back[k] = calloc(pairs, sizeof **p->back);
        if (!p->onward[k] || !p->back[k]) return false;
        for (int a = 0; a < low->count; a++)
            for (int b = 0; b < high->count; b++) {
                if (!low->linked[a * high->count + b]) continue;
                p->onward[k][a * high->count + b] = sn_slice_transport(&low->part[a].slice, &high->part[b].slice);
                p->back[k][a * high->count + b] = sn_slice_transport(&high->part[b].slice, &low->part[a].slice);
            }
    }
    return true;
}

static bool run(placement *p) {
    sn_viper_report *report = p->job->report;
    int changed = 1;
    const int base = largest_slice(p);
    const bool many = p->rods > 64;
    const int match_interval = many ? 8 : 1,
              max_iterations =
                  many ? MAX_ITERATIONS_MANY_RODS : MAX_ITERATIONS; // matching is cubic in the number of rods
    double moved = 1;
    if (!map_slices(p)) return false;
    for (int k = 0; k < p->slices; k++)
        for (int part = 0, i = 0; part < p->job->slice[k].count; part++)
            for (int n = 0; n < p->job->slice[k].part[part].rods; n++) parts_of(p, k)[i++] = part;
    if (!start(p, base)) return false;
    report->rod_length[0] = length_of(p);
    for (int iteration = 0; iteration < max_iterations; iteration++) {
        if (iteration >= MIN_ITERATIONS && changed == 0 && moved < 0.004) break;
        if (iteration % match_interval == 0 && (changed = match_all_slices(p, base)) < 0) return false;
        moved = 0;
        for (int k = 0; k < p->slices; k++)
            moved = fmax(moved, place(p, iteration % 2 ? p->slices - 1 - k : k, smoothing_weight));
        report->iterations = iteration + 1;
        viper_report_progress(p->job, 0.7 + 0.2 * iteration / max_iterations, "placing rods");
    }
    move_inside(p);
    if (match_all_slices(p, base) < 0) return false;
    if (!report->planes) reach_ends(p);
    straighten(p);
    report->rod_length[1] = length_of(p);
    return true;
}

// Fits the radii, equal within a part of a slice, such that the volume between slices is right; then scales all by one
// factor such that the total volume is.
static void fit_radii(const placement *p, sn_viper *out) {
    for (int k = 0; k < out->slices; k++)
        for (int part = 0; part < p->job->slice[k].count; part++) {
            double length = 0; // of rods around this slice: half of the segments on either side
            for (int i = 0; i < out->rods; i++) {
                const double(*point)[3] = (const double(*)[3])out->point + (long long)i * out->slices + k;
                if (parts_of(p, k)[i] != part) continue;
                if (k > 0) length += 0.5 * sqrt(distance2(point[0], point[-1]));
                if (k + 1 < out->slices) length += 0.5 * sqrt(distance2(point[0], point[1]));
            }
            const double volume = p->job->slice[k].part[part].volume;
            for (int i = 0; i < out->rods && length > 0; i++)
                if (parts_of(p, k)[i] == part)
                    out->radius[(long long)i * out->slices + k] = sqrt(volume / (3.14159265358979323846 * length));
        }
    const double volume = sn_viper_volume(out);
    p->job->report->coverage = volume / out->volume;
    for (int i = 0; i < out->rods * out->slices && volume > 0; i++) out->radius[i] *= sqrt(out->volume / volume);
}

static void store_points(const placement *p, sn_viper *out) {
    sn_viper_report *report = p->job->report;
    report->inside = report->points = 0;
    for (int k = 0; k < p->slices; k++)
        for (int i = 0; i < p->rods; i++) {
            memcpy(out->point[(long long)i * p->slices + k], points_of(p, k)[i], sizeof *out->point);
            report->inside += sn_winding_evaluate(p->job->winding, points_of(p, k)[i]) > 0.5;
            report->points++;
        }
    for (int c = 0; c < 3; c++) {
        out->source[c] = out->sink[c] = 0;
        for (int i = 0; i < p->rods; i++) {
            out->source[c] += points_of(p, 0)[i][c] / p->rods;
            out->sink[c] += points_of(p, p->slices - 1)[i][c] / p->rods;
        }
    }
}

bool viper_place_rods(viper_job *job, sn_viper *out) {
    const size_t rods = (size_t)out->rods, slices = (size_t)out->slices;
    placement p = {.job = job, .rods = out->rods, .slices = out->slices};
    p.point = malloc(rods * slices * sizeof *p.point);
    p.part = malloc(rods * slices * sizeof *p.part);
    p.onward = calloc(slices, sizeof *p.onward), p.back = calloc(slices, sizeof *p.back);
    p.cost = malloc(rods * rods * sizeof *p.cost), p.match = malloc(rods * sizeof *p.match);
    p.sum = malloc(rods * sizeof *p.sum), p.mass = malloc(rods * sizeof *p.mass);
    p.moved = malloc(rods * sizeof *p.moved), p.moved_part = malloc(rods * sizeof *p.moved_part);
    const bool good = p.point && p.onward && p.back && p.cost && p.match && p.sum && p.mass && p.moved && p.part &&
                      p.moved_part && run(&p);
    if (good) {
        store_points(&p, out);
        fit_radii(&p, out);
    }
    for (size_t k = 0; k < slices; k++) {
        if (p.onward) free(p.onward[k]);
        if (p.back) free(p.back[k]);
    }
    free(p.point), free(p.onward), free(p.back), free(p.cost), free(p.match), free(p.sum), free(p.mass), free(p.moved);
    free(p.part), free(p.moved_part);
    return good || viper_fail_memory(job);
}
