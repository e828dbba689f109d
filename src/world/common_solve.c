// The common solve of a substep: Newton's iteration on one potential for everything that is tied together (base/solve.h).
//
//     repeat
//         couplings and kinds linearise at x:  gradient, M = kinds' matrices + the couplings' own-side blocks, factors
//         constraints that are open are closed first                           (joints: SN_COUPLING_CONSTRAIN, a step of its own)
//         inner: nonlinear conjugate gradients on the piecewise quadratic model, M as preconditioner
//             z = M^-1 r;   beta = max(0, z.(r - r_old) / (r_old.z_old));   p = z + beta p;   Mp = r + beta Mp
//             alpha: where the slope along p vanishes. Contacts open and close along p, so the slope is piecewise linear and
//                    rising: safeguarded Newton steps on a scalar
//             d += alpha p;   r -= alpha Mp, less what contacts' true forces differ from what M knows
//         x += share d, with share halved while the potential rises
//
// Kinds with exact factors need no product with their matrices, since M z = r. Every island (bodies that contacts and joints connect) has its
// own scalars and stops by itself: what does not touch changes nothing for anybody else. Scalars are summed body by body
// in one order, so nothing depends on the number of workers.
#include "world/common_solve.h"
#include "base/union_find.h"
#include "geometry/proxy.h"
#include <math.h>
#include <string.h>

enum {
    NEWTON_USUAL = 3,
    NEWTON_DEEP = 5,
    NEWTON_MORE = 8,
    NEWTON_RIGID = 16,
    RIGID_SWEEPS = 3,
    INNER_MIN = 4,
    SEARCH_MAX = 4,
    SHORTENINGS = 6
};
enum { INNER_BUDGET = 400000 };           // contacts times inner iterations, before there are fewer of these
enum { LARGE = 30 };                      // bodies of a large island
#define INNER_TOLERANCE  1e-4             // of r.z: 1 % of the first residual's norm
#define SEARCH_TOLERANCE 0.1              // of the slope that a search starts with
#define CONVERGED        1e-10            // of the r.z that the substep started with: rounding
#define LARGE_TOLERANCE  1e-2             // the same, where a large island has converged
#define RIGID_RESIDUAL   1e-5             // of the r.z that the substep started with
#define GRAVITY_PART     0.1              // of the speed that gravity gives in a substep
#define RIGID_PART       0.01             // of that, where rigid bodies are among them
#define DEPTH_TOLERANCE  ((sn_real)0.005) // of the smaller radius: a large island that overlaps by less is done
#define DEPTH_BOUND      ((sn_real)0.02)  // of large ones the same after the usual iterations
#define MUCH_TOO_DEEP    ((sn_real)0.05)  // of rods: they get as many iterations as there are
#define FIRST_MAX        1e6  // a longer first step of a search means that M knows all there is: it starts with 1
#define ENERGY_NOISE     1e-4 // the potential in float is no better than this part of it
#define GATE             1e-3
#define LIMIT_TOLERANCE  1e-5 // of the kinetic energy: so much a substep may make
#define LIMIT_FALL       1e-3 // of what gravity gives in a substep
#define LIMIT_NOISE      (16 * (double)SN_REAL_EPSILON)
#define FAILURE          0.01
#define STILL            ((sn_real)1e-4) // a node that moves by less than this part of its radius has converged

// ---- operations over all kinds and couplings

// Whether bodies of a row may be lumped.
static bool has_lumped(const sn_solve *solve, int row) {
    return solve->is_lumped && sn_kinds[row]->count_nodes &&
           (sn_kinds[row]->couples || !sn_world_kind_couples(solve->world, row));
}

static void run_kinds(sn_solve *solve, sn_couple_op op) {
    sn_world *world = solve->world;
    for (int k = 0; k < sn_kind_count; k++) {
        if (!sn_kinds[k]->count_nodes) continue;
        if (sn_world_kind_couples(world, k))
            sn_kinds[k]->couple(world->systems[k], solve->stage, solve, world->first_body[k], solve->first_node[k],
                                (int)op);
        if (has_lumped(solve, k)) sn_lumped_couple(&world->lumped, solve->stage, solve, k, op);
    }
}

static void run_couplings(sn_solve *solve, sn_coupling_op op) {
    for (int c = 0; c < sn_coupling_count; c++)
        if (sn_couplings[c]->couple) sn_couplings[c]->couple(solve->world->couplings[c], solve->stage, solve, (int)op);
}

bool sn_world_kind_couples(const sn_world *world, int row) {
    return sn_kinds[row]->couple && (world->solver == SN_SOLVER_DIRECT || sn_kinds[row]->contact_nodes);
}

static void clear_forces(sn_solve *solve) {
    memset(solve->force, 0, (size_t)solve->slots * 4 * sizeof *solve->force);
    memset(solve->force_spin, 0, (size_t)solve->slots * sizeof *solve->force_spin);
}

// ---- islands

// Sums a scalar of bodies over each island.
static void sum(const sn_solve *solve, const sn_real *by_body, double *by_island) {
    for (int b = 0; b < solve->bodies; b++) by_island[b] = 0;
    for (int b = 0; b < solve->bodies; b++)
        if (solve->coupled[b]) by_island[solve->island[b]] += (double)by_body[b];
}

static bool any_iterating(const sn_solve *solve) {
    for (int b = 0; b < solve->bodies; b++)
        if (solve->coupled[b] && solve->iterating[b]) return true;
    return false;
}

#define EACH_ITERATING_ISLAND(i)                                                                                       \
    for (int i = 0; i < solve->bodies; i++)                                                                            \
        if (solve->coupled[i] && solve->island[i] == i && solve->iterating[i])

// ---- the inner iteration

// z = M^-1 r, within the constraints.
static void precondition(sn_solve *solve, bool constrained) {
    run_kinds(solve, SN_COUPLE_PRECONDITION);
    if (constrained) {
        clear_forces(solve);
        run_couplings(solve, SN_COUPLING_CORRECT);
        run_kinds(solve, SN_COUPLE_CORRECT);
    }
    run_kinds(solve, SN_COUPLE_PRODUCTS);
}

// The step along p at which the slope of the model vanishes. At its start the slope is -p.r, and its rate was summed with the rates.
static void search(sn_world *world, sn_solve *solve) {
    double *low = world->low, *high = world->high, *base = world->base_slope;
    sum(solve, solve->pr, base);
    EACH_ITERATING_ISLAND(i) {
        if (solve->curvature[i] < 0) solve->curvature[i] = 0;
        const double first = base[i] > 0 ? base[i] / (solve->curvature[i] + solve->slope_rate[i] + 1e-300) : 0;
        solve->alpha[i] = (sn_real)(first < FIRST_MAX ? first : 1);
        low[i] = 0, high[i] = INFINITY;
    }
    for (int k = 1; k < SEARCH_MAX; k++) {
        EACH_ITERATING_ISLAND(i) {
            solve->slope[i] = -base[i] + (double)solve->alpha[i] * solve->curvature[i];
            solve->slope_rate[i] = solve->curvature[i];
        }
        run_couplings(solve, SN_COUPLING_SLOPE);
        bool more = false;
        EACH_ITERATING_ISLAND(i) {
            const double slope = solve->slope[i], alpha = (double)solve->alpha[i];
            if (!(fabs(slope) > SEARCH_TOLERANCE * base[i])) continue;
            more = true;
            if (slope < 0)
                low[i] = alpha;
            else
                high[i] = alpha;
            double next = alpha - slope / (solve->slope_rate[i] + 1e-300);
            if (!(next > low[i] && next < high[i]))
                next = high[i] < INFINITY ? 0.5 * (low[i] + high[i]) : 2 * alpha + 1;
            solve->alpha[i] = (sn_real)next;
        }
        if (!more) break;
    }
}

static int inner_count(const sn_solve *solve) {
    const int64_t count = INNER_BUDGET / (solve->size + 1);
    const int max = solve->sweeps > 0 ? solve->sweeps : 1;
    return count > max ? max : count > INNER_MIN ? (int)count : max < INNER_MIN ? max : INNER_MIN;
}

// The r.z at which islands have converged, once that of their start is known. Small islands are cheap and are solved to the last
// digits that matter: a cylinder that rolls, crossed rods. So is what joints hold, where errors add up along a net, and what has no
// exact factor, whose r.z says little. In a large heap a hundredth of the start's is far below what contacts are off by
// otherwise. Between them the tolerance grows with the cube of the size. A rigid body has nothing that takes up an error: what a
// tumbling one lacks of its residual is a part of its speed. Islands with any are solved to rounding up to LARGE bodies.
static void set_tolerances(sn_world *world, const sn_solve *solve) {
    int32_t *size = world->island_size;
    bool *is_inexact = world->was_iterating; // a body of it has no exact factor
    for (int i = 0; i < solve->bodies; i++) size[i] = 0, is_inexact[i] = false, world->rigid_mass[i] = 0;
    for (int b = 0; b < solve->bodies; b++) {
        if (!solve->coupled[b]) continue;
        size[solve->island[b]]++;
        if (sn_kinds[sn_world_row_of_body(world, b)]->nodal || (solve->is_lumped && solve->is_lumped[b]))
            is_inexact[solve->island[b]] = true;
        const int row = sn_world_row_of_body(world, b);
        if (sn_kinds[row]->contact_nodes)
            world->rigid_mass[solve->island[b]] += sn_kinds[row]->mass(world->systems[row], b - world->first_body[row]);
    }
    for (int i = 0; i < solve->bodies; i++) {
        const double size_part = size[i] < LARGE ? (double)size[i] / LARGE : 1;
        const double usual = size_part * size_part * size_part, rigid = size[i] < LARGE ? 0 : RIGID_PART;
        const double part = solve->joined[i] || is_inexact[i] ? 0 : world->rigid_mass[i] > 0 ? rigid : usual;
        const double tolerance = LARGE_TOLERANCE * part;
        world->converged[i] = tolerance * world->rz[i];
        world->rounding[i] = CONVERGED * world->rz[i] + 1e-30;
        world->is_large[i] = part > 0 && size[i] >= LARGE;
    }
}

// In an impact rigid bodies must get the momentum of what hits them: r.z is a mass times the square of what velocities are off by, in the
// time of a substep. It counts against that of the start, and against what gravity does in the substep.
static bool lacks_momentum(const sn_world *world, const sn_solve *solve, int island, double rz) {
    const double fall = GRAVITY_PART * (double)sn_length(world->gravity) * (double)solve->stage->h;
    const double min = world->rigid_mass[island] * fall * fall;
    return min > 0 && rz > fmax(RIGID_RESIDUAL / CONVERGED * world->rounding[island], min);
}

static void inner(sn_world *world, sn_solve *solve, bool constrained) {
    double *rz = world->rz, *rz_first = world->rz_first, *now = world->rz_now, *old = world->rz_previous;
    bool *searching = world->was_iterating;
    precondition(solve, constrained);
    sum(solve, solve->rz, rz);
    if (solve->iteration == 0) set_tolerances(world, solve);
    for (int i = 0; i < solve->bodies; i++) {
        searching[i] = solve->iterating[i]; // also what only closes its constraints
        rz_first[i] = rz[i];
        solve->beta[i] = 0;
        solve->iterating[i] = solve->iterating[i] && rz[i] > world->rounding[i];
    }
    const int usual = inner_count(solve), max = solve->rotation_stiffness ? RIGID_SWEEPS * usual : usual;
    for (int it = 0; it < max && any_iterating(solve); it++) {
        run_kinds(solve, SN_COUPLE_DIRECTION);
        sum(solve, solve->pmp, solve->curvature);
        for (int i = 0; i < solve->bodies; i++) solve->slope_rate[i] = 0;
        run_couplings(solve, SN_COUPLING_RATES);
        search(world, solve);
        clear_forces(solve);
        run_couplings(solve, SN_COUPLING_ADVANCE);
        run_kinds(solve, SN_COUPLE_ADVANCE);
        if (it + 1 == max) break;
        precondition(solve, constrained);
        sum(solve, solve->rz, now);
        sum(solve, solve->rz_old, old);
        EACH_ITERATING_ISLAND(i) {
            const double beta = (now[i] - old[i]) / rz[i];
            solve->beta[i] = beta > 0 && beta < 1e6 ? (sn_real)beta : 0;
            rz[i] = now[i];
            if (!(rz[i] > INNER_TOLERANCE * rz_first[i] && rz[i] > world->converged[i])) solve->iterating[i] = false;
            if (it + 1 >= usual && !lacks_momentum(world, solve, i, rz[i])) solve->iterating[i] = false;
        }
    }
    for (int i = 0; i < solve->bodies; i++) solve->iterating[i] = searching[i];
}

// ---- Newton's iteration

// Closes the constraints that are open: a step of its own, taken whole.
static bool constrain(sn_solve *solve) {
    solve->shifts = false;
    clear_forces(solve);
    run_couplings(solve, SN_COUPLING_CONSTRAIN);
    if (!solve->shifts) return false;
    run_kinds(solve, SN_COUPLE_SHIFT);
    for (int i = 0; i < solve->bodies; i++) solve->alpha[i] = 1;
    run_couplings(solve, SN_COUPLING_RATES);
    clear_forces(solve);
    run_couplings(solve, SN_COUPLING_ADVANCE);
    run_kinds(solve, SN_COUPLE_ADVANCE);
    return true;
}

// The potential at 'share' of the step.
static void potential(sn_solve *solve, double *out) {
    run_kinds(solve, SN_COUPLE_MOVE);
    for (int i = 0; i < solve->bodies; i++) solve->coupling_energy[i] = 0;
    run_couplings(solve, SN_COUPLING_ENERGY);
    sum(solve, solve->energy, out);
    for (int i = 0; i < solve->bodies; i++) out[i] += solve->coupling_energy[i];
}

// Lowers shares where steps go farther than the model holds; the node step is the whole step.
static bool is_bounded(sn_solve *solve) {
    run_couplings(solve, SN_COUPLING_BOUND);
    EACH_ITERATING_ISLAND(i) if (solve->share[i] < 1) return true;
    return false;
}

// Moves by the step; shortens it where the potential rises. An island whose step comes to nothing is left as it is.
static void line_search(sn_world *world, sn_solve *solve, const double *before) {
    double *after = world->after, *noise = world->low;
    for (int i = 0; i < solve->bodies; i++) solve->share[i] = solve->iterating[i] ? 1 : 0;
    for (int k = 0; k <= SHORTENINGS; k++) {
        potential(solve, after);
        sum(solve, solve->noise, noise);
        bool worse = k == 0 && solve->iteration > 0 && is_bounded(solve);
        if (worse) continue;
        EACH_ITERATING_ISLAND(i) {
            if (after[i] <= before[i] + ENERGY_NOISE * fabs(before[i]) + noise[i] + 1e-30) continue;
            worse = true;
            solve->share[i] = k < SHORTENINGS ? (sn_real)0.5 * solve->share[i] : 0;
        }
        if (!worse) break;
        if (k == SHORTENINGS) potential(solve, after); // of what stays where it is
    }
    run_kinds(solve, SN_COUPLE_ACCEPT);
}

// Islands in which nothing moves any more are done.
static void retire(sn_world *world, sn_solve *solve) {
    bool *moves = world->was_iterating;
    for (int i = 0; i < solve->bodies; i++) moves[i] = false;
    for (int b = 0; b < solve->bodies; b++)
        if (solve->coupled[b] && solve->displacement[b] > STILL) moves[solve->island[b]] = true;
    for (int i = 0; i < solve->bodies; i++) solve->iterating[i] = solve->iterating[i] && moves[i];
}

// ---- energy
//
// Implicit Euler cannot gain energy: its minimum lies below E where the substep starts. An island that is above that after the usual
// iterations gets more of them; if it stays above, it stays where it was.

// E where the substep starts, by island.
static void measure_start(sn_world *world, sn_solve *solve) {
    for (int b = 0; b < solve->bodies; b++) world->kept_energy[b] = solve->energy[b];
    for (int i = 0; i < solve->bodies; i++) solve->coupling_energy[i] = 0;
    run_kinds(solve, SN_COUPLE_START_ENERGY);
    run_couplings(solve, SN_COUPLING_START_ENERGY);
    sum(solve, solve->energy, world->start);
    for (int i = 0; i < solve->bodies; i++) world->start[i] += solve->coupling_energy[i];
    for (int b = 0; b < solve->bodies; b++) solve->energy[b] = world->kept_energy[b], world->bound[b] = world->start[b];
    // Lumped bodies measure no energy of their own, but what they brought: that is a bound, not where iterations lead to.
    for (int b = 0; solve->is_lumped && b < solve->bodies; b++)
        if (solve->coupled[b] && solve->is_lumped[b]) world->start[solve->island[b]] = INFINITY;
}

static bool makes_energy(const sn_world *world, int island) {
    return !(world->after[island] <= world->start[island] * (1 + GATE) + 1e-12);
}

// A large heap is done once nothing overlaps by much, in most substeps after one iteration; others make the usual ones.
static void drop_shallow(const sn_world *world, sn_solve *solve, bool usual) {
    EACH_ITERATING_ISLAND(i)
    if ((world->is_large[i] || !usual) &&
        solve->depth[i] < (usual || !world->is_large[i] ? DEPTH_TOLERANCE : DEPTH_BOUND) && !makes_energy(world, i) &&
        (usual || !lacks_momentum(world, solve, i, world->rz_first[i])))
        solve->iterating[i] = false;
}

// After the usual iterations only islands that are above go on, and those that overlap.
static void drop_settled(const sn_world *world, sn_solve *solve, bool deep) {
    EACH_ITERATING_ISLAND(i)
    solve->iterating[i] = makes_energy(world, i) || deep ||
                          (solve->depth[i] > MUCH_TOO_DEEP && !(world->rigid_mass[i] > 0)) ||
                          lacks_momentum(world, solve, i, world->rz_first[i]);
}

static void check_energy(sn_world *world, sn_solve *solve) {
    for (int i = 0; i < solve->bodies; i++) {
        if (!solve->coupled[i] || solve->island[i] != i) continue;
        solve->failed[i] = !(world->after[i] <= world->bound[i] * (1 + FAILURE) + 1e-9);
    }
}

// Lumped kinds: their own solver before, and what the common solve moved after it.
static void solve_lumped(sn_world *world, sn_stage *stage) {
    stage->resumed = true;
    for (int k = 0; k < sn_kind_count; k++)
        if (has_lumped(&world->solve, k)) sn_kinds[k]->solve(world->systems[k], stage);
    stage->resumed = false;
}

static void apply_lumped(sn_world *world, const sn_solve *solve, const sn_stage *stage) {
    for (int k = 0; k < sn_kind_count; k++) {
        if (!sn_kinds[k]->apply || !has_lumped(solve, k)) continue;
        sn_proxy_writer writer = *solve->writer;
        writer.first = solve->first_node[k];
        writer.first_slab = solve->first_slab[k];
        writer.first_body = world->first_body[k];
        writer.shift = solve->shift, writer.moved = world->lumped.moved, writer.spin = world->lumped.spin;
        sn_kinds[k]->apply(world->systems[k], &writer, stage->pool, false);
    }
}

// ---- momentum
//
// The solve stops before forces on both sides of a tie are quite the same. Bodies that only touch each other keep their momentum:
// what they have received beyond it is taken from all of them alike, so that they do not move against each other.

static void balance_momentum(sn_solve *solve) {
    for (int b = 0; b < solve->bodies; b++)
        for (int k = 0; k < 3; k++) solve->balance[3 * b + k] = 0;
    run_kinds(solve, SN_COUPLE_MOMENTUM);
    double *mass = solve->world->low;
    for (int i = 0; i < solve->bodies; i++) mass[i] = 0;
    for (int b = 0; b < solve->bodies; b++) {
        const int i = solve->island[b];
        if (!solve->coupled[b]) continue;
        if (!(solve->received[4 * b + 3] < INFINITY)) solve->is_free[i] = false;
        mass[i] += solve->received[4 * b + 3];
        for (int k = 0; k < 3; k++) solve->balance[3 * i + k] -= solve->received[4 * b + k];
    }
    for (int i = 0; i < solve->bodies; i++) {
        if (!(mass[i] > 0) || solve->failed[i]) solve->is_free[i] = false;
        for (int k = 0; k < 3; k++)
            solve->balance[3 * i + k] = solve->is_free[i] ? solve->balance[3 * i + k] / mass[i] : 0;
    }
}

// ---- the limiter
//
// An energy U that is convex along the step cannot give more than it had: at the minimum the work of its force is no more than what
// it loses. Where things roll over a bend, or turn each other under pressure, U is not convex, and a step of implicit Euler makes
// energy of the order of force x curvature x motion^2. What an island has made it gives back at once: with K + U + weights
//
//     made = (E - inertia + K) at the end - (E - inertia + K) at the start
//
// its velocities are scaled about their mean, which an island that only touches itself keeps, until K is less by that.

static void measure_motion(sn_solve *solve, sn_solve_motion *by_island) {
    for (int b = 0; b < solve->bodies; b++) solve->motion[b] = (sn_solve_motion){.gain = -INFINITY};
    run_kinds(solve, SN_COUPLE_KINETIC);
    for (int i = 0; i < solve->bodies; i++) by_island[i] = (sn_solve_motion){0};
    for (int b = 0; b < solve->bodies; b++) {
        if (!solve->coupled[b]) continue;
        const sn_solve_motion *from = &solve->motion[b];
        sn_solve_motion *to = &by_island[solve->island[b]];
        to->gain += from->gain, to->kinetic += from->kinetic, to->mass += from->mass;
        for (int k = 0; k < 3; k++) to->momentum[k] += from->momentum[k];
    }
}

static sn_solve_limit limit_of(const sn_solve *solve, int island, const sn_solve_motion *motion, double made) {
    sn_solve_limit limit = {0};
    double kept = 0; // kinetic energy of the mean
    for (int k = 0; k < 3 && solve->is_free[island] && motion->mass > 0; k++) {
        const double balance = solve->balance[3 * (size_t)island + (size_t)k] / (double)solve->stage->h;
        limit.mean[k] = motion->momentum[k] / motion->mass + balance;
        kept += 0.5 * motion->mass * limit.mean[k] * limit.mean[k];
    }
    const double has = motion->kinetic - kept;
    limit.part = made < has ? sqrt(1 - made / has) : 0;
    return limit;
}

static void limit_energy(sn_world *world, sn_solve *solve) {
    double *noise = world->low;
    const double fall = (double)sn_length(world->gravity) * (double)solve->stage->h;
    measure_motion(solve, world->island_motion);
    sum(solve, solve->noise, noise);
    for (int i = 0; i < solve->bodies; i++) {
        const sn_solve_motion *motion = &world->island_motion[i];
        const double made = world->after[i] - world->start[i] + motion->gain;
        const double unsure = noise[i] + LIMIT_NOISE * (fabs(world->after[i]) + fabs(world->start[i])) +
                              LIMIT_FALL * 0.5 * motion->mass * fall * fall;
        solve->limit[i] = (sn_solve_limit){.part = 1};
        if (solve->coupled[i] && solve->island[i] == i && !solve->failed[i] &&
            made > unsure + LIMIT_TOLERANCE * motion->kinetic)
            solve->limit[i] = limit_of(solve, i, motion, made);
    }
    // What holds an island bears what it loses.
    for (int b = 0; b < solve->bodies; b++) {
        const int i = solve->island[b];
        if (!solve->coupled[b] || solve->is_free[i] || !(solve->limit[i].part < 1)) continue;
        for (int k = 0; k < 3; k++)
            solve->received[4 * b + k] -=
                (1 - solve->limit[i].part) * (double)solve->stage->h * solve->motion[b].momentum[k];
    }
}

// What ties to something outside gave to islands, from what their bodies received of all ties: what holds parts of a body is not known
// so.
static void share_reactions(sn_solve *solve) {
    const double h = (double)solve->stage->h;
    for (int i = 0; i < solve->bodies; i++)
        for (int k = 0; k < 4; k++) solve->outside[i][k] = 0;
    run_couplings(solve, SN_COUPLING_REACT);
    for (int i = 0; i < solve->bodies; i++)
        for (int k = 0; k < 3; k++) solve->outside[i][k] = -solve->outside[i][k];
    for (int b = 0; b < solve->bodies; b++) {
        if (!solve->coupled[b]) continue;
        const double *received = solve->received + 4 * b;
        double *lacks = solve->outside[solve->island[b]];
        for (int k = 0; k < 3; k++) lacks[k] += received[3] < INFINITY ? received[k] / (h * h) : INFINITY;
    }
    for (int i = 0; i < solve->bodies; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(solve->outside[i][k]) < INFINITY)) solve->outside[i][k] = 0;
    run_couplings(solve, SN_COUPLING_SHARE);
}

static bool reserve(sn_world *world, sn_solve *solve) {
    const size_t n = (size_t)solve->bodies + 1, nodes = (size_t)solve->slots + 1;
    sn_arena *arena = &world->solve_arena;
    sn_real **reals[] = {&solve->alpha,  &solve->beta,         &solve->share, &solve->rz,
                         &solve->rz_old, &solve->pmp,          &solve->pr,    &solve->energy,
                         &solve->noise,  &solve->displacement, &solve->depth};
    double **doubles[] = {&solve->curvature,  &solve->slope,     &solve->slope_rate, &solve->coupling_energy,
                          &world->rz,         &world->rz_first,  &world->rz_now,     &world->rz_previous,
                          &world->low,        &world->high,      &world->before,     &world->after,
                          &world->base_slope, &world->start,     &world->bound,      &world->converged,
                          &world->rounding,   &world->rigid_mass};
    bool good = true;
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        good = (*reals[k] = sn_arena_alloc(arena, n, sizeof(sn_real))) && good;
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++)
        good = (*doubles[k] = sn_arena_alloc(arena, n, sizeof(double))) && good;
    good = (solve->received = sn_arena_alloc(arena, n * 4, sizeof(double))) && good;
    good = (solve->balance = sn_arena_alloc(arena, n * 3, sizeof(double))) && good;
    good = (solve->outside = sn_arena_alloc(arena, n, sizeof *solve->outside)) && good;
    good = (solve->is_free = sn_arena_alloc(arena, n, sizeof(bool))) && good;
    good = (solve->motion = sn_arena_alloc(arena, n, sizeof *solve->motion)) && good;
    good = (solve->limit = sn_arena_alloc(arena, n, sizeof *solve->limit)) && good;
    good = (world->island_motion = sn_arena_alloc(arena, n, sizeof *world->island_motion)) && good;
    good = (world->was_iterating = sn_arena_alloc(arena, n, sizeof(bool))) && good;
    good = (world->is_large = sn_arena_alloc(arena, n, sizeof(bool))) && good;
    good = (world->kept_energy = sn_arena_alloc(arena, n, sizeof(sn_real))) && good;
    good = (world->island_size = sn_arena_alloc(arena, n, sizeof(int32_t))) && good;
    good = (solve->force = sn_arena_alloc(arena, nodes * 4, sizeof(sn_real))) && good;
    good = (solve->force_spin = sn_arena_alloc(arena, nodes, sizeof(sn_real))) && good;
    good = (solve->step = sn_arena_alloc(arena, nodes * 4, sizeof(sn_real))) && good;
    good = (solve->step_spin = sn_arena_alloc(arena, nodes, sizeof(sn_real))) && good;
    bool nodal = solve->is_lumped, rotates = false;
    for (int k = 0; k < sn_kind_count; k++) {
        rotates = rotates || (sn_kinds[k]->contact_nodes && sn_kinds[k]->dofs(world->systems[k]) > 0);
        nodal = nodal || (sn_kinds[k]->nodal && sn_kinds[k]->count(world->systems[k]) > 0);
    }
    if (rotates)
        good = (solve->rotation_stiffness = sn_arena_alloc(arena, n * SN_ROTATION_STIFFNESS, sizeof(sn_real))) && good;
    if (nodal)
        good = (solve->node_stiffness = sn_arena_alloc(arena, nodes * SN_NODE_STIFFNESS, sizeof(sn_real))) && good;
    if (solve->is_lumped) good = sn_lumped_reserve(&world->lumped, arena, solve->slots) && good;
    if (!good) return false;
    memset(solve->step, 0, nodes * 4 * sizeof(sn_real));
    memset(solve->step_spin, 0, nodes * sizeof(sn_real));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) (*reals[k])[i] = 0;
        for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++) (*doubles[k])[i] = 0;
    }
    return true;
}

// Marks every body of an island with a joint.
static void spread_joined(sn_world *world, sn_solve *solve) {
    bool *island = world->was_iterating;
    for (int b = 0; b < solve->bodies; b++) island[b] = false;
    for (int b = 0; b < solve->bodies; b++)
        if (solve->coupled[b] && solve->joined[b]) island[sn_find_root(solve->island, b)] = true;
    for (int b = 0; b < solve->bodies; b++)
        solve->joined[b] = solve->coupled[b] && island[sn_find_root(solve->island, b)];
}

// Which bodies are lumped.
static bool list_lumped(sn_world *world, sn_solve *solve) {
    bool *lumped = sn_arena_alloc(&world->solve_arena, (size_t)solve->bodies + 1, sizeof *lumped), any = false;
    if (!lumped) return false;
    for (int b = 0; b < solve->bodies; b++) {
        const int row = sn_world_row_of_body(world, b);
        const sn_kind_ops *kind = sn_kinds[row];
        lumped[b] =
            solve->coupled[b] && (!sn_world_kind_couples(world, row) ||
                                  (kind->couples && !kind->couples(world->systems[row], b - world->first_body[row])));
        any = any || lumped[b];
    }
    solve->is_lumped = any ? lumped : NULL;
    return true;
}

sn_status sn_solve_begin(sn_world *world, sn_stage *stage) {
    sn_solve *solve = &world->solve;
    sn_arena_reset(&world->solve_arena);
    *solve = (sn_solve){.world = world, .run = run_kinds, .stage = stage};
    bool open = false;
    for (int c = 0; c < sn_coupling_count; c++)
        if (sn_couplings[c]->open) open = sn_couplings[c]->open(world->couplings[c], stage, solve) || open;
    world->solve_is_open = false;
    if (sn_memory_failed(&world->memory)) return SN_ERR_MEMORY;
    if (!open || !any_iterating(solve)) return SN_OK; // all that touch are asleep
    if (!list_lumped(world, solve) || !reserve(world, solve)) return SN_ERR_MEMORY;
    spread_joined(world, solve);
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->count_nodes && sn_world_kind_couples(world, k) &&
            !sn_kinds[k]->couple(world->systems[k], stage, solve, world->first_body[k], solve->first_node[k],
                                 SN_COUPLE_BEGIN))
            return SN_ERR_MEMORY;
    world->solve_is_open = true;
    return SN_OK;
}

void sn_solve_run(sn_world *world, sn_stage *stage) {
    sn_solve *solve = &world->solve;
    if (!world->solve_is_open) return;
    solve->stage = stage;
    for (int k = 0; k < sn_kind_count; k++)
        if (has_lumped(solve, k)) sn_lumped_couple(&world->lumped, stage, solve, k, SN_COUPLE_BEGIN);
    run_couplings(solve, SN_COUPLING_BEGIN);
    if (sn_memory_failed(&world->memory)) return;
    run_kinds(solve, SN_COUPLE_ENERGY);
    const int usual = stage->solves > NEWTON_USUAL ? stage->solves : NEWTON_USUAL;
    const int more = solve->rotation_stiffness ? NEWTON_RIGID : NEWTON_MORE;
    for (int it = 0; it < usual + more && any_iterating(solve); it++) {
        if (it >= usual) drop_settled(world, solve, it < NEWTON_DEEP);
        if (!any_iterating(solve)) break;
        solve->iteration = it; // Other solvers than the direct one iterate within: they do not start again.
        if (it > 0 && solve->is_lumped && stage->solver == SN_SOLVER_DIRECT) solve_lumped(world, stage);
        for (int i = 0; i < solve->bodies; i++) solve->coupling_energy[i] = 0, solve->depth[i] = 0;
        run_couplings(solve, SN_COUPLING_MEASURE);
        if (it > 0) drop_shallow(world, solve, it < usual);
        if (!any_iterating(solve)) break;
        clear_forces(solve);
        if (solve->node_stiffness)
            memset(solve->node_stiffness, 0, (size_t)solve->slots * SN_NODE_STIFFNESS * sizeof *solve->node_stiffness);
        if (solve->rotation_stiffness)
            memset(solve->rotation_stiffness, 0,
                   (size_t)solve->bodies * SN_ROTATION_STIFFNESS * sizeof *solve->rotation_stiffness);
        run_couplings(solve, SN_COUPLING_LINEARISE);
        run_kinds(solve, SN_COUPLE_LINEARISE);
        const bool constrained = constrain(solve);
        sum(solve, solve->energy, world->before);
        for (int i = 0; i < solve->bodies; i++) world->before[i] += solve->coupling_energy[i];
        if (it == 0) measure_start(world, solve);
        inner(world, solve, constrained);
        line_search(world, solve, world->before);
        if (solve->is_lumped) apply_lumped(world, solve, stage);
        retire(world, solve);
    }
    check_energy(world, solve);
    for (int i = 0; i < solve->bodies; i++) solve->is_free[i] = true;
    run_couplings(solve, SN_COUPLING_END);
    balance_momentum(solve);
    limit_energy(world, solve);
    share_reactions(solve);
    run_kinds(solve, SN_COUPLE_END);
    if (solve->is_lumped) apply_lumped(world, solve, stage);
}
