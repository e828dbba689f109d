// Joints in the common solve (base/solve.h): they are in the matrix. With M the bodies' matrices, J the joints' rows in node space
// and c their compliance, every linear step solves
//
//     [ M   J^T ] [ d ]   [ r  ]                l = (W + c)^-1 (J M^-1 r + C)         W = J M^-1 J^T
//     [ J   -c  ] [ l ] = [ -C ]                d = M^-1 (r - J^T l)
//
// exactly. W is small: a few rows a joint, full between joints that share a body; it is factored in an envelope, in an order that
// keeps chains and trees of bodies narrow (reverse Cuthill-McKee, joint_order.c). A joint without compliance has a tiny one, relative
// to what its bodies yield, so that joints that contradict each other share the load instead of dividing by nothing.
//
// Points. With lever r from the point of b to where a belongs (its offset, which rotates with b), C = p_a - (p_b + r).
// Rotation. A segment from node 1 to node 2 of length L in direction d rotates by
//     w = d x (dx_2 - dx_1) / L + spin d
// The error is the rotation vector from where a belongs, (frame of b) relation, to where it is; a joint that holds only the
// direction leaves out what is along d.
//
// What is far open closes at no more than CLOSING_SPEED.
//
// A largest force makes a joint as compliant as it must be to bear no more: c = |C| / max_force.
#include "couplings/joint/joint_rows.h"
#include <math.h>
#include <string.h>

#define TINY_COMPLIANCE 1e-6 // of what the bodies yield
#define CLOSING_SPEED   1e4  // over sqrt(g r)

// ---- node space

static void list_loads(sn_joint_system *j, sn_joint_row *row) {
    for (int side = 0; side < 2; side++) {
        const sn_joint_part *part = &row->part[side];
        for (int k = 0; k < 2 && part->body >= 0; k++) {
            if (j->load_of[part->slot[k]] >= 0) continue;
            j->load_of[part->slot[k]] = j->load_count;
            j->load_slot[j->load_count++] = part->slot[k];
        }
    }
}

static void clear_loads(const sn_joint_system *j) {
    for (int i = 0; i < j->load_count; i++)
        for (int k = 0; k < 4; k++) j->loads[i][k] = 0;
}

static void add_row_load(const sn_joint_system *j, const sn_joint_row *row, double force) {
    for (int side = 0; side < 2; side++) {
        const sn_joint_part *part = &row->part[side];
        if (part->body < 0) continue;
        for (int k = 0; k < 2; k++) {
            double *f = j->loads[j->load_of[part->slot[k]]];
            f[0] += force * (double)part->node[k].x, f[1] += force * (double)part->node[k].y;
            f[2] += force * (double)part->node[k].z;
            if (k == 1) f[3] += force * (double)part->spin;
        }
    }
}

static void apply_loads(const sn_joint_system *j, const sn_solve *solve) {
    for (int i = 0; i < j->load_count; i++) {
        sn_real *f = solve->force + 4 * (size_t)j->load_slot[i];
        for (int k = 0; k < 3; k++) f[k] += (sn_real)j->loads[i][k];
        solve->force_spin[j->load_slot[i]] += (sn_real)j->loads[i][3];
    }
}

static double part_rate(const sn_solve *solve, const sn_joint_part *part) {
    double sum = (double)part->spin * (double)solve->step_spin[part->slot[1]];
    for (int k = 0; k < 2; k++) {
        const sn_real *d = solve->step + 4 * (size_t)part->slot[k];
        sum += (double)part->node[k].x * (double)d[0] + (double)part->node[k].y * (double)d[1] +
               (double)part->node[k].z * (double)d[2];
    }
    return sum;
}

static double row_rate(const sn_solve *solve, const sn_joint_row *row) {
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (row->part[side].body >= 0) sum += part_rate(solve, &row->part[side]);
    return sum;
}

// ---- W

// Both sides of a row on the same body are one entry there.
static bool on_body(const sn_joint_row *row, int body, int side) {
    return row->part[side].body >= 0 && row->part[side].unit == body;
}

static void add_side_load(const sn_joint_system *j, const sn_joint_row *row, int body) {
    sn_joint_row only = *row;
    for (int side = 0; side < 2; side++)
        if (!on_body(row, body, side)) only.part[side].body = -1;
    add_row_load(j, &only, 1);
}

static double side_rate(const sn_solve *solve, const sn_joint_row *row, int body) {
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (on_body(row, body, side)) sum += part_rate(solve, &row->part[side]);
    return sum;
}

static void clear_forces(const sn_solve *solve) {
    for (int i = 0; i < 4 * solve->slots; i++) solve->force[i] = 0;
    for (int i = 0; i < solve->slots; i++) solve->force_spin[i] = 0;
}

// W = J M^-1 J^T, a column of each body at a time; then + c, and factored. Entries are the mean of both triangles: rows of the same
// point are then equal to the last digit, and what rounding makes of columns does not pass for a compliance between them.
static void build_matrix(sn_joints *s, sn_solve *solve) {
    sn_joint_system *j = &s->system;
    for (size_t i = 0; i < j->entries; i++) j->matrix.a[i] = 0;
    for (int k = 0; k < j->max_body_rows; k++) {
        clear_forces(solve);
        clear_loads(j);
        for (int b = 0; b < j->body_count; b++)
            if (j->body_first[b] + k < j->body_first[b + 1])
                add_side_load(j, &j->rows[j->body_rows[j->body_first[b] + k]], j->bodies[b]);
        apply_loads(j, solve);
        solve->run(solve, SN_COUPLE_COLUMN);
        for (int b = 0; b < j->body_count; b++) {
            const int at = j->body_first[b] + k;
            if (at >= j->body_first[b + 1]) continue;
            const int column = j->place[j->body_rows[at]];
            for (int m = j->body_first[b]; m < j->body_first[b + 1]; m++) {
                const int row = j->place[j->body_rows[m]];
                const double rate = side_rate(solve, &j->rows[j->body_rows[m]], j->bodies[b]);
                *sn_skyline_at(&j->matrix, row > column ? row : column, row > column ? column : row) +=
                    row == column ? rate : 0.5 * rate;
            }
        }
    }
    for (int i = 0; i < j->row_count; i++) {
        double *diagonal = sn_skyline_at(&j->matrix, j->place[i], j->place[i]);
        if (solve->iteration == 0) j->tiny[i] = TINY_COMPLIANCE * *diagonal + 1e-30; // one potential for all iterations
        j->rows[i].compliance += j->tiny[i];
        *diagonal += j->rows[i].compliance;
    }
    if (j->whole) memcpy(j->whole, j->matrix.a, j->entries * sizeof(double));
}

// x := (W + c)^-1 x, x by row.
static void solve_rows(sn_joint_system *j, double *x) {
    for (int i = 0; i < j->row_count; i++) j->scratch[j->place[i]] = x[i];
    sn_skyline_solve(&j->matrix, j->scratch);
    for (int i = 0; i < j->row_count; i++) x[i] = j->scratch[j->place[i]];
}

// ---- the operations

// How far bodies have moved a row since the substep started.
static double moved_since_start(const sn_contacts *c, const sn_solve *solve, const sn_joint_row *row) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const sn_joint_part *part = &row->part[side];
        if (part->body < 0) continue;
        for (int k = 0; k < 2; k++) {
            const int at = part->slot[k] - solve->shift[part->body];
            const sn_node *node = &c->proxies.nodes[at];
            for (int m = 0; m < 3; m++)
                sum += sn_coordinate(part->node[k], m) *
                       (sn_node_at(node, m) - sn_coordinate(node->c0, m) - sn_coordinate(c->proxies.pills[at].low0, m));
        }
        sum += (double)part->spin * (double)c->proxies.pills[part->slot[1] - solve->shift[part->body]].spin;
    }
    return sum;
}

// What is torn apart across a thousand times its size, or led there at once, is pulled together as fast as anything ought to move,
// not in one substep: where the bodies start, what is open beyond that may stay so.
static double closing_of(const sn_contacts *c, const sn_solve *solve, const sn_joint_body *joint) {
    const int pills[2] = {joint->pill_a, joint->pill_b};
    double radius = 0;
    for (int side = 0; side < 2; side++) {
        if (pills[side] < 0) continue;
        const int other = c->proxies.pills[pills[side]].a;
        radius = fmax(radius, (double)c->proxies.nodes[pills[side]].radius);
        if (other >= 0) radius = fmax(radius, (double)c->proxies.nodes[other].radius);
    }
    const double g = fmax(1, (double)sn_length(solve->stage->gravity));
    return CLOSING_SPEED * sqrt(g * radius) * (double)solve->stage->h;
}

static void limit_closing(const sn_joint_now *now, sn_joint_row *rows, int count) {
    const double max = closing_of(now->c, now->solve, now->joint);
    double held = 0;
    for (int i = 0; i < count; i++) {
        const double start = rows[i].open - moved_since_start(now->c, now->solve, &rows[i]);
        if (!rows[i].angular && !rows[i].free) held += start * start;
    }
    held = sqrt(held);
    for (int i = 0; i < count; i++) {
        sn_joint_row *row = &rows[i];
        if (row->angular || row->free == SN_JOINT_MOTOR || row->free == SN_JOINT_FRICTION) continue;
        const double start = row->open - moved_since_start(now->c, now->solve, row);
        const double size = row->free ? row->one_sided ? start : fabs(start) : held;
        if (size > max) row->open -= (1 - max / size) * start;
    }
}

static void linearise(sn_joints *s, const sn_contacts *c, sn_solve *solve, sn_real share) {
    sn_joint_system *j = &s->system;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!sn_joint_is_active(c, solve, joint)) continue;
        joint->first_row = count;
        const sn_joint_now now = {c, solve, joint, i, share, solve->stage->h};
        const int rows = sn_joint_measure(&now, j->rows + count);
        limit_closing(&now, j->rows + count, rows);
        count += rows;
    }
    for (int i = 0; i < count; i++) list_loads(j, &j->rows[i]);
    clear_loads(j);
    for (int i = 0; i < count; i++) {
        j->rows[i].start_force = j->rows[i].force;
        add_row_load(j, &j->rows[i], -j->rows[i].force);
    }
    apply_loads(j, solve);
}

// Energy of open joints at a share of the step: 1/2 C^2 / c.
static void add_energy(const sn_joint_system *j, sn_solve *solve, bool at_start) {
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const double share = at_start ? 0 : (double)solve->share[row->island];
        const double open = row->open + share * (row->compliance * row->force - row->open);
        solve->coupling_energy[row->island] += 0.5 * open * open / row->compliance;
    }
}

// Energy of the joints, as they are to be at the end of the substep, where the bodies started: whoever moves a joint does work.
static void add_start_energy(const sn_contacts *c, const sn_joint_system *j, const sn_solve *solve) {
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const double open = row->open - moved_since_start(c, solve, row);
        if ((row->one_sided && open < 0) || row->free == SN_JOINT_FRICTION) continue;
        solve->coupling_energy[row->island] += 0.5 * open * open / row->compliance;
    }
}

// What the bodies have to get so that joints are met: with the exact response of all of them.
static void add_closing(const sn_joint_system *j, sn_work_balance *balance) {
    for (int i = 0; i < j->row_count; i++) balance->closing += 0.5 * fabs(j->rows[i].open * j->change[i]);
}

// Node forces of the multipliers' changes.
static void apply_changes(const sn_joint_system *j, const sn_solve *solve) {
    clear_loads(j);
    for (int i = 0; i < j->row_count; i++) add_row_load(j, &j->rows[i], -j->change[i]);
    apply_loads(j, solve);
}

// ---- bounds
//
// A multiplier with bounds is what the equations say, or at a bound. At one it is held by a compliance: with S what the bodies yield
// there if everything else is solved for, it is A / (S + c), so c = A / bound - S. At 0 c is enormous. Rows change sides one solve
// after the other until all are as they should be.

#define LET_GO       1e12 // of what the bodies yield
#define BOUND_PASSES 12
#define BOUND_SLACK  1e-3 // of a bound

static void solve_bounded(sn_joint_system *j) {
    if (j->whole) memcpy(j->matrix.a, j->whole, j->entries * sizeof(double));
    for (int i = 0; j->whole && i < j->row_count; i++)
        *sn_skyline_at(&j->matrix, j->place[i], j->place[i]) += j->rows[i].compliance - j->rows[i].own;
    sn_skyline_factor(&j->matrix);
    for (int i = 0; i < j->row_count; i++) j->change[i] = j->rows[i].open - j->rows[i].compliance * j->rows[i].force;
    solve_rows(j, j->change);
}

// What the bodies yield to a row, with everything else solved for.
static double compliance_at(sn_joint_system *j, int row) {
    for (int i = 0; i < j->row_count; i++) j->column[i] = i == row;
    solve_rows(j, j->column);
    return 1 / j->column[row] - j->rows[row].compliance;
}

static double let_go_compliance(const sn_joint_system *j, int row) {
    const size_t at = (size_t)(sn_skyline_at(&j->matrix, j->place[row], j->place[row]) - j->matrix.a);
    return LET_GO * j->whole[at];
}

// Whether a row had to change.
static bool settle_row(sn_joint_system *j, int i) {
    sn_joint_row *row = &j->rows[i];
    const double force = row->force + j->change[i];
    if (row->one_sided) { // held at 0, force over its compliance is how far it would be violated
        const double was = row->compliance;
        if (was > row->own && force > 0) row->compliance = row->own;
        if (was == row->own && force < 0) row->compliance = let_go_compliance(j, i);
        return row->compliance != was;
    }
    const double bound = force > 0 ? row->high : row->low;
    const bool held = row->compliance > row->own;
    if (!held && fabs(force) <= (1 + BOUND_SLACK) * fabs(bound)) return false;
    if (held && fabs(force / bound - 1) < BOUND_SLACK) return false;
    const double bodies = compliance_at(j, i), compliance = force * (bodies + row->compliance) / bound - bodies;
    const double was = row->compliance;
    row->compliance = compliance > row->own ? compliance : row->own;
    return fabs(row->compliance - was) > BOUND_SLACK * was;
}

static void settle_bounds(sn_joint_system *j) {
    for (int i = 0; i < j->row_count; i++) {
        sn_joint_row *row = &j->rows[i];
        row->own = row->compliance;
        if (row->one_sided && !(row->force > 0) && !(row->open > 0)) row->compliance = let_go_compliance(j, i);
    }
    solve_bounded(j);
    for (int pass = 0; j->whole && pass < BOUND_PASSES; pass++) {
        bool changed = false;
        for (int i = 0; i < j->row_count; i++)
            if (j->rows[i].free) changed = settle_row(j, i) || changed;
        if (!changed) break;
        solve_bounded(j);
    }
}

static void constrain(sn_joint_system *j, sn_solve *solve) {
    clear_forces(solve);
    apply_changes(j, solve);
    for (int i = 0; i < j->row_count; i++) j->direction[i] = j->change[i];
    solve->shifts = true;
    j->shifting = true;
}

// Multipliers as far as the last iteration was accepted.
static void note_forces(sn_joints *s, const sn_solve *solve) {
    sn_joint_system *j = &s->system;
    for (int i = 0; i < j->row_count; i++) {
        sn_joint_row *row = &j->rows[i];
        const double share = (double)solve->share[row->island];
        row->force = row->start_force + share * (row->force - row->start_force);
        sn_joint_body *joint = &s->items[row->joint];
        sn_vec3 *to = row->angular ? &joint->reaction_torque : &joint->reaction;
        if (i == joint->first_row)
            joint->reaction = joint->reaction_torque = joint->all_force = joint->all_torque = sn_v3(0, 0, 0);
        if (row->free)
            joint->free_force[row->free - 1] = (sn_real)(row->sign * row->force);
        else
            *to = sn_mul_add(*to, (sn_real)row->force, row->direction);
        to = row->angular ? &joint->all_torque : &joint->all_force;
        *to = sn_mul_add(*to, (sn_real)row->force, row->direction);
    }
}

// Islands with a joint to what does not move take up momentum.
static void mark_held(const sn_contacts *c, const sn_joint_system *j, sn_solve *solve) {
    for (int i = 0; i < j->row_count; i++)
        for (int side = 0; side < 2; side++) {
            const sn_joint_part *part = &j->rows[i].part[side];
            bool held = part->body < 0;
            for (int k = 0; k < 2 && !held; k++)
                held = !(c->proxies.nodes[part->slot[k] - solve->shift[part->body]].w > 0) &&
                       sn_length2(part->node[k]) > 0;
            if (held) solve->is_free[j->rows[i].island] = false;
        }
}

// ---- the balance of energy

// How far the goal of a joint on something that moves whatever it bears went in the substep, and how it turned.
static void goal_motion(const sn_contacts *c, const sn_joint_body *joint, const sn_stage *stage, double moved[3],
                        sn_vec3 *turned) {
    const sn_real before = (sn_real)stage->substep / (sn_real)stage->substeps,
                  now = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    const bool on_collider = !joint->on_bone && joint->pill_b < 0 && joint->collider >= 0;
    sn_quat from = sn_q_identity(), to = from;
    for (int k = 0; k < 3; k++) moved[k] = 0;
    if (on_collider) {
        const sn_collider *collider = c->colliders[joint->collider];
        from = collider->from.rotation, to = collider->until.rotation;
        const sn_vec3 d = sn_sub(sn_transform_point(&collider->until, joint->local),
                                 sn_transform_point(&collider->from, joint->local));
        for (int k = 0; k < 3; k++) moved[k] = sn_coordinate(d, k);
    } else if (joint->on_bone || joint->pill_b < 0) {
        from = sn_joint_frame_of_b(c, joint, before), to = sn_joint_frame_of_b(c, joint, now);
        for (int k = 0; k < 3 && joint->pill_b < 0; k++) // nodes of bones are held: they are counted as such
            moved[k] = sn_joint_point_of_b(c, joint, now, k) - sn_joint_point_of_b(c, joint, before, k);
    }
    const sn_vec3 lever = sn_sub(sn_q_rotate(to, joint->offset), sn_q_rotate(from, joint->offset));
    for (int k = 0; k < 3; k++) moved[k] += sn_coordinate(lever, k);
    *turned = sn_rotation_vector(sn_q_mul(to, sn_q_conj(from)));
}

// How far held nodes moved a row.
static double held_motion(const sn_contacts *c, const sn_joint_body *joint, const sn_joint_row *row) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const int pill = side ? joint->pill_b : joint->pill_a;
        for (int k = 0; k < 2 && pill >= 0; k++) {
            const int at = k ? pill : c->proxies.pills[pill].a;
            if (at < 0 || c->proxies.nodes[at].w > 0) continue;
            for (int m = 0; m < 3; m++)
                sum += sn_coordinate(row->part[side].node[k], m) *
                       (sn_coordinate(c->proxies.nodes[at].c, m) - sn_coordinate(c->proxies.nodes[at].c0, m));
        }
    }
    return sum;
}

// What joints have stored; and the work of what opens them whatever they bear: force times how far it does.
static void add_to_balance(const sn_joints *s, const sn_stage *stage, const sn_solve *solve) {
    const sn_contacts *c = sn_world_contacts(s->world);
    const sn_joint_system *j = &s->system;
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const sn_joint_body *joint = &s->items[row->joint];
        if (solve->failed[row->island]) continue;
        if (row->free == SN_JOINT_MOTOR)
            stage->balance->work -= row->force * (row->from + row->compliance * row->force);
        if (row->free) continue;
        double moved[3], opened = held_motion(c, joint, row);
        sn_vec3 turned;
        goal_motion(c, joint, stage, moved, &turned);
        for (int k = 0; k < 3; k++)
            opened -= sn_coordinate(row->direction, k) * (row->angular ? sn_coordinate(turned, k) : moved[k]);
        stage->balance->work += row->force * opened;
        stage->balance->stored += 0.5 * row->compliance * row->force * row->force;
    }
}

void sn_joints_couple(void *what, const sn_stage *stage, sn_solve *solve, int op) {
    sn_joints *s = what;
    sn_joint_system *j = &s->system;
    if (j->row_count == 0) return;
    const sn_real over = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    switch ((sn_coupling_op)op) {
    case SN_COUPLING_LINEARISE:
        if (solve->iteration > 0) note_forces(s, solve);
        linearise(s, sn_world_contacts(s->world), solve, over);
        for (int i = 0; i < j->row_count; i++)
            j->rows[i].island = solve->island[j->rows[i].part[j->rows[i].part[0].body >= 0 ? 0 : 1].body];
        break;
    case SN_COUPLING_CONSTRAIN:
        build_matrix(s, solve);
        settle_bounds(j);
        add_energy(j, solve, true);
        if (stage->balance && stage->substep == 0 && solve->iteration == 0) add_closing(j, stage->balance);
        constrain(j, solve);
        break;
    case SN_COUPLING_CORRECT:
        for (int i = 0; i < j->row_count; i++) j->change[i] = row_rate(solve, &j->rows[i]);
        solve_rows(j, j->change);
        apply_changes(j, solve);
        break;
    case SN_COUPLING_RATES:
        for (int i = 0; i < j->row_count && !j->shifting; i++)
            j->direction[i] = j->change[i] + (double)solve->beta[j->rows[i].island] * j->direction[i];
        j->shifting = false;
        break;
    case SN_COUPLING_ADVANCE:
        for (int i = 0; i < j->row_count; i++) {
            const int island = j->rows[i].island;
            if (solve->iterating[island]) j->rows[i].force += (double)solve->alpha[island] * j->direction[i];
        }
        break;
    case SN_COUPLING_ENERGY:
        add_energy(j, solve, false);
        break;
    case SN_COUPLING_END:
        note_forces(s, solve);
        mark_held(sn_world_contacts(s->world), j, solve);
        if (stage->balance) add_to_balance(s, stage, solve);
        break;
    case SN_COUPLING_BEGIN:
    case SN_COUPLING_MEASURE:
    case SN_COUPLING_SLOPE:
    case SN_COUPLING_BOUND:
        break;
    case SN_COUPLING_START_ENERGY:
        add_start_energy(sn_world_contacts(s->world), j, solve);
        break;
    case SN_COUPLING_REACT:
    case SN_COUPLING_SHARE:
        sn_joints_react(s, stage, solve, op == SN_COUPLING_SHARE);
        break;
    }
}

void sn_joints_activate(void *what, sn_contacts *c) {
    const sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        const sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        if (joint->pill_a >= 0) sn_contacts_activate_body(c, joint->pill_a);
        if (joint->pill_b >= 0) sn_contacts_activate_body(c, joint->pill_b);
    }
}

// Measures forces, and breaks joints that bore too much.
void sn_joints_end(void *what, sn_profile *profile) {
    (void)profile;
    sn_joints *s = what;
    const sn_contacts *c = sn_world_contacts(s->world);
    if (!c->is_active) return;
    sn_joints_bear_sleepers(s);
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        joint->from = joint->def.position;
        joint->rotation_from = joint->rotation;
        joint->force = sn_length(joint->all_force);
        joint->torque = sn_length(joint->all_torque);
        if (!sn_finite(joint->force) || !sn_finite(joint->torque)) { // its body diverged and was reset: it bore nothing
            joint->force = joint->torque = 0;
            joint->reaction = joint->reaction_torque = joint->all_force = joint->all_torque = sn_v3(0, 0, 0);
            for (int k = 0; k < SN_JOINT_FREE_PARTS; k++) joint->free_force[k] = 0;
        }
        const bool breaks = (joint->def.break_force > 0 && joint->force > joint->def.break_force) ||
                            (joint->def.break_torque > 0 && joint->torque > joint->def.break_torque);
        if (breaks) sn_joint_remove(s, i);
    }
}
