// The style of pictures: a soft sky, one warm light, pale ground with a faint grid that fades into the distance, and
// tone mapping. All light is linear; 1 is about the light reflected by white paper in the shade.
#ifndef SN_RENDER_STYLE_H
#define SN_RENDER_STYLE_H

#include "sinew/types.h"
#include <stdbool.h>

typedef struct {
    sn_vec3 to_sun, sun_x, sun_y; // direction to the light, and two directions orthogonal to it
    bool ground;
    sn_vec3 point, normal, x_axis, z_axis; // of the ground: the axes are along its grid
    float size;                            // radius of the scene, m
    float spacing;                         // of the grid, m
    sn_vec3 centre;                        // of the scene
} render_style;

// 'right' and 'forward' are the camera's axes.
render_style style_make(sn_vec3 centre, float size, sn_vec3 right, sn_vec3 forward);

// The visible background, and the light that a surface receives from a direction of the sky.
sn_vec3 style_background(sn_vec3 direction);
sn_vec3 style_sky(sn_vec3 direction);

// The sun: the light on a surface facing it, and a direction towards a point of its disc (u, v in [0, 1)).
sn_vec3 style_sun_light(void);
sn_vec3 style_sun_direction(const render_style *s, float u, float v);

// Defines the ground plane.
void style_set_ground(render_style *s, sn_vec3 point, sn_vec3 normal);

// Distance along a ray to the ground; negative: no hit.
float style_ground_distance(const render_style *s, sn_vec3 from, sn_vec3 direction);

// The ground's colour without grid, and at a point where a pixel covers 'width'; and the fraction of it visible through
// the haze, 0 to 1.
sn_vec3 style_ground_plain(void);
sn_vec3 style_ground_colour(const render_style *s, sn_vec3 point, float width);
float style_visibility(const render_style *s, sn_vec3 point);

// Converts light to sRGB bytes: exposure, a soft shoulder, gamma.
void style_tone_map(const float light[3], unsigned char out[3]);

#endif
