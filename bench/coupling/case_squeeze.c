// Conflicts: what is pressed or pulled harder than it can follow stays bounded, and comes back when it is let go.
//
//     squeeze.bundle    seven rods, one bundle, between two plates that close to half its thickness
//     squeeze.rods      the same rods, no bundle
//     drivers           two or three joints that pull one point of a rod to places 0.6 to 50 m from each other: there at once
//                       (jump), or drawn there within a second (drawn); released after three
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const double distances[] = {0.6, 5, 50};
enum { SQUEEZES = 2, PULLS = 2, DISTANCES = 3, STARTS = 2, COUNT = SQUEEZES + PULLS * DISTANCES * STARTS };

static void title(int i, char *out, size_t capacity) {
    if (i < SQUEEZES) {
        snprintf(out, capacity, "squeeze.%s", i ? "rods" : "bundle");
        return;
    }
    i -= SQUEEZES;
    snprintf(out, capacity, "drivers.%d.%gm.%s", 2 + i / (DISTANCES * STARTS), distances[i / STARTS % DISTANCES],
             i % STARTS ? "drawn" : "jump");
}

// ---- between plates

enum { FIBRES = 7, SEGMENTS = 12 };
static const double radius = 0.01, length = 0.3, plate = 0.02; // m; plate: half its thickness

typedef struct {
    sn_body rods[FIBRES], plate;
    double thickness, velocity;
} press;

// Where the upper plate's lower face is: a millimetre above, half the thickness after a second, and open again after two.
static double face(const press *p, double t) {
    double open = p->thickness + 0.001, closed = 0.5 * p->thickness;
    if (t < 1) return open + (closed - open) * t;
    if (t < 1.5) return closed;
    return closed + (1.5 * open - closed) * fmin((t - 1.5) / 0.5, 1);
}

static void move_plate(coupling_run *run) {
    press *p = run->user;
    double next = face(p, run->time + run->dt);
    p->velocity = (next - face(p, run->time)) / run->dt;
    sn_rigid_move(run->world, p->plate, vec(0, next + plate, 0), (sn_quat){0, 0, 0, 1});
}

static void add_plate_work(coupling_run *run) {
    const press *p = run->user;
    run->work += coupling_rigid_work(run, p->plate, vec(0, 0, 0), vec(0, p->velocity, 0), vec(0, 0, 0));
}

// How thick the rods together are at their middle, from the lowest to the highest axis, and what they are together.
static double spread(const coupling_run *run, const press *p) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < FIBRES; k++) {
        double y = (double)coupling_point(run->world, p->rods[k], SEGMENTS / 2).y;
        low = fmin(low, y), high = fmax(high, y);
    }
    return high - low;
}

static void run_press(bool bundled, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    press p = {.thickness = 2 * radius * (1 + sqrt(3))};
    sn_material material = sn_material_preset(SN_PRESET_MUSCLE);
    coupling_begin(&run, settings, out);
    for (int k = 0; k < FIBRES; k++) {
        double angle = 1.0471975512 * k, out_by = k ? 2 * radius : 0;
        double y = 0.5 * p.thickness + out_by * sin(angle), z = out_by * cos(angle);
        p.rods[k] = coupling_line(&run, vec(-0.5 * length, y, z), vec(0.5 * length, y, z), SEGMENTS, radius, material);
    }
    coupling_box(&run, vec(0, -plate, 0), vec(1, plate, 1));
    p.plate = coupling_box(&run, vec(0, face(&p, 0) + plate, 0), vec(1, plate, 1));
    if (bundled && !run.failed) {
        sn_bundle_def def = sn_bundle_def_default();
        sn_bundle bundle;
        def.rods = p.rods, def.rod_count = FIBRES;
        run.failed = sn_bundle_create(run.world, &def, &bundle) != SN_OK;
    }
    double before = run.failed ? 0 : spread(&run, &p);
    run.scale = (double)material.young * FIBRES * 3.1416 * radius * radius * length;
    run.bars = (coupling_bars){.energy = 0.01};
    run.before = move_plate, run.after = add_plate_work, run.user = &p;
    coupling_simulate(&run);
    if (bundled) {
        coupling_add(out, "back", fabs(spread(&run, &p) / before - 1), "thickness", BAR_AT_MOST, 0.05);
        coupling_add(out, "end", fabs(sn_rod_length(run.world, p.rods[0]) / length - 1), "length", BAR_AT_MOST, 0.02);
    }
    coupling_end(&run);
}

// ---- joints that contradict each other

typedef struct {
    sn_body rod;
    sn_joint joints[3];
    sn_vec3 from, to[3];
    int count;
    bool drawn, released;
    double balance; // m, the point's distance from the mean of where it is pulled to, before it is released
} pull;

static const double draw_time = 1, release_time = 3;

static sn_vec3 target(const pull *p, int k, double t) {
    double part = p->drawn ? fmin(t / draw_time, 1) : 1;
    return vec((double)p->from.x + part * (double)(p->to[k].x - p->from.x), (double)p->from.y,
               (double)p->from.z + part * (double)(p->to[k].z - p->from.z));
}

static void move_joints(coupling_run *run) {
    pull *p = run->user;
    for (int k = 0; k < p->count && p->drawn && !p->released; k++)
        sn_joint_move(run->world, p->joints[k], target(p, k, run->time + run->dt));
    if (p->released || run->time < release_time) return;
    p->released = true;
    for (int k = 0; k < p->count; k++) sn_joint_destroy(run->world, p->joints[k]);
}

static void add_joint_work(coupling_run *run) {
    pull *p = run->user;
    double mean[2] = {0};
    if (p->released) return;
    for (int k = 0; k < p->count; k++) {
        sn_vec3 now = target(p, k, run->time), before = target(p, k, run->time - run->dt);
        mean[0] += (double)now.x / p->count, mean[1] += (double)now.z / p->count;
        run->work += (double)sn_joint_force(run->world, p->joints[k]) *
                     hypot((double)(now.x - before.x), (double)(now.z - before.z));
    }
    sn_vec3 at = coupling_point(run->world, p->rod, SEGMENTS / 2);
    p->balance = hypot((double)at.x - mean[0], (double)at.z - mean[1]);
}

static void run_pull(int count, double distance, bool drawn, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    pull p = {.count = count, .drawn = drawn, .from = vec(0, 1, 0)};
    coupling_begin(&run, settings, out);
    p.rod = coupling_line(&run, vec(0, 1, -0.3), vec(0, 1, 0.3), SEGMENTS, 0.02, sn_rod_def_default().material);
    for (int k = 0; k < count; k++) {
        // Drawn: the first stays where the rod is, so the balance moves. At once: around the rod, so it does not.
        double angle = 6.2831853 * k / count, half = 0.5 * distance;
        p.to[k] =
            drawn ? vec(k == 1 ? distance : 0, 1, k == 2 ? distance : 0) : vec(half * cos(angle), 1, half * sin(angle));
        p.joints[k] = coupling_pin_at(&run, p.rod, SEGMENTS / 2, drawn ? p.from : p.to[k]);
    }
    double mass = sn_body_mass(run.world, p.rod);
    run.scale = 0.5 * mass * distance * distance / (draw_time * draw_time) + mass * 9.81;
    run.bars = (coupling_bars){.energy = 0.01};
    run.before = move_joints, run.after = add_joint_work, run.user = &p;
    coupling_simulate(&run);
    coupling_add(out, "balance", p.balance / distance, "of distance", BAR_AT_MOST, 0.01);
    coupling_add(out, "end", fabs(sn_rod_length(run.world, p.rod) / 0.6 - 1), "length", BAR_AT_MOST, 0.01);
    coupling_end(&run);
}

static void run_case(int i, const coupling_settings *settings, coupling_result *out) {
    if (i < SQUEEZES) {
        run_press(i == 0, settings, out);
        return;
    }
    i -= SQUEEZES;
    run_pull(2 + i / (DISTANCES * STARTS), distances[i / STARTS % DISTANCES], i % STARTS == 1, settings, out);
}

const coupling_family coupling_conflicts = {"", COUNT, title, run_case};
