// An edge-stopping a-trous wavelet (Dammertz et al. 2010) with weights from the variance (Schied et al. 2017): passes
// of a 3x3 kernel whose taps lie 1, 2, 4, ... pixels apart. A neighbour counts for less the more its normal turns, the
// further it lies off the pixel's tangent plane, and the more its light differs beyond what the grain explains. The
// first pass does not look at the light: a few samples do not tell an edge of a shadow from chance. It also takes the
// spread among neighbours for grain, where that is more than the samples themselves confess.
#include "render/denoise.h"
#include <math.h>

static float brightness(const float c[3]) {
    return 0.25f * c[0] + 0.5f * c[1] + 0.25f * c[2];
}

static const float kernel[3] = {0.25f, 0.5f, 0.25f};

// The standard deviation around a pixel: that of a single pixel is too uncertain.
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

static float likeness(const denoise_pixel *p, const denoise_pixel *q, float spread, float plane) {
    float turn = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        turn += p->normal[k] * q->normal[k];
        off += p->normal[k] * (q->position[k] - p->position[k]);
    }
    if (turn <= 0) return 0;
    turn *= turn; // to the power of 32
    turn *= turn;
    turn *= turn;
    turn *= turn;
    turn *= turn;
    float apart = fabsf(brightness(p->light) - brightness(q->light)) * spread + fabsf(off) * plane;
    return turn * expf(-apart);
}

void denoise_pass(const denoise_pixel *in, denoise_pixel *out, int width, int height, int first, int last, int step,
                  float footprint) {
    for (int y = first; y < last; y++) {
        for (int x = 0; x < width; x++) {
            const denoise_pixel *p = &in[y * width + x];
            denoise_pixel *made = &out[y * width + x];
            *made = *p;
            if (!(p->distance > 0)) continue;
            bool blind = step == 1;
            float spread = blind ? 0 : 1 / (2.5f * deviation(in, width, height, x, y) + 0.004f);
            float plane = 1 / (1.5f * footprint * p->distance * (float)step);
            float light[3] = {0}, variance = 0, weights = 0, squares = 0, bright = 0, bright2 = 0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    int qx = x + dx * step, qy = y + dy * step;
                    if (qx < 0 || qy < 0 || qx >= width || qy >= height) continue;
                    const denoise_pixel *q = &in[qy * width + qx];
                    if (!(q->distance > 0)) continue;
                    float w = kernel[dx + 1] * kernel[dy + 1];
                    if (dx || dy) w *= likeness(p, q, spread, plane);
                    for (int k = 0; k < 3; k++) light[k] += w * q->light[k];
                    float b = brightness(q->light);
                    bright += w * b;
                    bright2 += w * b * b;
                    squares += w * w;
                    variance += w * w * q->variance;
                    weights += w;
                }
            }
            float among = bright2 / weights - bright / weights * (bright / weights);
            if (blind && among * squares > variance) variance = among * squares;
            for (int k = 0; k < 3; k++) made->light[k] = light[k] / weights;
            made->variance = variance / (weights * weights);
        }
    }
}
