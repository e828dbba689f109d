// A small test harness. A file holds TEST(name) { ... } blocks; test_main.c runs them all, or those named on the command
// line, and goes on after a failure. CTest knows each block as file.name (see test/CMakeLists.txt).
#ifndef SN_TEST_H
#define SN_TEST_H

#include <stdbool.h>
#include <string.h>

typedef struct sn_test sn_test;
struct sn_test {
    const char *name;
    void (*run)(void);
    sn_test *next;
};

// All of these live in test_main.c.
void sn_test_register(sn_test *test);
bool sn_test_check(bool good, const char *file, int line, const char *text);
bool sn_test_near(double a, double b, double tolerance, const char *file, int line, const char *text);
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text);
bool sn_test_string(const char *a, const char *b, const char *file, int line, const char *text);

// Starts a test's body. Write the name on the same line: CTest's list is made by reading the source. One that takes long and is
// about numbers rather than about code has "// once" behind its brace: the short builds of 'make test' leave it out.
#define TEST(title)                                                                                                    \
    static void test_run_##title(void);                                                                                \
    __attribute__((constructor)) static void test_register_##title(void) {                                             \
        static sn_test test = {#title, test_run_##title, NULL};                                                        \
        sn_test_register(&test);                                                                                       \
    }                                                                                                                  \
    static void test_run_##title(void)

// Each says what was expected and found, and is itself true when the check held.
#define CHECK(condition)     sn_test_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, to) sn_test_near((double)(a), (double)(b), (double)(to), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_INT(a, b)      sn_test_int((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STRING(a, b)   sn_test_string((a), (b), __FILE__, __LINE__, #a " == " #b)

// How often a test of random input goes round. The sanitizer build of 'make test' takes five times as long for each, and the
// first rounds have most of the cases.
#ifndef SN_FEWER_ROUNDS
#define SN_FEWER_ROUNDS 1
#endif
#define ROUNDS(n) (((n) + SN_FEWER_ROUNDS - 1) / SN_FEWER_ROUNDS)

// Ends the test when the condition does not hold, for what the rest of it stands on.
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!sn_test_check((condition), __FILE__, __LINE__, #condition)) return;                                       \
    } while (0)

#endif
