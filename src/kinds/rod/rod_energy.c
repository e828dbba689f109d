// Energy and momentum of rods, in double precision. The elastic energy is computed term by term, by the formulas of docs/rods.md:
// slow and plain, for sn_world_energy and for tests of the kernels.
#include "base/math/double3.h"
#include "kinds/rod/rod_body.h"
#include <string.h>

typedef struct {
    double x, y, z, w;
} quat;

static quat mul(quat a, quat b) {
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static quat frame_of(const double *x) {
    return (quat){x[X_QX], x[X_QY], x[X_QZ], x[X_QW]};
}

static void segment(const double p[P_ROWS], const double *child, const double *parent, double terms[E_TERMS]) {
    quat q = frame_of(child);
    double w[3] = {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
    double d[3], d2 = 0, shear2 = 0;
    for (int k = 0; k < 3; k++) d[k] = p[P_INV_L] * (child[X_CX + k] - parent[X_CX + k]), d2 += d[k] * d[k];
    double length = sqrt(d2), stretch = length - p[P_REST];
    for (int k = 0; k < 3; k++) shear2 += (d[k] - length * w[k]) * (d[k] - length * w[k]);
    double s = 0.5 * (child[X_S] + parent[X_S]), slope = child[X_S] - parent[X_S], volume = s * s * length - 1;
    terms[E_STRETCH] += 0.5 * p[P_STRETCH] * stretch * stretch;
    terms[E_SHEAR] += 0.5 * p[P_SHEAR] * shear2;
    terms[E_SECTION] += 0.5 * p[P_SECTION] * (s - 1) * (s - 1);
    terms[E_GRADIENT] += 0.5 * p[P_GRADIENT] * slope * slope;
    terms[E_VOLUME] += 0.5 * p[P_VOLUME] * volume * volume;
}

static void joint(const double p[P_ROWS], const double *child, const double *parent, double terms[E_TERMS]) {
    quat rel = {p[P_REL_X], p[P_REL_Y], p[P_REL_Z], p[P_REL_W]}, q = frame_of(child);
    quat z = mul(frame_of(parent), rel);
    quat b = mul((quat){-z.x, -z.y, -z.z, z.w}, q);
    double sign = b.w < 0 ? -1 : 1, s = parent[X_S], s3 = s * s * s, with = p[P_KAPPA];
    double im[3] = {sign * b.x, sign * b.y, sign * b.z}, kappa[3] = {with * rel.x, with * rel.y, with * rel.z};
    for (int k = 0; k < 3; k++) {
        double bend = s * (im[k] + kappa[k]) - kappa[k], swell = s3 * (im[k] + kappa[k]) - kappa[k];
        terms[k < 2 ? E_BEND : E_TWIST] += 0.5 * p[k < 2 ? P_BEND : P_TWIST] * bend * bend;
        if (k < 2) terms[E_VOLUME_BEND] += 0.5 * p[P_VOLBEND] * swell * swell;
    }
}

// 'system': parameters are those of the body's packet; null: they follow from the body.
static void add_terms(const sn_rod_system *system, const sn_rod_body *body, sn_rod_state_fn *state, const void *from,
                      double terms[E_TERMS]) {
    for (int k = 0; k < E_TERMS; k++) terms[k] = 0;
    double child[X_ROWS], parent[X_ROWS], grand[X_ROWS];
    int last = -1; // the block in 'child'
    for (int i = 0; i < body->blocks; i++) {
        int n = body->parent[i];
        if (n < 0) continue;
        sn_real rounded[P_ROWS];
        double p[P_ROWS];
        if (system)
            sn_rod_get(system, body, sn_rod_packet_of(system, body)->param, P_ROWS, i, rounded);
        else
            sn_rod_block_params(body, i, rounded);
        for (int r = 0; r < P_ROWS; r++) p[r] = (double)rounded[r];
        if (n == last)
            memcpy(parent, child, sizeof parent);
        else
            state(from, n, parent);
        state(from, i, child);
        last = i;
        segment(p, child, parent, terms);
        joint(p, child, parent, terms);
        int g = body->parent[n];
        if (g < 0 || !(p[P_SCALEBEND] > 0)) continue;
        state(from, g, grand);
        double bend = p[P_SB_CHILD] * (child[X_S] - parent[X_S]) - p[P_SB_PARENT] * (parent[X_S] - grand[X_S]);
        terms[E_SCALEBEND] += 0.5 * p[P_SCALEBEND] * bend * bend;
    }
}

void sn_rod_energy_terms(const sn_rod_body *body, sn_rod_state_fn *state, const void *from, double terms[E_TERMS]) {
    add_terms(NULL, body, state, from, terms);
}

// The state of a body as its packet has it.
typedef struct {
    const sn_rod_system *system;
    const sn_rod_body *body;
    sn_real *x;
} here;

static void state_here(const void *from, int block, double x[X_ROWS]) {
    const here *h = from;
    const size_t lanes = (size_t)h->system->lanes;
    const sn_real *at = sn_rod_at(h->system, h->body, h->x, X_ROWS, block, 0);
    for (size_t r = 0; r < X_ROWS; r++) x[r] = (double)at[r * lanes];
}

void sn_rod_energy_now(const sn_rod_system *system, const sn_rod_body *body, double terms[E_TERMS]) {
    here h = {system, body, sn_rod_packet_of(system, body)->x};
    add_terms(system, body, state_here, &h, terms);
}

// ---- energy and momentum of all rods

static void read_state(const sn_rod_system *s, const sn_rod_body *body, int i, double x[X_ROWS], double v[V_ROWS],
                       double p[P_ROWS]) {
    sn_packet *packet = sn_rod_packet_of(s, body);
    for (int r = 0; r < X_ROWS; r++) x[r] = (double)*sn_rod_at(s, body, packet->x, X_ROWS, i, r);
    for (int r = 0; r < V_ROWS; r++) v[r] = (double)*sn_rod_at(s, body, packet->v, V_ROWS, i, r);
    for (int r = 0; r < P_ROWS; r++) p[r] = (double)*sn_rod_at(s, body, packet->param, P_ROWS, i, r);
}

// Kinetic energy, weight and momentum of one block.
static void measure_block(const sn_rod_system *s, const sn_rod_body *body, int i, sn_vec3 gravity, sn_totals *totals) {
    double x[X_ROWS], v[V_ROWS], p[P_ROWS];
    read_state(s, body, i, x, v, p);
    const double held = (double)SN_IS_HELD, m = p[P_MASS];
    if (m < held) {
        double rotation[3];
        d3_cross(x + X_CX, v + V_CX, rotation);
        totals->energy.kinetic += 0.5 * m * (v[V_CX] * v[V_CX] + v[V_CY] * v[V_CY] + v[V_CZ] * v[V_CZ]);
        totals->energy.potential -=
            m * ((double)gravity.x * x[X_CX] + (double)gravity.y * x[X_CY] + (double)gravity.z * x[X_CZ]);
        for (int k = 0; k < 3; k++)
            totals->momentum.linear[k] += m * v[V_CX + k], totals->momentum.angular[k] += m * rotation[k];
    }
    if (p[P_MASS_S] < held) totals->energy.kinetic += 0.5 * (double)body->block[i].scale_mass * v[V_S] * v[V_S];
    int n = body->parent[i];
    if (n < 0 || body->block[i].ghost || !(p[P_INERTIA_T] < held)) return;
    double mean = 0.5 * (x[X_S] + (double)*sn_rod_at(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, n, X_S));
    double qx = x[X_QX], qy = x[X_QY], qz = x[X_QZ], qw = x[X_QW], *spin = v + V_WX;
    double w[3] = {2 * (qx * qz + qw * qy), 2 * (qy * qz - qw * qx), 1 - 2 * (qx * qx + qy * qy)};
    double along = spin[0] * w[0] + spin[1] * w[1] + spin[2] * w[2], swell = mean * mean;
    for (int k = 0; k < 3; k++) {
        double l = swell * (p[P_INERTIA_T] * spin[k] + (p[P_INERTIA_W] - p[P_INERTIA_T]) * along * w[k]);
        totals->momentum.angular[k] += l;
        totals->energy.kinetic += 0.5 * l * spin[k];
    }
}

static void measure_body(const sn_rod_system *s, int slot, sn_vec3 gravity, sn_totals *totals) {
    const sn_rod_body *body = sn_rod_in(s, slot);
    for (int i = 0; i < body->blocks; i++) measure_block(s, body, i, gravity, totals);
    double terms[E_TERMS];
    sn_rod_energy_now(s, body, terms);
    for (int k = 0; k < E_TERMS; k++) totals->energy.elastic += terms[k];
    if (body->assembled) totals->energy.elastic += s->assembler.energy(s->assembler.user, slot);
}

void sn_rod_measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    const sn_rod_system *s = what;
    for (int b = 0; b < s->slots.count; b++)
        if (sn_rod_in(s, b)) measure_body(s, b, gravity, totals);
}

sn_energy sn_rod_energy(void *what, int slot, sn_vec3 gravity) {
    sn_totals totals = {0};
    measure_body(what, slot, gravity, &totals);
    return totals.energy;
}
