// What is inside a surface: tetrahedra that fill it, and its medial axis. docs/tetrahedra.md and docs/medial.md say how.
#ifndef SINEW_TOOLS_VOLUME_H
#define SINEW_TOOLS_VOLUME_H

#include "mesh.h"

// A mesh of tetrahedra. Opaque and immutable.
typedef struct sn_tets sn_tets;

// How a surface is filled. Start from sn_tets_def_default().
typedef struct {
    double spacing;           // of the lattice, m; default 0: see tets
    int tets;                 // approximate number of tetrahedra; default 0 = from the thickness
    int threads;              // 1 to 64; default 1. Does not affect the result
    sn_progress_fn *progress; // default null
    void *progress_user;      // passed to progress
    uint32_t init_mark;       // set by sn_tets_def_default, always checked
} sn_tets_def;

// The defaults named above.
SN_API sn_tets_def sn_tets_def_default(void);

// Fills the inside of a surface, which is repaired first. Of pieces that share no face the largest is kept. 'def' null:
// the defaults. SN_ERR_FORMAT: nothing is inside.
SN_API sn_status sn_tets_fill(const sn_mesh *surface, const sn_tets_def *def, sn_tets **out, sn_error *error);

// Reads a mesh of tetrahedra from .msh, .mesh, .vtk or .node with .ele, or writes it as one of these: complete or not at all.
SN_API sn_status sn_tets_read(const char *path, sn_tets **out, sn_error *error);
SN_API sn_status sn_tets_write(const sn_tets *tets, const char *path, sn_error *error);

// Frees tetrahedra; null is fine.
SN_API void sn_tets_destroy(sn_tets *tets);

// Sizes; 0 for null. Volume, m^3.
SN_API int sn_tets_vertex_count(const sn_tets *tets);
SN_API int sn_tets_tet_count(const sn_tets *tets);
SN_API double sn_tets_volume(const sn_tets *tets);

// Getters. They write at most 'capacity' vertices or tetrahedra and return how many there are.
SN_API int sn_tets_get_positions(const sn_tets *tets, sn_vec3 *out, int capacity); // m
SN_API int sn_tets_get_tets(const sn_tets *tets, int *out, int capacity); // four indices each; volumes are positive

// A medial mesh: spheres, cones between two of them and slabs between three. Opaque and immutable.
typedef struct sn_medial sn_medial;

// How a medial mesh is made. Start from sn_medial_def_default().
typedef struct {
    int spheres;  // maximum number, 1 to 5000; default 100
    double error; // instead, if above 0: the fewest spheres with this mean error, over the largest side; default 0
    bool open;    // best fit, instead of enclosing every vertex; default false
    int threads;  // 1 to 64; default 1. Does not affect the result
    uint32_t init_mark; // set by sn_medial_def_default, always checked
} sn_medial_def;

// The defaults named above.
SN_API sn_medial_def sn_medial_def_default(void);

// Makes the medial mesh of a surface. 'def' null: the defaults.
SN_API sn_status sn_medial_create(const sn_mesh *surface, const sn_medial_def *def, sn_medial **out, sn_error *error);

// Reads and writes .ma files.
SN_API sn_status sn_medial_read(const char *path, sn_medial **out, sn_error *error);
SN_API sn_status sn_medial_write(const sn_medial *medial, const char *path, sn_error *error);

// Frees a medial mesh; null is fine.
SN_API void sn_medial_destroy(sn_medial *medial);

// Sizes; 0 for null.
SN_API int sn_medial_sphere_count(const sn_medial *medial);
SN_API int sn_medial_cone_count(const sn_medial *medial);
SN_API int sn_medial_slab_count(const sn_medial *medial);

// Getters. They write at most 'capacity' spheres, cones or slabs and return how many there are.
SN_API int sn_medial_get_centres(const sn_medial *medial, sn_vec3 *out, int capacity); // m
SN_API int sn_medial_get_radii(const sn_medial *medial, sn_real *out, int capacity);   // m
SN_API int sn_medial_get_cones(const sn_medial *medial, int *out, int capacity);       // two spheres each
SN_API int sn_medial_get_slabs(const sn_medial *medial, int *out, int capacity);       // three spheres each

// The signed distance from a point to the surface of the union of all primitives, m; negative inside.
SN_API double sn_medial_distance(const sn_medial *medial, sn_vec3 point);

#endif
