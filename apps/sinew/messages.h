// Messages that several commands share.
#ifndef SN_APP_MESSAGES_H
#define SN_APP_MESSAGES_H

#include "mesh/mesh_repair.h"
#include <stdarg.h>

// Sets the name of the command, for "sinew COMMAND: ..." on stderr. Called once, by main.
void words_of_command(const char *name);

// "sinew COMMAND: ..." on stderr; returns the code, so that commands can return it.
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int out_of_memory(void);
// The same with "warning: ".
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The error of a reader, which names the file; returns EXIT_BAD_INPUT.
int bad_input(const char *error);
// "FILE: error: ..."; returns EXIT_BAD_INPUT.
int bad_file(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A failure to process a file. "out of memory" is not the fault of the file: EXIT_RUN_FAILED.
int cannot_make(const char *file, const char *error);
// An unknown name: "sinew COMMAND: there is no WHAT "name"; did you mean "other"?" Names end with a null.
int unknown_name(const char *what, const char *name, const char *const *names);

// Whether a name has an ending, with something before it.
bool ends_with(const char *name, const char *ending);
// EXIT_DONE if a file name is null or has this ending; else prints the error.
int check_ending(const char *name, const char *ending);

// The "s" of a plural; empty for 1.
const char *plural(int count);

// "surface      8 vertices, 12 triangles, closed"
void print_surface(const mesh_repair_report *report);
// Prints what mesh_repair did, one line each; the first one starts with the label.
void print_repair(const char *label, const mesh_repair_report *report);
// "box          2 x 2 x 2, from -1 -1 -1 to 1 1 1"
void print_box(const double low[3], const double high[3]);
// "written      FILE", a line each; null names are skipped.
void print_written(const char *const *files, int count);

#endif
