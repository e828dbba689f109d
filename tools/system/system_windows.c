// Windows. Names of files are in the program's code page. See system.h.
#define WIN32_LEAN_AND_MEAN
#include "system/system.h"
#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

// ---- the processor and the program

int system_processors(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors < 1 ? 1 : (int)info.dwNumberOfProcessors;
}

double system_load(void) {
    return -1;
}

static double seconds_of(FILETIME t) {
    return 1e-7 * (double)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
}

double system_cpu_seconds(void) {
    FILETIME created, ended, kernel, user;
    if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) return 0;
    return seconds_of(kernel) + seconds_of(user);
}

bool system_is_terminal(FILE *stream) {
    return _isatty(_fileno(stream)) != 0;
}

void system_prepare_program(void) {
    // Files that are written to the standard output are the same bytes as elsewhere.
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}

void system_program_folder(char *out, size_t capacity) {
    const DWORD length = GetModuleFileNameA(NULL, out, (DWORD)capacity);
    if (length >= capacity) out[0] = '\0';
    out[system_file_name(out) - out] = '\0';
}

const char *system_cache_folder(char *out, size_t capacity) {
    const char *local = getenv("LOCALAPPDATA");
    const int used = local && *local ? snprintf(out, capacity, "%s/sinew/cache", local) : -1;
    return used > 0 && (size_t)used < capacity ? out : NULL;
}

// ---- locale

system_locale system_locale_enter(void) {
    system_locale locale = {.mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
    const char *name = setlocale(LC_ALL, NULL);
    snprintf(locale.name, sizeof locale.name, "%s", name ? name : "C");
    setlocale(LC_ALL, "C");
    return locale;
}

void system_locale_leave(const system_locale *locale) {
    setlocale(LC_ALL, locale->name);
    _configthreadlocale(locale->mode);
}

// ---- text into memory

void system_text_open(system_text *text) {
    *text = (system_text){.out = tmpfile()};
}

char *system_text_finish(system_text *text) {
    if (!text->out) return NULL;
    const long size = fflush(text->out) == 0 && !ferror(text->out) ? ftell(text->out) : -1;
    text->text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(text->out);
    if (text->text && fread(text->text, 1, (size_t)size, text->out) != (size_t)size) {
        free(text->text);
        text->text = NULL;
    }
    if (text->text) text->text[size] = '\0', text->size = (size_t)size;
    fclose(text->out);
    return text->text;
}

// ---- files and folders

const char *system_file_name(const char *path) {
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (*c == '/' || *c == '\\' || (*c == ':' && c == path + 1)) name = c + 1;
    return name;
}

bool system_is_absolute(const char *path) {
    return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':');
}

FILE *system_scratch_open(const char *path) {
    char folder[MAX_PATH + 1], name[MAX_PATH + 1];
    const size_t length = path ? (size_t)(system_file_name(path) - path) : 0;
    if (path && length < sizeof folder) {
        snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
        if (GetTempFileNameA(folder, "sn", 0, name)) {
            const int file = _open(name, _O_RDWR | _O_BINARY | _O_TEMPORARY | _O_TRUNC, 0);
            FILE *opened = file >= 0 ? _fdopen(file, "w+b") : NULL;
            if (opened) return opened;
            if (file >= 0) _close(file);
        }
    }
    return tmpfile();
}

bool system_append(FILE *file, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const unsigned some = size - done < 1 << 30 ? (unsigned)(size - done) : 1u << 30;
        const int wrote = _write(_fileno(file), (const char *)bytes + done, some);
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

bool system_read_at(FILE *file, void *bytes, size_t size, size_t offset) {
    HANDLE handle = (HANDLE)_get_osfhandle(_fileno(file));
    LARGE_INTEGER zero = {0}, before;
    if (!SetFilePointerEx(handle, zero, &before, FILE_CURRENT)) return false;
    bool good = true;
    for (size_t done = 0; good && done < size;) {
        const uint64_t at = offset + done;
        OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
        const DWORD some = size - done < 1 << 30 ? (DWORD)(size - done) : 1u << 30;
        DWORD got = 0;
        good = ReadFile(handle, (char *)bytes + done, some, &got, &place) && got > 0;
        done += got;
    }
    if (!good) errno = EIO;
    SetFilePointerEx(handle, before, NULL, FILE_BEGIN); // reading has moved it
    return good;
}

bool system_is_folder(const char *path) {
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool system_is_file(const char *path) {
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool system_make_folder(const char *path) {
    return _mkdir(path) == 0 || errno == EEXIST;
}

bool system_remove_folder(const char *path) {
    return _rmdir(path) == 0;
}

bool system_replace(const char *from, const char *to) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING)) return true;
    errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : EIO;
    return false;
}

bool system_make_unique_folder(char *path, system_lock *lock) {
    *lock = (system_lock){0};
    const size_t suffix = strlen(path) - 6;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(path + suffix, 7, "%06x", (unsigned)(GetCurrentProcessId() * 100 + i) & 0xffffff);
        if (_mkdir(path) != 0 && errno == EEXIST) continue;
        // Open without leave to delete: others cannot remove it.
        lock->handle = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                                   FILE_FLAG_BACKUP_SEMANTICS, NULL);
        return system_is_folder(path);
    }
    return false;
}

void system_unlock(system_lock *lock) {
    if (lock->handle && lock->handle != INVALID_HANDLE_VALUE) CloseHandle(lock->handle);
    lock->handle = NULL;
}

void system_list_folder(const char *path, system_entry_fn *entry, void *context) {
    char pattern[MAX_PATH + 3];
    WIN32_FIND_DATAA found;
    snprintf(pattern, sizeof pattern, "%s/*", path);
    HANDLE search = FindFirstFileA(pattern, &found);
    if (search == INVALID_HANDLE_VALUE) return;
    do entry(context, found.cFileName);
    while (FindNextFileA(search, &found));
    FindClose(search);
}
