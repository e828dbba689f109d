// links: tools
// Characters of the zoo: closed meshes with weights, muscles that stay valid in every motion, consistent poses.
#include "formats/body_glb.h"
#include "formats/mesh_file.h"
#include "formats/mesh_pose.h"
#include "test.h"
#include "zoo/body_internal.h"
#include <math.h>
#include <stdlib.h>

enum { MAX_BONES = 64 };

// Every edge occurs once in each direction.
static bool is_closed(const sn_mesh *mesh) {
    const int edges = 3 * mesh->triangle_count, slots = 4 * edges;
    int(*table)[2] = malloc((size_t)slots * sizeof *table);
    int *count = calloc((size_t)slots, sizeof *count);
    bool good = table && count;
    for (int pass = 0; pass < 2 && good; pass++)
        for (int e = 0; e < edges && good; e++) {
            const int *t = mesh->triangle[e / 3], a = t[e % 3], b = t[(e + 1) % 3];
            const int from = pass ? b : a, to = pass ? a : b;
            unsigned at = ((unsigned)from * 2654435761u ^ (unsigned)to * 40503u) % (unsigned)slots;
            while (count[at] && (table[at][0] != from || table[at][1] != to)) at = (at + 1) % (unsigned)slots;
            table[at][0] = from, table[at][1] = to;
            good = pass ? count[at] == 1 : ++count[at] == 1; // then: its twin
        }
    free(table);
    free(count);
    return good;
}

static void check_body(zoo_body_kind kind, int vertices, zoo_body *body) {
    CHECK(zoo_body_make(kind, vertices, body));
    const sn_mesh *mesh = &body->mesh;
    if (vertices) CHECK_NEAR((double)mesh->vertex_count / vertices, 1, 0.05);
    CHECK(is_closed(mesh));
    CHECK(sn_mesh_volume(mesh) > 0);
    CHECK_INT(mesh->triangle_count, 2 * mesh->vertex_count - 4); // a topological sphere in one piece
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            sum += (double)mesh->weight[v][k];
            if (mesh->joint[v][k] < 0 || mesh->joint[v][k] >= body->bone_count || mesh->weight[v][k] < 0) sum = -1e9;
            if (k && mesh->weight[v][k] > mesh->weight[v][k - 1]) sum = -1e9; // in descending order
        }
        if (!CHECK_NEAR(sum, 1, 1e-5)) return;
    }
    for (int b = 0; b < body->bone_count; b++) CHECK(body->bones[b].parent < b);
}

TEST(body_is_a_closed_figure_with_fifty_muscles) {
    zoo_body body;
    check_body(ZOO_BODY, 6500, &body);
    CHECK_INT(body.bone_count, 17);
    CHECK_INT(body.muscle_count, 50);
    float low[3], high[3];
    sn_mesh_box(&body.mesh, low, high);
    CHECK_NEAR(low[1], 0, 0.012);
    CHECK_NEAR(high[1], 1.78, 0.02);
    CHECK_NEAR(low[0], -high[0], 0.01); // the same on both sides
    const double volume = sn_mesh_volume(&body.mesh);
    CHECK(volume > 0.045 && volume < 0.085); // of a person
    for (int m = 0; m < body.muscle_count; m += 2) {
        const sn_implicit_muscle_def *left = &body.muscles[m].def, *right = &body.muscles[m + 1].def;
        CHECK_NEAR(left->end[0].x, -right->end[0].x, 1e-6);
        CHECK_NEAR(left->end[1].y, right->end[1].y, 1e-6);
    }
    // Muscles are assigned to the expected bones.
    static const char *const shown[][2] = {{"biceps-left", "upper-arm-left"},
                                           {"pectoral-middle-right", "chest"},
                                           {"rectus-femoris-left", "thigh-left"},
                                           {"gastrocnemius-inner-right", "shin-right"},
                                           {"wrist-flexor-left", "forearm-left"}};
    for (int i = 0; i < 5; i++)
        for (int m = 0; m < body.muscle_count; m++)
            if (strcmp(body.muscles[m].name, shown[i][0]) == 0)
                CHECK_STRING(body.bones[body.muscles[m].skin_bone].name, shown[i][1]);
    zoo_body_free(&body);
}

TEST(limb_and_elbow) {
    zoo_body body;
    check_body(ZOO_LIMB, 0, &body);
    CHECK_INT(body.bone_count, 3);
    CHECK_INT(body.muscle_count, 4);
    CHECK(body.mesh.vertex_count >= 2000);
    zoo_body_free(&body);
    check_body(ZOO_ELBOW, 0, &body);
    CHECK_INT(body.bone_count, 2);
    // A tube of 50 mm with round ends.
    const double exact = 3.14159265 * 0.0025 * (0.6 + 0.05 * 4 / 3);
    CHECK_NEAR(sn_mesh_volume(&body.mesh) / exact, 1, 0.02);
    zoo_body_free(&body);
}

TEST(numbers_out_of_range_are_refused) {
    zoo_body body;
    CHECK(!zoo_body_make(ZOO_BODY, 100, &body));
    CHECK(!body.bones && !body.mesh.position);
    CHECK(!zoo_body_make(ZOO_LIMB, ZOO_BODY_MAX_VERTICES + 1, &body));
    zoo_body_free(&body);
    CHECK_INT(zoo_body_find("nobody"), -1);
    CHECK_INT(zoo_motion_find("fly"), -1);
    for (int i = 0; i < ZOO_BODY_KINDS; i++) CHECK_INT(zoo_body_find(zoo_body_name(i)), i);
    for (int i = 0; i < ZOO_MOTION_KINDS; i++) CHECK_INT(zoo_motion_find(zoo_motion_name(i)), i);
}

TEST(presets_are_found_by_what_a_name_begins_with) {
    sn_implicit_muscle_def plain, exact;
    CHECK(zoo_muscle_preset("biceps-left", &plain));
    CHECK(plain.volume > (sn_real)100e-6 && plain.volume < (sn_real)400e-6);
    CHECK(zoo_muscle_preset("triceps-lateral-right", &plain));
    CHECK(zoo_muscle_preset("triceps-long-right", &exact));
    CHECK(exact.volume != plain.volume);
    for (int i = 0; i < 5; i++) {
        static const char *const names[5] = {"deltoid", "quadriceps", "gastrocnemius", "pectoral", "latissimus"};
        CHECK(zoo_muscle_preset(names[i], &plain));
    }
    CHECK(!zoo_muscle_preset("bicepsy", &plain));
    CHECK(!zoo_muscle_preset("", &plain));
}

// --- motions ---

static double length(sn_vec3 a, sn_vec3 b) {
    return (double)sn_length(sn_sub(a, b));
}

// Bones stay connected, nothing jumps, and motions are periodic.
TEST(motions_keep_bones_together_and_do_not_jump) {
    zoo_body body = {0};
    REQUIRE(zoo_body_assemble(&body)); // without its mesh
    for (int motion = 0; motion < ZOO_MOTION_KINDS; motion++) {
        sn_transform now[MAX_BONES], before[MAX_BONES];
        const double end = zoo_motion_duration((zoo_motion)motion);
        zoo_body_pose(&body, (zoo_motion)motion, 0, before);
        for (int i = 1; i <= (int)(end * 240 + 0.5); i++) {
            zoo_body_pose(&body, (zoo_motion)motion, i / 240.0, now);
            for (int b = 0; b < body.bone_count; b++) {
                const int p = body.bones[b].parent;
                CHECK(length(now[b].position, before[b].position) < 10.0 / 240); // 10 m/s
                if (p < 0) continue;
                const double *x = body.bones[b].joint, *y = body.bones[p].joint;
                const double rest =
                    sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
                CHECK_NEAR(length(now[b].position, now[p].position), rest, 1e-5);
            }
            memcpy(before, now, sizeof now);
        }
        for (int m = 0; m < body.muscle_count; m += 7)
            for (int i = 0; i < 20; i++) {
                const double a = zoo_body_activation(&body, (zoo_motion)motion, end * i / 20, m);
                CHECK(a >= 0 && a <= 1);
            }
    }
    zoo_body_free(&body);
}

static int bone_of(const zoo_body *body, const char *name) {
    for (int b = 0; b < body->bone_count; b++)
        if (strcmp(body->bones[b].name, name) == 0) return b;
    return -1;
}

// In the air the root is in free fall and the feet are off the ground; before and after they stand on it.
TEST(the_jump_is_a_parabola_between_two_squats) {
    zoo_body body = {0};
    REQUIRE(zoo_body_assemble(&body)); // without its mesh
    sn_transform a[MAX_BONES], b[MAX_BONES], c[MAX_BONES];
    const double h = 0.02;
    zoo_body_pose(&body, ZOO_MOTION_JUMP, 1.08 - h, a);
    zoo_body_pose(&body, ZOO_MOTION_JUMP, 1.08, b);
    zoo_body_pose(&body, ZOO_MOTION_JUMP, 1.08 + h, c);
    CHECK_NEAR((double)(a[0].position.y - 2 * b[0].position.y + c[0].position.y) / (h * h), -9.81, 0.05);
    const int foot = bone_of(&body, "foot-left"), shin = bone_of(&body, "shin-left");
    CHECK((double)b[foot].position.y > 0.25);
    zoo_body_pose(&body, ZOO_MOTION_JUMP, 0, a);
    zoo_body_pose(&body, ZOO_MOTION_JUMP, 0.55, b);
    CHECK_NEAR(b[foot].position.y, a[foot].position.y, 0.01);
    CHECK_NEAR(b[foot].position.z, a[foot].position.z, 0.01);
    CHECK((double)b[0].position.y < (double)a[0].position.y - 0.2);
    CHECK((double)b[shin].position.z > (double)a[shin].position.z + 0.1); // knees to the front
    zoo_body_free(&body);
}

TEST(the_curl_brings_the_hand_up_by_130_degrees) {
    zoo_body body;
    REQUIRE(zoo_body_make(ZOO_LIMB, 800, &body));
    sn_transform at[MAX_BONES];
    double largest = 0;
    for (int i = 0; i <= 24; i++) {
        zoo_body_pose(&body, ZOO_MOTION_CURL, i * 0.1, at);
        const double *x = body.bones[2].joint, *y = body.bones[1].joint;
        const sn_vec3 rest = {(sn_real)(x[0] - y[0]), (sn_real)(x[1] - y[1]), (sn_real)(x[2] - y[2])};
        const sn_vec3 now = sn_sub(at[2].position, at[1].position);
        const double c = (double)(sn_dot(rest, now) / (sn_length(rest) * sn_length(now)));
        largest = fmax(largest, acos(fmin(1, c)) * 180 / 3.14159265);
        if (i == 11) CHECK(now.z > (sn_real)0.1); // to the front
    }
    CHECK_NEAR(largest, 130, 0.5);
    zoo_body_free(&body);
}

// Muscles of a limb in all of its motions: they keep their volume and stay out of the bones.
TEST(muscles_of_the_limb_hold_in_its_motions) {
    zoo_body body;
    REQUIRE(zoo_body_make(ZOO_LIMB, 800, &body));
    for (int motion = ZOO_MOTION_SHAKE; motion <= ZOO_MOTION_CURL; motion++) {
        sn_memory memory;
        sn_muscle_system *system;
        sn_transform poses[MAX_BONES];
        sn_memory_init(&memory, NULL);
        REQUIRE(zoo_body_muscles(&body, &memory, NULL, &system) == SN_OK);
        double deepest = 0, moved = 0;
        for (int i = 0; i < 144; i++) {
            const double t = i / 60.0;
            zoo_body_pose(&body, (zoo_motion)motion, t, poses);
            for (int m = 0; m < body.muscle_count; m++) {
                const double a = zoo_body_activation(&body, (zoo_motion)motion, t, m);
                CHECK_INT(sn_muscle_system_set_keys(system, m, (sn_implicit_muscle_keys){(sn_real)a, 1, -1}), SN_OK);
            }
            CHECK_INT(sn_muscle_system_step(system, (sn_real)(1.0 / 60), poses, NULL), SN_OK);
            deepest = fmax(deepest, (double)sn_muscle_system_get_report(system).penetration);
            for (int m = 0; m < body.muscle_count; m++) {
                const sn_muscle_spindle *shape = sn_muscle_system_get_spindle(system, m);
                CHECK_NEAR((double)sn_muscle_spindle_volume(shape) / (double)body.muscles[m].def.volume, 1, 1e-3);
                moved = fmax(moved, fabs((double)shape->axis[15].y - (double)poses[0].position.y));
            }
        }
        CHECK(deepest < 0.5e-3);
        CHECK(moved < 0.6); // nothing has diverged
        sn_muscle_system_destroy(system);
        CHECK_INT(memory.used_bytes, 0);
    }
    zoo_body_free(&body);
}

// The whole body jumps: all fifty muscles stay on it, and a repetition gives the same result.
TEST(muscles_of_the_body_hold_in_a_jump) { // once
    zoo_body body = {0};
    uint64_t hash[2] = {0};
    REQUIRE(zoo_body_assemble(&body)); // without its mesh
    for (int twice = 0; twice < 2; twice++) {
        sn_memory memory;
        sn_muscle_system *system;
        sn_transform poses[MAX_BONES];
        sn_memory_init(&memory, NULL);
        REQUIRE(zoo_body_muscles(&body, &memory, NULL, &system) == SN_OK);
        for (int i = 0; i < (twice ? 20 : 90); i++) {
            zoo_body_pose(&body, ZOO_MOTION_JUMP, i / 60.0, poses);
            CHECK_INT(sn_muscle_system_step(system, (sn_real)(1.0 / 60), poses, NULL), SN_OK);
            for (int m = 0; m < body.muscle_count; m++) {
                const sn_muscle_spindle *shape = sn_muscle_system_get_spindle(system, m);
                const double span = length(shape->axis[0], shape->axis[shape->points - 1]);
                if (!CHECK((double)shape->length < 2 * span)) return; // wrapped, not tangled
            }
            if (i == 19) hash[twice] = sn_muscle_system_hash(system, 1);
        }
        CHECK(sn_muscle_system_get_report(system).penetration < (sn_real)2.5e-3);
        sn_muscle_system_destroy(system);
    }
    CHECK(hash[0] == hash[1]);
    zoo_body_free(&body);
}

// --- glTF file ---

TEST(the_file_is_an_ordinary_character) {
    zoo_body body;
    REQUIRE(zoo_body_make(ZOO_LIMB, 0, &body));
    tool_error error;
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    REQUIRE(out != NULL);
    CHECK(body_write_glb(out, &body, 2, &error));
    fclose(out);
    mesh_file file;
    if (!CHECK(mesh_parse("limb.glb", bytes, size, NULL, &file, &error))) return;
    CHECK_INT(file.mesh_count, 1);
    CHECK_INT(file.skin_count, 1);
    CHECK_INT(file.skin[0].joint_count, body.bone_count);
    CHECK_INT(file.clip_count, 2); // it has no legs
    CHECK_STRING(file.clip[1].name, "biceps-curl");
    CHECK_INT(file.mesh[0].mesh.vertex_count, body.mesh.vertex_count);
    // Vertices in the middle of the curl at twice the size: by the file reader, and by linear blending with the poses
    // themselves.
    float(*world)[16] = calloc((size_t)file.node_count, sizeof *world);
    float(*at)[3] = calloc((size_t)body.mesh.vertex_count, sizeof *at);
    sn_transform rest[MAX_BONES], poses[MAX_BONES];
    zoo_body_rest_pose(&body, rest);
    zoo_body_pose(&body, ZOO_MOTION_CURL, 0.6, poses);
    mesh_pose(&file, &file.clip[1], 0.6, world);
    CHECK(mesh_pose_vertices(&file, &file.mesh[0], (const float(*)[16])world, at));
    double worst = 0;
    for (int v = 0; v < body.mesh.vertex_count; v++) {
        const float *x = body.mesh.position[v];
        sn_vec3 sum = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            const int b = body.mesh.joint[v][k];
            const sn_vec3 local = sn_sub(sn_v3(x[0], x[1], x[2]), rest[b].position);
            const sn_vec3 there = sn_add(poses[b].position, sn_q_rotate(poses[b].rotation, local));
            sum = sn_mul_add(sum, 2 * body.mesh.weight[v][k], there);
        }
        worst = fmax(worst, fmax(fabs((double)(sum.x - at[v][0])),
                                 fmax(fabs((double)(sum.y - at[v][1])), fabs((double)(sum.z - at[v][2])))));
    }
    CHECK(worst < 1e-5);
    free(world);
    free(at);
    mesh_file_free(&file);
    free(bytes);
    zoo_body_free(&body);
}
