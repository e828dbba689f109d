// Functions that the files of an elastic body share.
#ifndef SN_KINDS_ELASTIC_ELASTIC_INTERNAL_H
#define SN_KINDS_ELASTIC_ELASTIC_INTERNAL_H

#include "kinds/elastic/elastic_body.h"

// Runs a loop on a pool, or serially if it is null.
static inline void sn_elastic_parallel_for(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context) {
    if (pool)
        sn_parallel_for(pool, count, grain, fn, context);
    else
        for (int i = 0; i < count; i++) fn(context, i, 0);
}

// to = base + Û q, quads by sorted vertex.
void sn_elastic_lift_all(const sn_elastic_body *body, const sn_real *q, const sn_real *base, sn_real *to,
                         sn_pool *pool);

// Sets body->shifted to q relative to the body's origin.
void sn_elastic_recentre(const sn_elastic_body *body, const sn_real *q);

// The displacement of the centre of mass along axis k by a change of q (or its velocity by a rate), times the volume.
double sn_elastic_first_moment(const sn_elastic_body *body, const sn_real *change, int k);

// Updates body->base, the anchored part of each vertex.
void sn_elastic_update_anchors(sn_elastic_body *body);

static inline bool sn_elastic_is_projective(const sn_elastic_body *body) {
    return body->def.law == SN_LAW_PROJECTIVE;
}

// Computes the forces of all tetrahedra at body->x, and their energy into body->energy if requested.
void sn_elastic_local_all(const sn_elastic_body *body, bool energy, sn_pool *pool);

// Replaces body->right by A^-1 times itself: three rows, in the order of A.
void sn_elastic_substitute(sn_elastic_body *body);

#endif
