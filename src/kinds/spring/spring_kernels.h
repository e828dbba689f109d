// The loops over springs, one set per lane width. Results are bitwise equal for every width.
#ifndef SN_KINDS_SPRING_SPRING_KERNELS_H
#define SN_KINDS_SPRING_SPRING_KERNELS_H

#include "kinds/spring/spring_body.h"

// A range of groups, begin <= group < end.
typedef struct {
    const sn_spring_body *body;
    int begin, end;
} sn_spring_span;

typedef struct sn_spring_kernels {
    int lanes;
    // Forces of springs, gravity, drag and loads.
    void (*forces)(sn_spring_span span, const sn_real *x, const sn_real *v, sn_real *force);
    // The tangent, the diagonal blocks (into 'precondition') and the right side without volumes, see spring_implicit.h:
    // h f + h^2 K v, or with 'target' h f + M (target - v). Dampers act for the time 'damper'.
    void (*tangent)(sn_spring_span span, sn_real h, sn_real damper, bool safe, const sn_real *target, sn_real *right);
    // Inverts the diagonal blocks; 0 for held points.
    void (*invert)(sn_spring_span span);
    // to = A from, and from . to.
    double (*multiply)(sn_spring_span span, sn_real h, const sn_real *from, sn_real *to);
    // r = right - q; q = P r; out: right . P right, r . P r
    void (*residual)(sn_spring_span span, const sn_real *right, sn_real *r, sn_real *q, double out[2]);
    // u += a p; r -= a q; q = P r; returns r . P r.
    double (*update)(sn_spring_span span, sn_real a, const sn_real *p, sn_real *u, sn_real *r, sn_real *q);
    // p = q + b p; with 'motion' (quads) free points also get the motion of their aggregate
    void (*direction)(sn_spring_span span, sn_real b, const sn_real *q, const int32_t *of, const sn_real *motion,
                      sn_real *p);
} sn_spring_kernels;

// Null if this build or machine does not have them; 0: the widest.
const sn_spring_kernels *sn_spring_kernels_for(int lanes);

#endif
