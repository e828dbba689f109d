// Cross-sections of a body: level surfaces of a field on tetrahedra, or planes.
#ifndef SN_BAKE_SLICES_H
#define SN_BAKE_SLICES_H

#include "mesh/mesh_query.h"
#include "mesh/winding.h"
#include "tets/tet_mesh.h"

// Arc length along a field and enclosed volume as functions of the level.
typedef struct {
    double *level, *length, *volume; // all ascending from the field's minimum
    int count;
} sn_level_profile;

// Computes the profile of a field on a mesh's vertices. False: no memory, or the field is constant.
bool sn_level_profile_make(const sn_tet_mesh *mesh, const double *field, sn_level_profile *out);
// The same for a field on a surface; 'volume' is the area.
bool sn_level_profile_make_surface(const sn_mesh *mesh, const double *field, sn_level_profile *out);
void sn_level_profile_free(sn_level_profile *profile);

// Convert between level, length and volume; clamped at the ends.
double sn_level_profile_length(const sn_level_profile *profile, double level);
double sn_level_profile_volume(const sn_level_profile *profile, double level);
double sn_level_profile_level(const sn_level_profile *profile, double length);

// A cross-section of small triangles of about equal area; their centroids are its samples.
typedef struct {
    sn_mesh mesh;         // triangles without shared vertices
    sn_mesh_query *query; // closest-point query on the mesh
    double (*sample)[3];  // centroid of each triangle
    double *weight;       // area of each triangle
    int count;
    double area, centroid[3];
    double covariance[3][3]; // of its points
} sn_slice;

// Cuts along a level into at least 'samples' samples. A level outside the field's range gives a slice without samples.
// False: no memory; the slice is empty.
bool sn_slice_level(const sn_tet_mesh *mesh, const double *field, double level, int samples, sn_slice *out);

// The same, only of the tetrahedra t for which part_of_tet[t] is 'part'.
bool sn_slice_level_part(const sn_tet_mesh *mesh, const double *field, double level, const int *part_of_tet, int part,
                         int samples, sn_slice *out);

// What a closed curve encloses: the squares of a grid in its plane, raised to the curve where it leaves the plane.
bool sn_slice_polygon(const double (*curve)[3], int count, int samples, sn_slice *out);

// Cuts with a plane through a point with a unit normal: the squares of a grid that are inside the surface (winding
// number above one half).
bool sn_slice_plane(const sn_mesh *mesh, const sn_winding *winding, const double point[3], const double normal[3],
                    int samples, sn_slice *out);

void sn_slice_free(sn_slice *slice);

// The closest point of the slice.
void sn_slice_nearest(const sn_slice *slice, const double p[3], double out[3]);

// The linear map between two slices that maps centroid to centroid and covariance to covariance with minimal motion, so
// points keep their relative position: x -> to + map (x - from).
typedef struct {
    double from[3], to[3], map[3][3];
} sn_slice_map;
sn_slice_map sn_slice_transport(const sn_slice *from, const sn_slice *to);
void sn_slice_map_apply(const sn_slice_map *map, const double p[3], double out[3]);

#endif
