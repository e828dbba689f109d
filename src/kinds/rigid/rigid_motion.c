// How a dynamic body moves in a substep of length h.
//
// Predicted, without contacts and joints (implicit Euler for the centre of mass):
//
//     v' = v + h (g + F/m)     x' = x + h v'     L' = L + h T     q' = the torque-free flight of L' over h, from q
//
// Free flight keeps the angular momentum L exactly; dq/dt = 1/2 (I(q)^-1 L) q is integrated by RK4 in pieces of less than PIECE of
// a radian, so that large steps keep the energy too, and an intermediate axis turns over when it should.
//
// Contacts and joints move the body away from there, by u and by the rotation e q', and give it
//
//     v = v' + u / h           L = L' + A^T I e / h
//
// with A the derivative of e by a further rotation: the torque that balances their forces in the potential of rigid_couple.c. That
// potential is one of displacements: it bounds the energy of the mean angular velocity of the substep, w. In flight the
// last angular velocity differs from the mean, w', so the energy of L may be larger than
//
//     1/2 w . I w  +  what flight has above 1/2 w' . I w'
//
// Then L is shortened: a box that pivots on a corner would gain some percent.
#include "base/math/double3.h"
#include "kinds/rigid/rigid.h"
#include <math.h>

#define PIECE     0.05 // rad
#define MAX_PIECE 400

void sn_rigid_rotate(const double q[4], const double v[3], double out[3]) {
    double t[3], u[3];
    d3_cross(q, v, t);
    for (int k = 0; k < 3; k++) t[k] *= 2;
    d3_cross(q, t, u);
    for (int k = 0; k < 3; k++) out[k] = v[k] + q[3] * t[k] + u[k];
}

static void rotate_back(const double q[4], const double v[3], double out[3]) {
    const double inverse[4] = {-q[0], -q[1], -q[2], q[3]};
    sn_rigid_rotate(inverse, v, out);
}

static void normalise(double q[4]) {
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= size;
}

// (v, w) q
static void multiply(const double v[3], double w, const double q[4], double out[4]) {
    double cross[3];
    d3_cross(v, q, cross);
    for (int k = 0; k < 3; k++) out[k] = w * q[k] + q[3] * v[k] + cross[k];
    out[3] = w * q[3] - d3_dot(v, q);
}

void sn_rigid_rotate_by(const double q[4], const double by[3], double out[4]) {
    const double half[3] = {0.5 * by[0], 0.5 * by[1], 0.5 * by[2]};
    double to[4];
    multiply(half, 1, q, to);
    normalise(to);
    for (int k = 0; k < 4; k++) out[k] = to[k];
}

void sn_rigid_rotation_error(const double p[4], const double q[4], double twice[3], double *scalar) {
    const double inverse[4] = {-q[0], -q[1], -q[2], q[3]};
    double from[4];
    multiply(p, p[3], inverse, from);
    const double sign = from[3] < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) twice[k] = 2 * sign * from[k];
    *scalar = sign * from[3];
}

void sn_rigid_inertia(const sn_rigid_dynamic *body, const double q[4], double out[3][3]) {
    double axis[3][3], rotated[3][3]; // columns of R; of R I
    for (int k = 0; k < 3; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        sn_rigid_rotate(q, e, axis[k]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            rotated[i][k] = 0;
            for (int m = 0; m < 3; m++) rotated[i][k] += axis[m][i] * body->mass.inertia[m][k];
        }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += rotated[i][k] * axis[k][j];
            out[i][j] = out[j][i] = sum;
        }
}

// I(q)^-1 L
static void angular_velocity(const sn_rigid_dynamic *body, const double q[4], const double momentum[3], double out[3]) {
    double local[3], spin[3];
    rotate_back(q, momentum, local);
    for (int i = 0; i < 3; i++) spin[i] = d3_dot(body->inverse_inertia[i], local);
    sn_rigid_rotate(q, spin, out);
}

void sn_rigid_angular_velocity(const sn_rigid_dynamic *body, const sn_rigid_state *state, double out[3]) {
    angular_velocity(body, state->rotation, state->momentum, out);
}

static double spin_energy(const sn_rigid_dynamic *body, const double q[4], const double momentum[3]) {
    double w[3];
    angular_velocity(body, q, momentum, w);
    return 0.5 * d3_dot(w, momentum);
}

double sn_rigid_spin_energy(const sn_rigid_dynamic *body, const sn_rigid_state *state) {
    return spin_energy(body, state->rotation, state->momentum);
}

double sn_rigid_kinetic_energy(const sn_rigid_dynamic *body, const sn_rigid_state *state) {
    return 0.5 * body->mass.mass * d3_dot(state->velocity, state->velocity) +
           spin_energy(body, state->rotation, state->momentum);
}

// ---- free flight

static void rate(const sn_rigid_dynamic *body, const double q[4], const double momentum[3], double out[4]) {
    double w[3];
    angular_velocity(body, q, momentum, w);
    for (int k = 0; k < 3; k++) w[k] *= 0.5;
    multiply(w, 0, q, out);
}

static void fly_piece(const sn_rigid_dynamic *body, double q[4], const double momentum[3], double h) {
    static const double share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double k[4] = {0}, sum[4] = {0};
    for (int n = 0; n < 4; n++) {
        double at[4];
        for (int i = 0; i < 4; i++) at[i] = q[i] + share[n] * h * k[i];
        if (n > 0) normalise(at);
        rate(body, at, momentum, k);
        for (int i = 0; i < 4; i++) sum[i] += weight[n] * k[i];
    }
    for (int i = 0; i < 4; i++) q[i] += h * sum[i];
    normalise(q);
}

static void fly(const sn_rigid_dynamic *body, double q[4], const double momentum[3], double h) {
    double w[3];
    angular_velocity(body, q, momentum, w);
    const double angle = h * sqrt(d3_dot(w, w));
    const int pieces = angle < PIECE ? 1 : angle < PIECE * MAX_PIECE ? 1 + (int)(angle / PIECE) : MAX_PIECE;
    for (int k = 0; k < pieces; k++) fly_piece(body, q, momentum, h / pieces);
}

void sn_rigid_predict(sn_rigid_dynamic *body, double h, sn_vec3 gravity) {
    const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    body->start = body->now;
    sn_rigid_state *to = &body->now;
    for (int k = 0; k < 3; k++) {
        to->velocity[k] += h * (g[k] + body->force[k] / body->mass.mass);
        to->place[k] += h * to->velocity[k];
        to->momentum[k] += h * body->torque[k];
    }
    fly(body, to->rotation, to->momentum, h);
    body->goal = *to;
    sn_rigid_inertia(body, to->rotation, body->goal_inertia);
    body->coupled = false;
}

// ---- after the solve

static bool is_finite(const sn_rigid_state *s) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += s->place[k] + s->velocity[k] + s->momentum[k];
    for (int k = 0; k < 4; k++) sum += s->rotation[k];
    return sn_finite((sn_real)sum) && d3_dot(s->place, s->place) < 0.98 * SN_RIGID_FAR * SN_RIGID_FAR;
}

// A body that is not finite any more, or farther away than one may be made, goes back to where it was, at rest.
static void check_finite(sn_rigid_dynamic *body) {
    if (is_finite(&body->now)) return;
    body->now = body->start;
    for (int k = 0; k < 3; k++) body->now.velocity[k] = body->now.momentum[k] = 0;
    body->diverged = true;
}

// Of the mean angular velocity from the start of the substep to an orientation.
static double mean_energy(const sn_rigid_dynamic *body, const double q[4], double h) {
    double e[3], w, iw[3];
    sn_rigid_rotation_error(q, body->start.rotation, e, &w);
    const double s2 = 0.25 * d3_dot(e, e); // asin(s)/s
    const double angle = 1 + s2 * (1.0 / 6 + s2 * (3.0 / 40 + s2 * (15.0 / 336 + s2 * 105.0 / 3456)));
    for (int k = 0; k < 3; k++) e[k] *= angle / h;
    for (int i = 0; i < 3; i++) iw[i] = d3_dot(body->goal_inertia[i], e);
    return 0.5 * d3_dot(e, iw);
}

void sn_rigid_set_velocity_of(const sn_rigid_dynamic *body, double h, sn_rigid_state *now) {
    double e[3], w, ie[3], back[3];
    sn_rigid_rotation_error(now->rotation, body->goal.rotation, e, &w);
    for (int i = 0; i < 3; i++) ie[i] = d3_dot(body->goal_inertia[i], e);
    d3_cross(e, ie, back);
    for (int k = 0; k < 3; k++) {
        now->velocity[k] = body->goal.velocity[k] + (now->place[k] - body->goal.place[k]) / h;
        now->momentum[k] = body->goal.momentum[k] + (w * ie[k] + 0.5 * back[k]) / h;
    }
    const double bound = mean_energy(body, now->rotation, h) +
                         spin_energy(body, body->goal.rotation, body->goal.momentum) -
                         mean_energy(body, body->goal.rotation, h);
    const double is = spin_energy(body, now->rotation, now->momentum);
    for (int k = 0; k < 3 && is > bound; k++) now->momentum[k] *= sqrt(fmax(bound, 0) / is);
}

void sn_rigid_finish(sn_rigid_dynamic *body, double h) {
    if (body->coupled) {
        sn_rigid_set_velocity_of(body, h, &body->now);
        const sn_solve_limit *limit = &body->limit;
        for (int k = 0; k < 3 && limit->part < 1; k++) {
            double *v = &body->now.velocity[k];
            *v = limit->mean[k] + limit->part * (*v - limit->mean[k]);
            body->now.momentum[k] *= limit->part;
        }
    }
    check_finite(body);
}

// ---- poses

sn_transform sn_rigid_pose(const sn_rigid_dynamic *body, const sn_rigid_state *state) {
    double arm[3];
    const double *q = state->rotation, *x = state->place;
    sn_rigid_rotate(q, body->mass.centre, arm);
    return (sn_transform){{(sn_real)(x[0] - arm[0]), (sn_real)(x[1] - arm[1]), (sn_real)(x[2] - arm[2])},
                          sn_q_normalize((sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]})};
}

void sn_rigid_place(sn_rigid_dynamic *body, const sn_transform *pose) {
    sn_rigid_state *s = &body->now;
    const double q[4] = {(double)pose->rotation.x, (double)pose->rotation.y, (double)pose->rotation.z,
                         (double)pose->rotation.w};
    const double x[3] = {(double)pose->position.x, (double)pose->position.y, (double)pose->position.z};
    double arm[3];
    for (int k = 0; k < 4; k++) s->rotation[k] = q[k];
    normalise(s->rotation);
    sn_rigid_rotate(s->rotation, body->mass.centre, arm);
    for (int k = 0; k < 3; k++) s->place[k] = x[k] + arm[k];
}
