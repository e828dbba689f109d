// sinew view: shows scenes in a browser; the engine runs on this machine.
//
//     browser  <--WebSocket-->  view_server (network)  <-->  view_session (meeting place)  <-->  view_engine (the run)
//
// Ctrl-C ends it.
#include "command.h"
#include "formats/quote.h"
#include "messages.h"
#include "options.h"
#include "view_engine.h"
#include "view_server.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PORT  8383
#define DEFAULT_SCENE "octopus-drop"

enum { PATH_SIZE = 4096 };

typedef struct {
    const char *scene, *scenes, *page;
    int port; // -1: default
    int threads;
    bool no_open;
} view_options;

static bool parse_options(int count, char **arguments, view_options *out, int *code) {
    const option options[] = {
        option_int("port", &out->port, "P", 0, 65535,
                   "port to listen on, 0 for any free one; default 8383, or a free one if that is in use"),
        option_flag("no-open", &out->no_open, "do not open a browser"),
        option_threads(&out->threads),
        option_text("scenes", &out->scenes, "DIR", "folder of scenes; default that of Sinew"),
        option_text("page", &out->page, "DIR", "folder of the built page; default the one beside the program"),
        {.name = NULL},
    };
    const command_usage usage = {"view",
                                 "[SCENE] [--port P] [--no-open] [--threads N] [--scenes DIR] [--page DIR]",
                                 "Shows scenes in a browser, where you can interact with them. SCENE is a file, or the "
                                 "name of a scene of the folder;\n"
                                 "default " DEFAULT_SCENE
                                 ". Other scenes can be chosen in the page. Only who has the printed address, on "
                                 "this machine, can connect.\n"
                                 "Several pages may watch; one controls the scene. Ctrl-C ends it.",
                                 options,
                                 0,
                                 1};
    int words;
    return options_parse(&usage, count, arguments, &out->scene, &words, code);
}

// --- finding things ---

static bool exists(const char *folder, const char *inside) {
    char path[PATH_SIZE];
    struct stat info;
    int length = snprintf(path, sizeof path, "%s%s%s", folder, inside ? "/" : "", inside ? inside : "");
    return length < (int)sizeof path && stat(path, &info) == 0;
}

// Looks for a folder at its places after a build and after an installation, relative to the program, then in the
// current folder.
static bool find_folder(const char *const places[], const char *inside, char out[PATH_SIZE]) {
    char program[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash) *slash = 0;
    for (int i = 0; places[i]; i++) {
        bool beside = places[i][0] != '.' || places[i][1] != '/';
        if (beside && !slash) continue;
        int written = snprintf(out, PATH_SIZE, "%s%s%s", beside ? program : "", beside ? "/" : "", places[i]);
        if (written < PATH_SIZE && exists(out, inside)) return true;
    }
    return false;
}

// The page's folder; null: an error was printed.
static const char *page_folder(const view_options *options, char buffer[PATH_SIZE]) {
    static const char *const places[] = {"page", "../share/sinew/page", NULL};
    char quoted[QUOTE_SIZE];
    if (options->page) {
        if (exists(options->page, "index.html")) return options->page;
        fail(EXIT_BAD_INPUT, "%s has no index.html; 'make web' builds the page into build/release/page",
             quote(options->page, quoted));
        return NULL;
    }
    if (find_folder(places, "index.html", buffer)) return buffer;
    fail(EXIT_BAD_INPUT, "the page is not built; 'make web' builds it, or use --page DIR");
    return NULL;
}

// The folder of scenes; null: there is none. False: an error was printed.
static bool scenes_folder(const view_options *options, char buffer[PATH_SIZE], const char **out) {
    static const char *const places[] = {"scenes", "../share/sinew/scenes", "../../scenes", "./scenes", NULL};
    char quoted[QUOTE_SIZE];
    struct stat info;
    *out = options->scenes;
    if (!options->scenes) {
        *out = find_folder(places, NULL, buffer) ? buffer : NULL;
        return true;
    }
    if (stat(options->scenes, &info) == 0 && S_ISDIR(info.st_mode)) return true;
    fail(EXIT_BAD_INPUT, "--scenes must be a folder, is %s", quote(options->scenes, quoted));
    return false;
}

// The first scene; a file is added to the scenes. Null: an error was printed.
static const char *first_scene(const view_options *options, view_scenes *scenes) {
    const char *name = options->scene ? options->scene : DEFAULT_SCENE;
    char quoted[QUOTE_SIZE];
    if (scenes_has(scenes, name)) return name;
    if (options->scene && access(name, F_OK) == 0) {
        const char *added = scenes_add_file(scenes, name);
        if (!added) out_of_memory();
        return added;
    }
    if (!options->scene && scenes_count(scenes) == 0) {
        fail(EXIT_BAD_INPUT, "no scenes found; use sinew view SCENE, or --scenes DIR");
        return NULL;
    }
    const char *near = scenes_near(scenes, name);
    fprintf(stderr, "sinew view: no scene or file %s", quote(name, quoted));
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    if (scenes_count(scenes) == 0) fprintf(stderr, "; no folder of scenes was found: use --scenes DIR");
    fprintf(stderr, "\n");
    return NULL;
}

// --- the browser ---

extern char **environ;

// Best effort: the address is printed too, and a machine without a screen has no browser.
static void open_browser(const char *address) {
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    char program[] = "xdg-open", copy[SERVER_ADDRESS_SIZE];
    snprintf(copy, sizeof copy, "%s", address);
    char *arguments[] = {program, copy, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    pid_t child;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    for (int i = 0; i < 3; i++) posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0); // Ctrl-C ends us, not the browser
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnp(&child, program, &files, &how, arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
}

// --- the run ---

static view_server *start_server(const view_options *options, server_settings *settings, tool_error *error) {
    settings->port = options->port >= 0 ? options->port : DEFAULT_PORT;
    view_server *server = server_start(settings, error);
    if (server || options->port >= 0) return server;
    settings->port = 0;
    return server_start(settings, error);
}

static int serve(const view_options *options, const char *page, view_scenes *scenes, const char *scene) {
    tool_error error = {.text = "out of memory"};
    char quoted[QUOTE_SIZE];

    // Only this thread receives signals, by sigwait.
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    signal(SIGCHLD, SIG_IGN); // do not wait for the browser

    const char *list = scenes_list(scenes);
    view_session *session = list ? view_session_new(list) : NULL;
    view_engine *engine = session ? engine_start(session, scenes, scene, options->threads, &error) : NULL;
    if (!engine) {
        fail(EXIT_BAD_INPUT, "the scene %s cannot be opened: %s", quote(scene, quoted), error.text);
        view_session_free(session);
        return EXIT_BAD_INPUT;
    }
    server_settings settings = {.page = page, .scenes = scenes, .session = session};
    view_server *server = start_server(options, &settings, &error);
    if (server) {
        char address[SERVER_ADDRESS_SIZE];
        server_address(server, false, address);
        printf("sinew view: %s shows %s. Ctrl-C ends it.\n", address, scene);
        fflush(stdout);
        server_address(server, true, address); // others may read command lines
        if (!options->no_open) open_browser(address);
        int number;
        sigwait(&ends, &number);
    } else {
        fail(EXIT_RUN_FAILED, "%s", error.text);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL); // a second Ctrl-C ends at once
    view_session_close(session);
    server_stop(server);
    engine_join(engine);
    view_session_free(session);
    return server ? EXIT_DONE : EXIT_RUN_FAILED;
}

int command_view(int count, char **arguments) {
    view_options options = {.port = -1, .threads = processor_count()};
    int code;
    if (!parse_options(count, arguments, &options, &code)) return code;
    char page_path[PATH_SIZE], scenes_path[PATH_SIZE];
    const char *folder;
    if (!scenes_folder(&options, scenes_path, &folder)) return EXIT_BAD_INPUT;
    view_scenes *scenes = scenes_find(folder);
    if (!scenes) return out_of_memory();
    const char *scene = first_scene(&options, scenes);
    const char *page = scene ? page_folder(&options, page_path) : NULL;
    code = page ? serve(&options, page, scenes, scene) : EXIT_BAD_INPUT;
    scenes_free(scenes);
    return code;
}
