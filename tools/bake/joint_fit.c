// Where two bones meet, one slides on the other: on a ball around a point, or on a roller around an axis. Both have the
// property that the normals of the sliding surface go through the centre, or the axis:
//
//     ball    .-.        roller    ====           sum over contacts of |(I - n n^T)(p - c)|^2 is smallest at the centre c,
//            ( + )                (----) axis      and the axis is the direction a for which sum (n . a)^2 is smallest
//             '-'                  ====
//
// Contacts are the vertices of the parent that face the child within reach. For a roller c is not determined along the
// axis; a weak pull to the contacts' mean decides.
#include "bake/joint_fit.h"
#include "base/math/double3.h"
#include "base/math/jacobi.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void position_of(const sn_mesh *mesh, int v, double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = (double)mesh->position[v][k];
}

double joint_gap(const joint_bone *a, const joint_bone *b, double limit) {
    double gap = limit;
    for (int side = 0; side < 2; side++) {
        const joint_bone *from = side ? b : a, *to = side ? a : b;
        for (int v = 0; v < from->mesh->vertex_count; v++) {
            double p[3];
            sn_mesh_hit hit;
            position_of(from->mesh, v, p);
            if (sn_mesh_query_closest_point(to->query, p, gap, &hit)) gap = fmin(gap, hit.distance);
        }
    }
    return gap;
}

// Solves a symmetric, positive definite 3 x 3 system by Cramer's rule.
static bool solve3(double m[3][3], const double b[3], double out[3]) {
    double column[3][3], n[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) column[i][k] = m[k][i];
    d3_cross(column[1], column[2], n);
    const double det = d3_dot(column[0], n);
    if (!(fabs(det) > 0)) return false;
    out[0] = d3_dot(b, n) / det;
    d3_cross(column[2], column[0], n);
    out[1] = d3_dot(b, n) / det;
    d3_cross(column[0], column[1], n);
    out[2] = d3_dot(b, n) / det;
    return true;
}

typedef struct {
    double mean[3], lines[3][3], right[3], normals[3][3];
    int count;
} contact_sums;

// Adds the vertices of 'bone' that face the other.
static void add_contacts(const joint_bone *bone, const joint_bone *other, double reach, contact_sums *sums) {
    for (int v = 0; v < bone->mesh->vertex_count; v++) {
        double p[3], n[3], d[3];
        sn_mesh_hit hit;
        position_of(bone->mesh, v, p);
        if (!sn_mesh_query_closest_point(other->query, p, reach, &hit)) continue;
        for (int k = 0; k < 3; k++) n[k] = (double)bone->mesh->normal[v][k];
        d3_sub(hit.point, p, d);
        const bool within = sn_winding_evaluate(other->winding, p) > 0.5;
        if (!within && d3_dot(d, n) < 0.5 * hit.distance) continue;
        sums->count++;
        for (int i = 0; i < 3; i++) {
            sums->mean[i] += p[i];
            for (int j = 0; j < 3; j++) {
                const double across = (i == j) - n[i] * n[j];
                sums->lines[i][j] += across, sums->right[i] += across * p[j];
                sums->normals[i][j] += n[i] * n[j];
            }
        }
    }
}

bool joint_fit_surfaces(const joint_bone *parent, const joint_bone *child, double reach, joint_fit *out) {
    contact_sums sums = {0};
    double vectors[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *out = (joint_fit){.gap = joint_gap(parent, child, reach)};
    add_contacts(parent, child, reach, &sums);
    out->contacts = sums.count;
    if (sums.count < 6) return false;
    for (int i = 0; i < 3; i++) {
        sums.mean[i] /= sums.count;
        sums.lines[i][i] += 0.02 * sums.count, sums.right[i] += 0.02 * sums.count * sums.mean[i];
    }
    if (!solve3(sums.lines, sums.right, out->centre)) return false;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) sn_jacobi_rotate(3, *sums.normals, *vectors, p, q);
    int low = 0, high = 0;
    for (int k = 1; k < 3; k++) {
        if (sums.normals[k][k] < sums.normals[low][low]) low = k;
        if (sums.normals[k][k] >= sums.normals[high][high]) high = k;
    }
    const double between =
        sums.normals[3 - low - high == 3 ? low : 3 - low - high][3 - low - high == 3 ? low : 3 - low - high];
    for (int k = 0; k < 3; k++) out->axis[k] = vectors[k][low];
    out->roundness = between > 0 ? fmin(sums.normals[low][low] / between, 1) : 1;
    return true;
}

static void rotate_about(const double centre[3], const double axis[3], double angle, const double p[3], double out[3]) {
    double d[3], across[3];
    const double c = own_cos(angle), s = own_sin(angle);
    d3_sub(p, centre, d);
    d3_cross(axis, d, across);
    const double along = d3_dot(axis, d);
    for (int k = 0; k < 3; k++) out[k] = centre[k] + c * d[k] + s * across[k] + (1 - c) * along * axis[k];
}

// Vertices near the centre that are within the parent by more than a thin layer.
static int count_within(const joint_bone *parent, const joint_bone *child, const double centre[3], const double axis[3],
                        double degrees, double radius, int *near) {
    int count = 0;
    *near = 0;
    for (int v = 0; v < child->mesh->vertex_count; v++) {
        double p[3], d[3], at[3];
        sn_mesh_hit hit;
        position_of(child->mesh, v, p);
        d3_sub(p, centre, d);
        if (d3_dot(d, d) > radius * radius) continue;
        ++*near;
        rotate_about(centre, axis, degrees * 3.14159265358979323846 / 180, p, at);
        if (sn_winding_evaluate(parent->winding, at) < 0.5) continue;
        count += !sn_mesh_query_closest_point(parent->query, at, 0.04 * radius, &hit);
    }
    return count;
}

double joint_range(const joint_bone *parent, const joint_bone *child, const double centre[3], const double axis[3],
                   double sign, double limit, double radius) {
    int near;
    const int rest = count_within(parent, child, centre, axis, 0, radius, &near);
    double range = 0;
    for (double degrees = 10; degrees <= limit; degrees += 10) {
        if (count_within(parent, child, centre, axis, sign * degrees, radius, &near) > rest + 2 + near / 50) break;
        range = degrees;
    }
    return range;
}
