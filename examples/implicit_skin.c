// A skin that folds and touches itself instead of going through itself, over a muscle that bulges: a tube of two bones
// bends by 120 degrees. A character of your own comes from `sinew implicit CHARACTER.glb` and sn_implicit_model_restore
// instead of the first half of this.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>

#define R(x) ((sn_real)(x))
enum { RINGS = 61, AROUND = 24, VERTICES = RINGS * AROUND, SAMPLES = 50, CENTRES = 2 * SAMPLES };
static const double radius = 0.05, half = 0.3; // m; each bone is 0.3 m long, the joint is at x = 0.3

static sn_vec3 vertices[VERTICES], centres[CENTRES], normals[CENTRES];
static int influences[VERTICES][SN_SKIN_INFLUENCES], triangles[2 * (RINGS - 1) * AROUND][3];
static sn_real weights[VERTICES][SN_SKIN_INFLUENCES];

int main(void) {
    // The mesh: rings around x. Weights go from one bone to the other over 6 cm.
    for (int i = 0; i < VERTICES; i++) {
        const double x = 2 * half * (i / AROUND) / (RINGS - 1), turn = 6.283185307 * (i % AROUND) / AROUND;
        const double second = fmin(fmax((x - half) / 0.06 + 0.5, 0), 1);
        vertices[i] = (sn_vec3){R(x), R(radius * cos(turn)), R(radius * sin(turn))};
        influences[i][1] = 1;
        weights[i][0] = R(1 - second), weights[i][1] = R(second);
    }
    for (int i = 0, t = 0; i < VERTICES - AROUND; ++i, t += 2) {
        const int next = i % AROUND == AROUND - 1 ? i + 1 - AROUND : i + 1;
        memcpy(triangles[t], (int[]){i, next, i + AROUND}, sizeof triangles[t]);
        memcpy(triangles[t + 1], (int[]){next, next + AROUND, i + AROUND}, sizeof triangles[t]);
    }
    // Samples of the skin around each bone, in its axes: not near the joint, and one beyond each end.
    for (int i = 0; i < CENTRES; i++) {
        const int k = i % SAMPLES, end = k - (SAMPLES - 2); // the last two are the ends
        const double x = half * (0.1 + 0.8 * k / (SAMPLES - 3)), turn = 2.39996323 * k;
        centres[i] = (sn_vec3){R(x), R(radius * cos(turn)), R(radius * sin(turn))};
        normals[i] = (sn_vec3){0, R(cos(turn)), R(sin(turn))};
        if (end >= 0) centres[i] = (sn_vec3){R(end ? half + radius : -radius), 0, 0};
        if (end >= 0) normals[i] = (sn_vec3){R(end ? 1 : -1), 0, 0};
    }
    sn_implicit_bone bones[2] = {
        {-1, SN_FOLD_UNION, {{0, 0, 0}, {0, 0, 0, 1}}, 0, SAMPLES, R(radius), R(radius), {0, 0, 0}, {0, 0, 0}},
        {0,
         SN_FOLD_ELBOW,
         {{R(half), 0, 0}, {0, 0, 0, 1}},
         SAMPLES,
         SAMPLES,
         R(radius),
         R(radius),
         {0, 0, 0},
         {0, 0, 0}}};
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default(); // from the upper bone over the joint
    muscle.bone[1] = 1;
    muscle.end[0] = (sn_vec3){R(0.04), R(0.02), 0}, muscle.end[1] = (sn_vec3){R(0.05), R(0.02), 0};
    muscle.volume = R(1.5e-4);
    int under[1] = {0};
    sn_implicit_asset asset = {.bone_count = 2, .bones = bones, .muscle_count = 1, .muscles = &muscle};
    asset.centre_count = CENTRES, asset.centres = centres, asset.normals = normals;
    asset.vertex_count = VERTICES, asset.vertices = vertices, asset.influences = influences, asset.weights = weights;
    asset.triangle_count = 2 * (RINGS - 1) * AROUND, asset.triangles = triangles, asset.muscle_bones = under;
    sn_implicit_model_def model_def = sn_implicit_model_def_default();
    model_def.asset = &asset;
    sn_world_def world_def = sn_world_def_default();
    sn_implicit_model *model;
    sn_implicit_skin *skin;
    sn_world *world;
    sn_body muscles;
    if (sn_implicit_model_create(&model_def, &model) != SN_OK || sn_implicit_skin_create(model, &skin) != SN_OK)
        return 1;
    const sn_implicit_muscles_def muscles_def = sn_implicit_model_muscles(model);
    if (sn_world_create(&world_def, &world) != SN_OK ||
        sn_implicit_muscles_create(world, &muscles_def, &muscles) != SN_OK)
        return 1;

    static sn_vec3 positions[VERTICES], directions[VERTICES]; // a vertex buffer
    const sn_implicit_output out = {&positions[0].x, sizeof *positions, &directions[0].x, sizeof *directions};
    sn_implicit_tracked tracked = {0, 0};
    for (int frame = 1; frame <= 60; frame++) {
        const double angle = frame / 60.0 * 2.0944, part = frame / 60.0;
        const sn_transform poses[2] = {bones[0].rest, {{R(half), 0, 0}, {0, 0, R(sin(angle / 2)), R(cos(angle / 2))}}};
        const sn_implicit_muscle_keys keys = {R(part), 1, -1};
        sn_implicit_muscles_move(world, muscles, poses, 2);
        sn_implicit_muscles_set_keys(world, muscles, 0, &keys);
        sn_world_step(world, R(1.0 / 60), 1);
        if (sn_implicit_skin_update(skin, world, muscles, poses, &out, &tracked) != SN_OK) return 1;
    }
    double top = 0; // how far the upper arm reaches up
    for (int i = 0; i < VERTICES / 2 - 4 * AROUND; i++) top = fmax(top, (double)positions[i].y);
    printf("bent by 120 degrees: the upper arm is %.1f mm thick on top, %d of %d vertices touch, %d missed\n",
           1e3 * top, tracked.contacts, VERTICES, tracked.missed);
    sn_implicit_skin_destroy(skin);
    sn_implicit_model_destroy(model);
    sn_world_destroy(world);
    return tracked.missed == 0 && tracked.contacts > 0 && top > 1.05 * radius ? 0 : 1; // the muscle shows
}
