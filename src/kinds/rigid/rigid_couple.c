// Dynamic rigid bodies in the common solve (base/solve.h). The potential of a substep, with the predicted place x' and orientation q'
// (rigid_motion.c):
//
//     E = m/(2 h^2) |x - x'|^2 + 1/(2 h^2) e . I e        e = 2 vec(q q'*), I in the world at q'
//
// Six unknowns, the displacement and the rotation vector. A further rotation by t changes e by A t, A = w - [e/2]x with w the scalar
// part of q q'*, so
//
//     gradient  m (x - x') / h^2,  A^T I e / h^2          matrix  m / h^2,  A^T I A / h^2, plus k j j^T of every contact and what joints add against rotation
//
// A node at r from the centre moves by d + t x r: that is the map from the unknowns to node space, and its transpose that of forces.
// All in double: six numbers cost little, and boxes in stacks are as stiff as contacts make them.
#include "base/math/double3.h"
#include "base/solve.h"
#include "geometry/proxy.h"
#include "kinds/rigid/rigid.h"
#include <math.h>

typedef struct {
    sn_rigid_dynamic *d;
    const sn_solve *solve;
    int number, slot, island; // slot: of its first node
    double h;
} job;

static void clear(sn_rigid_vector v) {
    for (int k = 0; k < 6; k++) v[k] = 0;
}
static double dot(const sn_rigid_vector a, const sn_rigid_vector b) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += a[k] * b[k];
    return sum;
}

// ---- node space

static void add_force(sn_rigid_vector to, const double r[3], const sn_real *force) {
    const double f[3] = {(double)force[0], (double)force[1], (double)force[2]};
    double torque[3];
    d3_cross(r, f, torque);
    for (int k = 0; k < 3; k++) to[k] += f[k], to[3 + k] += torque[k];
}

static void put_step(const sn_rigid_vector v, const double r[3], sn_real *step) {
    double across[3];
    d3_cross(v + 3, r, across);
    for (int k = 0; k < 3; k++) step[k] = (sn_real)(v[k] + across[k]);
}

// The second node of the frame, from the centre.
static void frame_arm(const job *j, double r[3]) {
    sn_rigid_rotate(j->d->now.rotation, (const double[3]){0, 0, (double)j->d->solid.node[1].z}, r);
}

#define EACH_CONTACT_NODE(j, i)                                                                                        \
    for (int n_ = (j)->solve->contact_node_first[(j)->number], i = 0;                                                  \
         n_ < (j)->solve->contact_node_first[(j)->number + 1] && (i = (j)->solve->contact_node_list[n_], true); n_++)

static void arm_of(const job *j, int i, double r[3]) {
    const sn_vec3 arm = j->solve->contact_nodes[i].arm;
    r[0] = (double)arm.x, r[1] = (double)arm.y, r[2] = (double)arm.z;
}

static void gather_force(const job *j, sn_rigid_vector out) {
    static const double centre[3] = {0, 0, 0};
    const sn_solve *s = j->solve;
    double r[3];
    clear(out);
    frame_arm(j, r);
    add_force(out, centre, s->force + 4 * (size_t)j->slot);
    add_force(out, r, s->force + 4 * (size_t)(j->slot + 1));
    const double spin = (double)s->force_spin[j->slot + 1] / (double)j->d->solid.node[1].z;
    for (int k = 0; k < 3; k++) out[3 + k] += spin * r[k];
    EACH_CONTACT_NODE(j, i) {
        arm_of(j, i, r);
        add_force(out, r, s->force + 4 * (size_t)(s->first_contact_node + i));
    }
}

static void scatter_step(const job *j, const sn_rigid_vector v) {
    static const double centre[3] = {0, 0, 0};
    const sn_solve *s = j->solve;
    double r[3];
    frame_arm(j, r);
    put_step(v, centre, s->step + 4 * (size_t)j->slot);
    put_step(v, r, s->step + 4 * (size_t)(j->slot + 1));
    s->step_spin[j->slot + 1] = (sn_real)(d3_dot(v + 3, r) / (double)j->d->solid.node[1].z);
    EACH_CONTACT_NODE(j, i) {
        arm_of(j, i, r);
        put_step(v, r, s->step + 4 * (size_t)(s->first_contact_node + i));
    }
}

// ---- energy

static double energy_at(const job *j, const double place[3], const double rotation[4]) {
    const sn_rigid_dynamic *d = j->d;
    double u[3], e[3], w, ie[3];
    d3_sub(place, d->goal.place, u);
    sn_rigid_rotation_error(rotation, d->goal.rotation, e, &w);
    for (int i = 0; i < 3; i++) ie[i] = d3_dot(d->goal_inertia[i], e);
    return 0.5 / (j->h * j->h) * (d->mass.mass * d3_dot(u, u) + d3_dot(e, ie));
}

static void measure(const job *j, const double place[3], const double rotation[4]) {
    j->solve->energy[j->number] = (sn_real)energy_at(j, place, rotation);
}

// Contacts know places to the last digit of an sn_real only: what that makes of the work of all that acts.
static void measure_noise(const job *j) {
    const sn_rigid_dynamic *d = j->d;
    double u[3];
    d3_sub(d->trial_place, d->goal.place, u);
    const double size = sqrt(d3_dot(d->trial_place, d->trial_place)) + (double)d->extent;
    const double force = d->mass.mass / (j->h * j->h) * sqrt(d3_dot(u, u));
    j->solve->noise[j->number] = (sn_real)(force * size * (double)SN_REAL_EPSILON);
}

// ---- linearisation

static void add_row(const job *j, double m[6][6], int i) {
    const sn_solve *s = j->solve;
    const int slot = s->first_contact_node + i;
    double r[3];
    arm_of(j, i, r);
    for (int n = s->row_first[slot]; n < s->row_first[slot + 1]; n++) {
        const sn_stiffness_row *row = &s->rows[n];
        sn_rigid_vector v;
        for (int k = 0; k < 3; k++) v[k] = (double)row->a[k] + (double)row->b[k];
        d3_cross(r, v, v + 3);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b <= a; b++) m[a][b] += (double)row->k * v[a] * v[b];
    }
}

static void factor(double m[6][6]) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++) {
            double sum = m[i][k];
            for (int n = 0; n < k; n++) sum -= m[i][n] * m[k][n];
            m[i][k] = i == k ? sqrt(sum > 0 ? sum : 1e-300) : sum / m[k][k];
        }
}

static void solve_factored(const double l[6][6], const sn_rigid_vector b, sn_rigid_vector x) {
    for (int i = 0; i < 6; i++) {
        double sum = b[i];
        for (int k = 0; k < i; k++) sum -= l[i][k] * x[k];
        x[i] = sum / l[i][i];
    }
    for (int i = 5; i >= 0; --i) {
        double sum = x[i];
        for (int k = i + 1; k < 6; k++) sum -= l[k][i] * x[k];
        x[i] = sum / l[i][i];
    }
}

static void linearise(const job *j) {
    sn_rigid_dynamic *d = j->d;
    const double inv_h2 = 1 / (j->h * j->h);
    double e[3], w, ie[3], back[3], a[3][3], ia[3][3], (*m)[6] = d->factor;
    sn_rigid_rotation_error(d->now.rotation, d->goal.rotation, e, &w);
    for (int i = 0; i < 3; i++) ie[i] = d3_dot(d->goal_inertia[i], e);
    d3_cross(e, ie, back);
    gather_force(j, d->r);
    for (int k = 0; k < 3; k++) {
        d->r[k] -= inv_h2 * d->mass.mass * (d->now.place[k] - d->goal.place[k]);
        d->r[3 + k] -= inv_h2 * (w * ie[k] + 0.5 * back[k]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) a[i][k] = i == k ? w : 0;
    a[0][1] += 0.5 * e[2], a[0][2] -= 0.5 * e[1], a[1][2] += 0.5 * e[0];
    a[1][0] -= 0.5 * e[2], a[2][0] += 0.5 * e[1], a[2][1] -= 0.5 * e[0];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            ia[i][k] = 0;
            for (int n = 0; n < 3; n++) ia[i][k] += d->goal_inertia[i][n] * a[n][k];
        }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) m[i][k] = i == k && i < 3 ? inv_h2 * d->mass.mass : 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < 3; n++) m[3 + i][3 + k] += inv_h2 * a[n][i] * ia[n][k];
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const sn_real *more = j->solve->rotation_stiffness + (size_t)j->number * SN_ROTATION_STIFFNESS;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[3 + i][3 + k] += (double)more[at[i][k]];
    EACH_CONTACT_NODE(j, i) add_row(j, m, i);
    factor(m);
    clear(d->r_old), clear(d->z), clear(d->p), clear(d->mp), clear(d->d);
    measure(j, d->now.place, d->now.rotation);
}

// ---- the inner iteration

static void precondition(const job *j, bool with_force) {
    sn_rigid_dynamic *d = j->d;
    sn_rigid_vector r;
    clear(r);
    if (with_force) gather_force(j, r);
    for (int k = 0; k < 6; k++) r[k] += d->r[k];
    solve_factored((const double(*)[6])d->factor, r, d->z);
    scatter_step(j, d->z);
}

static void respond(const job *j, sn_rigid_vector out) {
    sn_rigid_vector f;
    gather_force(j, f);
    solve_factored((const double(*)[6])j->d->factor, f, out);
    scatter_step(j, out);
}

static void direction(const job *j) {
    sn_rigid_dynamic *d = j->d;
    const double beta = (double)j->solve->beta[j->island];
    for (int k = 0; k < 6; k++) d->p[k] = d->z[k] + beta * d->p[k], d->mp[k] = d->r[k] + beta * d->mp[k];
    j->solve->pmp[j->number] = (sn_real)dot(d->p, d->mp);
    j->solve->pr[j->number] = (sn_real)dot(d->p, d->r);
    scatter_step(j, d->p);
}

static void advance(const job *j, double alpha) {
    sn_rigid_dynamic *d = j->d;
    sn_rigid_vector f;
    gather_force(j, f);
    for (int k = 0; k < 6; k++) {
        d->r_old[k] = d->r[k];
        d->d[k] += alpha * d->p[k];
        d->r[k] += f[k] - alpha * d->mp[k];
    }
}

static void move(const job *j) {
    sn_rigid_dynamic *d = j->d;
    const double share = (double)j->solve->share[j->island];
    sn_rigid_vector step;
    for (int k = 0; k < 6; k++) step[k] = share * d->d[k];
    for (int k = 0; k < 3; k++) d->trial_place[k] = d->now.place[k] + step[k];
    sn_rigid_rotate_by(d->now.rotation, step + 3, d->trial_rotation);
    scatter_step(j, step);
    const double far = sqrt(d3_dot(step, step)) + (double)d->extent * sqrt(d3_dot(step + 3, step + 3));
    j->solve->displacement[j->number] = (sn_real)(far / (double)d->solid.radius[0]);
    measure(j, d->trial_place, d->trial_rotation);
    measure_noise(j);
}

static void accept(const job *j) {
    sn_rigid_dynamic *d = j->d;
    if (!(j->solve->share[j->island] > 0)) return;
    for (int k = 0; k < 3; k++) d->now.place[k] = d->trial_place[k];
    for (int k = 0; k < 4; k++) d->now.rotation[k] = d->trial_rotation[k];
}

// ---- the ends

// Bodies in contact start from where they are: contacts hold there. Those in joints start from where they are predicted.
static void begin(const job *j) {
    sn_rigid_dynamic *d = j->d;
    if (j->solve->joined[j->number]) return;
    for (int k = 0; k < 3; k++) d->now.place[k] = d->start.place[k];
    for (int k = 0; k < 4; k++) d->now.rotation[k] = d->start.rotation[k];
}

static void measure_received(const job *j) {
    const sn_rigid_dynamic *d = j->d;
    double *out = j->solve->received + 4 * (size_t)j->number;
    const double *place = j->solve->failed[j->island] ? d->start.place : d->now.place;
    for (int k = 0; k < 3; k++) out[k] = d->mass.mass * (place[k] - d->goal.place[k]);
    out[3] = d->mass.mass;
}

// The prediction has the weight and the loads: what they do of work is the difference of kinetic energies there.
static void measure_motion(const job *j) {
    const sn_rigid_dynamic *d = j->d;
    sn_rigid_state now = d->now;
    sn_rigid_set_velocity_of(d, j->h, &now);
    double u[3], work = 0;
    d3_sub(d->now.place, d->start.place, u);
    for (int k = 0; k < 3; k++) work += (d->goal.velocity[k] - d->start.velocity[k]) / j->h * u[k];
    const double spin0 = fmax(sn_rigid_spin_energy(d, &d->start), sn_rigid_spin_energy(d, &d->goal));
    const double before = 0.5 * d->mass.mass * d3_dot(d->start.velocity, d->start.velocity) + spin0;
    const double inertia =
        energy_at(j, d->now.place, d->now.rotation) - energy_at(j, d->start.place, d->start.rotation);
    sn_solve_motion *out = &j->solve->motion[j->number];
    out->kinetic = sn_rigid_kinetic_energy(d, &now);
    out->gain = out->kinetic - before - d->mass.mass * work - inertia;
    out->mass = d->mass.mass;
    for (int k = 0; k < 3; k++) out->momentum[k] = d->mass.mass * now.velocity[k];
}

static void end(const job *j) {
    sn_rigid_dynamic *d = j->d;
    d->limit = j->solve->limit[j->island];
    const double *balance = j->solve->balance + 3 * (size_t)j->island;
    if (j->solve->failed[j->island]) { // it stays where it was, at rest
        d->now = d->start;
        for (int k = 0; k < 3; k++) d->now.velocity[k] = d->now.momentum[k] = 0;
        d->coupled = false;
        return;
    }
    for (int k = 0; k < 3; k++) d->now.place[k] += balance[k];
}

// ---- operations

static void couple_body(const job *j, sn_couple_op op) {
    sn_rigid_dynamic *d = j->d;
    const bool iterating = j->solve->iterating[j->island];
    switch (op) {
    case SN_COUPLE_BEGIN:
        begin(j);
        return;
    case SN_COUPLE_ENERGY:
        measure(j, d->now.place, d->now.rotation);
        return;
    case SN_COUPLE_START_ENERGY:
        measure(j, d->start.place, d->start.rotation);
        return;
    case SN_COUPLE_COLUMN:
        respond(j, d->z);
        return;
    case SN_COUPLE_SHIFT:
        respond(j, d->p);
        clear(d->mp);
        return;
    case SN_COUPLE_ADVANCE:
        advance(j, iterating ? (double)j->solve->alpha[j->island] : 0);
        return;
    case SN_COUPLE_MOMENTUM:
        measure_received(j);
        return;
    case SN_COUPLE_KINETIC:
        measure_motion(j);
        return;
    case SN_COUPLE_END:
        end(j);
        return;
    default:
        break;
    }
    if (!iterating) return;
    if (op == SN_COUPLE_LINEARISE) linearise(j);
    if (op == SN_COUPLE_PRECONDITION) precondition(j, false);
    if (op == SN_COUPLE_CORRECT) precondition(j, true);
    if (op == SN_COUPLE_DIRECTION) direction(j);
    if (op == SN_COUPLE_MOVE) move(j);
    if (op == SN_COUPLE_ACCEPT) accept(j);
    if (op == SN_COUPLE_PRODUCTS) {
        j->solve->rz[j->number] = (sn_real)dot(d->r, d->z);
        j->solve->rz_old[j->number] = (sn_real)dot(d->r_old, d->z);
    }
}

typedef struct {
    const sn_rigid_system *system;
    const sn_stage *stage;
    const sn_solve *solve;
    int first_body, first_node;
    sn_couple_op op;
} all_job;

static void couple_slot(void *context, int slot, int worker) {
    (void)worker;
    const all_job *a = context;
    sn_rigid_dynamic *d = sn_rigid_dynamic_in(a->system, slot);
    if (!d || !d->coupled) return;
    const int number = a->first_body + slot;
    const job j = {.d = d,
                   .solve = a->solve,
                   .number = number,
                   .slot = a->first_node + d->first_node + a->solve->shift[number],
                   .island = a->solve->island[number],
                   .h = (double)a->stage->h};
    couple_body(&j, a->op);
}

bool sn_rigid_couple(void *what, const sn_stage *stage, const sn_solve *solve, int first_body, int first_node, int op) {
    sn_rigid_system *s = what;
    if (s->dynamic_count == 0) return true;
    for (int i = 0; op == SN_COUPLE_BEGIN && i < s->slots.count; i++) {
        sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        if (d) d->coupled = solve->coupled[first_body + i] && !sn_rigid_in(s, i)->base.sleep.asleep;
    }
    all_job a = {s, stage, solve, first_body, first_node, (sn_couple_op)op};
    sn_parallel_for(stage->pool, s->slots.count, 32, couple_slot, &a);
    return true;
}
