// A bone is a smooth union of a few pills: a shaft, and at its ends the joints and the attachments of muscles.
#include "zoo/bones.h"
#include "zoo/distance_fields.h"
#include "zoo/isosurface.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_PILLS = 16 };

typedef struct {
    const char *name;
    double smooth;
    int shaft;                // this many pills are the shaft, in pieces that do not bulge where they meet
    zoo_pill pill[MAX_PILLS]; // up to the first without a radius
} bone_form;

static const bone_form forms[ZOO_BONE_KINDS] = {
    [ZOO_HUMERUS] = {"humerus",
                     0.0028,
                     3,
                     {{{0.010, -0.030, 0.000}, 0.0135, {0.009, -0.080, 0.000}, 0.0102}, // shaft, in three
                      {{0.009, -0.080, 0.000}, 0.0102, {0.004, -0.190, -0.001}, 0.0090},
                      {{0.004, -0.190, -0.001}, 0.0090, {0.000, -0.258, 0.000}, 0.0095},
                      {{-0.001, 0.000, -0.001}, 0.0215, {0.003, -0.004, 0.000}, 0.0205},  // head
                      {{0.004, -0.008, 0.000}, 0.0170, {0.010, -0.030, 0.000}, 0.0145},   // neck
                      {{0.018, -0.004, 0.000}, 0.0120, {0.015, -0.028, 0.000}, 0.0110},   // greater tubercle
                      {{0.008, -0.010, 0.014}, 0.0070, {0.008, -0.030, 0.010}, 0.0060},   // lesser tubercle
                      {{0.011, -0.115, 0.001}, 0.0095, {0.011, -0.140, 0.001}, 0.0090},   // attachment of the deltoid
                      {{0.000, -0.250, 0.000}, 0.0080, {-0.022, -0.281, -0.003}, 0.0070}, // to the epicondyles
                      {{0.000, -0.250, 0.000}, 0.0080, {0.020, -0.281, -0.001}, 0.0075},
                      {{-0.022, -0.281, -0.003}, 0.0070, {-0.029, -0.283, -0.005}, 0.0055},
                      {{0.020, -0.281, -0.001}, 0.0075, {0.024, -0.284, -0.002}, 0.0060},
                      {{0.000, -0.265, 0.001}, 0.0080, {0.000, -0.288, 0.003}, 0.0065},   // between them
                      {{-0.019, -0.294, 0.003}, 0.0105, {-0.004, -0.294, 0.003}, 0.0085}, // trochlea
                      {{0.006, -0.293, 0.005}, 0.0085, {0.015, -0.293, 0.006}, 0.0098}}}, // capitulum
    [ZOO_RADIUS] = {"radius",
                    0.0024,
                    4,
                    {{{0.013, -0.320, 0.006}, 0.0070, {0.013, -0.336, 0.005}, 0.0060}, // neck
                     {{0.013, -0.336, 0.005}, 0.0060, {0.019, -0.420, 0.002}, 0.0062}, // shaft, bowed outward
                     {{0.019, -0.420, 0.002}, 0.0062, {0.018, -0.490, 0.002}, 0.0068},
                     {{0.018, -0.490, 0.002}, 0.0068, {0.014, -0.535, 0.002}, 0.0095},
                     {{0.0145, -0.3165, 0.006}, 0.0090, {0.0125, -0.3165, 0.006}, 0.0090},
                     {{0.0135, -0.3180, 0.0075}, 0.0090, {0.0135, -0.3180, 0.0045}, 0.0090}, // head: a disc
                     {{0.009, -0.340, 0.0075}, 0.0062, {0.009, -0.350, 0.0075}, 0.0055},     // attachment of the biceps
                     {{0.021, -0.543, 0.002}, 0.0105, {0.004, -0.545, 0.001}, 0.0095},       // wide at the wrist
                     {{0.022, -0.545, 0.002}, 0.0080, {0.025, -0.558, 0.001}, 0.0045}}},     // styloid
    [ZOO_ULNA] =
        {"ulna",
         0.0024,
         4,
         {{{-0.012, -0.318, -0.008}, 0.0095, {-0.014, -0.350, -0.006}, 0.0075}, // shaft
          {{-0.014, -0.350, -0.006}, 0.0075, {-0.018, -0.430, -0.004}, 0.0062},
          {{-0.018, -0.430, -0.004}, 0.0062, {-0.018, -0.520, -0.001}, 0.0056},
          {{-0.018, -0.520, -0.001}, 0.0056, {-0.019, -0.545, 0.000}, 0.0075},   // head
          {{-0.012, -0.280, -0.018}, 0.0085, {-0.012, -0.296, -0.0205}, 0.0090}, // olecranon
          {{-0.012, -0.296, -0.0205}, 0.0090, {-0.012, -0.316, -0.010}, 0.0085},
          {{-0.012, -0.316, -0.010}, 0.0085, {-0.012, -0.3195, 0.002}, 0.0070}, // coronoid process, around the trochlea
          {{-0.012, -0.3195, 0.002}, 0.0065, {-0.012, -0.314, 0.010}, 0.0040},
          {{-0.020, -0.545, -0.002}, 0.0050, {-0.023, -0.557, -0.004}, 0.0032}}}, // styloid
    [ZOO_FEMUR] = {"femur",
                   0.0045,
                   4,
                   {{{-0.075, -0.535, 0.000}, 0.0180, {-0.080, -0.600, 0.006}, 0.0145}, // shaft, bowed forward
                    {{-0.080, -0.600, 0.006}, 0.0145, {-0.090, -0.720, 0.012}, 0.0128},
                    {{-0.090, -0.720, 0.012}, 0.0128, {-0.104, -0.840, 0.007}, 0.0150},
                    {{-0.104, -0.840, 0.007}, 0.0150, {-0.113, -0.885, 0.004}, 0.0200},
                    {{-0.130, -0.500, 0.000}, 0.0230, {-0.128, -0.501, 0.000}, 0.0225},   // head
                    {{-0.125, -0.503, 0.000}, 0.0145, {-0.086, -0.528, -0.002}, 0.0150},  // neck
                    {{-0.070, -0.508, -0.006}, 0.0140, {-0.070, -0.535, -0.002}, 0.0165}, // greater trochanter
                    {{-0.088, -0.562, -0.014}, 0.0075, {-0.086, -0.575, -0.010}, 0.0065}, // lesser trochanter
                    {{-0.110, -0.875, 0.003}, 0.0170, {-0.138, -0.903, -0.002}, 0.0170},  // to the condyles
                    {{-0.110, -0.875, 0.003}, 0.0170, {-0.092, -0.903, -0.002}, 0.0170},
                    {{-0.139, -0.907, -0.014}, 0.0170, {-0.134, -0.907, 0.010}, 0.0155},  // medial condyle
                    {{-0.091, -0.907, -0.014}, 0.0172, {-0.096, -0.907, 0.012}, 0.0160},  // lateral condyle
                    {{-0.134, -0.900, 0.012}, 0.0130, {-0.096, -0.899, 0.014}, 0.0140}}}, // patellar surface
    [ZOO_TIBIA] = {"tibia",
                   0.0042,
                   4,
                   {{{-0.115, -0.962, 0.000}, 0.0230, {-0.117, -1.005, 0.002}, 0.0165}, // below it
                    {{-0.117, -1.005, 0.002}, 0.0160, {-0.120, -1.090, 0.004}, 0.0130}, // shaft
                    {{-0.120, -1.090, 0.004}, 0.0130, {-0.122, -1.200, 0.003}, 0.0108},
                    {{-0.122, -1.200, 0.003}, 0.0108, {-0.121, -1.275, 0.000}, 0.0145},
                    {{-0.092, -0.9535, -0.003}, 0.0165, {-0.096, -0.9535, -0.012}, 0.0160}, // plateau
                    {{-0.138, -0.9535, -0.003}, 0.0170, {-0.134, -0.9535, -0.012}, 0.0165},
                    {{-0.098, -0.9545, 0.002}, 0.0165, {-0.132, -0.9545, 0.002}, 0.0165},
                    {{-0.115, -0.9410, -0.004}, 0.0050, {-0.115, -0.9480, -0.004}, 0.0080}, // between the condyles
                    {{-0.114, -0.975, 0.017}, 0.0085, {-0.116, -1.000, 0.014}, 0.0075},     // tuberosity
                    {{-0.116, -1.287, 0.001}, 0.0135, {-0.128, -1.287, 0.000}, 0.0135},     // at the ankle
                    {{-0.134, -1.285, 0.001}, 0.0085, {-0.139, -1.306, 0.002}, 0.0060}}},   // malleolus
};

static double bone_field(const void *context, const double p[3]) {
    const bone_form *form = context;
    double d[MAX_PILLS] = {INFINITY};
    int count = 1; // the shaft is the first
    for (int i = 0; i < MAX_PILLS && form->pill[i].ra > 0; i++) {
        const double distance = zoo_pill_distance(&form->pill[i], p);
        if (i < form->shaft)
            d[0] = fmin(d[0], distance);
        else
            d[count++] = distance;
    }
    return zoo_smooth_union(d, count, form->smooth);
}

// Tries a grid with this cell size, or slightly finer ones if two sheets of the surface share a cell.
static bool try_cell(const bone_form *form, double *cell, int smoothing_passes, sn_mesh *out) {
    bool good = false;
    for (int attempt = 0; attempt < 6 && !good; attempt++) {
        zoo_iso iso = {.field = bone_field, .context = form, .cell = *cell, .smoothing_passes = smoothing_passes};
        for (int k = 0; k < 3; k++) iso.low[k] = INFINITY, iso.high[k] = -INFINITY;
        for (int i = 0; i < MAX_PILLS && form->pill[i].ra > 0; i++)
            for (int k = 0; k < 3; k++) {
                const zoo_pill *pill = &form->pill[i];
                const double margin = 2.5 * form->smooth + 1.5 * *cell; // blends bulge
                iso.low[k] = fmin(iso.low[k], fmin(pill->a[k] - pill->ra, pill->b[k] - pill->rb) - margin);
                iso.high[k] = fmax(iso.high[k], fmax(pill->a[k] + pill->ra, pill->b[k] + pill->rb) + margin);
            }
        good = zoo_isosurface(&iso, out);
        if (!good) *cell *= 0.93;
    }
    return good;
}

// The number of triangles is proportional to the inverse square of the cell size, so an attempt predicts the right
// size.
static bool make(const bone_form *form, double target, sn_mesh *out) {
    double cell = 0.005;
    bool good = try_cell(form, &cell, 0, out);
    for (int attempt = 0; attempt < 4 && good; attempt++) {
        cell *= sqrt(out->triangle_count / target);
        sn_mesh_free(out);
        good = try_cell(form, &cell, 12, out);
        if (good && fabs(out->triangle_count / target - 1) < 0.05) break;
    }
    return good && sn_mesh_make_normals(out);
}

const char *zoo_bone_name(zoo_bone_kind kind) {
    return forms[kind].name;
}

bool zoo_bone(zoo_bone_kind kind, int triangles, sn_mesh *out) {
    const bone_form *form = &forms[kind];
    float low[3], high[3];
    *out = (sn_mesh){0};
    if (triangles == 0) triangles = ZOO_BONE_DEFAULT_TRIANGLES;
    if (triangles < ZOO_BONE_MIN_TRIANGLES || triangles > ZOO_BONE_MAX_TRIANGLES) return false;
    bool good = make(form, triangles, out);
    if (good) good = (out->uv = calloc((size_t)out->vertex_count, sizeof *out->uv)) != NULL;
    if (!good) {
        sn_mesh_free(out);
        return false;
    }
    sn_mesh_box(out, low, high);
    for (int v = 0; v < out->vertex_count; v++)
        for (int k = 0; k < 2; k++) out->uv[v][k] = (out->position[v][k] - low[k]) / (high[k] - low[k]);
    strcpy(out->name, form->name);
    return true;
}
