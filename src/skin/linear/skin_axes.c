// The eigenvectors of a symmetric 3 x 3 matrix as a rotation, by Jacobi's method: rotates the largest off-diagonal
// number to zero until all vanish. In double, with square roots only, so the result is bitwise the same on every
// platform.
#include "skin/linear/skin.h"

// The rotation whose columns are the axes in r.
static sn_quat quaternion(double r[3][3]) {
    const double trace = r[0][0] + r[1][1] + r[2][2];
    double q[4];
    if (trace > 0) {
        const double s = 2 * sqrt(trace + 1);
        q[0] = (r[2][1] - r[1][2]) / s, q[1] = (r[0][2] - r[2][0]) / s, q[2] = (r[1][0] - r[0][1]) / s, q[3] = s / 4;
    } else { // by the largest of x, y, z
        int i = r[1][1] > r[0][0] ? 1 : 0;
        if (r[2][2] > r[i][i]) i = 2;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double s = 2 * sqrt(1 + r[i][i] - r[j][j] - r[k][k]);
        q[i] = s / 4, q[j] = (r[i][j] + r[j][i]) / s, q[k] = (r[i][k] + r[k][i]) / s, q[3] = (r[k][j] - r[j][k]) / s;
    }
    return sn_q_normalize((sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]});
}

sn_quat sn_skin_axes(const double given[6]) {
    double a[3][3] = {{given[0], given[3], given[4]}, {given[3], given[1], given[5]}, {given[4], given[5], given[2]}};
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 60; sweep++) {
        int p = 0, q = 1;
        if (a[0][2] * a[0][2] > a[p][q] * a[p][q]) q = 2;
        if (a[1][2] * a[1][2] > a[p][q] * a[p][q]) p = 1, q = 2;
        if (a[p][q] * a[p][q] < 1e-32) break;
        const double f = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (f < 0 ? -1 : 1) / ((f < 0 ? -f : f) + sqrt(f * f + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) { // columns p and q of a and of r, then rows of a
            const double x = a[k][p], y = a[k][q], u = r[k][p], v = r[k][q];
            a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
            r[k][p] = c * u - s * v, r[k][q] = s * u + c * v;
        }
        for (int k = 0; k < 3; k++) {
            const double x = a[p][k], y = a[q][k];
            a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
    }
    return quaternion(r);
}
