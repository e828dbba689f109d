// links: tools
// Rigs from skinned meshes: the result for good ones, and the errors for bad ones.
#include "implicit_limb.h"
#include "test.h"

static const limb_shape small_limb = {0.05, 1, 0.25, 0.08, 16, 40};

// Makes a rig of a limb after spoiling it; returns whether it failed with this message.
typedef void spoil_fn(sn_mesh *mesh, sn_rig_bone *bones);
static bool refused(spoil_fn *spoil, const char *text) {
    sn_mesh mesh;
    sn_rig_bone bones[2];
    sn_rig_model model;
    tool_error error = {0};
    limb_bones(&small_limb, bones);
    if (!limb_mesh(&small_limb, &mesh)) return false;
    spoil(&mesh, bones);
    const bool created = sn_rig_make(&mesh, bones, 2, NULL, &model, &error);
    if (created) sn_rig_free(&model);
    sn_mesh_free(&mesh);
    if (strstr(error.text, text) == NULL) CHECK_STRING(error.text, text);
    return !created;
}

static void no_weights(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    memset(mesh->weight[7], 0, sizeof mesh->weight[7]);
}
static void no_skin(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    free(mesh->weight);
    mesh->weight = NULL;
}
static void negative(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    mesh->weight[3][1] = -0.5f;
}
static void nowhere(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    mesh->joint[5][0] = 9;
    mesh->weight[5][0] = 1;
}
static void not_finite(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    mesh->position[11][2] = NAN;
}
static void inside_out(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int swap = mesh->triangle[t][0];
        mesh->triangle[t][0] = mesh->triangle[t][1], mesh->triangle[t][1] = swap;
    }
}
static void circle(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)mesh;
    bones[0].parent = 1;
}
static void bent_quaternion(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)mesh;
    bones[1].rest.rotation = (sn_quat){1, 1, 1, 1};
}
static void wild_triangle(sn_mesh *mesh, sn_rig_bone *bones) {
    (void)bones;
    mesh->triangle[2][1] = mesh->vertex_count;
}

TEST(meshes_that_cannot_be_are_named) {
    CHECK(refused(no_weights, "vertex 7 of the mesh has no bone"));
    CHECK(refused(no_skin, "no skin weights"));
    CHECK(refused(negative, "vertex 3 of the mesh has weight -0.5"));
    CHECK(refused(nowhere, "vertex 5 of the mesh refers to bone 9; there are 2"));
    CHECK(refused(not_finite, "vertex 11 of the mesh is not finite"));
    CHECK(refused(inside_out, "inside out"));
    CHECK(refused(circle, "its own ancestor"));
    CHECK(refused(bent_quaternion, "not a unit quaternion"));
    CHECK(refused(wild_triangle, "triangle 2 of the mesh refers to vertex"));
}

// Coincident joints, as of dummies and twist bones: a bone of zero length gets its direction from its skin, and one
// without skin none.
TEST(joints_in_one_place_are_borne) {
    sn_mesh mesh;
    sn_rig_bone bones[4];
    sn_rig_model model;
    tool_error error = {0};
    memset(bones, 0, sizeof bones);
    REQUIRE(limb_mesh(&small_limb, &mesh));
    limb_bones(&small_limb, bones + 2); // after two ancestors without vertices
    bones[0].parent = -1, bones[1].parent = 0, bones[2].parent = 1, bones[3].parent = 2;
    bones[0].rest = bones[1].rest = bones[2].rest;
    bones[3].has_tail = false;
    for (int v = 0; v < mesh.vertex_count; v++) mesh.joint[v][0] = 2, mesh.joint[v][1] = 3;
    if (CHECK(sn_rig_make(&mesh, bones, 4, NULL, &model, &error))) {
        CHECK_INT(model.samples[model.rig_bone_of[0]], 0);
        CHECK_INT(model.samples[model.rig_bone_of[1]], 0);
        CHECK(model.samples[model.rig_bone_of[2]] >= 40 && model.samples[model.rig_bone_of[3]] >= 40);
        CHECK_INT(model.fieldless_vertices, 0);
        sn_memory memory;
        sn_implicit_rig *rig = NULL;
        sn_memory_init(&memory, &(sn_allocator){0});
        CHECK(sn_implicit_rig_create(&memory, &(sn_log){0}, &model.def, &rig) == SN_OK);
        sn_implicit_rig_destroy(rig);
        sn_rig_free(&model);
    }
    sn_mesh_free(&mesh);
}

TEST(bones_come_in_any_order) {
    sn_mesh mesh;
    sn_rig_bone bones[2], rotated[2];
    sn_rig_model model;
    tool_error error = {0};
    REQUIRE(limb_mesh(&small_limb, &mesh));
    limb_bones(&small_limb, bones);
    rotated[0] = bones[1], rotated[1] = bones[0];
    rotated[0].parent = 1;
    for (int v = 0; v < mesh.vertex_count; v++) mesh.joint[v][0] = 1, mesh.joint[v][1] = 0;
    if (CHECK(sn_rig_make(&mesh, rotated, 2, NULL, &model, &error))) {
        CHECK_INT(model.rig_bone_of[1], 0);
        CHECK_INT(model.source_bone_of[1], 0);
        CHECK_INT(model.def.bones[1].parent, 0);
        CHECK(model.def.bones[1].kind == SN_FOLD_ELBOW);
        for (int v = 0; v < mesh.vertex_count; v++)
            CHECK_INT(model.def.owners[model.vertex_index[v]], mesh.weight[v][1] > mesh.weight[v][0]);
        sn_rig_free(&model);
    }
    sn_mesh_free(&mesh);
}

// Texture seams duplicate vertices; the rig merges them and its surface has no cut.
TEST(seams_are_welded) {
    sn_mesh mesh, split;
    sn_rig_bone bones[2];
    sn_rig_model model;
    tool_error error = {0};
    limb_bones(&small_limb, bones);
    REQUIRE(limb_mesh(&small_limb, &mesh) &&
            sn_mesh_alloc(&split, 3 * mesh.triangle_count, mesh.triangle_count, MESH_SKIN));
    for (int t = 0; t < mesh.triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int from = mesh.triangle[t][k], to = 3 * t + k;
            memcpy(split.position[to], mesh.position[from], sizeof split.position[to]);
            memcpy(split.joint[to], mesh.joint[from], sizeof split.joint[to]);
            memcpy(split.weight[to], mesh.weight[from], sizeof split.weight[to]);
            split.triangle[t][k] = to;
        }
    if (CHECK(sn_rig_make(&split, bones, 2, NULL, &model, &error))) {
        CHECK_INT(model.def.count, mesh.vertex_count);
        for (int v = 0; v < model.def.count; v++) // a closed surface: all rings are closed
            CHECK(model.def.first_other[v + 1] - model.def.first_other[v] >= 4);
        sn_rig_free(&model);
    }
    sn_mesh_free(&mesh);
    sn_mesh_free(&split);
}

// Mean value coordinates reproduce the vertex on a flat surface; cotangents do on any.
TEST(rings_know_where_their_vertex_is) {
    limb l;
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    const sn_implicit_def *d = &l.model.def;
    int rings = 0;
    for (int v = 0; v < d->count; v++) {
        double sum = 0, along = 0;
        if (sn_abs(d->points[v].x) > (sn_real)0.2) continue;
        for (int k = d->first_other[v]; k < d->first_other[v + 1]; k++) {
            sum += (double)d->mean_values[k];
            along +=
                (double)(d->mean_values[k] * (d->points[d->others[k]].x - d->points[v].x)); // the tube is flat along x
            CHECK(d->cotangents[k] >= (sn_real)1e-3);
        }
        CHECK_NEAR(sum, 1, 1e-5);
        CHECK_NEAR(along, 0, 1e-4);
        rings++;
    }
    CHECK(rings > 100);
    limb_free(&l);
}

static int lines;
static void count_lines(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code;
    CHECK(field != NULL && text[0] != 0);
    lines++;
}

TEST(the_engine_checks_what_it_is_given) {
    limb l;
    sn_implicit_rig *rig = NULL;
    const sn_log log = {count_lines, NULL};
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    const size_t live = l.memory.used_bytes;
    for (int i = 0; i < 7; i++) {
        sn_implicit_def def = l.model.def;
        sn_implicit_bone bones[2] = {def.bones[0], def.bones[1]};
        sn_real(*weights)[SN_IMPLICIT_INFLUENCES] = malloc((size_t)def.count * sizeof *weights);
        int *others = malloc((size_t)def.first_other[def.count] * sizeof *others);
        REQUIRE(weights && others);
        memcpy(weights, def.weights, (size_t)def.count * sizeof *weights);
        memcpy(others, def.others, (size_t)def.first_other[def.count] * sizeof *others);
        def.bones = bones, def.others = others;
        def.weights = (const sn_real(*)[SN_IMPLICIT_INFLUENCES])weights;
        if (i == 0) bones[0].parent = 1;
        if (i == 1) bones[1].centre_count = def.centre_count + 1;
        if (i == 2) bones[1].reach = 0;
        if (i == 3) weights[4][0] = weights[4][1] = 0;
        if (i == 4) others[3] = def.count;
        if (i == 5) def.points = NULL;
        if (i == 6) def.lanes = 3;
        lines = 0;
        CHECK(sn_implicit_rig_create(&l.memory, &log, &def, &rig) == SN_ERR_DEF);
        CHECK(lines > 0 && rig == NULL);
        free(weights);
        free(others);
    }
    CHECK(l.memory.used_bytes == live);
    limb_free(&l);
}

static void compose(const sn_transform *pose, const double scale[3], float m[16]) {
    const sn_vec3 axes[3] = {sn_q_axis_x(pose->rotation), sn_q_axis_y(pose->rotation), sn_q_axis_z(pose->rotation)};
    memset(m, 0, 16 * sizeof *m);
    for (int c = 0; c < 3; c++) {
        m[c * 4] = (float)((double)axes[c].x * scale[c]), m[c * 4 + 1] = (float)((double)axes[c].y * scale[c]);
        m[c * 4 + 2] = (float)((double)axes[c].z * scale[c]);
    }
    m[12] = (float)pose->position.x, m[13] = (float)pose->position.y, m[14] = (float)pose->position.z, m[15] = 1;
}

TEST(matrices_become_poses_and_scales_are_refused) {
    const double one[3] = {1, 1, 1}, uneven[3] = {1, 1.3, 1}, hundred[3] = {100, 100, 100};
    const sn_transform motion = {{1, 2, 3},
                                 sn_q_normalize((sn_quat){(sn_real)0.1, (sn_real)-0.7, (sn_real)0.3, (sn_real)0.2})};
    const sn_transform rest = {{(sn_real)0.5, 0, 0}, {0, 0, 0, 1}};
    sn_transform pose;
    float m[16];
    tool_error error = {0};
    compose(&motion, one, m);
    CHECK(sn_rig_pose(&rest, m, &pose, &error));
    const sn_vec3 there = sn_add(motion.position, sn_q_rotate(motion.rotation, rest.position));
    CHECK(sn_length(sn_sub(pose.position, there)) < (sn_real)1e-5);
    CHECK(sn_abs(sn_q_dot(pose.rotation, motion.rotation)) > (sn_real)0.99999);
    compose(&motion, uneven, m);
    CHECK(!sn_rig_pose(&rest, m, &pose, &error));
    CHECK(strstr(error.text, "scaled by 1, 1.3, 1") != NULL);
    CHECK(!sn_rig_rest(m, &pose, &error));
    CHECK(strstr(error.text, "1.3") != NULL);
    compose(&motion, hundred, m); // files in centimetres: uniform scale
    CHECK(sn_rig_rest(m, &pose, &error));
    // x' = 100 R x + t is zero where the bone starts.
    const sn_vec3 zero = sn_add(sn_mul(100, sn_q_rotate(motion.rotation, pose.position)), motion.position);
    CHECK(sn_length(zero) < (sn_real)1e-4);
    m[0] = NAN;
    CHECK(!sn_rig_rest(m, &pose, &error));
    CHECK(sn_rig_kind("LeftForeArm") == SN_FOLD_ELBOW && sn_rig_kind("index_02_l") == SN_FOLD_FINGER &&
          sn_rig_kind("spine") == SN_FOLD_UNION);
}
