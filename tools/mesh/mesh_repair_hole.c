// The patch of least area over a rim. Let the rim's corners be 0, 1, ... n - 1, and area(i, j) the least that triangles
// over the corners from i to j and the chord from j back to i can have:
//     area(i, i + 1) = 0,   area(i, j) = min over k between them of area(i, k) + area(k, j) + triangle(i, k, j).
// What gave the least says which triangles to take, from the chord 0, n - 1 on. It takes n^3 / 6 triangles to look at.
#include "mesh/mesh_repair_polygon.h"
#include <math.h>
#include <stdlib.h>

static double area_of(const float a[3], const float b[3], const float c[3]) {
    double e[2][3];
    for (int k = 0; k < 3; k++) e[0][k] = (double)b[k] - a[k], e[1][k] = (double)c[k] - a[k];
    const double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2],
                 z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

// Triangles over the corners from i to j.
static int take(const int *choice, int n, int i, int j, int (*out)[3], int made) {
    if (j - i < 2) return made;
    const int k = choice[i * n + j];
    out[made][0] = i, out[made][1] = k, out[made++][2] = j;
    made = take(choice, n, i, k, out, made);
    return take(choice, n, k, j, out, made);
}

bool polygon_cover(const float (*corner)[3], int count, int (*out)[3]) {
    const size_t n = (size_t)count;
    double *area = malloc(n * n * sizeof *area);
    int *choice = malloc(n * n * sizeof *choice);
    const bool good = area && choice;
    for (size_t i = 0; i + 1 < n && good; i++) area[i * n + i + 1] = 0;
    for (size_t width = 2; width < n && good; width++)
        for (size_t i = 0; i + width < n; i++) {
            const size_t j = i + width;
            double least = INFINITY;
            choice[i * n + j] = (int)i + 1;
            for (size_t k = i + 1; k < j; k++) {
                const double rest = area[i * n + k] + area[k * n + j];
                if (rest >= least) continue;
                const double sum = rest + area_of(corner[i], corner[k], corner[j]);
                if (sum < least) least = sum, choice[i * n + j] = (int)k;
            }
            area[i * n + j] = least;
        }
    if (good) take(choice, count, 0, count - 1, out, 0);
    free(area), free(choice);
    return good;
}
