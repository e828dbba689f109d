// Stiff rods at rest on posts and on each other, against the static answer.
//
//     stack    eight rods of 1 m over each other on two posts 0.625 m apart, between panes without friction
//     cross    two rods held at their ends, one across the other; the upper one's ends are let down until both bend by a
//              centimetre; no gravity
//
// A beam of weight w a metre on posts a span s apart, ends overhanging by a, sags between them by w s^2/EI (5 s^2/384 - a^2/16) and
// is inclined there by w s/EI (s^2/24 - a^2/4). Eight equal beams over each other bend as one: the posts' forces go through all of
// them at the posts, and between the posts they press on each other nowhere.
//
// Without any friction the stack cannot rest: the work of its sagging grows where it is shifted along the posts, since a longer
// overhang droops with the fourth power of its length. So it rests by the default friction, which also carries load, as in an arch. The
// sag is that of a second run with a hundredth of friction, which holds the stack but carries less than half a percent.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const double young[] = {1e5, 1e6, 1e7, 1e8, 1e9};
enum { YOUNG = 5, CROSSED = 3, RODS = 8, SEGMENTS = 32 };
static const double radius = 0.02, gravity = 9.81, density = 1000, pi = 3.14159265358979;

static void title(int i, char *out, size_t capacity) {
    if (i < YOUNG) {
        snprintf(out, capacity, "stack.e%.0f", log10(young[i]));
    } else {
        snprintf(out, capacity, "cross.e%.0f", log10(young[i - YOUNG + 2]));
    }
}

static double bending_stiffness(double e) {
    return 0.25 * pi * e * pow(radius, 4);
}

// ---- stack

static const double post_x = 0.3125;
enum { POST = 6 }; // the point of a rod over the first post

static double sag_of(const sn_world *world, sn_body rod) {
    double ends = (double)coupling_point(world, rod, POST).y + (double)coupling_point(world, rod, SEGMENTS - POST).y;
    return 0.5 * ends - (double)coupling_point(world, rod, SEGMENTS / 2).y;
}

// The sag of one rod alone that two forces at the posts' points hold against its weight, whatever the engine counts as its mass.
static double sag_alone(const coupling_settings *settings, double e) {
    coupling_run run;
    coupling_result unused = {0};
    sn_vec3 points[SEGMENTS + 1];
    coupling_begin(&run, settings, &unused);
    sn_rod_def def =
        coupling_line_def(points, vec(-0.5, 0, 0), vec(0.5, 0, 0), SEGMENTS, radius, coupling_material(e, density));
    def.material.damping = 20;
    sn_body rod = coupling_rod(&run, &def);
    double force = 0.5 * gravity * sn_body_mass(run.world, rod), sag = NAN;
    if (!run.failed) {
        sn_rod_set_force(run.world, rod, POST, vec(0, force, 0));
        sn_rod_set_force(run.world, rod, SEGMENTS - POST, vec(0, force, 0));
        for (int i = 0; i < 300; i++) sn_world_step(run.world, (sn_real)(1.0 / 60), 1);
        sag = sag_of(run.world, rod);
    }
    coupling_end(&run);
    return sag;
}

// Round posts: where a rod is inclined, what it lies on presses farther in, by the two radii times its slope, and that presses on the
// next one farther in again. The beam says what that changes in the middle of the stack.
static double sag_answer(const coupling_settings *settings, double e) {
    double weight = density * gravity * pi * radius * radius, span = 2 * post_x, stiffness = bending_stiffness(e),
           slope = 0;
    double sags[2];
    for (int i = 0; i < 6; i++) {
        double shift = 0.5 * (RODS + 1) * 2 * radius * slope, s = span - 2 * shift, a = 0.5 * (1 - s);
        slope = weight * s / stiffness * (s * s / 24 - a * a / 4);
        sags[i > 0] = weight * s * s / stiffness * (5 * s * s / 384 - a * a / 16) + slope * shift;
    }
    return sag_alone(settings, e) * sags[1] / sags[0];
}

static void add_rigid(coupling_run *run, const sn_rigid_def *def) {
    sn_body body;
    if (run->failed || sn_rigid_create(run->world, def, &body) != SN_OK) run->failed = true;
}

static void make_posts(coupling_run *run, double friction) {
    for (int k = 0; k < 2; k++) {
        double side = k ? 1 : -1, h = sqrt(0.5);
        sn_rigid_def post = sn_rigid_def_default(), pane = sn_rigid_def_default();
        post.geometry = SN_GEOMETRY_PILL;
        post.ends[0] = vec(side * post_x, -radius, -1), post.ends[1] = vec(side * post_x, -radius, 1);
        post.radii[0] = post.radii[1] = (sn_real)radius;
        if (friction > 0) post.surface.friction_static = post.surface.friction_dynamic = (sn_real)friction;
        pane.position = vec(0, 0, side * 0.0202);
        pane.rotation = (sn_quat){(sn_real)(-side * h), 0, 0, (sn_real)h}; // its normal points inward
        pane.surface.friction_static = pane.surface.friction_dynamic = 0;
        add_rigid(run, &post);
        add_rigid(run, &pane);
    }
}

// Friction 0: the default.
static void make_stack(coupling_run *run, double e, double friction, sn_body rods[RODS]) {
    make_posts(run, friction);
    for (int k = 0; k < RODS; k++) {
        sn_vec3 points[SEGMENTS + 1];
        double y = 0.021 + 0.042 * k;
        sn_rod_def def =
            coupling_line_def(points, vec(-0.5, y, 0), vec(0.5, y, 0), SEGMENTS, radius, coupling_material(e, density));
        if (friction > 0) def.surface.friction_static = def.surface.friction_dynamic = (sn_real)friction;
        rods[k] = coupling_rod(run, &def);
    }
    if (!run->failed) sn_world_set_sleeping(run->world, false);
    run->scale = coupling_total_mass(run->world) * gravity * 0.042 * RODS;
}

static double mean_sag(double e, const coupling_settings *settings) {
    coupling_run run;
    coupling_result unused = {0};
    sn_body rods[RODS];
    double sum = 0;
    coupling_begin(&run, settings, &unused);
    make_stack(&run, e, 0.01, rods);
    coupling_simulate(&run);
    for (int k = 0; k < RODS && !run.failed; k++) sum += sag_of(run.world, rods[k]) / RODS;
    coupling_end(&run);
    return sum;
}

static void run_stack(double e, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    sn_body rods[RODS];
    coupling_begin(&run, settings, out);
    make_stack(&run, e, 0, rods);
    run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03, .impact = 0.1, .rest = 0.01, .speed = 1e-3};
    coupling_simulate(&run);
    if (e >= 1e7) { // softer ones hang between the posts
        double answer = sag_answer(settings, e);
        coupling_add(out, "sag", fabs(mean_sag(e, settings) / answer - 1), "error", BAR_AT_MOST, 0.02);
        coupling_add(out, "answer", answer, "m", BAR_NONE, 0);
    }
    coupling_end(&run);
}

// ---- cross

static const double crossing = 0.013, lowered = 0.04; // m: where the upper rod lies, and how far its ends are let down

static sn_rod_def held_rod(sn_vec3 *points, bool upper, double e) {
    sn_vec3 from = upper ? vec(crossing, 0.06, -0.5) : vec(-0.5, 0, 0),
            to = upper ? vec(crossing, 0.06, 0.5) : vec(0.5, 0, 0);
    sn_rod_def def = coupling_line_def(points, from, to, SEGMENTS, radius, coupling_material(e, density));
    def.clamp_first = def.clamp_last = true;
    return def;
}

static double kink_of(const sn_world *world, sn_body rod) {
    double before = (double)coupling_point(world, rod, SEGMENTS / 2 - 1).y,
           after = (double)coupling_point(world, rod, SEGMENTS / 2 + 1).y;
    return (double)coupling_point(world, rod, SEGMENTS / 2).y - 0.5 * (before + after);
}

// One rod alone with a force at 'along' of the segment after its middle: how far it yields there, how sharply it bends at its middle
// point, and its elastic energy.
typedef struct {
    double depth, kink, elastic;
} bent;

static bent bend_alone(const coupling_settings *settings, double e, double along, double force) {
    coupling_run run;
    coupling_result unused = {0};
    sn_vec3 points[SEGMENTS + 1];
    coupling_begin(&run, settings, &unused);
    sn_rod_def def = held_rod(points, false, e);
    def.material.damping = 20;
    sn_body rod = coupling_rod(&run, &def);
    bent answer = {0};
    if (!run.failed) {
        sn_world_set_gravity(run.world, vec(0, 0, 0));
        for (int i = 0; i < 180; i++) {
            double now = force * fmin(i / 60.0, 1);
            sn_rod_set_force(run.world, rod, SEGMENTS / 2, vec(0, -(1 - along) * now, 0));
            sn_rod_set_force(run.world, rod, SEGMENTS / 2 + 1, vec(0, -along * now, 0));
            sn_world_step(run.world, (sn_real)(1.0 / 60), 1);
        }
        answer.depth = -(1 - along) * (double)coupling_point(run.world, rod, SEGMENTS / 2).y -
                       along * (double)coupling_point(run.world, rod, SEGMENTS / 2 + 1).y;
        answer.kink = kink_of(run.world, rod);
        answer.elastic = sn_body_energy(run.world, rod).elastic;
    }
    coupling_end(&run);
    return answer;
}

// The two rods' shapes where they touch: equal forces, and depths that add up to what the upper one was let down too far.
static void cross_answer(const coupling_settings *settings, double e, bent *lower, bent *upper) {
    double together = 2 * radius - (0.06 - lowered), low = 0, high = 10 * 192 * bending_stiffness(e) * 0.5 * together;
    for (int i = 0; i < 24; i++) {
        double force = 0.5 * (low + high);
        *lower = bend_alone(settings, e, crossing * SEGMENTS, force);
        *upper = bend_alone(settings, e, 0, force);
        if (lower->depth + upper->depth > together) {
            high = force;
        } else {
            low = force;
        }
    }
}

typedef struct {
    sn_body lower, upper;
    double peak; // J, kinetic and elastic
} cross;

static void let_down(coupling_run *run) {
    const cross *c = run->user;
    double y = 0.06 - lowered * fmin(run->time + run->dt, 1);
    sn_rod_move_centre(run->world, c->upper, 0, vec(crossing, y, -0.5));
    sn_rod_move_centre(run->world, c->upper, SEGMENTS, vec(crossing, y, 0.5));
}

static void note_peak(coupling_run *run) {
    cross *c = run->user;
    sn_energy energy = sn_world_energy(run->world);
    c->peak = fmax(c->peak, energy.kinetic + energy.elastic);
}

static void run_cross(double e, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    cross c = {0};
    bent lower, upper;
    sn_vec3 points[SEGMENTS + 1];
    cross_answer(settings, e, &lower, &upper);
    coupling_begin(&run, settings, out);
    sn_rod_def def = held_rod(points, false, e);
    c.lower = coupling_rod(&run, &def);
    def = held_rod(points, true, e);
    c.upper = coupling_rod(&run, &def);
    if (!run.failed) sn_world_set_sleeping(run.world, false), sn_world_set_gravity(run.world, vec(0, 0, 0));
    double answer = lower.elastic + upper.elastic;
    run.scale = answer;
    run.bars = (coupling_bars){.volume = 0.03, .impact = 0.1, .rest = 0.01, .speed = 1e-3};
    run.before = let_down, run.after = note_peak, run.user = &c;
    coupling_simulate(&run);
    double error =
        fmax(fabs(kink_of(run.world, c.lower) / lower.kink - 1), fabs(kink_of(run.world, c.upper) / -upper.kink - 1));
    coupling_add(out, "kink", error, "error", BAR_AT_MOST, 0.02);
    coupling_add(out, "peak", c.peak / answer, "of answer", BAR_AT_MOST, 1.05);
    coupling_add(out, "answer", lower.kink, "m", BAR_NONE, 0);
    coupling_add(out, "depth", lower.depth, "m", BAR_NONE, 0);
    coupling_end(&run);
}

static void run_case(int i, const coupling_settings *settings, coupling_result *out) {
    if (i < YOUNG) {
        run_stack(young[i], settings, out);
    } else {
        run_cross(young[i - YOUNG + 2], settings, out);
    }
}

const coupling_family coupling_stacks = {"", YOUNG + CROSSED, title, run_case};
