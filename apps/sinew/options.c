// --name value, --name=value, -n value, -nvalue; "--" ends options.
#include "options.h"
#include "io/quote.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const command_usage *usage) {
    printf("usage: sinew %s %s\n\n%s\n\n", usage->command, usage->arguments, usage->about);
    for (const option *o = usage->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (o->letter) snprintf(left, sizeof left, "-%c, --%s %s", o->letter, o->name, o->value ? o->value : "");
        printf("  %-22s %s\n", left, o->help);
    }
    printf("  %-22s %s\n", "--help", "this text");
}

static options_result wrong(const command_usage *usage) {
    fprintf(stderr, "Try 'sinew %s --help'.\n", usage->command);
    return OPTIONS_WRONG;
}

// The option a word names, and behind '=' or the letter its value (else null). 'length' is that of the name.
static const option *find_option(const command_usage *usage, const char *word, const char **value) {
    *value = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    for (const option *o = usage->options; o->name; o++) {
        if (is_long && strlen(o->name) == length && strncmp(o->name, name, length) == 0) {
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

static options_result unknown_option(const command_usage *usage, const char *word) {
    char quoted[QUOTE_SIZE], plain[64];
    snprintf(plain, sizeof plain, "%s", word + strspn(word, "-"));
    plain[strcspn(plain, "=")] = '\0';
    int best = suggest_reach(plain);
    const char *near = NULL;
    for (const option *o = usage->options; o->name; o++) {
        if (suggest_nearer(plain, o->name, &best)) near = o->name;
    }
    fprintf(stderr, "sinew %s: there is no option %s", usage->command, quote(word, quoted));
    if (near) fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, "\n");
    return wrong(usage);
}

static bool take_number(const option *o, const char *text, double *out) {
    char *end;
    double x = strtod(text, &end);
    bool whole = o->type == OPTION_INT;
    bool good = end != text && *end == '\0' && x >= o->min && x <= o->max && (whole || x > o->min);
    if (good && whole) good = x == (double)(int)x;
    *out = x;
    return good;
}

static bool take_choice(const option *o, const char *text) {
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            *(int *)o->out = i;
            return true;
        }
    }
    return false;
}

// What a value should have been, for a message.
static void say_wanted(const option *o) {
    if (o->type == OPTION_INT) fprintf(stderr, "a whole number from %.9g to %.9g", o->min, o->max);
    if (o->type == OPTION_NUMBER) fprintf(stderr, "a number greater than %.9g and at most %.9g", o->min, o->max);
    if (o->type == OPTION_TEXTS) fprintf(stderr, "given at most %d times", TEXT_LIST_MOST);
    for (int i = 0; o->type == OPTION_CHOICE && o->choices[i]; i++) {
        fprintf(stderr, "%s%s", i == 0 ? "" : o->choices[i + 1] ? ", " : " or ", o->choices[i]);
    }
}

static bool take_value(const command_usage *usage, const option *o, const char *text) {
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
        good = take_number(o, text, &number);
        if (good && o->type == OPTION_INT) *(int *)o->out = (int)number;
        if (good && o->type == OPTION_NUMBER) *(double *)o->out = number;
        break;
    case OPTION_CHOICE:
        good = take_choice(o, text);
        break;
    case OPTION_TEXTS: {
        text_list *list = o->out;
        good = list->count < TEXT_LIST_MOST;
        if (good) list->items[list->count++] = text;
        break;
    }
    }
    if (!good) {
        char quoted[QUOTE_SIZE];
        fprintf(stderr, "sinew %s: --%s must be ", usage->command, o->name);
        say_wanted(o);
        fprintf(stderr, ", is %s\n", quote(text, quoted));
    }
    return good;
}

options_result options_parse(const command_usage *usage, int count, char **arguments, const char **words,
                             int *word_count) {
    char quoted[QUOTE_SIZE];
    bool only_words = false;
    *word_count = 0;
    for (int i = 0; i < count; i++) {
        const char *word = arguments[i], *value;
        if (only_words || word[0] != '-' || word[1] == '\0') {
            if (*word_count == usage->most) {
                fprintf(stderr, "sinew %s: %s is too much\n", usage->command, quote(word, quoted));
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
            return OPTIONS_HELPED;
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
        if (!take_value(usage, o, value ? value : arguments[++i])) return wrong(usage);
    }
    if (*word_count < usage->least) {
        fprintf(stderr, "sinew %s: something is missing: sinew %s %s\n", usage->command, usage->command,
                usage->arguments);
        return wrong(usage);
    }
    return OPTIONS_GO_ON;
}
