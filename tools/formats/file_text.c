// Reads into a growing buffer, so that pipes work as well as files, and a file that grows meanwhile cannot exceed the
// limit.
#include "formats/file_text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads to the end, or until the limit is exceeded. Null: out of memory or a read error (errno says which).
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

const file_source disk_files = {NULL, NULL};

bool file_text_exists(const char *name, const file_source *files) {
    if (!files) return false;
    if (files->stored) return file_set_find(files->stored, name) != NULL;
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

bool file_text_read(const char *name, const file_source *files, size_t limit, char **text, size_t *size,
                    tool_error *error) {
    *text = NULL;
    *size = 0;
    if (!files) return tool_error_set(error, "may not be opened");
    const held_file *held = files->stored ? file_set_find(files->stored, name) : NULL;
    if (files->stored && !held) return tool_error_set(error, "is not in the recording");
    FILE *in = held ? NULL : fopen(name, "rb");
    if (!held && !in) return tool_error_set(error, "cannot be opened: %s", strerror(errno));
    errno = 0;
    char *bytes = held ? copy_held(held, size) : read_stream(in, limit, size);
    const int code = errno;
    if (in) fclose(in);
    if (!bytes) return tool_error_set(error, "cannot be read: %s", code ? strerror(code) : "out of memory");
    if (*size > limit) {
        free(bytes);
        return tool_error_set(error, "is larger than %zu MB", limit >> 20);
    }
    if (files->copies) file_set_add(files->copies, name, bytes, *size);
    *text = bytes;
    return true;
}
