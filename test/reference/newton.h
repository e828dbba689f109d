// Elastic bodies of any hyperelastic material (materials.h) in the subspace of their handles: implicit Euler by
// Newton's method (fig. 14 of the paper). The state is that of body.h: q and its rate, 3 x columns numbers each,
// coordinate after coordinate, a handle's columns one after the other. The reference that the laws of the step are held
// to (test/test_elastic_laws.c), not a part of it.
#ifndef SN_REFERENCE_NEWTON_H
#define SN_REFERENCE_NEWTON_H

#include "kinds/elastic/elastic_asset.h"
#include "kinds/elastic/elastic_materials.h"
#include "reference/cubature.h"

typedef struct {
    sn_hyper material;
    double density;   // kg/m^3
    double damping;   // velocities fade by exp(-damping t), 1/s
    int iterations;   // of Newton in a step, at most
    int inner;        // of the linear solver in each, at most
    double tolerance; // of the decrease that a Newton step promises, as a part of the first's
} sn_elastic_newton_def;

// Neo-Hookean, 1e5 Pa, 0.4; 1000 kg/m^3, not damped; 10 iterations, 60 inner ones, 1e-8.
sn_elastic_newton_def sn_elastic_newton_def_default(void);

// What a step came to.
typedef struct {
    int iterations, inner; // used
    double energy;         // elastic, J, at the end
    bool converged;        // the tolerance was met
} sn_elastic_newton_report;

typedef struct sn_elastic_newton sn_elastic_newton;

enum { SN_ELASTIC_NEWTON_MOST = 4096 }; // columns

// All that does not change, and room for a step. The asset must have passed its check and live as long; the cubature
// (null: all tetrahedra) is copied. SN_ERR_RANGE: a number out of range, a tetrahedron that is none, too many columns.
sn_status sn_elastic_newton_create(sn_memory *memory, const sn_elastic_asset *asset,
                                   const sn_elastic_cubature *cubature, const sn_elastic_newton_def *def,
                                   sn_elastic_newton **out);
void sn_elastic_newton_destroy(sn_elastic_newton *newton);

int sn_elastic_newton_columns(const sn_elastic_newton *newton);
// The state at rest: q of the identity.
void sn_elastic_newton_rest(const sn_elastic_newton *newton, sn_real *q);

// One step. 'load' (may be null): generalised forces, as q. Allocates nothing. SN_ERR_RANGE: h is not positive, or
// something is not finite; the state is then as it was.
sn_status sn_elastic_newton_step(sn_elastic_newton *newton, sn_real *q, sn_real *rate, sn_real h, sn_vec3 gravity,
                                 const sn_real *load, sn_elastic_newton_report *report);

// Generalised forces of forces at vertices of the asset (N): adds to load.
void sn_elastic_newton_push(const sn_elastic_newton *newton, int vertex, sn_vec3 force, sn_real *load);

// Elastic energy (J) and its gradient by q (may be null).
double sn_elastic_newton_energy(sn_elastic_newton *newton, const sn_real *q, double *gradient);

// Where a vertex of the asset is.
sn_vec3 sn_elastic_newton_vertex(const sn_elastic_newton *newton, const sn_real *q, int vertex);

#endif
