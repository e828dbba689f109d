// See character_check.h.
//
// Poses of the check: every joint that has skin on both sides is bent alone, to both sides about the two axes of the
// model that are most across its bone, by 110 degrees at hinges and 70 elsewhere; and eight times all joints are bent at
// once, by up to 60 degrees about axes from a fixed sequence of numbers. The skin goes there from rest in steps of 10
// degrees, and is measured half way and at the end.
#include "scene/character_check.h"
#include "base/math/vec.h"
#include "mesh/maths.h"
#include "scene/character.h"
#include "scene/scene_character.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CROWDS = 8, HELD = 12 };

typedef struct {
    sn_implicit_model *model;
    const sn_implicit_asset *asset;
    sn_implicit_skin *skin, *plain; // tracked; and placed by plain skinning
    skin_gauge gauge;
    sn_vec3 *points, *before;
    sn_transform *rest, *poses; // of the model's bones
    skin_report *report;
} work;

static void end(work *w) {
    sn_implicit_skin_destroy(w->skin);
    sn_implicit_skin_destroy(w->plain);
    skin_gauge_free(&w->gauge);
    free(w->points);
    free(w->before);
    free(w->rest);
    free(w->poses);
}

static bool begin(work *w, const sn_implicit_model *model, skin_report *report, tool_error *error) {
    *w = (work){.model = (sn_implicit_model *)(uintptr_t)model, .asset = sn_implicit_model_asset(model)};
    *report = (skin_report){.vertices = w->asset->vertex_count};
    w->report = report;
    if (!skin_gauge_make(w->asset, &w->gauge, error)) return false;
    w->points = malloc((size_t)w->asset->vertex_count * sizeof *w->points);
    w->before = malloc((size_t)w->asset->vertex_count * sizeof *w->before);
    w->rest = malloc((size_t)w->asset->bone_count * sizeof *w->rest);
    w->poses = malloc((size_t)w->asset->bone_count * sizeof *w->poses);
    if (!w->points || !w->before || !w->rest || !w->poses || sn_implicit_skin_create(w->model, &w->skin) != SN_OK ||
        sn_implicit_skin_create(w->model, &w->plain) != SN_OK)
        return tool_error_out_of_memory(error);
    for (int b = 0; b < w->asset->bone_count; b++) w->rest[b] = w->asset->bones[b].rest;
    return true;
}

static sn_implicit_output into(sn_vec3 *points) {
    return (sn_implicit_output){.positions = &points->x, .position_stride = sizeof *points};
}

static bool add(work *w, skin_kind kind) {
    skin_reading reading;
    skin_score *score = &w->report->score[kind];
    if (!skin_gauge_read(&w->gauge, w->points, &reading)) return false;
    const double volume = fabs(reading.volume);
    score->crossings += (double)reading.crossings, score->stretched += reading.stretched;
    score->squeezed += reading.squeezed, score->volume += volume;
    score->worst_volume = fmax(score->worst_volume, volume);
    if (reading.crossings > score->max_crossings) score->max_crossings = reading.crossings;
    if (reading.stretched > score->max_stretched) score->max_stretched = reading.stretched;
    return true;
}

// Measures the tracked skin, and both plain skins in the same poses.
static bool measure(work *w, const sn_transform *poses) {
    const sn_implicit_output out = into(w->points);
    if (sn_implicit_skin_read(w->skin, &out) != SN_OK || !add(w, SKIN_IMPLICIT)) return false;
    for (int kind = SKIN_LINEAR; kind <= SKIN_DUAL; kind++)
        if (sn_implicit_skin_place(w->plain, poses, kind == SKIN_DUAL ? SN_BLEND_DUAL : SN_BLEND_LINEAR) != SN_OK ||
            sn_implicit_skin_read(w->plain, &out) != SN_OK || !add(w, (skin_kind)kind))
            return false;
    w->report->frames++;
    return true;
}

static void finish(work *w) {
    for (int kind = 0; kind < SKIN_KINDS; kind++) {
        skin_score *score = &w->report->score[kind];
        const double frames = fmax(1, w->report->frames);
        score->crossings /= frames, score->stretched /= frames, score->squeezed /= frames, score->volume /= frames;
    }
}

static double farthest(const work *w, const sn_vec3 *a, const sn_vec3 *b) {
    double max = 0;
    for (int v = 0; v < w->asset->vertex_count; v++) max = fmax(max, (double)sn_length(sn_sub(a[v], b[v])));
    return max / w->gauge.size;
}

static bool track(work *w, const sn_transform *poses, sn_vec3 *points) {
    const sn_implicit_output out = into(points);
    return sn_implicit_skin_update(w->skin, NULL, (sn_body){0}, poses, &out, NULL) == SN_OK;
}

static bool place(work *w, const sn_transform *poses) {
    return sn_implicit_skin_place(w->skin, poses, SN_BLEND_DUAL) == SN_OK;
}

static bool measure_bind(work *w) {
    if (!place(w, w->rest) || !track(w, w->rest, w->points) || !track(w, w->rest, w->points)) return false;
    w->report->bind = farthest(w, w->points, w->asset->vertices);
    return true;
}

// How far the skin still moves after the first frame in a pose that it has been put in.
static bool measure_settling(work *w, const sn_transform *poses) {
    if (!place(w, poses) || !track(w, poses, w->before)) return false;
    for (int i = 0; i < HELD; i++) {
        if (!track(w, poses, w->points)) return false;
        w->report->unsettled = fmax(w->report->unsettled, farthest(w, w->points, w->before));
    }
    return true;
}

// --- poses ---

typedef struct {
    sn_vec3 axis;
    double degrees;
} joint_bend;

// Turns bones about their joints, in the axes of the model at rest, and their descendants with them.
static void bend(const work *w, const joint_bend *bends, double part, sn_transform *out) {
    for (int b = 0; b < w->asset->bone_count; b++) {
        const int parent = w->asset->bones[b].parent;
        const double half = part * bends[b].degrees * (3.14159265358979323846 / 360);
        const sn_vec3 axis = sn_mul((sn_real)own_sin(half), bends[b].axis);
        const sn_quat rotation = {axis.x, axis.y, axis.z, (sn_real)own_cos(half)};
        const sn_transform *rest = &w->rest[b];
        sn_quat over = {0, 0, 0, 1}; // the motion of the parent
        out[b].position = rest->position;
        if (parent >= 0) {
            over = sn_q_mul(out[parent].rotation, sn_q_conj(w->rest[parent].rotation));
            const sn_vec3 offset = sn_sub(rest->position, w->rest[parent].position);
            out[b].position = sn_add(out[parent].position, sn_q_rotate(over, offset));
        }
        out[b].rotation = sn_q_normalize(sn_q_mul(sn_q_mul(over, rotation), rest->rotation));
    }
}

static bool go(work *w, const joint_bend *bends, double degrees) {
    const int steps = 2 * (int)ceil(degrees / 20);
    if (!place(w, w->rest)) return false;
    for (int i = 1; i <= steps; i++) {
        bend(w, bends, (double)i / steps, w->poses);
        if (!track(w, w->poses, w->points)) return false;
        if ((i == steps / 2 || i == steps) && !measure(w, w->poses)) return false;
    }
    return true;
}

// The bone whose skin meets the skin of a bone at its joint; -1: none.
static int skin_above(const work *w, int bone) {
    do bone = w->asset->bones[bone].parent;
    while (bone >= 0 && w->asset->bones[bone].centre_count == 0);
    return bone;
}

// The direction of a bone, to the middle of its skin.
static sn_vec3 direction(const work *w, int bone) {
    const sn_implicit_bone *b = &w->asset->bones[bone];
    return sn_q_rotate(b->rest.rotation, sn_lerp(b->low, b->high, (sn_real)0.5));
}

static bool bend_joints(work *w, joint_bend *bends) {
    for (int b = 0; b < w->asset->bone_count; b++) {
        if (w->asset->bones[b].centre_count == 0 || skin_above(w, b) < 0) continue;
        const double degrees = w->asset->bones[b].kind == SN_FOLD_UNION ? 70 : 110;
        const sn_vec3 along = direction(w, b);
        const double size[3] = {fabs((double)along.x), fabs((double)along.y), fabs((double)along.z)};
        const int along_axis = size[0] > size[1] ? (size[0] > size[2] ? 0 : 2) : (size[1] > size[2] ? 1 : 2);
        for (int i = 0; i < 4; i++) {
            const int axis = (along_axis + 1 + i / 2) % 3;
            bends[b] = (joint_bend){sn_v3(axis == 0, axis == 1, axis == 2), i % 2 ? -degrees : degrees};
            if (!go(w, bends, degrees)) return false;
        }
        bends[b] = (joint_bend){{1, 0, 0}, 0};
    }
    return true;
}

static double next_number(uint64_t *state) { // -1 to 1
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (double)(1 << 23) - 1;
}

static bool bend_all(work *w, joint_bend *bends) {
    uint64_t numbers = 12345;
    for (int i = 0; i < CROWDS; i++) {
        for (int b = 0; b < w->asset->bone_count; b++) {
            const double x = next_number(&numbers), y = next_number(&numbers), z = next_number(&numbers);
            const bool joint = w->asset->bones[b].centre_count > 0 && skin_above(w, b) >= 0;
            bends[b].axis = sn_normalize(sn_v3((sn_real)x, (sn_real)y, (sn_real)z), sn_v3(1, 0, 0));
            bends[b].degrees = joint ? 60 * next_number(&numbers) : 0;
        }
        if (!go(w, bends, 60) || !measure_settling(w, w->poses)) return false;
    }
    return true;
}

static bool measure_poses(work *w) {
    joint_bend *bends = calloc((size_t)w->asset->bone_count, sizeof *bends);
    const bool good = bends && bend_joints(w, bends) && bend_all(w, bends);
    free(bends);
    return good;
}

// --- characters ---

static bool measure_clip(work *w, character *c, const int *bone_of, double fps, tool_error *error) {
    const int frames = 1 + (int)floor(c->clip->duration * fps * (1 - 1e-9));
    sn_transform *poses = malloc((size_t)c->bone_count * sizeof *poses);
    bool good = poses || tool_error_out_of_memory(error);
    for (int i = 0; i < frames && good; i++) {
        good = character_pose(c, i / fps, false, poses, error);
        for (int b = 0; good && b < c->bone_count; b++) w->poses[bone_of[b]] = poses[b];
        good = good && ((i > 0 || (measure_settling(w, w->poses) && place(w, w->poses))) &&
                                track(w, w->poses, w->points) && measure(w, w->poses)
                            ? true
                            : tool_error_set(error, "its skin cannot be tracked"));
    }
    free(poses);
    return good;
}

bool skin_check_rig(const char *path, const file_source *files, const skin_check_options *options, skin_report *out,
                    tool_error *error) {
    character c;
    sn_implicit_model *model = NULL;
    int *bone_of = NULL;
    work w = {0};
    if (!character_from_file(path, files, 1, &c, error)) return false;
    bool good = character_model(&c, NULL, NULL, &model, &bone_of, error) && begin(&w, model, out, error);
    if (good && !measure_bind(&w)) good = tool_error_set(error, "its skin cannot be tracked");
    for (int i = 0; good && options->clips && i < c.file.clip_count; i++) {
        c.clip = &c.file.clip[i];
        good = measure_clip(&w, &c, bone_of, options->fps, error);
    }
    if (good && options->poses && !measure_poses(&w)) good = tool_error_set(error, "its skin cannot be tracked");
    if (good) finish(&w);
    end(&w);
    sn_implicit_model_destroy(model);
    free(bone_of);
    character_free(&c);
    return good;
}

// Steps a scene, and measures its first character after every step.
static bool run(work *w, sn_scene *scene, sn_world *world, tool_error *error) {
    const double step = scene->spec.step;
    const int64_t steps = scene_step_count(scene, scene->spec.duration);
    const sn_mesh *mesh = scene_character_mesh(scene, 0);
    float(*places)[3] = malloc((size_t)mesh->vertex_count * sizeof *places);
    int bones;
    const int *bone_of = scene_character_bones(scene, 0, &bones);
    sn_transform *poses = malloc((size_t)bones * sizeof *poses);
    bool good = (places && poses) || tool_error_out_of_memory(error);
    for (int64_t i = 0; i < steps && good; i++) {
        sn_status status = scene_drive(scene, world, (double)i * step, step);
        if (status == SN_OK) status = sn_world_step(world, (sn_real)step, 1);
        good = (status == SN_OK || status == SN_WARN_DIVERGED) && scene_character_vertices(scene, world, 0, places) &&
               sn_implicit_muscles_get_poses(world, scene_character_muscles(scene, 0), poses, bones) == bones;
        if (!good) return tool_error_set(error, "step %lld failed: %s", (long long)i, sn_status_name(status));
        for (int v = 0; v < mesh->vertex_count; v++)
            w->points[v] = sn_v3((sn_real)places[v][0], (sn_real)places[v][1], (sn_real)places[v][2]);
        for (int b = 0; b < bones; b++) w->poses[bone_of[b]] = poses[b];
        good = add(w, SKIN_IMPLICIT);
        const sn_implicit_output out = into(w->points);
        for (int kind = SKIN_LINEAR; good && kind <= SKIN_DUAL; kind++)
            good = sn_implicit_skin_place(w->plain, w->poses, kind == SKIN_DUAL ? SN_BLEND_DUAL : SN_BLEND_LINEAR) ==
                       SN_OK &&
                   sn_implicit_skin_read(w->plain, &out) == SN_OK && add(w, (skin_kind)kind);
        if (!good) tool_error_out_of_memory(error);
        w->report->frames++;
    }
    free(places);
    free(poses);
    return good;
}

bool skin_check_scene(sn_scene *scene, skin_report *out, tool_error *error) {
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    int same;
    work w = {0};
    if (scene_build(scene, &def, &world) != SN_OK) return tool_error_set(error, "it cannot be built");
    bool good = scene_character_count(scene) > 0 || tool_error_set(error, "it has no character");
    good = good && begin(&w, scene_character_model(scene, 0, &same), out, error) && run(&w, scene, world, error);
    if (good) finish(&w);
    end(&w);
    sn_world_destroy(world);
    return good;
}

// --- verdict ---

void skin_check_verdict(const skin_report *report, char *out, size_t capacity) {
    const skin_score *ours = &report->score[SKIN_IMPLICIT], *dual = &report->score[SKIN_DUAL];
    const struct {
        const char *name;
        double is, may;
    } all[] = {{"crossings", ours->crossings, dual->crossings},
               {"stretched", ours->stretched, dual->stretched},
               {"squeezed", ours->squeezed, dual->squeezed},
               {"volume", ours->volume, dual->volume + 0.001},
               {"bind pose", report->bind, 1e-6},
               {"first frame", report->unsettled, 1e-3}};
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && used < capacity; i++)
        if (!(all[i].is <= all[i].may))
            used += (size_t)snprintf(out + used, capacity - used, "%s%s", used ? ", " : "", all[i].name);
}
