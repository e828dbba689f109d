// A world that people watch and touch: what `sinew view` runs behind a socket and the page runs as WebAssembly. Both
// are this code and take the same messages, so one page serves both, and a run is the same bit for bit in either.
//
// A host opens a baked scene (bake.h), hands over messages from the page as they come, calls session_advance as time goes
// by, and sends frames back. docs/session-protocol.md has the bytes of messages and frames.
#ifndef SN_SESSION_SESSION_H
#define SN_SESSION_SESSION_H

#include "sinew/sinew.h"

typedef struct session session;

// What a host may ask for. Zero: the defaults.
typedef struct {
    int workers;           // threads that step; default 1
    size_t history_bytes;  // for states to go back to; default 64 MB
    double (*clock)(void); // seconds, any zero; only for the time that steps take
} session_options;

// Opens a baked scene; it starts paused at its first step. The bytes are copied. SN_ERR_FORMAT: not a baked scene.
sn_status session_open(const void *baked, size_t size, const session_options *options, session **out);
void session_close(session *s);

// Takes one message from a page. SN_ERR_FORMAT: malformed; nothing was changed.
sn_status session_message(session *s, const void *bytes, size_t size);

// Moves on by what has passed of real time, seconds: as many steps as fit, at the speed asked for, but no longer than
// 'most' seconds of work (a clock is needed for that): what does not fit is dropped, and the run is slower than real
// time. Returns the steps done.
int session_advance(session *s, double passed, double most);

// The state as a frame to send; valid until the next call. Null without memory.
const void *session_frame(session *s, size_t *size);

// Whether something has changed since the last frame.
bool session_changed(const session *s);

// The world, for tests.
sn_world *session_world(session *s);

#endif
