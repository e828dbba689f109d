// See obstacle_mesh.h.
#include "scene/obstacle_mesh.h"
#include "base/math/vec.h"
#include "view/pill_mesh.h"

static sn_vec3 vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static bool mesh_shape(sn_mesh *out, const mesh_spec *spec, sn_vec3 position, sn_quat rotation) {
    if (!sn_mesh_alloc(out, spec->vertices.count, spec->triangles.count, 0)) return false;
    for (int v = 0; v < out->vertex_count; v++) {
        sn_vec3 x = sn_add(position, sn_q_rotate(rotation, vec(spec->vertices.items[v])));
        out->position[v][0] = (float)x.x, out->position[v][1] = (float)x.y, out->position[v][2] = (float)x.z;
    }
    for (int t = 0; t < out->triangle_count; t++) {
        for (int k = 0; k < 3; k++) out->triangle[t][k] = (int)spec->triangles.items[t][k];
    }
    return sn_mesh_make_normals(out);
}

bool obstacle_mesh(sn_mesh *out, const rigid_spec *spec, sn_vec3 position, sn_quat rotation) {
    sn_real ball = (sn_real)spec->sphere.radius;
    if (spec->sphere.head.type) return pill_mesh_pill(out, position, position, ball, ball);
    if (spec->box.head.type) return pill_mesh_box(out, position, rotation, vec(spec->box.half));
    if (spec->mesh.head.type) return mesh_shape(out, &spec->mesh, position, rotation);
    sn_vec3 from = sn_add(position, sn_q_rotate(rotation, vec(spec->pill.from)));
    sn_vec3 to = sn_add(position, sn_q_rotate(rotation, vec(spec->pill.to)));
    const double *radii = spec->pill.radii.items, radius = spec->pill.radius;
    return pill_mesh_pill(out, from, to, (sn_real)(radii ? radii[0] : radius), (sn_real)(radii ? radii[1] : radius));
}
