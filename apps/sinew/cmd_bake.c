// sinew bake: makes a scene ready for the viewer's page.
#include "command.h"
#include "io/atomic_file.h"
#include "io/bake.h"
#include "options.h"
#include <stdlib.h>

static int bake(const char *file, const char *output, int points) {
    int all = 0, code = EXIT_RUN_FAILED;
    char why[256] = "out of memory";
    sn_scene *scene = bake_read(file, points, &all);
    baked_scene baked = {0};
    if (scene && bake_scene(scene, all, &baked, why)) {
        atomic_file to = {0};
        if (atomic_file_open(&to, output)) {
            fwrite(baked.bytes, 1, baked.size, to.out);
            if (atomic_file_commit(&to)) code = EXIT_DONE;
        }
        if (code != EXIT_DONE) fprintf(stderr, "sinew bake: %s\n", to.why);
        if (code == EXIT_DONE && baked.bodies < all)
            printf("%s: %d of %d bodies, %.0f KB\n", output, baked.bodies, all, (double)baked.size / 1e3);
        else if (code == EXIT_DONE)
            printf("%s: %d bodies, %.0f KB\n", output, all, (double)baked.size / 1e3);
    } else if (scene && scene->mistakes.count > 0) {
        mistakes_print(&scene->mistakes, stderr);
        code = EXIT_BAD_INPUT;
    } else {
        fprintf(stderr, "sinew bake: %s: %s\n", file, why);
    }
    free(baked.bytes);
    scene_free(scene);
    return code;
}

int command_bake(int count, char **arguments) {
    const char *file = NULL, *output = NULL;
    int points = 0, files = 0;
    const option options[] = {
        {.name = "output",
         .letter = 'o',
         .type = OPTION_TEXT,
         .out = &output,
         .value = "OUT",
         .help = "the file to write, usually .snb"},
        {.name = "points",
         .type = OPTION_INT,
         .out = &points,
         .value = "N",
         .help = "fewer copies of bodies, so that there are about N points at most; default all",
         .min = 1,
         .max = 4000000},
        {.name = NULL},
    };
    const command_usage usage = {
        "bake",
        "SCENE",
        "Makes a scene ready for the viewer's page: its world, what will be done to it, and its skins.",
        options,
        1,
        1};
    options_result parsed = options_parse(&usage, count, arguments, &file, &files);
    if (parsed != OPTIONS_GO_ON) return parsed == OPTIONS_HELPED ? EXIT_DONE : EXIT_BAD_INPUT;
    if (!output) {
        fprintf(stderr, "sinew bake: say where to: -o OUT.snb\nTry 'sinew bake --help'.\n");
        return EXIT_BAD_INPUT;
    }
    return bake(file, output, points);
}
