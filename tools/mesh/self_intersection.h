// Where a surface goes through itself.
#ifndef SN_MESH_SELF_INTERSECTION_H
#define SN_MESH_SELF_INTERSECTION_H

#include "mesh/mesh.h"

typedef struct {
    long long pairs; // of triangles that have more in common than the corners they share
    int triangles;   // that are in such a pair
    bool complete;   // false: counting stopped at a limit, there are at least this many
    int first[2];    // triangles of a pair, if there is one
} sn_self_intersections;

// Counts them, decided by exact signs: touching counts, neighbours count when one is folded back onto the other.
// Triangles without area are left out. Neighbours are known by shared vertices, so weld the mesh first (mesh_repair.h).
// crossing (may be null; triangle_count long) becomes 1 for triangles in a pair. False: no memory.
bool sn_self_intersection_find(const sn_mesh *mesh, sn_self_intersections *out, unsigned char *crossing);

#endif
