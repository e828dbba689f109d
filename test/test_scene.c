// links: tools
// Scenes that are fine: what they say is what the world gets, and what moves moves as told.
#include "scene_text.h"
#include "test.h"
#include <math.h>

#define PINNED_LINE                                                                                                    \
    "\"kind\": \"rod\", \"name\": \"r\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}, \"hold\": [{\"points\": [0, " \
    "-1]}]"

static sn_vec3 centre(const sn_world *world, int rod, int point) {
    sn_vec3 all[600] = {{0, 0, 0}};
    sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_ROD, rod), all, 600);
    return all[point];
}

static bool near3(sn_vec3 a, double x, double y, double z) {
    return CHECK_NEAR(a.x, x, 1e-6) && CHECK_NEAR(a.y, y, 1e-6) && CHECK_NEAR(a.z, z, 1e-6);
}

static void step(sn_scene *scene, sn_world *world, int count) {
    for (int i = 0; i < count; i++) {
        double dt = scene->spec.step;
        CHECK_INT(scene_drive(scene, world, (double)sn_world_step_count(world) * dt, dt), SN_OK);
        CHECK_INT(sn_world_step(world, (sn_real)dt, scene->spec.substeps), SN_OK);
    }
}

TEST(settings_and_defaults) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"title\": \"T\", \"comment\": [1, {}], \"seed\": 7, \"solver\": \"xpbd\", \"iterations\": 12,"
                    "\"bodies\": [{" PINNED_LINE ", \"comment\": \"x\"}]}",
                    &scene);
    REQUIRE(world != NULL);
    CHECK_STRING(scene->spec.title, "T");
    CHECK_NEAR(scene->spec.gravity[1], -9.81, 0);
    CHECK_NEAR(scene->spec.step, 1.0 / 60, 0);
    CHECK_INT(scene->spec.solver, SN_SOLVER_XPBD);
    CHECK_INT(scene->spec.seed, 7);
    CHECK_INT(scene->point_count, 5);
    CHECK_INT(scene_step_count(scene, 5), 300);
    CHECK_INT(scene_step_count(scene, 0.001), 1);
    scene_end(scene, world);
}

TEST(a_byte_order_mark_is_passed_over) {
    sn_scene *scene;
    sn_world *world = scene_world("\xEF\xBB\xBF{\"bodies\": [{" PINNED_LINE "}]}", &scene);
    CHECK(world != NULL);
    scene_end(scene, world);
}

TEST(lines_circles_and_coils) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"from\": [1, 2, 3], \"to\": [3, 2, 3], \"segments\": 4}},"
        "{\"kind\": \"rod\", \"circle\": {\"radius\": 2, \"segments\": 8}},"
        "{\"kind\": \"rod\", \"helix\": {\"radius\": 0.5, \"pitch\": 0.2, \"turns\": 2.25, \"segments\": 90}}]}",
        &scene);
    REQUIRE(world != NULL);
    CHECK(near3(centre(world, 0, 1), 1.5, 2, 3));
    CHECK(near3(centre(world, 1, 0), 2, 0, 0));
    CHECK(near3(centre(world, 1, 2), 0, 2, 0));
    CHECK_INT(sn_body_point_count(world, sn_world_kind_at(world, SN_KIND_ROD, 1)), 8);
    CHECK_NEAR(sn_rod_length(world, sn_world_kind_at(world, SN_KIND_ROD, 1)), 8 * 4 * sin(3.14159265358979 / 8),
               1e-5); // closed
    CHECK(near3(centre(world, 2, 0), 0.5, 0, 0));
    CHECK(near3(centre(world, 2, 90), 0, 0.45, -0.5)); // up, a quarter turn on
    scene_end(scene, world);
}

TEST(pieces_follow_each_other) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"bodies\": [{\"kind\": \"rod\", \"path\": [{\"line\": {\"from\": [0, 1, 0], \"to\": [1, 1, 0], "
                    "\"segments\": 2}},"
                    "{\"helix\": {\"radius\": 1, \"pitch\": 0.5, \"turns\": 1, \"segments\": 16, \"axis\": [0, 0, 1]}},"
                    "{\"line\": {\"to\": [5, 1, 0.5], \"segments\": 4}}]}]}",
                    &scene);
    REQUIRE(world != NULL);
    CHECK_INT(scene->point_count, 23);
    CHECK(near3(centre(world, 0, 2), 1, 1, 0));
    CHECK(near3(centre(world, 0, 18), 1, 1, 0.5)); // a whole turn brings it back, half a metre on
    CHECK(near3(centre(world, 0, 19), 2, 1, 0.5));
    CHECK(near3(centre(world, 0, 22), 5, 1, 0.5));
    scene_end(scene, world);
}

TEST(placement_and_repetition) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 1}, "
                                  "\"scale\": 2, \"radius\": 0.1,"
                                  "\"position\": [10, 0, 0], \"rotation\": {\"axis\": [0, 0, 3], \"degrees\": 90},"
                                  "\"repeat\": {\"count\": [2, 1, 3], \"spacing\": [1, 5, 7], \"centred\": true}}]}",
                                  &scene);
    REQUIRE(world != NULL);
    sn_real radii[2];
    CHECK_INT(sn_world_kind_count(world, SN_KIND_ROD), 6);
    CHECK(near3(centre(world, 0, 0), 9.5, 0, -7));
    CHECK(near3(centre(world, 0, 1), 9.5, 2, -7));
    CHECK(near3(centre(world, 1, 0), 10.5, 0, -7));
    CHECK(near3(centre(world, 5, 0), 10.5, 0, 7));
    sn_rod_get_radii(world, sn_world_kind_at(world, SN_KIND_ROD, 0), radii, 2);
    CHECK_NEAR(radii[0], 0.2, 1e-7);
    scene_end(scene, world);
}

#define SCATTERED                                                                                                      \
    "\"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [0.1, 0, 0], \"segments\": 1}, \"scatter\": {\"count\": 50,"  \
    "\"box\": [[0, 0, 0], [1, 2, 3]], \"rotation\": \"random\"}}]}"

// The first copies are golden: a scene must be the same on every machine and in every version.
TEST(scatter_is_random_and_the_same_everywhere) {
    sn_scene *a, *b;
    sn_world *first = scene_world("{\"seed\": 1, " SCATTERED, &a),
             *second = scene_world("{\"seed\": 2, " SCATTERED, &b);
    REQUIRE(first && second);
    double lowest = 1e9, highest = -1e9;
    for (int i = 0; i < 50; i++) {
        sn_vec3 from = centre(first, i, 0), to = centre(first, i, 1);
        CHECK(from.x >= 0 && from.x < 1 && from.y >= 0 && from.y < 2 && from.z >= 0 && from.z < 3);
        CHECK_NEAR(sqrt(pow(from.x - to.x, 2) + pow(from.y - to.y, 2) + pow(from.z - to.z, 2)), 0.1, 1e-6);
        lowest = fmin(lowest, from.z);
        highest = fmax(highest, from.z);
        CHECK(from.x != centre(second, i, 0).x);
    }
    CHECK(lowest < 0.5 && highest > 2.5);
    CHECK(near3(centre(first, 0, 0), 0.984857380, 0.156936115, 0.881304025));
    scene_end(a, first);
    scene_end(b, second);
}

#define SCATTERED_RODS(box, more)                                                                                      \
    "{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"to\": [0.2, 0, 0], \"segments\": 2}, \"radius\": 0.05,"            \
    "\"scatter\": {\"count\": 20, \"box\": [[0, 0, 0], [" box "]], \"rotation\": \"random\"" more "}}]}"

TEST(scattered_rods_avoid_each_other_where_there_is_room) {
    sn_scene *scene;
    sn_world *world = scene_world(SCATTERED_RODS("1, 1, 1", ""), &scene);
    REQUIRE(world != NULL);
    CHECK_NEAR(sn_world_penetration(world), 0, 0);
    scene_end(scene, world);
    world = scene_world(SCATTERED_RODS("1, 1, 1", ", \"avoid_overlap\": false"), &scene);
    REQUIRE(world != NULL);
    CHECK(sn_world_penetration(world) > (sn_real)0.1);
    scene_end(scene, world);
    world = scene_world(SCATTERED_RODS("0.1, 0.1, 0.1", ""), &scene);
    REQUIRE(world != NULL);
    CHECK_INT(sn_world_kind_count(world, SN_KIND_ROD), 20);
    scene_end(scene, world);
    const char *tight = SCATTERED_RODS("0.1, 0.1, 0.1", ", \"avoid_overlap\": true");
    char *said = scene_complaints(tight, strlen(tight));
    CHECK(said && strstr(said, "bodies[0].scatter.box: copy ") &&
          strstr(said, "a larger box, or fewer copies, would do"));
    free(said);
}

TEST(trees_parts_and_radii) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"materials\": {\"heavy\": {\"preset\": \"steel\"}},"
        "\"bodies\": [{\"kind\": \"rod\", \"points\": [[0,0,0], [1,0,0], [2,1,0], [2,-1,0]], \"parents\": [-1, 0, 1, "
        "1],"
        "\"radii\": [0.1, 0.2, 0.3, 0.3], \"parts\": [{\"point\": -1, \"material\": \"heavy\", \"radius\": 0.05}]},"
        "{\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}, \"radii\": [0.1, 0.3, 0.1]}]}",
        &scene);
    REQUIRE(world != NULL);
    int parents[4];
    sn_real radii[5], masses[4];
    sn_rod_get_parents(world, sn_world_kind_at(world, SN_KIND_ROD, 0), parents, 4);
    CHECK(parents[0] == -1 && parents[1] == 0 && parents[2] == 1 && parents[3] == 1);
    sn_rod_get_radii(world, sn_world_kind_at(world, SN_KIND_ROD, 0), radii, 4);
    CHECK_NEAR(radii[3], 0.05, 1e-7);
    sn_body_get_masses(world, sn_world_kind_at(world, SN_KIND_ROD, 0), masses, 4);
    CHECK(masses[3] > masses[2]); // steel though thinner
    sn_rod_get_radii(world, sn_world_kind_at(world, SN_KIND_ROD, 1), radii, 5);
    CHECK_NEAR(radii[1], 0.2, 1e-7);
    CHECK_NEAR(radii[2], 0.3, 1e-7);
    CHECK_NEAR(radii[4], 0.1, 1e-7);
    scene_end(scene, world);
}

TEST(held_points_follow_keyframes_until_released) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"gravity\": [0, 0, 0], \"step\": 0.1, \"iterations\": 4, \"bodies\": [{" PINNED_LINE "}],"
                    "\"motion\": [{\"body\": \"r\", \"point\": -1, \"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]},"
                    "{\"t\": 1, \"offset\": [0.2, 0.1, 0]}]}, {\"body\": \"r\", \"point\": 0, \"interpolation\": "
                    "\"smooth\", \"keys\": ["
                    "{\"t\": 0.1, \"position\": [0, 0, 0]}, {\"t\": 0.5, \"position\": [0, 0, -0.1]}]}],"
                    "\"release\": [{\"body\": \"r\", \"point\": 0, \"t\": 0.8}]}",
                    &scene);
    REQUIRE(world != NULL);
    step(scene, world, 1);
    CHECK(near3(centre(world, 0, 0), 0, 0, 0));
    step(scene, world, 1); // x = 1/4 of the way: 3/16 - 2/64
    CHECK(near3(centre(world, 0, 0), 0, 0, -0.1 * (3.0 / 16 - 2.0 / 64)));
    step(scene, world, 3);
    CHECK(near3(centre(world, 0, 4), 1.1, 0.05, 0));
    CHECK(near3(centre(world, 0, 0), 0, 0, -0.1));
    step(scene, world, 3);
    CHECK_INT(sn_rod_held(world, scene->ids[0], 0), SN_HOLD_CENTRE);
    step(scene, world, 2);
    CHECK_INT(sn_rod_held(world, scene->ids[0], 0), SN_HOLD_NONE);
    CHECK(near3(centre(world, 0, 4), 1.2, 0.1, 0));
    step(scene, world, 5);
    CHECK(near3(centre(world, 0, 4), 1.2, 0.1, 0)); // the last key stays
    CHECK(centre(world, 0, 0).x > 0.05);            // pulled after it
    scene_end(scene, world);
}

TEST(frames_rotate_more_than_once) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"gravity\": [0, 0, 0], \"step\": 0.05, \"bodies\": [{\"kind\": \"rod\", \"name\": \"r\", "
                    "\"material\": \"jelly\", \"line\": "
                    "{\"to\": [1, 0, 0], \"segments\": 16}, \"clamp_first\": true, \"hold\": [{\"point\": -1, "
                    "\"what\": [\"centre\", \"frame\"]}]}],"
                    "\"motion\": [{\"body\": \"r\", \"point\": -1, \"what\": \"frame\", \"keys\": [{\"t\": 0, "
                    "\"rotation\": {\"axis\": [1, 0, 0], "
                    "\"degrees\": 0}}, {\"t\": 2, \"rotation\": {\"axis\": [2, 0, 0], \"degrees\": 810}}]}]}",
                    &scene);
    REQUIRE(world != NULL);
    sn_quat before[17], after[17];
    sn_rod_get_frames(world, scene->ids[0], before, 17);
    step(scene, world, 40);
    sn_rod_get_frames(world, scene->ids[0], after, 17);
    // 810 degrees are two turns and a quarter: the frames differ by 90 degrees.
    double same = fabs((double)(before[16].x * after[16].x + before[16].y * after[16].y + before[16].z * after[16].z +
                                before[16].w * after[16].w));
    CHECK_NEAR(same, sqrt(0.5), 1e-5);
    CHECK(sn_world_energy(world).elastic > 0);
    scene_end(scene, world);
}

TEST(loads_accelerate_and_activation_contracts) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"gravity\": [0, 0, 0], \"iterations\": 4, \"bodies\": [{\"kind\": \"rod\", \"name\": \"m\", \"material\": "
        "\"muscle\", "
        "\"radius\": 0.03,"
        "\"line\": {\"to\": [0.4, 0, 0], \"segments\": 8}, \"clamp_first\": true, \"repeat\": {\"count\": [1, 2, 1], "
        "\"spacing\": [0, 1, 0]}}],"
        "\"activation\": [{\"body\": \"m\", \"copy\": 0, \"keys\": [{\"t\": 0}, {\"t\": 0.5, \"length\": 0.7, "
        "\"stiffness\": 2}]}],"
        "\"loads\": [{\"body\": \"m\", \"copy\": 1, \"point\": -1, \"keys\": [{\"t\": 0, \"force\": [0, 0, 1], "
        "\"torque\": [0.01, 0, 0], "
        "\"radial\": 0.01}]}]}",
        &scene);
    REQUIRE(world != NULL);
    step(scene, world, 120);
    CHECK_NEAR(sn_rod_length(world, scene->ids[0]), 0.3, 0.02); // 0.28 but for the bulge, which costs energy too
    CHECK_NEAR(sn_body_volume(world, scene->ids[0]) / sn_body_rest_volume(world, scene->ids[0]), 1, 0.05);
    CHECK(centre(world, 1, 8).z > 0.01);
    CHECK_NEAR(centre(world, 0, 8).z, 0, 1e-4);
    scene_end(scene, world);
}

TEST(initial_state) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"bodies\": [{\"kind\": \"rod\", \"line\": {\"from\": [-1, 0, 0], \"to\": [1, 0, 0], "
                    "\"segments\": 4}, \"velocity\": [0, 1, 0],"
                    "\"angular_velocity\": [0, 0, 2], \"initial\": [{\"profile\": \"bump\", \"scale\": 1.5},"
                    "{\"range\": [1, 2], \"velocity\": [0, 0, 3]}]}]}",
                    &scene);
    REQUIRE(world != NULL);
    sn_vec3 v[5];
    sn_real s[5];
    sn_body_get_velocities(world, scene->ids[0], v, 5);
    sn_rod_get_scales(world, scene->ids[0], s, 5);
    CHECK(near3(v[0], 0, -1, 0));
    CHECK(near3(v[4], 0, 3, 0));
    CHECK(near3(v[1], 0, 0, 3));
    CHECK_NEAR(s[0], 1, 1e-6);
    CHECK_NEAR(s[1], 1.25, 1e-6);
    CHECK_NEAR(s[2], 1.5, 1e-6);
    scene_end(scene, world);
}

TEST(a_stretched_start_has_another_rest) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"bodies\": [{\"kind\": \"rod\", \"circle\": {\"radius\": 0.1, \"segments\": 16}, "
                                  "\"rest\": {\"scale\": 0.5}},"
                                  "{\"kind\": \"rod\", \"circle\": {\"radius\": 0.1, \"segments\": 16}}]}",
                                  &scene);
    REQUIRE(world != NULL);
    CHECK_NEAR(sn_body_volume(world, scene->ids[0]) / sn_body_rest_volume(world, scene->ids[0]), 2, 1e-4);
    CHECK_NEAR(sn_body_volume(world, scene->ids[1]) / sn_body_rest_volume(world, scene->ids[1]), 1, 1e-4);
    scene_end(scene, world);
}

TEST(building_twice_gives_the_same) {
    sn_scene *scene;
    sn_world *again = NULL,
             *world = scene_world("{\"bodies\": [{" PINNED_LINE "}], \"motion\": [{\"body\": \"r\", \"point\": 0, "
                                  "\"keys\": [{\"t\": 0, \"offset\": [0, 1, 0]}]}]}",
                                  &scene);
    REQUIRE(world != NULL);
    step(scene, world, 3);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    sn_world_def def = sn_world_def_default();
    CHECK_INT(scene_build(scene, &def, &again), SN_OK);
    step(scene, again, 3);
    CHECK(sn_world_hash(again) == hash);
    scene_end(scene, again);
}

TEST(labels_name_bodies) {
    sn_scene *scene;
    char words[80];
    sn_world *world = scene_world("{\"bodies\": [{" PINNED_LINE
                                  "}, {\"kind\": \"rod\", \"circle\": {\"radius\": 1, \"segments\": 8}, "
                                  "\"repeat\": {\"count\": [5, 1, 1], \"spacing\": [3, 0, 0]}}]}",
                                  &scene);
    REQUIRE(world != NULL);
    scene_label_text(scene, sn_body_label(world, scene->ids[0]), words, sizeof words);
    CHECK_STRING(words, "rod \"r\"");
    scene_label_text(scene, sn_body_label(world, scene->ids[4]), words, sizeof words);
    CHECK_STRING(words, "bodies[1], a rod, copy 3");
    scene_end(scene, world);
}
