// Implicit muscles as a kind of the world: led by bones, activated, hashed, saved, changed while they run.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

enum { BONES = 2, MUSCLES = 2 };

typedef struct {
    sn_world *world;
    sn_body muscles;
} arm;

static void pose(double angle, sn_transform poses[BONES]) {
    poses[0] = (sn_transform){{0, 0, 0}, {0, 0, 0, 1}};
    poses[1] = (sn_transform){{R(0.3), 0, 0}, {0, 0, R(sin(angle / 2)), R(cos(angle / 2))}};
}

// An upper arm along x to the elbow at 0.3 m, a forearm on from there; a flexor above, an extensor below.
static arm make_arm(int workers) {
    arm a = {0};
    sn_world_def def = sn_world_def_default();
    def.worker_count = workers;
    if (sn_world_create(&def, &a.world) != SN_OK) return a;
    sn_transform poses[BONES];
    pose(0, poses);
    const sn_implicit_muscle_bone bones[2] = {{0, {{0, 0, 0}, {R(0.3), 0, 0}}, {R(0.015), R(0.015)}, {0, 0}},
                                              {1, {{0, 0, 0}, {R(0.25), 0, 0}}, {R(0.015), R(0.012)}, {0, 0}}};
    sn_implicit_muscle_def muscles[MUSCLES];
    for (int i = 0; i < MUSCLES; i++) {
        muscles[i] = sn_implicit_muscle_def_default();
        const double side = i ? -1 : 1;
        muscles[i].bone[1] = 1;
        muscles[i].end[0] = (sn_vec3){R(0.03), R(0.03 * side), 0};
        muscles[i].end[1] = (sn_vec3){R(0.05), R(0.025 * side), 0};
        muscles[i].volume = R(1.5e-4);
    }
    sn_implicit_muscles_def body = sn_implicit_muscles_def_default();
    body.poses = poses, body.bone_count = BONES;
    body.bones = bones, body.collider_count = 2;
    body.muscles = muscles, body.muscle_count = MUSCLES;
    body.label = 7;
    sn_implicit_muscles_create(a.world, &body, &a.muscles);
    return a;
}

static void bend(const arm *a, int from, int to) {
    for (int i = from; i < to; i++) {
        sn_transform poses[BONES];
        pose(0.02 * (i + 1), poses);
        sn_implicit_muscles_move(a->world, a->muscles, poses, BONES);
        const sn_implicit_muscle_keys keys = {R(0.01 * (i + 1)), 1, -1};
        sn_implicit_muscles_set_keys(a->world, a->muscles, 0, &keys);
        sn_world_step(a->world, R(1.0 / 60), 2);
    }
}

TEST(muscles_follow_bones_and_keep_their_volume) {
    arm a = make_arm(1);
    REQUIRE(a.muscles.slot1 != 0);
    CHECK_INT(sn_implicit_muscles_count(a.world, a.muscles), MUSCLES);
    CHECK_INT(sn_world_body_count(a.world), 1);
    CHECK(sn_body_label(a.world, a.muscles) == 7);
    sn_vec3 axis[30];
    sn_real before[30], after[30];
    REQUIRE(sn_implicit_muscles_get_radii(a.world, a.muscles, 0, before, 30) == 30);
    double length = 0;
    bend(&a, 0, 80); // 1.6 rad
    REQUIRE(sn_implicit_muscles_get_axis(a.world, a.muscles, 0, axis, 30) == 30);
    sn_implicit_muscles_get_radii(a.world, a.muscles, 0, after, 30);
    for (int i = 0; i < MUSCLES; i++) CHECK_NEAR(sn_implicit_muscles_volume(a.world, a.muscles, i) / 1.5e-4, 1, 0.01);
    CHECK(sn_implicit_muscles_penetration(a.world, a.muscles) < R(0.0005));
    // the insertion rides on the forearm
    const double angle = 1.6, x = 0.3 + 0.05 * cos(angle) - 0.025 * sin(angle),
                 y = 0.05 * sin(angle) + 0.025 * cos(angle);
    CHECK_NEAR(axis[29].x, x, 1e-5);
    CHECK_NEAR(axis[29].y, y, 1e-5);
    for (int i = 1; i < 30; i++)
        length += hypot((double)(axis[i].x - axis[i - 1].x), (double)(axis[i].y - axis[i - 1].y));
    double thick_before = 0, thick_after = 0;
    for (int i = 0; i < 30; i++)
        thick_before = fmax(thick_before, (double)before[i]), thick_after = fmax(thick_after, (double)after[i]);
    CHECK(length < 0.3);                      // shorter than the 0.32 m it had,
    CHECK(thick_after > 1.03 * thick_before); // so thicker
    sn_vec3 gradient;
    CHECK(sn_implicit_muscles_field(a.world, a.muscles, 0, axis[15], &gradient) < 0);
    sn_world_destroy(a.world);
}

TEST(two_workers_and_a_restore_go_on_bitwise) {
    arm one = make_arm(1), two = make_arm(2);
    REQUIRE(one.muscles.slot1 && two.muscles.slot1);
    bend(&one, 0, 20);
    bend(&two, 0, 20);
    CHECK(sn_world_hash(one.world) == sn_world_hash(two.world));
    const size_t size = sn_world_save(one.world, NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(sn_world_save(one.world, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    arm again = {NULL, one.muscles};
    REQUIRE(sn_world_restore(&def, bytes, size, &again.world) == SN_OK);
    bend(&one, 20, 40);
    bend(&again, 20, 40);
    CHECK(sn_world_hash(one.world) == sn_world_hash(again.world));
    for (size_t cut = 0; cut < size; cut += size / 29 + 1) {
        sn_world *half = NULL;
        CHECK(sn_world_restore(&def, bytes, cut, &half) != SN_OK);
    }
    free(bytes);
    sn_world_destroy(one.world);
    sn_world_destroy(two.world);
    sn_world_destroy(again.world);
}

TEST(a_muscle_is_changed_while_it_runs) {
    arm a = make_arm(1);
    REQUIRE(a.muscles.slot1 != 0);
    bend(&a, 0, 10);
    sn_implicit_muscle_def def;
    REQUIRE(sn_implicit_muscles_get_muscle(a.world, a.muscles, 0, &def) == SN_OK);
    def.volume *= R(1.5);
    CHECK_INT(sn_implicit_muscles_set_muscle(a.world, a.muscles, 0, &def), SN_OK);
    bend(&a, 10, 20);
    CHECK_NEAR(sn_implicit_muscles_volume(a.world, a.muscles, 0) / 2.25e-4, 1, 0.01);
    def.points = 20;
    CHECK_INT(sn_implicit_muscles_set_muscle(a.world, a.muscles, 0, &def), SN_ERR_RANGE);
    def.points = 30, def.volume = 0;
    CHECK(sn_implicit_muscles_set_muscle(a.world, a.muscles, 0, &def) == SN_ERR_DEF);
    CHECK_NEAR(sn_implicit_muscles_volume(a.world, a.muscles, 0) / 2.25e-4, 1, 0.01); // as it was
    CHECK_INT(sn_body_destroy(a.world, a.muscles), SN_OK);
    CHECK(!sn_body_exists(a.world, a.muscles));
    CHECK_INT(sn_implicit_muscles_count(a.world, a.muscles), 0);
    sn_world_destroy(a.world);
}

// A stick that lies across the arm, above the flexor, and falls on it.
static sn_body drop_stick(const arm *a, sn_real x, sn_real height) {
    const sn_vec3 points[2] = {{x, height, R(-0.15)}, {x, height, R(0.15)}};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 2, def.radius = R(0.01);
    def.material.young = R(1e7);
    sn_body rod = {0};
    sn_rod_create(a->world, &def, &rod);
    return rod;
}

TEST(what_falls_on_a_muscle_dents_it_and_stays_out_of_its_bones) {
    arm a = make_arm(1);
    sn_vec3 before[30], after[30], ends[2];
    for (int i = 0; i < 60; i++) sn_world_step(a.world, R(1.0 / 60), 1); // the muscle comes to rest on the bones
    sn_implicit_muscles_get_axis(a.world, a.muscles, 0, before, 30);
    const sn_body stick = drop_stick(&a, R(0.19), R(0.15));
    REQUIRE(stick.slot1 != 0);
    double deepest = 0;
    for (int i = 0; i < 40; i++) {
        sn_world_step(a.world, R(1.0 / 60), 4);
        sn_implicit_muscles_get_axis(a.world, a.muscles, 0, after, 30);
        for (int k = 1; k < 29; k++) deepest = fmax(deepest, (double)(before[k].y - after[k].y));
        REQUIRE(sn_body_get_points(a.world, stick, ends, 2) == 2);
        // while the stick is over the bone, it is above it
        if (fabs((double)(ends[0].z + ends[1].z)) < 0.02)
            CHECK((double)(ends[0].y + ends[1].y) / 2 > 0.9 * (0.015 + 0.01));
    }
    CHECK(deepest > 0.0005);
    CHECK_NEAR(sn_implicit_muscles_volume(a.world, a.muscles, 0) / 1.5e-4, 1, 0.01);
    CHECK(sn_implicit_muscles_penetration(a.world, a.muscles) < R(0.0005));
    sn_world_destroy(a.world);
}

TEST(bodies_without_contact_pass_through) {
    arm a = make_arm(1), b = {0};
    sn_body_destroy(a.world, a.muscles);
    sn_transform poses[1] = {{{0, 0, 0}, {0, 0, 0, 1}}};
    const sn_implicit_muscle_bone bone = {0, {{0, 0, 0}, {R(0.4), 0, 0}}, {R(0.03), R(0.03)}, {0, 0}};
    sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
    def.poses = poses, def.bone_count = 1, def.bones = &bone, def.collider_count = 1;
    for (int touches = 0; touches < 2; touches++) {
        sn_vec3 ends[2];
        def.collide = touches, def.cover = R(0.02);
        REQUIRE(sn_implicit_muscles_create(a.world, &def, &b.muscles) == SN_OK);
        const sn_body stick = drop_stick(&a, R(0.2), R(0.2));
        bool above = true;
        for (int i = 0; i < 18; i++) { // as long as it takes to fall 0.44 m
            sn_world_step(a.world, R(1.0 / 60), 4);
            sn_body_get_points(a.world, stick, ends, 2);
            above = above && ends[0].y > R(0.05); // the bone, its cover and most of the stick
        }
        CHECK(above == touches);
        sn_body_destroy(a.world, stick);
        sn_body_destroy(a.world, b.muscles);
    }
    def.cover = -1;
    CHECK_INT(sn_implicit_muscles_create(a.world, &def, &b.muscles), SN_ERR_DEF);
    sn_world_destroy(a.world);
}

TEST(muscles_in_contact_are_the_same_for_any_workers_and_after_a_restore) {
    arm one = make_arm(1), two = make_arm(2);
    drop_stick(&one, R(0.19), R(0.1)), drop_stick(&two, R(0.19), R(0.1));
    bend(&one, 0, 20), bend(&two, 0, 20);
    CHECK(sn_world_hash(one.world) == sn_world_hash(two.world));
    const size_t size = sn_world_save(one.world, NULL, 0);
    void *bytes = malloc(size);
    REQUIRE(bytes && sn_world_save(one.world, bytes, size) == size);
    arm again = {.muscles = one.muscles};
    sn_world_def def = sn_world_def_default();
    REQUIRE(sn_world_restore(&def, bytes, size, &again.world) == SN_OK);
    bend(&one, 20, 40), bend(&again, 20, 40);
    CHECK(sn_world_hash(one.world) == sn_world_hash(again.world));
    free(bytes);
    sn_world_destroy(one.world), sn_world_destroy(two.world), sn_world_destroy(again.world);
}
