// Bodies become meshes on joints, by their form (view/view_kinds.h). Pills become a body with a joint at each point; a
// muscle with a skin one body with a joint at each cross-section. Copies of an entry share their mesh, a skin or tubes
// around the pills, which is stored before placement. Surfaces and the skins of characters deform, each with a mesh of
// its own; chains become tubes.
#include "capture/scene_view.h"
#include "base/math/vec.h"
#include "capture/scene_colours.h"
#include "scene/obstacle_mesh.h"
#include "scene/placement.h"
#include "scene/scene_character.h"
#include "scene/scene_check.h"
#include "scene/scene_muscle.h"
#include "scene/scene_rigid.h"
#include "scene/scene_skin.h"
#include "view/pill_mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The vertices of a deforming body, with the lists that it owns.
typedef struct {
    view_surface is;
    int32_t *points;
    view_place *places;
} drawn_surface;

// How muscles are drawn: their rods, a skin instead of them if there is one, or both.
typedef enum { MUSCLE_RODS, MUSCLE_SKINS, MUSCLE_BOTH } muscle_view;

struct scene_view {
    view_model model;
    view_frame frame, before; // the last one, and the one before it
    int frames_read;
    bool skins; // draw skins of other bodies
    muscle_view muscles;
    view_poses *poses;     // of pills, chains and muscles: the first bodies
    int posed_count;       //
    bool *rest_filled;     // of each mesh: its joints at rest are known
    bool *covered;         // of each body: it is a rod under a skin
    sn_body *moving;       // of the bodies after them: rigid bodies that move
    int moving_count;      //
    drawn_surface *drawn;  // of the last bodies: those that deform
    int drawn_count;       //
    const sn_scene *scene; // whose characters come after them; null: not drawn
    int *mesh_of_entry;    // -1: none yet
    int *muscle_of_entry;  // the mesh of its skin
    int capacity;          // points of the largest pills; buffers for one body:
    sn_vec3 *points;
    sn_real *scales, *radii;
    int *parents;
};

static void *allocate_list(size_t count, size_t size) {
    return calloc(count ? count : 1, size);
}

static sn_vec3 vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_quat rotation_of(const placement *at) {
    return (sn_quat){(sn_real)at->rotation[0], (sn_real)at->rotation[1], (sn_real)at->rotation[2],
                     (sn_real)at->rotation[3]};
}

static sn_vec3 before_placement(const placement *at, sn_vec3 x) {
    return sn_q_rotate(sn_q_conj(rotation_of(at)), sn_sub(x, vec(at->position)));
}

// The entry of the scene that a body belongs to, and which copy it is; -1: none.
static int entry_of(const sn_scene *scene, const sn_world *world, sn_body id, int *copy) {
    const uint64_t label = sn_body_label(world, id), entry = (label - 1) >> 32;
    *copy = (int)((label - 1) & 0xFFFFFFFFu);
    return label && entry < (uint64_t)scene->spec.bodies.count ? (int)entry : -1;
}

// Reads pills before placement: points, radii at rest, parents.
static int read_pills(scene_view *view, const sn_world *world, sn_body id, const placement *at) {
    const view_kind *kind = view_kind_of(id);
    const int n = kind->points(world, id, view->points, view->capacity);
    for (int i = 0; i < n; i++) view->scales[i] = 1;
    if (kind->scales) kind->scales(world, id, view->scales, view->capacity);
    kind->radii(world, id, view->radii, view->capacity);
    kind->parents(world, id, view->parents, view->capacity);
    for (int i = 0; i < n; i++) {
        view->points[i] = before_placement(at, view->points[i]);
        view->radii[i] /= view->scales[i];
    }
    return n;
}

// Whether a mesh has the pills that were just read.
static bool has_pills(const scene_view *view, const view_mesh *mesh, int n) {
    if (mesh->joint_count != n || memcmp(mesh->parents, view->parents, (size_t)n * sizeof *mesh->parents) != 0)
        return false;
    for (int i = 0; i < n; i++) {
        const sn_real off = sn_length(sn_sub(mesh->rest[i].position, view->points[i]));
        if (!(off <= (sn_real)1e-4 * mesh->radii[i])) return false;
        if (!(fabsf(view->radii[i] - mesh->radii[i]) <= (sn_real)1e-4 * mesh->radii[i])) return false;
    }
    return true;
}

// A mesh that fits the pills that were just read, or -1. That of their own entry is tried first.
static int find_mesh(const scene_view *view, const sn_scene *scene, int entry, int n) {
    for (int i = 0; entry >= 0 && i < scene->spec.bodies.count; i++) {
        const int other = (entry + i) % scene->spec.bodies.count, mesh = view->mesh_of_entry[other];
        if (mesh < 0 || !scene_same_skin(scene, entry, other)) continue;
        if (has_pills(view, &view->model.meshes[mesh], n)) return mesh;
    }
    return -1;
}

static bool fill_joints(view_mesh *mesh, const sn_vec3 *local, const sn_real *radii, const int *parents, int n) {
    mesh->joint_count = n;
    mesh->rest = allocate_list((size_t)n, sizeof *mesh->rest);
    mesh->parents = allocate_list((size_t)n, sizeof *mesh->parents);
    mesh->radii = allocate_list((size_t)n, sizeof *mesh->radii);
    if (!mesh->rest || !mesh->parents || !mesh->radii) return false;
    memcpy(mesh->parents, parents, (size_t)n * sizeof *parents);
    memcpy(mesh->radii, radii, (size_t)n * sizeof *radii);
    for (int i = 0; i < n; i++) mesh->rest[i] = (joint_pose){local[i], sn_q_identity(), {1, 1, 1}, sn_q_identity()};
    return true;
}

// Names are unique: three.js, Unity and others find animated nodes by them.
static void name_body(const scene_view *view, const sn_scene *scene, int entry, int copy, int in_muscle,
                      view_body *body) {
    const char *name = entry >= 0 ? scene->bodies[entry].spec->name : NULL;
    char plain[24];
    snprintf(plain, sizeof plain, "body-%d", entry >= 0 ? entry : view->model.body_count);
    const bool one = entry < 0 || scene->bodies[entry].copies <= 1;
    if (one) snprintf(body->name, sizeof body->name, "%.48s", name ? name : plain);
    if (!one) snprintf(body->name, sizeof body->name, "%.48s-%d", name ? name : plain, copy);
    const size_t length = strlen(body->name);
    if (in_muscle >= 0) snprintf(body->name + length, sizeof body->name - length, ".%d", in_muscle);
}

// The next body of the model, with an empty mesh of its own. `first` is the index of its first joint or vertex. Both
// are counted at once, so that incomplete ones are freed.
static view_body *begin_body(scene_view *view, const sn_scene *scene, int entry, int copy, int first) {
    view_model *model = &view->model;
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = model->mesh_count++, .first = first};
    name_body(view, scene, entry, copy, -1, body);
    colour_of_body(scene, entry, model->body_count, body->colour);
    model->body_count++;
    return body;
}

// --- pills and muscles ---

// The index of a rod in its muscle; -1: it is in none.
static int index_in_muscle(const sn_scene *scene, int entry, int copy, sn_body id) {
    if (entry < 0 || !scene_muscle_of(&scene->bodies[entry])) return -1;
    const scene_body *body = &scene->bodies[entry];
    for (int i = 0; i < body->ids_per_copy; i++) {
        const int k = body->first + copy * body->ids_per_copy + i;
        if (scene->ids[k].slot1 == id.slot1 && scene->ids[k].gen == id.gen) return i;
    }
    return -1;
}

// The scaled skin of a muscle, with a joint for each cross-section.
static bool make_muscle(view_mesh *mesh, const scene_body *body, double scale) {
    mesh->skinned = mesh->flattens = true;
    mesh->joint_count = scene_muscle_rig(body)->slice_count;
    mesh->rest = allocate_list((size_t)mesh->joint_count, sizeof *mesh->rest);
    if (!mesh->rest || !scene_muscle_skin(body, &mesh->mesh)) return false;
    for (int v = 0; v < mesh->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) mesh->mesh.position[v][k] *= (float)scale;
    return true;
}

// A copy of a muscle as one body; copies share their mesh.
static bool add_muscle(scene_view *view, const sn_scene *scene, const sn_world *world, int entry, int copy) {
    view_model *model = &view->model;
    const scene_body *of = &scene->bodies[entry];
    const placement at = placement_of_copy(of->spec, scene->spec.seed, of->index, copy);
    const bool known = view->muscle_of_entry[entry] >= 0;
    const int mesh = known ? view->muscle_of_entry[entry] : model->mesh_count++;
    if (!known && !make_muscle(&model->meshes[mesh], of, at.scale)) return false;
    view->muscle_of_entry[entry] = mesh;
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = mesh, .first = model->joint_count};
    const pose_body posed = {.bundle = scene->muscles[of->first_own + copy].id,
                             .first = body->first,
                             .skinned = true,
                             .position = vec(at.position),
                             .rotation = rotation_of(&at),
                             .rest = model->meshes[mesh].rest,
                             .fill_rest = !known};
    if (!poses_add(view->poses, world, &posed)) return false;
    name_body(view, scene, entry, copy, -1, body);
    colour_of_body(scene, entry, model->body_count, body->colour);
    view->posed_count++;
    model->body_count++;
    model->joint_count += scene_muscle_rig(of)->slice_count;
    return true;
}

// The skins of all muscles, besides their rods.
static bool add_muscles(scene_view *view, const sn_scene *scene, const sn_world *world) {
    bool good = true;
    for (int i = 0; i < scene->muscle_count && good; i++) {
        const scene_muscle *muscle = &scene->muscles[i];
        if (!scene_muscle_has_skin(muscle->body)) continue;
        good = add_muscle(view, scene, world, muscle->body->index, muscle->copy);
    }
    return good;
}

// A mesh for the pills that were just read. Returns its index; -1: the error is set.
static int make_pills(scene_view *view, const sn_scene *scene, int entry, int n, double scale, tool_error *error) {
    const int index = view->model.mesh_count++;
    view_mesh *mesh = &view->model.meshes[index];
    mesh->skinned = view->skins && scene_has_skin(scene, entry);
    tool_error_out_of_memory(error);
    if (!fill_joints(mesh, view->points, view->radii, view->parents, n)) return -1;
    const bool good =
        mesh->skinned ? scene_make_skin(mesh, scene, entry, view->points, view->radii, view->parents, n, scale, error)
                      : pill_mesh_rod(&mesh->mesh, view->points, view->radii, view->parents, n);
    return good ? index : -1;
}

static bool add_pills(scene_view *view, const sn_scene *scene, const sn_world *world, sn_body id, tool_error *error) {
    view_model *model = &view->model;
    int copy;
    const int entry = entry_of(scene, world, id, &copy);
    const scene_body *of = entry >= 0 ? &scene->bodies[entry] : NULL;
    const bool in_character = of && scene_character_of(of);
    const int in_muscle = in_character ? model->body_count : index_in_muscle(scene, entry, copy, id);
    if (in_character && view->muscles == MUSCLE_SKINS) return true; // the skin covers it
    if (!in_character && in_muscle >= 0 && view->muscles == MUSCLE_SKINS && scene_muscle_has_skin(of))
        return in_muscle > 0 || add_muscle(view, scene, world, entry, copy);
    placement at = {.rotation = {0, 0, 0, 1}, .scale = 1};
    if (of) at = placement_of_copy(of->spec, scene->spec.seed, of->index, copy);
    const int n = read_pills(view, world, id, &at);
    int mesh = find_mesh(view, scene, entry, n);
    if (mesh < 0) mesh = make_pills(view, scene, entry, n, at.scale, error);
    if (mesh < 0) return false;
    if (entry >= 0) view->mesh_of_entry[entry] = mesh;
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = mesh, .first = model->joint_count};
    const bool skinned = model->meshes[mesh].skinned;
    const pose_body posed = {.body = id,
                             .first = body->first,
                             .skinned = skinned,
                             .position = vec(at.position), // the mesh is already scaled
                             .rotation = rotation_of(&at),
                             .rest = model->meshes[mesh].rest,
                             .fill_rest = skinned && !view->rest_filled[mesh]};
    view->rest_filled[mesh] = true;
    tool_error_out_of_memory(error);
    if (!poses_add(view->poses, world, &posed)) return false;
    name_body(view, scene, entry, copy, in_muscle, body);
    colour_of_body(scene, entry, model->body_count, body->colour);
    if (in_character) colour_of_muscle(0, body->colour);
    view->covered[model->body_count] =
        in_muscle >= 0 && view->muscles == MUSCLE_BOTH && (in_character || scene_muscle_has_skin(of));
    view->posed_count++;
    model->body_count++;
    model->joint_count += n;
    return true;
}

// --- chains ---

// The joints of a chain at rest are its points at the start, in the world.
static bool make_chain(view_mesh *mesh, const sn_world *world, sn_body id, const int32_t *points,
                       const int32_t *parents, int n) {
    const view_kind *kind = view_kind_of(id);
    const size_t all = (size_t)kind->points(world, id, NULL, 0), count = (size_t)n;
    sn_vec3 *at = malloc(count * sizeof *at), *own = malloc(all * sizeof *own);
    sn_real *radii = malloc(count * sizeof *radii), *own_radii = malloc(all * sizeof *own_radii);
    bool good = at && own && radii && own_radii;
    if (good) {
        kind->points(world, id, own, (int)all);
        kind->radii(world, id, own_radii, (int)all);
        for (int k = 0; k < n; k++) at[k] = own[points[k]], radii[k] = own_radii[points[k]];
        good = fill_joints(mesh, at, radii, parents, n) && pill_mesh_rod(&mesh->mesh, at, radii, parents, n);
    }
    free(at);
    free(own);
    free(radii);
    free(own_radii);
    return good;
}

// A surface without triangles.
static bool add_chain(scene_view *view, const sn_scene *scene, const sn_world *world, sn_body id) {
    view_model *model = &view->model;
    int copy, entry = entry_of(scene, world, id, &copy);
    int32_t *points, *parents;
    const int n = view_chain(world, id, &points, &parents);
    bool good = n == 0; // nothing to draw without lines
    if (n > 0) {
        const view_body *body = begin_body(view, scene, entry, copy, model->joint_count);
        const pose_body posed = {.body = id, .first = body->first, .rotation = sn_q_identity()};
        good = make_chain(&model->meshes[body->mesh], world, id, points, parents, n) &&
               poses_add(view->poses, world, &posed);
        view->posed_count++;
        model->joint_count += n;
    }
    free(points);
    free(parents);
    return good;
}

// --- surfaces ---

// The mesh of a surface now.
static bool make_mesh(view_mesh *mesh, const sn_world *world, const view_surface *drawn, const int32_t (*triangles)[3],
                      int count) {
    mesh->deforming = true;
    mesh->open = !view_kind_of(drawn->body)->is_solid(world, drawn->body);
    if (!sn_mesh_alloc(&mesh->mesh, drawn->vertex_count, count, MESH_NORMAL)) return false;
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3; k++) mesh->mesh.triangle[t][k] = triangles[t][k];
    return view_surface_read(world, drawn, mesh->mesh.position) && sn_mesh_make_normals(&mesh->mesh);
}

// A skin embedded in the body.
static bool make_embedded(const sn_scene *scene, const sn_world *world, int entry, sn_body id, drawn_surface *drawn,
                          view_mesh *mesh) {
    const sn_mesh *skin = scene_embedded_skin(scene, entry);
    drawn->places = scene_embedded_places(scene, entry);
    drawn->is = (view_surface){.body = id, .vertex_count = skin->vertex_count, .places = drawn->places};
    if (!drawn->places ||
        !make_mesh(mesh, world, &drawn->is, (const int32_t(*)[3])skin->triangle, skin->triangle_count))
        return false;
    const size_t size = (size_t)skin->vertex_count * sizeof *skin->uv;
    if (!skin->uv || !size) return true;
    mesh->mesh.uv = malloc(size);
    if (mesh->mesh.uv) memcpy(mesh->mesh.uv, skin->uv, size);
    return mesh->mesh.uv != NULL;
}

// The body's own surface.
static bool make_outline(const sn_world *world, sn_body id, drawn_surface *drawn, view_mesh *mesh) {
    int32_t(*triangles)[3];
    int count;
    const int n = view_outline(world, id, &drawn->points, &triangles, &count);
    drawn->is = (view_surface){.body = id, .vertex_count = n, .points = drawn->points};
    const bool good = n > 0 && make_mesh(mesh, world, &drawn->is, (const int32_t(*)[3])triangles, count);
    free(triangles);
    return good;
}

static bool add_surface(scene_view *view, const sn_scene *scene, const sn_world *world, sn_body id) {
    view_model *model = &view->model;
    int copy, entry = entry_of(scene, world, id, &copy);
    drawn_surface *drawn = &view->drawn[view->drawn_count++];
    view_mesh *mesh = &model->meshes[begin_body(view, scene, entry, copy, model->vertex_count)->mesh];
    const bool embedded = view->skins && scene_embedded_skin(scene, entry);
    if (!(embedded ? make_embedded(scene, world, entry, id, drawn, mesh) : make_outline(world, id, drawn, mesh)))
        return false;
    model->vertex_count += drawn->is.vertex_count;
    return true;
}

static bool has_triangles(const sn_world *world, sn_body id) {
    const view_kind *kind = view_kind_of(id);
    return kind->triangles && kind->triangles(world, id, NULL, 0) > 0;
}

// --- characters ---

// The skin of a character.
static bool add_character(scene_view *view, const sn_scene *scene, const sn_world *world, int i) {
    view_model *model = &view->model;
    const sn_mesh *from = scene_character_mesh(scene, i);
    int copy;
    const int entry = scene_character_body(scene, i, &copy)->index;
    view_mesh *mesh = &model->meshes[begin_body(view, scene, entry, copy, model->vertex_count)->mesh];
    mesh->deforming = true;
    if (!sn_mesh_alloc(&mesh->mesh, from->vertex_count, from->triangle_count, MESH_NORMAL | (from->uv ? MESH_UV : 0)))
        return false;
    memcpy(mesh->mesh.triangle, from->triangle, (size_t)from->triangle_count * sizeof *from->triangle);
    if (from->uv) memcpy(mesh->mesh.uv, from->uv, (size_t)from->vertex_count * sizeof *from->uv);
    if (!scene_character_vertices(scene, world, i, mesh->mesh.position) || !sn_mesh_make_normals(&mesh->mesh))
        return false;
    model->vertex_count += from->vertex_count;
    return true;
}

// A muscle under the skin of a character: rings around its axis, which end in points.
static bool add_tube(scene_view *view, const sn_scene *scene, int i, int muscle, int points) {
    enum { SIDES = VIEW_TUBE_SIDES };
    view_model *model = &view->model;
    const int rings = points / SIDES;
    int copy;
    const scene_body *of = scene_character_body(scene, i, &copy);
    view_body *body = begin_body(view, scene, of->index, copy, model->vertex_count);
    view_mesh *mesh = &model->meshes[body->mesh];
    mesh->deforming = true;
    if (rings < 2 || !sn_mesh_alloc(&mesh->mesh, rings * SIDES, 2 * (rings - 1) * SIDES, 0)) return false;
    int(*triangle)[3] = mesh->mesh.triangle;
    for (int k = 0; k + 1 < rings; k++)
        for (int a = 0; a < SIDES; a++) {
            const int b = (a + 1) % SIDES, low = k * SIDES, high = low + SIDES;
            const int two[2][3] = {{low + a, low + b, high + a}, {low + b, high + b, high + a}};
            memcpy(triangle, two, sizeof two);
            triangle += 2;
        }
    char name[64];
    snprintf(name, sizeof name, "%.30s.%.31s", body->name, scene_character_muscle_name(scene, i, muscle));
    memcpy(body->name, name, sizeof name);
    colour_of_muscle(muscle, body->colour);
    model->vertex_count += mesh->mesh.vertex_count;
    return true;
}

static bool add_tubes(scene_view *view, const sn_scene *scene, const sn_world *world, int i) {
    const sn_body id = scene_character_muscles(scene, i);
    const view_kind *kind = view_kind_of(id);
    bool good = true;
    for (int m = 0; good && m < kind->tube_count(world, id); m++)
        good = add_tube(view, scene, i, m, kind->tube_points(world, id, m, NULL, 0));
    return good;
}

// --- rigid bodies ---

// Binds a mesh to its only joint.
static bool add_joint(view_mesh *out) {
    sn_mesh *mesh = &out->mesh;
    out->joint_count = 1;
    out->rest = allocate_list(1, sizeof *out->rest);
    mesh->joint = allocate_list((size_t)mesh->vertex_count, sizeof *mesh->joint);
    mesh->weight = allocate_list((size_t)mesh->vertex_count, sizeof *mesh->weight);
    if (!out->rest || !mesh->joint || !mesh->weight) return false;
    out->rest[0] = (joint_pose){{0, 0, 0}, sn_q_identity(), {1, 1, 1}, sn_q_identity()};
    for (int v = 0; v < mesh->vertex_count; v++) mesh->weight[v][0] = 1;
    return true;
}

// Bones are the pills and spheres of a scene with attached muscles, and those of skeletons.
static bool is_bone(const sn_scene *scene, int number) {
    const rigid_spec *shape = (const rigid_spec *)scene->spec.rigid_bodies.items + number;
    bool attached = shape->bone != NULL;
    for (int i = 0; i < scene->muscle_count && !attached; i++)
        attached = scene->muscles[i].ride[0] >= 0 || scene->muscles[i].ride[1] >= 0;
    return attached && (shape->pill.head.type || shape->sphere.head.type);
}

// Its name in the scene, unless a body or another copy has it too.
static void name_rigid(const sn_scene *scene, int number, view_body *body) {
    const rigid_spec *spec = (const rigid_spec *)scene->spec.rigid_bodies.items + number;
    int copies = 0;
    const bool own = spec->name && scene_find_rigid(scene, spec->name, &copies) == number && copies == 1 &&
                     !scene_find_body(scene, spec->name);
    if (own)
        snprintf(body->name, sizeof body->name, "%.48s", spec->name);
    else
        snprintf(body->name, sizeof body->name, "shape-%d", number);
}

// A plane, a body of one joint if it moves, or one without joints. Those that move come first.
static bool add_rigid(scene_view *view, const sn_scene *scene, int number, bool moving) {
    view_model *model = &view->model;
    const rigid_spec *spec = (const rigid_spec *)scene->spec.rigid_bodies.items + number;
    double q[4] = {0, 0, 0, 1};
    if (spec->rotation.head.type) rotation_quaternion(&spec->rotation, q);
    sn_quat rotation = {(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
    sn_vec3 bone_at = vec(spec->position);
    const scene_list *list = scene_lists[SCENE_RIGID_BODIES];
    if (spec->bone) list->pose(scene, number, 0, &bone_at, &rotation);
    if (moving != (list->moves(scene, number) && !spec->plane)) return true;
    if (spec->plane) {
        model->planes[model->plane_count++] = (view_plane){vec(spec->position), sn_q_rotate(rotation, sn_v3(0, 1, 0))};
        return true;
    }
    view_mesh *mesh = &model->meshes[model->mesh_count];
    view_body *body = &model->bodies[model->body_count];
    *body = (view_body){.mesh = model->mesh_count++, .first = model->joint_count};
    colour_of_rigid(is_bone(scene, number), body->colour);
    name_rigid(scene, number, body);
    const sn_vec3 position = moving ? sn_v3(0, 0, 0) : bone_at;
    if (!obstacle_mesh(&mesh->mesh, spec, position, moving ? sn_q_identity() : rotation)) return false;
    if (moving) {
        view->moving[view->moving_count++] = scene->rigid_bodies[number];
        model->joint_count++;
    }
    model->body_count++;
    return !moving || add_joint(mesh);
}

// --- the view ---

static bool allocate(scene_view *view, const sn_scene *scene, const sn_world *world) {
    view_model *model = &view->model;
    const size_t pills = (size_t)view_count(world, VIEW_PILLS), surfaces = (size_t)view_count(world, VIEW_SURFACE);
    const size_t rigid = (size_t)scene->spec.rigid_bodies.count, entries = (size_t)scene->spec.bodies.count;
    size_t characters = (size_t)scene_character_count(scene);
    for (int i = scene_character_count(scene); i-- > 0;) characters += (size_t)scene_character_muscle_count(scene, i);
    const size_t all = pills + rigid + surfaces + (size_t)scene->muscle_count + characters;
    view->capacity = 1;
    for (int i = 0; i < (int)pills; i++) {
        const sn_body id = view_at(world, VIEW_PILLS, i);
        const int n = view_kind_of(id)->points(world, id, NULL, 0);
        view->capacity = n > view->capacity ? n : view->capacity;
    }
    const size_t points = (size_t)view->capacity;
    model->meshes = allocate_list(all, sizeof *model->meshes);
    model->bodies = allocate_list(all, sizeof *model->bodies);
    model->planes = allocate_list(rigid, sizeof *model->planes);
    view->poses = poses_new();
    view->rest_filled = allocate_list(all, sizeof *view->rest_filled);
    view->covered = allocate_list(all, sizeof *view->covered);
    view->moving = allocate_list(rigid, sizeof *view->moving);
    view->drawn = allocate_list(surfaces, sizeof *view->drawn);
    view->mesh_of_entry = allocate_list(entries, sizeof *view->mesh_of_entry);
    view->muscle_of_entry = allocate_list(entries, sizeof *view->muscle_of_entry);
    view->points = allocate_list(points, sizeof *view->points);
    view->scales = allocate_list(points, sizeof *view->scales);
    view->radii = allocate_list(points, sizeof *view->radii);
    view->parents = allocate_list(points, sizeof *view->parents);
    if (!view->mesh_of_entry || !view->muscle_of_entry) return false;
    for (size_t i = 0; i < entries; i++) view->mesh_of_entry[i] = view->muscle_of_entry[i] = -1;
    return model->meshes && model->bodies && model->planes && view->poses && view->rest_filled && view->covered &&
           view->moving && view->drawn && view->points && view->scales && view->radii && view->parents;
}

static scene_view *make(const sn_scene *scene, const sn_world *world, bool skins, muscle_view muscles,
                        tool_error *error) {
    scene_view *view = calloc(1, sizeof *view);
    tool_error_out_of_memory(error);
    if (view) view->skins = skins, view->muscles = muscles;
    bool good = view && allocate(view, scene, world);
    const int pills = view_count(world, VIEW_PILLS), surfaces = view_count(world, VIEW_SURFACE);
    for (int i = 0; good && i < pills; i++) good = add_pills(view, scene, world, view_at(world, VIEW_PILLS, i), error);
    for (int i = 0; good && i < surfaces; i++) {
        const sn_body id = view_at(world, VIEW_SURFACE, i);
        good = has_triangles(world, id) || add_chain(view, scene, world, id);
    }
    if (good && muscles == MUSCLE_BOTH) good = add_muscles(view, scene, world);
    for (int moving = 1; moving >= 0; moving--)
        for (int i = 0; good && i < scene->spec.rigid_bodies.count; i++) good = add_rigid(view, scene, i, moving);
    for (int i = 0; good && i < surfaces; i++) {
        const sn_body id = view_at(world, VIEW_SURFACE, i);
        good = !has_triangles(world, id) || add_surface(view, scene, world, id);
    }
    if (good && muscles != MUSCLE_BOTH) view->scene = scene;
    for (int i = 0; good && i < scene_character_count(scene); i++) {
        good = add_character(view, scene, world, i);
        if (good && muscles == MUSCLE_BOTH) good = add_tubes(view, scene, world, i);
    }
    good = good && view_frame_alloc(&view->frame, &view->model) && view_frame_alloc(&view->before, &view->model);
    if (good) return view;
    scene_view_free(view);
    return NULL;
}

scene_view *scene_view_new(const sn_scene *scene, const sn_world *world, bool skins, tool_error *error) {
    return make(scene, world, skins, skins ? MUSCLE_SKINS : MUSCLE_RODS, error);
}

scene_view *scene_view_new_with_rods(const sn_scene *scene, const sn_world *world, tool_error *error) {
    return make(scene, world, true, MUSCLE_BOTH, error);
}

const view_frame *scene_view_read(scene_view *view, const sn_world *world, double time) {
    const view_frame last = view->frame;
    view->frame = view->before, view->before = last; // removed bodies keep their poses
    view_frame *frame = &view->frame;
    frame->time = time;
    if (view->frames_read) memcpy(frame->poses, last.poses, (size_t)view->model.joint_count * sizeof *frame->poses);
    poses_read(view->poses, world, frame->poses, NULL);
    for (int i = 0; i < view->moving_count; i++) {
        joint_pose *pose = &frame->poses[view->model.bodies[view->posed_count + i].first];
        *pose = (joint_pose){.scale = {1, 1, 1}, .rotation = sn_q_identity()};
        view_kind_of(view->moving[i])->pose(world, view->moving[i], &pose->position, &pose->rotation);
    }
    if (view->frames_read++) view_frame_align(frame, &view->before, view->model.joint_count);
    float(*vertices)[3] = frame->vertices;
    bool good = true;
    for (int i = 0; i < view->drawn_count && good; i++) {
        good = view_surface_read(world, &view->drawn[i].is, vertices);
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

const view_poses *scene_view_poses(const scene_view *view) {
    return view->poses;
}

const view_surface *scene_view_surface(const scene_view *view, int i) {
    return i < view->drawn_count ? &view->drawn[i].is : NULL;
}

bool scene_view_is_covered(const scene_view *view, int body) {
    return body < view->posed_count && view->covered[body];
}

const sn_body *scene_view_moving(const scene_view *view, int *count) {
    *count = view->moving_count;
    return view->moving;
}

void scene_view_free(scene_view *view) {
    if (!view) return;
    poses_free(view->poses);
    free(view->rest_filled);
    free(view->covered);
    view_model_free(&view->model);
    view_frame_free(&view->frame);
    view_frame_free(&view->before);
    free(view->moving);
    for (int i = 0; i < view->drawn_count; i++) {
        free(view->drawn[i].points);
        free(view->drawn[i].places);
    }
    free(view->drawn);
    free(view->mesh_of_entry);
    free(view->muscle_of_entry);
    free(view->points);
    free(view->scales);
    free(view->radii);
    free(view->parents);
    free(view);
}
