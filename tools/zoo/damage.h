// Damage: what is wrong with meshes that files bring, done to good ones on purpose.
#ifndef SN_ZOO_DAMAGE_H
#define SN_ZOO_DAMAGE_H

#include "mesh/mesh.h"
#include <stdint.h>

typedef enum {
    ZOO_HOLES,      // patches of triangles are missing
    ZOO_FLIPPED,    // a fifth of the triangles face inward
    ZOO_CROSSING,   // a second body grows out of it, with no seam: the surface goes through itself
    ZOO_ISLANDS,    // crumbs float around it and inside of it
    ZOO_SLIVERS,    // triangles are cut by long thin ones
    ZOO_DUPLICATES, // every triangle has corners of its own, and some are there twice
    ZOO_CROWDED,    // fins stand on edges, which then have three triangles; walls go through the inside
    ZOO_EVERYTHING, // all of these
    ZOO_DAMAGE_KINDS
} zoo_damage_kind;

// "holes", "flipped", ...
const char *zoo_damage_name(zoo_damage_kind kind);

// Does it to a mesh, whose parts besides positions are dropped. The same seed does the same. Needs at least 16
// triangles. False: no memory, or too few; the mesh is then as it was.
bool zoo_damage(sn_mesh *mesh, zoo_damage_kind kind, uint64_t seed);

#endif
