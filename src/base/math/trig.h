// Our own trigonometry: every platform gives the same bits, unlike libm. Polynomials on reduced arguments, with plain
// IEEE additions and multiplications. Accurate to about 2 units in the last place for |x| up to 1e4.
#ifndef SN_BASE_MATH_TRIG_H
#define SN_BASE_MATH_TRIG_H

#include "base/math/real.h"
#include "sinew/maths.h" // sn_sincos, sn_atan2, sn_exp

// The same in double precision, whatever the build's.
void sn_sincos_double(double x, double *sine, double *cosine);
double sn_atan2_double(double y, double x);
double sn_exp_double(double x);

#endif
