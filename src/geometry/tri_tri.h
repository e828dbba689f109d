// Nearest points of two triangles, and where they cross.
#ifndef SN_GEOMETRY_TRI_TRI_H
#define SN_GEOMETRY_TRI_TRI_H

#include "geometry/slab_point.h"

typedef struct {
    double a[3], b[3]; // weights of the corners
    sn_point d;        // from the point of b to the point of a
    double size2;      // the square of the size to which rounding errors are relative
    bool crossing;     // they have this point in common: d is 0
} sn_tri_tri;

// a and b are relative to an origin near them. False: one of them is too thin for this method; *out is not written.
bool sn_tri_tri_nearest(const sn_point a[3], const sn_point b[3], sn_tri_tri *out);

#endif
