// Finds the line and column of a value in JSON text. Jansson does not keep them, so the text is scanned again for the
// place of an error. The text must be one that Jansson accepted.
#ifndef SN_FORMATS_JSON_WHERE_H
#define SN_FORMATS_JSON_WHERE_H

#include <stdbool.h>
#include <stddef.h>

// One step down from a parent: a key of an object, or (key null) an index of an array. The root is a null pointer.
// Paths live on the stack of the function that walks the tree.
typedef struct json_path {
    const struct json_path *parent;
    const char *key;
    size_t index;
} json_path;

// Both count from 1; columns count characters, not bytes.
typedef struct {
    int line, column;
} json_place;

// Finds the value of a path, or with `of_key` its key. False: the text has no such path; the place is that of the
// nearest value above.
bool json_where(const char *text, size_t size, const json_path *path, bool of_key, json_place *out);

// Writes a path the way people write it: bodies[2].radius, materials."soft skin".young; the root is "the scene".
void json_path_text(const json_path *path, char *out, size_t capacity);

// Called for each key that an object has more than once.
typedef void json_duplicate_fn(void *user, const json_path *path, json_place first, json_place again);

// Finds every repeated key of every object.
void json_find_duplicates(const char *text, size_t size, json_duplicate_fn *tell, void *user);

#endif
