// Implicit muscles are covered by the skin of their character. A body is all muscles of a character; each is a tube.
#include "view/view_kinds.h"

static sn_muscles muscles_of(view_id body) {
    return (sn_muscles){body.slot1, body.gen};
}

static view_id at(const sn_world *world, int i) {
    const sn_muscles muscles = sn_world_muscles_at(world, i);
    return (view_id){0, muscles.slot1, muscles.gen};
}

static uint64_t label(const sn_world *world, view_id body) {
    return sn_muscles_label(world, muscles_of(body));
}

static int tube_count(const sn_world *world, view_id body) {
    return sn_muscles_count(world, muscles_of(body));
}

static int tube_points(const sn_world *world, view_id body, int tube, sn_vec3 *out, int capacity) {
    return sn_muscles_get_surface(world, muscles_of(body), tube, VIEW_TUBE_SIDES, out, capacity);
}

const view_kind view_implicit_muscle = {.name = "implicit_muscle",
                                        .form = VIEW_COVERED,
                                        .count = sn_world_muscles_count,
                                        .at = at,
                                        .label = label,
                                        .tube_count = tube_count,
                                        .tube_points = tube_points};
