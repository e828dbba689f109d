// Joined bodies do not collide at the joint, and do elsewhere. A thread is joined to the middle of something thick,
// where contacts would press out what the joint holds in: that must make neither energy nor momentum.
//
//            ________
//     ------/---o    \        the thread's end is held in the middle of a body of every kind
//           \________/
#include "elastic_asset_util.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

typedef enum { THICK_ROD, ELASTIC, SOLID, MUSCLE, CLOTH_IN_SOLID, BALL, BOX, KINDS } kind_of;
static const char *const names[KINDS] = {"rod", "elastic", "solid", "muscle", "cloth in a solid", "ball", "box"};

enum { POINTS = 16, MOST = 256 };

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_model *model;
    sn_world *world;
    sn_body thread, thick;
    sn_body cloth, solid;
    sn_body elastic;
    sn_body muscles;
    sn_body shape;
    sn_joint joint;
} tied;

// A bar of 0.4 x 0.2 x 0.2 m with its axis along x through the origin, and medial balls along that.
static sn_elastic_asset bar(sn_memory *memory) {
    sn_elastic_asset asset = {0};
    const bar_def def = {.cells = {8, 4, 4}, .cell = 0.05, .handles = {5, 1, 1}};
    bar_make(memory, &def, &asset);
    asset.cone_count = asset.sphere_count - 1;
    asset.cones = sn_alloc(memory, (size_t)asset.cone_count, sizeof *asset.cones);
    for (int i = 0; i < asset.sphere_count; i++) {
        asset.radius[i] = R(0.1);
        if (i > 0) asset.cones[i - 1][0] = i - 1, asset.cones[i - 1][1] = i;
    }
    return asset;
}

// The point nearest to a place.
static int nearest(const sn_vec3 *points, int count, sn_vec3 to) {
    int best = 0;
    double least = 1e30;
    for (int i = 0; i < count; i++) {
        const double d = pow((double)(points[i].x - to.x), 2) + pow((double)(points[i].y - to.y), 2) +
                         pow((double)(points[i].z - to.z), 2);
        if (d < least) least = d, best = i;
    }
    return best;
}

static void make_thick(tied *t, kind_of kind, sn_joint_def *joint) {
    sn_vec3 points[MOST];
    switch (kind) {
    case THICK_ROD: {
        for (int i = 0; i < 9; i++) points[i] = (sn_vec3){R(-0.2 + 0.05 * i), 0, 0};
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.point_count = 9, def.radius = R(0.1), def.material.damping = 0;
        CHECK_INT(sn_rod_create(t->world, &def, &t->thick), SN_OK);
        joint->body_b = t->thick, joint->segment_b = 4, joint->along_b = 1;
        break;
    }
    case ELASTIC: {
        sn_elastic_def def = sn_elastic_def_default();
        def.model = t->model, def.damping = 0, def.position = (sn_vec3){R(-0.2), R(-0.1), R(-0.1)};
        CHECK_INT(sn_elastic_create(t->world, &def, &t->elastic), SN_OK);
        const int count = sn_body_get_points(t->world, t->elastic, points, MOST);
        joint->body_b = t->elastic, joint->point_b = nearest(points, count, (sn_vec3){0, 0, 0});
        break;
    }
    case SOLID:
    case CLOTH_IN_SOLID: {
        const sn_elastic_asset *a = &t->asset;
        REQUIRE(a->vertex_count <= MOST);
        for (int i = 0; i < a->vertex_count; i++)
            points[i] = (sn_vec3){a->rest[i].x - R(0.2), a->rest[i].y - R(0.1), a->rest[i].z - R(0.1)};
        sn_spring_solid solid = sn_spring_solid_default();
        solid.points = points, solid.count = a->vertex_count;
        solid.tets = &a->tets[0][0], solid.tet_count = a->tet_count;
        sn_spring_net net;
        CHECK_INT(sn_springs_make_solid(&solid, NULL, &net), SN_OK);
        sn_springs_def def = sn_springs_def_of(&net);
        CHECK_INT(sn_springs_create(t->world, &def, &t->solid), SN_OK);
        joint->body_b = t->solid, joint->point_b = nearest(points, a->vertex_count, (sn_vec3){0, 0, 0});
        sn_spring_net_free(&net);
        break;
    }
    case MUSCLE: {
        const sn_transform poses[2] = {{{R(-0.3), 0, 0}, {0, 0, 0, 1}}, {{R(0.3), 0, 0}, {0, 0, 0, 1}}};
        const sn_implicit_muscle_bone bone = {
            .bone = 1, .ends = {{R(-0.6), R(-0.25), 0}, {0, R(-0.25), 0}}, .radii = {R(0.05), R(0.05)}};
        sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
        muscle.bone[1] = 1, muscle.volume = R(1e-2), muscle.points = 15;
        sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
        def.poses = poses, def.bone_count = 2, def.bones = &bone, def.collider_count = 1;
        def.muscles = &muscle, def.muscle_count = 1;
        CHECK_INT(sn_implicit_muscles_create(t->world, &def, &t->muscles), SN_OK);
        const int count = sn_body_get_points(t->world, t->muscles, points, MOST);
        joint->body_b = t->muscles, joint->point_b = 2 + nearest(points + 2, count - 2, (sn_vec3){0, 0, 0});
        break;
    }
    case BALL:
    case BOX: {
        sn_rigid_def def = sn_rigid_def_default();
        def.geometry = kind == BALL ? SN_GEOMETRY_SPHERE : SN_GEOMETRY_BOX;
        def.radii[0] = R(0.1), def.half = (sn_vec3){R(0.1), R(0.1), R(0.1)};
        CHECK_INT(sn_rigid_create(t->world, &def, &t->shape), SN_OK);
        joint->body_b = t->shape;
        break;
    }
    case KINDS:
        break;
    }
}

// A thread, or a strip of cloth, that is tied by its end to the middle of something thick and hangs out of it.
static tied tie_in(kind_of kind, bool touch, int workers) {
    tied t = {0};
    sn_memory_init(&t.memory, NULL);
    t.asset = bar(&t.memory);
    sn_elastic_model_def model = sn_elastic_model_def_default();
    model.asset = &t.asset;
    CHECK_INT(sn_elastic_model_create(&model, &t.model), SN_OK);
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0}, def.iterations = 16, def.worker_count = workers;
    CHECK_INT(sn_world_create(&def, &t.world), SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.collide = touch;
    make_thick(&t, kind, &joint);
    if (kind == CLOTH_IN_SOLID) {
        sn_spring_cloth cloth = sn_spring_cloth_default();
        cloth.corner = (sn_vec3){0, 0, 0}, cloth.mass = R(0.1);
        cloth.across = (sn_vec3){R(0.06), 0, 0}, cloth.down = (sn_vec3){0, R(0.4), R(0.02)};
        cloth.columns = 4, cloth.rows = 21;
        sn_spring_net net;
        CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
        sn_springs_def body = sn_springs_def_of(&net);
        CHECK_INT(sn_springs_create(t.world, &body, &t.cloth), SN_OK);
        sn_spring_net_free(&net);
        sn_vec3 v[84];
        for (int i = 0; i < 84; i++) v[i] = (sn_vec3){R(0.02 * (i / 4)), 0, R(0.05 * (i / 4))};
        sn_springs_set_velocities(t.world, t.cloth, v, 84);
        joint.body_a = t.cloth, joint.point_a = 0;
    } else {
        sn_vec3 points[POINTS];
        for (int i = 0; i < POINTS; i++) points[i] = (sn_vec3){R(0.003 * i), R(0.02 * i), R(0.002 * i)};
        sn_rod_def thread = sn_rod_def_default();
        thread.points = points, thread.point_count = POINTS, thread.radius = R(0.005), thread.material.damping = 0;
        thread.material.young = R(1e6);
        CHECK_INT(sn_rod_create(t.world, &thread, &t.thread), SN_OK);
        sn_vec3 v[POINTS];
        for (int i = 0; i < POINTS; i++) v[i] = (sn_vec3){R(0.1 * i), 0, R(0.03 * i)};
        sn_rod_set_velocities(t.world, t.thread, v, POINTS);
        joint.body_a = t.thread, joint.segment_a = 1, joint.along_a = 0;
    }
    CHECK_INT(sn_joint_create(t.world, &joint, &t.joint), SN_OK);
    return t;
}

static void untie(tied *t) {
    sn_world_destroy(t->world);
    sn_elastic_model_destroy(t->model);
    sn_elastic_asset_free(&t->memory, &t->asset);
}

// Of the world; of a character's world that of the thread alone, of 1 kg a point: muscles have their own.
static double energy(const tied *t) {
    const sn_energy e = sn_world_energy(t->world);
    if (!t->muscles.slot1) return e.kinetic + e.elastic;
    sn_vec3 v[POINTS];
    double sum = 0;
    sn_body_get_velocities(t->world, t->thread, v, POINTS);
    for (int i = 0; i < POINTS; i++) sum += 0.5 * (double)(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    return sum;
}

static sn_status step(const tied *t) {
    return sn_world_step(t->world, R(1.0 / 60), 8);
}

TEST(a_joint_inside_a_body_makes_no_energy) {
    for (int kind = 0; kind < KINDS; kind++) {
        tied t = tie_in((kind_of)kind, false, 1);
        const double start = energy(&t);
        const sn_momentum before = sn_world_momentum(t.world);
        double most = 0, deepest = 0, drift = 0, size = 0;
        for (int i = 0; i < 60; i++) {
            CHECK_INT(step(&t), SN_OK);
            most = fmax(most, energy(&t));
            deepest = fmax(deepest, sn_world_penetration(t.world));
        }
        const sn_momentum after = sn_world_momentum(t.world);
        for (int k = 0; k < 3; k++) {
            drift = fmax(drift, fabs(after.linear[k] - before.linear[k]));
            size = fmax(size, fabs(before.linear[k]));
        }
        printf("  %s: %.3g J, then at most %.3g J; overlap %.3g, drift %.3g\n", names[kind], start, most, deepest,
               drift / size);
        CHECK(most < 1.001 * start);
        CHECK(deepest < 0.2);
        if (kind != MUSCLE && kind != BALL && kind != BOX) // those are held
            CHECK(drift < (sizeof(sn_real) == 8 ? 1e-9 : 3e-5) * size);
        untie(&t);
    }
}

// How far apart the threads, or the cloths, of two worlds are.
static double distance_between(const tied *one, const tied *two) {
    enum { POINTS_MAX = 256 };
    sn_vec3 points[2][POINTS_MAX];
    const bool cloth = !sn_body_exists(one->world, one->thread);
    const int count = sn_body_get_points(one->world, cloth ? one->cloth : one->thread, points[0], POINTS_MAX);
    sn_body_get_points(two->world, cloth ? two->cloth : two->thread, points[1], POINTS_MAX);
    double far = 0;
    for (int i = 0; i < count && i < POINTS_MAX; i++)
        far =
            fmax(far, hypot(hypot((double)(points[0][i].x - points[1][i].x), (double)(points[0][i].y - points[1][i].y)),
                            (double)(points[0][i].z - points[1][i].z)));
    return far;
}

TEST(a_joint_with_contact_is_pressed_out_of_the_body) {
    for (int kind = 0; kind < KINDS; kind++) {
        tied with = tie_in((kind_of)kind, true, 1), without = tie_in((kind_of)kind, false, 1);
        for (int i = 0; i < 10; i++) step(&with), step(&without);
        const double far = distance_between(&with, &without);
        printf("  %s: %.3g m from where it is without contact\n", names[kind], far);
        CHECK(far > 0.02);
        untie(&with);
        untie(&without);
    }
}

TEST(joined_bodies_are_the_same_on_two_workers_and_after_a_restore) {
    for (int kind = 0; kind < KINDS; kind++) {
        tied one = tie_in((kind_of)kind, false, 1), two = tie_in((kind_of)kind, false, 2);
        for (int i = 0; i < 8; i++) step(&one), step(&two);
        CHECK(sn_world_hash(one.world) == sn_world_hash(two.world));
        const size_t size = sn_world_save(one.world, NULL, 0);
        void *bytes = malloc(size);
        sn_world_save(one.world, bytes, size);
        sn_world_def def = sn_world_def_default();
        sn_world *again = NULL;
        REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
        for (int i = 0; i < 16; i++) {
            step(&one);
            CHECK_INT(sn_world_step(again, R(1.0 / 60), 8), SN_OK);
        }
        CHECK(sn_world_hash(one.world) == sn_world_hash(again));
        CHECK(sn_joint_exists(again, one.joint));
        free(bytes);
        sn_world_destroy(again);
        untie(&one), untie(&two);
    }
}

// A thread leaves a thick rod, to whose middle it is tied, and is wound around it; its other end is pulled. It tightens
// and stays outside: only its way out is at the joint.
TEST(a_thread_joined_to_a_rod_and_wound_around_it_stays_outside) {
    enum { WOUND = 60 };
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0}, def.iterations = 8;
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_vec3 points[WOUND];
    for (int i = 0; i < 9; i++) points[i] = (sn_vec3){R(-0.2 + 0.05 * i), 0, 0};
    sn_rod_def thick = sn_rod_def_default();
    thick.points = points, thick.point_count = 9, thick.radius = R(0.1), thick.clamp_first = thick.clamp_last = true;
    sn_body trunk, thread;
    REQUIRE(sn_rod_create(world, &thick, &trunk) == SN_OK);
    for (int i = 0; i < WOUND; i++) {
        const double angle = i < 8 ? 0 : 0.2 * (i - 7), out = i < 8 ? 0.11 * i / 7 : 0.11;
        points[i] = (sn_vec3){R(0.0015 * i), R(out * cos(angle)), R(out * sin(angle))};
    }
    sn_rod_def soft = sn_rod_def_default();
    soft.points = points, soft.point_count = WOUND, soft.radius = R(0.005);
    soft.material = sn_material_make(R(1e5), R(0.45), R(1000));
    REQUIRE(sn_rod_create(world, &soft, &thread) == SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = thread, joint.along_a = 0, joint.body_b = trunk, joint.segment_b = 4, joint.along_b = 1;
    sn_joint id;
    REQUIRE(sn_joint_create(world, &joint, &id) == SN_OK);
    joint = sn_joint_def_default();
    joint.body_a = thread, joint.segment_a = WOUND - 1, joint.along_a = 1, joint.max_force = R(0.05);
    joint.position = (sn_vec3){R(0.1), R(2), R(-2)};
    REQUIRE(sn_joint_create(world, &joint, &id) == SN_OK);
    double least = 1;
    int touched = 0;
    for (int i = 0; i < 60; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 8), SN_OK);
        sn_body_get_points(world, thread, points, WOUND);
        for (int k = 20; k < WOUND; k++) least = fmin(least, hypot((double)points[k].y, (double)points[k].z));
        touched += sn_world_profile(world).contacts;
    }
    printf("  nearest to the axis: %.4f m\n", least);
    CHECK(touched > 0);
    CHECK(least > 0.095);
    sn_world_destroy(world);
}

// Two rods tied end to end are closed like a pair of scissors: they meet at their other ends.
TEST(rods_joined_end_to_end_still_collide_elsewhere) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0}, def.iterations = 8;
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_body rods[2];
    for (int k = 0; k < 2; k++) {
        sn_vec3 points[9], v[9];
        const double side = k ? -1 : 1;
        for (int i = 0; i < 9; i++) {
            points[i] = (sn_vec3){R(0.03 * i), R(side * 0.045 * i), 0};
            v[i] = (sn_vec3){0, R(-side * 0.15 * i), 0};
        }
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.point_count = 9, rod.radius = R(0.02);
        REQUIRE(sn_rod_create(world, &rod, &rods[k]) == SN_OK);
        sn_rod_set_velocities(world, rods[k], v, 9);
    }
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = rods[0], joint.along_a = 0, joint.body_b = rods[1], joint.along_b = 0;
    sn_joint id;
    REQUIRE(sn_joint_create(world, &joint, &id) == SN_OK);
    CHECK_INT(sn_world_step(world, R(1.0 / 60), 8), SN_OK);
    CHECK_INT(sn_world_profile(world).contacts, 0); // at the joint they do not
    double least = 1;
    int touched = 0;
    for (int i = 0; i < 60; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 8), SN_OK);
        sn_vec3 a[9], b[9];
        sn_body_get_points(world, rods[0], a, 9);
        sn_body_get_points(world, rods[1], b, 9);
        least = fmin(least, (double)(a[8].y - b[8].y));
        touched += sn_world_profile(world).contacts;
    }
    printf("  ends get to %.4f m from each other\n", least);
    CHECK(touched > 0);
    CHECK(least > 0.035);
    sn_world_destroy(world);
}

// What is held outside touches as ever: a rod on a ball, whose middle is tied where it lies.
TEST(a_joint_outside_a_body_keeps_contact) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_rigid_def ball = sn_rigid_def_default();
    ball.geometry = SN_GEOMETRY_SPHERE, ball.radii[0] = R(0.1);
    sn_body shape;
    REQUIRE(sn_rigid_create(world, &ball, &shape) == SN_OK);
    sn_vec3 points[9];
    for (int i = 0; i < 9; i++) points[i] = (sn_vec3){R(-0.08 + 0.02 * i), R(0.111), 0};
    sn_rod_def soft = sn_rod_def_default();
    soft.points = points, soft.point_count = 9, soft.radius = R(0.01);
    soft.material = sn_material_make(R(2e4), R(0.45), R(1000));
    sn_body rod;
    REQUIRE(sn_rod_create(world, &soft, &rod) == SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = rod, joint.segment_a = 4, joint.along_a = 1, joint.body_b = shape, joint.keep_offset = true;
    sn_joint id;
    REQUIRE(sn_joint_create(world, &joint, &id) == SN_OK);
    int touched = 0;
    for (int i = 0; i < 30; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 8), SN_OK);
        touched += sn_world_profile(world).contacts;
    }
    CHECK(touched > 0);
    CHECK(sn_world_penetration(world) < 0.1);
    sn_world_destroy(world);
}

// A trunk that is clamped in the ground, or in a block: 'radius' of it is below. Its tip's height after a second.
static sn_vec3 tip_of_trunk(int ground, sn_real young, sn_real *lowest) {
    enum { COUNT = 13 };
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    const sn_vec3 nothing = {0, 0, 0};
    if (!CHECK(sn_world_create(&def, &world) == SN_OK)) return nothing;
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    sn_rigid_def shape = sn_rigid_def_default();
    shape.geometry = ground == 2 ? SN_GEOMETRY_BOX : SN_GEOMETRY_PLANE;
    shape.half = (sn_vec3){R(0.5), R(0.1), R(0.5)};
    if (ground == 2) shape.position.y = R(-0.1);
    sn_body id;
    if (ground) CHECK_INT(sn_rigid_create(world, &shape, &id), SN_OK);
    sn_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) points[i] = (sn_vec3){R(0.001 * i), R(0.05 * i), 0};
    sn_rod_def trunk = sn_rod_def_default();
    trunk.points = points, trunk.point_count = COUNT, trunk.radius = R(0.06), trunk.clamp_first = true;
    trunk.material = sn_material_make(young, R(0.45), R(1000));
    sn_body rod;
    CHECK_INT(sn_rod_create(world, &trunk, &rod), SN_OK);
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
    CHECK_NEAR(sn_world_energy_balance(world).rise, 0, 1e-3);
    CHECK_INT(sn_body_get_points(world, rod, points, COUNT), COUNT);
    *lowest = points[COUNT - 1].y;
    for (int i = 2; i < COUNT; i++) *lowest = points[i].y < *lowest ? points[i].y : *lowest;
    sn_world_destroy(world);
    return points[COUNT - 1];
}

// It bends as if nothing were there, and makes no energy; what is soft and bends over lies on the ground.
TEST(a_trunk_clamped_in_the_ground_does_not_fight_it) {
    sn_real lowest;
    const sn_vec3 alone = tip_of_trunk(0, R(1e6), &lowest);
    for (int ground = 1; ground < 3; ground++) {
        const sn_vec3 tip = tip_of_trunk(ground, R(1e6), &lowest);
        CHECK_NEAR(tip.x, alone.x, 1e-5);
        CHECK_NEAR(tip.y, alone.y, 1e-5);
        tip_of_trunk(ground, R(5e3), &lowest);
        CHECK(lowest > R(0.03));
    }
}

// A rope that a joint holds in space where a beam is: the joint and contacts with the beam do not fight.
TEST(a_rope_joined_to_space_inside_a_beam_hangs_still) {
    enum { COUNT = 9 };
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    sn_rigid_def beam = sn_rigid_def_default();
    beam.geometry = SN_GEOMETRY_BOX, beam.half = (sn_vec3){R(0.3), R(0.1), R(0.1)}, beam.position.y = R(0.1);
    sn_body id, rope;
    REQUIRE(sn_rigid_create(world, &beam, &id) == SN_OK);
    sn_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) points[i] = (sn_vec3){0, R(-0.1 * i), 0};
    sn_rod_def hanging = sn_rod_def_default();
    hanging.points = points, hanging.point_count = COUNT, hanging.radius = R(0.03);
    REQUIRE(sn_rod_create(world, &hanging, &rope) == SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = rope, joint.segment_a = 1, joint.along_a = 0, joint.position = points[0];
    sn_joint held;
    REQUIRE(sn_joint_create(world, &joint, &held) == SN_OK);
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
    CHECK_NEAR(sn_world_energy_balance(world).rise, 0, 1e-3);
    CHECK_INT(sn_body_get_points(world, rope, points, COUNT), COUNT);
    CHECK_NEAR(points[0].y, 0, 1e-4);
    CHECK_NEAR(points[COUNT - 1].x, 0, 1e-3);
    sn_world_destroy(world);
}

// A rod on the ground at a tether, or pulled down by a soft joint, keeps its contact there.
TEST(what_a_joint_only_pulls_at_still_touches) {
    for (int soft = 0; soft < 2; soft++) {
        sn_world_def def = sn_world_def_default();
        sn_world *world = NULL;
        REQUIRE(sn_world_create(&def, &world) == SN_OK);
        sn_rigid_def ground = sn_rigid_def_default();
        sn_body id, rod;
        REQUIRE(sn_rigid_create(world, &ground, &id) == SN_OK);
        sn_vec3 points[5];
        for (int i = 0; i < 5; i++) points[i] = (sn_vec3){R(0.1 * i), R(0.0299), 0};
        sn_rod_def lying = sn_rod_def_default();
        lying.points = points, lying.point_count = 5, lying.radius = R(0.03);
        REQUIRE(sn_rod_create(world, &lying, &rod) == SN_OK);
        sn_joint_def joint = sn_joint_def_default();
        joint.body_a = rod, joint.segment_a = 4, joint.along_a = 1;
        joint.kind = soft ? SN_JOINT_POINT : SN_JOINT_DISTANCE;
        if (soft)
            joint.compliance = R(1e-2), joint.position = (sn_vec3){R(0.4), R(-0.1), 0};
        else
            joint.position = points[4], joint.position_b = (sn_vec3){R(0.9), R(0.0299), 0};
        sn_joint made;
        REQUIRE(sn_joint_create(world, &joint, &made) == SN_OK);
        for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
        CHECK_INT(sn_body_get_points(world, rod, points, 5), 5);
        CHECK(points[4].y > R(0.029));
        sn_world_destroy(world);
    }
}
