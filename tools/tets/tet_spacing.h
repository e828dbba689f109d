// Choice of the lattice spacing for a surface.
#ifndef SN_TETS_TET_SPACING_H
#define SN_TETS_TET_SPACING_H

#include "mesh/mesh_query.h"
#include "mesh/winding.h"

enum { TET_SPACING_SAMPLES = 4096 };

// Volume and thickness of a solid.
typedef struct {
    double volume;                         // approximate; 0: nothing inside
    double diagonal;                       // of the bounding box
    double thickness[TET_SPACING_SAMPLES]; // at points spread evenly over the surface, sorted
    int count;
} sn_tet_thickness;

void sn_tet_thickness_measure(const sn_mesh *mesh, const sn_mesh_query *query, const sn_winding *winding,
                              sn_tet_thickness *out);

// The share of the surface, 0 to 1, where the solid is thinner than 'limit'.
double sn_tet_thickness_share(const sn_tet_thickness *found, double limit);

typedef enum { TET_SPACING_THIN, TET_SPACING_FEW, TET_SPACING_MANY } sn_tet_spacing_reason;

// Half of the 5th percentile of the thickness, limited so that there are between 'min_tets' and 'max_tets' tetrahedra;
// 'reason' (may be null) says which rule decided. 0: nothing is inside.
double sn_tet_spacing(const sn_tet_thickness *found, double min_tets, double max_tets, sn_tet_spacing_reason *reason);

#endif
