// Spring bodies of scene files: checks an entry of kind "spring", and creates its copies.
#include "scene/scene_spring.h"
#include "base/math/vec.h"
#include "scene/placement.h"
#include "scene/scene_kinds.h"
#include "scene/scene_material.h"
#include "scene/scene_rigid.h"
#include "scene/selection.h"
#include <stdlib.h>

const springs_spec *scene_springs_of(const scene_body *body) {
    return body->spec->head.type == &scene_spring_table ? (const springs_spec *)body->spec : NULL;
}

// --- checking ---

// Keys that need a certain form.
static bool check_keys(const springs_spec *spec, error_list *errors, const json_path *path) {
    const bool solid = spec->solid.head.type, sheet = spec->cloth.head.type || spec->net.head.type;
    const struct {
        const char *key;
        bool fits;
        const char *with;
    } keys[] = {
        {"material", solid, "\"solid\"; a cloth or net has \"fabric\", a chain its own"},
        {"fabric", sheet, "\"cloth\" or \"net\"; a solid has \"material\", a chain its own"},
        {"keep_volumes", solid, "\"solid\""},
        {"penalty", solid, "\"solid\""},
        {"penalty_naive", solid && fields_has(spec, "penalty"), "\"penalty\""},
        {"wind", !spec->chain.head.type, "\"cloth\", \"net\" or \"solid\""},
        {"air", !spec->chain.head.type, "\"cloth\", \"net\" or \"solid\""},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_path at = {path, keys[i].key, 0};
        if (!fields_has(spec, keys[i].key) || keys[i].fits) continue;
        error_at_key(errors, &at, "needs %s", keys[i].with);
        good = false;
    }
    return good;
}

static int64_t check_springs(const scene_checker *checker, const body_spec *body) {
    const springs_spec *spec = (const springs_spec *)body;
    sn_scene *scene = checker->scene;
    error_list *errors = &scene->errors;
    const json_path material = {checker->path, "material", 0};
    const bool forms[] = {spec->chain.head.type, spec->cloth.head.type, spec->net.head.type, spec->solid.head.type};
    if (forms[0] + forms[1] + forms[2] + forms[3] != 1) {
        error_at(errors, checker->path, "needs exactly one of \"chain\", \"cloth\", \"net\" and \"solid\"");
        return 0;
    }
    scene_surface_check(&spec->surface, errors, checker->path);
    if (!check_keys(spec, errors, checker->path)) return 0;
    if (!scene_material_check(scene, spec->material, &material)) return 0;
    spring_form *form = spring_form_make(scene, spec, checker->path);
    checker->out->form = form;
    if (!form) return 0;
    const spring_initial_spec *start = spec->initial.items;
    for (int i = 0; i < spec->initial.count; i++) {
        const json_path list = {checker->path, "initial", 0}, path = {&list, NULL, (size_t)i};
        selection_check(&start[i].select, &start[i], form->net.count, false, errors, &path);
    }
    return form->net.count;
}

// --- building ---

static sn_vec3 vector(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

// Buffers for one copy.
typedef struct {
    const springs_spec *spec;
    const spring_form *form;
    sn_vec3 *points, *velocities;
    sn_real *masses;
    sn_spring_distance *distances;
} springs_maker;

static bool maker_alloc(springs_maker *maker, sn_arena *arena) {
    const size_t n = (size_t)maker->form->net.count, springs = (size_t)maker->form->net.spring_count;
    maker->points = sn_arena_alloc(arena, n, sizeof *maker->points);
    maker->velocities = sn_arena_alloc(arena, n, sizeof *maker->velocities);
    maker->masses = sn_arena_alloc(arena, n, sizeof *maker->masses);
    if (maker->spec->keep_lengths) maker->distances = sn_arena_alloc(arena, springs + 1, sizeof *maker->distances);
    return maker->points && maker->velocities && maker->masses && (maker->distances || !maker->spec->keep_lengths);
}

// Positions and velocities of the points of a copy. The form is already scaled.
static void place_points(const springs_maker *maker, placement at) {
    const sn_spring_net *net = &maker->form->net;
    const springs_spec *spec = maker->spec;
    const spring_initial_spec *start = spec->initial.items;
    sn_vec3 middle = {0, 0, 0};
    at.scale = 1;
    for (int i = 0; i < net->count; i++) {
        const double p[3] = {(double)net->points[i].x, (double)net->points[i].y, (double)net->points[i].z};
        maker->points[i] = placement_apply(&at, p);
        maker->masses[i] = maker->form->held[i] ? 0 : net->masses[i];
        middle = sn_mul_add(middle, 1 / (sn_real)net->count, maker->points[i]);
    }
    for (int i = 0; i < net->count; i++) {
        const sn_vec3 turning = sn_cross(vector(spec->angular_velocity), sn_sub(maker->points[i], middle));
        maker->velocities[i] = sn_add(vector(spec->velocity), turning);
    }
    for (int i = 0; i < spec->initial.count; i++) {
        const selection points = selection_of(&start[i].select, &start[i], net->count);
        for (int k = 0; k < points.count; k++) {
            sn_vec3 *velocity = &maker->velocities[selection_at(&points, k)];
            *velocity = sn_add(*velocity, vector(start[i].velocity));
        }
    }
}

static sn_springs_def define(const springs_maker *maker, uint64_t label) {
    const springs_spec *spec = maker->spec;
    sn_springs_def def = sn_springs_def_of(&maker->form->net);
    def.points = maker->points;
    def.velocities = maker->velocities;
    def.masses = maker->masses;
    def.bulk = maker->form->bulk;
    def.radius = (sn_real)(spec->radius * spec->body.scale);
    def.integrator = (sn_spring_integrator)spec->integrator;
    def.tolerance = (sn_real)spec->tolerance;
    def.iterations = spec->iterations;
    def.drag = (sn_real)spec->drag + maker->form->drag;
    def.wind = vector(spec->wind);
    def.air = (sn_real)(fields_has(spec, "wind") && !fields_has(spec, "air") ? 1.2 : spec->air);
    def.strain = (sn_real)spec->strain;
    def.keep_volumes = spec->keep_volumes;
    def.rounds = spec->rounds;
    def.penalty = (sn_real)spec->penalty;
    def.penalty_naive = spec->naive;
    def.surface = scene_surface(&spec->surface);
    def.collide = spec->collide;
    def.self_collide = spec->self_collide;
    def.family = (uint32_t)spec->family;
    def.label = label;
    for (int i = 0; maker->distances && i < def.spring_count; i++) {
        const sn_spring *spring = &maker->form->net.springs[i];
        maker->distances[i] = (sn_spring_distance){spring->a, spring->b, spring->rest, false};
    }
    def.distances = maker->distances;
    def.distance_count = maker->distances ? def.spring_count : 0;
    return def;
}

static void free_form(void *form) {
    spring_form_free(form);
}

static sn_status build_springs(sn_scene *scene, sn_world *world, scene_body *body) {
    springs_maker maker = {.spec = (const springs_spec *)body->spec, .form = scene_spring_form(body)};
    sn_arena arena;
    sn_arena_init(&arena, &scene->memory);
    sn_status status = maker_alloc(&maker, &arena) ? SN_OK : SN_ERR_MEMORY;
    for (int copy = 0; copy < body->copies && status == SN_OK; copy++) {
        scene->building_copy = copy;
        place_points(&maker, placement_of_copy(body->spec, scene->spec.seed, body->index, copy));
        const sn_springs_def def = define(&maker, scene_label(body->index, copy));
        status = sn_springs_create(world, &def, &scene->ids[body->first + copy]);
    }
    sn_arena_free(&arena);
    return status;
}

static bool has_volume(const scene_body *body) {
    return scene_spring_form(body)->encloses;
}

static void describe(const sn_scene *scene, const sn_world *world, const scene_body *body, char *out, size_t capacity) {
    (void)scene, (void)world;
    const sn_spring_net *net = &scene_spring_form(body)->net;
    snprintf(out, capacity, "%d springs, %d triangles and %d tetrahedra", net->spring_count, net->triangle_count,
             net->tet_count);
}

const scene_kind scene_spring_kind = {.table = &scene_spring_table,
                                      .one = "a spring body",
                                      .many = "spring bodies",
                                      .check = check_springs,
                                      .build = build_springs,
                                      .free_form = free_form,
                                      .describe = describe,
                                      .find_place = scene_find_point_place,
                                      .tracks = &scene_spring_tracks,
                                      .skins = &scene_spring_skins,
                                      .has_volume = has_volume};
