// links: tools
// Pills are recovered from points on their surface, and other clouds get a pill that is close.
#include "bake/bone_fit.h"
#include "test.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint32_t seed;
static double any(void) { // -1 to 1
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

// Points on the surface of a chain of pills: from a random point far outside towards a random point on the axis.
static void sample(const bone_ball *balls, int pills, double (*out)[3], int count) {
    for (int i = 0; i < count; i++) {
        const int pill = i % pills;
        const double t = 0.5 + 0.5 * any();
        double inside[3], offset[3], length = 0;
        for (int k = 0; k < 3; k++) offset[k] = any(), length += offset[k] * offset[k];
        for (int k = 0; k < 3; k++)
            inside[k] = (1 - t) * balls[pill].centre[k] + t * balls[pill + 1].centre[k], offset[k] /= sqrt(length);
        double low = 0, high = 10;
        for (int round = 0; round < 60; round++) {
            const double middle = 0.5 * (low + high);
            double x[3], smallest = 1e9;
            for (int k = 0; k < 3; k++) x[k] = inside[k] + middle * offset[k];
            for (int j = 0; j < pills; j++) smallest = fmin(smallest, bone_distance(x, &balls[j], &balls[j + 1]));
            if (smallest < 0)
                low = middle;
            else
                high = middle;
        }
        for (int k = 0; k < 3; k++) out[i][k] = inside[k] + low * offset[k];
    }
}

// Largest distance of the balls from the expected ones, in either order.
static double miss(const bone_ball *a, const bone_ball *b, int balls) {
    double directions[2] = {0, 0};
    for (int direction = 0; direction < 2; direction++)
        for (int i = 0; i < balls; i++) {
            const bone_ball *other = &b[direction ? balls - 1 - i : i];
            double d = fabs(a[i].radius - other->radius);
            for (int k = 0; k < 3; k++) d = fmax(d, fabs(a[i].centre[k] - other->centre[k]));
            directions[direction] = fmax(directions[direction], d);
        }
    return fmin(directions[0], directions[1]);
}

TEST(a_pill_is_found_again_from_points_on_it) {
    seed = 3;
    for (int round = 0; round < 20; round++) {
        bone_ball meant[2], found[2];
        double points[400][3], error, length = 0;
        do {
            length = 0;
            for (int i = 0; i < 2; i++) {
                for (int k = 0; k < 3; k++) meant[i].centre[k] = 0.3 * any() + 1;
                meant[i].radius = 0.03 + 0.015 * any();
            }
            for (int k = 0; k < 3; k++) length += pow(meant[0].centre[k] - meant[1].centre[k], 2);
        } while (length < 0.04);
        sample(meant, 1, points, 400);
        REQUIRE(bone_fit((const double(*)[3])points, 400, 1, found, &error));
        CHECK(error < 1e-5);
        if (!CHECK(miss(meant, found, 2) < 1e-4)) break;
    }
}

TEST(a_bent_bone_is_a_chain_of_pills) {
    const bone_ball meant[4] = {
        {{0, 0, 0}, 0.03}, {{0.1, 0.03, 0}, 0.02}, {{0.2, 0.03, 0.02}, 0.02}, {{0.3, 0, 0}, 0.04}};
    bone_ball one[2], three[4];
    double points[900][3], error_one, error_three;
    seed = 9;
    sample(meant, 3, points, 900);
    REQUIRE(bone_fit((const double(*)[3])points, 900, 1, one, &error_one));
    REQUIRE(bone_fit((const double(*)[3])points, 900, 3, three, &error_three));
    CHECK(error_three < 1e-3);
    CHECK(error_three < 0.2 * error_one);
}

TEST(a_box_gets_a_pill_along_it) {
    double points[602][3];
    bone_ball found[2];
    double error;
    seed = 11;
    for (int i = 0; i < 602; i++) {
        const double half[3] = {0.02, 0.2, 0.02};
        for (int k = 0; k < 3; k++) points[i][k] = half[k] * any();
        const int side = i % 3;
        points[i][side] = i % 2 ? half[side] : -half[side];
    }
    REQUIRE(bone_fit((const double(*)[3])points, 602, 1, found, &error));
    CHECK(fabs(found[0].centre[1] - found[1].centre[1]) > 0.3);
    CHECK(fabs(found[0].centre[0]) < 0.005 && fabs(found[1].centre[2]) < 0.005);
    CHECK(found[0].radius > 0.015 && found[0].radius < 0.03);
    CHECK(error < 0.01);
}

TEST(too_few_points_and_points_in_one_place_are_refused) {
    const double points[5][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    bone_ball found[2];
    CHECK(!bone_fit(points, 3, 1, found, NULL));
    CHECK(!bone_fit(points, 5, 1, found, NULL));
    CHECK(!bone_fit(points, 5, BONE_MAX_PILLS + 1, found, NULL));
}
