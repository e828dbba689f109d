// Buckling: below 0.98 of the critical load a straight rod that is pushed aside returns, above 1.02 of it it departs.
// 64 segments, the direct solver, one iteration a step.
#include "known.h"

#define RADIUS 0.01
#define YOUNG  1e8
#define EI     (0.25 * PI * RADIUS * RADIUS * RADIUS * RADIUS * YOUNG)
#define EA     (PI * RADIUS * RADIUS * YOUNG)

typedef struct {
    bool clamp_first, clamp_last; // else a pin, or free
    bool free_last; // pushed by a dead load; else both ends are held and the last is moved towards the first
    double load;    // critical, times L^2 / EI
    double weight;  // per unit of length, times L^3 / EI: a column on its clamped foot
} column;

static double largest_aside(const bench *b) {
    sn_vec3 at[MOST_POINTS];
    sn_body_get_points(b->world, b->rod, at, MOST_POINTS);
    double most = 0;
    for (int i = 0; i < b->points; i++) most = fmax(most, fabs((double)at[i].x));
    return most;
}

// How far aside the column is at the end, as a multiple of the start, when it bears 'share' of its critical load. It
// stands along y. With both ends held the load is that of the strain P/EA: the ends stand nearer to each other by that.
static double growth(const column *c, double share) {
    sn_vec3 points[SEGMENTS + 1], bent[SEGMENTS + 1], rest[SEGMENTS + 1];
    double load = share * c->load * EI, shrink = c->free_last ? 0 : load / EA, aside = 1e-5;
    line(rest, SEGMENTS + 1, vec(0, 0, 0), vec(0, 1, 0));
    for (int i = 0; i <= SEGMENTS; i++) {
        double t = (double)i / SEGMENTS, shape = t * (1 - t) * 4;
        if (c->free_last)
            shape = t * t;
        else {
            if (c->clamp_first) shape *= t;
            if (c->clamp_last) shape *= 1 - t;
        }
        points[i] = vec(0, t * (1 - shrink), 0);
        bent[i] = vec(aside * shape, t * (1 - shrink), 0);
    }
    bench b = {world_with(-share * c->weight * EI / (PI * RADIUS * RADIUS * 1000)), {0}, SEGMENTS + 1};
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.rest_points = rest;
    def.point_count = SEGMENTS + 1;
    def.radius = (sn_real)RADIUS;
    def.clamp_first = c->clamp_first;
    def.clamp_last = c->clamp_last;
    def.material = stuff(YOUNG, 1000);
    def.material.damping = 1;
    b.rod = add_rod(b.world, &def);
    if (!c->clamp_first) sn_rod_hold(b.world, b.rod, 0, SN_HOLD_CENTRE);
    if (!c->clamp_last && !c->free_last) sn_rod_hold(b.world, b.rod, SEGMENTS, SN_HOLD_CENTRE);
    if (c->free_last) sn_rod_set_force(b.world, b.rod, SEGMENTS, vec(0, -load, 0));
    CHECK_INT(sn_rod_set_centres(b.world, b.rod, bent, SEGMENTS + 1), SN_OK); // the clamps stay upright
    double before = largest_aside(&b);
    steps(b.world, 0.05, 300);
    double after = largest_aside(&b);
    sn_world_destroy(b.world);
    return after / before;
}

static void check_column(const column *c) {
    CHECK_NEAR(growth(c, 0.98), 0, 0.01);
    CHECK(growth(c, 1.02) > 20);
}

// Row 5: P L^2 / EI = pi^2/4 with one end clamped and the other free.
TEST(a_clamped_free_column_buckles_at_a_quarter_of_pi_squared) {
    check_column(&(column){.clamp_first = true, .free_last = true, .load = PI * PI / 4});
}

// Row 5: pi^2 between pins.
TEST(a_pinned_column_buckles_at_pi_squared) {
    check_column(&(column){.load = PI * PI});
}

// Row 5: 20.1907 between a pin and a clamp; either end may be the clamped one.
TEST(a_pinned_clamped_column_buckles_at_20_19) {
    check_column(&(column){.clamp_last = true, .load = 20.1907});
    check_column(&(column){.clamp_first = true, .load = 20.1907});
}

// Row 5: 4 pi^2 between clamps.
TEST(a_clamped_column_buckles_at_four_pi_squared) {
    check_column(&(column){.clamp_first = true, .clamp_last = true, .load = 4 * PI * PI});
}

// Row 7: a clamped column of weight w a metre buckles under itself at w L^3 / EI = 7.8373.
TEST(a_column_buckles_under_its_own_weight_at_7_84) {
    check_column(&(column){.clamp_first = true, .free_last = true, .weight = 7.8373});
}
