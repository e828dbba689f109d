// Samples of the skin around a bone, to fit its field to.
#ifndef SN_BAKE_IMPLICIT_SAMPLES_H
#define SN_BAKE_IMPLICIT_SAMPLES_H

#include <stdbool.h>

// The part of the skin that belongs to a bone.
typedef struct {
    const double (*points)[3], (*normals)[3]; // of the whole skin
    const int *vertices;                      // of the part
    int vertex_count;
    const int (*triangles)[3]; // with all corners in the part
    int triangle_count;
    double start[3], end[3];           // of the bone
    bool start_is_joint, end_is_joint; // another bone's field continues there
    bool start_is_ball;                // ball joint, like a hip
} sn_skin_part;

typedef struct {
    int count;
    double (*point)[3], (*normal)[3];
    double reach, radius; // largest and mean distance of the part's vertices from the bone
} sn_samples;

// About 'target' evenly spread samples (farthest-point sampling), plus caps where the bone continues into others. No
// samples if there is nothing to sample. False: no memory.
bool sn_samples_make(const sn_skin_part *part, int target, double joint_gap, sn_samples *out);
void sn_samples_free(sn_samples *samples);

// Distance from a point to the segment from start to end; 't' is the closest position on it (0 to 1).
double sn_bone_distance(const double p[3], const double start[3], const double end[3], double *t);

#endif
