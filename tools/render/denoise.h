// Removes noise from sampled light without blurring edges.
#ifndef SN_RENDER_DENOISE_H
#define SN_RENDER_DENOISE_H

#include <stdbool.h>

// The filter's input for a pixel. 'light' is the incoming light, without the surface's colour.
typedef struct {
    float light[3];
    float variance; // of the light's brightness, estimated from the samples
    float position[3], normal[3];
    float distance; // to the camera; 0: no surface
} denoise_pixel;

// Filters rows [first, last) of a picture once, with taps 'step' pixels apart. 'footprint' is the size of a pixel at
// distance 1.
void denoise_pass(const denoise_pixel *in, denoise_pixel *out, int width, int height, int first, int last, int step,
                  float footprint);

#endif
