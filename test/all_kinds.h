// A world with a body of every kind, a muscle of rods, a joint and a skin.
#ifndef SN_TEST_ALL_KINDS_H
#define SN_TEST_ALL_KINDS_H

#include "elastic_asset_util.h"
#include "mixed_world.h"
#include "sinew/sinew.h"

enum { ALL_KINDS = 5, ALL_FIBRES = 3, ALL_FIBRE_POINTS = 6, ALL_VERTICES = 4 };

typedef struct {
    sn_world *world;
    sn_body rod, springs, elastic, muscles, rigid;
    sn_body body[ALL_KINDS]; // the same
    sn_body fibre[ALL_FIBRES];
    sn_bundle bundle;
    sn_joint joint;
    sn_elastic_model *model;
    sn_skin *skin;
    sn_skin_instance *instance; // follows the bundle
} all_kinds;

static inline void all_kinds_make_springs(all_kinds *all) {
    sn_spring_cloth cloth = sn_spring_cloth_default();
    sn_spring_net net;
    cloth.corner = (sn_vec3){0, 1, 2}, cloth.columns = cloth.rows = 6;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    net.masses[0] = 0;
    sn_springs_def def = sn_springs_def_of(&net);
    def.label = 12;
    CHECK_INT(sn_springs_create(all->world, &def, &all->springs), SN_OK);
    sn_spring_net_free(&net);
}

static inline void all_kinds_make_elastic(all_kinds *all) {
    const bar_def plan = {{3, 1, 1}, 0.15, {2, 1, 1}, false, true, false};
    all->model = bar_model(&plan, 0.08);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = all->model, def.position = (sn_vec3){0, 1, 4}, def.label = 13;
    CHECK_INT(sn_elastic_create(all->world, &def, &all->elastic), SN_OK);
}

static inline void all_kinds_make_muscles(all_kinds *all) {
    const sn_transform poses[2] = {{{0, 1, 6}, {0, 0, 0, 1}}, {{R(0.3), 1, 6}, {0, 0, 0, 1}}};
    const sn_implicit_muscle_bone bone = {0, {{0, 0, 0}, {R(0.25), 0, 0}}, {R(0.02), R(0.02)}, {0, 0}};
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
    muscle.bone[1] = 1, muscle.end[0] = (sn_vec3){R(0.05), R(0.05), 0}, muscle.end[1] = (sn_vec3){R(0.1), R(0.05), 0};
    muscle.normal[0] = muscle.normal[1] = (sn_vec3){0, 0, 1};
    muscle.volume = R(1e-4), muscle.points = 12;
    sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
    def.poses = poses, def.bone_count = 2, def.bones = &bone, def.collider_count = 1;
    def.muscles = &muscle, def.muscle_count = 1, def.label = 14;
    CHECK_INT(sn_implicit_muscles_create(all->world, &def, &all->muscles), SN_OK);
}

// Three fibres side by side, and a skin of a few vertices on them.
static inline void all_kinds_make_bundle(all_kinds *all) {
    for (int i = 0; i < ALL_FIBRES; i++) {
        sn_vec3 points[ALL_FIBRE_POINTS];
        sn_rod_def def = chain_def(points, ALL_FIBRE_POINTS);
        for (int k = 0; k < ALL_FIBRE_POINTS; k++) points[k].y = 1 + R(0.04) * R(i == 1), points[k].z = 8 + R(0.02 * i);
        def.clamp_first = true, def.label = (uint64_t)(20 + i);
        CHECK_INT(sn_rod_create(all->world, &def, &all->fibre[i]), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = all->fibre, def.rod_count = ALL_FIBRES, def.label = 30;
    CHECK_INT(sn_bundle_create(all->world, &def, &all->bundle), SN_OK);
    sn_vec3 positions[ALL_VERTICES];
    uint16_t handles[ALL_VERTICES * SN_SKIN_INFLUENCES] = {0};
    float weights[ALL_VERTICES * SN_SKIN_INFLUENCES] = {0};
    for (int i = 0; i < ALL_VERTICES; i++) {
        positions[i] = (sn_vec3){R(0.1 * i), R(1.05), 8};
        handles[i * SN_SKIN_INFLUENCES] = (uint16_t)i, weights[i * SN_SKIN_INFLUENCES] = 1;
    }
    sn_skin_def skin = sn_skin_def_default();
    skin.positions = positions, skin.vertex_count = ALL_VERTICES, skin.handles = handles, skin.weights = weights;
    skin.handle_count = ALL_FIBRE_POINTS;
    CHECK_INT(sn_skin_create(&skin, &all->skin), SN_OK);
    CHECK_INT(sn_skin_instance_create(all->skin, &all->instance), SN_OK);
    CHECK_INT(sn_skin_instance_bind_bundle(all->instance, all->world, all->bundle, NULL), SN_OK);
}

static inline bool all_kinds_begin(all_kinds *all, const sn_world_def *def) {
    *all = (all_kinds){.world = make_world(def)};
    if (!all->world) return false;
    sn_vec3 points[7];
    sn_rod_def rod = chain_def(points, 7);
    for (int i = 0; i < 7; i++) points[i].y = 1;
    rod.clamp_first = true, rod.label = 11;
    CHECK_INT(sn_rod_create(all->world, &rod, &all->rod), SN_OK);
    all_kinds_make_springs(all), all_kinds_make_elastic(all), all_kinds_make_muscles(all);
    sn_rigid_def ground = sn_rigid_def_default();
    ground.label = 15;
    CHECK_INT(sn_rigid_create(all->world, &ground, &all->rigid), SN_OK);
    all_kinds_make_bundle(all);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = all->rod, joint.segment_a = 6, joint.along_a = 1, joint.position = (sn_vec3){R(0.6), 1, 0};
    CHECK_INT(sn_joint_create(all->world, &joint, &all->joint), SN_OK);
    const sn_body bodies[ALL_KINDS] = {all->rod, all->springs, all->elastic, all->muscles, all->rigid};
    memcpy(all->body, bodies, sizeof bodies);
    return true;
}

static inline void all_kinds_end(all_kinds *all) {
    sn_skin_instance_destroy(all->instance);
    CHECK_INT(sn_skin_destroy(all->skin), SN_OK);
    sn_world_destroy(all->world);
    CHECK_INT(sn_elastic_model_destroy(all->model), SN_OK);
}

#endif
