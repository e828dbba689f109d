// links: tools
// The public calls of libsinew-tools: meshes, baking and assets through files and back, and errors in words. Scenes and
// captures are tried by examples/scene_to_glb.c (install_consumer.sh) as well.
#include "sinew/tools/tools.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A box around the origin, twice as long along x; triangle 0 may be missing.
static sn_mesh *make_box(float size, bool open) {
    float at[8][3];
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int i = 0; i < 8; i++) {
        at[i][0] = (i & 1 ? 1 : -1) * size;
        at[i][1] = (i & 2 ? 0.5f : -0.5f) * size;
        at[i][2] = (i & 4 ? 0.5f : -0.5f) * size;
    }
    sn_mesh *mesh = NULL;
    sn_error error;
    if (!CHECK_INT(sn_mesh_create(at[0], 8, faces[open], open ? 11 : 12, &mesh, &error), SN_OK)) puts(error.text);
    return mesh;
}

static void path_of(char out[64], const char *folder, const char *name) {
    snprintf(out, 64, "%s/%s", folder, name);
}

TEST(meshes_are_repaired_and_come_back_from_files) {
    char folder[] = "/tmp/sinew-tools-XXXXXX", path[64];
    REQUIRE(mkdtemp(folder) != NULL);
    sn_error error;
    sn_mesh *mesh = make_box(1, true), *repaired = NULL, *again = NULL;
    sn_mesh_repair_def def = sn_mesh_repair_def_default();
    sn_mesh_repair_report report;
    REQUIRE(mesh != NULL);
    CHECK_INT(sn_mesh_repair(mesh, &def, &repaired, &report, &error), SN_OK);
    CHECK(report.closed && report.filled == 1 && report.holes == 0 && report.components == 1);
    CHECK_INT(sn_mesh_triangle_count(repaired), 12);
    CHECK(fabs(sn_mesh_volume(repaired) - 2) < 1e-6 && fabs(sn_mesh_area(repaired) - 10) < 1e-6);

    path_of(path, folder, "box.obj");
    CHECK_INT(sn_mesh_write(repaired, path, &error), SN_OK);
    CHECK_INT(sn_mesh_read(path, 0.5, &again, &error), SN_OK);
    CHECK_INT(sn_mesh_vertex_count(again), 8);
    CHECK(fabs(sn_mesh_volume(again) - 0.25) < 1e-6);
    sn_vec3 points[8];
    int triangles[36];
    CHECK_INT(sn_mesh_get_positions(again, points, 8), 8);
    CHECK_INT(sn_mesh_get_triangles(again, triangles, 12), 12);
    for (int i = 0; i < 8; i++) CHECK(fabs((double)points[i].x) == 0.5);
    for (int i = 0; i < 36; i++) CHECK(triangles[i] >= 0 && triangles[i] < 8);
    unlink(path);
    rmdir(folder);

    def.fill_edges = -1;
    sn_mesh *none = mesh;
    CHECK_INT(sn_mesh_repair(mesh, &def, &none, NULL, &error), SN_ERR_DEF);
    CHECK(none == NULL && strstr(error.text, "fill_edges"));
    def = (sn_mesh_repair_def){0};
    CHECK_INT(sn_mesh_repair(mesh, &def, &none, NULL, NULL), SN_ERR_DEF);
    CHECK_INT(sn_mesh_read("/nonexistent/box.obj", 1, &none, &error), SN_ERR_FILE);
    CHECK(none == NULL && strstr(error.text, "/nonexistent/box.obj") == error.text);
    CHECK_INT(sn_mesh_write(mesh, "/nonexistent/box.obj", &error), SN_ERR_FILE);
    CHECK_INT(sn_mesh_write(mesh, "box.stl", &error), SN_ERR_RANGE);
    const float one[3] = {0, 0, 0};
    const int bad[3] = {0, 0, 1};
    CHECK_INT(sn_mesh_create(one, 1, bad, 1, &none, &error), SN_ERR_RANGE);
    sn_mesh_destroy(mesh), sn_mesh_destroy(repaired), sn_mesh_destroy(again), sn_mesh_destroy(NULL);
}

TEST(elastic_bodies_are_baked_and_come_back_from_files) {
    char folder[] = "/tmp/sinew-tools-XXXXXX", path[64];
    REQUIRE(mkdtemp(folder) != NULL);
    sn_error error;
    sn_mesh *mesh = make_box(0.2f, false);
    sn_elastic_bake_def def = sn_elastic_bake_def_default();
    const char *anchors[1] = {"plane:x<-0.15"};
    def.tets = 500, def.spheres = 4, def.anchors = anchors, def.anchor_count = 1;
    sn_elastic_model *model = NULL, *again = NULL;
    if (!CHECK_INT(sn_elastic_model_bake(mesh, &def, &model, &error), SN_OK)) puts(error.text);
    path_of(path, folder, "box.elastic");
    CHECK_INT(sn_elastic_model_write(model, path, &error), SN_OK);
    CHECK_INT(sn_elastic_model_read(path, NULL, &again, &error), SN_OK);
    REQUIRE(model && again);
    CHECK(sn_elastic_model_asset(again)->anchored != NULL);
    CHECK_INT(sn_elastic_model_save(again, NULL, 0), sn_elastic_model_save(model, NULL, 0));
    CHECK_INT(sn_elastic_model_destroy(again), SN_OK);
    CHECK_INT(truncate(path, 200), 0);
    CHECK_INT(sn_elastic_model_read(path, NULL, &again, &error), SN_ERR_FORMAT);
    CHECK(again == NULL && strstr(error.text, "box.elastic: error: offset 16: "));
    CHECK_INT(sn_implicit_model_read(path, NULL, &(sn_implicit_model *){NULL}, &error), SN_ERR_FORMAT);
    unlink(path);
    rmdir(folder);
    anchors[0] = "somewhere";
    CHECK_INT(sn_elastic_model_bake(mesh, &def, &again, &error), SN_ERR_DEF);
    CHECK(strstr(error.text, "anchors[0]: ") == error.text);
    CHECK_INT(sn_elastic_model_destroy(model), SN_OK);
    sn_mesh_destroy(mesh);
}

TEST(muscles_are_baked_and_come_back_from_files) {
    char folder[] = "/tmp/sinew-tools-XXXXXX", path[64];
    REQUIRE(mkdtemp(folder) != NULL);
    sn_error error;
    sn_mesh *mesh = make_box(0.1f, false);
    sn_muscle_bake_def def = sn_muscle_bake_def_default();
    sn_muscle_rig *rig = NULL, *again = NULL;
    def.rods = 3, def.slices = 6, def.planes = true;
    if (!CHECK_INT(sn_muscle_rig_bake(mesh, "block", &def, &rig, &error), SN_OK)) puts(error.text);
    path_of(path, folder, "block.rig.json");
    CHECK_INT(sn_muscle_rig_write(rig, path, &error), SN_OK);
    CHECK_INT(sn_muscle_rig_read(path, &again, &error), SN_OK);
    CHECK_INT(sn_muscle_rig_rod_count(again), 3);
    CHECK_INT(sn_muscle_rig_slice_count(again), 6);
    sn_vec3 points[6];
    sn_real radii[6];
    CHECK_INT(sn_muscle_rig_get_points(again, 2, points, 6), 6);
    CHECK_INT(sn_muscle_rig_get_radii(again, 2, radii, 6), 6);
    CHECK_INT(sn_muscle_rig_get_radii(again, 3, radii, 6), 0);
    for (int i = 0; i < 6; i++) CHECK(radii[i] > 0 && fabs((double)points[i].x) < 0.11);
    CHECK(sn_mesh_vertex_count(sn_muscle_rig_skin(again)) > 0);
    unlink(path);
    rmdir(folder);
    sn_muscle_rig_destroy(again);
    CHECK_INT(sn_muscle_rig_parse("x.rig.json", "{ \"rods\": 1 }", 13, &again, &error), SN_ERR_FORMAT);
    CHECK(again == NULL && strstr(error.text, "x.rig.json:") == error.text);
    def.rods = 0;
    CHECK_INT(sn_muscle_rig_bake(mesh, "block", &def, &again, &error), SN_ERR_DEF);
    CHECK(strstr(error.text, "rods: ") == error.text);
    sn_muscle_rig_destroy(rig);
    sn_mesh_destroy(mesh);
}

TEST(scenes_are_stepped_and_their_bodies_have_names) {
    static const char text[] =
        "{\"bodies\": [{\"kind\": \"rod\", \"name\": \"arm\", \"line\": {\"from\": [0, 1, 0], \"to\": "
        "[1, 1, 0], \"segments\": 4}, \"radius\": 0.02}]}";
    sn_error error;
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    char name[64];
    if (!CHECK_INT(sn_scene_parse("x.json", text, sizeof text - 1, NULL, NULL, &scene, &error), SN_OK))
        puts(error.text);
    REQUIRE(scene != NULL);
    CHECK(sn_scene_step_length(scene) > 0 && sn_scene_substeps(scene) == 0 && sn_scene_step_count(scene) > 1);
    CHECK_INT(sn_scene_build(scene, NULL, &world, &error), SN_OK);
    const sn_body arm = sn_scene_find_body(scene, world, "arm", 0);
    CHECK(sn_body_exists(world, arm) && sn_body_point_count(world, arm) == 5);
    CHECK(!sn_body_exists(world, sn_scene_find_body(scene, world, "leg", 0)));
    CHECK(!sn_body_exists(world, sn_scene_find_body(scene, world, "arm", 1)));
    CHECK(sn_scene_body_name(scene, world, arm, name, sizeof name) && strstr(name, "\"arm\""));
    for (int i = 0; i < 10; i++) CHECK_INT(sn_scene_step(scene, world, &error), SN_OK);
    CHECK_INT(sn_world_step_count(world), 10);
    sn_capture *capture = NULL;
    CHECK_INT(sn_capture_create(scene, NULL, &capture, &error), SN_OK);
    CHECK_INT(sn_capture_add_file(capture, "x.doc", &error), SN_ERR_DEF);
    CHECK_INT(sn_capture_add_file(capture, "/nonexistent/x.glb", &error), SN_ERR_FILE);
    sn_capture_destroy(capture);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    CHECK_INT(sn_scene_load("/nonexistent/x.json", NULL, NULL, &scene, &error), SN_ERR_FILE);
    CHECK_INT(sn_scene_parse("x.json", "{\"bodys\": []}", 13, NULL, NULL, &scene, &error), SN_ERR_FORMAT);
    CHECK(scene == NULL);
    CHECK_STRING(error.text, "x.json:1:2: error: bodys: unknown key; did you mean \"bodies\"?");
}

TEST(surfaces_are_filled_and_have_an_axis) {
    char folder[] = "/tmp/sinew-tools-XXXXXX", path[64];
    REQUIRE(mkdtemp(folder) != NULL);
    sn_error error;
    sn_mesh *mesh = make_box(0.5f, false); // 1 x 0.5 x 0.5
    sn_tets_def def = sn_tets_def_default();
    sn_tets *tets = NULL, *again = NULL;
    def.tets = 3000;
    if (!CHECK_INT(sn_tets_fill(mesh, &def, &tets, &error), SN_OK)) puts(error.text);
    const int count = sn_tets_tet_count(tets), vertices = sn_tets_vertex_count(tets);
    CHECK(count > 1000 && count < 9000 && fabs(sn_tets_volume(tets) / 0.25 - 1) < 0.01);
    sn_vec3 *at = calloc((size_t)vertices + 1, sizeof *at);
    int(*corner)[4] = calloc((size_t)count + 1, sizeof *corner);
    REQUIRE(at && corner);
    CHECK_INT(sn_tets_get_positions(tets, at, vertices), vertices);
    CHECK_INT(sn_tets_get_tets(tets, corner[0], count), count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) CHECK(corner[i][k] >= 0 && corner[i][k] < vertices);
    for (int i = 0; i < vertices; i++) CHECK(fabs((double)at[i].x) < 0.501 && fabs((double)at[i].y) < 0.251);
    CHECK(corner[count][0] == 0 && at[vertices].x == 0); // nothing behind the capacity
    path_of(path, folder, "box.msh");
    CHECK_INT(sn_tets_write(tets, path, &error), SN_OK);
    CHECK_INT(sn_tets_read(path, &again, &error), SN_OK);
    CHECK_INT(sn_tets_tet_count(again), count);
    CHECK(sn_tets_volume(again) == sn_tets_volume(tets));
    unlink(path);
    CHECK_INT(sn_tets_write(tets, "box.stl", &error), SN_ERR_RANGE);
    sn_tets_destroy(again);
    CHECK_INT(sn_tets_read("/nonexistent/box.msh", &again, &error), SN_ERR_FILE);
    def.spacing = -1;
    CHECK_INT(sn_tets_fill(mesh, &def, &again, &error), SN_ERR_DEF);
    CHECK(again == NULL && strstr(error.text, "spacing"));
    free(at), free(corner);

    sn_medial_def medial_def = sn_medial_def_default();
    sn_medial *medial = NULL, *same = NULL;
    medial_def.spheres = 20;
    if (!CHECK_INT(sn_medial_create(mesh, &medial_def, &medial, &error), SN_OK)) puts(error.text);
    const int spheres = sn_medial_sphere_count(medial);
    CHECK(spheres > 3 && spheres <= 20 && sn_medial_cone_count(medial) >= spheres - 1);
    sn_vec3 centres[20];
    sn_real radii[20];
    CHECK_INT(sn_medial_get_centres(medial, centres, 20), spheres);
    CHECK_INT(sn_medial_get_radii(medial, radii, 20), spheres);
    for (int i = 0; i < spheres && i < 20; i++) // the middle of a sphere is at least its radius deep
        CHECK(sn_medial_distance(medial, centres[i]) <= -(double)radii[i] * (1 - 1e-5));
    CHECK(sn_medial_distance(medial, (sn_vec3){2.5f, 0, 0}) > 1.5 && sn_medial_distance(medial, (sn_vec3){0}) < -0.2);
    path_of(path, folder, "box.ma");
    CHECK_INT(sn_medial_write(medial, path, &error), SN_OK);
    CHECK_INT(sn_medial_read(path, &same, &error), SN_OK);
    CHECK_INT(sn_medial_sphere_count(same), spheres);
    CHECK_INT(sn_medial_slab_count(same), sn_medial_slab_count(medial));
    unlink(path);
    rmdir(folder);
    sn_medial_destroy(same);
    medial_def.spheres = 0;
    CHECK_INT(sn_medial_create(mesh, &medial_def, &same, &error), SN_ERR_DEF);
    CHECK_INT(sn_medial_create(mesh, &(sn_medial_def){0}, &same, NULL), SN_ERR_DEF);
    sn_tets_destroy(tets), sn_medial_destroy(medial), sn_tets_destroy(NULL), sn_medial_destroy(NULL);
    sn_mesh_destroy(mesh);
}
