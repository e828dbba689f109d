// ffmpeg is a program of its own: it gets raw pictures on its standard input, and what it complains about is kept in an
// unnamed file. Odd widths and heights get a row or column more, since H.264 as players know it halves the colours.
#include "render/film.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct film {
    int pipe;
    pid_t child;
    FILE *said;
    size_t bytes;
};

bool film_possible(char why[256]) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char name[4096];
        if (snprintf(name, sizeof name, "%.*s/ffmpeg", (int)length, at) < (int)sizeof name && access(name, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    snprintf(why, 256, "films need the program ffmpeg, which is not in PATH; install it, or write .png or .glb");
    return false;
}

// In the child: becomes ffmpeg. Returns only when that fails.
static void become_ffmpeg(const film *f, int input, const char *file, int width, int height, double fps) {
    char size[32], rate[32], target[4200];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    snprintf(target, sizeof target, "file:%s", file); // whatever the name looks like
    const char *const arguments[] = {
        "ffmpeg",
        "-hide_banner",
        "-loglevel",
        "error",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        size,
        "-r",
        rate,
        "-i",
        "-",
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "iec61966-2-1",
        "-c:v",
        "libx264",
        "-preset",
        "medium",
        "-crf",
        "18",
        "-threads",
        "2",
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
        target,
        NULL};
    dup2(input, STDIN_FILENO);
    dup2(fileno(f->said), STDERR_FILENO);
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
    signal(SIGINT, SIG_IGN); // an interrupt is ours to handle; we close the pipe
    signal(SIGPIPE, SIG_DFL);
    execvp("ffmpeg", (char *const *)arguments);
    fprintf(stderr, "cannot run ffmpeg: %s\n", strerror(errno));
}

film *film_start(const char *file, int width, int height, double fps, char why[256]) {
    film *made = calloc(1, sizeof *made);
    int ends[2] = {-1, -1};
    if (made) made->said = tmpfile();
    if (!made || !made->said || pipe(ends) != 0) {
        snprintf(why, 256, "cannot start ffmpeg: %s", strerror(errno));
        if (made && made->said) fclose(made->said);
        free(made);
        return NULL;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    made->bytes = 3 * (size_t)width * (size_t)height;
    made->child = fork();
    if (made->child == 0) {
        become_ffmpeg(made, ends[0], file, width, height, fps);
        _exit(127);
    }
    int error = errno;
    close(ends[0]);
    if (made->child > 0) {
        made->pipe = ends[1];
        return made;
    }
    snprintf(why, 256, "cannot start ffmpeg: %s", strerror(error));
    close(ends[1]);
    fclose(made->said);
    free(made);
    return NULL;
}

bool film_add(film *f, const unsigned char *pixels) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); // a reader that has ended is an error, not our end
    size_t done = 0;
    while (done < f->bytes) {
        ssize_t wrote = write(f->pipe, pixels + done, f->bytes - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += (size_t)wrote;
    }
    sigaction(SIGPIPE, &before, NULL);
    return done == f->bytes;
}

static int wait_for(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

bool film_finish(film *f, char why[256]) {
    close(f->pipe);
    int status = wait_for(f->child);
    char words[200] = "";
    rewind(f->said);
    size_t count = fread(words, 1, sizeof words - 1, f->said);
    while (count && words[count - 1] == '\n') words[--count] = '\0';
    for (size_t i = 0; i < count; i++) words[i] = words[i] == '\n' ? ' ' : words[i];
    fclose(f->said);
    free(f);
    // On a full disk ffmpeg complains and yet ends well.
    if (*words)
        snprintf(why, 256, "ffmpeg: %s", words);
    else
        snprintf(why, 256, "ffmpeg ended with %d", WIFEXITED(status) ? WEXITSTATUS(status) : status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*words;
}

void film_abort(film *f) {
    if (!f) return;
    kill(f->child, SIGKILL);
    close(f->pipe);
    wait_for(f->child);
    fclose(f->said);
    free(f);
}
