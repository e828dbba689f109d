// Soak: octopuses of rods, cloths, solids of springs and elastic bodies rain on a floor and are taken away again, for as
// long as it is told (half an hour). A program that runs for days must not grow: once it is warm (after a minute, or a tenth
// of the time), neither what the library asks for nor what the process has in memory may become more than 2 % more.
//
//     soak [SECONDS]
#include "any_calls.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <time.h>
#include <unistd.h>

enum { RODS = 24, CLOTHS = 6, SOLIDS = 6, ELASTICS = 8 };

static int failures;

bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (!good && failures++ < 10) printf("%s:%d: not so: %s\n", file, line, text);
    return good;
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    return sn_test_check(a == b, file, line, text);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Kilobytes that the process has in memory; 1 where there is no /proc. What the C library keeps of memory that it got
// back comes and goes by half of the whole, and is first given to the system.
static double resident(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/statm", "r");
    long all = 0, here = 0;
    if (!file) return 1;
    if (fscanf(file, "%ld %ld", &all, &here) != 2) here = 0;
    fclose(file);
    return (double)here * (double)(sysconf(_SC_PAGESIZE) / 1024);
}

// Memory over some time.
typedef struct {
    double resident, bytes, count;
} mean;

static void count_in(mean *m, const counter *memory) {
    m->count += 1;
    m->resident += (resident() - m->resident) / m->count;
    m->bytes += ((double)memory->used_bytes - m->bytes) / m->count;
}

// Eight arms of four points around a middle.
static void drop_octopus(sn_world *world, uint64_t *seed) {
    enum { ARMS = 8, PER = 4, POINTS = 1 + ARMS * PER };
    sn_vec3 points[POINTS];
    int parents[POINTS];
    sn_real radii[POINTS];
    const sn_vec3 at = {random_real(seed, -1, 1), random_real(seed, 1, 3), random_real(seed, -1, 1)};
    points[0] = at, parents[0] = -1, radii[0] = R(0.08);
    for (int a = 0; a < ARMS; a++)
        for (int k = 0; k < PER; k++) {
            const int i = 1 + a * PER + k;
            const double angle = 2 * 3.14159265358979 * a / ARMS, out = 0.12 * (k + 1);
            points[i] = (sn_vec3){at.x + R(out * cos(angle)), at.y - R(0.03 * k), at.z + R(out * sin(angle))};
            parents[i] = k == 0 ? 0 : i - 1, radii[i] = R(0.05 - 0.008 * k);
        }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.parents = parents, def.radii = radii;
    def.material = sn_material_preset(SN_PRESET_JELLY), def.label = 1;
    sn_body id;
    CHECK_INT(sn_rod_create(world, &def, &id), SN_OK);
}

static void drop_springs(sn_world *world, uint64_t *seed, bool solid) {
    static const int32_t tets[20] = {0, 1, 2, 4, 3, 2, 1, 7, 5, 4, 7, 1, 6, 7, 4, 2, 1, 2, 4, 7};
    const sn_vec3 at = {random_real(seed, -1, 1), random_real(seed, 1, 3), random_real(seed, -1, 1)};
    sn_spring_net net;
    sn_body id;
    if (solid) {
        sn_vec3 points[8];
        for (int i = 0; i < 8; i++)
            points[i] = (sn_vec3){at.x + R(0.2) * (sn_real)(i & 1), at.y + R(0.2) * (sn_real)(i >> 1 & 1),
                                  at.z + R(0.2) * (sn_real)(i >> 2)};
        sn_spring_solid plan = sn_spring_solid_default();
        plan.points = points, plan.count = 8, plan.tets = tets, plan.tet_count = 5;
        CHECK_INT(sn_springs_make_solid(&plan, NULL, &net), SN_OK);
    } else {
        sn_spring_cloth plan = sn_spring_cloth_default();
        plan.corner = at, plan.across = (sn_vec3){R(0.6), 0, 0}, plan.down = (sn_vec3){0, 0, R(0.6)};
        plan.columns = plan.rows = 7;
        CHECK_INT(sn_springs_make_cloth(&plan, NULL, &net), SN_OK);
    }
    sn_springs_def def = sn_springs_def_of(&net);
    def.label = 2;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
}

static void drop_elastic(any_world *any, uint64_t *seed) {
    sn_elastic_def def = sn_elastic_def_default();
    sn_body id;
    def.model = any_model(any, random_below(seed, 2)), def.label = 3;
    def.position = (sn_vec3){random_real(seed, -1, 1), random_real(seed, 1, 3), random_real(seed, -1, 1)};
    CHECK_INT(sn_elastic_create(any->world, &def, &id), SN_OK);
}

// One body comes, and if there are enough of its kind, the one in the first slot goes.
static void exchange(any_world *any, uint64_t *seed) {
    sn_world *w = any->world;
    switch (random_below(seed, 4)) {
    case 0:
        drop_octopus(w, seed);
        if (sn_world_kind_count(w, SN_KIND_ROD) > RODS)
            CHECK_INT(sn_body_destroy(w, sn_world_kind_at(w, SN_KIND_ROD, random_below(seed, RODS))), SN_OK);
        break;
    case 1:
    case 2:
        drop_springs(w, seed, random_below(seed, 2) == 0);
        if (sn_world_kind_count(w, SN_KIND_SPRING) > CLOTHS + SOLIDS)
            CHECK_INT(sn_body_destroy(w, sn_world_kind_at(w, SN_KIND_SPRING, random_below(seed, CLOTHS + SOLIDS))),
                      SN_OK);
        break;
    default:
        drop_elastic(any, seed);
        if (sn_world_kind_count(w, SN_KIND_ELASTIC) > ELASTICS)
            CHECK_INT(sn_body_destroy(w, sn_world_kind_at(w, SN_KIND_ELASTIC, random_below(seed, ELASTICS))), SN_OK);
    }
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1800;
    if (argc > 2 || !(seconds >= 1)) {
        fprintf(stderr, "soak [SECONDS]\n");
        return 64;
    }
    const double warm = seconds < 600 ? seconds / 10 : 60;
    choices none = {NULL, 0, 1};
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    any_world any;
    uint64_t seed = 11;
    def.allocator = counted(&memory), def.worker_count = 2;
    if (!any_begin(&any, &def, &none, 1)) return 1;
    sn_rigid_def floor = sn_rigid_def_default();
    sn_body shape;
    CHECK_INT(sn_rigid_create(any.world, &floor, &shape), SN_OK);
    const double start = seconds_now(), part = (seconds - warm) / 10;
    double next = 0, now = 0;
    long steps = 0;
    mean early = {0}, late = {0};
    while (now < seconds) {
        if (steps % 5 == 0) exchange(&any, &seed);
        const sn_status status = sn_world_step(any.world, R(1.0 / 60), 2);
        CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
        if (++steps % 600 == 0) any_restore(&any); // a world that is saved and read again must not leak either
        now = seconds_now() - start;
        if (steps % 10 == 0 && now > warm && now <= warm + part) count_in(&early, &memory);
        if (steps % 10 == 0 && now > seconds - part) count_in(&late, &memory);
        if (now < next) continue;
        next += seconds < 600 ? seconds / 20 : 30;
        printf("%6.0f s  %8ld steps  %3d bodies  %8.1f MB resident  %8.2f MB asked for, %ld blocks\n", now, steps,
               sn_world_body_count(any.world), resident() / 1024, (double)memory.used_bytes / 1e6, memory.live);
        fflush(stdout);
    }
    any_end(&any);
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    const double more = late.resident / early.resident - 1, asked = late.bytes / early.bytes - 1;
    printf("since it was warm the process has grown by %.2f %%, what the library asks for by %.2f %%\n", 100 * more,
           100 * asked);
    sn_test_check(more <= 0.02 && asked <= 0.02, __FILE__, __LINE__, "memory stays as it is");
    return failures > 0;
}
