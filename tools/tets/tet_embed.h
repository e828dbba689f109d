// Embedding of a surface in tetrahedra: its vertices follow when the tetrahedra move.
#ifndef SN_TETS_TET_EMBED_H
#define SN_TETS_TET_EMBED_H

#include "tets/tet_mesh.h"

// A point is the sum of weight[k] times corner k of the tetrahedron; weights add up to 1. Outside of all tetrahedra
// some weights are negative.
typedef struct {
    int tet;
    double weight[4];
} sn_tet_point;

typedef struct {
    int outside;     // points in no tetrahedron
    double farthest; // max distance of these from the boundary
} sn_tet_embed_report;

// Embeds each point; 'out' is 'count' long. False: out of memory, or no tetrahedra.
bool sn_tet_embed(const sn_tet_mesh *mesh, const float (*points)[3], int count, sn_tet_point *out,
                  sn_tet_embed_report *report);

// The position of an embedded point, in a mesh with the same tetrahedra and possibly other vertex positions.
void sn_tet_point_position(const sn_tet_mesh *mesh, const sn_tet_point *point, double out[3]);

#endif
