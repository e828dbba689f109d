// links: tools
// What scenes say about shapes, surfaces and joints is what the world gets, and it moves as told.
#include "scene_text.h"
#include "test.h"
#include <math.h>
#include <unistd.h>

// A rod of 1 m along x, to be named and placed.
#define LINE "\"kind\": \"rod\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}, \"radius\": 0.05, "

static sn_vec3 centre(const sn_world *world, const sn_scene *scene, int rod, int point) {
    sn_vec3 all[64] = {{0, 0, 0}};
    sn_body_get_points(world, scene->ids[rod], all, 64);
    return all[point];
}

static sn_vec3 position(const sn_world *world, sn_body shape) {
    sn_vec3 at = {0, 0, 0};
    sn_quat turn;
    CHECK_INT(sn_rigid_get_pose(world, shape, &at, &turn), SN_OK);
    return at;
}

#define MOVING_SHAPES                                                                                                  \
    "{\"sphere\": {\"radius\": 0.1}, \"position\": [1, 0, 0], \"repeat\": {\"count\": [2, 1, 2], \"spacing\": [1, 0, " \
    "3]},"                                                                                                             \
    "\"motion\": {\"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": 1, \"offset\": [0, 2, 0]}]}},"                 \
    "{\"box\": {\"half\": [1, 1, 1]}, \"motion\": {\"loop\": true, \"keys\": ["                                        \
    "{\"t\": 0, \"position\": [0, 0, 5], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 0}},"                        \
    "{\"t\": 1, \"position\": [0, 0, 7], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 360}}]}}"

TEST(rigid_bodies_follow_their_pose_track) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"step\": 0.05, \"bodies\": [{" LINE "\"position\": [0, -0.95, 0]}],"
                                  "\"rigid_bodies\": [" MOVING_SHAPES ", {\"plane\": true, \"position\": [0, -1, 0]}]}",
                                  &scene);
    REQUIRE(world != NULL);
    CHECK_INT(scene->spec.rigid_bodies.count, 6);
    scene_run(scene, world, 0.5);
    const double x[4] = {1, 2, 1, 2}, z[4] = {0, 0, 3, 3};
    for (int i = 0; i < 4; i++) {
        sn_vec3 at = position(world, scene->rigid_bodies[i]);
        CHECK(fabs((double)at.x - x[i]) + fabs((double)at.y - 1) + fabs((double)at.z - z[i]) < 1e-5);
    }
    CHECK_NEAR(position(world, scene->rigid_bodies[4]).z, 6, 1e-5);
    sn_vec3 at;
    sn_quat turn;
    sn_rigid_get_pose(world, scene->rigid_bodies[4], &at, &turn);
    CHECK_NEAR(fabs((double)turn.y), 1, 1e-5); // half a turn
    scene_run(scene, world, 0.75);
    CHECK_NEAR(position(world, scene->rigid_bodies[0]).y, 2, 1e-5);   // stays at the last key
    CHECK_NEAR(position(world, scene->rigid_bodies[4]).z, 5.5, 1e-4); // and the loop is in its second round
    scene_end(scene, world);
}

// They do so while every body is far away: what comes near later is not hit by a jump.
TEST(rigid_bodies_move_while_nothing_is_near) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"step\": 0.05, \"bodies\": [{" LINE "\"position\": [0, 99, 0]}],"
                                  "\"rigid_bodies\": [" MOVING_SHAPES "]}",
                                  &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 0.5);
    CHECK_NEAR(position(world, scene->rigid_bodies[0]).y, 1, 1e-5);
    CHECK_NEAR(position(world, scene->rigid_bodies[4]).z, 6, 1e-5);
    scene_end(scene, world);
}

// Rods fall onto a table that is given as triangles, and through it when one's groups are not the other's.
TEST(rods_land_on_meshes_and_fall_through_other_groups) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"substeps\": 4, \"bodies\": [{" LINE "\"name\": \"lands\"},"
        "{" LINE "\"position\": [0, 1, 1], \"surface\": {\"group\": [3]}},"
        "{" LINE "\"position\": [0, 2, -1], \"surface\": {\"mask\": [7]}}],"
        "\"rigid_bodies\": [{\"position\": [0, -0.2, 0], \"surface\": {\"mask\": [0, 1, 2], \"group\": [0, 5]},"
        "\"mesh\": {\"vertices\": [[-3, 0, -3], [3, 0, -3], [3, 0, 3], [-3, 0, 3]],"
        "\"triangles\": [[0, 2, 1], [0, 3, 2]]}}]}",
        &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 1.5);
    CHECK_NEAR(centre(world, scene, 0, 2).y, -0.15, 0.01);
    CHECK((double)centre(world, scene, 1, 2).y < -3);
    CHECK((double)centre(world, scene, 2, 2).y < -3);
    scene_end(scene, world);
}

// The same table from a file in millimetres, whose origin is somewhere else.
TEST(meshes_come_from_files_with_their_unit_and_origin) {
    char name[] = "/tmp/sinew-table-XXXXXX.obj", text[600];
    const int handle = mkstemps(name, 4);
    REQUIRE(handle >= 0);
    FILE *out = fdopen(handle, "w");
    fprintf(out, "v 7000 50 -3000\nv 13000 50 -3000\nv 13000 50 3000\nv 7000 50 3000\nf 1 3 2\nf 1 4 3\n");
    fclose(out);
    snprintf(text, sizeof text,
             "{\"substeps\": 4, \"bodies\": [{" LINE "\"name\": \"lands\"}],"
             "\"rigid_bodies\": [{\"position\": [0, -0.2, 0],"
             "\"mesh\": {\"file\": \"%s\", \"scale\": 0.001, \"origin\": [10000, 50, 0]}}]}",
             name);
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    unlink(name);
    REQUIRE(world != NULL);
    scene_run(scene, world, 1.5);
    CHECK_NEAR(centre(world, scene, 0, 2).y, -0.15, 0.01);
    scene_end(scene, world);
}

TEST(joints_connect_what_the_scene_names) {
#define THREE "\"collide\": false, \"repeat\": {\"count\": [1, 3, 1], \"spacing\": [0, 1, 0]}"
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"gravity\": [0, 0, 0], \"substeps\": 4, \"bodies\": ["
        "{" LINE "\"name\": \"a\", " THREE "}, {" LINE "\"name\": \"b\", \"position\": [1.2, 0, 0], " THREE "}],"
        "\"rigid_bodies\": [{\"name\": \"post\", \"sphere\": {\"radius\": 0.01}, \"position\": [0, 0, 9]}],"
        "\"joints\": [{\"a\": {\"body\": \"a\", \"point\": -1}, \"b\": {\"body\": \"b\", \"point\": 0}},"
        "{\"kind\": \"weld\", \"a\": {\"body\": \"a\", \"copy\": 1, \"segment\": 1, \"along\": 0}, \"b\": "
        "{\"rigid_body\": "
        "\"post\"}},"
        "{\"a\": {\"body\": \"b\", \"copy\": 2, \"point\": -1}, \"compliance\": 0.005, \"motion\": {\"interpolation\": "
        "\"smooth\","
        "\"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": 2, \"offset\": [0, 0, 1]}]}}]}",
        &scene);
    REQUIRE(world != NULL);
    CHECK_INT(scene->joint_count, 5);
    scene_run(scene, world, 3);
    for (int i = 0; i < 3; i++) { // each copy of a with the same one of b
        sn_vec3 p = centre(world, scene, i, 4), q = centre(world, scene, 3 + i, 0);
        CHECK(hypot((double)p.x - (double)q.x, (double)p.y - (double)q.y) < 0.02);
    }
    CHECK_NEAR(centre(world, scene, 1, 0).y, 1, 0.01); // the welded one stays
    CHECK_NEAR(centre(world, scene, 5, 4).z, 1, 0.3);  // the led one came along
    scene_end(scene, world);
}

TEST(joined_bodies_collide_at_the_joint_on_request) {
    static const char *const touch[] = {"", ", \"collide\": false", ", \"collide\": true"};
    for (int k = 0; k < 3; k++) { // two rods that cross where they are tied
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"gravity\": [0, 0, 0], \"substeps\": 4, \"bodies\": [{" LINE "\"name\": \"a\"},"
                 "{" LINE "\"name\": \"b\", \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}}],"
                 "\"joints\": [{\"a\": {\"body\": \"a\", \"point\": 0}, \"b\": {\"body\": \"b\", \"point\": 0}%s}]}",
                 touch[k]);
        sn_scene *scene;
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world != NULL);
        sn_world_step(world, (sn_real)0.01, 1);
        CHECK((sn_world_profile(world).contacts > 0) == (k == 2));
        scene_end(scene, world);
    }
}

TEST(a_joint_is_released_at_its_time) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"bodies\": [{" LINE "\"name\": \"r\"}],"
                                  "\"joints\": [{\"a\": {\"body\": \"r\", \"point\": 0}, \"until\": 0.5},"
                                  "{\"a\": {\"body\": \"r\", \"segment\": 4, \"along\": 1}, \"until\": 0.5}]}",
                                  &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 0.5);
    CHECK((double)centre(world, scene, 0, 0).y > -0.02);
    CHECK(sn_joint_force(world, scene->joints[0].id) > 1);
    scene_run(scene, world, 0.5);
    CHECK(!sn_joint_exists(world, scene->joints[0].id));
    CHECK((double)centre(world, scene, 0, 0).y < -0.5);
    scene_end(scene, world);
}

// A mouse takes an octopus by the tip of an arm and shakes it; nothing tears or explodes, however stiff the pull.
TEST(an_octopus_is_pulled_by_its_arm) {
    const double stiffness[] = {200, 2000, 1e5, 0}; // N/m; 0: rigid
    for (int k = 0; k < 4; k++) {
        char text[1400];
        snprintf(
            text, sizeof text,
            "{\"substeps\": 4, \"materials\": {\"flesh\": {\"young\": 6e5, \"poisson\": 0.48, \"damping\": 1}},"
            "\"rigid_bodies\": [{\"plane\": true}], \"bodies\": [{\"kind\": \"rod\", \"name\": \"o\", \"octopus\": "
            "{\"size\": 0.25},"
            "\"material\": \"flesh\", \"self_collide\": true, \"position\": [0, 0.5, 0]}],"
            "\"joints\": [{\"a\": {\"body\": \"o\", \"point\": -1}, \"compliance\": %g, \"motion\": {\"keys\": ["
            "{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": 0.4, \"offset\": [0, 2, 0]}, {\"t\": 0.6, \"offset\": [2, "
            "2, 0]},"
            "{\"t\": 0.8, \"offset\": [-2, 2, 0]}, {\"t\": 1, \"offset\": [2, 1, 0]}, {\"t\": 2, \"offset\": [2, "
            "3, 0]}]}}]}",
            stiffness[k] > 0 ? 1 / stiffness[k] : 0);
        sn_scene *scene;
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world != NULL);
        int n = sn_body_point_count(world, scene->ids[0]);
        sn_vec3 start[256], v[256];
        sn_body_get_points(world, scene->ids[0], start, 256);
        double rest = sn_rod_length(world, scene->ids[0]), fastest = 0, longest = 0;
        for (int i = 0; i < 120; i++) {
            scene_run(scene, world, scene->spec.step);
            sn_body_get_velocities(world, scene->ids[0], v, 256);
            for (int j = 0; j < n; j++)
                fastest = fmax(fastest, sqrt((double)(v[j].x * v[j].x + v[j].y * v[j].y + v[j].z * v[j].z)));
            longest = fmax(longest, sn_rod_length(world, scene->ids[0]) / rest);
        }
        CHECK(fastest < 100); // the hand moves with up to 20 m/s
        CHECK(longest < 3);
        for (int i = 0; i < 120; i++) scene_run(scene, world, scene->spec.step); // it comes to hang
        sn_body_get_velocities(world, scene->ids[0], v, 256);
        for (int j = 0; j < n; j++) CHECK(sqrt((double)(v[j].x * v[j].x + v[j].y * v[j].y + v[j].z * v[j].z)) < 8);
        sn_vec3 hand = {start[n - 1].x + 2, start[n - 1].y + 3, start[n - 1].z}, tip = centre(world, scene, 0, n - 1);
        double away = sqrt(pow((double)(hand.x - tip.x), 2) + pow((double)(hand.y - tip.y), 2) +
                           pow((double)(hand.z - tip.z), 2));
        double pull = (double)sn_joint_force(world, scene->joints[0].id);
        CHECK_NEAR(away, stiffness[k] > 0 ? pull / stiffness[k] : 0, 0.02 + 0.05 * away);
        scene_end(scene, world);
    }
}

// The deepest overlap, over the smaller radius, of a scene while it runs.
static sn_real deepest_overlap(const char *text, double seconds) {
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    sn_real deepest = 0;
    if (CHECK(world != NULL)) {
        for (int64_t i = 0; i < scene_step_count(scene, seconds); i++) {
            scene_step(scene, world);
            const sn_real now = sn_world_penetration(world);
            deepest = now > deepest ? now : deepest;
        }
    }
    scene_end(scene, world);
    return deepest;
}

// Paddles that only rotate move at their ends as fast as any: what lies in their way is pushed along.
TEST(a_rotating_paddle_pushes_what_lies_in_its_way) {
    CHECK(
        deepest_overlap(
            "{\"rigid_bodies\": [{\"plane\": true}, {\"name\": \"paddle\", \"pill\": {\"from\": [-0.3, 0.03, 0], "
            "\"to\": "
            "[0.3, 0.03, 0], \"radius\": 0.03}, \"motion\": {\"loop\": true, \"keys\": [{\"t\": 0, \"rotation\": "
            "{\"axis\": [0, 1, "
            "0], \"degrees\": 0}}, {\"t\": 1, \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 360}}]}}], \"bodies\": "
            "[{\"kind\": \"rod\", \"line\": {\"from\": [0.1, 0.02, 0.1], \"to\": [0.3, 0.02, 0.16], \"segments\": 8}, "
            "\"radius\": "
            "0.02}, {\"kind\": \"rod\", \"line\": {\"from\": [-0.1, 0.02, 0.2], \"to\": [-0.25, 0.02, 0.1], "
            "\"segments\": 8}, "
            "\"radius\": 0.02}]}",
            2) < (sn_real)0.05);
}

// A rod that lies on a box and hangs over two of its edges is held at each of its points, not only at one of them.
TEST(a_rod_across_the_corner_of_a_box_lies_on_it) {
    CHECK(
        deepest_overlap(
            "{\"rigid_bodies\": [{\"plane\": true}, {\"box\": {\"half\": [0.5, 0.2, 0.5]}, \"position\": [0, 0.2, "
            "0]}], \"bodies\": [{\"kind\": \"rod\", \"line\": {\"from\": [-0.106, 0.47, -0.55], \"to\": [0.933, 0.47, "
            "0.05], \"segments\": 8}, \"radii\": [0.07, 0.04], \"material\": \"silicone\"}]}",
            1.5) < (sn_real)0.03);
}

TEST(joints_that_are_open_at_the_start_are_told) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"bodies\": [{\"kind\": \"rod\", \"name\": \"a\", \"line\": {\"to\": [1, 0, 0], \"segments\": 4}}, "
        "{\"kind\": \"rod\", \"name\": \"b\", \"line\": {\"from\": [1, 0.05, 0], \"to\": [2, 0, 0], "
        "\"segments\": 4}}], \"joints\": [{\"a\": {\"body\": \"a\", \"point\": -1}, \"b\": {\"body\": "
        "\"b\", \"point\": 0}}]}",
        &scene);
    REQUIRE(world != NULL);
    CHECK_INT(scene->errors.warning_count, 1);
    CHECK(strstr(scene->errors.warnings[0].text, "are 0.05 m from each other") != NULL);
    scene_end(scene, world);
}
