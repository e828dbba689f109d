// Wind on triangles. With u the air's velocity relative to the triangle and n its normal, it presses along n:
//
//     F = density/2 A (u.n) |u.n| n,    a third of it on each corner
//
// With r = u.n this is dr/dt = -c |r| r, c = density/2 A/m (m the triangle's mass), whose solution after h is r / (1 +
// c h |r|). The force used is the one that gives this after h, so light cloth in a storm gets as fast as the air and
// not faster, however long the step.
#include "kinds/spring/spring_system.h"

typedef struct {
    sn_springs_body *b;
    sn_real h;
} job;

enum { PER_TASK = 512 };

// A triangle's share of the mass of its corners; 0: all are held.
static sn_real mass_of(const sn_springs_body *b, int t) {
    sn_real mass = 0;
    for (int k = 0; k < 3; k++) {
        const int i = b->triangles[t][k];
        mass += b->body->mass[i] / (sn_real)(b->triangle_first[i + 1] - b->triangle_first[i]);
    }
    return mass;
}

static void press_task(void *context, int index, int worker) {
    const job *j = context;
    sn_springs_body *b = j->b;
    const sn_real *x = b->body->x, *v = b->body->v;
    (void)worker;
    const int end = (index + 1) * PER_TASK < b->triangle_count ? (index + 1) * PER_TASK : b->triangle_count;
    for (int t = index * PER_TASK; t < end; t++) {
        const int *c = b->triangles[t];
        const sn_vec3 a = sn_spring_quad(x, c[0]);
        const sn_vec3 across = sn_cross(sn_sub(sn_spring_quad(x, c[1]), a), sn_sub(sn_spring_quad(x, c[2]), a));
        const sn_real twice = sn_length(across);
        b->triangle_at[t] = sn_v3(0, 0, 0);
        if (!(twice > 0)) continue;
        const sn_vec3 n = sn_mul(1 / twice, across);
        const sn_vec3 going =
            sn_mul((sn_real)(1.0 / 3),
                   sn_add(sn_spring_quad(v, c[0]), sn_add(sn_spring_quad(v, c[1]), sn_spring_quad(v, c[2]))));
        const sn_real r = sn_dot(sn_sub(b->wind, going), n), press = (sn_real)0.25 * b->air * twice * sn_abs(r);
        const sn_real mass = mass_of(b, t), ease = mass > 0 ? 1 + j->h * press / mass : 1;
        b->triangle_at[t] = sn_mul(press * r / (3 * ease), n);
    }
}

static void gather_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_springs_body *b = j->b;
    (void)worker;
    const int end = (index + 1) * PER_TASK < b->body->count ? (index + 1) * PER_TASK : b->body->count;
    for (int i = index * PER_TASK; i < end; i++)
        for (int k = b->triangle_first[i]; k < b->triangle_first[i + 1]; k++)
            sn_spring_add_quad(b->body->load, i, b->triangle_at[b->triangle_list[k]]);
}

void sn_springs_add_wind(sn_springs_body *b, sn_real h, sn_pool *pool) {
    job j = {b, h};
    sn_spring_run_count(pool, (b->triangle_count + PER_TASK - 1) / PER_TASK, press_task, &j);
    sn_spring_run_count(pool, (b->body->count + PER_TASK - 1) / PER_TASK, gather_task, &j);
}
