// Joints between bodies of different kinds: they hold, they keep momentum, they are saved, and they go with their bodies.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

typedef struct {
    sn_world *world;
    sn_rod rod;
    sn_springs cloth;
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
    for (int i = 0; i < 8; ++i) points[i] = (sn_vec3){R(-0.35 + 0.05 * i), 0, 0};
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 8, rod.radius = R(0.01);
    rod.velocity = (sn_vec3){R(-1), R(0.5), 0};
    rod.touches = false;
    rod.material.damping = 0;
    sn_rod_create(t.world, &rod, &t.rod);
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.columns = cloth.rows = 6;
    cloth.across = (sn_vec3){R(0.25), 0, 0}, cloth.down = (sn_vec3){0, 0, R(0.25)};
    sn_spring_net net;
    sn_springs_make_cloth(&cloth, NULL, &net);
    sn_springs_def body = sn_springs_def_of(&net);
    body.touches = false;
    sn_springs_create(t.world, &body, &t.cloth);
    sn_spring_net_free(&net);
    sn_joint_def joint = sn_joint_def_default();
    joint.rod_a = t.rod, joint.segment_a = 7, joint.along_a = 1;
    joint.springs_b = t.cloth, joint.point_b = 0;
    sn_joint_create(t.world, &joint, &t.joint);
    return t;
}

static double apart(const tied *t) {
    sn_vec3 rod[8], cloth[36];
    sn_rod_get_centres(t->world, t->rod, rod, 8);
    sn_springs_get_points(t->world, t->cloth, cloth, 36);
    return sqrt(pow((double)(rod[7].x - cloth[0].x), 2) + pow((double)(rod[7].y - cloth[0].y), 2) +
                pow((double)(rod[7].z - cloth[0].z), 2));
}

TEST(a_rod_drags_cloth_along_and_momentum_stays) {
    tied t = tie(1);
    REQUIRE(t.joint.slot1 != 0);
    const sn_momentum before = sn_world_momentum(t.world);
    double worst = 0;
    for (int i = 0; i < 30; ++i) {
        sn_world_step(t.world, R(1.0 / 60), 4);
        worst = fmax(worst, apart(&t));
    }
    const sn_momentum after = sn_world_momentum(t.world);
    const double size = hypot(before.linear[0], before.linear[1]);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(after.linear[k], before.linear[k], (sizeof(sn_real) == 8 ? 1e-9 : 1e-5) * size);
    CHECK(worst < 0.001);
    sn_vec3 v[36];
    sn_springs_get_velocities(t.world, t.cloth, v, 36);
    double mean = 0;
    for (int i = 0; i < 36; ++i) mean += (double)v[i].x / 36;
    CHECK(mean < -0.02); // it was at rest
    sn_world_destroy(t.world);
}

TEST(joints_of_kinds_are_the_same_on_two_workers_and_after_a_restore) {
    tied one = tie(1), two = tie(2);
    REQUIRE(one.joint.slot1 && two.joint.slot1);
    for (int i = 0; i < 10; ++i) {
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
    for (int i = 0; i < 10; ++i) {
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
    joint.springs_a = t.cloth, joint.point_a = 35, joint.most_force = R(0.2);
    joint.position = (sn_vec3){0, R(5), 0};
    sn_joint hand;
    REQUIRE(sn_joint_create(t.world, &joint, &hand) == SN_OK);
    const sn_momentum before = sn_world_momentum(t.world);
    for (int i = 0; i < 30; ++i) sn_world_step(t.world, R(1.0 / 60), 2);
    const sn_momentum after = sn_world_momentum(t.world);
    double change = 0;
    for (int k = 0; k < 3; ++k) change += pow(after.linear[k] - before.linear[k], 2);
    CHECK_NEAR(sqrt(change), 0.2 * 0.5, 0.005); // force times time; its direction hardly turns
    CHECK_NEAR(sn_joint_force(t.world, hand), 0.2, 1e-3);
    sn_world_destroy(t.world);
}

static int lines;
static char fields[256];
static void hear(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code, (void)text;
    ++lines;
    strncat(fields, field, sizeof fields - strlen(fields) - 2);
    strcat(fields, " ");
}

TEST(mistakes_in_joints_of_kinds_are_named) {
    sn_world_def def = sn_world_def_default();
    def.log = hear;
    sn_world *world;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_spring_chain chain = sn_spring_chain_default();
    sn_spring_net net;
    sn_springs_make_chain(&chain, NULL, &net);
    sn_springs_def body = sn_springs_def_of(&net);
    sn_springs springs;
    REQUIRE(sn_springs_create(world, &body, &springs) == SN_OK);
    sn_spring_net_free(&net);
    sn_joint joint;
    sn_joint_def bad = sn_joint_def_default();
    bad.springs_a = springs, bad.point_a = 11; // it has 0 to 10
    bad.springs_b = (sn_springs){9, 9};
    bad.kind = SN_JOINT_WELD;
    lines = 0, fields[0] = 0;
    CHECK_INT(sn_joint_create(world, &bad, &joint), SN_ERR_DEF);
    CHECK_INT(lines, 3);
    CHECK(strstr(fields, "point_a") && strstr(fields, "springs_b") && strstr(fields, "kind"));
    bad = sn_joint_def_default();
    bad.springs_a = springs, bad.springs_b = springs;
    CHECK_INT(sn_joint_create(world, &bad, &joint), SN_ERR_DEF);
    bad.point_b = 10;
    CHECK_INT(sn_joint_create(world, &bad, &joint), SN_OK);
    CHECK_INT(sn_springs_destroy(world, springs), SN_OK);
    CHECK(!sn_joint_exists(world, joint));
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    sn_world_destroy(world);
}
