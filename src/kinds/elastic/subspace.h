// The subspace of an asset: its constant data, laid out for the step. Shared by all bodies of the asset.
//
// The positions of the vertices are x = Û q for each of the three coordinates separately: a row of a handle's map moves
// one coordinate, so the paper's U (eq. 3) is Û with every entry times the 3 x 3 unit matrix. q has `columns` numbers
// per coordinate, the 4 or 10 of each handle in sequence.
//
// Vertices and tetrahedra are sorted along a Morton curve, so that neighbours in memory are neighbours in space:
//
//     vertices    rows of 16. A row has entries: a handle, and its weights at the 16. 16 rows are a patch.
//     tetrahedra  rows of 16. 64 rows are a chunk, which numbers its vertices from 0 (16 bits) and works on copies of
//                 them.
//
// No two workers add to the same number. A chunk stores the sum of its forces at each of its vertices; a vertex gathers
// those of its chunks, in order. A patch stores a partial sum for each of its handles; a handle gathers those.
#ifndef SN_KINDS_ELASTIC_SUBSPACE_H
#define SN_KINDS_ELASTIC_SUBSPACE_H

#include "base/tasks.h"
#include "kinds/elastic/elastic_asset.h"
#include "kinds/elastic/reduced.h"

enum {
    SN_ELASTIC_ROW = 16,      // the widest lanes
    SN_ELASTIC_PATCH = 16,    // rows of vertices in a task
    SN_ELASTIC_CHUNK = 64,    // rows of tetrahedra in a task
    SN_ELASTIC_GRADIENT = 10, // numbers of a tetrahedron: the inverse of its edges, and its volume
};

struct sn_elastic_kernels;

typedef struct sn_elastic_space {
    sn_memory *memory;
    const sn_elastic_asset *asset;
    const struct sn_elastic_kernels *kernels;
    double volume; // m^3

    int columns;
    int *column;     // the first of each handle; one extra at the end
    sn_real *centre; // of each handle, a quad
    sn_real *moment; // by column: sum over vertices of volume times Û. A handle's first: what its translation moves

    // Vertices. `sorted_index` maps the asset's indices to sorted ones, `vertex` back (-1: padding).
    int vertex_count, row_count, patch_count;
    int *sorted_index, *vertex;
    sn_real *rest;              // by row: x[16] y[16] z[16]
    sn_real *vertex_volume;     // by sorted vertex, m^3; 0: padding
    sn_real *surface_stiffness; // by sorted vertex: of the ghost constraint over a modulus (m), see reduced.h; 0 inside
    sn_real *weight;            // as in the asset, normalised
    sn_real *anchor_weight;     // by sorted vertex: a of elastic_asset.h; null: 0 everywhere

    int *entry_first, *entry_handle; // entry_first: by row, one extra at the end
    sn_real *entry_weight;           // 16 of each entry

    // Partial sums: one for each handle of a patch, with the rows and entries where it has weights.
    int partial_count;
    int *partial_first, *partial_handle;        // partial_first: by patch, one extra at the end
    int *partial_column;                        // by partial sum: its offset in columns; one extra at the end
    int *member_first, *member;                 // by partial sum, one extra at the end; a member is a row and an entry
    int *handle_partial_first, *handle_partial; // by handle, one extra at the end: its partial sums

    // Tetrahedra.
    int tet_count, tet_row_count, chunk_count;
    int *tet;              // by position: the asset's index, -1: padding
    uint16_t *tet_corner;  // by row: 4 corners of 16, indices within the chunk
    sn_real *tet_gradient; // by row: 10 numbers of 16
    int *local_first;      // by chunk, one extra at the end
    int *local;            // the sorted indices of a chunk's vertices
    int *slot_first;       // by sorted vertex, one extra at the end
    int *slot;             // its positions in `local`

    sn_reduced reduced;
    sn_reduced_factor *factors; // in use
} sn_elastic_space;

typedef struct {
    int lanes; // of the kernels: 1, 4, 8 or 16; 0: the widest this build and machine have
    // Number of tetrahedra to sample, as in the hyper-reduced bodies of the paper's comparison (fig. 6); 0: all. Evenly
    // along the curve, each for its part of it; or those of the list, each for a volume (m^3).
    int samples;
    const int *sample;
    const double *sample_volume;
} sn_elastic_space_def;

// The asset must be valid and outlive the space. SN_ERR_RANGE: no kernels of that width, or invalid samples.
sn_status sn_elastic_space_create(sn_memory *memory, const sn_elastic_asset *asset, const sn_elastic_space_def *def,
                                  sn_elastic_space **out);
void sn_elastic_space_destroy(sn_elastic_space *space);

// The monomials of Û's columns at offset d from a handle's centre: 1, x, y, z, x^2, y^2, z^2, xy, yz, zx.
static inline void sn_elastic_monomials(const double d[3], int columns, double out[SN_ELASTIC_QUADRATIC]) {
    out[0] = 1, out[1] = d[0], out[2] = d[1], out[3] = d[2];
    if (columns == SN_ELASTIC_AFFINE) return;
    out[4] = d[0] * d[0], out[5] = d[1] * d[1], out[6] = d[2] * d[2];
    out[7] = d[0] * d[1], out[8] = d[1] * d[2], out[9] = d[2] * d[0];
}

// morton.c: sorts points along a Morton curve. order[k] is the k-th point; points with equal keys stay in order.
sn_status sn_morton_order(sn_memory *memory, const sn_vec3 *points, int count, int *order);

static inline void sn_to_doubles(sn_vec3 v, double out[3]) {
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

#endif
