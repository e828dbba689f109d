// sinew bake: prepares a scene for the viewer's page.
#include "command.h"
#include "formats/atomic_file.h"
#include "messages.h"
#include "options.h"
#include "session/page_pack.h"
#include <stdlib.h>

static int bake(const char *file, const char *output, int points) {
    int all = 0, code = EXIT_RUN_FAILED;
    tool_error error = {.text = "out of memory"};
    sn_scene *scene = page_read_scene(file, points, &all);
    packed_page baked = {0};
    if (scene && page_pack(scene, all, &baked, &error)) {
        const atomic_file_bytes bytes = {baked.bytes, baked.size};
        code = atomic_file_write(output, atomic_file_write_bytes, &bytes, &error)
                   ? EXIT_DONE
                   : fail(EXIT_RUN_FAILED, "%s", error.text);
        if (code == EXIT_DONE && baked.bodies < all)
            printf("%s: %d of %d bodies, %.0f KB\n", output, baked.bodies, all, (double)baked.size / 1e3);
        else if (code == EXIT_DONE)
            printf("%s: %d bodies, %.0f KB\n", output, all, (double)baked.size / 1e3);
    } else if (scene && scene->errors.count > 0) {
        errors_print(&scene->errors, stderr);
        code = EXIT_BAD_INPUT;
    } else {
        fail(code, "%s: %s", file, error.text);
    }
    free(baked.bytes);
    scene_free(scene);
    return code;
}

int command_bake(int count, char **arguments) {
    const char *file = NULL, *output = NULL;
    int points = 0, files = 0;
    const option options[] = {
        option_output(&output, "OUT.snb", "the file to write"),
        option_int("points", &points, "N", 1, 4000000,
                   "reduce the copies of bodies to about N points in total; default all"),
        {.name = NULL},
    };
    const command_usage usage = {"bake",
                                 "SCENE -o OUT.snb [--points N]",
                                 "Prepares a scene for the viewer's page: its world, timeline and skins.",
                                 options,
                                 1,
                                 1};
    int code;
    if (!options_parse(&usage, count, arguments, &file, &files, &code)) return code;
    if (!output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT.snb");
    return bake(file, output, points);
}
