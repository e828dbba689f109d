// Options of all commands: a table per command is parsed, checked and explained here.
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
} option_type;

#define TEXT_LIST_MOST 16

typedef struct {
    const char *items[TEXT_LIST_MOST];
    int count;
} text_list;

typedef struct {
    const char *name; // without dashes
    char letter;      // or 0
    option_type type;
    void *out;         // keeps its value when the option is not given
    const char *value; // what the help calls the value
    const char *help;
    double min, max; // of numbers; min itself is not allowed for OPTION_NUMBER
    const char *const *choices;
} option;

// How a command is called.
typedef struct {
    const char *command;
    const char *arguments; // for the usage line: "SCENE [-o OUT]..."
    const char *about;     // the rest of the help
    const option *options; // ends with a null name
    int least, most;       // words that are no options
} command_usage;

typedef enum { OPTIONS_GO_ON, OPTIONS_HELPED, OPTIONS_WRONG } options_result;

// Parses; words that are no options go to 'words' (room for usage->most). --help prints the help. Mistakes are said on stderr.
options_result options_parse(const command_usage *usage, int count, char **arguments, const char **words,
                             int *word_count);

#endif
