// An edge-stopping a-trous wavelet filter (Dammertz et al. 2010) with weights from the variance (Schied et al. 2017):
// passes of a 3x3 kernel whose taps are 1, 2, 4, ... pixels apart. A neighbour's weight decreases with the angle
// between the normals, with its distance from the pixel's tangent plane, and with the difference in light beyond what
// noise explains. The first pass ignores the light: a few samples cannot distinguish a shadow edge from noise. It also
// raises the variance to that among the neighbours if the samples underestimate it.
#include "render/denoise.h"
#include <math.h>

static float brightness(const float c[3]) {
    return 0.25f * c[0] + 0.5f * c[1] + 0.25f * c[2];
}

static const float kernel[3] = {0.25f, 0.5f, 0.25f};

// Standard deviation averaged around a pixel: that of a single pixel is too uncertain.
static float deviation(const denoise_pixel *in, int width, int height, int x, int y) {
    float sum = 0, weights = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int qx = x + dx, qy = y + dy;
            if (qx < 0 || qy < 0 || qx >= width || qy >= height) continue;
            float w = kernel[dx + 1] * kernel[dy + 1];
            sum += w * in[qy * width + qx].variance;
            weights += w;
        }
    }
    return sqrtf(sum / weights);
}

static float similarity(const denoise_pixel *p, const denoise_pixel *q, float light_scale, float plane_scale) {
    float normal_weight = 0, plane_distance = 0;
    for (int k = 0; k < 3; k++) {
        normal_weight += p->normal[k] * q->normal[k];
        plane_distance += p->normal[k] * (q->position[k] - p->position[k]);
    }
    if (normal_weight <= 0) return 0;
    normal_weight *= normal_weight; // to the power of 32
    normal_weight *= normal_weight;
    normal_weight *= normal_weight;
    normal_weight *= normal_weight;
    normal_weight *= normal_weight;
    float difference =
        fabsf(brightness(p->light) - brightness(q->light)) * light_scale + fabsf(plane_distance) * plane_scale;
    return normal_weight * expf(-difference);
}

void denoise_pass(const denoise_pixel *in, denoise_pixel *out, int width, int height, int first, int last, int step,
                  float footprint) {
    for (int y = first; y < last; y++) {
        for (int x = 0; x < width; x++) {
            const denoise_pixel *p = &in[y * width + x];
            denoise_pixel *result = &out[y * width + x];
            *result = *p;
            if (!(p->distance > 0)) continue;
            bool ignore_light = step == 1;
            float light_scale = ignore_light ? 0 : 1 / (2.5f * deviation(in, width, height, x, y) + 0.004f);
            float plane_scale = 1 / (1.5f * footprint * p->distance * (float)step);
            float light[3] = {0}, variance = 0, weights = 0, squares = 0, bright = 0, bright2 = 0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    int qx = x + dx * step, qy = y + dy * step;
                    if (qx < 0 || qy < 0 || qx >= width || qy >= height) continue;
                    const denoise_pixel *q = &in[qy * width + qx];
                    if (!(q->distance > 0)) continue;
                    float w = kernel[dx + 1] * kernel[dy + 1];
                    if (dx || dy) w *= similarity(p, q, light_scale, plane_scale);
                    for (int k = 0; k < 3; k++) light[k] += w * q->light[k];
                    float b = brightness(q->light);
                    bright += w * b;
                    bright2 += w * b * b;
                    squares += w * w;
                    variance += w * w * q->variance;
                    weights += w;
                }
            }
            float local_variance = bright2 / weights - bright / weights * (bright / weights);
            if (ignore_light && local_variance * squares > variance) variance = local_variance * squares;
            for (int k = 0; k < 3; k++) result->light[k] = light[k] / weights;
            result->variance = variance / (weights * weights);
        }
    }
}
