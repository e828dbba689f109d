// Friction: sticks on a slope, cylinders that roll, a rope around a drum.
//
//     incline.stick, incline.slide    a slope 2 % below and above the angle of friction, for coefficients 0.2, 0.5 and 1
//     roll                            a cylinder rolls with 2/3 g sin, and slips beyond tan = 3 mu with g (sin - mu cos)
//     capstan.hold, capstan.slip      a rope half around a drum bears exp(mu pi) times what pulls at its other end
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const char *const names[] = {"incline", "roll", "capstan"};
static const double gravity = 9.81, radius = 0.05, pi = 3.14159265358979;

static void title(int i, char *out, size_t capacity) {
    snprintf(out, capacity, "%s", names[i]);
}

static sn_surface surface_of(double friction) {
    sn_surface surface = sn_surface_default();
    surface.friction_static = surface.friction_dynamic = (sn_real)friction;
    return surface;
}

typedef struct {
    double moved, acceleration; // downhill, m and m/s^2 (over the second half)
} slide;

typedef struct {
    sn_body rod;
    double half; // m/s, in the middle of the time
} watched;

static void watch(coupling_run *run) {
    watched *w = run->user;
    if (run->time < 0.5 * run->duration + 0.5 * run->dt) w->half = (double)coupling_velocity(run->world, w->rod).x;
}

// A slope is level ground under gravity that is inclined: x is downhill. A pill lies on it, along x or across.
static slide slide_down(const coupling_settings *settings, coupling_result *out, double angle, double friction,
                        bool across, double seconds) {
    coupling_run run;
    watched w = {0};
    coupling_begin(&run, settings, out);
    sn_world_set_gravity(run.world, vec(gravity * sin(angle), -gravity * cos(angle), 0));
    sn_world_set_sleeping(run.world, false);
    sn_surface surface = surface_of(friction);
    sn_body ground = coupling_floor(&run, 0);
    sn_vec3 points[3], end = across ? vec(0, 0, 0.2) : vec(0.2, 0, 0);
    sn_rod_def def = coupling_line_def(points, vec(-end.x, radius, -end.z), vec(end.x, radius, end.z), 2, radius,
                                       sn_material_make((sn_real)1e6, (sn_real)0.3, 1000));
    def.material.damping = 0;
    def.surface = surface;
    w.rod = coupling_rod(&run, &def);
    if (!run.failed) sn_body_set_surface(run.world, ground, &surface);
    run.duration = seconds;
    run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03, .impact = 0.01};
    run.after = watch, run.user = &w;
    coupling_simulate(&run);
    slide s = {(double)coupling_point(run.world, w.rod, 1).x,
               ((double)coupling_velocity(run.world, w.rod).x - w.half) / (0.5 * seconds)};
    coupling_end(&run);
    return s;
}

static void run_incline(const coupling_settings *settings, coupling_result *out) {
    static const double frictions[] = {0.2, 0.5, 1};
    double stuck = 0, slid = 0;
    for (int k = 0; k < 3; k++) {
        coupling_result unused = {0};
        double mu = frictions[k], angle = atan(0.98 * mu);
        stuck = fmax(stuck, fabs(slide_down(settings, &unused, angle, mu, false, 2).moved));
        unused.count = 0, angle = atan(1.02 * mu);
        double answer = gravity * (sin(angle) - mu * cos(angle));
        slide s = slide_down(settings, k == 2 ? out : &unused, angle, mu, false, 2);
        slid = fmax(slid, fabs(s.acceleration / answer - 1));
    }
    coupling_add(out, "stick", stuck, "m", BAR_AT_MOST, 1e-3);
    coupling_add(out, "slide", slid, "error", BAR_AT_MOST, 0.1);
}

static void run_roll(const coupling_settings *settings, coupling_result *out) {
    const double mu = 0.3, angles[] = {0.1, atan(2.7 * mu), atan(4 * mu)};
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        coupling_result unused = {0};
        double answer = k < 2 ? gravity * sin(angles[k]) * 2 / 3 : gravity * (sin(angles[k]) - mu * cos(angles[k]));
        slide s = slide_down(settings, k == 2 ? out : &unused, angles[k], mu, true, 1);
        worst = fmax(worst, fabs(s.acceleration / answer - 1));
    }
    coupling_add(out, "acceleration", worst, "error", BAR_AT_MOST, 0.03);
}

// ---- capstan

enum { BEND = 32, END = 38, POINTS = BEND + 1 + 2 * END };

typedef struct {
    sn_body rope;
    double ratio;
    double ends[2]; // m, their heights a step ago
    double before;  // m, where the middle was after one and a half seconds
} capstan;

static double pull_at(const capstan *c, double t, int end) {
    double both = 5 * fmin(t / 0.5, 1), more = fmax(fmin((t - 0.5) / 0.5, 1), 0);
    return end ? both * (1 + more * (c->ratio - 1)) : both;
}

static void draw_rope(coupling_run *run) {
    capstan *c = run->user;
    sn_rod_set_force(run->world, c->rope, 0, vec(0, -pull_at(c, run->time, 0), 0));
    sn_rod_set_force(run->world, c->rope, POINTS - 1, vec(0, -pull_at(c, run->time, 1), 0));
}

static void add_pull_work(coupling_run *run) {
    capstan *c = run->user;
    for (int end = 0; end < 2; end++) {
        double y = (double)coupling_point(run->world, c->rope, end ? POINTS - 1 : 0).y;
        run->work += pull_at(c, run->time - run->dt, end) * (c->ends[end] - y);
        c->ends[end] = y;
    }
    if (run->time < 1.5 + 0.5 * run->dt) c->before = (double)coupling_point(run->world, c->rope, END + BEND / 2).x;
}

// How far the rope moves over the drum in half a second when one end is drawn 'ratio' times as hard as the other.
static double rope_moves(const coupling_settings *settings, coupling_result *out, double ratio) {
    coupling_run run;
    capstan c = {.ratio = ratio};
    const double mu = 0.2, drum = 0.1, thick = 0.012, r = drum + thick;
    coupling_begin(&run, settings, out);
    sn_world_set_gravity(run.world, vec(0, 0, 0));
    sn_rigid_def def = sn_rigid_def_default();
    sn_body body;
    def.geometry = SN_GEOMETRY_PILL;
    def.ends[0] = vec(0, 0, -0.3), def.ends[1] = vec(0, 0, 0.3);
    def.radii[0] = def.radii[1] = (sn_real)drum;
    def.surface = surface_of(mu);
    if (sn_rigid_create(run.world, &def, &body) != SN_OK) run.failed = true;
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        double angle = pi * (1 - (i - END) / (double)BEND), l = pi * r / BEND;
        points[i] = i < END          ? vec(-r, -l * (END - i), 0)
                    : i > END + BEND ? vec(r, -l * (i - END - BEND), 0)
                                     : vec(r * cos(angle), r * sin(angle), 0);
    }
    sn_rod_def rope = sn_rod_def_default();
    rope.points = points, rope.point_count = POINTS;
    rope.radius = (sn_real)thick;
    rope.material = sn_material_make((sn_real)2e5, (sn_real)0.3, 1000);
    rope.material.damping = 5;
    rope.surface = def.surface;
    c.rope = coupling_rod(&run, &rope);
    c.ends[0] = c.ends[1] = (double)points[0].y;
    run.duration = 2;
    run.scale = 5;
    run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03, .impact = 0.1};
    run.before = draw_rope, run.after = add_pull_work, run.user = &c;
    coupling_simulate(&run);
    double moved = (double)coupling_point(run.world, c.rope, END + BEND / 2).x - c.before;
    coupling_end(&run);
    return moved;
}

static void run_capstan(const coupling_settings *settings, coupling_result *out) {
    coupling_result unused = {0};
    double held = rope_moves(settings, out, 0.95 * exp(0.2 * pi)),
           slips = rope_moves(settings, &unused, 1.05 * exp(0.2 * pi));
    coupling_add(out, "hold", fabs(held), "m", BAR_AT_MOST, 1e-3);
    coupling_add(out, "slip", slips, "m", BAR_AT_LEAST, 5e-3);
}

static void run_case(int i, const coupling_settings *settings, coupling_result *out) {
    void (*const runs[])(const coupling_settings *, coupling_result *) = {run_incline, run_roll, run_capstan};
    runs[i](settings, out);
}

const coupling_family coupling_frictions = {"friction", 3, title, run_case};
