// The Delaunay tetrahedra of points: no point lies inside of the sphere through the corners of any of them. With exact
// signs this holds without exception, also for points on a grid, on a sphere, in a plane, or at the same place.
#ifndef SN_TETS_DELAUNAY_H
#define SN_TETS_DELAUNAY_H

#include <stdbool.h>

typedef struct {
    int (*tet)[4];       // points; every volume is positive (exact_orient3d), none is flat
    int (*neighbour)[4]; // across the face opposite to each corner; -1: none, the face is on the hull
    int tet_count;
    int *duplicate_of;   // of each point: itself, or that among the points at the same place that the tetrahedra use
    int duplicate_count; // points that are not themselves
} sn_delaunay;

typedef enum {
    DELAUNAY_OK,
    DELAUNAY_FLAT,   // all points lie in one plane (or there are fewer than four places): no tetrahedra
    DELAUNAY_RANGE,  // a coordinate that is not finite, or beyond 1e40
    DELAUNAY_MEMORY, //
} delaunay_result;

// Anything but DELAUNAY_OK leaves *out empty. The same points in the same order give the same tetrahedra.
delaunay_result sn_delaunay_make(const double (*points)[3], int count, sn_delaunay *out);
void sn_delaunay_free(sn_delaunay *d);

#endif
