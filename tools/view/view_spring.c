// Mass-spring systems are surfaces: their triangles, or their springs as lines.
#include "view/view_kinds.h"
#include <stdlib.h>

static int points(const sn_world *world, sn_body body, sn_vec3 *out, int capacity) {
    return sn_body_get_points(world, body, out, capacity);
}

static int radii(const sn_world *world, sn_body body, sn_real *out, int capacity) {
    const int count = sn_body_point_count(world, body);
    const sn_real radius = sn_springs_radius(world, body);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = radius;
    return count;
}

static int triangles(const sn_world *world, sn_body body, int32_t (*out)[3], int capacity) {
    return sn_springs_get_triangles(world, body, out ? &out[0][0] : NULL, capacity);
}

static int lines(const sn_world *world, sn_body body, int32_t (*out)[2], int capacity) {
    const int count = sn_springs_spring_count(world, body);
    if (!out || count == 0) return count;
    sn_spring *all = malloc((size_t)count * sizeof *all);
    if (!all) return 0;
    sn_springs_get_springs(world, body, all, count);
    for (int i = 0; i < count && i < capacity; i++) out[i][0] = all[i].a, out[i][1] = all[i].b;
    free(all);
    return count;
}

static bool is_solid(const sn_world *world, sn_body body) {
    return sn_springs_tet_count(world, body) > 0;
}

static sn_status add_impulse(sn_world *world, sn_body body, int point, sn_vec3 impulse) {
    return sn_springs_add_impulse(world, body, point, impulse);
}

typedef struct {
    sn_surface surface;
    bool collides, self;
    int count;
    sn_spring springs[];
} spring_settings;

static void *copy_settings(const sn_world *world, sn_body body) {
    const int count = sn_springs_spring_count(world, body);
    spring_settings *copy = malloc(sizeof *copy + (size_t)count * sizeof *copy->springs);
    if (!copy) return NULL;
    copy->count = count;
    sn_springs_get_springs(world, body, copy->springs, count);
    sn_body_get_contact(world, body, &copy->surface, &copy->collides, &copy->self);
    return copy;
}

static void scale_settings(sn_world *world, sn_body body, const void *settings, const view_factors *factors) {
    const spring_settings *of = settings;
    for (int i = 0; i < of->count; i++) {
        const sn_spring *s = &of->springs[i];
        sn_springs_set_spring(world, body, i, (sn_real)factors->stiffness * s->stiffness, s->damping, s->rest);
    }
    sn_surface surface = of->surface;
    surface.friction_static *= (sn_real)factors->friction;
    surface.friction_dynamic *= (sn_real)factors->friction;
    sn_body_set_contact(world, body, &surface, of->collides, of->self);
}

const view_kind view_spring = {.kind = SN_KIND_SPRING,
                               .form = VIEW_SURFACE,
                               .points = points,
                               .radii = VIEW_FOR_FILES(radii),
                               .is_solid = is_solid,
                               .triangles = triangles,
                               .lines = lines,
                               .add_impulse = add_impulse,
                               .copy_settings = copy_settings,
                               .scale_settings = scale_settings};
