// Elastic bodies of scene files: checks an entry of kind "elastic", bakes its model, and creates its copies.
//
// Baking takes a while, so it happens when the world is built, not when the file is checked. Baked bodies are cached in
// a folder: SINEW_CACHE, else sinew in XDG_CACHE_HOME or ~/.cache.
#include "scene/scene_elastic.h"
#include "base/math/vec.h"
#include "formats/elastic_file.h"
#include "formats/file_text.h"
#include "formats/mesh_pose.h"
#include "kinds/elastic/elastic_system.h"
#include "scene/elastic_cache.h"
#include "scene/placement.h"
#include "scene/scene_kinds.h"
#include "scene/scene_material.h"
#include "scene/scene_rigid.h"
#include "system/system.h"
#include "zoo/elastic_bodies.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const elastic_spec *scene_elastic_of(const scene_body *body) {
    return body->spec->head.type == &scene_elastic_table ? (const elastic_spec *)body->spec : NULL;
}

// --- checking ---

static int64_t check_elastic(const scene_checker *checker, const body_spec *body) {
    const elastic_spec *spec = (const elastic_spec *)body;
    sn_scene *scene = checker->scene;
    error_list *errors = &scene->errors;
    if (!spec->zoo == !spec->file) {
        error_at(errors, checker->path, "needs exactly one of \"zoo\" and \"file\"");
        return 0;
    }
    scene_surface_check(&spec->surface, errors, checker->path);
    const json_path material = {checker->path, "material", 0}, zoo = {checker->path, "zoo", 0},
                    file = {checker->path, "file", 0};
    if (!scene_material_check(scene, spec->material, &material)) return 0;
    if (spec->zoo && zoo_elastic_find(spec->zoo) < 0) {
        char names[256] = "";
        for (int k = 0; k < ZOO_ELASTIC_KINDS; k++) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", zoo_elastic_name((zoo_elastic_kind)k));
        }
        error_at(errors, &zoo, "the zoo has no elastic body \"%s\"; it has %s", spec->zoo, names);
        return 0;
    }
    if (spec->file) {
        char path[1024];
        if (!scene_beside(scene, spec->file, path, sizeof path) || !file_text_exists(path, scene->files)) {
            error_at(errors, &file, "cannot open \"%s\" beside the scene", spec->file);
            return 0;
        }
        if (elastic_name_is_known(spec->file) &&
            (spec->spheres || spec->tets || spec->handles || fields_has(spec, "anchor"))) {
            error_at(errors, &file, "is already baked: \"spheres\", \"tets\", \"handles\" and \"anchor\" need a mesh");
            return 0;
        }
    }
    return 1; // the number of points is known once it is baked
}

// --- baking ---

static const char *cache_folder(char *out, size_t capacity) {
    const char *own = getenv("SINEW_CACHE");
    if (!own) return system_cache_folder(out, capacity);
    const int used = snprintf(out, capacity, "%s", own);
    return used > 0 && (size_t)used < capacity ? out : NULL;
}

__attribute__((format(printf, 4, 5))) static void log_message(const sn_scene *scene, sn_log_level level,
                                                              sn_status status, const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (scene->log) scene->log(scene->log_user, level, status, "", text);
}

// Logs the progress at every tenth.
typedef struct {
    const sn_scene *scene;
    const char *name;
    int told;
} teller;

static void tell(void *context, double done, const char *words) {
    teller *t = context;
    const int tenth = (int)(10 * done);
    if (tenth <= t->told || tenth >= 10) return;
    t->told = tenth;
    log_message(t->scene, SN_LOG_INFO, SN_OK, "baking %s: %d %%, %s", t->name, 10 * tenth, words);
}

// The asset of an entry, which belongs to the scene's cache.
static const sn_elastic_asset *asset_of(sn_scene *scene, const elastic_spec *spec, tool_error *error) {
    char folder[1024];
    if (!scene->elastic_cache) scene->elastic_cache = elastic_cache_new(cache_folder(folder, sizeof folder));
    if (!scene->elastic_cache) {
        tool_error_out_of_memory(error);
        return NULL;
    }
    teller told = {scene, spec->zoo ? spec->zoo : spec->file, 0};
    elastic_bake_options options = {.spheres = spec->spheres,
                                    .tets = spec->tets,
                                    .handles = spec->handles,
                                    .threads = 2,
                                    .progress = tell,
                                    .context = &told};
    if (spec->anchor.count == 2) {
        elastic_anchor *box = &options.anchor[options.anchor_count++];
        box->kind = ELASTIC_ANCHOR_BOX;
        for (int k = 0; k < 3; k++) {
            const double x = spec->anchor.items[0][k], y = spec->anchor.items[1][k];
            box->a[k] = x < y ? x : y, box->b[k] = x < y ? y : x;
        }
    }
    elastic_origin origin;
    elastic_report report;
    if (spec->zoo) return elastic_cache_zoo(scene->elastic_cache, spec->zoo, &options, &origin, &report, error);
    char path[1024];
    sn_mesh surface = {0};
    mesh_file read;
    if (!scene_beside(scene, spec->file, path, sizeof path) || !mesh_read(path, scene->files, &read, error))
        return NULL;
    const bool merged = mesh_merge_at_rest(&read, &surface);
    mesh_file_free(&read);
    if (!merged) {
        tool_error_out_of_memory(error);
        return NULL;
    }
    elastic_bake_options own = elastic_bake_default();
    if (options.spheres) own.spheres = options.spheres;
    if (options.tets) own.tets = options.tets;
    if (options.handles) own.handles = options.handles;
    own.threads = options.threads, own.progress = tell, own.context = &told;
    own.anchor_count = options.anchor_count, own.anchor[0] = options.anchor[0];
    const elastic_source source = {.surface = &surface};
    const sn_elastic_asset *asset = elastic_cache_get(scene->elastic_cache, &source, &own, &origin, &report, error);
    sn_mesh_free(&surface);
    return asset;
}

// Creates a model of a scaled asset.
static sn_status make_model(sn_scene *scene, const sn_elastic_asset *asset, sn_real scale, sn_elastic_model **out) {
    sn_elastic_asset sized = *asset;
    const size_t vertices = (size_t)asset->vertex_count, spheres = (size_t)asset->sphere_count;
    if (scale != 1) {
        sized.rest = malloc(vertices * sizeof *sized.rest);
        sized.centre = malloc(spheres * sizeof *sized.centre);
        sized.radius = malloc(spheres * sizeof *sized.radius);
        for (size_t i = 0; sized.rest && i < vertices; i++) sized.rest[i] = sn_mul(scale, asset->rest[i]);
        for (size_t i = 0; sized.centre && i < spheres; i++) sized.centre[i] = sn_mul(scale, asset->centre[i]);
        for (size_t i = 0; sized.radius && i < spheres; i++) sized.radius[i] = scale * asset->radius[i];
    }
    sn_elastic_model_def def = sn_elastic_model_def_default();
    def.asset = &sized;
    def.log = scene->log, def.log_user = scene->log_user;
    const sn_status status =
        sized.rest && sized.centre && sized.radius ? sn_elastic_model_create(&def, out) : SN_ERR_MEMORY;
    if (scale != 1) {
        free(sized.rest);
        free(sized.centre);
        free(sized.radius);
    }
    return status;
}

static sn_status model_of(sn_scene *scene, scene_body *body) {
    const elastic_spec *spec = (const elastic_spec *)body->spec;
    tool_error error = {0};
    char path[1024];
    if (body->form) return SN_OK;
    sn_elastic_model *model = NULL;
    sn_status status = SN_ERR_DEF;
    if (spec->file && elastic_name_is_known(spec->file)) {
        sn_memory memory;
        sn_memory_init(&memory, NULL);
        sn_elastic_asset asset;
        if (scene_beside(scene, spec->file, path, sizeof path) &&
            elastic_file_read(path, scene->files, &memory, &asset, &error)) {
            status = make_model(scene, &asset, (sn_real)spec->body.scale, &model);
            sn_elastic_asset_free(&memory, &asset);
        }
    } else {
        const sn_elastic_asset *asset = asset_of(scene, spec, &error);
        if (asset) status = make_model(scene, asset, (sn_real)spec->body.scale, &model);
    }
    if (status != SN_OK && error.text[0]) {
        const json_path list = {NULL, "bodies", 0}, at = {&list, NULL, (size_t)body->index};
        error_at(&scene->errors, &at, "cannot be baked: %s", error.text);
    }
    body->form = model;
    return status;
}

// --- building ---

static sn_vec3 vector(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_status build_elastic(sn_scene *scene, sn_world *world, scene_body *body) {
    const elastic_spec *spec = (const elastic_spec *)body->spec;
    sn_status status = model_of(scene, body);
    const sn_material material =
        spec->material ? scene_material(scene, spec->material) : sn_material_preset(SN_PRESET_JELLY);
    // lambda and mu of an isotropic material from the rod's constants, as for solids of springs
    const double mu = (double)material.shear, lambda = 2 * (double)material.volume;
    sn_elastic_def def = sn_elastic_def_default();
    def.model = body->form;
    def.poisson = (sn_real)(mu + lambda > 0 ? lambda / (2 * (lambda + mu)) : 0.3);
    if (def.poisson > (sn_real)0.495) def.poisson = (sn_real)0.495;
    def.young = (sn_real)(2 * mu) * (1 + def.poisson);
    def.density = material.density, def.damping = material.damping;
    def.law = (sn_elastic_law)spec->law;
    def.mooney = (sn_real)spec->mooney, def.lock = (sn_real)spec->lock;
    def.iterations = spec->iterations;
    def.velocity = vector(spec->velocity), def.spin = vector(spec->angular_velocity);
    def.surface = scene_surface(&spec->surface);
    def.collide = spec->collide, def.self_collide = spec->self_collide;
    def.family = (uint32_t)spec->family;
    for (int copy = 0; copy < body->copies && status == SN_OK; copy++) {
        scene->building_copy = copy;
        const placement at = placement_of_copy(body->spec, scene->spec.seed, body->index, copy);
        const double origin[3] = {0, 0, 0};
        def.position = placement_apply(&at, origin);
        def.rotation = (sn_quat){(sn_real)at.rotation[0], (sn_real)at.rotation[1], (sn_real)at.rotation[2],
                                 (sn_real)at.rotation[3]};
        def.label = scene_label(body->index, copy);
        status = sn_elastic_create(world, &def, &scene->ids[body->first + copy]);
    }
    return status;
}

static void free_cache(sn_scene *scene) {
    elastic_cache_free(scene->elastic_cache);
    scene->elastic_cache = NULL;
}

static void release_model(void *model) {
    sn_elastic_model_release(model); // worlds may still use it
}

const scene_kind scene_elastic_kind = {.table = &scene_elastic_table,
                                       .one = "an elastic body",
                                       .many = "elastic bodies",
                                       .check = check_elastic,
                                       .build = build_elastic,
                                       .free = free_cache,
                                       .free_form = release_model};
