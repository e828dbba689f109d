// Reads by growing blocks, so that pipes work as well as files, and a file that grows while it is read cannot pass the limit.
#include "io/file_text.h"
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

bool file_text_read(const char *name, size_t limit, char **text, size_t *size, char *why, size_t why_capacity) {
    *text = NULL;
    *size = 0;
    FILE *in = fopen(name, "rb");
    if (!in) {
        snprintf(why, why_capacity, "cannot be opened: %s", strerror(errno));
        return false;
    }
    errno = 0;
    char *bytes = read_stream(in, limit, size);
    int error = errno;
    fclose(in);
    if (!bytes) {
        snprintf(why, why_capacity, "cannot be read: %s", error ? strerror(error) : "out of memory");
        return false;
    }
    if (*size > limit) {
        free(bytes);
        snprintf(why, why_capacity, "is larger than %zu MB", limit >> 20);
        return false;
    }
    *text = bytes;
    return true;
}
