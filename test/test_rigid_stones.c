// Stones that stand by friction alone, and stacks of light and heavy ones.
#include "base/math/vec.h"
#include "known.h"
#include <stdio.h>

#define R(x) ((sn_real)(x))

static sn_body add(sn_world *world, const sn_rigid_def *def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, def, &body), SN_OK);
    return body;
}

static sn_world *ground(void) {
    sn_world *world = world_with(-9.81);
    sn_rigid_def floor = sn_rigid_def_default();
    floor.surface.friction_static = floor.surface.friction_dynamic = R(0.7);
    add(world, &floor);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    return world;
}

static void run(sn_world *world, double seconds) {
    bool good = true;
    for (int i = 0; i < (int)(seconds * 60 + 0.5); i++) good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good;
    CHECK(good);
}

static double height_of(const sn_world *world, sn_body body) {
    sn_vec3 c = {0, 0, 0};
    CHECK_INT(sn_rigid_get_centre(world, body, &c), SN_OK);
    return (double)c.y;
}

// A semicircular arch of 15 stones. It stands if it is thicker than 0.1075 of its mean radius, and falls if it is thinner.
static double crown_falls(double thickness) {
    enum { STONES = 15 };
    sn_world *world = ground();
    sn_body stone[STONES];
    for (int i = 0; i < STONES; i++) {
        sn_vec3 corner[8];
        for (int k = 0; k < 8; k++) {
            const double angle = PI * (i + (k & 1)) / STONES, radius = 1 + thickness * (k & 2 ? 0.5 : -0.5);
            corner[k] = vec(-radius * cos(angle), radius * sin(angle), k & 4 ? 0.15 : -0.15);
        }
        sn_rigid_def def = sn_rigid_def_default();
        def.dynamic = true, def.geometry = SN_GEOMETRY_HULL, def.vertices = corner, def.vertex_count = 8;
        def.surface.friction_static = def.surface.friction_dynamic = R(0.7), def.density = 2400;
        stone[i] = add(world, &def);
    }
    const double before = height_of(world, stone[STONES / 2]);
    run(world, 3);
    const double falls = before - height_of(world, stone[STONES / 2]);
    sn_world_destroy(world);
    return falls;
}

TEST(an_arch_of_15_stones_stands) {
    CHECK(crown_falls(0.2) < 0.01);
}

TEST(an_arch_that_is_too_thin_falls) {
    CHECK(crown_falls(0.06) > 0.3);
}

// Alternately light and heavy boxes, and heavy ones on light ones: they stand within 1 % of their height.
TEST(stacks_of_unequal_masses_stand) {
    for (int ratio = 1; ratio <= 1000; ratio *= 10)
        for (int way = 0; way < 2; way++) {
            sn_world *world = ground();
            sn_body box[6];
            for (int i = 0; i < 6; i++) {
                sn_rigid_def def = sn_rigid_def_default();
                def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = vec(0.2, 0.2, 0.2);
                def.position = vec(0.01 * (i % 3), 0.2 + 0.4 * i, 0.01 * (i % 2));
                def.mass = R(way ? (i == 5 ? ratio : 1) : i % 2 ? ratio : 1);
                box[i] = add(world, &def);
            }
            run(world, 4);
            bool stands = true;
            for (int i = 0; i < 6; i++) stands = fabs(height_of(world, box[i]) - 0.2 - 0.4 * i) < 0.004 && stands;
            if (!CHECK(stands)) printf("ratio %d, way %d\n", ratio, way);
            sn_world_destroy(world);
        }
}
