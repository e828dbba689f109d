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

// ---- a belly between two bodies

enum { FIBRES = 19, SLICES = 13, ROUND = 48 };

// A spindle along x, 22 cm long and 46 mm thick, of rods that fill it; its axis is 23 mm above the ground.
typedef struct {
    sn_world *world;
    sn_body rods[FIBRES], plate;
    sn_bundle bundle;
} belly;

static double thickness(int section) { // half of it, at rest
    const double u = (double)section / (SLICES - 1);
    return 0.023 * (0.25 + 0.75 * sin(pi * u));
}

static belly make_belly(double young, sn_bundle_kind kind) {
    belly b;
    sn_world_def world = sn_world_def_default();
    world.gravity = (sn_vec3){0, 0, 0};
    CHECK_INT(sn_world_create(&world, &b.world), SN_OK);
    for (int i = 0; i < FIBRES; i++) { // in the middle, and in rings of 6 and of 12
        sn_vec3 p[SLICES];
        sn_real radii[SLICES];
        const double out = i == 0 ? 0 : (i < 7 ? 0.4 : 0.8), angle = i < 7 ? pi * i / 3 : pi * (i - 7) / 6;
        for (int k = 0; k < SLICES; k++) {
            p[k] =
                (sn_vec3){(sn_real)(0.22 * k / (SLICES - 1) - 0.11), (sn_real)(0.023 + out * thickness(k) * cos(angle)),
                          (sn_real)(out * thickness(k) * sin(angle))};
            radii[k] = (sn_real)(0.2 * thickness(k));
        }
        sn_rod_def def = sn_rod_def_default();
        def.points = p, def.radii = radii, def.point_count = SLICES;
        def.material = sn_material_make((sn_real)young, (sn_real)0.495, 1060);
        def.material.damping = 5;
        CHECK_INT(sn_rod_create(b.world, &def, &b.rods[i]), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = b.rods, def.rod_count = FIBRES, def.kind = kind;
    CHECK_INT(sn_bundle_create(b.world, &def, &b.bundle), SN_OK);
    sn_rigid_def ground = sn_rigid_def_default();
    ground.geometry = SN_GEOMETRY_PLANE; // solid below y = 0
    CHECK_INT(sn_rigid_create(b.world, &ground, &b.plate), SN_OK);
    sn_rigid_def plate = sn_rigid_def_default();
    plate.geometry = SN_GEOMETRY_BOX;
    plate.half = (sn_vec3){(sn_real)0.03, (sn_real)0.004, (sn_real)0.08}, plate.position.y = (sn_real)0.052;
    CHECK_INT(sn_rigid_create(b.world, &plate, &b.plate), SN_OK);
    return b;
}

// Where a section has a place of its plane at rest, by 'out' and 'angle' as above.
static void place_of(const sn_section *s, int section, double out, double angle, double to[3]) {
    const double x[3] = {0.22 * section / (SLICES - 1) - 0.11 - (double)s->rest.x,
                         0.023 + out * thickness(section) * cos(angle) - (double)s->rest.y,
                         out * thickness(section) * sin(angle) - (double)s->rest.z};
    const double q[4] = {(double)s->rotation.x, (double)s->rotation.y, (double)s->rotation.z, (double)s->rotation.w},
                 a[4] = {(double)s->axes.x, (double)s->axes.y, (double)s->axes.z, (double)s->axes.w},
                 back[4] = {-a[0], -a[1], -a[2], a[3]};
    double v[3];
    sn_rotate_double(back, x, v);
    v[0] *= (double)s->wide, v[1] /= (double)s->wide;
    sn_rotate_double(a, v, to);
    sn_rotate_double(q, to, v);
    for (int k = 0; k < 3; k++) v[k] *= (double)s->scale;
    to[0] = v[0] + (double)s->centre.x, to[1] = v[1] + (double)s->centre.y, to[2] = v[2] + (double)s->centre.z;
}

static double tetrahedron(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
            u[2] * (v[0] * w[1] - v[1] * w[0])) /
           6;
}

// The volume of the envelope between the sections' outlines; and the width and the height of the belly.
static double measure_envelope(const belly *b, double *width, double *height) {
    sn_section s[SLICES];
    CHECK_INT(sn_bundle_get_sections(b->world, b->bundle, s, SLICES), SLICES);
    double volume = 0, low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (int k = 0; k + 1 < SLICES; k++)
        for (int i = 0; i < ROUND; i++) { // a wedge: three tetrahedra
            double at[2][3][3];
            for (int side = 0; side < 2; side++)
                for (int j = 0; j < 3; j++)
                    place_of(&s[k + side], k + side, j > 0, 2 * pi * (i + (j == 2)) / ROUND, at[side][j]);
            volume += tetrahedron(at[0][0], at[0][1], at[0][2], at[1][0]) +
                      tetrahedron(at[0][1], at[0][2], at[1][0], at[1][1]) +
                      tetrahedron(at[0][2], at[1][0], at[1][1], at[1][2]);
            for (int r = 0; r < 3 && k == SLICES / 2; r++) {
                low[r] = fmin(low[r], at[0][1][r]), high[r] = fmax(high[r], at[0][1][r]);
            }
        }
    *width = high[2] - low[2], *height = high[1] - low[1];
    return fabs(volume);
}

TEST(a_pressed_belly_widens_and_keeps_its_volume) {
    static const int substeps[] = {0, 1, 4};
    for (int run = 0; run < 3; run++) {
        belly b = make_belly(5e4, SN_BUNDLE_SOFT);
        for (int i = 0; i < FIBRES; i++)
            sn_rod_hold(b.world, b.rods[i], 0, SN_HOLD_CENTRE),
                sn_rod_hold(b.world, b.rods[i], SLICES - 1, SN_HOLD_CENTRE);
        double width, height, rest = measure_envelope(&b, &width, &height);
        CHECK_NEAR(width, 0.046, 1e-5);
        for (int i = 0; i < 90; i++) {
            const double down = 0.009 * fmin(i / 60.0, 1);
            sn_rigid_move(b.world, b.plate, (sn_vec3){0, (sn_real)(0.052 - down), 0}, (sn_quat){0, 0, 0, 1});
            CHECK_INT(sn_world_step(b.world, (sn_real)(1.0 / 60), substeps[run]), SN_OK);
            double w, h;
            CHECK_NEAR(measure_envelope(&b, &w, &h) / rest, 1, 0.02);
            CHECK_NEAR(sn_bundle_volume(b.world, b.bundle) / sn_bundle_rest_volume(b.world, b.bundle), 1, 0.01);
        }
        measure_envelope(&b, &width, &height);
        CHECK(height < 0.0405);                                // the plate is 39 mm above the ground
        CHECK_NEAR(width * height / (0.046 * 0.046), 1, 0.04); // its middle keeps its area, less what moves to the ends
        CHECK(width > 0.0515);
        sn_world_destroy(b.world);
    }
}

TEST(a_soft_belly_flattens_under_its_own_weight) {
    static const int substeps[] = {0, 4};
    double wide[2];
    for (int run = 0; run < 2; run++) {
        belly b = make_belly(400, SN_BUNDLE_SOFT);
        CHECK_INT(sn_body_destroy(b.world, b.plate), SN_OK);
        double width, height, rest = measure_envelope(&b, &width, &height);
        sn_world_set_gravity(b.world, (sn_vec3){0, (sn_real)-9.81, 0});
        for (int i = 0; i < 180; i++) CHECK_INT(sn_world_step(b.world, (sn_real)(1.0 / 60), substeps[run]), SN_OK);
        const double volume = measure_envelope(&b, &width, &height);
        CHECK_NEAR(volume / rest, 1, 0.02);
        CHECK_NEAR(sn_bundle_volume(b.world, b.bundle) / sn_bundle_rest_volume(b.world, b.bundle), 1, 0.01);
        CHECK(width / height > 1.15);
        wide[run] = width;
        sn_world_destroy(b.world);
    }
    CHECK_NEAR(wide[0] / wide[1], 1, 0.01);
}

// Three fibres side by side pull with the force of a muscle: there is no area that could resist if the row collapsed.
TEST(a_row_of_fibres_does_not_flatten) {
    enum { BESIDE = 3, ALONG = 9 };
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    sn_body rods[BESIDE];
    for (int i = 0; i < BESIDE; i++) {
        sn_vec3 points[ALONG];
        for (int k = 0; k < ALONG; k++) points[k] = (sn_vec3){(sn_real)(0.03 * k), 0, (sn_real)(0.012 * (i - 1))};
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.point_count = ALONG, rod.radius = (sn_real)0.006;
        rod.material = sn_material_preset(SN_PRESET_MUSCLE);
        REQUIRE(sn_rod_create(world, &rod, &rods[i]) == SN_OK);
        sn_rod_hold(world, rods[i], 0, SN_HOLD_CENTRE), sn_rod_hold(world, rods[i], ALONG - 1, SN_HOLD_CENTRE);
    }
    sn_bundle_def bundle_def = sn_bundle_def_default();
    bundle_def.rods = rods, bundle_def.rod_count = BESIDE, bundle_def.activate = SN_ACTIVATE_FORCE;
    sn_bundle bundle;
    REQUIRE(sn_bundle_create(world, &bundle_def, &bundle) == SN_OK);
    CHECK_INT(sn_bundle_set_activation(world, bundle, 1), SN_OK);
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 0), SN_OK);
    sn_section sections[ALONG];
    CHECK_INT(sn_bundle_get_sections(world, bundle, sections, ALONG), ALONG);
    for (int k = 0; k < ALONG; k++) CHECK_NEAR(sections[k].wide, 1, 1e-6);
    sn_world_destroy(world);
}
