// Bodies that would gain energy from nowhere: stiffness spread over many magnitudes is solved without gain, and what still diverges
// is put back and named, long before its numbers overflow. What gains speed for a reason is left alone.
#include "lane_widths.h"
#include "springs_world.h"

static unsigned seed;
static double draw(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216;
}

// A strip of points with springs to the next two. Stiffness is spread over 'decades' from 1,000 N/m, some masses are light.
static sn_body strip(sn_world *world, unsigned number, double decades, double pull, bool held, int iterations) {
    enum { COUNT = 30 };
    sn_vec3 points[COUNT];
    sn_real masses[COUNT];
    sn_spring springs[2 * COUNT];
    int count = 0;
    seed = number * 7919;
    for (int i = 0; i < COUNT; i++) points[i] = vec(0.1 * i, 0, 0), masses[i] = (sn_real)(0.1 * pow(10, -2 * draw()));
    for (int i = 0; i < COUNT; i++)
        for (int j = i + 1; j < COUNT && j <= i + 2; j++)
            springs[count++] = (sn_spring){i, j, (sn_real)(1e3 * pow(10, decades * draw())), draw() < 0.5 ? 0 : 1,
                                           (sn_real)(0.1 * (j - i) * (1 + pull * (draw() - 0.5)))};
    if (held) masses[0] = 0;
    sn_springs_def def = sn_springs_def_default();
    def.points = points, def.masses = masses, def.point_count = COUNT;
    def.springs = springs, def.spring_count = count;
    def.iterations = iterations;
    return make(world, &def);
}

TEST(springs_of_very_different_stiffness_make_no_energy) {
    for (unsigned number = 1; number <= 24; number++) {
        const double decades = 5 + number % 4;
        sn_world *world = world_with(9.81, 1, 0);
        const bool held = number % 3 > 0;
        const sn_body body = strip(world, number, decades, number % 2 ? 0.3 : 0, held, number % 4 ? 200 : 20);
        CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
        for (int i = 0; i < 150; i++) {
            const sn_status status = sn_world_step(world, (sn_real)(1.0 / 60), 1);
            if (!CHECK(status == SN_OK || status == SN_WARN_ENERGY)) break;
        }
        const sn_energy_balance energy = sn_world_energy_balance(world);
        CHECK(energy.climb < 0.2 * energy.scale); // coordinates in float: 30 m down, 2e-6 m off
        const sn_vec3 *points;
        for (int i = points_of(world, body, &points); held && i-- > 0;)
            CHECK(fabs((double)points[i].x) < 5 && fabs((double)points[i].y) < 5);
        sn_world_destroy(world);
    }
}

TEST(free_springs_keep_their_momentum_when_a_step_is_shortened) {
    sn_world *world = world_with(0, 1, 0);
    const sn_body body = strip(world, 5, 5, 0.3, false, 20);
    const double size = sqrt(2 * sn_world_energy(world).elastic * sn_body_mass(world, body));
    for (int i = 0; i < 100; i++) sn_world_step(world, (sn_real)(1.0 / 60), 1);
    const sn_momentum momentum = sn_world_momentum(world);
    for (int k = 0; k < 3; k++) CHECK(fabs(momentum.linear[k]) < 1e-3 * size);
    sn_world_destroy(world);
}

// Two masses on a spring far too stiff for an explicit integrator.
static sn_body explosive(sn_world *world, double y, uint64_t label) {
    const sn_vec3 points[2] = {vec(0, y, 0), vec(1.01, y, 0)};
    const sn_real masses[2] = {1, 1};
    const sn_spring spring = {.a = 0, .b = 1, .stiffness = (sn_real)1e7, .rest = 1};
    sn_springs_def def = sn_springs_def_default();
    def.points = points, def.masses = masses, def.point_count = 2;
    def.springs = &spring, def.spring_count = 1;
    def.integrator = SN_SPRING_SYMPLECTIC_EULER, def.label = label, def.collide = false;
    return make(world, &def);
}

static sn_body falling_chain(sn_world *world) {
    return chain_in(world, vec(0, 3, 1), vec(1, 3, 1), 8, 0.5, 100, 0.01, 0);
}

TEST(body_that_diverges_is_put_back_and_named) {
    sn_world *world = world_with(9.81, 1, 0), *alone = world_with(9.81, 1, 0);
    explosive(world, 10, 42);
    const sn_body chain = falling_chain(world), same = falling_chain(alone);
    uint64_t label = 0;
    int named = 0;
    for (int i = 0; i < 60; i++) {
        const sn_status status = sn_world_step(world, (sn_real)(1.0 / 60), 1);
        CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
        if (status == SN_WARN_DIVERGED) {
            named++;
            CHECK_INT(sn_world_diverged(world, &label, 1), 1);
            CHECK_INT(label, 42);
            CHECK_INT(sn_world_profile(world).diverged, 1);
        } else {
            CHECK_INT(sn_world_diverged(world, &label, 1), 0);
        }
        sn_world_step(alone, (sn_real)(1.0 / 60), 1);
        const sn_energy e = sn_world_energy(world);
        REQUIRE(e.kinetic + e.elastic < 1e5); // 500 J to begin with
    }
    CHECK(named > 0);
    const sn_vec3 *points;
    sn_vec3 others[8];
    CHECK_INT(sn_body_get_points(alone, same, others, 8), 8);
    CHECK_INT(points_of(world, chain, &points), 8);
    CHECK(memcmp(points, others, sizeof others) == 0); // who has nothing to do with it goes on, bit by bit
    sn_world_destroy(world), sn_world_destroy(alone);
}

TEST(putting_back_does_not_depend_on_workers_lanes_and_restoring) {
    int widths[4];
    const int count = lane_widths(widths);
    sn_world *world = world_with(9.81, 1, widths[0]), *other = world_with(9.81, 2, widths[count - 1]);
    explosive(world, 10, 1), falling_chain(world), ground(world, 0);
    explosive(other, 10, 1), falling_chain(other), ground(other, 0);
    for (int i = 0; i < 90; i++) {
        const sn_status a = sn_world_step(world, (sn_real)(1.0 / 60), 2),
                        b = sn_world_step(other, (sn_real)(1.0 / 60), 2);
        CHECK_INT(a, b);
        if (i % 7 == 3) {
            static unsigned char bytes[1 << 20];
            const size_t size = sn_world_save(other, bytes, sizeof bytes);
            REQUIRE(size > 0 && size <= sizeof bytes);
            sn_world_destroy(other);
            sn_world_def def = sn_world_def_default();
            REQUIRE(sn_world_restore(&def, bytes, size, &other) == SN_OK);
        }
        if (!CHECK(sn_world_hash(world) == sn_world_hash(other))) break;
    }
    sn_world_destroy(world), sn_world_destroy(other);
}

// Energy that was stored, or is brought in, is no divergence.
TEST(fast_motion_with_a_reason_is_left_alone) {
    // a slingshot: 5 kJ stored in a held net of springs, given to 10 g
    sn_world *world = world_with(9.81, 1, 0);
    const sn_vec3 points[3] = {vec(-1, 0, 0), vec(1, 0, 0), vec(0, -2, 0)};
    const sn_real masses[3] = {0, 0, (sn_real)0.01};
    const sn_spring springs[2] = {{0, 2, 2000, 0, 1}, {1, 2, 2000, 0, 1}};
    sn_springs_def def = sn_springs_def_default();
    def.points = points, def.masses = masses, def.point_count = 3;
    def.springs = springs, def.spring_count = 2, def.collide = false;
    make(world, &def);
    run(world, 30, 1.0 / 2000, 1);
    sn_world_destroy(world);
    // a blow, a force, and a held point that is thrown
    world = world_with(9.81, 1, 0);
    const sn_body chain = falling_chain(world);
    run(world, 3, 1.0 / 60, 1);
    for (int i = 0; i < 8; i++) CHECK_INT(sn_springs_add_impulse(world, chain, i, vec(0, 100, 0)), SN_OK);
    run(world, 3, 1.0 / 60, 1);
    for (int i = 0; i < 8; i++) sn_springs_set_force(world, chain, i, vec(0, 0, 5000));
    run(world, 10, 1.0 / 60, 1);
    sn_world_destroy(world);
    world = world_with(9.81, 1, 0);
    const sn_body held = falling_chain(world);
    sn_springs_set_mass(world, held, 0, 0);
    for (int i = 1; i <= 20; i++) {
        sn_springs_move(world, held, 0, vec(0, 3 + 2 * i, 1));
        if (!CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 2), SN_OK)) break;
    }
    sn_world_destroy(world);
}
