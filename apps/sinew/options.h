// Options of commands: each has a table, from which options are parsed, checked and explained.
#ifndef SN_APP_OPTIONS_H
#define SN_APP_OPTIONS_H

#include <stdbool.h>

typedef enum {
    OPTION_FLAG,   // bool
    OPTION_INT,    // int
    OPTION_NUMBER, // double
    OPTION_TEXT,   // const char *
    OPTION_TEXTS,  // text_list: may be given several times
    OPTION_CHOICE, // int: which of 'choices'
    OPTION_SIZE,   // picture_size
} option_type;

#define TEXT_LIST_MAX 16

typedef struct {
    const char *items[TEXT_LIST_MAX];
    int count;
} text_list;

typedef struct {
    int width, height; // pixels
} picture_size;

typedef struct {
    const char *name;  // without dashes
    const char *alias; // an older name that is accepted but not listed, or null
    char letter;       // or 0
    option_type type;
    void *out;         // keeps its value if the option is absent
    const char *value; // name of the value in the help
    const char *help;
    double min, max; // of numbers; min itself is not allowed for OPTION_NUMBER
    const char *const *choices;
} option;

// The usage of a command.
typedef struct {
    const char *command;
    const char *arguments;    // for the usage line: "SCENE [-o OUT]..."
    const char *about;        // the rest of the help
    const option *options;    // ends with a null name
    int min_words, max_words; // words that are not options
} command_usage;

// Parses the arguments. Words that are not options are stored in `words` (at most usage->max_words). False: the command
// ends with *code, because the help or an error was printed.
bool options_parse(const command_usage *usage, int count, char **arguments, const char **words, int *word_count,
                   int *code);

// --- entries of the tables ---

option option_flag(const char *name, bool *out, const char *help);
option option_int(const char *name, int *out, const char *value, int min, int max, const char *help);
option option_number(const char *name, double *out, const char *value, double min, double max, const char *help);
option option_renamed(const char *alias, option renamed); // also accepts an older name
option option_text(const char *name, const char **out, const char *value, const char *help);
option option_texts(const char *name, text_list *out, const char *value, const char *help);
option option_choice(const char *name, int *out, const char *value, const char *const *choices, const char *help);

// Options of several commands: -o, --threads, -q, --size.
option option_output(const char **out, const char *value, const char *help);
option option_outputs(text_list *out, const char *value, const char *help);
option option_threads(int *out);
option option_quiet(bool *out);
option option_size(picture_size *out, const char *help);

// The default of --threads: all processors, within its range.
int processor_count(void);

#endif
