// Candidates are the part's vertices and, if there are few, points on its triangles. Those near a joint are left out:
// the skin there belongs to both bones, and each field has to close by itself. Farthest-point sampling chooses among
// the rest (a Poisson disk sample of the largest possible radius).
//
// Where the bone continues into others, a cap closes the field: a sample on the bone's axis beyond its end, at the
// smallest distance r from the bone of any vertex along that half of it.
//
//            .  .   .   .  .  .
//        (   o=================o   )     o: ends of the bone, ( ): caps
//            `  `   `   `  `  `
//      |<-r->|
//
// A limb on a ball joint, such as a hip or a shoulder, should look the same from the trunk for every rotation. Around
// such a joint the field is a ball: samples lie on the ball, and the skin beside it provides none.
#include "bake/implicit_samples.h"
#include "base/math/double3.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SN_BALL_SAMPLES = 12 }; // plus the pole

double sn_bone_distance(const double p[3], const double start[3], const double end[3], double *t) {
    double axis[3], from[3], l2 = 0, along = 0, d2 = 0;
    for (int k = 0; k < 3; k++) {
        axis[k] = end[k] - start[k], from[k] = p[k] - start[k];
        l2 += axis[k] * axis[k], along += axis[k] * from[k];
    }
    *t = l2 > 0 ? fmin(fmax(along / l2, 0), 1) : 0;
    for (int k = 0; k < 3; k++) d2 += (from[k] - *t * axis[k]) * (from[k] - *t * axis[k]);
    return sqrt(d2);
}

typedef struct {
    int count, capacity;
    double (*point)[3], (*normal)[3], *distance2; // distance2: squared distance to the nearest chosen sample
} cloud;

static void cloud_add(cloud *c, const double p[3], const double n[3]) {
    const double length = sqrt(d3_dot(n, n));
    if (c->count == c->capacity || !(length > 0.1)) return;
    for (int k = 0; k < 3; k++) c->point[c->count][k] = p[k], c->normal[c->count][k] = n[k] / length;
    c->distance2[c->count++] = INFINITY;
}

// Position along the bone's axis: 0 at its start, 1 at its end; may be outside [0, 1].
static double along_bone(const sn_skin_part *part, const double p[3]) {
    double axis[3], from[3];
    for (int k = 0; k < 3; k++) axis[k] = part->end[k] - part->start[k], from[k] = p[k] - part->start[k];
    const double l2 = d3_dot(axis, axis);
    return l2 > 0 ? d3_dot(axis, from) / l2 : 0.5;
}

static bool near_joint(const sn_skin_part *part, const double p[3], double gap, double start_gap) {
    const double t = along_bone(part, p);
    return (part->start_is_joint && t < start_gap) || (part->end_is_joint && t > 1 - gap);
}

static void gather(const sn_skin_part *part, int target, double gap, double start_gap, cloud *c) {
    c->count = 0;
    for (int i = 0; i < part->vertex_count; i++) {
        const int v = part->vertices[i];
        if (!near_joint(part, part->points[v], gap, start_gap)) cloud_add(c, part->points[v], part->normals[v]);
    }
    if (c->count >= 4 * target || part->triangle_count == 0) return;
    int subdivisions = 1; // points per triangle: subdivisions^2
    while (subdivisions < 8 && subdivisions * subdivisions * part->triangle_count < 8 * target) subdivisions++;
    for (int t = 0; t < part->triangle_count; t++)
        for (int i = 0; i < subdivisions; i++)
            for (int j = 0; i + j < subdivisions; j++) {
                const double u = (i + 1.0 / 3) / subdivisions, v = (j + 1.0 / 3) / subdivisions, w = 1 - u - v;
                const int *corner = part->triangles[t];
                double p[3], n[3];
                for (int k = 0; k < 3; k++) {
                    p[k] = u * part->points[corner[0]][k] + v * part->points[corner[1]][k] +
                           w * part->points[corner[2]][k];
                    n[k] = u * part->normals[corner[0]][k] + v * part->normals[corner[1]][k] +
                           w * part->normals[corner[2]][k];
                }
                if (!near_joint(part, p, gap, start_gap)) cloud_add(c, p, n);
            }
}

static void add_sample(sn_samples *out, const double p[3], const double n[3]) {
    memcpy(out->point[out->count], p, sizeof out->point[0]);
    memcpy(out->normal[out->count], n, sizeof out->normal[0]);
    out->count += 1;
}

static void sample_farthest(cloud *c, int target, double min_spacing, sn_samples *out) {
    double centroid[3] = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++) centroid[k] += c->point[i][k] / c->count;
    for (int i = 0; i < c->count; i++) { // start with the point farthest from the centroid
        double d2 = 0;
        for (int k = 0; k < 3; k++) d2 += (c->point[i][k] - centroid[k]) * (c->point[i][k] - centroid[k]);
        c->distance2[i] = d2;
    }
    for (int s = 0; s < target && s < c->count; s++) {
        int best = 0;
        for (int i = 1; i < c->count; i++)
            if (c->distance2[i] > c->distance2[best]) best = i;
        if (!(c->distance2[best] > min_spacing * min_spacing)) return;
        add_sample(out, c->point[best], c->normal[best]);
        for (int i = 0; i < c->count; i++) {
            double d2 = 0;
            for (int k = 0; k < 3; k++)
                d2 += (c->point[i][k] - c->point[best][k]) * (c->point[i][k] - c->point[best][k]);
            c->distance2[i] = s == 0 ? d2 : fmin(c->distance2[i], d2);
        }
    }
}

// Distance from an end to its cap; 0: no skin beside the bone, or too close to it.
static double cap_gap(const sn_skin_part *part, bool at_end, double radius) {
    double min_spacing = INFINITY, t;
    for (int i = 0; i < part->vertex_count; i++) {
        const double *p = part->points[part->vertices[i]], along = along_bone(part, p);
        if (at_end ? along < 0.5 || along > 0.98 : along > 0.5 || along < 0.02) continue;
        min_spacing = fmin(min_spacing, sn_bone_distance(p, part->start, part->end, &t));
    }
    return isfinite(min_spacing) && min_spacing > 0.05 * radius ? min_spacing : 0;
}

// Adds a cap at an end unless the skin itself closes it.
static void cap(const sn_skin_part *part, bool at_end, double radius, sn_samples *out) {
    const double gap = cap_gap(part, at_end, radius);
    const double *end = at_end ? part->end : part->start, *other_end = at_end ? part->start : part->end;
    double u[3], p[3], length = 0;
    for (int k = 0; k < 3; k++) u[k] = end[k] - other_end[k], length += u[k] * u[k];
    length = sqrt(length);
    if (!(length > 0 && gap > 0)) return;
    for (int k = 0; k < 3; k++) u[k] /= length, p[k] = end[k] + gap * u[k];
    if (!(at_end ? part->end_is_joint : part->start_is_joint))
        for (int i = 0; i < part->vertex_count; i++) { // skin beyond the end and near the axis
            double from[3], off2 = 0;
            for (int k = 0; k < 3; k++) from[k] = part->points[part->vertices[i]][k] - end[k];
            const double along = d3_dot(from, u);
            for (int k = 0; k < 3; k++) off2 += (from[k] - along * u[k]) * (from[k] - along * u[k]);
            if (along > -0.5 * gap && off2 < 0.25 * gap * gap) return;
        }
    add_sample(out, p, u);
}

// Adds samples on a ball around the start: the pole and rings down to the equator.
static void ball(const sn_skin_part *part, double radius, sn_samples *out) {
    enum { AROUND = SN_BALL_SAMPLES / 2 };
    double u[3], a[3] = {0, 0, 0}, b[3], length = 0;
    for (int k = 0; k < 3; k++) u[k] = part->start[k] - part->end[k], length += u[k] * u[k];
    length = sqrt(length);
    for (int k = 0; k < 3; k++) u[k] /= length;
    const int min_spacing =
        fabs(u[0]) < fabs(u[1]) ? (fabs(u[0]) < fabs(u[2]) ? 0 : 2) : (fabs(u[1]) < fabs(u[2]) ? 1 : 2);
    a[min_spacing] = 1;
    const double along = d3_dot(a, u);
    for (int k = 0; k < 3; k++) a[k] -= along * u[k];
    const double size = sqrt(d3_dot(a, a));
    for (int k = 0; k < 3; k++) a[k] /= size;
    for (int k = 0; k < 3; k++) b[k] = u[(k + 1) % 3] * a[(k + 2) % 3] - u[(k + 2) % 3] * a[(k + 1) % 3];
    for (int ring = 0; ring < 3; ring++) {
        const double tilt = ring * 0.25 * 3.14159265358979323846; // 0, 45 and 90 degrees from the pole
        for (int i = 0; i < (ring ? AROUND : 1); i++) {
            const double azimuth = (i + 0.5 * ring) * 2 * 3.14159265358979323846 / AROUND;
            double p[3], n[3];
            for (int k = 0; k < 3; k++) {
                n[k] = own_cos(tilt) * u[k] + own_sin(tilt) * (own_cos(azimuth) * a[k] + own_sin(azimuth) * b[k]);
                p[k] = part->start[k] + radius * n[k];
            }
            add_sample(out, p, n);
        }
    }
}

// Radius of that ball: at most the limb's radius beside it and a third of the bone's length. 0: no ball.
static double ball_radius(const sn_skin_part *part, double radius) {
    double length = 0;
    for (int k = 0; k < 3; k++) length += (part->end[k] - part->start[k]) * (part->end[k] - part->start[k]);
    length = sqrt(length);
    return part->start_is_ball && length > 2 * radius ? fmin(radius, 0.35 * length) : 0;
}

bool sn_samples_make(const sn_skin_part *part, int target, double joint_gap, sn_samples *out) {
    *out = (sn_samples){0};
    const size_t capacity = (size_t)part->vertex_count + 36 * (size_t)part->triangle_count + 1;
    cloud c = {.capacity = (int)(capacity < (1u << 28) ? capacity : (1u << 28))};
    c.point = malloc(capacity * sizeof *c.point);
    c.normal = malloc(capacity * sizeof *c.normal);
    c.distance2 = malloc(capacity * sizeof *c.distance2);
    out->point = malloc(((size_t)target + 3) * sizeof *out->point);
    out->normal = malloc(((size_t)target + 3) * sizeof *out->normal);
    const bool good = c.point && c.normal && c.distance2 && out->point && out->normal;
    if (good && part->vertex_count > 0) {
        double t;
        for (int i = 0; i < part->vertex_count; i++) {
            const double d = sn_bone_distance(part->points[part->vertices[i]], part->start, part->end, &t);
            out->reach = fmax(out->reach, d), out->radius += d / part->vertex_count;
        }
        double ball_size = ball_radius(part, out->radius),
               length = sn_bone_distance(part->end, part->start, part->start, &t);
        gather(part, target, joint_gap, ball_size > 0 ? fmax(joint_gap, ball_size / length) : joint_gap, &c);
        if (c.count < part->vertex_count / 3) { // a short and wide part
            ball_size = 0;
            gather(part, target, 0, 0, &c);
        }
        if (c.count < part->vertex_count / 3) gather(part, target, -INFINITY, -INFINITY, &c);
        sample_farthest(&c, ball_size > 0 ? target - SN_BALL_SAMPLES : target, 1e-4 * out->reach, out);
        if (out->count > 0 && ball_size > 0)
            ball(part, ball_size, out);
        else if (out->count > 0)
            cap(part, false, out->radius, out);
        if (out->count > 0) cap(part, true, out->radius, out);
    }
    free(c.point);
    free(c.normal);
    free(c.distance2);
    if (!good) sn_samples_free(out);
    return good;
}

void sn_samples_free(sn_samples *samples) {
    free(samples->point);
    free(samples->normal);
    *samples = (sn_samples){0};
}
