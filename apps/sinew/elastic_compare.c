// See elastic_asset_commands.h.
#include "base/math/vec.h"
#include "command.h"
#include "elastic_asset_commands.h"
#include "messages.h"
#include "render/elastic_picture.h"
#include "render/picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FULL, REDUCED, HYPER, REST, STATE_COUNT };

// Largest distance between corresponding vertices.
static double max_distance(const sn_elastic_asset *a, const double *x, const double *y) {
    double largest = 0;
    for (int v = 0; v < a->vertex_count; v++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += (x[3 * v + k] - y[3 * v + k]) * (x[3 * v + k] - y[3 * v + k]);
        largest = fmax(largest, square);
    }
    return sqrt(largest);
}

static double size_of(const sn_elastic_asset *a, const double *rest) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (int i = 0; i < 3 * a->vertex_count; i++)
        low[i % 3] = fmin(low[i % 3], rest[i]), high[i % 3] = fmax(high[i % 3], rest[i]);
    for (int k = 0; k < 3; k++) square += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(square);
}

static void print(const sn_elastic_asset *a, double *const x[STATE_COUNT], const equilibrium_result result[3],
                  int samples) {
    const double size = size_of(a, x[REST]), full = max_distance(a, x[FULL], x[REST]);
    printf("%-12s vertices move by at most %.4g under gravity, %.3g %% of the body's size (%d unknowns)\n", "full",
           full, 100 * full / size, 3 * a->vertex_count);
    for (int i = REDUCED; i <= HYPER; i++) {
        const double own = max_distance(a, x[i], x[REST]), off = max_distance(a, x[i], x[FULL]);
        printf("%-12s by at most %.4g; at most %.4g from the full space, %.3g %% of the size (%d %s)\n",
               i == REDUCED ? "reduced" : "hyper", own, off, 100 * off / size, i == REDUCED ? a->tet_count : samples,
               i == REDUCED ? "tetrahedra" : "samples");
    }
    printf("%-12s %.6g, %.6g, %.6g J\n", "energy", result[FULL].energy, result[REDUCED].energy, result[HYPER].energy);
}

static bool draw(const sn_elastic_asset *a, const compare_request *request, double *const x[STATE_COUNT],
                 tool_error *error) {
    enum { WIDE = 960, HIGH = 400 };
    view_model view;
    const double *const shown[3] = {x[FULL], x[REDUCED], x[HYPER]};
    if (!elastic_picture_make(a, shown, 3, &view)) return tool_error_out_of_memory(error);
    const render_settings settings = {.width = WIDE,
                                      .height = HIGH,
                                      .samples = 32,
                                      .threads = request->threads,
                                      // From far away, so that perspective does not make equal shapes look different.
                                      .camera = picture_camera_from(&view, sn_v3(0, (sn_real)0.15, 1), 8, WIDE, HIGH)};
    const bool good = picture_write_png(request->picture, &view, &settings, error);
    view_model_free(&view);
    return good;
}

int elastic_compare(const sn_elastic_asset *a, const compare_request *request) {
    tool_error error;
    const size_t count = 3 * (size_t)a->vertex_count;
    double *x[STATE_COUNT], *buffer = malloc(STATE_COUNT * count * sizeof *buffer);
    equilibrium_result result[3];
    if (!buffer) return out_of_memory();
    for (int i = 0; i < STATE_COUNT; i++) x[i] = buffer + (size_t)i * count;
    for (int v = 0; v < a->vertex_count; v++)
        x[REST][3 * v] = (double)a->rest[v].x, x[REST][3 * v + 1] = (double)a->rest[v].y,
                    x[REST][3 * v + 2] = (double)a->rest[v].z;
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    int samples = request->samples ? request->samples : 20 * (a->handle_count + 1);
    if (samples > a->tet_count) samples = a->tet_count;
    bool good = equilibrium_reduced(&memory, a, &request->load, x[REDUCED], &result[REDUCED], &error);
    if (good) memcpy(x[FULL], x[REDUCED], count * sizeof **x); // a good initial guess
    good = good && equilibrium_full_space(a, &request->load, x[FULL], &result[FULL], &error) &&
           equilibrium_hyper_reduced(a, &request->load, samples, x[HYPER], &result[HYPER], &error);
    if (good && !request->quiet) print(a, x, result, samples);
    good = good && draw(a, request, x, &error);
    free(buffer);
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}
