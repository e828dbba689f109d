// Figures, bars, and a line for each case.
#include "coupling.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void coupling_add(coupling_result *result, const char *name, double value, const char *unit, coupling_bar kind,
                  double bar) {
    if (result->count == COUPLING_FIGURES) return;
    coupling_figure *figure = &result->figures[result->count++];
    *figure = (coupling_figure){.value = value, .unit = unit, .kind = kind, .bar = bar};
    snprintf(figure->name, sizeof figure->name, "%s", name);
}

double coupling_value(const coupling_result *result, const char *name) {
    for (int i = 0; i < result->count; i++) {
        if (strcmp(result->figures[i].name, name) == 0) return result->figures[i].value;
    }
    return NAN;
}

bool coupling_figure_holds(const coupling_figure *figure) {
    if (figure->kind == BAR_AT_MOST) return figure->value <= figure->bar;
    if (figure->kind == BAR_AT_LEAST) return figure->value >= figure->bar;
    return true;
}

bool coupling_holds(const coupling_result *result) {
    for (int i = 0; i < result->count; i++) {
        if (!coupling_figure_holds(&result->figures[i])) return false;
    }
    return true;
}

static void print_figures(const coupling_result *result, bool with_bar) {
    for (int i = 0; i < result->count; i++) {
        const coupling_figure *f = &result->figures[i];
        if ((f->kind != BAR_NONE) != with_bar) continue;
        printf("  %s %.3g", f->name, f->value);
        if (f->kind == BAR_NONE) continue;
        printf(" %s%.3g%s", f->kind == BAR_AT_MOST ? "<=" : ">=", f->bar, coupling_figure_holds(f) ? "" : "!");
    }
}

void coupling_print(const coupling_result *result) {
    if (result->skipped) {
        printf("%-32s skip  %s\n", result->name, result->skipped);
        return;
    }
    printf("%-32s %s", result->name, coupling_holds(result) ? "ok  " : "MISS");
    print_figures(result, true);
    printf("  |");
    print_figures(result, false);
    if (result->stopped) printf("  stopped: %s", result->stopped);
    printf("\n");
    fflush(stdout);
}
