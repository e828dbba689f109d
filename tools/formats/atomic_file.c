// The temporary file is in the same folder: files cannot be renamed across file systems. A path that is not a regular file
// (a pipe, /dev/stdout, /dev/full) cannot be replaced and is written directly.
#include "formats/atomic_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(atomic_file *file, const char *name, int code) {
    return tool_error_set(&file->error, "cannot write %s: %s", name, strerror(code));
}

static void forget(atomic_file *file) {
    free(file->name);
    free(file->beside);
    file->out = NULL;
    file->name = file->beside = NULL;
}

static bool is_special(const char *name) {
    struct stat info;
    return stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Opens name.tmp-XXXXXX with the permissions a new file would have.
static FILE *open_beside(char *beside) {
    int descriptor = mkstemp(beside);
    if (descriptor < 0) return NULL;
    mode_t mask = umask(0);
    umask(mask);
    FILE *out = fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (!out) {
        int error = errno;
        close(descriptor);
        unlink(beside);
        errno = error;
    }
    return out;
}

bool atomic_file_open(atomic_file *file, const char *name) {
    *file = (atomic_file){0};
    size_t length = strlen(name);
    struct stat info;
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) return cannot_write(file, name, EISDIR);
    file->name = malloc(length + 1);
    file->beside = is_special(name) ? NULL : malloc(length + 16);
    if (!file->name || (!file->beside && !is_special(name))) {
        forget(file);
        return cannot_write(file, name, ENOMEM);
    }
    memcpy(file->name, name, length + 1);
    if (file->beside) {
        snprintf(file->beside, length + 16, "%s.tmp-XXXXXX", name);
        file->out = open_beside(file->beside);
    } else {
        file->out = fopen(name, "wb");
    }
    if (file->out) return true;
    int error = errno;
    cannot_write(file, name, error);
    forget(file);
    return false;
}

bool atomic_file_commit(atomic_file *file) {
    if (!file->out) return false;
    errno = 0;
    bool good = fflush(file->out) == 0 && !ferror(file->out);
    if (good && file->beside) good = fsync(fileno(file->out)) == 0;
    int error = errno;
    if (fclose(file->out) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && file->beside) {
        good = rename(file->beside, file->name) == 0;
        error = errno;
    }
    if (!good) {
        cannot_write(file, file->name, error ? error : EIO);
        if (file->beside) unlink(file->beside);
    }
    forget(file);
    return good;
}

void atomic_file_abort(atomic_file *file) {
    if (!file->out) return;
    fclose(file->out);
    if (file->beside) unlink(file->beside);
    forget(file);
}

bool atomic_file_write(const char *name, atomic_file_writer *write, const void *what, tool_error *error) {
    atomic_file file;
    if (atomic_file_open(&file, name)) {
        if (!write(file.out, what, error)) {
            atomic_file_abort(&file);
            return false;
        }
        if (atomic_file_commit(&file)) return true;
    }
    if (error) *error = file.error;
    return false;
}

bool atomic_file_write_bytes(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const atomic_file_bytes *of = what;
    fwrite(of->bytes, 1, of->size, out);
    return true;
}
