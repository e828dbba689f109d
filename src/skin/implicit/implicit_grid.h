// The function d of a bone (implicit_field.h) on a grid over the box of its field: bones are rigid, so it is built
// once.
//
// A node has d and its gradient g. Between the eight nodes x_i around a point p, with the weights w_i of linear
// interpolation,
//
//     d(p) = sum w_i (d_i + g_i . (p - x_i) / 2),     grad d(p) = sum w_i g_i.
//
// The error of linear interpolation is half of the second derivative times h^2 t (1 - t), and that of the nodes'
// tangents is its opposite: their mean is exact for every quadratic. Both are continuous. With a step h of a sixth of a
// limb's radius the error of d is about 0.0005 of the radius, at a tenth of the cost of the sum over a bone's centres.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_GRID_H
#define SN_SKIN_IMPLICIT_IMPLICIT_GRID_H

#include "base/math/real.h"
#include <stddef.h>

typedef struct {
    int size[3]; // nodes
    sn_real low[3];
    sn_real step, per; // h, 1 / h
    sn_real *node;     // d, g: quads, x fastest
} sn_implicit_grid;

#endif
