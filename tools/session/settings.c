// The sliders of the page. Materials and surfaces are computed from those of the scene, so that a slider that returns
// to its start leaves no trace.
#include "session/session_internal.h"
#include <math.h>

// The length of fully activated rods.
#define CONTRACTED 0.6f

static const struct {
    float low, high;
} ranges[SET_COUNT] = {{-50, 50}, {0, 50}, {1, 50}, {1, 100}, {0.01f, 100}, {0, 100}, {0, 20}, {0, 5}, {0, 1}, {0, 1}};

static float length3(const float v[3]) {
    return sqrtf((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
}

void session_init_settings(session *s) {
    const page_header *header = s->page;
    const float start[SET_COUNT] = {length3(header->gravity),
                                    (float)header->substeps,
                                    (float)header->iterations,
                                    (float)header->sweeps,
                                    1,
                                    1,
                                    0,
                                    1,
                                    0,
                                    1};
    for (int i = 0; i < SET_COUNT; i++) s->set[i] = s->start_set[i] = start[i];
}

static void set_gravity(session *s) {
    const float *g = s->page->gravity, size = length3(g), by = s->set[SET_GRAVITY];
    sn_vec3 to = {0, -by, 0};
    if (size > 0) to = (sn_vec3){g[0] / size * by, g[1] / size * by, g[2] / size * by};
    if (by == s->start_set[SET_GRAVITY]) to = (sn_vec3){g[0], g[1], g[2]};
    sn_world_set_gravity(s->world, to);
}

static void scale_body(session *s, sn_body body, const void *made) {
    const view_factors factors = {s->set[SET_STIFFNESS], s->set[SET_VOLUME], s->set[SET_DAMPING], s->set[SET_FRICTION]};
    const view_kind *kind = view_kind_of(body);
    if (kind->scale_settings) kind->scale_settings(s->world, body, made, &factors);
}

static void set_bodies(session *s) {
    for (int i = 0; i < s->rod_count; i++) scale_body(s, s->rods[i].id, s->rods[i].made);
    for (int i = 0; i < s->soft_count; i++) scale_body(s, s->soft[i].id, s->soft[i].made);
    for (int i = 0; i < s->rigid_count; i++) scale_body(s, s->rigid[i].id, s->rigid[i].made);
}

static void set_activation(session *s) {
    const float length = 1 - (1 - CONTRACTED) * s->set[SET_ACTIVATION];
    for (int i = 0; i < s->rod_count; i++) {
        const view_kind *kind = view_kind_of(s->rods[i].id);
        if (kind->contract) kind->contract(s->world, s->rods[i].id, length);
    }
}

static void apply(session *s, int which) {
    switch (which) {
    case SET_GRAVITY:
        set_gravity(s);
        break;
    case SET_ITERATIONS:
        sn_world_set_solver(s->world, (sn_solver)s->page->solver, (int)s->set[which]);
        break;
    case SET_SWEEPS:
        sn_world_set_contact_sweeps(s->world, (int)s->set[which]);
        break;
    case SET_STIFFNESS:
    case SET_VOLUME:
    case SET_DAMPING:
    case SET_FRICTION:
        set_bodies(s);
        break;
    case SET_ACTIVATION:
        set_activation(s);
        break;
    case SET_SLEEPING:
        sn_world_set_sleeping(s->world, s->set[which] > 0.5f);
        break;
    default:
        break; // substeps are given with each step
    }
}

void session_set(session *s, int which, float value) {
    const float low = ranges[which].low, high = ranges[which].high;
    value = value < low ? low : value > high ? high : value;
    if (which == SET_SUBSTEPS || which == SET_ITERATIONS || which == SET_SWEEPS || which == SET_SLEEPING)
        value = (float)(int)(value + 0.5f);
    if (value == s->set[which]) return;
    s->set[which] = value;
    apply(s, which);
}

void session_reapply_settings(session *s) {
    for (int i = 0; i < SET_COUNT; i++)
        if (s->set[i] != s->start_set[i]) apply(s, i);
}
