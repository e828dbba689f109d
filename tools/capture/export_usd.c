// .usda: skeletons, their animation and point caches, in text. The writer reads the frames body by body, so it runs at the end.
#include "capture/exporter.h"
#include "formats/usd_write.h"
#include <errno.h>
#include <stdlib.h>

static bool finish(void *self, const export_run *run, tool_error *error) {
    export_file *output = self;
    tool_error reason;
    errno = 0;
    const export_options *o = run->options;
    bool good = usd_write(output->file.out, run->model, run->frames, o->fps, o->scene->spec.title, &reason);
    if (!good && !ferror(output->file.out))
        export_give_up(&output->file, reason.text, error);
    else
        good = export_end(&output->file, good, errno, error);
    free(output);
    return good;
}

const exporter export_usda = {.extension = ".usda",
                              .needs = EXPORT_SPOOL,
                              .open = export_file_open,
                              .finish = finish,
                              .abort = export_file_abort};
