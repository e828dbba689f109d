// What the tests with known answers share: a bench with one rod on it, the elastica as the reference for bent rods, and
// ways to measure a frequency.
#ifndef SN_TEST_KNOWN_H
#define SN_TEST_KNOWN_H

#include "sinew/sinew.h"
#include "test.h"
#include <math.h>

#define PI 3.14159265358979323846

// The segments that the table of known answers speaks of, and room for more.
enum { SEGMENTS = 64, MOST_POINTS = 257 };

typedef struct {
    sn_world *world;
    sn_body rod;
    int points;
} bench;

static inline sn_vec3 vec(double x, double y, double z) {
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

// A material by its Young's modulus and density: no volume term, no damping, K = kx + ky = E, and a shear stiff enough
// that the rod is one of Euler's.
static inline sn_material stuff(double young, double density) {
    return (sn_material){.density = (sn_real)density,
                         .young = (sn_real)young,
                         .shear = (sn_real)(0.5 * young),
                         .transverse = (sn_real)young};
}

// A world with gravity along y, the direct solver and one iteration a step.
static inline sn_world *world_with(double gravity_y) {
    sn_world_def def = sn_world_def_default();
    def.gravity = vec(0, gravity_y, 0);
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

static inline void line(sn_vec3 *points, int count, sn_vec3 from, sn_vec3 to) {
    for (int i = 0; i < count; i++) {
        double t = (double)i / (count - 1);
        points[i] = vec((double)from.x + t * ((double)to.x - (double)from.x),
                        (double)from.y + t * ((double)to.y - (double)from.y),
                        (double)from.z + t * ((double)to.z - (double)from.z));
    }
}

// Known answers are of rods alone: several may lie in one place and do not touch.
static inline sn_body add_rod(sn_world *world, const sn_rod_def *def) {
    sn_body rod = {0};
    sn_rod_def alone = *def;
    alone.collide = false;
    CHECK_INT(sn_rod_create(world, &alone, &rod), SN_OK);
    return rod;
}

static inline void steps(sn_world *world, double h, int count) {
    bool all = true;
    for (int k = 0; k < count; k++) all = sn_world_step(world, (sn_real)h, 1) == SN_OK && all;
    CHECK(all);
}

static inline sn_vec3 point_of(const sn_world *world, sn_body rod, int point) {
    sn_vec3 all[MOST_POINTS];
    sn_body_get_points(world, rod, all, MOST_POINTS);
    return all[point];
}
static inline sn_vec3 tip_of(const sn_world *world, sn_body rod) {
    return point_of(world, rod, sn_body_point_count(world, rod) - 1);
}
static inline double scale_of(const sn_world *world, sn_body rod, int point) {
    sn_real all[MOST_POINTS];
    sn_rod_get_scales(world, rod, all, MOST_POINTS);
    return (double)all[point];
}

// The elastica: a clamped, horizontal, inextensible rod of length 1 under its weight and a load at its tip,
//     angle'' = -(load + weight (1 - t)) cos(angle),   angle(0) = 0,   angle'(1) = 0,
// with weight = w L^3 / EI and load = P L^2 / EI. Shot from the tip; x along the clamp, y downwards.
typedef struct {
    double x, y;
} elastica_tip;

static inline double elastica_shoot(double weight, double load, double tip_angle, elastica_tip *tip) {
    const int count = 400;
    const double d = 1.0 / count;
    double a = tip_angle, b = 0, x = 0, y = 0; // b = da/du with u = 1 - t
    for (int k = 0; k < count; k++) {
        double u = k * d, ka[4], kb[4], kx[4], ky[4], share[4] = {0, 0.5, 0.5, 1};
        for (int n = 0; n < 4; n++) {
            double s = share[n] * d, an = n ? a + s * ka[n - 1] : a, bn = n ? b + s * kb[n - 1] : b;
            ka[n] = bn;
            kb[n] = -(load + weight * (u + s)) * cos(an);
            kx[n] = cos(an), ky[n] = sin(an);
        }
        a += d / 6 * (ka[0] + 2 * ka[1] + 2 * ka[2] + ka[3]);
        b += d / 6 * (kb[0] + 2 * kb[1] + 2 * kb[2] + kb[3]);
        x += d / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
        y += d / 6 * (ky[0] + 2 * ky[1] + 2 * ky[2] + ky[3]);
    }
    *tip = (elastica_tip){x, y};
    return a; // the angle at the clamp, to be 0
}

static inline elastica_tip elastica(double weight, double load) {
    double low = 0, high = 0.5 * PI;
    elastica_tip tip = {1, 0};
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (elastica_shoot(weight, load, middle, &tip) < 0)
            low = middle;
        else
            high = middle;
    }
    return tip;
}

// The angular frequency of a[0..count-1], the amplitude of one mode at every step, seen through implicit Euler: each
// step obeys
//     a[n+1] (1 + w^2 h^2) = 2 a[n] - a[n-1]
// (amplitude times (1 + w^2 h^2)^-1/2 a step, frequency atan(w h) / h), so w^2 is fitted by least squares.
static inline double frequency_of(const double *a, int count, double h) {
    double top = 0, bottom = 0;
    for (int n = 1; n + 1 < count; n++) {
        top += (2 * a[n] - a[n - 1] - a[n + 1]) * a[n + 1];
        bottom += a[n + 1] * a[n + 1];
    }
    return sqrt(top / bottom) / h;
}

#endif
