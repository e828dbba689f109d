// A small implicit model for tests: see tube_model.
#ifndef SN_TEST_IMPLICIT_TUBE_H
#define SN_TEST_IMPLICIT_TUBE_H

#include "sinew/sinew.h"
#include <math.h>
#include <string.h>

#ifndef R
#define R(x) ((sn_real)(x))
#endif

enum { TUBE_ROUND = 6, TUBE_LENGTH = 5, TUBE_VERTICES = TUBE_ROUND * TUBE_LENGTH, TUBE_CENTRES = 8 };

// A tube along x over two bones, with a muscle in it.
static inline sn_status tube_model(const sn_allocator *allocator, sn_implicit_model **out) {
    sn_vec3 vertices[TUBE_VERTICES], centres[2 * TUBE_CENTRES], normals[2 * TUBE_CENTRES];
    int influences[TUBE_VERTICES][SN_SKIN_INFLUENCES] = {{0}}, triangles[2 * (TUBE_LENGTH - 1) * TUBE_ROUND][3],
        under = 0, count = 0;
    sn_real weights[TUBE_VERTICES][SN_SKIN_INFLUENCES] = {{0}};
    for (int i = 0; i < TUBE_VERTICES; i++) {
        const double x = 0.1 * (i / TUBE_ROUND), turn = 2 * 3.14159265 * i / TUBE_ROUND;
        vertices[i] = (sn_vec3){R(x), R(0.05 * cos(turn)), R(0.05 * sin(turn))};
        influences[i][0] = x > 0.2, influences[i][1] = x <= 0.2, weights[i][0] = R(0.8), weights[i][1] = R(0.2);
        if (i / TUBE_ROUND == TUBE_LENGTH - 1) continue;
        const int next = i % TUBE_ROUND == TUBE_ROUND - 1 ? i + 1 - TUBE_ROUND : i + 1;
        memcpy(triangles[count++], (int[3]){i, next, i + TUBE_ROUND}, sizeof triangles[0]);
        memcpy(triangles[count++], (int[3]){next, next + TUBE_ROUND, i + TUBE_ROUND}, sizeof triangles[0]);
    }
    for (int i = 0; i < 2 * TUBE_CENTRES; i++) {
        const double x = 0.02 * (i % TUBE_CENTRES), turn = 2.4 * (i % TUBE_CENTRES);
        centres[i] = (sn_vec3){R(x), R(0.05 * cos(turn)), R(0.05 * sin(turn))};
        normals[i] = (sn_vec3){0, R(cos(turn)), R(sin(turn))};
    }
    sn_implicit_bone bones[2] = {{.parent = -1}, {.parent = 0, .kind = SN_FOLD_ELBOW}};
    for (int b = 0; b < 2; b++) {
        bones[b].rest = (sn_transform){{R(0.2 * b), 0, 0}, {0, 0, 0, 1}};
        bones[b].first_centre = b * TUBE_CENTRES, bones[b].centre_count = TUBE_CENTRES;
        bones[b].reach = bones[b].radius = R(0.05);
    }
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
    muscle.bone[1] = 1, muscle.end[0] = (sn_vec3){R(0.1), 0, 0}, muscle.end[1] = (sn_vec3){R(0.1), 0, 0};
    muscle.volume = R(1e-4), muscle.points = 8;
    sn_implicit_muscle_bone collider = {1, {{0, 0, 0}, {R(0.2), 0, 0}}, {R(0.01), R(0.01)}, {0, 0}};
    const sn_implicit_asset asset = {.bone_count = 2,
                                     .bones = bones,
                                     .centre_count = 2 * TUBE_CENTRES,
                                     .centres = centres,
                                     .normals = normals,
                                     .vertex_count = TUBE_VERTICES,
                                     .vertices = vertices,
                                     .influences = influences,
                                     .weights = weights,
                                     .triangle_count = count,
                                     .triangles = triangles,
                                     .muscle_count = 1,
                                     .muscles = &muscle,
                                     .muscle_bones = &under,
                                     .collider_count = 1,
                                     .colliders = &collider};
    sn_implicit_model_def def = sn_implicit_model_def_default();
    def.asset = &asset;
    if (allocator) def.allocator = *allocator;
    return sn_implicit_model_create(&def, out);
}

#endif
