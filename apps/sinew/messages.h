// What several commands say, in the same words.
#ifndef SN_APP_MESSAGES_H
#define SN_APP_MESSAGES_H

#include "mesh/mesh_repair.h"
#include <stdarg.h>

// The command that runs, for "sinew COMMAND: ..." on stderr. Said once, by main.
void words_of_command(const char *name);

// "sinew COMMAND: ..." on stderr; returns the code, so that commands can return it.
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int out_of_memory(void);
// The same with "warning: ".
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A reader's own words, which name the file; EXIT_BAD_INPUT.
int bad_input(const char *error);
// "FILE: error: ..."; EXIT_BAD_INPUT.
int bad_file(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
// What cannot be made of a file: "out of memory" is not its fault.
int cannot_make(const char *file, const char *error);
// There is no such thing: "sinew COMMAND: there is no WHAT "name"; did you mean "other"?" Names end with a null.
int unknown_name(const char *what, const char *name, const char *const *names);

// Whether a name ends so, with something before it.
bool ends_with(const char *name, const char *ending);
// EXIT_DONE if a file to write is not asked for or its name has this ending; else says so.
int check_ending(const char *name, const char *ending);

// "s" behind a word, unless there is one.
const char *plural(int count);

// "surface      8 vertices, 12 triangles, closed"
void print_surface(const mesh_repair_report *report);
// Prints what mesh_repair did, one line each; the first one starts with the label.
void print_repair(const char *label, const mesh_repair_report *report);
// "box          2 x 2 x 2, from -1 -1 -1 to 1 1 1"
void print_box(const double low[3], const double high[3]);
// "written      FILE", a line each; those that are null were not asked for.
void print_written(const char *const *files, int count);

#endif
