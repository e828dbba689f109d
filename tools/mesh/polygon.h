// Triangulation of polygons in space.
#ifndef SN_MESH_POLYGON_H
#define SN_MESH_POLYGON_H

#include <stdbool.h>

// Polygons with more corners are triangulated as a fan.
#define POLYGON_MAX_EARS 32

// Triangulates a polygon of 'count' >= 3 corners by ear clipping into count - 2 triangles with the same orientation.
// The polygon may be concave and slightly non-planar. One that intersects itself, or has more than POLYGON_MAX_EARS
// corners, becomes a fan.
void polygon_triangulate(const float (*corner)[3], int count, int (*out)[3]);

// Fills a boundary loop, which need not be near a plane, with the count - 2 triangles of the least total area. Time
// grows with the third power of 'count' and memory with the second: POLYGON_MAX corners take about half a second.
// False: out of memory.
#define POLYGON_MAX 512
bool polygon_fill(const float (*corner)[3], int count, int (*out)[3]);

#endif
