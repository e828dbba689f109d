// How well rods stand for the surface they were made from.
//
//     surface error   distance of points spread evenly over the surface from the union of the rods' pills, inside or out
//     span            the part of the surface's extent, along its longest direction, that the rods cover
//     contained       the part of the rods' axes that lies inside the surface
//     bend            the angle between two consecutive segments of a rod
//
// Lengths are compared with the muscle's radius: that of the cylinder with its volume and its extent.
#include "bake/viperize_internal.h"
#include "base/math/double3.h"
#include "medial/medial_mesh.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
enum { SURFACE_POINTS = 4000, POINTS_PER_SEGMENT = 8 };

static void position_of(const sn_mesh *mesh, int vertex, double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = (double)mesh->position[vertex][k];
}

// ---- surface error

static sn_medial_field *field_of_pills(const sn_viper *viper) {
    sn_medial_mesh pills;
    const int segments = viper->slices - 1;
    if (!sn_medial_mesh_alloc(&pills, viper->rods * viper->slices, viper->rods * segments, 0)) return NULL;
    memcpy(pills.centre, viper->point, (size_t)pills.sphere_count * sizeof *pills.centre);
    for (int i = 0; i < pills.sphere_count; i++) pills.radius[i] = viper->radius[i];
    for (int i = 0; i < pills.cone_count; i++) {
        pills.cone[i][0] = i / segments * viper->slices + i % segments;
        pills.cone[i][1] = pills.cone[i][0] + 1;
    }
    sn_medial_field *field = sn_medial_field_make(&pills);
    sn_medial_mesh_free(&pills);
    return field;
}

// Points spread evenly by area: one whenever another 1/SURFACE_POINTS of the area has passed, at places within the
// triangles that follow a low-discrepancy sequence (steps of the plastic number).
static int spread_points(const sn_mesh *mesh, double (*out)[3]) {
    const double share = sn_mesh_area(mesh) / SURFACE_POINTS;
    double passed = 0.5 * share;
    int count = 0;
    for (int t = 0; t < mesh->triangle_count && share > 0; t++) {
        double corner[3][3];
        passed += sn_mesh_triangle_area(mesh, t);
        for (int k = 0; k < 3; k++) position_of(mesh, mesh->triangle[t][k], corner[k]);
        for (; passed >= share && count < SURFACE_POINTS; passed -= share) {
            double u = fmod(0.7548776662466927 * (count + 1), 1), v = fmod(0.5698402909980532 * (count + 1), 1);
            if (u + v > 1) u = 1 - u, v = 1 - v;
            for (int k = 0; k < 3; k++)
                out[count][k] = corner[0][k] + u * (corner[1][k] - corner[0][k]) + v * (corner[2][k] - corner[0][k]);
            count++;
        }
    }
    return count;
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure_surface(const sn_viper *viper, sn_viper_quality *out) {
    sn_medial_field *field = field_of_pills(viper);
    double(*point)[3] = malloc(SURFACE_POINTS * sizeof *point), *error = malloc(SURFACE_POINTS * sizeof *error);
    const bool good = field && point && error;
    const int count = good ? spread_points(&viper->skin, point) : 0;
    for (int i = 0; i < count; i++) {
        error[i] = fabs(sn_medial_field_evaluate(field, point[i], NULL));
        out->surface_mean += error[i] / count;
    }
    if (count > 0) {
        qsort(error, (size_t)count, sizeof *error, compare_numbers);
        out->surface_95 = error[(int)(0.95 * (count - 1))], out->surface_largest = error[count - 1];
    }
    sn_medial_field_free(field);
    free(point), free(error);
    return good;
}

// ---- span

static double extent_of_skin(const sn_viper *viper, const double axis[3], double range[2]) {
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int v = 0; v < viper->skin.vertex_count; v++) {
        double p[3];
        position_of(&viper->skin, v, p);
        range[0] = fmin(range[0], d3_dot(p, axis)), range[1] = fmax(range[1], d3_dot(p, axis));
    }
    return range[1] - range[0];
}

static void measure_span(const sn_viper *viper, sn_viper_quality *out) {
    double middle[3], axis[3], skin[2], rods[2] = {INFINITY, -INFINITY};
    viper_longest_direction(&viper->skin, middle, axis);
    out->length = extent_of_skin(viper, axis, skin);
    out->radius = out->length > 0 ? sqrt(viper->volume / (pi * out->length)) : 0;
    for (int i = 0; i < viper->rods * viper->slices; i++) {
        const double at = d3_dot(viper->point[i], axis), r = viper->radius[i];
        rods[0] = fmin(rods[0], at - r), rods[1] = fmax(rods[1], at + r);
    }
    const double covered = fmin(rods[1], skin[1]) - fmax(rods[0], skin[0]);
    out->span = out->length > 0 ? fmax(covered, 0) / out->length : 0;
}

// ---- rods

static void measure_bends(const sn_viper *viper, sn_viper_quality *out) {
    for (int i = 0; i < viper->rods; i++)
        for (int k = 1; k + 1 < viper->slices; k++) {
            const double(*at)[3] = (const double(*)[3])viper->point + (long long)i * viper->slices + k;
            double before[3], after[3];
            d3_sub(at[0], at[-1], before);
            d3_sub(at[1], at[0], after);
            const double size = sqrt(d3_dot(before, before) * d3_dot(after, after));
            if (!(size > 0)) continue;
            const double cosine = fmin(fmax(d3_dot(before, after) / size, -1), 1);
            const double degrees = own_acos(cosine) * 180 / pi;
            out->bend = fmax(out->bend, degrees);
            out->sharp_bends += degrees > VIPER_SHARP_BEND;
        }
}

static bool measure_contained(const sn_viper *viper, sn_viper_quality *out) {
    sn_winding *winding = sn_winding_make(&viper->skin);
    double inside = 0, length = 0;
    if (!winding) return false;
    for (int i = 0; i < viper->rods; i++)
        for (int k = 0; k + 1 < viper->slices; k++) {
            const double *a = viper->point[(long long)i * viper->slices + k], *b = a + 3;
            double along[3];
            d3_sub(b, a, along);
            const double size = sqrt(d3_dot(along, along));
            length += size;
            for (int s = 0; s < POINTS_PER_SEGMENT; s++) {
                const double t = (s + 0.5) / POINTS_PER_SEGMENT;
                double p[3];
                for (int c = 0; c < 3; c++) p[c] = a[c] + t * along[c];
                if (sn_winding_evaluate(winding, p) > 0.5) inside += size / POINTS_PER_SEGMENT;
            }
        }
    sn_winding_free(winding);
    out->contained = length > 0 ? inside / length : 0;
    return true;
}

bool sn_viper_measure(const sn_viper *viper, sn_viper_quality *out) {
    *out = (sn_viper_quality){0};
    measure_span(viper, out);
    measure_bends(viper, out);
    out->volume = viper->volume > 0 ? sn_viper_volume(viper) / viper->volume : 0;
    return measure_surface(viper, out) && measure_contained(viper, out);
}

void viper_warn_of_quality(viper_job *job, const sn_viper *viper) {
    const sn_viper_quality *q = &job->report->quality;
    if (q->surface_95 > 0.5 * q->radius)
        viper_warn(job,
                   "a twentieth of the surface is more than %.2g of the muscle's radius away from the rods: use more "
                   "rods (%d) and slices (%d)",
                   q->surface_95 / q->radius, (int)fmin(2 * viper->rods, VIPER_MAX_RODS),
                   (int)fmin(1.5 * viper->slices, VIPER_MAX_SLICES));
    if (q->sharp_bends)
        viper_warn(job,
                   "rods bend by up to %.0f degrees between two segments: use more slices (%d), or say where fibres "
                   "begin and end",
                   q->bend, (int)fmin(2 * viper->slices, VIPER_MAX_SLICES));
    if (q->span < 0.95)
        viper_warn(
            job, "rods reach along %.0f %% of the surface's length: say where fibres begin and end, or close its gaps",
            100 * q->span);
    if (q->contained < 0.95)
        viper_warn(job, "%.0f %% of the rods' length is outside of the surface: use more slices (%d)",
                   100 * (1 - q->contained), (int)fmin(2 * viper->slices, VIPER_MAX_SLICES));
}
