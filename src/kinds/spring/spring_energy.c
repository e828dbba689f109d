// Energy, momentum and volume of mass-spring bodies, in double precision.
#include "kinds/spring/spring_system.h"

// Six times the volume of a tetrahedron, in double.
static double six_volumes(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static void place(const sn_springs_body *b, const sn_vec3 *points, int i, double out[3]) {
    const sn_vec3 p = points ? points[i] : sn_spring_point(b->body, i);
    out[0] = (double)p.x, out[1] = (double)p.y, out[2] = (double)p.z;
}

double sn_springs_volume_of(const sn_springs_body *b, const sn_vec3 *points) {
    double all = 0, at[4][3];
    for (int t = 0; t < b->tet_count; t++) {
        for (int k = 0; k < 4; k++) place(b, points, b->tets[t][k], at[k]);
        all += six_volumes(at[0], at[1], at[2], at[3]);
    }
    if (b->tet_count > 0) return all / 6;
    place(b, points, 0, at[0]); // any point will do if the triangles are closed
    for (int t = 0; t < b->triangle_count; t++) {
        for (int k = 0; k < 3; k++) place(b, points, b->triangles[t][k], at[k + 1]);
        all += six_volumes(at[0], at[1], at[2], at[3]);
    }
    return all / 6;
}

void sn_springs_measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    const sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_springs_body *b = sn_springs_in(s, i);
        if (!b) continue;
        const sn_spring_totals own = sn_spring_measure(b->body, gravity);
        totals->energy.kinetic += own.kinetic;
        totals->energy.elastic += own.elastic;
        totals->energy.potential += own.gravity;
        for (int k = 0; k < 3; k++) {
            totals->momentum.linear[k] += own.momentum[k];
            totals->momentum.angular[k] += own.spin[k];
        }
    }
}

sn_energy sn_springs_energy(void *what, int slot, sn_vec3 gravity) {
    const sn_springs_body *b = sn_springs_in(what, slot);
    const sn_spring_totals own = sn_spring_measure(b->body, gravity);
    return (sn_energy){own.kinetic, own.elastic, own.gravity};
}
