// The zero level surface of a field, as a closed mesh of evenly sized triangles.
#ifndef SN_ZOO_ISOSURFACE_H
#define SN_ZOO_ISOSURFACE_H

#include "mesh/mesh.h"

typedef struct {
    // Negative inside, positive outside; its slope must not exceed 1.
    double (*field)(const void *context, const double p[3]);
    // Maps grid coordinates to space, for grids of varying resolution. Null: identity.
    void (*map)(const void *context, const double grid[3], double p[3]);
    const void *context;
    double low[3], high[3]; // of the grid; the field must be positive on its boundary
    double cell;            // edge of a grid cube
    int smoothing_passes;   // that even out the triangles
} zoo_iso;

// Makes positions and triangles. False: no memory, an empty surface, more than 2^28 grid points, or sheets of the
// surface too close for the grid; the mesh is empty.
bool zoo_isosurface(const zoo_iso *iso, sn_mesh *out);

#endif
