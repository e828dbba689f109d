// Fibres that pull: muscle as Hill described it (SN_ACTIVATE_FORCE). A fibre has the volume V and the length L0 of its active part,
// at rest; its optimal length is L' = optimal L0. It pulls with
//
//     F = stress (V / L') a f(L / L') g(v)             V / L': its physiological cross-section
//
// The activation a follows the excitation u that is set: da/dt = (u - a) / rise, or / fall where u < a. f is the force-length curve
// (sn_length_tension), g the force-velocity curve (sn_velocity_tension) of v = shortening speed / (max_speed L'). What resists
// stretching without activation is the rods' material.
//
// F is the same along all of a fibre (less where activity fades, toward tendons). f sees the length of the whole fibre: if every
// segment had its own, the longest would be the weakest beyond the optimum, and would be torn out. g sees each segment's own speed,
// which keeps segments even.
//
// A substep solves for the stretch x of a segment, from x_0 at the speed v_0, with the force that it will have at its end:
//
//     F(x) = F(x_0, v_0) + (k_v + k_l) (x - x_0) - k_v h v_0       k_v = dF/dv / h,   k_l = dF/dx, if positive
//
// so that steps may be longer than a muscle needs to settle (implicit Euler). As an energy, l (F x + 1/2 k x^2) is one of the rod's own
// parameters: together with the material, 1/2 K (x - G)^2. They are the rod's again after the substep, so that its elastic energy
// is what it stores, and what fibres did is work.
#include "base/math/trig.h"
#include "couplings/bundle/bundle.h"
#include <math.h>

#define ECCENTRIC 0.4  // what a fibre that is stretched fast bears above its force at rest
#define HILL      0.25 // a / F0 of Hill's hyperbola

sn_real sn_length_tension(sn_real length) {
    const sn_real x = 2 * (length - 1), f = 1 - x * x;
    return f > 0 ? f : 0; // also of NaN
}

static double length_slope(double length) {
    return length > 0.5 && length < 1.5 ? -8 * (length - 1) : 0;
}

// Lengthening goes on with the slope that shortening has at rest.
static double velocity_tension(double v, double *slope) {
    const double steep = 1 + 1 / HILL, own = ECCENTRIC / steep;
    if (!(v < 1)) {
        *slope = 0;
        return 0;
    }
    if (v >= 0) {
        *slope = -steep / ((1 + v / HILL) * (1 + v / HILL));
        return (1 - v) / (1 + v / HILL);
    }
    *slope = -ECCENTRIC * own / ((own - v) * (own - v));
    return 1 - ECCENTRIC * v / (own - v);
}

sn_real sn_velocity_tension(sn_real speed) {
    double slope;
    return (sn_real)velocity_tension((double)speed, &slope);
}

// ---- a fibre

// Sums over its active part.
typedef struct {
    double volume, rest, length; // m^3, m, m
    double rate;                 // m/s
} fibre_sums;

static double stretch_rate(const sn_rod_system *system, const sn_rod_body *rod, int block, const double along[3]) {
    sn_real *v = sn_rod_packet_of(system, rod)->v;
    double rate = 0;
    for (int r = 0; r < 3; r++)
        rate += along[r] * ((double)*sn_rod_at(system, rod, v, V_ROWS, block, V_CX + r) -
                            (double)*sn_rod_at(system, rod, v, V_ROWS, rod->parent[block], V_CX + r));
    return rate / (double)rod->block[block].length;
}

static fibre_sums add_up(const sn_bundle_body *b, const sn_rod_system *system, const sn_rod_body *rod) {
    fibre_sums sums = {0};
    for (int k = 0; k < b->sections; k++) {
        const int block = rod->block_of_point[k];
        const double active = (double)sn_bundle_activity(b, k), l = (double)rod->block[block].length;
        double along[3];
        if (!(l > 0) || !(active > 0)) continue;
        const double r = 0.5 * ((double)rod->block[block].radius + (double)rod->block[rod->parent[block]].radius);
        sums.volume += active * (double)SN_PI * r * r * l;
        sums.rest += active * l;
        sums.length += active * l * sn_bundle_fibre_stretch(system, rod, block, SN_FIT_NOW, along);
        sums.rate += active * l * stretch_rate(system, rod, block, along);
    }
    return sums;
}

// The force of a fibre at full activation and optimal length.
static double full_force(const sn_bundle_body *b, const fibre_sums *sums) {
    const double optimal = (double)b->def.optimal * sums->rest;
    return optimal > 0 ? (double)b->def.stress * sums->volume / optimal : 0;
}

static void pull(sn_bundle_body *b, sn_rod_system *system, int rod_number, double h) {
    sn_rod_body *rod = b->rods[rod_number];
    const fibre_sums sums = add_up(b, system, rod);
    const double optimal = (double)b->def.optimal, full = full_force(b, &sums) * (double)b->active;
    const double length = sums.rest > 0 ? sums.length / (sums.rest * optimal) : 1;
    const double by_length = (double)sn_length_tension((sn_real)length);
    const double k_l = fmax(full * length_slope(length) / optimal, 0);
    for (int k = 0; k < b->sections; k++) {
        const int block = rod->block_of_point[k];
        const double active = (double)sn_bundle_activity(b, k), l = (double)rod->block[block].length;
        if (!(l > 0) || !(active > 0)) continue;
        double along[3], slope = 0, by_speed = 1, rate = 0;
        const double x = sn_bundle_fibre_stretch(system, rod, block, SN_FIT_NOW, along);
        if (b->def.max_speed > 0) {
            rate = stretch_rate(system, rod, block, along);
            by_speed = velocity_tension(-rate / (optimal * (double)b->def.max_speed), &slope);
            slope = -full * by_length * slope / (optimal * (double)b->def.max_speed); // dF/dv of the stretch
        }
        sn_fibre_pull *pull = &b->pull[k * b->def.rod_count + rod_number];
        pull->stretch = x;
        pull->stiffness = active * (slope / h + k_l) * l;
        pull->force = active * (full * by_length * by_speed - slope * rate) * l;
        sn_real p[P_ROWS];
        sn_rod_block_params(rod, block, p);
        const double passive = (double)p[P_STRETCH], all = passive + pull->stiffness;
        if (!(all > 0)) { // nothing to pull with
            *pull = (sn_fibre_pull){.stretch = x};
            continue;
        }
        sn_real *param = sn_rod_packet_of(system, rod)->param;
        *sn_rod_at(system, rod, param, P_ROWS, block, P_STRETCH) = (sn_real)all;
        *sn_rod_at(system, rod, param, P_ROWS, block, P_REST) =
            (sn_real)((passive * (double)p[P_REST] + pull->stiffness * x - pull->force) / all);
    }
    sn_rod_packet_of(system, rod)->measured = false;
}

// ---- all of them

static bool pulls(const sn_bundle_body *b) {
    return b->alive && b->awake && b->def.activate == SN_ACTIVATE_FORCE && b->active > 0;
}

// The rest of the way to the excitation fades.
static sn_real follow(const sn_bundle_body *b, sn_real h) {
    const sn_real time = b->activation > b->active ? b->def.rise : b->def.fall, left = b->active - b->activation;
    if (!(time > 0) || !(sn_abs(left) > (sn_real)1e-6)) return b->activation;
    return b->activation + left * sn_exp(-h / time);
}

void sn_bundles_pull(sn_bundles *s, sn_rod_system *system, sn_real h) {
    for (int i = 0; i < s->count; i++) {
        sn_bundle_body *b = &s->items[i];
        if (!b->alive || !b->awake || b->def.activate != SN_ACTIVATE_FORCE) continue;
        b->active = follow(b, h);
        for (int k = 0; pulls(b) && k < b->def.rod_count; k++)
            if (b->rods[k]) pull(b, system, k, (double)h);
    }
}

// Rods have their own parameters again.
void sn_bundle_let_go(const sn_bundle_body *b, sn_rod_system *system) {
    for (int i = 0; i < b->def.rod_count; i++) {
        sn_rod_body *rod = sn_rod_find(system, b->def.rods[i]);
        for (int k = 0; rod && k < b->sections; k++) sn_rod_write_params(system, rod, rod->block_of_point[k]);
    }
}

// What a fibre did: its force, at the mean of the way, times how far it shortened. What holds its ends bears it too: rods count only their
// material (rod_work.c).
static double work_of(const sn_bundle_body *b, const sn_rod_system *system, int number) {
    const sn_rod_body *rod = b->rods[number];
    const sn_packet *packet = sn_rod_packet_of(system, rod);
    double work = 0;
    for (int k = 0; k < b->sections; k++) {
        const int block = rod->block_of_point[k], parent = rod->parent[block];
        const sn_fibre_pull *pull = &b->pull[k * b->def.rod_count + number];
        double along[3];
        if (!(rod->block[block].length > 0) || !(sn_bundle_activity(b, k) > 0)) continue;
        const double rise = sn_bundle_fibre_stretch(system, rod, block, SN_FIT_NOW, along) - pull->stretch;
        const double force = pull->force + pull->stiffness * rise;
        work -= (pull->force + 0.5 * pull->stiffness * rise) * rise;
        for (int side = 0; side < 2; side++) {
            const int end = side ? parent : block;
            if (!(rod->block[end].hold & SN_HOLD_CENTRE)) continue;
            for (int r = 0; r < 3; r++)
                work += (side ? -force : force) * along[r] / (double)rod->block[block].length *
                        ((double)*sn_rod_at(system, rod, packet->x, X_ROWS, end, X_CX + r) -
                         (double)*sn_rod_at(system, rod, packet->x0, X_ROWS, end, X_CX + r));
        }
    }
    return work;
}

void sn_bundles_let_go(sn_bundles *s, sn_rod_system *system, sn_work_balance *balance) {
    for (int i = 0; i < s->count; i++) {
        const sn_bundle_body *b = &s->items[i];
        if (!pulls(b)) continue;
        for (int k = 0; balance && k < b->def.rod_count; k++)
            if (b->rods[k]) balance->work += work_of(b, system, k);
        sn_bundle_let_go(b, system);
    }
}

// ---- readers

bool sn_bundle_muscle_state(const sn_bundle_body *b, const sn_rod_system *system, sn_muscle_state *out) {
    double length = 0, rate = 0, force = 0, total = 0;
    for (int i = 0; i < b->def.rod_count; i++) {
        const sn_rod_body *rod = sn_rod_find(system, b->def.rods[i]);
        if (!rod) return false;
        const fibre_sums sums = add_up(b, system, rod);
        const double optimal = (double)b->def.optimal * sums.rest, full = full_force(b, &sums);
        double slope, by_speed = 1;
        length += sums.length, rate += sums.rate, total += full;
        if (!(optimal > 0)) continue;
        if (b->def.max_speed > 0)
            by_speed = velocity_tension(-sums.rate / (optimal * (double)b->def.max_speed), &slope);
        force += full * (double)b->active * (double)sn_length_tension((sn_real)(sums.length / optimal)) * by_speed;
    }
    const double n = (double)b->def.rod_count;
    const bool active = b->def.activate == SN_ACTIVATE_FORCE;
    *out = (sn_muscle_state){.activation = active ? b->active : b->activation,
                             .length = (sn_real)(length / n),
                             .speed = (sn_real)(-rate / n),
                             .force = active ? (sn_real)force : 0,
                             .full_force = active ? (sn_real)total : 0};
    return true;
}
