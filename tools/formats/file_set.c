// A plain list: a scene has few files.
#include "formats/file_set.h"
#include <stdlib.h>
#include <string.h>

const held_file *file_set_find(const file_set *set, const char *name) {
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, name) == 0) return &set->items[i];
    return NULL;
}

bool file_set_add(file_set *set, const char *name, const char *bytes, size_t size) {
    if (file_set_find(set, name)) return true;
    held_file *more = realloc(set->items, ((size_t)set->count + 1) * sizeof *more), file = {.size = size};
    if (more) set->items = more;
    file.name = more ? malloc(strlen(name) + 1) : NULL;
    file.bytes = more ? malloc(size + 1) : NULL;
    if (!file.name || !file.bytes) {
        free(file.name);
        free(file.bytes);
        set->incomplete = true;
        return false;
    }
    strcpy(file.name, name);
    memcpy(file.bytes, bytes, size);
    file.bytes[size] = '\0';
    set->items[set->count++] = file;
    return true;
}

void file_set_free(file_set *set) {
    for (int i = 0; i < set->count; i++) {
        free(set->items[i].name);
        free(set->items[i].bytes);
    }
    free(set->items);
    *set = (file_set){0};
}
