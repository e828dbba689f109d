// Resampling: the same surface with triangles of one size.
#ifndef SN_MESH_RESAMPLE_H
#define SN_MESH_RESAMPLE_H

#include "mesh/error.h"
#include "mesh/mesh.h"

typedef struct {
    double edge;       // target edge length
    double crease;     // edges with a larger dihedral angle than this stay sharp, degrees; 180: none
    int iterations;    // of splitting, collapsing, flipping and smoothing
    int max_triangles; // larger results are refused
} sn_resample_options;

// 40 degrees, 8 iterations, 20 million triangles.
sn_resample_options sn_resample_options_default(double edge);

// Makes a resampled copy: positions and triangles, and normals if the mesh has them. Vertices lie on the old surface;
// boundaries, creases and the topology are preserved. The mesh should have been repaired (mesh_repair.h), so that
// neighbours share vertices. On failure out is empty.
bool sn_resample(const sn_mesh *mesh, const sn_resample_options *options, sn_mesh *out, tool_error *error);

#endif
