// Runs the tests of one executable: all of them, or those named on the command line. Prints "N passed, N failed" and
// returns 1 if any failed, or if a name is unknown.
#include "test.h"
#include <math.h>
#include <stdio.h>

static sn_test *first_test, **last_link = &first_test;
static int failures; // failed checks of the test that runs now

void sn_test_register(sn_test *test) {
    *last_link = test;
    last_link = &test->next;
}

// Counts a failure and begins its line; true when the rest of the line is to follow. A check in a loop may fail a thousand
// times, and only the first few are shown.
static bool failed_visibly(bool good, const char *file, int line, const char *text) {
    const int shown = 20;
    if (good) return false;
    failures++;
    if (failures == shown + 1) printf("... and more\n");
    if (failures > shown) return false;
    printf("%s:%d: failed: %s", file, line, text);
    return true;
}

bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (failed_visibly(good, file, line, text)) printf("\n");
    return good;
}

bool sn_test_near(double a, double b, double tolerance, const char *file, int line, const char *text) {
    bool good = a == b || fabs(a - b) <= tolerance; // a NaN on either side fails; equal infinities pass
    if (failed_visibly(good, file, line, text))
        printf(": %.17g and %.17g differ by %.3g > %.3g\n", a, b, fabs(a - b), tolerance);
    return good;
}

bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    if (failed_visibly(a == b, file, line, text)) printf(": %lld and %lld\n", a, b);
    return a == b;
}

bool sn_test_string(const char *a, const char *b, const char *file, int line, const char *text) {
    bool good = a && b && strcmp(a, b) == 0;
    if (failed_visibly(good, file, line, text)) printf(": \"%s\" and \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
    return good;
}

static bool wanted(const char *name, int argc, char **argv) {
    if (argc < 2) return true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) return true;
    }
    return false;
}

static bool known(const char *name) {
    for (const sn_test *test = first_test; test; test = test->next) {
        if (strcmp(test->name, name) == 0) return true;
    }
    return false;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        if (known(argv[i])) continue;
        printf("no test is named %s\n", argv[i]);
        failed++;
    }
    for (const sn_test *test = first_test; test; test = test->next) {
        if (!wanted(test->name, argc, argv)) continue;
        failures = 0;
        test->run();
        if (failures > 0) printf("FAILED %s\n", test->name);
        failures > 0 ? ++failed : ++passed;
        fflush(stdout); // keeps what was said if the next test crashes
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 ? 1 : 0;
}
