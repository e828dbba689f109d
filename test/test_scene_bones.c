// links: tools
// Bones that muscles move, joints with limits and motors, and rods that curl, in scenes.
#include "scene/scene_drive.h"
#include "scene_text.h"
#include <math.h>

#define HEAD "{\"gravity\": [0, -9.81, 0], "

static bool says(const char *text, const char *wanted) {
    char *said = scene_complaints(text, strlen(text));
    const bool found = said && (*wanted ? strstr(said, wanted) != NULL : !*said);
    if (!found) fprintf(stderr, "said: %s\n", said);
    free(said);
    return found;
}

static void advance(sn_scene *scene, sn_world *world, double seconds) {
    const int count = (int)(seconds * 60 + 0.5);
    for (int i = 0; i < count; i++) {
        CHECK_INT(scene_drive(scene, world, sn_world_time(world), 1.0 / 60), SN_OK);
        CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 0), SN_OK);
    }
}

static sn_vec3 centre_of(const sn_world *world, int rigid) {
    sn_vec3 at = {0, 0, 0};
    sn_rigid_get_centre(world, sn_world_kind_at(world, SN_KIND_RIGID, rigid), &at);
    return at;
}

#define MUSCLE(last)                                                                                                   \
    "\"bodies\": [{\"kind\": \"muscle\", \"name\": \"m\", \"fusiform\": {\"from\": [0.03, 0, 0], \"to\": [0.03, "      \
    "-0.35, 0], "                                                                                                      \
    "\"radius\": 0.02, \"rods\": 5, \"slices\": 8}, \"activate\": {\"by\": \"force\", \"rise\": 0.02}, \"collide\": "  \
    "false, "                                                                                                          \
    "\"attach\": {\"first\": {}, \"last\": " last "}}]"
#define ARM                                                                                                            \
    "\"rigid_bodies\": [{\"name\": \"arm\", \"dynamic\": true, \"mass\": 1, \"pill\": {\"to\": [0, -0.25, 0], "        \
    "\"radius\": 0.01}, \"position\": [0, -0.3, 0]}], \"joints\": [{\"kind\": \"direction\", \"axis\": [0, 0, 1], "    \
    "\"limits\": [0, 60], \"a\": {\"rigid_body\": \"arm\", \"position\": [0, -0.3, 0]}}], "

TEST(a_muscle_of_a_scene_lifts_the_bone_that_it_is_attached_to) {
    sn_scene *scene;
    sn_world *world = scene_world(
        HEAD ARM
        "\"activation\": [{\"body\": \"m\", \"keys\": [{\"t\": 0, \"value\": 1}]}], " MUSCLE("{\"body\": \"arm\"}") "}",
        &scene);
    REQUIRE(world != NULL);
    CHECK_INT(sn_world_joint_count(world), 6);
    const double before = (double)centre_of(world, 0).y;
    advance(scene, world, 1.5);
    CHECK((double)centre_of(world, 0).y > before + 0.05);
    CHECK_NEAR(sn_joint_coordinate(world, sn_world_joint_at(world, 5)), 3.14159265 / 3, 1e-3); // lifted to its limit
    scene_end(scene, world);
}

TEST(wrong_attachments_and_joints_are_told) {
    CHECK(says(HEAD ARM MUSCLE("{\"body\": \"amr\"}") "}", "did you mean \"arm\"?"));
    CHECK(says(HEAD ARM MUSCLE("{\"body\": \"m\"}") "}", "is not a rigid body"));
    CHECK(
        says(HEAD ARM MUSCLE("{\"body\": \"arm\", \"rigid_body\": \"arm\"}") "}", "cannot be combined with \"body\""));
#define JOINT(rest)                                                                                                    \
    HEAD "\"bodies\": [{\"kind\": \"rod\", \"name\": \"r\", \"line\": {\"from\": [9, 0, 0], \"to\": [9, 1, 0], "       \
         "\"segments\": 2}, "                                                                                          \
         "\"radius\": 0.01}], \"rigid_bodies\": [{\"name\": \"b\", \"dynamic\": true, \"sphere\": {\"radius\": "       \
         "0.1}}], "                                                                                                    \
         "\"joints\": [{\"a\": {\"rigid_body\": \"b\", \"position\": [0, 0, 0]}, " rest "}]}"
    CHECK(says(JOINT("\"kind\": \"slider\", \"axis\": [0, 1, 0], \"limits\": [0, 1]"), ""));
    CHECK(says(JOINT("\"kind\": \"slider\""), "must be the direction in which the joint slides"));
    CHECK(says(JOINT("\"kind\": \"slider\", \"axis\": [0, 1, 0], \"limits\": [1, 0]"),
               "the first must be at most the second"));
    CHECK(says(JOINT("\"kind\": \"weld\", \"motor\": {\"damping\": 1}"), "must leave something free"));
    CHECK(says(JOINT("\"kind\": \"direction\", \"motor\": {\"stiffness\": 1}"), "axis"));
    CHECK(says(JOINT("\"kind\": \"slider\", \"axis\": [0, 1, 0], \"motor\": {\"keys\": [{\"t\": 1}, {\"t\": 1}]}"),
               "must be later than the key before"));
}

// A motor whose target moves, on a slider; a rope from there.
TEST(motors_follow_their_keys) {
    sn_scene *scene;
    sn_world *world = scene_world(JOINT("\"kind\": \"slider\", \"axis\": [0, 1, 0], \"motor\": {\"stiffness\": 1e6, "
                                        "\"damping\": 1e4, \"keys\": [{\"t\": 0, "
                                        "\"target\": 0}, {\"t\": 1, \"target\": 0.5}]}"),
                                  &scene);
    REQUIRE(world != NULL);
    advance(scene, world, 0.5);
    CHECK_NEAR(centre_of(world, 0).y, 0.25, 0.01);
    advance(scene, world, 1.5);
    CHECK_NEAR(centre_of(world, 0).y, 0.5, 1e-3);
    scene_end(scene, world);
    world =
        scene_world(JOINT("\"kind\": \"distance\", \"b\": {\"position\": [0, 0.5, 0]}, \"limits\": [0, 0.8]"), &scene);
    REQUIRE(world != NULL);
    advance(scene, world, 3);
    CHECK_NEAR(centre_of(world, 0).y, -0.3, 1e-3);
    scene_end(scene, world);
}

// Half a circle of a rod of 1 m, about an axis in the world.
TEST(a_rod_of_a_scene_curls) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"gravity\": [0, 0, 0], \"materials\": {\"stiff\": {\"young\": 1e8, \"poisson\": "
                                  "0.3, \"density\": 1000, \"damping\": 3}}, "
                                  "\"bodies\": [{\"kind\": \"rod\", \"name\": \"r\", \"line\": {\"from\": [0, 0, 0], "
                                  "\"to\": [1, 0, 0], \"segments\": 20}, "
                                  "\"radius\": 0.01, \"material\": \"stiff\", \"clamp_first\": true}], \"activation\": "
                                  "[{\"body\": \"r\", \"keys\": "
                                  "[{\"t\": 0, \"bend\": [0, 0, 0]}, {\"t\": 2, \"bend\": [0, 0, 3.14159]}]}]}",
                                  &scene);
    REQUIRE(world != NULL);
    advance(scene, world, 5);
    sn_vec3 points[21];
    sn_body_get_points(world, sn_world_body_at(world, 0), points, 21);
    CHECK_NEAR(points[20].x, 0, 0.01);
    CHECK_NEAR(points[20].y, 2 / 3.14159, 0.01);
    scene_end(scene, world);
}
