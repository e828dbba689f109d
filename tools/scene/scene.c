// Reads scenes: the file, its JSON, the fields of its objects, then checks across objects.
#include "scene/scene.h"
#include "formats/json_load.h"
#include "formats/quote.h"
#include "scene/scene_check.h"
#include "scene/scene_drive.h"
#include "scene/scene_kinds.h"
#include "scene/scene_skeleton.h"
#include "system/system.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static sn_scene *scene_new(const char *file, const file_source *files) {
    sn_scene *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    sn_memory_init(&made->memory, NULL);
    sn_arena_init(&made->arena, &made->memory);
    made->building = -1;
    made->files = files;
    size_t bytes = strlen(file) + 1;
    char *name = sn_arena_alloc(&made->arena, bytes, 1);
    if (!name) {
        free(made);
        return NULL;
    }
    made->file = memcpy(name, file, bytes);
    made->errors.file = made->file;
    return made;
}

void scene_free(sn_scene *scene) {
    if (!scene) return;
    scene_driver_free(scene);
    for (int k = 0; scene_kinds[k]; k++)
        if (scene_kinds[k]->free) scene_kinds[k]->free(scene);
    for (int i = 0; scene->bodies && i < scene->spec.bodies.count; i++)
        if (scene->bodies[i].form && !scene->bodies[i].shares_form)
            scene->bodies[i].kind->free_form(scene->bodies[i].form);
    scene_skeletons_free(scene);
    sn_free(&scene->memory, scene->ids, (size_t)scene->id_count, sizeof *scene->ids);
    sn_free(&scene->memory, scene->rigid_bodies, (size_t)scene->spec.rigid_bodies.count, sizeof *scene->rigid_bodies);
    sn_free(&scene->memory, scene->joints, (size_t)scene->joint_count, sizeof *scene->joints);
    sn_free(&scene->memory, scene->calls, (size_t)scene->call_capacity, sizeof *scene->calls);
    sn_arena_free(&scene->arena);
    json_decref(scene->names);
    json_decref(scene->rigid_names);
    json_decref(scene->rig_names);
    free(scene->text);
    free(scene);
}

// Parses and checks the text.
static void read_text(sn_scene *scene) {
    scene->errors.text = scene->text;
    scene->errors.size = scene->size;
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (scene->size >= 3 && memcmp(scene->text, byte_order_mark, 3) == 0) { // some editors write it; it has no meaning
        scene->errors.text += 3;
        scene->errors.size -= 3;
    }
    json_t *root = json_load_text(&scene->errors, SCENE_MAX_VALUES);
    if (!root) return;
    fields_reader reader = {&scene->arena, &scene->errors};
    fields_read(&reader, &scene_table, NULL, root, &scene->spec);
    json_decref(root);
    scene_check(scene);
}

sn_scene *scene_read(const char *file, const file_source *files) {
    sn_scene *made = scene_new(file, files);
    tool_error error;
    if (!made) return NULL;
    if (file_text_read(file, files, SCENE_MAX_FILE_BYTES, &made->text, &made->size, &error)) {
        read_text(made);
    } else {
        error_at_place(&made->errors, (json_place){0, 0}, "%s", error.text);
    }
    return made;
}

sn_scene *scene_parse(const char *name, const char *text, size_t size, const file_source *files) {
    sn_scene *made = scene_new(name, files);
    if (!made) return NULL;
    made->text = malloc(size + 1);
    if (!made->text) {
        scene_free(made);
        return NULL;
    }
    memcpy(made->text, text, size);
    made->text[size] = '\0';
    made->size = size;
    read_text(made);
    return made;
}

bool scene_beside(const sn_scene *scene, const char *file, char *out, size_t capacity) {
    const int folder = system_is_absolute(file) ? 0 : (int)(system_file_name(scene->file) - scene->file);
    const int length = snprintf(out, capacity, "%.*s%s", folder, scene->file, file);
    return length >= 0 && (size_t)length < capacity;
}

int64_t scene_step_count(const sn_scene *scene, double seconds) {
    double steps = ceil(seconds / scene->spec.step - 1e-6); // 5 s of 1/60 s are 300 steps, not 301
    return steps < 1 ? 1 : (int64_t)steps;
}

sn_body scene_find_point(const sn_scene *scene, const scene_body *body, int copy, int k, int *point) {
    const int points = body->points_per_copy / body->ids_per_copy;
    *point = k % points;
    return scene->ids[body->first + copy * body->ids_per_copy + k / points];
}

uint64_t scene_label(int body_index, int copy) {
    return ((uint64_t)body_index << 32 | (uint32_t)copy) + 1;
}

void scene_label_text(const sn_scene *scene, uint64_t label, char *out, size_t capacity) {
    uint64_t index = (label - 1) >> 32, copy = (label - 1) & 0xFFFFFFFFu;
    if (label == 0 || index >= (uint64_t)scene->spec.bodies.count) {
        snprintf(out, capacity, "a body of label %llu", (unsigned long long)label);
        return;
    }
    const scene_body *body = &scene->bodies[index];
    const char *kind = body->kind->table->name;
    char quoted[QUOTE_SIZE], which[48] = "";
    if (body->copies > 1) snprintf(which, sizeof which, ", copy %llu", (unsigned long long)copy);
    if (body->spec->name) {
        snprintf(out, capacity, "%s %s%s", kind, quote(body->spec->name, quoted), which);
    } else {
        snprintf(out, capacity, "bodies[%llu], a %s%s", (unsigned long long)index, kind, which);
    }
}
