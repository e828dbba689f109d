// Characters of scene files: checks an entry of kind "character", creates its copies, moves them, and updates their
// skins. Copies share the mesh and its rig, which are made when the world is built.
#include "base/math/vec.h"
#include "formats/file_text.h"
#include "formats/quote.h"
#include "scene/muscle_numbers.h"
#include "scene/scene_character_internal.h"
#include "scene/scene_drive.h"
#include "scene/scene_kinds.h"
#include "scene/scene_material.h"
#include "scene/scene_rigid.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const character_spec *scene_character_of(const scene_body *body) {
    return body->spec->head.type == &scene_character_table ? (const character_spec *)body->spec : NULL;
}

// --- checking ---

static bool check_motion(sn_scene *scene, const character_spec *spec, const json_path *path) {
    const json_path motion = {path, "motion", 0}, clip = {path, "clip", 0}, bend = {path, "bend", 0};
    char quoted[QUOTE_SIZE];
    const int before = scene->errors.count;
    if (spec->motion && !spec->zoo)
        error_at(&scene->errors, &motion, "needs \"zoo\"; for a file use \"clip\"");
    else if (spec->motion && zoo_motion_find(spec->motion) < 0)
        error_at(&scene->errors, &motion, "the zoo has no motion %s; it has jump, run, arm-shake and biceps-curl",
                 quote(spec->motion, quoted));
    if (spec->clip && !spec->file) error_at(&scene->errors, &clip, "needs \"file\"");
    const double *axis = spec->bend.axis;
    if (spec->bend.head.type && (spec->motion || spec->clip))
        error_at(&scene->errors, &bend, "cannot be combined with \"motion\" or \"clip\"");
    else if (spec->bend.head.type && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        error_at(&scene->errors, &bend, "\"axis\" must have a direction, is [0, 0, 0]");
    else if (spec->bend.head.type && spec->file && !spec->bend.bone)
        error_at(&scene->errors, &bend, "needs \"bone\", a bone of the file");
    return scene->errors.count == before;
}

static const char *presets_of(char *out, size_t capacity) {
    size_t used = 0;
    const char *name;
    for (int i = 0; (name = zoo_muscle_preset_name(i)) != NULL && used + 1 < capacity; i++)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", i ? ", " : "", name);
    return out;
}

static void check_muscles(sn_scene *scene, const character_spec *spec, const json_path *path) {
    const character_muscle_spec *muscles = spec->add_muscles.items;
    const json_path list = {path, "add_muscles", 0}, tracks = {path, "activation", 0};
    char quoted[QUOTE_SIZE], known[400];
    for (int i = 0; i < spec->add_muscles.count; i++) {
        const json_path at = {&list, NULL, (size_t)i}, preset = {&at, "preset", 0};
        sn_implicit_muscle_def def;
        const bool sized = fields_has(&muscles[i], "volume"), wide = fields_has(&muscles[i], "width");
        if (muscles[i].preset && !zoo_muscle_preset(muscles[i].preset, &def))
            error_at(&scene->errors, &preset, "there is no muscle %s; there are %s", quote(muscles[i].preset, quoted),
                     presets_of(known, sizeof known));
        if (sized && wide)
            error_at(&scene->errors, &at, "needs only one of \"volume\" and \"width\"");
        else if (!sized && !wide && !muscles[i].preset)
            error_at(&scene->errors, &at, "needs a \"volume\", a \"width\" or a \"preset\"");
    }
    const character_activation_spec *activation = spec->activation.items;
    for (int i = 0; i < spec->activation.count; i++) {
        const json_path track = {&tracks, NULL, (size_t)i}, keys = {&track, "keys", 0};
        const character_key *key = activation[i].keys.items;
        for (int k = 1; k < activation[i].keys.count; k++)
            if (!(key[k].at.t > key[k - 1].at.t)) {
                error_at(&scene->errors, &keys, "times must increase; key %d is at %g s, the one before at %g s", k,
                         key[k].at.t, key[k - 1].at.t);
                break;
            }
    }
}

static void check_tracks(sn_scene *scene, const character_spec *spec, const json_path *path) {
    const json_path list = {path, "muscle_keys", 0}, bundles = {path, "bundles", 0};
    const muscle_track_spec *tracks = spec->muscle_keys.items;
    for (int i = 0; i < spec->muscle_keys.count; i++) {
        const json_path track = {&list, NULL, (size_t)i}, keys = {&track, "keys", 0};
        const muscle_key *key = tracks[i].keys.items;
        const bool place = tracks[i].what >= MUSCLE_ORIGIN;
        const char *name = "";
        float low = 0, high = 0;
        muscle_number_range(tracks[i].what, &name, &low, &high);
        for (int k = 0; k < tracks[i].keys.count; k++) {
            const json_path at = {&keys, NULL, (size_t)k};
            if (k > 0 && !(key[k].at.t > key[k - 1].at.t))
                error_at(&scene->errors, &keys, "times must increase; key %d is at %g s, the one before at %g s", k,
                         key[k].at.t, key[k - 1].at.t);
            else if (fields_has(&key[k], "position") != place || fields_has(&key[k], "value") == place)
                error_at(&scene->errors, &at, "\"%s\" needs %s", name,
                         place ? "\"position\" and no \"value\"" : "\"value\" and no \"position\"");
            else if (!place && !(key[k].value >= (double)low && key[k].value <= (double)high))
                error_at(&scene->errors, &at, "\"%s\" must be %g to %g, is %g", name, (double)low, (double)high,
                         key[k].value);
            else
                continue;
            break;
        }
    }
    const character_bundle_spec *bundle = spec->bundles.items;
    for (int i = 0; i < spec->bundles.count; i++) {
        const json_path at = {&bundles, NULL, (size_t)i}, material = {&at, "material", 0};
        scene_material_check(scene, bundle[i].material, &material);
    }
}

static int64_t check_character(const scene_checker *checker, const body_spec *body) {
    const character_spec *spec = (const character_spec *)body;
    sn_scene *scene = checker->scene;
    const json_path zoo = {checker->path, "zoo", 0}, file = {checker->path, "file", 0};
    char quoted[QUOTE_SIZE], path[1024];
    if (!spec->zoo == !spec->file) {
        error_at(&scene->errors, checker->path, "needs exactly one of \"zoo\" and \"file\"");
        return 0;
    }
    if (spec->zoo && zoo_body_find(spec->zoo) < 0) {
        error_at(&scene->errors, &zoo, "the zoo has no character %s; it has body, limb and elbow",
                 quote(spec->zoo, quoted));
        return 0;
    }
    if (spec->file) {
        if (!scene_beside(scene, spec->file, path, sizeof path) || !file_text_exists(path, scene->files)) {
            error_at(&scene->errors, &file, "cannot open %s beside the scene", quote(spec->file, quoted));
            return 0;
        }
    }
    check_muscles(scene, spec, checker->path);
    check_tracks(scene, spec, checker->path);
    scene_surface_check(&spec->surface, &scene->errors, checker->path);
    return check_motion(scene, spec, checker->path) ? 1 : 0;
}

// --- what copies share ---

// Lists an error of an entry, or of one of its keys (null: none).
__attribute__((format(printf, 4, 5))) static sn_status wrong(sn_scene *scene, const scene_body *body, const char *key,
                                                             const char *format, ...) {
    char text[400];
    va_list words;
    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    const json_path list = {NULL, "bodies", 0}, at = {&list, NULL, (size_t)body->index}, field = {&at, key, 0};
    error_at(&scene->errors, key && fields_has(body->spec, key) ? &field : &at, "%s", text);
    return SN_ERR_DEF;
}

static sn_vec3 vector(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_implicit_muscle_def muscle_of(const character_muscle_spec *spec, double scale) {
    sn_implicit_muscle_def def = sn_implicit_muscle_def_default();
    sn_implicit_muscle_def like;
    if (spec->preset && zoo_muscle_preset(spec->preset, &like)) {
        def.rest = like.rest, def.active = like.active;
        def.volume = like.volume, def.hertz = like.hertz, def.tendon = like.tendon;
    }
    if (spec->alpha > 0) def.rest.alpha = (sn_real)spec->alpha;
    if (spec->beta > 0) def.rest.beta = (sn_real)spec->beta;
    if (spec->active_alpha > 0) def.active.alpha = (sn_real)spec->active_alpha;
    if (spec->active_beta > 0) def.active.beta = (sn_real)spec->active_beta;
    if (fields_has(spec, "eccentricity")) def.rest.eccentricity = def.active.eccentricity = (sn_real)spec->eccentricity;
    if (fields_has(spec, "active_eccentricity")) def.active.eccentricity = (sn_real)spec->active_eccentricity;
    if (fields_has(spec, "volume")) def.volume = (sn_real)spec->volume;
    if (fields_has(spec, "hertz")) def.hertz = (sn_real)spec->hertz;
    if (fields_has(spec, "damping")) def.damping = (sn_real)spec->damping;
    if (fields_has(spec, "tendon")) def.tendon = (sn_real)spec->tendon;
    if (fields_has(spec, "friction")) def.friction = (sn_real)spec->friction;
    if (spec->points) def.points = spec->points;
    def.volume *= (sn_real)(scale * scale * scale);
    def.group = spec->group;
    def.end[0] = sn_mul((sn_real)scale, vector(spec->origin.position));
    def.end[1] = sn_mul((sn_real)scale, vector(spec->insertion.position));
    def.via = sn_mul((sn_real)scale, vector(spec->via)), def.bowed = fields_has(spec, "via");
    def.normal[0] = def.normal[1] = vector(spec->normal);
    return def;
}

// Names of bones, for messages.
static const char *bones_of(const character *c, char *out, size_t capacity) {
    size_t used = 0;
    out[0] = 0;
    for (int b = 0; b < c->bone_count && used + 1 < capacity; b++)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", b ? ", " : "", c->bones[b].name);
    return out;
}

static bool names_some(const character *c, const char *start) {
    for (int m = 0; m < c->muscle_count; m++)
        if (character_is_named(c, m, start)) return true;
    return false;
}

static sn_status add_muscles(sn_scene *scene, const scene_body *body, character *c) {
    const character_spec *spec = (const character_spec *)body->spec;
    const character_muscle_spec *muscles = spec->add_muscles.items;
    tool_error error;
    char names[200], quoted[QUOTE_SIZE];
    for (int i = 0; i < spec->add_muscles.count; i++) {
        const character_muscle_spec *own = &muscles[i];
        sn_implicit_muscle_def def = muscle_of(own, spec->body.scale);
        def.bone[0] = character_bone(c, own->origin.bone), def.bone[1] = character_bone(c, own->insertion.bone);
        for (int k = 0; k < 2; k++)
            if (def.bone[k] < 0)
                return wrong(scene, body, "add_muscles", "add_muscles[%d]: there is no bone %s; there are %s", i,
                             quote(k ? own->insertion.bone : own->origin.bone, quoted),
                             bones_of(c, names, sizeof names));
        if (!character_add_muscle(c, own->name, &def, own->width * spec->body.scale, &error))
            return wrong(scene, body, "add_muscles", "add_muscles[%d]: %s", i, error.text);
        if (def.rest.eccentricity > 0 || def.active.eccentricity > 0) character_give_normals(c, c->muscle_count - 1);
    }
    for (int m = 0; m < c->muscle_count; m++) {
        sn_implicit_muscle_def *def = &c->muscles[m];
        def->collide_bones = def->collide_bones && spec->bone_contact;
        def->hertz *= (sn_real)spec->jiggle;
        if (spec->points) def->points = spec->points;
    }
    const character_activation_spec *tracks = spec->activation.items;
    for (int i = 0; i < spec->activation.count; i++)
        if (!names_some(c, tracks[i].muscle))
            return wrong(scene, body, "activation", "activation[%d]: it has no muscle whose name begins with %s", i,
                         quote(tracks[i].muscle, quoted));
    const character_bundle_spec *bundles = spec->bundles.items;
    for (int i = 0; i < spec->bundles.count; i++)
        if (!names_some(c, bundles[i].muscle))
            return wrong(scene, body, "bundles", "bundles[%d]: it has no muscle whose name begins with %s", i,
                         quote(bundles[i].muscle, quoted));
    const muscle_track_spec *numbers = spec->muscle_keys.items;
    for (int i = 0; i < spec->muscle_keys.count; i++) {
        if (!names_some(c, numbers[i].muscle))
            return wrong(scene, body, "muscle_keys", "muscle_keys[%d]: it has no muscle whose name begins with %s", i,
                         quote(numbers[i].muscle, quoted));
        // A round muscle needs a wide direction.
        for (int m = 0; m < c->muscle_count && numbers[i].what == MUSCLE_ECCENTRICITY; m++)
            if (character_is_named(c, m, numbers[i].muscle)) character_give_normals(c, m);
    }
    return SN_OK;
}

static sn_status find_motion(sn_scene *scene, const scene_body *body, character *c) {
    const character_spec *spec = (const character_spec *)body->spec;
    char quoted[QUOTE_SIZE], names[200];
    if (spec->motion) {
        c->motion = zoo_motion_find(spec->motion);
        if (!zoo_motion_is_supported(&c->zoo, (zoo_motion)c->motion))
            return wrong(scene, body, "motion", "%s does not fit \"%s\", which lacks the bones that it moves",
                         quote(spec->motion, quoted), spec->zoo);
    }
    for (int i = 0; spec->clip && i < c->file.clip_count && !c->clip; i++)
        if (strcmp(c->file.clip[i].name, spec->clip) == 0) c->clip = &c->file.clip[i];
    if (spec->clip && !c->clip)
        return wrong(scene, body, "clip", "the file has no clip %s%s%s%s", quote(spec->clip, quoted),
                     c->file.clip_count ? "; its first is \"" : "; it has no clips",
                     c->file.clip_count ? c->file.clip[0].name : "", c->file.clip_count ? "\"" : "");
    if (!spec->clip && !spec->bend.head.type && c->file.clip_count > 0) c->clip = &c->file.clip[0];
    if (!spec->bend.head.type) return SN_OK;
    c->bend = (character_bend){-1, vector(spec->bend.axis), spec->bend.degrees, spec->bend.seconds, spec->bend.hold};
    if (spec->bend.bone) c->bend.bone = character_bone(c, spec->bend.bone);
    for (int b = 0; !spec->bend.bone && b < c->bone_count && c->bend.bone < 0; b++)
        if (c->bones[b].kind == SN_FOLD_ELBOW) c->bend.bone = b;
    if (c->bend.bone >= 0) return SN_OK;
    return wrong(scene, body, "bend", "there is no bone %s; there are %s",
                 quote(spec->bend.bone ? spec->bend.bone : "", quoted), bones_of(c, names, sizeof names));
}

static void free_form(void *of) {
    struct character_form *form = of;
    sn_implicit_model_destroy(form->model);
    character_free(&form->is);
    free(form->bone_of);
    free(form);
}

static sn_status make_form(sn_scene *scene, const scene_body *body, struct character_form *form) {
    const character_spec *spec = (const character_spec *)body->spec;
    character *c = &form->is;
    tool_error error;
    char path[1024];
    if (spec->zoo) {
        if (!character_from_zoo((zoo_body_kind)zoo_body_find(spec->zoo), spec->vertices, spec->body.scale, c, &error))
            return wrong(scene, body, spec->vertices ? "vertices" : "zoo", "%s", error.text);
        if (!spec->muscles) c->muscle_count = c->own_muscles = 0;
    } else if (!scene_beside(scene, spec->file, path, sizeof path) ||
               !character_from_file(path, scene->files, spec->body.scale, c, &error)) {
        return wrong(scene, body, "file", "is not a usable character: %s", error.text);
    }
    for (int i = 0; i < c->notes.count && scene->log; i++) {
        char text[REPAIR_NOTE_SIZE + 200];
        snprintf(text, sizeof text, "%.190s: %s", spec->file, c->notes.text[i]);
        scene->log(scene->log_user, SN_LOG_WARNING, SN_OK, "file", text);
    }
    sn_status status = add_muscles(scene, body, c);
    if (status == SN_OK) status = find_motion(scene, body, c);
    if (status != SN_OK) return status;
    sn_muscle_system *muscles = NULL;
    const sn_log log = {scene->log, scene->log_user};
    status = character_system(c, &scene->memory, &log, &muscles);
    if (status != SN_OK) return wrong(scene, body, NULL, "its muscles cannot be created: %s", sn_status_name(status));
    if (!character_model(c, &log, muscles, &form->model, &form->bone_of, &error))
        status = wrong(scene, body, spec->file ? "file" : "zoo", "cannot get an implicit skin: %s", error.text);
    sn_muscle_system_destroy(muscles);
    return status;
}

static sn_status form_of(sn_scene *scene, scene_body *body) {
    if (body->form) return SN_OK;
    struct character_form *form = calloc(1, sizeof *form);
    if (!form) return SN_ERR_MEMORY;
    const sn_status status = make_form(scene, body, form);
    if (status == SN_OK)
        body->form = form;
    else
        free_form(form);
    return status;
}

// --- moving ---

static double value_at(const character_activation_spec *track, double t) {
    const character_key *keys = track->keys.items;
    const int last = track->keys.count - 1;
    int i = 0;
    while (i < last && keys[i + 1].at.t <= t) i++;
    if (t <= keys[i].at.t || i == last) return keys[i].value;
    const double x = (t - keys[i].at.t) / (keys[i + 1].at.t - keys[i].at.t);
    return keys[i].value + x * (keys[i + 1].value - keys[i].value);
}

static bool same_keys(const sn_implicit_muscle_keys *a, const sn_implicit_muscle_keys *b) {
    return a->activation == b->activation && a->exaggeration == b->exaggeration && a->eccentricity == b->eccentricity;
}

// The value of a track of muscle_keys: a number, or a place.
static void track_at(const muscle_track_spec *track, double t, double out[3]) {
    const muscle_key *keys = track->keys.items;
    const int last = track->keys.count - 1;
    int i = 0;
    while (i < last && keys[i + 1].at.t <= t) i++;
    const bool between = t > keys[i].at.t && i < last;
    const double x = between ? (t - keys[i].at.t) / (keys[i + 1].at.t - keys[i].at.t) : 0;
    const muscle_key *a = &keys[i], *b = &keys[between ? i + 1 : i];
    if (track->what < MUSCLE_ORIGIN) out[0] = a->value + x * (b->value - a->value), out[1] = out[2] = 0;
    for (int k = 0; track->what >= MUSCLE_ORIGIN && k < 3; k++)
        out[k] = a->position[k] + x * (b->position[k] - a->position[k]);
}

// Sets the activation, exaggeration and eccentricity of all muscles, which have one call.
static sn_status activate(sn_scene *scene, sn_world *world, struct scene_character *one, double t) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const character *c = &one->form->is;
    const character_activation_spec *tracks = spec->activation.items;
    const muscle_track_spec *more = spec->muscle_keys.items;
    sn_status worst = SN_OK;
    for (int m = 0; m < c->muscle_count; m++) {
        double value = character_activation(c, (t - spec->start) * spec->speed, spec->loop, m);
        double wide = spec->bulge, eccentricity = -1, at[3];
        for (int i = 0; i < spec->activation.count; i++)
            if (character_is_named(c, m, tracks[i].muscle)) value = value_at(&tracks[i], t);
        for (int i = 0; i < spec->muscle_keys.count; i++) {
            if (!character_is_named(c, m, more[i].muscle)) continue;
            track_at(&more[i], t, at);
            if (more[i].what == MUSCLE_ACTIVATION) value = at[0];
            if (more[i].what == MUSCLE_WIDTH) wide = spec->bulge * at[0];
            if (more[i].what == MUSCLE_ECCENTRICITY) eccentricity = at[0];
        }
        const sn_implicit_muscle_keys keys = {(sn_real)fmin(fmax(value, 0), 1), (sn_real)wide, (sn_real)eccentricity};
        if (same_keys(&keys, &one->keys[m])) continue;
        scene_call call = {.type = CALL_MUSCLE_KEYS, .slot1 = one->id.slot1, .gen = one->id.gen, .index = m};
        call.v[0] = (float)keys.activation, call.v[1] = (float)keys.exaggeration, call.v[2] = (float)keys.eccentricity;
        const sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
        one->keys[m] = keys;
    }
    return worst;
}

// Sets the other animated numbers of muscles: profiles, frequency, damping, ends.
static sn_status drive_numbers(sn_scene *scene, sn_world *world, struct scene_character *one, double t) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const character *c = &one->form->is;
    const muscle_track_spec *tracks = spec->muscle_keys.items;
    sn_status worst = SN_OK;
    for (int i = 0; i < spec->muscle_keys.count; i++) {
        const int what = tracks[i].what;
        double at[3];
        if (what == MUSCLE_ACTIVATION || what == MUSCLE_WIDTH || what == MUSCLE_ECCENTRICITY) continue;
        track_at(&tracks[i], t, at);
        const float now[3] = {(float)at[0], (float)at[1], (float)at[2]};
        if (memcmp(now, one->numbers[i], sizeof now) == 0) continue;
        memcpy(one->numbers[i], now, sizeof now);
        for (int m = 0; m < c->muscle_count; m++) {
            if (!character_is_named(c, m, tracks[i].muscle)) continue;
            scene_call call = {.type = CALL_MUSCLE, .slot1 = one->id.slot1, .gen = one->id.gen, .index = m};
            call.v[3] = (float)what;
            memcpy(call.v, now, sizeof now);
            if (what >= MUSCLE_ORIGIN) {
                const int bone = c->muscles[m].bone[what - MUSCLE_ORIGIN];
                const sn_vec3 place = sn_mul((sn_real)spec->body.scale, vector(at));
                call_put_vector(&call, 0, character_in_bone(c, bone, place));
            } else if (what == MUSCLE_HERTZ) {
                call.v[0] *= (float)spec->jiggle;
            }
            const sn_status status = scene_drive_call(scene, world, &call);
            if (status != SN_OK) worst = status;
        }
    }
    return worst;
}

// Moves the bones whose poses have changed.
static sn_status drive_bones(sn_scene *scene, sn_world *world, struct scene_character *one) {
    sn_status worst = SN_OK;
    for (int b = 0; b < one->form->is.bone_count; b++) {
        const sn_transform *pose = &one->poses[b];
        if (memcmp(pose, &one->driven[b], sizeof *pose) == 0) continue;
        scene_call call = {.type = CALL_BONE, .slot1 = one->id.slot1, .gen = one->id.gen, .index = b};
        call_put_vector(&call, 0, pose->position);
        call_put_rotation(&call, 3, pose->rotation);
        const sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
        one->driven[b] = *pose;
    }
    return worst;
}

static sn_transform placed(const placement *at, sn_transform pose) {
    const sn_quat rotation = {(sn_real)at->rotation[0], (sn_real)at->rotation[1], (sn_real)at->rotation[2],
                              (sn_real)at->rotation[3]};
    return (sn_transform){sn_add(vector(at->position), sn_q_rotate(rotation, pose.position)),
                          sn_q_normalize(sn_q_mul(rotation, pose.rotation))};
}

// The poses of the bones at a time, in the world.
static bool pose_at(struct scene_character *one, double t, tool_error *error) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const bool good = character_pose(&one->form->is, (t - spec->start) * spec->speed, spec->loop, one->poses, error);
    for (int b = 0; b < one->form->is.bone_count; b++) one->poses[b] = placed(&one->at, one->poses[b]);
    return good;
}

// Updates the skin to the bones and muscles.
static sn_status follow(struct scene_character *one, const sn_world *world) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const struct character_form *form = one->form;
    const int bones = form->is.bone_count;
    if (!one->behind || sn_implicit_muscles_get_poses(world, one->id, one->driven, bones) != bones) return SN_OK;
    one->behind = false;
    for (int b = 0; b < bones; b++) one->rig_poses[form->bone_of[b]] = one->driven[b];
    if (spec->skin == CHARACTER_IMPLICIT)
        return sn_implicit_skin_update(one->skin, world, one->id, one->rig_poses, NULL, &one->tracked);
    return sn_implicit_skin_place(one->skin, one->rig_poses,
                                  spec->skin == CHARACTER_DUAL_QUATERNION ? SN_BLEND_DUAL : SN_BLEND_LINEAR);
}

static sn_status drive_characters(sn_scene *scene, sn_world *world, double t) {
    sn_status worst = SN_OK;
    for (int i = 0; i < scene->characters_made; i++) {
        struct scene_character *one = &scene->characters[i];
        tool_error error;
        // Calls that are only recorded have no steps in between, so the skin need not follow.
        sn_status status = scene->keep_calls ? SN_OK : follow(one, world);
        if (status == SN_OK && !pose_at(one, t, &error)) {
            if (scene->log) scene->log(scene->log_user, SN_LOG_ERROR, SN_ERR_RANGE, "", error.text);
            status = SN_ERR_RANGE;
        }
        if (status == SN_OK) status = activate(scene, world, one, t);
        if (status == SN_OK) status = drive_numbers(scene, world, one, t);
        if (status == SN_OK) status = drive_bones(scene, world, one);
        if (status == SN_OK) status = character_bundles_drive(scene, world, one);
        one->behind = true;
        if (status != SN_OK) worst = status;
    }
    return worst;
}

// --- building ---

static void free_copy(struct scene_character *one) {
    character_bundles_free(one);
    sn_implicit_skin_destroy(one->skin);
    free(one->poses);
    free(one->rig_poses);
    free(one->driven);
    free(one->keys);
    free(one->numbers);
    free(one->vertices);
    *one = (struct scene_character){0};
}

static bool alloc_copy(struct scene_character *one) {
    const character *c = &one->form->is;
    const character_spec *spec = (const character_spec *)one->body->spec;
    const size_t bones = (size_t)c->bone_count;
    one->poses = calloc(bones, sizeof *one->poses);
    one->rig_poses = calloc(bones, sizeof *one->rig_poses);
    one->driven = calloc(bones, sizeof *one->driven);
    one->keys = calloc((size_t)c->muscle_count + 1, sizeof *one->keys);
    one->numbers = calloc((size_t)spec->muscle_keys.count + 1, sizeof *one->numbers);
    one->vertices = calloc((size_t)c->mesh.vertex_count + 1, sizeof *one->vertices);
    for (int m = 0; one->keys && m < c->muscle_count; m++)
        one->keys[m] = (sn_implicit_muscle_keys){-1, -1, -1}; // not set yet
    for (int i = 0; one->numbers && i < spec->muscle_keys.count; i++) one->numbers[i][0] = NAN;
    return one->poses && one->rig_poses && one->driven && one->keys && one->numbers && one->vertices;
}

// Muscles are created at rest, which is also the rest shape of bundles; then everything moves to the start of the
// scene.
static sn_status make_copy(sn_scene *scene, sn_world *world, struct scene_character *one) {
    const character *c = &one->form->is;
    tool_error error;
    if (!alloc_copy(one)) return SN_ERR_MEMORY;
    sn_status status = sn_implicit_skin_create(one->form->model, &one->skin);
    if (status != SN_OK) return status;
    character_rest(c, one->poses);
    for (int b = 0; b < c->bone_count; b++) one->poses[b] = placed(&one->at, one->poses[b]);
    sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
    def.poses = one->poses, def.bone_count = c->bone_count;
    def.bones = c->shapes, def.collider_count = c->collider_count;
    def.muscles = c->muscles, def.muscle_count = c->muscle_count;
    const character_spec *spec = (const character_spec *)one->body->spec;
    def.collide = spec->collide, def.surface = scene_surface(&spec->surface);
    if (character_bundles_count(one) > 0) def.surface.mask &= ~CHARACTER_RODS; // rods collide with their own bones
    const bool fitted = spec->file && !fields_has(spec, "cover"); // the pills of its bones reach to the skin
    def.cover = fitted ? 0 : (sn_real)(spec->cover * spec->body.scale);
    def.label = scene_label(one->body->index, one->copy);
    status = sn_implicit_muscles_create(world, &def, &one->id);
    if (status == SN_OK) status = sn_implicit_model_cover(one->form->model, world, one->id, one->form->bone_of);
    sn_vec3 *rest = NULL;
    memcpy(one->driven, one->poses, (size_t)c->bone_count * sizeof *one->driven);
    if (status == SN_OK && character_bundles_count(one) > 0) {
        status = sn_implicit_muscles_put(world, one->id, one->poses, c->bone_count);
        if (status == SN_WARN_DIVERGED) status = SN_OK;
        rest = character_axes(world, one);
        if (!rest) status = SN_ERR_MEMORY;
    }
    if (status == SN_OK && !pose_at(one, 0, &error)) {
        free(rest);
        return wrong(scene, one->body, "file", "its animation cannot be used: %s", error.text);
    }
    for (int b = 0; b < c->bone_count; b++) one->rig_poses[one->form->bone_of[b]] = one->poses[b];
    if (status == SN_OK) status = sn_implicit_skin_place(one->skin, one->rig_poses, SN_BLEND_DUAL);
    if (status == SN_OK) status = activate(scene, world, one, 0);
    if (status == SN_OK) status = drive_numbers(scene, world, one, 0);
    if (status == SN_OK) status = sn_implicit_muscles_put(world, one->id, one->poses, c->bone_count);
    if (status == SN_WARN_DIVERGED) status = SN_OK;
    if (status == SN_OK && rest) status = character_bundles_make(scene, world, one, rest, one->driven);
    free(rest);
    one->behind = true;
    if (status == SN_OK) status = follow(one, world);
    return status;
}

static void count_characters(sn_scene *scene) {
    scene->character_count = 0;
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        scene_body *body = &scene->bodies[i];
        if (!scene_character_of(body)) continue;
        body->first_own = scene->character_count;
        scene->character_count += body->copies;
    }
}

static sn_status build_character(sn_scene *scene, sn_world *world, scene_body *body) {
    if (!scene->characters) scene->characters = calloc((size_t)scene->character_count, sizeof *scene->characters);
    if (!scene->characters) return SN_ERR_MEMORY;
    sn_status status = form_of(scene, body);
    for (int copy = 0; copy < body->copies && status == SN_OK; copy++) {
        scene->building_copy = copy;
        struct scene_character *one = &scene->characters[body->first_own + copy];
        free_copy(one); // of an earlier world
        *one = (struct scene_character){.body = body, .form = body->form, .copy = copy};
        one->at = placement_of_copy(body->spec, scene->spec.seed, body->index, copy);
        scene->characters_made = body->first_own + copy + 1;
        status = make_copy(scene, world, one);
        scene->ids[body->first + copy] = one->id;
    }
    return status;
}

static void free_characters(sn_scene *scene) {
    for (int i = 0; scene->characters && i < scene->character_count; i++) free_copy(&scene->characters[i]);
    free(scene->characters);
    scene->characters = NULL, scene->characters_made = 0;
}

const scene_kind scene_character_kind = {.table = &scene_character_table,
                                         .one = "a character",
                                         .many = "characters",
                                         .check = check_character,
                                         .build = build_character,
                                         .check_all = count_characters,
                                         .drive = drive_characters,
                                         .free = free_characters,
                                         .free_form = free_form};

// --- reading ---

int scene_character_count(const sn_scene *scene) {
    return scene->characters_made;
}

const sn_mesh *scene_character_mesh(const sn_scene *scene, int i) {
    return &scene->characters[i].form->is.mesh;
}

const scene_body *scene_character_body(const sn_scene *scene, int i, int *copy) {
    *copy = scene->characters[i].copy;
    return scene->characters[i].body;
}

sn_body scene_character_muscles(const sn_scene *scene, int i) {
    return scene->characters[i].id;
}

int scene_character_muscle_count(const sn_scene *scene, int i) {
    return scene->characters[i].form->is.muscle_count;
}

const char *scene_character_muscle_name(const sn_scene *scene, int i, int muscle) {
    return scene->characters[i].form->is.muscle_names[muscle];
}

const sn_implicit_model *scene_character_model(const sn_scene *scene, int i, int *same_as) {
    *same_as = i;
    while (*same_as > 0 && scene->characters[*same_as - 1].form == scene->characters[i].form) --*same_as;
    return scene->characters[i].form->model;
}

const char *scene_character_bone_name(const sn_scene *scene, int i, int bone) {
    return scene->characters[i].form->is.bones[bone].name;
}

const int *scene_character_bones(const sn_scene *scene, int i, int *count) {
    *count = scene->characters[i].form->is.bone_count;
    return scene->characters[i].form->bone_of;
}

bool scene_character_vertices(const sn_scene *scene, const sn_world *world, int i, float (*out)[3]) {
    struct scene_character *one = &scene->characters[i];
    const sn_implicit_output to = {.positions = &one->vertices[0].x, .position_stride = sizeof *one->vertices};
    if (follow(one, world) != SN_OK || sn_implicit_skin_read(one->skin, &to) != SN_OK) return false;
    for (int v = 0; v < one->form->is.mesh.vertex_count; v++) {
        const sn_vec3 p = one->vertices[v];
        out[v][0] = (float)p.x, out[v][1] = (float)p.y, out[v][2] = (float)p.z;
    }
    return true;
}

void scene_character_tracked(const sn_scene *scene, int i, int *missed, int *contacts) {
    *missed = scene->characters[i].tracked.missed, *contacts = scene->characters[i].tracked.contacts;
}
