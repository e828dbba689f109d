// links: tools
// Messages of a page are checked in one place; what is wrong is said in words.
#include "session/page_message.h"
#include "session/page_text.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

// Whether a message is refused with these words.
static bool refused(const uint32_t *words, int count, const char *reason) {
    page_message message;
    tool_error error = {0};
    if (page_message_read(words, 4 * (size_t)count, &message, &error)) return false;
    if (strstr(error.text, reason)) return true;
    fprintf(stderr, "it says: %s\n", error.text);
    return false;
}

static bool text_refused(const char *text, const char *reason) {
    page_text said;
    tool_error error = {0};
    if (page_text_read(text, strlen(text), &said, &error)) return false;
    if (strstr(error.text, reason)) return true;
    fprintf(stderr, "it says: %s\n", error.text);
    return false;
}

TEST(valid_messages_keep_their_values) {
    page_message message;
    const uint32_t grab[7] = {MESSAGE_GRAB, 0x80000001u, 2, bits(0.5f), bits(-1), bits(2), bits(3e5f)};
    REQUIRE(page_message_read(grab, sizeof grab, &message, NULL));
    CHECK_INT(message.words, 7);
    CHECK_INT(message.u[0], MESSAGE_GRAB);
    CHECK(message.u[1] == 0x80000001u);
    CHECK_NEAR(message.f[6], 3e5, 0);
    for (uint32_t type = 1; type < MESSAGE_TYPES; type++) { // of each type exactly one length is valid
        const uint32_t ones[MESSAGE_MAX_WORDS] = {type, 1, 1, 1, 1, 1, 1, 1, 1};
        const uint32_t slow[2] = {type, bits(0.01f)};
        int lengths = 0;
        for (size_t n = 1; n <= MESSAGE_MAX_WORDS; n++) lengths += page_message_read(ones, 4 * n, &message, NULL);
        if (type == MESSAGE_SPEED) lengths += page_message_read(slow, sizeof slow, &message, NULL);
        CHECK_INT(lengths, 1);
    }
}

TEST(malformed_messages_are_refused_in_words) {
    page_message message;
    tool_error error = {0};
    const uint32_t long_one[MESSAGE_MAX_WORDS + 1] = {MESSAGE_RESET};
    CHECK(!page_message_read(NULL, 4, &message, &error));
    CHECK(!page_message_read(long_one, 0, &message, &error));
    CHECK(!page_message_read(long_one, 3, &message, &error));
    CHECK(!page_message_read(long_one, 6, &message, &error));
    CHECK(refused(long_one, MESSAGE_MAX_WORDS + 1, "4 to 36 bytes"));
    CHECK(refused((uint32_t[]){0}, 1, "types 1 to 15; this one has 0"));
    CHECK(refused((uint32_t[]){MESSAGE_TYPES}, 1, "types 1 to 15"));
    CHECK(refused((uint32_t[]){UINT32_MAX}, 1, "types 1 to 15"));
    CHECK(refused((uint32_t[]){MESSAGE_SET, 1}, 2, "SET has 3 words; this one has 2"));
    CHECK(refused((uint32_t[]){MESSAGE_PLAY, 2}, 2, "PLAY: on must be 0 to 1, is 2"));
    CHECK(refused((uint32_t[]){MESSAGE_STEP, 0}, 2, "STEP: count"));
    CHECK(refused((uint32_t[]){MESSAGE_STEP, 100001}, 2, "STEP: count"));
    CHECK(refused((uint32_t[]){MESSAGE_SPEED, bits(0.009f)}, 2, "SPEED: speed must be 0.01 to 10"));
    CHECK(refused((uint32_t[]){MESSAGE_SET, 10, bits(1)}, 3, "SET: parameter must be 0 to 9, is 10"));
    CHECK(refused((uint32_t[]){MESSAGE_SET, 0, bits(NAN)}, 3, "SET: value"));
    CHECK(refused((uint32_t[]){MESSAGE_DRAG, 0, bits(INFINITY), 0}, 4, "DRAG: y"));
    CHECK(refused((uint32_t[]){MESSAGE_WATCH, 4}, 2, "WATCH: bits must be 0 to 3"));
    CHECK(refused((uint32_t[]){MESSAGE_MUSCLE, 0, 0, 9, 0}, 5, "MUSCLE: number must be 0 to 8"));
}

TEST(texts_open_scenes_and_take_control) {
    page_text said;
    const char open[] = "{\"open\": \"stack\"}", drive[] = "{\"drive\": true}";
    REQUIRE(page_text_read(open, sizeof open - 1, &said, NULL));
    CHECK(strcmp(said.open, "stack") == 0 && !said.drive);
    REQUIRE(page_text_read(drive, sizeof drive - 1, &said, NULL));
    CHECK(said.open[0] == 0 && said.drive);
}

TEST(malformed_texts_are_refused_in_words) {
    CHECK(text_refused("", "not JSON"));
    CHECK(text_refused("{open", "not JSON"));
    CHECK(text_refused("[1, 2]", "an object with open or drive"));
    CHECK(text_refused("{}", "an object with open or drive"));
    CHECK(text_refused("{\"close\": true}", "unknown key \"close\""));
    CHECK(text_refused("{\"drive\": false}", "drive: must be true"));
    CHECK(text_refused("{\"open\": 3}", "open: must be the name of a scene"));
    CHECK(text_refused("{\"open\": \"\"}", "open: must be the name of a scene"));
    CHECK(text_refused("{\"open\": \"a\", \"open\": \"b\"}", "not JSON"));
    CHECK(text_refused("{\"open\": \"a\\u0000b\"}", "not JSON"));
    CHECK(text_refused("{\"open\": \"a\", \"more\": 1}", "unknown key"));
    char name[400] = "{\"open\": \"";
    memset(name + strlen(name), 'a', 300);
    strcat(name, "\"}");
    CHECK(text_refused(name, "1 to 255 bytes"));
}

// The parser recurses, and a thread's stack may be small.
TEST(deep_texts_are_refused_before_they_are_parsed) {
    enum { DEPTH = 4000 };
    char *deep = malloc(DEPTH + 1);
    REQUIRE(deep != NULL);
    memset(deep, '[', DEPTH);
    deep[DEPTH] = 0;
    CHECK(text_refused(deep, "too deep"));
    deep[500] = 0;
    CHECK(text_refused(deep, "too deep"));
    free(deep);
}
