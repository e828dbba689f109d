// Linux, macOS and their like. See atomic_file.h.
//
// The bytes go into a file without a name in the same folder (O_TMPFILE), which gets its name when it is complete: a
// process that is killed leaves nothing. A file that is there already is replaced: the new one gets a temporary name
// beside it and is renamed. Where the system has no files without names, it has the temporary name from the start.
//
// Whoever writes a temporary file or folder holds a lock on it (flock), which ends with the process. What a killed
// process left, unlocked, is removed by the next one that writes the same name.
//
// A link is followed: its target is replaced, the link stays. A path that is not a regular file (a pipe, /dev/stdout,
// /dev/full) cannot be replaced and is written directly.
#define _GNU_SOURCE // O_TMPFILE, fopencookie
#include "formats/atomic_file.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40, MAX_TRIES = 100, SUFFIX = 6 }; // characters after ".tmp-"

static bool cannot_write(atomic_file *file, const char *name, int code) {
    return tool_error_set(&file->error, "cannot write %s: %s", name, strerror(code));
}

static void clear(atomic_file *file) {
    free(file->name), free(file->target), free(file->beside), free(file->stream);
    file->out = NULL;
    file->stream = NULL;
    file->name = file->target = file->beside = NULL;
}

// ---- streams

// What is below the C stream: it writes all or fails, and keeps the first error, which the C stream forgets.
struct atomic_stream {
    int file, error;
};

static ssize_t stream_write(void *cookie, const char *bytes, size_t size) {
    struct atomic_stream *s = cookie;
    size_t done = 0;
    while (done < size) {
        const ssize_t wrote = write(s->file, bytes + done, size - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += (size_t)wrote;
    }
    if (done < size && !s->error) s->error = errno ? errno : EIO;
    return done < size ? 0 : (ssize_t)size; // 0: an error
}

static int stream_seek(void *cookie, off64_t *offset, int from) {
    const struct atomic_stream *s = cookie;
    const off_t at = lseek(s->file, *offset, from);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int stream_close(void *cookie) {
    struct atomic_stream *s = cookie;
    return close(s->file);
}

// Null: errno is set, and the file stays open.
static FILE *stream_open(atomic_file *file, int descriptor) {
    const cookie_io_functions_t calls = {.write = stream_write, .seek = stream_seek, .close = stream_close};
    file->stream = malloc(sizeof *file->stream);
    if (!file->stream) return NULL;
    *file->stream = (struct atomic_stream){descriptor, 0};
    return fopencookie(file->stream, "wb", calls);
}

// ---- paths

static size_t folder_length(const char *path) { // with the slash
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// The folder of a path; the caller frees it. Null: out of memory.
static char *folder_of(const char *path) {
    const size_t length = folder_length(path);
    char *folder = malloc(length + 2);
    if (folder) snprintf(folder, length + 2, "%.*s", (int)(length ? length : 1), length ? path : ".");
    return folder;
}

// What a link points to, beside its own folder; the caller frees it. Null: errno is set.
static char *read_link(const char *path) {
    char text[4096];
    const ssize_t size = readlink(path, text, sizeof text);
    if (size < 0) return NULL;
    if ((size_t)size == sizeof text) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    const size_t folder = text[0] == '/' ? 0 : folder_length(path);
    char *target = malloc(folder + (size_t)size + 1);
    if (!target) return NULL;
    memcpy(target, path, folder);
    memcpy(target + folder, text, (size_t)size);
    target[folder + (size_t)size] = '\0';
    return target;
}

// Follows links until one points to something else, which need not be there. Null: errno is set.
static char *follow_links(const char *name) {
    char *path = strdup(name);
    struct stat info;
    for (int links = 0; path && lstat(path, &info) == 0 && S_ISLNK(info.st_mode); links++) {
        char *target = links < MAX_LINKS ? read_link(path) : NULL;
        if (links >= MAX_LINKS) errno = ELOOP;
        const int error = errno;
        free(path);
        errno = error;
        path = target;
    }
    return path;
}

static bool is_special(const char *name) {
    struct stat info;
    return stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// ---- what was left behind

static bool is_temporary(const char *entry, const char *base) {
    const size_t length = strlen(base);
    if (strncmp(entry, base, length) != 0 || strncmp(entry + length, ".tmp-", 5) != 0) return false;
    const char *suffix = entry + length + 5;
    for (int i = 0; i < SUFFIX; i++)
        if (!isalnum((unsigned char)suffix[i])) return false;
    return suffix[SUFFIX] == '\0';
}

// Removes a temporary file, or a folder with the frames in it, that nobody has locked.
static void remove_unlocked(int folder, const char *entry) {
    const int file = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (file < 0) return;
    if (fstat(file, &info) == 0 && info.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0) {
        if (S_ISREG(info.st_mode)) unlinkat(folder, entry, 0);
        DIR *inside = S_ISDIR(info.st_mode) ? fdopendir(dup(file)) : NULL;
        for (struct dirent *e = inside ? readdir(inside) : NULL; e; e = readdir(inside))
            if (strncmp(e->d_name, "frame_", 6) == 0) unlinkat(file, e->d_name, 0);
        if (inside) closedir(inside), unlinkat(folder, entry, AT_REMOVEDIR);
    }
    close(file);
}

void atomic_file_remove_stale(const char *path) {
    char *name = folder_of(path);
    DIR *folder = name ? opendir(name) : NULL;
    free(name);
    if (!folder) return;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder))
        if (is_temporary(e->d_name, path + folder_length(path))) remove_unlocked(dirfd(folder), e->d_name);
    closedir(folder);
}

// ---- opening

// A file without a name in the folder of a path. -1: there is no such thing here.
static int open_nameless(const char *path) {
    int file = -1;
#ifdef O_TMPFILE
    char *folder = folder_of(path), link[64];
    if (folder) file = open(folder, O_TMPFILE | O_RDWR, 0666);
    free(folder);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (file >= 0 && (access(link, F_OK) != 0 || flock(file, LOCK_EX) != 0)) { // it gets its name through the link
        close(file);
        file = -1;
    }
#else
    (void)path;
#endif
    return file;
}

// Creates and locks name.tmp-XXXXXX with the permissions a new file would have. Somebody may take it for one that was
// left behind before it is locked; then another one is made.
static int open_named(char *beside) {
    const size_t suffix = strlen(beside) - SUFFIX;
    for (int i = 0; i < MAX_TRIES; i++) {
        struct stat own, there;
        memcpy(beside + suffix, "XXXXXX", SUFFIX);
        const int file = mkstemp(beside);
        if (file < 0) return -1;
        const mode_t mask = umask(0);
        umask(mask);
        const bool good = flock(file, LOCK_EX) == 0 && fchmod(file, 0666 & ~mask) == 0 && fstat(file, &own) == 0;
        if (good && stat(beside, &there) == 0 && own.st_ino == there.st_ino) return file;
        const int error = errno;
        close(file);
        if (!good) {
            unlink(beside);
            errno = error;
            return -1;
        }
    }
    errno = EEXIST;
    return -1;
}

static char *temporary_name(const char *target) {
    const size_t size = strlen(target) + 16;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s.tmp-XXXXXX", target);
    return name;
}

static FILE *open_temporary(atomic_file *file) {
    atomic_file_remove_stale(file->target);
    int descriptor = open_nameless(file->target);
    if (descriptor < 0) {
        file->beside = temporary_name(file->target);
        descriptor = file->beside ? open_named(file->beside) : -1;
    }
    FILE *out = descriptor < 0 ? NULL : stream_open(file, descriptor);
    if (descriptor >= 0 && !out) {
        const int error = errno;
        close(descriptor);
        if (file->beside) unlink(file->beside);
        errno = error;
    }
    return out;
}

static FILE *open_special(atomic_file *file) {
    const int descriptor = open(file->name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    FILE *out = descriptor < 0 ? NULL : stream_open(file, descriptor);
    if (descriptor >= 0 && !out) close(descriptor);
    return out;
}

bool atomic_file_open(atomic_file *file, const char *name) {
    *file = (atomic_file){0};
    struct stat info;
    if (!*name) return cannot_write(file, name, ENOENT);
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) return cannot_write(file, name, EISDIR);
    file->name = strdup(name);
    file->is_special = is_special(name);
    file->target = file->name ? follow_links(name) : NULL;
    if (file->target) file->out = file->is_special ? open_special(file) : open_temporary(file);
    if (file->out) return true;
    const int error = errno;
    cannot_write(file, name, error);
    clear(file);
    return false;
}

int atomic_file_failure(const atomic_file *file) {
    return file->stream ? file->stream->error : 0;
}

void atomic_file_path(const atomic_file *file, char *out, size_t capacity) {
    if (file->beside)
        snprintf(out, capacity, "%s", file->beside);
    else
        snprintf(out, capacity, "/proc/self/fd/%d", file->stream->file);
}

// ---- finishing

// Gives a file without a name its name. Sets errno.
static bool give_name(atomic_file *file) {
    char link[64];
    atomic_file_path(file, link, sizeof link);
    if (linkat(AT_FDCWD, link, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno != EEXIST || !(file->beside = temporary_name(file->target))) return false;
    const size_t size = strlen(file->beside) + 1, suffix = size - 1 - SUFFIX;
    for (unsigned i = 0; i < MAX_TRIES; i++) {
        const unsigned number = ((unsigned)getpid() * MAX_TRIES + i) & 0xffffff;
        snprintf(file->beside + suffix, size - suffix, "%06x", number);
        if (linkat(AT_FDCWD, link, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) == 0)
            return rename(file->beside, file->target) == 0;
        if (errno != EEXIST) break;
    }
    free(file->beside); // it was never there
    file->beside = NULL;
    return false;
}

bool atomic_file_commit(atomic_file *file) {
    if (!file->out) return false;
    errno = 0;
    bool good = fflush(file->out) == 0 && !ferror(file->out);
    if (good && !file->is_special) good = fsync(file->stream->file) == 0;
    if (good && !file->is_special) good = file->beside ? rename(file->beside, file->target) == 0 : give_name(file);
    int error = file->stream->error ? file->stream->error : errno;
    if (fclose(file->out) != 0 && good && file->is_special) {
        good = false;
        error = errno;
    }
    if (!good) {
        cannot_write(file, file->name, error ? error : EIO);
        if (file->beside) unlink(file->beside);
    }
    clear(file);
    return good;
}

void atomic_file_abort(atomic_file *file) {
    if (!file->out) return;
    if (file->beside) unlink(file->beside); // while it is locked
    fclose(file->out);
    clear(file);
}
