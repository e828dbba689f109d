// Shrunk overlaps (sn_world_shrink_overlaps): bodies that overlap at the start stay where they are, without a force,
// and obstruct nobody; contacts elsewhere remain.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

enum { POINTS = 6 };

static sn_world *empty_world(void) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0};
    sn_world *world = NULL;
    sn_world_create(&def, &world);
    return world;
}

// A rod of 0.5 m and radius 2 cm from a place along a direction.
static sn_body rod(sn_world *world, sn_vec3 from, sn_vec3 way) {
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        const sn_real t = R(0.1) * (sn_real)i;
        points[i] = (sn_vec3){from.x + t * way.x, from.y + t * way.y, from.z + t * way.z};
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = R(0.02);
    sn_body made = {0};
    CHECK_INT(sn_rod_create(world, &def, &made), SN_OK);
    return made;
}

static double unrest(const sn_world *world) {
    return sn_world_energy(world).kinetic + sn_world_energy(world).elastic;
}

static sn_vec3 centre(const sn_world *world, sn_body rod, int i) {
    sn_vec3 points[POINTS];
    sn_body_get_points(world, rod, points, POINTS);
    return points[i];
}

static sn_body ball(sn_world *world, sn_vec3 at, sn_real radius) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.position = at, def.radii[0] = radius;
    sn_body made = {0};
    CHECK_INT(sn_rigid_create(world, &def, &made), SN_OK);
    return made;
}

static void steps(sn_world *world, int count) {
    for (int i = 0; i < count; i++) CHECK_INT(sn_world_step(world, R(1) / 60, 4), SN_OK);
}

// Two rods side by side, a radius in each other, and the end of one within a ball.
typedef struct {
    sn_world *world;
    sn_body rods[2];
} nested;

static nested nest(void) {
    nested n = {.world = empty_world()};
    n.rods[0] = rod(n.world, (sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0});
    n.rods[1] = rod(n.world, (sn_vec3){R(0.03), R(0.02), 0}, (sn_vec3){1, 0, 0});
    ball(n.world, (sn_vec3){R(-0.01), 0, 0}, R(0.05));
    return n;
}

TEST(overlaps_are_resolved_unless_they_are_shrunk) {
    for (int forgive = 0; forgive < 2; forgive++) {
        nested n = nest();
        REQUIRE(n.world != NULL);
        CHECK(sn_world_penetration(n.world) > 0.9);
        if (forgive) CHECK_INT(sn_world_shrink_overlaps(n.world, n.rods, 2), SN_OK);
        if (forgive) CHECK(sn_world_penetration(n.world) < 0.01);
        const sn_vec3 before = centre(n.world, n.rods[1], 3);
        steps(n.world, 30);
        const sn_vec3 after = centre(n.world, n.rods[1], 3);
        const double gone = fabs((double)(after.y - before.y));
        if (forgive)
            CHECK(gone < 1e-5 && unrest(n.world) < 1e-9);
        else
            CHECK(gone > 0.005);
        sn_world_destroy(n.world);
    }
}

// A heavy ball goes through where the rod lies: an end that is in something is passed, the rest is taken along.
TEST(only_what_overlapped_loses_contact) {
    for (int at_end = 0; at_end < 2; at_end++) {
        sn_world *world = empty_world();
        REQUIRE(world != NULL);
        const sn_body one = rod(world, (sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0});
        ball(world, (sn_vec3){0, 0, 0}, R(0.05));
        CHECK_INT(sn_world_shrink_overlaps(world, &one, 1), SN_OK);
        const sn_vec3 start = {at_end ? 0 : R(0.35), R(0.2), 0};
        const sn_body pusher = ball(world, start, R(0.03));
        for (int i = 0; i < 60; i++) {
            const sn_vec3 to = {start.x, start.y - R(0.3) * (sn_real)(i + 1) / 60, 0};
            CHECK_INT(sn_rigid_move(world, pusher, to, (sn_quat){0, 0, 0, 1}), SN_OK);
            steps(world, 1);
        }
        const double lowest = (double)centre(world, one, at_end ? 0 : 3).y;
        if (at_end)
            CHECK(fabs(lowest) < 1e-5);
        else
            CHECK(lowest < -0.05);
        sn_world_destroy(world);
    }
}

// Where a rod begins to touch, its point still lies on the ground: the segment before it does not feel it any more.
TEST(the_first_point_in_contact_is_held_up_too) {
    sn_world *world = empty_world();
    REQUIRE(world != NULL);
    const sn_body one = rod(world, (sn_vec3){0, R(0.02), 0}, (sn_vec3){1, 0, 0});
    ball(world, (sn_vec3){0, R(0.02), 0}, R(0.03));
    sn_rigid_def ground = sn_rigid_def_default();
    ground.geometry = SN_GEOMETRY_PLANE;
    sn_body plane;
    REQUIRE(sn_rigid_create(world, &ground, &plane) == SN_OK);
    CHECK_INT(sn_world_shrink_overlaps(world, &one, 1), SN_OK);
    CHECK_INT(sn_world_set_gravity(world, (sn_vec3){0, R(-9.81), 0}), SN_OK);
    steps(world, 60);
    for (int i = 1; i < POINTS; i++) CHECK_NEAR(centre(world, one, i).y, 0.02, 0.001);
    sn_world_destroy(world);
}

TEST(asked_again_it_starts_from_whole_radii) {
    sn_world *world = empty_world();
    REQUIRE(world != NULL);
    const sn_body pair[2] = {rod(world, (sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0}),
                             rod(world, (sn_vec3){0, R(0.02), 0}, (sn_vec3){1, 0, 0})};
    CHECK_INT(sn_world_shrink_overlaps(world, pair, 2), SN_OK);
    sn_vec3 apart[POINTS];
    for (int i = 0; i < POINTS; i++) apart[i] = (sn_vec3){R(0.1) * (sn_real)i, R(0.036), 0}; // a fifth of a radius
    CHECK_INT(sn_rod_set_centres(world, pair[1], apart, POINTS), SN_OK);
    CHECK(sn_world_penetration(world) < 0.01);
    for (int i = 0; i < POINTS; i++) apart[i].y = R(0.3);
    CHECK_INT(sn_rod_set_centres(world, pair[1], apart, POINTS), SN_OK);
    CHECK_INT(sn_world_shrink_overlaps(world, pair, 2), SN_OK); // nothing to forgive
    for (int i = 0; i < POINTS; i++) apart[i].y = R(0.036);
    CHECK_INT(sn_rod_set_centres(world, pair[1], apart, POINTS), SN_OK);
    CHECK_NEAR(sn_world_penetration(world), 0.2, 0.01);
    sn_world_destroy(world);
}

// Of two rods only the one that is named yields, so it yields all.
TEST(who_is_not_named_keeps_its_radius) {
    sn_world *world = empty_world();
    REQUIRE(world != NULL);
    const sn_body named = rod(world, (sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0});
    const sn_body other = rod(world, (sn_vec3){0, R(0.03), 0}, (sn_vec3){1, 0, 0}); // overlap by 1 cm
    CHECK_INT(sn_world_shrink_overlaps(world, &named, 1), SN_OK);
    CHECK(sn_world_penetration(world) < 0.01);
    ball(world, (sn_vec3){R(0.25), R(0.059), 0}, R(0.01)); // 1 mm in the other
    CHECK_NEAR(sn_world_penetration(world), 0.05, 0.005);
    CHECK_INT(sn_body_destroy(world, other), SN_OK);
    ball(world, (sn_vec3){R(0.25), R(-0.022), 0}, R(0.01)); // in the named one's radius, not in what of it touches
    CHECK(sn_world_penetration(world) < 0.01);
    sn_world_destroy(world);
}

TEST(a_restored_world_keeps_its_shrunk_radii) {
    nested n = nest();
    REQUIRE(n.world != NULL);
    CHECK_INT(sn_world_shrink_overlaps(n.world, n.rods, 2), SN_OK);
    steps(n.world, 2);
    const size_t size = sn_world_save(n.world, NULL, 0);
    void *bytes = malloc(size);
    REQUIRE(bytes != NULL);
    CHECK(sn_world_save(n.world, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    sn_world *again = NULL;
    REQUIRE(sn_world_restore(&def, bytes, size, &again) == SN_OK);
    steps(n.world, 5);
    steps(again, 5);
    CHECK(sn_world_hash(n.world) == sn_world_hash(again));
    CHECK(sn_world_penetration(again) < 0.01);
    free(bytes);
    sn_world_destroy(again);
    sn_world_destroy(n.world);
}

TEST(what_cannot_be_is_refused_and_changes_nothing) {
    nested n = nest();
    REQUIRE(n.world != NULL);
    const double before = sn_world_penetration(n.world);
    const sn_body with_stale[2] = {n.rods[0], {SN_KIND_ROD, 77, 1}};
    CHECK_INT(sn_world_shrink_overlaps(NULL, n.rods, 1), SN_ERR_RANGE);
    CHECK_INT(sn_world_shrink_overlaps(n.world, NULL, 1), SN_ERR_RANGE);
    CHECK_INT(sn_world_shrink_overlaps(n.world, n.rods, -1), SN_ERR_RANGE);
    CHECK_INT(sn_world_shrink_overlaps(n.world, with_stale, 2), SN_ERR_STALE_ID);
    CHECK_INT(sn_world_shrink_overlaps(n.world, NULL, 0), SN_OK);
    CHECK(sn_world_penetration(n.world) == before);
    sn_world_destroy(n.world);
}
