// Pictures by ray tracing: no window, no GPU. The same model and frame give the same picture.
#ifndef SN_RENDER_RENDER_H
#define SN_RENDER_RENDER_H

#include "mesh/error.h"
#include "view/view_spool.h"

typedef struct {
    sn_vec3 eye, target, up;
    double degrees; // vertical field of view
} render_camera;

typedef struct {
    int width, height;
    int samples; // per pixel
    int threads;
    render_camera camera;
} render_settings;

#define RENDER_MAX_PIXELS  100000000
#define RENDER_MAX_SAMPLES 4096

// Bounding box of everything that moves, over the frames that were added.
typedef struct {
    sn_vec3 low, high;
    float lowest; // y, with radii
    bool any;
} render_extent;

void render_extent_add(render_extent *extent, const view_model *model, const view_frame *frame);

// A camera that sees everything that moves, in every frame. False: out of memory, or the frames cannot be read; errno
// is set.
bool render_camera_fit(const view_model *model, const view_spool *frames, int width, int height, render_camera *out);

typedef struct renderer renderer;

// Light, haze and ground are chosen for the extent. The model must outlive the renderer. Null: the error is set.
renderer *renderer_new(const view_model *model, const render_extent *extent, const render_settings *settings,
                       tool_error *error);

// Draws a frame: width * height RGB pixels from the upper left. The renderer owns the picture; it is valid until the
// next call. Null: the error is set.
const unsigned char *renderer_draw(renderer *r, const view_frame *frame, tool_error *error);

// Null is allowed.
void renderer_free(renderer *r);

#endif
