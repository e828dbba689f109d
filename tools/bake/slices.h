// Cross-sections of a body: level surfaces of a field on tetrahedra, or planes.
#ifndef SN_BAKE_SLICES_H
#define SN_BAKE_SLICES_H

#include "mesh/mesh_query.h"
#include "mesh/winding.h"
#include "tets/tet_mesh.h"

// How far it is along a field, and how much lies behind, as functions of the level.
typedef struct {
    double *level, *length, *volume; // all rising, from the field's least value on
    int count;
} sn_level_profile;

// Makes it for a field on a mesh's vertices. False: no memory, or the field is constant.
bool sn_level_profile_make(const sn_tet_mesh *mesh, const double *field, sn_level_profile *out);
void sn_level_profile_free(sn_level_profile *profile);

// One as a function of another; values beyond the ends give the ends.
double sn_level_profile_length(const sn_level_profile *profile, double level);
double sn_level_profile_volume(const sn_level_profile *profile, double level);
double sn_level_profile_level(const sn_level_profile *profile, double length);

// A cross-section, in small triangles of about the same area, which are its samples.
typedef struct {
    sn_mesh mesh;         // triangles without neighbours
    sn_mesh_query *query; // of the mesh
    double (*sample)[3];  // middle of each triangle
    double *weight;       // area of each triangle
    int count;
    double area, centroid[3];
    double covariance[3][3]; // covariance of its points
} sn_slice;

// Cuts along a level, into at least so many samples. False: no memory; the slice is then empty. A level that the field
// does not have gives a slice without samples.
bool sn_slice_level(const sn_tet_mesh *mesh, const double *field, double level, int samples, sn_slice *out);

// Cuts by a plane through a point, of unit normal: what is inside of a surface, that is, where its winding number is
// more than a half, in squares of a grid.
bool sn_slice_plane(const sn_mesh *mesh, const sn_winding *winding, const double point[3], const double normal[3],
                    int samples, sn_slice *out);

void sn_slice_free(sn_slice *slice);

// The nearest point of the slice.
void sn_slice_nearest(const sn_slice *slice, const double p[3], double out[3]);

// The linear map from one slice to another that takes middle to middle and spread to spread and moves points least:
// what lies left or right, near or far from the rim, does so afterwards. x -> to + map (x - from).
typedef struct {
    double from[3], to[3], map[3][3];
} sn_slice_map;
sn_slice_map sn_slice_transport(const sn_slice *from, const sn_slice *to);
void sn_slice_map_apply(const sn_slice_map *map, const double p[3], double out[3]);

#endif
