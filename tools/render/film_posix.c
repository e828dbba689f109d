// Linux, macOS and their like. See film.h.
//
// Runs ffmpeg as a child process. It reads raw pictures from its standard input; its error output goes to an unnamed
// file. Odd widths and heights are padded by one, because common H.264 players need chroma subsampling by two.
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
    FILE *errors;
    size_t bytes;
};

bool film_possible(tool_error *error) {
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char name[4096];
        if (snprintf(name, sizeof name, "%.*s/ffmpeg", (int)length, at) < (int)sizeof name && access(name, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    tool_error_set(error, "films need ffmpeg, which is not in PATH; install it, or write .png or .glb");
    return false;
}

// In the child process: executes ffmpeg. Returns only on failure.
static void exec_ffmpeg(const film *f, int input, const char *file, int width, int height, double fps) {
    char size[32], rate[32], target[4200];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    snprintf(target, sizeof target, "file:%s", file); // protects names that look like options or URLs
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
    dup2(fileno(f->errors), STDERR_FILENO);
    int null_device = open("/dev/null", O_WRONLY);
    if (null_device >= 0) dup2(null_device, STDOUT_FILENO);
    signal(SIGINT, SIG_IGN); // we handle the interrupt and close the pipe
    signal(SIGPIPE, SIG_DFL);
    execvp("ffmpeg", (char *const *)arguments);
    fprintf(stderr, "cannot run ffmpeg: %s\n", strerror(errno));
}

film *film_start(const char *file, int width, int height, double fps, tool_error *error) {
    film *f = calloc(1, sizeof *f);
    int ends[2] = {-1, -1};
    if (f) f->errors = tmpfile();
    if (!f || !f->errors || pipe(ends) != 0) {
        tool_error_set(error, "cannot start ffmpeg: %s", strerror(errno));
        if (f && f->errors) fclose(f->errors);
        free(f);
        return NULL;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    f->bytes = 3 * (size_t)width * (size_t)height;
    f->child = fork();
    if (f->child == 0) {
        exec_ffmpeg(f, ends[0], file, width, height, fps);
        _exit(127);
    }
    const int code = errno;
    close(ends[0]);
    if (f->child > 0) {
        f->pipe = ends[1];
        return f;
    }
    tool_error_set(error, "cannot start ffmpeg: %s", strerror(code));
    close(ends[1]);
    fclose(f->errors);
    free(f);
    return NULL;
}

bool film_add(film *f, const unsigned char *pixels) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); // if the reader has exited, write() fails instead of killing us
    size_t written = 0;
    while (written < f->bytes) {
        ssize_t wrote = write(f->pipe, pixels + written, f->bytes - written);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        written += (size_t)wrote;
    }
    sigaction(SIGPIPE, &before, NULL);
    return written == f->bytes;
}

static int wait_for(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

bool film_finish(film *f, tool_error *error) {
    close(f->pipe);
    int status = wait_for(f->child);
    char text[200] = "";
    rewind(f->errors);
    size_t count = fread(text, 1, sizeof text - 1, f->errors);
    while (count && text[count - 1] == '\n') text[--count] = '\0';
    for (size_t i = 0; i < count; i++) text[i] = text[i] == '\n' ? ' ' : text[i];
    fclose(f->errors);
    free(f);
    // On a full disk ffmpeg prints an error but exits with 0.
    if (*text)
        tool_error_set(error, "ffmpeg: %s", text);
    else
        tool_error_set(error, "ffmpeg failed with exit code %d", WIFEXITED(status) ? WEXITSTATUS(status) : status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*text;
}

void film_abort(film *f) {
    if (!f) return;
    kill(f->child, SIGKILL);
    close(f->pipe);
    wait_for(f->child);
    fclose(f->errors);
    free(f);
}
