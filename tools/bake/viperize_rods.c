// Places the points of rods in the slices of a muscle, such that
//
// 1. each slice is divided evenly: every point is the centroid of the region nearest to it (Lloyd's iterations towards
//    a centroidal Voronoi diagram, restricted to the slice);
// 2. rods are short: a point is also attracted to where its neighbours on the rod would put it. Neighbours are first
//    mapped by the linear map between slices (slices.h), or all rods would creep to the axis where the muscle is thick;
// 3. rods do not cross: the points of adjacent slices are matched with minimal total length, so no two rods would get
//    shorter by swapping their ends.
//
// Placing and matching alternate until both converge; matching is last.
#include "bake/viperize_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 120, MAX_ITERATIONS_MANY_RODS = 32, MIN_ITERATIONS = 12 };
static const double smoothing_weight =
    0.4; // weight of the neighbours on a rod against the centroid of the point's region

typedef struct {
    viper_job *job;
    int rods, slices;
    double (*point)[3];          // by slice, then rod
    sn_slice_map *onward, *back; // from slice k to k + 1, and from k + 1 to k
    double *cost;
    int *match;
    double (*sum)[3], *mass, (*moved)[3];
} placement;

static double distance2(const double a[3], const double b[3]) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

static double (*points_of(const placement *p, int slice))[3] {
    return p->point + (long long)slice * p->rods;
}

// Farthest-point sampling: the first point is nearest to the centroid, each next one farthest from all before.
static bool seed(const placement *p, int k) {
    const sn_slice *slice = &p->job->slice[k];
    double(*point)[3] = points_of(p, k), *distance = malloc(((size_t)slice->count + 1) * sizeof *distance);
    if (!distance) return false;
    for (int s = 0; s < slice->count; s++) distance[s] = -distance2(slice->sample[s], slice->centroid);
    for (int i = 0; i < p->rods; i++) {
        int best = 0;
        for (int s = 1; s < slice->count; s++)
            if (distance[s] > distance[best]) best = s;
        memcpy(point[i], slice->sample[best], sizeof point[i]);
        for (int s = 0; s < slice->count; s++) {
            const double d = distance2(slice->sample[s], point[i]);
            if (i == 0 || d < distance[s]) distance[s] = d;
        }
    }
    free(distance);
    return true;
}

// One Lloyd iteration in one slice; 'smoothing' is the weight of the neighbours on rods. Returns the largest motion of
// a point, relative to the mean point spacing.
static double place(const placement *p, int k, double smoothing) {
    const sn_slice *slice = &p->job->slice[k];
    double(*point)[3] = points_of(p, k), max_iterations = 0;
    int worst = 0;
    double worst_distance = -1;
    memset(p->sum, 0, (size_t)p->rods * sizeof *p->sum), memset(p->mass, 0, (size_t)p->rods * sizeof *p->mass);
    for (int s = 0; s < slice->count; s++) {
        int best = 0;
        double best_distance = distance2(slice->sample[s], point[0]);
        for (int i = 1; i < p->rods; i++) {
            const double d = distance2(slice->sample[s], point[i]);
            if (d < best_distance) best_distance = d, best = i;
        }
        if (best_distance > worst_distance) worst_distance = best_distance, worst = s;
        p->mass[best] += slice->weight[s];
        for (int c = 0; c < 3; c++) p->sum[best][c] += slice->weight[s] * slice->sample[s][c];
    }
    for (int i = 0; i < p->rods; i++) {
        double target[3], neighbour[3] = {0}, from[3];
        int neighbours = 0;
        for (int side = 0; side < 2; side++) {
            const int other = k + (side ? 1 : -1);
            if (other < 0 || other >= p->slices) continue;
            sn_slice_map_apply(side ? &p->back[k] : &p->onward[k - 1], points_of(p, other)[i], from);
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
        max_iterations = fmax(max_iterations, distance2(point[i], p->moved[i]));
        memcpy(point[i], p->moved[i], sizeof point[i]);
    }
    return sqrt(max_iterations / (slice->area / p->rods));
}

// Matches the points of slice 'to' with those of 'from' and renumbers them accordingly. Returns how many changed; -1:
// no memory.
static int match_slices(const placement *p, int from, int to) {
    double(*a)[3] = points_of(p, from), (*b)[3] = points_of(p, to);
    int changed = 0;
    for (int i = 0; i < p->rods; i++)
        for (int j = 0; j < p->rods; j++) p->cost[(long long)p->rods * i + j] = sqrt(distance2(a[i], b[j]));
    if (!sn_hungarian(p->cost, p->rods, p->match)) return -1;
    for (int i = 0; i < p->rods; i++) {
        memcpy(p->moved[i], b[p->match[i]], sizeof p->moved[i]);
        changed += p->match[i] != i;
    }
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

// Initial points: farthest-point sampling in slice 'base', then copied from slice to slice.
static bool start(const placement *p, int base) {
    if (!seed(p, base)) return false;
    for (int iteration = 0; iteration < 40; iteration++)
        if (place(p, base, 0) < 1e-3) break;
    for (int side = 0; side < 2; side++)
        for (int k = base; side ? k + 1 < p->slices : k > 0; k += side ? 1 : -1) {
            const int next = side ? k + 1 : k - 1;
            for (int i = 0; i < p->rods; i++) {
                double target[3];
                sn_slice_map_apply(side ? &p->onward[k] : &p->back[k - 1], points_of(p, k)[i], target);
                sn_slice_nearest(&p->job->slice[next], target, points_of(p, next)[i]);
            }
            for (int iteration = 0; iteration < 3; iteration++) place(p, next, 0);
        }
    return true;
}

// Points on the rim may lie slightly outside the surface because tetrahedra have flat faces. Moves them to the nearest
// sample inside.
static void move_inside(const placement *p) {
    for (int k = 0; k < p->slices; k++)
        for (int i = 0; i < p->rods; i++) {
            const sn_slice *slice = &p->job->slice[k];
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

static bool run(placement *p) {
    sn_viper_report *report = p->job->report;
    int base = 0, changed = 1;
    const bool many = p->rods > 64;
    const int match_interval = many ? 8 : 1,
              max_iterations =
                  many ? MAX_ITERATIONS_MANY_RODS : MAX_ITERATIONS; // matching is cubic in the number of rods
    double moved = 1;
    for (int k = 1; k < p->slices; k++)
        if (p->job->slice[k].area > p->job->slice[base].area) base = k;
    for (int k = 0; k + 1 < p->slices; k++) {
        p->onward[k] = sn_slice_transport(&p->job->slice[k], &p->job->slice[k + 1]);
        p->back[k] = sn_slice_transport(&p->job->slice[k + 1], &p->job->slice[k]);
    }
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
    report->rod_length[1] = length_of(p);
    return true;
}

// Fits the radii, equal within a slice, such that the volume between slices is right; then scales all by one factor
// such that the total volume is.
static void fit_radii(viper_job *job, sn_viper *out) {
    for (int k = 0; k < out->slices; k++) {
        double length = 0; // of rods around this slice: half of the segments on either side
        for (int i = 0; i < out->rods; i++) {
            const double(*point)[3] = (const double(*)[3])out->point + (long long)i * out->slices + k;
            if (k > 0) length += 0.5 * sqrt(distance2(point[0], point[-1]));
            if (k + 1 < out->slices) length += 0.5 * sqrt(distance2(point[0], point[1]));
        }
        out->radius[k] = length > 0 ? sqrt(job->slice_volume[k] / (3.14159265358979323846 * length)) : 0;
    }
    const double volume = sn_viper_volume(out);
    job->report->coverage = volume / out->volume;
    for (int k = 0; k < out->slices && volume > 0; k++) out->radius[k] *= sqrt(out->volume / volume);
}

static void store_points(const placement *p, sn_viper *out) {
    sn_viper_report *report = p->job->report;
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
    p.onward = malloc(slices * sizeof *p.onward), p.back = malloc(slices * sizeof *p.back);
    p.cost = malloc(rods * rods * sizeof *p.cost), p.match = malloc(rods * sizeof *p.match);
    p.sum = malloc(rods * sizeof *p.sum), p.mass = malloc(rods * sizeof *p.mass);
    p.moved = malloc(rods * sizeof *p.moved);
    const bool good = p.point && p.onward && p.back && p.cost && p.match && p.sum && p.mass && p.moved && run(&p);
    if (good) {
        store_points(&p, out);
        fit_radii(job, out);
    }
    free(p.point), free(p.onward), free(p.back), free(p.cost), free(p.match), free(p.sum), free(p.mass), free(p.moved);
    return good || viper_fail_memory(job);
}
