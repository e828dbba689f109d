// One handle for every kind: the calls common to all bodies work for each kind, and calls of one kind refuse the others.
#include "all_kinds.h"

static bool same_body(sn_body a, sn_body b) {
    return a.kind == b.kind && a.slot1 == b.slot1 && a.gen == b.gen;
}

TEST(labels_and_user_pointers) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int k = 0; k < ALL_KINDS; k++) {
        const sn_body b = all.body[k];
        CHECK(sn_body_exists(all.world, b) && sn_kind_name(b.kind));
        CHECK_INT(sn_body_label(all.world, b), 11 + k);
        CHECK_INT(sn_body_set_label(all.world, b, 100 + (uint64_t)k), SN_OK);
        CHECK_INT(sn_body_label(all.world, b), 100 + k);
        CHECK(!sn_body_user(all.world, b));
        CHECK_INT(sn_body_set_user(all.world, b, &all.body[k]), SN_OK);
        CHECK(sn_body_user(all.world, b) == &all.body[k]);
    }
    CHECK(!sn_kind_name(0) && !sn_kind_name(1000));
    all_kinds_end(&all);
}

static bool contains(sn_box3 box, sn_vec3 p) {
    return box.min.x <= p.x && box.min.y <= p.y && box.min.z <= p.z && p.x <= box.max.x && p.y <= box.max.y &&
           p.z <= box.max.z;
}

TEST(points_bounds_and_masses) {
    enum { CAPACITY = 64 };
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int step = 0; step < 10; step++) CHECK_INT(sn_world_step(all.world, R(1.0 / 60), 2), SN_OK);
    for (int k = 0; k < ALL_KINDS; k++) {
        const sn_body b = all.body[k];
        sn_vec3 points[CAPACITY];
        sn_real masses[CAPACITY];
        const int count = sn_body_get_points(all.world, b, points, CAPACITY);
        CHECK(count > 0 && count <= CAPACITY && count == sn_body_point_count(all.world, b));
        const sn_box3 box = sn_body_bounds(all.world, b);
        for (int i = 0; i < count; i++) CHECK(contains(box, points[i]));
        double sum = 0;
        const int weighed = sn_body_get_masses(all.world, b, masses, CAPACITY);
        for (int i = 0; i < weighed; i++) sum += (double)masses[i];
        if (weighed > 0) CHECK_NEAR(sum, sn_body_mass(all.world, b), 1e-6 * sum);
        const int moving = sn_body_get_velocities(all.world, b, points, CAPACITY);
        CHECK(moving == 0 || moving == count);
        const sn_energy e = sn_body_energy(all.world, b);
        CHECK(isfinite(e.kinetic) && isfinite(e.elastic) && isfinite(e.potential));
        CHECK(isfinite(sn_body_volume(all.world, b)) && isfinite(sn_body_rest_volume(all.world, b)));
    }
    CHECK(sn_body_mass(all.world, all.rod) > 0 && sn_body_mass(all.world, all.springs) > 0);
    CHECK(sn_body_mass(all.world, all.elastic) > 0 && sn_body_mass(all.world, all.rigid) == 0);
    all_kinds_end(&all);
}

// The energies of the bodies add up to that of the world.
TEST(energies_add_up) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int step = 0; step < 10; step++) CHECK_INT(sn_world_step(all.world, R(1.0 / 60), 2), SN_OK);
    sn_energy sum = {0};
    for (int i = 0; i < sn_world_body_count(all.world); i++) {
        const sn_energy e = sn_body_energy(all.world, sn_world_body_at(all.world, i));
        sum.kinetic += e.kinetic, sum.elastic += e.elastic, sum.potential += e.potential;
    }
    const sn_energy whole = sn_world_energy(all.world);
    CHECK_NEAR(sum.kinetic, whole.kinetic, 1e-9 * (1 + fabs(whole.kinetic)));
    CHECK_NEAR(sum.elastic, whole.elastic, 1e-9 * (1 + fabs(whole.elastic)));
    CHECK_NEAR(sum.potential, whole.potential, 1e-9 * (1 + fabs(whole.potential)));
    all_kinds_end(&all);
}

TEST(iteration) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    int at = 0;
    for (uint32_t kind = 0; kind < 10; kind++)
        for (int i = 0; i < sn_world_kind_count(all.world, kind); i++)
            CHECK(same_body(sn_world_kind_at(all.world, kind, i), sn_world_body_at(all.world, at++)));
    CHECK_INT(at, sn_world_body_count(all.world));
    CHECK_INT(at, ALL_KINDS + ALL_FIBRES);
    CHECK(same_body(sn_world_body_at(all.world, at), (sn_body){0}));
    CHECK(same_body(sn_world_body_at(all.world, -1), (sn_body){0}));
    CHECK(same_body(sn_world_kind_at(all.world, SN_KIND_ROD, ALL_FIBRES + 1), (sn_body){0}));
    CHECK_INT(sn_body_destroy(all.world, all.rod), SN_OK); // a hole in the slots
    CHECK(same_body(sn_world_body_at(all.world, 0), all.fibre[0]));
    CHECK_INT(sn_world_body_count(all.world), at - 1);
    all_kinds_end(&all);
}

TEST(contact_settings) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int k = 0; k < ALL_KINDS; k++) {
        const sn_body b = all.body[k];
        sn_surface surface = sn_surface_default(), got;
        bool collide, self;
        surface.friction_static = R(0.75), surface.friction_dynamic = R(0.25);
        CHECK_INT(sn_body_set_contact(all.world, b, &surface, false, true), SN_OK);
        CHECK_INT(sn_body_get_contact(all.world, b, &got, &collide, &self), SN_OK);
        CHECK(got.friction_static == R(0.75) && !collide && self == (b.kind != SN_KIND_RIGID));
        surface.friction_static = R(0.5);
        CHECK_INT(sn_body_set_surface(all.world, b, &surface), SN_OK);
        CHECK_INT(sn_body_get_surface(all.world, b, &got), SN_OK);
        CHECK(got.friction_static == R(0.5));
    }
    all_kinds_end(&all);
}

TEST(sleep_and_wake) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_vec3 points[5];
    sn_rod_def rod = chain_def(points, 5);
    sn_body floor, body;
    for (int i = 0; i < 5; i++) points[i].y = R(0.02);
    CHECK_INT(sn_rigid_create(world, &ground, &floor), SN_OK);
    CHECK_INT(sn_rod_create(world, &rod, &body), SN_OK);
    CHECK(!sn_body_asleep(world, body));
    for (int step = 0; step < 240 && !sn_body_asleep(world, body); step++)
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
    CHECK(sn_body_asleep(world, body));
    CHECK_INT(sn_body_wake(world, body), SN_OK);
    CHECK(!sn_body_asleep(world, body));
    sn_world_destroy(world);
}

// A handle is stale if its body is gone, or if its kind is another although slot and generation are those of a body.
TEST(stale_handles) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int k = 0; k < ALL_KINDS; k++) {
        sn_body stale[3] = {all.body[k], all.body[k], all.body[k]};
        sn_surface surface = sn_surface_default();
        stale[0].gen++, stale[1].slot1 = 1000, stale[2].kind = 1000;
        for (int i = 0; i < 3; i++) {
            CHECK(!sn_body_exists(all.world, stale[i]) && sn_body_label(all.world, stale[i]) == 0);
            CHECK(sn_body_point_count(all.world, stale[i]) == 0 && sn_body_mass(all.world, stale[i]) == 0);
            CHECK(sn_body_bounds(all.world, stale[i]).min.x > sn_body_bounds(all.world, stale[i]).max.x);
            CHECK(!sn_body_asleep(all.world, stale[i]) && !sn_body_user(all.world, stale[i]));
            CHECK_INT(sn_body_wake(all.world, stale[i]), SN_ERR_STALE_ID);
            CHECK_INT(sn_body_set_label(all.world, stale[i], 1), SN_ERR_STALE_ID);
            CHECK_INT(sn_body_set_user(all.world, stale[i], &all), SN_ERR_STALE_ID);
            CHECK_INT(sn_body_set_surface(all.world, stale[i], &surface), SN_ERR_STALE_ID);
            CHECK_INT(sn_body_set_contact(all.world, stale[i], &surface, true, false), SN_ERR_STALE_ID);
            CHECK_INT(sn_body_get_contact(all.world, stale[i], &surface, NULL, NULL), SN_ERR_STALE_ID);
            CHECK_INT(sn_body_destroy(all.world, stale[i]), SN_ERR_STALE_ID);
        }
    }
    // All first bodies have slot 1 and generation 1; the second rod's slot is free in other kinds.
    const sn_body other = {SN_KIND_SPRING, all.fibre[0].slot1, all.fibre[0].gen};
    CHECK(!sn_body_exists(all.world, other));
    for (int k = 0; k < ALL_KINDS; k++) {
        const sn_body b = all.body[k];
        CHECK_INT(sn_body_destroy(all.world, b), SN_OK);
        CHECK(!sn_body_exists(all.world, b));
        CHECK_INT(sn_body_destroy(all.world, b), SN_ERR_STALE_ID);
    }
    CHECK_INT(sn_world_joint_count(all.world), 0); // gone with the rod
    all_kinds_end(&all);
}

// ---- calls of one kind: those that test_getters.c has not

enum { MANY = 64 };
static const sn_vec3 zeros[MANY];

static sn_status rod_calls(sn_world *w, sn_body b, int call) {
    sn_material materials[MANY];
    for (int i = 0; i < MANY; i++) materials[i] = sn_material_preset(SN_PRESET_RUBBER);
    switch (call) {
    case 0:
        return sn_rod_set_centres(w, b, zeros, 7);
    case 1:
        return sn_rod_set_materials(w, b, materials, 7);
    default:
        return sn_rod_hold(w, b, 1, SN_HOLD_CENTRE);
    }
}
static sn_status springs_calls(sn_world *w, sn_body b, int call) {
    const int count = sn_body_point_count(w, b);
    switch (call) {
    case 0:
        return sn_springs_put(w, b, 1, zeros[0], zeros[0]);
    case 1:
        return sn_springs_set_velocities(w, b, zeros, count);
    default:
        return sn_springs_add_impulse(w, b, 1, zeros[0]);
    }
}
static sn_status muscles_calls(sn_world *w, sn_body b, int call) {
    const sn_transform poses[2] = {{{0, 1, 6}, {0, 0, 0, 1}}, {{R(0.3), 1, 6}, {0, 0, 0, 1}}};
    switch (call) {
    case 0:
        return sn_implicit_muscles_move(w, b, poses, 2);
    case 1:
        return sn_implicit_muscles_put(w, b, poses, 2);
    default:
        return sn_implicit_muscles_set_bundle(w, b, 0, (sn_bundle){0, 0});
    }
}
typedef sn_status call_fn(sn_world *world, sn_body body, int call);

TEST(calls_refuse_other_kinds) {
    static const struct {
        uint32_t kind;
        call_fn *call;
    } groups[] = {{SN_KIND_ROD, rod_calls}, {SN_KIND_SPRING, springs_calls}, {SN_KIND_IMPLICIT_MUSCLE, muscles_calls}};
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int g = 0; g < 3; g++)
        for (int call = 0; call < 3; call++)
            for (int k = 0; k < ALL_KINDS; k++) {
                const sn_body b = all.body[k], stale = {b.kind, b.slot1, b.gen + 1};
                const sn_status expected = b.kind == groups[g].kind ? SN_OK : SN_ERR_KIND;
                if (!CHECK_INT(groups[g].call(all.world, b, call), expected))
                    printf("group %d, call %d, kind %d\n", g, call, k);
                CHECK_INT(groups[g].call(all.world, stale, call), SN_ERR_STALE_ID);
            }
    all_kinds_end(&all);
}

TEST(readers_of_other_kinds_read_nothing) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int k = 0; k < ALL_KINDS; k++) {
        const sn_world *w = all.world;
        const sn_body b = all.body[k];
        const uint32_t kind = b.kind;
        sn_vec3 v[MANY];
        sn_real s[MANY];
        CHECK((sn_rod_get_scales(w, b, s, MANY) > 0) == (kind == SN_KIND_ROD));
        CHECK((sn_rod_get_radii(w, b, s, MANY) > 0) == (kind == SN_KIND_ROD));
        CHECK((sn_rod_get_parents(w, b, NULL, 0) > 0) == (kind == SN_KIND_ROD));
        CHECK((sn_rod_get_frames(w, b, NULL, 0) > 0) == (kind == SN_KIND_ROD));
        CHECK((sn_rod_get_materials(w, b, NULL, 0) > 0) == (kind == SN_KIND_ROD));
        CHECK((sn_rod_length(w, b) > 0) == (kind == SN_KIND_ROD));
        CHECK((sn_rod_held(w, b, 0) != 0) == (kind == SN_KIND_ROD));
        CHECK((sn_springs_spring_count(w, b) > 0) == (kind == SN_KIND_SPRING));
        CHECK((sn_springs_triangle_count(w, b) > 0) == (kind == SN_KIND_SPRING));
        CHECK((sn_springs_radius(w, b) > 0) == (kind == SN_KIND_SPRING));
        CHECK(sn_springs_last_solve(w, b).solves == 0 && sn_springs_tet_count(w, b) == 0);
        CHECK((sn_elastic_get_vertices(w, b, v, MANY) > 0) == (kind == SN_KIND_ELASTIC));
        CHECK((sn_elastic_get_drawn(w, b, v, MANY) > 0) == (kind == SN_KIND_ELASTIC));
        CHECK((sn_elastic_get_radii(w, b, s, MANY) > 0) == (kind == SN_KIND_ELASTIC));
        CHECK((sn_elastic_get_model(w, b) != NULL) == (kind == SN_KIND_ELASTIC));
        CHECK((sn_implicit_muscles_count(w, b) > 0) == (kind == SN_KIND_IMPLICIT_MUSCLE));
        CHECK((sn_implicit_muscles_bone_count(w, b) > 0) == (kind == SN_KIND_IMPLICIT_MUSCLE));
        CHECK((sn_implicit_muscles_get_axis(w, b, 0, v, MANY) > 0) == (kind == SN_KIND_IMPLICIT_MUSCLE));
        CHECK((sn_implicit_muscles_volume(w, b, 0) > 0) == (kind == SN_KIND_IMPLICIT_MUSCLE));
    }
    all_kinds_end(&all);
}
