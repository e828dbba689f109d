// The reduced matrices, and the factor of the global step's.
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
// where s_i is the diagonal of the stiffness at vertices of the surface, 0 within: a ghost of 1 holds the surface as
// stiffly as the body holds it itself.
//
// Weights are local, so A is sparse in blocks, one for two handles that share a tetrahedron. Handles are eliminated in
// the order of least degree. Runs of handles with the same structure below them are one panel, with w columns and r
// rows below; with the factor's diagonal block L and the rows B below it, a panel is kept as
//
//     S = [ L^-1 ; -B L^-1 ]      (w + r) x w, sixteen rows after sixteen rows, column by column in them
//
// so that both substitutions are products with S, without a chain of divisions:
//
//     down:  (y, change of the rows below) = S b           up:  x = S^T (y, x of the rows below)
//
// Where a handle has few vertices its columns hardly differ from others: single precision could not tell their numbers,
// and a solve would make them anything. So A gets a little more (Alike, see factor.c): the difference of the maps of
// handles that meet, around the middle between them, by a small part of their stiffness. That is nothing for motions of
// the whole, little for smooth ones, and lets such columns go along with their neighbours. Like ghosts it changes the
// way, never the answer.
#ifndef SN_KINDS_ELASTIC_REDUCED_H
#define SN_KINDS_ELASTIC_REDUCED_H

#include "kinds/elastic/elastic_asset.h"

typedef struct {
    int columns, handle_count;
    int *rank;      // by handle: when it is eliminated
    int *where;     // by column of q: its row in A
    int *row_first; // by rank: its first row; one more at the end

    // Blocks of the lower triangle: by rank of the row; one more.
    int *pair_first, *pair_other; // ranks of columns, rising, the diagonal last
    size_t *pair_at, pair_size;   // where a block begins, row after row
    double *mass, *stiff, *ghost;
    double (*centre)[3]; // by rank: the handle's

    int panel_count;
    int *panel_first;               // by panel: its first row of A, one more
    int *panel_below_first, *below; // by panel, one more; the rows of A below it, rising
    size_t *panel_at, size;         // where its S begins
    int most_rows;                  // w + r, filled up to 16, of the largest
} sn_reduced;

typedef struct {
    double mass, stiff, ghost; // rho/h^2, 2 mu + 3 lambda, ghost
} sn_reduced_law;

// A factor, shared by all bodies with the same law.
typedef struct sn_reduced_factor {
    sn_reduced_law law;
    int users;
    int left_out; // columns without any effect
    bool *out;    // by row of A: left out
    sn_real *s;   // sn_reduced.size
    struct sn_reduced_factor *next;
} sn_reduced_factor;

// Finds which handles meet in the matrices of the asset, and an order; the values are still zero. Weights come from the
// asset's lists.
sn_status sn_reduced_create(sn_memory *memory, const sn_elastic_asset *asset, sn_reduced *out);
void sn_reduced_free(sn_memory *memory, sn_reduced *reduced);

// Fills in the matrices. 'tets' of 'tet_count' with 'volume' stand for all; 'weight' takes the place of the asset's
// (their sum put right); share and skin by vertex of the asset.
sn_status sn_reduced_fill(sn_memory *memory, const sn_elastic_asset *asset, const sn_real *weight, const int *tets,
                          const double *volume, int tet_count, const double *share, const double *skin,
                          sn_reduced *reduced);

// The factor for a law. SN_ERR_MEMORY.
sn_status sn_reduced_factor_create(sn_memory *memory, const sn_reduced *reduced, const sn_reduced_law *law,
                                   sn_reduced_factor **out);
void sn_reduced_factor_free(sn_memory *memory, const sn_reduced *reduced, sn_reduced_factor *factor);

#endif
