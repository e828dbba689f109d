// See obstacle_mesh.h.
#include "scene/obstacle_mesh.h"
#include "base/math/vec.h"
#include "geometry/hull.h"
#include "scene/placement.h"
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

// Every face has corners of its own, so that it looks flat.
static bool mesh_hull(sn_mesh *out, const mesh_spec *spec, sn_vec3 position, sn_quat rotation) {
    sn_memory memory;
    sn_memory_init(&memory, &(sn_allocator){0});
    const size_t count = (size_t)spec->vertices.count;
    sn_vec3 *points = sn_alloc(&memory, count, sizeof *points);
    sn_hull hull = {0};
    for (size_t i = 0; points && i < count; i++)
        points[i] = sn_add(position, sn_q_rotate(rotation, vec(spec->vertices.items[i])));
    bool good = points && sn_hull_build(&memory, points, spec->vertices.count, &hull) != SN_ERR_MEMORY &&
                sn_mesh_alloc(out, 3 * hull.face_count, hull.face_count, 0);
    for (int i = 0; good && i < 3 * hull.face_count; i++) {
        const sn_vec3 x = hull.vertices[hull.faces[i / 3][i % 3]];
        out->position[i][0] = (float)x.x, out->position[i][1] = (float)x.y, out->position[i][2] = (float)x.z;
        out->triangle[i / 3][i % 3] = i;
    }
    sn_free(&memory, points, count, sizeof *points);
    sn_hull_free(&memory, &hull);
    return good && sn_mesh_make_normals(out);
}

static bool append(sn_mesh *out, const sn_mesh *more) {
    sn_mesh both;
    if (!sn_mesh_alloc(&both, out->vertex_count + more->vertex_count, out->triangle_count + more->triangle_count,
                       MESH_NORMAL))
        return false;
    const sn_mesh *of[2] = {out, more};
    int v = 0, t = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3 * of[k]->triangle_count; i++, t++)
            both.triangle[t / 3][t % 3] = v + of[k]->triangle[i / 3][i % 3];
        for (int i = 0; i < of[k]->vertex_count; i++, v++)
            for (int x = 0; x < 3; x++) {
                both.position[v][x] = of[k]->position[i][x];
                both.normal[v][x] = of[k]->normal[i][x];
            }
    }
    sn_mesh_free(out);
    *out = both;
    return true;
}

static bool mesh_parts(sn_mesh *out, const rigid_spec *spec, sn_vec3 position, sn_quat rotation) {
    const rigid_spec *parts = spec->parts.items;
    bool good = true;
    for (int i = 0; good && i < spec->parts.count; i++) {
        double q[4] = {0, 0, 0, 1};
        if (parts[i].rotation.head.type) rotation_quaternion(&parts[i].rotation, q);
        const sn_quat turned = {(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
        const sn_vec3 at = sn_add(position, sn_q_rotate(rotation, vec(parts[i].position)));
        sn_mesh more = {0};
        good = obstacle_mesh(i == 0 ? out : &more, &parts[i], at, sn_q_mul(rotation, turned));
        if (i == 0) continue;
        good = good && append(out, &more);
        sn_mesh_free(&more);
    }
    return good;
}

bool obstacle_mesh(sn_mesh *out, const rigid_spec *spec, sn_vec3 position, sn_quat rotation) {
    if (spec->parts.count > 0) return mesh_parts(out, spec, position, rotation);
    if (spec->hull.head.type) return mesh_hull(out, &spec->hull, position, rotation);
    sn_real ball = (sn_real)spec->sphere.radius;
    if (spec->sphere.head.type) return pill_mesh_pill(out, position, position, ball, ball);
    if (spec->box.head.type) return pill_mesh_box(out, position, rotation, vec(spec->box.half));
    if (spec->mesh.head.type) return mesh_shape(out, &spec->mesh, position, rotation);
    sn_vec3 from = sn_add(position, sn_q_rotate(rotation, vec(spec->pill.from)));
    sn_vec3 to = sn_add(position, sn_q_rotate(rotation, vec(spec->pill.to)));
    const double *radii = spec->pill.radii.items, radius = spec->pill.radius;
    return pill_mesh_pill(out, from, to, (sn_real)(radii ? radii[0] : radius), (sn_real)(radii ? radii[1] : radius));
}
