// Shapes of scene files, from the entries of "shapes".
#include "io/scene_shapes.h"
#include "base/trig.h"
#include "base/vec.h"

sn_surface scene_surface(const surface_spec *spec) {
    sn_surface surface = sn_surface_default();
    surface.friction_static = (sn_real)spec->friction_static;
    surface.friction_dynamic = sn_min((sn_real)spec->friction_dynamic, surface.friction_static);
    surface.restitution = (sn_real)spec->restitution;
    surface.compliance = (sn_real)spec->compliance;
    return surface;
}

static int ways(const obstacle_spec *shape) {
    return shape->plane + (shape->ball.head.type != NULL) + (shape->box.head.type != NULL) +
           (shape->pill.head.type != NULL);
}

void scene_shapes_check(sn_scene *scene) {
    const obstacle_spec *shapes = scene->spec.shapes.items;
    for (int i = 0; i < scene->spec.shapes.count; i++) {
        json_path list = {NULL, "shapes", 0}, path = {&list, NULL, (size_t)i};
        if (!shapes[i].head.bad && ways(&shapes[i]) != 1)
            mistake_at(&scene->mistakes, &path, "needs exactly one of \"plane\": true, \"ball\", \"box\" and \"pill\"");
    }
}

static sn_vec3 vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_quat turn_of(const rotation_spec *rotation) {
    if (!rotation->head.type) return sn_q_identity();
    sn_vec3 axis = sn_normalize(vec(rotation->axis), sn_v3(0, 1, 0));
    sn_real sine, cosine;
    sn_sincos((sn_real)(rotation->degrees * (double)SN_PI / 360), &sine, &cosine);
    return (sn_quat){sine * axis.x, sine * axis.y, sine * axis.z, cosine};
}

sn_status scene_shapes_build(const sn_scene *scene, sn_world *world) {
    const obstacle_spec *shapes = scene->spec.shapes.items;
    sn_status status = SN_OK;
    for (int i = 0; i < scene->spec.shapes.count && status == SN_OK; i++) {
        const obstacle_spec *spec = &shapes[i];
        sn_shape_def def = sn_shape_def_default();
        sn_shape id;
        def.position = vec(spec->position);
        def.rotation = turn_of(&spec->rotation);
        def.surface = scene_surface(&spec->surface);
        def.label = (uint64_t)i;
        if (spec->ball.head.type) {
            def.kind = SN_SHAPE_SPHERE;
            def.radii[0] = (sn_real)spec->ball.radius;
        } else if (spec->box.head.type) {
            def.kind = SN_SHAPE_BOX;
            def.half = vec(spec->box.half);
        } else if (spec->pill.head.type) {
            def.kind = SN_SHAPE_PILL;
            def.ends[0] = vec(spec->pill.from), def.ends[1] = vec(spec->pill.to);
            def.radii[0] = def.radii[1] = (sn_real)spec->pill.radius;
        }
        status = sn_shape_create(world, &def, &id);
    }
    return status;
}
