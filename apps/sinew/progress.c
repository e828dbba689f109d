// [=========>          ]  45%  2.25 s of 5 s, 12 s left
//
// Programs that show progress themselves set the variable SINEW_PROGRESS, and get lines instead:
//
// progress 0.4500 2.25 s of 5 s
#include "progress.h"
#include "base/platform.h"
#include "system/system.h"
#include <stdio.h>
#include <stdlib.h>

double clock_seconds(void) {
    return sn_platform_seconds();
}

void progress_start(progress *bar, bool quiet) {
    const char *lines = getenv("SINEW_PROGRESS");
    const bool in_lines = lines && *lines;
    double now = clock_seconds();
    *bar = (progress){!quiet && (in_lines || system_is_terminal(stderr)), in_lines, now, now};
}

void progress_update(progress *bar, double done, const char *words) {
    enum { WIDTH = 30 };
    double now = bar->shown ? clock_seconds() : 0;
    if (!bar->shown || now - bar->last < 0.1 || !(done > 0)) return;
    bar->last = now;
    if (bar->lines) {
        fprintf(stderr, "progress %.4f %s\n", done, words);
        return;
    }
    int full = (int)(done * WIDTH);
    char line[WIDTH + 1] = {0};
    for (int i = 0; i < WIDTH; i++) line[i] = i < full ? '=' : i == full ? '>' : ' ';
    double left = (now - bar->start) * (1 - done) / done;
    int hours = (int)(left / 3600), minutes = (int)(left / 60) % 60, seconds = (int)left % 60;
    fprintf(stderr, "\r[%s] %3.0f%%  %s, ", line, 100 * done, words);
    if (hours) fprintf(stderr, "%d h %d min left\033[K", hours, minutes);
    if (!hours && minutes) fprintf(stderr, "%d min %d s left\033[K", minutes, seconds);
    if (!hours && !minutes) fprintf(stderr, "%d s left\033[K", seconds);
}

void progress_show(void *bar, double done, const char *words) {
    progress_update(bar, done, words);
}

void progress_end(progress *bar) {
    if (bar->shown && !bar->lines) fprintf(stderr, "\r\033[K");
}
