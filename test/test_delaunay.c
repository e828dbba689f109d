// links: tools
// Delaunay tetrahedra: of any points they are all positive, agree with each other, fill the hull, and no sphere holds a
// point. All signs are exact.
// compilers: all
#include "mesh/exact_predicates.h"
#include "scene/random.h"
#include "test.h"
#include "tets/delaunay.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 20000 };
static double point[MOST][3];
static sn_delaunay made;

static int side(int t, int face, const double p[3]) {
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = k == face ? p : point[made.tet[t][k]];
    return exact_orient3d(x[0], x[1], x[2], x[3]);
}

static bool in_sphere(int t, int p) {
    const int *v = made.tet[t];
    return exact_insphere(point[v[0]], point[v[1]], point[v[2]], point[v[3]], point[p]) > 0;
}

// What is wrong with the tetrahedra: flat or turned ones, neighbours that do not agree, spheres that hold the corner
// across a face (with these alone none holds any point), faces of the hull that have a point outside, unused points.
static int faults(int count, bool every_pair) {
    int flat = 0, clash = 0, full = 0, hull = 0, unused = 0;
    char *used = calloc((size_t)count, 1);
    for (int t = 0; t < made.tet_count; t++) {
        flat += side(t, 3, point[made.tet[t][3]]) <= 0;
        for (int k = 0; k < 4; k++) {
            const int other = made.neighbour[t][k];
            used[made.tet[t][k]] = 1;
            if (other < 0) {
                for (int p = 0; p < count && (every_pair || p < 300); p++) hull += side(t, k, point[p]) < 0;
                continue;
            }
            int back = -1, shared = 0;
            for (int j = 0; j < 4; j++) {
                if (made.neighbour[other][j] == t) back = j;
                for (int i = 0; i < 4; i++) shared += i != k && made.tet[t][i] == made.tet[other][j];
            }
            clash += back < 0 || shared != 3;
            if (back >= 0) full += in_sphere(t, made.tet[other][back]);
        }
        for (int p = 0; p < count && every_pair; p++) full += in_sphere(t, p);
    }
    for (int p = 0; p < count; p++) {
        const int same = made.duplicate_of[p];
        unused += !used[same] || made.duplicate_of[same] != same || memcmp(point[p], point[same], sizeof *point) != 0;
    }
    free(used);
    CHECK_INT(flat, 0);
    CHECK_INT(clash, 0);
    CHECK_INT(full, 0);
    CHECK_INT(hull, 0);
    CHECK_INT(unused, 0);
    return flat + clash + full + hull + unused;
}

static void check(int count, bool every_pair) {
    if (!CHECK_INT(sn_delaunay_make((const double(*)[3])point, count, &made), DELAUNAY_OK)) return;
    CHECK(made.tet_count > 0);
    faults(count, every_pair);
}

static void forget(void) {
    sn_delaunay_free(&made);
}

// The volume of all tetrahedra: whether they fill the hull without overlap.
static double volume(void) {
    double sum = 0;
    for (int t = 0; t < made.tet_count; t++) {
        const double *a = point[made.tet[t][0]];
        double d[3][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) d[i][k] = point[made.tet[t][i + 1]][k] - a[k];
        sum += (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
               6;
    }
    return sum;
}

static void random_points(int count, uint64_t seed) {
    random_stream stream = random_start(seed, 7);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) point[i][k] = random_unit(&stream);
}

TEST(random_points) {
    for (int seed = 0; seed < 20; seed++) {
        random_points(4 + 7 * seed, (uint64_t)seed);
        check(4 + 7 * seed, true);
        forget();
    }
    random_points(10000, 99);
    check(10000, false);
    CHECK(made.tet_count > 60000 && made.tet_count < 70000); // 6.77 for each inner point, as theory says
    forget();
}

TEST(a_grid) {
    enum { SIDE = 12 };
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        point[i][0] = i % SIDE, point[i][1] = i / SIDE % SIDE, point[i][2] = (double)(i / SIDE / SIDE);
    check(SIDE * SIDE * SIDE, false);
    CHECK_NEAR(volume(), pow(SIDE - 1, 3), 1e-9);
    forget();
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) // with a spacing that no double is
        for (int k = 0; k < 3; k++) point[i][k] = point[i][k] * 0.1 - 7.3;
    check(SIDE * SIDE * SIDE, false);
    forget();
    for (int i = 0; i < 125; i++) point[i][0] = i % 5, point[i][1] = i / 5 % 5, point[i][2] = (double)(i / 25);
    check(125, true);
    forget();
}

TEST(points_of_a_sphere) {
    random_points(3000, 5);
    for (int i = 0; i < 3000; i++) {
        const double z = 2 * point[i][0] - 1, angle = 6.283185307179586 * point[i][1], r = sqrt(1 - z * z);
        point[i][0] = r * cos(angle), point[i][1] = r * sin(angle), point[i][2] = z;
    }
    check(3000, false);
    CHECK_NEAR(volume(), 4.18879, 0.03);
    forget();
    // exactly on one: whole points with x^2 + y^2 + z^2 = 81 * 2^2k have at most that many places
    int count = 0;
    for (int i = -45; i <= 45; i++)
        for (int j = -45; j <= 45; j++)
            for (int k = -45; k <= 45; k++)
                if (i * i + j * j + k * k == 45 * 45)
                    point[count][0] = i, point[count][1] = j, point[count][2] = k, ++count;
    CHECK(count > 100);
    check(count, true);
    forget();
}

TEST(points_of_planes_and_lines) {
    random_points(600, 8);
    for (int i = 0; i < 600; i++) point[i][2] = i % 3; // three planes
    check(600, true);
    forget();
    random_points(400, 9);
    for (int i = 0; i < 399; i++) point[i][2] = 0.5; // one plane and a point off it
    check(400, true);
    forget();
    for (int i = 0; i < 120; i++) { // two crossing lines that do not meet
        point[i][0] = i < 60 ? i : 30;
        point[i][1] = i < 60 ? 30 : i - 60;
        point[i][2] = i < 60 ? 0 : 1;
    }
    check(120, true);
    CHECK_INT(made.tet_count, 59 * 59);
    forget();
    for (int i = 0; i < 128; i++) { // the sides of a box, each a grid
        const int u = i % 5, v = i / 5 % 5;
        point[i][0] = u, point[i][1] = v, point[i][2] = i < 64 ? 0 : 1;
    }
    check(128, true);
    forget();
}

TEST(points_at_the_same_place) {
    random_points(500, 12);
    for (int i = 0; i < 500; i++) memcpy(point[500 + i], point[(i * 7) % 100], sizeof *point);
    check(1000, true);
    CHECK_INT(made.duplicate_count, 500);
    forget();
    for (int i = 0; i < 700; i++)
        for (int k = 0; k < 3; k++) point[i][k] = (i >> k) & 1; // eight places, 700 points
    check(700, true);
    CHECK_INT(made.duplicate_count, 692);
    CHECK_NEAR(volume(), 1, 1e-12);
    forget();
}

TEST(points_far_apart_and_close_together) {
    random_points(400, 15);
    for (int i = 0; i < 400; i++)
        for (int k = 0; k < 3; k++) point[i][k] = (point[i][k] - 0.5) * pow(10, i % 13 - 6);
    check(400, true);
    forget();
    random_points(300, 16); // a cloud far from the origin: almost all bits of a float are the same
    for (int i = 0; i < 300; i++)
        for (int k = 0; k < 3; k++) point[i][k] = (double)(float)(1000 + 1e-3 * point[i][k]);
    check(300, true);
    forget();
}

TEST(what_has_no_volume_is_refused) {
    random_points(100, 20);
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 3, &made), DELAUNAY_FLAT);
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 0, &made), DELAUNAY_FLAT);
    for (int i = 0; i < 100; i++) point[i][0] = 0.3;
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 100, &made), DELAUNAY_FLAT);
    for (int i = 0; i < 100; i++) point[i][1] = point[i][2];
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 100, &made), DELAUNAY_FLAT);
    for (int i = 0; i < 100; i++) memcpy(point[i], point[0], sizeof *point);
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 100, &made), DELAUNAY_FLAT);
    CHECK(made.tet == NULL && made.neighbour == NULL && made.duplicate_of == NULL && made.tet_count == 0);
    random_points(100, 21);
    point[50][1] = NAN;
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 100, &made), DELAUNAY_RANGE);
    point[50][1] = 1e300;
    CHECK_INT(sn_delaunay_make((const double(*)[3])point, 100, &made), DELAUNAY_RANGE);
}

TEST(the_same_points_give_the_same_tetrahedra) {
    random_points(2000, 30);
    check(2000, false);
    sn_delaunay first = made;
    REQUIRE(sn_delaunay_make((const double(*)[3])point, 2000, &made) == DELAUNAY_OK);
    CHECK_INT(first.tet_count, made.tet_count);
    CHECK(memcmp(first.tet, made.tet, (size_t)made.tet_count * sizeof *made.tet) == 0);
    CHECK(memcmp(first.neighbour, made.neighbour, (size_t)made.tet_count * sizeof *made.tet) == 0);
    sn_delaunay_free(&first);
    forget();
}
