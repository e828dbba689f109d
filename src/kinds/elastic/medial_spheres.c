// Medial spheres of a body: the collision nodes, and the displacements by contacts.
//
// The centre of a sphere is the blend of its handles' maps, c = sum_j w_j T_j(c0 - c_j); for a handle's own sphere it
// is the handle's translation. An impulse p at the sphere, distributed over the translations t_j of its handles in the
// metric of their masses m_j (subspace.h: moment), gives
//
//     dt_j = w_j p / m_j,     dc = sum_j w_j dt_j = (sum_j w_j^2 / m_j) p
//
// The sum in brackets is the sphere's inverse mass. The momentum of the body changes by sum_j m_j dt_j = p because
// weights add up to 1.
#include "kinds/elastic/elastic_internal.h"
#include <string.h>

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

// The mass of a handle's translation, limited from below: negative weights could make it 0.
static double handle_mass(const sn_elastic_body *b, int handle) {
    const sn_elastic_space *s = b->space;
    const double min = 1e-3 * s->volume / s->asset->handle_count, moved = (double)s->moment[s->column[handle]];
    return (double)b->def.density * (moved > min ? moved : min);
}

static double inverse_mass_of(const sn_elastic_body *b, int sphere) {
    const sn_elastic_asset *a = b->space->asset;
    const double scale = scale_of(a, sphere);
    double sum = 0;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
        const double w = (double)a->sphere_weight[e] * scale;
        sum += w * w / handle_mass(b, a->sphere_handle[e]);
    }
    return sum;
}

void sn_elastic_body_sphere_inverse_masses(const sn_elastic_body *b, sn_real *out) {
    for (int i = 0; i < b->space->asset->sphere_count; i++) out[i] = (sn_real)inverse_mass_of(b, i);
}

void sn_elastic_body_move_spheres(sn_elastic_body *b, const sn_vec3 *moved, bool shift, sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    const sn_elastic_asset *a = s->asset;
    bool any = false;
    memset(b->change, 0, 3 * (size_t)s->columns * sizeof *b->change);
    for (int i = 0; i < a->sphere_count; i++) {
        if (moved[i].x == 0 && moved[i].y == 0 && moved[i].z == 0) continue;
        const double scale = scale_of(a, i), inverse_mass = inverse_mass_of(b, i);
        if (!(inverse_mass > 0)) continue;
        any = true;
        for (int e = a->sphere_first[i]; e < a->sphere_first[i + 1]; e++) {
            const int handle = a->sphere_handle[e];
            const double k = (double)a->sphere_weight[e] * scale / (handle_mass(b, handle) * inverse_mass);
            sn_real *to = b->change + s->column[handle];
            to[0] += (sn_real)(k * (double)moved[i].x);
            to[s->columns] += (sn_real)(k * (double)moved[i].y);
            to[2 * s->columns] += (sn_real)(k * (double)moved[i].z);
        }
    }
    if (!any) return;
    for (int i = 0; i < 3 * s->columns; i++) b->q[i] += b->change[i];
    for (int i = 0; shift && i < 3 * s->columns; i++) b->start[i] += b->change[i];
    for (int k = 0; !shift && k < 3; k++) b->free_motion[k] += sn_elastic_first_moment(b, b->change, k);
    sn_elastic_lift_all(b, b->change, b->target, b->target, pool);
    b->history_count = 0; // the energy has changed
}
