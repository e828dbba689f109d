// sinew implicit: bakes the implicit skin of a character for programs that link the library.
#include "command.h"
#include "formats/atomic_file.h"
#include "messages.h"
#include "options.h"
#include "scene/character.h"
#include "scene/scene_character.h"
#include <stdlib.h>
#include <string.h>

static void complain(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)level, (void)code, (void)field;
    fprintf(stderr, "%s: %s\n", (const char *)user, text);
}

// Lists the bones in the order of the model's poses.
static void print_model(const char *output, const sn_implicit_model *model, size_t size, const int *bone_of, int count,
                        const char *(*name)(const void *of, int bone), const void *of) {
    const sn_implicit_asset *a = sn_implicit_model_asset(model);
    printf("%s: %d vertices, %d bones, %d muscles, %.0f KB\n", output, a->vertex_count, a->bone_count, a->muscle_count,
           (double)size / 1e3);
    for (int k = 0; k < count; k++)
        for (int b = 0; b < count; b++) {
            if (bone_of[b] != k) continue;
            printf("  bone %d: %s%s\n", k, name(of, b), a->bones[k].centre_count ? "" : " (without a field)");
        }
}

// Returns 0 on success, like a command.
static int keep(const char *output, const sn_implicit_model *model, size_t *size) {
    *size = sn_implicit_model_save(model, NULL, 0);
    void *bytes = malloc(*size);
    if (!bytes) return out_of_memory();
    tool_error error;
    sn_implicit_model_save(model, bytes, *size);
    const atomic_file_bytes all = {bytes, *size};
    const bool good = atomic_file_write(output, atomic_file_write_bytes, &all, &error);
    free(bytes);
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}

static const char *name_in_character(const void *of, int bone) {
    return ((const character *)of)->bones[bone].name;
}

static int from_mesh(const char *file, const char *output) {
    character c;
    tool_error error;
    sn_implicit_model *model = NULL;
    int *bone_of = NULL, code = EXIT_BAD_INPUT;
    const sn_log log = {complain, (void *)(uintptr_t)file};
    if (!character_from_file(file, &disk_files, 1, &c, &error)) {
        const bool named = strncmp(error.text, file, strlen(file)) == 0; // mesh readers include the file name
        return named ? bad_input(error.text) : bad_file(file, "%s", error.text);
    }
    for (int i = 0; i < c.notes.count; i++) fprintf(stderr, "%s: warning: %s\n", file, c.notes.text[i]);
    if (character_model(&c, &log, NULL, &model, &bone_of, &error)) {
        size_t size;
        code = keep(output, model, &size);
        if (code == EXIT_DONE) print_model(output, model, size, bone_of, c.bone_count, name_in_character, &c);
    } else {
        bad_file(file, "%s", error.text);
    }
    sn_implicit_model_destroy(model);
    free(bone_of);
    character_free(&c);
    return code;
}

typedef struct {
    const sn_scene *scene;
    int character;
} of_scene;

static const char *name_in_scene(const void *of, int bone) {
    const of_scene *one = of;
    return scene_character_bone_name(one->scene, one->character, bone);
}

static int from_scene(const char *file, const char *name, const char *output) {
    sn_scene *scene = scene_read(file, &disk_files);
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    int code = EXIT_BAD_INPUT, found = -1, copy, count, same;
    if (scene && scene->errors.count == 0) scene_build(scene, &def, &world);
    if (!scene || !world) {
        if (scene) errors_print(&scene->errors, stderr);
        scene_free(scene);
        return code;
    }
    for (int i = scene_character_count(scene); i-- > 0;) {
        const scene_body *body = scene_character_body(scene, i, &copy);
        if (!name || (body->spec->name && strcmp(body->spec->name, name) == 0)) found = i;
    }
    if (found >= 0) {
        const of_scene one = {scene, found};
        const sn_implicit_model *model = scene_character_model(scene, found, &same);
        size_t size;
        code = keep(output, model, &size);
        const int *bone_of = scene_character_bones(scene, found, &count);
        if (code == EXIT_DONE) print_model(output, model, size, bone_of, count, name_in_scene, &one);
    } else {
        bad_file(file, "it has no character%s%s%s", name ? " called \"" : "", name ? name : "", name ? "\"" : "");
    }
    sn_world_destroy(world);
    scene_free(scene);
    return code;
}

int command_implicit(int count, char **arguments) {
    const char *file = NULL, *output = NULL, *body = NULL;
    int files = 0;
    const option options[] = {
        option_output(&output, "OUT", "the file to write, for sn_implicit_model_restore"),
        option_text("body", &body, "NAME", "name of a character in the scene; default the first"),
        {.name = NULL},
    };
    const command_usage usage = {"implicit",
                                 "CHARACTER -o OUT [--body NAME]",
                                 "Bakes the implicit skin of a skinned glTF file, or of a character of a scene with "
                                 "its muscles, for\nprograms that link the library.",
                                 options,
                                 1,
                                 1};
    int code;
    if (!options_parse(&usage, count, arguments, &file, &files, &code)) return code;
    if (!output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT");
    return ends_with(file, ".json") ? from_scene(file, body, output) : from_mesh(file, output);
}
