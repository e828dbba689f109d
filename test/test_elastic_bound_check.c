// links: tools
// Bounds of elastic bodies in worlds: after every step of small versions of the scenes with elastic bodies, no vertex is
// outside, and they are tight where displacement bounding is not.
#include "capture/elastic_bound_check.h"
#include "elastic_asset_util.h"
#include "test.h"

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_model *model;
} stuff;

// Handles along x are joined by cones.
static void make_stuff(stuff *s, const bar_def *bar) {
    sn_memory_init(&s->memory, NULL);
    bar_make(&s->memory, bar, &s->asset);
    const int along = bar->handles[0], rows = bar->handles[1] * bar->handles[2];
    s->asset.cone_count = rows * (along - 1);
    s->asset.cones = sn_alloc(&s->memory, (size_t)s->asset.cone_count, sizeof *s->asset.cones);
    for (int i = 0; i < s->asset.cone_count; i++) {
        const int first = i / (along - 1) * along + i % (along - 1);
        s->asset.cones[i][0] = first, s->asset.cones[i][1] = first + 1;
    }
    for (int i = 0; i < s->asset.sphere_count; i++) s->asset.radius[i] = (sn_real)(1.4 * bar->cell);
    sn_elastic_model_def def = sn_elastic_model_def_default();
    def.asset = &s->asset;
    REQUIRE(sn_elastic_model_create(&def, &s->model) == SN_OK);
}

static void free_stuff(stuff *s) {
    CHECK(sn_elastic_model_destroy(s->model) == SN_OK);
    sn_elastic_asset_free(&s->memory, &s->asset);
    CHECK_INT(s->memory.used_bytes, 0);
}

static sn_world *make_world(void) {
    sn_world *world = NULL;
    const sn_world_def def = sn_world_def_default();
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    CHECK(sn_world_create(&def, &world) == SN_OK);
    CHECK(sn_rigid_create(world, &ground, &plane) == SN_OK);
    return world;
}

static void put(sn_world *world, sn_elastic_model *model, double x, double y, double z, double young, sn_vec3 velocity,
                sn_vec3 spin) {
    sn_elastic_def def = sn_elastic_def_default();
    sn_body id;
    def.model = model, def.position = sn_v3((sn_real)x, (sn_real)y, (sn_real)z);
    def.young = (sn_real)young, def.velocity = velocity, def.spin = spin;
    REQUIRE(sn_elastic_create(world, &def, &id) == SN_OK);
}

static void step_and_look(sn_world *world, elastic_bound_check *watch) {
    CHECK(sn_world_step(world, (sn_real)(1.0 / 60), 1) == SN_OK);
    CHECK(elastic_bound_check_update(watch, world));
}

static void check_and_free(elastic_bound_check *watch, int models, int bodies, int looks) {
    elastic_bound_check_total t;
    int seen = 0;
    for (int i = 0; i < models; i++) {
        REQUIRE(elastic_bound_check_read(watch, i, &t));
        printf("%d bodies: mean error %.2f %% of the size, %.2f %% in the worst step; displacement bounding %.1f %%\n",
               t.bodies, 100 * t.deformation, 100 * t.deformation_max, 100 * t.displacement);
        CHECK_INT(t.missed, 0);
        CHECK(t.worst <= 0 && t.vertices > 0);
        CHECK_INT(t.updates, looks * t.bodies);
        CHECK(t.deformation < 0.03);
        CHECK(t.displacement > 5 * t.deformation);
        seen += t.bodies;
    }
    CHECK_INT(seen, bodies);
    CHECK_INT(elastic_bound_check_missed(watch), 0);
    CHECK(!elastic_bound_check_read(watch, models, &t));
    elastic_bound_check_free(watch);
}

// As in 'cacti': one that is thrown about falls on two that are held at an end, all with quadratic handles.
TEST(a_free_bar_falls_on_anchored_ones) {
    stuff held, loose;
    make_stuff(&held, &(bar_def){{12, 2, 2}, 0.05, {5, 1, 1}, true, true, false});
    make_stuff(&loose, &(bar_def){{8, 2, 2}, 0.05, {3, 1, 1}, true, false, false});
    sn_world *world = make_world();
    elastic_bound_check *watch = elastic_bound_check_new();
    REQUIRE(watch != NULL);
    for (int i = 0; i < 2; i++) put(world, held.model, 0, 0.5, 0.2 * i, 2e5, sn_v3(0, 0, 0), sn_v3(0, 0, 0));
    put(world, loose.model, 0.1, 0.75, 0.05, 5e4, sn_v3(0.3f, -1, 0), sn_v3(1, 2, 3));
    for (int i = 0; i < 60; i++) step_and_look(world, watch);
    check_and_free(watch, 2, 3, 60);
    sn_world_destroy(world);
    free_stuff(&held), free_stuff(&loose);
}

// As in 'squeeze': a block of quadratic handles is pressed to two thirds of its height.
TEST(a_block_is_pressed_by_a_plate) {
    stuff block;
    make_stuff(&block, &(bar_def){{10, 6, 6}, 0.05, {4, 2, 2}, true, false, false});
    sn_world *world = make_world();
    elastic_bound_check *watch = elastic_bound_check_new();
    REQUIRE(watch != NULL);
    put(world, block.model, 0, 0.001, 0, 5e4, sn_v3(0, 0, 0), sn_v3(0, 0, 0));
    sn_rigid_def def = sn_rigid_def_default();
    sn_body plate;
    def.geometry = SN_GEOMETRY_BOX, def.half = sn_v3(0.6f, 0.02f, 0.6f), def.position = sn_v3(0.25f, 0.33f, 0.15f);
    REQUIRE(sn_rigid_create(world, &def, &plate) == SN_OK);
    for (int i = 0; i < 60; i++) {
        def.position.y -= 0.002f;
        CHECK(sn_rigid_move(world, plate, def.position, def.rotation) == SN_OK);
        step_and_look(world, watch);
    }
    const double volume = sn_body_volume(world, sn_world_kind_at(world, SN_KIND_ELASTIC, 0));
    CHECK(volume > 0.5 * sn_body_rest_volume(world, sn_world_kind_at(world, SN_KIND_ELASTIC, 0)));
    check_and_free(watch, 1, 1, 60);
    sn_world_destroy(world);
    free_stuff(&block);
}

// As in 'marshmallows' and 'ship': soft ones that fly far, spin, and land.
TEST(soft_bodies_fly_and_land) {
    stuff soft;
    make_stuff(&soft, &(bar_def){{5, 4, 4}, 0.06, {2, 2, 2}, true, false, false});
    sn_world *world = make_world();
    elastic_bound_check *watch = elastic_bound_check_new();
    REQUIRE(watch != NULL);
    for (int i = 0; i < 2; i++)
        put(world, soft.model, 4.0 * i - 2, 0.5, 0, 2e4, sn_v3(i ? -5 : 5, 1, 0), sn_v3(0, 3, i ? 2 : -4));
    for (int i = 0; i < 60; i++) step_and_look(world, watch);
    check_and_free(watch, 1, 2, 60);
    sn_world_destroy(world);
    free_stuff(&soft);
}

// A body that is gone, and none at all.
TEST(worlds_without_elastic_bodies_are_fine) {
    sn_world *world = make_world();
    elastic_bound_check *watch = elastic_bound_check_new();
    elastic_bound_check_total t;
    REQUIRE(watch != NULL);
    step_and_look(world, watch);
    CHECK(!elastic_bound_check_read(watch, 0, &t));
    elastic_bound_check_free(watch);
    elastic_bound_check_free(NULL);
    sn_world_destroy(world);
}
