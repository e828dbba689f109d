// Known answers of contact: friction on a slope, rolling, a rope around a drum, and rest.
#include "known.h"

// A slope is level ground under gravity that is turned: x is downhill.
static sn_world *slope(double angle, double friction) {
    sn_world_def def = sn_world_def_default();
    def.gravity = vec(9.81 * sin(angle), -9.81 * cos(angle), 0);
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body id;
    ground.surface.friction_static = ground.surface.friction_dynamic = (sn_real)friction;
    CHECK_INT(sn_rigid_create(world, &ground, &id), SN_OK);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    return world;
}

// A pill that lies on the ground, along x or across.
static sn_body lying(sn_world *world, bool across, double radius, double friction, int points) {
    sn_vec3 centres[MOST_POINTS];
    if (across)
        line(centres, points, vec(0, radius, -0.2), vec(0, radius, 0.2));
    else
        line(centres, points, vec(-0.2, radius, 0), vec(0.2, radius, 0));
    sn_rod_def def = sn_rod_def_default();
    def.points = centres, def.point_count = points;
    def.radius = (sn_real)radius;
    def.material = stuff(1e6, 1000);
    def.surface.friction_static = def.surface.friction_dynamic = (sn_real)friction;
    sn_body rod;
    CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    return rod;
}

// Acceleration over the last of 'seconds', from the speeds of the middle.
static double acceleration(sn_world *world, sn_body rod, double seconds) {
    sn_vec3 v[MOST_POINTS];
    const int count = (int)(seconds * 60);
    double early = 0, late = 0;
    for (int i = 1; i <= count; i++) {
        CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 4), SN_OK);
        sn_body_get_velocities(world, rod, v, MOST_POINTS);
        if (i == count / 2) early = (double)v[0].x;
        late = (double)v[0].x;
    }
    return (late - early) / ((count - count / 2) / 60.0);
}

TEST(a_stick_stays_below_the_angle_of_friction_and_slides_above) {
    const double frictions[] = {0.2, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        const double mu = frictions[k];
        double angle = atan(0.98 * mu);
        sn_world *world = slope(angle, mu);
        sn_body rod = lying(world, false, 0.05, mu, 3);
        for (int i = 0; i < 120; i++) sn_world_step(world, (sn_real)(1.0 / 60), 4);
        double x = (double)point_of(world, rod, 1).x;
        CHECK(fabs(x) < 1e-3);
        sn_world_destroy(world);

        angle = atan(1.02 * mu);
        world = slope(angle, mu);
        rod = lying(world, false, 0.05, mu, 3);
        double wanted = 9.81 * (sin(angle) - mu * cos(angle)), got = acceleration(world, rod, 2);
        CHECK_NEAR(got, wanted, 0.02 * 9.81 * mu); // 2 % of the friction is what is left over
        CHECK(got > 0.5 * wanted);
        sn_world_destroy(world);
    }
}

// A cylinder rolls with 2/3 g sin(angle), and slips when tan(angle) > 3 mu, with g (sin - mu cos).
TEST(a_cylinder_rolls_or_slips) {
    const double mu = 0.3, angles[] = {0.1, atan(2.7 * mu), atan(4 * mu)};
    for (int k = 0; k < 3; k++) {
        sn_world *world = slope(angles[k], mu);
        sn_body rod = lying(world, true, 0.05, mu, 3);
        double rolls = 9.81 * sin(angles[k]) * 2 / 3, slips = 9.81 * (sin(angles[k]) - mu * cos(angles[k]));
        double got = acceleration(world, rod, 1), wanted = k < 2 ? rolls : slips;
        CHECK_NEAR(got, wanted, 0.03 * wanted);
        sn_world_destroy(world);
    }
}

// A rope half around a drum bears exp(mu pi) times what is on its other end.
static double rope_slips(double ratio) {
    enum { BEND = 32, END = 38, POINTS = BEND + 1 + 2 * END };
    const double mu = 0.2, drum = 0.1, radius = 0.012, c = drum + radius, pull = 5;
    sn_world *world = world_with(0);
    sn_rigid_def def = sn_rigid_def_default();
    sn_body shape;
    def.geometry = SN_GEOMETRY_PILL;
    def.ends[0] = vec(0, 0, -0.3), def.ends[1] = vec(0, 0, 0.3);
    def.radii[0] = def.radii[1] = (sn_real)drum;
    def.surface.friction_static = def.surface.friction_dynamic = (sn_real)mu;
    CHECK_INT(sn_rigid_create(world, &def, &shape), SN_OK);
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        double angle = PI * (1 - (i - END) / (double)BEND), l = PI * c / BEND;
        points[i] = i < END          ? vec(-c, -l * (END - i), 0)
                    : i > END + BEND ? vec(c, -l * (i - END - BEND), 0)
                                     : vec(c * cos(angle), c * sin(angle), 0);
    }
    sn_rod_def rope = sn_rod_def_default();
    rope.points = points, rope.point_count = POINTS;
    rope.radius = (sn_real)radius;
    rope.material = sn_material_make((sn_real)2e5, (sn_real)0.3, 1000);
    rope.material.damping = 5;
    rope.surface = def.surface;
    sn_body rod;
    CHECK_INT(sn_rod_create(world, &rope, &rod), SN_OK);
    double before = 0;
    for (int i = 0; i < 120; i++) {
        double both = fmin(i / 30.0, 1) * pull, more = fmax(fmin((i - 30) / 30.0, 1), 0);
        sn_rod_set_force(world, rod, 0, vec(0, -both, 0));
        sn_rod_set_force(world, rod, POINTS - 1, vec(0, -both * (1 + more * (ratio - 1)), 0));
        CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 12), SN_OK);
        if (i == 89) before = (double)point_of(world, rod, END + BEND / 2).x;
    }
    double way = (double)point_of(world, rod, END + BEND / 2).x - before;
    sn_world_destroy(world);
    return way;
}

TEST(a_rope_around_a_drum_follows_the_capstan_law) { // once
    const double law = exp(0.2 * PI);
    double held = rope_slips(0.95 * law), slips = rope_slips(1.05 * law);
    CHECK(fabs(held) < 1e-3);
    CHECK(slips > 5e-3);
}

// ---- rest

TEST(a_pill_lies_at_rest_after_its_fall) {
    sn_world *world = slope(0, 0.5);
    const double radius = 0.05;
    sn_vec3 centres[5], v[5];
    line(centres, 5, vec(-0.2, radius + 0.1, 0), vec(0.2, radius + 0.1, 0));
    sn_rod_def def = sn_rod_def_default();
    def.points = centres, def.point_count = 5, def.radius = (sn_real)radius, def.material = stuff(1e6, 1000);
    sn_body rod;
    CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    for (int i = 0; i < 60; i++) sn_world_step(world, (sn_real)(1.0 / 60), 4);
    double fastest = 0, deepest = 0;
    for (int i = 0; i < 60; i++) {
        sn_world_step(world, (sn_real)(1.0 / 60), 4);
        sn_body_get_velocities(world, rod, v, 5);
        for (int k = 0; k < 5; k++)
            fastest = fmax(fastest, sqrt((double)(v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z)));
        deepest = fmax(deepest, sn_world_penetration(world));
    }
    CHECK(fastest < 1e-3);
    CHECK(deepest < 1e-4); // of the radius
    sn_world_destroy(world);
}

// Ten pills lie crosswise, two a layer: once they have come to rest they stay, and as an island they sleep.
TEST(ten_stacked_pills_stand_for_ten_seconds) {
    sn_world *world = slope(0, 0.5);
    CHECK_INT(sn_world_set_sleeping(world, true), SN_OK);
    const double radius = 0.05;
    sn_body rods[10];
    sn_vec3 start[10];
    for (int i = 0; i < 10; i++) {
        double y = radius + 2 * radius * (i / 2), side = i % 2 ? 0.17 : -0.17;
        sn_vec3 points[3];
        if (i / 2 % 2)
            line(points, 3, vec(side, y, -0.25), vec(side, y, 0.25));
        else
            line(points, 3, vec(-0.25, y, side), vec(0.25, y, side));
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.point_count = 3, def.radius = (sn_real)radius;
        def.material = sn_material_make((sn_real)1e7, (sn_real)0.3, 700);
        CHECK_INT(sn_rod_create(world, &def, &rods[i]), SN_OK);
    }
    for (int i = 0; i < 60; i++) sn_world_step(world, (sn_real)(1.0 / 60), 4);
    for (int i = 0; i < 10; i++) start[i] = point_of(world, rods[i], 1);
    for (int i = 0; i < 600; i++) sn_world_step(world, (sn_real)(1.0 / 60), 4);
    double drift = 0;
    for (int i = 0; i < 10; i++) {
        sn_vec3 now = point_of(world, rods[i], 1);
        double x = (double)now.x - (double)start[i].x, y = (double)now.y - (double)start[i].y,
               z = (double)now.z - (double)start[i].z;
        drift = fmax(drift, sqrt(x * x + y * y + z * z));
    }
    CHECK(drift < 0.01 * radius);
    CHECK(sn_world_penetration(world) < 0.01);
    CHECK_NEAR(start[9].y, 9 * radius, 0.05 * radius);
    sn_world_destroy(world);
}
