// A surface in tetrahedra: where its vertices are, so that they follow when the tetrahedra move.
#ifndef SN_TETS_TET_EMBED_H
#define SN_TETS_TET_EMBED_H

#include "tets/tet_mesh.h"

// A point is the sum of weight[k] times corner k of the tetrahedron; weights add up to 1. Outside of all tetrahedra
// some are negative: the nearest one is continued.
typedef struct {
    int tet;
    double weight[4];
} sn_tet_point;

typedef struct {
    int outside;     // points that are in no tetrahedron
    double farthest; // of these, from the tetrahedra's boundary
} sn_tet_embed_report;

// Finds the place of each point; 'out' has room for 'count'. False: no memory, or no tetrahedra.
bool sn_tet_embed(const sn_tet_mesh *mesh, const float (*points)[3], int count, sn_tet_point *out,
                  sn_tet_embed_report *report);

// Where a place is, in a mesh with the same tetrahedra and perhaps other positions.
void sn_tet_point_position(const sn_tet_mesh *mesh, const sn_tet_point *point, double out[3]);

#endif
