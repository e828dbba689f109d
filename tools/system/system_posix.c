// Linux, macOS and their like. See system.h.
#define _GNU_SOURCE // O_TMPFILE, getloadavg
#include "system/system.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- the processor and the program

int system_processors(void) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : (int)processors;
}

double system_load(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}

double system_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool system_is_terminal(FILE *stream) {
    return isatty(fileno(stream)) == 1;
}

// A file must not get the number of a stream that is closed: what is printed would go into it. A closed output is
// opened for reading, so that printing fails.
static void open_streams(void) {
    static const int modes[3] = {O_RDONLY, O_RDONLY, O_WRONLY}; // in, out, errors
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0) open("/dev/null", modes[i]); // the lowest number that is free
}

void system_prepare_program(void) {
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error, not the end of the program
    signal(SIGXFSZ, SIG_IGN); // so is a file that may not grow
    open_streams();
}

void system_program_folder(char *out, size_t capacity) {
    const ssize_t length = readlink("/proc/self/exe", out, capacity - 1);
    out[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash) slash[1] = '\0';
}

const char *system_cache_folder(char *out, size_t capacity) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int used = -1;
    if (cache && *cache)
        used = snprintf(out, capacity, "%s/sinew", cache);
    else if (home && *home)
        used = snprintf(out, capacity, "%s/.cache/sinew", home);
    return used > 0 && (size_t)used < capacity ? out : NULL;
}

// ---- locale

system_locale system_locale_enter(void) {
    const locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (system_locale){.own = own, .before = own ? uselocale(own) : NULL};
}

void system_locale_leave(const system_locale *locale) {
    if (!locale->own) return;
    uselocale(locale->before);
    freelocale(locale->own);
}

// ---- text into memory

void system_text_open(system_text *text) {
    *text = (system_text){0};
    text->out = open_memstream(&text->text, &text->size);
}

char *system_text_finish(system_text *text) {
    const bool good = text->out && !ferror(text->out);
    if (text->out && fclose(text->out) == 0 && good) return text->text;
    free(text->text);
    return NULL;
}

// ---- files and folders

const char *system_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool system_is_absolute(const char *path) {
    return path[0] == '/';
}

// Creates a file without a name, or one whose name is removed at once. -1: errno is set.
static int open_unnamed(const char *path) {
    const size_t size = strlen(path) + 16;
    char *name = malloc(size);
    if (!name) return -1;
#ifdef O_TMPFILE
    const int folder = (int)(system_file_name(path) - path);
    snprintf(name, size, "%.*s", folder ? folder : 1, folder ? path : ".");
    const int nameless = open(name, O_TMPFILE | O_RDWR, 0600);
    if (nameless >= 0) {
        free(name);
        return nameless;
    }
#endif
    snprintf(name, size, "%s.tmp-XXXXXX", path);
    const int file = mkstemp(name);
    if (file >= 0) unlink(name);
    free(name);
    return file;
}

FILE *system_scratch_open(const char *path) {
    const int file = path ? open_unnamed(path) : -1;
    if (file < 0) return tmpfile();
    FILE *opened = fdopen(file, "w+b");
    if (!opened) close(file);
    return opened;
}

bool system_append(FILE *file, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(fileno(file), (const char *)bytes + done, size - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

bool system_read_at(FILE *file, void *bytes, size_t size, size_t offset) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(fileno(file), (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

bool system_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool system_is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool system_make_folder(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool system_remove_folder(const char *path) {
    return rmdir(path) == 0;
}

bool system_replace(const char *from, const char *to) {
    return rename(from, to) == 0;
}

bool system_make_unique_folder(char *path, system_lock *lock) {
    *lock = (system_lock){.file = -1};
    if (!mkdtemp(path)) return false;
    // Another process may remove it before it is locked; then the first file in it says so.
    lock->file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock->file >= 0) flock(lock->file, LOCK_EX);
    return true;
}

void system_unlock(system_lock *lock) {
    if (lock->file >= 0) close(lock->file);
    lock->file = -1;
}

void system_list_folder(const char *path, system_entry_fn *entry, void *context) {
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) entry(context, e->d_name);
    closedir(folder);
}
