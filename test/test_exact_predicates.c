// links: tools
// Signs of determinants, compared with whole numbers of 128 bits, which hold them exactly.
// compilers: all
#include "mesh/exact_predicates.h"
#include "scene/random.h"
#include "test.h"
#include <math.h>

typedef __int128 whole;

static whole minor3(const long long a[3], const long long b[3], const long long c[3]) {
    return (whole)a[0] * ((whole)b[1] * c[2] - (whole)b[2] * c[1]) -
           (whole)a[1] * ((whole)b[0] * c[2] - (whole)b[2] * c[0]) +
           (whole)a[2] * ((whole)b[0] * c[1] - (whole)b[1] * c[0]);
}

static int sign(whole x) {
    return (x > 0) - (x < 0);
}

static int whole_orient(const long long p[5][3]) {
    long long d[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) d[i][k] = p[i + 1][k] - p[0][k];
    return sign(minor3(d[0], d[1], d[2]));
}

static int whole_in_sphere(const long long p[5][3]) {
    long long d[4][3];
    whole lift[4];
    for (int i = 0; i < 4; i++) {
        lift[i] = 0;
        for (int k = 0; k < 3; k++) {
            d[i][k] = p[i][k] - p[4][k];
            lift[i] += (whole)d[i][k] * d[i][k];
        }
    }
    // by the last column; the sign is that which makes the inside of a positive tetrahedron positive
    return sign(lift[0] * minor3(d[1], d[2], d[3]) - lift[1] * minor3(d[0], d[2], d[3]) +
                lift[2] * minor3(d[0], d[1], d[3]) - lift[3] * minor3(d[0], d[1], d[2]));
}

// Compares both signs for points that are these whole numbers times a power of two, and shifted by an offset, which
// makes differences inexact.
static void compare(const long long p[5][3], double scale) {
    double x[5][3];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) x[i][k] = scale * (double)p[i][k];
    CHECK_INT(exact_orient3d(x[0], x[1], x[2], x[3]), whole_orient(p));
    CHECK_INT(exact_insphere(x[0], x[1], x[2], x[3], x[4]), whole_in_sphere(p));
}

TEST(known_signs) {
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, d[3] = {0, 0, 1};
    const double middle[3] = {0.25, 0.25, 0.25}, corner[3] = {1, 1, 1}, far[3] = {2, 2, 2};
    CHECK_INT(exact_orient3d(a, b, c, d), 1);
    CHECK_INT(exact_orient3d(b, a, c, d), -1);
    CHECK_INT(exact_orient3d(a, b, c, b), 0);
    CHECK_INT(exact_insphere(a, b, c, d, middle), 1);
    CHECK_INT(exact_insphere(b, a, c, d, middle), -1);
    CHECK_INT(exact_insphere(a, b, c, d, corner), 0);
    CHECK_INT(exact_insphere(a, b, c, d, far), -1);
    CHECK_INT(exact_insphere(a, b, c, d, d), 0);
}

TEST(whole_numbers_of_many_sizes) {
    random_stream stream = random_start(1, 1);
    for (int bits = 1; bits <= 21; bits++)
        for (int n = 0; n < 400; n++) {
            long long p[5][3];
            for (int i = 0; i < 5; i++)
                for (int k = 0; k < 3; k++) p[i][k] = (long long)(random_next(&stream) >> (64 - bits));
            compare((const long long(*)[3])p, 1);
            compare((const long long(*)[3])p, 0x1p-60);
        }
}

// Planes and spheres through whole points, and points one unit off: doubles alone cannot tell.
TEST(a_hair_off_the_plane_and_off_the_sphere) {
    random_stream stream = random_start(2, 1);
    int zeros = 0;
    for (int n = 0; n < 2000; n++) {
        long long p[5][3], u[3], v[3];
        for (int k = 0; k < 3; k++) {
            p[0][k] = (long long)(random_next(&stream) >> 45);
            u[k] = (long long)(random_next(&stream) >> 48) - 32768;
            v[k] = (long long)(random_next(&stream) >> 48) - 32768;
            p[1][k] = p[0][k] + u[k], p[2][k] = p[0][k] + v[k], p[3][k] = p[0][k] + u[k] - 3 * v[k];
        }
        for (int k = 0; k < 3; k++) p[4][k] = p[0][(k + 1) % 3];
        zeros += whole_orient((const long long(*)[3])p) == 0;
        compare((const long long(*)[3])p, 1);
        p[3][n % 3] += n % 5 - 2;
        compare((const long long(*)[3])p, 1);
    }
    CHECK_INT(zeros, 2000);
    zeros = 0;
    for (int n = 0; n < 2000; n++) { // corners of a box, all on one sphere, in any order
        long long size[3], from[3], p[5][3];
        for (int k = 0; k < 3; k++) {
            size[k] = 1 + (long long)(random_next(&stream) >> 44);
            from[k] = (long long)(random_next(&stream) >> 45);
        }
        for (int i = 0; i < 5; i++) {
            const unsigned corner = (unsigned)random_next(&stream);
            for (int k = 0; k < 3; k++) p[i][k] = from[k] + (corner >> k & 1 ? size[k] : 0);
        }
        zeros += whole_in_sphere((const long long(*)[3])p) == 0;
        compare((const long long(*)[3])p, 1);
        p[4][n % 3] += n % 3 - 1;
        compare((const long long(*)[3])p, 1);
    }
    CHECK_INT(zeros, 2000);
}

// Differences that no double can hold: the expansions have to. a, b, c, d are far and near at once.
TEST(differences_that_are_not_doubles) {
    const double e = 0x1p-70; // vanishes when added to 1
    const double a[3] = {1, 0, 0}, b[3] = {0, 1, 0}, c[3] = {0, 0, 1}, on[3] = {1, 1, -1};
    double off[3] = {1, 1, -1};
    CHECK_INT(exact_orient3d(a, b, c, on), 0);
    const double a2[3] = {1, e, 0}, b2[3] = {0, 1, 0}, c2[3] = {0, 0, 1};
    // a moved outwards by e: the plane of a2, b, c leaves (1, 1, -1) on the one side, with -e on the other
    const double a3[3] = {1, -e, 0};
    CHECK_INT(exact_orient3d(a2, b2, c2, on), -exact_orient3d(a3, b2, c2, on));
    CHECK(exact_orient3d(a2, b2, c2, on) != 0);
    off[0] += 0x1p-52;
    CHECK(exact_orient3d(a, b, c, off) != 0);
    // the unit sphere, and a point outside of it by 2^-141: (1, e, 0) has 1 + e^2 > 1
    const double s0[3] = {-1, 0, 0}, s1[3] = {0, -1, 0}, s2[3] = {0, 0, -1}, s3[3] = {0, 0, 1};
    const int turn = exact_orient3d(s0, s1, s2, s3);
    CHECK_INT(turn * exact_insphere(s0, s1, s2, s3, a), 0);
    CHECK_INT(turn * exact_insphere(s0, s1, s2, s3, a2), -1);
    CHECK_INT(turn * exact_insphere(s0, s1, s2, s3, a3), -1);
    const double inner[3] = {1 - 0x1p-53, e, 0};
    CHECK_INT(turn * exact_insphere(s0, s1, s2, s3, inner), 1);
}

// Every order of the points gives the same answer, up to the sign of the permutation.
TEST(orders_agree) {
    random_stream stream = random_start(3, 1);
    for (int n = 0; n < 500; n++) {
        double x[5][3];
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 3; k++)
                x[i][k] = n % 2 ? (double)(float)random_unit(&stream) : round(4 * random_unit(&stream)) / 3;
        const int o = exact_orient3d(x[0], x[1], x[2], x[3]), s = exact_insphere(x[0], x[1], x[2], x[3], x[4]);
        CHECK_INT(exact_orient3d(x[1], x[0], x[2], x[3]), -o);
        CHECK_INT(exact_orient3d(x[1], x[2], x[0], x[3]), o);
        CHECK_INT(exact_orient3d(x[1], x[2], x[3], x[0]), -o);
        CHECK_INT(exact_insphere(x[1], x[0], x[2], x[3], x[4]), -s);
        CHECK_INT(exact_insphere(x[1], x[2], x[0], x[3], x[4]), s);
        CHECK_INT(exact_insphere(x[1], x[2], x[3], x[0], x[4]), -s);
        CHECK_INT(exact_insphere(x[4], x[1], x[2], x[3], x[0]), -s);
    }
}
