// Joints in the matrix of the common solve (joint_solve.c): the Schur complement W is symmetric and factored as it is, constraints
// that are linear close in one step, and joints that contradict each other share the load.
#include "couplings/joint/joint.h"
#include "known.h"
#include "world/world.h"

enum { RODS = 5, POINTS = 6 };
#define R_STEP ((sn_real)(1.0 / 60))

#ifdef SN_DOUBLE
#define CLOSE 1e-10
#else
#define CLOSE 2e-4
#endif

static sn_body straight(sn_world *world, sn_vec3 from, sn_vec3 to) {
    sn_vec3 points[POINTS];
    line(points, POINTS, from, to);
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = (sn_real)0.02, def.material = stuff(1e7, 1000);
    return add_rod(world, &def);
}

static sn_joint tie(sn_world *world, const sn_joint_def *def) {
    sn_joint joint = {0};
    CHECK_INT(sn_joint_create(world, def, &joint), SN_OK);
    return joint;
}

// Rods in a row, or round a ring, with joints of every kind between them, on a point of space.
static sn_world *row_of_rods(bool ring) {
    sn_world *world = world_with(-10);
    sn_body rod[RODS];
    for (int i = 0; i < RODS; i++) {
        const double a = 2 * PI * i / RODS, b = 2 * PI * (i + 1) / RODS;
        rod[i] = ring ? straight(world, vec(cos(a), sin(a), 0), vec(cos(b), sin(b), 0))
                      : straight(world, vec(i, 0, 0), vec(i + 1, 0.1 * i, 0.2));
    }
    for (int i = 0; i < RODS - !ring; i++) {
        sn_joint_def def = sn_joint_def_default();
        def.kind = (sn_joint_kind)(i % 3), def.keep_offset = true;
        def.body_a = rod[i], def.segment_a = POINTS - 1, def.along_a = 1;
        def.body_b = rod[(i + 1) % RODS], def.segment_b = 1, def.along_b = 0;
        def.compliance = i == 1 ? (sn_real)1e-4 : 0;
        tie(world, &def);
    }
    sn_joint_def hang = sn_joint_def_default();
    hang.kind = SN_JOINT_WELD, hang.body_a = rod[0], hang.segment_a = 1, hang.keep_offset = true;
    tie(world, &hang);
    return world;
}

// ---- W by columns, with the last factors of the bodies

static double part_rate(const sn_solve *s, const sn_joint_part *p) {
    double sum = (double)p->spin * (double)s->step_spin[p->slot[1]];
    for (int k = 0; k < 2; k++) {
        const sn_real *d = s->step + 4 * (size_t)p->slot[k];
        sum += (double)p->node[k].x * (double)d[0] + (double)p->node[k].y * (double)d[1] +
               (double)p->node[k].z * (double)d[2];
    }
    return sum;
}

static void add_part(const sn_solve *s, const sn_joint_part *p) {
    for (int k = 0; k < 2; k++) {
        sn_real *f = s->force + 4 * (size_t)p->slot[k];
        f[0] += p->node[k].x, f[1] += p->node[k].y, f[2] += p->node[k].z;
    }
    s->force_spin[p->slot[1]] += p->spin;
}

enum { MOST_ROWS = 6 * (RODS + 1) };

static int dense_matrix(sn_world *world, double w[MOST_ROWS][MOST_ROWS]) {
    sn_solve *s = &world->solve;
    const sn_joint_system *j = &sn_world_joints(world)->system;
    const sn_stage stage = {.h = R_STEP, .solves = 1, .iterations = 1, .substeps = 1, .pool = sn_world_pool(world)};
    s->stage = &stage;
    for (int i = 0; i < j->row_count; i++) {
        for (int k = 0; k < 4 * s->slots; k++) s->force[k] = 0;
        for (int k = 0; k < s->slots; k++) s->force_spin[k] = 0;
        for (int side = 0; side < 2; side++)
            if (j->rows[i].part[side].body >= 0) add_part(s, &j->rows[i].part[side]);
        s->run(s, SN_COUPLE_COLUMN);
        for (int k = 0; k < j->row_count; k++) {
            w[k][i] = 0;
            for (int side = 0; side < 2; side++)
                if (j->rows[k].part[side].body >= 0) w[k][i] += part_rate(s, &j->rows[k].part[side]);
        }
    }
    s->stage = NULL;
    return j->row_count;
}

// L D L^T of the envelope, multiplied out.
static double factored(const sn_skyline *m, int i, int j) {
    double sum = 0;
    for (int k = 0; k <= i && k <= j; k++) {
        if (k < m->first[i] || k < m->first[j]) continue;
        const double inverse = *sn_skyline_at(m, k, k);
        const double a = k == i ? 1 : *sn_skyline_at(m, i, k), b = k == j ? 1 : *sn_skyline_at(m, j, k);
        if (inverse > 0) sum += a * b / inverse;
    }
    return sum;
}

TEST(the_matrix_of_joints_is_symmetric_and_factored) {
    static double w[MOST_ROWS][MOST_ROWS];
    for (int ring = 0; ring < 2; ring++) {
        sn_world *world = row_of_rods(ring);
        CHECK_INT(sn_world_step(world, R_STEP, 1), SN_OK);
        const sn_joint_system *j = &sn_world_joints(world)->system;
        REQUIRE(dense_matrix(world, w) == j->row_count && j->row_count > 15);
        for (int i = 0; i < j->row_count; i++)
            for (int k = 0; k < j->row_count; k++) {
                const double scale = sqrt(w[i][i] * w[k][k]);
                CHECK(scale > 0);
                CHECK_NEAR(w[i][k], w[k][i], CLOSE * scale);
                const double whole = w[i][k] + (i == k ? j->rows[i].compliance : 0);
                // bodies have moved a little since they were factored: the axes that pills spin about with them
                CHECK_NEAR(factored(&j->matrix, j->place[i], j->place[k]), whole, 2e-3 * scale + 1e-30);
            }
        sn_world_destroy(world);
    }
}

// The rows of a point joint without a lever are linear: one step meets them, however far they are open.
TEST(a_point_joint_is_met_in_one_step) {
    sn_world *world = world_with(-10);
    const sn_body rod = straight(world, vec(0, 0, 0), vec(0.5, 0, 0));
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod, def.segment_a = POINTS - 1, def.along_a = 1, def.position = vec(0.5, 0, 0);
    const sn_joint joint = tie(world, &def);
    for (int i = 1; i <= 10; i++) {
        const sn_vec3 to = vec(0.5 + 0.02 * i, 0.03 * i, -0.01 * i);
        CHECK_INT(sn_joint_move(world, joint, to), SN_OK);
        CHECK_INT(sn_world_step(world, R_STEP, 1), SN_OK);
        const sn_vec3 tip = tip_of(world, rod);
        const double off =
            hypot(hypot((double)tip.x - (double)to.x, (double)tip.y - (double)to.y), (double)tip.z - (double)to.z);
        CHECK_NEAR(off, 0, 1e-5 * 0.037 + 1e-6);
    }
    sn_world_destroy(world);
}

// A joint with compliance c that bears a force f is open by c f.
TEST(a_soft_joint_opens_by_compliance_times_force) {
    sn_world *world = world_with(-10);
    const sn_body rod = straight(world, vec(0, 0, 0), vec(0, -0.5, 0));
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod, def.segment_a = 1, def.compliance = (sn_real)1e-3;
    const sn_joint joint = tie(world, &def);
    for (int i = 0; i < 30; i++) {
        CHECK_INT(sn_world_step(world, R_STEP, 1), SN_OK);
        const sn_vec3 top = point_of(world, rod, 0);
        const double open = hypot(hypot((double)top.x, (double)top.y), (double)top.z);
        CHECK_NEAR(open, 1e-3 * (double)sn_joint_force(world, joint), 1e-3 * open + 1e-6);
    }
    sn_world_destroy(world);
}

// Two joints that hold one point in two places: it settles in the middle, and each bears the same.
TEST(joints_that_contradict_share_the_load) {
    for (int soft = 0; soft < 2; soft++) {
        sn_world *world = world_with(0);
        const sn_body rod = straight(world, vec(0, 0, 0), vec(0.5, 0, 0));
        sn_joint joint[2];
        for (int k = 0; k < 2; k++) {
            sn_joint_def def = sn_joint_def_default();
            def.body_a = rod, def.segment_a = 1, def.position = vec(0, k ? 0.01 : -0.01, 0);
            def.compliance = soft ? (sn_real)1e-4 : 0;
            joint[k] = tie(world, &def);
        }
        for (int i = 0; i < 120; i++) {
            CHECK_INT(sn_world_step(world, R_STEP, 1), SN_OK);
            CHECK(fabs((double)point_of(world, rod, 0).y) < 1e-3);
        }
        const double force[2] = {(double)sn_joint_force(world, joint[0]), (double)sn_joint_force(world, joint[1])};
        CHECK(isfinite(force[0]) && force[0] > 0);
        CHECK_NEAR(force[0], force[1], 0.01 * force[0]);
        if (soft) CHECK_NEAR(force[0], 0.01 / 1e-4, 1);
        sn_world_destroy(world);
    }
}
