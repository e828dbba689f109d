// See page_message.h. One row of a table for each type: its name, and the name, kind and range of each value.
#include "session/page_message.h"
#include "session/session_internal.h"
#include <string.h>

#define ANY    4294967295.0 // of an unsigned integer
#define LENGTH 1e6          // largest length or speed

typedef struct {
    const char *name;
    enum { INTEGER, REAL } kind;
    double min, max;
} value_rule;

typedef struct {
    const char *name;
    int count;
    value_rule values[MESSAGE_MAX_WORDS - 1];
} message_rule;

#define REAL_RULE(name)                                                                                                \
    { name, REAL, -LENGTH, LENGTH }

static const message_rule rules[MESSAGE_TYPES] = {
    [MESSAGE_ACK] = {"ACK", 1, {{"frame", INTEGER, 0, ANY}}},
    [MESSAGE_PLAY] = {"PLAY", 1, {{"on", INTEGER, 0, 1}}},
    [MESSAGE_STEP] = {"STEP", 1, {{"count", INTEGER, 1, 100000}}},
    [MESSAGE_RESET] = {"RESET", 0, {{0}}},
    [MESSAGE_SPEED] = {"SPEED", 1, {{"speed", REAL, (double)0.01f, 10}}},
    [MESSAGE_SET] = {"SET", 2, {{"parameter", INTEGER, 0, SET_COUNT - 1}, REAL_RULE("value")}},
    [MESSAGE_GRAB] = {"GRAB",
                      6,
                      {{"body", INTEGER, 0, ANY},
                       {"segment", INTEGER, 0, ANY},
                       REAL_RULE("along"),
                       REAL_RULE("x"),
                       REAL_RULE("y"),
                       REAL_RULE("z")}},
    [MESSAGE_DRAG] = {"DRAG", 3, {REAL_RULE("x"), REAL_RULE("y"), REAL_RULE("z")}},
    [MESSAGE_DROP] = {"DROP", 0, {{0}}},
    [MESSAGE_SHOOT] = {"SHOOT",
                       8,
                       {REAL_RULE("x"), REAL_RULE("y"), REAL_RULE("z"), REAL_RULE("vx"), REAL_RULE("vy"),
                        REAL_RULE("vz"), REAL_RULE("radius"), REAL_RULE("density")}},
    [MESSAGE_SCRUB] = {"SCRUB", 1, {{"step", INTEGER, 0, ANY}}},
    [MESSAGE_WATCH] = {"WATCH", 1, {{"bits", INTEGER, 0, WATCH_CONTACTS | WATCH_MEASURES}}},
    [MESSAGE_CLEAR] = {"CLEAR", 0, {{0}}},
    [MESSAGE_MUSCLE] = {"MUSCLE",
                        4,
                        {{"character", INTEGER, 0, ANY},
                         {"muscle", INTEGER, 0, ANY},
                         {"number", INTEGER, 0, MUSCLE_ORIGIN - 1},
                         REAL_RULE("value")}},
    [MESSAGE_MUSCLE_BACK] = {"MUSCLE_BACK", 2, {{"character", INTEGER, 0, ANY}, {"muscle", INTEGER, 0, ANY}}},
};

bool page_message_read(const void *bytes, size_t size, page_message *out, tool_error *error) {
    *out = (page_message){0};
    if (!bytes || size < 4 || size % 4 != 0 || size > sizeof out->u)
        return tool_error_set(error, "a message has 4 to %zu bytes, in words of 4; this one has %zu", sizeof out->u,
                              size);
    memcpy(out->u, bytes, size);
    memcpy(out->f, bytes, size);
    const uint32_t type = out->u[0];
    if (type < MESSAGE_ACK || type >= MESSAGE_TYPES)
        return tool_error_set(error, "messages have types 1 to %d; this one has %u", MESSAGE_TYPES - 1, type);
    const message_rule *rule = &rules[type];
    out->words = rule->count + 1;
    if (size != 4 * (size_t)out->words)
        return tool_error_set(error, "%s has %d words; this one has %zu", rule->name, out->words, size / 4);
    for (int i = 0; i < rule->count; i++) {
        const value_rule *value = &rule->values[i];
        const double x = value->kind == REAL ? (double)out->f[i + 1] : (double)out->u[i + 1];
        if (!(x >= value->min && x <= value->max)) // NaN too
            return tool_error_set(error, "%s: %s must be %.6g to %.6g, is %.6g", rule->name, value->name, value->min,
                                  value->max, x);
    }
    return true;
}
