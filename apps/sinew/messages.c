// See messages.h.
#include "messages.h"
#include "command.h"
#include "formats/quote.h"
#include <stdio.h>
#include <string.h>

static const char *command; // set once

void words_of_command(const char *name) {
    command = name;
}

// --- stderr ---

// "NAME: ...", with text before and after the name.
static void print_message(const char *before, const char *name, const char *behind, const char *format, va_list words) {
    fprintf(stderr, "%s%s: %s", before, name, behind);
    vfprintf(stderr, format, words);
    fprintf(stderr, "\n");
}

int fail(int code, const char *format, ...) {
    va_list words;
    va_start(words, format);
    print_message("sinew ", command, "", format, words);
    va_end(words);
    return code;
}

int out_of_memory(void) {
    return fail(EXIT_RUN_FAILED, "out of memory");
}

void warn(const char *format, ...) {
    va_list words;
    va_start(words, format);
    print_message("sinew ", command, "warning: ", format, words);
    va_end(words);
}

int bad_input(const char *error) {
    fprintf(stderr, "%s\n", error);
    return EXIT_BAD_INPUT;
}

int bad_file(const char *file, const char *format, ...) {
    va_list words;
    va_start(words, format);
    print_message("", file, "error: ", format, words);
    va_end(words);
    return EXIT_BAD_INPUT;
}

int cannot_make(const char *file, const char *error) {
    const char *memory = "out of memory";
    return strncmp(error, memory, strlen(memory)) == 0 ? fail(EXIT_RUN_FAILED, "%s", error)
                                                       : bad_file(file, "%s", error);
}

int unknown_name(const char *what, const char *name, const char *const *names) {
    char quoted[QUOTE_SIZE];
    const char *near = suggest(name, names);
    fprintf(stderr, "sinew %s: there is no %s %s", command, what, quote(name, quoted));
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    fprintf(stderr, "\n");
    return EXIT_BAD_INPUT;
}

// --- names ---

bool ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

int check_ending(const char *name, const char *ending) {
    char quoted[QUOTE_SIZE];
    if (!name || ends_with(name, ending)) return EXIT_DONE;
    return fail(EXIT_BAD_INPUT, "the ending of %s is not %s", quote(name, quoted), ending);
}

// --- stdout ---

const char *plural(int count) {
    return count == 1 ? "" : "s";
}

void print_surface(const mesh_repair_report *r) {
    printf("%-12s %d vertices, %d triangles, %s\n", "surface", r->vertices, r->triangles,
           r->closed ? "closed" : "open");
}

void print_repair(const char *label, const mesh_repair_report *r) {
    const struct {
        int count;
        const char *what;
    } done[] = {{r->welded, "vertices welded"},
                {r->unused, "unused vertices dropped"},
                {r->degenerate, "degenerate triangles dropped"},
                {r->duplicate, "duplicate or back-to-back triangles dropped"},
                {r->flipped, "triangles flipped"},
                {r->filled, "holes filled"}};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        if (done[i].count == 0) continue;
        printf("%-12s %d %s\n", label, done[i].count, done[i].what);
        label = "";
    }
}

void print_box(const double low[3], const double high[3]) {
    printf("%-12s %.6g x %.6g x %.6g, from %.5g %.5g %.5g to %.5g %.5g %.5g\n", "box", high[0] - low[0],
           high[1] - low[1], high[2] - low[2], low[0], low[1], low[2], high[0], high[1], high[2]);
}

void print_written(const char *const *files, int count) {
    const char *label = "written";
    for (int i = 0; i < count; i++) {
        if (!files[i]) continue;
        printf("%-12s %s\n", label, files[i]);
        label = "";
    }
}
