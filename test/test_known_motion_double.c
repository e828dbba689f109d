// Rods in motion: frequencies of beams, bars and shafts, of the waves of the radius, of threads and pendulums. Each
// mode is set off with a small amplitude and its frequency measured through implicit Euler (see frequency_of). Double
// precision, the direct solver.
#include "known.h"

#define YOUNG   1e8
#define DENSITY 1e3

// ---- bending (row 15)

// The n-th shape of a beam of length 1: the usual sum of cosines, in which 'free' ends have the other sign.
static double beam_shape(double beta, bool is_free, double x) {
    double sign = is_free ? 1 : -1, c = cosh(beta), s = sinh(beta);
    double sigma = is_free ? (c - cos(beta)) / (s - sin(beta)) : (c + cos(beta)) / (s + sin(beta));
    return cosh(beta * x) + sign * cos(beta * x) - sigma * (sinh(beta * x) + sign * sin(beta * x));
}

// beta L of the mode near 'beta', of a rod clamped at its start, or wholly free. 128 segments: the third mode is short.
static double measured_beta(double beta, bool is_free) {
    enum { STEPS = 300, PARTS = 128 };
    const double radius = 0.002, unit = 0.5 * radius * sqrt(YOUNG / DENSITY); // sqrt(EI / rho A)
    const double h = 0.02 / (beta * beta * unit), size = 1e-5;
    sn_vec3 points[PARTS + 1], bent[PARTS + 1];
    line(points, PARTS + 1, vec(0, 0, 0), vec(1, 0, 0));
    for (int i = 0; i <= PARTS; i++) {
        double x = (double)i / PARTS;
        bent[i] = vec(x, size * beam_shape(beta, is_free, x), 0);
    }
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = PARTS + 1;
    def.radius = radius;
    def.clamp_first = !is_free;
    def.material = stuff(YOUNG, DENSITY);
    sn_body rod = add_rod(world, &def);
    CHECK_INT(sn_rod_set_centres(world, rod, bent, PARTS + 1), SN_OK);
    double amplitude[STEPS];
    for (int k = 0; k < STEPS; k++) {
        sn_vec3 at[PARTS + 1];
        sn_real mass[PARTS + 1];
        steps(world, h, 1);
        sn_body_get_points(world, rod, at, PARTS + 1);
        sn_body_get_masses(world, rod, mass, PARTS + 1);
        amplitude[k] = 0;
        for (int i = 0; i <= PARTS; i++) amplitude[k] += mass[i] * (bent[i].y / size) * at[i].y;
    }
    sn_world_destroy(world);
    return sqrt(frequency_of(amplitude, STEPS, h) / unit);
}

// w = (beta L)^2 sqrt(EI / rho A) / L^2.
TEST(a_clamped_beam_rings_at_its_three_lowest_frequencies) {
    static const double beta[3] = {1.875104, 4.694091, 7.854757};
    for (int n = 0; n < 3; n++) CHECK_NEAR(measured_beta(beta[n], false), beta[n], 1e-3 * beta[n]);
}

TEST(a_free_beam_rings_at_its_lowest_frequency) {
    CHECK_NEAR(measured_beta(4.730041, true), 4.730041, 1e-3 * 4.730041);
}

// ---- extension and torsion (row 16)

// A clamped rod of length 1 along x, ringing lengthwise. With equal segments of length l the discrete rod has exactly
// w = c (2/l) sin(q l/2), q = pi/2L, where the continuous one has w = c q.
static double measured_sound(const sn_material *material, bool hold_scales) {
    enum { STEPS = 300 };
    const double h = 0.02 / (0.5 * PI * sqrt(YOUNG / DENSITY)), size = 1e-6;
    sn_vec3 points[SEGMENTS + 1], at[SEGMENTS + 1];
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0, 0));
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = SEGMENTS + 1;
    def.radius = 0.002;
    def.clamp_first = true;
    def.material = *material;
    sn_body rod = add_rod(world, &def);
    for (int i = 0; hold_scales && i <= SEGMENTS; i++)
        sn_rod_hold(world, rod, i, SN_HOLD_SCALE | (i == 0 ? SN_HOLD_CENTRE | SN_HOLD_CLAMP : 0));
    double shape[SEGMENTS + 1], amplitude[STEPS];
    for (int i = 0; i <= SEGMENTS; i++) {
        shape[i] = sin(0.5 * PI * i / SEGMENTS) * (i == SEGMENTS ? 0.5 : 1); // half the mass at the tip
        at[i] = vec(points[i].x + size * sin(0.5 * PI * i / SEGMENTS), 0, 0);
    }
    sn_rod_set_centres(world, rod, at, SEGMENTS + 1);
    for (int k = 0; k < STEPS; k++) {
        steps(world, h, 1);
        sn_body_get_points(world, rod, at, SEGMENTS + 1);
        amplitude[k] = 0;
        for (int i = 0; i <= SEGMENTS; i++) amplitude[k] += shape[i] * (at[i].x - points[i].x);
    }
    sn_world_destroy(world);
    return frequency_of(amplitude, STEPS, h);
}

static double discrete(double q, double l) {
    return 2 / l * sin(0.5 * q * l);
}

// Without volume stiffness E = kz; with it and free scales E_eff = kz + K kv / (K + 4 kv); with held scales kz + kv.
TEST(a_bar_rings_lengthwise_with_its_effective_stiffness) {
    sn_material m = stuff(YOUNG, DENSITY);
    double q = 0.5 * PI, l = 1.0 / SEGMENTS, k = 2 * m.shear, kv = 3 * k;
    double plain = measured_sound(&m, false);
    CHECK_NEAR(plain, q * sqrt(YOUNG / DENSITY), 1e-3 * plain);
    CHECK_NEAR(plain, discrete(q, l) * sqrt(YOUNG / DENSITY), 1e-6 * plain);
    m.volume = kv;
    double soft = measured_sound(&m, false), stiff = measured_sound(&m, true);
    CHECK_NEAR(soft, q * sqrt((YOUNG + k * kv / (k + 4 * kv)) / DENSITY), 1e-3 * soft);
    CHECK_NEAR(stiff, discrete(q, l) * sqrt((YOUNG + kv) / DENSITY), 1e-5 * stiff);
}

// w = (pi/2L) sqrt(K / 2 rho), with the discrete rod's factor as above: the clamp holds a frame half a segment from the
// first.
TEST(a_shaft_rings_in_torsion) {
    enum { STEPS = 300 };
    const double q = 0.5 * PI, l = 1.0 / SEGMENTS;
    sn_material m = stuff(YOUNG, DENSITY);
    m.shear = 0.3 * YOUNG;
    const double speed = sqrt(2 * m.shear / (2 * DENSITY)), h = 0.02 / (q * speed), rate = 1e-3;
    sn_vec3 points[SEGMENTS + 1], spin[SEGMENTS + 1] = {{0, 0, 0}};
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(0, 0, 1));
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = SEGMENTS + 1;
    def.clamp_first = true;
    def.material = m;
    sn_body rod = add_rod(world, &def);
    for (int i = 1; i <= SEGMENTS; i++) spin[i].z = rate * sin(q * (i - 0.5) * l);
    CHECK_INT(sn_rod_set_spins(world, rod, spin, SEGMENTS + 1), SN_OK);
    double amplitude[STEPS];
    for (int k = 0; k < STEPS; k++) {
        sn_quat frame[SEGMENTS + 1];
        steps(world, h, 1);
        sn_rod_get_frames(world, rod, frame, SEGMENTS + 1);
        amplitude[k] = 0;
        for (int i = 1; i <= SEGMENTS; i++) amplitude[k] += spin[i].z * 2 * atan2(frame[i].z, frame[i].w);
    }
    double w = frequency_of(amplitude, STEPS, h);
    CHECK_NEAR(w, q * speed, 1e-3 * w);
    CHECK_NEAR(w, discrete(q, l) * speed, 1e-6 * w);
    sn_world_destroy(world);
}

// ---- waves of the radius (row 17)

// The frequency of the standing wave with 'halves' half waves along a rod whose centreline and frames are held. Free
// ends carry cos(q i l), held ones sin(q i l), with q = pi halves / L; both are exact modes of the discrete rod (the
// second also with scale bending).
static double measured_swell(const sn_material *material, double radius, int halves, bool held_ends) {
    enum { STEPS = 100 };
    sn_vec3 points[SEGMENTS + 1];
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0, 0));
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = SEGMENTS + 1;
    def.radius = radius;
    def.material = *material;
    sn_body rod = add_rod(world, &def);
    double shape[SEGMENTS + 1], amplitude[STEPS];
    sn_real scale[SEGMENTS + 1];
    for (int i = 0; i <= SEGMENTS; i++) {
        double phase = PI * halves * i / SEGMENTS;
        bool end = i == 0 || i == SEGMENTS;
        shape[i] = held_ends ? (end ? 0 : sin(phase)) : cos(phase);
        scale[i] = 1 + 1e-6 * shape[i];
        if (end) shape[i] *= 0.5; // half the mass
        sn_rod_hold(world, rod, i,
                    SN_HOLD_CENTRE | (i > 0 ? SN_HOLD_FRAME : 0) | (held_ends && end ? SN_HOLD_SCALE : 0));
    }
    sn_rod_set_scales(world, rod, scale, SEGMENTS + 1);
    double l = 1.0 / SEGMENTS, h = 0.05 * l / sqrt(material->shear / material->density);
    for (int k = 0; k < STEPS; k++) {
        steps(world, h, 1);
        sn_rod_get_scales(world, rod, scale, SEGMENTS + 1);
        amplitude[k] = 0;
        for (int i = 0; i <= SEGMENTS; i++) amplitude[k] += shape[i] * (scale[i] - 1);
    }
    sn_world_destroy(world);
    return frequency_of(amplitude, STEPS, h);
}

// The stiffness of eq. 13 over 1/4 pi r^4: K of the paper, and K/12 + e/2 of the scale's variation within a segment, with Young's
// modulus and the volume's stiffness in series (docs/rods.md).
static double gradient_stiffness(const sn_material *m, double radius) {
    const double l = 1.0 / SEGMENTS, k = 2 * m->shear, e = m->young * m->volume / (m->young + m->volume);
    return k + 4 * l * l / (radius * radius) * (k / 12 + e / 2);
}

// w^2 = 2 (K + 4 kv) / (rho r^2) cos^2(ql/2) + K_g p^2 / 2 rho + K_b p^4 / 2 rho,   p = (2/l) sin(ql/2).
static double swell(const sn_material *m, double radius, int halves) {
    double l = 1.0 / SEGMENTS, q = PI * halves, p = discrete(q, l), k = 2 * m->shear, c = cos(0.5 * q * l);
    return sqrt(2 * (k + 4 * m->volume) / (m->density * radius * radius) * c * c +
                (gradient_stiffness(m, radius) * p * p + m->scale_bend * p * p * p * p) / (2 * m->density));
}

TEST(waves_of_the_radius_follow_the_discrete_dispersion) {
    static const int halves[5] = {1, 4, 16, 40, 63};
    sn_material m = stuff(YOUNG, DENSITY);
    for (int with_volume = 0; with_volume < 2; with_volume++) {
        m.volume = with_volume ? YOUNG : 0;
        for (int n = 0; n < 5; n++) {
            double w = swell(&m, 0.05, halves[n]);
            CHECK_NEAR(measured_swell(&m, 0.05, halves[n], false), w, 1e-5 * w);
            CHECK_NEAR(measured_swell(&m, 0.05, halves[n], true), w, 1e-5 * w);
        }
    }
}

// With l << r << 1/q the continuous formula holds too.
TEST(long_waves_of_the_radius_follow_the_continuous_dispersion) {
    sn_material m = stuff(YOUNG, DENSITY);
    double radius = 0.05, q = 4 * PI, k = 2 * m.shear;
    double w = sqrt(2 * k / (m.density * radius * radius) + k * q * q / (2 * m.density));
    CHECK_NEAR(measured_swell(&m, radius, 4, false), w, 5e-3 * w);
}

// q = pi/l: radii that alternate. The section and the volume do not resist (their mean over a segment stays), only the
// gradient does: w^2 = K_g (2/l)^2 / 2 rho.
TEST(alternating_radii_ring_with_the_frequency_of_the_gradient_term) {
    sn_material m = stuff(YOUNG, DENSITY);
    for (int with_volume = 0; with_volume < 2; with_volume++) {
        m.volume = with_volume ? YOUNG : 0;
        double w = sqrt(gradient_stiffness(&m, 0.05) * 4 * SEGMENTS * SEGMENTS / (2 * DENSITY));
        CHECK_NEAR(measured_swell(&m, 0.05, SEGMENTS, false), w, 1e-5 * w);
    }
}

// The same with scale bending (K_b), where short waves are the stiffest. Ends are held: there the modes are sines, the
// shortest has 63 half waves.
TEST(scale_bending_stiffens_short_waves_of_the_radius) {
    static const int halves[4] = {2, 16, 40, 63};
    sn_material m = stuff(YOUNG, DENSITY);
    m.scale_bend = YOUNG * 2e-4; // of the size of K l^2
    for (int n = 0; n < 4; n++) {
        double w = swell(&m, 0.05, halves[n]);
        CHECK_NEAR(measured_swell(&m, 0.05, halves[n], true), w, 1e-5 * w);
    }
}

// ---- implicit Euler itself (row 19)

// One mass on one spring: a two-point rod along x whose end is drawn out. Its n-th amplitude is (1 + w^2 h^2)^(-n/2)
// cos(n atan(w h)) with w^2 = (EA/l) / (rho A l / 2).
TEST(implicit_euler_damps_and_slows_an_oscillator_as_known) {
    static const double wh[3] = {0.1, 1, 5};
    const double w = sqrt(2 * YOUNG / DENSITY), size = 1e-3;
    for (int k = 0; k < 3; k++) {
        const double h = wh[k] / w;
        const sn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}}, drawn[2] = {{0, 0, 0}, {1 + size, 0, 0}};
        sn_world *world = world_with(0);
        sn_rod_def def = sn_rod_def_default();
        def.points = points;
        def.point_count = 2;
        def.material = stuff(YOUNG, DENSITY);
        sn_body rod = add_rod(world, &def);
        sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);
        sn_rod_set_centres(world, rod, drawn, 2);
        for (int n = 1; n <= 50; n++) {
            steps(world, h, 1);
            double expected = size * pow(1 + wh[k] * wh[k], -0.5 * n) * cos(n * atan(wh[k]));
            CHECK_NEAR(tip_of(world, rod).x - 1, expected, 1e-9 * size);
        }
        sn_world_destroy(world);
    }
}

// ---- turning (row 20)

// A stiff two-point rod that turns freely at w0 loses speed: each step ends in the direction of the prediction, so the
// turn a a step obeys tan(a') = sin(a) / (2 - cos(a)), hence w_n = w0 / sqrt(1 + 2n (w0 h)^2) for small steps. Four
// iterations a step: the turn is not small.
TEST(a_rigid_dumbbell_spins_down_as_implicit_euler_does) {
    enum { STEPS = 2000 };
    const double w0 = 1, h = 0.02;
    const sn_vec3 points[2] = {{-0.5, 0, 0}, {0.5, 0, 0}}, velocity[2] = {{0, -0.5, 0}, {0, 0.5, 0}};
    const sn_vec3 spin[2] = {{0, 0, 0}, {0, 0, 1}};
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = 2;
    def.radius = 1e-3;
    def.material = stuff(1e10, DENSITY);
    sn_body rod = add_rod(world, &def);
    sn_rod_set_velocities(world, rod, velocity, 2);
    sn_rod_set_spins(world, rod, spin, 2);
    sn_world_set_solver(world, SN_SOLVER_DIRECT, 4);
    double turn = atan(w0 * h), before = 0;
    for (int n = 1; n <= STEPS; n++) {
        steps(world, h, 1);
        sn_vec3 tip = tip_of(world, rod);
        double angle = atan2(tip.y, tip.x), found = remainder(angle - before, 2 * PI);
        before = angle;
        CHECK_NEAR(found, turn, 1e-6 * turn);
        CHECK_NEAR(found / h, w0 / sqrt(1 + 2 * n * w0 * h * w0 * h), 1e-3 * w0);
        CHECK_NEAR(hypot(tip.x, tip.y), 0.5, 1e-6);
        turn = atan(sin(turn) / (2 - cos(turn)));
    }
    sn_world_destroy(world);
}

// ---- pendulums and threads (row 23)

// The time a stiff rod, hung by its end and let go at 'angle', takes to the vertical.
static double time_to_vertical(double angle, double h) {
    enum { PARTS = 2 };
    sn_vec3 points[PARTS + 1];
    line(points, PARTS + 1, vec(0, 0, 0), vec(sin(angle), -cos(angle), 0));
    sn_world *world = world_with(-9.81);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = PARTS + 1;
    def.radius = 0.01;
    def.material = stuff(1e12, DENSITY);
    sn_body rod = add_rod(world, &def);
    sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);
    sn_world_set_solver(world, SN_SOLVER_DIRECT, 2);
    double x = points[PARTS].x, before = x, time = 0;
    for (int k = 0; k < 100000 && x > 0; k++) {
        before = x;
        steps(world, h, 1);
        time += h;
        x = tip_of(world, rod).x;
    }
    sn_world_destroy(world);
    return time - h * x / (x - before);
}

// T/T0 = 1.03997 at 45 degrees and 1.18034 at 90, T0 = 2 pi sqrt(J / m g d). Two segments have their mass at 0, 1/2 and
// 1 m in parts of 1/4, 1/2, 1/4: J = 3/8, d = 1/2, and r^2/4 for the frames. The step's error is taken out by two
// steps.
TEST(a_pendulum_swings_slower_the_wider_it_swings) {
    static const double angle[2] = {PI / 4, PI / 2}, ratio[2] = {1.03997, 1.18034};
    const double period = 2 * PI * sqrt((3.0 / 8 + 0.25e-4) / (0.5 * 9.81)), h = period / 4000;
    for (int k = 0; k < 2; k++) {
        double quarter = 2 * time_to_vertical(angle[k], 0.5 * h) - time_to_vertical(angle[k], h);
        CHECK_NEAR(4 * quarter / period, ratio[k], 2e-5);
    }
}

// Zeros of the Bessel function J0: a thread hung by one end swings with w = (j0n / 2) sqrt(g / L), its shape J0(j0n
// sqrt(height / L)).
TEST(a_hanging_thread_swings_with_the_zeros_of_bessel) {
    enum { STEPS = 300 };
    static const double zero[3] = {2.404826, 5.520078, 8.653728};
    for (int n = 0; n < 3; n++) {
        const double w = 0.5 * zero[n] * sqrt(9.81), h = 0.02 / w, size = 1e-4;
        sn_vec3 at[SEGMENTS + 1];
        double shape[SEGMENTS + 1], amplitude[STEPS];
        line(at, SEGMENTS + 1, vec(0, 0, 0), vec(0, -1, 0));
        sn_world *world = world_with(-9.81);
        sn_rod_def def = sn_rod_def_default();
        def.points = at;
        def.point_count = SEGMENTS + 1;
        def.radius = 1e-4;
        def.material = stuff(3e7, DENSITY);
        sn_body rod = add_rod(world, &def);
        sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);
        steps(world, 0.1, 20); // its weight stretches it a little
        sn_body_get_points(world, rod, at, SEGMENTS + 1);
        for (int i = 0; i <= SEGMENTS; i++) {
            shape[i] = j0(zero[n] * sqrt(1 - (double)i / SEGMENTS));
            at[i].x += size * shape[i];
            if (i == SEGMENTS) shape[i] *= 0.5; // half the mass
        }
        sn_rod_set_centres(world, rod, at, SEGMENTS + 1);
        sn_rod_set_velocities(world, rod, (sn_vec3[SEGMENTS + 1]){{0, 0, 0}}, SEGMENTS + 1);
        for (int k = 0; k < STEPS; k++) {
            steps(world, h, 1);
            sn_body_get_points(world, rod, at, SEGMENTS + 1);
            amplitude[k] = 0;
            for (int i = 0; i <= SEGMENTS; i++) amplitude[k] += shape[i] * at[i].x;
        }
        CHECK_NEAR(frequency_of(amplitude, STEPS, h), w, 1e-3 * w);
        sn_world_destroy(world);
    }
}
