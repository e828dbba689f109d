// links: tools
// Tracking of implicit skins: what it promises whatever the shape: rest stays rest, rigid motion is rigid, the same
// bits for any workers and lanes, nothing allocated, bad poses refused; and muscles show.
// compilers: all
#include "base/hash.h"
#include "implicit_limb.h"
#include "kinds/implicit_muscle/muscle_spindle.h"
#include "reference/implicit_project.h"
#include "skin/implicit/implicit_internal.h"
#include "skin/implicit/implicit_muscles.h"
#include "test.h"

static const limb_shape small_limb = {0.05, 0.9, 0.25, 0.08, 20, 45};

static double farthest(const sn_vec3 *a, const sn_vec3 *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, (double)sn_length(sn_sub(a[i], b[i])));
    return most;
}

TEST(at_rest_nothing_moves) {
    limb l;
    sn_transform poses[2];
    sn_implicit_report report;
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    limb_pose(&l.shape, 0, poses);
    for (int i = 0; i < 30; i++) CHECK(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, &report) == SN_OK);
    CHECK(farthest(l.points, l.model.def.points, l.model.def.count) < 1e-6);
    CHECK_INT(report.tracked, 0); // all has been left alone by now
    limb_free(&l);
}

TEST(moved_as_a_whole_it_is_rigid_and_costs_nothing) {
    limb l;
    sn_transform poses[2];
    sn_implicit_report report;
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    const int count = l.model.def.count;
    sn_vec3 *bent = malloc((size_t)count * sizeof *bent);
    REQUIRE(bent);
    for (int i = 0; i <= 20; i++) {
        limb_pose(&l.shape, 3 * i, poses);
        sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL);
    }
    for (int i = 0; i < 400; i++) sn_implicit_track(l.state, poses, NULL, NULL, NULL, bent, &report);
    const sn_transform still[2] = {poses[0], poses[1]};
    int tracked = 0;
    for (int i = 1; i <= 40; i++) { // a screw
        const double angle = 0.05 * i;
        const sn_quat turn = {0, (sn_real)sin(angle / 2), 0, (sn_real)cos(angle / 2)};
        const sn_vec3 to = {(sn_real)0.01 * (sn_real)i, (sn_real)0.02 * (sn_real)i, 0};
        for (int b = 0; b < 2; b++)
            poses[b] =
                (sn_transform){sn_add(to, sn_q_rotate(turn, still[b].position)), sn_q_mul(turn, still[b].rotation)};
        sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, &report);
        tracked += report.tracked;
        if (i == 40)
            for (int v = 0; v < count; v++) bent[v] = sn_add(to, sn_q_rotate(turn, bent[v]));
    }
    CHECK(farthest(l.points, bent, count) < 2e-5);
    CHECK(tracked < 40 * report.rows / 4);
    free(bent);
    limb_free(&l);
}

// The bits of 30 frames of a bend.
static uint64_t bits_of(int lanes, int workers) {
    limb l;
    uint64_t hash = 0;
    sn_pool *pool = NULL;
    if (!limb_make(&l, &small_limb, NULL, lanes)) {
        limb_free(&l);
        return 0;
    }
    CHECK(sn_pool_create(&l.memory, &(sn_tasks){0}, workers, &pool) == SN_OK);
    for (int i = 1; i <= 30; i++) {
        sn_transform poses[2];
        limb_pose(&l.shape, 4 * i, poses);
        CHECK(sn_implicit_track(l.state, poses, NULL, NULL, pool, l.points, NULL) == SN_OK);
        hash = sn_hash_bytes(hash, l.points, (size_t)l.model.def.count * sizeof *l.points);
    }
    sn_transform poses[2];
    limb_pose(&l.shape, 70, poses);
    CHECK(implicit_project(l.state, poses, NULL, SN_START_LINEAR, pool, l.points) == SN_OK);
    hash = sn_hash_bytes(hash, l.points, (size_t)l.model.def.count * sizeof *l.points);
    sn_pool_destroy(&l.memory, pool);
    limb_free(&l);
    return hash;
}

TEST(any_number_of_workers_and_lanes_gives_the_same_bits) {
    const uint64_t hash = bits_of(0, 1);
    const int widths[] = {1, 4, 8, 16};
    CHECK(hash != 0);
    CHECK(bits_of(0, 2) == hash);
    CHECK(bits_of(0, 3) == hash);
    for (int i = 0; i < 4; i++)
        if (sn_implicit_kernels_for(widths[i])) CHECK(bits_of(widths[i], 2) == hash);
}

TEST(leaving_out_what_is_still_changes_hardly_anything) {
    limb l, all;
    sn_transform poses[2];
    sn_implicit_options options = sn_implicit_options_default();
    options.skip = false;
    REQUIRE(limb_make(&l, &small_limb, NULL, 0) && limb_make(&all, &small_limb, NULL, 0));
    for (int i = 0; i <= 30; i++) {
        limb_pose(&l.shape, 3 * i, poses);
        sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL);
        sn_implicit_track(all.state, poses, NULL, &options, NULL, all.points, NULL);
    }
    CHECK(farthest(l.points, all.points, l.model.def.count) < 1e-4);
    limb_free(&l);
    limb_free(&all);
}

TEST(a_frame_allocates_nothing) {
    limb l;
    sn_transform poses[2];
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    const uint64_t before = l.memory.allocations;
    const size_t live = l.memory.used_bytes;
    for (int i = 0; i <= 10; i++) {
        limb_pose(&l.shape, 8 * i, poses);
        CHECK(sn_implicit_track(l.state, poses, NULL, NULL, NULL, l.points, NULL) == SN_OK);
    }
    CHECK(l.memory.allocations == before && l.memory.used_bytes == live);
    limb_free(&l);
    CHECK_INT(l.memory.used_bytes, 0);
}

TEST(bad_poses_are_refused_and_change_nothing) {
    limb l;
    sn_transform good[2], bad[2];
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    limb_pose(&l.shape, 10, good);
    for (int i = 0; i < 3; i++) {
        memcpy(bad, good, sizeof bad);
        if (i == 0) bad[1].position.y = (sn_real)NAN;
        if (i == 1) bad[1].rotation.w = (sn_real)INFINITY;
        if (i == 2) bad[0].rotation = (sn_quat){0, 0, 0, (sn_real)0.5}; // a scale
        CHECK(sn_implicit_track(l.state, bad, NULL, NULL, NULL, l.points, NULL) == SN_ERR_RANGE);
        CHECK(sn_implicit_reset(l.state, bad, SN_START_DUAL) == SN_ERR_RANGE);
    }
    sn_implicit_get_points(l.state, l.points);
    CHECK(farthest(l.points, l.model.def.points, l.model.def.count) == 0);
    limb_free(&l);
}

// --- muscles ---------------------------------------------------------------------------------------------------------

typedef struct {
    sn_muscle_spindle muscle[2];
    int bones[2];
    sn_implicit_capsule bounds[2];
    sn_skin_muscle_table table;
} flesh;

static void field(const void *user, int muscle, sn_real limit, const sn_real *const q[3], sn_real *f,
                  sn_real *const gradient[3]) {
    const flesh *all = user;
    (void)limit;
    sn_muscle_field_for(0)(&all->muscle[muscle], SN_IMPLICIT_ROW, q, f, gradient, NULL);
}

// Two muscles side by side on the upper side of the first bone; 'thick' times their radius of 15 mm.
static void form(flesh *all, double thick) {
    const sn_muscle_profile profile = sn_muscle_profile_default();
    for (int m = 0; m < 2; m++) {
        const sn_real z = m ? (sn_real)0.012 : (sn_real)-0.012;
        const sn_vec3 from = {(sn_real)-0.22, (sn_real)0.033, z}, to = {(sn_real)-0.06, (sn_real)0.033, z};
        sn_muscle_spindle *muscle = &all->muscle[m];
        for (int i = 0; i < muscle->points; i++)
            muscle->axis[i] = sn_lerp(from, to, (sn_real)i / (sn_real)(muscle->points - 1));
        sn_muscle_spindle_build(muscle, &profile, 0, (sn_real)(3.14159 * 0.16 * 0.015 * 0.015), (sn_real)thick, NULL);
        all->bones[m] = 0;
        all->bounds[m] = (sn_implicit_capsule){muscle->bound_a, muscle->bound_b, muscle->bound_radius};
    }
    all->table =
        (sn_skin_muscle_table){.count = 2, .bones = all->bones, .bounds = all->bounds, .field = field, .user = all};
}

TEST(a_muscle_that_swells_lifts_the_skin_above_it) {
    limb l;
    flesh all;
    sn_transform poses[2];
    sn_implicit_report report;
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    for (int m = 0; m < 2; m++) REQUIRE(sn_muscle_spindle_init(&all.muscle[m], &l.memory, 20) == SN_OK);
    form(&all, 1);
    REQUIRE(sn_implicit_rig_bind(l.rig, &all.table) == SN_OK);
    limb_pose(&l.shape, 0, poses);
    for (int i = 0; i < 5; i++) // with its muscles at rest it is at rest
        CHECK(sn_implicit_track(l.state, poses, &all.table, NULL, NULL, l.points, &report) == SN_OK);
    CHECK(farthest(l.points, l.model.def.points, l.model.def.count) < 1e-6);

    double lifted = 0, sunk = 0, below = 0;
    for (int i = 1; i <= 20; i++) {
        form(&all, 1 + 0.04 * i);
        CHECK(sn_implicit_track(l.state, poses, &all.table, NULL, NULL, l.points, &report) == SN_OK);
        CHECK(report.missed <= l.model.def.count / 100);
    }
    for (int v = 0; v < l.model.def.count; v++) {
        const sn_vec3 rest = l.model.def.points[v];
        const double out = (double)(sn_sqrt(l.points[v].y * l.points[v].y + l.points[v].z * l.points[v].z) -
                                    sn_sqrt(rest.y * rest.y + rest.z * rest.z));
        lifted = fmax(lifted, out), sunk = fmin(sunk, out);
        if (rest.y < (sn_real)-0.025) below = fmax(below, fabs(out));
    }
    CHECK(lifted > 0.006 && lifted < 0.03); // of 12 mm that the muscles grew
    CHECK(sunk > -0.001);
    CHECK(below < 0.0015);
    CHECK_INT(limb_crossings(&l, l.points), 0);
    for (int m = 0; m < 2; m++) sn_muscle_spindle_free(&all.muscle[m], &l.memory);
    limb_free(&l);
}

TEST(moving_muscles_are_seen_where_they_are) {
    sn_memory memory;
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_transform poses[2];
    limb_pose(&small_limb, 0, poses);
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
    muscle.bone[0] = 0, muscle.bone[1] = 1; // ends are in the bones' coordinates
    muscle.end[0] = sn_v3((sn_real)0.05, (sn_real)0.03, 0), muscle.end[1] = sn_v3((sn_real)0.05, (sn_real)0.03, 0);
    muscle.volume = (sn_real)1e-4;
    muscle.collide_bones = muscle.collide_muscles = muscle.in_skin = false;
    sn_muscle_system_def def = sn_muscle_system_def_default();
    def.poses = poses, def.bone_count = 2, def.muscles = &muscle, def.muscle_count = 1;
    sn_muscle_system *system = NULL;
    sn_skin_muscles *shown = NULL;
    const int bone = 0;
    REQUIRE(sn_muscle_system_create(&memory, &(sn_log){0}, &def, &system) == SN_OK);
    REQUIRE(sn_skin_muscles_create(&memory, system, &bone, &shown) == SN_OK);
    const uint64_t before = memory.allocations;
    CHECK(sn_skin_muscles_update(shown, poses, 2)->moved[0] == 1);
    const sn_skin_muscle_table *now = sn_skin_muscles_update(shown, poses, 2);
    CHECK(now->moved[0] == 0 && now->count == 1 && now->bones[0] == 0);
    CHECK(memory.allocations == before);
    sn_real rows[7][16] __attribute__((aligned(64)));
    for (int i = 0; i < 16; i++) rows[0][i] = (sn_real)(-0.2 + 0.02 * i), rows[1][i] = (sn_real)0.1, rows[2][i] = 0;
    now->field(now->user, 0, INFINITY, (const sn_real *const[3]){rows[0], rows[1], rows[2]}, rows[3],
               (sn_real *const[3]){rows[4], rows[5], rows[6]});
    for (int i = 0; i < 16; i++) {
        sn_vec3 gradient;
        const sn_vec3 q = {rows[0][i], rows[1][i], rows[2][i]};
        CHECK(rows[3][i] == sn_muscle_field(sn_muscle_system_get_spindle(system, 0), q, &gradient, NULL));
        CHECK(rows[5][i] == gradient.y);
    }
    limb_pose(&small_limb, 10, poses);
    CHECK(sn_muscle_system_step(system, (sn_real)1 / 60, poses, NULL) == SN_OK);
    CHECK(sn_skin_muscles_update(shown, poses, 2)->moved[0] == 1); // the other end went along with the other bone
    sn_skin_muscles_destroy(shown);
    sn_muscle_system_destroy(system);
    CHECK_INT(memory.used_bytes, 0);
}

// How far the axis is out of the fields of both bones, at most.
static double out_of_skin(const limb *l, const sn_muscle_system *system, const sn_transform *poses) {
    const sn_muscle_spindle *muscle = sn_muscle_system_get_spindle(system, 0);
    double most = -1;
    for (int i = 0; i < muscle->points; i++) {
        sn_real rows[7][16] __attribute__((aligned(64)));
        double least = 1;
        for (int b = 0; b < 2; b++) {
            const sn_implicit_distance of = {l->rig, b, poses[b]};
            for (int k = 0; k < 16; k++)
                rows[0][k] = muscle->axis[i].x, rows[1][k] = muscle->axis[i].y, rows[2][k] = muscle->axis[i].z;
            sn_implicit_distances(&of, 16, (const sn_real *const[3]){rows[0], rows[1], rows[2]}, rows[3],
                                  (sn_real *const[3]){rows[4], rows[5], rows[6]});
            least = fmin(least, (double)rows[3][0]);
        }
        most = fmax(most, least);
    }
    return most;
}

// A muscle on the inner side of a joint would go straight through the air when that is bent.
TEST(a_muscle_stays_under_the_skin) {
    limb l;
    REQUIRE(limb_make(&l, &small_limb, NULL, 0));
    sn_transform poses[2];
    limb_pose(&small_limb, 0, poses);
    sn_implicit_muscle_def muscle = sn_implicit_muscle_def_default();
    muscle.bone[0] = 0, muscle.bone[1] = 1;
    muscle.end[0] = sn_v3((sn_real)0.1, (sn_real)0.03, 0), muscle.end[1] = sn_v3((sn_real)0.15, (sn_real)0.03, 0);
    muscle.volume = (sn_real)1e-4, muscle.tendon = (sn_real)0.02;
    sn_muscle_system_def def = sn_muscle_system_def_default();
    def.poses = poses, def.bone_count = 2, def.muscles = &muscle, def.muscle_count = 1;
    const int shown = 0, rig_bone[2] = {0, 1};
    double out[2];
    for (int covered = 0; covered < 2; covered++) {
        sn_muscle_system *system = NULL;
        sn_implicit_cover *cover = NULL;
        limb_pose(&small_limb, 0, poses);
        REQUIRE(sn_muscle_system_create(&l.memory, &(sn_log){0}, &def, &system) == SN_OK);
        if (covered)
            REQUIRE(sn_implicit_cover_create(&l.memory, l.rig, system, &shown, rig_bone, system, &cover) == SN_OK);
        const uint64_t before = l.memory.allocations;
        for (int i = 1; i <= 60; i++) {
            limb_pose(&small_limb, fmin(90, 2 * i), poses);
            CHECK(sn_muscle_system_step(system, (sn_real)1 / 60, poses, NULL) == SN_OK);
        }
        CHECK(l.memory.allocations == before);
        out[covered] = out_of_skin(&l, system, poses);
        sn_muscle_system_destroy(system);
        sn_implicit_cover_destroy(cover);
    }
    CHECK(out[0] > 0.015);
    CHECK(out[1] < 0.002);
    limb_free(&l);
}
