// sinew implicit: bakes the implicit skin of a character for programs that link the library, or into morph targets of its
// own file; or checks that it is not worse than plain skinning.
#include "command.h"
#include "formats/atomic_file.h"
#include "messages.h"
#include "options.h"
#include "scene/character.h"
#include "scene/character_check.h"
#include "scene/corrective_write.h"
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

// Reads the character of a file, with its warnings. Returns 0 on success.
static int read_character(const char *file, character *out) {
    tool_error error;
    if (!character_from_file(file, &disk_files, 1, out, &error)) {
        const bool named = strncmp(error.text, file, strlen(file)) == 0; // mesh readers include the file name
        return named ? bad_input(error.text) : bad_file(file, "%s", error.text);
    }
    for (int i = 0; i < out->notes.count; i++) fprintf(stderr, "%s: warning: %s\n", file, out->notes.text[i]);
    return EXIT_DONE;
}

static int from_mesh(const char *file, const char *output) {
    character c;
    tool_error error;
    sn_implicit_model *model = NULL;
    int *bone_of = NULL, code = read_character(file, &c);
    const sn_log log = {complain, (void *)(uintptr_t)file};
    if (code != EXIT_DONE) return code;
    code = EXIT_BAD_INPUT;
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

// Writes the file with corrective shapes, and says how far they are from the skin.
static int with_targets(const char *file, const char *output, const corrective_options *options) {
    character c;
    tool_error error;
    corrective_bake bake = {0};
    char names[2][1024];
    int code = read_character(file, &c);
    if (code != EXIT_DONE) return code;
    if (!corrective_bake_make(&c, options, &bake, &error)) {
        code = bad_file(file, "%s", error.text);
    } else if (!corrective_write(file, &disk_files, &c, &bake, output, names, &error)) {
        code = fail(EXIT_RUN_FAILED, "%s", error.text);
    } else {
        const char *const written[] = {output, names[0], names[1], NULL};
        const corrective_error *far[] = {&bake.baked, &bake.linear};
        printf("shapes       %d, with %d offsets for %d vertices\n", bake.set.target_count, bake.set.row_count,
               bake.set.vertex_count);
        for (int i = 0; i < 2; i++)
            printf("%s mean %.2f, 95 %% %.2f, most %.2f mm from the skin, over %d frames of %s\n",
                   i ? "without     " : "with shapes ", 1e3 * far[i]->mean, 1e3 * far[i]->p95, 1e3 * far[i]->max,
                   bake.frames,
                   options->unseen   ? options->unseen
                   : bake.from_clips ? "its clips"
                                     : "random poses");
        print_written(written, 3);
    }
    corrective_bake_free(&bake);
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

// --- check ---

static void print_score(const char *name, const skin_score *s) {
    printf("  %-10s %10.2f %8lld %10.2f %10.2f %9.3f%% %9.3f%%\n", name, s->crossings, s->max_crossings, s->stretched,
           s->squeezed, 100 * s->volume, 100 * s->worst_volume);
}

// Returns 0 if the implicit skin is not worse.
static int check_one(const char *file, const skin_check_options *options) {
    skin_report report = {0};
    tool_error error = {0};
    char worse[120];
    bool good;
    if (ends_with(file, ".json")) {
        sn_scene *scene = scene_read(file, &disk_files);
        const bool read = scene && scene->errors.count == 0;
        good = read && skin_check_scene(scene, &report, &error);
        if (scene && scene->errors.count) errors_print(&scene->errors, stderr);
        scene_free(scene);
        if (!good) return error.text[0] ? bad_file(file, "%s", error.text) : EXIT_BAD_INPUT;
    } else {
        good = skin_check_rig(file, &disk_files, options, &report, &error);
        const bool named = strncmp(error.text, file, strlen(file)) == 0; // mesh readers include the file name
        if (!good) return named ? bad_input(error.text) : bad_file(file, "%s", error.text);
    }
    skin_check_verdict(&report, worse, sizeof worse);
    printf("%s: %d vertices, %d frames\n  %-10s %10s %8s %10s %10s %10s %10s\n", file, report.vertices, report.frames,
           "mean of", "crossings", "most", "stretched", "squeezed", "volume", "most");
    print_score("linear", &report.score[SKIN_LINEAR]);
    print_score("dual", &report.score[SKIN_DUAL]);
    print_score("implicit", &report.score[SKIN_IMPLICIT]);
    printf("  bind pose off by %.2g, first frame by %.2g of the size\n  %s%s\n", report.bind, report.unsettled,
           worse[0] ? "WORSE: " : "ok", worse);
    fflush(stdout);
    return worse[0] ? EXIT_RUN_FAILED : EXIT_DONE;
}

int command_implicit(int count, char **arguments) {
    enum { MAX_FILES = 64 };
    static const char *const what[] = {"all", "clips", "poses", NULL};
    const char *files[MAX_FILES] = {NULL}, *output = NULL, *body = NULL, *unseen = NULL;
    int file_count = 0, measured = 0, targets = 32;
    double fps = 30;
    bool check = false;
    const option options[] = {
        option_output(
            &output, "OUT",
            "the file to write: for sn_implicit_model_restore; or OUT.glb: the glTF file with all that is in\n"
            "it, and the skin as corrective shapes on its skeleton, which its clips drive"),
        option_int("shapes", &targets, "N", 1, 1000, "of OUT.glb: how many at most; default 32"),
        option_text("unseen", &unseen, "CLIP", "of OUT.glb: the shapes are not made for this clip but measured in it"),
        option_text("body", &body, "NAME", "name of a character in the scene; default the first"),
        option_flag("check", &check,
                    "measures instead: triangles that cross, edges stretched over 2.5 or under 0.3 times, and volume,\n"
                    "beside plain skinning, over clips and extreme poses; exits with 1 if it is worse than dual\n"
                    "quaternions. Of scenes: the first character, after every step"),
        option_choice("measure", &measured, "WHAT", what, "of the check, for glTF files; default all"),
        option_number("fps", &fps, "F", 0, 1000, "of the check: frames per second of clips, default 30"),
        {.name = NULL},
    };
    const command_usage usage = {
        "implicit",
        "CHARACTER... (-o OUT [--body NAME] | -o OUT.glb [--shapes N] | --check)",
        "Bakes the implicit skin of a skinned glTF file, or of a character of a scene with "
        "its muscles, for\nprograms that link the library; or into corrective shapes of the glTF file, for any "
        "program.\nOr checks that it is not worse than plain skinning.",
        options,
        1,
        MAX_FILES};
    int code;
    if (!options_parse(&usage, count, arguments, files, &file_count, &code)) return code;
    if (check) {
        const skin_check_options checks = {measured != 2, measured != 1, fps};
        for (int i = 0; i < file_count; i++) {
            const int one = check_one(files[i], &checks);
            if (one > code) code = one;
        }
        return code;
    }
    if (file_count > 1) return fail(EXIT_BAD_INPUT, "bakes one CHARACTER at a time; --check takes several");
    if (!output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT");
    if (ends_with(output, ".glb"))
        return ends_with(files[0], ".json") ? fail(EXIT_BAD_INPUT, "shapes need a skinned glTF file, not a scene")
                                            : with_targets(files[0], output, &(corrective_options){targets, unseen});
    return ends_with(files[0], ".json") ? from_scene(files[0], body, output) : from_mesh(files[0], output);
}
