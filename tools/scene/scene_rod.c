// Rods of scene files: checks an entry of kind "rod", and creates its copies.
#include "scene/scene_rod.h"
#include "base/math/trig.h"
#include "base/math/vec.h"
#include "formats/file_text.h"
#include "formats/quote.h"
#include "scene/curve.h"
#include "scene/placed_rods.h"
#include "scene/placement.h"
#include "scene/scene_material.h"
#include "scene/scene_rigid.h"
#include "scene/selection.h"
#include <string.h>

// --- checking ---

static bool is_closed(const rod_spec *rod) {
    return rod->closed || curve_is_closed(&rod->shape);
}

static void check_shape(const rod_spec *rod, error_list *errors, const json_path *path) {
    int form_count = curve_form_count(&rod->shape);
    if (form_count == 0)
        error_at(errors, path, "needs one of \"points\", \"line\", \"helix\", \"circle\", \"path\" and \"octopus\"");
    if (form_count > 1) {
        error_at(errors, path,
                 "needs only one of \"points\", \"line\", \"helix\", \"circle\", \"path\" and \"octopus\"");
    }
    curve_check(&rod->shape, errors, path);
    static const char *const own[] = {"radius", "radii", "parents", "closed", "rest"};
    for (int i = 0; curve_is_model(&rod->shape) && i < 5; i++) {
        json_path at = {path, own[i], 0};
        if (fields_has(rod, own[i]))
            error_at_key(errors, &at, "cannot be combined with \"octopus\", which has its own");
    }
}

static void check_tree(const rod_spec *rod, int point_count, error_list *errors, const json_path *path) {
    json_path parents = {path, "parents", 0}, closed = {path, "closed", 0};
    if (!fields_has(rod, "parents")) return;
    if (!rod->shape.points.items) error_at_key(errors, &parents, "needs \"points\"");
    if (rod->closed) error_at_key(errors, &closed, "cannot be combined with \"parents\"");
    if (rod->parents.count != point_count) {
        error_at(errors, &parents, "must have as many elements as there are points, %d, has %d", point_count,
                 rod->parents.count);
    }
    for (int i = 0; i < rod->parents.count; i++) {
        json_path at = {&parents, NULL, (size_t)i};
        if (rod->parents.items[i] >= point_count) {
            error_at(errors, &at, "must be less than the number of points, %d, is %d", point_count,
                     rod->parents.items[i]);
        }
    }
}

static void check_radii(const rod_spec *rod, int point_count, error_list *errors, const json_path *path) {
    json_path radii = {path, "radii", 0}, radius = {path, "radius", 0};
    if (!fields_has(rod, "radii")) return;
    if (fields_has(rod, "radius")) error_at_key(errors, &radius, "cannot be combined with \"radii\"");
    bool exact = rod->shape.points.items != NULL; // a list of points must match exactly
    if (exact ? rod->radii.count != point_count : rod->radii.count > point_count) {
        error_at(errors, &radii, "must have %s as there are points, %d, has %d",
                 exact ? "as many elements" : "at most as many elements", point_count, rod->radii.count);
    }
}

static void check_rest(const rod_spec *rod, int point_count, error_list *errors, const json_path *path) {
    json_path rest = {path, "rest", 0};
    if (!rod->rest.head.type) return;
    int form_count = curve_form_count(&rod->rest.shape);
    if (form_count > 1) {
        error_at(errors, &rest, "needs only one of \"points\", \"line\", \"helix\", \"circle\" and \"path\"");
        return;
    }
    curve_check(&rod->rest.shape, errors, &rest);
    int64_t count = curve_point_count(&rod->rest.shape);
    if (form_count == 1 && count != point_count) {
        error_at(errors, &rest, "must have as many points as the body, %d, has %lld", point_count, (long long)count);
    }
}

static void check_parts(const scene_checker *checker, const rod_spec *rod, int point_count) {
    const part_spec *parts = rod->parts.items;
    for (int i = 0; i < rod->parts.count; i++) {
        json_path list = {checker->path, "parts", 0}, path = {&list, NULL, (size_t)i}, at = {&path, "material", 0};
        selection_check(&parts[i].select, &parts[i], point_count, true, &checker->scene->errors, &path);
        scene_material_check(checker->scene, parts[i].material, &at);
    }
}

// Whether segment k exists: the root of a chain or tree has none.
static bool has_segment(const rod_spec *rod, int k) {
    if (rod->parents.items) return rod->parents.items[k] >= 0;
    if (curve_is_model(&rod->shape)) return true; // its head is a loop
    return k > 0 || is_closed(rod);
}

static void check_holds(const rod_spec *rod, int point_count, error_list *errors, const json_path *path) {
    const hold_spec *holds = rod->hold.items;
    for (int i = 0; i < rod->hold.count; i++) {
        json_path list = {path, "hold", 0}, entry = {&list, NULL, (size_t)i}, what = {&entry, "what", 0};
        if (!selection_check(&holds[i].select, &holds[i], point_count, true, errors, &entry)) continue;
        selection points = selection_of(&holds[i].select, &holds[i], point_count);
        for (int j = 0; j < points.count; j++) {
            int point = selection_at(&points, j);
            bool clamped = (point == 0 && rod->clamp_first) || (point == point_count - 1 && rod->clamp_last);
            if ((holds[i].what & SN_HOLD_CLAMP) && !clamped) {
                error_at(errors, &what, "point %d is not clamped; set \"clamp_first\" or \"clamp_last\"", point);
                break;
            }
            if ((holds[i].what & SN_HOLD_FRAME) && !has_segment(rod, point) && points.count == 1) {
                error_at(errors, &what, "point %d has no segment whose frame could be held", point);
            }
        }
    }
}

// Skins are read only for drawing, but a missing file is an error here.
static void check_skin(const scene_checker *checker, const rod_spec *rod) {
    char file[1024], quoted[QUOTE_SIZE];
    json_path skin = {checker->path, "skin", 0};
    if (rod->skin &&
        !(scene_beside(checker->scene, rod->skin, file, sizeof file) && file_text_exists(file, checker->scene->files)))
        error_at(&checker->scene->errors, &skin, "cannot open %s beside the scene", quote(rod->skin, quoted));
}

static int64_t check_rod(const scene_checker *checker, const body_spec *body) {
    const rod_spec *rod = (const rod_spec *)body;
    error_list *errors = &checker->scene->errors;
    json_path material = {checker->path, "material", 0};
    scene_material_check(checker->scene, rod->material, &material);
    check_shape(rod, errors, checker->path);
    scene_surface_check(&rod->surface, errors, checker->path);
    check_skin(checker, rod);
    int64_t count = curve_point_count(&rod->shape);
    if (count < 2 || count > SCENE_MAX_POINTS) {
        if (count > SCENE_MAX_POINTS) {
            error_at(errors, checker->path, "has %lld points; a scene may have %d", (long long)count, SCENE_MAX_POINTS);
        }
        return 0;
    }
    check_tree(rod, (int)count, errors, checker->path);
    check_radii(rod, (int)count, errors, checker->path);
    check_rest(rod, (int)count, errors, checker->path);
    check_parts(checker, rod, (int)count);
    check_holds(rod, (int)count, errors, checker->path);
    const initial_spec *initial = rod->initial.items;
    for (int i = 0; i < rod->initial.count; i++) {
        json_path list = {checker->path, "initial", 0}, path = {&list, NULL, (size_t)i};
        selection_check(&initial[i].select, &initial[i], (int)count, false, errors, &path);
    }
    return count;
}

static bool body_has_segment(const scene_body *body, int k) {
    return has_segment((const rod_spec *)body->spec, k);
}

// --- building ---

// What the copies of an entry share, and buffers for one copy.
typedef struct {
    const rod_spec *spec;
    int count;
    double (*shape)[3], (*rest)[3]; // before placement; rest null: the same
    sn_real *radii;
    double *model_radii;
    int *model_parents;     // of a model of the zoo
    sn_material *materials; // or null
    sn_vec3 *points, *rest_points, *vectors, *spins;
    sn_real *numbers;
    int *held; // sums of sn_hold
} rod_maker;

// The radius at a point; a shorter list of radii is spread along the points.
static double radius_at(const rod_spec *rod, int i, int count) {
    const number_list *radii = &rod->radii;
    if (radii->count == 0) return rod->radius;
    if (radii->count == count) return radii->items[i];
    double at = (double)i / (count - 1) * (radii->count - 1);
    int k = (int)at < radii->count - 1 ? (int)at : radii->count - 2;
    return radii->items[k] + (at - k) * (radii->items[k + 1] - radii->items[k]);
}

static bool maker_alloc(rod_maker *maker, sn_arena *arena) {
    size_t n = (size_t)maker->count;
    const rod_spec *rod = maker->spec;
    maker->shape = sn_arena_alloc(arena, n, sizeof *maker->shape);
    maker->rest = sn_arena_alloc(arena, n, sizeof *maker->rest);
    maker->radii = sn_arena_alloc(arena, n, sizeof *maker->radii);
    maker->materials = rod->parts.count ? sn_arena_alloc(arena, n, sizeof *maker->materials) : NULL;
    maker->points = sn_arena_alloc(arena, n, sizeof *maker->points);
    maker->rest_points = sn_arena_alloc(arena, n, sizeof *maker->rest_points);
    maker->vectors = sn_arena_alloc(arena, n, sizeof *maker->vectors);
    maker->spins = sn_arena_alloc(arena, n, sizeof *maker->spins);
    maker->numbers = sn_arena_alloc(arena, n, sizeof *maker->numbers);
    maker->held = sn_arena_alloc(arena, n, sizeof *maker->held);
    maker->model_radii = sn_arena_alloc(arena, n, sizeof *maker->model_radii);
    maker->model_parents = sn_arena_alloc(arena, n, sizeof *maker->model_parents);
    if (!maker->model_radii || !maker->model_parents) return false;
    return maker->shape && maker->rest && maker->radii && (maker->materials || !rod->parts.count) && maker->points &&
           maker->rest_points && maker->vectors && maker->spins && maker->numbers && maker->held;
}

static void maker_fill_parts(rod_maker *maker, const sn_scene *scene) {
    const rod_spec *rod = maker->spec;
    const part_spec *parts = rod->parts.items;
    sn_material material = scene_material(scene, rod->material);
    for (int i = 0; maker->materials && i < maker->count; i++) maker->materials[i] = material;
    for (int i = 0; i < rod->parts.count; i++) {
        selection points = selection_of(&parts[i].select, &parts[i], maker->count);
        sn_material own = scene_material(scene, parts[i].material ? parts[i].material : rod->material);
        for (int j = 0; j < points.count; j++) {
            int k = selection_at(&points, j);
            maker->materials[k] = own;
            if (fields_has(&parts[i], "radius")) maker->radii[k] = (sn_real)(parts[i].radius * rod->body.scale);
        }
    }
}

static void maker_fill(rod_maker *maker, const sn_scene *scene) {
    const rod_spec *rod = maker->spec;
    const bool model = curve_is_model(&rod->shape);
    if (model)
        curve_model(&rod->shape, maker->shape, maker->model_radii, maker->model_parents);
    else
        curve_points(&rod->shape, maker->shape);
    if (!rod->rest.head.type) {
        maker->rest = NULL;
    } else if (curve_form_count(&rod->rest.shape)) {
        curve_points(&rod->rest.shape, maker->rest);
    } else {
        memcpy(maker->rest, maker->shape, (size_t)maker->count * sizeof *maker->rest);
    }
    for (int i = 0; i < maker->count; i++) {
        maker->radii[i] =
            (sn_real)((model ? maker->model_radii[i] : radius_at(rod, i, maker->count)) * rod->body.scale);
        maker->held[i] = 0;
        for (int k = 0; maker->rest && k < 3; k++) maker->rest[i][k] *= rod->rest.scale;
    }
    maker_fill_parts(maker, scene);
    const hold_spec *holds = rod->hold.items;
    for (int i = 0; i < rod->hold.count; i++) {
        selection points = selection_of(&holds[i].select, &holds[i], maker->count);
        for (int j = 0; j < points.count; j++) {
            int k = selection_at(&points, j);
            maker->held[k] |= has_segment(rod, k) ? holds[i].what : holds[i].what & ~SN_HOLD_FRAME;
        }
    }
}

static const int *parents_of(const rod_maker *maker) {
    const rod_spec *rod = maker->spec;
    return curve_is_model(&rod->shape) ? maker->model_parents : rod->parents.items;
}

static void place_rod(const rod_maker *maker, const placement *at) {
    for (int i = 0; i < maker->count; i++) {
        maker->points[i] = placement_apply(at, maker->shape[i]);
        if (maker->rest) maker->rest_points[i] = placement_apply(at, maker->rest[i]);
    }
}

static sn_status make_rod(const rod_maker *maker, const sn_scene *scene, sn_world *world, uint64_t label,
                          sn_body *out) {
    const rod_spec *rod = maker->spec;
    sn_rod_def def = sn_rod_def_default();
    def.points = maker->points;
    def.point_count = maker->count;
    def.radii = maker->radii;
    def.parents = parents_of(maker);
    def.surface = scene_surface(&rod->surface);
    def.collide = rod->collide;
    def.self_collide = rod->self_collide;
    def.closed = is_closed(rod);
    def.rest_points = maker->rest ? maker->rest_points : NULL;
    def.rest_twist = (sn_real)rod->rest_twist;
    def.material = scene_material(scene, rod->material);
    def.materials = maker->materials;
    def.end_caps = rod->end_caps;
    def.clamp_first = rod->clamp_first;
    def.clamp_last = rod->clamp_last;
    def.velocity = sn_v3((sn_real)rod->velocity[0], (sn_real)rod->velocity[1], (sn_real)rod->velocity[2]);
    def.label = label;
    sn_status status = sn_rod_create(world, &def, out);
    for (int i = 0; i < maker->count && status == SN_OK; i++) {
        int held = maker->held[i] ? maker->held[i] | sn_rod_held(world, *out, i) : 0;
        if (held) status = sn_rod_hold(world, *out, i, held);
    }
    return status;
}

// 1 in the middle of the selected points, 0 at the ends: sin^2. The constant profile is 1 everywhere.
static sn_real profile_at(const initial_spec *initial, const selection *points, int j) {
    if (initial->profile == PROFILE_CONSTANT) return 1;
    sn_real x = points->count > 1 ? (sn_real)j / (sn_real)(points->count - 1) : (sn_real)0.5;
    sn_real sine, cosine;
    sn_sincos(SN_PI * x, &sine, &cosine);
    return sine * sine;
}

static void add_scaled(sn_vec3 *to, sn_real k, const double v[3]) {
    *to = sn_mul_add(*to, k, sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]));
}

// Linear and angular velocities: those of the whole body, plus those of "initial".
static sn_status start_motion(const rod_maker *maker, sn_world *world, sn_body id) {
    const rod_spec *rod = maker->spec;
    const initial_spec *initial = rod->initial.items;
    sn_vec3 turning =
        sn_v3((sn_real)rod->angular_velocity[0], (sn_real)rod->angular_velocity[1], (sn_real)rod->angular_velocity[2]);
    sn_vec3 middle = {0, 0, 0};
    for (int i = 0; i < maker->count; i++) middle = sn_mul_add(middle, 1 / (sn_real)maker->count, maker->points[i]);
    for (int i = 0; i < maker->count; i++) {
        maker->spins[i] = turning;
        maker->vectors[i] = sn_cross(turning, sn_sub(maker->points[i], middle));
        add_scaled(&maker->vectors[i], 1, rod->velocity);
    }
    for (int i = 0; i < rod->initial.count; i++) {
        selection points = selection_of(&initial[i].select, &initial[i], maker->count);
        for (int j = 0; j < points.count; j++) {
            sn_real k = profile_at(&initial[i], &points, j);
            add_scaled(&maker->vectors[selection_at(&points, j)], k, initial[i].velocity);
            add_scaled(&maker->spins[selection_at(&points, j)], k, initial[i].spin);
        }
    }
    sn_status status = sn_rod_set_velocities(world, id, maker->vectors, maker->count);
    return status == SN_OK ? sn_rod_set_spins(world, id, maker->spins, maker->count) : status;
}

// Scales (about 1) or their rates (about 0), if any entry of "initial" has the key.
static sn_status start_scales(const rod_maker *maker, sn_world *world, sn_body id, bool rates) {
    const initial_spec *initial = maker->spec->initial.items;
    bool any = false;
    for (int i = 0; i < maker->count; i++) maker->numbers[i] = rates ? 0 : 1;
    for (int i = 0; i < maker->spec->initial.count; i++) {
        if (!fields_has(&initial[i], rates ? "scale_rate" : "scale")) continue;
        any = true;
        sn_real change = (sn_real)(rates ? initial[i].scale_rate : initial[i].scale - 1);
        selection points = selection_of(&initial[i].select, &initial[i], maker->count);
        for (int j = 0; j < points.count; j++) {
            maker->numbers[selection_at(&points, j)] += change * profile_at(&initial[i], &points, j);
        }
    }
    if (!any) return SN_OK;
    return rates ? sn_rod_set_scale_rates(world, id, maker->numbers, maker->count)
                 : sn_rod_set_scales(world, id, maker->numbers, maker->count);
}

static sn_status start_rod(const rod_maker *maker, sn_world *world, sn_body id) {
    const rod_spec *rod = maker->spec;
    sn_status status = SN_OK;
    if (rod->initial.count || fields_has(rod, "angular_velocity")) status = start_motion(maker, world, id);
    if (status == SN_OK) status = start_scales(maker, world, id, false);
    if (status == SN_OK) status = start_scales(maker, world, id, true);
    return status;
}

// Whether scattered copies avoid each other: by default where there is room, without fail where the scene says so.
static bool avoids_overlap(const body_spec *body, bool *must) {
    *must = body->scatter.avoid_overlap;
    return placement_is_random(body) && (*must || !fields_has(&body->scatter, "avoid_overlap"));
}

// Places a copy: where it overlaps none before it, if that is to be.
static bool find_place(const rod_maker *maker, sn_scene *scene, const scene_body *body, int copy, placed_rods *placed) {
    bool must;
    const bool avoids = avoids_overlap(body->spec, &must);
    const int tries = !avoids ? 1 : must ? PLACE_TRIES : PLACE_TRIES_USUAL;
    for (int attempt = 0; attempt < tries; attempt++) {
        const placement at = placement_retry(body->spec, scene->spec.seed, body->index, copy, attempt);
        place_rod(maker, &at);
        if (!avoids || placed_rods_add(placed, maker->points, maker->radii)) return true;
    }
    if (!must) {
        const placement at = placement_of_copy(body->spec, scene->spec.seed, body->index, copy);
        place_rod(maker, &at);
        placed_rods_put(placed, maker->points, maker->radii);
        return true;
    }
    const json_path list = {NULL, "bodies", 0}, path = {&list, NULL, (size_t)body->index},
                    scatter = {&path, "scatter", 0}, box = {&scatter, "box", 0};
    error_at(&scene->errors, &box,
             "copy %d overlaps another at each of %d places; a larger box, or fewer copies, would do", copy,
             PLACE_TRIES);
    return false;
}

static sn_status build_rod(sn_scene *scene, sn_world *world, scene_body *body) {
    rod_maker maker = {.spec = (const rod_spec *)body->spec, .count = body->points_per_copy};
    sn_arena arena;
    sn_arena_init(&arena, &scene->memory);
    sn_status status = maker_alloc(&maker, &arena) ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) maker_fill(&maker, scene);
    placed_rods placed = {0};
    bool must;
    if (status == SN_OK && avoids_overlap(body->spec, &must) &&
        !placed_rods_begin(&placed, &arena, body->copies, maker.count, parents_of(&maker)))
        status = SN_ERR_MEMORY;
    for (int copy = 0; copy < body->copies && status == SN_OK; copy++) {
        sn_body *id = &scene->ids[body->first + copy];
        scene->building_copy = copy;
        status = find_place(&maker, scene, body, copy, &placed) ? SN_OK : SN_ERR_DEF;
        if (status == SN_OK) status = make_rod(&maker, scene, world, scene_label(body->index, copy), id);
        if (status == SN_OK) status = start_rod(&maker, world, *id);
    }
    sn_arena_free(&arena);
    return status;
}

void scene_rod_describe(const sn_scene *scene, const sn_world *world, const scene_body *body, char *out,
                        size_t capacity) {
    snprintf(out, capacity, "%.4g m long", sn_rod_length(world, scene->ids[body->first]));
}

// --- joints ---

// The root has no segment: a joint there holds the start of a child's segment.
sn_status scene_rod_find_place(sn_scene *scene, const sn_world *world, const scene_body *body,
                               const joint_side_spec *side, int copy, scene_place *out) {
    const size_t n = (size_t)(body->points_per_copy / body->ids_per_copy);
    int *parents = sn_alloc(&scene->memory, n, sizeof *parents);
    sn_vec3 *centres = sn_alloc(&scene->memory, n, sizeof *centres);
    sn_status status = SN_ERR_MEMORY;
    if (parents && centres) {
        const bool point = fields_has(side, "point");
        int k = point ? side->point : side->segment;
        out->body = scene_find_point(scene, body, copy, k < 0 ? k + body->points_per_copy : k, &k);
        sn_rod_get_parents(world, out->body, parents, (int)n);
        sn_body_get_points(world, out->body, centres, (int)n);
        out->along = (sn_real)(point ? 1 : side->along);
        if (point && parents[k] < 0) {
            int child = 0;
            while (child < (int)n - 1 && parents[child] != k) child++;
            k = child;
            out->along = 0;
        }
        out->index = k;
        out->position = sn_lerp(centres[parents[k]], centres[k], out->along);
        status = SN_OK;
    }
    sn_free(&scene->memory, parents, n, sizeof *parents);
    sn_free(&scene->memory, centres, n, sizeof *centres);
    return status;
}

const scene_kind scene_rod_kind = {.table = &scene_rod_table,
                                   .one = "a rod",
                                   .many = "rods",
                                   .check = check_rod,
                                   .build = build_rod,
                                   .describe = scene_rod_describe,
                                   .has_segment = body_has_segment,
                                   .find_place = scene_rod_find_place,
                                   .tracks = &scene_rod_tracks,
                                   .skins = &scene_rod_skins};
