// Particles are seen as balls: points that have lines only to themselves.
#include "particle.h"
#include "view/view_kinds.h"

static int points(const sn_world *world, sn_body body, sn_vec3 *out, int capacity) {
    return sn_body_get_points(world, body, out, capacity);
}

static int radii(const sn_world *world, sn_body body, sn_real *out, int capacity) {
    const int count = sn_body_point_count(world, body);
    const sn_real radius = sn_particles_radius(world, body);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = radius;
    return count;
}

static bool is_solid(const sn_world *world, sn_body body) {
    (void)world, (void)body;
    return true;
}

static int lines(const sn_world *world, sn_body body, int32_t (*out)[2], int capacity) {
    const int count = sn_body_point_count(world, body);
    for (int i = 0; out && i < count && i < capacity; i++) out[i][0] = out[i][1] = i;
    return count;
}

const view_kind view_particle = {.kind = SN_KIND_PARTICLE,
                                 .form = VIEW_SURFACE,
                                 .points = points,
                                 .radii = radii,
                                 .is_solid = is_solid,
                                 .lines = lines,
                                 .add_impulse = sn_particles_add_impulse};
