// Polygons in space to triangles.
#ifndef SN_MESH_MESH_REPAIR_POLYGON_H
#define SN_MESH_MESH_REPAIR_POLYGON_H

#include <stdbool.h>

// Polygons of more corners are cut as if they were convex.
#define POLYGON_MAX_EARS 32

// Cuts a polygon of 'count' >= 3 corners into count - 2 triangles of its corners, turning the way it turns. Corners may
// lie near a plane only, and the polygon may be concave; of one that crosses itself, or has more than POLYGON_MAX_EARS
// corners, a fan is made.
void polygon_triangulate(const float (*corner)[3], int count, int (*out)[3]);

// Covers a rim in space that need not be near a plane by count - 2 triangles with the least area in all. The time goes
// with the third power of 'count', the memory with the second: POLYGON_MOST corners take about half a second. False: no
// memory.
#define POLYGON_MAX 512
bool polygon_fill(const float (*corner)[3], int count, int (*out)[3]);

#endif
