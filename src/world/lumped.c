// Lumped bodies in the common solve: free masses around where their own solver left them.
//
//     E = 1/(2 h^2) sum [ m |dc|^2 + m_s ds^2 + I spin^2 ] + F.d      M = m / h^2 + what couplings add, a 4 x 4 block a node
//
// F is the impulse of the iterations before, over h: their own solver has had it, so it must not be given again. In the end a body
// has received the forces of the last iteration, as the other side has, and momentum is kept.
//
// A contact on a slab moves three nodes; in M it stands as the block diagonal that dominates it, so M is easy to invert and
// never too soft. Where a body is really stiffer than its free nodes, its own solver takes part of the move back in the
// next iteration: 'apply' makes it an impulse (geometry/proxy.h).
#include "world/lumped.h"
#include "base/host.h"
#include "geometry/proxy.h"
#include <math.h>

enum { DOFS = 5 };
#define BROUGHT 100 // times its energy of motion

bool sn_lumped_reserve(sn_lumped *l, sn_arena *arena, int slots) {
    sn_real **vectors[] = {&l->r, &l->r_old, &l->z, &l->p, &l->mp, &l->d, &l->impulse};
    bool good = true;
    for (int k = 0; k < 7; k++)
        good = (*vectors[k] = sn_arena_alloc(arena, (size_t)slots * DOFS + 1, sizeof(sn_real))) && good;
    good = (l->moved = sn_arena_alloc(arena, (size_t)slots * 4 + 1, sizeof(sn_real))) && good;
    good = (l->spin = sn_arena_alloc(arena, (size_t)slots + 1, sizeof(sn_real))) && good;
    good = (l->inverse = sn_arena_alloc(arena, (size_t)slots * SN_NODE_STIFFNESS + 1, sizeof(sn_real))) && good;
    return good;
}

// ---- a 4 x 4 block, symmetric and positive definite, as its upper triangle; and a number for the spin

// Its inverse. Fixed directions have an infinite mass: their inverse is 0.
static void invert(const sn_real *a, const bool fixed[4], sn_real *out) {
    double m[4][4], inv[4][4] = {{0}};
    for (int i = 0, at = 0; i < 4; i++)
        for (int j = i; j < 4; j++) m[i][j] = m[j][i] = (double)a[at++];
    for (int i = 0; i < 4; i++) {
        if (fixed[i])
            for (int j = 0; j < 4; j++) m[i][j] = m[j][i] = i == j ? 1 : 0;
        inv[i][i] = 1;
    }
    for (int k = 0; k < 4; k++) { // Gauss and Jordan: pivots of a positive matrix need no order
        const double pivot = 1 / m[k][k];
        for (int j = 0; j < 4; j++) m[k][j] *= pivot, inv[k][j] *= pivot;
        for (int i = 0; i < 4; i++) {
            if (i == k) continue;
            const double f = m[i][k];
            for (int j = 0; j < 4; j++) m[i][j] -= f * m[k][j], inv[i][j] -= f * inv[k][j];
        }
    }
    for (int i = 0, at = 0; i < 4; i++)
        for (int j = i; j < 4; j++) out[at++] = fixed[i] || fixed[j] ? 0 : (sn_real)inv[i][j];
}

static void multiply(const sn_real *a, const sn_real *x, sn_real *y) {
    static const int at[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
    for (int i = 0; i < 4; i++) {
        sn_real sum = 0;
        for (int j = 0; j < 4; j++) sum += a[at[i][j]] * x[j];
        y[i] = sum;
    }
    y[4] = a[10] * x[4];
}

static void factor_node(const sn_lumped *l, const sn_solve *solve, const sn_node *node, const sn_node_pill *pill,
                        int slot, sn_real inv_h2) {
    sn_real a[10];
    const sn_real *added = solve->node_stiffness + (size_t)slot * SN_NODE_STIFFNESS;
    for (int k = 0; k < 10; k++) a[k] = added[k];
    const bool fixed[4] = {!(node->w > 0), !(node->w > 0), !(node->w > 0), !(node->ws > 0)};
    if (node->w > 0) a[0] += inv_h2 / node->w, a[4] += inv_h2 / node->w, a[7] += inv_h2 / node->w;
    if (node->ws > 0) a[9] += inv_h2 / node->ws;
    sn_real *inverse = l->inverse + (size_t)slot * SN_NODE_STIFFNESS;
    invert(a, fixed, inverse);
    const sn_real spin = pill->a >= 0 ? pill->w_spin : 0;
    inverse[10] = spin > 0 ? 1 / (inv_h2 / spin + added[10]) : 0;
}

// ---- one body

typedef struct {
    sn_lumped *l;
    sn_solve *solve;
    sn_real inv_h2;
    int body, node, slot, count; // its nodes, and the slot of the first
} lumped_body;

static sn_real dot(const sn_real *a, const sn_real *b, int count) {
    sn_real sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// Number k of a node in the quads and spins of node space.
static sn_real *node_number(sn_real *quads, sn_real *spins, int slot, int k) {
    return k < 4 ? &quads[4 * slot + k] : &spins[slot];
}
static sn_real force_on(const sn_solve *solve, int slot, int k) {
    return *node_number(solve->force, solve->force_spin, slot, k);
}
static void set_step(sn_solve *solve, int slot, int k, sn_real v) {
    *node_number(solve->step, solve->step_spin, slot, k) = v;
}

static void solve_nodes(const lumped_body *b, const sn_real *r, bool with_force, sn_real *to) {
    for (int i = 0; i < b->count; i++) {
        const int slot = b->slot + i;
        sn_real y[DOFS], *z = to + (size_t)slot * DOFS;
        for (int k = 0; k < DOFS; k++)
            y[k] = (r ? r[slot * DOFS + k] : 0) + (with_force ? force_on(b->solve, slot, k) : 0);
        multiply(b->l->inverse + (size_t)slot * SN_NODE_STIFFNESS, y, z);
        for (int k = 0; k < DOFS; k++) set_step(b->solve, slot, k, z[k]);
    }
}

// Mass over h^2 of number k of a node; 0: it is fixed.
static sn_real inertia_of(const lumped_body *b, int i, int k) {
    const sn_node *node = &b->solve->proxies->nodes[b->node + i];
    const sn_node_pill *pill = &b->solve->proxies->pills[b->node + i];
    const sn_real w = k < 3 ? node->w : k == 3 ? node->ws : pill->a >= 0 ? pill->w_spin : 0;
    return w > 0 ? b->inv_h2 / w : 0;
}

// Energy of a displacement, from the mass alone.
static sn_real energy_of(const lumped_body *b, const sn_real *d, sn_real share) {
    sn_real square = 0, given = 0;
    for (int i = 0; i < b->count; i++) {
        const size_t at = (size_t)(b->slot + i) * DOFS;
        for (int k = 0; k < DOFS; k++) {
            square += inertia_of(b, i, k) * d[at + (size_t)k] * d[at + (size_t)k];
            given += b->l->impulse[at + (size_t)k] * d[at + (size_t)k];
        }
    }
    return share * ((sn_real)0.5 * share * square + given);
}

static void move(const lumped_body *b, sn_real share) {
    sn_real far2 = 0;
    const size_t first = (size_t)b->slot * DOFS;
    for (int i = 0; i < b->count; i++) {
        const sn_node *node = &b->solve->proxies->nodes[b->node + i];
        const sn_real *d = b->l->d + (size_t)(b->slot + i) * DOFS, r = node->radius * node->s;
        if (r > 0) far2 = sn_max(far2, (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (r * r));
    }
    for (int k = 0; k < b->count * DOFS; k++)
        set_step(b->solve, b->slot + k / DOFS, k % DOFS, share * b->l->d[first + (size_t)k]);
    b->solve->displacement[b->body] = share * sn_sqrt(far2);
    b->solve->energy[b->body] = energy_of(b, b->l->d, share);
}

static void accept(const lumped_body *b, sn_real share) {
    for (int i = 0; i < b->count; i++) {
        sn_node *node = &b->solve->proxies->nodes[b->node + i];
        sn_node_pill *pill = &b->solve->proxies->pills[b->node + i];
        const size_t slot = (size_t)(b->slot + i);
        const sn_real *d = b->l->d + slot * DOFS;
        sn_real *moved = b->l->moved + 4 * slot;
        for (int k = 0; k < DOFS; k++) b->l->impulse[slot * DOFS + (size_t)k] += share * d[k] * inertia_of(b, i, k);
        for (int k = 0; k < 4; k++) moved[k] = share * d[k];
        b->l->spin[slot] = share * d[4];
        node->c = sn_add(node->c, sn_v3(moved[0], moved[1], moved[2]));
        node->s += moved[3];
        pill->spin += b->l->spin[slot];
    }
}

// How far a node is from where the substep started; of a quad.
static sn_real motion_back(const sn_node *node, int k) {
    return k == 0   ? node->c0.x - node->c.x
           : k == 1 ? node->c0.y - node->c.y
           : k == 2 ? node->c0.z - node->c.z
                    : node->s0 - node->s;
}

static void measure_received(const lumped_body *b) {
    double *out = b->solve->received + 4 * (size_t)b->body;
    const bool failed = b->solve->failed[b->solve->island[b->body]];
    out[0] = out[1] = out[2] = out[3] = 0;
    for (int i = 0; i < b->count; i++) {
        const sn_node *node = &b->solve->proxies->nodes[b->node + i];
        for (int k = 0; k < 3; k++) {
            out[k] += (double)b->l->impulse[(b->slot + i) * DOFS + k];
            if (failed) out[k] += (double)inertia_of(b, i, k) * (double)motion_back(node, k);
        }
        out[3] += (double)inertia_of(b, i, 0);
    }
    for (int k = 0; k < 4; k++) out[k] /= (double)b->inv_h2;
}

// What its own solver may have brought into the island: an overlap that it came to in this substep presses with a force that is many
// times what stops it. What is led brings whatever it takes.
static double brought_energy(const lumped_body *b) {
    double sum = 0;
    for (int i = 0; i < b->count; i++) {
        const sn_node *node = &b->solve->proxies->nodes[b->node + i];
        for (int k = 0; k < 4; k++) {
            const double motion = (double)motion_back(node, k), inertia = (double)inertia_of(b, i, k);
            if (k < 3 && !(inertia > 0) && motion != 0) return INFINITY;
            sum += 0.5 * inertia * motion * motion;
        }
    }
    return BROUGHT * sum;
}

static void end(const lumped_body *b) {
    const double *balance = b->solve->balance + 3 * (size_t)b->solve->island[b->body];
    const bool failed = b->solve->failed[b->solve->island[b->body]]; // it stays where it was
    for (int i = 0; i < b->count; i++) {
        const sn_node *node = &b->solve->proxies->nodes[b->node + i];
        sn_real *moved = b->l->moved + 4 * (size_t)(b->slot + i);
        for (int k = 0; k < 3; k++) moved[k] = !(node->w > 0) ? 0 : failed ? motion_back(node, k) : (sn_real)balance[k];
        moved[3] = failed && node->ws > 0 ? motion_back(node, 3) : 0;
        b->l->spin[b->slot + i] = 0;
    }
}

static void couple_body(const lumped_body *b, sn_couple_op op) {
    const sn_lumped *l = b->l;
    sn_solve *solve = b->solve;
    const int island = solve->island[b->body], n = b->count * DOFS;
    const size_t first = (size_t)b->slot * DOFS;
    const bool iterating = solve->iterating[island];
    sn_real *r = l->r + first, *r_old = l->r_old + first, *z = l->z + first, *p = l->p + first, *mp = l->mp + first,
            *d = l->d + first;
    switch (op) {
    case SN_COUPLE_BEGIN:
        for (int k = 0; k < n; k++) r_old[k] = p[k] = mp[k] = l->impulse[first + (size_t)k] = 0;
        break;
    case SN_COUPLE_LINEARISE:
        for (int i = 0; i < b->count; i++)
            factor_node(l, solve, &solve->proxies->nodes[b->node + i], &solve->proxies->pills[b->node + i], b->slot + i,
                        b->inv_h2);
        for (int k = 0; k < n; k++)
            r[k] = force_on(solve, b->slot + k / DOFS, k % DOFS) - l->impulse[first + (size_t)k], d[k] = 0;
        solve->energy[b->body] = 0;
        break;
    case SN_COUPLE_PRECONDITION:
    case SN_COUPLE_CORRECT:
        solve_nodes(b, l->r, op == SN_COUPLE_CORRECT, l->z);
        break;
    case SN_COUPLE_COLUMN:
        solve_nodes(b, NULL, true, l->z);
        break;
    case SN_COUPLE_SHIFT:
        solve_nodes(b, NULL, true, l->p);
        for (int k = 0; k < n; k++) mp[k] = 0;
        break;
    case SN_COUPLE_PRODUCTS:
        solve->rz[b->body] = dot(r, z, n);
        solve->rz_old[b->body] = dot(r_old, z, n);
        break;
    case SN_COUPLE_DIRECTION: {
        const sn_real beta = iterating ? solve->beta[island] : 0;
        for (int k = 0; k < n; k++) {
            p[k] = z[k] + beta * p[k], mp[k] = r[k] + beta * mp[k];
            set_step(solve, b->slot + k / DOFS, k % DOFS, p[k]);
        }
        solve->pmp[b->body] = dot(p, mp, n);
        solve->pr[b->body] = dot(p, r, n);
        break;
    }
    case SN_COUPLE_ADVANCE: {
        const sn_real alpha = iterating ? solve->alpha[island] : 0;
        for (int k = 0; k < n; k++) {
            r_old[k] = r[k];
            d[k] += alpha * p[k];
            r[k] += force_on(solve, b->slot + k / DOFS, k % DOFS) - alpha * mp[k];
        }
        break;
    }
    case SN_COUPLE_MOVE:
        move(b, iterating ? solve->share[island] : 0);
        break;
    case SN_COUPLE_ENERGY:
        solve->energy[b->body] = 0;
        break;
    case SN_COUPLE_START_ENERGY:
        solve->energy[b->body] = (sn_real)brought_energy(b);
        break;
    case SN_COUPLE_ACCEPT:
        accept(b, iterating ? solve->share[island] : 0);
        break;
    case SN_COUPLE_KINETIC:
        break;
    case SN_COUPLE_MOMENTUM:
        measure_received(b);
        break;
    case SN_COUPLE_END:
        end(b);
        break;
    }
}

void sn_lumped_couple(sn_lumped *l, const sn_stage *stage, sn_solve *solve, int row, sn_couple_op op) {
    const int first = sn_world_first_body(solve->world, row);
    const int count = sn_kinds[row]->slots(sn_world_row_system(solve->world, row))->count;
    int node = solve->first_node[row];
    for (int body = first; body < first + count; body++) {
        const int end = solve->body_end[body];
        const int nodes = end - node;
        if (solve->coupled[body] && solve->is_lumped[body] && nodes > 0) {
            const lumped_body b = {l, solve, 1 / (stage->h * stage->h), body, node, node + solve->shift[body], nodes};
            couple_body(&b, op);
        }
        if (end > node) node = end;
    }
}
