// Decimation: fewer triangles, with as little change of the surface as possible.
#ifndef SN_MESH_DECIMATE_H
#define SN_MESH_DECIMATE_H

#include "mesh/mesh.h"

typedef struct {
    int triangles; // target count
    double error;  // max distance of a moved vertex from the original planes, approximately; 0: no limit
} sn_decimate_options;

// Makes a decimated copy: positions and triangles, and normals if the mesh has them. Connected pieces stay connected,
// and boundaries stay close to where they were. More triangles than the target may remain where the topology allows no
// fewer. The mesh should have been repaired (mesh_repair.h). False: out of memory, and out is empty.
bool sn_decimate(const sn_mesh *mesh, const sn_decimate_options *options, sn_mesh *out);

#endif
