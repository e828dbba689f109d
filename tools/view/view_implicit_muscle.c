// Implicit muscles are covered by the skin of their character. A body is all muscles of a character; each is a tube.
#include "view/view_kinds.h"

static int tube_count(const sn_world *world, sn_body body) {
    return sn_implicit_muscles_count(world, body);
}

static int tube_points(const sn_world *world, sn_body body, int tube, sn_vec3 *out, int capacity) {
    return sn_implicit_muscles_get_surface(world, body, tube, VIEW_TUBE_SIDES, out, capacity);
}

static double penetration(const sn_world *world, sn_body body) {
    return (double)sn_implicit_muscles_penetration(world, body);
}

const view_kind view_implicit_muscle = {.kind = SN_KIND_IMPLICIT_MUSCLE,
                                        .form = VIEW_COVERED,
                                        .tube_count = tube_count,
                                        .tube_points = tube_points,
                                        .tube_volume = sn_implicit_muscles_volume,
                                        .tube_penetration = penetration};
