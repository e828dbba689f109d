// Shared by the files of viperize.h.
#ifndef SN_BAKE_VIPERIZE_INTERNAL_H
#define SN_BAKE_VIPERIZE_INTERNAL_H

#include "bake/slices.h"
#include "bake/viperize.h"

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
    double *field;
    sn_level_profile profile;
    sn_slice *slice;
    double *slice_volume; // volume around each slice
    bool is_final;        // the error would also occur with slices by planes
    // Position of the slices: arc length along the field, or along the axis.
    double first, step, axis[3];
} viper_job;

// Set the error, as final, and return false.
bool viper_fail_memory(viper_job *job);
bool viper_fail(viper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viper_warn(viper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viper_report_progress(const viper_job *job, double fraction, const char *stage);

// viperize_ends.c: finds the vertices of the tetrahedra that are source and sink. The caller frees the lists.
bool viper_find_ends(viper_job *job, int *vertex[2], int count[2]);
// Centroid of a painted or given end, for slices by planes. False: the end is automatic.
bool viper_end_centre(const viper_job *job, int end, double out[3]);

// hungarian.c: the assignment of rows to columns with minimum total cost; cost[count * row + column] must be finite.
// match[row] becomes the row's column; every column is used once. Deterministic, O(count^3). False: no memory.
bool sn_hungarian(const double *cost, int count, int *match);

// viperize_rods.c: places points in the slices and connects them to rods.
bool viper_place_rods(viper_job *job, sn_viper *out);

// viperize_skin.c: levels and weights of the skin.
bool viper_bind_skin(viper_job *job, sn_viper *out);

#endif
