// Assigns the corners and edges that slabs share to owners: see sn_node_slab.
#ifndef SN_GEOMETRY_SLAB_OWNERS_H
#define SN_GEOMETRY_SLAB_OWNERS_H

#include "base/memory.h"

// The bits sn_node_slab.owns of triangles, three indices each into 'points' points; corners 1 and 2 may be equal. Every
// corner goes to the triangle that owns the fewest so far, every edge to the first that has it. False: out of memory.
bool sn_slab_owners(sn_memory *memory, int points, const int32_t *triangles, int count, uint32_t *owns);

#endif
