// Rods refuse what is wrong: the status, a log line that names the field, and not a bit of the world changed.
#include "mixed_world.h"
#include <limits.h>

enum { N = 6 };
static const double wild[3] = {NAN, INFINITY, -INFINITY};

// A world with two rods, and a good definition of a third with room for every array.
typedef struct {
    sn_world *world;
    lines log;
    sn_body rod, other;
    sn_rod_def def;
    sn_vec3 points[N], rest[N];
    sn_real radii[N];
    int parents[N];
    sn_material materials[N];
} bench;

static void good_def(bench *b) {
    b->def = chain_def(b->points, N);
    b->def.collide = false; // several are made in one place
    memcpy(b->rest, b->points, sizeof b->rest);
    for (int i = 0; i < N; i++) {
        b->radii[i] = R(0.02);
        b->parents[i] = i - 1;
        b->materials[i] = b->def.material;
    }
}

static bool set_up(bench *b) {
    memset(b, 0, sizeof *b);
    sn_world_def def = sn_world_def_default();
    def.log = remember_line;
    def.log_user = &b->log;
    b->world = make_world(&def);
    good_def(b);
    if (!b->world || !CHECK_INT(sn_rod_create(b->world, &b->def, &b->rod), SN_OK)) return false;
    b->def.clamp_first = b->def.clamp_last = true;
    if (!CHECK_INT(sn_rod_create(b->world, &b->def, &b->other), SN_OK)) return false;
    CHECK_INT(sn_world_step(b->world, R(0.01), 1), SN_OK);
    good_def(b);
    return true;
}

static void tear_down(bench *b) {
    sn_world_destroy(b->world);
}

static sn_status try_create(bench *b, const sn_rod_def *def) {
    saved before = save_of(b->world);
    sn_body id = {77, 77, 77};
    uint64_t hash = sn_world_hash(b->world);
    b->log.count = 0;
    sn_status status = sn_rod_create(b->world, def, &id);
    if (status == SN_OK) {
        CHECK_INT(sn_body_destroy(b->world, id), SN_OK);
        free(before.bytes);
        return status;
    }
    CHECK(id.slot1 == 0 && id.gen == 0);
    CHECK_INT(sn_world_body_count(b->world), 2);
    CHECK(sn_world_hash(b->world) == hash);
    CHECK(unchanged(b->world, before));
    return status;
}

// Tries to create the rod of b->def, which is bad in one field, and makes it good again.
static void refuse(bench *b, const char *field) {
    bool good = CHECK_INT(try_create(b, &b->def), SN_ERR_DEF);
    good = CHECK_INT(b->log.count, 1) && good;
    good = CHECK_INT(lines_about(&b->log, field), 1) && good;
    good = CHECK_INT(b->log.code[0], SN_ERR_DEF) && good;
    if (!good) printf("about %s; the log said: %s: %s\n", field, b->log.field[0], b->log.text[0]);
    good_def(b);
}

static void accept(bench *b) {
    if (!CHECK_INT(try_create(b, &b->def), SN_OK)) printf("the log said: %s: %s\n", b->log.field[0], b->log.text[0]);
    good_def(b);
}

TEST(definitions_with_wild_numbers_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    for (int w = 0; w < 3; w++) {
        const sn_real bad = R(wild[w]);
        b.def.radius = bad, refuse(&b, "radius");
        b.def.rest_twist = bad, refuse(&b, "rest_twist");
        for (int k = 0; k < 3; k++) {
            ((sn_real *)&b.def.velocity)[k] = bad, refuse(&b, "velocity");
            ((sn_real *)&b.points[2])[k] = bad, refuse(&b, "points[2]");
            b.def.rest_points = b.rest, ((sn_real *)&b.rest[5])[k] = bad, refuse(&b, "rest_points[5]");
        }
        b.def.radii = b.radii, b.radii[0] = bad, refuse(&b, "radii[0]");
        const char *names[] = {"density", "young", "shear", "transverse", "volume", "scale_bend", "damping"};
        const size_t at[] = {offsetof(sn_material, density), offsetof(sn_material, young),
                             offsetof(sn_material, shear),   offsetof(sn_material, transverse),
                             offsetof(sn_material, volume),  offsetof(sn_material, scale_bend),
                             offsetof(sn_material, damping)};
        for (int k = 0; k < 7; k++) {
            char field[64];
            snprintf(field, sizeof field, "material.%s", names[k]);
            memcpy((char *)&b.def.material + at[k], &bad, sizeof bad);
            refuse(&b, field);
            snprintf(field, sizeof field, "materials[3].%s", names[k]);
            b.def.materials = b.materials;
            memcpy((char *)&b.materials[3] + at[k], &bad, sizeof bad);
            refuse(&b, field);
        }
    }
    tear_down(&b);
}

TEST(definitions_out_of_range_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    b.def.points = NULL, refuse(&b, "points");
    for (int n = -1; n < 2; n++) b.def.point_count = n, refuse(&b, "point_count");
    b.def.point_count = INT_MIN, refuse(&b, "point_count");
    b.def.point_count = INT_MAX, refuse(&b, "point_count");
    b.def.radius = 0, refuse(&b, "radius");
    b.def.radius = R(-0.01), refuse(&b, "radius");
    b.def.radius = R(1e6), refuse(&b, "radius");
    b.def.radii = b.radii, b.radii[4] = 0, refuse(&b, "radii[4]");
    b.def.radii = b.radii, b.radii[4] = -1, refuse(&b, "radii[4]");
    b.def.material.density = 0, refuse(&b, "material.density");
    b.def.material.young = -1, refuse(&b, "material.young");
    b.def.material.shear = -1, refuse(&b, "material.shear");
    b.def.material.transverse = R(1e14), refuse(&b, "material.transverse");
    b.def.material.volume = -1, refuse(&b, "material.volume");
    b.def.material.scale_bend = -1, refuse(&b, "material.scale_bend");
    b.def.material.damping = R(-0.1), refuse(&b, "material.damping");
    b.def.rest_twist = R(2e6), refuse(&b, "rest_twist");
    tear_down(&b);
}

TEST(fields_that_are_not_used_may_hold_anything) {
    bench b;
    REQUIRE(set_up(&b));
    b.def.radii = b.radii, b.def.radius = R(NAN), accept(&b);
    b.def.materials = b.materials, b.def.material.young = R(NAN), accept(&b);
    b.def.label = UINT64_MAX, accept(&b);
    tear_down(&b);
}

TEST(points_in_one_place_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    b.points[3] = b.points[2], refuse(&b, "points[3]");
    b.points[1] = b.points[0], refuse(&b, "points[1]");
    b.points[3] = b.points[1], accept(&b); // neighbours matter, others may be on top of each other
    b.def.rest_points = b.rest, b.rest[3] = b.rest[2], refuse(&b, "rest_points[3]");
    b.def.rest_points = b.rest, b.points[3] = b.points[2], refuse(&b, "points[3]");
    b.points[2].x = b.points[1].x + R(1e-8), b.points[1].x = 0, b.points[0].x = R(-0.1);
    b.points[2].x = R(1e-8), refuse(&b, "points[2]");
    b.def.closed = true, b.points[N - 1] = b.points[0], refuse(&b, "points[0]");
    b.def.closed = true, b.def.rest_points = b.rest, b.points[N - 1] = b.points[0], refuse(&b, "points[0]");
    b.points[2] = (sn_vec3){R(0.2), R(1e30), 0}; // squares to infinity
    CHECK_INT(try_create(&b, &b.def), SN_ERR_DEF);
    CHECK_INT(lines_about(&b.log, "points[2]"), 1);
    good_def(&b);
    tear_down(&b);
}

TEST(what_is_too_heavy_to_move_is_refused) {
    bench b;
    REQUIRE(set_up(&b));
    line_of(b.points, N, (sn_vec3){0, 0, 0}, R(1e4));
    b.def.radius = R(1e5), b.def.material.density = R(1e6);
    CHECK_INT(try_create(&b, &b.def), SN_ERR_DEF);
    CHECK(lines_about(&b.log, "radius") > 0);
    good_def(&b);
    tear_down(&b);
}

TEST(parents_that_make_no_tree_and_no_loop_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    static const int bad[][N] = {
        {-1, 0, 1, 2, 3, 6},                                                       // out of range
        {-1, 0, 1, 2, 3, -2},                                                      // out of range
        {-1, 0, 1, 2, 3, INT_MAX}, {-1, 0, 1, 2, 3, INT_MIN}, {-1, 0, 1, 3, 3, 4}, // its own parent
        {0, 0, 1, 2, 3, 4},                                                        // its own parent, at the root
        {-1, 0, 1, -1, 3, 4},                                                      // two roots
        {-1, -1, -1, -1, -1, -1},                                                  // roots only
        {1, 2, 3, 4, 2, 4},  // a cycle that does not go through point 0
        {-1, 0, 3, 4, 2, 4}, // a tree and a cycle beside it
        {2, 0, 1, 4, 5, 3},  // two cycles
        {1, 0, 1, 2, 3, 4},  // a cycle of two
        {5, 0, 1, 2, 4, 4},  // its own parent, on a loop
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        b.def.parents = b.parents;
        memcpy(b.parents, bad[i], sizeof b.parents);
        refuse(&b, "parents");
    }
    b.def.parents = b.parents, b.def.closed = true, refuse(&b, "closed");
    b.def.closed = true, b.def.point_count = 2, refuse(&b, "point_count");
    tear_down(&b);
}

TEST(parents_of_trees_and_loops_are_taken_in_any_order) {
    bench b;
    REQUIRE(set_up(&b));
    static const int good[][N] = {
        {-1, 0, 0, 0, 0, 0}, // a star with the root in the middle
        {1, 2, 3, 4, 5, -1}, // a chain, backwards
        {3, 3, 3, -1, 3, 3}, // a star, rooted in its middle
        {5, 0, 1, 2, 3, 4},  // a loop
        {1, 2, 3, 4, 5, 0},  // the same, backwards
        {2, 0, 1, 0, 3, 2},  // a loop of three with branches
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        b.def.parents = b.parents;
        memcpy(b.parents, good[i], sizeof b.parents);
        for (int k = 0; k < N; k++) b.points[k].y = R(0.02) * (sn_real)(k * k % 5);
        accept(&b);
    }
    tear_down(&b);
}

TEST(only_ends_can_be_clamped) {
    bench b;
    REQUIRE(set_up(&b));
    b.def.closed = true, b.def.clamp_first = true, refuse(&b, "clamp_first");
    b.def.closed = true, b.def.clamp_last = true, refuse(&b, "clamp_last");
    static const int star[N] = {-1, 0, 0, 0, 0, 0}, fork[N] = {-1, 0, 1, 5, 5, 1}, backwards[N] = {1, 2, 3, 4, 5, -1};
    b.def.parents = b.parents, memcpy(b.parents, star, sizeof star), b.def.clamp_first = true,
    refuse(&b, "clamp_first");
    b.def.parents = b.parents, memcpy(b.parents, fork, sizeof fork), b.def.clamp_last = true, refuse(&b, "clamp_last");
    b.def.parents = b.parents, memcpy(b.parents, star, sizeof star), b.def.clamp_last = true, accept(&b);
    b.def.parents = b.parents, memcpy(b.parents, fork, sizeof fork), b.def.clamp_first = true, accept(&b);
    b.def.parents = b.parents, memcpy(b.parents, backwards, sizeof backwards);
    b.def.clamp_first = b.def.clamp_last = true, accept(&b);
    b.def.point_count = 2, b.def.clamp_first = b.def.clamp_last = true, accept(&b);
    tear_down(&b);
}

TEST(every_bad_field_gets_its_line) {
    bench b;
    REQUIRE(set_up(&b));
    b.def.radius = -1, b.def.rest_twist = R(NAN), b.def.velocity.y = R(INFINITY), b.def.material.young = -5;
    b.def.material.damping = R(NAN), b.points[1].z = R(NAN), b.points[4].x = R(INFINITY);
    CHECK_INT(try_create(&b, &b.def), SN_ERR_DEF);
    const char *fields[] = {"radius",           "rest_twist", "velocity", "material.young",
                            "material.damping", "points[1]",  "points[4]"};
    for (int i = 0; i < 7; i++)
        if (!CHECK_INT(lines_about(&b.log, fields[i]), 1)) printf("about %s\n", fields[i]);
    CHECK_INT(b.log.count, 7);
    tear_down(&b);
}

TEST(a_definition_without_its_mark_is_refused) {
    bench b;
    REQUIRE(set_up(&b));
    b.def.init_mark = 0, refuse(&b, "init_mark");
    b.def.init_mark ^= 1, refuse(&b, "init_mark");
    b.def.init_mark = sn_world_def_default().init_mark, refuse(&b, "init_mark");
    tear_down(&b);
}

TEST(null_pointers_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    sn_body id = {5, 5, 5};
    CHECK_INT(sn_rod_create(NULL, &b.def, &id), SN_ERR_RANGE);
    CHECK(id.slot1 == 0 && id.gen == 0);
    id = (sn_body){SN_KIND_ROD, 5, 5};
    CHECK_INT(sn_rod_create(b.world, NULL, &id), SN_ERR_RANGE);
    CHECK(id.slot1 == 0 && id.gen == 0);
    CHECK_INT(sn_rod_create(b.world, &b.def, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_world_body_count(b.world), 2);
    CHECK_INT(sn_rod_set_centres(b.world, b.rod, NULL, N), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_velocities(b.world, b.rod, NULL, N), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_scales(b.world, b.rod, NULL, N), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_scale_rates(b.world, b.rod, NULL, N), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_spins(b.world, b.rod, NULL, N), SN_ERR_RANGE);
    CHECK_INT(sn_body_get_points(b.world, b.rod, NULL, N), N);
    CHECK_INT(sn_rod_get_radii(b.world, b.rod, NULL, N), N);
    CHECK_INT(sn_rod_get_parents(b.world, b.rod, NULL, 0), N);
    tear_down(&b);
}

// Calls everything that takes a rod. Writers must give 'expected'; readers, if it is not SN_OK, nothing.
static void call_everything(sn_world *world, sn_body id, int n, sn_status expected) {
    sn_vec3 v[N] = {{0, 0, 0}};
    sn_real s[N];
    sn_quat q[N];
    int p[N];
    line_of(v, N, (sn_vec3){0, 0, 0}, R(0.1));
    for (int i = 0; i < N; i++) s[i] = 1;
    CHECK_INT(sn_rod_set_centres(world, id, v, n), expected);
    CHECK_INT(sn_rod_set_velocities(world, id, v, n), expected);
    CHECK_INT(sn_rod_set_scales(world, id, s, n), expected);
    CHECK_INT(sn_rod_set_scale_rates(world, id, s, n), expected);
    CHECK_INT(sn_rod_set_spins(world, id, v, n), expected);
    CHECK_INT(sn_rod_hold(world, id, 2, SN_HOLD_CENTRE | SN_HOLD_SCALE | SN_HOLD_FRAME), expected);
    CHECK_INT(sn_rod_move_centre(world, id, 2, v[2]), expected);
    CHECK_INT(sn_rod_move_scale(world, id, 2, 1), expected);
    CHECK_INT(sn_rod_move_frame(world, id, 2, (sn_quat){0, 0, 0, 1}), expected);
    CHECK_INT(sn_rod_move_clamp(world, id, 0, (sn_quat){0, 0, 0, 1}), expected);
    CHECK_INT(sn_rod_set_force(world, id, 1, v[1]), expected);
    CHECK_INT(sn_rod_set_torque(world, id, 1, v[1]), expected);
    CHECK_INT(sn_rod_set_radial_force(world, id, 1, 1), expected);
    CHECK_INT(sn_rod_set_segment(world, id, 1, 1, 1), expected);
    if (expected == SN_OK || expected == SN_ERR_BUSY) return;
    CHECK_INT(sn_body_destroy(world, id), expected);
    CHECK(!sn_body_exists(world, id));
    CHECK_INT(sn_body_point_count(world, id), 0);
    CHECK(sn_body_label(world, id) == 0);
    CHECK_INT(sn_rod_get_parents(world, id, p, N), 0);
    CHECK_INT(sn_body_get_points(world, id, v, N), 0);
    CHECK_INT(sn_body_get_velocities(world, id, v, N), 0);
    CHECK_INT(sn_rod_get_scales(world, id, s, N), 0);
    CHECK_INT(sn_rod_get_radii(world, id, s, N), 0);
    CHECK_INT(sn_rod_get_frames(world, id, q, N), 0);
    CHECK_INT(sn_body_get_masses(world, id, s, N), 0);
    CHECK_INT(sn_rod_held(world, id, 0), 0);
    CHECK_NEAR(sn_body_volume(world, id), 0, 0);
    CHECK_NEAR(sn_body_rest_volume(world, id), 0, 0);
    CHECK_NEAR(sn_rod_length(world, id), 0, 0);
}

TEST(stale_ids_are_refused_everywhere) {
    bench b;
    REQUIRE(set_up(&b));
    call_everything(b.world, b.other, N, SN_OK); // else the rest says nothing

    sn_body third, reused;
    CHECK_INT(sn_rod_create(b.world, &b.def, &third), SN_OK);
    CHECK_INT(sn_body_destroy(b.world, third), SN_OK);
    const sn_body stale[] = {
        third,
        {SN_KIND_ROD, 0, 0},
        {SN_KIND_ROD, 0, 1},
        {SN_KIND_ROD, b.rod.slot1, b.rod.gen + 1},
        {SN_KIND_ROD, b.rod.slot1, b.rod.gen - 1},
        {SN_KIND_ROD, b.rod.slot1, 0},
        {SN_KIND_ROD, third.slot1, third.gen + 1}, // of a slot that is free
        {SN_KIND_ROD, third.slot1 + 1, 1},
        {SN_KIND_ROD, UINT32_MAX, 1},
        {SN_KIND_ROD, UINT32_MAX, UINT32_MAX},
        {SN_KIND_ROD, 0x80000000u, 1},
    };
    for (size_t i = 0; i < sizeof stale / sizeof *stale; i++) {
        saved before = save_of(b.world);
        call_everything(b.world, stale[i], N, SN_ERR_STALE_ID);
        CHECK(unchanged(b.world, before));
    }
    CHECK_INT(sn_rod_create(b.world, &b.def, &reused), SN_OK);
    CHECK(reused.slot1 == third.slot1 && reused.gen != third.gen);
    saved before = save_of(b.world);
    call_everything(b.world, third, N, SN_ERR_STALE_ID);
    CHECK(unchanged(b.world, before));
    CHECK(sn_body_exists(b.world, reused));
    call_everything(NULL, b.rod, N, SN_ERR_RANGE);
    tear_down(&b);
}

TEST(ids_list_the_living_in_order_of_slots) {
    bench b;
    REQUIRE(set_up(&b));
    sn_body more[3];
    for (int i = 0; i < 3; i++) {
        b.def.label = (uint64_t)i + 10;
        CHECK_INT(sn_rod_create(b.world, &b.def, &more[i]), SN_OK);
    }
    CHECK_INT(sn_world_kind_count(b.world, SN_KIND_ROD), 5);
    CHECK_INT(sn_body_destroy(b.world, b.other), SN_OK);
    CHECK_INT(sn_body_destroy(b.world, more[1]), SN_OK);
    CHECK_INT(sn_world_kind_count(b.world, SN_KIND_ROD), 3);
    const sn_body expected[3] = {b.rod, more[0], more[2]};
    for (int i = 0; i < 3; i++) {
        sn_body id = sn_world_kind_at(b.world, SN_KIND_ROD, i);
        CHECK(id.slot1 == expected[i].slot1 && id.gen == expected[i].gen);
    }
    CHECK_INT(sn_body_label(b.world, more[2]), 12);
    const int outside[] = {-1, 3, INT_MAX, INT_MIN};
    for (int i = 0; i < 4; i++) {
        sn_body none = sn_world_kind_at(b.world, SN_KIND_ROD, outside[i]);
        CHECK(none.slot1 == 0 && none.gen == 0);
    }
    CHECK(sn_world_kind_at(NULL, SN_KIND_ROD, 0).slot1 == 0);
    CHECK_INT(sn_world_kind_count(NULL, SN_KIND_ROD), 0);
    tear_down(&b);
}

TEST(setters_refuse_wild_numbers_and_wrong_counts) {
    bench b;
    REQUIRE(set_up(&b));
    saved before = save_of(b.world);
    sn_vec3 v[N];
    sn_real s[N];
    for (int n = -1; n <= N + 1; n++) {
        line_of(v, N, (sn_vec3){0, 0, 0}, R(0.1));
        for (int i = 0; i < N; i++) s[i] = 1;
        if (n == N) continue;
        CHECK_INT(sn_rod_set_centres(b.world, b.rod, v, n), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_velocities(b.world, b.rod, v, n), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_scales(b.world, b.rod, s, n), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_scale_rates(b.world, b.rod, s, n), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_spins(b.world, b.rod, v, n), SN_ERR_RANGE);
    }
    for (int w = 0; w < 3; w++) {
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 3; k++) {
                sn_real *number = &((sn_real *)&v[i])[k], was = *number;
                *number = R(wild[w]);
                CHECK_INT(sn_rod_set_centres(b.world, b.rod, v, N), SN_ERR_RANGE);
                CHECK_INT(sn_rod_set_velocities(b.world, b.rod, v, N), SN_ERR_RANGE);
                CHECK_INT(sn_rod_set_spins(b.world, b.rod, v, N), SN_ERR_RANGE);
                *number = was;
            }
            s[i] = R(wild[w]);
            CHECK_INT(sn_rod_set_scales(b.world, b.rod, s, N), SN_ERR_RANGE);
            CHECK_INT(sn_rod_set_scale_rates(b.world, b.rod, s, N), SN_ERR_RANGE);
            s[i] = 1;
        }
        const sn_real bad = R(wild[w]);
        for (int k = 0; k < 3; k++) {
            sn_vec3 one = {0, 0, 0};
            ((sn_real *)&one)[k] = bad;
            CHECK_INT(sn_rod_set_force(b.world, b.rod, 1, one), SN_ERR_RANGE);
            CHECK_INT(sn_rod_set_torque(b.world, b.rod, 1, one), SN_ERR_RANGE);
            CHECK_INT(sn_rod_move_centre(b.world, b.other, 0, one), SN_ERR_RANGE);
        }
        for (int k = 0; k < 4; k++) {
            sn_quat turn = {0, 0, 0, 1};
            ((sn_real *)&turn)[k] = bad;
            CHECK_INT(sn_rod_move_clamp(b.world, b.other, 0, turn), SN_ERR_RANGE);
            CHECK_INT(sn_rod_move_clamp(b.world, b.other, N - 1, turn), SN_ERR_RANGE);
        }
        CHECK_INT(sn_rod_set_radial_force(b.world, b.rod, 1, bad), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_segment(b.world, b.rod, 1, bad, 1), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_segment(b.world, b.rod, 1, 1, bad), SN_ERR_RANGE);
    }
    const double bad_scale[] = {0, -1, 0.01, 1e4}, bad_stiffness[] = {-0.1, 1001}, bad_length[] = {0, 0.001, -1, 101};
    for (int i = 0; i < 4; i++) {
        s[2] = R(bad_scale[i]);
        CHECK_INT(sn_rod_set_scales(b.world, b.rod, s, N), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_segment(b.world, b.rod, 1, 1, R(bad_length[i])), SN_ERR_RANGE);
        if (i < 2) CHECK_INT(sn_rod_set_segment(b.world, b.rod, 1, R(bad_stiffness[i]), 1), SN_ERR_RANGE);
    }
    CHECK(unchanged(b.world, before));
    tear_down(&b);
}

TEST(points_and_segments_out_of_range_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    saved before = save_of(b.world);
    const int outside[] = {-1, N, INT_MAX, INT_MIN};
    const sn_vec3 zero = {0, 0, 0};
    const sn_quat turn = {0, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        int k = outside[i];
        CHECK_INT(sn_rod_hold(b.world, b.rod, k, SN_HOLD_CENTRE), SN_ERR_RANGE);
        CHECK_INT(sn_rod_held(b.world, b.rod, k), 0);
        CHECK_INT(sn_rod_move_centre(b.world, b.rod, k, zero), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_scale(b.world, b.rod, k, 1), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_frame(b.world, b.rod, k, turn), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_clamp(b.world, b.rod, k, turn), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_force(b.world, b.rod, k, zero), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_torque(b.world, b.rod, k, zero), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_radial_force(b.world, b.rod, k, 0), SN_ERR_RANGE);
        CHECK_INT(sn_rod_set_segment(b.world, b.rod, k, 1, 1), SN_ERR_RANGE);
    }
    // a chain has no segment 0
    CHECK_INT(sn_rod_hold(b.world, b.rod, 0, SN_HOLD_FRAME), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_torque(b.world, b.rod, 0, zero), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_segment(b.world, b.rod, 0, 1, 1), SN_ERR_RANGE);
    CHECK(unchanged(b.world, before));

    sn_body loop; // and a loop has
    circle_of(b.points, N, 0.2);
    b.def.closed = true;
    CHECK_INT(sn_rod_create(b.world, &b.def, &loop), SN_OK);
    CHECK_INT(sn_rod_hold(b.world, loop, 0, SN_HOLD_FRAME), SN_OK);
    CHECK_INT(sn_rod_move_frame(b.world, loop, 0, turn), SN_OK);
    CHECK_INT(sn_rod_set_torque(b.world, loop, 0, zero), SN_OK);
    CHECK_INT(sn_rod_set_segment(b.world, loop, 0, 1, 1), SN_OK);
    tear_down(&b);
}

TEST(what_is_not_held_cannot_be_moved) {
    bench b;
    REQUIRE(set_up(&b));
    saved before = save_of(b.world);
    const sn_vec3 zero = {0, 0, 0};
    const sn_quat turn = {0, 0, 0, 1};
    for (int i = 0; i < N; i++) {
        CHECK_INT(sn_rod_move_centre(b.world, b.rod, i, zero), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_scale(b.world, b.rod, i, 1), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_frame(b.world, b.rod, i, turn), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_clamp(b.world, b.rod, i, turn), SN_ERR_RANGE);
        CHECK_INT(sn_rod_hold(b.world, b.rod, i, SN_HOLD_CLAMP), SN_ERR_RANGE); // not given as clamped
    }
    CHECK_INT(sn_rod_move_clamp(b.world, b.other, 1, turn), SN_ERR_RANGE);
    CHECK_INT(sn_rod_move_scale(b.world, b.other, 0, 1), SN_ERR_RANGE); // a clamp holds the centre, not the scale
    const int masks[] = {16, -1, INT_MIN, INT_MAX, SN_HOLD_CENTRE | 32};
    for (int i = 0; i < 5; i++) CHECK_INT(sn_rod_hold(b.world, b.rod, 2, masks[i]), SN_ERR_RANGE);
    CHECK(unchanged(b.world, before));

    CHECK_INT(sn_rod_hold(b.world, b.rod, 2, SN_HOLD_CENTRE), SN_OK);
    CHECK_INT(sn_rod_move_centre(b.world, b.rod, 2, zero), SN_OK);
    CHECK_INT(sn_rod_move_scale(b.world, b.rod, 2, 1), SN_ERR_RANGE);
    CHECK_INT(sn_rod_move_frame(b.world, b.rod, 2, turn), SN_ERR_RANGE);
    CHECK_INT(sn_rod_hold(b.world, b.rod, 2, SN_HOLD_NONE), SN_OK);
    CHECK_INT(sn_rod_move_centre(b.world, b.rod, 2, zero), SN_ERR_RANGE);
    CHECK_INT(sn_rod_hold(b.world, b.other, 0, SN_HOLD_CENTRE), SN_OK); // frees the clamp
    CHECK_INT(sn_rod_move_clamp(b.world, b.other, 0, turn), SN_ERR_RANGE);
    tear_down(&b);
}

TEST(rotations_without_an_axis_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    CHECK_INT(sn_rod_hold(b.world, b.rod, 2, SN_HOLD_FRAME), SN_OK);
    saved before = save_of(b.world);
    const double sizes[] = {0, 1e-20, 1e30}; // as floats their squares vanish or overflow
    for (int i = 0; i < (sizeof(sn_real) == 4 ? 3 : 1); i++) {
        sn_quat turn = {0, R(sizes[i]), 0, R(sizes[i])};
        CHECK_INT(sn_rod_move_frame(b.world, b.rod, 2, turn), SN_ERR_RANGE);
        CHECK_INT(sn_rod_move_clamp(b.world, b.other, 0, turn), SN_ERR_RANGE);
    }
    CHECK(unchanged(b.world, before));
    // Others need not be of unit length.
    CHECK_INT(sn_rod_move_frame(b.world, b.rod, 2, (sn_quat){0, R(70.7), 0, R(70.7)}), SN_OK);
    CHECK_INT(sn_world_step(b.world, R(0.01), 1), SN_OK);
    sn_quat q[N];
    CHECK_INT(sn_rod_get_frames(b.world, b.rod, q, N), N);
    CHECK_NEAR(fabs((double)q[2].y), sqrt(0.5), 1e-6);
    tear_down(&b);
}

TEST(holds_can_be_asked_for_and_read_back) {
    bench b;
    REQUIRE(set_up(&b));
    CHECK_INT(sn_rod_held(b.world, b.rod, 0), SN_HOLD_NONE);
    CHECK_INT(sn_rod_held(b.world, b.other, 0), SN_HOLD_CENTRE | SN_HOLD_CLAMP);
    CHECK_INT(sn_rod_held(b.world, b.other, N - 1), SN_HOLD_CENTRE | SN_HOLD_CLAMP);
    CHECK_INT(sn_rod_held(b.world, b.other, 1), SN_HOLD_NONE);
    for (int what = 0; what < 8; what++) {
        CHECK_INT(sn_rod_hold(b.world, b.rod, 3, what), SN_OK);
        CHECK_INT(sn_rod_held(b.world, b.rod, 3), what);
    }
    for (int what = 0; what < 16; what++) {
        CHECK_INT(sn_rod_hold(b.world, b.other, N - 1, what), SN_OK);
        CHECK_INT(sn_rod_held(b.world, b.other, N - 1), what);
    }
    for (int what = 0; what < 16; what++) {
        if (what & SN_HOLD_FRAME) continue; // point 0 has no segment
        CHECK_INT(sn_rod_hold(b.world, b.other, 0, what), SN_OK);
        CHECK_INT(sn_rod_held(b.world, b.other, 0), what);
    }
    tear_down(&b);
}

TEST(readers_write_no_more_than_they_are_given) {
    bench b;
    REQUIRE(set_up(&b));
    for (int capacity = -2; capacity <= N + 2; capacity++) {
        sn_vec3 v[N + 2];
        sn_quat q[N + 2];
        sn_real s[N + 2];
        int p[N + 2];
        memset(v, 0x55, sizeof v), memset(q, 0x55, sizeof q), memset(s, 0x55, sizeof s), memset(p, 0x55, sizeof p);
        sn_vec3 mark = v[0];
        CHECK_INT(sn_body_get_points(b.world, b.rod, v, capacity), N);
        CHECK_INT(sn_rod_get_frames(b.world, b.rod, q, capacity), N);
        CHECK_INT(sn_rod_get_radii(b.world, b.rod, s, capacity), N);
        CHECK_INT(sn_rod_get_parents(b.world, b.rod, p, capacity), N);
        for (int i = 0; i < N + 2; i++) {
            bool written = i < N && i < capacity;
            CHECK((v[i].x != mark.x) == written && (q[i].w != mark.x) == written && (s[i] != mark.x) == written);
            CHECK_INT(p[i], written ? i - 1 : 0x55555555);
        }
        CHECK_INT(sn_body_get_velocities(b.world, b.rod, v, capacity), N);
        CHECK_INT(sn_rod_get_scales(b.world, b.rod, s, capacity), N);
        CHECK_INT(sn_body_get_masses(b.world, b.rod, s, capacity), N);
    }
    tear_down(&b);
}

TEST(parents_are_told_as_the_engine_sees_them) {
    bench b;
    REQUIRE(set_up(&b));
    static const int star[N] = {-1, 0, 0, 0, 0, 0};
    sn_body rod;
    int p[N];
    b.def.parents = b.parents, memcpy(b.parents, star, sizeof star); // rooted at a tip: point 1
    CHECK_INT(sn_rod_create(b.world, &b.def, &rod), SN_OK);
    CHECK_INT(sn_rod_get_parents(b.world, rod, p, N), N);
    const int expected[N] = {1, -1, 0, 0, 0, 0};
    for (int i = 0; i < N; i++) CHECK_INT(p[i], expected[i]);
    good_def(&b);
    circle_of(b.points, N, 0.2);
    b.def.closed = true;
    CHECK_INT(sn_rod_create(b.world, &b.def, &rod), SN_OK);
    CHECK_INT(sn_rod_get_parents(b.world, rod, p, N), N);
    for (int i = 0; i < N; i++) CHECK_INT(p[i], (i + N - 1) % N);
    tear_down(&b);
}

// ---- calls from inside a step

typedef struct {
    bench *bench;
    int calls;
} intruder;

static void *intrude(void *user, sn_task_fn *fn, void *task) {
    intruder *in = user;
    if (in->calls++ == 0) {
        sn_world *world = in->bench->world;
        call_everything(world, in->bench->other, N, SN_ERR_BUSY);
        sn_body id = {9, 9, 9};
        CHECK_INT(sn_rod_create(world, &in->bench->def, &id), SN_ERR_BUSY);
        CHECK(id.slot1 == 0);
        CHECK_INT(sn_body_destroy(world, in->bench->rod), SN_ERR_BUSY);
        CHECK_INT(sn_world_step(world, R(0.01), 1), SN_ERR_BUSY);
        CHECK_INT(sn_world_set_gravity(world, (sn_vec3){0, 0, 0}), SN_ERR_BUSY);
        CHECK_INT(sn_world_set_solver(world, SN_SOLVER_XPBD, 1), SN_ERR_BUSY);
        sn_world_destroy(world); // refuses, for want of a status silently
    }
    fn(task);
    return NULL;
}
static void nothing_to_wait_for(void *user, void *handle) {
    (void)user, (void)handle;
}

TEST(a_world_that_steps_refuses_changes) {
    bench b, twin;
    REQUIRE(set_up(&b) && set_up(&twin));
    intruder in = {&b, 0};
    sn_world_def def = sn_world_def_default();
    def.worker_count = 2;
    def.tasks = (sn_tasks){intrude, nothing_to_wait_for, &in};
    saved before = save_of(b.world);
    sn_world *world;
    CHECK_INT(sn_world_restore(&def, before.bytes, before.size, &world), SN_OK);
    free(before.bytes);
    REQUIRE(world);
    sn_world_destroy(b.world);
    b.world = world;
    CHECK_INT(sn_world_step(b.world, R(0.01), 2), SN_OK);
    CHECK(in.calls > 0);
    CHECK_INT(sn_world_step(twin.world, R(0.01), 2), SN_OK);
    CHECK(sn_world_hash(b.world) == sn_world_hash(twin.world));
    CHECK_INT(sn_world_step_count(b.world), 2);
    call_everything(b.world, b.other, N, SN_OK); // and afterwards takes them again
    tear_down(&b);
    tear_down(&twin);
}
