// Charts as SVG: panels one below the other over one axis of time, each with lines, a legend, and axes with round
// ticks. Plain text without scripts; it follows the reader's preference for light or dark colours.
#ifndef SN_CAPTURE_PLOT_H
#define SN_CAPTURE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

// Values that are not finite (on a logarithmic axis: not positive) leave a gap in the line.
typedef struct {
    const char *name;    // in the legend
    const double *t, *y; // s, ascending; and what is plotted
    int count;
} plot_line;

typedef struct {
    const char *title;
    const char *unit; // "J": may get a prefix, such as kJ; "%" and "" never do
    bool logarithmic;
    double min_range; // the axis spans at least this: 0.01 keeps the rounding of a constant from filling the panel
    const plot_line *lines;
    int line_count;
} plot_panel;

typedef struct {
    const char *title, *subtitle; // UTF-8, or null
    double end;                   // s: the axis of time goes from 0 to here
    const plot_panel *panels;
    int panel_count;
} plot_chart;

void plot_write(FILE *out, const plot_chart *chart);

// Ticks of an axis: first, first + step, ..., `count` of them, all within [low, high]. Steps are 1, 2 or 5 times a power
// of ten, and there are at most `max_count` ticks. `decimals` is the number of decimals that tells them apart.
typedef struct {
    double first, step;
    int count, decimals;
} plot_ticks;
plot_ticks plot_round_ticks(double low, double high, int max_count);

#endif
