// The subspace of an asset: everything that does not change, in the order in which steps want it. Shared by all bodies
// of the asset.
//
// The positions of the vertices are x = Û q for each of the three coordinates alone: a handle's row of its map moves
// one coordinate, so the paper's U (eq. 3) is Û with every entry times the 3 x 3 unit matrix. q has 'columns' numbers
// a coordinate, the handles' 4 or 10 one after the other.
//
// Vertices and tetrahedra lie along a space-filling curve (Morton's), so that neighbours in memory are neighbours in
// space:
//
//     vertices    rows of 16. A row has entries: a handle, and its weights at the 16. 16 rows are a patch.
//     tetrahedra  rows of 16. 64 rows are a chunk, which numbers the vertices it uses from 0 (16 bits) and works on
//                 copies of them.
//
// Nothing is ever added to by two workers. A chunk leaves the sum of its forces at each of its vertices; a vertex
// gathers what the chunks around it left, in their order. A patch leaves a sum for each handle it touches; a handle
// gathers those.
#ifndef SN_KINDS_ELASTIC_SUBSPACE_H
#define SN_KINDS_ELASTIC_SUBSPACE_H

#include "base/tasks.h"
#include "kinds/elastic/elastic_asset.h"
#include "kinds/elastic/reduced.h"

enum {
    SN_ELASTIC_ROW = 16,   // the widest lanes
    SN_ELASTIC_PATCH = 16, // rows of vertices in a task
    SN_ELASTIC_CHUNK = 64, // rows of tetrahedra in a task
    SN_ELASTIC_SHAPE = 10, // numbers of a tetrahedron: the inverse of its edges, and its volume
};

struct sn_elastic_kernels;

typedef struct sn_elastic_space {
    sn_memory *memory;
    const sn_elastic_asset *asset;
    const struct sn_elastic_kernels *kernels;
    double volume; // m^3

    int columns;
    int *column;     // the first of each handle; one more at the end
    sn_real *centre; // of each handle, a quad
    sn_real *moment; // by column: sum over vertices of volume times Û. A handle's first: what its translation moves

    // Vertices. 'place' leads from the asset's numbers to these, 'vertex' back (-1 where a row is filled up).
    int vertex_count, row_count, patch_count;
    int *place, *vertex;
    sn_real *rest;   // by row: x[16] y[16] z[16]
    sn_real *share;  // by place: volume of the vertex, m^3; 0 where a row is filled up
    sn_real *skin;   // by place: stiffness of the ghost constraint over a modulus (m), see reduced.h; 0 within
    sn_real *weight; // as in the asset, with the sum put right
    sn_real *stay;   // by place: the share that does not move, a of asset.h; null: 0 everywhere

    int *entry_first, *entry_handle; // entry_first: by row, one more at the end
    sn_real *entry_weight;           // 16 of each entry

    // A patch's handles ('touches'), and for each the rows and entries where it has weights.
    int touch_count;
    int *touch_first, *touch_handle; // touch_first: by patch, one more
    int *touch_column;               // by touch: where its sums lie, in columns; one more
    int *member_first, *member;      // by touch, one more; a member is a row and an entry
    int *reach_first, *reach;        // by handle, one more: its touches

    // Tetrahedra.
    int tet_count, tet_row_count, chunk_count;
    int *tet;             // by place: the asset's number, -1 where a row is filled up
    uint16_t *tet_corner; // by row: 4 corners of 16, numbers within the chunk
    sn_real *tet_shape;   // by row: 10 numbers of 16
    int *local_first;     // by chunk, one more
    int *local;           // the places of a chunk's vertices
    int *slot_first;      // by place, one more
    int *slot;            // where in 'local' it occurs

    sn_reduced reduced;
    sn_reduced_factor *factors; // those in use
} sn_elastic_space;

typedef struct {
    int lanes; // of the kernels: 1, 4, 8 or 16; 0: the widest this build and machine have
    // Tetrahedra whose forces stand for all, as in the hyper-reduced bodies that the paper compares with (fig. 6); 0:
    // all. Evenly along the curve, each for its part of it; or those of the list (cubature.h), each for a volume (m^3).
    int samples;
    const int *sample;
    const double *sample_volume;
} sn_elastic_space_def;

// The asset must have passed its check, and must live as long as the space. SN_ERR_RANGE: no kernels of that width, or
// samples that are none.
sn_status sn_elastic_space_create(sn_memory *memory, const sn_elastic_asset *asset, const sn_elastic_space_def *def,
                                  sn_elastic_space **out);
void sn_elastic_space_destroy(sn_elastic_space *space);

// The weights of Û's columns at a point d from a handle's centre: 1, x, y, z, x^2, y^2, z^2, xy, yz, zx.
static inline void sn_elastic_monomials(const double d[3], int columns, double out[SN_ELASTIC_QUADRATIC]) {
    out[0] = 1, out[1] = d[0], out[2] = d[1], out[3] = d[2];
    if (columns == SN_ELASTIC_AFFINE) return;
    out[4] = d[0] * d[0], out[5] = d[1] * d[1], out[6] = d[2] * d[2];
    out[7] = d[0] * d[1], out[8] = d[1] * d[2], out[9] = d[2] * d[0];
}

static inline void sn_to_doubles(sn_vec3 v, double out[3]) {
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

#endif
