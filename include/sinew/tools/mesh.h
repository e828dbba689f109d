// Triangle meshes: read, repaired, written.
//
// Read from .obj, .ply, .stl, .off, .glb and .gltf, whatever their bytes are; see docs/meshes.md for what of these formats
// is read. Positions are in metres, y is up as a rule, triangles are counter-clockwise seen from outside.
#ifndef SINEW_TOOLS_MESH_H
#define SINEW_TOOLS_MESH_H

#include "types.h"

// A mesh. Opaque; used by one thread at a time.
typedef struct sn_mesh sn_mesh;

// Creates a mesh from arrays, which are copied: three numbers per vertex (m), three indices per triangle. SN_ERR_RANGE: an
// index is out of range, or a position is not finite.
SN_API sn_status sn_mesh_create(const float *positions, int vertex_count, const int *triangles, int triangle_count,
                                sn_mesh **out, sn_error *error);

// Reads all meshes of a file as one; the extension chooses the format. Skinned meshes are posed by their joints at rest.
// 'scale' is metres per unit of the file; 0: guessed from the format and the size, since most formats do not say.
SN_API sn_status sn_mesh_read(const char *path, double scale, sn_mesh **out, sn_error *error);

// Writes a mesh as .obj, with normals, texture coordinates and colours if it has some. The file is complete or absent.
SN_API sn_status sn_mesh_write(const sn_mesh *mesh, const char *path, sn_error *error);

// Frees a mesh; null is fine.
SN_API void sn_mesh_destroy(sn_mesh *mesh);

// Sizes; 0 for null.
SN_API int sn_mesh_vertex_count(const sn_mesh *mesh);
SN_API int sn_mesh_triangle_count(const sn_mesh *mesh);

// Getters. They write at most 'capacity' vertices or triangles and return how many there are.
SN_API int sn_mesh_get_positions(const sn_mesh *mesh, sn_vec3 *out, int capacity); // m
SN_API int sn_mesh_get_triangles(const sn_mesh *mesh, int *out, int capacity);     // three indices each

// Area, m^2, and enclosed volume, m^3: signed, and meaningless for open meshes.
SN_API double sn_mesh_area(const sn_mesh *mesh);
SN_API double sn_mesh_volume(const sn_mesh *mesh);

// How a mesh is repaired. Start from sn_mesh_repair_def_default().
typedef struct {
    double weld;        // vertices closer than this times the box's diagonal become one; default 1e-6
    bool orient;        // make neighbours agree and pieces face outward; default true
    int fill_edges;     // fill holes of up to this many edges, 0 to 512; default 8
    uint32_t init_mark; // set by sn_mesh_repair_def_default, always checked
} sn_mesh_repair_def;

// The defaults named above.
SN_API sn_mesh_repair_def sn_mesh_repair_def_default(void);

// What a repair did, and what it left.
typedef struct {
    int welded, unused;        // vertices merged into others; vertices without a triangle, dropped
    int degenerate, duplicate; // triangles dropped
    int flipped, filled;       // triangles reversed; holes filled
    int components;            // pieces that share no vertex
    int holes;                 // left
    int non_manifold_edges;    // edges with three triangles or more
    int inconsistent_edges;    // edges of one-sided surfaces
    bool closed;               // no holes, no non-manifold and no inconsistent edges
} sn_mesh_repair_report;

// Creates a repaired copy: welds vertices, drops degenerate and duplicate triangles, orients the rest, fills small holes.
// What it cannot decide it counts and leaves. 'report' may be null.
SN_API sn_status sn_mesh_repair(const sn_mesh *mesh, const sn_mesh_repair_def *def, sn_mesh **out,
                                sn_mesh_repair_report *report, sn_error *error);

#endif
