// Four muscles between bones that are meshes, bent and active, with hard and with soft surfaces (bench/coupling/make-arm makes the
// scenes). With 1, 2, 4 and 8 substeps they must stay finite, keep their volumes, and hold at most twice the energy of the finest.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

static const char *const surfaces[] = {"hard", "soft"};
static const int substeps[] = {8, 4, 2, 1}; // the finest first
enum { SURFACES = 2, SUBSTEPS = 4 };

static void title(int i, char *out, size_t capacity) {
    snprintf(out, capacity, "%s", surfaces[i]);
}

typedef struct {
    double peak;   // J, kinetic and elastic
    double volume; // largest change of a muscle's
} limb;

static void watch(coupling_run *run) {
    limb *l = run->user;
    sn_energy energy = sn_world_energy(run->world);
    double now = energy.kinetic + energy.elastic;
    if (!(now <= l->peak)) l->peak = now;
    for (int i = 0; i < sn_world_bundle_count(run->world); i++) {
        sn_bundle bundle = sn_world_bundle_at(run->world, i);
        double change = fabs(sn_bundle_volume(run->world, bundle) / sn_bundle_rest_volume(run->world, bundle) - 1);
        if (!(change <= l->volume)) l->volume = change;
    }
}

// Runs the arm; its figures go to 'out'. Returns false if there is no such file.
static bool bend(const char *path, int count, const coupling_settings *settings, coupling_result *out, limb *l) {
    coupling_run run;
    coupling_begin(&run, settings, out);
    bool found = coupling_load(&run, path, count);
    *l = (limb){0};
    if (found && !run.failed) {
        run.duration = sn_scene_duration(run.scene);
        run.dt = sn_scene_step_length(run.scene);
        run.scale = 1;
        run.after = watch;
        run.user = l;
    }
    if (found) coupling_simulate(&run);
    coupling_end(&run);
    return found;
}

static void run_muscle(int i, const coupling_settings *settings, coupling_result *out) {
    char path[1024];
    limb finest = {0};
    snprintf(path, sizeof path, "%s/arm-%s.json", settings->data ? settings->data : "", surfaces[i]);
    for (int k = 0; k < SUBSTEPS; k++) {
        coupling_result one = {0};
        limb now;
        char name[20];
        snprintf(one.name, sizeof one.name, "%s", out->name);
        if (!settings->data || !bend(path, substeps[k], settings, &one, &now)) {
            out->skipped = "no arm: see bench/coupling/make-arm";
            return;
        }
        if (k == 0) finest = now;
        snprintf(name, sizeof name, "finite_%d", substeps[k]);
        coupling_add(out, name, coupling_value(&one, "finite"), "", BAR_AT_LEAST, 1);
        snprintf(name, sizeof name, "peak_%d", substeps[k]);
        coupling_add(out, name, now.peak / finest.peak, "of finest", BAR_AT_MOST, 2);
        snprintf(name, sizeof name, "volume_%d", substeps[k]);
        coupling_add(out, name, now.volume, "change", BAR_AT_MOST, 0.03);
        snprintf(name, sizeof name, "p50_%d", substeps[k]);
        coupling_add(out, name, coupling_value(&one, "p50"), "ms", BAR_NONE, 0);
    }
    coupling_add(out, "peak", finest.peak, "J", BAR_NONE, 0);
}

const coupling_family coupling_muscles = {"muscle", SURFACES, title, run_muscle};
