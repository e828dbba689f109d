// Elastic bodies are surfaces: the fine surface of their asset, if it has one, else that of their tetrahedra.
#include "view/view_kinds.h"

static sn_elastic elastic_of(view_id body) {
    return (sn_elastic){body.slot1, body.gen};
}

static view_id at(const sn_world *world, int i) {
    const sn_elastic elastic = sn_world_elastic_at(world, i);
    return (view_id){0, elastic.slot1, elastic.gen};
}

static uint64_t label(const sn_world *world, view_id body) {
    return sn_elastic_label(world, elastic_of(body));
}

static int points(const sn_world *world, view_id body, sn_vec3 *out, int capacity) {
    return sn_elastic_get_drawn(world, elastic_of(body), out, capacity);
}

static int radii(const sn_world *world, view_id body, sn_real *out, int capacity) {
    const int count = points(world, body, NULL, 0);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = 0;
    return count;
}

static int triangles(const sn_world *world, view_id body, int32_t (*out)[3], int capacity) {
    const sn_elastic_asset *a = sn_elastic_model_asset(sn_elastic_get_model(world, elastic_of(body)));
    if (!a) return 0;
    const int count = a->drawn_count > 0 ? a->drawn_triangle_count : a->triangle_count;
    int(*const from)[3] = a->drawn_count > 0 ? a->drawn_triangles : a->triangles;
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 3; k++) out[i][k] = from[i][k];
    return count;
}

static bool is_solid(const sn_world *world, view_id body) {
    (void)world, (void)body;
    return true;
}

static double volume(const sn_world *world, view_id body) {
    return sn_elastic_volume(world, elastic_of(body));
}

static double rest_volume(const sn_world *world, view_id body) {
    return sn_elastic_rest_volume(world, elastic_of(body));
}

static sn_energy energy(const sn_world *world, view_id body) {
    return sn_elastic_energy(world, elastic_of(body));
}

const view_kind view_elastic = {.name = "elastic",
                                .form = VIEW_SURFACE,
                                .count = sn_world_elastic_count,
                                .at = at,
                                .label = label,
                                .points = points,
                                .radii = radii,
                                .is_solid = is_solid,
                                .volume = volume,
                                .rest_volume = rest_volume,
                                .energy = energy,
                                .triangles = triangles};
