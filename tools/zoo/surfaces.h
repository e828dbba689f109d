// Closed surfaces for making tetrahedra or medial meshes: an animal, plants, toys. All are watertight, face outward,
// are in one piece and stand on the plane y = 0.
#ifndef SN_ZOO_SURFACES_H
#define SN_ZOO_SURFACES_H

#include "mesh/mesh.h"

typedef enum {
    ZOO_CREATURE,    // four legs, head, ears, tail; 1.5 m long, facing +x
    ZOO_CACTUS,      // a ribbed trunk with three arms, 1.5 m high
    ZOO_PUFFER,      // a ball of radius 0.5 m with 642 strings
    ZOO_SHIP,        // a hull 2 m long with a cabin, funnels and a paddle wheel on either side; bow at +x
    ZOO_MARSHMALLOW, // a cylinder with rounded edges, 1 m across and 0.8 m high
    ZOO_TORUS,       // around y, major radius 0.35 m, minor radius 0.15 m
    ZOO_SURFACE_KINDS
} zoo_surface_kind;

// "creature", "cactus", ...
const char *zoo_surface_name(zoo_surface_kind kind);

// Default and minimum number of triangles; with fewer, parts would be lost.
int zoo_surface_default_triangles(zoo_surface_kind kind);
int zoo_surface_min_triangles(zoo_surface_kind kind);

#define ZOO_SURFACE_MAX_TRIANGLES 4000000 // triangles

// Makes the surface with about 'triangles' triangles (0: the default), accurate to a tenth (puffer: a quarter), with
// normals, and texture coordinates projected from the side. False: no memory, or out of range; the mesh is empty.
bool zoo_surface(zoo_surface_kind kind, int triangles, sn_mesh *out);

#endif
