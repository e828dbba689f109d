// Reads by growing blocks, so that pipes work as well as files, and a file that grows while it is read cannot pass the limit.
#include "formats/file_text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads until the end or beyond the limit. Null: out of memory or a read error (errno says which).
static char *read_stream(FILE *in, size_t limit, size_t *size) {
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity);
    while (text) {
        used += fread(text + used, 1, capacity - 1 - used, in);
        if (ferror(in)) {
            int error = errno;
            free(text);
            errno = error;
            return NULL;
        }
        if (used < capacity - 1 || used > limit) break;
        capacity *= 2;
        char *more = realloc(text, capacity);
        if (!more) free(text);
        text = more;
    }
    if (text) text[used] = '\0';
    *size = used;
    return text;
}

static file_tap the_tap; // of the one run that a process is about

file_tap file_text_tap(file_tap tap) {
    const file_tap before = the_tap;
    the_tap = tap;
    return before;
}

bool file_text_there(const char *name) {
    if (the_tap.served) return file_set_find(the_tap.served, name) != NULL;
    FILE *in = fopen(name, "rb");
    if (in) fclose(in);
    return in != NULL;
}

static char *copy_held(const held_file *file, size_t *size) {
    char *text = malloc(file->size + 1);
    if (text) memcpy(text, file->bytes, file->size + 1);
    *size = file->size;
    errno = 0;
    return text;
}

bool file_text_read(const char *name, size_t limit, char **text, size_t *size, char *why, size_t why_capacity) {
    *text = NULL;
    *size = 0;
    const held_file *held = the_tap.served ? file_set_find(the_tap.served, name) : NULL;
    if (the_tap.served && !held) {
        snprintf(why, why_capacity, "is not in the record");
        return false;
    }
    FILE *in = held ? NULL : fopen(name, "rb");
    if (!held && !in) {
        snprintf(why, why_capacity, "cannot be opened: %s", strerror(errno));
        return false;
    }
    errno = 0;
    char *bytes = held ? copy_held(held, size) : read_stream(in, limit, size);
    int error = errno;
    if (in) fclose(in);
    if (!bytes) {
        snprintf(why, why_capacity, "cannot be read: %s", error ? strerror(error) : "out of memory");
        return false;
    }
    if (*size > limit) {
        free(bytes);
        snprintf(why, why_capacity, "is larger than %zu MB", limit >> 20);
        return false;
    }
    if (the_tap.kept) file_set_add(the_tap.kept, name, bytes, *size);
    *text = bytes;
    return true;
}
