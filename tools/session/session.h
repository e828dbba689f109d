// A world that people watch and touch: what `sinew view` runs behind a socket and the page runs as WebAssembly. Both
// are this code and take the same messages, so one page serves both, and a run is the same bit for bit in either.
//
// A host opens a baked scene (bake.h), hands over messages from the page as they come, calls live_advance as time goes
// by, and sends frames back. docs/live-protocol.md has the bytes of messages and frames.
#ifndef SN_SESSION_SESSION_H
#define SN_SESSION_SESSION_H

#include "sinew/sinew.h"

typedef struct live live;

// What a host may ask for. Zero: the defaults.
typedef struct {
    int workers;           // threads that step; default 1
    size_t history_bytes;  // for states to go back to; default 64 MB
    double (*clock)(void); // seconds, any zero; only for the time that steps take
} live_options;

// Opens a baked scene; it starts paused at its first step. The bytes are copied. SN_ERR_FORMAT: not a baked scene.
sn_status live_open(const void *baked, size_t size, const live_options *options, live **out);
void live_close(live *at);

// Takes one message from a page. SN_ERR_FORMAT: malformed; nothing was changed.
sn_status live_message(live *at, const void *bytes, size_t size);

// Moves on by what has passed of real time, seconds: as many steps as fit, at the speed asked for, but no longer than
// 'most' seconds of work (a clock is needed for that): what does not fit is dropped, and the run is slower than real
// time. Returns the steps done.
int live_advance(live *at, double passed, double most);

// The state as a frame to send; valid until the next call. Null without memory.
const void *live_frame(live *at, size_t *size);

// Whether something has changed since the last frame.
bool live_changed(const live *at);

// The world, for tests.
sn_world *live_world(live *at);

#endif
