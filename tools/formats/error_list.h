// A list of mistakes in a text file, each with its place, told in the order of the file.
#ifndef SN_FORMATS_ERROR_LIST_H
#define SN_FORMATS_ERROR_LIST_H

#include "formats/json_where.h"
#include <stdio.h>

#define MISTAKES_KEPT 20
#define WARNINGS_KEPT 20

typedef struct {
    const char *file; // as the user named it
    const char *text; // what was parsed, to find places in; may be null
    size_t size;
    int warning_count; // warnings so far; only the first WARNINGS_KEPT are kept
    struct {
        json_place place;
        char words[240];
    } warnings[WARNINGS_KEPT];
    int count; // mistakes so far; only the first MISTAKES_KEPT are kept
    struct {
        json_place place; // line 0: about the file as a whole
        char words[480];
    } kept[MISTAKES_KEPT];
} mistake_list;

// Adds a mistake at a value ("path: words"), at a key, or at a known place (words only).
__attribute__((format(printf, 3, 4))) void mistake_at(mistake_list *list, const json_path *path, const char *format,
                                                      ...);
__attribute__((format(printf, 3, 4))) void mistake_at_key(mistake_list *list, const json_path *path, const char *format,
                                                          ...);
__attribute__((format(printf, 3, 4))) void mistake_at_place(mistake_list *list, json_place place, const char *format,
                                                            ...);

// Adds a warning at a key, unless the same words are there already.
__attribute__((format(printf, 3, 4))) void warning_at_key(mistake_list *list, const json_path *path, const char *format,
                                                          ...);

// Prints "file:line:column: warning: words" for each.
void warnings_print(const mistake_list *list, FILE *out);

// Whether more would only be counted: then there is no use in looking for words.
bool mistakes_full(const mistake_list *list);

// Prints "file:line:column: error: words" for each and says how many more there were.
void mistakes_print(mistake_list *list, FILE *out);

#endif
