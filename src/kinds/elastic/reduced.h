// The reduced matrices, and the factor of the global step's matrix.
//
// For one coordinate, with the volume v_i of each vertex (lumped), the tetrahedra's volumes V and the gradients of
// their linear shape functions,
//
//     Mass = Û^T diag(v) Û,    Stiff = Û^T (sum over tetrahedra of V grad grad^T) Û,    Ghost = Û^T diag(s) Û,
//
// and a body of density rho, step h and moduli mu, lambda solves with
//
//     A = rho/h^2 Mass + (2 mu + 3 lambda) (Stiff + ghost Ghost)                                          (eq. 8)
//
// where s_i is the diagonal of the stiffness at surface vertices, 0 inside: a ghost of 1 holds the surface as stiffly
// as the body itself does.
//
// Weights are local, so A is block sparse, with a block for every two handles that share a tetrahedron. Handles are
// eliminated in minimum degree order. Runs of handles with the same structure below them form a panel (a supernode)
// with w columns and r rows below; with the factor's diagonal block L and the rows B below it, a panel is stored as
//
//     S = [ L^-1 ; -B L^-1 ]      (w + r) x w, sixteen rows after sixteen rows, column by column in them
//
// so that both substitutions are products with S, without chains of divisions:
//
//     down:  (y, change of the rows below) = S b           up:  x = S^T (y, x of the rows below)
//
// The columns of a handle with few vertices are almost linearly dependent on others: in single precision a solve would
// make them arbitrary. So A is regularised (elastic_factor.c) by a small multiple of the difference between the maps of
// coupled handles around their midpoint. It is zero for rigid and affine motions, small for smooth ones, and makes such
// columns follow their neighbours. Like ghosts it changes the convergence, never the solution.
#ifndef SN_KINDS_ELASTIC_REDUCED_H
#define SN_KINDS_ELASTIC_REDUCED_H

#include "kinds/elastic/elastic_asset.h"

typedef struct {
    int columns, handle_count;
    int *rank;          // by handle: its position in the elimination order
    int *row_of_column; // by column of q: its row in A
    int *row_first;     // by rank: its first row; one extra at the end

    // Blocks of the lower triangle, by rank of the row, one extra at the end.
    int *pair_first, *pair_other; // ranks of columns, ascending, the diagonal last
    size_t *pair_at, pair_size;   // offset of each block, stored by rows
    double *mass, *stiff, *ghost;
    double (*centre)[3]; // by rank: the handle's

    int panel_count;
    int *panel_first;               // by panel: its first row of A; one extra at the end
    int *panel_below_first, *below; // by panel, one extra at the end; the rows of A below it, ascending
    size_t *panel_at, size;         // offset of its S
    int max_rows;                   // maximum of w + r, padded to 16
} sn_reduced;

typedef struct {
    double mass, stiff, ghost; // rho/h^2, 2 mu + 3 lambda, ghost
} sn_reduced_coefficients;

// A factor, shared by all bodies with the same coefficients.
typedef struct sn_reduced_factor {
    sn_reduced_coefficients coefficients;
    int users;
    int dropped_count; // columns without effect
    bool *dropped;     // by row of A
    sn_real *s;        // sn_reduced.size
    struct sn_reduced_factor *next;
} sn_reduced_factor;

// Finds the coupled handles of an asset and an elimination order; the values are still zero. Weights come from the
// asset's lists.
sn_status sn_reduced_create(sn_memory *memory, const sn_elastic_asset *asset, sn_reduced *out);
void sn_reduced_free(sn_memory *memory, sn_reduced *reduced);

// Computes the matrices from `tet_count` tetrahedra and their volumes. `weight` replaces the asset's weights
// (normalised); vertex_volume and surface_stiffness by vertex of the asset.
sn_status sn_reduced_fill(sn_memory *memory, const sn_elastic_asset *asset, const sn_real *weight, const int *tets,
                          const double *volume, int tet_count, const double *vertex_volume,
                          const double *surface_stiffness, sn_reduced *reduced);

// Creates the factor for given coefficients. SN_ERR_MEMORY.
sn_status sn_reduced_factor_create(sn_memory *memory, const sn_reduced *reduced,
                                   const sn_reduced_coefficients *coefficients, sn_reduced_factor **out);
void sn_reduced_factor_free(sn_memory *memory, const sn_reduced *reduced, sn_reduced_factor *factor);

#endif
