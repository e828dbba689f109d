// A progress bar with the remaining time. Silent if stderr is not a terminal, unless SINEW_PROGRESS asks for lines.
#ifndef SN_APP_PROGRESS_H
#define SN_APP_PROGRESS_H

#include <stdbool.h>

typedef struct {
    bool shown, lines;
    double start, last; // seconds of a clock
} progress;

// Seconds of a monotonic clock.
double clock_seconds(void);

void progress_start(progress *bar, bool quiet);
// Draws at most ten times a second. `done` goes from 0 to 1; `words` are printed after the bar.
void progress_update(progress *bar, double done, const char *words);
// The same as a callback, whose user pointer is the bar.
void progress_show(void *bar, double done, const char *words);
// Removes the bar.
void progress_end(progress *bar);

#endif
