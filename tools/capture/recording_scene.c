// Every rod becomes a body with a joint at each of its points (live/poses.c); a muscle with a skin becomes one body
// with a joint at each of its cross-sections. Copies of an entry share their shape: it is
// kept as it was before it was placed, and has a skin, or tubes as thick and long as the pills that they stand for.
// Bodies that move as surfaces (live/surfaces.h) deform, each with a shape of its own; chains become tubes. So do the
// skins of characters, which the scene keeps.
#include "capture/recording_scene.h"
#include "base/math/vec.h"
#include "capture/recording_skins.h"
#include "capture/recording_springs.h"
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
} recorded_surface;

// What is drawn of muscles: the rods that they are made of, a skin instead of them where there is one, or both.
typedef enum { MUSCLE_RODS, MUSCLE_SKINS, MUSCLE_BOTH } muscle_view;

struct scene_recorder {
    recording take;
    bool skins; // wanted, of other bodies
    muscle_view muscles;
    live_poses *poses;       // of rods, chains and muscles: the first bodies
    bool *rest_filled;       // of each shape of the recording
    bool *covered;           // of each body: it is a rod within a skin
    int rod_count;           //
    sn_body *shapes;         // of the bodies after them: shapes that move
    int shape_count;         //
    recorded_surface *drawn; // of the last bodies: those that deform
    int drawn_count;         //
    const sn_scene *scene;   // whose characters come after them; null: they are not wanted
    int *shape_of_entry;     // -1: none yet
    int *muscle_of_entry;    // the shape of its skin
    int most;                // points of the largest rod
    sn_vec3 *centres;        // room for one rod
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
static int read_rod(scene_recorder *recorder, const sn_world *world, sn_body rod) {
    int n = sn_body_get_points(world, rod, recorder->centres, recorder->most);
    sn_rod_get_scales(world, rod, recorder->numbers, recorder->most);
    sn_rod_get_parents(world, rod, recorder->parents, recorder->most);
    return n;
}

static bool same_shape(const recorded_shape *shape, const sn_vec3 *local, const sn_real *radii, const int *parents,
                       int n) {
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
static int find_shape(const scene_recorder *recorder, const sn_scene *scene, int entry, const sn_real *radii, int n) {
    for (int i = 0; entry >= 0 && i < scene->spec.bodies.count; i++) {
        const int other = (entry + i) % scene->spec.bodies.count, shape = recorder->shape_of_entry[other];
        if (shape < 0 || !same_skin(rod_of(scene, entry), rod_of(scene, other))) continue;
        if (same_shape(&recorder->take.shapes[shape], recorder->centres, radii, recorder->parents, n)) return shape;
    }
    return -1;
}

static bool shape_fill(recorded_shape *shape, const sn_vec3 *local, const sn_real *radii, const int *parents, int n) {
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
static void name_body(const scene_recorder *recorder, const sn_scene *scene, int entry, int copy, int in_muscle,
                      recorded_body *body) {
    const char *name = entry >= 0 ? scene->bodies[entry].spec->name : NULL;
    char plain[24];
    snprintf(plain, sizeof plain, "body-%d", entry >= 0 ? entry : recorder->take.body_count);
    bool one = entry < 0 || scene->bodies[entry].copies <= 1;
    if (one) snprintf(body->name, sizeof body->name, "%.48s", name ? name : plain);
    if (!one) snprintf(body->name, sizeof body->name, "%.48s-%d", name ? name : plain, copy);
    const size_t length = strlen(body->name);
    if (in_muscle >= 0) snprintf(body->name + length, sizeof body->name - length, ".%d", in_muscle);
}

// Copies differ in colour in scenes of few entries; where there are many, entries do: they are rows or groups.
static void colour_body(const sn_scene *scene, int entry, recorded_body *body, int number) {
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
static int number_in_muscle(const sn_scene *scene, int entry, int copy, sn_body rod) {
    if (entry < 0 || !scene_muscle_of(&scene->bodies[entry])) return -1;
    const scene_body *body = &scene->bodies[entry];
    for (int i = 0; i < body->rods_per_copy; i++) {
        const sn_body own = scene->rods[body->first + copy * body->rods_per_copy + i];
        if (own.slot1 == rod.slot1 && own.gen == rod.gen) return i;
    }
    return -1;
}

// The skin of a muscle, in the size that the scene gives it, with a joint for each cross-section.
static bool muscle_shape(recorded_shape *shape, const scene_body *body, double scale) {
    shape->skinned = true;
    shape->joint_count = body->rig->slice_count;
    shape->rest = room((size_t)shape->joint_count, sizeof *shape->rest);
    if (!shape->rest || !scene_muscle_skin(body, &shape->mesh)) return false;
    for (int v = 0; v < shape->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) shape->mesh.position[v][k] *= (float)scale;
    return true;
}

// A copy of a muscle as one body; its copies share their shape.
static bool take_muscle(scene_recorder *recorder, const sn_scene *scene, const sn_world *world, int entry, int copy) {
    recording *take = &recorder->take;
    const scene_body *of = &scene->bodies[entry];
    const placement at = placement_of_copy(of->spec, scene->spec.seed, of->index, copy);
    const bool known = recorder->muscle_of_entry[entry] >= 0;
    const int shape = known ? recorder->muscle_of_entry[entry] : take->shape_count++;
    if (!known && !muscle_shape(&take->shapes[shape], of, at.scale)) return false;
    recorder->muscle_of_entry[entry] = shape;
    recorded_body *body = &take->bodies[take->body_count];
    *body = (recorded_body){.shape = shape, .first = take->joint_count};
    const pose_rod posed = {.bundle = scene->muscles[of->first_muscle + copy].id,
                            .first = body->first,
                            .skinned = true,
                            .position = vec(at.position),
                            .turn = turn_of(&at),
                            .rest = take->shapes[shape].rest,
                            .fill_rest = !known};
    if (!poses_add(recorder->poses, world, &posed)) return false;
    name_body(recorder, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, take->body_count);
    recorder->rod_count++;
    take->body_count++;
    take->joint_count += of->rig->slice_count;
    return true;
}

static bool take_rod(scene_recorder *recorder, const sn_scene *scene, const sn_world *world, sn_body rod,
                     char why[256]) {
    recording *take = &recorder->take;
    int copy, entry = entry_of(scene, sn_body_label(world, rod), &copy), n = read_rod(recorder, world, rod);
    const bool in_character = entry >= 0 && scene_character_of(&scene->bodies[entry]);
    const int in_muscle = in_character ? take->body_count : number_in_muscle(scene, entry, copy, rod);
    if (in_character && recorder->muscles == MUSCLE_SKINS) return true; // it is under the skin
    if (!in_character && in_muscle >= 0 && recorder->muscles == MUSCLE_SKINS &&
        scene_muscle_has_skin(&scene->bodies[entry]))
        return in_muscle > 0 || take_muscle(recorder, scene, world, entry, copy);
    placement at = {.turn = {0, 0, 0, 1}, .scale = 1};
    if (entry >= 0)
        at = placement_of_copy(scene->bodies[entry].spec, scene->spec.seed, scene->bodies[entry].index, copy);
    recorded_body *body = &take->bodies[take->body_count];
    *body = (recorded_body){.first = take->joint_count};
    for (int i = 0; i < n; i++) recorder->centres[i] = before_placement(&at, recorder->centres[i]);
    sn_real *scales = recorder->numbers, *radii = recorder->numbers + recorder->most;
    sn_rod_get_radii(world, rod, radii, recorder->most);
    for (int i = 0; i < n; i++) radii[i] /= scales[i];
    int shape = find_shape(recorder, scene, entry, radii, n);
    if (shape < 0) {
        shape = take->shape_count++;
        recorded_shape *made = &take->shapes[shape];
        const rod_spec *spec = rod_of(scene, entry);
        made->skinned = recorder->skins && spec && (spec->shape.octopus.head.type || spec->skin);
        bool good = shape_fill(made, recorder->centres, radii, recorder->parents, n);
        if (!good) snprintf(why, 256, "out of memory");
        if (good && made->skinned && spec->skin)
            good = recorded_file_skin(made, scene, spec->skin, recorder->centres, radii, recorder->parents, n, at.scale,
                                      why);
        else if (good && made->skinned)
            good = recorded_octopus_skin(made, &spec->shape.octopus, at.scale, why);
        if (good && !made->skinned) good = pill_mesh_rod(&made->mesh, recorder->centres, radii, recorder->parents, n);
        if (!good) return false;
    }
    if (entry >= 0) recorder->shape_of_entry[entry] = shape;
    body->shape = shape;
    recorded_shape *of = &take->shapes[shape];
    const pose_rod posed = {.rod = rod,
                            .first = body->first,
                            .skinned = of->skinned,
                            .position = vec(at.position), // the shape already has the body's size
                            .turn = turn_of(&at),
                            .rest = of->rest,
                            .fill_rest = of->skinned && !recorder->rest_filled[shape]};
    recorder->rest_filled[shape] = true;
    if (!poses_add(recorder->poses, world, &posed)) {
        snprintf(why, 256, "out of memory");
        return false;
    }
    name_body(recorder, scene, entry, copy, in_muscle, body);
    colour_body(scene, entry, body, take->body_count);
    if (in_character) memcpy(body->colour, flesh[0], sizeof body->colour);
    recorder->covered[take->body_count] = in_muscle >= 0 && recorder->muscles == MUSCLE_BOTH &&
                                          (in_character || scene_muscle_has_skin(&scene->bodies[entry]));
    recorder->rod_count++;
    take->body_count++;
    take->joint_count += n;
    return true;
}

// The skins of all muscles, beside their rods.
static bool take_muscles(scene_recorder *recorder, const sn_scene *scene, const sn_world *world) {
    bool good = true;
    for (int i = 0; i < scene->muscle_count && good; i++) {
        const scene_muscle *muscle = &scene->muscles[i];
        if (!scene_muscle_has_skin(muscle->body)) continue;
        good = take_muscle(recorder, scene, world, muscle->body->index, muscle->copy);
    }
    return good;
}

// A chain stands in the world as it is, so its joints at rest are its points at the start.
static bool chain_shape(recorded_shape *shape, const sn_world *world, surface_body id) {
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
static bool take_chain(scene_recorder *recorder, const sn_scene *scene, const sn_world *world, surface_body id) {
    recording *take = &recorder->take;
    int copy, entry = entry_of(scene, surface_kind_of(id)->label(world, id), &copy);
    int32_t *points, *parents;
    const int n = surface_chain(world, id, &points, &parents);
    free(points);
    free(parents);
    if (n <= 0) return n == 0; // nothing to be seen
    recorded_body *body = &take->bodies[take->body_count];
    *body = (recorded_body){.shape = take->shape_count++, .first = take->joint_count};
    const pose_rod posed = {.chain = id, .first = body->first, .turn = sn_q_identity()};
    if (!chain_shape(&take->shapes[body->shape], world, id) || !poses_add(recorder->poses, world, &posed)) return false;
    name_body(recorder, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, take->body_count);
    recorder->rod_count++;
    take->body_count++;
    take->joint_count += n;
    return true;
}

// A mesh of what is drawn, as it lies now.
static bool surface_shape(recorded_shape *shape, const sn_world *world, const live_surface *drawn,
                          const int32_t (*triangles)[3], int count) {
    shape->deforming = true;
    shape->open = !surface_kind_of(drawn->body)->solid(world, drawn->body);
    if (!sn_mesh_alloc(&shape->mesh, drawn->vertex_count, count, MESH_NORMAL)) return false;
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3; k++) shape->mesh.triangle[t][k] = triangles[t][k];
    return surface_read(world, drawn, shape->mesh.position) && sn_mesh_make_normals(&shape->mesh);
}

// A skin that the body carries.
static bool take_skin(const sn_world *world, const scene_body *of, surface_body id, recorded_surface *drawn,
                      recorded_shape *shape) {
    const sn_mesh *skin = springs_skin(of);
    drawn->places = springs_skin_places(of);
    drawn->is = (live_surface){.body = id, .vertex_count = skin->vertex_count, .places = drawn->places};
    return drawn->places &&
           surface_shape(shape, world, &drawn->is, (const int32_t(*)[3])skin->triangle, skin->triangle_count);
}

// The body's own surface.
static bool take_outline(const sn_world *world, surface_body id, recorded_surface *drawn, recorded_shape *shape) {
    int32_t(*triangles)[3];
    int count;
    const int n = surface_outline(world, id, &drawn->points, &triangles, &count);
    drawn->is = (live_surface){.body = id, .vertex_count = n, .points = drawn->points};
    const bool good = n > 0 && surface_shape(shape, world, &drawn->is, (const int32_t(*)[3])triangles, count);
    free(triangles);
    return good;
}

static bool take_surface(scene_recorder *recorder, const sn_scene *scene, const sn_world *world, surface_body id) {
    recording *take = &recorder->take;
    int copy, entry = entry_of(scene, surface_kind_of(id)->label(world, id), &copy);
    recorded_surface *drawn = &recorder->drawn[recorder->drawn_count++];
    recorded_body *body = &take->bodies[take->body_count];
    recorded_shape *shape = &take->shapes[take->shape_count];
    *body = (recorded_body){.shape = take->shape_count++, .first = take->vertex_count};
    const bool skin = recorder->skins && entry >= 0 && springs_skin(&scene->bodies[entry]);
    if (!(skin ? take_skin(world, &scene->bodies[entry], id, drawn, shape) : take_outline(world, id, drawn, shape)))
        return false;
    name_body(recorder, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, take->body_count);
    take->body_count++;
    take->vertex_count += drawn->is.vertex_count;
    return true;
}

// The skin of a character.
static bool take_character(scene_recorder *recorder, const sn_scene *scene, const sn_world *world, int i) {
    recording *take = &recorder->take;
    const sn_mesh *from = scene_character_mesh(scene, i);
    int copy;
    const int entry = scene_character_body(scene, i, &copy)->index;
    recorded_body *body = &take->bodies[take->body_count];
    recorded_shape *shape = &take->shapes[take->shape_count];
    *body = (recorded_body){.shape = take->shape_count++, .first = take->vertex_count};
    shape->deforming = true;
    if (!sn_mesh_alloc(&shape->mesh, from->vertex_count, from->triangle_count, MESH_NORMAL | (from->uv ? MESH_UV : 0)))
        return false;
    memcpy(shape->mesh.triangle, from->triangle, (size_t)from->triangle_count * sizeof *from->triangle);
    if (from->uv) memcpy(shape->mesh.uv, from->uv, (size_t)from->vertex_count * sizeof *from->uv);
    if (!scene_character_vertices(scene, world, i, shape->mesh.position) || !sn_mesh_make_normals(&shape->mesh))
        return false;
    name_body(recorder, scene, entry, copy, -1, body);
    colour_body(scene, entry, body, take->body_count);
    take->body_count++;
    take->vertex_count += from->vertex_count;
    return true;
}

// A muscle under the skin of a character, as a tube: rings around its axis, which end in points.
static bool take_tube(scene_recorder *recorder, const sn_scene *scene, const sn_world *world, int i, int muscle) {
    recording *take = &recorder->take;
    int copy;
    const scene_body *of = scene_character_body(scene, i, &copy);
    const int around = LIVE_AROUND;
    const int points = sn_implicit_muscles_get_axis(world, scene_character_muscles(scene, i), muscle, NULL, 0);
    recorded_body *body = &take->bodies[take->body_count];
    recorded_shape *shape = &take->shapes[take->shape_count];
    *body = (recorded_body){.shape = take->shape_count++, .first = take->vertex_count};
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
    name_body(recorder, scene, of->index, copy, -1, body);
    snprintf(name, sizeof name, "%.30s.%.31s", body->name, scene_character_muscle_name(scene, i, muscle));
    memcpy(body->name, name, sizeof name);
    memcpy(body->colour, flesh[muscle % (int)(sizeof flesh / sizeof *flesh)], sizeof body->colour);
    take->body_count++;
    take->vertex_count += shape->mesh.vertex_count;
    return true;
}

static bool has_triangles(const sn_world *world, surface_body id) {
    return surface_kind_of(id)->triangles(world, id, NULL, 0) > 0;
}

// All of a mesh hangs on its only joint.
static bool hang_on_joint(recorded_shape *shape) {
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
static void name_shape(const sn_scene *scene, int number, recorded_body *body) {
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
static bool take_obstacle(scene_recorder *recorder, const sn_scene *scene, int number, bool moving) {
    recording *take = &recorder->take;
    const obstacle_spec *spec = (const obstacle_spec *)scene->spec.shapes.items + number;
    double q[4] = {0, 0, 0, 1};
    if (spec->rotation.head.type) rotation_quaternion(&spec->rotation, q);
    sn_quat turn = {(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
    sn_vec3 bone_at = vec(spec->position);
    if (spec->bone) scene_shape_place(scene, number, 0, &bone_at, &turn);
    if (moving != (scene_shape_moves(scene, number) && !spec->plane)) return true;
    if (spec->plane) {
        take->planes[take->plane_count++] = (recorded_plane){vec(spec->position), sn_q_rotate(turn, sn_v3(0, 1, 0))};
        return true;
    }
    recorded_shape *shape = &take->shapes[take->shape_count];
    recorded_body *body = &take->bodies[take->body_count];
    *body = (recorded_body){.shape = take->shape_count, .first = take->joint_count};
    memcpy(body->colour, is_bone(scene, number) ? ivory : stone, sizeof stone);
    name_shape(scene, number, body);
    sn_vec3 position = moving ? sn_v3(0, 0, 0) : bone_at;
    take->shape_count++; // also when half made: freeing finds it
    if (!obstacle_mesh(&shape->mesh, spec, position, moving ? sn_q_identity() : turn)) return false;
    if (moving) {
        recorder->shapes[recorder->shape_count++] = scene->shapes[number];
        take->joint_count++;
    }
    take->body_count++;
    return !moving || hang_on_joint(shape);
}

static bool take_room(scene_recorder *recorder, const sn_scene *scene, const sn_world *world) {
    recording *take = &recorder->take;
    size_t rods = (size_t)sn_world_kind_count(world, SN_KIND_ROD), shapes = (size_t)scene->spec.shapes.count;
    size_t surfaces = (size_t)surface_count(world), characters = (size_t)scene_character_count(scene);
    for (int i = scene_character_count(scene); i-- > 0;) characters += (size_t)scene_character_muscle_count(scene, i);
    size_t all = rods + shapes + surfaces + (size_t)scene->muscle_count + characters;
    size_t entries = (size_t)scene->spec.bodies.count;
    recorder->most = 1;
    for (int i = 0; i < (int)rods; i++) {
        int n = sn_body_point_count(world, sn_world_kind_at(world, SN_KIND_ROD, i));
        recorder->most = n > recorder->most ? n : recorder->most;
    }
    size_t most = (size_t)recorder->most;
    take->shapes = room(all, sizeof *take->shapes);
    take->bodies = room(all, sizeof *take->bodies);
    take->planes = room(shapes, sizeof *take->planes);
    recorder->poses = poses_new();
    recorder->rest_filled = room(all, sizeof *recorder->rest_filled);
    recorder->covered = room(all, sizeof *recorder->covered);
    recorder->shapes = room(shapes, sizeof *recorder->shapes);
    recorder->drawn = room(surfaces, sizeof *recorder->drawn);
    recorder->shape_of_entry = room(entries, sizeof *recorder->shape_of_entry);
    recorder->muscle_of_entry = room(entries, sizeof *recorder->muscle_of_entry);
    recorder->centres = room(most, sizeof *recorder->centres);
    recorder->numbers = room(2 * most, sizeof *recorder->numbers);
    recorder->parents = room(most, sizeof *recorder->parents);
    if (!recorder->shape_of_entry || !recorder->muscle_of_entry) return false;
    for (size_t i = 0; i < entries; i++) recorder->shape_of_entry[i] = recorder->muscle_of_entry[i] = -1;
    return take->shapes && take->bodies && take->planes && recorder->poses && recorder->rest_filled &&
           recorder->covered && recorder->shapes && recorder->drawn && recorder->centres && recorder->numbers &&
           recorder->parents;
}

static scene_recorder *make(const sn_scene *scene, const sn_world *world, bool skins, muscle_view muscles,
                            char why[256]) {
    scene_recorder *made = calloc(1, sizeof *made);
    snprintf(why, 256, "out of memory");
    if (made) made->skins = skins, made->muscles = muscles;
    bool good = made && take_room(made, scene, world);
    for (int i = 0; good && i < sn_world_kind_count(world, SN_KIND_ROD); i++) {
        good = take_rod(made, scene, world, sn_world_kind_at(world, SN_KIND_ROD, i), why);
    }
    const int surfaces = surface_count(world);
    for (int i = 0; good && i < surfaces; i++) {
        const surface_body id = surface_at(world, i);
        good = has_triangles(world, id) || take_chain(made, scene, world, id);
    }
    if (good && muscles == MUSCLE_BOTH) good = take_muscles(made, scene, world);
    for (int moving = 1; moving >= 0; moving--) {
        for (int i = 0; good && i < scene->spec.shapes.count; i++) good = take_obstacle(made, scene, i, moving);
    }
    for (int i = 0; good && i < surfaces; i++) {
        const surface_body id = surface_at(world, i);
        good = !has_triangles(world, id) || take_surface(made, scene, world, id);
    }
    if (good && muscles != MUSCLE_BOTH) made->scene = scene;
    for (int i = 0; good && i < scene_character_count(scene); i++) {
        good = take_character(made, scene, world, i);
        for (int m = 0; good && muscles == MUSCLE_BOTH && m < scene_character_muscle_count(scene, i); m++)
            good = take_tube(made, scene, world, i, m);
    }
    if (good) return made;
    scene_recorder_free(made);
    return NULL;
}

scene_recorder *scene_recorder_new(const sn_scene *scene, const sn_world *world, bool skins, char why[256]) {
    return make(scene, world, skins, skins ? MUSCLE_SKINS : MUSCLE_RODS, why);
}

scene_recorder *scene_recorder_new_with_rods(const sn_scene *scene, const sn_world *world, char why[256]) {
    return make(scene, world, true, MUSCLE_BOTH, why);
}

bool scene_recorder_add(scene_recorder *recorder, const sn_world *world, double t) {
    joint_pose *poses = recording_add(&recorder->take, t);
    if (!poses) return false;
    poses_read(recorder->poses, world, poses, NULL);
    for (int i = 0; i < recorder->shape_count; i++) {
        joint_pose *pose = &poses[recorder->take.bodies[recorder->rod_count + i].first];
        *pose = (joint_pose){.scale = {1, 1, 1}, .rotation = sn_q_identity()};
        sn_rigid_get_pose(world, recorder->shapes[i], &pose->position, &pose->rotation);
    }
    recording_settle(&recorder->take);
    float(*vertices)[3] = recording_frame_vertices(&recorder->take, recorder->take.frame_count - 1);
    bool good = true;
    for (int i = 0; i < recorder->drawn_count && good; i++) {
        good = surface_read(world, &recorder->drawn[i].is, vertices);
        vertices += recorder->drawn[i].is.vertex_count;
    }
    for (int i = 0; recorder->scene && i < scene_character_count(recorder->scene) && good; i++) {
        good = scene_character_vertices(recorder->scene, world, i, vertices);
        vertices += scene_character_mesh(recorder->scene, i)->vertex_count;
    }
    return good;
}

const recording *scene_recorder_take(const scene_recorder *recorder) {
    return &recorder->take;
}

const live_poses *scene_recorder_poses(const scene_recorder *recorder) {
    return recorder->poses;
}

const live_surface *scene_recorder_surface(const scene_recorder *recorder, int i) {
    return i < recorder->drawn_count ? &recorder->drawn[i].is : NULL;
}

bool scene_recorder_covered(const scene_recorder *recorder, int body) {
    return body < recorder->rod_count && recorder->covered[body];
}

const sn_body *scene_recorder_moving(const scene_recorder *recorder, int *count) {
    *count = recorder->shape_count;
    return recorder->shapes;
}

void scene_recorder_free(scene_recorder *recorder) {
    if (!recorder) return;
    poses_free(recorder->poses);
    free(recorder->rest_filled);
    free(recorder->covered);
    recording_free(&recorder->take);
    free(recorder->shapes);
    for (int i = 0; i < recorder->drawn_count; i++) {
        free(recorder->drawn[i].points);
        free(recorder->drawn[i].places);
    }
    free(recorder->drawn);
    free(recorder->shape_of_entry);
    free(recorder->muscle_of_entry);
    free(recorder->centres);
    free(recorder->numbers);
    free(recorder->parents);
    free(recorder);
}
