// Materials and surfaces that are changed while a world runs: the same as if it had been made with them.
#include "sinew/sinew.h"
#include "test.h"

static sn_body rod_of(sn_world *world, sn_material material, sn_surface surface) {
    const sn_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 4, def.radius = (sn_real)0.1;
    def.material = material, def.surface = surface, def.clamp_first = true;
    sn_body rod;
    CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    return rod;
}

static sn_world *new_world(void) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

static void step(sn_world *world) {
    for (int i = 0; i < 30; i++) CHECK_INT(sn_world_step(world, (sn_real)0.01, 2), SN_OK);
}

TEST(a_material_that_is_set_is_as_if_made_with_it) {
    const sn_material soft = sn_material_make((sn_real)1e5, (sn_real)0.4, 1000);
    sn_material stiff = sn_material_make((sn_real)1e7, (sn_real)0.3, 1000);
    stiff.damping = 3;
    sn_world *a = new_world(), *b = new_world(), *c = new_world();
    REQUIRE(a && b && c);
    sn_body rod = rod_of(a, soft, sn_surface_default());
    rod_of(b, stiff, sn_surface_default());
    rod_of(c, soft, sn_surface_default());
    sn_material all[4];
    CHECK_INT(sn_rod_get_materials(a, rod, all, 4), 4);
    CHECK(all[2].young == soft.young && all[2].damping == soft.damping);
    for (int i = 0; i < 4; i++) all[i] = stiff;
    CHECK_INT(sn_rod_set_materials(a, rod, all, 4), SN_OK);
    step(a), step(b), step(c);
    CHECK(sn_world_hash(a) == sn_world_hash(b));
    CHECK(sn_world_hash(a) != sn_world_hash(c));
    sn_world_destroy(a), sn_world_destroy(b), sn_world_destroy(c);
}

TEST(materials_that_cannot_be_are_refused_and_change_nothing) {
    sn_world *world = new_world();
    REQUIRE(world);
    const sn_material old = sn_material_make((sn_real)1e6, (sn_real)0.4, 1000);
    sn_body rod = rod_of(world, old, sn_surface_default()), gone = rod;
    sn_material all[4] = {old, old, old, old};
    all[1].density = 1100;
    CHECK_INT(sn_rod_set_materials(world, rod, all, 4), SN_ERR_DEF);
    all[1] = old, all[3].young = -1;
    CHECK_INT(sn_rod_set_materials(world, rod, all, 4), SN_ERR_DEF);
    all[3] = old, all[0].volume_in_bend = true;
    CHECK_INT(sn_rod_set_materials(world, rod, all, 4), SN_ERR_DEF);
    all[0] = old, all[0].scale_bend = 1;
    CHECK_INT(sn_rod_set_materials(world, rod, all, 4), SN_ERR_DEF);
    all[0] = old;
    CHECK_INT(sn_rod_set_materials(world, rod, all, 3), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_materials(world, rod, NULL, 4), SN_ERR_RANGE);
    sn_material now[4];
    sn_rod_get_materials(world, rod, now, 4);
    for (int i = 0; i < 4; i++) CHECK(now[i].young == old.young && now[i].density == old.density);
    gone.gen++;
    CHECK_INT(sn_rod_set_materials(world, gone, all, 4), SN_ERR_STALE_ID);
    CHECK_INT(sn_rod_get_materials(world, gone, now, 4), 0);
    sn_world_destroy(world);
}

TEST(surfaces_are_read_and_set) {
    sn_world *world = new_world();
    REQUIRE(world);
    sn_surface rough = sn_surface_default(), now;
    rough.friction_static = 2, rough.restitution = (sn_real)0.5;
    sn_body rod = rod_of(world, sn_material_preset(SN_PRESET_RUBBER), rough);
    bool collide, self;
    CHECK_INT(sn_body_get_contact(world, rod, &now, &collide, &self), SN_OK);
    CHECK(now.friction_static == 2 && now.restitution == (sn_real)0.5 && collide && !self);
    sn_rigid_def def = sn_rigid_def_default();
    sn_body shape, second;
    CHECK_INT(sn_rigid_create(world, &def, &shape), SN_OK);
    CHECK_INT(sn_rigid_create(world, &def, &second), SN_OK);
    CHECK_INT(sn_world_kind_count(world, SN_KIND_RIGID), 2);
    CHECK_INT(sn_body_set_surface(world, second, &rough), SN_OK);
    CHECK_INT(sn_body_get_surface(world, second, &now), SN_OK);
    CHECK(now.friction_static == 2);
    CHECK_INT(sn_body_destroy(world, shape), SN_OK);
    CHECK_INT(sn_world_kind_count(world, SN_KIND_RIGID), 1);
    CHECK_INT(sn_world_kind_at(world, SN_KIND_RIGID, 0).slot1, second.slot1);
    CHECK_INT(sn_world_kind_at(world, SN_KIND_RIGID, 1).slot1, 0);
    CHECK_INT(sn_body_set_surface(world, shape, &rough), SN_ERR_STALE_ID);
    rough.friction_dynamic = 3;
    CHECK_INT(sn_body_set_surface(world, second, &rough), SN_ERR_DEF);
    sn_world_destroy(world);
}
