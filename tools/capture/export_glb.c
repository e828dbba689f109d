// .glb: skinned meshes with an animation. The writer reads the frames twice, so it runs at the end.
#include "capture/exporter.h"
#include "formats/glb_write.h"
#include <errno.h>
#include <stdlib.h>

static bool finish(void *self, const export_run *run, tool_error *error) {
    export_file *output = self;
    tool_error reason;
    errno = 0;
    const export_options *o = run->options;
    bool good = glb_write(output->file.out, run->model, run->frames, o->scene->spec.title, GLB_TOLERANCE,
                          o->shared_joints, &reason);
    if (!good && !ferror(output->file.out))
        export_give_up(&output->file, reason.text, error);
    else
        good = export_end(&output->file, good, errno, error);
    free(output);
    return good;
}

const exporter export_glb = {
    .extension = ".glb", .needs = EXPORT_SPOOL, .open = export_file_open, .finish = finish, .abort = export_file_abort};
