// See still.h.
#include "render/still.h"
#include "formats/atomic_file.h"
#include "formats/glb_write.h"
#include "render/png.h"
#include <stdio.h>

typedef struct {
    const recording *view;
    const char *title;
} titled;

static bool write_glb(FILE *out, const void *what, char why[256]) {
    const titled *of = what;
    return glb_write(out, of->view, of->title, GLB_TOLERANCE, why);
}

bool still_write_glb(const char *name, const recording *view, const char *title, char why[256]) {
    const titled of = {view, title};
    return atomic_file_write(name, write_glb, &of, why);
}

typedef struct {
    const unsigned char *pixels;
    int width, height;
} picture;

static bool write_png(FILE *out, const void *what, char why[256]) {
    const picture *of = what;
    const bool good = png_write(out, of->pixels, of->width, of->height);
    if (!good) snprintf(why, 256, "out of memory");
    return good;
}

bool still_write_picture(const char *name, const recording *view, const render_settings *settings, char why[256]) {
    renderer *r = renderer_new(view, settings, why);
    const picture of = {r ? renderer_draw(r, 0, why) : NULL, settings->width, settings->height};
    const bool good = of.pixels && atomic_file_write(name, write_png, &of, why);
    renderer_free(r);
    return good;
}
