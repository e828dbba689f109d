// .vtp: the last frame. .pvd: every frame.
#include "output.h"
#include "io/atomic_file.h"
#include "io/quote.h"
#include "io/vtp.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *ending;
    bool (*open)(run_output *output, const char *name, char why[256]);
    bool (*frame)(run_output *output, const sn_world *world, double t, char why[256]); // or null: only the end matters
    bool (*finish)(run_output *output, const sn_world *world, char why[256]);
    void (*abort)(run_output *output);
} output_format;

struct run_output {
    const output_format *format;
    atomic_file file;   // of .vtp
    vtp_series *series; // of .pvd
};

static bool vtp_open(run_output *output, const char *name, char why[256]) {
    bool good = atomic_file_open(&output->file, name);
    if (!good) memcpy(why, output->file.why, 256);
    return good;
}

static bool vtp_finish(run_output *output, const sn_world *world, char why[256]) {
    if (!vtp_write(output->file.out, world)) {
        snprintf(why, 256, "cannot write %s: out of memory", output->file.name);
        atomic_file_abort(&output->file);
        return false;
    }
    bool good = atomic_file_commit(&output->file);
    if (!good) memcpy(why, output->file.why, 256);
    return good;
}

static void vtp_abort(run_output *output) {
    atomic_file_abort(&output->file);
}

static bool pvd_open(run_output *output, const char *name, char why[256]) {
    output->series = vtp_series_open(name, why);
    return output->series != NULL;
}

static bool pvd_frame(run_output *output, const sn_world *world, double t, char why[256]) {
    return vtp_series_add(output->series, world, t, why);
}

static bool pvd_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world; // its last frame was added already
    return vtp_series_finish(output->series, why);
}

static void pvd_abort(run_output *output) {
    vtp_series_abort(output->series);
}

static const output_format formats[] = {
    {".vtp", vtp_open, NULL, vtp_finish, vtp_abort},
    {".pvd", pvd_open, pvd_frame, pvd_finish, pvd_abort},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const output_format *find_format(const char *name, char why[256]) {
    size_t length = strlen(name);
    for (int i = 0; i < FORMAT_COUNT; i++) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(name + length - ending, formats[i].ending) == 0) return &formats[i];
    }
    char quoted[QUOTE_SIZE];
    int used = snprintf(why, 256, "the ending of %s is not one of", quote(name, quoted));
    for (int i = 0; i < FORMAT_COUNT; i++) {
        used += snprintf(why + used, 256 - (size_t)used, "%s %s", i ? "," : "", formats[i].ending);
    }
    return NULL;
}

run_output *output_open(const char *name, bool *bad_name, char why[256]) {
    const output_format *format = find_format(name, why);
    *bad_name = format == NULL;
    if (!format) return NULL;
    run_output *made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(why, 256, "cannot write %.200s: out of memory", name);
        return NULL;
    }
    made->format = format;
    if (format->open(made, name, why)) return made;
    free(made);
    return NULL;
}

bool output_frame(run_output *output, const sn_world *world, double t, char why[256]) {
    return !output->format->frame || output->format->frame(output, world, t, why);
}

bool output_finish(run_output *output, const sn_world *world, char why[256]) {
    bool good = output->format->finish(output, world, why);
    free(output);
    return good;
}

void output_abort(run_output *output) {
    if (!output) return;
    output->format->abort(output);
    free(output);
}
