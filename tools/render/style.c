// See style.h.
#include "render/style.h"
#include "base/math/vec.h"

static const sn_vec3 zenith = {0.36f, 0.52f, 0.84f}, horizon = {0.80f, 0.82f, 0.86f}, nadir = {0.34f, 0.32f, 0.30f};
static const sn_vec3 seen_zenith = {0.46f, 0.72f, 1.06f}, seen_horizon = {1.40f, 1.50f, 1.58f};
static const sn_vec3 sun_light = {2.30f, 2.08f, 1.76f};
static const sn_vec3 ground_colour = {0.62f, 0.605f, 0.58f};
static const float sun_radius = 0.085f; // tangent of half its apparent angle
static const float exposure = 0.60f;

static float smoothstep(float t) {
    t = sn_clamp(t, 0, 1);
    return t * t * (3 - 2 * t);
}

render_style style_make(sn_vec3 centre, float size, sn_vec3 right, sn_vec3 forward) {
    render_style s = {.centre = centre, .size = size};
    sn_vec3 level = sn_normalize(sn_v3(forward.x, 0, forward.z), sn_v3(0, 0, -1));
    sn_vec3 to = sn_add(sn_add(sn_mul(-0.62f, right), sn_mul(-0.32f, level)), sn_v3(0, 1, 0));
    s.to_sun = sn_normalize(to, sn_v3(0, 1, 0));
    s.sun_x = sn_perpendicular(s.to_sun);
    s.sun_y = sn_cross(s.to_sun, s.sun_x);
    double step = size > 0 ? pow(10, floor(log10((double)size / 4))) : 1; // 1, 2 or 5 times a power of ten
    double ratio = size > 0 ? (double)size / 4 / step : 1;
    s.spacing = (float)(step * (ratio < 2 ? 1 : ratio < 5 ? 2 : 5));
    return s;
}

sn_vec3 style_background(sn_vec3 d) {
    return sn_lerp(seen_horizon, seen_zenith, smoothstep(1.7f * sn_max(d.y, 0)));
}

sn_vec3 style_sky(sn_vec3 d) {
    if (d.y < 0) return sn_lerp(horizon, nadir, smoothstep(-4 * d.y));
    return sn_lerp(horizon, zenith, smoothstep(1.2f * d.y));
}

sn_vec3 style_sun_light(void) {
    return sun_light;
}

sn_vec3 style_sun_direction(const render_style *s, float u, float v) {
    float r = sun_radius * sn_sqrt(u), angle = 2 * SN_PI * v;
    sn_vec3 across = sn_add(sn_mul(r * cosf(angle), s->sun_x), sn_mul(r * sinf(angle), s->sun_y));
    return sn_normalize(sn_add(s->to_sun, across), s->to_sun);
}

float style_ground_distance(const render_style *s, sn_vec3 from, sn_vec3 direction) {
    float down = -sn_dot(direction, s->normal), height = sn_dot(sn_sub(from, s->point), s->normal);
    return s->ground && down > 1e-5f && height > 0 ? height / down : -1;
}

// Integral of a periodic line that covers the first 'line' of each unit.
static float covered_until(float x, float line) {
    float floor_x = (float)(int)x;
    if (floor_x > x) floor_x -= 1;
    return floor_x * line + sn_min(x - floor_x, line);
}

// Fraction of a pixel that the line covers.
static float stripes(float x, float line, float width) {
    return (covered_until(x + width / 2, line) - covered_until(x - width / 2, line)) / width;
}

void style_set_ground(render_style *s, sn_vec3 point, sn_vec3 normal) {
    s->ground = true;
    s->point = point;
    s->normal = normal;
    s->x_axis = sn_normalize(sn_cross(normal, sn_v3(0, 0, -1)), sn_v3(1, 0, 0));
    s->z_axis = sn_cross(s->x_axis, normal);
}

sn_vec3 style_ground_plain(void) {
    return ground_colour;
}

sn_vec3 style_ground_colour(const render_style *s, sn_vec3 point, float width) {
    const float line = 0.016f, w = sn_max(width / s->spacing, 1e-4f);
    sn_vec3 p = sn_sub(point, s->point);
    float x = sn_dot(p, s->x_axis) / s->spacing + line / 2, z = sn_dot(p, s->z_axis) / s->spacing + line / 2;
    if (!(sn_abs(x) < 1e6f && sn_abs(z) < 1e6f)) return ground_colour;
    float covered = sn_max(stripes(x, line, w), stripes(z, line, w));
    return sn_mul(1 - 0.22f * sn_min(covered, 1), ground_colour);
}

float style_visibility(const render_style *s, sn_vec3 point) {
    sn_real distance2 = sn_length2(sn_sub(point, s->centre)) / (s->size * s->size);
    return expf(-0.055f * distance2);
}

// Linear up to a knee, then an exponential that approaches 1.
static float shoulder(float x) {
    const float knee = 0.7f, headroom = 1 - knee;
    return x <= knee ? x : 1 - headroom * expf((knee - x) / headroom);
}

void style_tone_map(const float light[3], unsigned char out[3]) {
    for (int k = 0; k < 3; k++) {
        float x = shoulder(exposure * sn_max(light[k], 0));
        float coded = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
        out[k] = (unsigned char)(255 * sn_clamp(coded, 0, 1) + 0.5f);
    }
}
