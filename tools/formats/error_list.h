// A list of errors in a text file, each with its place, printed in the order of the file.
#ifndef SN_FORMATS_ERROR_LIST_H
#define SN_FORMATS_ERROR_LIST_H

#include "formats/json_where.h"
#include <stdio.h>

#define ERRORS_MAX   20
#define WARNINGS_MAX 20

typedef struct {
    const char *file; // as the user named it
    const char *text; // what was parsed, to find places in; may be null
    size_t size;
    int warning_count; // warnings so far; only the first WARNINGS_MAX are stored
    struct {
        json_place place;
        char text[240];
    } warnings[WARNINGS_MAX];
    int count; // errors so far; only the first ERRORS_MAX are stored
    struct {
        json_place place; // line 0: about the file as a whole
        char text[480];
    } errors[ERRORS_MAX];
} error_list;

// Adds an error at a value ("path: text"), at a key, or at a known place (text only).
__attribute__((format(printf, 3, 4))) void error_at(error_list *list, const json_path *path, const char *format, ...);
__attribute__((format(printf, 3, 4))) void error_at_key(error_list *list, const json_path *path, const char *format,
                                                        ...);
__attribute__((format(printf, 3, 4))) void error_at_place(error_list *list, json_place place, const char *format, ...);

// Adds a warning at a value or at a key, unless the same text is there already.
__attribute__((format(printf, 3, 4))) void warning_at(error_list *list, const json_path *path, const char *format, ...);
__attribute__((format(printf, 3, 4))) void warning_at_key(error_list *list, const json_path *path, const char *format,
                                                          ...);

// Prints "file:line:column: warning: text" for each.
void warnings_print(const error_list *list, FILE *out);

// Whether further errors would only be counted, so that composing a text is useless.
bool error_list_full(const error_list *list);

// Prints "file:line:column: error: text" for each, and how many are not shown.
void errors_print(error_list *list, FILE *out);

#endif
