// See page_text.h. Values and brackets are counted first, as in files, so that no text exhausts the parser's stack.
#include "session/page_text.h"
#include "formats/json_load.h"
#include "formats/quote.h"
#include <string.h>

enum { MAX_VALUES = 1000 };

static bool read_value(const char *key, const json_t *value, page_text *out, tool_error *error) {
    char quoted[QUOTE_SIZE];
    if (strcmp(key, "drive") == 0) {
        out->drive = json_is_true(value);
        return out->drive || tool_error_set(error, "drive: must be true");
    }
    if (strcmp(key, "open") != 0)
        return tool_error_set(error, "unknown key %s; there are open, drive", quote(key, quoted));
    const size_t length = json_string_length(value);
    if (length < 1 || length >= sizeof out->open)
        return tool_error_set(error, "open: must be the name of a scene, of 1 to %zu bytes", sizeof out->open - 1);
    memcpy(out->open, json_string_value(value), length + 1);
    return true;
}

bool page_text_read(const char *text, size_t size, page_text *out, tool_error *error) {
    *out = (page_text){0};
    size_t at;
    if (!json_fits(text, size, MAX_VALUES, &at, error)) return false;
    json_error_t reason;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &reason);
    if (!root) return tool_error_set(error, "not JSON");
    bool good = json_object_size(root) > 0 || tool_error_set(error, "must be an object with open or drive");
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value) good = good && read_value(key, value, out, error);
    json_decref(root);
    return good;
}
