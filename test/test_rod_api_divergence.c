// Numbers at the edge: whatever a rod is asked to bear, nothing that is not a number can ever be read; a rod that
// cannot be computed is put back and named, and the others do not notice.
// compilers: all
#include "mixed_world.h"

enum { N = 7 };

// Ways to ask for too much, of a rod that lives.
typedef enum {
    WILD_VELOCITY,
    WILD_CENTRES,
    WILD_SPINS,
    WILD_RATES,
    WILD_SCALES,
    WILD_FORCE,
    WILD_PULL, // two forces apart
    WILD_TORQUE,
    WILD_SWELL,
    WILD_SHRINK,
    WILD_MOVE,
    WILD_TURN,
    WILD_SEGMENT,
    WILD_WAYS
} wild_way;

static void go_wild(sn_world *world, sn_body id, wild_way way, double size, uint64_t *seed) {
    const sn_real big = R(size);
    sn_vec3 v[N];
    sn_real s[N];
    for (int i = 0; i < N; i++) v[i] = random_vec(seed, size), s[i] = random_real(seed, -size, size);
    switch (way) {
    case WILD_VELOCITY:
        CHECK_INT(sn_rod_set_velocities(world, id, v, N), SN_OK);
        break;
    case WILD_CENTRES:
        CHECK_INT(sn_rod_set_centres(world, id, v, N), SN_OK);
        break;
    case WILD_SPINS:
        CHECK_INT(sn_rod_set_spins(world, id, v, N), SN_OK);
        break;
    case WILD_RATES:
        CHECK_INT(sn_rod_set_scale_rates(world, id, s, N), SN_OK);
        break;
    case WILD_SCALES:
        for (int i = 0; i < N; i++) s[i] = i % 2 ? 1000 : R(0.02);
        CHECK_INT(sn_rod_set_scales(world, id, s, N), SN_OK);
        break;
    case WILD_FORCE:
        CHECK_INT(sn_rod_set_force(world, id, 3, (sn_vec3){0, big, 0}), SN_OK);
        break;
    case WILD_PULL:
        CHECK_INT(sn_rod_set_force(world, id, 0, (sn_vec3){-big, 0, 0}), SN_OK);
        CHECK_INT(sn_rod_set_force(world, id, N - 1, (sn_vec3){big, 0, 0}), SN_OK);
        break;
    case WILD_TORQUE:
        CHECK_INT(sn_rod_set_torque(world, id, 2, (sn_vec3){big, -big, big}), SN_OK);
        break;
    case WILD_SWELL:
        CHECK_INT(sn_rod_set_radial_force(world, id, 2, big), SN_OK);
        break;
    case WILD_SHRINK:
        CHECK_INT(sn_rod_set_radial_force(world, id, 2, -big), SN_OK);
        break;
    case WILD_MOVE:
        CHECK_INT(sn_rod_hold(world, id, 3, SN_HOLD_CENTRE | SN_HOLD_SCALE), SN_OK);
        CHECK_INT(sn_rod_move_centre(world, id, 3, v[0]), SN_OK);
        CHECK_INT(sn_rod_move_scale(world, id, 3, 1000), SN_OK);
        break;
    case WILD_TURN:
        CHECK_INT(sn_rod_hold(world, id, 3, SN_HOLD_FRAME), SN_OK);
        CHECK_INT(sn_rod_move_frame(world, id, 3, (sn_quat){v[0].x / big, v[0].y / big, v[0].z / big, R(0.001)}),
                  SN_OK);
        break;
    case WILD_SEGMENT:
        CHECK_INT(sn_rod_set_segment(world, id, 1, 1000, R(0.01)), SN_OK);
        CHECK_INT(sn_rod_set_segment(world, id, 2, 1000, 100), SN_OK);
        CHECK_INT(sn_rod_set_segment(world, id, 3, 0, 1), SN_OK);
        break;
    default:
        break;
    }
}

// Everything that can be read of a rod is a number, and frames are rotations.
static bool sound(const sn_world *world, sn_body id) {
    sn_vec3 c[N], v[N];
    sn_real s[N], r[N];
    sn_quat q[N];
    bool good = sn_body_get_points(world, id, c, N) == N && sn_body_get_velocities(world, id, v, N) == N &&
                sn_rod_get_scales(world, id, s, N) == N && sn_rod_get_radii(world, id, r, N) == N &&
                sn_rod_get_frames(world, id, q, N) == N;
    for (int i = 0; i < N; i++) {
        good = good && isfinite(c[i].x) && isfinite(c[i].y) && isfinite(c[i].z);
        good = good && isfinite(v[i].x) && isfinite(v[i].y) && isfinite(v[i].z);
        good = good && isfinite(s[i]) && s[i] >= R(0.0199) && isfinite(r[i]);
        double square = (double)(q[i].x * q[i].x + q[i].y * q[i].y + q[i].z * q[i].z + q[i].w * q[i].w);
        good = good && fabs(square - 1) < 1e-3;
    }
    sn_energy e = sn_world_energy(world);
    sn_momentum p = sn_world_momentum(world);
    good = good && !isnan(e.kinetic) && !isnan(e.elastic) && !isnan(e.potential) && !isnan(p.linear[0]);
    return good && !isnan(sn_body_volume(world, id)) && !isnan(sn_rod_length(world, id));
}

// Three rods of one packet; the middle one goes wild, the others must move as in a world without it.
static void check_wild(wild_way way, double size, int solver, int lanes, sn_material material, double radius) {
    sn_world_def world_def = sn_world_def_default();
    world_def.lanes = lanes;
    world_def.solver = (sn_solver)solver;
    world_def.iterations = solver ? 4 : 2;
    sn_world *world = make_world(&world_def), *quiet = make_world(&world_def);
    REQUIRE(world && quiet);
    sn_vec3 points[N];
    sn_rod_def def = chain_def(points, N);
    def.collide = false;
    def.clamp_first = true;
    sn_body first, wild, last, quiet_first, quiet_last;
    def.label = 1;
    CHECK_INT(sn_rod_create(world, &def, &first), SN_OK);
    CHECK_INT(sn_rod_create(quiet, &def, &quiet_first), SN_OK);
    sn_rod_def other = def;
    other.material = material, other.radius = R(radius), other.label = 2;
    if (sn_rod_create(world, &other, &wild) != SN_OK) { // too heavy
        CHECK(radius >= 1000);
        sn_world_destroy(world), sn_world_destroy(quiet);
        return;
    }
    def.label = 3;
    CHECK_INT(sn_rod_create(world, &def, &last), SN_OK);
    CHECK_INT(sn_rod_create(quiet, &def, &quiet_last), SN_OK);
    uint64_t seed = (uint64_t)way + 1;
    bool good = true;
    for (int step = 0; step < 12; step++) {
        if (step % 4 == 1) go_wild(world, wild, way, size, &seed);
        sn_status status = sn_world_step(world, R(1.0 / 60), 1 + step % 2);
        CHECK_INT(sn_world_step(quiet, R(1.0 / 60), 1 + step % 2), SN_OK);
        uint64_t labels[4] = {0};
        int diverged = sn_world_diverged(world, labels, 4);
        good = CHECK(status == SN_OK || status == SN_WARN_DIVERGED) && good;
        good = CHECK_INT(diverged, status == SN_WARN_DIVERGED) && good;
        good = CHECK_INT(sn_world_profile(world).diverged, diverged) && good;
        if (diverged) good = CHECK_INT(labels[0], 2) && good;
        good = CHECK(sound(world, wild)) && good;
        good = CHECK(same_state(world, first, quiet, quiet_first)) && good;
        good = CHECK(same_state(world, last, quiet, quiet_last)) && good;
        if (!good) break;
    }
    if (!good) printf("way %d, size %g, solver %d, %d lanes, radius %g\n", way, size, solver, lanes, radius);
    sn_world_destroy(world);
    sn_world_destroy(quiet);
}

TEST(no_demand_makes_a_rod_unreadable) {
    const double sizes[] = {1e3, 1e7, 1e15, 1e20, 1e30, 3e38};
    int widths[4], count = lane_widths(widths);
    for (int way = 0; way < WILD_WAYS; way++)
        for (int k = 0; k < 6; k++)
            for (int solver = 0; solver < 3; solver++)
                check_wild((wild_way)way, sizes[k], solver, widths[(way + k) % count],
                           sn_material_preset(SN_PRESET_RUBBER), 0.02);
}

TEST(no_material_makes_a_rod_unreadable) {
    int widths[4], count = lane_widths(widths);
    const double radii[] = {1e-7, 1e-6, 1e-3, 10, 1000};
    for (int k = 0; k < 5; k++) {
        for (int m = 0; m < 6; m++) {
            sn_material material = sn_material_preset(SN_PRESET_RUBBER);
            if (m == 0) material.young = material.shear = material.transverse = R(1e13), material.volume = R(1e16);
            if (m == 1) material.young = R(1e13), material.density = R(1e-3);
            if (m == 2) material.young = material.shear = material.transverse = material.volume = 0;
            if (m == 3) material.scale_bend = R(1e13), material.volume_in_bend = true;
            if (m == 4) material.density = R(1e6), material.damping = R(1e6);
            if (m == 5) material.density = R(1e-3), material.damping = 0;
            for (int solver = 0; solver < 3; solver++)
                for (int way = 0; way < 2; way++)
                    check_wild(way ? WILD_VELOCITY : WILD_WAYS, 100, solver, widths[(k + m) % count], material,
                               radii[k]);
        }
    }
}

TEST(gravity_of_any_size_is_borne) {
    const double sizes[] = {1e3, 1e10, 1e20, 3e38};
    for (int solver = 0; solver < 3; solver++)
        for (int k = 0; k < 4; k++) {
            sn_world_def def = sn_world_def_default();
            def.solver = (sn_solver)solver;
            def.gravity = (sn_vec3){R(sizes[k]), R(-sizes[k]), 0};
            sn_world *world = make_world(&def);
            REQUIRE(world);
            sn_vec3 points[N];
            sn_rod_def rod = chain_def(points, N);
            rod.clamp_first = true;
            sn_body id;
            CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
            for (int step = 0; step < 10; step++) {
                sn_status status = sn_world_step(world, R(1.0 / 60), 2);
                CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
                CHECK(sound(world, id));
            }
            sn_world_destroy(world);
        }
}

TEST(rods_in_contact_stay_readable_when_one_diverges) {
    const double sizes[] = {1e3, 1e15, 1e30, 3e38};
    for (int way = 0; way < WILD_WAYS; way++)
        for (int k = 0; k < 4; k++) {
            sn_world_def def = sn_world_def_default();
            sn_world *world = make_world(&def);
            REQUIRE(world);
            pile p = pile_build(world);
            uint64_t seed = (uint64_t)way + 1;
            for (int step = 0; step < 12; step++) {
                if (step == 3) go_wild(world, p.rod[1], (wild_way)way, sizes[k], &seed);
                sn_status status = sn_world_step(world, R(1.0 / 60), 2);
                CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
                for (int i = 0; i < PILE_RODS; i++) CHECK(sound(world, p.rod[i]));
            }
            sn_world_destroy(world);
        }
}

TEST(what_diverged_is_put_back_named_and_goes_on) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_vec3 points[N], before[N], after[N];
    sn_rod_def rod = chain_def(points, N);
    rod.collide = false;
    sn_body id[3];
    for (int i = 0; i < 3; i++) {
        rod.label = (uint64_t)i + 100;
        CHECK_INT(sn_rod_create(world, &rod, &id[i]), SN_OK);
    }
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK);
    CHECK_INT(sn_world_diverged(world, NULL, 0), 0);
    sn_body_get_points(world, id[1], before, N);
    const sn_real too_much = sizeof(sn_real) == 4 ? R(3e38) : R(1e307);
    for (int i = 1; i < 3; i++) CHECK_INT(sn_rod_set_radial_force(world, id[i], 3, too_much), SN_OK);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_WARN_DIVERGED);
    uint64_t labels[3] = {7, 7, 7};
    CHECK_INT(sn_world_diverged(world, labels, 1), 2); // no more is written than there is room for
    CHECK(labels[0] == 101 && labels[1] == 7);
    CHECK_INT(sn_world_diverged(world, labels, 3), 2);
    CHECK(labels[0] == 101 && labels[1] == 102 && labels[2] == 7);
    sn_body_get_points(world, id[1], after, N);
    for (int i = 0; i < N; i++) CHECK(before[i].x == after[i].x && before[i].y == after[i].y);
    sn_body_get_velocities(world, id[1], after, N);
    for (int i = 0; i < N; i++) CHECK(after[i].x == 0 && after[i].y == 0 && after[i].z == 0);

    CHECK_INT(sn_body_destroy(world, id[2]), SN_OK); // whoever takes its place has not diverged
    sn_body next;
    rod.label = 200;
    CHECK_INT(sn_rod_create(world, &rod, &next), SN_OK);
    CHECK_INT(sn_world_diverged(world, labels, 3), 1);
    CHECK(labels[0] == 101);
    CHECK_INT(sn_rod_set_radial_force(world, id[1], 3, 0), SN_OK);
    CHECK_INT(sn_world_step(world, R(0.01), 1), SN_OK); // the cause is gone, it falls on
    CHECK_INT(sn_world_diverged(world, labels, 3), 0);
    CHECK(centre_of(world, id[1], 3).y < before[3].y);
    sn_world_destroy(world);
}
