// links: tools
// Bodies of springs in scenes: they are as stiff as the file says however fine the mesh is, hold what they are told to
// hold, move, load and release it, and what a file gets wrong is said where it is.
#include "scene/scene_spring.h"
#include "scene_text.h"
#include "test.h"
#include <math.h>
#include <unistd.h>

// Where the points are; to be freed.
static sn_vec3 *points_of(const sn_scene *scene, const sn_world *world, int body, int *count) {
    const sn_body id = scene->ids[scene->bodies[body].first];
    *count = sn_body_point_count(world, id);
    sn_vec3 *points = malloc(((size_t)*count + 1) * sizeof *points);
    if (points) sn_body_get_points(world, id, points, *count);
    return points;
}

// The mean height of all points that were below 'limit' at the start, relative to then.
static double drop_below(sn_scene *scene, sn_world *world, double limit, double seconds) {
    int count, used = 0;
    double sum = 0;
    sn_vec3 *before = points_of(scene, world, 0, &count);
    scene_run(scene, world, seconds);
    sn_vec3 *after = points_of(scene, world, 0, &count);
    for (int i = 0; before && after && i < count; i++) {
        if ((double)before[i].y > limit) continue;
        sum += (double)(before[i].y - after[i].y);
        used++;
    }
    free(before);
    free(after);
    return used ? sum / used : (double)NAN;
}

// A bar that hangs by its top gets longer by density g L^2 / (2 E). Its top cannot narrow, which stiffens it a little.
TEST(a_hanging_bar_stretches_by_its_young_modulus) { // once
    static const double ratios[] = {0.25, 0.4};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "{\"step\": 0.02, \"materials\": {\"m\": {\"young\": 2e5, \"poisson\": %g, \"density\": 1000, \"damping\": "
            "20}}, \"bodies\": [{\"kind\": \"spring\", \"material\": \"m\", \"solid\": {\"box\": {\"half\": [0.05, "
            "0.25, "
            "0.05]}, \"cell\": 0.025}, \"tolerance\": 1e-5, \"iterations\": 1000, \"collide\": false, \"hold\": "
            "[{\"box\": [[-1, 0.249, -1], [1, 0.251, 1]]}]}]}",
            ratios[i]);
        sn_scene *scene;
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world != NULL);
        const double wanted = 1000 * 9.81 * 0.25 / (2 * 2e5);
        CHECK_NEAR(drop_below(scene, world, -0.249, 1.5), wanted, 0.1 * wanted);
        scene_end(scene, world);
    }
}

// A cloth without diagonals that hangs by its top row: density g H^2 / (2 stretch) longer at the bottom, for every grid.
TEST(a_hanging_cloth_stretches_alike_in_every_resolution) {
    static const int sizes[][2] = {{9, 9}, {9, 33}, {25, 17}};
    for (int i = 0; i < 3; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "{\"bodies\": [{\"kind\": \"spring\", \"cloth\": {\"across\": [2, 0, 0], \"down\": [0, -1, 0], "
                 "\"columns\": %d, \"rows\": %d}, \"fabric\": {\"density\": 0.5, \"stretch\": 300, \"shear\": 0, "
                 "\"bend\": 0}, "
                 "\"drag\": 5, \"tolerance\": 1e-6, \"iterations\": 2000, \"collide\": false, "
                 "\"hold\": [{\"box\": [[-2, 0.499, -1], [2, 0.501, 1]]}]}]}",
                 sizes[i][0], sizes[i][1]);
        sn_scene *scene;
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world != NULL);
        const double wanted = 0.5 * 9.81 / (2 * 300);
        CHECK_NEAR(drop_below(scene, world, -0.499, 3), wanted, 0.02 * wanted);
        scene_end(scene, world);
    }
}

// The same of a surface from a file: a sheet of triangles, uneven on purpose.
TEST(a_net_from_a_file_stretches_as_its_fabric) {
    enum { N = 13 };
    char name[] = "/tmp/sinew-net-XXXXXX.obj", text[900];
    const int handle = mkstemps(name, 4);
    REQUIRE(handle >= 0);
    FILE *out = fdopen(handle, "w");
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
            const bool inside = r > 0 && r < N - 1 && c > 0 && c < N - 1;
            const double x = inside ? 0.15 * ((r * 7 + c * 3) % 5 - 2) : 0,
                         y = inside ? 0.15 * ((r * 5 + c * 11) % 5 - 2) : 0;
            fprintf(out, "v %g %g 0\n", (c + x) / (N - 1), -(r + y) / (N - 1));
        }
    for (int r = 0; r < N - 1; r++)
        for (int c = 0; c < N - 1; c++) {
            const int a = r * N + c + 1, b = a + 1, d = a + N, e = d + 1; // diagonals alternate
            if ((r + c) % 2)
                fprintf(out, "f %d %d %d\nf %d %d %d\n", a, d, e, a, e, b);
            else
                fprintf(out, "f %d %d %d\nf %d %d %d\n", a, d, b, b, d, e);
        }
    fclose(out);
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"kind\": \"spring\", \"net\": {\"file\": \"%s\"}, \"fabric\": {\"density\": 0.5, "
             "\"stretch\": "
             "300, \"bend\": 0}, \"drag\": 5, \"tolerance\": 1e-6, \"iterations\": 2000, \"collide\": false, "
             "\"hold\": [{\"box\": [[-1, -0.001, -1], [2, 0.001, 1]]}]}]}",
             name);
    sn_scene *scene;
    sn_world *world = scene_world(text, &scene);
    unlink(name);
    REQUIRE(world != NULL);
    const double wanted = 0.5 * 9.81 / (2 * 300);
    CHECK_NEAR(drop_below(scene, world, -0.999, 3), wanted, 0.15 * wanted); // triangles are not spread evenly
    scene_end(scene, world);
}

TEST(a_box_of_tetrahedra_fills_the_box_and_keeps_its_size) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"bodies\": [{\"kind\": \"spring\", \"scale\": 2, \"solid\": {\"box\": {\"half\": [0.1, "
                    "0.2, 0.15]}, \"cell\": 0.1}, \"material\": \"jelly\"}]}",
                    &scene);
    REQUIRE(world != NULL);
    const sn_body id = scene->ids[0];
    CHECK_NEAR(sn_body_rest_volume(world, id), 8 * 0.2 * 0.4 * 0.3, 1e-6);
    CHECK_INT(sn_springs_tet_count(world, id), 12 * 2 * 4 * 3);
    CHECK_INT(sn_body_point_count(world, id), 3 * 5 * 4 + 2 * 4 * 3);
    double mass = 0;
    for (int i = 0; i < scene_spring_form(&scene->bodies[0])->net.count; i++)
        mass += (double)scene_spring_form(&scene->bodies[0])->net.masses[i];
    CHECK_NEAR(mass, 1000 * 8 * 0.2 * 0.4 * 0.3, 0.01);
    scene_end(scene, world);
}

TEST(surfaces_of_the_zoo_are_filled_and_keep_their_surface_as_a_skin) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"bodies\": [{\"kind\": \"spring\", \"solid\": {\"zoo\": \"torus\", \"cell\": "
                                  "0.12}, \"material\": \"jelly\"}]}",
                                  &scene);
    REQUIRE(world != NULL);
    const spring_form *form = scene->bodies[0].form;
    const double surface = sn_mesh_volume(&form->skin), tets = sn_body_rest_volume(world, scene->ids[0]);
    CHECK(surface > 0);
    CHECK_NEAR(tets, surface, 0.1 * surface);
    scene_end(scene, world);
}

// Shells share the mass and carry the numbers of the surface's points.
TEST(shells_multiply_the_points_and_share_the_mass) {
    double masses[2] = {0, 0};
    int counts[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"bodies\": [{\"kind\": \"spring\", \"net\": {\"zoo\": \"marshmallow\", \"triangles\": 800, "
                 "\"shells\": %d}, "
                 "\"fabric\": {\"density\": 3}}]}",
                 2 * k);
        sn_scene *scene;
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world != NULL);
        const sn_spring_net *net = &scene_spring_form(&scene->bodies[0])->net;
        counts[k] = net->count;
        for (int i = 0; i < net->count; i++) masses[k] += (double)net->masses[i];
        for (int i = 0; i < net->spring_count; i++) CHECK(net->springs[i].stiffness > 0);
        CHECK(scene_spring_form(&scene->bodies[0])->encloses);
        scene_end(scene, world);
    }
    CHECK_INT(counts[1], 3 * counts[0]);
    CHECK_NEAR(masses[1], masses[0], 1e-3 * masses[0]);
}

#define SMALL_CLOTH                                                                                                    \
    "\"kind\": \"spring\", \"name\": \"c\", \"cloth\": {\"columns\": 5, \"rows\": 4}, \"collide\": false"

TEST(corners_are_held_moved_and_released) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"bodies\": [{" SMALL_CLOTH ", \"drag\": 5, \"hold\": [{\"corners\": true}]}], \"motion\": [{\"body\": "
        "\"c\", \"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": 0.5, \"offset\": [0, 1, 0]}]}], "
        "\"release\": [{\"body\": \"c\", \"point\": -1, \"t\": 1.5}]}",
        &scene);
    REQUIRE(world != NULL);
    static const int corners[] = {0, 4, 15, 19};
    int count;
    scene_run(scene, world, 1.4);
    sn_vec3 *at = points_of(scene, world, 0, &count);
    REQUIRE(at != NULL);
    CHECK_INT(count, 20);
    for (int i = 0; i < 4; i++) CHECK_NEAR(at[corners[i]].y, 1, 1e-6);
    CHECK((double)at[7].y < 0.99); // hangs through
    free(at);
    scene_run(scene, world, 0.6);
    at = points_of(scene, world, 0, &count);
    REQUIRE(at != NULL);
    for (int i = 0; i < 3; i++) CHECK_NEAR(at[corners[i]].y, 1, 1e-6);
    CHECK((double)at[19].y < 0.8);
    free(at);
    scene_end(scene, world);
}

// A chain in a line of pull: the force spreads to every spring, k = stretch / length.
TEST(a_chain_under_load_gets_longer_by_force_over_stretch) {
    sn_scene *scene;
    sn_world *world =
        scene_world("{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"spring\", \"name\": \"c\", \"chain\": "
                    "{\"to\": [0, -2, 0], \"points\": 9, \"stretch\": 500}, \"drag\": 3, \"tolerance\": 1e-6, "
                    "\"hold\": [{\"point\": 0}]}], \"loads\": [{\"body\": \"c\", \"point\": -1, \"keys\": "
                    "[{\"t\": 0, \"force\": [0, -25, 0]}]}]}",
                    &scene);
    REQUIRE(world != NULL);
    CHECK_NEAR(drop_below(scene, world, -1.99, 5), 2 * 25.0 / 500, 1e-3);
    scene_end(scene, world);
}

// A chain that hangs on a joint in space, and a weight of another chain on its end.
TEST(joints_connect_points_of_springs) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{\"substeps\": 4, \"iterations\": 2, \"bodies\": [{\"kind\": \"spring\", \"name\": \"a\", \"chain\": "
        "{\"to\": [0, "
        "-1, 0], \"points\": 5}, \"collide\": false, \"drag\": 2}, {\"kind\": \"spring\", \"name\": \"b\", "
        "\"position\": [0, -1, 0], \"chain\": {\"to\": [0, -0.5, 0], \"points\": 3}, \"collide\": false, \"drag\": "
        "2}], \"joints\": [{\"a\": {\"body\": \"a\", \"point\": 0}}, {\"a\": {\"body\": \"a\", \"point\": -1}, "
        "\"b\": {\"body\": \"b\", \"point\": 0}}]}",
        &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 2);
    int first, second;
    sn_vec3 *a = points_of(scene, world, 0, &first), *b = points_of(scene, world, 1, &second);
    REQUIRE(a && b);
    CHECK_NEAR(a[0].y, 0, 2e-3);
    CHECK_NEAR(a[4].y, b[0].y, 2e-3);
    CHECK_NEAR(a[4].y, -1, 0.01); // it hangs, it does not fall
    free(a);
    free(b);
    scene_end(scene, world);
}

// An oscillator with w h = 0.1 for 100 steps: explicit Euler gains (1 + 0.01)^100, implicit Euler loses as much, and
// symplectic Euler keeps its energy within a twentieth.
TEST(integrators_do_what_they_are_known_for) {
    static const struct {
        const char *name;
        double gain, tolerance;
    } cases[] = {{"explicit-euler", 2.7048, 0.01}, {"implicit-euler", 1 / 2.7048, 0.01},
                 {"symplectic-euler", 1, 0.06},    {"verlet", 1, 0.01},
                 {"verlet-corrected", 1, 0.01},    {"runge-kutta-2", 1.0025, 0.001},
                 {"runge-kutta-4", 1, 0.001}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"gravity\": [0, 0, 0], \"step\": 0.0166666667, \"bodies\": [{\"kind\": \"spring\", "
                 "\"integrator\": \"%s\", "
                 "\"chain\": {\"to\": [0, -3, 0], \"points\": 2, \"density\": 0.66666667, \"stretch\": 108}, "
                 "\"damping\": 0, "
                 "\"tolerance\": 1e-6, \"hold\": [{\"point\": 0}], \"start\": [{\"point\": 1, \"velocity\": [0, 0.6, "
                 "0]}]}]}",
                 cases[i].name);
        sn_scene *scene;
        sn_world *world = scene_world(text, &scene);
        REQUIRE(world != NULL);
        sn_energy e = sn_body_energy(world, scene->ids[0]);
        const double before = e.kinetic + e.elastic;
        CHECK_NEAR(before, 0.18, 1e-6);
        scene_run(scene, world, 100.0 / 60);
        e = sn_body_energy(world, scene->ids[0]);
        CHECK_NEAR((e.kinetic + e.elastic) / before, cases[i].gain, cases[i].tolerance);
        scene_end(scene, world);
    }
}

// Bodies of every kind in one scene; copies have their own places.
TEST(copies_with_rods_are_the_same_for_one_and_two_workers) {
    static const char *const text =
        "{\"substeps\": 4, \"iterations\": 2, \"bodies\": [{\"kind\": \"rod\", \"position\": [0, 0.3, 0], \"line\": "
        "{\"to\": [0.4, "
        "0, 0], \"segments\": 4}}, {" SMALL_CLOTH
        ", \"position\": [0, 0.2, 0]}, {\"kind\": \"spring\", \"position\": [0, 0.1, "
        "0], \"solid\": {\"box\": {\"half\": [0.05, 0.05, 0.05]}, \"cell\": 0.05}, \"repeat\": {\"count\": [2, 2, 1], "
        "\"spacing\": [0.2, 0.15, 0]}}], \"rigid_bodies\": [{\"plane\": true}]}";
    uint64_t hashes[2];
    for (int workers = 1; workers <= 2; workers++) {
        sn_scene *scene = scene_parse("x.json", text, strlen(text), &disk_files);
        sn_world *world = NULL;
        sn_world_def def = sn_world_def_default();
        def.worker_count = workers;
        REQUIRE(scene && scene_build(scene, &def, &world) == SN_OK);
        CHECK_INT(scene->id_count, 6);
        CHECK_INT(sn_world_kind_count(world, SN_KIND_SPRING), 5);
        for (int i = 0; i < 5; i++) {
            const int body = i == 0 ? 1 : 2;
            CHECK_INT(sn_body_label(world, scene->ids[1 + i]), scene_label(body, i == 0 ? 0 : i - 1));
        }
        scene_run(scene, world, 0.5);
        hashes[workers - 1] = sn_world_hash(world);
        scene_end(scene, world);
    }
    CHECK_INT((long long)hashes[0], (long long)hashes[1]);
}

// --- errors ---

// What is said about the one body of a scene must hold the words.
static void expect_words(const char *body, const char *more, const char *words) {
    char text[1200];
    snprintf(text, sizeof text, "{\"bodies\": [{\"kind\": \"spring\", \"name\": \"b\"%s%s}]%s}", *body ? ", " : "",
             body, more);
    char *said = scene_complaints(text, strlen(text));
    if (!CHECK(said && strstr(said, words) && strncmp(said, "x.json:1:", 9) == 0))
        fprintf(stderr, "wanted: %s\nsaid:   %s", words, said ? said : "nothing");
    free(said);
}

TEST(errors_are_said_where_they_are) {
    const char *none = "";
    expect_words("", none, "bodies[0]: needs exactly one of \"chain\", \"cloth\", \"net\" and \"solid\"");
    expect_words("\"cloth\": {}, \"chain\": {\"to\": [1, 0, 0]}", none, "needs exactly one of");
    expect_words("\"cloth\": {\"colums\": 3}", none, "did you mean \"columns\"?");
    expect_words("\"cloth\": {\"across\": [0, 0, 2]}", none, "cloth: \"across\" and \"down\" must have a length");
    expect_words("\"cloth\": {\"columns\": 4000, \"rows\": 4000}", none, "the limit of a scene is 4000000 points");
    expect_words("\"chain\": {\"to\": [0, 0, 0]}", none, "chain.to: must differ from \"from\"");
    expect_words("\"net\": {}", none, "net: needs one of \"file\" and \"zoo\"");
    expect_words("\"net\": {\"zoo\": \"elephant\"}", none, "the zoo has no surface \"elephant\"; it has creature, ");
    expect_words("\"net\": {\"file\": \"missing.obj\"}", none, "net.file: cannot be read: ");
    expect_words("\"solid\": {\"box\": {\"half\": [1, 1, 1]}}", none, "a \"box\" needs \"cell\"");
    expect_words("\"solid\": {\"box\": {\"half\": [1, 1, 1]}, \"cell\": 1e-4}", none,
                 "points; the limit of a scene is");
    expect_words("\"solid\": {\"zoo\": \"torus\", \"cell\": 5}", none, "solid");
    expect_words("\"solid\": {\"file\": \"missing.msh\"}", none, "solid.file: cannot be read: ");
    expect_words("\"solid\": {\"zoo\": \"torus\"}, \"material\": \"jely\"", none, "did you mean \"jelly\"?");
    expect_words("\"solid\": {\"zoo\": \"torus\"}, \"material\": \"m\"",
                 ", \"materials\": {\"m\": {\"young\": 1e4, \"poisson\": 0.1}}",
                 "material: Poisson's ratio must be at least 0.25 for a solid of springs, is 0.1");
    expect_words("\"solid\": {\"zoo\": \"torus\"}, \"fabric\": {}", none, "fabric: needs \"cloth\" or \"net\"");
    expect_words("\"cloth\": {}, \"material\": \"jelly\"", none, "material: needs \"solid\"");
    expect_words("\"cloth\": {}, \"penalty\": 10", none, "penalty: needs \"solid\"");
    expect_words("\"cloth\": {}, \"integrator\": \"euler\"", none, "integrator");
    expect_words("\"chain\": {\"to\": [1, 0, 0]}, \"wind\": [1, 0, 0]", none,
                 "wind: needs \"cloth\", \"net\" or \"solid\"");
    expect_words("\"cloth\": {}, \"hold\": [{\"point\": 961}]", none, "hold[0].point: must be from -961 to 960");
    expect_words("\"cloth\": {}, \"hold\": [{}]", none, "hold[0]: needs one of \"point\", \"points\" and \"range\"");
    expect_words("\"cloth\": {}, \"hold\": [{\"box\": [[2, 2, 2], [3, 3, 3]]}]", none, "no point of the body is in it");
    expect_words("\"chain\": {\"to\": [1, 0, 0]}, \"hold\": [{\"corners\": true}]", none, "needs \"cloth\"");
    expect_words("\"cloth\": {}",
                 ", \"motion\": [{\"body\": \"b\", \"point\": 3, \"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}]}]",
                 "motion[0]: the centre of point 3 is not held");
    expect_words("\"cloth\": {}, \"hold\": [{\"point\": 0}]",
                 ", \"motion\": [{\"body\": \"b\", \"what\": \"frame\", \"keys\": [{\"t\": 0, \"rotation\": {\"axis\": "
                 "[0, 1, 0], "
                 "\"degrees\": 3}}]}]",
                 "must be \"centre\" for a spring body");
    expect_words("\"cloth\": {}", ", \"loads\": [{\"body\": \"b\", \"keys\": [{\"t\": 0, \"torque\": [0, 1, 0]}]}]",
                 "must have only \"force\" for a spring body");
    expect_words("\"cloth\": {}", ", \"activation\": [{\"body\": \"b\", \"keys\": [{\"t\": 0, \"value\": 1}]}]",
                 "is a spring body, which cannot be activated");
    expect_words("\"cloth\": {}", ", \"joints\": [{\"a\": {\"body\": \"b\", \"segment\": 1}}]",
                 "joints[0].a.segment: a spring body is attached by \"point\"");
}
