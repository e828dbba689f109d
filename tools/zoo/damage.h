// Damages good meshes on purpose: gives them the defects that meshes from files often have.
#ifndef SN_ZOO_DAMAGE_H
#define SN_ZOO_DAMAGE_H

#include "mesh/mesh.h"
#include <stdint.h>

typedef enum {
    ZOO_HOLES,      // patches of triangles are missing
    ZOO_FLIPPED,    // a fifth of the triangles face inward
    ZOO_CROSSING,   // self-intersections: spheres and vertices that pass through the surface
    ZOO_ISLANDS,    // small components float around it and inside it
    ZOO_SLIVERS,    // long thin triangles
    ZOO_DUPLICATES, // no shared vertices, and some triangles are duplicated
    ZOO_CROWDED,    // fins on edges, which then have three triangles, and walls through the inside
    ZOO_EVERYTHING, // all of these
    ZOO_DAMAGE_KINDS
} zoo_damage_kind;

// "holes", "flipped", ...
const char *zoo_damage_name(zoo_damage_kind kind);

// Damages a mesh; attributes other than positions are dropped. Deterministic for a seed. Needs at least 16 triangles.
// False: no memory, or too few triangles; the mesh is unchanged.
bool zoo_damage(sn_mesh *mesh, zoo_damage_kind kind, uint64_t seed);

#endif
