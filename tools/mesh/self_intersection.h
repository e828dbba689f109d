// Self-intersections of a surface.
#ifndef SN_MESH_SELF_INTERSECTION_H
#define SN_MESH_SELF_INTERSECTION_H

#include "mesh/mesh.h"

typedef struct {
    long long pairs; // triangles that intersect beyond their shared corners
    int triangles;   // triangles in such a pair
    bool complete;   // false: counting stopped at a limit, there are at least this many
    int first[2];    // the first pair, -1: none
} sn_self_intersections;

// Counts intersecting pairs of triangles with exact predicates. Contact counts as intersection; neighbours count if one
// is folded back onto the other. Triangles without area are left out. Neighbours are recognised by shared vertices, so
// weld the mesh first (mesh_repair.h). crossing (may be null; triangle_count long) becomes 1 for triangles in a pair.
// False: out of memory.
bool sn_self_intersection_find(const sn_mesh *mesh, sn_self_intersections *out, unsigned char *crossing);

#endif
