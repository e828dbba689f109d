// A spatial hash of tetrahedra: finds those that may overlap a box.
//
// Cells are cubes about as large as the tetrahedra; each tetrahedron is listed in every cell that its box overlaps.
// Cells are hashed into the buckets of a table. Different cells may share a bucket, and a tetrahedron may be found
// through several: a query tests boxes, and reports each once.
#ifndef SN_KINDS_SPRING_TET_HASH_H
#define SN_KINDS_SPRING_TET_HASH_H

#include "base/math/vec.h"
#include "base/memory.h"

typedef struct {
    sn_vec3 low, high;
} sn_tet_box;

typedef struct {
    sn_memory *memory;
    int count;
    sn_tet_box *boxes;
    int box_capacity;
    double cell;
    int table_bits;
    int *first; // of each bucket; one extra at the end
    int first_capacity;
    int *items;
    int item_capacity;
    int *seen; // the last query that reported each
    int seen_capacity;
    int query;
} sn_tet_grid;

void sn_tet_grid_init(sn_tet_grid *grid, sn_memory *memory);
void sn_tet_grid_free(sn_tet_grid *grid);

// Lists all tetrahedra; x are quads. A call of the same size as the last allocates nothing. False: out of memory.
bool sn_tet_grid_build(sn_tet_grid *grid, const sn_real *x, const int (*tets)[4], int count);

// Calls visit for every tetrahedron whose box overlaps the given one, in an order that depends only on the build; stops
// when it returns false.
typedef bool sn_tet_visit_fn(void *context, int tet);
void sn_tet_grid_visit(sn_tet_grid *grid, const sn_tet_box *box, sn_tet_visit_fn *visit, void *context);

// The bounding box of some corners (quads).
sn_tet_box sn_tet_box_of(const sn_real *x, const int corner[4]);

#endif
