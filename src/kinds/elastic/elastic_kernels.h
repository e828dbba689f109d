// The loops of a step, one set for each lane width. All give bitwise the same for every width.
#ifndef SN_KINDS_ELASTIC_ELASTIC_KERNELS_H
#define SN_KINDS_ELASTIC_ELASTIC_KERNELS_H

#include "kinds/elastic/subspace.h"

// The numbers of a law that is not projective (materials.h), ready for lanes, Pa.
typedef struct {
    bool series;                             // or corotational:
    sn_real mu, lambda;                      //
    sn_real strain, cross, volume, power[4]; // of sn_hyper_series
} sn_elastic_law_numbers;

// What the local step works on.
typedef struct {
    const sn_elastic_space *space;
    const sn_real *x;                  // quads, by place
    sn_real *local_x;                  // quads, by local: copies
    sn_real *force;                    // quads, by local: gradient of the energy by the chunk's vertices
    double *energy;                    // by chunk, J; null: not wanted
    sn_real shear, bulk;               // 2 mu, 3 lambda
    const sn_elastic_law_numbers *law; // null: projective
} sn_elastic_local;

// What the gradient is made of, at each vertex: tetrahedra, inertia m/h^2 (x - target), and what else acts.
typedef struct {
    const sn_elastic_space *space;
    const sn_real *x, *target; // quads, by place
    const sn_real *force;      // quads, by local
    const sn_real *extra;      // quads, by place; null: nothing
    sn_real inertia;           // density / h^2
    sn_real *gradient;         // by row: x[16] y[16] z[16]
    sn_real *sums;             // by touch: its columns, three times
} sn_elastic_gather;

typedef struct sn_elastic_kernels {
    int lanes;
    // to = base + Û q (base null: 0) for rows begin <= row < end; quads, by place. 'stride' numbers a coordinate of q.
    void (*lift)(const sn_elastic_space *space, const sn_real *q, int stride, const sn_real *base, sn_real *to,
                 int begin, int end);
    // Forces of a chunk's tetrahedra; of other laws.
    void (*local)(const sn_elastic_local *local, int chunk);
    void (*local_law)(const sn_elastic_local *local, int chunk);
    // Gradient of a patch's vertices, and its sums for handles.
    void (*gather)(const sn_elastic_gather *gather, int patch);
    // S b for three right sides: 'from' and 'to' have three rows of 'stride'. S as in reduced.h, 'rows' a multiple of
    // 16.
    void (*down)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);
    // S^T z.
    void (*up)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);
} sn_elastic_kernels;

// Null if this build or this machine does not have them; 0: the widest.
const sn_elastic_kernels *sn_elastic_kernels_for(int lanes);

#endif
