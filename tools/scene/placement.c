// In grids x varies fastest, then y, then z. Random rotations are uniform (Shoemake's method).
#include "scene/placement.h"
#include "base/math/trig.h"
#include "scene/random.h"
#include <math.h>
#include <string.h>

static const double two_pi = 2 * 3.14159265358979323846;

static bool repeats(const body_spec *body) {
    return body->repeat.head.type != NULL;
}
static bool scatters(const body_spec *body) {
    return body->scatter.head.type != NULL;
}

bool placement_is_random(const body_spec *body) {
    return scatters(body);
}

double placement_copies(const body_spec *body) {
    const int *count = body->repeat.count.items;
    if (repeats(body)) return (double)count[0] * count[1] * count[2];
    return scatters(body) ? body->scatter.count : 1;
}

void placement_check(const body_spec *body, error_list *errors, const json_path *path) {
    json_path scatter = {path, "scatter", 0}, rotation = {path, "rotation", 0}, axis = {&rotation, "axis", 0};
    const double *a = body->rotation.axis;
    if (scatters(body) && body->scatter.avoid_overlap && strcmp(body->kind, "rod") != 0) {
        json_path path_of_key = {&scatter, "avoid_overlap", 0};
        error_at_key(errors, &path_of_key, "is for rods; this is of kind \"%s\"", body->kind);
    }
    if (repeats(body) && scatters(body)) error_at_key(errors, &scatter, "cannot be combined with \"repeat\"");
    if (body->rotation.head.type && a[0] == 0 && a[1] == 0 && a[2] == 0) {
        error_at(errors, &axis, "must have a direction, is [0, 0, 0]");
    }
}

// Sine and cosine of an angle in revolutions, of any size.
static void sincos_revolutions(double revolutions, double *sine, double *cosine) {
    sn_real s, c;
    sn_sincos((sn_real)(two_pi * (revolutions - floor(revolutions))), &s, &c);
    *sine = (double)s;
    *cosine = (double)c;
}

void quaternion_of_vector(const double vector[3], double out[4]) {
    double angle = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    double sine, cosine;
    sincos_revolutions(angle / 2 / two_pi, &sine, &cosine);
    for (int i = 0; i < 3; i++) out[i] = angle > 0 ? sine * vector[i] / angle : 0;
    out[3] = cosine;
}

void rotation_quaternion(const rotation_spec *rotation, double out[4]) {
    const double *a = rotation->axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double by = length > 0 ? rotation->degrees / 360 * two_pi / length : 0;
    double vector[3] = {by * a[0], by * a[1], by * a[2]};
    quaternion_of_vector(vector, out);
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(out, product, sizeof product);
}

static void place_in_grid(const repeat_spec *repeat, int copy, placement *at) {
    const int *count = repeat->count.items;
    int cell[3] = {copy % count[0], copy / count[0] % count[1], copy / count[0] / count[1]};
    for (int i = 0; i < 3; i++) {
        double middle = repeat->centred ? 0.5 * (count[i] - 1) : 0;
        at->position[i] += (cell[i] - middle) * repeat->spacing[i];
    }
}

static void place_at_random(const scatter_spec *scatter, random_stream stream, placement *at) {
    for (int i = 0; i < 3; i++) {
        double low = scatter->box.items[0][i], high = scatter->box.items[1][i];
        at->position[i] += low + (high - low) * random_unit(&stream);
    }
    if (scatter->rotation != SCATTER_RANDOM) return;
    double a = random_unit(&stream), b = random_unit(&stream), c = random_unit(&stream);
    double rotation[4];
    sincos_revolutions(b, &rotation[0], &rotation[1]);
    sincos_revolutions(c, &rotation[2], &rotation[3]);
    for (int i = 0; i < 4; i++) rotation[i] *= sqrt(i < 2 ? 1 - a : a);
    multiply(rotation, at->rotation, at->rotation);
}

placement placement_of_copy(const body_spec *body, uint64_t scene_seed, int number, int copy) {
    return placement_retry(body, scene_seed, number, copy, 0);
}

placement placement_retry(const body_spec *body, uint64_t scene_seed, int number, int copy, int attempt) {
    placement at = {.rotation = {0, 0, 0, 1}, .scale = body->scale};
    memcpy(at.position, body->position, sizeof at.position);
    if (body->rotation.head.type) rotation_quaternion(&body->rotation, at.rotation);
    if (repeats(body)) place_in_grid(&body->repeat, copy, &at);
    if (scatters(body)) {
        bool own = fields_has(&body->scatter, "seed");
        random_stream body_stream = random_start(own ? body->scatter.seed : scene_seed, own ? 0 : (uint64_t)number);
        random_stream stream = random_start(random_next(&body_stream), (uint64_t)copy);
        if (attempt > 0) stream = random_start(random_next(&stream), (uint64_t)attempt);
        place_at_random(&body->scatter, stream, &at);
    }
    return at;
}

sn_vec3 placement_apply(const placement *at, const double point[3]) {
    const double *q = at->rotation;
    double p[3] = {at->scale * point[0], at->scale * point[1], at->scale * point[2]};
    double t[3] = {2 * (q[1] * p[2] - q[2] * p[1]), 2 * (q[2] * p[0] - q[0] * p[2]), 2 * (q[0] * p[1] - q[1] * p[0])};
    double r[3] = {
        p[0] + q[3] * t[0] + (q[1] * t[2] - q[2] * t[1]),
        p[1] + q[3] * t[1] + (q[2] * t[0] - q[0] * t[2]),
        p[2] + q[3] * t[2] + (q[0] * t[1] - q[1] * t[0]),
    };
    return (sn_vec3){(sn_real)(r[0] + at->position[0]), (sn_real)(r[1] + at->position[1]),
                     (sn_real)(r[2] + at->position[2])};
}
