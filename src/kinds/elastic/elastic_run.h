// Loops over parts of a body, by a pool or by the caller alone.
#ifndef SN_KINDS_ELASTIC_ELASTIC_RUN_H
#define SN_KINDS_ELASTIC_ELASTIC_RUN_H

#include "kinds/elastic/elastic_body.h"

static inline void sn_elastic_run(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context) {
    if (pool)
        sn_parallel_for(pool, count, grain, fn, context);
    else
        for (int i = 0; i < count; i++) fn(context, i, 0);
}

// to = base + Û q, quads by place.
void sn_elastic_lift_all(const sn_elastic_body *body, const sn_real *q, const sn_real *base, sn_real *to,
                         sn_pool *pool);

// 'shifted' from q: about the body's origin.
void sn_elastic_shift(const sn_elastic_body *body, const sn_real *q);

// How a change of q (or its rate) moves the centre of mass along axis k, times the volume.
double sn_elastic_moved(const sn_elastic_body *body, const sn_real *change, int k);

// What anchors hold of each vertex.
void sn_elastic_find_base(sn_elastic_body *body);

static inline bool sn_elastic_is_projective(const sn_elastic_body *body) {
    return body->def.law == SN_LAW_PROJECTIVE;
}

// Forces of all tetrahedra at body->x; their energy into body->energy if it is wanted.
void sn_elastic_local_all(const sn_elastic_body *body, bool energy, sn_pool *pool);

// body->right becomes A^-1 times itself: three rows, in the order of A.
void sn_elastic_substitute(sn_elastic_body *body);

#endif
