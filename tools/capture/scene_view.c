// Every rod becomes a body with a joint at each of its points (live/poses.c); a muscle with a skin becomes one body
// with a joint at each of its cross-sections. Copies of an entry share their shape: it is
// kept as it was before it was placed, and has a skin, or tubes as thick and long as the pills that they stand for.
// Bodies that move as surfaces (live/surfaces.h) deform, each with a shape of its own; chains become tubes. So do the
// skins of characters, which the scene keeps.
#include "capture/scene_view.h"
#include "base/math/vec.h"
#include "capture/scene_view_skins.h"
#include "capture/scene_view_springs.h"
#include "scene/obstacle_mesh.h"
#include "scene/placement.h"
#include "scene/random.h"
#include "scene/scene_character.h"
#include "scene/scene_check.h"
#include "scene/scene_kinds.h"
#include "scene/scene_muscle.h"
#include "scene/scene_rigid.h"
#include "view/pill_mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is drawn of a body that deforms, with the lists that are its own.
typedef struct {
    live_surface is;
    int32_t *points;
    surface_place *places;
} drawn_surface;

// What is drawn of muscles: the rods that they are made of, a skin instead of them where there is one, or both.
typedef enum { MUSCLE_RODS, MUSCLE_SKINS, MUSCLE_BOTH } muscle_view;

struct scene_view {
    view_model model;
    view_frame frame, before; // the last one, and the one before it
    int frames_read;
    bool skins; // wanted, of other bodies
    muscle_view muscles;
    live_poses *poses;     // of rods, chains and muscles: the first bodies
    bool *rest_filled;     // of each shape of the recording
    bool *covered;         // of each body: it is a rod within a skin
    int rod_count;         //
    sn_shape *shapes;      // of the bodies after them: shapes that move
    int shape_count;       //
    drawn_surface *drawn;  // of the last bodies: those that deform
    int drawn_count;       //
    const sn_scene *scene; // whose characters come after them; null: they are not wanted
    int *shape_of_entry;   // -1: none yet
    int *muscle_of_entry;  // the shape of its skin
    int most;              // points of the largest rod
    sn_vec3 *centres;      // room for one rod
    sn_real *numbers;
    int *parents;
};

// Colours for bodies, linear: corals, ambers, greens and blues that go together.
static const float palette[][3] = {
    {0.84f, 0.18f, 0.12f}, {0.05f, 0.37f, 0.42f}, {0.92f, 0.50f, 0.10f}, {0.14f, 0.18f, 0.52f}, {0.78f, 0.22f, 0.34f},
    {0.16f, 0.48f, 0.24f}, {0.90f, 0.66f, 0.22f}, {0.34f, 0.16f, 0.46f}, {0.10f, 0.46f, 0.66f}, {0.80f, 0.36f, 0.24f},
};
enum { COLOURS = sizeof palette / sizeof *palette };
static const float stone[3] = {0.52f, 0.50f, 0.47f};
static const float ivory[3] = {0.80f, 0.74f, 0.60f}; // bones
static const float flesh[][3] = {
    // muscles
    {0.56f, 0.075f, 0.055f},
    {0.66f, 0.125f, 0.085f},
    {0.47f, 0.055f, 0.05f},
    {0.60f, 0.16f, 0.12f},
};

static const float skin_tones[][3] = {
    // characters
    {0.62f, 0.44f, 0.34f},
    {0.42f, 0.27f, 0.19f},
    {0.70f, 0.52f, 0.42f},
    {0.30f, 0.18f, 0.12f},
};

static void *room(size_t count, size_t size) {
    return calloc(count ? count : 1, size);
}

static sn_vec3 vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_quat turn_of(const placement *at) {
    return (sn_quat){(sn_real)at->turn[0], (sn_real)at->turn[1], (sn_real)at->turn[2], (sn_real)at->turn[3]};
}

static sn_vec3 before_placement(const placement *at, sn_vec3 x) {
    return sn_q_rotate(sn_q_conj(turn_of(at)), sn_sub(x, vec(at->position)));
}

// The entry of the scene and the copy that a rod is, or -1.
static int entry_of(const sn_scene *scene, uint64_t label, int *copy) {
    uint64_t entry = (label - 1) >> 32;
    *copy = (int)((label - 1) & 0xFFFFFFFFu);
    return label && entry < (uint64_t)scene->spec.bodies.count ? (int)entry : -1;
}

// Reads a rod: centres, scales into numbers, parents.
static int read_rod(scene_view *view, const sn_world *world, sn_rod rod) {
    int n = sn_rod_get_centres(world, rod, view->centres, view->most);
    sn_rod_get_scales(world, rod, view->numbers, view->most);
    sn_rod_get_parents(world, rod, view->parents, view->most);
    return n;
}

static bool same_shape(const view_mesh *shape, const sn_vec3 *local, const sn_real *radii, const int *parents, int n) {
    if (shape->joint_count != n || memcmp(shape->parents, parents, (size_t)n * sizeof *parents) != 0) return false;
    for (int i = 0; i < n; i++) {
        sn_real off = sn_length(sn_sub(shape->rest[i].position, local[i]));
        if (!(off <= (sn_real)1e-4 * shape->radii[i])) return false;
        if (!(fabsf(radii[i] - shape->radii[i]) <= (sn_real)1e-4 * shape->radii[i])) return false;
    }
    return true;
}

// An entry that is a rod; null: none, or it is a muscle.
static const rod_spec *rod_of(const sn_scene *scene, int entry) {
    if (entry < 0 || scene->bodies[entry].spec->head.type != &scene_rod_type) return NULL;
    return (const rod_spec *)scene->bodies[entry].spec;
}

// Whether two entries of the scene get the same skin on the same rod.
static bool same_skin(const rod_spec *a, const rod_spec *b) {
    if (a == b) return true;
    if (!a || !b) return false;
    const octopus_spec *x = &a->shape.octopus, *y = &b->shape.octopus;
    if (a->skin || b->skin) return a->skin && b->skin && strcmp(a->skin, b->skin) == 0;
    if (!x->head.type || !y->head.type) return !x->head.type && !y->head.type;
    return x->size == y->size && x->arms == y->arms && x->arm_segments == y->arm_segments;
}

// A shape that is there already and fits the rod that was just read, or -1. Its own entry's is the likeliest.
static int find_shape(const scene_view *view, const sn_scene *scene, int entry, const sn_real *radii, int n) {
    for (int i = 0; entry >= 0 && i < scene->spec.bodies.count; i++) {
        const int other = (entry + i) % scene->spec.bodies.count, shape = view->shape_of_entry[other];
        if (shape < 0 || !same_skin(rod_of(scene, entry), rod_of(scene, other))) continue;
        if (same_shape(&view->model.meshes[shape], view->centres, radii, view->parents, n)) return shape;
    }
    return -1;
}

static bool shape_fill(view_mesh *shape, const sn_vec3 *local, const sn_real *radii, const int *parents, int n) {
    shape->joint_count = n;
    shape->rest = room((size_t)n, sizeof *shape->rest);
    shape->parents = room((size_t)n, sizeof *shape->parents);
    shape->radii = room((size_t)n, sizeof *shape->radii);
    if (!shape->rest || !shape->parents || !shape->radii) return false;
    memcpy(shape->parents, parents, (size_t)n * sizeof *parents);
    memcpy(shape->radii, radii, (size_t)n * sizeof *radii);
    for (int i = 0; i < n; i++) shape->rest[i] = (joint_pose){local[i], sn_q_identity(), {1, 1, 1}};
    return true;
}

// Names are unique: three.js, Unity and others tie animation to them.
static void name_body(const scene_view *view, const sn_scene *scene, int entry, int copy, int in_muscle,
                      view_body *body) {
    const char *name = entry >= 0 ? scene->bodies[entry].spec->name : NULL;
    char plain[24];
    snprintf(plain, sizeof plain, "body-%d", entry >= 0 ? entry : view->model.body_count);
    bool one = entry < 0 || scene->bodies[entry].copies <= 1;
    if (one) snprintf(body->name, sizeof body->name, "%.48s", name ? name : plain);
    if (!one) snprintf(body->name, sizeof body->name, "%.48s-%d", name ? name : plain, copy);
    const size_t length = strlen(body->name);
    if (in_muscle >= 0) snprintf(body->name + length, sizeof body->name - length, ".%d", in_muscle);
}

// Copies differ in colour in scenes of few entries; where there are many, entries do: they are rows or groups.
static void colour_body(const sn_scene *scene, int entry, view_body *body, int number) {
    if (entry >= 0 && scene_character_of(&scene->bodies[entry])) {
        memcpy(body->colour, skin_tones[number % (int)(sizeof skin_tones / sizeof *skin_tones)], sizeof body->colour);
        return;
    }
    if (entry >= 0 && scene_muscle_of(&scene->bodies[entry])) {
        memcpy(body->colour, flesh[entry % (int)(sizeof flesh / sizeof *flesh)], sizeof body->colour);
        return;
    }
    int which = entry >= 0 && scene->spec.bodies.count > 5 ? entry : number;
    if (which >= COLOURS) { // beyond the first few in no order, or grids would have stripes
        random_stream stream = random_start(7, (uint64_t)which);
        which = (int)(random_next(&stream) % COLOURS);
    }
    memcpy(body->colour, palette[which % COLOURS], sizeof body->colour);
}

// Which rod of its muscle's copy a rod is; -1: of none.
static int number_in_muscle(const sn_scene *scene, int entry, int copy, sn_rod rod) {
    if (entry < 0 || !scene_muscle_of(&scene->bodies[entry])) return -1;
    const scene_body *body = &scene->bodies[entry];
    for (int i = 0; i < body->rods_per_copy; i++) {
        const sn_rod own = scene->rods[body->first + copy * body->rods_per_copy + i];
        if (own.slot1 == rod.slot1 && own.gen == rod.gen) return i;
    }
    return -1;
}

// The skin of a muscle, in the size that the scene gives it, with a joint for each cross-section.
static bool muscle_shape(view_mesh *shape, const scene_body *body, double scale) {
    shape->skinned = true;
    shape->joint_count = body->rig->slice_count;
    shape->rest = room((size_t)shape->joint_count, sizeof *shape->rest);
    if (!shape->rest || !scene_muscle_skin(body, &shape->mesh)) return false;
    for (int v = 0; v < shape->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) shape->mesh.position[v][k] *= (float)scale;
    return true;
}

// A copy of a muscle as one body; its copies share their shape.
static bool add_muscle(scene_view *view, const sn_scene *scene, const sn_world *world, int entry, int copy) {
    view_model *model = &view->model;
    const scene_body *of = &scene->bodies[entry];
    const placement at = placement_of_copy(of->spec, scene->spec.seed, of->index, copy);
    const bool known = view->muscle_of_entry[entry] >= 0;
    const int shape = known ? view->muscle_of_entry[entry] : model->mesh_count++;
    if (!known && !muscle_shape(&model->meshes[shape], of, at.scale)) return false;
    view->muscle_of_entry[entry] = shape;
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = shape, .first = model->joint_count};
    const pose_rod posed = {.bundle = scene->muscles[of->first_muscle + copy].id,
                            .first = body->first,
                            .skinned = true,
                            .position = vec(at.position),
                            .turn = turn_of(&at),
                            .rest = model->meshes[shape].rest,
                            .fill_rest = !known};
    if (!poses_add(view->poses, world, &posed)) return false;
    name_body(view, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, model->body_count);
    view->rod_count++;
    model->body_count++;
    model->joint_count += of->rig->slice_count;
    return true;
}

static bool add_rod(scene_view *view, const sn_scene *scene, const sn_world *world, sn_rod rod, char error[256]) {
    view_model *model = &view->model;
    int copy, entry = entry_of(scene, sn_rod_label(world, rod), &copy), n = read_rod(view, world, rod);
    const bool in_character = entry >= 0 && scene_character_of(&scene->bodies[entry]);
    const int in_muscle = in_character ? model->body_count : number_in_muscle(scene, entry, copy, rod);
    if (in_character && view->muscles == MUSCLE_SKINS) return true; // it is under the skin
    if (!in_character && in_muscle >= 0 && view->muscles == MUSCLE_SKINS &&
        scene_muscle_has_skin(&scene->bodies[entry]))
        return in_muscle > 0 || add_muscle(view, scene, world, entry, copy);
    placement at = {.turn = {0, 0, 0, 1}, .scale = 1};
    if (entry >= 0)
        at = placement_of_copy(scene->bodies[entry].spec, scene->spec.seed, scene->bodies[entry].index, copy);
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.first = model->joint_count};
    for (int i = 0; i < n; i++) view->centres[i] = before_placement(&at, view->centres[i]);
    sn_real *scales = view->numbers, *radii = view->numbers + view->most;
    sn_rod_get_radii(world, rod, radii, view->most);
    for (int i = 0; i < n; i++) radii[i] /= scales[i];
    int shape = find_shape(view, scene, entry, radii, n);
    if (shape < 0) {
        shape = model->mesh_count++;
        view_mesh *made = &model->meshes[shape];
        const rod_spec *spec = rod_of(scene, entry);
        made->skinned = view->skins && spec && (spec->shape.octopus.head.type || spec->skin);
        bool good = shape_fill(made, view->centres, radii, view->parents, n);
        if (!good) snprintf(error, 256, "out of memory");
        if (good && made->skinned && spec->skin)
            good = file_skin_make(made, scene, spec->skin, view->centres, radii, view->parents, n, at.scale, error);
        else if (good && made->skinned)
            good = octopus_skin_make(made, &spec->shape.octopus, at.scale, error);
        if (good && !made->skinned) good = pill_mesh_rod(&made->mesh, view->centres, radii, view->parents, n);
        if (!good) return false;
    }
    if (entry >= 0) view->shape_of_entry[entry] = shape;
    body->mesh = shape;
    view_mesh *of = &model->meshes[shape];
    const pose_rod posed = {.rod = rod,
                            .first = body->first,
                            .skinned = of->skinned,
                            .position = vec(at.position), // the shape already has the body's size
                            .turn = turn_of(&at),
                            .rest = of->rest,
                            .fill_rest = of->skinned && !view->rest_filled[shape]};
    view->rest_filled[shape] = true;
    if (!poses_add(view->poses, world, &posed)) {
        snprintf(error, 256, "out of memory");
        return false;
    }
    name_body(view, scene, entry, copy, in_muscle, body);
    colour_body(scene, entry, body, model->body_count);
    if (in_character) memcpy(body->colour, flesh[0], sizeof body->colour);
    view->covered[model->body_count] = in_muscle >= 0 && view->muscles == MUSCLE_BOTH &&
                                       (in_character || scene_muscle_has_skin(&scene->bodies[entry]));
    view->rod_count++;
    model->body_count++;
    model->joint_count += n;
    return true;
}

// The skins of all muscles, beside their rods.
static bool add_muscles(scene_view *view, const sn_scene *scene, const sn_world *world) {
    bool good = true;
    for (int i = 0; i < scene->muscle_count && good; i++) {
        const scene_muscle *muscle = &scene->muscles[i];
        if (!scene_muscle_has_skin(muscle->body)) continue;
        good = add_muscle(view, scene, world, muscle->body->index, muscle->copy);
    }
    return good;
}

// A chain stands in the world as it is, so its joints at rest are its points at the start.
static bool chain_shape(view_mesh *shape, const sn_world *world, surface_body id) {
    const surface_kind *kind = surface_kind_of(id);
    int32_t *points = NULL, *parents = NULL;
    const int n = surface_chain(world, id, &points, &parents), all = kind->points(world, id, NULL, 0);
    sn_vec3 *at = n > 0 ? malloc((size_t)n * sizeof *at) : NULL, *own = malloc((size_t)all * sizeof *own);
    sn_real *radii = n > 0 ? malloc((size_t)n * sizeof *radii) : NULL;
    bool good = at && own && radii;
    if (good) {
        kind->points(world, id, own, all);
        for (int k = 0; k < n; k++) at[k] = own[points[k]], radii[k] = kind->radius(world, id);
        good = shape_fill(shape, at, radii, parents, n) && pill_mesh_rod(&shape->mesh, at, radii, parents, n);
    }
    free(points);
    free(parents);
    free(at);
    free(own);
    free(radii);
    return good;
}

// A body of springs or the like without triangles.
static bool add_chain(scene_view *view, const sn_scene *scene, const sn_world *world, surface_body id) {
    view_model *model = &view->model;
    int copy, entry = entry_of(scene, surface_kind_of(id)->label(world, id), &copy);
    int32_t *points, *parents;
    const int n = surface_chain(world, id, &points, &parents);
    free(points);
    free(parents);
    if (n <= 0) return n == 0; // nothing to be seen
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = model->mesh_count++, .first = model->joint_count};
    const pose_rod posed = {.chain = id, .first = body->first, .turn = sn_q_identity()};
    if (!chain_shape(&model->meshes[body->mesh], world, id) || !poses_add(view->poses, world, &posed)) return false;
    name_body(view, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, model->body_count);
    view->rod_count++;
    model->body_count++;
    model->joint_count += n;
    return true;
}

// A mesh of what is drawn, as it lies now.
static bool surface_shape(view_mesh *shape, const sn_world *world, const live_surface *drawn,
                          const int32_t (*triangles)[3], int count) {
    shape->deforming = true;
    shape->open = !surface_kind_of(drawn->body)->solid(world, drawn->body);
    if (!sn_mesh_alloc(&shape->mesh, drawn->vertex_count, count, MESH_NORMAL)) return false;
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3; k++) shape->mesh.triangle[t][k] = triangles[t][k];
    return surface_read(world, drawn, shape->mesh.position) && sn_mesh_make_normals(&shape->mesh);
}

// A skin that the body carries.
static bool make_skin(const sn_world *world, const scene_body *of, surface_body id, drawn_surface *drawn,
                      view_mesh *shape) {
    const sn_mesh *skin = springs_skin(of);
    drawn->places = springs_skin_places(of);
    drawn->is = (live_surface){.body = id, .vertex_count = skin->vertex_count, .places = drawn->places};
    return drawn->places &&
           surface_shape(shape, world, &drawn->is, (const int32_t(*)[3])skin->triangle, skin->triangle_count);
}

// The body's own surface.
static bool make_outline(const sn_world *world, surface_body id, drawn_surface *drawn, view_mesh *shape) {
    int32_t(*triangles)[3];
    int count;
    const int n = surface_outline(world, id, &drawn->points, &triangles, &count);
    drawn->is = (live_surface){.body = id, .vertex_count = n, .points = drawn->points};
    const bool good = n > 0 && surface_shape(shape, world, &drawn->is, (const int32_t(*)[3])triangles, count);
    free(triangles);
    return good;
}

static bool add_surface(scene_view *view, const sn_scene *scene, const sn_world *world, surface_body id) {
    view_model *model = &view->model;
    int copy, entry = entry_of(scene, surface_kind_of(id)->label(world, id), &copy);
    drawn_surface *drawn = &view->drawn[view->drawn_count++];
    view_body *body = &model->bodies[model->body_count];
    view_mesh *shape = &model->meshes[model->mesh_count];
    *body = (view_body){.mesh = model->mesh_count++, .first = model->vertex_count};
    const bool skin = view->skins && entry >= 0 && springs_skin(&scene->bodies[entry]);
    if (!(skin ? make_skin(world, &scene->bodies[entry], id, drawn, shape) : make_outline(world, id, drawn, shape)))
        return false;
    name_body(view, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, model->body_count);
    model->body_count++;
    model->vertex_count += drawn->is.vertex_count;
    return true;
}

// The skin of a character.
static bool add_character(scene_view *view, const sn_scene *scene, const sn_world *world, int i) {
    view_model *model = &view->model;
    const sn_mesh *from = scene_character_mesh(scene, i);
    int copy;
    const int entry = scene_character_body(scene, i, &copy)->index;
    view_body *body = &model->bodies[model->body_count];
    view_mesh *shape = &model->meshes[model->mesh_count];
    *body = (view_body){.mesh = model->mesh_count++, .first = model->vertex_count};
    shape->deforming = true;
    if (!sn_mesh_alloc(&shape->mesh, from->vertex_count, from->triangle_count, MESH_NORMAL | (from->uv ? MESH_UV : 0)))
        return false;
    memcpy(shape->mesh.triangle, from->triangle, (size_t)from->triangle_count * sizeof *from->triangle);
    if (from->uv) memcpy(shape->mesh.uv, from->uv, (size_t)from->vertex_count * sizeof *from->uv);
    if (!scene_character_vertices(scene, world, i, shape->mesh.position) || !sn_mesh_make_normals(&shape->mesh))
        return false;
    name_body(view, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, model->body_count);
    model->body_count++;
    model->vertex_count += from->vertex_count;
    return true;
}

// A muscle under the skin of a character, as a tube: rings around its axis, which end in points.
static bool add_tube(scene_view *view, const sn_scene *scene, const sn_world *world, int i, int muscle) {
    view_model *model = &view->model;
    int copy;
    const scene_body *of = scene_character_body(scene, i, &copy);
    const int around = LIVE_AROUND;
    const int points = sn_muscles_get_axis(world, scene_character_muscles(scene, i), muscle, NULL, 0);
    view_body *body = &model->bodies[model->body_count];
    view_mesh *shape = &model->meshes[model->mesh_count];
    *body = (view_body){.mesh = model->mesh_count++, .first = model->vertex_count};
    shape->deforming = true;
    if (points < 2 || !sn_mesh_alloc(&shape->mesh, points * around, 2 * (points - 1) * around, 0)) return false;
    int(*triangle)[3] = shape->mesh.triangle;
    for (int k = 0; k + 1 < points; k++)
        for (int a = 0; a < around; a++) {
            const int b = (a + 1) % around, low = k * around, high = low + around;
            const int two[2][3] = {{low + a, low + b, high + a}, {low + b, high + b, high + a}};
            memcpy(triangle, two, sizeof two);
            triangle += 2;
        }
    char name[64];
    name_body(view, scene, of->index, copy, -1, body);
    snprintf(name, sizeof name, "%.30s.%.31s", body->name, scene_character_muscle_name(scene, i, muscle));
    memcpy(body->name, name, sizeof name);
    memcpy(body->colour, flesh[muscle % (int)(sizeof flesh / sizeof *flesh)], sizeof body->colour);
    model->body_count++;
    model->vertex_count += shape->mesh.vertex_count;
    return true;
}

static bool has_triangles(const sn_world *world, surface_body id) {
    return surface_kind_of(id)->triangles(world, id, NULL, 0) > 0;
}

// All of a mesh hangs on its only joint.
static bool hang_on_joint(view_mesh *shape) {
    sn_mesh *mesh = &shape->mesh;
    shape->joint_count = 1;
    shape->rest = room(1, sizeof *shape->rest);
    mesh->joint = room((size_t)mesh->vertex_count, sizeof *mesh->joint);
    mesh->weight = room((size_t)mesh->vertex_count, sizeof *mesh->weight);
    if (!shape->rest || !mesh->joint || !mesh->weight) return false;
    shape->rest[0] = (joint_pose){{0, 0, 0}, sn_q_identity(), {1, 1, 1}};
    for (int v = 0; v < mesh->vertex_count; v++) mesh->weight[v][0] = 1;
    return true;
}

// Pills and balls of a scene whose muscles are attached to something, and what follows a skeleton, are bones.
static bool is_bone(const sn_scene *scene, int number) {
    const obstacle_spec *shape = (const obstacle_spec *)scene->spec.shapes.items + number;
    bool attached = shape->bone != NULL;
    for (int i = 0; i < scene->muscle_count && !attached; i++)
        attached = scene->muscles[i].ride[0] >= 0 || scene->muscles[i].ride[1] >= 0;
    return attached && (shape->pill.head.type || shape->ball.head.type);
}

// The name that the scene gives it, if no body and no other copy has it too.
static void name_shape(const sn_scene *scene, int number, view_body *body) {
    const obstacle_spec *spec = (const obstacle_spec *)scene->spec.shapes.items + number;
    int copies = 0;
    const bool own = spec->name && scene_find_shape(scene, spec->name, &copies) == number && copies == 1 &&
                     !scene_find_body(scene, spec->name);
    if (own)
        snprintf(body->name, sizeof body->name, "%.48s", spec->name);
    else
        snprintf(body->name, sizeof body->name, "shape-%d", number);
}

// A shape: a plane, a body of one joint if it moves, or one without joints. Those that move come first.
static bool add_obstacle(scene_view *view, const sn_scene *scene, int number, bool moving) {
    view_model *model = &view->model;
    const obstacle_spec *spec = (const obstacle_spec *)scene->spec.shapes.items + number;
    double q[4] = {0, 0, 0, 1};
    if (spec->rotation.head.type) rotation_quaternion(&spec->rotation, q);
    sn_quat turn = {(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
    sn_vec3 bone_at = vec(spec->position);
    if (spec->bone) scene_shape_place(scene, number, 0, &bone_at, &turn);
    if (moving != (scene_shape_moves(scene, number) && !spec->plane)) return true;
    if (spec->plane) {
        model->planes[model->plane_count++] = (view_plane){vec(spec->position), sn_q_rotate(turn, sn_v3(0, 1, 0))};
        return true;
    }
    view_mesh *shape = &model->meshes[model->mesh_count];
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = model->mesh_count, .first = model->joint_count};
    memcpy(body->colour, is_bone(scene, number) ? ivory : stone, sizeof stone);
    name_shape(scene, number, body);
    sn_vec3 position = moving ? sn_v3(0, 0, 0) : bone_at;
    model->mesh_count++; // also when half made: freeing finds it
    if (!obstacle_mesh(&shape->mesh, spec, position, moving ? sn_q_identity() : turn)) return false;
    if (moving) {
        view->shapes[view->shape_count++] = scene->shapes[number];
        model->joint_count++;
    }
    model->body_count++;
    return !moving || hang_on_joint(shape);
}

static bool allocate(scene_view *view, const sn_scene *scene, const sn_world *world) {
    view_model *model = &view->model;
    size_t rods = (size_t)sn_world_rod_count(world), shapes = (size_t)scene->spec.shapes.count;
    size_t surfaces = (size_t)surface_count(world), characters = (size_t)scene_character_count(scene);
    for (int i = scene_character_count(scene); i-- > 0;) characters += (size_t)scene_character_muscle_count(scene, i);
    size_t all = rods + shapes + surfaces + (size_t)scene->muscle_count + characters;
    size_t entries = (size_t)scene->spec.bodies.count;
    view->most = 1;
    for (int i = 0; i < (int)rods; i++) {
        int n = sn_rod_point_count(world, sn_world_rod_at(world, i));
        view->most = n > view->most ? n : view->most;
    }
    size_t most = (size_t)view->most;
    model->meshes = room(all, sizeof *model->meshes);
    model->bodies = room(all, sizeof *model->bodies);
    model->planes = room(shapes, sizeof *model->planes);
    view->poses = poses_new();
    view->rest_filled = room(all, sizeof *view->rest_filled);
    view->covered = room(all, sizeof *view->covered);
    view->shapes = room(shapes, sizeof *view->shapes);
    view->drawn = room(surfaces, sizeof *view->drawn);
    view->shape_of_entry = room(entries, sizeof *view->shape_of_entry);
    view->muscle_of_entry = room(entries, sizeof *view->muscle_of_entry);
    view->centres = room(most, sizeof *view->centres);
    view->numbers = room(2 * most, sizeof *view->numbers);
    view->parents = room(most, sizeof *view->parents);
    if (!view->shape_of_entry || !view->muscle_of_entry) return false;
    for (size_t i = 0; i < entries; i++) view->shape_of_entry[i] = view->muscle_of_entry[i] = -1;
    return model->meshes && model->bodies && model->planes && view->poses && view->rest_filled && view->covered &&
           view->shapes && view->drawn && view->centres && view->numbers && view->parents;
}

static scene_view *make(const sn_scene *scene, const sn_world *world, bool skins, muscle_view muscles,
                        char error[256]) {
    scene_view *made = calloc(1, sizeof *made);
    snprintf(error, 256, "out of memory");
    if (made) made->skins = skins, made->muscles = muscles;
    bool good = made && allocate(made, scene, world);
    for (int i = 0; good && i < sn_world_rod_count(world); i++) {
        good = add_rod(made, scene, world, sn_world_rod_at(world, i), error);
    }
    const int surfaces = surface_count(world);
    for (int i = 0; good && i < surfaces; i++) {
        const surface_body id = surface_at(world, i);
        good = has_triangles(world, id) || add_chain(made, scene, world, id);
    }
    if (good && muscles == MUSCLE_BOTH) good = add_muscles(made, scene, world);
    for (int moving = 1; moving >= 0; moving--) {
        for (int i = 0; good && i < scene->spec.shapes.count; i++) good = add_obstacle(made, scene, i, moving);
    }
    for (int i = 0; good && i < surfaces; i++) {
        const surface_body id = surface_at(world, i);
        good = !has_triangles(world, id) || add_surface(made, scene, world, id);
    }
    if (good && muscles != MUSCLE_BOTH) made->scene = scene;
    for (int i = 0; good && i < scene_character_count(scene); i++) {
        good = add_character(made, scene, world, i);
        for (int m = 0; good && muscles == MUSCLE_BOTH && m < scene_character_muscle_count(scene, i); m++)
            good = add_tube(made, scene, world, i, m);
    }
    good = good && view_frame_alloc(&made->frame, &made->model) && view_frame_alloc(&made->before, &made->model);
    if (good) return made;
    scene_view_free(made);
    return NULL;
}

scene_view *scene_view_new(const sn_scene *scene, const sn_world *world, bool skins, char error[256]) {
    return make(scene, world, skins, skins ? MUSCLE_SKINS : MUSCLE_RODS, error);
}

scene_view *scene_view_new_with_rods(const sn_scene *scene, const sn_world *world, char error[256]) {
    return make(scene, world, true, MUSCLE_BOTH, error);
}

const view_frame *scene_view_read(scene_view *view, const sn_world *world, double time) {
    const view_frame last = view->frame;
    view->frame = view->before, view->before = last; // poses of bodies that were removed stay as they were
    view_frame *frame = &view->frame;
    frame->time = time;
    if (view->frames_read) memcpy(frame->poses, last.poses, (size_t)view->model.joint_count * sizeof *frame->poses);
    poses_read(view->poses, world, frame->poses, NULL);
    for (int i = 0; i < view->shape_count; i++) {
        joint_pose *pose = &frame->poses[view->model.bodies[view->rod_count + i].first];
        *pose = (joint_pose){.scale = {1, 1, 1}, .turn = sn_q_identity()};
        sn_shape_pose(world, view->shapes[i], &pose->position, &pose->turn);
    }
    if (view->frames_read++) view_frame_align(frame, &view->before, view->model.joint_count);
    float(*vertices)[3] = frame->vertices;
    bool good = true;
    for (int i = 0; i < view->drawn_count && good; i++) {
        good = surface_read(world, &view->drawn[i].is, vertices);
        vertices += view->drawn[i].is.vertex_count;
    }
    for (int i = 0; view->scene && i < scene_character_count(view->scene) && good; i++) {
        good = scene_character_vertices(view->scene, world, i, vertices);
        vertices += scene_character_mesh(view->scene, i)->vertex_count;
    }
    return good ? frame : NULL;
}

const view_model *scene_view_model(const scene_view *view) {
    return &view->model;
}

const live_poses *scene_view_poses(const scene_view *view) {
    return view->poses;
}

const live_surface *scene_view_surface(const scene_view *view, int i) {
    return i < view->drawn_count ? &view->drawn[i].is : NULL;
}

bool scene_view_is_covered(const scene_view *view, int body) {
    return body < view->rod_count && view->covered[body];
}

const sn_shape *scene_view_moving(const scene_view *view, int *count) {
    *count = view->shape_count;
    return view->shapes;
}

void scene_view_free(scene_view *view) {
    if (!view) return;
    poses_free(view->poses);
    free(view->rest_filled);
    free(view->covered);
    view_model_free(&view->model);
    view_frame_free(&view->frame);
    view_frame_free(&view->before);
    free(view->shapes);
    for (int i = 0; i < view->drawn_count; i++) {
        free(view->drawn[i].points);
        free(view->drawn[i].places);
    }
    free(view->drawn);
    free(view->shape_of_entry);
    free(view->muscle_of_entry);
    free(view->centres);
    free(view->numbers);
    free(view->parents);
    free(view);
}
