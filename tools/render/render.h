// Pictures of recordings, drawn by tracing rays: no window, no GPU. The same recording gives the same picture.
#ifndef SN_RENDER_RENDER_H
#define SN_RENDER_RENDER_H

#include "mesh/error.h"
#include "view/recording.h"

typedef struct {
    sn_vec3 eye, target, up;
    double degrees; // height of the view
} render_camera;

typedef struct {
    int width, height;
    int samples; // per pixel
    int threads;
    render_camera camera;
} render_settings;

#define RENDER_MAX_PIXELS  100000000
#define RENDER_MAX_SAMPLES 4096

// A camera that sees everything that moves, in every frame.
render_camera render_camera_fit(const recording *rec, int width, int height);

typedef struct renderer renderer;

// The recording must outlive it. Null: 'why' says why.
renderer *renderer_new(const recording *rec, const render_settings *settings, tool_error *error);

// Draws a frame: width * height pixels of red, green and blue, the upper left first. The picture is the renderer's and
// stays until the next one. Null: 'why' says why.
const unsigned char *renderer_draw(renderer *r, int frame, tool_error *error);

// Null is fine.
void renderer_free(renderer *r);

#endif
