// How pictures look: a soft sky, one warm light, pale ground with a faint grid that fades into the distance, and the
// way from light to bytes. All light is linear; 1 is about what a white sheet in the shade sends back.
#ifndef SN_RENDER_STYLE_H
#define SN_RENDER_STYLE_H

#include "sinew/types.h"
#include <stdbool.h>

typedef struct {
    sn_vec3 to_sun, sun_x, sun_y; // where the light comes from, and two directions across
    bool ground;
    sn_vec3 point, normal, x_axis, z_axis; // of the ground: the axes are along its grid
    float size;                            // of what is looked at, m
    float spacing;                         // of the grid, m
    sn_vec3 centre;                        // of what is looked at
} render_style;

// 'right' and 'forward' are the camera's.
render_style style_make(sn_vec3 centre, float size, sn_vec3 right, sn_vec3 forward);

// What the eye sees where there is nothing, and what a surface gets from a direction of the sky.
sn_vec3 style_background(sn_vec3 direction);
sn_vec3 style_sky(sn_vec3 direction);

// The light itself: what a surface facing it gets, and a direction towards a point of it (u, v in [0, 1)).
sn_vec3 style_sun_light(void);
sn_vec3 style_sun_direction(const render_style *s, float u, float v);

// Lays the ground.
void style_set_ground(render_style *s, sn_vec3 point, sn_vec3 normal);

// Where a ray meets the ground: its distance, or a negative number.
float style_ground_distance(const render_style *s, sn_vec3 from, sn_vec3 direction);

// The ground's colour without its grid, and at a point, where a pixel covers 'width'; and how much of it is seen
// through the haze.
sn_vec3 style_ground_plain(void);
sn_vec3 style_ground_colour(const render_style *s, sn_vec3 point, float width);
float style_visibility(const render_style *s, sn_vec3 point);

// Light to bytes: exposure, a soft shoulder, sRGB.
void style_tone_map(const float light[3], unsigned char out[3]);

#endif
