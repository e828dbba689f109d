// Public calls for baking: sinew/tools/bake.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "api/muscle_rig_handle.h"
#include "bake/elastic_bake.h"
#include "bake/viperize.h"
#include "scene/character.h"
#include "sinew/tools/bake.h"
#include "system/system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUSCLE_BAKE_MARK  0x7E9A1202u
#define ELASTIC_BAKE_MARK 0x7E9A1203u

// --- muscles ---

sn_muscle_bake_def sn_muscle_bake_def_default(void) {
    const sn_viper_options options = sn_viper_options_default();
    return (sn_muscle_bake_def){
        .rods = options.rods, .slices = options.slices, .threads = 1, .init_mark = MUSCLE_BAKE_MARK};
}

// False: no such kind.
static bool convert_end(const sn_muscle_end *from, sn_viper_end *to) {
    static const sn_viper_end_kind kinds[] = {VIPER_END_AUTO, VIPER_END_BALL, VIPER_END_PLANE};
    if ((int)from->kind < 0 || (int)from->kind > SN_MUSCLE_END_PLANE) return false;
    *to = (sn_viper_end){.kind = kinds[from->kind], .radius = from->radius, .offset = from->offset};
    memcpy(to->point, from->point, sizeof to->point);
    memcpy(to->normal, from->normal, sizeof to->normal);
    return true;
}

static sn_status convert_muscle_def(const sn_muscle_bake_def *def, sn_viper_options *out, sn_error *error) {
    *out = sn_viper_options_default();
    if (def->init_mark != MUSCLE_BAKE_MARK) return api_unmarked(error, "sn_muscle_bake_def_default");
    if (def->rods < 1 || def->rods > VIPER_MAX_RODS)
        return api_fail(error, SN_ERR_DEF, "rods: must be 1 to %d", VIPER_MAX_RODS);
    if (def->slices < 2 || def->slices > VIPER_MAX_SLICES)
        return api_fail(error, SN_ERR_DEF, "slices: must be 2 to %d", VIPER_MAX_SLICES);
    if (def->threads < 1 || def->threads > 64) return api_fail(error, SN_ERR_DEF, "threads: must be 1 to 64");
    if (!convert_end(&def->source, &out->end[0])) return api_fail(error, SN_ERR_DEF, "source: no such kind");
    if (!convert_end(&def->sink, &out->end[1])) return api_fail(error, SN_ERR_DEF, "sink: no such kind");
    out->rods = def->rods, out->slices = def->slices, out->planes = def->planes, out->threads = def->threads;
    out->progress = def->progress, out->context = def->progress_user;
    return SN_OK;
}

// The text of the rig's file; the caller frees it. Null: out of memory.
static char *write_rig_text(const sn_viper *viper, const char *name, size_t *size) {
    system_text text;
    system_text_open(&text);
    if (text.out) sn_viper_write(text.out, viper, name, name);
    char *made = system_text_finish(&text);
    *size = text.size;
    return made;
}

sn_status sn_muscle_rig_bake(const sn_mesh *surface, const char *name, const sn_muscle_bake_def *def,
                             sn_muscle_rig **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!surface || !name || !def || !out)
        return api_fail(error, SN_ERR_RANGE, "the surface, the name, the definition or the output is null");
    sn_viper_options options;
    const sn_status status = convert_muscle_def(def, &options, error);
    if (status != SN_OK) return status;
    sn_viper viper = {0};
    tool_error message = {0};
    sn_viper_report *report = calloc(1, sizeof *report);
    if (!report) return api_out_of_memory(error);
    const bool good = sn_viperize(surface, &options, &viper, report, &message);
    free(report);
    if (!good) return api_tool_error(error, SN_ERR_FORMAT, &message);
    size_t size = 0;
    char *text = write_rig_text(&viper, name, &size);
    sn_viper_free(&viper);
    return muscle_rig_handle_make(name, text, size, out, error);
}

// --- elastic bodies ---

sn_elastic_bake_def sn_elastic_bake_def_default(void) {
    return (sn_elastic_bake_def){
        .spheres = elastic_bake_default().spheres, .threads = 1, .init_mark = ELASTIC_BAKE_MARK};
}

static sn_status convert_elastic_def(const sn_elastic_bake_def *def, elastic_bake_options *out, sn_error *error) {
    *out = elastic_bake_default();
    if (def->init_mark != ELASTIC_BAKE_MARK) return api_unmarked(error, "sn_elastic_bake_def_default");
    if (def->spheres < 1 || def->spheres > MEDIAL_MAX_SPHERES)
        return api_fail(error, SN_ERR_DEF, "spheres: must be 1 to %d", (int)MEDIAL_MAX_SPHERES);
    if (def->handles < 0 || def->handles > MEDIAL_MAX_SPHERES)
        return api_fail(error, SN_ERR_DEF, "handles: must be 0 to %d", (int)MEDIAL_MAX_SPHERES);
    if (def->tets < 0 || def->tets > 20000000) return api_fail(error, SN_ERR_DEF, "tets: must be 0 to 20000000");
    if (!(def->spacing >= 0 && def->spacing <= 1e30)) return api_fail(error, SN_ERR_DEF, "spacing: is out of range");
    if (def->threads < 1 || def->threads > 64) return api_fail(error, SN_ERR_DEF, "threads: must be 1 to 64");
    if (def->anchor_count < 0 || def->anchor_count > ELASTIC_MAX_ANCHORS || (def->anchor_count && !def->anchors))
        return api_fail(error, SN_ERR_DEF, "anchor_count: must be 0 to %d, with anchors", ELASTIC_MAX_ANCHORS);
    for (int i = 0; i < def->anchor_count; i++)
        if (!def->anchors[i] || !elastic_anchor_parse(def->anchors[i], &out->anchor[i]))
            return api_fail(error, SN_ERR_DEF,
                            "anchors[%d]: is none of \"plane:y<0.1\", \"plane:nx,ny,nz,offset\", \"x,y,z,radius\", "
                            "\"box:x,y,z,x,y,z\"",
                            i);
    out->spheres = def->spheres, out->handles = def->handles, out->tets = def->tets, out->spacing = def->spacing;
    out->anchor_count = def->anchor_count, out->threads = def->threads;
    out->progress = def->progress, out->context = def->progress_user;
    return SN_OK;
}

sn_status sn_elastic_model_bake(const sn_mesh *surface, const sn_elastic_bake_def *def, sn_elastic_model **out,
                                sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!surface || !def || !out)
        return api_fail(error, SN_ERR_RANGE, "the surface, the definition or the output is null");
    elastic_bake_options options;
    sn_status status = convert_elastic_def(def, &options, error);
    if (status != SN_OK) return status;
    sn_memory memory;
    sn_elastic_asset asset;
    elastic_report report;
    tool_error message = {0};
    sn_memory_init(&memory, NULL);
    const elastic_source source = {.surface = surface};
    if (!elastic_bake(&memory, &source, &options, &asset, &report, &message))
        return api_tool_error(error, SN_ERR_FORMAT, &message);
    sn_elastic_model_def model_def = sn_elastic_model_def_default();
    model_def.asset = &asset;
    status = sn_elastic_model_create(&model_def, out);
    if (status != SN_OK) api_fail(error, status, "the model cannot be made: %s", sn_status_name(status));
    sn_elastic_asset_free(&memory, &asset);
    return status;
}

// --- implicit skins ---

sn_status sn_implicit_model_bake(const char *path, double scale, sn_log_fn *log, void *log_user,
                                 sn_implicit_model **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!path || !out || !(scale > 0 && scale <= 1e12))
        return api_fail(error, SN_ERR_RANGE, "the path or the output is null, or the scale is out of range");
    character c;
    tool_error failure;
    int *bone_of = NULL;
    const sn_log lines = {log, log_user};
    if (!character_from_file(path, &disk_files, scale, &c, &failure)) return api_read_error(error, path, failure.text);
    for (int i = 0; i < c.notes.count && log; i++) log(log_user, SN_LOG_WARNING, SN_OK, "", c.notes.text[i]);
    const bool good = character_model(&c, &lines, NULL, out, &bone_of, &failure);
    free(bone_of);
    character_free(&c);
    return good ? SN_OK : api_fail(error, SN_ERR_FORMAT, "%.300s: error: %s", path, failure.text);
}
