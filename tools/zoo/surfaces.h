// Closed surfaces of bodies that are made of tetrahedra or medial meshes: an animal, plants, toys. All are watertight,
// face outward and are one piece; they stand on the plane y = 0.
#ifndef SN_ZOO_SURFACES_H
#define SN_ZOO_SURFACES_H

#include "mesh/mesh.h"

typedef enum {
    ZOO_CREATURE,    // four legs, head, ears, tail; 1.5 m long, facing +x
    ZOO_CACTUS,      // a ribbed trunk with three arms, 1.5 m high
    ZOO_PUFFER,      // a ball of radius 0.5 m with 642 strings
    ZOO_SHIP,        // a hull 2 m long with a cabin, funnels and a paddle wheel on either side; bow at +x
    ZOO_MARSHMALLOW, // a cylinder with round edges, 1 m across and 0.8 m high
    ZOO_TORUS,       // a ring about y, 0.35 m from its centre to its axis and 0.15 m thick
    ZOO_SURFACE_KINDS
} zoo_surface_kind;

// "creature", "cactus", ...
const char *zoo_surface_name(zoo_surface_kind kind);

// How many triangles it has by default, and at least (fewer would lose its parts).
int zoo_surface_default_triangles(zoo_surface_kind kind);
int zoo_surface_min_triangles(zoo_surface_kind kind);

#define ZOO_SURFACE_MAX_TRIANGLES 4000000 // triangles

// Makes the surface of about so many triangles (0: the default; within a tenth, of a puffer ball within a fourth), with
// normals, and texture coordinates as seen from the side. False: no memory, or a number out of range; the mesh is then
// empty.
bool zoo_surface(zoo_surface_kind kind, int triangles, sn_mesh *out);

#endif
