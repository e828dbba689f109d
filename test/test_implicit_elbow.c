// links: tools
// An implicit skin on a bending limb: it stays on its level, does not go through itself where skinning does, keeps its
// volume, and comes back to rest.
#include "implicit_limb.h"
#include "reference/implicit_project.h"
#include "skin/implicit/implicit_internal.h"
#include "test.h"

// Vertices that are off their levels. Tracking does not look at rows that it takes for good; here all are evaluated.
static int off_level(limb *l) {
    sn_implicit_options options = sn_implicit_options_default();
    const sn_implicit_frame frame = {l->rig, l->state, NULL, &options};
    int off = 0;
    options.newton = 0;
    for (int row = 0; row < l->rig->rows; row++) {
        l->state->converged[row] = 0;
        l->rig->kernels->settle(&frame, row, true);
        off += l->state->row_missed[row];
    }
    return off;
}

// Bends from one angle to another, 3 degrees a frame.
static void bend(limb *l, double from, double to, sn_implicit_report *report) {
    const int frames = (int)(fabs(to - from) / 3 + 0.5);
    for (int i = 1; i <= frames; i++) {
        sn_transform poses[2];
        limb_pose(&l->shape, from + (to - from) * i / frames, poses);
        if (!CHECK(sn_implicit_track(l->state, poses, NULL, NULL, NULL, l->points, report) == SN_OK)) return;
    }
}

static double volume(limb *l) {
    limb_shown(l, l->points, &l->mesh);
    return sn_mesh_volume(&l->mesh);
}

// What skinning alone does there.
static void skinned(limb *l, double degrees, sn_implicit_start start, sn_vec3 *points) {
    sn_transform poses[2];
    sn_implicit_state *state;
    limb_pose(&l->shape, degrees, poses);
    if (!CHECK(sn_implicit_state_create(&l->memory, l->rig, &state) == SN_OK)) return;
    CHECK(sn_implicit_reset(state, poses, start) == SN_OK);
    sn_implicit_get_points(state, points);
    sn_implicit_state_destroy(state);
}

TEST(a_bent_limb_has_self_contact_and_does_not_cross) {
    limb l;
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    const double radius = plain_limb.radius, rest = sn_mesh_volume(&l.mesh);
    const int count = l.model.def.count;
    sn_vec3 *other = malloc((size_t)count * sizeof *other);
    sn_implicit_report report;
    REQUIRE(other);

    bend(&l, 0, 90, &report);
    CHECK(off_level(&l) <= count / 100);
    CHECK_INT(limb_crossings(&l, l.points), 0);
    CHECK(limb_depth(&l, l.points, 90) < 0.001 * radius);
    CHECK(report.contacts > 20);
    CHECK(volume(&l) > 0.98 * rest);
    for (int start = SN_START_LINEAR; start <= SN_START_DUAL; start++) { // why all of this
        skinned(&l, 90, (sn_implicit_start)start, other);
        CHECK(limb_crossings(&l, other) > 20);
        CHECK(limb_depth(&l, other, 90) > 0.1 * radius);
    }

    bend(&l, 90, 120, &report);
    CHECK(off_level(&l) <= count / 100);
    CHECK_INT(limb_crossings(&l, l.points), 0);
    CHECK(limb_depth(&l, l.points, 120) < 0.01 * radius);
    CHECK(volume(&l) > 0.95 * rest);

    bend(&l, 120, 135, &report);
    skinned(&l, 135, SN_START_DUAL, other); // beyond what elbows do: not worse than skinning
    CHECK(limb_depth(&l, l.points, 135) <= limb_depth(&l, other, 135));
    CHECK(limb_crossings(&l, l.points) <= limb_crossings(&l, other));
    free(other);
    limb_free(&l);
}

// Shapes that nothing was tuned on.
TEST(other_limbs_do_not_cross_either) {
    const limb_shape shapes[] = {{0.05, 1, 0.25, 0.03, 32, 69},
                                 {0.035, 1, 0.25, 0.1, 32, 69},
                                 {0.07, 1, 0.25, 0.1, 32, 69},
                                 {0.06, 0.7, 0.25, 0.1, 32, 69}};
    for (int i = 0; i < 4; i++) {
        limb l;
        sn_implicit_report report;
        REQUIRE(limb_make(&l, &shapes[i], NULL, 0));
        bend(&l, 0, 90, &report);
        CHECK_INT(limb_crossings(&l, l.points), 0);
        CHECK(off_level(&l) <= l.model.def.count / 100);
        limb_free(&l);
    }
}

TEST(folded_and_unfolded_it_comes_back) {
    limb l;
    sn_transform poses[2];
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    bend(&l, 0, 150, NULL);
    bend(&l, 150, 0, NULL);
    limb_pose(&l.shape, 0, poses);
    for (int i = 0; i < 60; i++) sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL);
    double most = 0;
    for (int i = 0; i < l.model.def.count; i++)
        most = fmax(most, (double)sn_length(sn_sub(l.points[i], l.model.def.points[i])));
    CHECK(most < 0.0005);
    limb_free(&l);
}

// The first frame in a pose is the last one, and the way there does not matter.
TEST(a_bend_is_settled_at_once) {
    limb l, way;
    sn_transform poses[2];
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0) && limb_make(&way, &plain_limb, NULL, 0));
    limb_pose(&l.shape, 120, poses);
    CHECK(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL) == SN_OK);
    CHECK_INT(limb_crossings(&l, l.points), 0);
    CHECK(off_level(&l) <= l.model.def.count / 100);
    bend(&way, 0, 150, NULL);
    bend(&way, 150, 120, NULL);
    double most = 0;
    for (int i = 0; i < l.model.def.count; i++)
        most = fmax(most, (double)sn_length(sn_sub(l.points[i], way.points[i])));
    CHECK(most < 1e-5);
    limb_free(&l);
    limb_free(&way);
}

// What was in contact and jumps apart, farther than a frame of a film goes: the skin is where it would be without the fold.
TEST(a_fold_that_opens_at_once_leaves_nothing_behind) {
    limb l, fresh;
    sn_transform poses[2];
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0) && limb_make(&fresh, &plain_limb, NULL, 0));
    for (int degrees = -60; degrees <= 60; degrees += 30) {
        limb_pose(&l.shape, 150, poses);
        REQUIRE(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL) == SN_OK);
        limb_pose(&l.shape, degrees, poses);
        REQUIRE(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL) == SN_OK);
        sn_implicit_reset(fresh.state, poses, SN_START_DUAL);
        REQUIRE(sn_implicit_track(fresh.state, poses, NULL, NULL, NULL, fresh.points, NULL) == SN_OK);
        double most = 0;
        for (int i = 0; i < l.model.def.count; i++)
            most = fmax(most, (double)sn_length(sn_sub(l.points[i], fresh.points[i])));
        CHECK(most < 1e-5);
    }
    limb_free(&l);
    limb_free(&fresh);
}

TEST(the_method_of_2013_needs_no_frame_before) {
    limb l;
    sn_transform poses[2];
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    const int count = l.model.def.count;
    sn_vec3 *again = malloc((size_t)count * sizeof *again), *start = malloc((size_t)count * sizeof *start);
    REQUIRE(again && start);
    const double rest = sn_mesh_volume(&l.mesh);
    limb_pose(&l.shape, 60, poses);
    CHECK(implicit_project(l.state, poses, NULL, SN_START_DUAL, NULL, l.points) == SN_OK);
    skinned(&l, 60, SN_START_DUAL, start);
    CHECK(limb_depth(&l, l.points, 60) < 0.6 * limb_depth(&l, start, 60)); // better than where it started
    CHECK_NEAR(volume(&l) / rest, 1, 0.02);
    bend(&l, 60, 90, NULL); // another history, the same result
    CHECK(implicit_project(l.state, poses, NULL, SN_START_DUAL, NULL, again) == SN_OK);
    CHECK(memcmp(again, l.points, (size_t)count * sizeof *again) != 0); // l.points is of 90 degrees now
    CHECK(implicit_project(l.state, poses, NULL, SN_START_DUAL, NULL, l.points) == SN_OK);
    CHECK(memcmp(again, l.points, (size_t)count * sizeof *again) == 0);
    free(again);
    free(start);
    limb_free(&l);
}

// A button inside of the elbow: a part of its own that follows the upper arm alone. The fold presses on it, and it stays as it is.
TEST(a_part_that_follows_one_bone_stays_rigid) {
    enum { CORNERS = 6, FACES = 8 };
    static const int faces[FACES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                        {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    const limb_shape *s = &plain_limb;
    limb l;
    sn_mesh bare, mesh;
    sn_rig_bone bones[2];
    tool_error error = {0};
    sn_transform poses[2];
    memset(&l, 0, sizeof l);
    sn_memory_init(&l.memory, &(sn_allocator){0});
    limb_bones(s, bones);
    REQUIRE(limb_mesh(s, &bare));
    const int n = bare.vertex_count, t = bare.triangle_count;
    REQUIRE(sn_mesh_alloc(&mesh, n + CORNERS, t + FACES, MESH_SKIN));
    memcpy(mesh.position, bare.position, (size_t)n * sizeof *mesh.position);
    memcpy(mesh.joint, bare.joint, (size_t)n * sizeof *mesh.joint);
    memcpy(mesh.weight, bare.weight, (size_t)n * sizeof *mesh.weight);
    memcpy(mesh.triangle, bare.triangle, (size_t)t * sizeof *mesh.triangle);
    for (int i = 0; i < CORNERS; i++) {
        for (int k = 0; k < 3; k++) mesh.position[n + i][k] = (k == i / 2) * (i % 2 ? -0.01f : 0.01f);
        mesh.position[n + i][0] -= 0.03f, mesh.position[n + i][1] += 0.055f;
        memset(mesh.joint[n + i], 0, sizeof *mesh.joint);
        for (int k = 0; k < 4; k++) mesh.weight[n + i][k] = k == 0;
    }
    for (int i = 0; i < FACES; i++)
        for (int k = 0; k < 3; k++) mesh.triangle[t + i][k] = n + faces[i][k];
    REQUIRE(sn_rig_make(&mesh, bones, 2, NULL, &l.model, &error));
    CHECK_INT(l.model.rigid_vertices, CORNERS);
    l.points = malloc((size_t)l.model.def.count * sizeof *l.points);
    REQUIRE(l.points && sn_implicit_rig_create(&l.memory, &(sn_log){0}, &l.model.def, &l.rig) == SN_OK &&
            sn_implicit_state_create(&l.memory, l.rig, &l.state) == SN_OK);
    limb_pose(s, 120, poses);
    CHECK(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL) == SN_OK);
    double button = 0, skin = 0;
    for (int v = 0; v < n + CORNERS; v++) {
        const float *rest = mesh.position[v];
        const sn_vec3 p = l.points[l.model.vertex_index[v]];
        const double moved = fabs((double)p.x - (double)rest[0]) + fabs((double)p.y - (double)rest[1]) +
                             fabs((double)p.z - (double)rest[2]);
        if (v >= n) button = fmax(button, moved);
        if (v < n && mesh.weight[v][0] == 1) skin = fmax(skin, moved);
    }
    CHECK(button < 1e-6);
    CHECK(skin > 0.005); // which the fold has pressed
    limb_free(&l);
    sn_mesh_free(&bare);
    sn_mesh_free(&mesh);
}

// Bound in a fold, with its skin in contact: that is how it is meant, whatever its triangles look like.
TEST(contact_in_the_bind_pose_moves_nothing) {
    limb l, folded;
    sn_rig_bone bones[2];
    sn_transform poses[2];
    tool_error error = {0};
    REQUIRE(limb_make(&l, &plain_limb, NULL, 0));
    memset(&folded, 0, sizeof folded);
    sn_memory_init(&folded.memory, &(sn_allocator){0});
    for (int degrees = 60; degrees <= 150; degrees += 30) {
        limb_pose(&l.shape, degrees, poses);
        REQUIRE(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL) == SN_OK);
        limb_shown(&l, l.points, &l.mesh);
        for (int v = 0; v < l.mesh.vertex_count; v += 7) l.mesh.position[v][0] += 0.002f; // slivers
        limb_bones(&l.shape, bones);
        for (int b = 0; b < 2; b++) bones[b].rest = poses[b];
        const sn_vec3 tip = sn_transform_point(&poses[1], sn_v3((sn_real)l.shape.length, 0, 0));
        bones[1].tail[0] = (double)tip.x, bones[1].tail[1] = (double)tip.y, bones[1].tail[2] = (double)tip.z;
        REQUIRE(sn_rig_make(&l.mesh, bones, 2, NULL, &folded.model, &error));
        folded.points = malloc((size_t)folded.model.def.count * sizeof *folded.points);
        REQUIRE(folded.points &&
                sn_implicit_rig_create(&folded.memory, &(sn_log){0}, &folded.model.def, &folded.rig) == SN_OK &&
                sn_implicit_state_create(&folded.memory, folded.rig, &folded.state) == SN_OK);
        CHECK(sn_implicit_track(folded.state, poses, NULL, NULL, NULL, folded.points, NULL) == SN_OK);
        double most = 0;
        for (int i = 0; i < folded.model.def.count; i++)
            most = fmax(most, (double)sn_length(sn_sub(folded.points[i], folded.model.def.points[i])));
        CHECK_NEAR(most, 0, 1e-7);
        sn_implicit_state_destroy(folded.state);
        sn_implicit_rig_destroy(folded.rig);
        sn_rig_free(&folded.model);
        free(folded.points);
    }
    limb_free(&l);
}
