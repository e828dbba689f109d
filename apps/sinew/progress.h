// A bar on a terminal that says how far a run is and how long it will take. Silent when stderr is no terminal.
#ifndef SN_APP_PROGRESS_H
#define SN_APP_PROGRESS_H

#include <stdbool.h>

typedef struct {
    bool shown;
    double start, last; // seconds of a clock
} progress;

// Seconds of a clock that never goes back.
double clock_seconds(void);

void progress_start(progress *bar, bool quiet);
// Draws at most ten times a second. 'done' goes from 0 to 1, 'words' stand behind the bar.
void progress_update(progress *bar, double done, const char *words);
// The same for those who report to a pointer, which is the bar.
void progress_show(void *bar, double done, const char *words);
// Removes the bar.
void progress_end(progress *bar);

#endif
