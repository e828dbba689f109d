// Scans JSON text that is known to be well formed: it needs to recognise only strings, brackets and commas.
#include "formats/json_where.h"
#include "formats/quote.h"
#include <ctype.h>
#include <jansson.h>
#include <string.h>

typedef struct {
    const char *text;
    size_t at, size;
} scanner;

static void skip_space(scanner *s) {
    while (s->at < s->size && strchr(" \t\r\n", s->text[s->at]) && s->text[s->at]) s->at++;
}

static char peek(const scanner *s) {
    return s->at < s->size ? s->text[s->at] : '\0';
}

// Skips a string, from its opening quote to after the closing one.
static void skip_string(scanner *s) {
    s->at++;
    while (s->at < s->size && s->text[s->at] != '"') s->at += s->text[s->at] == '\\' ? 2 : 1;
    s->at++;
    if (s->at > s->size) s->at = s->size;
}

// Skips a whole value, however deep: counting brackets is enough.
static void skip_value(scanner *s) {
    size_t depth = 0;
    while (s->at < s->size) {
        char c = peek(s);
        if (c == '"') {
            skip_string(s);
        } else {
            bool ends = c == ',' || c == '}' || c == ']';
            if (depth == 0 && ends) return;
            if (c == '{' || c == '[') depth++;
            if (c == '}' || c == ']') depth--;
            s->at++;
        }
    }
}

// The decoded key between its opening quote at `start` and its end at s->at, as a Jansson string. Null: out of memory.
static json_t *decode_key(const scanner *s, size_t start) {
    return json_loadb(s->text + start, s->at - start, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static bool key_is(const scanner *s, size_t start, const char *key) {
    size_t length = strlen(key), raw = s->at - start;
    if (raw < 2) return false;
    if (!memchr(s->text + start, '\\', raw)) return raw - 2 == length && memcmp(s->text + start + 1, key, length) == 0;
    json_t *decoded = decode_key(s, start);
    bool same = json_string_length(decoded) == length && memcmp(json_string_value(decoded), key, length) == 0;
    json_decref(decoded);
    return same;
}

// From '{', goes to the value of a member and sets *key_at. False: no such member; s is after the object.
static bool enter_member(scanner *s, const char *key, size_t *key_at) {
    if (peek(s) != '{') return false;
    s->at++;
    for (;;) {
        skip_space(s);
        if (peek(s) != '"') return false;
        size_t start = s->at;
        skip_string(s);
        bool found = key_is(s, start, key);
        skip_space(s);
        if (peek(s) == ':') s->at++;
        skip_space(s);
        if (found) {
            *key_at = start;
            return true;
        }
        skip_value(s);
        if (peek(s) != ',') return false;
        s->at++;
    }
}

// From '[', goes to an element.
static bool enter_element(scanner *s, size_t index) {
    if (peek(s) != '[') return false;
    s->at++;
    for (size_t i = 0;; i++) {
        skip_space(s);
        if (peek(s) == ']') return false;
        if (i == index) return true;
        skip_value(s);
        if (peek(s) != ',') return false;
        s->at++;
    }
}

static json_place place_of(const char *text, size_t at) {
    json_place place = {1, 1};
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) { // not a byte inside a UTF-8 character
            place.column++;
        }
    }
    return place;
}

// Walks to the value of a path. False: a step does not exist; *best is then the value above it.
static bool walk(scanner *s, const json_path *path, size_t *key_at, size_t *best) {
    if (!path) {
        skip_space(s);
        *best = *key_at = s->at;
        return true;
    }
    if (!walk(s, path->parent, key_at, best)) return false;
    if (path->key) {
        if (!enter_member(s, path->key, key_at)) return false;
    } else {
        if (!enter_element(s, path->index)) return false;
        *key_at = s->at;
    }
    *best = s->at;
    return true;
}

bool json_where(const char *text, size_t size, const json_path *path, bool of_key, json_place *out) {
    scanner s = {text, 0, size};
    size_t key_at = 0, best = 0;
    bool found = walk(&s, path, &key_at, &best);
    *out = place_of(text, found && of_key ? key_at : best);
    return found;
}

static bool is_plain_word(const char *key) {
    if (!*key) return false;
    for (const char *c = key; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-' && *c != '$') return false;
    }
    return true;
}

static size_t append_path(const json_path *path, char *out, size_t capacity) {
    if (!path) return 0;
    size_t used = append_path(path->parent, out, capacity);
    if (used >= capacity) return used;
    char quoted[QUOTE_SIZE];
    int more;
    if (!path->key) {
        more = snprintf(out + used, capacity - used, "[%zu]", path->index);
    } else {
        bool plain = is_plain_word(path->key) && strlen(path->key) < QUOTE_SIZE / 2;
        const char *word = plain ? path->key : quote(path->key, quoted);
        more = snprintf(out + used, capacity - used, "%s%s", used ? "." : "", word);
    }
    return more < 0 ? used : used + (size_t)more;
}

void json_path_text(const json_path *path, char *out, size_t capacity) {
    if (path) {
        append_path(path, out, capacity);
    } else {
        snprintf(out, capacity, "the scene");
    }
}

static void find_duplicates_in_value(scanner *s, const json_path *path, json_duplicate_fn *tell, void *user);

static void find_duplicates_in_object(scanner *s, const json_path *path, json_duplicate_fn *tell, void *user) {
    json_t *seen = json_object(); // key -> offset of its first appearance
    s->at++;
    for (skip_space(s); peek(s) == '"'; skip_space(s)) {
        size_t start = s->at;
        skip_string(s);
        json_t *key = decode_key(s, start);
        const char *name = key ? json_string_value(key) : "";
        json_path member = {path, name, 0};
        json_t *first = json_object_get(seen, name);
        if (first) {
            tell(user, &member, place_of(s->text, (size_t)json_integer_value(first)), place_of(s->text, start));
        } else {
            json_object_set_new(seen, name, json_integer((json_int_t)start));
        }
        skip_space(s);
        if (peek(s) == ':') s->at++;
        find_duplicates_in_value(s, &member, tell, user);
        json_decref(key);
        skip_space(s);
        if (peek(s) == ',') s->at++;
    }
    if (peek(s) == '}') s->at++;
    json_decref(seen);
}

// Recursion is bounded: Jansson accepts at most 2048 levels.
static void find_duplicates_in_value(scanner *s, const json_path *path, json_duplicate_fn *tell, void *user) {
    skip_space(s);
    if (peek(s) == '{') {
        find_duplicates_in_object(s, path, tell, user);
    } else if (peek(s) == '[') {
        s->at++;
        skip_space(s);
        for (size_t i = 0; s->at < s->size && peek(s) != ']'; i++) {
            json_path element = {path, NULL, i};
            find_duplicates_in_value(s, &element, tell, user);
            skip_space(s);
            if (peek(s) == ',') s->at++;
            skip_space(s);
        }
        if (s->at < s->size) s->at++;
    } else {
        skip_value(s);
    }
}

void json_find_duplicates(const char *text, size_t size, json_duplicate_fn *tell, void *user) {
    scanner s = {text, 0, size};
    find_duplicates_in_value(&s, NULL, tell, user);
}
