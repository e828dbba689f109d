// The volume of a bundle. Sections have one size, and when a muscle bends the fibres on one side are stretched, those on the other
// shortened. If each kept a volume of its own (eq. 18) they could do neither, and a muscle would bend as if it were tens of times as
// stiff as it is. What it keeps is its volume: between two sections, with w the fibres' stiffness kv pi r^2 l,
//
//     E = 1/2 W (S^2 D - 1)^2        W = sum w,   D = sum w |d| / W,   S = sum w s / W
//
// where |d| is the stretch of a fibre's segment and s its mean scale. A fibre that is alone has eq. 18 again.
//
// And what a section has of G: see section.c.
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

// ---- the stretch across

// 4 G V, with half of the segments on either side; or that of a frequency.
static double rod_across_stiffness(const sn_bundle_body *b, const sn_rod_system *system, int section, int number) {
    const sn_rod_body *rod = sn_rod_find(system, b->def.rods[number]);
    if (!rod) return 0;
    const int block = rod->block_of_point[section];
    if (b->def.hertz > 0) {
        const sn_vec3 at = b->rest[section * b->def.rod_count + number];
        const sn_section_plane *plane = &b->planes[section];
        const double from[3] = {(double)at.x - plane->middle[0], (double)at.y - plane->middle[1],
                                (double)at.z - plane->middle[2]};
        const double r = (double)rod->block[block].radius, w = 2 * (double)SN_PI * (double)b->def.hertz;
        double square = 0.5 * r * r;
        for (int side = 0; side < 2; side++) {
            const double *axis = side ? plane->v : plane->u;
            const double x = axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2];
            square += x * x;
        }
        return w * w * (double)rod->block[block].mass * square;
    }
    double sum = 0;
    for (int step = 0, met = 0; step < rod->blocks && met < rod->block[block].segments; step++) {
        const int i = (block + step) % rod->blocks; // its own segment, and those of its children, which come after it
        if ((i != block && rod->parent[i] != block) || !(rod->block[i].length > 0)) continue;
        met++;
        const double r = 0.5 * ((double)rod->block[i].radius + (double)rod->block[rod->parent[i]].radius);
        sum += 2 * (double)rod->block[i].stiffness * (double)rod->block[i].material.shear * (double)SN_PI * r * r *
               (double)rod->block[i].length;
    }
    return sum;
}

double sn_bundle_across_stiffness(const sn_bundle_body *b, const sn_rod_system *system, int section, int rod) {
    if (rod >= 0) return rod_across_stiffness(b, system, section, rod);
    double sum = 0;
    for (int i = 0; i < b->def.rod_count; i++) sum += rod_across_stiffness(b, system, section, i);
    return sum > 0 ? sum : 1; // nothing else decides on it
}

// By its own stiffness.
double sn_bundles_energy_share(void *user, int slot) {
    const sn_bundles *s = user;
    const sn_rod_system *system = sn_rods(s->world);
    const sn_rod_body *rod = sn_rod_in(system, slot);
    const sn_bundle_body *b = &s->items[rod->base.contact.family - 1];
    double energy = 0;
    int number = 0;
    while (number < b->def.rod_count - 1 && (int)b->def.rods[number].slot1 != slot + 1) number++;
    for (int k = 0; k < b->sections; k++) {
        const sn_volume_strain v = sn_bundle_volume_strain(b, system, k, SN_FIT_NOW);
        const double square = b->across[k][0] * b->across[k][0] + b->across[k][1] * b->across[k][1];
        if (v.stiffness > 0) energy += 0.5 * sn_rod_volume_stiffness(rod, rod->block_of_point[k]) * v.strain * v.strain;
        if (square > 0) energy += 0.5 * square * sn_bundle_across_stiffness(b, system, k, number);
    }
    return energy;
}
