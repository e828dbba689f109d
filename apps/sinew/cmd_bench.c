// sinew bench: measures the limits of the machine, then the engine.
#include "../../bench/bench.h"
#include "command.h"
#include "messages.h"
#include "options.h"
#include "system/system.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void print_machine(const bench_machine *machine) {
    printf("this machine                     1 thread   %2d thread%s\n", machine->threads, plural(machine->threads));
    printf("  triad, GB/s                  %10.4g   %10.4g\n", machine->triad_gb_s[0], machine->triad_gb_s[1]);
    printf("  multiply-add, GFLOP/s        %10.4g   %10.4g\n", machine->muladd_gflop_s[0], machine->muladd_gflop_s[1]);
    printf("  fused multiply-add, GFLOP/s  %10.4g   %10.4g\n\n", machine->fma_gflop_s[0], machine->fma_gflop_s[1]);
    fflush(stdout);
}

static json_t *machine_object(const bench_machine *machine) {
    json_t *object = json_object();
    json_object_set_new(object, "triad_gb_s", json_real(machine->triad_gb_s[1]));
    json_object_set_new(object, "fma_gflop_s", json_real(machine->fma_gflop_s[1]));
    json_object_set_new(object, "threads", json_integer(machine->threads));
    json_object_set_new(object, "triad_gb_s_t1", json_real(machine->triad_gb_s[0]));
    json_object_set_new(object, "fma_gflop_s_t1", json_real(machine->fma_gflop_s[0]));
    json_object_set_new(object, "muladd_gflop_s", json_real(machine->muladd_gflop_s[1]));
    json_object_set_new(object, "muladd_gflop_s_t1", json_real(machine->muladd_gflop_s[0]));
    return object;
}

static int print_json(const bench *b, const bench_machine *machine) {
    json_t *root = json_object(), *results = json_array();
    for (int i = 0; i < b->count; i++) {
        json_t *result = json_object();
        json_object_set_new(result, "name", json_string(b->results[i].name));
        json_object_set_new(result, "value", json_real(b->results[i].value));
        json_object_set_new(result, "unit", json_string(b->results[i].unit));
        json_object_set_new(result, "better", json_string(b->results[i].better));
        json_array_append_new(results, result);
    }
    json_object_set_new(root, "machine", machine_object(machine));
    json_object_set_new(root, "results", results);
    int failed = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    printf("\n");
    json_decref(root);
    return failed ? EXIT_RUN_FAILED : EXIT_DONE;
}

// Warns about other load on the machine, which distorts the figures.
static void warn_if_busy(void) {
    const double load = system_load();
    const int processors = system_processors();
    if (load > 0.5 * processors) {
        warn("this machine is busy (load %.1f, %d processors); the results will be too slow", load, processors);
    }
}

static int measure(bench *b, bool json) {
    bench_machine machine;
    if (!b->quick) warn_if_busy();
    if (!bench_measure_machine(&machine, b->threads, b->quick)) return out_of_memory();
    if (!json) print_machine(&machine);
    b->machine = machine;
    bench_rods(b);
    bench_contact(b);
    bench_coupling(b);
    bench_skin(b);
    bench_spring(b);
    bench_elastic(b);
    bench_elastic_scenes(b);
    bench_implicit(b);
    bench_medial(b);
    bench_culling(b);
    bench_tet(b);
    bench_viperize(b);
    if (json) {
        int code = print_json(b, &machine);
        if (code != EXIT_DONE) return code;
    }
    if (b->count == 0 && !b->failed)
        return fail(EXIT_BAD_INPUT, "no benchmark has such a name; 'sinew bench --quick' lists all");
    return b->failed ? EXIT_RUN_FAILED : EXIT_DONE;
}

int command_bench(int count, char **arguments) {
    enum { MOST = 64 };
    const char *names[MOST];
    bool json = false, quick = false;
    int threads = processor_count(), name_count = 0;
    const option options[] = {
        option_flag("json", &json, "print JSON instead of a table"),
        option_int("threads", &threads, "N", 1, 64, "maximum number of threads; default all processors"),
        option_flag("quick", &quick, "run everything briefly, as a test; the figures are meaningless"),
        {.name = NULL},
    };
    const command_usage usage = {
        "bench",
        "[NAME...] [--json] [--threads N] [--quick]",
        "Measures the machine, then the engine. With names, only benchmarks whose names start with them.",
        options,
        0,
        MOST};
    int code;
    if (!options_parse(&usage, count, arguments, names, &name_count, &code)) return code;
    bench *b = calloc(1, sizeof *b);
    if (!b) return out_of_memory();
    b->wanted = names;
    b->wanted_count = name_count;
    b->threads = threads;
    b->quick = quick;
    b->announce = !json;
    code = measure(b, json);
    free(b);
    return code;
}
