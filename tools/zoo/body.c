// Builds characters; see body.h. Their definitions are in body_figure.c and limb.c.
#include "zoo/body.h"
#include "zoo/body_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int default_vertices, min_vertices;
} kinds[ZOO_BODY_KINDS] = {
    [ZOO_BODY] = {"body", 19300, 6000},
    [ZOO_LIMB] = {"limb", 2170, 800},
    [ZOO_ELBOW] = {"elbow", 2272, 200},
};

const char *zoo_body_name(zoo_body_kind kind) {
    return kinds[kind].name;
}

int zoo_body_find(const char *name) {
    for (int i = 0; i < ZOO_BODY_KINDS; i++)
        if (strcmp(name, kinds[i].name) == 0) return i;
    return -1;
}

int zoo_body_min_vertices(zoo_body_kind kind) {
    return kinds[kind].min_vertices;
}

// ---- presets

// A strong adult; volumes in cm^3.
typedef struct {
    const char *name;
    double volume;
    int rest[2], active[2];
    double eccentricity, active_eccentricity;
    double hertz, tendon;
} preset;

static const preset presets[] = {
    {"biceps", 220, {3, 3}, {4, 6}, 0, 0, 7, 0.12},
    {"brachialis", 130, {3, 3}, {3, 4}, 0.5, 0.4, 8, 0.08},
    {"triceps-long", 250, {3, 4}, {3, 5}, 0.3, 0.2, 7, 0.10},
    {"triceps", 190, {3, 4}, {3, 5}, 0.5, 0.4, 7, 0.10},
    {"brachioradialis", 85, {3, 5}, {3, 6}, 0.3, 0.2, 9, 0.08},
    {"wrist-flexor", 115, {3, 6}, {3, 7}, 0.3, 0.2, 9, 0.08},
    {"wrist-extensor", 95, {3, 6}, {3, 7}, 0.3, 0.2, 9, 0.08},
    {"deltoid", 150, {3, 4}, {3, 4}, 0.5, 0.3, 8, 0.05},
    {"pectoral", 230, {2, 3}, {3, 4}, 0.8, 0.7, 6, 0.05},
    {"latissimus", 260, {2, 3}, {3, 4}, 0.85, 0.75, 6, 0.05},
    {"trapezius", 160, {3, 3}, {3, 3}, 0.6, 0.5, 8, 0.05},
    {"abdominal", 230, {2, 2}, {3, 3}, 0.85, 0.8, 6, 0.05},
    {"oblique", 160, {2, 2}, {3, 3}, 0.85, 0.8, 6, 0.05},
    {"gluteus", 640, {3, 3}, {3, 4}, 0.4, 0.3, 5, 0.05},
    {"rectus-femoris", 400, {3, 3}, {4, 5}, 0.3, 0.2, 6, 0.08},
    {"vastus", 500, {3, 3}, {3, 3}, 0.6, 0.5, 6, 0.06},
    {"quadriceps", 1500, {3, 3}, {4, 4}, 0.4, 0.3, 5, 0.08},
    {"hamstring", 350, {3, 3}, {3, 4}, 0.3, 0.2, 6, 0.10},
    {"gastrocnemius", 240, {3, 6}, {3, 8}, 0.4, 0.3, 7, 0.10},
    {"soleus", 300, {3, 4}, {3, 5}, 0.6, 0.5, 7, 0.10},
    {"tibialis", 130, {3, 5}, {3, 6}, 0.4, 0.3, 9, 0.08},
    {"adductor", 350, {3, 3}, {3, 3}, 0.6, 0.5, 5, 0.06},
};

const char *zoo_muscle_preset_name(int i) {
    return i >= 0 && i < (int)(sizeof presets / sizeof *presets) ? presets[i].name : NULL;
}

bool zoo_muscle_preset(const char *name, sn_implicit_muscle_def *out) {
    // The longest preset that is a prefix of the name: "triceps-long-left" is not a plain triceps.
    const preset *best = NULL;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const size_t length = strlen(presets[i].name);
        if (strncmp(name, presets[i].name, length) != 0 || (name[length] && name[length] != '-')) continue;
        if (!best || length > strlen(best->name)) best = &presets[i];
    }
    *out = sn_implicit_muscle_def_default();
    if (!best) return false;
    out->volume = (sn_real)(best->volume * 1e-6);
    out->rest =
        (sn_implicit_muscle_profile){(sn_real)best->rest[0], (sn_real)best->rest[1], (sn_real)best->eccentricity};
    out->active = (sn_implicit_muscle_profile){(sn_real)best->active[0], (sn_real)best->active[1],
                                               (sn_real)best->active_eccentricity};
    out->hertz = (sn_real)best->hertz;
    out->tendon = (sn_real)best->tendon;
    return true;
}

// ---- parts

// Makes space for one more element; the capacity grows by powers of two.
static bool grow_list(void **list, int count, size_t size) {
    if (count & (count - 1)) return true;
    void *more = realloc(*list, (size_t)(count ? 2 * count : 1) * size);
    if (more) *list = more;
    return more != NULL;
}

bool zoo_add_bone(zoo_body *body, const char *name, int parent, const double joint[3], const double tip[3],
                  bool hinge) {
    if (!grow_list((void **)&body->bones, body->bone_count, sizeof *body->bones)) return false;
    zoo_joint *bone = &body->bones[body->bone_count++];
    *bone = (zoo_joint){.parent = parent, .hinge = hinge};
    snprintf(bone->name, sizeof bone->name, "%s", name);
    memcpy(bone->joint, joint, sizeof bone->joint);
    memcpy(bone->tip, tip, sizeof bone->tip);
    return true;
}

static sn_vec3 in_bone(const zoo_body *body, int bone, const double at[3]) {
    const double *joint = body->bones[bone].joint;
    return sn_v3((sn_real)(at[0] - joint[0]), (sn_real)(at[1] - joint[1]), (sn_real)(at[2] - joint[2]));
}

bool zoo_add_collider(zoo_body *body, int bone, const double a[3], double ra, const double b[3], double rb) {
    if (!grow_list((void **)&body->colliders, body->collider_count, sizeof *body->colliders)) return false;
    body->colliders[body->collider_count++] = (sn_muscle_obstacle){
        .bone = bone, .pill = {in_bone(body, bone, a), in_bone(body, bone, b), (sn_real)ra, (sn_real)rb}};
    return true;
}

bool zoo_add_muscle(zoo_body *body, const body_muscle *source, const char *side, double mirror) {
    sn_implicit_muscle_def def;
    if (!zoo_muscle_preset(source->name, &def)) return false;
    if (!grow_list((void **)&body->muscles, body->muscle_count, sizeof *body->muscles)) return false;
    for (int end = 0; end < 2; end++) {
        const double at[3] = {mirror * source->end[end][0], source->end[end][1], source->end[end][2]};
        const double *n = source->normal;
        def.bone[end] = zoo_body_bone(body, source->bone[end], side);
        if (def.bone[end] < 0) return false;
        def.end[end] = in_bone(body, def.bone[end], at);
        def.normal[end] = sn_v3((sn_real)(mirror * n[0]), (sn_real)n[1], (sn_real)n[2]);
    }
    def.bowed = source->via[0] != 0 || source->via[1] != 0;
    const double via[3] = {mirror * source->via[0], source->via[1], source->via[2]};
    if (def.bowed) def.via = in_bone(body, def.bone[0], via);
    def.volume *= (sn_real)source->size;
    def.group = source->group == 0 ? 0 : source->group + (mirror < 0 ? 100 : 0);
    zoo_body_muscle *muscle = &body->muscles[body->muscle_count++];
    *muscle = (zoo_body_muscle){.def = def, .skin_bone = def.bone[1]};
    snprintf(muscle->name, sizeof muscle->name, "%s%s%s", source->name, *side ? "-" : "", side);
    return true;
}

int zoo_body_bone(const zoo_body *body, const char *name, const char *side) {
    char full_name[2 * ZOO_NAME_SIZE];
    snprintf(full_name, sizeof full_name, "%s-%s", name, side);
    for (int b = 0; b < body->bone_count; b++)
        if (strcmp(body->bones[b].name, full_name) == 0 || strcmp(body->bones[b].name, name) == 0) return b;
    return -1;
}

// ---- body

bool zoo_body_make(zoo_body_kind kind, int vertices, zoo_body *out) {
    *out = (zoo_body){0};
    if (vertices == 0) vertices = kinds[kind].default_vertices;
    if (vertices < kinds[kind].min_vertices || vertices > ZOO_BODY_MAX_VERTICES) return false;
    snprintf(out->name, sizeof out->name, "%s", kinds[kind].name);
    bool good = kind == ZOO_BODY   ? zoo_body_assemble(out) && zoo_body_surface(zoo_body_plan(), vertices, out)
                : kind == ZOO_LIMB ? zoo_limb_assemble(out) && zoo_body_surface(zoo_limb_plan(), vertices, out)
                                   : zoo_elbow_make(vertices, out);
    if (good) snprintf(out->mesh.name, sizeof out->mesh.name, "%s", out->name);
    if (!good) zoo_body_free(out);
    return good;
}

void zoo_body_free(zoo_body *body) {
    free(body->bones);
    free(body->muscles);
    free(body->colliders);
    sn_mesh_free(&body->mesh);
    *body = (zoo_body){0};
}

void zoo_body_rest_pose(const zoo_body *body, sn_transform *poses) {
    for (int b = 0; b < body->bone_count; b++) {
        const double *at = body->bones[b].joint;
        poses[b] = (sn_transform){sn_v3((sn_real)at[0], (sn_real)at[1], (sn_real)at[2]), sn_q_identity()};
    }
}

sn_status zoo_body_muscles(const zoo_body *body, sn_memory *memory, const sn_log *log, sn_muscle_system **out) {
    sn_muscle_system_def def = sn_muscle_system_def_default();
    sn_transform *poses = calloc((size_t)body->bone_count + 1, sizeof *poses);
    sn_implicit_muscle_def *muscles = calloc((size_t)body->muscle_count + 1, sizeof *muscles);
    sn_status status = SN_ERR_MEMORY;
    *out = NULL;
    if (poses && muscles) {
        zoo_body_rest_pose(body, poses);
        for (int m = 0; m < body->muscle_count; m++) muscles[m] = body->muscles[m].def;
        def.poses = poses, def.bone_count = body->bone_count;
        def.obstacles = body->colliders, def.obstacle_count = body->collider_count;
        def.muscles = muscles, def.muscle_count = body->muscle_count;
        status = sn_muscle_system_create(memory, log, &def, out);
        if (status == SN_OK) status = sn_muscle_system_teleport(*out, poses, 40, NULL);
        if (status != SN_OK && status != SN_WARN_DIVERGED) {
            sn_muscle_system_destroy(*out);
            *out = NULL;
        }
    }
    free(poses);
    free(muscles);
    return status;
}
