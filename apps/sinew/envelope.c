// A vertex x with the sections k and weights w_k is at sum of w_k (C_k + s_k R_k U_k (x - mu_k)), as skins show it (skin_follow.c); the
// volume inside is the sum of the tetrahedra between triangles and a point.
#include "envelope.h"
#include "base/math/vec.h"
#include "scene/placement.h"
#include "scene/scene_muscle.h"
#include <stdlib.h>

static sn_vec3 section_of(const sn_section *s, sn_vec3 x) {
    const sn_vec3 from = sn_q_rotate(sn_q_conj(s->axes), sn_sub(x, s->rest));
    const sn_vec3 to = sn_q_rotate(s->axes, sn_v3(s->wide * from.x, from.y / s->wide, from.z));
    return sn_mul_add(s->centre, s->scale, sn_q_rotate(s->rotation, to));
}

static sn_vec3 vertex_of(const envelopes *e, const sn_mesh *skin, int v) {
    const float *p = skin->position[v];
    const sn_vec3 x = {(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    sn_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        if (skin->weight[v][k] > 0)
            sum = sn_mul_add(sum, (sn_real)skin->weight[v][k], section_of(&e->sections[skin->joint[v][k]], x));
    return sum;
}

static double volume_of(const envelopes *e, const sn_world *world, int muscle) {
    const sn_mesh *skin = &e->skins[muscle];
    const sn_bundle id = e->scene->muscles[muscle].id;
    double volume = 0;
    if (skin->vertex_count == 0 || sn_bundle_get_sections(world, id, NULL, 0) == 0) return 0;
    sn_bundle_get_sections(world, id, e->sections, sn_bundle_get_sections(world, id, NULL, 0));
    for (int t = 0; t < skin->triangle_count; t++) {
        sn_vec3 at[3];
        for (int k = 0; k < 3; k++) at[k] = sn_sub(vertex_of(e, skin, skin->triangle[t][k]), e->sections[0].centre);
        volume += (double)sn_dot(at[0], sn_cross(at[1], at[2])) / 6;
    }
    return volume;
}

bool envelopes_open(envelopes *e, const sn_scene *scene, const sn_world *world) {
    const size_t n = (size_t)scene->muscle_count;
    int sections = 0;
    *e = (envelopes){.scene = scene, .muscles = scene->muscle_count};
    for (int i = 0; i < e->muscles; i++) {
        const int count = sn_bundle_get_sections(world, scene->muscles[i].id, NULL, 0);
        sections = count > sections ? count : sections;
    }
    e->skins = calloc(n + 1, sizeof *e->skins);
    e->first = calloc(n + 1, sizeof *e->first);
    e->sections = calloc((size_t)sections + 1, sizeof *e->sections);
    if (!e->skins || !e->first || !e->sections) return false;
    for (int i = 0; i < e->muscles; i++) {
        const scene_body *body = scene->muscles[i].body;
        if (!scene_muscle_has_skin(body)) continue;
        if (!scene_muscle_skin(body, &e->skins[i])) return false;
        const placement at = placement_of_copy(body->spec, scene->spec.seed, body->index, scene->muscles[i].copy);
        for (int v = 0; v < e->skins[i].vertex_count; v++) {
            float *p = e->skins[i].position[v];
            const sn_vec3 to = placement_apply(&at, (const double[3]){(double)p[0], (double)p[1], (double)p[2]});
            p[0] = (float)to.x, p[1] = (float)to.y, p[2] = (float)to.z;
        }
        e->first[i] = volume_of(e, world, i);
    }
    return true;
}

void envelopes_free(envelopes *e) {
    for (int i = 0; e->skins && i < e->muscles; i++) sn_mesh_free(&e->skins[i]);
    free(e->skins);
    free(e->first);
    free(e->sections);
    *e = (envelopes){0};
}

double envelope_volume(const envelopes *e, const sn_world *world, int muscle) {
    return e->first[muscle] > 0 ? volume_of(e, world, muscle) / e->first[muscle] : 0;
}
