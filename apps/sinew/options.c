// --name value, --name=value, -n value, -nvalue; "--" ends options.
#include "options.h"
#include "command.h"
#include "formats/quote.h"
#include "render/render.h"
#include "system/system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64, MIN_SIDE = 16, MAX_SIDE = 16384 };

// Prints the help of an option beside its name, in lines that fit a terminal.
static void print_option(const char *left, const char *help) {
    enum { INDENT = 25, WIDTH = 100 };
    printf("  %-22s", left);
    int column = strlen(left) > 22 ? WIDTH : INDENT - 1; // a long name has a line of its own
    for (const char *word = help; *word;) {
        const int length = (int)strcspn(word, " ");
        if (column + 1 + length > WIDTH) {
            printf("\n%*s", INDENT - 1, "");
            column = INDENT - 1;
        }
        printf(" %.*s", length, word);
        column += 1 + length;
        word += length + strspn(word + length, " ");
    }
    printf("\n");
}

static void print_help(const command_usage *usage) {
    printf("usage: sinew %s %s\n\n%s\n\n", usage->command, usage->arguments, usage->about);
    for (const option *o = usage->options; o->name; o++) {
        char left[64];
        int used = o->letter ? snprintf(left, sizeof left, "-%c, ", o->letter) : 0;
        used += snprintf(left + used, sizeof left - (size_t)used, "--%s", o->name);
        if (o->value) snprintf(left + used, sizeof left - (size_t)used, " %s", o->value);
        print_option(left, o->help);
    }
    print_option("--help", "this text");
}

static bool wrong(const command_usage *usage) {
    fprintf(stderr, "Try 'sinew %s --help'.\n", usage->command);
    return false;
}

static bool is_named(const char *option_name, const char *name, size_t length) {
    return option_name && strlen(option_name) == length && strncmp(option_name, name, length) == 0;
}

// The option of a word, and its value after '=' or the letter (else null). `length` is that of the name.
static const option *find_option(const command_usage *usage, const char *word, const char **value) {
    *value = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    for (const option *o = usage->options; o->name; o++) {
        if (is_long && (is_named(o->name, name, length) || is_named(o->alias, name, length))) {
            if (equals) *value = equals + 1;
            return o;
        }
        if (!is_long && o->letter && o->letter == word[1]) {
            if (word[2]) *value = word + 2;
            return o;
        }
    }
    return NULL;
}

static bool unknown_option(const command_usage *usage, const char *word) {
    char quoted[QUOTE_SIZE], plain[64];
    snprintf(plain, sizeof plain, "%s", word + strspn(word, "-"));
    plain[strcspn(plain, "=")] = '\0';
    int best = suggest_reach(plain);
    const char *near = NULL;
    for (const option *o = usage->options; o->name; o++) {
        if (suggest_nearer(plain, o->name, &best)) near = o->name;
    }
    fprintf(stderr, "sinew %s: unknown option %s", usage->command, quote(word, quoted));
    if (near) fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, "\n");
    return wrong(usage);
}

static bool parse_number(const option *o, const char *text, double *out) {
    char *end;
    double x = strtod(text, &end);
    bool whole = o->type == OPTION_INT;
    bool good = end != text && *end == '\0' && x >= o->min && x <= o->max && (whole || x > o->min);
    if (good && whole) good = x == (double)(int)x;
    *out = x;
    return good;
}

static bool parse_choice(const option *o, const char *text) {
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            *(int *)o->out = i;
            return true;
        }
    }
    return false;
}

static bool parse_size(const char *text, picture_size *out) {
    int end = 0;
    picture_size size;
    if (sscanf(text, "%5dx%5d%n", &size.width, &size.height, &end) != 2 || end == 0 || text[end]) return false;
    if (size.width < MIN_SIDE || size.height < MIN_SIDE || size.width > MAX_SIDE || size.height > MAX_SIDE ||
        (long long)size.width * size.height > RENDER_MAX_PIXELS)
        return false;
    *out = size;
    return true;
}

// Prints what a value must be.
static void print_expected(const option *o) {
    if (o->type == OPTION_INT) fprintf(stderr, "a whole number from %.9g to %.9g", o->min, o->max);
    if (o->type == OPTION_NUMBER) fprintf(stderr, "a number greater than %.9g and at most %.9g", o->min, o->max);
    if (o->type == OPTION_SIZE) fprintf(stderr, "WxH with both from %d to %d, such as 1280x720", MIN_SIDE, MAX_SIDE);
    if (o->type == OPTION_TEXTS) fprintf(stderr, "given at most %d times", TEXT_LIST_MAX);
    for (int i = 0; o->type == OPTION_CHOICE && o->choices[i]; i++) {
        fprintf(stderr, "%s%s", i == 0 ? "" : o->choices[i + 1] ? ", " : " or ", o->choices[i]);
    }
}

static bool parse_value(const command_usage *usage, const option *o, const char *text) {
    double number = 0;
    bool good = true;
    switch (o->type) {
    case OPTION_FLAG:
        break;
    case OPTION_TEXT:
        *(const char **)o->out = text;
        break;
    case OPTION_INT:
    case OPTION_NUMBER:
        good = parse_number(o, text, &number);
        if (good && o->type == OPTION_INT) *(int *)o->out = (int)number;
        if (good && o->type == OPTION_NUMBER) *(double *)o->out = number;
        break;
    case OPTION_CHOICE:
        good = parse_choice(o, text);
        break;
    case OPTION_SIZE:
        good = parse_size(text, o->out);
        break;
    case OPTION_TEXTS: {
        text_list *list = o->out;
        good = list->count < TEXT_LIST_MAX;
        if (good) list->items[list->count++] = text;
        break;
    }
    }
    if (!good) {
        char quoted[QUOTE_SIZE];
        fprintf(stderr, "sinew %s: --%s must be ", usage->command, o->name);
        print_expected(o);
        fprintf(stderr, ", is %s\n", quote(text, quoted));
    }
    return good;
}

bool options_parse(const command_usage *usage, int count, char **arguments, const char **words, int *word_count,
                   int *code) {
    char quoted[QUOTE_SIZE];
    bool only_words = false;
    *word_count = 0;
    *code = EXIT_BAD_INPUT; // until everything is parsed
    for (int i = 0; i < count; i++) {
        const char *word = arguments[i], *value;
        if (only_words || word[0] != '-' || word[1] == '\0') {
            if (*word_count == usage->max_words) {
                fprintf(stderr, "sinew %s: unexpected argument %s\n", usage->command, quote(word, quoted));
                return wrong(usage);
            }
            words[(*word_count)++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_words = true;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(usage);
            *code = EXIT_DONE;
            return false;
        }
        const option *o = find_option(usage, word, &value);
        if (!o) return unknown_option(usage, word);
        if (o->type == OPTION_FLAG) {
            if (value) {
                fprintf(stderr, "sinew %s: --%s takes no value\n", usage->command, o->name);
                return wrong(usage);
            }
            *(bool *)o->out = true;
            continue;
        }
        if (!value && i + 1 >= count) {
            fprintf(stderr, "sinew %s: --%s needs a value, %s\n", usage->command, o->name, o->value);
            return wrong(usage);
        }
        if (!parse_value(usage, o, value ? value : arguments[++i])) return wrong(usage);
    }
    if (*word_count < usage->min_words) {
        fprintf(stderr, "sinew %s: missing argument: sinew %s %s\n", usage->command, usage->command, usage->arguments);
        return wrong(usage);
    }
    *code = EXIT_DONE;
    return true;
}

// --- entries of the tables ---

option option_flag(const char *name, bool *out, const char *help) {
    return (option){.name = name, .type = OPTION_FLAG, .out = out, .help = help};
}

option option_int(const char *name, int *out, const char *value, int min, int max, const char *help) {
    return (option){.name = name, .type = OPTION_INT, .out = out, .value = value, .help = help, .min = min, .max = max};
}

option option_number(const char *name, double *out, const char *value, double min, double max, const char *help) {
    return (option){
        .name = name, .type = OPTION_NUMBER, .out = out, .value = value, .help = help, .min = min, .max = max};
}

option option_renamed(const char *alias, option renamed) {
    renamed.alias = alias;
    return renamed;
}

option option_text(const char *name, const char **out, const char *value, const char *help) {
    return (option){.name = name, .type = OPTION_TEXT, .out = (void *)out, .value = value, .help = help};
}

option option_texts(const char *name, text_list *out, const char *value, const char *help) {
    return (option){.name = name, .type = OPTION_TEXTS, .out = out, .value = value, .help = help};
}

option option_choice(const char *name, int *out, const char *value, const char *const *choices, const char *help) {
    return (option){.name = name, .type = OPTION_CHOICE, .out = out, .value = value, .help = help, .choices = choices};
}

static option with_letter(char letter, option o) {
    o.letter = letter;
    return o;
}

option option_output(const char **out, const char *value, const char *help) {
    return with_letter('o', option_text("output", out, value, help));
}

option option_outputs(text_list *out, const char *value, const char *help) {
    return with_letter('o', option_texts("output", out, value, help));
}

option option_threads(int *out) {
    return option_int("threads", out, "N", 1, MAX_THREADS,
                      "number of threads; default all processors. Results do not depend on it");
}

option option_quiet(bool *out) {
    return with_letter('q', option_flag("quiet", out, "print only errors and warnings"));
}

option option_size(picture_size *out, const char *help) {
    return (option){.name = "size", .type = OPTION_SIZE, .out = out, .value = "WxH", .help = help};
}

int processor_count(void) {
    const int processors = system_processors();
    return processors > MAX_THREADS ? MAX_THREADS : processors;
}
