// Characters of scene files: checking an entry of kind "character", making its copies, moving them, and letting their
// skins follow. What copies share, the mesh and its rig, is made once when the world is built.
#include "io/scene_character.h"
#include "base/vec.h"
#include "io/character.h"
#include "io/file_text.h"
#include "io/placement.h"
#include "io/quote.h"
#include "io/scene_kinds.h"
#include "io/scene_shapes.h"
#include "skin/implicit_cover.h"
#include "skin/implicit_swept.h"
#include "world/world.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// What the copies of an entry share.
struct character_form {
    character is;
    sn_rig_model model;
    sn_implicit_rig *rig;
    sn_swept_system *rest; // its muscles where the skin was made over them
    int *shown;            // of each muscle: the bone of the rig
};

// A copy.
struct scene_character {
    const scene_body *body;
    struct character_form *form;
    sn_memory *memory;
    int copy;
    placement at;
    sn_muscles id;
    sn_implicit_state *state;
    sn_implicit_swept *swept;
    sn_implicit_cover *cover;
    const sn_swept_system *seen; // the system that 'swept' and 'cover' look at
    sn_bone_pose *poses, *rig_poses;
    sn_vec3 *skin;
    bool behind; // the skin has not followed the last step
    sn_implicit_report report;
};

const character_spec *scene_character_of(const scene_body *body) {
    return body->spec->head.type == &scene_character_type ? (const character_spec *)body->spec : NULL;
}

// --- checking ---

static bool check_motion(sn_scene *scene, const character_spec *spec, const json_path *path) {
    const json_path motion = {path, "motion", 0}, clip = {path, "clip", 0}, bend = {path, "bend", 0};
    char quoted[QUOTE_SIZE];
    const int before = scene->mistakes.count;
    if (spec->motion && !spec->zoo)
        mistake_at(&scene->mistakes, &motion, "goes with \"zoo\"; a file has clips: use \"clip\"");
    else if (spec->motion && zoo_motion_find(spec->motion) < 0)
        mistake_at(&scene->mistakes, &motion, "the zoo has no motion %s; it has jump, run, arm-shake and biceps-curl",
                   quote(spec->motion, quoted));
    if (spec->clip && !spec->file) mistake_at(&scene->mistakes, &clip, "goes with \"file\"");
    const double *axis = spec->bend.axis;
    if (spec->bend.head.type && (spec->motion || spec->clip))
        mistake_at(&scene->mistakes, &bend, "does not go with \"motion\" or \"clip\"");
    else if (spec->bend.head.type && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        mistake_at(&scene->mistakes, &bend, "\"axis\" must have a direction, is [0, 0, 0]");
    else if (spec->bend.head.type && spec->file && !spec->bend.bone)
        mistake_at(&scene->mistakes, &bend, "must name the \"bone\" of the file that is bent");
    return scene->mistakes.count == before;
}

static void check_muscles(sn_scene *scene, const character_spec *spec, const json_path *path) {
    const character_muscle_spec *muscles = spec->add_muscles.items;
    const json_path list = {path, "add_muscles", 0}, tracks = {path, "activation", 0};
    char quoted[QUOTE_SIZE];
    for (int i = 0; i < spec->add_muscles.count; ++i) {
        const json_path at = {&list, NULL, (size_t)i}, preset = {&at, "preset", 0};
        sn_swept_def def;
        const bool sized = record_given(&muscles[i], "volume"), wide = record_given(&muscles[i], "width");
        if (muscles[i].preset && !zoo_muscle_preset(muscles[i].preset, &def))
            mistake_at(&scene->mistakes, &preset,
                       "there is no muscle %s; biceps, triceps, deltoid, pectoral, gluteus, "
                       "quadriceps, hamstring, gastrocnemius and others are known",
                       quote(muscles[i].preset, quoted));
        if (sized && wide)
            mistake_at(&scene->mistakes, &at, "has both \"volume\" and \"width\"; one follows from the other");
        else if (!sized && !wide && !muscles[i].preset)
            mistake_at(&scene->mistakes, &at, "needs a \"volume\", a \"width\" or a \"preset\"");
    }
    const character_activation_spec *activation = spec->activation.items;
    for (int i = 0; i < spec->activation.count; ++i) {
        const json_path track = {&tracks, NULL, (size_t)i}, keys = {&track, "keys", 0};
        const character_key *key = activation[i].keys.items;
        for (int k = 1; k < activation[i].keys.count; ++k)
            if (!(key[k].at.t > key[k - 1].at.t)) {
                mistake_at(&scene->mistakes, &keys, "times must rise; key %d is at %g s, the one before at %g s", k,
                           key[k].at.t, key[k - 1].at.t);
                break;
            }
    }
}

int64_t scene_character_check(const scene_checker *checker, const body_spec *body) {
    const character_spec *spec = (const character_spec *)body;
    sn_scene *scene = checker->scene;
    const json_path zoo = {checker->path, "zoo", 0}, file = {checker->path, "file", 0};
    char quoted[QUOTE_SIZE], path[1024];
    checker->out->rods_per_copy = 0;
    if (!spec->zoo == !spec->file) {
        mistake_at(&scene->mistakes, checker->path, "needs exactly one of \"zoo\" and \"file\"");
        return 0;
    }
    if (spec->zoo && zoo_body_find(spec->zoo) < 0) {
        mistake_at(&scene->mistakes, &zoo, "the zoo has no character %s; it has body, limb and elbow",
                   quote(spec->zoo, quoted));
        return 0;
    }
    if (spec->file) {
        if (!scene_beside(scene, spec->file, path, sizeof path) || !file_text_there(path)) {
            mistake_at(&scene->mistakes, &file, "cannot open %s beside the scene", quote(spec->file, quoted));
            return 0;
        }
    }
    check_muscles(scene, spec, checker->path);
    scene_surface_check(&spec->surface, &scene->mistakes, checker->path);
    return check_motion(scene, spec, checker->path) ? 1 : 0;
}

bool scene_character_has_segment(const scene_body *body, int k) {
    (void)body, (void)k;
    return false;
}

// --- what copies share ---

// A mistake of an entry, or of a key of it (null: none).
__attribute__((format(printf, 4, 5))) static sn_status wrong(sn_scene *scene, const scene_body *body, const char *key,
                                                             const char *format, ...) {
    char text[400];
    va_list words;
    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    const json_path list = {NULL, "bodies", 0}, at = {&list, NULL, (size_t)body->index}, field = {&at, key, 0};
    mistake_at(&scene->mistakes, key && record_given(body->spec, key) ? &field : &at, "%s", text);
    return SN_ERR_DEF;
}

static sn_vec3 vector(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_muscle_def muscle_of(const character_muscle_spec *spec, double scale) {
    sn_muscle_def def = sn_muscle_def_default();
    sn_swept_def like;
    if (spec->preset && zoo_muscle_preset(spec->preset, &like)) {
        def.rest = (sn_muscle_shape){like.rest.alpha, like.rest.beta, like.rest.eccentricity};
        def.active = (sn_muscle_shape){like.active.alpha, like.active.beta, like.active.eccentricity};
        def.volume = like.volume, def.hertz = like.hertz, def.tendon = like.tendon;
    }
    if (spec->alpha) def.rest.alpha = spec->alpha;
    if (spec->beta) def.rest.beta = spec->beta;
    if (spec->active_alpha) def.active.alpha = spec->active_alpha;
    if (spec->active_beta) def.active.beta = spec->active_beta;
    if (record_given(spec, "eccentricity"))
        def.rest.eccentricity = def.active.eccentricity = (sn_real)spec->eccentricity;
    if (record_given(spec, "active_eccentricity")) def.active.eccentricity = (sn_real)spec->active_eccentricity;
    if (record_given(spec, "volume")) def.volume = (sn_real)spec->volume;
    if (record_given(spec, "hertz")) def.hertz = (sn_real)spec->hertz;
    if (record_given(spec, "damping")) def.damping = (sn_real)spec->damping;
    if (record_given(spec, "tendon")) def.tendon = (sn_real)spec->tendon;
    if (record_given(spec, "friction")) def.friction = (sn_real)spec->friction;
    if (spec->points) def.points = spec->points;
    def.volume *= (sn_real)(scale * scale * scale);
    def.group = spec->group;
    def.end[0] = sn_mul((sn_real)scale, vector(spec->origin.at));
    def.end[1] = sn_mul((sn_real)scale, vector(spec->insertion.at));
    def.via = sn_mul((sn_real)scale, vector(spec->via)), def.bowed = record_given(spec, "via");
    def.normal[0] = def.normal[1] = vector(spec->normal);
    return def;
}

// Names of bones, for messages.
static const char *bones_of(const character *c, char *out, size_t capacity) {
    size_t used = 0;
    out[0] = 0;
    for (int b = 0; b < c->bone_count && used + 1 < capacity; ++b)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", b ? ", " : "", c->bones[b].name);
    return out;
}

static sn_status add_muscles(sn_scene *scene, const scene_body *body, character *c) {
    const character_spec *spec = (const character_spec *)body->spec;
    const character_muscle_spec *muscles = spec->add_muscles.items;
    char why[256], names[200], quoted[QUOTE_SIZE];
    for (int i = 0; i < spec->add_muscles.count; ++i) {
        const character_muscle_spec *own = &muscles[i];
        sn_muscle_def def = muscle_of(own, spec->body.scale);
        def.bone[0] = character_bone(c, own->origin.bone), def.bone[1] = character_bone(c, own->insertion.bone);
        for (int k = 0; k < 2; ++k)
            if (def.bone[k] < 0)
                return wrong(scene, body, "add_muscles", "add_muscles[%d]: there is no bone %s; there are %s", i,
                             quote(k ? own->insertion.bone : own->origin.bone, quoted),
                             bones_of(c, names, sizeof names));
        if (!character_add_muscle(c, own->name, &def, own->width * spec->body.scale, why))
            return wrong(scene, body, "add_muscles", "add_muscles[%d]: %s", i, why);
    }
    for (int m = 0; m < c->muscle_count; ++m) {
        sn_muscle_def *def = &c->muscles[m];
        def->touch_bones = def->touch_bones && spec->collide;
        def->hertz *= (sn_real)spec->jiggle;
        if (spec->points) def->points = spec->points;
    }
    const character_activation_spec *tracks = spec->activation.items;
    for (int i = 0; i < spec->activation.count; ++i) {
        bool found = false;
        for (int m = 0; m < c->muscle_count; ++m)
            found = found || strncmp(c->muscle_names[m], tracks[i].muscle, strlen(tracks[i].muscle)) == 0;
        if (!found)
            return wrong(scene, body, "activation", "activation[%d]: it has no muscle whose name begins with %s", i,
                         quote(tracks[i].muscle, quoted));
    }
    return SN_OK;
}

static sn_status find_motion(sn_scene *scene, const scene_body *body, character *c) {
    const character_spec *spec = (const character_spec *)body->spec;
    char quoted[QUOTE_SIZE], names[200];
    if (spec->motion) {
        c->motion = zoo_motion_find(spec->motion);
        if (!zoo_motion_suits(&c->zoo, (zoo_motion)c->motion))
            return wrong(scene, body, "motion", "%s does not suit \"%s\", which has not what it moves",
                         quote(spec->motion, quoted), spec->zoo);
    }
    for (int i = 0; spec->clip && i < c->file.clip_count && !c->clip; ++i)
        if (strcmp(c->file.clip[i].name, spec->clip) == 0) c->clip = &c->file.clip[i];
    if (spec->clip && !c->clip)
        return wrong(scene, body, "clip", "the file has no clip %s%s%s%s", quote(spec->clip, quoted),
                     c->file.clip_count ? "; its first is \"" : ", nor any other",
                     c->file.clip_count ? c->file.clip[0].name : "", c->file.clip_count ? "\"" : "");
    if (!spec->clip && !spec->bend.head.type && c->file.clip_count > 0) c->clip = &c->file.clip[0];
    if (!spec->bend.head.type) return SN_OK;
    c->bend = (character_bend){-1, vector(spec->bend.axis), spec->bend.degrees, spec->bend.seconds, spec->bend.hold};
    if (spec->bend.bone) c->bend.bone = character_bone(c, spec->bend.bone);
    for (int b = 0; !spec->bend.bone && b < c->bone_count && c->bend.bone < 0; ++b)
        if (c->bones[b].kind == SN_FOLD_ELBOW) c->bend.bone = b;
    if (c->bend.bone >= 0) return SN_OK;
    return wrong(scene, body, "bend", "there is no bone %s; there are %s",
                 quote(spec->bend.bone ? spec->bend.bone : "", quoted), bones_of(c, names, sizeof names));
}

static void free_form(struct character_form *form) {
    if (!form) return;
    sn_swept_system_destroy(form->rest);
    sn_implicit_rig_destroy(form->rig);
    sn_rig_free(&form->model);
    character_free(&form->is);
    free(form->shown);
    free(form);
}

static sn_status make_form(sn_scene *scene, const scene_body *body, struct character_form *form) {
    const character_spec *spec = (const character_spec *)body->spec;
    character *c = &form->is;
    char why[256] = "", path[1024];
    if (spec->zoo) {
        if (!character_from_zoo((zoo_body_kind)zoo_body_find(spec->zoo), spec->vertices, spec->body.scale, c, why))
            return wrong(scene, body, spec->vertices ? "vertices" : "zoo", "%s", why);
        if (!spec->muscles) c->muscle_count = c->own_muscles = 0;
    } else if (!scene_beside(scene, spec->file, path, sizeof path) ||
               !character_from_file(path, spec->body.scale, c, why)) {
        return wrong(scene, body, "file", "cannot be a character: %s", why);
    }
    sn_status status = add_muscles(scene, body, c);
    if (status == SN_OK) status = find_motion(scene, body, c);
    if (status != SN_OK) return status;
    const sn_log log = {scene->log, scene->log_user};
    status = character_system(c, &scene->memory, &log, &form->rest);
    if (status != SN_OK) return wrong(scene, body, NULL, "its muscles cannot be made: %s", sn_status_name(status));
    if (!character_rig(c, &scene->memory, &log, form->rest, &form->model, &form->rig, why))
        status = wrong(scene, body, spec->file ? "file" : "zoo", "cannot get an implicit skin: %s", why);
    form->shown = calloc((size_t)c->muscle_count + 1, sizeof *form->shown);
    if (!form->shown) return SN_ERR_MEMORY;
    for (int m = 0; status == SN_OK && m < c->muscle_count; ++m) form->shown[m] = form->model.bone_of[c->shown[m]];
    return status;
}

static sn_status form_of(sn_scene *scene, scene_body *body) {
    if (body->character) return SN_OK;
    struct character_form *form = calloc(1, sizeof *form);
    if (!form) return SN_ERR_MEMORY;
    const sn_status status = make_form(scene, body, form);
    if (status == SN_OK)
        body->character = form;
    else
        free_form(form);
    return status;
}

// --- moving ---

static double value_at(const character_activation_spec *track, double t) {
    const character_key *keys = track->keys.items;
    const int last = track->keys.count - 1;
    int i = 0;
    while (i < last && keys[i + 1].at.t <= t) ++i;
    if (t <= keys[i].at.t || i == last) return keys[i].value;
    const double x = (t - keys[i].at.t) / (keys[i + 1].at.t - keys[i].at.t);
    return keys[i].value + x * (keys[i + 1].value - keys[i].value);
}

static sn_status activate(sn_world *world, const struct scene_character *one, double t) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const character *c = &one->form->is;
    const character_activation_spec *tracks = spec->activation.items;
    sn_status worst = SN_OK;
    for (int m = 0; m < c->muscle_count; ++m) {
        double value = character_activation(c, (t - spec->start) * spec->speed, spec->loop, m);
        for (int i = 0; i < spec->activation.count; ++i)
            if (strncmp(c->muscle_names[m], tracks[i].muscle, strlen(tracks[i].muscle)) == 0)
                value = value_at(&tracks[i], t);
        const sn_muscle_keys keys = {(sn_real)fmin(fmax(value, 0), 1), (sn_real)spec->bulge, -1};
        const sn_status status = sn_muscles_set_keys(world, one->id, m, &keys);
        if (status != SN_OK) worst = status;
    }
    return worst;
}

static sn_bone_pose placed(const placement *at, sn_bone_pose pose) {
    const sn_quat turn = {(sn_real)at->turn[0], (sn_real)at->turn[1], (sn_real)at->turn[2], (sn_real)at->turn[3]};
    return (sn_bone_pose){sn_add(vector(at->position), sn_q_rotate(turn, pose.position)),
                          sn_q_normalize(sn_q_mul(turn, pose.rotation))};
}

// Where the bones are at a time, in the world.
static bool pose_at(struct scene_character *one, double t, char why[256]) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const bool good = character_pose(&one->form->is, (t - spec->start) * spec->speed, spec->loop, one->poses, why);
    for (int b = 0; b < one->form->is.bone_count; ++b) one->poses[b] = placed(&one->at, one->poses[b]);
    return good;
}

// Shows the muscles of a system to the skin, and keeps them under it.
static sn_status see(struct scene_character *one, sn_swept_system *system) {
    const struct character_form *form = one->form;
    sn_implicit_swept_destroy(one->swept);
    sn_implicit_cover_destroy(one->cover);
    one->swept = NULL, one->cover = NULL;
    const sn_status status = sn_implicit_swept_create(one->memory, system, form->shown, &one->swept);
    if (status != SN_OK) return status;
    return sn_implicit_cover_create(one->memory, form->rig, form->rest, form->shown, form->model.bone_of, system,
                                    &one->cover);
}

// Lets the skin go to where the bones and muscles are.
static sn_status follow(struct scene_character *one, const sn_world *world) {
    const character_spec *spec = (const character_spec *)one->body->spec;
    const struct character_form *form = one->form;
    const sn_muscles_item *item = sn_muscles_find(sn_world_muscles(world), one->id);
    if (!one->behind || !item) return SN_OK;
    one->behind = false;
    for (int b = 0; b < form->is.bone_count; ++b) one->rig_poses[form->model.bone_of[b]] = item->to[b];
    if (spec->skin != CHARACTER_IMPLICIT) {
        const sn_status status = sn_implicit_place(one->state, one->rig_poses,
                                                   spec->skin == CHARACTER_DUAL ? SN_START_DUAL : SN_START_LINEAR);
        if (status == SN_OK) sn_implicit_points(one->state, one->skin);
        return status;
    }
    const sn_implicit_muscles *muscles = NULL;
    if (form->is.muscle_count > 0) {
        if (one->seen != item->system) { // it is made anew when a muscle is changed
            one->seen = NULL;
            const sn_status made = see(one, item->system);
            if (made != SN_OK) return made;
            one->seen = item->system;
        }
        muscles = sn_implicit_swept_now(one->swept, one->rig_poses, form->is.bone_count);
    }
    return sn_implicit_track(one->state, one->rig_poses, muscles, NULL, world->pool, one->skin, &one->report);
}

sn_status scene_characters_drive(sn_scene *scene, sn_world *world, double t) {
    sn_status worst = SN_OK;
    // Calls that are kept for later are made without steps in between, and do not know characters.
    if (scene->keep_calls) return SN_OK;
    for (int i = 0; i < scene->characters_made; ++i) {
        struct scene_character *one = &scene->characters[i];
        char why[256];
        sn_status status = follow(one, world);
        if (status == SN_OK && !pose_at(one, t, why)) {
            if (scene->log) scene->log(scene->log_user, SN_LOG_ERROR, SN_ERR_RANGE, "", why);
            status = SN_ERR_RANGE;
        }
        if (status == SN_OK) status = activate(world, one, t);
        if (status == SN_OK) status = sn_muscles_move(world, one->id, one->poses, one->form->is.bone_count);
        one->behind = true;
        if (status != SN_OK) worst = status;
    }
    return worst;
}

// --- building ---

static void free_copy(struct scene_character *one) {
    sn_implicit_swept_destroy(one->swept);
    sn_implicit_cover_destroy(one->cover);
    sn_implicit_state_destroy(one->state);
    free(one->poses);
    free(one->rig_poses);
    free(one->skin);
    *one = (struct scene_character){0};
}

static sn_status make_copy(sn_scene *scene, sn_world *world, struct scene_character *one) {
    const character *c = &one->form->is;
    const size_t bones = (size_t)c->bone_count;
    char why[256];
    one->poses = calloc(bones, sizeof *one->poses);
    one->rig_poses = calloc(bones, sizeof *one->rig_poses);
    one->skin = calloc((size_t)sn_implicit_count(one->form->rig) + 1, sizeof *one->skin);
    if (!one->poses || !one->rig_poses || !one->skin) return SN_ERR_MEMORY;
    sn_status status = sn_implicit_state_create(&scene->memory, one->form->rig, &one->state);
    if (status != SN_OK) return status;
    character_rest(c, one->poses);
    for (int b = 0; b < c->bone_count; ++b) one->poses[b] = placed(&one->at, one->poses[b]);
    sn_muscles_def def = sn_muscles_def_default();
    def.poses = one->poses, def.bone_count = c->bone_count;
    def.bones = c->shapes, def.shape_count = c->shape_count;
    def.muscles = c->muscles, def.muscle_count = c->muscle_count;
    const character_spec *spec = (const character_spec *)one->body->spec;
    def.touches = spec->touches, def.surface = scene_surface(&spec->surface);
    def.cover = (sn_real)(spec->cover * spec->body.scale);
    def.label = scene_label(one->body->index, one->copy);
    status = sn_muscles_create(world, &def, &one->id);
    const sn_muscles_item *item = status == SN_OK ? sn_muscles_find(sn_world_muscles(world), one->id) : NULL;
    if (item && c->muscle_count > 0) {
        status = see(one, item->system);
        if (status == SN_OK) one->seen = item->system;
    }
    if (status == SN_OK && !pose_at(one, 0, why)) return wrong(scene, one->body, "file", "cannot be followed: %s", why);
    for (int b = 0; b < c->bone_count; ++b) one->rig_poses[one->form->model.bone_of[b]] = one->poses[b];
    if (status == SN_OK) status = sn_implicit_place(one->state, one->rig_poses, SN_START_DUAL);
    if (status == SN_OK) status = activate(world, one, 0);
    if (status == SN_OK) status = sn_muscles_put(world, one->id, one->poses, c->bone_count);
    one->behind = true;
    if (status == SN_OK || status == SN_WARN_DIVERGED) status = follow(one, world);
    return status;
}

sn_status scene_character_build(sn_scene *scene, sn_world *world, scene_body *body) {
    if (scene->no_characters) return SN_OK;
    sn_status status = form_of(scene, body);
    for (int copy = 0; copy < body->copies && status == SN_OK; ++copy) {
        scene->building_copy = copy;
        struct scene_character *one = &scene->characters[body->first_character + copy];
        free_copy(one); // of a world before
        *one = (struct scene_character){.body = body, .form = body->character, .memory = &scene->memory, .copy = copy};
        one->at = placement_of_copy(body->spec, scene->spec.seed, body->index, copy);
        scene->characters_made = body->first_character + copy + 1;
        status = make_copy(scene, world, one);
    }
    return status;
}

bool scene_characters_room(sn_scene *scene) {
    if (scene->characters || scene->character_count == 0) return true;
    scene->characters = calloc((size_t)scene->character_count, sizeof *scene->characters);
    return scene->characters != NULL;
}

void scene_characters_free(sn_scene *scene) {
    for (int i = 0; scene->characters && i < scene->character_count; ++i) free_copy(&scene->characters[i]);
    free(scene->characters);
    scene->characters = NULL, scene->characters_made = 0;
    for (int i = 0; scene->bodies && i < scene->spec.bodies.count; ++i) {
        free_form(scene->bodies[i].character);
        scene->bodies[i].character = NULL;
    }
}

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

sn_muscles scene_character_muscles(const sn_scene *scene, int i) {
    return scene->characters[i].id;
}

bool scene_character_vertices(const sn_scene *scene, const sn_world *world, int i, float (*out)[3]) {
    struct scene_character *one = &scene->characters[i];
    if (follow(one, world) != SN_OK) return false;
    const int *place = one->form->model.place;
    for (int v = 0; v < one->form->is.mesh.vertex_count; ++v) {
        const sn_vec3 p = one->skin[place[v]];
        out[v][0] = (float)p.x, out[v][1] = (float)p.y, out[v][2] = (float)p.z;
    }
    return true;
}

void scene_character_tracked(const sn_scene *scene, int i, int *missed, int *touching) {
    *missed = scene->characters[i].report.missed, *touching = scene->characters[i].report.touching;
}
