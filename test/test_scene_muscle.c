// links: tools
// Muscles of scenes: they keep their volume and bulge as they contract, ride on bones however fast these are, touch
// each other and not themselves, and look like what they are; rigs and skeletons come from files.
#include "capture/scene_view.h"
#include "formats/muscle_rig.h"
#include "mesh_bytes.h"
#include "scene/scene_muscle.h"
#include "scene/scene_rigid.h"
#include "scene_text.h"
#include "session/page_pack.h"
#include "session/session.h"
#include "test.h"
#include <math.h>
#include <unistd.h>

static double volume(const sn_scene *scene, const sn_world *world, int muscle) {
    const sn_bundle id = scene->muscles[muscle].id;
    return sn_bundle_volume(world, id) / sn_bundle_rest_volume(world, id);
}

static sn_section section(const sn_scene *scene, const sn_world *world, int muscle, int k) {
    sn_section all[32] = {0};
    sn_bundle_get_sections(world, scene->muscles[muscle].id, all, 32);
    return all[k];
}

// Volume of a body as it is drawn.
static double seen_volume(const view_model *model, const view_frame *frame, int body) {
    sn_mesh mesh = model->meshes[model->bodies[body].mesh].mesh;
    float(*positions)[3] = malloc((size_t)mesh.vertex_count * sizeof *positions);
    if (!CHECK(positions && view_body_vertices(model, frame, body, positions, NULL))) return 0;
    mesh.position = positions; // of a copy of the struct
    const double sum = sn_mesh_volume(&mesh);
    free(positions);
    return sum;
}

#define NO_GRAVITY "\"gravity\": [0, 0, 0], \"substeps\": 4, "

// A spindle along x, 0.3 m long.
#define SPINDLE                                                                                                        \
    "\"kind\": \"muscle\", \"fusiform\": {\"from\": [-0.15, 0, 0], \"to\": [0.15, 0, 0], \"radius\": 0.035, "          \
    "\"slices\": 11, \"tendon\": 0.7}"

TEST(contraction_by_30_percent_keeps_the_volume_and_widens_the_belly) {
    sn_scene *scene;
    sn_world *world = scene_world("{" NO_GRAVITY "\"bodies\": [{" SPINDLE ", \"name\": \"m\", \"attach\": {\"first\": "
                                  "{}}}], \"activation\": [{\"body\": \"m\", \"interpolation\": \"smooth\", \"keys\": "
                                  "[{\"t\": 0, \"value\": 0}, {\"t\": 0.8, \"value\": 1}]}]}",
                                  &scene);
    REQUIRE(world != NULL);
    scene_view *view = scene_view_new(scene, world, true, NULL);
    REQUIRE(view != NULL);
    const view_frame *frame = scene_view_read(view, world, 0);
    const view_model *model = scene_view_model(view);
    REQUIRE(frame);
    REQUIRE(model->body_count == 1); // seven rods look like one body
    const double start = seen_volume(model, frame, 0);
    CHECK_NEAR(start / sn_bundle_rest_volume(world, scene->muscles[0].id), 1, 0.05);
    scene_run(scene, world, 1.5);
    frame = scene_view_read(view, world, 1.5);
    REQUIRE(frame);
    // Of what is not near the end that is held, where fibres cannot swell.
    const double length = (double)(section(scene, world, 0, 10).centre.x - section(scene, world, 0, 3).centre.x) / 0.21;
    const double scale = (double)section(scene, world, 0, 5).scale;
    CHECK_NEAR(length, 0.7, 0.01);
    CHECK_NEAR(volume(scene, world, 0), 1, 0.02);
    CHECK_NEAR(scale * scale, 1 / 0.7, 0.03 / 0.7);
    CHECK_NEAR(seen_volume(model, frame, 0) / start, 1, 0.03);
    scene_view_free(view);
    scene_end(scene, world);
}

TEST(rigid_cross_sections_keep_muscles_from_bulging) {
    sn_scene *scene;
    sn_world *world = scene_world("{" NO_GRAVITY "\"bodies\": [{" SPINDLE ", \"name\": \"m\", \"bundle\": {\"kind\": "
                                  "\"rigid\"}, \"attach\": {\"first\": {}}}], \"activation\": [{\"body\": \"m\", "
                                  "\"keys\": [{\"t\": 0, \"value\": 0}, {\"t\": 0.8, \"value\": 0.5}]}]}",
                                  &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 1);
    CHECK_NEAR(section(scene, world, 0, 5).scale, 1, 1e-5);
    // What cannot bulge and keeps its volume does not shorten either.
    CHECK_NEAR((section(scene, world, 0, 10).centre.x - section(scene, world, 0, 0).centre.x) / 0.3, 1, 0.05);
    scene_end(scene, world);
}

// An elbow that bends by 100 degrees within 'seconds', a biceps and a triceps.
static sn_world *elbow(double seconds, sn_scene **scene) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "{" NO_GRAVITY "\"rigid_bodies\": [{\"name\": \"upper\", \"pill\": {\"to\": [0, -0.28, 0], \"radius\": 0.014}},"
        "{\"name\": \"lower\", \"pill\": {\"from\": [0, 0.012, -0.02], \"to\": [0, -0.25, 0], \"radius\": 0.011}, "
        "\"position\": [0, -0.3, 0], \"motion\": {\"interpolation\": \"smooth\", \"keys\": ["
        "{\"t\": 0.1, \"rotation\": {\"axis\": [1, 0, 0], \"degrees\": 0}},"
        "{\"t\": %g, \"rotation\": {\"axis\": [1, 0, 0], \"degrees\": -100}}]}}],"
        "\"bodies\": [{\"kind\": \"muscle\", \"name\": \"biceps\", \"fusiform\": {\"from\": [0, 0, 0.03], "
        "\"through\": [[0, -0.14, 0.05]], \"to\": [0, -0.345, 0.022], \"radius\": 0.025, \"rods\": 5, "
        "\"slices\": 11}, \"attach\": {\"first\": {\"rigid_body\": \"upper\"}, \"last\": {\"rigid_body\": \"lower\"}}},"
        "{\"kind\": \"muscle\", \"name\": \"triceps\", \"fusiform\": {\"from\": [0, -0.03, -0.034], "
        "\"through\": [[0, -0.13, -0.045]], \"to\": [0, -0.285, -0.042], \"radius\": 0.025, \"rods\": 5, "
        "\"slices\": 11}, \"attach\": {\"first\": {\"rigid_body\": \"upper\"}, \"last\": {\"rigid_body\": "
        "\"lower\"}}}],"
        "\"activation\": [{\"body\": \"biceps\", \"interpolation\": \"smooth\", \"keys\": ["
        "{\"t\": 0.1, \"value\": 0}, {\"t\": %g, \"value\": 0.8}]}]}",
        0.1 + seconds, 0.1 + seconds);
    return scene_world(text, scene);
}

// The farthest that an end of a muscle is from where its bone takes it.
static double worst_end(const sn_scene *scene, const sn_world *world) {
    double worst = 0;
    for (int m = 0; m < scene->muscle_count; m++) {
        const scene_muscle *muscle = &scene->muscles[m];
        const int n = scene_muscle_rig(muscle->body)->slice_count;
        for (int i = 0; i < 2 * muscle->body->ids_per_copy; i++) {
            sn_vec3 position, centres[32];
            sn_quat q;
            int point;
            const sn_body rod = scene_find_point(scene, muscle->body, muscle->copy, i / 2 * n, &point);
            if (muscle->ride[i % 2] < 0) continue;
            sn_body_get_points(world, rod, centres, 32);
            sn_rigid_get_pose(world, scene->rigid_bodies[muscle->ride[i % 2]], &position, &q);
            // v + 2 w (u x v) + 2 u x (u x v)
            const sn_vec3 v = muscle->at[i], c = {q.y * v.z - q.z * v.y, q.z * v.x - q.x * v.z, q.x * v.y - q.y * v.x};
            const sn_vec3 to = {position.x + v.x + 2 * (q.w * c.x + q.y * c.z - q.z * c.y),
                                position.y + v.y + 2 * (q.w * c.y + q.z * c.x - q.x * c.z),
                                position.z + v.z + 2 * (q.w * c.z + q.x * c.y - q.y * c.x)};
            const sn_vec3 is = centres[i % 2 ? n - 1 : 0];
            worst = fmax(worst, (double)(fabsf(is.x - to.x) + fabsf(is.y - to.y) + fabsf(is.z - to.z)));
        }
    }
    return worst;
}

TEST(muscles_stay_on_their_bones_at_three_times_the_speed) {
    for (int speed = 1; speed <= 3; speed += 2) {
        sn_scene *scene;
        sn_world *world = elbow(1.2 / speed, &scene);
        REQUIRE(world != NULL);
        double off = 0, low = 1, high = 1;
        for (int i = 0; i < 90 / speed + 60; i++) {
            scene_step(scene, world);
            off = fmax(off, worst_end(scene, world));
            for (int m = 0; m < 2; m++) {
                low = fmin(low, volume(scene, world, m));
                high = fmax(high, volume(scene, world, m));
            }
        }
        CHECK(off < 2e-6);
        CHECK(low > 0.9 && high < 1.1);
        scene_end(scene, world);
    }
}

TEST(the_biceps_swells_when_the_elbow_bends_and_the_triceps_thins) {
    sn_scene *scene;
    sn_world *world = elbow(1, &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 1.5);
    CHECK(section(scene, world, 0, 5).scale > 1.08f);
    CHECK(section(scene, world, 1, 5).scale < 0.97f);
    scene_end(scene, world);
}

TEST(muscles_collide_with_each_other_and_not_with_themselves) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"substeps\": 4, \"bodies\": [{" SPINDLE ", \"attach\": {\"first\": {}, \"last\": "
                                  "{}}}, {" SPINDLE ", \"position\": [0, 0.08, 0]}]}",
                                  &scene);
    REQUIRE(world != NULL);
    int between = 0, within = 0;
    for (int i = 0; i < 30; i++) {
        scene_step(scene, world);
        sn_contact contacts[256];
        const int n = sn_world_get_contacts(world, contacts, 256);
        for (int k = 0; k < n && k < 256; k++) {
            const bool same = sn_body_label(world, contacts[k].body_a) == sn_body_label(world, contacts[k].body_b);
            between += !same, within += same;
        }
    }
    CHECK(between > 0);
    CHECK_INT(within, 0);
    scene_end(scene, world);
}

TEST(points_of_a_muscle_are_numbered_rod_after_rod) {
    sn_scene *scene;
    sn_world *world = scene_world(
        "{" NO_GRAVITY "\"bodies\": [{\"kind\": \"muscle\", \"name\": \"m\", \"repeat\": {\"count\": [2, 1, 1], "
        "\"spacing\": [1, 0, 0]}, \"rods\": ["
        "{\"points\": [[0, 0, 0], [0, 0.1, 0], [0, 0.2, 0]], \"radius\": 0.01},"
        "{\"points\": [[0.02, 0, 0], [0.02, 0.1, 0], [0.02, 0.2, 0]], \"radii\": [0.01, 0.012, 0.01]}],"
        "\"attach\": {\"first\": {}, \"last\": {}}}],"
        "\"motion\": [{\"body\": \"m\", \"copy\": 1, \"point\": 3, \"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}, "
        "{\"t\": 0.1, \"offset\": [0, -0.01, 0]}]}],"
        "\"release\": [{\"body\": \"m\", \"copy\": 0, \"points\": [2, 5], \"t\": 0}]}",
        &scene);
    REQUIRE(world != NULL);
    CHECK_INT(scene->body_count, 2);
    CHECK_INT(scene->id_count, 4);
    CHECK_INT(scene->point_count, 12);
    CHECK_INT(sn_world_bundle_count(world), 2);
    scene_run(scene, world, 0.2);
    sn_vec3 at[3];
    sn_body_get_points(world, scene->ids[3], at, 3); // copy 1, rod 1
    CHECK_NEAR(at[0].x, 1.02, 1e-6);
    CHECK_NEAR(at[0].y, -0.01, 1e-6);
    sn_body_get_points(world, scene->ids[2], at, 3);
    CHECK_NEAR(at[0].y, 0, 1e-6);
    for (int rod = 0; rod < 4; rod++) {
        CHECK_INT(sn_rod_held(world, scene->ids[rod], 0), SN_HOLD_CENTRE);
        CHECK_INT(sn_rod_held(world, scene->ids[rod], 2), rod < 2 ? SN_HOLD_NONE : SN_HOLD_CENTRE);
    }
    scene_end(scene, world);
}

TEST(copies_of_a_muscle_follow_copies_of_a_rigid_body) {
    sn_scene *scene;
    sn_world *world = scene_world("{" NO_GRAVITY "\"bodies\": [{" SPINDLE ", \"repeat\": {\"count\": [1, 2, 1], "
                                  "\"spacing\": [0, 1, 0]}, \"attach\": {\"first\": {}, \"last\": {\"rigid_body\": "
                                  "\"bone\"}}}, {" SPINDLE ", \"position\": [0, 3, 0], \"attach\": {\"last\": "
                                  "{\"rigid_body\": \"bone\", \"copy\": 1}}}], \"rigid_bodies\": [{\"plane\": true, "
                                  "\"position\": [0, -9, 0]}, {\"name\": \"bone\", \"sphere\": {\"radius\": 0.01}, "
                                  "\"position\": [0.3, 0, 0], \"repeat\": {\"count\": [1, 2, 1], \"spacing\": "
                                  "[0, 1, 0]}, \"motion\": {\"keys\": [{\"t\": 0, \"offset\": [0, 0, 0]}, {\"t\": "
                                  "0.2, \"offset\": [0.02, 0, 0]}]}}]}",
                                  &scene);
    REQUIRE(world != NULL);
    CHECK_INT(scene->muscles[0].ride[0], -1);
    CHECK_INT(scene->muscles[0].ride[1], 1);
    CHECK_INT(scene->muscles[1].ride[1], 2);
    CHECK_INT(scene->muscles[2].ride[1], 2);
    scene_run(scene, world, 0.3);
    CHECK(worst_end(scene, world) < 2e-6);
    CHECK_NEAR(section(scene, world, 1, 10).centre.x, 0.17, 1e-4);
    scene_end(scene, world);
}

TEST(a_baked_run_with_muscles_is_the_scenes_bit_for_bit) {
    sn_scene *scene, *other;
    tool_error error = {0};
    sn_world *world = elbow(0.4, &scene), *unused = elbow(0.4, &other);
    REQUIRE(world && unused);
    sn_world_destroy(unused);
    other->spec.duration = 0.5;
    packed_page baked = {0};
    session *at = NULL;
    REQUIRE(page_pack(other, other->body_count, &baked, &error));
    REQUIRE(session_open(baked.bytes, baked.size, NULL, &at) == SN_OK);
    for (int i = 0; i < 30; i++) {
        scene_step(scene, world);
        const uint32_t one[2] = {3, 1};
        CHECK_INT(session_message(at, one, sizeof one), SN_OK);
        CHECK_INT(session_advance(at, 0, 1e9), 1);
        if (!CHECK(sn_world_hash(world) == sn_world_hash(session_world(at)))) break;
    }
    session_close(at);
    free(baked.bytes);
    scene_free(other);
    scene_end(scene, world);
}

// A flexor in front of the upper arm and another between it and the bone, as they are modelled: in each other, in the bone,
// and with their ends in the forearm.
#define FLEXORS                                                                                                        \
    "\"rigid_bodies\": [{\"name\": \"upper\", \"pill\": {\"to\": [0, -0.3, 0], \"radius\": 0.012}}, {\"name\": "       \
    "\"lower\", \"pill\": {\"to\": [0, -0.25, 0], \"radius\": 0.012}, \"position\": [0, -0.33, 0], \"motion\": "       \
    "{\"interpolation\": \"smooth\", \"keys\": [{\"t\": 0.5, \"rotation\": {\"axis\": [1, 0, 0], \"degrees\": 0}}, "   \
    "{\"t\": 1.5, \"rotation\": {\"axis\": [1, 0, 0], \"degrees\": -80}}]}}], \"bodies\": [{\"kind\": \"muscle\", "    \
    "\"name\": \"front\", \"fusiform\": {\"from\": [0, 0, 0.02], \"through\": [[0, -0.18, 0.045]], \"to\": [0, "       \
    "-0.38, 0.01], \"radius\": 0.022}, \"attach\": {\"first\": {\"rigid_body\": \"upper\"}, \"last\": "                \
    "{\"rigid_body\": "                                                                                                \
    "\"lower\"}}}, {\"kind\": \"muscle\", \"name\": \"deep\", \"fusiform\": {\"from\": [0, -0.1, 0.008], "             \
    "\"through\": [[0, -0.2, 0.02]], \"to\": [0, -0.37, 0.008], \"radius\": 0.02}, \"attach\": {\"first\": "           \
    "{\"rigid_body\": "                                                                                                \
    "\"upper\"}, \"last\": {\"rigid_body\": \"lower\"}}}], \"activation\": [{\"body\": \"front\", \"keys\": [{\"t\": " \
    "0.5, "                                                                                                            \
    "\"value\": 0}, {\"t\": 1.5, \"value\": 0.8}]}, {\"body\": \"deep\", \"keys\": [{\"t\": 0.5, \"value\": 0}, "      \
    "{\"t\": 1.5, \"value\": 0.8}]}]"

TEST(muscles_that_lie_in_each_other_and_in_bones_rest_and_flex_quietly) {
    sn_scene *scene;
    sn_world *world = scene_world("{\"gravity\": [0, 0, 0], \"substeps\": 8, " FLEXORS "}", &scene);
    REQUIRE(world != NULL);
    scene_run(scene, world, 0.4);
    const sn_energy rest = sn_world_energy(world);
    CHECK(rest.kinetic + rest.elastic < 1e-6);
    double most = 0;
    while ((double)sn_world_step_count(world) * scene->spec.step < 2) {
        scene_step(scene, world);
        most = fmax(most, sn_world_energy(world).kinetic + sn_world_energy(world).elastic);
    }
    CHECK(most < 1);
    for (int i = 0; i < 2; i++) CHECK_NEAR(volume(scene, world, i), 1, 0.06);
    scene_end(scene, world);
}

// --- rigs ---

// Two rods of three points, and a skin of one tetrahedron.
#define RIG                                                                                                            \
    "{\"sinew\": \"muscle\", \"version\": 1, \"name\": \"x\", \"volume\": 1e-4, \"rods\": ["                           \
    "{\"points\": [[0, 0, 0], [0, 0.1, 0], [0, 0.2, 0]], \"radii\": [0.01, 0.012, 0.01]},\n"                           \
    "{\"points\": [[0.02, 0, 0], [0.02, 0.1, 0], [0.02, 0.2, 0]], \"radii\": [0.01, 0.012, 0.01]}],\n"                 \
    "\"skin\": {\"vertices\": [[0, 0, 0], [0.05, 0.05, 0], [0, 0.1, 0.05], [0, 0.2, 0]], \"triangles\": [[0, 1, 2], "  \
    "[0, 3, 1], [0, 2, 3], [1, 3, 2]], \"sections\": [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0]], "       \
    "\"weights\": [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]}}"

TEST(rigs_are_read_as_they_were_written) {
    tool_error error;
    muscle_rig rig;
    REQUIRE(muscle_rig_parse("x.rig.json", RIG, strlen(RIG), &rig, &error));
    CHECK_INT(rig.rod_count, 2);
    CHECK_INT(rig.slice_count, 3);
    CHECK_NEAR(rig.points[5][1], 0.2, 0);
    CHECK_NEAR(rig.points[3][0], 0.02, 0);
    CHECK_NEAR(rig.radii[4], 0.012, 0);
    CHECK_INT(rig.skin.vertex_count, 4);
    CHECK_INT(rig.skin.joint[1][1], 1);
    CHECK_NEAR(rig.skin.weight[1][1], 0.5, 0);
    CHECK(rig.skin.normal != NULL);
    muscle_rig_free(&rig);
}

TEST(damaged_rigs_are_refused_with_the_place) {
    static const struct {
        const char *from, *to, *wanted;
    } cases[] = {
        {"\"muscle\"", "\"bone\"", "x.rig.json:1:1: is not a muscle rig: it must start with \"sinew\": \"muscle\""},
        {"\"version\": 1", "\"version\": 2", "x.rig.json:1:1: \"version\" must be 1"},
        {"[0.02, 0.1, 0], ", "", "x.rig.json:2:12: rods[1].points: needs \"points\", 3 as the first rod has"},
        {"[0, 0.1, 0]", "[0, \"a\", 0]", "x.rig.json:1:100: rods[0].points[1][1]: must be a number from"},
        {"0.012", "0", "rods[0].radii[1]: must be a number from 1e-09"},
        {"[2, 0, 0, 0]", "[3, 0, 0, 0]", "skin.sections[3][0]: must be a number from 0 to 2"},
        {"[0, 1, 0, 0]", "[0, 0.5, 0, 0]", "skin.sections[1]: must be numbers of cross-sections, 0 to 2"},
        {"[0.5, 0.5, 0, 0]", "[0, 0, 0, 0]", "skin.weights[1]: must not all be 0"},
        {"[1, 3, 2]", "[1, 4, 2]", "skin.triangles[3][1]: must be a number from 0 to 3"},
        {"\"triangles\"", "\"faces\"", "skin: needs \"vertices\", as many \"sections\""},
        {"\"rods\"", "\"rod\"", "\"rods\" must be a list of 1 to 1000 rods"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tool_error error = {0};
        char text[2048];
        const char *at = strstr(RIG, cases[i].from);
        REQUIRE(at != NULL);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - RIG), RIG, cases[i].to, at + strlen(cases[i].from));
        muscle_rig rig;
        CHECK(!muscle_rig_parse("x.rig.json", text, strlen(text), &rig, &error));
        if (!CHECK(strstr(error.text, cases[i].wanted) != NULL)) fprintf(stderr, "said:   %s\n", error.text);
        CHECK(rig.points == NULL && rig.skin.position == NULL);
    }
}

static void write_text(const char *name, const char *text, size_t size) {
    FILE *out = fopen(name, "wb");
    if (!CHECK(out != NULL)) return;
    CHECK(fwrite(text, 1, size, out) == size);
    fclose(out);
}

TEST(a_rig_beside_the_scene_becomes_a_body_on_its_cross_sections) {
    char folder[] = "/tmp/sinew-test-XXXXXX", rig[64], file[64];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(rig, sizeof rig, "%s/x.rig.json", folder);
    snprintf(file, sizeof file, "%s/scene.json", folder);
    static const char text[] = "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"muscle\", \"name\": \"x\", \"rig\": "
                               "\"x.rig.json\", \"position\": [1, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], "
                               "\"degrees\": 90}, \"scale\": 2, \"repeat\": {\"count\": [1, 2, 1], \"spacing\": "
                               "[0, 1, 0]}}]}";
    write_text(rig, RIG, strlen(RIG));
    write_text(file, text, strlen(text));
    sn_scene *scene = scene_read(file, &disk_files);
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    REQUIRE(scene && scene_build(scene, &def, &world) == SN_OK);
    scene_view *view = scene_view_new(scene, world, true, NULL);
    REQUIRE(view != NULL);
    const view_frame *frame = scene_view_read(view, world, 0);
    const view_model *model = scene_view_model(view);
    REQUIRE(frame);
    REQUIRE(model->body_count == 2 && model->mesh_count == 1);
    CHECK_INT(model->meshes[0].joint_count, 3);
    CHECK_STRING(model->bodies[1].name, "x-1");
    float positions[4][3];
    CHECK(view_body_vertices(model, frame, 1, positions, NULL));
    CHECK_NEAR(positions[3][0], 1 - 0.4, 1e-5); // (0, 0.2, 0), twice as large, a quarter turn, moved by (1, 1, 0)
    CHECK_NEAR(positions[3][1], 1, 1e-5);
    scene_view_free(view);
    view = scene_view_new(scene, world, false, NULL);
    REQUIRE(view != NULL);
    CHECK_INT(scene_view_model(view)->body_count, 4); // pills: the rods
    scene_view_free(view);
    scene_end(scene, world);
    unlink(rig);
    unlink(file);
    rmdir(folder);
}

// --- skeletons ---

TEST(bones_follow_the_joints_of_a_file) {
    char folder[] = "/tmp/sinew-test-XXXXXX", rig[64], file[64], text[1024];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(rig, sizeof rig, "%s/rig.glb", folder);
    snprintf(file, sizeof file, "%s/scene.json", folder);
    bytes b = as_rig_glb();
    write_text(rig, (const char *)b.at, b.size);
    bytes_free(&b);
    snprintf(text, sizeof text,
             "{\"step\": 0.25, \"gravity\": [0, 0, 0], \"bodies\": [{" SPINDLE ", \"scale\": 0.1, \"attach\": "
             "{\"last\": {\"rigid_body\": \"base\"}}}], \"skeletons\": [{\"file\": \"rig.glb\", \"clip\": \"move\", "
             "\"scale\": 0.1, \"position\": [0, 0, 1], \"bones\": [{\"joint\": \"base\", \"fit\": true}, "
             "{\"joint\": \"tip\", \"name\": \"end\", \"pills\": [{\"to\": [0, 1, 0], \"radius\": 0.1}, "
             "{\"to\": [1, 0, 0], \"radii\": [0.1, 0.2]}]}]}]}");
    write_text(file, text, strlen(text));
    sn_scene *scene = scene_read(file, &disk_files);
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    const sn_status status = scene ? scene_build(scene, &def, &world) : SN_ERR_MEMORY;
    if (scene) errors_print(&scene->errors, stderr);
    REQUIRE(status == SN_OK);
    CHECK_INT(sn_world_kind_count(world, SN_KIND_RIGID), 3);
    int copies;
    CHECK_INT(scene_find_rigid(scene, "end", &copies), 1);
    // The root turns x to -z and is at (5, 6, 7); the base slides from (0, 0, 0) to (1, 2, 3) within the first second.
    sn_vec3 at;
    sn_quat turn;
    sn_rigid_get_pose(world, scene->rigid_bodies[0], &at, &turn);
    CHECK_NEAR(at.x, 0.5, 1e-6);
    CHECK_NEAR(at.z, 1.7, 1e-6);
    CHECK_NEAR(fabsf(turn.y), sqrt(0.5), 1e-6);
    scene_run(scene, world, 0.5);
    sn_rigid_get_pose(world, scene->rigid_bodies[0], &at, &turn);
    CHECK_NEAR(at.x, 0.5 + 0.15, 1e-5); // 0.1 (5 + 1.5): z of the base is x of the world
    CHECK_NEAR(at.y, 0.6 + 0.1, 1e-5);
    CHECK_NEAR(at.z, 1.7 - 0.05, 1e-5);
    CHECK(worst_end(scene, world) < 2e-6);
    scene_end(scene, world);
    unlink(rig);
    unlink(file);
    rmdir(folder);
}

// --- errors ---

TEST(errors_of_muscles_are_told_with_their_place) {
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"{\"bodies\": [{\"kind\": \"muscle\"}]}",
         "x.json:1:13: error: bodies[0]: needs exactly one of \"rig\", \"fusiform\", \"fan\" and \"rods\"\n"},
        {"{\"bodies\": [{\"kind\": \"muscle\", \"rig\": \"/none/at all\"}]}",
         "x.json:1:39: error: bodies[0].rig: cannot be read: /none/at all: "},
        {"{\"bodies\": [{\"kind\": \"muscle\", \"fusiform\": {\"from\": [1, 0, 0], \"to\": [1, 0, 0], \"radius\": "
         "1}}]}",
         "bodies[0].fusiform.to: coincides with the point before\n"},
        {"{\"bodies\": [{\"kind\": \"muscle\", \"fan\": {\"from\": [[1, 0, 0], [1, 0, 0]], \"to\": [[1, 1, 0], [2, 0, "
         "0]]}}]}",
         "bodies[0].fan.from: needs two different points\n"},
        {"{\"bodies\": [{\"kind\": \"muscle\", \"rods\": [{\"points\": [[0, 0, 0], [0, 1, 0]], \"radius\": 0.1}, "
         "{\"points\": [[0, 0, 0], [0, 1, 0], [0, 2, 0]], \"radius\": 0.1}]}]}",
         "bodies[0].rods[1].points: must be as many as those of the first rod, 2, are 3\n"},
        {"{\"bodies\": [{\"kind\": \"muscle\", \"rods\": [{\"points\": [[0, 0, 0], [0, 1, 0]]}]}]}",
         "bodies[0].rods[0]: needs one of \"radius\" and \"radii\"\n"},
        {"{\"bodies\": [{" SPINDLE ", \"activate\": {\"from\": 0.5, \"to\": 0.2}}]}",
         "bodies[0].activate.to: \"to\" must be at least \"from\", 0.5, is 0.2\n"},
        {"{\"bodies\": [{" SPINDLE ", \"attach\": {\"last\": {\"rigid_body\": \"bone\"}}}]}",
         "bodies[0].attach.last.rigid_body: no rigid body is called \"bone\"\n"},
        {"{\"rigid_bodies\": [{\"name\": \"ball\", \"sphere\": {\"radius\": 1}}, {\"name\": \"forearm\", \"sphere\": "
         "{\"radius\": 1}}], "
         "\"bodies\": [{" SPINDLE ", \"attach\": {\"last\": {\"rigid_body\": \"forarm\"}}}]}",
         "bodies[0].attach.last.rigid_body: no rigid body is called \"forarm\"; did you mean \"forearm\"?\n"},
        {"{\"bodies\": [{" SPINDLE ", \"attach\": {\"first\": {\"copy\": 1}}}]}",
         "bodies[0].attach.first.copy: needs \"rigid_body\"\n"},
        {"{\"bodies\": [{" SPINDLE ", \"name\": \"m\"}], \"activation\": [{\"body\": \"m\", \"keys\": [{\"t\": 0, "
         "\"length\": 1}]}]}",
         "activation[0].keys[0]: needs \"value\", from 0 to 1, because the body is a muscle\n"},
        {"{\"bodies\": [{" SPINDLE ", \"name\": \"m\"}], \"activation\": [{\"body\": \"m\", \"point\": 1, \"keys\": "
         "[{\"t\": 0, \"value\": 1}]}]}",
         "activation[0].point: a muscle is activated as a whole\n"},
        {"{\"bodies\": [{\"kind\": \"rod\", \"name\": \"r\", \"line\": {\"to\": [1, 0, 0], \"segments\": 2}}], "
         "\"activation\": [{\"body\": \"r\", \"keys\": [{\"t\": 0, \"value\": 1}]}]}",
         "activation[0].keys[0]: \"value\" is for muscles; a rod's segments have \"length\" and \"bend\"\n"},
        {"{\"bodies\": [{" SPINDLE ", \"name\": \"m\"}], \"activation\": [{\"body\": \"m\", \"keys\": [{\"t\": 0, "
         "\"value\": 1.5}]}]}",
         "activation[0].keys[0].value: must be at most 1, is 1.5"},
        {"{\"bodies\": [{\"kind\": \"muscle\", \"fusiform\": {\"from\": [1, 0, 0], \"to\": [0, 0, 0], \"radius\": 1, "
         "\"rods\": 1000, \"slices\": 1000}, \"repeat\": {\"count\": [1000, 1, 1], \"spacing\": [1, 1, 1]}}]}",
         "bodies[0]: has 1000000000 points; the limit of a scene is 4000000 points\n"},
        {"{\"bodies\": [{" SPINDLE "}], \"skeletons\": [{\"file\": \"/none.glb\", \"bones\": [{\"joint\": \"a\", "
         "\"fit\": true}]}]}",
         "skeletons[0].file: cannot be read: /none.glb"},
        {"{\"bodies\": [{" SPINDLE
         ", \"skin\": 3, \"surface\": {\"friction_static\": 0.1, \"friction_dynamic\": 0.2}}]}",
         "bodies[0].skin: must be true or false, is 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *said = scene_complaints(cases[i].text, strlen(cases[i].text));
        if (!CHECK(said && strstr(said, cases[i].wanted)))
            fprintf(stderr, "text:   %s\nsaid:   %swanted: %s\n", cases[i].text, said ? said : "", cases[i].wanted);
        free(said);
    }
}
