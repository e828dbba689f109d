// Scene files as worlds under measurement.
#include "coupling_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 }; // in a text, for what is inserted

// Takes a field such as "substeps": 4, out of a scene's text; places in the file stay.
static void leave_out(char *text, const char *field) {
    char *at = strstr(text, field), *end = at ? strchr(at, ',') : NULL;
    if (end) memset(at, ' ', (size_t)(end - at) + 1);
}

// Puts the field in, behind the opening brace.
static void put_substeps(char *text, int substeps) {
    char field[ROOM], *brace = strchr(text, '{');
    int size = snprintf(field, sizeof field, "\"substeps\": %d, ", substeps);
    if (!brace) return;
    memmove(brace + 1 + size, brace + 1, strlen(brace + 1) + 1);
    memcpy(brace + 1, field, (size_t)size);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size > 0 ? calloc((size_t)size + 1 + ROOM, 1) : NULL;
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    }
    if (file) fclose(file);
    return text;
}

bool coupling_load(coupling_run *run, const char *path, int substeps) {
    char *text = read_text(path);
    sn_error error;
    if (!text) return false;
    leave_out(text, "\"substeps\"");
    leave_out(text, "\"contact_sweeps\"");
    if (substeps > 0) put_substeps(text, substeps);
    sn_world_def def = sn_world_def_default();
    if (run->settings->workers > 0) def.worker_count = run->settings->workers;
    sn_status status = sn_scene_parse(path, text, strlen(text), NULL, NULL, &run->scene, &error);
    sn_world_destroy(run->world);
    run->world = NULL;
    if (status == SN_OK) status = sn_scene_build(run->scene, &def, &run->world, &error);
    free(text);
    run->failed = status != SN_OK;
    if (run->failed) fprintf(stderr, "%s: %s\n", run->result->name, error.text);
    return true;
}
