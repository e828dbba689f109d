// What the files of viperize.h share.
#ifndef SN_BAKE_VIPERIZE_INTERNAL_H
#define SN_BAKE_VIPERIZE_INTERNAL_H

#include "bake/slices.h"
#include "bake/viperize.h"

// The surface and what is made of it on the way.
typedef struct {
    const sn_viper_options *options;
    sn_viper_report *report;
    tool_error *error;
    sn_mesh surface; // cared for
    unsigned char *painted;
    sn_mesh_query *query;
    sn_winding *winding;
    sn_tet_mesh tets;
    double *field;
    sn_level_profile profile;
    sn_slice *slice;
    double *slice_volume; // volume that goes with each slice
    bool is_final;        // a refusal that slices made another way would not change
    // Levels of the slices: along the field in its own length, or along the axis.
    double first, step, axis[3];
} viper_job;

// Both return false. The first says "out of memory", the second why what was asked for cannot be.
bool viper_fail_memory(viper_job *job);
bool viper_fail(viper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viper_warn(viper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viper_report_progress(const viper_job *job, double fraction, const char *stage);

// viperize_ends.c: which vertices of the tetrahedra are source and sink. Lists are to be freed.
bool viper_find_ends(viper_job *job, int *vertex[2], int count[2]);
// The middle of what is painted or named, for planes. False: the end is to be found.
bool viper_end_centre(const viper_job *job, int end, double out[3]);

// hungarian.c: the assignment of rows to columns with minimum total cost; cost[count * row + column] must be finite.
// match[row] becomes the row's column; every column is used once. Deterministic, O(count^3). False: no memory.
bool sn_hungarian(const double *cost, int count, int *match);

// viperize_rods.c: places points in the slices and joins them to rods.
bool viper_place_rods(viper_job *job, sn_viper *out);

// viperize_skin.c: levels and weights of the skin.
bool viper_bind_skin(viper_job *job, sn_viper *out);

#endif
