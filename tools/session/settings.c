// What sliders of the page are bound to. Materials and surfaces are set from what the scene made them with, so that a
// slider that comes back to its start leaves no trace.
#include "session/session_internal.h"
#include <math.h>
#include <stdlib.h>

// Activated fully, rods are this long.
#define CONTRACTED 0.6f

static const struct {
    float low, high;
} ranges[SET_COUNT] = {{-50, 50}, {1, 50}, {1, 50}, {1, 100}, {0.01f, 100}, {0, 100}, {0, 20}, {0, 5}, {0, 1}, {0, 1}};

bool live_setting_range(int which, float *low, float *high) {
    if (which < 0 || which >= SET_COUNT) return false;
    *low = ranges[which].low, *high = ranges[which].high;
    return true;
}

static float length3(const float v[3]) {
    return sqrtf((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
}

void live_settings_start(live *at) {
    const bake_header *bake = at->bake;
    const float start[SET_COUNT] = {
        length3(bake->gravity), (float)bake->substeps, (float)bake->iterations, (float)bake->sweeps, 1, 1, 0, 1, 0, 1};
    for (int i = 0; i < SET_COUNT; i++) at->set[i] = at->start_set[i] = start[i];
}

static void set_gravity(live *at) {
    const float *g = at->bake->gravity, size = length3(g), by = at->set[SET_GRAVITY];
    sn_vec3 to = {0, -by, 0};
    if (size > 0) to = (sn_vec3){g[0] / size * by, g[1] / size * by, g[2] / size * by};
    if (by == at->start_set[SET_GRAVITY]) to = (sn_vec3){g[0], g[1], g[2]};
    sn_world_set_gravity(at->world, to);
}

static void set_materials(live *at) {
    for (int i = 0; i < at->rod_count; i++) {
        const live_rod *rod = &at->rods[i];
        sn_material *m = malloc((size_t)rod->points * sizeof *m);
        for (int k = 0; m && k < rod->points; k++) {
            const float stiff = at->set[SET_STIFFNESS];
            m[k] = rod->materials[k];
            m[k].young *= stiff, m[k].shear *= stiff, m[k].transverse *= stiff, m[k].scale_bend *= stiff;
            m[k].volume *= stiff * at->set[SET_VOLUME];
            m[k].damping += at->set[SET_DAMPING];
        }
        if (m) sn_rod_set_materials(at->world, rod->id, m, rod->points);
        free(m);
    }
}

// Bodies that are not rods have a stiffness and a friction.
static void set_soft(live *at) {
    for (int i = 0; i < at->soft_count; i++) {
        const live_soft *soft = &at->soft[i];
        const view_kind *kind = view_kind_of(soft->id);
        if (kind->scale_settings)
            kind->scale_settings(at->world, soft->id, soft->made, at->set[SET_STIFFNESS], at->set[SET_FRICTION]);
    }
}

static sn_surface rub(sn_surface surface, float friction) {
    surface.friction_static *= friction;
    surface.friction_dynamic *= friction;
    return surface;
}

static void set_friction(live *at) {
    for (int i = 0; i < at->rod_count; i++) {
        const sn_surface surface = rub(at->rods[i].surface, at->set[SET_FRICTION]);
        sn_body_set_contact(at->world, at->rods[i].id, &surface, at->rods[i].collide, at->rods[i].self);
    }
    for (int i = 0; i < at->shape_count; i++) {
        const sn_surface surface = rub(at->shapes[i].surface, at->set[SET_FRICTION]);
        sn_body_set_surface(at->world, at->shapes[i].id, &surface);
    }
}

static void set_activation(live *at) {
    const float length = 1 - (1 - CONTRACTED) * at->set[SET_ACTIVATION];
    for (int i = 0; i < at->rod_count; i++)
        for (int k = 0; k < at->rods[i].points; k++) sn_rod_set_segment(at->world, at->rods[i].id, k, 1, length);
}

static void apply(live *at, int which) {
    switch (which) {
    case SET_GRAVITY:
        set_gravity(at);
        break;
    case SET_ITERATIONS:
        sn_world_set_solver(at->world, (sn_solver)at->bake->solver, (int)at->set[which]);
        break;
    case SET_SWEEPS:
        sn_world_set_contact_sweeps(at->world, (int)at->set[which]);
        break;
    case SET_STIFFNESS:
        set_materials(at);
        set_soft(at);
        break;
    case SET_VOLUME:
    case SET_DAMPING:
        set_materials(at);
        break;
    case SET_FRICTION:
        set_friction(at);
        set_soft(at);
        break;
    case SET_ACTIVATION:
        set_activation(at);
        break;
    case SET_SLEEPING:
        sn_world_set_sleeping(at->world, at->set[which] > 0.5f);
        break;
    default:
        break; // substeps are given with each step
    }
}

void live_set(live *at, int which, float value) {
    const float low = ranges[which].low, high = ranges[which].high;
    value = value < low ? low : value > high ? high : value;
    if (which == SET_SUBSTEPS || which == SET_ITERATIONS || which == SET_SWEEPS || which == SET_SLEEPING)
        value = (float)(int)(value + 0.5f);
    if (value == at->set[which]) return;
    at->set[which] = value;
    apply(at, which);
}

void live_set_again(live *at) {
    for (int i = 0; i < SET_COUNT; i++)
        if (at->set[i] != at->start_set[i]) apply(at, i);
}
