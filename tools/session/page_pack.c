// A page has the world as it was built, the calls of the scene for every step, and the model to draw. The calls are
// recorded by driving a world that is never stepped: they depend on time alone. Only joints may break, and calls to
// those have no effect.
#include "session/page_pack.h"
#include "capture/scene_view.h"
#include "scene/scene_character.h"
#include "session/characters.h"
#include "session/page_format.h"
#include "system/system.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// --- fewer copies ---

// The product of a list, or a number.
static double product(const json_t *count) {
    if (json_is_number(count)) return json_number_value(count);
    double all = 1;
    for (size_t i = 0; i < json_array_size(count); i++) all *= json_number_value(json_array_get(count, i));
    return all;
}

static void reduce(json_t *holder, double keep) {
    json_t *count = json_object_get(holder, "count");
    const double max = fmax(1, floor(product(count) * keep + 1e-9));
    if (json_is_number(count)) json_object_set_new(holder, "count", json_integer((json_int_t)max));
    while (json_is_array(count) && product(count) > max) { // one layer less along the largest count
        size_t largest = 0;
        for (size_t i = 1; i < json_array_size(count); i++)
            if (json_number_value(json_array_get(count, i)) > json_number_value(json_array_get(count, largest)))
                largest = i;
        const double less = json_number_value(json_array_get(count, largest)) - 1;
        if (less < 1) return;
        json_array_set_new(count, largest, json_integer((json_int_t)less));
    }
}

sn_scene *page_read_scene(const char *file, int64_t max_points, int *all_bodies) {
    sn_scene *scene = scene_read(file, &disk_files);
    if (!scene || scene->errors.count > 0) return scene;
    *all_bodies = scene->body_count;
    if (max_points <= 0 || scene->point_count <= max_points) return scene;
    json_t *root = json_loadb(scene->text, scene->size, 0, NULL);
    json_t *bodies = json_object_get(root, "bodies");
    const double keep = (double)max_points / (double)scene->point_count;
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        json_t *body = json_array_get(bodies, i);
        reduce(json_object_get(body, json_object_get(body, "scatter") ? "scatter" : "repeat"), keep);
    }
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    json_decref(root);
    sn_scene *fewer = text ? scene_parse(file, text, strlen(text), &disk_files) : NULL;
    free(text);
    if (fewer && fewer->errors.count > 0) { // it refers to removed copies: keep all of them
        scene_free(fewer);
        return scene;
    }
    scene_free(scene);
    return fewer;
}

// --- bytes ---

typedef struct {
    unsigned char *at;
    size_t size, capacity;
    bool starved;
} bytes;

// Appends bytes and returns their offset.
static size_t append(bytes *b, const void *data, size_t size) {
    const size_t at = b->size, end = at + size;
    if (end > b->capacity) {
        const size_t capacity = 2 * end + 1024;
        unsigned char *more = realloc(b->at, capacity);
        if (!more) {
            b->starved = true;
            return 0;
        }
        b->at = more, b->capacity = capacity;
    }
    if (size) memcpy(b->at + at, data, size);
    b->size = end;
    return at;
}

// The same, aligned to 8 bytes.
static size_t add(bytes *b, const void *data, size_t size) {
    static const unsigned char gap[8] = {0};
    append(b, gap, (8 - b->size % 8) % 8);
    return append(b, data, size);
}

static page_part add_part(bytes *b, const void *data, size_t size) {
    return (page_part){(uint32_t)add(b, data, size), (uint32_t)size};
}

// A reference to an array in the table: [offset, count, type].
static json_t *array_of(bytes *b, const void *data, size_t count, size_t size, const char *type) {
    const size_t at = add(b, data, count * size);
    return json_pack("[I, I, s]", (json_int_t)at, (json_int_t)count, type);
}

// --- the table ---

static json_t *triple(double x, double y, double z) {
    return json_pack("[f, f, f]", x, y, z);
}

// To keep the page small it has no normals, which the viewer computes, and no textures. Deforming vertices come with
// frames.
static json_t *mesh_table(bytes *b, const sn_mesh *mesh, bool joints, bool deforming) {
    const size_t n = (size_t)mesh->vertex_count, m = (size_t)mesh->triangle_count;
    json_t *table = json_pack("{s: i, s: i}", "vertices", mesh->vertex_count, "triangles", mesh->triangle_count);
    if (!deforming) json_object_set_new(table, "positions", array_of(b, mesh->position, 3 * n, sizeof(float), "f32"));
    json_object_set_new(table, "index", array_of(b, mesh->triangle, 3 * m, sizeof(int), "u32"));
    if (!joints || !mesh->joint) return table;
    uint16_t *joint = malloc((4 * n + 1) * sizeof *joint);
    if (!joint) b->starved = true;
    for (size_t i = 0; joint && i < 4 * n; i++) joint[i] = (uint16_t)mesh->joint[i / 4][i % 4];
    if (joint) json_object_set_new(table, "joint", array_of(b, joint, 4 * n, sizeof *joint, "u16"));
    json_object_set_new(table, "weight", array_of(b, mesh->weight, 4 * n, sizeof(float), "f32"));
    free(joint);
    return table;
}

static json_t *shape_table(bytes *b, const view_mesh *shape) {
    const size_t n = (size_t)shape->joint_count;
    json_t *table = json_pack("{s: i, s: b}", "joints", shape->joint_count, "skinned", shape->skinned);
    float *rest = malloc((10 * n + 1) * sizeof *rest);
    if (!rest) b->starved = true;
    for (size_t i = 0; rest && i < n; i++) memcpy(rest + 10 * i, &shape->rest[i], 10 * sizeof *rest);
    if (n && rest) json_object_set_new(table, "rest", array_of(b, rest, 10 * n, sizeof(float), "f32"));
    free(rest);
    if (shape->parents) {
        json_object_set_new(table, "parents", array_of(b, shape->parents, n, sizeof(int), "i32"));
        json_object_set_new(table, "radii", array_of(b, shape->radii, n, sizeof(float), "f32"));
    }
    // Rods without a skin are drawn as pills.
    if (!shape->parents || shape->skinned)
        json_object_set_new(table, "mesh", mesh_table(b, &shape->mesh, shape->skinned, shape->deforming));
    if (shape->open) json_object_set_new(table, "open", json_true());
    return table;
}
_Static_assert(offsetof(joint_pose, axes) == 10 * sizeof(float), "at rest a pose is ten floats, as the table says");

// The name of "scenes/octopus-drop.json" is octopus-drop.
static json_t *name_of(const char *file) {
    const char *name = system_file_name(file), *dot = strrchr(name, '.');
    return json_stringn(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static json_t *cameras_table(const scene_spec *spec) {
    json_t *list = json_array();
    const camera_spec *cameras = spec->cameras.items;
    for (int i = 0; i < spec->cameras.count; i++) {
        const camera_spec *c = &cameras[i];
        json_array_append_new(list, json_pack("{s: s, s: o, s: o, s: f}", "name", c->name ? c->name : "", "from",
                                              triple(c->position[0], c->position[1], c->position[2]), "to",
                                              triple(c->target[0], c->target[1], c->target[2]), "fov", c->degrees));
    }
    return list;
}

static const char *kind_of_body(const view_model *model, const view_poses *poses, int i) {
    const view_mesh *shape = &model->meshes[model->bodies[i].mesh];
    if (i < poses_count(poses)) return poses_body(poses, i)->bundle.slot1 ? "muscle" : "rod";
    return shape->deforming ? "surface" : shape->joint_count ? "moving" : "still";
}

// Numbers of muscles as sliders have them.
static json_t *characters_table(const sn_scene *scene, const sn_world *world) {
    json_t *list = json_array();
    for (int i = 0; i < scene_character_count(scene); i++) {
        json_t *muscles = json_array();
        for (int m = 0; m < scene_character_muscle_count(scene, i); m++) {
            json_t *numbers = json_array();
            for (int k = 0; k < MUSCLE_ORIGIN; k++) {
                const float value = muscle_number_get(world, scene_character_muscles(scene, i), m, k);
                json_array_append_new(numbers, json_real((double)value));
            }
            json_array_append_new(muscles, json_pack("{s: s, s: o}", "name", scene_character_muscle_name(scene, i, m),
                                                     "numbers", numbers));
        }
        json_array_append_new(list, json_pack("{s: o}", "muscles", muscles));
    }
    return list;
}

static json_t *bodies_table(const sn_scene *scene, const view_model *model, const scene_view *view) {
    const view_poses *poses = scene_view_poses(view);
    json_t *list = json_array();
    int surfaces = 0, character = -1, muscle = 0, own = 0; // of surfaces that are not bodies of the world
    while (scene_view_surface(view, own)) own++;
    for (int i = 0; i < model->body_count; i++) {
        const view_body *body = &model->bodies[i];
        const bool deforms = model->meshes[body->mesh].deforming;
        const float *c = body->colour;
        json_t *made =
            json_pack("{s: s, s: i, s: i, s: o, s: s}", "name", body->name, "shape", body->mesh, "first",
                      deforms ? surfaces++ : body->first, "colour", triple((double)c[0], (double)c[1], (double)c[2]),
                      "kind", kind_of_body(model, poses, i));
        if (scene_view_is_covered(view, i)) json_object_set_new(made, "covered", json_true());
        if (deforms && surfaces > own) {
            if (character < 0 || muscle >= scene_character_muscle_count(scene, character)) {
                character++, muscle = 0;
                json_object_set_new(made, "character", json_integer(character));
            } else {
                json_object_set_new(made, "muscle", json_pack("[i, i]", character, muscle++));
            }
        }
        json_array_append_new(list, made);
    }
    return list;
}

static json_t *table_of(bytes *b, const sn_scene *scene, const sn_world *world, const scene_view *view,
                        int all_bodies) {
    const view_model *model = scene_view_model(view);
    const scene_spec *spec = &scene->spec;
    json_t *planes = json_array(), *shapes = json_array();
    const char *about = spec->description ? spec->description : "";
    for (int i = 0; i < model->plane_count; i++) {
        const sn_vec3 p = model->planes[i].point, n = model->planes[i].normal;
        json_array_append_new(planes, json_pack("{s: o, s: o}", "point", triple((double)p.x, (double)p.y, (double)p.z),
                                                "normal", triple((double)n.x, (double)n.y, (double)n.z)));
    }
    for (int i = 0; i < model->mesh_count; i++) json_array_append_new(shapes, shape_table(b, &model->meshes[i]));
    json_t *table =
        json_pack("{s: o, s: s, s: s, s: f, s: i, s: i, s: i, s: o, s: f, s: I, s: i, s: o, s: o, s: o, s: o}", "name",
                  name_of(scene->file), "title", spec->title ? spec->title : "", "about", about, "step", spec->step,
                  "substeps", spec->substeps, "iterations", spec->iterations, "sweeps", spec->contact_sweeps, "gravity",
                  triple(spec->gravity[0], spec->gravity[1], spec->gravity[2]), "seconds", spec->duration, "points",
                  (json_int_t)scene->point_count, "joints", model->joint_count, "cameras", cameras_table(spec),
                  "planes", planes, "shapes", shapes, "bodies", bodies_table(scene, model, view));
    if (table && scene_character_count(scene) > 0)
        json_object_set_new(table, "characters", characters_table(scene, world));
    if (table && all_bodies > scene->body_count)
        json_object_set_new(table, "copies", json_pack("[i, i]", scene->body_count, all_bodies));
    return table;
}

// --- what the engine reads ---

static page_part add_world(bytes *b, const sn_world *world) {
    const size_t size = sn_world_save(world, NULL, 0);
    void *saved = malloc(size ? size : 1);
    page_part part = {0, 0};
    if (saved) sn_world_save(world, saved, size), part = add_part(b, saved, size);
    if (!saved) b->starved = true;
    free(saved);
    return part;
}

static page_part add_calls(bytes *b, sn_scene *scene, sn_world *world, uint32_t steps) {
    bytes own = {0};
    scene->keep_calls = true;
    for (uint32_t step = 0; step < steps && !own.starved; step++) {
        scene->call_count = 0;
        if (scene_drive(scene, world, step * scene->spec.step, scene->spec.step) == SN_ERR_MEMORY) own.starved = true;
        const uint32_t head[2] = {step, (uint32_t)scene->call_count};
        if (scene->call_count == 0) continue;
        append(&own, head, sizeof head);
        append(&own, scene->calls, (size_t)scene->call_count * sizeof *scene->calls);
    }
    scene->keep_calls = false;
    const page_part part = add_part(b, own.at, own.size);
    b->starved = b->starved || own.starved;
    free(own.at);
    return part;
}

static page_rod pack_rod(const pose_body *rod, bool chain, int shape) {
    page_rod made = {
        .slot1 = rod->body.slot1,
        .gen = rod->body.gen,
        .kind = rod->body.kind,
        .form = chain          ? PAGE_CHAIN
                : rod->skinned ? PAGE_SKIN
                               : PAGE_PILLS,
        .shape = (uint32_t)shape,
        .position = {(float)rod->position.x, (float)rod->position.y, (float)rod->position.z},
        .rotation = {(float)rod->rotation.x, (float)rod->rotation.y, (float)rod->rotation.z, (float)rod->rotation.w}};
    if (rod->bundle.slot1) {
        made.slot1 = rod->bundle.slot1, made.gen = rod->bundle.gen;
        made.form = PAGE_MUSCLE;
    }
    return made;
}

static page_part add_rods(bytes *b, const scene_view *view, const view_model *model) {
    const view_poses *poses = scene_view_poses(view);
    const int count = poses_count(poses);
    page_rod *rods = calloc((size_t)count + 1, sizeof *rods);
    page_part part = {0, 0};
    for (int i = 0; rods && i < count; i++)
        rods[i] = pack_rod(poses_body(poses, i), poses_chain(poses, i) != NULL, model->bodies[i].mesh);
    if (rods) part = add_part(b, rods, (size_t)count * sizeof *rods);
    if (!rods) b->starved = true;
    free(rods);
    return part;
}

// Skins of characters and their muscles, in the order of the view.
static void add_character_surfaces(const sn_scene *scene, const sn_world *world, bytes *list) {
    for (int i = 0; i < scene_character_count(scene); i++) {
        page_surface made = {.kind = PAGE_OF_SKIN,
                             .slot1 = (uint32_t)i,
                             .vertices = (uint32_t)scene_character_mesh(scene, i)->vertex_count};
        append(list, &made, sizeof made);
        made.kind = PAGE_OF_MUSCLE;
        for (int m = 0; m < scene_character_muscle_count(scene, i); m++) {
            const sn_body id = scene_character_muscles(scene, i);
            made.gen = (uint32_t)m;
            made.vertices = (uint32_t)view_kind_of(id)->tube_points(world, id, m, NULL, 0);
            append(list, &made, sizeof made);
        }
    }
}

static void add_characters(bytes *b, const sn_scene *scene, page_header *header) {
    bytes list = {0}, models = {0};
    for (int i = 0; i < scene_character_count(scene); i++) {
        int same, bones, copy;
        const sn_implicit_model *model = scene_character_model(scene, i, &same);
        const int *bone_of = scene_character_bones(scene, i, &bones);
        const sn_body id = scene_character_muscles(scene, i);
        const scene_body *body = scene_character_body(scene, i, &copy);
        page_character made = {.slot1 = id.slot1,
                               .gen = id.gen,
                               .skin = (uint32_t)scene_character_of(body)->skin,
                               .bones = (uint32_t)bones};
        if (same == i) {
            const size_t size = sn_implicit_model_save(model, NULL, 0);
            void *saved = malloc(size);
            if (saved) sn_implicit_model_save(model, saved, size);
            made.model = saved ? (uint32_t)add(&models, saved, size) : 0, made.model_size = (uint32_t)size;
            models.starved = models.starved || !saved;
            free(saved);
        } else if (!list.starved) {
            const page_character *first = (const page_character *)(const void *)list.at + same;
            made.model = first->model, made.model_size = first->model_size;
        }
        made.bone_of = (uint32_t)add(&models, bone_of, (size_t)bones * sizeof *bone_of);
        append(&list, &made, sizeof made);
    }
    header->characters = add_part(b, list.at, list.size);
    header->models = add_part(b, models.at, models.size);
    b->starved = b->starved || list.starved || models.starved;
    free(list.at);
    free(models.at);
}
_Static_assert((int)PAGE_DUAL == (int)CHARACTER_DUAL_QUATERNION && (int)PAGE_LINEAR == (int)CHARACTER_LINEAR,
               "the same order");

static void add_surfaces(bytes *b, const sn_scene *scene, const sn_world *world, const scene_view *view,
                         page_header *header) {
    bytes list = {0}, places = {0};
    const view_surface *from;
    for (int i = 0; (from = scene_view_surface(view, i)) != NULL; i++) {
        const size_t each = from->places ? sizeof *from->places : sizeof *from->points;
        const page_surface made = {.kind = from->body.kind,
                                   .slot1 = from->body.slot1,
                                   .gen = from->body.gen,
                                   .vertices = (uint32_t)from->vertex_count,
                                   .embedded = from->places != NULL,
                                   .offset = (uint32_t)places.size};
        append(&list, &made, sizeof made);
        append(&places, from->places ? (const void *)from->places : from->points, each * (size_t)from->vertex_count);
    }
    add_character_surfaces(scene, world, &list);
    header->surfaces = add_part(b, list.at, list.size);
    header->places = add_part(b, places.at, places.size);
    b->starved = b->starved || list.starved || places.starved;
    free(list.at);
    free(places.at);
}

static void fill_header(page_header *h, const sn_scene *scene) {
    const scene_spec *spec = &scene->spec;
    *h = (page_header){.version = PAGE_VERSION,
                       .step = spec->step,
                       .substeps = (uint32_t)spec->substeps,
                       .steps = (uint32_t)scene_step_count(scene, spec->duration),
                       .gravity = {(float)spec->gravity[0], (float)spec->gravity[1], (float)spec->gravity[2]},
                       .solver = (uint32_t)spec->solver,
                       .iterations = (uint32_t)spec->iterations,
                       .sweeps = (uint32_t)spec->contact_sweeps};
    memcpy(h->magic, PAGE_MAGIC, sizeof h->magic);
}

bool page_pack(sn_scene *scene, int all_bodies, packed_page *out, tool_error *error) {
    *out = (packed_page){.bodies = scene->body_count, .all_bodies = all_bodies};
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    sn_status status = scene_build(scene, &def, &world);
    if (status != SN_OK) return tool_error_set(error, "cannot build the world: %s", sn_status_name(status));
    scene_view *view = scene_view_new_with_rods(scene, world, error);
    bytes b = {0};
    page_header header;
    fill_header(&header, scene);
    if (view) {
        const view_model *model = scene_view_model(view);
        int moving;
        const sn_body *moves = scene_view_moving(view, &moving);
        add(&b, &header, sizeof header);
        json_t *table = table_of(&b, scene, world, view, all_bodies);
        char *text = table ? json_dumps(table, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
        if (text) header.table = add_part(&b, text, strlen(text));
        b.starved = b.starved || !text;
        header.rods = add_rods(&b, view, model);
        header.moves = add_part(&b, moves, (size_t)moving * sizeof *moves);
        add_surfaces(&b, scene, world, view, &header);
        add_characters(&b, scene, &header);
        header.world = add_world(&b, world);
        header.calls = add_calls(&b, scene, world, header.steps);
        free(text);
        json_decref(table);
        if (b.starved) tool_error_out_of_memory(error);
        if (!b.starved && b.size > UINT32_MAX) b.starved = !tool_error_set(error, "it is larger than 4 GB");
    }
    const bool good = view && !b.starved;
    if (good) {
        header.size = (uint32_t)b.size;
        memcpy(b.at, &header, sizeof header);
        out->bytes = b.at, out->size = b.size;
    } else {
        free(b.at);
    }
    scene_view_free(view);
    sn_world_destroy(world);
    return good;
}
