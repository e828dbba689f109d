// Abuse: random worlds of all kinds, allowed but extreme. Bodies of a millimetre or a kilometre, of a milligram or of
// thousands of tonnes, without stiffness or with that of diamond; steps of a tenth of a millisecond or of a tenth of a
// second; teleports, blows, flips of gravity, other materials, bodies made and destroyed on the way (any_calls.h).
//
// Whatever happens: every number that a reader hands out is one, bodies that had to be put back are told by name and the
// others go on; every third world is bit by bit the same with another number of workers and lanes and without having been
// saved and restored; and in the end all memory is given back. A step that takes longer than a minute counts as a hang.
// Every world comes from a seed.
//
//     abuse --count 100          worlds of seeds 1 to 100
//     abuse --seconds 600        for so long
//     abuse --seed 17            that one, with a line for every step
#include "any_calls.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 40, LONGEST = 60 };

static struct {
    unsigned long long seed;
    int step, failures, failed_worlds;
    char said[256]; // the last log line
} now;

bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (good) return true;
    if (now.failures++ < 2) // of each world
        printf("seed %llu, step %d: %s:%d: not so: %s%s%s\n", now.seed, now.step, file, line, text,
               now.said[0] ? "; the world said: " : "", now.said);
    fflush(stdout);
    return false;
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    char words[256];
    if (a == b) return true;
    snprintf(words, sizeof words, "%s (%lld, %lld)", text, a, b);
    return sn_test_check(false, file, line, words);
}

static void keep_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level;
    snprintf(now.said, sizeof now.said, "%s: %s: %s", sn_status_name(code), field, text);
}

// Only what a handler may call.
static void hang(int signal) {
    (void)signal;
    char text[128] = "abuse: a step takes longer than a minute, seed ", digits[24];
    size_t at = strlen(text), n = 0;
    for (unsigned long long left = now.seed; left > 0; left /= 10) digits[n++] = (char)('0' + left % 10);
    while (n > 0) text[at++] = digits[--n];
    text[at++] = '\n';
    if (write(2, text, at) < 0) _exit(3);
    _exit(2);
}

// How a world is stepped, which must not matter.
typedef struct {
    int workers, lanes;
} way;

// Fills 'hashes' (of each step), or compares with them if it goes 'again'.
static void one_world(unsigned long long seed, way how, uint64_t hashes[STEPS + 1], bool again, bool loud) {
    choices c = {NULL, 0, seed * 977 + 1};
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory);
    def.worker_count = how.workers, def.lanes = how.lanes;
    def.log = keep_line;
    any_world any;
    for (int i = 0; i < 8; i++) random_u32(&c.seed); // neighbouring seeds part
    double dt = (double)number(&c, 1e-4, 0.1);
    now.step = 0, now.said[0] = 0;
    const double size = (double)number(&c, 1e-3, 1e3);
    if (!any_begin(&any, &def, &c, size)) {
        sn_test_check(false, __FILE__, __LINE__, "a world");
        return;
    }
    if (chance(&c, 2)) make_shape(&any);
    const int bodies = 2 + choose(&c, 8);
    for (int i = 0; i < bodies; i++) any_make(&any);
    for (now.step = 1; now.step <= STEPS; now.step++) {
        for (int k = choose(&c, 4); k > 0; --k) {
            if (chance(&c, 6))
                any_make(&any);
            else
                any_change(&any);
        }
        if (chance(&c, 30) && !again) any_restore(&any); // going on is the same as never having stopped
        if (chance(&c, 10)) dt = (double)number(&c, 1e-4, 0.1);
        now.said[0] = 0;
        alarm(LONGEST);
        any_step(&any, dt, 1 + choose(&c, 3));
        alarm(0);
        const uint64_t hash = sn_hash_u64(sn_world_hash(any.world), any.told);
        if (again &&
            !sn_test_check(hash == hashes[now.step], __FILE__, __LINE__, "the same with other workers and lanes"))
            break;
        hashes[now.step] = hash;
        if (loud)
            printf("step %d of %g s: %d bodies of about %g m, %d contacts, %d put back so far, hash %016llx\n",
                   now.step, dt, sn_world_body_count(any.world), any.size, sn_world_profile(any.world).contacts,
                   any.diverged, (unsigned long long)hash);
    }
    any_end(&any);
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
}

static void one_seed(unsigned long long seed, bool loud) {
    int widths[4];
    const int count = lane_widths(widths);
    const way ways[2] = {{1, widths[count - 1]}, {2, widths[seed % (unsigned)count]}};
    now.seed = seed, now.failures = 0;
    uint64_t hashes[STEPS + 1];
    one_world(seed, ways[seed % 2], hashes, false, loud);
    if (seed % 3 == 0) one_world(seed, ways[1 - seed % 2], hashes, true, loud);
    if (now.failures > 0) now.failed_worlds++;
}

static int usage(void) {
    fprintf(stderr, "abuse [--seed N] [--count N] [--seconds S]\n");
    return 64;
}

int main(int argc, char **argv) {
    double seconds = 0;
    unsigned long long seed = 1, count = 0, done = 0;
    bool given = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        char *end = NULL;
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], &end, 10), given = true;
        else if (strcmp(argv[i], "--count") == 0)
            count = strtoull(argv[i + 1], &end, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtod(argv[i + 1], &end);
        if (!end || *end || end == argv[i + 1]) return usage();
    }
    if (argc % 2 == 0) return usage();
    if (count == 0 && seconds <= 0) count = given ? 1 : 100;
    signal(SIGALRM, hang);
    struct timespec start, here;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        one_seed(seed + done++, given && count == 1);
        clock_gettime(CLOCK_MONOTONIC, &here);
    } while (count > 0 ? done < count : (double)(here.tv_sec - start.tv_sec) < seconds);
    printf("%llu worlds, seeds %llu to %llu: %d failed\n", done, seed, seed + done - 1, now.failed_worlds);
    return now.failed_worlds > 0;
}
