// The machine's own limits: memory bandwidth by a triad, arithmetic by chains of multiply-adds that stay in registers.
// Each thread works on its own part; the best of several rounds counts, since disturbances only ever slow down.
#include "base/platform.h"
#include "bench.h"
#include <stdlib.h>

// --- running the same work on several threads at once ---

enum { MOST_THREADS = 64 };

typedef void part_fn(void *context, int part, int parts);

typedef struct {
    part_fn *work;
    void *context;
    int part, parts;
} job;

static void run_job(void *argument) {
    const job *mine = argument;
    mine->work(mine->context, mine->part, mine->parts);
}

// Seconds that all parts together take. Starting threads is included; the work is long enough for that not to matter.
static double run_on_threads(part_fn *work, void *context, int threads) {
    sn_thread handles[MOST_THREADS];
    job jobs[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    double start = bench_clock();
    for (int i = 1; i < threads; i++) {
        jobs[i] = (job){work, context, i, threads};
        started[i] = sn_thread_start(&handles[i], run_job, &jobs[i]);
    }
    work(context, 0, threads);
    for (int i = 1; i < threads; i++) {
        if (started[i]) sn_thread_join(&handles[i]);
        if (!started[i]) work(context, i, threads);
    }
    return bench_clock() - start;
}

static double best_of(part_fn *work, void *context, int threads, int rounds) {
    double best = 1e30;
    for (int i = 0; i < rounds; i++) {
        double seconds = run_on_threads(work, context, threads);
        best = seconds < best ? seconds : best;
    }
    return best;
}

// --- triad ---

typedef struct {
    double *a, *b, *c;
    size_t count;
} triad;

static void triad_work(void *context, int thread, int threads) {
    const triad *t = context;
    size_t first = t->count * (size_t)thread / (size_t)threads,
           last = t->count * (size_t)(thread + 1) / (size_t)threads;
    double *restrict a = t->a;
    const double *restrict b = t->b, *restrict c = t->c;
    for (size_t i = first; i < last; i++) a[i] = b[i] + 3.0 * c[i];
}

static bool measure_triad(bench_machine *out, bool quick) {
    size_t count = (size_t)(quick ? 1 : 12) << 20; // 96 MB each
    triad t = {malloc(count * sizeof(double)), malloc(count * sizeof(double)), malloc(count * sizeof(double)), count};
    bool good = t.a && t.b && t.c;
    for (size_t i = 0; good && i < count; i++) {
        t.a[i] = 0;
        t.b[i] = (double)i;
        t.c[i] = 1;
    }
    for (int i = 0; good && i < 2; i++) {
        double seconds = best_of(triad_work, &t, i == 0 ? 1 : out->threads, quick ? 2 : 10);
        out->triad_gb_s[i] = 24e-9 * (double)count / seconds;
    }
    free(t.a);
    free(t.b);
    free(t.c);
    return good;
}

// --- multiply-adds ---

#if defined(__x86_64__)

#include <immintrin.h>

enum { CHAINS = 12, LANES = 8 }; // enough chains to hide the latency: 2 units of 4 to 5 cycles

// x <- x a + b with |a| < 1, which stays where it is.
__attribute__((target("avx2,fma"))) static float chains_fused(long rounds) {
    __m256 x[CHAINS], a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
    for (int i = 0; i < CHAINS; i++) x[i] = _mm256_set1_ps((float)i);
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < CHAINS; i++) x[i] = _mm256_fmadd_ps(x[i], a, b);
    }
    for (int i = 1; i < CHAINS; i++) x[0] = _mm256_add_ps(x[0], x[i]);
    return _mm256_cvtss_f32(x[0]);
}

__attribute__((target("avx2"))) static float chains_separate(long rounds) {
    __m256 x[CHAINS], a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
    for (int i = 0; i < CHAINS; i++) x[i] = _mm256_set1_ps((float)i);
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < CHAINS; i++) x[i] = _mm256_add_ps(_mm256_mul_ps(x[i], a), b);
    }
    for (int i = 1; i < CHAINS; i++) x[0] = _mm256_add_ps(x[0], x[i]);
    return _mm256_cvtss_f32(x[0]);
}

static bool has_vectors(void) {
    return __builtin_cpu_supports("avx2");
}
static bool has_fused(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#else

// Elsewhere: vectors of four as the compiler has them, and no separate figure for fused operations.
enum { CHAINS = 12, LANES = 4 };
typedef float lanes __attribute__((vector_size(16)));

static float chains_separate(long rounds) {
    lanes x[CHAINS], a = {0.999f, 0.999f, 0.999f, 0.999f}, b = {0.001f, 0.001f, 0.001f, 0.001f};
    for (int i = 0; i < CHAINS; i++) x[i] = b * (float)i;
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < CHAINS; i++) x[i] = x[i] * a + b;
    }
    for (int i = 1; i < CHAINS; i++) x[0] += x[i];
    return x[0][0];
}

static float chains_fused(long rounds) {
    return chains_separate(rounds);
}
static bool has_vectors(void) {
    return true;
}
static bool has_fused(void) {
    return false;
}

#endif

typedef struct {
    float (*chains)(long rounds);
    long rounds;
    float sums[MOST_THREADS]; // so that nothing is optimised away
} arithmetic;

static void arithmetic_work(void *context, int thread, int threads) {
    (void)threads;
    arithmetic *work = context;
    work->sums[thread] = work->chains(work->rounds);
}

static void measure_chains(float (*chains)(long), double out[2], int threads, bool quick) {
    arithmetic work = {.chains = chains, .rounds = quick ? 10000 : 8000000};
    double operations = 2.0 * CHAINS * LANES * (double)work.rounds;
    for (int i = 0; i < 2; i++) {
        int used = i == 0 ? 1 : threads;
        out[i] = 1e-9 * operations * used / best_of(arithmetic_work, &work, used, quick ? 2 : 10);
    }
}

bool bench_measure_machine(bench_machine *out, int threads, bool quick) {
    *out = (bench_machine){.threads = threads};
    if (has_fused()) measure_chains(chains_fused, out->fma_gflop_s, threads, quick);
    if (has_vectors()) measure_chains(chains_separate, out->muladd_gflop_s, threads, quick);
    return measure_triad(out, quick);
}
