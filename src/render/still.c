// See still.h.
#include "render/still.h"
#include "io/atomic_file.h"
#include "io/glb_write.h"
#include "render/png.h"
#include <stdio.h>

bool still_write_glb(const char *name, const recording *view, const char *title, char why[256]) {
    atomic_file out;
    bool good = atomic_file_open(&out, name);
    if (!good) snprintf(why, 256, "%s", out.why);
    if (good && (good = glb_write(out.out, view, title, GLB_TOLERANCE, why)) && !(good = atomic_file_commit(&out)))
        snprintf(why, 256, "%s", out.why);
    atomic_file_abort(&out);
    return good;
}

bool still_write_picture(const char *name, const recording *view, const render_settings *settings, char why[256]) {
    renderer *r = renderer_new(view, settings, why);
    const unsigned char *pixels = r ? renderer_draw(r, 0, why) : NULL;
    atomic_file out = {0};
    bool good = pixels && atomic_file_open(&out, name);
    if (pixels && !good) snprintf(why, 256, "%s", out.why);
    if (good && !(good = png_write(out.out, pixels, settings->width, settings->height)))
        snprintf(why, 256, "out of memory");
    if (good && !(good = atomic_file_commit(&out))) snprintf(why, 256, "%s", out.why);
    atomic_file_abort(&out);
    renderer_free(r);
    return good;
}
