// Wander: a pile of rods, a hanging rope, a jelly, an elastic body and an articulated figure that have come to rest, without
// sleep. Nothing moves any more, so nothing may: in 10,000 steps no point may go farther than a millimetre, and energy
// may not change by more than a hundredth of weight times size.
//
//     wander [STEPS [NAME]]      100,000 steps, of one or of all
#include "any_calls.h"

enum { WARM = 1800, PART = 10000, POINTS_MAX = 4000 };

static int failures;

bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (!good && failures++ < 10) printf("%s:%d: not so: %s\n", file, line, text);
    return good;
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    return sn_test_check(a == b, file, line, text);
}

static sn_body floor_under(sn_world *world) {
    sn_rigid_def def = sn_rigid_def_default();
    def.surface.friction_static = def.surface.friction_dynamic = R(0.6);
    sn_body id = {0};
    CHECK_INT(sn_rigid_create(world, &def, &id), SN_OK);
    return id;
}

static sn_body rod_between(sn_world *world, sn_vec3 a, sn_vec3 b, int count, double radius, bool clamp) {
    sn_vec3 points[32];
    for (int i = 0; i < count; i++) points[i] = sn_lerp(a, b, R((double)i / (count - 1)));
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = count, def.radius = R(radius), def.clamp_first = clamp;
    def.material.young = R(1e6), def.material.damping = R(0.05);
    def.surface.friction_static = def.surface.friction_dynamic = R(0.6);
    sn_body id = {0};
    CHECK_INT(sn_rod_create(world, &def, &id), SN_OK);
    return id;
}

// Rods thrown into a bin: on a plain floor they would roll away from each other for ever.
static void heap_of_rods(any_world *any) {
    sn_world *w = any->world;
    floor_under(w);
    for (int i = 0; i < 4; i++) {
        const double x[4] = {-0.5, 0.5, 0, 0}, z[4] = {0, 0, -0.5, 0.5};
        sn_rigid_def def = sn_rigid_def_default();
        sn_body id;
        def.geometry = SN_GEOMETRY_BOX, def.position = (sn_vec3){R(x[i]), R(0.5), R(z[i])};
        def.half = (sn_vec3){R(i < 2 ? 0.1 : 0.6), R(0.5), R(i < 2 ? 0.6 : 0.1)};
        CHECK_INT(sn_rigid_create(w, &def, &id), SN_OK);
    }
    for (int i = 0; i < 8; i++) {
        const double y = 0.05 + 0.08 * i, turn = 0.7 * i, dx = 0.25 * cos(turn), dz = 0.25 * sin(turn);
        rod_between(w, (sn_vec3){R(-dx), R(y), R(-dz)}, (sn_vec3){R(dx), R(y), R(dz)}, 8, 0.03, false);
    }
}

static void rope(any_world *any) {
    const sn_body id = rod_between(any->world, (sn_vec3){-1, 2, 0}, (sn_vec3){1, 2, 0}, 24, 0.01, false);
    CHECK_INT(sn_rod_hold(any->world, id, 0, SN_HOLD_CENTRE), SN_OK);
    CHECK_INT(sn_rod_hold(any->world, id, 23, SN_HOLD_CENTRE), SN_OK);
    CHECK_INT(sn_rod_move_centre(any->world, id, 23, (sn_vec3){R(0.9), 2, 0}), SN_OK);
}

static void jelly(any_world *any) {
    static const int32_t tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    sn_vec3 points[8];
    int32_t list[20];
    for (int i = 0; i < 8; i++)
        points[i] = (sn_vec3){R(0.2 * (i & 1)), R(0.02 + 0.2 * (i >> 1 & 1)), R(0.2 * (i >> 2))};
    for (int t = 0; t < 5; t++) {
        const sn_vec3 o = points[tets[t][0]], u = sn_sub(points[tets[t][1]], o), v = sn_sub(points[tets[t][2]], o);
        const bool right = sn_dot(sn_cross(u, v), sn_sub(points[tets[t][3]], o)) > 0;
        for (int k = 0; k < 4; k++) list[4 * t + k] = tets[t][right || k < 2 ? k : 5 - k];
    }
    sn_spring_solid solid = sn_spring_solid_default();
    solid.points = points, solid.count = 8, solid.tets = list, solid.tet_count = 5;
    solid.density = 1000, solid.edge = (sn_spring_params){2000, 5};
    sn_spring_net net;
    CHECK_INT(sn_springs_make_solid(&solid, NULL, &net), SN_OK);
    sn_springs_def def = sn_springs_def_of(&net);
    sn_body id;
    CHECK_INT(sn_springs_create(any->world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
    floor_under(any->world);
}

static void elastic(any_world *any) {
    sn_elastic_def def = sn_elastic_def_default();
    sn_body id;
    def.model = any_model(any, 0);
    def.position = (sn_vec3){0, R(0.6), 0};
    CHECK_INT(sn_elastic_create(any->world, &def, &id), SN_OK);
    floor_under(any->world);
}

static void join(sn_world *world, sn_body a, int segment_a, sn_body b) {
    sn_joint_def def = sn_joint_def_default();
    sn_joint id;
    def.body_a = a, def.segment_a = segment_a, def.along_a = 1;
    def.body_b = b, def.segment_b = 1, def.along_b = 0;
    def.keep_offset = true;
    CHECK_INT(sn_joint_create(world, &def, &id), SN_OK);
}

// A spine that is held at its top, with two arms and two legs of two parts each, by point joints.
static void figure(any_world *any) {
    sn_world *w = any->world;
    const sn_body spine = rod_between(w, (sn_vec3){0, 2, 0}, (sn_vec3){0, R(1.4), 0}, 4, 0.05, true);
    for (int i = 0; i < 4; i++) {
        const double x = (i < 2 ? 0.15 : 0.1) * (i % 2 ? 1 : -1), y = i < 2 ? 1.8 : 1.3;
        const sn_vec3 from = {R(x), R(y), 0}, middle = {R(x), R(y - 0.25), 0}, to = {R(x), R(y - 0.5), 0};
        const sn_body upper = rod_between(w, from, middle, 4, 0.025, false);
        const sn_body lower = rod_between(w, middle, to, 4, 0.025, false);
        join(w, spine, i < 2 ? 1 : 3, upper);
        join(w, upper, 3, lower);
    }
}

static int points_of(const sn_world *world, sn_vec3 *out) {
    int count = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        const sn_body body = sn_world_body_at(world, i);
        if (body.kind == SN_KIND_RIGID) continue;
        count += sn_body_get_points(world, body, out + count, POINTS_MAX - count);
    }
    return count < POINTS_MAX ? count : POINTS_MAX;
}

// Weight of all bodies times their size.
static double scale_of(const sn_world *world) {
    double sum = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        const sn_body body = sn_world_body_at(world, i);
        if (body.kind == SN_KIND_RIGID) continue;
        const double mass = sn_body_mass(world, body);
        const sn_box3 box = sn_body_bounds(world, body);
        sum += mass * 9.81 * (double)sn_length(sn_sub(box.max, box.min));
    }
    return sum;
}

static double total_of(const sn_world *world) {
    const sn_energy e = sn_world_energy(world);
    return e.kinetic + e.elastic + e.potential;
}

static void watch(const char *name, void (*make)(any_world *), long steps) {
    static sn_vec3 from[POINTS_MAX], to[POINTS_MAX];
    choices none = {NULL, 0, 1};
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory);
    any_world any;
    if (!any_begin(&any, &def, &none, 1)) return;
    make(&any);
    sn_world *w = any.world;
    CHECK_INT(sn_world_set_sleeping(w, false), SN_OK);
    for (int i = 0; i < WARM; i++) CHECK_INT(sn_world_step(w, R(1.0 / 60), 0), SN_OK);
    const double scale = scale_of(w), start = total_of(w);
    double wander = 0, all = 0, change = 0;
    static sn_vec3 first[POINTS_MAX];
    const int count = points_of(w, first);
    memcpy(from, first, sizeof from);
    const long blocks = memory.live, part = steps < PART ? steps : PART;
    for (long i = 1; i <= steps; i++) {
        if (!CHECK_INT(sn_world_step(w, R(1.0 / 60), 0), SN_OK)) break;
        change = fmax(change, i % 50 ? 0 : fabs(total_of(w) - start));
        if (i % part) continue;
        points_of(w, to);
        for (int k = 0; k < count; k++) {
            wander = fmax(wander, (double)sn_length(sn_sub(to[k], from[k])));
            all = fmax(all, (double)sn_length(sn_sub(to[k], first[k])));
        }
        memcpy(from, to, sizeof from);
    }
    printf("%-8s %ld steps: at most %.4f mm in %ld steps, %.4f mm in all; energy %.5f %% of weight times size\n", name,
           steps, 1e3 * wander, part, 1e3 * all, 100 * change / scale);
    fflush(stdout);
    CHECK(wander < 1e-3 && change < 0.01 * scale);
    CHECK_INT(memory.live, blocks);
    any_end(&any);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(any_world *);
    } cases[] = {{"pile", heap_of_rods}, {"rope", rope}, {"jelly", jelly}, {"elastic", elastic}, {"figure", figure}};
    const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    if (argc > 3 || steps < 1) {
        fprintf(stderr, "wander [STEPS [NAME]]\n");
        return 64;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 3 || strcmp(argv[2], cases[i].name) == 0) watch(cases[i].name, cases[i].make, steps);
    return failures > 0;
}
