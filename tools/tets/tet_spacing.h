// How fine the lattice of tetrahedra has to be for a surface.
#ifndef SN_TETS_TET_SPACING_H
#define SN_TETS_TET_SPACING_H

#include "mesh/mesh_query.h"
#include "mesh/winding.h"

enum { TET_SPACING_SAMPLES = 4096 };

// What was found of the surface.
typedef struct {
    double volume;                         // inside, about; 0: none
    double diagonal;                       // of the box around it
    double thickness[TET_SPACING_SAMPLES]; // through the solid from points spread evenly over the surface, sorted
    int count;
} sn_tet_thickness;

void sn_tet_thickness_measure(const sn_mesh *mesh, const sn_mesh_query *query, const sn_winding *winding,
                              sn_tet_thickness *out);

// Which part of the surface, 0 to 1, is over something thinner than this.
double sn_tet_thickness_share(const sn_tet_thickness *found, double limit);

typedef enum { TET_SPACING_THIN, TET_SPACING_FEW, TET_SPACING_MANY } sn_tet_spacing_reason;

// Half of what is thin: a twentieth of the surface is over something thinner. But not so coarse that there are fewer
// than 'fewest' tetrahedra, nor so fine that there are more than 'most'; 'reason' (may be null) says which it was. 0:
// there is nothing inside.
double sn_tet_spacing(const sn_tet_thickness *found, double min_tets, double max_tets, sn_tet_spacing_reason *reason);

#endif
