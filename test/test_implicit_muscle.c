// The implicit muscle as a shape: its profiles, its volume, its field and the gradient of it.
#include "kinds/implicit_muscle/muscle_spindle.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
    sn_memory memory;
    sn_muscle_spindle muscle;
} fixture;

static void set_up(fixture *f, int points) {
    sn_memory_init(&f->memory, NULL);
    CHECK_INT(sn_muscle_spindle_init(&f->muscle, &f->memory, points), SN_OK);
}

static void tear_down(fixture *f) {
    sn_muscle_spindle_free(&f->muscle, &f->memory);
    CHECK_INT(f->memory.used_bytes, 0);
}

static double random01(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

// An arc in the xy plane that turns by so much (radians) over its length; a kink if all of it turns at one point.
static void arc(sn_muscle_spindle *m, double length, double turn, bool kink) {
    const int segments = m->points - 1;
    double x = 0, y = 0;
    m->axis[0] = sn_v3(0, 0, 0);
    for (int i = 0; i < segments; i++) {
        const double angle = kink ? (2 * i < segments ? 0 : turn) : turn * (i + 0.5) / segments;
        x += length / segments * cos(angle), y += length / segments * sin(angle);
        m->axis[i + 1] = sn_v3((sn_real)x, (sn_real)y, 0);
    }
}

// The surface's volume by counting places of a grid.
static double counted_volume(const sn_muscle_spindle *m, int across) {
    sn_real low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
    for (int i = 0; i < m->points; i++) {
        const sn_real at[3] = {m->axis[i].x, m->axis[i].y, m->axis[i].z};
        for (int k = 0; k < 3; k++) {
            low[k] = sn_min(low[k], at[k] - m->max_radius);
            high[k] = sn_max(high[k], at[k] + m->max_radius);
        }
    }
    const double cell = 2 * (double)m->max_radius / across;
    int n[3];
    for (int k = 0; k < 3; k++) n[k] = (int)ceil((double)(high[k] - low[k]) / cell);
    const int row = (n[0] + SN_MUSCLE_ROW - 1) / SN_MUSCLE_ROW * SN_MUSCLE_ROW;
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_real *block = sn_alloc(&memory, (size_t)row * 7, sizeof *block);
    const sn_real *const q[3] = {block, block + row, block + 2 * row};
    sn_real *const g[3] = {block + 3 * row, block + 4 * row, block + 5 * row}, *f = block + 6 * row;
    sn_muscle_field_fn *field = sn_muscle_field_for(0);
    long inside = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++) {
            for (int x = 0; x < row; x++) {
                block[x] = low[0] + (sn_real)((x + 0.5) * cell);
                block[row + x] = low[1] + (sn_real)((y + 0.5) * cell);
                block[2 * row + x] = low[2] + (sn_real)((z + 0.5) * cell);
            }
            field(m, row, q, f, g, NULL);
            for (int x = 0; x < n[0]; x++) inside += f[x] < 0;
        }
    sn_free(&memory, block, (size_t)row * 7, sizeof *block);
    return (double)inside * cell * cell * cell;
}

TEST(beta_is_that_of_factorials) {
    CHECK_NEAR(sn_muscle_beta_function(1, 1), 1, 1e-15);
    CHECK_NEAR(sn_muscle_beta_function(5, 5), 24.0 * 24 / 362880, 1e-18);
    for (int x = 1; x <= 17; x++)
        for (int y = 1; y <= 17; y++) {
            const double exact = exp(lgamma(x) + lgamma(y) - lgamma(x + y));
            CHECK_NEAR(sn_muscle_beta_function(x, y) / exact, 1, 1e-12);
        }
}

TEST(known_answers_of_the_default_profile) {
    const sn_muscle_profile p = sn_muscle_profile_default();
    CHECK_NEAR(p.overlap, 0.8273252, 1e-7);
    CHECK_NEAR(0.25 + 0.25 + 0.5 * p.overlap, 0.9136626, 1e-7);
    sn_real slope;
    CHECK_NEAR(sn_muscle_profile_eval(&p, 0, (sn_real)0.5, &slope), 1.568738, 1e-6);
    CHECK_NEAR(slope, 0, 1e-6);
}

static sn_implicit_muscle_profile shape(double alpha, double beta) {
    return (sn_implicit_muscle_profile){(sn_real)alpha, (sn_real)beta, 0};
}

// Of all shapes at every activation the square's integral is 1: Simpson's rule in double precision.
TEST(profiles_have_a_unit_square) {
    for (int a0 = 2; a0 <= 9; a0++)
        for (int b0 = 2; b0 <= 9; b0 += 7)
            for (int a1 = 2; a1 <= 9; a1++)
                for (int b1 = 3; b1 <= 9; b1 += 2) {
                    sn_muscle_profile p;
                    REQUIRE(sn_muscle_profile_init(shape(a0, b0), shape(a1, b1), &p));
                    for (int step = 0; step <= 4; step++) {
                        double sum = 0;
                        for (int i = 0; i <= 200; i++) {
                            const double v =
                                (double)sn_muscle_profile_eval(&p, (sn_real)(step * 0.25), (sn_real)(i / 200.0), NULL);
                            sum += v * v * (i == 0 || i == 200 ? 1 : i % 2 ? 4 : 2) / 600;
                        }
                        if (!CHECK_NEAR(sum, 1, 2e-6)) return;
                    }
                }
}

// Between whole numbers too, and there without a jump from one to the next.
TEST(profiles_go_from_one_to_another) {
    sn_real before[21];
    for (int k = 0; k <= 140; k++) {
        sn_muscle_profile p;
        REQUIRE(sn_muscle_profile_init(shape(2 + 0.05 * k, 9 - 0.03 * k), shape(4.5, 7), &p));
        for (int step = 0; step <= 2; step++) {
            double sum = 0;
            for (int i = 0; i <= 200; i++) {
                const double v = (double)sn_muscle_profile_eval(&p, (sn_real)(step * 0.5), (sn_real)(i / 200.0), NULL);
                sum += v * v * (i == 0 || i == 200 ? 1 : i % 2 ? 4 : 2) / 600;
            }
            if (!CHECK_NEAR(sum, 1, 2e-6)) return;
        }
        for (int i = 0; i <= 20; i++) {
            const sn_real now = sn_muscle_profile_eval(&p, 0, (sn_real)(i / 20.0), NULL);
            if (k > 0) CHECK_NEAR(now, before[i], 0.08);
            before[i] = now;
        }
    }
    sn_muscle_profile whole, nearly; // thickest where the formula says, (alpha - 1) / (alpha + beta - 2)
    REQUIRE(sn_muscle_profile_init(shape(3, 5), shape(3, 5), &whole));
    REQUIRE(sn_muscle_profile_init(shape(3.0001, 4.9999), shape(3, 5), &nearly));
    sn_real slope;
    sn_muscle_profile_eval(&whole, 0, (sn_real)(1 / 3.0), &slope);
    CHECK_NEAR(slope, 0, 1e-5);
    for (int i = 0; i <= 20; i++)
        CHECK_NEAR(sn_muscle_profile_eval(&nearly, 0, (sn_real)(i / 20.0), NULL),
                   sn_muscle_profile_eval(&whole, 0, (sn_real)(i / 20.0), NULL), 1e-3);
}

TEST(slope_of_the_profile_is_its_derivative) {
    sn_muscle_profile p;
    REQUIRE(sn_muscle_profile_init(shape(2, 9), shape(5.3, 3.6), &p));
    for (int i = 1; i < 50; i++) {
        const sn_real s = (sn_real)i / 50, h = (sn_real)1e-3;
        sn_real slope;
        sn_muscle_profile_eval(&p, (sn_real)0.4, s, &slope);
        const sn_real difference = (sn_muscle_profile_eval(&p, (sn_real)0.4, s + h, NULL) -
                                    sn_muscle_profile_eval(&p, (sn_real)0.4, s - h, NULL)) /
                                   (2 * h);
        CHECK_NEAR(slope, difference, 2e-3);
    }
}

TEST(profiles_out_of_range_are_refused) {
    sn_muscle_profile p;
    const sn_implicit_muscle_profile good = {3, 3, 0};
    CHECK(!sn_muscle_profile_init((sn_implicit_muscle_profile){1, 3, 0}, good, &p));
    CHECK(!sn_muscle_profile_init(good, (sn_implicit_muscle_profile){3, 10, 0}, &p));
    CHECK(!sn_muscle_profile_init((sn_implicit_muscle_profile){3, 3, 1}, good, &p));
    CHECK(!sn_muscle_profile_init((sn_implicit_muscle_profile){3, 3, (sn_real)-0.1}, good, &p));
    CHECK(!sn_muscle_profile_init((sn_implicit_muscle_profile){3, 3, (sn_real)NAN}, good, &p));
    sn_memory memory;
    sn_muscle_spindle m;
    sn_memory_init(&memory, NULL);
    CHECK_INT(sn_muscle_spindle_init(&m, &memory, 1), SN_ERR_RANGE);
    CHECK_INT(sn_muscle_spindle_init(&m, &memory, SN_MUSCLE_MAX_POINTS + 1), SN_ERR_RANGE);
    CHECK_INT(memory.used_bytes, 0);
}

// V = pi w^2 l by the formula, at any length and activation.
TEST(volume_is_kept_at_every_length_and_activation) {
    fixture f;
    set_up(&f, 30);
    const sn_muscle_profile p = sn_muscle_profile_default();
    const double volume = 160e-6;
    for (int l = 0; l < 4; l++)
        for (int a = 0; a <= 10; a++) {
            arc(&f.muscle, 0.15 + 0.1 * l, 0.5, false);
            sn_muscle_spindle_build(&f.muscle, &p, (sn_real)(a * 0.1), (sn_real)volume, 1, NULL);
            const double w = (double)f.muscle.width;
            CHECK_NEAR(3.14159265358979 * w * w * (double)f.muscle.length / volume, 1, 2e-6);
            CHECK_NEAR((double)sn_muscle_spindle_volume(&f.muscle) / volume, 1, 1e-5);
        }
    // Exaggeration is meant to break it.
    sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)volume, (sn_real)1.5, NULL);
    CHECK_NEAR((double)sn_muscle_spindle_volume(&f.muscle) / volume, 2.25, 1e-4);
    tear_down(&f);
}

TEST(counted_volume_straight_bent_and_kinked) {
    fixture f;
    set_up(&f, 30);
    sn_muscle_profile round = sn_muscle_profile_default(), flat;
    REQUIRE(sn_muscle_profile_init((sn_implicit_muscle_profile){3, 3, (sn_real)0.9},
                                   (sn_implicit_muscle_profile){4, 7, (sn_real)0.9}, &flat));
    const double volume = 160e-6, half_pi = 1.5707963267948966;
    arc(&f.muscle, 0.3, 0, false);
    sn_muscle_spindle_build(&f.muscle, &round, 0, (sn_real)volume, 1, NULL);
    CHECK_NEAR(counted_volume(&f.muscle, 50) / volume, 1, 0.002);
    sn_muscle_spindle_build(&f.muscle, &round, 1, (sn_real)volume, 1, NULL);
    CHECK_NEAR(counted_volume(&f.muscle, 50) / volume, 1, 0.002);
    sn_muscle_spindle_build(&f.muscle, &flat, 0, (sn_real)volume, 1, (sn_vec3[2]){{0, 1, 0}, {0, 0, 1}}); // and twisted
    CHECK_NEAR(counted_volume(&f.muscle, 60) / volume, 1, 0.003);
    arc(&f.muscle, 0.3, half_pi, false);
    sn_muscle_spindle_build(&f.muscle, &round, 0, (sn_real)volume, 1, NULL);
    CHECK_NEAR(counted_volume(&f.muscle, 50) / volume, 1, 0.002);
    arc(&f.muscle, 0.3, half_pi, true);
    sn_muscle_spindle_build(&f.muscle, &round, 0, (sn_real)volume, 1, NULL);
    CHECK_NEAR(counted_volume(&f.muscle, 50) / volume, 1, 0.03);
    tear_down(&f);
}

// A straight muscle's surface is where the formula says, and across it an ellipse of the wanted eccentricity whose long
// half axis lies along the normal.
TEST(cross_section_is_an_ellipse_along_the_normal) {
    fixture f;
    set_up(&f, 25);
    sn_muscle_profile p;
    REQUIRE(sn_muscle_profile_init((sn_implicit_muscle_profile){3, 3, (sn_real)0.8},
                                   (sn_implicit_muscle_profile){3, 3, (sn_real)0.8}, &p));
    arc(&f.muscle, 0.3, 0, false);
    sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)160e-6, 1, (sn_vec3[2]){{0, 0, 1}, {0, 0, 1}});
    const sn_real middle = f.muscle.radius[12];
    const sn_real long_half = middle * f.muscle.thick, short_half = middle / f.muscle.thick;
    CHECK_NEAR(sn_muscle_field(&f.muscle, sn_v3((sn_real)0.15, 0, long_half), NULL, NULL), 0, 1e-6);
    CHECK_NEAR(sn_muscle_field(&f.muscle, sn_v3((sn_real)0.15, short_half, 0), NULL, NULL), 0, 1e-6);
    CHECK_NEAR(sqrt(1 - pow((double)short_half / (double)long_half, 2)), 0.8, 1e-5);
    tear_down(&f);
}

// The gradient against differences of the field itself, inside and outside of bent, twisted, flat muscles.
static void check_gradient(sn_real eccentricity, double twist, double tolerance) {
    fixture f;
    set_up(&f, 30);
    sn_muscle_profile p;
    REQUIRE(sn_muscle_profile_init((sn_implicit_muscle_profile){3, 4, eccentricity},
                                   (sn_implicit_muscle_profile){4, 7, eccentricity}, &p));
    arc(&f.muscle, 0.3, 1.2, false);
    for (int i = 0; i < f.muscle.points; i++) // a helix: not in a plane
        f.muscle.axis[i].z = (sn_real)(0.03 * sin(6.0 * i / f.muscle.points));
    const sn_vec3 normals[2] = {{0, 0, 1}, {0, (sn_real)-sin(twist), (sn_real)cos(twist)}};
    sn_muscle_spindle_build(&f.muscle, &p, (sn_real)0.3, (sn_real)160e-6, 1, normals);
    uint64_t state = 7;
    double worst = 0;
    int counted = 0;
    while (counted < 400) {
        const int i = (int)(random01(&state) * 30);
        const double far = (0.5 + 1.5 * random01(&state)) * (double)f.muscle.width, turn = 6.2831853 * random01(&state);
        const sn_vec3 n = f.muscle.normal[i], b = sn_cross(f.muscle.tangent[i], n);
        sn_vec3 q = sn_mul_add(f.muscle.axis[i], (sn_real)(far * cos(turn)), n);
        q = sn_mul_add(q, (sn_real)(far * sin(turn)), b);
        q = sn_mul_add(q, (sn_real)(0.004 * random01(&state) + 0.003), f.muscle.tangent[i]);
        sn_vec3 g;
        sn_real at;
        sn_muscle_field(&f.muscle, q, &g, &at);
        const sn_real h = sizeof(sn_real) == 4 ? (sn_real)5e-5 : (sn_real)1e-6;
        double difference[3];
        bool smooth = true; // differences across a plane of the chain are not the gradient on either side of it
        for (int k = 0; k < 3; k++) {
            const sn_vec3 step = {k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0};
            sn_real up_at, down_at;
            const sn_real up = sn_muscle_field(&f.muscle, sn_add(q, step), NULL, &up_at);
            const sn_real down = sn_muscle_field(&f.muscle, sn_sub(q, step), NULL, &down_at);
            difference[k] = (double)(up - down) / (2 * (double)h);
            smooth = smooth && (int)up_at == (int)at && (int)down_at == (int)at;
        }
        if (!smooth) continue;
        const double error = fmax(fmax(fabs(difference[0] - (double)g.x), fabs(difference[1] - (double)g.y)),
                                  fabs(difference[2] - (double)g.z));
        worst = fmax(worst, error);
        counted++;
    }
    CHECK(worst < tolerance);
    tear_down(&f);
}

TEST(gradient_is_that_of_the_field_round) {
    check_gradient(0, 0, sizeof(sn_real) == 4 ? 0.02 : 1e-6);
}

TEST(gradient_is_that_of_the_field_flat_and_twisted) {
    check_gradient((sn_real)0.9, 1.0, sizeof(sn_real) == 4 ? 0.03 : 1e-5);
}

// Walking at a constant offset beside a bent axis, the place on the axis goes without jumps: by no more than thrice
// the walk, where the offset is less than half of the bend's radius.
TEST(place_on_the_axis_does_not_jump) {
    fixture f;
    set_up(&f, 30);
    const sn_muscle_profile p = sn_muscle_profile_default();
    const double turn = 2.0, length = 0.3, bend = length / turn;
    arc(&f.muscle, length, turn, false);
    sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)160e-6, 1, NULL);
    for (int side = -4; side <= 4; side++) {
        const double radius = bend - 0.49 * bend * side / 4.0, step = 2e-4;
        double before = -1, worst = 0;
        for (double angle = 0.05; angle < turn - 0.05; angle += step / radius) {
            const sn_vec3 q = {(sn_real)(radius * sin(angle)), (sn_real)(bend - radius * cos(angle)), 0};
            sn_real at;
            sn_muscle_field(&f.muscle, q, NULL, &at);
            const double s = (double)at / 29 * length;
            if (before >= 0) worst = fmax(worst, fabs(s - before) / step);
            before = s;
        }
        CHECK(worst <= 3);
        CHECK(worst > 0.5);
    }
    tear_down(&f);
}

// The field never falls below the distance to the capsule, nor is the muscle's surface outside of it.
TEST(capsule_holds_the_muscle) {
    fixture f;
    set_up(&f, 20);
    sn_muscle_profile p;
    REQUIRE(sn_muscle_profile_init((sn_implicit_muscle_profile){2, 3, (sn_real)0.7},
                                   (sn_implicit_muscle_profile){9, 2, (sn_real)0.3}, &p));
    uint64_t state = 3;
    for (int round = 0; round < 20; round++) {
        arc(&f.muscle, 0.3, 3 * random01(&state), round % 3 == 0);
        sn_muscle_spindle_build(&f.muscle, &p, (sn_real)random01(&state), (sn_real)400e-6, 1,
                                (sn_vec3[2]){{0, 0, 1}, {0, 1, 0}});
        const sn_vec3 span = sn_sub(f.muscle.bound_b, f.muscle.bound_a);
        for (int i = 0; i < 300; i++) {
            const sn_vec3 q = {(sn_real)(random01(&state) * 0.8 - 0.3), (sn_real)(random01(&state) * 0.8 - 0.3),
                               (sn_real)(random01(&state) * 0.6 - 0.3)};
            const sn_vec3 away = sn_sub(q, f.muscle.bound_a);
            const sn_real at = sn_clamp(sn_dot(away, span) / sn_length2(span), 0, 1);
            const sn_real capsule = sn_length(sn_mul_add(away, -at, span)) - f.muscle.bound_radius;
            CHECK(sn_muscle_field(&f.muscle, q, NULL, NULL) >= capsule - (sn_real)1e-6);
        }
    }
    tear_down(&f);
}

// All widths that the machine has give the same bits as one lane.
TEST(every_lane_width_gives_the_same_bits) {
    enum { COUNT = 512 };
    fixture f;
    set_up(&f, 30);
    static sn_real q[3][COUNT] __attribute__((aligned(64))), out[2][5][COUNT] __attribute__((aligned(64)));
    uint64_t state = 11;
    for (int flat = 0; flat < 2; flat++) {
        sn_muscle_profile p = sn_muscle_profile_default();
        if (flat) p.rest.eccentricity = (sn_real)0.8;
        arc(&f.muscle, 0.3, 1.5, false);
        sn_muscle_spindle_build(&f.muscle, &p, (sn_real)0.3, (sn_real)160e-6, 1, (sn_vec3[2]){{0, 0, 1}, {0, 1, 0}});
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < COUNT; i++) q[k][i] = (sn_real)(random01(&state) * 0.5 - 0.15);
        int widths = 0;
        for (int lanes = 1; lanes <= 16; lanes *= 2) {
            sn_muscle_field_fn *field = sn_muscle_field_for(lanes);
            if (!field) continue;
            const int to = widths++ > 0;
            field(&f.muscle, COUNT, (const sn_real *const[3]){q[0], q[1], q[2]}, out[to][0],
                  (sn_real *const[3]){out[to][1], out[to][2], out[to][3]}, out[to][4]);
            if (to) CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
        }
        CHECK(widths > 0);
    }
    tear_down(&f);
}

// Places close together share the search for their segments; each gets the answer that it would get alone.
TEST(a_place_does_not_see_those_beside_it) {
    fixture f;
    set_up(&f, 30);
    sn_real q[3][16] __attribute__((aligned(64))), out[5][16] __attribute__((aligned(64)));
    uint64_t state = 5;
    sn_muscle_profile p = sn_muscle_profile_default();
    p.rest.eccentricity = (sn_real)0.7;
    arc(&f.muscle, 0.3, 2.5, false);
    sn_muscle_spindle_build(&f.muscle, &p, (sn_real)0.3, (sn_real)160e-6, 1, (sn_vec3[2]){{0, 0, 1}, {0, 1, 0}});
    for (int n = 0; n < 200; n++) {
        const double wide = n % 4 == 0 ? 0.3 : 0.02;
        for (int k = 0; k < 3; k++) {
            const double middle = random01(&state) * 0.5 - 0.15;
            for (int i = 0; i < 16; i++) q[k][i] = (sn_real)(middle + wide * (random01(&state) - 0.5));
        }
        sn_muscle_field_for(0)(&f.muscle, 16, (const sn_real *const[3]){q[0], q[1], q[2]}, out[0],
                               (sn_real *const[3]){out[1], out[2], out[3]}, out[4]);
        for (int i = 0; i < 16; i++) {
            sn_vec3 g;
            sn_real where;
            const sn_real alone = sn_muscle_field(&f.muscle, sn_v3(q[0][i], q[1][i], q[2][i]), &g, &where);
            CHECK(alone == out[0][i] && g.x == out[1][i] && g.z == out[3][i] && where == out[4][i]);
        }
    }
    tear_down(&f);
}

// Normals of an axis that is straight but for noise stay put; a twist is shared out and followed past half a turn.
TEST(normals_do_not_shiver_and_twist_evenly) {
    fixture f;
    set_up(&f, 30);
    const sn_muscle_profile p = sn_muscle_profile_default();
    uint64_t state = 5;
    for (int round = 0; round < 20; round++) {
        arc(&f.muscle, 0.3, 0, false);
        for (int i = 1; i < 29; i++) f.muscle.axis[i].y = (sn_real)(2e-4 * (random01(&state) - 0.5));
        sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)160e-6, 1, (sn_vec3[2]){{0, 1, 0}, {0, 1, 0}});
        for (int i = 0; i < 30; i++) CHECK(f.muscle.normal[i].y > (sn_real)0.99);
    }
    arc(&f.muscle, 0.3, 0, false);
    for (int degrees = 0; degrees <= 270; degrees += 10) {
        const double turn = degrees * 3.14159265358979 / 180;
        sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)160e-6, 1,
                                (sn_vec3[2]){{0, 1, 0}, {0, (sn_real)cos(turn), (sn_real)sin(turn)}});
        CHECK_NEAR(f.muscle.twist, turn, 1e-4);
        CHECK_NEAR(f.muscle.normal[10].y, cos(turn * 10 / 29), 1e-4);
    }
    sn_muscle_spindle_reset_twist(&f.muscle);
    sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)160e-6, 1, (sn_vec3[2]){{0, 1, 0}, {0, 0, -1}});
    CHECK_NEAR(f.muscle.twist, -1.5707963, 1e-4);
    tear_down(&f);
}

// Chains that have no length, turn right back, or hold points twice: everything stays finite.
TEST(degenerate_axes_stay_finite) {
    fixture f;
    set_up(&f, 6);
    sn_muscle_profile p = sn_muscle_profile_default();
    p.rest.eccentricity = (sn_real)0.5;
    const sn_vec3 axes[3][6] = {
        {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 0}, {0, 0, 0}, {-1, 0, 0}},
        {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}},
    };
    for (int k = 0; k < 3; k++) {
        memcpy(f.muscle.axis, axes[k], sizeof axes[k]);
        sn_muscle_spindle_build(&f.muscle, &p, 0, (sn_real)0.01, 1, (sn_vec3[2]){{1, 0, 0}, {0, 0, 0}});
        for (int i = 0; i < 40; i++) {
            sn_vec3 g;
            const sn_vec3 q = {(sn_real)(i % 8) * (sn_real)0.5 - 1, (sn_real)(i / 8) * (sn_real)0.1, 0};
            CHECK(sn_finite(sn_muscle_field(&f.muscle, q, &g, NULL)));
            CHECK(sn_finite3(g));
        }
    }
    tear_down(&f);
}

// Any radii along the axis, as those of a bundle's cross-sections: a cone stays a cone.
TEST(radii_may_be_given) {
    fixture f;
    set_up(&f, 12);
    arc(&f.muscle, 0.22, 0, false);
    sn_real radii[12];
    for (int i = 0; i < 12; i++) radii[i] = (sn_real)(0.01 + 0.002 * i);
    sn_muscle_spindle_build_from_radii(&f.muscle, radii, 0, NULL);
    for (int i = 1; i < 20; i++) {
        const double x = 0.011 * i;
        CHECK_NEAR(sn_muscle_field(&f.muscle, sn_v3((sn_real)x, (sn_real)0.05, 0), NULL, NULL),
                   0.05 - (0.01 + 0.002 * x / 0.02), 2e-6);
    }
    const double a = 0.01, b = 0.032;
    CHECK_NEAR(sn_muscle_spindle_volume(&f.muscle), 3.14159265 * 0.22 / 3 * (a * a + a * b + b * b), 1e-9);
    tear_down(&f);
}
