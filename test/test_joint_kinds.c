// Joints between bodies of different kinds: they hold, they keep momentum, they are saved, and they go with their bodies.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

typedef struct {
    sn_world *world;
    sn_body rod;
    sn_body cloth;
    sn_joint joint;
} tied;

// A free rod tied by the middle of its last segment to a corner of free cloth, without gravity.
static tied tie(int workers) {
    tied t = {0};
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0};
    def.worker_count = workers;
    def.iterations = 8; // bodies and joints take turns
    if (sn_world_create(&def, &t.world) != SN_OK) return t;
    sn_vec3 points[8];
    for (int i = 0; i < 8; i++) points[i] = (sn_vec3){R(-0.35 + 0.05 * i), 0, 0};
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 8, rod.radius = R(0.01);
    rod.velocity = (sn_vec3){R(-1), R(0.5), 0};
    rod.collide = false;
    rod.material.damping = 0;
    sn_rod_create(t.world, &rod, &t.rod);
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.columns = cloth.rows = 6;
    cloth.across = (sn_vec3){R(0.25), 0, 0}, cloth.down = (sn_vec3){0, 0, R(0.25)};
    sn_spring_net net;
    sn_springs_make_cloth(&cloth, NULL, &net);
    sn_springs_def body = sn_springs_def_of(&net);
    body.collide = false;
    sn_springs_create(t.world, &body, &t.cloth);
    sn_spring_net_free(&net);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = t.rod, joint.segment_a = 7, joint.along_a = 1;
    joint.body_b = t.cloth, joint.point_b = 0;
    sn_joint_create(t.world, &joint, &t.joint);
    return t;
}

static double apart(const tied *t) {
    sn_vec3 rod[8], cloth[36];
    sn_body_get_points(t->world, t->rod, rod, 8);
    sn_body_get_points(t->world, t->cloth, cloth, 36);
    return sqrt(pow((double)(rod[7].x - cloth[0].x), 2) + pow((double)(rod[7].y - cloth[0].y), 2) +
                pow((double)(rod[7].z - cloth[0].z), 2));
}

TEST(a_rod_drags_cloth_along_and_momentum_stays) {
    tied t = tie(1);
    REQUIRE(t.joint.slot1 != 0);
    const sn_momentum before = sn_world_momentum(t.world);
    double worst = 0;
    for (int i = 0; i < 30; i++) {
        sn_world_step(t.world, R(1.0 / 60), 4);
        worst = fmax(worst, apart(&t));
    }
    const sn_momentum after = sn_world_momentum(t.world);
    const double size = hypot(before.linear[0], before.linear[1]);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(after.linear[k], before.linear[k], (sizeof(sn_real) == 8 ? 1e-9 : 1e-5) * size);
    CHECK(worst < 0.001);
    sn_vec3 v[36];
    sn_body_get_velocities(t.world, t.cloth, v, 36);
    double mean = 0;
    for (int i = 0; i < 36; i++) mean += (double)v[i].x / 36;
    CHECK(mean < -0.02); // it was at rest
    sn_world_destroy(t.world);
}

TEST(joints_of_kinds_are_the_same_on_two_workers_and_after_a_restore) {
    tied one = tie(1), two = tie(2);
    REQUIRE(one.joint.slot1 && two.joint.slot1);
    for (int i = 0; i < 10; i++) {
        sn_world_step(one.world, R(1.0 / 60), 2);
        sn_world_step(two.world, R(1.0 / 60), 2);
    }
    CHECK(sn_world_hash(one.world) == sn_world_hash(two.world));
    const size_t size = sn_world_save(one.world, NULL, 0);
    void *bytes = malloc(size);
    sn_world_save(one.world, bytes, size);
    sn_world_def def = sn_world_def_default();
    sn_world *again;
    REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
    for (int i = 0; i < 10; i++) {
        sn_world_step(one.world, R(1.0 / 60), 2);
        sn_world_step(again, R(1.0 / 60), 2);
    }
    CHECK(sn_world_hash(one.world) == sn_world_hash(again));
    CHECK(sn_joint_exists(again, one.joint));
    free(bytes);
    sn_world_destroy(again);
    sn_world_destroy(one.world);
    sn_world_destroy(two.world);
}

TEST(a_point_of_space_pulls_on_cloth_no_harder_than_told) {
    tied t = tie(1);
    REQUIRE(t.joint.slot1 != 0);
    sn_joint_destroy(t.world, t.joint);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = t.cloth, joint.point_a = 35, joint.max_force = R(0.2);
    joint.position = (sn_vec3){0, R(5), 0};
    sn_joint hand;
    REQUIRE(sn_joint_create(t.world, &joint, &hand) == SN_OK);
    const sn_momentum before = sn_world_momentum(t.world);
    for (int i = 0; i < 30; i++) sn_world_step(t.world, R(1.0 / 60), 2);
    const sn_momentum after = sn_world_momentum(t.world);
    double change = 0;
    for (int k = 0; k < 3; k++) change += pow(after.linear[k] - before.linear[k], 2);
    CHECK_NEAR(sqrt(change), 0.2 * 0.5, 0.005); // force times time; its direction hardly turns
    CHECK_NEAR(sn_joint_force(t.world, hand), 0.2, 1e-3);
    sn_world_destroy(t.world);
}

static int lines;
static char fields[256];
static void hear(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code, (void)text;
    lines++;
    strncat(fields, field, sizeof fields - strlen(fields) - 2);
    strcat(fields, " ");
}

TEST(errors_in_joints_of_kinds_are_named) {
    sn_world_def def = sn_world_def_default();
    def.log = hear;
    sn_world *world;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_spring_chain chain = sn_spring_chain_default();
    sn_spring_net net;
    sn_springs_make_chain(&chain, NULL, &net);
    sn_springs_def body = sn_springs_def_of(&net);
    sn_body springs;
    REQUIRE(sn_springs_create(world, &body, &springs) == SN_OK);
    sn_spring_net_free(&net);
    sn_joint joint;
    sn_joint_def bad = sn_joint_def_default();
    bad.body_a = springs, bad.point_a = 11; // it has 0 to 10
    bad.body_b = (sn_body){SN_KIND_ROD, 9, 9};
    bad.kind = SN_JOINT_WELD;
    lines = 0, fields[0] = 0;
    CHECK_INT(sn_joint_create(world, &bad, &joint), SN_ERR_DEF);
    CHECK_INT(lines, 3);
    CHECK(strstr(fields, "point_a") && strstr(fields, "body_b") && strstr(fields, "kind"));
    bad = sn_joint_def_default();
    bad.body_a = springs, bad.body_b = springs;
    CHECK_INT(sn_joint_create(world, &bad, &joint), SN_ERR_DEF);
    bad.point_b = 10;
    CHECK_INT(sn_joint_create(world, &bad, &joint), SN_OK);
    CHECK_INT(sn_body_destroy(world, springs), SN_OK);
    CHECK(!sn_joint_exists(world, joint));
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    sn_world_destroy(world);
}

// A character of two bones, one with a pill along it, and a muscle beside it; a rod hangs on one of its points.
static sn_joint hang(sn_world *world, sn_body *muscles, sn_body *rod, int point) {
    const sn_transform poses[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{R(0.5), 0, 0}, {0, 0, 0, 1}}};
    const sn_implicit_muscle_bone bone = {
        .bone = 1, .ends = {{0, R(-0.3), 0}, {R(0.4), R(-0.3), 0}}, .radii = {R(0.02), R(0.02)}};
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
    muscle.bone[1] = 1, muscle.volume = R(2e-3), muscle.points = 9;
    sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
    def.poses = poses, def.bone_count = 2, def.bones = &bone, def.collider_count = 1;
    def.muscles = &muscle, def.muscle_count = 1;
    CHECK_INT(sn_implicit_muscles_create(world, &def, muscles), SN_OK);
    sn_vec3 at[16];
    CHECK_INT(sn_body_get_points(world, *muscles, at, 16), 2 + 9);
    sn_vec3 points[6];
    for (int i = 0; i < 6; i++) points[i] = (sn_vec3){at[point].x, at[point].y - R(0.05) * (sn_real)i, at[point].z};
    sn_rod_def thread = sn_rod_def_default();
    thread.points = points, thread.point_count = 6, thread.radius = R(0.005), thread.collide = false;
    CHECK_INT(sn_rod_create(world, &thread, rod), SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = *rod, joint.along_a = 0, joint.body_b = *muscles, joint.point_b = point;
    sn_joint id;
    CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
    return id;
}

static double slack(const sn_world *world, sn_body muscles, sn_body rod, int point) {
    sn_vec3 at[16], on[6];
    sn_body_get_points(world, muscles, at, 16);
    sn_body_get_points(world, rod, on, 6);
    return sqrt(pow((double)(on[0].x - at[point].x), 2) + pow((double)(on[0].y - at[point].y), 2) +
                pow((double)(on[0].z - at[point].z), 2));
}

TEST(a_rod_hangs_on_a_bone_and_on_a_muscle_of_a_character) {
    for (int point = 1; point < 7; point += 5) { // an end of the bone, and the middle of the muscle
        sn_world_def def = sn_world_def_default();
        def.iterations = 4;
        sn_world *world = NULL, *again = NULL;
        REQUIRE(sn_world_create(&def, &world) == SN_OK);
        sn_body muscles;
        sn_body rod;
        const sn_joint joint = hang(world, &muscles, &rod, point);
        for (int i = 0; i < 60; i++) {
            const sn_transform pose = {{R(0.5), R(0.2 * sin(0.05 * i)), 0}, {0, 0, 0, 1}};
            CHECK_INT(sn_implicit_muscles_move_bone(world, muscles, 1, &pose), SN_OK);
            CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
            CHECK(slack(world, muscles, rod, point) < 2e-3);
        }
        const size_t size = sn_world_save(world, NULL, 0);
        void *bytes = malloc(size);
        sn_world_save(world, bytes, size);
        REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
        for (int i = 0; i < 10; i++) sn_world_step(world, R(1.0 / 60), 4), sn_world_step(again, R(1.0 / 60), 4);
        CHECK(sn_world_hash(world) == sn_world_hash(again));
        CHECK(sn_joint_exists(world, joint) && sn_joint_force(world, joint) > 0);
        sn_body_destroy(world, muscles); // and the joint with it
        sn_world_step(world, R(1.0 / 60), 4);
        CHECK(!sn_joint_exists(world, joint));
        sn_world_destroy(again);
        sn_world_destroy(world);
        free(bytes);
    }
}

// Held beside a bone, a rod goes around with it: the offset is the bone's.
TEST(what_is_held_beside_a_bone_goes_around_with_it) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0}, def.iterations = 8;
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_body muscles;
    sn_body rod;
    sn_joint_destroy(world, hang(world, &muscles, &rod, 1));
    sn_vec3 at[16], on[6];
    // bone 1 was turned before: what counts is how it stands to the rod when the joint is made
    sn_transform pose = {{R(0.5), 0, 0}, {R(sin(0.2)), 0, 0, R(cos(0.2))}};
    CHECK_INT(sn_implicit_muscles_move_bone(world, muscles, 1, &pose), SN_OK);
    CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
    sn_body_get_points(world, muscles, at, 16);
    sn_body_get_points(world, rod, on, 6);
    const double before[3] = {(double)(on[5].x - at[1].x), (double)(on[5].y - at[1].y), (double)(on[5].z - at[1].z)};
    CHECK(fabs(before[1]) > 0.1);
    sn_joint_def joint = sn_joint_def_default();
    joint.body_a = rod, joint.segment_a = 5, joint.along_a = 1, joint.body_b = muscles, joint.point_b = 1;
    joint.keep_offset = true;
    sn_joint id;
    REQUIRE(sn_joint_create(world, &joint, &id) == SN_OK);
    for (int i = 1; i <= 60; i++) { // about z, after the turn about x
        const double a = 0.5 * i * 3.14159265358979 / 2 / 60, s = sin(a), c = cos(a);
        pose.rotation = (sn_quat){R(c * sin(0.2)), R(s * sin(0.2)), R(s * cos(0.2)), R(c * cos(0.2))};
        CHECK_INT(sn_implicit_muscles_move_bone(world, muscles, 1, &pose), SN_OK);
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
        sn_body_get_points(world, muscles, at, 16);
        sn_body_get_points(world, rod, on, 6);
        const double turned[3] = {cos(2 * a) * before[0] - sin(2 * a) * before[1],
                                  sin(2 * a) * before[0] + cos(2 * a) * before[1], before[2]};
        CHECK_NEAR(on[5].x - at[1].x, turned[0], 2e-3);
        CHECK_NEAR(on[5].y - at[1].y, turned[1], 2e-3);
        CHECK_NEAR(on[5].z - at[1].z, turned[2], 2e-3);
    }
    sn_world_destroy(world);
}
