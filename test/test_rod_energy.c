// The energies of a rod: sn_body_energy against the table of formulas and against integrals over the cross-section; then
// the solvers against sn_body_energy. The twin of this file in double precision has the solvers.
#include "kinds/rod/rod_body.h"
#include "known.h"

enum { MOST_BLOCKS = 40 };

#ifdef SN_DOUBLE
#define CLOSE 1e-11
#else
#define CLOSE 3e-6 // parameters are rounded to float
#endif

// ---- small tools

static uint32_t seed = 1;
static double noise(void) { // -1 to 1
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

typedef struct {
    double x[MOST_BLOCKS][X_ROWS];
} state;

static void read_state(const void *from, int block, double x[X_ROWS]) {
    memcpy(x, ((const state *)from)->x[block], sizeof(double) * X_ROWS);
}

static void energies(const sn_rod_body *body, const state *at, double terms[E_TERMS]) {
    sn_rod_energy_terms(body, read_state, at, terms);
}
static double energy_of(const sn_rod_body *body, const state *at) {
    double terms[E_TERMS], sum = 0;
    energies(body, at, terms);
    for (int k = 0; k < E_TERMS; k++) sum += terms[k];
    return sum;
}

static sn_rod_body *body_of(const sn_world *world, sn_body rod) {
    return sn_rod_find(sn_rods(world), rod);
}

// One of the arrays of states in a rod's packet.
static state packet_state(const sn_world *world, const sn_rod_body *body, sn_real *array) {
    state s;
    for (int i = 0; i < body->blocks; i++)
        for (int r = 0; r < X_ROWS; r++) s.x[i][r] = (double)*sn_rod_at(sn_rods(world), body, array, X_ROWS, i, r);
    return s;
}
static state state_now(const sn_world *world, const sn_rod_body *body) {
    return packet_state(world, body, sn_rod_packet_of(sn_rods(world), body)->x);
}

static void normalize4(double *q) {
    double k = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] *= k;
}

// Turns a frame by the small rotation t in the world: q <- normalize([t/2, 1] q).
static void turn(double *q, const double t[3]) {
    double a = 0.5 * t[0], b = 0.5 * t[1], c = 0.5 * t[2], x = q[0], y = q[1], z = q[2], w = q[3];
    q[0] = x + a * w + b * z - c * y;
    q[1] = y - a * z + b * w + c * x;
    q[2] = z + a * y - b * x + c * w;
    q[3] = w - a * x - b * y - c * z;
    normalize4(q);
}

static void matrix_of(const double *q, double m[3][3]) { // columns u v w
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double all[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(m, all, sizeof all);
}

// Im(q) of the rotation from one frame to the next, by way of matrices: the Darboux vector times half the length.
static void bend_between(const double *before, const double *after, double out[3]) {
    double a[3][3], b[3][3], m[3][3] = {{0}};
    matrix_of(before, a);
    matrix_of(after, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) m[i][j] += a[k][i] * b[k][j];
    double w = 0.5 * sqrt(1 + m[0][0] + m[1][1] + m[2][2]);
    out[0] = (m[2][1] - m[1][2]) / (4 * w);
    out[1] = (m[0][2] - m[2][0]) / (4 * w);
    out[2] = (m[1][0] - m[0][1]) / (4 * w);
}

// ---- values

enum { LINKS = 6 }; // points of the chain below

// A straight chain of uneven lengths, radii and materials, all terms on.
static sn_body uneven(sn_world *world, double length[LINKS], sn_real radii[LINKS], sn_material m[LINKS]) {
    sn_vec3 points[LINKS] = {{0, 0, 0}};
    const double along[3] = {0.6, -0.48, 0.64};
    for (int i = 0; i < LINKS; i++) {
        length[i] = 0.1 + 0.03 * noise();
        radii[i] = (sn_real)(0.05 + 0.02 * noise());
        m[i] = (sn_material){.density = 1000,
                             .young = (sn_real)(1e5 * (2 + noise())),
                             .shear = (sn_real)(4e4 * (2 + noise())),
                             .transverse = (sn_real)(6e4 * (2 + noise())),
                             .volume = (sn_real)(3e5 * (2 + noise())),
                             .scale_bend = (sn_real)(500 * (2 + noise())),
                             .volume_in_bend = true};
        if (i > 0)
            points[i] =
                vec((double)points[i - 1].x + length[i] * along[0], (double)points[i - 1].y + length[i] * along[1],
                    (double)points[i - 1].z + length[i] * along[2]);
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = LINKS;
    def.radii = radii;
    def.materials = m;
    return add_rod(world, &def);
}

static void disturb(state *s, int blocks, double centre, double scale, double frame) {
    for (int i = 0; i < blocks; i++) {
        double t[3];
        for (int k = 0; k < 3; k++) s->x[i][X_CX + k] += centre * noise(), t[k] = frame * noise();
        s->x[i][X_S] += scale * noise();
        turn(s->x[i] + X_QX, t);
    }
}

// Each of the terms, straight from the table: U = 1/2 sum l k |W|^2, with
//     11 stretch |d| - 1, shear d - |d| w    pi r^2 kz, pi r^2 k     14 bend s Omega              1/4 pi r^4 (kz, kz, K)
//     12 section s - 1                       pi r^2 K                15 second difference of s    1/4 pi r^4 kb
//     13 gradient of s                       1/4 pi r^4 K + pi r^2 l^2 (K/12 + e/2), 1/e = 1/kz + 1/kv
//     18 volume s^2 |d| - 1                  pi r^2 kv               19, 20 volume in bending s^3 Omega     1/4 pi r^4 kv
TEST(every_energy_term_is_that_of_the_table) {
    sn_world *world = world_with(0);
    for (int trial = 0; trial < 20; trial++) {
        double length[LINKS], sum[E_TERMS] = {0}, found[E_TERMS];
        sn_real radii[LINKS];
        sn_material m[LINKS];
        sn_body rod = uneven(world, length, radii, m);
        const sn_rod_body *body = body_of(world, rod);
        REQUIRE(body && body->blocks == LINKS);
        state s = state_now(world, body);
        disturb(&s, LINKS, 0.03, 0.3, 0.6);
        for (int i = 1; i < LINKS; i++) {
            const double *a = s.x[i - 1], *b = s.x[i];
            double l = length[i], r = 0.5 * ((double)radii[i - 1] + (double)radii[i]), area = PI * r * r, frame[3][3];
            double d[3], d2 = 0, dw = 0, mean = 0.5 * (a[X_S] + b[X_S]), rise = (b[X_S] - a[X_S]) / l;
            matrix_of(b + X_QX, frame);
            for (int k = 0; k < 3; k++)
                d[k] = (b[X_CX + k] - a[X_CX + k]) / l, d2 += d[k] * d[k], dw += d[k] * frame[k][2];
            double stretch = sqrt(d2) - 1, volume = mean * mean * sqrt(d2) - 1, k_section = 2 * (double)m[i].shear;
            sum[E_STRETCH] += 0.5 * l * area * (double)m[i].young * stretch * stretch;
            sum[E_SHEAR] += 0.5 * l * area * (double)m[i].transverse * 2 * (d2 - sqrt(d2) * dw);
            sum[E_SECTION] += 0.5 * l * area * k_section * (mean - 1) * (mean - 1);
            const double young = (double)m[i].young, kv = (double)m[i].volume, e = young * kv / (young + kv);
            sum[E_GRADIENT] += 0.5 * l * 0.25 * area * r * r * k_section * rise * rise;
            sum[E_GRADIENT] += 0.5 * l * area * l * l * (k_section / 12 + e / 2) * rise * rise;
            sum[E_VOLUME] += 0.5 * l * area * (double)m[i].volume * volume * volume;
        }
        for (int j = 1; j + 1 < LINKS; j++) { // joints at interior points, between segments j and j + 1
            const double *a = s.x[j], *b = s.x[j + 1];
            double l = 0.5 * (length[j] + length[j + 1]), r = (double)radii[j], scale = a[X_S], omega[3];
            double second = 0.25 * PI * r * r * r * r * 0.5 * l; // 1/4 pi r^4 times half the length
            bend_between(a + X_QX, b + X_QX, omega);
            for (int k = 0; k < 3; k++) omega[k] *= 2 / l;
            double young = 0.5 * ((double)m[j].young + (double)m[j + 1].young);
            double twist = (double)m[j].shear + (double)m[j + 1].shear, s3 = scale * scale * scale;
            double volume = 0.5 * ((double)m[j].volume + (double)m[j + 1].volume);
            double bend2 = omega[0] * omega[0] + omega[1] * omega[1];
            double wrinkle = ((b[X_S] - scale) / length[j + 1] - (scale - s.x[j - 1][X_S]) / length[j]) / l;
            sum[E_BEND] += second * young * scale * scale * bend2;
            sum[E_TWIST] += second * twist * scale * scale * omega[2] * omega[2];
            sum[E_VOLUME_BEND] += second * volume * s3 * s3 * bend2;
            sum[E_SCALEBEND] +=
                second * 0.5 * ((double)m[j].scale_bend + (double)m[j + 1].scale_bend) * wrinkle * wrinkle;
        }
        energies(body, &s, found);
        for (int k = 0; k < E_TERMS; k++) {
            CHECK(sum[k] > 0);
            CHECK_NEAR(found[k], sum[k], CLOSE * sum[k]);
        }
        sn_body_destroy(world, rod);
    }
    sn_world_destroy(world);
}

// The integral over the disc of the squared strain of p = c + s R (x, y, 0) against the rest p = (x, y, z), each row of
// R^T grad p weighted with kx, ky, kz (eq. 10), and of the squared change of its determinant (eq. 17). f is quadratic
// in (x, y): two radii and eight angles integrate it exactly.
typedef struct {
    double d[3], s, slope, omega[3]; // gradient of c in the frame, scale and its gradient, Darboux vector
} strain;

static double over_disc(const strain *e, double radius, double kx, double kz, double kv) {
    double sum = 0;
    for (int ring = 0; ring < 2; ring++) {
        double rho = radius * sqrt(0.5 + (ring ? 0.5 : -0.5) / sqrt(3));
        for (int n = 0; n < 8; n++) {
            double x = rho * cos(PI * n / 4 + 0.3), y = rho * sin(PI * n / 4 + 0.3);
            double z[3] = {e->d[0] + e->slope * x - e->s * e->omega[2] * y,
                           e->d[1] + e->slope * y + e->s * e->omega[2] * x,
                           e->d[2] + e->s * (e->omega[0] * y - e->omega[1] * x)};
            double rows =
                2 * kx * (e->s - 1) * (e->s - 1) + kx * (z[0] * z[0] + z[1] * z[1]) + kz * (z[2] - 1) * (z[2] - 1);
            double more = e->s * e->s * z[2] - 1;
            sum += PI * radius * radius / 16 * (rows + kv * more * more);
        }
    }
    return sum;
}

// For a straight rest and kx = ky = the transverse stiffness, the rod's energy a metre is half of these integrals; to
// first order in shear (the paper measures stretch along the frame, we along the segment).
static void check_integral(const strain *e, double tolerance) {
    const double l = 0.1, radius = 0.04, kx = 5e4, kz = 2e5, kv = 3e5;
    sn_world *world = world_with(0);
    const sn_vec3 points[3] = {{0, 0, 0}, {0, 0, (sn_real)l}, {0, 0, (sn_real)(2 * l)}};
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = 3;
    def.radius = (sn_real)radius;
    def.material = (sn_material){.density = 1000,
                                 .young = (sn_real)kz,
                                 .shear = (sn_real)kx,
                                 .transverse = (sn_real)kx,
                                 .volume = (sn_real)kv,
                                 .volume_in_bend = true};
    sn_body rod = add_rod(world, &def);
    state s = state_now(world, body_of(world, rod));
    double q[4] = {0.1, -0.3, 0.2, 0.9}, half[3], w2 = 0;
    normalize4(q);
    for (int k = 0; k < 3; k++) half[k] = 0.5 * l * e->omega[k], w2 += half[k] * half[k];
    for (int i = 0; i < 3; i++) {
        // frame i = frame (i - 1) turned by Omega, whose quaternion is (l Omega / 2, sqrt(1 - ...)), in its own axes
        double *now = s.x[i] + X_QX, m[3][3];
        if (i < 2)
            memcpy(now, q, sizeof q);
        else {
            double a = q[0], b = q[1], c = q[2], d = q[3], x = half[0], y = half[1], z = half[2], w = sqrt(1 - w2);
            now[0] = d * x + a * w + b * z - c * y;
            now[1] = d * y - a * z + b * w + c * x;
            now[2] = d * z + a * y - b * x + c * w;
            now[3] = d * w - a * x - b * y - c * z;
        }
        matrix_of(now, m);
        s.x[i][X_S] = e->s + e->slope * l * (i - 1);
        for (int k = 0; i > 0 && k < 3; k++)
            s.x[i][X_CX + k] = s.x[i - 1][X_CX + k] + l * (m[k][0] * e->d[0] + m[k][1] * e->d[1] + m[k][2] * e->d[2]);
    }
    double terms[E_TERMS], segment = 0, joint = 0;
    energies(body_of(world, rod), &s, terms);
    segment = terms[E_STRETCH] + terms[E_SHEAR] + terms[E_SECTION] + terms[E_GRADIENT] + terms[E_VOLUME];
    joint = terms[E_BEND] + terms[E_TWIST] + terms[E_VOLUME_BEND];
    double found = segment / (2 * l) + joint / l, expected = 0.5 * over_disc(e, radius, kx, kz, kv);
    CHECK_NEAR(found, expected, tolerance * expected);
    sn_world_destroy(world);
}

TEST(energy_a_metre_is_the_integral_over_the_cross_section) {
    // stretched, swollen, bent and twisted
    check_integral(&(strain){{0, 0, 1.3}, 0.8, 0, {3, -2, 4}}, CLOSE);
    check_integral(&(strain){{0, 0, 0.7}, 1.25, 0, {-1, 5, 2}}, CLOSE);
    // each alone
    check_integral(&(strain){{0, 0, 1}, 1, 0, {4, 1, 0}}, CLOSE);
    check_integral(&(strain){{0, 0, 1}, 1, 0, {0, 0, 4}}, CLOSE);
    check_integral(&(strain){{0, 0, 1}, 0.9, 0, {0, 0, 0}}, CLOSE);
    // sheared: to first order
    check_integral(&(strain){{0.02, -0.01, sqrt(1 - 0.0005)}, 1, 0, {0, 0, 0}}, 2e-3);
    check_integral(&(strain){{0.01, -0.005, 1.2}, 0.9, 0, {0, 0, 0}}, 2e-3);
}

// The gradient of the scale has a segment to itself: it costs the integral over the whole segment, not that at its middle. (In the
// state above the scale differs from segment to segment; this one is symmetric about the middle of one.)
TEST(a_slope_of_the_scale_costs_the_integral_over_the_segment) {
    const double l = 0.1, radius = 0.04, kx = 5e4, slope = 1.5;
    sn_world *world = world_with(0);
    const sn_vec3 points[2] = {{0, 0, 0}, {0, 0, (sn_real)l}};
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = 2;
    def.radius = (sn_real)radius;
    def.material = (sn_material){.density = 1000, .young = 1e5, .shear = (sn_real)kx, .transverse = (sn_real)kx};
    sn_body rod = add_rod(world, &def);
    state s = state_now(world, body_of(world, rod));
    s.x[0][X_S] -= 0.5 * l * slope, s.x[1][X_S] += 0.5 * l * slope;
    double expected = 0; // two places along it integrate squares exactly
    for (int side = -1; side < 2; side += 2) {
        const double scale = 1 + side * slope * 0.5 * l / sqrt(3);
        expected += 0.25 * l * over_disc(&(strain){{0, 0, 1}, scale, slope, {0, 0, 0}}, radius, kx, 1e5, 0);
    }
    CHECK_NEAR(energy_of(body_of(world, rod), &s), expected, CLOSE * expected);
    sn_world_destroy(world);
}

// ---- bodies of every topology

typedef enum { CHAIN, TREE, LOOP, LOOP_WITH_BRANCHES, SHAPES } shape;

// A curved body with uneven radii. 'weight' is for the loops' sake: they hang by point 0, as everything does.
static sn_body make(sn_world *world, shape kind, const sn_material *material, bool clamp_last) {
    enum { N = 16 };
    static const int tree[N] = {-1, 0, 1, 2, 3, 4, 2, 6, 7, 2, 9, 10, 7, 12, 13, 14};
    static const int ring[N] = {9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 3, 10, 11, 6, 13, 0};
    sn_vec3 points[N];
    sn_real radii[N];
    seed = 77;
    for (int i = 0; i < N; i++) {
        double t = (double)i / N, angle = 2 * PI * i / (kind == LOOP ? N : 10);
        points[i] = vec(t, 0.15 * sin(5 * t), 0.1 * cos(4 * t));
        if (kind >= LOOP) points[i] = vec(0.2 * cos(angle), 0.2 * sin(angle), 0.02 * sin(3 * angle));
        radii[i] = (sn_real)(0.02 + 0.006 * noise());
    }
    if (kind == TREE || kind == LOOP_WITH_BRANCHES)
        for (int i = kind == TREE ? 1 : 10; i < N; i++) {
            int p = kind == TREE ? tree[i] : ring[i];
            points[i] = vec((double)points[p].x + 0.05 + 0.03 * noise(), (double)points[p].y + 0.06 * noise(),
                            (double)points[p].z + 0.06 * noise());
        }
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = N;
    def.radii = radii;
    def.rest_twist = kind >= LOOP ? 0 : 2;
    def.material = *material;
    def.clamp_first = kind < LOOP;
    def.clamp_last = clamp_last;
    def.parents = kind == TREE ? tree : kind == LOOP_WITH_BRANCHES ? ring : NULL;
    def.closed = kind == LOOP;
    sn_body rod = add_rod(world, &def);
    if (kind >= LOOP) sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);
    return rod;
}

static sn_material soft(bool scale_bend, bool volume_in_bend) {
    sn_material m = sn_material_make(1e5, (sn_real)0.4, 1000);
    m.damping = 0;
    m.scale_bend = scale_bend ? 20 : 0;
    m.volume_in_bend = volume_in_bend;
    return m;
}

// No shape, curved, branched or closed, has any energy where it was made.
TEST(the_rest_shape_has_no_energy) {
    sn_material m = soft(true, true);
    for (int kind = 0; kind < SHAPES; kind++) {
        sn_world *world = world_with(0);
        sn_body rod = make(world, (shape)kind, &m, kind < LOOP);
        state s = state_now(world, body_of(world, rod));
        double at_rest = energy_of(body_of(world, rod), &s);
        disturb(&s, body_of(world, rod)->blocks, 1e-3, 1e-2, 1e-2);
        double disturbed = energy_of(body_of(world, rod), &s);
        CHECK(disturbed > 1e-6);
        CHECK(at_rest < CLOSE * disturbed);
        sn_world_destroy(world);
    }
}

// Turning and shifting the whole state costs nothing.
TEST(energy_does_not_see_rigid_motion) {
    sn_material m = soft(true, true);
    double q[4] = {0.5, -0.3, 0.2, 0.7}, by[3][3];
    normalize4(q);
    matrix_of(q, by);
    for (int kind = 0; kind < SHAPES; kind++) {
        sn_world *world = world_with(0);
        sn_body rod = make(world, (shape)kind, &m, false);
        const sn_rod_body *body = body_of(world, rod);
        state s = state_now(world, body), moved;
        disturb(&s, body->blocks, 0.01, 0.1, 0.2);
        moved = s;
        for (int i = 0; i < body->blocks; i++) {
            double x = q[0], y = q[1], z = q[2], w = q[3], *o = moved.x[i] + X_QX;
            const double *p = s.x[i] + X_QX;
            for (int k = 0; k < 3; k++)
                moved.x[i][X_CX + k] = 3 + k + by[k][0] * s.x[i][0] + by[k][1] * s.x[i][1] + by[k][2] * s.x[i][2];
            o[0] = w * p[0] + x * p[3] + y * p[2] - z * p[1];
            o[1] = w * p[1] - x * p[2] + y * p[3] + z * p[0];
            o[2] = w * p[2] + x * p[1] - y * p[0] + z * p[3];
            o[3] = w * p[3] - x * p[0] - y * p[1] - z * p[2];
        }
        double before = energy_of(body, &s);
        CHECK_NEAR(energy_of(body, &moved), before, 1e-9 * before);
        sn_world_destroy(world);
    }
}

// The strain of a joint is measured from its rest rotation. For smooth rods that is the table's s Omega - Omega_rest:
// the difference is of the second order in the angle of the joint (K = kz here: the two differ by a turn of the strain
// vector).
TEST(bending_from_a_curved_rest_is_the_difference_of_darboux_vectors) {
    enum { N = 33 };
    sn_vec3 points[N];
    const double angle = 0.05; // from segment to segment
    for (int i = 0; i < N; i++) points[i] = vec(cos(angle * i), sin(angle * i), 0.01 * i);
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = N;
    def.rest_twist = (sn_real)0.5;
    def.material = stuff(1e5, 1000);
    sn_body rod = add_rod(world, &def);
    const sn_rod_body *body = body_of(world, rod);
    state rest = state_now(world, body), s = rest;
    disturb(&s, N, 0, 0.01, 0.01);
    double terms[E_TERMS], expected = 0;
    energies(body, &s, terms);
    for (int j = 1; j + 1 < N; j++) {
        double now[3], before[3], l = (double)body->block[j].length, r = (double)body->block[j].radius;
        bend_between(s.x[j] + X_QX, s.x[j + 1] + X_QX, now);
        bend_between(rest.x[j] + X_QX, rest.x[j + 1] + X_QX, before);
        for (int k = 0; k < 3; k++) {
            double w = 2 / l * (s.x[j][X_S] * now[k] - before[k]);
            expected += 0.5 * l * 0.25 * PI * r * r * r * r * 1e5 * w * w;
        }
    }
    CHECK_NEAR(terms[E_BEND] + terms[E_TWIST], expected, 2 * angle * angle * expected);
    sn_world_destroy(world);
}
