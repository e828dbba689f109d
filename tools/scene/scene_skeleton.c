// Joints are posed by mesh_pose and then placed by the scene. The matrix of a joint is decomposed into position,
// rotation and scale. The scale is that at the start, since rigid bodies do not grow.
#include "scene/scene_skeleton.h"
#include "bake/bone_fit.h"
#include "base/math/vec.h"
#include "formats/mesh_pose.h"
#include "formats/quote.h"
#include "scene/placement.h"
#include "scene/scene_rigid.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scene_bone {
    scene_skeleton *skeleton;
    int node;
    rigid_spec shape;
    pill_spec pill; // its geometry
    double radii[2];
};

struct scene_skeleton {
    mesh_file file;
    const skeleton_spec *spec;
    const mesh_clip *clip;
    placement at;
    float (*world)[16]; // of all nodes, at time
    double time;
    bool posed;
    scene_bone *bones;
    int bone_count, bone_capacity;
};

// --- where joints are ---

static void pose(scene_skeleton *skeleton, double t) {
    const skeleton_spec *spec = skeleton->spec;
    double s = fmax(t - spec->start, 0) * spec->speed;
    if (skeleton->clip && spec->loop && skeleton->clip->duration > 0) s = fmod(s, skeleton->clip->duration);
    if (skeleton->posed && skeleton->time == s) return;
    mesh_pose(&skeleton->file, skeleton->clip, s, skeleton->world);
    skeleton->time = s, skeleton->posed = true;
}

// The rotation of a matrix whose columns may have any length, and their mean length.
static void decompose(const float m[16], double rotation[4], double *size) {
    double c[3][3], lengths = 0;
    for (int i = 0; i < 3; i++) {
        double length = 0;
        for (int k = 0; k < 3; k++) c[i][k] = (double)m[4 * i + k], length += c[i][k] * c[i][k];
        length = sqrt(length);
        lengths += length;
        for (int j = 0; j < i; j++) { // orthogonal to those before
            double by = 0;
            for (int k = 0; k < 3; k++) by += c[i][k] / (length > 0 ? length : 1) * c[j][k];
            for (int k = 0; k < 3; k++) c[i][k] -= by * (length > 0 ? length : 1) * c[j][k];
        }
        double left = sqrt(c[i][0] * c[i][0] + c[i][1] * c[i][1] + c[i][2] * c[i][2]);
        for (int k = 0; k < 3; k++) c[i][k] = left > 0 ? c[i][k] / left : i == k;
    }
    // The third column follows from the first two, so that a reflection becomes a rotation.
    for (int k = 0; k < 3; k++) c[2][k] = c[0][(k + 1) % 3] * c[1][(k + 2) % 3] - c[0][(k + 2) % 3] * c[1][(k + 1) % 3];
    const double w2 = 1 + c[0][0] + c[1][1] + c[2][2], x2 = 1 + c[0][0] - c[1][1] - c[2][2];
    const double y2 = 1 - c[0][0] + c[1][1] - c[2][2], z2 = 1 - c[0][0] - c[1][1] + c[2][2];
    const double xy = c[0][1] + c[1][0], xz = c[0][2] + c[2][0], yz = c[1][2] + c[2][1];
    const double wx = c[1][2] - c[2][1], wy = c[2][0] - c[0][2], wz = c[0][1] - c[1][0];
    const double rows[4][4] = {{x2, xy, xz, wx}, {xy, y2, yz, wy}, {xz, yz, z2, wz}, {wx, wy, wz, w2}};
    int best = 3;
    for (int i = 0; i < 3; i++)
        if (rows[i][i] > rows[best][best]) best = i;
    const double norm = sqrt(4 * rows[best][best]) > 0 ? 1 / sqrt(4 * rows[best][best]) : 0;
    for (int k = 0; k < 4; k++) rotation[k] = rows[best][k] * norm;
    *size = lengths / 3;
}

void scene_bone_place(const scene_bone *bone, double t, sn_vec3 *position, sn_quat *rotation) {
    scene_skeleton *skeleton = bone->skeleton;
    pose(skeleton, t);
    const float *m = skeleton->world[bone->node];
    const double at[3] = {(double)m[12], (double)m[13], (double)m[14]}, *q = skeleton->at.rotation;
    double local[4], size;
    decompose(m, local, &size);
    const sn_quat own = {(sn_real)local[0], (sn_real)local[1], (sn_real)local[2], (sn_real)local[3]};
    const sn_quat put = {(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
    *position = placement_apply(&skeleton->at, at);
    *rotation = sn_q_normalize(sn_q_mul(put, own));
}

bool scene_bone_moves(const scene_bone *bone) {
    return bone->skeleton->clip != NULL;
}

// --- reading ---

static const char *nearest_node(const mesh_file *file, const char *name) {
    int best = suggest_reach(name);
    const char *near = NULL;
    for (int i = 0; i < file->node_count; i++)
        if (suggest_nearer(name, file->node[i].name, &best)) near = file->node[i].name;
    return near;
}

static int find_node(const mesh_file *file, const char *name) {
    for (int i = 0; i < file->node_count; i++)
        if (strcmp(file->node[i].name, name) == 0) return i;
    return -1;
}

// The vertices whose largest weight is that of a joint, in the joint's axes; the caller frees them. *count gets their
// number.
static double (*vertices_of(const mesh_file *file, int node, int *count))[3] {
    int capacity = 0;
    for (int i = 0; i < file->mesh_count; i++) capacity += file->mesh[i].mesh.vertex_count;
    double(*out)[3] = malloc(((size_t)capacity + 1) * sizeof *out);
    *count = 0;
    for (int i = 0; out && i < file->mesh_count; i++) {
        const sn_mesh *mesh = &file->mesh[i].mesh;
        const mesh_skin *skin = file->mesh[i].skin >= 0 ? &file->skin[file->mesh[i].skin] : NULL;
        for (int v = 0; skin && mesh->joint && v < mesh->vertex_count; v++) {
            int max = 0;
            for (int k = 1; k < 4; k++)
                if (mesh->weight[v][k] > mesh->weight[v][max]) max = k;
            const int joint = mesh->joint[v][max];
            if (joint < 0 || joint >= skin->joint_count || skin->joint[joint] != node) continue;
            float local[3];
            matrix_point(skin->inverse_bind[joint], mesh->position[v], local);
            for (int k = 0; k < 3; k++) out[*count][k] = (double)local[k];
            ++*count;
        }
    }
    return out;
}

// Adds a pill, given in the joint's axes.
static bool add_pill(scene_skeleton *skeleton, int entry, const bone_spec *spec, int node, const double from[3],
                     const double to[3], const double radii[2], bool first) {
    if (skeleton->bone_count == skeleton->bone_capacity) {
        const int capacity = skeleton->bone_capacity ? 2 * skeleton->bone_capacity : 16;
        scene_bone *more = realloc(skeleton->bones, (size_t)capacity * sizeof *more);
        if (!more) return false;
        skeleton->bones = more, skeleton->bone_capacity = capacity;
    }
    double rotation[4], size;
    pose(skeleton, 0);
    decompose(skeleton->world[node], rotation, &size);
    size *= skeleton->at.scale;
    scene_bone *bone = &skeleton->bones[skeleton->bone_count++];
    *bone = (scene_bone){.skeleton = skeleton, .node = node, .shape = {.surface = spec->surface, .entry = entry}};
    bone->shape.name = first ? (spec->name ? spec->name : spec->joint) : NULL;
    for (int k = 0; k < 3; k++) bone->pill.from[k] = size * from[k], bone->pill.to[k] = size * to[k];
    for (int k = 0; k < 2; k++) bone->radii[k] = size * radii[k];
    return true;
}

static bool fit_pills(sn_scene *scene, scene_skeleton *skeleton, int entry, const bone_spec *spec, int node,
                      const json_path *path) {
    const json_path at = {path, "fit", 0};
    char quoted[QUOTE_SIZE];
    int count;
    double(*points)[3] = vertices_of(&skeleton->file, node, &count);
    bone_ball balls[BONE_MAX_PILLS + 1];
    bool good = points && bone_fit((const double(*)[3])points, count, spec->count, balls, NULL);
    free(points);
    if (!good) {
        error_at(&scene->errors, &at, "needs vertices bound to %s; the file has %d of them", quote(spec->joint, quoted),
                 count);
        return false;
    }
    for (int i = 0; good && i < spec->count; i++) {
        const double radii[2] = {balls[i].radius, balls[i + 1].radius};
        good = add_pill(skeleton, entry, spec, node, balls[i].centre, balls[i + 1].centre, radii, i == 0);
    }
    return good;
}

static void read_bone(sn_scene *scene, scene_skeleton *skeleton, int entry, const bone_spec *spec,
                      const json_path *path) {
    const json_path joint = {path, "joint", 0}, list = {path, "pills", 0}, count = {path, "count", 0};
    char quoted[QUOTE_SIZE], near_quoted[QUOTE_SIZE];
    const int node = find_node(&skeleton->file, spec->joint);
    scene_surface_check(&spec->surface, &scene->errors, path);
    if (node < 0) {
        const char *near = nearest_node(&skeleton->file, spec->joint);
        quote(spec->joint, quoted);
        if (near)
            error_at(&scene->errors, &joint, "the file has no joint %s; did you mean %s?", quoted,
                     quote(near, near_quoted));
        else
            error_at(&scene->errors, &joint, "the file has no joint %s", quoted);
        return;
    }
    if ((spec->pills.count > 0) == spec->fit) {
        error_at(&scene->errors, path, "needs either \"pills\" or \"fit\": true");
        return;
    }
    if (spec->pills.count && fields_has(spec, "count")) error_at_key(&scene->errors, &count, "needs \"fit\"");
    bool good = spec->fit ? fit_pills(scene, skeleton, entry, spec, node, path) : true;
    const pill_spec *pills = spec->pills.items;
    for (int i = 0; good && i < spec->pills.count; i++) {
        const json_path at = {&list, NULL, (size_t)i};
        if (fields_has(&pills[i], "radius") == fields_has(&pills[i], "radii")) {
            error_at(&scene->errors, &at, "needs one of \"radius\" and \"radii\"");
            return;
        }
        const bool taper = pills[i].radii.count == 2;
        const double radii[2] = {taper ? pills[i].radii.items[0] : pills[i].radius,
                                 taper ? pills[i].radii.items[1] : pills[i].radius};
        good = add_pill(skeleton, entry, spec, node, pills[i].from, pills[i].to, radii, i == 0);
    }
    if (!good && scene->errors.count == 0) error_at(&scene->errors, path, "does not fit into memory");
}

static void find_clip(sn_scene *scene, scene_skeleton *skeleton, const json_path *path) {
    const json_path at = {path, "clip", 0};
    char quoted[QUOTE_SIZE];
    const mesh_file *file = &skeleton->file;
    if (!skeleton->spec->clip) {
        if (file->clip_count > 0) skeleton->clip = &file->clip[0];
        return;
    }
    for (int i = 0; i < file->clip_count && !skeleton->clip; i++)
        if (strcmp(file->clip[i].name, skeleton->spec->clip) == 0) skeleton->clip = &file->clip[i];
    if (skeleton->clip) return;
    quote(skeleton->spec->clip, quoted);
    if (file->clip_count == 0)
        error_at(&scene->errors, &at, "the file has no clip %s; it has no clips", quoted);
    else
        error_at(&scene->errors, &at, "the file has no clip %s; its first is \"%s\"", quoted, file->clip[0].name);
}

static void read_skeleton(sn_scene *scene, scene_skeleton *skeleton, int entry, const json_path *path) {
    const skeleton_spec *spec = skeleton->spec;
    const json_path at = {path, "file", 0}, list = {path, "bones", 0}, rotation = {path, "rotation", 0};
    tool_error error;
    char name[1024];
    if (!scene_beside(scene, spec->file, name, sizeof name)) {
        error_at(&scene->errors, &at, "the name is too long");
        return;
    }
    if (!mesh_read(name, scene->files, &skeleton->file, &error)) {
        error_at(&scene->errors, &at, "cannot be read: %.400s", error.text);
        return;
    }
    if (skeleton->file.node_count == 0) {
        error_at(&scene->errors, &at, "has no joints: it must be a glTF file with a skeleton");
        return;
    }
    if (spec->rotation.head.type && spec->rotation.axis[0] == 0 && spec->rotation.axis[1] == 0 &&
        spec->rotation.axis[2] == 0)
        error_at(&scene->errors, &rotation, "\"axis\" must have a direction, is [0, 0, 0]");
    find_clip(scene, skeleton, path);
    skeleton->at = (placement){.rotation = {0, 0, 0, 1}, .scale = spec->scale};
    memcpy(skeleton->at.position, spec->position, sizeof spec->position);
    if (spec->rotation.head.type) rotation_quaternion(&spec->rotation, skeleton->at.rotation);
    skeleton->world = calloc((size_t)skeleton->file.node_count, sizeof *skeleton->world);
    if (!skeleton->world) {
        error_at(&scene->errors, path, "does not fit into memory");
        return;
    }
    const bone_spec *bones = spec->bones.items;
    for (int i = 0; i < spec->bones.count; i++) {
        const json_path bone = {&list, NULL, (size_t)i};
        read_bone(scene, skeleton, entry, &bones[i], &bone);
    }
}

void scene_skeletons_check(sn_scene *scene) {
    const int count = scene->spec.skeletons.count;
    const skeleton_spec *specs = scene->spec.skeletons.items;
    if (count == 0) return;
    scene->skeletons = calloc((size_t)count, sizeof *scene->skeletons);
    if (!scene->skeletons) {
        error_at_place(&scene->errors, (json_place){0, 0}, "does not fit into memory");
        return;
    }
    for (int i = 0; i < count; i++) {
        const json_path list = {NULL, "skeletons", 0}, path = {&list, NULL, (size_t)i};
        scene->skeletons[i].spec = &specs[i];
        if (!specs[i].head.bad) read_skeleton(scene, &scene->skeletons[i], i, &path);
    }
}

void scene_skeletons_free(sn_scene *scene) {
    for (int i = 0; scene->skeletons && i < scene->spec.skeletons.count; i++) {
        mesh_file_free(&scene->skeletons[i].file);
        free(scene->skeletons[i].world);
        free(scene->skeletons[i].bones);
    }
    free(scene->skeletons);
    scene->skeletons = NULL;
}

// --- shapes of them ---

int scene_skeletons_count(const sn_scene *scene) {
    int count = 0;
    for (int i = 0; scene->skeletons && i < scene->spec.skeletons.count; i++) count += scene->skeletons[i].bone_count;
    return count;
}

void scene_skeletons_fill(const sn_scene *scene, rigid_spec *out) {
    for (int i = 0; scene->skeletons && i < scene->spec.skeletons.count; i++) {
        for (int k = 0; k < scene->skeletons[i].bone_count; k++) {
            scene_bone *bone = &scene->skeletons[i].bones[k];
            bone->shape.bone = bone;
            bone->shape.pill = bone->pill;
            bone->shape.pill.head.type = &scene_pill_table;
            bone->shape.pill.radii = (number_list){bone->radii, 2};
            *out++ = bone->shape;
        }
    }
}
