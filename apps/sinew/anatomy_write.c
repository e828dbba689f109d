// Writes the scene: bones as rigid bodies, each rotating about its joint, muscles on their bones, and a motion in which
// one joint after the other bends and straightens while the muscles that this shortens are active. And the guesses, in
// the form in which a file may change them.
#include "anatomy.h"
#include "base/math/double3.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "mesh/maths.h"
#include "messages.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double begin = 0.3, phase_seconds = 2.0; // before the first joint bends; of each
static const double pi = 3.14159265358979323846;

static double smooth(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

// How far a joint is bent at a time, from 0 to 1.
static double bend_at(double t, int phase) {
    const double s = t - begin - phase * phase_seconds;
    return smooth(s / 0.9) * (1 - smooth((s - 1.1) / 0.8));
}

static double duration_of(const anatomy *a) {
    return begin + a->phases * phase_seconds + (a->phases ? 0 : 1);
}

static bool moves(const anatomy *a, int bone) {
    for (; bone >= 0; bone = a->item[bone].parent)
        if (a->item[bone].phase >= 0) return true;
    return false;
}

static void write_motion(FILE *out, const anatomy *a, int bone) {
    const int steps = (int)ceil(duration_of(a) / 0.1);
    fprintf(out, ",\n      \"motion\": {\"keys\": [");
    for (int n = 0; n <= steps; n++) {
        double degrees[16] = {0}, axis[3] = {1, 0, 0};
        const double t = 0.1 * n;
        for (int i = 0; i < a->count; i++)
            if (a->item[i].phase >= 0) degrees[a->item[i].phase] = a->item[i].degrees * bend_at(t, a->item[i].phase);
        const bone_pose pose = anatomy_pose(a, bone, degrees);
        const double sine = sqrt(d3_dot(pose.rotation + 1, pose.rotation + 1));
        for (int k = 0; k < 3 && sine > 1e-9; k++) axis[k] = pose.rotation[k + 1] / sine;
        fprintf(
            out,
            "%s\n        {\"t\": %.2f, \"position\": [%.6g, %.6g, %.6g], \"rotation\": {\"axis\": [%.6g, %.6g, %.6g], "
            "\"degrees\": %.6g}}",
            n ? "," : "", t, pose.to[0], pose.to[1], pose.to[2], axis[0], axis[1], axis[2],
            2 * own_atan2(sine, pose.rotation[0]) * 180 / pi);
    }
    fprintf(out, "]}");
}

static void write_bones(FILE *out, const anatomy *a) {
    const char *comma = "";
    fprintf(out, "  \"rigid_bodies\": [");
    for (int i = 0; i < a->count; i++) {
        const anatomy_item *bone = &a->item[i];
        if (bone->kind != ANATOMY_BONE) continue;
        const double *c = bone->centre;
        fprintf(out,
                "%s\n    {\"name\": \"%s\", \"mesh\": {\"file\": \"%s.rigs/%s.obj\", \"origin\": [%.6g, %.6g, %.6g]}, "
                "\"position\": [%.6g, %.6g, %.6g]",
                comma, bone->name, a->base, bone->name, c[0], c[1], c[2], c[0], c[1], c[2]);
        if (moves(a, i)) write_motion(out, a, i);
        fprintf(out, "}");
        comma = ",";
    }
    fprintf(out, "\n  ],\n");
}

static bool is_used(const anatomy_item *item) {
    return item->kind == ANATOMY_MUSCLE && !item->failed;
}

static void write_muscles(FILE *out, const anatomy *a) {
    const char *comma = "";
    fprintf(out, "  \"bodies\": [");
    for (int i = 0; i < a->count; i++) {
        const anatomy_item *muscle = &a->item[i];
        if (!is_used(muscle)) continue;
        fprintf(out, "%s\n    {\"kind\": \"muscle\", \"name\": \"%s\", \"rig\": \"%s.rigs/%s.rig.json\"", comma,
                muscle->name, a->base, muscle->name);
        fprintf(out, ", \"attach\": {");
        for (int end = 0; end < 2; end++) {
            fprintf(out, "%s\"%s\": {", end ? ", " : "", end ? "last" : "first");
            if (muscle->end_bone[end] >= 0) fprintf(out, "\"rigid_body\": \"%s\"", a->item[muscle->end_bone[end]].name);
            fprintf(out, "}");
        }
        fprintf(out, "}}");
        comma = ",";
    }
    fprintf(out, "\n  ],\n");
}

// A muscle is active while a joint bends that brings its ends nearer to each other.
static bool is_active(const anatomy *a, const anatomy_item *muscle, int bone) {
    const anatomy_item *joint = &a->item[bone];
    return joint->phase >= 0 && anatomy_crosses(a, muscle, bone) &&
           anatomy_shortening(a, muscle, bone, joint->degrees) > 0.01;
}

static void write_activation(FILE *out, const anatomy *a) {
    const char *comma = "";
    fprintf(out, "  \"activation\": [");
    for (int m = 0; m < a->count; m++) {
        const anatomy_item *muscle = &a->item[m];
        if (!is_used(muscle)) continue;
        bool first = true;
        for (int phase = 0; phase < a->phases; phase++)
            for (int i = 0; i < a->count; i++) {
                if (a->item[i].phase != phase || !is_active(a, muscle, i)) continue;
                const double t = begin + phase * phase_seconds;
                if (first)
                    fprintf(out, "%s\n    {\"body\": \"%s\", \"keys\": [{\"t\": 0, \"value\": 0}", comma, muscle->name);
                fprintf(out,
                        ", {\"t\": %.2f, \"value\": 0}, {\"t\": %.2f, \"value\": 0.6}, {\"t\": %.2f, \"value\": 0.6}, "
                        "{\"t\": %.2f, \"value\": 0}",
                        t + 0.01, t + 0.9, t + 1.1, t + 1.9);
                first = false, comma = ",";
            }
        if (!first) fprintf(out, "]}");
    }
    fprintf(out, "\n  ]\n");
}

// From outside and a little from the front, so that the hinges' axes point to the camera; up is the direction in which the body is longest, if that
// is y or z.
static void write_camera(FILE *out, const anatomy *a) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, away[3] = {0};
    for (int i = 0; i < a->count; i++) {
        float l[3], h[3];
        if (a->item[i].kind == ANATOMY_OTHER) continue;
        sn_mesh_box(&a->item[i].surface, l, h);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], (double)l[k]), high[k] = fmax(high[k], (double)h[k]);
        const double sign = d3_dot(away, a->item[i].axis) < 0 ? -1 : 1;
        for (int k = 0; k < 3 && a->item[i].phase >= 0; k++) away[k] += sign * a->item[i].axis[k];
    }
    const int up = high[2] - low[2] > high[1] - low[1] ? 2 : 1, forward = 3 - up;
    const double size =
        sqrt(own_pow(high[0] - low[0], 2) + own_pow(high[1] - low[1], 2) + own_pow(high[2] - low[2], 2));
    away[up] = 0;
    const double front = up == 1 ? 1 : -1; // bodies face +z if y is up, -y if z is
    const double outward = away[0] * (low[0] + high[0]) < 0 ? -1 : 1;
    double length = sqrt(d3_dot(away, away));
    for (int k = 0; k < 3 && length > 0; k++) away[k] *= outward / length;
    away[forward] += 0.6 * front;
    length = sqrt(d3_dot(away, away));
    for (int k = 0; k < 3; k++) away[k] /= length;
    fprintf(out,
            "  \"cameras\": [{\"name\": \"side\", \"position\": [%.4g, %.4g, %.4g], \"target\": [%.4g, %.4g, %.4g], "
            "\"up\": [0, %d, %d], \"degrees\": 24}],\n",
            0.5 * (low[0] + high[0]) + 2.3 * size * away[0], 0.5 * (low[1] + high[1]) + 2.3 * size * away[1],
            0.5 * (low[2] + high[2]) + 2.3 * size * away[2], 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]),
            0.5 * (low[2] + high[2]), up == 1, up == 2);
}

static bool write_scene(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const anatomy *a = what;
    fprintf(out, "{\n  \"comment\": \"made by sinew anatomy; change %s.guesses.json and make it again\",\n", a->base);
    fprintf(out, "  \"gravity\": [0, 0, 0],\n  \"duration\": %.4g,\n  \"substeps\": 2,\n", duration_of(a));
    write_camera(out, a);
    write_bones(out, a);
    write_muscles(out, a);
    write_activation(out, a);
    fprintf(out, "}\n");
    return true;
}

// ---- guesses

static const char *const kind_names[] = {"bone", "muscle", "other"};
static const char *const joint_names[] = {"fixed", "hinge", "ball"};

static void write_surface_guess(FILE *out, const anatomy *a, const anatomy_item *item) {
    fprintf(out, "    \"%s\": {\"kind\": \"%s\"", item->name, kind_names[item->kind]);
    if (is_used(item))
        for (int end = 0; end < 2; end++)
            if (item->end_bone[end] >= 0)
                fprintf(out, ", \"%s\": \"%s\"", end ? "last" : "first", a->item[item->end_bone[end]].name);
    if (item->choice && fields_has(item->choice, "rods")) fprintf(out, ", \"rods\": %d", item->choice->rods);
    if (item->choice && fields_has(item->choice, "slices")) fprintf(out, ", \"slices\": %d", item->choice->slices);
    if (!item->known) fprintf(out, ", \"comment\": \"no word of the name is known\"");
    if (is_used(item) && fmax(item->end_gap[0], item->end_gap[1]) > 0.02)
        fprintf(out, ", \"comment\": \"an end is %.0f mm from its bone\"",
                1000 * fmax(item->end_gap[0], item->end_gap[1]));
    fprintf(out, "}");
}

static bool write_guesses(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const anatomy *a = what;
    const char *comma = "";
    fprintf(out, "{\n  \"unit\": %g,\n  \"surfaces\": {\n", a->unit);
    for (int i = 0; i < a->count; i++) {
        fprintf(out, "%s", i ? ",\n" : "");
        write_surface_guess(out, a, &a->item[i]);
    }
    fprintf(out, "\n  },\n  \"joints\": {");
    for (int i = 0; i < a->count; i++) {
        const anatomy_item *b = &a->item[i];
        if (b->kind != ANATOMY_BONE || b->parent < 0) continue;
        fprintf(out, "%s\n    \"%s\": {\"parent\": \"%s\", \"kind\": \"%s\", \"centre\": [%.6g, %.6g, %.6g]", comma,
                b->name, a->item[b->parent].name, joint_names[b->joint], b->centre[0], b->centre[1], b->centre[2]);
        if (b->joint != JOINT_FIXED)
            fprintf(out, ", \"axis\": [%.6g, %.6g, %.6g], \"degrees\": %.4g", b->axis[0], b->axis[1], b->axis[2],
                    b->degrees);
        fprintf(out, ", \"comment\": \"from %s; the gap is %.1f mm\"}", b->joint_from, 1000 * b->gap);
        comma = ",";
    }
    fprintf(out, "\n  }\n}\n");
    return true;
}

int anatomy_write(anatomy *a) {
    char path[1400];
    tool_error error;
    if (!atomic_file_write(a->request->output, write_scene, a, &error)) return fail(EXIT_RUN_FAILED, "%s", error.text);
    snprintf(path, sizeof path, "%s/%s.guesses.json", a->output_folder, a->base);
    if (!atomic_file_write(path, write_guesses, a, &error)) return fail(EXIT_RUN_FAILED, "%s", error.text);
    return EXIT_DONE;
}
