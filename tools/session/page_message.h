// Messages of a page to its engine, checked in one place: the type, the number of words, and the range of each value.
// docs/session-protocol.md has them all. What depends on the run, such as whether a body exists, the session checks.
#ifndef SN_SESSION_PAGE_MESSAGE_H
#define SN_SESSION_PAGE_MESSAGE_H

#include "mesh/error.h"
#include <stddef.h>
#include <stdint.h>

enum {
    MESSAGE_ACK = 1,
    MESSAGE_PLAY,
    MESSAGE_STEP,
    MESSAGE_RESET,
    MESSAGE_SPEED,
    MESSAGE_SET,
    MESSAGE_GRAB,
    MESSAGE_DRAG,
    MESSAGE_DROP,
    MESSAGE_SHOOT,
    MESSAGE_SCRUB,
    MESSAGE_WATCH,
    MESSAGE_CLEAR,
    MESSAGE_MUSCLE,
    MESSAGE_MUSCLE_BACK,
    MESSAGE_TYPES
};

enum { MESSAGE_MAX_WORDS = 9 }; // with the type

// A valid message: the type, then its values. Each is in both arrays; one of them has its type.
typedef struct {
    int words;
    uint32_t u[MESSAGE_MAX_WORDS];
    float f[MESSAGE_MAX_WORDS];
} page_message;

// False: the message is invalid, and the error says what would be right.
bool page_message_read(const void *bytes, size_t size, page_message *out, tool_error *error);

#endif
