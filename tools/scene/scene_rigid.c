// Rigid bodies of scene files.
#include "scene/scene_rigid.h"
#include "base/math/vec.h"
#include "formats/quote.h"
#include "scene/placement.h"
#include "scene/scene_drive.h"
#include "scene/scene_mesh.h"
#include "scene/scene_pose_track.h"
#include "scene/scene_skeleton.h"
#include <stdlib.h>
#include <string.h>

// Of the materials by name (scene_fields.c), kg/m^3.
static const double densities[] = {600, 1900, 7870, 1000, 11340};

static uint32_t bits(const int_list *numbers) {
    uint32_t sum = 0;
    for (int i = 0; i < numbers->count; i++) sum |= UINT32_C(1) << numbers->items[i];
    return sum;
}

sn_surface scene_surface(const surface_spec *spec) {
    sn_surface surface = sn_surface_default();
    surface.friction_static = (sn_real)spec->friction_static;
    surface.friction_dynamic = sn_min((sn_real)spec->friction_dynamic, surface.friction_static);
    surface.restitution = (sn_real)spec->restitution;
    surface.compliance = (sn_real)spec->compliance;
    surface.rolling = (sn_real)spec->rolling, surface.torsion = (sn_real)spec->torsion;
    if (!spec->head.type) return surface;
    if (fields_has(spec, "group")) surface.group = bits(&spec->group);
    if (fields_has(spec, "mask")) surface.mask = bits(&spec->mask);
    return surface;
}

// --- checks ---

void scene_surface_check(const surface_spec *surface, error_list *errors, const json_path *path) {
    json_path key = {path, "surface", 0}, at = {&key, "friction_dynamic", 0};
    if (!surface->head.type) return;
    if (surface->friction_dynamic > surface->friction_static && fields_has(surface, "friction_dynamic"))
        error_at(errors, &at, "must be at most friction_static, %g, is %g", surface->friction_static,
                 surface->friction_dynamic);
}

static int geometry_count(const rigid_spec *shape) {
    return shape->plane + (shape->sphere.head.type != NULL) + (shape->box.head.type != NULL) +
           (shape->pill.head.type != NULL) + (shape->mesh.head.type != NULL) + (shape->hull.head.type != NULL) +
           (shape->parts.count > 0);
}

// Reads a mesh file into lists, as if the scene had them.
static void read_mesh(sn_scene *scene, mesh_spec *spec, const json_path *path) {
    sn_mesh mesh = {0};
    if (!scene_mesh_read(scene, spec->file, path, &mesh)) return;
    const size_t vertices = (size_t)mesh.vertex_count, triangles = (size_t)mesh.triangle_count;
    double(*places)[3] = sn_arena_alloc(&scene->arena, vertices, sizeof *places);
    double(*corners)[3] = sn_arena_alloc(&scene->arena, triangles, sizeof *corners);
    for (size_t i = 0; places && i < 3 * vertices; i++)
        places[i / 3][i % 3] = spec->scale * ((double)mesh.position[i / 3][i % 3] - spec->origin[i % 3]);
    for (size_t i = 0; corners && i < 3 * triangles; i++) corners[i / 3][i % 3] = mesh.triangle[i / 3][i % 3];
    spec->vertices = (vec_list){places, (int)vertices};
    spec->triangles = (vec_list){corners, (int)triangles};
    if (!places || !corners) error_at(&scene->errors, path, "does not fit into memory");
    sn_mesh_free(&mesh);
}

static void check_mesh(sn_scene *scene, mesh_spec *mesh, const json_path *path) {
    json_path at = {path, "mesh", 0}, list = {&at, "triangles", 0};
    const bool lists = fields_has(mesh, "vertices") && fields_has(mesh, "triangles"),
               any = fields_has(mesh, "vertices") || fields_has(mesh, "triangles");
    if (mesh->file ? any : !lists) {
        error_at(&scene->errors, &at, "needs \"file\", or \"vertices\" and \"triangles\"");
        return;
    }
    if (mesh->file) {
        read_mesh(scene, mesh, &at);
        return;
    }
    for (int i = 0; i < mesh->triangles.count; i++) {
        json_path triangle = {&list, NULL, (size_t)i};
        for (int k = 0; k < 3; k++) {
            double number = mesh->triangles.items[i][k];
            if (number >= 0 && number < mesh->vertices.count && number == (double)(int)number) continue;
            error_at(&scene->errors, &triangle, "must be indices of vertices, 0 to %d, has %.9g",
                     mesh->vertices.count - 1, number);
            break;
        }
    }
}

static void check_hull(sn_scene *scene, mesh_spec *hull, const json_path *path) {
    json_path at = {path, "hull", 0};
    if ((hull->file != NULL) == fields_has(hull, "vertices"))
        error_at(&scene->errors, &at, "needs \"file\" or \"vertices\"");
    else if (hull->file)
        read_mesh(scene, hull, &at);
}

static void check_dynamic(sn_scene *scene, const rigid_spec *shape, const json_path *path) {
    static const char *const names[] = {"material", "density", "mass", "rounding", "velocity", "angular_velocity"};
    const bool given[] = {fields_has(shape, "material"), fields_has(shape, "density"),
                          fields_has(shape, "mass"),     fields_has(shape, "rounding"),
                          fields_has(shape, "velocity"), fields_has(shape, "angular_velocity")};
    json_path dynamic = {path, "dynamic", 0}, density = {path, "density", 0}, rounding = {path, "rounding", 0};
    for (size_t k = 0; k < sizeof names / sizeof *names && !shape->dynamic; k++) {
        json_path at = {path, names[k], 0};
        if (given[k]) error_at(&scene->errors, &at, "is of a dynamic body: it needs \"dynamic\": true");
    }
    if (!shape->dynamic) return;
    if (shape->plane)
        error_at(&scene->errors, &dynamic, "needs \"sphere\", \"pill\", \"box\", \"hull\", \"mesh\" or \"parts\"");
    if (pose_track_given(&shape->motion)) error_at(&scene->errors, &dynamic, "cannot be combined with \"motion\"");
    if (given[0] && given[1]) error_at(&scene->errors, &density, "cannot be combined with \"material\"");
    const double *half = shape->box.half, smallest = half[0] < half[1] ? half[0] : half[1];
    const bool has_edges = shape->box.head.type || shape->hull.head.type || shape->mesh.head.type || shape->parts.count;
    if (given[3] && !has_edges) error_at(&scene->errors, &rounding, "is of boxes and hulls");
    if (given[3] && shape->box.head.type && shape->rounding > 0.9 * (smallest < half[2] ? smallest : half[2]))
        error_at(&scene->errors, &rounding, "must be at most 0.9 of the smallest half edge of the box");
}

static void check_geometry(sn_scene *scene, rigid_spec *shape, const json_path *path, const char *needs) {
    json_path pill = {path, "pill", 0}, rotation = {path, "rotation", 0}, axis_at = {&rotation, "axis", 0};
    const double *axis = shape->rotation.axis;
    if (geometry_count(shape) != 1) error_at(&scene->errors, path, "needs exactly one of %s", needs);
    if (shape->rotation.head.type && axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
        error_at(&scene->errors, &axis_at, "must have a direction, is [0, 0, 0]");
    }
    if (shape->pill.head.type && fields_has(&shape->pill, "radius") == fields_has(&shape->pill, "radii")) {
        error_at(&scene->errors, &pill, "needs one of \"radius\" and \"radii\"");
    }
    if (shape->mesh.head.type) check_mesh(scene, &shape->mesh, path);
    if (shape->hull.head.type) check_hull(scene, &shape->hull, path);
}

static void check_parts(sn_scene *scene, rigid_spec *shape, const json_path *path) {
    rigid_spec *parts = shape->parts.items;
    json_path list = {path, "parts", 0};
    if (shape->parts.count > 0 && !shape->dynamic)
        error_at(&scene->errors, &list, "are of a dynamic body: it needs \"dynamic\": true");
    for (int i = 0; i < shape->parts.count; i++) {
        const json_path at = {&list, NULL, (size_t)i}, density = {&at, "density", 0};
        if (parts[i].head.bad) continue;
        check_geometry(scene, &parts[i], &at, "\"sphere\", \"box\", \"pill\", \"hull\" and \"mesh\"");
        if (fields_has(&parts[i], "material") && fields_has(&parts[i], "density"))
            error_at(&scene->errors, &density, "cannot be combined with \"material\"");
    }
}

static void check_shape(sn_scene *scene, rigid_spec *shape, const json_path *path) {
    check_geometry(scene, shape, path,
                   "\"plane\": true, \"sphere\", \"box\", \"pill\", \"hull\", \"mesh\" and \"parts\"");
    check_parts(scene, shape, path);
    check_dynamic(scene, shape, path);
    pose_track_check(scene, &shape->motion, path);
}

static double copies_of(const rigid_spec *shape) {
    const int *count = shape->repeat.count.items;
    return shape->repeat.head.type ? (double)count[0] * count[1] * count[2] : 1;
}

static void check_name(sn_scene *scene, const rigid_spec *shape, int first, const json_path *path) {
    char quoted[QUOTE_SIZE];
    json_path at = {path, "name", 0};
    if (!shape->name) return;
    if (json_object_get(scene->rigid_names, shape->name)) {
        error_at(&scene->errors, &at, "another rigid body already has the name %s", quote(shape->name, quoted));
    } else if (json_object_set_new(scene->rigid_names, shape->name, json_integer(first)) != 0) {
        error_at(&scene->errors, &at, "does not fit into memory");
    }
}

// Every copy becomes an entry of its own.
static void spread(sn_scene *scene, int total) {
    const rigid_spec *from = scene->spec.rigid_bodies.items;
    rigid_spec *to = sn_arena_alloc(&scene->arena, (size_t)total, sizeof *to);
    if (!to) {
        error_at_place(&scene->errors, (json_place){0, 0}, "does not fit into memory");
        return;
    }
    int made = 0;
    for (int i = 0; i < scene->spec.rigid_bodies.count; i++) {
        body_spec body = {.scale = 1, .repeat = from[i].repeat};
        memcpy(body.position, from[i].position, sizeof body.position);
        for (int copy = 0; copy < (int)copies_of(&from[i]); copy++) {
            to[made] = from[i];
            to[made].entry = i, to[made].copy = copy;
            placement at = placement_of_copy(&body, 0, 0, copy);
            memcpy(to[made++].position, at.position, sizeof at.position);
        }
    }
    scene_skeletons_fill(scene, to + made);
    made += scene_skeletons_count(scene);
    scene->spec.rigid_bodies = (fields_list){to, made};
    scene->rigid_spread = true;
}

// Adds the names of bones, which come after the other rigid bodies, and returns the number of all.
static double check_bones(sn_scene *scene, int first) {
    const int count = scene_skeletons_count(scene);
    rigid_spec *bones = malloc(((size_t)count + 1) * sizeof *bones);
    if (count + first > SCENE_MAX_RIGID_BODIES || !bones) {
        const json_path path = {NULL, "skeletons", 0};
        error_at(&scene->errors, &path, "have %d rigid bodies; the limit of a scene is %d", count,
                 SCENE_MAX_RIGID_BODIES);
    } else {
        scene_skeletons_fill(scene, bones);
        for (int i = 0; i < count; i++) {
            const json_path list = {NULL, "skeletons", 0}, path = {&list, NULL, (size_t)bones[i].entry};
            check_name(scene, &bones[i], first + i, &path);
        }
    }
    free(bones);
    return first + count;
}

static void check(sn_scene *scene) {
    rigid_spec *shapes = scene->spec.rigid_bodies.items;
    double total = 0;
    scene->rigid_names = json_object();
    for (int i = 0; i < scene->spec.rigid_bodies.count; i++) {
        json_path list = {NULL, "rigid_bodies", 0}, path = {&list, NULL, (size_t)i};
        check_name(scene, &shapes[i], (int)total, &path);
        if (shapes[i].head.bad) continue;
        check_shape(scene, &shapes[i], &path);
        total += copies_of(&shapes[i]);
        if (total > SCENE_MAX_RIGID_BODIES) {
            error_at(&scene->errors, &path, "has %.0f copies; the limit of a scene is %d rigid bodies",
                     copies_of(&shapes[i]), SCENE_MAX_RIGID_BODIES);
            return;
        }
    }
    total = check_bones(scene, (int)total);
    if (scene->errors.count == 0 && total > 0) spread(scene, (int)total);
}

int scene_find_rigid(const sn_scene *scene, const char *name, int *copies) {
    const json_t *found = json_object_get(scene->rigid_names, name);
    const rigid_spec *shapes = scene->spec.rigid_bodies.items;
    if (!found || !scene->rigid_spread) return -1;
    int first = (int)json_integer_value(found);
    *copies = (int)copies_of(&shapes[first]);
    return first;
}

void scene_no_rigid(sn_scene *scene, const char *name, const json_path *at) {
    char quoted[QUOTE_SIZE], near_quoted[QUOTE_SIZE];
    int best = suggest_reach(name);
    const char *key, *near = NULL;
    json_t *value;
    json_object_foreach(scene->rigid_names, key, value) {
        if (!error_list_full(&scene->errors) && suggest_nearer(name, key, &best)) near = key;
    }
    quote(name, quoted);
    if (near) {
        error_at(&scene->errors, at, "no rigid body is called %s; did you mean %s?", quoted, quote(near, near_quoted));
    } else {
        error_at(&scene->errors, at, "no rigid body is called %s", quoted);
    }
}

// --- making and moving ---

static sn_vec3 vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_quat rotation_of(const rotation_spec *rotation) {
    double q[4] = {0, 0, 0, 1};
    if (rotation->head.type) rotation_quaternion(rotation, q);
    return (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}

static void place(const rigid_spec *spec, double t, sn_vec3 *position, sn_quat *rotation) {
    *position = vec(spec->position);
    *rotation = rotation_of(&spec->rotation);
    if (spec->bone) {
        scene_bone_place(spec->bone, t, position, rotation);
        return;
    }
    if (!pose_track_given(&spec->motion)) return;
    double at[3];
    sn_quat motion_rotation;
    pose_track_at(&spec->motion, t, spec->position, at, &motion_rotation);
    *position = vec(at);
    *rotation = sn_q_normalize(sn_q_mul(motion_rotation, *rotation));
}

static bool is_driven(const sn_scene *scene, int number) {
    const rigid_spec *spec = (const rigid_spec *)scene->spec.rigid_bodies.items + number;
    return spec->bone ? scene_bone_moves(spec->bone) : pose_track_given(&spec->motion);
}

static bool moves(const sn_scene *scene, int number) {
    return ((const rigid_spec *)scene->spec.rigid_bodies.items)[number].dynamic || is_driven(scene, number);
}

static void pose(const sn_scene *scene, int number, double t, sn_vec3 *position, sn_quat *rotation) {
    place((const rigid_spec *)scene->spec.rigid_bodies.items + number, t, position, rotation);
}

// Converts points and triangles to the engine's arrays. False: out of memory.
static bool fill_mesh(sn_scene *scene, const mesh_spec *mesh, sn_rigid_part *to) {
    const size_t corners = 3 * (size_t)mesh->triangles.count;
    sn_vec3 *vertices = sn_alloc(&scene->memory, (size_t)mesh->vertices.count, sizeof *vertices);
    int32_t *triangles = sn_alloc(&scene->memory, corners, sizeof *triangles);
    for (int i = 0; vertices && i < mesh->vertices.count; i++) vertices[i] = vec(mesh->vertices.items[i]);
    for (size_t i = 0; triangles && i < corners; i++) triangles[i] = (int32_t)mesh->triangles.items[i / 3][i % 3];
    to->vertices = vertices, to->vertex_count = mesh->vertices.count;
    to->triangles = triangles, to->triangle_count = mesh->triangles.count;
    return vertices && triangles;
}

static void free_part(sn_scene *scene, sn_rigid_part *part) {
    sn_free(&scene->memory, (void *)(uintptr_t)part->vertices, (size_t)part->vertex_count, sizeof *part->vertices);
    sn_free(&scene->memory, (void *)(uintptr_t)part->triangles, 3 * (size_t)part->triangle_count,
            sizeof *part->triangles);
}

// The geometry of a body, or of a part of one.
static bool fill_part(sn_scene *scene, const rigid_spec *spec, sn_rigid_part *to) {
    *to = (sn_rigid_part){.position = vec(spec->position), .rotation = rotation_of(&spec->rotation)};
    if (spec->material >= 0) to->density = (sn_real)densities[spec->material];
    if (spec->density > 0) to->density = (sn_real)spec->density;
    if (spec->sphere.head.type) {
        to->geometry = SN_GEOMETRY_SPHERE;
        to->radii[0] = (sn_real)spec->sphere.radius;
    } else if (spec->box.head.type) {
        to->geometry = SN_GEOMETRY_BOX;
        to->half = vec(spec->box.half);
    } else if (spec->pill.head.type) {
        bool taper = spec->pill.radii.count == 2;
        to->geometry = SN_GEOMETRY_PILL;
        to->ends[0] = vec(spec->pill.from), to->ends[1] = vec(spec->pill.to);
        for (int k = 0; k < 2; k++) to->radii[k] = (sn_real)(taper ? spec->pill.radii.items[k] : spec->pill.radius);
    } else if (spec->mesh.head.type) {
        to->geometry = SN_GEOMETRY_MESH;
        return fill_mesh(scene, &spec->mesh, to);
    } else if (spec->hull.head.type) {
        to->geometry = SN_GEOMETRY_HULL;
        return fill_mesh(scene, &spec->hull, to);
    }
    return true;
}

static sn_status build_parts(sn_scene *scene, sn_world *world, const rigid_spec *spec, sn_rigid_def *def,
                             sn_body *out) {
    const rigid_spec *from = spec->parts.items;
    const size_t count = (size_t)spec->parts.count;
    sn_rigid_part *parts = sn_alloc(&scene->memory, count, sizeof *parts);
    if (!parts) return SN_ERR_MEMORY;
    bool good = true;
    for (size_t i = 0; i < count; i++) good = fill_part(scene, &from[i], &parts[i]) && good;
    def->parts = parts, def->part_count = (int)count;
    const sn_status status = good ? sn_rigid_create(world, def, out) : SN_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) free_part(scene, &parts[i]);
    sn_free(&scene->memory, parts, count, sizeof *parts);
    return status;
}

static sn_status build_shape(sn_scene *scene, sn_world *world, const rigid_spec *spec, sn_body *out) {
    sn_rigid_def def = sn_rigid_def_default();
    place(spec, 0, &def.position, &def.rotation);
    def.surface = scene_surface(&spec->surface);
    def.label = (uint64_t)spec->entry;
    def.dynamic = spec->dynamic;
    if (spec->dynamic && spec->material >= 0) def.density = (sn_real)densities[spec->material];
    if (spec->density > 0) def.density = (sn_real)spec->density;
    def.mass = (sn_real)spec->mass, def.rounding = (sn_real)spec->rounding;
    def.velocity = vec(spec->velocity), def.angular_velocity = vec(spec->angular_velocity);
    if (spec->parts.count > 0) return build_parts(scene, world, spec, &def, out);
    sn_rigid_part only;
    const bool good = fill_part(scene, spec, &only);
    def.geometry = only.geometry, def.half = only.half;
    for (int k = 0; k < 2; k++) def.ends[k] = only.ends[k], def.radii[k] = only.radii[k];
    def.vertices = only.vertices, def.vertex_count = only.vertex_count;
    def.triangles = only.triangles, def.triangle_count = only.triangle_count;
    const sn_status status = good ? sn_rigid_create(world, &def, out) : SN_ERR_MEMORY;
    free_part(scene, &only);
    return status;
}

static sn_status build(sn_scene *scene, sn_world *world) {
    const rigid_spec *shapes = scene->spec.rigid_bodies.items;
    size_t count = (size_t)scene->spec.rigid_bodies.count;
    sn_status status = SN_OK;
    if (count == 0) return SN_OK;
    if (!scene->rigid_bodies) scene->rigid_bodies = sn_alloc(&scene->memory, count, sizeof *scene->rigid_bodies);
    if (!scene->rigid_bodies) return SN_ERR_MEMORY;
    for (size_t i = 0; i < count && status == SN_OK; i++) {
        scene->building_list = shapes[i].bone ? "skeletons" : "rigid_bodies";
        scene->building = shapes[i].entry;
        status = build_shape(scene, world, &shapes[i], &scene->rigid_bodies[i]);
    }
    scene->building = -1;
    return status;
}

static sn_status drive(sn_scene *scene, sn_world *world, double t) {
    const rigid_spec *shapes = scene->spec.rigid_bodies.items;
    sn_status worst = SN_OK;
    for (int i = 0; scene->rigid_bodies && i < scene->spec.rigid_bodies.count; i++) {
        if (!is_driven(scene, i)) continue;
        sn_vec3 position;
        sn_quat rotation;
        place(&shapes[i], t, &position, &rotation);
        scene_call call = {
            .type = CALL_RIGID_MOVE, .slot1 = scene->rigid_bodies[i].slot1, .gen = scene->rigid_bodies[i].gen};
        call_put_vector(&call, 0, position);
        call_put_rotation(&call, 3, rotation);
        sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
    }
    return worst;
}

static void pose_now(const sn_scene *scene, const sn_world *world, int number, sn_vec3 *position, sn_quat *rotation) {
    sn_rigid_get_pose(world, scene->rigid_bodies[number], position, rotation);
}

const scene_list scene_rigid_list = {
    .check = check, .build = build, .drive = drive, .moves = moves, .pose = pose, .pose_now = pose_now};
