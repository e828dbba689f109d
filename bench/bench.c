// The list of results, and statistics.
#include "bench.h"
#include "base/platform.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_wanted(const bench *b, const char *name) {
    for (int i = 0; i < b->wanted_count; i++) {
        if (strncmp(name, b->wanted[i], strlen(b->wanted[i])) == 0) return true;
    }
    return b->wanted_count == 0;
}

void bench_add(bench *b, const char *name, double value, const char *unit, const char *better) {
    if (b->count == BENCH_MOST) return;
    bench_result *result = &b->results[b->count++];
    snprintf(result->name, sizeof result->name, "%s", name);
    result->value = value;
    result->unit = unit;
    result->better = better;
    if (!b->announce) return;
    printf("%-28s %12.4g %s\n", name, value, unit);
    fflush(stdout);
}

double bench_clock(void) {
    return sn_platform_seconds();
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count) {
    if (count == 0) return 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}
