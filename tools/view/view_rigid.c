// Rigid bodies are drawn by a mesh of the scene, at their pose.
#include "view/view_kinds.h"
#include <stdlib.h>

static void *copy_settings(const sn_world *world, sn_body body) {
    sn_surface *copy = malloc(sizeof *copy);
    if (copy) sn_body_get_surface(world, body, copy);
    return copy;
}

static void scale_settings(sn_world *world, sn_body body, const void *settings, const view_factors *factors) {
    sn_surface surface = *(const sn_surface *)settings;
    surface.friction_static *= (sn_real)factors->friction;
    surface.friction_dynamic *= (sn_real)factors->friction;
    sn_body_set_surface(world, body, &surface);
}

const view_kind view_rigid = {.kind = SN_KIND_RIGID,
                              .form = VIEW_RIGID,
                              .pose = sn_rigid_get_pose,
                              .copy_settings = copy_settings,
                              .scale_settings = scale_settings};
