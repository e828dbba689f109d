// A run is divided into pieces, and each line keeps two values per piece: the minimum and the maximum, in their order. So
// a chart takes the same memory for ten seconds and for ten hours, and shows every spike.
#include "capture/plot_scene.h"
#include "capture/plot.h"
#include "scene/scene_kinds.h"
#include "view/view_kinds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECES = 1000,   // of a run
    BODY_LINES = 24, // bodies that get lines of their own
    NAME_SIZE = 96
};

// One line of the chart while it grows.
typedef struct {
    char name[NAME_SIZE];
    double *t, *y;
    int count, capacity;
    int in_piece;                      // values of the current piece
    double low, high, low_at, high_at; // of them
} series;

enum { KINETIC, ELASTIC, GRAVITY, TOTAL, ENERGIES };
enum { SMALLEST, LARGEST, VOLUMES };

// A body of the world, and the index of the copy that it belongs to among all copies of the scene.
typedef struct {
    sn_body id;
    int copy;
} plotted_body;

struct scene_plot {
    const sn_scene *scene;
    int64_t steps_in_piece;
    double end;
    series energy[ENERGIES], volume[VOLUMES], penetration;
    bool has_volume;
    int body_count, body_total; // copies with lines of their own; of all
    plotted_body *bodies;       // of the world
    int world_body_count;
    double *now, *rest, *copy_energy; // of each copy
    series body_energy[BODY_LINES], body_volume[BODY_LINES];
};

// --- series ---

static bool series_start(series *s, const char *name, int64_t steps) {
    snprintf(s->name, sizeof s->name, "%s", name);
    s->capacity = 2 * (steps < PIECES ? (int)steps : PIECES) + 8; // and some for rounding
    s->t = malloc((size_t)s->capacity * sizeof *s->t);
    s->y = malloc((size_t)s->capacity * sizeof *s->y);
    return s->t && s->y;
}

static void series_add_point(series *s, double t, double y) {
    if (s->count == s->capacity) return; // more steps than expected
    s->t[s->count] = t;
    s->y[s->count++] = y;
}

static void series_end_piece(series *s) {
    if (s->in_piece == 0) return;
    const bool low_first = s->low_at <= s->high_at;
    series_add_point(s, low_first ? s->low_at : s->high_at, low_first ? s->low : s->high);
    if (s->in_piece > 1) series_add_point(s, low_first ? s->high_at : s->low_at, low_first ? s->high : s->low);
    s->in_piece = 0;
}

static void series_add(series *s, double t, double y, int64_t steps_in_piece) {
    const bool first = s->in_piece == 0;
    if (!isfinite(y) || first) { // NaN ends the piece, so that the line has a gap
        if (!first) series_end_piece(s);
        s->low = s->high = y;
        s->low_at = s->high_at = t;
    } else if (y < s->low) {
        s->low = y, s->low_at = t;
    } else if (y > s->high) {
        s->high = y, s->high_at = t;
    }
    s->in_piece++;
    if (s->in_piece >= steps_in_piece || !isfinite(y)) series_end_piece(s);
}

static void series_free(series *s) {
    free(s->t);
    free(s->y);
}

static plot_line series_line(series *s) {
    series_end_piece(s);
    return (plot_line){s->name, s->t, s->y, s->count};
}

// --- bodies ---

// The name of a copy of a body in a legend.
static void body_name(const scene_body *body, int copy, char out[NAME_SIZE]) {
    char number[48] = "";
    if (body->copies > 1) snprintf(number, sizeof number, " %d", copy);
    if (body->spec->name)
        snprintf(out, NAME_SIZE, "%.40s%s", body->spec->name, number);
    else
        snprintf(out, NAME_SIZE, "%s %d%s", body->kind->table->name, body->index, number);
}

// Iterates over all copies of all bodies; null after the last.
typedef struct {
    const sn_scene *scene;
    int index, copy; // of the next one
    int number;      // among all copies
} body_walk;

static const scene_body *next_body(body_walk *walk, int *copy) {
    while (walk->index < walk->scene->spec.bodies.count && walk->copy >= walk->scene->bodies[walk->index].copies) {
        walk->index++;
        walk->copy = 0;
    }
    if (walk->index >= walk->scene->spec.bodies.count) return NULL;
    *copy = walk->copy++;
    walk->number++;
    return &walk->scene->bodies[walk->index];
}

// Whether a body of the scene has a volume. Those with a surface may be open.
static bool has_volume(const scene_body *body) {
    return !body->kind->has_volume || body->kind->has_volume(body);
}

// The index of the copy that a body belongs to; -1: none.
static int copy_of(const sn_scene *scene, uint64_t label) {
    const uint64_t entry = (label - 1) >> 32, copy = (label - 1) & 0xFFFFFFFFu;
    if (label == 0 || entry >= (uint64_t)scene->spec.bodies.count) return -1;
    int first = 0;
    for (int i = 0; i < (int)entry; i++) first += scene->bodies[i].copies;
    return copy < (uint64_t)scene->bodies[entry].copies ? first + (int)copy : -1;
}

static bool find_bodies(scene_plot *plot, const sn_world *world) {
    static const view_form forms[] = {VIEW_PILLS, VIEW_SURFACE};
    const int all = view_count(world, VIEW_PILLS) + view_count(world, VIEW_SURFACE);
    const size_t copies = (size_t)plot->body_total + 1;
    plot->bodies = malloc(((size_t)all + 1) * sizeof *plot->bodies);
    plot->now = malloc(copies * sizeof *plot->now);
    plot->rest = malloc(copies * sizeof *plot->rest);
    plot->copy_energy = malloc(copies * sizeof *plot->copy_energy);
    if (!plot->bodies || !plot->now || !plot->rest || !plot->copy_energy) return false;
    for (int f = 0; f < 2; f++) {
        const int count = view_count(world, forms[f]);
        for (int i = 0; i < count; i++) {
            const sn_body id = view_at(world, forms[f], i);
            const int copy = copy_of(plot->scene, sn_body_label(world, id));
            if (copy >= 0 && copy < plot->body_total) plot->bodies[plot->world_body_count++] = (plotted_body){id, copy};
        }
    }
    return true;
}

// Volumes of each copy, now and at rest; kinetic, elastic and gravitational energy.
static void measure_copies(scene_plot *plot, const sn_world *world) {
    for (int i = 0; i < plot->body_total; i++) {
        plot->now[i] = plot->rest[i] = plot->copy_energy[i] = 0;
    }
    for (int i = 0; i < plot->world_body_count; i++) {
        const plotted_body *body = &plot->bodies[i];
        plot->now[body->copy] += sn_body_volume(world, body->id);
        plot->rest[body->copy] += sn_body_rest_volume(world, body->id);
        const sn_energy energy = sn_body_energy(world, body->id);
        plot->copy_energy[body->copy] += energy.kinetic + energy.elastic + energy.potential;
    }
}

// --- the chart ---

static bool start_all(scene_plot *plot, int64_t steps) {
    static const char *const energies[] = {"kinetic", "elastic", "of gravity", "total"};
    static const char *const volumes[] = {"smallest", "largest"};
    bool good = series_start(&plot->penetration, "deepest", steps);
    for (int i = 0; i < ENERGIES; i++) good = series_start(&plot->energy[i], energies[i], steps) && good;
    for (int i = 0; i < VOLUMES; i++) good = series_start(&plot->volume[i], volumes[i], steps) && good;
    body_walk walk = {.scene = plot->scene};
    for (int i = 0, copy; i < plot->body_count; i++) {
        char name[NAME_SIZE];
        const scene_body *body = next_body(&walk, &copy);
        body_name(body, copy, name);
        good = series_start(&plot->body_energy[i], name, steps) && good;
        good = series_start(&plot->body_volume[i], name, steps) && good;
    }
    return good;
}

scene_plot *scene_plot_new(const sn_scene *scene, const sn_world *world, int64_t steps) {
    scene_plot *plot = calloc(1, sizeof *plot);
    if (!plot) return NULL;
    plot->scene = scene;
    plot->steps_in_piece = (steps + PIECES) / PIECES;
    plot->body_total = scene->body_count;
    if (scene->spec.plot.bodies) plot->body_count = scene->body_count < BODY_LINES ? scene->body_count : BODY_LINES;
    if (start_all(plot, steps + 1) && find_bodies(plot, world)) return plot;
    scene_plot_free(plot);
    return NULL;
}

void scene_plot_free(scene_plot *plot) {
    if (!plot) return;
    series_free(&plot->penetration);
    for (int i = 0; i < ENERGIES; i++) series_free(&plot->energy[i]);
    for (int i = 0; i < VOLUMES; i++) series_free(&plot->volume[i]);
    for (int i = 0; i < BODY_LINES; i++) {
        series_free(&plot->body_energy[i]);
        series_free(&plot->body_volume[i]);
    }
    free(plot->bodies);
    free(plot->now);
    free(plot->rest);
    free(plot->copy_energy);
    free(plot);
}

static void add_bodies(scene_plot *plot, const sn_world *world, double t) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    body_walk walk = {.scene = plot->scene};
    int copy;
    measure_copies(plot, world);
    for (const scene_body *body; (body = next_body(&walk, &copy)) != NULL;) {
        const int i = walk.number - 1;
        const bool any = i < plot->body_total && has_volume(body) && plot->rest[i] != 0;
        const double volume = any ? plot->now[i] / plot->rest[i] : (double)NAN;
        if (i < plot->body_count) {
            series_add(&plot->body_volume[i], t, volume, plot->steps_in_piece);
            series_add(&plot->body_energy[i], t, plot->copy_energy[i], plot->steps_in_piece);
        }
        if (isnan(volume)) continue;
        plot->has_volume = true;
        low = fmin(low, volume);
        high = fmax(high, volume);
    }
    series_add(&plot->volume[SMALLEST], t, low, plot->steps_in_piece);
    series_add(&plot->volume[LARGEST], t, high, plot->steps_in_piece);
}

void scene_plot_add(scene_plot *plot, const sn_world *world, double t, double penetration) {
    const sn_energy energy = sn_world_energy(world);
    const double values[ENERGIES] = {energy.kinetic, energy.elastic, energy.potential,
                                     energy.kinetic + energy.elastic + energy.potential};
    for (int i = 0; i < ENERGIES; i++) series_add(&plot->energy[i], t, values[i], plot->steps_in_piece);
    add_bodies(plot, world, t);
    series_add(&plot->penetration, t, 100 * penetration, plot->steps_in_piece);
    plot->end = t;
}

// The lines of bodies that have a volume or an energy.
static int body_lines(scene_plot *plot, series *of, plot_line *out) {
    int count = 0;
    for (int i = 0; i < plot->body_count; i++) {
        const plot_line line = series_line(&of[i]);
        bool any = false;
        for (int k = 0; k < line.count && !any; k++) any = isfinite(line.y[k]);
        if (any) out[count++] = line;
    }
    return count;
}

void scene_plot_write(FILE *out, scene_plot *plot) {
    const scene_spec *spec = &plot->scene->spec;
    plot_line energies[ENERGIES], volumes[VOLUMES], bodies[BODY_LINES], swelling[BODY_LINES];
    const plot_line deepest = series_line(&plot->penetration);
    for (int i = 0; i < ENERGIES; i++) energies[i] = series_line(&plot->energy[i]);
    for (int i = 0; i < VOLUMES; i++) volumes[i] = series_line(&plot->volume[i]);
    const int with_energy = body_lines(plot, plot->body_energy, bodies);
    const int with_volume = body_lines(plot, plot->body_volume, swelling);
    const bool one = plot->body_total == 1; // minimum and maximum are the same
    if (one) volumes[0].name = "volume";
    plot_panel panels[3];
    int count = 0;
    if (with_energy)
        panels[count++] = (plot_panel){"Energy of each", "J", spec->plot.logarithmic, 0, bodies, with_energy};
    else
        panels[count++] = (plot_panel){"Energy", "J", false, 0, energies, ENERGIES};
    if (with_volume)
        panels[count++] = (plot_panel){"Volume over that at rest", "", false, 1e-3, swelling, with_volume};
    else if (plot->has_volume)
        panels[count++] = (plot_panel){"Volume over that at rest", "", false, 1e-3, volumes, one ? 1 : VOLUMES};
    panels[count++] = (plot_panel){"Penetration over the radius", "%", false, 1, &deepest, 1};
    char subtitle[200] = "";
    if (spec->plot.bodies && plot->body_total > plot->body_count)
        snprintf(subtitle, sizeof subtitle, "curves of the first %d of %d bodies", plot->body_count, plot->body_total);
    const plot_chart chart = {.title = spec->title ? spec->title : plot->scene->file,
                              .subtitle = *subtitle ? subtitle : NULL,
                              .end = plot->end,
                              .panels = panels,
                              .panel_count = count};
    plot_write(out, &chart);
}
