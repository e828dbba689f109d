// The public makers of nets: defaults and checks; spring_topology.c does the work.
#include "kinds/spring/spring_topology.h"

sn_spring_chain sn_spring_chain_default(void) {
    return (sn_spring_chain){.to = {1, 0, 0}, .count = 11, .mass = (sn_real)0.1, .params = {1000, (sn_real)0.1}};
}

sn_spring_cloth sn_spring_cloth_default(void) {
    return (sn_spring_cloth){.across = {1, 0, 0},
                             .down = {0, 0, 1},
                             .columns = 21,
                             .rows = 21,
                             .mass = (sn_real)0.2,
                             .structural = {500, (sn_real)0.05},
                             .shear = {200, (sn_real)0.05},
                             .bend = {20, (sn_real)0.01}};
}

sn_spring_surface sn_spring_surface_default(void) {
    return (sn_spring_surface){.density = (sn_real)0.2,
                               .edge = {500, (sn_real)0.05},
                               .bend = {20, (sn_real)0.01},
                               .spacing = (sn_real)-0.02,
                               .straight = {500, (sn_real)0.05},
                               .diagonal = {500, (sn_real)0.05}};
}

sn_spring_solid sn_spring_solid_default(void) {
    return (sn_spring_solid){.density = 1000, .edge = {500, (sn_real)0.5}, .volumes = true};
}

// ---- checks: null, or an error message

enum { MAX_POINTS = 20000000 };

static bool are_params(sn_spring_params params) {
    return params.stiffness >= 0 && params.stiffness <= (sn_real)1e15 && params.damping >= 0 &&
           params.damping <= (sn_real)1e15;
}

static bool is_mass(sn_real mass) {
    return mass > 0 && mass <= (sn_real)1e15;
}

static const char *wrong_chain(const sn_spring_chain *c) {
    if (!sn_finite3(c->from) || !sn_finite3(c->to)) return "from, to: must be finite numbers";
    if (c->count < 2 || c->count > MAX_POINTS) return "count: must be from 2 to 20000000";
    if (!is_mass(c->mass)) return "mass: must be more than 0, and at most 1e15 kg";
    if (!are_params(c->params)) return "params: must be from 0 to 1e15";
    return NULL;
}

static const char *wrong_cloth(const sn_spring_cloth *c) {
    if (!sn_finite3(c->corner) || !sn_finite3(c->across) || !sn_finite3(c->down))
        return "corner, across, down: must be finite numbers";
    if (c->columns < 2 || c->columns > MAX_POINTS) return "columns: must be from 2 to 20000000";
    if (c->rows < 2 || c->rows > MAX_POINTS / c->columns)
        return "rows: must be 2 or more, at most 20000000 points in all";
    if (!is_mass(c->mass)) return "mass: must be more than 0, and at most 1e15 kg";
    if (!are_params(c->structural)) return "structural: must be from 0 to 1e15";
    if (!are_params(c->shear)) return "shear: must be from 0 to 1e15";
    if (!are_params(c->bend)) return "bend: must be from 0 to 1e15";
    return NULL;
}

static bool are_points(const sn_vec3 *points, int count) {
    for (int i = 0; i < count; i++)
        if (!sn_finite3(points[i])) return false;
    return true;
}

static bool are_numbers(const int32_t *numbers, size_t count, int points) {
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] >= points) return false;
    return true;
}

static const char *wrong_surface(const sn_spring_surface *s) {
    if (s->shells < 0 || s->shells > 1000) return "shells: must be from 0 to 1000";
    if (!s->points || s->count < 3 || s->count > MAX_POINTS / (s->shells + 1))
        return "points: must be 3 or more, at most 20000000 with all shells";
    if (!s->triangles || s->triangle_count < 1 || s->triangle_count > 2 * MAX_POINTS)
        return "triangles: must be from 1 to 40000000";
    if (!are_points(s->points, s->count)) return "points: must be finite numbers";
    if (!are_numbers(s->triangles, 3 * (size_t)s->triangle_count, s->count))
        return "triangles: corners must be numbers of points";
    for (int t = 0; t < s->triangle_count; t++) {
        const int32_t *c = s->triangles + 3 * (size_t)t;
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) return "triangles: each must have three different corners";
    }
    if (!is_mass(s->density)) return "density: must be more than 0, and at most 1e15 kg/m^2";
    if (s->shells > 0 && (!sn_finite(s->spacing) || s->spacing == 0)) return "spacing: must not be 0 with shells";
    if (!are_params(s->edge)) return "edge: must be from 0 to 1e15";
    if (!are_params(s->bend)) return "bend: must be from 0 to 1e15";
    if (!are_params(s->straight)) return "straight: must be from 0 to 1e15";
    if (!are_params(s->diagonal)) return "diagonal: must be from 0 to 1e15";
    return NULL;
}

static const char *wrong_solid(const sn_spring_solid *s) {
    if (!s->points || s->count < 4 || s->count > MAX_POINTS) return "points: must be from 4 to 20000000";
    if (!s->tets || s->tet_count < 1 || s->tet_count > 2 * MAX_POINTS) return "tets: must be from 1 to 40000000";
    if (!are_points(s->points, s->count)) return "points: must be finite numbers";
    if (!are_numbers(s->tets, 4 * (size_t)s->tet_count, s->count)) return "tets: corners must be numbers of points";
    for (int t = 0; t < s->tet_count; t++) {
        const int32_t *c = s->tets + 4 * (size_t)t;
        for (int k = 0; k < 4; k++)
            if (c[k] == c[(k + 1) % 4] || c[k] == c[(k + 2) % 4]) return "tets: each must have four different corners";
    }
    if (!is_mass(s->density)) return "density: must be more than 0, and at most 1e15 kg/m^3";
    if (!are_params(s->edge)) return "edge: must be from 0 to 1e15";
    return NULL;
}

// ---- makers

static sn_status begin(const void *plan, const char *error, const sn_allocator *allocator, sn_spring_net *out) {
    if (!out) return SN_ERR_RANGE;
    sn_spring_net_init(out, allocator);
    out->error = plan ? error : "nothing was asked for: null";
    return out->error ? SN_ERR_RANGE : SN_OK;
}

static sn_status finish(int first, sn_spring_net *out) {
    if (first >= 0) return SN_OK;
    sn_spring_net_free(out);
    return SN_ERR_MEMORY;
}

sn_status sn_springs_make_chain(const sn_spring_chain *chain, const sn_allocator *allocator, sn_spring_net *out) {
    const sn_status status = begin(chain, chain ? wrong_chain(chain) : NULL, allocator, out);
    return status == SN_OK ? finish(sn_spring_net_chain(out, chain), out) : status;
}

sn_status sn_springs_make_cloth(const sn_spring_cloth *cloth, const sn_allocator *allocator, sn_spring_net *out) {
    const sn_status status = begin(cloth, cloth ? wrong_cloth(cloth) : NULL, allocator, out);
    return status == SN_OK ? finish(sn_spring_net_cloth(out, cloth), out) : status;
}

sn_status sn_springs_make_surface(const sn_spring_surface *surface, const sn_allocator *allocator, sn_spring_net *out) {
    const sn_status status = begin(surface, surface ? wrong_surface(surface) : NULL, allocator, out);
    return status == SN_OK ? finish(sn_spring_net_surface(out, surface), out) : status;
}

sn_status sn_springs_make_solid(const sn_spring_solid *solid, const sn_allocator *allocator, sn_spring_net *out) {
    const sn_status status = begin(solid, solid ? wrong_solid(solid) : NULL, allocator, out);
    return status == SN_OK ? finish(sn_spring_net_solid(out, solid), out) : status;
}
