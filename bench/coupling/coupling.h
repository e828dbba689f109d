// Cases of bodies tied together, as a newcomer builds them: ropes with weights, bridges, chains, nets, heaps. Each is made at the
// default settings with the public calls alone, stepped for some seconds, and measured against bars.
//
//     coupling_build.c     worlds, rods and joints in a line each
//     coupling_run.c       steps a world and measures what every case measures
//     coupling_report.c    figures, bars, and a line for each case
//     coupling_list.c      the families of cases
//     case_*.c             the families
#ifndef SN_COUPLING_H
#define SN_COUPLING_H

#include "sinew/sinew.h"

// ---- figures

typedef enum {
    BAR_NONE,     // only measured
    BAR_AT_MOST,  // missed above
    BAR_AT_LEAST, // missed below
} coupling_bar;

typedef struct {
    char name[32];
    double value;
    const char *unit;
    coupling_bar kind;
    double bar;
} coupling_figure;

enum { COUPLING_FIGURES = 32, COUPLING_NAME = 64 };

typedef struct {
    char name[COUPLING_NAME]; // without "coupling."
    coupling_figure figures[COUPLING_FIGURES];
    int count;
    const char *skipped; // what is missing to run it; null: it ran
    const char *stopped; // why it ended before its time; null: it did not
} coupling_result;

void coupling_add(coupling_result *result, const char *name, double value, const char *unit, coupling_bar kind,
                  double bar);

// The value of a figure; NAN if there is none of that name.
double coupling_value(const coupling_result *result, const char *name);

// Whether a figure, or every figure of a case, is within its bar. What is not a number is not.
bool coupling_figure_holds(const coupling_figure *figure);
bool coupling_holds(const coupling_result *result);

// Prints a case as a line: its name, ok or MISS, the figures with their bars (those missed with a '!'), the others.
void coupling_print(const coupling_result *result);

// ---- the list of cases

// What the caller may change about all cases.
typedef struct {
    int substeps;       // of each step; 0: the engine's default
    int workers;        // threads; 0: the engine's default
    int steps;          // at most so many in each run, to see that it works; 0: all
    double budget;      // processor time after which a case is stopped, s; 0: 20
    const char *scenes; // folder of the scene files; null: cases that need one are skipped
    const char *data;   // folder of meshes of muscles and bones; null: cases that need them are skipped
} coupling_settings;

// Cases that differ in numbers only.
typedef struct {
    const char *name;
    int count;
    void (*title)(int i, char *out, size_t capacity); // the rest of the name of case i, without the family's
    void (*run)(int i, const coupling_settings *settings, coupling_result *out);
} coupling_family;

int coupling_family_count(void);
const coupling_family *coupling_family_at(int i);

// Writes the name of a case, such as "rope.rubber.20.x10.hang".
void coupling_name(const coupling_family *family, int i, char *out, size_t capacity);

// Runs a case.
void coupling_measure(const coupling_family *family, int i, const coupling_settings *settings, coupling_result *out);

// Runs the case of a name. Returns false if there is none.
bool coupling_measure_named(const char *name, const coupling_settings *settings, coupling_result *out);

#endif
