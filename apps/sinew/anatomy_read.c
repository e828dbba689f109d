// Reads the surfaces of a folder: names from the files', kinds and sides from names, one unit for all.
#include "anatomy.h"
#include "base/hash.h"
#include "command.h"
#include "formats/file_text.h"
#include "formats/json_load.h"
#include "formats/mesh_pose.h"
#include "formats/quote.h"
#include "mesh/array.h"
#include "mesh/decimate.h"
#include "mesh/maths.h"
#include "mesh/mesh_repair.h"
#include "messages.h"
#include "system/system.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what a file says instead of the guesses

#define KEY(n, t, place, words, ...)                                                                                   \
    { .name = n, .type = t, .offset = place, .help = words, __VA_ARGS__ }
#define END                                                                                                            \
    { .name = NULL }

static const char *const kind_names[] = {"bone", "muscle", "other", NULL};
static const char *const joint_names[] = {"fixed", "hinge", "ball", NULL};
static const field_row surface_fields[] = {
    KEY("kind", FIELD_CHOICE, offsetof(surface_choice, kind), "what it is", .choices = kind_names),
    KEY("first", FIELD_TEXT, offsetof(surface_choice, first), "the bone at a muscle's first end"),
    KEY("last", FIELD_TEXT, offsetof(surface_choice, last), "the bone at its last end"),
    KEY("rods", FIELD_INT, offsetof(surface_choice, rods), "of a muscle", .min = 1, .max = VIPER_MAX_RODS),
    KEY("slices", FIELD_INT, offsetof(surface_choice, slices), "of a muscle", .min = 2, .max = VIPER_MAX_SLICES),
    END,
};
static const field_table surface_table = {
    .name = "surface", .help = "A bone or a muscle.", .size = sizeof(surface_choice), .fields = surface_fields};
static const field_row joint_fields[] = {
    KEY("parent", FIELD_TEXT, offsetof(joint_choice, parent), "the bone that holds it"),
    KEY("kind", FIELD_CHOICE, offsetof(joint_choice, kind), "how it moves", .choices = joint_names),
    KEY("centre", FIELD_VEC3, offsetof(joint_choice, centre), "m"),
    KEY("axis", FIELD_VEC3, offsetof(joint_choice, axis), "about which it bends"),
    KEY("degrees", FIELD_NUMBER, offsetof(joint_choice, degrees), "how far it bends", .min = -180, .max = 180),
    END,
};
static const field_table joint_table = {
    .name = "joint", .help = "Between a bone and its parent.", .size = sizeof(joint_choice), .fields = joint_fields};
static const field_row choices_fields[] = {
    KEY("unit", FIELD_NUMBER, offsetof(anatomy_choices, unit), "metres per unit of the surfaces",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("surfaces", FIELD_MAP, offsetof(anatomy_choices, surfaces), "by name", .table = &surface_table),
    KEY("joints", FIELD_MAP, offsetof(anatomy_choices, joints), "by the name of the bone that moves",
        .table = &joint_table),
    END,
};
static const field_table choices_table = {
    .name = "anatomy", .help = "Choices.", .size = sizeof(anatomy_choices), .fields = choices_fields};

int anatomy_read_choices(anatomy *a) {
    size_t size;
    tool_error error;
    a->choices.head.type = &choices_table;
    if (!a->request->with) return EXIT_DONE;
    if (!file_text_read(a->request->with, &disk_files, (size_t)16 << 20, &a->choices_text, &size, &error))
        return bad_file(a->request->with, "%s", error.text);
    error_list *errors = calloc(1, sizeof *errors);
    if (!errors) return out_of_memory();
    errors->file = a->request->with, errors->text = a->choices_text, errors->size = size;
    json_t *json = json_load_text(errors, 1000000);
    fields_reader reader = {&a->arena, errors};
    if (json) fields_read(&reader, &choices_table, NULL, json, &a->choices);
    const int code = errors->count ? EXIT_BAD_INPUT : EXIT_DONE;
    errors_print(errors, stderr);
    free(errors);
    json_decref(json);
    return code;
}

// ---- names

// The name of a number in BodyParts3D's list, beside the surfaces: lines of number, tab, name.
static void look_up_name(const char *list, anatomy_item *item) {
    const size_t length = strlen(item->number);
    for (const char *line = list; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, item->number, length) != 0 || line[length] != '\t') continue;
        char name[ANATOMY_NAME + 8], number[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line + length + 1, "\t\r\n"), line + length + 1);
        for (char *c = name; *c; c++)
            if (*c == '.' || *c == '/') *c = ' ';
        anatomy_clean_name(name, item->name, sizeof item->name, number);
        return;
    }
}

static bool is_taken(const anatomy *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->item[i].name, name) == 0) return true;
    return false;
}

static void name_item(const anatomy *a, const char *list, const char *file, anatomy_item *item) {
    char name[ANATOMY_NAME];
    snprintf(item->file, sizeof item->file, "%s", file);
    anatomy_clean_name(file, name, sizeof name, item->number);
    snprintf(item->name, sizeof item->name, "%.80s", name);
    if (!*item->name && list) look_up_name(list, item);
    if (!*item->name) snprintf(item->name, sizeof item->name, "%s", item->number);
    snprintf(name, sizeof name, "%.80s", item->name);
    for (int copy = 2; is_taken(a, item->name); copy++) snprintf(item->name, sizeof item->name, "%.80s %d", name, copy);
    item->kind = anatomy_kind_of(item->name, &item->known);
    item->side = anatomy_side_of(item->name);
    for (int i = 0; i < a->choices.surfaces.count; i++) {
        const surface_choice *choice = (const surface_choice *)a->choices.surfaces.items + i;
        if (strcmp(choice->head.key, item->name) != 0) continue;
        item->choice = choice;
        if (fields_has(choice, "kind")) item->kind = (anatomy_kind)choice->kind, item->known = true;
    }
}

static int compare_items(const void *x, const void *y) {
    return strcmp(((const anatomy_item *)x)->file, ((const anatomy_item *)y)->file);
}

typedef struct {
    anatomy *a;
    bool failed; // out of memory
} file_listing;

static void add_file(void *context, const char *name) {
    file_listing *listing = context;
    anatomy *a = listing->a;
    if (name[0] == '.' || !mesh_name_is_known(name) || strlen(name) >= sizeof a->item->file || listing->failed) return;
    listing->failed = !ARRAY_RESERVE(a->item, a->capacity, a->count + 1);
    if (listing->failed) return;
    a->item[a->count] = (anatomy_item){.parent = -1, .phase = -1, .end_bone = {-1, -1}};
    strcpy(a->item[a->count++].file, name);
}

static int list_files(anatomy *a) {
    file_listing listing = {a, false};
    if (!system_is_folder(a->request->folder)) return bad_file(a->request->folder, "is no folder");
    system_list_folder(a->request->folder, add_file, &listing);
    if (listing.failed) return out_of_memory();
    if (a->count == 0) return bad_file(a->request->folder, "has no surfaces");
    qsort(a->item, (size_t)a->count, sizeof *a->item, compare_items);
    return EXIT_DONE;
}

static int name_items(anatomy *a) {
    char list_file[1200], *list = NULL;
    size_t size;
    tool_error error;
    const int count = a->count;
    snprintf(list_file, sizeof list_file, "%s/parts_list_e.txt", a->request->folder);
    if (file_text_exists(list_file, &disk_files))
        file_text_read(list_file, &disk_files, (size_t)16 << 20, &list, &size, &error);
    for (int i = 0; i < count; i++) {
        char file[sizeof a->item->file];
        strcpy(file, a->item[i].file);
        a->count = i; // names before it are taken
        name_item(a, list, file, &a->item[i]);
    }
    a->count = count;
    free(list);
    for (int i = 0; i < a->choices.surfaces.count; i++) {
        const surface_choice *choice = (const surface_choice *)a->choices.surfaces.items + i;
        char quoted[QUOTE_SIZE];
        if (!is_taken(a, choice->head.key))
            warn("%s: there is no surface %s", a->request->with, quote(choice->head.key, quoted));
    }
    return EXIT_DONE;
}

// ---- surfaces

static int read_surface(anatomy *a, anatomy_item *item) {
    char path[1400], *bytes = NULL;
    size_t size = 0;
    mesh_file file;
    sn_mesh found = {0}, repaired = {0};
    mesh_repair_report report;
    tool_error error = {0};
    float low[3], high[3];
    snprintf(path, sizeof path, "%s/%s", a->request->folder, item->file);
    if (!file_text_read(path, &disk_files, (size_t)1 << 30, &bytes, &size, &error))
        return bad_file(path, "%s", error.text);
    item->hash = sn_hash_bytes(0x616e61746f6d79, bytes, size);
    const bool parsed = mesh_parse(path, bytes, size, &disk_files, &file, &error);
    free(bytes);
    if (!parsed) return bad_input(error.text);
    item->stl = file.format == MESH_STL, item->gltf = file.format == MESH_GLTF;
    const mesh_repair_options options = mesh_repair_options_default();
    bool good = mesh_merge_at_rest(&file, &found) && mesh_repair(&found, &options, &repaired, NULL, &report);
    mesh_file_free(&file);
    if (good && repaired.triangle_count == 0) {
        sn_mesh_free(&found), sn_mesh_free(&repaired);
        return bad_file(path, "has no triangles");
    }
    const sn_decimate_options fewer = {item->kind == ANATOMY_BONE ? a->request->triangles : 4 * a->request->triangles,
                                       0};
    item->triangles = repaired.triangle_count;
    if (good && item->kind != ANATOMY_OTHER && repaired.triangle_count > fewer.triangles)
        good = sn_decimate(&repaired, &fewer, &item->surface);
    else if (good) {
        item->surface = repaired;
        repaired = (sn_mesh){0};
    }
    sn_mesh_free(&found), sn_mesh_free(&repaired);
    if (!good || !sn_mesh_make_normals(&item->surface)) return out_of_memory();
    sn_mesh_box(&item->surface, low, high);
    for (int k = 0; k < 3; k++) item->extent = fmax(item->extent, (double)high[k] - (double)low[k]);
    return EXIT_DONE;
}

// ---- the unit

// The unit in which the bones whose length is known are most nearly as long as in an adult; else that in which the
// largest surface is as long as bones and muscles are.
static void choose_unit(anatomy *a) {
    static const double units[] = {1, 0.1, 0.01, 0.001, 0.0254};
    static const char *const names[] = {"metres", "decimetres", "centimetres", "millimetres", "inches"};
    double sum = 0, largest = 0;
    int bones = 0, best = 0;
    bool stl = false;
    for (int i = 0; i < a->count; i++) {
        const anatomy_item *item = &a->item[i];
        const double length = item->kind == ANATOMY_BONE ? anatomy_length_of(item->name) : 0;
        largest = fmax(largest, item->extent), stl = stl || item->stl;
        if (length > 0 && item->extent > 0) sum += own_log(length / item->extent), bones++;
    }
    for (int u = 1; u < 5 && bones; u++)
        if (fabs(sum / bones - own_log(units[u])) < fabs(sum / bones - own_log(units[best]))) best = u;
    const mesh_unit guess = mesh_unit_guess(largest, stl);
    a->unit = bones ? units[best] : guess.metres;
    a->unit_from = bones ? names[best] : guess.name;
    if (fields_has(&a->choices, "unit")) a->unit = a->choices.unit, a->unit_from = "as the file says";
}

static bool scale_surface(const anatomy *a, anatomy_item *item) {
    for (int v = 0; v < item->surface.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            item->surface.position[v][k] = (float)((double)item->surface.position[v][k] * a->unit);
    item->extent *= a->unit;
    item->volume = sn_mesh_volume(&item->surface);
    if (item->kind != ANATOMY_BONE) return true;
    item->bone.mesh = &item->surface;
    item->bone.query = sn_mesh_query_build(&item->surface);
    item->bone.winding = sn_winding_make(&item->surface);
    return item->bone.query && item->bone.winding;
}

int anatomy_read_surfaces(anatomy *a) {
    int code = list_files(a);
    if (code == EXIT_DONE) code = name_items(a);
    for (int i = 0; i < a->count && code == EXIT_DONE; i++) {
        code = read_surface(a, &a->item[i]);
        progress_update(&a->bar, 0.15 * (i + 1) / a->count, a->item[i].name);
    }
    if (code != EXIT_DONE) return code;
    choose_unit(a);
    for (int i = 0; i < a->count; i++)
        if (!scale_surface(a, &a->item[i])) return out_of_memory();
    return EXIT_DONE;
}
