// The surface where a field is zero, as a closed mesh of evenly sized triangles.
#ifndef SN_ZOO_ISOSURFACE_H
#define SN_ZOO_ISOSURFACE_H

#include "mesh/mesh.h"

typedef struct {
    // Negative inside, positive outside; must not grow faster than the distance moved.
    double (*field)(const void *context, const double p[3]);
    // Where a point of the grid lies in space: a grid may be finer in some places than in others. Null: where it is.
    void (*map)(const void *context, const double grid[3], double p[3]);
    const void *context;
    double low[3], high[3]; // of the grid; the field is positive on its border
    double cell;            // edge of its cubes
    int smoothing_passes;   // of evening out the triangles
} zoo_iso;

// Makes positions and triangles. False: no memory, an empty surface, a grid of more than 2^28 points, or a surface
// that touches itself within a cell; the mesh is then empty.
bool zoo_isosurface(const zoo_iso *iso, sn_mesh *out);

#endif
