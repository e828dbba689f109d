// The work done on rods from outside in a substep: by loads, and by what is held and moved.
//
// A held part bears the slope of the elastic energy, at the end of the substep as the solver sees it. Its work is the slope along
// its way: a central difference, in double.
#include "base/math/trig.h"
#include "kinds/rod/rod_body.h"
#include <math.h>

#define PART 1e-3 // of the way, for the difference

// A body's state at the end of the substep, with what is held a part of its way farther.
typedef struct {
    const sn_rod_system *system;
    const sn_rod_body *body;
    double part;
} ahead;

static bool is_held(const sn_rod_block *b, int row) {
    const int frame = SN_HOLD_FRAME | SN_HOLD_CLAMP;
    if (row == X_S) return b->hold & SN_HOLD_SCALE;
    return b->hold & (row >= X_QX && row <= X_QW ? frame : SN_HOLD_CENTRE);
}

static double at(const sn_rod_system *s, const sn_rod_body *body, sn_real *array, int block, int row) {
    return (double)*sn_rod_at(s, body, array, X_ROWS, block, row);
}

static void state_ahead(const void *from, int block, double x[X_ROWS]) {
    const ahead *a = from;
    const sn_packet *packet = sn_rod_packet_of(a->system, a->body);
    // A ghost stands where its tip is.
    for (int r = 0; r < X_ROWS; r++) x[r] = at(a->system, a->body, packet->x, block, r);
    const sn_rod_block *b = &a->body->block[block];
    if (!b->hold) return;
    for (int r = 0; r < X_ROWS; r++)
        if (is_held(b, r)) x[r] += a->part * (x[r] - at(a->system, a->body, packet->x0, block, r));
    const double size = sqrt(x[X_QX] * x[X_QX] + x[X_QY] * x[X_QY] + x[X_QZ] * x[X_QZ] + x[X_QW] * x[X_QW]);
    for (int r = X_QX; r <= X_QW && size > 0; r++) x[r] /= size;
}

static bool is_moved(const sn_rod_system *s, const sn_rod_body *body) {
    const sn_packet *packet = sn_rod_packet_of(s, body);
    for (int k = 0; k < body->held_count; k++)
        for (int r = 0; r < X_ROWS; r++)
            if (is_held(&body->block[body->held[k]], r) &&
                at(s, body, packet->x, body->held[k], r) != at(s, body, packet->x0, body->held[k], r))
                return true;
    return false;
}

static double work_of_held(const sn_rod_system *s, const sn_rod_body *body) {
    double terms[E_TERMS], work = 0;
    for (int side = -1; side <= 1; side += 2) {
        const ahead a = {s, body, side * PART};
        sn_rod_energy_terms(body, state_ahead, &a, terms);
        for (int e = 0; e < E_TERMS; e++) work += side * terms[e] / (2 * PART);
    }
    return work;
}

// The rotation vector from one frame to another.
static void rotation_between(const double q[4], const double p[4], double out[3]) {
    const double w = q[3] * p[3] + q[0] * p[0] + q[1] * p[1] + q[2] * p[2];
    const double v[3] = {q[0] * p[3] - q[3] * p[0] - q[1] * p[2] + q[2] * p[1],
                         q[1] * p[3] - q[3] * p[1] - q[2] * p[0] + q[0] * p[2],
                         q[2] * p[3] - q[3] * p[2] - q[0] * p[1] + q[1] * p[0]};
    const double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]),
                 angle = 2 * (double)sn_atan2((sn_real)sine, (sn_real)fabs(w));
    for (int k = 0; k < 3; k++) out[k] = sine > 0 ? (w < 0 ? -1 : 1) * angle / sine * v[k] : 0;
}

static double work_of_loads(const sn_rod_system *s, const sn_rod_body *body) {
    const sn_packet *packet = sn_rod_packet_of(s, body);
    double work = 0;
    for (int i = 0; i < body->blocks; i++) {
        const sn_rod_block *b = &body->block[i];
        double load[V_ROWS], x[X_ROWS], x0[X_ROWS], rotation[3];
        bool any = false;
        for (int r = 0; r < V_ROWS; r++) {
            load[r] = (double)*sn_rod_at(s, body, packet->load, V_ROWS, i, r);
            any = any || load[r] != 0;
        }
        if (!any) continue;
        for (int r = 0; r < X_ROWS; r++) x[r] = at(s, body, packet->x, i, r), x0[r] = at(s, body, packet->x0, i, r);
        for (int k = 0; k < 3 && !is_held(b, X_CX); k++)
            work += load[V_CX + k] * (x[X_CX + k] - x0[X_CX + k] + x[X_LX + k] - x0[X_LX + k]);
        if (!is_held(b, X_S)) work += load[V_S] * (x[X_S] - x0[X_S]);
        if (is_held(b, X_QX)) continue;
        rotation_between(x + X_QX, x0 + X_QX, rotation);
        for (int k = 0; k < 3; k++) work += load[V_WX + k] * rotation[k];
    }
    return work;
}

double sn_rod_work(void *what, const sn_stage *stage) {
    (void)stage;
    const sn_rod_system *s = what;
    double work = 0;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_rod_body *body = sn_rod_in(s, i);
        if (!body || body->base.sleep.asleep) continue;
        if (sn_rod_packet_of(s, body)->loaded) work += work_of_loads(s, body);
        if (body->held_count > 0 && is_moved(s, body)) work += work_of_held(s, body);
    }
    return work;
}
