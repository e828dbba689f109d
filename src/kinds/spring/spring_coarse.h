// A second level for the conjugate gradients of spring_implicit.h. The inverse diagonal blocks handle fast motion
// between neighbours; slow motion of large parts takes them hundreds of iterations. So the n points are grouped into
// about sqrt(2 n) aggregates that can move as a whole: with W the matrix that moves all points of an aggregate equally,
//
//     P r = D^-1 r + W (W^T A W)^-1 W^T r
//
// W^T A W is small (three rows per aggregate), comes from the springs between aggregates, and is factored directly. On
// cloth of 10,000 points this needs a quarter of the iterations.
//
// Everything is summed in a fixed order, so the result does not depend on the number of workers.
#ifndef SN_KINDS_SPRING_SPRING_COARSE_H
#define SN_KINDS_SPRING_SPRING_COARSE_H

#include "kinds/spring/spring_body.h"

struct sn_spring_coarse {
    sn_memory *memory;
    int count;         // aggregates
    int points;        // of the body
    int32_t *of;       // by point: its aggregate; padding: count
    int *first, *list; // points of each aggregate; one extra at the end
    int *cross_first;  // springs from each aggregate to others; one extra at the end
    int *cross;        // pairs: entry of the rows (spring_body.h), point at this end
    int cross_count;
    int *low;        // by row of the matrix: its first column
    size_t *at;      // by row: the offset of column 0
    size_t size;     // numbers in the matrix
    double *matrix;  // row by row from the first column to the diagonal; then its factor
    double *right;   // 3 per aggregate
    sn_real *motion; // quads, one per aggregate, and 0 for padding: what its points get
};

// Groups a body's points by its springs. *out is null for a body too small to need it. False: out of memory.
bool sn_spring_coarse_create(const sn_spring_body *body, sn_spring_coarse **out);
void sn_spring_coarse_destroy(sn_spring_coarse *coarse);

// Assembles and factors the matrix of the step whose tangent the body has. False: it is not positive definite.
bool sn_spring_coarse_factor(sn_spring_body *body, sn_real h, sn_pool *pool);

// Computes the motion of the aggregates for the residual r (quads); returns r . W motion.
double sn_spring_coarse_solve(sn_spring_body *body, const sn_real *r, sn_pool *pool);

#endif
