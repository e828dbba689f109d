// Elastic bodies are surfaces: the fine surface of their asset, if it has one, else that of their tetrahedra.
#include "view/view_kinds.h"

static int points(const sn_world *world, sn_body body, sn_vec3 *out, int capacity) {
    return sn_elastic_get_drawn(world, body, out, capacity);
}

static int radii(const sn_world *world, sn_body body, sn_real *out, int capacity) {
    const int count = points(world, body, NULL, 0);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = 0;
    return count;
}

static int triangles(const sn_world *world, sn_body body, int32_t (*out)[3], int capacity) {
    const sn_elastic_asset *a = sn_elastic_model_asset(sn_elastic_get_model(world, body));
    if (!a) return 0;
    const int count = a->drawn_count > 0 ? a->drawn_triangle_count : a->triangle_count;
    int(*const from)[3] = a->drawn_count > 0 ? a->drawn_triangles : a->triangles;
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 3; k++) out[i][k] = from[i][k];
    return count;
}

static bool is_solid(const sn_world *world, sn_body body) {
    (void)world, (void)body;
    return true;
}

const view_kind view_elastic = {.kind = SN_KIND_ELASTIC,
                                .form = VIEW_SURFACE,
                                .points = points,
                                .radii = radii,
                                .is_solid = is_solid,
                                .triangles = triangles};
