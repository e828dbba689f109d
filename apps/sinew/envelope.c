// A vertex x with the sections k and weights w_k is at sum of w_k (C_k + s_k R_k U_k (x - mu_k)), as skins show it (skin_follow.c); the
// volume inside is the sum of the tetrahedra between triangles and a point.
#include "envelope.h"
#include "base/math/vec.h"
#include "scene/placement.h"
#include "scene/scene_muscle.h"
#include <stdlib.h>

// By its columns: where a section has the axes, and the origin.
typedef struct envelope_section {
    sn_vec3 by[3], at;
} section_map;

static sn_vec3 section_of(const sn_section *s, sn_vec3 x) {
    const sn_vec3 from = sn_q_rotate(sn_q_conj(s->axes), x);
    const sn_vec3 to = sn_q_rotate(s->axes, sn_v3(s->wide * from.x, from.y / s->wide, from.z));
    return sn_mul(s->scale, sn_q_rotate(s->rotation, to));
}

static section_map map_of(const sn_section *s) {
    return (section_map){{section_of(s, sn_v3(1, 0, 0)), section_of(s, sn_v3(0, 1, 0)), section_of(s, sn_v3(0, 0, 1))},
                         s->centre};
}

static void place_vertices(const envelopes *e, const sn_mesh *skin, int sections) {
    for (int k = 0; k < sections; k++) e->maps[k] = map_of(&e->sections[k]);
    for (int v = 0; v < skin->vertex_count; v++) {
        const float *p = skin->position[v];
        sn_vec3 sum = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            if (!(skin->weight[v][k] > 0)) continue;
            const section_map *map = &e->maps[skin->joint[v][k]];
            const sn_vec3 x =
                sn_sub(sn_v3((sn_real)p[0], (sn_real)p[1], (sn_real)p[2]), e->sections[skin->joint[v][k]].rest);
            sn_vec3 to = sn_sub(map->at, e->sections[0].centre);
            to = sn_mul_add(sn_mul_add(sn_mul_add(to, x.x, map->by[0]), x.y, map->by[1]), x.z, map->by[2]);
            sum = sn_mul_add(sum, (sn_real)skin->weight[v][k], to);
        }
        e->vertices[v] = sum;
    }
}

static double volume_of(const envelopes *e, const sn_world *world, int muscle) {
    const sn_mesh *skin = &e->skins[muscle];
    const sn_bundle id = e->scene->muscles[muscle].id;
    const int sections = skin->vertex_count ? sn_bundle_get_sections(world, id, NULL, 0) : 0;
    double volume = 0;
    if (sections == 0) return 0;
    sn_bundle_get_sections(world, id, e->sections, sections);
    place_vertices(e, skin, sections);
    for (int t = 0; t < skin->triangle_count; t++) {
        const int *corner = skin->triangle[t];
        volume += (double)sn_dot(e->vertices[corner[0]], sn_cross(e->vertices[corner[1]], e->vertices[corner[2]])) / 6;
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
    e->maps = calloc((size_t)sections + 1, sizeof *e->maps);
    if (!e->skins || !e->first || !e->sections || !e->maps) return false;
    int vertices = 0;
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
        vertices = e->skins[i].vertex_count > vertices ? e->skins[i].vertex_count : vertices;
    }
    e->vertices = calloc((size_t)vertices + 1, sizeof *e->vertices);
    for (int i = 0; e->vertices && i < e->muscles; i++) e->first[i] = volume_of(e, world, i);
    return e->vertices;
}

void envelopes_free(envelopes *e) {
    for (int i = 0; e->skins && i < e->muscles; i++) sn_mesh_free(&e->skins[i]);
    free(e->skins);
    free(e->first);
    free(e->sections);
    free(e->maps);
    free(e->vertices);
    *e = (envelopes){0};
}

double envelope_volume(const envelopes *e, const sn_world *world, int muscle) {
    return e->first[muscle] > 0 ? volume_of(e, world, muscle) / e->first[muscle] : 0;
}
