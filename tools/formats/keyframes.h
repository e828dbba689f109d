// Which frames of an animated value are worth keeping: those that interpolation between their neighbours does not
// bring back.
#ifndef SN_FORMATS_KEYFRAMES_H
#define SN_FORMATS_KEYFRAMES_H

#include "view/recording.h"

typedef enum { CHANNEL_POSITION, CHANNEL_TURN, CHANNEL_SCALE } joint_channel;

// Marks in keep[0..frame_count) the frames of a joint's channel that are needed, so that every other is within
// 'tolerance' (m, rad, or of the scale) of what linear interpolation gives (for turns along the shortest arc). Returns
// how many; 0 when the value never leaves that of the first frame. 'stack' has room for 4 * frame_count numbers.
int keyframes_choose(const recording *take, int joint, joint_channel channel, double tolerance, bool *keep, int *stack);

// The same for any value of frames 0 to last: 'miss' tells how far that of 'frame' is from what frames a and b give.
typedef double keyframes_miss(const void *value, int a, int b, int frame);
int keyframes_thin(keyframes_miss *miss, const void *value, int last, double tolerance, bool *keep, int *stack);

#endif
