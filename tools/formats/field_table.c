// Reads JSON objects by their tables.
#include "formats/field_table.h"
#include "formats/quote.h"
#include <limits.h>
#include <string.h>

static int type_index(const field_table *type, const char *key) {
    for (int i = 0; type->fields[i].name; i++) {
        if (strcmp(type->fields[i].name, key) == 0) return i;
    }
    return -1;
}

bool fields_has(const void *object, const char *key) {
    const fields_head *head = object;
    int i = type_index(head->type, key);
    return i >= 0 && (head->given >> i & 1);
}

const char *json_words(const json_t *value, char out[128]) {
    char quoted[QUOTE_SIZE];
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        snprintf(out, 128, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(out, 128, "%.9g", json_real_value(value));
        break;
    case JSON_STRING:
        snprintf(out, 128, "%s", quote(json_string_value(value), quoted));
        break;
    case JSON_TRUE:
        snprintf(out, 128, "true");
        break;
    case JSON_FALSE:
        snprintf(out, 128, "false");
        break;
    case JSON_NULL:
        snprintf(out, 128, "null");
        break;
    case JSON_ARRAY:
        snprintf(out, 128, "a list");
        break;
    default:
        snprintf(out, 128, "an object");
        break;
    }
    return out;
}

static bool wrong_type(fields_reader *reader, const json_path *path, const json_t *value, const char *wanted) {
    char words[128];
    error_at(reader->errors, path, "must be %s, is %s", wanted, json_words(value, words));
    return false;
}

// Readers of single values return false after listing an error.
static bool read_number(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                        double *out) {
    if (!json_is_number(value)) return wrong_type(reader, path, value, "a number");
    double x = json_number_value(value);
    double min = f->min, max = f->max;
    if (min == 0 && max == 0) {
        min = -1e9;
        max = 1e9;
    }
    char words[128];
    json_words(value, words);
    if ((f->flags & FIELD_ABOVE_MIN) && !(x > min)) {
        error_at(reader->errors, path, "must be greater than %.10g, is %s", min, words);
        return false;
    }
    if (!(x >= min)) {
        error_at(reader->errors, path, "must be at least %.10g, is %s", min, words);
        return false;
    }
    if (!(x <= max)) {
        error_at(reader->errors, path, "must be at most %.10g, is %s", max, words);
        return false;
    }
    *out = x;
    return true;
}

static bool read_int(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value, int *out) {
    double x = 0;
    if (!json_is_number(value)) return wrong_type(reader, path, value, "a whole number");
    if (!read_number(reader, f, path, value, &x)) return false;
    if (x != (double)(int)x) return wrong_type(reader, path, value, "a whole number"); // |x| <= 1e9 here
    *out = (int)x;
    return true;
}

static bool read_vec3(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                      double out[3]) {
    if (!json_is_array(value)) return wrong_type(reader, path, value, "a list of three numbers");
    if (json_array_size(value) != 3) {
        error_at(reader->errors, path, "must have three numbers, has %zu", json_array_size(value));
        return false;
    }
    bool fine = true;
    double read[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        json_path at = {path, NULL, i};
        fine = read_number(reader, f, &at, json_array_get(value, i), &read[i]) && fine;
    }
    if (fine) memcpy(out, read, sizeof read);
    return fine;
}

static bool read_choice(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                        int *out) {
    char all[300] = "";
    for (int i = 0; f->choices[i]; i++) {
        if (json_is_string(value) && strcmp(json_string_value(value), f->choices[i]) == 0) {
            *out = i;
            return true;
        }
        if (f->old_choices && f->old_choices[i] && json_is_string(value) &&
            strcmp(json_string_value(value), f->old_choices[i]) == 0) {
            warning_at(reader->errors, path, "\"%s\" is now called \"%s\"", f->old_choices[i], f->choices[i]);
            *out = i;
            return true;
        }
        size_t used = strlen(all);
        const char *between = i == 0 ? "" : f->choices[i + 1] ? ", " : " or ";
        snprintf(all + used, sizeof all - used, "%s\"%s\"", between, f->choices[i]);
    }
    char words[128];
    const char *near = json_is_string(value) && !error_list_full(reader->errors)
                           ? suggest(json_string_value(value), f->choices)
                           : NULL;
    json_words(value, words);
    if (near) {
        error_at(reader->errors, path, "must be %s, is %s; did you mean \"%s\"?", all, words, near);
    } else {
        error_at(reader->errors, path, "must be %s, is %s", all, words);
    }
    return false;
}

// Checks that the value is a list of a permitted length and allocates its elements. Null: an error was listed.
static void *alloc_list(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                        size_t item_size, int *count) {
    if (!json_is_array(value)) {
        wrong_type(reader, path, value, "a list");
        return NULL;
    }
    size_t n = json_array_size(value), min = (size_t)f->min_count, max = f->max_count ? (size_t)f->max_count : 1000000;
    if (n < min || n > max) {
        error_at(reader->errors, path, "must have at %s %zu element%s, has %zu", n < min ? "least" : "most",
                 n < min ? min : max, (n < min ? min : max) == 1 ? "" : "s", n);
        return NULL;
    }
    void *items = sn_arena_alloc(reader->memory, n + 1, item_size);
    if (!items) {
        error_at(reader->errors, path, "does not fit into memory");
        return NULL;
    }
    memset(items, 0, (n + 1) * item_size);
    *count = (int)n;
    return items;
}

static bool read_choices(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                         int *out) {
    if (!json_is_array(value)) return wrong_type(reader, path, value, "a list");
    int bits = 0;
    bool fine = true;
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_path at = {path, NULL, i};
        int which = 0;
        fine = read_choice(reader, f, &at, json_array_get(value, i), &which) && fine;
        bits |= 1 << which;
    }
    if (fine) *out = bits;
    return fine;
}

static bool read_ints(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                      int_list *out) {
    int count = 0;
    int *items = alloc_list(reader, f, path, value, sizeof *items, &count);
    bool fine = items != NULL;
    for (int i = 0; i < count; i++) {
        json_path at = {path, NULL, (size_t)i};
        fine = read_int(reader, f, &at, json_array_get(value, (size_t)i), &items[i]) && fine;
    }
    if (fine) *out = (int_list){items, count};
    return fine;
}

static bool read_numbers(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                         number_list *out) {
    int count = 0;
    double *items = alloc_list(reader, f, path, value, sizeof *items, &count);
    bool fine = items != NULL;
    for (int i = 0; i < count; i++) {
        json_path at = {path, NULL, (size_t)i};
        fine = read_number(reader, f, &at, json_array_get(value, (size_t)i), &items[i]) && fine;
    }
    if (fine) *out = (number_list){items, count};
    return fine;
}

static bool read_vecs(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                      vec_list *out) {
    int count = 0;
    double(*items)[3] = alloc_list(reader, f, path, value, sizeof *items, &count);
    bool fine = items != NULL;
    for (int i = 0; i < count; i++) {
        json_path at = {path, NULL, (size_t)i};
        fine = read_vec3(reader, f, &at, json_array_get(value, (size_t)i), items[i]) && fine;
    }
    if (fine) *out = (vec_list){items, count};
    return fine;
}

static void fields_start(const field_table *type, const char *key, void *object) {
    if (type->defaults) type->defaults(object);
    *(fields_head *)object = (fields_head){type, key, 0, false};
}

static bool read_list(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                      fields_list *out) {
    int count = 0;
    char *items = alloc_list(reader, f, path, value, f->table->size, &count);
    if (!items) return false;
    for (int i = 0; i < count; i++) {
        json_path at = {path, NULL, (size_t)i};
        fields_read(reader, f->table, &at, json_array_get(value, (size_t)i), items + (size_t)i * f->table->size);
    }
    *out = (fields_list){items, count};
    return true;
}

static bool read_map(fields_reader *reader, const field_row *f, const json_path *path, json_t *value,
                     fields_list *out) {
    if (!json_is_object(value)) return wrong_type(reader, path, value, "an object of names");
    size_t size = f->table->size, n = json_object_size(value), max = f->max_count ? (size_t)f->max_count : 1000000;
    if (n > max) {
        error_at(reader->errors, path, "must have at most %zu entries, has %zu", max, n);
        return false;
    }
    char *items = sn_arena_alloc(reader->memory, n + 1, size);
    if (!items) {
        error_at(reader->errors, path, "does not fit into memory");
        return false;
    }
    memset(items, 0, (n + 1) * size);
    int count = 0;
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) {
        json_path at = {path, key, 0};
        char *item = items + (size_t)count * size;
        fields_read(reader, f->table, &at, member, item);
        size_t bytes = strlen(key) + 1;
        char *copy = sn_arena_alloc(reader->memory, bytes, 1);
        if (copy) ((fields_head *)item)->key = memcpy(copy, key, bytes);
        count += copy != NULL;
    }
    *out = (fields_list){items, count};
    return true;
}

// The type a "kind" names, or null after listing the error.
static const field_table *find_kind(fields_reader *reader, const field_row *f, const json_path *path,
                                    const json_t *value) {
    if (!json_is_object(value)) {
        wrong_type(reader, path, value, "an object");
        return NULL;
    }
    const char *names[64], *old[64];
    int n = 0;
    for (; f->kinds[n] && n < 63; n++) names[n] = f->kinds[n]->name, old[n] = f->kinds[n]->old;
    names[n] = old[n] = NULL;
    const json_t *kind = json_object_get(value, "kind");
    if (!kind) {
        error_at(reader->errors, path, "needs \"kind\"");
        return NULL;
    }
    field_row choice = {.name = "kind", .type = FIELD_CHOICE, .choices = names, .old_choices = old};
    json_path at = {path, "kind", 0};
    int which = 0;
    return read_choice(reader, &choice, &at, kind, &which) ? f->kinds[which] : NULL;
}

static bool read_kinds(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                       fields_list *out) {
    int count = 0;
    fields_head **items = alloc_list(reader, f, path, value, sizeof *items, &count);
    if (!items) return false;
    bool fine = true;
    for (int i = 0; i < count; i++) {
        json_path at = {path, NULL, (size_t)i};
        const json_t *element = json_array_get(value, (size_t)i);
        const field_table *type = find_kind(reader, f, &at, element);
        items[i] = type ? sn_arena_alloc(reader->memory, 1, type->size) : NULL;
        if (items[i]) {
            memset(items[i], 0, type->size);
            fields_read(reader, type, &at, element, items[i]);
        } else {
            fine = false;
            if (type) error_at(reader->errors, &at, "does not fit into memory");
        }
    }
    *out = (fields_list){items, count};
    return fine;
}

static bool read_text(fields_reader *reader, const field_row *f, const json_path *path, const json_t *value,
                      const char **out) {
    if (json_is_object(value) || json_is_array(value)) { // it belongs to another key
        char words[128];
        error_at(reader->errors, path, "must be text, is %s: %s", json_words(value, words), f->help);
        return false;
    }
    if (!json_is_string(value)) return wrong_type(reader, path, value, "text");
    size_t bytes = json_string_length(value) + 1;
    char *copy = sn_arena_alloc(reader->memory, bytes, 1);
    if (!copy) {
        error_at(reader->errors, path, "does not fit into memory");
        return false;
    }
    *out = memcpy(copy, json_string_value(value), bytes);
    return true;
}

static bool read_seed(fields_reader *reader, const json_path *path, const json_t *value, uint64_t *out) {
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        return wrong_type(reader, path, value, "a whole number of at least 0");
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_field(fields_reader *reader, const field_row *f, const json_path *path, json_t *value, void *out) {
    switch (f->type) {
    case FIELD_TEXT:
        return read_text(reader, f, path, value, out);
    case FIELD_BOOL:
        if (!json_is_boolean(value)) return wrong_type(reader, path, value, "true or false");
        *(bool *)out = json_is_true(value);
        return true;
    case FIELD_INT:
        return read_int(reader, f, path, value, out);
    case FIELD_SEED:
        return read_seed(reader, path, value, out);
    case FIELD_NUMBER:
        return read_number(reader, f, path, value, out);
    case FIELD_VEC3:
        return read_vec3(reader, f, path, value, out);
    case FIELD_CHOICE:
        return read_choice(reader, f, path, value, out);
    case FIELD_CHOICES:
        return read_choices(reader, f, path, value, out);
    case FIELD_INTS:
        return read_ints(reader, f, path, value, out);
    case FIELD_NUMBERS:
        return read_numbers(reader, f, path, value, out);
    case FIELD_VECS:
        return read_vecs(reader, f, path, value, out);
    case FIELD_OBJECT:
        fields_read(reader, f->table, path, value, out);
        return true;
    case FIELD_LIST:
        return read_list(reader, f, path, value, out);
    case FIELD_MAP:
        return read_map(reader, f, path, value, out);
    case FIELD_KINDS:
        return read_kinds(reader, f, path, value, out);
    }
    return false;
}

// The field that had this name in version 0.1; -1: none.
static int old_index(const field_table *type, const char *key) {
    for (int i = 0; type->fields[i].name; i++)
        if (type->fields[i].old && strcmp(type->fields[i].old, key) == 0) return i;
    return -1;
}

#define KEYS_SIZE 360

// The keys of a table, as many as fit into a line.
static const char *keys_of(const field_table *type, char out[KEYS_SIZE]) {
    size_t used = 0;
    const field_row *f = type->fields;
    for (out[0] = '\0'; f->name && used + strlen(f->name) + strlen(", and others") < KEYS_SIZE; f++)
        used += (size_t)snprintf(out + used, KEYS_SIZE - used, "%s%s", used ? ", " : "", f->name);
    if (f->name) snprintf(out + used, KEYS_SIZE - used, " and others");
    return out;
}

static void unknown_key(fields_reader *reader, const field_table *type, const json_path *path, const char *key) {
    int best = suggest_reach(key);
    const char *near = NULL;
    for (const field_row *f = type->fields; f->name && !error_list_full(reader->errors); f++) {
        if (suggest_nearer(key, f->name, &best)) near = f->name;
    }
    json_path at = {path, key, 0};
    if (near) {
        error_at_key(reader->errors, &at, "unknown key; did you mean \"%s\"?", near);
        return;
    }
    char keys[KEYS_SIZE];
    error_at_key(reader->errors, &at, "unknown key; known are %s", keys_of(type, keys));
}

void fields_read(fields_reader *reader, const field_table *type, const json_path *path, const json_t *value,
                 void *object) {
    fields_start(type, NULL, object);
    fields_head *head = object;
    if (!json_is_object(value)) {
        char keys[KEYS_SIZE], words[128];
        error_at(reader->errors, path, "must be an object, is %s; its keys are %s", json_words(value, words),
                 keys_of(type, keys));
        head->bad = true;
        return;
    }
    int errors_before = reader->errors->count;
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member) {
        int i = type_index(type, key);
        if (i >= 0) {
            json_path at = {path, key, 0};
            const field_row *f = &type->fields[i];
            head->given |= 1ULL << i;
            read_field(reader, f, &at, member, (char *)object + f->offset);
        } else if ((i = old_index(type, key)) >= 0 && !json_object_get(value, type->fields[i].name)) {
            json_path at = {path, key, 0};
            const field_row *f = &type->fields[i];
            warning_at_key(reader->errors, &at, "\"%s\" is now called \"%s\"", key, f->name);
            head->given |= 1ULL << i;
            read_field(reader, f, &at, member, (char *)object + f->offset);
        } else if (strcmp(key, FIELD_COMMENT) != 0) {
            unknown_key(reader, type, path, key);
        }
    }
    for (int i = 0; type->fields[i].name; i++) {
        if ((type->fields[i].flags & FIELD_REQUIRED) && !(head->given >> i & 1)) {
            error_at(reader->errors, path, "needs \"%s\"", type->fields[i].name);
        }
    }
    head->bad = reader->errors->count > errors_before;
}
