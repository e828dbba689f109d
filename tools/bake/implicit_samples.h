// Samples of the skin around a bone, for its field.
#ifndef SN_BAKE_IMPLICIT_SAMPLES_H
#define SN_BAKE_IMPLICIT_SAMPLES_H

#include <stdbool.h>

// The part of the skin that belongs to a bone.
typedef struct {
    const double (*points)[3], (*normals)[3]; // of the whole skin
    const int *vertices;                      // of the part
    int vertex_count;
    const int (*triangles)[3]; // those with all corners in it
    int triangle_count;
    double start[3], end[3];           // of the bone
    bool start_is_joint, end_is_joint; // another bone's field goes on there
    bool start_is_ball;                // it turns there in all directions, like a hip
} sn_skin_part;

typedef struct {
    int count;
    double (*point)[3], (*normal)[3];
    double reach, radius; // greatest and mean distance of the part's vertices from the bone
} sn_samples;

// About 'wanted' samples, evenly spread (each as far as can be from those before it), and caps where the bone goes on
// into others. False: no memory; no samples when there is nothing to sample.
bool sn_samples_make(const sn_skin_part *part, int target, double joint_gap, sn_samples *out);
void sn_samples_free(sn_samples *samples);

// From a point to the line from start to end; 't' where on it (0 to 1).
double sn_bone_distance(const double p[3], const double start[3], const double end[3], double *t);

#endif
