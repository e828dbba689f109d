// See view_engine.h. The thread polls several times per step whether one is due, and sleeps in between. It polls less
// often if nothing moves, and stops if nobody watches.
#include "view_engine.h"
#include "session/session.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_SECONDS  0.003 // between polls
#define IDLE_SECONDS  0.1   // when nothing moves
#define MAX_SECONDS   0.05  // of work at a time, before messages of pages are handled
#define STILL_SECONDS 0.5   // without a change until it counts as idle

struct view_engine {
    view_session *view;
    view_scenes *scenes;
    session *run;
    char scene[256];
    int workers;
    pthread_t thread;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool open_scene(view_engine *engine, const char *name, tool_error *error) {
    size_t size;
    if (!scenes_bake(engine->scenes, name, error)) return false;
    const void *baked = scenes_baked(engine->scenes, name, &size);
    session *run;
    sn_status status = session_open(baked, size, &(session_options){.workers = engine->workers, .clock = now}, &run);
    if (status != SN_OK) {
        tool_error_set(error, "%s", sn_status_name(status));
        return false;
    }
    session_close(engine->run);
    engine->run = run;
    snprintf(engine->scene, sizeof engine->scene, "%s", name);
    view_session_opened(engine->view, name);
    return true;
}

static void open_for(view_engine *engine, const char *name, const void *asker) {
    tool_error error;
    char words[TOOL_ERROR_SIZE + 256];
    if (strcmp(name, engine->scene) == 0) { // pages already have it
        static const uint32_t reset[] = {4};
        session_message(engine->run, reset, sizeof reset);
    } else if (!open_scene(engine, name, &error)) {
        snprintf(words, sizeof words, "The scene %.200s could not be opened: %s", name, error.text);
        view_session_report_error(engine->view, asker, words);
    }
}

// Messages are well-formed by now; one may still name what the run does not have, or memory may be short.
static void apply_messages(view_engine *engine, const view_session_orders *orders) {
    const unsigned char *at = orders->bytes;
    for (const unsigned char *end = at + orders->size; at < end;) {
        uint32_t length;
        memcpy(&length, at, sizeof length);
        const sn_status status = session_message(engine->run, at + sizeof length, length);
        at += sizeof length + length;
        if (status == SN_OK) continue;
        const char *reason = status == SN_ERR_FORMAT ? "the scene does not have that" : sn_status_name(status);
        view_session_report_error(engine->view, orders->driver, reason);
    }
}

static bool make_frame(view_engine *engine) {
    size_t size;
    const void *frame = session_frame(engine->run, &size);
    return frame && view_session_show(engine->view, frame, size);
}

static void *engine_main(void *argument) {
    view_engine *engine = argument;
    double last = now(), moved = last, wait = 0;
    for (;;) {
        view_session_orders orders = view_session_wait_orders(engine->view, wait);
        if (orders.quit) return NULL;
        double here = now(), passed = here - last;
        last = here;
        // Advances first, then handles messages: a run that resumes must not catch up with the time of its pause.
        bool stepped = orders.anybody && session_advance(engine->run, passed, MAX_SECONDS) > 0;
        bool told = orders.open || orders.size > 0, good = true;
        if (orders.open) open_for(engine, orders.open, orders.asker);
        apply_messages(engine, &orders);
        if (orders.first_frame || (orders.frame && session_changed(engine->run))) good = make_frame(engine);
        if (stepped || told) moved = here;
        wait = told ? 0 : good && here - moved < STILL_SECONDS ? POLL_SECONDS : IDLE_SECONDS;
    }
}

view_engine *engine_start(view_session *view, view_scenes *scenes, const char *scene, int workers, tool_error *error) {
    view_engine *engine = calloc(1, sizeof *engine);
    tool_error_out_of_memory(error);
    if (!engine) return NULL;
    *engine = (view_engine){.view = view, .scenes = scenes, .workers = workers};
    if (open_scene(engine, scene, error)) {
        if (pthread_create(&engine->thread, NULL, engine_main, engine) == 0) return engine;
        tool_error_set(error, "cannot start a thread");
    }
    session_close(engine->run);
    free(engine);
    return NULL;
}

void engine_join(view_engine *engine) {
    if (!engine) return;
    pthread_join(engine->thread, NULL);
    session_close(engine->run);
    free(engine);
}
