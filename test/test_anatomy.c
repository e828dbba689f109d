// Names of bones and muscles say what they are; joints are read from surfaces: a ball in a cup turns about its centre, a
// roller in a trough about its axis, and bones in the way stop it.
// links: tools
#include "bake/anatomy_names.h"
#include "bake/joint_fit.h"
#include "test.h"
#include "zoo/distance_fields.h"
#include "zoo/isosurface.h"
#include <stdio.h>
#include <string.h>

static void check_name(const char *file, const char *name, const char *number) {
    char out[96], digits[32];
    anatomy_clean_name(file, out, sizeof out, digits);
    if (!CHECK(strcmp(out, name) == 0)) printf("%s, not %s\n", out, name);
    if (!CHECK(strcmp(digits, number) == 0)) printf("%s, not %s\n", digits, number);
}

TEST(names_come_from_files) {
    check_name("/atlas/FMA37668_right_brachialis.stl", "right brachialis", "FMA37668");
    check_name("FMA37668.stl", "", "FMA37668");
    check_name("BP45-humeral_head of right \"extensor\".obj", "humeral head of right extensor", "BP45");
    check_name("biceps-long.obj", "biceps long", "");
    check_name("L5 vertebra.obj", "vertebra", "L5");
}

TEST(names_say_what_a_surface_is) {
    bool known;
    CHECK_INT(anatomy_kind_of("right humerus", &known), ANATOMY_BONE);
    CHECK(known);
    CHECK_INT(anatomy_kind_of("right extensor carpi radialis longus", &known), ANATOMY_MUSCLE);
    CHECK_INT(anatomy_kind_of("long head of right biceps femoris", &known), ANATOMY_MUSCLE);
    CHECK_INT(anatomy_kind_of("interosseous membrane of right leg", &known), ANATOMY_OTHER);
    CHECK_INT(anatomy_kind_of("left fifth costal cartilage", &known), ANATOMY_OTHER);
    CHECK_INT(anatomy_kind_of("thing", &known), ANATOMY_MUSCLE);
    CHECK(!known);
    CHECK_INT(anatomy_side_of("long head of right biceps"), 'r');
    CHECK_INT(anatomy_side_of("bright light"), 0);
    CHECK_NEAR(anatomy_length_of("left femur"), 0.44, 1e-9);
    CHECK(anatomy_rank_of("hip bone") < anatomy_rank_of("femur"));
    CHECK(anatomy_rank_of("femur") < anatomy_rank_of("tibia"));
    REQUIRE(anatomy_joint_of("right femur", "right tibia"));
    CHECK_INT(anatomy_joint_of("right femur", "right tibia")->kind, JOINT_HINGE);
    CHECK(anatomy_is_flexor(anatomy_joint_of("right femur", "right tibia"), "long head of right biceps femoris"));
    CHECK(!anatomy_is_flexor(anatomy_joint_of("right femur", "right tibia"), "right rectus femoris"));
    CHECK_INT(anatomy_joint_of("right capitate", "right hamate")->kind, JOINT_FIXED);
    CHECK(!anatomy_joint_of("right humerus", "right femur"));
}

// ---- joints

// A roller of radius 2 cm along z, of half this length, or a ball if it is 0; and a shell around its lower half with a
// gap of 1 mm.
typedef struct {
    double half_length;
    bool shell;
} joint_form;

static double form_field(const void *context, const double p[3]) {
    const joint_form *form = context;
    const zoo_pill pill = {{0, 0, -form->half_length}, 0.02, {0, 0, form->half_length}, 0.02};
    const double d = zoo_pill_distance(&pill, p);
    if (!form->shell) return d;
    const double ends = form->half_length > 0 ? fabs(p[2]) - form->half_length + 0.004 : -1; // leaves the caps free
    return fmax(fmax(fmax(d - 0.009, 0.001 - d), p[1] + 0.001), ends);
}

static bool make_bone(const joint_form *form, sn_mesh *mesh, joint_bone *out) {
    const double reach = form->half_length + 0.036;
    const zoo_iso iso = {.field = form_field,
                         .context = form,
                         .low = {-0.036, -0.036, -reach},
                         .high = {0.036, 0.036, reach},
                         .cell = 0.002,
                         .smoothing_passes = 3};
    if (!zoo_isosurface(&iso, mesh) || !sn_mesh_make_normals(mesh)) return false;
    *out = (joint_bone){mesh, sn_mesh_query_build(mesh), sn_winding_make(mesh)};
    return out->query && out->winding;
}

static void free_bone(sn_mesh *mesh, joint_bone *bone) {
    sn_mesh_query_free((sn_mesh_query *)bone->query);
    sn_winding_free((sn_winding *)bone->winding);
    sn_mesh_free(mesh);
}

TEST(a_ball_in_a_cup_is_a_ball_joint) {
    const joint_form forms[2] = {{0, false}, {0, true}};
    sn_mesh mesh[2];
    joint_bone bone[2];
    joint_fit fit;
    REQUIRE(make_bone(&forms[0], &mesh[0], &bone[0]) && make_bone(&forms[1], &mesh[1], &bone[1]));
    REQUIRE(joint_fit_surfaces(&bone[0], &bone[1], 0.004, &fit));
    CHECK_NEAR(fit.gap, 0.001, 0.0005);
    for (int k = 0; k < 3; k++) CHECK_NEAR(fit.centre[k], 0, 0.001);
    CHECK(fit.roundness > 0.6);
    CHECK(!joint_fit_surfaces(&bone[0], &bone[1], 0.0001, &fit)); // nothing is that near
    CHECK_INT(fit.contacts, 0);
    for (int i = 0; i < 2; i++) free_bone(&mesh[i], &bone[i]);
}

TEST(a_roller_in_a_trough_is_a_hinge) {
    const joint_form forms[2] = {{0.04, false}, {0.04, true}};
    sn_mesh mesh[2];
    joint_bone bone[2];
    joint_fit fit;
    for (int i = 0; i < 2; i++) REQUIRE(make_bone(&forms[i], &mesh[i], &bone[i]));
    REQUIRE(joint_fit_surfaces(&bone[0], &bone[1], 0.004, &fit));
    CHECK_NEAR(fabs(fit.axis[2]), 1, 0.01);
    CHECK_NEAR(fit.centre[0], 0, 0.001);
    CHECK_NEAR(fit.centre[1], 0, 0.001);
    CHECK(fit.roundness < 0.4);
    const double centre[3] = {0, 0, 0}, z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    CHECK_NEAR(joint_range(&bone[0], &bone[1], centre, z, 1, 120, 0.05), 120, 1e-9); // it slides around
    CHECK_NEAR(joint_range(&bone[0], &bone[1], centre, z, -1, 120, 0.05), 120, 1e-9);
    CHECK(joint_range(&bone[0], &bone[1], centre, x, 1, 120, 0.05) < 45); // but does not tilt
    for (int i = 0; i < 2; i++) free_bone(&mesh[i], &bone[i]);
}
