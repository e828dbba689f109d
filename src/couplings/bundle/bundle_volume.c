// The volume of a bundle. Sections have one size, and when a muscle bends the fibres on one side are stretched, those on the other
// shortened. If each kept a volume of its own (eq. 18) they could do neither, and a muscle would bend as if it were tens of times as
// stiff as it is. What it keeps is its volume: between two sections, with w the fibres' stiffness kv pi r^2 l,
//
//     E = 1/2 W (S^2 D - 1)^2        W = sum w,   D = sum w |d| / W,   S = sum w s / W
//
// where |d| is the stretch of a fibre's segment and s its mean scale. A fibre that is alone has eq. 18 again.
#include "couplings/bundle/bundle.h"
#include <math.h>

// At the start of a substep what is held is where it is driven to.
static sn_real *array_of(const sn_rod_system *system, const sn_rod_body *rod, int block, sn_bundle_fit_to to) {
    const sn_packet *packet = sn_rod_packet_of(system, rod);
    if (to == SN_FIT_START && (rod->block[block].hold & SN_HOLD_CENTRE)) return packet->coupled.x;
    switch (to) {
    case SN_FIT_COUPLED:
        return packet->coupled.x;
    case SN_FIT_TRIAL:
        return packet->coupled.xn;
    case SN_FIT_START:
        return packet->x0;
    case SN_FIT_NOW:
        break;
    }
    return packet->x;
}

double sn_bundle_fibre_stretch(const sn_rod_system *system, const sn_rod_body *rod, int block, sn_bundle_fit_to to,
                               double along[3]) {
    const int parent = rod->parent[block];
    sn_real *own = array_of(system, rod, block, to), *other = array_of(system, rod, parent, to);
    double square = 0;
    for (int k = 0; k < 3; k++) {
        along[k] = ((double)*sn_rod_at(system, rod, own, X_ROWS, block, X_CX + k) -
                    (double)*sn_rod_at(system, rod, other, X_ROWS, parent, X_CX + k) +
                    (double)*sn_rod_at(system, rod, own, X_ROWS, block, X_LX + k) -
                    (double)*sn_rod_at(system, rod, other, X_ROWS, parent, X_LX + k)) /
                   (double)rod->block[block].length;
        square += along[k] * along[k];
    }
    const double stretch = sqrt(square);
    for (int k = 0; k < 3; k++) along[k] = stretch > 0 ? along[k] / stretch : 0;
    return stretch;
}

sn_volume_strain sn_bundle_volume_strain(const sn_bundle_body *b, const sn_rod_system *system, int section,
                                         sn_bundle_fit_to to) {
    sn_volume_strain v = {0};
    if (b->system.before[section] < 0) return v;
    for (int i = 0; i < b->def.rod_count; i++) {
        const sn_rod_body *rod = sn_rod_find(system, b->def.rods[i]);
        if (!rod) continue;
        const int block = rod->block_of_point[section];
        const int parent = rod->parent[block];
        sn_real *own = array_of(system, rod, block, to), *other = array_of(system, rod, parent, to);
        const double w = sn_rod_volume_stiffness(rod, block);
        double along[3];
        v.stiffness += w;
        v.stretch += w * sn_bundle_fibre_stretch(system, rod, block, to, along);
        v.scale += 0.5 * w *
                   ((double)*sn_rod_at(system, rod, own, X_ROWS, block, X_S) +
                    (double)*sn_rod_at(system, rod, other, X_ROWS, parent, X_S));
    }
    if (!(v.stiffness > 0)) return (sn_volume_strain){0};
    v.stretch /= v.stiffness, v.scale /= v.stiffness;
    v.strain = v.scale * v.scale * v.stretch - 1;
    return v;
}

double sn_bundle_volume_energy(const sn_bundle_body *b, const sn_rod_system *system, sn_bundle_fit_to to,
                               double *stiffness) {
    double energy = 0;
    *stiffness = 0;
    for (int k = 0; k < b->sections; k++) {
        const sn_volume_strain v = sn_bundle_volume_strain(b, system, k, to);
        energy += 0.5 * v.stiffness * v.strain * v.strain;
        *stiffness += v.stiffness;
    }
    return energy;
}

// A rod's share of it: by its own stiffness.
double sn_bundles_volume_share(void *user, int slot) {
    const sn_bundles *s = user;
    const sn_rod_system *system = sn_rods(s->world);
    const sn_rod_body *rod = sn_rod_in(system, slot);
    const sn_bundle_body *b = &s->items[rod->base.contact.family - 1];
    double energy = 0;
    for (int k = 0; k < b->sections; k++) {
        const sn_volume_strain v = sn_bundle_volume_strain(b, system, k, SN_FIT_NOW);
        if (v.stiffness > 0) energy += 0.5 * sn_rod_volume_stiffness(rod, rod->block_of_point[k]) * v.strain * v.strain;
    }
    return energy;
}
