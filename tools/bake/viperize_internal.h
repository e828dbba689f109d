// Shared by the files of viperize.h.
#ifndef SN_BAKE_VIPERIZE_INTERNAL_H
#define SN_BAKE_VIPERIZE_INTERNAL_H

#include "bake/slices.h"
#include "bake/viperize.h"

// What the field lives on, tetrahedra or the surface itself: vertices, and simplices of three or four of them.
typedef struct {
    double (*position)[3];
    int vertex_count;
    const int *corner; // of each simplex, 'corners' of them
    int corners, simplex_count;
    double spacing; // mean length of an edge
    int (*edge)[2]; // sorted, each once
    int edge_count;
    int *edge_of; // of each simplex: 3 edges of a triangle, 6 of a tetrahedron
} viper_body;

// A connected part of a slice: a head or a tendon of its own, or the whole slice.
typedef struct {
    sn_slice slice;
    double volume; // around it
    int rods;      // that go through it
} viper_part;

typedef struct {
    viper_part *part;
    int count;
    bool *linked; // linked[part * next slice's count + next slice's part]: connected between the slices
} viper_slice;

// The surface and the intermediate results.
typedef struct {
    const sn_viper_options *options;
    sn_viper_report *report;
    tool_error *error;
    sn_mesh surface; // repaired
    unsigned char *painted;
    sn_mesh_query *query;
    sn_winding *winding;
    sn_tet_mesh tets;
    viper_body body;
    int *end[2], end_count[2]; // vertices of the body that are source and sink
    double cap[2];             // how deep automatic ends reach into the muscle
    double *field;
    sn_level_profile profile;
    viper_slice *slice;
    bool is_final; // the error would also occur with other slices
    // Position of each slice: arc length along the field, or along the axis.
    double *at, axis[3];
} viper_job;

// Set the error, as final, and return false.
bool viper_fail_memory(viper_job *job);
bool viper_fail(viper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viper_warn(viper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viper_report_progress(const viper_job *job, double fraction, const char *stage);

// viperize_body.c: the body of tetrahedra, or of a surface. They keep pointers into these.
bool viper_body_of_tets(const sn_tet_mesh *tets, double spacing, viper_body *out);
bool viper_body_of_surface(const sn_mesh *surface, viper_body *out);
void viper_body_free(viper_body *body);

// viperize_ends.c: finds the vertices of the body that are source and sink, job->end.
bool viper_find_ends(viper_job *job);
// Centroid of a painted or given end, for slices by planes. False: the end is automatic.
bool viper_end_centre(const viper_job *job, int end, double out[3]);

// viperize_slices.c: cuts the body along job->field at job->at into slices of parts, and finds which are connected.
// False: the error is set.
bool viper_cut_parts(viper_job *job);
// Makes a slice of one part that all rods go through. False: out of memory.
bool viper_slice_of_one(viper_slice *slice, int rods, const sn_slice *of, double volume);
// Decides how many rods go through each part.
bool viper_share_rods(viper_job *job);
void viper_free_slices(viper_job *job);

// The direction in which a surface is longest: that of the largest variance of its triangles; and their mean.
void viper_longest_direction(const sn_mesh *mesh, double middle[3], double out[3]);

// viperize_quality.c: warns, with the remedy, of what is poor.
void viper_warn_of_quality(viper_job *job, const sn_viper *viper);

// hungarian.c: the assignment of rows to columns with minimum total cost; cost[count * row + column] must be finite.
// match[row] becomes the row's column; every column is used once. Deterministic, O(count^3). False: no memory.
bool sn_hungarian(const double *cost, int count, int *match);

// viperize_rods.c: places points in the slices and connects them to rods.
bool viper_place_rods(viper_job *job, sn_viper *out);

// viperize_skin.c: levels and weights of the skin.
bool viper_bind_skin(viper_job *job, sn_viper *out);

#endif
