// Fuzzes scene files: reading, and for what is small and has no errors also building; a rod is dropped on it, and it is
// stepped, saved, restored and stepped again. The mutator knows what scenes are made of: it takes keys and the kinds of
// their values from the tables that reading uses (formats/field_table.h), so that what comes out is often a scene. No file is read from disk: those that a scene names are not there.
// See README.md for how to build and run it.
// covers: tools/scene/*.c tools/formats/json_load.c tools/formats/json_where.c tools/formats/field_table.c tools/formats/error_list.c
// beyond: character* *_character* muscle_* *skeleton* elastic_cache* build_elastic: characters and bakes, which take seconds
// beyond: *read_mesh* read_skin read_rig read_tets read_bones scene_mesh_read scene_read: other files
// beyond: zoo_mesh make_octopus: "zoo" takes seconds
#include "fuzz_world.h"
#include "scene/scene_kinds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *text, const char *error) {
    if (good) return;
    fprintf(stderr, "not so: %s (%s)\n", text, error);
    abort();
}

// --- mutating ---

static unsigned below(unsigned *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

static double any_number(unsigned *seed, const field_row *f) {
    static const double usual[] = {0,     1,    -1,   0.5,  2,     3,     10,        0.1,  0.01,
                                   1e-3,  1e-6, 1e-9, 100,  1e4,   1e6,   1e9,       1e12, 1e300,
                                   -1e-3, -0.5, -10,  -1e9, 1e-30, 1e-40, 4000000.0, 60,   7};
    const double one = usual[below(seed, sizeof usual / sizeof *usual)];
    if (f->max <= f->min || below(seed, 8) == 0) return one;
    switch (below(seed, 6)) {
    case 0:
        return f->min;
    case 1:
        return f->max;
    case 2:
        return f->min + (f->max - f->min) * below(seed, 1000) / 1000;
    default:
        return fmin(fmax(one, f->min), f->max);
    }
}

static json_t *any_object(unsigned *seed, const field_table *type, int depth, bool kind);

static json_t *any_value(unsigned *seed, const field_row *f, int depth) {
    static const char *const texts[] = {"a", "b", "c", "skin", "x.obj", "x.rig.json", "rubber", "", "rod", "octopus"};
    json_t *list = json_array();
    const int count = f->min_count + (int)below(seed, 3);
    int choices = 0;
    while (f->choices && f->choices[choices]) choices++;
    if (f->type < FIELD_CHOICES || f->type == FIELD_OBJECT || f->type == FIELD_MAP) json_decref(list), list = NULL;
    switch (f->type) {
    case FIELD_TEXT:
        return json_string(texts[below(seed, sizeof texts / sizeof *texts)]);
    case FIELD_BOOL:
        return json_boolean(below(seed, 2));
    case FIELD_INT:
    case FIELD_SEED:
        return json_integer((json_int_t)fmin(fmax(any_number(seed, f), -9e15), 9e15));
    case FIELD_NUMBER:
        return json_real(any_number(seed, f));
    case FIELD_VEC3:
        return json_pack("[fff]", any_number(seed, f), any_number(seed, f), any_number(seed, f));
    case FIELD_CHOICE:
        return json_string(choices ? f->choices[below(seed, (unsigned)choices)] : "");
    case FIELD_CHOICES:
        for (int i = 0; i < count && choices; i++)
            json_array_append_new(list, json_string(f->choices[below(seed, (unsigned)choices)]));
        return list;
    case FIELD_INTS:
    case FIELD_NUMBERS:
        for (int i = 0; i < count; i++) {
            const double x = any_number(seed, f);
            json_array_append_new(list, f->type == FIELD_INTS ? json_integer((json_int_t)fmin(fmax(x, -9e15), 9e15))
                                                              : json_real(x));
        }
        return list;
    case FIELD_VECS:
        for (int i = 0; i < count; i++)
            json_array_append_new(list,
                                  json_pack("[fff]", any_number(seed, f), any_number(seed, f), any_number(seed, f)));
        return list;
    case FIELD_OBJECT:
        return any_object(seed, f->table, depth - 1, false);
    case FIELD_MAP:
        return json_pack("{so}", texts[below(seed, 4)], any_object(seed, f->table, depth - 1, false));
    case FIELD_LIST:
        for (int i = 0; i < count; i++) json_array_append_new(list, any_object(seed, f->table, depth - 1, false));
        return list;
    case FIELD_KINDS: {
        unsigned kinds = 0;
        while (f->kinds[kinds]) kinds++;
        for (int i = 0; i < count; i++)
            json_array_append_new(list, any_object(seed, f->kinds[below(seed, kinds)], depth - 1, true));
        return list;
    }
    }
    return list;
}

static const field_row *any_field(unsigned *seed, const field_table *type) {
    unsigned count = 0;
    while (type->fields[count].name) count++;
    return count ? &type->fields[below(seed, count)] : NULL;
}

static json_t *any_object(unsigned *seed, const field_table *type, int depth, bool kind) {
    json_t *made = json_object();
    for (const field_row *f = type->fields; depth > 0 && f->name; f++)
        if (f->flags & FIELD_REQUIRED) json_object_set_new(made, f->name, any_value(seed, f, depth));
    for (unsigned i = below(seed, 4); depth > 0 && i > 0; i--) {
        const field_row *f = any_field(seed, type);
        if (f) json_object_set_new(made, f->name, any_value(seed, f, depth));
    }
    if (kind) json_object_set_new(made, "kind", json_string(type->name));
    return made;
}

// Changes something in an object, or in one below it.
static void change(unsigned *seed, json_t *object, const field_table *type) {
    const char *key;
    json_t *value;
    unsigned nth = json_object_size(object) ? below(seed, (unsigned)json_object_size(object)) : 0;
    json_object_foreach(object, key, value) if (nth-- == 0) break;
    const field_row *f = NULL;
    for (const field_row *g = type->fields; key && g->name; g++)
        if (strcmp(g->name, key) == 0) f = g;
    const unsigned what = below(seed, 8);
    if (f && what < 5) { // down, if there is an object
        if (json_is_array(value) && json_array_size(value)) {
            const unsigned i = below(seed, (unsigned)json_array_size(value));
            json_t *item = json_array_get(value, i);
            if (below(seed, 8) == 0) {
                json_array_append(value, item);
                return;
            }
            if (f->type == FIELD_LIST && json_is_object(item)) {
                change(seed, item, f->table);
                return;
            }
            if (f->type == FIELD_KINDS && json_is_object(item)) {
                const char *kind = json_string_value(json_object_get(item, "kind"));
                for (int k = 0; kind && f->kinds[k]; k++)
                    if (strcmp(f->kinds[k]->name, kind) == 0) {
                        change(seed, item, f->kinds[k]);
                        return;
                    }
            }
        }
        if (f->type == FIELD_OBJECT && json_is_object(value)) {
            change(seed, value, f->table);
            return;
        }
        json_object_set_new(object, f->name, any_value(seed, f, 3));
        return;
    }
    if (key && what == 5) {
        json_object_del(object, key);
        return;
    }
    f = any_field(seed, type);
    if (f) json_object_set_new(object, f->name, any_value(seed, f, 3));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (below(&seed, 4) == 0) return LLVMFuzzerMutate(data, size, most);
    json_t *root = json_loadb((const char *)data, size, 0, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        if (below(&seed, 2)) return LLVMFuzzerMutate(data, size, most);
        root = json_pack("{s[{ssss{s[fff]si}}]}", "bodies", "kind", "rod", "name", "a", "line", "to", 1.0, 0.0, 0.0,
                         "segments", 4);
    }
    for (unsigned i = 1 + below(&seed, 3); i > 0 && root; i--) change(&seed, root, &scene_table);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    const size_t length = text ? strlen(text) : 0;
    if (text && length > 0 && length <= most) memcpy(data, text, size = length);
    free(text);
    return size;
}

// --- trying ---

// What is quick to build and to step. Elastic bodies are baked and characters fitted, which takes seconds.
static bool is_small(const sn_scene *s) {
    for (int i = 0; i < s->spec.bodies.count; i++)
        if (strcmp(s->bodies[i].kind->table->name, "elastic") == 0) return false;
    return s->character_count == 0 && s->point_count <= 400 && s->body_count <= 40 && s->id_count <= 60 &&
           s->spec.rigid_bodies.count <= 60 && s->spec.substeps <= 4 && s->spec.iterations <= 4;
}

static void try(sn_scene *scene) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    const sn_status status = scene_build(scene, &def, &world);
    check((status == SN_OK) == (world != NULL), "a world, or none", sn_status_name(status));
    check(status == SN_OK || status == SN_ERR_MEMORY || scene->errors.count > 0, "the error is told",
          sn_status_name(status));
    for (int i = 0; world && i < 3; i++) {
        const double dt = scene->spec.step;
        check(scene_drive(scene, world, i * dt, dt) != SN_ERR_BUSY, "it is driven", "");
        const sn_status stepped = sn_world_step(world, (sn_real)dt, scene->spec.substeps);
        check(fuzz_stepped(stepped), "it steps", sn_status_name(stepped));
        const sn_energy energy = sn_world_energy(world);
        check(isfinite(energy.kinetic) && isfinite(energy.elastic), "its energy is a number", "");
        const sn_body body = sn_world_body_at(world, 0);
        if (i == 0 && body.slot1) fuzz_touch(world, sn_body_bounds(world, body));
    }
    if (world) fuzz_compare(world);
    sn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char zoo[] = "\"zoo\""; // filling one of its surfaces takes seconds
    for (size_t i = 0; i + sizeof zoo <= size; i++)
        if (memcmp(data + i, zoo, sizeof zoo - 1) == 0) return 0;
    char *text = malloc(size ? size : 1); // of just this size, so that a byte too much is seen
    if (!text) return 0;
    memcpy(text, data, size);
    sn_scene *scene = scene_parse("x.json", text, size, NULL);
    if (scene) {
        if (scene->errors.count == 0 && is_small(scene)) try(scene);
        char *said = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&said, &length);
        if (out) {
            errors_print(&scene->errors, out);
            fclose(out);
            check((scene->errors.count > 0) == (length > 0), "errors are printed", said);
        }
        free(said);
    }
    scene_free(scene);
    free(text);
    return 0;
}
