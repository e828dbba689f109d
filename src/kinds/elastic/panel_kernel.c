// Products with the panels of the factor (reduced.h), for the three coordinates at once: lanes are rows of S.
//
// In the product with S^T each of the sixteen positions of a row has its own sum; these are added in a fixed order, so
// the result does not depend on the lane width.
#include "base/simd/simd.h"
#include "kinds/elastic/elastic_kernels.h"

enum { L = SN_LANES, ROW = 16, PARTS = ROW / L };

void SN_LANE_NAME(sn_elastic_down)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);
void SN_LANE_NAME(sn_elastic_down)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to,
                                   int stride) {
    for (int i = 0; i < rows; i += ROW) {
        vreal sum[3][PARTS];
        for (int k = 0; k < 3; k++)
            for (int p = 0; p < PARTS; p++) sum[k][p] = v_set(0);
        for (int c = 0; c < width; ++c, s += ROW) {
            const vreal x = v_set(from[c]), y = v_set(from[stride + c]), z = v_set(from[2 * stride + c]);
            SN_UNROLL
            for (int p = 0; p < PARTS; p++) {
                const vreal a = v_load(s + p * L);
                sum[0][p] += a * x, sum[1][p] += a * y, sum[2][p] += a * z;
            }
        }
        for (int k = 0; k < 3; k++)
            for (int p = 0; p < PARTS; p++) v_store(to + k * stride + i + p * L, sum[k][p]);
    }
}

// Sums sixteen numbers pairwise.
SN_INLINE sn_real add_up(const vreal sum[PARTS]) {
    _Alignas(64) sn_real x[ROW];
    sn_real a[8], b[4];
    for (int p = 0; p < PARTS; p++) v_store(x + p * L, sum[p]);
    for (int i = 0; i < 8; i++) a[i] = x[i] + x[i + 8];
    for (int i = 0; i < 4; i++) b[i] = a[i] + a[i + 4];
    return (b[0] + b[2]) + (b[1] + b[3]);
}

// Columns c .. c + count - 1 of S^T z.
SN_INLINE void up_columns(const sn_real *s, int rows, int width, int c, int count, const sn_real *from, sn_real *to,
                          int stride) {
    vreal sum[2][3][PARTS];
    for (int j = 0; j < count; j++)
        for (int k = 0; k < 3; k++)
            for (int p = 0; p < PARTS; p++) sum[j][k][p] = v_set(0);
    for (int i = 0; i < rows; i += ROW) {
        const sn_real *tile = s + ((size_t)i * (size_t)width + (size_t)c * ROW);
        SN_UNROLL
        for (int p = 0; p < PARTS; p++) {
            const sn_real *z = from + i + p * L;
            const vreal zx = v_load(z), zy = v_load(z + stride), zz = v_load(z + 2 * stride);
            SN_UNROLL
            for (int j = 0; j < count; j++) {
                const vreal a = v_load(tile + j * ROW + p * L);
                sum[j][0][p] += a * zx, sum[j][1][p] += a * zy, sum[j][2][p] += a * zz;
            }
        }
    }
    for (int j = 0; j < count; j++)
        for (int k = 0; k < 3; k++) to[k * stride + c + j] = add_up(sum[j][k]);
}

void SN_LANE_NAME(sn_elastic_up)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);
void SN_LANE_NAME(sn_elastic_up)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride) {
    int c = 0;
    for (; c + 2 <= width; c += 2) up_columns(s, rows, width, c, 2, from, to, stride);
    if (c < width) up_columns(s, rows, width, c, 1, from, to, stride);
}
