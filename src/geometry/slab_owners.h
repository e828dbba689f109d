// Who owns the corners and edges that slabs share: see sn_node_slab.
#ifndef SN_GEOMETRY_SLAB_OWNERS_H
#define SN_GEOMETRY_SLAB_OWNERS_H

#include "base/memory.h"

// The bits sn_node_slab.owns of triangles of points 0 to points - 1, three numbers each; corners 1 and 2 may be the same.
// Every corner goes to the one of its triangles that has the fewest yet, every edge to the first that has it. False
// without memory.
bool sn_slab_owners(sn_memory *memory, int points, const int32_t *triangles, int count, uint32_t *owns);

#endif
