// Scenes of the tree at the default settings: what a scene says about substeps and sweeps is left out.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// Replaces a field that has a number, such as "substeps": 4, by another number, or takes it out.
static void change(char *text, const char *field, int to) {
    char number[16] = "", *at = strstr(text, field);
    if (!at) return;
    char *end = strchr(at, ',');
    if (!end) return;
    snprintf(number, sizeof number, "%d", to);
    memset(at, ' ', (size_t)(end - at) + (to == 0));
    size_t size = strlen(field), digits = strlen(number);
    if (to == 0 || size + 1 + digits > (size_t)(end - at)) return;
    memcpy(at, field, size);
    at[size] = ':';
    memcpy(at + size + 1, number, digits);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size > 0 ? calloc((size_t)size + 1, 1) : NULL;
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    }
    if (file) fclose(file);
    return text;
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

static bool load(coupling_run *run, const char *path) {
    char *text = read_text(path);
    sn_error error;
    if (!text) return false;
    change(text, "\"substeps\"", run->settings->substeps);
    change(text, "\"contact_sweeps\"", 0);
    sn_world_def def = sn_world_def_default();
    if (run->settings->workers > 0) def.worker_count = run->settings->workers;
    sn_status status = sn_scene_parse(path, text, strlen(text), NULL, NULL, &run->scene, &error);
    sn_world_destroy(run->world);
    run->world = NULL;
    if (status == SN_OK) status = sn_scene_build(run->scene, &def, &run->world, &error);
    free(text);
    run->failed = status != SN_OK;
    return true;
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
    if (!settings->scenes || !load(&run, path)) {
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
