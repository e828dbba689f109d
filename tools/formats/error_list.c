// Collects errors. The place of each stored error is found by a scan of the text when it is added.
#include "formats/error_list.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add(error_list *list, json_place place, const json_path *path, bool show_path, const char *format,
                va_list args) {
    int slot = list->count++;
    if (slot >= ERRORS_MAX) return;
    char *text = list->errors[slot].text;
    size_t capacity = sizeof list->errors[slot].text;
    int used = 0;
    if (show_path) {
        char where[240];
        json_path_text(path, where, sizeof where);
        used = snprintf(text, capacity, "%s: ", where);
    }
    vsnprintf(text + used, capacity - (size_t)used, format, args);
    list->errors[slot].place = place;
}

bool error_list_full(const error_list *list) {
    return list->count >= ERRORS_MAX;
}

static json_place find(const error_list *list, const json_path *path, bool of_key) {
    json_place place = {0, 0};
    if (list->text && !error_list_full(list)) json_where(list->text, list->size, path, of_key, &place);
    return place;
}

void error_at(error_list *list, const json_path *path, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(list, find(list, path, false), path, true, format, args);
    va_end(args);
}

void error_at_key(error_list *list, const json_path *path, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(list, find(list, path, true), path, true, format, args);
    va_end(args);
}

void error_at_place(error_list *list, json_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(list, place, NULL, false, format, args);
    va_end(args);
}

static void add_warning(error_list *list, const json_path *path, bool of_key, const char *format, va_list args) {
    char text[sizeof list->warnings[0].text];
    vsnprintf(text, sizeof text, format, args);
    if (list->warning_count >= WARNINGS_MAX) return;
    for (int i = 0; i < list->warning_count; i++)
        if (strcmp(list->warnings[i].text, text) == 0) return;
    const int slot = list->warning_count++;
    memcpy(list->warnings[slot].text, text, sizeof text);
    list->warnings[slot].place = find(list, path, of_key);
}

void warning_at(error_list *list, const json_path *path, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_warning(list, path, false, format, args);
    va_end(args);
}

void warning_at_key(error_list *list, const json_path *path, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_warning(list, path, true, format, args);
    va_end(args);
}

void warnings_print(const error_list *list, FILE *out) {
    for (int i = 0; i < list->warning_count; i++) {
        const json_place place = list->warnings[i].place;
        fprintf(out, "%s:", list->file);
        if (place.line > 0) fprintf(out, "%d:%d:", place.line, place.column);
        fprintf(out, " warning: %s\n", list->warnings[i].text);
    }
}

void errors_print(error_list *list, FILE *out) {
    int kept = list->count < ERRORS_MAX ? list->count : ERRORS_MAX;
    int order[ERRORS_MAX];
    for (int i = 0; i < kept; i++) { // insertion sort: few errors, and those of one place keep their order
        int j = i;
        json_place place = list->errors[i].place;
        while (j > 0) {
            json_place before = list->errors[order[j - 1]].place;
            if (before.line < place.line || (before.line == place.line && before.column <= place.column)) break;
            order[j] = order[j - 1];
            j--;
        }
        order[j] = i;
    }
    for (int i = 0; i < kept; i++) {
        json_place place = list->errors[order[i]].place;
        fprintf(out, "%s:", list->file);
        if (place.line > 0) fprintf(out, "%d:%d:", place.line, place.column);
        fprintf(out, " error: %s\n", list->errors[order[i]].text);
    }
    if (list->count > kept) {
        fprintf(out, "%s: error: %d more error%s not shown\n", list->file, list->count - kept,
                list->count - kept == 1 ? " is" : "s are");
    }
}
