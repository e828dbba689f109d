// What the tools and the command line ask of the operating system besides base/platform.h. system_posix.c and
// system_windows.c implement it, one for each family of systems; formats/atomic_file_posix.c and formats/atomic_file_windows.c put
// files in place, render/film_posix.c and render/film_windows.c run ffmpeg.
#ifndef SN_SYSTEM_SYSTEM_H
#define SN_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// ---- the processor and the program

int system_processors(void);     // at least 1
double system_load(void);        // processes that want to run, over the last minute; -1: unknown
double system_cpu_seconds(void); // processor time of this process
bool system_is_terminal(FILE *stream);
void system_prepare_program(void); // standard streams are open, a closed pipe is a write error
void system_program_folder(char *out,
                           size_t capacity); // of the program's file, with a separator at the end; "": unknown
const char *system_cache_folder(char *out, size_t capacity); // of this user, for our files; null: unknown

// ---- numbers with a decimal point, whatever the program's locale: the C locale for the calling thread, until it is left

typedef struct {
    void *own, *before;
    char name[64];
    int mode;
} system_locale;

system_locale system_locale_enter(void);
void system_locale_leave(const system_locale *locale);

// ---- text into memory

typedef struct {
    FILE *out; // write here; null: out of memory
    char *text;
    size_t size;
} system_text;

// Finishing returns the text, with a zero after it, which the caller frees; null: out of memory.
void system_text_open(system_text *text);
char *system_text_finish(system_text *text);

// ---- files and folders

// What follows the last separator of a path.
const char *system_file_name(const char *path);
bool system_is_absolute(const char *path);

// A file for writing and reading that goes when it is closed, beside 'path', or in the system's folder for such files (null,
// or where nothing can be created). Null: errno is set.
FILE *system_scratch_open(const char *path);

// Appends to a scratch file and reads from any place of a file, without its stream's buffer; several may read at once. False:
// errno is set.
bool system_append(FILE *file, const void *bytes, size_t size);
bool system_read_at(FILE *file, void *bytes, size_t size, size_t offset);

bool system_is_folder(const char *path);
bool system_is_file(const char *path);                 // something that is no folder
bool system_make_folder(const char *path);             // one that is there is right too; false: errno is set
bool system_remove_folder(const char *path);           // an empty one
bool system_replace(const char *from, const char *to); // renames; false: errno is set

// Creates a folder from a template that ends in XXXXXX, which is changed, and keeps it locked until it is unlocked or the process
// ends. False: errno is set.
typedef struct {
    void *handle;
    int file;
} system_lock;
bool system_make_unique_folder(char *path, system_lock *lock);
void system_unlock(system_lock *lock);

// Calls back with the name of each entry of a folder.
typedef void system_entry_fn(void *context, const char *name);
void system_list_folder(const char *path, system_entry_fn *entry, void *context);

#endif
