// Overlapping tetrahedra, and the penalty forces between bodies made of them.
#include "kinds/spring/spring_body.h"
#include "kinds/spring/spring_implicit.h"
#include "kinds/spring/spring_topology.h"
#include "kinds/spring/spring_volume.h"
#include "kinds/spring/tet_collision.h"
#include "test.h"
#include <math.h>

#define WIDE (sizeof(sn_real) == 8)
#define PI   3.14159265358979323846

static sn_memory memory;

static uint32_t seed;
static double random_unit(void) { // -1 .. 1
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

// Whether some point of a grid in a is in b: a lower bound for meeting.
static bool share_a_sample(const sn_vec3 a[4], const sn_vec3 b[4]) {
    enum { N = 12 };
    for (int i = 0; i <= N; i++)
        for (int j = 0; i + j <= N; j++)
            for (int k = 0; i + j + k <= N; k++) {
                const double w[4] = {i / (double)N, j / (double)N, k / (double)N, (N - i - j - k) / (double)N};
                double p[3] = {0, 0, 0}, least = 1;
                for (int c = 0; c < 4; c++) {
                    p[0] += w[c] * (double)a[c].x, p[1] += w[c] * (double)a[c].y, p[2] += w[c] * (double)a[c].z;
                }
                const sn_vec3 at = {(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
                sn_vec3 part[4];
                const double whole = (double)sn_spring_tet_volume(b);
                for (int c = 0; c < 4; c++) {
                    memcpy(part, b, sizeof part);
                    part[c] = at;
                    least = fmin(least, (double)sn_spring_tet_volume(part) / whole);
                }
                if (least > 1e-4) return true;
            }
    return false;
}

TEST(tets_overlap_where_they_have_a_point_in_common) {
    const sn_vec3 unit[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_vec3 other[4];
    for (int k = 0; k < 4; k++) other[k] = sn_add(unit[k], (sn_vec3){1, 0, 0}); // touches in a corner
    CHECK(sn_tets_overlap(unit, other));
    for (int k = 0; k < 4; k++) other[k].x += (sn_real)1e-5;
    CHECK(!sn_tets_overlap(unit, other));
    // Two edges that cross without any corner inside.
    const sn_vec3 low[4] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -1}, {0, 1, -1}};
    sn_vec3 high[4] = {{0, -1, (sn_real)-0.01}, {0, 1, (sn_real)-0.01}, {-1, 0, 1}, {1, 0, 1}};
    CHECK(sn_tets_overlap(low, high));
    high[0].z = high[1].z = (sn_real)0.01;
    CHECK(!sn_tets_overlap(low, high));
    // Against samples; and two that do not meet have a plane between them, so neither is sampled in the other.
    seed = 1;
    int met = 0, apart = 0;
    for (int round = 0; round < 400; round++) {
        sn_vec3 a[4], b[4];
        for (int k = 0; k < 4; k++) {
            a[k] = (sn_vec3){(sn_real)random_unit(), (sn_real)random_unit(), (sn_real)random_unit()};
            b[k] = (sn_vec3){(sn_real)(random_unit() + 0.7), (sn_real)random_unit(), (sn_real)random_unit()};
        }
        const bool meet = sn_tets_overlap(a, b), sampled = share_a_sample(a, b) || share_a_sample(b, a);
        CHECK(meet || !sampled);
        CHECK(meet == sn_tets_overlap(b, a));
        met += meet && sampled, apart += !meet;
    }
    CHECK(met > 50 && apart > 50);
}

// --- tori: a ring of blocks, each cell cut into six tetrahedra ---

enum { AROUND = 12, SIDE = 3, SECTION = (SIDE + 1) * (SIDE + 1), POINTS = AROUND * SECTION };
enum { TETS = AROUND * SIDE * SIDE * 6 };
static sn_vec3 ring[POINTS];
static int ring_tets[TETS][4];

static int ring_point(int a, int i, int j) {
    return a % AROUND * SECTION + i * (SIDE + 1) + j;
}

static void make_ring(double radius, double tube) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int a = 0; a < AROUND; a++)
        for (int i = 0; i <= SIDE; i++)
            for (int j = 0; j <= SIDE; j++) { // a square made nearly round
                const double u = 2.0 * i / SIDE - 1, v = 2.0 * j / SIDE - 1, turn = 2 * PI * a / AROUND;
                const double x = tube * u * (0.2 + 0.8 * sqrt(1 - v * v / 2));
                const double y = tube * v * (0.2 + 0.8 * sqrt(1 - u * u / 2));
                ring[ring_point(a, i, j)] =
                    (sn_vec3){(sn_real)((radius + x) * cos(turn)), (sn_real)((radius + x) * sin(turn)), (sn_real)y};
            }
    int count = 0;
    for (int cell = 0; cell < AROUND * SIDE * SIDE; cell++)
        for (int o = 0; o < 6; o++, count++) {
            int at[3] = {cell / (SIDE * SIDE), cell / SIDE % SIDE, cell % SIDE}, *tet = ring_tets[count];
            tet[0] = ring_point(at[0], at[1], at[2]);
            for (int k = 0; k < 3; k++) {
                ++at[orders[o][k]];
                tet[k + 1] = ring_point(at[0], at[1], at[2]);
            }
            sn_vec3 corner[4];
            for (int k = 0; k < 4; k++) corner[k] = ring[tet[k]];
            if (sn_spring_tet_volume(corner) < 0) {
                const int third = tet[2];
                tet[2] = tet[3], tet[3] = third;
            }
        }
}

static sn_spring_body *ring_body(sn_vec3 offset) {
    sn_vec3 moved[POINTS];
    for (int i = 0; i < POINTS; i++) moved[i] = sn_add(ring[i], offset);
    sn_spring_net net;
    sn_spring_net_init(&net, &memory.hook);
    const sn_spring_solid solid = {.points = moved,
                                   .count = POINTS,
                                   .tets = &ring_tets[0][0],
                                   .tet_count = TETS,
                                   .density = 100,
                                   .edge = {100, (sn_real)0.05},
                                   .volumes = true};
    CHECK_INT(sn_spring_net_solid(&net, &solid), 0);
    sn_spring_def def = sn_spring_net_def(&net);
    def.bulk = 2000;
    const char *what = "";
    int which = 0;
    sn_spring_body *body = NULL;
    if (!CHECK_INT(sn_spring_body_create(&memory, &def, &body, &what, &which), SN_OK)) CHECK_STRING(what, "");
    body->drag = 1;
    sn_spring_net_free(&net);
    return body;
}

static sn_vec3 middle(const sn_spring_body *body) {
    sn_vec3 sum = {0, 0, 0};
    for (int i = 0; i < body->count; i++) sum = sn_add(sum, sn_spring_point(body, i));
    return sn_mul((sn_real)1 / (sn_real)body->count, sum);
}

typedef struct {
    sn_vec3 apart;      // of the middles at the end
    int inside;         // points of either within the other then
    double stray;       // momentum of the two together, relative to that of one
    uint64_t allocated; // in the second half
} outcome;

static outcome collide(sn_vec3 offset, sn_tet_response response, int steps) {
    sn_memory_init(&memory, &(sn_allocator){0});
    make_ring(0.3, 0.1);
    outcome out = {0};
    sn_tet_collider *shape = NULL;
    CHECK_INT(sn_tet_collider_create(&memory, POINTS, (const int(*)[4])ring_tets, TETS, &shape), SN_OK);
    sn_spring_body *bodies[2] = {ring_body((sn_vec3){0, 0, 0}), ring_body(offset)};
    for (int k = 0; k < 2; k++) bodies[k]->drag = 0;
    sn_tet_contacts meet;
    sn_tet_contacts_init(&meet, &memory);
    const sn_spring_solver solver = sn_spring_solver_default();
    uint64_t half = 0;
    for (int i = 0; i <= steps; i++) {
        for (int k = 0; k < 2; k++) memset(bodies[k]->load, 0, 4 * (size_t)bodies[k]->padded * sizeof(sn_real));
        out.inside = 0;
        for (int k = 0; k < 2; k++) {
            CHECK_INT(sn_tet_contacts_find(&meet, shape, bodies[k]->x, shape, bodies[1 - k]->x, response), SN_OK);
            sn_tet_contacts_response(&meet, shape, shape, 50, bodies[k]->load, bodies[1 - k]->load);
            out.inside += meet.inside;
        }
        if (i < steps)
            for (int k = 0; k < 2; k++) sn_spring_implicit_step(bodies[k], (sn_real)(1.0 / 240), &solver, NULL);
        if (i == steps / 2) half = memory.allocations;
    }
    out.allocated = memory.allocations - half;
    out.apart = sn_sub(middle(bodies[1]), middle(bodies[0]));
    const sn_spring_totals a = sn_spring_measure(bodies[0], bodies[0]->gravity),
                           b = sn_spring_measure(bodies[1], bodies[1]->gravity);
    for (int k = 0; k < 3; k++) out.stray = fmax(out.stray, fabs(a.momentum[k] + b.momentum[k]));
    out.stray /= fmax(1e-9, fabs(a.momentum[2]));
    for (int k = 0; k < 2; k++) sn_spring_body_destroy(bodies[k]);
    sn_tet_contacts_free(&meet);
    sn_tet_collider_destroy(shape);
    CHECK_INT(memory.used_bytes, 0);
    return out;
}

TEST(consistent_forces_part_deeply_overlapping_tori) {
    // A tenth of the tube's width apart: nearly the same place. The short way out is along the axis.
    const sn_vec3 offset = {0, 0, (sn_real)0.02};
    const outcome consistent = collide(offset, SN_TET_CONSISTENT, 60), naive = collide(offset, SN_TET_NAIVE, 60);
    CHECK(consistent.apart.z > (sn_real)0.3);
    CHECK(sn_abs(consistent.apart.x) + sn_abs(consistent.apart.y) < consistent.apart.z / 10);
    CHECK_INT(consistent.inside, 0);
    CHECK(consistent.stray < (WIDE ? 1e-9 : 1e-3));
    CHECK_INT(consistent.allocated, 0);
    CHECK(naive.apart.z < (sn_real)0.06); // sticks
    CHECK(naive.inside > POINTS / 4);
}

TEST(both_methods_part_tori_that_overlap_little) {
    const sn_vec3 offset = {0, 0, (sn_real)0.17};
    CHECK_INT(collide(offset, SN_TET_CONSISTENT, 60).inside, 0);
    CHECK_INT(collide(offset, SN_TET_NAIVE, 60).inside, 0);
}

// --- a block of tetrahedra in another ---

enum { EDGE = 3, BLOCK_POINTS = (EDGE + 1) * (EDGE + 1) * (EDGE + 1), BLOCK_TETS = EDGE * EDGE * EDGE * 6 };

static void make_block(sn_real *x, int (*tets)[4], sn_vec3 low, sn_vec3 size) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < BLOCK_POINTS; i++) {
        const int at[3] = {i % (EDGE + 1), i / (EDGE + 1) % (EDGE + 1), i / ((EDGE + 1) * (EDGE + 1))};
        sn_spring_set_quad(x, i,
                           (sn_vec3){low.x + size.x * (sn_real)at[0] / EDGE, low.y + size.y * (sn_real)at[1] / EDGE,
                                     low.z + size.z * (sn_real)at[2] / EDGE});
        x[4 * i + 3] = 0;
    }
    int count = 0;
    for (int cell = 0; cell < EDGE * EDGE * EDGE; cell++)
        for (int o = 0; o < 6; o++, count++) {
            int at[3] = {cell % EDGE, cell / EDGE % EDGE, cell / (EDGE * EDGE)};
            for (int k = 0; k < 4; k++) {
                if (k > 0) ++at[orders[o][k - 1]];
                tets[count][k] = at[0] + (EDGE + 1) * (at[1] + (EDGE + 1) * at[2]);
            }
            const bool odd = o == 1 || o == 2 || o == 5;
            if (odd) {
                const int third = tets[count][2];
                tets[count][2] = tets[count][3], tets[count][3] = third;
            }
        }
}

TEST(depths_of_a_block_sunk_into_another) {
    // P stands 0.4 deep in the top of Q: every point of it that is inside has the depth to the top, straight up, also
    // the inner ones that no crossing edge touches.
    sn_memory_init(&memory, &(sn_allocator){0});
    static sn_real xp[4 * BLOCK_POINTS], xq[4 * BLOCK_POINTS];
    static int tets[BLOCK_TETS][4];
    make_block(xq, tets, (sn_vec3){0, 0, 0}, (sn_vec3){3, 3, 1});
    make_block(xp, tets, (sn_vec3){(sn_real)1.03, (sn_real)1.04, (sn_real)0.6},
               (sn_vec3){(sn_real)0.9, (sn_real)0.9, (sn_real)0.9});
    sn_tet_collider *shape = NULL;
    REQUIRE(sn_tet_collider_create(&memory, BLOCK_POINTS, (const int(*)[4])tets, BLOCK_TETS, &shape) == SN_OK);
    CHECK_INT(shape->face_count, 6 * 2 * EDGE * EDGE);
    sn_tet_contacts meet;
    sn_tet_contacts_init(&meet, &memory);
    REQUIRE(sn_tet_contacts_find(&meet, shape, xp, shape, xq, SN_TET_CONSISTENT) == SN_OK);
    CHECK_INT(meet.inside, 2 * (EDGE + 1) * (EDGE + 1));
    CHECK_INT(meet.border, (EDGE + 1) * (EDGE + 1));
    for (int i = 0; i < BLOCK_POINTS; i++) {
        const double z = (double)xp[4 * i + 2];
        CHECK((meet.sunk[i].tet >= 0) == (z < 1));
        if (z >= 1) continue;
        CHECK_INT(meet.sunk[i].round, z > 0.8 ? 0 : 1);
        CHECK_NEAR(meet.sunk[i].depth, 1 - z, 1e-5);
        CHECK_NEAR(meet.sunk[i].direction.z, 1, 1e-5);
    }
    // Forces add up to nothing.
    sn_real fp[4 * BLOCK_POINTS] = {0}, fq[4 * BLOCK_POINTS] = {0};
    sn_tet_contacts_response(&meet, shape, shape, 100, fp, fq);
    double up = 0, down = 0;
    for (int i = 0; i < BLOCK_POINTS; i++) up += (double)fp[4 * i + 2], down += (double)fq[4 * i + 2];
    CHECK_NEAR(up, 100 * 16 * (0.4 + 0.1), 1e-2);
    CHECK_NEAR(up + down, 0, WIDE ? 1e-11 : 1e-3);

    // Every tetrahedron with a point inside is in a pair; far apart there is none.
    REQUIRE(sn_tet_contacts_pairs(&meet, shape, xp, shape, xq) == SN_OK);
    int missing = 0;
    for (int t = 0; t < BLOCK_TETS; t++)
        for (int k = 0; k < 4; k++) {
            if (!((double)xp[4 * tets[t][k] + 2] < 1)) continue;
            bool found = false;
            for (int i = 0; i < meet.pair_count; i++) found = found || meet.pairs[i].p == t;
            missing += !found;
        }
    CHECK_INT(missing, 0);
    make_block(xp, tets, (sn_vec3){1, 1, (sn_real)1.01}, (sn_vec3){1, 1, 1});
    REQUIRE(sn_tet_contacts_pairs(&meet, shape, xp, shape, xq) == SN_OK);
    CHECK_INT(meet.pair_count, 0);

    // Wholly inside there is no border to begin from: the nearest way out.
    make_block(xp, tets, (sn_vec3){1, 1, (sn_real)0.7}, (sn_vec3){(sn_real)0.1, (sn_real)0.1, (sn_real)0.1});
    REQUIRE(sn_tet_contacts_find(&meet, shape, xp, shape, xq, SN_TET_CONSISTENT) == SN_OK);
    CHECK_INT(meet.inside, BLOCK_POINTS);
    CHECK_INT(meet.border, 0);
    CHECK_NEAR(meet.sunk[0].depth, 0.3, 1e-5);
    CHECK_NEAR(meet.sunk[0].direction.z, 1, 1e-5);
    sn_tet_contacts_free(&meet);
    sn_tet_collider_destroy(shape);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(meshes_with_bad_corners_are_refused) {
    sn_memory_init(&memory, &(sn_allocator){0});
    const int bad[1][4] = {{0, 1, 2, 4}};
    sn_tet_collider *shape = NULL;
    CHECK_INT(sn_tet_collider_create(&memory, 4, bad, 1, &shape), SN_ERR_RANGE);
    CHECK_INT(sn_tet_collider_create(&memory, 4, NULL, 0, &shape), SN_ERR_RANGE);
    CHECK(shape == NULL);
}
