// coupling-cases: runs the cases of this folder without the rest of 'sinew bench'.
//
//     coupling-cases                          all
//     coupling-cases --only rope.e8 heap.3    those whose names begin so
//     coupling-cases --list                   their names
//     --substeps N, --workers N, --budget SECONDS, --scenes FOLDER, --data FOLDER, --times N: each N times
//
// Exit code 1: a case missed a bar.
#include "coupling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    coupling_settings settings;
    const char *wanted[64];
    int wanted_count, times;
    bool list;
} arguments;

static bool is_wanted(const arguments *a, const char *name) {
    for (int i = 0; i < a->wanted_count; i++) {
        if (strncmp(name, a->wanted[i], strlen(a->wanted[i])) == 0) return true;
    }
    return a->wanted_count == 0;
}

// Reads an option with a value. Returns false if there is none at this place.
static bool read_option(arguments *a, const char *option, const char *value) {
    if (!value) return false;
    if (strcmp(option, "--substeps") == 0) {
        a->settings.substeps = atoi(value);
    } else if (strcmp(option, "--workers") == 0) {
        a->settings.workers = atoi(value);
    } else if (strcmp(option, "--times") == 0) {
        a->times = atoi(value);
    } else if (strcmp(option, "--budget") == 0) {
        a->settings.budget = atof(value);
    } else if (strcmp(option, "--scenes") == 0) {
        a->settings.scenes = value;
    } else if (strcmp(option, "--data") == 0) {
        a->settings.data = value;
    } else {
        return false;
    }
    return true;
}

static bool read_arguments(arguments *a, int count, char **values) {
    for (int i = 1; i < count; i++) {
        if (strcmp(values[i], "--list") == 0) {
            a->list = true;
        } else if (read_option(a, values[i], i + 1 < count ? values[i + 1] : NULL)) {
            i++;
        } else if (strcmp(values[i], "--only") != 0) {
            if (values[i][0] == '-' || a->wanted_count == 64) return false;
            a->wanted[a->wanted_count++] = values[i];
        }
    }
    return true;
}

int main(int count, char **values) {
    arguments a = {.settings = {.scenes = SN_SCENES, .data = getenv("SINEW_MUSCLES")}, .times = 1};
    int held = 0, missed = 0, skipped = 0;
    if (!read_arguments(&a, count, values)) {
        fprintf(stderr, "usage: coupling-cases [--only NAME...] [--list] [--substeps N] [--workers N] [--times N]\n"
                        "                      [--budget SECONDS] [--scenes FOLDER] [--data FOLDER]\n");
        return 2;
    }
    for (int f = 0; f < coupling_family_count(); f++) {
        const coupling_family *family = coupling_family_at(f);
        for (int i = 0; i < family->count * a.times; i++) {
            char name[COUPLING_NAME];
            coupling_name(family, i / a.times, name, sizeof name);
            if (!is_wanted(&a, name)) continue;
            if (a.list) {
                printf("%s\n", name);
                continue;
            }
            coupling_result result;
            coupling_measure(family, i / a.times, &a.settings, &result);
            coupling_print(&result);
            *(result.skipped ? &skipped : coupling_holds(&result) ? &held : &missed) += 1;
        }
    }
    if (!a.list) printf("%d ok, %d missed, %d skipped\n", held, missed, skipped);
    return missed ? 1 : 0;
}
