// Measures every body after every step; the time of that is not counted.
#include "report.h"
#include "view/view_kinds.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static void widen(report_range *range, double value) {
    if (value < range->min) range->min = value;
    if (value > range->max) range->max = value;
}

// The bodies that have volumes and lengths: pills, then surfaces.
static int count_bodies(const sn_world *world) {
    return view_count(world, VIEW_PILLS) + view_count(world, VIEW_SURFACE);
}

static sn_body body_at(const sn_world *world, int i) {
    const int pills = view_count(world, VIEW_PILLS);
    return i < pills ? view_at(world, VIEW_PILLS, i) : view_at(world, VIEW_SURFACE, i - pills);
}

static double length_of(const sn_world *world, sn_body body) {
    const view_kind *kind = view_kind_of(body);
    return kind && kind->length ? kind->length(world, body) : 0;
}

static void measure_body(run_report *report, const sn_world *world, sn_body body, double first_length) {
    const view_kind *kind = view_kind_of(body);
    if (kind->is_solid(world, body)) { // a cloth has no volume
        const double volume = sn_body_volume(world, body) / sn_body_rest_volume(world, body);
        if (!isfinite(volume)) report->finite = false;
        widen(&report->volume, volume);
    }
    if (kind->length) {
        const double length = length_of(world, body) / first_length;
        if (!isfinite(length)) report->finite = false;
        widen(&report->length, length);
    }
}

// Measures volumes, lengths, overlaps and energy now.
static void measure(run_report *report, sn_world *world) {
    for (int i = 0; i < report->bodies && i < count_bodies(world); i++)
        measure_body(report, world, body_at(world, i), report->first_lengths[i]);
    for (int i = 0, k = 0; i < view_count(world, VIEW_COVERED); i++) {
        const sn_body body = view_at(world, VIEW_COVERED, i);
        const view_kind *kind = view_kind_of(body);
        const double depth = kind->tube_penetration(world, body);
        for (int m = 0; m < kind->tube_count(world, body) && k < report->muscles; m++, k++)
            widen(&report->muscle_volume, kind->tube_volume(world, body, m) / report->first_muscles[k]);
        if (depth > report->muscle_penetration) report->muscle_penetration = depth;
    }
    for (int i = 0; i < report->envelopes.muscles; i++) {
        const double volume = envelope_volume(&report->envelopes, world, i);
        if (volume != 0) widen(&report->envelope, volume);
    }
    double penetration = sn_world_penetration(world);
    if (penetration > report->penetration) report->penetration = penetration;
    report->penetration_end = penetration;
    const sn_energy_balance energy = sn_world_energy_balance(world);
    report->energy_end = energy.kinetic + energy.elastic + energy.potential + energy.contact;
    if (!isfinite(report->energy_end)) report->finite = false;
    if (report->energy_end > report->energy_max) report->energy_max = report->energy_end;
    report->energy_rise = energy.rise;
    report->energy_work = energy.work;
    report->energy_climb = energy.climb;
    report->energy_scale = energy.scale;
}

bool report_start(run_report *report, const sn_scene *scene, sn_world *world, int64_t steps) {
    report->finite = true;
    report->envelope = (report_range){INFINITY, -INFINITY};
    if (!envelopes_open(&report->envelopes, scene, world)) return false;
    report->volume = report->length = report->muscle_volume = (report_range){INFINITY, -INFINITY};
    report->bodies = count_bodies(world);
    report->threads = sn_world_workers(world);
    report->lanes = sn_world_lanes(world);
    report->step_capacity = steps;
    report->step_ms = malloc((size_t)steps * sizeof *report->step_ms);
    report->first_lengths = malloc((size_t)report->bodies * sizeof *report->first_lengths + 1);
    for (int i = 0; i < view_count(world, VIEW_COVERED); i++) {
        const sn_body body = view_at(world, VIEW_COVERED, i);
        report->muscles += view_kind_of(body)->tube_count(world, body);
    }
    report->first_muscles = malloc((size_t)report->muscles * sizeof *report->first_muscles + 1);
    if (!report->step_ms || !report->first_lengths || !report->first_muscles) return false;
    for (int i = 0, k = 0; i < view_count(world, VIEW_COVERED); i++) {
        const sn_body body = view_at(world, VIEW_COVERED, i);
        const view_kind *kind = view_kind_of(body);
        for (int m = 0; m < kind->tube_count(world, body); m++)
            report->first_muscles[k++] = kind->tube_volume(world, body, m);
    }
    for (int i = 0; i < report->bodies; i++) report->first_lengths[i] = length_of(world, body_at(world, i));
    report->energy_max = -INFINITY;
    measure(report, world);
    report->energy_start = report->energy_end;
    return true;
}

void report_step(run_report *report, sn_world *world, double seconds) {
    sn_profile profile = sn_world_profile(world);
    if (report->steps < report->step_capacity) report->step_ms[report->steps] = 1000 * seconds;
    report->steps++;
    report->wall += seconds;
    report->line_searches += profile.line_searches;
    if (profile.diverged > 0) report->finite = false;
    report->diverged += profile.diverged;
    if (profile.contacts > report->contacts) report->contacts = profile.contacts;
    for (int i = 0; i < SN_STAGE_CAPACITY; i++) report->stage_ms[i] += profile.stage_ms[i];
    contact_report_add(&report->contact_pairs, world);
    measure(report, world);
}

void report_free(run_report *report) {
    free(report->step_ms);
    free(report->first_lengths);
    free(report->first_muscles);
    envelopes_free(&report->envelopes);
    contact_report_free(&report->contact_pairs);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double report_percentile(const run_report *report, double p) {
    size_t count = (size_t)report->steps;
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted) return 0;
    for (size_t i = 0; i < count; i++) sorted[i] = report->step_ms[i];
    qsort(sorted, count, sizeof *sorted, compare);
    double value = sorted[(size_t)(p * (double)(count - 1) + 0.5)];
    free(sorted);
    return value;
}

// JSON has no infinity; such a number becomes null.
static void set_number(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

// Without any volume or length the range is 1 to 1.
static json_t *range_object(report_range range) {
    json_t *object = json_object();
    if (range.min > range.max) range = (report_range){1, 1};
    set_number(object, "min", range.min);
    set_number(object, "max", range.max);
    return object;
}

static json_t *max_object(json_t *value) {
    json_t *object = json_object();
    json_object_set_new(object, "max", value);
    return object;
}

static json_t *steps_object(const run_report *report) {
    json_t *object = json_object();
    set_number(object, "p50", report_percentile(report, 0.5));
    set_number(object, "p99", report_percentile(report, 0.99));
    set_number(object, "max", report_percentile(report, 1));
    return object;
}

// The mean of each stage.
static json_t *stages_object(const run_report *report) {
    json_t *object = json_object();
    for (int i = 0; i < SN_STAGE_CAPACITY && sn_profile_stage_name(i); i++) {
        set_number(object, sn_profile_stage_name(i), report->stage_ms[i] / (double)(report->steps ? report->steps : 1));
    }
    return object;
}

static json_t *energy_object(const run_report *report) {
    json_t *object = json_object();
    set_number(object, "start", report->energy_start);
    set_number(object, "end", report->energy_end);
    set_number(object, "max", report->energy_max);
    set_number(object, "rise", report->energy_rise);
    set_number(object, "work", report->energy_work);
    set_number(object, "climb", report->energy_climb);
    set_number(object, "scale", report->energy_scale);
    return object;
}

static json_t *contact_pairs_array(const contact_report *list, const sn_scene *scene) {
    json_t *array = json_array();
    for (int i = 0; i < list->count; i++) {
        const contact_pair *pair = &list->pairs[i];
        char name[2][256];
        scene_label_text(scene, pair->label_a, name[0], sizeof name[0]);
        scene_label_text(scene, pair->label_b, name[1], sizeof name[1]);
        json_t *object = json_object();
        json_object_set_new(object, "a", json_string(name[0]));
        json_object_set_new(object, "b", json_string(name[1]));
        json_object_set_new(object, "count", json_integer(pair->steps));
        set_number(object, "force", pair->force);
        json_array_append_new(array, object);
    }
    return array;
}

bool report_write(FILE *out, run_report *report, const sn_scene *scene, const sn_world *world) {
    json_t *root = json_object();
    json_object_set_new(root, "scene", json_string(report->scene));
    json_object_set_new(root, "steps", json_integer(report->steps));
    set_number(root, "dt", report->dt);
    set_number(root, "seconds", report->simulated);
    json_object_set_new(root, "interrupted", json_boolean(report->interrupted));
    json_object_set_new(root, "threads", json_integer(report->threads));
    json_object_set_new(root, "lanes", json_integer(report->lanes));
    json_object_set_new(root, "dofs", json_integer(sn_world_dof_count(world)));
    json_object_set_new(root, "bodies", json_integer(sn_world_body_count(world)));
    json_object_set_new(root, "finite", json_boolean(report->finite));
    json_object_set_new(root, "diverged", json_integer(report->diverged));
    json_object_set_new(root, "hash", json_sprintf("0x%016llx", (unsigned long long)sn_world_hash(world)));
    set_number(root, "realtime", report->simulated / report->wall);
    json_object_set_new(root, "step_ms", steps_object(report));
    json_object_set_new(root, "stage_ms", stages_object(report));
    json_object_set_new(root, "line_searches", json_integer(report->line_searches));
    json_object_set_new(root, "volume", range_object(report->volume));
    if (report->envelope.min <= report->envelope.max)
        json_object_set_new(root, "envelope", range_object(report->envelope));
    json_object_set_new(root, "length", range_object(report->length));
    json_t *penetration = max_object(json_real(report->penetration));
    set_number(penetration, "end", report->penetration_end);
    json_object_set_new(root, "penetration", penetration);
    if (report->muscles > 0) {
        json_t *muscles = json_object();
        json_object_set_new(muscles, "volume", range_object(report->muscle_volume));
        set_number(muscles, "penetration_mm", 1000 * report->muscle_penetration);
        json_object_set_new(root, "muscles", muscles);
    }
    json_object_set_new(root, "contacts", max_object(json_integer(report->contacts)));
    json_object_set_new(root, "contact_pairs", contact_pairs_array(&report->contact_pairs, scene));
    json_object_set_new(root, "energy", energy_object(report));
    bool good = root && json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    fputc('\n', out);
    json_decref(root);
    return good;
}
