// The engine as WebAssembly: tools/session behind a few functions that a page calls. Bytes pass through the module's
// memory: the page allocates, writes there, and passes the address.
//
//     at = engine_alloc(n); write n bytes at 'at'; engine_open(at, n); engine_free(at)
//     engine_advance(passed, max_work) regularly; if (engine_changed()) read engine_frame()
//
// The module imports one function, env.now (host.h).
#include "host.h"
#include "session/session.h"
#include <stdlib.h>

static session *at;
static size_t frame_size;

void *EXPORT(engine_alloc)(size_t size) {
    return malloc(size);
}

void EXPORT(engine_free)(void *bytes) {
    free(bytes);
}

// Opens a baked scene in place of the current one, which stays open if this fails.
int EXPORT(engine_open)(const void *baked, size_t size) {
    session *next;
    sn_status status = session_open(baked, size, &(session_options){.clock = host_now}, &next);
    if (status != SN_OK) return (int)status;
    session_close(at);
    at = next;
    frame_size = 0;
    return SN_OK;
}

int EXPORT(engine_message)(const void *bytes, size_t size) {
    return at ? (int)session_message(at, bytes, size) : SN_ERR_FORMAT;
}

int EXPORT(engine_advance)(double passed, double max_work) {
    return at ? session_advance(at, passed, max_work) : 0;
}

// The current frame, valid until the next call; NULL if there is none. engine_frame_size has its size.
const void *EXPORT(engine_frame)(void) {
    frame_size = 0;
    return at ? session_frame(at, &frame_size) : NULL;
}

size_t EXPORT(engine_frame_size)(void) {
    return frame_size;
}

int EXPORT(engine_changed)(void) {
    return at && session_changed(at);
}
