// Decimation: fewer triangles, with as little change of the shape as can be.
#ifndef SN_MESH_DECIMATE_H
#define SN_MESH_DECIMATE_H

#include "mesh/mesh.h"

typedef struct {
    int triangles; // to get down to
    double error;  // but no vertex is moved where it would be farther than about this from the old planes; 0: any
} sn_decimate_options;

// Makes a decimated copy: positions and triangles, and normals if the mesh has them. What hangs together stays, and
// rims stay near where they are. There may be more triangles than asked for where the shape does not allow fewer. The
// mesh should be cared for (mesh_repair.h). False: no memory; out is then empty.
bool sn_decimate(const sn_mesh *mesh, const sn_decimate_options *options, sn_mesh *out);

#endif
