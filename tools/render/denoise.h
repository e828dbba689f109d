// Takes the grain out of sampled light without blurring edges.
#ifndef SN_RENDER_DENOISE_H
#define SN_RENDER_DENOISE_H

#include <stdbool.h>

// What is known of a pixel. 'light' is the light that falls on the surface, without its colour.
typedef struct {
    float light[3];
    float variance; // of the light's brightness, as far as the samples tell
    float position[3], normal[3];
    float distance; // to the eye; 0: there is no surface
} denoise_pixel;

// Filters rows [first, last) of a picture once, at a spacing of 'step' pixels. 'footprint' is what a pixel covers at
// distance 1.
void denoise_pass(const denoise_pixel *in, denoise_pixel *out, int width, int height, int first, int last, int step,
                  float footprint);

#endif
