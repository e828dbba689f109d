// A fine surface embedded in coarse tetrahedra: each of its points is a barycentric combination of the corners of the
// tetrahedron that contains it, and moves with them.
#ifndef SN_KINDS_SPRING_TET_EMBEDDING_H
#define SN_KINDS_SPRING_TET_EMBEDDING_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "base/tasks.h"

// Weights sum to 1. Outside all tetrahedra some are negative: the nearest tetrahedron is extrapolated.
typedef struct {
    int corner[4];
    sn_real weight[4];
} sn_spring_place;

// The barycentric weights of p in a tetrahedron, in double. False: it has no volume.
bool sn_tet_weights(const sn_vec3 corner[4], sn_vec3 p, double weight[4]);

// Embeds every point in the tetrahedra at x (quads, 'points' of them). *outside counts those outside all tetrahedra.
// SN_ERR_RANGE: there are no tetrahedra, or none with a volume where one was needed.
sn_status sn_spring_embed(sn_memory *memory, const sn_real *x, int points, const int (*tets)[4], int tet_count,
                          const sn_vec3 *surface, int count, sn_spring_place *out, int *outside);

// Computes the current positions. The pool may be null.
void sn_spring_embed_move(const sn_real *x, const sn_spring_place *places, int count, sn_vec3 *out, sn_pool *pool);

#endif
