// sinew: the command line. Finds the command and runs it. What it could not print is a failure.
#include "command.h"
#include "formats/quote.h"
#include "messages.h"
#include "sinew/sinew.h"
#include "system/system.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *help;
} command;

static const command commands[] = {
    {"run", command_run, "simulate a scene and write files"},
    {"check", command_check, "print every error of a scene, with line and column"},
    {"info", command_info, "print the contents of a scene, a mesh or a file of tetrahedra"},
    {"medial", command_medial, "compute the medial mesh of a surface"},
    {"zoo", command_zoo, "write a procedural model"},
    {"mesh", command_mesh, "repair, smooth, resample or decimate a mesh"},
    {"tet", command_tet, "fill a surface with tetrahedra"},
    {"elastic", command_elastic, "bake an elastic body from a surface"},
    {"implicit", command_implicit, "bake the implicit skin of a character"},
    {"viperize", command_viperize, "turn the surface of a muscle into rods"},
    {"anatomy", command_anatomy, "make a moving scene of a folder of bones and muscles"},
    {"bake", command_bake, "prepare a scene for the viewer's page"},
#ifdef SN_WITH_VIEW
    {"view", command_view, "show scenes in a browser and interact with them"},
#endif
    {"bench", command_bench, "measure the engine and the limits of the machine"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *out) {
    fprintf(out, "sinew: volumetric soft bodies and muscles in real time\n\nusage: sinew COMMAND [ARGUMENTS]\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++) fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
    fprintf(out,
            "\n'sinew COMMAND --help' explains each. Exit codes: 0 done, 1 the run failed, 2 usage or bad input.\n");
}

static int unknown_command(const char *name) {
    const char *names[COMMAND_COUNT + 1] = {0};
    char quoted[QUOTE_SIZE];
    for (int i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i].name;
    const char *near = suggest(name, names);
    fprintf(stderr, "sinew: unknown command %s", quote(name, quoted));
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    fprintf(stderr, "\nTry 'sinew --help'.\n");
    return EXIT_BAD_INPUT;
}

static int check_printed(const char *name, int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    const int error = errno;
    fprintf(stderr, "sinew%s%s: cannot write to the standard output%s%s\n", *name ? " " : "", name, error ? ": " : "",
            error ? strerror(error) : "");
    return code == EXIT_DONE ? EXIT_RUN_FAILED : code;
}

int main(int count, char **arguments) {
    system_prepare_program();
    if (count < 2) {
        print_help(stderr);
        return EXIT_BAD_INPUT;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return check_printed("", EXIT_DONE);
    }
    if (strcmp(name, "--version") == 0) {
        int version = sn_version();
        printf("sinew %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
        return check_printed("", EXIT_DONE);
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        words_of_command(name);
        return check_printed(name, commands[i].run(count - 2, arguments + 2));
    }
    return unknown_command(name);
}
