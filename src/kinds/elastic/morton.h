// Points along a space-filling curve (Morton's): the bits of their three coordinates interleaved, 21 each.
#ifndef SN_KINDS_ELASTIC_MORTON_H
#define SN_KINDS_ELASTIC_MORTON_H

#include "base/math/vec.h"
#include "base/memory.h"

// order[k]: the k-th point on the curve; points in one place in the order of their numbers.
sn_status sn_elastic_curve(sn_memory *memory, const sn_vec3 *points, int count, int *order);

#endif
