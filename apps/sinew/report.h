// The report of a run: collected after every step, written as JSON.
#ifndef SN_APP_REPORT_H
#define SN_APP_REPORT_H

#include "contact_report.h"
#include "envelope.h"
#include "scene/scene.h"
#include "sinew/sinew.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    double min, max;
} report_range;

typedef struct {
    const char *scene;
    double dt, simulated, wall; // s
    int64_t steps, line_searches;
    int threads, lanes;
    bool finite, interrupted;
    double *step_ms; // of each step
    int64_t step_capacity;
    double stage_ms[SN_STAGE_CAPACITY]; // sums
    report_range volume, length;        // volume over that at rest, of each solid; length over the first, of each rod
    double energy_start, energy_end, energy_max; // J
    double penetration;                          // largest penetration, over the smaller radius
    double penetration_end;                      // after the last step
    double energy_rise;                          // largest energy above start + work
    double energy_work;                          // done from outside
    double energy_climb, energy_scale;           // see sn_energy_balance
    int64_t diverged;                            // bodies put back, over all steps
    int contacts;                                // largest number in a step
    double *first_lengths;                       // of each body of pills or surface; 0: it has no length
    int bodies;
    report_range muscle_volume; // of muscles under a skin, over the first
    double muscle_penetration;  // largest penetration of a bone, m
    double *first_muscles;      // volumes
    int muscles;
    envelopes envelopes;
    report_range envelope; // volume of skins of muscles, over the first
    contact_report contact_pairs;
} run_report;

// Measures the state of a scene's world before the first step. False: out of memory.
bool report_start(run_report *report, const sn_scene *scene, sn_world *world, int64_t steps);
// Adds the last step, which took `seconds` of wall time.
void report_step(run_report *report, sn_world *world, double seconds);
void report_free(run_report *report);

// A quantile of the step times, p from 0 to 1, in ms.
double report_percentile(const run_report *report, double p);

// Writes the JSON. False: out of memory.
bool report_write(FILE *out, run_report *report, const sn_scene *scene, const sn_world *world);

#endif
