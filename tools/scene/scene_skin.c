// See scene_skin.h.
#include "scene/scene_skin.h"

// The body of an entry (-1: none) whose kind has skins around pills. Null: it has none.
static const scene_body *pills_of(const sn_scene *scene, int entry) {
    const scene_body *body = entry >= 0 ? &scene->bodies[entry] : NULL;
    return body && body->kind && body->kind->skins && body->kind->skins->make ? body : NULL;
}

const char *scene_skin_file(const sn_scene *scene, int entry) {
    const scene_body *body = pills_of(scene, entry);
    return body ? body->kind->skins->file(body) : NULL;
}

bool scene_has_skin(const sn_scene *scene, int entry) {
    const scene_body *body = pills_of(scene, entry);
    return body && body->kind->skins->has_skin(body);
}

bool scene_same_skin(const sn_scene *scene, int first, int second) {
    const scene_body *a = pills_of(scene, first), *b = pills_of(scene, second);
    if (!a || !b) return a == b;
    return a->kind == b->kind && a->kind->skins->is_same(a, b);
}

bool scene_make_skin(view_mesh *out, const sn_scene *scene, int entry, const sn_vec3 *local, const sn_real *radii,
                     const int *parents, int n, double scale, tool_error *error) {
    const scene_body *body = pills_of(scene, entry);
    return body->kind->skins->make(out, scene, body, local, radii, parents, n, scale, error);
}

const sn_mesh *scene_embedded_skin(const sn_scene *scene, int entry) {
    const scene_body *body = entry >= 0 ? &scene->bodies[entry] : NULL;
    if (!body || !body->kind || !body->kind->skins || !body->kind->skins->embedded) return NULL;
    return body->kind->skins->embedded(body);
}

view_place *scene_embedded_places(const sn_scene *scene, int entry) {
    const scene_body *body = &scene->bodies[entry];
    return body->kind->skins->places(body);
}
