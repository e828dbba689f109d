// Windows. See atomic_file.h.
//
// The bytes go into a file with a temporary name in the same folder, which replaces the one of that name when it is complete.
// Nobody else can open the temporary file while it is written; what a killed process left can be, and is removed by the next
// one that writes the same name. What is no file (NUL, a pipe) is written directly.
#define WIN32_LEAN_AND_MEAN
#include "formats/atomic_file.h"
#include "system/system.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { MAX_TRIES = 100, SUFFIX = 6 }; // characters after ".tmp-"

static bool cannot_write(atomic_file *file, const char *name, int code) {
    return tool_error_set(&file->error, "cannot write %s: %s", name, strerror(code));
}

static void clear(atomic_file *file) {
    free(file->name), free(file->target), free(file->beside);
    file->out = NULL;
    file->name = file->target = file->beside = NULL;
}

static bool is_special(const char *name) {
    HANDLE there = CreateFileA(name, 0, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (there == INVALID_HANDLE_VALUE) return false;
    const bool special = GetFileType(there) != FILE_TYPE_DISK;
    CloseHandle(there);
    return special;
}

// ---- what was left behind

typedef struct {
    const char *folder, *base;
    int folder_length;
} leftovers;

static void remove_frame(void *context, const char *entry) {
    char path[MAX_PATH];
    if (strncmp(entry, "frame_", 6) == 0 && snprintf(path, sizeof path, "%s/%s", (char *)context, entry) < MAX_PATH)
        DeleteFileA(path);
}

static void remove_leftover(void *context, const char *entry) {
    const leftovers *l = context;
    const size_t length = strlen(l->base);
    char path[MAX_PATH];
    if (strncmp(entry, l->base, length) != 0 || strncmp(entry + length, ".tmp-", 5) != 0) return;
    if (strlen(entry + length + 5) != SUFFIX) return;
    if (snprintf(path, sizeof path, "%.*s%s", l->folder_length, l->folder, entry) >= MAX_PATH) return;
    if (!system_is_folder(path)) {
        DeleteFileA(path); // fails while somebody writes it
        return;
    }
    HANDLE free_to_delete = CreateFileA(path, DELETE, 0, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (free_to_delete == INVALID_HANDLE_VALUE) return;
    CloseHandle(free_to_delete);
    system_list_folder(path, remove_frame, path);
    system_remove_folder(path);
}

void atomic_file_remove_stale(const char *path) {
    char folder[MAX_PATH];
    leftovers l = {path, system_file_name(path), (int)(system_file_name(path) - path)};
    snprintf(folder, sizeof folder, "%.*s", l.folder_length ? l.folder_length : 1, l.folder_length ? path : ".");
    system_list_folder(folder, remove_leftover, &l);
}

// ---- opening

static FILE *open_temporary(atomic_file *file) {
    const size_t size = strlen(file->target) + 16;
    atomic_file_remove_stale(file->target);
    file->beside = malloc(size);
    for (unsigned i = 0; file->beside && i < MAX_TRIES; i++) {
        snprintf(file->beside, size, "%s.tmp-%06x", file->target,
                 (unsigned)(GetCurrentProcessId() * MAX_TRIES + i) & 0xffffff);
        const int made = _open(file->beside, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, 0600);
        if (made < 0 && errno == EEXIST) continue;
        FILE *out = made >= 0 ? _fdopen(made, "wb") : NULL;
        if (made >= 0 && !out) _close(made), DeleteFileA(file->beside);
        return out;
    }
    return NULL;
}

bool atomic_file_open(atomic_file *file, const char *name) {
    *file = (atomic_file){0};
    if (!*name) return cannot_write(file, name, ENOENT);
    if (system_is_folder(name)) return cannot_write(file, name, EISDIR);
    file->name = strdup(name);
    file->is_special = is_special(name);
    file->target = file->name ? strdup(name) : NULL;
    if (file->target) file->out = file->is_special ? fopen(name, "wb") : open_temporary(file);
    if (file->out) return true;
    const int error = errno;
    cannot_write(file, name, error);
    clear(file);
    return false;
}

int atomic_file_failure(const atomic_file *file) {
    return file->out && ferror(file->out) ? EIO : 0;
}

void atomic_file_path(const atomic_file *file, char *out, size_t capacity) {
    snprintf(out, capacity, "%s", file->beside ? file->beside : file->name);
}

// ---- finishing

bool atomic_file_commit(atomic_file *file) {
    if (!file->out) return false;
    errno = 0;
    bool good = fflush(file->out) == 0 && !ferror(file->out);
    if (good && !file->is_special) good = _commit(_fileno(file->out)) == 0;
    int error = errno;
    if (fclose(file->out) != 0 && good) good = false, error = errno;
    if (good && !file->is_special) {
        good = system_replace(file->beside, file->target);
        error = errno;
    }
    if (!good) {
        cannot_write(file, file->name, error ? error : EIO);
        if (file->beside) DeleteFileA(file->beside);
    }
    clear(file);
    return good;
}

void atomic_file_abort(atomic_file *file) {
    if (!file->out) return;
    fclose(file->out);
    if (file->beside) DeleteFileA(file->beside);
    clear(file);
}
