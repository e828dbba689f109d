// See capture.h.
#include "capture/capture.h"
#include "capture/scene_view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const exporter *format;
    char *path;
    void *self; // null: finished
} output;

struct capture {
    const export_options *options;
    output *outputs;
    int count;
    scene_view *view;   // if an output needs it
    view_spool *frames; // if an output needs it
    const char *spool_path;
    export_run run;
};

capture *capture_new(const export_options *options) {
    capture *made = calloc(1, sizeof *made);
    if (made) made->options = made->run.options = options;
    return made;
}

static bool out_of_memory(const char *path, tool_error *error) {
    tool_error_set(error, "cannot write %s: out of memory", path);
    return false;
}

bool capture_add_file(capture *c, const char *path, bool *bad_input, tool_error *error) {
    const exporter *format = exporter_find(path, error);
    *bad_input = !format || (c->options->camera && !export_find_camera(c->options, error));
    if (*bad_input) return false;
    output *grown = realloc(c->outputs, ((size_t)c->count + 1) * sizeof *grown);
    if (!grown) return out_of_memory(path, error);
    c->outputs = grown;
    output *made = &grown[c->count];
    *made = (output){.format = format, .path = strdup(path)};
    if (!made->path) return out_of_memory(path, error);
    made->self = format->open(path, c->options, error);
    if (made->self) {
        c->count++;
        return true;
    }
    free(made->path);
    return false;
}

// "cannot write NAME: ...", where NAME is the output beside which the spool lies.
static bool spool_failed(const capture *c, tool_error *error) {
    tool_error_set(error, "cannot write %s: %s", c->spool_path, strerror(errno));
    return false;
}

bool capture_start(capture *c, const sn_world *world, bool skins, tool_error *error) {
    bool frames = false;
    for (int i = 0; i < c->count; i++) {
        frames = frames || c->outputs[i].format->needs != EXPORT_WORLD;
        if (c->outputs[i].format->needs == EXPORT_SPOOL && !c->spool_path) c->spool_path = c->outputs[i].path;
    }
    if (!frames) return true;
    c->view = scene_view_new(c->options->scene, world, skins, error);
    if (!c->view) return false;
    c->run.model = scene_view_model(c->view);
    if (!c->spool_path) return true;
    c->frames = view_spool_create(c->run.model, c->spool_path);
    c->run.frames = c->frames;
    return c->frames || spool_failed(c, error);
}

bool capture_frame(capture *c, const sn_world *world, double time, tool_error *error) {
    c->run.world = world, c->run.time = time;
    if (c->view) {
        c->run.frame = scene_view_read(c->view, world, time);
        if (!c->run.frame) {
            tool_error_set(error, "out of memory for a frame");
            return false;
        }
    }
    if (c->frames && !view_spool_write(c->frames, c->run.frame)) return spool_failed(c, error);
    for (int i = 0; i < c->count; i++) {
        const output *o = &c->outputs[i];
        if (o->format->write && !o->format->write(o->self, &c->run, error)) return false;
    }
    return true;
}

bool capture_finish_file(capture *c, int i, const sn_world *world, tool_error *error) {
    output *o = &c->outputs[i];
    void *self = o->self;
    o->self = NULL;
    c->run.world = world;
    return o->format->finish(self, &c->run, error);
}

char *capture_companion(const capture *c, int i) {
    return exporter_companion(c->outputs[i].format, c->outputs[i].path);
}

void capture_free(capture *c) {
    if (!c) return;
    for (int i = 0; i < c->count; i++) {
        if (c->outputs[i].self) c->outputs[i].format->abort(c->outputs[i].self);
        free(c->outputs[i].path);
    }
    free(c->outputs);
    view_spool_free(c->frames);
    scene_view_free(c->view);
    free(c);
}
