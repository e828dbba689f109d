// Cubature (An, Kim and James 2008): a few tetrahedra, each standing for a volume, that give about the same reduced
// forces as all of them. For newton.h: the way of the paper, to compare with.
#ifndef SN_REFERENCE_CUBATURE_H
#define SN_REFERENCE_CUBATURE_H

#include "kinds/elastic/elastic_asset.h"
#include "kinds/elastic/elastic_materials.h"

typedef struct {
    int count;
    int *tet;
    double *volume; // that each stands for, m^3, more than 0
} sn_elastic_cubature;

typedef struct {
    int samples;   // tetrahedra for each handle, at most; default 24
    int poses;     // that are tried; default 16
    double strain; // of the poses, about; default 0.2
    uint64_t seed;
} sn_elastic_cubature_def;

sn_elastic_cubature_def sn_elastic_cubature_def_default(void);

// Chooses them. 'error' (may be null) becomes what is left of the training poses' forces, as a part of them (root of
// mean squares). The asset must have passed its check. SN_ERR_RANGE: a number out of range.
sn_status sn_elastic_cubature_make(sn_memory *memory, const sn_elastic_asset *asset, const sn_hyper *material,
                                   const sn_elastic_cubature_def *def, sn_elastic_cubature *out, double *error);
void sn_elastic_cubature_free(sn_memory *memory, sn_elastic_cubature *cubature);

#endif
