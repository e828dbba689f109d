// Characters from the zoo and from files; see character.h.
//
// The skin of a file places vertices at M_j x, with M = world matrix of the joint times its inverse bind matrix. Many
// files have a scale in these matrices (models in centimetres). A scale that all joints share is moved into the mesh,
// x' = (M / f)(f x), which makes the bones rigid. Anything else is refused, because the fields of bones are rigid.
#include "scene/character.h"
#include "base/math/vec.h"
#include "formats/mesh_pose.h"
#include "kinds/implicit_muscle/implicit_muscle.h"
#include "mesh/error.h"
#include "mesh/maths.h"
#include "scene/character_flesh.h"
#include "skin/implicit/implicit_muscles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void character_free(character *c) {
    free(c->bones);
    free(c->shapes);
    free(c->muscles);
    free(c->muscle_names);
    free(c->shown);
    free(c->world);
    sn_mesh_free(&c->mesh);
    zoo_body_free(&c->zoo);
    mesh_file_free(&c->file);
    *c = (character){0};
}

static void *alloc_array(size_t count, size_t size) {
    return calloc(count + 1, size);
}

static void scale_mesh(sn_mesh *mesh, double by) {
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) mesh->position[v][k] = (float)(by * (double)mesh->position[v][k]);
}

static sn_vec3 scaled(sn_vec3 v, double by) {
    return sn_mul((sn_real)by, v);
}

// --- from the zoo ---

static sn_implicit_muscle_def muscle_of(const sn_implicit_muscle_def *from, double s) {
    sn_implicit_muscle_def out = *from;
    for (int k = 0; k < 2; k++) out.end[k] = scaled(from->end[k], s);
    out.via = scaled(from->via, s);
    out.volume = (sn_real)(s * s * s) * from->volume;
    return out;
}

static bool reserve_muscles(character *c, int count) {
    sn_implicit_muscle_def *muscles = realloc(c->muscles, ((size_t)count + 1) * sizeof *muscles);
    if (muscles) c->muscles = muscles;
    char(*names)[ZOO_NAME_SIZE] = realloc(c->muscle_names, ((size_t)count + 1) * sizeof *names);
    if (names) c->muscle_names = names;
    int *shown = realloc(c->shown, ((size_t)count + 1) * sizeof *shown);
    if (shown) c->shown = shown;
    return muscles && names && shown;
}

bool character_from_zoo(zoo_body_kind kind, int vertices, double scale, character *out, tool_error *error) {
    *out = (character){.motion = -1, .scale = scale, .bend = {.bone = -1}};
    if (vertices && (vertices < zoo_body_min_vertices(kind) || vertices > ZOO_BODY_MAX_VERTICES))
        return tool_error_set(error, "\"%s\" can have %d to %d vertices", zoo_body_name(kind),
                              zoo_body_min_vertices(kind), ZOO_BODY_MAX_VERTICES);
    if (!zoo_body_make(kind, vertices, &out->zoo)) return tool_error_out_of_memory(error);
    const zoo_body *body = &out->zoo;
    out->bones = alloc_array((size_t)body->bone_count, sizeof *out->bones);
    out->shapes = alloc_array((size_t)body->collider_count, sizeof *out->shapes);
    if (!out->bones || !out->shapes || !reserve_muscles(out, body->muscle_count)) {
        character_free(out);
        return tool_error_out_of_memory(error);
    }
    out->mesh = out->zoo.mesh;
    out->zoo.mesh = (sn_mesh){0};
    scale_mesh(&out->mesh, scale);
    out->bone_count = body->bone_count;
    for (int b = 0; b < body->bone_count; b++) {
        const zoo_joint *from = &body->bones[b];
        sn_rig_bone *to = &out->bones[b];
        const double *at = from->joint;
        to->parent = from->parent;
        to->kind = from->hinge ? SN_FOLD_ELBOW : sn_rig_kind(from->name);
        to->rest.rotation = sn_q_identity();
        to->rest.position = scaled(sn_v3((sn_real)at[0], (sn_real)at[1], (sn_real)at[2]), scale);
        to->has_tail = true;
        for (int k = 0; k < 3; k++) to->tail[k] = scale * from->tip[k];
        snprintf(to->name, sizeof to->name, "%s", from->name);
    }
    out->collider_count = body->collider_count;
    for (int i = 0; i < body->collider_count; i++) {
        const sn_pill *pill = &body->colliders[i].pill;
        out->shapes[i] = (sn_implicit_muscle_bone){body->colliders[i].bone,
                                                   {scaled(pill->a, scale), scaled(pill->b, scale)},
                                                   {(sn_real)scale * pill->ra, (sn_real)scale * pill->rb},
                                                   {0, 0}};
    }
    out->muscle_count = out->own_muscles = body->muscle_count;
    for (int m = 0; m < body->muscle_count; m++) {
        out->muscles[m] = muscle_of(&body->muscles[m].def, scale);
        memcpy(out->muscle_names[m], body->muscles[m].name, sizeof *out->muscle_names);
        out->shown[m] = body->muscles[m].skin_bone;
    }
    return true;
}

// --- from files ---

// The mean scale of a matrix.
static double size_of(const float m[16]) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        double length = 0;
        for (int k = 0; k < 3; k++) length += (double)m[4 * c + k] * (double)m[4 * c + k];
        sum += sqrt(length) / 3;
    }
    return sum;
}

// The skinning matrix of a joint without the common scale.
static void skin_matrix(const character *c, int joint, float out[16]) {
    const mesh_skin *skin = &c->file.skin[c->skin];
    matrix_multiply(c->world[skin->joint[joint]], skin->inverse_bind[joint], out);
    for (int i = 0; i < 12; i++) out[i] = (float)((double)out[i] / c->fit);
    for (int i = 12; i < 15; i++) out[i] = (float)((double)out[i] * c->scale);
}

static bool read_bones(character *c, tool_error *error) {
    const mesh_skin *skin = &c->file.skin[c->skin];
    float matrix[16];
    mesh_pose(&c->file, NULL, 0, c->world);
    matrix_multiply(c->world[skin->joint[0]], skin->inverse_bind[0], matrix);
    c->fit = size_of(matrix);
    if (!(c->fit > 1e-9) || !isfinite(c->fit))
        return tool_error_set(error, "joint \"%s\" shrinks its vertices to nothing", c->file.node[skin->joint[0]].name);
    for (int j = 0; j < skin->joint_count; j++) {
        const mesh_node *node = &c->file.node[skin->joint[j]];
        sn_rig_bone *bone = &c->bones[j];
        tool_error inner;
        snprintf(bone->name, sizeof bone->name, "%s", node->name);
        bone->parent = -1;
        for (int up = node->parent; up >= 0 && bone->parent < 0; up = c->file.node[up].parent)
            for (int i = 0; i < skin->joint_count; i++)
                if (skin->joint[i] == up) bone->parent = i;
        bone->kind = sn_rig_kind(bone->name);
        if (!sn_rig_rest(skin->inverse_bind[j], &bone->rest, &inner))
            return tool_error_set(error, "joint \"%.40s\": %.180s", bone->name, inner.text);
        bone->rest.position = scaled(bone->rest.position, c->fit * c->scale);
    }
    return true;
}

bool character_from_file(const char *path, const file_source *files, double scale, character *out, tool_error *error) {
    *out = (character){.motion = -1, .scale = scale, .fit = 1, .bend = {.bone = -1}};
    if (!mesh_read(path, files, &out->file, error)) return false;
    const mesh_file *file = &out->file;
    bool good = character_repair(&out->file, &out->skin, &out->notes, error);
    if (good) {
        out->bone_count = file->skin[out->skin].joint_count;
        out->bones = alloc_array((size_t)out->bone_count, sizeof *out->bones);
        out->world = alloc_array((size_t)file->node_count, sizeof *out->world);
        if (!out->bones || !out->world || !mesh_file_merge(file, &out->mesh)) good = tool_error_out_of_memory(error);
    }
    good = good && read_bones(out, error);
    if (good) scale_mesh(&out->mesh, out->fit * scale);
    if (good && !character_flesh_fit(&out->mesh, out->bones, out->bone_count, &out->shapes, &out->collider_count))
        good = tool_error_out_of_memory(error);
    if (!good) character_free(out);
    return good;
}

// --- muscles ---

int character_bone(const character *c, const char *name) {
    for (int b = 0; b < c->bone_count; b++)
        if (strcmp(c->bones[b].name, name) == 0) return b;
    return -1;
}

static sn_vec3 in_bone(const character *c, int bone, sn_vec3 x, bool rotate_only) {
    const sn_transform *rest = &c->bones[bone].rest;
    return sn_q_rotate(sn_q_conj(rest->rotation), rotate_only ? x : sn_sub(x, rest->position));
}

sn_vec3 character_in_bone(const character *c, int bone, sn_vec3 place) {
    return in_bone(c, bone, place, false);
}

void character_give_normals(character *c, int muscle) {
    sn_implicit_muscle_def *def = &c->muscles[muscle];
    if (sn_length2(def->normal[0]) > 0) return;
    sn_vec3 end[2];
    for (int k = 0; k < 2; k++) {
        const sn_transform *rest = &c->bones[def->bone[k]].rest;
        end[k] = sn_add(rest->position, sn_q_rotate(rest->rotation, def->end[k]));
    }
    const sn_vec3 along = sn_sub(end[1], end[0]), middle = sn_lerp(end[0], end[1], (sn_real)0.5);
    sn_vec3 out = {0, 0, 0};
    sn_real min = INFINITY;
    for (int v = 0; v < c->mesh.vertex_count; v++) {
        const float *x = c->mesh.position[v];
        const sn_vec3 offset = sn_sub(sn_v3((sn_real)x[0], (sn_real)x[1], (sn_real)x[2]), middle);
        if (sn_length2(offset) < min) min = sn_length2(offset), out = offset;
    }
    const sn_vec3 across = sn_normalize(sn_cross(along, out), sn_perpendicular(along));
    for (int k = 0; k < 2; k++) def->normal[k] = in_bone(c, def->bone[k], across, true);
}

// The bone with most of the skin that is nearest to a line between two places.
static int bone_over(const character *c, sn_vec3 from, sn_vec3 to) {
    enum { PLACES = 9 };
    int votes[SN_IMPLICIT_MAX_BONES] = {0}, best = 0;
    for (int i = 1; i < PLACES; i++) {
        const sn_vec3 p = sn_lerp(from, to, (sn_real)i / PLACES);
        int nearest = 0, max = 0;
        double min = INFINITY;
        for (int v = 0; v < c->mesh.vertex_count; v++) {
            const float *x = c->mesh.position[v];
            const double d[3] = {(double)x[0] - (double)p.x, (double)x[1] - (double)p.y, (double)x[2] - (double)p.z};
            const double far2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (far2 < min) min = far2, nearest = v;
        }
        for (int k = 1; k < 4; k++)
            if (c->mesh.weight[nearest][k] > c->mesh.weight[nearest][max]) max = k;
        const int bone = c->mesh.joint[nearest][max];
        if (bone >= 0 && bone < SN_IMPLICIT_MAX_BONES) votes[bone] += PLACES - abs(2 * i - PLACES);
    }
    for (int b = 1; b < c->bone_count && b < SN_IMPLICIT_MAX_BONES; b++)
        if (votes[b] > votes[best]) best = b;
    return best;
}

bool character_add_muscle(character *c, const char *name, const sn_implicit_muscle_def *def, double width,
                          tool_error *error) {
    if (!c->mesh.joint || !c->mesh.weight) return tool_error_set(error, "the mesh has no skin weights");
    if (!reserve_muscles(c, c->muscle_count + 1)) return tool_error_out_of_memory(error);
    const int m = c->muscle_count;
    sn_implicit_muscle_def *own = &c->muscles[m];
    *own = *def;
    const double length = (double)sn_length(sn_sub(def->end[1], def->end[0]));
    if (!(length > 1e-6)) return tool_error_set(error, "its origin and its insertion coincide");
    if (width > 0) {
        sn_muscle_profile profile;
        double max = 0;
        const sn_implicit_muscle_profile rest = {def->rest.alpha, def->rest.beta, 0},
                                         active = {def->active.alpha, def->active.beta, 0};
        if (sn_muscle_profile_init(rest, active, &profile))
            for (int i = 1; i < 64; i++)
                max = fmax(max, (double)sn_muscle_profile_eval(&profile, 0, (sn_real)i / 64, NULL));
        const double w = max > 0 ? 0.5 * width / max : 0.5 * width;
        own->volume = (sn_real)(3.14159265358979323846 * length * w * w);
    }
    c->shown[m] = bone_over(c, def->end[0], def->end[1]);
    for (int k = 0; k < 2; k++) {
        own->end[k] = in_bone(c, def->bone[k], def->end[k], false);
        own->normal[k] = in_bone(c, def->bone[k], def->normal[k], true);
    }
    if (own->bowed) own->via = in_bone(c, def->bone[0], def->via, false);
    snprintf(c->muscle_names[m], sizeof *c->muscle_names, "%.31s", name);
    c->muscle_count++;
    return true;
}

sn_status character_system(const character *c, sn_memory *memory, const sn_log *log, sn_muscle_system **out) {
    enum { SETTLE = 40 };
    sn_muscle_system_def def = sn_muscle_system_def_default();
    sn_transform *poses = alloc_array((size_t)c->bone_count, sizeof *poses);
    sn_muscle_obstacle *bones = alloc_array((size_t)c->collider_count, sizeof *bones);
    sn_status status = SN_ERR_MEMORY;
    *out = NULL;
    if (poses && bones) {
        character_rest(c, poses);
        for (int i = 0; i < c->collider_count; i++) bones[i] = sn_muscle_obstacle_from_bone(&c->shapes[i]);
        def.poses = poses, def.bone_count = c->bone_count;
        def.obstacles = bones, def.obstacle_count = c->collider_count;
        def.muscles = c->muscles, def.muscle_count = c->muscle_count;
        status = sn_muscle_system_create(memory, log, &def, out);
        if (status == SN_OK) status = sn_muscle_system_teleport(*out, poses, SETTLE, NULL);
        if (status == SN_WARN_DIVERGED) status = SN_OK;
        if (status != SN_OK) sn_muscle_system_destroy(*out), *out = NULL;
    }
    free(poses);
    free(bones);
    return status;
}

// --- the skin's rig ---

typedef struct {
    const character *c;
    const sn_muscle_system *muscles;
} cover;

// Skin samples directly above a muscle of their bone move inward by half the radius of the muscle there.
static double inward(const void *user, int bone, const double p[3]) {
    const cover *over = user;
    double max = 0;
    for (int m = 0; m < over->c->muscle_count; m++) {
        if (over->c->shown[m] != bone) continue;
        const sn_muscle_spindle *muscle = sn_muscle_system_get_spindle(over->muscles, m);
        sn_real at;
        const sn_real f = sn_muscle_field(muscle, sn_v3((sn_real)p[0], (sn_real)p[1], (sn_real)p[2]), NULL, &at);
        const int i = (int)(at + (sn_real)0.5);
        const double radius = (double)muscle->radius[i < muscle->points ? i : muscle->points - 1];
        if ((double)f < 0.25 * radius && 0.5 * radius > max) max = 0.5 * radius;
    }
    return max;
}

// Arrays of the asset that do not belong to the rig.
typedef struct {
    sn_vec3 *vertices;
    int (*influences)[SN_SKIN_INFLUENCES], *owners, *muscle_bones;
    sn_real (*weights)[SN_SKIN_INFLUENCES];
    sn_implicit_muscle_def *muscles;
    sn_implicit_muscle_bone *shapes;
} own_arrays;

static bool make_arrays(const character *c, const sn_rig_model *rig, own_arrays *out) {
    const size_t n = (size_t)c->mesh.vertex_count, m = (size_t)c->muscle_count;
    *out = (own_arrays){alloc_array(n, sizeof *out->vertices),
                        alloc_array(n, sizeof *out->influences),
                        alloc_array(n, sizeof *out->owners),
                        alloc_array(m, sizeof(int)),
                        alloc_array(n, sizeof *out->weights),
                        alloc_array(m, sizeof *out->muscles),
                        alloc_array((size_t)c->collider_count, sizeof *out->shapes)};
    if (!out->vertices || !out->influences || !out->owners || !out->muscle_bones || !out->weights || !out->muscles ||
        !out->shapes)
        return false;
    for (size_t v = 0; v < n; v++) {
        const int place = rig->vertex_index[v];
        const float *x = c->mesh.position[v];
        out->vertices[v] = sn_v3((sn_real)x[0], (sn_real)x[1], (sn_real)x[2]);
        out->owners[v] = rig->def.owners[place];
        memcpy(out->influences[v], rig->def.influences[place], sizeof *out->influences);
        memcpy(out->weights[v], rig->def.weights[place], sizeof *out->weights);
    }
    for (size_t i = 0; i < m; i++) {
        out->muscles[i] = c->muscles[i];
        for (int k = 0; k < 2; k++) out->muscles[i].bone[k] = rig->rig_bone_of[c->muscles[i].bone[k]];
        out->muscle_bones[i] = rig->rig_bone_of[c->shown[i]];
    }
    for (int i = 0; i < c->collider_count; i++) {
        out->shapes[i] = c->shapes[i];
        out->shapes[i].bone = rig->rig_bone_of[c->shapes[i].bone];
    }
    return true;
}

static void free_arrays(own_arrays *own) {
    free(own->vertices);
    free(own->influences);
    free(own->owners);
    free(own->muscle_bones);
    free(own->weights);
    free(own->muscles);
    free(own->shapes);
}

// Assets of the library have non-const arrays.
static void *plain(const void *array) {
    return (void *)(uintptr_t)array;
}

bool character_model(const character *c, const sn_log *log, const sn_muscle_system *system, sn_implicit_model **out,
                     int **bone_of, tool_error *error) {
    sn_rig_options options = sn_rig_options_default();
    const cover over = {c, system};
    sn_rig_model rig;
    *out = NULL, *bone_of = NULL;
    if (c->muscle_count > 0) options.inward = inward, options.user = &over;
    if (!sn_rig_make(&c->mesh, c->bones, c->bone_count, &options, &rig, error)) return false;
    own_arrays own;
    sn_status status = SN_ERR_MEMORY;
    if (make_arrays(c, &rig, &own)) {
        const sn_implicit_asset asset = {.bone_count = c->bone_count,
                                         .bones = plain(rig.def.bones),
                                         .centre_count = rig.def.centre_count,
                                         .centres = plain(rig.def.centres),
                                         .alphas = plain(rig.def.alphas),
                                         .betas = plain(rig.def.betas),
                                         .vertex_count = c->mesh.vertex_count,
                                         .vertices = own.vertices,
                                         .influences = own.influences,
                                         .weights = own.weights,
                                         .owners = own.owners,
                                         .triangle_count = c->mesh.triangle_count,
                                         .triangles = c->mesh.triangle,
                                         .muscle_count = c->muscle_count,
                                         .muscles = own.muscles,
                                         .muscle_bones = own.muscle_bones,
                                         .collider_count = c->collider_count,
                                         .colliders = own.shapes};
        sn_implicit_model_def def = sn_implicit_model_def_default();
        def.asset = &asset;
        if (log) def.log = log->fn, def.log_user = log->user;
        status = sn_implicit_model_create(&def, out);
    }
    free_arrays(&own);
    *bone_of = rig.rig_bone_of;
    rig.rig_bone_of = NULL;
    sn_rig_free(&rig);
    if (status == SN_OK) return true;
    free(*bone_of);
    *bone_of = NULL;
    return tool_error_set(error, "cannot create its skin: %s", sn_status_name(status));
}

// --- motion ---

void character_rest(const character *c, sn_transform *out) {
    for (int b = 0; b < c->bone_count; b++) out[b] = c->bones[b].rest;
}

static double ease(double x) {
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    return x * x * (3 - 2 * x);
}

// Rotates a bone and its descendants about its joint.
static void bend_pose(const character *c, double t, sn_transform *poses) {
    const character_bend *bend = &c->bend;
    double part = ease(t / bend->seconds);
    if (bend->hold > 0) part -= ease((t - bend->seconds - bend->hold) / bend->seconds);
    const double angle = part * bend->degrees * (3.14159265358979323846 / 360);
    const sn_vec3 axis = sn_mul((sn_real)own_sin(angle), sn_normalize(bend->axis, sn_v3(1, 0, 0)));
    const sn_quat rotation = {axis.x, axis.y, axis.z, (sn_real)own_cos(angle)};
    const sn_vec3 about = poses[bend->bone].position;
    for (int b = 0; b < c->bone_count; b++) {
        int up = b;
        for (int max = c->bone_count; up >= 0 && up != bend->bone && max > 0; --max) up = c->bones[up].parent;
        if (up != bend->bone) continue;
        poses[b].position = sn_add(about, sn_q_rotate(rotation, sn_sub(poses[b].position, about)));
        poses[b].rotation = sn_q_normalize(sn_q_mul(rotation, poses[b].rotation));
    }
}

// The time within a motion, which loops or stops at its end.
static double within(double t, double duration, bool loop) {
    if (!(t > 0)) return 0;
    if (!(duration > 0)) return t;
    if (!loop) return t < duration ? t : duration * (1 - 1e-9);
    return fmod(t, duration);
}

bool character_pose(character *c, double t, bool loop, sn_transform *out, tool_error *error) {
    character_rest(c, out);
    if (c->motion >= 0) {
        zoo_body_pose(&c->zoo, (zoo_motion)c->motion, within(t, zoo_motion_duration((zoo_motion)c->motion), loop), out);
        for (int b = 0; b < c->bone_count; b++) out[b].position = scaled(out[b].position, c->scale);
    } else if (c->world) {
        mesh_pose(&c->file, c->clip, c->clip ? within(t, c->clip->duration, loop) : 0, c->world);
        for (int b = 0; b < c->bone_count; b++) {
            float matrix[16];
            tool_error inner;
            skin_matrix(c, b, matrix);
            if (!sn_rig_pose(&c->bones[b].rest, matrix, &out[b], &inner))
                return tool_error_set(error, "joint \"%.40s\" at %.3f s: %.160s", c->bones[b].name, t, inner.text);
        }
    }
    if (c->bend.bone >= 0 && t > 0) bend_pose(c, t, out);
    return true;
}

double character_activation(const character *c, double t, bool loop, int muscle) {
    if (c->motion < 0 || muscle >= c->own_muscles) return 0;
    const zoo_motion motion = (zoo_motion)c->motion;
    return zoo_body_activation(&c->zoo, motion, within(t, zoo_motion_duration(motion), loop), muscle);
}
