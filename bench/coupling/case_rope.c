// A weight on a rope: 1 m of 20 or 100 segments, 1 cm thick, with 1 to 1,000 times its mass on a joint at the end. It hangs, or is
// let go with the rope level.
//
// The elastic answer at any time: the weight's acceleration a needs the tension M |a - g| at the rope's end, so the rope is as
// long as that tension, and half of its own weight, make it. At the end of a hanging rope a = 0; there the mean over whole
// periods of the weight's bounce counts.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const struct {
    const char *name;
    double young; // Pa; 0: the default material
} materials[] = {{"default", 0}, {"e8", 1e8}, {"e9", 1e9}};
static const int segments[] = {20, 100};
static const double ratios[] = {1, 10, 100, 1000};
static const char *const starts[] = {"hang", "swing"};
enum { MATERIALS = 3, SEGMENTS = 2, RATIOS = 4, STARTS = 2, COUNT = MATERIALS * SEGMENTS * RATIOS * STARTS };

static const double length = 1, radius = 0.01, gravity = 9.81;

typedef struct {
    int material, segments, ratio, start;
} choice;

static choice choice_of(int i) {
    return (choice){i / (SEGMENTS * RATIOS * STARTS), i / (RATIOS * STARTS) % SEGMENTS, i / STARTS % RATIOS,
                    i % STARTS};
}

static void title(int i, char *out, size_t capacity) {
    choice c = choice_of(i);
    snprintf(out, capacity, "%s.%d.x%g.%s", materials[c.material].name, segments[c.segments], ratios[c.ratio],
             starts[c.start]);
}

typedef struct {
    sn_body rope, weight;
    sn_material material;
    double rope_mass, mass;
    sn_vec3 velocity; // of the weight, a step ago
    double length;    // m, a step ago: the acceleration is one between that and now
    double error;     // largest |length / elastic answer - 1|
    double window;    // s, whole periods of the bounce, at the end
    double sum;       // of lengths in that time
    int count;
} state;

static double elastic_length(const state *s, double end_tension) {
    double middle = end_tension * (s->mass + 0.5 * s->rope_mass) / s->mass;
    return length * coupling_stretch(&s->material, radius, middle);
}

static void after(coupling_run *run) {
    state *s = run->user;
    sn_vec3 v = coupling_velocity(run->world, s->weight);
    double damping = (double)coupling_material(1e9, 1000).damping; // of the weight: a force M damping v
    double ax = (double)(v.x - s->velocity.x) / run->dt + damping * (double)v.x,
           ay = (double)(v.y - s->velocity.y) / run->dt + damping * (double)v.y + gravity,
           az = (double)(v.z - s->velocity.z) / run->dt + damping * (double)v.z;
    s->velocity = v;
    double now = sn_rod_length(run->world, s->rope);
    sn_vec3 at = coupling_point(run->world, s->weight, 1);
    double dx = -(double)at.x, dy = 2 - (double)at.y, dz = -(double)at.z; // to where the rope is held
    double tension = s->mass * (ax * dx + ay * dy + az * dz) / sqrt(dx * dx + dy * dy + dz * dz);
    double answer = elastic_length(s, tension);
    double error = fmax(fmin(now, s->length) / answer - 1, 1 - fmax(now, s->length) / answer);
    bool slack = tension <= 0.01 * s->mass * gravity || sqrt(dx * dx + dy * dy + dz * dz) < 0.97 * now;
    if (slack) error = fmin(now, s->length) / answer - 1; // it may be pushed, or bent
    s->length = now;
    if (!(error <= s->error)) s->error = error;
    if (run->time > run->duration - s->window) s->sum += now, s->count++;
}

static void run_rope(int i, const coupling_settings *settings, coupling_result *out) {
    choice c = choice_of(i);
    coupling_run run;
    coupling_begin(&run, settings, out);
    state s = {.length = length,
               .material = materials[c.material].young > 0 ? coupling_material(materials[c.material].young, 1000)
                                                           : sn_rod_def_default().material};
    bool swings = c.start == 1;
    sn_vec3 end = swings ? vec(length, 2, 0) : vec(0, 2 - length, 0), side = swings ? vec(0, 0, 0.1) : vec(0.1, 0, 0);
    s.rope = coupling_line(&run, vec(0, 2, 0), end, segments[c.segments], radius, s.material);
    s.rope_mass = sn_body_mass(run.world, s.rope);
    s.weight = coupling_weight(&run, vec(end.x - side.x, end.y, end.z - side.z),
                               vec(end.x + side.x, end.y, end.z + side.z), 2, 0.05, 1e9, ratios[c.ratio] * s.rope_mass);
    s.mass = sn_body_mass(run.world, s.weight);
    coupling_pin(&run, s.rope, 0);
    coupling_join(&run, s.weight, 1, s.rope, segments[c.segments]);

    double still = elastic_length(&s, s.mass * gravity);
    double period = 6.2832 * sqrt(fmax(still - length, 1e-9) / gravity);
    s.window = period < 1 ? floor(1 / period) * period : 0;
    run.scale = (s.mass + s.rope_mass) * gravity * length;
    run.bars = (coupling_bars){.energy = 1e-3};
    run.after = after;
    run.user = &s;
    coupling_simulate(&run);
    coupling_add(out, "length", s.error, "error", BAR_AT_MOST, 0.01);
    if (!swings && s.window > 0) {
        double error = s.count > 0 ? fabs(s.sum / s.count / still - 1) : NAN;
        coupling_add(out, "end", error, "error", BAR_AT_MOST, 0.01);
    }
    coupling_end(&run);
}

const coupling_family coupling_ropes = {"rope", COUNT, title, run_rope};
