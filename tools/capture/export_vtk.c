// .vtp: what is simulated, at the end. .pvd: the same in every frame. Both read the world itself.
#include "capture/exporter.h"
#include "formats/vtp.h"
#include <errno.h>
#include <stdlib.h>

static bool vtp_finish(void *self, const export_run *run, tool_error *error) {
    export_file *output = self;
    errno = 0;
    const bool written = vtp_write(output->file.out, run->world);
    const bool good = export_end(&output->file, written, errno, error);
    free(output);
    return good;
}

const exporter export_vtp = {.extension = ".vtp",
                             .needs = EXPORT_WORLD,
                             .open = export_file_open,
                             .finish = vtp_finish,
                             .abort = export_file_abort};

static void *pvd_open(const char *path, const export_options *options, tool_error *error) {
    (void)options;
    return vtp_series_open(path, error);
}

static bool pvd_write(void *self, const export_run *run, tool_error *error) {
    return vtp_series_add(self, run->world, run->time, error);
}

static bool pvd_finish(void *self, const export_run *run, tool_error *error) {
    (void)run; // the last frame was written already
    return vtp_series_finish(self, error);
}

static void pvd_abort(void *self) {
    vtp_series_abort(self);
}

const exporter export_pvd = {.extension = ".pvd",
                             .needs = EXPORT_WORLD,
                             .open = pvd_open,
                             .write = pvd_write,
                             .finish = pvd_finish,
                             .abort = pvd_abort};
