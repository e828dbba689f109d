// Muscles of scene files: checks an entry of kind "muscle", creates the rods of its copies, then their bundles. Rods
// come from a rig file or from a form; the points of a copy are numbered rod after rod. Ends attached to static and
// kinematic rigid bodies are held and follow them; those attached to dynamic ones are joined to them, rod by rod.
#include "scene/scene_muscle.h"
#include "base/math/vec.h"
#include "formats/mesh_file.h"
#include "formats/quote.h"
#include "scene/placement.h"
#include "scene/scene_check.h"
#include "scene/scene_drive.h"
#include "scene/scene_material.h"
#include "scene/scene_muscle_form.h"
#include "scene/scene_rigid.h"
#include "scene/scene_rod.h"
#include <stdlib.h>
#include <string.h>

const muscle_spec *scene_muscle_of(const scene_body *body) {
    return body->spec->head.type == &scene_muscle_table ? (const muscle_spec *)body->spec : NULL;
}

const muscle_rig *scene_muscle_rig(const scene_body *body) {
    return body->form;
}

// --- checking ---

static bool same(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool check_fusiform(const fusiform_spec *spec, error_list *errors, const json_path *path) {
    const json_path at = {path, "fusiform", 0}, to = {&at, "to", 0}, through = {&at, "through", 0};
    const double *before = spec->from;
    for (int i = 0; i < spec->through.count; i++) {
        const json_path point = {&through, NULL, (size_t)i};
        if (same(before, spec->through.items[i])) {
            error_at(errors, &point, "coincides with the point before");
            return false;
        }
        before = spec->through.items[i];
    }
    if (same(before, spec->to)) error_at(errors, &to, "coincides with the point before");
    return !same(before, spec->to);
}

static bool check_fan(const fan_spec *spec, error_list *errors, const json_path *path) {
    const json_path at = {path, "fan", 0}, radius = {&at, "radius", 0}, from = {&at, "from", 0};
    if (fields_has(spec, "radius") && fields_has(spec, "radii")) {
        error_at_key(errors, &radius, "cannot be combined with \"radii\"");
        return false;
    }
    if (same(spec->from.items[0], spec->from.items[1])) {
        error_at(errors, &from, "needs two different points");
        return false;
    }
    return true;
}

static bool check_rods(const fields_list *rods, error_list *errors, const json_path *path) {
    const json_path list = {path, "rods", 0};
    const fibre_spec *items = rods->items;
    const int points = rods->count ? items->points.count : 0;
    bool good = true;
    for (int i = 0; i < rods->count; i++) {
        const json_path at = {&list, NULL, (size_t)i}, points_at = {&at, "points", 0}, radii = {&at, "radii", 0};
        if (items[i].points.count != points) {
            error_at(errors, &points_at, "must be as many as those of the first rod, %d, are %d", points,
                     items[i].points.count);
            good = false;
        } else if (fields_has(&items[i], "radius") == fields_has(&items[i], "radii")) {
            error_at(errors, &at, "needs one of \"radius\" and \"radii\"");
            good = false;
        } else if (items[i].radii.count && items[i].radii.count != points) {
            error_at(errors, &radii, "must be as many as the points, %d, are %d", points, items[i].radii.count);
            good = false;
        }
    }
    return good;
}

static muscle_rig *read_rig(sn_scene *scene, const char *file, scene_body *body, const json_path *path) {
    const json_path at = {path, "rig", 0};
    if (!scene->rig_names) scene->rig_names = json_object();
    const json_t *known = json_object_get(scene->rig_names, file);
    body->shares_form = known != NULL;
    if (known) return scene->bodies[json_integer_value(known)].form;
    tool_error error;
    char name[1024];
    if (!scene_beside(scene, file, name, sizeof name)) {
        error_at(&scene->errors, &at, "the name is too long");
        return NULL;
    }
    muscle_rig *rig = calloc(1, sizeof *rig);
    if (rig && muscle_rig_read(name, scene->files, rig, &error) &&
        json_object_set_new(scene->rig_names, file, json_integer(body->index)) == 0)
        return rig;
    const char *hint = mesh_name_is_known(file) ? "; 'sinew viperize' makes a rig of a mesh" : "";
    error_at(&scene->errors, &at, "cannot be read: %s%s", rig ? error.text : "out of memory", hint);
    if (rig) muscle_rig_free(rig);
    free(rig);
    return NULL;
}

static bool form(const muscle_spec *muscle, bool skin, muscle_rig *out) {
    if (muscle->fusiform.head.type) return muscle_form_fusiform(&muscle->fusiform, skin, out);
    if (muscle->fan.head.type) return muscle_form_fan(&muscle->fan, skin, out);
    return muscle_form_rods(&muscle->rods, out);
}

static muscle_rig *make_rig(sn_scene *scene, const muscle_spec *muscle, scene_body *body, const json_path *path) {
    error_list *errors = &scene->errors;
    const bool fusiform = muscle->fusiform.head.type, fan = muscle->fan.head.type, rods = muscle->rods.count > 0;
    if ((muscle->rig != NULL) + fusiform + fan + rods != 1) {
        error_at(errors, path, "needs exactly one of \"rig\", \"fusiform\", \"fan\" and \"rods\"");
        return NULL;
    }
    if (muscle->rig) return read_rig(scene, muscle->rig, body, path);
    if (fusiform && !check_fusiform(&muscle->fusiform, errors, path)) return NULL;
    if (fan && !check_fan(&muscle->fan, errors, path)) return NULL;
    if (rods && !check_rods(&muscle->rods, errors, path)) return NULL;
    muscle_rig *rig = calloc(1, sizeof *rig);
    if (rig && form(muscle, false, rig)) return rig;
    error_at(errors, path, "does not fit into memory");
    free(rig);
    return NULL;
}

// The number of points of a form, before anything of that size is allocated; 0 for muscles from lists and files.
static int64_t points_asked(const muscle_spec *muscle) {
    if (muscle->fusiform.head.type) return (int64_t)muscle->fusiform.rods * muscle->fusiform.slices;
    return muscle->fan.head.type ? (int64_t)muscle->fan.rods * muscle->fan.slices : 0;
}

static int64_t check_muscle(const scene_checker *checker, const body_spec *body) {
    const muscle_spec *muscle = (const muscle_spec *)body;
    sn_scene *scene = checker->scene;
    const json_path material = {checker->path, "material", 0}, activate = {checker->path, "activate", 0};
    const json_path to = {&activate, "to", 0};
    scene_material_check(scene, muscle->material, &material);
    scene_surface_check(&muscle->surface, &scene->errors, checker->path);
    if (muscle->activate.from > muscle->activate.to)
        error_at(&scene->errors, fields_has(&muscle->activate, "to") ? &to : &activate,
                 "\"to\" must be at least \"from\", %g, is %g", muscle->activate.from, muscle->activate.to);
    const int64_t asked = points_asked(muscle);
    if (asked + scene->point_count > SCENE_MAX_POINTS) return asked; // too many; the caller lists the error
    muscle_rig *rig = make_rig(scene, muscle, checker->out, checker->path);
    checker->out->form = rig;
    if (!rig) return 0;
    checker->out->ids_per_copy = rig->rod_count;
    return (int64_t)rig->rod_count * rig->slice_count;
}

static bool has_segment(const scene_body *body, int k) {
    return k % scene_muscle_rig(body)->slice_count > 0;
}

bool scene_muscle_has_skin(const scene_body *body) {
    const muscle_spec *muscle = scene_muscle_of(body);
    return muscle && muscle->skin &&
           (muscle->fusiform.head.type || muscle->fan.head.type || scene_muscle_rig(body)->skin.vertex_count > 0);
}

bool scene_muscle_skin(const scene_body *body, sn_mesh *out) {
    muscle_rig made = {0};
    const muscle_spec *muscle = (const muscle_spec *)body->spec;
    if (!muscle->rig) {
        if (!form(muscle, true, &made)) return false;
        *out = made.skin;
        made.skin = (sn_mesh){0};
        muscle_rig_free(&made);
        return true;
    }
    const sn_mesh *from = &scene_muscle_rig(body)->skin;
    const size_t n = (size_t)from->vertex_count;
    if (!sn_mesh_alloc(out, from->vertex_count, from->triangle_count, MESH_NORMAL | MESH_SKIN)) return false;
    memcpy(out->position, from->position, n * sizeof *from->position);
    memcpy(out->normal, from->normal, n * sizeof *from->normal);
    memcpy(out->joint, from->joint, n * sizeof *from->joint);
    memcpy(out->weight, from->weight, n * sizeof *from->weight);
    memcpy(out->triangle, from->triangle, (size_t)from->triangle_count * sizeof *from->triangle);
    return true;
}

static const char *rigid_name(const attach_end_spec *end) {
    return end->rigid_body ? end->rigid_body : end->body;
}

// The rigid body that an end of a copy is attached to; -1: none.
static int rigid_of(const sn_scene *scene, const attach_end_spec *end, int copy) {
    int copies = 0;
    if (!end->head.type || !rigid_name(end)) return -1;
    const int first = scene_find_rigid(scene, rigid_name(end), &copies);
    if (first < 0) return -1;
    return first + (fields_has(end, "copy") ? end->copy : copies > 1 ? copy : 0);
}

static bool is_dynamic(const sn_scene *scene, int number) {
    return number >= 0 && ((const rigid_spec *)scene->spec.rigid_bodies.items)[number].dynamic;
}

static void check_end(sn_scene *scene, const scene_body *body, const attach_end_spec *end, const json_path *path) {
    const json_path shape = {path, end->rigid_body ? "rigid_body" : "body", 0}, copy = {path, "copy", 0};
    int copies = 0;
    if (!end->head.type || end->head.bad) return;
    if (!rigid_name(end)) {
        if (fields_has(end, "copy")) error_at_key(&scene->errors, &copy, "needs \"rigid_body\"");
        return;
    }
    if (end->rigid_body && end->body) {
        error_at(&scene->errors, &shape, "cannot be combined with \"body\"");
        return;
    }
    if (scene_find_body(scene, rigid_name(end)) && scene_find_rigid(scene, rigid_name(end), &copies) < 0) {
        error_at(&scene->errors, &shape, "is not a rigid body; \"joints\" tie points of a muscle to other bodies");
        return;
    }
    if (scene_find_rigid(scene, rigid_name(end), &copies) < 0) {
        if (json_object_get(scene->rigid_names, rigid_name(end))) return; // rigid bodies have errors
        scene_no_rigid(scene, rigid_name(end), &shape);
    } else if (fields_has(end, "copy") && end->copy >= copies) {
        error_at(&scene->errors, &copy, "must be less than the number of copies, %d, is %d", copies, end->copy);
    } else if (!fields_has(end, "copy") && copies > 1 && copies != body->copies) {
        error_at(&scene->errors, path, "the rigid body has %d copies and the muscle %d; it needs \"copy\"", copies,
                 body->copies);
    }
}

static void check_attachments(sn_scene *scene) {
    scene->muscle_count = 0;
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        scene_body *body = &scene->bodies[i];
        const muscle_spec *muscle = scene_muscle_of(body);
        if (!muscle || body->points_per_copy == 0) continue;
        const json_path list = {NULL, "bodies", 0}, path = {&list, NULL, (size_t)i}, attach = {&path, "attach", 0};
        const json_path first = {&attach, "first", 0}, last = {&attach, "last", 0};
        check_end(scene, body, &muscle->attach.first, &first);
        check_end(scene, body, &muscle->attach.last, &last);
        body->first_own = scene->muscle_count;
        scene->muscle_count += body->copies;
    }
}

// --- making ---

// The default contact compliance of a muscle, m/N: flesh is soft. Stiff muscles would be thrown about by closing bones.
#define SOFT ((sn_real)3e-5)
// Fascia is wet: muscles slide on each other and on bones.
#define SLIPPERY ((sn_real)0.01)

static bool has_key(const surface_spec *surface, const char *key) {
    return surface->head.type && fields_has(surface, key);
}

static sn_material material_of(const sn_scene *scene, const muscle_spec *muscle) {
    return muscle->material ? scene_material(scene, muscle->material) : sn_material_preset(SN_PRESET_MUSCLE);
}

static sn_status build_rod(const sn_scene *scene, sn_world *world, const scene_body *body, const placement *at,
                           int copy, int rod, sn_vec3 *points, sn_real *radii, sn_body *out) {
    const muscle_spec *muscle = (const muscle_spec *)body->spec;
    const muscle_rig *rig = scene_muscle_rig(body);
    const int n = rig->slice_count;
    for (int k = 0; k < n; k++) {
        points[k] = placement_apply(at, rig->points[rod * n + k]);
        radii[k] = (sn_real)(rig->radii[rod * n + k] * at->scale);
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.radii = radii, def.point_count = n;
    def.material = material_of(scene, muscle);
    def.surface = scene_surface(&muscle->surface);
    if (!has_key(&muscle->surface, "compliance")) def.surface.compliance = SOFT;
    const bool stat = has_key(&muscle->surface, "friction_static"),
               dynamic = has_key(&muscle->surface, "friction_dynamic");
    if (!stat && !dynamic) def.surface.friction_static = def.surface.friction_dynamic = SLIPPERY;
    def.collide = muscle->collide;
    def.label = scene_label(body->index, copy);
    sn_status status = sn_rod_create(world, &def, out);
    const attach_end_spec *ends[2] = {&muscle->attach.first, &muscle->attach.last};
    for (int end = 0; end < 2 && status == SN_OK; end++)
        if (ends[end]->head.type && !is_dynamic(scene, rigid_of(scene, ends[end], copy)))
            status = sn_rod_hold(world, *out, end ? n - 1 : 0, SN_HOLD_CENTRE);
    return status;
}

static sn_status build_muscle(sn_scene *scene, sn_world *world, scene_body *body) {
    const size_t n = (size_t)scene_muscle_rig(body)->slice_count;
    sn_vec3 *points = sn_alloc(&scene->memory, n, sizeof *points);
    sn_real *radii = sn_alloc(&scene->memory, n, sizeof *radii);
    sn_status status = points && radii ? SN_OK : SN_ERR_MEMORY;
    for (int copy = 0; copy < body->copies && status == SN_OK; copy++) {
        const placement at = placement_of_copy(body->spec, scene->spec.seed, body->index, copy);
        scene->building_copy = copy;
        for (int rod = 0; rod < body->ids_per_copy && status == SN_OK; rod++) {
            sn_body *id = &scene->ids[body->first + copy * body->ids_per_copy + rod];
            status = build_rod(scene, world, body, &at, copy, rod, points, radii, id);
        }
    }
    sn_free(&scene->memory, points, n, sizeof *points);
    sn_free(&scene->memory, radii, n, sizeof *radii);
    return status;
}

// Stores the positions of the ends, in the axes of the rigid bodies that they follow.
static sn_status attach(sn_scene *scene, const sn_world *world, scene_muscle *muscle) {
    const scene_body *body = muscle->body;
    const size_t n = (size_t)scene_muscle_rig(body)->slice_count, rods = (size_t)body->ids_per_copy;
    sn_vec3 *centres = sn_alloc(&scene->memory, n, sizeof *centres);
    if (!muscle->at) muscle->at = sn_alloc(&scene->memory, 2 * rods, sizeof *muscle->at);
    for (size_t i = 0; centres && muscle->at && i < 2 * rods; i++) {
        const int ride = muscle->ride[i % 2];
        int point;
        const sn_body rod = scene_find_point(scene, body, muscle->copy, (int)(i / 2 * n), &point);
        sn_vec3 position;
        sn_quat rotation;
        if (ride < 0) continue;
        sn_body_get_points(world, rod, centres, (int)n);
        scene_lists[SCENE_RIGID_BODIES]->pose_now(scene, world, ride, &position, &rotation);
        muscle->at[i] = sn_q_rotate(sn_q_conj(rotation), sn_sub(centres[i % 2 ? n - 1 : 0], position));
    }
    sn_free(&scene->memory, centres, n, sizeof *centres);
    return centres && muscle->at ? SN_OK : SN_ERR_MEMORY;
}

// Joins an end of every rod to a dynamic rigid body, where they are.
static sn_status join(sn_scene *scene, sn_world *world, const scene_muscle *muscle, int end, int rigid) {
    const scene_body *body = muscle->body;
    const size_t n = (size_t)scene_muscle_rig(body)->slice_count;
    sn_vec3 *centres = sn_alloc(&scene->memory, n, sizeof *centres);
    sn_status status = centres ? SN_OK : SN_ERR_MEMORY;
    for (int i = 0; i < body->ids_per_copy && status == SN_OK; i++) {
        sn_joint_def def = sn_joint_def_default();
        sn_joint made;
        int point;
        def.body_a = scene_find_point(scene, body, muscle->copy, i * (int)n, &point);
        def.segment_a = end ? (int)n - 1 : 1;
        def.along_a = (sn_real)end;
        def.body_b = scene->rigid_bodies[rigid];
        sn_body_get_points(world, def.body_a, centres, (int)n);
        def.position = centres[end ? n - 1 : 0];
        status = sn_joint_create(world, &def, &made);
    }
    sn_free(&scene->memory, centres, n, sizeof *centres);
    return status;
}

static sn_status build_bundle(sn_scene *scene, sn_world *world, const scene_body *body, int copy) {
    const muscle_spec *spec = (const muscle_spec *)body->spec;
    scene_muscle *muscle = &scene->muscles[body->first_own + copy];
    muscle->body = body, muscle->copy = copy;
    const int rigid[2] = {rigid_of(scene, &spec->attach.first, copy), rigid_of(scene, &spec->attach.last, copy)};
    for (int end = 0; end < 2; end++) muscle->ride[end] = is_dynamic(scene, rigid[end]) ? -1 : rigid[end];
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = &scene->ids[body->first + copy * body->ids_per_copy];
    def.rod_count = body->ids_per_copy;
    def.kind = (sn_bundle_kind)spec->bundle.kind;
    def.hertz = (sn_real)spec->bundle.hertz;
    def.activate = (sn_activate)spec->activate.by;
    def.shortest = (sn_real)spec->activate.shortest;
    def.stress = (sn_real)spec->activate.stress;
    def.optimal = (sn_real)spec->activate.optimal, def.max_speed = (sn_real)spec->activate.max_speed;
    def.rise = (sn_real)spec->activate.rise, def.fall = (sn_real)spec->activate.fall;
    def.from = (sn_real)spec->activate.from, def.to = (sn_real)spec->activate.to;
    if (muscle->ride[0] >= 0) def.bone_first = scene->rigid_bodies[muscle->ride[0]];
    if (muscle->ride[1] >= 0) def.bone_last = scene->rigid_bodies[muscle->ride[1]];
    def.label = scene_label(body->index, copy);
    sn_status status = sn_bundle_create(world, &def, &muscle->id);
    if (status == SN_OK) status = attach(scene, world, muscle);
    for (int end = 0; end < 2 && status == SN_OK; end++)
        if (is_dynamic(scene, rigid[end])) status = join(scene, world, muscle, end, rigid[end]);
    return status;
}

// Muscles may overlap each other and bones, as in the meshes that they were modelled from.
static sn_status shrink_overlaps(sn_scene *scene, sn_world *world) {
    sn_body *rods = sn_alloc(&scene->memory, (size_t)scene->id_count, sizeof *rods);
    if (!rods) return SN_ERR_MEMORY;
    int count = 0;
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        const scene_body *body = &scene->bodies[i];
        const int more = scene_muscle_of(body) ? body->copies * body->ids_per_copy : 0;
        for (int k = 0; k < more; k++) rods[count++] = scene->ids[body->first + k];
    }
    const sn_status status = sn_world_shrink_overlaps(world, rods, count);
    sn_free(&scene->memory, rods, (size_t)scene->id_count, sizeof *rods);
    return status;
}

static sn_status build_bundles(sn_scene *scene, sn_world *world) {
    sn_status status = SN_OK;
    if (scene->muscle_count == 0) return SN_OK;
    if (!scene->muscles) scene->muscles = sn_alloc(&scene->memory, (size_t)scene->muscle_count, sizeof *scene->muscles);
    if (!scene->muscles) return SN_ERR_MEMORY;
    scene->building_list = "bodies";
    for (int i = 0; i < scene->spec.bodies.count && status == SN_OK; i++) {
        const scene_body *body = &scene->bodies[i];
        scene->building = i;
        for (int copy = 0; scene_muscle_of(body) && copy < body->copies && status == SN_OK; copy++) {
            scene->building_copy = copy;
            status = build_bundle(scene, world, body, copy);
        }
    }
    scene->building = -1;
    return status == SN_OK ? shrink_overlaps(scene, world) : status;
}

static void free_muscles(sn_scene *scene) {
    for (int i = 0; scene->muscles && i < scene->muscle_count; i++) {
        const size_t rods = scene->muscles[i].body ? (size_t)scene->muscles[i].body->ids_per_copy : 0;
        sn_free(&scene->memory, scene->muscles[i].at, 2 * rods, sizeof *scene->muscles[i].at);
    }
    sn_free(&scene->memory, scene->muscles, (size_t)scene->muscle_count, sizeof *scene->muscles);
    scene->muscles = NULL;
}

static void free_rig(void *rig) {
    muscle_rig_free(rig);
    free(rig);
}

// --- in time ---

static sn_status move_end(sn_scene *scene, sn_world *world, const scene_muscle *muscle, int end, double t) {
    const scene_body *body = muscle->body;
    const int n = scene_muscle_rig(body)->slice_count;
    sn_vec3 position;
    sn_quat rotation;
    sn_status worst = SN_OK;
    scene_lists[SCENE_RIGID_BODIES]->pose(scene, muscle->ride[end], t, &position, &rotation);
    for (int i = 0; i < body->ids_per_copy; i++) {
        int point;
        const sn_body rod = scene_find_point(scene, body, muscle->copy, i * n + (end ? n - 1 : 0), &point);
        if (!(sn_rod_held(world, rod, point) & SN_HOLD_CENTRE)) continue; // released
        scene_call call = {.type = CALL_CENTRE, .slot1 = rod.slot1, .gen = rod.gen, .index = point};
        call_put_vector(&call, 0, sn_add(position, sn_q_rotate(rotation, muscle->at[2 * i + end])));
        const sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
    }
    return worst;
}

static sn_status drive_ends(sn_scene *scene, sn_world *world, double t) {
    sn_status worst = SN_OK;
    for (int i = 0; scene->muscles && i < scene->muscle_count; i++) {
        for (int end = 0; end < 2; end++) {
            const int ride = scene->muscles[i].ride[end];
            if (ride < 0 || !scene_lists[SCENE_RIGID_BODIES]->moves(scene, ride)) continue;
            const sn_status status = move_end(scene, world, &scene->muscles[i], end, t);
            if (status != SN_OK) worst = status;
        }
    }
    return worst;
}

// --- tracks: those of rods, but a muscle is activated as a whole, by a value ---

static void check_track(sn_scene *scene, scene_track_type type, const track_spec *track, const scene_body *body,
                        const json_path *path) {
    static const char *const others[] = {"point", "points", "range"};
    scene_rod_check_motion(scene, type, track, body, path);
    if (type != TRACK_ACTIVATION) return;
    const activation_key *keys = track->keys.items;
    for (int i = 0; i < track->keys.count; i++) {
        const json_path list = {path, "keys", 0}, at = {&list, NULL, (size_t)i};
        const bool segment = fields_has(&keys[i].at, "length") || fields_has(&keys[i].at, "stiffness") ||
                             fields_has(&keys[i].at, "bend");
        if (!fields_has(&keys[i].at, "value") || segment)
            error_at(&scene->errors, &at, "needs \"value\", from 0 to 1, because the body is a muscle");
    }
    for (int i = 0; i < 3; i++) {
        const json_path at = {path, others[i], 0};
        if (fields_has(track, others[i])) error_at_key(&scene->errors, &at, "a muscle is activated as a whole");
    }
}

static bool bind(sn_scene *scene, const sn_world *world, scene_track *track, const void *object, int copy,
                 const selection *points) {
    if (track->type != TRACK_ACTIVATION) return scene_rod_bind(scene, world, track, object, copy, points);
    const sn_bundle bundle = scene->muscles[track->body->first_own + copy].id;
    const scene_target target = {.body = {0, bundle.slot1, bundle.gen}};
    return scene_add_target(scene, track, &target);
}

static sn_status apply(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                       const double value[TRACK_VALUES]) {
    if (track->type != TRACK_ACTIVATION) return scene_rod_apply(scene, world, track, target, value);
    return scene_call_scalar(scene, world, CALL_ACTIVATE, target, value[2]);
}

static const scene_tracks muscle_tracks = {check_track, bind, scene_rod_is_held, apply, scene_rod_release};

const scene_kind scene_muscle_kind = {.table = &scene_muscle_table,
                                      .one = "a muscle",
                                      .many = "muscles",
                                      .check = check_muscle,
                                      .build = build_muscle,
                                      .check_all = check_attachments,
                                      .connect = build_bundles,
                                      .drive = drive_ends,
                                      .free = free_muscles,
                                      .free_form = free_rig,
                                      .describe = scene_rod_describe,
                                      .has_segment = has_segment,
                                      .find_place = scene_rod_find_place,
                                      .tracks = &muscle_tracks};
