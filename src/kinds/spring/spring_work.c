// The work done on mass-spring bodies from outside in a substep: by loads, by the wind, and by held points that move. The latter bear
// the forces of springs and dampers at the end of the substep.
#include "kinds/spring/spring_system.h"

static double along(sn_vec3 force, const sn_springs_body *b, int i) {
    const sn_vec3 d = sn_sub(sn_spring_point(b->body, i), sn_spring_quad(b->start, i));
    return (double)force.x * (double)d.x + (double)force.y * (double)d.y + (double)force.z * (double)d.z;
}

static double work_of_loads(const sn_springs_body *b) {
    double work = 0;
    for (int i = 0; i < b->body->count; i++)
        if (b->body->inverse[i] > 0 && sn_length2(b->applied_force[i]) > 0) work += along(b->applied_force[i], b, i);
    if (!(b->air > 0)) return work;
    for (int t = 0; t < b->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (b->body->inverse[b->triangles[t][k]] > 0) work += along(b->triangle_at[t], b, b->triangles[t][k]);
    return work;
}

static bool is_moved(const sn_springs_body *b) {
    for (int k = 0; k < b->held_count; k++)
        if (sn_length2(sn_sub(sn_spring_point(b->body, b->held[k]), sn_spring_quad(b->start, b->held[k]))) > 0)
            return true;
    return false;
}

double sn_springs_work(void *what, const sn_stage *stage) {
    const sn_springs_system *s = what;
    double work = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (!b || b->base.sleep.asleep || b->diverged) continue;
        work += work_of_loads(b);
        if (!is_moved(b)) continue;
        sn_real *force = b->body->scratch[0];
        sn_spring_forces(b->body, b->body->x, b->body->v, force, stage->pool);
        for (int k = 0; k < b->held_count; k++) work -= along(sn_spring_quad(force, b->held[k]), b, b->held[k]);
    }
    return work;
}
