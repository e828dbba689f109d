// Care for meshes as files bring them: what is clearly wrong is put right, everything is counted, and what cannot be
// known is said instead of guessed.
//
// 1. Vertices at the same place become one (STL files have three for each triangle; seams of textures cut others).
// 2. Triangles with two equal corners go, those that are there twice, and pairs that face each other's backs on the
//    same corners (but of a sheet drawn with both sides one stays); then vertices without any.
// 3. Neighbours are turned to agree, and whole pieces to face outward: a closed piece whose volume is negative is
//    inside out, unless it is drawn so inside of another, as a cavity.
// 4. Small holes are closed where there is no doubt that they are holes.
#ifndef SN_MESH_MESH_REPAIR_H
#define SN_MESH_MESH_REPAIR_H

#include "mesh/error.h"
#include "mesh/mesh.h"

typedef struct {
    double weld;    // vertices nearer than this times the box's diagonal become one; 0: equal ones only
    bool orient;    // do step 3
    int fill_edges; // holes of up to this many edges are closed, 512 at most; 0: none
} mesh_repair_options;

// 1e-6 of the diagonal, oriented, holes of up to 8 edges.
mesh_repair_options mesh_repair_options_default(void);

typedef struct {
    // What was done.
    int welded;     // vertices that went into others
    int unused;     // vertices without a triangle, dropped
    int degenerate; // triangles with two equal corners, dropped
    int duplicate;  // triangles that were there already, or that face another on the same corners, dropped
    int flipped;    // triangles turned round
    int filled;     // holes closed
    // What is there now.
    int vertices, triangles;
    int components;                       // pieces that share no vertex
    int cavities;                         // closed pieces that face inward, inside of others
    int holes;                            // loops of edges with one triangle
    int hole_edges;                       // of the one with most
    double longest_hole, boundary_length; // the length around the longest, and around all
    int non_manifold_edges;               // with three triangles or more
    int inconsistent_edges;               // whose two triangles cannot both face outward: the surface has only one side
    int non_manifold_vertices;            // where surfaces meet in a point
    int zero_area_triangles; // without area, but with three corners: left, since their neighbours would gape
    double area, volume;     // volume only when closed
    float low[3], high[3];
    bool closed; // no holes, no crowded and no clashing edges
} mesh_repair_report;

// Makes a cared-for copy of a mesh, with all its parts; welded vertices take the parts of their first, and the mean
// normal. vertex_of (may be null) becomes a list, to be freed, of the new vertex of each old one, -1 for those dropped.
// False: no memory; out is then empty.
bool mesh_repair(const sn_mesh *mesh, const mesh_repair_options *options, sn_mesh *out, int **vertex_of,
                 mesh_repair_report *report);

// Whether the surface bounds a solid. If not, 'why' says what stands against it in one sentence.
bool mesh_is_solid(const mesh_repair_report *report, tool_error *error);

// What unit a mesh of this size is likely in, the longest side of its box given. Files of most formats do not say: glTF
// is in metres, STL customarily in millimetres.
typedef struct {
    const char *name; // "metres", "millimetres", ...
    double metres;    // of one unit
} mesh_unit;
mesh_unit mesh_unit_guess(double longest, bool usually_millimetres);

#endif
