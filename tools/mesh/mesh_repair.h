// Repair of meshes from files: fixes what is clearly wrong, counts everything it does, and reports what it cannot
// decide instead of guessing.
//
// 1. Weld: vertices at the same position become one (STL files have three for each triangle; texture seams split
//    others).
// 2. Drop degenerate triangles (two equal corners), duplicates, and pairs of triangles that lie back to back on the
//    same corners (of a sheet drawn with both sides one side stays); then unused vertices.
// 3. Orient: flip neighbours until they agree, and whole pieces to face outward. A closed piece with negative volume
//    is inside out, unless it lies inside of another piece as a cavity.
// 4. Fill small holes where there is no doubt that they are holes.
#ifndef SN_MESH_MESH_REPAIR_H
#define SN_MESH_MESH_REPAIR_H

#include "mesh/error.h"
#include "mesh/mesh.h"

typedef struct {
    double weld;    // vertices closer than this times the box's diagonal become one; 0: equal positions only
    bool orient;    // do step 3
    int fill_edges; // fill holes of up to this many edges, max POLYGON_MAX; 0: none
} mesh_repair_options;

// 1e-6 of the diagonal, oriented, holes of up to 8 edges.
mesh_repair_options mesh_repair_options_default(void);

typedef struct {
    // What was done.
    int welded;     // vertices merged into others
    int unused;     // vertices without a triangle, dropped
    int degenerate; // triangles with two equal corners, dropped
    int duplicate;  // duplicate and back-to-back triangles, dropped
    int flipped;    // triangles with their orientation reversed
    int filled;     // holes filled
    // The result.
    int vertices, triangles;
    int components;                       // pieces that share no vertex
    int cavities;                         // closed pieces that face inward, inside of others
    int holes;                            // boundary loops
    int hole_edges;                       // of the hole with the most edges
    double longest_hole, boundary_length; // length around the longest hole, and around all
    int non_manifold_edges;               // edges with three triangles or more
    int inconsistent_edges;               // edges whose two triangles cannot both face outward: a one-sided surface
    int non_manifold_vertices;            // vertices where surfaces meet in a point
    int zero_area_triangles;              // collinear triangles; kept, since removing them would open gaps
    double area, volume;                  // volume only when closed
    float low[3], high[3];
    bool closed; // no holes, no non-manifold and no inconsistent edges
} mesh_repair_report;

// Makes a repaired copy of a mesh with all its attributes. A welded vertex takes the attributes of the first vertex,
// and the mean normal. vertex_of (may be null) becomes a list of the new vertex of each old one, -1 for dropped ones,
// which the caller frees. False: out of memory, and out is empty.
bool mesh_repair(const sn_mesh *mesh, const mesh_repair_options *options, sn_mesh *out, int **vertex_of,
                 mesh_repair_report *report);

// Whether the surface bounds a solid. If not, the error says why.
bool mesh_is_solid(const mesh_repair_report *report, tool_error *error);

// Guesses the unit of a mesh from the longest side of its box. Most formats do not specify it: glTF is in metres, STL
// usually in millimetres.
typedef struct {
    const char *name; // "metres", "millimetres", ...
    double metres;    // metres per unit
} mesh_unit;
mesh_unit mesh_unit_guess(double longest, bool usually_millimetres);

#endif
