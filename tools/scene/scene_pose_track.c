// A course has places at times, linear between them or eased by 3x^2 - 2x^3; a loop starts again after its last key.
// Rotations are interpolated as rotation vectors (axis times angle), so that several turns can be asked for.
#include "scene/scene_pose_track.h"
#include "scene/placement.h"
#include <math.h>
#include <string.h>

bool pose_track_given(const pose_track_spec *course) {
    return course->head.type != NULL && course->keys.count > 0;
}

static const pose_key *key_at(const pose_track_spec *course, int i) {
    return (const pose_key *)course->keys.items + i;
}

void pose_track_check(sn_scene *scene, const pose_track_spec *course, const json_path *path) {
    if (!pose_track_given(course) || course->head.bad) return;
    json_path motion = {path, "motion", 0}, list = {&motion, "keys", 0};
    int positions = 0, offsets = 0, turns = 0, count = course->keys.count;
    for (int i = 0; i < count; i++) {
        const pose_key *key = key_at(course, i);
        json_path at = {&list, NULL, (size_t)i}, time = {&at, "t", 0}, rotation = {&at, "rotation", 0};
        if (key->at.head.bad) return;
        if (i > 0 && !(key->at.t > key_at(course, i - 1)->at.t)) {
            error_at(&scene->errors, &time, "must be later than the key before, %.9g, is %.9g",
                     key_at(course, i - 1)->at.t, key->at.t);
        }
        positions += fields_has(key, "position");
        offsets += fields_has(key, "offset");
        turns += fields_has(key, "rotation");
        const double *axis = key->rotation.axis;
        if (key->rotation.head.type && axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
            error_at(&scene->errors, &rotation, "\"axis\" must have a direction, is [0, 0, 0]");
        }
    }
    bool mixed = (positions != 0 && positions != count) || (offsets != 0 && offsets != count) ||
                 (turns != 0 && turns != count) || (positions != 0 && offsets != 0);
    if (mixed || positions + offsets + turns == 0) {
        error_at(&scene->errors, &list,
                 "need the same in each key: \"position\" or \"offset\", and \"rotation\" if it turns");
    }
    if (course->loop && count < 2) error_at(&scene->errors, &list, "a loop needs at least two keys");
}

static void rotation_vector(const pose_key *key, double out[3]) {
    const double *a = key->rotation.axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double by = length > 0 ? key->rotation.degrees * (3.14159265358979323846 / 180) / length : 0;
    for (int i = 0; i < 3; i++) out[i] = by * a[i];
}

static void read_key(const pose_key *key, double way[3], double turn[3]) {
    memcpy(way, fields_has(key, "position") ? key->position : key->offset, 3 * sizeof *way);
    rotation_vector(key, turn);
}

void pose_track_at(const pose_track_spec *course, double t, const double position[3], double out[3], sn_quat *turn) {
    int count = course->keys.count, low = 0, high = count - 1;
    double first = key_at(course, 0)->at.t, last = key_at(course, high)->at.t;
    if (course->loop && t > last) t = first + fmod(t - first, last - first);
    while (low < high) { // the last key not after t is in [low, high]
        int middle = (low + high + 1) / 2;
        if (key_at(course, middle)->at.t <= t) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    double way[3], vector[3], q[4], from = key_at(course, low)->at.t;
    read_key(key_at(course, low), way, vector);
    if (t > from && low + 1 < count) {
        double to = key_at(course, low + 1)->at.t, x = (t - from) / (to - from), next_way[3], next_vector[3];
        if (course->interpolation == INTERPOLATE_SMOOTH) x = x * x * (3 - 2 * x);
        read_key(key_at(course, low + 1), next_way, next_vector);
        for (int i = 0; i < 3; i++) way[i] += x * (next_way[i] - way[i]), vector[i] += x * (next_vector[i] - vector[i]);
    }
    bool absolute = fields_has(key_at(course, 0), "position");
    for (int i = 0; i < 3; i++) out[i] = (absolute ? 0 : position[i]) + way[i];
    quaternion_of_vector(vector, q);
    *turn = (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}
