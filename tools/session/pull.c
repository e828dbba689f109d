// A hand that pulls cloth, a solid or a chain. It accelerates the points around the grabbed one, so that a step changes
// the velocity of that one by
//
//     h a,     a = (w^2 (hand - x - h v) - 2 w v) / (1 + 2 w h + (w h)^2),     w h = 3,
//
// which is an implicit step of a critically damped spring: free points would reach the hand in a few steps and stay
// there; attached mass only slows them down. Points within a distance r, which has a fifth of the body's mass, get the
// weight 1 - d^2/r^2. That is about a tenth of the mass in all, so a body that hangs freely hangs 16/9 * 10 g h^2 below
// the hand, 5 cm for h = 1/60 s.
#include "base/math/vec.h"
#include "session/session_internal.h"
#include <stdlib.h>

#define HAND_PART   0.2  // of the mass
#define HAND_WEIGHT 60.0 // its largest force, in units of the body's weight on Earth
#define SWING       3.0  // w h

void session_pull_end(session *s) {
    free(s->pull.points);
    free(s->pull.masses);
    s->pull = (session_pull){0};
}

typedef struct {
    double square; // of the distance
    int point;
} near_point;

static int nearer(const void *a, const void *b) {
    const near_point *p = a, *q = b;
    if (p->square != q->square) return p->square < q->square ? -1 : 1;
    return p->point - q->point;
}

// Points with mass, sorted by distance. Returns their number.
static int sort_points(const sn_vec3 *points, const sn_real *masses, int count, int around, near_point *out) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        const sn_vec3 off = sn_sub(points[i], points[around]);
        if (masses[i] > 0) out[found++] = (near_point){(double)sn_dot(off, off), i};
    }
    qsort(out, (size_t)found, sizeof *out, nearer);
    return found;
}

static void choose(session_pull *pull, const near_point *sorted, int count, const sn_real *masses) {
    double all = 0, part = 0, pulled = 0;
    for (int i = 0; i < count; i++) all += (double)masses[sorted[i].point];
    int n = 0;
    while (n < count && (part < HAND_PART * all || n < 4)) part += (double)masses[sorted[n++].point];
    const double reach = n < count ? sorted[n].square : 1.2 * sorted[n - 1].square + 1e-12;
    for (int i = 0; i < n; i++) {
        const double near = 1 - sorted[i].square / reach;
        if (!(near > 0)) break;
        pull->points[pull->count] = sorted[i].point;
        pull->masses[pull->count++] = (sn_real)(near * (double)masses[sorted[i].point]);
        pulled += near * (double)masses[sorted[i].point];
    }
    pull->max_acceleration = pulled > 0 ? HAND_WEIGHT * 9.81 * all / pulled : 0;
}

void session_pull_start(session *s, sn_body body, int point) {
    const view_kind *kind = view_kind_of(body);
    session_pull_end(s);
    const int n = kind && kind->add_impulse ? kind->points(s->world, body, NULL, 0) : 0;
    if (point < 0 || point >= n) return;
    sn_vec3 *points = malloc((size_t)n * sizeof *points);
    sn_real *masses = malloc((size_t)n * sizeof *masses);
    near_point *sorted = malloc((size_t)n * sizeof *sorted);
    session_pull made = {.body = body, .point = point};
    made.points = malloc((size_t)n * sizeof *made.points);
    made.masses = malloc((size_t)n * sizeof *made.masses);
    s->pull = made;
    if (points && masses && sorted && made.points && made.masses) {
        kind->points(s->world, body, points, n);
        sn_body_get_masses(s->world, body, masses, n);
        if (masses[point] > 0) choose(&s->pull, sorted, sort_points(points, masses, n, point, sorted), masses);
    }
    free(points);
    free(masses);
    free(sorted);
    if (s->pull.count == 0) session_pull_end(s); // a held point cannot be pulled
}

bool session_pull_point(const session *s, sn_vec3 *point, sn_vec3 *velocity) {
    const session_pull *pull = &s->pull;
    if (pull->count == 0) return false;
    const view_kind *kind = view_kind_of(pull->body);
    const int n = kind->points(s->world, pull->body, NULL, 0);
    sn_vec3 *all = n > pull->point ? malloc((size_t)n * sizeof *all) : NULL;
    if (!all) return false;
    kind->points(s->world, pull->body, all, n);
    *point = all[pull->point];
    if (velocity) sn_body_get_velocities(s->world, pull->body, all, n), *velocity = all[pull->point];
    free(all);
    return true;
}

void session_pull_step(session *s) {
    const session_pull *pull = &s->pull;
    sn_vec3 x, v;
    if (!session_pull_point(s, &x, &v)) return;
    const double h = s->page->step, all = (1 + SWING) * (1 + SWING);
    const sn_vec3 off = sn_sub(s->hand_at, x);
    sn_vec3 a = sn_mul((sn_real)(SWING * SWING / (h * h * all)), off);
    a = sn_mul_add(a, -(sn_real)((SWING * SWING + 2 * SWING) / (h * all)), v);
    const double size = (double)sn_length(a);
    if (size > pull->max_acceleration) a = sn_mul((sn_real)(pull->max_acceleration / size), a);
    const view_kind *kind = view_kind_of(pull->body);
    for (int i = 0; i < pull->count; i++)
        kind->add_impulse(s->world, pull->body, pull->points[i], sn_mul((sn_real)h * pull->masses[i], a));
}
