// Abuse: random worlds of all kinds, allowed but extreme. Bodies of a millimetre or a kilometre, of a milligram or of
// thousands of tonnes, without stiffness or with that of diamond; steps of a tenth of a millisecond or of a tenth of a
// second; teleports, blows, flips of gravity, other materials, bodies made and destroyed on the way (any_calls.h).
//
// Whatever happens: energy stays below what anything of that stiffness can have, a step takes less than 20 s of the processor and a
// world less than 512 MB, every number that a reader hands out is one, bodies that had to be put back are told by name and the
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

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What no world may exceed, whatever is done to it.
#define SECONDS 20.0                // of the processor for a step of a dozen bodies
#define BYTES   ((size_t)512 << 20) // asked for
// Bodies that are put into each other or joined across a distance are strained for it, and nobody knows by how much before. The
// stiffest material there is, strained by all that it can be thrown across, is more than any of it.
#define STIFF  1e12 // Pa
#define STRAIN 1e5  // small bodies are thrown and joined across a hundred times the size of large ones

typedef struct {
    double limit, energy, work; // J: the largest that can be explained, what there is, work so far
    double speed;               // m/s
} oracles;

// The energy that a body strained by 1 would have.
static double stiffness_of(const sn_world *w, sn_body body) {
    const double volume = sn_body_rest_volume(w, body);
    double sum = volume > 0 ? STIFF * volume : 0;
    const int springs = sn_springs_spring_count(w, body);
    sn_spring list[ANY_POINTS];
    sn_springs_get_springs(w, body, list, ANY_POINTS);
    for (int i = 0; i < springs && i < ANY_POINTS; i++)
        sum +=
            (double)list[i].stiffness * fmax(1, springs / (double)ANY_POINTS) * (double)(list[i].rest * list[i].rest);
    return sum;
}

static double fastest_of(const sn_world *w, sn_body body) {
    sn_vec3 v[ANY_POINTS];
    const int count = sn_body_get_velocities(w, body, v, ANY_POINTS);
    double fastest = 0;
    for (int i = 0; i < count && i < ANY_POINTS; i++) fastest = fmax(fastest, (double)sn_length(v[i]));
    return fastest;
}

// Before a step: what there is may stay.
static void allow(oracles *o, const any_world *any) {
    const sn_energy_balance e = sn_world_energy_balance(any->world);
    double stiffness = 0;
    for (int i = 0; i < sn_world_body_count(any->world); i++)
        stiffness += stiffness_of(any->world, sn_world_body_at(any->world, i));
    o->work = e.work;
    o->limit = 100 * (e.kinetic + fabs(e.elastic) + e.scale) + STRAIN * STRAIN * stiffness;
}

// Energy against the world's own scale; the time and the memory of the step.
static void judge(oracles *o, const any_world *any, double took, const counter *memory) {
    const sn_energy_balance e = sn_world_energy_balance(any->world);
    char text[200];
    o->energy = e.kinetic + e.elastic, o->speed = 0;
    for (int i = 0; i < sn_world_body_count(any->world); i++)
        o->speed = fmax(o->speed, fastest_of(any->world, sn_world_body_at(any->world, i)));
    // Before the first step nothing is known of the world's scale: the weight of its bodies, and what they fell.
    o->limit += 100 * (fabs(e.work - o->work) + e.scale);
    snprintf(text, sizeof text, "energy from somewhere: kinetic %.3g, elastic %.3g, of at most %.3g J", e.kinetic,
             e.elastic, o->limit);
    const bool driven =
        sn_world_kind_count(any->world, SN_KIND_IMPLICIT_MUSCLE) > 0; // by bones, by as much as these move
    sn_test_check(driven || !isfinite(o->limit) || o->energy <= o->limit, __FILE__, __LINE__, text);
    sn_test_check(took <= SECONDS, __FILE__, __LINE__, "a step in 20 s of the processor");
    sn_test_check(memory->most_bytes <= BYTES, __FILE__, __LINE__, "a world in 512 MB");
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
    CHECK_INT(sn_world_set_energy_check(any.world, true), SN_OK);
    if (chance(&c, 2)) make_shape(&any);
    const int bodies = 2 + choose(&c, 8);
    for (int i = 0; i < bodies; i++) any_make(&any);
    oracles o = {0};
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
        if (!sn_world_energy_check(any.world)) CHECK_INT(sn_world_set_energy_check(any.world, true), SN_OK);
        allow(&o, &any);
        alarm(LONGEST);
        const double start = cpu_seconds();
        any_step(&any, dt, choose(&c, 4)); // 0: as many as it chooses
        const double took = cpu_seconds() - start;
        alarm(0);
        judge(&o, &any, took, &memory);
        const uint64_t hash = sn_hash_u64(sn_world_hash(any.world), any.told);
        if (again &&
            !sn_test_check(hash == hashes[now.step], __FILE__, __LINE__, "the same with other workers and lanes"))
            break;
        hashes[now.step] = hash;
        if (loud)
            printf("step %d of %g s: %d bodies of about %g m, %d contacts, %d put back so far, %.3g J of at most %.3g, "
                   "%.3g m/s, %.1f MB, %.0f ms, hash %016llx\n",
                   now.step, dt, sn_world_body_count(any.world), any.size, sn_world_profile(any.world).contacts,
                   any.diverged, o.energy, o.limit, o.speed, (double)memory.used_bytes / 1e6, 1e3 * took,
                   (unsigned long long)hash);
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
