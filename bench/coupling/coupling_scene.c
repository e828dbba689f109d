// Scene files as worlds under measurement.
#include "coupling_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Replaces a field that has a number, such as "substeps": 4, by another number, or takes it out.
static void change(char *text, const char *field, int to) {
    char number[16] = "", *at = strstr(text, field);
    if (!at) return;
    char *end = strchr(at, ',');
    if (!end) return;
    snprintf(number, sizeof number, "%d", to);
    memset(at, ' ', (size_t)(end - at) + (to == 0));
    size_t size = strlen(field), digits = strlen(number);
    if (to == 0 || size + 1 + digits > (size_t)(end - at)) return;
    memcpy(at, field, size);
    at[size] = ':';
    memcpy(at + size + 1, number, digits);
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size > 0 ? calloc((size_t)size + 1, 1) : NULL;
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    }
    if (file) fclose(file);
    return text;
}

bool coupling_load(coupling_run *run, const char *path, int substeps) {
    char *text = read_text(path);
    sn_error error;
    if (!text) return false;
    change(text, "\"substeps\"", substeps);
    change(text, "\"contact_sweeps\"", 0);
    sn_world_def def = sn_world_def_default();
    if (run->settings->workers > 0) def.worker_count = run->settings->workers;
    sn_status status = sn_scene_parse(path, text, strlen(text), NULL, NULL, &run->scene, &error);
    sn_world_destroy(run->world);
    run->world = NULL;
    if (status == SN_OK) status = sn_scene_build(run->scene, &def, &run->world, &error);
    free(text);
    run->failed = status != SN_OK;
    return true;
}
