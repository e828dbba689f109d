// Steps a world and measures what every case measures.
//
//     energy made    the largest of E(t) - E(0) - W(t), E the kinetic, elastic and gravity's energy, W the work done from outside
//     rise           the largest climb of E - W above an earlier low: what damping and impacts took and came back
#include "coupling_run.h"
#include "system/system.h"
#include <stdlib.h>

enum { POINTS = 1024 };

static double now(void) {
    return system_cpu_seconds(); // others may use the machine
}

// The substeps that a newcomer gets: the engine's own choice (0), or 1 where the engine wants a number.
static int default_substeps(void) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    if (sn_world_create(&def, &world) != SN_OK) return 1;
    sn_status status = sn_world_step(world, (sn_real)(1.0 / 60), 0);
    sn_world_destroy(world);
    return status == SN_OK ? 0 : 1;
}

static void measure_bodies(coupling_run *run) {
    const sn_world *world = run->world;
    sn_vec3 velocities[POINTS];
    run->speed = run->volume_end = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        sn_body body = sn_world_body_at(world, i);
        if (body.kind == SN_KIND_RIGID) continue;
        double rest = sn_body_rest_volume(world, body), volume = sn_body_volume(world, body);
        if (rest > 0) {
            run->finite = run->finite && isfinite(volume);
            run->volume_min = fmin(run->volume_min, volume / rest);
            run->volume_max = fmax(run->volume_max, volume / rest);
            run->volume_end = fmax(run->volume_end, fabs(volume / rest - 1));
        }
        int count = sn_body_get_velocities(world, body, velocities, POINTS);
        for (int k = 0; k < count && k < POINTS; k++) {
            double x = (double)velocities[k].x, y = (double)velocities[k].y, z = (double)velocities[k].z;
            double speed = sqrt(x * x + y * y + z * z);
            run->finite = run->finite && isfinite(speed);
            run->speed = fmax(run->speed, speed);
        }
    }
}

static void measure(coupling_run *run) {
    double energy = coupling_energy(run->world) - run->work;
    run->finite = run->finite && isfinite(energy);
    run->made = fmax(run->made, energy - run->energy_start);
    run->rise = fmax(run->rise, energy - run->energy_low);
    run->energy_low = fmin(run->energy_low, energy);
    measure_bodies(run);
    if (!run->finite) return;
    double overlap = sn_world_penetration(run->world);
    if (!run->separated && overlap <= 0.01) run->separated = true, run->impact = 0;
    run->impact = fmax(run->impact, overlap);
    if (run->time >= 0.9 * run->duration) run->rest = fmax(run->rest, overlap);
}

static sn_status step(coupling_run *run) {
    if (run->scene) {
        sn_error error;
        return sn_scene_step(run->scene, run->world, &error);
    }
    return sn_world_step(run->world, (sn_real)run->dt, run->substeps);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_bar(coupling_run *run, const char *name, double value, const char *unit, double bar) {
    coupling_add(run->result, name, value, unit, bar > 0 ? BAR_AT_MOST : BAR_NONE, bar);
}

static void add_figures(coupling_run *run) {
    coupling_result *result = run->result;
    bool good = run->finite && !run->result->stopped;
    coupling_add(result, "finite", good, "", BAR_AT_LEAST, 1);
    add_bar(run, "made", run->made / run->scale, "of scale", run->bars.energy);
    double change = fmax(run->volume_max - 1, 1 - run->volume_min);
    add_bar(run, "volume", isfinite(change) ? change : 0, "change", run->bars.volume);
    add_bar(run, "impact", run->impact, "overlap", run->bars.impact);
    add_bar(run, "rest", run->rest, "overlap", run->bars.rest);
    add_bar(run, "speed", run->speed, "m/s", run->bars.speed);
    coupling_add(result, "diverged", run->diverged, "steps", BAR_AT_MOST, 0);
    coupling_add(result, "volume_end", run->volume_end, "change", BAR_NONE, 0);
    coupling_add(result, "overlap", run->overlap, "at start", BAR_NONE, 0);
    coupling_add(result, "rise", run->rise / run->scale, "of scale", BAR_NONE, 0);
    coupling_add(result, "scale", run->scale, "J", BAR_NONE, 0);
    coupling_add(result, "start", run->energy_start, "J", BAR_NONE, 0);
    coupling_add(result, "work", run->work, "J", BAR_NONE, 0);
    qsort(run->step_ms, (size_t)run->step, sizeof *run->step_ms, compare);
    coupling_add(result, "p50", run->step ? run->step_ms[run->step / 2] : 0, "ms", BAR_NONE, 0);
    coupling_add(result, "p99", run->step ? run->step_ms[run->step * 99 / 100] : 0, "ms", BAR_NONE, 0);
}

// Why the run should end now; null: it should not.
static const char *reason_to_stop(const coupling_run *run, sn_status status, double start) {
    double budget = run->settings->budget > 0 ? run->settings->budget : 20;
    if (status != SN_OK && status != SN_WARN_DIVERGED) return sn_status_name(status);
    if (!run->finite) return "not finite";
    if (run->made > 1e6 * run->scale) return "energy";
    if (now() - start > budget) return "time";
    return NULL;
}

void coupling_simulate(coupling_run *run) {
    if (run->failed) {
        run->result->stopped = "could not be made";
        coupling_add(run->result, "finite", 0, "", BAR_AT_LEAST, 1);
        return;
    }
    if (run->substeps == 0) run->substeps = run->settings->substeps;
    if (run->substeps == 0) run->substeps = default_substeps();
    int steps = (int)(run->duration / run->dt + 0.5);
    if (run->settings->steps > 0 && steps > run->settings->steps) steps = run->settings->steps;
    run->step_ms = calloc((size_t)steps + 1, sizeof *run->step_ms);
    run->finite = run->step_ms != NULL;
    run->energy_start = run->energy_low = coupling_energy(run->world);
    run->volume_min = INFINITY, run->volume_max = -INFINITY;
    if (!(run->scale > 0)) run->scale = coupling_total_mass(run->world) * 9.81;
    run->overlap = sn_world_penetration(run->world);
    run->separated = run->overlap <= 0.01;
    double start = now();
    while (run->step < steps && !run->result->stopped) {
        if (run->before) run->before(run);
        sn_status status = step(run);
        if (status == SN_WARN_DIVERGED) run->diverged++;
        run->step_ms[run->step++] = sn_world_profile(run->world).step_ms;
        run->time = run->step * run->dt;
        if (run->after) run->after(run);
        measure(run);
        run->result->stopped = reason_to_stop(run, status, start);
    }
    add_figures(run);
}
