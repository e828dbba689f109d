// A session: an interactive world. `sinew view` runs one behind a WebSocket, the page runs one as WebAssembly. Both are
// this code and take the same messages, so one page serves both, and results are the same bit for bit.
//
// A host opens a page (page_format.h), passes on the messages of the viewer, calls session_advance as time passes, and
// sends frames back. docs/session-protocol.md has the bytes of messages and frames.
#ifndef SN_SESSION_SESSION_H
#define SN_SESSION_SESSION_H

#include "sinew/sinew.h"

typedef struct session session;

// Zero: the defaults.
typedef struct {
    int workers;           // threads that step; default 1
    size_t history_bytes;  // memory for the history; default 64 MB
    double (*clock)(void); // seconds from any origin; only to measure steps
} session_options;

// Opens a page, paused at its first step. The bytes are copied. SN_ERR_FORMAT: not a valid page.
sn_status session_open(const void *page, size_t size, const session_options *options, session **out);
void session_close(session *s);

// Applies one message. SN_ERR_FORMAT: page_message_read refuses it, or there is no such muscle; nothing was changed.
sn_status session_message(session *s, const void *bytes, size_t size);

// Advances by `passed` seconds of real time: as many steps as fit at the chosen speed, but at most `max_work` seconds
// of computing (which needs a clock). The rest is dropped, and the session runs slower than real time. Returns the
// steps done.
int session_advance(session *s, double passed, double max_work);

// The state as a frame to send; valid until the next call. Null: out of memory.
const void *session_frame(session *s, size_t *size);

// Whether something has changed since the last frame.
bool session_changed(const session *s);

// The world, for tests.
sn_world *session_world(session *s);

#endif
