// A pose track has poses at times, linear between them or eased by 3x^2 - 2x^3; a loop starts again after its last key.
// Rotations are interpolated as rotation vectors (axis times angle), so that keys can be several revolutions apart.
#include "scene/scene_pose_track.h"
#include "scene/placement.h"
#include <math.h>
#include <string.h>

bool pose_track_given(const pose_track_spec *track) {
    return track->head.type != NULL && track->keys.count > 0;
}

static const pose_key *key_at(const pose_track_spec *track, int i) {
    return (const pose_key *)track->keys.items + i;
}

void pose_track_check(sn_scene *scene, const pose_track_spec *track, const json_path *path) {
    if (!pose_track_given(track) || track->head.bad) return;
    json_path motion = {path, "motion", 0}, list = {&motion, "keys", 0};
    int positions = 0, offsets = 0, rotations = 0, count = track->keys.count;
    for (int i = 0; i < count; i++) {
        const pose_key *key = key_at(track, i);
        json_path at = {&list, NULL, (size_t)i}, time = {&at, "t", 0}, rotation = {&at, "rotation", 0};
        if (key->at.head.bad) return;
        if (i > 0 && !(key->at.t > key_at(track, i - 1)->at.t)) {
            error_at(&scene->errors, &time, "must be later than the key before, %.9g, is %.9g",
                     key_at(track, i - 1)->at.t, key->at.t);
        }
        positions += fields_has(key, "position");
        offsets += fields_has(key, "offset");
        rotations += fields_has(key, "rotation");
        const double *axis = key->rotation.axis;
        if (key->rotation.head.type && axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
            error_at(&scene->errors, &rotation, "\"axis\" must have a direction, is [0, 0, 0]");
        }
    }
    bool mixed = (positions != 0 && positions != count) || (offsets != 0 && offsets != count) ||
                 (rotations != 0 && rotations != count) || (positions != 0 && offsets != 0);
    if (mixed || positions + offsets + rotations == 0) {
        error_at(&scene->errors, &list, "all keys need the same: \"position\" or \"offset\", and perhaps \"rotation\"");
    }
    if (track->loop && count < 2) error_at(&scene->errors, &list, "a loop needs at least two keys");
}

static void rotation_vector(const pose_key *key, double out[3]) {
    const double *a = key->rotation.axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double by = length > 0 ? key->rotation.degrees * (3.14159265358979323846 / 180) / length : 0;
    for (int i = 0; i < 3; i++) out[i] = by * a[i];
}

static void read_key(const pose_key *key, double position_key[3], double rotation[3]) {
    memcpy(position_key, fields_has(key, "position") ? key->position : key->offset, 3 * sizeof *position_key);
    rotation_vector(key, rotation);
}

void pose_track_at(const pose_track_spec *track, double t, const double position[3], double out[3], sn_quat *rotation) {
    int count = track->keys.count, low = 0, high = count - 1;
    double first = key_at(track, 0)->at.t, last = key_at(track, high)->at.t;
    if (track->loop && t > last) t = first + fmod(t - first, last - first);
    while (low < high) { // the last key not after t is in [low, high]
        int middle = (low + high + 1) / 2;
        if (key_at(track, middle)->at.t <= t) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    double position_key[3], vector[3], q[4], from = key_at(track, low)->at.t;
    read_key(key_at(track, low), position_key, vector);
    if (t > from && low + 1 < count) {
        double to = key_at(track, low + 1)->at.t, x = (t - from) / (to - from), next_position_key[3], next_vector[3];
        if (track->interpolation == INTERPOLATE_SMOOTH) x = x * x * (3 - 2 * x);
        read_key(key_at(track, low + 1), next_position_key, next_vector);
        for (int i = 0; i < 3; i++)
            position_key[i] += x * (next_position_key[i] - position_key[i]),
                vector[i] += x * (next_vector[i] - vector[i]);
    }
    bool absolute = fields_has(key_at(track, 0), "position");
    for (int i = 0; i < 3; i++) out[i] = (absolute ? 0 : position[i]) + position_key[i];
    quaternion_of_vector(vector, q);
    *rotation = (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}
