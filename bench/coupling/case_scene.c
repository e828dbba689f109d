// Scenes of the tree at the default settings: what a scene says about substeps and sweeps is left out.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const struct {
    const char *name;
    double impact, rest; // bars; 0: none
    double spin;         // rad/s, about the y axis through the origin, of the rigid bodies that move
} scenes[] = {
    {"octopus-drop", 0.05, 0.005, 0},       {"octopus-explosion", 0, 0.005, 0},      {"noodles", 0.1, 0.005, 0},
    {"octopus-cannonballs", 0.2, 0.005, 0}, {"mixer", 0.1, 0.005, 3.14159265358979},
};

static void title(int i, char *out, size_t capacity) {
    snprintf(out, capacity, "%s", scenes[i].name);
}

// Adds the work of the rigid bodies that rotate.
static void after(coupling_run *run) {
    const int *which = run->user;
    const sn_vec3 zero = vec(0, 0, 0), spin = vec(0, scenes[*which].spin, 0);
    for (int i = 0; i < sn_world_kind_count(run->world, SN_KIND_RIGID); i++) {
        sn_body rigid = sn_world_kind_at(run->world, SN_KIND_RIGID, i);
        sn_vec3 position;
        sn_quat rotation;
        if (sn_rigid_get_pose(run->world, rigid, &position, &rotation) != SN_OK) continue;
        if (fabs((double)rotation.y) > 1e-6) run->work += coupling_rigid_work(run, rigid, zero, zero, spin);
    }
}

static double fall_energy(const sn_world *world) {
    double sum = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        sn_body body = sn_world_body_at(world, i);
        sn_energy energy = sn_body_energy(world, body);
        if (isfinite(energy.potential)) sum += fabs(energy.potential) + energy.kinetic;
    }
    return sum;
}

static void run_scene(int i, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.json", settings->scenes ? settings->scenes : "", scenes[i].name);
    coupling_begin(&run, settings, out);
    if (!settings->scenes || !coupling_load(&run, path, settings->substeps)) {
        out->skipped = "no scenes";
        coupling_end(&run);
        return;
    }
    if (!run.failed) {
        run.duration = sn_scene_duration(run.scene);
        run.dt = sn_scene_step_length(run.scene);
        run.scale = fall_energy(run.world);
        run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03, .impact = scenes[i].impact, .rest = scenes[i].rest};
        if (scenes[i].spin > 0) run.after = after, run.user = &i;
    }
    coupling_simulate(&run);
    coupling_end(&run);
}

const coupling_family coupling_scenes = {"scene", sizeof scenes / sizeof *scenes, title, run_scene};
