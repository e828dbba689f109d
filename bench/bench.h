// Measuring: a list of named results, the machine's own limits, and benches that add to the list.
#ifndef SN_BENCH_H
#define SN_BENCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char name[64];
    double value;
    const char *unit;
    const char *better; // "lower" or "higher"
} bench_result;

// What the machine can do at most, with one thread and with 'threads'.
typedef struct {
    int threads;
    double triad_gb_s[2];     // a[i] = b[i] + s c[i] on arrays far larger than the caches; 24 bytes count per element
    double fma_gflop_s[2];    // independent fused multiply-adds in registers, float; 0 without such instructions
    double muladd_gflop_s[2]; // the same as a multiplication and an addition, which is what the engine may use
} bench_machine;

#define BENCH_MOST 4096

typedef struct {
    const char *const *wanted; // beginnings of names; none: all
    int wanted_count;
    int threads;           // the N of names that end in .tN
    bench_machine machine; // what it can do at most, measured first
    bool quick;            // a smoke test: figures mean nothing
    bool announce;         // print each result as it comes
    bench_result results[BENCH_MOST];
    int count;
    bool failed; // a world could not be made or stepped; it was said on stderr
} bench;

// Whether a name is to be measured.
bool bench_wanted(const bench *b, const char *name);

// Adds a result.
void bench_add(bench *b, const char *name, double value, const char *unit, const char *better);

// Seconds of a clock that never goes back.
double bench_clock(void);

// The median of values, which it sorts.
double bench_median(double *values, int count);

// Measures the machine. False: out of memory.
bool bench_measure_machine(bench_machine *out, int threads, bool quick);

// Rods: bench_rods.c.
void bench_rods(bench *b);

// Contact, octopuses: bench_contact.c.
void bench_contact(bench *b);

// Bodies tied together, at the default settings: bench_coupling.c.
void bench_coupling(bench *b);

// Skins: bench_skin.c.
void bench_skin(bench *b);

// Tetrahedra: bench_tet.c.
void bench_tet(bench *b);

// Muscles from surfaces: bench_viperize.c.
void bench_viperize(bench *b);

// Medial meshes: bench_medial.c.
void bench_medial(bench *b);

// Bounds and culling of elastic bodies: bench_culling.c.
void bench_culling(bench *b);

// Cloth: bench_spring.c.
void bench_spring(bench *b);

// Elastic bodies: bench_elastic.c.
void bench_elastic(bench *b);

// Elastic bodies that collide: bench_elastic_scenes.c.
void bench_elastic_scenes(bench *b);

// The world of elastic.cacti, with what it is made of. Null: it cannot be made, which was said.
typedef struct bench_stage bench_stage;
bench_stage *bench_stage_cacti(int threads);
struct sn_world *bench_stage_world(bench_stage *stage);
void bench_stage_free(bench_stage *stage); // null is fine

// Implicit muscles and skin: bench_implicit.c.
void bench_implicit(bench *b);

#endif
