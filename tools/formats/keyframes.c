// The algorithm of Douglas and Peucker, with distances at equal times: between two kept frames, the one that deviates
// most from interpolation is kept if it exceeds the tolerance; then the same on both sides of it.
#include "formats/keyframes.h"
#include "base/math/vec.h"
#include "mesh/maths.h"
#include <string.h>

// Interpolation along the shortest arc from a to b, as glTF viewers do it.
static void slerp(sn_quat a, sn_quat b, double f, double out[4]) {
    double p[4] = {a.x, a.y, a.z, a.w}, q[4] = {b.x, b.y, b.z, b.w}, dot = 0;
    for (int i = 0; i < 4; i++) dot += p[i] * q[i];
    double sign = dot < 0 ? -1 : 1, angle = own_acos(dot * sign > 1 ? 1 : dot * sign), sine = own_sin(angle);
    double wp = sine > 1e-6 ? own_sin((1 - f) * angle) / sine : 1 - f, wq = sine > 1e-6 ? own_sin(f * angle) / sine : f;
    for (int i = 0; i < 4; i++) out[i] = wp * p[i] + sign * wq * q[i];
}

static double vector_deviation(sn_vec3 from, sn_vec3 to, double f, sn_vec3 at) {
    double x = (1 - f) * from.x + f * to.x - at.x, y = (1 - f) * from.y + f * to.y - at.y;
    double z = (1 - f) * from.z + f * to.z - at.z;
    return sqrt(x * x + y * y + z * z);
}

// Distance of the value of 'frame' from the interpolation of frames a and b at its time.
static double deviation(const joint_track *track, joint_channel channel, int a, int b, int frame) {
    const joint_pose *at = &track->poses[frame], *from = &track->poses[a], *to = &track->poses[b];
    double span = track->times[b] - track->times[a], f = span > 0 ? (track->times[frame] - track->times[a]) / span : 0;
    if (channel == CHANNEL_SCALE) return vector_deviation(from->scale, to->scale, f, at->scale);
    if (channel == CHANNEL_POSITION) return vector_deviation(from->position, to->position, f, at->position);
    double q[4], p[4] = {at->rotation.x, at->rotation.y, at->rotation.z, at->rotation.w}, near = 0, far = 0;
    slerp(from->rotation, to->rotation, f, q);
    for (int i = 0; i < 4; i++) {
        near += (p[i] - q[i]) * (p[i] - q[i]);
        far += (p[i] + q[i]) * (p[i] + q[i]);
    }
    return 2 * sqrt(near < far ? near : far); // the distance of the quaternions is half the angle
}

int keyframes_choose(const joint_track *track, joint_channel channel, double tolerance, bool *keep, int *stack) {
    const int last = track->count - 1;
    int depth = 0, count = 0;
    memset(keep, 0, (size_t)track->count * sizeof *keep);
    bool still = true;
    for (int i = 1; i <= last && still; i++) still = deviation(track, channel, 0, 0, i) <= tolerance;
    if (still) return 0;
    keep[0] = keep[last] = true;
    stack[depth++] = 0, stack[depth++] = last;
    while (depth) {
        int b = stack[--depth], a = stack[--depth], worst = a;
        double max = tolerance;
        for (int i = a + 1; i < b; i++) {
            double by = deviation(track, channel, a, b, i);
            if (by > max) max = by, worst = i;
        }
        if (worst == a) continue;
        keep[worst] = true;
        stack[depth++] = a, stack[depth++] = worst;
        stack[depth++] = worst, stack[depth++] = b;
    }
    for (int i = 0; i <= last; i++) count += keep[i];
    return count;
}
