// Between two kept frames the one that interpolation misses by most is kept too, if that is too much; then the same on
// both sides of it (Douglas and Peucker, with the distance at equal times).
#include "formats/keyframes.h"
#include "base/math/vec.h"
#include <string.h>

// The shortest arc from a to b: as glTF viewers interpolate turns.
static void slerp(sn_quat a, sn_quat b, double f, double out[4]) {
    double p[4] = {a.x, a.y, a.z, a.w}, q[4] = {b.x, b.y, b.z, b.w}, dot = 0;
    for (int i = 0; i < 4; i++) dot += p[i] * q[i];
    double sign = dot < 0 ? -1 : 1, angle = acos(dot * sign > 1 ? 1 : dot * sign), sine = sin(angle);
    double wp = sine > 1e-6 ? sin((1 - f) * angle) / sine : 1 - f, wq = sine > 1e-6 ? sin(f * angle) / sine : f;
    for (int i = 0; i < 4; i++) out[i] = wp * p[i] + sign * wq * q[i];
}

static double vector_miss(sn_vec3 from, sn_vec3 to, double f, sn_vec3 at) {
    double x = (1 - f) * from.x + f * to.x - at.x, y = (1 - f) * from.y + f * to.y - at.y;
    double z = (1 - f) * from.z + f * to.z - at.z;
    return sqrt(x * x + y * y + z * z);
}

// How far the value of 'frame' is from what frames a and b give at its time.
typedef struct {
    const recording *take;
    int joint;
    joint_channel channel;
} joint_value;

static double joint_miss(const void *value, int a, int b, int frame) {
    const joint_value *of = value;
    const recording *take = of->take;
    const int joint = of->joint;
    const joint_channel channel = of->channel;
    const joint_pose *at = &recording_frame(take, frame)[joint];
    const joint_pose *from = &recording_frame(take, a)[joint], *to = &recording_frame(take, b)[joint];
    double span = take->times[b] - take->times[a], f = span > 0 ? (take->times[frame] - take->times[a]) / span : 0;
    if (channel == CHANNEL_SCALE) return vector_miss(from->scale, to->scale, f, at->scale);
    if (channel == CHANNEL_POSITION) return vector_miss(from->position, to->position, f, at->position);
    double q[4], p[4] = {at->rotation.x, at->rotation.y, at->rotation.z, at->rotation.w}, near = 0, far = 0;
    slerp(from->rotation, to->rotation, f, q);
    for (int i = 0; i < 4; i++) {
        near += (p[i] - q[i]) * (p[i] - q[i]);
        far += (p[i] + q[i]) * (p[i] + q[i]);
    }
    return 2 * sqrt(near < far ? near : far); // half the angle is the distance of the quaternions
}

int keyframes_thin(keyframes_miss *miss, const void *value, int last, double tolerance, bool *keep, int *stack) {
    int depth = 0, count = 0;
    memset(keep, 0, ((size_t)last + 1) * sizeof *keep);
    bool still = true;
    for (int i = 1; i <= last && still; i++) still = miss(value, 0, 0, i) <= tolerance;
    if (still) return 0;
    keep[0] = keep[last] = true;
    stack[depth++] = 0, stack[depth++] = last;
    while (depth) {
        int b = stack[--depth], a = stack[--depth], worst = a;
        double most = tolerance;
        for (int i = a + 1; i < b; i++) {
            double by = miss(value, a, b, i);
            if (by > most) most = by, worst = i;
        }
        if (worst == a) continue;
        keep[worst] = true;
        stack[depth++] = a, stack[depth++] = worst;
        stack[depth++] = worst, stack[depth++] = b;
    }
    for (int i = 0; i <= last; i++) count += keep[i];
    return count;
}

int keyframes_choose(const recording *take, int joint, joint_channel channel, double tolerance, bool *keep,
                     int *stack) {
    const joint_value value = {take, joint, channel};
    return keyframes_thin(joint_miss, &value, take->frame_count - 1, tolerance, keep, stack);
}
