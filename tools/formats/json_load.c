// Jansson needs over a hundred bytes per value, so a small file can use much memory. Values and brackets are therefore
// counted before it parses the text.
#include "formats/json_load.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static json_place place_at(const char *text, size_t at) {
    json_place place = {1, 1};
    for (size_t i = 0; i < at; i++) {
        place.column += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (text[i] == '\n') place = (json_place){place.line + 1, 1};
    }
    return place;
}

enum { MAX_DEPTH = 64 };

bool json_fits(const char *text, size_t size, size_t max_values, size_t *at, tool_error *error) {
    size_t values = 1;
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') i++;
            if (c == '"') in_string = false;
            continue;
        }
        if (c == '"') in_string = true;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        values += c == ',' || c == '[' || c == '{' || c == ':';
        if (values > max_values) tool_error_set(error, "too large: more than %zu values", max_values);
        if (depth > MAX_DEPTH) tool_error_set(error, "too deep: more than %d nested brackets", MAX_DEPTH);
        if (values > max_values || depth > MAX_DEPTH) return *at = i, false;
    }
    return true;
}

static bool check_size(error_list *list, size_t max_values) {
    const char *nul = memchr(list->text, '\0', list->size);
    tool_error error;
    size_t at;
    if (nul) {
        at = (size_t)(nul - list->text);
        error_at_place(list, place_at(list->text, at), "a NUL byte; expected JSON text");
        return false;
    }
    if (json_fits(list->text, list->size, max_values, &at, &error)) return true;
    error_at_place(list, place_at(list->text, at), "%s", error.text);
    return false;
}

static void tell_duplicate(void *user, const json_path *path, json_place first, json_place again) {
    char where[240];
    json_path_text(path, where, sizeof where);
    error_at_place(user, again, "%s: appears twice, first in line %d, column %d", where, first.line, first.column);
}

json_t *json_load_text(error_list *list, size_t max_values) {
    if (!check_size(list, max_values)) return NULL;
    json_error_t error;
    json_t *root = json_loadb(list->text, list->size, JSON_REJECT_DUPLICATES, &error);
    if (!root && json_error_code(&error) == json_error_duplicate_key) {
        json_t *with_duplicates = json_loadb(list->text, list->size, 0, &error);
        if (with_duplicates) json_find_duplicates(list->text, list->size, tell_duplicate, list);
        root = with_duplicates;
    }
    if (!root) {
        for (char *c = error.text; *c; c++) {
            if (iscntrl((unsigned char)*c)) *c = '?';
        }
        json_place place = {error.line > 0 ? error.line : 1, error.column > 0 ? error.column : 1};
        error_at_place(list, place, "not JSON: %s", error.text);
    }
    return root;
}
