// Cross-sections that flatten: the maths of their stretch, and that a bundle resists as its material does, whatever the steps.
#include "couplings/bundle/section.h"
#include "couplings/bundle/similarity.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979;

static double any(void) {
    static uint32_t state = 7;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 23) - 1;
}

TEST(a_sections_stretch_keeps_its_area_and_has_the_rates_it_says) {
    for (int run = 0; run < 200; run++) {
        const double normal[3] = {any(), any(), any()}, middle[3] = {any(), any(), any()};
        const double across[2] = {2 * any(), 2 * any()}, x[3] = {any(), any(), any()}, h = 1e-6;
        const sn_section_plane plane = sn_section_plane_across(normal, middle);
        double u[3], v[3], n[3], rates[2][3], back[3], to[3], axes[4], wide[2];
        sn_section_stretch(&plane, across, plane.u, u);
        sn_section_stretch(&plane, across, plane.v, v);
        double uu = 0, uv = 0, vu = 0, vv = 0, along = 0;
        for (int k = 0; k < 3; k++) {
            uu += plane.u[k] * u[k], uv += plane.u[k] * v[k], vu += plane.v[k] * u[k], vv += plane.v[k] * v[k];
            along += plane.u[k] * normal[k];
        }
        CHECK_NEAR(uu * vv - uv * vu, 1, 1e-12);
        CHECK_NEAR(uv, vu, 1e-14);
        CHECK_NEAR(along, 0, 1e-14);
        CHECK(uu > 0 && vv > 0);
        // Neo-Hookean energy is quadratic: tr U^2 - 2 = 4 (a^2 + b^2).
        const double square = across[0] * across[0] + across[1] * across[1];
        CHECK_NEAR(uu * uu + vv * vv + 2 * uv * uv - 2, 4 * square, 1e-12 * (1 + square));
        sn_section_stretch(&plane, across, normal, n);
        for (int k = 0; k < 3; k++) CHECK_NEAR(n[k], normal[k], 1e-12);
        sn_section_stretch(&plane, across, x, to);
        sn_section_unstretch(&plane, across, to, back);
        for (int k = 0; k < 3; k++) CHECK_NEAR(back[k], x[k], 1e-12);
        sn_section_stretch_rates(&plane, across, x, rates);
        for (int i = 0; i < 2; i++) {
            double up[2] = {across[0], across[1]}, down[2] = {across[0], across[1]}, a[3], b[3];
            up[i] += h, down[i] -= h;
            sn_section_stretch(&plane, up, x, a);
            sn_section_stretch(&plane, down, x, b);
            for (int k = 0; k < 3; k++) CHECK_NEAR(rates[i][k], (a[k] - b[k]) / (2 * h), 1e-8);
        }
        sn_section_axes(&plane, across, axes, wide);
        CHECK_NEAR(wide[0] * wide[1], 1, 1e-12);
        for (int i = 0; i < 2; i++) {
            const double unit[3] = {i == 0, i == 1, 0};
            double axis[3], stretched[3];
            sn_rotate_double(axes, unit, axis);
            sn_section_stretch(&plane, across, axis, stretched);
            for (int k = 0; k < 3; k++) CHECK_NEAR(stretched[k], wide[i] * axis[k], 1e-9 * wide[0]);
        }
    }
}

enum { RODS = 6, POINTS = 9 };

typedef struct {
    sn_world *world;
    sn_body rods[RODS];
    sn_bundle bundle;
} muscle;

static const double around = 0.03, radius = 0.012, length = 0.2;

static muscle make(int iterations, double hertz) {
    muscle m;
    sn_world_def world = sn_world_def_default();
    world.gravity = (sn_vec3){0, 0, 0};
    world.iterations = iterations;
    CHECK_INT(sn_world_create(&world, &m.world), SN_OK);
    for (int i = 0; i < RODS; i++) {
        sn_vec3 p[POINTS];
        const double angle = 2 * pi * (i + 0.3) / RODS;
        for (int k = 0; k < POINTS; k++)
            p[k] = (sn_vec3){(sn_real)(length * k / (POINTS - 1)), (sn_real)(around * cos(angle)),
                             (sn_real)(around * sin(angle))};
        sn_rod_def def = sn_rod_def_default();
        def.points = p, def.point_count = POINTS, def.radius = (sn_real)radius;
        def.material = sn_material_preset(SN_PRESET_MUSCLE);
        def.material.damping = 20;
        CHECK_INT(sn_rod_create(m.world, &def, &m.rods[i]), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = m.rods, def.rod_count = RODS, def.hertz = (sn_real)hertz;
    CHECK_INT(sn_bundle_create(m.world, &def, &m.bundle), SN_OK);
    return m;
}

// Forces F l' along z, -F l' along y, on every point: their work is F n R^2 e of a section, where e = (wide - 1 / wide) / 2. A muscle
// that nothing holds would in time tumble to where they pull only.
static void squeeze(const muscle *m, double force) {
    for (int i = 0; i < RODS; i++)
        for (int k = 0; k < POINTS; k++) {
            const double angle = 2 * pi * (i + 0.3) / RODS, part = k == 0 || k == POINTS - 1 ? 0.5 : 1;
            const sn_vec3 f = {0, (sn_real)(-part * force * around * cos(angle)),
                               (sn_real)(part * force * around * sin(angle))};
            CHECK_INT(sn_rod_set_force(m->world, m->rods[i], k, f), SN_OK);
        }
}

static double flatness(const muscle *m, int section) {
    sn_section s[POINTS];
    CHECK_INT(sn_bundle_get_sections(m->world, m->bundle, s, POINTS), POINTS);
    return 0.5 * ((double)s[section].wide - 1 / (double)s[section].wide);
}

TEST(a_squeezed_bundle_flattens_by_its_shear_modulus_whatever_the_steps) {
    static const int iterations[] = {1, 8, 32, 1, 1}, substeps[] = {1, 1, 1, 4, 16};
    const sn_material material = sn_material_preset(SN_PRESET_MUSCLE);
    const double volume = RODS * pi * radius * radius * length / (POINTS - 1), wanted = 0.15;
    const double force = 4 * (double)material.shear * volume * wanted / (RODS * around * around);
    double first = 0;
    for (int run = 0; run < 5; run++) {
        muscle m = make(iterations[run], 0);
        squeeze(&m, force);
        for (int i = 0; i < 24; i++) CHECK_INT(sn_world_step(m.world, (sn_real)(1.0 / 60), substeps[run]), SN_OK);
        for (int k = 0; k < POINTS; k++) CHECK_NEAR(flatness(&m, k) / wanted, 1, 0.02); // sizes change by e^2
        if (run == 0) first = flatness(&m, 4);
        CHECK_NEAR(flatness(&m, 4) / first, 1, 0.002);
        // What it stores is half of what a constant force would have done.
        CHECK_NEAR(sn_world_energy(m.world).elastic /
                       (0.5 * (POINTS - 1) * force * RODS * around * around * flatness(&m, 4)),
                   1, 0.03);
        CHECK_NEAR(sn_bundle_volume(m.world, m.bundle) / sn_bundle_rest_volume(m.world, m.bundle), 1, 0.005);
        sn_section s[POINTS];
        sn_bundle_get_sections(m.world, m.bundle, s, POINTS);
        for (int k = 0; k < POINTS; k++) { // wide along z
            const double own[4] = {(double)s[k].rotation.x, (double)s[k].rotation.y, (double)s[k].rotation.z,
                                   (double)s[k].rotation.w},
                         axes[4] = {(double)s[k].axes.x, (double)s[k].axes.y, (double)s[k].axes.z, (double)s[k].axes.w},
                         x[3] = {1, 0, 0};
            double axis[3], now[3];
            sn_rotate_double(axes, x, axis);
            sn_rotate_double(own, axis, now);
            CHECK_NEAR(fabs(now[2]), 1, 1e-3);
        }
        sn_world_destroy(m.world);
    }
}

// Without damping a flattened bundle swings about its round shape with the frequency that was given.
TEST(hertz_is_the_frequency_at_which_sections_recover) {
    muscle m = make(2, 4);
    const double still = flatness(&m, 4);
    CHECK_NEAR(still, 0, 1e-6);
    squeeze(&m, 1);
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(m.world, (sn_real)(1.0 / 60), 4), SN_OK);
    // K = w^2 sum of m (R^2 + r^2 / 2) of the section; the force's work is F n R^2 e, and e is a's part: K e = F n R^2.
    const double mass = 1060 * pi * radius * radius * length / (POINTS - 1), w = 2 * pi * 4;
    CHECK_NEAR(flatness(&m, 4) * w * w * mass * (around * around + 0.5 * radius * radius) / (around * around), 1, 0.02);
    sn_world_destroy(m.world);
}

TEST(a_flattened_bundle_is_saved_and_goes_on_the_same) {
    muscle m = make(2, 0);
    squeeze(&m, 20);
    for (int i = 0; i < 20; i++) CHECK_INT(sn_world_step(m.world, (sn_real)(1.0 / 60), 1), SN_OK);
    CHECK(flatness(&m, 4) > 0.02);
    const size_t size = sn_world_save(m.world, NULL, 0);
    void *bytes = malloc(size);
    CHECK_INT((int)sn_world_save(m.world, bytes, size), (int)size);
    sn_world_def def = sn_world_def_default();
    sn_world *copy;
    CHECK_INT(sn_world_restore(&def, bytes, size, &copy), SN_OK);
    free(bytes);
    for (int i = 0; i < 20; i++) {
        CHECK_INT(sn_world_step(m.world, (sn_real)(1.0 / 60), 1), SN_OK);
        CHECK_INT(sn_world_step(copy, (sn_real)(1.0 / 60), 1), SN_OK);
    }
    CHECK(sn_world_hash(m.world) == sn_world_hash(copy));
    sn_world_destroy(m.world);
    sn_world_destroy(copy);
}
