// links: tools
// Numbers in files do not depend on the program's locale. locale.sh runs this with one that has a decimal comma.
#include "sinew/tools/tools.h"
#include "test.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene_text[] =
    "{\"bodies\": [{\"kind\": \"rod\", \"points\": [[0, 1.5, 0], [0.125, 1.5, 0], [0.25, 1.75, 0]]}]}";

static char *read_all(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);
    *size = in && bytes ? fread(bytes, 1, 1 << 20, in) : 0;
    if (in) fclose(in);
    return bytes;
}

// Writes everything that has numbers in it as text, into a folder.
static void write_files(const char *folder) {
    const char *const names[] = {"run.obj", "run.vtp", "run.glb"};
    char path[160];
    sn_error error = {.text = ""};
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_capture *capture = NULL;
    sn_mesh *mesh = NULL;
    REQUIRE(sn_scene_parse("scene", scene_text, strlen(scene_text), NULL, NULL, &scene, &error) == SN_OK);
    REQUIRE(sn_scene_build(scene, NULL, &world, &error) == SN_OK);
    REQUIRE(sn_capture_create(scene, NULL, &capture, &error) == SN_OK);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK_INT(sn_capture_add_file(capture, path, &error), SN_OK);
    }
    CHECK_INT(sn_capture_frame(capture, world, &error), SN_OK);
    CHECK_INT(sn_scene_step(scene, world, &error), SN_OK);
    CHECK_INT(sn_capture_frame(capture, world, &error), SN_OK);
    CHECK_INT(sn_capture_finish(capture, world, &error), SN_OK);
    CHECK_STRING(error.text, "");
    sn_capture_destroy(capture), sn_world_destroy(world), sn_scene_destroy(scene);
    snprintf(path, sizeof path, "%s/run.obj", folder);
    CHECK_INT(sn_mesh_read(path, 0.5, &mesh, &error), SN_OK);
    snprintf(path, sizeof path, "%s/half.obj", folder);
    CHECK_INT(sn_mesh_write(mesh, path, &error), SN_OK);
    sn_mesh_destroy(mesh);
}

TEST(files_are_the_same_in_any_locale) {
    const char *const names[] = {"run.obj", "run.vtp", "run.glb", "half.obj"};
    char folders[2][64] = {"/tmp/sinew-locale-XXXXXX", "/tmp/sinew-locale-XXXXXX"}, path[2][160];
    for (int i = 0; i < 2; i++) {
        REQUIRE(mkdtemp(folders[i]) != NULL);
        setlocale(LC_ALL, i ? "" : "C");
        if (i && getenv("SN_COMMA_LOCALE")) CHECK_STRING(localeconv()->decimal_point, ",");
        write_files(folders[i]);
        char text[16];
        snprintf(text, sizeof text, "%.1f", 0.5);
        if (i && getenv("SN_COMMA_LOCALE")) CHECK_STRING(text, "0,5"); // the program's own locale is as before
    }
    setlocale(LC_ALL, "C");
    for (int k = 0; k < 4; k++) {
        size_t size[2];
        char *bytes[2];
        for (int i = 0; i < 2; i++) {
            snprintf(path[i], sizeof path[i], "%s/%s", folders[i], names[k]);
            bytes[i] = read_all(path[i], &size[i]);
            unlink(path[i]);
        }
        CHECK(size[0] > 0 && size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
        free(bytes[0]), free(bytes[1]);
    }
    rmdir(folders[0]), rmdir(folders[1]);
}
