// The kernels of a step, one set for each lane width. Results are bitwise the same for every width.
#ifndef SN_KINDS_ELASTIC_ELASTIC_KERNELS_H
#define SN_KINDS_ELASTIC_ELASTIC_KERNELS_H

#include "kinds/elastic/subspace.h"

// The constants of a material that is not projective (elastic_materials.h), Pa.
typedef struct {
    bool series;                             // else corotational
    sn_real mu, lambda;                      // of the corotational material
    sn_real strain, cross, volume, power[4]; // of sn_hyper_series
} sn_elastic_material_constants;

// Arguments of the local step.
typedef struct {
    const sn_elastic_space *space;
    const sn_real *x;                              // quads, by sorted vertex
    sn_real *local_x;                              // quads, by local: copies
    sn_real *force;                                // quads, by local: gradient of the energy by the chunk's vertices
    double *energy;                                // by chunk, J; null: not requested
    sn_real shear, bulk;                           // 2 mu, 3 lambda
    const sn_elastic_material_constants *material; // null: projective
} sn_elastic_local;

// The parts of the gradient at each vertex: tetrahedra, inertia m/h^2 (x - target), and extra forces.
typedef struct {
    const sn_elastic_space *space;
    const sn_real *x, *target; // quads, by sorted vertex
    const sn_real *force;      // quads, by local
    const sn_real *extra;      // quads, by sorted vertex; null: none
    sn_real inertia;           // density / h^2
    sn_real *gradient;         // by row: x[16] y[16] z[16]
    sn_real *sums;             // by partial sum: its columns, three times
} sn_elastic_gather;

typedef struct sn_elastic_kernels {
    int lanes;
    // to = base + Û q (base null: 0) for rows begin <= row < end; quads, by sorted vertex. `stride` numbers per
    // coordinate of q.
    void (*lift)(const sn_elastic_space *space, const sn_real *q, int stride, const sn_real *base, sn_real *to,
                 int begin, int end);
    // Forces of a chunk's tetrahedra: projective, and other materials.
    void (*local)(const sn_elastic_local *local, int chunk);
    void (*local_material)(const sn_elastic_local *local, int chunk);
    // Gradient of a patch's vertices, and its partial sums for handles.
    void (*gather)(const sn_elastic_gather *gather, int patch);
    // S b for three right sides: `from` and `to` have three rows of `stride`. S as in reduced.h, `rows` a multiple of
    // 16.
    void (*down)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);
    // S^T z.
    void (*up)(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);
} sn_elastic_kernels;

// The kernels of a lane width, 0: the widest. Null: this build or machine does not support it.
const sn_elastic_kernels *sn_elastic_kernels_for(int lanes);

#endif
