// The Delaunay tetrahedralisation of points: no point lies inside of the circumsphere of a tetrahedron. With exact
// predicates this holds without exception, also for points on a grid, on a sphere, in a plane, or at the same position.
#ifndef SN_TETS_DELAUNAY_H
#define SN_TETS_DELAUNAY_H

#include <stdbool.h>

typedef struct {
    int (*tet)[4];       // point indices; every volume is positive (exact_orient3d)
    int (*neighbour)[4]; // across the face opposite to each corner; -1: the face is on the hull
    int tet_count;
    int *duplicate_of;   // of each point: itself, or the point at the same position that the tetrahedra use
    int duplicate_count; // points that are duplicates of others
} sn_delaunay;

typedef enum {
    DELAUNAY_OK,
    DELAUNAY_FLAT,   // all points are coplanar, or fewer than four are distinct
    DELAUNAY_RANGE,  // a coordinate is not finite, or beyond 1e40
    DELAUNAY_MEMORY, // out of memory
} delaunay_result;

// Anything but DELAUNAY_OK leaves *out empty. The result is deterministic.
delaunay_result sn_delaunay_make(const double (*points)[3], int count, sn_delaunay *out);
void sn_delaunay_free(sn_delaunay *d);

#endif
