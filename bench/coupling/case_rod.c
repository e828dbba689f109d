// Single rods under torques, small steps and other roots.
//
//     moment      2 pi EI/L on the end of a clamped rod closes it to a circle
//     torsion     a rod clamped at both ends, twisted: it buckles at a moment of 8.9868 EI/L
//     pendulum    a stiff rod let go at 45 degrees, steps of 1/60 to 1/20,000 s: never worse with smaller steps
//     root        a clamped Y hangs alike whichever of its three tips is the root
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const char *const names[] = {"moment", "torsion", "pendulum", "root"};
static const double pi = 3.14159265358979;

static void title(int i, char *out, size_t capacity) {
    snprintf(out, capacity, "%s", names[i]);
}

// ---- moment

enum { SEGMENTS = 64 };

typedef struct {
    sn_body rod;
    double moment; // N m, at the end
    double angle;  // rad, of the last segment a step ago
} twist;

static double moment_at(const twist *m, double t) {
    return m->moment * fmin(t / 8, 1);
}

static void set_moment(coupling_run *run) {
    const twist *m = run->user;
    sn_rod_set_torque(run->world, m->rod, SEGMENTS, vec(0, moment_at(m, run->time), 0));
}

static void add_moment_work(coupling_run *run) {
    twist *m = run->user;
    sn_quat frames[SEGMENTS + 1];
    if (sn_rod_get_frames(run->world, m->rod, frames, SEGMENTS + 1) != SEGMENTS + 1) return;
    // The segment's direction is the frame's third axis; it started along z.
    sn_quat q = frames[SEGMENTS];
    double x = 2 * (double)(q.x * q.z + q.w * q.y), z = 1 - 2 * (double)(q.x * q.x + q.y * q.y), angle = atan2(x, z);
    double turned = remainder(angle - m->angle, 2 * pi);
    m->angle = angle;
    run->work += moment_at(m, run->time - run->dt) * turned;
}

// E = 1e8 Pa, without volume so that only bending counts; damped, to be at rest at the end.
static sn_material bending_material(void) {
    sn_material material = sn_material_make((sn_real)1e8, (sn_real)0.3, 1000);
    material.damping = 4;
    material.volume = 0;
    return material;
}

// A moment that keeps its direction has no potential: beyond 0.8 of this one a circle flutters out of its plane, at any step and
// in the exact motion too. So the rod starts along z and bends in the plane of x and z: there every number out of the plane
// is exactly 0 and stays so.
static void run_moment(const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    sn_vec3 points[SEGMENTS + 1];
    const double stiffness = 0.25 * pi * 1e8 * 1e-8; // EI
    twist m = {.moment = 2 * pi * stiffness};
    coupling_begin(&run, settings, out);
    sn_world_set_gravity(run.world, vec(0, 0, 0));
    sn_rod_def def = coupling_line_def(points, vec(0, 0, 0), vec(0, 0, 1), SEGMENTS, 0.01, bending_material());
    def.clamp_first = true;
    def.collide = false;
    m.rod = coupling_rod(&run, &def);
    double answer = 0.5 * stiffness * 4 * pi * pi;
    run.duration = 20;
    run.scale = answer;
    run.bars = (coupling_bars){.energy = 1e-3};
    run.before = set_moment, run.after = add_moment_work, run.user = &m;
    coupling_simulate(&run);
    sn_vec3 tip = coupling_point(run.world, m.rod, SEGMENTS);
    double gap = sqrt((double)(tip.x * tip.x + tip.y * tip.y + tip.z * tip.z));
    coupling_add(out, "gap", gap, "of length", BAR_AT_MOST, 0.01);
    coupling_add(out, "elastic", fabs(sn_body_energy(run.world, m.rod).elastic / answer - 1), "error", BAR_AT_MOST,
                 0.02);
    coupling_end(&run);
}

// ---- torsion

typedef struct {
    sn_body rod;
    double angle; // rad
} torsion;

static void rotate_clamp(coupling_run *run) {
    const torsion *t = run->user;
    double angle = t->angle * fmin((run->time + run->dt) / 1, 1);
    sn_rod_move_clamp(run->world, t->rod, SEGMENTS,
                      (sn_quat){(sn_real)sin(0.5 * angle), 0, 0, (sn_real)cos(0.5 * angle)});
}

// Whether a rod that is twisted to 'moment' (of EI/L) and pushed aside a little leaves its axis.
static bool buckles(const coupling_settings *settings, coupling_result *out, double moment, bool report) {
    coupling_run run;
    torsion t = {0};
    coupling_result unused = {0};
    sn_vec3 points[SEGMENTS + 1], velocities[SEGMENTS + 1];
    coupling_begin(&run, settings, report ? out : &unused);
    sn_world_set_gravity(run.world, vec(0, 0, 0));
    sn_material material = bending_material();
    material.damping = (sn_real)0.1;
    material.shear = 10 * material.young; // so stiff against twist that an angle of half a radian does
    sn_rod_def def = coupling_line_def(points, vec(0, 0, 0), vec(1, 0, 0), SEGMENTS, 0.01, material);
    def.clamp_first = def.clamp_last = true;
    def.collide = false;
    t.rod = coupling_rod(&run, &def);
    t.angle = moment * (double)material.young / (2 * (double)material.shear);
    for (int i = 0; i <= SEGMENTS; i++) velocities[i] = vec(0, 1e-4 * sin(pi * i / SEGMENTS), 0);
    if (!run.failed) sn_rod_set_velocities(run.world, t.rod, velocities, SEGMENTS + 1);
    run.scale = 10;
    run.before = rotate_clamp, run.user = &t;
    coupling_simulate(&run);
    sn_vec3 middle = coupling_point(run.world, t.rod, SEGMENTS / 2);
    bool left = !(hypot((double)middle.y, (double)middle.z) <
                  3e-4); // more, and the ends, which stay where they are, would stretch it
    coupling_end(&run);
    return left;
}

static void run_torsion(const coupling_settings *settings, coupling_result *out) {
    double low = 4, high = 16;
    bool good = !buckles(settings, out, low, false) && buckles(settings, out, high, false);
    for (int i = 0; i < 9 && good; i++) {
        double moment = 0.5 * (low + high);
        if (buckles(settings, out, moment, i == 8)) {
            high = moment;
        } else {
            low = moment;
        }
    }
    double critical = good ? 0.5 * (low + high) : NAN;
    coupling_add(out, "critical", critical, "EI/L", BAR_NONE, 0);
    coupling_add(out, "error", fabs(critical / 8.9868 - 1), "error", BAR_AT_MOST, 0.03);
}

// ---- pendulum

typedef struct {
    sn_body rod;
    double angle, crossed[2]; // s, when it passed below, there and back
    int passes;
    double height; // of the far end after that, m
} swing;

static void watch(coupling_run *run) {
    swing *s = run->user;
    sn_vec3 tip = coupling_point(run->world, s->rod, 8);
    double angle = atan2((double)tip.x, -(double)tip.y);
    if (angle * s->angle < 0 && s->passes < 2) {
        s->crossed[s->passes++] = run->time - run->dt * angle / (angle - s->angle);
    }
    if (s->passes == 1) s->height = fmax(s->height, fabs(angle));
    s->angle = angle;
}

// The period of a stiff rod of 1 m that swings by 45 degrees to each side, from its points' masses and its sections' inertia.
static double period_of(const sn_world *world, sn_body rod, double radius, double density) {
    sn_real masses[9];
    double inertia = 0.25 * pi * pow(radius, 4) * density, moment = 0;
    if (sn_body_get_masses(world, rod, masses, 9) != 9) return NAN;
    for (int i = 0; i < 9; i++) {
        double x = i / 8.0;
        inertia += (double)masses[i] * x * x, moment += (double)masses[i] * x;
    }
    return 2 * pi * sqrt(inertia / (moment * 9.81)) * 1.0399733;
}

// Errors of the period, and of the amplitude after half of it, at a step.
static void swing_once(const coupling_settings *settings, coupling_result *out, double dt, double errors[2]) {
    coupling_run run;
    sn_vec3 points[9];
    swing s = {.angle = pi / 4};
    const double radius = 0.03;
    coupling_begin(&run, settings, out);
    sn_material material = coupling_material(1e9, 1000);
    material.damping = 0;
    sn_rod_def def = coupling_line_def(points, vec(0, 0, 0), vec(sqrt(0.5), -sqrt(0.5), 0), 8, radius, material);
    def.collide = false;
    s.rod = coupling_rod(&run, &def);
    double exact = period_of(run.world, s.rod, radius, 1000);
    coupling_pin(&run, s.rod, 0);
    run.dt = dt;
    run.substeps = 1;
    run.duration = 2.5;
    run.scale = coupling_total_mass(run.world) * 9.81 * 1;
    run.bars = (coupling_bars){.energy = 1e-3};
    run.after = watch, run.user = &s;
    coupling_simulate(&run);
    errors[0] = s.passes == 2 ? fabs(2 * (s.crossed[1] - s.crossed[0]) / exact - 1) : NAN;
    errors[1] = s.passes >= 1 ? fabs(s.height / (pi / 4) - 1) : NAN;
    coupling_end(&run);
}

static void run_pendulum(const coupling_settings *settings, coupling_result *out) {
    static const double rates[] = {60, 240, 1000, 4000, 8000, 20000};
    enum { RATES = 6 };
    double errors[RATES][2], worse[2] = {0};
    for (int i = 0; i < RATES; i++) {
        coupling_result unused = {0};
        swing_once(settings, i == RATES - 1 ? out : &unused, 1 / rates[i], errors[i]);
        for (int k = 0; k < 2 && i > 0; k++) {
            double rise = errors[i][k] - errors[i - 1][k];
            if (!(rise <= worse[k])) worse[k] = rise;
        }
    }
    coupling_add(out, "period", errors[RATES - 1][0], "error", BAR_AT_MOST, 2e-3);
    coupling_add(out, "amplitude", errors[RATES - 1][1], "error", BAR_AT_MOST, 2e-3);
    coupling_add(out, "period_worse", worse[0], "error", BAR_AT_MOST, 2e-4);
    coupling_add(out, "amplitude_worse", worse[1], "error", BAR_AT_MOST, 2e-4);
    for (int i = 0; i < RATES; i++) {
        char name[32];
        snprintf(name, sizeof name, "period_%g", rates[i]);
        coupling_add(out, name, errors[i][0], "error", BAR_NONE, 0);
        snprintf(name, sizeof name, "amplitude_%g", rates[i]);
        coupling_add(out, name, errors[i][1], "error", BAR_NONE, 0);
    }
}

// ---- root

enum { ARM = 8, POINTS = 3 * ARM + 1, BRANCH = ARM }; // the stem is points 0 to BRANCH; then come two arms
enum { TIP_A = 2 * ARM, TIP_B = 3 * ARM };

// The Y's points in another order, with the parent of each: from the tip of an arm (1 or 2) through the branch to the other arm's tip,
// then down the stem, whose tip is last. Arm 0: as they are, from the stem's tip. A tip that is point 0 is the root.
static void order_from(int arm, int order[POINTS], int parents[POINTS]) {
    int count = 0, branch = 0;
    if (arm == 0) {
        for (int i = 0; i < POINTS; i++) order[i] = i, parents[i] = i == TIP_A + 1 ? BRANCH : i - 1;
        return;
    }
    int near = arm == 1 ? TIP_A : TIP_B, far = arm == 1 ? TIP_B : TIP_A;
    for (int k = 0; k < ARM; k++) parents[count] = count - 1, order[count++] = near - k;
    branch = count;
    parents[count] = count - 1, order[count++] = BRANCH;
    for (int k = 1; k <= ARM; k++) parents[count] = count - 1, order[count++] = far - ARM + k;
    for (int k = 1; k <= ARM; k++) parents[count] = k == 1 ? branch : count - 1, order[count++] = BRANCH - k;
}

static void hang(const coupling_settings *settings, coupling_result *out, int arm, double tips[2]) {
    coupling_run run;
    sn_vec3 points[POINTS];
    int order[POINTS], parents[POINTS];
    coupling_begin(&run, settings, out);
    order_from(arm, order, parents);
    for (int i = 0; i < POINTS; i++) {
        int k = order[i];
        double t = k <= BRANCH ? k : (k - 1) % ARM + 1, l = 0.3 / ARM, side = k <= TIP_A ? 1 : -1;
        points[i] = k <= BRANCH ? vec(l * t, 0, 0) : vec(0.3 + l * t * cos(0.7), 0, side * l * t * sin(0.7));
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS;
    def.parents = parents;
    def.radius = (sn_real)0.01;
    def.material = coupling_material(1e7, 1000);
    def.material.damping = 5;
    def.clamp_first = arm == 0;
    def.clamp_last = arm != 0;
    sn_body rod = coupling_rod(&run, &def);
    run.duration = 4;
    run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03};
    coupling_simulate(&run);
    for (int i = 0; i < POINTS; i++) {
        if (order[i] == TIP_A) tips[0] = (double)coupling_point(run.world, rod, i).y;
        if (order[i] == TIP_B) tips[1] = (double)coupling_point(run.world, rod, i).y;
    }
    coupling_end(&run);
}

static void run_root(const coupling_settings *settings, coupling_result *out) {
    double first[2] = {0}, worst = 0;
    for (int arm = 0; arm < 3; arm++) {
        coupling_result unused = {0};
        double tips[2] = {NAN, NAN};
        hang(settings, arm == 0 ? out : &unused, arm, tips);
        if (arm == 0) first[0] = tips[0], first[1] = tips[1];
        for (int k = 0; k < 2; k++) {
            double error = fabs(tips[k] / first[0] - 1);
            if (!(error <= worst)) worst = error;
        }
    }
    coupling_add(out, "deflection", worst, "error", BAR_AT_MOST, 0.005);
    coupling_add(out, "tip", first[0], "m", BAR_NONE, 0);
}

static void run_case(int i, const coupling_settings *settings, coupling_result *out) {
    void (*const runs[])(const coupling_settings *, coupling_result *) = {run_moment, run_torsion, run_pendulum,
                                                                          run_root};
    runs[i](settings, out);
}

const coupling_family coupling_rods = {"rod", 4, title, run_case};
