// The commands of the command line: one file each, listed in main.c.
#ifndef SN_APP_COMMAND_H
#define SN_APP_COMMAND_H

// Exit codes.
enum {
    EXIT_DONE = 0,
    EXIT_RUN_FAILED = 1, // the error is on stderr
    EXIT_BAD_INPUT = 2,  // usage, or a file with errors
};

// The arguments are those after the name of the command.
int command_run(int count, char **arguments);
int command_check(int count, char **arguments);
int command_info(int count, char **arguments);
int command_zoo(int count, char **arguments);
int command_medial(int count, char **arguments);
int command_mesh(int count, char **arguments);
int command_tet(int count, char **arguments);
int command_elastic(int count, char **arguments);
int command_implicit(int count, char **arguments);
int command_viperize(int count, char **arguments);
int command_anatomy(int count, char **arguments);
int command_bake(int count, char **arguments);
int command_view(int count, char **arguments); // not in every build
int command_bench(int count, char **arguments);

#endif
