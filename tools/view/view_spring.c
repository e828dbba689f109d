// Mass-spring systems are surfaces: their triangles, or their springs as lines.
#include "view/view_kinds.h"
#include <stdlib.h>

static sn_springs springs_of(view_id body) {
    return (sn_springs){body.slot1, body.gen};
}

static view_id at(const sn_world *world, int i) {
    const sn_springs springs = sn_world_springs_at(world, i);
    return (view_id){0, springs.slot1, springs.gen};
}

static uint64_t label(const sn_world *world, view_id body) {
    return sn_springs_label(world, springs_of(body));
}

static int points(const sn_world *world, view_id body, sn_vec3 *out, int capacity) {
    return sn_springs_get_points(world, springs_of(body), out, capacity);
}

static int velocities(const sn_world *world, view_id body, sn_vec3 *out, int capacity) {
    return sn_springs_get_velocities(world, springs_of(body), out, capacity);
}

static int masses(const sn_world *world, view_id body, sn_real *out, int capacity) {
    return sn_springs_get_masses(world, springs_of(body), out, capacity);
}

static int radii(const sn_world *world, view_id body, sn_real *out, int capacity) {
    const int count = sn_springs_point_count(world, springs_of(body));
    const sn_real radius = sn_springs_radius(world, springs_of(body));
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = radius;
    return count;
}

static int triangles(const sn_world *world, view_id body, int32_t (*out)[3], int capacity) {
    return sn_springs_get_triangles(world, springs_of(body), out ? &out[0][0] : NULL, capacity);
}

static int lines(const sn_world *world, view_id body, int32_t (*out)[2], int capacity) {
    const int count = sn_springs_spring_count(world, springs_of(body));
    if (!out || count == 0) return count;
    sn_spring *all = malloc((size_t)count * sizeof *all);
    if (!all) return 0;
    sn_springs_get_springs(world, springs_of(body), all, count);
    for (int i = 0; i < count && i < capacity; i++) out[i][0] = all[i].a, out[i][1] = all[i].b;
    free(all);
    return count;
}

static bool is_solid(const sn_world *world, view_id body) {
    return sn_springs_tet_count(world, springs_of(body)) > 0;
}

static double volume(const sn_world *world, view_id body) {
    return sn_springs_volume(world, springs_of(body));
}

static double rest_volume(const sn_world *world, view_id body) {
    return sn_springs_rest_volume(world, springs_of(body));
}

static sn_energy energy(const sn_world *world, view_id body) {
    return sn_springs_energy(world, springs_of(body));
}

static sn_status add_impulse(sn_world *world, view_id body, int point, sn_vec3 impulse) {
    return sn_springs_add_impulse(world, springs_of(body), point, impulse);
}

typedef struct {
    sn_surface surface;
    bool touches, self;
    int count;
    sn_spring springs[];
} spring_settings;

static void *copy_settings(const sn_world *world, view_id body) {
    const int count = sn_springs_spring_count(world, springs_of(body));
    spring_settings *copy = malloc(sizeof *copy + (size_t)count * sizeof *copy->springs);
    if (!copy) return NULL;
    copy->count = count;
    sn_springs_get_springs(world, springs_of(body), copy->springs, count);
    sn_springs_get_contact(world, springs_of(body), &copy->surface, &copy->touches, &copy->self);
    return copy;
}

static void scale_settings(sn_world *world, view_id body, const void *settings, float stiffness, float friction) {
    const spring_settings *of = settings;
    for (int i = 0; i < of->count; i++) {
        const sn_spring *s = &of->springs[i];
        sn_springs_set_spring(world, springs_of(body), i, (sn_real)stiffness * s->stiffness, s->damping, s->rest);
    }
    sn_surface surface = of->surface;
    surface.friction_static *= (sn_real)friction;
    surface.friction_dynamic *= (sn_real)friction;
    sn_springs_set_contact(world, springs_of(body), &surface, of->touches, of->self);
}

const view_kind view_spring = {.name = "spring",
                               .form = VIEW_SURFACE,
                               .count = sn_world_springs_count,
                               .at = at,
                               .label = VIEW_FOR_FILES(label),
                               .points = points,
                               .velocities = velocities,
                               .masses = masses,
                               .radii = VIEW_FOR_FILES(radii),
                               .is_solid = is_solid,
                               .volume = volume,
                               .rest_volume = rest_volume,
                               .energy = VIEW_FOR_FILES(energy),
                               .triangles = triangles,
                               .lines = lines,
                               .add_impulse = add_impulse,
                               .copy_settings = copy_settings,
                               .scale_settings = scale_settings};
