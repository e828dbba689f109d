// A second level for the conjugate gradients of implicit.h. The inverses of diagonal blocks take care of quick motion
// between neighbours; slow motion of large parts takes them hundreds of iterations. So points are gathered in
// aggregates, n points in about sqrt(2 n) of them, which may move as wholes: with W the matrix that moves all points of
// an aggregate alike,
//
//     P r = D^-1 r + W (W^T A W)^-1 W^T r
//
// W^T A W is small (three rows an aggregate), made of the springs that go from one aggregate to another, and factored
// directly. On cloth of 10,000 points this takes a fourth of the iterations.
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
    int *first, *list; // points of each aggregate, one more at the end
    int *cross_first;  // springs from each aggregate to others, one more at the end
    int *cross;        // pairs: entry of the rows (body.h), point at this end
    int cross_count;
    int *low;        // by row of the matrix: its first column
    size_t *at;      // by row: where column 0 would be
    size_t size;     // numbers in the matrix
    double *matrix;  // row by row from the first column to the diagonal; then its factor
    double *right;   // 3 an aggregate
    sn_real *motion; // quads, one an aggregate, and 0 for padding: what points get
};

// Aggregates of a body's points, by its springs. *out is null for a body too small to need any. False: no memory.
bool sn_spring_coarse_create(const sn_spring_body *body, sn_spring_coarse **out);
void sn_spring_coarse_destroy(sn_spring_coarse *coarse);

// The matrix of the step whose tangent the body has. False: it is not positive definite.
bool sn_spring_coarse_factor(sn_spring_body *body, sn_real h, sn_pool *pool);

// Motion of the aggregates for the residual r (quads); returns r . W motion.
double sn_spring_coarse_solve(sn_spring_body *body, const sn_real *r, sn_pool *pool);

#endif
