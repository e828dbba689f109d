// Elastic bodies of any hyperelastic material (elastic_materials.h) in the subspace of their handles: implicit Euler by
// Newton's method (fig. 14 of the paper). The state is that of elastic_body.h: q and its rate, 3 x columns numbers
// each, by coordinate, with the columns of a handle contiguous. The reference for the material laws of the engine
// (test/test_elastic_models.c).
#ifndef SN_REFERENCE_NEWTON_H
#define SN_REFERENCE_NEWTON_H

#include "kinds/elastic/elastic_asset.h"
#include "kinds/elastic/elastic_materials.h"
#include "reference/cubature.h"

typedef struct {
    sn_hyper material;
    double density;   // kg/m^3
    double damping;   // velocities decay by exp(-damping t), 1/s
    int iterations;   // Newton iterations per step, at most
    int inner;        // iterations of the linear solver in each, at most
    double tolerance; // of the predicted decrease of a Newton step, relative to the first one
} sn_elastic_newton_def;

// Neo-Hookean, 1e5 Pa, 0.4; 1000 kg/m^3, undamped; 10 iterations, 60 inner ones, 1e-8.
sn_elastic_newton_def sn_elastic_newton_def_default(void);

// Result of a step.
typedef struct {
    int iterations, inner; // used
    double energy;         // elastic, J, at the end
    bool converged;        // the tolerance was met
} sn_elastic_newton_report;

typedef struct sn_elastic_newton sn_elastic_newton;

enum { SN_ELASTIC_NEWTON_MAX_COLUMNS = 4096 }; // columns

// Precomputes everything constant and allocates the buffers of a step. The asset must have passed its check and outlive
// it; the cubature (null: all tetrahedra) is copied. SN_ERR_RANGE: a number out of range, a degenerate tetrahedron, too
// many columns.
sn_status sn_elastic_newton_create(sn_memory *memory, const sn_elastic_asset *asset,
                                   const sn_elastic_cubature *cubature, const sn_elastic_newton_def *def,
                                   sn_elastic_newton **out);
void sn_elastic_newton_destroy(sn_elastic_newton *newton);

int sn_elastic_newton_columns(const sn_elastic_newton *newton);
// The rest state: q of the identity.
void sn_elastic_newton_rest(const sn_elastic_newton *newton, sn_real *q);

// One step. 'load' (may be null): generalised forces, laid out like q. Allocates nothing. SN_ERR_RANGE: h is not
// positive, or something is not finite; the state is unchanged.
sn_status sn_elastic_newton_step(sn_elastic_newton *newton, sn_real *q, sn_real *rate, sn_real h, sn_vec3 gravity,
                                 const sn_real *load, sn_elastic_newton_report *report);

// Adds the generalised force of a force at a vertex (N) to 'load'.
void sn_elastic_newton_push(const sn_elastic_newton *newton, int vertex, sn_vec3 force, sn_real *load);

// Elastic energy (J) and its gradient with respect to q (may be null).
double sn_elastic_newton_energy(sn_elastic_newton *newton, const sn_real *q, double *gradient);

// Position of a vertex.
sn_vec3 sn_elastic_newton_vertex(const sn_elastic_newton *newton, const sn_real *q, int vertex);

#endif
