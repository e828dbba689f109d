// The implicit muscle in motion: its axis jiggles as asked at any step, keeps out of bones and of other muscles, and
// keeps its volume.
// compilers: all
#include "base/math/trig.h"
#include "kinds/implicit_muscle/muscle_system.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

enum { MAX_MUSCLES = 8, MAX_BONES = 3 };

typedef struct {
    sn_memory memory;
    sn_muscle_system_def def;
    sn_implicit_muscle_def muscles[MAX_MUSCLES];
    sn_muscle_obstacle bones[4];
    sn_transform poses[MAX_BONES];
    sn_muscle_system *system;
} fixture;

static const sn_transform at_origin = {{0, 0, 0}, {0, 0, 0, 1}};

static sn_transform turned(sn_vec3 at, double degrees) { // about z
    const double half = degrees * 3.14159265358979 / 360;
    return (sn_transform){at, {0, 0, (sn_real)sin(half), (sn_real)cos(half)}};
}

static void start(fixture *f) {
    CHECK_INT(sn_muscle_system_create(&f->memory, NULL, &f->def, &f->system), SN_OK);
}

static void empty(fixture *f) {
    *f = (fixture){0};
    sn_memory_init(&f->memory, NULL);
    for (int b = 0; b < MAX_BONES; b++) f->poses[b] = at_origin;
    f->def = sn_muscle_system_def_default();
    f->def.poses = f->poses, f->def.bone_count = MAX_BONES;
    f->def.obstacles = f->bones, f->def.muscles = f->muscles;
}

// One muscle of 160 cm^3 along x, 0.3 m long, both ends on bone 0, with nothing to touch.
static void alone(fixture *f, double hertz, double damping, int substeps) {
    empty(f);
    f->muscles[0] = sn_implicit_muscle_def_default();
    f->muscles[0].end[1] = sn_v3((sn_real)0.3, 0, 0);
    f->muscles[0].volume = (sn_real)160e-6;
    f->muscles[0].hertz = (sn_real)hertz, f->muscles[0].damping = (sn_real)damping;
    f->def.muscle_count = 1, f->def.substeps = substeps;
    start(f);
}

static void finish(fixture *f) {
    sn_muscle_system_destroy(f->system);
    CHECK_INT(f->memory.used_bytes, 0);
}

static sn_vec3 middle(const fixture *f, int muscle) {
    const sn_muscle_spindle *m = sn_muscle_system_get_spindle(f->system, muscle);
    return m->axis[m->points / 2];
}

// Jolts the bone: the muscle then swings about the line between its ends.
static void jolt(fixture *f, double h) {
    f->poses[0].position.y = (sn_real)0.01;
    CHECK_INT(sn_muscle_system_step(f->system, (sn_real)h, f->poses, NULL), SN_OK);
}

// The frequency, from the times at which the middle goes through the line between the ends, and the decay c, from the
// extrema.
static double measure_swing(double hertz, double damping, double h, double *decay) {
    fixture f;
    alone(&f, hertz, damping, 1);
    jolt(&f, h);
    double before = 0, first = 0, last = 0, top = 0, first_top = 0, last_top = 0;
    int crossings = 0, tops = 0;
    for (int i = 1; i * h < 1.6; i++) {
        sn_muscle_system_step(f.system, (sn_real)h, f.poses, NULL);
        const double y = (double)middle(&f, 0).y - 0.01;
        if (fabs(y) > top) top = fabs(y);
        if (i > 1 && (before < 0) != (y < 0)) {
            last = (i - 1 + before / (before - y)) * h;
            if (crossings++ == 0) first = last;
            if (crossings > 1) {
                last_top = top;
                if (tops++ == 0) first_top = top;
            }
            top = 0;
        }
        before = y;
    }
    finish(&f);
    if (decay) *decay = 2 * log(first_top / last_top) / (tops - 1) * 2 * hertz;
    return crossings > 1 ? 0.5 * (crossings - 1) / (last - first) : 0;
}

TEST(it_jiggles_as_often_as_asked_at_any_step) {
    for (int inverse = 60; inverse <= 960; inverse *= 2) {
        CHECK_NEAR(measure_swing(4, 3, 1.0 / inverse, NULL), 4, 0.2);
        CHECK_NEAR(measure_swing(2, 1, 1.0 / inverse, NULL), 2, 0.1);
    }
    CHECK_NEAR(measure_swing(8, 3, 1.0 / 240, NULL), 8, 0.4);
}

// exp(-c t / 2), where implicit steps do not damp more than that by themselves.
TEST(jiggling_dies_down_as_asked) {
    for (int inverse = 240; inverse <= 960; inverse *= 2) {
        double decay;
        measure_swing(4, 3, 1.0 / inverse, &decay);
        CHECK_NEAR(decay, 3, 0.45);
        measure_swing(3, 4, 1.0 / inverse, &decay);
        CHECK_NEAR(decay, 4, 0.6);
    }
}

// What the paper does, position based dynamics with a stiffness of 0.7: the frequency goes with the step. For
// comparison, and to know that the measurement above would find it.
TEST(plain_position_based_dynamics_depends_on_the_step) {
    double hertz[2] = {0};
    for (int fine = 0; fine < 2; fine++) {
        enum { N = 30 };
        const double h = fine ? 1.0 / 960 : 1.0 / 240, l0 = 0.02 * 0.3 / (N - 1);
        double x[N], y[N], vx[N] = {0}, vy[N] = {0}, before = 0, first = 0, last = 0;
        int crossings = 0;
        for (int i = 0; i < N; i++) x[i] = 0.3 * i / (N - 1), y[i] = 0.01 * sin(3.14159265 * i / (N - 1));
        for (int step = 1; step * h < 2; step++) {
            double ox[N], oy[N];
            for (int i = 0; i < N; i++) {
                ox[i] = x[i], oy[i] = y[i];
                if (i > 0 && i < N - 1) x[i] += h * vx[i], y[i] += h * vy[i];
            }
            for (int i = 0; i + 1 < N; i++) {
                const double wa = i > 0, wb = i + 1 < N - 1, dx = x[i + 1] - x[i], dy = y[i + 1] - y[i];
                const double d = sqrt(dx * dx + dy * dy), k = 0.7 * (d - l0) / d / (wa + wb);
                x[i] += wa * k * dx, y[i] += wa * k * dy, x[i + 1] -= wb * k * dx, y[i + 1] -= wb * k * dy;
            }
            for (int i = 0; i < N; i++) vx[i] = (x[i] - ox[i]) / h, vy[i] = (y[i] - oy[i]) / h;
            if (step > 1 && (before < 0) != (y[N / 2] < 0)) {
                last = step * h;
                if (crossings++ == 0) first = last;
            }
            before = y[N / 2];
        }
        hertz[fine] = crossings > 1 ? 0.5 * (crossings - 1) / (last - first) : 0;
    }
    CHECK(hertz[1] > 2 * hertz[0]);
}

TEST(it_comes_to_rest_straight_and_still) {
    fixture f;
    alone(&f, 4, 12, 4);
    jolt(&f, 1.0 / 60);
    for (int i = 0; i < 240; i++) sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
    const sn_muscle_spindle *m = sn_muscle_system_get_spindle(f.system, 0);
    for (int i = 0; i < m->points; i++) {
        CHECK_NEAR(m->axis[i].y, 0.01, 1e-6);
        CHECK_NEAR(m->axis[i].z, 0, 1e-6);
    }
    const sn_vec3 here = middle(&f, 0);
    for (int i = 0; i < 60; i++) sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
    CHECK(sn_length(sn_sub(middle(&f, 0), here)) < (sn_real)1e-6);
    finish(&f);
}

TEST(energy_does_not_grow_without_input) {
    fixture f;
    alone(&f, 5, 0, 4);
    jolt(&f, 1.0 / 60);
    double before = sn_muscle_system_energy(f.system);
    const double first = before;
    for (int i = 0; i < 300; i++) {
        sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
        const double now = sn_muscle_system_energy(f.system);
        CHECK(now <= before + 2e-3 * (first > 0 ? first : 1));
        before = now;
    }
    finish(&f);
}

// A character that moves on evenly, or turns about the muscle's end, does not drag its muscles behind.
TEST(a_ride_does_not_bend_it) {
    for (int spin = 0; spin < 2; spin++) {
        fixture f;
        alone(&f, 4, 12, 4);
        double worst = 0;
        for (int i = 1; i <= 240; i++) {
            f.poses[0] = spin ? turned(sn_v3(0, 0, 0), 0.5 * i) : at_origin;
            if (!spin) f.poses[0].position = sn_v3(0, (sn_real)(5.0 * i / 60), 0);
            sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
            const sn_muscle_spindle *m = sn_muscle_system_get_spindle(f.system, 0);
            const sn_vec3 a = m->axis[0], u = sn_normalize(sn_sub(m->axis[29], a), sn_v3(1, 0, 0));
            sn_vec3 away = sn_sub(middle(&f, 0), a);
            away = sn_mul_add(away, -sn_dot(away, u), u);
            if (i > 180) worst = fmax(worst, (double)sn_length(away));
        }
        CHECK(worst < 2e-4); // 20 m from the origin, in float
        finish(&f);
    }
}

// --- an arm: bone 0 the upper arm along -y from the shoulder at the origin, bone 1 the forearm, hinged 0.3 m below ---

static void arm(fixture *f, int substeps, bool collide) {
    empty(f);
    f->poses[1] = turned(sn_v3(0, (sn_real)-0.3, 0), 0);
    f->bones[0] =
        (sn_muscle_obstacle){.bone = 0, .pill = {{0, 0, 0}, {0, (sn_real)-0.3, 0}, (sn_real)0.016, (sn_real)0.018}};
    f->bones[1] =
        (sn_muscle_obstacle){.bone = 1, .pill = {{0, 0, 0}, {0, (sn_real)-0.25, 0}, (sn_real)0.018, (sn_real)0.013}};
    f->def.obstacle_count = 2;
    sn_implicit_muscle_def *biceps = &f->muscles[0];
    *biceps = sn_implicit_muscle_def_default();
    biceps->bone[1] = 1;
    biceps->end[0] = sn_v3((sn_real)0.03, (sn_real)0.005, 0);
    biceps->end[1] = sn_v3((sn_real)0.02, (sn_real)-0.045, 0);
    biceps->volume = (sn_real)160e-6;
    biceps->collide_bones = collide;
    f->def.muscle_count = 1, f->def.substeps = substeps;
    start(f);
    CHECK_INT(sn_muscle_system_teleport(f->system, f->poses, 20, NULL), SN_OK);
}

// The forearm comes up in front (+x).
static void bend(fixture *f, double degrees) {
    f->poses[1] = turned(sn_v3(0, (sn_real)-0.3, 0), degrees);
}

// By places of a grid.
static double counted_volume(const sn_muscle_spindle *m) {
    sn_real low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
    for (int i = 0; i < m->points; i++) {
        const sn_real at[3] = {m->axis[i].x, m->axis[i].y, m->axis[i].z};
        for (int k = 0; k < 3; k++) low[k] = sn_min(low[k], at[k]), high[k] = sn_max(high[k], at[k]);
    }
    const double cell = (double)m->max_radius / 14;
    int n[3];
    for (int k = 0; k < 3; k++) {
        low[k] -= m->max_radius;
        n[k] = (int)ceil((double)(high[k] + m->max_radius - low[k]) / cell);
    }
    static sn_real rows[7][1024] __attribute__((aligned(64)));
    const int row = (n[0] + SN_MUSCLE_ROW - 1) / SN_MUSCLE_ROW * SN_MUSCLE_ROW;
    if (!CHECK(row <= 1024)) return 0;
    sn_muscle_field_fn *field = sn_muscle_field_for(0);
    long inside = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++) {
            for (int x = 0; x < row; x++) {
                rows[0][x] = low[0] + (sn_real)((x + 0.5) * cell);
                rows[1][x] = low[1] + (sn_real)((y + 0.5) * cell);
                rows[2][x] = low[2] + (sn_real)((z + 0.5) * cell);
            }
            field(m, row, (const sn_real *const[3]){rows[0], rows[1], rows[2]}, rows[6],
                  (sn_real *const[3]){rows[3], rows[4], rows[5]}, NULL);
            for (int x = 0; x < n[0]; x++) inside += rows[6][x] < 0;
        }
    return (double)inside * cell * cell * cell;
}

TEST(biceps_curl_keeps_its_volume_and_out_of_the_bones) {
    fixture f;
    arm(&f, 4, true);
    const sn_muscle_spindle *m = sn_muscle_system_get_spindle(f.system, 0);
    const double start_length = (double)m->length, start_max = (double)m->max_radius;
    double least = 1e9, most = 0, deepest = 0;
    for (int i = 0; i <= 90; i++) {
        bend(&f, fmin(130, 130 * i / 60.0));
        sn_muscle_system_set_keys(f.system, 0, (sn_implicit_muscle_keys){(sn_real)fmin(1, i / 60.0), 1, -1});
        CHECK_INT(sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL), SN_OK);
        deepest = fmax(deepest, (double)sn_muscle_system_get_report(f.system).penetration);
        if (i % 15 == 0) {
            const double volume = counted_volume(m);
            least = fmin(least, volume), most = fmax(most, volume);
        }
    }
    CHECK(least > 0.97 * 160e-6);
    CHECK(most < 1.03 * 160e-6);
    CHECK(deepest < 0.5e-3);
    CHECK((double)m->length < 0.9 * start_length); // it has shortened, and is thicker for it
    CHECK((double)m->max_radius > 1.1 * start_max);
    finish(&f);
}

// The muscle wraps the upper arm's bone: with contacts its belly is pushed off, without it lies across the corner.
TEST(the_bulge_comes_from_the_bones) {
    double off[2];
    for (int collide = 0; collide < 2; collide++) {
        fixture f;
        arm(&f, 4, collide);
        off[collide] = (double)middle(&f, 0).x;
        finish(&f);
    }
    CHECK(off[0] < 0.03);
    CHECK(off[1] > off[0] + 0.01);
}

TEST(the_curl_ends_alike_at_any_step) {
    double length[4], x[4];
    for (int k = 0; k < 4; k++) {
        const int substeps[4] = {1, 2, 4, 16};
        fixture f;
        arm(&f, substeps[k], true);
        for (int i = 1; i <= 150; i++) {
            bend(&f, fmin(110, 110 * i / 60.0));
            sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
        }
        length[k] = (double)sn_muscle_system_get_spindle(f.system, 0)->length;
        x[k] = (double)middle(&f, 0).x;
        const sn_vec3 here = middle(&f, 0);
        for (int i = 0; i < 30; i++) sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
        CHECK(sn_length(sn_sub(middle(&f, 0), here)) < (sn_real)5e-5); // no shivering
        finish(&f);
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(length[k] / length[3], 1, 0.005);
        CHECK_NEAR(x[k], x[3], 0.5e-3);
    }
}

// The same bone as a distance of the user's.
static void pill_distance(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                          sn_real *const gradient[3]) {
    const sn_pill *pill = context;
    for (int i = 0; i < count; i++) {
        const sn_vec3 e = sn_sub(pill->b, pill->a), p = {q[0][i], q[1][i], q[2][i]};
        const sn_real t = sn_clamp(sn_dot(sn_sub(p, pill->a), e) / sn_length2(e), 0, 1);
        const sn_vec3 away = sn_sub(p, sn_mul_add(pill->a, t, e)), n = sn_normalize(away, sn_v3(1, 0, 0));
        distance[i] = sn_length(away) - pill->ra;
        gradient[0][i] = n.x, gradient[1][i] = n.y, gradient[2][i] = n.z;
    }
}

TEST(bones_may_be_any_distance) {
    double x[2];
    for (int own = 0; own < 2; own++) {
        fixture f;
        empty(&f);
        f.poses[0] = turned(sn_v3((sn_real)0.1, 0, 0), 30);
        f.muscles[0] = sn_implicit_muscle_def_default();
        f.muscles[0].end[0] = sn_v3((sn_real)0.02, (sn_real)0.15, 0);
        f.muscles[0].end[1] = sn_v3((sn_real)0.02, (sn_real)-0.15, 0);
        f.muscles[0].volume = (sn_real)100e-6;
        const sn_pill pill = {{0, (sn_real)0.15, 0}, {0, (sn_real)-0.15, 0}, (sn_real)0.02, (sn_real)0.02};
        f.bones[0] = (sn_muscle_obstacle){.bone = 0, .pill = pill};
        if (own) f.bones[0].distance = pill_distance, f.bones[0].context = &pill;
        f.def.obstacle_count = f.def.muscle_count = 1;
        start(&f);
        CHECK_INT(sn_muscle_system_teleport(f.system, f.poses, 30, NULL), SN_OK);
        const sn_muscle_spindle *m = sn_muscle_system_get_spindle(f.system, 0);
        x[own] = (double)middle(&f, 0).x;
        const sn_real gap = sn_muscle_field(m, sn_v3((sn_real)0.1, 0, 0), NULL, NULL);
        CHECK_NEAR(gap, 0.02, 1e-3); // the muscle lies on the bone
        finish(&f);
    }
    CHECK_NEAR(x[0], x[1], 1e-5);
}

// --- muscles against each other ---

// How deep points of a are in b.
static double overlap(const sn_muscle_spindle *a, const sn_muscle_spindle *b) {
    double worst = 0;
    for (int i = 4; i < a->points - 4; i++)
        worst = fmax(worst, (double)(a->radius[i] - sn_muscle_field(b, a->axis[i], NULL, NULL)));
    return worst;
}

// Two muscles side by side, on bones that are moved towards each other.
static void pair_of(fixture *f, double apart, int group, double thicker) {
    empty(f);
    for (int k = 0; k < 2; k++) {
        f->muscles[k] = sn_implicit_muscle_def_default();
        f->muscles[k].bone[0] = f->muscles[k].bone[1] = k;
        f->muscles[k].end[0] = sn_v3(0, (sn_real)0.12, 0);
        f->muscles[k].end[1] = sn_v3(0, (sn_real)-0.12, (sn_real)(k ? 0.02 : 0));
        f->muscles[k].volume = (sn_real)(60e-6 * (k ? thicker : 1));
        f->muscles[k].group = group;
    }
    f->poses[1].position.x = (sn_real)apart;
    f->def.muscle_count = 2;
    start(f);
}

TEST(muscles_do_not_overlap) {
    fixture f;
    pair_of(&f, 0.06, 0, 1);
    const sn_muscle_spindle *a = sn_muscle_system_get_spindle(f.system, 0),
                            *b = sn_muscle_system_get_spindle(f.system, 1);
    double worst = 0;
    for (int i = 1; i <= 120; i++) {
        f.poses[1].position.x = (sn_real)(0.06 - 0.05 * fmin(1, i / 60.0));
        CHECK_INT(sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL), SN_OK);
        if (i > 10) worst = fmax(worst, fmax(overlap(a, b), overlap(b, a)));
    }
    CHECK_INT(sn_muscle_system_get_report(f.system).pairs, 1);
    CHECK(worst < 1.5e-3);
    // Equal muscles give way equally, and lie still in the end.
    const double left = (double)a->axis[15].x, right = (double)b->axis[15].x;
    CHECK(right - left > 0.02);
    CHECK_NEAR(left, -(right - 0.01), 1.5e-3);
    for (int i = 0; i < 30; i++) sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
    CHECK_NEAR(a->axis[15].x, left, 5e-4);
    finish(&f);
}

TEST(the_heavier_muscle_moves_less) {
    fixture f;
    pair_of(&f, 0.012, 0, 3);
    sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
    const sn_muscle_spindle *a = sn_muscle_system_get_spindle(f.system, 0),
                            *b = sn_muscle_system_get_spindle(f.system, 1);
    CHECK(fabs((double)a->axis[15].x) > 1.5 * fabs((double)b->axis[15].x - 0.012));
    finish(&f);
}

TEST(muscles_of_one_group_overlap) {
    fixture f;
    pair_of(&f, 0.01, 5, 1);
    for (int i = 0; i < 30; i++) sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
    CHECK_INT(sn_muscle_system_get_report(f.system).pairs, 0);
    CHECK_NEAR(middle(&f, 0).x, 0, 1e-5);
    finish(&f);
}

// --- skin, friction, keys ---

static void below(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                  sn_real *const gradient[3]) {
    const sn_real level = *(const sn_real *)context;
    for (int i = 0; i < count; i++) {
        distance[i] = 2 * (q[1][i] - level); // a field that is not a distance
        gradient[0][i] = gradient[2][i] = 0, gradient[1][i] = 2;
    }
}

TEST(it_stays_in_the_skin) {
    fixture f;
    const sn_real level = (sn_real)0.002;
    const void *context[1] = {&level};
    alone(&f, 3, 4, 4);
    sn_muscle_system_set_skin(f.system, below, context);
    f.poses[0].position.y = (sn_real)-0.05; // away from the skin, so that the muscle swings towards it
    double highest = -1, lowest = 1;
    for (int i = 0; i < 60; i++) {
        sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
        f.poses[0].position.y = 0;
        highest = fmax(highest, (double)middle(&f, 0).y), lowest = fmin(lowest, (double)middle(&f, 0).y);
    }
    CHECK(lowest < -0.003);
    CHECK(highest <= 0.002 + 1e-6);
    CHECK(highest > 0.0019);
    finish(&f);
}

// A bone rolls under a muscle: with friction it takes the muscle along.
TEST(friction_drives_it) {
    double taken[2];
    for (int rough = 0; rough < 2; rough++) {
        fixture f;
        empty(&f);
        f.muscles[0] = sn_implicit_muscle_def_default();
        f.muscles[0].end[0] = sn_v3((sn_real)-0.15, 0, 0), f.muscles[0].end[1] = sn_v3((sn_real)0.15, 0, 0);
        f.muscles[0].volume = (sn_real)60e-6, f.muscles[0].friction = rough ? 2 : 0;
        f.bones[0] = (sn_muscle_obstacle){
            .bone = 1,
            .pill = {
                {0, (sn_real)-0.02, (sn_real)-0.2}, {0, (sn_real)-0.02, (sn_real)0.2}, (sn_real)0.04, (sn_real)0.04}};
        f.def.obstacle_count = f.def.muscle_count = 1;
        start(&f);
        sn_muscle_system_teleport(f.system, f.poses, 20, NULL);
        for (int i = 1; i <= 20; i++) {
            f.poses[1].position.z = (sn_real)(0.002 * i); // along itself
            sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
        }
        taken[rough] = (double)middle(&f, 0).z;
        finish(&f);
    }
    CHECK_NEAR(taken[0], 0, 1e-5);
    CHECK(taken[1] > 0.002);
}

TEST(keys_change_its_shape_at_constant_volume) {
    fixture f;
    alone(&f, 6, 12, 4);
    const sn_muscle_spindle *m = sn_muscle_system_get_spindle(f.system, 0);
    const double rest = (double)m->radius[10];
    double before = (double)m->radius[22], step = 0;
    for (int i = 1; i <= 10; i++) {
        CHECK_INT(sn_muscle_system_set_keys(f.system, 0, (sn_implicit_muscle_keys){(sn_real)(i / 10.0), 1, -1}), SN_OK);
        sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
        CHECK_NEAR((double)sn_muscle_spindle_volume(m) / 160e-6, 1, 1e-5);
        step = fmax(step, fabs((double)m->radius[22] - before));
        before = (double)m->radius[22];
    }
    CHECK((double)m->radius[10] > 1.15 * rest); // the active shape is thickest nearer to the origin
    CHECK(step < 0.2 * rest);
    CHECK_INT(sn_muscle_system_set_keys(f.system, 0, (sn_implicit_muscle_keys){1, (sn_real)1.5, -1}), SN_OK);
    sn_muscle_system_step(f.system, (sn_real)(1.0 / 60), f.poses, NULL);
    CHECK_NEAR((double)sn_muscle_spindle_volume(m) / 160e-6, 2.25, 1e-3);
    CHECK_INT(sn_muscle_system_set_keys(f.system, 0, (sn_implicit_muscle_keys){(sn_real)1.1, 1, -1}), SN_ERR_RANGE);
    CHECK_INT(sn_muscle_system_set_keys(f.system, 0, (sn_implicit_muscle_keys){0, 0, -1}), SN_ERR_RANGE);
    CHECK_INT(sn_muscle_system_set_keys(f.system, 0, (sn_implicit_muscle_keys){0, 1, (sn_real)0.5}),
              SN_ERR_RANGE); // no normals
    CHECK_INT(sn_muscle_system_set_keys(f.system, 1, (sn_implicit_muscle_keys){0, 1, -1}), SN_ERR_RANGE);
    finish(&f);
}

// --- the system ---

// Six muscles between two bones that touch each other and a bone.
static void crowd(fixture *f, int lanes) {
    empty(f);
    for (int k = 0; k < 6; k++) {
        sn_real sine, cosine;
        sn_sincos((sn_real)k * SN_PI / 3, &sine, &cosine);
        f->muscles[k] = sn_implicit_muscle_def_default();
        f->muscles[k].bone[1] = 1;
        f->muscles[k].end[0] = sn_v3((sn_real)0.03 * cosine, (sn_real)0.15, (sn_real)0.03 * sine);
        f->muscles[k].end[1] = sn_v3((sn_real)0.02 * cosine, 0, (sn_real)0.02 * sine);
        f->muscles[k].volume = (sn_real)(60e-6 + 10e-6 * k);
        f->muscles[k].normal[0] = f->muscles[k].normal[1] = sn_v3(-sine, 0, cosine);
        f->muscles[k].rest.eccentricity = (sn_real)(k % 2 ? 0.6 : 0);
    }
    f->poses[1].position.y = (sn_real)-0.1;
    f->bones[0] = (sn_muscle_obstacle){
        .bone = 0, .pill = {{0, (sn_real)0.15, 0}, {0, (sn_real)-0.1, 0}, (sn_real)0.015, (sn_real)0.012}};
    f->def.obstacle_count = 1, f->def.muscle_count = 6, f->def.lanes = lanes;
    start(f);
}

static void shake(fixture *f, int frame, sn_pool *pool) {
    sn_real sine, cosine;
    sn_sincos((sn_real)frame * (sn_real)0.3, &sine, &cosine);
    f->poses[1].position = sn_v3((sn_real)0.03 * sine, (sn_real)-0.1, (sn_real)0.02 * cosine);
    f->poses[1].rotation = sn_q_normalize((sn_quat){(sn_real)0.2 * sine, (sn_real)0.1 * cosine, 0, 1});
    for (int k = 0; k < 6; k++)
        sn_muscle_system_set_keys(f->system, k, (sn_implicit_muscle_keys){(sn_real)0.5 + (sn_real)0.5 * sine, 1, -1});
    CHECK_INT(sn_muscle_system_step(f->system, (sn_real)(1.0 / 60), f->poses, pool), SN_OK);
}

TEST(workers_and_lanes_do_not_change_a_bit) {
    fixture one, more;
    const int widths[4] = {1, 4, 8, 16};
    int narrow = 0;
    while (!sn_muscle_field_for(widths[narrow])) narrow++;
    crowd(&one, widths[narrow]);
    crowd(&more, 0);
    sn_memory memory;
    sn_pool *pool;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_pool_create(&memory, NULL, 3, &pool) == SN_OK);
    for (int i = 0; i < 40; i++) {
        shake(&one, i, NULL);
        shake(&more, i, pool);
        CHECK(sn_muscle_system_hash(one.system, 1) == sn_muscle_system_hash(more.system, 1));
    }
    CHECK(sn_muscle_system_get_report(one.system).contacts > 0);
    CHECK(sn_muscle_system_get_report(one.system).pairs > 4);
    CHECK(sn_muscle_system_get_report(one.system).penetration < (sn_real)0.5e-3);
    sn_pool_destroy(&memory, pool);
    finish(&one);
    finish(&more);
}

TEST(a_warmed_step_allocates_nothing) {
    fixture f;
    crowd(&f, 0);
    for (int i = 0; i < 30; i++) shake(&f, i, NULL);
    const uint64_t before = f.memory.allocations;
    for (int i = 30; i < 60; i++) shake(&f, i, NULL);
    CHECK_INT(f.memory.allocations, before);
    finish(&f);
}

TEST(a_saved_state_goes_on_as_it_would_have) {
    fixture f, g;
    crowd(&f, 0);
    crowd(&g, 0);
    for (int i = 0; i < 10; i++) shake(&f, i, NULL);
    sn_stream count = {.mode = SN_STREAM_COUNT};
    sn_muscle_system_visit(f.system, &count);
    unsigned char *bytes = malloc(count.at);
    sn_stream out = {.mode = SN_STREAM_WRITE, .write = bytes, .end = count.at};
    sn_muscle_system_visit(f.system, &out);
    CHECK(!out.bad);
    sn_stream in = {.mode = SN_STREAM_READ, .read = bytes, .end = count.at};
    sn_muscle_system_visit(g.system, &in);
    CHECK(!in.bad);
    for (int i = 10; i < 30; i++) {
        shake(&f, i, NULL);
        shake(&g, i, NULL);
    }
    CHECK(sn_muscle_system_hash(f.system, 1) == sn_muscle_system_hash(g.system, 1));
    // Cut short, or of another system: refused.
    sn_stream cut = {.mode = SN_STREAM_READ, .read = bytes, .end = count.at / 2};
    sn_muscle_system_visit(g.system, &cut);
    CHECK(cut.bad);
    free(bytes);
    finish(&f);
    finish(&g);
}

static void count_lines(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)level, (void)code, (void)field, (void)text;
    ++*(int *)user;
}

TEST(errors_are_named) {
    fixture f;
    empty(&f);
    int lines = 0;
    const sn_log log = {count_lines, &lines};
    f.muscles[0] = sn_implicit_muscle_def_default();
    f.muscles[0].bone[1] = 7;
    f.muscles[0].volume = 0;
    f.muscles[0].hertz = (sn_real)NAN;
    f.muscles[0].points = 2;
    f.muscles[0].rest.eccentricity = (sn_real)0.5; // without normals
    f.def.muscle_count = 1;
    CHECK_INT(sn_muscle_system_create(&f.memory, &log, &f.def, &f.system), SN_ERR_DEF);
    CHECK_INT(lines, 5);
    CHECK(!f.system);
    CHECK_INT(f.memory.used_bytes, 0);
    alone(&f, 4, 3, 4);
    const uint64_t hash = sn_muscle_system_hash(f.system, 1);
    f.poses[0].position.x = (sn_real)INFINITY;
    CHECK_INT(sn_muscle_system_step(f.system, (sn_real)0.01, f.poses, NULL), SN_ERR_RANGE);
    f.poses[0] = at_origin;
    CHECK_INT(sn_muscle_system_step(f.system, 0, f.poses, NULL), SN_ERR_RANGE);
    f.poses[2].rotation.w = 3;
    CHECK_INT(sn_muscle_system_step(f.system, (sn_real)0.01, f.poses, NULL), SN_ERR_RANGE);
    CHECK(sn_muscle_system_hash(f.system, 1) == hash);
    finish(&f);
}

// --- a bundle's cross-sections ---

// Whatever wild rods come to, the muscle has radii that bytes may say: it can be saved and restored.
TEST(radii_of_a_wild_bundle_stay_within_what_can_be_restored) {
    sn_memory memory;
    sn_muscle_spindle m;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_muscle_spindle_init(&m, &memory, 12) == SN_OK);
    sn_section sections[3];
    const sn_real radii[3] = {(sn_real)0.01, (sn_real)0.01, (sn_real)0.01},
                  scales[3] = {-1, (sn_real)1e20, (sn_real)1e38};
    for (int i = 0; i < 3; i++)
        sections[i] =
            (sn_section){{0, 0, (sn_real)i}, {0, 0, (sn_real)i}, sn_q_identity(), scales[i], 1, sn_q_identity()};
    CHECK_INT(sn_muscle_spindle_build_from_sections(&m, sections, 3, radii, 0, sn_v3(0, 0, 0)), SN_OK);
    for (int i = 0; i < 12; i++) CHECK(m.radius[i] >= 0 && m.radius[i] <= SN_MUSCLE_MAX_RADIUS);
    sn_muscle_spindle_free(&m, &memory);
}

TEST(a_bundle_drives_a_muscle) {
    sn_memory memory;
    sn_muscle_spindle m;
    sn_memory_init(&memory, NULL);
    REQUIRE(sn_muscle_spindle_init(&m, &memory, 30) == SN_OK);
    enum { COUNT = 9 };
    sn_section sections[COUNT];
    sn_real radii[COUNT];
    double volume = 0;
    for (int i = 0; i < COUNT; i++) {
        const sn_real z = (sn_real)(0.03 * i);
        sections[i] = (sn_section){{0, 0, z}, {(sn_real)0.1, 0, 2 * z}, sn_q_identity(), 2, 1, sn_q_identity()};
        radii[i] = (sn_real)(0.004 + 0.001 * i);
    }
    CHECK_INT(sn_muscle_spindle_build_from_sections(&m, sections, COUNT, radii, 0, sn_v3(0, 0, 0)), SN_OK);
    for (int i = 1; i < 12; i++) { // twice as thick and twice as long: the same cone
        const double z = 0.04 * i, radius = 2 * (0.004 + 0.001 * z / 0.06);
        CHECK_NEAR(sn_muscle_field(&m, sn_v3((sn_real)0.15, 0, (sn_real)z), NULL, NULL), 0.05 - radius, 1e-5);
    }
    volume = 3.14159265 * 0.48 / 3 * (0.008 * 0.008 + 0.008 * 0.024 + 0.024 * 0.024);
    CHECK_NEAR((double)sn_muscle_spindle_volume(&m) / volume, 1, 1e-3);
    CHECK_INT(sn_muscle_spindle_build_from_sections(&m, sections, 1, radii, 0, sn_v3(0, 0, 0)), SN_ERR_RANGE);
    radii[3] = (sn_real)NAN;
    CHECK_INT(sn_muscle_spindle_build_from_sections(&m, sections, COUNT, radii, 0, sn_v3(0, 0, 0)), SN_ERR_RANGE);
    sn_muscle_spindle_free(&m, &memory);
}
