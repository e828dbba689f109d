// Keyframe reduction: chooses the frames of an animated value to keep, so that interpolation restores the others.
#ifndef SN_FORMATS_KEYFRAMES_H
#define SN_FORMATS_KEYFRAMES_H

#include "view/view_model.h"

typedef enum { CHANNEL_POSITION, CHANNEL_ROTATION, CHANNEL_SCALE } joint_channel;

// A joint in every frame.
typedef struct {
    const joint_pose *poses;
    const double *times;
    int count;
} joint_track;

// Marks in keep[0..count) the frames of a channel to keep, so that every other frame is within `tolerance` (m, rad, or
// of the scale) of linear interpolation (for rotations: along the shortest arc). Returns how many; 0 if the value stays
// within the tolerance of the first frame. `stack` holds 4 * count numbers.
int keyframes_choose(const joint_track *track, joint_channel channel, double tolerance, bool *keep, int *stack);

#endif
