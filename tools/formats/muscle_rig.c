// Reads rigs. It stops at the first error: programs write rigs, so one error is enough to see the problem.
#include "formats/muscle_rig.h"
#include "formats/json_load.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES  ((size_t)256 << 20)
#define MAX_VALUES 20000000

bool muscle_rig_alloc(muscle_rig *rig, int rods, int slices) {
    const size_t count = (size_t)rods * (size_t)slices;
    *rig = (muscle_rig){.rod_count = rods, .slice_count = slices};
    rig->points = calloc(count, sizeof *rig->points);
    rig->radii = calloc(count, sizeof *rig->radii);
    if (rig->points && rig->radii) return true;
    muscle_rig_free(rig);
    return false;
}

void muscle_rig_free(muscle_rig *rig) {
    free(rig->points);
    free(rig->radii);
    sn_mesh_free(&rig->skin);
    *rig = (muscle_rig){0};
}

// Reads a list of exactly `count` numbers from `low` to `high`.
static bool numbers(error_list *list, const json_t *from, const json_path *path, int count, double low, double high,
                    double *out) {
    if (!json_is_array(from) || json_array_size(from) != (size_t)count) {
        error_at(list, path, "must be a list of %d numbers", count);
        return false;
    }
    for (int i = 0; i < count; i++) {
        const json_t *item = json_array_get(from, (size_t)i);
        const json_path at = {path, NULL, (size_t)i};
        out[i] = json_number_value(item);
        if (json_is_number(item) && out[i] >= low && out[i] <= high) continue;
        error_at(list, &at, "must be a number from %g to %g", low, high);
        return false;
    }
    return true;
}

static bool read_rod(error_list *list, const json_t *from, const json_path *path, muscle_rig *rig, int rod) {
    const json_path points = {path, "points", 0}, radii = {path, "radii", 0};
    const json_t *items = json_object_get(from, "points");
    const int slices = rig->slice_count;
    if (!json_is_array(items) || json_array_size(items) != (size_t)slices) {
        error_at(list, json_is_array(items) ? &points : path, "needs \"points\", %d as the first rod has", slices);
        return false;
    }
    for (int k = 0; k < slices; k++) {
        const json_path at = {&points, NULL, (size_t)k};
        if (!numbers(list, json_array_get(items, (size_t)k), &at, 3, -1e6, 1e6, rig->points[rod * slices + k]))
            return false;
    }
    const json_t *sizes = json_object_get(from, "radii");
    return numbers(list, sizes, sizes ? &radii : path, slices, 1e-9, 1e6, rig->radii + (size_t)rod * (size_t)slices);
}

static bool read_rods(error_list *list, const json_t *root, muscle_rig *rig) {
    const json_path path = {NULL, "rods", 0};
    const json_t *rods = json_object_get(root, "rods");
    const size_t count = json_array_size(rods),
                 slices = json_array_size(json_object_get(json_array_get(rods, 0), "points"));
    if (count < 1 || count > RIG_MAX_RODS) {
        error_at_place(list, (json_place){1, 1}, "\"rods\" must be a list of 1 to %d rods", RIG_MAX_RODS);
        return false;
    }
    if (slices < 2 || slices > RIG_MAX_SLICES) {
        const json_path first = {&path, NULL, 0};
        error_at(list, &first, "needs \"points\", a list of 2 to %d", RIG_MAX_SLICES);
        return false;
    }
    if (!muscle_rig_alloc(rig, (int)count, (int)slices)) {
        error_at_place(list, (json_place){1, 1}, "does not fit into memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const json_path at = {&path, NULL, i};
        if (!read_rod(list, json_array_get(rods, i), &at, rig, (int)i)) return false;
    }
    return true;
}

static bool read_vertex(error_list *list, const json_t *skin, const json_path *path, int v, muscle_rig *rig) {
    static const char *const keys[] = {"vertices", "sections", "weights"};
    const double low[] = {-1e6, 0, 0}, high[] = {1e6, rig->slice_count - 1, 1};
    double values[3][4] = {{0}}, sum = 0;
    for (int i = 0; i < 3; i++) {
        const json_path key = {path, keys[i], 0}, at = {&key, NULL, (size_t)v};
        const json_t *row = json_array_get(json_object_get(skin, keys[i]), (size_t)v);
        if (!numbers(list, row, &at, i == 0 ? 3 : 4, low[i], high[i], values[i])) return false;
    }
    const json_path sections = {path, "sections", 0}, section = {&sections, NULL, (size_t)v};
    const json_path weights = {path, "weights", 0}, weight = {&weights, NULL, (size_t)v};
    for (int k = 0; k < 4; k++) {
        sum += values[2][k];
        if (values[1][k] == floor(values[1][k])) continue;
        error_at(list, &section, "must be numbers of cross-sections, 0 to %d", rig->slice_count - 1);
        return false;
    }
    if (!(sum > 1e-6)) {
        error_at(list, &weight, "must not all be 0");
        return false;
    }
    for (int k = 0; k < 3; k++) rig->skin.position[v][k] = (float)values[0][k];
    for (int k = 0; k < 4; k++) {
        rig->skin.joint[v][k] = (int)values[1][k];
        rig->skin.weight[v][k] = (float)(values[2][k] / sum);
    }
    return true;
}

static bool read_skin(error_list *list, const json_t *root, muscle_rig *rig) {
    const json_path path = {NULL, "skin", 0}, triangles_at = {&path, "triangles", 0};
    const json_t *skin = json_object_get(root, "skin"), *triangles = json_object_get(skin, "triangles");
    if (!skin || json_is_null(skin)) return true;
    const size_t vertices = json_array_size(json_object_get(skin, "vertices")), count = json_array_size(triangles);
    if (vertices < 3 || count < 1 || json_array_size(json_object_get(skin, "sections")) != vertices ||
        json_array_size(json_object_get(skin, "weights")) != vertices) {
        error_at(list, &path, "needs \"vertices\", as many \"sections\" and \"weights\", and \"triangles\"");
        return false;
    }
    if (!sn_mesh_alloc(&rig->skin, (int)vertices, (int)count, MESH_NORMAL | MESH_SKIN)) {
        error_at_place(list, (json_place){1, 1}, "does not fit into memory");
        return false;
    }
    for (size_t v = 0; v < vertices; v++)
        if (!read_vertex(list, skin, &path, (int)v, rig)) return false;
    for (size_t t = 0; t < count; t++) {
        const json_path at = {&triangles_at, NULL, t};
        double corners[3];
        if (!numbers(list, json_array_get(triangles, t), &at, 3, 0, (double)vertices - 1, corners)) return false;
        for (int k = 0; k < 3; k++) rig->skin.triangle[t][k] = (int)corners[k];
    }
    return sn_mesh_make_normals(&rig->skin);
}

static bool read_root(error_list *list, const json_t *root, muscle_rig *rig) {
    const char *what = json_string_value(json_object_get(root, "sinew"));
    const json_t *version = json_object_get(root, "version");
    if (!what || strcmp(what, "muscle") != 0) {
        error_at_place(
            list, (json_place){1, 1},
            "is not a muscle rig: it must start with \"sinew\": \"muscle\"; 'sinew viperize' writes such files");
        return false;
    }
    if (!json_is_integer(version) || json_integer_value(version) != 1) {
        error_at_place(list, (json_place){1, 1}, "\"version\" must be 1");
        return false;
    }
    return read_rods(list, root, rig) && read_skin(list, root, rig);
}

static void copy_first_error(const error_list *list, tool_error *error) {
    const json_place place = list->errors[0].place;
    if (place.line > 0)
        tool_error_set(error, "%s:%d:%d: %s", list->file, place.line, place.column, list->errors[0].text);
    else
        tool_error_set(error, "%s: %s", list->file, list->errors[0].text);
}

bool muscle_rig_parse(const char *name, const char *text, size_t size, muscle_rig *out, tool_error *error) {
    *out = (muscle_rig){0};
    error_list *list = calloc(1, sizeof *list);
    if (!list) return tool_error_set(error, "%s: does not fit into memory", name);
    list->file = name, list->text = text, list->size = size;
    json_t *root = json_load_text(list, MAX_VALUES);
    const bool good = root && list->count == 0 && read_root(list, root, out);
    if (!good && list->count > 0) copy_first_error(list, error);
    if (!good && list->count == 0) tool_error_set(error, "%s: does not fit into memory", name);
    if (!good) muscle_rig_free(out);
    json_decref(root);
    free(list);
    return good;
}

bool muscle_rig_read(const char *file, const file_source *files, muscle_rig *out, tool_error *error) {
    tool_error reason;
    char *text;
    size_t size;
    *out = (muscle_rig){0};
    if (!file_text_read(file, files, MAX_BYTES, &text, &size, &reason))
        return tool_error_set(error, "%s: %s", file, reason.text);
    const bool good = muscle_rig_parse(file, text, size, out, error);
    free(text);
    return good;
}
