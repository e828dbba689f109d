// Cubature (An, Kim and James 2008): a few tetrahedra, each representing a volume, that give about the same reduced
// forces as all of them. Used with newton.h: the paper's method, for comparison.
#ifndef SN_REFERENCE_CUBATURE_H
#define SN_REFERENCE_CUBATURE_H

#include "kinds/elastic/elastic_asset.h"
#include "kinds/elastic/elastic_materials.h"

typedef struct {
    int count;
    int *tet;
    double *volume; // that each represents, m^3, positive
} sn_elastic_cubature;

typedef struct {
    int samples;   // tetrahedra per handle, at most; default 24
    int poses;     // training poses; default 16
    double strain; // of the poses, approximate; default 0.2
    uint64_t seed;
} sn_elastic_cubature_def;

sn_elastic_cubature_def sn_elastic_cubature_def_default(void);

// Chooses the tetrahedra. 'error' (may be null) becomes the relative RMS residual of the training forces. The asset
// must have passed its check. SN_ERR_RANGE: a number out of range.
sn_status sn_elastic_cubature_make(sn_memory *memory, const sn_elastic_asset *asset, const sn_hyper *material,
                                   const sn_elastic_cubature_def *def, sn_elastic_cubature *out, double *error);
void sn_elastic_cubature_free(sn_memory *memory, sn_elastic_cubature *cubature);

#endif
