// Medial spheres of a body: the collision nodes, and where contacts touch the body around them.
//
// The centre of a sphere is the blend of its handles' maps, c = sum_j w_j T_j(c0 - c_j); for a handle's own sphere it
// is the handle's translation. What is beside it follows the same maps with the same weights.
#include "base/math/double3.h"
#include "base/math/trig.h"
#include "kinds/elastic/elastic_internal.h"
#include <math.h>

// The factor that normalises the weights of a sphere, as for vertices.
static double scale_of(const sn_elastic_asset *a, int sphere) {
    double sum = 0;
    for (int k = a->sphere_first[sphere]; k < a->sphere_first[sphere + 1]; k++) sum += (double)a->sphere_weight[k];
    return sum > 1 - 2e-4 ? 1 / sum : 1;
}

// The centre of a sphere in a state.
static sn_vec3 centre_of(const sn_elastic_body *b, const sn_real *q, int sphere) {
    const sn_elastic_space *s = b->space;
    const sn_elastic_asset *a = s->asset;
    const int first = a->sphere_first[sphere];
    if (a->sphere_first[sphere + 1] == first + 1 && a->handle_sphere[a->sphere_handle[first]] == sphere &&
        a->sphere_weight[first] == 1) { // a handle's own
        const sn_real *from = q + s->column[a->sphere_handle[first]];
        return sn_v3(from[0], from[s->columns], from[2 * s->columns]);
    }
    const double scale = scale_of(a, sphere);
    double at[3] = {0}, left = 1;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
        const int handle = a->sphere_handle[e], columns = sn_elastic_columns(a, handle);
        const double w = (double)a->sphere_weight[e] * scale;
        const sn_vec3 arm = sn_sub(a->centre[sphere], sn_elastic_handle_centre(a, handle));
        double column[SN_ELASTIC_QUADRATIC];
        sn_elastic_monomials((const double[3]){(double)arm.x, (double)arm.y, (double)arm.z}, columns, column);
        left -= w;
        for (int k = 0; k < 3; k++) {
            const sn_real *from = q + k * s->columns + s->column[handle];
            for (int c = 0; c < columns; c++) at[k] += w * column[c] * (double)from[c];
        }
    }
    if (s->anchor_weight && left > 1e-6) {
        const sn_vec3 held = sn_add(sn_q_rotate(b->anchor_rotation, a->centre[sphere]), b->anchor_position);
        at[0] += left * (double)held.x, at[1] += left * (double)held.y, at[2] += left * (double)held.z;
    }
    return sn_v3((sn_real)at[0], (sn_real)at[1], (sn_real)at[2]);
}

// The cube root of a positive number, by Newton's iteration from above.
static double cube_root(double x) {
    double y = x > 1 ? x : 1;
    for (int k = 0; k < 60; k++) {
        const double next = (2 * y + x / (y * y)) / 3;
        if (!(next < y)) break;
        y = next;
    }
    return y;
}

// The scale of lengths around a sphere: the cube root of the volume ratio of its handles' linear parts.
static double growth_of(const sn_elastic_body *b, int sphere) {
    const sn_elastic_space *s = b->space;
    const sn_elastic_asset *a = s->asset;
    const double scale = scale_of(a, sphere);
    double f[9] = {0}, left = 1;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
        const double w = (double)a->sphere_weight[e] * scale;
        left -= w;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                f[3 * k + c] += w * (double)b->q[k * s->columns + s->column[a->sphere_handle[e]] + 1 + c];
    }
    if (left > 1e-6) return 1; // partly anchored
    const double det =
        f[0] * (f[4] * f[8] - f[5] * f[7]) + f[1] * (f[5] * f[6] - f[3] * f[8]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
    return det > 0.125 ? (det < 8 ? cube_root(det) : 2)
                       : 0.5; // limited: a sphere does not vanish when its surroundings are crushed
}

sn_vec3 sn_elastic_body_sphere(const sn_elastic_body *b, int i, sn_real *radius) {
    if (radius) *radius = (sn_real)(growth_of(b, i) * (double)b->space->asset->radius[i]);
    return centre_of(b, b->q, i);
}

void sn_elastic_body_spheres(const sn_elastic_body *b, sn_vec3 *centre, sn_vec3 *start, sn_real *radius) {
    for (int i = 0; i < b->space->asset->sphere_count; i++) {
        if (centre) centre[i] = centre_of(b, b->q, i);
        if (start) start[i] = centre_of(b, b->start, i);
        if (radius) radius[i] = (sn_real)(growth_of(b, i) * (double)b->space->asset->radius[i]);
    }
}

void sn_elastic_sphere_row(const sn_elastic_space *s, int sphere, sn_vec3 offset, sn_real share,
                           sn_elastic_point_row *row) {
    const sn_elastic_asset *a = s->asset;
    const double scale = scale_of(a, sphere) * (double)share;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
        const int handle = a->sphere_handle[e], columns = sn_elastic_columns(a, handle);
        const sn_vec3 arm = sn_sub(a->centre[sphere], sn_elastic_handle_centre(a, handle));
        const double d[3] = {(double)arm.x + (double)offset.x, (double)arm.y + (double)offset.y,
                             (double)arm.z + (double)offset.z};
        double column[SN_ELASTIC_QUADRATIC];
        sn_elastic_monomials(d, columns, column);
        for (int c = 0; c < columns; c++) {
            row->column[row->count] = s->column[handle] + c;
            row->value[row->count++] = (sn_real)((double)a->sphere_weight[e] * scale * column[c]);
        }
    }
}

int sn_elastic_sphere_row_size(const sn_elastic_asset *a, int sphere) {
    return (a->sphere_first[sphere + 1] - a->sphere_first[sphere]) * SN_ELASTIC_QUADRATIC;
}

// ---- where a body is touched
//
// The ball of radius r around a point of the axis is the ellipsoid F of the body's deformation F there. Its outermost point in the
// direction n, and how far that is from the axis:
//
//     rest offset  r F^T n / |F^T n|          reach  n . F offset = r |F^T n|
//
// The reach changes with F as that material point moves along n, so a contact that moves the point knows all that it does.

// Adds how a handle's map moves what is 'offset' from 'arm', less what it moves there.
static void add_relative(const sn_real *q, int stride, int columns, const double arm[3], const double offset[3],
                         double w, double out[3]) {
    const double at[3] = {arm[0] + offset[0], arm[1] + offset[1], arm[2] + offset[2]};
    double here[SN_ELASTIC_QUADRATIC], there[SN_ELASTIC_QUADRATIC];
    sn_elastic_monomials(arm, columns, here), sn_elastic_monomials(at, columns, there);
    for (int k = 0; k < 3; k++)
        for (int c = 1; c < columns; c++) out[k] += w * (there[c] - here[c]) * (double)q[k * stride + c];
}

// What is 'offset' from a sphere's centre at rest, in a state.
static void relative_in(const sn_elastic_body *b, const sn_real *q, int sphere, double share, const double offset[3],
                        double out[3]) {
    const sn_elastic_space *s = b->space;
    const sn_elastic_asset *a = s->asset;
    const double scale = scale_of(a, sphere);
    double left = 1;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
        const int handle = a->sphere_handle[e];
        const double w = (double)a->sphere_weight[e] * scale;
        double arm[3];
        sn_to_doubles(sn_sub(a->centre[sphere], sn_elastic_handle_centre(a, handle)), arm);
        left -= w;
        add_relative(q + s->column[handle], s->columns, sn_elastic_columns(a, handle), arm, offset, share * w, out);
    }
    if (!s->anchor_weight || left < 1e-6) return;
    const sn_vec3 held =
        sn_q_rotate(b->anchor_rotation, sn_v3((sn_real)offset[0], (sn_real)offset[1], (sn_real)offset[2]));
    out[0] += share * left * (double)held.x, out[1] += share * left * (double)held.y;
    out[2] += share * left * (double)held.z;
}

// Of all that is between the spheres, a vertex of the surface tells how the point moves: the maps of its handles, with its weights. The
// sphere's own would not do, they are those of its centre: what is pressed then is no part of the body, and gives way.
//
// Where the ball and the surface are not the same, as at rims and faces, planes touch patches, which are single vertices: always the same
// ones, or energy would be made as contacts go from one to another. Other things touch the balls.

// The vertex of the spheres that is nearest to 'offset' from the axis; -1: there is none.
static int nearest_vertex(const sn_elastic_body *b, const sn_surface_points *points, const sn_contact_where *where,
                          const double axis[3], const double offset[3]) {
    int best = -1;
    double min = 0;
    for (int i = 0; i < 3; i++) {
        if (where->weight[i] == 0) continue;
        for (int k = points->first[where->node[i]]; k < points->first[where->node[i] + 1]; k++) {
            const int v = points->vertex[k];
            double d[3];
            sn_to_doubles(b->space->asset->rest[v], d);
            for (int m = 0; m < 3; m++) d[m] -= axis[m] + offset[m];
            const double square = d3_dot(d, d);
            if (best < 0 || square < min) best = v, min = square;
        }
    }
    return best;
}

// What is at 'point' at rest, by the weights of a vertex.
static void position_of(const sn_elastic_body *b, const sn_real *q, int vertex, const double point[3], double out[3]) {
    const sn_elastic_space *s = b->space;
    const sn_elastic_asset *a = s->asset;
    double left = 1;
    out[0] = out[1] = out[2] = 0;
    for (int e = a->first[vertex]; e < a->first[vertex + 1]; e++) {
        const int handle = a->handle[e], columns = sn_elastic_columns(a, handle);
        const double w = (double)s->weight[e];
        double arm[3], column[SN_ELASTIC_QUADRATIC];
        sn_to_doubles(sn_elastic_handle_centre(a, handle), arm);
        for (int k = 0; k < 3; k++) arm[k] = point[k] - arm[k];
        sn_elastic_monomials(arm, columns, column);
        left -= w;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < columns; c++)
                out[k] += w * column[c] * (double)q[k * s->columns + s->column[handle] + c];
    }
    if (!s->anchor_weight || left < 1e-6) return;
    const sn_vec3 rest = {(sn_real)point[0], (sn_real)point[1], (sn_real)point[2]};
    const sn_vec3 held = sn_add(sn_q_rotate(b->anchor_rotation, rest), b->anchor_position);
    out[0] += left * (double)held.x, out[1] += left * (double)held.y, out[2] += left * (double)held.z;
}

void sn_elastic_vertex_row(const sn_elastic_space *s, int vertex, sn_vec3 point, sn_elastic_point_row *row) {
    const sn_elastic_asset *a = s->asset;
    for (int e = a->first[vertex]; e < a->first[vertex + 1]; e++) {
        const int handle = a->handle[e], columns = sn_elastic_columns(a, handle);
        const sn_vec3 arm = sn_sub(point, sn_elastic_handle_centre(a, handle));
        double column[SN_ELASTIC_QUADRATIC];
        sn_elastic_monomials((const double[3]){(double)arm.x, (double)arm.y, (double)arm.z}, columns, column);
        for (int c = 0; c < columns; c++) {
            row->column[row->count] = s->column[handle] + c;
            row->value[row->count++] = (sn_real)((double)s->weight[e] * column[c]);
        }
    }
}

// F^T n at the axis, of length 1: the direction at rest.
static void direction_at_rest(const sn_elastic_body *b, const sn_contact_where *where, const double n[3], double radius,
                              double out[3]) {
    const double small = 1e-3 * radius; // the map's derivative is a difference
    const sn_real *q = where->start ? b->start : b->q;
    for (int k = 0; k < 3; k++) {
        double step[3] = {0}, moved[3] = {0};
        step[k] = small;
        for (int i = 0; i < 3; i++)
            if (where->weight[i] != 0) relative_in(b, q, where->node[i], (double)where->weight[i], step, moved);
        out[k] = d3_dot(n, moved) / small;
    }
    const double size = sqrt(d3_dot(out, out));
    for (int k = 0; k < 3; k++) out[k] *= size > 0 ? 1 / size : 0;
}

void sn_elastic_body_contact_point(const sn_elastic_body *b, const sn_surface_points *points, int patch,
                                   const sn_contact_where *where, sn_contact_point_at *out) {
    const sn_elastic_asset *a = b->space->asset;
    double n[3], radius = 0, axis[3] = {0}, direction[3], offset[3], now[3] = {0}, then[3] = {0};
    sn_to_doubles(where->direction, n);
    for (int i = 0; i < 3; i++) {
        double centre[3];
        sn_to_doubles(a->centre[where->node[i]], centre);
        radius += (double)(where->weight[i] * a->radius[where->node[i]]);
        for (int k = 0; k < 3; k++) axis[k] += (double)where->weight[i] * centre[k];
    }
    if (patch >= 0) {
        out->vertex = points->patch_vertex[patch];
        sn_to_doubles(a->rest[out->vertex], offset);
        for (int k = 0; k < 3; k++) offset[k] -= axis[k];
    } else {
        direction_at_rest(b, where, n, radius, direction);
        for (int k = 0; k < 3; k++) offset[k] = radius * direction[k];
        out->vertex = nearest_vertex(b, points, where, axis, offset);
    }
    for (int state = 0; state < (where->start ? 1 : 2); state++) {
        const sn_real *q = state || where->start ? b->start : b->q;
        double *to = state ? then : now, point[3];
        for (int k = 0; k < 3; k++) point[k] = axis[k] + offset[k];
        if (out->vertex >= 0) position_of(b, q, out->vertex, point, to);
        for (int i = 0; i < 3; i++) {
            if (where->weight[i] == 0) continue;
            if (out->vertex < 0) {
                relative_in(b, q, where->node[i], (double)where->weight[i], offset, to);
                continue;
            }
            double centre[3];
            sn_to_doubles(centre_of(b, q, where->node[i]), centre);
            for (int k = 0; k < 3; k++) to[k] -= (double)where->weight[i] * centre[k];
        }
    }
    out->offset = sn_v3((sn_real)offset[0], (sn_real)offset[1], (sn_real)offset[2]);
    out->reach = (sn_real)d3_dot(n, now);
    out->moved = sn_v3(0, 0, 0);
    if (where->start) return;
    // Along the surface: what turns by an angle has gone an arc, not its chord.
    double across[3], arc = 1;
    d3_cross(then, now, across);
    const double along = d3_dot(then, now), sine = sqrt(d3_dot(across, across));
    if (sine > 0 && along > 0)
        arc = sqrt(d3_dot(now, now) * d3_dot(then, then)) / sine * (double)sn_atan2((sn_real)sine, (sn_real)along);
    out->moved = sn_v3((sn_real)(arc * (now[0] - then[0])), (sn_real)(arc * (now[1] - then[1])),
                       (sn_real)(arc * (now[2] - then[2])));
}
