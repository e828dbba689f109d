// Coil: centre + r (cos a u + sin a v) + pitch a / 2 pi axis, with u the x axis made orthogonal to the coil's axis (y
// if the coil is along x) and v = axis x u. Trigonometry is the engine's own, so that points are the same everywhere.
#include "scene/curve.h"
#include "base/math/trig.h"
#include "zoo/octopus.h"
#include <math.h>
#include <string.h>

static bool has(const fields_head *head) {
    return head->type != NULL;
}

int curve_form_count(const shape_spec *shape) {
    return (shape->points.items != NULL) + has(&shape->line.head) + has(&shape->helix.head) + has(&shape->circle.head) +
           (shape->path.items != NULL) + has(&shape->octopus.head);
}

static zoo_octopus octopus_of(const shape_spec *shape) {
    return (zoo_octopus){shape->octopus.size, shape->octopus.arms, shape->octopus.arm_segments};
}

bool curve_is_model(const shape_spec *shape) {
    return has(&shape->octopus.head);
}

void curve_model(const shape_spec *shape, double (*points)[3], double *radii, int *parents) {
    zoo_octopus octopus = octopus_of(shape);
    zoo_octopus_fill(&octopus, points, radii, parents);
}

int64_t curve_point_count(const shape_spec *shape) {
    if (shape->points.items) return shape->points.count;
    if (has(&shape->line.head)) return (int64_t)shape->line.segments + 1;
    if (has(&shape->helix.head)) return (int64_t)shape->helix.segments + 1;
    if (has(&shape->circle.head)) return shape->circle.segments;
    if (curve_is_model(shape)) {
        zoo_octopus octopus = octopus_of(shape);
        return zoo_octopus_points(&octopus);
    }
    int64_t count = shape->path.items ? 1 : 0;
    const path_piece_spec *pieces = shape->path.items;
    for (int i = 0; i < shape->path.count; i++) {
        count += has(&pieces[i].line.head) ? pieces[i].line.segments : pieces[i].helix.segments;
    }
    return count;
}

bool curve_is_closed(const shape_spec *shape) {
    return has(&shape->circle.head);
}

static void check_axis(const double axis[3], error_list *errors, const json_path *path) {
    if (axis[0] != 0 || axis[1] != 0 || axis[2] != 0) return;
    json_path at = {path, "axis", 0};
    error_at(errors, &at, "must have a direction, is [0, 0, 0]");
}

static void check_line(const line_spec *line, const double from[3], error_list *errors, const json_path *path) {
    if (memcmp(from, line->to, sizeof line->to) != 0) return;
    json_path at = {path, "to", 0};
    error_at(errors, &at, "must be away from the start of the line");
}

void curve_check(const shape_spec *shape, error_list *errors, const json_path *path) {
    json_path line = {path, "line", 0}, helix = {path, "helix", 0}, circle = {path, "circle", 0};
    if (has(&shape->line.head)) check_line(&shape->line, shape->line.from, errors, &line);
    if (has(&shape->helix.head)) check_axis(shape->helix.axis, errors, &helix);
    if (has(&shape->circle.head)) check_axis(shape->circle.axis, errors, &circle);
    const path_piece_spec *pieces = shape->path.items;
    for (int i = 0; i < shape->path.count; i++) {
        json_path list = {path, "path", 0}, piece = {&list, NULL, (size_t)i}, coil = {&piece, "helix", 0};
        if (has(&pieces[i].line.head) + has(&pieces[i].helix.head) != 1) {
            error_at(errors, &piece, "needs either \"line\" or \"helix\"");
        }
        if (has(&pieces[i].helix.head)) check_axis(pieces[i].helix.axis, errors, &coil);
    }
}

static void normalize(double v[3]) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) v[i] /= length > 0 ? length : 1;
}

// An orthonormal basis with w along the axis.
static void make_basis(const double axis[3], double u[3], double v[3], double w[3]) {
    memcpy(w, axis, 3 * sizeof *w);
    normalize(w);
    int start = fabs(w[0]) < 0.9 ? 0 : 1;
    for (int i = 0; i < 3; i++) u[i] = (i == start) - w[start] * w[i];
    normalize(u);
    v[0] = w[1] * u[2] - w[2] * u[1];
    v[1] = w[2] * u[0] - w[0] * u[2];
    v[2] = w[0] * u[1] - w[1] * u[0];
}

// Points of a line, evenly spaced.
static void line_points(const double from[3], const double to[3], int segments, int first, double (*out)[3]) {
    for (int i = first; i <= segments; i++) {
        double t = (double)i / segments;
        for (int k = 0; k < 3; k++) out[i - first][k] = from[k] * (1 - t) + to[k] * t;
    }
}

static void coil_points(const helix_spec *helix, int first, int last, double (*out)[3]) {
    double u[3], v[3], w[3];
    make_basis(helix->axis, u, v, w);
    for (int i = first; i <= last; i++) {
        double revolution = helix->turns * i / helix->segments;
        double advance = helix->pitch * fabs(revolution);
        sn_real sine, cosine;
        sn_sincos((sn_real)(2 * 3.14159265358979323846 * (revolution - floor(revolution))), &sine, &cosine);
        for (int k = 0; k < 3; k++) {
            double round = helix->radius * ((double)cosine * u[k] + (double)sine * v[k]);
            out[i - first][k] = helix->centre[k] + round + advance * w[k];
        }
    }
}

static void path_points(const fields_list *path, double (*out)[3]) {
    const path_piece_spec *pieces = path->items;
    int at = 0; // index of the last point made
    for (int i = 0; i < path->count; i++) {
        bool is_line = has(&pieces[i].line.head);
        int segments = is_line ? pieces[i].line.segments : pieces[i].helix.segments;
        if (is_line) {
            bool from_given = i == 0 || fields_has(&pieces[i].line, "from");
            const double *from = from_given ? pieces[i].line.from : out[at];
            double start[3] = {from[0], from[1], from[2]};
            line_points(start, pieces[i].line.to, segments, i == 0 ? 0 : 1, out + at + (i > 0));
        } else {
            double start[1][3], shift[3] = {0};
            coil_points(&pieces[i].helix, 0, 0, start);
            for (int k = 0; i > 0 && k < 3; k++) shift[k] = out[at][k] - start[0][k];
            int first = i == 0 ? 0 : 1;
            coil_points(&pieces[i].helix, first, segments, out + at + first);
            for (int j = at + first; j <= at + segments; j++) {
                for (int k = 0; k < 3; k++) out[j][k] += shift[k];
            }
        }
        at += segments;
    }
}

void curve_points(const shape_spec *shape, double (*out)[3]) {
    if (shape->points.items) {
        memcpy(out, shape->points.items, (size_t)shape->points.count * sizeof *out);
    } else if (has(&shape->line.head)) {
        line_points(shape->line.from, shape->line.to, shape->line.segments, 0, out);
    } else if (has(&shape->helix.head)) {
        coil_points(&shape->helix, 0, shape->helix.segments, out);
    } else if (has(&shape->circle.head)) {
        const circle_spec *circle = &shape->circle;
        helix_spec round = {.radius = circle->radius, .turns = 1, .segments = circle->segments};
        memcpy(round.centre, circle->centre, sizeof round.centre);
        memcpy(round.axis, circle->axis, sizeof round.axis);
        coil_points(&round, 0, circle->segments - 1, out);
    } else {
        path_points(&shape->path, out);
    }
}
