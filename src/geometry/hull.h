// Convex hulls of points: closed triangles that face outward.
#ifndef SN_GEOMETRY_HULL_H
#define SN_GEOMETRY_HULL_H

#include "base/math/vec.h"
#include "base/memory.h"

// A hull has at most so many vertices. One of more points leaves out those that stand out the least.
enum { SN_HULL_VERTICES = 64, SN_HULL_FACES = 2 * SN_HULL_VERTICES - 4 };

typedef struct {
    sn_vec3 *vertices;
    int32_t (*faces)[3];
    int vertex_count, face_count;
} sn_hull;

// SN_ERR_RANGE: points that are not finite, or all in one plane; *out is then empty.
sn_status sn_hull_build(sn_memory *memory, const sn_vec3 *points, int count, sn_hull *out);
// Copies faces that are a hull already.
sn_status sn_hull_copy(sn_memory *memory, const sn_hull *from, sn_hull *out);
void sn_hull_free(sn_memory *memory, sn_hull *hull);
// Whether faces are closed, in range, and each vertex is below all of them, nearly.
bool sn_hull_is_convex(const sn_hull *hull);

#endif
